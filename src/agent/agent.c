/* agent.c: an agent, which observes, searches and acts.
 *
 *     belief <- observe(outcome, prediction of the last action)
 *     decision <- search from the most probable state
 *     action ~ decision
 *
 * Everything it will ever need is one block of memory, cut when it is made. */
#include "agent/agent.h"
#include "search/search.h"

struct sonde_agent {
    sonde__search search;
    sonde_search_settings settings; /* as they were given */
    sonde__arena arena;             /* of the search and the beliefs */
    double *belief;                 /* (n_state) */
    double *prior;                  /* (n_state) before the next outcome */
    uint64_t number;                /* of decisions so far */
};

static void carve(sonde_agent *agent, sonde__arena *arena) {
    const int32_t n_state = agent->search.policies->model->n_state;
    agent->belief = SONDE__TAKE(arena, double, n_state);
    agent->prior = SONDE__TAKE(arena, double, n_state);
    sonde__search_carve(&agent->search, arena);
}

/* Reserves the agent's memory, if that is allowed. */
static sonde_status reserve(sonde_agent *agent, const sonde_run *run, sonde_error *error) {
    carve(agent, &agent->arena);
    const sonde_status status = sonde__check_memory(
        run, sonde__add(agent->arena.used, sonde__search_bytes(&agent->search)), "agent",
        "choose a shorter horizon or fewer clusters, or allow more", error);
    if (status != SONDE_OK) {
        return status;
    }
    if (!sonde__arena_reserve(&agent->arena)) {
        return sonde__fail_memory(error, "agent", agent->arena.used);
    }
    carve(agent, &agent->arena);
    return SONDE_OK;
}

sonde_status sonde_agent_new(const sonde_policies *policies, const sonde_search_settings *settings,
                             const sonde_run *run, sonde_agent **agent, sonde_error *error) {
    const sonde_run settled = sonde__run_settle(run);
    sonde_agent *made = sonde__alloc(sizeof *made);
    if (made == NULL) {
        return sonde__fail_memory(error, "agent", sizeof *made);
    }
    made->settings = *settings;
    sonde_status status = sonde__search_open(&made->search, policies, settings, &settled, error);
    if (status == SONDE_OK) {
        status = reserve(made, &settled, error);
    }
    if (status != SONDE_OK) {
        sonde_agent_free(made);
        return status;
    }
    sonde_agent_reset(made);
    *agent = made;
    return SONDE_OK;
}

void sonde_agent_free(sonde_agent *agent) {
    if (agent != NULL) {
        sonde__search_close(&agent->search);
        sonde__arena_free(&agent->arena);
        sonde__free(agent);
    }
}

const sonde_model *sonde_agent_model(const sonde_agent *agent) {
    return agent->search.policies->model;
}

const sonde_policies *sonde_agent_policies(const sonde_agent *agent) {
    return agent->search.policies;
}

const sonde_search_settings *sonde_agent_settings(const sonde_agent *agent) {
    return &agent->settings;
}

const sonde_run *sonde__agent_run(const sonde_agent *agent) {
    return &agent->search.run;
}

sonde_setup sonde_agent_setup(const sonde_agent *agent) {
    return agent->search.survey.setup;
}

void sonde_agent_reset(sonde_agent *agent) {
    sonde_belief_initial(sonde_agent_model(agent), agent->prior);
    sonde_belief_initial(sonde_agent_model(agent), agent->belief);
    agent->number = 0;
}

void sonde_agent_observe(sonde_agent *agent, int32_t outcome) {
    sonde_belief_observe(sonde_agent_model(agent), outcome, agent->prior, agent->belief);
}

const double *sonde_agent_belief(const sonde_agent *agent) {
    return agent->belief;
}

/* The lowest of the most probable states. */
static int32_t most_probable_state(const sonde_agent *agent) {
    int32_t best = 0;
    for (int32_t s = 1; s < sonde_agent_model(agent)->n_state; s++) {
        best = agent->belief[s] > agent->belief[best] + 1e-12 ? s : best;
    }
    return best;
}

sonde_status sonde_agent_search(sonde_agent *agent, const sonde_decision **decision) {
    const sonde_status status =
        sonde__search_run(&agent->search, most_probable_state(agent), agent->number);
    if (status == SONDE_OK) {
        *decision = &agent->search.decision;
    }
    return status;
}

int32_t sonde_agent_act(sonde_agent *agent) {
    if (agent->search.decision.n_action == 0) {
        return -1; /* there is nothing to choose from yet */
    }
    sonde_rng rng = sonde_rng_stream(agent->settings.seed, SONDE_FOR_ACTION, agent->number);
    const int32_t action = sonde__search_draw(&agent->search, &rng);
    sonde_belief_predict(sonde_agent_model(agent), action, agent->belief, agent->prior);
    agent->number++;
    return action;
}

/* agent.c: an agent, which observes, searches and acts.
 *
 *     belief <- observe(outcome, prediction of the last action)
 *     decision <- search from there, or what is left of the last plan
 *     action ~ decision
 *
 * Everything it will ever need is one block of memory, cut when it is made. */
#include "agent/agent.h"

#include <math.h>
#include <string.h>

#include "base/numbers.h"
#include "base/rng.h"
#include "base/settings.h"
#include "base/status.h"
#include "belief/belief.h"
#include "policy/policy.h"
#include "search/search.h"

/* A model with numbers of its own, and the same policies over it. */
typedef struct {
    sonde__own numbers;
    const sonde_model *shape; /* whose shape it borrows */
    sonde_policies policies;
} own_model;

struct sonde_agent {
    const sonde_policies *policies;
    own_model *own; /* in the same block, or NULL: the numbers are those of the policies' model */
    sonde_run run;
    sonde__search *search;          /* in the same block */
    sonde__search *fallback;        /* another, where there is one */
    sonde__search *used;            /* whose decision the last one was */
    sonde_search_settings settings; /* as they were given */
    sonde__arena arena;             /* of the search and the beliefs */
    double *belief;                 /* (n_belief) */
    double *prior;                  /* (n_belief) before the next outcome */
    double *scratch;                /* of the belief */
    sonde_energy energy;            /* of the last outcomes */
    double evidence;                /* ln P of what was seen before the last action */
    const char *origin;             /* of the belief, as a certificate says it */
    uint64_t number;                /* of decisions so far */
    int32_t *plan;                  /* (T + 1) the policy that is being followed */
    int32_t n_followed;             /* steps of it that have been taken; 0: there is none */
    int32_t choice;                 /* the action that was drawn and not taken yet; -1: none was */
    bool decided;                   /* the last search was made from the present belief */
};

static bool has_fallback(const sonde_agent *agent) {
    return agent->settings.fallback != SONDE_FALLBACK_NONE;
}

static void carve(sonde_agent *agent, sonde__arena *arena) {
    const sonde_model *model = agent->policies->model;
    if (agent->own != NULL) {
        sonde__own_carve(arena, agent->own->shape, &agent->own->numbers);
        if (agent->own->numbers.block != NULL) {
            sonde__own_open(&agent->own->numbers, agent->own->shape);
        }
    }
    agent->belief = SONDE__TAKE(arena, double, model->n_belief);
    agent->prior = SONDE__TAKE(arena, double, model->n_belief);
    agent->scratch = SONDE__TAKE(arena, double, sonde__belief_scratch(model));
    agent->plan = SONDE__TAKE(arena, int32_t, model->horizon + 1);
    sonde__search_carve(agent->search, arena);
    if (has_fallback(agent)) {
        sonde__search_carve(agent->fallback, arena);
    }
}

/* Reserves the agent's memory, if that is allowed. */
static sonde_status reserve(sonde_agent *agent, const sonde_run *run, sonde_error *error) {
    carve(agent, &agent->arena);
    const uint64_t held =
        sonde__add(sonde__search_bytes(agent->search),
                   has_fallback(agent) ? sonde__search_bytes(agent->fallback) : 0);
    const sonde_status status =
        sonde__check_memory(run, sonde__add(agent->arena.used, held), "agent",
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

/* Opens the search and, where there is one, its fallback, each with half the budget. */
static sonde_status open_searches(sonde_agent *agent, const sonde_policies *policies,
                                  const sonde_run *run, sonde_error *error) {
    sonde_search_settings settings = agent->settings;
    sonde_search_settings fallback = agent->settings;
    if (has_fallback(agent) && settings.budget > 0) {
        fallback.budget = settings.budget > 1 ? settings.budget / 2 : 1;
        settings.budget = settings.budget > 1 ? settings.budget - fallback.budget : 1;
    }
    sonde_status status = sonde__search_open(agent->search, policies, &settings, run, error);
    if (status == SONDE_OK && has_fallback(agent)) {
        const sonde_run rest = sonde__run_less(run, sonde__search_bytes(agent->search));
        fallback.search = (sonde_search_kind)agent->settings.fallback;
        fallback.fallback = SONDE_FALLBACK_NONE;
        status = sonde__search_open(agent->fallback, policies, &fallback, &rest, error);
    }
    return status;
}

/* The policies over a model of the agent's own, which is the other's until its memory is cut. */
static const sonde_policies *own_policies(own_model *own, const sonde_policies *policies) {
    own->shape = policies->model;
    own->numbers.model = *policies->model;
    own->policies = *policies;
    own->policies.model = &own->numbers.model;
    return &own->policies;
}

static sonde_status agent_new(const sonde_policies *policies, const sonde_search_settings *settings,
                              const sonde_run *run, bool owns, sonde_agent **agent,
                              sonde_error *error) {
    const sonde_run settled = sonde__run_settle(run);
    const bool two = settings->fallback != SONDE_FALLBACK_NONE;
    const size_t first = sonde__search_size(policies, (int32_t)settings->search);
    const size_t second = two ? sonde__search_size(policies, settings->fallback) : 0;
    const size_t third = owns ? sizeof(own_model) : 0;
    const size_t size = sizeof(sonde_agent) + first + second + third;
    sonde_agent *made = sonde__alloc(size);
    if (made == NULL) {
        return sonde__fail_memory(error, "agent", size);
    }
    made->own = owns ? (own_model *)((char *)(made + 1) + first + second) : NULL;
    policies = owns ? own_policies(made->own, policies) : policies;
    made->policies = policies;
    made->run = settled;
    made->search = (sonde__search *)(made + 1);
    made->fallback = two ? (sonde__search *)((char *)made->search + first) : NULL;
    made->settings = *settings;
    made->used = made->search;
    sonde_status status = open_searches(made, policies, &settled, error);
    /* what is usual for the model, where nobody gave another */
    made->settings.gamma = sonde__search_settings(made->search)->gamma;
    made->settings.embed.kind = sonde__search_settings(made->search)->embed.kind;
    made->settings.inference = sonde__belief_inference(policies->model, settings->inference);
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

sonde_status sonde_agent_new(const sonde_policies *policies, const sonde_search_settings *settings,
                             const sonde_run *run, sonde_agent **agent, sonde_error *error) {
    return agent_new(policies, settings, run, false, agent, error);
}

sonde_status sonde__agent_new_own(const sonde_policies *policies,
                                  const sonde_search_settings *settings, const sonde_run *run,
                                  sonde_agent **agent, sonde_error *error) {
    return agent_new(policies, settings, run, true, agent, error);
}

sonde__own *sonde__agent_own(sonde_agent *agent) {
    return &agent->own->numbers;
}

void sonde_agent_free(sonde_agent *agent) {
    if (agent != NULL) {
        sonde__search_close(agent->search);
        if (has_fallback(agent)) {
            sonde__search_close(agent->fallback);
        }
        sonde__arena_free(&agent->arena);
        sonde__free(agent);
    }
}

const sonde_policies *sonde_agent_policies(const sonde_agent *agent) {
    return agent->policies;
}

const sonde_search_settings *sonde_agent_settings(const sonde_agent *agent) {
    return &agent->settings;
}

const sonde_run *sonde__agent_run(const sonde_agent *agent) {
    return &agent->run;
}

sonde_setup sonde_agent_setup(const sonde_agent *agent) {
    return sonde__search_setup(agent->search);
}

void sonde_agent_reset(sonde_agent *agent) {
    sonde_belief_initial(sonde_agent_policies(agent)->model, agent->prior);
    sonde_belief_initial(sonde_agent_policies(agent)->model, agent->belief);
    agent->number = 0;
    agent->n_followed = 0;
    agent->choice = -1;
    agent->energy = (sonde_energy){.surprise = 0.0};
    agent->evidence = 0.0;
    agent->origin = "initial";
    agent->decided = false;
    sonde__search_reset(agent->search);
    if (has_fallback(agent)) {
        sonde__search_reset(agent->fallback);
    }
}

sonde_status sonde_agent_observe_soft(sonde_agent *agent, const int32_t *outcome,
                                      const double *weight, sonde_error *error) {
    const sonde_model *model = sonde_agent_policies(agent)->model;
    const sonde_observation seen = {outcome, weight, agent->settings.inference};
    const sonde_status status = sonde__observation_check(model, &seen, error);
    if (status != SONDE_OK) {
        return status;
    }
    agent->energy =
        sonde__belief_observe(model, &seen, agent->prior, agent->belief, agent->scratch);
    agent->energy.log_evidence += agent->evidence;
    agent->origin = sonde__inference_name(agent->settings.inference);
    agent->decided = false;
    return SONDE_OK;
}

sonde_status sonde_agent_observe(sonde_agent *agent, const int32_t *outcome, sonde_error *error) {
    return sonde_agent_observe_soft(agent, outcome, NULL, error);
}

sonde_status sonde_agent_believe(sonde_agent *agent, const double *belief, sonde_error *error) {
    const sonde_model *model = sonde_agent_policies(agent)->model;
    const size_t size = (size_t)model->n_belief * sizeof *belief;
    if (!sonde__belief_is(model, belief)) {
        return sonde__fail(error, SONDE_BAD_ARGUMENT,
                           "belief: expected probabilities of each factor that sum to 1");
    }
    /* it may be the agent's own */
    memmove(agent->belief, belief, size);
    memcpy(agent->prior, agent->belief, size);
    agent->n_followed = 0;
    agent->energy = (sonde_energy){.log_evidence = agent->evidence};
    agent->origin = "given";
    agent->decided = false;
    return SONDE_OK;
}

const double *sonde_agent_belief(const sonde_agent *agent) {
    return agent->belief;
}

sonde_energy sonde_agent_energy(const sonde_agent *agent) {
    return agent->energy;
}

/* Whether the plan that is being followed goes on for another step. */
static bool goes_on(const sonde_agent *agent) {
    const sonde_search_settings *settings = &agent->settings;
    return agent->n_followed > 0 && agent->n_followed < settings->n_follow &&
           agent->n_followed < sonde_agent_policies(agent)->model->horizon &&
           agent->energy.surprise <= settings->surprise;
}

/* Lets the fallback decide, too; the better of both decisions is used, and shows what both have
 * cost. */
static sonde_status fall_back(sonde_agent *agent, sonde_present now, int32_t origin) {
    const sonde_decision *a = sonde__search_decision(agent->search);
    const sonde_decision *b = sonde__search_decision(agent->fallback);
    const sonde_status status = sonde__search_run(agent->fallback, now, origin, agent->number);
    if (status != SONDE_OK) {
        return status;
    }
    const double margin = sonde__tie(a->best_efe.efe);
    const bool better = b->best_efe.efe < a->best_efe.efe - margin;
    agent->used = better ? agent->fallback : agent->search;
    const sonde_decision *other = better ? a : b;
    sonde_decision *used = sonde__search_decision(agent->used);
    used->fell_back = better;
    used->evaluations.n_policy += other->evaluations.n_policy;
    used->evaluations.n_step += other->evaluations.n_step;
    used->evaluations.n_setup_step += other->evaluations.n_setup_step;
    used->evaluations.equivalent += other->evaluations.equivalent;
    used->seconds += other->seconds;
    used->setup_seconds += other->setup_seconds;
    return SONDE_OK;
}

sonde_status sonde_agent_search(sonde_agent *agent, const sonde_decision **decision,
                                sonde_error *error) {
    const sonde_policies *policies = agent->policies;
    const int32_t origin = sonde_policies_origin(policies, agent->belief);
    const sonde_present now = sonde__present_of(policies, origin, agent->belief);
    sonde_status status = SONDE_OK;
    agent->choice = -1;
    if (goes_on(agent)) {
        const int32_t action = sonde__policies_action(policies, agent->plan, agent->n_followed + 1);
        sonde__search_follow(agent->used, now, action, agent->n_followed);
    } else {
        agent->n_followed = 0;
        agent->used = agent->search;
        status = sonde__search_run(agent->search, now, origin, agent->number);
        if (status == SONDE_OK && has_fallback(agent)) {
            status = fall_back(agent, now, origin);
        }
    }
    agent->decided = status == SONDE_OK;
    if (status != SONDE_OK) {
        return sonde__fail(error, status, "%s", sonde_status_sentence(status));
    }
    sonde_decision *made = sonde__search_decision(agent->used);
    made->certificate.belief = now.state < 0 ? agent->origin : NULL; /* or it is known */
    *decision = made;
    return SONDE_OK;
}

int32_t sonde_agent_choice(sonde_agent *agent) {
    if (agent->choice < 0 && sonde__search_decision(agent->used)->n_action > 0) {
        sonde__rng rng = sonde__rng_stream(agent->settings.seed, SONDE__FOR_ACTION, agent->number);
        agent->choice = sonde__search_draw(agent->used, &rng);
    }
    return agent->choice;
}

int32_t sonde_agent_act(sonde_agent *agent) {
    const int32_t action = sonde_agent_choice(agent);
    if (action < 0) {
        return -1; /* there is nothing to choose from yet */
    }
    agent->choice = -1;
    /* an action that is not from a plan may begin one */
    const int32_t before = sonde__search_decision(agent->used)->n_followed;
    const bool planned = before > 0 || (agent->settings.n_follow > 1 &&
                                        sonde__search_plan(agent->used, action, agent->plan));
    agent->n_followed = planned ? before + 1 : 0;
    sonde__belief_next(sonde_agent_policies(agent)->model, action, agent->belief, agent->prior);
    agent->evidence = agent->energy.log_evidence;
    agent->number++;
    return action;
}

sonde_status sonde_agent_explain(sonde_agent *agent, sonde_explanation **explanation,
                                 sonde_error *error) {
    const int32_t n_followed = sonde__search_decision(agent->used)->n_followed;
    if (!agent->decided) {
        return sonde__fail(
            error, SONDE_BAD_ARGUMENT,
            "explanation: nothing has been decided from what the agent believes now; "
            "search first");
    }
    if (n_followed > 0) {
        return sonde__fail(
            error, SONDE_BAD_ARGUMENT,
            "explanation: the agent follows a plan that it made %d step%s ago, and has "
            "scored nothing now; explain the decision that made the plan",
            n_followed, n_followed == 1 ? "" : "s");
    }
    return sonde__search_explain(agent->used, explanation, error);
}

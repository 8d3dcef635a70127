/* agent.c: an agent, which observes, searches and acts.
 *
 *     belief <- observe(outcome, prediction of the last action)
 *     decision <- search from there, or what is left of the last plan
 *     action ~ decision
 *
 * Everything it will ever need is one block of memory, cut when it is made. */
#include "agent/agent_internal.h"

#include <math.h>
#include <string.h>

#include "base/rng.h"
#include "base/settings.h"
#include "base/status.h"
#include "belief/belief.h"
#include "policy/policy.h"
#include "planner/planner.h"
#include "sonde_policy.h"

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
    agent->present = SONDE__TAKE(arena, double, model->n_belief);
    agent->scratch = SONDE__TAKE(arena, double, sonde__belief_scratch(model));
    sonde__planner_carve(agent->planner, arena);
}

/* Reserves the agent's memory, if that is allowed. */
static sonde_status reserve(sonde_agent *agent, const sonde_run *run, sonde_error *error) {
    carve(agent, &agent->arena);
    const uint64_t held = sonde__planner_bytes(agent->planner);
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

/* The policies over a model of the agent's own, which is the other's until its memory is cut. */
static const sonde_policies *own_policies(own_model *own, const sonde_policies *policies) {
    own->shape = policies->model;
    own->numbers.model = *policies->model;
    own->policies = *policies;
    own->policies.model = &own->numbers.model;
    return &own->policies;
}

/* A few policies are done with sooner than the system says how many threads there may be. */
static sonde_run settle(const sonde_policies *policies, const sonde_run *run) {
    enum { FEW = 64 };
    sonde_run settled = run != NULL ? *run : sonde_run_defaults();
    if (settled.n_thread <= 0 && policies->size <= FEW) {
        settled.n_thread = 1;
    }
    return sonde__run_settle(&settled);
}

static sonde_status agent_new(const sonde_policies *policies, const sonde_search_settings *settings,
                              const sonde_run *run, bool owns, sonde_agent **agent,
                              sonde_error *error) {
    const sonde_run settled = settle(policies, run);
    const size_t first = sonde__planner_size(policies, settings);
    const size_t size = sizeof(sonde_agent) + first + (owns ? sizeof(own_model) : 0);
    sonde_agent *made = sonde__alloc(size);
    if (made == NULL) {
        return sonde__fail_memory(error, "agent", size);
    }
    made->own = owns ? (own_model *)((char *)(made + 1) + first) : NULL;
    policies = owns ? own_policies(made->own, policies) : policies;
    made->policies = policies;
    made->run = settled;
    made->planner = (sonde__planner *)(made + 1);
    sonde_status status = sonde__planner_open(made->planner, policies, settings, &settled, error);
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
    return agent_new(policies, settings, run, sonde__model_learns(policies->model), agent, error);
}

sonde_status sonde__agent_new_own(const sonde_policies *policies,
                                  const sonde_search_settings *settings, const sonde_run *run,
                                  sonde_agent **agent, sonde_error *error) {
    return agent_new(policies, settings, run, true, agent, error);
}

sonde__own *sonde__agent_own(sonde_agent *agent) {
    return &agent->own->numbers;
}

void sonde__agent_keep(sonde_agent *agent, sonde_policies *policies) {
    agent->kept = policies;
}

const sonde_model *sonde__agent_given(const sonde_agent *agent) {
    return agent->own != NULL ? agent->own->shape : agent->policies->model;
}

const sonde__learner *sonde__agent_learner(const sonde_agent *agent) {
    return agent->learner;
}

void sonde_agent_free(sonde_agent *agent) {
    if (agent != NULL) {
        sonde__planner_close(agent->planner);
        sonde__arena_free(&agent->arena);
        sonde_policies_free(agent->kept);
        sonde__free(agent->learner);
        sonde__free(agent);
    }
}

const sonde_policies *sonde_agent_policies(const sonde_agent *agent) {
    return agent->policies;
}

const sonde_search_settings *sonde_agent_settings(const sonde_agent *agent) {
    return sonde__planner_settings(agent->planner);
}

const sonde_run *sonde__agent_run(const sonde_agent *agent) {
    return &agent->run;
}

sonde_setup sonde_agent_setup(const sonde_agent *agent) {
    return sonde__planner_setup(agent->planner);
}

/* The belief is about to change: the one that a decision was made from stays what it was. */
static void turn_page(sonde_agent *agent) {
    if (agent->kept_present) {
        double *present = agent->belief;
        agent->belief = agent->present;
        agent->present = present;
        agent->kept_present = false;
    }
}

/* Believes what the model begins with. */
static void begin(sonde_agent *agent) {
    const sonde_model *model = agent->policies->model;
    sonde_belief_initial(model, agent->prior);
    turn_page(agent);
    memcpy(agent->belief, agent->prior, (size_t)model->n_belief * sizeof *agent->belief);
    agent->choice = agent->last = -1;
    agent->energy = (sonde_energy){.surprise = 0.0};
    agent->evidence = 0.0;
    agent->origin = "initial";
    agent->decided = false;
}

void sonde_agent_reset(sonde_agent *agent) {
    begin(agent);
    agent->number = 0;
    sonde__planner_reset(agent->planner);
    if (agent->learner != NULL) {
        sonde__learner_begin(agent->learner);
    }
}

void sonde_agent_end(sonde_agent *agent) {
    if (agent->learner != NULL) {
        sonde__learner_end(agent->learner, agent->belief);
    }
    begin(agent);
    sonde__planner_drop(agent->planner);
    sonde__closed *closed = sonde__planner_closed(agent->planner);
    if (closed != NULL) {
        sonde__closed_begin(closed);
    }
}

sonde_agent_memory sonde_agent_memory_get(const sonde_agent *agent) {
    const sonde__closed *closed = sonde__planner_closed(agent->planner);
    int64_t n_joint = 0;
    const double *joint = closed != NULL ? sonde__closed_joint(closed, &n_joint) : NULL;
    return (sonde_agent_memory){
        .n_joint = n_joint,
        .joint = joint,
        .last = agent->last,
        .n_taken = closed != NULL ? sonde__closed_taken(closed) : 0,
        .belief = agent->belief,
        .prior = agent->prior,
        .origin = agent->origin,
        .energy = agent->energy,
        .evidence = agent->evidence,
        .number = agent->number,
        .n_followed = sonde__planner_followed(agent->planner),
        .n_learned = agent->learner != NULL ? agent->learner->n_packed : 0,
        .learned = agent->learner != NULL ? sonde__learner_pack(agent->learner) : NULL};
}

/* One of the agent's own words for where a belief is from, which outlive the other's. */
static const char *origin_of(const sonde_agent *agent, const char *origin) {
    const char *own[] = {"initial", "given"};
    for (size_t i = 0; i < 2; i++) {
        if (origin != NULL && strcmp(origin, own[i]) == 0) {
            return own[i];
        }
    }
    return sonde__inference_name(sonde_agent_settings(agent)->inference);
}

static sonde_status unreachable(sonde_error *error) {
    return sonde__fail(error, SONDE_BAD_ARGUMENT,
                       "belief: has joint states that cannot be reached from where the model "
                       "begins, which closed loop does not list; let the model's D have them");
}

/* Puts back what closed loop believes. */
static sonde_status recall(sonde__closed *closed, const sonde_agent_memory *memory,
                           sonde_error *error) {
    if (memory->joint == NULL && !sonde__closed_believe(closed, memory->belief)) {
        return unreachable(error);
    }
    if (memory->joint != NULL && !sonde__closed_recall(closed, memory->n_joint, memory->joint)) {
        return sonde__fail(error, SONDE_BAD_ARGUMENT,
                           "memory: expected probabilities of the joint states of this model that "
                           "sum to 1");
    }
    sonde__closed_resume(closed, memory->n_taken, memory->last);
    return SONDE_OK;
}

sonde_status sonde_agent_memory_set(sonde_agent *agent, const sonde_agent_memory *memory,
                                    sonde_error *error) {
    const sonde_model *model = sonde_agent_policies(agent)->model;
    const size_t size = (size_t)model->n_belief * sizeof *memory->belief;
    if (!sonde__belief_is(model, memory->belief) || !sonde__belief_is(model, memory->prior)) {
        return sonde__fail(error, SONDE_BAD_ARGUMENT,
                           "memory: expected probabilities of each factor that sum to 1");
    }
    if (memory->n_followed != 0) {
        return sonde__fail(error, SONDE_BAD_ARGUMENT,
                           "memory: the agent has followed a plan for %d of its steps, and plans "
                           "cannot be handed over; wait until it searches again",
                           memory->n_followed);
    }
    if (memory->last < -1 || memory->last >= model->n_action || memory->n_taken < 0) {
        return sonde__fail(error, SONDE_BAD_ARGUMENT,
                           "memory: expected an action of this model, or -1, after a number of "
                           "steps, found action %d after %d",
                           memory->last, memory->n_taken);
    }
    sonde__learner *learner = agent->learner;
    if (memory->n_learned != (learner != NULL ? learner->n_packed : 0)) {
        return sonde__fail(
            error, SONDE_BAD_ARGUMENT,
            "memory: expected one of an agent that learns as this does, found another; "
            "let both learn with the same settings");
    }
    sonde__closed *closed = sonde__planner_closed(agent->planner);
    sonde_status status = SONDE_OK;
    if (learner != NULL) {
        status = sonde__learner_check_packed(learner, memory->n_learned, memory->learned, error);
    }
    if (status == SONDE_OK && closed != NULL) {
        status = recall(closed, memory, error);
    }
    if (status != SONDE_OK) {
        return status;
    }
    if (learner != NULL) {
        sonde__learner_unpack(learner, memory->learned);
    }
    /* they may be the agent's own */
    turn_page(agent);
    memmove(agent->belief, memory->belief, size);
    memmove(agent->prior, memory->prior, size);
    sonde__planner_drop(agent->planner);
    agent->origin = origin_of(agent, memory->origin);
    agent->energy = memory->energy;
    agent->evidence = memory->evidence;
    agent->number = memory->number;
    agent->choice = -1;
    agent->last = memory->last;
    agent->decided = false;
    return SONDE_OK;
}

/* Whether what is seen can be learned from. */
static sonde_status check_learning(const sonde_agent *agent, const int32_t *outcome,
                                   sonde_error *error) {
    for (int32_t m = 0; m < agent->policies->model->n_modality; m++) {
        if (outcome[m] == SONDE_SOFT && sonde__learner_array(agent->learner, SONDE_A, m) != NULL) {
            return sonde__fail(error, SONDE_BAD_ARGUMENT,
                               "modality %d: expected an outcome, or none, that A can be learned "
                               "from, found weights",
                               m);
        }
    }
    return sonde__learner_check_step(agent->learner, error);
}

/* What is believed after this was seen; what depends on the action says nothing before the
 * first. */
static sonde_energy take_in(sonde_agent *agent, const sonde_observation *seen) {
    const sonde_model *model = agent->policies->model;
    int32_t outcome[SONDE_FACTORS_MAX];
    if (!sonde__model_shows_actions(model)) {
        return sonde__belief_observe(model, seen, agent->prior, agent->belief, agent->scratch);
    }
    for (int32_t m = 0; m < model->n_modality; m++) {
        const bool says = model->modality[m].n_action == 1 || agent->last >= 0;
        outcome[m] = says ? seen->outcome[m] : SONDE_MISSING;
    }
    const sonde_observation known = {outcome, seen->weight, seen->inference};
    const sonde__manner manner = {.action = agent->last >= 0 ? agent->last : 0};
    return sonde__belief_infer_after(model, &known, manner, agent->prior, agent->belief,
                                     agent->scratch);
}

sonde_status sonde_agent_observe_soft(sonde_agent *agent, const int32_t *outcome,
                                      const double *weight, sonde_error *error) {
    const sonde_model *model = sonde_agent_policies(agent)->model;
    const sonde_observation seen = {outcome, weight, sonde_agent_settings(agent)->inference};
    sonde_status status = sonde__observation_check(model, &seen, error);
    if (status == SONDE_OK && agent->learner != NULL) {
        status = check_learning(agent, outcome, error);
    }
    if (status != SONDE_OK) {
        return status;
    }
    sonde__closed *closed = sonde__planner_closed(agent->planner);
    turn_page(agent);
    if (closed != NULL) {
        agent->energy = sonde__closed_see(closed, &seen);
        sonde__closed_marginals(closed, agent->belief);
    } else {
        agent->energy = take_in(agent, &seen);
    }
    agent->energy.log_evidence += agent->evidence;
    agent->origin = closed != NULL ? "exact" : sonde__inference_name(seen.inference);
    sonde__planner_see(agent->planner, outcome);
    agent->decided = false;
    if (agent->learner != NULL) {
        sonde__learner_see(agent->learner, outcome, agent->belief);
    }
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
    sonde__closed *closed = sonde__planner_closed(agent->planner);
    if (closed != NULL && !sonde__closed_believe(closed, belief)) {
        return unreachable(error);
    }
    /* it may be the agent's own */
    turn_page(agent);
    memmove(agent->belief, belief, size);
    memcpy(agent->prior, agent->belief, size);
    sonde__planner_drop(agent->planner);
    agent->energy = (sonde_energy){.log_evidence = agent->evidence};
    agent->last = -1;
    agent->origin = "given";
    agent->decided = false;
    return SONDE_OK;
}

static sonde_decision *decision_of(const sonde_agent *agent) {
    return sonde__planner_decision(agent->planner);
}

sonde_status sonde_agent_score(sonde_agent *agent, int32_t n, const uint64_t *policy, double *efe,
                               sonde_error *error) {
    const int32_t origin = sonde_policies_origin(agent->policies, agent->belief);
    const sonde_present now = sonde__present_of(agent->policies, origin, agent->belief);
    const sonde__picked picked = {.origin = origin, .n = n, .policy = policy};
    if (n < 0) {
        return sonde__fail(error, SONDE_BAD_ARGUMENT, "policies: expected 0 or more, found %d", n);
    }
    return sonde__planner_score(agent->planner, now, &picked, efe, error);
}

sonde_status sonde_agent_search(sonde_agent *agent, const sonde_decision **decision,
                                sonde_error *error) {
    const sonde_policies *policies = agent->policies;
    const int32_t origin = sonde_policies_origin(policies, agent->belief);
    const sonde_present now = sonde__present_of(policies, origin, agent->belief);
    const sonde__moment moment = {.number = agent->number, .surprise = agent->energy.surprise};
    agent->choice = -1;
    agent->kept_present = true;
    const sonde_status status = sonde__planner_decide(agent->planner, now, origin, moment, error);
    agent->decided = status == SONDE_OK;
    if (status != SONDE_OK) {
        return status;
    }
    sonde_decision *made = decision_of(agent);
    if (agent->learner != NULL && made->n_followed == 0) {
        if (agent->learner->chosen != NULL && agent->watch.n > 0) {
            sonde__planner_chances(agent->planner, agent->learner->chosen);
        }
        sonde__learner_decide(agent->learner);
    }
    made->certificate.belief = now.state < 0 ? agent->origin : NULL; /* or it is known */
    *decision = made;
    return SONDE_OK;
}

sonde_status sonde_agent_follow(sonde_agent *agent, int32_t n, sonde_followed *followed,
                                sonde_error *error) {
    sonde__closed *closed = sonde__planner_closed(agent->planner);
    if (closed == NULL) {
        return sonde__fail(error, SONDE_BAD_ARGUMENT,
                           "follow: is of plans that wait for what they see; choose loop closed");
    }
    if (!agent->decided) {
        return sonde__fail(error, SONDE_BAD_ARGUMENT,
                           "follow: nothing has been decided from what the agent believes now; "
                           "search first");
    }
    return sonde__closed_follow(closed, n, followed, error);
}

int32_t sonde_agent_choice(sonde_agent *agent) {
    if (agent->choice < 0 && decision_of(agent)->n_action > 0) {
        sonde__rng rng =
            sonde__rng_stream(sonde_agent_settings(agent)->seed, SONDE__FOR_ACTION, agent->number);
        agent->choice = sonde__planner_draw(agent->planner, &rng);
    }
    return agent->choice;
}

const sonde_plan_graph *sonde_agent_plan(sonde_agent *agent, int32_t action) {
    return agent->decided ? sonde__planner_plan(agent->planner, action) : NULL;
}

/* An action is taken, whoever chose it: what is due is learned, then what comes is predicted. */
static void take(sonde_agent *agent, int32_t action) {
    agent->choice = -1;
    if (agent->learner != NULL) {
        sonde__learner_act(agent->learner, action, agent->belief);
    }
    sonde__closed *closed = sonde__planner_closed(agent->planner);
    if (closed != NULL) {
        sonde__closed_take(closed, action);
        sonde__closed_marginals(closed, agent->prior);
    } else {
        sonde__belief_next(sonde_agent_policies(agent)->model, action, agent->belief, agent->prior);
    }
    agent->evidence = agent->energy.log_evidence;
    agent->last = action;
    agent->number++;
}

int32_t sonde_agent_act(sonde_agent *agent) {
    const int32_t action = sonde_agent_choice(agent);
    if (action < 0) {
        return -1; /* there is nothing to choose from yet */
    }
    sonde__planner_take(agent->planner, action);
    take(agent, action);
    return action;
}

sonde_status sonde_agent_take(sonde_agent *agent, int32_t action, sonde_error *error) {
    const int32_t n = agent->policies->model->n_action;
    if (action < 0 || action >= n) {
        return sonde__fail(error, SONDE_BAD_ARGUMENT,
                           "action: expected a number from 0 to %d, found %d", n - 1, action);
    }
    if (agent->learner != NULL && agent->watch.n > 0 && !agent->decided) {
        return sonde__fail(error, SONDE_BAD_ARGUMENT,
                           "action: %s is learned from each decision, and none has been made from "
                           "what the agent believes now; search first",
                           agent->watch.expected ? "gamma" : "E");
    }
    sonde__planner_drop(agent->planner);
    agent->decided = false;
    take(agent, action);
    return SONDE_OK;
}

void sonde__agent_stand(sonde_agent *agent) {
    const int32_t n = agent->policies->model->n_modality;
    int32_t nothing[SONDE_FACTORS_MAX];
    for (int32_t m = 0; m < n; m++) {
        nothing[m] = SONDE_MISSING;
    }
    if (agent->learner != NULL) {
        sonde__learner_see(agent->learner, nothing, agent->belief);
    }
}

void sonde__agent_drift(sonde_agent *agent, const double *p) {
    const sonde_model *model = agent->policies->model;
    double *next = agent->present; /* no decision is looked at any more */
    sonde__planner_drop(agent->planner);
    agent->decided = false;
    agent->choice = -1;
    if (agent->learner != NULL) {
        sonde__learner_drift(agent->learner, p, agent->belief);
    }
    memset(agent->prior, 0, (size_t)model->n_belief * sizeof *agent->prior);
    for (int32_t f = 0; f < model->n_factor; f++) {
        const sonde_factor *factor = &model->factor[f];
        int32_t tuple[SONDE_FACTORS_MAX] = {0};
        for (int32_t u = 0; u < factor->n_action; u++) {
            tuple[f] = u;
            sonde__belief_next(model, sonde__model_from_tuple(model, tuple), agent->belief, next);
            for (int32_t s = factor->first; s < factor->first + factor->n_state; s++) {
                agent->prior[s] += p[u] * next[s];
            }
        }
        p += factor->n_action;
    }
    agent->evidence = agent->energy.log_evidence;
    agent->number++;
}

sonde_status sonde_agent_explain(sonde_agent *agent, sonde_explanation **explanation,
                                 sonde_error *error) {
    const int32_t n_followed = decision_of(agent)->n_followed;
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
    return sonde__planner_explain(agent->planner, explanation, error);
}

sonde_status sonde_agent_vectors_write(const sonde_agent *agent, sonde_policy_format format,
                                       sonde_text *text, sonde_error *error) {
    sonde__closed *closed = sonde__planner_closed(agent->planner);
    return closed != NULL ? sonde__closed_save(closed, format == SONDE_POLICY_XML, text, error)
                          : sonde__fail(error, SONDE_BAD_ARGUMENT,
                                        "policy: is of closed loop without a horizon; choose loop "
                                        "closed and horizon inf");
}

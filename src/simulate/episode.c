/* episode.c: an agent in its world, and whether it did well.
 *
 * sonde_simulate is the whole method in one loop. A run is optimal when the first visit to the
 * destination came by a path as short as Dijkstra's, and the agent stayed there ever after. */
#include <math.h>
#include <string.h>

#include "agent/agent.h"
#include "base/memory.h"
#include "base/status.h"
#include "base/rng.h"
#include "policy/policy.h"
#include "simulate/process.h"

const char *sonde_failure_name(int32_t failure) {
    static const char *const name[] = {"none",   "stayed",        "never arrived",
                                       "detour", "left the goal", NULL};
    return name[failure >= 0 && failure < 5 ? failure : 5];
}

typedef struct {
    sonde_episode episode;      /* first: a pointer to it is a pointer to the block */
    const sonde_model *process; /* general models: the world */
    int32_t *state;
    int32_t *outcome;
    int32_t *action;
    double *belief;
    sonde_energy *energy;
    int32_t *n_followed;
    double *p;
    sonde_evaluations *evaluations;
    double *distance; /* (n_node) scratch */
    int32_t *walk;    /* (T + 1) scratch */
} build;

static int32_t n_factor_of(const sonde_model *model) {
    return model->graph != NULL ? 1 : model->n_factor;
}

static build *carve(sonde__arena *arena, const sonde_model *model, int32_t n_step) {
    const uint64_t n = (uint64_t)n_step;
    build *b = SONDE__TAKE(arena, build, 1);
    build none;
    build *to = b != NULL ? b : &none;
    to->state = SONDE__TAKE(arena, int32_t, (n + 1) * (uint64_t)n_factor_of(model));
    to->outcome = SONDE__TAKE(arena, int32_t, n * (uint64_t)model->n_modality);
    to->action = SONDE__TAKE(arena, int32_t, n);
    to->belief = SONDE__TAKE(arena, double, n *(uint64_t)model->n_belief);
    to->energy = SONDE__TAKE(arena, sonde_energy, n);
    to->n_followed = SONDE__TAKE(arena, int32_t, n);
    to->p = SONDE__TAKE(arena, double, n_step);
    to->evaluations = SONDE__TAKE(arena, sonde_evaluations, n_step);
    to->distance = SONDE__TAKE(arena, double, model->graph != NULL ? model->graph->n_node : 0);
    to->walk = SONDE__TAKE(arena, int32_t, (uint64_t)model->horizon + 1);
    return b;
}

/* The posterior probability of the action that was taken. */
static double probability_of(const sonde_decision *decision, int32_t action) {
    for (int32_t i = 0; i < decision->n_action; i++) {
        if (decision->action[i] == action) {
            return decision->posterior[i];
        }
    }
    return 0.0;
}

/* The first step on the destination, or -1; whether the agent left it later goes to `left`. */
static int32_t first_arrival(const sonde_graph *graph, const sonde_episode *episode, bool *left) {
    int32_t reached = -1;
    for (int32_t t = 0; t <= episode->n_step; t++) {
        const bool there = graph->head[episode->state[t]] == graph->destination;
        reached = there && reached < 0 ? t : reached;
        *left = *left || (reached >= 0 && !there);
    }
    return reached;
}

static bool moved(const sonde_graph *graph, const sonde_episode *episode) {
    for (int32_t t = 1; t <= episode->n_step; t++) {
        if (graph->head[episode->state[t]] != graph->head[episode->state[0]]) {
            return true;
        }
    }
    return false;
}

static void judge(const sonde_graph *graph, sonde_episode *episode) {
    bool left = false;
    episode->reached = first_arrival(graph, episode, &left);
    const int32_t until = episode->reached >= 0 ? episode->reached : episode->n_step;
    for (int32_t t = 1; t <= until; t++) {
        episode->walked += graph->weight[episode->state[t]];
    }
    const double slack = 1e-9 * fabs(episode->shortest);
    if (episode->reached < 0) {
        episode->failure = moved(graph, episode) ? SONDE_FAILURE_NEVER : SONDE_FAILURE_STAYED;
    } else if (left) {
        episode->failure = SONDE_FAILURE_LEFT;
    } else if (episode->walked > episode->shortest + slack) {
        episode->failure = SONDE_FAILURE_DETOUR;
    }
    episode->optimal = episode->failure == SONDE_FAILURE_NONE;
}

/* How many clusters the first decision had, and representatives that were valid where it began. */
static void count_valid(const sonde_agent *agent, const sonde_decision *decision, build *b) {
    b->episode.k = decision->clusters->k;
    for (int32_t c = 0; c < decision->clusters->k; c++) {
        const int32_t policy = decision->clusters->representative[c];
        if (policy >= 0) {
            sonde__policies_get(sonde_agent_policies(agent), decision->probe_origin,
                                sonde_clusters_policy(decision->clusters, policy), b->walk);
            b->episode.n_valid += b->walk[0] == decision->state;
        }
    }
}

/* The world as it begins. */
static void begin_world(const sonde_agent *agent, build *b) {
    const sonde_model *model = sonde_agent_policies(agent)->model;
    if (model->graph != NULL) {
        b->state[0] = model->graph->start;
        return;
    }
    sonde__rng rng = sonde__rng_stream(sonde_agent_settings(agent)->seed, SONDE__FOR_PROCESS, 0);
    sonde__process_start(b->process, &rng, b->state);
}

/* What the world shows at step t. */
static const int32_t *show_world(const sonde_agent *agent, build *b, int32_t t) {
    const sonde_model *model = sonde_agent_policies(agent)->model;
    int32_t *outcome = b->outcome + (int64_t)t * model->n_modality;
    if (model->graph != NULL) {
        outcome[0] = b->state[t];
        return outcome;
    }
    const uint64_t stream = 2 * (uint64_t)t + 1;
    sonde__rng rng =
        sonde__rng_stream(sonde_agent_settings(agent)->seed, SONDE__FOR_PROCESS, stream);
    sonde__process_show(b->process, b->state + (int64_t)t * model->n_factor, &rng, outcome);
    return outcome;
}

/* What the world makes of the action of step t. */
static void move_world(const sonde_agent *agent, build *b, int32_t t) {
    const sonde_model *model = sonde_agent_policies(agent)->model;
    if (model->graph != NULL) {
        b->state[t + 1] = sonde_model_next(model, b->state[t], b->action[t]);
        return;
    }
    const uint64_t stream = 2 * (uint64_t)t + 2;
    sonde__rng rng =
        sonde__rng_stream(sonde_agent_settings(agent)->seed, SONDE__FOR_PROCESS, stream);
    const int32_t *state = b->state + (int64_t)t * model->n_factor;
    sonde__process_move(b->process, state, b->action[t], &rng,
                        b->state + (int64_t)(t + 1) * model->n_factor);
}

/* One round of observing, searching and acting; the world answers with its next state. */
static sonde_status step(sonde_agent *agent, build *b, int32_t t) {
    const sonde_model *model = sonde_agent_policies(agent)->model;
    const sonde_decision *decision = NULL;
    sonde_status status = sonde_agent_observe(agent, show_world(agent, b, t), NULL);
    if (status != SONDE_OK) {
        return status;
    }
    b->energy[t] = sonde_agent_energy(agent);
    memcpy(b->belief + (int64_t)t * model->n_belief, sonde_agent_belief(agent),
           (size_t)model->n_belief * sizeof(double));
    status = sonde_agent_search(agent, &decision, NULL);
    if (status != SONDE_OK) {
        return status;
    }
    b->action[t] = sonde_agent_act(agent);
    b->p[t] = probability_of(decision, b->action[t]);
    b->n_followed[t] = decision->n_followed;
    b->evaluations[t] = decision->evaluations;
    b->episode.seconds += decision->seconds - decision->setup_seconds;
    if (t == 0 && decision->clusters != NULL && model->graph != NULL) {
        count_valid(agent, decision, b);
    }
    move_world(agent, b, t);
    return SONDE_OK;
}

/* How far it is from the start to the destination of a graph world. */
static sonde_status find_shortest(const sonde_graph *graph, build *b, sonde_error *error) {
    const sonde_status status =
        sonde_graph_distances(graph, graph->head[graph->start], b->distance, error);
    if (status != SONDE_OK) {
        return sonde__fail(error, status, "distances: the system refused memory");
    }
    b->episode.shortest = b->distance[graph->destination];
    return SONDE_OK;
}

static sonde_status run(sonde_agent *agent, build *b, sonde_error *error) {
    const sonde_graph *graph = sonde_agent_policies(agent)->model->graph;
    sonde_status status = graph != NULL ? find_shortest(graph, b, error) : SONDE_OK;
    if (status != SONDE_OK) {
        return status;
    }
    sonde_agent_reset(agent);
    begin_world(agent, b);
    for (int32_t t = 0; t < b->episode.n_step; t++) {
        status = step(agent, b, t);
        if (status != SONDE_OK) {
            return sonde__fail(error, status, "step %d: %s", t, sonde_status_sentence(status));
        }
    }
    b->episode.setup = sonde_agent_setup(agent);
    if (graph != NULL) {
        judge(graph, &b->episode);
    }
    return SONDE_OK;
}

static sonde_status simulate(sonde_agent *agent, const sonde_model *process, int32_t n_step,
                             sonde_episode **episode, sonde_error *error) {
    const sonde_model *model = sonde_agent_policies(agent)->model;
    if (n_step < 1) {
        return sonde__fail(error, SONDE_BAD_ARGUMENT, "steps: expected 1 or more, found %d",
                           n_step);
    }
    sonde__arena arena = {0};
    (void)carve(&arena, model, n_step);
    const sonde_status fits = sonde__check_memory(sonde__agent_run(agent), arena.used, "simulation",
                                                  "simulate fewer steps, or allow more", error);
    if (fits != SONDE_OK) {
        return fits;
    }
    if (!sonde__arena_reserve(&arena)) {
        return sonde__fail_memory(error, "simulation", arena.used);
    }
    build *b = carve(&arena, model, n_step);
    b->process = process;
    b->episode = (sonde_episode){
        .n_step = n_step,
        .n_state = model->n_belief,
        .n_factor = n_factor_of(model),
        .n_modality = model->n_modality,
        .reached = -1,
        .state = b->state,
        .outcome = b->outcome,
        .action = b->action,
        .belief = b->belief,
        .energy = b->energy,
        .n_followed = b->n_followed,
        .p = b->p,
        .evaluations = b->evaluations,
    };
    const sonde_status status = run(agent, b, error);
    if (status != SONDE_OK) {
        sonde__arena_free(&arena);
        return status;
    }
    *episode = &b->episode;
    return SONDE_OK;
}

sonde_status sonde_simulate(sonde_agent *agent, const sonde_model *process, int32_t n_step,
                            sonde_episode **episode, sonde_error *error) {
    const sonde_model *model = sonde_agent_policies(agent)->model;
    if (process == NULL) {
        return simulate(agent, model, n_step, episode, error);
    }
    const sonde_status status = sonde__process_check(process, model, error);
    return status == SONDE_OK ? simulate(agent, process, n_step, episode, error) : status;
}

void sonde_episode_free(sonde_episode *episode) {
    sonde__free(episode);
}

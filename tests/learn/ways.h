/* ways.h: ways to live and learn: searches and plans, forms of novelty, habits, precision, when and
 * from which beliefs, on random models that have counts of everything. */
#ifndef TESTS_LEARN_WAYS_H
#define TESTS_LEARN_WAYS_H

#include <jansson.h>

#include "counted.h"
#include "stages.h"

typedef enum { HABITS_NONE, HABITS_FIRST, HABITS_LISTED } habits;

typedef struct {
    uint64_t seed;
    int32_t horizon;
    sonde_loop loop;
    sonde_search_kind search;
    int32_t novelty;
    habits habits;
    sonde_precision gamma;
    sonde_learn_when when;
    sonde_learn_beliefs beliefs_D;
    bool smoothed;
    const char *embedding;
} way;

enum { WAY_STEPS = 12 };

/* ------------------------------------------------------------------------------------ models -- */

static inline json_t *draw_some_counts(sonde__rng *rng, int64_t n) {
    json_t *list = json_array();
    for (int64_t i = 0; i < n; i++) {
        json_array_append_new(list, json_real(draw_power(rng, -1.0, 2.0)));
    }
    return list;
}

/* Every third policy of a model, step by step and factor by factor. */
static inline json_t *list_some(const sonde_model *model, int32_t horizon) {
    json_t *policies = json_array();
    int64_t n = 1;
    for (int32_t t = 0; t < horizon; t++) {
        n *= model->n_action;
    }
    for (int64_t i = 0; i < n; i += 3) {
        json_t *policy = json_array();
        int64_t left = i;
        for (int32_t t = 0; t < horizon; t++) {
            int32_t tuple[SONDE_FACTORS_MAX];
            json_t *step = json_array();
            (void)sonde_model_tuple(model, (int32_t)(left % model->n_action), tuple);
            for (int32_t f = 0; f < model->n_factor; f++) {
                json_array_append_new(step, json_integer(tuple[f]));
            }
            json_array_append_new(policy, step);
            left /= model->n_action;
        }
        json_array_append_new(policies, policy);
    }
    return policies;
}

/* A random model with counts of A, B, C and D, and of E where habits are wanted. */
static inline sonde_model *model_in(const way *w) {
    sonde_model *model = draw_counted(w->seed, w->horizon);
    sonde__rng rng = sonde__rng_stream(w->seed, SONDE__FOR_PROBE, 12);
    sonde_text text = {0};
    assert_int_equal(sonde_model_write(model, &text, NULL), SONDE_OK);
    json_t *root = json_loads(text.data, 0, NULL);
    json_t *counts = json_object_get(root, "counts");
    json_t *C = json_array();
    json_t *D = json_array();
    for (int32_t m = 0; m < model->n_modality; m++) {
        json_array_append_new(C, draw_some_counts(&rng, model->modality[m].n_outcome));
    }
    for (int32_t f = 0; f < model->n_factor; f++) {
        json_array_append_new(D, draw_some_counts(&rng, model->factor[f].n_state));
    }
    json_object_set_new(counts, "C", C);
    json_object_set_new(counts, "D", D);
    json_object_del(root, "C");
    json_object_del(root, "D");
    json_object_set_new(root, "preferences", json_string("log"));
    if (w->habits == HABITS_LISTED) {
        json_t *policies = list_some(model, w->horizon);
        json_object_set_new(counts, "E",
                            draw_some_counts(&rng, (int64_t)json_array_size(policies)));
        json_object_set_new(root, "policies", policies);
    } else if (w->habits == HABITS_FIRST) {
        json_object_set_new(counts, "E", draw_some_counts(&rng, model->n_action));
    }
    char *made = json_dumps(root, JSON_REAL_PRECISION(17));
    sonde_model *with = model_of(made);
    free(made);
    json_decref(root);
    sonde_text_free(&text);
    sonde_model_free(model);
    return with;
}

/* ------------------------------------------------------------------------------------ agents -- */

static inline sonde_agent *agent_in(const way *w, const sonde_policies *policies,
                                    int32_t n_thread) {
    const sonde_run run = threads(n_thread);
    sonde_search_settings settings = sonde_search_defaults();
    sonde_learn_settings learn = sonde_learn_defaults();
    sonde_agent *agent = NULL;
    sonde_error error = {0};
    settings.loop = w->loop;
    settings.search = w->search;
    settings.seed = w->seed;
    settings.embed.kind = sonde_name_find(sonde_embedding_name, w->embedding);
    settings.cluster.n_restart = 2;
    settings.weights.novelty = w->novelty;
    learn.when = w->when;
    learn.beliefs = w->smoothed ? SONDE_BELIEFS_SMOOTHED : SONDE_BELIEFS_FILTERED;
    learn.beliefs_D = w->beliefs_D;
    learn.gamma = w->gamma;
    learn.steps = WAY_STEPS;
    learn.omega = 0.05;
    learn.decay = 0.1;
    if (sonde_agent_new(policies, &settings, &run, &agent, &error) != SONDE_OK ||
        sonde_agent_learn(agent, &learn, &error) != SONDE_OK) {
        fail_msg("%s", error.text);
    }
    return agent;
}

/* A model, its policies and an agent. */
typedef struct {
    sonde_model *model;
    sonde_policies *policies;
    sonde_agent *agent;
} liver;

static inline liver liver_in(const way *w, int32_t n_thread) {
    liver l = {.model = model_in(w)};
    assert_int_equal(sonde_policies_count(l.model, 0, NULL, &l.policies, NULL), SONDE_OK);
    l.agent = agent_in(w, l.policies, n_thread);
    return l;
}

static inline void liver_free(liver *l) {
    sonde_agent_free(l->agent);
    sonde_policies_free(l->policies);
    sonde_model_free(l->model);
}

/* ------------------------------------------------------------------------------------- lives -- */

/* numbers that a life leaves behind */
enum { FOUND_MAX = 1 << 16 };
typedef struct {
    int64_t n;
    double value[FOUND_MAX];
} found;

static inline void find(found *all, int64_t n, const double *value) {
    for (int64_t i = 0; i < n && all->n < FOUND_MAX; i++) {
        all->value[all->n++] = value[i];
    }
}

/* Steps `first` to `end` of the outcomes that a seed draws: observe, search, act, learn, and end
 * episodes; what was decided after each, and everything that has been learned at last. */
static inline sonde_status live(const liver *l, uint64_t seed, int32_t first, int32_t end,
                                found *all) {
    sonde_status status = SONDE_OK;
    for (int32_t t = first; t < end && status == SONDE_OK; t++) {
        sonde__rng rng = sonde__rng_stream(seed, SONDE__FOR_PROBE, 100 + (uint64_t)t);
        const sonde_decision *decision = NULL;
        int32_t outcome[SONDE_FACTORS_MAX];
        for (int32_t m = 0; m < l->model->n_modality; m++) {
            outcome[m] = draw_chance(&rng, 0.1) ? SONDE_MISSING
                                                : draw_below(&rng, l->model->modality[m].n_outcome);
        }
        status = sonde_agent_observe(l->agent, outcome, NULL);
        status = status == SONDE_OK ? sonde_agent_search(l->agent, &decision, NULL) : status;
        if (status == SONDE_OK) {
            find(all, decision->n_action, decision->posterior);
            find(all, 1, &decision->gamma);
            find(all, 1, &(double){(double)sonde_agent_act(l->agent)});
        }
        if (t % WAY_STEPS == WAY_STEPS - 1) {
            sonde_agent_end(l->agent);
        }
    }
    const sonde_agent_memory memory = sonde_agent_memory_get(l->agent);
    find(all, memory.n_learned, memory.learned);
    find(all, l->model->n_belief, memory.belief);
    return status;
}

/* ---------------------------------------------------------------------------------- the list -- */

/* Way number i, or false after the last. The first ones have so many policies that threads share
 * them. */
static inline bool way_number(int32_t i, way *w) {
    static const sonde_search_kind open[] = {
        SONDE_SEARCH_FULL,      SONDE_SEARCH_BOUNDED, SONDE_SEARCH_CLUSTER, SONDE_SEARCH_TREE,
        SONDE_SEARCH_SURROGATE, SONDE_SEARCH_RANDOM,  SONDE_SEARCH_BEAM};
    static const sonde_search_kind closed[] = {
        SONDE_SEARCH_FULL,  SONDE_SEARCH_BOUNDED, SONDE_SEARCH_AUTO, SONDE_SEARCH_PRUNED,
        SONDE_SEARCH_DPEFE, SONDE_SEARCH_QMDP,    SONDE_SEARCH_UCT};
    static const char *const embedding[] = {"value", "occupancy", "boa"};
    enum { N_LARGE = 15, N_OPEN = 105, N_CLOSED = 21 };
    if (i >= N_LARGE + N_OPEN + N_CLOSED) {
        return false;
    }
    *w = (way){.seed = (uint64_t)i + 1,
               .horizon = i < N_LARGE ? 7 : 3,
               .search = i < N_LARGE ? SONDE_SEARCH_FULL : open[(i - N_LARGE) % 7],
               .novelty = i < N_LARGE ? i % 5 : (i - N_LARGE) / 7 % 5,
               .habits = (habits)(i / 5 % 3),
               .gamma = SONDE_PRECISION_FIXED,
               .when = (sonde_learn_when)(i / 2 % 3),
               .beliefs_D = (sonde_learn_beliefs)(i % 3),
               .embedding = embedding[i % 3]};
    if (w->horizon > 3 && w->habits == HABITS_LISTED) {
        w->horizon = 5;
    }
    if (i >= N_LARGE + N_OPEN) {
        w->loop = SONDE_LOOP_CLOSED;
        w->horizon = 2;
        w->search = closed[(i - N_LARGE - N_OPEN) % 7];
        w->novelty = SONDE_NOVELTY_NONE;
        w->habits = HABITS_NONE;
    }
    w->gamma = w->loop == SONDE_LOOP_OPEN && w->search == SONDE_SEARCH_FULL && i % 2 == 0
                   ? SONDE_PRECISION_EXPECTED
                   : SONDE_PRECISION_FIXED;
    w->smoothed = w->when == SONDE_LEARN_EPISODE && i % 4 < 3;
    return true;
}

#endif

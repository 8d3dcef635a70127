/* bench_learn.c: a step of an agent that learns A, beside the same step of one that does not: observe,
 * decide among all policies, take the recorded action, learn; and one that learns the map of a grid of
 * 7 x 7 cells, with certified search.
 *
 *     bench_learn [FILE]   a recorded task, tests/data/learning/bench-tmaze.json.gz unless given */
#include <jansson.h>
#include <string.h>

#include "base/json.h"
#include "base/memory.h"
#include "bench.h"

/* a task, and an agent that lives it */
typedef struct {
    sonde_model *model;
    sonde_policies *policies;
    sonde_agent *agent;
    int32_t n_episode;
    int32_t n_step;   /* of an episode */
    int32_t *outcome; /* (n_episode, n_step, n_modality) */
    int32_t *action;  /* (n_episode, n_step) */
    double sum;       /* so that nothing is left out */
} task;

static int64_t at(const json_t *list, size_t i, size_t j, size_t k) {
    return json_integer_value(json_array_get(json_array_get(json_array_get(list, i), j), k));
}

static task task_read(const char *path) {
    task t = {0};
    char *data = NULL;
    size_t size = 0;
    sonde_error error = {0};
    bench_need(sonde__json_slurp(path, &data, &size, &error), &error);
    json_t *root = json_loadb(data, size, 0, NULL);
    char *text = json_dumps(json_object_get(root, "model"), JSON_REAL_PRECISION(17));
    const json_t *seen = json_object_get(root, "outcomes");
    const json_t *done = json_object_get(root, "actions");
    const sonde_source source = {path, text, strlen(text)};
    bench_need(sonde_model_read(&source, NULL, NULL, &t.model, &error), &error);
    bench_need(sonde_policies_count(t.model, 0, NULL, &t.policies, &error), &error);
    t.n_episode = (int32_t)json_array_size(seen);
    t.n_step = (int32_t)json_array_size(json_array_get(seen, 0));
    const size_t n = (size_t)t.n_episode * (size_t)t.n_step;
    t.outcome = sonde__alloc(n * (size_t)t.model->n_modality * sizeof *t.outcome);
    t.action = sonde__alloc(n * sizeof *t.action);
    for (size_t i = 0; i < n; i++) {
        const size_t e = i / (size_t)t.n_step;
        const size_t s = i % (size_t)t.n_step;
        int32_t tuple[SONDE_FACTORS_MAX];
        for (int32_t m = 0; m < t.model->n_modality; m++) {
            t.outcome[i * (size_t)t.model->n_modality + (size_t)m] =
                (int32_t)at(seen, e, s, (size_t)m);
        }
        for (int32_t f = 0; f < t.model->n_factor; f++) {
            tuple[f] = (int32_t)at(done, e, s, (size_t)f);
        }
        t.action[i] = sonde_model_from_tuple(t.model, tuple);
    }
    free(text);
    json_decref(root);
    sonde__free(data);
    return t;
}

/* All episodes once, from the counts of the file. */
static void live(void *context) {
    task *t = context;
    const int32_t *outcome = t->outcome;
    const int32_t *action = t->action;
    sonde_agent_forget(t->agent);
    for (int32_t e = 0; e < t->n_episode; e++) {
        for (int32_t s = 0; s < t->n_step; s++) {
            const sonde_decision *decision = NULL;
            (void)sonde_agent_observe(t->agent, outcome, NULL);
            (void)sonde_agent_search(t->agent, &decision, NULL);
            t->sum += decision->posterior[*action];
            (void)sonde_agent_take(t->agent, *action++, NULL);
            outcome += t->model->n_modality;
        }
        sonde_agent_end(t->agent);
    }
}

static void measure(task *t, const char *name, int32_t novelty, bool learns) {
    sonde_search_settings settings = sonde_search_defaults();
    sonde_learn_settings learn = sonde_learn_defaults();
    sonde_run run = sonde_run_defaults();
    sonde_error error = {0};
    settings.search = SONDE_SEARCH_FULL;
    settings.weights.novelty = novelty;
    learn.eta[SONDE_A] = 0.5;
    learn.until = learns ? learn.until : 0;
    run.n_thread = 1;
    bench_need(sonde_agent_new(t->policies, &settings, &run, &t->agent, &error), &error);
    bench_need(sonde_agent_learn(t->agent, &learn, &error), &error);
    const double seconds = bench_least(bench_spent, live, t);
    bench_row(1e6 * seconds / (t->n_episode * t->n_step), "us", "learn.step.%s", name);
    sonde_agent_free(t->agent);
}

/* -------------------------------------------------------------------------------------- grid -- */

enum { SIDE = 7, N_CELL = SIDE * SIDE, N_MOVE = 5, N_GRID_STEP = 40 };

/* Where a move leads. */
static int32_t moved(int32_t cell, int32_t u) {
    static const int32_t dx[] = {0, 0, 0, -1, 1};
    static const int32_t dy[] = {0, -1, 1, 0, 0};
    const int32_t x = cell % SIDE + dx[u];
    const int32_t y = cell / SIDE + dy[u];
    return x < 0 || x >= SIDE || y < 0 || y >= SIDE ? cell : y * SIDE + x;
}

/* A grid whose map is learned: each move has counts of where it leads, 4, and of all cells beside,
 * 0.05; cells are seen, and one is liked. */
static sonde_model *make_grid(void) {
    static const int64_t size_A[] = {N_CELL, N_CELL};
    static const int64_t size_B[] = {N_CELL, N_CELL, N_MOVE};
    static const int64_t size_one[] = {N_CELL};
    double *A = sonde__alloc(N_CELL * N_CELL * sizeof *A);
    double *counts = sonde__alloc(N_CELL * N_CELL * N_MOVE * sizeof *counts);
    double *C = sonde__alloc(N_CELL * sizeof *C);
    double *D = sonde__alloc(N_CELL * sizeof *D);
    for (int32_t s = 0; s < N_CELL; s++) {
        A[s * N_CELL + s] = 1.0;
        for (int32_t u = 0; u < N_MOVE; u++) {
            for (int32_t beside = 0; beside < N_MOVE; beside++) {
                counts[(moved(s, beside) * N_CELL + s) * N_MOVE + u] += 0.05;
            }
            counts[(moved(s, u) * N_CELL + s) * N_MOVE + u] += 4.0;
        }
    }
    C[N_CELL - 1] = 3.0;
    D[0] = 1.0;
    sonde_factor_parts factor = {.shape = {.n_state = N_CELL, .n_action = N_MOVE},
                                 .counts_B = {.n_axis = 3, .size = size_B, .value = counts},
                                 .D = {.n_axis = 1, .size = size_one, .value = D}};
    sonde_modality_parts modality = {.shape = {.n_outcome = N_CELL},
                                     .A = {.n_axis = 2, .size = size_A, .value = A},
                                     .C = {.n_axis = 1, .size = size_one, .value = C}};
    sonde_parts parts = sonde_parts_defaults();
    parts.n_factor = parts.n_modality = 1;
    parts.factor = &factor;
    parts.modality = &modality;
    parts.settings.horizon = 6;
    parts.settings.gamma = 4.0;
    sonde_model *model = NULL;
    sonde_error error = {0};
    bench_need(sonde_model_new(&parts, NULL, NULL, &model, &error), &error);
    sonde__free(A);
    sonde__free(counts);
    sonde__free(C);
    sonde__free(D);
    return model;
}

/* Steps along the diagonal and back, whatever is decided. */
static void walk_grid(void *context) {
    task *t = context;
    int32_t cell = 0;
    sonde_agent_forget(t->agent);
    sonde_agent_reset(t->agent);
    for (int32_t s = 0; s < N_GRID_STEP; s++) {
        const sonde_decision *decision = NULL;
        const int32_t there = s % 24 < 12;
        const int32_t u = there ? s % 2 == 0 ? 2 : 4 : s % 2 == 0 ? 1 : 3;
        (void)sonde_agent_observe(t->agent, &cell, NULL);
        (void)sonde_agent_search(t->agent, &decision, NULL);
        t->sum += decision->posterior[0];
        (void)sonde_agent_take(t->agent, u, NULL);
        cell = moved(cell, u);
    }
    sonde_agent_end(t->agent);
}

static void measure_grid(const char *name, int32_t novelty, bool learns) {
    task t = {.model = make_grid()};
    sonde_search_settings settings = sonde_search_defaults();
    sonde_learn_settings learn = sonde_learn_defaults();
    sonde_run run = sonde_run_defaults();
    sonde_error error = {0};
    settings.epsilon = 1e-3;
    settings.weights.novelty = novelty;
    learn.until = learns ? learn.until : 0;
    run.n_thread = 1;
    bench_need(sonde_policies_count(t.model, 0, NULL, &t.policies, &error), &error);
    bench_need(sonde_agent_new(t.policies, &settings, &run, &t.agent, &error), &error);
    bench_need(sonde_agent_learn(t.agent, &learn, &error), &error);
    bench_row(1e6 * bench_least(bench_spent, walk_grid, &t) / N_GRID_STEP, "us", "learn.grid7.%s",
              name);
    sonde_agent_free(t.agent);
    sonde_policies_free(t.policies);
    sonde_model_free(t.model);
}

int main(int argc, char **argv) {
    measure_grid("fixed", SONDE_NOVELTY_NONE, false);
    measure_grid("B", SONDE_NOVELTY_NONE, true);
    measure_grid("fixed.novelty", SONDE_NOVELTY_JOINT, false);
    measure_grid("B.novelty", SONDE_NOVELTY_JOINT, true);
    task t = task_read(argc > 1 ? argv[1] : "tests/data/learning/bench-tmaze.json.gz");
    measure(&t, "fixed", SONDE_NOVELTY_NONE, false);
    measure(&t, "A", SONDE_NOVELTY_NONE, true);
    measure(&t, "A.novelty", SONDE_NOVELTY_JOINT, true);
    sonde__free(t.outcome);
    sonde__free(t.action);
    sonde_policies_free(t.policies);
    sonde_model_free(t.model);
    return t.sum > 0.0 ? 0 : 1;
}

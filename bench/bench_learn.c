/* bench_learn.c: a step of an agent that learns A, beside the same step of one that does not: observe,
 * decide among all policies, take the recorded action, learn.
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

int main(int argc, char **argv) {
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

/* bench_fit.c: what a likelihood costs, and a fit of forty subjects.
 *
 *     bench_fit    on the recorded tasks of tests/data/learning
 *
 * A replay is all trials of one subject with one set of three parameters, learning of A included: the
 * log-likelihood alone, many sets in a call; and the same by an agent, which also says what it
 * thought. Two threads are timed by the clock on the wall: on a machine that does other things, too,
 * they come out worse than they are. */
#include <jansson.h>
#include <string.h>

#include "base/json.h"
#include "bench.h"
#include "sonde_fit.h"

enum { N_SET = 256 };

/* a table and its model */
typedef struct {
    sonde_model *model;
    sonde_data *data;
    sonde_replay_settings settings;
    sonde_parameters *parameters;
    sonde_likelihood *likelihood;
    sonde_run run;
    double theta[N_SET * 3];
    double *ll; /* (N_SET, n_subject) */
    sonde_fit_settings fit;
} task;

static int64_t whole(const json_t *value) {
    return json_integer_value(value);
}

/* Rows of recorded episodes of one subject. */
static void add_episodes(const json_t *root, const sonde_model *model, sonde_text *csv) {
    const json_t *seen = json_object_get(root, "outcomes");
    const json_t *done = json_object_get(root, "actions");
    sonde_text_add(csv, "subject,episode");
    for (int32_t m = 0; m < model->n_modality; m++) {
        sonde_text_add(csv, ",o%d", (int)m);
    }
    for (int32_t f = 0; f < model->n_factor; f++) {
        sonde_text_add(csv, ",u%d", (int)f);
    }
    for (size_t e = 0; e < json_array_size(seen); e++) {
        const json_t *steps = json_array_get(seen, e);
        for (size_t t = 0; t < json_array_size(steps); t++) {
            sonde_text_add(csv, "\n1,%d", (int)e);
            for (int32_t m = 0; m < model->n_modality; m++) {
                sonde_text_add(csv, ",%d",
                               (int)whole(json_array_get(json_array_get(steps, t), (size_t)m)));
            }
            const json_t *tuple = json_array_get(json_array_get(done, e), t);
            for (int32_t f = 0; f < model->n_factor; f++) {
                sonde_text_add(csv, ",%d", (int)whole(json_array_get(tuple, (size_t)f)));
            }
        }
    }
}

/* Rows of subjects that played a bandit. */
static void add_subjects(const json_t *root, sonde_text *csv) {
    const json_t *subjects = json_object_get(root, "subjects");
    sonde_text_add(csv, "subject,arm,reward");
    for (size_t s = 0; s < json_array_size(subjects); s++) {
        const json_t *arm = json_object_get(json_array_get(subjects, s), "arm");
        const json_t *reward = json_object_get(json_array_get(subjects, s), "reward");
        for (size_t t = 0; t < json_array_size(arm); t++) {
            sonde_text_add(csv, "\n%d,%d,%d", (int)s, (int)whole(json_array_get(arm, t)),
                           (int)whole(json_array_get(reward, t)));
        }
    }
}

static task task_read(const char *name) {
    task t = {.run = sonde_run_defaults()};
    char path[128];
    char *data = NULL;
    size_t size = 0;
    sonde_text csv = {0};
    sonde_error error = {0};
    (void)snprintf(path, sizeof path, "tests/data/learning/%s.json.gz", name);
    bench_need(sonde__json_slurp(path, &data, &size, &error), &error);
    json_t *root = json_loadb(data, size, 0, NULL);
    char *text = json_dumps(json_object_get(root, "model"), JSON_REAL_PRECISION(17));
    const sonde_source source = {path, text, strlen(text)};
    bench_need(sonde_model_read(&source, NULL, NULL, &t.model, &error), &error);
    const bool bandit = json_object_get(root, "subjects") != NULL;
    if (bandit) {
        add_subjects(root, &csv);
    } else {
        add_episodes(root, t.model, &csv);
    }
    sonde_text_add(&csv, "\n");
    const sonde_source table = {name, csv.data, csv.size};
    bench_need(sonde_data_read(&table, t.model, NULL, &t.data, &error), &error);
    t.settings = sonde_replay_defaults(t.model);
    t.settings.learns = true;
    t.settings.timing = bandit ? SONDE_TIMING_AFTER : SONDE_TIMING_BEFORE;
    t.settings.search.weights.novelty = bandit ? SONDE_NOVELTY_JOINT : SONDE_NOVELTY_NONE;
    char *free_text = json_dumps(json_object_get(root, "free"), JSON_REAL_PRECISION(17));
    const sonde_source listed = {name, free_text, free_text != NULL ? strlen(free_text) : 0};
    bench_need(sonde_parameters_read(&listed, bandit ? NULL : "gamma,scale of C[reward],eta_A",
                                     t.model, &t.parameters, &error),
               &error);
    free(free_text);
    free(text);
    json_decref(root);
    free(data);
    sonde_text_free(&csv);
    return t;
}

static void task_open(task *t) {
    sonde_error error = {0};
    bench_need(
        sonde_likelihood_new(&t->settings, t->data, t->parameters, NULL, &t->likelihood, &error),
        &error);
    t->ll = calloc((size_t)N_SET * (size_t)t->data->n_subject, sizeof *t->ll);
    for (int i = 0; i < N_SET; i++) { /* somewhere about the prior's mean */
        for (int p = 0; p < 3; p++) {
            t->theta[i * 3 + p] =
                t->parameters->parameter[p].mean + 0.001 * ((i * 7 + p * 3) % 199);
        }
    }
}

static void task_free(task *t) {
    sonde_likelihood_free(t->likelihood);
    sonde_parameters_free(t->parameters);
    sonde_data_free(t->data);
    sonde_model_free(t->model);
    free(t->ll);
}

static void evaluate(void *context) {
    task *t = context;
    sonde_error error = {0};
    bench_need(sonde_likelihood_all(t->likelihood, N_SET, t->theta, &t->run, t->ll, &error),
               &error);
}

static void follow(void *context) {
    task *t = context;
    sonde_replayed *replayed = NULL;
    sonde_error error = {0};
    bench_need(sonde_replay(&t->settings, t->data, 0, 0, &t->run, &replayed, &error), &error);
    sonde_replayed_free(replayed);
}

static void fit_all(void *context) {
    task *t = context;
    sonde_fit *fit = NULL;
    sonde_error error = {0};
    bench_need(sonde_fit_new(&t->settings, t->data, t->parameters, &t->fit, &t->run, &fit, &error),
               &error);
    sonde_fit_free(fit);
}

static void measure(const char *name) {
    task t = task_read(name);
    task_open(&t);
    t.run.n_thread = 1;
    bench_row(1e3 * bench_least(bench_spent, evaluate, &t) / N_SET, "ms", "fit.replay.%s", name);
    const double one = bench_least(bench_passed, evaluate, &t);
    t.run.n_thread = 2;
    bench_row(one / bench_least(bench_passed, evaluate, &t), "times", "fit.threads.%s", name);
    t.run.n_thread = 1;
    bench_row(1e6 * bench_least(bench_spent, follow, &t) / t.data->n_row, "us", "fit.agent_step.%s",
              name);
    task_free(&t);
}

int main(void) {
    measure("bench-tmaze");
    measure("bench-bandit");
    task t = task_read("fit-bandit");
    t.run.n_thread = 1;
    t.fit = sonde_fit_defaults();
    bench_row(bench_batch(bench_spent, fit_all, &t, 1), "s", "fit.forty");
    task_free(&t);
    return 0;
}

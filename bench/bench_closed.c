/* bench_closed.c: what planning in closed loop costs: certified decisions, and one expanded belief.
 *
 *     bench_closed [FOLDER]   where the models are, tests/data/closed/models unless given
 *     bench_closed rocksample SIZE ROCKS SECONDS [EPISODES BUDGET [FIRST [end|stay [FILE]]]]
 *
 * The second form plans RockSample without a horizon for so long, and then lets an agent live
 * episodes of 60 steps by the policy that was found, each decision with this budget of steps (0: as
 * many as there is time for) and a tenth of a second: what they bring, discounted, with its standard
 * error. FIRST is the number of the first episode and FILE keeps the policy, so that several runs
 * share them; with "stay" illegal moves cost and do not end it.
 *
 * `decide` is a decision of an agent that has decided before, `expand` the same over the beliefs that
 * it expanded, `plan` one from nothing. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench.h"
#include "sonde_make.h"
#include "sonde_policy.h"

typedef struct {
    sonde_policies *policies;
    sonde_agent *agent;
    sonde_search_settings settings;
    const sonde_decision *decision;
    double least; /* of the search alone */
} subject;

static void decide(void *context) {
    subject *s = context;
    sonde_error error = {0};
    bench_need(sonde_agent_search(s->agent, &s->decision, &error), &error);
    const double seconds = s->decision->seconds - s->decision->setup_seconds;
    s->least = seconds < s->least ? seconds : s->least;
}

static void plan(void *context) {
    const subject *s = context;
    sonde_agent *agent = NULL;
    const sonde_decision *decision = NULL;
    sonde_error error = {0};
    bench_need(sonde_agent_new(s->policies, &s->settings, NULL, &agent, &error), &error);
    bench_need(sonde_agent_search(agent, &decision, &error), &error);
    sonde_agent_free(agent);
}

static void measure(const char *folder, const char *name, int32_t horizon, double epsilon) {
    char path[512];
    sonde_model *model = NULL;
    sonde_error error = {0};
    (void)snprintf(path, sizeof path, "%s/%s.json", folder, name);
    bench_need(sonde_model_read(&(const sonde_source){.origin = path}, NULL, NULL, &model, &error),
               &error);
    for (int32_t backup = 0; sonde_backup_name(backup) != NULL; backup++) {
        subject s = {.settings = sonde_search_defaults(), .least = 1e9};
        const char *word = sonde_backup_name(backup);
        s.settings.loop = SONDE_LOOP_CLOSED;
        s.settings.backup = (sonde_backup)backup;
        s.settings.epsilon = epsilon;
        bench_need(sonde_policies_count(model, horizon, NULL, &s.policies, &error), &error);
        bench_need(sonde_agent_new(s.policies, &s.settings, NULL, &s.agent, &error), &error);
        const double seconds = bench_least(bench_spent, decide, &s);
        const double n = (double)s.decision->evaluations.n_belief;
        bench_row(n, "beliefs", "closed.%s.%s.beliefs", name, word);
        bench_row(1e6 * seconds / n, "us", "closed.%s.%s.expand", name, word);
        bench_row(1e3 * bench_least(bench_spent, plan, &s), "ms", "closed.%s.%s.plan", name, word);
        sonde_agent_free(s.agent);
        sonde_policies_free(s.policies);
    }
    sonde_model_free(model);
}

/* ---------------------------------------------------------------------------- without horizon -- */

static sonde_search_settings endless(double gap) {
    sonde_search_settings settings = sonde_search_defaults();
    settings.loop = SONDE_LOOP_CLOSED;
    settings.endless = true;
    settings.backup = SONDE_BACKUP_MIN;
    settings.epsilon = 0.0;
    settings.gap = gap;
    return settings;
}

static sonde_model *make(sonde_make_kind kind, int32_t size, int32_t n_rock, int32_t illegal) {
    sonde_make_settings how = sonde_make_defaults();
    sonde_model *model = NULL;
    sonde_error error = {0};
    how.make = (int32_t)kind;
    how.size = size > 0 ? size : how.size;
    how.n_rock = n_rock > 0 ? n_rock : how.n_rock;
    how.illegal = illegal;
    bench_need(sonde_make(&how, NULL, NULL, &model, &error), &error);
    return model;
}

/* A decision from nothing, until the value is known within `gap`. */
static void measure_endless(const char *name, sonde_model *model, double gap) {
    subject s = {.settings = endless(gap)};
    sonde_error error = {0};
    bench_need(sonde_policies_count(model, 0, NULL, &s.policies, &error), &error);
    bench_row(1e3 * bench_least(bench_spent, plan, &s), "ms", "closed.%s.inf.plan", name);
    sonde_policies_free(s.policies);
    sonde_model_free(model);
}

/* What one episode brings. */
static double live(sonde_agent *agent, const sonde_model *model, int32_t number) {
    sonde_episode *episode = NULL;
    sonde_error error = {0};
    double sum = 0.0;
    double weight = 1.0;
    bench_need(sonde_simulate_episode(agent, NULL, number, 60, &episode, &error), &error);
    for (int32_t t = 0; t < episode->n_step; t++) {
        uint64_t joint = 0;
        for (int32_t f = 0; f < model->n_factor; f++) {
            joint = joint * (uint64_t)model->factor[f].n_state +
                    (uint64_t)episode->state[t * model->n_factor + f];
        }
        const uint64_t at = joint * (uint64_t)model->n_action + (uint64_t)episode->action[t];
        sum -= weight * model->action_cost[at];
        weight *= model->discount;
    }
    sonde_episode_free(episode);
    return sum;
}

/* A policy that was written down. */
static sonde_vectors *read_policy(const sonde_source *source) {
    sonde_vectors *vectors = NULL;
    sonde_error error = {0};
    bench_need(sonde_vectors_read(source, NULL, &vectors, &error), &error);
    return vectors;
}

/* What was found, by way of a document, which is kept where there is a name for it. */
static sonde_vectors *hand_over(const sonde_agent *agent, const char *path) {
    sonde_text text = {0};
    sonde_error error = {0};
    bench_need(sonde_agent_vectors_write(agent, SONDE_POLICY_JSON, &text, &error), &error);
    bench_row((double)text.size / 1e6, "MB", "closed.rocksample.policy");
    sonde_vectors *vectors = read_policy(
        &(const sonde_source){.origin = "policy", .data = text.data, .size = text.size});
    FILE *file = path != NULL ? fopen(path, "wb") : NULL;
    if (file != NULL) {
        (void)fwrite(text.data, 1, text.size, file);
        (void)fclose(file);
    }
    sonde_text_free(&text);
    return vectors;
}

/* Episodes, and how many steps each of their decisions may take. */
typedef struct {
    int32_t n;
    int32_t first;
    uint64_t budget;
} lives;

static void live_on(const sonde_policies *policies, const sonde_vectors *vectors, lives all) {
    sonde_search_settings settings = endless(1e-3);
    sonde_agent *agent = NULL;
    sonde_error error = {0};
    double sum = 0.0;
    double square = 0.0;
    settings.vectors = vectors;
    settings.budget = all.budget;
    settings.deadline = all.budget == 1 ? 0.0 : 0.1; /* one step takes a few milliseconds */
    settings.action = SONDE_ACTION_BEST;
    bench_need(sonde_agent_new(policies, &settings, NULL, &agent, &error), &error);
    const clock_t began = clock();
    for (int32_t i = 0; i < all.n; i++) {
        const double one = live(agent, policies->model, all.first + i);
        sum += one;
        square += one * one;
        if ((i + 1) % 50 == 0 || i + 1 == all.n) {
            const double mean = sum / (i + 1);
            const double spread = square / (i + 1) - mean * mean;
            const double seconds = (double)(clock() - began) / CLOCKS_PER_SEC;
            bench_row(i + 1, "episodes", "closed.rocksample.lives");
            bench_row(seconds, "s of cpu", "closed.rocksample.living");
            bench_row(mean, "reward", "closed.rocksample.return");
            bench_row(sqrt(spread / (i + 1)), "reward", "closed.rocksample.error");
        }
    }
    sonde_agent_free(agent);
}

/* Plans for so long; what was found, if it is wanted. */
static sonde_vectors *find_policy(const sonde_policies *policies, double seconds, bool wanted,
                                  const char *path) {
    sonde_search_settings settings = endless(1e-3);
    sonde_agent *agent = NULL;
    const sonde_decision *decision = NULL;
    sonde_error error = {0};
    settings.deadline = seconds;
    const clock_t began = clock();
    bench_need(sonde_agent_new(policies, &settings, NULL, &agent, &error), &error);
    bench_need(sonde_agent_search(agent, &decision, &error), &error);
    bench_row((double)(clock() - began) / CLOCKS_PER_SEC, "s of cpu", "closed.rocksample.setup");
    bench_row(0.0 - decision->value_upper, "reward", "closed.rocksample.lower");
    bench_row(0.0 - decision->value_lower, "reward", "closed.rocksample.upper");
    bench_row((double)decision->evaluations.n_belief, "beliefs", "closed.rocksample.beliefs");
    sonde_vectors *vectors = wanted ? hand_over(agent, path) : NULL;
    sonde_agent_free(agent);
    return vectors;
}

static void measure_rocks(int32_t argc, char **argv) {
    const bool stays = argc > 8 && strcmp(argv[8], "stay") == 0;
    sonde_model *model = make(SONDE_MAKE_ROCKSAMPLE, atoi(argv[2]), atoi(argv[3]),
                              (int32_t)(stays ? SONDE_ILLEGAL_STAY : SONDE_ILLEGAL_END));
    const char *path = argc > 9 ? argv[9] : NULL;
    const lives all = {.n = argc > 5 ? atoi(argv[5]) : 0,
                       .first = argc > 7 ? atoi(argv[7]) : 0,
                       .budget = argc > 6 ? (uint64_t)atoi(argv[6]) : 0};
    sonde_policies *policies = NULL;
    sonde_error error = {0};
    bench_need(sonde_policies_count(model, 0, NULL, &policies, &error), &error);
    FILE *kept = path != NULL ? fopen(path, "rb") : NULL;
    sonde_vectors *vectors = kept != NULL ? read_policy(&(const sonde_source){.origin = path})
                                          : find_policy(policies, atof(argv[4]), argc > 5, path);
    if (kept != NULL) {
        (void)fclose(kept);
    }
    if (all.n > 0) {
        live_on(policies, vectors, all);
    }
    sonde_vectors_free(vectors);
    sonde_policies_free(policies);
    sonde_model_free(model);
}

int main(int argc, char **argv) {
    if (argc > 4 && strcmp(argv[1], "rocksample") == 0) {
        measure_rocks(argc, argv);
        return 0;
    }
    const char *folder = argc > 1 ? argv[1] : "tests/data/closed/models";
    measure(folder, "grid3-slip-noise", 4, 1e-2);
    measure(folder, "t-maze-95", 8, 1e-3);
    measure_endless("tiger", make(SONDE_MAKE_TIGER, 0, 0, -1), 1e-3);
    measure_endless("rocksample-4-4", make(SONDE_MAKE_ROCKSAMPLE, 4, 4, -1), 1e-3);
    measure_endless("rocksample-7-8", make(SONDE_MAKE_ROCKSAMPLE, 7, 8, -1), 3.46);
    return 0;
}

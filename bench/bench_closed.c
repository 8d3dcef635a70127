/* bench_closed.c: what planning in closed loop costs: certified decisions, and one expanded belief.
 *
 *     bench_closed [FOLDER]   where the models are, tests/data/closed/models unless given
 *
 * `decide` is a decision of an agent that has decided before, `expand` the same over the beliefs that
 * it expanded, `plan` one from nothing. */
#include <string.h>

#include "bench.h"

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

int main(int argc, char **argv) {
    const char *folder = argc > 1 ? argv[1] : "tests/data/closed/models";
    measure(folder, "grid3-slip-noise", 4, 1e-2);
    measure(folder, "t-maze-95", 8, 1e-3);
    return 0;
}

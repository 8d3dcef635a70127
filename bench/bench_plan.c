/* bench_plan.c: what one decision costs from nothing: an agent is made, searches, acts, is freed.
 *
 *     bench_plan [MODEL]   a document, examples/models/tmaze.json unless given
 *
 * bench/python_plan.py measures the same through Python. */
#include "bench.h"

static void plan(void *context) {
    const sonde_policies *policies = context;
    sonde_search_settings settings = sonde_search_defaults();
    settings.search = SONDE_SEARCH_FULL;
    sonde_agent *agent = NULL;
    const sonde_decision *decision = NULL;
    sonde_error error = {0};
    bench_need(sonde_agent_new(policies, &settings, NULL, &agent, &error), &error);
    bench_need(sonde_agent_search(agent, &decision, NULL), &error);
    (void)sonde_agent_act(agent);
    sonde_agent_free(agent);
}

int main(int argc, char **argv) {
    const char *path = argc > 1 ? argv[1] : "examples/models/tmaze.json";
    sonde_model *model = NULL;
    sonde_policies *policies = NULL;
    sonde_error error = {0};
    bench_need(sonde_model_read(&(const sonde_source){.origin = path}, NULL, NULL, &model, &error),
               &error);
    bench_need(sonde_policies_count(model, 0, NULL, &policies, &error), &error);
    bench_row(1e6 * bench_least(bench_spent, plan, policies), "us", "plan.c.full");
    sonde_policies_free(policies);
    sonde_model_free(model);
    return 0;
}

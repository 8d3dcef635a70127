/* agent_plan.c: one decision in one call. */
#include "agent/agent.h"
#include "base/status.h"

/* What the agent believes: what it is told, or where its world begins. */
static sonde_status begin(sonde_agent *agent, const double *belief, sonde_error *error) {
    const int32_t *seen = sonde_model_seen(sonde_agent_policies(agent)->model);
    if (belief != NULL) {
        return sonde_agent_believe(agent, belief, error);
    }
    return seen != NULL ? sonde_agent_observe(agent, seen, error) : SONDE_OK;
}

/* NOLINTNEXTLINE(readability-function-size): a seventh argument, since it is all of them at once */
sonde_status sonde_plan(const sonde_model *model, const double *belief,
                        const sonde_search_settings *settings, const sonde_run *run,
                        sonde_agent **agent, const sonde_decision **decision, sonde_error *error) {
    const sonde_search_settings usual = sonde_search_defaults();
    sonde_policies *policies = NULL;
    sonde_agent *made = NULL;
    sonde_status status = sonde_policies_count(model, 0, run, &policies, error);
    if (status == SONDE_OK) {
        status = sonde_agent_new(policies, settings != NULL ? settings : &usual, run, &made, error);
    }
    if (status != SONDE_OK) {
        sonde_policies_free(policies);
        return status;
    }
    sonde__agent_keep(made, policies);
    status = begin(made, belief, error);
    if (status == SONDE_OK) {
        status = sonde_agent_search(made, decision, error);
    }
    if (status == SONDE_OK) {
        *agent = made;
    } else {
        sonde_agent_free(made);
    }
    return status;
}

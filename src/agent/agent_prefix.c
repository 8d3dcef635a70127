/* agent_prefix.c: policies that begin alike, as an agent that has decided looks at them. */
#include <string.h>

#include "agent/agent_internal.h"
#include "base/status.h"
#include "policy/policy.h"

static const sonde_decision *decision_of(const sonde_agent *agent) {
    return sonde__planner_decision(agent->planner);
}

/* Whether there is a decision to look at. */
static sonde_status check(const sonde_agent *agent, sonde_error *error) {
    if (sonde__planner_closed(agent->planner) != NULL) {
        return sonde__fail(
            error, SONDE_BAD_ARGUMENT,
            "prefix: a plan in closed loop waits for what it sees, and is no list of "
            "actions; choose loop open, or look at its explanation");
    }
    if (!agent->decided || decision_of(agent)->n_followed > 0) {
        return sonde__fail(error, SONDE_BAD_ARGUMENT,
                           "prefix: nothing has been scored from what the agent believes now; "
                           "search first");
    }
    return SONDE_OK;
}

/* Where the policies of the decision begin that begin where the agent is. */
static int32_t origin_of(const sonde_agent *agent) {
    return sonde_policies_origin(agent->policies, decision_of(agent)->belief);
}

sonde_status sonde_agent_prefix(sonde_agent *agent, int32_t n_step, const int32_t *number,
                                sonde_prefix **prefix, sonde_error *error) {
    const int32_t horizon = agent->policies->horizon;
    const int32_t n_number = sonde__policies_n_number(agent->policies);
    sonde_status status = check(agent, error);
    if (status != SONDE_OK) {
        return status;
    }
    if (n_step < 0 || n_step > horizon) {
        return sonde__fail(error, SONDE_BAD_ARGUMENT,
                           "prefix: expected from 0 to %d steps, found %d", horizon, n_step);
    }
    int32_t *walk = sonde__alloc(((size_t)n_step + 1) * sizeof *walk);
    if (walk == NULL) {
        return sonde__fail_memory(error, "prefix", ((uint64_t)n_step + 1) * sizeof *walk);
    }
    walk[0] = origin_of(agent);
    for (int32_t t = 1; t <= n_step && status == SONDE_OK; t++) {
        walk[t] = number[t - 1];
        if (walk[t] < 0 || walk[t] >= n_number) {
            status = sonde__fail(error, SONDE_BAD_ARGUMENT,
                                 "prefix: step %d: expected a number from 0 to %d, found %d", t,
                                 n_number - 1, walk[t]);
        }
    }
    const sonde__asked asked = {.policies = agent->policies,
                                .settings = sonde_agent_settings(agent),
                                .decision = decision_of(agent),
                                .n_step = n_step,
                                .walk = walk};
    if (status == SONDE_OK) {
        status = sonde__search_prefix(&asked, &agent->run, prefix, error);
    }
    sonde__free(walk);
    return status;
}

sonde_status sonde_prefix_parse(const sonde_agent *agent, const char *text, int32_t *n_step,
                                int32_t *number, sonde_error *error) {
    const int32_t horizon = agent->policies->horizon;
    sonde_status status = check(agent, error);
    int32_t last = status == SONDE_OK ? origin_of(agent) : 0;
    const char *const whole = text;
    *n_step = 0;
    for (bool more = *text != '\0'; more && status == SONDE_OK;) {
        if (*n_step == horizon) {
            return sonde__fail(error, SONDE_BAD_ARGUMENT,
                               "prefix: policies have %d step%s, and this goes on", horizon,
                               horizon == 1 ? "" : "s");
        }
        const char *from = text;
        last = sonde__policies_read_step(agent->policies, last, &text);
        if (last < 0 && strcmp(whole, "all") == 0) {
            return SONDE_OK;
        }
        if (last < 0 || (*text != ',' && *text != '\0')) {
            return sonde__fail(error, SONDE_BAD_ARGUMENT, "prefix: step %d: expected %s, found %s",
                               *n_step + 1, sonde__policies_step(agent->policies), from);
        }
        number[(*n_step)++] = last;
        more = *text == ',';
        text += more ? 1 : 0;
    }
    return status;
}

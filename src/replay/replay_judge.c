/* replay_judge.c: how probable an action was, from the decision that it is compared with.
 *
 *     m_u      summed posterior of the policies that begin with u
 *     ln p_u = alpha ln m_u - ln sum exp(alpha ln m)      marginal; alpha m in its place: softmax
 *     p      = (1 - lapse) p + lapse / n                  n first actions that begin some policy,
 *                                                         whatever E is
 *
 * in logarithms throughout, so that they do not underflow. With per_factor the same is done with
 * the masses of each factor's own actions, as pymdp has them where beliefs are its
 * (sonde__action_mass), and the results are multiplied. */
#include <math.h>

#include "base/numbers.h"
#include "base/status.h"
#include "model/model.h"
#include "policy/policy.h"
#include "replay/replay.h"
#include "search/search.h"

/* posteriors below this have lost digits, or are 0 */
#define LEAST_MASS 1e-290
/* policies that are scored one by one for their logarithms */
#define POLICIES_MAX (1 << 24)

/* ------------------------------------------------------------------------------- log masses -- */

/* The sums, over policies, of E exp(-gamma G), as logarithms; for when they underflow. */
static sonde_status score_all(sonde__follower *follower, const sonde_decision *decision,
                              double *log_mass, sonde_error *error) {
    const sonde_policies *policies = sonde_agent_policies(follower->agent);
    const sonde_model *model = policies->model;
    const double gamma = decision->gamma;
    const int32_t origin = sonde_policies_origin(policies, decision->belief);
    const uint64_t n = sonde_policies_size(policies, origin);
    sonde_policies *weighed = NULL;
    if (n > POLICIES_MAX) {
        return sonde__fail(error, SONDE_TOO_LARGE,
                           "probabilities are too small to tell apart, and %g policies too many to "
                           "score one by one; choose a smaller gamma",
                           (double)n);
    }
    sonde__pool pool = {0};
    double *efe = SONDE__POOL_TAKE(&pool, double, n);
    int32_t *walk = SONDE__POOL_TAKE(&pool, int32_t, (uint64_t)policies->horizon + 1);
    sonde_status status =
        efe != NULL && walk != NULL
            ? sonde_policies_weigh(policies, &follower->search->weights, &weighed, error)
            : sonde__fail_memory(error, "likelihood", n * sizeof *efe);
    if (status == SONDE_OK) {
        const sonde_range range = {.origin = origin, .first = 0, .n = n};
        status = sonde_efe_range(weighed, sonde_present_at(model, decision->belief), range,
                                 &follower->run, efe, error);
    }
    for (int32_t a = 0; a < model->n_action; a++) {
        log_mass[a] = -INFINITY;
    }
    for (uint64_t i = 0; status == SONDE_OK && i < n; i++) {
        status = sonde_policies_get(policies, origin, i, walk, error);
        const int32_t action = status == SONDE_OK ? sonde_policies_action(policies, walk, 1) : 0;
        const double E = model->E != NULL       ? model->E[i]
                         : model->habit != NULL ? model->habit[action]
                                                : 1.0;
        if (status == SONDE_OK && E > 0.0) {
            double *mass = &log_mass[action];
            *mass = sonde__log_add(*mass, sonde__log(E) - gamma * efe[i]);
        }
    }
    sonde_policies_free(weighed);
    sonde__pool_free(&pool);
    return status;
}

static int32_t place_of(const sonde_decision *decision, int32_t action) {
    for (int32_t i = 0; i < decision->n_action; i++) {
        if (decision->action[i] == action) {
            return i;
        }
    }
    return -1;
}

/* Which actions some policy begins with, from the present belief. */
static void find_starts(sonde__follower *follower, const sonde_decision *decision) {
    const sonde_policies *policies = sonde_agent_policies(follower->agent);
    const int32_t origin = sonde_policies_origin(policies, decision->belief);
    sonde__space_of(policies)->mark(policies, origin, decision->state, follower->start);
}

static bool starts(sonde__follower *follower, const sonde_decision *decision, int32_t action) {
    if (place_of(decision, action) >= 0) {
        return true;
    }
    find_starts(follower, decision);
    return follower->start[action] == 0;
}

/* The same where an agent lapses, which comes to all of them; or NULL. */
static const int32_t *find_lapses(sonde__follower *follower, const sonde_decision *decision) {
    if (!(follower->lapse > 0.0)) {
        return NULL;
    }
    find_starts(follower, decision);
    return follower->start;
}

bool sonde__may_act(sonde__follower *follower, const sonde_decision *decision, int32_t action) {
    return place_of(decision, action) >= 0 ||
           (follower->lapse > 0.0 && starts(follower, decision, action));
}

/* Logarithms of the summed posteriors (n_action of the model), -infinity where no policy begins
 * so. `action`, or -1, is the one that is asked for. */
static sonde_status find_masses(sonde__follower *follower, const sonde_decision *decision,
                                int32_t action, sonde_error *error) {
    const int32_t n = sonde_agent_policies(follower->agent)->model->n_action;
    const double *habit = sonde_agent_policies(follower->agent)->model->habit;
    double *log_mass = follower->log_mass;
    const bool never = habit != NULL && action >= 0 && habit[action] == 0.0;
    bool small = action >= 0 && place_of(decision, action) < 0 && !never;
    for (int32_t a = 0; a < n; a++) {
        log_mass[a] = -INFINITY;
    }
    for (int32_t i = 0; i < decision->n_action; i++) {
        const double m = decision->posterior[i];
        small = small || m < LEAST_MASS;
        log_mass[decision->action[i]] = m < LEAST_MASS ? -INFINITY : sonde__log(m);
    }
    if (!small) {
        return SONDE_OK;
    }
    const sonde_status status = score_all(follower, decision, log_mass, error);
    double most = -INFINITY;
    double sum = 0.0;
    for (int32_t a = 0; a < n; a++) {
        most = log_mass[a] > most ? log_mass[a] : most;
    }
    for (int32_t a = 0; a < n; a++) {
        sum += sonde__exp(log_mass[a] - most);
    }
    for (int32_t a = 0; a < n; a++) {
        log_mass[a] -= most + sonde__log(sum);
    }
    return status;
}

/* -------------------------------------------------------------------------------------- rule -- */

/* With a lapse, of which each of n actions has the same share. */
static double with_lapse(double log_p, double lapse, int32_t n) {
    const double share = sonde__log(lapse) - sonde__log((double)n);
    return log_p > -INFINITY ? sonde__log_add(sonde__log(1.0 - lapse) + log_p, share) : share;
}

/* ln p of each of n actions, in place of their log masses; some policy begins with those where
 * `start` is 0 (NULL: with those that have a mass). */
static void apply_rule(const sonde_search_settings *search, double lapse, int32_t n,
                       const int32_t *start, double *log_mass) {
    const bool soft = search->action == SONDE_ACTION_SOFTMAX;
    const double alpha = search->alpha;
    double most = -INFINITY;
    double sum = 0.0;
    int32_t n_there = 0;
    for (int32_t i = 0; i < n; i++) {
        const bool there = log_mass[i] > -INFINITY;
        n_there += there || (start != NULL && start[i] == 0);
        if (there) {
            log_mass[i] = alpha * (soft ? sonde__exp(log_mass[i]) : log_mass[i]);
            most = log_mass[i] > most ? log_mass[i] : most;
        }
    }
    for (int32_t i = 0; i < n; i++) {
        sum += log_mass[i] > -INFINITY ? sonde__exp(log_mass[i] - most) : 0.0;
    }
    const double whole = most + sonde__log(sum);
    for (int32_t i = 0; i < n; i++) {
        const bool there = log_mass[i] > -INFINITY;
        log_mass[i] -= there ? whole : 0.0;
        if (lapse > 0.0 && (there || (start != NULL && start[i] == 0))) {
            log_mass[i] = with_lapse(log_mass[i], lapse, n_there);
        }
    }
}

/* The first of the most probable. */
static int32_t likeliest_of(int32_t n, const double *log_p) {
    int32_t best = 0;
    for (int32_t i = 1; i < n; i++) {
        best = log_p[i] > log_p[best] + SONDE__TIE ? i : best;
    }
    return best;
}

/* Log masses of one factor's own actions. */
static void sum_factor(const sonde_search_settings *search, const double *log_mass,
                       const sonde_model *model, int32_t f, double *share) {
    int32_t tuple[SONDE_FACTORS_MAX];
    for (int32_t u = 0; u < model->factor[f].n_action; u++) {
        share[u] = -INFINITY;
    }
    for (int32_t a = 0; a < model->n_action; a++) {
        if (log_mass[a] > -INFINITY) {
            sonde__model_tuple(model, a, tuple);
            share[tuple[f]] = sonde__log_add(share[tuple[f]], log_mass[a]);
        }
    }
    for (int32_t u = 0; u < model->factor[f].n_action; u++) {
        const double mass = sonde__exp(share[u]);
        const double as_theirs = sonde__action_mass(search, model, mass);
        share[u] = as_theirs != mass ? sonde__log(as_theirs) : share[u];
    }
}

/* Which of a factor's own actions some policy begins with, of those of all factors. */
static void start_factor(const int32_t *start, const sonde_model *model, int32_t f, int32_t *own) {
    int32_t tuple[SONDE_FACTORS_MAX];
    for (int32_t u = 0; u < model->factor[f].n_action; u++) {
        own[u] = -1;
    }
    for (int32_t a = 0; a < model->n_action; a++) {
        sonde__model_tuple(model, a, tuple);
        own[tuple[f]] = start[a] == 0 ? 0 : own[tuple[f]];
    }
}

/* ln p of a factor's own actions, in place of their log masses. */
static void apply_factor_rule(sonde__follower *follower, const sonde_model *model, int32_t f,
                              const int32_t *start) {
    if (start != NULL) {
        start_factor(start, model, f, follower->own);
    }
    apply_rule(follower->search, follower->lapse, model->factor[f].n_action,
               start != NULL ? follower->own : NULL, follower->share);
}

static void judge_by_factor(sonde__follower *follower, int32_t action, const int32_t *start,
                            sonde__judged *judged) {
    const sonde_model *model = sonde_agent_policies(follower->agent)->model;
    int32_t tuple[SONDE_FACTORS_MAX] = {0};
    int32_t best[SONDE_FACTORS_MAX] = {0};
    if (action >= 0) {
        sonde__model_tuple(model, action, tuple);
    }
    judged->log_p = 0.0;
    for (int32_t f = 0; f < model->n_factor; f++) {
        if (model->factor[f].n_action > 1) {
            sum_factor(follower->search, follower->log_mass, model, f, follower->share);
            apply_factor_rule(follower, model, f, start);
            judged->log_p += follower->share[tuple[f]];
            best[f] = likeliest_of(model->factor[f].n_action, follower->share);
        }
    }
    judged->p = sonde__exp(judged->log_p);
    judged->likeliest = sonde__model_from_tuple(model, best);
}

sonde_status sonde__judge(sonde__follower *follower, const sonde_decision *decision, int32_t action,
                          sonde__judged *judged, sonde_error *error) {
    const sonde_search_settings *search = follower->search;
    const int32_t n = sonde_agent_policies(follower->agent)->model->n_action;
    const sonde_status status = find_masses(follower, decision, action, error);
    if (status != SONDE_OK) {
        return status;
    }
    const int32_t *start = find_lapses(follower, decision);
    if (search->per_factor) {
        judge_by_factor(follower, action, start, judged);
    } else {
        const bool plain = search->action == SONDE_ACTION_MARGINAL && search->alpha == 1.0 &&
                           follower->lapse == 0.0; /* as the agent draws */
        if (!plain) {
            apply_rule(follower->search, follower->lapse, n, start, follower->log_mass);
        }
        const int32_t i = action >= 0 ? place_of(decision, action) : -1;
        judged->log_p = action >= 0 ? follower->log_mass[action] : NAN;
        judged->p = plain && i >= 0 ? decision->posterior[i] : sonde__exp(judged->log_p);
        judged->likeliest = likeliest_of(n, follower->log_mass);
    }
    if (action < 0) {
        judged->p = judged->log_p = (double)NAN;
    }
    judged->starts = action >= 0 && starts(follower, decision, action);
    return SONDE_OK;
}

sonde_status sonde__judge_factors(sonde__follower *follower, const sonde_decision *decision,
                                  sonde_error *error) {
    const sonde_model *model = sonde_agent_policies(follower->agent)->model;
    const bool apart = follower->search->per_factor;
    double *p = follower->factor_p;
    const sonde_status status = find_masses(follower, decision, -1, error);
    const int32_t *start = status == SONDE_OK ? find_lapses(follower, decision) : NULL;
    if (status == SONDE_OK && !apart) {
        apply_rule(follower->search, follower->lapse, model->n_action, start, follower->log_mass);
    }
    for (int32_t f = 0; status == SONDE_OK && f < model->n_factor; f++) {
        const int32_t n = model->factor[f].n_action;
        sum_factor(follower->search, follower->log_mass, model, f, follower->share);
        if (apart && n > 1) {
            apply_factor_rule(follower, model, f, start);
        }
        for (int32_t u = 0; u < n; u++) {
            *p++ = sonde__exp(follower->share[u]);
        }
    }
    return status;
}

double sonde__judge_masses(const sonde_search_settings *search, double lapse,
                           const sonde_model *model, int32_t action, double *mass, double *share) {
    const int32_t n = model->n_action;
    int32_t tuple[SONDE_FACTORS_MAX];
    double most = mass[0];
    double sum = 0.0;
    for (int32_t a = 1; a < n; a++) {
        most = mass[a] > most ? mass[a] : most;
    }
    for (int32_t a = 0; a < n; a++) {
        sum += sonde__exp(mass[a] - most);
    }
    const double whole = most + sonde__log(sum);
    if (search->action == SONDE_ACTION_MARGINAL && search->alpha == 1.0 && lapse == 0.0 &&
        !search->per_factor) {
        return mass[action] - whole;
    }
    for (int32_t a = 0; a < n; a++) {
        mass[a] -= whole;
    }
    if (!search->per_factor) {
        apply_rule(search, lapse, n, NULL, mass);
        return mass[action];
    }
    double log_p = 0.0;
    sonde__model_tuple(model, action, tuple);
    for (int32_t f = 0; f < model->n_factor; f++) {
        if (model->factor[f].n_action > 1) {
            sum_factor(search, mass, model, f, share);
            apply_rule(search, lapse, model->factor[f].n_action, NULL, share);
            log_p += share[tuple[f]];
        }
    }
    return log_p;
}

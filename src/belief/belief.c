/* belief.c: what the agent believes of the state, predicted and corrected.
 *
 *     predict    Q(s') = sum over s of B_u[s', s] Q(s)
 *     observe    Q(s) proportional to exp( ln A[o, s] + ln prior(s) ), logs floored at 1e-16
 *
 * In a graph world B_u moves every state to one other, and A is the identity (belief_edges.c);
 * belief_factors.c predicts in general models, and belief_infer.c observes there. */
#include "belief/belief.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/numbers.h"
#include "base/settings.h"
#include "base/status.h"
#include "base/vector.h"

const char *sonde__inference_name(int32_t inference) {
    static const char *const name[] = {"exact", "pymdp", "pymdp-legacy", NULL};
    return name[inference >= 0 && inference < 3 ? inference : 3];
}

const char *sonde__inference_about(int32_t inference) {
    static const char *const about[] = {
        "the posterior given the product of the priors, marginalised to factors",
        "pymdp 1.0's sixteen rounds of a fixed-point iteration",
        "pymdp 0.0.7's, at most ten rounds, until the free energy stands still", NULL};
    return about[inference >= 0 && inference < 3 ? inference : 3];
}

const sonde__believing *sonde__believing_of(const sonde_model *model) {
    static const sonde__believing *const believing[] = {
        [SONDE__OF_GRAPHS] = &sonde__believing_edges,
        [SONDE__OF_FACTORS] = &sonde__believing_factors};
    return believing[sonde__kind(model)];
}

void sonde_belief_initial(const sonde_model *model, double *belief) {
    sonde__believing_of(model)->initial(model, belief);
}

sonde_status sonde_belief_predict(const sonde_model *model, int32_t action, const double *belief,
                                  double *next, sonde_error *error) {
    if (action < 0 || action >= model->n_action) {
        return sonde__fail(error, SONDE_BAD_ARGUMENT,
                           "action: expected a number from 0 to %d, found %d", model->n_action - 1,
                           action);
    }
    sonde__belief_next(model, action, belief, next);
    return SONDE_OK;
}

/* Whether n numbers are probabilities that sum to 1. What is no number spoils the sum. */
SONDE__VECTOR
static bool sums_to_one(const double *p, int32_t n) {
    enum { LANES = 16 };
    double sum[LANES] = {0.0};
    double least[LANES] = {0.0};
    int32_t s = 0;
    for (; s + LANES <= n; s += LANES) {
        for (int32_t lane = 0; lane < LANES; lane++) {
            sum[lane] += p[s + lane];
            least[lane] = p[s + lane] < least[lane] ? p[s + lane] : least[lane];
        }
    }
    for (; s < n; s++) {
        sum[0] += p[s];
        least[0] = p[s] < least[0] ? p[s] : least[0];
    }
    for (int32_t lane = 1; lane < LANES; lane++) {
        sum[0] += sum[lane];
        least[0] = least[lane] < least[0] ? least[lane] : least[0];
    }
    return least[0] >= 0.0 && fabs(sum[0] - 1.0) <= 1e-6;
}

/* a function of its own: the compiler lets clones be seen from outside */
bool sonde__sums_to_one(const double *p, int32_t n) {
    return sums_to_one(p, n);
}

/* Whether n numbers can say how well each outcome agrees with what was seen. */
static bool are_weights(const double *weight, int32_t n) {
    double sum = 0.0;
    for (int32_t o = 0; o < n; o++) {
        if (!(weight[o] >= 0.0)) {
            return false;
        }
        sum += weight[o];
    }
    return sum > 0.0 && sum <= SONDE__LARGEST;
}

sonde_status sonde__observation_check(const sonde_model *model, const sonde_observation *seen,
                                      sonde_error *error) {
    const double *weight = seen->weight;
    for (int32_t m = 0; m < model->n_modality; m++) {
        const int32_t n = sonde__believing_of(model)->n_outcome(model, m);
        const bool soft = weight != NULL && seen->outcome[m] == SONDE_SOFT;
        if (soft && !are_weights(weight, n)) {
            return sonde__fail(error, SONDE_BAD_ARGUMENT,
                               "modality %d: expected %d weights from 0 on, at least one of them "
                               "positive",
                               m, n);
        }
        if (!soft && seen->outcome[m] != SONDE_MISSING &&
            (seen->outcome[m] < 0 || seen->outcome[m] >= n)) {
            return sonde__fail(error, SONDE_BAD_ARGUMENT,
                               "modality %d: expected an outcome from 0 to %d, found %d", m, n - 1,
                               seen->outcome[m]);
        }
        weight = weight != NULL ? weight + n : NULL;
    }
    return SONDE_OK;
}

double sonde__belief_surprise(const sonde_model *model, const sonde_observation *seen, double p) {
    double most = 0.0;
    for (int32_t m = 0; m < model->n_modality; m++) {
        most -= seen->outcome[m] == SONDE_MISSING ? 0.0 : SONDE__LOG_FLOOR;
    }
    const double surprise = p >= DBL_MIN ? 0.0 - sonde__log(p) : most;
    return surprise < most ? surprise : most;
}

/* Whether anything is seen at all. */
static bool sees_nothing(const sonde_model *model, const sonde_observation *seen) {
    for (int32_t m = 0; m < model->n_modality; m++) {
        if (seen->outcome[m] != SONDE_MISSING) {
            return false;
        }
    }
    return true;
}

sonde_energy sonde__belief_observe(const sonde_model *model, const sonde_observation *seen,
                                   const double *prior, double *belief, double *scratch) {
    if (sees_nothing(model, seen)) {
        memmove(belief, prior, (size_t)model->n_belief * sizeof *belief);
        return (sonde_energy){.surprise = 0.0};
    }
    return sonde__believing_of(model)->observe(model, seen, prior, belief, scratch);
}

sonde_status sonde_belief_observe(const sonde_model *model, const sonde_observation *seen,
                                  const double *prior, double *belief, sonde_energy *energy,
                                  sonde_error *error) {
    const sonde_status status = sonde__observation_check(model, seen, error);
    if (status != SONDE_OK) {
        return status;
    }
    const bool shows = sonde__model_shows_actions(model);
    for (int32_t m = 0; shows && m < model->n_modality; m++) {
        if (model->modality[m].n_action > 1 && seen->outcome[m] != SONDE_MISSING) {
            return sonde__fail(
                error, SONDE_BAD_ARGUMENT,
                "modality %d: what is seen depends on the action, which is not known "
                "here; leave its outcome out, or let an agent observe",
                m);
        }
    }
    const uint64_t n = sonde__belief_scratch(model);
    double *scratch = n > 0 ? sonde__alloc((size_t)n * sizeof *scratch) : NULL;
    if (n > 0 && scratch == NULL) {
        return sonde__fail_memory(error, "belief", n);
    }
    const sonde_energy found = sonde__belief_observe(model, seen, prior, belief, scratch);
    sonde__free(scratch);
    if (energy != NULL) {
        *energy = found;
    }
    return SONDE_OK;
}

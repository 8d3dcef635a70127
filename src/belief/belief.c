/* belief.c: what the agent believes of the state, predicted and corrected.
 *
 *     predict    Q(s') = sum over s of B_u[s', s] Q(s)
 *     observe    Q(s) proportional to exp( ln A[o, s] + ln prior(s) ), logs floored at 1e-16
 *
 * In a graph world B_u moves every state to one other, and A is the identity; belief_factors.c has
 * general models. */
#include "belief/belief.h"

#include <math.h>

#include "base/memory.h"
#include "base/numbers.h"
#include "base/status.h"
#include "base/vector.h"

void sonde_belief_initial(const sonde_model *model, double *belief) {
    for (int32_t f = 0; f < model->n_factor; f++) {
        const sonde_factor *factor = &model->factor[f];
        for (int32_t s = 0; s < factor->n_state; s++) {
            belief[factor->first + s] = factor->D[s];
        }
    }
    for (int32_t s = 0; model->graph != NULL && s < model->n_state; s++) {
        belief[s] = s == model->graph->start ? 1.0 : 0.0;
    }
}

void sonde__belief_next(const sonde_model *model, int32_t action, const double *belief,
                        double *next) {
    if (model->graph == NULL) {
        sonde__belief_predict(model, action, belief, next);
        return;
    }
    for (int32_t s = 0; s < model->n_state; s++) {
        next[s] = 0.0;
    }
    for (int32_t s = 0; s < model->n_state; s++) {
        if (belief[s] > 0.0) {
            next[sonde__model_next(model, s, action)] += belief[s];
        }
    }
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

bool sonde__belief_is(const sonde_model *model, const double *belief) {
    for (int32_t f = 0; f < model->n_factor; f++) {
        if (!sums_to_one(belief + model->factor[f].first, model->factor[f].n_state)) {
            return false;
        }
    }
    return model->graph == NULL || sums_to_one(belief, model->n_state);
}

sonde_status sonde__outcome_check(const sonde_model *model, const int32_t *outcome,
                                  sonde_error *error) {
    for (int32_t m = 0; m < model->n_modality; m++) {
        const int32_t n = model->graph != NULL ? model->n_state : model->modality[m].n_outcome;
        if (outcome[m] < 0 || outcome[m] >= n) {
            return sonde__fail(error, SONDE_BAD_ARGUMENT,
                               "modality %d: expected an outcome from 0 to %d, found %d", m, n - 1,
                               outcome[m]);
        }
    }
    return SONDE_OK;
}

static double floored(double p) {
    return p > SONDE__FLOOR ? p : SONDE__FLOOR;
}

sonde_status sonde_belief_observe(const sonde_model *model, const int32_t *outcome,
                                  const double *prior, double *belief, sonde_error *error) {
    const sonde_status status = sonde__outcome_check(model, outcome, error);
    if (status != SONDE_OK) {
        return status;
    }
    if (model->graph == NULL) {
        double *scratch = sonde__alloc(sonde__belief_scratch(model) * sizeof *scratch);
        if (scratch == NULL) {
            return sonde__fail_memory(error, "belief", sonde__belief_scratch(model));
        }
        sonde__belief_observe(model, outcome, prior, belief, scratch);
        sonde__free(scratch);
        return SONDE_OK;
    }
    /* exp of a sum of logs is a product; the largest factor is at least 1 / n_state, so nothing
     * here can vanish altogether */
    double sum = 0.0;
    for (int32_t s = 0; s < model->n_state; s++) {
        belief[s] = (s == outcome[0] ? 1.0 : SONDE__FLOOR) * floored(prior[s]);
        sum += belief[s];
    }
    for (int32_t s = 0; s < model->n_state; s++) {
        belief[s] /= sum;
    }
    return SONDE_OK;
}

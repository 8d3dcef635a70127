/* belief.c: what the agent believes of the state, predicted and corrected.
 *
 *     predict    Q(s') = sum over s of B_u[s', s] Q(s)
 *     observe    Q(s) proportional to exp( ln A[o, s] + ln prior(s) ), logs floored at 1e-16
 *
 * In a graph world B_u moves every state to one other, and A is the identity. */
#include "base/numbers.h"
#include "sonde.h"

void sonde_belief_initial(const sonde_model *model, double *belief) {
    for (int32_t s = 0; s < model->n_state; s++) {
        belief[s] = s == model->graph->start ? 1.0 : 0.0;
    }
}

void sonde_belief_predict(const sonde_model *model, int32_t action, const double *belief,
                          double *next) {
    for (int32_t s = 0; s < model->n_state; s++) {
        next[s] = 0.0;
    }
    for (int32_t s = 0; s < model->n_state; s++) {
        if (belief[s] > 0.0) {
            next[sonde_model_next(model, s, action)] += belief[s];
        }
    }
}

static double floored(double p) {
    return p > SONDE__FLOOR ? p : SONDE__FLOOR;
}

void sonde_belief_observe(const sonde_model *model, int32_t outcome, const double *prior,
                          double *belief) {
    /* exp of a sum of logs is a product; the largest factor is at least 1 / n_state, so nothing
     * here can vanish altogether */
    double sum = 0.0;
    for (int32_t s = 0; s < model->n_state; s++) {
        belief[s] = (s == outcome ? 1.0 : SONDE__FLOOR) * floored(prior[s]);
        sum += belief[s];
    }
    for (int32_t s = 0; s < model->n_state; s++) {
        belief[s] /= sum;
    }
}

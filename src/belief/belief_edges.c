/* belief_edges.c: beliefs of graph worlds, which are about edges: an action moves every edge to one
 * other, and what is seen is an edge. */
#include <string.h>

#include "base/numbers.h"
#include "belief/belief.h"

static void initial(const sonde_model *model, double *belief) {
    memset(belief, 0, (size_t)model->n_state * sizeof *belief);
    belief[*sonde_model_seen(model)] = 1.0;
}

static void predict(const sonde_model *model, int32_t action, const double *belief, double *next) {
    for (int32_t s = 0; s < model->n_state; s++) {
        next[s] = 0.0;
    }
    for (int32_t s = 0; s < model->n_state; s++) {
        if (belief[s] > 0.0) {
            next[sonde__model_next(model, s, action)] += belief[s];
        }
    }
}

static double floored(double p) {
    return p > SONDE__FLOOR ? p : SONDE__FLOOR;
}

/* The largest weight of a soft observation. */
static double largest_weight(const sonde_model *model, const sonde_observation *seen) {
    double most = 0.0;
    for (int32_t s = 0; s < model->n_state; s++) {
        most = seen->weight[s] > most ? seen->weight[s] : most;
    }
    return most;
}

/* The edge that is seen is where the agent is. */
static sonde_energy observe(const sonde_model *model, const sonde_observation *seen,
                            const double *prior, double *belief, double *scratch) {
    double *unused = scratch; /* of beliefs of factors */
    (void)unused;
    const int32_t outcome = seen->outcome[0];
    const bool soft = outcome == SONDE_SOFT;
    const double most = soft ? largest_weight(model, seen) : 1.0;
    const double log_most = soft ? sonde__log(most) : 0.0;
    double sum = 0.0;
    double p = soft ? 0.0 : prior[outcome];
    double accuracy = log_most;
    /* exp of a sum of logs is a product; the largest factor is at least 1 / n_state, so nothing
     * here can vanish altogether */
    for (int32_t s = 0; s < model->n_state; s++) {
        const double likelihood = soft ? seen->weight[s] / most : s == outcome;
        p += soft ? likelihood * prior[s] : 0.0;
        belief[s] = floored(likelihood) * floored(prior[s]);
        sum += belief[s];
    }
    for (int32_t s = 0; s < model->n_state; s++) {
        belief[s] /= sum;
    }
    for (int32_t s = 0; soft && s < model->n_state; s++) {
        accuracy += belief[s] * sonde__log_floored(seen->weight[s] / most);
    }
    accuracy += outcome >= 0 ? (1.0 - belief[outcome]) * SONDE__LOG_FLOOR : 0.0;
    const double surprise = sonde__belief_surprise(model, seen, p) - log_most;
    const double F = 0.0 - sonde__log(sum) - log_most;
    return (sonde_energy){surprise, F, F + accuracy, accuracy, -surprise};
}

static uint64_t n_scratch(const sonde_model *model) {
    (void)model;
    return 0;
}

static int32_t n_outcome(const sonde_model *model, int32_t m) {
    (void)m;
    return model->n_state;
}

static bool is_belief(const sonde_model *model, const double *belief) {
    return sonde__sums_to_one(belief, model->n_state);
}

const sonde__believing sonde__believing_edges = {
    .initial = initial,
    .predict = predict,
    .observe = observe,
    .n_scratch = n_scratch,
    .n_outcome = n_outcome,
    .is = is_belief,
};

/* belief_edges.c: beliefs of graph worlds, which are about edges: an action moves every edge to one
 * other, and what is seen is an edge. */
#include "base/numbers.h"
#include "belief/belief.h"

static void initial(const sonde_model *model, double *belief) {
    const int32_t start = *sonde_model_seen(model);
    for (int32_t s = 0; s < model->n_state; s++) {
        belief[s] = s == start ? 1.0 : 0.0;
    }
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

/* The largest weight of a soft observation; 1 of others. */
static double largest_weight(const sonde_model *model, const sonde_observation *seen) {
    double most = seen->outcome[0] == SONDE_SOFT ? 0.0 : 1.0;
    for (int32_t s = 0; seen->outcome[0] == SONDE_SOFT && s < model->n_state; s++) {
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
    const double most = largest_weight(model, seen);
    double sum = 0.0;
    double p = 0.0;
    double accuracy = sonde__log(most);
    /* exp of a sum of logs is a product; the largest factor is at least 1 / n_state, so nothing
     * here can vanish altogether */
    for (int32_t s = 0; s < model->n_state; s++) {
        const double likelihood = outcome == SONDE_SOFT ? seen->weight[s] / most : s == outcome;
        p += likelihood * prior[s];
        belief[s] = floored(likelihood) * floored(prior[s]);
        sum += belief[s];
    }
    for (int32_t s = 0; s < model->n_state; s++) {
        belief[s] /= sum;
        accuracy +=
            outcome == SONDE_SOFT ? belief[s] * sonde__log_floored(seen->weight[s] / most) : 0.0;
    }
    accuracy += outcome >= 0 ? (1.0 - belief[outcome]) * sonde__log(SONDE__FLOOR) : 0.0;
    const double surprise = sonde__belief_surprise(model, seen, p) - sonde__log(most);
    const double F = 0.0 - sonde__log(sum) - sonde__log(most);
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

/* policy_weigh.c: the same policies of the same model, the parts of whose G count more or less.
 *
 * Nothing is copied but the two structs themselves: general models are weighed where G is worked
 * out, and graph worlds have one number for each edge, which is made anew. */
#include "policy/policy.h"

#include "base/status.h"

/* the block that a caller owns */
typedef struct {
    sonde_policies policies; /* comes first: it is what is freed */
    sonde_model model;
    double *step;
} build;

static build *carve(sonde__arena *arena, const sonde_model *model) {
    build *b = SONDE__TAKE(arena, build, 1);
    double *step = SONDE__TAKE(arena, double, model->graph != NULL ? model->n_state : 0);
    if (b != NULL) {
        b->step = step;
    }
    return b;
}

static bool is_weight(double weight) {
    return weight >= 0.0 && weight <= SONDE_WEIGHT_MAX;
}

void sonde__policies_weigh_again(sonde_policies *weighed, const sonde_policies *policies,
                                 const sonde_weights *weights) {
    build *b = (build *)weighed;
    const sonde_model *model = policies->model;
    b->policies = *policies;
    b->policies.model = &b->model;
    b->model = *model;
    b->model.weights = (sonde_weights){model->weights.utility * weights->utility,
                                       model->weights.information * weights->information,
                                       model->weights.cost * weights->cost};
    if (model->graph != NULL) {
        for (int32_t s = 0; s < model->n_state; s++) {
            b->step[s] =
                b->model.weights.utility * model->risk[s] + b->model.weights.cost * model->cost[s];
        }
        b->model.step = b->step;
    }
}

sonde_status sonde_policies_weigh(const sonde_policies *policies, const sonde_weights *weights,
                                  sonde_policies **weighed, sonde_error *error) {
    const sonde_model *model = policies->model;
    if (!is_weight(weights->utility) || !is_weight(weights->information) ||
        !is_weight(weights->cost)) {
        return sonde__fail(error, SONDE_BAD_ARGUMENT,
                           "weights: expected three numbers from 0 to %d, found %g, %g and %g",
                           SONDE_WEIGHT_MAX, weights->utility, weights->information, weights->cost);
    }
    sonde__arena arena = {0};
    (void)carve(&arena, model);
    if (!sonde__arena_reserve(&arena)) {
        return sonde__fail_memory(error, "weighed policies", arena.used);
    }
    build *b = carve(&arena, model);
    sonde__policies_weigh_again(&b->policies, policies, weights);
    *weighed = &b->policies;
    return SONDE_OK;
}

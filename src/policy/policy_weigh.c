/* policy_weigh.c: the same policies of the same model, the parts of whose G count more or less.
 *
 * Nothing is copied but the two structs themselves: general models are weighed where G is worked
 * out, and graph worlds have one number for each edge, which is made anew. Where novelty counts,
 * factors and modalities are copied, too, and have tables of it. */
#include "policy/policy.h"

#include "base/settings.h"
#include "base/status.h"

const char *sonde__novelty_name(int32_t novelty) {
    static const char *const name[] = {"none", "joint", "product", "half", "inverse", NULL};
    return name[novelty >= 0 && novelty < 5 ? novelty : 5];
}

const char *sonde__novelty_about(int32_t novelty) {
    static const char *const about[] = {
        "nothing is",
        "exactly: the expected divergence of the counts after an outcome from those before",
        "pymdp 1.0's: the same of outcomes and states that are independent",
        "SPM's: product with (1/a - 1/a0) / 2 as what is gained",
        "pymdp 0.0.7's: product with 1/a - 1/a0",
        NULL};
    return about[novelty >= 0 && novelty < 5 ? novelty : 5];
}

/* the novelty of one array */
typedef struct {
    double *made;  /* the counts that the others are of, as the array is stored */
    double *gain;  /* as it is stored, where that is needed */
    double *table; /* by column */
} novelty;

/* the block that a caller owns */
typedef struct {
    sonde_policies policies; /* comes first: it is what is freed */
    sonde_model model;
    double *step;
    bool novel;               /* the rest is there */
    sonde_factor *factor;     /* (n_factor) */
    sonde_modality *modality; /* (n_modality) */
    novelty *B;               /* (n_factor) */
    novelty *A;               /* (n_modality) */
} build;

static novelty carve_novelty(sonde__arena *arena, const double *counts, bool gains, int64_t n,
                             int64_t n_column) {
    const bool learns = counts != NULL;
    return (novelty){.made = SONDE__TAKE(arena, double, learns ? n : 0),
                     .gain = SONDE__TAKE(arena, double, learns &&gains ? n : 0),
                     .table = SONDE__TAKE(arena, double, learns ? n_column : 0)};
}

static void carve_all(sonde__arena *arena, const sonde_model *model, bool gains, build *b) {
    b->factor = SONDE__TAKE(arena, sonde_factor, model->n_factor);
    b->modality = SONDE__TAKE(arena, sonde_modality, model->n_modality);
    b->B = SONDE__TAKE(arena, novelty, model->n_factor);
    b->A = SONDE__TAKE(arena, novelty, model->n_modality);
    for (int32_t f = 0; f < model->n_factor; f++) {
        const sonde_factor *factor = &model->factor[f];
        const novelty made = carve_novelty(arena, factor->counts_B, gains, sonde__size_of_B(factor),
                                           factor->n_previous * factor->n_action);
        if (b->B != NULL) {
            b->B[f] = made;
        }
    }
    for (int32_t m = 0; m < model->n_modality; m++) {
        const sonde_modality *modality = &model->modality[m];
        const novelty made = carve_novelty(arena, modality->counts_A, gains,
                                           sonde__size_of_A(modality), modality->n_state);
        if (b->A != NULL) {
            b->A[m] = made;
        }
    }
}

static build *carve(sonde__arena *arena, const sonde_model *model, const sonde_weights *weights) {
    build *b = SONDE__TAKE(arena, build, 1);
    build none = {.novel = false};
    build *to = b != NULL ? b : &none;
    to->step = SONDE__TAKE(arena, double, model->graph != NULL ? model->n_state : 0);
    to->novel = weights->novelty != SONDE_NOVELTY_NONE;
    if (to->novel) {
        carve_all(arena, model, weights->novelty != SONDE_NOVELTY_JOINT, to);
    }
    return b;
}

/* Tables of novelty, of the counts there are now. */
static void fill_novelty(build *b, const sonde_model *model) {
    const int32_t form = b->model.weights.novelty;
    const bool gains = form != SONDE_NOVELTY_JOINT;
    for (int32_t f = 0; f < model->n_factor; f++) {
        b->factor[f] = model->factor[f];
        if (model->factor[f].counts_B != NULL) {
            double *gain = gains ? b->B[f].gain : NULL;
            sonde__novelty_of_B(&model->factor[f], form, b->B[f].made, gain, b->B[f].table);
            b->factor[f].novelty = b->B[f].table;
            b->factor[f].gain = gain;
        }
    }
    for (int32_t m = 0; m < model->n_modality; m++) {
        b->modality[m] = model->modality[m];
        if (model->modality[m].counts_A != NULL) {
            double *gain = gains ? b->A[m].gain : NULL;
            sonde__novelty_of_A(&model->modality[m], form, b->A[m].made, gain, b->A[m].table);
            b->modality[m].novelty = b->A[m].table;
            b->modality[m].gain = gain;
        }
    }
    b->model.factor = b->factor;
    b->model.modality = b->modality;
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
                                       model->weights.cost * weights->cost,
                                       weights->novelty,
                                       weights->novelty_A,
                                       weights->novelty_B};
    if (b->novel) {
        fill_novelty(b, model);
    }
    if (model->graph != NULL) {
        for (int32_t s = 0; s < model->n_state; s++) {
            b->step[s] =
                b->model.weights.utility * model->risk[s] + b->model.weights.cost * model->cost[s];
        }
        b->model.step = b->step;
    }
}

static sonde_status check_novelty(const sonde_model *model, const sonde_weights *weights,
                                  sonde_error *error) {
    if (weights->novelty == SONDE_NOVELTY_NONE) {
        return SONDE_OK;
    }
    if (!is_weight(weights->novelty_A) || !is_weight(weights->novelty_B) || weights->novelty < 0 ||
        weights->novelty > SONDE_NOVELTY_INVERSE) {
        return sonde__fail(
            error, SONDE_BAD_ARGUMENT,
            "novelty: expected one of its forms, and weights from 0 to %d, found %d, "
            "%g and %g",
            SONDE_WEIGHT_MAX, weights->novelty, weights->novelty_A, weights->novelty_B);
    }
    bool any = false;
    for (int32_t f = 0; f < model->n_factor; f++) {
        any = any || model->factor[f].counts_B != NULL;
    }
    for (int32_t m = 0; model->modality != NULL && m < model->n_modality; m++) {
        any = any || model->modality[m].counts_A != NULL;
    }
    return any ? SONDE_OK
               : sonde__fail(
                     error, SONDE_BAD_ARGUMENT,
                     "novelty: is what can be learned of A and B, of which the model has no "
                     "counts; give \"counts\" in its file, or take novelty none");
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
    const sonde_status status = check_novelty(model, weights, error);
    if (status != SONDE_OK) {
        return status;
    }
    sonde__arena arena = {0};
    (void)carve(&arena, model, weights);
    if (!sonde__arena_reserve(&arena)) {
        return sonde__fail_memory(error, "weighed policies", arena.used);
    }
    build *b = carve(&arena, model, weights);
    sonde__policies_weigh_again(&b->policies, policies, weights);
    *weighed = &b->policies;
    return SONDE_OK;
}

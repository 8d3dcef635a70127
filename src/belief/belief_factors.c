/* belief_factors.c: beliefs of general models, one distribution for each factor, predicted.
 *
 *     Q(s'_f) = sum over s of B_f[s', s, u_f] Q(s), s the states of the factors it depends on,
 *     whose joint belief is the product of their own (a mean field, where there are several)
 *
 * belief_infer.c corrects them. */
#include <string.h>

#include "belief/belief.h"

int64_t sonde__belief_combine(const sonde_model *model, int32_t n_factor, const int32_t *factor,
                              const double *belief, double *combined) {
    int64_t n = 1;
    combined[0] = 1.0;
    for (int32_t i = 0; i < n_factor; i++) {
        const sonde_factor *f = &model->factor[factor[i]];
        /* from the back, so that what is read has not been written yet */
        for (int64_t j = n - 1; j >= 0; j--) {
            const double p = combined[j];
            for (int32_t s = f->n_state - 1; s >= 0; s--) {
                combined[j * f->n_state + s] = p * belief[f->first + s];
            }
        }
        n *= f->n_state;
    }
    return n;
}

/* Moves to the next combined state of some factors, the last fastest. */
static void count_on(const sonde_model *model, int32_t n_factor, const int32_t *factor,
                     int32_t *digit) {
    for (int32_t i = n_factor - 1; i >= 0; i--) {
        if (++digit[i] < model->factor[factor[i]].n_state) {
            return;
        }
        digit[i] = 0;
    }
}

/* Adds weight B[:, previous, u] to next. */
static void add_next(const sonde_factor *factor, int64_t previous, int32_t u, double weight,
                     double *next) {
    if (factor->B != NULL) {
        const double *row = factor->B + previous * factor->n_state * factor->n_lane + u;
        for (int32_t s = 0; s < factor->n_state; s++) {
            next[s] += row[(int64_t)s * factor->n_lane] * weight;
        }
        return;
    }
    const int64_t at = previous * factor->n_action + u;
    for (int64_t i = factor->offset[at]; i < factor->offset[at + 1]; i++) {
        next[factor->next[i]] += factor->p[i] * weight;
    }
}

void sonde__belief_predict(const sonde_model *model, int32_t action, const double *belief,
                           double *next) {
    int32_t tuple[SONDE_FACTORS_MAX];
    sonde__model_tuple(model, action, tuple);
    memset(next, 0, (size_t)model->n_belief * sizeof *next);
    for (int32_t f = 0; f < model->n_factor; f++) {
        const sonde_factor *factor = &model->factor[f];
        if (factor->n_depend == 1) {
            const double *alone = belief + model->factor[factor->depend[0]].first;
            for (int64_t previous = 0; previous < factor->n_previous; previous++) {
                if (alone[previous] != 0.0) {
                    add_next(factor, previous, tuple[f], alone[previous], next + factor->first);
                }
            }
            continue;
        }
        int32_t digit[SONDE_FACTORS_MAX] = {0};
        for (int64_t previous = 0; previous < factor->n_previous; previous++) {
            double weight = 1.0;
            for (int32_t i = 0; i < factor->n_depend; i++) {
                weight *= belief[model->factor[factor->depend[i]].first + digit[i]];
            }
            if (weight != 0.0) {
                add_next(factor, previous, tuple[f], weight, next + factor->first);
            }
            count_on(model, factor->n_depend, factor->depend, digit);
        }
    }
}

static void initial(const sonde_model *model, double *belief) {
    for (int32_t f = 0; f < model->n_factor; f++) {
        const sonde_factor *factor = &model->factor[f];
        memcpy(belief + factor->first, factor->D, (size_t)factor->n_state * sizeof *belief);
    }
}

static int32_t n_outcome(const sonde_model *model, int32_t m) {
    return model->modality[m].n_outcome;
}

static bool is_belief(const sonde_model *model, const double *belief) {
    for (int32_t f = 0; f < model->n_factor; f++) {
        if (!sonde__sums_to_one(belief + model->factor[f].first, model->factor[f].n_state)) {
            return false;
        }
    }
    return true;
}

const sonde__believing sonde__believing_factors = {
    .initial = initial,
    .predict = sonde__belief_predict,
    .observe = sonde__belief_infer,
    .n_scratch = sonde__belief_infer_scratch,
    .n_outcome = n_outcome,
    .is = is_belief,
};

/* counted.h: random models with counts, and G of their policies worked out the long way. */
#ifndef TESTS_LEARN_COUNTED_H
#define TESTS_LEARN_COUNTED_H

#include "base/numbers.h"
#include "random_models.h"

static inline double draw_normal(sonde__rng *rng) {
    const double u = sonde__rng_uniform(rng) + 1e-300;
    return sqrt(-2.0 * log(u)) * cos(6.283185307179586 * sonde__rng_uniform(rng));
}

static inline double draw_power(sonde__rng *rng, double low, double high) {
    return pow(10.0, low + (high - low) * sonde__rng_uniform(rng));
}

/* Counts of an array: each column has one at least; half of the others are 0 in a sparse one. */
static inline sonde_array draw_counts(sonde__rng *rng, scrap *s, bool sparse, int32_t n_axis,
                                      const int64_t *size) {
    int64_t *axes = scrap_take(s, n_axis, sizeof *axes);
    int64_t n_column = 1;
    for (int32_t i = 1; i < n_axis; i++) {
        n_column *= size[i];
    }
    double *value = scrap_take(s, n_column * size[0], sizeof *value);
    memcpy(axes, size, (size_t)n_axis * sizeof *axes);
    for (int64_t column = 0; column < n_column; column++) {
        const int64_t sure = draw_below(rng, (int32_t)size[0]);
        for (int64_t row = 0; row < size[0]; row++) {
            const bool kept = !sparse || row == sure || draw_chance(rng, 0.5);
            value[row * n_column + column] = kept ? draw_power(rng, -3.0, 3.0) : 0.0;
        }
    }
    return (sonde_array){.n_axis = n_axis, .size = axes, .value = value};
}

/* A model of one or two factors, coupled or not, with counts of all A and B. */
static inline sonde_model *draw_counted(uint64_t seed, int32_t horizon) {
    sonde__rng rng = sonde__rng_stream(seed, SONDE__FOR_PROBE, 7);
    scrap s = {0};
    sonde_parts parts = sonde_parts_defaults();
    const int32_t n_factor = 1 + draw_below(&rng, 2);
    const bool coupled = n_factor > 1 && draw_chance(&rng, 0.5);
    const bool sparse = draw_chance(&rng, 0.5);
    sonde_factor_parts factor[2] = {{.n_allowed = 0}};
    sonde_modality_parts modality[2] = {{.C = {.n_axis = 0}}};
    static const int32_t both[] = {0, 1};
    for (int32_t f = 0; f < n_factor; f++) {
        factor[f].shape.n_state = 2 + draw_below(&rng, n_factor == 1 ? 4 : 2);
        factor[f].shape.n_action = 2 + (n_factor == 1 ? draw_below(&rng, 2) : 0);
    }
    for (int32_t f = 0; f < n_factor; f++) {
        const bool depends = coupled && f == 0;
        const int64_t alone[] = {factor[f].shape.n_state, factor[f].shape.n_state,
                                 factor[f].shape.n_action};
        const int64_t all[] = {factor[f].shape.n_state, factor[0].shape.n_state,
                               factor[n_factor - 1].shape.n_state, factor[f].shape.n_action};
        factor[f].counts_B = draw_counts(&rng, &s, sparse, depends ? 4 : 3, depends ? all : alone);
        factor[f].D = draw_table(&rng, &s, COLUMNS_FULL, 1, alone);
        factor[f].shape.n_depend = depends ? 2 : 0;
        factor[f].shape.depend = depends ? both : NULL;
    }
    parts.n_modality = 1 + draw_below(&rng, 2);
    for (int32_t m = 0; m < parts.n_modality; m++) {
        modality[m].shape.n_outcome = 2 + draw_below(&rng, 4);
        const int64_t size[] = {modality[m].shape.n_outcome, factor[0].shape.n_state,
                                factor[n_factor - 1].shape.n_state};
        int64_t *one = scrap_take(&s, 1, sizeof *one);
        double *C = scrap_take(&s, modality[m].shape.n_outcome, sizeof *C);
        const double scale = draw_power(&rng, -1.0, 1.7);
        modality[m].counts_A = draw_counts(&rng, &s, sparse, 1 + n_factor, size);
        *one = modality[m].shape.n_outcome;
        for (int32_t o = 0; o < modality[m].shape.n_outcome; o++) {
            C[o] = scale * draw_normal(&rng);
        }
        modality[m].C = (sonde_array){.n_axis = 1, .size = one, .value = C};
    }
    parts.n_factor = n_factor;
    parts.factor = factor;
    parts.modality = modality;
    parts.settings.horizon = horizon;
    parts.settings.preferences =
        draw_chance(&rng, 0.5) ? SONDE_PREFERENCES_LOG : SONDE_PREFERENCES_UTILITY;
    sonde_model *model = NULL;
    sonde_error error = {0};
    if (sonde_model_new(&parts, NULL, NULL, &model, &error) != SONDE_OK) {
        fail_msg("%s", error.text);
    }
    scrap_free(&s);
    return model;
}

/* ------------------------------------------------------------------------- the long way -- */

/* What is gained by one more of a that were there of a0. */
static inline double naive_gain(int32_t form, double a, double a0) {
    if (a <= 0.0) {
        return 0.0;
    }
    if (form == SONDE_NOVELTY_HALF || form == SONDE_NOVELTY_INVERSE) {
        return (1.0 / a - 1.0 / a0) * (form == SONDE_NOVELTY_HALF ? 0.5 : 1.0);
    }
    return log(a0) - log(a) + sonde__digamma(a + 1.0) - sonde__digamma(a0 + 1.0);
}

static inline double naive_count_A(const sonde_modality *modality, int32_t o, int64_t s) {
    assert_non_null(modality->A); /* small arrays with counts are stored in full */
    return modality->counts_A[s * modality->n_outcome + o];
}

static inline double naive_count_B(const sonde_factor *factor, int32_t next, int64_t previous,
                                   int32_t u) {
    assert_non_null(factor->B);
    return factor->counts_B[(previous * factor->n_state + next) * factor->n_lane + u];
}

/* How probable the combined states of some factors are. */
static inline double naive_weight(const sonde_model *model, int32_t n, const int32_t *factor,
                                  const double *belief, int64_t at) {
    double p = 1.0;
    for (int32_t i = n - 1; i >= 0; i--) {
        const sonde_factor *f = &model->factor[factor[i]];
        p *= belief[f->first + at % f->n_state];
        at /= f->n_state;
    }
    return p;
}

/* Novelty of A in a belief, of all modalities. */
static inline double naive_novelty_A(const sonde_model *model, int32_t form, const double *belief) {
    double sum = 0.0;
    for (int32_t m = 0; m < model->n_modality; m++) {
        const sonde_modality *modality = &model->modality[m];
        for (int64_t s = 0; s < modality->n_state; s++) {
            const double q = naive_weight(model, modality->n_factor, modality->factor, belief, s);
            double a0 = 0.0;
            for (int32_t o = 0; o < modality->n_outcome; o++) {
                a0 += naive_count_A(modality, o, s);
            }
            for (int32_t o = 0; o < modality->n_outcome; o++) {
                const double a = naive_count_A(modality, o, s);
                double expected = a / a0;
                for (int64_t r = 0; form != SONDE_NOVELTY_JOINT && r < modality->n_state; r++) {
                    expected =
                        (r == 0 ? 0.0 : expected) +
                        naive_weight(model, modality->n_factor, modality->factor, belief, r) *
                            likelihood(modality, r, o);
                }
                sum += q * expected * naive_gain(form, a, a0);
            }
        }
    }
    return sum;
}

/* Novelty of B of a step from one belief to another. */
static inline double naive_novelty_B(const sonde_model *model, int32_t form, int32_t action,
                                     const double *before, const double *belief) {
    int32_t tuple[SONDE_FACTORS_MAX];
    double sum = 0.0;
    (void)sonde_model_tuple(model, action, tuple);
    for (int32_t f = 0; f < model->n_factor; f++) {
        const sonde_factor *factor = &model->factor[f];
        for (int64_t p = 0; p < factor->n_previous; p++) {
            const double q = naive_weight(model, factor->n_depend, factor->depend, before, p);
            double a0 = 0.0;
            for (int32_t s = 0; s < factor->n_state; s++) {
                a0 += naive_count_B(factor, s, p, tuple[f]);
            }
            for (int32_t s = 0; s < factor->n_state; s++) {
                const double a = naive_count_B(factor, s, p, tuple[f]);
                const double expected =
                    form == SONDE_NOVELTY_JOINT ? a / a0 : belief[factor->first + s];
                sum += q * expected * naive_gain(form, a, a0);
            }
        }
    }
    return sum;
}

/* G of one step without novelty: risk + ambiguity, per modality. */
static inline double naive_rest(const sonde_model *model, const double *belief) {
    double G = 0.0;
    for (int32_t m = 0; m < model->n_modality; m++) {
        const sonde_modality *modality = &model->modality[m];
        for (int32_t o = 0; o < modality->n_outcome; o++) {
            double q = 0.0;
            for (int64_t s = 0; s < modality->n_state; s++) {
                const double w =
                    naive_weight(model, modality->n_factor, modality->factor, belief, s);
                const double p = likelihood(modality, s, o);
                q += w * p;
                G -= w * (p > 0.0 ? p * log(fmax(p, 1e-16)) : 0.0);
            }
            G += q > 0.0 ? q * (log(fmax(q, 1e-16)) - modality->preference[o]) : 0.0;
        }
    }
    return G;
}

#endif

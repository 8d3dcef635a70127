/* belief_factors.c: beliefs of general models, one distribution for each factor.
 *
 *     predict    Q(s'_f) = sum over s of B_f[s', s, u_f] Q(s), s the states of the factors it depends on,
 *                whose joint belief is the product of their own (a mean field, where there are several)
 *     observe    one factor: Q(s) proportional to max(prod over m of A_m[o_m, s], floor) max(prior, floor)
 *                several: L = ln max(prod over m of A_m[o_m, ...], floor) over all combined states; from even
 *                beliefs on, every round sets all q_f proportional to exp( E_others[L] + ln prior_f ) from the
 *                round before, until 10 rounds or |F - F before| < 1e-3,
 *                F = sum over f of q_f . (ln q_f - ln prior_f) - E[L], the first F before being without E[L].
 *
 * Cost: the combined states, for every round and factor. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/numbers.h"
#include "belief/belief.h"

#define N_ROUND 10
#define TOLERANCE 1e-3

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

/* The largest number of combined states that a modality depends on. */
static uint64_t most_combined(const sonde_model *model) {
    int64_t most = 1;
    for (int32_t m = 0; m < model->n_modality; m++) {
        const int64_t n = model->modality[m].n_state;
        most = n > most ? n : most;
    }
    return (uint64_t)most;
}

uint64_t sonde__belief_scratch(const sonde_model *model) {
    if (model->graph != NULL) {
        return 0;
    }
    const double joint = model->n_joint < 1e15 ? model->n_joint : 1e15;
    /* a column of A; L or the likelihood of one factor's states; two beliefs */
    return sonde__add(sonde__add(most_combined(model), (uint64_t)joint),
                      2 * (uint64_t)model->n_belief);
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

void sonde__belief_likelihood(const sonde_modality *modality, int32_t outcome, double *column) {
    for (int64_t j = 0; j < modality->n_state; j++) {
        if (modality->A != NULL) {
            column[j] = modality->A[j * modality->n_outcome + outcome];
            continue;
        }
        column[j] = 0.0;
        for (int64_t i = modality->offset[j]; i < modality->offset[j + 1]; i++) {
            column[j] = modality->outcome[i] == outcome ? modality->p[i] : column[j];
        }
    }
}

double sonde__belief_surprise(const sonde_model *model, const int32_t *outcome, const double *prior,
                              double *scratch) {
    if (model->graph != NULL) {
        return 0.0 - sonde__log_floored(prior[outcome[0]]);
    }
    double *column = scratch;
    double *combined = scratch + most_combined(model);
    double surprise = 0.0;
    for (int32_t m = 0; m < model->n_modality; m++) {
        const sonde_modality *modality = &model->modality[m];
        sonde__belief_likelihood(modality, outcome[m], column);
        const int64_t n =
            sonde__belief_combine(model, modality->n_factor, modality->factor, prior, combined);
        double p = 0.0;
        for (int64_t j = 0; j < n; j++) {
            p += column[j] * combined[j];
        }
        surprise -= sonde__log_floored(p);
    }
    return surprise;
}

/* Multiplies a modality's column into the likelihood of all combined states. */
static void multiply_in(const sonde_model *model, const sonde_modality *modality,
                        const double *column, double *likelihood) {
    int32_t digit[SONDE_FACTORS_MAX] = {0};
    const int64_t n = (int64_t)model->n_joint;
    for (int64_t j = 0; j < n; j++) {
        int64_t at = 0;
        for (int32_t i = 0; i < modality->n_factor; i++) {
            const int32_t f = modality->factor[i];
            at = at * model->factor[f].n_state + digit[f];
        }
        likelihood[j] *= column[at];
        sonde__belief_next_state(model, digit);
    }
}

/* E[L] given each state of each factor, the others being as believed; returns E[L] over all. */
static double expect(const sonde_model *model, const double *L, const double *q, double *given) {
    int32_t digit[SONDE_FACTORS_MAX] = {0};
    double before[SONDE_FACTORS_MAX + 1] = {0.0};
    double expected = 0.0;
    const int64_t n = (int64_t)model->n_joint;
    memset(given, 0, (size_t)model->n_belief * sizeof *given);
    before[0] = 1.0;
    for (int64_t j = 0; j < n; j++) {
        for (int32_t f = 0; f < model->n_factor; f++) {
            before[f + 1] = before[f] * q[model->factor[f].first + digit[f]];
        }
        expected += before[model->n_factor] * L[j];
        double after = 1.0;
        for (int32_t f = model->n_factor - 1; f >= 0; f--) {
            const int32_t s = model->factor[f].first + digit[f];
            given[s] += before[f] * after * L[j];
            after *= q[s];
        }
        sonde__belief_next_state(model, digit);
    }
    return expected;
}

/* q proportional to exp(given + ln prior), factor by factor. */
static void weigh(const sonde_model *model, const double *given, const double *prior, double *q) {
    for (int32_t f = 0; f < model->n_factor; f++) {
        const sonde_factor *factor = &model->factor[f];
        double *p = q + factor->first;
        double most = -INFINITY;
        for (int32_t s = 0; s < factor->n_state; s++) {
            p[s] = given[factor->first + s] + sonde__log_floored(prior[factor->first + s]);
            most = p[s] > most ? p[s] : most;
        }
        double sum = 0.0;
        for (int32_t s = 0; s < factor->n_state; s++) {
            p[s] = sonde__exp(p[s] - most);
            sum += p[s];
        }
        for (int32_t s = 0; s < factor->n_state; s++) {
            p[s] /= sum;
        }
    }
}

/* sum over f of q_f . (ln q_f - ln prior_f) */
static double divergence(const sonde_model *model, const double *q, const double *prior) {
    double sum = 0.0;
    for (int32_t s = 0; s < model->n_belief; s++) {
        sum += q[s] * (sonde__log_floored(q[s]) - sonde__log_floored(prior[s]));
    }
    return sum;
}

/* The fixed-point iteration; q begins even. */
static void iterate(const sonde_model *model, const double *L, const double *prior, double *q,
                    double *given) {
    double before = divergence(model, q, prior);
    (void)expect(model, L, q, given);
    for (int32_t round = 0; round < N_ROUND; round++) {
        weigh(model, given, prior, q);
        const double expected = expect(model, L, q, given); /* serves the next round, too */
        const double F = divergence(model, q, prior) - expected;
        if (fabs(F - before) < TOLERANCE) {
            break;
        }
        before = F;
    }
}

void sonde__belief_observe(const sonde_model *model, const int32_t *outcome, const double *prior,
                           double *belief, double *scratch) {
    if (model->graph != NULL) {
        (void)sonde_belief_observe(model, outcome, prior, belief, NULL);
        return;
    }
    const int64_t n = (int64_t)model->n_joint;
    double *column = scratch;
    double *likelihood = column + most_combined(model);
    double *q = likelihood + n;
    double *given = q + model->n_belief;
    for (int64_t j = 0; j < n; j++) {
        likelihood[j] = 1.0;
    }
    for (int32_t m = 0; m < model->n_modality; m++) {
        sonde__belief_likelihood(&model->modality[m], outcome[m], column);
        multiply_in(model, &model->modality[m], column, likelihood);
    }
    for (int64_t j = 0; j < n; j++) {
        likelihood[j] = sonde__log_floored(likelihood[j]);
    }
    if (model->n_factor == 1) {
        weigh(model, likelihood, prior, q);
    } else {
        for (int32_t f = 0; f < model->n_factor; f++) {
            const sonde_factor *factor = &model->factor[f];
            for (int32_t s = 0; s < factor->n_state; s++) {
                q[factor->first + s] = 1.0 / (double)factor->n_state;
            }
        }
        iterate(model, likelihood, prior, q, given);
    }
    memcpy(belief, q, (size_t)model->n_belief * sizeof *belief);
}

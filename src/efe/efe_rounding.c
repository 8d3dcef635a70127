/* efe_rounding.c: how far a G that was computed can be from the exact one (docs/math.md,
 * "Rounding").
 *
 * Beliefs and outcomes are sums of products of numbers that are not negative. Nothing cancels
 * there, so each is off by no more than one unit for every operation that it has gone through,
 * relative to itself: a sum of n numbers is n - 1 operations, of which those with a 0 are exact.
 * With beliefs of f's factors off by e units,
 *
 *     e_f(t) = sum over the factors g that f depends on of e_g(t - 1) + terms of the sum + terms of
 *     a column + ...
 *
 * G adds up terms that may have both signs, so that what counts is the sum of their sizes. The
 * negative ones are the outcomes' negentropy, utilities above 0 and costs below 0; all of them
 * together are at least -offset / 2, so the sizes add up to G + offset at most. A part that is
 * weighed has its size weighed with it. */
#include "efe/efe_rounding.h"

#include <string.h>

#include "base/numbers.h"

/* combined states up to which bounds to go look at all of them (efe_bound.c) */
#define N_STATE_MAX 65536.0
/* operations outside of sums: logarithms and exponentials with 3 units each, products, exponents */
#define N_OPERATION 40.0
/* the same for what is weighed: products with weights and their differences, and the exponents of
 * bounds */
#define N_WEIGHED 8.0
/* units of ln C and of entropies, which are absolute, in terms of the relative ones */
#define ABSOLUTE 10.0
/* the same for bounds with the entropy of beliefs that are nearly certain: d ln d where d is
 * rounded, too */
#define ABSOLUTE_CERTAIN 40.0

void sonde__rounding_carve(sonde__arena *arena, const sonde_model *model,
                           sonde__rounding *rounding) {
    uint64_t most = 1;
    for (int32_t f = 0; model->graph == NULL && f < model->n_factor; f++) {
        const sonde_factor *factor = &model->factor[f];
        const uint64_t n = sonde__multiply((uint64_t)factor->n_state, (uint64_t)factor->n_action);
        most = n > most ? n : most;
    }
    rounding->count = SONDE__TAKE(arena, int32_t, most);
    rounding->version = 0;
}

static double most_of(int64_t n, const int32_t *count) {
    int32_t most = 0;
    for (int64_t i = 0; i < n; i++) {
        most = count[i] > most ? count[i] : most;
    }
    return (double)most;
}

/* The most numbers of B, other than 0, that are added up for one next state, and in one column. */
static double count_terms(const sonde_factor *factor, int32_t *count) {
    const int64_t n = (int64_t)factor->n_state * factor->n_action;
    double column = 0.0;
    memset(count, 0, (size_t)n * sizeof *count);
    for (int64_t at = 0; at < factor->n_previous * factor->n_action; at++) {
        const int64_t u = at % factor->n_action;
        const int64_t begin = factor->B != NULL ? 0 : factor->offset[at];
        const int64_t end = factor->B != NULL ? factor->n_state : factor->offset[at + 1];
        const double *B =
            factor->B != NULL
                ? factor->B + at / factor->n_action * factor->n_state * factor->n_lane + u
                : NULL;
        int32_t n_term = 0;
        for (int64_t i = begin; i < end; i++) {
            const int64_t next = B != NULL ? i : factor->next[i];
            const double p = B != NULL ? B[i * factor->n_lane] : factor->p[i];
            count[next * factor->n_action + u] += p != 0.0;
            n_term += p != 0.0;
        }
        column = (double)n_term > column ? (double)n_term : column;
    }
    return column + most_of(n, count);
}

/* Units of the beliefs of all factors after the last step, added up, and of the bounds to go. */
static double count_beliefs(const sonde_policies *policies, int32_t *count) {
    const sonde_model *model = policies->model;
    const int32_t horizon = policies->horizon;
    double units[2][SONDE_FACTORS_MAX];
    double added[SONDE_FACTORS_MAX];
    double sum = 0.0;
    for (int32_t f = 0; f < model->n_factor; f++) {
        const sonde_factor *factor = &model->factor[f];
        units[0][f] = factor->n_state + 2.0;
        added[f] = count_terms(factor, count) + factor->n_depend + 2.0;
        sum += added[f] * horizon;
    }
    for (int32_t t = 1; t <= horizon; t++) {
        for (int32_t f = 0; f < model->n_factor; f++) {
            const sonde_factor *factor = &model->factor[f];
            units[t % 2][f] = added[f];
            for (int32_t i = 0; i < factor->n_depend; i++) {
                units[t % 2][f] += units[(t + 1) % 2][factor->depend[i]];
            }
        }
    }
    for (int32_t f = 0; f < model->n_factor; f++) {
        sum += units[horizon % 2][f] + 1.0;
    }
    return sum;
}

/* Operations in the sums over states and outcomes, whatever their order. */
static double count_sums(const sonde_policies *policies) {
    const sonde_model *model = policies->model;
    const bool joint = sonde__model_is_joint(model);
    const bool all = joint || model->action_cost != NULL || model->n_joint <= N_STATE_MAX;
    double states = all ? model->n_joint : 0.0;
    double outcomes = joint ? (double)sonde__efe_joint_outcomes(model) : 0.0;
    for (int32_t m = 0; m < model->n_modality; m++) {
        const sonde_modality *modality = &model->modality[m];
        states = (double)modality->n_state > states ? (double)modality->n_state : states;
        outcomes = modality->n_outcome > outcomes ? modality->n_outcome : outcomes;
    }
    return 2.0 * (states + outcomes) + (double)policies->horizon * model->n_modality;
}

/* How much ln C and entropies count, at most. */
static double most_counted(const sonde_model *model) {
    const sonde_weights *w = &model->weights;
    return w->utility > w->information ? w->utility : w->information;
}

/* What the sizes of one modality's terms can have above their sum, at step t. */
static double find_offset(const sonde_model *model, const sonde_modality *modality, int32_t t) {
    const double *preference = sonde__efe_preference(model, modality, t);
    double liked = 0.0;
    double gained = 0.0;
    for (int32_t o = 0; o < modality->n_outcome; o++) {
        const double gain = -model->lambda * modality->cost[o];
        liked = preference[o] > liked ? preference[o] : liked;
        gained = gain > gained ? gain : gained;
    }
    return most_counted(model) * 2.0 * sonde__log((double)modality->n_outcome) +
           model->weights.utility * 4.0 * liked + model->weights.cost * 2.0 * gained;
}

static void fill_model(const sonde_policies *policies, sonde__rounding *rounding) {
    const sonde_model *model = policies->model;
    const double counted = most_counted(model);
    rounding->ahead = counted * ABSOLUTE_CERTAIN * policies->horizon * model->n_modality;
    for (int32_t f = 0; f < model->n_factor; f++) {
        rounding->ahead = model->factor[f].deterministic ? rounding->ahead : 0.0;
    }
    rounding->relative =
        SONDE__UNIT * (count_beliefs(policies, rounding->count) + count_sums(policies) +
                       N_OPERATION + (sonde__model_is_weighed(model) ? N_WEIGHED : 0.0));
    rounding->offset = 0.0;
    for (int32_t t = 1; t <= policies->horizon; t++) {
        for (int32_t m = 0; m < model->n_modality; m++) {
            rounding->offset += find_offset(model, &model->modality[m], t) + counted * ABSOLUTE;
        }
    }
    rounding->offset +=
        2.0 * policies->horizon * (sonde__efe_most_novelty(model) + sonde__efe_most_charge(model));
}

void sonde__rounding_fill(const sonde_policies *policies, sonde__rounding *rounding) {
    const sonde_model *model = policies->model;
    if (rounding->version == model->version) {
        return;
    }
    rounding->version = model->version;
    if (model->graph == NULL) {
        fill_model(policies, rounding);
        return;
    }
    /* a sum of T steps, none of them negative: risk, a product, and their sum */
    rounding->relative = SONDE__UNIT * (policies->horizon + 8.0);
    rounding->offset = 2.0 * policies->horizon * most_counted(model);
    rounding->ahead = 0.0;
    rounding->n_out = 0;
    for (int32_t v = 0; v < model->graph->n_node; v++) {
        const int32_t n = model->graph->first[v + 1] - model->graph->first[v];
        rounding->n_out = n > rounding->n_out ? n : rounding->n_out;
    }
}

double sonde__rounding_of(const sonde__rounding *rounding, double efe) {
    return rounding->relative * (efe + rounding->offset);
}

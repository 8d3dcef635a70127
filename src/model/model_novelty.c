/* model_novelty.c: what is expected to be learned of A and B (docs/math.md, "Novelty").
 *
 * With counts a of a column, their sum a0 and their mean A, an outcome o adds one to a_o. What is
 * gained by it is the divergence of the Dirichlet distribution after from that before,
 *
 *     W_o = ln a0 - ln a_o + psi(a_o + 1) - psi(a0 + 1) >= 0
 *
 * and what is expected to be gained is n = sum over o of A_o W_o, between 0 and the entropy of A.
 * Counts of 0 gain nothing. Where outcome and state are taken to be independent, q' A' W q, n is
 * replaced by what bounds it for every q: with M = A' W, n(s) = max over s' of (M + M') / 2. */
#include "base/numbers.h"
#include "model/model.h"

/* columns of which every pair is looked at; beyond these a looser bound has to do */
#define PAIRS_MAX 512
/* what others add to counts that they divide by, and what pymdp 1.0 makes counts at least */
#define ADDED 1e-16
#define LEAST 0x1p-52

int64_t sonde__size_of_A(const sonde_modality *modality) {
    return modality->A != NULL ? modality->n_state * modality->n_outcome
                               : modality->offset[modality->n_state];
}

int64_t sonde__size_of_B(const sonde_factor *factor) {
    return factor->B != NULL ? factor->n_previous * factor->n_state * factor->n_lane
                             : factor->offset[factor->n_previous * factor->n_action];
}

/* What one more of something counts that was there a times of a0, to which the two that divide have
 * added what they add to each count. */
static double gain_of(int32_t form, double a, double a0) {
    double gain = 0.0;
    if (a > 0.0) {
        a = form == SONDE_NOVELTY_PRODUCT && a < LEAST ? LEAST : a;
        gain = form == SONDE_NOVELTY_HALF || form == SONDE_NOVELTY_INVERSE
                   ? 1.0 / (a + ADDED) - 1.0 / a0
                   : sonde__digamma_lead(a) - sonde__digamma_lead(a0);
        gain *= form == SONDE_NOVELTY_HALF ? 0.5 : 1.0;
    }
    return gain > 0.0 ? gain : 0.0;
}

/* Whether a column has other counts than before, which are noted. */
static bool note_column(const sonde__slice *c, const double *counts, double *made) {
    bool changed = false;
    for (int64_t i = 0; i < c->n; i++) {
        const int64_t at = c->first + i * c->stride;
        changed = changed || made[at] != counts[at];
        made[at] = counts[at];
    }
    return changed;
}

/* What is gained by each number of a column, unless `gain` is NULL; returns what is expected. */
static double fill_column(const sonde__slice *c, int32_t form, const double *counts, double *gain) {
    double sum = 0.0;
    double expected = 0.0;
    for (int64_t i = 0; i < c->n; i++) {
        sum += counts[c->first + i * c->stride];
    }
    sum = form == SONDE_NOVELTY_PRODUCT && sum < LEAST ? LEAST : sum;
    const bool divides = form == SONDE_NOVELTY_HALF || form == SONDE_NOVELTY_INVERSE;
    const double all = divides ? sum + (double)c->n * ADDED : sum;
    for (int64_t i = 0; i < c->n; i++) {
        const int64_t at = c->first + i * c->stride;
        const double each = gain_of(form, counts[at], all);
        expected += counts[at] / sum * each;
        if (gain != NULL) {
            gain[at] = each;
        }
    }
    return expected;
}

/* The largest gain of a column. */
static double most_gained(const sonde__slice *c, const double *gain) {
    double most = 0.0;
    for (int64_t i = 0; i < c->n; i++) {
        const double each = gain[c->first + i * c->stride];
        most = each > most ? each : most;
    }
    return most;
}

/* sum over rows of p[., a] gain[., b], of columns that are stored in full */
static double meet(const sonde__slice *a, const sonde__slice *b, const double *p,
                   const double *gain) {
    double sum = 0.0;
    for (int64_t i = 0; i < a->n; i++) {
        sum += p[a->first + i * a->stride] * gain[b->first + i * b->stride];
    }
    return sum;
}

/* what the bound of one column against all others needs */
typedef struct {
    int32_t form;
    int64_t n; /* columns */
    const double *counts;
    double *made; /* the counts that were there before */
    const double *p;
    double *gain;
    double most;    /* gained in any of them */
    const void *of; /* the modality, or the factor */
    int32_t u;      /* and its action */
    sonde__slice (*column)(const void *of, int64_t i, int32_t u);
} columns;

static double bound_column(const columns *all, int64_t i) {
    const sonde__slice c = all->column(all->of, i, all->u);
    if (c.row != NULL || all->n > PAIRS_MAX) {
        return 0.5 * (most_gained(&c, all->gain) + all->most);
    }
    double most = 0.0;
    for (int64_t k = 0; k < all->n; k++) {
        const sonde__slice other = all->column(all->of, k, all->u);
        const double both =
            0.5 * (meet(&other, &c, all->p, all->gain) + meet(&c, &other, all->p, all->gain));
        most = both > most ? both : most;
    }
    return most;
}

/* One table of novelty, `stride` apart, from counts. */
static void fill(columns *all, double *novelty, int64_t stride) {
    bool changed = false;
    for (int64_t i = 0; i < all->n; i++) {
        const sonde__slice c = all->column(all->of, i, all->u);
        if (note_column(&c, all->counts, all->made)) {
            changed = true;
            novelty[i * stride] = fill_column(&c, all->form, all->counts, all->gain);
        }
    }
    if (all->form == SONDE_NOVELTY_JOINT || !changed) {
        return;
    }
    all->most = 0.0;
    for (int64_t i = 0; i < all->n; i++) {
        const sonde__slice c = all->column(all->of, i, all->u);
        const double most = most_gained(&c, all->gain);
        all->most = most > all->most ? most : all->most;
    }
    for (int64_t i = 0; i < all->n; i++) {
        novelty[i * stride] = bound_column(all, i);
    }
}

static sonde__slice of_A(const void *of, int64_t i, int32_t u) {
    (void)u;
    return sonde__slice_of_A(of, i);
}

static sonde__slice of_B(const void *of, int64_t i, int32_t u) {
    return sonde__slice_of_B(of, i, u);
}

void sonde__novelty_of_A(const sonde_modality *modality, int32_t form, double *made, double *gain,
                         double *novelty) {
    columns all = {.form = form,
                   .n = modality->n_state,
                   .counts = modality->counts_A,
                   .of = modality,
                   .column = of_A};
    all.made = made;
    all.gain = gain;
    all.p = modality->A != NULL ? modality->A : modality->p;
    fill(&all, novelty, 1);
}

void sonde__novelty_of_B(const sonde_factor *factor, int32_t form, double *made, double *gain,
                         double *novelty) {
    for (int32_t u = 0; u < factor->n_action; u++) {
        columns all = {.form = form,
                       .n = factor->n_previous,
                       .counts = factor->counts_B,
                       .of = factor,
                       .u = u,
                       .column = of_B};
        all.made = made;
        all.gain = gain;
        all.p = factor->B != NULL ? factor->B : factor->p;
        fill(&all, novelty + u, factor->n_action);
    }
}

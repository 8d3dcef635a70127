/* certificates.c: does any certificate say what is not so?
 *
 *     certificates FIRST COUNT SECONDS
 *
 * Makes the models FIRST, FIRST + 1, ..., COUNT of them or as many as the seconds allow, plans on
 * each with several settings through the public interface, and holds every field of every
 * certificate to what brute force says: all policies listed (open loop), all histories followed
 * (closed loop), in long double, whose rounding is a two-thousandth of a double's. Where there is
 * no horizon histories are followed so far that what comes later can weigh next to nothing. Some
 * agents then act, see what follows, and decide again from what they believe. Nothing is shared
 * with the library but its header. Prints a sentence for each thing that is not so, and at
 * last "models N searches N".
 *
 * Numbers go to the ends of what is allowed: gamma from 1e-3 to 1e5, preferences and utilities up
 * to 1e5, probabilities of 0 and of 1e-18, actions that are the same, priors with zeros, one
 * action, one step, one outcome, epsilon from 0 to 1, budgets of a few steps. Columns are made of
 * powers of 2, so that each sums to 1 exactly and nobody need divide it. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "sonde.h"
#include "sonde_make.h"

typedef long double real;

enum {
    FACTORS = 3,
    STATES = 4,
    JOINT = 24,
    OWN_ACTIONS = 4,
    ACTIONS = 8,
    MODALITIES = 3,
    OUTCOMES = 4,
    TUPLES = 64,
    STEPS = 6,
    POLICIES = 700,
    BACKUPS = 3,
    NODES = 4
};
/* what the sums here can be off by, relative to the sizes of their terms */
static const real OWN = 0x1p-57L;

/* ------------------------------------------------------------------------------------ chance -- */

typedef struct {
    uint64_t state;
} chance;

static uint64_t bits(chance *c) {
    uint64_t z = (c->state += UINT64_C(0x9E3779B97F4A7C15));
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

static int below(chance *c, int n) {
    return (int)(bits(c) % (uint64_t)n);
}

static double uniform(chance *c) {
    return (double)(bits(c) >> 11) * 0x1p-53;
}

static bool may(chance *c, double p) {
    return uniform(c) < p;
}

static double power(chance *c, double least, double most) {
    return pow(10.0, least + (most - least) * uniform(c));
}

/* ------------------------------------------------------------------------------------ worlds -- */

/* A model as it is handed over, and the same as brute force wants it: by joint states. */
typedef struct {
    int n_factor;
    int n_modality;
    int horizon;
    int n_state[FACTORS];
    int n_action[FACTORS];
    int n_outcome[MODALITIES];
    int n_depend[FACTORS];
    int32_t depend[FACTORS][FACTORS];
    int n_seen[MODALITIES];
    int32_t seen[MODALITIES][FACTORS];
    int n_joint;
    int n_tuple;    /* of actions */
    int n_together; /* tuples of outcomes */
    bool coupled;
    bool by_action[MODALITIES];
    double A[MODALITIES][OUTCOMES * JOINT * ACTIONS];
    double B[FACTORS][STATES * JOINT * OWN_ACTIONS];
    double D[FACTORS][STATES];
    double counts_A; /* how many each column has; 0: none */
    double counts_B;
    int n_row[MODALITIES]; /* of C: 0 for one that serves all steps */
    double C[MODALITIES][STEPS * OUTCOMES];
    bool has_cost[MODALITIES];
    double cost[MODALITIES][OUTCOMES];
    bool has_charge; /* action_cost */
    double charge[JOINT * ACTIONS];
    bool has_prior; /* action_prior */
    double prior[ACTIONS];
    bool has_habit; /* counts_E */
    double habit[ACTIONS];
    int n_listed;
    int32_t listed[16 * STEPS * FACTORS];
    bool has_E;
    double E[16];
    int n_allowed; /* pairs of the first factor; 0: all policies */
    int32_t allowed[2 * STATES * OWN_ACTIONS];
    int32_t preferences;
    int32_t information;
    double lambda;
    double gamma;
    double discount;
    sonde_weights weights;
    /* brute force's */
    real likelihood[MODALITIES][ACTIONS][OUTCOMES][JOINT];
    real blur[MODALITIES][ACTIONS][JOINT];
    real transition[FACTORS][OWN_ACTIONS][STATES][JOINT];
    real value[MODALITIES][STEPS][OUTCOMES];
    real gain_A[MODALITIES][OUTCOMES][JOINT];
    real gain_B[FACTORS][OWN_ACTIONS][STATES][JOINT];
    real size; /* how large the terms of a policy are, summed, at most */
    real rest; /* how much comes after the histories that are followed, at most */
} world;

static real floored(real x) {
    return logl(x > (real)1e-16 ? x : (real)1e-16);
}

/* The state of one factor within a joint state, the last factor fastest. */
static int state_of(const world *w, int joint, int f) {
    for (int g = w->n_factor - 1; g > f; g--) {
        joint /= w->n_state[g];
    }
    return joint % w->n_state[f];
}

/* The same of an action in a tuple, and of an outcome. */
static int action_of(const world *w, int tuple, int f) {
    for (int g = w->n_factor - 1; g > f; g--) {
        tuple /= w->n_action[g];
    }
    return tuple % w->n_action[f];
}

static int outcome_of(const world *w, int together, int m) {
    for (int k = w->n_modality - 1; k > m; k--) {
        together /= w->n_outcome[k];
    }
    return together % w->n_outcome[m];
}

/* Where the states of some factors stand in a table that has them side by side. */
static int column_of(const world *w, int joint, int n, const int32_t *which) {
    int column = 0;
    for (int i = 0; i < n; i++) {
        column = column * w->n_state[which[i]] + state_of(w, joint, which[i]);
    }
    return column;
}

static int product_of(const world *w, int n, const int32_t *which) {
    int product = 1;
    for (int i = 0; i < n; i++) {
        product *= w->n_state[which[i]];
    }
    return product;
}

/* One distribution, `stride` apart, that sums to 1 exactly: multiples of 2^-20 or of 2^-45. */
static void draw_column(chance *c, int kind, int n, double *p, int stride) {
    const int sure = below(c, n);
    int64_t left = INT64_C(1) << 20;
    for (int i = 0; i < n; i++) {
        p[i * stride] = 0.0;
    }
    if (kind == 1) { /* certain */
        p[sure * stride] = 1.0;
        return;
    }
    if (kind == 2) { /* nearly so */
        const double rest = (double)(1 + below(c, 1000)) * 0x1p-45;
        const int other = below(c, n);
        p[sure * stride] = other == sure ? 1.0 : 1.0 - rest;
        p[other * stride] += other == sure ? 0.0 : rest;
        return;
    }
    if (kind == 3) { /* with a trace that no sum notices */
        p[sure * stride] = 1.0;
        p[below(c, n) * stride] += 0x1p-60;
        return;
    }
    for (int i = 0; i < n; i++) {
        const bool none = kind == 4 && may(c, 0.5);
        const int64_t part = i == sure || none ? 0 : (int64_t)((double)left * uniform(c));
        p[i * stride] += (double)part * 0x1p-20;
        left -= part;
    }
    p[sure * stride] += (double)left * 0x1p-20;
}

static void draw_table(chance *c, int n, int n_column, double *table) {
    const int kind = below(c, 5);
    for (int column = 0; column < n_column; column++) {
        draw_column(c, may(c, 0.1) ? below(c, 5) : kind, n, table + column, n_column);
    }
}

/* Some of the numbers below n, at least one, in any order. */
static int draw_some(chance *c, int n, int32_t *some) {
    for (int i = 0; i < n; i++) {
        const int at = below(c, i + 1);
        some[i] = some[at];
        some[at] = i;
    }
    return 1 + below(c, n);
}

static void draw_sizes(chance *c, world *w, bool closed) {
    w->n_factor = 1 + below(c, closed ? 2 : FACTORS);
    w->n_modality = 1 + below(c, closed ? 2 : MODALITIES);
    w->n_joint = 1;
    w->n_tuple = 1;
    w->n_together = 1;
    for (int f = 0; f < w->n_factor; f++) {
        const int room = JOINT / w->n_joint < STATES ? JOINT / w->n_joint : STATES;
        w->n_state[f] = may(c, 0.07) ? 1 : 1 + below(c, w->n_factor == 1 || f == 0 ? room : 2);
        w->n_joint *= w->n_state[f];
        const int most = f == 0 ? OWN_ACTIONS : 2;
        w->n_action[f] = may(c, 0.15) ? 1 : 1 + below(c, most);
        w->n_tuple *= w->n_action[f];
        if (w->n_tuple > ACTIONS) {
            w->n_tuple /= w->n_action[f];
            w->n_action[f] = 1;
        }
    }
    for (int m = 0; m < w->n_modality; m++) {
        w->n_outcome[m] = may(c, 0.07) ? 1 : 2 + below(c, closed && m > 0 ? 1 : 3);
        w->n_together *= w->n_outcome[m];
    }
}

static void draw_factor(chance *c, world *w, int f) {
    w->n_depend[f] = 1;
    w->depend[f][0] = f;
    if (w->n_factor > 1 && may(c, 0.2)) {
        w->n_depend[f] = draw_some(c, w->n_factor, w->depend[f]);
    }
    w->coupled = w->coupled || w->n_depend[f] > 1 || w->depend[f][0] != f;
    const int n_previous = product_of(w, w->n_depend[f], w->depend[f]);
    const int n_action = w->n_action[f];
    draw_table(c, w->n_state[f], n_previous * n_action, w->B[f]);
    draw_table(c, w->n_state[f], 1, w->D[f]);
    if (n_action > 1 && may(c, 0.25)) { /* two actions that are the same */
        for (int i = 0; i < w->n_state[f] * n_previous; i++) {
            w->B[f][i * n_action + n_action - 1] = w->B[f][i * n_action];
        }
    }
}

static double draw_preference(chance *c, const world *w, double scale) {
    if (w->preferences == SONDE_PREFERENCES_PROBABILITY) {
        return may(c, 0.2) ? 0.0 : power(c, -12.0, 0.0);
    }
    return may(c, 0.2) ? 0.0 : scale * (2.0 * uniform(c) - 1.0);
}

static void draw_modality(chance *c, world *w, int m, double scale, bool by_action) {
    w->n_seen[m] = draw_some(c, w->n_factor, w->seen[m]);
    w->by_action[m] = by_action && w->n_tuple > 1 && may(c, 0.5);
    const int n_column =
        product_of(w, w->n_seen[m], w->seen[m]) * (w->by_action[m] ? w->n_tuple : 1);
    draw_table(c, w->n_outcome[m], n_column, w->A[m]);
    w->n_row[m] = may(c, 0.2) ? w->horizon : 0;
    for (int i = 0; i < (w->n_row[m] > 0 ? w->n_row[m] : 1); i++) {
        bool some = false;
        for (int o = 0; o < w->n_outcome[m]; o++) {
            w->C[m][i * w->n_outcome[m] + o] = draw_preference(c, w, scale);
            some = some || w->C[m][i * w->n_outcome[m] + o] > 0.0;
        }
        if (!some && w->preferences == SONDE_PREFERENCES_PROBABILITY) {
            w->C[m][i * w->n_outcome[m]] = 1.0;
        }
    }
    w->has_cost[m] = may(c, 0.4);
    for (int o = 0; o < w->n_outcome[m]; o++) {
        w->cost[m][o] = may(c, 0.2) ? 0.0 : 3.0 * uniform(c) - 0.5;
    }
}

static double draw_gamma(chance *c) {
    const double usual[] = {1.0, 16.0, 1e-3, 1e5, 4.0};
    return may(c, 0.4) ? usual[below(c, 5)] : power(c, -3.0, 5.0);
}

/* What both loops have. */
static void draw_world(chance *c, world *w, bool closed, int horizon_most) {
    memset(w, 0, sizeof *w);
    draw_sizes(c, w, closed);
    w->horizon = 1 + below(c, horizon_most);
    w->preferences = below(c, 3);
    w->information = may(c, 0.15) ? SONDE_INFORMATION_OFF : below(c, 2);
    w->gamma = draw_gamma(c);
    w->lambda = may(c, 0.5) ? 0.0 : may(c, 0.8) ? 2.0 * uniform(c) : power(c, 0.0, 5.0);
    w->discount = 1.0;
    w->weights = sonde_search_defaults().weights;
    const double scale = may(c, 0.6) ? 3.0 : power(c, 0.0, 5.0);
    const bool by_action = may(c, 0.25);
    for (int f = 0; f < w->n_factor; f++) {
        draw_factor(c, w, f);
    }
    for (int m = 0; m < w->n_modality; m++) {
        draw_modality(c, w, m, scale, by_action);
    }
    w->has_charge = may(c, 0.25);
    for (int i = 0; i < w->n_joint * w->n_tuple; i++) {
        w->charge[i] = may(c, 0.3) ? 0.0 : 4.0 * uniform(c) - 2.0;
    }
}

/* ---------------------------------------------------------------------- what brute force has -- */

/* The digamma function of a number above 0. */
static real digamma(real x) {
    static const real term[] = {1.0L / 12,  -1.0L / 120,     1.0L / 252, -1.0L / 240,
                                1.0L / 132, -691.0L / 32760, 1.0L / 12,  -3617.0L / 8160};
    real sum = 0.0L;
    while (x < 40.0L) {
        sum -= 1.0L / x;
        x += 1.0L;
    }
    sum += logl(x) - 0.5L / x;
    real square = 1.0L / (x * x);
    for (int k = 0; k < 8; k++) {
        sum -= term[k] * square;
        square /= x * x;
    }
    return sum;
}

/* What is gained by one more of something that was there a times of a0. */
static real gain_of(int32_t form, real a, real a0) {
    if (a <= 0.0L || form == SONDE_NOVELTY_NONE) {
        return 0.0L;
    }
    real gain = 0.0L;
    if (form == SONDE_NOVELTY_PRODUCT) { /* pymdp's, which makes counts this much at least */
        a = fmaxl(a, 0x1p-52L);
        a0 = fmaxl(a0, 0x1p-52L);
    }
    if (form == SONDE_NOVELTY_HALF || form == SONDE_NOVELTY_INVERSE) {
        gain = 1.0L / (a + (real)1e-16) - 1.0L / (a0 + (real)1e-16);
        gain *= form == SONDE_NOVELTY_HALF ? 0.5L : 1.0L;
    } else {
        gain = logl(a0) - logl(a) + digamma(a + 1.0L) - digamma(a0 + 1.0L);
    }
    return gain > 0.0L ? gain : 0.0L;
}

static void spread_likelihood(world *w, int m) {
    const int n_column = product_of(w, w->n_seen[m], w->seen[m]);
    const int n_action = w->by_action[m] ? w->n_tuple : 1;
    for (int u = 0; u < w->n_tuple; u++) {
        for (int s = 0; s < w->n_joint; s++) {
            const int column = column_of(w, s, w->n_seen[m], w->seen[m]);
            w->blur[m][u][s] = 0.0L;
            for (int o = 0; o < w->n_outcome[m]; o++) {
                const real p =
                    (real)w->A[m][(o * n_column + column) * n_action + (w->by_action[m] ? u : 0)];
                w->likelihood[m][u][o][s] = p;
                w->blur[m][u][s] -= p * floored(p);
                w->gain_A[m][o][s] =
                    gain_of(w->weights.novelty, p * (real)w->counts_A, (real)w->counts_A);
            }
        }
    }
}

static void spread_transition(world *w, int f) {
    const int n_previous = product_of(w, w->n_depend[f], w->depend[f]);
    for (int u = 0; u < w->n_action[f]; u++) {
        for (int s = 0; s < w->n_joint; s++) {
            const int column = column_of(w, s, w->n_depend[f], w->depend[f]);
            for (int next = 0; next < w->n_state[f]; next++) {
                const real p = (real)w->B[f][(next * n_previous + column) * w->n_action[f] + u];
                w->transition[f][u][next][s] = p;
                w->gain_B[f][u][next][s] =
                    gain_of(w->weights.novelty, p * (real)w->counts_B, (real)w->counts_B);
            }
        }
    }
}

static void spread_preference(world *w, int m) {
    const int n = w->n_outcome[m];
    for (int t = 0; t < w->horizon; t++) {
        const double *C = w->C[m] + (w->n_row[m] > 0 ? t : 0) * n;
        real most = -INFINITY;
        real sum = 0.0L;
        for (int o = 0; o < n; o++) {
            most = (real)C[o] > most ? (real)C[o] : most;
        }
        for (int o = 0; o < n; o++) {
            sum += w->preferences == SONDE_PREFERENCES_LOG ? expl((real)C[o] - most) : (real)C[o];
        }
        for (int o = 0; o < n; o++) {
            const real log_softmax = (real)C[o] - most - logl(sum);
            const real least = logl((real)1e-16);
            w->value[m][t][o] = w->preferences == SONDE_PREFERENCES_UTILITY ? (real)C[o]
                                : w->preferences == SONDE_PREFERENCES_PROBABILITY
                                    ? floored((real)C[o] / sum)
                                : log_softmax > least ? log_softmax
                                                      : least;
        }
    }
}

/* How large the terms of one modality are in a step, at most; and those of one factor. */
static real size_of_modality(const world *w, int m) {
    const sonde_weights *g = &w->weights;
    const int n = w->n_outcome[m];
    real liked = 0.0L;
    real dear = 0.0L;
    real gain = 0.0L;
    for (int i = 0; i < w->horizon * n; i++) {
        const real C = (real)w->C[m][w->n_row[m] > 0 ? i : i % n];
        liked = fmaxl(liked, fabsl(w->value[m][i / n][i % n]) + fabsl(C));
    }
    for (int o = 0; o < n; o++) {
        dear = fmaxl(dear, w->has_cost[m] ? fabsl((real)w->cost[m][o] * (real)w->lambda) : 0.0L);
        for (int s = 0; s < w->n_joint; s++) {
            gain = fmaxl(gain, w->gain_A[m][o][s]);
        }
    }
    const real most = (real)fmax(1.0, fmax(g->utility, g->information));
    return most * (80.0L + liked) + (real)fmax(1.0, g->cost) * dear +
           (real)fmax(1.0, g->novelty_A) * gain;
}

static real size_of_factor(const world *w, int f) {
    real gain = 0.0L;
    for (int u = 0; u < w->n_action[f]; u++) {
        for (int i = 0; i < w->n_state[f] * w->n_joint; i++) {
            gain = fmaxl(gain, w->gain_B[f][u][i / w->n_joint][i % w->n_joint]);
        }
    }
    return (real)fmax(1.0, w->weights.novelty_B) * gain;
}

/* Everything by joint states, and how large a policy's terms are. */
static void spread_world(world *w) {
    real each = w->has_charge ? 2.0L * (real)fmax(1.0, w->weights.cost) : 0.0L;
    for (int f = 0; f < w->n_factor; f++) {
        spread_transition(w, f);
        each += size_of_factor(w, f);
    }
    for (int m = 0; m < w->n_modality; m++) {
        spread_likelihood(w, m);
        spread_preference(w, m);
        each += size_of_modality(w, m);
    }
    w->size = each * (real)w->horizon;
}

/* ----------------------------------------------------------------------- handing a world over -- */

static int64_t sizes[64];
static int n_sizes;

static const int64_t *axes(int n, const int64_t *size) {
    int64_t *kept = sizes + n_sizes;
    memcpy(kept, size, (size_t)n * sizeof *size);
    n_sizes += n;
    return kept;
}

static double counted[MODALITIES + FACTORS][STATES * JOINT * ACTIONS];

/* A table, or the counts that it is the mean of. */
static void put_table(sonde_array *table, sonde_array *counts, sonde_array given, double n,
                      double *room) {
    int64_t size = 1;
    for (int i = 0; i < given.n_axis; i++) {
        size *= given.size[i];
    }
    if (n == 0.0) {
        *table = given;
        return;
    }
    for (int64_t i = 0; i < size; i++) {
        room[i] = given.value[i] * n;
    }
    *counts = given;
    counts->value = room;
}

static sonde_factor_parts factor_parts(const world *w, int f) {
    int64_t size[FACTORS + 2] = {w->n_state[f]};
    int n = 1;
    sonde_factor_parts parts = {.shape = {.n_state = w->n_state[f],
                                          .n_action = w->n_action[f],
                                          .n_depend = w->n_depend[f],
                                          .depend = w->depend[f]}};
    for (int i = 0; i < w->n_depend[f]; i++) {
        size[n++] = w->n_state[w->depend[f][i]];
    }
    size[n++] = w->n_action[f];
    put_table(&parts.B, &parts.counts_B,
              (sonde_array){.n_axis = n, .size = axes(n, size), .value = w->B[f]}, w->counts_B,
              counted[MODALITIES + f]);
    parts.D = (sonde_array){.n_axis = 1, .size = axes(1, size), .value = w->D[f]};
    if (f == 0 && w->n_allowed > 0) {
        parts.n_allowed = w->n_allowed;
        parts.allowed = w->allowed;
    }
    return parts;
}

static sonde_modality_parts modality_parts(const world *w, int m) {
    int64_t size[FACTORS + 2] = {w->n_outcome[m]};
    int n = 1;
    sonde_modality_parts parts = {
        .shape = {.n_outcome = w->n_outcome[m], .n_factor = w->n_seen[m], .factor = w->seen[m]}};
    for (int i = 0; i < w->n_seen[m]; i++) {
        size[n++] = w->n_state[w->seen[m][i]];
    }
    if (w->by_action[m]) {
        size[n++] = w->n_tuple;
    }
    put_table(&parts.A, &parts.counts_A,
              (sonde_array){.n_axis = n, .size = axes(n, size), .value = w->A[m]}, w->counts_A,
              counted[m]);
    const int64_t rows[2] = {w->n_row[m], w->n_outcome[m]};
    parts.C = w->n_row[m] > 0
                  ? (sonde_array){.n_axis = 2, .size = axes(2, rows), .value = w->C[m]}
                  : (sonde_array){.n_axis = 1, .size = axes(1, rows + 1), .value = w->C[m]};
    if (w->has_cost[m]) {
        parts.cost = (sonde_array){.n_axis = 1, .size = axes(1, rows + 1), .value = w->cost[m]};
    }
    return parts;
}

static sonde_status hand_over(const world *w, sonde_model **model, sonde_error *error) {
    sonde_parts parts = sonde_parts_defaults();
    sonde_factor_parts factor[FACTORS];
    sonde_modality_parts modality[MODALITIES];
    int64_t size[FACTORS + 1] = {0};
    n_sizes = 0;
    for (int f = 0; f < w->n_factor; f++) {
        factor[f] = factor_parts(w, f);
        size[f] = w->n_state[f];
    }
    size[w->n_factor] = w->n_tuple;
    for (int m = 0; m < w->n_modality; m++) {
        modality[m] = modality_parts(w, m);
    }
    parts.n_factor = w->n_factor;
    parts.factor = factor;
    parts.n_modality = w->n_modality;
    parts.modality = modality;
    parts.settings.horizon = w->horizon;
    parts.settings.preferences = w->preferences;
    parts.settings.information = w->information;
    parts.settings.lambda = w->lambda;
    parts.settings.gamma = w->gamma;
    parts.discount = w->discount;
    if (w->has_charge) {
        const int n = w->n_factor + 1;
        parts.action_cost = (sonde_array){.n_axis = n, .size = axes(n, size), .value = w->charge};
    }
    parts.action_prior = w->has_prior ? w->prior : NULL;
    parts.policies = w->n_listed > 0    ? SONDE_POLICIES_LISTED
                     : w->n_allowed > 0 ? SONDE_POLICIES_ALLOWED
                                        : SONDE_POLICIES_ALL;
    parts.n_policy = w->n_listed;
    parts.policy = w->n_listed > 0 ? w->listed : NULL;
    parts.E = w->has_E ? w->E : NULL;
    if (w->has_habit) {
        const int64_t n = w->n_tuple;
        parts.counts_E = (sonde_array){.n_axis = 1, .size = axes(1, &n), .value = w->habit};
    }
    return sonde_model_new(&parts, "drawn", NULL, model, error);
}

/* -------------------------------------------------------------------------------- complaints -- */

static uint64_t number; /* of the model */
static int n_search;
static int n_wrong;
static const char *kind = "";
static const sonde_search_settings *with; /* what settings; NULL: not yet */

/* Says what is not so. */
static void begin_sentence(void) {
    printf("model %llu, %s", (unsigned long long)number, kind);
    if (with != NULL) {
        printf(" (%s, epsilon %g, budget %llu)", sonde_plan_search_name((int32_t)with->search),
               with->epsilon, (unsigned long long)with->budget);
    }
    n_wrong++;
}
#define WRONG(...) (begin_sentence(), printf(": " __VA_ARGS__), printf("\n"))

static real tie(real x) {
    return 1e-12L * (1.0L + fabsl(x));
}

/* ------------------------------------------------------------------------------- what happens -- */

/* One of n, each as probable as it is said. */
static int draw_of(chance *c, int n, const real *p) {
    real left = (real)uniform(c);
    int last = 0;
    for (int i = 0; i < n; i++) {
        if (p[i] > 0.0L) {
            last = i;
            left -= p[i];
        }
        if (left < 0.0L) {
            break;
        }
    }
    return last;
}

static int draw_state(chance *c, const world *w) {
    int joint = 0;
    for (int f = 0; f < w->n_factor; f++) {
        real p[STATES];
        for (int s = 0; s < w->n_state[f]; s++) {
            p[s] = (real)w->D[f][s];
        }
        joint = joint * w->n_state[f] + draw_of(c, w->n_state[f], p);
    }
    return joint;
}

/* Lets an agent take the action that it has decided for, and see what comes of it, or some of that;
 * `*state` is where the world is. */
static bool live_on(chance *c, const world *w, sonde_agent *agent, int *state, int *u,
                    int32_t *outcome) {
    sonde_error error = {0};
    int to = 0;
    *u = sonde_agent_act(agent);
    if (*u < 0 || *u >= w->n_tuple) {
        WRONG("action %d is taken, of %d", *u, w->n_tuple);
        return false;
    }
    for (int f = 0; f < w->n_factor; f++) {
        real p[STATES];
        for (int s = 0; s < w->n_state[f]; s++) {
            p[s] = w->transition[f][action_of(w, *u, f)][s][*state];
        }
        to = to * w->n_state[f] + draw_of(c, w->n_state[f], p);
    }
    *state = to;
    for (int m = 0; m < w->n_modality; m++) {
        real p[OUTCOMES];
        for (int o = 0; o < w->n_outcome[m]; o++) {
            p[o] = w->likelihood[m][*u][o][to];
        }
        outcome[m] = may(c, 0.1) ? SONDE_MISSING : draw_of(c, w->n_outcome[m], p);
    }
    if (sonde_agent_observe(agent, outcome, &error) != SONDE_OK) {
        WRONG("what was seen is refused: %s", error.text);
        return false;
    }
    return true;
}

/* --------------------------------------------------------------------------------- open loop -- */

/* What brute force knows of all policies. */
typedef struct {
    int n;
    int first[POLICIES]; /* an action, or a node */
    real G[POLICIES];
    real term[POLICIES][SONDE_N_TERM];
    real prior[POLICIES];
    real size;
    double gamma;
} truth;

typedef struct {
    real q[FACTORS][STATES];
    real G;
    real term[SONDE_N_TERM];
} prospect;

static void combine(const world *w, real q[FACTORS][STATES], real *joint) {
    for (int s = 0; s < w->n_joint; s++) {
        joint[s] = 1.0L;
        for (int f = 0; f < w->n_factor; f++) {
            joint[s] *= q[f][state_of(w, s, f)];
        }
    }
}

/* The negentropy of the outcomes of all modalities together. */
static real together(const world *w, int u, const real *after) {
    real sum = 0.0L;
    for (int i = 0; i < w->n_together; i++) {
        real q = 0.0L;
        for (int s = 0; s < w->n_joint; s++) {
            real p = after[s];
            for (int m = 0; m < w->n_modality; m++) {
                p *= w->likelihood[m][u][outcome_of(w, i, m)][s];
            }
            q += p;
        }
        sum += q * floored(q);
    }
    return sum;
}

/* What is learned of A, and of B, in one step. */
static void learned(const world *w, int u, const real *before, const real *after,
                    real q[FACTORS][STATES], real N[2]) {
    const bool joint = w->weights.novelty == SONDE_NOVELTY_JOINT;
    N[0] = N[1] = 0.0L;
    for (int m = 0; w->counts_A > 0.0 && m < w->n_modality; m++) {
        for (int o = 0; o < w->n_outcome[m]; o++) {
            real expected = 0.0L;
            real gain = 0.0L;
            real both = 0.0L;
            for (int s = 0; s < w->n_joint; s++) {
                expected += after[s] * w->likelihood[m][u][o][s];
                gain += after[s] * w->gain_A[m][o][s];
                both += after[s] * w->likelihood[m][u][o][s] * w->gain_A[m][o][s];
            }
            N[0] += joint ? both : expected * gain;
        }
    }
    for (int f = 0; w->counts_B > 0.0 && f < w->n_factor; f++) {
        const int own = action_of(w, u, f);
        for (int next = 0; next < w->n_state[f]; next++) {
            for (int s = 0; s < w->n_joint; s++) {
                const real p = joint ? w->transition[f][own][next][s] : q[f][next];
                N[1] += before[s] * p * w->gain_B[f][own][next][s];
            }
        }
    }
}

/* One more action. */
static prospect go_on(const world *w, const prospect *p, int u, int t) {
    const sonde_weights *g = &w->weights;
    prospect next = *p;
    real before[JOINT];
    real after[JOINT];
    real utility = 0.0L;
    real blur = 0.0L;
    real entropy = 0.0L;
    real cost = 0.0L;
    real N[2];
    combine(w, next.q, before);
    for (int f = 0; f < w->n_factor; f++) {
        for (int to = 0; to < w->n_state[f]; to++) {
            next.q[f][to] = 0.0L;
            for (int s = 0; s < w->n_joint; s++) {
                next.q[f][to] += w->transition[f][action_of(w, u, f)][to][s] * before[s];
            }
        }
    }
    combine(w, next.q, after);
    for (int s = 0; w->has_charge && s < w->n_joint; s++) {
        cost += before[s] * (real)w->charge[s * w->n_tuple + u];
    }
    for (int m = 0; m < w->n_modality; m++) {
        for (int s = 0; s < w->n_joint; s++) {
            blur += after[s] * w->blur[m][u][s];
        }
        for (int o = 0; o < w->n_outcome[m]; o++) {
            real q = 0.0L;
            for (int s = 0; s < w->n_joint; s++) {
                q += after[s] * w->likelihood[m][u][o][s];
            }
            utility -= q * w->value[m][t][o];
            entropy -= q * floored(q);
            cost += w->has_cost[m] ? q * (real)w->lambda * (real)w->cost[m][o] : 0.0L;
        }
    }
    entropy = w->information == SONDE_INFORMATION_JOINT ? -together(w, u, after) : entropy;
    if (w->information == SONDE_INFORMATION_OFF) {
        entropy = blur = 0.0L;
    }
    learned(w, u, before, after, next.q, N);
    next.term[SONDE_RISK] += utility - entropy;
    next.term[SONDE_AMBIGUITY] += blur;
    next.term[SONDE_COST] += cost;
    next.term[SONDE_NOVELTY] += N[0] + N[1]; /* told as it is */
    next.G += (real)g->utility * utility + (real)g->information * (blur - entropy) +
              (real)g->cost * cost - (real)g->novelty_A * N[0] - (real)g->novelty_B * N[1];
    return next;
}

static bool is_allowed(const world *w, int place, int u) {
    for (int i = 0; i < w->n_allowed; i++) {
        if (w->allowed[2 * i] == place && w->allowed[2 * i + 1] == u) {
            return true;
        }
    }
    return w->n_allowed == 0;
}

/* Where the first factor, whose transitions are certain then, goes. */
static int place_after(const world *w, int place, int u) {
    for (int to = 0; w->n_allowed > 0 && to < w->n_state[0]; to++) {
        if (w->B[0][(to * w->n_state[0] + place) * w->n_action[0] + u] == 1.0) {
            return to;
        }
    }
    return place;
}

static void note(truth *all, const prospect *p, int first, real prior) {
    all->G[all->n] = p->G;
    memcpy(all->term[all->n], p->term, sizeof p->term);
    all->first[all->n] = first;
    all->prior[all->n++] = prior;
}

static void list_from(const world *w, const prospect *p, int t, int first, int place, truth *all) {
    if (t == w->horizon) {
        note(all, p, first, w->has_habit ? (real)w->habit[first] : 1.0L);
        return;
    }
    for (int u = 0; u < w->n_tuple; u++) {
        const int own = action_of(w, u, 0);
        if (is_allowed(w, place, own)) {
            const prospect next = go_on(w, p, u, t);
            list_from(w, &next, t + 1, t == 0 ? u : first, place_after(w, place, own), all);
        }
    }
}

static void list_given(const world *w, const prospect *p, truth *all) {
    for (int i = 0; i < w->n_listed; i++) {
        prospect now = *p;
        int first = 0;
        for (int t = 0; t < w->horizon; t++) {
            const int32_t *tuple = w->listed + (i * w->horizon + t) * w->n_factor;
            int u = 0;
            for (int f = 0; f < w->n_factor; f++) {
                u = u * w->n_action[f] + tuple[f];
            }
            first = t == 0 ? u : first;
            now = go_on(w, &now, u, t);
        }
        note(all, &now, first, w->has_E ? (real)w->E[i] : 1.0L);
    }
}

static void find_truth(const world *w, truth *all) {
    prospect p = {.G = 0.0L};
    int place = 0;
    all->n = 0;
    all->size = w->size;
    all->gamma = w->gamma;
    for (int f = 0; f < w->n_factor; f++) {
        for (int s = 0; s < w->n_state[f]; s++) {
            p.q[f][s] = (real)w->D[f][s];
        }
    }
    for (int s = 1; s < w->n_state[0]; s++) {
        place = w->D[0][s] > w->D[0][place] + 1e-12 ? s : place;
    }
    if (w->n_listed > 0) {
        list_given(w, &p, all);
    } else {
        list_from(w, &p, 0, 0, place, all);
    }
}

/* The posterior of first actions, or of nodes, below `n`; and the policies' masses. */
static void find_masses(const truth *all, int n, real *share) {
    real most = -INFINITY;
    real sum = 0.0L;
    for (int i = 0; i < all->n; i++) {
        const real x = all->prior[i] > 0.0L ? -(real)all->gamma * all->G[i] : -INFINITY;
        most = x > most ? x : most;
    }
    for (int u = 0; u < n; u++) {
        share[u] = 0.0L;
    }
    for (int i = 0; i < all->n; i++) {
        const real mass = all->prior[i] > 0.0L
                              ? all->prior[i] * expl(-(real)all->gamma * all->G[i] - most)
                              : 0.0L;
        share[all->first[i]] += mass;
        sum += mass;
    }
    for (int u = 0; u < n; u++) {
        share[u] /= sum;
    }
}

/* What is said of the actions' posterior: `p` of the actions `which`. */
static void check_masses(const sonde_certificate *c, const truth *all, int n, const int32_t *which,
                         const double *p) {
    enum { MOST = 64 };
    real exact[MOST];
    real found[MOST] = {0};
    int top = 0;
    real apart = 0.0L;
    real others = 0.0L;
    real rival = 0.0L;
    real first = 0.0L;
    real second = 0.0L;
    int n_some = 0;
    const int n_first = MOST;
    find_masses(all, n_first, exact);
    const real slack = fminl(1.0L, 4.0L * (real)all->gamma * OWN * all->size) + 1e-17L;
    for (int i = 0; i < n; i++) {
        found[which[i]] = (real)p[i];
        top = i == 0 || p[i] > found[top] ? which[i] : top;
    }
    for (int u = 0; u < n_first; u++) {
        apart += fabsl(exact[u] - found[u]) / 2.0L;
        others = u != top && exact[u] > others ? exact[u] : others;
        rival = u != top && found[u] > rival ? found[u] : rival;
        second = exact[u] > first ? first : exact[u] > second ? exact[u] : second;
        first = exact[u] > first ? exact[u] : first;
        n_some += exact[u] > 0.0L;
    }
    if (!(apart <= (real)c->tv + slack)) {
        WRONG("the actions are %Lg away, and tv is %g", apart, c->tv);
    }
    if (!(c->tv >= 0.0 && c->tv <= 1.0)) {
        WRONG("tv is %g", c->tv);
    }
    if (c->action_is_exact && exact[top] <= others - slack) {
        WRONG("action %d is said to be certain, and has %Lg, another %Lg", top, exact[top], others);
    }
    if (c->action_is_exact && n_some > 1 && first - second < 1e-12L - slack) {
        WRONG("a tie is said to be certain");
    }
    if (!c->action_is_exact && c->tv < 0.5 &&
        found[top] - rival > 2.0L * (real)c->tv / (1.0L - (real)c->tv) + 1e-11L) {
        WRONG("action %d leads by %Lg, and is not said to: tv %g", top, found[top] - rival, c->tv);
    }
}

/* What is said of the best policy, by its index. */
static void check_best(const sonde_decision *d, const truth *all, uint64_t index) {
    const sonde_certificate *c = &d->certificate;
    const real slack = 4.0L * OWN * all->size;
    real least = INFINITY;
    if (index >= (uint64_t)all->n) {
        WRONG("policy %llu of %d is named", (unsigned long long)index, all->n);
        return;
    }
    for (int i = 0; i < all->n; i++) {
        least = all->G[i] < least ? all->G[i] : least;
    }
    const real G = all->G[index];
    if (!(G - (real)c->gap <= least + tie(least) + slack) || !(c->gap >= 0.0)) {
        WRONG("a policy is better by %Lg, and the gap is %g", G - least, c->gap);
    }
    if (c->best_is_optimal && G > least + tie(least) + slack) {
        WRONG("the best has %Lg, and there is %Lg", G, least);
    }
    for (uint64_t i = 0; c->best_is_optimal && c->gap == 0.0 && i < index && with->budget == 0;
         i++) {
        /* prefixes meet long before G is known: ties of 1e-12 are all that is promised */
        if (all->G[i] <= least + 0.5e-12L - slack) {
            WRONG("policy %llu is named, and policy %llu is as good: %.17Lg, %.17Lg",
                  (unsigned long long)index, (unsigned long long)i, G, all->G[i]);
            break;
        }
    }
    if (!c->best_is_optimal && c->gap == 0.0) {
        WRONG("the best is not said to be optimal, and the gap is 0");
    }
    for (int k = 0; k < SONDE_N_TERM; k++) {
        if (!(fabsl((real)d->best_efe.term[k] - all->term[index][k]) <= 1e-13L * all->size)) {
            WRONG("term %d of the best is %.17g, and should be %.17Lg", k, d->best_efe.term[k],
                  all->term[index][k]);
        }
    }
    if (!(fabsl((real)d->best_efe.efe - G) <= 1e-13L * all->size)) {
        WRONG("G of the best is %.17g, and should be %.17Lg", d->best_efe.efe, G);
    }
}

static void check_open(const sonde_decision *d, const truth *all, double epsilon, bool is_graph) {
    const sonde_certificate *c = &d->certificate;
    if (!c->given) {
        WRONG("there is no certificate");
        return;
    }
    const bool budget = c->stopped != NULL && strcmp(c->stopped, "budget") == 0;
    if (is_graph) {
        check_masses(c, all, d->n_to, d->to, d->to_posterior);
    } else {
        check_masses(c, all, d->n_action, d->action, d->posterior);
    }
    check_best(d, all, d->best);
    if ((c->tv > epsilon) != (c->stopped != NULL) && !(budget && !c->best_is_optimal)) {
        WRONG("stopped by %s, tv %g, epsilon %g", c->stopped != NULL ? c->stopped : "nothing",
              c->tv, epsilon);
    }
    if (!budget && (real)all->gamma * all->size < 1e4L && c->tv > fmax(epsilon, 1e-6)) {
        WRONG("tv is %g where nothing is large", c->tv);
    }
}

/* --------------------------------------------------------------------- models in open loop -- */

static void draw_list(chance *c, world *w) {
    w->n_listed = 1 + below(c, 16);
    for (int i = 0; i < w->n_listed * w->horizon * w->n_factor; i++) {
        w->listed[i] = below(c, w->n_action[i % w->n_factor]);
    }
    w->has_E = may(c, 0.7);
    for (int i = 0; i < w->n_listed; i++) {
        w->E[i] = i > 0 && may(c, 0.3) ? 0.0 : power(c, -6.0, 0.0);
    }
}

/* The first factor alone, its transitions certain, and some of its actions allowed. */
static void draw_allowed(chance *c, world *w) {
    for (int s = 0; s < w->n_state[0]; s++) {
        for (int u = 0; u < w->n_action[0]; u++) {
            if (may(c, 0.7)) {
                w->allowed[2 * w->n_allowed] = s;
                w->allowed[2 * w->n_allowed++ + 1] = u;
            }
            const int to = below(c, w->n_state[0]);
            for (int next = 0; next < w->n_state[0]; next++) {
                w->B[0][(next * w->n_state[0] + s) * w->n_action[0] + u] = next == to ? 1.0 : 0.0;
            }
        }
    }
}

static void draw_weights(chance *c, sonde_weights *weights) {
    const double some[] = {0.0, 0.3, 1.0, 7.0, 1000.0};
    weights->utility = some[below(c, 5)];
    weights->information = some[below(c, 5)];
    weights->cost = some[below(c, 5)];
}

static void draw_learning(chance *c, world *w) {
    const double counts[] = {0.25, 1.0, 4.0, 64.0, 1048576.0};
    for (int m = 0; m < w->n_modality; m++) {
        if (w->by_action[m]) {
            return;
        }
    }
    w->counts_A = may(c, 0.7) ? counts[below(c, 5)] : 0.0;
    w->counts_B = may(c, 0.5) ? counts[below(c, 5)] : 0.0;
    if (w->counts_A > 0.0 || w->counts_B > 0.0) {
        w->weights.novelty = 1 + below(c, 4);
        w->weights.novelty_A = may(c, 0.5) ? 1.0 : 5.0 * uniform(c);
        w->weights.novelty_B = may(c, 0.5) ? 1.0 : 5.0 * uniform(c);
    }
}

static void draw_open(chance *c, world *w) {
    draw_world(c, w, false, 5);
    while (w->horizon > 1 && pow(w->n_tuple, w->horizon) > 300.0) {
        w->horizon--;
    }
    for (int m = 0; m < w->n_modality; m++) {
        w->n_row[m] = w->n_row[m] > 0 ? w->horizon : 0;
    }
    const int policies = below(c, 6);
    if (policies == 0) {
        draw_list(c, w);
    } else if (policies == 1 && w->n_depend[0] == 1 && w->depend[0][0] == 0) {
        draw_allowed(c, w);
    } else if (policies == 2) {
        w->has_habit = true;
        for (int u = 0; u < w->n_tuple; u++) {
            w->habit[u] = power(c, -5.0, 2.0);
        }
    }
    if (may(c, 0.3)) {
        draw_weights(c, &w->weights);
    }
    if (may(c, 0.2)) {
        draw_learning(c, w);
    }
}

static double draw_epsilon(chance *c) {
    const double some[] = {0.0, 1e-12, 1e-6, 1e-3, 1e-3, 0.1, 0.3, 1.0};
    return some[below(c, 8)];
}

static void draw_search(chance *c, sonde_search_settings *settings) {
    settings->epsilon = draw_epsilon(c);
    const int how = below(c, 10);
    if (how < 3) {
        settings->budget = 1 + (uint64_t)below(c, 60);
    } else if (how == 8) {
        settings->search = SONDE_SEARCH_BEAM;
        settings->n_beam = 100000;
    } else if (how == 9) {
        settings->search = SONDE_SEARCH_RANDOM;
        settings->budget = 1000000;
    }
}

static sonde_run alone(void) {
    sonde_run run = sonde_run_defaults();
    run.n_thread = 1;
    return run;
}

/* Lets an agent go on, and holds its next decisions to the truth from what it believes then. */
static void go_on_open(chance *c, const world *w, sonde_agent *agent, double epsilon) {
    static world later;
    static truth all;
    int state = draw_state(c, w);
    kind = "open loop, later";
    later = *w;
    for (int t = 0; t < 2; t++) {
        const sonde_decision *d = NULL;
        sonde_error error = {0};
        int32_t outcome[MODALITIES];
        int u;
        if (!live_on(c, w, agent, &state, &u, outcome)) {
            return;
        }
        const double *belief = sonde_agent_memory_get(agent).belief;
        for (int f = 0; f < w->n_factor; f++) {
            for (int s = 0; s < w->n_state[f]; s++) {
                later.D[f][s] = *belief++;
            }
        }
        find_truth(&later, &all);
        const sonde_status status = sonde_agent_search(agent, &d, &error);
        n_search++;
        if (status == SONDE_NO_POLICY && all.n == 0) {
            return;
        }
        if (status != SONDE_OK || all.n == 0) {
            WRONG("planning: %s, and there are %d policies", error.text, all.n);
            return;
        }
        check_open(d, &all, epsilon, false);
    }
}

static void try_open(chance *c) {
    static world w;
    static truth all;
    sonde_model *model = NULL;
    sonde_error error = {0};
    const sonde_run run = alone();
    kind = "open loop";
    draw_open(c, &w);
    spread_world(&w);
    find_truth(&w, &all);
    if (hand_over(&w, &model, &error) != SONDE_OK) {
        WRONG("refused: %s", error.text);
        return;
    }
    for (int i = 0; i < 2; i++) {
        sonde_search_settings settings = sonde_search_defaults();
        sonde_agent *agent = NULL;
        const sonde_decision *d = NULL;
        draw_search(c, &settings);
        with = &settings;
        settings.weights = w.weights;
        const sonde_status status = sonde_plan(model, NULL, &settings, &run, &agent, &d, &error);
        n_search++;
        if (status == SONDE_OK && all.n > 0) {
            kind = "open loop";
            check_open(d, &all, settings.epsilon, false);
            if (may(c, 0.3)) {
                go_on_open(c, &w, agent, settings.epsilon);
            }
        } else if (!(status == SONDE_NO_POLICY && all.n == 0)) {
            WRONG("planning: %s, and there are %d policies", error.text, all.n);
        }
        sonde_agent_free(agent);
        with = NULL;
    }
    sonde_model_free(model);
}

/* -------------------------------------------------------------------------------- graph worlds -- */

typedef struct {
    int n_node;
    int n_edge;
    int32_t tail[NODES * NODES];
    int32_t head[NODES * NODES];
    double weight[NODES * NODES];
    int start;
    int destination;
    int horizon;
    double lambda;
    double idle;
    int n_into; /* edges into the destination */
} graph;

/* Edges by node, the way back to itself last, as the library has them. */
static void draw_graph(chance *c, graph *g) {
    const double plain[] = {5.0, 5.0, 10.0, 20.0};
    const double odd[] = {0.0, 1e-3, 1.0 + 1e-13, 3e4};
    const double *weights = may(c, 0.6) ? plain : odd;
    *g = (graph){.n_node = 1 + below(c, NODES), .idle = may(c, 0.5) ? 100.0 : 5.0};
    g->destination = below(c, g->n_node);
    g->horizon = 1 + below(c, g->n_node > 3 ? 3 : 4);
    g->lambda = may(c, 0.3) ? 0.0 : may(c, 0.6) ? 5.0 : power(c, -2.0, 9.0);
    for (int i = 0; i < g->n_node; i++) {
        for (int k = 1; k <= g->n_node; k++) {
            const int j = (i + k) % g->n_node;
            if (k == 1 || k == g->n_node || may(c, 0.4)) {
                if (i == j && k != g->n_node) {
                    continue;
                }
                g->tail[g->n_edge] = i;
                g->head[g->n_edge] = j;
                g->weight[g->n_edge++] = i != j                ? weights[below(c, 4)]
                                         : j == g->destination ? 0.0
                                                               : g->idle;
            }
        }
    }
    for (int e = 0; e < g->n_edge; e++) {
        g->n_into += g->head[e] == g->destination;
    }
    g->start = below(c, g->n_edge);
}

static int edge_of(const graph *g, int tail, int head) {
    for (int e = 0; e < g->n_edge; e++) {
        if (g->tail[e] == tail && g->head[e] == head) {
            return e;
        }
    }
    return -1;
}

/* Walks on from `last`, the agent being at `at`. */
static void list_walks(const graph *g, const sonde_weights *weights, int t, int last, int at,
                       int first, prospect p, truth *all) {
    if (t == g->horizon) {
        note(all, &p, first, 1.0L);
        return;
    }
    for (int e = 0; e < g->n_edge; e++) {
        if (g->tail[e] != g->head[last]) {
            continue;
        }
        const int to = last == at ? e : edge_of(g, g->head[at], g->head[at]);
        const real risk =
            g->head[to] == g->destination ? logl((real)g->n_into) : -logl((real)1e-16);
        const real cost = (real)g->lambda * (real)g->weight[to];
        prospect next = p;
        next.term[SONDE_RISK] += risk;
        next.term[SONDE_COST] += cost;
        next.G += (real)weights->utility * risk + (real)weights->cost * cost;
        list_walks(g, weights, t + 1, e, to, t == 0 ? g->head[to] : first, next, all);
    }
}

static sonde_status make_graph(const graph *g, sonde_graph **made, sonde_error *error) {
    char start[32];
    char destination[16];
    sonde_graph_settings settings = sonde_graph_defaults();
    const sonde_graph edges = {.n_node = g->n_node,
                               .n_edge = g->n_edge,
                               .tail = g->tail,
                               .head = g->head,
                               .weight = g->weight};
    (void)snprintf(start, sizeof start, "%d,%d", (int)g->tail[g->start], (int)g->head[g->start]);
    (void)snprintf(destination, sizeof destination, "%d", g->destination);
    settings.start = start;
    settings.destination = destination;
    settings.horizon = g->horizon;
    settings.lambda = g->lambda;
    settings.idle = g->idle;
    return sonde_graph_from_edges(&edges, &settings, 1, made, error);
}

static bool list_graph(const graph *g, const sonde_search_settings *settings, truth *all) {
    const bool global = settings->scope == SONDE_GLOBAL;
    double most = 0.0;
    for (int e = 0; e < g->n_edge; e++) {
        most = g->weight[e] > most ? g->weight[e] : most;
    }
    all->n = 0;
    all->gamma = settings->gamma;
    all->size = (real)g->horizon *
                (fmaxl(1.0L, (real)settings->weights.utility) * 40.0L +
                 fmaxl(1.0L, (real)settings->weights.cost) * (real)g->lambda * (real)most);
    if (pow((double)g->n_edge / g->n_node + 1.0, g->horizon) * (global ? g->n_edge : 1) > 600.0) {
        return false;
    }
    for (int e = 0; e < g->n_edge; e++) {
        if (global || e == g->start) {
            list_walks(g, &settings->weights, 0, e, g->start, 0, (prospect){.G = 0.0L}, all);
        }
    }
    return true;
}

static void try_graph(chance *c) {
    static truth all;
    graph g;
    sonde_graph *made = NULL;
    sonde_model *model = NULL;
    sonde_error error = {0};
    const sonde_run run = alone();
    kind = "graph world";
    draw_graph(c, &g);
    if (make_graph(&g, &made, &error) != SONDE_OK ||
        sonde_model_from_graph(made, &model, &error) != SONDE_OK) {
        WRONG("refused: %s", error.text);
    }
    for (int i = 0; model != NULL && i < 2; i++) {
        sonde_search_settings settings = sonde_search_defaults();
        sonde_agent *agent = NULL;
        const sonde_decision *d = NULL;
        draw_search(c, &settings);
        with = &settings;
        settings.scope = (sonde_scope)i;
        settings.gamma = draw_gamma(c);
        if (may(c, 0.3)) {
            draw_weights(c, &settings.weights);
            settings.weights.information = 1.0;
        }
        if (!list_graph(&g, &settings, &all)) {
            with = NULL;
            continue;
        }
        n_search++;
        if (sonde_plan(model, NULL, &settings, &run, &agent, &d, &error) == SONDE_OK) {
            check_open(d, &all, settings.epsilon, true);
        } else {
            WRONG("planning: %s", error.text);
        }
        sonde_agent_free(agent);
        with = NULL;
    }
    sonde_model_free(model);
    sonde_graph_free(made);
}

/* -------------------------------------------------------------------------------- closed loop -- */

static real prior_of(const world *w, int u) {
    real sum = 0.0L;
    for (int v = 0; w->has_prior && v < w->n_tuple; v++) {
        sum += (real)w->prior[v];
    }
    return w->has_prior ? (real)w->prior[u] / sum : 1.0L / (real)w->n_tuple;
}

static real backup(const world *w, int how, const real *G) {
    const real gamma = (real)w->gamma;
    real least = INFINITY;
    real mass = 0.0L;
    real mean = 0.0L;
    for (int u = 0; u < w->n_tuple; u++) {
        least = prior_of(w, u) > 0.0L && G[u] < least ? G[u] : least;
    }
    for (int u = 0; u < w->n_tuple; u++) {
        const real E = prior_of(w, u);
        const real part = E > 0.0L ? E * expl(-gamma * (G[u] - least)) : 0.0L;
        mass += part;
        mean += part > 0.0L ? part * (G[u] - least) : 0.0L;
    }
    return how == SONDE_BACKUP_MIN       ? least
           : how == SONDE_BACKUP_AVERAGE ? least + mean / mass
                                         : least - logl(mass) / gamma;
}

static void look(const world *w, int t, const real *belief, real G[BACKUPS][ACTIONS]);

/* G of one action in a belief, whatever is seen then, with each backup. */
static void look_after(const world *w, int t, const real *belief, int u, real G[BACKUPS]) {
    real after[JOINT];
    real g = 0.0L;
    real rest[BACKUPS] = {0.0L, 0.0L, 0.0L};
    for (int to = 0; to < w->n_joint; to++) {
        after[to] = 0.0L;
        for (int s = 0; s < w->n_joint; s++) {
            real p = belief[s];
            for (int f = 0; f < w->n_factor && p > 0.0L; f++) {
                p *= w->transition[f][action_of(w, u, f)][state_of(w, to, f)][s];
            }
            after[to] += p;
        }
    }
    for (int s = 0; s < w->n_joint; s++) {
        g += w->has_charge ? belief[s] * (real)w->charge[s * w->n_tuple + u] : 0.0L;
    }
    for (int m = 0; m < w->n_modality; m++) {
        for (int s = 0; w->information != SONDE_INFORMATION_OFF && s < w->n_joint; s++) {
            g += after[s] * w->blur[m][u][s];
        }
        for (int o = 0; o < w->n_outcome[m]; o++) {
            real q = 0.0L;
            for (int s = 0; s < w->n_joint; s++) {
                q += after[s] * w->likelihood[m][u][o][s];
            }
            g -= q * w->value[m][t][o];
            g += w->has_cost[m] ? q * (real)w->lambda * (real)w->cost[m][o] : 0.0L;
            g += w->information == SONDE_INFORMATION_PER_MODALITY ? q * floored(q) : 0.0L;
        }
    }
    g += w->information == SONDE_INFORMATION_JOINT ? together(w, u, after) : 0.0L;
    for (int i = 0; t + 1 < w->horizon && i < w->n_together; i++) {
        real then[JOINT];
        real under[BACKUPS][ACTIONS];
        real q = 0.0L;
        for (int s = 0; s < w->n_joint; s++) {
            then[s] = after[s];
            for (int m = 0; m < w->n_modality; m++) {
                then[s] *= w->likelihood[m][u][outcome_of(w, i, m)][s];
            }
            q += then[s];
        }
        for (int s = 0; q > 0.0L && s < w->n_joint; s++) {
            then[s] /= q;
        }
        if (q > 0.0L) {
            look(w, t + 1, then, under);
        }
        for (int k = 0; q > 0.0L && k < BACKUPS; k++) {
            rest[k] += q * backup(w, k, under[k]);
        }
    }
    for (int k = 0; k < BACKUPS; k++) {
        G[k] = g + (real)w->discount * rest[k];
    }
}

static void look(const world *w, int t, const real *belief, real G[BACKUPS][ACTIONS]) {
    for (int u = 0; u < w->n_tuple; u++) {
        real each[BACKUPS] = {0.0L, 0.0L, 0.0L};
        if (prior_of(w, u) > 0.0L) {
            look_after(w, t, belief, u, each);
        }
        for (int k = 0; k < BACKUPS; k++) {
            G[k][u] = each[k];
        }
    }
}

/* Whether the named action leads at this precision. */
static bool leads_at(const world *w, const real *G, int named, real gamma) {
    for (int u = 0; u < w->n_tuple; u++) {
        if (u != named && prior_of(w, u) > 0.0L &&
            logl(prior_of(w, u) / prior_of(w, named)) >= gamma * (G[u] - G[named])) {
            return false;
        }
    }
    return true;
}

static void check_range(const world *w, const sonde_certificate *c, const real *G, int named) {
    const real low = (real)c->gamma_range[0] * (1.0L + 1e-12L) + 1e-15L;
    const real high = c->gamma_range[1] < 1e300 ? (real)c->gamma_range[1] * (1.0L - 1e-12L) : 1e9L;
    if (!(c->gamma_range[0] < c->gamma_range[1])) {
        WRONG("gamma_range from %g to %g", c->gamma_range[0], c->gamma_range[1]);
    }
    if (low < high && (!leads_at(w, G, named, low) || !leads_at(w, G, named, high))) {
        WRONG("action %d does not lead from gamma %g to %g", named, c->gamma_range[0],
              c->gamma_range[1]);
    }
}

/* Every action's G and share, and the value. */
static void check_intervals(const world *w, const sonde_decision *d, const real *G, const real *p,
                            real V) {
    const real own = 4.0L * OWN * w->size + w->rest;
    const real slack = fminl(1.0L, 2.0L * (real)w->gamma * own) + 1e-17L;
    if (!(V >= (real)d->value_lower - own && V <= (real)d->value_upper + own)) {
        WRONG("the value is %.17Lg, said to be from %.17g to %.17g", V, d->value_lower,
              d->value_upper);
    }
    for (int i = 0; i < d->n_action; i++) {
        const int u = d->action[i];
        if (prior_of(w, u) == 0.0L) {
            if (d->posterior[i] != 0.0) {
                WRONG("action %d is excluded, and has %g", u, d->posterior[i]);
            }
            continue;
        }
        if (!(G[u] >= (real)d->efe_lower[i] - own && G[u] <= (real)d->efe_upper[i] + own)) {
            WRONG("G of action %d is %.17Lg, said to be from %.17g to %.17g", u, G[u],
                  d->efe_lower[i], d->efe_upper[i]);
        }
        if (!(p[u] >= (real)d->p_lower[i] - slack && p[u] <= (real)d->p_upper[i] + slack)) {
            WRONG("action %d has %.17Lg, said to be from %.17g to %.17g", u, p[u], d->p_lower[i],
                  d->p_upper[i]);
        }
    }
}

static void check_closed(const world *w, const sonde_decision *d, const real *G, real V,
                         const sonde_search_settings *settings) {
    const sonde_certificate *c = &d->certificate;
    const real own = 4.0L * OWN * w->size + w->rest;
    const real slack = fminl(1.0L, 2.0L * (real)w->gamma * own) + 1e-17L;
    real p[ACTIONS];
    real least = INFINITY;
    real sum = 0.0L;
    real more = 0.0L;
    real most = 0.0L;
    int best = -1;
    int low = -1;
    if (!c->given) {
        WRONG("there is no certificate");
        return;
    }
    for (int u = 0; u < w->n_tuple; u++) {
        least = prior_of(w, u) > 0.0L && G[u] < least ? G[u] : least;
    }
    for (int u = 0; u < w->n_tuple; u++) {
        p[u] = prior_of(w, u) > 0.0L ? prior_of(w, u) * expl(-(real)w->gamma * (G[u] - least)) : 0;
        sum += p[u];
    }
    for (int u = 0; u < w->n_tuple; u++) {
        p[u] /= sum;
        most = p[u] > most ? p[u] : most;
    }
    check_intervals(w, d, G, p, V);
    for (int i = 0; i < d->n_action; i++) {
        const int u = d->action[i];
        more += (real)d->posterior[i] > p[u] ? (real)d->posterior[i] - p[u] : 0.0L;
        best = best < 0 || d->posterior[i] > d->posterior[best] + 1e-12 ? i : best;
        if (prior_of(w, u) > 0.0L && (low < 0 || d->efe_upper[i] < d->efe_upper[low])) {
            low = i;
        }
    }
    if (!(more <= (real)c->tv + slack) || !(c->tv >= 0.0 && c->tv <= 1.0)) {
        WRONG("the actions are %Lg away, and tv is %g", more, c->tv);
    }
    if (c->action_is_exact && p[d->action[best]] < most - slack) {
        WRONG("action %d is said to be certain", (int)d->action[best]);
    }
    if (settings->backup == SONDE_BACKUP_MIN) {
        if (!(G[d->action[low]] - least <= (real)c->gap + 2.0L * own)) {
            WRONG("an action is better by %Lg, and the gap is %g", G[d->action[low]] - least,
                  c->gap);
        }
        if (c->action_is_exact && w->rest == 0.0L) {
            check_range(w, c, G, d->action[best]);
        }
    }
    if (c->stopped == NULL) {
        WRONG("nobody says why it stopped");
    } else if (strcmp(c->stopped, "epsilon") == 0 && c->tv > settings->epsilon) {
        WRONG("stopped at epsilon %g, and tv is %g", settings->epsilon, c->tv);
    } else if (strcmp(c->stopped, "gap") == 0 &&
               d->value_upper - d->value_lower > settings->gap * (1.0 + 1e-9) + 1e-300) {
        WRONG("stopped at a gap of %g, and the value is from %.17g to %.17g", settings->gap,
              d->value_lower, d->value_upper);
    }
}

static void draw_closed(chance *c, world *w, int horizon_most) {
    draw_world(c, w, true, horizon_most);
    /* what following all histories costs, in products */
    const double each = (double)w->n_tuple * w->n_together;
    while (w->horizon > 1 &&
           pow(each, w->horizon - 1) * each * w->n_joint * (w->n_joint + 4.0) > 1e7) {
        w->horizon--;
    }
    for (int m = 0; m < w->n_modality; m++) {
        w->n_row[m] = w->n_row[m] > 0 ? w->horizon : 0;
    }
    w->discount = may(c, 0.3) ? 0.3 + 0.7 * uniform(c) : 1.0;
    w->has_prior = may(c, 0.4);
    for (int u = 0; u < w->n_tuple; u++) {
        w->prior[u] = u > 0 && may(c, 0.3) ? 0.0 : power(c, -6.0, 0.0);
    }
}

static void draw_loop(chance *c, sonde_search_settings *settings) {
    static const sonde_search_kind kinds[] = {SONDE_SEARCH_BOUNDED, SONDE_SEARCH_BOUNDED,
                                              SONDE_SEARCH_FULL, SONDE_SEARCH_AUTO};
    settings->loop = SONDE_LOOP_CLOSED;
    settings->search = kinds[below(c, 4)];
    settings->epsilon = draw_epsilon(c);
    settings->no_merge = may(c, 0.3);
    if (settings->search == SONDE_SEARCH_BOUNDED) {
        settings->budget = may(c, 0.4) ? 1 + (uint64_t)below(c, 40) : 0;
        settings->gap = may(c, 0.2) ? power(c, -6.0, 1.0) : 0.0;
    }
}

/* The belief after an action and what was seen then, or some of it; the present one goes. */
static void believe(const world *w, int u, const int32_t *outcome, real *belief) {
    real after[JOINT];
    real sum = 0.0L;
    for (int to = 0; to < w->n_joint; to++) {
        after[to] = 0.0L;
        for (int s = 0; s < w->n_joint; s++) {
            real p = belief[s];
            for (int f = 0; f < w->n_factor; f++) {
                p *= w->transition[f][action_of(w, u, f)][state_of(w, to, f)][s];
            }
            after[to] += p;
        }
        for (int m = 0; m < w->n_modality; m++) {
            after[to] *= outcome[m] >= 0 ? w->likelihood[m][u][outcome[m]][to] : 1.0L;
        }
        sum += after[to];
    }
    for (int s = 0; s < w->n_joint; s++) {
        belief[s] = after[s] / sum;
    }
}

/* Lets an agent go on, and holds its next decisions to the truth from what it believes then, which
 * is what it should. */
static void go_on_closed(chance *c, const world *w, sonde_agent *agent, real *belief,
                         const sonde_search_settings *settings) {
    int state = draw_state(c, w);
    for (int t = 0; t < 2; t++) {
        const sonde_decision *d = NULL;
        sonde_error error = {0};
        int32_t outcome[MODALITIES];
        real G[BACKUPS][ACTIONS];
        int u;
        if (!live_on(c, w, agent, &state, &u, outcome)) {
            return;
        }
        believe(w, u, outcome, belief);
        const sonde_agent_memory memory = sonde_agent_memory_get(agent);
        for (int s = 0; s < w->n_joint; s++) {
            if (!(fabsl((real)memory.joint[s] - belief[s]) <= 1e-12L)) {
                WRONG("state %d is believed %.17g, and should be %.17Lg", s, memory.joint[s],
                      belief[s]);
            }
            belief[s] = (real)memory.joint[s];
        }
        look(w, 0, belief, G);
        n_search++;
        if (sonde_agent_search(agent, &d, &error) != SONDE_OK) {
            WRONG("planning: %s", error.text);
            return;
        }
        const int how = (int)settings->backup;
        check_closed(w, d, G[how], backup(w, how, G[how]), settings);
    }
}

/* One search, and what its agent does next; n_joint numbers of `belief` are what it begins with. */
static void try_backup(chance *c, const world *w, const sonde_model *model,
                       real G[BACKUPS][ACTIONS], const real *belief,
                       const sonde_search_settings *settings) {
    const sonde_run run = alone();
    const int how = (int)settings->backup;
    sonde_error error = {0};
    sonde_agent *agent = NULL;
    const sonde_decision *d = NULL;
    with = settings;
    n_search++;
    if (sonde_plan(model, NULL, settings, &run, &agent, &d, &error) != SONDE_OK) {
        WRONG("planning: %s", error.text);
    } else {
        const char *before = kind;
        real then[JOINT];
        check_closed(w, d, G[how], backup(w, how, G[how]), settings);
        if (may(c, 0.3)) {
            kind = settings->endless ? "no horizon, later" : "closed loop, later";
            memcpy(then, belief, sizeof then);
            go_on_closed(c, w, agent, then, settings);
            kind = before;
        }
    }
    sonde_agent_free(agent);
    with = NULL;
}

/* What is believed at first, and what brute force makes of it. */
static void find_values(const world *w, real *belief, real G[BACKUPS][ACTIONS]) {
    for (int s = 0; s < JOINT; s++) {
        belief[s] = s < w->n_joint ? 1.0L : 0.0L;
        for (int f = 0; s < w->n_joint && f < w->n_factor; f++) {
            belief[s] *= (real)w->D[f][state_of(w, s, f)];
        }
    }
    look(w, 0, belief, G);
}

/* A search without a horizon. */
static void draw_endless(chance *c, sonde_search_settings *settings) {
    settings->loop = SONDE_LOOP_CLOSED;
    settings->endless = true;
    settings->search = may(c, 0.7) ? SONDE_SEARCH_BOUNDED : SONDE_SEARCH_AUTO;
    settings->epsilon = draw_epsilon(c);
    settings->gap = may(c, 0.5) ? power(c, -6.0, 1.0) : 0.0;
    settings->budget = 1 + (uint64_t)below(c, 60);
}

/* A search with each backup that there is. */
static void try_backups(chance *c, const world *w, bool endless) {
    sonde_model *model = NULL;
    sonde_error error = {0};
    real belief[JOINT];
    real G[BACKUPS][ACTIONS];
    find_values(w, belief, G);
    if (hand_over(w, &model, &error) != SONDE_OK) {
        WRONG("refused: %s", error.text);
        return;
    }
    for (int k = 0; k < BACKUPS; k++) {
        sonde_search_settings settings = sonde_search_defaults();
        if (endless && k == (int)SONDE_BACKUP_AVERAGE) {
            continue;
        }
        (endless ? draw_endless : draw_loop)(c, &settings);
        settings.backup = (sonde_backup)k;
        try_backup(c, w, model, G, belief, &settings);
    }
    sonde_model_free(model);
}

static void try_closed(chance *c) {
    static world w;
    kind = "closed loop";
    draw_closed(c, &w, 4);
    spread_world(&w);
    try_backups(c, &w, false);
}

/* Without a horizon: what comes after the histories that are followed is small, because later steps
 * count so little. */
static void try_endless(chance *c) {
    static world w;
    kind = "no horizon";
    draw_closed(c, &w, STEPS);
    for (int m = 0; m < w.n_modality; m++) {
        w.n_row[m] = 0;
    }
    w.discount = pow(10.0, -(4.0 + 6.0 * uniform(c)) / w.horizon);
    spread_world(&w);
    w.rest =
        powl((real)w.discount, w.horizon) / (1.0L - (real)w.discount) * (w.size / (real)w.horizon);
    try_backups(c, &w, true);
}

/* -------------------------------------------------------------------------------------- all -- */

static double now(void) {
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main(int n, char **word) {
    if (n != 4) {
        (void)fprintf(stderr, "usage: certificates FIRST COUNT SECONDS\n");
        return 2;
    }
    const uint64_t first = strtoull(word[1], NULL, 10);
    const uint64_t count = strtoull(word[2], NULL, 10);
    const double seconds = atof(word[3]);
    const double began = now();
    uint64_t i = 0;
    for (; i < count; i++) {
        if (now() - began > seconds) {
            break;
        }
        number = first + i;
        chance c = {.state = (number + 1) * UINT64_C(0xD1342543DE82EF95)};
        if (number % 10 == 2) {
            try_endless(&c);
        } else if (number % 2 == 0) {
            try_closed(&c);
        } else if (number % 10 == 1) {
            try_graph(&c);
        } else {
            try_open(&c);
        }
    }
    printf("models %llu searches %d wrong %d\n", (unsigned long long)i, n_search, n_wrong);
    return n_wrong > 0;
}

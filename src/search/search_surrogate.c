/* search_surrogate.c: structure predicts value. A linear model of G in the embedding says where to
 * look next.
 *
 *     1. score the representatives of all clusters
 *     2. fit   G(policy) = w . f + noise,   f = (1, (row - mean row) / scale),   to all that has
 *              been scored
 *     3. score the policy whose prediction less two standard deviations is lowest; back to 2, until
 *     the budget
 *
 * The model is Bayesian linear regression with conjugate priors (docs/math.md): w is normal with
 * the covariance s2 / ridge, the noise with s2, and s2 is whatever the data say, so that nothing
 * depends on the unit of G. With P the posterior covariance of w divided by s2, a policy with
 * features f whose G turns out to be g changes
 *
 *     v = P f,   q = 1 + f . v,   miss = g - f . w:     w += v miss / q,   P -= v v' / q,   sum +=
 *     miss^2 / q
 *
 * and s2 = sum / (n - 1). Predictions and variances of all rows are kept rather than w, and change
 * by the same rule: with c = f_row . v, prediction += c miss / q and variance -= c^2 / q. That is
 * one product a distinct row for each policy scored, on codes, whatever the columns.
 *
 * The posterior is over the policies that were scored; what the model believes of others does not
 * enter, since nothing bounds its error. So there is no certificate. */
#include <math.h>
#include <string.h>

#include "search/search_survey.h"

/* how much smaller noise is than what the embedding explains, as variances, before anything is
 * known */
#define RIDGE 1e-6
/* standard deviations that are taken off a prediction; with one, three worlds in 200 of six
 * nodes end beside their optimum */
#define N_DEVIATION 2.0
/* policies that are scored where no budget is given */
#define N_PROBE 40

/* a linear model of G in the embedding, and what it has been told in one decision. */
typedef struct {
    sonde__survey survey; /* first: the state of all searches by clusters begins so */
    double *mean;         /* (n_column) row of all policies */
    double scale;         /* what rows are divided by */
    double offset;        /* what predictions are relative to: mean G of the representatives */
    double *P;       /* (n_column + 1)^2 covariance of the weights, relative to that of the noise */
    double sum;      /* of squared misses, of which the noise is the mean */
    double *feature; /* (n_column + 1) of the policy that is being taken in */
    double *gain;    /* (n_column + 1) P times that, */
    double *along;   /* (n_code) and what a row's code is multiplied by for its product with it, */
    double constant; /* this being added */
    double *code;    /* (n_code) scratch */
    double *prediction; /* (n_row) */
    double *variance;   /* (n_row) of it, relative to that of the noise */
    int32_t *next;      /* (n_row) its lowest policy that may be scored, or a lower one; -1: none */
    bool *scored;       /* (n_policy) */
    int32_t n;          /* policies scored */
    int32_t *policy;    /* (n) as the clusters call them */
    int32_t *action;    /* (n) the first of each */
    double *efe;        /* (n) */
} surrogate;

static void carve(sonde__search *search, sonde__arena *arena) {
    surrogate *s = search->state;
    const sonde_embedder *embedder = s->survey.embedder;
    const sonde_embedding *rows = s->survey.rows;
    const uint64_t n_policy = sonde__survey_largest(search);
    const uint64_t n_row = rows != NULL ? (uint64_t)rows->n_row : n_policy;
    const uint64_t n_feature = (uint64_t)embedder->n_column + 1;
    sonde__survey_carve(search, arena);
    s->mean = SONDE__TAKE(arena, double, embedder->n_column);
    s->feature = SONDE__TAKE(arena, double, n_feature);
    s->gain = SONDE__TAKE(arena, double, n_feature);
    s->P = SONDE__TAKE(arena, double, sonde__multiply(n_feature, n_feature));
    s->code = SONDE__TAKE(arena, double, embedder->n_code);
    s->along = SONDE__TAKE(arena, double, embedder->n_code);
    s->prediction = SONDE__TAKE(arena, double, n_row);
    s->variance = SONDE__TAKE(arena, double, n_row);
    s->next = SONDE__TAKE(arena, int32_t, n_row);
    s->scored = SONDE__TAKE(arena, bool, n_policy);
    const uint64_t n = sonde__search_afford(search, N_PROBE, n_policy);
    s->policy = SONDE__TAKE(arena, int32_t, n);
    s->action = SONDE__TAKE(arena, int32_t, n);
    s->efe = SONDE__TAKE(arena, double, n);
}

static sonde_status prepare(sonde__search *search) {
    const sonde_status status = sonde__survey_prepare(search);
    return status == SONDE_OK ? sonde__survey_embed(search) : status;
}

/* Whether E leaves the i-th policy. */
static bool is_allowed(const sonde__search *search, int32_t i) {
    const double *E = search->policies->model->E;
    return E == NULL || E[sonde__clusters_policy(search->decision.clusters, i)] > 0.0;
}

/* The features of a row, less the leading 1. */
static void find_feature(const surrogate *s, const sonde_embedding *rows, int32_t r,
                         double *feature) {
    sonde_embedding_row(rows, r, feature);
    for (int32_t j = 0; j < rows->n_column; j++) {
        feature[j] = (feature[j] - s->mean[j]) / s->scale;
    }
}

/* The mean row of all policies, and the root mean square distance from it. */
static void find_scale(surrogate *s, const sonde_embedding *rows) {
    const int32_t n = rows->n_column;
    double sum = 0.0;
    memset(s->mean, 0, (size_t)n * sizeof *s->mean);
    for (int32_t r = 0; r < rows->n_row; r++) {
        sonde_embedding_row(rows, r, s->feature);
        for (int32_t j = 0; j < n; j++) {
            s->mean[j] += (double)rows->weight[r] * s->feature[j] / (double)rows->n_policy;
        }
    }
    s->scale = 1.0;
    for (int32_t r = 0; r < rows->n_row; r++) {
        find_feature(s, rows, r, s->feature);
        for (int32_t j = 0; j < n; j++) {
            sum += (double)rows->weight[r] * s->feature[j] * s->feature[j];
        }
    }
    s->scale = sum > 0.0 ? sqrt(sum / (double)rows->n_policy) : 1.0;
}

/* Before anything has been scored. */
static void start(sonde__search *search, const sonde_embedding *rows) {
    surrogate *s = search->state;
    const int32_t n = rows->n_column + 1;
    find_scale(s, rows);
    memset(s->P, 0, (size_t)n * (size_t)n * sizeof *s->P);
    for (int32_t j = 0; j < n; j++) {
        s->P[(int64_t)j * n + j] = 1.0 / RIDGE;
    }
    for (int32_t r = 0; r < rows->n_row; r++) {
        double square = 1.0;
        find_feature(s, rows, r, s->feature);
        for (int32_t j = 0; j < rows->n_column; j++) {
            square += s->feature[j] * s->feature[j];
        }
        s->prediction[r] = 0.0;
        s->variance[r] = square / RIDGE;
        s->next[r] = rows->first[r];
    }
    memset(s->scored, 0, (size_t)rows->n_policy * sizeof *s->scored);
    s->offset = 0.0;
    s->sum = 0.0;
    s->n = 0;
}

/* v = P f of a row; returns 1 + f . v, and has what a row's code is multiplied by, and what is
 * added then, so that the result is its own f . v. */
static double find_gain(surrogate *s, const sonde_embedding *rows, int32_t r) {
    const int32_t n = rows->n_column + 1;
    double q = 1.0;
    s->feature[0] = 1.0;
    find_feature(s, rows, r, s->feature + 1);
    for (int32_t i = 0; i < n; i++) {
        double sum = 0.0;
        for (int32_t j = 0; j < n; j++) {
            sum += s->P[(int64_t)i * n + j] * s->feature[j];
        }
        s->gain[i] = sum;
        q += sum * s->feature[i];
    }
    s->constant = s->gain[0];
    memset(s->along, 0, (size_t)rows->n_code * sizeof *s->along);
    for (int32_t i = 0; i < rows->n_column; i++) {
        const double v = s->gain[i + 1] / s->scale;
        const double *basis = rows->basis != NULL ? rows->basis + (int64_t)i * rows->n_code : NULL;
        s->constant -= s->mean[i] * v;
        for (int32_t j = 0; basis != NULL && j < rows->n_code; j++) {
            s->along[j] += basis[j] * v;
        }
        if (basis == NULL) {
            s->along[i] = v;
        }
    }
    return q;
}

/* Takes in that a policy of row r has this G. */
static void learn(surrogate *s, const sonde_embedding *rows, int32_t r, double efe) {
    const int32_t n = rows->n_column + 1;
    const double q = find_gain(s, rows, r);
    const double miss = efe - s->offset - s->prediction[r];
    for (int32_t i = 0; i < n; i++) {
        for (int32_t j = 0; j < n; j++) {
            s->P[(int64_t)i * n + j] -= s->gain[i] * s->gain[j] / q;
        }
    }
    for (int32_t other = 0; other < rows->n_row; other++) {
        double c = s->constant;
        sonde__embedding_code(rows, other, s->code);
        for (int32_t j = 0; j < rows->n_code; j++) {
            c += s->along[j] * s->code[j];
        }
        s->prediction[other] += c * miss / q;
        s->variance[other] -= c * c / q;
    }
    s->sum += miss * miss / q;
}

/* Moves row r on to its lowest policy that has not been scored and can be chosen; -1 if there is
 * none. */
static void advance(sonde__search *search, const sonde_embedding *rows, int32_t r) {
    surrogate *s = search->state;
    int32_t i = s->next[r];
    while (i >= 0 && i < rows->n_policy &&
           (rows->row_of[i] != r || s->scored[i] || !is_allowed(search, i))) {
        i++;
    }
    s->next[r] = i < rows->n_policy ? i : -1;
}

/* The row to look at next, by its lowest bound; of equal ones that with the lowest policy; -1 if
 * none is left. */
static int32_t most_promising(sonde__search *search, const sonde_embedding *rows) {
    const surrogate *s = search->state;
    const double s2 = s->sum / (double)(s->n > 1 ? s->n - 1 : 1);
    int32_t best = -1;
    double least = INFINITY;
    for (int32_t r = 0; r < rows->n_row; r++) {
        const double variance = s->variance[r] > 0.0 ? s->variance[r] : 0.0;
        const double bound = s->prediction[r] - N_DEVIATION * sqrt(s2 * variance);
        if (bound > least) {
            continue;
        }
        advance(search, rows, r);
        if (s->next[r] >= 0 && (bound < least || s->next[r] < s->next[best])) {
            least = bound;
            best = r;
        }
    }
    return best;
}

static double score(sonde__search *search, int32_t i) {
    surrogate *s = search->state;
    const uint64_t policy = sonde__clusters_policy(search->decision.clusters, i);
    const double efe =
        sonde__survey_score(search, search->decision.origin, policy, &s->action[s->n]);
    s->scored[i] = true;
    s->policy[s->n] = i;
    s->efe[s->n++] = efe;
    return efe;
}

/* Scores the representatives, as many as the budget allows, and fits them. */
static void survey(sonde__search *search, const sonde_embedding *rows, int32_t most) {
    surrogate *s = search->state;
    const sonde_clusters *clusters = search->decision.clusters;
    double sum = 0.0;
    for (int32_t c = 0; c < clusters->k; c++) {
        const int32_t i = clusters->representative[c];
        const bool fits = s->n < most && i >= 0 && !s->scored[i] && is_allowed(search, i);
        s->survey.chosen[c] = false;
        s->survey.cluster_efe[c] = fits ? score(search, i) : (double)NAN;
        sum += fits ? s->survey.cluster_efe[c] : 0.0;
    }
    s->offset = s->n > 0 ? sum / (double)s->n : 0.0;
    for (int32_t p = 0; p < s->n; p++) {
        learn(s, rows, rows->row_of[s->policy[p]], s->efe[p]);
    }
}

static sonde_status decide(sonde__search *search) {
    surrogate *s = search->state;
    const sonde_embedding *rows = sonde__survey_rows(search);
    const int32_t most = (int32_t)sonde__search_afford(search, N_PROBE, (uint64_t)rows->n_policy);
    (void)sonde__survey_show(search);
    start(search, rows);
    survey(search, rows, most);
    while (s->n < most) {
        if (sonde__stopped(&search->run)) {
            return SONDE_STOPPED;
        }
        const int32_t r = most_promising(search, rows);
        if (r < 0) {
            break;
        }
        learn(s, rows, r, score(search, s->next[r]));
    }
    for (int32_t p = 0; p < s->n; p++) {
        s->survey.chosen[search->decision.clusters->label[s->policy[p]]] = true;
    }
    return s->n > 0 ? sonde__search_add(search) : SONDE_EMPTY_CLUSTER;
}

/* What was scored, once more, without scoring it again. */
static sonde_status visit(sonde__search *search, sonde__visitor visitor, void *context) {
    const surrogate *s = search->state;
    const double *E = search->policies->model->E;
    for (int32_t p = 0; p < s->n; p++) {
        const uint64_t policy = sonde__clusters_policy(search->decision.clusters, s->policy[p]);
        const sonde__block block = {.action = s->action[p],
                                    .n = 1,
                                    .first = policy,
                                    .efe = &s->efe[p],
                                    .prior = E != NULL ? &E[policy] : NULL};
        visitor(context, &block);
    }
    return SONDE_OK;
}

const sonde__method sonde__surrogate = {.size = sizeof(surrogate),
                                        .grounds = SONDE__GROUNDS_PART,
                                        .open = sonde__survey_open_rows,
                                        .bytes = sonde__survey_bytes,
                                        .carve = carve,
                                        .prepare = prepare,
                                        .decide = decide,
                                        .visit = visit,
                                        .forget = sonde__survey_forget,
                                        .close = sonde__survey_close};

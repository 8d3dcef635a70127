/* search_probe.c: what a cluster is worth, from a few of its members.
 *
 *     center     G of its representative
 *     sample     mean G of a few members, drawn without replacement
 *     adaptive   the same, but members are drawn where it is open which cluster is best: LUCB. One
 *                member more is drawn of the cluster with the smallest mean, and one of its
 *                strongest rival, that with the lowest end of its interval, until the two intervals
 *                are apart. With m of n members drawn, mean G is known to within
 *
 *                    r = s sqrt( 2 ln(2 k m (m + 1) / delta) / m ) sqrt( 1 - (m - 1) / n )
 *
 *                If G within a cluster is normal with the variance s^2, all k intervals hold for
 *                all m with probability 1 - delta, and so the cluster with the smallest mean is
 *                found. Once all members are drawn r is 0. Never more members are drawn in all than
 *                `sample` draws.
 *
 * s^2 is estimated from the members drawn, helped by the variance within clusters, pooled over the
 * present clusters and all that this agent has probed before: it counts as much as PRIOR further
 * members. */
#include <math.h>
#include <stdlib.h>

#include "base/numbers.h"
#include "base/rng.h"
#include "search/search_survey.h"

#define PRIOR 2.0

void sonde__survey_start(sonde__search *search, int32_t origin) {
    sonde__score_start(&search->score, origin, sonde__search_now(search));
    sonde__track_begin(search->track, 0, 0);
}

/* It may share steps with the one before; they count all the same. */
double sonde__survey_score(sonde__search *search, int32_t origin, uint64_t policy,
                           int32_t *action) {
    const uint64_t n_step = search->track->n_step;
    double efe;
    if (search->score.origin != origin) {
        sonde__survey_start(search, origin);
    }
    sonde__track_pick(search->track, 1, &policy, &efe, action);
    search->track->n_step = n_step;
    search->decision.evaluations.n_step += (uint64_t)search->policies->horizon;
    return efe;
}

/* The same for a probe, which is no part of the posterior. */
static double score(sonde__search *search, int32_t origin, int32_t i) {
    search->decision.evaluations.n_policy++;
    return sonde__survey_score(search, origin, sonde__clusters_policy(search->decision.clusters, i),
                               NULL);
}

/* Draws m of n members without replacement (Floyd's method). */
static void pick_members(sonde__rng *rng, int32_t n, int32_t m, int32_t *pick) {
    for (int32_t i = 0; i < m; i++) {
        const int32_t newest = n - m + i;
        int32_t drawn = (int32_t)sonde__rng_below(rng, (uint64_t)newest + 1);
        for (int32_t j = 0; j < i; j++) {
            drawn = pick[j] == drawn ? newest : drawn;
        }
        pick[i] = drawn;
    }
}

/* Mean G of a few members; NaN if there are none. */
static double probe_sample(sonde__search *search, const sonde__group *group) {
    const sonde__survey *survey = search->state;
    const int32_t n = group->n;
    const int32_t m = n < search->settings.n_sample ? n : search->settings.n_sample;
    if (m < n) {
        pick_members(&search->probe_rng, n, m, survey->pick);
    }
    double sum = 0.0;
    for (int32_t i = 0; i < m; i++) {
        const int32_t policy = group->member[m < n ? survey->pick[i] : i];
        sum += score(search, search->decision.origin, policy);
    }
    return m > 0 ? sum / (double)m : (double)NAN;
}

/* G of the representative; NaN if there is none. */
static double probe_center(sonde__search *search, const sonde__group *group) {
    const int32_t policy = group->representative;
    return policy >= 0 ? score(search, search->decision.probe_origin, policy) : (double)NAN;
}

/* Whether E leaves some member; otherwise there is nothing to be found. */
static bool has_prior(const sonde__search *search, const sonde__group *group) {
    const double *E = search->policies->model->E;
    bool has = E == NULL;
    for (int32_t i = 0; !has && i < group->n; i++) {
        has = E[sonde__clusters_policy(search->decision.clusters, group->member[i])] > 0.0;
    }
    return has;
}

/* ------------------------------------------------------------------------------- adaptive -- */

/* Draws one more member of group c, and scores it. */
static void draw_one(sonde__search *search, const sonde__group *group, int32_t c,
                     int32_t *n_drawn) {
    sonde__survey *survey = search->state;
    int32_t member;
    do {
        member = group[c].member[sonde__rng_below(&search->probe_rng, (uint64_t)group[c].n)];
    } while (survey->is_drawn[member]);
    survey->is_drawn[member] = true;
    survey->drawn[(*n_drawn)++] = member;
    sonde__arm_add(&survey->arm[c], score(search, search->decision.origin, member));
}

/* Variance within clusters: of all members drawn now, and of what was met before. */
static double pooled_variance(const sonde__search *search, int32_t n) {
    const sonde__survey *survey = search->state;
    sonde__scatter all = survey->memory.probed;
    for (int32_t c = 0; c < n; c++) {
        sonde__scatter_add(&all, &survey->arm[c]);
    }
    return all.degrees > 0.0 ? all.squares / all.degrees : INFINITY;
}

/* How far the mean of the members drawn can be from that of all. */
static double radius(const sonde__search *search, const sonde__arm *arm, int32_t n_member,
                     int32_t n, double pooled) {
    if (arm->n == 0 || arm->n == n_member) {
        return 0.0;
    }
    const double m = (double)arm->n;
    const double variance = (PRIOR * pooled + arm->squares) / (PRIOR + m - 1.0);
    const double chance = 2.0 * (double)n * m * (m + 1.0) / search->settings.delta;
    return sqrt(2.0 * variance * sonde__log(chance) / m * (1.0 - (m - 1.0) / (double)n_member));
}

/* The cluster with the smallest mean, and of the others that with the lowest end of its
 * interval, -1 where there is none; the lowest of several. True where it is settled which is
 * best. */
static bool rivals(const sonde__search *search, const sonde__group *group, int32_t n,
                   int32_t rival[2]) {
    const sonde__survey *survey = search->state;
    const sonde__arm *arm = survey->arm;
    const double pooled = pooled_variance(search, n);
    double lower = INFINITY;
    rival[0] = rival[1] = -1;
    for (int32_t c = 0; c < n; c++) {
        if (arm[c].n > 0 && (rival[0] < 0 || arm[c].mean < arm[rival[0]].mean)) {
            rival[0] = c;
        }
    }
    for (int32_t c = 0; c < n; c++) {
        const double end = arm[c].mean - radius(search, &arm[c], group[c].n, n, pooled);
        if (arm[c].n > 0 && c != rival[0] && (rival[1] < 0 || end < lower)) {
            rival[1] = c;
            lower = end;
        }
    }
    if (rival[1] < 0) {
        return true;
    }
    const sonde__arm *best = &arm[rival[0]];
    return best->mean + radius(search, best, group[rival[0]].n, n, pooled) < lower;
}

static void probe_adaptively(sonde__search *search, sonde__group *group, int32_t n) {
    sonde__survey *survey = search->state;
    const int64_t most = (int64_t)n * search->settings.n_sample;
    /* one member each, and a second where nobody knows how much they vary */
    const int32_t n_each =
        survey->memory.probed.degrees > 0.0 || search->settings.n_sample < 2 ? 1 : 2;
    int32_t rival[2];
    int32_t n_drawn = 0;
    for (int32_t c = 0; c < n; c++) {
        survey->arm[c] = (sonde__arm){0};
        while (has_prior(search, &group[c]) && survey->arm[c].n < n_each &&
               survey->arm[c].n < group[c].n) {
            draw_one(search, group, c, &n_drawn);
        }
    }
    bool drew = true;
    while (drew && n_drawn < most && !rivals(search, group, n, rival)) {
        drew = false;
        for (int32_t i = 0; i < 2; i++) {
            if (survey->arm[rival[i]].n < group[rival[i]].n && n_drawn < most) {
                draw_one(search, group, rival[i], &n_drawn);
                drew = true;
            }
        }
    }
    for (int32_t d = 0; d < n_drawn; d++) {
        survey->is_drawn[survey->drawn[d]] = false;
    }
    for (int32_t c = 0; c < n; c++) {
        const sonde__arm *arm = &survey->arm[c];
        group[c].value = arm->n > 0 ? arm->mean : (double)NAN;
        sonde__scatter_add(&survey->memory.probed, arm);
    }
}

void sonde__scatter_add(sonde__scatter *scatter, const sonde__arm *arm) {
    scatter->squares += arm->squares;
    scatter->degrees += arm->n > 1 ? (double)arm->n - 1.0 : 0.0;
}

void sonde__survey_probe(sonde__search *search, sonde__group *group, int32_t n) {
    const bool center = search->settings.probe == SONDE_PROBE_CENTER;
    const bool lost = center && sonde__search_is_local(search) && search->settings.probe_everywhere;
    search->decision.probe_origin = lost ? SONDE_EVERYWHERE : search->decision.origin;
    if (search->settings.probe == SONDE_PROBE_ADAPTIVE) {
        probe_adaptively(search, group, n);
        return;
    }
    for (int32_t c = 0; c < n; c++) {
        group[c].value = !has_prior(search, &group[c]) ? (double)NAN
                         : center                      ? probe_center(search, &group[c])
                                                       : probe_sample(search, &group[c]);
    }
}

/* -------------------------------------------------------------------------------- explained -- */

/* The smallest probe first; those without one last. */
static int compare_evidence(const void *a, const void *b) {
    const sonde__probed *x = a;
    const sonde__probed *y = b;
    const double x_probe = isnan(x->probe) ? INFINITY : x->probe;
    const double y_probe = isnan(y->probe) ? INFINITY : y->probe;
    if (x_probe != y_probe) {
        return x_probe < y_probe ? -1 : 1;
    }
    return x->cluster < y->cluster ? -1 : 1;
}

/* How many policies were scored for the probe of a cluster of n; 0: arms no longer say. */
static int32_t count_probed(const sonde__search *search, int32_t c, int32_t n) {
    const sonde__survey *survey = search->state;
    const int32_t most = search->settings.n_sample;
    switch (search->settings.probe) {
    case SONDE_PROBE_CENTER: return 1;
    case SONDE_PROBE_SAMPLE: return n < most ? n : most;
    default: return survey->probes_parts ? 0 : survey->arm[c].n;
    }
}

void sonde__survey_explain(sonde__search *search, sonde__arena *arena, sonde_explanation *to) {
    const sonde_decision *decision = &search->decision;
    const sonde_clusters *clusters = decision->clusters;
    sonde__probed *cluster = SONDE__TAKE(arena, sonde__probed, clusters->k);
    if (to == NULL) {
        return;
    }
    for (int32_t c = 0; c < clusters->k; c++) {
        const int32_t n = clusters->offset[c + 1] - clusters->offset[c];
        const double probe = decision->cluster_efe[c];
        cluster[c] = (sonde__probed){.cluster = c,
                                     .n_policy = n,
                                     .n_probed = isnan(probe) ? 0 : count_probed(search, c, n),
                                     .probe = probe,
                                     .chosen = decision->chosen[c]};
        to->n_cut += decision->chosen[c] ? 0 : (uint64_t)n;
    }
    qsort(cluster, (size_t)clusters->k, sizeof *cluster, compare_evidence);
    to->probe = search->settings.probe;
    to->n_cluster = clusters->k;
    to->cluster = cluster;
}

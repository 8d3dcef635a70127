/* search_cluster.c: the paper's hierarchical search, Algorithms 1 and 2.
 *
 *     1. cluster the policies of the origin (once)
 *     2. probe each cluster: G of its representative, or mean G of a few members
 *     3. score all members of the best cluster, or of the best few; where the clusters are those of
 *        a sample, also members that are drawn from the whole space (search_members.c) */
#include <math.h>

#include "base/numbers.h"
#include "search/search_survey.h"

/* policies that are scored at once */
#define N_AT_ONCE 64

/* The cluster with the smallest value among those not chosen yet, the lowest of several; -1 when
 * none is left. */
static int32_t best_cluster(const sonde__survey *survey, int32_t k) {
    int32_t best = -1;
    for (int32_t c = 0; c < k; c++) {
        const double value = survey->cluster_efe[c];
        if (isnan(value) || survey->chosen[c]) {
            continue;
        }
        if (best < 0 || sonde__is_below(value, survey->cluster_efe[best])) {
            best = c;
        }
    }
    return best;
}

/* Cluster c, to be probed or scored. */
static sonde__group group_of(const sonde_clusters *clusters, int32_t c) {
    const int32_t n = clusters->offset[c + 1] - clusters->offset[c];
    return (sonde__group){.member = clusters->member + clusters->offset[c],
                          .n = n,
                          .n_most = n,
                          .representative = clusters->representative[c]};
}

/* Whether decisions show how many clusters there should be. */
static bool learns(const sonde__search *search) {
    return search->settings.cluster.k == SONDE_K_AUTO;
}

/* Remembers how much clusters differ. */
static void remember_values(sonde__survey *survey, int32_t k) {
    sonde__arm values = {0};
    for (int32_t c = 0; c < k; c++) {
        if (!isnan(survey->cluster_efe[c])) {
            sonde__arm_add(&values, survey->cluster_efe[c]);
        }
    }
    sonde__scatter_add(&survey->memory.between, &values);
}

static sonde_status decide(sonde__search *search) {
    sonde__survey *survey = search->state;
    const sonde_search_settings *settings = &search->settings;
    const sonde_clusters *clusters = sonde__survey_show(search);
    for (int32_t c = 0; c < clusters->k; c++) {
        survey->group[c] = group_of(clusters, c);
    }
    sonde__survey_probe(search, survey->group, clusters->k);
    for (int32_t c = 0; c < clusters->k; c++) {
        survey->chosen[c] = false;
        survey->cluster_efe[c] = survey->group[c].value;
    }
    if (learns(search)) {
        remember_values(survey, clusters->k);
    }
    int32_t n_member = 0;
    for (int32_t i = 0; i < settings->n_top && i < clusters->k; i++) {
        const int32_t c = best_cluster(survey, clusters->k);
        if (c < 0) {
            break;
        }
        survey->chosen[c] = true;
        n_member += clusters->offset[c + 1] - clusters->offset[c];
    }
    if (n_member == 0) {
        return SONDE_EMPTY_CLUSTER;
    }
    const sonde_status status = sonde__members_generate(search);
    return status == SONDE_OK ? sonde__search_add(search) : status;
}

/* Lets a block begin n policies later. */
static void pass(sonde__block *block, int32_t n) {
    if (block->member != NULL) {
        block->member += n;
    }
    if (block->policy != NULL) {
        block->policy += n;
    }
}

/* Hands on what the block has gathered. */
static void flush(sonde__block *block, sonde__visitor visitor, void *context) {
    if (block->n > 0) {
        visitor(context, block);
    }
    pass(block, block->n);
    block->n = 0;
}

/* The next policies that a block goes on with, as many as are scored at once, n at most, and none
 * that is passed over. */
static int32_t gather(const sonde__block *block, int32_t n, const double *prior, uint64_t *policy) {
    int32_t i = 0;
    for (; i < n && i < N_AT_ONCE; i++) {
        policy[i] = sonde__block_policy(block, block->n + i);
        if (prior != NULL && prior[policy[i]] <= 0.0) {
            break;
        }
    }
    return i;
}

/* Policies that a block begins with, n of them or the first n_most, in order, so that neighbours
 * share their prefixes. Where not all are scored, those that E rules out are passed over. */
static void visit_list(sonde__search *search, sonde__block block, int32_t n, int32_t n_most,
                       sonde__visitor visitor, void *context) {
    const double *E = search->policies->model->E;
    sonde__arm searched = {0};
    int32_t n_scored = 0;
    block.efe = search->efe;
    block.prior = E != NULL ? search->prior : NULL;
    for (int32_t i = 0; i < n && n_scored < n_most; i++) {
        uint64_t policy[N_AT_ONCE];
        double efe[N_AT_ONCE];
        int32_t action[N_AT_ONCE];
        const int32_t left = n - i < n_most - n_scored ? n - i : n_most - n_scored;
        const int32_t n_some = gather(&block, left, n_most < n ? E : NULL, policy);
        sonde__track_pick(search->track, n_some, policy, efe, action);
        for (int32_t j = 0; j < n_some; j++) {
            if (block.n == search->n_efe || (block.n > 0 && action[j] != block.action)) {
                flush(&block, visitor, context);
            }
            block.action = action[j];
            if (E != NULL) {
                search->prior[block.n] = E[policy[j]];
            }
            search->efe[block.n++] = efe[j];
        }
        for (int32_t j = 0; learns(search) && j < n_some; j++) {
            sonde__arm_add(&searched, efe[j]);
        }
        n_scored += n_some;
        i += n_some - 1;
        if (n_some < left && n_some < N_AT_ONCE) {
            flush(&block, visitor, context);
            pass(&block, 1);
            i++;
        }
    }
    flush(&block, visitor, context);
    /* a cluster's, and not once more, for a draw */
    if (block.member != NULL && visitor == sonde__posterior_add) {
        sonde__survey *survey = search->state;
        sonde__scatter_add(&survey->memory.searched, &searched);
    }
}

void sonde__group_visit(sonde__search *search, const sonde__group *group, sonde__visitor visitor,
                        void *context) {
    const sonde__block members = {.member = group->member, .clusters = search->decision.clusters};
    visit_list(search, members, group->n, group->n_most, visitor, context);
}

static sonde_status visit(sonde__search *search, sonde__visitor visitor, void *context) {
    const sonde__survey *survey = search->state;
    const sonde_decision *decision = &search->decision;
    const sonde_clusters *clusters = decision->clusters;
    sonde__survey_start(search, decision->origin);
    for (int32_t c = 0; c < clusters->k; c++) {
        if (sonde__stopped(&search->run)) {
            return SONDE_STOPPED;
        }
        if (survey->chosen[c]) {
            const sonde__group group = group_of(clusters, c);
            sonde__group_visit(search, &group, visitor, context);
        }
    }
    const sonde__block generated = {.policy = decision->generated};
    visit_list(search, generated, decision->n_generated, decision->n_generated, visitor, context);
    return SONDE_OK;
}

const sonde__method sonde__cluster = {.size = sizeof(sonde__survey),
                                      .grounds = SONDE__GROUNDS_CLUSTERS,
                                      .open = sonde__survey_open,
                                      .bytes = sonde__survey_bytes,
                                      .carve = sonde__survey_carve,
                                      .prepare = sonde__survey_prepare,
                                      .decide = decide,
                                      .visit = visit,
                                      .explain = sonde__survey_explain,
                                      .forget = sonde__survey_forget,
                                      .close = sonde__survey_close};

sonde_status sonde_clusters_mean_efe(const sonde_clusters *clusters, const sonde_policies *policies,
                                     int32_t origin, sonde_present now, double *mean,
                                     sonde_error *error) {
    const uint64_t size = sonde_policies_size(policies, origin);
    sonde__kit kit;
    if (!sonde__score_can_start(policies->model, now) || (uint64_t)clusters->n_policy > size) {
        return sonde__fail(error, SONDE_BAD_ARGUMENT,
                           "clusters: expected those of this origin, and an edge or a belief to "
                           "begin from");
    }
    if (!sonde__kit_open(&kit, policies, 1)) {
        return sonde__fail_memory(error, "scores", kit.arena.used);
    }
    sonde__score_start(&kit.score, origin, now);
    sonde__track_begin(kit.track, 0, 0);
    for (int32_t c = 0; c < clusters->k; c++) {
        const sonde__group group = group_of(clusters, c);
        double sum = 0.0;
        for (int32_t i = 0; i < group.n;) {
            uint64_t policy[N_AT_ONCE];
            double efe[N_AT_ONCE];
            const sonde__block rest = {.member = group.member + i, .clusters = clusters};
            const int32_t n = gather(&rest, group.n - i, NULL, policy);
            sonde__track_pick(kit.track, n, policy, efe, NULL);
            for (int32_t j = 0; j < n; j++) {
                sum += efe[j];
            }
            i += n;
        }
        mean[c] = group.n > 0 ? sum / (double)group.n : (double)NAN;
    }
    sonde__arena_free(&kit.arena);
    return SONDE_OK;
}

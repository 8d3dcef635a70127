/* efe.c: G of some policies, for whoever asks: a range of those there are, or a list of one's
 * own. */
#include "efe/efe_score.h"

#include <inttypes.h>

#include "base/parallel.h"

/* policies a task scores, and how many at a time */
#define BLOCK ((uint64_t)1 << 16)
#define N_AT_ONCE 256

/* what the tasks of sonde_efe_range share */
typedef struct {
    sonde__kit kit;
    sonde_range range;
    double *efe;
} job;

static void score_block(void *context, int32_t task, int32_t worker) {
    const job *all = context;
    sonde__track *track = &all->kit.track[worker];
    const uint64_t begin = (uint64_t)task * BLOCK;
    const uint64_t end = begin + BLOCK < all->range.n ? begin + BLOCK : all->range.n;
    uint64_t policy[N_AT_ONCE];
    sonde__track_begin(track, 0, 0);
    for (uint64_t i = begin; i < end; i += N_AT_ONCE) {
        const int32_t n = end - i < N_AT_ONCE ? (int32_t)(end - i) : N_AT_ONCE;
        for (int32_t j = 0; j < n; j++) {
            policy[j] = all->range.first + i + (uint64_t)j;
        }
        sonde__track_pick(track, n, policy, all->efe + i, NULL);
    }
}

sonde_status sonde_efe_range(const sonde_policies *policies, sonde_present now, sonde_range range,
                             const sonde_run *run, double *efe, sonde_error *error) {
    const uint64_t size = sonde_policies_size(policies, range.origin);
    if (range.first > size || range.n > size - range.first ||
        !sonde__score_can_start(policies->model, now)) {
        return sonde__fail(error, SONDE_BAD_ARGUMENT,
                           "range: expected some of %" PRIu64 " policies, and an edge or a belief "
                           "to begin from, found others",
                           size);
    }
    const sonde_status known = sonde__model_check_open(policies->model, error);
    if (known != SONDE_OK) {
        return known;
    }
    const sonde_run settled = sonde__run_settle(run);
    job all = {.range = range};
    all.efe = efe;
    if (!sonde__kit_open(&all.kit, policies, settled.n_thread)) {
        return sonde__fail_memory(error, "scores", all.kit.arena.used);
    }
    sonde__score_start(&all.kit.score, range.origin, now);
    const int32_t n_task = (int32_t)((range.n + BLOCK - 1) / BLOCK);
    const sonde_status status = sonde__parallel(&settled, n_task, "scoring", score_block, &all);
    sonde__arena_free(&all.kit.arena);
    return status;
}

/* Policies of one's own, one by one, until one is none. */
static sonde_status score_walks(const sonde__kit *kit, const sonde_walks *walks,
                                const sonde_run *run, const sonde_scores *scores,
                                sonde_error *error) {
    const int64_t horizon = walks->horizon;
    for (int32_t i = 0; i < walks->n_policy; i++) {
        const int32_t *walk = walks->walk + i * (horizon + 1);
        if (sonde__stopped(run)) {
            return sonde__fail(error, SONDE_STOPPED, "policies: interrupted after %d of them", i);
        }
        if (!sonde__walk_is(kit->score.policies, walk)) {
            return sonde__fail(error, SONDE_BAD_ARGUMENT,
                               "policy %d: expected numbers of edges, or of actions", i);
        }
        sonde__track_terms(kit->track, walk, walks->horizon,
                           scores->step != NULL ? scores->step + i * horizon : NULL,
                           scores->reached != NULL ? scores->reached + i * horizon : NULL,
                           &scores->total[i]);
    }
    return SONDE_OK;
}

sonde_status sonde_efe_walks(const sonde_model *model, sonde_present now, const sonde_walks *walks,
                             const sonde_run *run, const sonde_scores *scores, sonde_error *error) {
    const sonde_run settled = sonde__run_settle(run);
    const sonde_status known = sonde__model_check_open(model, error);
    if (known != SONDE_OK) {
        return known;
    }
    if (walks->n_policy < 0) {
        return sonde__fail(error, SONDE_BAD_ARGUMENT, "policies: expected 0 or more, found %d",
                           walks->n_policy);
    }
    if (!sonde__score_can_start(model, now)) {
        return sonde__fail(error, SONDE_BAD_ARGUMENT,
                           "now: expected an edge of the graph, or a belief, found neither");
    }
    sonde_status status = sonde__horizon_check(model, walks->horizon, error);
    if (status != SONDE_OK) {
        return status;
    }
    const sonde_policies own = {.model = model, .horizon = walks->horizon};
    sonde__kit kit;
    if (!sonde__kit_open(&kit, &own, 1)) {
        return sonde__fail_memory(error, "scores", kit.arena.used);
    }
    sonde__score_start(&kit.score, 0, now);
    status = score_walks(&kit, walks, &settled, scores, error);
    sonde__arena_free(&kit.arena);
    return status;
}

/* efe.c: expected free energy of policies on graph worlds (docs/math.md, "Expected free energy").
 *
 *     G(policy) = sum over t of  risk[s_t] + 0 + cost[s_t]
 *
 * where s_t is the edge reached by the first t actions: the walk's own edge while its actions are
 * valid, the present node's self-edge from the first that is not. Sums run from the first step to
 * the last everywhere, so that every way of scoring a policy gives the same bits. */
#include "efe/efe.h"

#include <inttypes.h>
#include <string.h>

#include "base/parallel.h"

/* policies a task scores */
#define BLOCK ((uint64_t)1 << 16)

void sonde__efe_walk(const sonde_model *model, int32_t state, const int32_t *walk, sonde_efe *steps,
                     int32_t *reached, sonde_efe *total) {
    *total = (sonde_efe){0};
    for (int32_t t = 1; t <= model->horizon; t++) {
        state = sonde__efe_next(model->graph, state, walk[t - 1], walk[t]);
        total->efe += model->step[state];
        total->term[SONDE_RISK] += model->risk[state];
        total->term[SONDE_COST] += model->cost[state];
        if (steps != NULL) {
            steps[t - 1] = (sonde_efe){
                .efe = model->step[state],
                .term = {[SONDE_RISK] = model->risk[state], [SONDE_COST] = model->cost[state]}};
        }
        if (reached != NULL) {
            reached[t - 1] = state;
        }
    }
}

void sonde__scorer_carve(sonde__arena *arena, const sonde_policies *policies,
                         sonde__scorer *scorer) {
    const sonde_model *model = policies->model;
    const uint64_t n = (uint64_t)policies->horizon + 1;
    sonde__walker_carve(arena, policies, &scorer->walker);
    if (model->graph != NULL) {
        scorer->state = SONDE__TAKE(arena, int32_t, n);
        scorer->sum = SONDE__TAKE(arena, double, n);
    } else {
        scorer->belief = SONDE__TAKE(arena, double, sonde__multiply(n, (uint64_t)model->n_belief));
        scorer->total = SONDE__TAKE(arena, sonde_efe, n);
        scorer->scratch = SONDE__TAKE(arena, double, sonde__efe_scratch(model));
    }
}

void sonde__scorer_start(sonde__scorer *scorer, const sonde_policies *policies, int32_t origin,
                         sonde_present now) {
    sonde__walker_start(&scorer->walker, policies, origin);
    if (policies->model->graph != NULL) {
        scorer->state[0] = now.state;
        scorer->sum[0] = 0.0;
    } else {
        memcpy(scorer->belief, now.belief, (size_t)policies->model->n_belief * sizeof(double));
        scorer->total[0] = (sonde_efe){0};
    }
}

double sonde__scorer_efe(sonde__scorer *scorer, uint64_t index) {
    const sonde_policies *policies = scorer->walker.policies;
    const sonde_model *model = policies->model;
    const int32_t *edge = scorer->walker.edge;
    if (model->graph == NULL) {
        return sonde__scorer_efe_model(scorer, index);
    }
    const int32_t changed = sonde__walker_move(&scorer->walker, index);
    for (int32_t t = changed > 0 ? changed : 1; t <= policies->horizon; t++) {
        const int32_t s = sonde__efe_next(model->graph, scorer->state[t - 1], edge[t - 1], edge[t]);
        scorer->state[t] = s;
        scorer->sum[t] = scorer->sum[t - 1] + model->step[s];
        scorer->n_step++;
    }
    return scorer->sum[policies->horizon];
}

/* what the tasks of sonde_efe_range share */
typedef struct {
    const sonde_policies *policies;
    sonde_present now;
    sonde_range range;
    sonde__scorer *scorer; /* one for each worker */
    double *efe;
} job;

static void score_block(void *context, int32_t task, int32_t worker) {
    const job *all = context;
    sonde__scorer *scorer = &all->scorer[worker];
    sonde__scorer_start(scorer, all->policies, all->range.origin, all->now);
    const uint64_t begin = (uint64_t)task * BLOCK;
    const uint64_t end = begin + BLOCK < all->range.n ? begin + BLOCK : all->range.n;
    for (uint64_t i = begin; i < end; i++) {
        all->efe[i] = sonde__scorer_efe(scorer, all->range.first + i);
    }
}

/* Whether somebody can be there: on an edge, or with a belief. */
static bool is_present(const sonde_model *model, sonde_present now) {
    return model->graph != NULL ? now.state >= 0 && now.state < model->n_state
                                : now.belief != NULL && sonde__belief_is(model, now.belief);
}

sonde_status sonde_efe_range(const sonde_policies *policies, sonde_present now, sonde_range range,
                             const sonde_run *run, double *efe, sonde_error *error) {
    const uint64_t size = sonde_policies_size(policies, range.origin);
    if (range.first > size || range.n > size - range.first || !is_present(policies->model, now)) {
        return sonde__fail(error, SONDE_BAD_ARGUMENT,
                           "range: expected some of %" PRIu64 " policies, and an edge or a belief "
                           "to begin from, found others",
                           size);
    }
    const sonde_run settled = sonde__run_settle(run);
    job all = {.policies = policies, .now = now, .range = range};
    all.efe = efe;
    sonde__arena arena = {0};
    for (int pass = 0; pass < 2; pass++) {
        all.scorer = SONDE__TAKE(&arena, sonde__scorer, settled.n_thread);
        for (int32_t i = 0; i < settled.n_thread; i++) {
            sonde__scorer none;
            sonde__scorer_carve(&arena, policies, all.scorer != NULL ? &all.scorer[i] : &none);
        }
        if (pass == 0 && !sonde__arena_reserve(&arena)) {
            return sonde__fail_memory(error, "scores", arena.used);
        }
    }
    const int32_t n_task = (int32_t)((range.n + BLOCK - 1) / BLOCK);
    const sonde_status status = sonde__parallel(&settled, n_task, "scoring", score_block, &all);
    sonde__arena_free(&arena);
    return status;
}

/* One policy of a list. */
static sonde_status score_walk(const sonde_model *model, sonde_present now,
                               const sonde_walks *walks, int32_t i, const sonde_scores *scores) {
    const int64_t horizon = walks->horizon;
    const int32_t *walk = walks->walk + i * (horizon + 1);
    sonde_efe *step = scores->step != NULL ? scores->step + i * horizon : NULL;
    int32_t *reached = scores->reached != NULL ? scores->reached + i * horizon : NULL;
    if (model->graph == NULL) {
        return sonde__efe_policy(model, now.belief, walk, step, &scores->total[i]);
    }
    if (!sonde__walk_is(model, walk)) {
        return SONDE_BAD_ARGUMENT;
    }
    sonde__efe_walk(model, now.state, walk, step, reached, &scores->total[i]);
    return SONDE_OK;
}

sonde_status sonde_efe_walks(const sonde_model *model, sonde_present now, const sonde_walks *walks,
                             const sonde_run *run, const sonde_scores *scores, sonde_error *error) {
    const sonde_run settled = sonde__run_settle(run);
    if (walks->n_policy < 0) {
        return sonde__fail(error, SONDE_BAD_ARGUMENT, "policies: expected 0 or more, found %d",
                           walks->n_policy);
    }
    if (walks->horizon != model->horizon || !is_present(model, now)) {
        return sonde__fail(error, SONDE_BAD_ARGUMENT,
                           walks->horizon != model->horizon
                               ? "policies: expected %d steps each, found %d"
                               : "now: expected an edge of the graph, or a belief, found neither",
                           model->horizon, walks->horizon);
    }
    for (int32_t i = 0; i < walks->n_policy; i++) {
        if (sonde__stopped(&settled)) {
            return sonde__fail(error, SONDE_STOPPED, "policies: interrupted after %d of them", i);
        }
        const sonde_status status = score_walk(model, now, walks, i, scores);
        if (status != SONDE_OK) {
            return sonde__fail(error, status,
                               status == SONDE_BAD_ARGUMENT
                                   ? "policy %d: expected numbers of edges, or of actions"
                                   : "policy %d: the system refused memory",
                               i);
        }
    }
    return SONDE_OK;
}

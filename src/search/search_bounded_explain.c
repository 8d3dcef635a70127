/* search_bounded_explain.c: what best-first search has left open, and what its bounds are worth.
 *
 * Where no policy of some first action is complete, the open prefix with the least bound is shown,
 * with the bound that closed it: no policy that begins with that action can have a smaller G. */
#include <math.h>
#include <string.h>

#include "base/numbers.h"
#include "search/search_bounded.h"

/* The open prefix with the least bound, of each first action. */
static void find_open(sonde__bounded *b, int32_t begin, int32_t n_action) {
    const sonde__frontier *frontier = &b->frontier;
    for (int32_t a = 0; a < n_action; a++) {
        b->first_open[a] = -1;
    }
    for (int32_t i = 0; i < frontier->n_open; i++) {
        const sonde__open *open = &frontier->open[i];
        int32_t *least = &b->first_open[frontier->node[open->node].first - begin];
        const sonde__open *before = *least >= 0 ? &frontier->open[*least] : NULL;
        const double key = sonde__prefix_least(&frontier->node[open->node]);
        const double other =
            before != NULL ? sonde__prefix_least(&frontier->node[before->node]) : INFINITY;
        if (before == NULL || key < other || (key == other && open->order < before->order)) {
            *least = i;
        }
    }
}

int32_t sonde__bounded_recall(const sonde__search *search, int32_t action, int32_t *walk,
                              double *bound) {
    const sonde__bounded *b = search->state;
    const sonde__frontier *frontier = &b->frontier;
    const int32_t at = action - search->posterior.begin;
    const int32_t i = b->first_open[at];
    const sonde__prefix *node = i >= 0 ? &frontier->node[frontier->open[i].node] : NULL;
    *bound = node != NULL ? sonde__prefix_least(node) : INFINITY;
    walk[0] = search->decision.origin;
    if (search->posterior.best[at] != UINT64_MAX) {
        return sonde__frontier_trace(frontier, b->leaf[at], search->policies->horizon, walk);
    }
    if (node == NULL) {
        return 0;
    }
    const sonde__record last = {.parent = node->parent, .action = node->action};
    return sonde__frontier_trace(frontier, last, node->depth, walk);
}

/* Whether no step can have a negative G: what outcomes tell takes no more than what they are liked
 * for brings. */
static bool is_positive(const sonde_model *model) {
    const sonde_weights *w = &model->weights;
    bool positive = model->preferences != SONDE_PREFERENCES_UTILITY && w->information <= w->utility;
    for (int32_t m = 0; positive && m < model->n_modality; m++) {
        for (int32_t o = 0; o < model->modality[m].n_outcome; o++) {
            positive = positive && w->cost * model->lambda * model->modality[m].cost[o] >= 0.0;
        }
    }
    return positive;
}

/* How far the posterior could be off if nothing were known of what is to come. */
static double tv_unbounded(const sonde__search *search) {
    const sonde__bounded *b = search->state;
    const sonde__posterior *posterior = &search->posterior;
    if (!is_positive(search->policies->model)) {
        return (double)NAN;
    }
    const double found = sonde__posterior_log(posterior, sonde__posterior_total(posterior));
    return b->frontier.n_open > 0
               ? 1.0 / (1.0 + sonde__exp(found - sonde__frontier_log_mass(&b->frontier, true)))
               : 0.0;
}

/* Which bounds hold what is open. */
static void share_out(const sonde__search *search, sonde__bound_share *share) {
    const sonde__bounded *b = search->state;
    const sonde__frontier *frontier = &b->frontier;
    const double open = sonde__frontier_log_mass(frontier, false);
    for (int32_t i = 0; i <= SONDE__N_BOUND; i++) {
        share[i].name = sonde__bound_name[i];
    }
    for (int32_t i = 0; i < frontier->n_open; i++) {
        const int32_t id = frontier->open[i].node;
        int32_t which;
        (void)sonde__score_ahead(&search->score, frontier->node[id].depth,
                                 sonde__spot_at(&search->score, frontier->spots, id), &which);
        share[which].n_open++;
        share[which].share += sonde__exp(frontier->node[id].mass - open);
    }
}

void sonde__bounded_explain(sonde__search *search, sonde__arena *arena, sonde_explanation *to) {
    sonde__bounded *b = search->state;
    sonde__trace *trace = SONDE__TAKE(arena, sonde__trace, b->n_trace);
    sonde__bound_share *share = SONDE__TAKE(arena, sonde__bound_share, SONDE__N_BOUND + 1);
    if (to == NULL) {
        return;
    }
    find_open(b, search->posterior.begin, search->posterior.end - search->posterior.begin);
    share_out(search, share);
    memcpy(trace, b->trace, (size_t)b->n_trace * sizeof *trace);
    to->tv_unbounded = tv_unbounded(search);
    to->n_expanded = (uint64_t)b->frontier.n_record;
    to->n_merged = b->frontier.n_merged;
    to->n_open = (uint64_t)b->frontier.n_open;
    to->n_trace = b->n_trace;
    to->trace = trace;
    to->n_bound = SONDE__N_BOUND + 1;
    to->bound = share;
}

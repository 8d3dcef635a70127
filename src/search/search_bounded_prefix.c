/* search_bounded_prefix.c: best-first search below one prefix, way by way.
 *
 * The search is the same, but for where it begins: with the prefix, so that what counts as a first
 * action is the one after it. What it finds and leaves open of each way on bounds the mass of all
 * policies that go there. */
#include <math.h>

#include "base/numbers.h"
#include "search/search_bounded.h"

extern const sonde__method sonde__bounded_first;

/* Lists the ways on from the prefix, nothing of which is known yet. */
static void list_ways(sonde__search *search, sonde__ways_on *on) {
    sonde__bounded *b = search->state;
    const sonde__score *score = &search->score;
    const sonde__track *track = search->track;
    const int32_t t = on->n_step + 1;
    sonde__frontier_clear(&b->frontier, 0);
    on->efe = 0.0;
    const int32_t slot = sonde__bounded_descend(search, &on->efe);
    on->n_way = slot < 0 ? 0
                         : sonde__track_expand(search->track, t,
                                               sonde__spot_at(score, b->frontier.spots, slot));
    for (int32_t child = 0; child < on->n_way; child++) {
        const sonde__spot after = sonde__spot_at(score, b->frontier.spots, 1 - slot);
        const uint64_t n = track->below[child];
        double size = (double)n;
        if (n == UINT64_MAX) {
            sonde__track_child(track, t, child, after);
            size = sonde__exp(sonde__score_log_count(score, t, after));
        }
        on->way[child] = (sonde__onward){.number = track->next[child],
                                         .n_policy = n,
                                         .size = size,
                                         .log_mass = -INFINITY,
                                         .log_rest = -INFINITY,
                                         .least = INFINITY,
                                         .best = INFINITY};
    }
}

/* The way that begins with an action of general models, which is its number. */
static sonde__onward *way_of(const sonde__ways_on *on, int32_t action) {
    int32_t i = 0;
    while (on->way[i].number != action) {
        i++;
    }
    return &on->way[i];
}

/* What was found and left open of each way. */
static void share_out(const sonde__search *search, const sonde__ways_on *on) {
    const sonde__bounded *b = search->state;
    const sonde__posterior *p = &search->posterior;
    for (int32_t i = 0; i < on->n_way; i++) {
        sonde__onward *way = &on->way[i];
        const double mass = p->mass[way->number - p->begin];
        way->log_mass = mass > 0.0 ? sonde__posterior_log(p, mass) : -INFINITY;
        way->best = way->least = p->best_efe[way->number - p->begin];
    }
    for (int32_t i = 0; i < b->frontier.n_open; i++) {
        const sonde__prefix *node = &b->frontier.node[b->frontier.open[i].node];
        sonde__onward *way = way_of(on, node->first);
        const double least = sonde__prefix_least(node);
        way->log_rest = sonde__log_add(way->log_rest, node->mass);
        way->least = least < way->least ? least : way->least;
    }
}

sonde_status sonde__bounded_below(sonde__search *search, sonde__ways_on *on) {
    sonde__bounded *b = search->state;
    sonde__posterior *p = &search->posterior;
    sonde_status status = SONDE_OK;
    b->n_from = on->n_step;
    b->from = on->walk;
    list_ways(search, on);
    if (on->n_way > 0) {
        p->weight = on->n_step > 0 ? NULL : search->policies->model->habit;
        sonde__posterior_start(p, 0, search->policies->model->n_action);
        search->decision.evaluations.n_step = 0;
        status = sonde__bounded_first.decide(search);
        share_out(search, on);
    }
    b->n_from = 0;
    return status;
}

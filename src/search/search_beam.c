/* search_beam.c: step by step, the few prefixes whose G is least so far.
 *
 *     begin with the prefix of no steps
 *     at every step but the last: extend every prefix by every action, and keep the `width` best
 *     at the last: score every completion; the posterior is over those
 *
 * Fast, and blind: what looks worse at first is gone, however good it would have become. As wide
 * as the space is, nothing is dropped and the result is that of full search.
 *
 * A layer keeps its prefixes in a heap with the worst on top while it fills, and is then put in
 * policy order, so that of several equal ones the first stays, at every step. */
#include <math.h>
#include <string.h>

#include "base/numbers.h"
#include "search/search_internal.h"

/* a prefix that is kept */
typedef struct {
    double efe;
    uint64_t order; /* in which they came */
    uint64_t begin; /* index of the first policy that begins so */
    int32_t first;  /* action */
    int32_t slot;   /* of what follows */
} stem;
/* the prefixes of one length */
typedef struct {
    int32_t n;
    stem *prefix;      /* (n) */
    int32_t *walk;     /* (slots, T + 1) */
    sonde__spot spots; /* (slots) where they end */
} prefixes;
typedef struct {
    int32_t width;     /* slots of a layer */
    prefixes layer[2]; /* of even and odd lengths */
    uint64_t n_step;
    bool dropped; /* a prefix has not been kept */
} beam;

/* Prefixes that a layer has room for: no more than there are policies. */
static uint64_t n_slot(const sonde__search *search) {
    const uint64_t n = sonde__search_most(search);
    const uint64_t width = (uint64_t)search->settings.n_beam;
    return width < n ? width : n;
}

static void carve(sonde__search *search, sonde__arena *arena) {
    const uint64_t n_walk = (uint64_t)search->policies->horizon + 1;
    const uint64_t n = n_slot(search);
    beam *b = search->state;
    b->width = (int32_t)n;
    for (int32_t i = 0; i < 2; i++) {
        prefixes *layer = &b->layer[i];
        layer->prefix = SONDE__TAKE(arena, stem, n);
        layer->walk = SONDE__TAKE(arena, int32_t, sonde__multiply(n, n_walk));
        layer->spots = sonde__spots_carve(arena, &search->score, n);
    }
}

/* ------------------------------------------------------------------------------------ layers -- */

static bool is_worse(const stem *a, const stem *b) {
    return a->efe > b->efe || (a->efe == b->efe && a->order > b->order);
}

static bool is_later(const stem *a, const stem *b) {
    return a->order > b->order;
}

typedef bool (*above)(const stem *, const stem *);

/* Lets an entry sink to its place in a heap, from `at` down. */
static void sink(stem *heap, int32_t n, int32_t at, stem entry, above is_above) {
    for (int32_t child = 2 * at + 1; child < n; child = 2 * at + 1) {
        if (child + 1 < n && is_above(&heap[child + 1], &heap[child])) {
            child++;
        }
        if (!is_above(&heap[child], &entry)) {
            break;
        }
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = entry;
}

static void rise(stem *heap, int32_t at, stem entry) {
    while (at > 0 && is_worse(&entry, &heap[(at - 1) / 2])) {
        heap[at] = heap[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    heap[at] = entry;
}

/* Puts a prefix into a layer that may be full; returns its slot, or -1 where the others are
 * better. */
static int32_t keep(beam *b, prefixes *layer, stem fresh) {
    if (layer->n < b->width) {
        fresh.slot = layer->n;
        rise(layer->prefix, layer->n++, fresh);
        return fresh.slot;
    }
    b->dropped = true;
    if (!is_worse(&layer->prefix[0], &fresh)) {
        return -1;
    }
    fresh.slot = layer->prefix[0].slot;
    sink(layer->prefix, layer->n, 0, fresh, is_worse);
    return fresh.slot;
}

/* Puts a layer in policy order. */
static void sort(prefixes *layer) {
    stem *heap = layer->prefix;
    for (int32_t at = layer->n / 2; at-- > 0;) {
        sink(heap, layer->n, at, heap[at], is_later);
    }
    for (int32_t left = layer->n; left > 1; left--) {
        const stem last = heap[left - 1];
        heap[left - 1] = heap[0];
        sink(heap, left - 1, 0, last, is_later);
    }
}

/* -------------------------------------------------------------------------------------- beam -- */

/* one sweep of the beam: who looks at what it completes */
typedef struct {
    sonde__search *search;
    bool numbered;
    sonde__visitor visitor;
    void *context;
    double best; /* of the completed ones */
} sweep;

/* A policy is complete: `child` ends the walk that stands in a slot. */
static void complete(sweep *r, const stem *from, int32_t last, const int32_t *walk) {
    sonde__search *search = r->search;
    const int32_t horizon = search->policies->horizon;
    int32_t *whole = search->keep.n_most > 0 ? search->keep.scratch : NULL;
    if (whole != NULL) {
        memcpy(whole, walk, (size_t)horizon * sizeof *walk);
        whole[horizon] = last;
    }
    if (sonde__is_below(from->efe, r->best)) {
        r->best = from->efe;
        memcpy(search->best_walk, walk, (size_t)horizon * sizeof *walk);
        search->best_walk[horizon] = last;
    }
    const sonde__block block = {.action = from->first,
                                .n = 1,
                                .first = r->numbered ? from->begin : SONDE__UNNUMBERED,
                                .efe = &from->efe,
                                .walk = whole};
    r->visitor(r->context, &block);
}

/* Copies a walk of t numbers and adds one. */
static void extend(const sonde__search *search, prefixes *layer, int32_t slot, const int32_t *walk,
                   int32_t t, int32_t next) {
    int32_t *to = layer->walk + (int64_t)slot * (search->policies->horizon + 1);
    memcpy(to, walk, (size_t)t * sizeof *walk);
    to[t] = next;
}

/* All extensions of a prefix of t - 1 steps, which stands in a layer; returns the number of the
 * first policy after them. */
static uint64_t branch(sweep *r, const stem *from, const prefixes *layer, int32_t t,
                       prefixes *next) {
    const sonde__search *search = r->search;
    const sonde_policies *policies = search->policies;
    sonde__track *track = search->track;
    beam *b = search->state;
    const int32_t *walk = layer->walk + (int64_t)from->slot * (policies->horizon + 1);
    const sonde__spot spot = sonde__spot_at(&search->score, layer->spots, from->slot);
    const int32_t n = sonde__track_expand(track, t, spot);
    stem fresh = *from;
    for (int32_t child = 0; child < n; child++) {
        const int32_t step[2] = {walk[t - 1], track->next[child]};
        fresh.efe = from->efe + track->efe[child];
        fresh.first = t == 1 ? sonde__policies_action(policies, step, 1) : from->first;
        fresh.order = b->n_step++;
        if (t == policies->horizon) {
            complete(r, &fresh, step[1], walk);
        } else {
            const int32_t slot = keep(b, next, fresh);
            if (slot >= 0) {
                extend(search, next, slot, walk, t, step[1]);
                sonde__track_child(track, t, child,
                                   sonde__spot_at(&search->score, next->spots, slot));
            }
        }
        fresh.begin += r->numbered ? track->below[child] : 0;
    }
    return fresh.begin;
}

/* The prefixes of no steps: one, or one for each edge. They are not dropped. */
static void begin(sweep *r) {
    const sonde__score *score = &r->search->score;
    beam *b = r->search->state;
    stem none = {0};
    b->layer[1].n = 0;
    for (int32_t i = 0; i < score->n_root; i++) {
        b->layer[0].walk[0] = sonde__score_root(score, i, b->layer[0].spots);
        none.begin = branch(r, &none, &b->layer[0], 1, &b->layer[1]);
    }
}

static sonde_status visit(sonde__search *search, sonde__visitor visitor, void *context) {
    const sonde_policies *policies = search->policies;
    beam *b = search->state;
    sweep r = {.search = search,
               .numbered = sonde_policies_size(policies, search->decision.origin) < UINT64_MAX,
               .visitor = visitor,
               .context = context,
               .best = INFINITY};
    b->n_step = 0;
    b->dropped = false;
    begin(&r);
    for (int32_t t = 2; t <= policies->horizon; t++) {
        prefixes *layer = &b->layer[(t - 1) % 2];
        prefixes *next = &b->layer[t % 2];
        sort(layer);
        next->n = 0;
        for (int32_t i = 0; i < layer->n; i++) {
            const stem *from = &layer->prefix[i];
            if (i % 1024 == 0 && sonde__stopped(&search->run)) {
                return SONDE_STOPPED;
            }
            (void)branch(&r, from, layer, t, next);
        }
    }
    return SONDE_OK;
}

static sonde_status decide(sonde__search *search) {
    const beam *b = search->state;
    const sonde_status status = sonde__search_add(search);
    sonde__search_found(search);
    search->decision.evaluations.n_step += b->n_step;
    sonde__evidence_all(search, !b->dropped);
    return status;
}

const sonde__method sonde__beam = {.size = sizeof(beam),
                                   .uses = SONDE__SCORE_PREFIXES,
                                   .grounds = SONDE__GROUNDS_PART,
                                   .open = sonde__search_check_numbers,
                                   .carve = carve,
                                   .decide = decide,
                                   .visit = visit};

/* search_frontier.c: the open prefixes of bounded search in order, each future once. The first is
 * the one whose G is least, bound included; after sonde__frontier_turn the one whose mass is
 * largest.
 *
 * Prefixes live in slots, a heap orders the open ones, and a table finds one by what makes
 * prefixes the same: length, first action, the belief they end in and the factors' places. A
 * prefix that is the same as an open one merges with it: the one with the smaller G stands for
 * both, with the sum of their masses. One that has been expanded is out of the table, so that
 * whatever comes to the same belief later is open anew.
 *
 * Beliefs that differ by a few units in the last place count as the same; that is noted, and the
 * certificate pays for it. */
#include <math.h>

#include "base/numbers.h"
#include "search/search_bounded.h"

/* Slots of the table for n prefixes: a power of two. */
static uint64_t table_size(uint64_t n) {
    uint64_t size = 16;
    while (size < 2 * n) {
        size *= 2;
    }
    return size;
}

uint64_t sonde__frontier_bytes(const sonde__score *score) {
    return sizeof(sonde__prefix) + sizeof(sonde__open) + 4 * sizeof(int32_t) +
           sizeof(sonde__record) + (uint64_t)score->n_belief * sizeof(double) +
           (uint64_t)score->n_place * sizeof(int32_t);
}

void sonde__frontier_carve(sonde__arena *arena, const sonde__score *score, uint64_t n,
                           sonde__frontier *f) {
    f->score = score;
    f->n_node = (int32_t)n;
    f->n_table = table_size(n);
    f->node = SONDE__TAKE(arena, sonde__prefix, n);
    f->spots = sonde__spots_carve(arena, score, n);
    f->open = SONDE__TAKE(arena, sonde__open, n);
    f->record = SONDE__TAKE(arena, sonde__record, n);
    f->table = SONDE__TAKE(arena, int32_t, f->n_table);
    f->spare = SONDE__TAKE(arena, int32_t, n);
}

/* ------------------------------------------------------------------------------------- heap -- */

static bool is_before(const sonde__open *a, const sonde__open *b) {
    return a->key < b->key || (a->key == b->key && a->order < b->order);
}

static inline void rise(sonde__frontier *f, int32_t at, sonde__open entry) {
    while (at > 0 && is_before(&entry, &f->open[(at - 1) / 2])) {
        f->open[at] = f->open[(at - 1) / 2];
        f->node[f->open[at].node].heap = at;
        at = (at - 1) / 2;
    }
    f->open[at] = entry;
    f->node[entry.node].heap = at;
}

static void sink(sonde__frontier *f, int32_t at, sonde__open entry) {
    for (int32_t child = 2 * at + 1; child < f->n_open; child = 2 * at + 1) {
        if (child + 1 < f->n_open && is_before(&f->open[child + 1], &f->open[child])) {
            child++;
        }
        if (!is_before(&f->open[child], &entry)) {
            break;
        }
        f->open[at] = f->open[child];
        f->node[f->open[at].node].heap = at;
        at = child;
    }
    f->open[at] = entry;
    f->node[entry.node].heap = at;
}

static int32_t pop(sonde__frontier *f) {
    const int32_t node = f->open[0].node;
    const sonde__open last = f->open[--f->n_open];
    if (f->n_open > 0) {
        sink(f, 0, last);
    }
    return node;
}

/* ---------------------------------------------------------------------------------- merging -- */

/* A hash of what makes two prefixes the same. */
static uint64_t hash_of(const sonde__frontier *f, int32_t fresh) {
    const sonde__prefix *node = &f->node[fresh];
    const uint64_t hash = (uint64_t)(uint32_t)node->depth * UINT64_C(0x9E3779B97F4A7C15) +
                          (uint64_t)(uint32_t)node->first;
    return sonde__spot_hash(f->score, hash, sonde__spot_at(f->score, f->spots, fresh));
}

/* Whether node `other` is what the new one is; notes beliefs that are not quite the same. */
static bool is_same(sonde__frontier *f, int32_t fresh, int32_t other) {
    const sonde__prefix *x = &f->node[fresh];
    const sonde__prefix *y = &f->node[other];
    if (x->hash != y->hash || x->depth != y->depth || x->first != y->first) {
        return false;
    }
    const double apart = sonde__spot_apart(f->score, sonde__spot_at(f->score, f->spots, fresh),
                                           sonde__spot_at(f->score, f->spots, other));
    f->inexact = f->inexact || (apart > 0.0 && apart <= SONDE__SAME);
    return apart <= SONDE__SAME;
}

/* Takes a node out of the table, and closes the gap behind it. */
static void forget(sonde__frontier *f, int32_t node) {
    const uint64_t mask = f->n_table - 1;
    uint64_t slot = f->node[node].hash & mask;
    while (f->table[slot] != node + 1) {
        slot = (slot + 1) & mask;
    }
    uint64_t gap = slot;
    for (slot = (slot + 1) & mask; f->table[slot] > 0; slot = (slot + 1) & mask) {
        const uint64_t home = f->node[f->table[slot] - 1].hash & mask;
        if (((slot - home) & mask) >= ((slot - gap) & mask)) {
            f->table[gap] = f->table[slot];
            gap = slot;
        }
    }
    f->table[gap] = 0;
}

/* What the heap orders a prefix by. */
static double key_of(const sonde__frontier *f, const sonde__prefix *node) {
    return f->by_mass ? -node->mass : sonde__prefix_least(node);
}

/* Whether x rather than y stands for both, of which the smaller G is `least`: of those that tie
 * with it the first; without numbers nobody knows which that is. Ties do not add up: what counts is
 * G of the prefix that is named. They are as wide as those of whole policies, as far as is known, and
 * never wider: a bound below zero says nothing of how large G will be. */
static bool is_better(const sonde__prefix *x, const sonde__prefix *y, double least) {
    const double whole = least + y->ahead;
    const double most = least + sonde__tie(whole > 0.0 ? whole : 0.0);
    const double of_x = x->efe + (double)x->above;
    const double of_y = y->efe + (double)y->above;
    const bool both = of_x <= most && of_y <= most && x->begin != y->begin;
    return both ? x->begin < y->begin : of_x < of_y;
}

/* What a number of doubles comes to at most, as a float. */
static float at_most(double x) {
    return x > 0.0 ? (float)(x * (1.0 + 1e-6)) : 0.0F;
}

/* Adds the mass of a fresh prefix to one that is the same; the smaller G stands for both. */
static void merge(sonde__frontier *f, int32_t fresh, int32_t other) {
    const sonde__prefix *x = &f->node[fresh];
    sonde__prefix *y = &f->node[other];
    const double least = x->efe < y->efe ? x->efe : y->efe;
    const bool better = is_better(x, y, least);
    const sonde__prefix *named = better ? x : y;
    const float above = at_most(named->efe + (double)named->above - least);
    const double extra = sonde__log_add(x->extra - f->gamma * (x->efe - least),
                                        y->extra - f->gamma * (y->efe - least));
    y->mass += extra - y->extra - f->gamma * (least - y->efe);
    y->extra = extra;
    y->efe = least;
    y->above = above;
    if (better) {
        y->parent = x->parent;
        y->action = x->action;
        y->begin = x->begin;
    }
    /* smaller G and more mass both mean to come earlier */
    sonde__open *entry = &f->open[y->heap];
    const double before = entry->key;
    entry->key = key_of(f, y);
    if (entry->key < before) {
        rise(f, y->heap, *entry);
    }
}

/* --------------------------------------------------------------------------------- prefixes -- */

void sonde__frontier_clear(sonde__frontier *f, int32_t reserve) {
    for (int32_t i = 0; i < f->n_open; i++) {
        forget(f, f->open[i].node);
    }
    f->n_open = f->n_record = f->n_spare = f->n_used = 0;
    f->n_pushed = f->n_merged = 0;
    f->reserve = reserve;
    f->inexact = f->by_mass = false;
}

bool sonde__frontier_has_room(const sonde__frontier *f, int32_t n) {
    return f->n_record + f->reserve < f->n_node &&
           f->n_spare + (f->n_node - f->n_used) >= n + f->reserve;
}

int32_t sonde__frontier_take(sonde__frontier *f) {
    return f->n_spare > 0 ? f->spare[--f->n_spare] : f->n_used++;
}

void sonde__frontier_push(sonde__frontier *f, int32_t fresh) {
    sonde__prefix *node = &f->node[fresh];
    const uint64_t mask = f->n_table - 1;
    node->hash = hash_of(f, fresh);
    uint64_t slot = node->hash & mask;
    for (; f->table[slot] > 0; slot = (slot + 1) & mask) {
        if (is_same(f, fresh, f->table[slot] - 1)) {
            merge(f, fresh, f->table[slot] - 1);
            f->spare[f->n_spare++] = fresh;
            f->n_merged++;
            return;
        }
    }
    f->table[slot] = fresh + 1;
    const sonde__open entry = {.key = key_of(f, node), .order = f->n_pushed++, .node = fresh};
    rise(f, f->n_open++, entry);
}

int32_t sonde__frontier_close(sonde__frontier *f) {
    const int32_t id = pop(f);
    const int32_t record = f->n_record++;
    f->record[record] = (sonde__record){.parent = f->node[id].parent, .action = f->node[id].action};
    forget(f, id);
    f->spare[f->n_spare++] = id;
    return record;
}

void sonde__frontier_turn(sonde__frontier *f) {
    f->by_mass = true;
    for (int32_t i = 0; i < f->n_open; i++) {
        f->open[i].key = key_of(f, &f->node[f->open[i].node]);
    }
    for (int32_t at = f->n_open / 2; at-- > 0;) {
        sink(f, at, f->open[at]);
    }
}

double sonde__frontier_least(const sonde__frontier *f) {
    double least = INFINITY;
    if (f->n_open > 0 && !f->by_mass) {
        return f->open[0].key;
    }
    for (int32_t i = 0; i < f->n_open; i++) {
        const double key = sonde__prefix_least(&f->node[f->open[i].node]);
        least = key < least ? key : least;
    }
    return least;
}

void sonde__frontier_prefer_deepest(sonde__frontier *f) {
    int32_t chosen = 0;
    for (int32_t i = 1; i < f->n_open; i++) {
        const int32_t depth = f->node[f->open[i].node].depth;
        const int32_t deepest = f->node[f->open[chosen].node].depth;
        const bool better = is_before(&f->open[i], &f->open[chosen]);
        chosen = depth > deepest || (depth == deepest && better) ? i : chosen;
    }
    sonde__open entry = f->open[chosen];
    entry.key = -INFINITY;
    rise(f, chosen, entry);
}

static double mass_of(const sonde__frontier *f, int32_t i, bool so_far) {
    const sonde__prefix *node = &f->node[f->open[i].node];
    return so_far ? node->mass + f->gamma * node->ahead : node->mass;
}

double sonde__frontier_log_mass(const sonde__frontier *f, bool so_far) {
    double most = -INFINITY;
    double sum = 0.0;
    for (int32_t i = 0; i < f->n_open; i++) {
        const double mass = mass_of(f, i, so_far);
        most = mass > most ? mass : most;
    }
    for (int32_t i = 0; i < f->n_open; i++) {
        sum += sonde__exp(mass_of(f, i, so_far) - most);
    }
    return f->n_open > 0 ? most + sonde__log(sum) : -INFINITY;
}

int32_t sonde__frontier_trace(const sonde__frontier *f, sonde__record last, int32_t n,
                              int32_t *walk) {
    for (int32_t t = n; t >= 1; t--) {
        walk[t] = last.action;
        last = last.parent >= 0 ? f->record[last.parent] : (sonde__record){.parent = -1};
    }
    return n;
}

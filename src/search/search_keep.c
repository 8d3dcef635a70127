/* search_keep.c: the best policies that a search scored.
 *
 * Smallest G first, the lowest of several that are equal. A heap with the worst on top holds them
 * while policies are visited again, which costs as much as scoring them did; a search that leaves
 * no list to visit offers each policy when it completes it. */
#include <string.h>

#include "base/numbers.h"
#include "search/search_internal.h"

void sonde__keep_carve(sonde__arena *arena, int32_t n, int32_t horizon, sonde__keep *keep) {
    const uint64_t n_walk = (uint64_t)horizon + 1;
    keep->n_most = n;
    keep->n_walk = (int32_t)n_walk;
    keep->best = SONDE__TAKE(arena, sonde__kept, n);
    keep->kept = SONDE__TAKE(arena, sonde_kept, n);
    keep->walk = SONDE__TAKE(arena, int32_t, (uint64_t)n * n_walk);
    keep->scratch = SONDE__TAKE(arena, int32_t, n > 0 ? n_walk : 0);
}

static bool is_worse(const sonde__kept *a, const sonde__kept *b) {
    return a->efe > b->efe || (a->efe == b->efe && a->index > b->index);
}

static void sink(sonde__kept *heap, int32_t n, int32_t i) {
    const sonde__kept moved = heap[i];
    for (int32_t child = 2 * i + 1; child < n; child = 2 * i + 1) {
        child += child + 1 < n && is_worse(&heap[child + 1], &heap[child]);
        if (!is_worse(&heap[child], &moved)) {
            break;
        }
        heap[i] = heap[child];
        i = child;
    }
    heap[i] = moved;
}

static void rise(sonde__kept *heap, int32_t i) {
    const sonde__kept moved = heap[i];
    while (i > 0 && is_worse(&moved, &heap[(i - 1) / 2])) {
        heap[i] = heap[(i - 1) / 2];
        i = (i - 1) / 2;
    }
    heap[i] = moved;
}

bool sonde__keep_wants(const sonde__keep *keep, double efe, uint64_t index) {
    const sonde__kept policy = {.efe = efe, .index = index};
    return keep->n < keep->n_most || (keep->n > 0 && is_worse(&keep->best[0], &policy));
}

void sonde__keep_put(sonde__keep *keep, double efe, uint64_t index, double prior,
                     const int32_t *walk) {
    const bool full = keep->n == keep->n_most;
    const int32_t slot = full ? keep->best[0].slot : keep->n;
    const sonde__kept policy = {
        .efe = efe, .index = index, .prior = prior, .slot = slot, .known = walk != NULL};
    if (walk != NULL) {
        memcpy(keep->walk + (int64_t)slot * keep->n_walk, walk,
               (size_t)keep->n_walk * sizeof *walk);
    }
    if (full) {
        keep->best[0] = policy;
        sink(keep->best, keep->n, 0);
    } else {
        keep->best[keep->n] = policy;
        rise(keep->best, keep->n++);
    }
}

/* A visitor: offers the policies of a block. */
static void offer_block(void *context, const sonde__block *block) {
    sonde__keep *keep = context;
    for (int32_t i = 0; i < block->n; i++) {
        const uint64_t index = sonde__block_policy(block, i);
        if (sonde__keep_wants(keep, block->efe[i], index)) {
            sonde__keep_put(keep, block->efe[i], index,
                            block->prior != NULL ? block->prior[i] : 1.0, block->walk);
        }
    }
}

/* Puts the heap in order, the best first. */
static void sort(sonde__keep *keep) {
    for (int32_t n = keep->n; n > 1; n--) {
        const sonde__kept worst = keep->best[0];
        keep->best[0] = keep->best[n - 1];
        sink(keep->best, n - 1, 0);
        keep->best[n - 1] = worst;
    }
}

/* What the decision shows: index, G, posterior and walk of each, and the mass of all others. */
static void show(sonde__search *search) {
    sonde__keep *keep = &search->keep;
    sonde_decision *decision = &search->decision;
    double sum = 0.0;
    for (int32_t i = 0; i < keep->n; i++) {
        const sonde__kept *policy = &keep->best[i];
        int32_t *walk = keep->walk + (int64_t)policy->slot * keep->n_walk;
        if (!policy->known) {
            sonde__policies_get(search->policies, decision->origin, policy->index, walk);
        }
        const double log_mass = 0.0 - search->settings.gamma * policy->efe - decision->log_evidence;
        const double prior = policy->prior * sonde__posterior_weight(
                                                 &search->posterior,
                                                 sonde__policies_action(search->policies, walk, 1));
        /* what E forbids can be so much better that exp has no number for it */
        const double posterior = prior > 0.0 ? prior * sonde__exp(log_mass) : 0.0;
        keep->kept[i] =
            (sonde_kept){.index = policy->index < SONDE__UNNUMBERED ? policy->index : UINT64_MAX,
                         .efe = policy->efe,
                         .posterior = posterior,
                         .walk = walk};
        sum += posterior;
    }
    decision->n_kept = keep->n;
    decision->kept = keep->kept;
    decision->rest = sum < 1.0 ? 1.0 - sum : 0.0;
}

sonde_status sonde__keep_fill(sonde__search *search) {
    sonde_status status = SONDE_OK;
    if (search->keep.n_most == 0) {
        return SONDE_OK;
    }
    if (search->method->visit != NULL) {
        status = search->method->visit(search, offer_block, &search->keep);
    }
    if (status == SONDE_OK) {
        sort(&search->keep);
        show(search);
    }
    return status;
}

/* ranking.c: a heap with the worst of the best on top.
 *
 * Offering costs one comparison for most policies, and log n_max for those that get in. Sorting is
 * the second half of a heap sort.
 */
#include <stdlib.h>

#include "ranking.h"

/* Whether `a` comes after `b`. */
static bool after(cli_ranked a, cli_ranked b) {
    return a.efe > b.efe || (a.efe == b.efe && a.index > b.index);
}

/* Puts an entry where the heap's order wants it, from `at` downwards. */
static void sink(cli_ranked *heap, uint64_t n, uint64_t at, cli_ranked entry) {
    for (uint64_t child = 2 * at + 1; child < n; child = 2 * at + 1) {
        if (child + 1 < n && after(heap[child + 1], heap[child])) {
            child++;
        }
        if (!after(heap[child], entry)) {
            break;
        }
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = entry;
}

static void rise(cli_ranked *heap, uint64_t at, cli_ranked entry) {
    while (at > 0 && after(entry, heap[(at - 1) / 2])) {
        heap[at] = heap[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    heap[at] = entry;
}

uint64_t ranking_bytes(uint64_t n_max) {
    return n_max <= UINT64_MAX / sizeof(cli_ranked) ? n_max * sizeof(cli_ranked) : UINT64_MAX;
}

bool ranking_open(cli_ranking *ranking, uint64_t n_max) {
    *ranking = (cli_ranking){.n_max = n_max};
    ranking->entry =
        ranking_bytes(n_max) <= SIZE_MAX / 2 ? calloc((size_t)n_max, sizeof *ranking->entry) : NULL;
    return ranking->entry != NULL;
}

void ranking_offer(cli_ranking *ranking, double efe, uint64_t index) {
    const cli_ranked entry = {efe, index};
    if (ranking->n < ranking->n_max) {
        rise(ranking->entry, ranking->n++, entry);
    } else if (after(ranking->entry[0], entry)) {
        sink(ranking->entry, ranking->n, 0, entry);
    }
}

void ranking_sort(cli_ranking *ranking) {
    for (uint64_t n = ranking->n; n > 1; n--) {
        const cli_ranked last = ranking->entry[n - 1];
        ranking->entry[n - 1] = ranking->entry[0];
        sink(ranking->entry, n - 1, 0, last);
    }
}

void ranking_close(cli_ranking *ranking) {
    free(ranking->entry);
    *ranking = (cli_ranking){0};
}

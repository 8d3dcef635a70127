/* graph_distance.c: shortest paths by Dijkstra's algorithm, with a binary heap of nodes.
 *
 * Each node is in the heap at most once; `slot` says where, so that a shorter way found later
 * moves it up. Cost: (n_node + n_edge) log n_node. */
#include <math.h>

#include "base/memory.h"
#include "base/status.h"
#include "sonde.h"

typedef struct {
    int32_t n;
    int32_t *node;    /* (n_node) the heap: children of i are 2 i + 1 and 2 i + 2 */
    int32_t *slot;    /* (n_node) where a node is in it, or -1 */
    double *distance; /* (n_node) the keys */
} heap;

static void put(heap *h, int32_t at, int32_t node) {
    h->node[at] = node;
    h->slot[node] = at;
}

static void rise(heap *h, int32_t at, int32_t node) {
    while (at > 0 && h->distance[node] < h->distance[h->node[(at - 1) / 2]]) {
        put(h, at, h->node[(at - 1) / 2]);
        at = (at - 1) / 2;
    }
    put(h, at, node);
}

static void sink(heap *h, int32_t at, int32_t node) {
    for (int32_t child = 2 * at + 1; child < h->n; child = 2 * at + 1) {
        if (child + 1 < h->n && h->distance[h->node[child + 1]] < h->distance[h->node[child]]) {
            child++;
        }
        if (!(h->distance[h->node[child]] < h->distance[node])) {
            break;
        }
        put(h, at, h->node[child]);
        at = child;
    }
    put(h, at, node);
}

static int32_t take_nearest(heap *h) {
    const int32_t nearest = h->node[0];
    h->slot[nearest] = -1;
    h->n--;
    if (h->n > 0) {
        sink(h, 0, h->node[h->n]);
    }
    return nearest;
}

sonde_status sonde_graph_distances(const sonde_graph *graph, int32_t from, double *distance,
                                   sonde_error *error) {
    if (from < 0 || from >= graph->n_node) {
        return sonde__fail(error, SONDE_BAD_ARGUMENT,
                           "from: expected a node from 0 to %d, found %d", graph->n_node - 1, from);
    }
    sonde__arena arena = {0};
    heap h = {.distance = distance};
    for (int pass = 0; pass < 2; pass++) {
        h.node = SONDE__TAKE(&arena, int32_t, graph->n_node);
        h.slot = SONDE__TAKE(&arena, int32_t, graph->n_node);
        if (pass == 0 && !sonde__arena_reserve(&arena)) {
            return sonde__fail_memory(error, "distances", arena.used);
        }
    }
    for (int32_t v = 0; v < graph->n_node; v++) {
        distance[v] = INFINITY;
        h.slot[v] = -1;
    }
    distance[from] = 0.0;
    rise(&h, h.n++, from);
    while (h.n > 0) {
        const int32_t v = take_nearest(&h);
        for (int32_t e = graph->first[v]; e < graph->first[v + 1]; e++) {
            const int32_t w = graph->head[e];
            const double longer = distance[v] + graph->weight[e];
            if (longer < distance[w]) {
                distance[w] = longer;
                rise(&h, h.slot[w] >= 0 ? h.slot[w] : h.n++, w);
            }
        }
    }
    sonde__arena_free(&arena);
    return SONDE_OK;
}

/* graph_internal.h: between the files that make graphs. */
#ifndef SONDE_GRAPH_INTERNAL_H
#define SONDE_GRAPH_INTERNAL_H

#include "base/json.h"
#include "base/memory.h"
#include "base/rng.h"

/* the most nodes that a graph has */
#define SONDE__NODES_MOST 10000000

/* What a document says of a world besides its edges; -1 where it says nothing. */
typedef struct {
    const char *origin; /* the file, for errors; NULL: no document */
    int32_t start_tail;
    int32_t start_head;
    int32_t destination;
    int32_t horizon;
    double lambda;
    double idle;
} sonde__world;
#define SONDE__WORLD_UNSAID ((sonde__world){NULL, -1, -1, -1, -1, -1.0, -1.0})

/* Makes the graph: checks the edges, adds self-edges, settles start, destination and the rest.
 * Settings come before the document, the document before chance and defaults. */
sonde_status sonde__graph_build(const sonde_graph *edges, const sonde__world *world,
                                const sonde_graph_settings *settings, uint64_t seed,
                                sonde_graph **graph, sonde_error *error);

/* The node called `text` among names (NULL: numbers only), or -1. */
int32_t sonde__node_find(int32_t n_node, const char *const *name, const char *text);

/* Lists of edges while a graph is drawn. */
typedef struct {
    int32_t n;
    int32_t capacity;
    int32_t *tail; /* (capacity) */
    int32_t *head; /* (capacity) */
} sonde__pairs;
bool sonde__pairs_add(sonde__pairs *pairs, int32_t tail, int32_t head);
void sonde__pairs_free(sonde__pairs *pairs);

/* The number of weakly connected components; `component` (n_node) gets each node's. */
int32_t sonde__components(int32_t n_node, const sonde__pairs *pairs, int32_t *component);
/* Adds one random edge less than there are components: a random tree over them. */
sonde_status sonde__join_weakly(int32_t n_node, sonde__rng *rng, sonde__pairs *pairs);
/* Adds the fewest edges, with random ends, that make the graph strongly connected. */
sonde_status sonde__join_strongly(int32_t n_node, sonde__rng *rng, sonde__pairs *pairs);

#endif

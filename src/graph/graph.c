/* graph.c: making a graph world from its edges.
 *
 * Edges are sorted by source with a counting sort, which keeps the order they came in; a missing
 * self-edge becomes its node's last. The weights of added self-edges depend on the destination, so
 * that is settled first; the start is drawn among all edges, so that comes last. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/name.h"
#include "base/shown.h"
#include "base/numbers.h"
#include "base/rng.h"
#include "graph/graph_internal.h"

#define DEFAULT_LAMBDA 5.0
#define DEFAULT_IDLE 100.0

/* a graph while it is made: the same arrays, writable, and the block they are cut from */
typedef struct {
    sonde_graph graph; /* first: a pointer to it is a pointer to the block */
    int32_t *first;
    int32_t *tail;
    int32_t *head;
    int32_t *self;
    double *weight;
    const char **name;
    char *letters; /* of all names */
} build;

sonde_graph_settings sonde_graph_defaults(void) {
    return (sonde_graph_settings){.n_node = 5,
                                  .edge_probability = -1.0,
                                  .connect = SONDE_SYMMETRIC,
                                  .idle = -1.0,
                                  .lambda = -1.0};
}

const char *sonde_connect_name(int32_t connect) {
    static const char *const name[] = {"symmetric", "directed", NULL};
    return name[connect >= 0 && connect < 2 ? connect : 2];
}

int32_t sonde__node_find(int32_t n_node, const char *const *name, const char *text) {
    for (int32_t v = 0; name != NULL && v < n_node; v++) {
        if (strcmp(name[v], text) == 0) {
            return v;
        }
    }
    /* a number, and nothing else */
    if (text[0] < '0' || text[0] > '9' || strlen(text) > 10) {
        return -1;
    }
    char *end = NULL;
    const long long number = strtoll(text, &end, 10);
    return *end == '\0' && number < n_node ? (int32_t)number : -1;
}

/* Where something stands, for errors: "FILE: ", or nothing without a document. */
static const char *origin_of(const sonde__world *world) {
    return world->origin != NULL ? world->origin : "";
}
static const char *colon_of(const sonde__world *world) {
    return world->origin != NULL ? ": " : "";
}

/* Every node has a name of its own; one that is also another node's number would leave open
 * which is meant. */
static sonde_status check_names(const sonde_graph *edges, const sonde__world *world,
                                sonde_error *error) {
    for (int32_t v = 0; edges->name != NULL && v < edges->n_node; v++) {
        if (strlen(edges->name[v]) > SONDE__NAME_MAX) {
            return sonde__fail(
                error, SONDE_BAD_INPUT,
                "%s%snames[%d]: expected a name of at most %d bytes, found one of %zu",
                origin_of(world), colon_of(world), v, SONDE__NAME_MAX, strlen(edges->name[v]));
        }
        char fault[SONDE__FAULT];
        if (sonde__name_fault(edges->name[v], fault)) {
            return sonde__fail(error, SONDE_BAD_INPUT, "%s%snames[%d]: expected a name %s",
                               origin_of(world), colon_of(world), v, fault);
        }
        const int32_t first = sonde__node_find(edges->n_node, edges->name, edges->name[v]);
        const int32_t number = sonde__node_find(edges->n_node, NULL, edges->name[v]);
        if (first != v || (number >= 0 && number != v)) {
            return sonde__fail(error, SONDE_BAD_INPUT,
                               "%s%snames[%d]: \"%.*s\" also means node %d; give every node a name "
                               "of its own",
                               origin_of(world), colon_of(world), v, sonde__cut(edges->name[v], 60),
                               edges->name[v], first != v ? first : number);
        }
    }
    return SONDE_OK;
}

/* Ends and weights, each on its own; whose self-edge is given goes to `has_self`. */
static sonde_status check_edges(const sonde_graph *edges, const sonde__world *world, bool *has_self,
                                sonde_error *error) {
    for (int32_t e = 0; e < edges->n_edge; e++) {
        const int32_t ends[2] = {edges->tail[e], edges->head[e]};
        for (int i = 0; i < 2; i++) {
            if (ends[i] < 0 || ends[i] >= edges->n_node) {
                return sonde__fail(
                    error, SONDE_BAD_INPUT, "%s%sedges[%d]: expected a node from 0 to %d, found %d",
                    origin_of(world), colon_of(world), e, edges->n_node - 1, ends[i]);
            }
        }
        if (!(edges->weight[e] >= 0.0) || edges->weight[e] > SONDE__LARGEST) {
            return sonde__fail(
                error, SONDE_BAD_INPUT,
                "%s%sedges[%d]: expected a weight of 0 or more, at most %g, found %g",
                origin_of(world), colon_of(world), e, SONDE__LARGEST, edges->weight[e]);
        }
        if (ends[0] == ends[1]) {
            has_self[ends[0]] = true;
        }
    }
    return SONDE_OK;
}

/* Sorts the edges by source and adds the self-edges that are missing. */
static void place_edges(build *b, const sonde_graph *edges, const bool *has_self) {
    const int32_t n_node = edges->n_node;
    for (int32_t e = 0; e < edges->n_edge; e++) {
        b->first[edges->tail[e] + 1]++;
    }
    for (int32_t v = 0; v < n_node; v++) {
        b->first[v + 1] += b->first[v] + (has_self[v] ? 0 : 1);
        b->self[v] = b->first[v]; /* for now: where the node's next edge goes */
    }
    for (int32_t e = 0; e < edges->n_edge; e++) {
        const int32_t at = b->self[edges->tail[e]]++;
        b->tail[at] = edges->tail[e];
        b->head[at] = edges->head[e];
        b->weight[at] = edges->weight[e] + 0.0; /* minus nothing is nothing */
    }
    for (int32_t v = 0; v < n_node; v++) {
        if (!has_self[v]) {
            b->tail[b->self[v]] = v;
            b->head[b->self[v]] = v;
            b->weight[b->self[v]] = v == b->graph.destination ? 0.0 : b->graph.idle;
        }
    }
}

/* Finds each node's self-edge, and any edge that is there twice (`seen` (n_node) is scratch). */
static sonde_status find_selves(build *b, int32_t *seen, const sonde__world *world,
                                sonde_error *error) {
    for (int32_t v = 0; v < b->graph.n_node; v++) {
        for (int32_t e = b->first[v]; e < b->first[v + 1]; e++) {
            const int32_t w = b->head[e];
            if (seen[w] == v + 1) {
                return sonde__fail(error, SONDE_BAD_INPUT,
                                   "%s%sedges: the edge from %d to %d is there twice; give it once",
                                   origin_of(world), colon_of(world), v, w);
            }
            seen[w] = v + 1;
            b->self[v] = w == v ? e : b->self[v];
        }
    }
    return SONDE_OK;
}

/* A setting where there is one, otherwise what the document or the default says. */
static sonde_status settle_number(const char *name, double setting, double otherwise,
                                  const sonde__world *world, double *number, sonde_error *error) {
    const bool set = setting >= 0.0;
    *number = (set ? setting : otherwise) + 0.0; /* minus nothing is nothing */
    if (*number <= SONDE__LARGEST) {
        return SONDE_OK;
    }
    return sonde__fail(error, set ? SONDE_BAD_ARGUMENT : SONDE_BAD_INPUT,
                       "%s%s%s: expected a number of 0 or more, at most %g, found %g",
                       set ? "" : origin_of(world), set ? "" : colon_of(world), name,
                       SONDE__LARGEST, *number);
}

static sonde_status settle_numbers(sonde_graph *graph, const sonde__world *world,
                                   const sonde_graph_settings *settings, sonde_error *error) {
    const double lambda = world->lambda >= 0.0 ? world->lambda : DEFAULT_LAMBDA;
    const double idle = world->idle >= 0.0 ? world->idle : DEFAULT_IDLE;
    graph->horizon = world->horizon > 0 ? world->horizon : graph->n_node;
    graph->horizon = settings->horizon > 0 ? settings->horizon : graph->horizon;
    const sonde_status status =
        settle_number("lambda", settings->lambda, lambda, world, &graph->lambda, error);
    return status != SONDE_OK
               ? status
               : settle_number("idle", settings->idle, idle, world, &graph->idle, error);
}

static sonde_status settle_destination(const sonde_graph *edges, const sonde__world *world,
                                       const sonde_graph_settings *settings, sonde__rng *rng,
                                       int32_t *destination, sonde_error *error) {
    /* drawn in any case, so that the start that is drawn next does not depend on it */
    const int32_t drawn = (int32_t)sonde__rng_below(rng, (uint64_t)edges->n_node);
    if (settings->destination == NULL) {
        *destination = world->destination >= 0 ? world->destination : drawn;
        return SONDE_OK;
    }
    *destination = sonde__node_find(edges->n_node, edges->name, settings->destination);
    if (*destination < 0) {
        return sonde__fail(error, SONDE_BAD_ARGUMENT,
                           "destination: expected a name or a number from 0 to %d, found \"%.*s\"",
                           edges->n_node - 1, sonde__cut(settings->destination, 80),
                           settings->destination);
    }
    return SONDE_OK;
}

/* "previous,current" as an edge; a name may itself contain commas, so every comma is tried. */
static int32_t find_start(const sonde_graph *graph, const char *text) {
    char part[256];
    for (const char *comma = strchr(text, ','); comma != NULL; comma = strchr(comma + 1, ',')) {
        const size_t length = (size_t)(comma - text);
        if (length >= sizeof part) {
            break;
        }
        memcpy(part, text, length);
        part[length] = '\0';
        const int32_t tail = sonde_graph_node(graph, part);
        const int32_t head = sonde_graph_node(graph, comma + 1);
        if (tail >= 0 && head >= 0) {
            return sonde_graph_edge(graph, tail, head);
        }
    }
    return -1;
}

static sonde_status settle_start(sonde_graph *graph, const sonde__world *world,
                                 const sonde_graph_settings *settings, sonde__rng *rng,
                                 sonde_error *error) {
    graph->start = (int32_t)sonde__rng_below(rng, (uint64_t)graph->n_edge);
    if (settings->start != NULL) {
        graph->start = find_start(graph, settings->start);
        if (graph->start < 0) {
            return sonde__fail(error, SONDE_BAD_ARGUMENT,
                               "start: expected an edge as PREVIOUS,CURRENT, found \"%.*s\", which "
                               "is no edge of this graph",
                               sonde__cut(settings->start, 80), settings->start);
        }
    } else if (world->start_tail >= 0) {
        graph->start = sonde_graph_edge(graph, world->start_tail, world->start_head);
        if (graph->start < 0) {
            return sonde__fail(
                error, SONDE_BAD_INPUT,
                "%s: start: expected an edge of the graph, found [%d, %d]; add it to "
                "edges or start elsewhere",
                world->origin, world->start_tail, world->start_head);
        }
    }
    return SONDE_OK;
}

/* The destination must be within reach, or no policy means anything. */
static sonde_status check_reach(const sonde_graph *graph, const sonde__world *world,
                                double *distance, sonde_error *error) {
    const int32_t from = graph->head[graph->start];
    const sonde_status status = sonde_graph_distances(graph, from, distance, error);
    if (status != SONDE_OK) {
        return sonde__fail(error, status, "distances: the system refused memory");
    }
    if (isinf(distance[graph->destination])) {
        return sonde__fail(error, SONDE_BAD_INPUT,
                           "%s%sdestination: node %d cannot be reached from the start node %d; add "
                           "an edge, or choose another start or destination",
                           origin_of(world), colon_of(world), graph->destination, from);
    }
    return SONDE_OK;
}

static size_t length_of_names(const sonde_graph *edges) {
    size_t length = 0;
    for (int32_t v = 0; edges->name != NULL && v < edges->n_node; v++) {
        length += strlen(edges->name[v]) + 1;
    }
    return length;
}

static build *carve(sonde__arena *arena, const sonde_graph *edges, int32_t n_edge) {
    build *b = SONDE__TAKE(arena, build, 1);
    build none;
    build *to = b != NULL ? b : &none;
    to->first = SONDE__TAKE(arena, int32_t, edges->n_node + 1);
    to->self = SONDE__TAKE(arena, int32_t, edges->n_node);
    to->tail = SONDE__TAKE(arena, int32_t, n_edge);
    to->head = SONDE__TAKE(arena, int32_t, n_edge);
    to->weight = SONDE__TAKE(arena, double, n_edge);
    to->name = SONDE__TAKE(arena, const char *, edges->name != NULL ? edges->n_node : 0);
    to->letters = SONDE__TAKE(arena, char, length_of_names(edges));
    return b;
}

static void copy_names(build *b, const sonde_graph *edges) {
    char *letters = b->letters;
    for (int32_t v = 0; edges->name != NULL && v < edges->n_node; v++) {
        const size_t length = strlen(edges->name[v]) + 1;
        memcpy(letters, edges->name[v], length);
        b->name[v] = letters;
        letters += length;
    }
}

/* Allocates the graph and points its public view at the arrays. */
static build *allocate(const sonde_graph *edges, int32_t n_edge) {
    sonde__arena arena = {0};
    (void)carve(&arena, edges, n_edge);
    if (!sonde__arena_reserve(&arena)) {
        return NULL;
    }
    build *b = carve(&arena, edges, n_edge);
    copy_names(b, edges);
    b->graph = (sonde_graph){
        .n_node = edges->n_node,
        .n_edge = n_edge,
        .first = b->first,
        .tail = b->tail,
        .head = b->head,
        .self = b->self,
        .weight = b->weight,
        .name = edges->name != NULL ? b->name : NULL,
    };
    return b;
}

/* scratch of one build */
typedef struct {
    sonde__arena arena;
    sonde__rng rng;
    bool *has_self;
    int32_t *seen;
    double *distance;
} scratch;

static void carve_scratch(scratch *s, int32_t n_node) {
    s->has_self = SONDE__TAKE(&s->arena, bool, n_node);
    s->seen = SONDE__TAKE(&s->arena, int32_t, n_node);
    s->distance = SONDE__TAKE(&s->arena, double, n_node);
}

static sonde_status fill(build *b, const sonde_graph *edges, const sonde__world *world,
                         const sonde_graph_settings *settings, scratch *s, sonde_error *error) {
    place_edges(b, edges, s->has_self);
    sonde_status status = find_selves(b, s->seen, world, error);
    if (status == SONDE_OK) {
        status = settle_start(&b->graph, world, settings, &s->rng, error);
    }
    if (status == SONDE_OK) {
        status = check_reach(&b->graph, world, s->distance, error);
    }
    return status;
}

sonde_status sonde__graph_build(const sonde_graph *edges, const sonde__world *world,
                                const sonde_graph_settings *settings, uint64_t seed,
                                sonde_graph **graph, sonde_error *error) {
    sonde_graph_settings chosen = settings != NULL ? *settings : sonde_graph_defaults();
    scratch s = {0};
    carve_scratch(&s, edges->n_node);
    if (!sonde__arena_reserve(&s.arena)) {
        return sonde__fail_memory(error, "graph", s.arena.used);
    }
    carve_scratch(&s, edges->n_node);
    s.rng = sonde__rng_stream(seed, SONDE__FOR_START, 0);
    int32_t destination = -1;
    build *b = NULL;
    sonde_status status = check_names(edges, world, error);
    if (status == SONDE_OK) {
        status = check_edges(edges, world, s.has_self, error);
    }
    if (status == SONDE_OK) {
        status = settle_destination(edges, world, &chosen, &s.rng, &destination, error);
    }
    if (status == SONDE_OK) {
        int32_t n_edge = edges->n_edge;
        for (int32_t v = 0; v < edges->n_node; v++) {
            n_edge += s.has_self[v] ? 0 : 1;
        }
        b = allocate(edges, n_edge);
        status = b != NULL ? SONDE_OK : sonde__fail_memory(error, "graph", (uint64_t)n_edge * 16);
    }
    if (status == SONDE_OK) {
        b->graph.destination = destination;
        status = settle_numbers(&b->graph, world, &chosen, error);
    }
    if (status == SONDE_OK) {
        status = fill(b, edges, world, &chosen, &s, error);
    }
    sonde__arena_free(&s.arena);
    if (status == SONDE_OK) {
        *graph = &b->graph;
    } else {
        sonde__free(b);
    }
    return status;
}

sonde_status sonde_graph_from_edges(const sonde_graph *edges, const sonde_graph_settings *settings,
                                    uint64_t seed, sonde_graph **graph, sonde_error *error) {
    if (edges->n_node < 1 || edges->n_node > SONDE__NODES_MOST || edges->n_edge < 0 ||
        edges->n_edge > INT32_MAX - edges->n_node) {
        return sonde__fail(error, SONDE_BAD_ARGUMENT,
                           "graph: expected 1 to %d nodes and fewer than 2^31 edges, found %d and "
                           "%d",
                           SONDE__NODES_MOST, edges->n_node, edges->n_edge);
    }
    return sonde__graph_build(edges, &SONDE__WORLD_UNSAID, settings, seed, graph, error);
}

int32_t sonde_graph_edge(const sonde_graph *graph, int32_t tail, int32_t head) {
    if (tail < 0 || tail >= graph->n_node) {
        return -1;
    }
    for (int32_t e = graph->first[tail]; e < graph->first[tail + 1]; e++) {
        if (graph->head[e] == head) {
            return e;
        }
    }
    return -1;
}

int32_t sonde_graph_node(const sonde_graph *graph, const char *text) {
    return sonde__node_find(graph->n_node, graph->name, text);
}

void sonde_graph_free(sonde_graph *graph) {
    sonde__free(graph);
}

/* graph_random.c: drawing graph worlds.
 *
 * Every ordered pair of different nodes is an edge with probability p. The pairs are numbered and
 * the gaps between edges drawn (they are geometric), so that a draw costs as much as it has edges,
 * not as it has pairs. Drawn edges come in ascending order; edges that connection adds follow. */
#include <math.h>

#include "base/numbers.h"
#include "base/rng.h"
#include "graph/graph_internal.h"

#define N_REDRAW_MAX 1000
/* with this many nodes expected to have no edge, a draw in which all have one is never seen: its
 * probability is about e^-200 */
#define N_LONELY 200.0

static const double paper_weight[] = {5.0, 5.0, 10.0, 20.0};

static void pair_ends(int32_t n_node, uint64_t pair, int32_t *tail, int32_t *head) {
    const uint64_t others = (uint64_t)n_node - 1;
    *tail = (int32_t)(pair / others);
    const int32_t other = (int32_t)(pair % others);
    *head = other < *tail ? other : other + 1; /* the node itself is left out */
}

/* ln(1 - p), which for a tiny p is -p. */
static double log_missed_at(double p) {
    return p < 1e-8 ? -p : p < 1.0 ? sonde__log(1.0 - p) : -1.0;
}

/* Whether no redraw will ever be connected: too many nodes are expected to have no edge at all. */
static bool is_hopeless(int32_t n_node, double p) {
    const double n_chance = 2.0 * ((double)n_node - 1.0);
    return n_node > 1 && p < 1.0 &&
           sonde__log((double)n_node) + n_chance * log_missed_at(p) > sonde__log(N_LONELY);
}

/* Draws each ordered pair with probability p. */
static bool draw_pairs(int32_t n_node, double p, sonde__rng *rng, sonde__pairs *pairs) {
    const uint64_t n_pair = (uint64_t)n_node * ((uint64_t)n_node - 1);
    const double log_missed = log_missed_at(p);
    pairs->n = 0;
    if (n_node < 2) {
        return true;
    }
    for (uint64_t pair = 0; p > 0.0; pair++) {
        if (p < 1.0) {
            const double gap = floor(sonde__log(1.0 - sonde__rng_uniform(rng)) / log_missed);
            if (!(gap < (double)(n_pair - pair))) {
                return true;
            }
            pair += (uint64_t)gap;
        }
        if (pair >= n_pair) {
            return true;
        }
        int32_t tail = 0;
        int32_t head = 0;
        pair_ends(n_node, pair, &tail, &head);
        if (pairs->n > INT32_MAX / 4 || !sonde__pairs_add(pairs, tail, head)) {
            return false;
        }
    }
    return true;
}

/* Whether (tail, head) is among the first n pairs, which ascend. */
static bool find_pair(const sonde__pairs *pairs, int32_t n, int32_t tail, int32_t head,
                      int32_t *at) {
    int32_t low = 0;
    int32_t high = n;
    while (low < high) {
        const int32_t middle = low + (high - low) / 2;
        const bool before = pairs->tail[middle] < tail ||
                            (pairs->tail[middle] == tail && pairs->head[middle] < head);
        low = before ? middle + 1 : low;
        high = before ? high : middle;
    }
    *at = low;
    return low < n && pairs->tail[low] == tail && pairs->head[low] == head;
}

/* a draw: its edges, and how it was connected */
typedef struct {
    sonde__pairs pairs;
    int32_t n_drawn; /* the first n_drawn pairs ascend, then come those that connect the graph */
    int32_t n_joined;
    int32_t n_redraw;
} sketch;

/* Redraws until every node hangs together; past the limit, or where no redraw would help, the
 * components are joined. */
static sonde_status draw_weakly(int32_t n_node, double p, sonde__rng *rng, sketch *drawn) {
    int32_t *component = sonde__alloc((size_t)n_node * sizeof *component);
    const int32_t most = is_hopeless(n_node, p) ? 0 : N_REDRAW_MAX;
    sonde_status status = component != NULL ? SONDE_OK : SONDE_NO_MEMORY;
    for (drawn->n_redraw = 0; status == SONDE_OK; drawn->n_redraw++) {
        status = draw_pairs(n_node, p, rng, &drawn->pairs) ? SONDE_OK : SONDE_NO_MEMORY;
        drawn->n_drawn = drawn->pairs.n;
        if (status != SONDE_OK || sonde__components(n_node, &drawn->pairs, component) == 1) {
            break;
        }
        if (drawn->n_redraw == most) {
            status = sonde__join_weakly(n_node, rng, &drawn->pairs);
            break;
        }
    }
    sonde__free(component);
    return status;
}

/* Draws once, and adds the fewest edges that connect it strongly. */
static sonde_status draw_strongly(int32_t n_node, double p, sonde__rng *rng, sketch *drawn) {
    if (!draw_pairs(n_node, p, rng, &drawn->pairs)) {
        return SONDE_NO_MEMORY;
    }
    drawn->n_drawn = drawn->pairs.n;
    return sonde__join_strongly(n_node, rng, &drawn->pairs);
}

/* Draws a weight for each edge; in a symmetric graph an edge and its reverse share the first one's,
 * and missing reverses are added. `n_drawn` edges ascend. */
static bool weigh(const sonde_graph_settings *settings, sonde__rng *rng, int32_t n_drawn,
                  sonde__pairs *pairs, double *weight) {
    const bool paper = settings->n_weight == 0;
    const double *list = paper ? paper_weight : settings->weight;
    const uint64_t n_list = paper ? 4 : (uint64_t)settings->n_weight;
    const int32_t n = pairs->n;
    for (int32_t e = 0; e < n; e++) {
        const int32_t tail = pairs->tail[e];
        const int32_t head = pairs->head[e];
        weight[e] = list[sonde__rng_below(rng, n_list)];
        int32_t reverse = 0;
        if (settings->connect == SONDE_DIRECTED) {
            continue;
        }
        if (find_pair(pairs, n_drawn, head, tail, &reverse)) {
            weight[e] = reverse < e ? weight[reverse] : weight[e];
        } else {
            weight[pairs->n] = weight[e];
            if (!sonde__pairs_add(pairs, head, tail)) {
                return false;
            }
        }
    }
    return true;
}

static sonde_status check(const sonde_graph_settings *settings, sonde_error *error) {
    if (settings->n_node < 1 || settings->n_node > SONDE__NODES_MOST) {
        return sonde__fail(error, SONDE_BAD_ARGUMENT, "nodes: expected 1 to %d, found %d",
                           SONDE__NODES_MOST, settings->n_node);
    }
    if (settings->edge_probability > 1.0 || isnan(settings->edge_probability)) {
        return sonde__fail(error, SONDE_BAD_ARGUMENT,
                           "edge probability: expected a number from 0 to 1, found %g",
                           settings->edge_probability);
    }
    if (settings->n_weight < 0) {
        return sonde__fail(error, SONDE_BAD_ARGUMENT,
                           "weights: expected 0 or more of them, found %d", settings->n_weight);
    }
    for (int32_t i = 0; i < settings->n_weight; i++) {
        if (!(settings->weight[i] >= 0.0) || settings->weight[i] > SONDE__LARGEST) {
            return sonde__fail(error, SONDE_BAD_ARGUMENT,
                               "weights: expected numbers of 0 or more, at most %g, found %g",
                               SONDE__LARGEST, settings->weight[i]);
        }
    }
    return SONDE_OK;
}

static sonde_status draw(const sonde_graph_settings *settings, sonde__rng *rng, sketch *drawn,
                         double **weight) {
    const int32_t n_node = settings->n_node;
    const double usual = n_node > 2 ? 2.0 / (double)n_node : 1.0;
    const double p = settings->edge_probability >= 0.0 ? settings->edge_probability : usual;
    sonde_status status = settings->connect == SONDE_SYMMETRIC
                              ? draw_weakly(n_node, p, rng, drawn)
                              : draw_strongly(n_node, p, rng, drawn);
    if (status != SONDE_OK) {
        return status;
    }
    drawn->n_joined = drawn->pairs.n - drawn->n_drawn;
    /* room for the reverses, too */
    *weight = sonde__alloc(2 * (size_t)drawn->pairs.n * sizeof **weight);
    if (*weight == NULL || !weigh(settings, rng, drawn->n_drawn, &drawn->pairs, *weight)) {
        return SONDE_NO_MEMORY;
    }
    return SONDE_OK;
}

sonde_status sonde_graph_random(const sonde_graph_settings *settings, uint64_t seed,
                                sonde_graph **graph, sonde_error *error) {
    sonde_status status = check(settings, error);
    if (status != SONDE_OK) {
        return status;
    }
    sonde__rng rng = sonde__rng_stream(seed, SONDE__FOR_GRAPH, 0);
    sketch drawn = {0};
    double *weight = NULL;
    status = draw(settings, &rng, &drawn, &weight);
    if (status == SONDE_OK) {
        const sonde_graph edges = {.n_node = settings->n_node,
                                   .n_edge = drawn.pairs.n,
                                   .tail = drawn.pairs.tail,
                                   .head = drawn.pairs.head,
                                   .weight = weight};
        status = sonde__graph_build(&edges, &SONDE__WORLD_UNSAID, settings, seed, graph, error);
        if (status == SONDE_OK) {
            (*graph)->n_redraw = drawn.n_redraw;
            (*graph)->n_joined = drawn.n_joined;
        }
    } else {
        (void)sonde__fail(error, status, "graph: the system refused memory for its edges");
    }
    sonde__free(weight);
    sonde__pairs_free(&drawn.pairs);
    return status;
}

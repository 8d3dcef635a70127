/* graph_connect.c: making a drawn graph connected with the fewest random edges.
 *
 * Weakly: one edge less than there are components, a random tree over them. Strongly: the method
 * of Eswaran and Tarjan (1976). Contract the strong components; of what is left, s components have
 * only outgoing edges (sources), t only incoming (sinks), q none. max(s, t) + q edges are needed,
 * and enough: pair sources with sinks that they reach by disjoint searches, string the pairs to a
 * ring, and hang the rest into it. Which nodes of a component the new edges touch, and in which
 * order components are taken, is drawn. */
#include "graph/graph_internal.h"

#include "base/rng.h"

bool sonde__pairs_add(sonde__pairs *pairs, int32_t tail, int32_t head) {
    if (pairs->n == pairs->capacity) {
        const int32_t capacity = pairs->capacity > 0 ? 2 * pairs->capacity : 64;
        int32_t *tails = sonde__resize(pairs->tail, (size_t)capacity * sizeof *tails);
        pairs->tail = tails != NULL ? tails : pairs->tail;
        int32_t *heads = sonde__resize(pairs->head, (size_t)capacity * sizeof *heads);
        pairs->head = heads != NULL ? heads : pairs->head;
        if (tails == NULL || heads == NULL) {
            return false;
        }
        pairs->capacity = capacity;
    }
    pairs->tail[pairs->n] = tail;
    pairs->head[pairs->n] = head;
    pairs->n++;
    return true;
}

void sonde__pairs_free(sonde__pairs *pairs) {
    sonde__free(pairs->tail);
    sonde__free(pairs->head);
    *pairs = (sonde__pairs){0};
}

/* The root of a node's tree, with the way to it halved. */
static int32_t root_of(int32_t *parent, int32_t v) {
    while (parent[v] != v) {
        parent[v] = parent[parent[v]];
        v = parent[v];
    }
    return v;
}

int32_t sonde__components(int32_t n_node, const sonde__pairs *pairs, int32_t *component) {
    int32_t n_component = n_node;
    for (int32_t v = 0; v < n_node; v++) {
        component[v] = v;
    }
    for (int32_t e = 0; e < pairs->n; e++) {
        const int32_t a = root_of(component, pairs->tail[e]);
        const int32_t b = root_of(component, pairs->head[e]);
        component[a > b ? a : b] = a > b ? b : a;
        n_component -= a != b;
    }
    for (int32_t v = 0; v < n_node; v++) {
        component[v] = root_of(component, v);
    }
    return n_component;
}

/* nodes by their weakly connected component */
typedef struct {
    int32_t *component; /* (n_node) */
    int32_t *order;     /* (n_node) a random order */
    int32_t *start;     /* (n_node) where the next node of a component goes */
    int32_t *size;      /* (n_node) of each component */
    int32_t *grouped;   /* (n_node) nodes, those of a component side by side */
} grouping;

static void carve_grouping(sonde__arena *arena, int32_t n_node, grouping *g) {
    g->component = SONDE__TAKE(arena, int32_t, n_node);
    g->order = SONDE__TAKE(arena, int32_t, n_node);
    g->start = SONDE__TAKE(arena, int32_t, n_node);
    g->size = SONDE__TAKE(arena, int32_t, n_node);
    g->grouped = SONDE__TAKE(arena, int32_t, n_node);
}

/* Components in random order, and the nodes of each. */
static void group_at_random(int32_t n_node, sonde__rng *rng, grouping *g) {
    sonde__shuffle(rng, n_node, g->order);
    for (int32_t v = 0; v < n_node; v++) {
        g->size[g->component[v]]++;
        g->start[v] = -1;
    }
    int32_t used = 0;
    for (int32_t i = 0; i < n_node; i++) {
        const int32_t c = g->component[g->order[i]];
        if (g->start[c] < 0) {
            g->start[c] = used;
            used += g->size[c];
        }
        g->grouped[g->start[c]++] = g->order[i];
    }
}

sonde_status sonde__join_weakly(int32_t n_node, sonde__rng *rng, sonde__pairs *pairs) {
    sonde__arena arena = {0};
    grouping g;
    carve_grouping(&arena, n_node, &g);
    if (!sonde__arena_reserve(&arena)) {
        return SONDE_NO_MEMORY;
    }
    carve_grouping(&arena, n_node, &g);
    (void)sonde__components(n_node, pairs, g.component);
    group_at_random(n_node, rng, &g);
    sonde_status status = SONDE_OK;
    /* each further group is tied to a random node of those before it */
    for (int32_t at = g.size[g.component[g.grouped[0]]]; at < n_node && status == SONDE_OK;) {
        const int32_t n_here = g.size[g.component[g.grouped[at]]];
        const int32_t from = g.grouped[sonde__rng_below(rng, (uint64_t)at)];
        const int32_t to = g.grouped[at + (int32_t)sonde__rng_below(rng, (uint64_t)n_here)];
        status = sonde__pairs_add(pairs, from, to) ? SONDE_OK : SONDE_NO_MEMORY;
        at += n_here;
    }
    sonde__arena_free(&arena);
    return status;
}

/* a graph by its out-edges, with a search's state */
typedef struct {
    int32_t n_node;
    int32_t *first;     /* (n_node + 1) */
    int32_t *next;      /* (n_edge) heads, by tail */
    int32_t *component; /* (n_node) strong component, or -1 */
    int32_t *low;       /* (n_node) lowest number reached; number of visit + 1 in `visit` */
    int32_t *visit;     /* (n_node) */
    int32_t *stack;     /* (n_node) nodes without component yet */
    int32_t *path;      /* (n_node) the search's way down */
    int32_t *edge;      /* (n_node) next edge to look at */
} digraph;

static void carve_digraph(sonde__arena *arena, int32_t n_node, int32_t n_edge, digraph *g) {
    g->n_node = n_node;
    g->first = SONDE__TAKE(arena, int32_t, n_node + 1);
    g->next = SONDE__TAKE(arena, int32_t, n_edge);
    g->component = SONDE__TAKE(arena, int32_t, n_node);
    g->low = SONDE__TAKE(arena, int32_t, n_node);
    g->visit = SONDE__TAKE(arena, int32_t, n_node);
    g->stack = SONDE__TAKE(arena, int32_t, n_node);
    g->path = SONDE__TAKE(arena, int32_t, n_node);
    g->edge = SONDE__TAKE(arena, int32_t, n_node);
}

static void index_edges(digraph *g, const sonde__pairs *pairs) {
    for (int32_t e = 0; e < pairs->n; e++) {
        g->first[pairs->tail[e] + 1]++;
    }
    for (int32_t v = 0; v < g->n_node; v++) {
        g->first[v + 1] += g->first[v];
        g->edge[v] = g->first[v];
        g->component[v] = -1;
    }
    for (int32_t e = 0; e < pairs->n; e++) {
        g->next[g->edge[pairs->tail[e]]++] = pairs->head[e];
    }
    for (int32_t v = 0; v < g->n_node; v++) {
        g->edge[v] = g->first[v];
    }
}

/* Tarjan's search from one node, without recursion; components are numbered as they are found. */
static void find_from(digraph *g, int32_t root, int32_t *n_visit, int32_t *n_component) {
    int32_t n_path = 0;
    int32_t n_stack = 0;
    g->path[n_path++] = root;
    g->stack[n_stack++] = root;
    g->visit[root] = g->low[root] = ++*n_visit;
    while (n_path > 0) {
        const int32_t v = g->path[n_path - 1];
        if (g->edge[v] < g->first[v + 1]) {
            const int32_t w = g->next[g->edge[v]++];
            if (g->visit[w] == 0) {
                g->path[n_path++] = w;
                g->stack[n_stack++] = w;
                g->visit[w] = g->low[w] = ++*n_visit;
            } else if (g->component[w] < 0 && g->visit[w] < g->low[v]) {
                g->low[v] = g->visit[w];
            }
            continue;
        }
        n_path--;
        if (n_path > 0 && g->low[v] < g->low[g->path[n_path - 1]]) {
            g->low[g->path[n_path - 1]] = g->low[v];
        }
        if (g->low[v] == g->visit[v]) {
            do {
                n_stack--;
                g->component[g->stack[n_stack]] = *n_component;
            } while (g->stack[n_stack] != v);
            ++*n_component;
        }
    }
}

static int32_t strong_components(digraph *g) {
    int32_t n_visit = 0;
    int32_t n_component = 0;
    for (int32_t v = 0; v < g->n_node; v++) {
        if (g->visit[v] == 0) {
            find_from(g, v, &n_visit, &n_component);
        }
    }
    return n_component;
}

/* the graph of components, and the pairing of its sources and sinks */
typedef struct {
    int32_t n;
    int32_t *member; /* (n) a random node of each component */
    bool *entered;   /* (n) some edge comes in */
    bool *left;      /* (n) some edge goes out */
    bool *marked;    /* (n) a search has been here */
    bool *paired;    /* (n) */
    int32_t *source; /* (n) paired ones first */
    int32_t *sink;   /* (n) the sinks paired with them, then the others */
    int32_t *lone;   /* (n) components without any edge */
    int32_t n_source;
    int32_t n_sink;
    int32_t n_lone;
    int32_t n_pair;
} condensation;

static void carve_condensation(sonde__arena *arena, int32_t n, condensation *c) {
    c->n = n;
    c->member = SONDE__TAKE(arena, int32_t, n);
    c->entered = SONDE__TAKE(arena, bool, n);
    c->left = SONDE__TAKE(arena, bool, n);
    c->marked = SONDE__TAKE(arena, bool, n);
    c->paired = SONDE__TAKE(arena, bool, n);
    c->source = SONDE__TAKE(arena, int32_t, n);
    c->sink = SONDE__TAKE(arena, int32_t, n);
    c->lone = SONDE__TAKE(arena, int32_t, n);
}

/* Which components have edges in and out, and whether there are more sources than sinks. */
static bool more_sources(condensation *c, const sonde__pairs *between) {
    for (int32_t e = 0; e < between->n; e++) {
        c->left[between->tail[e]] = true;
        c->entered[between->head[e]] = true;
    }
    int32_t balance = 0;
    for (int32_t x = 0; x < c->n; x++) {
        balance += (c->left[x] && !c->entered[x]) - (c->entered[x] && !c->left[x]);
    }
    return balance > 0;
}

static void turn_round(condensation *c, sonde__pairs *between) {
    int32_t *tail = between->tail;
    between->tail = between->head;
    between->head = tail;
    bool *entered = c->entered;
    c->entered = c->left;
    c->left = entered;
}

/* Follows unmarked components from a source until a sink; -1 if there is none left to reach. */
static int32_t reach_sink(condensation *c, digraph *g, int32_t source) {
    int32_t n_path = 0;
    g->path[n_path++] = source;
    c->marked[source] = true;
    while (n_path > 0) {
        const int32_t x = g->path[n_path - 1];
        if (!c->left[x]) {
            return x;
        }
        if (g->edge[x] == g->first[x + 1]) {
            n_path--;
            continue;
        }
        const int32_t y = g->next[g->edge[x]++];
        if (!c->marked[y]) {
            c->marked[y] = true;
            g->path[n_path++] = y;
        }
    }
    return -1;
}

/* Sorts components into sources, sinks and lone ones, in the given order, pairs first. */
static void pair_up(condensation *c, digraph *g, const int32_t *order) {
    for (int32_t i = 0; i < c->n; i++) {
        const int32_t x = order[i];
        if (!c->entered[x] && !c->left[x]) {
            c->lone[c->n_lone++] = x;
        } else if (!c->entered[x]) {
            const int32_t sink = reach_sink(c, g, x);
            if (sink >= 0) {
                c->source[c->n_pair] = x;
                c->sink[c->n_pair++] = sink;
                c->paired[x] = c->paired[sink] = true;
            }
        }
    }
    c->n_source = c->n_sink = c->n_pair;
    for (int32_t i = 0; i < c->n; i++) {
        const int32_t x = order[i];
        if (!c->paired[x] && c->left[x] && !c->entered[x]) {
            c->source[c->n_source++] = x;
        } else if (!c->paired[x] && c->entered[x] && !c->left[x]) {
            c->sink[c->n_sink++] = x;
        }
    }
}

static bool link(const condensation *c, bool backwards, int32_t from, int32_t to,
                 sonde__pairs *pairs) {
    return sonde__pairs_add(pairs, c->member[backwards ? to : from],
                            c->member[backwards ? from : to]);
}

/* The new edges, for no more sources v than sinks w: w_i -> v_i+1 within the pairs, w_i -> v_i
 * for the other sources, and one closing chain from the last pair's sink through the other sinks
 * and the lone ones back to v_1. */
static bool close_ring(const condensation *c, bool backwards, sonde__pairs *pairs) {
    bool fits = true;
    for (int32_t i = 0; i + 1 < c->n_pair && fits; i++) {
        fits = link(c, backwards, c->sink[i], c->source[i + 1], pairs);
    }
    for (int32_t i = c->n_pair; i < c->n_source && fits; i++) {
        fits = link(c, backwards, c->sink[i], c->source[i], pairs);
    }
    const int32_t begin = c->n_pair > 0 ? c->source[0] : c->lone[0];
    int32_t at = c->n_pair > 0 ? c->sink[c->n_pair - 1] : c->lone[0];
    for (int32_t i = c->n_source; i < c->n_sink && fits; i++) {
        fits = link(c, backwards, at, c->sink[i], pairs);
        at = c->sink[i];
    }
    for (int32_t i = c->n_pair > 0 ? 0 : 1; i < c->n_lone && fits; i++) {
        fits = link(c, backwards, at, c->lone[i], pairs);
        at = c->lone[i];
    }
    return fits && link(c, backwards, at, begin, pairs);
}

/* Draws a member of each component: in random order, the last one seen stays. */
static void draw_members(condensation *c, sonde__rng *rng, const digraph *g, int32_t *order) {
    sonde__shuffle(rng, g->n_node, order);
    for (int32_t i = 0; i < g->n_node; i++) {
        c->member[g->component[order[i]]] = order[i];
    }
}

/* everything the strong join needs: the graph, and the graph of its components */
typedef struct {
    sonde__arena arena;
    digraph whole;
    digraph contracted;
    condensation parts;
    sonde__pairs between; /* edges from one component to another */
    int32_t *order;       /* (n_node) */
} join;

static void carve_join(join *j, int32_t n_node, int32_t n_edge) {
    carve_digraph(&j->arena, n_node, n_edge, &j->whole);
    carve_digraph(&j->arena, n_node, n_edge, &j->contracted);
    carve_condensation(&j->arena, n_node, &j->parts);
    j->between.tail = SONDE__TAKE(&j->arena, int32_t, n_edge);
    j->between.head = SONDE__TAKE(&j->arena, int32_t, n_edge);
    j->order = SONDE__TAKE(&j->arena, int32_t, n_node);
}

static void find_between(join *j, const sonde__pairs *pairs) {
    for (int32_t e = 0; e < pairs->n; e++) {
        const int32_t a = j->whole.component[pairs->tail[e]];
        const int32_t b = j->whole.component[pairs->head[e]];
        if (a != b) {
            j->between.tail[j->between.n] = a;
            j->between.head[j->between.n] = b;
            j->between.n++;
        }
    }
}

sonde_status sonde__join_strongly(int32_t n_node, sonde__rng *rng, sonde__pairs *pairs) {
    join j = {0};
    carve_join(&j, n_node, pairs->n);
    if (!sonde__arena_reserve(&j.arena)) {
        return SONDE_NO_MEMORY;
    }
    carve_join(&j, n_node, pairs->n);
    index_edges(&j.whole, pairs);
    const int32_t n_component = strong_components(&j.whole);
    bool fits = true;
    if (n_component > 1) {
        /* contract, look at it from the side with fewer sources, pair, and close the ring */
        j.parts.n = j.contracted.n_node = n_component;
        draw_members(&j.parts, rng, &j.whole, j.order);
        find_between(&j, pairs);
        const bool backwards = more_sources(&j.parts, &j.between);
        if (backwards) {
            turn_round(&j.parts, &j.between);
        }
        index_edges(&j.contracted, &j.between);
        sonde__shuffle(rng, n_component, j.order);
        pair_up(&j.parts, &j.contracted, j.order);
        fits = close_ring(&j.parts, backwards, pairs);
    }
    sonde__arena_free(&j.arena);
    return fits ? SONDE_OK : SONDE_NO_MEMORY;
}

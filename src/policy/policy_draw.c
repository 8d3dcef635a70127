/* policy_draw.c: policies drawn uniformly, however many there are, and none of them listed.
 *
 * Some that differ are drawn by their indices. Where a space is too large for indices a policy is
 * drawn step by step: every edge, or action, with the share of the policies that go on below it,
 *
 *     ln count[0][p] = 0,   ln count[t][p] = ln sum over ways from p to p' of count[t - 1][p']
 *
 * kept in logs, which no horizon makes overflow. A place is a node in a graph world; in a general
 * model each factor has its own, and since what is allowed depends on it alone, each factor's
 * actions are drawn alone. */
#include <math.h>

#include "base/numbers.h"
#include "base/rng.h"
#include "policy/policy.h"

/* Lists of counts: the nodes', or one for each factor; none where policies are listed. */
static int32_t n_list(const sonde_policies *policies) {
    if (policies->model->graph != NULL) {
        return 1;
    }
    return policies->place != NULL ? policies->model->n_factor : 0;
}

static int32_t n_place(const sonde_policies *policies, int32_t list) {
    return policies->model->graph != NULL ? policies->model->graph->n_node
                                          : policies->place[list].n_place;
}

void sonde__ways_carve(sonde__arena *arena, const sonde_policies *policies, sonde__ways *ways) {
    const uint64_t n_step = (uint64_t)policies->horizon + 1;
    for (int32_t i = 0; i < n_list(policies); i++) {
        ways->log_count[i] = SONDE__TAKE(arena, double, n_step *(uint64_t)n_place(policies, i));
    }
}

/* the ways on from a place: where each leads, -1 where it is none */
typedef struct {
    int32_t n;
    const int32_t *to; /* (n) */
} fork;

static fork fork_at(const sonde_policies *policies, int32_t list, int32_t place) {
    const sonde_graph *graph = policies->model->graph;
    if (graph != NULL) {
        const int32_t first = graph->first[place];
        return (fork){graph->first[place + 1] - first, graph->head + first};
    }
    const sonde_places *p = &policies->place[list];
    return (fork){p->n_action, p->next + (int64_t)place * p->n_action};
}

/* How much of a fork lies below way i, relative to e^most. */
static double share(const fork *from, const double *below, double most, int32_t i) {
    const bool any = from->to[i] >= 0 && below[from->to[i]] > -INFINITY;
    return any ? sonde__exp(below[from->to[i]] - most) : 0.0;
}

static double most_below(const fork *from, const double *below) {
    double most = -INFINITY;
    for (int32_t i = 0; i < from->n; i++) {
        const double ways = from->to[i] >= 0 ? below[from->to[i]] : -INFINITY;
        most = ways > most ? ways : most;
    }
    return most;
}

void sonde__ways_fill(const sonde_policies *policies, sonde__ways *ways) {
    for (int32_t list = 0; list < n_list(policies); list++) {
        const int32_t n = n_place(policies, list);
        double *count = ways->log_count[list];
        for (int32_t p = 0; p < n; p++) {
            count[p] = 0.0;
        }
        for (int32_t t = 1; t <= policies->horizon; t++) {
            const double *below = count + (int64_t)(t - 1) * n;
            for (int32_t p = 0; p < n; p++) {
                const fork from = fork_at(policies, list, p);
                const double most = most_below(&from, below);
                double sum = 0.0;
                for (int32_t i = 0; i < from.n; i++) {
                    sum += share(&from, below, most, i);
                }
                count[(int64_t)t * n + p] = sum > 0.0 ? most + sonde__log(sum) : -INFINITY;
            }
        }
    }
}

double sonde__ways_log_count(const sonde_policies *policies, const sonde__ways *ways, int32_t t,
                             const int32_t *place) {
    double sum = 0.0;
    for (int32_t i = 0; i < n_list(policies); i++) {
        sum += ways->log_count[i][(int64_t)t * n_place(policies, i) + place[i]];
    }
    return sum;
}

/* Draws one of the ways on: the first whose share holds what is left of u, or the last that has
 * any. */
static int32_t draw_way(const fork *from, const double *below, sonde__rng *rng) {
    const double most = most_below(from, below);
    double sum = 0.0;
    for (int32_t i = 0; i < from->n; i++) {
        sum += share(from, below, most, i);
    }
    double left = sonde__rng_uniform(rng) * sum;
    int32_t last = 0;
    for (int32_t i = 0; i < from->n; i++) {
        const double part = share(from, below, most, i);
        last = part > 0.0 ? i : last;
        if (part > 0.0 && left < part) {
            break;
        }
        left -= part;
    }
    return last;
}

static void draw_walk(const sonde_policies *policies, const sonde__ways *ways, int32_t origin,
                      sonde__rng *rng, int32_t *walk) {
    const sonde_graph *graph = policies->model->graph;
    const double *log_count = ways->log_count[0];
    walk[0] = origin;
    if (origin == SONDE_EVERYWHERE) {
        const fork any = {graph->n_edge, graph->head};
        walk[0] = draw_way(&any, log_count + (int64_t)policies->horizon * graph->n_node, rng);
    }
    for (int32_t t = 1; t <= policies->horizon; t++) {
        const int32_t v = graph->head[walk[t - 1]];
        const fork from = fork_at(policies, 0, v);
        const double *below = log_count + (int64_t)(policies->horizon - t) * graph->n_node;
        walk[t] = graph->first[v] + draw_way(&from, below, rng);
    }
}

void sonde__ways_draw(const sonde_policies *policies, const sonde__ways *ways, int32_t origin,
                      sonde__rng *rng, int32_t *walk) {
    if (policies->model->graph != NULL) {
        draw_walk(policies, ways, origin, rng, walk);
        return;
    }
    if (policies->place == NULL) {
        const uint64_t size = sonde_policies_size(policies, origin);
        sonde__policies_get(policies, origin, sonde__rng_below(rng, size), walk);
        return;
    }
    int32_t place[SONDE_FACTORS_MAX];
    sonde__product_places(policies, origin, place);
    walk[0] = origin;
    for (int32_t t = 1; t <= policies->horizon; t++) {
        walk[t] = 0;
        for (int32_t f = 0; f < policies->model->n_factor; f++) {
            const sonde_places *p = &policies->place[f];
            const fork from = fork_at(policies, f, place[f]);
            const double *below =
                ways->log_count[f] + (int64_t)(policies->horizon - t) * p->n_place;
            const int32_t u = draw_way(&from, below, rng);
            place[f] = from.to[u];
            walk[t] = walk[t] * p->n_action + u;
        }
    }
}

/* ----------------------------------------------------------------------------- by index -- */

/* Lets an index sink to its place in a heap with the largest on top. */
static void sink(uint64_t *heap, uint64_t n, uint64_t at) {
    const uint64_t entry = heap[at];
    for (uint64_t child = 2 * at + 1; child < n; child = 2 * at + 1) {
        if (child + 1 < n && heap[child + 1] > heap[child]) {
            child++;
        }
        if (heap[child] <= entry) {
            break;
        }
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = entry;
}

static void sort(uint64_t *index, uint64_t n) {
    for (uint64_t at = n / 2; at-- > 0;) {
        sink(index, n, at);
    }
    for (uint64_t left = n; left > 1; left--) {
        const uint64_t largest = index[0];
        index[0] = index[left - 1];
        index[left - 1] = largest;
        sink(index, left - 1, 0);
    }
}

uint64_t sonde__indices_sort(uint64_t *index, uint64_t n) {
    uint64_t kept = 0;
    sort(index, n);
    for (uint64_t i = 0; i < n; i++) {
        if (kept == 0 || index[kept - 1] != index[i]) {
            index[kept++] = index[i];
        }
    }
    return kept;
}

/* Where there are not many more than are wanted, every policy is taken with the probability that
 * is left (wanted / remaining); otherwise indices are drawn, sorted, and drawn again where two
 * are the same. Either way every subset is as likely as any other. */
void sonde__policies_sample(const sonde_policies *policies, int32_t origin, sonde__rng *rng,
                            uint64_t n, uint64_t *index) {
    const uint64_t n_policy = sonde_policies_size(policies, origin);
    uint64_t taken = 0;
    for (uint64_t i = 0; n_policy / 4 <= n && taken < n; i++) {
        if (sonde__rng_below(rng, n_policy - i) < n - taken) {
            index[taken++] = i;
        }
    }
    while (taken < n) {
        for (uint64_t i = taken; i < n; i++) {
            index[i] = sonde__rng_below(rng, n_policy);
        }
        taken = sonde__indices_sort(index, n);
    }
}

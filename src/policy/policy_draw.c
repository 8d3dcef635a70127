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

void sonde__ways_carve(sonde__arena *arena, const sonde_policies *policies, sonde__ways *ways) {
    const sonde__policy_space *space = sonde__space_of(policies);
    const uint64_t n_step = (uint64_t)policies->horizon + 1;
    ways->n_list = space->n_list(policies);
    for (int32_t i = 0; i < ways->n_list; i++) {
        ways->n_place[i] = space->n_place(policies, i);
        ways->log_count[i] = SONDE__TAKE(arena, double, n_step *(uint64_t)ways->n_place[i]);
    }
}

/* How much of a fork lies below way i, relative to e^most. */
static double share(const sonde__fork *from, const double *below, double most, int32_t i) {
    const bool any = from->to[i] >= 0 && below[from->to[i]] > -INFINITY;
    return any ? sonde__exp(below[from->to[i]] - most) : 0.0;
}

static double most_below(const sonde__fork *from, const double *below) {
    double most = -INFINITY;
    for (int32_t i = 0; i < from->n; i++) {
        const double ways = from->to[i] >= 0 ? below[from->to[i]] : -INFINITY;
        most = ways > most ? ways : most;
    }
    return most;
}

void sonde__ways_fill(const sonde_policies *policies, sonde__ways *ways) {
    const sonde__policy_space *space = sonde__space_of(policies);
    for (int32_t list = 0; list < ways->n_list; list++) {
        const int32_t n = ways->n_place[list];
        double *count = ways->log_count[list];
        for (int32_t p = 0; p < n; p++) {
            count[p] = 0.0;
        }
        for (int32_t t = 1; t <= policies->horizon; t++) {
            const double *below = count + (int64_t)(t - 1) * n;
            for (int32_t p = 0; p < n; p++) {
                const sonde__fork from = space->fork(policies, list, p);
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

/* The first whose share holds what is left of u, or the last that has any. */
int32_t sonde__ways_choose(const sonde__fork *from, const double *below, sonde__rng *rng) {
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

void sonde__ways_draw(const sonde_policies *policies, const sonde__ways *ways, int32_t origin,
                      sonde__rng *rng, int32_t *walk) {
    sonde__space_of(policies)->draw(policies, ways, origin, rng, walk);
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

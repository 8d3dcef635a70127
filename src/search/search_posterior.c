/* search_posterior.c: the posterior over first actions, in one pass and without storing G.
 *
 *     Q(action) = sum of exp(-gamma G) over its policies / sum over all
 *
 * Sums are kept relative to the smallest G so far; when a smaller one comes, they are scaled down
 * once. The order of policies is fixed, so the sums' bits are. */
#include <math.h>
#include <string.h>

#include "base/numbers.h"
#include "search/search.h"

/* G this close are ties: the lowest policy is the best */
static double tie(double efe) {
    return 1e-12 * (1.0 + fabs(efe));
}

void sonde__posterior_start(sonde__posterior *posterior, int32_t begin, int32_t end) {
    posterior->begin = begin;
    posterior->end = end;
    memset(posterior->mass, 0, (size_t)(end - begin) * sizeof *posterior->mass);
    memset(posterior->touched, 0, (size_t)(end - begin) * sizeof *posterior->touched);
    posterior->least = INFINITY;
    posterior->best_efe = INFINITY;
    posterior->best = UINT64_MAX;
    posterior->n_policy = 0;
}

/* Makes `least` the number that masses are relative to. */
static void lower(sonde__posterior *posterior, double least) {
    const double scale = sonde__exp(posterior->gamma * (least - posterior->least));
    for (int32_t a = 0; a < posterior->end - posterior->begin; a++) {
        posterior->mass[a] *= scale;
    }
    posterior->least = least;
}

/* The lowest policy of the block that ties with the block's smallest G, against the best so far. */
static void compare_best(sonde__posterior *posterior, const sonde__block *block, double least) {
    if (least > posterior->best_efe + tie(least)) {
        return;
    }
    int32_t i = 0;
    while (block->efe[i] > least + tie(least)) {
        i++;
    }
    const uint64_t policy =
        block->member != NULL ? (uint64_t)block->member[i] : block->first + (uint64_t)i;
    if (least < posterior->best_efe - tie(least) || policy < posterior->best) {
        posterior->best = policy;
        posterior->best_efe = block->efe[i];
    }
}

void sonde__posterior_add(void *context, const sonde__block *block) {
    sonde__posterior *posterior = context;
    double least = block->efe[0];
    for (int32_t i = 1; i < block->n; i++) {
        least = block->efe[i] < least ? block->efe[i] : least;
    }
    if (least < posterior->least) {
        lower(posterior, least);
    }
    compare_best(posterior, block, least);
    const int32_t a = block->action - posterior->begin;
    posterior->mass[a] += sonde__sum_exp(block->n, block->efe, posterior->gamma, posterior->least);
    posterior->touched[a] = true;
    posterior->n_policy += (uint64_t)block->n;
}

double sonde__posterior_total(const sonde__posterior *posterior) {
    double total = 0.0;
    for (int32_t a = 0; a < posterior->end - posterior->begin; a++) {
        total += posterior->mass[a];
    }
    return total;
}

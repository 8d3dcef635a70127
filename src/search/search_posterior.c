/* search_posterior.c: the posterior over first actions, in one pass and without storing G.
 *
 *     Q(action) = sum of E exp(-gamma G) over its policies / sum over all
 *
 * Sums are kept relative to the smallest G so far; when a smaller one comes, they are scaled down
 * once. The order of policies is fixed, so the sums' bits are. */
#include <math.h>

#include "base/numbers.h"
#include "search/search_internal.h"

void sonde__posterior_carve(sonde__arena *arena, int32_t n_action, sonde__posterior *posterior) {
    posterior->mass = SONDE__TAKE(arena, double, n_action);
    posterior->best_efe = SONDE__TAKE(arena, double, n_action);
    posterior->best = SONDE__TAKE(arena, uint64_t, n_action);
}

void sonde__posterior_start(sonde__posterior *posterior, int32_t begin, int32_t end) {
    posterior->begin = begin;
    posterior->end = end;
    for (int32_t a = 0; a < end - begin; a++) {
        posterior->mass[a] = 0.0;
        posterior->best_efe[a] = INFINITY;
        posterior->best[a] = UINT64_MAX;
    }
    posterior->least = INFINITY;
    posterior->lowest = INFINITY;
    posterior->shift = 0.0;
    posterior->top = -INFINITY;
    posterior->top_action = -1;
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

/* Whether a policy is better than another: smaller G, or as small and before it. */
static bool is_better(double efe, uint64_t policy, double other_efe, uint64_t other) {
    return sonde__is_below(efe, other_efe) ||
           (efe <= other_efe + sonde__tie(efe) && policy < other);
}

/* The lowest policy of the block that ties with the block's smallest G, against the best so far. */
static void compare_best(sonde__posterior *posterior, const sonde__block *block, double least) {
    const int32_t a = block->action - posterior->begin;
    if (least > posterior->best_efe[a] + sonde__tie(least)) {
        return;
    }
    int32_t i = 0;
    while (block->efe[i] > least + sonde__tie(least)) {
        i++;
    }
    if (is_better(block->efe[i], sonde__block_policy(block, i), posterior->best_efe[a],
                  posterior->best[a])) {
        posterior->best[a] = sonde__block_policy(block, i);
        posterior->best_efe[a] = block->efe[i];
    }
}

/* Summed E exp(-gamma (G - least)); notes the most probable policy. */
static double sum_with_prior(sonde__posterior *posterior, const sonde__block *block) {
    double sum = 0.0;
    for (int32_t i = 0; i < block->n; i++) {
        const double E = block->prior[i];
        if (E <= 0.0) {
            continue;
        }
        const double weight = sonde__log(E) - posterior->gamma * block->efe[i];
        /* is_better asks for the smaller of two */
        const uint64_t policy = sonde__block_policy(block, i);
        if (posterior->top_action < 0 ||
            is_better(0.0 - weight, policy, 0.0 - posterior->top, posterior->top_policy)) {
            posterior->top = weight;
            posterior->top_action = block->action;
            posterior->top_policy = policy;
        }
        sum += E * sonde__exp(posterior->gamma * (posterior->least - block->efe[i]));
    }
    return sum;
}

/* The smallest G among the policies that E does not rule out; infinity if it rules out all. */
static double least_with_prior(const sonde__block *block) {
    double least = INFINITY;
    for (int32_t i = 0; i < block->n; i++) {
        least = block->prior[i] > 0.0 && block->efe[i] < least ? block->efe[i] : least;
    }
    return least;
}

void sonde__posterior_add(void *context, const sonde__block *block) {
    sonde__posterior *posterior = context;
    double least = block->efe[0];
    for (int32_t i = 1; i < block->n; i++) {
        least = block->efe[i] < least ? block->efe[i] : least;
    }
    /* masses are relative to a policy that has some, or all of them might vanish */
    const double heaviest = block->prior != NULL ? least_with_prior(block) : least;
    if (heaviest < posterior->least) {
        lower(posterior, heaviest);
    }
    posterior->lowest = least < posterior->lowest ? least : posterior->lowest;
    compare_best(posterior, block, least);
    posterior->mass[block->action - posterior->begin] +=
        block->prior != NULL
            ? sum_with_prior(posterior, block)
            : sonde__posterior_weight(posterior, block->action) *
                  sonde__sum_exp(block->n, block->efe, posterior->gamma, posterior->least);
    posterior->n_policy += (uint64_t)block->n;
}

void sonde__posterior_add_more(sonde__posterior *posterior, int32_t action, double efe,
                               double extra) {
    posterior->mass[action - posterior->begin] +=
        sonde__posterior_weight(posterior, action) * (sonde__exp(extra) - 1.0) *
        sonde__exp(posterior->gamma * (posterior->least - efe));
}

void sonde__posterior_merge(sonde__posterior *posterior, const sonde__posterior *other) {
    if (other->n_policy == 0) {
        return;
    }
    if (other->least < posterior->least) {
        lower(posterior, other->least);
    }
    posterior->lowest = other->lowest < posterior->lowest ? other->lowest : posterior->lowest;
    const double scale = sonde__exp(posterior->gamma * (posterior->least - other->least));
    for (int32_t a = 0; a < posterior->end - posterior->begin; a++) {
        posterior->mass[a] += other->mass[a] * scale;
        if (is_better(other->best_efe[a], other->best[a], posterior->best_efe[a],
                      posterior->best[a])) {
            posterior->best_efe[a] = other->best_efe[a];
            posterior->best[a] = other->best[a];
        }
    }
    posterior->n_policy += other->n_policy;
}

void sonde__posterior_settle(sonde__posterior *posterior, const double *log_mass) {
    const int32_t n = posterior->end - posterior->begin;
    const double gamma = posterior->gamma;
    double most = -INFINITY;
    for (int32_t a = 0; a < n; a++) {
        most = log_mass[a] > most ? log_mass[a] : most;
    }
    for (int32_t a = 0; a < n; a++) {
        posterior->mass[a] = sonde__exp(log_mass[a] - most);
    }
    /* total relative to exp(-gamma least) is what the posterior's masses are */
    posterior->least = gamma > 0.0 ? -most / gamma : 0.0;
    posterior->shift = gamma > 0.0 ? 0.0 : most;
}

double sonde__posterior_total(const sonde__posterior *posterior) {
    double total = 0.0;
    for (int32_t a = 0; a < posterior->end - posterior->begin; a++) {
        total += posterior->mass[a];
    }
    return total;
}

double sonde__posterior_log(const sonde__posterior *posterior, double mass) {
    return sonde__log(mass) - posterior->gamma * posterior->least + posterior->shift;
}

int32_t sonde__posterior_best(const sonde__posterior *posterior) {
    const int32_t n = posterior->end - posterior->begin;
    int32_t best = 0;
    /* the best of an action may be a little above its least */
    double least = posterior->lowest;
    for (int32_t a = 0; a < n; a++) {
        least = posterior->best_efe[a] < least ? posterior->best_efe[a] : least;
    }
    /* the first of all that tie with the least: ties do not add up from action to action */
    const double most = least + sonde__tie(least);
    for (int32_t a = 1; a < n; a++) {
        const bool ties = posterior->best_efe[a] <= most;
        if (ties &&
            (!(posterior->best_efe[best] <= most) || posterior->best[a] < posterior->best[best])) {
            best = a;
        }
    }
    return posterior->begin + best;
}

/* The action whose best policy is most probable, where habits make some more likely. */
static int32_t heaviest(const sonde__posterior *posterior) {
    int32_t top = -1;
    double most = -INFINITY;
    for (int32_t a = posterior->begin; a < posterior->end; a++) {
        const int32_t i = a - posterior->begin;
        if (posterior->best[i] == UINT64_MAX) {
            continue;
        }
        const double weight =
            sonde__log(posterior->weight[a]) - posterior->gamma * posterior->best_efe[i];
        if (top < 0 || is_better(0.0 - weight, posterior->best[i], 0.0 - most,
                                 posterior->best[top - posterior->begin])) {
            top = a;
            most = weight;
        }
    }
    return top;
}

int32_t sonde__posterior_top(const sonde__posterior *posterior) {
    if (posterior->weight != NULL) {
        return heaviest(posterior);
    }
    return posterior->top_action >= 0 ? posterior->top_action : sonde__posterior_best(posterior);
}

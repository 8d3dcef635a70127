/* closed_spm.c: the recursion of SPM's spm_MDP_VB_XX, which branches on hidden states.
 *
 *     G_k      g(B_k b) - ln E_k, and, where there is another step,
 *              + sum over states i of Q_k(i) K_i;   Q_k = B_k b
 *     K_i      the backup of G from the belief proportional to
 *              Q_k(s) prod over g of sum over o of A_g[o, s] A_g[o, i]
 *
 * over the actions with softmax(-gamma G_k) above a share of the largest one (the others have a
 * penalty for G) and the states above a share of the most probable, at most so many; their
 * probabilities are not made to sum to 1. In place of an outcome it takes in the distribution that
 * a state shows. Where the trial ends with the horizon, G of the end is -ln E. */
#include <string.h>

#include "base/numbers.h"
#include "base/status.h"
#include "closed/closed_internal.h"

/* what the logarithm of 0 is */
#define LEAST_LOG (-32.0)

void sonde__spm_carve(sonde__closed *closed, sonde__arena *arena) {
    const sonde__joint *world = &closed->world;
    const uint64_t n_level = (uint64_t)world->horizon + 1;
    closed->level = SONDE__TAKE(arena, sonde__level, n_level);
    for (uint64_t d = 0; d < n_level; d++) {
        sonde__level level = {
            .efe = SONDE__TAKE(arena, double, world->n_action),
            .share = SONDE__TAKE(arena, double, world->n_action),
            .state = SONDE__TAKE(arena, int32_t, world->n_state),
            .p = SONDE__TAKE(arena, double, world->n_state),
            .after = SONDE__TAKE(arena, int32_t, world->n_state),
            .after_p = SONDE__TAKE(arena, double, world->n_state),
            .even = SONDE__TAKE(arena, double, world->n_action),
        };
        if (closed->level != NULL) {
            closed->level[d] = level;
        }
    }
}

static double habit(const sonde__joint *world, int32_t action) {
    const double E = world->habit[action];
    return E > 1e-300 && sonde__log(E) > LEAST_LOG ? sonde__log(E) : LEAST_LOG;
}

/* How likely two states are to show the same, all modalities together. */
static double likeness(const sonde__joint *world, int32_t s, int32_t i, int32_t action) {
    const int64_t a = sonde__joint_at(world, s, action);
    const int64_t b = sonde__joint_at(world, i, action);
    int64_t k = world->sees[a];
    int64_t l = world->sees[b];
    double sum = 0.0;
    /* both are sorted by what is seen */
    while (k < world->sees[a + 1] && l < world->sees[b + 1]) {
        const int32_t left = world->seen[k];
        const int32_t right = world->seen[l];
        sum += left == right ? world->seen_p[k] * world->seen_p[l] : 0.0;
        k += left <= right;
        l += right <= left;
    }
    return sum;
}

/* What is believed where the prediction of a level has come true in state i. */
static sonde__support take_in(const sonde__joint *world, const sonde__level *level, int32_t n,
                              int32_t i, int32_t action) {
    double sum = 0.0;
    int32_t n_after = 0;
    for (int32_t k = 0; k < n; k++) {
        const double p = level->p[k] * likeness(world, level->state[k], level->state[i], action);
        if (p > 0.0) {
            level->after[n_after] = level->state[k];
            level->after_p[n_after++] = p;
            sum += p;
        }
    }
    for (int32_t k = 0; k < n_after; k++) {
        level->after_p[k] /= sum;
    }
    return (sonde__support){.n = n_after, .state = level->after, .p = level->after_p};
}

/* The probability above which states are looked at, the `most` most probable at most; *tied of
 * those that have it exactly count, too. */
static double find_threshold(const sonde__level *level, int32_t n, double share, int32_t most,
                             int32_t *tied) {
    double top = 0.0;
    int32_t n_above = 0;
    for (int32_t k = 0; k < n; k++) {
        top = level->p[k] > top ? level->p[k] : top;
    }
    double threshold = share * top;
    *tied = 0;
    for (int32_t k = 0; k < n; k++) {
        n_above += level->p[k] > threshold;
    }
    /* raise it to the next probability there is, while there are too many */
    while (most > 0 && n_above > most) {
        double next = (double)INFINITY;
        int32_t n_next = 0;
        for (int32_t k = 0; k < n; k++) {
            next = level->p[k] > threshold && level->p[k] < next ? level->p[k] : next;
        }
        for (int32_t k = 0; k < n; k++) {
            n_next += level->p[k] == next;
        }
        n_above -= n_next;
        *tied = n_above < most ? most - n_above : 0;
        threshold = next;
    }
    return threshold;
}

static double value_of(sonde__closed *closed, sonde__support belief, int32_t depth);

/* What follows an action: the values of the states that are looked at. */
static double look_on(sonde__closed *closed, sonde__support belief, int32_t action, int32_t depth) {
    const sonde__joint *world = &closed->world;
    const sonde_search_settings *settings = &closed->settings;
    const sonde__level *level = &closed->level[depth];
    sonde__prospect *o = &closed->web.outlook;
    sonde__prospect_predict(world, belief, action, sonde__joint_row(world, depth), o);
    const int32_t n = o->n;
    memcpy(level->state, o->state, (size_t)n * sizeof *level->state);
    memcpy(level->p, o->p, (size_t)n * sizeof *level->p);
    int32_t tied = 0;
    const double threshold =
        find_threshold(level, n, settings->prune_outcome, settings->max_branching, &tied);
    double sum = 0.0;
    for (int32_t i = 0; i < n && !sonde__stopped(&closed->run); i++) {
        const bool kept = level->p[i] > threshold || (level->p[i] == threshold && tied-- > 0);
        if (kept) {
            sum += level->p[i] * value_of(closed, take_in(world, level, n, i, action), depth + 1);
        }
    }
    return sum;
}

/* The shares of a level's actions, whatever E is. */
static void weigh(const sonde__closed *closed, const sonde__level *level) {
    double least = (double)INFINITY;
    for (int32_t u = 0; u < closed->world.n_action; u++) {
        least = level->even[u] > 0.0 && level->efe[u] < least ? level->efe[u] : least;
    }
    for (int32_t u = 0; u < closed->world.n_action; u++) {
        level->share[u] = level->even[u] > 0.0
                              ? sonde__exp(-closed->settings.gamma * (level->efe[u] - least))
                              : 0.0;
    }
}

static double value_of(sonde__closed *closed, sonde__support belief, int32_t depth) {
    const sonde__joint *world = &closed->world;
    const sonde__level *level = &closed->level[depth];
    const bool end = depth == world->horizon;
    const bool goes_on = depth + 1 < world->horizon || closed->ends;
    closed->web.n_expanded++;
    for (int32_t u = 0; u < world->n_action; u++) {
        level->even[u] =
            sonde__joint_allows(world, belief, u) ? 1.0 / (double)world->n_action : 0.0;
        if (!end && level->even[u] > 0.0) {
            sonde__prospect_predict(world, belief, u, sonde__joint_row(world, depth),
                                    &closed->web.outlook);
            closed->web.n_step++;
        }
        level->efe[u] = (end ? 0.0 : closed->web.outlook.efe) - habit(world, u);
    }
    weigh(closed, level);
    for (int32_t u = 0; !end && goes_on && u < world->n_action; u++) {
        /* the largest share is 1 */
        if (level->even[u] > 0.0 && level->share[u] > closed->settings.prune_action) {
            level->efe[u] += closed->web.discount * look_on(closed, belief, u, depth);
        } else {
            level->efe[u] = closed->settings.prune_penalty;
        }
    }
    return sonde__backup_value(&closed->web.backup, world->n_action, level->even, level->efe);
}

const char *sonde__spm_search(sonde__closed *closed) {
    const sonde__support belief = closed->root->belief;
    sonde__option *option = sonde__web_options(&closed->web, closed->root);
    closed->root->lower = closed->root->upper = value_of(closed, belief, 0);
    for (int32_t u = 0; u < closed->world.n_action; u++) {
        option[u].lower = option[u].upper = closed->level[0].efe[u];
    }
    closed->known = !sonde__stopped(&closed->run);
    return closed->known ? "complete" : "interrupted";
}

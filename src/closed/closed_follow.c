/* closed_follow.c: what a plan in closed loop comes to when it is followed.
 *
 * An episode goes from belief to belief: an action from the posterior of the belief, an outcome
 * from what is expected then. The mean of what the steps cost estimates the value that the search
 * has bounded, by other means than backups. */
#include "base/numbers.h"
#include "base/status.h"
#include "closed/closed_internal.h"

/* The probabilities of the actions of a node (U), with min of the best; returns what choosing so
 * costs by itself. */
static double choose(const sonde__closed *closed, const sonde__node *node, double *q) {
    const sonde__joint *world = &closed->world;
    const sonde__backing *backup = &closed->web.backup;
    const bool soft = backup->kind != SONDE_BACKUP_MIN;
    double least = (double)INFINITY;
    double sum = 0.0;
    for (int32_t u = 0; u < world->n_action; u++) {
        const double efe = 0.5 * (node->option[u].lower + node->option[u].upper);
        least = node->option[u].legal && efe < least ? efe : least;
    }
    for (int32_t u = 0; u < world->n_action; u++) {
        const sonde__option *option = &node->option[u];
        const double more = 0.5 * (option->lower + option->upper) - least;
        const double mass = soft ? world->prior[u] * sonde__exp(-backup->gamma * more)
                                 : (sum > 0.0 || more > 0.0 ? 0.0 : 1.0);
        q[u] = option->legal ? mass : 0.0;
        sum += q[u];
    }
    double apart = 0.0;
    for (int32_t u = 0; u < world->n_action; u++) {
        q[u] /= sum;
        apart += soft && q[u] > 0.0 ? q[u] * sonde__log(q[u] / world->prior[u]) : 0.0;
    }
    const bool counts = backup->kind == SONDE_BACKUP_FREE_ENERGY && backup->gamma > 0.0;
    return counts ? apart / backup->gamma : 0.0;
}

/* The place of a number in [0, 1) among n shares that sum to 1. */
static int32_t place_of(double x, int32_t n, const double *share) {
    int32_t at = -1;
    for (int32_t i = 0; i < n; i++) {
        at = share[i] > 0.0 && (at < 0 || x >= 0.0) ? i : at;
        x -= share[i];
    }
    return at;
}

/* What follows an action, drawn. */
static sonde__node *draw_child(const sonde__option *option, double x) {
    int32_t i = 0;
    while (i + 1 < option->n_branch && x >= option->branch[i].chance) {
        x -= option->branch[i].chance;
        i++;
    }
    return option->branch[i].child;
}

/* One episode: what it costs; and whether it left what the search had looked at. */
static double live(const sonde__closed *closed, uint64_t number, bool *left) {
    sonde__rng rng = sonde__rng_stream(closed->settings.seed, SONDE__FOR_FOLLOWING, number);
    double *q = closed->web.lower; /* nothing else uses it between two searches */
    double weight = 1.0;
    double sum = 0.0;
    const sonde__node *node = closed->root;
    while (node != NULL && node->option != NULL) {
        const double choice = choose(closed, node, q);
        const int32_t u = place_of(sonde__rng_uniform(&rng), closed->world.n_action, q);
        const sonde__option *option = &node->option[u];
        sum += weight * (choice + option->step);
        weight *= closed->web.discount;
        node = option->n_branch > 0 ? draw_child(option, sonde__rng_uniform(&rng)) : NULL;
    }
    *left = node != NULL;
    return node != NULL ? sum + weight * 0.5 * (node->lower + node->upper) : sum;
}

sonde_status sonde__closed_follow(sonde__closed *closed, int32_t n, sonde_followed *followed,
                                  sonde_error *error) {
    if (n < 2) {
        return sonde__fail(error, SONDE_BAD_ARGUMENT,
                           "follow: expected 2 episodes or more, found %d", n);
    }
    if (closed->infinite != NULL) {
        return sonde__fail(error, SONDE_BAD_ARGUMENT,
                           "follow: a plan without a horizon has no end; give it one");
    }
    if (!closed->way->certifies || closed->root == NULL || closed->root->option == NULL) {
        return sonde__fail(
            error, SONDE_BAD_ARGUMENT,
            "follow: search %s has made no plan that could be followed; choose auto, "
            "full or bounded, and a budget for a step or more",
            sonde_plan_search_name((int32_t)closed->settings.search));
    }
    double mean = 0.0;
    double squares = 0.0;
    int32_t n_left = 0;
    for (int32_t i = 0; i < n; i++) {
        bool left = false;
        const double x = live(closed, (uint64_t)i, &left);
        const double before = mean;
        mean += (x - mean) / ((double)i + 1.0);
        squares += (x - before) * (x - mean);
        n_left += left;
    }
    *followed = (sonde_followed){.n = n,
                                 .mean = mean,
                                 .error = sqrt(squares / ((double)n - 1.0) / (double)n),
                                 .lower = closed->box.value[0],
                                 .upper = closed->box.value[1],
                                 .left = (double)n_left / (double)n};
    return SONDE_OK;
}

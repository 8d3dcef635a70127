/* closed_search.c: which beliefs are looked at.
 *
 *     full      all that can be reached, one depth after the other
 *     bounded   from the root down to the leaf that keeps the root's actions apart from certainty:
 *               at each node to an action, then to the outcome whose belief is least certain for
 *               how likely it is
 *     auto      one depth after the other while there are few, and then as bounded
 *
 * A node is complete when no leaf can be reached from it, and an action is closed when it is, or
 * when nothing is left between its bounds. */
#include "base/clock.h"
#include "base/numbers.h"
#include "base/settings.h"
#include "base/status.h"
#include "closed/closed_internal.h"

/* a width, relative to 1 + |G|, below which an action is closed */
#define CLOSED_WIDTH 1e-11
/* beliefs that auto looks at one depth after the other, where no budget says otherwise */
#define LAYERS_MOST 2000

static bool is_closed(const sonde__option *option) {
    return !option->legal || option->complete ||
           option->upper - option->lower < CLOSED_WIDTH * (1.0 + fabs(option->lower));
}

/* Where the least of G can be: the action with the least lower bound that is not closed, unless
 * another is better for certain. */
static int32_t choose_least(const sonde__node *node, int32_t n) {
    double least = (double)INFINITY;
    int32_t best = -1;
    for (int32_t u = 0; u < n; u++) {
        const sonde__option *option = &node->option[u];
        least = option->legal && option->upper < least ? option->upper : least;
    }
    for (int32_t u = 0; u < n; u++) {
        const sonde__option *option = &node->option[u];
        if (!is_closed(option) && option->lower <= least &&
            (best < 0 || option->lower < node->option[best].lower)) {
            best = u;
        }
    }
    return best;
}

/* The action whose width counts most: times the largest share that it can have. */
static int32_t choose_widest(const sonde__closed *closed, const sonde__node *node) {
    const sonde__joint *world = &closed->world;
    const double gamma = closed->settings.gamma;
    double least = (double)INFINITY;
    double middle = 0.0;
    double most = 0.0;
    int32_t best = -1;
    for (int32_t u = 0; u < world->n_action; u++) {
        const sonde__option *option = &node->option[u];
        least = option->legal && option->lower < least ? option->lower : least;
    }
    for (int32_t u = 0; u < world->n_action; u++) {
        const sonde__option *option = &node->option[u];
        if (option->legal) {
            const double half = 0.5 * (option->lower + option->upper) - least;
            middle += world->prior[u] * sonde__exp(-gamma * half);
        }
    }
    for (int32_t u = 0; u < world->n_action; u++) {
        const sonde__option *option = &node->option[u];
        if (is_closed(option)) {
            continue;
        }
        const double mass = world->prior[u] * sonde__exp(-gamma * (option->lower - least));
        const double share = mass > 0.0 ? mass / (mass + middle) : 0.0;
        const double score = (option->upper - option->lower) * share;
        if (best < 0 || score > most) {
            best = u;
            most = score;
        }
    }
    return best;
}

/* The branch of an action whose belief is least certain for how likely it is. */
static sonde__node *choose_child(const sonde__option *option) {
    sonde__node *best = NULL;
    double most = 0.0;
    for (int32_t i = 0; i < option->n_branch; i++) {
        const sonde__branch *branch = &option->branch[i];
        const double width = branch->chance * (branch->child->upper - branch->child->lower);
        if (!branch->child->complete && (best == NULL || width > most)) {
            best = branch->child;
            most = width;
        }
    }
    return best;
}

/* The leaf to expand next, or NULL: there is none. Nodes that turn out to have nothing left are
 * told so on the way. */
static sonde__node *find_leaf(sonde__closed *closed) {
    sonde__node *node = closed->root;
    while (node->option != NULL) {
        const bool inner = node != closed->root && closed->web.backup.kind == SONDE_BACKUP_MIN;
        const int32_t u =
            inner ? choose_least(node, closed->world.n_action) : choose_widest(closed, node);
        sonde__node *child = u >= 0 ? choose_child(&node->option[u]) : NULL;
        if (child == NULL && node == closed->root) {
            return NULL;
        }
        if (child == NULL) {
            sonde__web_finish(&closed->web, node);
        }
        node = child != NULL ? child : closed->root;
    }
    return node;
}

/* ---------------------------------------------------------------------------------- stopping -- */

typedef struct {
    double began;
    uint64_t n_step; /* that may be scored; 0: any number */
} limits;

/* Why no more can be expanded, or NULL. */
static const char *why_stop(const sonde__closed *closed, const limits *limit) {
    const uint64_t next = closed->web.n_step + (uint64_t)closed->world.n_action;
    if (sonde__stopped(&closed->run)) {
        return "interrupted";
    }
    if (limit->n_step > 0 && next > limit->n_step) {
        return "budget";
    }
    if (!sonde__web_has_room(&closed->web)) {
        return "memory";
    }
    const double deadline = closed->settings.deadline;
    return deadline > 0.0 && sonde__seconds() - limit->began > deadline ? "deadline" : NULL;
}

/* Whether enough is known. */
static const char *why_enough(sonde__closed *closed) {
    const sonde_search_settings *settings = &closed->settings;
    sonde__box_settle(closed);
    if (settings->gap > 0.0 && closed->box.value[1] - closed->box.value[0] <= settings->gap) {
        return "gap";
    }
    return settings->epsilon > 0.0 && sonde__box_tv(closed, settings->epsilon) <= settings->epsilon
               ? "epsilon"
               : NULL;
}

/* ---------------------------------------------------------------------------------- searches -- */

/* Expands one depth after the other, as many beliefs as there may be; false: there are more. */
static bool expand_layers(sonde__closed *closed, const limits *limit, uint64_t most,
                          const char **stopped) {
    sonde__web *web = &closed->web;
    for (int32_t d = 0; d < closed->world.horizon; d++) {
        for (sonde__node *node = web->peer[d]; node != NULL; node = node->peer) {
            *stopped = why_stop(closed, limit);
            if (*stopped != NULL || web->n_expanded >= most || web->stuck != NULL) {
                return false;
            }
            if (node->option == NULL) {
                sonde__web_expand(web, node);
            }
        }
    }
    return true;
}

/* Values from the last depth to the first, where no bounds went before. */
static void sum_up(sonde__closed *closed) {
    for (int32_t d = closed->world.horizon - 1; d >= 0; d--) {
        for (sonde__node *node = closed->web.peer[d]; node != NULL; node = node->peer) {
            sonde__web_refresh(&closed->web, node);
        }
    }
}

static const char *search_bounded(sonde__closed *closed, const limits *limit) {
    for (;;) {
        const char *reason = why_enough(closed);
        sonde__node *leaf = reason == NULL ? find_leaf(closed) : NULL;
        if (reason != NULL || leaf == NULL) {
            return reason != NULL ? reason : "complete";
        }
        reason = why_stop(closed, limit);
        if (reason != NULL || closed->web.stuck != NULL) {
            return reason;
        }
        sonde__web_expand(&closed->web, leaf);
    }
}

const char *sonde__full_search(sonde__closed *closed) {
    const limits limit = {.began = closed->began};
    const char *stopped = NULL;
    closed->known = expand_layers(closed, &limit, UINT64_MAX, &stopped);
    if (!closed->known) {
        return stopped;
    }
    sum_up(closed);
    return "complete";
}

const char *sonde__bounded_search(sonde__closed *closed) {
    const limits limit = {.began = closed->began, .n_step = closed->settings.budget};
    return search_bounded(closed, &limit);
}

const char *sonde__auto_search(sonde__closed *closed) {
    const uint64_t budget = closed->settings.budget;
    const limits some = {.began = closed->began, .n_step = budget > 1 ? budget / 2 : budget};
    const char *stopped = NULL;
    if (expand_layers(closed, &some, LAYERS_MOST, &stopped)) {
        closed->used = sonde__search_with(SONDE__SCORES_ALL);
        return "complete";
    }
    closed->used = sonde__search_with(SONDE__CERTIFIES);
    return sonde__bounded_search(closed);
}

/* closed_again.c: a search that goes on from a belief which an earlier one has looked at.
 *
 * What can be reached from there is copied to another place of the same block: below the web, where
 * earlier ones have stood, or above it. Then either nothing else changes, because the horizon ends
 * when it did; or every node is some steps nearer, those at the end have something left to look at,
 * and all intervals are made anew from new bounds. What the steps lead to stays as it is. */
#include <string.h>

#include "base/numbers.h"
#include "closed/closed_internal.h"

/* places of the table of beliefs, at least */
#define PLACES_FIRST 1024
/* of the block, what has to be left for the search that follows */
#define LEFT 4

static uint64_t piece(uint64_t n, size_t size) {
    return (n * size + 15) / 16 * 16;
}

/* What a copy of a node takes; it loses its options where there is more to see after them. */
static uint64_t size_of(const sonde__web *web, const sonde__node *node, bool opens) {
    const uint64_t n = (uint64_t)node->belief.n;
    uint64_t bytes = piece(1, sizeof *node) + piece(n, sizeof(double)) + piece(n, sizeof(int32_t));
    if (node->option == NULL || opens) {
        return bytes;
    }
    bytes += piece((uint64_t)web->world->n_action, sizeof *node->option);
    for (int32_t u = 0; u < web->world->n_action; u++) {
        bytes += piece((uint64_t)node->option[u].n_branch, sizeof(sonde__branch));
    }
    return bytes;
}

/* Puts a node among those to copy, once. */
static void enter(sonde__web *web, sonde__node *node) {
    if (!node->waits) {
        node->waits = true;
        node->stale = web->stale[node->depth];
        web->stale[node->depth] = node;
    }
}

/* Lists by depth what can be reached; returns how many nodes that are, and the bytes they take. */
static uint64_t list_nodes(sonde__web *web, sonde__node *root, int32_t nearer, uint64_t *bytes) {
    const int32_t last = web->world->horizon - 1;
    uint64_t n = 0;
    *bytes = 0;
    enter(web, root);
    for (int32_t d = root->depth; d <= last; d++) {
        for (sonde__node *node = web->stale[d]; node != NULL; node = node->stale) {
            *bytes += size_of(web, node, nearer > 0 && d == last);
            n++;
            for (int32_t u = 0; node->option != NULL && u < web->world->n_action; u++) {
                for (int32_t i = 0; i < node->option[u].n_branch; i++) {
                    enter(web, node->option[u].branch[i].child);
                }
            }
        }
    }
    return n;
}

/* Chooses where the copy stands; false: there is no room. */
static bool find_place(sonde__web *web, uint64_t bytes) {
    if (bytes <= web->first) {
        web->first = web->used = 0;
        return true;
    }
    const uint64_t left = web->size - web->used;
    if (bytes > left || left - bytes < web->size / LEFT) {
        return false;
    }
    web->first = web->used;
    return true;
}

static void copy_options(sonde__web *web, sonde__node *node) {
    const int32_t n = web->world->n_action;
    sonde__option *option = sonde__web_take(web, (uint64_t)n, sizeof *option);
    memcpy(option, node->option, (size_t)n * sizeof *option);
    for (int32_t u = 0; u < n; u++) {
        const uint64_t n_branch = (uint64_t)option[u].n_branch;
        sonde__branch *branch = sonde__web_take(web, n_branch, sizeof *branch);
        if (n_branch > 0) {
            memcpy(branch, option[u].branch, (size_t)n_branch * sizeof *branch);
        }
        option[u].branch = branch;
    }
    node->option = option;
}

/* Copies a node, which afterwards knows its copy by `next`. */
static void copy_node(sonde__web *web, sonde__node *from, int32_t nearer) {
    const size_t n = (size_t)from->belief.n;
    sonde__node *node = sonde__web_take(web, 1, sizeof *node);
    double *p = sonde__web_take(web, n, sizeof *p);
    int32_t *state = sonde__web_take(web, n, sizeof *state);
    *node = *from;
    memcpy(p, from->belief.p, n * sizeof *p);
    memcpy(state, from->belief.state, n * sizeof *state);
    node->belief = (sonde__support){.n = from->belief.n, .state = state, .p = p};
    if (nearer > 0 && from->depth == web->world->horizon - 1) {
        node->option = NULL;
    }
    if (node->option != NULL) {
        copy_options(web, node);
        web->n_kept++;
    }
    node->depth -= nearer;
    node->hash = sonde__web_hash(node->depth, node->belief);
    node->parent = NULL;
    node->stale = NULL;
    node->waits = false;
    node->mark = -1;
    node->peer = web->peer[node->depth];
    web->peer[node->depth] = node;
    from->next = node;
}

/* Branches of copies lead from copies to copies. */
static void tie(const sonde__web *web, sonde__node *node) {
    for (int32_t u = 0; node->option != NULL && u < web->world->n_action; u++) {
        for (int32_t i = 0; i < node->option[u].n_branch; i++) {
            sonde__branch *branch = &node->option[u].branch[i];
            sonde__node *child = branch->child->next;
            branch->parent = node;
            branch->child = child;
            branch->next = child->parent;
            child->parent = branch;
        }
    }
}

static void copy(sonde__web *web, int32_t first, int32_t nearer) {
    const int32_t horizon = web->world->horizon;
    memset(web->peer, 0, (size_t)horizon * sizeof(sonde__node *));
    web->n_kept = 0;
    for (int32_t d = first; d < horizon; d++) {
        for (sonde__node *node = web->stale[d]; node != NULL; node = node->stale) {
            copy_node(web, node, nearer);
        }
    }
    for (int32_t d = 0; d < horizon; d++) {
        for (sonde__node *node = web->peer[d]; node != NULL; node = node->peer) {
            tie(web, node);
        }
        web->stale[d] = NULL;
    }
}

/* Enters all nodes into a table, where there is room for it. */
static void find_again(sonde__web *web) {
    memset(web->table, 0, (size_t)web->n_place * sizeof(sonde__node *));
    for (int32_t d = 0; d < web->world->horizon; d++) {
        for (sonde__node *node = web->peer[d]; node != NULL; node = node->peer) {
            sonde__node **place = &web->table[node->hash & (web->n_place - 1)];
            node->next = *place;
            *place = node;
        }
    }
}

/* Forgets what is known of the values of a node, but for what bounds say. */
static void renew(sonde__web *web, sonde__node *node) {
    const sonde__joint *world = web->world;
    double value[2] = {-(double)INFINITY, (double)INFINITY};
    (void)sonde__web_priors(web, node->belief, web->prior);
    for (int32_t u = 0; u < world->n_action; u++) {
        web->lower[u] = value[0];
        web->upper[u] = value[1];
    }
    if (web->bounds != NULL) {
        sonde__bounds_box(web->bounds, node->depth, node->belief, web->prior,
                          (double *[]){web->lower, web->upper}, value);
    }
    node->lower = value[0];
    node->upper = value[1];
    node->complete = false;
    for (int32_t u = 0; node->option != NULL && u < world->n_action; u++) {
        sonde__option *option = &node->option[u];
        option->lower = web->lower[u];
        option->upper = web->upper[u];
        option->stale = true;
        option->complete = false;
        if (option->legal && world->n_row > 1) {
            sonde__prospect_predict(world, node->belief, u, sonde__joint_row(world, node->depth),
                                    &web->outlook);
            option->step = web->outlook.efe;
            web->n_step++;
        }
    }
    if (node->option != NULL && web->bounds != NULL) {
        sonde__web_refresh(web, node);
    }
}

sonde__node *sonde__web_again(sonde__web *web, sonde__node *root, int32_t nearer) {
    uint64_t bytes = 0;
    const int32_t first = root->depth;
    const uint64_t n = list_nodes(web, root, nearer, &bytes);
    uint64_t n_place = PLACES_FIRST;
    while (n_place < n) {
        n_place *= 2;
    }
    if (!find_place(web, bytes + piece(n_place, sizeof(sonde__node *)))) {
        return NULL;
    }
    web->table = sonde__web_take(web, n_place, sizeof(sonde__node *));
    web->n_place = n_place;
    copy(web, first, nearer);
    find_again(web);
    web->n_node = n;
    web->n_expanded = web->n_kept;
    web->n_merged = web->n_step = 0;
    web->stuck = NULL;
    for (int32_t d = web->world->horizon - 1; nearer > 0 && d >= 0; d--) {
        for (sonde__node *node = web->peer[d]; node != NULL; node = node->peer) {
            renew(web, node);
        }
    }
    return web->peer[first - nearer];
}

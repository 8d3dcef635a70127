/* closed_web.c: beliefs, what can be done in each, and what can be seen then.
 *
 * A node is a belief after so many steps; two ways to the same belief after as many steps lead to
 * one node, so the web has few nodes where the tree of histories has millions. A node that nobody
 * has looked at more closely is a leaf, whose value lies between bounds. Expanding it scores every
 * action and makes a node of each belief that may follow; then its value, and that of all nodes
 * from which it can be reached, is made anew from the values below, one depth after the other. */
#include <string.h>

#include "base/numbers.h"
#include "closed/closed_internal.h"

/* beliefs this close, summed over states, are the same */
#define SAME 1e-12
/* what rounding can change an interval by when it is made anew, relative */
#define WIDENING 1e-13
/* probabilities are rounded to some multiple of no round number, to find beliefs again */
#define GRAIN 318309.88618379067
#define PLACES_FIRST 1024

void sonde__web_carve(sonde__arena *arena, sonde__web *web) {
    const sonde__joint *world = web->world;
    sonde__prospect_carve(arena, world, &web->outlook);
    web->stale = SONDE__TAKE(arena, sonde__node *, world->horizon);
    web->peer = SONDE__TAKE(arena, sonde__node *, world->horizon);
    web->lower = SONDE__TAKE(arena, double, world->n_action);
    web->upper = SONDE__TAKE(arena, double, world->n_action);
    web->prior = SONDE__TAKE(arena, double, world->n_action);
}

void *sonde__web_take(sonde__web *web, uint64_t n, size_t size) {
    const uint64_t bytes = (sonde__multiply(n, size) + 15) / 16 * 16;
    if (bytes > web->size - web->used) {
        return NULL;
    }
    void *piece = web->block + web->used;
    web->used += bytes;
    return piece;
}

uint64_t sonde__web_worst(const sonde__joint *world) {
    const uint64_t n_action = (uint64_t)world->n_action;
    const uint64_t n_tuple = (uint64_t)world->n_tuple;
    const uint64_t child = sizeof(sonde__node) + sizeof(sonde__branch) + 64;
    const uint64_t entries = sonde__multiply(world->n_branch, sizeof(int32_t) + sizeof(double));
    const uint64_t action = sonde__add(sonde__multiply(n_tuple, child), entries);
    return sonde__multiply(n_action, sonde__add(action, sizeof(sonde__option) + 64));
}

/* ------------------------------------------------------------------------------------- nodes -- */

uint64_t sonde__web_hash(int32_t depth, sonde__support belief) {
    uint64_t hash = UINT64_C(0x9e3779b97f4a7c15) * ((uint64_t)depth + 1);
    for (int32_t i = 0; i < belief.n; i++) {
        const uint64_t grains = (uint64_t)(belief.p[i] * GRAIN + 0.5);
        if (grains > 0) {
            hash ^= (uint64_t)belief.state[i] * UINT64_C(0xc2b2ae3d27d4eb4f) + grains;
            hash *= UINT64_C(0x9e3779b97f4a7c15);
            hash ^= hash >> 29;
        }
    }
    return hash;
}

/* The node of this belief, or NULL. */
static sonde__node *find_node(const sonde__web *web, uint64_t hash, int32_t depth,
                              sonde__support belief) {
    const double same = web->world->factorised ? 0.0 : SAME; /* what is not linear may amplify it */
    sonde__node *node = web->merges ? web->table[hash & (web->n_place - 1)] : NULL;
    while (node != NULL && (node->hash != hash || node->depth != depth ||
                            sonde__support_distance(node->belief, belief) > same)) {
        node = node->next;
    }
    return node;
}

/* A larger table of places, where there is room for one. */
static void spread(sonde__web *web) {
    const uint64_t n_place = 2 * web->n_place;
    sonde__node **table = web->size - web->used > web->worst + n_place * sizeof(sonde__node *)
                              ? sonde__web_take(web, n_place, sizeof(sonde__node *))
                              : NULL;
    if (table == NULL) {
        return;
    }
    memset(table, 0, (size_t)n_place * sizeof(sonde__node *));
    for (uint64_t i = 0; i < web->n_place; i++) {
        for (sonde__node *node = web->table[i]; node != NULL;) {
            sonde__node *next = node->next;
            sonde__node **place = &table[node->hash & (n_place - 1)];
            node->next = *place;
            *place = node;
            node = next;
        }
    }
    web->table = table;
    web->n_place = n_place;
}

bool sonde__web_priors(const sonde__web *web, sonde__support belief, double *prior) {
    bool any = false;
    for (int32_t u = 0; u < web->world->n_action; u++) {
        const bool legal = web->world->prior[u] > 0.0 && sonde__joint_allows(web->world, belief, u);
        prior[u] = legal ? web->world->prior[u] : 0.0;
        any = any || legal;
    }
    return any;
}

static sonde__node *add_node(sonde__web *web, uint64_t hash, int32_t depth, sonde__support belief) {
    sonde__node *node = sonde__web_take(web, 1, sizeof *node);
    double *p = node != NULL ? sonde__web_take(web, (uint64_t)belief.n, sizeof *p) : NULL;
    int32_t *state = p != NULL ? sonde__web_take(web, (uint64_t)belief.n, sizeof *state) : NULL;
    if (state == NULL) {
        return NULL;
    }
    memcpy(p, belief.p, (size_t)belief.n * sizeof *p);
    memcpy(state, belief.state, (size_t)belief.n * sizeof *state);
    sonde__node **place = &web->table[hash & (web->n_place - 1)];
    *node = (sonde__node){.next = *place,
                          .hash = hash,
                          .depth = depth,
                          .mark = -1,
                          .peer = web->peer[depth],
                          .lower = -(double)INFINITY,
                          .upper = (double)INFINITY,
                          .belief = {.n = belief.n, .state = state, .p = p}};
    *place = node;
    web->peer[depth] = node;
    web->n_node++;
    if (!sonde__web_priors(web, node->belief, web->prior)) {
        web->stuck = node;
    } else if (web->bounds != NULL) {
        double value[2];
        sonde__bounds_box(web->bounds, depth, node->belief, web->prior,
                          (double *[]){web->lower, web->upper}, value);
        node->lower = value[0];
        node->upper = value[1];
    }
    return node;
}

sonde__node *sonde__web_root(sonde__web *web, sonde__support belief, int32_t depth) {
    web->first = web->used = 0;
    web->n_node = web->n_expanded = web->n_kept = web->n_merged = web->n_step = 0;
    web->stuck = NULL;
    web->worst = sonde__web_worst(web->world);
    web->n_place = PLACES_FIRST;
    web->table = sonde__web_take(web, web->n_place, sizeof(sonde__node *));
    if (web->table == NULL) {
        return NULL;
    }
    memset(web->table, 0, (size_t)web->n_place * sizeof(sonde__node *));
    memset(web->stale, 0, (size_t)web->world->horizon * sizeof(sonde__node *));
    memset(web->peer, 0, (size_t)web->world->horizon * sizeof(sonde__node *));
    return add_node(web, sonde__web_hash(depth, belief), depth, belief);
}

/* --------------------------------------------------------------------------------- intervals -- */

/* [a, b] within [lower, upper]; where they do not meet, what lies between them. */
static void intersect(double a, double b, double *lower, double *upper) {
    const double l = a > *lower ? a : *lower;
    const double h = b < *upper ? b : *upper;
    const double crossing = l > h ? l - h : 0.0;
    *lower = crossing > 0.0 ? 0.5 * (l + h) - crossing : l;
    *upper = crossing > 0.0 ? 0.5 * (l + h) + crossing : h;
}

static void refresh_option(const sonde__web *web, sonde__option *option) {
    double lower = 0.0;
    double upper = 0.0;
    option->complete = true;
    option->stale = false;
    for (int32_t i = 0; i < option->n_branch; i++) {
        const sonde__branch *branch = &option->branch[i];
        lower += branch->chance * branch->child->lower;
        upper += branch->chance * branch->child->upper;
        option->complete = option->complete && branch->child->complete;
    }
    lower = option->step + web->discount * lower;
    upper = option->step + web->discount * upper;
    intersect(lower - WIDENING * (1.0 + fabs(lower)), upper + WIDENING * (1.0 + fabs(upper)),
              &option->lower, &option->upper);
}

void sonde__web_refresh(sonde__web *web, sonde__node *node) {
    const int32_t n = web->world->n_action;
    bool complete = true;
    for (int32_t u = 0; u < n; u++) {
        sonde__option *option = &node->option[u];
        if (option->legal && option->stale) {
            refresh_option(web, option);
        }
        web->prior[u] = option->legal ? web->world->prior[u] : 0.0;
        web->lower[u] = option->lower;
        web->upper[u] = option->upper;
        complete = complete && (!option->legal || option->complete);
    }
    double value[2];
    sonde__backup_range(&web->backup, n, web->prior, web->lower, web->upper, value);
    intersect(value[0] - WIDENING * (1.0 + fabs(value[0])),
              value[1] + WIDENING * (1.0 + fabs(value[1])), &node->lower, &node->upper);
    node->complete = node->complete || complete;
}

/* Tells the parents of a node that it has changed. */
static void tell_parents(sonde__web *web, const sonde__node *node) {
    for (sonde__branch *branch = node->parent; branch != NULL; branch = branch->next) {
        sonde__node *parent = branch->parent;
        parent->option[branch->action].stale = true;
        if (!parent->waits) {
            parent->waits = true;
            parent->stale = web->stale[parent->depth];
            web->stale[parent->depth] = parent;
        }
    }
}

/* Makes everything anew that depends on a node. */
static void climb(sonde__web *web, sonde__node *from) {
    tell_parents(web, from);
    for (int32_t depth = from->depth - 1; depth >= 0; depth--) {
        while (web->stale[depth] != NULL) {
            sonde__node *node = web->stale[depth];
            const sonde__node before = *node;
            web->stale[depth] = node->stale;
            node->waits = false;
            sonde__web_refresh(web, node);
            if (node->lower != before.lower || node->upper != before.upper ||
                node->complete != before.complete) {
                tell_parents(web, node);
            }
        }
    }
}

void sonde__web_finish(sonde__web *web, sonde__node *node) {
    node->complete = true;
    climb(web, node);
}

/* --------------------------------------------------------------------------------- expanding -- */

void sonde__web_branch(sonde__web *web, sonde__node *node, int32_t action) {
    sonde__option *option = &node->option[action];
    const sonde__prospect *o = &web->outlook;
    option->branch = sonde__web_take(web, (uint64_t)o->n_tuple, sizeof *option->branch);
    for (int32_t i = 0; i < o->n_tuple; i++) {
        const sonde__support after = sonde__prospect_after(o, i);
        const uint64_t hash = sonde__web_hash(node->depth + 1, after);
        sonde__node *child = find_node(web, hash, node->depth + 1, after);
        web->n_merged += child != NULL;
        child = child != NULL ? child : add_node(web, hash, node->depth + 1, after);
        sonde__branch *branch = &option->branch[option->n_branch++];
        *branch = (sonde__branch){.chance = o->chance[o->tuple[i]],
                                  .parent = node,
                                  .child = child,
                                  .next = child->parent,
                                  .action = action,
                                  .tuple = o->tuple[i]};
        child->parent = branch;
    }
}

sonde__option *sonde__web_options(sonde__web *web, sonde__node *node) {
    const int32_t n = web->world->n_action;
    sonde__option *option = sonde__web_take(web, (uint64_t)n, sizeof *option);
    (void)sonde__web_priors(web, node->belief, web->prior);
    for (int32_t u = 0; u < n; u++) {
        option[u] = (sonde__option){.legal = web->prior[u] > 0.0,
                                    .stale = true,
                                    .lower = -(double)INFINITY,
                                    .upper = (double)INFINITY};
    }
    node->option = option;
    return option;
}

void sonde__web_expand(sonde__web *web, sonde__node *node) {
    const sonde__joint *world = web->world;
    const int32_t n = world->n_action;
    sonde__option *option = sonde__web_options(web, node);
    if (web->bounds != NULL) {
        double value[2];
        sonde__bounds_box(web->bounds, node->depth, node->belief, web->prior,
                          (double *[]){web->lower, web->upper}, value);
        for (int32_t u = 0; u < n; u++) {
            option[u].lower = web->lower[u];
            option[u].upper = web->upper[u];
        }
    }
    for (int32_t u = 0; u < n; u++) {
        if (!option[u].legal) {
            continue;
        }
        sonde__prospect_predict(world, node->belief, u, sonde__joint_row(world, node->depth),
                                &web->outlook);
        option[u].step = web->outlook.efe;
        web->n_step++;
        if (node->depth + 1 < world->horizon) {
            sonde__prospect_divide(world, u, &web->outlook);
            sonde__web_branch(web, node, u);
        }
    }
    web->n_expanded++;
    if (web->n_node > 2 * web->n_place) {
        spread(web);
    }
    if (web->bounds != NULL) {
        sonde__web_refresh(web, node);
        climb(web, node);
    }
}

/* infinite_blocks.c: blocks of states, one of which always holds everything that is believed.
 *
 * Where the agent begins, and how it moves, often leaves no doubt about part of the state: a rover
 * knows its place, though not what the rocks are like. A block is a set of states such that whoever
 * believes to be within it believes, after any action and outcome, to be within one block again.
 * The finest blocks are found by joining: first the states of the initial belief, then whatever can
 * follow a block after the same action and outcome, until nothing changes. */
#include <string.h>

#include "closed/infinite.h"

static int32_t find(int32_t *parent, int32_t s) {
    while (parent[s] != s) {
        parent[s] = parent[parent[s]];
        s = parent[s];
    }
    return s;
}

/* Joins two; true if they were apart. The smaller number stays the root. */
static bool join(int32_t *parent, int32_t a, int32_t b) {
    a = find(parent, a);
    b = find(parent, b);
    if (a == b) {
        return false;
    }
    parent[a > b ? a : b] = a < b ? a : b;
    return true;
}

/* Lists the states block by block, each in ascending order. */
static void list_blocks(sonde__infinite *all) {
    const int32_t n = all->world->n_state;
    all->n_block = 0;
    for (int32_t s = 0; s < n; s++) {
        const int32_t root = find(all->parent, s);
        all->block_of[s] = root == s ? all->n_block++ : all->block_of[root];
        if (root == s) {
            all->block[all->block_of[s]] = (sonde__patch){0};
        }
        all->block[all->block_of[s]].n++;
    }
    int64_t first = 0;
    for (int32_t i = 0; i < all->n_block; i++) {
        all->block[i].first = first;
        first += all->block[i].n;
        all->block[i].n = 0;
    }
    for (int32_t s = 0; s < n; s++) {
        sonde__patch *block = &all->block[all->block_of[s]];
        all->at[s] = block->first + block->n++;
        all->member[all->at[s]] = s;
    }
}

/* Blocks as rings, each state with the next of its block, and those that wait to be looked at: a
 * block waits once. */
typedef struct {
    int32_t *parent;
    int32_t *ring;  /* (S) */
    int32_t *queue; /* (S) */
    int32_t *waits; /* (S) whether a block does, at its root */
    int32_t n_state;
    int32_t first;
    int32_t n;
} closure;

static void wait_for(closure *c, int32_t root) {
    if (c->waits[root] == 0) {
        c->waits[root] = 1;
        c->queue[(c->first + (int64_t)c->n++) % c->n_state] = root;
    }
}

/* Joins two states' blocks, and their rings; what is new has to be looked at. */
static void join_rings(closure *c, int32_t a, int32_t b) {
    if (join(c->parent, a, b)) {
        const int32_t next = c->ring[a];
        c->ring[a] = c->ring[b];
        c->ring[b] = next;
        wait_for(c, find(c->parent, a));
    }
}

/* Joins what can follow a block after an action and the same outcomes. Whatever joins the block
 * itself meanwhile makes it wait again. */
static void join_after(sonde__infinite *all, closure *c, int32_t start, int32_t u) {
    const sonde__joint *world = all->world;
    int32_t n_touched = 0;
    int32_t s = start;
    do {
        const int64_t from = (int64_t)s * world->n_action + u;
        for (int64_t k = world->offset[from]; k < world->offset[from + 1]; k++) {
            const int64_t at = sonde__joint_at(world, world->next[k], u);
            for (int64_t e = world->sees[at]; e < world->sees[at + 1]; e++) {
                int32_t *first = &all->first_with[world->seen[e]];
                if (*first < 0) {
                    *first = world->next[k];
                    all->touched[n_touched++] = world->seen[e];
                } else if (*first != world->next[k]) {
                    join_rings(c, *first, world->next[k]);
                }
            }
        }
        s = c->ring[s];
    } while (s != start);
    for (int32_t i = 0; i < n_touched; i++) {
        all->first_with[all->touched[i]] = -1;
    }
}

void sonde__blocks_join(sonde__infinite *all, int32_t a, int32_t b) {
    (void)join(all->parent, a, b);
}

void sonde__blocks_find(sonde__infinite *all, sonde__support root) {
    const sonde__joint *world = all->world;
    closure c = {.parent = all->parent,
                 .ring = all->places,
                 .queue = all->state,
                 .waits = all->block_of,
                 .n_state = world->n_state};
    memset(all->first_with, 0xff, (size_t)world->n_tuple * sizeof *all->first_with);
    for (int32_t i = 1; i < root.n; i++) {
        (void)join(all->parent, root.state[0], root.state[i]);
    }
    for (int32_t s = 0; s < world->n_state; s++) {
        const int32_t to = find(all->parent, s);
        c.ring[s] = s;
        c.waits[s] = 0;
        if (to != s) { /* the root comes first */
            c.ring[s] = c.ring[to];
            c.ring[to] = s;
        }
    }
    for (int32_t s = 0; s < world->n_state; s++) {
        if (find(all->parent, s) == s) {
            wait_for(&c, s);
        }
    }
    while (c.n > 0) {
        const int32_t next = c.queue[c.first];
        c.first = (c.first + 1) % c.n_state;
        c.n--;
        c.waits[next] = 0;
        for (int32_t u = 0; find(c.parent, next) == next && u < world->n_action; u++) {
            join_after(all, &c, next, u);
        }
    }
    list_blocks(all);
}

bool sonde__blocks_hold(const sonde__infinite *all, sonde__support belief) {
    for (int32_t i = 1; i < belief.n; i++) {
        if (all->block_of[belief.state[i]] != all->block_of[belief.state[0]]) {
            return false;
        }
    }
    return true;
}

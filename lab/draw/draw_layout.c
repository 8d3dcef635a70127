/* draw_layout.c: where the nodes of a graph go on paper.
 *
 * Stress: nodes that are d links apart should be about d apart on paper. The sum of
 * (|x_i - x_j| - d_ij)^2 / d_ij^2 is made smaller by moving one node at a time to the weighted mean
 * of where the others want it (majorisation: the sum never rises). Then nodes are pushed off the
 * links that pass too near. Stress has many local minima, so small graphs are laid out from a
 * circle and from several random beginnings, and the picture with the fewest crossings wins.
 *
 * Cost: n^2 a round up to 200 nodes; beyond, distances are kept to 32 pivots and to the neighbours
 * only, which is n. Nothing but +, -, *, / and square roots follows the circle's rounded sines, so
 * that the picture is the same on every machine. */
#include <math.h>

#include "base/memory.h"
#include "base/rng.h"
#include "draw/draw_internal.h"

#define FULL_MAX 200 /* nodes up to which every distance counts */
#define PIVOT_MAX 32
#define CLEARANCE 0.30 /* between a node and a link that is not its own */
#define APART 0.62     /* between two nodes */

typedef struct {
    const sonde__links *links;
    int32_t n_pivot;
    int32_t *pivot;      /* (n_pivot) nodes to which distances are kept */
    int32_t *hops;       /* (n_pivot, n_node) links between; -1 while not known */
    int32_t *queue;      /* (n_node) */
    sonde__point *place; /* (n_node) the layout at work */
} layout;

static void carve(sonde__arena *arena, layout *work) {
    const int32_t n = work->links->n_node;
    work->pivot = SONDE__TAKE(arena, int32_t, work->n_pivot);
    work->hops = SONDE__TAKE(arena, int32_t, sonde__multiply((uint64_t)work->n_pivot, (uint64_t)n));
    work->queue = SONDE__TAKE(arena, int32_t, n);
    work->place = SONDE__TAKE(arena, sonde__point, n);
}

static double length(sonde__point a, sonde__point b) {
    return sqrt((a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y));
}

/* -------------------------------------------------------------------------------- distances -- */

/* Breadth first from one node, either way along edges. What cannot be reached lies a little
 * farther off than the farthest that can. */
static void count_hops(const layout *work, int32_t from, int32_t *hops) {
    const sonde__links *links = work->links;
    for (int32_t v = 0; v < links->n_node; v++) {
        hops[v] = -1;
    }
    int32_t n_seen = 1;
    work->queue[0] = from;
    hops[from] = 0;
    for (int32_t i = 0; i < n_seen; i++) {
        const int32_t v = work->queue[i];
        for (int32_t j = links->first[v]; j < links->first[v + 1]; j++) {
            const int32_t w = links->neighbour[j];
            if (hops[w] < 0) {
                hops[w] = hops[v] + 1;
                work->queue[n_seen++] = w;
            }
        }
    }
    const int32_t beyond = hops[work->queue[n_seen - 1]] + 2;
    for (int32_t v = 0; v < links->n_node; v++) {
        hops[v] = hops[v] < 0 ? beyond : hops[v];
    }
}

/* Each pivot is the node farthest from all earlier ones; with as many pivots as nodes, all. */
static void choose_pivots(layout *work) {
    const int32_t n = work->links->n_node;
    for (int32_t p = 0; p < work->n_pivot; p++) {
        int32_t farthest = 0;
        int32_t most = -1;
        for (int32_t v = 0; v < n; v++) {
            int32_t least = INT32_MAX;
            for (int32_t q = 0; q < p; q++) {
                const int32_t hops = work->hops[(size_t)q * (size_t)n + (size_t)v];
                least = hops < least ? hops : least;
            }
            if (least > most) {
                most = least;
                farthest = v;
            }
        }
        work->pivot[p] = farthest;
        count_hops(work, farthest, work->hops + (size_t)p * (size_t)n);
    }
}

/* ----------------------------------------------------------------------------------- stress -- */

/* What one node hears from another: the place it is wanted at, and how much that matters. */
typedef struct {
    sonde__point sum;
    double weight;
} wish;

static void add_wish(wish *all, sonde__point own, sonde__point other, double distance) {
    const double weight = 1.0 / (distance * distance);
    const double apart = length(own, other);
    const double stretch = apart > 1e-9 ? distance / apart : 0.0;
    all->sum.x += weight * (other.x + (own.x - other.x) * stretch);
    all->sum.y += weight * (other.y + (own.y - other.y) * stretch);
    all->weight += weight;
}

/* Moves every node once, to the mean of what the others wish. */
static void lower_stress(layout *work) {
    const sonde__links *links = work->links;
    const int32_t n = links->n_node;
    for (int32_t v = 0; v < n; v++) {
        const sonde__point own = work->place[v];
        wish all = {{0.0, 0.0}, 0.0};
        for (int32_t p = 0; p < work->n_pivot; p++) {
            if (work->pivot[p] != v) {
                const int32_t hops = work->hops[(size_t)p * (size_t)n + (size_t)v];
                add_wish(&all, own, work->place[work->pivot[p]], (double)hops);
            }
        }
        for (int32_t j = links->first[v]; work->n_pivot < n && j < links->first[v + 1]; j++) {
            add_wish(&all, own, work->place[links->neighbour[j]], 1.0);
        }
        if (all.weight > 0.0) {
            work->place[v] = (sonde__point){all.sum.x / all.weight, all.sum.y / all.weight};
        }
    }
}

/* The mean squared relative error of the distances that are kept. */
static double stress(const layout *work) {
    const int32_t n = work->links->n_node;
    double sum = 0.0;
    for (int32_t p = 0; p < work->n_pivot; p++) {
        for (int32_t v = 0; v < n; v++) {
            if (v != work->pivot[p]) {
                const double hops = work->hops[(size_t)p * (size_t)n + (size_t)v];
                const double error = length(work->place[work->pivot[p]], work->place[v]) / hops - 1;
                sum += error * error;
            }
        }
    }
    return sum / ((double)work->n_pivot * (double)n);
}

/* ------------------------------------------------------------------------------- legibility -- */

/* The point of a link nearest to `at`, as a share of the way from a to b. */
static double nearest_share(sonde__point a, sonde__point b, sonde__point at) {
    const double dx = b.x - a.x;
    const double dy = b.y - a.y;
    const double square = dx * dx + dy * dy;
    const double share = square > 0.0 ? ((at.x - a.x) * dx + (at.y - a.y) * dy) / square : 0.0;
    return share < 0.0 ? 0.0 : share > 1.0 ? 1.0 : share;
}

/* A quick no for most: whether a point is in the link's rectangle or within the clearance of it. */
static bool is_near(sonde__point a, sonde__point b, sonde__point at) {
    return !((at.x < a.x - CLEARANCE && at.x < b.x - CLEARANCE) ||
             (at.x > a.x + CLEARANCE && at.x > b.x + CLEARANCE) ||
             (at.y < a.y - CLEARANCE && at.y < b.y - CLEARANCE) ||
             (at.y > a.y + CLEARANCE && at.y > b.y + CLEARANCE));
}

/* Moves a node away from a point that it is nearer to than it should, by half of what lacks. */
static sonde__point push(sonde__point *node, sonde__point from, double wanted, double turn) {
    const double apart = length(*node, from);
    if (apart >= wanted) {
        return (sonde__point){0.0, 0.0};
    }
    const double share = 0.5 * (wanted - apart);
    sonde__point move = {share * turn, share};
    if (apart > 1e-9) {
        move =
            (sonde__point){(node->x - from.x) / apart * share, (node->y - from.y) / apart * share};
    }
    node->x += move.x;
    node->y += move.y;
    return move;
}

/* Pushes nodes off links and off each other. */
static void make_room(layout *work) {
    const sonde__links *links = work->links;
    sonde__point *place = work->place;
    for (int32_t l = 0; l < links->n_link; l++) {
        sonde__point *a = &place[links->link[l].node[0]];
        sonde__point *b = &place[links->link[l].node[1]];
        for (int32_t v = 0; v < links->n_node; v++) {
            if (&place[v] == a || &place[v] == b || !is_near(*a, *b, place[v])) {
                continue;
            }
            const double t = nearest_share(*a, *b, place[v]);
            const sonde__point on = {a->x + t * (b->x - a->x), a->y + t * (b->y - a->y)};
            const sonde__point move = push(&place[v], on, CLEARANCE, 0.5);
            *a = (sonde__point){a->x - move.x * (1.0 - t), a->y - move.y * (1.0 - t)};
            *b = (sonde__point){b->x - move.x * t, b->y - move.y * t};
        }
    }
    for (int32_t v = 0; v < links->n_node; v++) {
        for (int32_t w = v + 1; w < links->n_node; w++) {
            const sonde__point move = push(&place[v], place[w], APART, 0.5);
            place[w] = (sonde__point){place[w].x - move.x, place[w].y - move.y};
        }
    }
}

/* Twice the signed area of a triangle: on which side of a -> b the point c lies. */
static double side(sonde__point a, sonde__point b, sonde__point c) {
    return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

static bool cross(const layout *work, const sonde__link *one, const sonde__link *two) {
    const sonde__point a = work->place[one->node[0]];
    const sonde__point b = work->place[one->node[1]];
    const sonde__point c = work->place[two->node[0]];
    const sonde__point d = work->place[two->node[1]];
    return side(a, b, c) * side(a, b, d) < 0.0 && side(c, d, a) * side(c, d, b) < 0.0;
}

/* How hard the picture is to read: crossings, nodes on links, and distances that mislead. */
static double confusion(const layout *work) {
    const sonde__links *links = work->links;
    double sum = 20.0 * stress(work);
    for (int32_t l = 0; l < links->n_link; l++) {
        const sonde__link *link = &links->link[l];
        for (int32_t m = 0; m < l; m++) {
            sum += cross(work, link, &links->link[m]) ? 1.0 : 0.0;
        }
        const sonde__point a = work->place[link->node[0]];
        const sonde__point b = work->place[link->node[1]];
        for (int32_t v = 0; v < links->n_node; v++) {
            if (v != link->node[0] && v != link->node[1] && is_near(a, b, work->place[v])) {
                const double t = nearest_share(a, b, work->place[v]);
                const sonde__point on = {a.x + t * (b.x - a.x), a.y + t * (b.y - a.y)};
                const double lack = 1.0 - length(on, work->place[v]) / CLEARANCE;
                sum += lack > 0.1 ? 4.0 * lack : 0.0;
            }
        }
    }
    return sum;
}

/* ----------------------------------------------------------------------------------- layout -- */

/* The first beginning is a circle, the others are random. */
static void begin(layout *work, uint64_t beginning) {
    const int32_t n = work->links->n_node;
    sonde__rng rng = sonde__rng_stream(0, SONDE__FOR_LAYOUT, beginning);
    for (int32_t v = 0; v < n; v++) {
        const double angle = 6.283185307179586 * (double)v / (double)n;
        const double size = 0.5 * sqrt((double)n);
        const double x = beginning == 0 ? cos(angle) : 2.0 * sonde__rng_uniform(&rng) - 1.0;
        const double y = beginning == 0 ? sin(angle) : 2.0 * sonde__rng_uniform(&rng) - 1.0;
        /* rounded, so that no library's last digit of a sine decides which way a node goes */
        work->place[v].x = size * floor(x * 1048576.0 + 0.5) / 1048576.0;
        work->place[v].y = size * floor(y * 1048576.0 + 0.5) / 1048576.0;
    }
}

static void improve(layout *work) {
    const bool small = work->links->n_node <= FULL_MAX;
    const int n_round = work->links->n_node <= 64 ? 240 : 100;
    for (int round = 0; round < n_round; round++) {
        lower_stress(work);
    }
    /* a balance between true distances and room, then room alone */
    for (int round = 0; small && round < 40; round++) {
        lower_stress(work);
        for (int i = 0; i < 4; i++) {
            make_room(work);
        }
    }
    for (int round = 0; small && round < 30; round++) {
        make_room(work);
    }
}

/* Centres the layout and turns its longer axis to lie flat. */
static void straighten(sonde__point *place, int32_t n) {
    sonde__point mean = {0.0, 0.0};
    for (int32_t v = 0; v < n; v++) {
        mean.x += place[v].x / (double)n;
        mean.y += place[v].y / (double)n;
    }
    double xx = 0.0;
    double xy = 0.0;
    double yy = 0.0;
    for (int32_t v = 0; v < n; v++) {
        place[v] = (sonde__point){place[v].x - mean.x, place[v].y - mean.y};
        xx += place[v].x * place[v].x;
        xy += place[v].x * place[v].y;
        yy += place[v].y * place[v].y;
    }
    /* the main axis of the 2 x 2 covariance: its larger eigenvalue, and a vector to it */
    const double half = 0.5 * (xx - yy);
    const double root = sqrt(half * half + xy * xy);
    const sonde__point axis =
        half >= 0.0 ? (sonde__point){half + root, xy} : (sonde__point){xy, root - half};
    const double norm = sqrt(axis.x * axis.x + axis.y * axis.y);
    if (norm < 1e-9) {
        return;
    }
    for (int32_t v = 0; v < n; v++) {
        const sonde__point old = place[v];
        place[v].x = (old.x * axis.x + old.y * axis.y) / norm;
        place[v].y = (old.y * axis.x - old.x * axis.y) / norm;
    }
}

sonde_status sonde__layout(const sonde__links *links, sonde__point *place) {
    const int32_t n = links->n_node;
    layout work = {.links = links, .n_pivot = n <= FULL_MAX ? n : PIVOT_MAX};
    sonde__arena arena = {0};
    carve(&arena, &work);
    if (!sonde__arena_reserve(&arena)) {
        return SONDE_NO_MEMORY;
    }
    carve(&arena, &work);
    choose_pivots(&work);

    const uint64_t n_beginning = n <= 12 ? 40 : n <= 30 ? 20 : n <= 64 ? 10 : n <= FULL_MAX ? 3 : 1;
    double least = INFINITY;
    for (uint64_t beginning = 0; beginning < n_beginning; beginning++) {
        begin(&work, beginning);
        improve(&work);
        const double found = n_beginning > 1 ? confusion(&work) : 0.0;
        if (found < least) {
            least = found;
            for (int32_t v = 0; v < n; v++) {
                place[v] = work.place[v];
            }
        }
    }
    straighten(place, n);
    sonde__arena_free(&arena);
    return SONDE_OK;
}

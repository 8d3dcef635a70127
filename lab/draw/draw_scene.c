/* draw_scene.c: everything in a picture of a world, and where it goes.
 *
 * Nodes come from the layout. An edge is a straight line between two nodes, unless some other node
 * is in the way or the way back weighs something else: then it bends. Words take, one after the
 * other, the least crowded of a few places each: a weight along its line, the numbers of steps
 * along the path, the words of a node round about it. What comes later makes way for what came
 * earlier, so the order of the calls in sonde__scene_set is the order of importance.
 *
 * Cost: (nodes + edges) times (words), which is why crowded pictures have no weights. */
#include <math.h>

#include "draw/draw_internal.h"

#define MANY_NODES 200  /* beyond: dots and lines */
#define WEIGHTED_MAX 64 /* nodes up to which weights are drawn */
#define CHARACTER 0.62  /* mean width of a character, in font sizes */
#define SAMPLE_COUNT 24 /* points at which a curve is looked at */

/* sizes that suit a number of nodes */
typedef struct {
    int32_t n_node; /* up to which */
    double radius;
    double font;
    double hop; /* of one link, at most */
    double width;
    double height;
} sizes;
static const sizes size_list[] = {{12, 17.0, 12.0, 135.0, 600.0, 440.0},
                                  {30, 14.0, 10.5, 120.0, 720.0, 560.0},
                                  {64, 11.0, 9.0, 110.0, 900.0, 720.0},
                                  {MANY_NODES, 9.0, 8.0, 80.0, 1100.0, 900.0},
                                  {INT32_MAX, 2.5, 10.0, 160.0, 1100.0, 900.0}};

static const sizes *sizes_for(int32_t n_node) {
    const sizes *found = size_list;
    while (found->n_node < n_node) {
        found++;
    }
    return found;
}

static void carve(sonde__arena *arena, sonde__scene *scene) {
    const uint64_t n_node = (uint64_t)scene->graph->n_node;
    const uint64_t n_edge = (uint64_t)scene->graph->n_edge;
    scene->links.link = SONDE__TAKE(arena, sonde__link, n_edge);
    scene->links.first = SONDE__TAKE(arena, int32_t, n_node + 1);
    scene->links.neighbour = SONDE__TAKE(arena, int32_t, 2 * n_edge);
    scene->node = SONDE__TAKE(arena, sonde__circle, n_node);
    scene->note = SONDE__TAKE(arena, sonde__box, n_node);
    scene->stays = SONDE__TAKE(arena, int32_t, n_node);
    scene->arc = SONDE__TAKE(arena, sonde__arc, n_edge);
    scene->arc_of = SONDE__TAKE(arena, int32_t, n_edge);
    scene->lane = SONDE__TAKE(arena, sonde__lane, n_edge);
    scene->lane_of = SONDE__TAKE(arena, int32_t, n_edge);
    scene->placed = SONDE__TAKE(arena, sonde__box, 2 * n_edge + n_node);
    scene->place = SONDE__TAKE(arena, sonde__point, n_node);
}

/* ------------------------------------------------------------------------------------ nodes -- */

/* Pairs of nodes that are joined, from the edge that is listed first. */
static void find_links(sonde__scene *scene) {
    sonde__links *links = &scene->links;
    links->n_node = scene->graph->n_node;
    for (int32_t e = 0; e < scene->graph->n_edge; e++) {
        const int32_t back =
            sonde_graph_edge(scene->graph, scene->graph->head[e], scene->graph->tail[e]);
        if (scene->graph->tail[e] == scene->graph->head[e] || (back >= 0 && back < e)) {
            continue;
        }
        links->link[links->n_link++] =
            (sonde__link){{scene->graph->tail[e], scene->graph->head[e]}, {e, back}};
    }
}

static void find_neighbours(sonde__links *links) {
    int32_t *first = links->first;
    for (int32_t l = 0; l < links->n_link; l++) {
        first[links->link[l].node[0]]++;
        first[links->link[l].node[1]]++;
    }
    /* sums, then filled from behind, which leaves each at its beginning */
    for (int32_t v = 0; v < links->n_node; v++) {
        first[v + 1] += first[v];
    }
    for (int32_t l = links->n_link - 1; l >= 0; l--) {
        const sonde__link *link = &links->link[l];
        links->neighbour[--first[link->node[0]]] = link->node[1];
        links->neighbour[--first[link->node[1]]] = link->node[0];
    }
}

static void widen(sonde__scene *scene, sonde__point at, double dx, double dy) {
    scene->low.x = fmin(scene->low.x, at.x - dx);
    scene->low.y = fmin(scene->low.y, at.y - dy);
    scene->high.x = fmax(scene->high.x, at.x + dx);
    scene->high.y = fmax(scene->high.y, at.y + dy);
}

/* From hops to the picture's units: as large as fits, the start to the left of the destination. */
static void place_nodes(sonde__scene *scene) {
    const sizes *size = sizes_for(scene->graph->n_node);
    double width = 0.0;
    double height = 0.0;
    for (int32_t v = 0; v < scene->graph->n_node; v++) {
        width = fmax(width, 2.0 * fabs(scene->place[v].x));
        height = fmax(height, 2.0 * fabs(scene->place[v].y));
    }
    const double wide = width > 0.0 ? size->width / width : size->hop;
    const double high = height > 0.0 ? size->height / height : size->hop;
    const double scale = fmin(size->hop, fmin(wide, high));
    const int32_t start = scene->graph->head[scene->graph->start];
    const bool mirror = scene->place[start].x > scene->place[scene->graph->destination].x;
    for (int32_t v = 0; v < scene->graph->n_node; v++) {
        const double ring = v == scene->graph->destination ? 4.5 : 0.0;
        const double dot = v == scene->graph->destination || v == start ? 3.0 : 0.0;
        scene->node[v].center.x = scene->place[v].x * (mirror ? -scale : scale);
        scene->node[v].center.y = scene->place[v].y * scale;
        scene->node[v].radius = size->radius + (scene->graph->n_node > MANY_NODES ? dot : ring);
        widen(scene, scene->node[v].center, scene->node[v].radius, scene->node[v].radius);
    }
}

/* ------------------------------------------------------------------------------------ lines -- */

/* How far a curve runs into nodes that are not its own. */
static double blocked(const sonde__scene *scene, const sonde__arc *arc, const sonde__curve *curve) {
    double sum = 0.0;
    for (int32_t v = 0; v < scene->graph->n_node; v++) {
        if (v == arc->tail || v == arc->head) {
            continue;
        }
        double nearest = INFINITY;
        for (int i = 1; i < SAMPLE_COUNT; i++) {
            const sonde__point at = sonde__curve_at(curve, (double)i / SAMPLE_COUNT);
            nearest = fmin(nearest, sonde__distance(at, scene->node[v].center));
        }
        sum += fmax(0.0, scene->node[v].radius + 5.0 - nearest);
    }
    return sum;
}

/* Tries a few bends and keeps the first that is least blocked. */
static void bend(const sonde__scene *scene, sonde__arc *arc, bool alone) {
    static const double free_bend[] = {0.0, 0.10, -0.10, 0.18, -0.18, 0.26, -0.26};
    static const double pair_bend[] = {0.11, 0.16, 0.07, 0.22, 0.28, 0.34, 0.40};
    const sonde__circle a = scene->node[arc->tail];
    const sonde__circle b = scene->node[arc->head];
    const double chord = sonde__distance(a.center, b.center);
    const int n_try = scene->graph->n_node > MANY_NODES ? 1 : 7;
    double least = INFINITY;
    for (int i = 0; i < n_try; i++) {
        const double share = alone ? free_bend[i] : pair_bend[i];
        const double most = alone ? chord : 240.0;
        const sonde__curve curve = sonde__curve_bent(a.center, b.center, share * fmin(chord, most));
        const double found = n_try > 1 ? blocked(scene, arc, &curve) : 0.0;
        if (found < least - 1e-6) {
            least = found;
            arc->curve = sonde__curve_between(&curve, a, b);
        }
    }
}

static void add_arc(sonde__scene *scene, int32_t edge, bool arrow, bool alone) {
    sonde__arc *arc = &scene->arc[scene->n_arc];
    *arc = (sonde__arc){.tail = scene->graph->tail[edge],
                        .head = scene->graph->head[edge],
                        .arrow = arrow,
                        .weight = scene->graph->weight[edge]};
    bend(scene, arc, alone);
    for (int i = 0; i <= SAMPLE_COUNT; i++) {
        widen(scene, sonde__curve_at(&arc->curve, (double)i / SAMPLE_COUNT), 1.0, 1.0);
    }
    scene->arc_of[edge] = scene->n_arc++;
}

/* One line where both directions weigh the same; an arrow for each direction otherwise. */
static void draw_lines(sonde__scene *scene) {
    const double *weight = scene->graph->weight;
    for (int32_t e = 0; e < scene->graph->n_edge; e++) {
        scene->arc_of[e] = -1;
    }
    for (int32_t l = 0; l < scene->links.n_link; l++) {
        const int32_t there = scene->links.link[l].edge[0];
        const int32_t back = scene->links.link[l].edge[1];
        const bool both = back >= 0;
        const bool same = both && !(weight[there] < weight[back] || weight[there] > weight[back]);
        add_arc(scene, there, !same, !both || same);
        if (same) {
            scene->arc_of[back] = scene->arc_of[there];
        } else if (both) {
            add_arc(scene, back, true, false);
        }
    }
}

/* The line of an edge, from its tail to its head. */
static sonde__curve line_of(const sonde__scene *scene, int32_t edge) {
    const sonde__arc *arc = &scene->arc[scene->arc_of[edge]];
    return arc->tail == scene->graph->tail[edge] ? arc->curve : sonde__curve_turned(&arc->curve);
}

/* Walks the path: lanes along edges, stays on nodes. A line walked both ways has two lanes. */
static void draw_path(sonde__scene *scene) {
    for (int32_t e = 0; e < scene->graph->n_edge; e++) {
        scene->lane_of[e] = -1;
    }
    for (int32_t i = 1; i < scene->n_path; i++) {
        const int32_t edge = sonde_graph_edge(scene->graph, scene->path[i - 1], scene->path[i]);
        if (scene->graph->tail[edge] == scene->graph->head[edge]) {
            scene->stays[scene->path[i]]++;
        } else if (scene->lane_of[edge] < 0) {
            scene->lane[scene->n_lane].edge = edge;
            scene->lane_of[edge] = scene->n_lane++;
        }
    }
    for (int32_t i = 0; i < scene->n_lane; i++) {
        sonde__lane *lane = &scene->lane[i];
        const int32_t back = sonde_graph_edge(scene->graph, scene->graph->head[lane->edge],
                                              scene->graph->tail[lane->edge]);
        const bool shared = back >= 0 && scene->lane_of[back] >= 0 &&
                            scene->arc_of[back] == scene->arc_of[lane->edge];
        const sonde__curve line = line_of(scene, lane->edge);
        lane->curve = sonde__curve_shifted(&line, shared ? 0.25 * scene->radius + 0.75 : 0.0);
        lane->width = (shared ? 0.35 : 0.5) * fmax(scene->radius, 7.0);
    }
}

/* ------------------------------------------------------------------------------------ words -- */

static bool covers(const sonde__box *box, sonde__point at, double margin) {
    return fabs(at.x - box->center.x) < box->half_width + margin &&
           fabs(at.y - box->center.y) < box->half_height + margin;
}

/* Whether a curve runs through a box, or close by. */
static bool crosses(const sonde__curve *curve, const sonde__box *box) {
    /* a curve stays among its three points */
    const sonde__point a = curve->a;
    const sonde__point b = curve->b;
    const sonde__point c = curve->control;
    if (fmin(fmin(a.x, b.x), c.x) > box->center.x + box->half_width + 1.5 ||
        fmax(fmax(a.x, b.x), c.x) < box->center.x - box->half_width - 1.5 ||
        fmin(fmin(a.y, b.y), c.y) > box->center.y + box->half_height + 1.5 ||
        fmax(fmax(a.y, b.y), c.y) < box->center.y - box->half_height - 1.5) {
        return false;
    }
    for (int i = 0; i <= SAMPLE_COUNT; i++) {
        if (covers(box, sonde__curve_at(curve, (double)i / SAMPLE_COUNT), 1.5)) {
            return true;
        }
    }
    return false;
}

static double overlap(const sonde__box *one, const sonde__box *two) {
    const double dx = one->half_width + two->half_width - fabs(one->center.x - two->center.x);
    const double dy = one->half_height + two->half_height - fabs(one->center.y - two->center.y);
    return dx > -1.0 && dy > -1.0 ? 1.0 : 0.0;
}

/* What words in a box would lie on: other words, nodes, and lines other than their own. */
static double crowding(const sonde__scene *scene, const sonde__box *box, int32_t own) {
    double sum = 0.0;
    for (int32_t i = 0; i < scene->n_placed; i++) {
        sum += 8.0 * overlap(box, &scene->placed[i]);
    }
    for (int32_t v = 0; v < scene->graph->n_node; v++) {
        const sonde__circle *node = &scene->node[v];
        const double dx = fmax(0.0, fabs(node->center.x - box->center.x) - box->half_width);
        const double dy = fmax(0.0, fabs(node->center.y - box->center.y) - box->half_height);
        sum += sqrt(dx * dx + dy * dy) < node->radius + 1.5 ? 8.0 : 0.0;
    }
    for (int32_t i = 0; i < scene->n_arc; i++) {
        sum += i != own && crosses(&scene->arc[i].curve, box) ? 2.0 : 0.0;
    }
    return sum;
}

/* The room that the words in the scratch text take; empties it. */
static sonde__box measure(sonde__scene *scene, double font) {
    sonde_text *text = &scene->scratch;
    const int32_t n = text->data != NULL && text->size > 0 ? sonde__words_count(text->data) : 0;
    text->size = 0;
    return (sonde__box){.half_width = 0.5 * CHARACTER * font * (double)n,
                        .half_height = n > 0 ? 0.58 * font : 0.0};
}

static void keep(sonde__scene *scene, const sonde__box *box) {
    scene->placed[scene->n_placed++] = *box;
    widen(scene, box->center, box->half_width, box->half_height);
}

/* Moves a box along a curve to where it is least crowded, near `wanted` if it can. */
static void put_along(sonde__scene *scene, const sonde__curve *curve, double wanted, int32_t own,
                      sonde__box *box) {
    double least = INFINITY;
    sonde__point best = {0.0, 0.0};
    for (int i = 0; i <= 24; i++) {
        const double t = 0.14 + 0.03 * i;
        box->center = sonde__curve_at(curve, t);
        const double found = crowding(scene, box, own) + 2.5 * fabs(t - wanted);
        if (found < least - 1e-9) {
            least = found;
            best = box->center;
        }
    }
    box->center = best;
    keep(scene, box);
}

static void put_weights(sonde__scene *scene) {
    for (int32_t i = 0; i < scene->n_arc; i++) {
        sonde__arc *arc = &scene->arc[i];
        sonde__words_weight(arc->weight, &scene->scratch);
        arc->label = measure(scene, scene->font);
        arc->label.half_width += 2.0;
        put_along(scene, &arc->curve, arc->arrow ? 0.45 : 0.5, i, &arc->label);
    }
}

static void put_steps(sonde__scene *scene) {
    for (int32_t i = 0; i < scene->n_lane; i++) {
        sonde__lane *lane = &scene->lane[i];
        sonde__say_steps(scene, lane->edge, &scene->scratch);
        lane->badge = measure(scene, 0.9 * scene->font);
        lane->badge.half_height = 0.68 * scene->font;
        lane->badge.half_width = fmax(lane->badge.half_width + 2.0, lane->badge.half_height);
        put_along(scene, &lane->curve, 0.3, scene->arc_of[lane->edge], &lane->badge);
    }
}

static double within(double x, double limit) {
    return x < -limit ? -limit : x > limit ? limit : x;
}

/* Puts the words of a node beside it, in the least crowded direction. */
static void put_beside(sonde__scene *scene, const sonde__circle *node, sonde__box *box) {
    /* below, above, right, left; then between */
    static const double dx[] = {0, 0, 1, -1, .7, -.7, .7, -.7, .4, -.4, .4, -.4, .9, -.9, .9, -.9};
    static const double dy[] = {1, -1, 0, 0, .7, .7, -.7, -.7, .9, .9, -.9, -.9, .4, .4, -.4, -.4};
    double least = INFINITY;
    sonde__point best = {0.0, 0.0};
    for (int i = 0; i < 48; i++) {
        const int ring = i / 16;
        const double gap = node->radius + 3.0 + 5.0 * (double)ring;
        const double ux = dx[i % 16];
        const double uy = dy[i % 16];
        /* the corner or side that faces the node touches its border */
        box->center.x = node->center.x + ux * gap + within(1.6 * ux, 1.0) * box->half_width;
        box->center.y = node->center.y + uy * gap + within(1.6 * uy, 1.0) * box->half_height;
        const double found = crowding(scene, box, -1) + 0.02 * i;
        if (found < least - 1e-9) {
            least = found;
            best = box->center;
        }
    }
    box->center = best;
    keep(scene, box);
}

static void put_notes(sonde__scene *scene) {
    for (int32_t v = 0; v < scene->graph->n_node; v++) {
        const bool special =
            v == scene->graph->destination || v == scene->graph->head[scene->graph->start];
        if (scene->graph->n_node > MANY_NODES && !special) {
            continue;
        }
        sonde__say_beside(scene, v, &scene->scratch);
        const sonde__box upper = measure(scene, scene->font);
        sonde__say_stays(scene, v, &scene->scratch);
        const sonde__box lower = measure(scene, scene->font);
        scene->note[v].half_width = fmax(upper.half_width, lower.half_width);
        scene->note[v].half_height = upper.half_height + lower.half_height;
        if (scene->note[v].half_width > 0.0) {
            put_beside(scene, &scene->node[v], &scene->note[v]);
        }
    }
}

/* Short names stand in the nodes, if all are short. */
static bool names_fit(const sonde__scene *scene) {
    for (int32_t v = 0; scene->graph->name != NULL && v < scene->graph->n_node; v++) {
        if (sonde__words_count(scene->graph->name[v]) > 3) {
            return false;
        }
    }
    return scene->graph->name != NULL;
}

sonde_status sonde__scene_set(sonde__scene *scene) {
    carve(&scene->arena, scene);
    if (!sonde__arena_reserve(&scene->arena)) {
        return SONDE_NO_MEMORY;
    }
    carve(&scene->arena, scene);
    const sizes *size = sizes_for(scene->graph->n_node);
    scene->radius = size->radius;
    scene->font = size->font;
    scene->weights = scene->graph->n_node <= WEIGHTED_MAX;
    scene->names_inside = names_fit(scene);

    find_links(scene);
    find_neighbours(&scene->links);
    if (sonde__layout(&scene->links, scene->place) != SONDE_OK) {
        return SONDE_NO_MEMORY;
    }
    place_nodes(scene);
    draw_lines(scene);
    draw_path(scene);
    if (scene->weights) {
        put_weights(scene);
    }
    if (scene->graph->n_node <= MANY_NODES) {
        put_steps(scene);
    }
    put_notes(scene);
    return scene->scratch.failed ? SONDE_NO_MEMORY : SONDE_OK;
}

void sonde__scene_free(sonde__scene *scene) {
    sonde__arena_free(&scene->arena);
    sonde_text_free(&scene->scratch);
}

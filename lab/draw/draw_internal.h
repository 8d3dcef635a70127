/* draw_internal.h: the parts of a picture of a world. */
#ifndef SONDE_DRAW_INTERNAL_H
#define SONDE_DRAW_INTERNAL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/memory.h"
#include "base/words.h"
#include "sonde_lab.h"

/* --------------------------------------------------------------------------------- pictures -- */

typedef struct {
    double x;
    double y;
} sonde__point;

/* Two nodes that are joined, in one direction or in both. */
typedef struct {
    int32_t node[2];
    int32_t edge[2]; /* from node[0] to node[1], and back; -1 where there is none */
} sonde__link;

/* The joined nodes of a graph, without self-edges. */
typedef struct {
    int32_t n_node;
    int32_t n_link;
    sonde__link *link;  /* (n_link) in the order of their first edges */
    int32_t *first;     /* (n_node + 1) neighbours of v are neighbour[first[v]] .. */
    int32_t *neighbour; /* (2 n_link) */
} sonde__links;

/* Places nodes so that joined ones are about 1 apart, and others about as far as the links between
 * them are many; the same links always give the same places. `place` (n_node) belongs to the caller
 * and is centred, wider than high. Fails with SONDE_NO_MEMORY. */
sonde_status sonde__layout(const sonde__links *links, sonde__point *place);

/* ----------------------------------------------------------------------------------- curves -- */

typedef struct {
    sonde__point center;
    double radius;
} sonde__circle;

/* A quadratic Bezier curve. */
typedef struct {
    sonde__point a;
    sonde__point control;
    sonde__point b;
} sonde__curve;

double sonde__distance(sonde__point a, sonde__point b);
/* From a to b with its middle `bend` to the right of the straight line (y goes down). */
sonde__curve sonde__curve_bent(sonde__point a, sonde__point b, double bend);
sonde__curve sonde__curve_shifted(const sonde__curve *curve, double offset); /* to the right */
sonde__curve sonde__curve_turned(const sonde__curve *curve);                 /* the other way */
sonde__curve sonde__curve_part(const sonde__curve *curve, double from, double to);
/* What lies outside two circles, one round each end. */
sonde__curve sonde__curve_between(const sonde__curve *curve, sonde__circle a, sonde__circle b);
sonde__point sonde__curve_at(const sonde__curve *curve, double t);
double sonde__curve_length(const sonde__curve *curve);

/* ------------------------------------------------------------------------------------ scene -- */

/* A rectangle. */
typedef struct {
    sonde__point center;
    double half_width;
    double half_height;
} sonde__box;

/* What is drawn for an edge, or for both directions of a pair that weigh the same. */
typedef struct {
    int32_t tail;
    int32_t head;
    bool arrow; /* one direction only */
    double weight;
    sonde__curve curve; /* between the borders of its nodes */
    sonde__box label;
} sonde__arc;

/* The part of a path that goes along one edge, however often. */
typedef struct {
    int32_t edge;
    double width;
    sonde__curve curve;
    sonde__box badge; /* the numbers of its steps */
} sonde__lane;

/* Everything in a picture and where it goes. */
typedef struct {
    const sonde_graph *graph;
    const int32_t *path; /* (n_path) nodes */
    int32_t n_path;
    sonde__links links;
    double radius;       /* of a plain node */
    double font;         /* of weights and notes */
    bool weights;        /* whether there is room for them */
    bool names_inside;   /* names are short enough to stand in the nodes */
    sonde__point *place; /* (n_node) of the layout */
    sonde__circle *node; /* (n_node) */
    sonde__box *note;    /* (n_node) the words beside a node; of no width where there are none */
    int32_t *stays;      /* (n_node) steps of the path that stay on a node */
    int32_t n_arc;
    sonde__arc *arc; /* (n_arc) */
    int32_t *arc_of; /* (n_edge) or -1 for self-edges */
    int32_t n_lane;
    sonde__lane *lane; /* (n_lane) */
    int32_t *lane_of;  /* (n_edge) or -1 */
    int32_t n_placed;
    sonde__box *placed; /* (n_placed) words so far, which others must not cover */
    sonde__point low;   /* corners of it all */
    sonde__point high;
    sonde_text scratch; /* for measuring words */
    sonde__arena arena;
} sonde__scene;
/* Sets the scene for `graph`, `path` and `n_path`. Fails with SONDE_NO_MEMORY; a scene is freed in
 * any case. */
sonde_status sonde__scene_set(sonde__scene *scene);
void sonde__scene_free(sonde__scene *scene);

/* Words of a picture, escaped for XML: what stands in a node; what stands beside it, in two lines;
 * the steps along an edge; what a node is called in a sentence. */
void sonde__say_in_node(const sonde__scene *scene, int32_t node, sonde_text *text);
void sonde__say_beside(const sonde__scene *scene, int32_t node, sonde_text *text);
void sonde__say_stays(const sonde__scene *scene, int32_t node, sonde_text *text);
void sonde__say_steps(const sonde__scene *scene, int32_t edge, sonde_text *text);
void sonde__say_call(const sonde__scene *scene, int32_t node, sonde_text *text);
/* What there is to see, in whole sentences. Fails with SONDE_NO_MEMORY. */
sonde_status sonde__say_caption(const sonde__scene *scene, sonde_text *words);

#endif

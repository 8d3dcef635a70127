/* report_internal.h: the words that all JSON documents are made of, and the parts of a picture. */
#ifndef SONDE_REPORT_INTERNAL_H
#define SONDE_REPORT_INTERNAL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/memory.h"
#include "sonde.h"

/* ------------------------------------------------------------------------------------- JSON -- */

/* Opens a document: version, verb, sign and, where there is one, the command. */
void sonde__report_open(sonde_text *json, const char *verb, const char *command);
/* Continues with a key of the document, on a line of its own. */
void sonde__report_key(sonde_text *json, const char *key);
void sonde__report_close(sonde_text *json);
/* "names", where the graph has any. */
void sonde__report_names(sonde_text *json, const sonde_graph *graph);

void sonde__report_integers(sonde_text *json, const int32_t *value, int32_t n);
void sonde__report_numbers(sonde_text *json, const double *value, int32_t n);
/* A whole number as it is while every reader can hold it (2^53), as a string of its digits past
 * that. */
void sonde__report_index(sonde_text *json, uint64_t index);
/* A count that may be too large for its 64 bits: past 2^53 a string with the 17 significant digits
 * of `real`, "Infinity" past the largest double. */
void sonde__report_count(sonde_text *json, uint64_t count, double real);

/* An edge as [a, b], an action as [[a, b], [b, c]], a walk's T actions, a walk's T + 2 nodes. */
void sonde__report_edge(sonde_text *json, const sonde_graph *graph, int32_t edge);
void sonde__report_action(sonde_text *json, const sonde_graph *graph, int32_t from, int32_t to);
void sonde__report_actions(sonde_text *json, const sonde_graph *graph, const int32_t *walk,
                           int32_t horizon);
void sonde__report_nodes(sonde_text *json, const sonde_graph *graph, const int32_t *walk,
                         int32_t horizon);
/* "efe": ..., "risk": ..., "ambiguity": ..., "cost": ... without braces. */
void sonde__report_terms(sonde_text *json, const sonde_efe *efe);
/* "names" of a graph world or a general model. */
void sonde__report_model_names(sonde_text *json, const sonde_model *model);
/* "model": the conventions of a general model; nothing in a graph world. */
void sonde__report_conventions(sonde_text *json, const sonde_model *model);
/* A belief as a list for each factor; an action as a list of each factor's. */
void sonde__report_belief(sonde_text *json, const sonde_model *model, const double *belief);
void sonde__report_tuple(sonde_text *json, const sonde_model *model, int32_t action);
/* A general policy as a list of T actions. */
void sonde__report_tuples(sonde_text *json, const sonde_policies *policies, const int32_t *walk);
/* "actions": ... and in a graph world "nodes": ..., without braces. */
void sonde__report_policy(sonde_text *json, const sonde_policies *policies, const int32_t *walk);
/* {"to": node, "edges": [[a, b], [b, c]]}: where an action leads from `state`, and what it is; in a
 * general model {"actions": [one for each factor]}. */
void sonde__report_choice(sonde_text *json, const sonde_model *model, int32_t state,
                          int32_t action);
/* The scope an origin belongs to, in quotes. */
void sonde__report_scope(sonde_text *json, int32_t origin);

/* Continues a decision with "explain". */
void sonde__report_explain(sonde_text *json, const sonde_explanation *explanation);

/* ------------------------------------------------------------------------------- explanation -- */

/* What an alternative's first action is called, and what its step t (1 to n_step) is, for people, in `most`
 * characters or so; a node by its name. */
void sonde__explain_action(const sonde_explanation *explanation, int32_t i, int32_t most,
                           sonde_text *text);
void sonde__explain_node(const sonde_graph *graph, int32_t node, int32_t most, sonde_text *text);
void sonde__explain_step(const sonde_explanation *explanation, const sonde_alternative *alternative,
                         int32_t t, sonde_text *text);
/* The alternative whose policy has the smallest G of all that are whole; -1 where none is. */
int32_t sonde__explain_best(const sonde_explanation *explanation);

/* ---------------------------------------------------------------------------------- columns -- */

/* The name of an embedding's column, as a field of a table. */
void sonde__report_column(sonde_text *csv, const sonde_embedder *embedder, int32_t column);
/* The nodes or the actions of a policy joined by '-', as a field of a table. */
void sonde__report_steps(sonde_text *csv, const sonde_policies *policies, const int32_t *walk);

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
 * a weight; the steps along an edge; what a node is called in a sentence. */
void sonde__words_in_node(const sonde__scene *scene, int32_t node, sonde_text *text);
void sonde__words_beside(const sonde__scene *scene, int32_t node, sonde_text *text);
void sonde__words_stays(const sonde__scene *scene, int32_t node, sonde_text *text);
void sonde__words_weight(double weight, sonde_text *text);
void sonde__words_steps(const sonde__scene *scene, int32_t edge, sonde_text *text);
void sonde__words_call(const sonde_graph *graph, int32_t node, sonde_text *text);
/* What there is to see, in whole sentences. Fails with SONDE_NO_MEMORY. */
sonde_status sonde__words_caption(const sonde__scene *scene, sonde_text *words);
/* The first characters of a name, without what XML does not allow, and not escaped. */
void sonde__words_plain(sonde_text *text, const char *string, int32_t most);
/* Characters (not bytes, and an entity counts as one). */
int32_t sonde__words_count(const char *text);

#endif

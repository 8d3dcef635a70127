/* replay_fast_internal.h: what plans come to, between the two files that find and follow it. */
#ifndef SONDE_REPLAY_REPLAY_FAST_INTERNAL_H
#define SONDE_REPLAY_REPLAY_FAST_INTERNAL_H

#include "replay/replay_fast.h"

/* beyond these, agents follow */
enum { MOST_JOINT = 1024, MOST_ACTION = 256, MOST_SPOT = 512, MOST_NODE = 512 };

/* A belief of one factor. */
typedef struct {
    int32_t factor;
    int32_t parent; /* the spot that the action makes it of; -1: it is the present */
    int32_t action; /* of the factor */
    bool fixed;     /* it does not depend on the present */
    int32_t at;     /* where its numbers are */
} sonde__fast_spot;

/* What a modality sees of a node. */
typedef struct {
    int32_t modality;
    const int32_t *spots; /* (n_factor) of a node that has it */
    bool fixed;           /* its weights do not depend on the present */
    int32_t n_state;
    int32_t *state; /* (n_state) combined states that are possible */
    int32_t *term;  /* (n_state, factors of the modality) numbers whose product is its weight */
    int32_t n_shown;
    int32_t *shown; /* (n_shown) outcomes that are possible */
} sonde__fast_view;

struct sonde__fast {
    const sonde_model *model;
    int32_t horizon;
    bool grows;
    sonde__pool pool;
    double **B; /* (n_factor) (n_action, next, before) */
    int32_t n_spot;
    int32_t n_number;       /* of all spots */
    sonde__fast_spot *spot; /* (n_spot) parents first */
    double *constant;       /* (n_number) of those that are fixed */
    int32_t n_node;
    int32_t *node;      /* (n_node, n_factor) spots; the first is the present */
    int32_t first_node; /* that a step may come to: 1, or 0 where one comes back to the present */
    int32_t *kind;      /* (n_node) of its ways; -1: the horizon is reached */
    int32_t n_kind;
    int32_t *way; /* (n_kind, n_action) nodes */
    int32_t n_view;
    sonde__fast_view *view; /* (n_view) */
    int32_t *seen;          /* (n_node, n_modality) views */
    int32_t *place;         /* (n_joint, n_modality) combined states */
    int32_t *digit;         /* (n_joint, n_factor) places in a belief */
    int32_t **term;         /* (n_modality) (n_state, factors of it) places in a belief */
};

#endif

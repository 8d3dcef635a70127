/* model.h: what the later stages ask a model about actions, again and again, of numbers that are
 * known to be right. The functions of sonde.h with these names check what they are given first. */
#ifndef SONDE_MODEL_MODEL_H
#define SONDE_MODEL_MODEL_H

#include "base/memory.h"
#include "sonde.h"

/* The two kinds of model. What differs between them stands in tables of functions, one for each
 * kind, which the stages keep in this order (docs/decisions/one-model.md lists them). */
enum { SONDE__OF_GRAPHS, SONDE__OF_FACTORS, SONDE__N_KIND };
static inline int sonde__kind(const sonde_model *model) {
    return model->graph != NULL ? SONDE__OF_GRAPHS : SONDE__OF_FACTORS;
}

/* Refuses a graph world with a sentence, for what general models alone have. */
sonde_status sonde__model_refuse_graph(const sonde_model *model, const char *sentence,
                                       sonde_error *error);
/* How many modalities, or factors, have arrays of their own: a graph world has none. */
int32_t sonde__model_n_stored(const sonde_model *model, bool modalities);

/* Whether the outcomes of all modalities are looked at together. */
static inline bool sonde__model_is_joint(const sonde_model *model) {
    return model->information == SONDE_INFORMATION_JOINT ||
           model->information == SONDE_INFORMATION_LEGACY;
}

/* Whether some part of G counts more or less than once. */
static inline bool sonde__model_is_weighed(const sonde_model *model) {
    const sonde_weights *w = &model->weights;
    return w->utility != 1.0 || w->information != 1.0 || w->cost != 1.0 ||
           (w->novelty != SONDE_NOVELTY_NONE && (w->novelty_A != 1.0 || w->novelty_B != 1.0));
}

/* One column of A or B: where its numbers stand, and which row each is; NULL: in order. */
typedef struct {
    int64_t first;
    int64_t n;
    int64_t stride;
    const int32_t *row;
} sonde__slice;
static inline sonde__slice sonde__slice_of_A(const sonde_modality *modality, int64_t s) {
    return modality->A != NULL
               ? (sonde__slice){s * modality->n_outcome, modality->n_outcome, 1, NULL}
               : (sonde__slice){modality->offset[s], modality->offset[s + 1] - modality->offset[s],
                                1, modality->outcome + modality->offset[s]};
}
static inline sonde__slice sonde__slice_of_B(const sonde_factor *factor, int64_t previous,
                                             int32_t u) {
    const int64_t at = previous * factor->n_action + u;
    return factor->B != NULL
               ? (sonde__slice){previous * factor->n_state * factor->n_lane + u, factor->n_state,
                                factor->n_lane, NULL}
               : (sonde__slice){factor->offset[at], factor->offset[at + 1] - factor->offset[at], 1,
                                factor->next + factor->offset[at]};
}
/* Numbers of A and of B, as they are stored. */
int64_t sonde__size_of_A(const sonde_modality *modality);
int64_t sonde__size_of_B(const sonde_factor *factor);

/* model_novelty.c: what is expected to be learned of A, and of B (docs/math.md, "Novelty"). `made`
 * has the counts that `gain` and `novelty` are of, so that columns that did not change cost
 * nothing. */
void sonde__novelty_of_A(const sonde_modality *modality, int32_t form, double *made, double *gain,
                         double *novelty);
void sonde__novelty_of_B(const sonde_factor *factor, int32_t form, double *made, double *gain,
                         double *novelty);

/* Whether a model has counts of anything. */
bool sonde__model_learns(const sonde_model *model);

/* Graph worlds: the action (from => to), or -1 when `to` does not leave the head of `from`. */
static inline int32_t sonde__model_action(const sonde_model *model, int32_t from, int32_t to) {
    const sonde_graph *graph = model->graph;
    const int32_t v = graph->head[from];
    return graph->tail[to] == v ? model->action[from] + (to - graph->first[v]) : -1;
}

/* Graph worlds: the state that an action leads to. */
static inline int32_t sonde__model_next(const sonde_model *model, int32_t state, int32_t action) {
    const int32_t place = action - model->action[state];
    const int32_t v = model->graph->head[state];
    const bool valid = place >= 0 && action < model->action[state + 1];
    return valid ? model->graph->first[v] + place : model->graph->self[v];
}

/* General models: the actions of the factors (n_factor), and back. */
static inline void sonde__model_tuple(const sonde_model *model, int32_t action, int32_t *tuple) {
    for (int32_t f = model->n_factor - 1; f >= 0; f--) {
        tuple[f] = action % model->factor[f].n_action;
        action /= model->factor[f].n_action;
    }
}
static inline int32_t sonde__model_from_tuple(const sonde_model *model, const int32_t *tuple) {
    int32_t action = 0;
    for (int32_t f = 0; f < model->n_factor; f++) {
        action = action * model->factor[f].n_action + tuple[f];
    }
    return action;
}

/* sonde_policies_say, of a walk of so many steps. */
void sonde__model_say_policy(const sonde_model *model, int32_t horizon, const int32_t *walk,
                             sonde_text *text);
/* Fails with SONDE_BAD_ARGUMENT where a model has what sequences of actions are not scored with: a
 * discount, or novelty of what an action shows. */
sonde_status sonde__model_check_open(const sonde_model *model, sonde_error *error);
/* Whether what a modality shows depends on the action. */
static inline bool sonde__model_shows_actions(const sonde_model *model) {
    bool any = false;
    for (int32_t m = 0; model->graph == NULL && m < model->n_modality; m++) {
        any = any || model->modality[m].n_action > 1;
    }
    return any;
}

/* Divides by their sum n numbers that are `stride` apart. A sum that differs from 1 by rounding
 * alone counts as 1, so that what was divided once stays as it is. Returns the sum. */
double sonde__normalise(double *value, int64_t n, int64_t stride);
/* The mean of a column of counts, each at least `least`: divided by their sum, in this order, which
 * is returned. */
double sonde__counts_mean(const double *counts, int64_t n, int64_t stride, double least,
                          double *mean);
/* What follows from one row of C (n): ln of a probability, floored, or with 1e-16 added where
 * information is that of pymdp-legacy; or a utility; from A of a modality: the
 * entropy of its outcomes in each state; from C and cost of a graph world: what a step costs. */
void sonde__model_prefer(sonde_preferences how, sonde_information information, int32_t n,
                         const double *C, double *preference);
void sonde__model_blur(const sonde_modality *modality, double *ambiguity);
double sonde__model_blur_at(const sonde_modality *modality, int64_t s); /* in one state */
void sonde__model_price(int32_t n_edge, const double *preference, const double *cost, double *risk,
                        double *step);

/* Counts are at most this. */
#define SONDE__COUNT_MAX 1e12
/* C from its counts (n): psi(c) - psi(sum c). */
void sonde__model_expect(int32_t n, const double *counts, double *C);

/* A model with the shape of another and numbers of its own, which can change. */
typedef struct {
    sonde_model model;
    sonde_factor *factor;     /* (n_factor) */
    sonde_modality *modality; /* (n_modality) */
    char *block;              /* (number_bytes) */
} sonde__own;
void sonde__own_carve(sonde__arena *arena, const sonde_model *shape, sonde__own *own);
/* Takes over shape and numbers of a model, which has to outlive this one. */
void sonde__own_open(sonde__own *own, const sonde_model *shape);
/* An array of `own->model`, for writing. */
double *sonde__own_at(const sonde__own *own, const double *array);
/* After A, B, C, D, E or cost were written: works out what follows from them, and begins another
 * version. Columns of A, B and D sum to 1, and the zeros of sparse tables stay. */
void sonde__own_settle(sonde__own *own);
/* All numbers are others than before. */
void sonde__own_renew(sonde__own *own);
/* What follows from B of one factor; whoever writes single arrays begins another version
 * himself. */
void sonde__own_settle_factor(sonde__own *own, int32_t f);

#endif

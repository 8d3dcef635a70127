/* learn.h: what an agent learns: counts that grow, and the means that take the place of A, B, C and
 * D (docs/learning.md).
 *
 * A learner belongs to one agent, whose numbers it writes. It is told of each thing that happens in
 * its order, and asks for no memory then. */
#ifndef SONDE_LEARN_LEARN_H
#define SONDE_LEARN_LEARN_H

#include "belief/belief.h"

/* one array that is learned */
typedef struct {
    double *counts;     /* as the array is stored */
    const double *init; /* where they began */
    double *gain;       /* (n) what the episode adds to them; NULL: it is added at once */
    int64_t n;          /* numbers */
    int32_t n_row;      /* outcomes, or states */
    uint64_t n_gain;    /* steps of the episode that have added something */
    uint64_t n_event;   /* updates so far */
    double masked;      /* what structural zeros did not take in */
} sonde__counted;

typedef struct {
    sonde_learn_settings settings;
    sonde__own *own;          /* the agent's numbers; NULL: none is learned */
    const sonde_model *model; /* with these numbers */
    const sonde_model *shape; /* whose counts are where learning begins */
    sonde__counted *A;        /* (n_modality) those that are not learned have no counts */
    sonde__counted *B;        /* (n_factor) */
    sonde__counted *C;        /* (n_modality) */
    sonde__counted *D;        /* (n_factor) */
    sonde__counted E;         /* of listed policies, or first actions */
    double *chosen;         /* (policies) of E that is listed: the posterior of the last decision */
    bool decided;           /* and it has not been learned from yet */
    double gamma;           /* the precision, where it is expected */
    int32_t *first_outcome; /* (n_modality) where its outcomes begin in the next two */
    double *rate;           /* (outcomes of all modalities) that A adds */
    double *fading;         /* (outcomes of all modalities) how much of A is forgotten before */
    double *before;         /* (n_belief) what was believed before the last action */
    double *first;          /* (n_belief) what was believed at the beginning of the episode */
    double **back;    /* (n_factor) of D that is smoothed: the first state given the present */
    double *pair;     /* (two of the largest square of states) scratch */
    double *smoothed; /* (3, n_belief) scratch */
    double *combined; /* (most combined states of a modality or a transition) scratch */
    int32_t *outcome; /* (n_modality) of the present step */
    double *history;  /* (steps, n_belief) beliefs of an episode that is smoothed */
    int32_t *seen;    /* (steps, n_modality) its outcomes */
    int32_t *done;    /* (steps) its actions; -1: none */
    int32_t n_step;   /* observations of the episode so far */
    int32_t action;   /* that led to the present step; -1: none did */
    int32_t episode;  /* its number */
    bool due;         /* the present step has not been learned from yet */
    int64_t n_packed; /* numbers that say all of this */
    double *packed;   /* (n_packed) room for them */
} sonde__learner;

/* Fails with SONDE_BAD_ARGUMENT where settings are outside their range, or there is nothing to
 * learn. */
sonde_status sonde__learner_check(const sonde_model *shape, const sonde_learn_settings *settings,
                                  sonde_error *error);
void sonde__learner_carve(sonde__arena *arena, const sonde_model *shape,
                          const sonde_learn_settings *settings, sonde__learner *learner);
/* Begins with the counts of the shape. */
void sonde__learner_open(sonde__learner *learner, sonde__own *own, const sonde_model *shape,
                         const sonde_learn_settings *settings);
/* Puts counts back to where learning began, and forgets how often it has learned. */
void sonde__learner_forget(sonde__learner *learner);
/* Nothing of the present episode has happened. */
void sonde__learner_begin(sonde__learner *learner);
/* SONDE_BAD_ARGUMENT where an episode is longer than it may be. */
sonde_status sonde__learner_check_step(const sonde__learner *learner, sonde_error *error);
/* Outcomes (n_modality) were seen, and this is believed. */
void sonde__learner_see(sonde__learner *learner, const int32_t *outcome, const double *belief);
/* A decision was made, whose posterior over policies is in `chosen`. */
void sonde__learner_decide(sonde__learner *learner);
/* An action is taken from what is believed. Comes before what it leads to is predicted. */
void sonde__learner_act(sonde__learner *learner, int32_t action, const double *belief);
/* The same of an action that nobody knows, with probabilities of each factor's own (side by side):
 * no transition is learned. Something has to be seen after it, if D is learned from smoothed
 * beliefs. */
void sonde__learner_drift(sonde__learner *learner, const double *p, const double *belief);
/* The episode ends with this belief. */
void sonde__learner_end(sonde__learner *learner, const double *belief);
/* Everything that changes, as n_packed numbers in `packed`; and back, if they are checked. */
const double *sonde__learner_pack(sonde__learner *learner);
void sonde__learner_unpack(sonde__learner *learner, const double *packed);
/* SONDE_BAD_ARGUMENT where numbers can be none of this learner's. */
sonde_status sonde__learner_check_packed(sonde__learner *learner, int64_t n, const double *packed,
                                         sonde_error *error);
/* One of the arrays, or NULL. */
const sonde__counted *sonde__learner_array(const sonde__learner *learner, sonde_letter letter,
                                           int32_t i);

/* learn_rules.c: one update of one array. `belief` is that of the present step, `before` that of
 * the step before. */
void sonde__learn_A(sonde__learner *learner, int32_t m, int32_t outcome, const double *belief);
/* `pair` (n_state, n_state): of the next state and the one before, where `before` has 1 for each
 * state of the factor itself; or NULL, where they are independent. */
void sonde__learn_B(sonde__learner *learner, int32_t f, int32_t action, const double *before,
                    const double *belief, const double *pair);
void sonde__learn_C(sonde__learner *learner, int32_t m, int32_t outcome);
void sonde__learn_D(sonde__learner *learner, int32_t f, const double *belief);
/* E of listed policies, by their posterior, or, where `action` is not -1, the habit of an
 * action. */
void sonde__learn_E(sonde__learner *learner, int32_t action);
/* Whether what is learned needs the posterior over listed policies. */
bool sonde__learner_weighs(const sonde_model *shape, const sonde_learn_settings *settings);
/* The state of factor f within a combination of the states that its transition depends on. */
int64_t sonde__learn_own_state(const sonde_model *model, int32_t f, int64_t previous);
/* All numbers of what has been updated, from its counts. */
void sonde__learn_settle(sonde__learner *learner);
/* What an episode has gathered, at its end. */
void sonde__learn_gains(sonde__learner *learner);

/* learn_smooth.c: the beliefs of an episode given all of it. */
void sonde__learn_smoothed(sonde__learner *learner);
/* Whether D of a factor is learned from what is believed of the first state at last. */
bool sonde__learner_turns(const sonde__learner *learner, int32_t f);
/* The reverse conditional of one step, multiplied into those before: `back` of such factors. Where
 * `p` is not NULL nobody knows the action, and these are the probabilities of each factor's own (side
 * by side). */
void sonde__learn_turn(sonde__learner *learner, int32_t action, const double *p,
                       const double *belief);

#endif

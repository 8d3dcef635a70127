/* agent_internal.h: what an agent is made of, between its own files. */
#ifndef SONDE_AGENT_AGENT_INTERNAL_H
#define SONDE_AGENT_AGENT_INTERNAL_H

#include "agent/agent.h"
#include "planner/planner.h"

/* A model with numbers of its own, and the same policies over it. */
typedef struct {
    sonde__own numbers;
    const sonde_model *shape; /* whose shape it borrows */
    sonde_policies policies;
} own_model;

struct sonde_agent {
    const sonde_policies *policies;
    sonde_policies *kept; /* what it frees with itself; or NULL */
    own_model *own; /* in the same block, or NULL: the numbers are those of the policies' model */
    sonde_run run;
    sonde__planner *planner; /* in the same block */
    sonde__arena arena;      /* of the search and the beliefs */
    double *belief;          /* (n_belief) */
    double *prior;           /* (n_belief) before the next outcome */
    double *present;         /* (n_belief) what the last decision was made from, once it changed */
    double *scratch;         /* of the belief */
    sonde_energy energy;     /* of the last outcomes */
    double evidence;         /* ln P of what was seen before the last action */
    const char *origin;      /* of the belief, as a certificate says it */
    uint64_t number;         /* of decisions so far */
    int32_t last;            /* the action that led to what is seen next; -1: none is known */
    int32_t choice;          /* the action that was drawn and not taken yet; -1: none was */
    bool kept_present;       /* the belief is what the last decision was made from */
    bool decided;            /* the last search was made from the present belief */
    sonde__watch watch;      /* of what learning needs to know of decisions */
    sonde__learner *learner; /* in memory of its own; NULL: it does not learn */
};

#endif

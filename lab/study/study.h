/* study.h: the results of a study, as the report reads them. */
#ifndef SONDE_STUDY_STUDY_H
#define SONDE_STUDY_STUDY_H

#include "sonde_lab.h"

/* One world: all conditions with the same connection ran on it. */
typedef struct {
    int32_t size;  /* nodes; -1 - m: the plan's model m */
    int32_t graph; /* its number among those of this size */
    int32_t horizon;
    sonde_connect connect;
    int32_t n_redraw;     /* worlds drawn before it on which the notebook would have failed */
    uint64_t seed;        /* of the drawing and of every agent in it */
    double n_policy;      /* global */
    double n_local;       /* from the start */
    double shortest;      /* distance to the destination; NaN in a model */
    double list_seconds;  /* counting and ordering the policies */
    const char *document; /* the world as a sonde-graph document, or sonde-model */
} sonde__result_world;

/* One run: one condition on one world. The means over its steps are NaN where there are none. */
typedef struct {
    int32_t condition; /* its place in the plan */
    int32_t size;
    int32_t graph;
    bool is_model; /* the next four, up to walked, mean nothing */
    bool optimal;
    sonde_failure failure;
    int32_t reached; /* step of arrival, or -1 */
    int32_t n_decision;
    double walked;
    uint64_t n_policy; /* scored, all decisions together */
    uint64_t n_step;   /* scored, all decisions together */
    double equivalent; /* n_step / T */
    uint64_t n_setup_step;
    int32_t k;       /* clusters at the first decision, 0 without */
    int32_t n_valid; /* representatives that were valid there */
    int32_t n_clustering;
    int32_t n_reused; /* clusterings that another condition had made: their time is in its row */
    double setup_seconds; /* before the first decision: bounds and tables */
    double embed_seconds;
    double cluster_seconds;
    double decide_seconds; /* all decisions together */
    const char *path;      /* nodes, as "3-1-2-2" */
    double efe;            /* G of the best policy, in the mean over decisions that scored any */
    double certificate;    /* total variation that certificates allow, in the mean over those */
    double surprise;       /* of a step's outcomes, in the mean */
    double free_energy;    /* of a step's outcomes, in the mean */
    double preference;     /* ln C of a step's outcomes, in the mean; in a graph world NaN */
    /* against exact decisions, in the mean; NaN where the plan does not judge */
    int32_t n_judged;
    int32_t n_best; /* of which the best policy has the smallest G */
    double judged_equivalent;
    double tv;
    double action_tv;
    double bound; /* on tv; NaN where a search gives none */
    double regret;
    bool exact_is_full; /* or bounded */
} sonde__result_run;

/* One step of a run, where the plan records them. Numbers are those of sonde_episode. */
typedef struct {
    int32_t condition;
    int32_t size;
    int32_t graph;
    int32_t step;        /* from 0 */
    const char *state;   /* "3/1": of each factor; in a graph world an edge */
    const char *outcome; /* "3/0/2": of each modality; in a graph world an edge */
    const char *action;  /* "1/0": of each factor; in a graph world the edge it leads to */
    const char *belief;  /* "[[0.5,0.5],[1,0]]": of each factor's states; NULL in a graph world */
    double p;            /* posterior probability of the action */
    double efe;          /* of the best policy; NaN, as its terms are, where none was scored */
    double risk;
    double ambiguity;
    double cost;
    double tv; /* as the certificate has it, or NaN */
    double surprise;
    double free_energy;
    double complexity;
    double accuracy;
    int32_t n_followed;
    uint64_t n_policy;
    uint64_t n_step;
    double equivalent;
} sonde__result_step;
/* Only steps of runs on the first worlds of each size, and of a model's first episodes, are kept
 * when results are read. */
enum { SONDE__STEPS_KEPT = 4 };

typedef struct {
    const char *path;       /* of the file */
    const char *version;    /* of the library that made it */
    sonde_study_plan *plan; /* the plan it holds the results of */
    int32_t n_task_done;    /* fewer than plan->n_task while it is not complete */
    const int32_t *task;    /* (n_task_done) those that are done, ascending */
    int32_t n_world;
    const sonde__result_world *world; /* (n_world) by connect, size, graph */
    int32_t n_run;
    const sonde__result_run *run; /* (n_run) by condition, size, graph */
    int32_t n_step;
    const sonde__result_step *step; /* (n_step) of the runs with graph < SONDE__STEPS_KEPT */
} sonde__results;
/* Reads the results of a study, and believes nothing of them: what comes back fits its plan,
 * world by world and run by run. Fails with SONDE_BAD_INPUT and a sentence that says where it
 * does not. */
sonde_status sonde__results_read(const char *path, sonde__results **results, sonde_error *error);
void sonde__results_free(sonde__results *results);

#endif

/* study_world.h: the world of a task, and the exact decisions that searches are judged by. */
#ifndef SONDE_STUDY_WORLD_H
#define SONDE_STUDY_WORLD_H

#include "base/shelf.h"
#include "study/study_internal.h"

/* Exact decisions in a world: those of the first steps of an agent that makes no other. One for
 * each scope and gamma that some condition has, and in closed loop for each backup and discount. */
typedef struct {
    bool closed; /* in closed loop */
    sonde_backup backup;
    double discount;
    sonde_scope scope;
    double gamma;          /* as in the settings of a search */
    sonde_weights weights; /* as in the settings of a search */
    const char *name;      /* of the search that made them */
    double tv;             /* how far they may be from exact; 0 */
    int32_t n;             /* decisions */
    int32_t n_belief;
    int32_t n_action;
    double *belief;       /* (n, n_belief) before each */
    double *posterior;    /* (n, n_action) of each action */
    double *log_evidence; /* (n) */
    double *least;        /* (n) the smallest G */
    double *efe;          /* closed loop: (n, n_action) G of each action */
} sonde__exact;
enum { SONDE__JUDGES_MAX = 8 };
typedef struct {
    int32_t n_exact;
    sonde__exact exact[SONDE__JUDGES_MAX];
} sonde__judge;

/* How a search does on those decisions, in the mean. */
typedef struct {
    int32_t n;
    int32_t n_best;   /* decisions whose best policy, or action, has the smallest G */
    double tv;        /* total variation of the policies' posterior from the exact one; in closed
                       * loop of the actions' */
    double action_tv; /* the same of the actions' */
    double bound;     /* what the certificates say of it; NaN without */
    double regret;    /* G of the best policy, or of the action that is named, above the smallest */
    double equivalent;
    const char *exact; /* the search that made the exact ones */
    double exact_tv;   /* and how far those may be from exact */
} sonde__verdict;

/* A world and what is worked out for it once. */
typedef struct {
    int32_t size;   /* nodes, or -1 - m: the plan's model m */
    int32_t number; /* among those of this size */
    int32_t horizon;
    sonde_connect connect;
    int32_t n_redraw;
    uint64_t seed;
    double list_seconds;
    double shortest;          /* of drawn worlds */
    sonde_input input;        /* what was drawn or read */
    const sonde_model *model; /* of the input */
    sonde_policies *policies;
    sonde_shelf *shelf;
    sonde__judge judge;
} sonde__study_world;
/* Draws or reads the world that size, number, horizon, connection and redraws name. Close it also
 * after a failure. */
sonde_status sonde__study_world_open(const sonde_study_plan *plan, const sonde_run *run,
                                     sonde__study_world *w, sonde_error *error);
void sonde__study_world_close(sonde__study_world *w);
/* Whether a model of a plan is still that of the document in the results `path`. */
sonde_status sonde__study_model_check(const sonde_study_model *from, const char *document,
                                      const char *path, sonde_error *error);

/* Judges an agent of a world on the first `n_judge` decisions of the exact one, which are made on
 * first use. The agent is reset. */
sonde_status sonde__judge_agent(sonde__study_world *w, const sonde_study_plan *plan,
                                sonde_agent *agent, const sonde_run *run, sonde__verdict *verdict,
                                sonde_error *error);
void sonde__judge_close(sonde__judge *judge);

#endif

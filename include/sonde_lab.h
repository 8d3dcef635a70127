/* sonde_lab.h: the laboratory beside the planner.
 *
 * Studies of many agents in many worlds, with every result in a file; what they add up to; the
 * replication of the paper; and pictures. It stands on sonde.h, whose words on threads, ownership
 * and failure hold here, too. A program that plans needs none of it, nor SQLite.
 */
#ifndef SONDE_LAB_H
#define SONDE_LAB_H

#include "sonde.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ----------------------------------------------------------------------------------- study -- */

/* A study runs many agents on many worlds and keeps every result in an SQLite file. A plan says
 * which: graph worlds by size and number, general models by name and episode, and conditions
 * (docs/formats.md). A task is one world with all its conditions; what a task gives depends on the
 * plan and its number alone. */
/* A general model that a plan runs on. */
typedef struct {
    const char *name; /* in results */
    const char *file; /* or an example that is built in */
    sonde_model_settings settings;
    int32_t n_step; /* of its episodes */
} sonde_plan_model;
typedef struct {
    const char *group; /* what the condition belongs to: "table", "sweep", ... */
    const char *label; /* all its settings in one line */
    int32_t n_size;
    const int32_t *size; /* (n_size) numbers of nodes; -1 - m: the plan's model m */
    int32_t n_graph;     /* worlds of each size, or episodes of each model, from the first on */
    int32_t horizon;     /* of graph worlds; 0: the number of nodes */
    sonde_connect connect;
    sonde_search_settings search; /* its seed is the world's to set */
} sonde_condition;
typedef struct {
    const char *name;
    const char *text; /* the document it was read from */
    uint64_t seed;
    int32_t n_step;
    int32_t n_judge; /* decisions of a run that are compared with the exact ones */
    int32_t n_model;
    const sonde_plan_model *model; /* (n_model) */
    int32_t n_condition;
    const sonde_condition *condition; /* (n_condition) */
    int32_t n_task;
    int64_t n_run; /* rows there will be */
} sonde_plan;
/* Reads a plan by the name of a built-in one ("paper"), or from a file. Fails like
 * sonde_graph_read. */
SONDE_API sonde_status sonde_plan_read(const char *path, sonde_plan **plan, sonde_error *error);
/* The name of the i-th built-in plan, NULL past the last. */
SONDE_API const char *sonde_plan_name(int32_t i);
SONDE_API void sonde_plan_free(sonde_plan *plan);
/* The world size of a task (-1 - m: the plan's model m), and its number among those of the size. */
SONDE_API void sonde_plan_task(const sonde_plan *plan, int32_t task, int32_t *size, int32_t *graph);
/* Does one task, on one thread, and appends its rows as a JSON document to a text without a sink.
 * Fails with SONDE_TOO_LARGE, SONDE_STOPPED or SONDE_NO_MEMORY. */
SONDE_API sonde_status sonde_plan_work(const sonde_plan *plan, int32_t task, const sonde_run *run,
                                       sonde_text *rows, sonde_error *error);

typedef struct sonde_study sonde_study;
/* Opens the results of a plan, or begins them. The file is this process's alone until it is closed.
 * What is in it is read and checked whole. Fails with SONDE_BAD_INPUT (another plan, another
 * version, not a study, a damaged one), SONDE_BAD_ARGUMENT (":memory:", "file:...": not a file),
 * SONDE_NOT_WRITTEN, SONDE_NO_FILE, SONDE_NO_MEMORY. */
SONDE_API sonde_status sonde_study_open(const char *path, const sonde_plan *plan,
                                        sonde_study **study, sonde_error *error);
SONDE_API void sonde_study_close(sonde_study *study);
/* Tasks whose rows are all there. */
SONDE_API int32_t sonde_study_done(const sonde_study *study);
/* The next task that nobody has been given yet in this session, or -1: one of each size first, then
 * the others. */
SONDE_API int32_t sonde_study_next(sonde_study *study);
/* Seconds of one core that the tasks done in this session took, keeping them included, and that
 * those which are left will take, each as long as the mean of its size; NaN while a size has not
 * been tried. A progress function may ask, too. */
SONDE_API void sonde_study_cost(const sonde_study *study, double *spent, double *left);
/* Takes in what sonde_plan_work gave: all rows of a task, or none. Rows are checked as if a
 * stranger had sent them: SONDE_BAD_INPUT unless they are all rows of one task of this plan that is
 * not there yet, worked out by this version. */
SONDE_API sonde_status sonde_study_take(sonde_study *study, const sonde_text *rows,
                                        sonde_error *error);
/* Does all tasks that are left, on the threads of the run, with progress under "study". */
SONDE_API sonde_status sonde_study_run(sonde_study *study, const sonde_run *run,
                                       sonde_error *error);

/* The report of a study: FOLDER/index.html, which opens from disk on its own, with every figure as
 * SVG and every table as CSV and LaTeX beside it. The main table goes to `table` as plain text,
 * too. Fails with SONDE_NO_FILE, SONDE_BAD_INPUT, SONDE_NOT_WRITTEN, SONDE_STOPPED,
 * SONDE_NO_MEMORY. */
SONDE_API sonde_status sonde_report_study(const char *path, const char *folder,
                                          const sonde_run *run, sonde_text *table,
                                          sonde_error *error);

/* ------------------------------------------------------------------------------------ draw -- */

/* The world as an SVG picture: weights, start, destination and, with an episode, the path walked,
 * as nodes (`path` may be NULL when n_path is 0). Fails with SONDE_NO_MEMORY, or SONDE_BAD_ARGUMENT
 * for a path that is no walk of the graph. */
SONDE_API sonde_status sonde_draw_graph(const sonde_graph *graph, const int32_t *path,
                                        int32_t n_path, sonde_text *svg);

/* An explanation as an SVG picture: the terms of each step of the best policy of each first action,
 * and what the decision rests on. A long explanation is cut, and says so; JSON has all of it. */
SONDE_API void sonde_draw_explanation(const sonde_explanation *explanation, sonde_text *svg);

#ifdef __cplusplus
}
#endif

#endif

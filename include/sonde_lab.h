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

/* -------------------------------------------------------------------------------- versions -- */

/* Appends what the libraries are made of, "name: version" on a line each: the compiler, and the
 * jansson, zlib and SQLite that run. */
SONDE_API void sonde_versions(sonde_text *text);

/* ----------------------------------------------------------------------------------- paper -- */

/* Where the authors' notebook differs from the paper's text, each alone: bit, name, sentence. */
#define SONDE_DIFFERENCE_LIST(X)                                                                   \
    X(SONDE_DIFFERENCE_BOE, "boe", "boe records whether an edge occurs, not how often")            \
    X(SONDE_DIFFERENCE_ABOE, "aboe", "aboe is that set and the numbers of the first two edges")    \
    X(SONDE_DIFFERENCE_LOOKUP, "lookup", "a local representative is looked up in the global list") \
    X(SONDE_DIFFERENCE_LAG, "lag", "k is the k of the run before")                                 \
    X(SONDE_DIFFERENCE_NEAREST, "nearest", "representatives are the nearest of all policies")      \
    X(SONDE_DIFFERENCE_EMPTY, "empty", "clusters may stay empty, and the notebook fails on them")  \
    X(SONDE_DIFFERENCE_ORDER, "order", "clusters are numbered, and ties broken, by order of seeds")
typedef enum {
#define SONDE_DIFFERENCE_BIT(code, name, sentence) code,
    SONDE_DIFFERENCE_LIST(SONDE_DIFFERENCE_BIT)
#undef SONDE_DIFFERENCE_BIT
        SONDE_DIFFERENCE_COUNT
} sonde_difference;
#define SONDE_SEMANTICS_TEXT 0u
#define SONDE_SEMANTICS_NOTEBOOK ((1u << SONDE_DIFFERENCE_COUNT) - 1u)
SONDE_API const char *sonde_difference_name(int32_t difference); /* bit number, not mask */
/* One line on what the notebook does, or NULL past the last. */
SONDE_API const char *sonde_difference_about(int32_t difference);
/* "text", "notebook", or "mixed" for some of the differences. */
SONDE_API const char *sonde_semantics_name(uint32_t differences);
/* Makes settings of a graph world do what the differences say: they are another embedding, another
 * k (`k_before`, of the run before), and flags of clusters and probes. */
SONDE_API void sonde_differences_apply(uint32_t differences, int32_t k_before,
                                       sonde_search_settings *settings);
/* Whether differences have any effect in this search, on these kinds of model (0: not known). */
SONDE_API bool sonde_differences_count(const sonde_search_settings *settings, uint32_t kinds);
/* What somebody asked to be done as the notebook does it. */
typedef struct {
    uint32_t differences;
    int32_t k_before;
    const char *named; /* the key that named them, "semantics" or "differences"; NULL: nobody did */
    bool k_before_named; /* somebody gave k_before */
} sonde_reading;
/* sonde_settings_settle, and the same for the reading: if no search is named, differences mean
 * clusters; what changes nothing is refused. */
SONDE_API sonde_status sonde_differences_settle(const sonde_reading *reading, const bool *given,
                                                uint32_t kinds, sonde_search_settings *settings,
                                                sonde_error *error);
/* Appends pairs for "settings" of a JSON document: semantics, differences and k_before. */
SONDE_API void sonde_differences_write(uint32_t differences, int32_t k_before, sonde_text *json);

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
} sonde_study_model;
typedef struct {
    const char *group; /* what the condition belongs to: "table", "sweep", ... */
    const char *label; /* all its settings in one line */
    int32_t n_size;
    const int32_t *size; /* (n_size) numbers of nodes; -1 - m: the plan's model m */
    int32_t n_graph;     /* worlds of each size, or episodes of each model, from the first on */
    int32_t horizon;     /* of graph worlds; 0: the number of nodes */
    sonde_connect connect;
    sonde_search_settings search; /* its seed is the world's to set */
    uint32_t differences;         /* bits: 1u << SONDE_DIFFERENCE_... */
    int32_t k_before;             /* k of the run before, which SONDE_DIFFERENCE_LAG uses */
} sonde_condition;
typedef struct {
    const char *name;
    const char *text; /* the document it was read from */
    uint64_t seed;
    int32_t n_step;
    int32_t n_judge;   /* decisions of a run that are compared with the exact ones */
    bool record_steps; /* there is a row for each step of each run, too; may be set after reading */
    int32_t n_model;
    const sonde_study_model *model; /* (n_model) */
    int32_t n_condition;
    const sonde_condition *condition; /* (n_condition) */
    int32_t n_task;
    int64_t n_run;      /* rows there will be */
    int32_t judge_loop; /* a sonde_loop: the exact decisions that searches of sequences on models
                         * are compared with; in closed loop they are always those of closed loop */
} sonde_study_plan;
/* Reads a plan by the name of a built-in one ("paper"), or from a file. Fails like
 * sonde_graph_read. */
SONDE_API sonde_status sonde_study_plan_read(const char *path, sonde_study_plan **plan,
                                             sonde_error *error);
/* The name of the i-th built-in plan; NULL past the last, and for negative numbers. */
SONDE_API const char *sonde_study_plan_name(int32_t i);
SONDE_API void sonde_study_plan_free(sonde_study_plan *plan);
/* The world size of a task (-1 - m: the plan's model m), and its number among those of that size.
 * Fails with SONDE_BAD_ARGUMENT where the plan has no such task. */
SONDE_API sonde_status sonde_study_plan_task(const sonde_study_plan *plan, int32_t task,
                                             int32_t *size, int32_t *graph, sonde_error *error);
/* Does one task, on one thread, and appends its rows as a JSON document to a text without a sink.
 * Fails with SONDE_BAD_ARGUMENT (no such task), SONDE_TOO_LARGE, SONDE_STOPPED, SONDE_NO_MEMORY. */
SONDE_API sonde_status sonde_study_plan_work(const sonde_study_plan *plan, int32_t task,
                                             const sonde_run *run, sonde_text *rows,
                                             sonde_error *error);

typedef struct sonde_study sonde_study;
/* Opens the results of a plan, or begins them. The file is this process's alone until it is closed.
 * What is in it is read and checked whole. Fails with SONDE_BAD_INPUT (another plan, another
 * version, not a study, a damaged one), SONDE_BAD_ARGUMENT (":memory:", "file:...": not a file),
 * SONDE_NOT_WRITTEN, SONDE_NO_FILE, SONDE_NO_MEMORY. */
SONDE_API sonde_status sonde_study_open(const char *path, const sonde_study_plan *plan,
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
/* Takes in what sonde_study_plan_work gave: all rows of a task, or none. Rows are checked as if a
 * stranger had sent them: SONDE_BAD_INPUT unless they are all rows of one task of this plan that is
 * not there yet, worked out by this version. */
SONDE_API sonde_status sonde_study_take(sonde_study *study, const sonde_text *rows,
                                        sonde_error *error);
/* Appends the rows of a table ("world", "run", "step", "condition") as a JSON object: under the
 * name of each column the list of its values. Fails with SONDE_BAD_ARGUMENT (no such table),
 * SONDE_BAD_INPUT or SONDE_NO_MEMORY. */
SONDE_API sonde_status sonde_study_rows(const sonde_study *study, const char *table,
                                        sonde_text *json, sonde_error *error);
/* Does all tasks that are left, on the threads of the run, with progress under "study". */
SONDE_API sonde_status sonde_study_run(sonde_study *study, const sonde_run *run,
                                       sonde_error *error);

/* ---------------------------------------------------------------------------------- report -- */

/* The report of a study: FOLDER/summary.json with every cell, interval, test and point, every table
 * as FOLDER/tables/NAME.csv and .tex, and FOLDER/index.html. That is `page`, a file that the build
 * makes from web/, with the summary inside it, which opens from disk on its own; for NULL it has
 * the tables alone. The main table goes to `table` as plain text, too. Fails with SONDE_NO_FILE,
 * SONDE_BAD_INPUT, SONDE_NOT_WRITTEN, SONDE_STOPPED, SONDE_NO_MEMORY. */
SONDE_API sonde_status sonde_report_study(const char *path, const char *folder, const char *page,
                                          const sonde_run *run, sonde_text *table,
                                          sonde_error *error);

/* The same of whatever a file has results of: a study, or a document that sonde simulate --learn,
 * replay, fit, recover or compare wrote. summary.json is then that document with `tables` at its
 * end, and `text` gets its main table. Fails like sonde_report_study. */
SONDE_API sonde_status sonde_report(const char *path, const char *folder, const char *page,
                                    const sonde_run *run, sonde_text *text, sonde_error *error);

/* The page with a file inside it, appended to `html`: it opens from disk on its own, and needs no
 * network. `page` is the file that the build makes from web/, with the library inside it (make
 * page). `path` is a world, a model, an .npz file, or what sonde_report takes, which needs no
 * library, or NULL; `state` is what stands after # in the page's address at first, or NULL. Fails
 * like sonde_input_read and sonde_report_study, with SONDE_TOO_LARGE for more than 32 MB, and with
 * SONDE_BAD_ARGUMENT for a page without the library. */
SONDE_API sonde_status sonde_view(const char *page, const char *path, const char *state,
                                  const sonde_run *run, sonde_text *html, sonde_error *error);

/* ------------------------------------------------------------------------------------ draw -- */

/* The world as an SVG picture: weights, start, destination and, with an episode, the path walked,
 * as nodes (`path` may be NULL when n_path is 0). Fails with SONDE_NO_MEMORY, or SONDE_BAD_ARGUMENT
 * for a path that is no walk of the graph. */
SONDE_API sonde_status sonde_draw_graph(const sonde_graph *graph, const int32_t *path,
                                        int32_t n_path, sonde_text *svg, sonde_error *error);

/* Where that picture has the nodes: x and y of each (2 n_node), about 1 between joined ones; y goes
 * down. The same graph always has the same places. Fails with SONDE_NO_MEMORY. */
SONDE_API sonde_status sonde_draw_layout(const sonde_graph *graph, double *place,
                                         sonde_error *error);

/* Numbers that change over the steps or episodes of a run, one panel of lines each, as an SVG
 * picture. */
typedef struct {
    const char *title;
    int32_t n_line;
    const char *const *label; /* (n_line) or NULL */
    int32_t n_point;
    const double *value; /* (n_point, n_line); what is not finite is not drawn */
} sonde_history;
SONDE_API void sonde_draw_history(const char *title, const char *axis, int32_t n,
                                  const sonde_history *history, sonde_text *svg);

/* An explanation as an SVG picture: the terms of each step of the best policy of each first action,
 * and what the decision rests on. A long explanation is cut, and says so; JSON has all of it. */
SONDE_API void sonde_draw_explanation(const sonde_explanation *explanation, sonde_text *svg);
/* The plan of a decision in closed loop as an SVG picture: beliefs by step, what is done in each,
 * and which follows which outcomes. A large plan is cut, and says so. And all of it for
 * Graphviz. */
SONDE_API void sonde_draw_contingency(const sonde_agent *agent, const sonde_decision *decision,
                                      sonde_text *svg);
SONDE_API void sonde_draw_contingency_dot(const sonde_agent *agent, const sonde_decision *decision,
                                          sonde_text *dot);

#ifdef __cplusplus
}
#endif

#endif

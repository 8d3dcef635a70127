/* study_row.c: what may stand in a row, and what must fit together in it.
 *
 * One table for each kind of row says of every column what kind of value it holds, from where to
 * where, and in which rows. What one column alone cannot tell is checked after that: whether the plan
 * has such a world, whether a path has as many nodes as there were decisions, and all of them in its
 * world, whether the document is the world that the row names. */
#include "study/study_row.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"

#define EXACT_MAX 9007199254740992.0 /* 2^53 */
#define REDRAW_MAX 4095.0
#define MOST ((double)INT32_MAX)
#define HUGE_MOST 9.3e18 /* whatever an int64_t holds */

/* the rows that have a value in a column; elsewhere it is NULL */
typedef enum { ALWAYS, IN_GRAPHS, IN_MODELS, IF_JUDGED, MAYBE_JUDGED } when;
typedef enum { WHOLE, REAL, WORD } kind;

typedef struct {
    const char *name;
    kind kind;
    when when;
    double least;
    double most;
} column;

static const column worlds[] = {
    {"connect", WORD, ALWAYS, 0, 0},
    {"size", WHOLE, ALWAYS, -MOST, MOST},
    {"horizon", WHOLE, ALWAYS, 1, MOST},
    {"graph", WHOLE, ALWAYS, 0, MOST},
    {"model", WORD, IN_MODELS, 0, 0},
    {"redraws", WHOLE, ALWAYS, 0, REDRAW_MAX},
    {"seed", WHOLE, ALWAYS, 0, EXACT_MAX},
    {"policies", REAL, ALWAYS, 0, INFINITY},
    {"local", REAL, ALWAYS, 0, INFINITY},
    {"shortest", REAL, IN_GRAPHS, 0, INFINITY},
    {"list_seconds", REAL, ALWAYS, 0, INFINITY},
    {"document", WORD, ALWAYS, 0, 0},
};
enum {
    WORLD_CONNECT,
    WORLD_SIZE,
    WORLD_HORIZON,
    WORLD_GRAPH,
    WORLD_MODEL,
    WORLD_REDRAWS,
    WORLD_SEED,
    WORLD_POLICIES,
    WORLD_LOCAL,
    WORLD_SHORTEST,
    WORLD_LIST_SECONDS,
    WORLD_DOCUMENT
};

static const column runs[] = {
    {"condition", WHOLE, ALWAYS, 0, MOST},
    {"size", WHOLE, ALWAYS, -MOST, MOST},
    {"graph", WHOLE, ALWAYS, 0, MOST},
    {"optimal", WHOLE, IN_GRAPHS, 0, 1},
    {"failure", WORD, IN_GRAPHS, 0, 0},
    {"reached", WHOLE, IN_GRAPHS, -1, MOST},
    {"walked", REAL, IN_GRAPHS, 0, INFINITY},
    {"decisions", WHOLE, ALWAYS, 1, MOST},
    {"policies", WHOLE, ALWAYS, 0, HUGE_MOST},
    {"steps", WHOLE, ALWAYS, 0, HUGE_MOST},
    {"equivalent", REAL, ALWAYS, 0, INFINITY},
    {"setup_steps", WHOLE, ALWAYS, 0, HUGE_MOST},
    {"k", WHOLE, ALWAYS, 0, MOST},
    {"valid", WHOLE, ALWAYS, 0, MOST},
    {"clusterings", WHOLE, ALWAYS, 0, MOST},
    {"reused", WHOLE, ALWAYS, 0, MOST},
    {"setup_seconds", REAL, ALWAYS, 0, INFINITY},
    {"embed_seconds", REAL, ALWAYS, 0, INFINITY},
    {"cluster_seconds", REAL, ALWAYS, 0, INFINITY},
    {"decide_seconds", REAL, ALWAYS, 0, INFINITY},
    {"path", WORD, ALWAYS, 0, 0},
    {"judged", WHOLE, IF_JUDGED, 1, MOST},
    {"judged_best", WHOLE, IF_JUDGED, 0, MOST},
    {"judged_equivalent", REAL, MAYBE_JUDGED, 0, INFINITY},
    {"tv", REAL, MAYBE_JUDGED, 0, INFINITY},
    {"action_tv", REAL, MAYBE_JUDGED, 0, INFINITY},
    {"bound", REAL, MAYBE_JUDGED, 0, INFINITY},
    {"regret", REAL, MAYBE_JUDGED, 0, INFINITY},
    {"exact", WORD, IF_JUDGED, 0, 0},
    {"exact_tv", REAL, MAYBE_JUDGED, 0, INFINITY},
};
enum {
    RUN_CONDITION,
    RUN_SIZE,
    RUN_GRAPH,
    RUN_OPTIMAL,
    RUN_FAILURE,
    RUN_REACHED,
    RUN_WALKED,
    RUN_DECISIONS,
    RUN_POLICIES,
    RUN_STEPS,
    RUN_EQUIVALENT,
    RUN_SETUP_STEPS,
    RUN_K,
    RUN_VALID,
    RUN_CLUSTERINGS,
    RUN_REUSED,
    RUN_SETUP_SECONDS,
    RUN_EMBED_SECONDS,
    RUN_CLUSTER_SECONDS,
    RUN_DECIDE_SECONDS,
    RUN_PATH,
    RUN_JUDGED,
    RUN_JUDGED_BEST,
    RUN_JUDGED_EQUIVALENT,
    RUN_TV,
    RUN_ACTION_TV,
    RUN_BOUND,
    RUN_REGRET,
    RUN_EXACT,
    RUN_EXACT_TV
};
#define N_WORLD ((int32_t)(sizeof worlds / sizeof *worlds))
#define N_RUN ((int32_t)(sizeof runs / sizeof *runs))
_Static_assert(sizeof worlds / sizeof *worlds == SONDE__WORLD_COLUMNS, "a column without a cell");
_Static_assert(sizeof runs / sizeof *runs == SONDE__RUN_COLUMNS, "a column without a cell");

const char *sonde__task_column(int32_t i) {
    static const char *const list[] = {"task", "version", NULL};
    return list[i < 2 ? i : 2];
}

const char *sonde__world_column(int32_t i) {
    return i < N_WORLD ? worlds[i].name : NULL;
}

const char *sonde__run_column(int32_t i) {
    return i < N_RUN ? runs[i].name : NULL;
}

void sonde__row_from_json(sonde__row *row, const char *(*name)(int32_t), const json_t *object) {
    for (int32_t i = 0; name(i) != NULL; i++) {
        const json_t *value = json_object_get(object, name(i));
        sonde__datum *cell = &row->cell[i];
        *cell = (sonde__datum){.kind = SONDE__CELL_OTHER};
        if (value == NULL || json_is_null(value)) {
            cell->kind = SONDE__CELL_NONE;
        } else if (json_is_integer(value)) {
            cell->kind = SONDE__CELL_WHOLE;
            cell->whole = json_integer_value(value);
        } else if (json_is_real(value)) {
            cell->kind = SONDE__CELL_REAL;
            cell->real = json_real_value(value);
        } else if (json_is_string(value)) {
            cell->kind = SONDE__CELL_TEXT;
            cell->text = json_string_value(value);
        }
    }
}

/* ----------------------------------------------------------------------------------- errors -- */

bool sonde__row_wrong(sonde__row *row, const char *table, const char *format, ...) {
    char sentence[256];
    va_list rest;
    va_start(rest, format);
    (void)vsnprintf(sentence, sizeof sentence, format, rest);
    va_end(rest);
    row->status = sonde__fail(row->error, SONDE_BAD_INPUT,
                              "%s: %s %" PRId32 ": %s; it is damaged, or no study made it",
                              row->origin, table, row->number, sentence);
    return false;
}

/* What stands in a cell, for people; a text only where it is short and plain. */
static sonde__path describe(const sonde__datum *cell) {
    switch (cell->kind) {
    case SONDE__CELL_NONE: return sonde__at("nothing");
    case SONDE__CELL_WHOLE: return sonde__at("%" PRId64, cell->whole);
    case SONDE__CELL_REAL: return sonde__at("%g", cell->real);
    case SONDE__CELL_OTHER: return sonde__at("bytes");
    default: break;
    }
    const size_t size = strlen(cell->text);
    bool plain = size < 48;
    for (size_t i = 0; i < size && plain; i++) {
        plain = cell->text[i] >= ' ' && cell->text[i] <= '~';
    }
    return plain ? sonde__at("\"%s\"", cell->text) : sonde__at("another text");
}

static bool expected(sonde__row *row, const char *table, const column *of, const sonde__datum *cell,
                     const char *what) {
    return sonde__row_wrong(row, table, "%s: expected %s, found %s", of->name, what,
                            describe(cell).text);
}

/* ------------------------------------------------------------------------- one cell at a time -- */

static bool check_number(sonde__row *row, const char *table, const column *of, sonde__datum *cell) {
    const bool whole = cell->kind == SONDE__CELL_WHOLE;
    const double value = whole ? (double)cell->whole : cell->real;
    const bool fits = whole || (of->kind == REAL && cell->kind == SONDE__CELL_REAL);
    if (fits && isfinite(value) && value >= of->least && value <= of->most) {
        cell->real = value;
        return true;
    }
    const char *what = of->kind == WHOLE ? "a whole number" : "a number";
    return expected(row, table, of, cell,
                    of->most < MOST ? sonde__at("%s from %g to %g", what, of->least, of->most).text
                                    : sonde__at("%s of %g or more", what, of->least).text);
}

static bool check_cell(sonde__row *row, const char *table, const column *of, sonde__datum *cell,
                       bool graph) {
    const bool judged = row->plan->n_judge > 0;
    const bool there = of->when == ALWAYS || (of->when == IN_GRAPHS && graph) ||
                       (of->when == IN_MODELS && !graph) || (of->when >= IF_JUDGED && judged);
    if (cell->kind == SONDE__CELL_NONE && (!there || of->when == MAYBE_JUDGED)) {
        cell->real = (double)NAN;
        return true;
    }
    if (!there) {
        return expected(row, table, of, cell, "nothing");
    }
    if (of->kind == WORD) {
        return cell->kind == SONDE__CELL_TEXT || expected(row, table, of, cell, "a text");
    }
    return check_number(row, table, of, cell);
}

/* All cells; `size` is where the size of the world stands. */
static bool check_cells(sonde__row *row, const char *table, const column *of, int32_t n,
                        int32_t size) {
    const bool graph = row->cell[size].kind == SONDE__CELL_WHOLE && row->cell[size].whole > 0;
    for (int32_t i = 0; i < n; i++) {
        if (!check_cell(row, table, &of[i], &row->cell[i], graph)) {
            return false;
        }
    }
    return true;
}

/* The number of a name, or -1 with the error. */
static int32_t check_name(sonde__row *row, const char *table, const column *of,
                          const sonde__datum *cell, const char *(*name)(int32_t)) {
    const int32_t found = sonde_name_find(name, cell->text);
    if (found < 0) {
        (void)expected(row, table, of, cell, sonde__at("a name such as \"%s\"", name(0)).text);
    }
    return found;
}

static int32_t whole(const sonde__row *row, int32_t at) {
    return (int32_t)row->cell[at].whole;
}

static double real(const sonde__row *row, int32_t at) {
    return row->cell[at].real;
}

/* ------------------------------------------------------------------------------------- worlds -- */

/* Whether some condition of the plan runs on a world. */
static bool is_planned(sonde__row *row, const sonde__result_world *world) {
    const sonde_plan *plan = row->plan;
    for (int32_t i = 0; i < plan->n_condition; i++) {
        const int32_t c = (row->hint + i) % plan->n_condition;
        const sonde_condition *condition = &plan->condition[c];
        if (sonde__condition_takes(condition, world->size, world->graph) &&
            (world->size > 0
                 ? condition->connect == world->connect &&
                       sonde__condition_horizon(condition, world->size) == world->horizon
                 : world->connect == SONDE_SYMMETRIC)) {
            row->hint = c;
            return true;
        }
    }
    return sonde__row_wrong(row, "world",
                            "expected a world of the plan, found number %" PRId32
                            " of size %" PRId32 ", %s, with %" PRId32 " steps",
                            world->graph, world->size, sonde_connect_name((int32_t)world->connect),
                            world->horizon);
}

/* Whether a document says of itself that it has as many nodes as the world, before anybody makes
 * room for them. */
static bool has_size(const sonde_source *source, int32_t size, sonde_status *status,
                     sonde_error *error) {
    sonde__reader reader;
    *status = sonde__json_parse(&reader, source, error);
    const json_t *nodes = *status == SONDE_OK ? json_object_get(reader.root, "nodes") : NULL;
    const bool same = json_is_integer(nodes) && json_integer_value(nodes) == size;
    sonde__json_close(&reader);
    return same;
}

/* Whether the document is the graph that the row names. Nobody opens that of a model again. */
static bool check_graph(sonde__row *row, const sonde__result_world *world) {
    const sonde_source source = {"document", world->document, strlen(world->document)};
    sonde_graph *graph = NULL;
    sonde_error error = {0};
    sonde_status status = SONDE_OK;
    bool same = has_size(&source, world->size, &status, &error);
    if (status == SONDE_OK && same) {
        status = sonde_graph_parse(&source, NULL, world->seed, &graph, &error);
        same =
            status == SONDE_OK && graph->n_node == world->size && graph->horizon == world->horizon;
    }
    sonde_graph_free(graph);
    if (status == SONDE_NO_MEMORY) {
        row->status = sonde__fail_memory(row->error, row->origin, source.size);
        return false;
    }
    if (status != SONDE_OK) {
        return sonde__row_wrong(row, "world", "%.200s", error.text);
    }
    return same || sonde__row_wrong(row, "world",
                                    "document: expected a graph of %" PRId32 " nodes and %" PRId32
                                    " steps, found another",
                                    world->size, world->horizon);
}

bool sonde__row_world(sonde__row *row, sonde__result_world *world) {
    const sonde__datum *cell = row->cell;
    if (!check_cells(row, "world", worlds, N_WORLD, WORLD_SIZE)) {
        return false;
    }
    const int32_t connect =
        check_name(row, "world", &worlds[WORLD_CONNECT], &cell[WORLD_CONNECT], sonde_connect_name);
    if (connect < 0) {
        return false;
    }
    *world = (sonde__result_world){
        .connect = (sonde_connect)connect,
        .size = whole(row, WORLD_SIZE),
        .horizon = whole(row, WORLD_HORIZON),
        .graph = whole(row, WORLD_GRAPH),
        .n_redraw = whole(row, WORLD_REDRAWS),
        .seed = (uint64_t)cell[WORLD_SEED].whole,
        .n_policy = real(row, WORLD_POLICIES),
        .n_local = real(row, WORLD_LOCAL),
        .shortest = real(row, WORLD_SHORTEST),
        .list_seconds = real(row, WORLD_LIST_SECONDS),
        .document = cell[WORLD_DOCUMENT].text,
    };
    if (!is_planned(row, world)) {
        return false;
    }
    if (world->size > 0) {
        return check_graph(row, world);
    }
    const char *name = row->plan->model[-1 - world->size].name;
    return strcmp(cell[WORLD_MODEL].text, name) == 0 ||
           expected(row, "world", &worlds[WORLD_MODEL], &cell[WORLD_MODEL],
                    sonde__at("\"%.100s\"", name).text);
}

/* --------------------------------------------------------------------------------------- runs -- */

/* Reads digits that make a number below `end`; NULL if there are none. */
static const char *skip_state(const char *path, int64_t end) {
    int64_t state = 0;
    const char *from = path;
    for (; *path >= '0' && *path <= '9' && state < end; path++) {
        state = 10 * state + (*path - '0');
    }
    return path > from && state < end ? path : NULL;
}

/* "3-1-2-2": as many nodes as decisions and one more; of a model "0/1-3/1", states of its factors. */
static bool check_path(sonde__row *row, const sonde__result_run *run) {
    const char *at = run->path;
    const int64_t end = run->is_model ? INT64_C(1) << 31 : run->size;
    int32_t n = 0;
    while (at != NULL && n <= run->n_decision) {
        at = skip_state(at, end);
        while (run->is_model && at != NULL && *at == '/') {
            at = skip_state(at + 1, end);
        }
        n++;
        if (at == NULL || *at != '-') {
            break;
        }
        at++;
    }
    if (at != NULL && *at == '\0' && n == run->n_decision + 1) {
        return true;
    }
    const sonde__path what =
        run->is_model ? sonde__at("the states at %" PRId64 " moments", (int64_t)run->n_decision + 1)
                      : sonde__at("%" PRId64 " nodes from 0 to %" PRId32,
                                  (int64_t)run->n_decision + 1, run->size - 1);
    return expected(row, "run", &runs[RUN_PATH], &row->cell[RUN_PATH], what.text);
}

/* Whether one whole number is at most another one, or a limit. */
static bool check_most(sonde__row *row, int32_t at, int32_t most) {
    return whole(row, at) <= most || expected(row, "run", &runs[at], &row->cell[at],
                                              sonde__at("%" PRId32 " at most", most).text);
}

/* What must fit together in a run. */
static bool check_run(sonde__row *row, const sonde__result_run *run) {
    const sonde_plan *plan = row->plan;
    const int32_t n_step = run->is_model ? plan->model[-1 - run->size].n_step : plan->n_step;
    if (run->optimal != (run->failure == SONDE_FAILURE_NONE) && !run->is_model) {
        return expected(row, "run", &runs[RUN_OPTIMAL], &row->cell[RUN_OPTIMAL],
                        "1 where nothing failed and 0 elsewhere");
    }
    return check_most(row, RUN_DECISIONS, n_step) && check_most(row, RUN_REACHED, n_step) &&
           check_most(row, RUN_VALID, run->k) && check_most(row, RUN_REUSED, run->n_clustering) &&
           check_most(row, RUN_JUDGED, plan->n_judge) &&
           check_most(row, RUN_JUDGED_BEST, run->n_judged) && check_path(row, run);
}

/* Whether the plan has such a run. */
static bool check_place(sonde__row *row) {
    const int32_t c = whole(row, RUN_CONDITION);
    const int32_t size = whole(row, RUN_SIZE);
    const int32_t graph = whole(row, RUN_GRAPH);
    return (c < row->plan->n_condition &&
            sonde__condition_takes(&row->plan->condition[c], size, graph)) ||
           sonde__row_wrong(row, "run",
                            "expected a run of the plan, found condition %" PRId32
                            " on world %" PRId32 " of size %" PRId32,
                            c, graph, size);
}

static const char *exact_name(int32_t i) {
    static const char *const list[] = {"full", "bounded", NULL};
    return list[i < 2 ? i : 2];
}

/* The two names that a run may have. */
static bool check_names(sonde__row *row, sonde__result_run *run) {
    const sonde__datum *failure = &row->cell[RUN_FAILURE];
    const sonde__datum *exact = &row->cell[RUN_EXACT];
    if (failure->kind == SONDE__CELL_TEXT) {
        const int32_t found =
            check_name(row, "run", &runs[RUN_FAILURE], failure, sonde_failure_name);
        if (found < 0) {
            return false;
        }
        run->failure = (sonde_failure)found;
    }
    if (exact->kind == SONDE__CELL_TEXT) {
        const int32_t found = check_name(row, "run", &runs[RUN_EXACT], exact, exact_name);
        run->exact_is_full = found == 0;
        return found >= 0;
    }
    return true;
}

bool sonde__row_run(sonde__row *row, sonde__result_run *run) {
    const sonde__datum *cell = row->cell;
    if (!check_cells(row, "run", runs, N_RUN, RUN_SIZE) || !check_place(row)) {
        return false;
    }
    *run = (sonde__result_run){
        .condition = whole(row, RUN_CONDITION),
        .size = whole(row, RUN_SIZE),
        .graph = whole(row, RUN_GRAPH),
        .is_model = whole(row, RUN_SIZE) < 0,
        .optimal = cell[RUN_OPTIMAL].whole != 0,
        .reached = whole(row, RUN_REACHED),
        .walked = real(row, RUN_WALKED),
        .n_decision = whole(row, RUN_DECISIONS),
        .n_policy = (uint64_t)cell[RUN_POLICIES].whole,
        .n_step = (uint64_t)cell[RUN_STEPS].whole,
        .equivalent = real(row, RUN_EQUIVALENT),
        .n_setup_step = (uint64_t)cell[RUN_SETUP_STEPS].whole,
        .k = whole(row, RUN_K),
        .n_valid = whole(row, RUN_VALID),
        .n_clustering = whole(row, RUN_CLUSTERINGS),
        .n_reused = whole(row, RUN_REUSED),
        .setup_seconds = real(row, RUN_SETUP_SECONDS),
        .embed_seconds = real(row, RUN_EMBED_SECONDS),
        .cluster_seconds = real(row, RUN_CLUSTER_SECONDS),
        .decide_seconds = real(row, RUN_DECIDE_SECONDS),
        .path = cell[RUN_PATH].text,
        .n_judged = whole(row, RUN_JUDGED),
        .n_best = whole(row, RUN_JUDGED_BEST),
        .judged_equivalent = real(row, RUN_JUDGED_EQUIVALENT),
        .tv = real(row, RUN_TV),
        .action_tv = real(row, RUN_ACTION_TV),
        .bound = real(row, RUN_BOUND),
        .regret = real(row, RUN_REGRET),
    };
    return check_names(row, run) && check_run(row, run);
}

/* study_row.c: what may stand in a row, and what must fit together in it.
 *
 * The list of a table's columns (study_schema.c) says of every one what kind of value it holds,
 * from where to where, in which rows, and where in the struct it goes; one reader goes through it.
 * What one column alone cannot tell is checked after that: whether the plan has such a world,
 * whether a path has as many nodes as there were decisions, and all of them in its world, whether
 * the document is the world that the row names. */
#include "study/study_row.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* the columns that are looked at together with others, by name */
#define WORLDS (&sonde__table_of_worlds)
#define RUNS (&sonde__table_of_runs)
#define STEPS (&sonde__table_of_steps)
#define MOST ((double)INT32_MAX)

void sonde__row_from_json(sonde__row *row, const sonde__table_plan *table, const json_t *object) {
    for (int32_t i = 0; i < table->n_column; i++) {
        const json_t *value = json_object_get(object, table->column[i].name);
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

static bool expected(sonde__row *row, const sonde__table_plan *table, int32_t at,
                     const char *what) {
    return sonde__row_wrong(row, table->name, "%s: expected %s, found %s", table->column[at].name,
                            what, describe(&row->cell[at]).text);
}

/* ------------------------------------------------------------------------ one cell at a time -- */

static bool check_number(sonde__row *row, const sonde__table_plan *table, int32_t at) {
    const sonde__column *of = &table->column[at];
    sonde__datum *cell = &row->cell[at];
    const bool whole = cell->kind == SONDE__CELL_WHOLE;
    const double value = whole ? (double)cell->whole : cell->real;
    const bool fits = whole || (of->kind == SONDE__COLUMN_REAL && cell->kind == SONDE__CELL_REAL);
    if (fits && isfinite(value) && value >= of->least && value <= of->most) {
        cell->real = value;
        return true;
    }
    const char *what = of->kind == SONDE__COLUMN_WHOLE ? "a whole number" : "a number";
    return expected(row, table, at,
                    of->most < MOST ? sonde__at("%s from %g to %g", what, of->least, of->most).text
                                    : sonde__at("%s of %g or more", what, of->least).text);
}

/* A text, which may have to be a name; the number of the name goes with it. */
static bool check_word(sonde__row *row, const sonde__table_plan *table, int32_t at) {
    const sonde__column *of = &table->column[at];
    sonde__datum *cell = &row->cell[at];
    if (cell->kind != SONDE__CELL_TEXT) {
        return expected(row, table, at, "a text");
    }
    cell->whole = of->names != NULL ? sonde_name_find(of->names, cell->text) : 0;
    return cell->whole >= 0 ||
           expected(row, table, at, sonde__at("a name such as \"%s\"", of->names(0)).text);
}

static bool check_cell(sonde__row *row, const sonde__table_plan *table, int32_t at, bool graph) {
    const sonde__column *of = &table->column[at];
    sonde__datum *cell = &row->cell[at];
    const bool judged = row->plan->n_judge > 0;
    const bool maybe = of->when == SONDE__MAYBE || of->when == SONDE__MAYBE_JUDGED;
    const bool there = of->when == SONDE__ALWAYS || of->when == SONDE__MAYBE ||
                       (of->when == SONDE__IN_GRAPHS && graph) ||
                       (of->when == SONDE__IN_MODELS && !graph) ||
                       (of->when >= SONDE__IF_JUDGED && judged);
    if (cell->kind == SONDE__CELL_NONE && (!there || maybe)) {
        cell->real = (double)NAN;
        return true;
    }
    if (!there) {
        return expected(row, table, at, "nothing");
    }
    return of->kind == SONDE__COLUMN_WORD ? check_word(row, table, at)
                                          : check_number(row, table, at);
}

/* Puts a value that was checked where its column says. */
static void store(const sonde__column *column, const sonde__datum *cell, void *to) {
    char *field = (char *)to + column->offset;
    const int32_t small = (int32_t)cell->whole;
    const uint64_t large = (uint64_t)cell->whole;
    const bool yes = cell->whole != 0;
    switch (column->target) {
    case SONDE__TO_INT32:
    case SONDE__TO_NAME: memcpy(field, &small, sizeof small); break;
    case SONDE__TO_UINT64: memcpy(field, &large, sizeof large); break;
    case SONDE__TO_BOOL: memcpy(field, &yes, sizeof yes); break;
    case SONDE__TO_DOUBLE: memcpy(field, &cell->real, sizeof cell->real); break;
    case SONDE__TO_TEXT: memcpy(field, &cell->text, sizeof cell->text); break;
    case SONDE__TO_NOTHING: break;
    }
}
_Static_assert(sizeof(sonde_connect) == sizeof(int32_t) && sizeof(sonde_failure) == sizeof(int32_t),
               "a name's number is stored as an int32_t");

/* Checks all cells of a row, and puts them into its struct. */
static bool read_row(sonde__row *row, const sonde__table_plan *table, void *to) {
    const sonde__datum *size = &row->cell[sonde__column_find(table, "size")];
    const bool graph = size->kind == SONDE__CELL_WHOLE && size->whole > 0;
    for (int32_t i = 0; i < table->n_column; i++) {
        if (!check_cell(row, table, i, graph)) {
            return false;
        }
        store(&table->column[i], &row->cell[i], to);
    }
    return true;
}

/* ------------------------------------------------------------------------------------ worlds -- */

/* Whether some condition of the plan runs on a world. */
static bool is_planned(sonde__row *row, const sonde__result_world *world) {
    const sonde_study_plan *plan = row->plan;
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
    sonde_input input = {0};
    sonde_error error = {0};
    sonde_status status = SONDE_OK;
    bool same = has_size(&source, world->size, &status, &error);
    if (status == SONDE_OK && same) {
        status = sonde_graph_read(&source, NULL, world->seed, &input.graph, &error);
        same = status == SONDE_OK && input.graph->n_node == world->size &&
               input.graph->horizon == world->horizon;
    }
    sonde_input_free(&input);
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

/* Whether a row of a model has the plan's name for it. */
static bool check_model(sonde__row *row, const sonde__table_plan *table, int32_t size) {
    const char *name = row->plan->model[-1 - size].name;
    const int32_t at = sonde__column_find(table, "model");
    return strcmp(row->cell[at].text, name) == 0 ||
           expected(row, table, at, sonde__at("\"%.100s\"", name).text);
}

bool sonde__row_world(sonde__row *row, sonde__result_world *world) {
    *world = (sonde__result_world){0};
    if (!read_row(row, WORLDS, world) || !is_planned(row, world)) {
        return false;
    }
    return world->size > 0 ? check_graph(row, world) : check_model(row, WORLDS, world->size);
}

/* -------------------------------------------------------------------------------------- runs -- */

/* Reads digits that make a number below `end`; NULL if there are none. */
static const char *skip_state(const char *path, int64_t end) {
    int64_t state = 0;
    const char *from = path;
    for (; *path >= '0' && *path <= '9' && state < end; path++) {
        state = 10 * state + (*path - '0');
    }
    return path > from && state < end ? path : NULL;
}

/* "3-1-2-2": as many nodes as decisions and one more; of a model "0/1-3/1", its factors'
 * states. */
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
    return expected(row, RUNS, sonde__column_find(RUNS, "path"), what.text);
}

/* Whether a whole number of a run is at most another one, or a limit. */
static bool check_most(sonde__row *row, const char *name, int32_t most) {
    const int32_t at = sonde__column_find(RUNS, name);
    return row->cell[at].whole <= most ||
           expected(row, RUNS, at, sonde__at("%" PRId32 " at most", most).text);
}

/* What must fit together in a run. */
static bool check_run(sonde__row *row, const sonde__result_run *run) {
    const sonde_study_plan *plan = row->plan;
    const int32_t n_step = run->is_model ? plan->model[-1 - run->size].n_step : plan->n_step;
    if (run->optimal != (run->failure == SONDE_FAILURE_NONE) && !run->is_model) {
        return expected(row, RUNS, sonde__column_find(RUNS, "optimal"),
                        "1 where nothing failed and 0 elsewhere");
    }
    return check_most(row, "decisions", n_step) && check_most(row, "reached", n_step) &&
           check_most(row, "valid", run->k) && check_most(row, "reused", run->n_clustering) &&
           check_most(row, "judged", plan->n_judge) &&
           check_most(row, "judged_best", run->n_judged) && check_path(row, run);
}

/* Whether the plan has such a run. */
static bool check_place(sonde__row *row, const sonde__result_run *run) {
    return (run->condition < row->plan->n_condition &&
            sonde__condition_takes(&row->plan->condition[run->condition], run->size, run->graph)) ||
           sonde__row_wrong(row, "run",
                            "expected a run of the plan, found condition %" PRId32
                            " on world %" PRId32 " of size %" PRId32,
                            run->condition, run->graph, run->size);
}

bool sonde__row_run(sonde__row *row, sonde__result_run *run) {
    *run = (sonde__result_run){0};
    if (!read_row(row, RUNS, run) || !check_place(row, run)) {
        return false;
    }
    const sonde__datum *exact = &row->cell[sonde__column_find(RUNS, "exact")];
    run->is_model = run->size < 0;
    run->exact_is_full = exact->kind == SONDE__CELL_TEXT && exact->whole == 0;
    return (!run->is_model || check_model(row, RUNS, run->size)) && check_run(row, run);
}

/* ------------------------------------------------------------------------------------- steps -- */

/* "3/0/2": whole numbers; -1 for an outcome that was not seen. */
static bool check_numbers(sonde__row *row, const char *name) {
    const bool outcome = strcmp(name, "outcome") == 0;
    const int32_t at = sonde__column_find(STEPS, name);
    const char *text = row->cell[at].text;
    do {
        const bool missing = outcome && strncmp(text, "-1", 2) == 0;
        text = missing ? text + 2 : skip_state(text, INT64_C(1) << 31);
    } while (text != NULL && *text++ == '/');
    return (text != NULL && text[-1] == '\0') ||
           expected(row, STEPS, at, "numbers with / between them");
}

/* Past the digits of a number, of which there must be some. */
static const char *skip_digits(const char *text) {
    const size_t n = strspn(text, "0123456789");
    return n > 0 ? text + n : NULL;
}

/* Past a probability as JSON writes it, or NULL: "0.25", "1e-05". */
static const char *skip_probability(const char *text) {
    const char *at = skip_digits(text);
    if (at != NULL && *at == '.') {
        at = skip_digits(at + 1);
    }
    if (at != NULL && *at == 'e') {
        at = skip_digits(at + (at[1] == '-' || at[1] == '+' ? 2 : 1));
    }
    return at;
}

/* Past "[" items "]" with "," between them, or NULL. */
static const char *skip_list(const char *text, const char *(*skip)(const char *)) {
    if (*text != '[') {
        return NULL;
    }
    do {
        text = skip(text + 1);
    } while (text != NULL && *text == ',');
    return text != NULL && *text == ']' ? text + 1 : NULL;
}

static const char *skip_factor(const char *text) {
    return skip_list(text, skip_probability);
}

/* "[[0.5,0.5],[1,0]]", which readers of JSON need not doubt. */
static bool check_belief(sonde__row *row) {
    const int32_t at = sonde__column_find(STEPS, "belief");
    const char *end = skip_list(row->cell[at].text, skip_factor);
    return (end != NULL && *end == '\0') ||
           expected(row, STEPS, at, "a list of probabilities for each factor");
}

bool sonde__row_step(sonde__row *row, const sonde__result_run *run, int32_t number,
                     sonde__result_step *step) {
    *step = (sonde__result_step){0};
    if (!read_row(row, STEPS, step)) {
        return false;
    }
    if (step->condition != run->condition || step->size != run->size || step->graph != run->graph ||
        step->step != number) {
        return sonde__row_wrong(row, "step",
                                "expected step %" PRId32 " of condition %" PRId32
                                " on world %" PRId32 " of size %" PRId32 ", found another",
                                number, run->condition, run->graph, run->size);
    }
    return check_numbers(row, "state") && check_numbers(row, "outcome") &&
           check_numbers(row, "action") && (!run->is_model || check_belief(row));
}

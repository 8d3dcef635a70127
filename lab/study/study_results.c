/* study_results.c: reading the results of a study back, whole.
 *
 * Counted first, then one block: worlds, runs, some of the steps and all their texts. A file may
 * have been damaged or made up, so that every row is checked on its own (study_row.c), and then
 * whether they are exactly those that the plan and the tasks that are done call for: rows come in a
 * strict order, so that none is there twice; each belongs to a task that is done; and there are as
 * many as there should be. */
#include <string.h>

#include "base/memory.h"
#include "study/study_row.h"

typedef struct {
    sonde__results results; /* first: a pointer to it is a pointer to the block */
    int32_t *task;
    sonde__result_world *world;
    sonde__result_run *run;
    sonde__result_step *step;
    char *letters;
    char *next; /* where the next text goes */
} build;

/* how many rows and letters there are */
typedef struct {
    int64_t n_task;
    int64_t n_world;
    int64_t n_run;
    int64_t n_step; /* all of them */
    int64_t n_kept; /* of which are kept */
    int64_t n_letter;
} extent;

/* a file while it is read */
typedef struct {
    sonde__db *db;
    const char *version; /* of the library that made it */
    extent all;
    build *b;
    sonde__row row;
    int32_t run;      /* the one whose step comes next */
    int32_t run_step; /* and its number */
} reading;

static build *carve(sonde__arena *arena, const extent *all) {
    build *b = SONDE__TAKE(arena, build, 1);
    build none;
    build *to = b != NULL ? b : &none;
    to->task = SONDE__TAKE(arena, int32_t, all->n_task);
    to->world = SONDE__TAKE(arena, sonde__result_world, all->n_world);
    to->run = SONDE__TAKE(arena, sonde__result_run, all->n_run);
    to->step = SONDE__TAKE(arena, sonde__result_step, all->n_kept);
    to->letters = SONDE__TAKE(arena, char, all->n_letter);
    to->next = to->letters;
    return b;
}

/* Counts what there is. */
static sonde_status measure(sonde__db *db, const char *path, extent *all, sonde_error *error) {
    static const char *const sql =
        "SELECT (SELECT count(*) FROM task), (SELECT count(*) FROM world), "
        "(SELECT count(*) FROM run), (SELECT count(*) FROM step), "
        "(SELECT count(*) FROM step WHERE graph < %d), "
        "(SELECT coalesce(sum(length(CAST(document AS BLOB)) + 1), 0) FROM world) + "
        "(SELECT coalesce(sum(length(CAST(path AS BLOB)) + 1), 0) FROM run) + "
        "(SELECT coalesce(sum(length(CAST(state AS BLOB)) + length(CAST(outcome AS BLOB)) + "
        "length(CAST(action AS BLOB)) + coalesce(length(CAST(belief AS BLOB)), 0) + 4), 0) "
        "FROM step WHERE graph < %d)";
    int64_t *count[] = {&all->n_task, &all->n_world, &all->n_run,
                        &all->n_step, &all->n_kept,  &all->n_letter};
    sonde__query *query = NULL;
    sonde_text text = {0};
    sonde_text_add(&text, sql, SONDE__STEPS_KEPT, SONDE__STEPS_KEPT);
    sonde_status status = text.failed ? sonde__fail_memory(error, path, text.size) : SONDE_OK;
    if (status == SONDE_OK &&
        (!sonde__query_new(db, text.data, &query) || sonde__query_step(query) != SONDE__STEP_ROW)) {
        status = sonde__db_fail(db, path, error);
    }
    for (int32_t i = 0; i < 6 && status == SONDE_OK; i++) {
        *count[i] = sonde__query_datum(query, i).whole;
        if (*count[i] > INT32_MAX && count[i] != &all->n_letter) {
            status = sonde__fail(error, SONDE_BAD_INPUT, "%s: expected %d rows at most, found more",
                                 path, INT32_MAX);
        }
    }
    sonde__query_free(query);
    sonde_text_free(&text);
    return status;
}

/* Copies a text into the block; NULL if there is more of them than was counted. */
static const char *keep(reading *s, const char *text) {
    build *b = s->b;
    const size_t size = strlen(text) + 1;
    if (size > (size_t)(b->letters + s->all.n_letter - b->next)) {
        return NULL;
    }
    char *here = b->next;
    memcpy(here, text, size);
    b->next += size;
    return here;
}

/* ------------------------------------------------------------------------------------- order -- */

/* Below, at and above 0 as a comes before b, is the same, or comes after it. */
static int compare_worlds(const sonde__result_world *a, const sonde__result_world *b) {
    const int32_t x[] = {(int32_t)a->connect, a->size, a->horizon, a->graph};
    const int32_t y[] = {(int32_t)b->connect, b->size, b->horizon, b->graph};
    int order = 0;
    for (int i = 0; i < 4 && order == 0; i++) {
        order = (x[i] > y[i]) - (x[i] < y[i]);
    }
    return order;
}

static int compare_runs(const sonde__result_run *a, const sonde__result_run *b) {
    const int32_t x[] = {a->condition, a->size, a->graph};
    const int32_t y[] = {b->condition, b->size, b->graph};
    int order = 0;
    for (int i = 0; i < 3 && order == 0; i++) {
        order = (x[i] > y[i]) - (x[i] < y[i]);
    }
    return order;
}

/* How many tasks that are done come before one. */
static int32_t tasks_before(const build *b, int64_t task) {
    int32_t low = 0;
    int32_t high = b->results.n_task_done;
    while (low < high) {
        const int32_t middle = low + (high - low) / 2;
        if (b->task[middle] < task) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static bool is_done(const build *b, const sonde_study_plan *plan, int32_t size, int32_t graph) {
    const int32_t task = sonde__plan_find(plan, size, graph);
    const int32_t at = tasks_before(b, task);
    return task >= 0 && at < b->results.n_task_done && b->task[at] == task;
}

/* The first world that does not come before one, and n_world if all do. */
static int32_t find_world(const build *b, const sonde__result_world *world) {
    int32_t low = 0;
    int32_t high = b->results.n_world;
    while (low < high) {
        const int32_t middle = low + (high - low) / 2;
        if (compare_worlds(&b->world[middle], world) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* Whether the world of a run is there. That of a model has the horizon of the model. */
static bool has_world(const build *b, const sonde_study_plan *plan, const sonde__result_run *run) {
    const sonde_condition *condition = &plan->condition[run->condition];
    sonde__result_world world = {.size = run->size,
                                 .connect = run->is_model ? SONDE_SYMMETRIC : condition->connect,
                                 .horizon = sonde__condition_horizon(condition, run->size)};
    if (run->is_model) {
        const int32_t first = find_world(b, &world);
        world.horizon = first < b->results.n_world ? b->world[first].horizon : 0;
    }
    world.graph = run->graph;
    const int32_t at = find_world(b, &world);
    return at < b->results.n_world && compare_worlds(&b->world[at], &world) == 0;
}

/* -------------------------------------------------------------------------------------- rows -- */

static bool read_task(reading *s) {
    build *b = s->b;
    const sonde__datum *cell = s->row.cell;
    const int32_t n = b->results.n_task_done;
    if (cell[0].kind != SONDE__CELL_WHOLE || cell[0].whole < 0 ||
        cell[0].whole >= s->row.plan->n_task || (n > 0 && b->task[n - 1] >= cell[0].whole)) {
        return sonde__row_wrong(&s->row, "task", "expected tasks from 0 to %d, each once",
                                s->row.plan->n_task - 1);
    }
    if (cell[1].kind != SONDE__CELL_TEXT || strcmp(cell[1].text, s->version) != 0) {
        return sonde__row_wrong(&s->row, "task",
                                "expected the work of version %.40s, found another's", s->version);
    }
    b->task[b->results.n_task_done++] = (int32_t)cell[0].whole;
    return true;
}

static bool read_world(reading *s) {
    build *b = s->b;
    const int32_t n = b->results.n_world;
    sonde__result_world *world = &b->world[n];
    if (!sonde__row_world(&s->row, world)) {
        return false;
    }
    world->document = keep(s, world->document);
    /* an episode of the same model as the one before */
    const bool again = n > 0 && world->size < 0 && world[-1].size == world->size;
    if (world->document == NULL || (n > 0 && compare_worlds(&world[-1], world) >= 0) ||
        !is_done(b, s->row.plan, world->size, world->graph)) {
        return sonde__row_wrong(&s->row, "world",
                                "expected worlds of tasks that are done, each once");
    }
    if (again &&
        (world[-1].horizon != world->horizon || strcmp(world[-1].document, world->document) != 0)) {
        return sonde__row_wrong(&s->row, "world",
                                "expected the same model in all its episodes; its file was changed "
                                "between them");
    }
    b->results.n_world++;
    return true;
}

static bool read_run(reading *s) {
    build *b = s->b;
    const int32_t n = b->results.n_run;
    sonde__result_run *run = &b->run[n];
    if (!sonde__row_run(&s->row, run)) {
        return false;
    }
    run->path = keep(s, run->path);
    if (run->path == NULL || (n > 0 && compare_runs(&run[-1], run) >= 0) ||
        !is_done(b, s->row.plan, run->size, run->graph)) {
        return sonde__row_wrong(&s->row, "run", "expected runs of tasks that are done, each once");
    }
    if (!has_world(b, s->row.plan, run)) {
        return sonde__row_wrong(&s->row, "run", "its world is missing");
    }
    b->results.n_run++;
    return true;
}

/* Keeps a step of one of the first worlds. */
static bool keep_step(reading *s, const sonde__result_step *step) {
    build *b = s->b;
    if (b->results.n_step >= s->all.n_kept) {
        return false;
    }
    sonde__result_step *kept = &b->step[b->results.n_step];
    *kept = *step;
    kept->state = keep(s, step->state);
    kept->outcome = keep(s, step->outcome);
    kept->action = keep(s, step->action);
    kept->belief = step->belief != NULL ? keep(s, step->belief) : NULL;
    b->results.n_step++;
    return kept->state != NULL && kept->outcome != NULL && kept->action != NULL &&
           (kept->belief != NULL || step->belief == NULL);
}

/* Steps come in the order of their runs, all of them. */
static bool read_step(reading *s) {
    build *b = s->b;
    sonde__result_step step;
    if (!s->row.plan->record_steps || s->run == b->results.n_run) {
        return sonde__row_wrong(&s->row, "step", "expected no more steps");
    }
    const sonde__result_run *run = &b->run[s->run];
    if (!sonde__row_step(&s->row, run, s->run_step, &step)) {
        return false;
    }
    if (step.graph < SONDE__STEPS_KEPT && !keep_step(s, &step)) {
        return sonde__row_wrong(&s->row, "step", "expected fewer steps");
    }
    s->run_step = s->run_step + 1 < run->n_decision ? s->run_step + 1 : 0;
    s->run += s->run_step == 0 ? 1 : 0;
    return true;
}

/* a table, and how its rows are read */
typedef struct {
    const sonde__table_plan *plan;
    bool (*read)(reading *s);
} table;

/* Reads every row of a table, at most as many as were counted. */
static bool step_all(reading *s, const table *from, sonde__query *query, int64_t n) {
    sonde__step step = SONDE__STEP_ROW;
    for (s->row.number = 0; step == SONDE__STEP_ROW; s->row.number++) {
        step = sonde__query_step(query);
        if (step != SONDE__STEP_ROW) {
            break;
        }
        for (int32_t i = 0; i < from->plan->n_column; i++) {
            s->row.cell[i] = sonde__query_datum(query, i);
        }
        if (sonde__db_refused(s->db)) {
            break;
        }
        if (s->row.number >= n) {
            return sonde__row_wrong(&s->row, from->plan->name, "expected no more rows");
        }
        if (!from->read(s)) {
            return false;
        }
    }
    if (step != SONDE__STEP_DONE) {
        s->row.status = sonde__db_fail(s->db, s->row.origin, s->row.error);
    }
    return step == SONDE__STEP_DONE;
}

static bool read_table(reading *s, const table *from, int64_t n) {
    sonde__query *query = NULL;
    sonde_text sql = {0};
    sonde__table_select(from->plan, &sql);
    bool good = false;
    if (sql.failed) {
        s->row.status = sonde__fail_memory(s->row.error, s->row.origin, sql.size);
    } else if (!sonde__query_new(s->db, sql.data, &query)) {
        s->row.status = sonde__db_fail(s->db, s->row.origin, s->row.error);
    } else {
        good = step_all(s, from, query, n);
    }
    sonde__query_free(query);
    sonde_text_free(&sql);
    return good;
}

/* How many runs the tasks that are done have. Those of a size follow each other, by number. */
static int64_t count_runs(const build *b, const sonde_study_plan *plan) {
    int64_t n = 0;
    for (int32_t c = 0; c < plan->n_condition; c++) {
        const sonde_condition *condition = &plan->condition[c];
        for (int32_t i = 0; i < condition->n_size; i++) {
            const int64_t first = sonde__plan_find(plan, condition->size[i], 0);
            n += tasks_before(b, first + condition->n_graph) - tasks_before(b, first);
        }
    }
    return n;
}

/* Whether there are as many runs as the tasks that are done have. */
static bool check_runs(reading *s) {
    const int64_t n_run = count_runs(s->b, s->row.plan);
    if (n_run != s->b->results.n_run) {
        s->row.status =
            sonde__fail(s->row.error, SONDE_BAD_INPUT,
                        "%s: expected %lld runs of the %d tasks that are done, found %d; it is "
                        "damaged: use a copy of it, or begin anew in another file",
                        s->row.origin, (long long)n_run, (int)s->b->results.n_task_done,
                        (int)s->b->results.n_run);
    }
    return n_run == s->b->results.n_run;
}

/* Whether there are steps of every run, where they are recorded. */
static bool check_steps(reading *s) {
    const bool complete = !s->row.plan->record_steps || s->run == s->b->results.n_run;
    if (!complete) {
        s->row.status =
            sonde__fail(s->row.error, SONDE_BAD_INPUT,
                        "%s: expected every step of %d runs, found none of run %d from step %d on; "
                        "it is damaged: use a copy of it, or begin anew in another file",
                        s->row.origin, (int)s->b->results.n_run, (int)s->run, (int)s->run_step);
    }
    return complete;
}

/* All tables, and whether they are complete. */
static sonde_status read_tables(reading *s) {
    static const table tables[] = {
        {&sonde__table_of_tasks, read_task},
        {&sonde__table_of_worlds, read_world},
        {&sonde__table_of_runs, read_run},
        {&sonde__table_of_steps, read_step},
    };
    const bool good = read_table(s, &tables[0], s->all.n_task) &&
                      read_table(s, &tables[1], s->all.n_world) &&
                      read_table(s, &tables[2], s->all.n_run) && check_runs(s) &&
                      read_table(s, &tables[3], s->all.n_step) && check_steps(s);
    return good ? SONDE_OK : s->row.status;
}

/* The version a file was made by: a short word. */
static sonde_status read_version(sonde__db *db, const char *path, char **version,
                                 sonde_error *error) {
    bool refused = false;
    *version = sonde__schema_meta(db, "version", &refused);
    if (refused) {
        return sonde__fail_memory(error, path, 0);
    }
    const size_t size = *version != NULL ? strlen(*version) : 0;
    if (size > 0 && size <= 40 &&
        strspn(*version, "0123456789.abcdefghijklmnopqrstuvwxyz+-") == size) {
        return SONDE_OK;
    }
    return sonde__fail(error, SONDE_BAD_INPUT, "%s: expected the version that made it, found none",
                       path);
}

sonde_status sonde__results_load(sonde__db *db, const char *path, const sonde_study_plan *plan,
                                 sonde__results **results, sonde_error *error) {
    reading s = {.db = db, .row = {.plan = plan, .origin = path, .error = error}};
    char *version = NULL;
    sonde__arena arena = {0};
    sonde_status status = read_version(db, path, &version, error);
    if (status == SONDE_OK) {
        status = measure(db, path, &s.all, error);
    }
    if (status == SONDE_OK) {
        s.version = version;
        s.all.n_letter += (int64_t)(strlen(path) + strlen(version) + 2);
        (void)carve(&arena, &s.all);
        status =
            sonde__arena_reserve(&arena) ? SONDE_OK : sonde__fail_memory(error, path, arena.used);
    }
    if (status == SONDE_OK) {
        s.b = carve(&arena, &s.all);
        s.b->results = (sonde__results){.path = keep(&s, path),
                                        .version = keep(&s, version),
                                        .task = s.b->task,
                                        .world = s.b->world,
                                        .run = s.b->run,
                                        .step = s.b->step};
        status = read_tables(&s);
    }
    sonde__free(version);
    if (status == SONDE_OK) {
        *results = &s.b->results;
    } else {
        sonde__arena_free(&arena);
    }
    return status;
}

/* The plan, and whether its steps were recorded, which whoever ran it may have added. */
static sonde_status read_plan(sonde__db *db, const char *path, sonde_study_plan **plan,
                              sonde_error *error) {
    bool refused = false;
    char *text = sonde__schema_meta(db, "plan", &refused);
    char *record = sonde__schema_meta(db, "record_steps", &refused);
    sonde_text origin = {0};
    sonde_text_add(&origin, "%s: its plan", path);
    sonde_status status = SONDE_OK;
    if (refused || origin.failed) {
        status = sonde__fail_memory(error, path, 0);
    } else if (text == NULL) {
        status = sonde__fail(error, SONDE_BAD_INPUT, "%s: its plan is missing", path);
    } else {
        const sonde_source source = {origin.data, text, strlen(text)};
        status = sonde__plan_parse(&source, plan, error);
    }
    if (status == SONDE_OK && *plan != NULL) {
        (*plan)->record_steps = record != NULL && strcmp(record, "true") == 0;
    }
    sonde_text_free(&origin);
    sonde__free(text);
    sonde__free(record);
    return status;
}

sonde_status sonde__results_read(const char *path, sonde__results **results, sonde_error *error) {
    sonde__db *db = NULL;
    sonde_study_plan *plan = NULL;
    /* to be written where that can be: a study that was killed left something to take back */
    sonde_status status = sonde__db_open(path, false, &db, error);
    if (status == SONDE_OK) {
        /* one moment's state, whatever is written meanwhile */
        status = sonde__db_execute(db, "PRAGMA query_only = ON; BEGIN")
                     ? sonde__schema_check(db, path, error)
                     : sonde__db_fail(db, path, error);
    }
    if (status == SONDE_OK) {
        status = read_plan(db, path, &plan, error);
    }
    if (status == SONDE_OK) {
        status = sonde__results_load(db, path, plan, results, error);
    }
    sonde__db_close(db);
    if (status == SONDE_OK) {
        (*results)->plan = plan;
    } else {
        sonde_study_plan_free(plan);
    }
    return status;
}

void sonde__results_free(sonde__results *results) {
    if (results != NULL) {
        sonde_study_plan_free(results->plan);
        sonde__free(results);
    }
}

/* summary_json.c: a study as one document, from which pages and figures are drawn.
 *
 * Every condition on the worlds of every size is a cell: how many runs were optimal, with Wilson's
 * interval, what became of the others, and each measure that the runs have, with its intervals. A
 * figure is a choice of cells. Runs follow each other in the order of cells and are kept as
 * columns; docs/formats.md has it all. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/settings.h"
#include "base/status.h"
#include "summary/summary_space.h"

#define DRAWN_MAX 40 /* nodes up to which worlds are there with their places */

/* ------------------------------------------------------------------------------------- study -- */

/* The last part of a path. */
static const char *file_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash != NULL && slash[1] != '\0' ? slash + 1 : path;
}

/* Whether the plan is the one that is built in under its name; without memory the text fails. */
static bool is_builtin(const sonde_study_plan *plan, sonde_text *json) {
    if (sonde_name_find(sonde_study_plan_name, plan->name) < 0 || plan->text == NULL) {
        return false;
    }
    sonde_study_plan *builtin = NULL;
    const sonde_status status = sonde_study_plan_read(plan->name, &builtin, NULL);
    const bool same = status == SONDE_OK && strcmp(builtin->text, plan->text) == 0;
    json->failed = json->failed || status == SONDE_NO_MEMORY;
    sonde_study_plan_free(builtin);
    return same;
}

static void add_study(const sonde__results *results, sonde_text *json) {
    const sonde_study_plan *plan = results->plan;
    sonde_text_add(json, ",\n\"study\": {\"seed\": \"%" PRIu64 "\"", plan->seed);
    sonde__text_words(json, "plan", plan->name);
    sonde__text_words(json, "file", file_name(results->path));
    sonde__text_words(json, "made_by", results->version);
    sonde__text_whole(json, "steps", plan->n_step);
    sonde__text_whole(json, "judged", plan->n_judge);
    sonde__text_whole(json, "tasks", plan->n_task);
    sonde__text_whole(json, "tasks_done", results->n_task_done);
    sonde__text_whole(json, "runs", results->n_run);
    sonde_text_add(json, ", \"builtin\": %s, \"models\": [",
                   is_builtin(plan, json) ? "true" : "false");
    for (int32_t m = 0; m < plan->n_model; m++) {
        sonde_text_add(json, m > 0 ? ", " : "");
        sonde_text_add_quoted(json, plan->model[m].name);
    }
    sonde_text_add(json, "]");
    sonde__text_words(json, "text", plan->text != NULL ? plan->text : "");
    sonde_text_add(json, "}");
}

/* -------------------------------------------------------------------------------- conditions -- */

/* What the search was told, key by key, as its options are. */
static void add_settings(const sonde_condition *condition, sonde_text *json) {
    const sonde_setting *row;
    bool first = true;
    sonde_text_add(json, ", \"settings\": {");
    for (int32_t i = 0; (row = sonde_setting_at(i)) != NULL; i++) {
        sonde_text value = {0};
        if (sonde__setting_is_told(&condition->search, i) &&
            sonde_settings_get(&condition->search, row->key, &value, NULL) == SONDE_OK) {
            sonde_text_add(json, "%s\"%s\": ", first ? "" : ", ", row->key);
            sonde_text_add_quoted(json, value.data != NULL ? value.data : "");
            first = false;
        }
        json->failed = json->failed || value.failed;
        sonde_text_free(&value);
    }
    sonde_text_add(json, "}");
}

static void add_differences(const sonde_condition *condition, sonde_text *json) {
    bool first = true;
    sonde_text_add(json, ", \"differences\": [");
    for (int32_t bit = 0; bit < SONDE_DIFFERENCE_COUNT; bit++) {
        if ((condition->differences >> bit & 1u) != 0) {
            sonde_text_add(json, "%s\"%s\"", first ? "" : ", ", sonde_difference_name(bit));
            first = false;
        }
    }
    sonde_text_add(json, "]");
}

static void add_condition(const sonde_study_plan *plan, int32_t c, sonde_text *json) {
    const sonde_condition *condition = &plan->condition[c];
    const sonde__cell_key key = sonde__key_of(condition);
    const bool lags = (condition->differences >> SONDE_DIFFERENCE_LAG & 1u) != 0 && key.k > 0;
    sonde_text_add(json, "{\"search\": \"%s\", \"scope\": \"%s\", \"embedding\": \"%s\"",
                   sonde_plan_search_name((int32_t)condition->search.search),
                   sonde_scope_name((int32_t)key.scope), key.embedding);
    sonde__text_words(json, "group", condition->group);
    sonde__text_words(json, "label", condition->label);
    sonde_text name = {0};
    sonde__short_label(plan, c, &name);
    sonde__text_words(json, "short", name.data != NULL ? name.data : "");
    json->failed = json->failed || name.failed;
    sonde_text_free(&name);
    sonde__text_words(json, "line", sonde__line_of(condition).text);
    sonde__text_whole(json, "k", key.k);
    sonde__text_whole(json, "k_used", lags ? condition->k_before : key.k);
    sonde__text_whole(json, "k_before", condition->k_before);
    sonde__text_whole(json, "n", key.n);
    sonde__text_words(json, "semantics", sonde_semantics_name(condition->differences));
    add_differences(condition, json);
    sonde__text_words(json, "connect", sonde_connect_name((int32_t)condition->connect));
    sonde__text_words(json, "action", sonde__action_name((int32_t)condition->search.action));
    sonde__text_whole(json, "horizon", condition->horizon);
    sonde__text_whole(json, "graphs", condition->n_graph);
    add_settings(condition, json);
    sonde_text_add(json, "}");
}

/* ------------------------------------------------------------------------------------- cells -- */

static void add_estimates(const sonde__summary *summary, sonde__run_list runs, sonde_text *json) {
    for (int32_t m = 0; m < SONDE__MEASURE_COUNT; m++) {
        const sonde__estimate found =
            sonde__estimate_of(runs, (sonde__measure_code)m, summary->scratch);
        const double number[] = {(double)found.n,   found.mean,   found.low,
                                 found.high,        found.median, found.median_low,
                                 found.median_high, found.least,  found.most};
        if (found.n > 0) {
            sonde_text_add(json, ", \"%s\": ", sonde__measure_at(m)->name);
            sonde__text_numbers(json, number, 9);
        }
    }
}

/* How many runs were optimal, in percent with its interval, and what became of the others. */
static void add_tally(sonde__run_list runs, sonde_text *json) {
    sonde__tally tally = {0};
    double share[3] = {NAN, NAN, NAN};
    sonde__tally_add(&tally, runs);
    if (tally.n_model > 0) {
        return;
    }
    sonde__wilson(tally.n_failure[SONDE_FAILURE_NONE], tally.n_run, &share[1], &share[2]);
    share[0] = sonde__tally_percent(&tally);
    share[1] *= 100.0;
    share[2] *= 100.0;
    sonde_text_add(json, ", \"optimal\": ");
    sonde__text_numbers(json, share, 3);
    sonde_text_add(json, ", \"failures\": [");
    for (int32_t i = 0; i < SONDE__FAILURE_COUNT; i++) {
        sonde_text_add(json, "%s%" PRId32, i > 0 ? ", " : "", tally.n_failure[i]);
    }
    sonde_text_add(json, "]");
}

static void add_cell(const sonde__summary *summary, int32_t c, int32_t size, bool first,
                     sonde_text *json) {
    const sonde__results *results = summary->results;
    const sonde__run_list runs = sonde__runs(results, c, size);
    if (runs.n == 0) {
        return;
    }
    sonde_text_add(json,
                   "%s\n {\"condition\": %" PRId32 ", \"size\": %" PRId32
                   ", \"first\": %td, \"runs\": %" PRId32,
                   first ? "" : ",", c, size, runs.run - results->run, runs.n);
    sonde__text_words(json, "place",
                      size > 0 ? sonde__place_name(results->plan, size).text
                               : results->plan->model[-1 - size].name);
    if (sonde__is_own(&results->plan->condition[c], size)) {
        sonde_text_add(json, ", \"own\": true");
    }
    if (runs.run[0].n_judged > 0) {
        sonde__text_words(json, "exact", runs.run[0].exact_is_full ? "full" : "bounded");
    }
    add_tally(runs, json);
    add_estimates(summary, runs, json);
    sonde_text_add(json, "}");
}

/* Runs are in the order of conditions and sizes, so that each change of either begins a cell. */
static void add_cells(const sonde__summary *summary, sonde_text *json) {
    const sonde__results *results = summary->results;
    for (int32_t i = 0; i < results->n_run; i++) {
        const sonde__result_run *run = &results->run[i];
        if (i == 0 || run->condition != run[-1].condition || run->size != run[-1].size) {
            add_cell(summary, run->condition, run->size, i == 0, json);
        }
    }
}

/* ------------------------------------------------------------------------------------ worlds -- */

/* Where the nodes go in a picture: x, y, x, y, ... */
static sonde_status add_places(const sonde__result_world *world, sonde_text *json) {
    sonde_input input = {0};
    double place[2 * DRAWN_MAX];
    sonde_status status = sonde__world_read(world, &input, NULL);
    if (status == SONDE_OK && input.graph->n_node <= DRAWN_MAX) {
        status = sonde_draw_layout(input.graph, place, NULL);
        if (status == SONDE_OK) {
            sonde_text_add(json, ", \"place\": [");
            for (int32_t i = 0; i < 2 * input.graph->n_node; i++) {
                sonde_text_add(json, i > 0 ? ", " : "");
                sonde__text_add_rounded(json, 4, place[i]);
            }
            sonde_text_add(json, "]");
        }
    }
    sonde_input_free(&input);
    return status;
}

static sonde_status add_world(const sonde__result_world *world, sonde_text *json) {
    sonde_text_add(json, "{\"seed\": \"%" PRIu64 "\"", world->seed);
    sonde__text_whole(json, "size", world->size);
    sonde__text_whole(json, "graph", world->graph);
    sonde__text_whole(json, "horizon", world->horizon);
    sonde__text_words(json, "connect", sonde_connect_name((int32_t)world->connect));
    sonde__text_whole(json, "redraws", world->n_redraw);
    sonde__text_pair(json, "policies", world->n_policy);
    sonde__text_pair(json, "local", world->n_local);
    sonde__text_pair(json, "shortest", world->shortest);
    sonde_status status = SONDE_OK;
    if (world->size > 0 && world->size <= DRAWN_MAX && world->document != NULL) {
        sonde__text_words(json, "document", world->document);
        status = add_places(world, json);
    }
    sonde_text_add(json, "}");
    return status;
}

/* -------------------------------------------------------------------------------------- runs -- */

/* Columns of runs, in the order of cells. */
static void add_run_value(const sonde__result_run *run, int32_t column, sonde_text *json) {
    switch (column) {
    case 0: sonde_text_add(json, "%" PRId32, run->graph); return;
    case 1: sonde_text_add(json, "%d", run->is_model ? -1 : (int)run->failure); return;
    case 2: sonde_text_add(json, "%" PRId32, run->reached); return;
    case 3: sonde_text_add(json, "%" PRId32, run->n_decision); return;
    case 4: sonde_text_add(json, "%" PRIu64, run->n_step); return;
    case 5: sonde__text_add_rounded(json, 3, run->decide_seconds); return;
    case 6: sonde_text_add_number(json, run->is_model ? (double)NAN : run->walked); return;
    case 7: sonde_text_add_number(json, run->n_judged > 0 ? run->tv : (double)NAN); return;
    default: sonde_text_add_quoted(json, run->path != NULL ? run->path : "");
    }
}

static void add_runs(const sonde__results *results, sonde_text *json) {
    static const char *const name[] = {"graph",   "failure", "reached", "decisions", "steps",
                                       "seconds", "walked",  "tv",      "path"};
    bool judged = false;
    for (int32_t i = 0; i < results->n_run; i++) {
        judged = judged || results->run[i].n_judged > 0;
    }
    sonde_text_add(json, ",\n\"runs\": {");
    for (int32_t column = 0; column < 9; column++) {
        if (column == 7 && !judged) {
            continue;
        }
        sonde_text_add(json, "%s\n \"%s\": [", column > 0 ? "," : "", name[column]);
        for (int32_t i = 0; i < results->n_run; i++) {
            sonde_text_add(json, i > 0 ? "," : "");
            add_run_value(&results->run[i], column, json);
        }
        sonde_text_add(json, "]");
    }
    sonde_text_add(json, "}");
}

/* ---------------------------------------------------------------------------- the main table -- */

static void add_source(const sonde__table_cell *cell, int32_t source, const char *name,
                       sonde_text *json) {
    double low = 0.0;
    double high = 0.0;
    sonde_text_add(json, ", \"%s\": ", name);
    if (cell->n_graph[source] == 0) {
        sonde_text_add(json, "null");
        return;
    }
    sonde__wilson(cell->n_optimal[source], cell->n_graph[source], &low, &high);
    const double number[] = {cell->percent[source], 100.0 * low, 100.0 * high};
    sonde_text_add(json, "{\"optimal\": %" PRId32 ", \"graphs\": %" PRId32 ", \"percent\": ",
                   cell->n_optimal[source], cell->n_graph[source]);
    sonde__text_numbers(json, number, 3);
    sonde_text_add(json, ", \"best\": %s}", cell->best[source] ? "true" : "false");
}

/* How many values would be outside if Sonde's were no better known than its graphs allow. */
static double outside_by_chance(const sonde__table_sum *table) {
    double expected = 0.0;
    for (int32_t i = 0; i < table->n_row * table->n_size; i++) {
        const sonde__table_cell *cell = &table->cell[i];
        if (cell->compared) {
            const double spread =
                1.0 + (double)cell->n_graph[SONDE__PAPER] / (double)cell->n_graph[SONDE__NOTEBOOK];
            expected += erfc(1.959963984540054 / sqrt(2.0 * spread));
        }
    }
    return expected;
}

static void add_table(const sonde__table_sum *table, sonde_text *json) {
    static const char *const source[SONDE__SOURCE_COUNT] = {"paper", "notebook", "text"};
    const double number[] = {outside_by_chance(table), table->apart[SONDE__NOTEBOOK],
                             table->apart[SONDE__TEXT]};
    sonde_text_add(
        json, ",\n\"table1\": {\"compared\": %" PRId32 ", \"inside\": %" PRId32 ", \"chance\": ",
        table->n_compared, table->n_inside);
    sonde_text_add_number(json, number[0]);
    sonde_text_add(json, ", \"apart\": ");
    sonde__text_numbers(json, number + 1, 2);
    sonde_text_add(json, ", \"cells\": [");
    for (int32_t i = 0; i < table->n_row * table->n_size; i++) {
        const sonde__cell_key *key = &table->key[i / table->n_size];
        const sonde__table_cell *cell = &table->cell[i];
        sonde_text_add(json, "%s\n {\"scope\": \"%s\", \"embedding\": \"%s\"", i > 0 ? "," : "",
                       sonde_scope_name((int32_t)key->scope), key->embedding);
        sonde__text_whole(json, "k", key->k);
        sonde__text_whole(json, "n", key->n);
        sonde__text_whole(json, "size", table->size[i % table->n_size]);
        for (int32_t s = 0; s < SONDE__SOURCE_COUNT; s++) {
            add_source(cell, s, source[s], json);
        }
        sonde_text_add(json, ", \"outside\": %s}",
                       !cell->compared ? "null"
                       : cell->outside ? "true"
                                       : "false");
    }
    sonde_text_add(json, "]}");
}

/* --------------------------------------------------------------------------------------- all -- */

sonde_status sonde__summary_json(const sonde__summary *summary, sonde_text *json,
                                 sonde_error *error) {
    const sonde__results *results = summary->results;
    sonde_status status = SONDE_OK;
    sonde_text_add(json, "{\"format\": \"sonde-summary\", \"version\": 1, \"sonde\": ");
    sonde_text_add_quoted(json, sonde_version());
    add_study(results, json);
    sonde_text_add(json, ",\n\"failures\": [");
    for (int32_t i = 0; i < SONDE__FAILURE_COUNT; i++) {
        sonde_text_add(json, "%s\"%s\"", i > 0 ? ", " : "", sonde_failure_name(i));
    }
    sonde_text_add(json, "],\n\"estimate\": [\"n\", \"mean\", \"low\", \"high\", \"median\", "
                         "\"median_low\", \"median_high\", \"least\", \"most\"],\n"
                         "\"conditions\": [");
    for (int32_t c = 0; c < results->plan->n_condition; c++) {
        sonde_text_add(json, c > 0 ? ",\n " : "\n ");
        add_condition(results->plan, c, json);
    }
    sonde_text_add(json, "],\n\"cells\": [");
    add_cells(summary, json);
    sonde_text_add(json, "],\n\"worlds\": [");
    for (int32_t i = 0; i < results->n_world && status == SONDE_OK; i++) {
        sonde_text_add(json, i > 0 ? ",\n " : "\n ");
        status = add_world(&results->world[i], json);
    }
    sonde_text_add(json, "]");
    add_runs(results, json);
    sonde__steps_json(results, json);
    add_table(&summary->table, json);
    return status == SONDE_OK || status == SONDE_NO_MEMORY
               ? status
               : sonde__fail(error, SONDE_BAD_INPUT,
                             "%s: expected worlds that can be read, found one that is damaged",
                             results->path);
}

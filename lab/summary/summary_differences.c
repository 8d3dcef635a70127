/* summary_differences.c: what each difference between the authors' notebook and their text does.
 *
 * Each was switched on alone. Conditions on the same worlds are compared world by world: a change
 * is clear when the worlds on which the two disagree are split more unevenly than chance does one
 * time in twenty (sign test). Directed worlds are others, and there a change is clear when
 * Newcombe's interval, which is built from Wilson's, leaves out 0. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "summary/summary.h"

#define ALPHA 0.05

/* What differs from the text. */
typedef struct {
    const char *name;
    const char *group;
    uint32_t differences;
    sonde_connect connect;
    sonde_action_rule action;
} variant;

static const variant variants[] = {
#define ALONE(code, name, sentence)                                                                \
    {name, "difference", 1u << (code), SONDE_SYMMETRIC, SONDE_ACTION_MARGINAL},
    SONDE_DIFFERENCE_LIST(ALONE)
#undef ALONE
        {"directed", "difference", SONDE_SEMANTICS_TEXT, SONDE_DIRECTED, SONDE_ACTION_MARGINAL},
    {"softmax", "difference", SONDE_SEMANTICS_TEXT, SONDE_SYMMETRIC, SONDE_ACTION_SOFTMAX},
    {"notebook", "table", SONDE_SEMANTICS_NOTEBOOK, SONDE_SYMMETRIC, SONDE_ACTION_MARGINAL},
};
#define N_VARIANT ((int32_t)(sizeof variants / sizeof *variants))
static const variant plain = {"text", "table", SONDE_SEMANTICS_TEXT, SONDE_SYMMETRIC,
                              SONDE_ACTION_MARGINAL};

/* --------------------------------------------------------------------------------- comparing -- */

/* One cell under one variant. */
typedef struct {
    int32_t condition[2]; /* under the text, and changed */
    sonde__tally before;
    sonde__tally after;
    double change; /* in points; NaN without runs */
    double p;      /* of the sign test; NaN where worlds differ */
    double low;    /* of the change, by Newcombe */
    double high;
    bool clear;
} comparison;

/* A plan may have the sizes of one condition in several: the first with runs of this size. */
static int32_t find_condition(const sonde__results *results, const sonde__cell_key *key,
                              int32_t size, const variant *wanted) {
    for (int32_t c = 0; c < results->plan->n_condition; c++) {
        const sonde_condition *condition = &results->plan->condition[c];
        const sonde__cell_key found = sonde__key_of(condition);
        if (sonde__in_group(condition, wanted->group) &&
            condition->differences == wanted->differences &&
            condition->connect == wanted->connect && condition->search.action == wanted->action &&
            sonde__key_compare(&found, key) == 0 && sonde__runs(results, c, size).n > 0) {
            return c;
        }
    }
    return -1;
}

/* Compares world by world; both stretches are in the order of worlds. */
static double compare_worlds(sonde__run_list a, sonde__run_list b) {
    int32_t better = 0;
    int32_t worse = 0;
    for (int32_t i = 0, j = 0; i < a.n && j < b.n;) {
        const int32_t apart = a.run[i].graph - b.run[j].graph;
        if (apart == 0) {
            better += !a.run[i].optimal && b.run[j].optimal ? 1 : 0;
            worse += a.run[i].optimal && !b.run[j].optimal ? 1 : 0;
        }
        i += apart <= 0 ? 1 : 0;
        j += apart >= 0 ? 1 : 0;
    }
    return sonde__sign_test(better, worse);
}

/* Newcombe's interval of the change, in points. */
static void compare_shares(comparison *made) {
    double low[2];
    double high[2];
    const double before = sonde__tally_percent(&made->before) / 100.0;
    const double after = sonde__tally_percent(&made->after) / 100.0;
    sonde__wilson(made->before.n_failure[SONDE_FAILURE_NONE], made->before.n_run, &low[0],
                  &high[0]);
    sonde__wilson(made->after.n_failure[SONDE_FAILURE_NONE], made->after.n_run, &low[1], &high[1]);
    made->low = 100.0 * (after - before - hypot(after - low[1], high[0] - before));
    made->high = 100.0 * (after - before + hypot(high[1] - after, before - low[0]));
}

static comparison compare(const sonde__results *results, const sonde__cell_key *key, int32_t size,
                          const variant *wanted) {
    comparison made = {.p = NAN,
                       .condition = {find_condition(results, key, size, &plain),
                                     find_condition(results, key, size, wanted)}};
    const sonde__run_list before = sonde__runs(results, made.condition[0], size);
    const sonde__run_list after = sonde__runs(results, made.condition[1], size);
    sonde__tally_add(&made.before, before);
    sonde__tally_add(&made.after, after);
    made.change = sonde__tally_percent(&made.after) - sonde__tally_percent(&made.before);
    if (isnan(made.change)) {
        return made;
    }
    compare_shares(&made);
    if (wanted->connect == SONDE_SYMMETRIC) {
        made.p = compare_worlds(before, after);
        made.clear = made.p < ALPHA;
    } else {
        made.clear = made.low > 0.0 || made.high < 0.0;
    }
    return made;
}

/* -------------------------------------------------------------------------------- summing up -- */

/* What a variant does to the embeddings' cells of a scope. */
typedef struct {
    int32_t n;
    int32_t n_clear;
    double mean;
    double most; /* the largest change, with its sign */
    sonde__cell_key most_key;
    int32_t most_size;
} sum;

static sum sum_up(const sonde__summary *summary, const variant *wanted, sonde_scope scope) {
    const sonde__table_sum *table = &summary->table;
    sum s = {0};
    for (int32_t i = 0; i < table->n_row * table->n_size; i++) {
        const sonde__cell_key *key = &table->key[i / table->n_size];
        const int32_t size = table->size[i % table->n_size];
        if (key->scope != scope || strcmp(key->embedding, "none") == 0) {
            continue;
        }
        const comparison made = compare(summary->results, key, size, wanted);
        if (isnan(made.change)) {
            continue;
        }
        s.n++;
        s.n_clear += made.clear ? 1 : 0;
        s.mean += (made.change - s.mean) / (double)s.n;
        if (s.n == 1 || fabs(made.change) > fabs(s.most)) {
            s.most = made.change;
            s.most_key = *key;
            s.most_size = size;
        }
    }
    return s;
}

static sonde__word signed_points(double points) {
    sonde__word word = sonde__fixed(points, 1);
    if (points >= 0.05) {
        (void)snprintf(word.text, sizeof word.text, "+%.20s", sonde__fixed(points, 1).text);
    }
    return word;
}

static void add_sum(const sum *s, bool paired, sonde__grid *grid) {
    char clear[64] = "";
    char most[128] = "";
    if (paired && s->n > 0) {
        (void)snprintf(clear, sizeof clear, "%" PRId32 " of %" PRId32, s->n_clear, s->n);
    }
    if (s->n > 0) {
        (void)snprintf(most, sizeof most, "%s: %s, k %" PRId32 ", n %" PRId32 ", %" PRId32 " nodes",
                       signed_points(s->most).text, sonde__embedding_title(s->most_key.embedding),
                       s->most_key.k, s->most_key.n, s->most_size);
    }
    sonde__grid_put(grid, 0, s->n > 0 ? signed_points(s->mean).text : "");
    sonde__grid_put(grid, 0, clear);
    sonde__grid_put(grid, SONDE__LEFT, s->n == 0 || fabs(s->most) > 0.0 ? most : "none");
}

static void fill_sums(const sonde__summary *summary, sonde__grid *grid) {
    for (int32_t v = 0; v < N_VARIANT; v++) {
        const sum local = sum_up(summary, &variants[v], SONDE_LOCAL);
        const sum global = sum_up(summary, &variants[v], SONDE_GLOBAL);
        const bool last = strcmp(variants[v].group, "table") == 0;
        if (local.n + global.n == 0 || (last && grid->n_cell == 10)) {
            continue; /* without a difference alone there is nothing to show */
        }
        sonde__grid_put(grid, SONDE__LEFT | (last ? SONDE__RULE : 0), variants[v].name);
        add_sum(&local, variants[v].connect == SONDE_SYMMETRIC, grid);
        add_sum(&global, variants[v].connect == SONDE_SYMMETRIC, grid);
    }
}

/* --------------------------------------------------------------------------------------- all -- */

/* Calls a function for every cell under every variant that has runs. */
typedef void (*visit)(const variant *of, const sonde__cell_key *key, int32_t size,
                      const comparison *made, void *user);

static void for_each(const sonde__summary *summary, visit function, void *user) {
    const sonde__table_sum *table = &summary->table;
    for (int32_t i = 0; i < N_VARIANT * table->n_row * table->n_size; i++) {
        const variant *of = &variants[i / (table->n_row * table->n_size)];
        const sonde__cell_key *key = &table->key[i / table->n_size % table->n_row];
        const int32_t size = table->size[i % table->n_size];
        const comparison made = compare(summary->results, key, size, of);
        if (!isnan(made.change)) {
            function(of, key, size, &made, user);
        }
    }
}

static void list_cell(const variant *of, const sonde__cell_key *key, int32_t size,
                      const comparison *made, void *user) {
    sonde__grid *grid = user;
    sonde__grid_put(grid, SONDE__LEFT, of->name);
    sonde__grid_put(grid, SONDE__LEFT, sonde_scope_name((int32_t)key->scope));
    sonde__grid_put(grid, SONDE__LEFT, key->embedding);
    sonde__grid_integer(grid, 0, key->k);
    sonde__grid_integer(grid, 0, key->n);
    sonde__grid_integer(grid, 0, size);
    sonde__grid_integer(grid, 0, made->after.n_run);
    sonde__grid_put(grid, 0, sonde__fixed(sonde__tally_percent(&made->before), 4).text);
    sonde__grid_put(grid, 0, sonde__fixed(sonde__tally_percent(&made->after), 4).text);
    sonde__grid_put(grid, 0, sonde__fixed(made->change, 4).text);
    sonde__grid_put(grid, 0, sonde__fixed(made->p, 6).text);
}

void sonde__differences_grid(const sonde__summary *summary, sonde__grid *grid, sonde__grid *list) {
    static const char *const head[] = {"mean, points", "clear cells", "largest"};
    static const char *const head_list[] = {"difference", "scope",  "embedding", "k",
                                            "n",          "size",   "graphs",    "text",
                                            "changed",    "change", "p"};
    *grid = (sonde__grid){.name = "differences", .n_column = 7, .n_head = 2};
    *list = (sonde__grid){.name = "differences", .n_column = 11, .n_head = 1};
    sonde__grid_add(grid, SONDE__LEFT, 1, "", NULL);
    sonde__grid_add(grid, 0, 3, "local scope", NULL);
    sonde__grid_add(grid, 0, 3, "global scope", NULL);
    sonde__grid_put(grid, SONDE__LEFT, "switched on");
    for (int32_t i = 0; i < 6; i++) {
        sonde__grid_put(grid, i % 3 == 2 ? SONDE__LEFT : 0, head[i % 3]);
    }
    for (int32_t i = 0; i < 11; i++) {
        sonde__grid_put(list, 0, head_list[i]);
    }
    fill_sums(summary, grid);
    for_each(summary, list_cell, list);
}

static void write_cell(const variant *of, const sonde__cell_key *key, int32_t size,
                       const comparison *made, void *user) {
    sonde_text *json = user;
    const double number[] = {made->change, made->p, made->low, made->high};
    static const char *const name[] = {"change", "p", "low", "high"};
    /* what is there ends with a bracket if this is the first */
    const bool first = json->size > 0 && json->data[json->size - 1] == '[';
    sonde_text_add(json, "%s\n  {\"difference\": \"%s\", \"scope\": \"%s\", \"embedding\": \"%s\"",
                   first ? "" : ",", of->name, sonde_scope_name((int32_t)key->scope),
                   key->embedding);
    sonde_text_add(json, ", \"k\": %d, \"n\": %d, \"size\": %d, \"before\": %d, \"after\": %d",
                   (int)key->k, (int)key->n, (int)size, (int)made->condition[0],
                   (int)made->condition[1]);
    for (int32_t i = 0; i < 4; i++) {
        sonde_text_add(json, ", \"%s\": ", name[i]);
        sonde_text_add_number(json, number[i]);
    }
    sonde_text_add(json, ", \"clear\": %s}", made->clear ? "true" : "false");
}

void sonde__differences_json(const sonde__summary *summary, sonde_text *json) {
    sonde_text_add(json, "[");
    for_each(summary, write_cell, json);
    sonde_text_add(json, "]");
}

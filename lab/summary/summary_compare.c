/* summary_compare.c: a study of one's own: what was compared, and how it went.
 *
 * Sections of a report claim the groups of the paper's plans; whatever else ran, on models and in
 * graph worlds, is compared here: every condition where it ran, measure by measure. A condition is
 * called by its search and by what sets it apart from others with the same search. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/settings.h"
#include "base/text.h"
#include "summary/summary.h"

#define SHORT_MAX 64 /* conditions up to which they are told apart by what differs */

/* Groups that have sections of their own. */
static bool is_claimed(const sonde_condition *condition) {
    static const char *const group[] = {"table",   "certified", "difference",    "sweep-k",
                                        "sweep-n", "quality",   "scaling-nodes", "scaling-horizon"};
    size_t i = 0;
    while (i < sizeof group / sizeof *group && !sonde__in_group(condition, group[i])) {
        i++;
    }
    return i < sizeof group / sizeof *group;
}

bool sonde__is_own(const sonde_condition *condition, int32_t size) {
    return !is_claimed(condition) || (size < 0 && !sonde__in_group(condition, "quality"));
}

/* ------------------------------------------------------------------------------------- names -- */

bool sonde__setting_is_told(const sonde_search_settings *search, int32_t i) {
    const sonde_setting *row = sonde_setting_at(i);
    return strcmp(row->key, "seed") != 0 && sonde_setting_counts(search, i, 0) &&
           sonde__setting_is_used(search, row) && sonde__setting_is_set(search, row) &&
           (row->labelled || sonde__setting_number(search, row) != row->usual);
}

/* The value of a setting that is told, as text; nothing where it is not. */
static void add_value(const sonde_search_settings *search, int32_t i, sonde_text *value) {
    if (sonde__setting_is_told(search, i)) {
        (void)sonde_settings_get(search, sonde_setting_at(i)->key, value, NULL);
    }
}

static bool same_value(const sonde_search_settings *a, const sonde_search_settings *b, int32_t i,
                       sonde_text *said) {
    sonde_text one = {0};
    sonde_text two = {0};
    add_value(a, i, &one);
    add_value(b, i, &two);
    const bool same =
        strcmp(one.data != NULL ? one.data : "", two.data != NULL ? two.data : "") == 0;
    said->failed = said->failed || one.failed || two.failed;
    sonde_text_free(&one);
    sonde_text_free(&two);
    return same;
}

/* Whether some condition with the same search has another value. */
static bool sets_apart(const sonde_study_plan *plan, int32_t c, int32_t i, sonde_text *said) {
    const sonde_search_settings *search = &plan->condition[c].search;
    for (int32_t d = 0; d < plan->n_condition; d++) {
        const sonde_search_settings *other = &plan->condition[d].search;
        if (other->search == search->search && !same_value(search, other, i, said)) {
            return true;
        }
    }
    return false;
}

/* Words of a key: underscores are for programs. */
static void add_key(const char *key, sonde_text *text) {
    for (const char *at = key; *at != '\0'; at++) {
        sonde_text_add(text, "%c", *at == '_' ? ' ' : *at);
    }
}

/* The search, and the settings that set it apart. */
static void add_apart(const sonde_study_plan *plan, int32_t c, sonde_text *text) {
    const sonde_search_settings *search = &plan->condition[c].search;
    const sonde_setting *row;
    sonde_text_add(text, "%s", sonde_plan_search_name((int32_t)search->search));
    for (int32_t i = 0; (row = sonde_setting_at(i)) != NULL; i++) {
        sonde_text value = {0};
        add_value(search, i, &value);
        if (value.data != NULL && strcmp(row->key, "search") != 0 && sets_apart(plan, c, i, text)) {
            sonde_text_add(text, ", ");
            add_key(row->key, text);
            const bool bare = strcmp(value.data, "true") == 0;
            sonde_text_add(text, "%s%s", bare ? "" : " ", bare ? "" : value.data);
        }
        text->failed = text->failed || value.failed;
        sonde_text_free(&value);
    }
}

/* How many conditions, of the same group if `group`, are called like this one. */
static int32_t namesakes(const sonde_study_plan *plan, int32_t c, const char *name, bool group,
                         sonde_text *said) {
    int32_t n = 0;
    for (int32_t d = 0; d < plan->n_condition; d++) {
        sonde_text other = {0};
        add_apart(plan, d, &other);
        n += other.data != NULL && strcmp(other.data, name) == 0 &&
                     (!group || sonde__in_group(&plan->condition[d], plan->condition[c].group))
                 ? 1
                 : 0;
        said->failed = said->failed || other.failed;
        sonde_text_free(&other);
    }
    return n;
}

void sonde__short_label(const sonde_study_plan *plan, int32_t c, sonde_text *text) {
    const sonde_condition *condition = &plan->condition[c];
    sonde_text name = {0};
    if (plan->n_condition > SHORT_MAX) {
        sonde_text_add(text, "%s", condition->label);
        return;
    }
    add_apart(plan, c, &name);
    const char *words = name.data != NULL ? name.data : "";
    const bool twice = namesakes(plan, c, words, false, text) > 1;
    if (twice && namesakes(plan, c, words, true, text) > 1) {
        sonde_text_add(text, "%s (no. %d)", words, (int)c);
    } else if (twice) {
        sonde_text_add(text, "%s: %s", condition->group, words);
    } else {
        sonde_text_add(text, "%s", words);
    }
    text->failed = text->failed || name.failed;
    sonde_text_free(&name);
}

/* ------------------------------------------------------------------------------------- table -- */

/* a column of the comparison */
typedef struct {
    const char *head;
    sonde__measure_code measure;
    bool median; /* and its interval; otherwise of the mean */
    bool time;
} column;
static const column columns[] = {
    {"preference", SONDE__PREFERENCE, false, false},
    {"G", SONDE__EFE, false, false},
    {"surprise", SONDE__SURPRISE, false, false},
    {"policies scored", SONDE__EQUIVALENT, false, false},
    {"time", SONDE__SECONDS, true, true},
    {"certified within", SONDE__CERTIFICATE, false, false},
    {"total variation", SONDE__TV, false, false},
    {"regret", SONDE__REGRET, false, false},
};
enum { N_COLUMN = sizeof columns / sizeof *columns };

/* One condition where it ran. */
typedef struct {
    int32_t condition;
    int32_t size;
    sonde__run_list runs;
} cell;

/* The next cell that is compared, graph worlds by size, then models as in the plan; false after
 * the last. The first follows {.condition = -1}. */
static bool next_cell(const sonde__results *results, cell *at) {
    const sonde_study_plan *plan = results->plan;
    while (at->size >= -plan->n_model) {
        for (at->condition++; at->condition < plan->n_condition; at->condition++) {
            at->runs = sonde__runs(results, at->condition, at->size);
            if (at->runs.n > 0 && sonde__is_own(&plan->condition[at->condition], at->size)) {
                return true;
            }
        }
        int32_t larger = INT32_MAX;
        for (int32_t i = 0; i < results->n_run && at->size >= 0; i++) {
            const int32_t size = results->run[i].size;
            larger = size > at->size && size < larger ? size : larger;
        }
        at->size = at->size < 0 ? at->size - 1 : larger < INT32_MAX ? larger : -1;
        at->condition = -1;
    }
    return false;
}

/* Which columns there are numbers for, a bit each; the one after the last is optimal runs. */
static uint32_t columns_of(const sonde__results *results) {
    uint32_t found = 0;
    for (cell at = {.condition = -1}; next_cell(results, &at);) {
        for (int32_t i = 0; i < N_COLUMN; i++) {
            int32_t n = 0;
            (void)sonde__mean_of(at.runs, columns[i].measure, &n);
            found |= n > 0 ? 1u << i : 0;
        }
        found |= at.size > 0 ? 1u << N_COLUMN : 0;
    }
    return found;
}

/* A number with about three digits, however small. */
static sonde__word number_words(double number) {
    const double size = fabs(number);
    sonde__word word = sonde__short(number);
    if (size > 0.0 && size < 1e-3) {
        sonde_text text = {0};
        sonde__text_add_rounded(&text, 2, number);
        (void)snprintf(word.text, sizeof word.text, "%s", text.data != NULL ? text.data : "");
        sonde_text_free(&text);
    }
    return word;
}

/* "12.3" with "11.8 to 12.9" behind it, where these are not the same and known. */
static void put_interval(sonde__grid *grid, sonde__word value, sonde__word low, sonde__word high,
                         bool known) {
    char interval[2 * sizeof low.text + 4];
    (void)snprintf(interval, sizeof interval, "%s to %s", low.text, high.text);
    sonde__grid_add(grid, 0, 1, value.text,
                    known && strcmp(low.text, high.text) != 0 ? interval : NULL);
}

static void put_measure(const sonde__summary *summary, const cell *at, const column *of,
                        sonde__grid *grid) {
    const sonde__estimate e = sonde__estimate_of(at->runs, of->measure, summary->scratch);
    const double value = of->median ? e.median : e.mean;
    const double low = of->median ? e.median_low : e.low;
    const double high = of->median ? e.median_high : e.high;
    sonde__word (*const words)(double) = of->time ? sonde__duration : number_words;
    put_interval(grid, words(value), words(low), words(high), !isnan(low));
}

static void put_optimal(const cell *at, sonde__grid *grid) {
    sonde__tally tally = {0};
    double low = 0.0;
    double high = 0.0;
    sonde__tally_add(&tally, at->runs);
    sonde__wilson(tally.n_failure[SONDE_FAILURE_NONE], tally.n_run, &low, &high);
    put_interval(grid, sonde__fixed(sonde__tally_percent(&tally), 1), sonde__fixed(100.0 * low, 0),
                 sonde__fixed(100.0 * high, 0), at->size > 0);
}

/* What a place is called: whole, however long a model's name is. */
static const char *place_words(const sonde_study_plan *plan, int32_t size, sonde__word *word) {
    *word = sonde__plural(size, "node");
    return size > 0 ? word->text : plan->model[-1 - size].name;
}

static void put_short(const sonde_study_plan *plan, int32_t c, sonde__grid *grid) {
    sonde_text name = {0};
    sonde__short_label(plan, c, &name);
    sonde__grid_put(grid, SONDE__LEFT, name.data != NULL ? name.data : "");
    grid->words.failed = grid->words.failed || name.failed;
    sonde_text_free(&name);
}

static void fill_grid(const sonde__summary *summary, sonde__grid *grid) {
    const sonde__results *results = summary->results;
    const uint32_t there = columns_of(results);
    const bool optimal = (there >> N_COLUMN & 1u) != 0;
    int32_t n = 0;
    for (int32_t i = 0; i < N_COLUMN; i++) {
        n += (there >> i & 1u) != 0 ? 1 : 0;
    }
    *grid = (sonde__grid){.name = "comparison", .n_column = 3 + n + (optimal ? 1 : 0), .n_head = 1};
    sonde__grid_put(grid, SONDE__LEFT, "where");
    sonde__grid_put(grid, SONDE__LEFT, "condition");
    sonde__grid_put(grid, 0, "runs");
    if (optimal) {
        sonde__grid_put(grid, 0, "optimal, %");
    }
    for (int32_t i = 0; i < N_COLUMN; i++) {
        if ((there >> i & 1u) != 0) {
            sonde__grid_put(grid, SONDE__APART, columns[i].head);
        }
    }
    int32_t before = 0;
    for (cell at = {.condition = -1}; next_cell(results, &at); before = at.size) {
        sonde__word word;
        const bool first = at.size != before;
        sonde__grid_put(grid, SONDE__LEFT | (first && before != 0 ? SONDE__RULE : 0),
                        first ? place_words(results->plan, at.size, &word) : "");
        put_short(results->plan, at.condition, grid);
        sonde__grid_integer(grid, 0, at.runs.n);
        if (optimal) {
            put_optimal(&at, grid);
        }
        for (int32_t i = 0; i < N_COLUMN; i++) {
            if ((there >> i & 1u) != 0) {
                put_measure(summary, &at, &columns[i], grid);
            }
        }
    }
}

/* Every measure of every cell, a row each. */
static void fill_list(const sonde__summary *summary, sonde__grid *grid) {
    static const char *const head[] = {
        "where", "condition", "settings",   "measure",     "n",     "mean", "low",
        "high",  "median",    "median_low", "median_high", "least", "most"};
    const sonde_study_plan *plan = summary->results->plan;
    *grid = (sonde__grid){.name = "comparison", .n_column = 13, .n_head = 1};
    for (int32_t i = 0; i < 13; i++) {
        sonde__grid_put(grid, 0, head[i]);
    }
    for (cell at = {.condition = -1}; next_cell(summary->results, &at);) {
        for (int32_t m = 0; m < SONDE__MEASURE_COUNT; m++) {
            const sonde__estimate e =
                sonde__estimate_of(at.runs, (sonde__measure_code)m, summary->scratch);
            const double number[] = {e.mean,       e.low,         e.high,  e.median,
                                     e.median_low, e.median_high, e.least, e.most};
            sonde__word word;
            if (e.n == 0) {
                continue;
            }
            sonde__grid_put(grid, SONDE__LEFT, place_words(plan, at.size, &word));
            put_short(plan, at.condition, grid);
            sonde__grid_put(grid, SONDE__LEFT, plan->condition[at.condition].label);
            sonde__grid_put(grid, SONDE__LEFT, sonde__measure_at(m)->name);
            sonde__grid_integer(grid, 0, e.n);
            for (int32_t i = 0; i < 8; i++) {
                sonde__grid_number(grid, number[i]);
            }
        }
    }
}

void sonde__compare_grid(const sonde__summary *summary, sonde__grid *grid, sonde__grid *list) {
    fill_grid(summary, grid);
    fill_list(summary, list);
}

bool sonde__compare_text(const sonde__summary *summary, sonde_text *text) {
    cell at = {.condition = -1};
    if (!next_cell(summary->results, &at)) {
        return false;
    }
    sonde__grid grid;
    fill_grid(summary, &grid);
    sonde_text_add(text, "Means over runs with 95 %% intervals; of time, medians\n\n");
    sonde__grid_text(&grid, text);
    sonde__grid_free(&grid);
    return true;
}

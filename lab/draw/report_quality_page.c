/* report_quality_page.c: the section on certified search and its rivals: the figures, one table for
 * people and all numbers for programs. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "draw/report_figures.h"
#include "draw/report_quality.h"

#define GOOD 0.01 /* a total variation that one can live with */

/* The fewest policies with which a line's error is good in a place; NaN if it never is. */
static double fewest(const sonde__results *results, const sonde__line *line, int32_t place,
                     bool *tried) {
    sonde__quality_point point[SONDE__POINT_MAX];
    const int32_t n = sonde__quality_points(results, line, place, point);
    *tried = n > 0;
    for (int32_t p = 0; p < n; p++) {
        if (point[p].tv.value <= GOOD) {
            return point[p].equivalent.value;
        }
    }
    return (double)NAN;
}

/* The smallest of a column. */
static double best_of(const sonde__results *results, const sonde__line *line, int32_t n_line,
                      int32_t place) {
    double best = INFINITY;
    bool tried = false;
    for (int32_t i = 0; i < n_line; i++) {
        best = fmin(best, fewest(results, &line[i], place, &tried));
    }
    return best;
}

static void fill_grid(const sonde__results *results, sonde__grid *grid) {
    sonde__line line[SONDE__LINE_MAX];
    int32_t place[SONDE__PLACE_MAX];
    const int32_t n_line = sonde__lines_of(results->plan, SONDE__QUALITY_GROUP, line);
    const int32_t n_place = sonde__quality_places(results, place);
    *grid = (sonde__grid){.name = "quality", .n_column = n_place + 1, .n_head = 1};
    sonde__grid_put(grid, SONDE__LEFT, "search");
    for (int32_t j = 0; j < n_place; j++) {
        sonde__grid_put(grid, 0, sonde__place_name(results->plan, place[j]).text);
    }
    for (int32_t i = 0; i < n_line; i++) {
        const bool first = i == 0 || (line[i].embedding >= 0 && line[i - 1].embedding < 0);
        sonde__grid_put(grid, SONDE__LEFT | (first && i > 0 ? SONDE__RULE : 0), line[i].name);
        for (int32_t j = 0; j < n_place; j++) {
            bool tried = false;
            const double value = fewest(results, &line[i], place[j], &tried);
            const bool best = value <= best_of(results, line, n_line, place[j]) * (1.0 + 1e-12);
            sonde__grid_put(grid, best ? SONDE__BOLD : 0,
                            !isnan(value) ? sonde__short(value).text
                            : tried       ? "\342\200\223"
                                          : "");
        }
    }
}

bool sonde__quality_text(const sonde__results *results, sonde_text *text) {
    int32_t place[SONDE__PLACE_MAX];
    if (sonde__quality_places(results, place) == 0) {
        return false;
    }
    sonde__grid grid;
    fill_grid(results, &grid);
    sonde_text_add(text,
                   "Policies scored a decision for a mean total variation of 0.01 from the exact "
                   "posterior\n\n");
    sonde__grid_text(&grid, text);
    sonde_text_add(text, "\n> the fewest of its column\n");
    sonde__grid_free(&grid);
    return true;
}

/* -------------------------------------------------------------------------------------- list -- */

static void put_number(sonde__grid *grid, double number) {
    char words[40] = "";
    if (!isnan(number)) {
        sonde_text text = {0};
        sonde_text_add_number(&text, number);
        (void)snprintf(words, sizeof words, "%s", text.data != NULL ? text.data : "");
        grid->words.failed = grid->words.failed || text.failed;
        sonde_text_free(&text);
    }
    sonde__grid_put(grid, 0, words);
}

/* Numbers of runs that only the list has. */
static double action_tv(const sonde__result_run *run) {
    return run->action_tv;
}
static double bound(const sonde__result_run *run) {
    return run->bound;
}
static double regret(const sonde__result_run *run) {
    return run->regret;
}
static double setup(const sonde__result_run *run) {
    return (double)run->n_setup_step;
}

static void add_row(const sonde__results *results, const sonde__line *line, int32_t place,
                    const sonde__quality_point *point, sonde__grid *grid) {
    const int32_t c = point->condition;
    const sonde__measure more[] = {setup,  action_tv,          bound,
                                   regret, sonde__judged_best, sonde__seconds_per_decision};
    sonde__grid_put(grid, SONDE__LEFT, sonde__place_name(results->plan, place).text);
    sonde__grid_put(grid, SONDE__LEFT, line->name);
    sonde__grid_put(grid, SONDE__LEFT, results->plan->condition[c].label);
    sonde__grid_integer(grid, 0, point->tv.n);
    put_number(grid, point->equivalent.value);
    put_number(grid, point->tv.value);
    put_number(grid, point->tv.low);
    put_number(grid, point->tv.high);
    for (int32_t i = 0; i < 6; i++) {
        put_number(grid, sonde__measured(results, c, place, more[i]).value);
    }
    put_number(grid, place > 0 ? point->optimal.value : (double)NAN);
    const sonde__run_list runs = sonde__runs(results, c, place);
    sonde__grid_put(grid, SONDE__LEFT, runs.run[0].exact_is_full ? "full" : "bounded");
}

static void list_all(const sonde__results *results, sonde__grid *grid) {
    static const char *const head[] = {"world",        "search",    "settings",        "n",
                                       "equivalent",   "tv",        "tv_low",          "tv_high",
                                       "setup_steps",  "action_tv", "bound",           "regret",
                                       "best_percent", "seconds",   "optimal_percent", "exact"};
    sonde__line line[SONDE__LINE_MAX];
    int32_t place[SONDE__PLACE_MAX];
    sonde__quality_point point[SONDE__POINT_MAX];
    const int32_t n_line = sonde__lines_of(results->plan, SONDE__QUALITY_GROUP, line);
    const int32_t n_place = sonde__quality_places(results, place);
    *grid = (sonde__grid){.name = "quality", .n_column = 16, .n_head = 1};
    for (int32_t i = 0; i < 16; i++) {
        sonde__grid_put(grid, 0, head[i]);
    }
    for (int32_t j = 0; j < n_place; j++) {
        for (int32_t i = 0; i < n_line; i++) {
            const int32_t n = sonde__quality_points(results, &line[i], place[j], point);
            for (int32_t p = 0; p < n; p++) {
                add_row(results, &line[i], place[j], &point[p], grid);
            }
        }
    }
}

/* -------------------------------------------------------------------------------------- page -- */

/* What the exact decisions were made by. */
static void say_exact(const sonde__page *page, sonde_text *text) {
    const sonde__results *results = page->results;
    int32_t n_bounded = 0;
    int32_t n_judged = 0;
    for (int32_t i = 0; i < results->n_run; i++) {
        n_judged += results->run[i].n_judged > 0 ? 1 : 0;
        n_bounded += results->run[i].n_judged > 0 && !results->run[i].exact_is_full ? 1 : 0;
    }
    if (n_bounded == 0) {
        sonde_text_add(text, "All exact decisions are full search\342\200\231s.");
        return;
    }
    sonde_text_add(
        text,
        "Exact decisions are full search\342\200\231s, except in %s of %s runs, where it "
        "had too many policies to score: there they are bounded search\342\200\231s, exact "
        "in graph worlds and within 10<sup>\342\210\2229</sup> in models.",
        sonde__grouped(n_bounded).text, sonde__grouped(n_judged).text);
}

static sonde_status add_table(sonde__page *page) {
    sonde__grid grid;
    sonde__grid list;
    fill_grid(page->results, &grid);
    list_all(page->results, &list);
    sonde_status status = sonde__page_check(page, &list.words);
    if (status == SONDE_OK) {
        status = sonde__page_table(
            page, &grid, &list,
            "Policies scored a decision, at the cheapest setting of a search whose posterior is "
            "within a total variation of 0.01 of the exact one in the mean; \342\200\223 where none "
            "is. The CSV file has every setting: errors with intervals, certificates, regret of G, "
            "set-up and time.");
    }
    sonde__grid_free(&grid);
    sonde__grid_free(&list);
    return status;
}

sonde_status sonde__page_quality(sonde__page *page) {
    sonde_text svg = {0};
    if (!sonde__figure_quality(page->results, &svg)) {
        return SONDE_OK;
    }
    sonde__page_section(page, "quality", "What an answer costs");
    sonde_text_add(&page->body,
                   "<p>Every search on the same decisions: how far its posterior over policies is "
                   "from the exact one, against how many policies it scored to get there. ");
    say_exact(page, &page->body);
    sonde_text_add(
        &page->body,
        " Where the posterior is broad, as at a small \316\263, its mass is spread over so "
        "many policies that no bound can leave any out: the error of every search falls "
        "only as it scores them, and bounded search saves no more than what equal beliefs "
        "let it merge.</p>\n");
    sonde_status status = sonde__page_figure(
        page, "quality", &svg, "The error of the posterior against the cost of finding it.");
    sonde_text_free(&svg);
    if (status == SONDE_OK && sonde__figure_quality_optimal(page->results, &svg)) {
        status = sonde__page_figure(page, "quality_optimal", &svg,
                                    "Whether the best is found, against the same cost.");
    }
    sonde_text_free(&svg);
    return status == SONDE_OK ? add_table(page) : status;
}

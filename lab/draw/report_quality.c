/* report_quality.c: the lines, places and points of the study of quality. */
#include "draw/report_quality.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/settings.h"

/* ----------------------------------------------------------------------------------- measures -- */

double sonde__judged_equivalent(const sonde__result_run *run) {
    return run->n_judged > 0 ? run->judged_equivalent : (double)NAN;
}

double sonde__judged_with_setup(const sonde__result_run *run) {
    const double per_step = run->n_step > 0 ? run->equivalent / (double)run->n_step : (double)NAN;
    return sonde__judged_equivalent(run) + per_step * (double)run->n_setup_step;
}

double sonde__judged_tv(const sonde__result_run *run) {
    return run->n_judged > 0 ? run->tv : (double)NAN;
}

double sonde__judged_best(const sonde__result_run *run) {
    return run->n_judged > 0 ? 100.0 * (double)run->n_best / (double)run->n_judged : (double)NAN;
}

/* -------------------------------------------------------------------------------------- lines -- */

sonde__line sonde__line_of(const sonde_condition *condition) {
    const sonde_search_settings *search = &condition->search;
    const bool clustered = search->search == SONDE_SEARCH_CLUSTER;
    sonde__line line = {.search = search->search,
                        .scope = search->scope,
                        .embedding = clustered ? search->embed.kind : -1,
                        .method = clustered ? search->cluster.method : 0,
                        .probe = clustered ? search->probe : SONDE_PROBE_CENTER};
    (void)snprintf(line.name, sizeof line.name, "%s%s%s%s%s%s%s", clustered ? "clusters: " : "",
                   clustered ? sonde_embedding_name(search->embed.kind)
                             : sonde_search_name((int32_t)search->search),
                   line.method != 0 ? ", " : "",
                   line.method != 0 ? sonde__cluster_method_name((int32_t)line.method) : "",
                   line.probe != SONDE_PROBE_CENTER ? ", " : "",
                   line.probe != SONDE_PROBE_CENTER ? sonde__probe_name((int32_t)line.probe) : "",
                   search->scope == SONDE_GLOBAL ? ", global" : "");
    return line;
}

bool sonde__line_same(const sonde__line *a, const sonde__line *b) {
    return a->search == b->search && a->scope == b->scope && a->embedding == b->embedding &&
           a->method == b->method && a->probe == b->probe;
}

int32_t sonde__lines_of(const sonde_study_plan *plan, const char *group,
                        sonde__line line[SONDE__LINE_MAX]) {
    int32_t n = 0;
    for (int32_t pass = 0; pass < 2; pass++) {
        for (int32_t c = 0; c < plan->n_condition; c++) {
            const sonde__line found = sonde__line_of(&plan->condition[c]);
            bool known = !sonde__in_group(&plan->condition[c], group) ||
                         (found.embedding >= 0) != (pass == 1);
            for (int32_t i = 0; i < n && !known; i++) {
                known = sonde__line_same(&line[i], &found);
            }
            if (!known && n < SONDE__LINE_MAX) {
                line[n++] = found;
            }
        }
    }
    return n;
}

/* Full search is black and bounded search red in every figure; others take what is left, in
 * turn. */
sonde__series sonde__line_series(const sonde__line *line, int32_t i) {
    static const int32_t left[] = {6, 3, 1, 5, 2, 7};
    const bool clustered = line->embedding >= 0;
    sonde__series series = {.drawing = SONDE__DRAW_LINE, .fixed = true, .light = clustered};
    const int32_t at = clustered ? line->embedding : i;
    const int32_t round = clustered ? 1 + at / 6 : 0; /* clusters have markers of their own */
    series.style = line->search == SONDE_SEARCH_FULL      ? 0
                   : line->search == SONDE_SEARCH_BOUNDED ? 4
                                                          : left[at % 6] + 8 * round;
    series.style += line->probe != SONDE_PROBE_CENTER || line->method != 0 ? 24 : 0;
    series.hollow = round > 1;
    (void)snprintf(series.label, sizeof series.label, "%s", line->name);
    return series;
}

/* ------------------------------------------------------------------------------------- places -- */

static bool is_judged(const sonde__results *results, int32_t place) {
    for (int32_t c = 0; c < results->plan->n_condition; c++) {
        const sonde__run_list runs = sonde__runs(results, c, place);
        if (sonde__in_group(&results->plan->condition[c], SONDE__QUALITY_GROUP) && runs.n > 0 &&
            runs.run[0].n_judged > 0) {
            return true;
        }
    }
    return false;
}

int32_t sonde__quality_places(const sonde__results *results, int32_t place[SONDE__PLACE_MAX]) {
    int32_t n_planned =
        sonde__sizes_of(results->plan, SONDE__QUALITY_GROUP, SONDE__PLACE_MAX, place);
    int32_t n = 0;
    for (int32_t i = 0; i < n_planned; i++) {
        if (place[i] > 0 && is_judged(results, place[i])) {
            place[n++] = place[i];
        }
    }
    for (int32_t m = 0; m < results->plan->n_model && n < SONDE__PLACE_MAX; m++) {
        if (is_judged(results, -1 - m)) {
            place[n++] = -1 - m;
        }
    }
    return n;
}

sonde__word sonde__place_name(const sonde_study_plan *plan, int32_t place) {
    if (place > 0) {
        return sonde__plural(place, "node");
    }
    sonde__word word;
    (void)snprintf(word.text, sizeof word.text, "%s", plan->model[-1 - place].name);
    return word;
}

/* ------------------------------------------------------------------------------------- points -- */

static int by_cost(const void *a, const void *b) {
    const sonde__quality_point *one = a;
    const sonde__quality_point *two = b;
    if (one->equivalent.value != two->equivalent.value) {
        return one->equivalent.value < two->equivalent.value ? -1 : 1;
    }
    return one->condition < two->condition ? -1 : 1;
}

int32_t sonde__quality_points(const sonde__results *results, const sonde__line *line, int32_t place,
                              sonde__quality_point point[SONDE__POINT_MAX]) {
    int32_t n = 0;
    for (int32_t c = 0; c < results->plan->n_condition && n < SONDE__POINT_MAX; c++) {
        const sonde_condition *condition = &results->plan->condition[c];
        const sonde__line its = sonde__line_of(condition);
        if (!sonde__in_group(condition, SONDE__QUALITY_GROUP) || !sonde__line_same(&its, line)) {
            continue;
        }
        point[n] = (sonde__quality_point){
            .condition = c,
            .equivalent = sonde__measured(results, c, place, sonde__judged_equivalent),
            .with_setup = sonde__measured(results, c, place, sonde__judged_with_setup),
            .tv = sonde__measured(results, c, place, sonde__judged_tv),
            .optimal = place > 0 ? sonde__optimal(results, c, place)
                                 : sonde__measured(results, c, place, sonde__judged_best),
        };
        n += point[n].tv.n > 0 ? 1 : 0;
    }
    qsort(point, (size_t)n, sizeof *point, by_cost);
    return n;
}

/* report_quality.h: what searches achieve against what they cost, as figures and tables share it.
 *
 * A line is a search, or clustered search with one embedding; its points are the settings of it
 * that a plan has in the group `quality`. A place is a size of graph worlds, or a model. */
#ifndef SONDE_REPORT_QUALITY_H
#define SONDE_REPORT_QUALITY_H

#include "draw/report_figure_data.h"

#define SONDE__QUALITY_GROUP "quality"

enum { SONDE__LINE_MAX = 32, SONDE__PLACE_MAX = 24, SONDE__POINT_MAX = 64 };

typedef struct {
    char name[64];
    sonde_search_kind search;
    sonde_scope scope;
    int32_t embedding; /* -1 without clusters */
    sonde_cluster_method method;
    sonde_probe probe;
} sonde__line;
sonde__line sonde__line_of(const sonde_condition *condition);
bool sonde__line_same(const sonde__line *a, const sonde__line *b);
/* The lines of a group, searches before clusters, otherwise as in the plan; returns how many. */
int32_t sonde__lines_of(const sonde_study_plan *plan, const char *group,
                        sonde__line line[SONDE__LINE_MAX]);
/* How figures draw a line, the i-th of those that sonde__lines_of found. */
sonde__series sonde__line_series(const sonde__line *line, int32_t i);

/* Sizes, ascending, then models as in the plan, where a group has runs that were judged. */
int32_t sonde__quality_places(const sonde__results *results, int32_t place[SONDE__PLACE_MAX]);
/* "6 nodes", "tmaze". */
sonde__word sonde__place_name(const sonde_study_plan *plan, int32_t place);

/* One setting of a line in one place, means over worlds. */
typedef struct {
    int32_t condition;
    sonde__estimate equivalent; /* of the decisions that were judged */
    sonde__estimate with_setup; /* the same, steps of the set-up included */
    sonde__estimate tv;
    sonde__estimate optimal; /* percent: runs of a graph world, best policies of a model */
} sonde__quality_point;
/* By rising cost; returns how many. */
int32_t sonde__quality_points(const sonde__results *results, const sonde__line *line, int32_t place,
                              sonde__quality_point point[SONDE__POINT_MAX]);

double sonde__judged_equivalent(const sonde__result_run *run);
double sonde__judged_with_setup(const sonde__result_run *run);
double sonde__judged_tv(const sonde__result_run *run);
double sonde__judged_best(const sonde__result_run *run); /* percent of the decisions */

#endif

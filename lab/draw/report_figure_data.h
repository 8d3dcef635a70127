/* report_figure_data.h: from results to what the figures plot. */
#ifndef SONDE_REPORT_FIGURE_DATA_H
#define SONDE_REPORT_FIGURE_DATA_H

#include "draw/report_chart.h"
#include "draw/report_page.h"
#include "study/study.h"

/* A mean or a share with its 95 % interval; n = 0 and NaN where there are no runs. */
typedef struct {
    int32_t n;
    double value;
    double low;
    double high;
} sonde__estimate;

/* A number of a run; NaN where it has none. */
typedef double (*sonde__measure)(const sonde__result_run *run);
double sonde__steps_per_decision(const sonde__result_run *run);
double sonde__equivalent_per_decision(const sonde__result_run *run); /* whole policies */
double sonde__seconds_per_decision(const sonde__result_run *run);
double sonde__construction_seconds(const sonde__result_run *run); /* where nothing was reused */
double sonde__valid_percent(const sonde__result_run *run);        /* of the representatives */

/* A mean of a sample, and Student's interval for it. */
sonde__estimate sonde__mean(int32_t n, double sum, double sum_of_squares);
/* Over the worlds of one size: percent optimal with Wilson's interval, and the mean of a number. */
sonde__estimate sonde__optimal(const sonde__results *results, int32_t condition, int32_t size);
sonde__estimate sonde__measured(const sonde__results *results, int32_t condition, int32_t size,
                                sonde__measure measure);

/* The same for a mean of positive numbers, about its logarithm: value exp(+- half / value), which
 * keeps it positive where numbers are few or scattered. */
sonde__estimate sonde__about_log(sonde__estimate estimate);

/* Conditions that differ in k and n alone. */
typedef struct {
    const char *group;
    sonde_scope scope;
    const char *embedding; /* or "none": full search */
    uint32_t differences;  /* full search: with any, if no condition has these */
} sonde__family;
/* The next condition of the family after `after` (-1: the first), or -1. */
int32_t sonde__family_next(const sonde__results *results, const sonde__family *family,
                           int32_t after);
/* A plan may have the sizes of one condition in several: the one with runs of this size. */
int32_t sonde__condition_at(const sonde__results *results, int32_t condition, int32_t size);
/* The one with the highest mean percentage over all sizes, ties to the first; -1: no runs. */
int32_t sonde__family_best(const sonde__results *results, const sonde__family *family);

/* The sizes of a group that have runs, ascending; returns how many. */
int32_t sonde__sizes_run(const sonde__results *results, const char *group,
                         int32_t size[SONDE__SIZE_MAX]);
enum { SONDE__EMBEDDING_MAX = 8 };
/* The embeddings in a group, the paper's first; returns how many. */
int32_t sonde__embeddings_of(const sonde__results *results, const char *group,
                             const char *embedding[SONDE__EMBEDDING_MAX]);
/* The differences that a figure of one semantics shows: none, if any condition of the group has
 * none; otherwise those of its first. */
uint32_t sonde__semantics_of(const sonde__results *results, const char *group);
/* k as the condition uses it, where the notebook's lags. */
int32_t sonde__k_used(const sonde_condition *condition);

/* The same style for an embedding in all figures; "none" has the first. */
int32_t sonde__style_for(const char *embedding);
/* A size's style where sizes are series. */
int32_t sonde__style_for_size(int32_t place);
/* The smallest and the largest n of the estimates in a figure. */
typedef struct {
    int32_t least;
    int32_t most;
} sonde__n_range;
void sonde__n_range_add(sonde__n_range *range, int32_t n);
/* "n = 40", "n = 39 to 40". */
void sonde__n_range_say(const sonde__n_range *range, sonde_text *text);
/* A mark for an estimate; n = 0 gives one that is not drawn. */
sonde__mark sonde__mark_of(int32_t series, double x, const sonde__estimate *estimate);

#endif

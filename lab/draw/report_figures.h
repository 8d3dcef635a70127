/* report_figures.h: the figures of a study's report, and what figures and tables share.
 *
 * Every figure appends one SVG document that stands on its own: title, axes with units, legend and,
 * below, a caption in whole sentences that says how many runs it shows. A figure whose data the
 * study does not have returns false and appends nothing. When memory runs out it returns true and
 * sets svg->failed, as every writer of text does. */
#ifndef SONDE_REPORT_FIGURES_H
#define SONDE_REPORT_FIGURES_H

#include <stdbool.h>
#include <stdint.h>

#include "sonde_lab.h"
#include "study/study.h"

/* Percent of runs that were optimal, by size, the paper's values beside them. */
bool sonde__figure_optimality(const sonde__results *results, sonde_text *svg);
/* Seconds, and steps scored, for one decision, by size. */
bool sonde__figure_decision_time(const sonde__results *results, sonde_text *svg);
bool sonde__figure_decision_steps(const sonde__results *results, sonde_text *svg);
/* Seconds of embedding and clustering, by size. */
bool sonde__figure_construction_time(const sonde__results *results, sonde_text *svg);
/* Percent optimal and policies scored, against the number of clusters, and of samples. */
bool sonde__figure_sweep_k(const sonde__results *results, sonde_text *svg);
bool sonde__figure_sweep_n(const sonde__results *results, sonde_text *svg);
/* Percent of the representatives in global scope that the agent could carry out, by size and k. */
bool sonde__figure_valid(const sonde__results *results, sonde_text *svg);
/* What happened in the runs that were not optimal. */
bool sonde__figure_failures(const sonde__results *results, sonde_text *svg);
/* What each difference between the paper and the notebook does alone, in worlds of one size. */
bool sonde__figure_differences(const sonde__results *results, int32_t size, sonde_text *svg);
/* Percent optimal against policies scored, all conditions of the table, in worlds of one size. */
bool sonde__figure_tradeoff(const sonde__results *results, int32_t size, sonde_text *svg);

/* Error of the posterior, and percent optimal, against policies scored, in every world and
 * model. */
bool sonde__figure_quality(const sonde__results *results, sonde_text *svg);
bool sonde__figure_quality_optimal(const sonde__results *results, sonde_text *svg);
/* Time and policies scored for one decision, against the number of nodes, and the horizon. */
bool sonde__figure_scaling(const sonde__results *results, sonde_text *svg);

#endif

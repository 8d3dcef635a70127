/* summary.h: what the runs of a study add up to, and tables of it. */
#ifndef SONDE_SUMMARY_SUMMARY_H
#define SONDE_SUMMARY_SUMMARY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"
#include "base/words.h"
#include "sonde_embed.h"
#include "sonde_lab.h"
#include "sonde_settings.h"
#include "study/study.h"

/* ----------------------------------------------------------------------------------- counts -- */

/* P(X <= x) for X ~ Binomial(n, p). */
double sonde__binomial_cdf(int32_t x, int32_t n, double p);
/* Whether x lies in the central 95 % of Binomial(n, p): neither P(X <= x) nor P(X >= x) is below
 * 2.5 %. */
bool sonde__binomial_central(int32_t x, int32_t n, double p);
/* The 95 % interval of Wilson for a share of which n_success of n were seen, as shares from 0 to 1;
 * NaN for n = 0. */
void sonde__wilson(int32_t n_success, int32_t n, double *low, double *high);
/* The probability of a split at least as uneven as a against b when both sides are as likely. */
double sonde__sign_test(int32_t a, int32_t b);
/* Pearson's correlation of the pairs that are both finite; NaN with fewer than 3 or no variance. */
double sonde__pearson(int32_t n, const double *x, const double *y);

enum { SONDE__FAILURE_COUNT = SONDE_FAILURE_LEFT + 1 };

/* One condition on the worlds of one size: a stretch of the results, by graph. */
typedef struct {
    int32_t n;
    const sonde__result_run *run; /* (n) */
} sonde__run_list;
sonde__run_list sonde__runs(const sonde__results *results, int32_t condition, int32_t size);

/* What runs add up to. */
typedef struct {
    int32_t n_run;
    int32_t n_model; /* of which in models, where nothing is optimal or fails */
    int32_t n_failure[SONDE__FAILURE_COUNT]; /* by sonde_failure, so the first is optimal runs */
} sonde__tally;
void sonde__tally_add(sonde__tally *tally, sonde__run_list stretch);
double sonde__tally_percent(const sonde__tally *tally); /* optimal; NaN without runs */

/* What a condition does, apart from the semantics: a row of the paper's table. */
typedef struct {
    sonde_scope scope;
    const char *embedding; /* "none" for full search */
    int32_t k;             /* 0 for full search */
    int32_t n;             /* policies scored for each cluster: 1 is its representative */
} sonde__cell_key;
sonde__cell_key sonde__key_of(const sonde_condition *condition);
/* Order of the paper's table: global first; none, boe, edm, aboe, others; k; n. */
int sonde__key_compare(const sonde__cell_key *a, const sonde__cell_key *b);
/* "boe" as the paper writes it: BOE. */
const char *sonde__embedding_title(const char *embedding);
bool sonde__in_group(const sonde_condition *condition, const char *group);
/* The first condition of a group with this key and these differences (full search: with any, if no
 * other has them), in symmetric worlds with sampled actions; -1 if there is none. */
int32_t sonde__condition_find(const sonde_study_plan *plan, const char *group,
                              const sonde__cell_key *key, uint32_t differences);
/* The sizes of a group's conditions, ascending; `size` has room for `n_max`; returns how many. */
int32_t sonde__sizes_of(const sonde_study_plan *plan, const char *group, int32_t n_max,
                        int32_t *size);
enum { SONDE__SIZE_MAX = 16 };

/* -------------------------------------------------------------------------------- estimates -- */

/* What is measured of a run. */
typedef enum {
    SONDE__STEPS,        /* scored, per decision */
    SONDE__EQUIVALENT,   /* the same in whole policies */
    SONDE__SECONDS,      /* per decision */
    SONDE__CONSTRUCTION, /* seconds of embedding and clustering, where nothing was reused */
    SONDE__VALID,        /* percent of the representatives that the agent could carry out */
    SONDE__SETUP_SECONDS,
    SONDE__SETUP_STEPS,
    SONDE__FIRST_SECONDS,    /* until the first action */
    SONDE__FIRST_EQUIVALENT, /* the same in whole policies */
    SONDE__JUDGED_EQUIVALENT,
    SONDE__JUDGED_WITH_SETUP,
    SONDE__TV,
    SONDE__ACTION_TV,
    SONDE__BOUND,
    SONDE__REGRET,
    SONDE__BEST,        /* percent of the judged decisions whose best policy is the best of all */
    SONDE__EFE,         /* G of the best policy */
    SONDE__CERTIFICATE, /* total variation from the exact posterior that certificates allow */
    SONDE__SURPRISE,    /* of outcomes, per step; in models, as are the next two */
    SONDE__FREE_ENERGY, /* of outcomes, per step */
    SONDE__PREFERENCE,  /* ln C of outcomes, per step */
    SONDE__MEASURE_COUNT
} sonde__measure_code;
typedef struct {
    const char *name;                           /* in summary.json */
    double (*of)(const sonde__result_run *run); /* NaN where a run has none */
    bool positive; /* the interval of its mean is taken about the logarithm */
    double most;   /* the interval stays within 0 and this; 0: it has no such ends */
} sonde__measure;
const sonde__measure *sonde__measure_at(int32_t i); /* NULL past the last */

/* What a sample says of all worlds; NaN where it says nothing. */
typedef struct {
    int32_t n;
    double mean;
    double low; /* of the mean's 95 % interval */
    double high;
    double median;
    double median_low; /* of the median's */
    double median_high;
    double least;
    double most;
} sonde__estimate;
/* `scratch` has room for a number of every run. */
sonde__estimate sonde__estimate_of(sonde__run_list runs, sonde__measure_code code, double *scratch);
/* The mean alone; NaN and n = 0 without values. */
double sonde__mean_of(sonde__run_list runs, sonde__measure_code measure, int32_t *n);
/* Sorts the numbers; NaN without any. */
double sonde__median(int32_t n, double *value);

/* ------------------------------------------------------------------------------------ grids -- */

enum {
    SONDE__BOLD = 1,
    SONDE__MARK = 2,  /* a dagger */
    SONDE__LEFT = 4,  /* words, not numbers */
    SONDE__RULE = 8,  /* a line above the row of this cell */
    SONDE__APART = 16 /* some room to the left */
};

/* A cell of a table for people: words, and perhaps smaller ones behind them. */
typedef struct {
    size_t words; /* where they begin in the grid's text */
    size_t small; /* the same, or 0 where there are none */
    uint32_t style;
    int32_t span; /* columns */
} sonde__grid_cell;
typedef struct {
    const char *name; /* of its files */
    int32_t n_column;
    int32_t n_head; /* rows of column heads, which come first */
    int32_t n_cell;
    int32_t capacity;
    sonde__grid_cell *cell; /* (n_cell) row by row */
    sonde_text words;       /* of all cells, each with a closing zero; its failure is the grid's */
} sonde__grid;
/* Appends a cell; `small` may be NULL. A grid without memory makes the texts it is written to
 * fail. */
void sonde__grid_add(sonde__grid *grid, uint32_t style, int32_t span, const char *words,
                     const char *small);
/* Appends a cell of one column. */
void sonde__grid_put(sonde__grid *grid, uint32_t style, const char *words);
void sonde__grid_integer(sonde__grid *grid, uint32_t style, int64_t number);
/* All digits of a number; nothing for NaN. */
void sonde__grid_number(sonde__grid *grid, double number);
const char *sonde__grid_words(const sonde__grid *grid, const sonde__grid_cell *cell);
const char *sonde__grid_small(const sonde__grid *grid, const sonde__grid_cell *cell); /* or NULL */
void sonde__grid_html(const sonde__grid *grid, sonde_text *html);
void sonde__grid_csv(const sonde__grid *grid, sonde_text *csv);
void sonde__grid_tex(const sonde__grid *grid, sonde_text *tex);
void sonde__grid_text(const sonde__grid *grid, sonde_text *text); /* for a terminal */
void sonde__grid_json(const sonde__grid *grid, sonde_text *json);
void sonde__grid_free(sonde__grid *grid);

/* ---------------------------------------------------------------------------- the main table -- */

typedef enum { SONDE__PAPER, SONDE__NOTEBOOK, SONDE__TEXT, SONDE__SOURCE_COUNT } sonde__source;

/* One row of the paper's table at one size, from the three sources. */
typedef struct {
    int32_t n_optimal[SONDE__SOURCE_COUNT];
    int32_t n_graph[SONDE__SOURCE_COUNT]; /* 0 where there is no value */
    double percent[SONDE__SOURCE_COUNT];  /* NaN where there is none */
    bool best[SONDE__SOURCE_COUNT];       /* of the embeddings in its column */
    bool compared;                        /* both the paper and the notebook semantics have one */
    bool outside;                         /* and the paper's is not among the central 95 % */
} sonde__table_cell;
typedef struct {
    int32_t n_row;
    int32_t n_size;
    int32_t size[SONDE__SIZE_MAX];
    int32_t n_compared;
    int32_t n_inside;
    double apart[SONDE__SOURCE_COUNT]; /* mean distance from the paper in points; NaN without */
    sonde__cell_key *key;              /* (n_row) */
    sonde__table_cell *cell;           /* (n_row, n_size) */
} sonde__table_sum;
/* Fails with SONDE_NO_MEMORY. n_row is 0 where the plan has no such conditions. */
sonde_status sonde__table_count(const sonde__results *results, sonde__table_sum *table);
const sonde__table_cell *sonde__table_at(const sonde__table_sum *table, int32_t row, int32_t size);
void sonde__table_free(sonde__table_sum *table);
/* For people, with intervals; `short_form` has whole percents and fits a terminal. */
void sonde__table_grid(const sonde__table_sum *table, bool short_form, sonde__grid *grid);
/* For machines: one row for each row and size. */
void sonde__table_list(const sonde__table_sum *table, sonde__grid *grid);
/* For a terminal, with a heading and what its signs mean. */
void sonde__table_text(const sonde__results *results, const sonde__table_sum *table,
                       sonde_text *text);

/* ------------------------------------------------------------------------------ other tables -- */

/* What the tables are made from. */
typedef struct {
    const sonde__results *results;
    sonde__table_sum table;
    double *scratch; /* (results->n_run) */
} sonde__summary;
/* The fillers below leave a grid without rows where the study has no data for it; `list`, where
 * there is one, has every number behind it, for the CSV file. */

/* Time and steps of a decision by full and by clustered search. */
void sonde__speed_grid(const sonde__summary *summary, sonde__grid *grid, sonde__grid *list);
void sonde__speed_json(const sonde__summary *summary, sonde_text *json);
/* What became of the runs, by scope, search and semantics. */
void sonde__failures_grid(const sonde__summary *summary, sonde__grid *grid, sonde__grid *list);
/* What each difference between paper and notebook does alone. */
void sonde__differences_grid(const sonde__summary *summary, sonde__grid *grid, sonde__grid *list);
void sonde__differences_json(const sonde__summary *summary, sonde_text *json);
/* What searches cost for an error of the posterior that one can live with. */
void sonde__quality_grid(const sonde__summary *summary, sonde__grid *grid, sonde__grid *list);
/* The same for a terminal; false if there is none. */
bool sonde__quality_text(const sonde__summary *summary, sonde_text *text);
/* Means of what grows with worlds and plans. */
void sonde__scaling_grid(const sonde__summary *summary, sonde__grid *grid, sonde__grid *list);
/* Whether a condition, where it runs, is in no section but the comparison: a study of one's own. */
bool sonde__is_own(const sonde_condition *condition, int32_t size);
/* What sets a condition apart from the plan's others, in a few words. */
void sonde__short_label(const sonde_study_plan *plan, int32_t c, sonde_text *text);
/* Whether a command that repeats a run has to name a setting: one that labels always have, or one
 * that is not the default. */
bool sonde__setting_is_told(const sonde_search_settings *search, int32_t i);
/* Conditions of one's own side by side, measure by measure. */
void sonde__compare_grid(const sonde__summary *summary, sonde__grid *grid, sonde__grid *list);
/* The same for a terminal; false if there are none. */
bool sonde__compare_text(const sonde__summary *summary, sonde_text *text);
/* Every condition with its settings. */
void sonde__conditions_grid(const sonde__summary *summary, sonde__grid *grid, sonde__grid *list);

/* The name of a search, or of clusters by one embedding: a line of figures of quality and
 * scaling. */
sonde__word sonde__line_of(const sonde_condition *condition);
/* "6 nodes", "tmaze". */
sonde__word sonde__place_name(const sonde_study_plan *plan, int32_t place);

/* ---------------------------------------------------------------------------- chosen worlds -- */

/* Opens chosen worlds again and writes their policy spaces; the table of correlations on the way.
 * Fails like sonde_report_study. */
sonde_status sonde__worlds_json(const sonde__summary *summary, const sonde_run *run,
                                sonde__grid *grid, sonde_text *json, sonde_error *error);
/* One run that failed, lived through again to the decision that went wrong; null without one. */
sonde_status sonde__failed_json(const sonde__summary *summary, const sonde_run *run,
                                sonde_text *json, sonde_error *error);

/* -------------------------------------------------------------------------------- documents -- */

/* The parts of summary.json that every study has: itself, its conditions, cells, worlds, runs and
 * the paper's table (docs/formats.md). Fails like sonde_report_study. */
sonde_status sonde__summary_json(const sonde__summary *summary, sonde_text *json,
                                 sonde_error *error);
/* The same for results that were read; nothing is written. */
sonde_status sonde__report_view(const sonde__results *results, const char *page,
                                const sonde_run *run, sonde_text *html, sonde_error *error);
/* The models of a study with the names of what is in them; and the steps that were kept, column by
 * column. */
sonde_status sonde__models_json(const sonde__results *results, const sonde_run *run,
                                sonde_text *json, sonde_error *error);
void sonde__steps_json(const sonde__results *results, sonde_text *json);
/* The whole report of results that were read; as sonde_report_study. */
sonde_status sonde__report_write(const sonde__results *results, const char *folder,
                                 const char *page, const sonde_run *run, sonde_text *table,
                                 sonde_error *error);

#endif

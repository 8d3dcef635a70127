/* model_internal.h: between the files that make models. */
#ifndef SONDE_MODEL_INTERNAL_H
#define SONDE_MODEL_INTERNAL_H

#include "base/file.h"
#include "base/json.h"
#include "base/memory.h"
#include "model/model.h"

/* Numbers of A and B that are not in memory but come from a file in pieces, twice: once to be
 * checked and counted, once to be stored. An array with n_entry SUPPLIED is one of these. */
enum { SONDE__SUPPLIED = -1 };
typedef struct {
    /* goes to the beginning of LETTER[number]; `first_fastest`: its first axis is the fastest */
    sonde_status (*start)(void *user, char letter, int32_t number, bool *first_fastest);
    /* the next n numbers */
    sonde_status (*next)(void *user, int64_t n, double *value);
    void *user;
} sonde__supply;

/* one entry of an array that is given sparsely */
typedef struct {
    int64_t column;
    int32_t row;
    double p;
} sonde__cell;

/* A table of probabilities, A, B or D, while it is made. Rows are what is probable (outcomes, next
 * states), columns what it depends on (states; previous states and actions, the action fastest). It
 * is stored as (column / n_action, row, n_lane) or, sparsely, column by column. */
typedef struct {
    char letter;
    int32_t number;
    const sonde_array *array;
    const char *axes; /* what they mean, for people */
    int32_t n_axis;
    const int64_t *size; /* (n_axis) that is expected */
    int32_t n_row;
    int64_t n_column;
    int32_t n_action;
    int32_t n_lane;
    bool must_be_sparse;
    bool must_be_dense;
    bool counted;             /* its array is counts, and it becomes their mean */
    const sonde_array *other; /* what else is given: its mean, or the counts; or NULL */
    /* found when it is measured */
    int64_t *count; /* (n_column) numbers that are not 0 */
    int64_t n_nonzero;
    bool certain; /* one in every column */
    bool sparse;
    int64_t n_cell;
    sonde__cell *cell; /* (n_cell) by column and row, where the array is given sparsely */
    /* where it goes */
    double *value;   /* (n_column / n_action, n_row, n_lane) */
    int64_t *offset; /* (n_column + 1) */
    int32_t *row;    /* (n_nonzero) */
    double *p;       /* (n_nonzero) */
    double *counts;  /* as the other numbers are, where there are any */
} sonde__table;

/* Whether a table has counts. */
static inline bool sonde__table_learns(const sonde__table *table) {
    return table->counted || table->other != NULL;
}
/* Numbers that it takes once it is measured. */
int64_t sonde__table_size(const sonde__table *table);
/* "A[0]" or "counts.A[0]". */
sonde__path sonde__table_name(const sonde__table *table);

/* A model while it is made. */
typedef struct {
    const sonde_parts *parts;
    const char *origin;          /* the file, for errors; or NULL */
    const sonde__supply *supply; /* or NULL */
    sonde_run run;
    sonde_error *error;
    sonde__pool pool;    /* scratch */
    sonde_status status; /* why there was none */
    int32_t n_step_C;
    int32_t **depend;       /* (n_factor) of each factor */
    int32_t **of;           /* (n_modality) factors of each modality */
    int32_t *by;            /* (n_modality) actions that each depends on: 1, or all of them */
    uint64_t n_action;      /* tuples of actions */
    uint64_t n_action_cost; /* numbers of action_cost; 0 without */
    sonde__table *A;        /* (n_modality) */
    sonde__table *B;        /* (n_factor) */
    sonde__table *D;        /* (n_factor) */
} sonde__maker;
/* Numbers in counts of E; 0: there are none. */
uint64_t sonde__parts_n_habit(const sonde__maker *maker);

/* "FILE: ..." with SONDE_BAD_INPUT. */
sonde_status sonde__maker_wrong(const sonde__maker *maker, const char *format, ...)
    SONDE_PRINTF(2, 3);
/* n zeroed pieces of scratch, or NULL and maker->status. */
void *sonde__maker_take(sonde__maker *maker, uint64_t n, size_t size);

/* How many factors a transition depends on, or a modality, where nothing said means itself, or
 * all. */
int32_t sonde__parts_n_depend(const sonde_parts *parts, int32_t f);
int32_t sonde__parts_n_of(const sonde_parts *parts, int32_t m);

/* Whether policies depend on what is allowed in each state of a factor. */
static inline bool sonde__restricted(const sonde_parts *parts, int32_t f) {
    return parts->policies == SONDE_POLICIES_ALLOWED && parts->factor[f].allowed != NULL;
}

/* model_check.c: everything that can be said of the parts before a number of A, B or D is looked
 * at; fills in the rest of the maker. */
sonde_status sonde__parts_check(sonde__maker *maker);
/* The axes of an array: "[3, 3, 2]". */
sonde__path sonde__axes_text(int32_t n_axis, const int64_t *size);
/* The numbers of a small array (n), all of them, finite and at most 1e100 from 0. */
sonde_status sonde__array_spread(sonde__maker *maker, const char *path, const sonde_array *array,
                                 int64_t n, double *value);

/* model_table.c: checks the numbers of a table and counts those that are not 0; then, once it has
 * memory, stores them, each column divided by its sum. */
sonde_status sonde__table_measure(sonde__maker *maker, sonde__table *table);
sonde_status sonde__table_store(sonde__maker *maker, sonde__table *table);
/* Of a table with counts that is given besides: how far it is from their mean, at most. */
sonde_status sonde__table_compare(sonde__maker *maker, sonde__table *table, double *apart);

/* model_build.c: sonde_model_new, from memory or from a supply. */
sonde_status sonde__model_make(const sonde_parts *parts, const sonde__supply *supply,
                               const char *origin, const sonde_run *run, sonde_model **model,
                               sonde_error *error);

/* model_read.c: a model from a document; its arrays are under sonde__model_array_key's keys. */
const char *sonde__model_array_key(int32_t i);
sonde_status sonde__model_from_json(sonde__reader *reader, const sonde_model_settings *settings,
                                    const sonde_run *run, sonde_model **model);
/* model_npz.c: a model from an .npz file. */
sonde_status sonde__model_from_npz(const sonde__file *file, const sonde_model_settings *settings,
                                   const sonde_run *run, sonde_model **model, sonde_error *error);
/* model_pomdp.c, model_pomdpx.c: a model from a .POMDP file, or from a POMDPX document. */
sonde_status sonde__model_from_pomdp(const sonde_source *source,
                                     const sonde_model_settings *settings, const sonde_run *run,
                                     sonde_model **model, sonde_error *error);
sonde_status sonde__model_from_pomdpx(const sonde_source *source,
                                      const sonde_model_settings *settings, const sonde_run *run,
                                      sonde_model **model, sonde_error *error);
/* model_write.c: SONDE_TOO_LARGE where a document would have too many numbers. */
sonde_status sonde__check_numbers(uint64_t n, sonde_error *error);
/* model_write_graph.c: a graph world as a general model. */
sonde_status sonde__model_write_graph(const sonde_model *model, sonde_text *text,
                                      sonde_error *error);

/* The settings over what a file says; SONDE_BAD_ARGUMENT where a setting is outside its range. */
sonde_status sonde__settings_apply(const sonde_model_settings *settings, sonde_parts *parts,
                                   sonde_error *error);

#endif

/* model_foreign.h: between the files that read models of other formats. */
#ifndef SONDE_MODEL_FOREIGN_H
#define SONDE_MODEL_FOREIGN_H

#include "base/memory.h"
#include "sonde.h"

/* A file of another format while it becomes parts. */
typedef struct {
    const char *origin; /* the file, for errors */
    sonde_error *error;
    sonde_status status; /* of the first thing that was wrong */
    sonde_run run;
    uint64_t bytes; /* of scratch, so far */
    sonde__pool pool;
    sonde_parts parts;
} sonde__foreign;

/* "FILE: line 7: ..." with SONDE_BAD_INPUT; returns false. The first one stays. */
bool sonde__foreign_wrong(sonde__foreign *f, int32_t line, const char *format, ...)
    SONDE_PRINTF(3, 4);
/* Counts bytes of scratch; false, and a status, where they are more than is allowed. */
bool sonde__foreign_afford(sonde__foreign *f, uint64_t n, size_t size);
/* n zeroed pieces of scratch, or NULL and a status. */
void *sonde__foreign_take(sonde__foreign *f, uint64_t n, size_t size);
/* A copy of some letters, and a closing zero; NULL, and a status, where there is no room. */
const char *sonde__foreign_word(sonde__foreign *f, const char *letters, size_t n);

/* Names, or as many numbers. */
typedef struct {
    int32_t n;
    const char **name; /* (n), or NULL: they have numbers alone */
    int32_t *order;    /* (n) by name */
} sonde__words;
/* Sorts names, so that they are found; false, and a status, where one is there twice. `what` they
 * are is for people: "state". */
bool sonde__words_sort(sonde__foreign *f, sonde__words *words, const char *what, int32_t line);
/* The place of a name, or of a number from 0 on; -1 where there is none. */
int32_t sonde__words_find(const sonde__words *words, const char *word);
/* The sentence about a word that is not among them; returns false. */
bool sonde__words_miss(sonde__foreign *f, const sonde__words *words, const char *what,
                       const char *word, int32_t line);

/* An array of parts with these axes (n_axis), all zeros; NULL, and a status. */
double *sonde__foreign_array(sonde__foreign *f, sonde_array *array, int32_t n_axis,
                             const int64_t *size);
/* An array of parts with these axes that is a list of entries, some of them there. */
typedef struct {
    sonde__foreign *file;
    sonde_array *array;
    int64_t *index; /* (most, n_axis) */
    double *entry;  /* (most) */
    int64_t most;
} sonde__entries;
bool sonde__entries_open(sonde__entries *e, sonde__foreign *f, sonde_array *array, int32_t n_axis,
                         const int64_t *size);
/* One more; false, and a status, where there is no room. */
bool sonde__entries_add(sonde__entries *e, const int64_t *index, double value);
void sonde__entries_close(sonde__entries *e);

/* Whether probabilities sum to 1, within 1e-5, as such files have them; `sum` divides them. */
bool sonde__foreign_sums(double sum);
/* What is meant by all of them: utilities of 0, no information, horizon 1. Then makes the model, or
 * fails with what was wrong, and frees the scratch. */
void sonde__foreign_open(sonde__foreign *f, const char *origin, const sonde_run *run,
                         sonde_error *error);
sonde_status sonde__foreign_close(sonde__foreign *f, const sonde_model_settings *settings,
                                  sonde_model **model);

#endif

/* sonde_settings.h: the table of a search's settings, to be walked, read and written by key.
 *
 *     sonde_search_settings settings = sonde_search_defaults();
 *     status = sonde_settings_set(&settings, "search", "beam", &error);
 *
 * Whoever writes the fields of sonde_search_settings itself needs none of this. */
#ifndef SONDE_SETTINGS_H
#define SONDE_SETTINGS_H

#include "sonde.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Every setting of a search is one row of one table. The search's checks, the command's options and
 * help, the keys of study plans, the columns of results, the JSON documents and Python's arguments
 * come from it. */
typedef enum {
    SONDE_WHOLE, /* int32_t */
    SONDE_COUNT, /* uint64_t */
    SONDE_REAL,  /* double */
    SONDE_FLAG,  /* bool */
    SONDE_CHOICE /* int32_t or an enumeration: a place in a list of names, -1 for none */
} sonde_setting_type;

typedef struct {
    const char *key;  /* in plans, JSON and Python; the command writes - for _ */
    const char *part; /* the heading that it stands under in help */
    sonde_setting_type type;
    size_t at;                     /* offset in sonde_search_settings */
    double usual;                  /* the default; it may lie outside the range: "not set" */
    double minimum;                /* of numbers */
    double maximum;                /* of numbers; 0: what the type holds, 1e100 of reals */
    bool open;                     /* minimum and maximum themselves are excluded */
    const char *zero;              /* a word that stands for 0, or NULL */
    const char *unit;              /* "seconds", "nats", "steps", or NULL */
    const char *(*names)(int32_t); /* the choices */
    const char *(*about)(int32_t); /* a line on each choice, or NULL */
    uint32_t searches;             /* a bit for each search that uses it; 0: all do */
    uint32_t kinds;                /* the kinds of model that have it; 0: all do */
    const char *with;              /* it has an effect beside this setting alone; or NULL */
    const char *with_values;       /* and only beside these choices of it, "a,b"; NULL: any */
    const char *unless;            /* this setting takes its place in some searches; or NULL */
    uint32_t unless_searches;      /* the searches in which it does */
    bool rare;                     /* a command that repeats a run names it where it was given */
    const char *label;             /* stands before its value in labels of studies; or NULL */
    bool labelled;                 /* labels have it even where it is the default */
    const char *value;             /* what help calls the value */
    const char *help;              /* one sentence */
} sonde_setting;
/* There are no more rows than this. */
enum { SONDE_SETTINGS_MAX = 96 };
/* Row i of the table, NULL past the last and below 0. Plans expand lists in this order. */
SONDE_API const sonde_setting *sonde_setting_at(int32_t i);
/* The row of a key, or -1. */
SONDE_API int32_t sonde_setting_find(const char *key);
/* Sets one setting from text: a number in the row's unit, a name, true or false.
 * Fails with SONDE_BAD_ARGUMENT, and error->setting is the key. */
SONDE_API sonde_status sonde_settings_set(sonde_search_settings *settings, const char *key,
                                          const char *value, sonde_error *error);
/* Appends the value as sonde_settings_set takes it, or nothing where it is not set. Fails with
 * SONDE_BAD_ARGUMENT where there is no such key. */
SONDE_API sonde_status sonde_settings_get(const sonde_search_settings *settings, const char *key,
                                          sonde_text *value, sonde_error *error);
/* What settings mean beside each other. `given` (a bool for each row; NULL: none) says which of
 * them somebody named: if `search` is not among them, they say which search is meant. The embedding
 * that nobody named becomes the usual one of a single kind of model. Fails with
 * SONDE_BAD_ARGUMENT where one of them changes nothing: beside this search and its fallback, beside
 * the others, or on the kinds of model in `kinds` (0: not known yet). */
SONDE_API sonde_status sonde_settings_settle(sonde_search_settings *settings, const bool *given,
                                             uint32_t kinds, sonde_error *error);
/* Whether setting i has an effect beside the others, on any of these kinds of model (0: any). */
SONDE_API bool sonde_setting_counts(const sonde_search_settings *settings, int32_t i,
                                    uint32_t kinds);

#ifdef __cplusplus
}
#endif

#endif

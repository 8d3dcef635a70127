/* json.h: reading JSON documents strictly, with errors that say where.
 *
 * Every check takes the reader and a path such as "edges[3]", and returns false after it has filled
 * in the error: "world.json: edges[3][2]: expected a weight of 0 or more, found -1". */
#ifndef SONDE_BASE_JSON_H
#define SONDE_BASE_JSON_H

#include <jansson.h>

#include "base/status.h"

typedef struct {
    const char *origin; /* the file, for errors */
    sonde_error *error;
    sonde_status status; /* of the first check that failed */
    json_t *root;
    /* lists of numbers that were taken out of the document before it was parsed */
    struct sonde__numbers *numbers; /* (n_numbers) in the order of the text */
    int32_t n_numbers;
    int32_t last_numbers; /* where the last one that was asked for is */
} sonde__reader;

/* Opens a document from a file ("-": standard input), gzip-compressed or not, or from memory.
 * Refuses more than 1 GiB. */
sonde_status sonde__json_open(sonde__reader *reader, const char *path, sonde_error *error);
sonde_status sonde__json_parse(sonde__reader *reader, const sonde_source *source,
                               sonde_error *error);
void sonde__json_close(sonde__reader *reader);

/* Large lists of numbers would take jansson ten times their size. Under the keys of `key` a
 * document has lists of arrays, "KEY": [array, ...], those of a key "OUTER.KEY" within the object
 * of OUTER; each array nested lists of numbers or an
 * object {"shape": numbers, "entries": numbers}. Those numbers are read into memory of their
 * own, at most `memory` bytes in all; the parser sees [] in their place. What is no number or not
 * of one shape is an error; what is no JSON is left to the parser to say. */
enum { SONDE__AXES = 64 };
typedef enum { SONDE__NUMBERS_ARRAY, SONDE__NUMBERS_SHAPE, SONDE__NUMBERS_ENTRIES } sonde__part;
typedef struct sonde__numbers {
    int32_t key;  /* which of the list of keys */
    int32_t item; /* KEY[item] */
    sonde__part part;
    size_t from; /* the text it stood in, up to but not with `to` */
    size_t to;
    int32_t n_axis;
    int64_t size[SONDE__AXES]; /* (n_axis) */
    int64_t n;                 /* sizes multiplied */
    double *value;             /* (n) the last axis fastest */
} sonde__numbers;
sonde_status sonde__json_parse_numbers(sonde__reader *reader, const sonde_source *source,
                                       const char *(*key)(int32_t), uint64_t memory,
                                       sonde_error *error);
/* Its first half: takes the numbers out. (Its second half is the parser's, json_parse.c.) */
sonde_status sonde__json_take_numbers(sonde__reader *reader, const sonde_source *source,
                                      const char *(*key)(int32_t), uint64_t memory);
/* The line of a position in the text, from 1 on, and how many characters come before it there. */
int32_t sonde__json_line(const sonde_source *source, size_t at, int32_t *column);
/* Those of one item, or NULL. The reader keeps them. */
sonde__numbers *sonde__json_numbers(sonde__reader *reader, int32_t key, int32_t item,
                                    sonde__part part);
/* The text of a file as it is, and a closing zero; the caller frees `data`, which starts as NULL,
 * also on failure. */
sonde_status sonde__json_slurp(const char *path, char **data, size_t *size, sonde_error *error);

/* What is in memory without the mark (U+FEFF in UTF-8) that some programs begin a text with. */
sonde_source sonde__text_of(const sonde_source *source);

/* Appends a value as jansson writes it, with its flags; without memory the text has failed. (What
 * json_dumps gives then may lack a word.) */
void sonde__json_write(const json_t *value, size_t flags, sonde_text *text);

/* A place in the document, as text. */
typedef struct {
    char text[128];
} sonde__path;
sonde__path sonde__at(const char *format, ...) SONDE_PRINTF(1, 2);

/* "ORIGIN: PATH: expected EXPECTED, found WHAT IS THERE"; returns false. */
bool sonde__json_expected(sonde__reader *reader, const char *path, const char *expected,
                          const json_t *found);
/* "ORIGIN: ..." with a sentence of one's own; returns false. */
bool sonde__json_wrong(sonde__reader *reader, const char *format, ...) SONDE_PRINTF(2, 3);

/* Nothing but the keys of the list, a function like those of sonde_name_find. */
bool sonde__json_keys(sonde__reader *reader, const json_t *object, const char *(*key)(int32_t));
/* The same for an object within the document, at `path`. */
bool sonde__json_keys_at(sonde__reader *reader, const char *path, const json_t *object,
                         const char *(*key)(int32_t));
/* "format" and "version", which every document of ours opens with. */
bool sonde__json_format(sonde__reader *reader, const char *format, int32_t version);
/* A whole number from `least` to `most`. */
bool sonde__json_whole(sonde__reader *reader, const char *path, const json_t *value, int64_t least,
                       int64_t most, int32_t *out);
/* A number of `least` or more. */
bool sonde__json_number(sonde__reader *reader, const char *path, const json_t *value, double least,
                        double *out);

#endif

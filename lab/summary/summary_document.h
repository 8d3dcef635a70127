/* summary_document.h: reports of documents that other verbs write: fits, recoveries, comparisons,
 * and runs of agents that learn. */
#ifndef SONDE_SUMMARY_SUMMARY_DOCUMENT_H
#define SONDE_SUMMARY_SUMMARY_DOCUMENT_H

#include "base/json.h"
#include "summary/summary_folder.h"

/* A document, and what is made of it. */
typedef struct {
    sonde__reader reader; /* its root is an object */
    sonde__folder folder;
    sonde_text *text; /* the main table, for a terminal */
} sonde__document;

/* Those that are not there are NaN and "". */
double sonde__number_at(const json_t *object, const char *key);
const char *sonde__words_at(const json_t *object, const char *key);
double sonde__item(const json_t *list, size_t i);
/* A number in about three digits. */
void sonde__grid_short(sonde__grid *grid, double number);
/* A number as people read what a key of documents holds: whole, in hundredths of nats, or short. */
void sonde__grid_keyed(sonde__grid *grid, const char *key, double number);
/* Heads of columns; the first `n_left` are of words. */
void sonde__grid_heads(sonde__grid *grid, const char *const *head, int32_t n, int32_t n_left);

/* Of each kind of document: whether it has what the page shows, with an error otherwise; and its
 * tables. */
bool sonde__learn_check(sonde__reader *reader);
bool sonde__replay_check(sonde__reader *reader);
bool sonde__fit_check(sonde__reader *reader);
bool sonde__recovery_check(sonde__reader *reader);
bool sonde__power_check(sonde__reader *reader);
bool sonde__comparison_check(sonde__reader *reader);
sonde_status sonde__learn_tables(sonde__document *document);
sonde_status sonde__replay_tables(sonde__document *document);
sonde_status sonde__fit_tables(sonde__document *document);
sonde_status sonde__recovery_tables(sonde__document *document);
sonde_status sonde__power_tables(sonde__document *document);
sonde_status sonde__comparison_tables(sonde__document *document);

/* Whether the text of a file opens like such a document. */
bool sonde__document_begins(const char *data);
/* The page with one inside it. */
sonde_status sonde__document_view(const char *path, const char *page, sonde_text *html,
                                  sonde_error *error);

#endif

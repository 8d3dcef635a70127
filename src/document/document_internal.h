/* document_internal.h: the words that all JSON documents are made of. */
#ifndef SONDE_DOCUMENT_INTERNAL_H
#define SONDE_DOCUMENT_INTERNAL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/explanation.h"
#include "base/memory.h"
#include "base/words.h"
#include "sonde.h"

/* ------------------------------------------------------------------------------------- JSON -- */

/* Opens a document: version, verb, sign and, where there is one, the command. */
void sonde__report_open(sonde_text *json, const char *verb, const char *command);
/* Continues with a key of the document, on a line of its own. */
void sonde__report_key(sonde_text *json, const char *key);
void sonde__report_close(sonde_text *json);
/* "names", where the graph has any. */
void sonde__report_names(sonde_text *json, const sonde_graph *graph);

void sonde__report_integers(sonde_text *json, const int32_t *value, int32_t n);
void sonde__report_numbers(sonde_text *json, const double *value, int32_t n);
/* A whole number as it is while every reader can hold it (2^53), as a string of its digits past
 * that. */
void sonde__report_index(sonde_text *json, uint64_t index);
/* A count that may be too large for its 64 bits: past 2^53 a string with the 17 significant digits
 * of `real`, "Infinity" past the largest double. */
void sonde__report_count(sonde_text *json, uint64_t count, double real);

/* An edge as [a, b], an action as [[a, b], [b, c]], a walk's T actions, a walk's T + 2 nodes. */
void sonde__report_edge(sonde_text *json, const sonde_graph *graph, int32_t edge);
void sonde__report_action(sonde_text *json, const sonde_graph *graph, int32_t from, int32_t to);
void sonde__report_actions(sonde_text *json, const sonde_graph *graph, const int32_t *walk,
                           int32_t horizon);
void sonde__report_nodes(sonde_text *json, const sonde_graph *graph, const int32_t *walk,
                         int32_t horizon);
/* "efe": ..., then every term by its name, without braces. */
void sonde__report_terms(sonde_text *json, const sonde_efe *efe);
/* "names" of a graph world or a general model. */
void sonde__report_model_names(sonde_text *json, const sonde_model *model);
/* "model": the conventions of a general model; nothing in a graph world. */
void sonde__report_conventions(sonde_text *json, const sonde_model *model);
/* A belief as a list for each factor; an action as a list of each factor's. */
void sonde__report_belief(sonde_text *json, const sonde_model *model, const double *belief);
void sonde__report_tuple(sonde_text *json, const sonde_model *model, int32_t action);
/* A general policy as a list of T actions. */
void sonde__report_tuples(sonde_text *json, const sonde_policies *policies, const int32_t *walk);
/* "actions": ... and in a graph world "nodes": ..., without braces. */
void sonde__report_policy(sonde_text *json, const sonde_policies *policies, const int32_t *walk);
/* {"to": node, "edges": [[a, b], [b, c]]}: where an action leads from `state`, and what it is; in a
 * general model {"actions": [one for each factor]}. */
void sonde__report_choice(sonde_text *json, const sonde_model *model, int32_t state,
                          int32_t action);
/* The scope an origin belongs to, in quotes. */
void sonde__report_scope(sonde_text *json, int32_t origin);

/* Continues a decision with "explain". */
void sonde__report_explain(sonde_text *json, const sonde_explanation *explanation);

/* ---------------------------------------------------------------------------------- columns -- */

/* The name of an embedding's column, as a field of a table. */
void sonde__report_column(sonde_text *csv, const sonde_embedder *embedder, int32_t column);
/* The nodes or the actions of a policy joined by '-', as a field of a table. */
void sonde__report_steps(sonde_text *csv, const sonde_policies *policies, const int32_t *walk);

#endif

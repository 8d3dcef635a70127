/* document_internal.h: the words that all JSON documents are made of. */
#ifndef SONDE_DOCUMENT_INTERNAL_H
#define SONDE_DOCUMENT_INTERNAL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/explanation.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/words.h"
#include "model/model.h"
#include "sonde_document.h"
#include "sonde_learn.h"
#include "sonde_settings.h"
#include "sonde_spm.h"

/* ------------------------------------------------------------------------------------- JSON -- */

/* Opens a document: version, verb, sign and, where there is one, the command. */
void sonde__document_open(sonde_text *json, const char *verb, const char *command);
/* Continues with a key of the document, on a line of its own. */
void sonde__document_key(sonde_text *json, const char *key);
/* A list of names after a key that opens it; nothing where there are none. */
void sonde__document_names(sonde_text *json, const char *key, const char *const *name, int32_t n);
void sonde__document_close(sonde_text *json);
void sonde__document_integers(sonde_text *json, const int32_t *value, int32_t n);
/* A whole number as it is while every reader can hold it (2^53), as a string of its digits past
 * that. */
void sonde__document_index(sonde_text *json, uint64_t index);
/* A count that may be too large for its 64 bits: past 2^53 a string with the 17 significant digits
 * of `real`, "Infinity" past the largest double. */
void sonde__document_count(sonde_text *json, uint64_t count, double real);

/* "learned": counts of an agent that learns, and what became of them. */
void sonde__document_learned(sonde_text *json, const sonde_agent *agent);
/* "efe": ..., then every term by its name, without braces; novelty where it counts. */
void sonde__document_terms(sonde_text *json, const sonde_efe *efe, bool novel);
/* The scope an origin belongs to, in quotes; and whether policies of this model have one. */
void sonde__document_scope(sonde_text *json, int32_t origin);
bool sonde__document_scoped(const sonde_model *model);

/* -------------------------------------------------------------------------- kinds of models -- */

/* What documents say differently of graph worlds (document_graph.c) and of general models
 * (document_model.c). */
typedef struct {
    const char *kind;  /* of the model */
    const char *steps; /* what `policy_steps` writes: "nodes" or "actions" */
    /* "names": ...; "model": the conventions of a general model */
    void (*names)(sonde_text *json, const sonde_model *model);
    void (*conventions)(sonde_text *json, const sonde_model *model);
    /* what describes a model's factor or modality: edges are one of each */
    sonde_factor (*factor)(const sonde_model *model, int32_t f);
    sonde_modality (*modality)(const sonde_model *model, int32_t m);
    /* "state": [a, b] of a decision in a graph world */
    void (*on)(sonde_text *json, const sonde_model *model, int32_t state);
    /* the same of a list of policies, or "belief": ... */
    void (*present)(sonde_text *json, const sonde_model *model, const sonde_present *now);
    /* a belief as a list for each factor; a state as [a, b], or as one number for each factor */
    void (*belief)(sonde_text *json, const sonde_model *model, const double *belief);
    void (*state)(sonde_text *json, const sonde_model *model, const int32_t *state);
    /* an action taken in `state`, {"to": node, "edges": [[a, b], [b, c]]} or {"actions": [...]} */
    void (*choice)(sonde_text *json, const sonde_model *model, int32_t state, int32_t action);
    /* how probable the choices are, each {"to": node, "p": ...} or {"actions": [...], "p": ...},
     * and "factor_probabilities": ... of a general model */
    void (*chances)(sonde_text *json, const sonde_model *model, const sonde_decision *decision);
    /* "actions": ... and in a graph world "nodes": ..., without braces; and the last of them */
    void (*policy)(sonde_text *json, const sonde_policies *policies, const int32_t *walk);
    void (*policy_steps)(sonde_text *json, const sonde_policies *policies, const int32_t *walk);
    /* {"edge": [a, b], "weight": ... or {"actions": [...], as step i of an explanation begins; and
     * what its line of text ends with */
    void (*step)(sonde_text *json, const sonde_model *model, const sonde__alternative *alternative,
                 int32_t i);
    void (*aside)(sonde_text *text, const sonde_model *model, int32_t reached);
    /* of an episode: how it begins, one place of its path, and how it went */
    void (*beginning)(sonde_text *json, const sonde_model *model, int32_t state);
    void (*place)(sonde_text *json, const sonde_model *model, const int32_t *state);
    void (*verdict)(sonde_text *json, const sonde_episode *episode);
    /* fields of a table: a state, an action after `gap` (which a number does without if it is ""),
     * and the nodes or the actions of a policy joined by '-' */
    void (*column_state)(sonde_text *csv, const sonde_model *model, int32_t state);
    void (*column_action)(sonde_text *csv, const sonde_model *model, int32_t action,
                          const char *gap);
    void (*column_steps)(sonde_text *csv, const sonde_policies *policies, const int32_t *walk);
} sonde__writer;
extern const sonde__writer sonde__writer_graphs;
extern const sonde__writer sonde__writer_factors;
const sonde__writer *sonde__writer_of(const sonde_model *model);

/* Continues a decision in closed loop. */
void sonde__document_closed(const sonde_agent *agent, const sonde_decision *decision,
                            sonde_text *json);
/* Continues a decision with "explain". */
void sonde__document_explain(sonde_text *json, const sonde_explanation *explanation);

/* ---------------------------------------------------------------------------------- columns -- */

/* The name of an embedding's column, as a field of a table. */
void sonde__document_column(sonde_text *csv, const sonde_map *map, int32_t column);
/* The fields of general models. */
void sonde__factors_column_state(sonde_text *csv, const sonde_model *model, int32_t state);
void sonde__factors_column_action(sonde_text *csv, const sonde_model *model, int32_t action,
                                  const char *gap);
void sonde__factors_column_steps(sonde_text *csv, const sonde_policies *policies,
                                 const int32_t *walk);

#endif

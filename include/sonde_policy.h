/* sonde_policy.h: what planning without a horizon has found, kept in files.
 *
 * Trials leave vectors and points behind that bound the value of every belief; with them an agent
 * acts through one exact step. A sonde-policy document has both, for one model; a .policy document
 * of SARSOP has vectors, of models with information off. */
#ifndef SONDE_POLICY_H
#define SONDE_POLICY_H

#include "sonde.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
    SONDE_POLICY_JSON, /* a sonde-policy document */
    SONDE_POLICY_XML   /* SARSOP's */
} sonde_policy_format;

/* Reads either; settings.vectors lends it to agents, which have to be of the same model. Numbers of
 * a document of SARSOP's have six digits, so bounds are that much wider. Fails like
 * sonde_graph_read. */
SONDE_API sonde_status sonde_vectors_read(const sonde_source *source, const sonde_run *run,
                                          sonde_vectors **vectors, sonde_error *error);
SONDE_API void sonde_vectors_free(sonde_vectors *vectors);
/* What a policy says of itself; SARSOP's do not say how they were found, which is NAN then. */
typedef struct {
    sonde_policy_format format;
    int32_t n_vector;
    int32_t n_point;
    sonde_backup backup;
    double gamma;
    double discount;
} sonde_vectors_about;
SONDE_API sonde_vectors_about sonde_vectors_describe(const sonde_vectors *vectors);
/* Appends what an agent has found since its episode began, and what it was lent. Fails with
 * SONDE_BAD_ARGUMENT if it plans with a horizon, has not decided yet, or SARSOP's format has no
 * room for it. */
SONDE_API sonde_status sonde_agent_vectors_write(const sonde_agent *agent,
                                                 sonde_policy_format format, sonde_text *text,
                                                 sonde_error *error);

#ifdef __cplusplus
}
#endif

#endif

/* sonde_document.h: results as documents, in JSON, CSV and lines of text. */
#ifndef SONDE_DOCUMENT_H
#define SONDE_DOCUMENT_H

#include "sonde_embed.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Results as JSON documents, appended to a text. Every document opens with "sonde" (the version),
 * "verb" and "sign"; then, where there is one, "command" (the command line that makes it again) and
 * "settings" (every one of them, seed included). */
SONDE_API void sonde_document_graph(const sonde_graph *graph, const double *distance,
                                    const sonde_policies *policies, const char *command,
                                    sonde_text *json);
/* `policies` may be NULL. */
SONDE_API void sonde_document_model(const sonde_model *model, const sonde_policies *policies,
                                    const char *command, sonde_text *json);
/* What a document says of its run besides the result. */
typedef struct {
    const char *command;                   /* the command line that makes it again, or NULL */
    const sonde_search_settings *settings; /* as they were asked for; NULL: the agent's */
    const char *also;                      /* more pairs of "settings", as JSON; or NULL */
    const char *after;                     /* more pairs of the document itself, as JSON; or NULL */
} sonde_about;
/* `action` is what was drawn, or -1; `explanation` and `about` may be NULL. Of a copy whose belief
 * is NULL, and which has no clusters, all but the belief is written. */
SONDE_API void sonde_document_decision(const sonde_agent *agent, const sonde_decision *decision,
                                       int32_t action, const sonde_explanation *explanation,
                                       const sonde_about *about, sonde_text *json);

/* Policies that begin alike: the first steps of a policy are a prefix of it. */
typedef struct {
    int32_t number;    /* its last in a walk: an edge, or an action; without steps, the origin */
    uint64_t n_policy; /* that begin so; UINT64_MAX when there are that many or more */
    double size;       /* the same as a double, which does not saturate */
    sonde_efe so_far;  /* G of its steps */
    double least;      /* no policy that begins so has a smaller G */
    double best;       /* the smallest that was found; infinity: none was looked at */
    double mass[2];    /* its share of the posterior of all policies, at least and at most */
} sonde_beginning;
typedef struct {
    int32_t n_step;
    const int32_t *walk;         /* (n_step + 1) */
    sonde_beginning whole;       /* all policies that begin so, */
    int32_t n_next;              /* and by what they do next; 0: it is a whole policy */
    const sonde_beginning *next; /* (n_next) the most probable first */
} sonde_prefix;
SONDE_API void sonde_prefix_free(sonde_prefix *prefix);
/* What is known of all policies that begin where the last decision was made, with n_step steps:
 * numbers as a walk has them after its origin, from none to T. `number` may be NULL without steps.
 * Whatever the agent's search, bounded search looks at them, with the agent's precision, weights
 * and limits: exactly in a graph world and where policies are listed, to epsilon elsewhere, and
 * with bounds of what it leaves open. Habits and the prior of policies count. The agent stays as it
 * is; free the answer with sonde_prefix_free. Fails like sonde_agent_explain, with
 * SONDE_BAD_ARGUMENT where no policy begins so or the loop is closed, and like sonde_agent_new. */
SONDE_API sonde_status sonde_agent_prefix(sonde_agent *agent, int32_t n_step, const int32_t *number,
                                          sonde_prefix **prefix, sonde_error *error);
/* Reads the steps of a prefix, which `number` (T) has room for: up,up or 3,4, as actions are
 * called, or nodes in a graph world; by name or number, with a slash between those of factors;
 * "all", where nothing is called so, for none.
 * Fails with SONDE_BAD_ARGUMENT. */
SONDE_API sonde_status sonde_prefix_parse(const sonde_agent *agent, const char *text,
                                          int32_t *n_step, int32_t *number, sonde_error *error);
/* All policies that begin alike, as an object, for `after` of a decision's document or on its
 * own: its steps, how many policies there are, G so far, bounds and mass, and the same of what they
 * do next. */
SONDE_API void sonde_document_prefix(const sonde_agent *agent, const sonde_prefix *prefix,
                                     sonde_text *json);
/* The plan of a decision in closed loop, as lines of at most 100 columns: what to do first, and
 * after each thing that may be seen what next. A long plan is cut, and says so. */
SONDE_API void sonde_document_contingency(const sonde_agent *agent, const sonde_decision *decision,
                                          sonde_text *text);
SONDE_API void sonde_document_episode(const sonde_agent *agent, const sonde_episode *episode,
                                      const sonde_about *about, sonde_text *json);
/* What a list of policies is about; the writers below take their walks and numbers one by one. */
typedef struct {
    const sonde_policies *policies;
    int32_t origin;    /* as in sonde_policies_size */
    sonde_present now; /* from which policies are scored */
    const char *command;
} sonde_listing;
/* One policy of a list. */
typedef struct {
    uint64_t index;      /* in the policy order, or UINT64_MAX where it has no place there */
    const int32_t *walk; /* (T + 1) */
    const sonde_efe *total;
    const sonde_efe *steps; /* (T) or NULL */
} sonde_scored;
/* Appends {"count": n, "policies": [ ... ]} policy by policy: the n calls with `at` 0, 1, 2, ...
 * come one after the other, the first opens the document and the last closes it. Without policies
 * it is one call with `at` 0 and `policy` NULL. */
SONDE_API void sonde_document_efe(const sonde_listing *listing, uint64_t n, uint64_t at,
                                  const sonde_scored *policy, sonde_text *json);
/* Rows, 2-D PCA and, where `clusters` is not NULL, labels and representatives, one line or object a
 * policy. */
typedef struct {
    sonde_listing listing;
    const sonde_embedding *embedding;
    const sonde_pca *pca;
    const sonde_clusters *clusters;                 /* or NULL */
    const sonde_cluster_settings *cluster_settings; /* or NULL */
} sonde_map;
SONDE_API void sonde_document_map_csv(const sonde_map *map, sonde_text *csv);
SONDE_API void sonde_document_map_json(const sonde_map *map, sonde_text *json);

/* An explanation as text of at most 100 columns: the terms of each step of the best policy of each
 * first action, and what the decision rests on. A long explanation is cut, and says so; JSON has
 * all of it. */
SONDE_API void sonde_document_explanation(const sonde_explanation *explanation, sonde_text *text);

#ifdef __cplusplus
}
#endif

#endif

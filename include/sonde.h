/* sonde.h: policy search for discrete active inference.
 *
 * The whole public interface, in the order in which data walks through the library:
 *
 *     graph -> model -> belief -> policies -> efe -> embedding -> clusters -> agent -> episode
 *
 * A complete program, which draws a world and lets an agent walk to its destination:
 *
 *     #include <sonde.h>
 *     #include <stdio.h>
 *
 *     int main(void) {
 *         sonde_graph_settings drawing = sonde_graph_defaults();
 *         drawing.n_node = 5;
 *         sonde_search_settings search = sonde_search_defaults();
 *         sonde_graph *graph = NULL;
 *         sonde_model *model = NULL;
 *         sonde_policies *policies = NULL;
 *         sonde_agent *agent = NULL;
 *         sonde_episode *episode = NULL;
 *         sonde_error error = {0};
 *         sonde_status status = sonde_graph_random(&drawing, 57, &graph, &error);
 *         if (!status) status = sonde_model_from_graph(graph, &model);
 *         if (!status) status = sonde_policies_count(model, NULL, &policies, &error);
 *         if (!status) status = sonde_agent_new(policies, &search, NULL, &agent, &error);
 *         if (!status) status = sonde_simulate(agent, 10, &episode, &error);
 *         if (!status) puts(episode->optimal ? "took a shortest path" : "did not");
 *         else puts(error.text);
 *         sonde_episode_free(episode);
 *         sonde_agent_free(agent);
 *         sonde_policies_free(policies);
 *         sonde_model_free(model);
 *         sonde_graph_free(graph);
 *         return (int)status;
 *     }
 *
 * Threads. There is no global state. Constant objects (graph, model, policies, embedder, embedding,
 * clusters, episode) may be read by any number of threads at once. Changing objects (agent, text,
 * rng) belong to one thread at a time. A sonde_stop may be raised from any thread or signal handler.
 *
 * Ownership. Whoever calls _random, _read, _new, _fit or _count frees the result with the _free of
 * the same noun; every _free accepts NULL. An object made from another borrows it: the graph
 * outlives the model, the model outlives the policies, and so on down the line above.
 *
 * Failure. What can fail returns a sonde_status and leaves its outputs untouched then. Where a
 * sonde_error is taken it may be NULL; otherwise it says where, what was expected, what was found.
 *
 * Sign. G is the expected free energy: smaller is better. (pymdp and SPM report -G.)
 */
#ifndef SONDE_H
#define SONDE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define SONDE_API __attribute__((visibility("default")))
#define SONDE_PRINTF(at, first) __attribute__((format(printf, at, first)))
#else
#define SONDE_API
#define SONDE_PRINTF(at, first)
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------------------------ base -- */

/* The version of the library, as "0.1.0". */
SONDE_API const char *sonde_version(void);

/* Every way to fail: code, name, sentence. */
#define SONDE_STATUS_LIST(X)                                                                       \
    X(SONDE_OK, "ok", "done")                                                                      \
    X(SONDE_BAD_ARGUMENT, "bad argument", "a setting is outside what is allowed")                  \
    X(SONDE_NO_FILE, "no file", "the file could not be opened or read")                            \
    X(SONDE_BAD_INPUT, "bad input", "the file does not say what it should")                        \
    X(SONDE_NO_MEMORY, "no memory", "the system refused memory")                                   \
    X(SONDE_TOO_LARGE, "too large", "this needs more memory than it is allowed")                   \
    X(SONDE_STOPPED, "stopped", "the work was interrupted")                                        \
    X(SONDE_NOT_WRITTEN, "not written", "the output could not be written")                         \
    X(SONDE_EMPTY_CLUSTER, "empty cluster", "the cluster that was chosen has no members")

typedef enum {
#define SONDE_STATUS_CODE(code, name, sentence) code,
    SONDE_STATUS_LIST(SONDE_STATUS_CODE)
#undef SONDE_STATUS_CODE
} sonde_status;

/* The name and the sentence of a status; "unknown status" for a number that is none. */
SONDE_API const char *sonde_status_name(sonde_status status);
SONDE_API const char *sonde_status_sentence(sonde_status status);

/* What went wrong, as one sentence for people: where, what was expected, what was found, what to
 * do. Cut to the space there is; never without its closing zero. */
typedef struct {
    sonde_status status;
    char text[1024];
} sonde_error;

/* A flag that stops long work. Raise it from anywhere, a signal handler included; the call that
 * was given it returns SONDE_STOPPED soon after, with nothing half done. */
typedef struct {
    int raised;
} sonde_stop;
SONDE_API void sonde_stop_raise(sonde_stop *stop);

/* How to run, as opposed to what to compute: nothing in here changes a number. Every call that
 * takes one accepts NULL for the defaults. */
typedef struct {
    int32_t n_thread; /* 0: one for each core */
    uint64_t memory;  /* bytes that one call may hold at once; more is SONDE_TOO_LARGE */
    sonde_stop *stop; /* or NULL */
    /* called now and then from the calling thread, or NULL */
    void (*progress)(void *user, const char *stage, uint64_t done, uint64_t total);
    void *user;
    struct sonde_shelf *shelf; /* clusterings that were made before, or NULL */
} sonde_run;
/* One thread for each core, 4 GiB, no stop flag, no progress, no shelf. */
SONDE_API sonde_run sonde_run_defaults(void);

/* Names of the values of every setting that is a choice. Each returns NULL past the last one, so
 * that a list can be walked without knowing its length. */
SONDE_API const char *sonde_connect_name(int32_t connect);
SONDE_API const char *sonde_scope_name(int32_t scope);
SONDE_API const char *sonde_search_name(int32_t search);
SONDE_API const char *sonde_probe_name(int32_t probe);
SONDE_API const char *sonde_action_name(int32_t action);
SONDE_API const char *sonde_difference_name(int32_t difference); /* bit number, not mask */
SONDE_API const char *sonde_failure_name(int32_t failure);
SONDE_API const char *sonde_embedding_name(int32_t kind);
/* One line on what an embedding records, or NULL past the last one. */
SONDE_API const char *sonde_embedding_about(int32_t kind);

/* The place of `word` in a list of names, or -1. */
SONDE_API int32_t sonde_name_find(const char *(*name)(int32_t), const char *word);
/* The name in the list that is spelled most like `word`, or NULL when none is close. */
SONDE_API const char *sonde_name_nearest(const char *(*name)(int32_t), const char *word);

/* Text that grows, or that flows away: with a sink, what has been added is handed on in pieces, so
 * that a document of any length needs little memory. A failure (no memory, a sink that returns
 * false) sets `failed` and later appends do nothing, so that a writer checks once, at the end.
 * Start from {0}, from {.sink = ..., .user = ...}, or with sonde_text_open. */
typedef struct {
    char *data;  /* (size) and a closing zero; NULL while empty */
    size_t size; /* bytes without the zero */
    size_t capacity;
    bool failed;
    bool (*sink)(void *user, const char *data, size_t size); /* or NULL */
    void *user;
    void *file; /* of sonde_text_open, private */
} sonde_text;
SONDE_API void sonde_text_add(sonde_text *text, const char *format, ...) SONDE_PRINTF(2, 3);
/* Appends a number in the fewest of 15 to 17 digits that read back to the same double, with a
 * decimal point in every locale; null if it is not finite, as JSON has it. */
SONDE_API void sonde_text_add_number(sonde_text *text, double number);
/* Appends a JSON string, quotes included, escaped as JSON wants it; bytes that are not UTF-8 become
 * the replacement character. */
SONDE_API void sonde_text_add_quoted(sonde_text *text, const char *string);
/* Starts a text that flows into a new file beside `path`. */
SONDE_API sonde_status sonde_text_open(sonde_text *text, const char *path, sonde_error *error);
/* Hands on what is left and, after sonde_text_open, lets the new file take the place of the old:
 * either all of it is there, or what was there before. Fails with SONDE_NOT_WRITTEN or
 * SONDE_NO_MEMORY. The text is empty afterwards, except one without sink or file, which stays. */
SONDE_API sonde_status sonde_text_close(sonde_text *text, sonde_error *error);
/* Frees the text; a file that was not closed is taken back. */
SONDE_API void sonde_text_free(sonde_text *text);

/* Chance. Philox 4x32-10, counter based: a stream is named by (seed, what for, index), two streams
 * never overlap, and any of them can be had at once. */
typedef struct {
    uint32_t key[2];
    uint32_t counter[4];
    uint32_t block[4]; /* the numbers of the present counter */
    int32_t n_left;    /* how many of them are not used yet */
} sonde_rng;
typedef enum {
    SONDE_FOR_GRAPH,
    SONDE_FOR_START,
    SONDE_FOR_CLUSTER,
    SONDE_FOR_PROBE,
    SONDE_FOR_ACTION,
    SONDE_FOR_LAYOUT,
    SONDE_FOR_WORLD
} sonde_purpose;
SONDE_API sonde_rng sonde_rng_stream(uint64_t seed, sonde_purpose purpose, uint64_t index);
SONDE_API uint64_t sonde_rng_next(sonde_rng *rng);                  /* 64 random bits */
SONDE_API uint64_t sonde_rng_below(sonde_rng *rng, uint64_t bound); /* 0 to bound - 1, unbiased */
SONDE_API double sonde_rng_uniform(sonde_rng *rng);                 /* in [0, 1), 53 bits */

/* ----------------------------------------------------------------------------------- graph -- */

/* A graph world: a weighted directed graph, where the agent starts and where it wants to be.
 * Edges are grouped by source; within a source they keep the order in which they were given. */
typedef struct {
    int32_t n_node;
    int32_t n_edge;          /* self-edges included: every node has one */
    int32_t start;           /* edge (previous, current) on which the agent starts */
    int32_t destination;     /* node */
    int32_t horizon;         /* T, steps in a policy */
    double lambda;           /* what one unit of weight costs in nats */
    double idle;             /* weight of a self-edge that was not given */
    const int32_t *first;    /* (n_node + 1) edges of node v are first[v] .. first[v+1] - 1 */
    const int32_t *tail;     /* (n_edge) node an edge leaves */
    const int32_t *head;     /* (n_edge) node an edge enters */
    const int32_t *self;     /* (n_node) the self-edge of each node */
    const double *weight;    /* (n_edge) */
    const char *const *name; /* (n_node) or NULL */
    int32_t n_redraw;        /* draws thrown away because they were not connected */
    int32_t n_joined;        /* random edges that were added to connect the graph */
} sonde_graph;

typedef enum {
    SONDE_SYMMETRIC, /* redraw until weakly connected; both directions, one weight */
    SONDE_DIRECTED   /* add the fewest random edges that make it strongly connected */
} sonde_connect;

/* The first five fields say how to draw a graph and are ignored when one is read; the others are
 * what a world needs besides its graph, and override what a file says. */
typedef struct {
    int32_t n_node;
    double edge_probability; /* of each ordered pair; negative: min(1, 2 / n_node) */
    sonde_connect connect;
    int32_t n_weight;     /* 0: the paper's list 5, 5, 10, 20 */
    const double *weight; /* (n_weight) each edge draws from this list uniformly */
    double idle;          /* negative: as in the file, or 100 */
    const char *start;    /* "previous,current" by number or name; NULL: as in the file, or drawn */
    const char *destination; /* NULL: as in the file, or drawn */
    int32_t horizon;         /* 0: as in the file, or the number of nodes */
    double lambda;           /* negative: as in the file, or 5 */
} sonde_graph_settings;
SONDE_API sonde_graph_settings sonde_graph_defaults(void);

/* Draws a world. Fails with SONDE_BAD_ARGUMENT or SONDE_NO_MEMORY. */
SONDE_API sonde_status sonde_graph_random(const sonde_graph_settings *settings, uint64_t seed,
                                          sonde_graph **graph, sonde_error *error);
/* Reads a world from a sonde-graph document, plain or gzip-compressed; "-" is standard input.
 * `settings` may be NULL; `seed` draws the start and destination that nobody gave. Fails with
 * SONDE_NO_FILE, SONDE_BAD_INPUT, SONDE_BAD_ARGUMENT (settings), SONDE_TOO_LARGE, SONDE_NO_MEMORY. */
SONDE_API sonde_status sonde_graph_read(const char *path, const sonde_graph_settings *settings,
                                        uint64_t seed, sonde_graph **graph, sonde_error *error);
/* The same from text in memory; `origin` stands for the file in errors. */
typedef struct {
    const char *origin;
    const char *data; /* (size) */
    size_t size;
} sonde_source;
SONDE_API sonde_status sonde_graph_parse(const sonde_source *source,
                                         const sonde_graph_settings *settings, uint64_t seed,
                                         sonde_graph **graph, sonde_error *error);
/* The same from arrays. Missing self-edges are added. */
typedef struct {
    int32_t n_node;
    int32_t n_edge;
    const int32_t *tail;     /* (n_edge) */
    const int32_t *head;     /* (n_edge) */
    const double *weight;    /* (n_edge) */
    const char *const *name; /* (n_node) or NULL */
} sonde_edges;
SONDE_API sonde_status sonde_graph_from_edges(const sonde_edges *edges,
                                              const sonde_graph_settings *settings, uint64_t seed,
                                              sonde_graph **graph, sonde_error *error);
SONDE_API void sonde_graph_free(sonde_graph *graph);

/* Appends the world as a sonde-graph document that reads back to the same world. */
SONDE_API void sonde_graph_write(const sonde_graph *graph, sonde_text *text);
/* The edge from one node to another, or -1. */
SONDE_API int32_t sonde_graph_edge(const sonde_graph *graph, int32_t tail, int32_t head);
/* The node called `text` (its name or its number), or -1. */
SONDE_API int32_t sonde_graph_node(const sonde_graph *graph, const char *text);
/* Summed weights of the shortest paths from a node to every node (Dijkstra); infinity where there
 * is none. `distance` (n_node) belongs to the caller. Fails with SONDE_NO_MEMORY. */
SONDE_API sonde_status sonde_graph_distances(const sonde_graph *graph, int32_t from,
                                             double *distance);

/* ----------------------------------------------------------------------------------- model -- */

/* The agent's generative model of a graph world. States and outcomes are edges (the second node is
 * where the agent is), A is the identity, and an action is a pair of consecutive edges
 * (a,b) => (b,c): it leads to (b,c) from (a,b), and to the self-edge (y,y) from any other (x,y).
 * B is never stored: memory grows with the edges and the pairs. */
typedef struct {
    const sonde_graph *graph; /* borrowed */
    int32_t n_state;          /* = n_edge */
    int32_t n_action;         /* pairs of consecutive edges */
    int32_t horizon;          /* T */
    const int32_t *action;    /* (n_state + 1) actions out of edge e are action[e] .. action[e+1]-1,
                                  in the order of the edges that leave head[e] */
    const double *preference; /* (n_state) C as a probability */
    const double *risk;       /* (n_state) of a step that ends on this edge for certain */
    const double *cost;       /* (n_state) lambda * weight */
    const double *step;       /* (n_state) risk + ambiguity (0) + cost */
} sonde_model;
/* Fails with SONDE_NO_MEMORY, or SONDE_TOO_LARGE with 2^31 pairs or more. */
SONDE_API sonde_status sonde_model_from_graph(const sonde_graph *graph, sonde_model **model);
SONDE_API void sonde_model_free(sonde_model *model);

/* The state that an action leads to. */
SONDE_API int32_t sonde_model_next(const sonde_model *model, int32_t state, int32_t action);
/* The action (from => to), two edges; -1 when `to` does not leave the head of `from`. */
SONDE_API int32_t sonde_model_action(const sonde_model *model, int32_t from, int32_t to);
/* The two edges of an action. */
SONDE_API void sonde_model_action_edges(const sonde_model *model, int32_t action, int32_t *from,
                                        int32_t *to);

/* ---------------------------------------------------------------------------------- belief -- */

/* Beliefs are probabilities over states, arrays (n_state) of the caller's. */
SONDE_API void sonde_belief_initial(const sonde_model *model, double *belief);
/* next = B_action belief. The two arrays must not overlap. */
SONDE_API void sonde_belief_predict(const sonde_model *model, int32_t action, const double *belief,
                                    double *next);
/* belief proportional to exp(ln A[outcome, :] + ln prior), with the floor 1e-16 inside the logs.
 * `belief` may be `prior`. */
SONDE_API void sonde_belief_observe(const sonde_model *model, int32_t outcome, const double *prior,
                                    double *belief);

/* -------------------------------------------------------------------------------- policies -- */

/* The policies of a model: every walk of T + 1 edges. They are counted, ordered and indexed, but
 * not stored: by start edge, then depth first. The policies from one edge (the local space) are
 * one stretch of that order. */
typedef struct {
    const sonde_model *model; /* borrowed */
    int32_t horizon;          /* T */
    uint64_t n_policy;        /* everywhere; UINT64_MAX when there are that many or more */
    double size;              /* the same as a double, which does not saturate */
    const uint64_t
        *completion; /* (T + 1, n_node) walks of t more edges out of node v, saturating */
    const double *completion_real; /* (n_node) the last row, as doubles */
    const uint64_t *offset;        /* (n_state + 1) index of the first policy from each edge */
} sonde_policies;

typedef enum { SONDE_LOCAL, SONDE_GLOBAL } sonde_scope;
enum { SONDE_EVERYWHERE = -1 }; /* as an origin: the global space instead of one edge's */

/* Counts the policies. Fails with SONDE_TOO_LARGE if the table of counts (T + 1, n_node) does not
 * fit, or SONDE_NO_MEMORY. */
SONDE_API sonde_status sonde_policies_count(const sonde_model *model, const sonde_run *run,
                                            sonde_policies **policies, sonde_error *error);
SONDE_API void sonde_policies_free(sonde_policies *policies);
/* How many policies start on the edge `origin`, or everywhere; UINT64_MAX when that many or more. */
SONDE_API uint64_t sonde_policies_size(const sonde_policies *policies, int32_t origin);
/* The same as a double. */
SONDE_API double sonde_policies_size_real(const sonde_policies *policies, int32_t origin);
/* The policy with a given index among those of the origin, as a walk of T + 1 edges. */
SONDE_API void sonde_policies_get(const sonde_policies *policies, int32_t origin, uint64_t index,
                                  int32_t *walk);
/* The index of a walk among those of the origin; UINT64_MAX if it is none of them. */
SONDE_API uint64_t sonde_policies_find(const sonde_policies *policies, int32_t origin,
                                       const int32_t *walk);
/* |V_i ^ V_j| + |E_i ^ E_j| of two walks of T + 1 edges: the nodes and edges that occur in one of
 * them and not in the other. */
SONDE_API int32_t sonde_policies_edit_distance(const sonde_policies *policies,
                                               const int32_t *walk_i, const int32_t *walk_j);

/* Policies of the user's own, as walks. */
typedef struct {
    int32_t n_policy;
    int32_t horizon;
    const int32_t *walk; /* (n_policy, horizon + 1) */
} sonde_walks;
/* Reads a JSON list of lists of T + 2 nodes (previous, current, then one per step), by number or
 * name. Fails like sonde_graph_read. */
SONDE_API sonde_status sonde_walks_read(const char *path, const sonde_model *model,
                                        sonde_walks **walks, sonde_error *error);
SONDE_API void sonde_walks_free(sonde_walks *walks);

/* ------------------------------------------------------------------------------------- efe -- */

/* Expected free energy and its three terms, in nats: efe = risk + ambiguity + cost. */
typedef struct {
    double efe;
    double risk;
    double ambiguity;
    double cost;
} sonde_efe;

/* G of one walk, carried out from `state` (an edge; actions that are not valid there mean staying).
 * The T terms go to `steps` (T) and the states reached to `reached` (T), each of which may be NULL;
 * the sums to `total`. */
SONDE_API void sonde_efe_walk(const sonde_model *model, int32_t state, const int32_t *walk,
                              sonde_efe *steps, int32_t *reached, sonde_efe *total);
/* G of the policies `first` to `first + n - 1` of an origin, from `state`, each shared prefix once.
 * `efe` (n) belongs to the caller. Fails with SONDE_NO_MEMORY or SONDE_STOPPED. */
typedef struct {
    int32_t origin; /* an edge, or SONDE_EVERYWHERE */
    uint64_t first;
    uint64_t n;
} sonde_range;
SONDE_API sonde_status sonde_efe_range(const sonde_policies *policies, int32_t state,
                                       sonde_range range, const sonde_run *run, double *efe);

/* ------------------------------------------------------------------------------- embedding -- */

/* Which embedding; `kind` is a place in the list of sonde_embedding_name. */
typedef struct {
    int32_t kind;
    double onehot_weight; /* of aboe-onehot's extra columns; 0: the horizon */
} sonde_embed_settings;
SONDE_API sonde_embed_settings sonde_embed_defaults(void); /* boe */

/* What an embedding needs to know of a model, worked out once: a policy's code is a row of small
 * whole numbers (such as counts of edges), and its row is the code itself, or basis * code. */
typedef struct {
    const sonde_policies *policies; /* borrowed */
    sonde_embed_settings settings;
    int32_t n_code;
    int32_t n_column;
    double n_column_nominal; /* columns of the matrix that the rows stand for: edm has one for each
                                global policy, and needs far fewer to keep every distance */
    const double *basis;     /* (n_column, n_code) or NULL */
    const double *gram;      /* (n_code, n_code) basis' basis, or NULL */
    uint64_t bytes;          /* that it occupies */
} sonde_embedder;
/* Fails with SONDE_BAD_ARGUMENT, SONDE_TOO_LARGE (edm looks at every global policy once),
 * SONDE_STOPPED or SONDE_NO_MEMORY. */
SONDE_API sonde_status sonde_embedder_new(const sonde_policies *policies,
                                          const sonde_embed_settings *settings,
                                          const sonde_run *run, sonde_embedder **embedder,
                                          sonde_error *error);
SONDE_API void sonde_embedder_free(sonde_embedder *embedder);
/* The row (n_column) of one walk. Fails with SONDE_NO_MEMORY. */
SONDE_API sonde_status sonde_embedder_row(const sonde_embedder *embedder, const int32_t *walk,
                                          double *row);

/* The embedded policies of one origin. Equal rows are kept once, as they are and by their codes, of
 * which only the few numbers that are not 0 are kept. */
typedef struct {
    sonde_embed_settings settings;
    int32_t origin;
    int32_t n_policy;
    int32_t n_row; /* distinct rows, in the order of their first policies */
    int32_t n_column;
    double n_column_nominal;
    const double *row;     /* (n_row, n_column) */
    const int32_t *row_of; /* (n_policy) */
    const int32_t *weight; /* (n_row) how many policies have this row */
    const int32_t *first;  /* (n_row) the lowest of them */
    int32_t n_code;
    int32_t n_nonzero_max;      /* room for the numbers of a code that are not 0 */
    int32_t n_nonzero_most;     /* how many of them the longest code has */
    const int32_t *n_nonzero;   /* (n_row) */
    const int32_t *code_column; /* (n_row, n_nonzero_max) ascending, then 0 */
    const double *code_value;   /* (n_row, n_nonzero_max) */
    const double *norm;         /* (n_row) squared length of the row */
    const double *basis; /* (n_column, n_code): a row is basis code; NULL: a row is its code */
    const double *gram;  /* (n_code, n_code): its squared length is code gram code; or NULL */
    uint64_t bytes;      /* that it occupies */
} sonde_embedding;
/* Fails with SONDE_TOO_LARGE, SONDE_STOPPED or SONDE_NO_MEMORY. */
SONDE_API sonde_status sonde_embedding_new(const sonde_embedder *embedder, int32_t origin,
                                           const sonde_run *run, sonde_embedding **embedding,
                                           sonde_error *error);
SONDE_API void sonde_embedding_free(sonde_embedding *embedding);

/* The two directions in which an embedding's policies vary most. */
typedef struct {
    int32_t n_column;
    double share[2];    /* of the total variance */
    const double *mean; /* (n_column) */
    const double *axis; /* (2, n_column) unit length, largest coefficient positive */
} sonde_pca;
/* Fails with SONDE_NO_MEMORY. */
SONDE_API sonde_status sonde_pca_fit(const sonde_embedding *embedding, sonde_pca **pca);
SONDE_API void sonde_pca_project(const sonde_pca *pca, const double *row, double xy[2]);
SONDE_API void sonde_pca_free(sonde_pca *pca);

/* -------------------------------------------------------------------------------- clusters -- */

typedef struct {
    int32_t k;
    int32_t n_restart;   /* the best of this many, by inertia */
    int32_t n_round_max; /* of Lloyd's algorithm */
    double tolerance;    /* times the mean column variance: the shift at which it stops */
    bool keep_empty;     /* with fewer distinct rows than k: k clusters, some without members */
    bool nearest_of_all; /* representatives: the nearest of all policies, not of the members */
    bool seed_order;     /* clusters are numbered in the order of their seeds */
    uint64_t seed;
    uint64_t stream; /* which stream of the seed: an agent uses 0 for the global clustering, and the
                        origin + 1 for a local one */
} sonde_cluster_settings;
SONDE_API sonde_cluster_settings sonde_cluster_defaults(void); /* k 12, 10 restarts, 300, 1e-4 */

/* k-means clusters, numbered by their lowest member (or as seed_order says). */
typedef struct {
    int32_t k;
    int32_t k_asked; /* more than k when there are fewer distinct rows than that */
    int32_t n_policy;
    int32_t n_column;
    int32_t n_round;               /* of the best restart */
    double inertia;                /* summed squared distances of policies to their centres */
    const double *center;          /* (k, n_column) */
    const int32_t *representative; /* (k) policy nearest the centre; -1 in a cluster without any */
    const int32_t *label;          /* (n_policy) */
    const int32_t *offset;         /* (k + 1) members of c are member[offset[c]] .. */
    const int32_t *member;         /* (n_policy) by cluster, then ascending */
    bool reused;                   /* from the shelf */
    uint64_t bytes; /* that it occupies, without what an agent shares among several */
} sonde_clusters;
/* Fails with SONDE_BAD_ARGUMENT, SONDE_TOO_LARGE, SONDE_STOPPED or SONDE_NO_MEMORY. */
SONDE_API sonde_status sonde_clusters_fit(const sonde_embedding *embedding,
                                          const sonde_cluster_settings *settings,
                                          const sonde_run *run, sonde_clusters **clusters,
                                          sonde_error *error);
SONDE_API void sonde_clusters_free(sonde_clusters *clusters);
/* A shelf keeps embeddings and what k-means found, so that agents that differ in something else (the
 * probe, say) need not find it again. Hand it to calls on one set of policies, in one thread, and
 * free it after the agents. It asks for memory of its own whenever something is put there. */
typedef struct sonde_shelf sonde_shelf;
SONDE_API sonde_status sonde_shelf_new(sonde_shelf **shelf);
SONDE_API void sonde_shelf_free(sonde_shelf *shelf);
/* Mean G of each cluster's members from `state` (k; NaN without members), which a search does not
 * need and its cost does not count. Fails with SONDE_NO_MEMORY. */
SONDE_API sonde_status sonde_clusters_mean_efe(const sonde_clusters *clusters,
                                               const sonde_policies *policies, int32_t origin,
                                               int32_t state, double *mean);

/* ---------------------------------------------------------------------------------- search -- */

typedef enum { SONDE_SEARCH_FULL, SONDE_SEARCH_CLUSTER } sonde_search_kind;
typedef enum { SONDE_PROBE_CENTER, SONDE_PROBE_SAMPLE } sonde_probe;
typedef enum {
    SONDE_ACTION_MARGINAL,      /* sample from the summed probabilities of the first actions */
    SONDE_ACTION_DETERMINISTIC, /* take the most probable of them */
    SONDE_ACTION_FULL,          /* sample a policy and take its first action */
    SONDE_ACTION_SOFTMAX        /* sample from softmax(alpha * summed probabilities) */
} sonde_action_rule;

/* Where the authors' notebook differs from the paper's text, each on its own: bit, name, sentence. */
#define SONDE_DIFFERENCE_LIST(X)                                                                   \
    X(SONDE_DIFFERENCE_BOE, "boe", "boe records whether an edge occurs, not how often")            \
    X(SONDE_DIFFERENCE_ABOE, "aboe", "aboe is that set and the numbers of the first two edges")    \
    X(SONDE_DIFFERENCE_LOOKUP, "lookup", "a local representative is looked up in the global list") \
    X(SONDE_DIFFERENCE_LAG, "lag", "k is the k of the run before")                                 \
    X(SONDE_DIFFERENCE_NEAREST, "nearest", "representatives are the nearest of all policies")      \
    X(SONDE_DIFFERENCE_EMPTY, "empty", "clusters may stay empty, and the notebook fails on them")  \
    X(SONDE_DIFFERENCE_ORDER, "order", "clusters are numbered, and ties broken, by order of seeds")
typedef enum {
#define SONDE_DIFFERENCE_BIT(code, name, sentence) code,
    SONDE_DIFFERENCE_LIST(SONDE_DIFFERENCE_BIT)
#undef SONDE_DIFFERENCE_BIT
        SONDE_DIFFERENCE_COUNT
} sonde_difference;
#define SONDE_SEMANTICS_TEXT 0u
#define SONDE_SEMANTICS_NOTEBOOK ((1u << SONDE_DIFFERENCE_COUNT) - 1u)

typedef struct {
    sonde_search_kind search;
    sonde_scope scope;
    sonde_embed_settings embed;
    sonde_cluster_settings cluster; /* its seed, stream and flags are the agent's to set */
    sonde_probe probe;
    int32_t n_sample; /* members of a cluster that SONDE_PROBE_SAMPLE scores */
    int32_t n_top;    /* how many of the best clusters are searched */
    double gamma;     /* Q(policy) proportional to exp(-gamma G) */
    double alpha;     /* of SONDE_ACTION_SOFTMAX */
    sonde_action_rule action;
    uint32_t differences; /* bits: 1u << SONDE_DIFFERENCE_... */
    int32_t k_before;     /* k of the run before, which SONDE_DIFFERENCE_LAG uses */
    uint64_t seed;
} sonde_search_settings;
/* Clustered, local, boe, k 12, centres, 3 samples, top 1, gamma 1, alpha 1, marginal, the paper's
 * text, k before 12, seed 1. */
SONDE_API sonde_search_settings sonde_search_defaults(void);

/* What a search looked at. A step is one belief propagated and scored; a prefix that several
 * policies share counts once. */
typedef struct {
    uint64_t n_policy;
    uint64_t n_step;
    uint64_t n_setup_step; /* scored once per model, not per decision */
    double equivalent;     /* n_step / T, in whole policies */
} sonde_evaluations;

/* One decision. Its arrays belong to the agent and hold until it searches again. */
typedef struct {
    int32_t state;              /* the edge the agent believes it is on */
    int32_t origin;             /* of the policies it chose from: that edge, or SONDE_EVERYWHERE */
    int32_t n_action;           /* actions that start some policy that was scored */
    const int32_t *action;      /* (n_action) ascending */
    const double *posterior;    /* (n_action) summed Q(policy) */
    const double *probability;  /* (n_action) what the action is drawn from */
    int32_t n_to;               /* nodes that those actions lead to */
    const int32_t *to;          /* (n_to) in the order of the edges that leave the present node */
    const double *to_posterior; /* (n_to) */
    uint64_t best;              /* index of the policy with the smallest G; ties to the lowest */
    const int32_t *best_walk;   /* (T + 1) */
    sonde_efe best_efe;
    uint64_t drawn;      /* the policy that SONDE_ACTION_FULL drew when it acted; else UINT64_MAX */
    double log_evidence; /* ln of the summed exp(-gamma G) of the policies that were scored */
    sonde_evaluations evaluations;
    double seconds;       /* this decision, a first visit's clustering included */
    double setup_seconds; /* of which clustering, on a first visit */
    /* clustered search; NULL and 0 otherwise */
    const sonde_clusters *clusters;
    int32_t probe_origin;      /* where representatives were looked up */
    const double *cluster_efe; /* (k) value of each probe; NaN where there was nothing to score */
    const bool *chosen;        /* (k) */
} sonde_decision;

/* ----------------------------------------------------------------------------------- agent -- */

/* An agent: a belief, a search and its memory. All memory is asked for by sonde_agent_new, space
 * for the clusters of every state included; a first visit only fills it. */
typedef struct sonde_agent sonde_agent;
/* Fails with SONDE_BAD_ARGUMENT, SONDE_TOO_LARGE, SONDE_STOPPED or SONDE_NO_MEMORY. `run` is
 * copied; its stop flag and progress function serve later calls too. */
SONDE_API sonde_status sonde_agent_new(const sonde_policies *policies,
                                       const sonde_search_settings *settings, const sonde_run *run,
                                       sonde_agent **agent, sonde_error *error);
SONDE_API void sonde_agent_free(sonde_agent *agent);
SONDE_API const sonde_model *sonde_agent_model(const sonde_agent *agent);
SONDE_API const sonde_policies *sonde_agent_policies(const sonde_agent *agent);
SONDE_API const sonde_search_settings *sonde_agent_settings(const sonde_agent *agent);
/* What an agent's clusters have cost so far. */
typedef struct {
    double embed_seconds;
    double cluster_seconds;
    int32_t n_clustering; /* origins whose policies were clustered */
    int32_t n_reused;     /* of which came from the shelf */
} sonde_setup;
SONDE_API sonde_setup sonde_agent_setup(const sonde_agent *agent);
/* Puts the agent back to the initial belief and the beginning of its streams. Clusters stay. */
SONDE_API void sonde_agent_reset(sonde_agent *agent);
/* Takes in an outcome (an edge): the belief becomes that of sonde_belief_observe, from the initial
 * belief at first and from the prediction of the last action later. */
SONDE_API void sonde_agent_observe(sonde_agent *agent, int32_t outcome);
SONDE_API const double *sonde_agent_belief(const sonde_agent *agent); /* (n_state) */
/* Scores policies from where the agent believes it is. Fails with SONDE_STOPPED, or
 * SONDE_EMPTY_CLUSTER where the notebook fails too. */
SONDE_API sonde_status sonde_agent_search(sonde_agent *agent, const sonde_decision **decision);
/* Draws the action of the last search, and remembers that it was taken; -1 without a search. */
SONDE_API int32_t sonde_agent_act(sonde_agent *agent);

/* -------------------------------------------------------------------------------- simulate -- */

typedef enum {
    SONDE_FAILURE_NONE,   /* optimal */
    SONDE_FAILURE_STAYED, /* never left the start node */
    SONDE_FAILURE_NEVER,  /* moved, and never arrived */
    SONDE_FAILURE_DETOUR, /* arrived, by a path that was not a shortest one */
    SONDE_FAILURE_LEFT    /* arrived, and left again */
} sonde_failure;

/* What happened, step by step. */
typedef struct {
    int32_t n_step;
    int32_t n_state;
    bool optimal;
    sonde_failure failure;
    int32_t reached;   /* first step on the destination (0: it started there), or -1 */
    double walked;     /* summed weights up to arrival, or to the end */
    double shortest;   /* Dijkstra distance from the start node to the destination */
    double seconds;    /* of all decisions, without clustering */
    sonde_setup setup; /* of its agent, from the agent's beginning on */
    int32_t k;         /* clusters at the first decision, and how many of their representatives */
    int32_t n_valid;   /* were valid there; 0 and 0 without clusters */
    const int32_t *state;                 /* (n_step + 1) edges */
    const int32_t *action;                /* (n_step) */
    const double *belief;                 /* (n_step, n_state) before each action */
    const double *p;                      /* (n_step) posterior probability of the action taken */
    const sonde_evaluations *evaluations; /* (n_step) */
} sonde_episode;
/* Lets an agent, reset first, act for n_step steps in the world of its own model. Fails with
 * SONDE_BAD_ARGUMENT, SONDE_NO_MEMORY, SONDE_STOPPED or SONDE_EMPTY_CLUSTER. */
SONDE_API sonde_status sonde_simulate(sonde_agent *agent, int32_t n_step, sonde_episode **episode,
                                      sonde_error *error);
SONDE_API void sonde_episode_free(sonde_episode *episode);

/* ----------------------------------------------------------------------------------- study -- */

/* A study runs many agents on many worlds and keeps every result in an SQLite file. A plan says
 * which: worlds by size and number, and conditions (docs/formats.md). A task is one world with all
 * its conditions; what a task gives depends on the plan and its number alone. */
typedef struct {
    const char *group; /* what the condition belongs to: "table", "sweep", ... */
    const char *label; /* all its settings in one line */
    int32_t n_size;
    const int32_t *size; /* (n_size) numbers of nodes */
    int32_t n_graph;     /* worlds of each size, from the first on */
    sonde_connect connect;
    sonde_search_settings search; /* its seed is the world's to set */
} sonde_condition;
typedef struct {
    const char *name;
    const char *text; /* the document it was read from */
    uint64_t seed;
    int32_t n_step;
    int32_t n_condition;
    const sonde_condition *condition; /* (n_condition) */
    int32_t n_task;
    int64_t n_run; /* rows there will be */
} sonde_plan;
/* Reads a plan by the name of a built-in one ("paper"), or from a file. Fails like
 * sonde_graph_read. */
SONDE_API sonde_status sonde_plan_read(const char *path, sonde_plan **plan, sonde_error *error);
/* The name of the i-th built-in plan, NULL past the last. */
SONDE_API const char *sonde_plan_name(int32_t i);
SONDE_API void sonde_plan_free(sonde_plan *plan);
/* The world size of a task, and its number among those of that size. */
SONDE_API void sonde_plan_task(const sonde_plan *plan, int32_t task, int32_t *size, int32_t *graph);
/* Does one task, on one thread, and appends its rows as a JSON document to a text without a sink.
 * Fails with SONDE_TOO_LARGE, SONDE_STOPPED or SONDE_NO_MEMORY. */
SONDE_API sonde_status sonde_plan_work(const sonde_plan *plan, int32_t task, const sonde_run *run,
                                       sonde_text *rows, sonde_error *error);

typedef struct sonde_study sonde_study;
/* Opens the results of a plan, or begins them. The file is this process's alone until it is closed.
 * Fails with SONDE_BAD_INPUT (another plan, another version, not a study), SONDE_NOT_WRITTEN,
 * SONDE_NO_FILE, SONDE_NO_MEMORY. */
SONDE_API sonde_status sonde_study_open(const char *path, const sonde_plan *plan,
                                        sonde_study **study, sonde_error *error);
SONDE_API void sonde_study_close(sonde_study *study);
/* Tasks whose rows are all there. */
SONDE_API int32_t sonde_study_done(const sonde_study *study);
/* The next task that nobody has been given yet in this session, or -1. */
SONDE_API int32_t sonde_study_next(sonde_study *study);
/* Takes in what sonde_plan_work gave: all rows of a task, or none. */
SONDE_API sonde_status sonde_study_take(sonde_study *study, const sonde_text *rows,
                                        sonde_error *error);
/* Does all tasks that are left, on the threads of the run, with progress under "study". */
SONDE_API sonde_status sonde_study_run(sonde_study *study, const sonde_run *run,
                                       sonde_error *error);

/* ---------------------------------------------------------------------------------- report -- */

/* Results as JSON documents, appended to a text. Every document opens with "sonde" (the version),
 * "verb" and "sign"; then, where there is one, "command" (the command line that makes it again) and
 * "settings" (every one of them, seed included). */
SONDE_API void sonde_report_graph(const sonde_graph *graph, const double *distance,
                                  const sonde_policies *policies, const char *command,
                                  sonde_text *json);
SONDE_API void sonde_report_decision(const sonde_agent *agent, const sonde_decision *decision,
                                     int32_t action, const char *command, sonde_text *json);
SONDE_API void sonde_report_episode(const sonde_agent *agent, const sonde_episode *episode,
                                    const char *command, sonde_text *json);
/* What a list of policies is about; the writers below take their walks and numbers one by one. */
typedef struct {
    const sonde_policies *policies;
    int32_t origin; /* an edge, or SONDE_EVERYWHERE */
    int32_t state;  /* from which policies are scored */
    const char *command;
} sonde_listing;
/* One policy of a list. */
typedef struct {
    uint64_t index;      /* in the policy order, or UINT64_MAX where it has no place there */
    const int32_t *walk; /* (T + 1) */
    const sonde_efe *total;
    const sonde_efe *steps; /* (T) or NULL */
} sonde_scored;
/* {"count": n, "policies": [ ... ]} is opened with the first, filled with the second, `at` being 0, 1,
 * 2, ..., and closed with the third. */
SONDE_API void sonde_report_efe_open(const sonde_listing *listing, uint64_t count,
                                     sonde_text *json);
SONDE_API void sonde_report_efe_policy(const sonde_listing *listing, uint64_t at,
                                       const sonde_scored *policy, sonde_text *json);
SONDE_API void sonde_report_efe_close(sonde_text *json);
/* Rows, 2-D PCA and, where `clusters` is not NULL, labels and representatives, one line or object a
 * policy. */
typedef struct {
    sonde_listing listing;
    const sonde_embedder *embedder;
    const sonde_embedding *embedding;
    const sonde_pca *pca;
    const sonde_clusters *clusters;                 /* or NULL */
    const sonde_cluster_settings *cluster_settings; /* or NULL */
} sonde_map;
SONDE_API void sonde_report_map_csv(const sonde_map *map, sonde_text *csv);
SONDE_API void sonde_report_map_json(const sonde_map *map, sonde_text *json);

/* The report of a study: FOLDER/index.html, which opens from disk on its own, with every figure as
 * SVG and every table as CSV and LaTeX beside it. The main table goes to `table` as plain text, too.
 * Fails with SONDE_NO_FILE, SONDE_BAD_INPUT, SONDE_NOT_WRITTEN, SONDE_STOPPED, SONDE_NO_MEMORY. */
SONDE_API sonde_status sonde_report_study(const char *path, const char *folder,
                                          const sonde_run *run, sonde_text *table,
                                          sonde_error *error);

/* The world as an SVG picture: weights, start, destination and, with an episode, the path walked, as
 * nodes (`path` may be NULL when n_path is 0). Fails with SONDE_NO_MEMORY, or SONDE_BAD_ARGUMENT for a
 * path that is no walk of the graph. */
SONDE_API sonde_status sonde_report_graph_svg(const sonde_graph *graph, const int32_t *path,
                                              int32_t n_path, sonde_text *svg);

#ifdef __cplusplus
}
#endif

#endif

/* sonde.h: policy search for discrete active inference.
 *
 * What most programs need, in the order in which data walks through the library:
 *
 *     graph -> model -> belief -> policies -> efe -> embedding -> clusters -> agent -> episode
 *
 * Headers beside it have the rest, each for itself; what is said here holds there, too:
 *
 *     sonde_settings.h    the table of settings: set and get by key, rules between them
 *     sonde_learn.h       agents that learn, counts, model reduction, smoothing
 *     sonde_embed.h       embeddings, PCA and clusters without an agent
 *     sonde_world.h       many simulations at once; a world, or an agent, that is elsewhere
 *     sonde_document.h    results as JSON, CSV and text
 *     sonde_make.h        models that everybody knows
 *     sonde_spm.h         SPM's scheme
 *     sonde_policy.h      what was found without a horizon, saved and used
 *     sonde_replay.h      what people saw and did, and how probable it is
 *
 * and the laboratory has sonde_lab.h (studies, reports, pictures) and sonde_fit.h (fits to people).
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
 *         if (!status) status = sonde_model_from_graph(graph, &model, &error);
 *         if (!status) status = sonde_policies_count(model, 0, NULL, &policies, &error);
 *         if (!status) status = sonde_agent_new(policies, &search, NULL, &agent, &error);
 *         if (!status) status = sonde_simulate(agent, NULL, 10, &episode, &error);
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
 * Threads. There is no global state. Constant objects (graph, model, policies, embedder,
 * embedding, clusters, explanation, episode) may be read by any number of threads at once.
 * Changing objects (agent, text) belong to one thread at a time. A sonde_stop may be raised from
 * any thread or signal handler.
 *
 * Ownership. Whatever a function hands out through a pointer to a pointer, or in a struct that has
 * a _free, is the caller's to free with the _free of the same noun; every _free accepts NULL. An
 * object made from another borrows it: the graph outlives the model, the model outlives the
 * policies, and so on down the line above.
 *
 * Defaults. Settings begin as their _defaults() gives them, and what is left so is decided by the
 * library: from the table of settings, the file or the model. No other value means "default".
 *
 * Failure. What can fail returns a sonde_status and leaves its outputs untouched then; it takes a
 * sonde_error, which may be NULL, and otherwise says where, what was expected, what was found.
 * Numbers outside their range are answered with SONDE_BAD_ARGUMENT, -1 or NULL.
 *
 * Sign. G is the expected free energy: smaller is better. (pymdp and SPM report -G.) */
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

/* The version of this header, as numbers that a preprocessor can compare, and of the library, as
 * "1.2.3". Until 1.0 the second number goes up when something in here changes or goes; within one
 * of them programs that were compiled keep working: functions and enumerators are added, settings
 * take the places that are reserved for them, and nothing moves (tools/check_abi.sh). */
#define SONDE_VERSION_MAJOR 0
#define SONDE_VERSION_MINOR 6
#define SONDE_VERSION_PATCH 0
SONDE_API const char *sonde_version(void);

typedef enum {
    SONDE_OK,
    SONDE_BAD_ARGUMENT,  /* a setting is outside what is allowed */
    SONDE_NO_FILE,       /* the file could not be opened or read */
    SONDE_BAD_INPUT,     /* the file does not say what it should */
    SONDE_NO_MEMORY,     /* the system refused memory */
    SONDE_TOO_LARGE,     /* this needs more memory than it is allowed */
    SONDE_STOPPED,       /* the work was interrupted */
    SONDE_NOT_WRITTEN,   /* the output could not be written */
    SONDE_EMPTY_CLUSTER, /* the cluster that was chosen has no members */
    SONDE_NO_POLICY      /* no policy is allowed from where the agent believes it is */
} sonde_status;

/* The sentence of a status; "unknown status" for a number that is none. */
SONDE_API const char *sonde_status_sentence(sonde_status status);

/* What went wrong, as one sentence for people: where, what was expected, what was found, what to
 * do. What it tells of files is harmless on a terminal (sonde_text_add_shown). Cut to the space
 * there is; never without its closing zero. */
typedef struct {
    sonde_status status;
    char setting[64]; /* the setting or key concerned, with which the text then begins; or "" */
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
    struct sonde_shelf *shelf; /* clusterings that a study made before; otherwise NULL */
} sonde_run;
/* One thread for each core, 4 GiB, no stop flag, no progress, no shelf. */
SONDE_API sonde_run sonde_run_defaults(void);

/* Names of the values of every setting that is a choice. Each returns NULL past the last one, so
 * that a list can be walked without knowing its length, and for negative numbers. What a program
 * brings itself, SONDE_OWN, is called "own" and is in no list. */
#define SONDE_OWN 31
SONDE_API const char *sonde_connect_name(int32_t connect);
SONDE_API const char *sonde_scope_name(int32_t scope);
SONDE_API const char *sonde_search_name(int32_t search);
SONDE_API const char *sonde_plan_search_name(int32_t search); /* those of closed loop, too */
SONDE_API const char *sonde_failure_name(int32_t failure);
SONDE_API const char *sonde_embedding_name(int32_t kind);

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
/* Appends a JSON string, quotes included, escaped as JSON wants it, and so are other characters
 * that a terminal would obey; bytes that are not UTF-8 become the replacement character. */
SONDE_API void sonde_text_add_quoted(sonde_text *text, const char *string);
/* Appends what somebody else wrote for people to see: control characters, those that turn the
 * direction of writing and bytes that are not UTF-8 become escapes, as \x1b and \u202e. */
SONDE_API void sonde_text_add_shown(sonde_text *text, const char *string);
/* Starts a text that flows into a new file beside `path`. */
SONDE_API sonde_status sonde_text_open(sonde_text *text, const char *path, sonde_error *error);
/* Hands on what is left and, after sonde_text_open, lets the new file take the place of the old:
 * either all of it is there, or what was there before. Fails with SONDE_NOT_WRITTEN or
 * SONDE_NO_MEMORY. The text is empty afterwards, except one without sink or file, which stays. */
SONDE_API sonde_status sonde_text_close(sonde_text *text, sonde_error *error);
/* Frees the text; a file that was not closed is taken back. */
SONDE_API void sonde_text_free(sonde_text *text);

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
/* A document: a file, plain or gzip-compressed, or bytes in memory. */
typedef struct {
    const char *origin; /* the file's path, "-" is standard input; what stands for it in errors */
    const char *data;   /* (size) or NULL: what is in the file */
    size_t size;
} sonde_source;
/* Reads a world from a sonde-graph document. `settings` may be NULL; `seed` draws the start and
 * destination that nobody gave. Fails with SONDE_NO_FILE, SONDE_BAD_INPUT, SONDE_BAD_ARGUMENT
 * (settings), SONDE_TOO_LARGE, SONDE_NO_MEMORY. */
SONDE_API sonde_status sonde_graph_read(const sonde_source *source,
                                        const sonde_graph_settings *settings, uint64_t seed,
                                        sonde_graph **graph, sonde_error *error);
/* The same from arrays: n_node, n_edge, tail, head, weight and name of `edges` count, and nothing
 * else of it. Missing self-edges are added. Fails as that does, with SONDE_BAD_ARGUMENT where there
 * are fewer nodes than 1 or more than 10,000,000. */
SONDE_API sonde_status sonde_graph_from_edges(const sonde_graph *edges,
                                              const sonde_graph_settings *settings, uint64_t seed,
                                              sonde_graph **graph, sonde_error *error);
SONDE_API void sonde_graph_free(sonde_graph *graph);

/* Appends the world as a sonde-graph document that reads back to the same world. */
SONDE_API void sonde_graph_write(const sonde_graph *graph, sonde_text *text);
/* The edge from one node to another; -1 if there is none, or no such node. */
SONDE_API int32_t sonde_graph_edge(const sonde_graph *graph, int32_t tail, int32_t head);
/* The node called `text` (its name or its number), or -1. */
SONDE_API int32_t sonde_graph_node(const sonde_graph *graph, const char *text);
/* Summed weights of the shortest paths from a node to every node (Dijkstra); infinity where there
 * is none. `distance` (n_node) belongs to the caller. Fails with SONDE_NO_MEMORY, or
 * SONDE_BAD_ARGUMENT where `from` is no node. */
SONDE_API sonde_status sonde_graph_distances(const sonde_graph *graph, int32_t from,
                                             double *distance, sonde_error *error);

/* ----------------------------------------------------------------------------------- model -- */

/* One hidden state factor of a model. */
typedef struct {
    const char *name; /* or NULL */
    int32_t n_state;
    int32_t n_action;               /* 1: nobody controls it */
    int32_t first;                  /* where its states begin in a belief */
    int32_t n_depend;               /* factors that its transition depends on */
    const int32_t *depend;          /* (n_depend); itself alone unless the model is coupled */
    int64_t n_previous;             /* their states, multiplied */
    const char *const *state_name;  /* (n_state) or NULL */
    const char *const *action_name; /* (n_action) or NULL */
    const double *D;                /* (n_state) initial belief */
    /* B: probability of each next state after each previous one and action. Either every number,
     * rows of n_lane of which n_action are used and the others are 0, or, where most are 0, those
     * that are not: the next states after previous p and action u are entry
     * offset[p * n_action + u] and those up to the next offset. One of the two is NULL. */
    int32_t n_lane;        /* n_action, from 3 on rounded up to a multiple of 4 */
    const double *B;       /* (n_previous, n_state, n_lane) or NULL */
    const int64_t *offset; /* (n_previous * n_action + 1) or NULL */
    const int32_t *next;   /* (offset's last) */
    const double *p;       /* (offset's last) */
    bool deterministic;    /* every B is one state for certain */
    const bool *allowed;   /* (n_state, n_action) or NULL: everything is */
    /* counts that B and D are the means of, as these are stored; NULL where nothing is learned */
    const double *counts_B;
    const double *counts_D;
    /* where novelty counts: what is learned of B from each previous state with each action, or more
     * than that where it depends on more; and what is gained by each transition, as B is stored */
    const double *novelty; /* (n_previous, n_action) or NULL */
    const double *gain;    /* or NULL */
} sonde_factor;

/* One outcome modality of a model. */
typedef struct {
    const char *name; /* or NULL */
    int32_t n_outcome;
    int32_t n_factor;      /* factors it depends on */
    const int32_t *factor; /* (n_factor) */
    int64_t n_state;       /* their states, multiplied */
    /* the model's, where A also depends on the action that led to the state; otherwise 1 */
    int32_t n_action;
    const char *const *outcome_name; /* (n_outcome) or NULL */
    /* A: probability of each outcome in each state and after each action, the action fastest, then
     * the last factor's state; either every number, or those that are not 0, as with B */
    const double *A;          /* (n_state * n_action, n_outcome) or NULL */
    const int64_t *offset;    /* (n_state * n_action + 1) or NULL */
    const int32_t *outcome;   /* (offset's last) */
    const double *p;          /* (offset's last) */
    const double *preference; /* (n_step_C, n_outcome) ln C, floored; C itself with utility */
    const double *cost;       /* (n_outcome) without lambda */
    const double *ambiguity;  /* (n_state * n_action) entropy of A */
    const double *C;          /* (n_step_C, n_outcome) as it was given */
    const double *counts_A;   /* that A is the mean of, as it is stored; or NULL */
    const double *counts_C;   /* that C is the expected logarithm of, as C is; or NULL */
    const double *novelty;    /* (n_state) as with B, of A */
    const double *gain;       /* as A is stored, or NULL */
    uint64_t version;         /* that its numbers are of, where the model's change */
} sonde_modality;

typedef enum {
    SONDE_PREFERENCES_LOG,         /* C becomes softmax(C) */
    SONDE_PREFERENCES_PROBABILITY, /* C is divided by its sum */
    SONDE_PREFERENCES_UTILITY      /* C counts as it is, linearly */
} sonde_preferences;
typedef enum {
    SONDE_INFORMATION_PER_MODALITY,
    SONDE_INFORMATION_JOINT,
    SONDE_INFORMATION_OFF,   /* what is learned counts nothing: utility and cost alone */
    SONDE_INFORMATION_LEGACY /* joint as pymdp 0.0.7 has it: e^-16 within a logarithm, and states
                                that are less probable than that left out */
} sonde_information;
typedef enum {
    SONDE_POLICIES_ALL,     /* every sequence of actions */
    SONDE_POLICIES_ALLOWED, /* those whose every action is allowed in the state reached */
    SONDE_POLICIES_LISTED
} sonde_policy_kind;

/* More factors, or more modalities, than this are refused. */
enum { SONDE_FACTORS_MAX = 64 };

/* What a step is expected to tell about the numbers of A and B, by their counts. */
typedef enum {
    SONDE_NOVELTY_NONE,
    SONDE_NOVELTY_JOINT,   /* exactly: the expected divergence of the counts after from before */
    SONDE_NOVELTY_PRODUCT, /* pymdp 1.0's: of an outcome and a state that are independent */
    SONDE_NOVELTY_HALF, /* SPM's: the same, with (1/a - 1/a0) / 2 in the place of what is gained */
    SONDE_NOVELTY_INVERSE /* pymdp 0.0.7's: with 1/a - 1/a0 */
} sonde_novelty;

/* How much each part of G counts, from 0, not at all, to SONDE_WEIGHT_MAX; each is 1 unless a
 * search, or sonde_policies_weigh, says otherwise. */
enum { SONDE_WEIGHT_MAX = 1000 };
typedef struct {
    double utility;     /* of -Q(o) . ln C */
    double information; /* of ambiguity less the entropy of Q(o) */
    double cost;        /* of lambda cost */
    int32_t novelty;    /* a sonde_novelty: what is expected to be learned, which is subtracted */
    double novelty_A;   /* how much of A counts, */
    double novelty_B;   /* and of B */
} sonde_weights;

/* An agent's generative model: of a graph world, or a general one with factors and modalities. A
 * model has either a graph or the fields after `step`; those before mean the same in both.
 *
 * In a graph world states and outcomes are edges (the second node is where the agent is), A is the
 * identity, and an action is a pair of consecutive edges (a,b) => (b,c): it leads to (b,c) from
 * (a,b), and to the self-edge (y,y) from any other (x,y). B is never stored: memory grows with the
 * edges and the pairs.
 *
 * In a general model an action is a tuple, one number for each factor; its own number counts the
 * last factor fastest. A belief is the factors' probabilities side by side. */
typedef struct {
    const sonde_graph *graph; /* borrowed; NULL in a general model */
    int32_t n_belief;         /* numbers in a belief */
    int32_t n_action;         /* pairs of consecutive edges, or tuples */
    int32_t horizon;          /* of its policies, unless others are counted */
    double gamma;             /* that the model asks for; 1 in a graph world */
    int32_t n_modality;       /* outcomes in an observation; 1 in a graph world */
    /* graph worlds */
    int32_t n_state; /* = n_edge */
    /* (n_state + 1) actions out of edge e are action[e] .. action[e+1]-1, in the order of the
     * edges that leave head[e] */
    const int32_t *action;
    const double *preference; /* (n_state) C as a probability */
    const double *risk;       /* (n_state) of a step that ends on this edge for certain */
    const double *cost;       /* (n_state) lambda * weight */
    const double *step;       /* (n_state) G: risk + ambiguity (0) + cost, as they count */
    /* general models */
    const char *name; /* or NULL */
    int32_t n_factor;
    const sonde_factor *factor;     /* (n_factor) */
    const sonde_modality *modality; /* (n_modality) */
    sonde_preferences preferences;
    sonde_information information;
    double lambda;     /* of cost */
    int32_t n_step_C;  /* rows of preferences: 1 for every step, or one for each */
    bool coupled;      /* some transition depends on another factor: beliefs are a mean field */
    double n_joint;    /* states of all factors, multiplied */
    int32_t inference; /* a sonde_inference, where nobody asks for another */
    sonde_policy_kind policies;
    int32_t n_policy;      /* listed ones */
    const int32_t *policy; /* (n_policy, horizon) numbers of actions, or NULL */
    const double *E;       /* (n_policy) or NULL */
    /* habits: how likely each first action is beforehand, however many policies begin with it,
     * where policies are not listed; sums to 1 */
    const double *habit; /* (n_action) or NULL */
    /* (n_policy of listed ones, otherwise n_action) counts that E, or the habits, are the mean
     * of */
    const double *counts_E; /* or NULL */
    /* (n_joint, n_action) what an action costs in the state it is taken in, the last factor's state
     * fastest; NULL: nothing */
    const double *action_cost;
    const double *action_prior; /* (n_action) E of each action, in closed loop; NULL: all alike */
    double discount;            /* of each later step, in closed loop */
    uint64_t bytes;             /* that it occupies */
    /* A, B, C, D, E, cost and what follows from them, one after the other in the model's block */
    const void *numbers;   /* (number_bytes) */
    uint64_t number_bytes; /* the same for all models of one shape */
    uint64_t version;      /* of the numbers; 1 at first */
    sonde_weights weights; /* of the parts of G; 1 each in a model that was read or made */
    /* how far a number of A, B or D that was given is from the mean of its counts, at most, which
     * array that is ("A[0]"), and whether the given one holds all the same */
    double apart;
    char apart_at[16];
    bool kept_given;
} sonde_model;
/* Fails with SONDE_NO_MEMORY, or SONDE_TOO_LARGE with 2^31 pairs or more. */
SONDE_API sonde_status sonde_model_from_graph(const sonde_graph *graph, sonde_model **model,
                                              sonde_error *error);
SONDE_API void sonde_model_free(sonde_model *model);

/* One array of a model as it is given: all numbers, the last axis fastest, or those that are not
 * 0. */
typedef struct {
    int32_t n_axis;
    const int64_t *size;  /* (n_axis) */
    const double *value;  /* (size multiplied), or NULL */
    int64_t n_entry;      /* otherwise */
    const int64_t *index; /* (n_entry, n_axis) */
    const double *entry;  /* (n_entry) */
} sonde_array;
/* Of the shape of a factor count name, n_state, n_action, state_name, action_name, n_depend (0: it
 * depends on itself) and depend; of the shape of a modality name, n_outcome, outcome_name, n_factor
 * (0: it depends on all) and factor. */
typedef struct {
    sonde_factor shape;
    sonde_array B; /* [next][previous of each it depends on][action] */
    sonde_array D; /* [state] */
    int32_t n_allowed;
    const int32_t *allowed; /* (n_allowed, 2) state, action; NULL: all of them */
    /* counts of B and D, which then need not be given (n_axis 0), and are the means of these;
     * n_axis 0: there are none */
    sonde_array counts_B;
    sonde_array counts_D;
} sonde_factor_parts;
typedef struct {
    sonde_modality shape;
    /* [outcome][state of each factor it depends on], and then perhaps [action] */
    sonde_array A;
    sonde_array C;        /* [outcome] or [step][outcome] */
    sonde_array cost;     /* [outcome]; n_axis 0: nothing costs anything */
    sonde_array counts_A; /* as with B */
    sonde_array counts_C; /* positive; C is psi(c) - psi(sum c), with log preferences */
} sonde_modality_parts;
/* How a model is meant: as it is made, or in place of what a file says. */
typedef struct {
    int32_t horizon;     /* 0: as in the file */
    double lambda;       /* negative: as in the file */
    double gamma;        /* negative: as in the file */
    int32_t preferences; /* a sonde_preferences; -1: as in the file */
    int32_t information; /* a sonde_information; -1: as in the file */
} sonde_model_settings;
/* What a model is made of, with the axes of the file format. */
typedef struct {
    const char *name; /* or NULL */
    int32_t n_factor;
    const sonde_factor_parts *factor; /* (n_factor) */
    int32_t n_modality;
    const sonde_modality_parts *modality; /* (n_modality) */
    sonde_model_settings settings;        /* none of them "as in the file" */
    sonde_policy_kind policies;
    int32_t n_policy;
    const int32_t *policy; /* (n_policy, horizon, n_factor), or NULL */
    const double *E;       /* (n_policy) or NULL */
    /* counts of E, which is their mean, by listed policy; or of habits, above 0, by first action
     * where policies are not listed; n_axis 0: there are none */
    sonde_array counts_E;
    sonde_array action_cost; /* [state of each factor][action]; n_axis 0: nothing costs anything */
    const double *action_prior; /* (actions) from 0 on, or NULL: all alike */
    double discount;            /* above 0, at most 1 */
    /* A, B and D that are given beside their counts hold until something is learned */
    bool keep_given;
} sonde_parts;
/* log, per-modality, lambda 0, gamma 1, all, no discount */
SONDE_API sonde_parts sonde_parts_defaults(void);

/* As in the file. */
SONDE_API sonde_model_settings sonde_model_defaults(void);

/* Makes a model, which keeps nothing of the parts. Columns of A, B and D that sum to 1 within 1e-6
 * are divided by their sum. Fails with SONDE_BAD_INPUT (naming the place as B[0][:,2,1]),
 * SONDE_TOO_LARGE or SONDE_NO_MEMORY. `origin` stands for the file in errors. */
SONDE_API sonde_status sonde_model_new(const sonde_parts *parts, const char *origin,
                                       const sonde_run *run, sonde_model **model,
                                       sonde_error *error);
/* Reads a model: a sonde-model document, or an .npz file with pymdp's arrays, a .POMDP file or a
 * POMDPX document, whose horizon is that of the settings or 1. Fails like sonde_graph_read. */
SONDE_API sonde_status sonde_model_read(const sonde_source *source,
                                        const sonde_model_settings *settings, const sonde_run *run,
                                        sonde_model **model, sonde_error *error);
/* What a file may hold. */
typedef struct {
    sonde_graph *graph; /* of a sonde-graph document; or NULL */
    sonde_model *model; /* of the graph, or a general one */
} sonde_input;
/* Reads a graph world or a model, whatever is there. Settings may be NULL; those that do not apply
 * to it must be the defaults, horizon and lambda may be in either. `seed` draws the start and
 * destination that a graph does not give. Free both with sonde_input_free. */
SONDE_API sonde_status sonde_input_read(const char *path, const sonde_graph_settings *graph,
                                        const sonde_model_settings *model, uint64_t seed,
                                        const sonde_run *run, sonde_input *input,
                                        sonde_error *error);
SONDE_API void sonde_input_free(sonde_input *input);
/* Appends a model as a sonde-model document that reads back to the same model; that of a graph
 * world becomes a general one with the policies "allowed". Fails with SONDE_TOO_LARGE when the
 * document would have more than a thousand million numbers. */
SONDE_API sonde_status sonde_model_write(const sonde_model *model, sonde_text *text,
                                         sonde_error *error);
/* What an action is made of, and back: the actions of the factors (n_factor), or the two edges of a
 * graph world. Returns how many numbers these are, SONDE_FACTORS_MAX at most. Every number of what
 * is no action is -1, and so is the action of a tuple that has no such actions, or of two edges the
 * second of which does not leave the head of the first. */
SONDE_API int32_t sonde_model_tuple(const sonde_model *model, int32_t action, int32_t *tuple);
SONDE_API int32_t sonde_model_from_tuple(const sonde_model *model, const int32_t *tuple);
/* Names of the choices, as elsewhere. */
SONDE_API const char *sonde_preferences_name(int32_t preferences);
SONDE_API const char *sonde_information_name(int32_t information);
SONDE_API const char *sonde_policy_kind_name(int32_t kind);

/* What there is to say of a table: B of a factor, or A of a modality. */
typedef struct {
    /* "dense", "sparse", or "implicit" in a graph world; NULL, and nothing else, where there is no
     * such factor or modality */
    const char *storage;
    double n_number; /* that it has */
    double n_nonzero;
    bool certain;        /* every column is one thing for certain */
    double mean_entropy; /* of a column, in nats */
    double most_entropy;
} sonde_table;
SONDE_API sonde_table sonde_model_transitions(const sonde_model *model, int32_t factor);
SONDE_API sonde_table sonde_model_likelihood(const sonde_model *model, int32_t modality);

/* Graph worlds: the state that an action leads to; -1 where there is no such state or action. */
SONDE_API int32_t sonde_model_next(const sonde_model *model, int32_t state, int32_t action);

/* Kinds of model, as bits; settings that concern one kind alone name it so. */
enum { SONDE_KIND_GRAPH = 1, SONDE_KIND_GENERAL = 2, SONDE_KIND_ANY = 3 };
SONDE_API uint32_t sonde_model_kind(const sonde_model *model);
/* The outcomes (n_modality) that an agent sees before its first action: the edge that a graph world
 * starts on; NULL: nobody knows them. */
SONDE_API const int32_t *sonde_model_seen(const sonde_model *model);
/* What sonde_model_say takes, as numbers, and what it says in either kind of model. */
typedef enum {
    SONDE_NOUN_STATE,   /* an edge: a→b; a state of each factor (n_factor): left, rewarded */
    SONDE_NOUN_OUTCOME, /* an edge; an outcome of each modality (n_modality) */
    SONDE_NOUN_ACTION,  /* the edge the agent is on, the action: to b; the action: up/wait */
    SONDE_NOUN_STEP,    /* an action, the edge it led to: a→b; the action */
    SONDE_NOUN_NODE     /* an edge: b, the node it leads to; nothing in a general model */
} sonde_noun;
/* Appends what something is called, for people: names where the model has any, numbers otherwise.
 * Names are cut so that all of it has `most` characters or so; 0: they are not. */
SONDE_API void sonde_model_say(const sonde_model *model, sonde_noun noun, const int32_t *number,
                               int32_t most, sonde_text *text);

/* ---------------------------------------------------------------------------------- belief -- */

/* Beliefs are probabilities over states, arrays (n_belief) of the caller's; those of several
 * factors stand side by side. */
SONDE_API void sonde_belief_initial(const sonde_model *model, double *belief);
/* next = B_action belief, factor by factor. The two arrays must not overlap. Fails with
 * SONDE_BAD_ARGUMENT where there is no such action. */
SONDE_API sonde_status sonde_belief_predict(const sonde_model *model, int32_t action,
                                            const double *belief, double *next, sonde_error *error);
/* How outcomes are taken in by a belief of several factors; docs/math.md has the formulas. */
typedef enum {
    SONDE_INFERENCE_EXACT, /* the posterior of the product of the priors, marginalised to factors */
    SONDE_INFERENCE_PYMDP, /* pymdp 1.0's: sixteen rounds of a fixed-point iteration */
    SONDE_INFERENCE_PYMDP_LEGACY /* pymdp 0.0.7's: at most ten, until free energy stands still */
} sonde_inference;
/* The model's: exact where its factors have at most 2^12 states, multiplied, pymdp-legacy
 * beyond. */
enum { SONDE_INFERENCE_DEFAULT = -1 };

/* What stands for the outcome of a modality of which nothing was seen, or of which weights say
 * what was. */
enum { SONDE_MISSING = -1, SONDE_SOFT = -2 };
/* What is seen. */
typedef struct {
    const int32_t *outcome; /* (n_modality) an outcome, SONDE_MISSING or SONDE_SOFT */
    /* (outcomes of all modalities, side by side) those of a modality that is SONDE_SOFT say how
     * well each of its outcomes agrees with what was seen, from 0 on: a single 1 is that outcome,
     * and 1 everywhere is nothing seen. NULL where none is soft */
    const double *weight;
    int32_t inference; /* a sonde_inference, or the default */
} sonde_observation;
/* How well what was seen agrees with a model, in nats. */
typedef struct {
    double surprise;     /* -ln P(outcomes) of all modalities jointly, given the prior */
    double free_energy;  /* complexity - accuracy; the surprise itself, where inference is exact */
    double complexity;   /* how far the belief went from the prior: their divergence */
    double accuracy;     /* the expected ln P(outcomes | states) */
    double log_evidence; /* ln P of everything seen so far: the surprises, summed and negated */
} sonde_energy;
/* Takes in what is seen. With one factor, belief proportional to exp(ln A[outcome, :] + ln prior),
 * with the floor 1e-16 inside the logs; with several, as the inference has it. An outcome that
 * the prior excludes is not refused: floors decide what is believed then. `belief` may be `prior`,
 * and `energy` may be NULL. Fails with SONDE_NO_MEMORY, or SONDE_BAD_ARGUMENT where a modality
 * has no such outcome, or one that depends on the action, which is not known here, or weights are
 * none: negative, not finite, or all 0. */
SONDE_API sonde_status sonde_belief_observe(const sonde_model *model, const sonde_observation *seen,
                                            const double *prior, double *belief,
                                            sonde_energy *energy, sonde_error *error);

/* -------------------------------------------------------------------------------- policies -- */

/* Policies of a model, of one horizon. They are counted, ordered and indexed, but not stored
 * (unless the model lists them). An origin is where policies begin.
 *
 * * In a graph world a policy is a walk of T + 1 edges, and its origin is the first of them:
 * policies are ordered by start edge, then depth first. The policies from one edge (the local
 * space) are one stretch of that order.
 *
 * * In a general model a policy is an origin and T actions, written as T + 1 numbers too. The
 * origin is the tuple of the factors' places, numbered with the last factor fastest; it is 0
 * unless the model says what is allowed. Policies are ordered depth first, listed ones as they are
 * listed. */
typedef struct {
    const sonde_model *model; /* borrowed */
    int32_t horizon;          /* T */
    int32_t n_origin;         /* edges, or tuples of places */
    int32_t initial;          /* the origin of the model's initial belief */
    /* everywhere in a graph world, from the initial origin otherwise; UINT64_MAX when there are
     * that many or more */
    uint64_t n_policy;
    double size; /* the same as a double, which does not saturate */
    /* graph worlds */
    /* (T + 1, n_node) walks of t more edges out of node v, saturating */
    const uint64_t *completion;
    const double *completion_real; /* (n_node) the last row, as doubles */
    const uint64_t *offset;        /* (n_state + 1) index of the first policy from each edge */
    /* general models */
    /* (n_factor) where actions can be taken, the library's own; NULL where policies are listed */
    const struct sonde_places *place;
} sonde_policies;

typedef enum { SONDE_LOCAL, SONDE_GLOBAL } sonde_scope;
enum { SONDE_EVERYWHERE = -1 }; /* as an origin: the global space instead of one edge's */

/* Counts the policies of a horizon; 0: the model's. Fails with SONDE_BAD_ARGUMENT if a model lists
 * policies of another, or C has fewer steps, SONDE_TOO_LARGE if the tables of counts do not fit,
 * SONDE_NO_POLICY if none is allowed from the initial belief, or SONDE_NO_MEMORY. */
SONDE_API sonde_status sonde_policies_count(const sonde_model *model, int32_t horizon,
                                            const sonde_run *run, sonde_policies **policies,
                                            sonde_error *error);
SONDE_API void sonde_policies_free(sonde_policies *policies);
/* The same policies, the parts of whose G count as much as they did times the weights: those of
 * sonde_efe_range, of an agent, and with weighed->model of sonde_efe_walks. They borrow the others
 * and their model. Fails with SONDE_BAD_ARGUMENT where a weight is outside its range, or
 * SONDE_NO_MEMORY. */
SONDE_API sonde_status sonde_policies_weigh(const sonde_policies *policies,
                                            const sonde_weights *weights, sonde_policies **weighed,
                                            sonde_error *error);
/* Where policies begin that are carried out from a belief: its most probable state, the lowest of
 * several, or the places of those states. */
SONDE_API int32_t sonde_policies_origin(const sonde_policies *policies, const double *belief);
/* How many policies have the origin, or there are everywhere; UINT64_MAX when that many or more; 0
 * where there is no such origin. In a general model SONDE_EVERYWHERE is the initial origin. */
SONDE_API uint64_t sonde_policies_size(const sonde_policies *policies, int32_t origin);
/* The same as a double. */
SONDE_API double sonde_policies_size_real(const sonde_policies *policies, int32_t origin);
/* The policy with a given index among those of the origin, as T + 1 numbers. Fails with
 * SONDE_BAD_ARGUMENT where there is none. */
SONDE_API sonde_status sonde_policies_get(const sonde_policies *policies, int32_t origin,
                                          uint64_t index, int32_t *walk, sonde_error *error);
/* The index of a walk among those of the origin; UINT64_MAX if it is none of them, or listed. */
SONDE_API uint64_t sonde_policies_find(const sonde_policies *policies, int32_t origin,
                                       const int32_t *walk);
/* The number of the action that a walk takes at step t, from 1 to T; -1 at any other. */
SONDE_API int32_t sonde_policies_action(const sonde_policies *policies, const int32_t *walk,
                                        int32_t t);
/* |V_i ^ V_j| + |E_i ^ E_j| of two walks of T + 1 edges: the nodes and edges that occur in one of
 * them and not in the other. In a general model: the actions that do. -1 where a walk has a number
 * that is no edge, or no action. */
SONDE_API int32_t sonde_policies_edit_distance(const sonde_policies *policies,
                                               const int32_t *walk_i, const int32_t *walk_j);
/* Appends what a walk is called, as sonde_model_say does: a→b c d, or up, up, left. */
SONDE_API void sonde_policies_say(const sonde_policies *policies, const int32_t *walk,
                                  sonde_text *text);

/* Policies of the user's own, as walks. */
typedef struct {
    int32_t n_policy;
    int32_t horizon;
    const int32_t *walk; /* (n_policy, horizon + 1) */
} sonde_walks;
/* Reads a JSON list of policies: in a graph world lists of T + 2 nodes (previous, current, then one
 * per step), by number or name; in a general model lists of T lists of one action for each factor.
 * Fails like sonde_graph_read. */
SONDE_API sonde_status sonde_walks_read(const char *path, const sonde_policies *policies,
                                        sonde_walks **walks, sonde_error *error);
SONDE_API void sonde_walks_free(sonde_walks *walks);

/* ------------------------------------------------------------------------------------- efe -- */

/* The terms of expected free energy: code, and name in documents. */
#define SONDE_TERM_LIST(X)                                                                         \
    X(SONDE_RISK, "risk")                                                                          \
    X(SONDE_AMBIGUITY, "ambiguity") X(SONDE_COST, "cost") X(SONDE_NOVELTY, "novelty")
#define SONDE_TERM_CODE(code, name) code,
enum { SONDE_TERM_LIST(SONDE_TERM_CODE) SONDE_N_TERM };
#undef SONDE_TERM_CODE
/* Expected free energy and its terms, in nats: where every part counts once, efe is risk +
 * ambiguity + cost - novelty. Weights change efe alone: with H the entropy of the outcomes that are
 * expected, efe = w_u (risk + H) + w_i (ambiguity - H) + w_c cost - nu_A novelty of A - nu_B
 * novelty of B. Novelty is 0 unless it is asked for. */
typedef struct {
    double efe;
    double term[SONDE_N_TERM]; /* by code */
} sonde_efe;

/* From where policies are carried out: the edge the agent is on, or what it believes. */
typedef struct {
    int32_t state;        /* graph worlds */
    const double *belief; /* (n_belief) general models */
} sonde_present;

/* That of a belief: in a graph world its most probable state, the lowest of several. */
SONDE_API sonde_present sonde_present_at(const sonde_model *model, const double *belief);

/* What scoring a list of n policies gives; `total` belongs to the caller, the others may be
 * NULL. */
typedef struct {
    sonde_efe *total; /* (n) summed over steps */
    sonde_efe *step;  /* (n, T) */
    int32_t *reached; /* (n, T) graph worlds: the edge after each step */
} sonde_scores;
/* G of policies of one's own, carried out from `now`; in a graph world, actions that are not valid
 * where the agent is mean staying. Fails with SONDE_BAD_ARGUMENT (a number that is no edge or
 * action, no such horizon, nobody can be there), SONDE_STOPPED or SONDE_NO_MEMORY. */
SONDE_API sonde_status sonde_efe_walks(const sonde_model *model, sonde_present now,
                                       const sonde_walks *walks, const sonde_run *run,
                                       const sonde_scores *scores, sonde_error *error);
/* G of the policies `first` to `first + n - 1` of an origin, carried out from `now`, each shared
 * prefix once. `efe` (n) belongs to the caller. Fails with SONDE_NO_MEMORY, SONDE_STOPPED, or
 * SONDE_BAD_ARGUMENT where there are no such policies, or nobody can be there. */
typedef struct {
    int32_t origin; /* an edge, or SONDE_EVERYWHERE */
    uint64_t first;
    uint64_t n;
} sonde_range;
SONDE_API sonde_status sonde_efe_range(const sonde_policies *policies, sonde_present now,
                                       sonde_range range, const sonde_run *run, double *efe,
                                       sonde_error *error);

/* ------------------------------------------------------------------------------- embedding -- */

/* Which embedding; `kind` is a place in the list of sonde_embedding_name, or the default: boe in
 * graph worlds, boa in general models. */
enum {
    SONDE_EMBEDDING_DEFAULT = -1,
    SONDE_EMBEDDING_OWN = SONDE_OWN /* rows that the program gives, with sonde_embedder_give */
};
typedef struct {
    int32_t kind;
    double onehot_weight; /* of aboe-onehot's extra columns; 0: the horizon */
    int32_t ngram;        /* actions in a sequence that ngram counts; 0: 2 */
    int32_t n_end;        /* steps of each end that ends looks at; 0: 2 */
    int32_t n_dimension;  /* numbers in a node's vector that walk2vec learns; 0: 8 */
    /* policies that are embedded, drawn uniformly from an origin that has more; 0: all of them */
    int32_t n_sample;
    uint64_t seed; /* of that draw, and of walk2vec */
} sonde_embed_settings;

/* What an embedding needs to know of a model, worked out once: sonde_embed.h. */
typedef struct sonde_embedder sonde_embedder;

/* -------------------------------------------------------------------------------- clusters -- */

typedef enum {
    SONDE_METHOD_KMEANS, /* the best of some runs from random seeds */
    SONDE_METHOD_WARD    /* joins the two whose union raises the inertia least, until k are left */
} sonde_cluster_method;

/* As k: what balances the cost of probing all clusters and of searching one of them. */
enum { SONDE_K_AUTO = 0 };
typedef struct {
    /* Ward's takes at most 32,768 distinct rows, and of what follows only k and the flags */
    sonde_cluster_method method;
    int32_t k;           /* less than 65,535 where there are more distinct rows than k */
    int32_t n_restart;   /* the best of this many, by inertia */
    int32_t n_round_max; /* of Lloyd's algorithm */
    double tolerance;    /* times the mean column variance: the shift at which it stops */
    bool keep_empty;     /* with fewer distinct rows than k: k clusters, some without members */
    bool nearest_of_all; /* representatives: the nearest of all policies, not of the members */
    bool seed_order;     /* clusters are numbered in the order of their seeds */
    uint64_t seed;
    /* which stream of the seed: an agent uses 0 for the global clustering, and the origin + 1
     * for a local one */
    uint64_t stream;
} sonde_cluster_settings;
/* Policies in clusters: sonde_embed.h. */
typedef struct sonde_clusters sonde_clusters;

/* ---------------------------------------------------------------------------------- search -- */

typedef enum {
    SONDE_SEARCH_FULL,    /* every policy */
    SONDE_SEARCH_CLUSTER, /* the policies of the best clusters: the paper's */
    SONDE_SEARCH_BOUNDED, /* as few as it takes to be certain of the rest */
    SONDE_SEARCH_RANDOM,  /* some, drawn uniformly: a baseline */
    SONDE_SEARCH_BEAM,    /* those that begin best, step by step: a baseline */
    /* those that a linear model of G in the embedding, learned from the policies scored so far,
     * thinks best or knows least of */
    SONDE_SEARCH_SURROGATE,
    SONDE_SEARCH_TREE,   /* those of the best clusters of the best clusters of ... */
    SONDE_SEARCH_AUTO,   /* closed loop: full where there are few beliefs, bounded otherwise */
    SONDE_SEARCH_PRUNED, /* closed loop: what thresholds leave, as other packages do */
    SONDE_SEARCH_DPEFE,  /* closed loop: as if states were known: a baseline */
    SONDE_SEARCH_QMDP,   /* closed loop: as if they were after the first step: a baseline */
    SONDE_SEARCH_UCT,    /* closed loop: simulations: a baseline */
    SONDE_SEARCH_OWN = SONDE_OWN /* those that the program has scored, with sonde_agent_score */
} sonde_search_kind;
typedef enum {
    SONDE_PROBE_CENTER,  /* G of the representative */
    SONDE_PROBE_SAMPLE,  /* mean G of some members */
    SONDE_PROBE_ADAPTIVE /* mean G of as many, more where it is open which cluster is best */
} sonde_probe;
typedef enum {
    /* sample from the summed probabilities of the first actions, to the power alpha */
    SONDE_ACTION_MARGINAL,
    SONDE_ACTION_DETERMINISTIC, /* take the most probable of them */
    SONDE_ACTION_FULL,          /* sample a policy and take its first action */
    SONDE_ACTION_SOFTMAX,       /* sample from softmax(alpha * summed probabilities) */
    SONDE_ACTION_BEST           /* take the first action of the most probable policy */
} sonde_action_rule;

/* Whether a plan is a sequence of actions, or waits for what it will see. */
typedef enum { SONDE_LOOP_OPEN, SONDE_LOOP_CLOSED } sonde_loop;
/* What makes one value of G of several actions, each of which is likely beforehand with E. */
typedef enum {
    SONDE_BACKUP_FREE_ENERGY, /* -(1/gamma) ln sum E exp(-gamma G) */
    SONDE_BACKUP_MIN,
    SONDE_BACKUP_AVERAGE /* sum q G, q proportional to E exp(-gamma G) */
} sonde_backup;
/* What a plan in closed loop believes: joint states, or each factor's on its own. */
typedef enum { SONDE_BELIEF_JOINT, SONDE_BELIEF_FACTORISED } sonde_belief_kind;
SONDE_API const char *sonde_loop_name(int32_t loop);
SONDE_API const char *sonde_backup_name(int32_t backup);
/* How likely outcomes are after which plans with beliefs of factors branch: as the product of those
 * beliefs has it, or as if modalities were independent. */
typedef enum { SONDE_BRANCHES_JOINT, SONDE_BRANCHES_MARGINAL } sonde_branches;
/* Whose thresholds pruned search has. */
typedef enum {
    SONDE_PRUNING_PYMDP, /* pymdp 1.0's: one depth after the other, and what it cuts stays so */
    SONDE_PRUNING_PYMDP_LEGACY, /* pymdp 0.0.7's */
    SONDE_PRUNING_SPM           /* spm_MDP_VB_XX: branches over states, ln E within G */
} sonde_pruning;
SONDE_API const char *sonde_belief_kind_name(int32_t kind);
/* How far a plan looks at the next step: as far as at the first, or to where the first one
 * ended. */
typedef enum { SONDE_REPLAN_RECEDING, SONDE_REPLAN_SHRINKING } sonde_replan;
/* G of n actions, each between two bounds; those without prior do not count. */
typedef struct {
    int32_t n;
    const double *prior; /* (n) E */
    const double *lower; /* (n) */
    const double *upper; /* (n) */
} sonde_backup_box;
/* The least and the largest value that they can make, from just outside. Fails with
 * SONDE_BAD_ARGUMENT. */
SONDE_API sonde_status sonde_backup_range(sonde_backup backup, double gamma,
                                          const sonde_backup_box *box, double range[2],
                                          sonde_error *error);

typedef struct sonde_vectors sonde_vectors;
#define SONDE_GAMMA_DEFAULT (-1.0)
enum { SONDE_FALLBACK_NONE = -1 };
typedef struct {
    sonde_search_kind search;
    /* another search, which decides, too, from half the budget where there is one; the decision
     * whose best policy is better counts, so that no result is worse than this search alone
     * would give with half the budget. SONDE_FALLBACK_NONE: none */
    int32_t fallback;
    sonde_scope scope;
    sonde_embed_settings embed;
    sonde_cluster_settings cluster; /* its seed and stream are the agent's to set */
    sonde_probe probe;
    /* members of a cluster that SONDE_PROBE_SAMPLE scores; of all clusters together,
     * SONDE_PROBE_ADAPTIVE scores as many at most */
    int32_t n_sample;
    double delta;  /* SONDE_PROBE_ADAPTIVE: probability that the best cluster is given up */
    int32_t n_top; /* how many of the best clusters are searched */
    /* where clusters are those of a sample: how many more members of these are drawn from the
     * whole space, at most, and scored, too */
    int32_t n_member;
    int32_t n_branch; /* tree search: clusters that each is divided into; 0: k */
    int32_t n_depth;  /* tree search: levels of clusters; 1 is clustered search */
    double gamma;     /* Q(policy) proportional to exp(-gamma G), or the default: the model's */
    double alpha;     /* of SONDE_ACTION_SOFTMAX and SONDE_ACTION_MARGINAL */
    sonde_action_rule action;
    bool per_factor;  /* the rule is applied to each factor's own marginal; general models only */
    int32_t n_follow; /* steps for which a plan is followed before policies are scored again */
    double surprise; /* nats: an outcome less expected than this ends a plan; infinity: none does */
    /* bounded search stops when its posterior is this close to the exact one */
    double epsilon;
    /* The most steps that a search scores; 0: no limit. Bounded search stops there. Random
     * search scores budget / T policies (0: 1,000), surrogate search as many (0: 40). Tree
     * search takes the best clusters one after the other until the steps are used (0: the n_top
     * best). */
    uint64_t budget;
    double deadline;       /* bounded search stops after this many seconds; 0: no limit */
    int32_t n_beam;        /* prefixes that beam search keeps at every step */
    int32_t n_keep;        /* the best policies that a decision shows; 0: none */
    bool probe_everywhere; /* a local representative's number is looked up in the global list */
    int32_t inference;     /* a sonde_inference, or the default; general models only */
    uint64_t seed;
    sonde_weights weights; /* of the parts of G */
    /* SONDE_EMBEDDING_OWN: where the rows are, which agents borrow; otherwise NULL */
    sonde_embedder *embedder;
    sonde_loop loop; /* what follows concerns the closed loop alone */
    sonde_backup backup;
    sonde_belief_kind belief_kind;
    double discount; /* of each later step; 0: the model's */
    double gap;      /* bounded search stops when its value is known this closely; 0: never */
    bool no_merge;   /* the same belief, reached in two ways, counts as two */
    sonde_branches branches;
    sonde_pruning pruning; /* what follows concerns pruned search alone */
    double prune_action;   /* actions that are less probable at first are not looked at, */
    double prune_outcome;  /* and neither is what is seen less often */
    double prune_penalty;  /* G of those actions, or what is added to it */
    double stop_entropy;   /* of the posterior of first actions, at which it stops */
    double stop_value;     /* it stops when -V is this large; infinity: never */
    int32_t max_branching; /* outcomes of an action that are looked at, at most; 0: any number */
    int32_t max_beliefs;   /* actions and outcomes of all beliefs; 0: any number */
    double exploration;    /* of uct; below 0: the horizon times how far apart steps are */
    bool rollout;          /* uct: a new history is worth what random actions bring, and not 0 */
    sonde_replan replan;
    bool endless; /* there is no horizon, and later steps count less and less */
    /* what an earlier search without a horizon has found (sonde_policy.h), which agents borrow; or
     * NULL */
    const sonde_vectors *vectors;
    /* (actions) E of each in closed loop, from 0 on, one of them positive, in place of the model's
     * action_prior; agents copy it. NULL: the model's */
    const double *action_prior;
    double reserved[5]; /* later versions put new settings here, so programs stay compatible */
} sonde_search_settings;
/* Bounded, no fallback, local, epsilon 1e-3 without budget or deadline; of clusters, which count
 * where the search has them: boe or boa, k 12, centres, 3 samples, top 1, delta 0.05, trees of two
 * levels, the model's gamma, alpha 1, marginal, a new plan at every step, seed 1. */
SONDE_API sonde_search_settings sonde_search_defaults(void);

/* The conventions of other packages: of EFE, of choosing an action and of beliefs. */
SONDE_API const char *sonde_like_name(int32_t like); /* "pymdp", "pymdp-legacy", "spm" */
/* Sets preferences and information of a model, and gamma, alpha, action, per_factor and inference
 * of a search; either may be NULL. Returns one line on these, and on what Sonde does differently
 * all the same; NULL, and nothing is set, past the last one. */
SONDE_API const char *sonde_like_apply(int32_t like, sonde_model_settings *model,
                                       sonde_search_settings *search);
/* What a search looked at. A step is one belief propagated and scored; a prefix that several
 * policies share counts once. */
typedef struct {
    uint64_t n_policy;
    uint64_t n_step;
    uint64_t n_setup_step; /* scored once per model, not per decision */
    uint64_t n_belief;     /* closed loop: beliefs whose actions were scored, */
    uint64_t n_merged;     /* and how often one was reached again */
    double tree;           /* closed loop: beliefs of all histories, where all were seen; or NaN */
    double equivalent;     /* n_step / T, in whole policies */
} sonde_evaluations;

/* How close a decision is to the exact one. */
typedef struct {
    bool given; /* the search gives one */
    /* the policies' posterior, and the actions', are within this total variation of the exact
     * one */
    double tv;
    bool best_is_optimal; /* no policy has a smaller G than the best, but for ties and rounding */
    double gap; /* how much smaller one could have it, rounding included; 0: a tie at most */
    bool action_is_exact; /* the most probable action is that of the exact posterior, and no tie */
    /* what kept tv above epsilon, or the best from being proven: "budget", "deadline", "memory",
     * "rounding"; or NULL */
    const char *stopped;
    /* closed loop, backup min: the precisions at which the named action stays so; otherwise NaN */
    double gamma_range[2];
    /* the belief that all of this is given: "initial", where nothing was seen yet; "exact", "pymdp"
     * or "pymdp-legacy" as it was inferred; "given" by sonde_agent_believe; NULL in a graph world,
     * where the agent sees where it is */
    const char *belief;
} sonde_certificate;
/* Adds what a certificate says, as one sentence without a full stop; nothing where none is
 * given. */
SONDE_API void sonde_certificate_say(const sonde_certificate *certificate, sonde_text *text);

/* A policy that a decision shows. */
typedef struct {
    uint64_t index;      /* in the policy order, or UINT64_MAX: it has no number */
    double efe;          /* G */
    double posterior;    /* Q(policy), as the search knows it */
    const int32_t *walk; /* (T + 1) */
} sonde_kept;

/* A plan: what to do, and after what is seen then, what next. A sequence of actions is the plan
 * without branches: one way on from every step but the last, whatever is seen. */
typedef struct {
    int32_t action;
    int32_t first;    /* its branches are those from this one on */
    int32_t n_branch; /* 0: nothing more is planned */
} sonde_plan_step;
typedef struct {
    int64_t outcome; /* number of the tuple of outcomes, the last modality fastest; -1: any */
    int32_t step;    /* what is done then */
} sonde_plan_branch;
typedef struct {
    int32_t n_step;
    const sonde_plan_step *step;     /* (n_step) */
    const sonde_plan_branch *branch; /* those of all steps */
    int32_t now;                     /* the step of the present decision */
} sonde_plan_graph;

/* A plan in closed loop: in each belief an action, and a belief after each tuple of outcomes.
 * Several branches may lead to one belief. */
typedef struct {
    int32_t depth;
    int32_t action;
    double lower; /* G of the action */
    double upper;
    int32_t first; /* its branches are those from this one on */
    int32_t n_branch;
} sonde_contingency;
typedef struct {
    double p;
    int32_t next;           /* the belief, or -1: nobody looked at it */
    const int32_t *outcome; /* (n_modality) or -1: says nothing about the state */
} sonde_contingency_branch;

/* One decision. Its arrays belong to the agent and hold until it searches again. */
typedef struct {
    int32_t state;             /* graph worlds: the edge the agent believes it is on */
    const double *belief;      /* (n_belief) */
    int32_t origin;            /* of the policies it chose from, or SONDE_EVERYWHERE */
    int32_t n_action;          /* actions that start some policy that was scored */
    const int32_t *action;     /* (n_action) ascending */
    const double *posterior;   /* (n_action) summed Q(policy) */
    const double *probability; /* (n_action) what the action is drawn from */
    /* (actions of all factors, side by side) general models: summed posterior of each factor's
     * own actions; otherwise NULL */
    const double *marginal;
    int32_t n_to;               /* graph worlds: nodes that those actions lead to */
    const int32_t *to;          /* (n_to) in the order of the edges that leave the present node */
    const double *to_posterior; /* (n_to) */
    uint64_t best;              /* index of the policy with the smallest G; ties to the lowest */
    const int32_t *best_walk;   /* (T + 1) */
    sonde_efe best_efe;
    uint64_t drawn; /* the policy that SONDE_ACTION_FULL drew when it acted; else UINT64_MAX */
    /* steps since policies were scored: 0, or more while a plan is followed, when there is one
     * action (in closed loop those that the plan has there) and nothing has been scored */
    int32_t n_followed;
    const sonde_plan_graph *plan; /* once sonde_agent_plan has been asked for it; else NULL */
    double log_evidence; /* ln of the summed exp(-gamma G) of the policies that were scored */
    sonde_evaluations evaluations;
    sonde_certificate certificate;
    int32_t n_kept;         /* the best policies that were scored, at most n_keep */
    const sonde_kept *kept; /* (n_kept) smallest G first */
    double rest;            /* posterior of all other policies together; 0 where none are kept */
    bool fell_back;         /* this is the decision of the fallback, whose best policy was better */
    double seconds;         /* this decision, a first visit's clustering included */
    double setup_seconds;   /* of which clustering, on a first visit */
    /* clustered search; NULL and 0 otherwise */
    const sonde_clusters *clusters;
    int32_t probe_origin;      /* where representatives were looked up */
    const double *cluster_efe; /* (k) value of each probe; NaN where there was nothing to score */
    const bool *chosen;        /* (k) */
    /* policies that were clustered where they are a sample; 0: all of them were */
    int32_t n_sampled;
    int32_t n_generated;       /* members of the chosen clusters that were drawn besides */
    const uint64_t *generated; /* (n_generated) their indices, ascending */
    uint64_t n_drawn;          /* policies that were drawn to find those members */
    /* closed loop; NULL and 0 otherwise */
    sonde_search_kind used;  /* the search that decided in the end */
    const double *efe_lower; /* (n_action) G of each action lies between these */
    const double *efe_upper; /* (n_action) */
    const double *p_lower;   /* (n_action) and its posterior between these */
    const double *p_upper;   /* (n_action) */
    const sonde_efe *step;   /* (n_action) terms of the step itself; NULL: not scored */
    double value_lower;
    double value_upper;
    int32_t n_contingency;
    const sonde_contingency *contingency; /* (n_contingency) the first is the present belief */
    const sonde_contingency_branch *contingent; /* branches of all of them */
    double gamma; /* precision of the posterior: the settings', unless it is expected */
} sonde_decision;

/* Why a decision is what it is, to be told by sonde_document.h: as text and as JSON. It does not
 * depend on the agent any more, but on its policies. */
typedef struct sonde_explanation sonde_explanation;
SONDE_API void sonde_explanation_free(sonde_explanation *explanation);

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
/* Puts the agent back to the initial belief and the beginning of its streams. Clusters stay; what
 * was learned of them is forgotten. */
SONDE_API void sonde_agent_reset(sonde_agent *agent);
/* What an agent carries from step to step, so that another one of the same policies and settings
 * can go on in its place, in the middle of an episode too; one that learns, as it is told to. What
 * k auto and probe adaptive have learned of clusters is not in it, and neither is what a search in
 * closed loop has found of beliefs to come, so that the next one begins anew. */
typedef struct {
    const double *belief; /* (n_belief) what the agent believes */
    const double *prior;  /* (n_belief) what it expects before the next outcome */
    /* where the belief is from: "initial", "given", or the name of the inference, which is NULL in
     * a graph world */
    const char *origin;
    /* how well the last outcomes agreed with what was expected, and all outcomes since the agent
     * was reset; all 0 before the first */
    sonde_energy energy;
    double evidence; /* ln P of what was seen before the last action */
    /* decisions that it has acted on so far, each of which has streams of its own; whoever writes
     * another number chooses the streams of the next decision */
    uint64_t number;
    /* steps that it has taken of a plan that goes on; 0: its next decision is a search */
    int32_t n_followed;
    /* (n_learned) everything that it has learned, and what it still is to learn from, of an agent
     * that learns; otherwise 0 and NULL */
    int64_t n_learned;
    const double *learned;
    /* (n_joint) closed loop: what it believes of joint states now; otherwise 0 and NULL. Where NULL
     * is put in place, `belief` is believed */
    int64_t n_joint;
    const double *joint;
    int32_t last;    /* the action that led there, or -1: none has */
    int32_t n_taken; /* closed loop: steps since it began; a shrinking horizon ends T after that */
} sonde_agent_memory;
/* The arrays belong to the agent, and hold until it is told or does something. */
SONDE_API sonde_agent_memory sonde_agent_memory_get(const sonde_agent *agent);
/* Puts a memory in place of the agent's own; a decision that has not been acted on is gone, and is
 * made again by the next search. Fails with SONDE_BAD_ARGUMENT, and leaves the agent as it was,
 * where a belief is none, what was learned is not as much, or a plan goes on, which cannot be
 * handed over. */
SONDE_API sonde_status sonde_agent_memory_set(sonde_agent *agent, const sonde_agent_memory *memory,
                                              sonde_error *error);
/* Takes in an outcome of each modality (n_modality; an edge in a graph world), or SONDE_MISSING:
 * the belief becomes that of sonde_belief_observe, from the initial belief at first and from the
 * prediction of the last action later. Fails with SONDE_BAD_ARGUMENT, and leaves the agent as it
 * was, where a modality has no such outcome. */
SONDE_API sonde_status sonde_agent_observe(sonde_agent *agent, const int32_t *outcome,
                                           sonde_error *error);
/* The same with outcomes that may be SONDE_SOFT, and weights as in sonde_observation. */
SONDE_API sonde_status sonde_agent_observe_soft(sonde_agent *agent, const int32_t *outcome,
                                                const double *weight, sonde_error *error);
/* Puts a belief (n_belief) in place of the agent's own: it is searched from, and the next outcome
 * is taken in with it as the prior. A plan that was being followed ends. Fails with
 * SONDE_BAD_ARGUMENT, and leaves the agent as it was, where a number is negative or those of a
 * factor do not sum to 1 within 1e-6. */
SONDE_API sonde_status sonde_agent_believe(sonde_agent *agent, const double *belief,
                                           sonde_error *error);
/* SONDE_SEARCH_OWN: G (n) of some policies, by their indices among those that the agent chooses
 * from now. The next search decides from all that were scored since the last one, each once. With n
 * 0 they are forgotten, and others may be scored. Fails with SONDE_BAD_ARGUMENT where the search is
 * another or there is no such policy, SONDE_NO_POLICY, SONDE_STOPPED or SONDE_NO_MEMORY. */
SONDE_API sonde_status sonde_agent_score(sonde_agent *agent, int32_t n, const uint64_t *policy,
                                         double *efe, sonde_error *error);
/* Scores policies from where the agent believes it is. Fails with SONDE_STOPPED, SONDE_NO_POLICY,
 * SONDE_EMPTY_CLUSTER where clusters may stay empty and the one that was chosen is, or
 * SONDE_BAD_ARGUMENT where rows, or a search, are the program's own, and it has not given any. */
SONDE_API sonde_status sonde_agent_search(sonde_agent *agent, const sonde_decision **decision,
                                          sonde_error *error);
/* The action that the last search leads to, drawn but not taken: sonde_agent_act takes the same; -1
 * without a search. */
SONDE_API int32_t sonde_agent_choice(sonde_agent *agent);
/* The plan behind an action of the last decision: the one that is followed, or the best policy
 * found that begins so; NULL where there is none. Holds until the agent searches again. */
SONDE_API const sonde_plan_graph *sonde_agent_plan(sonde_agent *agent, int32_t action);
/* What n episodes of a plan in closed loop have come to. */
typedef struct {
    int32_t n;
    double mean;  /* of the summed, discounted G of their steps */
    double error; /* its standard error */
    double lower; /* what the value of the plan is between, as the decision says it */
    double upper;
    double left; /* share of episodes that came to beliefs which nobody had looked at; what follows
                  * counts as in the middle of its bounds there */
} sonde_followed;
/* Lives n episodes of the last decision's plan in the model: from beliefs to beliefs, the action in
 * each drawn from its posterior there (with min: the best), the outcome from what is expected.
 * With free-energy KL(q || E) / gamma is added in each. Fails with SONDE_BAD_ARGUMENT where there
 * is no such plan, or n is below 2. */
SONDE_API sonde_status sonde_agent_follow(sonde_agent *agent, int32_t n, sonde_followed *followed,
                                          sonde_error *error);
/* Draws the action of the last search, and remembers that it was taken; -1 without a search. */
SONDE_API int32_t sonde_agent_act(sonde_agent *agent);
/* Why the last search decided as it did. It scores nothing that counts, and changes nothing; free
 * it with sonde_explanation_free. Fails with SONDE_BAD_ARGUMENT when there is no decision to
 * explain (none yet, the belief has changed since, or a plan was followed), SONDE_TOO_LARGE or
 * SONDE_NO_MEMORY. */
SONDE_API sonde_status sonde_agent_explain(sonde_agent *agent, sonde_explanation **explanation,
                                           sonde_error *error);

/* Takes an action that was chosen elsewhere, from 0 to n_action - 1, in the place of
 * sonde_agent_act; a search need not come before. Fails with SONDE_BAD_ARGUMENT where there is no
 * such action. */
SONDE_API sonde_status sonde_agent_take(sonde_agent *agent, int32_t action, sonde_error *error);
/* One decision at once: counts the policies, makes an agent that believes `belief` (n_belief; NULL:
 * what the model begins with) and has these settings (NULL: the defaults), and lets it decide. The
 * policies are the agent's, which frees them with itself; sonde_agent_choice says its action. Fails
 * like the functions that it stands for: sonde_policies_count, sonde_agent_new, _believe and
 * _search. */
SONDE_API sonde_status sonde_plan(const sonde_model *model, const double *belief,
                                  const sonde_search_settings *settings, const sonde_run *run,
                                  sonde_agent **agent, const sonde_decision **decision,
                                  sonde_error *error);

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
    int32_t n_state;    /* numbers in a belief */
    int32_t n_factor;   /* of the states: 1 in a graph world */
    int32_t n_modality; /* of the outcomes: 1 in a graph world */
    double seconds;     /* of all decisions, without clustering */
    sonde_setup setup;  /* of its agent, from the agent's beginning on */
    /* graph worlds */
    bool optimal;
    sonde_failure failure;
    int32_t reached; /* first step on the destination (0: it started there), or -1 */
    double walked;   /* summed weights up to arrival, or to the end */
    double shortest; /* Dijkstra distance from the start node to the destination */
    int32_t k;       /* clusters at the first decision, and how many of their representatives */
    int32_t n_valid; /* were valid there; 0 and 0 without clusters */
    /* (n_step + 1, n_factor) edges, or states of factors; NULL: nobody knows */
    const int32_t *state;
    const int32_t *outcome;     /* (n_step, n_modality) before each action */
    const int32_t *action;      /* (n_step) */
    const double *belief;       /* (n_step, n_state) before each action */
    const sonde_energy *energy; /* (n_step) of each step's outcomes */
    const int32_t *n_followed;  /* (n_step) as in the decision: 0 where policies were scored */
    const double *p;            /* (n_step) posterior probability of the action taken */
    const sonde_evaluations *evaluations; /* (n_step) */
    const sonde_efe *best; /* (n_step) of the best policy that was scored; NaN where none was */
    const double *tv;      /* (n_step) as the certificate has it; NaN where there is none */
} sonde_episode;
/* Lets an agent, reset first, act for n_step steps in a world: that of `process`, a general model
 * with the same actions and outcomes as the agent's own, whose states may differ; NULL: of the
 * agent's own model. Fails with SONDE_BAD_ARGUMENT, SONDE_NO_MEMORY, SONDE_STOPPED,
 * SONDE_EMPTY_CLUSTER or SONDE_NO_POLICY. */
SONDE_API sonde_status sonde_simulate(sonde_agent *agent, const sonde_model *process,
                                      int32_t n_step, sonde_episode **episode, sonde_error *error);
/* The same as one of several episodes, from 0 on, each of which draws its own: the agent is reset
 * before the first alone, and goes on from what it has learned. Where it learns, the episode ends
 * as in sonde_agent_end. */
SONDE_API sonde_status sonde_simulate_episode(sonde_agent *agent, const sonde_model *process,
                                              int32_t number, int32_t n_step,
                                              sonde_episode **episode, sonde_error *error);
SONDE_API void sonde_episode_free(sonde_episode *episode);

#ifdef __cplusplus
}
#endif

#endif

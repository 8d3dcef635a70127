/* search.h: choosing which policies to score, and what their scores say.
 *
 * Every search method does three things with what is prepared once: it prepares an origin on the
 * first visit, it chooses policies for one decision, and it visits them in blocks. Posterior, best
 * policy and action are the same for all of them.
 *
 * To add a method: write search_NAME.c with those functions, declare them here, and add a row to the
 * table in search.c and a value to sonde_search_kind. */
#ifndef SONDE_SEARCH_SEARCH_H
#define SONDE_SEARCH_SEARCH_H

#include "cluster/cluster.h"
#include "efe/efe.h"
#include "embed/embed.h"

/* Some policies that begin with the same action, and their G. */
typedef struct {
    int32_t action;
    int32_t n;
    uint64_t first;        /* the i-th is policy first + i, */
    const int32_t *member; /* or member[i], where this is not NULL */
    const double *efe;     /* (n) */
} sonde__block;
typedef void (*sonde__visitor)(void *context, const sonde__block *block);

/* Summed exp(-gamma G) for each action, relative to the smallest G so far. */
typedef struct {
    double gamma;
    int32_t begin; /* actions begin .. end - 1 can occur */
    int32_t end;
    double *mass;  /* (n_action) by action - begin */
    bool *touched; /* (n_action) */
    double least;  /* what masses are relative to */
    double best_efe;
    uint64_t best;
    uint64_t n_policy;
} sonde__posterior;
void sonde__posterior_start(sonde__posterior *posterior, int32_t begin, int32_t end);
void sonde__posterior_add(void *context, const sonde__block *block); /* context: a posterior */
double sonde__posterior_total(const sonde__posterior *posterior);

/* The clusters of all origins, and room for making them. */
typedef struct {
    sonde_embedder *embedder; /* owned, or the shelf's */
    bool borrowed;            /* the shelf's */
    sonde_clusters *global;   /* owned; global scope */
    sonde__clusters *local;   /* (n_state) local scope */
    bool *filled;             /* (n_state) */
    sonde__embedding embedding;
    sonde__embed_scratch embed_scratch;
    sonde__cluster_scratch cluster_scratch;
    int32_t *pick;       /* (n_sample) members drawn from a cluster */
    double *cluster_efe; /* (k) */
    bool *chosen;        /* (k) */
    int32_t *walk;       /* (T + 1) */
    sonde_setup setup;   /* what it all has cost */
} sonde__survey;

typedef struct sonde__search {
    const sonde_policies *policies;
    sonde_search_settings settings; /* with the differences carried out on embedding and k */
    sonde_run run;
    sonde__tree tree;
    sonde__scorer scorer;
    double *efe; /* (n_efe) one block */
    int32_t n_efe;
    int32_t *action;     /* (n_action) for the decision */
    double *summed;      /* (n_action) */
    double *probability; /* (n_action) */
    int32_t *to;         /* (n_out) nodes reached, n_out the most edges that leave a node */
    double *to_summed;   /* (n_out) */
    int32_t *best_walk;  /* (T + 1) */
    sonde__posterior posterior;
    sonde__survey survey; /* of clustered search */
    sonde_rng probe_rng;
    sonde_decision decision;
} sonde__search;

typedef struct {
    const char *name;
    /* SONDE_TOO_LARGE where the method cannot serve this space at all; or NULL */
    sonde_status (*check)(const sonde__search *search, sonde_error *error);
    /* makes what needs memory of its own; or NULL */
    sonde_status (*open)(sonde__search *search, sonde_error *error);
    /* the bytes that takes; or NULL */
    uint64_t (*bytes)(const sonde__search *search);
    /* cuts what it needs for every origin; or NULL */
    void (*carve)(sonde__search *search, sonde__arena *arena);
    /* gets an origin ready, on its first visit; or NULL */
    sonde_status (*prepare)(sonde__search *search, int32_t origin);
    /* chooses policies for a decision from `state`; or NULL */
    sonde_status (*choose)(sonde__search *search, int32_t origin, int32_t state);
    /* hands the chosen policies to the visitor, block by block */
    sonde_status (*visit)(sonde__search *search, int32_t origin, int32_t state,
                          sonde__visitor visitor, void *context);
    void (*close)(sonde__search *search); /* or NULL */
} sonde__search_method;

sonde_status sonde__full_check(const sonde__search *search, sonde_error *error);
sonde_status sonde__full_visit(sonde__search *search, int32_t origin, int32_t state,
                               sonde__visitor visitor, void *context);
sonde_status sonde__cluster_open(sonde__search *search, sonde_error *error);
uint64_t sonde__cluster_bytes(const sonde__search *search);
sonde_status sonde__cluster_search_check(const sonde__search *search, sonde_error *error);
void sonde__cluster_carve(sonde__search *search, sonde__arena *arena);
sonde_status sonde__cluster_prepare(sonde__search *search, int32_t origin);
sonde_status sonde__cluster_choose(sonde__search *search, int32_t origin, int32_t state);
sonde_status sonde__cluster_visit(sonde__search *search, int32_t origin, int32_t state,
                                  sonde__visitor visitor, void *context);
void sonde__cluster_close(sonde__search *search);

/* Checks the settings and makes what every decision needs. Close it, whatever it returns. */
sonde_status sonde__search_open(sonde__search *search, const sonde_policies *policies,
                                const sonde_search_settings *settings, const sonde_run *run,
                                sonde_error *error);
/* What it holds then, besides what is cut. */
uint64_t sonde__search_bytes(const sonde__search *search);
/* Cuts everything that searching needs. */
void sonde__search_carve(sonde__search *search, sonde__arena *arena);
/* One decision, the `number`-th; search->decision is the result. */
sonde_status sonde__search_run(sonde__search *search, int32_t state, uint64_t number);
/* Draws the action of the last decision. */
int32_t sonde__search_draw(sonde__search *search, sonde_rng *rng);
void sonde__search_close(sonde__search *search);

#endif

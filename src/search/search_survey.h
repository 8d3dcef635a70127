/* search_survey.h: searches by clusters, between the files they are made of.
 *
 * search_survey.c makes the clusters of all origins, search_probe.c says what one is worth, and
 * search_members.c finds members that no sample has listed. The methods that go on from there
 * are search_cluster.c, search_tree.c and search_surrogate.c; their states begin with a
 * sonde__survey. */
#ifndef SONDE__SEARCH_SURVEY_H
#define SONDE__SEARCH_SURVEY_H

#include "embed/embed.h"
#include "search/search_internal.h"

/* Members of the chosen clusters that are generated, and room for looking at a policy. */
typedef struct {
    uint64_t *policy; /* (n_member) */
    int32_t *walk;    /* (T + 1) */
    double *code;     /* (n_room) */
    double *row;      /* (n_column) */
} sonde__members;

/* Policies that are probed together, and scored: a cluster, or a part of one. */
typedef struct {
    const int32_t *member; /* (n) as the clusters call them */
    int32_t n;
    int32_t n_most;         /* of which so many are scored */
    int32_t representative; /* -1: none */
    double value;           /* what a probe gave; NaN where there was nothing to score */
} sonde__group;

/* What is known of numbers that come one by one: of G of the members drawn from a group. */
typedef struct {
    int32_t n;
    double mean;
    double squares; /* summed, of differences from the mean */
} sonde__arm;
static inline void sonde__arm_add(sonde__arm *arm, double number) {
    const double off = number - arm->mean;
    arm->n++;
    arm->mean += off / (double)arm->n;
    arm->squares += off * (number - arm->mean);
}
/* How much numbers vary, group by group: summed squared differences from each group's mean, and
 * degrees of freedom. */
typedef struct {
    double squares;
    double degrees;
} sonde__scatter;
/* Takes in a group. */
void sonde__scatter_add(sonde__scatter *scatter, const sonde__arm *arm);
/* What an agent remembers of the clusters it has met: how G varies. */
typedef struct {
    sonde__scatter probed;   /* among members of one cluster that were drawn */
    sonde__scatter searched; /* among all members of the clusters searched, where k is auto */
    sonde__scatter between;  /* among the values of the clusters of a decision */
} sonde__memory;

/* The clusters of all origins, and room for making them. */
typedef struct {
    sonde_embedder *embedder; /* owned, or the shelf's */
    bool borrowed;            /* the shelf's */
    sonde_clusters *global;   /* owned; global scope */
    sonde__clusters *local;   /* (n_origin) local scope */
    bool *filled;             /* (n_origin) */
    uint64_t **policy;       /* (n_origin) which policies were clustered, where they are a sample */
    uint64_t *global_policy; /* owned; the same for global scope */
    bool keeps_rows;         /* the method goes on to use the rows after clustering */
    bool probes_parts;     /* it probes parts of clusters, too, and then arms are those of parts */
    sonde_embedding *rows; /* global scope, where they are kept */
    bool rows_borrowed;    /* the shelf's */
    sonde__embedding embedding; /* local scope: the rows of an origin, */
    bool is_embedded;           /* if there are any yet, */
    int32_t embedded;           /* this one */
    sonde__embed_scratch embed_scratch;
    char *cluster_room; /* where k may change: room for cluster_scratch, cut anew each time */
    uint64_t n_cluster_room;
    sonde__cluster_scratch *cluster_scratch;
    int32_t *pick;       /* (n_sample) members drawn from a cluster */
    double *cluster_efe; /* (k) */
    bool *chosen;        /* (k) */
    sonde__members members;
    sonde__group *group; /* (k) */
    sonde__arm *arm;     /* (k) adaptive probing, */
    int32_t *drawn;      /* the members it has drawn in one survey, */
    bool *is_drawn;      /* (n_policy) which are marked here */
    sonde__memory memory;
} sonde__survey;

/* search_survey.c: functions of a sonde__method. Those for methods that keep the rows refuse to
 * balance the number of clusters, and prepare leaves the rows of the origin at hand. */
sonde_status sonde__survey_open(sonde__search *search, sonde_error *error);
sonde_status sonde__survey_open_rows(sonde__search *search, sonde_error *error);
uint64_t sonde__survey_bytes(const sonde__search *search);
void sonde__survey_carve(sonde__search *search, sonde__arena *arena);
sonde_status sonde__survey_prepare(sonde__search *search);
void sonde__survey_forget(sonde__search *search);
void sonde__survey_close(sonde__search *search);
/* Policies of the largest origin, and of one, that are clustered. */
uint64_t sonde__survey_largest(const sonde__search *search);
uint64_t sonde__survey_count(const sonde__search *search, int32_t origin);
/* Makes the rows of the decision's origin, if they are not those at hand; where they are. */
sonde_status sonde__survey_embed(sonde__search *search);
const sonde_embedding *sonde__survey_rows(const sonde__search *search);
/* The clusters of the decision's origin, which the decision is to show. */
const sonde_clusters *sonde__survey_show(sonde__search *search);

/* search_probe.c: begins to score policies of an origin; probes n groups; G of one policy on its
 * own, whose steps count, and its first action; the probes of the last decision. */
void sonde__survey_start(sonde__search *search, int32_t origin);
void sonde__survey_probe(sonde__search *search, sonde__group *group, int32_t n);
double sonde__survey_score(sonde__search *search, int32_t origin, uint64_t policy, int32_t *action);
void sonde__survey_explain(sonde__search *search, sonde__arena *arena, sonde_explanation *to);

/* search_members.c: draws members of the clusters that a decision has chosen: its n_generated and
 * generated. */
sonde_status sonde__members_check(const sonde__search *search, sonde_error *error);
void sonde__members_carve(sonde__search *search, sonde__arena *arena);
sonde_status sonde__members_generate(sonde__search *search);

/* search_cluster.c: scores the members of a group in order, so that neighbours share their
 * prefixes. */
void sonde__group_visit(sonde__search *search, const sonde__group *group, sonde__visitor visitor,
                        void *context);

#endif

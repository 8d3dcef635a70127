/* search.h: making decisions, for the stages after it.
 *
 * Whoever needs decisions sets sonde__search_size bytes of zeros aside, opens a search there, cuts
 * the rest of its memory from an arena, and asks for one decision after the other:
 *
 *     sonde__search_open(search, policies, &settings, &run, &error);
 *     sonde__search_carve(search, &arena);                     twice: measures, carves
 *     sonde__search_decide(search, now, origin, number);          -> sonde__search_decision(search)
 *     sonde__search_draw(search, &rng);                        -> an action
 *     sonde__search_close(search);
 *
 * What methods of searching share, and how to add one, is in search_internal.h. */
#ifndef SONDE__SEARCH_H
#define SONDE__SEARCH_H

#include "base/memory.h"
#include "base/rng.h"
#include "sonde_document.h"

typedef struct sonde__search sonde__search;

/* Bytes of a search of this kind over these policies, before anything is cut. */
size_t sonde__search_size(const sonde_policies *policies, int32_t kind);
/* Checks the settings and makes what every decision needs. Close it, whatever it returns. */
sonde_status sonde__search_open(sonde__search *search, const sonde_policies *policies,
                                const sonde_search_settings *settings, const sonde_run *run,
                                sonde_error *error);
/* What it holds then, besides what is cut. */
uint64_t sonde__search_bytes(const sonde__search *search);
/* Cuts everything that searching needs. */
void sonde__search_carve(sonde__search *search, sonde__arena *arena);
void sonde__search_close(sonde__search *search);

/* The settings, with embedding, gamma and k settled. */
const sonde_search_settings *sonde__search_settings(const sonde__search *search);
/* What making embeddings and clusters has cost so far. */
sonde_setup sonde__search_setup(const sonde__search *search);

/* Policies of an origin, by their indices. */
typedef struct {
    int32_t origin;
    int32_t n;
    const uint64_t *policy; /* (n) */
} sonde__picked;
/* G (n) of policies that a search of the program's own is made of (search_own.c). */
sonde_status sonde__search_score(sonde__search *search, sonde_present now,
                                 const sonde__picked *picked, double *efe, sonde_error *error);
/* G of every policy that a decision looks at, and the precision, for whoever learns from it. */
typedef struct {
    uint64_t n;     /* policies */
    double *efe;    /* (n) G of each in the last decision; infinity: not looked at */
    int32_t *first; /* (n) its first action */
    bool noted;     /* something was */
    bool expected;  /* the precision is expected, and not the settings' */
    double alpha;
    double beta;
    double *gamma; /* that the next decision begins with, and the last one ended with */
} sonde__watch;
/* Fills these from now on, in decisions that look at policies one by one; NULL: no longer. */
void sonde__search_watch(sonde__search *search, sonde__watch *watch);
/* The posterior of each policy in the last decision (n). */
void sonde__search_chances(const sonde__search *search, double *chance);
/* One decision, the `number`-th, from policies of an origin. */
sonde_status sonde__search_decide(sonde__search *search, sonde_present now, int32_t origin,
                                  uint64_t number);
/* A decision that follows a plan instead of scoring anything. */
void sonde__search_follow(sonde__search *search, sonde_present now, int32_t action,
                          int32_t n_followed);
/* Why the last decision could not be made: the sentence of its status, or a better one. */
const char *sonde__search_complaint(const sonde__search *search, sonde_status status);
/* The last decision. */
sonde_decision *sonde__search_decision(sonde__search *search);
/* Draws its action. */
int32_t sonde__search_draw(sonde__search *search, sonde__rng *rng);
/* The plan behind an action that was drawn: the policy itself, or the best that begins with it;
 * false if there is none. */
bool sonde__search_plan(const sonde__search *search, int32_t action, int32_t *walk);
/* Why the last decision is what it is, as one block. */
sonde_status sonde__search_explain(sonde__search *search, sonde_explanation **explanation,
                                   sonde_error *error);
/* A prefix that is asked for. */
typedef struct {
    const sonde_policies *policies;
    const sonde_search_settings *settings; /* whose weights, limits and seed count */
    const sonde_decision *decision;        /* whose belief and precision count */
    int32_t n_step;                        /* from 0 to T */
    const int32_t *walk;                   /* (n_step + 1) numbers that exist */
} sonde__asked;
/* What is known of all policies that begin so, as one block; no search need have been opened. */
sonde_status sonde__search_prefix(const sonde__asked *asked, const sonde_run *run,
                                  sonde_prefix **prefix, sonde_error *error);
/* Forgets what earlier decisions have taught. */
void sonde__search_reset(sonde__search *search);

/* The probability of one factor's action as pymdp takes its logarithm, where beliefs are its: 1.0 has
 * 2^-52 at least, and 0.0.7 adds 1e-16, where information is pymdp-legacy, too. */
double sonde__action_mass(const sonde_search_settings *settings, const sonde_model *model,
                          double mass);
/* What actions are drawn from (n), by the rule of the settings and their summed probabilities, in
 * whose place it may stand. */
void sonde__action_rule(const sonde_search_settings *settings, int32_t n, const double *summed,
                        double *p);
/* A draw from n probabilities: the first whose share holds u, or the last that has one. */
int32_t sonde__action_draw(int32_t n, const double *p, double u);

/* The name and the sentence of what a decision rests on. */
const char *sonde__grounds_name(int32_t grounds);
const char *sonde__grounds_sentence(int32_t grounds);

#endif

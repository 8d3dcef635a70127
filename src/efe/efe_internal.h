/* efe_internal.h: the plain way of scoring, for the fast ones that have nothing better. */
#ifndef SONDE_EFE_EFE_INTERNAL_H
#define SONDE_EFE_EFE_INTERNAL_H

#include "efe/efe_score.h"

/* What a thread adds up: the walk of one policy, step by step. */
typedef struct {
    sonde__walker walker;
    sonde__spot along; /* (T + 1) where each prefix of the walk ends */
    sonde_efe *total;  /* (T + 1) the terms so far */
    double *scratch;
    uint64_t position; /* of the next policy */
    uint64_t end;
    sonde__spot after; /* (n_child) where the children of a prefix end */
} sonde__plain_track;

/* A track's own begins with one of these, for whoever calls the functions below. */
void sonde__plain_carve(sonde__arena *arena, const sonde__score *score, bool children,
                        sonde__plain_track *own);
void sonde__plain_measure(sonde__score *score);
void sonde__plain_begin(sonde__track *track, uint64_t first, uint64_t end);
void sonde__plain_pick(sonde__track *track, int32_t n, const uint64_t *policy, double *efe,
                       int32_t *action);
void sonde__plain_terms(sonde__track *track, const int32_t *walk, int32_t n_step, sonde_efe *steps,
                        int32_t *reached, sonde_efe *total);
int32_t sonde__plain_root(const sonde__score *score, int32_t i, sonde__spot spot);

#endif

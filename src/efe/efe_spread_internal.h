/* efe_spread_internal.h: what the files of a fan share: beliefs of the factors after each of their
 * actions. */
#ifndef SONDE_EFE_EFE_SPREAD_INTERNAL_H
#define SONDE_EFE_EFE_SPREAD_INTERNAL_H

#include "efe/efe_fan_internal.h"

/* Some combined states and their probabilities. */
typedef struct {
    int32_t n;
    int32_t *from;
    double *weight;
} sonde__sample;

void sonde__spreads_carve(sonde__arena *arena, const sonde_policies *policies, sonde__fan *fan);
/* The belief of one factor as a spread of one column: the root, and factors that nothing
 * touches. */
void sonde__spread_alone(sonde__spread *spread, int32_t n_state, const double *belief);
/* The states of one factor, as believed in one column. */
void sonde__spread_states(const sonde__spread *spread, int32_t column, sonde__sample *states);
/* Sums rows of a matrix with n columns for some columns of a spread: out (their number, n). */
void sonde__spread_sum(sonde__fan *fan, const sonde__spread *spread, const sonde__together *some,
                       int64_t n, const double *matrix, double *out);

/* The beliefs of factor f after step t. */
static inline sonde__spread *sonde__spread_at(const sonde__fan *fan, int32_t t, int32_t f) {
    return &fan->spread[(int64_t)t * fan->outlook->policies->model->n_factor + f];
}
/* The action of factor f in the child that is on the present prefix, as a place in its choices. */
int32_t sonde__fan_column(const sonde__fan *fan, int32_t t, int32_t f);
/* Whether what follows the present prefix of t steps, of factor f, has yet to be made; and if
 * so, together with what other prefixes: at most n_room, and no more than the stretch still has. */
bool sonde__fan_together(const sonde__fan *fan, int32_t t, int32_t f, int32_t n_room,
                         sonde__together *made);
/* The combined states of some factors before step t, the last fastest, and their probabilities. */
sonde__sample sonde__fan_states(const sonde__fan *fan, int32_t t, int32_t n, const int32_t *factor);
/* Beliefs of factor f after each action at step t, unless they are there already. */
void sonde__fan_spread(sonde__fan *fan, int32_t t, int32_t f);

#endif

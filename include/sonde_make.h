/* sonde_make.h: models that everybody knows, made instead of read.
 *
 *     sonde_make_settings how = sonde_make_defaults();
 *     how.make = SONDE_MAKE_ROCKSAMPLE;
 *     how.size = 7;
 *     how.n_rock = 8;
 *     status = sonde_make(&how, NULL, NULL, &model, &error);
 *
 * docs/closed-loop.md says what each is like. */
#ifndef SONDE_MAKE_H
#define SONDE_MAKE_H

#include "sonde.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
    SONDE_MAKE_TIGER,      /* two doors, and listening; a reward POMDP */
    SONDE_MAKE_T_MAZE,     /* four places, and a cue that says where the reward is */
    SONDE_MAKE_GRID,       /* cells that are seen more or less, and a corner to go to */
    SONDE_MAKE_FROZENLAKE, /* gymnasium's, slippery */
    SONDE_MAKE_ROCKSAMPLE  /* rocks that look good or bad from afar; a reward POMDP */
} sonde_make_kind;
/* What happens in RockSample to who leaves the grid elsewhere than in the east, or samples where
 * there is no rock: it ends, or nothing happens. It costs 100 either way. */
typedef enum { SONDE_ILLEGAL_END, SONDE_ILLEGAL_STAY } sonde_illegal;
/* What FrozenLake is about: a reward of 1 at the goal and nothing else, or preferences for it. */
typedef enum { SONDE_FORM_REWARD, SONDE_FORM_EFE } sonde_form;

/* What is made. Whatever is at its default takes its usual value; a field that the model does not
 * have must be at its default. */
typedef struct {
    int32_t make;    /* a sonde_make_kind */
    int32_t size;    /* cells on a side, of a grid (3), FrozenLake (4 or 8) or RockSample (4); 0 */
    int32_t n_rock;  /* of RockSample; as many as the size, but for 0 */
    int32_t illegal; /* a sonde_illegal, of RockSample; -1 */
    int32_t form;    /* a sonde_form, of FrozenLake; -1 */
    double valid;    /* how often a T-maze's cue and reward tell the truth (0.95); -1 */
    double slip;     /* how often a move in a grid fails (0.1); -1 */
    double noise;    /* how often another cell is seen than the grid's own (0.1); -1 */
    uint64_t seed;   /* draws the places of rocks, but for the five layouts that are known */
} sonde_make_settings;

/* Tiger, with everything at its default. */
SONDE_API sonde_make_settings sonde_make_defaults(void);
/* Names of the choices, as elsewhere. */
SONDE_API const char *sonde_make_name(int32_t make);
SONDE_API const char *sonde_illegal_name(int32_t illegal);
SONDE_API const char *sonde_form_name(int32_t form);
/* Makes a model; `settings` as with sonde_model_read, with the model in place of the file. Fails
 * with SONDE_BAD_ARGUMENT, SONDE_TOO_LARGE or SONDE_NO_MEMORY. */
SONDE_API sonde_status sonde_make(const sonde_make_settings *how,
                                  const sonde_model_settings *settings, const sonde_run *run,
                                  sonde_model **model, sonde_error *error);

#ifdef __cplusplus
}
#endif

#endif

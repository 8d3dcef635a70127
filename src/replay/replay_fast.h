/* replay_fast.h: log-likelihoods without agents, for models whose shape allows it. */
#ifndef SONDE_REPLAY_REPLAY_FAST_H
#define SONDE_REPLAY_REPLAY_FAST_H

#include "replay/replay.h"

/* What is worked out once of a model: which beliefs plans can come to, and what each shows.
 *
 * A factor's belief after some actions is a spot: the present belief, what an action makes of
 * another spot, or, where an action leads to one place wherever it began, a constant. Plans of all
 * factors come to few tuples of spots, nodes, however many plans there are; and modalities see of a
 * node only the factors that they depend on, a view. So every distinct view is scored once in a
 * decision, and plans are summed backwards over nodes, those with the same ways on together. */
typedef struct sonde__fast sonde__fast;

/* Makes one, or NULL where the model or the settings ask for what only agents do: then they follow.
 * Their last digits may be others, so want of memory is a failure, not a reason to let them. */
sonde_status sonde__fast_new(const sonde_policies *policies, const sonde_replay_settings *settings,
                             sonde__fast **out);
void sonde__fast_free(sonde__fast *fast);
/* Bytes of scratch that following needs. */
uint64_t sonde__fast_scratch(const sonde__fast *fast);
/* One session: the rows from `first` up to `end`. */
typedef struct {
    const sonde_data *data;
    int32_t first;
    int32_t end;
} sonde__session;
/* The summed ln p of its rows with the numbers of a variant; false: floors would decide something,
 * and an agent has to follow. */
bool sonde__fast_follow(const sonde__fast *fast, sonde__session session,
                        const sonde__variant *variant, void *scratch, double *log_likelihood);

#endif

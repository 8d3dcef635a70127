/* policy.h: walking through the policies in order.
 *
 * The policies of an origin are the leaves of a tree whose nodes are prefixes. A walker stands on
 * one leaf; moving to a later one changes only the end of the walk, and tells from where on, so
 * that whatever is added up along a walk need not be added up again for the part that stays. */
#ifndef SONDE_POLICY_POLICY_H
#define SONDE_POLICY_POLICY_H

#include "base/memory.h"
#include "sonde.h"

typedef struct {
    const sonde_policies *policies;
    int32_t origin;
    int32_t *edge;   /* (T + 1) the present walk */
    uint64_t *begin; /* (T + 1) index of the first policy with the prefix edge[0 .. t] */
    uint64_t *count; /* (T + 1) how many have it; count[0] = 0 before the first move */
} sonde__walker;

void sonde__walker_carve(sonde__arena *arena, int32_t horizon, sonde__walker *walker);
void sonde__walker_start(sonde__walker *walker, const sonde_policies *policies, int32_t origin);
/* Moves to the policy `index`; returns the first place t of the walk that may have changed, T + 1 if
 * none did. */
int32_t sonde__walker_move(sonde__walker *walker, uint64_t index);

#endif

/* shelf.h: what studies keep of clusterings from one agent to the next. */
#ifndef SONDE_BASE_SHELF_H
#define SONDE_BASE_SHELF_H

#include "sonde_embed.h"

/* A shelf keeps embeddings and what clustering found, so that agents that differ in something else
 * (the probe, say) need not find it again. Hand it to calls on one set of policies, in one thread,
 * and free it after the agents. It asks for memory of its own whenever something is put there. */
typedef struct sonde_shelf sonde_shelf;
sonde_status sonde__shelf_new(sonde_shelf **shelf, sonde_error *error);
void sonde__shelf_free(sonde_shelf *shelf);

#endif

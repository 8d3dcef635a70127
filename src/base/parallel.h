/* parallel.h: the only threads.
 *
 * Work is cut into numbered tasks whose number and extent do not depend on the threads; a task puts
 * its result where its number says. So the number of threads never changes a byte. */
#ifndef SONDE_BASE_PARALLEL_H
#define SONDE_BASE_PARALLEL_H

#include "base/status.h"

/* One task. `worker` is less than the number of threads and tells which scratch to use. */
typedef void (*sonde__task)(void *context, int32_t task, int32_t worker);

/* Does tasks 0 .. n_task - 1, each once, on at most run->n_thread threads, the caller's included.
 * Progress is told from the calling thread under the name `stage` (NULL: not at all).
 * SONDE_STOPPED if the stop flag is up at the end: then nothing that was done counts. */
sonde_status sonde__parallel(const sonde_run *run, int32_t n_task, const char *stage,
                             sonde__task task, void *context);

/* What only one thread at a time may touch. */
typedef struct sonde__lock sonde__lock;
sonde__lock *sonde__lock_new(void); /* or NULL */
void sonde__lock_hold(sonde__lock *lock);
void sonde__lock_drop(sonde__lock *lock);
void sonde__lock_free(sonde__lock *lock);

#endif

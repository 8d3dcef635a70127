/* status.h: filling in errors. */
#ifndef SONDE_BASE_STATUS_H
#define SONDE_BASE_STATUS_H

#include "sonde.h"

/* Writes the sentence into `error`, if there is one, and returns `status`, so that a check reads
 * `return sonde__fail(error, SONDE_BAD_INPUT, "%s: expected ..., found ...", where, ...);`. */
sonde_status sonde__fail(sonde_error *error, sonde_status status, const char *format, ...)
    SONDE_PRINTF(3, 4);
/* SONDE_NO_MEMORY for `what`, which needed this many bytes. */
sonde_status sonde__fail_memory(sonde_error *error, const char *what, uint64_t bytes);
/* SONDE_TOO_LARGE if `bytes` is more than the run allows, otherwise SONDE_OK; `help` says which
 * setting makes it smaller. */
sonde_status sonde__check_memory(const sonde_run *run, uint64_t bytes, const char *what,
                                 const char *help, sonde_error *error);

/* The run, with the defaults where NULL was given and the number of threads settled. */
sonde_run sonde__run_settle(const sonde_run *run);
/* The same run with so many bytes of its memory spent. */
sonde_run sonde__run_less(const sonde_run *run, uint64_t bytes);
bool sonde__stopped(const sonde_run *run);
void sonde__progress(const sonde_run *run, const char *stage, uint64_t done, uint64_t total);

#endif

/* status.c: what can go wrong, in words; and how to run. */
#include "base/status.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "base/shown.h"

/* what is tried ten million times is built with less, so that nothing takes long */
#ifndef SONDE_DEFAULT_MEMORY
#define SONDE_DEFAULT_MEMORY (UINT64_C(4) << 30)
#endif

#define DIGITS(number) #number
#define VERSION(major, minor, patch) DIGITS(major) "." DIGITS(minor) "." DIGITS(patch)

const char *sonde_version(void) {
    return VERSION(SONDE_VERSION_MAJOR, SONDE_VERSION_MINOR, SONDE_VERSION_PATCH);
}

const char *sonde_status_sentence(sonde_status status) {
    switch (status) {
    case SONDE_OK: return "done";
    case SONDE_BAD_ARGUMENT: return "a setting is outside what is allowed";
    case SONDE_NO_FILE: return "the file could not be opened or read";
    case SONDE_BAD_INPUT: return "the file does not say what it should";
    case SONDE_NO_MEMORY: return "the system refused memory";
    case SONDE_TOO_LARGE: return "this needs more memory than it is allowed";
    case SONDE_STOPPED: return "the work was interrupted";
    case SONDE_NOT_WRITTEN: return "the output could not be written";
    case SONDE_EMPTY_CLUSTER: return "the cluster that was chosen has no members";
    case SONDE_NO_POLICY: return "no policy is allowed from where the agent believes it is";
    }
    return "unknown status";
}

sonde_status sonde__fail(sonde_error *error, sonde_status status, const char *format, ...) {
    if (error != NULL) {
        /* a character that this cuts in two is past what fits there */
        char sentence[sizeof error->text + 4];
        va_list arguments;
        va_start(arguments, format);
        error->status = status;
        error->setting[0] = '\0';
        (void)vsnprintf(sentence, sizeof sentence, format, arguments);
        va_end(arguments);
        /* whatever a file says of itself has to go through here */
        sonde__show(sentence, error->text, sizeof error->text);
    }
    return status;
}

sonde_status sonde__fail_memory(sonde_error *error, const char *what, uint64_t bytes) {
    return sonde__fail(error, SONDE_NO_MEMORY, "%s: the system refused %" PRIu64 " bytes", what,
                       bytes);
}

/* A number of bytes, in the unit in which it is easily read. */
typedef struct {
    double number;
    const char *unit;
} amount;

static amount amount_of(uint64_t bytes) {
    static const char *const unit[] = {"bytes", "kB", "MB", "GB"};
    amount shown = {.number = (double)bytes, .unit = unit[0]};
    for (int32_t i = 1; i < 4 && shown.number >= 1e3; i++) {
        shown.number /= 1e3;
        shown.unit = unit[i];
    }
    return shown;
}

sonde_status sonde__check_memory(const sonde_run *run, uint64_t bytes, const char *what,
                                 const char *help, sonde_error *error) {
    if (bytes <= run->memory) {
        return SONDE_OK;
    }
    const amount needed = amount_of(bytes);
    const amount allowed = amount_of(run->memory);
    return sonde__fail(error, SONDE_TOO_LARGE,
                       "%s: needs %.3g %s of memory, allowed are %.3g %s; %s", what, needed.number,
                       needed.unit, allowed.number, allowed.unit, help);
}

void sonde_stop_raise(sonde_stop *stop) {
    __atomic_store_n(&stop->raised, 1, __ATOMIC_RELAXED);
}

bool sonde__stopped(const sonde_run *run) {
    return run->stop != NULL && __atomic_load_n(&run->stop->raised, __ATOMIC_RELAXED) != 0;
}

void sonde__progress(const sonde_run *run, const char *stage, uint64_t done, uint64_t total) {
    if (run->progress != NULL) {
        run->progress(run->user, stage, done, total);
    }
}

sonde_run sonde_run_defaults(void) {
    return (sonde_run){.n_thread = 0, .memory = SONDE_DEFAULT_MEMORY};
}

sonde_run sonde__run_less(const sonde_run *run, uint64_t bytes) {
    sonde_run less = *run;
    less.memory = bytes < run->memory ? run->memory - bytes : 0;
    return less;
}

sonde_run sonde__run_settle(const sonde_run *run) {
    sonde_run settled = run != NULL ? *run : sonde_run_defaults();
    if (settled.n_thread <= 0) {
        const long n_core = sysconf(_SC_NPROCESSORS_ONLN);
        settled.n_thread = n_core > 0 && n_core < 1024 ? (int32_t)n_core : 1;
    }
    return settled;
}

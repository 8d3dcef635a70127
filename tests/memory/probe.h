/* probe.h: every public function, with its k-th request for memory refused, once and from then on.
 *
 * A row is one function that asks for memory, with what it needs ready. Whatever is refused: it
 * comes back, says so, leaves no block behind, and has made nothing or all of it. A function that
 * asks for none is called by QUIET, which sees to that. Both write down its name: at the end, no
 * name of the headers may be missing. */
#ifndef TESTS_MEMORY_PROBE_H
#define TESTS_MEMORY_PROBE_H

#include <stdio.h>

#include "memory/allocator.h"

enum { N_NAME = 600, N_FAULT = 200 };

/* names that were called, by what they did */
static const char *probe_name[N_NAME];
static int probe_n_name;

/* the call that is tried */
static struct {
    int64_t k;   /* the request that is refused */
    bool onward; /* and those after it */
    const char *function;
    int64_t first; /* requests before the call */
    int64_t n;     /* requests of it */
    bool refused;
    bool by_sqlite; /* it was SQLite that asked: it may do without, as with a table of its own */
    bool told;      /* it fills in an error */
    sonde_status status;
    sonde_error error;
} probe;

static int probe_n_fault;
static int64_t probe_n_refusal;

static inline void probe_blame(const char *sentence) {
    if (probe_n_fault++ < N_FAULT) {
        (void)fprintf(stderr, "%s: request %lld %s: %s (%s: %s)\n", probe.function,
                      (long long)probe.k, probe.onward ? "and those after it" : "alone", sentence,
                      sonde_status_sentence(probe.status), probe.error.text);
    }
}

static inline void probe_note(const char *function) {
    for (int i = 0; i < probe_n_name; i++) {
        if (strcmp(probe_name[i], function) == 0) {
            return;
        }
    }
    if (probe_n_name == N_NAME) {
        abort();
    }
    probe_name[probe_n_name++] = function;
}

/* From here on requests count. */
static inline void probe_arm(const char *function) {
    probe_note(function);
    probe.function = function;
    probe.told = true;
    probe.first = allocator.n_request;
    allocator.refuse = probe.k > 0 ? probe.first + probe.k : 0;
    allocator.onward = probe.onward;
}

static inline sonde_status probe_disarm(sonde_status status) {
    probe.n = allocator.n_request - probe.first;
    probe.refused = allocator.refused;
    probe.status = status;
    allocator.refuse = 0;
    return status;
}

/* A text says by a flag that there was no memory. */
static inline void probe_disarm_text(sonde_text *text) {
    (void)probe_disarm(text->failed ? SONDE_NO_MEMORY : SONDE_OK);
    probe.told = false;
    sonde_text_free(text);
}

static inline void probe_made(bool made) {
    if (made != (probe.status == SONDE_OK)) {
        probe_blame(made ? "something was made, and an error told" : "nothing was made");
    }
}

/* A function that asks for no memory. */
#define QUIET(function, ...)                                                                       \
    do {                                                                                           \
        probe_arm(#function);                                                                      \
        (void)function(__VA_ARGS__);                                                               \
        probe_quiet();                                                                             \
    } while (0)
/* The same of one that returns a status, which is fine. */
#define QUIET_OK(function, ...)                                                                    \
    do {                                                                                           \
        probe_arm(#function);                                                                      \
        const sonde_status quiet_status = function(__VA_ARGS__);                                   \
        probe_quiet();                                                                             \
        probe.status = quiet_status;                                                               \
        if (quiet_status != SONDE_OK) {                                                            \
            probe_blame("it fails");                                                               \
        }                                                                                          \
    } while (0)

static inline void probe_quiet(void) {
    (void)probe_disarm(SONDE_OK);
    if (probe.n != 0) {
        probe_blame("it asks for memory, and should not");
    }
}

/* ------------------------------------------------------------------------------------- rows -- */

typedef struct {
    void (*row)(void);
    bool lenient; /* some requests only save work later: it may do without */
} probe_row;
static probe_row probe_rows[N_NAME];
static int probe_n_row;

static inline void probe_add(void (*row)(void), bool lenient) {
    probe_rows[probe_n_row++] = (probe_row){row, lenient};
}

#define PROBE_ROW(name, lenient)                                                                   \
    static void row_##name(void);                                                                  \
    __attribute__((constructor)) static void add_##name(void) {                                    \
        probe_add(row_##name, lenient);                                                            \
    }                                                                                              \
    static void row_##name(void)
/* A function that makes `made`, and how that is given back. */
#define MAKES_AS(name, lenient, function, type, give_back, ...)                                    \
    PROBE_ROW(name, lenient) {                                                                     \
        type *made = NULL;                                                                         \
        sonde_error *error = &probe.error;                                                         \
        probe_arm(#function);                                                                      \
        (void)probe_disarm(function(__VA_ARGS__));                                                 \
        probe_made(made != NULL);                                                                  \
        give_back(made);                                                                           \
    }
#define MAKES(function, type, give_back, ...)                                                      \
    MAKES_AS(function, false, function, type, give_back, __VA_ARGS__)
/* A function that returns a status. */
#define CALLS(function, ...)                                                                       \
    PROBE_ROW(function, false) {                                                                   \
        sonde_error *error = &probe.error;                                                         \
        probe_arm(#function);                                                                      \
        (void)probe_disarm(function(__VA_ARGS__));                                                 \
    }
/* A function that appends to `text`. */
#define ADDS(function, ...)                                                                        \
    PROBE_ROW(function, false) {                                                                   \
        sonde_text text = {0};                                                                     \
        probe_arm(#function);                                                                      \
        function(__VA_ARGS__);                                                                     \
        probe_disarm_text(&text);                                                                  \
    }
/* The same where it returns a status, too. */
#define CALLS_AND_ADDS(function, ...)                                                              \
    PROBE_ROW(function, false) {                                                                   \
        sonde_text text = {0};                                                                     \
        sonde_error *error = &probe.error;                                                         \
        probe_arm(#function);                                                                      \
        const sonde_status status = function(__VA_ARGS__);                                         \
        const bool failed = text.failed;                                                           \
        (void)probe_disarm(status == SONDE_OK && failed ? SONDE_NO_MEMORY : status);               \
        probe.told = status != SONDE_OK;                                                           \
        sonde_text_free(&text);                                                                    \
    }

/* One refusal; false where there was nothing left to refuse. */
static inline bool probe_try(const probe_row *row, int64_t k, bool onward) {
    memset(&probe, 0, sizeof probe);
    probe.k = k;
    probe.onward = onward;
    watch_memory(0);
    row->row();
    unwatch_memory();
    if (allocator.n_live != 0) {
        probe_blame("blocks are left behind");
    }
    if (!probe.refused) {
        if (probe.status != SONDE_OK) {
            probe_blame("it fails, though nothing was refused");
        }
        if (k == 1) {
            probe_blame("it asks for no memory, and should");
        }
        return false;
    }
    probe_n_refusal++;
    const bool lenient = row->lenient || (probe.by_sqlite && !onward);
    if (probe.status == SONDE_OK ? !lenient : probe.status != SONDE_NO_MEMORY) {
        probe_blame("it does not say that there was no memory");
    }
    if (probe.told && probe.status != SONDE_OK &&
        (probe.error.status != probe.status || probe.error.text[0] == '\0')) {
        probe_blame("no sentence");
    }
    return true;
}

/* Every request of a row, or, of many, ever fewer. */
static inline void probe_survive(const probe_row *row, bool all) {
    for (int onward = 0; onward < 2; onward++) {
        for (int64_t k = 1; probe_try(row, k, onward == 1) && probe_n_fault < N_FAULT;) {
            k += all || k < 25 ? 1 : 1 + k / 4;
        }
    }
}

#endif

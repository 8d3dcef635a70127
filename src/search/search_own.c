/* search_own.c: the policies that a program has scored, one list after the other, and no others.
 *
 * Which they are is decided elsewhere; what their scores mean is decided here, as for every search.
 * A list counts for the belief that it was scored from. Where in the end every policy is in it,
 * full search adds them up, so that the same policies give the same bytes. */
#include <stdlib.h>
#include <string.h>

#include "search/search_internal.h"

/* policies that are scored at once, between looks at the stop flag */
#define N_AT_ONCE 256

typedef struct {
    uint64_t policy;
    double efe;
    int32_t action;
} scored;
typedef struct {
    sonde__stretches all; /* first: the state of full search */
    scored *list;         /* (n_room) owned */
    uint64_t n;
    uint64_t n_room;
    bool decided;     /* a decision was made of it: another list comes next */
    uint64_t n_step;  /* scored for it */
    uint64_t version; /* of the model's numbers, and */
    int32_t state;    /* graph worlds: the edge, */
    double *belief;   /* (n_belief) or the belief, from which it was scored */
} own;

/* The policies need numbers. */
static sonde_status check(sonde__search *search, sonde_error *error) {
    if (sonde__search_most(search) == UINT64_MAX) {
        return sonde__fail(error, SONDE_TOO_LARGE,
                           "search: one of your own asks for policies by their numbers, and there "
                           "are too many for numbers; choose a shorter horizon");
    }
    return SONDE_OK;
}

static void carve(sonde__search *search, sonde__arena *arena) {
    own *o = search->state;
    sonde__full.carve(search, arena);
    o->belief = SONDE__TAKE(arena, double, search->policies->model->n_belief);
}

/* ----------------------------------------------------------------------------------- scoring -- */

static size_t belief_size(const sonde__search *search) {
    return (size_t)search->policies->model->n_belief * sizeof(double);
}

/* Whether the list was scored from here. */
static bool is_from(const sonde__search *search, sonde_present now) {
    const own *o = search->state;
    return o->version == search->given->model->version && o->state == now.state &&
           (now.belief == NULL || memcmp(o->belief, now.belief, belief_size(search)) == 0);
}

static void begin_list(sonde__search *search, sonde_present now) {
    own *o = search->state;
    o->n = 0;
    o->n_step = 0;
    o->decided = false;
    o->version = search->given->model->version;
    o->state = now.state;
    if (now.belief != NULL) {
        memcpy(o->belief, now.belief, belief_size(search));
    }
}

/* Makes room for n more, twice as much as there was at least. */
static bool make_room(own *o, uint64_t n) {
    if (o->n_room - o->n >= n) {
        return true;
    }
    const uint64_t wanted = sonde__add(sonde__multiply(o->n_room, 2), n);
    const uint64_t bytes = sonde__multiply(wanted, sizeof *o->list);
    scored *list = bytes <= SIZE_MAX / 2 ? sonde__resize(o->list, (size_t)bytes) : NULL;
    if (list == NULL) {
        return false;
    }
    o->list = list;
    o->n_room = wanted;
    return true;
}

static sonde_status check_numbers(const sonde__search *search, const sonde__picked *picked,
                                  sonde_error *error) {
    const uint64_t size = sonde_policies_size(search->policies, picked->origin);
    for (int32_t i = 0; i < picked->n; i++) {
        if (picked->policy[i] >= size) {
            return sonde__fail(error, SONDE_BAD_ARGUMENT,
                               "policy: expected a number below %.17g, found %.17g", (double)size,
                               (double)picked->policy[i]);
        }
    }
    return size > 0
               ? SONDE_OK
               : sonde__fail(error, SONDE_NO_POLICY, "%s", sonde_status_sentence(SONDE_NO_POLICY));
}

/* G of the policies, and the list goes on with them. */
static sonde_status score(sonde__search *search, const sonde__picked *picked, double *efe) {
    own *o = search->state;
    int32_t action[N_AT_ONCE];
    for (int32_t i = 0; i < picked->n; i += N_AT_ONCE) {
        const int32_t n = picked->n - i < N_AT_ONCE ? picked->n - i : N_AT_ONCE;
        if (sonde__stopped(&search->run)) {
            return SONDE_STOPPED;
        }
        sonde__track_pick(search->track, n, picked->policy + i, efe + i, action);
        for (int32_t j = 0; j < n; j++) {
            o->list[o->n++] =
                (scored){.policy = picked->policy[i + j], .efe = efe[i + j], .action = action[j]};
        }
        sonde__progress(&search->run, "scoring", (uint64_t)i + (uint64_t)n, (uint64_t)picked->n);
    }
    return SONDE_OK;
}

sonde_status sonde__search_score(sonde__search *search, sonde_present now,
                                 const sonde__picked *picked, double *efe, sonde_error *error) {
    own *o = search->state;
    sonde__picked here = *picked;
    here.origin = sonde__search_is_local(search) ? picked->origin : SONDE_EVERYWHERE;
    if (search->method != &sonde__own_search) {
        return sonde__fail(error, SONDE_BAD_ARGUMENT,
                           "search: expected one of your own, found %s, which chooses itself what "
                           "it scores",
                           sonde_search_name((int32_t)search->settings.search));
    }
    sonde__search_refresh(search);
    if (picked->n == 0 || o->decided || !is_from(search, now)) {
        begin_list(search, now);
    }
    const sonde_status fits = check_numbers(search, &here, error);
    if (fits != SONDE_OK) {
        return fits;
    }
    if (!make_room(o, (uint64_t)here.n)) {
        return sonde__fail_memory(error, "scores", (uint64_t)here.n * sizeof *o->list);
    }
    search->track->n_step = 0;
    sonde__score_start(&search->score, here.origin, now);
    sonde__track_begin(search->track, 0, 0);
    const uint64_t n_before = o->n;
    const sonde_status status = score(search, &here, efe);
    o->n_step += search->track->n_step;
    o->n = status == SONDE_OK ? o->n : n_before;
    return status == SONDE_OK
               ? SONDE_OK
               : sonde__fail(error, status, "scores: %s", sonde_status_sentence(status));
}

/* ---------------------------------------------------------------------------------- deciding -- */

static int compare(const void *a, const void *b) {
    const uint64_t i = ((const scored *)a)->policy;
    const uint64_t j = ((const scored *)b)->policy;
    return (i > j) - (i < j);
}

/* In policy order, each once. */
static void sort(own *o) {
    uint64_t n = 0;
    qsort(o->list, (size_t)o->n, sizeof *o->list, compare);
    for (uint64_t i = 0; i < o->n; i++) {
        if (n == 0 || o->list[n - 1].policy != o->list[i].policy) {
            o->list[n++] = o->list[i];
        }
    }
    o->n = n;
}

/* Whether nothing is left out. */
static bool is_all(const sonde__search *search) {
    const own *o = search->state;
    return o->n == sonde_policies_size(search->policies, search->decision.origin);
}

static sonde_status visit(sonde__search *search, sonde__visitor visitor, void *context) {
    const own *o = search->state;
    const double *E = search->policies->model->E;
    if (is_all(search)) {
        return sonde__full.visit(search, visitor, context);
    }
    for (uint64_t i = 0; i < o->n; i++) {
        const scored *one = &o->list[i];
        const sonde__block block = {.action = one->action,
                                    .n = 1,
                                    .first = one->policy,
                                    .efe = &one->efe,
                                    .prior = E != NULL ? &E[one->policy] : NULL};
        visitor(context, &block);
    }
    return SONDE_OK;
}

static sonde_status decide(sonde__search *search) {
    own *o = search->state;
    if (o->n == 0 || !is_from(search, sonde__search_now(search))) {
        search->complaint = "search: no policy has been scored from what is believed now";
        return SONDE_BAD_ARGUMENT;
    }
    sort(o);
    o->decided = true;
    const bool all = is_all(search);
    const sonde_status status = all ? sonde__full.decide(search) : sonde__search_add(search);
    /* what was asked for counts, and not how it was added up */
    for (int32_t i = 0; i < search->n_track; i++) {
        search->track[i].n_step = 0;
    }
    search->decision.evaluations.n_step += o->n_step;
    sonde__evidence_all(search, all);
    return status;
}

static void close_own(sonde__search *search) {
    const own *o = search->state;
    sonde__free(o->list);
}

const sonde__method sonde__own_search = {.size = sizeof(own),
                                         .uses = SONDE__SCORE_ORDER,
                                         .grounds = SONDE__GROUNDS_PART,
                                         .open = check,
                                         .carve = carve,
                                         .decide = decide,
                                         .visit = visit,
                                         .close = close_own};

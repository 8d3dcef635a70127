/* search_prefix.c: what is known of all policies that begin alike.
 *
 * A bounded search decides from where the agent is, which gives the mass of all policies, or bounds
 * of it; then it looks at the ways on from the prefix. Where futures can be counted that is exact;
 * listed policies are looked at one by one; elsewhere the search goes on below the prefix until its
 * mass is known as closely as epsilon asks, or the budget or the deadline end it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/numbers.h"
#include "base/settings.h"
#include "base/status.h"
#include "search/search_internal.h"

/* a prefix in the making */
typedef struct {
    sonde_prefix prefix; /* first: a pointer to it is a pointer to the block */
    int32_t *walk;       /* (n_step + 2) the prefix, and one way on */
    sonde_beginning *next;
} build;

static build *carve(sonde__arena *arena, int32_t n_step, int32_t n_way) {
    build *b = SONDE__TAKE(arena, build, 1);
    build none;
    build *to = b != NULL ? b : &none;
    to->walk = SONDE__TAKE(arena, int32_t, n_step + 2);
    to->next = SONDE__TAKE(arena, sonde_beginning, n_way);
    return b;
}

/* ln of the mass of all policies: at least, and at most. */
typedef struct {
    double found;
    double most;
} whole;

static whole weigh_all(const sonde__search *search) {
    const double found = search->decision.log_evidence;
    return (whole){found, sonde__log_add(found, search->evidence.log_rest)};
}

/* e^x, and no more than 1. */
static double share(double x) {
    return x < 0.0 ? sonde__exp(x) : 1.0;
}

/* ln of what habits weigh the first action of a prefix with, where masses are without that. */
static double habit_of(const sonde__search *search, const sonde__ways_on *on) {
    const double *habit = search->policies->model->habit;
    return habit != NULL && on->n_step > 0
               ? sonde__log(habit[sonde__policies_action(search->policies, on->walk, 1)])
               : 0.0;
}

/* Policies that take one way, of all there are. */
static sonde_beginning beginning_of(const sonde__onward *way, double habit, whole all) {
    const double most = sonde__log_add(way->log_mass, way->log_rest);
    return (sonde_beginning){
        .number = way->number,
        .n_policy = way->n_policy,
        .size = way->size,
        .least = way->least,
        .best = way->best,
        .mass = {way->log_mass > -INFINITY ? share(way->log_mass + habit - all.most) : 0.0,
                 most > -INFINITY ? share(most + habit - all.found) : 0.0}};
}

/* Adds policies to others. */
static void add(sonde_beginning *to, const sonde_beginning *way) {
    to->n_policy = sonde__add(to->n_policy, way->n_policy);
    to->size += way->size;
    to->least = way->least < to->least ? way->least : to->least;
    to->best = way->best < to->best ? way->best : to->best;
    for (int32_t i = 0; i < 2; i++) {
        to->mass[i] = to->mass[i] + way->mass[i] < 1.0 ? to->mass[i] + way->mass[i] : 1.0;
    }
}

/* The most probable first, then the smallest G, then the lowest number. */
static int compare(const void *a, const void *b) {
    const sonde_beginning *x = a;
    const sonde_beginning *y = b;
    if (x->mass[1] != y->mass[1]) {
        return x->mass[1] > y->mass[1] ? -1 : 1;
    }
    if (x->least != y->least) {
        return x->least < y->least ? -1 : 1;
    }
    return x->number < y->number ? -1 : 1;
}

static void fill(sonde__search *search, const sonde__ways_on *on, build *b) {
    const whole all = weigh_all(search);
    const double habit = habit_of(search, on);
    const bool ends = on->way[0].number < 0;
    sonde_prefix *prefix = &b->prefix;
    memcpy(b->walk, on->walk, ((size_t)on->n_step + 1) * sizeof *b->walk);
    *prefix = (sonde_prefix){.n_step = on->n_step,
                             .walk = b->walk,
                             .whole = {.least = INFINITY, .best = INFINITY},
                             .n_next = ends ? 0 : on->n_way,
                             .next = b->next};
    for (int32_t i = 0; i < on->n_way; i++) {
        b->next[i] = beginning_of(&on->way[i], habit, all);
        add(&prefix->whole, &b->next[i]);
    }
    prefix->whole.number = on->walk[on->n_step];
    sonde__track_terms(search->track, b->walk, on->n_step, NULL, NULL, &prefix->whole.so_far);
    for (int32_t i = 0; i < prefix->n_next; i++) {
        b->walk[on->n_step + 1] = b->next[i].number;
        sonde__track_terms(search->track, b->walk, on->n_step + 1, NULL, NULL, &b->next[i].so_far);
    }
    qsort(b->next, (size_t)prefix->n_next, sizeof *b->next, compare);
}

/* A whole policy that is none of a list: one of the ways on from all but its last step. */
static sonde_status look_at_one(sonde__search *search, sonde__ways_on *on) {
    const int32_t last = on->walk[on->n_step];
    on->n_step--;
    const sonde_status status = search->method->below(search, on);
    const int32_t n = on->n_way;
    on->n_step++;
    on->n_way = 0;
    for (int32_t i = 0; i < n && status == SONDE_OK; i++) {
        if (on->way[i].number == last) {
            sonde_efe total;
            sonde__track_terms(search->track, on->walk, on->n_step, NULL, NULL, &total);
            on->way[0] = (sonde__onward){.number = -1,
                                         .n_policy = 1,
                                         .size = 1.0,
                                         .log_mass = -search->settings.gamma * total.efe,
                                         .log_rest = -INFINITY,
                                         .least = total.efe,
                                         .best = total.efe};
            on->n_way = 1;
            break;
        }
    }
    return status;
}

static sonde_status look(sonde__search *search, sonde__ways_on *on) {
    const bool listed = sonde__space_of(search->policies)->listed;
    return on->n_step == search->policies->horizon && !listed ? look_at_one(search, on)
                                                              : search->method->below(search, on);
}

/* ------------------------------------------------------------------------------------ search -- */

/* What bounded search needs to know of the settings of another. */
static sonde_search_settings settings_of(const sonde_search_settings *settings, double gamma) {
    sonde_search_settings made = sonde_search_defaults();
    made.search = sonde__search_with(SONDE__CERTIFIES);
    made.gamma = gamma;
    made.epsilon = settings->epsilon;
    made.budget = settings->budget;
    made.deadline = settings->deadline;
    made.weights = settings->weights;
    made.seed = settings->seed;
    return made;
}

/* What a search and the ways on are cut from; a block of ways goes to `on`. */
static sonde_status reserve(sonde__search *search, sonde__arena *arena, sonde__ways_on *on,
                            sonde_error *error) {
    for (int pass = 0; pass < 2; pass++) {
        sonde__search_carve(search, arena);
        on->way = SONDE__TAKE(arena, sonde__onward, search->score.n_child + 1);
        if (pass == 1) {
            break;
        }
        const sonde_status status =
            sonde__check_memory(&search->run, sonde__add(arena->used, sonde__search_bytes(search)),
                                "prefix", "choose a shorter horizon, or allow more", error);
        if (status != SONDE_OK) {
            return status;
        }
        if (!sonde__arena_reserve(arena)) {
            return sonde__fail_memory(error, "prefix", arena->used);
        }
    }
    return SONDE_OK;
}

static sonde_status complain(const sonde__search *search, sonde_status status, sonde_error *error) {
    return sonde__fail(error, status, "%s", sonde__search_complaint(search, status));
}

/* Decides, and looks at the ways on. */
static sonde_status explore(sonde__search *search, const sonde_decision *decision,
                            sonde__ways_on *on, sonde_error *error) {
    const sonde_present now = {.state = decision->state, .belief = decision->belief};
    const int32_t origin = on->walk[0];
    sonde_status status = sonde__search_decide(search, now, origin, 0);
    const sonde_decision made = search->decision;
    const sonde__evidence evidence = search->evidence;
    status = status == SONDE_OK ? look(search, on) : status;
    search->decision = made;
    search->evidence = evidence;
    if (status != SONDE_OK) {
        return complain(search, status, error);
    }
    return on->n_way > 0 ? SONDE_OK
                         : sonde__fail(error, SONDE_BAD_ARGUMENT, "prefix: no policy begins so");
}

sonde_status sonde__search_prefix(const sonde__asked *asked, const sonde_run *run,
                                  sonde_prefix **prefix, sonde_error *error) {
    const sonde_search_settings settings = settings_of(asked->settings, asked->decision->gamma);
    sonde__ways_on on = {.n_step = asked->n_step, .walk = asked->walk};
    const size_t size = sonde__search_size(asked->policies, (int32_t)settings.search);
    sonde__search *search = sonde__alloc(size);
    sonde__arena arena = {0};
    sonde__arena block = {0};
    if (search == NULL) {
        return sonde__fail_memory(error, "prefix", size);
    }
    sonde_status status = sonde__search_open(search, asked->policies, &settings, run, error);
    status = status == SONDE_OK ? reserve(search, &arena, &on, error) : status;
    status = status == SONDE_OK ? explore(search, asked->decision, &on, error) : status;
    if (status == SONDE_OK) {
        (void)carve(&block, on.n_step, on.n_way);
        if (sonde__arena_reserve(&block)) {
            build *b = carve(&block, on.n_step, on.n_way);
            fill(search, &on, b);
            *prefix = &b->prefix;
        } else {
            status = sonde__fail_memory(error, "prefix", block.used);
        }
    }
    sonde__search_close(search);
    sonde__arena_free(&arena);
    sonde__free(search);
    return status;
}

void sonde_prefix_free(sonde_prefix *prefix) {
    sonde__free(prefix);
}

/* learn_pack.c: what a learner carries from step to step as one list of numbers, so that another
 * can go on in its place. */
#include <math.h>
#include <string.h>

#include "base/status.h"
#include "learn/learn.h"

/* steps of an episode, and episodes, that are believed: they are counted on from there */
#define N_MOST 1000000000

/* a list that is written, or looked at, or read */
typedef struct {
    double *to;
    const double *from;
    int64_t at;
    bool reads; /* what is in it counts from now on */
    bool wrong; /* some number in it is none of this learner's */
} list;

/* Counts, probabilities and the like; or, with other bounds, what they say. */
static void pass_within(list *l, int64_t n, double *value, double least, double most) {
    for (int64_t i = 0; i < n; i++, l->at++) {
        if (l->to != NULL) {
            l->to[l->at] = value[i];
        } else if (l->reads) {
            value[i] = l->from[l->at];
        } else {
            l->wrong = l->wrong || !(l->from[l->at] >= least && l->from[l->at] <= most);
        }
    }
}

static void pass(list *l, int64_t n, double *value) {
    pass_within(l, n, value, 0.0, 1e15);
}

/* Whole numbers that count or stand for something: no other may get in. */
static void pass_wholes(list *l, int64_t n, int32_t *value, int32_t least, int32_t most) {
    for (int64_t i = 0; i < n; i++) {
        double number = value[i];
        l->wrong = l->wrong || (l->to == NULL && floor(l->from[l->at]) != l->from[l->at]);
        pass_within(l, 1, &number, least, most);
        value[i] = (int32_t)number;
    }
}

static void pass_count(list *l, uint64_t *value) {
    double number = (double)*value;
    pass(l, 1, &number);
    *value = (uint64_t)number;
}

/* An outcome of each modality, or none, or weights of its own. */
static void pass_outcomes(list *l, const sonde_model *shape, int32_t *outcome) {
    for (int32_t m = 0; m < shape->n_modality; m++) {
        pass_wholes(l, 1, outcome + m, SONDE_SOFT, shape->modality[m].n_outcome - 1);
    }
}

static void pass_arrays(list *l, int32_t n, sonde__counted *array) {
    for (int32_t i = 0; array != NULL && i < n; i++) {
        if (array[i].counts != NULL) {
            pass(l, array[i].n, array[i].counts);
            if (array[i].gain != NULL) {
                pass(l, array[i].n, array[i].gain);
            }
            pass_count(l, &array[i].n_gain);
            pass_count(l, &array[i].n_event);
            pass(l, 1, &array[i].masked);
        }
    }
}

/* Everything in turn. */
static void pass_all(list *l, sonde__learner *learner) {
    const sonde_model *shape = learner->shape;
    const int64_t n_step =
        learner->settings.beliefs == SONDE_BELIEFS_SMOOTHED ? learner->settings.steps : 0;
    int32_t due[] = {learner->due, learner->decided};
    pass_wholes(l, 1, &learner->n_step, 0, n_step > 0 ? (int32_t)n_step : N_MOST);
    pass_wholes(l, 1, &learner->action, -1, shape->n_action - 1);
    pass_wholes(l, 1, &learner->episode, 0, N_MOST);
    pass_wholes(l, 2, due, 0, 1);
    learner->due = due[0] != 0;
    learner->decided = due[1] != 0;
    pass_arrays(l, shape->n_modality, learner->A);
    pass_arrays(l, shape->n_factor, learner->B);
    pass_arrays(l, shape->n_modality, learner->C);
    pass_arrays(l, shape->n_factor, learner->D);
    pass_arrays(l, 1, &learner->E);
    if (sonde__learner_weighs(shape, &learner->settings)) {
        pass(l, shape->n_policy, learner->chosen);
    }
    pass(l, 1, &learner->gamma);
    pass(l, shape->n_belief, learner->before);
    pass(l, shape->n_belief, learner->first);
    pass_outcomes(l, shape, learner->outcome);
    for (int32_t f = 0; f < shape->n_factor; f++) {
        const int64_t n = shape->factor[f].n_state;
        if (sonde__learner_turns(learner, f)) {
            pass(l, n * n, learner->back[f]);
        }
    }
    pass(l, n_step * shape->n_belief, learner->history);
    for (int64_t t = 0; t < n_step; t++) {
        pass_outcomes(l, shape, learner->seen + t * shape->n_modality);
    }
    pass_wholes(l, n_step, learner->done, -1, shape->n_action - 1);
}

const double *sonde__learner_pack(sonde__learner *learner) {
    list l = {.to = learner->packed};
    pass_all(&l, learner);
    return learner->packed;
}

sonde_status sonde__learner_check_packed(sonde__learner *learner, int64_t n, const double *packed,
                                         sonde_error *error) {
    list l = {.from = packed};
    if (n == learner->n_packed) {
        pass_all(&l, learner);
    }
    if (n == learner->n_packed && !l.wrong) {
        return SONDE_OK;
    }
    return sonde__fail(error, SONDE_BAD_ARGUMENT,
                       "memory: expected %lld numbers that an agent has learned with the same "
                       "settings, found %s%lld",
                       (long long)learner->n_packed, n == learner->n_packed ? "others, " : "",
                       (long long)n);
}

void sonde__learner_unpack(sonde__learner *learner, const double *packed) {
    list l = {.from = packed, .reads = true};
    pass_all(&l, learner);
    sonde__learn_settle(learner);
}

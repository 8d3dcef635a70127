/* learn_pack.c: what a learner carries from step to step as one list of numbers, so that another
 * can go on in its place. */
#include <math.h>
#include <string.h>

#include "base/status.h"
#include "learn/learn.h"

/* a list that is written, read, or only measured */
typedef struct {
    double *to;
    const double *from;
    int64_t at;
} list;

static void pass(list *l, int64_t n, double *value) {
    if (n == 0) {
        return;
    }
    if (l->to != NULL) {
        memcpy(l->to + l->at, value, (size_t)n * sizeof *value);
    } else if (l->from != NULL) {
        memcpy(value, l->from + l->at, (size_t)n * sizeof *value);
    }
    l->at += n;
}

static void pass_wholes(list *l, int64_t n, int32_t *value) {
    for (int64_t i = 0; i < n; i++) {
        double number = value != NULL ? value[i] : 0.0;
        pass(l, 1, &number);
        if (l->from != NULL) {
            value[i] = (int32_t)number;
        }
    }
}

static void pass_count(list *l, uint64_t *value) {
    double number = (double)*value;
    pass(l, 1, &number);
    *value = (uint64_t)number;
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
    int32_t whole[] = {learner->n_step, learner->action, learner->episode, learner->due,
                       learner->decided};
    pass_wholes(l, 5, whole);
    learner->n_step = whole[0];
    learner->action = whole[1];
    learner->episode = whole[2];
    learner->due = whole[3] != 0;
    learner->decided = whole[4] != 0;
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
    pass_wholes(l, shape->n_modality, learner->outcome);
    for (int32_t f = 0; f < shape->n_factor; f++) {
        const int64_t n = shape->factor[f].n_state;
        if (sonde__learner_turns(learner, f)) {
            pass(l, n * n, learner->back[f]);
        }
    }
    pass(l, n_step * shape->n_belief, learner->history);
    pass_wholes(l, n_step * shape->n_modality, learner->seen);
    pass_wholes(l, n_step, learner->done);
}

const double *sonde__learner_pack(sonde__learner *learner) {
    list l = {.to = learner->packed};
    pass_all(&l, learner);
    return learner->packed;
}

sonde_status sonde__learner_unpack(sonde__learner *learner, int64_t n, const double *packed,
                                   sonde_error *error) {
    bool right = n == learner->n_packed;
    for (int64_t i = 0; right && i < n; i++) {
        right = packed[i] >= -1.0 && packed[i] <= 1e15;
    }
    if (!right) {
        return sonde__fail(error, SONDE_BAD_ARGUMENT,
                           "memory: expected %lld numbers that an agent has learned with the same "
                           "settings, found %s%lld",
                           (long long)learner->n_packed, n == learner->n_packed ? "others, " : "",
                           (long long)n);
    }
    list l = {.from = packed};
    pass_all(&l, learner);
    sonde__learn_settle(learner);
    return SONDE_OK;
}

/* spm.c: a trial of SPM's scheme from its first outcome to what is learned from it. */
#include "spm/spm.h"

#include <string.h>

/* ----------------------------------------------------------------------------------- memory -- */

static void carve_array(sonde__arena *arena, sonde__spm_array *array, int32_t n, int64_t n_column,
                        bool counted) {
    array->n = n;
    array->n_column = n_column;
    array->counted = counted;
    const uint64_t size = sonde__multiply((uint64_t)n_column, (uint64_t)n);
    array->value = SONDE__TAKE(arena, double, size);
    array->mean = SONDE__TAKE(arena, double, size);
    array->init = counted ? SONDE__TAKE(arena, double, size) : NULL;
    array->novelty = counted ? SONDE__TAKE(arena, double, size) : NULL;
}

static int32_t *carve_sizes(sonde__arena *arena, const int32_t *from, int32_t n) {
    int32_t *to = SONDE__TAKE(arena, int32_t, n);
    if (to != NULL) {
        memcpy(to, from, (size_t)n * sizeof *to);
    }
    return to;
}

/* Arrays of the model. While it is measured `spm` is a model on the stack whose lists are too. */
static void carve_arrays(sonde__arena *arena, const sonde__spm_plan *plan, sonde_spm *spm) {
    const sonde_spm_shape *shape = &plan->shape;
    for (int32_t g = 0; g < shape->n_modality; g++) {
        carve_array(arena, &spm->A[g], shape->n_outcome[g], spm->n_joint, plan->counted[0][g]);
        carve_array(arena, &spm->C[g], shape->n_outcome[g], shape->n_time, plan->counted[2][g]);
    }
    for (int32_t f = 0; f < shape->n_factor; f++) {
        const int32_t n = shape->n_state[f];
        const int64_t n_column = (int64_t)n * shape->n_action[f];
        carve_array(arena, &spm->B[f], n, n_column, plan->counted[1][f]);
        carve_array(arena, &spm->D[f], n, 1, plan->counted[3][f]);
        spm->back[f] = SONDE__TAKE(arena, double, sonde__multiply((uint64_t)n_column, (uint64_t)n));
    }
    carve_array(arena, &spm->E, shape->n_policy, 1, plan->counted[4][0]);
}

/* What a trial changes, and what it reports. */
static void carve_trial(sonde__arena *arena, const sonde_spm_shape *shape, sonde_spm *spm) {
    const uint64_t n_policy = (uint64_t)shape->n_policy;
    const uint64_t n_time = (uint64_t)shape->n_time;
    const uint64_t n_belief = (uint64_t)shape->n_belief;
    const uint64_t n_joint = (uint64_t)spm->n_joint;
    spm->log_D = SONDE__TAKE(arena, double, n_belief);
    spm->root_D = SONDE__TAKE(arena, double, n_belief);
    spm->log_E = SONDE__TAKE(arena, double, n_policy);
    spm->joint = SONDE__TAKE(arena, double, sonde__multiply(n_joint, (uint64_t)spm->n_tuple));
    spm->information = SONDE__TAKE(arena, double, n_joint);
    spm->likelihood = SONDE__TAKE(arena, double, sonde__multiply(n_time, n_joint));
    spm->x =
        SONDE__TAKE(arena, double, sonde__multiply(sonde__multiply(n_policy, n_time), n_belief));
    spm->u = SONDE__TAKE(arena, double, n_policy);
    spm->p = SONDE__TAKE(arena, double, n_policy);
    spm->F = SONDE__TAKE(arena, double, n_policy);
    spm->Q = SONDE__TAKE(arena, double, n_policy);
    spm->kept = SONDE__TAKE(arena, bool, n_policy);
    spm->state = SONDE__TAKE(arena, double, n_joint);
    spm->outcome = SONDE__TAKE(arena, double, spm->n_tuple);
    int32_t most = 1;
    for (int32_t f = 0; f < shape->n_factor; f++) {
        most = shape->n_state[f] > most ? shape->n_state[f] : most;
    }
    for (int32_t g = 0; g < shape->n_modality; g++) {
        most = shape->n_outcome[g] > most ? shape->n_outcome[g] : most;
    }
    spm->part = SONDE__TAKE(arena, double, 4 * (uint64_t)most);
    spm->X = SONDE__TAKE(arena, double, sonde__multiply(n_time, n_belief));
    spm->F_at = SONDE__TAKE(arena, double, sonde__multiply(n_policy, n_time));
    spm->G_at = SONDE__TAKE(arena, double, sonde__multiply(n_policy, n_time));
    spm->R_at = SONDE__TAKE(arena, double, sonde__multiply(n_policy, n_time));
    spm->w_at = SONDE__TAKE(arena, double, n_time);
    spm->H_at = SONDE__TAKE(arena, double, n_time);
    spm->P_at = SONDE__TAKE(arena, double, sonde__multiply(n_time, (uint64_t)shape->n_move));
}

/* The lists that everything else hangs from. */
static void carve_lists(sonde__arena *arena, const sonde_spm_shape *shape, sonde_spm *spm) {
    const uint64_t n_move = sonde__multiply((uint64_t)shape->n_policy, (uint64_t)shape->n_time - 1);
    spm->shape.n_state = carve_sizes(arena, shape->n_state, shape->n_factor);
    spm->shape.n_action = carve_sizes(arena, shape->n_action, shape->n_factor);
    spm->shape.n_outcome = carve_sizes(arena, shape->n_outcome, shape->n_modality);
    spm->first = SONDE__TAKE(arena, int32_t, shape->n_factor);
    spm->A = SONDE__TAKE(arena, sonde__spm_array, shape->n_modality);
    spm->C = SONDE__TAKE(arena, sonde__spm_array, shape->n_modality);
    spm->B = SONDE__TAKE(arena, sonde__spm_array, shape->n_factor);
    spm->D = SONDE__TAKE(arena, sonde__spm_array, shape->n_factor);
    spm->back = SONDE__TAKE(arena, double *, shape->n_factor);
    spm->move = SONDE__TAKE(arena, int32_t, n_move);
    spm->policy = SONDE__TAKE(arena, int32_t, sonde__multiply(n_move, (uint64_t)shape->n_factor));
    const uint64_t n_time = sonde__multiply((uint64_t)shape->n_trial, (uint64_t)shape->n_time);
    spm->seen = SONDE__TAKE(arena, int32_t, sonde__multiply(n_time, (uint64_t)shape->n_modality));
    spm->done = SONDE__TAKE(arena, int32_t, sonde__multiply(n_time, (uint64_t)shape->n_factor));
}

/* The states, actions and outcomes of all, multiplied; false where that is beyond counting. */
static bool multiply_sizes(sonde_spm *spm) {
    sonde_spm_shape *shape = &spm->shape;
    uint64_t n_joint = 1, n_move = 1, n_tuple = 1;
    for (int32_t f = 0; f < shape->n_factor; f++) {
        n_joint = sonde__multiply(n_joint, (uint64_t)shape->n_state[f]);
        n_move = sonde__multiply(n_move, (uint64_t)shape->n_action[f]);
    }
    for (int32_t g = 0; g < shape->n_modality; g++) {
        n_tuple = sonde__multiply(n_tuple, (uint64_t)shape->n_outcome[g]);
    }
    spm->n_joint = (int64_t)(n_joint & INT64_MAX);
    spm->n_tuple = (int64_t)(n_tuple & INT64_MAX);
    shape->n_move = (int32_t)(n_move & INT32_MAX);
    return n_joint <= INT32_MAX && n_move <= INT32_MAX && n_tuple <= INT32_MAX;
}

static void find_places(sonde_spm *spm) {
    for (int32_t f = 1; f < spm->shape.n_factor; f++) {
        spm->first[f] = spm->first[f - 1] + spm->shape.n_state[f - 1];
    }
    spm->shape.outcome = spm->seen;
    spm->shape.action = spm->done;
    spm->result.X = spm->X;
    spm->result.F = spm->F_at;
    spm->result.G = spm->G_at;
    spm->result.R = spm->R_at;
    spm->result.w = spm->w_at;
    spm->result.H = spm->H_at;
    spm->result.P = spm->P_at;
}

static void carve(sonde__arena *arena, const sonde__spm_plan *plan, sonde_spm *spm) {
    carve_lists(arena, &plan->shape, spm);
    if (arena->base == NULL) {
        /* lists to measure with */
        sonde__spm_array A[SONDE_FACTORS_MAX], B[SONDE_FACTORS_MAX];
        double *back[SONDE_FACTORS_MAX];
        sonde_spm measured = {.A = A, .B = B, .C = A, .D = B, .back = back};
        measured.n_joint = spm->n_joint;
        measured.n_tuple = spm->n_tuple;
        carve_arrays(arena, plan, &measured);
    } else {
        carve_arrays(arena, plan, spm);
    }
    carve_trial(arena, &plan->shape, spm);
}

sonde_status sonde__spm_new(const sonde__spm_plan *plan, const sonde_run *run, sonde_spm **spm,
                            sonde_error *error) {
    sonde_spm measured = {.shape = plan->shape};
    if (!multiply_sizes(&measured)) {
        return sonde__fail(error, SONDE_TOO_LARGE,
                           "the states, actions or outcomes of all together are 2^31 or more; "
                           "SPM's scheme needs every combination of them");
    }
    sonde__spm_plan whole = *plan;
    whole.shape = measured.shape;
    sonde__arena arena = {0};
    (void)SONDE__TAKE(&arena, sonde_spm, 1);
    sonde_spm scratch = measured;
    carve(&arena, &whole, &scratch);
    const sonde_run settled = sonde__run_settle(run);
    sonde_status status =
        sonde__arena_claim(&arena, &settled, "SPM's scheme",
                           "it needs the probability of every combination of outcomes in every "
                           "combination of states; take fewer modalities or states",
                           error);
    if (status != SONDE_OK) {
        return status;
    }
    sonde_spm *made = SONDE__TAKE(&arena, sonde_spm, 1);
    *made = measured;
    carve(&arena, &whole, made);
    find_places(made);
    *spm = made;
    return SONDE_OK;
}

void sonde_spm_free(sonde_spm *spm) {
    sonde__free(spm);
}

/* ----------------------------------------------------------------------------------- counts -- */

/* One of the arrays, or NULL. */
static sonde__spm_array *array_of(const sonde_spm *spm, char letter, int32_t i) {
    const bool modality = letter == 'a' || letter == 'c';
    const int32_t n = letter == 'e' ? 1 : modality ? spm->shape.n_modality : spm->shape.n_factor;
    if (letter < 'a' || letter > 'e' || i < 0 || i >= n) {
        return NULL;
    }
    sonde__spm_array *const list[] = {spm->A, spm->B, spm->C, spm->D, (sonde__spm_array *)&spm->E};
    sonde__spm_array *array = &list[letter - 'a'][i];
    return array->counted ? array : NULL;
}

/* Every array that is learned, one after the other; NULL after the last. */
static sonde__spm_array *next_array(const sonde_spm *spm, int32_t *at) {
    const int32_t most = SONDE_FACTORS_MAX;
    for (; *at < 5 * most; (*at)++) {
        sonde__spm_array *array = array_of(spm, (char)('a' + *at / most), *at % most);
        if (array != NULL) {
            (*at)++;
            return array;
        }
    }
    return NULL;
}

void sonde__spm_open(sonde_spm *spm) {
    int32_t at = 0;
    for (sonde__spm_array *array; (array = next_array(spm, &at)) != NULL;) {
        memcpy(array->init, array->value, (size_t)(array->n_column * array->n) * sizeof(double));
    }
}

void sonde_spm_forget(sonde_spm *spm) {
    int32_t at = 0;
    for (sonde__spm_array *array; (array = next_array(spm, &at)) != NULL;) {
        memcpy(array->value, array->init, (size_t)(array->n_column * array->n) * sizeof(double));
    }
}

const double *sonde_spm_counts(const sonde_spm *spm, char letter, int32_t i, int64_t *n) {
    const sonde__spm_array *array = array_of(spm, letter, i);
    if (n != NULL) {
        *n = array != NULL ? array->n_column * array->n : 0;
    }
    return array != NULL ? array->value : NULL;
}

const sonde_spm_shape *sonde_spm_shape_of(const sonde_spm *spm) {
    return &spm->shape;
}

/* ------------------------------------------------------------------------------------ trial -- */

static sonde_status check_trial(const sonde_spm *spm, const int32_t *outcome, const int32_t *action,
                                sonde_error *error) {
    const sonde_spm_shape *shape = &spm->shape;
    for (int32_t t = 0; t < shape->n_time; t++) {
        for (int32_t g = 0; g < shape->n_modality; g++) {
            const int32_t o = outcome[t * shape->n_modality + g];
            if (o < 0 || o >= shape->n_outcome[g]) {
                return sonde__fail(error, SONDE_BAD_ARGUMENT,
                                   "modality %d at time %d: expected one of its %d outcomes, "
                                   "counted from 0, found %d",
                                   (int)g, (int)t, (int)shape->n_outcome[g], (int)o);
            }
        }
        for (int32_t f = 0; action != NULL && t + 1 < shape->n_time && f < shape->n_factor; f++) {
            const int32_t u = action[t * shape->n_factor + f];
            if (u != SONDE_MISSING && (u < 0 || u >= shape->n_action[f])) {
                return sonde__fail(error, SONDE_BAD_ARGUMENT,
                                   "factor %d at time %d: expected one of its %d actions, counted "
                                   "from 0, found %d",
                                   (int)f, (int)t, (int)shape->n_action[f], (int)u);
            }
        }
    }
    return SONDE_OK;
}

/* D at the first time, and anything at those after it. */
static void begin(sonde_spm *spm) {
    const sonde_spm_shape *shape = &spm->shape;
    sonde__spm_settle(spm);
    for (int32_t k = 0; k < shape->n_policy; k++) {
        spm->kept[k] = true;
        spm->Q[k] = 0.0;
        for (int32_t j = 0; j < shape->n_time; j++) {
            double *x = sonde__spm_x(spm, k, j);
            for (int32_t f = 0; f < shape->n_factor; f++) {
                for (int32_t s = 0; s < shape->n_state[f]; s++) {
                    x[spm->first[f] + s] = j == 0 ? spm->D[f].mean[s] : 1.0 / shape->n_state[f];
                }
            }
        }
    }
    spm->b = spm->settings.beta;
    spm->w = 1.0 / spm->b;
}

/* Drops policies that are far less probable than the best. */
static void prune(sonde_spm *spm) {
    double most = 0.0;
    for (int32_t k = 0; k < spm->shape.n_policy; k++) {
        most = spm->u[k] > most ? spm->u[k] : most;
    }
    const double best = sonde__spm_plain_log(most);
    for (int32_t k = 0; k < spm->shape.n_policy; k++) {
        spm->kept[k] = spm->kept[k] && sonde__spm_plain_log(spm->u[k]) - best > -spm->settings.zeta;
    }
}

/* How probable what was seen is in every combination of states. */
static void see(sonde_spm *spm, int32_t t, const int32_t *outcome) {
    double *seen = spm->likelihood + t * spm->n_joint;
    for (int64_t s = 0; s < spm->n_joint; s++) {
        seen[s] = 1.0;
        for (int32_t g = 0; g < spm->shape.n_modality; g++) {
            seen[s] *= spm->A[g].mean[s * spm->A[g].n + outcome[g]];
        }
    }
}

/* ln P of an action that was taken; 0 of one that nobody knows. */
static double log_probability(const sonde_spm *spm, int32_t t, const int32_t *action) {
    const sonde_spm_shape *shape = &spm->shape;
    int64_t move = 0;
    for (int32_t f = 0; f < shape->n_factor; f++) {
        if (action[f] == SONDE_MISSING) {
            return 0.0;
        }
        move = move * shape->n_action[f] + action[f];
    }
    return sonde__spm_plain_log(spm->P_at[(int64_t)t * shape->n_move + move]);
}

sonde_status sonde_spm_run(sonde_spm *spm, const int32_t *outcome, const int32_t *action,
                           const sonde_spm_trial **trial, sonde_error *error) {
    const sonde_spm_shape *shape = &spm->shape;
    const sonde_status status = check_trial(spm, outcome, action, error);
    if (status) {
        return status;
    }
    spm->result.log_likelihood = 0.0;
    begin(spm);
    for (int32_t t = 0; t < shape->n_time; t++) {
        if (t > 0) {
            prune(spm);
        }
        see(spm, t, outcome + (int64_t)t * shape->n_modality);
        sonde__spm_states(spm, t);
        sonde__spm_policies(spm, t);
        if (action != NULL && t + 1 < shape->n_time) {
            spm->result.log_likelihood +=
                log_probability(spm, t, action + (int64_t)t * shape->n_factor);
        }
    }
    sonde__spm_average(spm);
    sonde__spm_learn(spm, outcome);
    *trial = &spm->result;
    return SONDE_OK;
}

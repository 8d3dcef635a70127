/* belief_smooth.c: beliefs of a whole sequence, given all outcomes (docs/math.md, "Smoothing").
 *
 *     filtered   each step from what came before it
 *     smoothed   r_t(s) = sum over s' of B[s', s] q_t(s) / sum_s(.) r_{t+1}(s'),  factor by factor
 *     mmp, vmp   all steps and factors at once, sixteen rounds from uniform beliefs:
 *                ln q_t = E[ln A] + forth + back, with the expectation outside ln B (vmp), or
 *                halves of ln(B q_{t-1}) and ln(q_{t+1} B / row sums) (mmp)
 *
 * mmp and vmp are those of pymdp 1.0, whose ln is ln max(x, 2^-52). */
#include <float.h>
#include <string.h>

#include "base/memory.h"
#include "base/numbers.h"
#include "base/status.h"
#include "belief/belief.h"

enum { N_ROUND = 16 };

typedef struct {
    const sonde_model *model;
    const sonde_sequence *sequence;
    sonde_smoothing how;
    double *q;        /* (n_step, n_belief) the result */
    double *next;     /* (n_step, n_belief) what it becomes in a round */
    double *matrix;   /* (the largest square of states) a transition averaged over other factors */
    double *combined; /* (most combined states) */
    double *scratch;  /* of observing */
    double *term;     /* (most states) */
} window;

static double floored_log(double x) {
    return sonde__log(x > DBL_EPSILON ? x : DBL_EPSILON);
}

/* ------------------------------------------------------------------------------- transitions -- */

/* Probability of a transition of a factor. */
static double transition_of(const sonde_factor *factor, int64_t previous, int32_t next, int32_t u) {
    if (factor->B != NULL) {
        return factor->B[(previous * factor->n_state + next) * factor->n_lane + u];
    }
    const int64_t at = previous * factor->n_action + u;
    for (int64_t i = factor->offset[at]; i < factor->offset[at + 1]; i++) {
        if (factor->next[i] == next) {
            return factor->p[i];
        }
    }
    return 0.0;
}

/* Whether factor i depends on f, and how many combined states one state of f stands for. */
static bool depends(const sonde_model *model, int32_t i, int32_t f, int64_t *stride) {
    const sonde_factor *factor = &model->factor[i];
    *stride = 1;
    for (int32_t d = factor->n_depend - 1; d >= 0; d--) {
        if (factor->depend[d] == f) {
            return true;
        }
        *stride *= model->factor[factor->depend[d]].n_state;
    }
    return false;
}

/* The matrix (next state of i, state of f): B of factor i under an action, the other factors that
 * it depends on being as believed. False where it does not depend on f. */
static bool average(const window *w, int32_t i, int32_t f, int32_t action, const double *belief) {
    const sonde_model *model = w->model;
    const sonde_factor *factor = &model->factor[i];
    const int32_t n = model->factor[f].n_state;
    int64_t stride;
    if (!depends(model, i, f, &stride)) {
        return false;
    }
    int32_t tuple[SONDE_FACTORS_MAX];
    sonde__model_tuple(model, action, tuple);
    /* what is believed, except of f, each of whose states counts 1 */
    memcpy(w->term, belief, (size_t)model->n_belief * sizeof *w->term);
    for (int32_t s = 0; s < n; s++) {
        w->term[model->factor[f].first + s] = 1.0;
    }
    (void)sonde__belief_combine(model, factor->n_depend, factor->depend, w->term, w->combined);
    memset(w->matrix, 0, (size_t)factor->n_state * (size_t)n * sizeof *w->matrix);
    for (int64_t previous = 0; previous < factor->n_previous; previous++) {
        const int64_t s = previous / stride % n;
        for (int32_t next = 0; w->combined[previous] != 0.0 && next < factor->n_state; next++) {
            w->matrix[(int64_t)next * n + s] +=
                w->combined[previous] * transition_of(factor, previous, next, tuple[i]);
        }
    }
    return true;
}

/* Divides each row (n) by its sum; one of zeros stays, or becomes `otherwise`. */
static void divide_rows(int32_t n_row, int32_t n, double *matrix, const double *otherwise) {
    for (int32_t r = 0; r < n_row; r++) {
        double *row = matrix + (int64_t)r * n;
        double sum = 0.0;
        for (int32_t s = 0; s < n; s++) {
            sum += row[s];
        }
        for (int32_t s = 0; s < n; s++) {
            row[s] = sum > 0.0 ? row[s] / sum : otherwise != NULL ? otherwise[s] : 0.0;
        }
    }
}

/* ------------------------------------------------------------------------ filtered, smoothed -- */

static void filter(window *w) {
    const sonde_model *model = w->model;
    for (int32_t t = 0; t < w->sequence->n_step; t++) {
        double *now = w->q + (int64_t)t * model->n_belief;
        if (t == 0) {
            sonde_belief_initial(model, now);
        } else {
            sonde__belief_predict(model, w->sequence->action[t - 1], now - model->n_belief, now);
        }
        const sonde_observation seen = {.outcome =
                                            w->sequence->outcome + (int64_t)t * model->n_modality,
                                        .inference = w->sequence->inference};
        (void)sonde__belief_observe(model, &seen, now, now, w->scratch);
    }
}

/* What the later belief, smoothed, says of factor f at step t, in place. */
static void step_back(window *w, int32_t t, int32_t f) {
    const sonde_model *model = w->model;
    const sonde_factor *factor = &model->factor[f];
    const int32_t n = factor->n_state;
    /* messages are made of what was filtered, which `next` keeps */
    const double *filtered = w->next + (int64_t)t * model->n_belief;
    double *now = w->q + (int64_t)t * model->n_belief + factor->first;
    const double *later = now + model->n_belief;
    if (!average(w, f, f, w->sequence->action[t], filtered)) {
        return; /* its next state says nothing of this one */
    }
    for (int32_t i = 0; i < n * n; i++) {
        w->matrix[i] *= filtered[factor->first + i % n];
    }
    divide_rows(n, n, w->matrix, filtered + factor->first);
    for (int32_t s = 0; s < n; s++) {
        now[s] = 0.0;
        for (int32_t next = 0; next < n; next++) {
            now[s] += w->matrix[(int64_t)next * n + s] * later[next];
        }
    }
}

static void smooth(window *w) {
    const int64_t n = (int64_t)w->sequence->n_step * w->model->n_belief;
    filter(w);
    memcpy(w->next, w->q, (size_t)n * sizeof *w->next);
    for (int32_t t = w->sequence->n_step - 2; t >= 0; t--) {
        for (int32_t f = 0; f < w->model->n_factor; f++) {
            step_back(w, t, f);
        }
    }
}

/* ---------------------------------------------------------------------------------- messages -- */

static double likelihood_of(const sonde_modality *modality, int64_t j, int32_t outcome) {
    if (modality->A != NULL) {
        return modality->A[j * modality->n_outcome + outcome];
    }
    for (int64_t i = modality->offset[j]; i < modality->offset[j + 1]; i++) {
        if (modality->outcome[i] == outcome) {
            return modality->p[i];
        }
    }
    return 0.0;
}

/* Adds E[ln A] of one modality given each state of its factors, the others being as believed. */
static void add_outcome(const sonde_model *model, int32_t m, int32_t outcome, const double *q,
                        double *sum) {
    const sonde_modality *modality = &model->modality[m];
    for (int64_t j = 0; j < modality->n_state; j++) {
        const double log_A = floored_log(likelihood_of(modality, j, outcome));
        for (int32_t k = 0; k < modality->n_factor; k++) {
            double weight = 1.0;
            int64_t rest = j, own = 0;
            for (int32_t d = modality->n_factor - 1; d >= 0; d--) {
                const sonde_factor *factor = &model->factor[modality->factor[d]];
                const int64_t s = factor->first + rest % factor->n_state;
                rest /= factor->n_state;
                weight *= d == k ? 1.0 : q[s];
                own = d == k ? s : own;
            }
            sum[own] += weight * log_A;
        }
    }
}

/* vmp: E[ln B] from the step before, and to the one after. */
static void add_variational(const window *w, int32_t t, int32_t f, double *sum) {
    const sonde_model *model = w->model;
    const sonde_factor *factor = &model->factor[f];
    const double *q = w->q + (int64_t)t * model->n_belief + factor->first;
    int32_t tuple[SONDE_FACTORS_MAX];
    for (int32_t s = 0; t == 0 && s < factor->n_state; s++) {
        sum[s] += floored_log(factor->D[s]);
    }
    for (int32_t side = t > 0 ? -1 : 0; side <= 0 && t + side + 1 < w->sequence->n_step; side++) {
        const double *other = side < 0 ? q - model->n_belief : q + model->n_belief;
        sonde__model_tuple(model, w->sequence->action[t + side], tuple);
        for (int32_t s = 0; s < factor->n_state; s++) {
            for (int32_t o = 0; o < factor->n_state; o++) {
                const double p = side < 0 ? transition_of(factor, o, s, tuple[f])
                                          : transition_of(factor, s, o, tuple[f]);
                sum[s] += other[o] * floored_log(p);
            }
        }
    }
}

/* mmp: what is predicted from the step before, halved unless the window ends here. */
static void add_forward(const window *w, int32_t t, double *sum) {
    const sonde_model *model = w->model;
    const double share = t + 1 < w->sequence->n_step ? 0.5 : 1.0;
    if (t == 0) {
        sonde_belief_initial(model, w->term);
    } else {
        sonde__belief_predict(model, w->sequence->action[t - 1],
                              w->q + (int64_t)(t - 1) * model->n_belief, w->term);
    }
    for (int32_t s = 0; s < model->n_belief; s++) {
        sum[s] += share * floored_log(w->term[s]);
    }
}

/* mmp: half of what the step after says, of every factor that depends on f. */
static void add_backward(const window *w, int32_t t, int32_t f, double *sum) {
    const sonde_model *model = w->model;
    const int32_t n = model->factor[f].n_state;
    const double *now = w->q + (int64_t)t * model->n_belief;
    for (int32_t i = 0; t + 1 < w->sequence->n_step && i < model->n_factor; i++) {
        if (!average(w, i, f, w->sequence->action[t], now)) {
            continue;
        }
        const double *later = now + model->n_belief + model->factor[i].first;
        divide_rows(model->factor[i].n_state, n, w->matrix, NULL);
        for (int32_t s = 0; s < n; s++) {
            double message = 0.0;
            for (int32_t next = 0; next < model->factor[i].n_state; next++) {
                message += later[next] * w->matrix[(int64_t)next * n + s];
            }
            sum[s] += 0.5 * floored_log(message);
        }
    }
}

static void softmax(int32_t n, double *x) {
    double most = x[0], sum = 0.0;
    for (int32_t i = 1; i < n; i++) {
        most = x[i] > most ? x[i] : most;
    }
    for (int32_t i = 0; i < n; i++) {
        x[i] = sonde__exp(x[i] - most);
        sum += x[i];
    }
    for (int32_t i = 0; i < n; i++) {
        x[i] /= sum;
    }
}

/* What a step becomes in a round. */
static void pass_messages(window *w, int32_t t) {
    const sonde_model *model = w->model;
    const double *now = w->q + (int64_t)t * model->n_belief;
    double *next = w->next + (int64_t)t * model->n_belief;
    memset(next, 0, (size_t)model->n_belief * sizeof *next);
    for (int32_t m = 0; m < model->n_modality; m++) {
        const int32_t outcome = w->sequence->outcome[(int64_t)t * model->n_modality + m];
        if (outcome >= 0) {
            add_outcome(model, m, outcome, now, next);
        }
    }
    if (w->how == SONDE_SMOOTHING_MMP) {
        add_forward(w, t, next);
    }
    for (int32_t f = 0; f < model->n_factor; f++) {
        double *own = next + model->factor[f].first;
        if (w->how == SONDE_SMOOTHING_MMP) {
            add_backward(w, t, f, own);
        } else {
            add_variational(w, t, f, own);
        }
        softmax(model->factor[f].n_state, own);
    }
}

static void infer_window(window *w) {
    const sonde_model *model = w->model;
    const int64_t n = (int64_t)w->sequence->n_step * model->n_belief;
    for (int32_t t = 0; t < w->sequence->n_step; t++) {
        for (int32_t f = 0; f < model->n_factor; f++) {
            const sonde_factor *factor = &model->factor[f];
            for (int32_t s = 0; s < factor->n_state; s++) {
                w->q[(int64_t)t * model->n_belief + factor->first + s] = 1.0 / factor->n_state;
            }
        }
    }
    for (int32_t round = 0; round < N_ROUND; round++) {
        for (int32_t t = 0; t < w->sequence->n_step; t++) {
            pass_messages(w, t);
        }
        memcpy(w->q, w->next, (size_t)n * sizeof *w->q);
    }
}

/* ------------------------------------------------------------------------------------ public -- */

const char *sonde_smoothing_name(int32_t how) {
    static const char *const list[] = {"filtered", "smoothed", "mmp", "vmp"};
    return how >= 0 && how < (int32_t)(sizeof list / sizeof *list) ? list[how] : NULL;
}

sonde_status sonde__smooth_check(const sonde_model *model, sonde_error *error) {
    return sonde__model_refuse_graph(model,
                                     "beliefs of a graph world are certain: there is nothing to "
                                     "smooth; give a general model",
                                     error);
}

static sonde_status check(const sonde_model *model, const sonde_sequence *sequence,
                          sonde_smoothing how, sonde_error *error) {
    sonde_status status = sonde__smooth_check(model, error);
    if (status) {
        return status;
    }
    if (sonde__model_shows_actions(model)) {
        return sonde__fail(error, SONDE_BAD_ARGUMENT,
                           "smoothing is not defined where what is seen depends on the action; "
                           "leave the action out of A");
    }
    if (sequence->n_step < 1) {
        return sonde__fail(error, SONDE_BAD_ARGUMENT, "expected a sequence of one step at least");
    }
    if (how == SONDE_SMOOTHING_VMP && model->coupled) {
        return sonde__fail(error, SONDE_BAD_ARGUMENT,
                           "vmp is not defined where a factor depends on others; use mmp or "
                           "smoothed");
    }
    for (int32_t t = 0; t < sequence->n_step; t++) {
        const sonde_observation seen = {
            .outcome = sequence->outcome + (int64_t)t * model->n_modality, .inference = -1};
        status = sonde__observation_check(model, &seen, error);
        if (status) {
            return status;
        }
        if (t + 1 < sequence->n_step &&
            (sequence->action[t] < 0 || sequence->action[t] >= model->n_action)) {
            return sonde__fail(error, SONDE_BAD_ARGUMENT,
                               "step %d: expected one of the model's %d actions, found %d", (int)t,
                               (int)model->n_action, (int)sequence->action[t]);
        }
    }
    return SONDE_OK;
}

static void carve(sonde__arena *arena, window *w) {
    const sonde_model *model = w->model;
    uint64_t n_state = 1, n_combined = 1;
    for (int32_t f = 0; f < model->n_factor; f++) {
        const sonde_factor *factor = &model->factor[f];
        n_state = (uint64_t)factor->n_state > n_state ? (uint64_t)factor->n_state : n_state;
        n_combined =
            (uint64_t)factor->n_previous > n_combined ? (uint64_t)factor->n_previous : n_combined;
    }
    w->next = SONDE__TAKE(
        arena, double, sonde__multiply((uint64_t)w->sequence->n_step, (uint64_t)model->n_belief));
    w->matrix = SONDE__TAKE(arena, double, sonde__multiply(n_state, n_state));
    w->combined = SONDE__TAKE(arena, double, n_combined);
    w->scratch = SONDE__TAKE(arena, double, sonde__belief_scratch(model));
    w->term = SONDE__TAKE(arena, double, model->n_belief);
}

sonde_status sonde_belief_smooth(const sonde_model *model, const sonde_sequence *sequence,
                                 /* NOLINTNEXTLINE(readability-non-const-parameter) */
                                 sonde_smoothing how, double *belief, sonde_error *error) {
    const sonde_status status = check(model, sequence, how, error);
    if (status) {
        return status;
    }
    window w = {.model = model, .sequence = sequence, .how = how, .q = belief};
    sonde__arena arena = {0};
    carve(&arena, &w);
    const uint64_t bytes = arena.used;
    if (!sonde__arena_reserve_lazily(&arena)) {
        return sonde__fail_memory(error, "smoothing", bytes);
    }
    carve(&arena, &w);
    if (how == SONDE_SMOOTHING_FILTERED) {
        filter(&w);
    } else if (how == SONDE_SMOOTHING_SMOOTHED) {
        smooth(&w);
    } else {
        infer_window(&w);
    }
    sonde__arena_free(&arena);
    return SONDE_OK;
}

/* learn_smooth.c: beliefs given a whole episode, factor by factor (docs/learning.md, "Smoothed
 * beliefs").
 *
 *     J_t[s', s] = B[s', s, u_t] q_t(s) / sum over s of the same  r_{t+1}(s')
 *     r_t(s)     = sum over s' of J_t[s', s],   r_T = q_T
 *
 * What nothing led to, and was seen all the same, says nothing of the state before: the quotient is
 * then q_t(s), and no count is lost. A factor that depends on others has B averaged over what is
 * believed of these. One that does not depend on itself gets no message back. */
#include <string.h>

#include "learn/learn.h"

static bool depends_on_itself(const sonde_factor *factor, int32_t f) {
    bool found = false;
    for (int32_t i = 0; i < factor->n_depend; i++) {
        found = found || factor->depend[i] == f;
    }
    return found;
}

/* The belief in which every state of one factor counts 1, and the others as they are believed. */
static const double *without(sonde__learner *learner, int32_t f, const double *belief,
                             double *room) {
    const sonde_model *model = learner->model;
    const sonde_factor *factor = &model->factor[f];
    memcpy(room, belief, (size_t)model->n_belief * sizeof *room);
    for (int32_t s = 0; s < factor->n_state; s++) {
        room[factor->first + s] = 1.0;
    }
    return room;
}

/* Adds the transitions out of one combined state to the matrix [next, previous own state]. */
static void add_previous(const sonde_factor *factor, int64_t previous, int64_t own, int32_t u,
                         double weight, double *matrix) {
    if (factor->B != NULL) {
        const double *B = factor->B + previous * factor->n_state * factor->n_lane + u;
        for (int32_t s = 0; s < factor->n_state; s++) {
            matrix[(int64_t)s * factor->n_state + own] += weight * B[(int64_t)s * factor->n_lane];
        }
        return;
    }
    const int64_t at = previous * factor->n_action + u;
    for (int64_t i = factor->offset[at]; i < factor->offset[at + 1]; i++) {
        matrix[(int64_t)factor->next[i] * factor->n_state + own] += weight * factor->p[i];
    }
}

/* B of a factor, of an action or averaged over what is believed of actions (`p` of each of its
 * own), and over the other factors it depends on, times what is believed of its own state, each row
 * divided by its sum: P(state before | state after). */
static void reverse(sonde__learner *learner, int32_t f, int32_t action, const double *p,
                    const double *belief, double *matrix) {
    const sonde_model *model = learner->model;
    const sonde_factor *factor = &model->factor[f];
    const int64_t n = factor->n_state;
    int32_t tuple[SONDE_FACTORS_MAX] = {0};
    if (p == NULL) {
        sonde__model_tuple(model, action, tuple);
    }
    memset(matrix, 0, (size_t)(n * n) * sizeof *matrix);
    (void)sonde__belief_combine(model, factor->n_depend, factor->depend, belief, learner->combined);
    for (int64_t previous = 0; previous < factor->n_previous; previous++) {
        const double q = learner->combined[previous];
        const int64_t own = q != 0.0 ? sonde__learn_own_state(model, f, previous) : 0;
        for (int32_t u = 0; q != 0.0 && u < factor->n_action; u++) {
            if (p != NULL ? p[u] != 0.0 : u == tuple[f]) {
                add_previous(factor, previous, own, u, p != NULL ? q * p[u] : q, matrix);
            }
        }
    }
    for (int64_t next = 0; next < n; next++) {
        double *row = matrix + next * n;
        double sum = 0.0;
        for (int64_t s = 0; s < n; s++) {
            sum += row[s];
        }
        for (int64_t s = 0; s < n; s++) {
            row[s] = sum > 0.0 ? row[s] / sum : belief[factor->first + s];
        }
    }
}

/* `p` is that of factor f, or NULL where the action is known. */
static void turn(sonde__learner *learner, int32_t f, int32_t action, const double *p,
                 const double *belief) {
    const sonde_model *model = learner->model;
    const int64_t n = model->factor[f].n_state;
    double *back = learner->back[f];
    double *product = learner->pair + n * n;
    if (!depends_on_itself(&model->factor[f], f)) {
        /* the first state is what it was, whatever comes: each column is the filtered belief */
        for (int64_t i = 0; learner->n_step == 1 && i < n * n; i++) {
            back[i] = learner->first[model->factor[f].first + i / n];
        }
        return;
    }
    reverse(learner, f, action, p, belief, learner->pair);
    memset(product, 0, (size_t)(n * n) * sizeof *product);
    for (int64_t next = 0; next < n; next++) {
        for (int64_t s = 0; s < n; s++) {
            const double share = learner->pair[next * n + s];
            for (int64_t first = 0; share != 0.0 && first < n; first++) {
                product[first * n + next] += back[first * n + s] * share;
            }
        }
    }
    memcpy(back, product, (size_t)(n * n) * sizeof *back);
}

void sonde__learn_turn(sonde__learner *learner, int32_t action, const double *p,
                       const double *belief) {
    const sonde_model *model = learner->model;
    for (int32_t f = 0; f < model->n_factor; f++) {
        if (sonde__learner_turns(learner, f)) {
            turn(learner, f, action, p, belief);
        }
        p = p != NULL ? p + model->factor[f].n_action : NULL;
    }
}

/* One step back, for one factor: the pair of its states, and what is believed of the earlier. */
static void step_back(sonde__learner *learner, int32_t f, int32_t action, const double *belief,
                      const double *later, double *earlier) {
    const sonde_factor *factor = &learner->model->factor[f];
    const int64_t n = factor->n_state;
    double *J = learner->pair;
    reverse(learner, f, action, NULL, belief, J);
    for (int64_t s = 0; s < n; s++) {
        earlier[factor->first + s] = 0.0;
    }
    for (int64_t next = 0; next < n; next++) {
        for (int64_t s = 0; s < n; s++) {
            J[next * n + s] *= later[factor->first + next];
            earlier[factor->first + s] += J[next * n + s];
        }
    }
}

/* The transition from step t to the next: `later` is what is believed of that, smoothed; `earlier`
 * becomes that of step t. */
static void learn_transition(sonde__learner *learner, int32_t t, const double *later,
                             double *earlier, double *room) {
    const sonde_model *model = learner->model;
    const double *belief = learner->history + (int64_t)t * model->n_belief;
    const int32_t action = learner->done[t];
    memcpy(earlier, belief, (size_t)model->n_belief * sizeof *earlier);
    if (action < 0) {
        return; /* nobody knows how the one led to the other */
    }
    /* what others than a factor itself were believed to be must be there before pairs are */
    for (int32_t f = 0; f < model->n_factor; f++) {
        if (depends_on_itself(&model->factor[f], f)) {
            step_back(learner, f, action, belief, later, earlier);
        }
    }
    for (int32_t f = 0; f < model->n_factor; f++) {
        if (learner->B[f].counts == NULL) {
            continue;
        }
        if (depends_on_itself(&model->factor[f], f)) {
            double *again = room + model->n_belief;
            step_back(learner, f, action, belief, later, again);
            sonde__learn_B(learner, f, action, without(learner, f, earlier, room), NULL,
                           learner->pair);
        } else {
            sonde__learn_B(learner, f, action, earlier, later, NULL);
        }
    }
}

void sonde__learn_smoothed(sonde__learner *learner) {
    const sonde_model *model = learner->model;
    const size_t size = (size_t)model->n_belief * sizeof(double);
    double *history = learner->history;
    double *earlier = learner->smoothed;
    double *room = learner->smoothed + model->n_belief;
    for (int32_t t = learner->n_step - 1; t >= 0; t--) {
        double *now = history + (int64_t)t * model->n_belief;
        if (t + 1 < learner->n_step) {
            learn_transition(learner, t, now + model->n_belief, earlier, room);
            memcpy(now, earlier, size);
        }
        for (int32_t m = 0; m < model->n_modality; m++) {
            const int32_t outcome = learner->seen[(int64_t)t * model->n_modality + m];
            if (outcome >= 0 && learner->A[m].counts != NULL) {
                sonde__learn_A(learner, m, outcome, now);
            }
            if (outcome >= 0 && learner->C[m].counts != NULL) {
                sonde__learn_C(learner, m, outcome);
            }
        }
    }
}

/* spm_policies.c: how probable policies are.
 *
 *     Q(k) = what a policy is expected to bring from the present time on: information, preferred
 *            outcomes, and what counts have to learn
 *     u    = softmax(ln E + w Q + F),   p = softmax(ln E + w Q)
 *     b   <- b - (b - beta + (u - p) . Q) / 2,   w = 1 / b,   sixteen times
 *
 * SPM's Q uses a policy's number in the place of an action, and the axes of B the wrong way round,
 * where it weighs what there is to learn of B; so it is here. */
#include <string.h>

#include "spm/spm.h"

/* ------------------------------------------------------------------------------ expectation -- */

/* The probabilities of all factors' states together (n_joint). */
static void combine(const sonde_spm *spm, const double *x, double *state) {
    int64_t n = 1;
    state[0] = 1.0;
    for (int32_t f = 0; f < spm->shape.n_factor; f++) {
        const int32_t n_state = spm->shape.n_state[f];
        for (int64_t i = n - 1; i >= 0; i--) {
            const double so_far = state[i];
            for (int32_t s = n_state - 1; s >= 0; s--) {
                state[i * n_state + s] = so_far * x[spm->first[f] + s];
            }
        }
        n *= n_state;
    }
}

/* What outcomes are expected to tell about states: states below e^-16 do not count. */
static double information(const sonde_spm *spm, const double *state) {
    const double least = sonde__exp(-16.0);
    double sum = 0.0;
    memset(spm->outcome, 0, (size_t)spm->n_tuple * sizeof *spm->outcome);
    for (int64_t s = 0; s < spm->n_joint; s++) {
        if (!(state[s] > least)) {
            continue;
        }
        sum += state[s] * spm->information[s];
        const double *row = spm->joint + s * spm->n_tuple;
        for (int64_t o = 0; o < spm->n_tuple; o++) {
            spm->outcome[o] += state[s] * row[o];
        }
    }
    for (int64_t o = 0; o < spm->n_tuple; o++) {
        const double q = spm->outcome[o];
        sum -= q > 0.0 ? q * sonde__log(q + least) : 0.0;
    }
    return sum;
}

/* Of one modality: preferred outcomes, and what there is to learn of A. */
static double outcomes(const sonde_spm *spm, int32_t g, int32_t j, const double *state) {
    const sonde__spm_array *A = &spm->A[g];
    const double *C = spm->C[g].mean + (int64_t)j * A->n;
    double *q = spm->part, *learned = q + A->n;
    memset(q, 0, 2 * (size_t)A->n * sizeof *q);
    for (int64_t s = 0; s < spm->n_joint; s++) {
        for (int32_t o = 0; o < A->n; o++) {
            q[o] += A->mean[s * A->n + o] * state[s];
            learned[o] += A->novelty != NULL ? A->novelty[s * A->n + o] * state[s] : 0.0;
        }
    }
    double sum = 0.0;
    for (int32_t o = 0; o < A->n; o++) {
        sum += q[o] * C[o] - q[o] * learned[o];
    }
    return sum;
}

/* What there is to learn of B_f: that of the action with the policy's own number, where there is
 * one. */
static double transition(const sonde_spm *spm, int32_t k, int32_t j, int32_t f) {
    const sonde__spm_array *B = &spm->B[f];
    if (B->novelty == NULL || k >= spm->shape.n_action[f]) {
        return 0.0;
    }
    const double *now = sonde__spm_x(spm, k, j) + spm->first[f];
    const double *later = now + spm->shape.n_belief;
    const double *novelty = B->novelty + (int64_t)k * B->n * B->n;
    double sum = 0.0;
    for (int32_t column = 0; column < B->n; column++) {
        for (int32_t row = 0; row < B->n; row++) {
            sum += now[row] * novelty[(int64_t)column * B->n + row] * later[column];
        }
    }
    return sum;
}

static double expect(const sonde_spm *spm, int32_t t, int32_t k) {
    const sonde_spm_shape *shape = &spm->shape;
    double Q = 0.0;
    for (int32_t f = 0; f < shape->n_factor; f++) {
        const sonde__spm_array *D = &spm->D[f];
        const double *x = sonde__spm_x(spm, k, 0) + spm->first[f];
        for (int32_t s = 0; D->novelty != NULL && s < D->n; s++) {
            Q -= D->novelty[s] * x[s];
        }
    }
    for (int32_t j = t; j < shape->n_time; j++) {
        combine(spm, sonde__spm_x(spm, k, j), spm->state);
        Q += information(spm, spm->state);
        for (int32_t g = 0; g < shape->n_modality; g++) {
            Q += outcomes(spm, g, j, spm->state);
        }
        for (int32_t f = 0; j + 1 < shape->n_time && f < shape->n_factor; f++) {
            Q -= transition(spm, k, j, f);
        }
    }
    return Q;
}

/* -------------------------------------------------------------------------------- posterior -- */

/* softmax over the policies that are kept of ln E + w Q, and F where there is one */
static void weigh(const sonde_spm *spm, const double *F, double *to) {
    const int32_t n = spm->shape.n_policy;
    double most = -INFINITY;
    for (int32_t k = 0; k < n; k++) {
        to[k] = spm->log_E[k] + spm->w * spm->Q[k] + (F != NULL ? F[k] : 0.0);
        most = spm->kept[k] && to[k] > most ? to[k] : most;
    }
    double sum = 0.0;
    for (int32_t k = 0; k < n; k++) {
        to[k] = spm->kept[k] ? sonde__exp(to[k] - most) : 0.0;
        sum += to[k];
    }
    for (int32_t k = 0; k < n; k++) {
        to[k] /= sum;
    }
}

static void settle_precision(sonde_spm *spm) {
    for (int32_t round = 0; round < SONDE__SPM_ROUNDS; round++) {
        weigh(spm, spm->F, spm->u);
        weigh(spm, NULL, spm->p);
        double gap = spm->b - spm->settings.beta;
        for (int32_t k = 0; k < spm->shape.n_policy; k++) {
            gap += (spm->u[k] - spm->p[k]) * spm->Q[k];
        }
        spm->b -= gap / 2.0;
        spm->w = 1.0 / spm->b;
    }
}

/* Evidence of the outcomes so far, averaged over policies, less how far F moved them. */
static double evidence(const sonde_spm *spm) {
    double H = 0.0;
    for (int32_t k = 0; k < spm->shape.n_policy; k++) {
        if (spm->u[k] > 0.0) {
            H += spm->u[k] *
                 (spm->F[k] - sonde__spm_plain_log(spm->u[k]) + sonde__spm_plain_log(spm->p[k]));
        }
    }
    return H;
}

/* The probabilities of moves, which policies that agree on one share: softmax(alpha ln .) */
static void choose(sonde_spm *spm, int32_t t) {
    const sonde_spm_shape *shape = &spm->shape;
    double *P = spm->P_at + (int64_t)t * shape->n_move;
    memset(P, 0, (size_t)shape->n_move * sizeof *P);
    double most = 0.0; /* of what was added up so far, which only grows */
    for (int32_t k = 0; k < shape->n_policy; k++) {
        const int32_t move = spm->move[(int64_t)k * (shape->n_time - 1) + t];
        P[move] += spm->u[k];
        most = P[move] > most ? P[move] : most;
    }
    const double alpha = spm->settings.alpha;
    const double best = sonde__spm_plain_log(most);
    double sum = 0.0;
    for (int32_t i = 0; i < shape->n_move; i++) {
        P[i] = P[i] > 0.0 ? sonde__exp(alpha * (sonde__spm_plain_log(P[i]) - best)) : 0.0;
        sum += P[i];
    }
    for (int32_t i = 0; i < shape->n_move; i++) {
        P[i] /= sum;
    }
}

void sonde__spm_policies(sonde_spm *spm, int32_t t) {
    const int32_t n_policy = spm->shape.n_policy;
    if (n_policy == 1) {
        spm->u[0] = spm->p[0] = 1.0;
    } else {
        for (int32_t k = 0; k < n_policy; k++) {
            spm->Q[k] = spm->kept[k] ? expect(spm, t, k) : 0.0;
        }
        settle_precision(spm);
    }
    for (int32_t k = 0; k < n_policy; k++) {
        const int64_t at = (int64_t)k * spm->shape.n_time + t;
        spm->F_at[at] = spm->F[k];
        spm->G_at[at] = spm->Q[k];
        spm->R_at[at] = spm->u[k];
    }
    spm->w_at[t] = spm->w;
    spm->H_at[t] = evidence(spm);
    if (t + 1 < spm->shape.n_time) {
        choose(spm, t);
    }
}

/* spm_learn.c: what a trial adds to counts, once it is over. Counts of 0 stay, except of E; D takes
 * in all that was believed whatever eta is, as SPM has it. */
#include "spm/spm.h"

void sonde__spm_average(sonde_spm *spm) {
    const int64_t n = (int64_t)spm->shape.n_time * spm->shape.n_belief;
    for (int64_t i = 0; i < n; i++) {
        double sum = 0.0;
        for (int32_t k = 0; k < spm->shape.n_policy; k++) {
            sum += spm->u[k] * spm->x[k * n + i];
        }
        spm->X[i] = sum;
    }
}

static void learn_A(const sonde_spm *spm, int32_t g, int32_t outcome, int32_t t) {
    const sonde_spm_shape *shape = &spm->shape;
    const sonde__spm_array *A = &spm->A[g];
    const double *X = spm->X + (int64_t)t * shape->n_belief;
    for (int64_t s = 0; s < spm->n_joint; s++) {
        double gain = spm->settings.eta;
        int64_t rest = s;
        for (int32_t f = shape->n_factor - 1; f >= 0; f--) {
            gain *= X[spm->first[f] + rest % shape->n_state[f]];
            rest /= shape->n_state[f];
        }
        double *count = &A->value[s * A->n + outcome];
        *count += *count > 0.0 ? gain : 0.0;
    }
}

/* The transitions of every policy, not those of the actions that were taken. */
static void learn_B(const sonde_spm *spm, int32_t f, int32_t k, int32_t t) {
    const sonde_spm_shape *shape = &spm->shape;
    const sonde__spm_array *B = &spm->B[f];
    const int32_t u = spm->policy[((int64_t)k * (shape->n_time - 1) + t - 1) * shape->n_factor + f];
    const double *x = sonde__spm_x(spm, k, t) + spm->first[f];
    const double *before = x - shape->n_belief;
    const double rate = spm->settings.eta * spm->R_at[(int64_t)k * shape->n_time + t];
    for (int32_t s = 0; s < B->n; s++) {
        double *count = B->value + ((int64_t)u * B->n + s) * B->n;
        for (int32_t next = 0; next < B->n; next++) {
            count[next] += count[next] > 0.0 ? rate * x[next] * before[s] : 0.0;
        }
    }
}

static void learn_factor(const sonde_spm *spm, int32_t f) {
    for (int32_t t = 1; spm->B[f].counted && t < spm->shape.n_time; t++) {
        for (int32_t k = 0; k < spm->shape.n_policy; k++) {
            learn_B(spm, f, k, t);
        }
    }
    for (int32_t s = 0; spm->D[f].counted && s < spm->D[f].n; s++) {
        double *count = &spm->D[f].value[s];
        *count += *count > 0.0 ? spm->X[spm->first[f] + s] : 0.0;
    }
}

void sonde__spm_learn(sonde_spm *spm, const int32_t *outcome) {
    const sonde_spm_shape *shape = &spm->shape;
    for (int32_t t = 0; t < shape->n_time; t++) {
        for (int32_t g = 0; g < shape->n_modality; g++) {
            const int32_t o = outcome[t * shape->n_modality + g];
            if (spm->A[g].counted) {
                learn_A(spm, g, o, t);
            }
            double *liked = &spm->C[g].value[t * spm->C[g].n + o];
            *liked += spm->C[g].counted && *liked > 0.0 ? spm->settings.eta : 0.0;
        }
    }
    for (int32_t f = 0; f < shape->n_factor; f++) {
        learn_factor(spm, f);
    }
    for (int32_t k = 0; spm->E.counted && k < shape->n_policy; k++) {
        spm->E.value[k] += spm->settings.eta * spm->u[k];
    }
}

/* spm_states.c: what each policy believes about the states of every time.
 *
 *     v    = ln(B x before) or ln D, and where a time follows ln(B back x after), each with the
 *            likelihood of what was seen and less ln x
 *     F    = sum of x . v / 2, as x was before it moved
 *     x   <- softmax(ln x + (v - mean v) / tau)
 *
 * sixteen rounds over times and factors, in place. Rounds 3 and 4 are left out where F has risen by
 * no more than e^-8 in the round before; those after them never are. */
#include <math.h>
#include <string.h>

#include "spm/spm.h"

/* to (n) = sum over i of rows (n_row, n), each times its x */
static void add_up(int32_t n_row, int32_t n, const double *rows, const double *x, double *to) {
    for (int32_t s = 0; s < n; s++) {
        to[s] = rows[s] * x[0];
    }
    for (int32_t i = 1; i < n_row; i++) {
        const double *row = rows + (int64_t)i * n;
        for (int32_t s = 0; s < n; s++) {
            to[s] += row[s] * x[i];
        }
    }
}

/* How probable what was seen is in each state of a factor, the others' being what they are believed
 * to be. */
static void likelihood(const sonde_spm *spm, int32_t f, const double *seen, const double *x,
                       double *to) {
    const sonde_spm_shape *shape = &spm->shape;
    const double *from = seen;
    int32_t n = (int32_t)spm->n_joint; /* which is below 2^31 */
    /* the factors after it, the last first */
    for (int32_t g = shape->n_factor - 1; g > f; g--) {
        const int32_t n_state = shape->n_state[g];
        const double *xg = x + spm->first[g];
        n /= n_state;
        for (int64_t i = 0; i < n; i++) {
            double sum = 0.0;
            for (int32_t s = 0; s < n_state; s++) {
                sum += from[i * n_state + s] * xg[s];
            }
            spm->state[i] = sum;
        }
        from = spm->state;
    }
    /* and those before it, the first first */
    for (int32_t g = 0; g < f; g++) {
        const int32_t n_state = shape->n_state[g];
        const double *xg = x + spm->first[g];
        n /= n_state;
        for (int64_t i = 0; i < n; i++) {
            double sum = from[i] * xg[0];
            for (int32_t s = 1; s < n_state; s++) {
                sum += from[(int64_t)s * n + i] * xg[s];
            }
            spm->state[i] = sum;
        }
        from = spm->state;
    }
    memcpy(to, from, (size_t)n * sizeof *to);
}

/* one message to a factor of a policy */
typedef struct {
    int32_t n;       /* states */
    double n_side;   /* times beside this one: each brings what was seen, and takes ln x away */
    double shared;   /* of what was seen, that the other factors tell in F */
    double *seen;    /* (n) probability of what was seen; NULL: nothing was yet */
    double *product; /* (n) of what comes from both sides */
    const double *D; /* (n) ln D, at the first time; or NULL */
    double *x;       /* (n) the belief that moves */
} sonde__message;

/* Multiplies what comes from a neighbour, sum of rows (n, n) times x, into the product. */
static void multiply(const sonde_spm *spm, sonde__message *m, const double *rows, const double *x) {
    double *sum = spm->part + 2 * (int64_t)m->n;
    add_up(m->n, m->n, rows, x, sum);
    for (int32_t s = 0; s < m->n; s++) {
        m->product[s] *= sum[s] + SONDE__SPM_LEAST;
    }
    m->n_side++;
}

/* Moves the belief, and returns what the message adds to F. Logarithms are of products, where
 * nobody asks for their parts: none is below 1e-64. */
static double take(const sonde_spm *spm, const sonde__message *m) {
    double *v = spm->part + 2 * (int64_t)m->n, *own = v + m->n;
    double F = 0.0;
    double mean = 0.0;
    for (int32_t s = 0; s < m->n; s++) {
        const double seen = m->seen != NULL ? m->seen[s] + SONDE__SPM_LEAST : 1.0;
        const bool apart = m->shared > 0.0 && m->seen != NULL;
        const double log_seen = apart ? sonde__log(seen) : 0.0;
        const double product =
            apart ? m->product[s] : m->product[s] * (m->n_side > 1.0 ? seen * seen : seen);
        own[s] = sonde__spm_log(m->x[s]);
        v[s] = sonde__log(product) + m->n_side * (log_seen - own[s]) + (m->D ? m->D[s] : 0.0);
        F += m->x[s] * (v[s] / 2.0 - m->shared * log_seen);
        mean += v[s];
    }
    mean /= m->n;
    for (int32_t s = 0; s < m->n; s++) {
        m->x[s] = own[s] + (v[s] - mean) / spm->settings.tau;
    }
    sonde__spm_softmax(m->n, m->x);
    return F;
}

/* The same where nobody asks for F and tau is 4, as SPM has it: softmax(ln x + (v - mean v) / 4) is
 * x^(1 - n/4) times the fourth root of the product, which needs no logarithm. */
static void move(const sonde_spm *spm, const sonde__message *m, const double *root_D) {
    double *to = spm->part + 2 * (int64_t)m->n;
    const bool both = m->n_side > 1.0;
    double sum = 0.0;
    for (int32_t s = 0; s < m->n; s++) {
        const double seen = m->seen != NULL ? m->seen[s] + SONDE__SPM_LEAST : 1.0;
        const double half = sqrt(m->x[s] + SONDE__SPM_LEAST);
        const double own = both ? half : half * sqrt(half);
        to[s] = own * sqrt(sqrt(m->product[s] * (both ? seen * seen : seen))) *
                (root_D != NULL ? root_D[s] : 1.0);
    }
    for (int32_t s = 0; s < m->n; s++) {
        sum += to[s];
    }
    for (int32_t s = 0; s < m->n; s++) {
        m->x[s] = to[s] / sum;
    }
}

/* The message of policy k to factor f at time j, t being the present. F is right where it is
 * `scored`; logarithms that it alone needs are left out elsewhere. */
static double message(const sonde_spm *spm, int32_t t, int32_t k, int32_t j, int32_t f,
                      bool scored) {
    const sonde_spm_shape *shape = &spm->shape;
    const int32_t n = shape->n_state[f];
    const int32_t last = shape->n_time - 1;
    const int32_t *V = spm->policy + ((int64_t)k * last + j) * shape->n_factor + f;
    const int64_t square = (int64_t)n * n;
    double *beliefs = sonde__spm_x(spm, k, j);
    sonde__message m = {.n = n, .product = spm->part + n, .x = beliefs + spm->first[f]};
    for (int32_t s = 0; s < n; s++) {
        m.product[s] = 1.0;
    }
    if (j <= t) {
        m.seen = spm->part;
        likelihood(spm, f, spm->likelihood + j * spm->n_joint, beliefs, m.seen);
    }
    if (j == 0) {
        m.D = spm->log_D + spm->first[f];
        m.n_side++;
    } else {
        multiply(spm, &m, spm->B[f].mean + V[-shape->n_factor] * square, m.x - shape->n_belief);
    }
    if (j < last) {
        multiply(spm, &m, spm->back[f] + V[0] * square, m.x + shape->n_belief);
    }
    if (!scored && spm->settings.tau >= 4.0 && spm->settings.tau <= 4.0) {
        move(spm, &m, j == 0 ? spm->root_D + spm->first[f] : NULL);
        return 0.0;
    }
    m.shared = scored && j > 0 && j < last ? (shape->n_factor - 1.0) / shape->n_factor : 0.0;
    return take(spm, &m);
}

/* All messages of policy k. */
static double infer(const sonde_spm *spm, int32_t t, int32_t k) {
    const double least = sonde__exp(-8.0);
    double F = 0.0;
    double rise = 1.0;
    for (int32_t round = 1; round <= SONDE__SPM_ROUNDS; round++) {
        if ((round == 3 || round == 4) && !(rise > least)) {
            rise = 0.0;
            continue;
        }
        const bool scored = round <= 4 || round == SONDE__SPM_ROUNDS;
        const double before = F;
        F = 0.0;
        for (int32_t j = 0; j < spm->shape.n_time; j++) {
            for (int32_t f = 0; f < spm->shape.n_factor; f++) {
                F += message(spm, t, k, j, f, scored);
            }
        }
        rise = F - before;
    }
    return F;
}

/* Gives up some of what every policy believes. */
static void soften(const sonde_spm *spm) {
    const sonde_spm_shape *shape = &spm->shape;
    const int64_t n = (int64_t)shape->n_policy * shape->n_time * shape->n_belief;
    for (int64_t i = 0; i < n; i++) {
        spm->x[i] = sonde__spm_log(spm->x[i]) / spm->settings.erp;
    }
    for (int64_t i = 0; i < n; i += shape->n_belief) {
        for (int32_t f = 0; f < shape->n_factor; f++) {
            sonde__spm_softmax(shape->n_state[f], spm->x + i + spm->first[f]);
        }
    }
}

void sonde__spm_states(sonde_spm *spm, int32_t t) {
    soften(spm);
    for (int32_t k = 0; k < spm->shape.n_policy; k++) {
        spm->F[k] = spm->kept[k] ? infer(spm, t, k) : 0.0;
    }
}

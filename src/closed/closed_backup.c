/* closed_backup.c: the value of a belief from G of its actions, exactly and between bounds.
 *
 *     min            min G
 *     free-energy    -(1/gamma) ln sum E exp(-gamma G)
 *     average        sum q G,   q proportional to E exp(-gamma G)
 *
 * over the actions with E > 0. The first two rise with every G, so the range of values is that of
 * the ends. The average does not: it is at least t where sum E phi_t(G) >= 0, phi_t(x) =
 * (x - t) exp(-gamma x), which rises up to t + 1/gamma and falls after. So the largest average is
 * where the sum over x = clip(t + 1/gamma, l, h) crosses 0, and the smallest where the sum over the
 * worse of l and h does. Newton's step from t is the average of those very x, which is attained: so
 * steps approach the largest from below and the smallest from above, and the end that is returned
 * lies just beyond. */
#include "base/numbers.h"
#include "base/status.h"
#include "closed/closed_internal.h"

/* how far outside the last step the end of a range is looked for first, relative */
#define BEYOND 1e-13
/* what a sum, or a logarithm, of a number can be off by, relative */
#define DIGIT 2.3e-16
#define STEPS_MOST 200
#define DOUBLINGS_MOST 22

/* Lambert's W of x >= 0: w e^w = x. */
static double lambert(double x) {
    double w = x > 1.0 ? sonde__log(x) : x;
    for (int32_t i = 0; i < 60; i++) {
        const double e = sonde__exp(w);
        w -= (w * e - x) / (e * (w + 1.0));
    }
    return w;
}

sonde__backing sonde__backup_of(sonde_backup kind, double gamma, int32_t n, const double *prior) {
    sonde__backing backup = {.kind = kind, .gamma = gamma, .least = 1.0};
    for (int32_t u = 0; u < n; u++) {
        backup.least = prior[u] > 0.0 && prior[u] < backup.least ? prior[u] : backup.least;
    }
    const double excess = (1.0 - backup.least) / (2.718281828459045 * backup.least);
    backup.worth = gamma > 0.0 ? lambert(excess) * (1.0 + 1e-12) / gamma
                               : (backup.least < 1.0 ? (double)INFINITY : 0.0);
    return backup;
}

static double least_of(int32_t n, const double *prior, const double *efe) {
    double least = (double)INFINITY;
    for (int32_t u = 0; u < n; u++) {
        least = prior[u] > 0.0 && efe[u] < least ? efe[u] : least;
    }
    return least;
}

static double free_energy(double gamma, int32_t n, const double *prior, const double *efe) {
    const double least = least_of(n, prior, efe);
    double sum = 0.0;
    for (int32_t u = 0; u < n; u++) {
        sum += prior[u] > 0.0 ? prior[u] * sonde__exp(-gamma * (efe[u] - least)) : 0.0;
    }
    return least - sonde__log(sum) / gamma;
}

static double average(double gamma, int32_t n, const double *prior, const double *efe) {
    const double least = least_of(n, prior, efe);
    double mass = 0.0;
    double sum = 0.0;
    for (int32_t u = 0; u < n; u++) {
        if (prior[u] > 0.0) {
            const double w = prior[u] * sonde__exp(-gamma * (efe[u] - least));
            mass += w;
            sum += w * (efe[u] - least);
        }
    }
    return least + sum / mass;
}

double sonde__backup_digits(double gamma, int32_t n) {
    return gamma > 0.0 ? (double)(n + 4) * DIGIT / gamma : 0.0;
}

double sonde__backup_value(const sonde__backing *backup, int32_t n, const double *prior,
                           const double *efe) {
    if (backup->kind == SONDE_BACKUP_MIN) {
        return least_of(n, prior, efe);
    }
    /* without precision every action counts as it does beforehand */
    return backup->kind == SONDE_BACKUP_AVERAGE || backup->gamma == 0.0
               ? average(backup->gamma, n, prior, efe)
               : free_energy(backup->gamma, n, prior, efe);
}

/* G between bounds, of which the average is to be as large, or as small, as it can be. */
enum { KEPT = 64 }; /* actions whose numbers are kept from one step to the next */
typedef struct {
    double gamma;
    int32_t n;
    const double *prior;
    const double *lower;
    const double *upper;
    bool largest;
    double *fall; /* (KEPT) exp(-gamma (upper - lower)) */
    double *x;    /* (KEPT) G that were chosen */
} box;

/* The G of action u for which phi_t is largest, or smallest. */
static double choose(const box *b, int32_t u, double t) {
    const double l = b->lower[u];
    const double h = b->upper[u];
    const double top = t + 1.0 / b->gamma;
    if (b->largest) {
        return top < l ? l : top > h ? h : top;
    }
    if (l <= t || h <= top) {
        return l;
    }
    const double fall = u < KEPT ? b->fall[u] : sonde__exp(-b->gamma * (h - l));
    return l - t <= (h - t) * fall ? l : h;
}

/* Sum of E exp(-gamma (x - x_least)) over those G, and of (x - t) times that. */
static void add_up(const box *b, double t, double *mass, double *sum) {
    double least = (double)INFINITY;
    for (int32_t u = 0; u < b->n; u++) {
        const double x = b->prior[u] > 0.0 ? choose(b, u, t) : (double)INFINITY;
        least = x < least ? x : least;
        if (u < KEPT) {
            b->x[u] = x;
        }
    }
    *mass = *sum = 0.0;
    for (int32_t u = 0; u < b->n; u++) {
        if (b->prior[u] > 0.0) {
            const double x = u < KEPT ? b->x[u] : choose(b, u, t);
            const double w = b->prior[u] * sonde__exp(-b->gamma * (x - least));
            *mass += w;
            *sum += w * (x - t);
        }
    }
}

/* The end of the range of averages, from one that is attained. */
static double find_end(const box *b, double t) {
    const double sign = b->largest ? 1.0 : -1.0;
    double mass = 0.0;
    double sum = 0.0;
    for (int32_t i = 0; i < STEPS_MOST; i++) {
        add_up(b, t, &mass, &sum);
        const double to = t + sum / mass;
        if (!(sign * (to - t) > BEYOND * (1.0 + fabs(t)))) {
            break;
        }
        t = to;
    }
    /* beyond the end the sum has the other sign */
    double step = BEYOND;
    for (int32_t i = 0; i < DOUBLINGS_MOST; i++) {
        const double beyond = t + sign * step * (1.0 + fabs(t));
        add_up(b, beyond, &mass, &sum);
        if (sign * sum <= 0.0) {
            return beyond;
        }
        step *= 4.0;
    }
    return t + sign * (1.0 + fabs(t));
}

static void average_range(const sonde__backing *backup, int32_t n, const double *prior,
                          const double *lower, const double *upper, double range[2]) {
    const double all = average(backup->gamma, n, prior, lower);
    const double most = average(backup->gamma, n, prior, upper);
    range[0] = all;
    range[1] = most;
    if (backup->gamma > 0.0) {
        double fall[KEPT];
        double x[KEPT];
        box b = {backup->gamma, n, prior, lower, upper, false, fall, x};
        for (int32_t u = 0; u < n && u < KEPT; u++) {
            fall[u] = prior[u] > 0.0 ? sonde__exp(-backup->gamma * (upper[u] - lower[u])) : 0.0;
        }
        range[0] = find_end(&b, all < most ? all : most);
        b.largest = true;
        range[1] = find_end(&b, all < most ? most : all);
    }
}

void sonde__backup_range(const sonde__backing *backup, int32_t n, const double *prior,
                         const double *lower, const double *upper, double range[2]) {
    if (backup->kind == SONDE_BACKUP_AVERAGE) {
        average_range(backup, n, prior, lower, upper, range);
    } else {
        const double digits =
            backup->kind == SONDE_BACKUP_FREE_ENERGY ? sonde__backup_digits(backup->gamma, n) : 0.0;
        range[0] = sonde__backup_value(backup, n, prior, lower) - digits;
        range[1] = sonde__backup_value(backup, n, prior, upper) + digits;
    }
}

const char *sonde_backup_name(int32_t backup) {
    static const char *const name[] = {"free-energy", "min", "average", NULL};
    return name[backup >= 0 && backup < 3 ? backup : 3];
}

sonde_status sonde_backup_range(sonde_backup backup, double gamma, const sonde_backup_box *box_of,
                                double range[2], sonde_error *error) {
    bool any = false;
    bool right = gamma >= 0.0 && gamma <= SONDE__LARGEST &&
                 sonde_backup_name((int32_t)backup) != NULL && box_of->n > 0;
    for (int32_t u = 0; right && u < box_of->n; u++) {
        any = any || box_of->prior[u] > 0.0;
        right = box_of->prior[u] >= 0.0 && box_of->prior[u] <= 1.0 &&
                box_of->lower[u] <= box_of->upper[u] && fabs(box_of->lower[u]) <= SONDE__LARGEST &&
                fabs(box_of->upper[u]) <= SONDE__LARGEST;
    }
    if (!right || !any) {
        return sonde__fail(error, SONDE_BAD_ARGUMENT,
                           "backup: expected gamma from 0 on, a prior from 0 to 1 of each action, "
                           "one of them positive, and a lower bound of each that is at most its "
                           "upper one");
    }
    const sonde__backing b = sonde__backup_of(backup, gamma, box_of->n, box_of->prior);
    sonde__backup_range(&b, box_of->n, box_of->prior, box_of->lower, box_of->upper, range);
    /* outside by what rounding may have done */
    range[0] -= 2.0 * BEYOND * (1.0 + fabs(range[0]));
    range[1] += 2.0 * BEYOND * (1.0 + fabs(range[1]));
    return SONDE_OK;
}

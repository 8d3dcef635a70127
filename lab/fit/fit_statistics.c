/* fit_statistics.c: the distributions that comparing and grouping need.
 *
 * The incomplete gamma and beta functions are a series where it falls quickly and a continued
 * fraction (Lentz) elsewhere. With large a their common factor x^a e^-x / Gamma(a) is written about
 * its peak, a (1 - u + ln u) with u = x / a, so that nothing large is subtracted from anything
 * large.
 *
 * The probability that component k of a Dirichlet is the largest is that of independent gammas,
 *
 *     xp_k = int Gamma(x; alpha_k) prod_{j != k} P(alpha_j, x) dx,
 *
 * by the trapezoid rule in y = ln x, where everything falls off on both sides faster than any
 * power, so that the rule is as good as exact. Two components are an incomplete beta function. */
#include "fit/fit_statistics.h"

#include <math.h>
#include <stdbool.h>

#include "base/numbers.h"

enum { TERM_MAX = 100000 };
#define SMALLEST 1e-300
#define ROUNDING 1e-17
#define PI 3.14159265358979323846

/* --------------------------------------------------------------------------- distributions -- */

/* What Stirling's formula leaves out of ln Gamma(a), for a of 16 or more. */
static double stirling_rest(double a) {
    const double s = 1.0 / (a * a);
    return (1.0 / 12.0 - s * (1.0 / 360.0 - s * (1.0 / 1260.0 - s * (1.0 / 1680.0)))) / a;
}

/* ln(x^a e^-x / Gamma(a)), for a and x above 0. */
static double gamma_kernel(double a, double x) {
    if (a < 16.0) {
        return a * sonde__log(x) - x - sonde__log_gamma(a);
    }
    const double u = x / a;
    return a * (1.0 - u + sonde__log(u)) + 0.5 * sonde__log(a / (2.0 * PI)) - stirling_rest(a);
}

/* sum_n x^n / (a (a + 1) .. (a + n)) */
static double gamma_series(double a, double x) {
    double term = 1.0 / a;
    double sum = term;
    for (int32_t n = 1; n < TERM_MAX && term > ROUNDING * sum; n++) {
        term *= x / (a + n);
        sum += term;
    }
    return sum;
}

/* The continued fraction of the upper tail. */
static double gamma_fraction(double a, double x) {
    double b = x + 1.0 - a;
    double c = 1.0 / SMALLEST;
    double d = 1.0 / b;
    double product = d;
    for (int32_t n = 1; n < TERM_MAX; n++) {
        const double numerator = -n * (n - a);
        b += 2.0;
        d = numerator * d + b;
        d = 1.0 / (fabs(d) < SMALLEST ? SMALLEST : d);
        c = b + numerator / c;
        c = fabs(c) < SMALLEST ? SMALLEST : c;
        product *= d * c;
        if (fabs(d * c - 1.0) < 1e-16) {
            break;
        }
    }
    return product;
}

double sonde__gamma_below(double a, double x) {
    if (!(x > 0.0)) {
        return 0.0;
    }
    const double kernel = gamma_kernel(a, x);
    if (x < a + 1.0) {
        return sonde__exp(kernel) * gamma_series(a, x);
    }
    /* past the point where nothing is left above */
    return kernel < -800.0 ? 1.0 : 1.0 - sonde__exp(kernel) * gamma_fraction(a, x);
}

/* One step of Lentz's method for 1 / (1 + e1 / (1 + e2 / ...)). */
static double lentz(double e, double *c, double *d) {
    *d = 1.0 + e * *d;
    *d = 1.0 / (fabs(*d) < SMALLEST ? SMALLEST : *d);
    *c = 1.0 + e / *c;
    *c = fabs(*c) < SMALLEST ? SMALLEST : *c;
    return *d * *c;
}

static double beta_fraction(double a, double b, double x) {
    double c = 1.0;
    double d = 1.0 - (a + b) * x / (a + 1.0);
    d = 1.0 / (fabs(d) < SMALLEST ? SMALLEST : d);
    double product = d;
    for (int32_t m = 1; m < TERM_MAX; m++) {
        const double even = m * (b - m) * x / ((a + 2 * m - 1.0) * (a + 2 * m));
        product *= lentz(even, &c, &d);
        const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1.0));
        const double last = lentz(odd, &c, &d);
        product *= last;
        if (fabs(last - 1.0) < 1e-16) {
            break;
        }
    }
    return product;
}

double sonde__beta_below(double a, double b, double x) {
    if (!(x > 0.0) || !(x < 1.0)) {
        return x > 0.0 ? 1.0 : 0.0;
    }
    const double factor =
        sonde__exp(sonde__log_gamma(a + b) - sonde__log_gamma(a) - sonde__log_gamma(b) +
                   a * sonde__log(x) + b * sonde__log(1.0 - x));
    return x < (a + 1.0) / (a + b + 2.0) ? factor * beta_fraction(a, b, x) / a
                                         : 1.0 - factor * beta_fraction(b, a, 1.0 - x) / b;
}

double sonde__normal_below(double z) {
    /* erf(z / sqrt 2) is a gamma distribution's */
    const double within = sonde__gamma_below(0.5, 0.5 * z * z);
    return z > 0.0 ? 0.5 + 0.5 * within : 0.5 - 0.5 * within;
}

double sonde__normal_point(double probability) {
    double low = -40.0;
    double high = 40.0;
    /* halved until no double is left between */
    for (int32_t i = 0; i < 80; i++) {
        const double middle = 0.5 * (low + high);
        const bool below = sonde__normal_below(middle) < probability;
        low = below ? middle : low;
        high = below ? high : middle;
    }
    return high;
}

double sonde__student_below(double t, double freedom) {
    const double tail = 0.5 * sonde__beta_below(0.5 * freedom, 0.5, freedom / (freedom + t * t));
    return t > 0.0 ? 1.0 - tail : tail;
}

double sonde__student_point(double probability, double freedom) {
    double low = 0.0;
    double high = 1.0;
    while (high < 1e100 && sonde__student_below(high, freedom) < probability) {
        low = high;
        high *= 2.0;
    }
    for (int32_t i = 0; i < 80; i++) {
        const double middle = 0.5 * (low + high);
        const bool below = sonde__student_below(middle, freedom) < probability;
        low = below ? middle : low;
        high = below ? high : middle;
    }
    return high;
}

/* ------------------------------------------------------------------------------- Dirichlet -- */

/* Adds one point of the trapezoid rule: the density of each component in ln x, times the
 * distributions of all others. The product without one is taken from both sides, so that
 * nothing is divided by what may be 0. */
static void add_point(int32_t n, const double *alpha, double x, double *scratch,
                      double *exceedance) {
    double *below = scratch;
    double *behind = scratch + n;
    double product = 1.0;
    for (int32_t k = n - 1; k >= 0; k--) {
        behind[k] = product;
        below[k] = sonde__gamma_below(alpha[k], x);
        product *= below[k];
    }
    double before = 1.0;
    for (int32_t k = 0; k < n; k++) {
        exceedance[k] += before * behind[k] * sonde__exp(gamma_kernel(alpha[k], x));
        before *= below[k];
    }
}

void sonde__dirichlet_exceedance(int32_t n, const double *alpha, double *scratch,
                                 double *exceedance) {
    if (n == 2) {
        exceedance[0] = sonde__beta_below(alpha[1], alpha[0], 0.5);
        exceedance[1] = sonde__beta_below(alpha[0], alpha[1], 0.5);
        return;
    }
    double largest = 0.0;
    for (int32_t k = 0; k < n; k++) {
        exceedance[k] = 0.0;
        largest = fmax(largest, alpha[k]);
    }
    const double low = -40.0;
    const double high = sonde__log(largest + 12.0 * sqrt(largest) + 40.0);
    const double step = fmin(0.02, 0.25 / sqrt(largest));
    const int32_t n_point = (int32_t)((high - low) / step) + 1;
    for (int32_t i = 0; i <= n_point; i++) {
        add_point(n, alpha, sonde__exp(low + i * step), scratch, exceedance);
    }
    for (int32_t k = 0; k < n; k++) {
        exceedance[k] *= step;
    }
}

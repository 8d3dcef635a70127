/* digamma.c: the digamma function, by its recurrence up to 8 and its asymptotic series beyond.
 *
 *     psi(x) = psi(x + 1) - 1 / x,   psi(x) = ln x - 1 / (2 x) - sum over k of B_2k / (2 k x^2k)
 *
 * Seven terms of the series leave 2e-15 at 8. */
#include "base/numbers.h"

#define SERIES_FROM 8.0

/* sum over k of B_2k / (2 k x^2k) */
static double tail(double x) {
    static const double term[] = {1.0 / 12.0,  -1.0 / 120.0,     1.0 / 252.0, -1.0 / 240.0,
                                  1.0 / 132.0, -691.0 / 32760.0, 1.0 / 12.0};
    const double square = 1.0 / (x * x);
    double sum = 0.0;
    for (int k = 6; k >= 0; k--) {
        sum = (sum + term[k]) * square;
    }
    return sum;
}

double sonde__digamma(double x) {
    double sum = 0.0;
    while (x < SERIES_FROM) {
        sum += 1.0 / x;
        x += 1.0;
    }
    return sonde__log(x) - 0.5 / x - tail(x) - sum;
}

double sonde__digamma_lead(double x) {
    if (x >= SERIES_FROM) {
        return 0.5 / x - tail(x); /* psi(x) + 1 / x - ln x, of which the logarithms cancel */
    }
    return sonde__digamma(x + 1.0) - sonde__log(x);
}

double sonde__log_gamma(double x) {
    static const double term[] = {1.0 / 12.0,   -1.0 / 360.0,      1.0 / 1260.0, -1.0 / 1680.0,
                                  1.0 / 1188.0, -691.0 / 360360.0, 1.0 / 156.0};
    double product = 1.0;
    while (x < SERIES_FROM) {
        product *= x;
        x += 1.0;
    }
    double sum = 0.0;
    for (int k = 6; k >= 0; k--) {
        sum = sum / (x * x) + term[k];
    }
    const double half_log_2pi = 0.91893853320467274178;
    return (x - 0.5) * sonde__log(x) - x + half_log_2pi + sum / x - sonde__log(product);
}

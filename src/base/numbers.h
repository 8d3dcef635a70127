/* numbers.h: our own log and exp, so that scores are the same bits on every machine. */
#ifndef SONDE_BASE_NUMBERS_H
#define SONDE_BASE_NUMBERS_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

/* the least probability inside a logarithm */
#define SONDE__FLOOR 1e-16
/* sonde__log of it */
#define SONDE__LOG_FLOOR (-36.841361487904734)
/* the largest weight, or factor of one, that is taken: sums of products of two stay finite */
#define SONDE__LARGEST 1e100

/* probabilities this close tie */
#define SONDE__TIE 1e-12
/* How far numbers may be from x and still tie with it: of those the lowest index counts. */
static inline double sonde__tie(double x) {
    return SONDE__TIE * (1.0 + fabs(x));
}
/* Whether x is less than y, and no tie. */
static inline bool sonde__is_below(double x, double y) {
    return x < y - sonde__tie(x);
}
/* Whether x is at most y, or ties with it. */
static inline bool sonde__is_at_most(double x, double y) {
    return x <= y + sonde__tie(y);
}

/* Natural logarithm of a positive, finite, normal number; within 1.5 units in the last place. */
double sonde__log(double x);
/* ln max(x, 1e-16) */
double sonde__log_floored(double x);
/* e^x; 0 below -745.2, infinity above 709.79; within 1.5 units in the last place otherwise. */
double sonde__exp(double x);

/* ln(e^a + e^b); either may be -infinity */
double sonde__log_add(double a, double b);

/* The digamma function of a number above 0, and psi(x + 1) - ln x, which falls from infinity to 0;
 * within 4e-15 of the larger of 1 and their size. */
double sonde__digamma(double x);
double sonde__digamma_lead(double x);
/* ln of the gamma function of a number above 0, within 8e-15 of the same. */
double sonde__log_gamma(double x);

/* Sum of e^(-gamma (x[i] - least)), for x[i] >= least; terms below e^-708 count as 0. In a fixed
 * order of its own, which depends on n alone. */
double sonde__sum_exp(int32_t n, const double *x, double gamma, double least);

#endif

/* fit_statistics.h: distributions and sums that comparing and grouping share. */
#ifndef SONDE_FIT_STATISTICS_H
#define SONDE_FIT_STATISTICS_H

#include <stdint.h>

/* P(X <= x) for X ~ Gamma(a, 1): the regularised lower incomplete gamma function. */
double sonde__gamma_below(double a, double x);
/* P(X <= x) for X ~ Beta(a, b): the regularised incomplete beta function. */
double sonde__beta_below(double a, double b, double x);
/* P(Z <= z) of the standard normal, and the z of a probability between 0 and 1. */
double sonde__normal_below(double z);
double sonde__normal_point(double probability);
/* P(T <= t) of Student's T, and the t of a probability of 1/2 or more. */
double sonde__student_below(double t, double freedom);
double sonde__student_point(double probability, double freedom);

/* exceedance (n): the probability that each component of a Dirichlet(alpha) is the largest;
 * `scratch` (2, n). */
void sonde__dirichlet_exceedance(int32_t n, const double *alpha, double *scratch,
                                 double *exceedance);

#endif

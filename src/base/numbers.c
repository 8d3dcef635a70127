/* numbers.c: logarithm and exponential from additions and multiplications alone.
 *
 * libm's differ in the last bits between machines; these use only operations that IEEE 754 fixes
 * exactly (the build forbids fused multiply-add), so they give the same bits everywhere.
 *
 *     ln x  = e ln 2 + 2 atanh(s),   x = 2^e m,  m in [1/sqrt 2, sqrt 2),  s = (m - 1) / (m + 1)
 *     e^x   = 2^n e^r,               n = round(x / ln 2),  |r| <= ln 2 / 2
 *
 * atanh and e^r are their Taylor series, long enough for the remainder to vanish: s^2 <= 0.0295, so
 * the term s^23 / 23 is below 1e-18; r^14 / 14! is below 5e-18. ln 2 is split in two so that
 * e ln 2 and x - n ln 2 lose nothing. */
#include "base/numbers.h"

#include <stdint.h>
#include <string.h>

#include "base/vector.h"

/* ln 2 = LN2_HIGH + LN2_LOW; the high part has its last 20 bits clear */
#define LN2_HIGH 0x1.62e42fefap-1
#define LN2_LOW 0x1.cf79abc9e3b3ap-40
#define INVERSE_LN2 0x1.71547652b82fep+0

static uint64_t bits_of(double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static double from_bits(uint64_t bits) {
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

double sonde__log(double x) {
    /* subtracting the bits of 1/sqrt 2 leaves the exponent for which m is in [1/sqrt 2, sqrt 2) */
    const uint64_t offset = UINT64_C(0x3FE6A09E667F3BCD);
    const int64_t e = (int64_t)(bits_of(x) - offset) >> 52;
    const double m = from_bits(bits_of(x) - ((uint64_t)e << 52));
    const double s = (m - 1.0) / (m + 1.0);
    const double z = s * s;
    double tail = 1.0 / 21.0;
    for (int k = 19; k >= 3; k -= 2) {
        tail = tail * z + 1.0 / (double)k;
    }
    /* 2 atanh(s) = f - s (f - 2 z tail), f = m - 1 being exact: the sum of small terms stays
     * small */
    const double f = m - 1.0;
    const double low = s * (f - 2.0 * z * tail) - (double)e * LN2_LOW;
    return (double)e * LN2_HIGH - (low - f);
}

double sonde__log_floored(double x) {
    return sonde__log(x > SONDE__FLOOR ? x : SONDE__FLOOR);
}

/* 2^n for n from -1022 to 1023 */
static double power_of_two(int64_t n) {
    return from_bits((uint64_t)(n + 1023) << 52);
}

static const double inverse_factorial[] = {1.0,
                                           1.0,
                                           1.0 / 2.0,
                                           1.0 / 6.0,
                                           1.0 / 24.0,
                                           1.0 / 120.0,
                                           1.0 / 720.0,
                                           1.0 / 5040.0,
                                           1.0 / 40320.0,
                                           1.0 / 362880.0,
                                           1.0 / 3628800.0,
                                           1.0 / 39916800.0,
                                           1.0 / 479001600.0,
                                           1.0 / 6227020800.0};

/* e^r for |r| <= ln 2 / 2 */
static inline double exp_of_rest(double r) {
    double sum = inverse_factorial[13];
    for (int k = 12; k >= 0; k--) {
        sum = sum * r + inverse_factorial[k];
    }
    return sum;
}

/* adding and subtracting this rounds to a whole number, which is then in its last bits */
#define ROUNDER 0x1.8p52

double sonde__exp(double x) {
    if (!(x > -745.2)) {
        return 0.0;
    }
    if (x > 709.79) {
        return from_bits(UINT64_C(0x7FF0000000000000));
    }
    const double n = (x * INVERSE_LN2 + ROUNDER) - ROUNDER;
    const double r = (x - n * LN2_HIGH) - n * LN2_LOW;
    /* in two halves, so that neither power leaves the range of normal numbers */
    const int64_t power = (int64_t)n;
    const int64_t half = power / 2;
    return exp_of_rest(r) * power_of_two(half) * power_of_two(power - half);
}

double sonde__log_add(double a, double b) {
    const double most = a > b ? a : b;
    const double apart = (a > b ? b : a) - most;
    /* beyond that, nothing changes */
    return apart > -40.0 ? most + sonde__log(1.0 + sonde__exp(apart)) : most;
}

/* e^x for x <= 0, without branches, so that loops over it become vector code */
static inline double weight(double x) {
    const double clipped = x < -708.0 ? -708.0 : x;
    const double shifted = clipped * INVERSE_LN2 + ROUNDER;
    const double n = shifted - ROUNDER;
    const double r = (clipped - n * LN2_HIGH) - n * LN2_LOW;
    const double scale = from_bits((bits_of(shifted) + 1023) << 52);
    return x < -708.0 ? 0.0 : exp_of_rest(r) * scale;
}

#if defined(__wasm_simd128__)
/* The same of two numbers, which compilers for WebAssembly do not find by themselves. */
typedef double pair __attribute__((vector_size(2 * sizeof(double))));
typedef int64_t pair_bits __attribute__((vector_size(2 * sizeof(int64_t))));

static inline pair weights(pair x) {
    const pair_bits far = x < -708.0;
    const pair least = {-708.0, -708.0};
    const pair clipped = (pair)((far & (pair_bits)least) | (~far & (pair_bits)x));
    const pair shifted = clipped * INVERSE_LN2 + ROUNDER;
    const pair n = shifted - ROUNDER;
    const pair r = (clipped - n * LN2_HIGH) - n * LN2_LOW;
    const pair scale = (pair)(((pair_bits)shifted + 1023) << 52);
    pair sum = {inverse_factorial[13], inverse_factorial[13]};
    for (int k = 12; k >= 0; k--) {
        sum = sum * r + inverse_factorial[k];
    }
    return (pair)(~far & (pair_bits)(sum * scale));
}

static double sum_exp(int32_t n, const double *x, double gamma, double least) {
    pair sum[4] = {{0.0, 0.0}};
    int32_t i = 0;
    for (; i + 8 <= n; i += 8) {
        for (int32_t lane = 0; lane < 4; lane++) {
            const pair two = {x[i + 2 * lane], x[i + 2 * lane + 1]};
            sum[lane] += weights(gamma * (least - two));
        }
    }
    for (; i < n; i++) {
        sum[0][0] += weight(gamma * (least - x[i]));
    }
    return ((sum[0][0] + sum[0][1]) + (sum[1][0] + sum[1][1])) +
           ((sum[2][0] + sum[2][1]) + (sum[3][0] + sum[3][1]));
}
#else
SONDE__VECTOR
static double sum_exp(int32_t n, const double *x, double gamma, double least) {
    enum { LANES = 8 };
    double sum[LANES] = {0.0};
    int32_t i = 0;
    for (; i + LANES <= n; i += LANES) {
        for (int32_t lane = 0; lane < LANES; lane++) {
            sum[lane] += weight(gamma * (least - x[i + lane]));
        }
    }
    for (; i < n; i++) {
        sum[0] += weight(gamma * (least - x[i]));
    }
    return ((sum[0] + sum[1]) + (sum[2] + sum[3])) + ((sum[4] + sum[5]) + (sum[6] + sum[7]));
}
#endif

double sonde__sum_exp(int32_t n, const double *x, double gamma, double least) {
    return sum_exp(n, x, gamma, least);
}

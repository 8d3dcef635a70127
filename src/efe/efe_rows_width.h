/* efe_rows_width.h: sums of rows and entropies with vectors of one width.
 *
 * efe_rows.c includes this once for each width, having defined
 *
 *     WIDE         numbers in a vector
 *     NAMED(name)  the name of a function for this width
 *     COMPILED     which processors it is compiled for
 *
 * Nothing depends on the width but speed: every number is made by the same operations in the same
 * order. */

#define wide NAMED(wide)
#define words NAMED(words)
typedef double wide __attribute__((vector_size(WIDE * sizeof(double))));
typedef uint64_t words __attribute__((vector_size(WIDE * sizeof(uint64_t))));

/* ------------------------------------------------------------------------------ sum of rows -- */

/* n_vector vectors of the result, from column `at` on, which stay in registers. */
INLINE void NAMED(sum_tile)(int32_t n_vector, const rows *r, int64_t at, double *out) {
    wide sum[TILE];
    for (int32_t v = 0; v < n_vector; v++) {
        sum[v] = (wide){0.0};
    }
    for (int32_t i = 0; i < r->n; i++) {
        const double *row = r->matrix + (int64_t)r->from[i] * r->n_column + at;
        for (int32_t v = 0; v < n_vector; v++) {
            wide x;
            memcpy(&x, row + (int64_t)v * WIDE, sizeof x);
            sum[v] += r->weight[i] * x;
        }
    }
    memcpy(out + at, sum, (size_t)n_vector * sizeof *sum);
}

/* The next vectors from column `at` on, as many as are left and at most TILE; returns how many. */
INLINE int32_t NAMED(sum_some)(const rows *r, int64_t at, double *out) {
#define SUM(n)                                                                                     \
    case n: NAMED(sum_tile)(n, r, at, out); break
    const int64_t left = (r->n_column - at) / WIDE;
    const int32_t n = left < TILE ? (int32_t)left : TILE;
    switch (n) {
        SUM(1);
        SUM(2);
        SUM(3);
        SUM(4);
        SUM(5);
        SUM(6);
        SUM(7);
        SUM(8);
        SUM(9);
        SUM(10);
        SUM(11);
    default: NAMED(sum_tile)(TILE, r, at, out);
    }
#undef SUM
    return n;
}

COMPILED
static void NAMED(sum_rows)(const rows *r, double *out) {
    const int64_t n = r->n_column;
    int64_t at = 0;
    while (at + WIDE <= n) {
        at += (int64_t)WIDE * NAMED(sum_some)(r, at, out);
    }
    for (; at < n; at++) {
        double sum = 0.0;
        for (int32_t i = 0; i < r->n; i++) {
            sum += r->weight[i] * r->matrix[(int64_t)r->from[i] * n + at];
        }
        out[at] = sum;
    }
}

/* The same for n_set lists of weights, from `set` on, and n_vector vectors of each one's result. */
INLINE void NAMED(sum_sets_tile)(int32_t n_set, int32_t n_vector, const sonde__rows_sets *s,
                                 int32_t set, int64_t at, double *out) {
    wide sum[TILE];
    for (int32_t v = 0; v < n_set * n_vector; v++) {
        sum[v] = (wide){0.0};
    }
    for (int32_t i = 0; i < s->n_support; i++) {
        const double *row = s->matrix + (int64_t)s->support[i] * s->n_column + at;
        const double *weight = s->weight + (int64_t)s->support[i] * s->n_lane + set;
        for (int32_t v = 0; v < n_vector; v++) {
            wide x;
            memcpy(&x, row + (int64_t)v * WIDE, sizeof x);
            for (int32_t j = 0; j < n_set; j++) {
                sum[j * n_vector + v] += weight[j] * x;
            }
        }
    }
    for (int32_t j = 0; j < n_set; j++) {
        memcpy(out + (set + j) * s->n_column + at, sum + (int64_t)j * n_vector,
               (size_t)n_vector * sizeof *sum);
    }
}

/* All sets' results in some columns, of which the rows stay in the first cache meanwhile. */
INLINE void NAMED(sum_sets_some)(int32_t n_vector, const sonde__rows_sets *s, int64_t at,
                                 double *out) {
    int32_t set = 0;
    for (; set + 4 <= s->n_set; set += 4) {
        NAMED(sum_sets_tile)(4, n_vector, s, set, at, out);
    }
    if (set + 2 <= s->n_set) {
        NAMED(sum_sets_tile)(2, n_vector, s, set, at, out);
        set += 2;
    }
    if (set < s->n_set) {
        NAMED(sum_sets_tile)(1, n_vector, s, set, at, out);
    }
}

COMPILED
static void NAMED(sum_sets)(const sonde__rows_sets *s, double *out) {
    enum { N_VECTOR = TILE / 4, N_COLUMN = N_VECTOR * WIDE };
    int64_t at = 0;
    for (; at + N_COLUMN <= s->n_column; at += N_COLUMN) {
        NAMED(sum_sets_some)(N_VECTOR, s, at, out);
    }
    for (; at + WIDE <= s->n_column; at += WIDE) {
        NAMED(sum_sets_some)(1, s, at, out);
    }
    for (; at < s->n_column; at++) {
        for (int32_t j = 0; j < s->n_set; j++) {
            double sum = 0.0;
            for (int32_t i = 0; i < s->n_support; i++) {
                sum += s->weight[(int64_t)s->support[i] * s->n_lane + j] *
                       s->matrix[s->support[i] * s->n_column + at];
            }
            out[j * s->n_column + at] = sum;
        }
    }
}

/* ------------------------------------------------------------------------------- negentropy -- */

/* x ln max(x, 1e-16), the logarithm as sonde__log_floored does it */
INLINE void NAMED(weigh_log)(wide *x) {
    const words small = (words)(*x < SONDE__FLOOR);
    const wide least = (wide){0.0} + SONDE__FLOOR;
    const words bits = ((words)least & small) | ((words)*x & ~small);
    /* the exponent, of which 1023 is taken away later, for there are no signed shifts */
    const words e = (bits - UINT64_C(0x3FE6A09E667F3BCD) + (UINT64_C(1023) << 52)) >> 52;
    const wide m = (wide)(bits - ((e - UINT64_C(1023)) << 52));
    /* 2^52 + e has e in its last bits */
    const wide exponent = (wide)(e | UINT64_C(0x4330000000000000)) - (0x1p52 + 1023.0);
    const wide f = m - 1.0;
    const wide s = f / (m + 1.0);
    const wide z = s * s;
    wide tail = (1.0 / 21.0) * z + 1.0 / 19.0;
    tail = tail * z + 1.0 / 17.0;
    tail = tail * z + 1.0 / 15.0;
    tail = tail * z + 1.0 / 13.0;
    tail = tail * z + 1.0 / 11.0;
    tail = tail * z + 1.0 / 9.0;
    tail = tail * z + 1.0 / 7.0;
    tail = tail * z + 1.0 / 5.0;
    tail = tail * z + 1.0 / 3.0;
    const wide low = s * (f - 2.0 * z * tail) - exponent * LN2_LOW;
    *x *= exponent * LN2_HIGH - (low - f);
}

/* x ln x of n numbers in a row, in place. */
COMPILED
static void NAMED(weigh_all)(int64_t n, double *x) {
    wide last = {0.0};
    if (n < WIDE) {
        memcpy(&last, x, (size_t)n * sizeof *x);
        NAMED(weigh_log)(&last);
        memcpy(x, &last, (size_t)n * sizeof *x);
        return;
    }
    /* what does not fill a vector is a whole one that begins among numbers of the one before,
     * and is made before they are changed */
    const bool is_whole = n % WIDE == 0;
    if (!is_whole) {
        memcpy(&last, x + n - WIDE, sizeof last);
        NAMED(weigh_log)(&last);
    }
    for (int64_t i = 0; i + WIDE <= n; i += WIDE) {
        wide some;
        memcpy(&some, x + i, sizeof some);
        NAMED(weigh_log)(&some);
        memcpy(x + i, &some, sizeof some);
    }
    if (!is_whole) {
        memcpy(x + n - WIDE, &last, sizeof last);
    }
}

#undef wide
#undef words
#undef WIDE
#undef NAMED
#undef COMPILED

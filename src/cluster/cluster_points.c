/* cluster_points.c: the loops in which clustering spends its time.
 *
 * A code has few numbers that are not 0 (a walk has few edges), so the product of a row with four
 * points is a few look-ups: for each number, four multiplications and subtractions side by side.
 * Every sum runs over a row's numbers in order, so that however wide the vectors are, the bytes are
 * the same. */
#include <string.h>

#include "base/vector.h"
#include "cluster/cluster.h"

/* distances this close, relatively, are ties */
#define TIE 1e-9
#define HUGE_HALF 1e300

/* four numbers side by side; compilers cut them to the vectors the processor has */
typedef double lanes __attribute__((vector_size(SONDE__LANES * sizeof(double))));
typedef int64_t masks __attribute__((vector_size(SONDE__LANES * sizeof(int64_t))));
#define INLINE static inline __attribute__((always_inline))

void sonde__points_carve(sonde__arena *arena, int32_t n, int32_t n_code, sonde__points *points) {
    points->n = n;
    points->n_block = n / SONDE__LANES + (n % SONDE__LANES > 0);
    points->n_code = n_code;
    const uint64_t n_lane = (uint64_t)points->n_block * SONDE__LANES;
    points->table = SONDE__TAKE(arena, double, n_lane *(uint64_t)n_code);
    points->half = SONDE__TAKE(arena, double, n_lane);
    points->score = SONDE__TAKE(arena, double, n_lane);
    for (uint64_t i = (uint64_t)n; points->half != NULL && i < n_lane; i++) {
        points->half[i] = HUGE_HALF;
    }
}

void sonde__points_set(sonde__points *points, int32_t i, const double *code, const double *gram) {
    const int32_t n = points->n_code;
    double *table =
        points->table + (int64_t)(i / SONDE__LANES) * n * SONDE__LANES + i % SONDE__LANES;
    double length = 0.0;
    for (int32_t j = 0; j < n; j++) {
        double product = gram == NULL ? code[j] : 0.0;
        for (int32_t l = 0; gram != NULL && l < n; l++) {
            product += gram[(int64_t)j * n + l] * code[l];
        }
        table[(int64_t)j * SONDE__LANES] = product;
        length += code[j] * product;
    }
    points->half[i] = 0.5 * length;
}

/* half - x . table, for row r and the points of block b */
INLINE void score_block(const sonde__points *points, int32_t b, const sonde_embedding *embedding,
                        int32_t r, lanes *score) {
    const int64_t at = (int64_t)r * embedding->n_nonzero_max;
    const int32_t n = embedding->n_nonzero_most; /* the same for all rows, so that it is foreseen */
    const double *table = points->table + (int64_t)b * points->n_code * SONDE__LANES;
    memcpy(score, points->half + (int64_t)b * SONDE__LANES, sizeof *score);
    for (int32_t i = 0; i < n; i++) {
        lanes entry;
        memcpy(&entry, table + (int64_t)embedding->code_column[at + i] * SONDE__LANES,
               sizeof entry);
        *score -= embedding->code_value[at + i] * entry;
    }
}

/* the smaller of two, lane by lane */
INLINE void lower_lanes(lanes *a, const lanes *b) {
    const masks keep = *a < *b;
    *a = (lanes)(((masks)*a & keep) | ((masks)*b & ~keep));
}

/* Rounding may leave a row that lies on a point a hair below 0. */
INLINE double squared(double norm, double score) {
    const double d = norm + 2.0 * score;
    return d > 0.0 ? d : 0.0;
}

/* The smallest of the four, in every lane: halves, then neighbours change places. */
INLINE void spread_lowest(lanes *a) {
    lanes other = __builtin_shufflevector(*a, *a, 2, 3, 0, 1);
    lower_lanes(a, &other);
    other = __builtin_shufflevector(*a, *a, 1, 0, 3, 2);
    lower_lanes(a, &other);
}

/* The nearest point of row r. Which distances are ties depends on the least, so the scores of all
 * blocks are kept and looked at again; a lane that ties offers its number, the others a huge one. */
INLINE int32_t nearest_point(const sonde__points *points, const sonde_embedding *embedding,
                             int32_t r, double *near) {
    const lanes number = {0.0, 1.0, 2.0, 3.0};
    const lanes huge = number + HUGE_HALF;
    lanes least = huge;
    for (int32_t b = 0; b < points->n_block; b++) {
        lanes here;
        score_block(points, b, embedding, r, &here);
        memcpy(points->score + (int64_t)b * SONDE__LANES, &here, sizeof here);
        lower_lanes(&least, &here);
    }
    spread_lowest(&least);
    const double limit = least[0] + 0.5 * TIE * squared(embedding->norm[r], least[0]);
    const lanes limits = limit + 0.0 * number;
    lanes found = huge;
    for (int32_t b = 0; b < points->n_block; b++) {
        lanes here;
        memcpy(&here, points->score + (int64_t)b * SONDE__LANES, sizeof here);
        const masks ties = here <= limits;
        const lanes offered = number + (double)(b * SONDE__LANES);
        const lanes answer = (lanes)(((masks)offered & ties) | ((masks)huge & ~ties));
        lower_lanes(&found, &answer);
    }
    spread_lowest(&found);
    const int32_t c = (int32_t)found[0];
    *near = squared(embedding->norm[r], points->score[c]);
    return c;
}

SONDE__VECTOR
static void nearest_of_rows(const sonde__points *points, const sonde_embedding *embedding,
                            int32_t *label, double *near) {
    for (int32_t r = 0; r < embedding->n_row; r++) {
        label[r] = nearest_point(points, embedding, r, &near[r]);
    }
}

SONDE__VECTOR
static void totals_of_rows(const sonde__points *points, const sonde_embedding *embedding,
                           const double *near, double *total) {
    for (int32_t b = 0; b < points->n_block; b++) {
        lanes sum = {0.0};
        for (int32_t r = 0; r < embedding->n_row; r++) {
            lanes distance;
            score_block(points, b, embedding, r, &distance);
            distance = embedding->norm[r] + 2.0 * distance;
            const lanes zero = {0.0};
            const masks positive = distance > zero;
            distance = (lanes)((masks)distance & positive);
            const lanes bound = near[r] - zero;
            lower_lanes(&distance, &bound);
            sum += (double)embedding->weight[r] * distance;
        }
        memcpy(total + (int64_t)b * SONDE__LANES, &sum, sizeof sum);
    }
}

SONDE__VECTOR
static double lower_rows(const sonde__points *points, int32_t i, const sonde_embedding *embedding,
                         double *near) {
    double total = 0.0;
    for (int32_t r = 0; r < embedding->n_row; r++) {
        lanes score;
        score_block(points, i / SONDE__LANES, embedding, r, &score);
        const double d = squared(embedding->norm[r], score[i % SONDE__LANES]);
        near[r] = d < near[r] ? d : near[r];
        total += (double)embedding->weight[r] * near[r];
    }
    return total;
}

/* The versions of a vector function are chosen by a symbol that would be seen outside the library; so
 * they are static, and these are the ways in. */
void sonde__points_nearest(const sonde__points *points, const sonde_embedding *embedding,
                           int32_t *label, double *near) {
    nearest_of_rows(points, embedding, label, near);
}

void sonde__points_totals(const sonde__points *points, const sonde_embedding *embedding,
                          const double *near, double *total) {
    totals_of_rows(points, embedding, near, total);
}

double sonde__points_lower(const sonde__points *points, int32_t i, const sonde_embedding *embedding,
                           double *near) {
    return lower_rows(points, i, embedding, near);
}

/* cluster_points.c: the rows of an embedding as k-means visits them, with all that it asks of
 * them. */
#include <math.h>
#include <string.h>

#include "base/parallel.h"
#include "cluster/cluster_internal.h"

#define N_LONG_MAX SONDE__LONG_MAX
#define N_LETTER_MAX SONDE__LETTER_MAX
/* vectors of columns that are moved together */
#define N_TOGETHER 4
/* blocks of a stretch */
#define N_STRETCH 32

sonde__points_size sonde__points_most(int32_t n_row, int32_t n_code) {
    const int64_t n_letter = 32 * (int64_t)n_code + 512;
    const int64_t n_long = n_code < N_LONG_MAX ? n_code : N_LONG_MAX;
    return (sonde__points_size){
        .n_row = n_row,
        .n_code = n_code,
        .n_letter = n_letter < N_LETTER_MAX ? (int32_t)n_letter : N_LETTER_MAX,
        .n_cell = 1 + SONDE__POINT_BLOCK * (int32_t)n_long,
        .n_beginning = (int64_t)n_row * n_long,
        .n_single = (int64_t)n_row * n_code,
    };
}

static int32_t n_block(int32_t n) {
    return n / SONDE__POINT_BLOCK + (n % SONDE__POINT_BLOCK > 0);
}

int32_t sonde__points_n_block(const sonde__points *points) {
    return n_block(points->n);
}

int32_t sonde__points_in_block(const sonde__points *points, int32_t block) {
    const int32_t rest = points->n - block * SONDE__POINT_BLOCK;
    return rest < SONDE__POINT_BLOCK ? rest : SONDE__POINT_BLOCK;
}

/* what the tasks share */
typedef struct {
    int32_t n_block;
    sonde__stretch work;
    void *context;
} stretches;

static void do_stretch(void *context, int32_t task, int32_t worker) {
    const stretches *all = context;
    const int32_t begin = task * N_STRETCH;
    all->work(all->context, begin, lower_number(begin + N_STRETCH, all->n_block), worker);
}

sonde_status sonde__points_stretches(const sonde__points *points, const sonde_run *run,
                                     sonde__stretch work, void *context) {
    const int32_t n = n_block(points->n);
    stretches all = {.n_block = n, .work = work, .context = context};
    return sonde__parallel(run, n / N_STRETCH + (n % N_STRETCH > 0), NULL, do_stretch, &all);
}

void sonde__points_carve_order(sonde__arena *arena, int32_t n_row, int32_t n_code,
                               sonde__points *points) {
    points->row = SONDE__TAKE(arena, int32_t, n_row);
    points->other = SONDE__TAKE(arena, int32_t, n_row);
    points->most = SONDE__TAKE(arena, int32_t, n_code);
    points->letter_of = SONDE__TAKE(arena, int32_t, n_code);
    points->block_beginning = SONDE__TAKE(arena, int64_t, n_block(n_row) + 1);
}

void sonde__points_carve(sonde__arena *arena, const sonde__points_size *size,
                         sonde__points *points) {
    points->room = *size;
    points->weight = SONDE__TAKE(arena, int32_t, size->n_row);
    points->norm = SONDE__TAKE(arena, double, size->n_row);
    points->after = SONDE__TAKE(arena, uint16_t, size->n_row);
    points->letter = SONDE__TAKE(arena, uint16_t, size->n_row);
    points->beginning_after = SONDE__TAKE(arena, uint16_t, size->n_beginning);
    points->beginning_letter = SONDE__TAKE(arena, uint16_t, size->n_beginning);
    points->single = SONDE__TAKE(arena, float, size->n_single);
    points->extent = SONDE__TAKE(arena, sonde__extent, n_block(size->n_row));
}

/* Squared length of the row of point i, or of its code. */
static double squared_length(const sonde__points *points, int32_t i, const double *gram) {
    const int32_t n = points->embedding->n_code;
    double length = 0.0;
    for (int32_t j = 0; j < n; j++) {
        const double number = number_at(points, i, j);
        double product = gram == NULL ? number : 0.0;
        for (int32_t l = 0; gram != NULL && number != 0.0 && l < n; l++) {
            product += gram[(int64_t)j * n + l] * number_at(points, i, l);
        }
        length += number * product;
    }
    return length > 0.0 ? length : 0.0;
}

/* A code of small numbers, summed up: how many are not 0, their sum, the sum of their squares. */
typedef struct {
    int32_t n_letter;
    int32_t sum;
    int32_t square;
} digest;

SONDE__VECTOR
static digest digest_small(const uint8_t *code, int32_t n) {
    digest d = {0, 0, 0};
    for (int32_t j = 0; j < n; j++) {
        const int32_t number = code[j];
        d.n_letter += number != 0 ? 1 : 0;
        d.sum += number;
        d.square += number * number;
    }
    return d;
}

/* Fills in point i. */
static void measure(const sonde__points *points, int32_t i, sonde__extent *extent) {
    const sonde_embedding *embedding = points->embedding;
    const int32_t n = embedding->n_code;
    double length = 0.0;
    if (points->worded) {
        const digest d = digest_small(embedding->small + (int64_t)points->row[i] * n, n);
        extent->n_long = higher_number(extent->n_long, d.n_letter);
        extent->largest = higher_number(extent->largest, d.sum);
        length = (double)d.square;
    } else {
        length = squared_length(points, i, NULL);
        for (int32_t j = 0; j < n; j++) {
            points->single[(int64_t)i * n + j] = (float)number_at(points, i, j);
        }
    }
    points->weight[i] = embedding->weight[points->row[i]];
    points->norm[i] = embedding->gram != NULL ? squared_length(points, i, embedding->gram) : length;
    extent->heaviest = higher_number(extent->heaviest, points->weight[i]);
    extent->longest = length > extent->longest ? length : extent->longest;
}

static void fill_stretch(void *context, int32_t first, int32_t end, int32_t worker) {
    (void)worker;
    const sonde__points *points = context;
    for (int32_t b = first; b < end; b++) {
        const int32_t begin = b * SONDE__POINT_BLOCK;
        points->extent[b] = (sonde__extent){0};
        for (int32_t i = begin; i < begin + sonde__points_in_block(points, b); i++) {
            measure(points, i, &points->extent[b]);
        }
        if (points->worded) {
            sonde__points_spell(points, b);
        }
    }
}

sonde_status sonde__points_fill(const sonde_run *run, const sonde__points_size *size,
                                sonde__points *points) {
    const int32_t n = n_block(points->n);
    points->worded = points->worded && size->n_letter <= points->room.n_letter &&
                     size->n_cell <= points->room.n_cell &&
                     size->n_beginning <= points->room.n_beginning;
    const sonde_status status = sonde__points_stretches(points, run, fill_stretch, points);
    sonde__extent all = {0};
    for (int32_t b = 0; b < n && status == SONDE_OK; b++) {
        const sonde__extent *extent = &points->extent[b];
        all.heaviest = higher_number(all.heaviest, extent->heaviest);
        all.n_long = higher_number(all.n_long, extent->n_long);
        all.largest = higher_number(all.largest, extent->largest);
        all.longest = extent->longest > all.longest ? extent->longest : all.longest;
    }
    points->heaviest = all.heaviest;
    points->n_long = all.n_long;
    points->largest = all.largest;
    points->reach = sqrt(all.longest);
    return status;
}

int32_t sonde__points_n_part(int32_t n_code) {
    return (n_code + EIGHT - 1) / EIGHT * EIGHT;
}

/* Eight numbers, from bytes: they become the last bits of doubles from 2^52 on, and those less
 * 2^52. */
#define EIGHT_NUMBERS(bytes)                                                                       \
    ((eight)((((eight_mask){0} + (bytes)) >> (eight_mask){0, 8, 16, 24, 32, 40, 48, 56} & 255) |   \
             (eight_mask)((eight){0.0} + 0x1p52)) -                                                \
     0x1p52)

INLINE void move_mass(const sonde__change *change, double weight, double *mass) {
    mass[change->to] += weight;
    if (change->from >= 0) {
        mass[change->from] -= weight;
    }
}

/* Columns j to j + EIGHT - 1 of a small code, times a weight; what stands behind a code is
 * another's, and moved about as well as anything. */
INLINE void read_part(const sonde__points *points, int32_t point, int32_t j, eight *part) {
    const sonde_embedding *embedding = points->embedding;
    const int64_t at = (int64_t)points->row[point] * embedding->n_code + j;
    const int64_t rest = (int64_t)embedding->n_row * embedding->n_code - at;
    int64_t bytes = 0;
    if (rest >= EIGHT) {
        memcpy(&bytes, embedding->small + at, sizeof bytes);
    } else if (rest > 0) {
        memcpy(&bytes, embedding->small + at, (size_t)rest);
    }
    *part = (double)points->weight[point] * EIGHT_NUMBERS(bytes);
}

/* Moves n vectors of columns, from column j on. A point that changes its cluster in several
 * restarts, all of which are listed one after the other, is read once. */
INLINE void move_columns(const sonde__points *points, int32_t n_change, const sonde__change *change,
                         int32_t j, int32_t n, double *sum) {
    const int32_t n_part = sonde__points_n_part(points->embedding->n_code);
    eight part[N_TOGETHER] = {{0.0}};
    int32_t point = -1;
    for (int32_t i = 0; i < n_change; i++) {
        if (change[i].point != point) {
            point = change[i].point;
            for (int32_t v = 0; v < n; v++) {
                read_part(points, point, j + v * EIGHT, &part[v]);
            }
        }
        eight *to = (eight *)(sum + (int64_t)change[i].to * n_part + j);
        for (int32_t v = 0; v < n; v++) {
            to[v] += part[v];
        }
        if (change[i].from >= 0) {
            eight *from = (eight *)(sum + (int64_t)change[i].from * n_part + j);
            for (int32_t v = 0; v < n; v++) {
                from[v] -= part[v];
            }
        }
    }
}

/* Moves small codes. */
SONDE__VECTOR
static void move_small(const sonde__points *points, int32_t n, const sonde__change *change,
                       double *sum, double *mass) {
    const int32_t n_vector = sonde__points_n_part(points->embedding->n_code) / EIGHT;
    for (int32_t i = 0; i < n; i++) {
        move_mass(&change[i], (double)points->weight[change[i].point], mass);
    }
    int32_t v = 0;
    for (; v + N_TOGETHER <= n_vector; v += N_TOGETHER) {
        move_columns(points, n, change, v * EIGHT, N_TOGETHER, sum);
    }
    switch (n_vector - v) {
    case 1: move_columns(points, n, change, v * EIGHT, 1, sum); break;
    case 2: move_columns(points, n, change, v * EIGHT, 2, sum); break;
    case 3: move_columns(points, n, change, v * EIGHT, 3, sum); break;
    default: break;
    }
}

SONDE__VECTOR
static void move_dense(const sonde__points *points, int32_t n, const sonde__change *change,
                       double *sum, double *mass) {
    const int32_t n_code = points->embedding->n_code;
    const int32_t n_part = sonde__points_n_part(n_code);
    for (int32_t i = 0; i < n; i++) {
        const double weight = (double)points->weight[change[i].point];
        const double *code =
            points->embedding->code + (int64_t)points->row[change[i].point] * n_code;
        double *restrict to = sum + (int64_t)change[i].to * n_part;
        for (int32_t j = 0; j < n_code; j++) {
            to[j] += weight * code[j];
        }
        double *restrict from = change[i].from >= 0 ? sum + (int64_t)change[i].from * n_part : NULL;
        for (int32_t j = 0; j < n_code && from != NULL; j++) {
            from[j] -= weight * code[j];
        }
        move_mass(&change[i], weight, mass);
    }
}

void sonde__points_move(const sonde__points *points, int32_t n, const sonde__change *change,
                        double *sum, double *mass) {
    if (points->embedding->small != NULL) {
        move_small(points, n, change, sum, mass);
    } else {
        move_dense(points, n, change, sum, mass);
    }
}

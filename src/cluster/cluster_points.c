/* cluster_points.c: the rows of an embedding as words in dictionary order.
 *
 * Dictionary order is the order of the codes' bytes: rows that agree in their first columns stand
 * together, and what they agree in are the letters that their words share. Sorting is by digits, from
 * the last columns to the first, each digit being as many columns as a small table of counts can
 * tell apart. */
#include <math.h>
#include <string.h>

#include "base/vector.h"
#include "cluster/cluster.h"

/* values of a digit */
#define N_DIGIT 2048
#define N_LETTER_MAX 65535
#define N_LONG_MAX SONDE__LONG_MAX

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

void sonde__points_carve_order(sonde__arena *arena, int32_t n_row, int32_t n_code,
                               sonde__points *points) {
    points->row = SONDE__TAKE(arena, int32_t, n_row);
    points->other = SONDE__TAKE(arena, int32_t, n_row);
    points->most = SONDE__TAKE(arena, int32_t, n_code);
    points->letter_of = SONDE__TAKE(arena, int32_t, n_code);
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
    points->block_beginning = SONDE__TAKE(arena, int64_t, n_block(size->n_row) + 1);
    points->code = SONDE__TAKE(arena, double, size->n_code);
}

/* The largest number of each column, and with them the alphabet: as many letters for a column as it
 * has numbers besides 0. */
static int64_t find_alphabet(const sonde_embedding *embedding, int32_t *most, int32_t *letter_of) {
    const int32_t n = embedding->n_code;
    memset(most, 0, (size_t)n * sizeof *most);
    for (int32_t r = 0; r < embedding->n_row; r++) {
        const uint8_t *code = embedding->small + (int64_t)r * n;
        for (int32_t j = 0; j < n; j++) {
            most[j] = code[j] > most[j] ? code[j] : most[j];
        }
    }
    int64_t n_letter = 0;
    for (int32_t j = 0; j < n; j++) {
        letter_of[j] = n_letter < N_LETTER_MAX ? (int32_t)n_letter : N_LETTER_MAX;
        n_letter += most[j];
    }
    return n_letter + 1;
}

/* Sorts rows by the columns first to end - 1, which make one digit; equal ones stay in order. */
static void sort_digit(const sonde_embedding *embedding, const int32_t *most, int32_t first,
                       int32_t end, const int32_t *from, int32_t *to) {
    const int32_t n = embedding->n_row;
    int32_t count[N_DIGIT + 1] = {0};
    for (int pass = 0; pass < 2; pass++) {
        for (int32_t i = 0; i < n; i++) {
            const uint8_t *code = embedding->small + (int64_t)from[i] * embedding->n_code;
            int32_t digit = 0;
            for (int32_t j = first; j < end; j++) {
                digit = digit * (most[j] + 1) + code[j];
            }
            if (pass == 0) {
                count[digit + 1]++;
            } else {
                to[count[digit]++] = from[i];
            }
        }
        for (int32_t d = 0; pass == 0 && d < N_DIGIT; d++) {
            count[d + 1] += count[d];
        }
    }
}

static void sort_rows(const sonde_embedding *embedding, sonde__points *points) {
    for (int32_t i = 0; i < embedding->n_row; i++) {
        points->row[i] = i;
    }
    for (int32_t end = embedding->n_code; end > 0;) {
        int32_t first = end - 1;
        int32_t n_value = points->most[first] + 1;
        while (first > 0 && n_value * (points->most[first - 1] + 1) <= N_DIGIT) {
            first--;
            n_value *= points->most[first] + 1;
        }
        if (n_value > 1) {
            sort_digit(embedding, points->most, first, end, points->row, points->other);
            int32_t *sorted = points->other;
            points->other = points->row;
            points->row = sorted;
        }
        end = first;
    }
}

/* The code of point i. */
static const uint8_t *code_at(const sonde__points *points, int32_t i) {
    return points->embedding->small + (int64_t)points->row[i] * points->embedding->n_code;
}

/* Where word i parts from the one before in its block: the first column in which they differ, and the
 * letters that come before it. */
static int32_t shared_at(const sonde__points *points, int32_t i, int32_t *n_shared) {
    const int32_t n = points->embedding->n_code;
    int32_t j = 0;
    *n_shared = 0;
    if (i % SONDE__POINT_BLOCK != 0) {
        const uint8_t *code = code_at(points, i);
        const uint8_t *other = code_at(points, i - 1);
        for (; j < n && code[j] == other[j]; j++) {
            *n_shared += code[j] != 0;
        }
    }
    return j;
}

/* Spells word i of those in order: the letters that it does not share with the one before become
 * beginnings, and the last of them ends the word. `cell_of` has the cells of the present word's
 * beginnings, by their length; 0 where a whole word has got none, as nothing went on from it yet. */
typedef struct {
    sonde__points *points; /* or NULL: only count */
    int32_t n_letter;      /* of the word before */
    uint16_t cell_of[SONDE__LONG_MAX + 2];
    uint16_t last_letter;
    int32_t n_cell; /* of the block */
    int32_t n_cell_most;
    int64_t n_beginning;
} speller;

/* The word as far as its letter number `length`, which is the last one so far. */
static void add_beginning(speller *s, uint16_t letter, int32_t length) {
    if (s->points != NULL) {
        s->points->beginning_after[s->n_beginning] = s->cell_of[length - 1];
        s->points->beginning_letter[s->n_beginning] = letter;
    }
    s->n_beginning++;
    s->cell_of[length] = (uint16_t)s->n_cell++;
}

static void begin_block(speller *s, int32_t block) {
    s->n_letter = 0;
    s->n_cell = 1; /* the first is that of nothing */
    if (s->points != NULL) {
        s->points->block_beginning[block] = s->n_beginning;
    }
}

static void spell_word(speller *s, const sonde__points *points, int32_t i) {
    const uint8_t *code = code_at(points, i);
    int32_t n_shared = 0;
    const int32_t first = shared_at(points, i, &n_shared);
    if (n_shared > 0 && n_shared == s->n_letter) {
        add_beginning(s, s->last_letter, n_shared);
    }
    int32_t n = n_shared;
    int32_t last = points->n_letter - 1;
    for (int32_t j = first; j < points->embedding->n_code && n <= N_LONG_MAX; j++) {
        if (code[j] == 0) {
            continue;
        }
        if (n > n_shared) {
            add_beginning(s, (uint16_t)last, n);
        }
        last = points->letter_of[j] + code[j] - 1;
        n++;
    }
    if (s->points != NULL) {
        s->points->after[i] = n > 0 ? s->cell_of[n - 1] : 0;
        s->points->letter[i] = (uint16_t)last;
    }
    s->n_letter = n;
    s->last_letter = (uint16_t)last;
    s->n_cell_most = s->n_cell > s->n_cell_most ? s->n_cell : s->n_cell_most;
}

/* Counts or spells all words; false if one is too long. */
static bool spell(speller *s, const sonde__points *points) {
    s->n_beginning = 0;
    s->n_cell_most = 1;
    s->cell_of[0] = 0;
    for (int32_t i = 0; i < points->n; i++) {
        if (i % SONDE__POINT_BLOCK == 0) {
            begin_block(s, i / SONDE__POINT_BLOCK);
        }
        spell_word(s, points, i);
        if (s->n_letter > N_LONG_MAX) {
            return false;
        }
    }
    begin_block(s, n_block(points->n));
    return true;
}

sonde__points_size sonde__points_order(const sonde_embedding *embedding, sonde__points *points) {
    sonde__points_size size = {.n_row = embedding->n_row,
                               .n_code = embedding->n_code,
                               .n_cell = 1,
                               .n_single = (int64_t)embedding->n_row * embedding->n_code};
    points->embedding = embedding;
    points->n = embedding->n_row;
    points->n_letter = 0;
    points->worded = false;
    for (int32_t i = 0; i < points->n; i++) {
        points->row[i] = i;
    }
    if (embedding->small == NULL) {
        return size;
    }
    const int64_t n_letter = find_alphabet(embedding, points->most, points->letter_of);
    if (n_letter > N_LETTER_MAX) {
        return size;
    }
    sort_rows(embedding, points);
    points->n_letter = (int32_t)n_letter;
    speller count = {0};
    points->worded = spell(&count, points);
    if (points->worded) {
        size.n_letter = points->n_letter;
        size.n_cell = count.n_cell_most;
        size.n_beginning = count.n_beginning;
        size.n_single = 0;
    }
    return size;
}

/* Squared length of the row of a code. */
static double squared_length(const double *code, int32_t n, const double *gram) {
    double length = 0.0;
    for (int32_t j = 0; j < n; j++) {
        double product = gram == NULL ? code[j] : 0.0;
        for (int32_t l = 0; gram != NULL && code[j] != 0.0 && l < n; l++) {
            product += gram[(int64_t)j * n + l] * code[l];
        }
        length += code[j] * product;
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

static int32_t larger(int32_t a, int32_t b) {
    return a > b ? a : b;
}

/* The squared lengths of point i: of its code, which it returns, and of its row. */
static double measure(sonde__points *points, int32_t i) {
    const sonde_embedding *embedding = points->embedding;
    const int32_t n = embedding->n_code;
    double length = 0.0;
    if (points->worded) {
        const digest d = digest_small(code_at(points, i), n);
        points->n_long = larger(points->n_long, d.n_letter);
        points->largest = larger(points->largest, d.sum);
        length = (double)d.square;
    }
    if (!points->worded || embedding->gram != NULL) {
        sonde__embedding_code(embedding, points->row[i], points->code);
        length = squared_length(points->code, n, NULL);
    }
    for (int32_t j = 0; !points->worded && j < n; j++) {
        points->single[(int64_t)i * n + j] = (float)points->code[j];
    }
    points->norm[i] =
        embedding->gram != NULL ? squared_length(points->code, n, embedding->gram) : length;
    return length;
}

void sonde__points_fill(const sonde__points_size *size, sonde__points *points) {
    points->worded = points->worded && size->n_letter <= points->room.n_letter &&
                     size->n_cell <= points->room.n_cell &&
                     size->n_beginning <= points->room.n_beginning;
    points->heaviest = 0;
    points->n_long = 0;
    points->largest = 0;
    double longest = 0.0;
    for (int32_t i = 0; i < points->n; i++) {
        points->weight[i] = points->embedding->weight[points->row[i]];
        points->heaviest = larger(points->heaviest, points->weight[i]);
        const double length = measure(points, i);
        longest = length > longest ? length : longest;
    }
    points->reach = sqrt(longest);
    if (points->worded) {
        speller all = {.points = points};
        (void)spell(&all, points);
    }
}

void sonde__points_fetch(const sonde__points *points, int32_t i) {
    enum { N_BYTE = 64 }; /* that come at a time */
    const sonde_embedding *embedding = points->embedding;
    const int64_t n = embedding->n_code;
    if (points->worded) {
        __builtin_prefetch(embedding->small + points->row[i] * n);
        return;
    }
    const char *single = (const char *)(points->single + i * n);
    for (int64_t at = 0; at < n * (int64_t)sizeof *points->single; at += N_BYTE) {
        __builtin_prefetch(single + at);
    }
}

#define EIGHT SONDE__LANES_DOUBLE
typedef double eight __attribute__((vector_size(EIGHT * sizeof(double))));
typedef int64_t eight_bits __attribute__((vector_size(EIGHT * sizeof(int64_t))));

int32_t sonde__points_n_part(int32_t n_code) {
    return (n_code + EIGHT - 1) / EIGHT * EIGHT;
}

/* Eight numbers, from bytes: they become the last bits of doubles from 2^52 on, and those less 2^52. */
#define EIGHT_NUMBERS(bytes)                                                                       \
    ((eight)((((eight_bits){0} + (bytes)) >> (eight_bits){0, 8, 16, 24, 32, 40, 48, 56} & 255) |   \
             (eight_bits)((eight){0.0} + 0x1p52)) -                                                \
     0x1p52)

/* Moves small codes; what stands behind a code is another's, and moved about as well as anything. */
SONDE__VECTOR
static void move_small(const sonde__points *points, int32_t n, const sonde__change *change,
                       double *restrict sum, double *restrict mass) {
    const sonde_embedding *embedding = points->embedding;
    const int32_t n_code = embedding->n_code;
    const int32_t n_part = sonde__points_n_part(n_code);
    const int64_t n_byte = (int64_t)embedding->n_row * n_code;
    for (int32_t i = 0; i < n; i++) {
        const double weight = (double)points->weight[change[i].point];
        const int64_t at = (int64_t)points->row[change[i].point] * n_code;
        double *from = sum + change[i].from * n_part;
        double *to = sum + change[i].to * n_part;
        for (int32_t j = 0; j < n_part; j += EIGHT) {
            int64_t bytes = 0;
            if (at + j + EIGHT <= n_byte) {
                memcpy(&bytes, embedding->small + at + j, sizeof bytes);
            } else if (at + j < n_byte) {
                memcpy(&bytes, embedding->small + at + j, (size_t)(n_byte - at - j));
            }
            const eight part = weight * EIGHT_NUMBERS(bytes);
            *(eight *)(from + j) -= part;
            *(eight *)(to + j) += part;
        }
        mass[change[i].from] -= weight;
        mass[change[i].to] += weight;
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
        double *restrict from = sum + change[i].from * n_part;
        double *restrict to = sum + change[i].to * n_part;
        for (int32_t j = 0; j < n_code; j++) {
            const double part = weight * code[j];
            from[j] -= part;
            to[j] += part;
        }
        mass[change[i].from] -= weight;
        mass[change[i].to] += weight;
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

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
        .n_new = (int64_t)n_row * (n_long > 0 ? n_long : 1),
    };
}

static int32_t n_block(int32_t n) {
    return n / SONDE__POINT_BLOCK + (n % SONDE__POINT_BLOCK > 0);
}

int32_t sonde__points_n_block(const sonde__points *points) {
    return n_block(points->n);
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
    points->letter_column = SONDE__TAKE(arena, int32_t, size->n_letter);
    points->letter_value = SONDE__TAKE(arena, double, size->n_letter);
    points->letter = SONDE__TAKE(arena, uint16_t, size->n_new);
    points->after = SONDE__TAKE(arena, uint16_t, size->n_new);
    points->cell = SONDE__TAKE(arena, uint16_t, size->n_new);
    points->block_letter = SONDE__TAKE(arena, int64_t, n_block(size->n_row) + 1);
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

/* Letters of the code before the first column in which it differs from the other. */
static int32_t count_shared(const uint8_t *code, const uint8_t *other, int32_t n) {
    int32_t n_shared = 0;
    for (int32_t j = 0; j < n && code[j] == other[j]; j++) {
        n_shared += code[j] != 0;
    }
    return n_shared;
}

static int32_t count_letters(const uint8_t *code, int32_t n) {
    int32_t n_letter = 0;
    for (int32_t j = 0; j < n; j++) {
        n_letter += code[j] != 0;
    }
    return n_letter;
}

/* The code of point i. */
static const uint8_t *code_at(const sonde__points *points, int32_t i) {
    return points->embedding->small + (int64_t)points->row[i] * points->embedding->n_code;
}

/* Letters that the word of point i has in common with the one before in its block. */
static int32_t shared_at(const sonde__points *points, int32_t i) {
    return i % SONDE__POINT_BLOCK == 0 ? 0
                                       : count_shared(code_at(points, i), code_at(points, i - 1),
                                                      points->embedding->n_code);
}

sonde__points_size sonde__points_order(const sonde_embedding *embedding, sonde__points *points) {
    sonde__points_size size = {.n_row = embedding->n_row, .n_code = embedding->n_code};
    points->embedding = embedding;
    points->n = embedding->n_row;
    points->n_letter = 0;
    points->n_long = 0;
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
    for (int32_t i = 0; i < points->n; i++) {
        const int32_t length = count_letters(code_at(points, i), embedding->n_code);
        points->n_long = length > points->n_long ? length : points->n_long;
        size.n_new += length > 0 ? length - shared_at(points, i) : 1;
    }
    points->worded = points->n_long <= N_LONG_MAX;
    points->n_letter = points->worded ? (int32_t)n_letter : 0;
    size.n_letter = points->n_letter;
    size.n_new = points->worded ? size.n_new : 0;
    return size;
}

/* Adds a letter to word i, at a place of it; `cell_of` has the cells of its beginnings. */
static void add_letter(sonde__points *points, int64_t end, int32_t letter, int32_t place,
                       uint16_t *cell_of) {
    points->letter[end] = (uint16_t)letter;
    points->after[end] = cell_of[place];
    points->cell[end] = cell_of[place + 1] = (uint16_t)(place + 1);
}

/* Spells all words: the letters that they do not share with the ones before. (Only the first word can
 * be empty: it gets the letter that takes up no room.) */
static void spell(sonde__points *points) {
    const int32_t n_code = points->embedding->n_code;
    uint16_t cell_of[SONDE__LONG_MAX + 2] = {0};
    int64_t end = 0;
    for (int32_t i = 0; i < points->n; i++) {
        const uint8_t *code = code_at(points, i);
        if (i % SONDE__POINT_BLOCK == 0) {
            points->block_letter[i / SONDE__POINT_BLOCK] = end;
        }
        const int32_t n_shared = shared_at(points, i);
        int32_t n = 0;
        for (int32_t j = 0; j < n_code; j++) {
            if (code[j] != 0 && n++ >= n_shared) {
                add_letter(points, end++, points->letter_of[j] + code[j] - 1, n - 1, cell_of);
            }
        }
        if (n == 0) {
            add_letter(points, end++, points->n_letter - 1, 0, cell_of);
            n = 1;
        }
        /* the last letter makes it a whole word, which a longer one may go on from */
        points->cell[end - 1] = cell_of[n] =
            (uint16_t)(SONDE__CELL_OF_WORD + i % SONDE__POINT_BLOCK);
    }
    points->block_letter[n_block(points->n)] = end;
}

static void fill_alphabet(sonde__points *points) {
    for (int32_t j = 0; j < points->embedding->n_code; j++) {
        for (int32_t value = 1; value <= points->most[j]; value++) {
            points->letter_column[points->letter_of[j] + value - 1] = j;
            points->letter_value[points->letter_of[j] + value - 1] = (double)value;
        }
    }
    points->letter_column[points->n_letter - 1] = 0;
    points->letter_value[points->n_letter - 1] = 0.0;
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

void sonde__points_fill(const sonde__points_size *size, sonde__points *points) {
    const sonde_embedding *embedding = points->embedding;
    points->worded = points->worded && size->n_letter <= points->room.n_letter &&
                     size->n_new <= points->room.n_new;
    double longest = 0.0;
    for (int32_t i = 0; i < points->n; i++) {
        points->weight[i] = embedding->weight[points->row[i]];
        sonde__embedding_code(embedding, points->row[i], points->code);
        points->norm[i] = squared_length(points->code, embedding->n_code, embedding->gram);
        const double length = squared_length(points->code, embedding->n_code, NULL);
        longest = length > longest ? length : longest;
    }
    points->reach = sqrt(longest);
    if (points->worded) {
        fill_alphabet(points);
        spell(points);
    }
}

void sonde__points_fetch(const sonde__points *points, int32_t i) {
    const sonde_embedding *embedding = points->embedding;
    const int64_t at = (int64_t)points->row[i] * embedding->n_code;
    __builtin_prefetch(embedding->small != NULL ? (const void *)(embedding->small + at)
                                                : (const void *)(embedding->code + at));
}

SONDE__VECTOR
static void move_small(const uint8_t *restrict code, int32_t n, double weight,
                       double *restrict from, double *restrict to) {
    for (int32_t j = 0; j < n; j++) {
        const double part = weight * (double)code[j];
        from[j] -= part;
        to[j] += part;
    }
}

SONDE__VECTOR
static void move_dense(const double *restrict code, int32_t n, double weight, double *restrict from,
                       double *restrict to) {
    for (int32_t j = 0; j < n; j++) {
        const double part = weight * code[j];
        from[j] -= part;
        to[j] += part;
    }
}

void sonde__points_move(const sonde__points *points, int32_t i, double *restrict from,
                        double *restrict to) {
    const sonde_embedding *embedding = points->embedding;
    const double weight = (double)points->weight[i];
    const int64_t at = (int64_t)points->row[i] * embedding->n_code;
    if (embedding->small != NULL) {
        move_small(embedding->small + at, embedding->n_code, weight, from, to);
    } else {
        move_dense(embedding->code + at, embedding->n_code, weight, from, to);
    }
}

/* cluster_words.c: the rows of an embedding as words in dictionary order.
 *
 * Dictionary order is the order of the codes' bytes: rows that agree in their first columns stand
 * together, and what they agree in are the letters that their words share. Sorting is by digits,
 * each of as many columns as a small table of counts can tell apart: by the first one if there are
 * rows enough, which parts them into buckets, and every bucket from the last to the second. */
#include <string.h>

#include "base/parallel.h"
#include "cluster/cluster_internal.h"

/* values of a digit, and of the one that parts rows into buckets */
#define N_DIGIT 2048
#define N_BUCKET 64
#define N_LETTER_MAX SONDE__LETTER_MAX
#define N_LONG_MAX SONDE__LONG_MAX

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

/* The columns first to end - 1, which make one digit of n_value values. */
typedef struct {
    int32_t first;
    int32_t end;
    int32_t n_value;
} digit;

/* The first digit, of at most `most` values: none, if the first column has more. */
static digit first_digit(const sonde__points *points, int32_t most) {
    digit d = {.first = 0, .end = 0, .n_value = 1};
    while (d.end < points->embedding->n_code && d.n_value * (points->most[d.end] + 1) <= most) {
        d.n_value *= points->most[d.end] + 1;
        d.end++;
    }
    return d;
}

/* The digit that ends before column `end` and begins no earlier than column `first`. */
static digit digit_before(const sonde__points *points, int32_t first, int32_t end) {
    digit d = {.first = end - 1, .end = end, .n_value = points->most[end - 1] + 1};
    while (d.first > first && d.n_value * (points->most[d.first - 1] + 1) <= N_DIGIT) {
        d.first--;
        d.n_value *= points->most[d.first] + 1;
    }
    return d;
}

/* Sorts n rows by a digit; equal ones stay in order. Leaves where each value's rows end. */
static void sort_digit(const sonde__points *points, digit d, const int32_t *from, int32_t n,
                       int32_t *to, int32_t *end_of) {
    const sonde_embedding *embedding = points->embedding;
    const int32_t *most = points->most;
    memset(end_of, 0, (size_t)d.n_value * sizeof *end_of);
    for (int pass = 0; pass < 2; pass++) {
        for (int32_t i = 0; i < n; i++) {
            const uint8_t *code = embedding->small + (int64_t)from[i] * embedding->n_code;
            int32_t value = 0;
            for (int32_t j = d.first; j < d.end; j++) {
                value = value * (most[j] + 1) + code[j];
            }
            if (pass == 0) {
                end_of[value]++;
            } else {
                to[end_of[value]++] = from[i];
            }
        }
        int32_t begin = 0;
        for (int32_t v = 0; pass == 0 && v < d.n_value; v++) {
            const int32_t count = end_of[v];
            end_of[v] = begin;
            begin += count;
        }
    }
}

typedef struct {
    const sonde__points *points;
    digit first;              /* which rows are sorted by */
    int32_t end_of[N_BUCKET]; /* (first.n_value) */
} sorter;

/* How many digits follow the first; those that tell nothing apart do not count. */
static int32_t count_digits(const sorter *s) {
    int32_t n = 0;
    for (int32_t end = s->points->embedding->n_code; end > s->first.end;) {
        const digit d = digit_before(s->points, s->first.end, end);
        n += d.n_value > 1 ? 1 : 0;
        end = d.first;
    }
    return n;
}

/* Sorts a bucket by the digits that follow the first. */
static void sort_bucket(void *context, int32_t task, int32_t worker) {
    (void)worker;
    const sorter *s = context;
    int32_t end_of[N_DIGIT];
    const int32_t begin = task > 0 ? s->end_of[task - 1] : 0;
    const int32_t n = s->end_of[task] - begin;
    int32_t *from = s->points->row + begin;
    int32_t *to = s->points->other + begin;
    for (int32_t end = s->points->embedding->n_code; end > s->first.end;) {
        const digit d = digit_before(s->points, s->first.end, end);
        if (d.n_value > 1) {
            sort_digit(s->points, d, from, n, to, end_of);
            int32_t *sorted = to;
            to = from;
            from = sorted;
        }
        end = d.first;
    }
}

static void swap_rows(sonde__points *points) {
    int32_t *other = points->other;
    points->other = points->row;
    points->row = other;
}

static sonde_status sort_rows(const sonde_run *run, sonde__points *points) {
    const int32_t n = points->n;
    /* counting takes no longer than sorting, then */
    const int32_t n_bucket = lower_number(n / N_DIGIT, N_BUCKET);
    sorter s = {.points = points, .first = first_digit(points, n_bucket)};
    s.end_of[0] = n;
    if (s.first.n_value > 1) {
        sort_digit(points, s.first, points->row, n, points->other, s.end_of);
        swap_rows(points);
    }
    const sonde_status status = sonde__parallel(run, s.first.n_value, NULL, sort_bucket, &s);
    if (count_digits(&s) % 2 == 1) {
        swap_rows(points);
    }
    return status;
}

/* The code of point i. */
static const uint8_t *code_at(const sonde__points *points, int32_t i) {
    return points->embedding->small + (int64_t)points->row[i] * points->embedding->n_code;
}

/* Where word i parts from the one before in its block: the first column in which they differ,
 * and the letters that come before it. */
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

/* Spells the words of a block: the letters that one does not share with the word before become
 * beginnings, and the last of them ends the word. `cell_of` has the cells of the present word's
 * beginnings, by their length; 0 where a whole word has got none, as nothing went on from it
 * yet. */
typedef struct {
    const sonde__points *points;
    int64_t first;    /* beginning of the block; -1: only count them */
    int32_t n;        /* beginnings so far; their cells follow that of nothing */
    int32_t n_letter; /* of the word before */
    uint16_t last_letter;
    uint16_t cell_of[SONDE__LONG_MAX + 2];
} speller;

/* The word as far as its letter number `length`, which is the last one so far. */
static void add_beginning(speller *s, uint16_t letter, int32_t length) {
    if (s->first >= 0) {
        s->points->beginning_after[s->first + s->n] = s->cell_of[length - 1];
        s->points->beginning_letter[s->first + s->n] = letter;
    }
    s->n++;
    s->cell_of[length] = (uint16_t)s->n;
}

static void spell_word(speller *s, int32_t i) {
    const sonde__points *points = s->points;
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
    if (s->first >= 0) {
        points->after[i] = n > 0 ? s->cell_of[n - 1] : 0;
        points->letter[i] = (uint16_t)last;
    }
    s->n_letter = n;
    s->last_letter = (uint16_t)last;
}

/* Counts or spells a block's beginnings; returns how many there are, -1 if a word is too long. */
static int32_t spell_block(const sonde__points *points, int32_t block, int64_t first) {
    speller s = {.points = points, .first = first};
    const int32_t begin = block * SONDE__POINT_BLOCK;
    const int32_t end = begin + sonde__points_in_block(points, block);
    for (int32_t i = begin; i < end; i++) {
        spell_word(&s, i);
        if (s.n_letter > N_LONG_MAX) {
            return -1;
        }
    }
    return s.n;
}

void sonde__points_spell(const sonde__points *points, int32_t block) {
    (void)spell_block(points, block, points->block_beginning[block]);
}

static void count_stretch(void *context, int32_t begin, int32_t end, int32_t worker) {
    (void)worker;
    const sonde__points *points = context;
    for (int32_t b = begin; b < end; b++) {
        points->block_beginning[b] = spell_block(points, b, -1);
    }
}

/* From how many beginnings each block has to where they begin; false if a word is too long. */
static bool place_beginnings(const sonde__points *points, sonde__points_size *size) {
    const int32_t n_block = sonde__points_n_block(points);
    size->n_cell = 1;
    size->n_beginning = 0;
    for (int32_t b = 0; b < n_block; b++) {
        const int64_t n = points->block_beginning[b];
        if (n < 0) {
            return false;
        }
        points->block_beginning[b] = size->n_beginning;
        size->n_beginning += n;
        size->n_cell = higher_number(size->n_cell, 1 + (int32_t)n);
    }
    points->block_beginning[n_block] = size->n_beginning;
    return true;
}

sonde_status sonde__points_order(const sonde_embedding *embedding, const sonde_run *run,
                                 sonde__points *points, sonde__points_size *size) {
    *size = (sonde__points_size){.n_row = embedding->n_row,
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
        return SONDE_OK;
    }
    const int64_t n_letter = find_alphabet(embedding, points->most, points->letter_of);
    if (n_letter > N_LETTER_MAX) {
        return SONDE_OK;
    }
    points->n_letter = (int32_t)n_letter;
    sonde_status status = sort_rows(run, points);
    if (status == SONDE_OK) {
        status = sonde__points_stretches(points, run, count_stretch, points);
    }
    sonde__points_size words = *size;
    if (status == SONDE_OK && place_beginnings(points, &words)) {
        *size = words;
        size->n_letter = points->n_letter;
        size->n_single = 0;
        points->worded = true;
    }
    return status;
}

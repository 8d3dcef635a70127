/* Rows as words in dictionary order. */
#include "base/rng.h"
#include "cluster/gathered.h"

/* Runs a check on the points of every embedding but value, whose numbers are no words. */
static void everywhere(void (*check)(const sonde_embedding *, const gathered *)) {
    for (uint64_t seed = 0; seed < 3; seed++) {
        space s = space_random(3 + (int32_t)(seed % 2), seed, SONDE_DIRECTED);
        for (int32_t kind = 0; kind < n_embedding(); kind++) {
            for (int32_t local = 0; local < 2; local++) {
                embedded e = embed_as(&s, sonde_embedding_name(kind),
                                      local == 1 ? s.graph->start : SONDE_EVERYWHERE);
                gathered g = gather_points(e.rows);
                if (strcmp(sonde_embedding_name(kind), "value") != 0) {
                    check(e.rows, &g);
                }
                gathered_free(&g);
                embedded_free(&e);
            }
        }
        space_free(&s);
    }
}

static void check_order(const sonde_embedding *rows, const gathered *g) {
    int32_t *seen = room((uint64_t)rows->n_row, sizeof *seen);
    const size_t n = (size_t)rows->n_code;
    assert_true(g->points.worded);
    assert_int_equal(g->points.n, rows->n_row);
    for (int32_t i = 0; i < rows->n_row; i++) {
        const int32_t r = g->points.row[i];
        assert_int_equal(seen[r]++, 0);
        assert_int_equal(g->points.weight[i], rows->weight[r]);
        if (i > 0) {
            assert_true(memcmp(rows->small + (size_t)g->points.row[i - 1] * n,
                               rows->small + (size_t)r * n, n) < 0);
        }
    }
    free(seen);
}

static void points_are_all_rows_in_the_order_of_their_bytes(void **state) {
    (void)state;
    everywhere(check_order);
}

/* Adds a letter to a code. */
static void add_letter(const sonde__points *p, int32_t letter, double *code) {
    for (int32_t j = 0; j < p->embedding->n_code; j++) {
        const int32_t value = letter - p->letter_of[j] + 1;
        if (letter < p->n_letter - 1 && value >= 1 && value <= p->most[j]) {
            code[j] += (double)value;
        }
    }
}

/* Reads all words: what stands in a cell is a code as far as it has been spelled. */
static void check_spelling(const sonde_embedding *rows, const gathered *g) {
    const sonde__points *p = &g->points;
    const size_t n = (size_t)rows->n_code;
    double *cell = room((size_t)g->size.n_cell * n, sizeof *cell);
    double *code = room(n, sizeof *code);
    double *word = room(n, sizeof *word);
    for (int32_t b = 0; b < sonde__points_n_block(p); b++) {
        /* a block has to do with no other */
        memset(cell, 0, (size_t)g->size.n_cell * n * sizeof *cell);
        int32_t to = 1;
        for (int64_t at = p->block_beginning[b]; at < p->block_beginning[b + 1]; at++, to++) {
            assert_true(to < g->size.n_cell && p->beginning_after[at] < to);
            memcpy(cell + to * (int64_t)n, cell + p->beginning_after[at] * n, n * sizeof *cell);
            add_letter(p, p->beginning_letter[at], cell + to * (int64_t)n);
        }
        const int32_t begin = b * SONDE__POINT_BLOCK;
        for (int32_t i = begin; i < begin + sonde__points_in_block(p, b); i++) {
            assert_true(p->after[i] < to);
            memcpy(word, cell + p->after[i] * n, n * sizeof *word);
            add_letter(p, p->letter[i], word);
            sonde__embedding_code(rows, p->row[i], code);
            assert_memory_equal(word, code, n * sizeof *code);
        }
    }
    assert_int_equal(p->block_beginning[sonde__points_n_block(p)], g->size.n_beginning);
    free(word);
    free(code);
    free(cell);
}

static void words_spell_their_codes(void **state) {
    (void)state;
    everywhere(check_spelling);
}

static void check_norm(const sonde_embedding *rows, const gathered *g) {
    double *row = room((uint64_t)rows->n_column, sizeof *row);
    double *zero = room((uint64_t)rows->n_column, sizeof *zero);
    for (int32_t i = 0; i < g->points.n; i++) {
        sonde_embedding_row(rows, g->points.row[i], row);
        const double length = squared(row, zero, rows->n_column);
        assert_near(g->points.norm[i], length, 1e-12 * (1.0 + length));
    }
    free(zero);
    free(row);
}

static void norms_are_the_squared_lengths_of_rows(void **state) {
    (void)state;
    everywhere(check_norm);
}

/* many blocks, and a share of letters that makes it worth while */
static void most_words_begin_like_the_one_before(void **state) {
    (void)state;
    space s = space_random(5, 1, SONDE_SYMMETRIC);
    embedded e = embed_as(&s, "boe", SONDE_EVERYWHERE);
    gathered g = gather_points(e.rows);
    assert_true(g.points.n > 4 * SONDE__POINT_BLOCK);
    assert_true(g.size.n_beginning < g.points.n);
    check_order(e.rows, &g);
    check_spelling(e.rows, &g);
    gathered_free(&g);
    embedded_free(&e);
    space_free(&s);
}

/* ------------------------------------------------------------------------------ fallbacks -- */

static sonde_embedding *from_rows(int32_t n_row, int32_t n_column, const double *row) {
    sonde_embedding *embedding = NULL;
    assert_int_equal(sonde_embedding_from_rows(n_row, n_column, row, NULL, &embedding, NULL),
                     SONDE_OK);
    return embedding;
}

static void assert_dense(sonde_embedding *embedding) {
    gathered g = gather_points(embedding);
    assert_false(g.points.worded);
    for (int32_t i = 0; i < g.points.n; i++) {
        assert_true(g.points.row[i] >= 0 && g.points.row[i] < embedding->n_row);
    }
    gathered_free(&g);
    sonde_embedding_free(embedding);
}

static void numbers_that_are_no_bytes_make_no_words(void **state) {
    (void)state;
    assert_dense(from_rows(2, 2, (const double[]){0.5, 1.0, 2.0, 3.0}));
    assert_dense(from_rows(2, 2, (const double[]){256.0, 1.0, 2.0, 3.0}));
    assert_dense(from_rows(2, 2, (const double[]){-1.0, 1.0, 2.0, 3.0}));
}

static void a_word_of_zeros_has_a_letter_too(void **state) {
    (void)state;
    sonde_embedding *rows = from_rows(2, 2, (const double[]){0.0, 3.0, 0.0, 0.0});
    gathered g = gather_points(rows);
    assert_true(g.points.worded);
    check_spelling(rows, &g);
    assert_int_equal(g.points.row[0], 1);
    gathered_free(&g);
    sonde_embedding_free(rows);
}

/* 300 columns of up to 255 */
static void too_many_letters_make_no_words(void **state) {
    (void)state;
    enum { N = 300 };
    double *row = room(2 * N, sizeof *row);
    for (int32_t j = 0; j < N; j++) {
        row[j] = j % 2 == 0 ? 255.0 : 0.0;
        row[N + j] = 255.0 - row[j];
    }
    assert_dense(from_rows(2, N, row));
    free(row);
}

static void too_long_words_are_none(void **state) {
    (void)state;
    enum { N = SONDE__LONG_MAX + 1 };
    double row[2][N];
    for (int32_t j = 0; j < N; j++) {
        row[0][j] = 1.0;
        row[1][j] = j > 0 ? 1.0 : 0.0;
    }
    assert_dense(from_rows(2, N, row[0]));
    sonde_embedding *shorter = from_rows(1, N, row[1]);
    gathered g = gather_points(shorter);
    assert_true(g.points.worded);
    check_spelling(shorter, &g);
    gathered_free(&g);
    sonde_embedding_free(shorter);
}

/* room that was set aside before the embedding was known has a limit of its own */
static void an_alphabet_without_room_makes_no_words(void **state) {
    (void)state;
    double row[2][2] = {{255.0, 1.0}, {2.0, 254.0}};
    sonde_embedding *rows = from_rows(2, 2, row[0]);
    gathered g = gather_points(rows);
    assert_true(g.points.worded);
    g.points.room.n_letter = 100;
    fill_points(&g);
    assert_false(g.points.worded);
    gathered_free(&g);
    sonde_embedding_free(rows);
    const sonde__points_size most = sonde__points_most(7, 100000);
    assert_int_equal(most.n_letter, 65535);
}

/* enough rows for buckets, most of them in a few */
static void threads_find_the_same_order_and_words(void **state) {
    (void)state;
    enum { N = 30000, N_COLUMN = 17 };
    double *row = room((uint64_t)N * N_COLUMN, sizeof *row);
    sonde__rng rng = sonde__rng_stream(8, SONDE__FOR_WORLD, 0);
    for (int32_t i = 0; i < N * N_COLUMN; i++) {
        const uint64_t number = sonde__rng_below(&rng, 12);
        row[i] = number < 4 ? (double)number : 0.0;
    }
    sonde_embedding *rows = from_rows(N, N_COLUMN, row);
    assert_true(rows->n_row > 20000);
    gathered one = gather_points(rows);
    check_order(rows, &one);
    check_spelling(rows, &one);
    check_norm(rows, &one);
    for (int32_t n_thread = 2; n_thread <= 3; n_thread++) {
        gathered g = gather_points_on(rows, n_thread);
        const size_t n = (size_t)rows->n_row;
        assert_memory_equal(g.points.row, one.points.row, n * sizeof *g.points.row);
        assert_memory_equal(g.points.norm, one.points.norm, n * sizeof *g.points.norm);
        assert_memory_equal(g.points.letter, one.points.letter, n * sizeof *g.points.letter);
        assert_memory_equal(g.points.after, one.points.after, n * sizeof *g.points.after);
        check_spelling(rows, &g);
        assert_int_equal(g.points.heaviest, one.points.heaviest);
        assert_int_equal(g.points.n_long, one.points.n_long);
        assert_int_equal(g.points.largest, one.points.largest);
        assert_true(g.points.reach == one.points.reach);
        gathered_free(&g);
    }
    gathered_free(&one);
    sonde_embedding_free(rows);
    free(row);
}

static void a_flag_stops_sorting_and_filling(void **state) {
    (void)state;
    double row[3][2] = {{1.0, 1.0}, {0.0, 1.0}, {2.0, 0.0}};
    sonde_embedding *rows = from_rows(3, 2, row[0]);
    gathered g = gather_points(rows);
    sonde_stop stop = {0};
    sonde_stop_raise(&stop);
    const sonde_run run = {.n_thread = 1, .stop = &stop};
    sonde__points_size size;
    assert_int_equal(sonde__points_order(rows, &run, &g.points, &size), SONDE_STOPPED);
    assert_int_equal(sonde__points_fill(&run, &g.size, &g.points), SONDE_STOPPED);
    gathered_free(&g);
    sonde_embedding_free(rows);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(points_are_all_rows_in_the_order_of_their_bytes),
        cmocka_unit_test(words_spell_their_codes),
        cmocka_unit_test(norms_are_the_squared_lengths_of_rows),
        cmocka_unit_test(most_words_begin_like_the_one_before),
        cmocka_unit_test(numbers_that_are_no_bytes_make_no_words),
        cmocka_unit_test(a_word_of_zeros_has_a_letter_too),
        cmocka_unit_test(too_many_letters_make_no_words),
        cmocka_unit_test(threads_find_the_same_order_and_words),
        cmocka_unit_test(a_flag_stops_sorting_and_filling),
        cmocka_unit_test(too_long_words_are_none),
        cmocka_unit_test(an_alphabet_without_room_makes_no_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

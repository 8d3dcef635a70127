/* Memory: what is measured is what is carved, and no size wraps round. */
#include "base/memory.h"
#include "base/rng.h"
#include "worlds.h"

enum { N_PIECE = 12 };

typedef struct {
    uint64_t n[N_PIECE];
    size_t size[N_PIECE];
    char *piece[N_PIECE];
} thing;

static void carve(sonde__arena *arena, thing *t) {
    for (int i = 0; i < N_PIECE; i++) {
        t->piece[i] = sonde__arena_take(arena, t->n[i], t->size[i]);
    }
}

static thing random_thing(sonde__rng *rng) {
    static const size_t size[] = {1, 2, 4, 8, 24, 64, 100};
    thing t = {0};
    for (int i = 0; i < N_PIECE; i++) {
        t.n[i] = sonde__rng_below(rng, 200); /* 0 now and then */
        t.size[i] = size[sonde__rng_below(rng, 7)];
    }
    return t;
}

static void measuring_and_carving_agree(void **state) {
    (void)state;
    sonde__rng rng = sonde__rng_stream(1, SONDE__FOR_PROBE, 0);
    for (int trial = 0; trial < 300; trial++) {
        thing t = random_thing(&rng);
        sonde__arena arena = {0};
        carve(&arena, &t);
        for (int i = 0; i < N_PIECE; i++) {
            assert_null(t.piece[i]);
        }
        const uint64_t measured = arena.used;
        assert_true(sonde__arena_reserve(&arena));
        assert_int_equal(arena.used, 0);
        carve(&arena, &t);
        assert_int_equal(arena.used, measured);
        assert_true(arena.used <= arena.size);
        sonde__arena_free(&arena);
    }
}

static void pieces_are_zeroed_aligned_and_apart(void **state) {
    (void)state;
    sonde__rng rng = sonde__rng_stream(2, SONDE__FOR_PROBE, 0);
    for (int trial = 0; trial < 100; trial++) {
        thing t = random_thing(&rng);
        sonde__arena arena = {0};
        carve(&arena, &t);
        assert_true(trial % 2 == 0 ? sonde__arena_reserve(&arena)
                                   : sonde__arena_reserve_lazily(&arena));
        carve(&arena, &t);
        for (int i = 0; i < N_PIECE; i++) {
            assert_non_null(t.piece[i]);
            assert_int_equal((uintptr_t)t.piece[i] % 64, 0);
            for (size_t b = 0; b < t.n[i] * t.size[i]; b++) {
                assert_int_equal(t.piece[i][b], 0);
            }
        }
        /* written one after the other, none touches the next */
        for (int i = 0; i < N_PIECE; i++) {
            memset(t.piece[i], 1 + i, t.n[i] * t.size[i]);
        }
        for (int i = 0; i < N_PIECE; i++) {
            for (size_t b = 0; b < t.n[i] * t.size[i]; b++) {
                assert_int_equal(t.piece[i][b], 1 + i);
            }
        }
        sonde__arena_free(&arena);
    }
}

static void the_first_piece_is_the_block(void **state) {
    (void)state;
    /* an object whose first piece is itself is freed by a pointer to it */
    sonde__arena arena = {0};
    (void)sonde__arena_take(&arena, 3, 8);
    assert_true(sonde__arena_reserve(&arena));
    void *first = sonde__arena_take(&arena, 3, 8);
    assert_ptr_equal(first, arena.base);
    sonde__free(first);
}

static void pieces_of_threads_share_no_pair_of_cache_lines(void **state) {
    (void)state;
    sonde__arena arena = {0};
    for (int pass = 0; pass < 2; pass++) {
        for (uint64_t size = 1; size < 300; size += 7) {
            const char *mine = sonde__arena_take(&arena, 1, size);
            sonde__arena_gap(&arena);
            const char *other = sonde__arena_take(&arena, 1, 1);
            if (pass == 1) {
                assert_true((uintptr_t)(mine + size - 1) / 128 < (uintptr_t)other / 128);
            }
        }
        assert_true(pass == 1 || sonde__arena_reserve(&arena));
    }
    sonde__arena_free(&arena);
}

static void an_arena_gives_no_more_than_it_has(void **state) {
    (void)state;
    sonde__arena arena = {0};
    (void)sonde__arena_take(&arena, 10, 8);
    assert_true(sonde__arena_reserve(&arena));
    assert_non_null(sonde__arena_take(&arena, 10, 8));
    assert_null(sonde__arena_take(&arena, 1, 1));
    sonde__arena_free(&arena);
    assert_null(arena.base);
    assert_int_equal(arena.size, 0);
    assert_int_equal(arena.used, 0);
}

static void an_arena_of_nothing_is_an_arena(void **state) {
    (void)state;
    sonde__arena arena = {0};
    assert_null(sonde__arena_take(&arena, 0, 8));
    assert_true(sonde__arena_reserve(&arena));
    sonde__arena_free(&arena);
    sonde__arena_free(&arena);
}

/* a + b and a * b in 128 bits, cut to the largest 64-bit number */
static uint64_t add_naively(uint64_t a, uint64_t b) {
    const uint64_t low = (a & UINT32_MAX) + (b & UINT32_MAX);
    const uint64_t high = (a >> 32) + (b >> 32) + (low >> 32);
    return high >> 32 != 0 ? UINT64_MAX : high << 32 | (low & UINT32_MAX);
}

static uint64_t multiply_naively(uint64_t a, uint64_t b) {
    uint64_t sum = 0;
    for (int bit = 63; bit >= 0; bit--) {
        sum = add_naively(sum, sum);
        sum = (b >> bit & 1) != 0 ? add_naively(sum, a) : sum;
    }
    return sum;
}

static void sums_and_products_stay_at_the_top(void **state) {
    (void)state;
    static const uint64_t edge[] = {0,
                                    1,
                                    2,
                                    3,
                                    UINT32_MAX,
                                    UINT64_C(1) << 32,
                                    (UINT64_C(1) << 32) + 1,
                                    UINT64_C(1) << 63,
                                    UINT64_MAX / 3,
                                    UINT64_MAX - 1,
                                    UINT64_MAX};
    for (size_t i = 0; i < sizeof edge / sizeof *edge; i++) {
        for (size_t j = 0; j < sizeof edge / sizeof *edge; j++) {
            assert_int_equal(sonde__add(edge[i], edge[j]), add_naively(edge[i], edge[j]));
            assert_int_equal(sonde__multiply(edge[i], edge[j]), multiply_naively(edge[i], edge[j]));
        }
    }
    sonde__rng rng = sonde__rng_stream(3, SONDE__FOR_PROBE, 0);
    for (int i = 0; i < 20000; i++) {
        const uint64_t a = sonde__rng_next(&rng) >> sonde__rng_below(&rng, 64);
        const uint64_t b = sonde__rng_next(&rng) >> sonde__rng_below(&rng, 64);
        assert_int_equal(sonde__add(a, b), add_naively(a, b));
        assert_int_equal(sonde__multiply(a, b), multiply_naively(a, b));
    }
}

static void a_size_past_all_memory_is_refused(void **state) {
    (void)state;
    static const uint64_t n[] = {UINT64_MAX,       UINT64_MAX / 8, UINT64_MAX / 8 + 1,
                                 UINT64_MAX - 63,  (uint64_t)-1,   UINT64_C(1) << 61,
                                 UINT64_C(1) << 60};
    for (size_t i = 0; i < sizeof n / sizeof *n; i++) {
        sonde__arena arena = {0};
        (void)sonde__arena_take(&arena, 1, 8);
        assert_null(sonde__arena_take(&arena, n[i], 8));
        const uint64_t huge = arena.used;
        assert_true(huge > UINT64_MAX / 4);
        /* more of it does not wrap round to something small */
        for (int more = 0; more < 5; more++) {
            assert_null(sonde__arena_take(&arena, n[i], 8));
            assert_true(arena.used >= huge);
        }
        assert_false(sonde__arena_reserve(&arena));
        assert_false(sonde__arena_reserve_lazily(&arena));
        assert_null(arena.base);
    }
}

static void plain_memory_is_zeroed_and_never_null_for_nothing(void **state) {
    (void)state;
    char *block = sonde__alloc(1000);
    assert_non_null(block);
    for (int i = 0; i < 1000; i++) {
        assert_int_equal(block[i], 0);
    }
    memset(block, 7, 1000);
    block = sonde__resize(block, 2000);
    assert_non_null(block);
    assert_int_equal(block[999], 7);
    sonde__free(block);
    void *nothing = sonde__alloc(0);
    assert_non_null(nothing);
    sonde__free(nothing);
    sonde__free(NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(measuring_and_carving_agree),
        cmocka_unit_test(pieces_are_zeroed_aligned_and_apart),
        cmocka_unit_test(the_first_piece_is_the_block),
        cmocka_unit_test(pieces_of_threads_share_no_pair_of_cache_lines),
        cmocka_unit_test(an_arena_gives_no_more_than_it_has),
        cmocka_unit_test(an_arena_of_nothing_is_an_arena),
        cmocka_unit_test(sums_and_products_stay_at_the_top),
        cmocka_unit_test(a_size_past_all_memory_is_refused),
        cmocka_unit_test(plain_memory_is_zeroed_and_never_null_for_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

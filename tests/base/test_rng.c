/* Streams of chance: the numbers are Philox's, even, and never the same twice. */
#include "base/rng.h"
#include "worlds.h"

#if defined(__has_include)
#if __has_include(<Random123/philox.h>)
#include <Random123/philox.h>
#define HAVE_RANDOM123
#endif
#endif

typedef struct {
    uint32_t counter[4];
    uint32_t key[2];
    uint32_t block[4];
} known_answer;

/* kat_vectors of the authors' library, "philox4x32 10" */
static const known_answer known[] = {
    {{0, 0, 0, 0}, {0, 0}, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
    {{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
     {0xffffffff, 0xffffffff},
     {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
    {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
     {0xa4093822, 0x299f31d0},
     {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
};

static sonde__rng at(const uint32_t counter[4], const uint32_t key[2]) {
    sonde__rng rng = {.n_left = 0};
    memcpy(rng.counter, counter, sizeof rng.counter);
    memcpy(rng.key, key, sizeof rng.key);
    return rng;
}

static void assert_next_two(sonde__rng *rng, const uint32_t block[4]) {
    for (int i = 0; i < 4; i += 2) {
        const uint64_t both = sonde__rng_next(rng);
        assert_int_equal((uint32_t)both, block[i]);
        assert_int_equal((uint32_t)(both >> 32), block[i + 1]);
    }
}

static void numbers_are_the_known_answers_of_philox(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        sonde__rng rng = at(known[i].counter, known[i].key);
        assert_next_two(&rng, known[i].block);
    }
}

static void numbers_are_those_of_random123(void **state) {
    (void)state;
#ifdef HAVE_RANDOM123
    sonde__rng chance = sonde__rng_stream(20, SONDE__FOR_PROBE, 0);
    for (int trial = 0; trial < 20000; trial++) {
        uint32_t counter[4];
        uint32_t key[2];
        for (int i = 0; i < 4; i++) {
            counter[i] = (uint32_t)sonde__rng_next(&chance);
            key[i % 2] = (uint32_t)sonde__rng_next(&chance);
        }
        const philox4x32_ctr_t theirs = {{counter[0], counter[1], counter[2], counter[3]}};
        const philox4x32_key_t secret = {{key[0], key[1]}};
        const philox4x32_ctr_t block = philox4x32(theirs, secret);
        sonde__rng rng = at(counter, key);
        assert_next_two(&rng, block.v);
    }
#else
    print_message("Random123/philox.h is not installed (librandom123-dev)\n");
    skip();
#endif
}

static void a_stream_goes_on_with_the_next_counter(void **state) {
    (void)state;
    sonde__rng rng = sonde__rng_stream(99, SONDE__FOR_START, 7);
    sonde__rng later = rng;
    (void)sonde__rng_next(&rng);
    (void)sonde__rng_next(&rng);
    later.counter[0]++;
    for (int i = 0; i < 10; i++) {
        assert_int_equal(sonde__rng_next(&rng), sonde__rng_next(&later));
    }
}

static void a_stream_is_its_seed_purpose_and_index(void **state) {
    (void)state;
    const uint64_t seed = UINT64_C(0x0123456789abcdef);
    const uint64_t index = UINT64_C(0xfedcba9876543210);
    sonde__rng rng = sonde__rng_stream(seed, SONDE__FOR_LAYOUT, index);
    const uint32_t key[2] = {0x89abcdef, 0x01234567};
    const uint32_t counter[4] = {0, SONDE__FOR_LAYOUT, 0x76543210, 0xfedcba98};
    sonde__rng same = at(counter, key);
    for (int i = 0; i < 10; i++) {
        assert_int_equal(sonde__rng_next(&rng), sonde__rng_next(&same));
    }
}

static int compare(const void *a, const void *b) {
    const uint64_t x = *(const uint64_t *)a;
    const uint64_t y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static void streams_differ_by_seed_purpose_and_index(void **state) {
    (void)state;
    static const uint64_t part[] = {0, 1, 2, 3, UINT64_C(1) << 32, UINT64_C(1) << 63};
    enum { N_PART = 6, N_PURPOSE = 6, N_EACH = 8, N = N_PART * N_PART * N_PURPOSE * N_EACH };
    static uint64_t drawn[N];
    size_t n = 0;
    for (int s = 0; s < N_PART; s++) {
        for (int p = 0; p < N_PURPOSE; p++) {
            for (int i = 0; i < N_PART; i++) {
                sonde__rng rng = sonde__rng_stream(part[s], (sonde__purpose)p, part[i]);
                for (int k = 0; k < N_EACH; k++) {
                    drawn[n++] = sonde__rng_next(&rng);
                }
            }
        }
    }
    assert_int_equal(n, N);
    qsort(drawn, n, sizeof *drawn, compare);
    /* of 1,728 numbers of 64 bits no two meet by chance */
    for (size_t i = 1; i < n; i++) {
        assert_true(drawn[i - 1] != drawn[i]);
    }
}

/* Chi-square of `n` draws below `bound`, less its mean, in standard deviations. */
static double excess(uint64_t seed, uint32_t bound, int n) {
    uint32_t count[64] = {0};
    sonde__rng rng = sonde__rng_stream(seed, SONDE__FOR_ACTION, bound);
    for (int i = 0; i < n; i++) {
        const uint64_t draw = sonde__rng_below(&rng, bound);
        assert_true(draw < bound);
        count[draw]++;
    }
    const double expected = (double)n / bound;
    double chi = 0.0;
    for (uint32_t i = 0; i < bound; i++) {
        chi += (count[i] - expected) * (count[i] - expected) / expected;
    }
    const double freedom = bound - 1.0;
    return (chi - freedom) / sqrt(2.0 * freedom);
}

static void draws_below_a_bound_are_even(void **state) {
    (void)state;
    for (uint32_t bound = 2; bound <= 64; bound++) {
        assert_true(fabs(excess(4, bound, 20000)) < 5.0);
    }
}

static void draws_below_a_large_bound_have_no_bias(void **state) {
    (void)state;
    /* of 3 * 2^62, a plain remainder would put half of all draws into the lowest third */
    const uint64_t third = UINT64_C(1) << 62;
    int count[3] = {0};
    const int n = 60000;
    sonde__rng rng = sonde__rng_stream(5, SONDE__FOR_ACTION, 0);
    for (int i = 0; i < n; i++) {
        const uint64_t draw = sonde__rng_below(&rng, 3 * third);
        assert_true(draw < 3 * third);
        count[draw / third]++;
    }
    for (int i = 0; i < 3; i++) {
        /* the standard deviation is 115 */
        assert_true(abs(count[i] - n / 3) < 600);
    }
}

/* A stream whose next two draws are given. */
static sonde__rng about_to_draw(uint64_t first, uint64_t second) {
    return (sonde__rng){.block = {(uint32_t)first, (uint32_t)(first >> 32), (uint32_t)second,
                                  (uint32_t)(second >> 32)},
                        .n_left = 4};
}

static void only_the_surplus_draws_are_thrown_away(void **state) {
    (void)state;
    static const uint64_t bound[] = {3, 5, 6, 1000, UINT64_C(3) << 62, UINT64_MAX, 1, 4};
    for (size_t i = 0; i < sizeof bound / sizeof *bound; i++) {
        /* 2^64 mod bound, which divides nothing evenly */
        const uint64_t surplus = (UINT64_MAX % bound[i] + 1) % bound[i];
        sonde__rng rng = about_to_draw(surplus, surplus + 1);
        assert_int_equal(sonde__rng_below(&rng, bound[i]), surplus % bound[i]);
        assert_int_equal(rng.n_left, 2);
        if (surplus > 0) {
            rng = about_to_draw(surplus - 1, UINT64_MAX);
            assert_int_equal(sonde__rng_below(&rng, bound[i]), UINT64_MAX % bound[i]);
            assert_int_equal(rng.n_left, 0);
        }
    }
}

static void every_bound_is_kept(void **state) {
    (void)state;
    sonde__rng rng = sonde__rng_stream(6, SONDE__FOR_ACTION, 0);
    for (int i = 0; i < 100; i++) {
        assert_int_equal(sonde__rng_below(&rng, 1), 0);
        assert_true(sonde__rng_below(&rng, UINT64_MAX) < UINT64_MAX);
    }
    for (int i = 0; i < 20000; i++) {
        const uint64_t bound = (sonde__rng_next(&rng) >> (i % 64)) | 1;
        assert_true(sonde__rng_below(&rng, bound) < bound);
    }
}

static void uniform_numbers_fill_the_unit_interval(void **state) {
    (void)state;
    enum { N_BIN = 50 };
    int count[N_BIN] = {0};
    const int n = 100000;
    double sum = 0.0;
    sonde__rng rng = sonde__rng_stream(7, SONDE__FOR_ACTION, 0);
    for (int i = 0; i < n; i++) {
        const double u = sonde__rng_uniform(&rng);
        assert_true(u >= 0.0 && u < 1.0);
        /* a multiple of 2^-53 */
        assert_true(u * 0x1p53 == floor(u * 0x1p53));
        count[(int)(u * N_BIN)]++;
        sum += u;
    }
    double chi = 0.0;
    for (int i = 0; i < N_BIN; i++) {
        const double off = count[i] - (double)n / N_BIN;
        chi += off * off / ((double)n / N_BIN);
    }
    assert_true(fabs(chi - (N_BIN - 1)) < 5.0 * sqrt(2.0 * (N_BIN - 1)));
    assert_near(sum / n, 0.5, 0.005);
}

static void uniform_numbers_are_the_upper_53_bits(void **state) {
    (void)state;
    sonde__rng rng = sonde__rng_stream(8, SONDE__FOR_ACTION, 3);
    sonde__rng same = rng;
    for (int i = 0; i < 1000; i++) {
        const double wanted = ldexp((double)(sonde__rng_next(&same) >> 11), -53);
        assert_same(sonde__rng_uniform(&rng), wanted);
    }
}

static void shuffles_are_permutations_and_all_alike(void **state) {
    (void)state;
    sonde__rng rng = sonde__rng_stream(8, SONDE__FOR_PROBE, 0);
    enum { N_TRIAL = 12000 };
    int count[24] = {0};
    for (int trial = 0; trial < N_TRIAL; trial++) {
        int32_t order[4] = {-1, -1, -1, -1};
        sonde__shuffle(&rng, 4, order);
        int number = 0;
        bool seen[4] = {false};
        for (int i = 0; i < 4; i++) {
            assert_true(order[i] >= 0 && order[i] < 4 && !seen[order[i]]);
            seen[order[i]] = true;
            int n_later = 0;
            for (int j = i + 1; j < 4; j++) {
                n_later += order[j] < order[i];
            }
            number = number * (4 - i) + n_later;
        }
        count[number]++;
    }
    for (int i = 0; i < 24; i++) {
        /* 500 each, with a standard deviation of 22 */
        assert_true(abs(count[i] - N_TRIAL / 24) < 115);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_the_known_answers_of_philox),
        cmocka_unit_test(numbers_are_those_of_random123),
        cmocka_unit_test(a_stream_goes_on_with_the_next_counter),
        cmocka_unit_test(a_stream_is_its_seed_purpose_and_index),
        cmocka_unit_test(streams_differ_by_seed_purpose_and_index),
        cmocka_unit_test(draws_below_a_bound_are_even),
        cmocka_unit_test(draws_below_a_large_bound_have_no_bias),
        cmocka_unit_test(only_the_surplus_draws_are_thrown_away),
        cmocka_unit_test(every_bound_is_kept),
        cmocka_unit_test(uniform_numbers_fill_the_unit_interval),
        cmocka_unit_test(uniform_numbers_are_the_upper_53_bits),
        cmocka_unit_test(shuffles_are_permutations_and_all_alike),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The posterior over first actions in one pass, against all at once. */
#include "search/search_internal.h"
#include "base/rng.h"
#include "stages.h"

enum { N_ACTION = 5, BEGIN = 7 };

/* a posterior with room for the actions BEGIN .. BEGIN + N_ACTION - 1 */
typedef struct {
    sonde__posterior posterior;
    double mass[N_ACTION];
    double best_efe[N_ACTION];
    uint64_t best[N_ACTION];
} kept;

static void kept_new(kept *k, double gamma) {
    memset(k, 0xFF, sizeof *k);
    k->posterior.gamma = gamma;
    k->posterior.weight = NULL;
    k->posterior.mass = k->mass;
    k->posterior.best_efe = k->best_efe;
    k->posterior.best = k->best;
    sonde__posterior_start(&k->posterior, BEGIN, BEGIN + N_ACTION);
}

/* The best policy of all. */
static uint64_t best_of(const kept *k) {
    return k->best[sonde__posterior_best(&k->posterior) - BEGIN];
}

static bool is_touched(const kept *k, int32_t a) {
    return k->best[a] != UINT64_MAX;
}

/* some blocks of G, and the same numbers one by one */
enum { N_BLOCK = 9, N_MOST = 40 };
typedef struct {
    sonde__block block[N_BLOCK];
    double efe[N_BLOCK][N_MOST];
} pile;

static void pile_new(pile *p, uint64_t seed, double spread) {
    sonde__rng rng = sonde__rng_stream(seed, SONDE__FOR_PROBE, 0);
    for (int32_t b = 0; b < N_BLOCK; b++) {
        const int32_t n = 1 + (int32_t)sonde__rng_below(&rng, N_MOST);
        /* the last action never occurs */
        const int32_t action = BEGIN + (int32_t)sonde__rng_below(&rng, N_ACTION - 1);
        for (int32_t i = 0; i < n; i++) {
            p->efe[b][i] = 100.0 + spread * sonde__rng_uniform(&rng);
        }
        p->block[b] = (sonde__block){
            .action = action, .n = n, .first = (uint64_t)b * N_MOST, .efe = p->efe[b]};
    }
}

static double least_of(const pile *p) {
    double least = INFINITY;
    for (int32_t b = 0; b < N_BLOCK; b++) {
        for (int32_t i = 0; i < p->block[b].n; i++) {
            least = fmin(least, p->efe[b][i]);
        }
    }
    return least;
}

static void compare(uint64_t seed, double gamma, double spread) {
    pile p;
    kept k;
    long double wanted[N_ACTION] = {0.0L};
    long double total = 0.0L;
    uint64_t n_policy = 0;
    pile_new(&p, seed, spread);
    kept_new(&k, gamma);
    const double least = least_of(&p);
    for (int32_t b = 0; b < N_BLOCK; b++) {
        sonde__posterior_add(&k.posterior, &p.block[b]);
        for (int32_t i = 0; i < p.block[b].n; i++) {
            const long double q = expl((long double)gamma * ((long double)least - p.efe[b][i]));
            wanted[p.block[b].action - BEGIN] += q;
            total += q;
            n_policy++;
        }
    }
    assert_near(k.best_efe[sonde__posterior_best(&k.posterior) - BEGIN], least, 0.0);
    assert_int_equal(k.posterior.n_policy, n_policy);
    const double sum = sonde__posterior_total(&k.posterior);
    assert_near(sum, (double)total, 1e-13 * (double)total);
    for (int32_t a = 0; a < N_ACTION; a++) {
        assert_near(k.mass[a] / sum, (double)(wanted[a] / total), 1e-13);
        assert_int_equal(is_touched(&k, a), wanted[a] > 0.0L);
    }
}

static void masses_are_those_of_all_policies_at_once(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 200; seed++) {
        compare(seed, 1.0, 10.0);
        compare(seed, 0.1, 300.0);
        compare(seed, 16.0, 2.0);
    }
}

static void posteriors_that_are_merged_are_those_of_all_policies(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 200; seed++) {
        pile p;
        kept whole;
        kept part;
        kept merged;
        pile_new(&p, seed, 30.0);
        kept_new(&whole, 1.0);
        kept_new(&merged, 1.0);
        for (int32_t b = 0; b < N_BLOCK; b++) {
            sonde__posterior_add(&whole.posterior, &p.block[b]);
            kept_new(&part, 1.0);
            sonde__posterior_merge(&merged.posterior, &part.posterior); /* of nothing */
            sonde__posterior_add(&part.posterior, &p.block[b]);
            sonde__posterior_merge(&merged.posterior, &part.posterior);
        }
        assert_int_equal(best_of(&merged), best_of(&whole));
        assert_int_equal(merged.posterior.n_policy, whole.posterior.n_policy);
        for (int32_t a = 0; a < N_ACTION; a++) {
            assert_near(merged.mass[a], whole.mass[a], 1e-13 * (1.0 + whole.mass[a]));
            assert_int_equal(merged.best[a], whole.best[a]);
        }
    }
}

static void with_gamma_zero_every_policy_weighs_the_same(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 50; seed++) {
        compare(seed, 0.0, 1e6);
    }
}

/* G from 0 to a million: all but the least vanish, and nothing overflows or becomes no number */
static void large_differences_neither_overflow_nor_lose_the_best(void **state) {
    (void)state;
    const double efe[] = {1e6, 1000.0, 0.0, 1e6};
    kept k;
    kept_new(&k, 16.0);
    for (int32_t i = 0; i < 4; i++) {
        const sonde__block block = {
            .action = BEGIN + i, .n = 1, .first = (uint64_t)i, .efe = &efe[i]};
        sonde__posterior_add(&k.posterior, &block);
    }
    assert_int_equal(best_of(&k), 2);
    assert_near(k.mass[0], 0.0, 0.0);
    assert_near(k.mass[1], 0.0, 0.0);
    assert_near(k.mass[2], 1.0, 0.0);
    assert_near(k.mass[3], 0.0, 0.0);
    for (int32_t a = 0; a < N_ACTION; a++) {
        assert_int_equal(is_touched(&k, a), a < 4);
    }
    assert_near(sonde__posterior_total(&k.posterior), 1.0, 0.0);
}

/* members of clusters do not come in order */
static void the_best_of_equals_is_the_lowest_in_whatever_order_they_come(void **state) {
    (void)state;
    const double first[] = {5.0, 3.0, 3.0};
    const double second[] = {3.0 + 1e-15, 4.0};
    const double third[] = {3.0};
    const int32_t member[] = {50, 40, 60, 20, 10, 30};
    const sonde_clusters clusters = {.n_policy = 100}; /* of all policies: member i is number i */
    kept k;
    kept_new(&k, 1.0);
    const sonde__block blocks[] = {
        {.action = BEGIN, .n = 3, .member = member, .clusters = &clusters, .efe = first},
        {.action = BEGIN + 1, .n = 2, .member = member + 3, .clusters = &clusters, .efe = second},
        {.action = BEGIN, .n = 1, .member = member + 5, .clusters = &clusters, .efe = third},
    };
    const uint64_t wanted[] = {40, 20, 20};
    for (int32_t b = 0; b < 3; b++) {
        sonde__posterior_add(&k.posterior, &blocks[b]);
        assert_int_equal(best_of(&k), wanted[b]);
    }
}

/* E times exp(-gamma G) of all of them is the same, whichever comes first */
/* The second ties with the first and with the third, which are no tie. */
static void ties_do_not_add_up_from_action_to_action(void **state) {
    const double step = 0.6 * SONDE__TIE;
    (void)state;
    for (int32_t turn = 0; turn < N_ACTION; turn++) {
        kept k;
        kept_new(&k, 1.0);
        for (int32_t i = 0; i < 3; i++) {
            const double efe = (double)(2 - i) * step;
            const sonde__block block = {
                .action = BEGIN + (i + turn) % N_ACTION, .n = 1, .first = (uint64_t)i, .efe = &efe};
            sonde__posterior_add(&k.posterior, &block);
        }
        assert_int_equal(best_of(&k), 1);
    }
}

static void the_most_probable_of_equals_is_the_lowest_in_whatever_order_they_come(void **state) {
    (void)state;
    const double efe[] = {3.0, 2.0, 3.0, 0.0};
    const double prior[] = {exp(1.0), 1.0, exp(1.0), 0.0};
    const int32_t member[] = {50, 40, 60, 10};
    const sonde_clusters clusters = {.n_policy = 100};
    for (int32_t first = 0; first < 4; first++) {
        kept k;
        kept_new(&k, 1.0);
        for (int32_t i = 0; i < 4; i++) {
            const int32_t at = (first + i) % 4;
            const sonde__block block = {.action = BEGIN + at,
                                        .n = 1,
                                        .member = member + at,
                                        .clusters = &clusters,
                                        .efe = efe + at,
                                        .prior = prior + at};
            sonde__posterior_add(&k.posterior, &block);
        }
        assert_int_equal(sonde__posterior_top(&k.posterior), BEGIN + 1);
        assert_int_equal(k.posterior.top_policy, 40);
        assert_near(k.mass[3], 0.0, 0.0);
    }
}

/* The smallest G counts for ties, also where E rules its policy out. */
static void ties_are_with_the_least_of_all_policies(void **state) {
    (void)state;
    const double step = 0.6 * sonde__tie(100.0);
    const double first[] = {100.0};
    const double second[] = {100.0 - step, 100.0 - 2.0 * step};
    const double E[] = {1.0, 1.0, 0.0};
    const sonde__block blocks[] = {
        {.action = BEGIN, .n = 1, .first = 0, .efe = first, .prior = E},
        {.action = BEGIN + 1, .n = 2, .first = 1, .efe = second, .prior = E + 1}};
    kept k;
    kept other;
    kept_new(&k, 1.0);
    kept_new(&other, 1.0);
    sonde__posterior_add(&k.posterior, &blocks[0]);
    sonde__posterior_add(&other.posterior, &blocks[1]);
    sonde__posterior_merge(&k.posterior, &other.posterior);
    assert_int_equal(best_of(&k), 1);
    kept_new(&k, 1.0);
    sonde__posterior_add(&k.posterior, &blocks[0]);
    sonde__posterior_add(&k.posterior, &blocks[1]);
    assert_int_equal(best_of(&k), 1);
}

static void a_new_start_forgets_what_was_there(void **state) {
    (void)state;
    const double efe[] = {1.0, 2.0};
    const sonde__block block = {.action = BEGIN + 1, .n = 2, .first = 3, .efe = efe};
    kept k;
    kept_new(&k, 1.0);
    sonde__posterior_add(&k.posterior, &block);
    const double once = sonde__posterior_total(&k.posterior);
    sonde__posterior_start(&k.posterior, BEGIN, BEGIN + N_ACTION);
    assert_near(sonde__posterior_total(&k.posterior), 0.0, 0.0);
    assert_int_equal(best_of(&k), UINT64_MAX);
    sonde__posterior_add(&k.posterior, &block);
    assert_same(sonde__posterior_total(&k.posterior), once);
    assert_int_equal(best_of(&k), 3);
    assert_int_equal(k.posterior.n_policy, 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(masses_are_those_of_all_policies_at_once),
        cmocka_unit_test(posteriors_that_are_merged_are_those_of_all_policies),
        cmocka_unit_test(with_gamma_zero_every_policy_weighs_the_same),
        cmocka_unit_test(large_differences_neither_overflow_nor_lose_the_best),
        cmocka_unit_test(the_best_of_equals_is_the_lowest_in_whatever_order_they_come),
        cmocka_unit_test(ties_do_not_add_up_from_action_to_action),
        cmocka_unit_test(the_most_probable_of_equals_is_the_lowest_in_whatever_order_they_come),
        cmocka_unit_test(ties_are_with_the_least_of_all_policies),
        cmocka_unit_test(a_new_start_forgets_what_was_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

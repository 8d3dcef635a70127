/* The policies of general models, products and lists: whatever is asked of the way of scoring that
 * the library chooses, the plain one says the same. */
#include <stdio.h>

#include "random_models.h"
#include "scores.h"

static void whatever_is_asked_they_say_what_the_plain_way_says(void **state) {
    (void)state;
    int32_t n_product = 0;
    for (uint64_t seed = 0; seed < 400; seed++) {
        setting s = setting_drawn(seed, DRAW_COUPLED | DRAW_ALLOWED | DRAW_LISTED, 200);
        assert_duel(s.policies, s.origin, setting_now(&s));
        n_product += s.policies->place != NULL;
        setting_free(&s);
    }
    assert_true(n_product > 100 && n_product < 400);
}

/* what came before leaves nothing behind */
static void a_score_forgets_the_decision_before(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 60; seed++) {
        setting s = setting_drawn(seed, DRAW_COUPLED | DRAW_ALLOWED, 200);
        sonde__rng rng = sonde__rng_stream(seed, SONDE__FOR_PROBE, 57);
        judge *j = judge_new(s.policies, NULL);
        for (int32_t i = 0; i < 4; i++) {
            draw_belief(&rng, s.model, s.belief);
            s.origin = sonde_policies_origin(s.policies, s.belief);
            const uint64_t n = sonde_policies_size(s.policies, s.origin);
            double *found = room(n, sizeof *found);
            double *wanted = room(n, sizeof *wanted);
            judge *fresh = judge_new(s.policies, NULL);
            judge_start(j, s.origin, setting_now(&s));
            judge_start(fresh, s.origin, setting_now(&s));
            judge_fill(j, 0, n, 100, found);
            judge_fill(fresh, 0, n, 100, wanted);
            assert_memory_equal(found, wanted, n * sizeof *found);
            judge_free(fresh);
            free(found);
            free(wanted);
        }
        judge_free(j);
        setting_free(&s);
    }
}

/* A light that nobody touches stays as it is, goes out, or flickers; what is seen depends on it and
 * on a switch. */
static void what_nobody_touches_may_change_or_stay(void **state) {
    (void)state;
    static const char *const lights[] = {"[[[1], [0]], [[0], [1]]]", "[[[1], [1]], [[0], [0]]]",
                                         "[[[0], [1]], [[1], [0]]]",
                                         "[[[0.9], [0]], [[0.1], [1]]]"};
    for (size_t i = 0; i < sizeof lights / sizeof *lights; i++) {
        for (int32_t lit = 0; lit < 2; lit++) {
            char text[1024];
            (void)snprintf(text, sizeof text,
                           "{\"format\": \"sonde-model\", \"version\": 1, \"horizon\": 4,"
                           " \"factors\": [{\"states\": 2, \"actions\": 2},"
                           " {\"states\": 2, \"actions\": 1}],"
                           " \"modalities\": [{\"outcomes\": 2, \"factors\": [0, 1]}],"
                           " \"A\": [[[[0.9, 0.2], [0.6, 0.3]], [[0.1, 0.8], [0.4, 0.7]]]],"
                           " \"B\": [[[[1, 0], [1, 0]], [[0, 1], [0, 1]]], %s],"
                           " \"C\": [[0, 1]], \"D\": [[0.5, 0.5], [%d, %d]]}",
                           lights[i], 1 - (int)lit, (int)lit);
            setting s = setting_of(model_of(text));
            assert_duel(s.policies, s.origin, setting_now(&s));
            setting_free(&s);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whatever_is_asked_they_say_what_the_plain_way_says),
        cmocka_unit_test(a_score_forgets_the_decision_before),
        cmocka_unit_test(what_nobody_touches_may_change_or_stay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

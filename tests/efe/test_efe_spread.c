/* Beliefs of several prefixes at once: the sums of plain loops, and no more of them than are
 * needed. */
#include "efe/efe_spread_internal.h"
#include "base/rng.h"
#include "random_models.h"

/* ------------------------------------------------------------------------------------- sums -- */

/* A spread whose columns have numbers that are 0 with some probability. */
static void draw_spread(sonde__rng *rng, double empty, int32_t n_state, sonde__spread *spread) {
    spread->n_support = 0;
    for (int32_t s = 0; s < n_state; s++) {
        if (s == 0 || draw_chance(rng, 0.8)) {
            spread->support[spread->n_support++] = s;
        }
        for (int32_t l = 0; l < spread->n_lane; l++) {
            spread->q[s * spread->n_lane + l] =
                draw_chance(rng, empty) ? 0.0 : sonde__rng_uniform(rng);
        }
    }
}

static void compare_sum(sonde__rng *rng, double empty, const sonde__together *some, int64_t n) {
    enum { N_STATE = 12, N_LANE = 12, N_MOST = 64 };
    double q[N_STATE * N_LANE];
    double weight[N_STATE];
    double matrix[N_STATE * N_MOST];
    double out[N_LANE * N_MOST];
    int32_t support[N_STATE];
    int32_t from[N_STATE];
    sonde__spread spread = {.q = q, .support = support, .n_lane = N_LANE, .n_choice = 10};
    sonde__fan fan = {.from = from, .weight = weight};
    draw_spread(rng, empty, N_STATE, &spread);
    for (int32_t i = 0; i < N_STATE * N_MOST; i++) {
        matrix[i] = sonde__rng_uniform(rng) - 0.5;
    }
    sonde__spread_sum(&fan, &spread, some, n, matrix, out);
    for (int32_t j = some->first; j < some->end; j++) {
        for (int64_t c = 0; c < n; c++) {
            double sum = 0.0;
            for (int32_t i = 0; i < spread.n_support; i++) {
                sum += q[support[i] * N_LANE + j] * matrix[support[i] * n + c];
            }
            assert_same(out[(j - some->first) * n + c], sum);
        }
    }
}

/* whether a belief is mostly 0, which makes for another loop, or not at all */
static void sums_are_those_of_plain_loops(void **state) {
    (void)state;
    sonde__rng rng = sonde__rng_stream(1, SONDE__FOR_PROBE, 57);
    for (int32_t i = 0; i < 2000; i++) {
        const int32_t first = draw_below(&rng, 10);
        const sonde__together some = {.first = first,
                                      .end = first + 1 + draw_below(&rng, 10 - first)};
        compare_sum(&rng, 0.45 * (double)(i % 3), &some, 1 + draw_below(&rng, 64));
    }
}

/* --------------------------------------------------------------------------------- together -- */

/* One factor of 24 states and 10 actions, three steps. */
static sonde_model *large_model(scrap *s) {
    enum { N_STATE = 24, N_ACTION = 10, N_OUTCOME = 3, N_STEP = 3 };
    sonde__rng rng = sonde__rng_stream(2, SONDE__FOR_PROBE, 57);
    const int64_t size_B[] = {N_STATE, N_STATE, N_ACTION};
    const int64_t size_A[] = {N_OUTCOME, N_STATE};
    sonde_parts parts = sonde_parts_defaults();
    sonde_factor_parts factor = {.shape.n_state = N_STATE,
                                 .shape.n_action = N_ACTION,
                                 .B = draw_table(&rng, s, COLUMNS_FULL, 3, size_B),
                                 .D = draw_table(&rng, s, COLUMNS_FULL, 1, size_B)};
    sonde_modality_parts modality = {.shape.n_outcome = N_OUTCOME,
                                     .A = draw_table(&rng, s, COLUMNS_FULL, 2, size_A),
                                     .C = draw_numbers(&rng, s, 0, N_OUTCOME)};
    parts.n_factor = parts.n_modality = 1;
    parts.factor = &factor;
    parts.modality = &modality;
    parts.settings.horizon = N_STEP;
    sonde_model *model = NULL;
    sonde_error error = {0};
    assert_int_equal(sonde_model_new(&parts, "large", NULL, &model, &error), SONDE_OK);
    return model;
}

static void only_what_the_stretch_has_is_made(void **state) {
    (void)state;
    scrap kept = {0};
    setting s = setting_of(large_model(&kept));
    sonde__outlook outlook;
    sonde__fan fan;
    sonde__arena arena = {0};
    for (int pass = 0; pass < 2; pass++) {
        sonde__outlook_carve(&arena, s.policies, &outlook);
        sonde__fan_carve(&arena, s.policies, &fan);
        assert_true(pass == 1 || sonde__arena_reserve(&arena));
    }
    sonde__outlook_start(&outlook, s.policies, s.origin, s.belief);
    const struct {
        uint64_t begin;
        uint64_t end;
        int32_t n[2]; /* prefixes of 1 step, and of 2, whose next beliefs or terms are made */
    } wanted[] = {{0, 1000, {10, 10}}, {0, 1, {1, 1}},      {250, 251, {1, 1}},
                  {0, 25, {1, 3}},     {990, 1000, {1, 1}}, {100, 350, {3, 10}}};
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        sonde__fan_start(&fan, &outlook, wanted[i].begin, wanted[i].end);
        const sonde__together *beliefs = &sonde__spread_at(&fan, 2, 0)->made;
        const sonde__together *terms = &fan.terms[3].made;
        assert_int_equal(beliefs->end - beliefs->first, wanted[i].n[0]);
        assert_int_equal(terms->end - terms->first, wanted[i].n[1]);
    }
    sonde__arena_free(&arena);
    setting_free(&s);
    scrap_free(&kept);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_are_those_of_plain_loops),
        cmocka_unit_test(only_what_the_stretch_has_is_made),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

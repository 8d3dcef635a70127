/* All policies of a general model at once: what the plain scorer says of each, whatever the
 * stretch. */
#include "efe/efe_fan_internal.h"
#include "base/rng.h"
#include "random_models.h"

enum { EVERY_KIND = DRAW_COUPLED | DRAW_ALLOWED };

/* Every kind, and now and then a large one. */
static int32_t kind_of(uint64_t seed) {
    return seed % 4 == 0 ? EVERY_KIND | DRAW_LARGE : EVERY_KIND;
}

/* A fan, its outlook and their memory. */
typedef struct {
    sonde__outlook outlook;
    sonde__fan fan;
    sonde__arena arena;
} spreader;

static void spreader_new(const sonde_policies *policies, spreader *s) {
    *s = (spreader){0};
    for (int pass = 0; pass < 2; pass++) {
        sonde__outlook_carve(&s->arena, policies, &s->outlook);
        sonde__fan_carve(&s->arena, policies, &s->fan);
        if (pass == 0) {
            assert_true(sonde__arena_reserve(&s->arena));
        }
    }
}

static void spreader_free(spreader *s) {
    sonde__arena_free(&s->arena);
}

/* Policies begin .. end - 1, in blocks of at most `capacity`, into efe + begin. Blocks must
 * follow each other, and share their first actions. */
static void spread(const setting *s, spreader *by, uint64_t begin, uint64_t end, int32_t capacity,
                   double *efe) {
    int32_t *walk = room((uint64_t)s->policies->horizon + 1, sizeof *walk);
    uint64_t at = begin;
    uint64_t first = 0;
    int32_t action = -1;
    int32_t n = 0;
    sonde__fan_start(&by->fan, &by->outlook, begin, end);
    while ((n = sonde__fan_fill(&by->fan, efe + at, capacity, &first, &action)) > 0) {
        assert_true(n <= capacity && at + (uint64_t)n <= end);
        assert_int_equal(first, at);
        for (int32_t i = 0; i < n; i++) {
            sonde_policies_get(s->policies, s->origin, at + (uint64_t)i, walk, NULL);
            assert_int_equal(walk[1], action);
        }
        at += (uint64_t)n;
    }
    assert_int_equal(at, end);
    assert_int_equal(action, -1);
    free(walk);
}

/* The prefixes of 1 to T steps, each once. */
static uint64_t count_prefixes(const setting *s, int32_t n) {
    const int32_t horizon = s->policies->horizon;
    int32_t before[8] = {-1};
    int32_t walk[8];
    uint64_t n_prefix = 0;
    for (int32_t i = 0; i < n; i++) {
        int32_t same = 1;
        sonde_policies_get(s->policies, s->origin, (uint64_t)i, walk, NULL);
        while (i > 0 && same <= horizon && walk[same] == before[same]) {
            same++;
        }
        n_prefix += (uint64_t)(horizon + 1 - same);
        memcpy(before, walk, sizeof before);
    }
    return n_prefix;
}

static void assert_alike(const double *found, const double *wanted, int32_t n) {
    for (int32_t i = 0; i < n; i++) {
        assert_near(found[i], wanted[i], 1e-12 * (1.0 + fabs(wanted[i])));
    }
}

static void start(const setting *s, spreader *by) {
    sonde__outlook_start(&by->outlook, s->policies, s->origin, s->belief);
}

/* what the drawn models had among them */
typedef struct {
    int32_t n_coupled;
    int32_t n_restricted;
    int32_t n_joint;
    int32_t n_fused;
    int32_t n_sparse;
    int32_t n_untouched;
    int32_t n_varying;
    int32_t n_together;
} census;

static void count_kinds(const setting *s, const spreader *by, census *seen) {
    seen->n_coupled += s->model->coupled;
    seen->n_restricted += s->policies->n_origin > 1;
    seen->n_joint += s->model->information == SONDE_INFORMATION_JOINT;
    for (int32_t c = 0; c < by->outlook.n_channel; c++) {
        seen->n_fused += by->outlook.channel[c].fused;
        seen->n_sparse += by->outlook.channel[c].sparse;
        seen->n_untouched += by->outlook.channel[c].n_axis == 0;
    }
    seen->n_varying += s->model->n_step_C > 1;
    for (int32_t i = 0; i < (s->policies->horizon + 1) * s->model->n_factor; i++) {
        seen->n_together += by->fan.spread[i].n_room > 1;
    }
}

static void efe_is_that_of_the_plain_scorer_and_prefixes_count_once(void **state) {
    (void)state;
    census seen = {0};
    for (uint64_t seed = 0; seed < 800; seed++) {
        setting s = setting_drawn(seed, kind_of(seed), 1500);
        int32_t n = 0;
        double *wanted = setting_efe(&s, &n);
        double *found = room((uint64_t)n, sizeof *found);
        spreader by;
        spreader_new(s.policies, &by);
        start(&s, &by);
        spread(&s, &by, 0, (uint64_t)n, 1024, found);
        assert_alike(found, wanted, n);
        assert_int_equal(by.fan.n_step, count_prefixes(&s, n));
        count_kinds(&s, &by, &seen);
        spreader_free(&by);
        free(found);
        free(wanted);
        setting_free(&s);
    }
    assert_true(seen.n_coupled > 100 && seen.n_restricted > 100 && seen.n_joint > 100);
    assert_true(seen.n_fused > 30 && seen.n_sparse > 30 && seen.n_untouched > 30);
    assert_true(seen.n_varying > 100 && seen.n_together > 20);
}

/* any stretch, and every policy alone */
static void any_stretch_gives_the_bytes_of_the_whole_run(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 200; seed++) {
        setting s = setting_drawn(seed, kind_of(seed), 300);
        const int32_t n = (int32_t)sonde_policies_size(s.policies, s.origin);
        double *whole = room((uint64_t)n, sizeof *whole);
        double *found = room((uint64_t)n, sizeof *found);
        sonde__rng rng = sonde__rng_stream(seed, SONDE__FOR_PROBE, 55);
        spreader by;
        spreader_new(s.policies, &by);
        start(&s, &by);
        spread(&s, &by, 0, (uint64_t)n, n, whole);
        for (int32_t i = 0; i < 20; i++) {
            const int32_t begin = draw_below(&rng, n + 1);
            const int32_t end = begin + draw_below(&rng, n - begin + 1);
            spread(&s, &by, (uint64_t)begin, (uint64_t)end, 1 + draw_below(&rng, n), found);
            assert_memory_equal(found + begin, whole + begin,
                                (size_t)(end - begin) * sizeof *whole);
        }
        for (int32_t i = 0; i < n; i++) {
            spread(&s, &by, (uint64_t)i, (uint64_t)i + 1, 1, found);
            assert_same(found[i], whole[i]);
        }
        spreader_free(&by);
        free(found);
        free(whole);
        setting_free(&s);
    }
}

static void any_capacity_gives_the_same_bytes(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 150; seed++) {
        setting s = setting_drawn(seed, kind_of(seed), 120);
        const int32_t n = (int32_t)sonde_policies_size(s.policies, s.origin);
        double *whole = room((uint64_t)n, sizeof *whole);
        double *found = room((uint64_t)n, sizeof *found);
        spreader by;
        spreader_new(s.policies, &by);
        start(&s, &by);
        spread(&s, &by, 0, (uint64_t)n, n, whole);
        for (int32_t capacity = 1; capacity <= n; capacity++) {
            memset(found, 0x55, (size_t)n * sizeof *found);
            spread(&s, &by, 0, (uint64_t)n, capacity, found);
            assert_memory_equal(found, whole, (size_t)n * sizeof *whole);
        }
        spreader_free(&by);
        free(found);
        free(whole);
        setting_free(&s);
    }
}

/* a prefix that two stretches share counts where it begins */
static void the_steps_of_stretches_add_up_to_those_of_the_whole(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 150; seed++) {
        setting s = setting_drawn(seed, kind_of(seed), 500);
        const int32_t n = (int32_t)sonde_policies_size(s.policies, s.origin);
        double *found = room((uint64_t)n, sizeof *found);
        const uint64_t wanted = count_prefixes(&s, n);
        spreader by;
        spreader_new(s.policies, &by);
        start(&s, &by);
        for (int32_t each = 1; each <= n; each = 2 * each + 1) {
            by.fan.n_step = 0;
            for (int32_t begin = 0; begin < n; begin += each) {
                const int32_t end = begin + each < n ? begin + each : n;
                spread(&s, &by, (uint64_t)begin, (uint64_t)end, 7, found);
            }
            assert_int_equal(by.fan.n_step, wanted);
        }
        spreader_free(&by);
        free(found);
        setting_free(&s);
    }
}

/* whether the last step goes through beliefs, or straight to outcomes */
static void the_fused_last_step_says_the_same(void **state) {
    (void)state;
    int32_t n_fused = 0;
    for (uint64_t seed = 0; seed < 600; seed++) {
        setting s = setting_drawn(seed, kind_of(seed), 1500);
        const int32_t n = (int32_t)sonde_policies_size(s.policies, s.origin);
        double *fused = room((uint64_t)n, sizeof *fused);
        double *plain = room((uint64_t)n, sizeof *plain);
        spreader by;
        spreader_new(s.policies, &by);
        start(&s, &by);
        spread(&s, &by, 0, (uint64_t)n, 64, fused);
        for (int32_t c = 0; c < by.outlook.n_channel; c++) {
            n_fused += by.outlook.channel[c].fused;
            by.outlook.channel[c].fused = false;
        }
        memset(by.outlook.skipped, 0, (size_t)s.model->n_factor * sizeof(bool));
        spread(&s, &by, 0, (uint64_t)n, 64, plain);
        assert_alike(fused, plain, n);
        spreader_free(&by);
        free(plain);
        free(fused);
        setting_free(&s);
    }
    assert_true(n_fused > 30);
}

/* one outlook serves many decisions: beliefs and origins that came before leave nothing behind */
static void an_outlook_forgets_the_decision_before(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 200; seed++) {
        setting s = setting_drawn(seed, kind_of(seed), 500);
        sonde__rng rng = sonde__rng_stream(seed, SONDE__FOR_PROBE, 56);
        spreader by;
        spreader_new(s.policies, &by);
        for (int32_t i = 0; i < 6; i++) {
            draw_belief(&rng, s.model, s.belief);
            s.origin = sonde_policies_origin(s.policies, s.belief);
            const int32_t n = (int32_t)sonde_policies_size(s.policies, s.origin);
            double *found = room((uint64_t)n, sizeof *found);
            double *wanted = room((uint64_t)n, sizeof *wanted);
            spreader fresh;
            spreader_new(s.policies, &fresh);
            start(&s, &fresh);
            start(&s, &by);
            spread(&s, &fresh, 0, (uint64_t)n, 100, wanted);
            spread(&s, &by, 0, (uint64_t)n, 100, found);
            assert_memory_equal(found, wanted, (size_t)n * sizeof *found);
            spreader_free(&fresh);
            free(wanted);
            free(found);
        }
        spreader_free(&by);
        setting_free(&s);
    }
}

/* two fans on one outlook, by turns */
static void fans_that_share_an_outlook_do_not_disturb_each_other(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 50; seed++) {
        setting s = setting_drawn(seed, kind_of(seed), 300);
        const int32_t n = (int32_t)sonde_policies_size(s.policies, s.origin);
        double *whole = room((uint64_t)n, sizeof *whole);
        spreader by;
        spreader_new(s.policies, &by);
        start(&s, &by);
        spread(&s, &by, 0, (uint64_t)n, n, whole);
        sonde__fan other = {0};
        sonde__arena arena = {0};
        sonde__fan_carve(&arena, s.policies, &other);
        assert_true(sonde__arena_reserve(&arena));
        sonde__fan_carve(&arena, s.policies, &other);
        sonde__fan_start(&by.fan, &by.outlook, 0, (uint64_t)n);
        sonde__fan_start(&other, &by.outlook, (uint64_t)(n / 3), (uint64_t)n);
        for (int32_t i = 0; i < 2 * n; i++) {
            sonde__fan *fan = i % 2 == 0 ? &by.fan : &other;
            double efe[3];
            uint64_t first = 0;
            int32_t action = -1;
            const int32_t n_some = sonde__fan_fill(fan, efe, 3, &first, &action);
            assert_memory_equal(efe, whole + first, (size_t)n_some * sizeof *efe);
        }
        sonde__arena_free(&arena);
        spreader_free(&by);
        free(whole);
        setting_free(&s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(efe_is_that_of_the_plain_scorer_and_prefixes_count_once),
        cmocka_unit_test(any_stretch_gives_the_bytes_of_the_whole_run),
        cmocka_unit_test(any_capacity_gives_the_same_bytes),
        cmocka_unit_test(the_steps_of_stretches_add_up_to_those_of_the_whole),
        cmocka_unit_test(the_fused_last_step_says_the_same),
        cmocka_unit_test(an_outlook_forgets_the_decision_before),
        cmocka_unit_test(fans_that_share_an_outlook_do_not_disturb_each_other),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

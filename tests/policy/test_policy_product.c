/* The policies of general models: counted, numbered and found as a plain list would have them. */
#include "policy/policy.h"
#include "base/rng.h"
#include "random_models.h"

/* ------------------------------------------------------------------------------- the list -- */

/* All policies from some states of the factors, written down one after the other. */
typedef struct {
    const sonde_model *model;
    int32_t n;
    int32_t n_room;
    int32_t *action; /* (n, T) */
    int32_t now[64]; /* the present one */
} list;

static bool is_allowed(const sonde_factor *factor, int32_t state, int32_t u) {
    return factor->allowed == NULL || factor->allowed[(int64_t)state * factor->n_action + u];
}

/* The state that follows for certain; 0 where it does not matter. */
static int32_t state_after(const sonde_factor *factor, int32_t state, int32_t u) {
    int32_t next = 0;
    while (factor->allowed != NULL && transition(factor, state, u, next) == 0.0) {
        next++;
    }
    return next;
}

static void list_add(list *l) {
    const int32_t horizon = l->model->horizon;
    if (l->n == l->n_room) {
        l->n_room = 2 * l->n_room + 64;
        l->action = realloc(l->action, (size_t)l->n_room * (size_t)horizon * sizeof *l->action);
        assert_non_null(l->action);
    }
    memcpy(l->action + (int64_t)l->n++ * horizon, l->now, (size_t)horizon * sizeof *l->now);
}

/* Every allowed tuple in every order, to the end; what does not come to the end is not written. */
static void list_from(list *l, int32_t t, const int32_t *state) {
    const sonde_model *model = l->model;
    if (t == model->horizon) {
        list_add(l);
        return;
    }
    for (int32_t u = 0; u < model->n_action; u++) {
        int32_t tuple[SONDE_FACTORS_MAX];
        int32_t next[SONDE_FACTORS_MAX];
        bool allowed = true;
        sonde_model_tuple(model, u, tuple);
        for (int32_t f = 0; f < model->n_factor && allowed; f++) {
            allowed = is_allowed(&model->factor[f], state[f], tuple[f]);
            next[f] = state_after(&model->factor[f], state[f], tuple[f]);
        }
        if (allowed) {
            l->now[t] = u;
            list_from(l, t + 1, next);
        }
    }
}

/* The states that an origin stands for; 0 where they do not matter. */
static list list_of(const sonde_policies *policies, int32_t origin) {
    const sonde_model *model = policies->model;
    list l = {.model = model};
    int32_t state[SONDE_FACTORS_MAX] = {0};
    for (int32_t f = model->n_factor - 1; f >= 0; f--) {
        const int32_t n = model->factor[f].allowed != NULL ? model->factor[f].n_state : 1;
        state[f] = origin % n;
        origin /= n;
    }
    list_from(&l, 0, state);
    return l;
}

/* ------------------------------------------------------------------------------ the tests -- */

static void assert_policies(const sonde_policies *policies, int32_t origin) {
    const int32_t horizon = policies->horizon;
    list l = list_of(policies, origin);
    int32_t *walk = room((uint64_t)horizon + 1, sizeof *walk);
    assert_int_equal(sonde_policies_size(policies, origin), l.n);
    assert_near(sonde_policies_size_real(policies, origin), l.n, 0.0);
    for (int32_t i = 0; i < l.n; i++) {
        const int32_t *wanted = l.action + (int64_t)i * horizon;
        sonde_policies_get(policies, origin, (uint64_t)i, walk, NULL);
        assert_int_equal(walk[0], origin);
        assert_memory_equal(walk + 1, wanted, (size_t)horizon * sizeof *walk);
        assert_int_equal(sonde_policies_find(policies, origin, walk), i);
        for (int32_t t = 1; t <= horizon; t++) {
            assert_int_equal(sonde_policies_action(policies, walk, t), wanted[t - 1]);
        }
    }
    free(walk);
    free(l.action);
}

static void policies_are_those_of_a_plain_list_in_its_order(void **state) {
    (void)state;
    int32_t n_dead = 0;
    for (uint64_t seed = 0; seed < 1500; seed++) {
        setting s = setting_drawn(seed, DRAW_COUPLED | DRAW_ALLOWED, 600);
        assert_int_equal(s.policies->n_policy,
                         sonde_policies_size(s.policies, s.policies->initial));
        assert_near(s.policies->size, (double)s.policies->n_policy, 0.0);
        uint64_t most = 0;
        for (int32_t origin = 0; origin < s.policies->n_origin; origin++) {
            const uint64_t n = sonde_policies_size(s.policies, origin);
            assert_policies(s.policies, origin);
            n_dead += n == 0;
            most = n > most ? n : most;
        }
        assert_int_equal(sonde__policies_most(s.policies), most);
        setting_free(&s);
    }
    assert_true(n_dead > 100); /* places from which no policy begins were among them */
}

/* every sequence of actions of a small model, allowed or not */
static void what_is_no_policy_is_not_found(void **state) {
    (void)state;
    int32_t n_missing = 0;
    for (uint64_t seed = 0; seed < 200; seed++) {
        setting s = setting_drawn(seed, DRAW_ALLOWED, 300);
        const int32_t horizon = s.policies->horizon;
        list l = list_of(s.policies, s.origin);
        int32_t walk[8] = {s.origin};
        const double n_all = pow(s.model->n_action, horizon);
        int32_t n_found = 0;
        for (int32_t i = 0; i < (int32_t)n_all; i++) {
            int32_t rest = i;
            for (int32_t t = horizon; t > 0; t--) {
                walk[t] = rest % s.model->n_action;
                rest /= s.model->n_action;
            }
            const uint64_t found = sonde_policies_find(s.policies, s.origin, walk);
            if (found != UINT64_MAX) {
                assert_memory_equal(walk + 1, l.action + (int64_t)found * horizon,
                                    (size_t)horizon * sizeof *walk);
                assert_int_equal(found, n_found);
                n_found++;
            }
        }
        assert_int_equal(n_found, l.n);
        n_missing += (int32_t)n_all - n_found;
        walk[1] = -1;
        assert_int_equal(sonde_policies_find(s.policies, s.origin, walk), UINT64_MAX);
        walk[1] = s.model->n_action;
        assert_int_equal(sonde_policies_find(s.policies, s.origin, walk), UINT64_MAX);
        free(l.action);
        setting_free(&s);
    }
    assert_true(n_missing > 1000);
}

/* A walker with memory of its own. */
typedef struct {
    sonde__walker walker;
    sonde__arena arena;
} stroll;

static void stroll_new(const sonde_policies *policies, int32_t origin, stroll *s) {
    *s = (stroll){0};
    sonde__walker_carve(&s->arena, policies, &s->walker);
    assert_true(sonde__arena_reserve(&s->arena));
    sonde__walker_carve(&s->arena, policies, &s->walker);
    sonde__walker_start(&s->walker, policies, origin);
}

/* Moves to a policy: it must be the right one, and what is said to stay must have stayed. */
static void assert_move(stroll *s, const sonde_policies *policies, uint64_t index,
                        int32_t *before) {
    const int32_t horizon = policies->horizon;
    int32_t *walk = room((uint64_t)horizon + 1, sizeof *walk);
    const int32_t changed = sonde__walker_move(&s->walker, index);
    sonde_policies_get(policies, s->walker.origin, index, walk, NULL);
    assert_memory_equal(s->walker.edge, walk, ((size_t)horizon + 1) * sizeof *walk);
    assert_in_range(changed, 0, horizon + 1);
    int32_t same = 0;
    while (same <= horizon && before[same] == walk[same]) {
        same++;
    }
    assert_int_equal(changed, before[0] < 0 ? 0 : same);
    memcpy(before, walk, ((size_t)horizon + 1) * sizeof *walk);
    free(walk);
}

static void walk_about(const setting *s, uint64_t seed) {
    const uint64_t n = sonde_policies_size(s->policies, s->origin);
    int32_t before[8] = {-1};
    stroll all;
    stroll_new(s->policies, s->origin, &all);
    for (uint64_t i = 0; i < n; i++) {
        assert_move(&all, s->policies, i, before);
        /* the stretch of a prefix holds the policies that have it */
        for (int32_t t = 0; t <= s->policies->horizon && s->policies->place != NULL; t++) {
            assert_true(all.walker.begin[t] <= i);
            assert_true(i < all.walker.begin[t] + all.walker.count[t]);
        }
    }
    /* and in leaps, backwards too */
    sonde__rng rng = sonde__rng_stream(seed, SONDE__FOR_PROBE, 1000);
    for (int32_t i = 0; i < 20; i++) {
        assert_move(&all, s->policies, sonde__rng_below(&rng, n), before);
    }
    sonde__arena_free(&all.arena);
}

static void a_walker_tells_exactly_from_where_on_a_policy_has_changed(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 150; seed++) {
        setting s = setting_drawn(seed, DRAW_COUPLED | DRAW_ALLOWED | DRAW_LISTED, 500);
        walk_about(&s, seed);
        setting_free(&s);
    }
}

static void listed_policies_are_looked_up_and_never_found(void **state) {
    (void)state;
    int32_t n_listed = 0;
    for (uint64_t seed = 0; seed < 100; seed++) {
        setting s = setting_drawn(seed, DRAW_LISTED, 500);
        if (s.policies->place != NULL) {
            setting_free(&s);
            continue;
        }
        int32_t walk[8];
        assert_int_equal(s.policies->n_origin, 1);
        assert_int_equal(s.policies->initial, 0);
        assert_int_equal(s.policies->n_policy, s.model->n_policy);
        for (int32_t i = 0; i < s.model->n_policy; i++) {
            sonde_policies_get(s.policies, 0, (uint64_t)i, walk, NULL);
            assert_memory_equal(walk + 1, s.model->policy + (int64_t)i * s.model->horizon,
                                (size_t)s.model->horizon * sizeof *walk);
            assert_int_equal(sonde_policies_find(s.policies, 0, walk), UINT64_MAX);
        }
        n_listed++;
        setting_free(&s);
    }
    assert_true(n_listed > 20);
}

/* One factor that does nothing at all, with so many actions. */
static sonde_model *idle_model(int32_t n_factor, int32_t n_action, int32_t horizon) {
    char text[8192];
    int n = snprintf(text, sizeof text,
                     "{\"format\": \"sonde-model\", \"version\": 1, \"horizon\": %d,"
                     " \"modalities\": [{\"outcomes\": 1}], \"C\": [[0]], \"factors\": [",
                     horizon);
    for (int32_t f = 0; f < n_factor; f++) {
        n += snprintf(text + n, sizeof text - (size_t)n, "%s{\"states\": 1, \"actions\": %d}",
                      f > 0 ? ", " : "", n_action);
    }
    n += snprintf(text + n, sizeof text - (size_t)n, "], \"B\": [");
    for (int32_t f = 0; f < n_factor; f++) {
        n += snprintf(text + n, sizeof text - (size_t)n, "%s[[[1", f > 0 ? ", " : "");
        for (int32_t u = 1; u < n_action; u++) {
            n += snprintf(text + n, sizeof text - (size_t)n, ", 1");
        }
        n += snprintf(text + n, sizeof text - (size_t)n, "]]]");
    }
    n += snprintf(text + n, sizeof text - (size_t)n, "], \"A\": [");
    for (int32_t f = 0; f <= n_factor; f++) {
        n += snprintf(text + n, sizeof text - (size_t)n, "[");
    }
    n += snprintf(text + n, sizeof text - (size_t)n, "1");
    for (int32_t f = 0; f <= n_factor; f++) {
        n += snprintf(text + n, sizeof text - (size_t)n, "]");
    }
    n += snprintf(text + n, sizeof text - (size_t)n, "], \"D\": [");
    for (int32_t f = 0; f < n_factor; f++) {
        n += snprintf(text + n, sizeof text - (size_t)n, "%s[1]", f > 0 ? ", " : "");
    }
    (void)snprintf(text + n, sizeof text - (size_t)n, "]}");
    return model_of(text);
}

static void counts_stop_at_the_largest_number_and_sizes_do_not(void **state) {
    (void)state;
    const struct {
        int32_t n_factor;
        int32_t n_action;
        int32_t horizon;
        uint64_t n_policy;
    } cases[] = {{1, 2, 63, UINT64_C(1) << 63}, {1, 2, 64, UINT64_MAX},
                 {1, 2, 1000, UINT64_MAX},      {2, 4, 15, UINT64_C(1) << 60},
                 {2, 4, 16, UINT64_MAX},        {3, 3, 12, UINT64_C(150094635296999121)},
                 {3, 3, 14, UINT64_MAX},        {1, 1, 100, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        setting s = setting_of(idle_model(cases[i].n_factor, cases[i].n_action, cases[i].horizon));
        const double size =
            pow((double)cases[i].n_action, (double)cases[i].n_factor * cases[i].horizon);
        assert_int_equal(s.policies->n_policy, cases[i].n_policy);
        assert_near(s.policies->size, size, 1e-12 * size);
        setting_free(&s);
    }
}

/* the last policy of a space that is nearly too large, and one in its midst */
static void large_spaces_are_numbered_to_the_end(void **state) {
    (void)state;
    setting s = setting_of(idle_model(2, 4, 15));
    int32_t walk[16];
    const uint64_t index[] = {0, 1, UINT64_C(1) << 59, (UINT64_C(1) << 60) - 1,
                              UINT64_C(0x123456789ABCDEF)};
    for (int32_t i = 0; i < 5; i++) {
        sonde_policies_get(s.policies, 0, index[i], walk, NULL);
        uint64_t rest = index[i];
        for (int32_t t = 15; t > 0; t--) {
            assert_int_equal(walk[t], rest % 16);
            rest /= 16;
        }
        assert_int_equal(sonde_policies_find(s.policies, 0, walk), index[i]);
    }
    setting_free(&s);
}

/* three states in a row, from the last of which nothing is allowed */
#define DEAD_END(start, horizon)                                                                   \
    "{\"format\": \"sonde-model\", \"version\": 1, \"horizon\": " horizon ","                      \
    " \"factors\": [{\"states\": 3, \"actions\": 1}], \"modalities\": [{\"outcomes\": 1}],"        \
    " \"A\": [[[1, 1, 1]]], \"C\": [[0]], \"D\": [" start "], \"policies\": \"allowed\","          \
    " \"B\": [[[[0], [0], [0]], [[1], [0], [0]], [[0], [1], [1]]]],"                               \
    " \"allowed\": [[[0, 0], [1, 0]]]}"

static void a_beginning_without_any_policy_is_refused(void **state) {
    (void)state;
    setting s = setting_of(model_of(DEAD_END("[1, 0, 0]", "2")));
    assert_int_equal(s.policies->n_policy, 1);
    assert_int_equal(sonde_policies_size(s.policies, 1), 0);
    setting_free(&s);
    sonde_model *model = model_of(DEAD_END("[1, 0, 0]", "3"));
    sonde_policies *policies = NULL;
    sonde_error error = {0};
    assert_int_equal(sonde_policies_count(model, 0, NULL, &policies, &error), SONDE_NO_POLICY);
    assert_null(policies);
    assert_says(error.text, "3 allowed actions");
    sonde_model_free(model);
}

/* the lowest of several; factors without restrictions have one place whatever is believed */
static void an_origin_is_the_places_of_the_most_probable_states(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 100; seed++) {
        setting s = setting_drawn(seed, DRAW_ALLOWED, 500);
        int32_t wanted = 0;
        for (int32_t f = 0; f < s.model->n_factor; f++) {
            const sonde_factor *factor = &s.model->factor[f];
            int32_t best = 0;
            for (int32_t i = 1; i < factor->n_state; i++) {
                best = s.belief[factor->first + i] > s.belief[factor->first + best] ? i : best;
            }
            wanted = factor->allowed != NULL ? wanted * factor->n_state + best : wanted;
        }
        assert_int_equal(sonde_policies_origin(s.policies, s.belief), wanted);
        setting_free(&s);
    }
    setting s = setting_of(model_of(DEAD_END("[0.5, 0.5, 0]", "1")));
    assert_int_equal(s.policies->initial, 0);
    assert_int_equal(sonde_policies_origin(s.policies, (double[]){0.2, 0.4, 0.4}), 1);
    setting_free(&s);
}

static void counts_that_do_not_fit_are_refused(void **state) {
    (void)state;
    sonde_model *model = idle_model(2, 4, 1000000);
    sonde_policies *policies = NULL;
    sonde_error error = {0};
    sonde_run run = sonde_run_defaults();
    run.memory = 100000;
    assert_int_equal(sonde_policies_count(model, 0, &run, &policies, &error), SONDE_TOO_LARGE);
    assert_null(policies);
    assert_says(error.text, "shorter horizon");
    sonde_model_free(model);
}

/* Whether some policy of an origin begins with an action. */
static bool any_begins(const sonde_policies *policies, int32_t origin, int32_t action) {
    bool any = false;
    int32_t walk[8];
    for (uint64_t i = 0; i < sonde_policies_size(policies, origin) && !any; i++) {
        sonde_policies_get(policies, origin, i, walk, NULL);
        any = sonde_policies_action(policies, walk, 1) == action;
    }
    return any;
}

static void first_actions_are_those_with_which_some_policy_begins(void **state) {
    (void)state;
    int32_t n_none = 0;
    for (uint64_t seed = 0; seed < 200; seed++) {
        setting s = setting_drawn(
            seed, DRAW_COUPLED | DRAW_LISTED | (seed % 2 == 0 ? DRAW_ALLOWED : 0), 600);
        const int32_t n_action = s.model->n_action;
        int32_t *any = room((uint64_t)n_action, sizeof *any);
        for (int32_t origin = 0; origin < s.policies->n_origin; origin++) {
            sonde__space_of(s.policies)->mark(s.policies, origin, -1, any);
            for (int32_t a = 0; a < n_action; a++) {
                assert_int_equal(any[a], any_begins(s.policies, origin, a) ? 0 : -1);
                n_none += any[a] < 0;
            }
        }
        free(any);
        setting_free(&s);
    }
    assert_true(n_none > 1000);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(policies_are_those_of_a_plain_list_in_its_order),
        cmocka_unit_test(what_is_no_policy_is_not_found),
        cmocka_unit_test(a_walker_tells_exactly_from_where_on_a_policy_has_changed),
        cmocka_unit_test(listed_policies_are_looked_up_and_never_found),
        cmocka_unit_test(counts_stop_at_the_largest_number_and_sizes_do_not),
        cmocka_unit_test(large_spaces_are_numbered_to_the_end),
        cmocka_unit_test(a_beginning_without_any_policy_is_refused),
        cmocka_unit_test(an_origin_is_the_places_of_the_most_probable_states),
        cmocka_unit_test(counts_that_do_not_fit_are_refused),
        cmocka_unit_test(first_actions_are_those_with_which_some_policy_begins),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The table of methods: what search.h says is all that it takes, and a method stays in its room. */
#include "base/explanation.h"
#include "base/settings.h"
#include "search/baselines.h"
#include "search/search.h"

enum { CANARY = 0x5A, N_CANARY = 256 };

/* a search, and bytes behind it that nobody may touch */
typedef struct {
    sonde__search *search;
    size_t size;
    sonde__arena arena;
} room_of;

static room_of open_search(const sonde_policies *policies, const sonde_search_settings *settings) {
    room_of r = {.size = sonde__search_size(policies, (int32_t)settings->search)};
    const sonde_run run = {.n_thread = 2, .memory = UINT64_C(1) << 30};
    sonde_error error = {0};
    r.search = room(1, r.size + N_CANARY);
    memset((char *)r.search + r.size, CANARY, N_CANARY);
    if (sonde__search_open(r.search, policies, settings, &run, &error) != SONDE_OK) {
        fail_msg("%s", error.text);
    }
    sonde__search_carve(r.search, &r.arena);
    assert_true(sonde__arena_reserve(&r.arena));
    const uint64_t measured = r.arena.size;
    sonde__search_carve(r.search, &r.arena);
    assert_int_equal(r.arena.used, measured);
    sonde__search_reset(r.search);
    return r;
}

static void close_search(room_of *r) {
    sonde__search_close(r->search);
    for (size_t i = 0; i < N_CANARY; i++) {
        assert_int_equal(((const unsigned char *)r->search)[r->size + i], CANARY);
    }
    sonde__arena_free(&r->arena);
    free(r->search);
}

/* Two decisions, an explanation and the plan behind the best action, as an agent has them. */
static void assert_like_an_agent(const sonde_policies *policies, int32_t kind, sonde_present now,
                                 const int32_t *outcome) {
    sonde_search_settings settings = sonde_search_defaults();
    settings.search = (sonde_search_kind)kind;
    settings.cluster.k = 3;
    settings.cluster.n_restart = 2;
    settings.n_keep = 2;
    settings.seed = 5;
    room_of r = open_search(policies, &settings);
    thought t = {0};
    assert_int_equal(sonde_agent_new(policies, &settings, NULL, &t.agent, NULL), SONDE_OK);
    if (outcome != NULL) {
        assert_int_equal(sonde_agent_observe(t.agent, outcome, NULL), SONDE_OK);
    }
    assert_int_equal(sonde_agent_search(t.agent, &t.decision, NULL), SONDE_OK);
    for (int32_t i = 0; i < 2; i++) {
        assert_int_equal(sonde__search_decide(r.search, now, t.decision->origin, 0), SONDE_OK);
    }
    const sonde_decision *made = sonde__search_decision(r.search);
    assert_decided_alike(made, t.decision, policies->horizon);
    assert_int_equal(made->n_kept, t.decision->n_kept);
    sonde_explanation *why = NULL;
    assert_int_equal(sonde__search_explain(r.search, &why, NULL), SONDE_OK);
    assert_true(why->n_alternative >= made->n_action || made->n_to > 0);
    sonde_explanation_free(why);
    int32_t *walk = room((uint64_t)policies->horizon + 1, sizeof *walk);
    const int32_t first = sonde_policies_action(policies, made->best_walk, 1);
    assert_true(sonde__search_plan(r.search, first, walk));
    assert_int_equal(sonde_policies_action(policies, walk, 1), first);
    free(walk);
    thought_free(&t);
    close_search(&r);
}

static void walks_are_searched_through_search_h_by_every_method_in_its_room(void **state) {
    (void)state;
    space s = space_random(4, 3, SONDE_SYMMETRIC);
    double *belief = room((uint64_t)s.model->n_belief, sizeof *belief);
    belief[s.graph->start] = 1.0;
    for (int32_t kind = 0; sonde_search_name(kind) != NULL; kind++) {
        const sonde_present now = {.state = s.graph->start, .belief = belief};
        assert_like_an_agent(s.policies, kind, now, &s.graph->start);
    }
    free(belief);
    space_free(&s);
}

static void products_and_lists_are_searched_through_search_h_by_every_method(void **state) {
    (void)state;
    int32_t n_listed = 0;
    for (uint64_t seed = 0; seed < 12; seed++) {
        setting s = setting_drawn(seed, DRAW_COUPLED | DRAW_ALLOWED | DRAW_LISTED, 400.0);
        n_listed += s.model->policies == SONDE_POLICIES_LISTED;
        sonde_belief_initial(s.model, s.belief);
        for (int32_t kind = 0; sonde_search_name(kind) != NULL; kind++) {
            const sonde_present now = {.state = -1, .belief = s.belief};
            assert_like_an_agent(s.policies, kind, now, NULL);
        }
        setting_free(&s);
    }
    assert_true(n_listed > 2 && n_listed < 10);
}

static void every_trait_is_that_of_one_search(void **state) {
    (void)state;
    static const sonde__trait traits[] = {SONDE__SCORES_ALL, SONDE__SCORES_CLUSTERS,
                                          SONDE__CERTIFIES};
    for (int32_t i = 0; i < 3; i++) {
        int32_t n = 0;
        for (int32_t kind = 0; sonde_search_name(kind) != NULL; kind++) {
            n += sonde__search_has(kind, traits[i]);
        }
        assert_int_equal(n, 1);
        assert_true(sonde__search_has((int32_t)sonde__search_with(traits[i]), traits[i]));
    }
    assert_false(sonde__search_has(-1, SONDE__SCORES_ALL));
    assert_false(sonde__search_has(99, SONDE__SCORES_ALL));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(walks_are_searched_through_search_h_by_every_method_in_its_room),
        cmocka_unit_test(products_and_lists_are_searched_through_search_h_by_every_method),
        cmocka_unit_test(every_trait_is_that_of_one_search),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

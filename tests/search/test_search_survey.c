/* The clusters that searches go by: made once for an origin, for all three searches alike. */
#include "search/search.h"
#include "stages.h"

static sonde_search_settings with(const char *search, sonde_scope scope) {
    sonde_search_settings settings = cluster_defaults();
    settings.search = (sonde_search_kind)sonde_name_find(sonde_search_name, search);
    settings.scope = scope;
    settings.cluster.k = 4;
    settings.cluster.n_restart = 2;
    settings.gamma = 0.05;
    return settings;
}

static void the_clusters_of_an_origin_are_made_on_its_first_visit_alone(void **state) {
    (void)state;
    static const char *const searches[] = {"cluster", "tree", "surrogate"};
    for (int32_t i = 0; i < 6; i++) {
        space s = space_random(4, 7, SONDE_SYMMETRIC);
        const sonde_search_settings settings = with(searches[i / 2], (sonde_scope)(i % 2));
        thought t = think(&s, &settings, NULL);
        const int32_t n = sonde_agent_setup(t.agent).n_clustering;
        assert_int_equal(n, 1);
        assert_int_equal(sonde_agent_search(t.agent, &t.decision, NULL), SONDE_OK);
        assert_int_equal(sonde_agent_setup(t.agent).n_clustering, n);
        thought_free(&t);
        space_free(&s);
    }
}

/* What decisions have taught is in the number of clusters, where that is to balance costs. */
static void an_agent_that_forgets_makes_balanced_clusters_anew(void **state) {
    (void)state;
    space s = space_random(4, 7, SONDE_SYMMETRIC);
    sonde_search_settings settings = with("cluster", SONDE_LOCAL);
    settings.cluster.k = SONDE_K_AUTO;
    thought t = think(&s, &settings, NULL);
    const sonde_evaluations first = t.decision->evaluations;
    const int32_t k = t.decision->clusters->k;
    sonde_agent_reset(t.agent);
    assert_int_equal(sonde_agent_observe(t.agent, &s.graph->start, NULL), SONDE_OK);
    assert_int_equal(sonde_agent_search(t.agent, &t.decision, NULL), SONDE_OK);
    assert_int_equal(sonde_agent_setup(t.agent).n_clustering, 2);
    assert_int_equal(t.decision->clusters->k, k);
    assert_int_equal(t.decision->evaluations.n_step, first.n_step);
    thought_free(&t);
    space_free(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_clusters_of_an_origin_are_made_on_its_first_visit_alone),
        cmocka_unit_test(an_agent_that_forgets_makes_balanced_clusters_anew),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

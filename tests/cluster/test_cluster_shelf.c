/* Clusterings that were made before. */
#include "base/shelf.h"
#include "stages.h"

static sonde_shelf *shelf_new(void) {
    sonde_shelf *shelf = NULL;
    assert_int_equal(sonde__shelf_new(&shelf, NULL), SONDE_OK);
    assert_non_null(shelf);
    return shelf;
}

static sonde_clusters *fit(const sonde_embedding *rows, const sonde_cluster_settings *settings,
                           sonde_shelf *shelf) {
    sonde_run run = threads(1);
    run.shelf = shelf;
    sonde_clusters *clusters = NULL;
    assert_int_equal(sonde_clusters_fit(rows, settings, &run, &clusters, NULL), SONDE_OK);
    return clusters;
}

/* With or without the shelf the clusters are the same; returns whether they came from it. */
static bool fit_both_ways(const sonde_embedding *rows, const sonde_cluster_settings *settings,
                          sonde_shelf *shelf) {
    sonde_clusters *fresh = fit(rows, settings, NULL);
    sonde_clusters *kept = fit(rows, settings, shelf);
    assert_same_clusters(fresh, kept);
    assert_false(fresh->reused);
    const bool reused = kept->reused;
    sonde_clusters_free(fresh);
    sonde_clusters_free(kept);
    return reused;
}

/* the flags say how a result is numbered and represented, which costs next to nothing */
static void what_is_on_the_shelf_serves_whatever_the_flags(void **state) {
    (void)state;
    space s = space_random(4, 3, SONDE_SYMMETRIC);
    for (int32_t kind = 0; kind < n_embedding(); kind++) {
        sonde_shelf *shelf = shelf_new();
        embedded e = embed_as(&s, sonde_embedding_name(kind), s.graph->start);
        for (int32_t i = 0; i < 8; i++) {
            sonde_cluster_settings settings = sonde_search_defaults().cluster;
            settings.k = 5;
            settings.keep_empty = i % 2 == 1;
            settings.nearest_of_all = i / 2 % 2 == 1;
            settings.seed_order = i / 4 == 1;
            assert_int_equal(fit_both_ways(e.rows, &settings, shelf), i > 0);
        }
        embedded_free(&e);
        sonde__shelf_free(shelf);
    }
    space_free(&s);
}

/* Changes one setting that a fit depends on. */
static void change(sonde_cluster_settings *settings, int32_t which) {
    settings->k += which == 0;
    settings->n_restart += which == 1;
    settings->n_round_max = which == 2 ? 2 : settings->n_round_max;
    settings->tolerance = which == 3 ? 0.5 : settings->tolerance;
    settings->seed += which == 4;
    settings->stream += which == 5;
}

static void other_settings_are_not_mistaken_for_each_other(void **state) {
    (void)state;
    space s = space_random(4, 3, SONDE_SYMMETRIC);
    sonde_shelf *shelf = shelf_new();
    embedded e = embed_as(&s, "boe", s.graph->start);
    sonde_cluster_settings settings = sonde_search_defaults().cluster;
    settings.k = 5;
    settings.n_restart = 2;
    assert_false(fit_both_ways(e.rows, &settings, shelf));
    for (int32_t which = 0; which < 6; which++) {
        sonde_cluster_settings other = settings;
        change(&other, which);
        assert_false(fit_both_ways(e.rows, &other, shelf));
        assert_true(fit_both_ways(e.rows, &other, shelf));
    }
    assert_true(fit_both_ways(e.rows, &settings, shelf));
    embedded_free(&e);
    sonde__shelf_free(shelf);
    space_free(&s);
}

static void other_rows_are_not_mistaken_for_each_other(void **state) {
    (void)state;
    space s = space_random(4, 3, SONDE_SYMMETRIC);
    sonde_shelf *shelf = shelf_new();
    sonde_cluster_settings settings = sonde_search_defaults().cluster;
    settings.k = 4;
    for (int32_t kind = 0; kind < n_embedding(); kind++) {
        const int32_t origins[] = {SONDE_EVERYWHERE, s.graph->start, (s.graph->start + 1) % 2};
        for (int32_t i = 0; i < 3; i++) {
            embedded e = embed_as(&s, sonde_embedding_name(kind), origins[i]);
            assert_false(fit_both_ways(e.rows, &settings, shelf));
            embedded_free(&e);
        }
    }
    sonde_embed_settings heavier = embedding_called("aboe-onehot");
    heavier.onehot_weight = 9.0;
    embedded e = embed(&s, &heavier, s.graph->start, NULL);
    assert_false(fit_both_ways(e.rows, &settings, shelf));
    embedded_free(&e);
    sonde__shelf_free(shelf);
    space_free(&s);
}

/* Agents that differ in their probe; the second finds all that the first one has found. */
static void agents_that_share_a_shelf_decide_as_if_they_had_none(void **state) {
    (void)state;
    space s = space_random(4, 6, SONDE_SYMMETRIC);
    for (int32_t scope = 0; scope < 2; scope++) {
        sonde_shelf *shelf = shelf_new();
        sonde_run run = threads(1);
        run.shelf = shelf;
        for (int32_t i = 0; i < 4; i++) {
            sonde_search_settings settings = cluster_defaults();
            settings.scope = (sonde_scope)scope;
            settings.probe = (sonde_probe)(i % 2);
            settings.cluster.k = 4;
            settings.cluster.seed_order = i / 2 == 1;
            thought alone = think(&s, &settings, NULL);
            thought shared = think(&s, &settings, &run);
            assert_same_decision(alone.decision, shared.decision, s.policies->horizon);
            const sonde_setup setup = sonde_agent_setup(shared.agent);
            assert_int_equal(setup.n_clustering, 1);
            assert_int_equal(setup.n_reused, i > 0 ? 1 : 0);
            assert_int_equal(sonde_agent_setup(alone.agent).n_reused, 0);
            thought_free(&alone);
            thought_free(&shared);
        }
        sonde__shelf_free(shelf);
    }
    space_free(&s);
}

static void an_empty_shelf_can_be_freed(void **state) {
    (void)state;
    sonde__shelf_free(shelf_new());
    sonde__shelf_free(NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_on_the_shelf_serves_whatever_the_flags),
        cmocka_unit_test(other_settings_are_not_mistaken_for_each_other),
        cmocka_unit_test(other_rows_are_not_mistaken_for_each_other),
        cmocka_unit_test(agents_that_share_a_shelf_decide_as_if_they_had_none),
        cmocka_unit_test(an_empty_shelf_can_be_freed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

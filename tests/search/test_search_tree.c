/* Tree search: one level is clustered search, and more are what they should be. */
#include "search/naive.h"

static sonde_search_settings tree(int32_t k, int32_t depth) {
    sonde_search_settings settings = cluster_defaults();
    settings.search = SONDE_SEARCH_TREE;
    settings.embed = embedding_called("boe");
    settings.gamma = 0.05;
    settings.cluster.k = k;
    settings.cluster.n_restart = 3;
    settings.n_depth = depth;
    return settings;
}

/* ---------------------------------------------------------------------------- one level -- */

static void compare_with_clusters(const space *s, const sonde_search_settings *settings) {
    sonde_search_settings flat = *settings;
    flat.search = SONDE_SEARCH_CLUSTER;
    sonde_agent *a = agent_of(s, settings, NULL);
    sonde_agent *b = agent_of(s, &flat, NULL);
    int32_t state = s->graph->start;
    for (int32_t t = 0; t < 4; t++) {
        const sonde_decision *of_tree = NULL;
        const sonde_decision *of_clusters = NULL;
        sonde_agent_observe(a, &state, NULL);
        sonde_agent_observe(b, &state, NULL);
        const sonde_status status = sonde_agent_search(a, &of_tree, NULL);
        assert_int_equal(sonde_agent_search(b, &of_clusters, NULL), status);
        if (status != SONDE_OK) {
            break; /* the notebook's empty cluster */
        }
        assert_same_decision(of_tree, of_clusters, s->policies->horizon);
        const int32_t action = sonde_agent_act(a);
        assert_int_equal(sonde_agent_act(b), action);
        state = sonde_model_next(s->model, state, action);
    }
    sonde_agent_free(b);
    sonde_agent_free(a);
}

static void a_tree_of_one_level_is_clustered_search(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 6; seed++) {
        space s = space_random(2 + (int32_t)(seed % 3), seed, (sonde_connect)(seed / 3));
        for (int32_t i = 0; i < 24; i++) {
            sonde_search_settings settings = tree((const int32_t[]){1, 3, 12}[i % 3], 1);
            settings.scope = (sonde_scope)(i / 3 % 2);
            settings.probe = (sonde_probe)(i / 6 % 3);
            settings.n_top = 1 + i / 12;
            settings.embed.kind = (int32_t)((uint64_t)i + seed) % 6;
            settings.embed.n_sample = i % 4 == 3 ? 20 : 0;
            settings.action = i % 5 == 0 ? SONDE_ACTION_FULL : SONDE_ACTION_MARGINAL;
            settings.seed = seed;
            sonde_differences_apply(i % 7 == 6 ? SONDE_SEMANTICS_NOTEBOOK : SONDE_SEMANTICS_TEXT,
                                    12, &settings);
            compare_with_clusters(&s, &settings);
        }
        space_free(&s);
    }
}

/* `branch` stands for k */
static void branches_are_as_many_as_one_says(void **state) {
    (void)state;
    space s = space_random(4, 3, SONDE_SYMMETRIC);
    sonde_search_settings settings = tree(12, 2);
    sonde_search_settings same = tree(3, 2);
    settings.n_branch = 3;
    thought a = think(&s, &settings, NULL);
    thought b = think(&s, &same, NULL);
    assert_int_equal(a.decision->clusters->k, 3);
    assert_same_decision(a.decision, b.decision, s.policies->horizon);
    thought_free(&b);
    thought_free(&a);
    space_free(&s);
}

/* -------------------------------------------------------------------------- more levels -- */

/* Clusters again what `list` (n) has, as number i of the tree; each part's policies go to
 * `part`. */
static sonde_clusters *part_clusters(const space *s, const sonde_search_settings *settings,
                                     int32_t origin, const int32_t *list, int32_t n, uint64_t i) {
    embedded all = embed(s, &settings->embed, origin, NULL);
    double *row = room((uint64_t)n * (uint64_t)all.rows->n_column, sizeof *row);
    for (int32_t j = 0; j < n; j++) {
        sonde_embedding_row(all.rows, all.rows->row_of[list[j]],
                            row + (int64_t)j * all.rows->n_column);
    }
    sonde_embedding *some = NULL;
    assert_int_equal(sonde_embedding_from_rows(n, all.rows->n_column, row, NULL, &some, NULL),
                     SONDE_OK);
    sonde_cluster_settings cluster = settings->cluster;
    cluster.seed = settings->seed;
    cluster.stream = (i + 1) << 24 | (uint64_t)(origin + 1);
    sonde_clusters *clusters = NULL;
    assert_int_equal(sonde_clusters_fit(some, &cluster, NULL, &clusters, NULL), SONDE_OK);
    sonde_embedding_free(some);
    free(row);
    embedded_free(&all);
    return clusters;
}

static double efe_of(const space *s, int32_t origin, int32_t policy) {
    return mean_efe(s, origin, s->graph->start, &policy, 1);
}

/* Two levels by centres, the long way: all clusters of the first level are open, and of the
 * second those of the first that have been taken. */
static void compare_two_levels(const space *s, const sonde_search_settings *settings) {
    const int32_t origin = settings->scope == SONDE_LOCAL ? s->graph->start : SONDE_EVERYWHERE;
    sonde_clusters *top = clusters_like(s, settings, origin);
    double *value = probe_centers(s, top, origin, s->graph->start);
    bool *taken = room((uint64_t)top->k, sizeof *taken);
    int32_t *list = NULL;
    int32_t n_list = 0;
    uint64_t n_probe = (uint64_t)top->k;
    double least_below = INFINITY;
    bool done = false;
    while (!done) {
        int32_t best = -1;
        for (int32_t c = 0; c < top->k; c++) {
            best = !taken[c] && (best < 0 || value[c] < value[best] - 1e-9) ? c : best;
        }
        done = best < 0 || least_below < value[best] - 1e-9;
        if (done) {
            break;
        }
        taken[best] = true;
        const int32_t *member = top->member + top->offset[best];
        const int32_t n = top->offset[best + 1] - top->offset[best];
        sonde_clusters *below = part_clusters(s, settings, origin, member, n, (uint64_t)best);
        if (below->k < 2) {
            /* it is not divided: its own value stands, and it is the best of all that are open */
            free(list);
            list = room((uint64_t)n, sizeof *list);
            memcpy(list, member, (size_t)n * sizeof *list);
            n_list = n;
            done = true;
        } else {
            n_probe += (uint64_t)below->k;
        }
        for (int32_t c = 0; c < below->k && !done; c++) {
            const double probe = efe_of(s, origin, member[below->representative[c]]);
            if (probe < least_below - 1e-9) {
                least_below = probe;
                n_list = below->offset[c + 1] - below->offset[c];
                free(list);
                list = room((uint64_t)n_list, sizeof *list);
                for (int32_t i = 0; i < n_list; i++) {
                    list[i] = member[below->member[below->offset[c] + i]];
                }
            }
        }
        sonde_clusters_free(below);
    }
    thought t = think(s, settings, NULL);
    scored all = score(s, origin, s->graph->start, list, n_list);
    assert_memory_equal(t.decision->cluster_efe, value, (size_t)top->k * sizeof *value);
    assert_decision(s, t.decision, &all, settings->gamma, n_probe);
    scored_free(&all);
    thought_free(&t);
    free(list);
    free(taken);
    free(value);
    sonde_clusters_free(top);
}

static void two_levels_are_searched_best_first(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 12; seed++) {
        space s = space_random(4, 20 + seed, (sonde_connect)(seed % 2));
        sonde_search_settings settings = tree(3 + (int32_t)(seed % 3), 2);
        settings.scope = (sonde_scope)(seed / 2 % 2);
        settings.seed = seed;
        compare_two_levels(&s, &settings);
        space_free(&s);
    }
}

/* levels enough to tell all rows apart: what is scored are policies of one row */
static void a_deep_tree_ends_in_single_rows(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 6; seed++) {
        space s = space_random(4, seed, SONDE_SYMMETRIC);
        sonde_search_settings settings = tree(2, 60);
        thought t = think(&s, &settings, NULL);
        embedded e = embed(&s, &settings.embed, s.graph->start, NULL);
        const uint64_t n_probe = t.decision->evaluations.n_policy -
                                 (uint64_t)e.rows->weight[e.rows->row_of[t.decision->best]];
        assert_true(n_probe >= 2);
        /* two probes a level */
        assert_int_equal(n_probe % 2, 0);
        embedded_free(&e);
        thought_free(&t);
        space_free(&s);
    }
}

/* ------------------------------------------------------------------------------- budget -- */

static void the_budget_is_kept_and_more_of_it_finds_no_less(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 8; seed++) {
        space s = space_random(4, seed, (sonde_connect)(seed % 2));
        double before = INFINITY;
        for (uint64_t budget = 20; budget <= 20000; budget += budget / 5) {
            sonde_search_settings settings = tree(4, 1 + (int32_t)(seed % 4));
            settings.budget = budget;
            settings.scope = (sonde_scope)(seed / 4);
            thought t = think(&s, &settings, NULL);
            assert_true(t.decision->evaluations.n_step <= budget);
            /* as if no two policies began alike, it pays for no more than were scored */
            const uint64_t n = t.decision->evaluations.n_policy;
            const double most = sonde_policies_size_real(s.policies, t.decision->origin);
            if (settings.scope == SONDE_LOCAL && (double)n < most) {
                assert_int_equal(n, budget / (uint64_t)s.policies->horizon);
            }
            if (settings.n_depth == 1) {
                assert_true(t.decision->best_efe.efe <= before + 1e-9);
            }
            before = t.decision->best_efe.efe;
            thought_free(&t);
        }
        space_free(&s);
    }
}

static void a_budget_for_everything_scores_everything(void **state) {
    (void)state;
    space s = space_random(3, 4, SONDE_DIRECTED);
    sonde_search_settings settings = tree(3, 3);
    settings.budget = 1000000;
    thought t = think(&s, &settings, NULL);
    scored all = score_all(&s, s.graph->start, s.graph->start);
    assert_int_equal(t.decision->best, best_of(&all));
    double log_evidence = 0.0;
    free(softmax_of(&all, 0.05, &log_evidence));
    assert_near(t.decision->log_evidence, log_evidence, 1e-9);
    scored_free(&all);
    thought_free(&t);
    space_free(&s);
}

static void a_budget_that_cannot_even_probe_is_refused(void **state) {
    (void)state;
    space s = space_random(3, 4, SONDE_DIRECTED);
    sonde_search_settings settings = tree(5, 2);
    sonde_agent *agent = NULL;
    sonde_error error = {0};
    settings.budget = 17;
    assert_int_equal(sonde_agent_new(s.policies, &settings, NULL, &agent, &error),
                     SONDE_BAD_ARGUMENT);
    assert_non_null(strstr(error.text, "18 steps"));
    settings.budget = 18;
    thought t = think(&s, &settings, NULL);
    assert_true(t.decision->evaluations.n_step <= 18);
    thought_free(&t);
    space_free(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_tree_of_one_level_is_clustered_search),
        cmocka_unit_test(branches_are_as_many_as_one_says),
        cmocka_unit_test(two_levels_are_searched_best_first),
        cmocka_unit_test(a_deep_tree_ends_in_single_rows),
        cmocka_unit_test(the_budget_is_kept_and_more_of_it_finds_no_less),
        cmocka_unit_test(a_budget_for_everything_scores_everything),
        cmocka_unit_test(a_budget_that_cannot_even_probe_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

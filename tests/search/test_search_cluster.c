/* Clustered search, against the paper's Algorithms 1 and 2 step by step. */
#include "search/naive.h"

/* ---------------------------------------------------------------------------- the method -- */

static uint64_t n_probed(const sonde_clusters *clusters, const sonde_search_settings *settings) {
    uint64_t n = 0;
    for (int32_t c = 0; c < clusters->k; c++) {
        const int32_t size = clusters->offset[c + 1] - clusters->offset[c];
        const int32_t most = settings->probe == SONDE_PROBE_CENTER ? 1 : settings->n_sample;
        n += (uint64_t)(size < most ? size : most);
    }
    return n;
}

/* Probes that leave nothing to chance: centres, or more samples than any cluster has members. */
static void compare(const space *s, const sonde_search_settings *settings,
                    const sonde_decision *d) {
    const int32_t origin = settings->scope == SONDE_LOCAL ? d->state : SONDE_EVERYWHERE;
    sonde_clusters *clusters = clusters_like(s, settings, origin);
    double *value = settings->probe == SONDE_PROBE_CENTER
                        ? probe_centers(s, clusters, origin, d->state)
                        : probe_members(s, clusters, origin, d->state);
    assert_int_equal(d->origin, origin);
    assert_int_equal(d->probe_origin, origin);
    assert_clustered(s, d, settings, clusters, value, n_probed(clusters, settings));
    free(value);
    sonde_clusters_free(clusters);
}

static void compare_everywhere(sonde_scope scope, sonde_probe probe) {
    for (uint64_t seed = 0; seed < 6; seed++) {
        space s = space_random(1 + (int32_t)(seed % 4), seed, (sonde_connect)(seed / 3));
        for (int32_t kind = 0; kind < n_embedding(); kind++) {
            for (int32_t i = 0; i < 4 && fits(kind, scope); i++) {
                sonde_search_settings settings = cluster_defaults();
                settings.gamma = 1.0;
                settings.scope = scope;
                settings.probe = probe;
                settings.embed.kind = kind;
                settings.cluster.k = (const int32_t[]){1, 3, 7, 12}[i];
                settings.cluster.n_restart = 3;
                settings.n_top = 1 + (int32_t)(seed % 3);
                settings.n_sample = 1000000;
                settings.gamma = 0.05;
                settings.seed = 100 + seed;
                inspect_steps(&s, &settings, scope == SONDE_LOCAL ? 4 : 2, compare);
            }
        }
        space_free(&s);
    }
}

static void local_search_by_centres_is_that_of_the_paper(void **state) {
    (void)state;
    compare_everywhere(SONDE_LOCAL, SONDE_PROBE_CENTER);
}

static void global_search_by_centres_is_that_of_the_paper(void **state) {
    (void)state;
    compare_everywhere(SONDE_GLOBAL, SONDE_PROBE_CENTER);
}

static void local_search_by_all_members_is_that_of_the_paper(void **state) {
    (void)state;
    compare_everywhere(SONDE_LOCAL, SONDE_PROBE_SAMPLE);
}

static void global_search_by_all_members_is_that_of_the_paper(void **state) {
    (void)state;
    compare_everywhere(SONDE_GLOBAL, SONDE_PROBE_SAMPLE);
}

/* clusters larger than a block of scores */
static void large_clusters_are_searched_whole(void **state) {
    (void)state;
    space s = space_random(6, 3, SONDE_SYMMETRIC);
    sonde_search_settings settings = cluster_defaults();
    settings.gamma = 1.0;
    settings.cluster.k = 2;
    settings.cluster.n_restart = 1;
    settings.gamma = 0.01;
    inspect_steps(&s, &settings, 1, compare);
    space_free(&s);
}

/* more than there are clusters: the same as full search, probes aside */
static void the_best_of_all_clusters_are_all_policies(void **state) {
    (void)state;
    space s = space_random(4, 5, SONDE_DIRECTED);
    sonde_search_settings settings = cluster_defaults();
    settings.gamma = 1.0;
    settings.cluster.k = 5;
    settings.n_top = 100;
    thought t = think(&s, &settings, NULL);
    scored all = score_all(&s, s.graph->start, s.graph->start);
    assert_int_equal(t.decision->best, best_of(&all));
    assert_int_equal(t.decision->evaluations.n_policy, all.n + 5);
    for (int32_t c = 0; c < 5; c++) {
        assert_true(t.decision->chosen[c]);
    }
    scored_free(&all);
    thought_free(&t);
    space_free(&s);
}

/* progress is told while rows or clusters are made, and only then */
static void count_call(void *user, const char *stage, uint64_t done, uint64_t total) {
    (void)stage;
    (void)done;
    (void)total;
    ++*(int32_t *)user;
}

static void clusters_of_a_state_are_made_once(void **state) {
    (void)state;
    space s = space_random(4, 5, SONDE_SYMMETRIC);
    sonde_search_settings settings = cluster_defaults();
    settings.gamma = 1.0;
    int32_t n_call = 0;
    sonde_run run = threads(1);
    run.progress = count_call;
    run.user = &n_call;
    thought t = think(&s, &settings, &run);
    const sonde_clusters *first = t.decision->clusters;
    assert_true(n_call > 0);
    n_call = 0;
    (void)sonde_agent_act(t.agent);
    sonde_agent_reset(t.agent);
    sonde_agent_observe(t.agent, &s.graph->start, NULL);
    assert_int_equal(sonde_agent_search(t.agent, &t.decision, NULL), SONDE_OK);
    assert_ptr_equal(t.decision->clusters, first);
    assert_int_equal(n_call, 0);
    thought_free(&t);
    space_free(&s);
}

/* ------------------------------------------------------------------------------- sampling -- */

/* Three nodes, each joined to each, two steps: nine policies from anywhere, no two of the same
 * G. */
static space nine_policies(void) {
    const int32_t tail[] = {0, 0, 0, 1, 1, 1, 2, 2, 2};
    const int32_t head[] = {0, 1, 2, 0, 1, 2, 0, 1, 2};
    const double weight[] = {1.0, 2.13, 4.39, 8.71, 16.27, 32.63, 65.11, 130.7, 261.9};
    const sonde_graph edges = {
        .n_node = 3, .n_edge = 9, .tail = tail, .head = head, .weight = weight};
    return space_by_hand(&edges, "0,1", "2", 2);
}

static sonde_search_settings sampling(int32_t k, int32_t n_sample) {
    sonde_search_settings settings = cluster_defaults();
    settings.gamma = 1.0;
    settings.probe = SONDE_PROBE_SAMPLE;
    settings.cluster.k = k;
    settings.cluster.n_restart = 2;
    settings.n_sample = n_sample;
    return settings;
}

/* one cluster of nine, three drawn: 84 ways, each with a mean of its own */
static void three_of_nine_members_are_drawn_without_replacement_and_evenly(void **state) {
    (void)state;
    enum { N_SUBSET = 84, N_DRAW = 8400 };
    space s = nine_policies();
    const sonde_search_settings settings = sampling(1, 3);
    int32_t n = 0;
    double *efe = all_efe(&s, s.graph->start, s.graph->start, &n);
    assert_int_equal(n, 9);
    double mean[N_SUBSET];
    double expected[N_SUBSET];
    int64_t count[N_SUBSET] = {0};
    int32_t n_subset = 0;
    for (int32_t i = 0; i < 9; i++) {
        for (int32_t j = i + 1; j < 9; j++) {
            for (int32_t l = j + 1; l < 9; l++) {
                expected[n_subset] = (double)N_DRAW / N_SUBSET;
                mean[n_subset++] = (efe[i] + efe[j] + efe[l]) / 3.0;
            }
        }
    }
    thought t = think(&s, &settings, NULL);
    for (int32_t draw = 0; draw < N_DRAW; draw++) {
        int32_t n_found = 0;
        assert_int_equal(t.decision->evaluations.n_policy, 3 + 9);
        for (int32_t i = 0; i < N_SUBSET; i++) {
            if (fabs(mean[i] - t.decision->cluster_efe[0]) < 1e-9) {
                count[i]++;
                n_found++;
            }
        }
        assert_int_equal(n_found, 1);
        (void)sonde_agent_act(t.agent);
        assert_int_equal(sonde_agent_search(t.agent, &t.decision, NULL), SONDE_OK);
    }
    assert_drawn_from(N_SUBSET, count, expected);
    thought_free(&t);
    free(efe);
    space_free(&s);
}

/* one drawn from each of three clusters */
static void drawn_members_belong_to_their_cluster_and_are_even(void **state) {
    (void)state;
    enum { N_DRAW = 6000 };
    space s = nine_policies();
    const sonde_search_settings settings = sampling(3, 1);
    int32_t n = 0;
    double *efe = all_efe(&s, s.graph->start, s.graph->start, &n);
    thought t = think(&s, &settings, NULL);
    int64_t count[9] = {0};
    double expected[9];
    for (int32_t i = 0; i < 9; i++) {
        const int32_t c = t.decision->clusters->label[i];
        const int32_t size = t.decision->clusters->offset[c + 1] - t.decision->clusters->offset[c];
        expected[i] = (double)N_DRAW / size;
    }
    for (int32_t draw = 0; draw < N_DRAW; draw++) {
        for (int32_t c = 0; c < 3; c++) {
            int32_t i = 0;
            while (i < 9 && fabs(efe[i] - t.decision->cluster_efe[c]) > 1e-9) {
                i++;
            }
            assert_true(i < 9);
            assert_int_equal(t.decision->clusters->label[i], c);
            count[i]++;
        }
        (void)sonde_agent_act(t.agent);
        assert_int_equal(sonde_agent_search(t.agent, &t.decision, NULL), SONDE_OK);
    }
    assert_drawn_from(9, count, expected);
    thought_free(&t);
    free(efe);
    space_free(&s);
}

/* what was drawn is not known here, but what was made of it is */
static void compare_sampled(const space *s, const sonde_search_settings *settings,
                            const sonde_decision *d) {
    sonde_clusters *clusters = clusters_like(s, settings, d->origin);
    assert_int_equal(d->probe_origin, d->origin);
    assert_clustered(s, d, settings, clusters, d->cluster_efe, n_probed(clusters, settings));
    for (int32_t c = 0; c < clusters->k; c++) {
        const int32_t begin = clusters->offset[c];
        const int32_t n = clusters->offset[c + 1] - begin;
        scored all = score(s, d->origin, d->state, clusters->member + begin, n);
        double most = all.efe[0];
        for (int32_t i = 1; i < n; i++) {
            most = all.efe[i] > most ? all.efe[i] : most;
        }
        assert_true(d->cluster_efe[c] >= least_of(&all) - 1e-9);
        assert_true(d->cluster_efe[c] <= most + 1e-9);
        scored_free(&all);
    }
    sonde_clusters_free(clusters);
}

static void a_sampled_search_takes_the_cluster_with_the_smallest_mean(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 5; seed++) {
        space s = space_random(4, seed, (sonde_connect)(seed % 2));
        for (int32_t i = 0; i < 6; i++) {
            sonde_search_settings settings = sampling(6, 1 + i / 2);
            settings.scope = (sonde_scope)(i % 2);
            settings.n_top = 1 + (int32_t)(seed % 2);
            settings.gamma = 0.05;
            settings.seed = seed;
            inspect_steps(&s, &settings, 3, compare_sampled);
        }
        space_free(&s);
    }
}

/* every decision has a stream of its own, the same for the same seed */
static void other_decisions_draw_other_members(void **state) {
    (void)state;
    space s = nine_policies();
    const sonde_search_settings settings = sampling(1, 2);
    thought a = think(&s, &settings, NULL);
    thought b = think(&s, &settings, NULL);
    int32_t n_other = 0;
    double before = (double)NAN;
    for (int32_t i = 0; i < 50; i++) {
        assert_same(a.decision->cluster_efe[0], b.decision->cluster_efe[0]);
        n_other += fabs(a.decision->cluster_efe[0] - before) > 1e-9;
        before = a.decision->cluster_efe[0];
        assert_int_equal(sonde_agent_act(a.agent), sonde_agent_act(b.agent));
        assert_int_equal(sonde_agent_search(a.agent, &a.decision, NULL), SONDE_OK);
        assert_int_equal(sonde_agent_search(b.agent, &b.decision, NULL), SONDE_OK);
    }
    assert_true(n_other > 30);
    thought_free(&a);
    thought_free(&b);
    space_free(&s);
}

/* ---------------------------------------------------------------------------- differences -- */

#define BIT(difference) (1u << (SONDE_DIFFERENCE_##difference))

/* Clusters of an embedding, k of them unless the differences say as many as before. */
static sonde_search_settings lagging(const char *name, uint32_t differences, int32_t k,
                                     int32_t k_before) {
    sonde_search_settings settings = cluster_defaults();
    settings.gamma = 1.0;
    settings.embed = embedding_called(name);
    settings.cluster.k = k;
    settings.cluster.n_restart = 3;
    sonde_differences_apply(differences, k_before, &settings);
    return settings;
}

static sonde_search_settings using(const char *name, uint32_t differences) {
    return lagging(name, differences, 5, 12);
}

/* Two settings decide alike, to the byte, on a few worlds in both scopes and with both probes. */
static void assert_alike(sonde_search_settings a, sonde_search_settings b) {
    for (uint64_t seed = 0; seed < 4; seed++) {
        space s = space_random(3 + (int32_t)(seed % 2), seed, (sonde_connect)(seed / 2));
        for (int32_t i = 0; i < 4; i++) {
            a.scope = b.scope = (sonde_scope)(i % 2);
            a.probe = b.probe = (sonde_probe)(i / 2);
            thought x = think(&s, &a, NULL);
            thought y = think(&s, &b, NULL);
            assert_same_decision(x.decision, y.decision, s.policies->horizon);
            thought_free(&x);
            thought_free(&y);
        }
        space_free(&s);
    }
}

/* How many of some worlds two settings cluster or probe differently in. */
static int32_t n_unlike(sonde_search_settings a, sonde_search_settings b) {
    int32_t n = 0;
    for (uint64_t seed = 0; seed < 10; seed++) {
        space s = space_random(4, seed, SONDE_SYMMETRIC);
        thought x = think(&s, &a, NULL);
        thought y = think(&s, &b, NULL);
        const size_t k = (size_t)x.decision->clusters->k;
        n += x.decision->clusters->k != y.decision->clusters->k ||
             memcmp(x.decision->cluster_efe, y.decision->cluster_efe, k * sizeof(double)) != 0;
        thought_free(&x);
        thought_free(&y);
        space_free(&s);
    }
    return n;
}

static void the_difference_boe_makes_boe_a_set_and_nothing_else(void **state) {
    (void)state;
    assert_alike(using("boe", BIT(BOE)), using("boe-set", 0));
    assert_true(n_unlike(using("boe", BIT(BOE)), using("boe", 0)) > 0);
    static const char *const other[] = {"boe-set", "aboe", "aboe-onehot", "aboe-edges", "edm"};
    for (int32_t i = 0; i < 5; i++) {
        assert_alike(using(other[i], BIT(BOE)), using(other[i], 0));
    }
}

static void the_difference_aboe_makes_aboe_the_first_two_edges_and_nothing_else(void **state) {
    (void)state;
    assert_alike(using("aboe", BIT(ABOE)), using("aboe-edges", 0));
    assert_true(n_unlike(using("aboe", BIT(ABOE)), using("aboe", 0)) > 0);
    static const char *const other[] = {"boe", "boe-set", "aboe-onehot", "aboe-edges", "edm"};
    for (int32_t i = 0; i < 5; i++) {
        assert_alike(using(other[i], BIT(ABOE)), using(other[i], 0));
    }
}

/* the policy that is scored is the global one with the local one's number */
static void compare_lookup(const space *s, const sonde_search_settings *settings,
                           const sonde_decision *d) {
    sonde_clusters *clusters = clusters_like(s, settings, d->state);
    double *value = probe_centers(s, clusters, SONDE_EVERYWHERE, d->state);
    assert_int_equal(d->origin, d->state);
    assert_int_equal(d->probe_origin, SONDE_EVERYWHERE);
    assert_clustered(s, d, settings, clusters, value, n_probed(clusters, settings));
    free(value);
    sonde_clusters_free(clusters);
}

static void the_difference_lookup_scores_wrong_representatives_in_local_scope(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 6; seed++) {
        space s = space_random(4, seed, (sonde_connect)(seed % 2));
        const sonde_search_settings settings = using("boe", BIT(LOOKUP));
        inspect_steps(&s, &settings, 4, compare_lookup);
        space_free(&s);
    }
    assert_true(n_unlike(using("boe", BIT(LOOKUP)), using("boe", 0)) > 0);
}

static void the_difference_lookup_changes_neither_global_scope_nor_samples(void **state) {
    (void)state;
    space s = space_random(4, 3, SONDE_SYMMETRIC);
    for (int32_t i = 1; i < 4; i++) {
        sonde_search_settings a = using("boe", BIT(LOOKUP));
        a.scope = (sonde_scope)(i % 2);
        a.probe = (sonde_probe)(i / 2);
        sonde_search_settings b = a;
        b.probe_everywhere = false;
        thought x = think(&s, &a, NULL);
        thought y = think(&s, &b, NULL);
        assert_same_decision(x.decision, y.decision, s.policies->horizon);
        thought_free(&x);
        thought_free(&y);
    }
    space_free(&s);
}

static void the_difference_lag_uses_the_k_of_the_run_before(void **state) {
    (void)state;
    for (int32_t before = 1; before < 12; before += 5) {
        assert_alike(lagging("boe", BIT(LAG), 5, before), lagging("boe", 0, before, 12));
    }
    /* without it, what was before does not matter */
    assert_alike(lagging("boe", 0, 5, 3), using("boe", 0));
}

/* representatives change, and with them the probes; clusters stay */
static void compare_nearest(const space *s, const sonde_search_settings *settings,
                            const sonde_decision *d) {
    sonde_search_settings like = *settings;
    like.cluster.nearest_of_all = true;
    sonde_clusters *clusters = clusters_like(s, &like, d->origin);
    double *value = probe_centers(s, clusters, d->origin, d->state);
    assert_int_equal(d->probe_origin, d->origin);
    assert_clustered(s, d, settings, clusters, value, n_probed(clusters, settings));
    sonde_clusters *plain = clusters_like(s, settings, d->origin);
    assert_memory_equal(plain->label, clusters->label, (size_t)plain->n_policy * sizeof(int32_t));
    sonde_clusters_free(plain);
    free(value);
    sonde_clusters_free(clusters);
}

static void the_difference_nearest_takes_representatives_from_all_policies(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 6; seed++) {
        space s = space_random(4, seed, (sonde_connect)(seed % 2));
        sonde_search_settings settings = using("boe", BIT(NEAREST));
        inspect_steps(&s, &settings, 3, compare_nearest);
        settings.scope = SONDE_GLOBAL;
        inspect_steps(&s, &settings, 2, compare_nearest);
        space_free(&s);
    }
}

/* An agent's decisions with more clusters than rows: how many failed for want of members. */
static int32_t n_failed(const sonde_search_settings *settings) {
    int32_t n = 0;
    for (uint64_t seed = 0; seed < 60; seed++) {
        space s = space_random(3, seed, SONDE_SYMMETRIC);
        sonde_search_settings mine = *settings;
        mine.seed = seed;
        sonde_agent *agent = agent_of(&s, &mine, NULL);
        const sonde_decision *decision = NULL;
        sonde_agent_observe(agent, &s.graph->start, NULL);
        const sonde_status status = sonde_agent_search(agent, &decision, NULL);
        assert_true(status == SONDE_OK || status == SONDE_EMPTY_CLUSTER);
        n += status == SONDE_EMPTY_CLUSTER;
        sonde_agent_free(agent);
        space_free(&s);
    }
    return n;
}

static void an_empty_cluster_that_is_chosen_is_an_error_of_its_own(void **state) {
    (void)state;
    sonde_search_settings settings = lagging("boe", BIT(EMPTY) | BIT(NEAREST), 40, 40);
    const int32_t n = n_failed(&settings);
    assert_true(n > 0 && n < 60);
    settings = lagging("boe", SONDE_SEMANTICS_NOTEBOOK, 40, 40);
    assert_true(n_failed(&settings) > 0);
    /* without the difference there is nothing empty to choose */
    settings = lagging("boe", SONDE_SEMANTICS_NOTEBOOK & ~BIT(EMPTY), 40, 40);
    assert_int_equal(n_failed(&settings), 0);
}

static void samples_skip_empty_clusters(void **state) {
    (void)state;
    space s = space_random(3, 3, SONDE_SYMMETRIC);
    for (uint64_t seed = 0; seed < 20; seed++) {
        sonde_search_settings settings = using("boe", BIT(EMPTY));
        settings.cluster.k = 40;
        settings.probe = SONDE_PROBE_SAMPLE;
        settings.seed = seed;
        thought t = think(&s, &settings, NULL);
        const sonde_clusters *clusters = t.decision->clusters;
        int32_t n_empty = 0;
        assert_int_equal(clusters->k, 40);
        for (int32_t c = 0; c < clusters->k; c++) {
            const bool empty = clusters->offset[c] == clusters->offset[c + 1];
            assert_int_equal(isnan(t.decision->cluster_efe[c]) != 0, empty);
            assert_false(empty && t.decision->chosen[c]);
            n_empty += empty;
        }
        assert_true(n_empty > 0);
        thought_free(&t);
    }
    sonde_search_settings settings = lagging("boe", SONDE_SEMANTICS_NOTEBOOK, 40, 40);
    settings.probe = SONDE_PROBE_SAMPLE;
    assert_int_equal(n_failed(&settings), 0);
    space_free(&s);
}

static void the_difference_empty_changes_nothing_where_there_are_rows_enough(void **state) {
    (void)state;
    assert_alike(using("boe", BIT(EMPTY)), using("boe", 0));
    assert_alike(using("edm", BIT(EMPTY)), using("edm", 0));
}

/* the same clusters under other numbers, so that only ties can go another way */
static void the_difference_order_numbers_clusters_by_their_seeds(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 6; seed++) {
        space s = space_random(4, seed, SONDE_SYMMETRIC);
        const sonde_search_settings settings = using("boe", BIT(ORDER));
        sonde_search_settings like = settings;
        like.cluster.seed_order = true;
        thought t = think(&s, &settings, NULL);
        sonde_clusters *clusters = clusters_like(&s, &like, t.decision->origin);
        double *value = probe_centers(&s, clusters, t.decision->origin, t.decision->state);
        assert_clustered(&s, t.decision, &settings, clusters, value, n_probed(clusters, &settings));
        free(value);
        sonde_clusters_free(clusters);
        thought_free(&t);
        space_free(&s);
    }
}

static void the_notebook_is_all_differences_at_once(void **state) {
    (void)state;
    for (int32_t i = 0; i < 3; i++) {
        static const char *const given[] = {"boe", "aboe", "edm"};
        static const char *const meant[] = {"boe-set", "aboe-edges", "edm"};
        const uint32_t flags = BIT(LOOKUP) | BIT(NEAREST) | BIT(EMPTY) | BIT(ORDER);
        assert_alike(lagging(given[i], SONDE_SEMANTICS_NOTEBOOK, 5, 4),
                     lagging(meant[i], flags, 4, 12));
    }
}

/* ---------------------------------------------------------------------------- refusals -- */

static void assert_too_large(const space *s, const sonde_search_settings *settings,
                             const sonde_run *run, const char *words) {
    sonde_agent *agent = NULL;
    sonde_error error = {0};
    assert_int_equal(sonde_agent_new(s->policies, settings, run, &agent, &error), SONDE_TOO_LARGE);
    assert_null(agent);
    assert_int_equal(error.status, SONDE_TOO_LARGE);
    assert_says(error.text, words);
}

static void more_policies_than_can_be_listed_are_refused_with_their_number(void **state) {
    (void)state;
    space s = space_new(world_of_horizon(8, 4, 60));
    char size[32];
    (void)snprintf(size, sizeof size, "%.4g", s.policies->size);
    sonde_search_settings settings = cluster_defaults();
    settings.gamma = 1.0;
    assert_too_large(&s, &settings, NULL, "policies");
    assert_too_large(&s, &settings, NULL, "shorter horizon");
    settings.scope = SONDE_GLOBAL;
    assert_too_large(&s, &settings, NULL, size);
    assert_too_large(&s, &settings, NULL, "local scope");
    space_free(&s);
}

static void more_memory_than_allowed_is_refused(void **state) {
    (void)state;
    space s = space_random(5, 3, SONDE_SYMMETRIC);
    sonde_run run = threads(1);
    run.memory = 50000;
    sonde_search_settings settings = cluster_defaults();
    settings.gamma = 1.0;
    assert_too_large(&s, &settings, &run, "memory");
    settings.scope = SONDE_GLOBAL;
    assert_too_large(&s, &settings, &run, "memory");
    space_free(&s);
}

/* a stopped first visit leaves nothing half done: the next one starts afresh */
static void searching_stops_when_told_to_and_can_be_taken_up_again(void **state) {
    (void)state;
    space s = space_random(4, 3, SONDE_SYMMETRIC);
    sonde_search_settings settings = cluster_defaults();
    settings.gamma = 1.0;
    sonde_stop stop = {0};
    sonde_run run = threads(1);
    run.stop = &stop;
    sonde_agent *agent = agent_of(&s, &settings, &run);
    const sonde_decision *decision = NULL;
    sonde_agent_observe(agent, &s.graph->start, NULL);
    sonde_stop_raise(&stop);
    assert_int_equal(sonde_agent_search(agent, &decision, NULL), SONDE_STOPPED);
    stop.raised = 0;
    assert_int_equal(sonde_agent_search(agent, &decision, NULL), SONDE_OK);
    compare(&s, &settings, decision);
    sonde_agent_free(agent);
    /* global clusters are made at set-up */
    sonde_search_settings global = settings;
    global.scope = SONDE_GLOBAL;
    sonde_stop_raise(&stop);
    agent = NULL;
    assert_int_equal(sonde_agent_new(s.policies, &global, &run, &agent, NULL), SONDE_STOPPED);
    assert_null(agent);
    space_free(&s);
}

/* ------------------------------------------------------------------------------- mean G -- */

static void mean_efe_is_that_of_all_members(void **state) {
    (void)state;
    space s = space_random(4, 6, SONDE_DIRECTED);
    const int32_t origins[] = {SONDE_EVERYWHERE, s.graph->start};
    for (int32_t i = 0; i < 2; i++) {
        sonde_search_settings settings = using("boe", 0);
        sonde_clusters *clusters = clusters_like(&s, &settings, origins[i]);
        double *wanted = probe_members(&s, clusters, origins[i], s.graph->start);
        double *found = room((uint64_t)clusters->k, sizeof *found);
        assert_int_equal(sonde_clusters_mean_efe(clusters, s.policies, origins[i],
                                                 (sonde_present){.state = s.graph->start}, found,
                                                 NULL),
                         SONDE_OK);
        for (int32_t c = 0; c < clusters->k; c++) {
            assert_near(found[c], wanted[c], 1e-12 * wanted[c]);
        }
        free(found);
        free(wanted);
        sonde_clusters_free(clusters);
    }
    space_free(&s);
}

static void mean_efe_of_an_empty_cluster_is_no_number(void **state) {
    (void)state;
    space s = space_random(3, 3, SONDE_SYMMETRIC);
    sonde_search_settings settings = using("boe", 0);
    settings.cluster.k = 40;
    settings.cluster.keep_empty = true;
    sonde_clusters *clusters = clusters_like(&s, &settings, s.graph->start);
    double mean[40];
    assert_int_equal(sonde_clusters_mean_efe(clusters, s.policies, s.graph->start,
                                             (sonde_present){.state = s.graph->start}, mean, NULL),
                     SONDE_OK);
    for (int32_t c = 0; c < 40; c++) {
        assert_int_equal(isnan(mean[c]) != 0, clusters->offset[c] == clusters->offset[c + 1]);
    }
    sonde_clusters_free(clusters);
    space_free(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(local_search_by_centres_is_that_of_the_paper),
        cmocka_unit_test(global_search_by_centres_is_that_of_the_paper),
        cmocka_unit_test(local_search_by_all_members_is_that_of_the_paper),
        cmocka_unit_test(global_search_by_all_members_is_that_of_the_paper),
        cmocka_unit_test(large_clusters_are_searched_whole),
        cmocka_unit_test(the_best_of_all_clusters_are_all_policies),
        cmocka_unit_test(clusters_of_a_state_are_made_once),
        cmocka_unit_test(three_of_nine_members_are_drawn_without_replacement_and_evenly),
        cmocka_unit_test(drawn_members_belong_to_their_cluster_and_are_even),
        cmocka_unit_test(a_sampled_search_takes_the_cluster_with_the_smallest_mean),
        cmocka_unit_test(other_decisions_draw_other_members),
        cmocka_unit_test(the_difference_boe_makes_boe_a_set_and_nothing_else),
        cmocka_unit_test(the_difference_aboe_makes_aboe_the_first_two_edges_and_nothing_else),
        cmocka_unit_test(the_difference_lookup_scores_wrong_representatives_in_local_scope),
        cmocka_unit_test(the_difference_lookup_changes_neither_global_scope_nor_samples),
        cmocka_unit_test(the_difference_lag_uses_the_k_of_the_run_before),
        cmocka_unit_test(the_difference_nearest_takes_representatives_from_all_policies),
        cmocka_unit_test(an_empty_cluster_that_is_chosen_is_an_error_of_its_own),
        cmocka_unit_test(samples_skip_empty_clusters),
        cmocka_unit_test(the_difference_empty_changes_nothing_where_there_are_rows_enough),
        cmocka_unit_test(the_difference_order_numbers_clusters_by_their_seeds),
        cmocka_unit_test(the_notebook_is_all_differences_at_once),
        cmocka_unit_test(more_policies_than_can_be_listed_are_refused_with_their_number),
        cmocka_unit_test(more_memory_than_allowed_is_refused),
        cmocka_unit_test(searching_stops_when_told_to_and_can_be_taken_up_again),
        cmocka_unit_test(mean_efe_is_that_of_all_members),
        cmocka_unit_test(mean_efe_of_an_empty_cluster_is_no_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Adaptive probing: what it draws, how often it is right, and what it remembers. */
#include "search/naive.h"

static sonde_search_settings adaptive(int32_t k, int32_t n_sample) {
    sonde_search_settings settings = cluster_defaults();
    settings.search = SONDE_SEARCH_CLUSTER;
    settings.probe = SONDE_PROBE_ADAPTIVE;
    settings.embed = embedding_called("boe");
    settings.cluster.k = k;
    settings.cluster.n_restart = 2;
    settings.n_sample = n_sample;
    settings.gamma = 0.05;
    return settings;
}

static uint64_t n_probed(const sonde_decision *d) {
    uint64_t n = d->evaluations.n_policy;
    for (int32_t c = 0; c < d->clusters->k; c++) {
        n -= d->chosen[c] ? (uint64_t)(d->clusters->offset[c + 1] - d->clusters->offset[c]) : 0;
    }
    return n;
}

/* every cluster once at least, all together as often as `sample` at most; values are means of
 * members */
static void inspect(const space *s, const sonde_search_settings *settings,
                    const sonde_decision *d) {
    const sonde_clusters *clusters = d->clusters;
    uint64_t most = 0;
    int32_t best = 0;
    for (int32_t c = 0; c < clusters->k; c++) {
        const int32_t n = clusters->offset[c + 1] - clusters->offset[c];
        scored all = score(s, d->origin, d->state, clusters->member + clusters->offset[c], n);
        double greatest = -INFINITY;
        for (int32_t i = 0; i < n; i++) {
            greatest = all.efe[i] > greatest ? all.efe[i] : greatest;
        }
        assert_true(d->cluster_efe[c] >= least_of(&all) - 1e-9);
        assert_true(d->cluster_efe[c] <= greatest + 1e-9);
        best = d->cluster_efe[c] < d->cluster_efe[best] - 1e-9 ? c : best;
        scored_free(&all);
    }
    most = (uint64_t)clusters->k * (uint64_t)settings->n_sample;
    assert_in_range(n_probed(d), clusters->k, most);
    assert_true(d->chosen[best]);
}

static void probes_cost_no_more_than_samples(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 6; seed++) {
        space s = space_random(3 + (int32_t)(seed % 2), seed, (sonde_connect)(seed / 3));
        for (int32_t i = 0; i < 8; i++) {
            sonde_search_settings settings =
                adaptive(1 + i % 4 * 3, (const int32_t[]){1, 2, 5, 50}[i / 2]);
            settings.scope = (sonde_scope)(seed % 2);
            settings.seed = seed;
            inspect_steps(&s, &settings, 4, inspect);
        }
        space_free(&s);
    }
}

/* with members to spare, the cluster with the smallest mean is found as often as delta says,
 * with fewer members than there are */
static void the_best_cluster_is_found_with_the_confidence_stated(void **state) {
    (void)state;
    enum { N_WORLD = 12, N_DRAW = 25 };
    int32_t n_right = 0;
    uint64_t n_scored = 0;
    uint64_t n_all = 0;
    for (uint64_t world_seed = 0; world_seed < N_WORLD; world_seed++) {
        space s = space_random(4, 40 + world_seed, SONDE_SYMMETRIC);
        sonde_search_settings settings = adaptive(5, 1000000);
        thought t = think(&s, &settings, NULL);
        const sonde_clusters *clusters = t.decision->clusters;
        double *mean = probe_members(&s, clusters, s.graph->start, s.graph->start);
        double least = mean[0];
        for (int32_t c = 1; c < clusters->k; c++) {
            least = mean[c] < least ? mean[c] : least;
        }
        for (int32_t draw = 0; draw < N_DRAW; draw++) {
            for (int32_t c = 0; c < clusters->k; c++) {
                n_right += t.decision->chosen[c] && mean[c] <= least + 1e-9;
            }
            n_scored += n_probed(t.decision);
            n_all += (uint64_t)clusters->n_policy;
            (void)sonde_agent_act(t.agent);
            assert_int_equal(sonde_agent_search(t.agent, &t.decision, NULL), SONDE_OK);
            if (t.decision->state != s.graph->start) {
                sonde_agent_observe(t.agent, &s.graph->start, NULL);
                assert_int_equal(sonde_agent_search(t.agent, &t.decision, NULL), SONDE_OK);
            }
        }
        free(mean);
        thought_free(&t);
        space_free(&s);
    }
    /* 300 decisions, delta 0.05 */
    assert_true(n_right >= 285);
    assert_true(n_scored < n_all);
}

/* a first decision draws two members of every cluster, later ones only one before they look at
 * rivals, until the agent is reset */
static void an_agent_learns_from_its_decisions_until_it_is_reset(void **state) {
    (void)state;
    int32_t n_other = 0;
    for (uint64_t seed = 0; seed < 10; seed++) {
        space s = space_random(4, seed, SONDE_SYMMETRIC);
        const sonde_search_settings settings = adaptive(6, 3);
        sonde_agent *agent = agent_of(&s, &settings, NULL);
        double first[6];
        for (int32_t i = 0; i < 2; i++) {
            const sonde_decision *d = NULL;
            sonde_agent_observe(agent, &s.graph->start, NULL);
            assert_int_equal(sonde_agent_search(agent, &d, NULL), SONDE_OK);
            const size_t size = (size_t)d->clusters->k * sizeof(double);
            if (i == 1) {
                assert_memory_equal(first, d->cluster_efe, size);
            }
            memcpy(first, d->cluster_efe, size);
            /* the same decision with the same stream: only what it remembers differs */
            assert_int_equal(sonde_agent_search(agent, &d, NULL), SONDE_OK);
            n_other += memcmp(first, d->cluster_efe, size) != 0;
            sonde_agent_reset(agent);
        }
        sonde_agent_free(agent);
        space_free(&s);
    }
    assert_true(n_other >= 14);
}

static void a_confidence_must_be_one(void **state) {
    (void)state;
    space s = space_random(3, 1, SONDE_SYMMETRIC);
    for (int32_t i = 0; i < 4; i++) {
        sonde_search_settings settings = adaptive(3, 3);
        settings.delta = (const double[]){0.0, 1.0, -0.1, (double)NAN}[i];
        sonde_agent *agent = NULL;
        sonde_error error = {0};
        assert_int_equal(sonde_agent_new(s.policies, &settings, NULL, &agent, &error),
                         SONDE_BAD_ARGUMENT);
        assert_non_null(strstr(error.text, "delta"));
    }
    space_free(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(probes_cost_no_more_than_samples),
        cmocka_unit_test(the_best_cluster_is_found_with_the_confidence_stated),
        cmocka_unit_test(an_agent_learns_from_its_decisions_until_it_is_reset),
        cmocka_unit_test(a_confidence_must_be_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

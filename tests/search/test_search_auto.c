/* k that balances costs: the rule, and its bounds. */
#include "search/naive.h"

static sonde_search_settings balanced(sonde_probe probe, int32_t n_sample) {
    sonde_search_settings settings = cluster_defaults();
    settings.cluster.k = SONDE_K_AUTO;
    settings.cluster.n_restart = 2;
    settings.embed = embedding_called("boe");
    settings.probe = probe;
    settings.n_sample = n_sample;
    settings.gamma = 0.02;
    return settings;
}

/* what decisions have shown, the long way: sums of squares and degrees of freedom */
typedef struct {
    double within;
    double within_degrees;
    double between;
    double between_degrees;
} shown;

static void add_squares(int32_t n, const double *x, double *squares, double *degrees) {
    double mean = 0.0;
    for (int32_t i = 0; i < n; i++) {
        mean += x[i] / n;
    }
    for (int32_t i = 0; i < n; i++) {
        *squares += (x[i] - mean) * (x[i] - mean);
    }
    *degrees += n - 1;
}

static void look(const space *s, const sonde_decision *d, shown *all) {
    add_squares(d->clusters->k, d->cluster_efe, &all->between, &all->between_degrees);
    for (int32_t c = 0; c < d->clusters->k; c++) {
        const int32_t begin = d->clusters->offset[c];
        const int32_t n = d->clusters->offset[c + 1] - begin;
        if (d->chosen[c]) {
            scored members = score(s, d->origin, d->state, d->clusters->member + begin, n);
            add_squares(n, members.efe, &all->within, &all->within_degrees);
            scored_free(&members);
        }
    }
}

static int32_t rule(const shown *all, uint64_t n, double s) {
    if (all->within_degrees > 0.0 && all->between > 0.0) {
        const double ratio =
            4.0 * all->within / all->within_degrees * all->between_degrees / all->between;
        s = ratio > s ? ratio : s;
    }
    return (int32_t)fmax(1.0, ceil(sqrt((double)n / s)));
}

/* every decision of a few episodes; returns how often k was not that of the first rule */
static int32_t follow_rule(const space *s, const sonde_search_settings *settings) {
    const double least = settings->probe == SONDE_PROBE_CENTER ? 1.0 : settings->n_sample;
    int32_t *k_of = room((uint64_t)s->graph->n_edge, sizeof *k_of);
    int32_t n_learned = 0;
    sonde_agent *agent = agent_of(s, settings, NULL);
    for (int32_t episode = 0; episode < 2; episode++) {
        shown all = {0};
        int32_t state = s->graph->start;
        memset(k_of, 0, (size_t)s->graph->n_edge * sizeof *k_of);
        sonde_agent_reset(agent);
        for (int32_t t = 0; t < 12; t++) {
            const sonde_decision *d = NULL;
            sonde_agent_observe(agent, &state, NULL);
            const uint64_t n = sonde_policies_size(s->policies, state);
            const int32_t k = rule(&all, n, least);
            const bool off = k_of[state] == 0 || 2 * k <= k_of[state] || 2 * k_of[state] <= k;
            k_of[state] = off ? k : k_of[state];
            assert_int_equal(sonde_agent_search(agent, &d, NULL), SONDE_OK);
            assert_int_equal(d->clusters->k_asked, k_of[state]);
            assert_in_range(d->clusters->k_asked, 1, (int32_t)ceil(sqrt((double)n)));
            n_learned += k_of[state] != (int32_t)ceil(sqrt((double)n / least));
            /* whatever k was before, in the same memory */
            sonde_search_settings fixed = *settings;
            fixed.cluster.k = k_of[state];
            sonde_clusters *clusters = clusters_like(s, &fixed, state);
            assert_same_clusters(d->clusters, clusters);
            sonde_clusters_free(clusters);
            look(s, d, &all);
            state = sonde_model_next(s->model, state, sonde_agent_act(agent));
        }
    }
    sonde_agent_free(agent);
    free(k_of);
    return n_learned;
}

static void k_follows_what_decisions_show_and_keeps_to_its_bounds(void **state) {
    (void)state;
    int32_t n_learned = 0;
    for (uint64_t seed = 0; seed < 6; seed++) {
        space s = space_random(3 + (int32_t)(seed % 3), seed, (sonde_connect)(seed / 3));
        for (int32_t probe = 0; probe < 3; probe++) {
            sonde_search_settings settings = balanced((sonde_probe)probe, 1 + (int32_t)(seed % 3));
            settings.seed = seed;
            /* clusters that have little to do with G, and say little of it */
            settings.embed = embedding_called(seed % 2 == 0 ? "boe" : "timed");
            n_learned += follow_rule(&s, &settings);
        }
        space_free(&s);
    }

    assert_true(n_learned > 20);
}

static void global_clusters_balance_costs_alone(void **state) {
    (void)state;
    space s = space_random(4, 3, SONDE_SYMMETRIC);
    sonde_search_settings settings = balanced(SONDE_PROBE_SAMPLE, 3);
    settings.scope = SONDE_GLOBAL;
    thought t = think(&s, &settings, NULL);
    const double n = (double)sonde_policies_size(s.policies, SONDE_EVERYWHERE);
    assert_int_equal(t.decision->clusters->k_asked, (int32_t)ceil(sqrt(n / 3.0)));
    thought_free(&t);
    space_free(&s);
}

/* fewer policies than anything */
static void one_policy_is_one_cluster(void **state) {
    (void)state;
    space s = space_random(1, 1, SONDE_SYMMETRIC);
    const sonde_search_settings settings = balanced(SONDE_PROBE_CENTER, 3);
    thought t = think(&s, &settings, NULL);
    assert_int_equal(t.decision->clusters->k, 1);
    thought_free(&t);
    space_free(&s);
}

static void clusters_alone_are_as_many_as_the_root_of_policies(void **state) {
    (void)state;
    space s = space_random(4, 2, SONDE_SYMMETRIC);
    embedded e = embed_as(&s, "boe", s.graph->start);
    sonde_cluster_settings settings = sonde_search_defaults().cluster;
    sonde_clusters *clusters = NULL;
    settings.k = SONDE_K_AUTO;
    assert_int_equal(sonde_clusters_fit(e.rows, &settings, NULL, &clusters, NULL), SONDE_OK);
    assert_int_equal(clusters->k_asked, (int32_t)ceil(sqrt((double)clusters->n_policy)));
    sonde_clusters_free(clusters);
    embedded_free(&e);
    space_free(&s);
}

static void searches_that_do_not_balance_want_a_number(void **state) {
    (void)state;
    space s = space_random(3, 2, SONDE_SYMMETRIC);
    for (int32_t i = 0; i < 2; i++) {
        sonde_search_settings settings = balanced(SONDE_PROBE_CENTER, 3);
        settings.search = i == 0 ? SONDE_SEARCH_TREE : SONDE_SEARCH_SURROGATE;
        sonde_agent *agent = NULL;
        sonde_error error = {0};
        assert_int_equal(sonde_agent_new(s.policies, &settings, NULL, &agent, &error),
                         SONDE_BAD_ARGUMENT);
        assert_non_null(strstr(error.text, "k: auto"));
    }
    space_free(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(k_follows_what_decisions_show_and_keeps_to_its_bounds),
        cmocka_unit_test(global_clusters_balance_costs_alone),
        cmocka_unit_test(one_policy_is_one_cluster),
        cmocka_unit_test(clusters_alone_are_as_many_as_the_root_of_policies),
        cmocka_unit_test(searches_that_do_not_balance_want_a_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

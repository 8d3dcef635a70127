/* uses threads */
/* long */
/* The number of threads never changes a byte. */
#include "embed/embed.h"
#include "stages.h"

/* one, two and three threads */
enum { N_AGENT = 3 };

/* --------------------------------------------------------------------------- stage by stage -- */

/* so large that every loop is cut into several tasks */
static space large(void) {
    for (uint64_t seed = 0; seed < 100; seed++) {
        space s = space_random(6, seed, SONDE_SYMMETRIC);
        if (s.policies->n_policy > 70000 && s.policies->n_policy < 150000) {
            return s;
        }
        space_free(&s);
    }
    fail_msg("no such world");
    return (space){0};
}

static void scores_are_the_same_on_any_number_of_threads(void **state) {
    (void)state;
    space s = large();
    const uint64_t n = s.policies->n_policy;
    double *efe[3];
    for (int32_t i = 0; i < 3; i++) {
        const sonde_run run = threads(i + 1);
        efe[i] = room(n, sizeof(double));
        assert_int_equal(sonde_efe_range(s.policies, (sonde_present){.state = s.graph->start},
                                         (sonde_range){SONDE_EVERYWHERE, 0, n}, &run, efe[i], NULL),
                         SONDE_OK);
        assert_memory_equal(efe[0], efe[i], (size_t)n * sizeof(double));
    }
    for (int32_t i = 0; i < 3; i++) {
        free(efe[i]);
    }
    space_free(&s);
}

static void edit_distances_are_counted_the_same_on_any_number_of_threads(void **state) {
    (void)state;
    space s = large();
    const size_t side = (size_t)(1 + s.graph->n_node + s.graph->n_edge);
    const sonde_embed_settings settings = embedding_called("edm");
    double *gram[3];
    for (int32_t i = 0; i < 3; i++) {
        const sonde_run run = threads(i + 1);
        gram[i] = room(side * side, sizeof(double));
        assert_int_equal(sonde__edm_gram(s.policies, &settings, &run, gram[i], NULL), SONDE_OK);
        assert_near(gram[i][0], (double)s.policies->n_policy, 0.0);
        assert_memory_equal(gram[i], gram[0], side * side * sizeof(double));
    }
    for (int32_t i = 0; i < 3; i++) {
        free(gram[i]);
    }
    space_free(&s);
}

static void assert_same_rows(const sonde_embedding *a, const sonde_embedding *b) {
    const size_t n_row = (size_t)a->n_row;
    const size_t n_code = n_row * (size_t)a->n_code;
    assert_int_equal(a->n_row, b->n_row);
    assert_int_equal(a->n_column, b->n_column);
    assert_int_equal(a->n_code, b->n_code);
    assert_non_null(a->small);
    assert_same_bytes(a->small, b->small, n_code, sizeof(uint8_t));
    assert_same_bytes(a->row_of, b->row_of, (size_t)a->n_policy, sizeof(int32_t));
    assert_same_bytes(a->weight, b->weight, n_row, sizeof(int32_t));
    assert_same_bytes(a->first, b->first, n_row, sizeof(int32_t));
}

static sonde_clusters *fit(const sonde_embedding *rows, int32_t n_restart, const sonde_run *run) {
    sonde_cluster_settings settings = sonde_search_defaults().cluster;
    settings.k = 5;
    settings.n_restart = n_restart;
    settings.n_round_max = 2;
    sonde_clusters *clusters = NULL;
    assert_int_equal(sonde_clusters_fit(rows, &settings, run, &clusters, NULL), SONDE_OK);
    return clusters;
}

static void rows_and_clusters_are_the_same_on_any_number_of_threads(void **state) {
    (void)state;
    space s = large();
    for (int32_t kind = 0; kind < n_embedding(); kind += 5) {
        const sonde_embed_settings settings = {.kind = kind};
        const int32_t n_restart = kind == 0 ? 13 : 3; /* 13 leave lanes of a vector idle */
        const sonde_run one = threads(1);
        embedded a = embed(&s, &settings, SONDE_EVERYWHERE, &one);
        sonde_clusters *of_a = fit(a.rows, n_restart, &one);
        for (int32_t n = 2; n <= 3; n++) {
            const sonde_run run = threads(n);
            embedded b = embed(&s, &settings, SONDE_EVERYWHERE, &run);
            sonde_clusters *of_b = fit(b.rows, n_restart, &run);
            assert_same_rows(a.rows, b.rows);
            assert_same_clusters(of_a, of_b);
            sonde_clusters_free(of_b);
            embedded_free(&b);
        }
        sonde_clusters_free(of_a);
        embedded_free(&a);
    }
    space_free(&s);
}

/* ----------------------------------------------------------------------------- all together -- */

/* Agents decide alike, step after step. */
static void compare_decisions(const space *s, sonde_agent *const *agent) {
    int32_t now = s->graph->start;
    for (int32_t t = 0; t < 3; t++) {
        const sonde_decision *decision[N_AGENT] = {NULL};
        int32_t action = -1;
        for (int32_t i = 0; i < N_AGENT; i++) {
            sonde_agent_observe(agent[i], &now, NULL);
            assert_int_equal(sonde_agent_search(agent[i], &decision[i], NULL), SONDE_OK);
            assert_same_decision(decision[0], decision[i], s->policies->horizon);
            const int32_t mine = sonde_agent_act(agent[i]);
            assert_true(i == 0 || mine == action);
            action = mine;
        }
        now = sonde_model_next(s->model, now, action);
    }
}

static void compare_episodes(sonde_agent *const *agent) {
    sonde_episode *episode[N_AGENT] = {NULL};
    for (int32_t i = 0; i < N_AGENT; i++) {
        assert_int_equal(sonde_simulate(agent[i], NULL, 10, &episode[i], NULL), SONDE_OK);
        assert_same_episode(episode[0], episode[i]);
    }
    for (int32_t i = 0; i < N_AGENT; i++) {
        sonde_episode_free(episode[i]);
    }
}

/* Agents that differ in their threads alone. */
static void compare_threads(const space *s, const sonde_search_settings *settings) {
    sonde_agent *agent[N_AGENT];
    for (int32_t i = 0; i < N_AGENT; i++) {
        const sonde_run run = threads(i + 1);
        agent[i] = agent_of(s, settings, &run);
    }
    compare_decisions(s, agent);
    compare_episodes(agent);
    for (int32_t i = 0; i < N_AGENT; i++) {
        sonde_agent_free(agent[i]);
    }
}

static void compare_all(sonde_scope scope, sonde_search_kind search) {
    space s = large();
    const int32_t n_kind = scope == SONDE_LOCAL ? n_embedding() : 1; /* from boe on */
    for (int32_t kind = 0; kind < n_kind; kind += 5) {
        sonde_search_settings settings = sonde_search_defaults();
        settings.search = search;
        settings.scope = scope;
        settings.embed.kind = kind;
        settings.cluster.k = 5;
        settings.cluster.n_restart = 3;
        settings.cluster.n_round_max = 2;
        settings.probe = SONDE_PROBE_SAMPLE;
        settings.gamma = 0.05;
        compare_threads(&s, &settings);
    }
    space_free(&s);
}

static void local_clustered_search_is_the_same_on_any_number_of_threads(void **state) {
    (void)state;
    compare_all(SONDE_LOCAL, SONDE_SEARCH_CLUSTER);
}

static void global_clustered_search_is_the_same_on_any_number_of_threads(void **state) {
    (void)state;
    compare_all(SONDE_GLOBAL, SONDE_SEARCH_CLUSTER);
}

static void full_search_is_the_same_on_any_number_of_threads(void **state) {
    (void)state;
    compare_all(SONDE_LOCAL, SONDE_SEARCH_FULL);
    compare_all(SONDE_GLOBAL, SONDE_SEARCH_FULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scores_are_the_same_on_any_number_of_threads),
        cmocka_unit_test(edit_distances_are_counted_the_same_on_any_number_of_threads),
        cmocka_unit_test(rows_and_clusters_are_the_same_on_any_number_of_threads),
        cmocka_unit_test(local_clustered_search_is_the_same_on_any_number_of_threads),
        cmocka_unit_test(global_clustered_search_is_the_same_on_any_number_of_threads),
        cmocka_unit_test(full_search_is_the_same_on_any_number_of_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

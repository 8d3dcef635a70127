/* What must be true of the whole line of stages. */
#include "base/rng.h"
#include "efe/efe.h"
#include "search/naive.h"

/* ------------------------------------------------------------------------ one cluster -- */

static sonde_search_settings clustered(int32_t kind, sonde_scope scope, int32_t k) {
    sonde_search_settings settings = cluster_defaults();
    settings.embed.kind = kind;
    settings.scope = scope;
    settings.cluster.k = k;
    settings.gamma = 0.1;
    return settings;
}

static void assert_same_posterior(const sonde_decision *a, const sonde_decision *b) {
    assert_int_equal(a->n_action, b->n_action);
    assert_int_equal(a->n_to, b->n_to);
    for (int32_t i = 0; i < a->n_action; i++) {
        assert_int_equal(a->action[i], b->action[i]);
        assert_near(a->posterior[i], b->posterior[i], 1e-12);
        assert_near(a->probability[i], b->probability[i], 1e-12);
    }
    for (int32_t i = 0; i < a->n_to; i++) {
        assert_int_equal(a->to[i], b->to[i]);
        assert_near(a->to_posterior[i], b->to_posterior[i], 1e-12);
    }
    assert_int_equal(a->best, b->best);
    assert_same(a->best_efe.efe, b->best_efe.efe);
    assert_near(a->log_evidence, b->log_evidence, 1e-12 * (1.0 + fabs(a->log_evidence)));
}

static void with_one_cluster_clustered_search_equals_full_search(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 8; seed++) {
        space s = space_random(1 + (int32_t)(seed % 4), seed, (sonde_connect)(seed / 4));
        for (int32_t i = 0; i < 2 * n_embedding(); i++) {
            sonde_search_settings one = clustered(i / 2, (sonde_scope)(i % 2), 1);
            if (!fits(i / 2, one.scope)) {
                continue;
            }
            one.probe = (sonde_probe)(seed % 2);
            sonde_search_settings all = one;
            all.search = SONDE_SEARCH_FULL;
            thought a = think(&s, &one, NULL);
            thought b = think(&s, &all, NULL);
            assert_same_posterior(a.decision, b.decision);
            thought_free(&a);
            thought_free(&b);
        }
        space_free(&s);
    }
}

/* G is the same for all policies with the same edges from one edge on, so a cluster of equal rows
 * has one G, and its representative tells it */
static void with_a_cluster_for_each_bag_of_edges_the_best_policy_is_found(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 12; seed++) {
        space s = space_random(2 + (int32_t)(seed % 4), seed, (sonde_connect)(seed / 6));
        embedded e = embed_as(&s, "boe", s.graph->start);
        const int32_t boe = embedding_called("boe").kind;
        for (int32_t more = 0; more < 2; more++) {
            const sonde_search_settings settings =
                clustered(boe, SONDE_LOCAL, e.rows->n_row + 100 * more);
            thought t = think(&s, &settings, NULL);
            scored all = score_all(&s, s.graph->start, s.graph->start);
            assert_near(t.decision->best_efe.efe, least_of(&all), 1e-9);
            assert_int_equal(t.decision->clusters->k, e.rows->n_row);
            scored_free(&all);
            thought_free(&t);
        }
        embedded_free(&e);
        space_free(&s);
    }
}

/* --------------------------------------------------------------------------- other names -- */

/* The same world under other node numbers: node v becomes new_name[v]; edges keep their order. */
static space renamed(const space *s, const int32_t *new_name) {
    const sonde_graph *g = s->graph;
    int32_t *tail = room((uint64_t)g->n_edge, sizeof *tail);
    int32_t *head = room((uint64_t)g->n_edge, sizeof *head);
    for (int32_t e = 0; e < g->n_edge; e++) {
        tail[e] = new_name[g->tail[e]];
        head[e] = new_name[g->head[e]];
    }
    char start[32];
    char destination[16];
    (void)snprintf(start, sizeof start, "%d,%d", (int)tail[g->start], (int)head[g->start]);
    (void)snprintf(destination, sizeof destination, "%d", (int)new_name[g->destination]);
    const sonde_graph edges = {
        .n_node = g->n_node, .n_edge = g->n_edge, .tail = tail, .head = head, .weight = g->weight};
    space other = space_by_hand(&edges, start, destination, g->horizon);
    free(head);
    free(tail);
    return other;
}

static int compare_doubles(const void *a, const void *b) {
    const double x = *(const double *)a;
    const double y = *(const double *)b;
    return (x > y) - (x < y);
}

static double *sorted_efe(const space *s, int32_t origin, int32_t *n) {
    double *efe = all_efe(s, origin, s->graph->start, n);
    qsort(efe, (size_t)*n, sizeof *efe, compare_doubles);
    return efe;
}

/* The G of every walk, one by one, and all of them in order. */
static void compare_worlds(const space *a, const space *b, const int32_t *new_name,
                           int32_t origin) {
    const int32_t n_edge = a->policies->horizon + 1;
    const sonde_graph *g = a->graph;
    int32_t n = 0;
    int32_t n_other = 0;
    int32_t *walk = all_walks(a, origin, &n);
    int32_t *mapped = room((uint64_t)n_edge, sizeof *mapped);
    for (int32_t i = 0; i < n; i++) {
        const int32_t *here = walk + (int64_t)i * n_edge;
        sonde_efe of_a;
        sonde_efe of_b;
        for (int32_t t = 0; t < n_edge; t++) {
            mapped[t] =
                sonde_graph_edge(b->graph, new_name[g->tail[here[t]]], new_name[g->head[here[t]]]);
        }
        walk_efe(a->model, g->start, here, NULL, NULL, &of_a);
        walk_efe(b->model, b->graph->start, mapped, NULL, NULL, &of_b);
        assert_memory_equal(&of_a, &of_b, sizeof of_a);
    }
    double *x = sorted_efe(a, origin, &n);
    double *y =
        sorted_efe(b, origin == SONDE_EVERYWHERE ? SONDE_EVERYWHERE : b->graph->start, &n_other);
    assert_int_equal(n, n_other);
    assert_memory_equal(x, y, (size_t)n * sizeof *x);
    free(y);
    free(x);
    free(mapped);
    free(walk);
}

/* Where full search wants to go, under the other names. */
static void compare_wishes(const space *a, const space *b, const int32_t *new_name,
                           sonde_scope scope) {
    sonde_search_settings settings = clustered(0, scope, 1);
    settings.search = SONDE_SEARCH_FULL;
    thought x = think(a, &settings, NULL);
    thought y = think(b, &settings, NULL);
    assert_int_equal(x.decision->n_to, y.decision->n_to);
    for (int32_t i = 0; i < x.decision->n_to; i++) {
        int32_t j = 0;
        while (j < y.decision->n_to && y.decision->to[j] != new_name[x.decision->to[i]]) {
            j++;
        }
        assert_true(j < y.decision->n_to);
        assert_near(x.decision->to_posterior[i], y.decision->to_posterior[j], 1e-12);
    }
    assert_same(x.decision->best_efe.efe, y.decision->best_efe.efe);
    thought_free(&x);
    thought_free(&y);
}

static void renaming_nodes_changes_no_efe(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 8; seed++) {
        const int32_t n = 2 + (int32_t)(seed % 3);
        space a = space_random(n, seed, (sonde_connect)(seed / 4));
        int32_t new_name[4];
        sonde__rng rng = sonde__rng_stream(seed, SONDE__FOR_PROBE, 0);
        for (int32_t v = 0; v < n; v++) {
            const int32_t place = (int32_t)sonde__rng_below(&rng, (uint64_t)v + 1);
            new_name[v] = new_name[place];
            new_name[place] = v;
        }
        space b = renamed(&a, new_name);
        compare_worlds(&a, &b, new_name, SONDE_EVERYWHERE);
        compare_worlds(&a, &b, new_name, a.graph->start);
        compare_wishes(&a, &b, new_name, SONDE_LOCAL);
        compare_wishes(&a, &b, new_name, SONDE_GLOBAL);
        space_free(&b);
        space_free(&a);
    }
}

/* ------------------------------------------------------------------------- written, read -- */

static space copied(const space *s) {
    sonde_text text = {0};
    sonde_graph *graph = NULL;
    sonde_graph_write(s->graph, &text);
    assert_false(text.failed);
    const sonde_source source = {"copy", text.data, text.size};
    assert_int_equal(sonde_graph_read(&source, NULL, 99, &graph, NULL), SONDE_OK);
    sonde_text_free(&text);
    return space_new(graph);
}

static sonde_episode *walk(const space *s, const sonde_search_settings *settings) {
    sonde_agent *agent = agent_of(s, settings, NULL);
    sonde_episode *episode = NULL;
    assert_int_equal(sonde_simulate(agent, NULL, 10, &episode, NULL), SONDE_OK);
    sonde_agent_free(agent);
    return episode;
}

static void a_world_written_and_read_back_gives_the_same_results(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 8; seed++) {
        space a = space_new(world_of_horizon(4, seed, 3));
        space b = copied(&a);
        for (int32_t i = 0; i < 4; i++) {
            sonde_search_settings settings = clustered(i, (sonde_scope)(i % 2), 5);
            settings.search = (sonde_search_kind)(i / 2);
            sonde_episode *x = walk(&a, &settings);
            sonde_episode *y = walk(&b, &settings);
            assert_same_episode(x, y);
            sonde_episode_free(x);
            sonde_episode_free(y);
        }
        space_free(&b);
        space_free(&a);
    }
}

/* ------------------------------------------------------------------------- two semantics -- */

/* edm, everywhere, by samples, with the same k before, rows enough: none of what the notebook does
 * otherwise applies but the numbers of clusters, which decide ties alone */
static void where_no_difference_applies_notebook_and_text_agree(void **state) {
    (void)state;
    const uint32_t order = 1u << SONDE_DIFFERENCE_ORDER;
    for (uint64_t seed = 0; seed < 6; seed++) {
        space s = space_random(4, seed, (sonde_connect)(seed % 2));
        sonde_search_settings notebook = clustered(embedding_called("edm").kind, SONDE_GLOBAL, 4);
        notebook.probe = SONDE_PROBE_SAMPLE;
        const sonde_search_settings text = notebook;
        sonde_differences_apply(SONDE_SEMANTICS_NOTEBOOK & ~order, 4, &notebook);
        thought a = think(&s, &notebook, NULL);
        thought b = think(&s, &text, NULL);
        assert_same_posterior(a.decision, b.decision);
        assert_same_evaluations(&a.decision->evaluations, &b.decision->evaluations);
        assert_memory_equal(a.decision->cluster_efe, b.decision->cluster_efe, 4 * sizeof(double));
        thought_free(&a);
        thought_free(&b);
        space_free(&s);
    }
}

/* full search is the same in both */
static void full_search_knows_one_semantics(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 6; seed++) {
        space s = space_random(4, seed, (sonde_connect)(seed % 2));
        sonde_search_settings notebook = clustered(0, (sonde_scope)(seed / 2 % 2), 4);
        notebook.search = SONDE_SEARCH_FULL;
        const sonde_search_settings text = notebook;
        sonde_differences_apply(SONDE_SEMANTICS_NOTEBOOK, 12, &notebook);
        sonde_episode *a = walk(&s, &notebook);
        sonde_episode *b = walk(&s, &text);
        assert_same_episode(a, b);
        sonde_episode_free(a);
        sonde_episode_free(b);
        space_free(&s);
    }
}

/* in local scope by centres it makes the difference that the paper's table shows */
static void the_notebook_finds_fewer_shortest_paths_than_the_text(void **state) {
    (void)state;
    int32_t n_optimal[2] = {0};
    for (uint64_t seed = 0; seed < 40; seed++) {
        space s = space_random(4, seed, SONDE_SYMMETRIC);
        for (int32_t i = 0; i < 2; i++) {
            sonde_search_settings settings = cluster_defaults();
            settings.embed = embedding_called("boe");
            settings.cluster.k = 6;
            sonde_differences_apply(i == 0 ? SONDE_SEMANTICS_TEXT : SONDE_SEMANTICS_NOTEBOOK, 6,
                                    &settings);
            sonde_agent *agent = agent_of(&s, &settings, NULL);
            sonde_episode *episode = NULL;
            if (sonde_simulate(agent, NULL, 10, &episode, NULL) == SONDE_OK) {
                n_optimal[i] += episode->optimal;
            }
            sonde_episode_free(episode);
            sonde_agent_free(agent);
        }
        space_free(&s);
    }
    assert_true(n_optimal[0] > n_optimal[1] + 10);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(with_one_cluster_clustered_search_equals_full_search),
        cmocka_unit_test(with_a_cluster_for_each_bag_of_edges_the_best_policy_is_found),
        cmocka_unit_test(renaming_nodes_changes_no_efe),
        cmocka_unit_test(a_world_written_and_read_back_gives_the_same_results),
        cmocka_unit_test(where_no_difference_applies_notebook_and_text_agree),
        cmocka_unit_test(full_search_knows_one_semantics),
        cmocka_unit_test(the_notebook_finds_fewer_shortest_paths_than_the_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

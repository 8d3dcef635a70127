/* Members of clusters that are generated: they belong, they are new, each is as likely as any
 * other, and the decision is that of the listed and the generated ones together. */
#include "embed/embed.h"
#include "random_models.h"
#include "search/naive.h"

static sonde_search_settings sampling(int32_t n_sample, int32_t n_member) {
    sonde_search_settings settings = sonde_search_defaults();
    settings.search = SONDE_SEARCH_CLUSTER;
    settings.embed.n_sample = n_sample;
    settings.n_member = n_member;
    settings.cluster.k = 4;
    settings.cluster.n_restart = 3;
    settings.gamma = 0.05;
    return settings;
}

/* The nearest centre of a policy's row, the lowest of several. */
static int32_t nearest_center(const sonde_embedder *embedder, const sonde_clusters *clusters,
                              int32_t origin, uint64_t policy) {
    const sonde_policies *policies = embedder->policies;
    double *row = room((uint64_t)embedder->n_column, sizeof *row);
    int32_t *walk = room((uint64_t)policies->horizon + 1, sizeof *walk);
    sonde_policies_get(policies, origin, policy, walk, NULL);
    assert_int_equal(sonde_embedder_row(embedder, walk, row, NULL), SONDE_OK);
    int32_t nearest = 0;
    double least = INFINITY;
    for (int32_t c = 0; c < clusters->k; c++) {
        const double d =
            squared(row, clusters->center + (int64_t)c * clusters->n_column, clusters->n_column);
        if (d < least * (1.0 - 1e-9)) {
            least = d;
            nearest = c;
        }
    }
    free(walk);
    free(row);
    return nearest;
}

static bool is_sampled(const sonde_clusters *clusters, uint64_t policy) {
    for (int32_t i = 0; i < clusters->n_policy; i++) {
        if (sonde_clusters_policy(clusters, i) == policy) {
            return true;
        }
    }
    return false;
}

/* All policies of the chosen clusters that are not in the sample; the caller frees them. */
static uint64_t *rest_of(const sonde_decision *d, const sonde_embedder *embedder, int32_t *n) {
    const uint64_t size = sonde_policies_size(embedder->policies, d->origin);
    uint64_t *rest = room(size, sizeof *rest);
    *n = 0;
    for (uint64_t i = 0; i < size; i++) {
        if (!is_sampled(d->clusters, i) &&
            d->chosen[nearest_center(embedder, d->clusters, d->origin, i)]) {
            rest[(*n)++] = i;
        }
    }
    return rest;
}

/* What the members of the sample and those that were generated come to. */
static void assert_union(const space *s, const sonde_search_settings *settings,
                         const sonde_decision *d) {
    int32_t n = 0;
    int32_t *listed = members_of(d->clusters, d->chosen, &n);
    int32_t *list = room((uint64_t)n + (uint64_t)d->n_generated, sizeof *list);
    for (int32_t i = 0; i < n; i++) {
        list[i] = (int32_t)sonde_clusters_policy(d->clusters, listed[i]);
    }
    for (int32_t i = 0; i < d->n_generated; i++) {
        list[n + i] = (int32_t)d->generated[i];
    }
    scored all = score(s, d->origin, d->state, list, n + d->n_generated);
    assert_decision(s, d, &all, settings->gamma, (uint64_t)d->clusters->k);
    scored_free(&all);
    free(list);
    free(listed);
}

static void members_are_new_they_belong_and_they_count(void **state) {
    (void)state;
    int32_t n_generated = 0;
    for (int32_t i = 0; i < 24; i++) {
        space s = space_random(3 + i % 2, (uint64_t)i, (sonde_connect)(i / 3 % 2));
        sonde_search_settings settings = sampling(20, 1 + 10 * (i % 4));
        settings.scope = (sonde_scope)(i % 2);
        settings.n_top = 1 + i % 2;
        settings.seed = (uint64_t)i;
        settings.cluster.method = (sonde_cluster_method)(i / 4 % 2);
        settings.embed.kind =
            sonde_name_find(sonde_embedding_name, (const char *[]){"boe", "edm", "ends"}[i % 3]);
        thought t = think(&s, &settings, NULL);
        const sonde_decision *d = t.decision;
        sonde_embed_settings embed = settings.embed;
        embed.seed = settings.seed;
        sonde_embedder *embedder = NULL;
        assert_int_equal(sonde_embedder_new(s.policies, &embed, NULL, &embedder, NULL), SONDE_OK);
        const bool sampled = sonde_policies_size(s.policies, d->origin) > 20;
        assert_int_equal(d->n_sampled, sampled ? 20 : 0);
        assert_true(d->n_generated <= settings.n_member && (sampled || d->n_drawn == 0));
        assert_true(d->n_generated == settings.n_member || !sampled ||
                    d->n_drawn == 8 * (uint64_t)d->clusters->k * (uint64_t)settings.n_member);
        for (int32_t j = 0; j < d->n_generated; j++) {
            assert_true(j == 0 || d->generated[j - 1] < d->generated[j]);
            assert_false(is_sampled(d->clusters, d->generated[j]));
            assert_true(
                d->chosen[nearest_center(embedder, d->clusters, d->origin, d->generated[j])]);
        }
        n_generated += d->n_generated;
        assert_union(&s, &settings, d);
        assert_false(d->certificate.given);
        sonde_embedder_free(embedder);
        thought_free(&t);
        space_free(&s);
    }
    assert_true(n_generated > 100);
}

/* with draws enough, a decision on the sample is one on the whole of its clusters */
static void all_members_of_a_small_cluster_are_found(void **state) {
    (void)state;
    space s = space_random(4, 3, SONDE_SYMMETRIC);
    sonde_search_settings settings = sampling(30, 2000);
    thought t = think(&s, &settings, NULL);
    sonde_embedder *embedder = NULL;
    assert_int_equal(sonde_embedder_new(s.policies, &settings.embed, NULL, &embedder, NULL),
                     SONDE_OK);
    int32_t n = 0;
    uint64_t *rest = rest_of(t.decision, embedder, &n);
    assert_in_range(n, 10, 1000);
    assert_int_equal(t.decision->n_generated, n);
    assert_memory_equal(t.decision->generated, rest, (size_t)n * sizeof *rest);
    free(rest);
    sonde_embedder_free(embedder);
    thought_free(&t);
    space_free(&s);
}

/* Counts how often each policy of the rest is generated, decision by decision. */
static void count_members(const space *s, sonde_scope scope) {
    enum { N_MEMBER = 5, N_TRIAL = 4000 };
    sonde_search_settings settings = sampling(40, N_MEMBER);
    settings.scope = scope;
    sonde_agent *agent = agent_of(s, &settings, NULL);
    sonde_embedder *embedder = NULL;
    assert_int_equal(sonde_embedder_new(s->policies, &settings.embed, NULL, &embedder, NULL),
                     SONDE_OK);
    double *belief = room((uint64_t)s->model->n_belief, sizeof *belief);
    sonde_belief_initial(s->model, belief);
    uint64_t *rest = NULL;
    int64_t *count = NULL;
    double *expected = NULL;
    int32_t n = 0;
    for (int32_t trial = 0; trial < N_TRIAL; trial++) {
        /* the agent thinks it never leaves: only the number of the decision changes */
        const sonde_decision *d = NULL;
        sonde_agent_believe(agent, belief, NULL);
        assert_int_equal(sonde_agent_search(agent, &d, NULL), SONDE_OK);
        if (rest == NULL) {
            rest = rest_of(d, embedder, &n);
            count = room((uint64_t)n, sizeof *count);
            expected = room((uint64_t)n, sizeof *expected);
        }
        assert_int_equal(d->n_generated, N_MEMBER);
        for (int32_t i = 0; i < N_MEMBER; i++) {
            int32_t at = 0;
            while (rest[at] != d->generated[i]) {
                assert_true(++at < n);
            }
            count[at]++;
        }
        (void)sonde_agent_act(agent);
    }
    assert_in_range(n, 30, 3000);
    for (int32_t i = 0; i < n; i++) {
        expected[i] = (double)(N_MEMBER * N_TRIAL) / (double)n;
    }
    assert_drawn_from(n, count, expected);
    free(expected);
    free(count);
    free(rest);
    free(belief);
    sonde_embedder_free(embedder);
    sonde_agent_free(agent);
}

static void each_member_is_as_likely_as_any_other(void **state) {
    (void)state;
    space s = space_random(4, 6, SONDE_SYMMETRIC);
    count_members(&s, SONDE_LOCAL);
    count_members(&s, SONDE_GLOBAL);
    space_free(&s);
}

/* spaces that nobody could list: more policies are never worse, and the same bytes come on any
 * threads */
static void assert_serves(const sonde_policies *policies, sonde_present now, sonde_scope scope) {
    sonde_agent *agent[3] = {0};
    const sonde_decision *d[3] = {0};
    assert_true(policies->size > 1e12);
    for (int32_t i = 0; i < 3; i++) {
        sonde_search_settings settings = sampling(1000, i == 0 ? 0 : 200);
        settings.scope = scope;
        settings.cluster.k = 12;
        const sonde_run run = threads(i == 2 ? 3 : 1);
        assert_int_equal(sonde_agent_new(policies, &settings, &run, &agent[i], NULL), SONDE_OK);
        if (now.belief != NULL) {
            sonde_agent_believe(agent[i], now.belief, NULL);
        } else {
            sonde_agent_observe(agent[i], &now.state, NULL);
        }
        assert_int_equal(sonde_agent_search(agent[i], &d[i], NULL), SONDE_OK);
        assert_int_equal(d[i]->n_sampled, 1000);
        assert_int_equal(d[i]->n_generated, i == 0 ? 0 : 200);
    }
    assert_true(d[1]->best_efe.efe <= d[0]->best_efe.efe);
    assert_int_equal(d[1]->evaluations.n_policy, d[0]->evaluations.n_policy + 200);
    assert_same_decision(d[1], d[2], policies->horizon);
    assert_memory_equal(d[1]->generated, d[2]->generated, 200 * sizeof(uint64_t));
    for (int32_t i = 0; i < 3; i++) {
        sonde_agent_free(agent[i]);
    }
}

static void twelve_nodes_and_twenty_steps_are_searched(void **state) {
    (void)state;
    space s = space_new(world_of_horizon(12, 2, 20));
    const sonde_present now = {.state = s.graph->start};
    assert_serves(s.policies, now, SONDE_LOCAL);
    assert_serves(s.policies, now, SONDE_GLOBAL);
    space_free(&s);
}

static void four_actions_to_the_power_of_twenty_are_searched(void **state) {
    (void)state;
    setting s = setting_of(model_of(
        "{\"format\": \"sonde-model\", \"version\": 1, \"horizon\": 20,"
        " \"factors\": [{\"states\": 2, \"actions\": 4}], \"modalities\": [{\"outcomes\": 2}],"
        " \"A\": [[[0.9, 0.2], [0.1, 0.8]]], \"C\": [[1, 0]], \"D\": [[0.5, 0.5]],"
        " \"B\": [[[[1, 0.3, 0.1, 0.9], [0.4, 0, 0.2, 0.6]],"
        " [[0, 0.7, 0.9, 0.1], [0.6, 1, 0.8, 0.4]]]]}"));
    assert_serves(s.policies, setting_now(&s), SONDE_LOCAL);
    setting_free(&s);
}

/* steps that values take count for those that are only looked at, too */
static void members_that_are_valued_are_paid_for(void **state) {
    (void)state;
    space s = space_random(5, 3, SONDE_SYMMETRIC);
    sonde_search_settings settings = sampling(30, 10);
    settings.embed.kind = sonde_name_find(sonde_embedding_name, "value");
    thought t = think(&s, &settings, NULL);
    assert_true(t.decision->n_generated > 0);
    assert_int_equal(t.decision->evaluations.n_setup_step, (30 + t.decision->n_drawn) * 5);
    thought_free(&t);
    space_free(&s);
}

static void members_without_a_sample_are_refused(void **state) {
    (void)state;
    space s = space_random(4, 3, SONDE_SYMMETRIC);
    const int32_t bad[] = {5, -1};
    for (int32_t i = 0; i < 2; i++) {
        sonde_search_settings settings = sampling(0, bad[i]);
        sonde_agent *agent = NULL;
        sonde_error error = {0};
        assert_int_equal(sonde_agent_new(s.policies, &settings, NULL, &agent, &error),
                         SONDE_BAD_ARGUMENT);
        assert_null(agent);
        assert_says(error.text, "members");
    }
    space_free(&s);
}

static void drawing_can_be_stopped(void **state) {
    (void)state;
    space s = space_random(4, 3, SONDE_SYMMETRIC);
    sonde_stop stop = {0};
    sonde_run run = threads(1);
    run.stop = &stop;
    sonde_search_settings settings = sampling(30, 1000000);
    settings.scope = SONDE_GLOBAL;
    sonde_agent *agent = agent_of(&s, &settings, &run);
    const sonde_decision *d = NULL;
    sonde_agent_observe(agent, &s.graph->start, NULL);
    sonde_stop_raise(&stop);
    assert_int_equal(sonde_agent_search(agent, &d, NULL), SONDE_STOPPED);
    sonde_agent_free(agent);
    space_free(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(members_are_new_they_belong_and_they_count),
        cmocka_unit_test(all_members_of_a_small_cluster_are_found),
        cmocka_unit_test(each_member_is_as_likely_as_any_other),
        cmocka_unit_test(twelve_nodes_and_twenty_steps_are_searched),
        cmocka_unit_test(four_actions_to_the_power_of_twenty_are_searched),
        cmocka_unit_test(members_that_are_valued_are_paid_for),
        cmocka_unit_test(members_without_a_sample_are_refused),
        cmocka_unit_test(drawing_can_be_stopped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

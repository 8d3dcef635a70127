/* Spaces that are large, and spaces that are too large. */
#include "stages.h"

static sonde_status try_agent(const space *s, const sonde_search_settings *settings,
                              const sonde_run *run, sonde_error *error) {
    sonde_agent *agent = NULL;
    const sonde_status status = sonde_agent_new(s->policies, settings, run, &agent, error);
    assert_true((status == SONDE_OK) == (agent != NULL));
    sonde_agent_free(agent);
    return status;
}

/* A world of seven nodes, with about as many policies as the median one. */
static space seven_nodes(void) {
    for (uint64_t seed = 0; seed < 200; seed++) {
        space s = space_random(7, seed, SONDE_SYMMETRIC);
        if (s.policies->n_policy > 600000 && s.policies->n_policy < 800000) {
            return s;
        }
        space_free(&s);
    }
    fail_msg("no such world");
    return (space){0};
}

static void seven_nodes_are_searched_globally_in_little_memory(void **state) {
    (void)state;
    space s = seven_nodes();
    sonde_search_settings settings = cluster_defaults();
    settings.scope = SONDE_GLOBAL;
    settings.cluster.n_restart = 1;
    settings.cluster.n_round_max = 3;
    sonde_run run = threads(1);
    run.memory = UINT64_C(256) << 20;
    sonde_agent *agent = agent_of(&s, &settings, &run);
    sonde_episode *episode = NULL;
    assert_int_equal(sonde_simulate(agent, NULL, 10, &episode, NULL), SONDE_OK);
    for (int32_t t = 0; t < 10; t++) {
        assert_true(episode->evaluations[t].n_policy > 12);
        assert_true(episode->evaluations[t].n_policy <= s.policies->n_policy + 12);
    }
    sonde_episode_free(episode);
    sonde_agent_free(agent);
    space_free(&s);
}

static void four_megabytes_are_too_few_for_seven_nodes(void **state) {
    (void)state;
    space s = seven_nodes();
    sonde_error error = {0};
    sonde_run run = threads(1);
    run.memory = UINT64_C(4) << 20;
    sonde_search_settings settings = cluster_defaults();
    settings.scope = SONDE_GLOBAL;
    assert_int_equal(try_agent(&s, &settings, &run, &error), SONDE_TOO_LARGE);
    assert_says(error.text, "allowed are 4.19 MB");
    settings.scope = SONDE_LOCAL;
    assert_int_equal(try_agent(&s, &settings, &run, &error), SONDE_TOO_LARGE);
    /* full search needs no list */
    settings.search = SONDE_SEARCH_FULL;
    assert_int_equal(try_agent(&s, &settings, &run, &error), SONDE_OK);
    space_free(&s);
}

/* counts stay at the largest number there is, sizes go on as reals */
static void counts_that_overflow_are_refused_with_their_size(void **state) {
    (void)state;
    for (int32_t horizon = 70; horizon < 2500; horizon += 800) {
        space s = space_new(world_of_horizon(8, 2, horizon));
        assert_int_equal(s.policies->n_policy, UINT64_MAX);
        assert_int_equal(sonde_policies_size(s.policies, s.graph->start), UINT64_MAX);
        assert_true(s.policies->size > 1e20);
        for (int32_t i = 0; i < 4; i++) {
            for (int32_t kind = 0; kind < n_embedding(); kind++) {
                sonde_search_settings settings = cluster_defaults();
                settings.search = (sonde_search_kind)(i % 2);
                settings.scope = (sonde_scope)(i / 2);
                settings.embed.kind = kind;
                if (!fits(kind, settings.scope)) {
                    continue;
                }
                sonde_error error = {0};
                assert_int_equal(try_agent(&s, &settings, NULL, &error), SONDE_TOO_LARGE);
                assert_says(error.text, "shorter horizon");
            }
        }
        space_free(&s);
    }
}

/* as many clusters as an int32_t can name, on a small space and on a large one */
static void a_huge_k_is_as_good_as_the_number_of_rows(void **state) {
    (void)state;
    space s = space_random(4, 2, SONDE_SYMMETRIC);
    sonde_search_settings settings = cluster_defaults();
    settings.cluster.k = INT32_MAX;
    settings.n_sample = INT32_MAX;
    settings.n_top = INT32_MAX;
    for (int32_t i = 0; i < 4; i++) {
        settings.scope = (sonde_scope)(i % 2);
        settings.probe = (sonde_probe)(i / 2);
        thought t = think(&s, &settings, NULL);
        assert_int_equal(t.decision->clusters->k_asked, INT32_MAX);
        assert_true(t.decision->clusters->k <= t.decision->clusters->n_policy);
        thought_free(&t);
    }
    /* empty clusters would need room for all of them */
    settings.cluster.keep_empty = true;
    sonde_error error = {0};
    assert_int_equal(try_agent(&s, &settings, NULL, &error), SONDE_TOO_LARGE);
    space_free(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(seven_nodes_are_searched_globally_in_little_memory),
        cmocka_unit_test(four_megabytes_are_too_few_for_seven_nodes),
        cmocka_unit_test(counts_that_overflow_are_refused_with_their_size),
        cmocka_unit_test(a_huge_k_is_as_good_as_the_number_of_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

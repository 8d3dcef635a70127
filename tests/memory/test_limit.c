/* A call takes no more memory than it is allowed. */
#include "memory/allocator.h"
#include "models.h"

/* What a call held at once is refused where clearly less than that is allowed. (The few bytes of
 * the objects themselves, whatever the size of the space, are not worth a check.) */
static void assert_limit_holds(sonde_status (*call)(const sonde_run *run)) {
    const uint64_t small = 8192;
    sonde_run run = threads(2);
    watch_memory(0);
    const sonde_status status = call(&run);
    unwatch_memory();
    assert_int_equal(status, SONDE_OK);
    assert_int_equal(allocator.n_live, 0);
    const uint64_t peak = allocator.peak;
    run.memory = peak > small ? (peak - small) / 20 * 19 : peak - 1;
    assert_int_equal(call(&run), SONDE_TOO_LARGE);
    run.memory = 2 * peak;
    assert_int_equal(call(&run), SONDE_OK);
}

static space s;
static sonde_embedder *embedder;
static sonde_embedding *rows;

static int set_up(void **state) {
    (void)state;
    s = space_random(5, 4, SONDE_SYMMETRIC);
    const embedded e = embed_as(&s, "edm", SONDE_EVERYWHERE);
    embedder = e.embedder;
    rows = e.rows;
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    sonde_embedding_free(rows);
    sonde_embedder_free(embedder);
    space_free(&s);
    return 0;
}

static sonde_status call_count(const sonde_run *run) {
    sonde_policies *policies = NULL;
    const sonde_status status = sonde_policies_count(s.model, 0, run, &policies, NULL);
    sonde_policies_free(policies);
    return status;
}

static void counting_keeps_to_the_limit(void **state) {
    (void)state;
    assert_limit_holds(call_count);
}

static sonde_status call_embedder(const sonde_run *run) {
    const sonde_embed_settings settings = embedding_called("edm");
    sonde_embedder *made = NULL;
    const sonde_status status = sonde_embedder_new(s.policies, &settings, run, &made, NULL);
    sonde_embedder_free(made);
    return status;
}

static void making_an_embedder_keeps_to_the_limit(void **state) {
    (void)state;
    assert_limit_holds(call_embedder);
}

static sonde_status call_embedding(const sonde_run *run) {
    sonde_embedding *made = NULL;
    const sonde_status status = sonde_embedding_new(embedder, SONDE_EVERYWHERE, run, &made, NULL);
    sonde_embedding_free(made);
    return status;
}

static void embedding_keeps_to_the_limit(void **state) {
    (void)state;
    assert_limit_holds(call_embedding);
}

static sonde_status call_fit(const sonde_run *run) {
    sonde_cluster_settings settings = sonde_search_defaults().cluster;
    settings.n_restart = 2;
    settings.n_round_max = 2;
    sonde_clusters *made = NULL;
    const sonde_status status = sonde_clusters_fit(rows, &settings, run, &made, NULL);
    sonde_clusters_free(made);
    return status;
}

static void clustering_keeps_to_the_limit(void **state) {
    (void)state;
    assert_limit_holds(call_fit);
}

static sonde_status make_agent(const sonde_run *run, sonde_search_kind search, sonde_scope scope) {
    sonde_search_settings settings = cluster_defaults();
    settings.search = search;
    settings.scope = scope;
    settings.embed = embedding_called("edm");
    settings.cluster.n_restart = 2;
    settings.cluster.n_round_max = 2;
    sonde_agent *agent = NULL;
    const sonde_status status = sonde_agent_new(s.policies, &settings, run, &agent, NULL);
    sonde_agent_free(agent);
    return status;
}

static sonde_status call_full(const sonde_run *run) {
    return make_agent(run, SONDE_SEARCH_FULL, SONDE_GLOBAL);
}

static sonde_status call_local(const sonde_run *run) {
    return make_agent(run, SONDE_SEARCH_CLUSTER, SONDE_LOCAL);
}

static sonde_status call_global(const sonde_run *run) {
    return make_agent(run, SONDE_SEARCH_CLUSTER, SONDE_GLOBAL);
}

static sonde_status call_surrogate(const sonde_run *run) {
    const sonde_status local = make_agent(run, SONDE_SEARCH_SURROGATE, SONDE_LOCAL);
    return local == SONDE_OK ? make_agent(run, SONDE_SEARCH_SURROGATE, SONDE_GLOBAL) : local;
}

static sonde_status call_tree(const sonde_run *run) {
    const sonde_status local = make_agent(run, SONDE_SEARCH_TREE, SONDE_LOCAL);
    return local == SONDE_OK ? make_agent(run, SONDE_SEARCH_TREE, SONDE_GLOBAL) : local;
}

static void an_agent_keeps_to_the_limit(void **state) {
    (void)state;
    assert_limit_holds(call_full);
    assert_limit_holds(call_local);
    assert_limit_holds(call_global);
    assert_limit_holds(call_surrogate);
    assert_limit_holds(call_tree);
}

/* What an agent with bounded search of a model holds, over two actions at each of so many steps. */
static uint64_t held_by_bounded(int32_t horizon, uint64_t budget) {
    sonde_model_settings asked = sonde_model_defaults();
    asked.horizon = horizon;
    sonde_model *model = NULL;
    sonde_policies *policies = NULL;
    sonde_agent *agent = NULL;
    sonde_search_settings settings = sonde_search_defaults();
    settings.budget = budget;
    assert_int_equal(
        model_try("{\"format\": \"sonde-model\", \"version\": 1, \"horizon\": 1, \"factors\": "
                  "[{\"states\": 2, \"actions\": 2}], \"modalities\": [{\"outcomes\": 2}], "
                  "\"A\": [[[1, 0], [0, 1]]], \"B\": [[[[1, 0], [1, 0]], [[0, 1], [0, 1]]]], "
                  "\"C\": [[0, 1]], \"D\": [[1, 0]]}",
                  &asked, &model, NULL),
        SONDE_OK);
    assert_int_equal(sonde_policies_count(model, 0, NULL, &policies, NULL), SONDE_OK);
    watch_memory(0);
    assert_int_equal(sonde_agent_new(policies, &settings, NULL, &agent, NULL), SONDE_OK);
    sonde_agent_free(agent);
    unwatch_memory();
    sonde_policies_free(policies);
    sonde_model_free(model);
    return allocator.peak;
}

static void bounded_search_reserves_what_it_can_need(void **state) {
    (void)state;
    const uint64_t megabyte = (uint64_t)1 << 20;
    /* four policies, a million, and more than anybody can look at, with and without a budget */
    assert_in_range(held_by_bounded(2, 0), 1, megabyte / 4);
    assert_in_range(held_by_bounded(20, 0), 64 * megabyte, 512 * megabyte);
    assert_in_range(held_by_bounded(60, 0), 1000 * megabyte, 1100 * megabyte);
    assert_in_range(held_by_bounded(60, 1000), 1, megabyte);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counting_keeps_to_the_limit),
        cmocka_unit_test(making_an_embedder_keeps_to_the_limit),
        cmocka_unit_test(embedding_keeps_to_the_limit),
        cmocka_unit_test(clustering_keeps_to_the_limit),
        cmocka_unit_test(an_agent_keeps_to_the_limit),
        cmocka_unit_test(bounded_search_reserves_what_it_can_need),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}

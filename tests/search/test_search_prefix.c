/* Policies that begin alike: every number of a prefix against all policies, one by one. */
#include "search/baselines.h"

/* Policies of one origin, one by one, in either kind of model. */
typedef struct {
    const sonde_policies *policies;
    sonde_agent *agent;
    uint64_t n;
    double *efe;   /* (n) */
    double *q;     /* (n) their posterior */
    int32_t *walk; /* (n, T + 1) */
} crowd;

static const int32_t *walk_of(const crowd *c, uint64_t i) {
    return c->walk + (int64_t)i * (c->policies->horizon + 1);
}

static double weight_of(const sonde_model *model, uint64_t i, int32_t first) {
    return (model->E != NULL ? model->E[i] : 1.0) *
           (model->habit != NULL ? model->habit[first] : 1.0);
}

/* Scores every policy, and adds them up, in the plainest way. */
static crowd crowd_of(sonde_agent *agent, const sonde_decision *decision, double gamma) {
    const sonde_policies *policies = sonde_agent_policies(agent);
    const int32_t origin = sonde_policies_origin(policies, decision->belief);
    const sonde_present now = {.state = decision->state, .belief = decision->belief};
    crowd c = {.policies = policies, .agent = agent, .n = sonde_policies_size(policies, origin)};
    const sonde_range range = {origin, 0, c.n};
    double least = INFINITY;
    double total = 0.0;
    c.efe = room(c.n, sizeof *c.efe);
    c.q = room(c.n, sizeof *c.q);
    c.walk = room(c.n * ((uint64_t)policies->horizon + 1), sizeof *c.walk);
    assert_int_equal(sonde_efe_range(policies, now, range, NULL, c.efe, NULL), SONDE_OK);
    for (uint64_t i = 0; i < c.n; i++) {
        int32_t *walk = c.walk + (int64_t)i * (policies->horizon + 1);
        assert_int_equal(sonde_policies_get(policies, origin, i, walk, NULL), SONDE_OK);
        least = c.efe[i] < least ? c.efe[i] : least;
    }
    for (uint64_t i = 0; i < c.n; i++) {
        const int32_t first = sonde_policies_action(policies, walk_of(&c, i), 1);
        c.q[i] = weight_of(policies->model, i, first) * exp(-gamma * (c.efe[i] - least));
        total += c.q[i];
    }
    for (uint64_t i = 0; i < c.n; i++) {
        c.q[i] /= total;
    }
    return c;
}

static void crowd_free(crowd *c) {
    free(c->efe);
    free(c->q);
    free(c->walk);
}

static bool begins(const crowd *c, uint64_t i, const int32_t *walk, int32_t n_step) {
    return memcmp(walk_of(c, i), walk, ((size_t)n_step + 1) * sizeof *walk) == 0;
}

/* What is known of policies that begin so holds of all of them, and is as close as `apart`. */
static void assert_beginning(const crowd *c, const sonde_beginning *one, const int32_t *walk,
                             int32_t n_step, double apart) {
    const sonde_present now = {.state = c->policies->model->graph != NULL ? walk[0] : -1,
                               .belief = sonde_agent_memory_get(c->agent).belief};
    uint64_t n = 0;
    double least = INFINITY;
    double mass = 0.0;
    for (uint64_t i = 0; i < c->n; i++) {
        if (begins(c, i, walk, n_step)) {
            n++;
            least = c->efe[i] < least ? c->efe[i] : least;
            mass += c->q[i];
        }
    }
    assert_true(n > 0);
    assert_int_equal(one->n_policy, n);
    assert_near(one->size, (double)n, 1e-9);
    assert_int_equal(one->number, walk[n_step]);
    assert_true(one->least <= least + 1e-9 * (1.0 + fabs(least)));
    assert_true(one->best >= least - 1e-9 * (1.0 + fabs(least)));
    assert_true(one->mass[0] <= mass + 1e-9 && one->mass[1] >= mass - 1e-9);
    assert_true(one->mass[1] - one->mass[0] <= apart);
    sonde_efe so_far = {0};
    if (n_step > 0) {
        const sonde_walks walks = {1, n_step, walk};
        const sonde_scores scores = {.total = &so_far};
        assert_int_equal(sonde_efe_walks(c->policies->model, now, &walks, NULL, &scores, NULL),
                         SONDE_OK);
    }
    assert_near(one->so_far.efe, so_far.efe, 1e-9 * (1.0 + fabs(so_far.efe)));
    for (int32_t i = 0; i < SONDE_N_TERM; i++) {
        assert_near(one->so_far.term[i], so_far.term[i], 1e-9 * (1.0 + fabs(so_far.term[i])));
    }
}

/* How many different numbers follow a prefix. */
static int32_t count_next(const crowd *c, const int32_t *walk, int32_t n_step) {
    const int32_t most = c->policies->model->graph != NULL ? c->policies->model->graph->n_edge
                                                           : c->policies->model->n_action;
    bool *seen = room((uint64_t)most, sizeof *seen);
    int32_t n = 0;
    for (uint64_t i = 0; i < c->n && n_step < c->policies->horizon; i++) {
        const int32_t next = walk_of(c, i)[n_step < c->policies->horizon ? n_step + 1 : n_step];
        if (begins(c, i, walk, n_step) && !seen[next]) {
            seen[next] = true;
            n++;
        }
    }
    free(seen);
    return n;
}

/* One prefix, and each way on. */
static void assert_prefix(const crowd *c, const int32_t *walk, int32_t n_step, double apart) {
    sonde_prefix *prefix = NULL;
    sonde_error error = {0};
    if (sonde_agent_prefix(c->agent, n_step, walk + 1, &prefix, &error) != SONDE_OK) {
        fail_msg("%s", error.text);
    }
    assert_int_equal(prefix->n_step, n_step);
    assert_memory_equal(prefix->walk, walk, ((size_t)n_step + 1) * sizeof *walk);
    assert_beginning(c, &prefix->whole, walk, n_step, apart);
    assert_int_equal(prefix->n_next, count_next(c, walk, n_step));
    int32_t *longer = room((uint64_t)n_step + 2, sizeof *longer);
    memcpy(longer, walk, ((size_t)n_step + 1) * sizeof *walk);
    for (int32_t i = 0; i < prefix->n_next; i++) {
        longer[n_step + 1] = prefix->next[i].number;
        assert_beginning(c, &prefix->next[i], longer, n_step + 1, apart);
        assert_true(i == 0 || prefix->next[i].mass[1] <= prefix->next[i - 1].mass[1]);
    }
    free(longer);
    sonde_prefix_free(prefix);
}

/* The prefixes of some policies, of every length. */
static void assert_prefixes(sonde_agent *agent, double apart) {
    const sonde_decision *decision = NULL;
    assert_int_equal(sonde_agent_search(agent, &decision, NULL), SONDE_OK);
    crowd c = crowd_of(agent, decision, decision->gamma);
    for (uint64_t i = 0; i < c.n; i += c.n / 3 + 1) {
        for (int32_t n_step = 0; n_step <= c.policies->horizon; n_step++) {
            assert_prefix(&c, walk_of(&c, i), n_step, apart);
        }
    }
    crowd_free(&c);
}

static sonde_agent *agent_on(const sonde_policies *policies,
                             const sonde_search_settings *settings) {
    sonde_agent *agent = NULL;
    sonde_error error = {0};
    sonde_run run = sonde_run_defaults();
    run.memory = UINT64_C(64) << 20; /* there are many of them */
    if (sonde_agent_new(policies, settings, &run, &agent, &error) != SONDE_OK) {
        fail_msg("%s", error.text);
    }
    return agent;
}

static sonde_search_settings settings_of(const char *search, double gamma) {
    sonde_search_settings settings = sonde_search_defaults();
    settings.search = (sonde_search_kind)sonde_name_find(sonde_search_name, search);
    settings.gamma = gamma;
    settings.epsilon = 1e-9;
    return settings;
}

static void prefixes_of_walks_are_known_exactly(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 12; seed++) {
        space s = space_new(world_of_horizon(3 + (int32_t)seed % 3, seed, 2 + (int32_t)seed % 4));
        sonde_search_settings settings = settings_of(seed % 2 == 0 ? "bounded" : "full", 0.05);
        settings.scope = seed % 3 == 0 ? SONDE_GLOBAL : SONDE_LOCAL;
        sonde_agent *agent = agent_on(s.policies, &settings);
        assert_int_equal(sonde_agent_observe(agent, sonde_model_seen(s.model), NULL), SONDE_OK);
        assert_prefixes(agent, 1e-9);
        sonde_agent_free(agent);
        space_free(&s);
    }
}

static void prefixes_of_products_and_lists_are_known_to_epsilon(void **state) {
    (void)state;
    int32_t n_listed = 0;
    int32_t n_prior = 0;
    for (uint64_t seed = 0; seed < 60; seed++) {
        setting s = setting_drawn(seed, DRAW_COUPLED | DRAW_ALLOWED | DRAW_LISTED, 300.0);
        bool any = s.model->E == NULL;
        for (int32_t i = 0; s.model->E != NULL && i < s.model->n_policy; i++) {
            any = any || s.model->E[i] > 0.0;
        }
        if (s.model->information != SONDE_INFORMATION_LEGACY && any) {
            sonde_search_settings settings = settings_of("bounded", seed % 2 == 0 ? 0.5 : 4.0);
            sonde_agent *agent = agent_on(s.policies, &settings);
            assert_int_equal(sonde_agent_believe(agent, s.belief, NULL), SONDE_OK);
            assert_prefixes(agent, 1e-6);
            sonde_agent_free(agent);
            n_listed += s.model->policies == SONDE_POLICIES_LISTED;
            n_prior += s.model->E != NULL;
        }
        setting_free(&s);
    }
    assert_true(n_listed > 5 && n_prior > 2 && n_listed < 50);
}

static void a_budget_leaves_bounds_that_hold(void **state) {
    (void)state;
    for (uint64_t seed = 100; seed < 130; seed++) {
        setting s = setting_drawn(seed, DRAW_COUPLED | DRAW_ALLOWED, 300.0);
        if (s.model->information != SONDE_INFORMATION_LEGACY) {
            sonde_search_settings settings = settings_of("bounded", 1.0);
            settings.budget = 5;
            sonde_agent *agent = agent_on(s.policies, &settings);
            assert_int_equal(sonde_agent_believe(agent, s.belief, NULL), SONDE_OK);
            assert_prefixes(agent, 1.0);
            sonde_agent_free(agent);
        }
        setting_free(&s);
    }
}

/* Two actions with habits, of which the policies are a product. */
static void habits_count(void **state) {
    (void)state;
    sonde_model *model = model_of(
        "{\"format\": \"sonde-model\", \"version\": 1, \"horizon\": 3,"
        " \"factors\": [{\"states\": 2, \"actions\": [\"a,b\", \"a\"]}],"
        " \"modalities\": [{\"outcomes\": 2}], \"A\": [[[0.9, 0.2], [0.1, 0.8]]],"
        " \"B\": [[[[1, 0.3], [0, 0.6]], [[0, 0.7], [1, 0.4]]]], \"C\": [[0, 1]], \"D\": [[1, 0]],"
        " \"counts\": {\"E\": [1, 5]}}");
    assert_non_null(model->habit);
    sonde_policies *policies = NULL;
    assert_int_equal(sonde_policies_count(model, 0, NULL, &policies, NULL), SONDE_OK);
    const sonde_search_settings settings = settings_of("bounded", 1.0);
    sonde_agent *agent = agent_on(policies, &settings);
    assert_prefixes(agent, 1e-8);
    sonde_agent_free(agent);
    sonde_policies_free(policies);
    sonde_model_free(model);
}

static void assert_refused(sonde_agent *agent, const char *text, const char *sentence) {
    sonde_error error = {0};
    int32_t number[8];
    int32_t n_step = 0;
    assert_int_equal(sonde_prefix_parse(agent, text, &n_step, number, &error), SONDE_BAD_ARGUMENT);
    assert_says(error.text, sentence);
}

static void steps_are_read_by_name_and_number(void **state) {
    (void)state;
    sonde_model *model =
        model_of("{\"format\": \"sonde-model\", \"version\": 1, \"horizon\": 2,"
                 " \"factors\": [{\"states\": 2, \"actions\": [\"up\", \"up,down\", \"3\"]},"
                 " {\"states\": 1, \"actions\": 2}],"
                 " \"modalities\": [{\"outcomes\": 2, \"factors\": [0]}],"
                 " \"A\": [[[1, 0], [0, 1]]],"
                 " \"B\": [[[[1, 1, 1], [0, 0, 0]], [[0, 0, 0], [1, 1, 1]]], [[[1, 1]]]],"
                 " \"C\": [[0, 1]], \"D\": [[1, 0], [1]]}");
    sonde_policies *policies = NULL;
    assert_int_equal(sonde_policies_count(model, 0, NULL, &policies, NULL), SONDE_OK);
    const sonde_search_settings settings = settings_of("bounded", 1.0);
    sonde_agent *agent = agent_on(policies, &settings);
    const sonde_decision *decision = NULL;
    assert_refused(agent, "up/0", "search first");
    assert_int_equal(sonde_agent_search(agent, &decision, NULL), SONDE_OK);
    int32_t number[2] = {-1, -1};
    int32_t n_step = -1;
    assert_int_equal(sonde_prefix_parse(agent, "", &n_step, number, NULL), SONDE_OK);
    assert_int_equal(n_step, 0);
    assert_int_equal(sonde_prefix_parse(agent, "all", &n_step, number, NULL), SONDE_OK);
    assert_int_equal(n_step, 0);
    assert_int_equal(sonde_prefix_parse(agent, "up,down/1,3/0", &n_step, number, NULL), SONDE_OK);
    assert_int_equal(n_step, 2);
    assert_int_equal(number[0], 3);
    assert_int_equal(number[1], 4);
    assert_int_equal(sonde_prefix_parse(agent, "0/1", &n_step, number, NULL), SONDE_OK);
    assert_int_equal(n_step, 1);
    assert_int_equal(number[0], 1);
    assert_refused(agent, "up/0/0", "step 1");
    assert_refused(
        agent, "up",
        "step 1: expected an action of each factor that has several, as up/wait, found up");
    assert_refused(agent, "up/0,4/0", "step 2");
    assert_refused(agent, "up/0,up/0,up/0", "policies have 2 steps, and this goes on");
    assert_refused(agent, "up/0,", "step 2");
    sonde_prefix *prefix = NULL;
    sonde_error error = {0};
    const int32_t wrong[] = {6};
    assert_int_equal(sonde_agent_prefix(agent, 1, wrong, &prefix, &error), SONDE_BAD_ARGUMENT);
    assert_says(error.text, "from 0 to 5, found 6");
    assert_int_equal(sonde_agent_prefix(agent, 3, wrong, &prefix, &error), SONDE_BAD_ARGUMENT);
    assert_says(error.text, "from 0 to 2 steps, found 3");
    sonde_agent_free(agent);
    sonde_policies_free(policies);
    sonde_model_free(model);
}

/* Factors with one action need not be named: nobody sees them in lists of policies either. */
static void factors_without_a_choice_are_left_out(void **state) {
    (void)state;
    sonde_model *model =
        model_of("{\"format\": \"sonde-model\", \"version\": 1, \"horizon\": 2,"
                 " \"factors\": [{\"states\": 1, \"actions\": 1},"
                 " {\"states\": 2, \"actions\": [\"up\", \"down\"]},"
                 " {\"states\": 1, \"actions\": [\"wait\"]}],"
                 " \"modalities\": [{\"outcomes\": 2, \"factors\": [1]}],"
                 " \"A\": [[[1, 0], [0, 1]]],"
                 " \"B\": [[[[1]]], [[[1, 1], [0, 0]], [[0, 0], [1, 1]]], [[[1]]]],"
                 " \"C\": [[0, 1]], \"D\": [[1], [1, 0], [1]]}");
    sonde_policies *policies = NULL;
    assert_int_equal(sonde_policies_count(model, 0, NULL, &policies, NULL), SONDE_OK);
    const sonde_search_settings settings = settings_of("bounded", 1.0);
    sonde_agent *agent = agent_on(policies, &settings);
    const sonde_decision *decision = NULL;
    assert_int_equal(sonde_agent_search(agent, &decision, NULL), SONDE_OK);
    static const char *const same[] = {"0/down/wait,0/up/0", "down,up", "1,0", "0/1/0,up"};
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        int32_t number[2] = {-1, -1};
        int32_t n_step = -1;
        assert_int_equal(sonde_prefix_parse(agent, same[i], &n_step, number, NULL), SONDE_OK);
        assert_int_equal(n_step, 2);
        assert_int_equal(number[0], 1);
        assert_int_equal(number[1], 0);
    }
    assert_refused(agent, "down/wait", "step 1");
    assert_refused(agent, "0/down", "step 1");
    assert_refused(agent, "wait", "step 1");
    assert_refused(agent, "up,", "step 2");
    sonde_agent_free(agent);
    sonde_policies_free(policies);
    sonde_model_free(model);
}

static void walks_that_are_none_are_refused(void **state) {
    (void)state;
    space s = space_new(world(6, 30, SONDE_SYMMETRIC));
    const sonde_search_settings settings = settings_of("bounded", 1.0);
    sonde_agent *agent = agent_on(s.policies, &settings);
    const sonde_decision *decision = NULL;
    assert_int_equal(sonde_agent_observe(agent, sonde_model_seen(s.model), NULL), SONDE_OK);
    assert_int_equal(sonde_agent_search(agent, &decision, NULL), SONDE_OK);
    assert_refused(agent, "17", "step 1: expected a node next to the one before, found 17");
    sonde_prefix *prefix = NULL;
    sonde_error error = {0};
    for (int32_t e = 0; e < s.graph->n_edge; e++) {
        if (s.graph->tail[e] != s.graph->head[decision->state]) {
            assert_int_equal(sonde_agent_prefix(agent, 1, &e, &prefix, &error), SONDE_BAD_ARGUMENT);
            assert_says(error.text, "no policy begins so");
        }
    }
    sonde_agent_free(agent);
    space_free(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(prefixes_of_walks_are_known_exactly),
        cmocka_unit_test(prefixes_of_products_and_lists_are_known_to_epsilon),
        cmocka_unit_test(a_budget_leaves_bounds_that_hold),
        cmocka_unit_test(habits_count),
        cmocka_unit_test(steps_are_read_by_name_and_number),
        cmocka_unit_test(factors_without_a_choice_are_left_out),
        cmocka_unit_test(walks_that_are_none_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

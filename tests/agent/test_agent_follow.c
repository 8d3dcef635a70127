/* Plans that are followed: their own actions are taken, and nothing is scored, until they end. */
#include "random_models.h"
#include "simulate/process.h"
#include "base/rng.h"
#include "efe/efe.h"
#include "stages.h"

/* An agent somewhere, in a graph world or a general one. */
typedef struct {
    const sonde_policies *policies;
    sonde_agent *agent;
    int32_t state[8]; /* of the world: an edge, or states of factors */
    int32_t outcome[8];
    sonde__rng rng;
} life;

static life life_new(const sonde_policies *policies, const sonde_search_settings *settings) {
    life l = {.policies = policies, .rng = sonde__rng_stream(settings->seed, SONDE__FOR_PROBE, 5)};
    sonde_error error = {0};
    if (sonde_agent_new(policies, settings, NULL, &l.agent, &error) != SONDE_OK) {
        fail_msg("%s", error.text);
    }
    if (policies->model->graph != NULL) {
        l.state[0] = policies->model->graph->start;
    } else {
        sonde__process_start(policies->model, &l.rng, l.state);
    }
    return l;
}

static void life_free(life *l) {
    sonde_agent_free(l->agent);
}

/* The world shows itself, and the agent thinks. */
static const sonde_decision *look(life *l) {
    const sonde_model *model = l->policies->model;
    const sonde_decision *decision = NULL;
    if (model->graph != NULL) {
        l->outcome[0] = l->state[0];
    } else {
        sonde__process_show(model, l->state, -1, &l->rng, l->outcome);
    }
    sonde_agent_observe(l->agent, l->outcome, NULL);
    assert_int_equal(sonde_agent_search(l->agent, &decision, NULL), SONDE_OK);
    return decision;
}

/* It acts, and the world moves on. */
static int32_t act(life *l) {
    const sonde_model *model = l->policies->model;
    const int32_t action = sonde_agent_act(l->agent);
    if (model->graph != NULL) {
        l->state[0] = sonde_model_next(model, l->state[0], action);
    } else {
        int32_t next[8];
        sonde__process_move(model, l->state, action, &l->rng, next);
        memcpy(l->state, next, sizeof next);
    }
    return action;
}

/* The best policy that begins with an action, from where the agent is. */
static void best_plan(const life *l, const sonde_decision *d, int32_t action, int32_t *plan) {
    const sonde_model *model = l->policies->model;
    double least = INFINITY;
    int32_t walk[16];
    for (uint64_t i = 0; i < sonde_policies_size(l->policies, d->origin); i++) {
        sonde_efe total;
        sonde_policies_get(l->policies, d->origin, i, walk, NULL);
        if (model->graph != NULL) {
            walk_efe(model, d->state, walk, NULL, NULL, &total);
        } else {
            belief_efe(model, sonde_agent_memory_get(l->agent).belief, walk, NULL, &total);
        }
        if (sonde_policies_action(l->policies, walk, 1) == action &&
            total.efe < least - 1e-11 * (1.0 + fabs(total.efe))) {
            least = total.efe;
            memcpy(plan, walk, sizeof walk);
        }
    }
    assert_true(isfinite(least));
}

/* What a decision is that follows a plan: one action for certain, and nothing scored. */
static void assert_followed(const sonde_decision *d, int32_t n_followed, int32_t action) {
    assert_int_equal(d->n_followed, n_followed);
    assert_int_equal(d->n_action, 1);
    assert_int_equal(d->action[0], action);
    assert_near(d->probability[0], 1.0, 0.0);
    assert_near(d->posterior[0], 1.0, 0.0);
    assert_int_equal(d->evaluations.n_policy, 0);
    assert_int_equal(d->evaluations.n_step, 0);
    assert_near(d->evaluations.equivalent, 0.0, 0.0);
    assert_null(d->clusters);
}

/* Lives for some steps, and looks at every decision. */
static void follow(const sonde_policies *policies, const sonde_search_settings *settings) {
    life l = life_new(policies, settings);
    const int32_t each =
        settings->n_follow < policies->horizon ? settings->n_follow : policies->horizon;
    int32_t plan[16];
    for (int32_t t = 0; t < 9; t++) {
        const sonde_decision *d = look(&l);
        const int32_t n_followed = t % each;
        if (n_followed > 0) {
            const int32_t wanted = sonde_policies_action(policies, plan, n_followed + 1);
            assert_followed(d, n_followed, wanted);
            assert_int_equal(act(&l), wanted);
            continue;
        }
        assert_int_equal(d->n_followed, 0);
        assert_true(d->evaluations.n_policy > 0 && d->evaluations.n_step > 0);
        const int32_t action = act(&l);
        if (settings->action == SONDE_ACTION_FULL) {
            sonde_policies_get(policies, d->origin, d->drawn, plan, NULL);
        } else if (each > 1) {
            best_plan(&l, d, action, plan);
        }
        assert_true(each == 1 || sonde_policies_action(policies, plan, 1) == action);
    }
    life_free(&l);
}

static sonde_search_settings following(int32_t n_follow, int32_t i) {
    sonde_search_settings settings = cluster_defaults();
    settings.search = SONDE_SEARCH_FULL;
    settings.action = (sonde_action_rule)(i % 4);
    settings.gamma = 0.05;
    settings.n_follow = n_follow;
    settings.seed = 3 + (uint64_t)i;
    return settings;
}

static void plans_of_graph_worlds_are_followed_to_their_end(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 4; seed++) {
        space s = space_random(4, seed, (sonde_connect)(seed % 2));
        for (int32_t n_follow = 1; n_follow <= 6; n_follow++) {
            for (int32_t i = 0; i < 8; i++) {
                sonde_search_settings settings = following(n_follow, i);
                settings.scope = (sonde_scope)(i / 4);
                follow(s.policies, &settings);
            }
        }
        space_free(&s);
    }
}

static void plans_of_models_are_followed_to_their_end(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 120; seed++) {
        setting s = setting_drawn(seed, DRAW_COUPLED, 200);
        for (int32_t n_follow = 1; n_follow <= 5; n_follow++) {
            const sonde_search_settings settings = following(n_follow, (int32_t)seed);
            follow(s.policies, &settings);
        }
        setting_free(&s);
    }
}

/* one cluster is all policies; its plans are the same */
static void clustered_search_follows_plans_too(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 30; seed++) {
        setting s = setting_drawn(seed, DRAW_COUPLED, 100);
        sonde_search_settings settings = following(3, (int32_t)seed);
        settings.search = SONDE_SEARCH_CLUSTER;
        settings.cluster.k = 1;
        follow(s.policies, &settings);
        setting_free(&s);
    }
}

/* -------------------------------------------------------------------------------- surprise -- */

static void an_edge_that_nobody_expected_ends_a_plan(void **state) {
    (void)state;
    space s = space_random(4, 3, SONDE_SYMMETRIC);
    const double limit[] = {INFINITY, 10.0};
    for (int32_t i = 0; i < 2; i++) {
        sonde_search_settings settings = following(4, 1);
        settings.surprise = limit[i];
        life l = life_new(s.policies, &settings);
        (void)look(&l);
        (void)act(&l);
        assert_int_equal(look(&l)->n_followed, 1);
        assert_near(sonde_agent_memory_get(l.agent).energy.surprise, 0.0, 1e-9);
        (void)act(&l);
        /* somewhere else altogether */
        l.state[0] = (l.state[0] + 1) % s.model->n_state;
        const sonde_decision *d = look(&l);
        assert_near(sonde_agent_memory_get(l.agent).energy.surprise, 36.841361487904734, 1e-9);
        assert_int_equal(d->n_followed, i == 0 ? 2 : 0);
        assert_int_equal(d->evaluations.n_policy > 0, i == 1);
        (void)act(&l);
        /* a new plan, or the rest of the old one */
        assert_int_equal(look(&l)->n_followed, i == 0 ? 3 : 1);
        life_free(&l);
    }
    space_free(&s);
}

/* a plan is over when the outcomes are less expected than the limit, and not before */
static void surprise_ends_plans_of_models_at_the_limit(void **state) {
    (void)state;
    int32_t n_ended = 0;
    int32_t n_kept = 0;
    for (uint64_t seed = 0; seed < 100; seed++) {
        setting s = setting_drawn(seed, DRAW_COUPLED, 200);
        sonde_search_settings settings = following(3, (int32_t)seed);
        settings.surprise = 1.0;
        const int32_t each = s.model->horizon < 3 ? s.model->horizon : 3;
        life l = life_new(s.policies, &settings);
        int32_t before = 0; /* steps of the plan that have been taken */
        for (int32_t t = 0; t < 12; t++) {
            const sonde_decision *d = look(&l);
            const bool due = before > 0 && before < each;
            const bool surprised = sonde_agent_memory_get(l.agent).energy.surprise > 1.0;
            assert_int_equal(d->n_followed, due && !surprised ? before : 0);
            assert_int_equal(d->evaluations.n_policy == 0, d->n_followed > 0);
            n_ended += due && surprised;
            n_kept += due && !surprised;
            (void)act(&l);
            before = d->n_followed + 1;
        }
        life_free(&l);
        setting_free(&s);
    }
    assert_true(n_ended > 50 && n_kept > 50);
}

/* ------------------------------------------------------------------------------- the rest -- */

static void a_reset_agent_makes_a_new_plan(void **state) {
    (void)state;
    space s = space_random(4, 3, SONDE_SYMMETRIC);
    const sonde_search_settings settings = following(4, 1);
    life l = life_new(s.policies, &settings);
    (void)look(&l);
    (void)act(&l);
    sonde_agent_reset(l.agent);
    l.state[0] = s.graph->start;
    const sonde_decision *d = look(&l);
    assert_int_equal(d->n_followed, 0);
    assert_true(d->evaluations.n_policy > 0);
    life_free(&l);
    space_free(&s);
}

static void searching_again_while_a_plan_is_followed_changes_nothing(void **state) {
    (void)state;
    setting s = setting_drawn(1, DRAW_COUPLED, 200);
    for (uint64_t seed = 2; s.model->horizon < 3; seed++) {
        setting_free(&s);
        s = setting_drawn(seed, DRAW_COUPLED, 200);
    }
    const sonde_search_settings settings = following(3, 1);
    life l = life_new(s.policies, &settings);
    (void)look(&l);
    (void)act(&l);
    const sonde_decision *d = look(&l);
    const int32_t action = d->action[0];
    for (int32_t i = 0; i < 3; i++) {
        assert_int_equal(sonde_agent_search(l.agent, &d, NULL), SONDE_OK);
        assert_followed(d, 1, action);
    }
    assert_int_equal(act(&l), action);
    life_free(&l);
    setting_free(&s);
}

/* who acts twice on one decision follows what was drawn last */
static void the_plan_is_that_of_the_last_action(void **state) {
    (void)state;
    space s = space_random(4, 3, SONDE_SYMMETRIC);
    for (int32_t i = 0; i < 20; i++) {
        sonde_search_settings settings = following(3, i);
        settings.gamma = 0.0;
        life l = life_new(s.policies, &settings);
        const sonde_decision *d = look(&l);
        int32_t plan[16];
        (void)sonde_agent_act(l.agent);
        const int32_t action = sonde_agent_act(l.agent);
        if (settings.action == SONDE_ACTION_FULL) {
            sonde_policies_get(s.policies, d->origin, d->drawn, plan, NULL);
        } else {
            best_plan(&l, d, action, plan);
        }
        l.state[0] = sonde_model_next(s.model, l.state[0], action);
        assert_followed(look(&l), 1, sonde_policies_action(s.policies, plan, 2));
        life_free(&l);
    }
    space_free(&s);
}

/* habit decides: the better policy begins with the same action, and is hardly ever taken */
static void rule_best_follows_the_most_probable_policy(void **state) {
    (void)state;
    setting s = setting_of(model_of(
        "{\"format\": \"sonde-model\", \"version\": 1, \"horizon\": 2, \"gamma\": 1,"
        " \"factors\": [{\"states\": 2, \"actions\": 2}], \"modalities\": [{\"outcomes\": 2}],"
        " \"A\": [[[1, 0], [0, 1]]], \"C\": [[1, 0]], \"D\": [[1, 0]],"
        " \"B\": [[[[1, 0], [1, 0]], [[0, 1], [0, 1]]]],"
        " \"policies\": [[[0], [0]], [[0], [1]]], \"E\": [0.01, 0.99]}"));
    sonde_search_settings settings = following(2, 0);
    settings.action = SONDE_ACTION_BEST;
    settings.gamma = 1.0;
    life l = life_new(s.policies, &settings);
    assert_int_equal(look(&l)->best, 0);
    assert_int_equal(act(&l), 0);
    assert_followed(look(&l), 1, 1);
    life_free(&l);
    setting_free(&s);
}

/* factors that choose on their own may come to a tuple with which no policy begins */
static void without_a_policy_that_begins_so_there_is_no_plan(void **state) {
    (void)state;
    setting s = setting_of(model_of(
        "{\"format\": \"sonde-model\", \"version\": 1, \"horizon\": 2, \"gamma\": 0,"
        " \"factors\": [{\"states\": 1, \"actions\": 2}, {\"states\": 1, \"actions\": 2}],"
        " \"modalities\": [{\"outcomes\": 1}], \"A\": [[[[1]]]], \"C\": [[0]], \"D\": [[1], [1]],"
        " \"B\": [[[[1, 1]]], [[[1, 1]]]],"
        " \"policies\": [[[0, 0], [0, 1]], [[1, 1], [1, 0]]]}"));
    int32_t n_without = 0;
    for (uint64_t seed = 0; seed < 20; seed++) {
        sonde_search_settings settings = following(2, 0);
        settings.per_factor = true;
        settings.seed = seed;
        life l = life_new(s.policies, &settings);
        (void)look(&l);
        const int32_t action = act(&l);
        const bool planned = action == 0 || action == 3;
        const sonde_decision *d = look(&l);
        assert_int_equal(d->n_followed, planned);
        if (planned) {
            assert_followed(d, 1, action == 0 ? 1 : 2);
        }
        n_without += !planned;
        life_free(&l);
    }
    assert_true(n_without > 3);
    setting_free(&s);
}

static void an_episode_tells_where_plans_were_followed(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 20; seed++) {
        setting s = setting_drawn(seed, DRAW_COUPLED, 200);
        const sonde_search_settings settings = following(3, (int32_t)seed);
        const int32_t each = s.model->horizon < 3 ? s.model->horizon : 3;
        sonde_agent *agent = NULL;
        sonde_episode *episode = NULL;
        assert_int_equal(sonde_agent_new(s.policies, &settings, NULL, &agent, NULL), SONDE_OK);
        assert_int_equal(sonde_simulate(agent, NULL, 7, &episode, NULL), SONDE_OK);
        for (int32_t t = 0; t < 7; t++) {
            assert_int_equal(episode->n_followed[t], t % each);
            assert_int_equal(episode->evaluations[t].n_step == 0, t % each > 0);
            assert_true(t % each == 0 || episode->p[t] == 1.0);
        }
        sonde_episode_free(episode);
        sonde_agent_free(agent);
        setting_free(&s);
    }
}

static void a_plan_of_no_steps_and_surprise_below_nothing_are_refused(void **state) {
    (void)state;
    space s = space_random(3, 3, SONDE_SYMMETRIC);
    sonde_agent *agent = NULL;
    sonde_error error = {0};
    sonde_search_settings settings = following(0, 0);
    assert_int_equal(sonde_agent_new(s.policies, &settings, NULL, &agent, &error),
                     SONDE_BAD_ARGUMENT);
    assert_says(error.text, "replan_every");
    settings = following(2, 0);
    settings.surprise = -1.0;
    assert_int_equal(sonde_agent_new(s.policies, &settings, NULL, &agent, &error),
                     SONDE_BAD_ARGUMENT);
    assert_says(error.text, "surprise");
    settings.surprise = -INFINITY;
    assert_int_equal(sonde_agent_new(s.policies, &settings, NULL, &agent, &error),
                     SONDE_BAD_ARGUMENT);
    settings.surprise = NAN;
    assert_int_equal(sonde_agent_new(s.policies, &settings, NULL, &agent, &error),
                     SONDE_BAD_ARGUMENT);
    assert_null(agent);
    space_free(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plans_of_graph_worlds_are_followed_to_their_end),
        cmocka_unit_test(plans_of_models_are_followed_to_their_end),
        cmocka_unit_test(clustered_search_follows_plans_too),
        cmocka_unit_test(an_edge_that_nobody_expected_ends_a_plan),
        cmocka_unit_test(surprise_ends_plans_of_models_at_the_limit),
        cmocka_unit_test(a_reset_agent_makes_a_new_plan),
        cmocka_unit_test(searching_again_while_a_plan_is_followed_changes_nothing),
        cmocka_unit_test(the_plan_is_that_of_the_last_action),
        cmocka_unit_test(without_a_policy_that_begins_so_there_is_no_plan),
        cmocka_unit_test(rule_best_follows_the_most_probable_policy),
        cmocka_unit_test(an_episode_tells_where_plans_were_followed),
        cmocka_unit_test(a_plan_of_no_steps_and_surprise_below_nothing_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

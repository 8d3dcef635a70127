/* once */
/* long */
/* An agent with numbers of its own decides by them as soon as they have changed, and asks for no
 * memory to do so. */
#include "agent/agent.h"
#include "fixtures.h"
#include "memory/allocator.h"

/* ----------------------------------------------------------------------- changing one number -- */

/* Moves half of one probability of a column to another, or a quarter where one thing is certain and
 * zeros may go; false where the column has nothing to move. */
static bool shift(double *p, int64_t n, int64_t stride, bool dense) {
    int64_t from = -1;
    int64_t to = -1;
    for (int64_t i = 0; i < n; i++) {
        if (p[i * stride] > 0.0 && from < 0) {
            from = i;
        } else if (p[i * stride] > 0.0 || (dense && to < 0)) {
            to = i;
        }
    }
    if (from < 0 || to < 0) {
        return false;
    }
    const double half = p[from * stride] / (p[to * stride] > 0.0 ? 2.0 : 4.0);
    p[to * stride] += half;
    p[from * stride] -= half;
    return true;
}

static bool change_A(sonde__own *own) {
    const sonde_modality *modality = &own->model.modality[0];
    const bool dense = modality->A != NULL;
    double *p = sonde__own_at(own, dense ? modality->A : modality->p);
    for (int64_t s = 0; s < modality->n_state; s++) {
        const int64_t first = dense ? s * modality->n_outcome : modality->offset[s];
        const int64_t n = dense ? modality->n_outcome : modality->offset[s + 1] - first;
        if (shift(p + first, n, 1, dense)) {
            return true;
        }
    }
    return false;
}

static bool change_B(sonde__own *own) {
    for (int32_t f = 0; f < own->model.n_factor; f++) {
        const sonde_factor *factor = &own->model.factor[f];
        const bool dense = factor->B != NULL;
        double *p = sonde__own_at(own, dense ? factor->B : factor->p);
        for (int64_t column = 0; factor->allowed == NULL && column < factor->n_previous; column++) {
            const int64_t first = dense ? column * factor->n_state * factor->n_lane
                                        : factor->offset[column * factor->n_action];
            const int64_t n =
                dense ? factor->n_state : factor->offset[column * factor->n_action + 1] - first;
            if (shift(p + first, n, dense ? factor->n_lane : 1, dense)) {
                return true;
            }
        }
    }
    return false;
}

static bool change_C(sonde__own *own) {
    const double *C = own->model.modality != NULL ? own->model.modality[0].C : NULL;
    if (C == NULL) {
        return false;
    }
    sonde__own_at(own, C)[0] += 0.25;
    return true;
}

static bool change_D(sonde__own *own) {
    for (int32_t f = 0; f < own->model.n_factor; f++) {
        const sonde_factor *factor = &own->model.factor[f];
        if (factor->allowed == NULL &&
            shift(sonde__own_at(own, factor->D), factor->n_state, 1, true)) {
            return true;
        }
    }
    return false;
}

static bool (*const change[])(sonde__own *) = {change_A, change_B, change_C, change_D};
enum { N_CHANGE = sizeof change / sizeof *change };

/* ------------------------------------------------------------------------------ one decision -- */

/* The changed model as a stranger reads it. */
static setting setting_copied(const sonde_model *model) {
    sonde_text text = {0};
    assert_int_equal(sonde_model_write(model, &text, NULL), SONDE_OK);
    const setting s = setting_of(model_of(text.data));
    sonde_text_free(&text);
    return s;
}

static struct {
    int32_t n_compared;
    int32_t n_altered; /* decisions that the change has altered */
} counted;

/* Decides, changes a number, and decides again as a fresh agent does on the changed model. */
static void decide_change_decide(const setting *s, const sonde_search_settings *settings,
                                 bool (*change_one)(sonde__own *)) {
    const sonde_run run = threads(1);
    sonde_agent *agent = NULL;
    if (sonde__agent_new_own(s->policies, settings, &run, &agent, NULL) != SONDE_OK) {
        return; /* not every embedding is for every model */
    }
    const sonde_decision *decision = NULL;
    assert_int_equal(sonde_agent_search(agent, &decision, NULL), SONDE_OK);
    const double before = decision->log_evidence;
    sonde__own *own = sonde__agent_own(agent);
    forbid_memory();
    const bool changed = change_one(own);
    sonde__own_settle(own);
    sonde_agent_reset(agent);
    const sonde_status status = sonde_agent_search(agent, &decision, NULL);
    assert_int_equal(permit_memory(), 0);
    assert_int_equal(status, SONDE_OK);
    if (changed) {
        setting other = setting_copied(&own->model);
        sonde_agent *fresh = NULL;
        const sonde_decision *expected = NULL;
        assert_int_equal(sonde_agent_new(other.policies, settings, &run, &fresh, NULL), SONDE_OK);
        assert_int_equal(sonde_agent_search(fresh, &expected, NULL), SONDE_OK);
        assert_same_decision(decision, expected, s->policies->horizon);
        counted.n_compared++;
        counted.n_altered += decision->log_evidence != before;
        sonde_agent_free(fresh);
        setting_free(&other);
    }
    sonde_agent_free(agent);
}

static bool uses_embedding(sonde_search_kind search) {
    return search == SONDE_SEARCH_CLUSTER || search == SONDE_SEARCH_TREE ||
           search == SONDE_SEARCH_SURROGATE;
}

static void change_every_way(const setting *s) {
    for (int32_t search = 0; search < n_search(); search++) {
        sonde_search_settings settings = cluster_defaults();
        settings.search = (sonde_search_kind)search;
        settings.cluster.k = 4;
        settings.cluster.n_restart = 2;
        settings.n_beam = 5;
        settings.epsilon = 1e-3;
        settings.weights.utility = search % 2 == 0 ? 1.0 : 0.5;
        settings.weights.information = search % 3 == 0 ? 1.0 : 0.25;
        for (int32_t kind = 0; kind < (uses_embedding(settings.search) ? n_kind() : 1); kind++) {
            settings.embed.kind = uses_embedding(settings.search) ? kind : SONDE_EMBEDDING_DEFAULT;
            for (int32_t i = 0; i < N_CHANGE; i++) {
                decide_change_decide(s, &settings, change[i]);
            }
        }
    }
}

/* ------------------------------------------------------------------------------------- tests -- */

static void a_changed_number_counts_in_the_next_decision_of_every_search(void **state) {
    (void)state;
    memset(&counted, 0, sizeof counted);
    for (int32_t i = 0; i < N_FIXTURE; i++) {
        json_t *root = fixture_read(i);
        setting s = fixture_setting(root, SONDE_PREFERENCES_LOG, (sonde_information)(i % 2));
        change_every_way(&s);
        setting_free(&s);
        json_decref(root);
    }
    assert_true(counted.n_compared >= 5 * 100);
    assert_true(counted.n_altered > counted.n_compared / 2);
}

static void it_does_in_models_of_every_kind(void **state) {
    (void)state;
    memset(&counted, 0, sizeof counted);
    for (uint64_t seed = 0; seed < 8; seed++) {
        setting s = setting_drawn(seed, DRAW_COUPLED | DRAW_ALLOWED | DRAW_LISTED, 100);
        change_every_way(&s);
        setting_free(&s);
    }
    assert_true(counted.n_compared >= 8 * 50);
}

/* in a graph world C is a probability of each edge, and G follows from it */
static void it_does_in_a_graph_world(void **state) {
    (void)state;
    space s = space_random(4, 5, SONDE_DIRECTED);
    double exact[2] = {0.0, 1.0}; /* evidence by the searches that are */
    for (int32_t search = 0; search < n_search(); search++) {
        sonde_search_settings settings = cluster_defaults();
        settings.search = (sonde_search_kind)search;
        sonde_agent *agent = NULL;
        const sonde_decision *decision = NULL;
        assert_int_equal(sonde__agent_new_own(s.policies, &settings, NULL, &agent, NULL), SONDE_OK);
        assert_int_equal(sonde_agent_search(agent, &decision, NULL), SONDE_OK);
        const double before = decision->best_efe.efe;
        sonde__own *own = sonde__agent_own(agent);
        for (int32_t e = 0; e < s.graph->n_edge; e++) {
            sonde__own_at(own, own->model.preference)[e] = 1.0 / (1.0 + e);
        }
        sonde__own_settle(own);
        sonde_agent_reset(agent);
        assert_int_equal(sonde_agent_search(agent, &decision, NULL), SONDE_OK);
        /* G of the walk that was found, added up again from the changed numbers */
        double efe = 0.0;
        int32_t now = decision->best_walk[0];
        for (int32_t t = 1; t <= s.policies->horizon; t++) {
            now = decision->best_walk[t];
            efe += -log(own->model.preference[now]) + own->model.cost[now];
        }
        assert_near(decision->best_efe.efe, efe, 1e-9 * fabs(efe));
        assert_true(decision->best_efe.efe < before);
        exact[0] = search == SONDE_SEARCH_FULL ? decision->log_evidence : exact[0];
        exact[1] = search == SONDE_SEARCH_BOUNDED ? decision->log_evidence : exact[1];
        sonde_agent_free(agent);
    }
    assert_near(exact[0], exact[1], 1e-9 * fabs(exact[0]));
    space_free(&s);
}

/* a model and a copy of its numbers are apart */
static void other_agents_of_the_model_keep_its_numbers(void **state) {
    (void)state;
    json_t *root = fixture_read(0);
    setting s = fixture_setting(root, SONDE_PREFERENCES_LOG, SONDE_INFORMATION_PER_MODALITY);
    const sonde_search_settings settings = sonde_search_defaults();
    sonde_agent *agent = NULL;
    sonde_agent *other = NULL;
    assert_int_equal(sonde__agent_new_own(s.policies, &settings, NULL, &agent, NULL), SONDE_OK);
    assert_int_equal(sonde_agent_new(s.policies, &settings, NULL, &other, NULL), SONDE_OK);
    sonde__own *own = sonde__agent_own(agent);
    assert_same_bytes(own->model.numbers, s.model->numbers, (size_t)s.model->number_bytes, 1);
    const sonde_decision *decision = NULL;
    assert_int_equal(sonde_agent_search(other, &decision, NULL), SONDE_OK);
    const double before = decision->log_evidence;
    assert_true(change_A(own) && change_C(own));
    sonde__own_settle(own);
    assert_int_equal(own->model.version, 2);
    assert_int_equal(s.model->version, 1);
    assert_int_equal(sonde_agent_search(other, &decision, NULL), SONDE_OK);
    assert_true(decision->log_evidence == before);
    sonde_agent_free(other);
    sonde_agent_free(agent);
    setting_free(&s);
    json_decref(root);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_changed_number_counts_in_the_next_decision_of_every_search),
        cmocka_unit_test(it_does_in_models_of_every_kind),
        cmocka_unit_test(it_does_in_a_graph_world),
        cmocka_unit_test(other_agents_of_the_model_keep_its_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* One decision in one call. */
#include <string.h>

#include "random_models.h"
#include "stages.h"

static void a_plan_is_what_an_agent_decides(void **state) {
    (void)state;
    for (int32_t kind = 0; kind < n_search(); kind++) {
        space s = space_random(4, 7, SONDE_SYMMETRIC);
        sonde_search_settings settings = sonde_search_defaults();
        settings.search = (sonde_search_kind)kind;
        sonde_agent *agent = NULL;
        const sonde_decision *decision = NULL;
        sonde_agent *planned = NULL;
        const sonde_decision *made = NULL;
        assert_int_equal(sonde_agent_new(s.policies, &settings, NULL, &agent, NULL), SONDE_OK);
        assert_int_equal(sonde_agent_observe(agent, &s.model->graph->start, NULL), SONDE_OK);
        assert_int_equal(sonde_agent_search(agent, &decision, NULL), SONDE_OK);
        assert_int_equal(sonde_plan(s.model, NULL, &settings, NULL, &planned, &made, NULL),
                         SONDE_OK);
        assert_int_equal(sonde_agent_choice(planned), sonde_agent_act(agent));
        assert_int_equal(made->n_action, decision->n_action);
        assert_memory_equal(made->posterior, decision->posterior,
                            (size_t)decision->n_action * sizeof(double));
        sonde_agent_free(planned);
        sonde_agent_free(agent);
        space_free(&s);
    }
}

static void what_cannot_be_planned_says_why(void **state) {
    (void)state;
    space s = space_random(4, 7, SONDE_SYMMETRIC);
    sonde_search_settings settings = sonde_search_defaults();
    sonde_agent *planned = NULL;
    const sonde_decision *made = NULL;
    sonde_error error = {0};
    settings.n_depth = 0;
    assert_int_equal(sonde_plan(s.model, NULL, &settings, NULL, &planned, &made, &error),
                     SONDE_BAD_ARGUMENT);
    assert_string_equal(error.setting, "depth");
    settings = sonde_search_defaults();
    double *nothing = room((uint64_t)s.model->n_belief, sizeof *nothing);
    assert_int_equal(sonde_plan(s.model, nothing, &settings, NULL, &planned, &made, &error),
                     SONDE_BAD_ARGUMENT);
    assert_non_null(strstr(error.text, "belief"));
    assert_null(planned);
    assert_null(made);
    free(nothing);
    space_free(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_plan_is_what_an_agent_decides),
        cmocka_unit_test(what_cannot_be_planned_says_why),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

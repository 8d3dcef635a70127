/* once */
/* Closed loop asks for no memory after set-up: searches, those that go on from earlier ones, and
 * plans that are followed. */
#include "memory/allocator.h"
#include "models.h"

static void no_step_asks_for_memory(void **state) {
    (void)state;
    sonde_model *model = model_from(SONDE_TEST_DATA "/closed/models/grid3-slip-noise.json");
    sonde_policies *policies = NULL;
    sonde_error error = {0};
    if (sonde_policies_count(model, 0, NULL, &policies, &error) != SONDE_OK) {
        fail_msg("%s", error.text);
    }
    for (int32_t i = 0; i < 18; i++) {
        sonde_search_settings settings = sonde_search_defaults();
        settings.loop = SONDE_LOOP_CLOSED;
        settings.search = (sonde_search_kind[]){SONDE_SEARCH_BOUNDED, SONDE_SEARCH_FULL,
                                                SONDE_SEARCH_AUTO}[i % 3];
        settings.backup = (sonde_backup)(i / 3 % 3);
        settings.replan = (sonde_replan)(i / 9);
        settings.epsilon = 0.1;
        settings.n_follow = 1 + i % 2;
        sonde_agent *agent = NULL;
        if (sonde_agent_new(policies, &settings, NULL, &agent, &error) != SONDE_OK) {
            fail_msg("%s", error.text);
        }
        sonde_world *world = NULL;
        sonde_followed f = {0};
        sonde_status status = sonde_world_new(model, &world, NULL);
        forbid_memory();
        sonde_world_start(world, 1);
        for (int32_t t = 0; t < 6 && status == SONDE_OK; t++) {
            const sonde_decision *d = NULL;
            sonde_agent_observe(agent, sonde_world_outcome(world), NULL);
            status = sonde_agent_search(agent, &d, NULL);
            if (status == SONDE_OK && d->n_contingency > 0) {
                status = sonde_agent_follow(agent, 10, &f, NULL);
            }
            if (status == SONDE_OK) {
                status = sonde_world_move(world, sonde_agent_act(agent), NULL);
            }
        }
        sonde_agent_end(agent);
        assert_int_equal(permit_memory(), 0);
        assert_int_equal(status, SONDE_OK);
        sonde_world_free(world);
        sonde_agent_free(agent);
    }
    sonde_policies_free(policies);
    sonde_model_free(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_step_asks_for_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

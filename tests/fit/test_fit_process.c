/* Outcomes of an experiment come of the tables that agents are simulated with, row for row. */
#include "models.h"

#include <stdio.h>

#include "sonde_fit.h"

static const char MODEL[] =
    "{\"format\": \"sonde-model\", \"version\": 1,"
    " \"factors\": [{\"name\": \"arm\", \"states\": 2, \"actions\": 2}],"
    " \"modalities\": [{\"name\": \"reward\", \"outcomes\": [\"loss\", \"win\"]}],"
    " \"A\": [[[0.5, 0.5], [0.5, 0.5]]],"
    " \"B\": [[[[1, 0], [1, 0]], [[0, 1], [0, 1]]]],"
    " \"C\": [[0, 1]], \"D\": [[0.5, 0.5]], \"horizon\": 1}";

enum { UNKNOWN = -2, NONE = SONDE_MISSING };

static const char *put(const char *text) {
    static const char path[] = SONDE_TEST_TMP "/outcomes.csv";
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
    return path;
}

/* Outcomes (2 episodes, 3 steps, 2 actions) of a table. */
static void check(const char *table, sonde_timing timing, const int32_t *wanted) {
    sonde_model *model = model_of(MODEL);
    const sonde_experiment experiment = {.n_episode = 2, .n_step = 3};
    sonde_task *task = NULL;
    sonde_error error = {0};
    if (sonde_task_outcomes(put(table), model, &experiment, timing, &task, &error) != SONDE_OK) {
        fail_msg("%s", error.text);
    }
    for (int32_t i = 0; i < 12; i++) {
        if (task->outcome[i] != wanted[i]) {
            fail_msg("episode %d, step %d, action %d: expected %d, found %d", (int)i / 6,
                     (int)i / 2 % 3, (int)i % 2, (int)wanted[i], (int)task->outcome[i]);
        }
    }
    sonde_task_free(task);
    sonde_model_free(model);
}

static const char ACTIONS[] = "episode,step,arm,reward\n0,0,0,loss\n0,0,1,win\n0,1,0,win\n"
                              "0,1,1,loss\n1,0,0,NA\n1,0,1,loss\n1,1,0,win\n";

static void after_an_action_its_own_row_is_seen(void **state) {
    (void)state;
    check(ACTIONS, SONDE_TIMING_AFTER,
          (const int32_t[]){0, 1, 1, 0, UNKNOWN, UNKNOWN, NONE, 0, 1, UNKNOWN, UNKNOWN, UNKNOWN});
}

static void before_an_action_the_row_of_the_last_is_seen(void **state) {
    (void)state;
    check(ACTIONS, SONDE_TIMING_BEFORE,
          (const int32_t[]){NONE, NONE, 0, 1, 1, 0, NONE, NONE, NONE, 0, 1, UNKNOWN});
}

static void rows_without_actions_are_of_their_step(void **state) {
    (void)state;
    static const int32_t wanted[] = {0, 0, 1, 1, 1, 1, 0, 0, 1, 1, 1, 1};
    check("step,reward\n0,loss\n1,win\n2,win\n", SONDE_TIMING_AFTER, wanted);
    check("step,reward\n0,loss\n1,win\n2,win\n", SONDE_TIMING_BEFORE, wanted);
}

static void too_many_are_refused(void **state) {
    (void)state;
    sonde_model *model = model_of(MODEL);
    const sonde_experiment experiment = {.n_episode = 100000, .n_step = 100000};
    sonde_task *task = NULL;
    sonde_error error = {0};
    assert_int_equal(
        sonde_task_outcomes(put(ACTIONS), model, &experiment, SONDE_TIMING_AFTER, &task, &error),
        SONDE_TOO_LARGE);
    assert_non_null(strstr(error.text, "choose fewer episodes or steps"));
    assert_null(task);
    sonde_model_free(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(after_an_action_its_own_row_is_seen),
        cmocka_unit_test(before_an_action_the_row_of_the_last_is_seen),
        cmocka_unit_test(rows_without_actions_are_of_their_step),
        cmocka_unit_test(too_many_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

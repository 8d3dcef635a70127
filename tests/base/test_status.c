/* What can go wrong has a sentence; how to run has defaults. */
#include <stdio.h>

#include "base/status.h"
#include "worlds.h"

enum { N_STATUS = SONDE_NO_POLICY + 1 };

static void every_status_has_a_sentence_of_its_own(void **state) {
    (void)state;
    for (int i = 0; i < N_STATUS; i++) {
        assert_string_not_equal(sonde_status_sentence((sonde_status)i), "unknown status");
        for (int j = 0; j < i; j++) {
            assert_string_not_equal(sonde_status_sentence((sonde_status)i),
                                    sonde_status_sentence((sonde_status)j));
        }
    }
    assert_string_equal(sonde_status_sentence(SONDE_NO_MEMORY), "the system refused memory");
    assert_int_equal(SONDE_OK, 0);
}

static void a_number_that_is_no_status_is_unknown(void **state) {
    (void)state;
    assert_string_equal(sonde_status_sentence((sonde_status)N_STATUS), "unknown status");
}

static void the_version_is_three_numbers(void **state) {
    (void)state;
    int part[3] = {-1, -1, -1};
    char rest = 0;
    assert_int_equal(sscanf(sonde_version(), "%d.%d.%d%c", &part[0], &part[1], &part[2], &rest), 3);
}

static void a_failure_fills_in_the_error(void **state) {
    (void)state;
    sonde_error error = {0};
    assert_int_equal(sonde__fail(&error, SONDE_BAD_INPUT, "%s: found %d", "here", 7),
                     SONDE_BAD_INPUT);
    assert_int_equal(error.status, SONDE_BAD_INPUT);
    assert_string_equal(error.text, "here: found 7");
    assert_int_equal(sonde__fail_memory(&error, "that", 12345), SONDE_NO_MEMORY);
    assert_int_equal(error.status, SONDE_NO_MEMORY);
    assert_string_equal(error.text, "that: the system refused 12345 bytes");
    /* nobody has to listen */
    assert_int_equal(sonde__fail(NULL, SONDE_NO_FILE, "%d", 1), SONDE_NO_FILE);
    assert_int_equal(sonde__fail_memory(NULL, "that", 1), SONDE_NO_MEMORY);
}

static void a_long_sentence_is_cut_and_closed(void **state) {
    (void)state;
    struct {
        sonde_error error;
        char guard[16];
    } both = {.guard = "guard"};
    char word[3000];
    memset(word, 'x', sizeof word - 1);
    word[sizeof word - 1] = '\0';
    (void)sonde__fail(&both.error, SONDE_BAD_INPUT, "%s", word);
    assert_int_equal(strlen(both.error.text), sizeof both.error.text - 1);
    assert_string_equal(both.guard, "guard");
}

static void memory_is_refused_past_what_is_allowed(void **state) {
    (void)state;
    sonde_run run = sonde_run_defaults();
    run.memory = 1000;
    sonde_error error = {0};
    assert_int_equal(sonde__check_memory(&run, 0, "it", "help", &error), SONDE_OK);
    assert_int_equal(sonde__check_memory(&run, 1000, "it", "help", &error), SONDE_OK);
    assert_string_equal(error.text, "");
    assert_int_equal(sonde__check_memory(&run, 1001, "it", "help", &error), SONDE_TOO_LARGE);
    assert_int_equal(sonde__check_memory(&run, 2500000000u, "building", "try less", &error),
                     SONDE_TOO_LARGE);
    assert_int_equal(error.status, SONDE_TOO_LARGE);
    assert_says(error.text, "building: ");
    assert_says(error.text, "2.5 GB");
    assert_says(error.text, "try less");
}

static void the_defaults_are_every_core_and_four_gibibytes(void **state) {
    (void)state;
    const sonde_run run = sonde_run_defaults();
    assert_int_equal(run.n_thread, 0);
    assert_int_equal(run.memory, UINT64_C(4294967296));
    assert_null(run.stop);
    assert_null(run.progress);
}

static void a_settled_run_has_at_least_one_thread(void **state) {
    (void)state;
    assert_true(sonde__run_settle(NULL).n_thread >= 1);
    assert_int_equal(sonde__run_settle(NULL).memory, UINT64_C(4294967296));
    sonde_stop stop = {0};
    sonde_run run = {.n_thread = 3, .memory = 77, .stop = &stop};
    assert_int_equal(sonde__run_settle(&run).n_thread, 3);
    assert_int_equal(sonde__run_settle(&run).memory, 77);
    assert_ptr_equal(sonde__run_settle(&run).stop, &stop);
    run.n_thread = -5;
    assert_true(sonde__run_settle(&run).n_thread >= 1);
}

static void memory_that_is_spent_is_no_longer_allowed(void **state) {
    (void)state;
    const sonde_run run = {.n_thread = 3, .memory = 100};
    assert_int_equal(sonde__run_less(&run, 0).memory, 100);
    assert_int_equal(sonde__run_less(&run, 30).memory, 70);
    assert_int_equal(sonde__run_less(&run, 30).n_thread, 3);
    assert_int_equal(sonde__run_less(&run, 100).memory, 0);
    assert_int_equal(sonde__run_less(&run, 101).memory, 0);
    assert_int_equal(sonde__run_less(&run, UINT64_MAX).memory, 0);
}

static void a_flag_that_is_raised_stays_up(void **state) {
    (void)state;
    sonde_stop stop = {0};
    sonde_run run = {.n_thread = 1};
    assert_false(sonde__stopped(&run));
    run.stop = &stop;
    assert_false(sonde__stopped(&run));
    sonde_stop_raise(&stop);
    assert_true(sonde__stopped(&run));
    assert_true(sonde__stopped(&run));
}

static void add_up(void *user, const char *stage, uint64_t done, uint64_t total) {
    assert_string_equal(stage, "stage");
    *(uint64_t *)user += 100 * done + total;
}

static void progress_goes_to_the_function_that_was_given(void **state) {
    (void)state;
    uint64_t heard = 0;
    sonde_run run = {.progress = add_up, .user = &heard};
    sonde__progress(&run, "stage", 3, 7);
    assert_int_equal(heard, 307);
    run.progress = NULL;
    sonde__progress(&run, "stage", 3, 7);
    assert_int_equal(heard, 307);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_status_has_a_sentence_of_its_own),
        cmocka_unit_test(a_number_that_is_no_status_is_unknown),
        cmocka_unit_test(the_version_is_three_numbers),
        cmocka_unit_test(a_failure_fills_in_the_error),
        cmocka_unit_test(a_long_sentence_is_cut_and_closed),
        cmocka_unit_test(memory_is_refused_past_what_is_allowed),
        cmocka_unit_test(the_defaults_are_every_core_and_four_gibibytes),
        cmocka_unit_test(a_settled_run_has_at_least_one_thread),
        cmocka_unit_test(memory_that_is_spent_is_no_longer_allowed),
        cmocka_unit_test(a_flag_that_is_raised_stays_up),
        cmocka_unit_test(progress_goes_to_the_function_that_was_given),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

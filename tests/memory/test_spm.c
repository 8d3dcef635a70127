/* once */
/* SPM's scheme asks for memory when it is read, and never after; what is refused leaves nothing. */
#include "memory/allocator.h"

#include "base/json.h"

static sonde_spm *read_spm(const sonde_run *run, sonde_status *status) {
    const sonde_source source = {.origin = SONDE_TEST_DATA "/learning/tmaze-ade.trials.json"};
    sonde_spm *spm = NULL;
    sonde_error error = {0};
    *status = sonde_spm_read(&source, run, &spm, &error);
    assert_true(*status == SONDE_OK || strlen(error.text) > 0);
    return spm;
}

static sonde_status run_all(sonde_spm *spm, double *log_likelihood) {
    const sonde_spm_shape *shape = sonde_spm_shape_of(spm);
    const sonde_spm_trial *trial = NULL;
    sonde_status status = SONDE_OK;
    *log_likelihood = 0.0;
    for (int32_t i = 0; status == SONDE_OK && i < shape->n_trial; i++) {
        const int64_t at = (int64_t)i * shape->n_time;
        status = sonde_spm_run(spm, shape->outcome + at * shape->n_modality,
                               shape->action + at * shape->n_factor, &trial, NULL);
        *log_likelihood += trial->log_likelihood;
    }
    return status;
}

static void trials_ask_for_no_memory_and_begin_anew_when_all_is_forgotten(void **state) {
    (void)state;
    sonde_status status;
    sonde_spm *spm = read_spm(NULL, &status);
    assert_int_equal(status, SONDE_OK);
    double first, again;
    forbid_memory();
    status = run_all(spm, &first);
    sonde_spm_forget(spm);
    const sonde_status second = run_all(spm, &again);
    assert_int_equal(permit_memory(), 0);
    assert_int_equal(status, SONDE_OK);
    assert_int_equal(second, SONDE_OK);
    assert_memory_equal(&first, &again, sizeof first);
    assert_true(fabs(first - -23.119757277544284) < 1e-8);
    sonde_spm_free(spm);
}

static void every_request_may_be_refused(void **state) {
    (void)state;
    for (int64_t n = 1;; n++) {
        sonde_status status;
        watch_memory(n);
        sonde_spm *spm = read_spm(NULL, &status);
        const bool made = spm != NULL;
        sonde_spm_free(spm);
        unwatch_memory();
        assert_int_equal(allocator.n_live, 0);
        if (!allocator.refused) {
            assert_int_equal(status, SONDE_OK);
            break;
        }
        /* some do without: a block that was to become smaller */
        assert_true((status == SONDE_OK) == made);
    }
}

static void too_little_memory_is_an_answer(void **state) {
    (void)state;
    sonde_run run = sonde_run_defaults();
    run.memory = 8000;
    sonde_status status;
    assert_null(read_spm(&run, &status));
    assert_int_equal(status, SONDE_TOO_LARGE);
}

/* What a trial adds to the counts of a: eta for each time and modality, less what zeros refuse. */
static void counts_grow_by_eta_a_time_and_nothing_is_there_that_was_not(void **state) {
    (void)state;
    sonde_status status;
    sonde_spm *spm = read_spm(NULL, &status);
    const sonde_spm_shape *shape = sonde_spm_shape_of(spm);
    double before[64];
    int64_t n;
    memcpy(before, sonde_spm_counts(spm, 'a', 0, &n), sizeof(double) * 32);
    assert_int_equal(n, 32);
    assert_null(sonde_spm_counts(spm, 'b', 0, NULL));
    assert_null(sonde_spm_counts(spm, 'a', 3, NULL));
    assert_null(sonde_spm_counts(spm, 'f', 0, NULL));
    const sonde_spm_trial *trial = NULL;
    assert_int_equal(sonde_spm_run(spm, shape->outcome, NULL, &trial, NULL), SONDE_OK);
    const double *after = sonde_spm_counts(spm, 'a', 0, NULL);
    double added = 0.0;
    for (int32_t i = 0; i < 32; i++) {
        assert_true(before[i] > 0.0 || after[i] == 0.0);
        added += after[i] - before[i];
    }
    assert_true(added <= 1.5 + 1e-12 && added > 1.49);
    for (int32_t t = 0; t < shape->n_time; t++) {
        double sum = 0.0;
        for (int32_t s = 0; s < shape->n_state[0]; s++) {
            sum += trial->X[t * shape->n_belief + s];
        }
        assert_true(fabs(sum - 1.0) < 1e-12);
    }
    const int32_t wrong[] = {9, 0, 0, 0, 0, 0, 0, 0, 0};
    sonde_error error = {0};
    assert_int_equal(sonde_spm_run(spm, wrong, NULL, &trial, &error), SONDE_BAD_ARGUMENT);
    assert_non_null(strstr(error.text, "modality 0 at time 0"));
    sonde_spm_free(spm);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trials_ask_for_no_memory_and_begin_anew_when_all_is_forgotten),
        cmocka_unit_test(every_request_may_be_refused),
        cmocka_unit_test(too_little_memory_is_an_answer),
        cmocka_unit_test(counts_grow_by_eta_a_time_and_nothing_is_there_that_was_not),
    };
    json_set_alloc_funcs(__wrap_malloc, __wrap_free);
    return cmocka_run_group_tests(tests, NULL, NULL);
}

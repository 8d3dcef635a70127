/* once */
/* Comparing models asks for memory that may be refused; nothing is left behind then. */
#include "memory/allocator.h"

#include "sonde_fit.h"

static const char fit_text[] =
    "{\"format\": \"sonde-fit\", \"version\": 1,"
    "\"parameters\": [{\"name\": \"gamma\", \"transform\": \"log\"}], \"subjects\": ["
    "{\"subject\": \"s1\", \"evidence\": %d, \"map\": {\"gamma\": 1}, \"sd\": {\"gamma\": 2}},"
    "{\"subject\": \"s2\", \"evidence\": -3, \"map\": {\"gamma\": 1}, \"sd\": {\"gamma\": 2}}]}";

static void write_file(const char *path, int evidence) {
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    (void)fprintf(file, fit_text, evidence);
    (void)fclose(file);
}

static sonde_status compare(const char *const *path, int32_t n_path) {
    const char *const family[] = {"x=a", "y=b"};
    sonde_candidates *from = NULL;
    sonde_comparison *to = NULL;
    sonde_error error = {0};
    sonde_status status =
        sonde_candidates_read(path, n_path, family, n_path > 1 ? 2 : 0, &from, &error);
    if (!status) {
        status = sonde_compare(from, &to, &error);
    }
    if (!status) {
        sonde_text json = {0};
        sonde_comparison_write(from, to, &json);
        status = json.failed ? SONDE_NO_MEMORY : SONDE_OK;
        sonde_text_free(&json);
    } else {
        assert_true(strlen(error.text) > 0);
    }
    sonde_comparison_free(to);
    sonde_candidates_free(from);
    return status;
}

static void refuse_each(const char *const *path, int32_t n_path) {
    for (int64_t n = 1;; n++) {
        watch_memory(n);
        const sonde_status status = compare(path, n_path);
        unwatch_memory();
        assert_int_equal(allocator.n_live, 0);
        if (!allocator.refused) {
            assert_int_equal(status, SONDE_OK);
            assert_true(n > 10);
            return;
        }
        assert_true(status == SONDE_OK || status == SONDE_NO_MEMORY);
    }
}

static void every_request_for_fits_may_be_refused(void **state) {
    (void)state;
    const char *const path[] = {SONDE_TEST_TMP "/a.json", SONDE_TEST_TMP "/b.json"};
    write_file(path[0], -1);
    write_file(path[1], -2);
    refuse_each(path, 2);
}

static void every_request_for_a_table_may_be_refused(void **state) {
    (void)state;
    const char *const path[] = {SONDE_TEST_TMP "/table.csv"};
    FILE *file = fopen(path[0], "w");
    assert_non_null(file);
    (void)fputs("subject,a,b,c\ns1,-1,-2,-3\ns2,-1.5,\"-1\",-2\n", file);
    (void)fclose(file);
    refuse_each(path, 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_request_for_fits_may_be_refused),
        cmocka_unit_test(every_request_for_a_table_may_be_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

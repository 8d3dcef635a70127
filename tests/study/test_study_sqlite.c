/* A results file keeps what was put into it, and says what went wrong in our words. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "study/study_sqlite.h"

#define FILE_PATH "kept.sqlite" /* in the folder of this test */

static sonde__db *fresh(void) {
    sonde__db *db = NULL;
    (void)remove(FILE_PATH);
    assert_int_equal(sonde__db_open(FILE_PATH, true, &db, NULL), SONDE_OK);
    assert_true(sonde__db_execute(db, "CREATE TABLE t (a, b, c, d)"));
    return db;
}

static void every_kind_of_value_comes_back_as_it_was(void **state) {
    (void)state;
    sonde__db *db = fresh();
    sonde__query *query = NULL;
    const sonde__datum row[] = {{.kind = SONDE__CELL_NONE},
                                {.kind = SONDE__CELL_WHOLE, .whole = INT64_MIN},
                                {.kind = SONDE__CELL_REAL, .real = 0.1},
                                {.kind = SONDE__CELL_TEXT, .text = "3-1-2"}};
    assert_true(sonde__query_new(db, "INSERT INTO t VALUES (?, ?, ?, ?)", &query));
    for (int32_t i = 0; i < 4; i++) {
        assert_true(sonde__query_bind(query, i, &row[i]));
    }
    assert_int_equal(sonde__query_step(query), SONDE__STEP_DONE);
    sonde__query_free(query);

    assert_true(sonde__query_new(db, "SELECT a, b, c, d FROM t", &query));
    assert_int_equal(sonde__query_step(query), SONDE__STEP_ROW);
    for (int32_t i = 0; i < 4; i++) {
        const sonde__datum found = sonde__query_datum(query, i);
        assert_int_equal(found.kind, row[i].kind);
        assert_true(found.whole == row[i].whole);
        assert_true(found.real == row[i].real); /* NOLINT: to the bit */
    }
    assert_string_equal(sonde__query_datum(query, 3).text, "3-1-2");
    assert_int_equal(sonde__query_step(query), SONDE__STEP_DONE);
    sonde__query_free(query);
    sonde__db_close(db);
}

static void bytes_and_texts_with_a_nul_are_nothing_we_know(void **state) {
    (void)state;
    sonde__db *db = fresh();
    sonde__query *query = NULL;
    assert_true(
        sonde__db_execute(db, "INSERT INTO t VALUES (x'00', CAST(x'410042' AS TEXT), 1, 2)"));
    assert_true(sonde__query_new(db, "SELECT a, b FROM t", &query));
    assert_int_equal(sonde__query_step(query), SONDE__STEP_ROW);
    assert_int_equal(sonde__query_datum(query, 0).kind, SONDE__CELL_OTHER);
    assert_int_equal(sonde__query_datum(query, 1).kind, SONDE__CELL_OTHER);
    sonde__query_free(query);
    sonde__db_close(db);
}

static void a_statement_that_is_none_is_told_with_its_file(void **state) {
    (void)state;
    sonde__db *db = fresh();
    sonde__query *query = NULL;
    sonde_error error = {0};
    assert_false(sonde__query_new(db, "SELECT a FROM nowhere", &query));
    assert_int_equal(sonde__db_fail(db, FILE_PATH, &error), SONDE_BAD_INPUT);
    assert_non_null(strstr(error.text, FILE_PATH ": "));
    if (strstr(error.text, "no such table: nowhere") == NULL) {
        fail_msg("%s", error.text);
    }
    assert_false(sonde__db_refused(db));
    sonde__query_free(query);
    sonde__db_close(db);
}

static void a_file_that_is_not_there_is_made_only_when_asked_for(void **state) {
    (void)state;
    sonde__db *db = NULL;
    sonde_error error = {0};
    (void)remove(FILE_PATH);
    assert_int_equal(sonde__db_open(FILE_PATH, false, &db, &error), SONDE_NO_FILE);
    assert_null(db);
    assert_int_equal(sonde__db_open(":memory:", true, &db, &error), SONDE_BAD_ARGUMENT);
    assert_null(db);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_of_value_comes_back_as_it_was),
        cmocka_unit_test(bytes_and_texts_with_a_nul_are_nothing_we_know),
        cmocka_unit_test(a_statement_that_is_none_is_told_with_its_file),
        cmocka_unit_test(a_file_that_is_not_there_is_made_only_when_asked_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Every column of a results file is one row of one list, and everything else follows from it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "study/study_schema.h"

static const sonde__table_plan *const tables[] = {&sonde__table_of_tasks, &sonde__table_of_worlds,
                                                  &sonde__table_of_runs, &sonde__table_of_steps};

static char *all_of(const char *path) {
    static char text[200000];
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    assert_int_equal(fclose(file), 0);
    return text;
}

static void every_column_is_written_down_in_the_page_of_formats(void **state) {
    (void)state;
    const char *page = strstr(all_of(SONDE_TEST_DATA "/../../docs/formats.md"), "| `meta` |");
    assert_non_null(page);
    for (size_t t = 0; t < sizeof tables / sizeof *tables; t++) {
        for (int32_t i = 0; i < tables[t]->n_column; i++) {
            char name[64];
            (void)snprintf(name, sizeof name, "`%s`", tables[t]->column[i].name);
            if (strstr(page, name) == NULL) {
                fail_msg("%s.%s is not in docs/formats.md", tables[t]->name, name);
            }
        }
    }
}

static void the_schema_has_every_column_with_its_type(void **state) {
    (void)state;
    static const char *const type[] = {"INTEGER", "REAL", "TEXT"};
    for (int32_t t = 1; t < 4; t++) {
        sonde_text sql = {0};
        assert_true(sonde__schema_table(t + 1, &sql));
        for (int32_t i = 0; i < tables[t]->n_column; i++) {
            const sonde__column *column = &tables[t]->column[i];
            char line[96];
            (void)snprintf(line, sizeof line, "%s %s%s%s", column->name, type[column->kind],
                           column->when == SONDE__ALWAYS ? " NOT NULL" : "", ",");
            assert_non_null(strstr(sql.data, line));
        }
        sonde_text_free(&sql);
    }
}

static void what_inserts_a_row_and_what_selects_it_name_the_same_columns(void **state) {
    (void)state;
    for (size_t t = 0; t < sizeof tables / sizeof *tables; t++) {
        sonde_text insert = {0};
        sonde_text select = {0};
        sonde__table_insert(tables[t], &insert);
        sonde__table_select(tables[t], &select);
        const char *inserted = strchr(insert.data, '(') + 1;
        const char *selected = select.data + strlen("SELECT ");
        const size_t size = strcspn(inserted, ")");
        assert_int_equal(strncmp(inserted, selected, size), 0);
        assert_int_equal(strncmp(selected + size, " FROM ", 6), 0);
        int32_t n_place = 0;
        for (const char *at = insert.data; *at != '\0'; at++) {
            n_place += *at == '?' ? 1 : 0;
        }
        assert_int_equal(n_place, tables[t]->n_column);
        sonde_text_free(&insert);
        sonde_text_free(&select);
    }
}

static size_t size_of(sonde__target target) {
    switch (target) {
    case SONDE__TO_INT32:
    case SONDE__TO_NAME: return sizeof(int32_t);
    case SONDE__TO_UINT64: return sizeof(uint64_t);
    case SONDE__TO_BOOL: return sizeof(bool);
    case SONDE__TO_DOUBLE: return sizeof(double);
    case SONDE__TO_TEXT: return sizeof(const char *);
    default: return 0;
    }
}

static void no_two_columns_share_a_field(void **state) {
    (void)state;
    for (size_t t = 0; t < sizeof tables / sizeof *tables; t++) {
        char taken[sizeof(sonde__result_run) + sizeof(sonde__result_step)] = {0};
        for (int32_t i = 0; i < tables[t]->n_column; i++) {
            const sonde__column *column = &tables[t]->column[i];
            for (size_t byte = 0; byte < size_of(column->target); byte++) {
                assert_int_equal(taken[column->offset + byte]++, 0);
            }
            assert_true(column->target != SONDE__TO_NAME || column->names != NULL);
            assert_int_equal(sonde__column_find(tables[t], column->name), i);
        }
    }
}

/* The text of a table's schema decides whether a file can be read: it changes with the number
 * alone. */
static void the_schema_is_that_of_its_number(void **state) {
    (void)state;
    sonde_text sql = {0};
    assert_true(sonde__schema_table(2, &sql));
    assert_int_equal(SONDE__STUDY_SCHEMA, 6);
    assert_string_equal(
        sql.data,
        "CREATE TABLE world (connect TEXT NOT NULL, size INTEGER NOT NULL, horizon INTEGER NOT "
        "NULL, graph INTEGER NOT NULL, model TEXT, redraws INTEGER NOT NULL, seed INTEGER NOT "
        "NULL, policies REAL NOT NULL, local REAL NOT NULL, shortest REAL, list_seconds REAL NOT "
        "NULL, document TEXT NOT NULL, PRIMARY KEY (connect, size, horizon, graph)) WITHOUT ROWID");
    sonde_text_free(&sql);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_column_is_written_down_in_the_page_of_formats),
        cmocka_unit_test(the_schema_has_every_column_with_its_type),
        cmocka_unit_test(what_inserts_a_row_and_what_selects_it_name_the_same_columns),
        cmocka_unit_test(no_two_columns_share_a_field),
        cmocka_unit_test(the_schema_is_that_of_its_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

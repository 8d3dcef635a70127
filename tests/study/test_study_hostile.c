/* Whatever a file or a rank says, the answer is results or a sentence. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <dirent.h>
#include <math.h>

#include "../../fuzz/study_damage.h"
#include "study/study.h"

#define BASE SONDE_TEST_TMP "/base.sqlite"
#define PLAN SONDE_TEST_TMP "/tiny.json"
#define COPY SONDE_TEST_TMP "/copy.sqlite"
#define PAGE SONDE_TEST_TMP "/page"
#define CORPUS SONDE_TEST_DATA "/../../fuzz/corpus/study"

static sonde_study_plan *plan;

static int begin(void **state) {
    (void)state;
    plan = damage_begin(BASE, PLAN);
    return 0;
}

static int end(void **state) {
    (void)state;
    sonde_study_plan_free(plan);
    return 0;
}

static sonde_status report(const char *path, sonde_error *error) {
    sonde_text table = {0};
    *error = (sonde_error){0};
    const sonde_status status = sonde_report_study(path, PAGE, NULL, NULL, &table, error);
    sonde_text_free(&table);
    return status;
}

static sonde_status reopen(const char *path, sonde_error *error) {
    sonde_study *study = NULL;
    *error = (sonde_error){0};
    const sonde_status status = sonde_study_open(path, plan, &study, error);
    sonde_study_close(study);
    return status;
}

/* ------------------------------------------------------------------------------------- files -- */

/* The words after "-- " in the first line. */
static void first_words(const char *sql, char *words, size_t size) {
    (void)snprintf(words, size, "%.*s", (int)strcspn(sql, "\n") - 3, sql + 3);
}

static void check_damaged(const char *name, const char *sql) {
    char words[256];
    sonde_error error;
    first_words(sql, words, sizeof words);
    const bool fine = strcmp(words, "fine") == 0;
    damage_make(BASE, COPY, sql);
    const sonde_status reported = report(COPY, &error);
    if (reported != (fine ? SONDE_OK : SONDE_BAD_INPUT) ||
        (!fine && strstr(error.text, words) == NULL)) {
        fail_msg("%s: report: status %d, expected \"%s\", found \"%s\"", name, (int)reported, words,
                 error.text);
    }
    const sonde_status opened = reopen(COPY, &error);
    /* a world is opened again by the report alone, and a plan that has changed is another plan */
    const bool differs = strncmp(name, "polic", 5) == 0;
    if ((opened == SONDE_OK) != (fine || differs)) {
        fail_msg("%s: study: status %d, found \"%s\"", name, (int)opened, error.text);
    }
}

static void every_damaged_file_of_the_corpus_is_refused_with_its_sentence(void **state) {
    (void)state;
    DIR *folder = opendir(CORPUS);
    assert_non_null(folder);
    int32_t n = 0;
    for (struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder)) {
        char path[4096];
        size_t size = 0;
        if (strstr(entry->d_name, ".sql") == NULL) {
            continue;
        }
        (void)snprintf(path, sizeof path, "%s/%s", CORPUS, entry->d_name);
        char *sql = damage_read(path, &size);
        check_damaged(entry->d_name, sql);
        free(sql);
        n++;
    }
    (void)closedir(folder);
    assert_true(n > 60);
}

/* Bytes that changed on the disk: some are noticed by SQLite, some by us, and some are numbers that
 * could be so. */
static void a_file_with_any_byte_changed_is_read_or_refused(void **state) {
    (void)state;
    size_t size = 0;
    char *data = damage_read(BASE, &size);
    int32_t n_refused = 0;
    for (size_t i = 0; i < 400; i++) {
        const size_t at = i < 100 ? i : i * 7919 % size;
        const char before = data[at];
        sonde__results *results = NULL;
        sonde_error error = {0};
        data[at] = (char)(before ^ (1 << i % 8));
        damage_write(COPY, data, size);
        data[at] = before;
        const sonde_status status = sonde__results_read(COPY, &results, &error);
        assert_true((status == SONDE_OK) == (results != NULL));
        assert_true((status == SONDE_OK) == (error.text[0] == '\0'));
        n_refused += status != SONDE_OK ? 1 : 0;
        sonde__results_free(results);
    }
    assert_true(n_refused > 50);
    free(data);
}

static void a_file_that_ends_early_is_refused(void **state) {
    (void)state;
    size_t size = 0;
    char *data = damage_read(BASE, &size);
    for (size_t n = 100; n < size - 512; n += 701) {
        sonde_error error;
        damage_write(COPY, data, n);
        assert_int_equal(report(COPY, &error), SONDE_BAD_INPUT);
        assert_int_equal(reopen(COPY, &error), SONDE_BAD_INPUT);
    }
    free(data);
}

/* Where the number of tables stands in the first page, there are none. */
static void a_file_that_has_lost_its_list_of_tables_is_not_begun_anew(void **state) {
    (void)state;
    enum { LIST = 100, LEAF = 0x0D };
    size_t size = 0;
    size_t after = 0;
    sonde_error error;
    char *data = damage_read(BASE, &size);
    memset(data + LIST, 0, 5);
    data[LIST] = LEAF;
    damage_write(COPY, data, size);
    assert_int_equal(reopen(COPY, &error), SONDE_BAD_INPUT);
    assert_non_null(strstr(error.text, "a damaged file"));
    char *then = damage_read(COPY, &after);
    assert_int_equal(after, size);
    assert_memory_equal(then, data, size);
    free(then);
    free(data);
}

/* Nobody could read what would be written there. */
static void a_study_is_not_begun_in_a_file_with_texts_in_utf_16(void **state) {
    (void)state;
    sonde_error error;
    damage_encode(BASE, COPY);
    damage_run(COPY, "DELETE FROM sqlite_master");
    assert_int_equal(reopen(COPY, &error), SONDE_BAD_INPUT);
    assert_non_null(strstr(error.text, "not in UTF-8"));
    (void)unlink(COPY);
    damage_run(COPY, "CREATE TABLE one (a); DROP TABLE one");
    assert_int_equal(reopen(COPY, &error), SONDE_OK);
}

/* Somebody's program has put the file in a mode in which changes go to a log beside it. */
static void a_study_with_a_log_beside_it_is_read_and_gone_on_with(void **state) {
    (void)state;
    size_t size = 0;
    sonde_error error;
    char *data = damage_read(BASE, &size);
    damage_write(COPY, data, size);
    damage_run(COPY, "PRAGMA journal_mode = WAL");
    assert_int_equal(report(COPY, &error), SONDE_OK);
    assert_int_equal(reopen(COPY, &error), SONDE_OK);
    assert_int_equal(report(COPY, &error), SONDE_OK);
    free(data);
}

static void what_is_no_file_is_refused_as_one(void **state) {
    (void)state;
    static const char *const paths[] = {":memory:", "", "file:x?mode=memory", "file::memory:"};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        sonde_error error;
        assert_int_equal(reopen(paths[i], &error), SONDE_BAD_ARGUMENT);
        assert_non_null(strstr(error.text, "expected a file for the results"));
        assert_int_equal(report(paths[i], &error), SONDE_BAD_ARGUMENT);
    }
    sonde_error error;
    (void)unlink("file:x");
    assert_int_equal(reopen("./file:x", &error), SONDE_OK);
    assert_int_equal(access("file:x", F_OK), 0);
    (void)unlink("file:x");
}

/* -------------------------------------------------------------------------------------- rows -- */

/* A study that has nothing yet. */
static sonde_study *empty_study(void) {
    sonde_study *study = NULL;
    (void)unlink(COPY);
    assert_int_equal(sonde_study_open(COPY, plan, &study, NULL), SONDE_OK);
    return study;
}

/* Gives a study the rows of a task with some words replaced, all of them. */
static sonde_status take_changed(sonde_study *study, int32_t task, const char *from, const char *to,
                                 sonde_error *error) {
    sonde_text rows = {0};
    sonde_text changed = {0};
    assert_int_equal(sonde_study_plan_work(plan, task, NULL, &rows, NULL), SONDE_OK);
    const char *rest = rows.data;
    const char *found = strstr(rest, from);
    assert_non_null(found);
    for (; found != NULL; found = strstr(rest, from)) {
        sonde_text_add(&changed, "%.*s%s", (int)(found - rest), rest, to);
        rest = found + strlen(from);
    }
    sonde_text_add(&changed, "%s", rest);
    *error = (sonde_error){0};
    const sonde_status status = sonde_study_take(study, &changed, error);
    sonde_text_free(&rows);
    sonde_text_free(&changed);
    return status;
}

static void rows_that_a_task_does_not_have_are_refused(void **state) {
    (void)state;
    static const char *const change[][3] = {
        {"\"version\": \"", "\"version\": \"9", "expected the work of version"},
        {"\"task\": 1", "\"task\": 2", "expected number"},
        {"\"task\": 1", "\"task\": -1", "expected a task from 0"},
        {"\"task\": 1", "\"task\": 1000", "expected a task from 0"},
        {"\"task\": 1,", "", "expected a task from 0"},
        {"\"worlds\": [", "\"worlds\": [], \"more\": [", "expected 4 runs, found 0"},
        {"\"runs\": [", "\"runs\": [], \"more\": [", "expected 4 runs, found 0"},
        {"\"decisions\": 4", "\"decisions\": -4", "decisions: expected a whole number"},
        {"\"k\": 2", "\"k\": -2", "k: expected a whole number"},
        {"\"redraws\": 0", "\"redraws\": -1", "redraws: expected a whole number"},
        {"\"condition\": 1", "\"condition\": 77", "expected a run of the plan"},
        {"\"condition\": 1", "\"condition\": 3", "expected a condition of its world"},
        {"\"seconds\":", "\"second\":", "expected the seconds it took"},
        {"\"path\": \"", "\"path\": \"7-", "path: expected 5 nodes"},
        {"\"nodes\\\": 3", "\"nodes\\\": 4", "document: expected a graph"},
        {"\"tv\": ", "\"tv\": \"\", \"t\": ", "tv: expected a number"},
    };
    sonde_study *study = empty_study();
    for (size_t i = 0; i < sizeof change / sizeof *change; i++) {
        sonde_error error;
        const sonde_status status = take_changed(study, 1, change[i][0], change[i][1], &error);
        if (status != SONDE_BAD_INPUT || strstr(error.text, change[i][2]) == NULL) {
            fail_msg("%s: status %d, found \"%s\"", change[i][1], (int)status, error.text);
        }
    }
    /* nothing of them is there, and the task itself is still welcome, once */
    sonde_error error;
    assert_int_equal(sonde_study_done(study), 0);
    assert_int_equal(take_changed(study, 1, "{", "{", &error), SONDE_OK);
    assert_int_equal(sonde_study_done(study), 1);
    assert_int_equal(take_changed(study, 1, "{", "{", &error), SONDE_BAD_INPUT);
    assert_non_null(strstr(error.text, "there already"));
    sonde_study_close(study);
    assert_int_equal(reopen(COPY, &error), SONDE_OK);
}

static void rows_that_are_no_rows_are_refused(void **state) {
    (void)state;
    static const char *const texts[] = {"",
                                        "[]",
                                        "7",
                                        "{}",
                                        "{\"task\": 0}",
                                        "{\"task\": 0, \"version\": 5}",
                                        "{\"task\": 99999999999999999999999}"};
    sonde_study *study = empty_study();
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        sonde_text rows = {0};
        sonde_error error = {0};
        sonde_text_add(&rows, "%s", texts[i]);
        assert_int_equal(sonde_study_take(study, &rows, &error), SONDE_BAD_INPUT);
        assert_true(error.text[0] != '\0');
        sonde_text_free(&rows);
    }
    assert_int_equal(sonde_study_done(study), 0);
    sonde_study_close(study);
}

/* -------------------------------------------------------------------------------------- cost -- */

static void one_world_of_each_size_comes_first(void **state) {
    (void)state;
    sonde_study *study = empty_study();
    int32_t sizes[3];
    bool seen[5] = {false};
    for (int32_t i = 0; i < 3; i++) {
        int32_t graph = 0;
        const int32_t task = sonde_study_next(study);
        sonde_study_plan_task(plan, task, &sizes[i], &graph, NULL);
        seen[task] = true;
    }
    assert_true(sizes[0] != sizes[1] && sizes[1] != sizes[2] && sizes[0] != sizes[2]);
    for (int32_t i = 3; i < plan->n_task; i++) {
        const int32_t task = sonde_study_next(study);
        assert_true(task >= 0 && !seen[task]);
        seen[task] = true;
    }
    assert_int_equal(sonde_study_next(study), -1);
    sonde_study_close(study);
}

/* A world of 4 nodes takes ten times as long as one of 3, and the model no time. */
static void what_is_left_is_judged_by_the_cost_of_each_size(void **state) {
    (void)state;
    sonde_study *study = empty_study();
    sonde_error error;
    double spent = 0.0;
    double left = 0.0;
    sonde_study_cost(study, &spent, &left);
    assert_true(spent == 0.0 && isnan(left));
    for (int32_t i = 0; i < 3; i++) {
        int32_t size = 0;
        int32_t graph = 0;
        const int32_t task = sonde_study_next(study);
        sonde_study_plan_task(plan, task, &size, &graph, NULL);
        const char *seconds = size < 0    ? "\"seconds\": 0, \"s\": "
                              : size == 3 ? "\"seconds\": 2, \"s\": "
                                          : "\"seconds\": 20, \"s\": ";
        assert_int_equal(take_changed(study, task, "\"seconds\": ", seconds, &error), SONDE_OK);
        sonde_study_cost(study, &spent, &left);
        assert_true(i == 2 || isnan(left));
    }
    assert_true(spent >= 22.0 && spent < 23.0); /* keeping them takes a moment, too */
    assert_true(left >= 22.0 && left < 23.0);   /* one world of each is left */
    assert_int_equal(take_changed(study, sonde_study_next(study),
                                  "\"seconds\": ", "\"seconds\": 4, \"s\": ", &error),
                     SONDE_OK);
    sonde_study_cost(study, &spent, &left);
    assert_true(spent >= 26.0 && spent < 27.0 && left >= 20.0 && left < 21.0);
    sonde_study_close(study);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_damaged_file_of_the_corpus_is_refused_with_its_sentence),
        cmocka_unit_test(a_file_with_any_byte_changed_is_read_or_refused),
        cmocka_unit_test(a_file_that_ends_early_is_refused),
        cmocka_unit_test(a_file_that_has_lost_its_list_of_tables_is_not_begun_anew),
        cmocka_unit_test(a_study_is_not_begun_in_a_file_with_texts_in_utf_16),
        cmocka_unit_test(a_study_with_a_log_beside_it_is_read_and_gone_on_with),
        cmocka_unit_test(what_is_no_file_is_refused_as_one),
        cmocka_unit_test(rows_that_a_task_does_not_have_are_refused),
        cmocka_unit_test(rows_that_are_no_rows_are_refused),
        cmocka_unit_test(one_world_of_each_size_comes_first),
        cmocka_unit_test(what_is_left_is_judged_by_the_cost_of_each_size),
    };
    return cmocka_run_group_tests(tests, begin, end);
}

/* The report of a study survives requests for memory that are refused: the first ones, and then
 * ever fewer of those that follow, because there are thousands. */
#include "memory/allocator.h"

#include <unistd.h>

#include "summary/summary.h"

#define DB SONDE_TEST_TMP "/small.sqlite"

static const char plan_text[] =
    "{\"format\": \"sonde-plan\", \"version\": 1, \"name\": \"small\", \"seed\": 4, \"steps\": 6,\n"
    " \"judge\": 1, \"worlds\": {\"sizes\": [3], \"graphs\": 2, \"models\": [\"tmaze\"]}, "
    "\"conditions\": [\n"
    "  {\"group\": \"quality\", \"search\": [\"full\", \"bounded\"]},\n"
    "  {\"group\": \"scaling-nodes\", \"sizes\": [3], \"search\": \"bounded\", \"horizon\": 4},\n"
    "  {\"group\": \"table\", \"sizes\": [3], \"search\": \"full\", \"scope\": [\"local\", \"global\"]},\n"
    "  {\"group\": \"table\", \"sizes\": [3], \"semantics\": [\"text\", \"notebook\"], \"search\": \"cluster\",\n"
    "   \"embedding\": [\"boe\", \"aboe\"], \"k\": [6, 12]},\n"
    "  {\"group\": \"difference\", \"sizes\": [3], \"differences\": \"lookup\", \"embedding\": "
    "\"boe\", \"k\": 12},\n"
    "  {\"group\": \"sweep-k\", \"sizes\": [3], \"embedding\": \"boe\", \"k\": [2, 6]}]}\n";

static int run_study(void **state) {
    (void)state;
    const char *path = SONDE_TEST_TMP "/small.json";
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_true(fputs(plan_text, file) >= 0);
    assert_int_equal(fclose(file), 0);
    (void)unlink(DB);
    sonde_study_plan *plan = NULL;
    sonde_study *study = NULL;
    assert_int_equal(sonde_study_plan_read(path, &plan, NULL), SONDE_OK);
    assert_int_equal(sonde_study_open(DB, plan, &study, NULL), SONDE_OK);
    assert_int_equal(sonde_study_run(study, NULL, NULL), SONDE_OK);
    sonde_study_close(study);
    sonde_study_plan_free(plan);
    return 0;
}

/* Makes the report with the n-th request refused; false when there are fewer. */
static bool report_without(const sonde__results *results, int64_t n) {
    const sonde_run run = threads(1);
    sonde_text table = {0};
    sonde_error error = {0};
    watch_memory(n);
    const sonde_status status =
        sonde__report_write(results, SONDE_TEST_TMP "/report", NULL, &run, &table, &error);
    sonde_text_free(&table);
    unwatch_memory();
    if (allocator.n_live != 0) {
        fail_msg("%d blocks leaked when request %d was refused", (int)allocator.n_live, (int)n);
    }
    if (!allocator.refused) {
        assert_int_equal(status, SONDE_OK);
        return false;
    }
    /* a world that jansson found no memory for looks like a bad one, a file whose text found none
     * like one that cannot be written */
    if (status != SONDE_NO_MEMORY && status != SONDE_BAD_INPUT && status != SONDE_NOT_WRITTEN) {
        fail_msg("status %d (%s) when request %d was refused", (int)status, error.text, (int)n);
    }
    assert_int_equal(error.status, status);
    assert_true(error.text[0] != '\0');
    return true;
}

static void a_report_survives_refusals(void **state) {
    (void)state;
    sonde__results *results = NULL;
    assert_int_equal(sonde__results_read(DB, &results, NULL), SONDE_OK);
    int64_t n = 1;
    while (report_without(results, n)) {
        n += 1 + n / 12;
    }
    assert_true(n > 100);
    sonde__results_free(results);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_report_survives_refusals)};
    return cmocka_run_group_tests(tests, run_study, NULL);
}

/* Reports of documents survive requests for memory that are refused: the first ones, and then ever
 * fewer of those that follow. */
#include "memory/allocator.h"

#include "sonde_lab.h"

static const char learned[] =
    "{\"verb\": \"simulate\", \"names\": {\"model\": \"m\"}, \"learned\": {\"A\": [null, {\"kl\": "
    "1}]}, \"history\": {\"by\": \"step\", \"arrays\": [{\"array\": \"A[1]\", \"kl\": [0, 1], "
    "\"rows\": [\"a\", \"b\"], \"columns\": [\"\"], \"first\": [1, 1], \"entries\": [1], "
    "\"counts\": [[1], [2]]}], \"actions\": [\"go\"], \"episodes\": [{\"action\": [0], "
    "\"preference\": [1], \"surprise\": [2]}]}}";
static const char fit[] =
    "{\"format\": \"sonde-fit\", \"version\": 1, \"parameters\": [{\"name\": \"a\", \"prior\": "
    "[0, 1]}], \"shared\": {}, \"subjects\": [{\"subject\": \"s\", \"value\": {\"a\": 1}, "
    "\"weak\": [{\"curvature\": 1, \"weights\": {\"a\": 1}}]}], \"group\": null}";
static const char recovery[] =
    "{\"format\": \"sonde-recovery\", \"version\": 1, \"models\": [{\"model\": \"m\", "
    "\"parameters\": [{\"name\": \"a\"}], \"subjects\": [{\"subject\": \"s\", \"true\": [1], "
    "\"map\": [1], \"covariance\": [[1]]}]}], \"confusion\": {\"share\": [[1]]}}";
static const char comparison[] =
    "{\"format\": \"sonde-comparison\", \"version\": 1, \"models\": [{\"model\": \"m\"}], "
    "\"families\": null, \"subjects\": [{\"subject\": \"s\", \"g\": [1]}]}";
static const char replay[] =
    "{\"verb\": \"replay\", \"names\": {\"factors\": [{\"actions\": [\"go\", \"stay\"]}]}, "
    "\"subjects\": [{\"subject\": \"s\", \"steps\": [{\"row\": 1, \"p\": 0.5, \"action\": "
    "[1]}]}]}";
static const char *const document[] = {learned, fit, recovery, comparison, replay};
#define FILE_NAME SONDE_TEST_TMP "/document.json"

/* Makes the report with the n-th request refused; false when there are fewer. */
static bool report_without(int64_t n) {
    sonde_text text = {0};
    sonde_error error = {0};
    watch_memory(n);
    const sonde_status status =
        sonde_report(FILE_NAME, SONDE_TEST_TMP "/report", NULL, NULL, &text, &error);
    sonde_text_free(&text);
    unwatch_memory();
    if (allocator.n_live != 0) {
        fail_msg("%d blocks leaked when request %d was refused", (int)allocator.n_live, (int)n);
    }
    if (!allocator.refused) {
        assert_int_equal(status, SONDE_OK);
        return false;
    }
    /* a document that jansson found no memory for looks like a bad one, and what a table did not
     * get room for may be missing from it */
    if (status != SONDE_OK && status != SONDE_NO_MEMORY && status != SONDE_BAD_INPUT &&
        status != SONDE_NOT_WRITTEN) {
        fail_msg("status %d (%s) when request %d was refused", (int)status, error.text, (int)n);
    }
    assert_true(status == SONDE_OK || error.text[0] != '\0');
    return true;
}

static void reports_of_documents_survive_refusals(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof document / sizeof *document; i++) {
        FILE *file = fopen(FILE_NAME, "wb");
        assert_non_null(file);
        assert_true(fputs(document[i], file) >= 0);
        assert_int_equal(fclose(file), 0);
        int64_t n = 1;
        while (report_without(n)) {
            n += 1 + n / 12;
        }
        assert_true(n > 20);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(reports_of_documents_survive_refusals)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

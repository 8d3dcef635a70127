/* fuzz_results.c: any bytes as results: rows of a task that somebody else has worked out, where they
 * begin with "r", and else a document that a report is made of. */
#include "words.h"

#include "study_damage.h"

static sonde_study_plan *plan;
static sonde_study *study;

static void begin_study(void) {
    sonde_error error = {0};
    sonde_study_close(study);
    (void)unlink("new.sqlite");
    if (sonde_study_open("new.sqlite", plan, &study, &error) != SONDE_OK) {
        give_up("the study of the fuzzer", error.text);
    }
}

static void end_study(void) {
    sonde_study_close(study);
    sonde_study_plan_free(plan);
}

static void begin(void) {
    sonde_error error = {0};
    enter_folder("fuzz_results");
    write_bytes("tiny.json", damage_plan, sizeof damage_plan - 1);
    if (sonde_study_plan_read("tiny.json", &plan, &error) != SONDE_OK) {
        give_up("the plan of the fuzzer", error.text);
    }
    begin_study();
    (void)atexit(end_study);
}

/* Rows are taken whole, and the task is done, or not at all. */
static void take_rows(const char *data, size_t size) {
    sonde_text rows = {0};
    sonde_error error = {0};
    sonde_text_add(&rows, "%.*s", (int)size, data);
    const int32_t before = sonde_study_done(study);
    const sonde_status status = sonde_study_take(study, &rows, &error);
    if ((status == SONDE_OK) != (error.text[0] == '\0') ||
        sonde_study_done(study) != before + (status == SONDE_OK)) {
        give_up("neither rows nor a sentence", error.text);
    }
    sonde_text_free(&rows);
    if (status == SONDE_OK) {
        begin_study();
    }
}

static void report(const char *data, size_t size) {
    sonde_text text = {0};
    sonde_error error = {0};
    write_bytes("d", data, size);
    const sonde_status status = sonde_report("d", "page", NULL, NULL, &text, &error);
    if ((status == SONDE_OK) != (error.text[0] == '\0')) {
        give_up("neither a report nor a sentence", error.text);
    }
    sonde_text_free(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (plan == NULL) {
        begin();
    }
    if (size > 0 && data[0] == 'r') {
        take_rows((const char *)data + 1, size - 1);
    } else {
        report((const char *)data, size);
    }
    return 0;
}

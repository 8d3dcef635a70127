/* plans.h: plans from text, taken or refused. */
#ifndef TESTS_STUDY_PLANS_H
#define TESTS_STUDY_PLANS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "study/study_internal.h"

static inline sonde_study_plan *parse(const char *text) {
    const sonde_source source = {"plan.json", text, strlen(text)};
    sonde_study_plan *plan = NULL;
    sonde_error error = {0};
    const sonde_status status = sonde__plan_parse(&source, &plan, &error);
    if (status != SONDE_OK) {
        print_message("%s\n", error.text);
    }
    assert_int_equal(status, SONDE_OK);
    return plan;
}

static inline void refuses(const char *text, const char *part) {
    const sonde_source source = {"plan.json", text, strlen(text)};
    sonde_study_plan *plan = NULL;
    sonde_error error = {0};
    assert_int_equal(sonde__plan_parse(&source, &plan, &error), SONDE_BAD_INPUT);
    assert_null(plan);
    if (strstr(error.text, part) == NULL || strstr(error.text, "plan.json") == NULL) {
        fail_msg("expected \"%s\" in \"%s\"", part, error.text);
    }
}

#define PLAN(conditions)                                                                            \
    "{\"format\": \"sonde-plan\", \"version\": 1, \"worlds\": {\"sizes\": [3, 4], \"graphs\": 5}, " \
    "\"conditions\": [" conditions "]}"

#define MODELS(conditions)                                                                              \
    "{\"format\": \"sonde-plan\", \"version\": 1, \"judge\": 2, \"steps\": 7, \"worlds\": {\"sizes\": " \
    "[4], \"graphs\": 3, \"models\": [\"tmaze\", {\"model\": \"grid\", \"name\": \"small\", "           \
    "\"horizon\": 3, \"gamma\": 0.5, \"steps\": 2}]}, \"conditions\": [" conditions "]}"

#endif

/* study_text.c: the plans and the example models that are built in.
 *
 * lab/TEXTS lists them, and the build puts their documents into the library. Of the plans, `paper`
 * is the experiment of the paper on the paper's worlds, under both semantics; then each difference
 * between the paper's text and the authors' notebook on its own, and the two settings that the
 * paper discusses, k and the number of samples, swept. `paper-all` is the same with graphs of 6
 * nodes and more worlds in the sweeps; `table` is the table alone. `quality` is every search and
 * embedding on the same decisions: how far from exact, for how many policies scored; a line of its
 * figure is the settings of one search, and the last model has a posterior so broad that no bound
 * can help. `scaling` is what a decision costs as worlds grow and plans get longer, each search as
 * far as it goes. `closed` is what plans in closed loop achieve for what they cost, beside those
 * that others plan with and beside sequences of actions. */
#include <string.h>

#include "study/study_internal.h"

/* The i-th text of a kind, or NULL. */
static const sonde__text_row *text_at(const char *kind, int32_t i) {
    int32_t n = 0;
    for (const sonde__text_row *row = sonde__texts; row->kind != NULL; row++) {
        if (strcmp(row->kind, kind) == 0 && n++ == i) {
            return row;
        }
    }
    return NULL;
}

const char *sonde_study_plan_name(int32_t i) {
    const sonde__text_row *row = text_at("plan", i);
    return row != NULL ? row->name : NULL;
}

const char *sonde__example_name(int32_t i) {
    const sonde__text_row *row = text_at("model", i);
    return row != NULL ? row->name : NULL;
}

const char *sonde__plan_builtin(const char *name) {
    const int32_t i = sonde_name_find(sonde_study_plan_name, name);
    return i >= 0 ? text_at("plan", i)->text : NULL;
}

const char *sonde__example(const char *name) {
    const int32_t i = sonde_name_find(sonde__example_name, name);
    return i >= 0 ? text_at("model", i)->text : NULL;
}

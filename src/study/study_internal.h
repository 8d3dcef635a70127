/* study_internal.h: between the files of the study stage. */
#ifndef SONDE_STUDY_INTERNAL_H
#define SONDE_STUDY_INTERNAL_H

#include "base/json.h"
#include "study/study.h"

/* The text of a built-in plan, or NULL. */
const char *sonde__plan_builtin(const char *name);
/* A plan from its text; `origin` stands for the file in errors. */
sonde_status sonde__plan_parse(const sonde_source *source, sonde_plan **plan, sonde_error *error);

/* The setting of a condition that a key of a plan names: the same keys as the options of the command
 * line. Conditions are expanded in the order of this list, the last key fastest. */
#define SONDE__CONDITION_KEYS(X)                                                                   \
    X(CONNECT, "connect")                                                                          \
    X(SEMANTICS, "semantics")                                                                      \
    X(DIFFERENCES, "differences")                                                                  \
    X(SEARCH, "search")                                                                            \
    X(SCOPE, "scope")                                                                              \
    X(EMBEDDING, "embedding")                                                                      \
    X(ONEHOT_WEIGHT, "onehot_weight")                                                              \
    X(K, "k")                                                                                      \
    X(PROBE, "probe")                                                                              \
    X(SAMPLES, "samples")                                                                          \
    X(TOP, "top")                                                                                  \
    X(ACTION, "action")                                                                            \
    X(ALPHA, "alpha")                                                                              \
    X(GAMMA, "gamma")                                                                              \
    X(RESTARTS, "restarts")
enum {
#define SONDE__KEY_NUMBER(code, name) SONDE__KEY_##code,
    SONDE__CONDITION_KEYS(SONDE__KEY_NUMBER)
#undef SONDE__KEY_NUMBER
        SONDE__KEY_COUNT
};
const char *sonde__condition_key(int32_t i);

/* Sets what `value` says of one key; false, with the error, if it says nothing valid. */
bool sonde__condition_set(sonde__reader *reader, const char *path, int32_t key, const json_t *value,
                          sonde_condition *condition);
/* All settings that matter to a condition, in one line of at most `size` letters. */
void sonde__condition_label(const sonde_condition *condition, char *label, size_t size);

#endif

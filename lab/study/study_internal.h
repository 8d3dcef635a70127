/* study_internal.h: between the files of the study stage. */
#ifndef SONDE_STUDY_INTERNAL_H
#define SONDE_STUDY_INTERNAL_H

#include "base/json.h"
#include "sonde_settings.h"
#include "study/study.h"

/* A document that is built in: a "plan" or a "model". The build writes the list of them, which ends
 * with a kind of NULL, from lab/TEXTS. */
typedef struct {
    const char *kind;
    const char *name;
    const char *text;
} sonde__text_row;
extern const sonde__text_row sonde__texts[];
/* The text of a built-in plan, or NULL. */
const char *sonde__plan_builtin(const char *name);
/* A plan from its text; `origin` stands for the file in errors. */
sonde_status sonde__plan_parse(const sonde_source *source, sonde_study_plan **plan,
                               sonde_error *error);

/* The keys of a condition that are settings: those of the options of the command line.
 * Conditions are expanded in the order of this list, the last key fastest; each is a column of
 * the results. NULL past the last. */
const char *sonde__condition_key(int32_t i);
int32_t sonde__condition_n_key(void);

/* Sets what `value` says of one key; false, with the error, if it says nothing valid. */
bool sonde__condition_set(sonde__reader *reader, const char *path, int32_t key, const json_t *value,
                          sonde_condition *condition);
/* All settings that matter to a condition, in one line of at most `size` letters. */
void sonde__condition_label(const sonde_condition *condition, char *label, size_t size);
/* The value of a setting, as results keep it; nothing where it does not matter to the search. */
typedef struct {
    enum { SONDE__NOTHING, SONDE__WORD, SONDE__WHOLE, SONDE__REAL } kind;
    char word[128];
    int64_t whole;
    double real;
} sonde__value;
void sonde__condition_value(const sonde_condition *condition, int32_t key, sonde__value *value);

/* Which settings an object of a plan gives, and which of them have an effect in some of the
 * conditions that it stands for (study_effects.c). */
typedef struct {
    bool given[SONDE_SETTINGS_MAX];
    bool counts[SONDE_SETTINGS_MAX];
    bool lags;         /* some condition uses the k of the one before */
    const char *named; /* the key that says what is done as the notebook does it, or NULL */
} sonde__effects;
void sonde__effects_open(const json_t *object, sonde__effects *effects);
/* Chooses the search that a condition means, if it names none, and its embedding; notes which
 * settings have an effect. Refuses those that do not fit where the condition runs. */
bool sonde__effects_note(sonde__reader *reader, int32_t at, sonde__effects *effects,
                         sonde_condition *condition);
/* Refuses a setting that changes nothing in any condition of the object; `last` is one of them. */
bool sonde__effects_check(sonde__reader *reader, int32_t at, const json_t *object,
                          const sonde__effects *effects, const sonde_condition *last);

/* Whether a condition runs on a world of this size and number. */
bool sonde__condition_takes(const sonde_condition *condition, int32_t size, int32_t graph);
/* T of a condition's worlds of a size; 0 for a model, which has its own. */
int32_t sonde__condition_horizon(const sonde_condition *condition, int32_t size);
/* The task of a world, or -1 if the plan has none. */
int32_t sonde__plan_find(const sonde_study_plan *plan, int32_t size, int32_t graph);

/* Different sizes of worlds, and models, that a plan may have. */
enum { SONDE__PLAN_SIZES_MAX = 128 };
/* The tasks whose worlds have the plan's i-th size, which follow each other; false past the
 * last. */
bool sonde__plan_batch(const sonde_study_plan *plan, int32_t i, int32_t *first, int32_t *n);

/* The name of the i-th example model that is built in; NULL past the last. */
const char *sonde__example_name(int32_t i);
/* The document of an example model, or NULL. */
const char *sonde__example(const char *name);

#endif

/* settings.h: the table of settings, for the stages that check and write them. */
#ifndef SONDE_BASE_SETTINGS_H
#define SONDE_BASE_SETTINGS_H

#include "sonde_settings.h"

/* Names of choices that the table alone gives away, and a line on each of some. */
const char *sonde__cluster_method_name(int32_t method);
const char *sonde__probe_name(int32_t probe);
const char *sonde__action_name(int32_t action);
const char *sonde__inference_name(int32_t inference);
const char *sonde__branches_name(int32_t branches);
const char *sonde__pruning_name(int32_t pruning);
const char *sonde__replan_name(int32_t replan);
const char *sonde__embedding_about(int32_t kind);
const char *sonde__pruning_about(int32_t pruning);
const char *sonde__inference_about(int32_t inference);
const char *sonde__novelty_name(int32_t novelty);
const char *sonde__novelty_about(int32_t novelty);
/* The embedding that a kind of model has where nobody chooses. */
int32_t sonde__embedding_usual(uint32_t kind);

/* What sets a search apart, besides the settings that concern it. */
typedef enum {
    SONDE__SCORES_ALL = 1,      /* every policy: what others are compared with */
    SONDE__SCORES_CLUSTERS = 2, /* all members of some clusters, and nothing else */
    SONDE__CERTIFIES = 4, /* no more policies than it takes to be certain; none is drawn of all */
    SONDE__CHOOSES = 8,   /* closed loop: one of these, as it turns out */
    SONDE__CLOSED = 16,   /* it goes with closed loop */
    SONDE__CLOSED_ONLY = 32, /* and with nothing else */
    SONDE__PRUNES = 64,      /* it has thresholds */
    SONDE__SEES_ALL = 128,   /* as if states were known from the first step on */
    SONDE__SEES_LATER = 256, /* as if they were after it */
    SONDE__TRIES = 512       /* it draws what may happen */
} sonde__trait;
bool sonde__search_has(int32_t search, sonde__trait trait);
/* The first search that has it. */
sonde_search_kind sonde__search_with(sonde__trait trait);

/* How many rows the table has. */
int32_t sonde__setting_count(void);
/* One setting of a struct, whatever its type, as a number: a choice is its place, a flag 0 or 1. */
double sonde__setting_number(const sonde_search_settings *settings, const sonde_setting *row);
/* Puts a number where the setting is kept. */
void sonde__setting_put(sonde_search_settings *settings, const sonde_setting *row, double number);
/* The word for its value: a choice's name, or what stands for 0; NULL where there is none. */
const char *sonde__setting_word(const sonde_search_settings *settings, const sonde_setting *row);
/* Its value as a whole number with all its digits, where a double has fewer. */
int64_t sonde__setting_whole(const sonde_search_settings *settings, const sonde_setting *row);
/* Appends its value. JSON has quotes around words, and around digits that not every reader keeps;
 * text has "" there. */
void sonde__setting_write(const sonde_search_settings *settings, const sonde_setting *row,
                          const char *quote, sonde_text *text);
/* Whether it has a value that somebody could have said. */
bool sonde__setting_is_set(const sonde_search_settings *settings, const sonde_setting *row);
/* Whether the search, or its fallback, uses it. */
bool sonde__setting_is_used(const sonde_search_settings *settings, const sonde_setting *row);
/* Whether the setting that it goes with is there, as it should be. */
bool sonde__setting_has_company(const sonde_search_settings *settings, const sonde_setting *row);
/* Fails with SONDE_BAD_ARGUMENT if a setting is not the default, and concerns other kinds of model
 * than this. */
sonde_status sonde__setting_fits(const sonde_search_settings *settings, const char *key,
                                 uint32_t kind, sonde_error *error);
/* Fails with SONDE_BAD_ARGUMENT if a value is outside its range; its default never is. */
sonde_status sonde__settings_check(const sonde_search_settings *settings, sonde_error *error);
/* Fails where the loop does not have the search, or the fallback is the search itself. */
sonde_status sonde__settings_check_searches(const sonde_search_settings *settings,
                                            sonde_error *error);
/* The sentence that a value is not what the setting may be; returns SONDE_BAD_ARGUMENT. */
sonde_status sonde__setting_unexpected(const sonde_setting *row, const char *found,
                                       sonde_error *error);
/* The sentence "KEY: ..." about a setting, and its key; returns SONDE_BAD_ARGUMENT. */
sonde_status sonde__fail_setting(sonde_error *error, const char *key, const char *format, ...)
    SONDE_PRINTF(3, 4);

#endif

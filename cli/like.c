/* like.c: from --like to the settings it stands for. */
#include "like.h"

#include <stdio.h>
#include <string.h>

/* Whether the verb has the option, and nobody has given it. */
static bool is_open(const cli_verb *verb, const cli_arguments *args, const char *name) {
    return option_find(verb, name) >= 0 && !option_given(verb, args, name);
}

/* Sets a choice of the model, if it is open. */
static void set_choice(cli_arguments *args, const cli_verb *verb, const char *key, int32_t wanted,
                       sonde_text *said) {
    const bool preferences = strcmp(key, "preferences") == 0;
    if (is_open(verb, args, key)) {
        *(preferences ? &args->preferences : &args->information) = wanted;
        sonde_text_add(said, " --%s %s", key,
                       preferences ? sonde_preferences_name(wanted)
                                   : sonde_information_name(wanted));
    }
}

/* Sets a setting of the search, if it is open and has an effect beside the others. */
static void set_setting(cli_arguments *args, const cli_verb *verb, const char *key,
                        const char *value, sonde_text *said) {
    char name[32];
    const int32_t row = sonde_setting_find(key);
    if (!is_open(verb, args, option_name(key, name, sizeof name)) ||
        !sonde_setting_counts(&args->search, row, 0)) {
        return;
    }
    (void)sonde_settings_set(&args->search, key, value, NULL);
    const bool flag = sonde_setting_at(row)->type == SONDE_FLAG;
    sonde_text_add(said, " --%s%s%s", name, flag ? "" : " ", flag ? "" : value);
}

static const char *choice_name(const char *key, int32_t choice) {
    return sonde_setting_at(sonde_setting_find(key))->names(choice);
}

void like_apply(cli_arguments *args, const cli_verb *verb, sonde_text *said) {
    sonde_like like;
    char number[32];
    if (!sonde_like_get(args->like, &like)) {
        return;
    }
    sonde_text_add(said, "like %s:", sonde_like_name(args->like));
    set_choice(args, verb, "preferences", (int32_t)like.preferences, said);
    set_choice(args, verb, "information", (int32_t)like.information, said);
    set_setting(args, verb, "action", choice_name("action", (int32_t)like.action), said);
    (void)snprintf(number, sizeof number, "%g", like.gamma);
    set_setting(args, verb, "gamma", number, said);
    (void)snprintf(number, sizeof number, "%g", like.alpha);
    set_setting(args, verb, "alpha", number, said);
    if (like.per_factor) {
        set_setting(args, verb, "per_factor", "true", said);
    }
    if (choice_name("inference", like.inference)) {
        set_setting(args, verb, "inference", choice_name("inference", like.inference), said);
    }
    sonde_text_add(said, "; %s", like.about);
}

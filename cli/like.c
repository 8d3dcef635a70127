/* like.c: from --like to the settings it stands for. */
#include "like.h"

#include <stdio.h>

/* Whether the verb has the option, and nobody has given it. */
static bool is_open(const cli_verb *verb, const cli_arguments *args, const char *name) {
    return option_find(verb, name) >= 0 && !option_given(verb, args, name);
}

static void set_choice(cli_arguments *args, const cli_verb *verb, const char *name, int32_t *place,
                       int32_t wanted, const char *word, sonde_text *said) {
    if (is_open(verb, args, name)) {
        *place = wanted;
        sonde_text_add(said, " --%s %s", name, word);
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

void like_apply(cli_arguments *args, const cli_verb *verb, sonde_text *said) {
    sonde_like like;
    char number[32];
    if (!sonde_like_get(args->like, &like)) {
        return;
    }
    sonde_text_add(said, "like %s:", sonde_like_name(args->like));
    set_choice(args, verb, "preferences", &args->preferences, (int32_t)like.preferences,
               sonde_preferences_name((int32_t)like.preferences), said);
    set_choice(args, verb, "information", &args->information, (int32_t)like.information,
               sonde_information_name((int32_t)like.information), said);
    set_setting(args, verb, "action", sonde_action_name((int32_t)like.action), said);
    (void)snprintf(number, sizeof number, "%g", like.gamma);
    set_setting(args, verb, "gamma", number, said);
    (void)snprintf(number, sizeof number, "%g", like.alpha);
    set_setting(args, verb, "alpha", number, said);
    if (like.per_factor) {
        set_setting(args, verb, "per_factor", "true", said);
    }
    sonde_text_add(said, "; %s", sonde_like_about(args->like));
}

/* like.c: from --like to the settings it stands for. */
#include "like.h"

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

void like_apply(cli_arguments *args, const cli_verb *verb, sonde_text *said) {
    static const char *const keys[] = {"action", "gamma", "alpha", "per_factor", "inference"};
    sonde_model_settings model = sonde_model_defaults();
    sonde_search_settings search = sonde_search_defaults();
    const char *about = sonde_like_apply(args->like, &model, &search);
    if (!about) {
        return;
    }
    sonde_text_add(said, "like %s:", sonde_like_name(args->like));
    set_choice(args, verb, "preferences", model.preferences, said);
    set_choice(args, verb, "information", model.information, said);
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        sonde_text value = {0};
        (void)sonde_settings_get(&search, keys[i], &value, NULL);
        if (value.data && strcmp(value.data, "false") != 0) {
            set_setting(args, verb, keys[i], value.data, said);
        }
        sonde_text_free(&value);
    }
    sonde_text_add(said, "; %s", about);
}

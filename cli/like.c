/* like.c: from --like to the settings it stands for. */
#include "like.h"

/* Whether the verb has the option that fills a field, and nobody has given it. */
static bool is_open(const cli_verb *verb, const cli_arguments *args, size_t at) {
    const cli_option *option;
    for (int32_t i = 0; (option = option_at(verb, i)) != NULL; i++) {
        if (option->at == at) {
            return !option_given(verb, args, at);
        }
    }
    return false;
}

void like_apply(cli_arguments *args, const cli_verb *verb, sonde_text *said) {
    sonde_like like;
    if (!sonde_like_get(args->like, &like)) {
        return;
    }
    sonde_text_add(said, "like %s:", sonde_like_name(args->like));
    const struct {
        const char *name;
        size_t at;
        int32_t *value;
        int32_t wanted;
        const char *(*names)(int32_t);
    } choice[] = {
        {"preferences", offsetof(cli_arguments, preferences), &args->preferences,
         (int32_t)like.preferences, sonde_preferences_name},
        {"information", offsetof(cli_arguments, information), &args->information,
         (int32_t)like.information, sonde_information_name},
        {"action", offsetof(cli_arguments, action), &args->action, (int32_t)like.action,
         sonde_action_name},
    };
    for (size_t i = 0; i < sizeof choice / sizeof *choice; i++) {
        if (is_open(verb, args, choice[i].at)) {
            *choice[i].value = choice[i].wanted;
            sonde_text_add(said, " --%s %s", choice[i].name, choice[i].names(choice[i].wanted));
        }
    }
    const struct {
        const char *name;
        size_t at;
        double *value;
        double wanted;
    } real[] = {
        {"gamma", offsetof(cli_arguments, gamma), &args->gamma, like.gamma},
        {"alpha", offsetof(cli_arguments, alpha), &args->alpha, like.alpha},
    };
    const bool soft = args->action == SONDE_ACTION_SOFTMAX || args->action == SONDE_ACTION_MARGINAL;
    for (size_t i = 0; i < sizeof real / sizeof *real; i++) {
        const bool counts = soft || real[i].value != &args->alpha;
        if (counts && is_open(verb, args, real[i].at)) {
            *real[i].value = real[i].wanted;
            sonde_text_add(said, " --%s %g", real[i].name, real[i].wanted);
        }
    }
    if (like.per_factor && is_open(verb, args, offsetof(cli_arguments, per_factor))) {
        args->per_factor = true;
        sonde_text_add(said, " --per-factor");
    }
    sonde_text_add(said, "; %s", sonde_like_about(args->like));
}

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

/* Sets how agents learn, as far as nobody has said it. */
static void set_learning(cli_arguments *args, const cli_verb *verb,
                         const sonde_learn_settings *learn, sonde_text *said) {
    if (is_open(verb, args, "support")) {
        args->learn.support = learn->support;
        sonde_text_add(said, " --support %s", sonde_support_name((int32_t)learn->support));
    }
    if (is_open(verb, args, "when") && learn->when == SONDE_LEARN_EPISODE) {
        args->learn.when = learn->when;
        sonde_text_add(said, " --when episode");
    }
    if (is_open(verb, args, "beliefs-D")) {
        args->learn.beliefs_D = learn->beliefs_D;
        sonde_text_add(said, " --beliefs-D %s",
                       sonde_learn_beliefs_name((int32_t)learn->beliefs_D));
    }
    if (is_open(verb, args, "eta-D")) {
        args->learn.eta[SONDE_D] = learn->eta[SONDE_D];
        sonde_text_add(said, " --eta-D %g", learn->eta[SONDE_D]);
    }
    if (is_open(verb, args, "least") && learn->least > 0.0) {
        args->learn.least = learn->least;
        sonde_text_add(said, " --least %.17g", learn->least);
    }
}

/* Sets a setting as another package has it, unless it is no other than usual. */
static void set_like(cli_arguments *args, const cli_verb *verb, const char *key,
                     const sonde_search_settings *defaults, const sonde_search_settings *search,
                     sonde_text *said) {
    sonde_text value = {0};
    sonde_text usual = {0};
    (void)sonde_settings_get(search, key, &value, NULL);
    if (defaults) {
        (void)sonde_settings_get(defaults, key, &usual, NULL);
    }
    const bool other = !usual.data || !value.data || strcmp(value.data, usual.data) != 0;
    if (value.data && strcmp(value.data, "false") != 0 && other) {
        set_setting(args, verb, key, value.data, said);
    }
    piece_free(&value);
    piece_free(&usual);
}

void like_apply(cli_arguments *args, const cli_verb *verb, sonde_text *said) {
    /* five for all, and the rest for closed loop */
    enum { N_ALL = 5 };
    static const char *const keys[] = {
        "action",      "gamma",        "alpha",         "per_factor", "inference",
        "belief_kind", "backup",       "branches",      "pruning",    "prune_penalty",
        "stop_value",  "stop_entropy", "max_branching", "max_beliefs"};
    const bool closed = args->search.loop == SONDE_LOOP_CLOSED;
    const sonde_search_settings defaults = sonde_search_defaults();
    sonde_learn_settings learn = sonde_learn_defaults();
    sonde_model_settings model = sonde_model_defaults();
    sonde_search_settings search = sonde_search_defaults();
    search.loop = args->search.loop;
    const char *about = args->learns || verb->exact
                            ? sonde_like_learn(args->like, &model, &search, &learn)
                            : sonde_like_apply(args->like, &model, &search);
    if (!about) {
        return;
    }
    sonde_text_add(said, "like %s:", sonde_like_name(args->like));
    set_choice(args, verb, "preferences", model.preferences, said);
    set_choice(args, verb, "information", model.information, said);
    if (closed) {
        set_like(args, verb, "search", NULL, &search, said);
    }
    for (size_t i = 0; i < (closed ? sizeof keys / sizeof *keys : N_ALL); i++) {
        set_like(args, verb, keys[i], i >= N_ALL ? &defaults : NULL, &search, said);
    }
    if (args->learns) {
        set_like(args, verb, "novelty", NULL, &search, said);
        set_like(args, verb, "search", NULL, &search, said);
        set_learning(args, verb, &learn, said);
    }
    sonde_text_add(said, "; %s", about);
}

void like_settle(cli_arguments *args, const cli_verb *verb, const sonde_model *model,
                 sonde_text *said) {
    int32_t n = 0;
    bool any = args->like < 0 || !args->learns || args->search.weights.novelty < 1;
    for (int32_t m = 0; !any && m < model->n_modality; m++) {
        any = sonde_model_counts(model, SONDE_A, m, NULL, &n) > 0;
    }
    for (int32_t f = 0; !any && f < model->n_factor; f++) {
        any = sonde_model_counts(model, SONDE_B, f, NULL, &n) > 0;
    }
    if (!any && is_open(verb, args, "novelty")) {
        args->search.weights.novelty = SONDE_NOVELTY_NONE;
        sonde_text_add(said, "; there are no counts of A or B, so --novelty none");
    }
}

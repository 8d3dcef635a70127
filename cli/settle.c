/* settle.c: what the options mean beside each other.
 *
 * The rules between settings are the library's (sonde_settings_settle). The command has a few
 * options of its own that concern one kind of model, or go with others alone; who gives one that
 * changes nothing is told so. */
#include <string.h>

#include "options.h"

static bool fits(const cli_option *option, const cli_arguments *args) {
    return option->kinds == 0 || args->kinds == 0 || (option->kinds & args->kinds) != 0;
}

/* Whether the theory of the agent that was chosen uses the option. */
static bool is_in_scheme(const cli_verb *verb, const cli_option *option,
                         const cli_arguments *args) {
    bool used = args->scheme < 0 || !verb->in_scheme;
    for (int32_t i = 0; !used && verb->in_scheme[i]; i++) {
        used = strcmp(verb->in_scheme[i], option->name) == 0;
    }
    return used;
}

bool option_counts(const cli_verb *verb, const cli_option *option, const cli_arguments *args) {
    if (!is_in_scheme(verb, option, args)) {
        return false;
    }
    if (option->kind == OPTION_ROW) {
        return sonde_setting_counts(&args->search, option->row, args->kinds);
    }
    return fits(option, args) && (option->counts == NULL || option->counts(args));
}

/* The library's rules, for the settings among the options. */
static sonde_status settle_settings(const cli_verb *verb, cli_arguments *args, sonde_error *error) {
    bool given[SONDE_SETTINGS_MAX] = {false};
    const cli_option *option;
    for (int32_t i = 0; (option = option_at(verb, i)) != NULL; i++) {
        if (option->kind == OPTION_ROW) {
            given[option->row] = args->given[i];
        }
    }
    const sonde_reading reading = {
        .differences = arguments_differences(args),
        .k_before = args->k_before,
        .named = option_given(verb, args, "semantics")     ? "semantics"
                 : option_given(verb, args, "differences") ? "differences"
                                                           : NULL,
        .k_before_named = option_given(verb, args, "k-before"),
    };
    return sonde_differences_settle(&reading, given, args->kinds, &args->search, error);
}

static sonde_status idle_option(const cli_option *option, const cli_arguments *args,
                                sonde_error *error) {
    if (!fits(option, args)) {
        return fail(error, SONDE_BAD_ARGUMENT, "--%s: concerns %s; leave it out", option->name,
                    args->kinds == SONDE_KIND_GRAPH ? "general models, and this is a graph world"
                                                    : "graph worlds, and this is a general model");
    }
    return fail(error, SONDE_BAD_ARGUMENT, "--%s: goes with %s only; choose that, or leave it out",
                option->name, option->with);
}

/* Refuses what --scheme has no use for. */
static sonde_status settle_scheme(const cli_verb *verb, const cli_arguments *args,
                                  sonde_error *error) {
    const cli_option *option;
    for (int32_t i = 0; (option = option_at(verb, i)) != NULL; i++) {
        if (args->given[i] && !is_in_scheme(verb, option, args)) {
            return fail(error, SONDE_BAD_ARGUMENT,
                        "--%s: does not go with --scheme spm, which does not use it; leave it out",
                        option->name);
        }
    }
    return SONDE_OK;
}

sonde_status options_settle(const cli_verb *verb, cli_arguments *args, sonde_error *error) {
    sonde_status status = settle_scheme(verb, args, error);
    if (status) {
        return status;
    }
    if (verb->exact) {
        (void)sonde_settings_set(&args->search, "search", "full", NULL);
    } else if (option_find(verb, "search") < 0) {
        /* a verb that embeds or clusters, and no more, does it as the first search that does */
        const sonde_setting *row = sonde_setting_at(sonde_setting_find("embedding"));
        args->search.search = (sonde_search_kind)__builtin_ctz(row->searches);
    }
    status = settle_settings(verb, args, error);
    if (status) {
        return status;
    }
    const char *like = sonde_like_name(args->like);
    if (like && args->search.loop == SONDE_LOOP_CLOSED && strcmp(like, "pymdp") == 0 &&
        args->preferences == SONDE_PREFERENCES_PROBABILITY) {
        return fail(
            error, SONDE_BAD_ARGUMENT,
            "--preferences: pymdp adds C up as it is, so probability is not like it; choose "
            "utility, or leave --like out");
    }
    const cli_option *option;
    for (int32_t i = 0; (option = option_at(verb, i)) != NULL; i++) {
        if (args->given[i] && option->kind != OPTION_ROW && !option_counts(verb, option, args)) {
            return idle_option(option, args, error);
        }
    }
    return SONDE_OK;
}

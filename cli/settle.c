/* settle.c: what the options mean beside each other.
 *
 * The rules between settings are the library's (sonde_settings_settle). The command has a few options
 * of its own that concern some searches, one kind of model, or go with others alone; who gives one
 * that changes nothing is told so.
 */
#include "options.h"

enum { SETTINGS_MAX = 64 };

/* Whether the search, or its fallback, is among those that an option of the command's own concerns. */
static bool concerned(const cli_option *option, const cli_arguments *args) {
    const sonde_search_settings *search = &args->search;
    return option->searches == 0 || (option->searches >> search->search & 1u) != 0 ||
           (search->fallback >= 0 && (option->searches >> search->fallback & 1u) != 0);
}

static bool fits(const cli_option *option, const cli_arguments *args) {
    return option->kinds == 0 || args->kinds == 0 || (option->kinds & args->kinds) != 0;
}

bool option_counts(const cli_option *option, const cli_arguments *args) {
    if (option->kind == OPTION_ROW) {
        return sonde_setting_counts(&args->search, option->row, args->kinds);
    }
    return concerned(option, args) && fits(option, args) &&
           (option->counts == NULL || option->counts(args));
}

/* Whether one of the command's own options is about another search than the one that is meant. */
static bool means_clusters(const cli_verb *verb, const cli_arguments *args) {
    const cli_option *option;
    for (int32_t i = 0; (option = option_at(verb, i)) != NULL; i++) {
        if (args->given[i] && !concerned(option, args)) {
            return true;
        }
    }
    return false;
}

/* The library's rules, for the settings among the options. */
static sonde_status settle_settings(const cli_verb *verb, cli_arguments *args, sonde_error *error) {
    bool given[SETTINGS_MAX] = {false};
    const cli_option *option;
    for (int32_t i = 0; (option = option_at(verb, i)) != NULL; i++) {
        if (option->kind == OPTION_ROW) {
            given[option->row] = args->given[i];
        }
    }
    const int32_t search = sonde_setting_find("search");
    sonde_status status = sonde_settings_settle(&args->search, given, args->kinds, error);
    if (!status && !given[search] && means_clusters(verb, args)) {
        args->search.search = SONDE_SEARCH_CLUSTER;
        given[search] = true;
        status = sonde_settings_settle(&args->search, given, args->kinds, error);
    }
    return status;
}

static sonde_status idle_option(const cli_option *option, const cli_arguments *args,
                                sonde_error *error) {
    if (!fits(option, args)) {
        return fail(error, SONDE_BAD_ARGUMENT, "--%s: concerns %s; leave it out", option->name,
                    args->kinds == SONDE_KIND_GRAPH ? "general models, and this is a graph world"
                                                    : "graph worlds, and this is a general model");
    }
    if (!concerned(option, args)) {
        return fail(error, SONDE_BAD_ARGUMENT,
                    "--%s: goes with a search that makes clusters only, and the search is %s; "
                    "choose one, or leave it out",
                    option->name, sonde_search_name((int32_t)args->search.search));
    }
    return fail(error, SONDE_BAD_ARGUMENT, "--%s: goes with %s only; choose that, or leave it out",
                option->name, option->with);
}

sonde_status options_settle(const cli_verb *verb, cli_arguments *args, sonde_error *error) {
    if (option_find(verb, "search") < 0) {
        args->search.search =
            SONDE_SEARCH_CLUSTER; /* a verb that embeds or clusters, and no more */
    }
    const sonde_status status = settle_settings(verb, args, error);
    if (status) {
        return status;
    }
    const cli_option *option;
    for (int32_t i = 0; (option = option_at(verb, i)) != NULL; i++) {
        if (args->given[i] && option->kind != OPTION_ROW && !option_counts(option, args)) {
            return idle_option(option, args, error);
        }
    }
    return SONDE_OK;
}

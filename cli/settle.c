/* settle.c: what the options mean beside each other.
 *
 * Some concern a few searches alone, some only go with others. Who says how to cluster, and not how to
 * search, wants clusters; who gives an option that changes nothing is told so.
 */
#include "counts.h"
#include "options.h"

static bool searches(const cli_verb *verb) {
    const cli_option *option;
    for (int32_t i = 0; (option = option_at(verb, i)) != NULL; i++) {
        if (option->at == offsetof(cli_arguments, search)) {
            return true;
        }
    }
    return false;
}

/* Whether the search, or its fallback, is among those that an option concerns. */
static bool concerned(const cli_verb *verb, const cli_option *option, const cli_arguments *args) {
    return option->searches == 0 || searches_with(args, option->searches) || !searches(verb);
}

bool option_counts(const cli_verb *verb, const cli_option *option, const cli_arguments *args) {
    return concerned(verb, option, args) && (option->counts == NULL || option->counts(args));
}

/* An option that concerns one search alone means that one, trees before clusters before others; one
 * that concerns several, clustered search. */
static void choose_search(const cli_verb *verb, cli_arguments *args) {
    const cli_option *option;
    uint32_t alone = 0;
    bool idle = false;
    for (int32_t i = 0; (option = option_at(verb, i)) != NULL; i++) {
        if ((args->given >> i & 1) != 0 && !concerned(verb, option, args)) {
            const bool one = (option->searches & (option->searches - 1)) == 0;
            alone |= one ? option->searches : 0;
            idle = true;
        }
    }
    if (!idle || option_given(verb, args, offsetof(cli_arguments, search))) {
        return;
    }
    if ((alone >> SONDE_SEARCH_TREE & 1u) != 0) {
        args->search = SONDE_SEARCH_TREE;
    } else if (alone == 0 || (alone >> SONDE_SEARCH_CLUSTER & 1u) != 0) {
        args->search = SONDE_SEARCH_CLUSTER;
    } else {
        args->search = __builtin_ctz(alone);
    }
}

/* "--search cluster, tree or surrogate" */
static void add_searches(uint32_t searches, sonde_text *text) {
    const char *comma = "--search ";
    for (int32_t i = 0; sonde_search_name(i) != NULL; i++) {
        if ((searches >> i & 1u) != 0) {
            sonde_text_add(text, "%s%s", comma, sonde_search_name(i));
            const uint32_t rest = searches >> i >> 1;
            comma = (rest & (rest - 1)) != 0 ? ", " : " or ";
        }
    }
}

static sonde_status idle_option(const cli_verb *verb, const cli_option *option,
                                const cli_arguments *args, sonde_error *error) {
    const bool other_search = !concerned(verb, option, args);
    sonde_text with = {0};
    if (other_search) {
        add_searches(option->searches, &with);
        sonde_text_add(&with, " only, and the search is %s", sonde_search_name(args->search));
    } else {
        sonde_text_add(&with, "%s only", option->with);
    }
    const sonde_status status =
        fail(error, SONDE_BAD_ARGUMENT, "--%s: goes with %s; choose that, or leave out --%s",
             option->name, with.data != NULL ? with.data : "", option->name);
    sonde_text_free(&with);
    return status;
}

sonde_status options_settle(const cli_verb *verb, cli_arguments *args, sonde_error *error) {
    const cli_option *option;
    choose_search(verb, args);
    for (int32_t i = 0; (option = option_at(verb, i)) != NULL; i++) {
        if ((args->given >> i & 1) != 0 && !option_counts(verb, option, args)) {
            return idle_option(verb, option, args, error);
        }
    }
    return SONDE_OK;
}

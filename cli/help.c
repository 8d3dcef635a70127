/* help.c: a verb's help page, made from the tables that its command line is read by. */
#include <string.h>

#include "options.h"

enum { HELP_COLUMN = 27, HELP_WIDTH = 88 }; /* where explanations start and lines end */

/* `  --search HOW`, then spaces up to the explanations. */
static void add_name(const cli_option *option, sonde_text *text) {
    sonde_text line = {0};
    sonde_text_add(&line, "  ");
    if (option->letter) {
        sonde_text_add(&line, "-%c, ", option->letter);
    }
    sonde_text_add(&line, "--%s%s%s", option->name, option->value ? " " : "",
                   option->value ? option->value : "");
    sonde_text_add(text, "%-*s", HELP_COLUMN - 1, line.data ? line.data : "");
    sonde_text_free(&line);
}

/* `: full or cluster`, for choices that need no explanation of each. */
static void add_choices(const cli_option *option, sonde_text *text) {
    for (int32_t i = 0; option->names(i); i++) {
        sonde_text_add(text, "%s%s",
                       i == 0                 ? ": "
                       : option->names(i + 1) ? ", "
                                              : " or ",
                       option->names(i));
    }
}

/* Appends words, going on below the first one where the line is full. */
static void add_wrapped(const char *words, sonde_text *text) {
    size_t at = HELP_COLUMN - 1;
    while (*words) {
        const size_t length = strcspn(words, " ");
        if (at + 1 + length > HELP_WIDTH) {
            sonde_text_add(text, "\n%*s", HELP_COLUMN - 1, "");
            at = HELP_COLUMN - 1;
        }
        sonde_text_add(text, " %.*s", (int)length, words);
        at += 1 + length;
        words += length + strspn(words + length, " ");
    }
    sonde_text_add(text, "\n");
}

/* A value that is set before anybody says anything is the default. */
static void add_explanation(const cli_option *option, const cli_arguments *defaults,
                            sonde_text *text) {
    sonde_text words = {0};
    sonde_text_add(&words, "%s", option->help);
    if (option->names && !option->about) {
        add_choices(option, &words);
    }
    if (option->value && value_is_set(option, defaults)) {
        sonde_text_add(&words, " (default: ");
        value_write(option, defaults, &words);
        sonde_text_add(&words, ")");
    }
    add_wrapped(words.data ? words.data : "", text);
    sonde_text_free(&words);
}

static void add_option(const cli_option *option, const cli_arguments *defaults, sonde_text *text) {
    add_name(option, text);
    add_explanation(option, defaults, text);
    for (int32_t i = 0; option->about && option->names(i); i++) {
        sonde_text_add(text, "%*s%-12s %s\n", HELP_COLUMN + 2, "", option->names(i),
                       option->about(i));
    }
}

void help_verb(const cli_verb *verb, sonde_text *text) {
    const cli_arguments defaults = arguments_defaults();
    sonde_text_add(text, "usage: sonde %s %s\n\n%s\n", verb->name, verb->usage, verb->story);
    for (const cli_option_group *const *group = verb->group; *group; group++) {
        sonde_text_add(text, "\n%s\n", (*group)->title);
        for (int32_t i = 0; i < (*group)->n; i++) {
            add_option(&(*group)->option[i], &defaults, text);
        }
    }
}

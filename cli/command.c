/* command.c: the command line that makes a result again.
 *
 * Every setting that counts stands in it, given or not, so that it does not depend on the defaults
 * of the version that runs it; what only says how to run (threads, memory) or where to write
 * stands in it if it was given. */
#include <string.h>

#include "options.h"

/* Whether a word can be shown on a terminal as it is. */
static bool is_harmless(const char *word) {
    sonde_text shown = {0};
    sonde_text_add_shown(&shown, word);
    const bool same = shown.data && !strcmp(shown.data, word);
    sonde_text_free(&shown);
    return same;
}

/* A word with escapes that shells undo: $'\033'. */
static void add_escaped(const char *word, sonde_text *text) {
    sonde_text_add(text, "$'");
    for (; *word; word++) {
        const unsigned char byte = (unsigned char)*word;
        if (byte < 0x20 || byte >= 0x7f) {
            sonde_text_add(text, "\\%03o", byte);
        } else {
            sonde_text_add(text, byte == '\'' || byte == '\\' ? "\\%c" : "%c", byte);
        }
    }
    sonde_text_add(text, "'");
}

void command_add_word(const char *word, sonde_text *text) {
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "_-./,:=+@%";
    if (*word && word[strspn(word, plain)] == '\0') {
        sonde_text_add(text, "%s", word);
        return;
    }
    if (!is_harmless(word)) {
        add_escaped(word, text);
        return;
    }
    sonde_text_add(text, "'");
    for (; *word; word++) {
        /* a quote ends the string, stands on its own, and starts the next */
        sonde_text_add(text, *word == '\'' ? "'\\''" : "%c", *word);
    }
    sonde_text_add(text, "'");
}

static void add_option(const cli_option *option, const cli_arguments *args, sonde_text *text) {
    sonde_text_add(text, " --%s", option->name);
    if (!option->value) {
        return;
    }
    sonde_text value = {0};
    value_write(option, args, &value);
    /* a value that starts with a dash would be taken for an option */
    const char *word = value.data ? value.data : "";
    sonde_text_add(text, "%c", word[0] == '-' && word[1] != '\0' ? '=' : ' ');
    command_add_word(word, text);
    text->failed = text->failed || value.failed;
    sonde_text_free(&value);
}

void command_write(const cli_verb *verb, const cli_arguments *args, sonde_text *text) {
    sonde_text_add(text, "sonde %s", verb->name);
    if (args->file) {
        const bool dash = args->file[0] == '-' && args->file[1] != '\0';
        sonde_text_add(text, " %s", dash ? "./" : "");
        command_add_word(args->file, text);
    }
    const cli_option *option;
    for (int32_t i = 0; (option = option_at(verb, i)) != NULL; i++) {
        const bool for_this_run = option->at == offsetof(cli_arguments, progress) ||
                                  option->at == offsetof(cli_arguments, quiet);
        if (((args->given[i] && !for_this_run) || option->setting) && value_is_set(option, args) &&
            option_counts(option, args)) {
            add_option(option, args, text);
        }
    }
}

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
    piece_free(&shown);
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

/* `--option value`; a value that starts with a dash would be taken for an option. */
static void add_value(const cli_option *option, const char *word, sonde_text *text) {
    sonde_text_add(text, " --%s%c", option->name, word[0] == '-' && word[1] != '\0' ? '=' : ' ');
    command_add_word(word, text);
}

static void add_option(const cli_option *option, const cli_arguments *args, sonde_text *text) {
    if (!option->value) {
        sonde_text_add(text, " --%s", option->name);
        return;
    }
    if (option->kind == OPTION_WORDS) {
        const cli_words *words = (const cli_words *)(const void *)((const char *)args + option->at);
        for (int32_t i = 0; i < words->n; i++) {
            add_value(option, words->word[i], text);
        }
        return;
    }
    sonde_text value = {0};
    value_write(option, args, &value);
    add_value(option, value.data ? value.data : "", text);
    text->failed = text->failed || value.failed;
    piece_free(&value);
}

static void add_file(const char *file, sonde_text *text) {
    const bool dash = file[0] == '-' && file[1] != '\0';
    sonde_text_add(text, " %s", dash ? "./" : "");
    command_add_word(file, text);
}

void command_write(const cli_verb *verb, const cli_arguments *args, sonde_text *text) {
    sonde_text_add(text, "sonde %s", verb->name);
    if (args->file) {
        add_file(args->file, text);
    }
    for (int32_t i = 0; i < args->more.n; i++) {
        add_file(args->more.word[i], text);
    }
    const cli_option *option;
    for (int32_t i = 0; (option = option_at(verb, i)) != NULL; i++) {
        const bool for_this_run = option->at == offsetof(cli_arguments, progress) ||
                                  option->at == offsetof(cli_arguments, quiet);
        if (((args->given[i] && !for_this_run) || option->setting) && value_is_set(option, args) &&
            option_counts(verb, option, args)) {
            add_option(option, args, text);
        }
    }
    piece_check(text);
}

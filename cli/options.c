/* options.c: reads a command line by a verb's tables.
 *
 * `--option value`, `--option=value`, `-o value`, `-ovalue`; `--` ends the options; everything else
 * is a file. An option may be given once, but for those that collect words. Nothing is guessed:
 * what cannot be understood is an error that names the nearest thing that can.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "options.h"

/* the command line being read, and how far */
typedef struct {
    const cli_verb *verb;
    int argc;
    char **argv;
    int next;
    bool options_ended;
} cli_reader;

sonde_status fail(sonde_error *error, sonde_status status, const char *format, ...) {
    va_list rest;
    va_start(rest, format);
    error->status = status;
    error->setting[0] = '\0';
    (void)vsnprintf(error->text, sizeof error->text, format, rest);
    va_end(rest);
    return status; /* who prints it makes it harmless */
}

const cli_option *option_at(const cli_verb *verb, int32_t index) {
    if (index >= OPTIONS_MAX) {
        return NULL; /* what `given` has no room for does not exist */
    }
    for (const cli_option_group *const *group = verb->group; group && *group; group++) {
        if (index < (*group)->n) {
            return &(*group)->option[index];
        }
        index -= (*group)->n;
    }
    return NULL;
}

int32_t option_find(const cli_verb *verb, const char *name) {
    const cli_option *option;
    for (int32_t i = 0; (option = option_at(verb, i)) != NULL; i++) {
        if (!strcmp(option->name, name)) {
            return i;
        }
    }
    return -1;
}

bool option_given(const cli_verb *verb, const cli_arguments *args, const char *name) {
    const int32_t index = option_find(verb, name);
    return index >= 0 && args->given[index];
}

/* sonde_name_nearest walks a list by number alone; this is the verb whose options it walks. */
static const cli_verb *suggesting;

static const char *suggested_name(int32_t index) {
    const cli_option *option = option_at(suggesting, index);
    return option ? option->name : NULL;
}

static sonde_status unknown_option(const cli_verb *verb, const char *word, sonde_error *error) {
    const char *name = word + strspn(word, "-");
    const int length = (int)(strcspn(name, "=") + (size_t)(name - word));
    char bare[64];
    snprintf(bare, sizeof bare, "%.*s", (int)strcspn(name, "="), name);
    suggesting = verb;
    /* -k is --k, not the first name that begins with k */
    const bool exact = sonde_name_find(suggested_name, bare) >= 0;
    const char *nearest = exact ? bare : sonde_name_nearest(suggested_name, bare);
    if (nearest) {
        return fail(error, SONDE_BAD_ARGUMENT, "there is no option %.*s; did you mean --%s?",
                    length, word, nearest);
    }
    return fail(error, SONDE_BAD_ARGUMENT, "there is no option %.*s; see sonde help %s", length,
                word, verb->name);
}

/* The index of the option that a word such as --k=5 or -o names; -1 for none. `*value` is what
 * stands in the same word, or NULL. */
static int32_t find_option(const cli_verb *verb, const char *word, const char **value) {
    const cli_option *option;
    for (int32_t i = 0; (option = option_at(verb, i)) != NULL; i++) {
        const size_t length = strlen(option->name);
        if (word[1] == '-' && !strncmp(word + 2, option->name, length) &&
            (word[2 + length] == '\0' || word[2 + length] == '=')) {
            *value = word[2 + length] ? word + 3 + length : NULL;
            return i;
        }
        if (option->letter && word[1] == option->letter) {
            *value = word[2] ? word + 2 : NULL;
            return i;
        }
    }
    return -1;
}

/* The value of an option: from the same word, or the next one. */
static sonde_status take_value(cli_reader *reader, const cli_option *option, const char **value,
                               sonde_error *error) {
    if (*value) {
        return SONDE_OK;
    }
    const char *next = reader->next < reader->argc ? reader->argv[reader->next] : NULL;
    if (!next) {
        return fail(error, SONDE_BAD_ARGUMENT, "--%s: the value is missing", option->name);
    }
    if (!strncmp(next, "--", 2)) {
        return fail(error, SONDE_BAD_ARGUMENT,
                    "--%s: the value is missing (if it is \"%s\", write --%s=%s)", option->name,
                    next, option->name, next);
    }
    reader->next++;
    *value = next;
    return SONDE_OK;
}

static sonde_status read_option(cli_reader *reader, const char *word, cli_arguments *args,
                                sonde_error *error) {
    const char *value = NULL;
    const int32_t index = find_option(reader->verb, word, &value);
    if (index < 0) {
        return unknown_option(reader->verb, word, error);
    }
    const cli_option *option = option_at(reader->verb, index);
    if (args->given[index] && option->kind != OPTION_WORDS) {
        return fail(error, SONDE_BAD_ARGUMENT, "--%s: given twice", option->name);
    }
    args->given[index] = true;
    if (!option->value) {
        if (value) {
            return fail(error, SONDE_BAD_ARGUMENT, "--%s: takes no value, found \"%s\"",
                        option->name, value);
        }
        return value_read(option, "", args, error);
    }
    const sonde_status status = take_value(reader, option, &value, error);
    const int32_t endless = option_find(reader->verb, "endless");
    if (!status && endless >= 0 && !strcmp(option->name, "horizon") && value &&
        !strcmp(value, "inf")) {
        args->given[endless] = true; /* a flag of closed loop says it */
        args->horizon_inf = true;
        return value_read(option_at(reader->verb, endless), "", args, error);
    }
    return status ? status : value_read(option, value, args, error);
}

static sonde_status read_file_name(const cli_verb *verb, const char *word, cli_arguments *args,
                                   sonde_error *error) {
    if (!*word) {
        return fail(error, SONDE_BAD_ARGUMENT, "expected a file, found \"\"");
    }
    if (args->file && verb->data && !args->data) {
        const int32_t index = option_find(verb, "data");
        args->data = word;
        if (index >= 0) { /* what a page lacks, it lacks with its options */
            args->given[index] = true;
        }
        return SONDE_OK;
    }
    if (args->file && args->more.n < verb->n_more) {
        args->more.word[args->more.n++] = word;
        return SONDE_OK;
    }
    if (args->file && verb->n_more > 0) {
        return fail(error, SONDE_BAD_ARGUMENT, "expected at most %d files, found \"%s\" as well",
                    (int)verb->n_more + 1, word);
    }
    if (args->file) {
        return fail(error, SONDE_BAD_ARGUMENT, "expected one file, found \"%s\" and \"%s\"",
                    args->file, word);
    }
    args->file = word;
    return SONDE_OK;
}

bool options_ask_help(int argc, char **argv) {
    for (int i = 0; i < argc && strcmp(argv[i], "--") != 0; i++) {
        if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h")) {
            return true;
        }
    }
    return false;
}

sonde_status options_parse(const cli_verb *verb, int argc, char **argv, cli_arguments *args,
                           sonde_error *error) {
    cli_reader reader = {.verb = verb, .argc = argc, .argv = argv};
    while (reader.next < argc) {
        const char *word = argv[reader.next++];
        /* a lone dash is standard input */
        const bool is_option = !reader.options_ended && word[0] == '-' && word[1] != '\0';
        sonde_status status = SONDE_OK;
        if (is_option && !strcmp(word, "--")) {
            reader.options_ended = true;
        } else if (is_option) {
            status = read_option(&reader, word, args, error);
        } else {
            status = read_file_name(verb, word, args, error);
        }
        if (status) {
            return status;
        }
    }
    if (verb->file_required && !args->file) {
        return fail(error, SONDE_BAD_ARGUMENT, "expected a %s, found none%s",
                    verb->file_word ? verb->file_word : "world file",
                    verb->file_word ? "" : " (- is standard input)");
    }
    return SONDE_OK;
}

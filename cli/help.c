/* help.c: the help page of a verb, and the document of all verbs that manuals and completions are
 * made from (tools/manual.py), both from the tables that command lines are read by. */
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
    piece_free(&line);
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

/* A value that is set before anybody says anything is the default, unless the option says of itself
 * what that means. */
static bool has_default(const cli_option *option, const cli_arguments *defaults) {
    return option->value && value_is_set(option, defaults) && !strstr(option->help, "(default:");
}

static void add_explanation(const cli_option *option, const cli_arguments *defaults,
                            sonde_text *text) {
    sonde_text words = {0};
    sonde_text_add(&words, "%s", option->help);
    if (option->names && !option->about) {
        add_choices(option, &words);
    }
    if (has_default(option, defaults)) {
        sonde_text_add(&words, " (default: ");
        value_write(option, defaults, &words);
        sonde_text_add(&words, ")");
    }
    add_wrapped(words.data ? words.data : "", text);
    piece_free(&words);
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

/* ------------------------------------------------------------------------- as one document -- */

/* `"key": "words"`, with a comma before it unless it is the first. */
static void add_member(const char *before, const char *key, const char *words, sonde_text *json) {
    sonde_text_add(json, "%s\"%s\": ", before, key);
    if (words) {
        sonde_text_add_quoted(json, words);
    } else {
        sonde_text_add(json, "null");
    }
}

static void add_choices_document(const cli_option *option, sonde_text *json) {
    sonde_text_add(json, ", \"choices\": [");
    for (int32_t i = 0; option->names && option->names(i); i++) {
        add_member(i ? ", {" : "{", "name", option->names(i), json);
        add_member(", ", "about", option->about ? option->about(i) : NULL, json);
        sonde_text_add(json, "}");
    }
    sonde_text_add(json, "]");
}

/* The searches and the kind of model that an option concerns alone: [] and null, if all. */
static void add_concerns(const cli_option *option, sonde_text *json) {
    const sonde_setting *row = option->kind == OPTION_ROW ? sonde_setting_at(option->row) : NULL;
    const uint32_t searches = row ? row->searches : 0;
    const uint32_t kinds = row ? row->kinds : option->kinds;
    const char *comma = "";
    sonde_text_add(json, ", \"searches\": [");
    for (int32_t i = 0; sonde_search_name(i); i++) {
        if (searches >> i & 1u) {
            sonde_text_add(json, "%s\"%s\"", comma, sonde_search_name(i));
            comma = ", ";
        }
    }
    add_member("], ", "kind",
               kinds == SONDE_KIND_GRAPH     ? "graph"
               : kinds == SONDE_KIND_GENERAL ? "general"
                                             : NULL,
               json);
}

static void add_option_document(const cli_option *option, const cli_arguments *defaults,
                                sonde_text *json) {
    const char letter[] = {option->letter, '\0'};
    sonde_text value = {0};
    if (has_default(option, defaults)) {
        value_write(option, defaults, &value);
    }
    add_member("          {", "name", option->name, json);
    add_member(", ", "letter", option->letter ? letter : NULL, json);
    add_member(", ", "value", option->value, json);
    add_member(", ", "help", option->help, json);
    add_member(", ", "default", value.data, json);
    add_choices_document(option, json);
    add_concerns(option, json);
    sonde_text_add(json, "}");
    piece_free(&value);
}

static void add_group_document(const cli_option_group *group, const cli_arguments *defaults,
                               sonde_text *json) {
    add_member("        {", "title", group->title, json);
    sonde_text_add(json, ", \"options\": [\n");
    for (int32_t i = 0; i < group->n; i++) {
        add_option_document(&group->option[i], defaults, json);
        sonde_text_add(json, i + 1 < group->n ? ",\n" : "]}");
    }
}

void help_verb_document(const cli_verb *verb, sonde_text *json) {
    const cli_arguments defaults = arguments_defaults();
    add_member("    {", "name", verb->name, json);
    add_member(", ", "line", verb->line, json);
    add_member(", ", "usage", verb->usage, json);
    add_member(",\n      ", "story", verb->story, json);
    sonde_text_add(json, ",\n      \"groups\": [\n");
    for (const cli_option_group *const *group = verb->group; *group; group++) {
        add_group_document(*group, &defaults, json);
        sonde_text_add(json, group[1] ? ",\n" : "]}");
    }
}

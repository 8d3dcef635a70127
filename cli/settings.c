/* settings.c: the library's settings as options.
 *
 * Each row of the table of settings is an option of the same name, with dashes. What it may be,
 * what it is by default and what it goes with is the table's to say; times are the command's own:
 * 5ms, 0.2s, and a bare number of milliseconds. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "options.h"

enum { NAME_SIZE = 32 };

cli_option_group group_search = {"Search", NULL, 0};
cli_option_group group_scope = {"Policies", NULL, 0};
cli_option_group group_embed = {"Embedding", NULL, 0};
cli_option_group group_cluster = {"Clusters", NULL, 0};
cli_option_group group_probe = {"Search of clusters", NULL, 0};
cli_option_group group_action = {"Action", NULL, 0};
cli_option_group group_weights = {"Expected free energy", NULL, 0};
cli_option_group group_belief = {"Beliefs (general models only)", NULL, 0};
cli_option_group group_closed = {"Closed loop", NULL, 0};
cli_option_group group_limits = {"How far a search goes", NULL, 0};
cli_option_group group_follow = {"Plans", NULL, 0};
cli_option_group group_seed = {"Chance", NULL, 0};
cli_option_group group_keep = {"Policies that were scored", NULL, 0};

static cli_option_group *const part[] = {
    &group_search, &group_scope,  &group_embed,   &group_cluster, &group_probe,
    &group_action, &group_belief, &group_weights, &group_limits,  &group_follow,
    &group_seed,   &group_keep,   &group_closed,
};
enum { N_PART = sizeof part / sizeof part[0] };

const char *option_name(const char *key, char *name, size_t size) {
    /* what the documents call belief is a belief; the command has none to confuse it with */
    (void)snprintf(name, size, "%s", strcmp(key, "belief_kind") == 0 ? "belief" : key);
    for (char *at = name; *at; at++) {
        *at = *at == '_' ? '-' : *at;
    }
    return name;
}

static cli_option option_of(const sonde_setting *row, int32_t i, char *name) {
    return (cli_option){
        .name = option_name(row->key, name, NAME_SIZE),
        .kind = OPTION_ROW,
        .at = offsetof(cli_arguments, search) + row->at,
        .row = i,
        .setting = !row->rare,
        .names = row->names,
        .about = row->about,
        .value = row->value,
        .help = row->help,
    };
}

void options_init(void) {
    static bool done;
    static cli_option option[SONDE_SETTINGS_MAX];
    static char name[SONDE_SETTINGS_MAX][NAME_SIZE];
    const sonde_setting *row;
    int32_t n = 0;
    for (int p = 0; p < N_PART && !done; p++) {
        part[p]->option = option + n;
        part[p]->n = 0;
        for (int32_t i = 0; (row = sonde_setting_at(i)) != NULL && n < SONDE_SETTINGS_MAX; i++) {
            if (strcmp(row->part, part[p]->title) == 0) {
                option[n] = option_of(row, i, name[n]);
                part[p]->n++;
                n++;
            }
        }
    }
    done = true;
}

/* -------------------------------------------------------------------------------- its value -- */

static bool is_time(const sonde_setting *row) {
    return row->unit != NULL && strcmp(row->unit, "seconds") == 0;
}

/* `5ms`, `0.2s` or `5` as a number of seconds; false if it is none of these. */
static bool read_time(const char *text, char *seconds, size_t size) {
    char *end = NULL;
    const double number = strtod(text, &end);
    const bool plain = end != text && strspn(text, "0123456789+-.eE") == (size_t)(end - text);
    const bool whole = strcmp(end, "s") == 0;
    if (!plain || (!whole && *end != '\0' && strcmp(end, "ms") != 0)) {
        return false;
    }
    (void)snprintf(seconds, size, "%.17g", whole ? number : 1e-3 * number);
    return true;
}

sonde_status setting_read(const cli_option *option, const char *text,
                          sonde_search_settings *settings, sonde_error *error) {
    const sonde_setting *row = sonde_setting_at(option->row);
    char seconds[40];
    if (row->type == SONDE_FLAG) {
        return sonde_settings_set(settings, row->key, "true", error);
    }
    if (is_time(row)) {
        return read_time(text, seconds, sizeof seconds) &&
                       !sonde_settings_set(settings, row->key, seconds, NULL)
                   ? SONDE_OK
                   : fail(error, SONDE_BAD_ARGUMENT,
                          "--%s: expected a time such as 5ms or 0.2s, found \"%s\"", option->name,
                          text);
    }
    return sonde_settings_set(settings, row->key, text, error);
}

bool setting_is_set(const cli_option *option, const sonde_search_settings *settings) {
    const sonde_setting *row = sonde_setting_at(option->row);
    sonde_text value = {0};
    (void)sonde_settings_get(settings, row->key, &value, NULL);
    const bool set = value.size > 0 && !(row->type == SONDE_FLAG && value.data[0] == 'f');
    piece_free(&value);
    return set;
}

void setting_write(const cli_option *option, const sonde_search_settings *settings,
                   sonde_text *text) {
    const sonde_setting *row = sonde_setting_at(option->row);
    if (is_time(row)) {
        sonde_text seconds = {0};
        (void)sonde_settings_get(settings, row->key, &seconds, NULL);
        sonde_text_add_number(text, 1e3 * strtod(seconds.data ? seconds.data : "0", NULL));
        piece_free(&seconds);
        return;
    }
    (void)sonde_settings_get(settings, row->key, text, NULL);
}

/* follow.c: model, table and settings of a replay.
 *
 * A table that sonde simulate wrote has a document beside it, TABLE.json, which says how its agent
 * decided and learned. What the command line does not say is taken from there. */
#include "follow.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd.h"
#include "document.h"
#include "learning.h"

static const char *missing_name(int32_t missing) {
    static const char *const name[] = {"error", "predict", NULL};
    return name[missing >= 0 && missing < 2 ? missing : 2];
}

static const cli_option data_options[] = {
    {OPTION("data", TEXT, data, "FILE", "the table: CSV or TSV, with a header"), .reads = true},
    {OPTION("timing", CHOICE, timing, "WHEN",
            "whether a row's outcomes were seen before its action, or came of it"),
     .setting = true, .names = sonde_timing_name},
    {OPTION(
        "map", TEXT, map, "OURS=THEIRS,...",
        "what the table calls columns and cells: action.arm=choice,subject=subjID,reward.win=1")},
    {OPTION("base", WHOLE, base, "N", "what its numbers count from, 0 or 1"), .maximum = 1},
    {OPTION("missing", CHOICE, missing, "HOW",
            "what to do with a row without an action: fail, or go on from what is predicted"),
     .names = missing_name},
    {OPTION("lapse", REAL, lapse, "P", "probability of an action that nobody chose"),
     .setting = true, .maximum = 1},
    {OPTION("fixed", FLAG, fixed, NULL, "learn nothing, whatever is written beside the table")},
};
const cli_option_group group_data = {"Data", OPTION_TABLE(data_options)};

/* --------------------------------------------------------------------------- beside a table -- */

/* settings of the search that a likelihood depends on */
static const char *const kept[] = {
    "gamma", "alpha", "action",         "per_factor",         "inference",  "novelty",
    "nu_A",  "nu_B",  "weight_utility", "weight_information", "weight_cost"};
enum { N_KEPT = sizeof kept / sizeof *kept };

sonde_text follow_beside(const char *data) {
    sonde_text path = {0};
    sonde_text_add(&path, "%s.json", data);
    return path;
}

/* options that are lists, as they stand beside a table */
static const char *const list_name[] = {"eta_outcome", "omega_outcome", "modalities", "factors"};
enum { N_LIST = sizeof list_name / sizeof *list_name };

static const char **list_of(cli_arguments *args, int32_t i) {
    const char **const list[] = {&args->eta_outcome, &args->omega_outcome, &args->modalities,
                                 &args->factors};
    return list[i];
}

static const char *list_in(const cli_arguments *args, int32_t i) {
    const char *const list[] = {args->eta_outcome, args->omega_outcome, args->modalities,
                                args->factors};
    return list[i];
}

void follow_write_beside(const cli_arguments *args, const cli_world *world, sonde_text *json) {
    sonde_text_add(json, "{\"format\": \"sonde-table\", \"version\": 1, \"sonde\": \"%s\",\n",
                   sonde_version());
    sonde_text_add(json, "  \"command\": ");
    sonde_text_add_quoted(json, world->command.data);
    sonde_text_add(json, ",\n  \"model\": ");
    sonde_text_add_quoted(json, args->file);
    sonde_text_add(json,
                   ",\n  \"timing\": \"before\", \"seed\": %llu,\n  \"horizon\": %d, "
                   "\"lambda\": ",
                   (unsigned long long)args->search.seed, (int)world->policies->horizon);
    sonde_text_add_number(json, world->model->lambda);
    sonde_text_add(json, ", \"preferences\": \"%s\", \"information\": \"%s\",\n  \"settings\": {",
                   sonde_preferences_name((int32_t)world->model->preferences),
                   sonde_information_name((int32_t)world->model->information));
    for (int32_t i = 0; i < N_KEPT; i++) {
        sonde_text value = {0};
        (void)sonde_settings_get(&args->search, kept[i], &value, NULL);
        if (value.size > 0) {
            sonde_text_add(json, "%s\"%s\": ", i > 0 ? ", " : "", kept[i]);
            sonde_text_add_quoted(json, value.data);
        }
        piece_free(&value);
    }
    sonde_text_add(json, "},\n  \"learn\": ");
    if (args->learns) {
        sonde_learn_write(&args->learn, world->model, json);
    } else {
        sonde_text_add(json, "null");
    }
    for (int32_t i = 0; args->learns && i < N_LIST; i++) {
        const char *list = list_in(args, i);
        if (list) {
            sonde_text_add(json, ",\n  \"%s\": ", list_name[i]);
            sonde_text_add_quoted(json, list);
        }
    }
    sonde_text_add(json, "}\n");
}

static sonde_status bad_beside(cli_session *session, const char *path, const char *key) {
    return fail(&session->error, SONDE_BAD_INPUT,
                "%s: %s: does not say what it should; delete the file, or write it again with "
                "sonde simulate --data",
                path, key);
}

/* Whether an option is left to the document. */
static bool is_open(const cli_session *session, const cli_arguments *args, const char *key) {
    char name[32];
    return !option_given(session->verb, args, option_name(key, name, sizeof name));
}

/* A choice by its name; false if there is no such name. */
static bool take_choice(const json_t *object, const char *key, const char *(*names)(int32_t),
                        int32_t *to) {
    const char *word = json_string_value(json_object_get(object, key));
    const int32_t found = word ? sonde_name_find(names, word) : -1;
    if (found >= 0) {
        *to = found;
    }
    return found >= 0;
}

static bool take_real(const json_t *object, const char *key, double *to) {
    const json_t *value = json_object_get(object, key);
    if (json_is_number(value)) {
        *to = json_number_value(value);
    }
    return json_is_number(value);
}

/* How the agent learned. */
static bool take_learning(cli_arguments *args, const cli_session *session, const json_t *learn) {
    static const char *const eta[] = {"eta_A", "eta_B", "eta_C", "eta_D", "eta_E"};
    int32_t gamma = (int32_t)args->learn.gamma;
    bool right = true;
    int32_t when = (int32_t)args->learn.when;
    int32_t beliefs = (int32_t)args->learn.beliefs;
    int32_t beliefs_D = (int32_t)args->learn.beliefs_D;
    int32_t support = (int32_t)args->learn.support;
    int32_t toward = (int32_t)args->learn.toward;
    if (is_open(session, args, "when")) {
        right = take_choice(learn, "when", sonde_learn_when_name, &when);
    }
    if (right && is_open(session, args, "beliefs")) {
        right = take_choice(learn, "beliefs", sonde_learn_beliefs_name, &beliefs);
    }
    if (right && is_open(session, args, "beliefs_D")) {
        right = take_choice(learn, "beliefs_D", sonde_learn_beliefs_name, &beliefs_D);
    }
    if (right && is_open(session, args, "support")) {
        right = take_choice(learn, "support", sonde_support_name, &support);
    }
    if (right && is_open(session, args, "toward")) {
        right = take_choice(learn, "toward", sonde_toward_name, &toward);
    }
    args->learn.when = (sonde_learn_when)when;
    args->learn.beliefs = (sonde_learn_beliefs)beliefs;
    args->learn.beliefs_D = (sonde_learn_beliefs)beliefs_D;
    args->learn.support = (sonde_support)support;
    args->learn.toward = (sonde_toward)toward;
    for (int32_t i = 0; right && i < SONDE_N_LETTER; i++) {
        right = !is_open(session, args, eta[i]) || take_real(learn, eta[i], &args->learn.eta[i]) ||
                i == SONDE_E;
    }
    if (right && is_open(session, args, "precision") && json_object_get(learn, "gamma")) {
        right = take_choice(learn, "gamma", sonde_precision_name, &gamma);
        args->learn.gamma = (sonde_precision)gamma;
    }
    if (right && args->learn.gamma == SONDE_PRECISION_EXPECTED) {
        (void)(is_open(session, args, "alpha-g") &&
               take_real(learn, "alpha_g", &args->learn.alpha_g));
        (void)(is_open(session, args, "beta-g") && take_real(learn, "beta_g", &args->learn.beta_g));
    }
    right = right &&
            (!is_open(session, args, "decay") || take_real(learn, "decay", &args->learn.decay));
    right = right &&
            (!is_open(session, args, "omega") || take_real(learn, "omega", &args->learn.omega));
    right = right &&
            (!is_open(session, args, "least") || take_real(learn, "least", &args->learn.least));
    const json_t *until = json_object_get(learn, "until");
    if (right && is_open(session, args, "until") && json_is_integer(until)) {
        args->learn.until = (int32_t)json_integer_value(until);
    }
    args->learns = true;
    return right;
}

/* What the model is read with. */
static bool take_model(cli_arguments *args, const cli_session *session, const json_t *root) {
    const json_t *horizon = json_object_get(root, "horizon");
    if (is_open(session, args, "horizon") && json_is_integer(horizon)) {
        args->horizon = (int32_t)json_integer_value(horizon);
    }
    bool right = !is_open(session, args, "lambda") || take_real(root, "lambda", &args->lambda);
    right = right && (!is_open(session, args, "preferences") ||
                      take_choice(root, "preferences", sonde_preferences_name, &args->preferences));
    return right && (!is_open(session, args, "information") ||
                     take_choice(root, "information", sonde_information_name, &args->information));
}

static sonde_status take_settings(cli_arguments *args, cli_session *session, const char *path,
                                  const json_t *root) {
    const json_t *settings = json_object_get(root, "settings");
    const json_t *learn = json_object_get(root, "learn");
    if (!json_is_object(settings) || !take_model(args, session, root)) {
        return bad_beside(session, path, "settings");
    }
    for (int32_t i = 0; i < N_KEPT; i++) {
        const char *value = json_string_value(json_object_get(settings, kept[i]));
        if (value && is_open(session, args, kept[i]) &&
            sonde_settings_set(&args->search, kept[i], value, NULL)) {
            return bad_beside(session, path, kept[i]);
        }
    }
    if (is_open(session, args, "timing") &&
        !take_choice(root, "timing", sonde_timing_name, &args->timing)) {
        return bad_beside(session, path, "timing");
    }
    if (json_is_object(learn) && !args->fixed && !take_learning(args, session, learn)) {
        return bad_beside(session, path, "learn");
    }
    return SONDE_OK;
}

/* What the document says, which is one of ours. */
static sonde_status take_beside(cli_arguments *args, cli_follow *follow, const char *path,
                                const json_t *root) {
    sonde_status status = take_settings(args, follow->session, path, root);
    for (int32_t i = 0; !status && args->learns && i < N_LIST; i++) {
        const char *list = json_string_value(json_object_get(root, list_name[i]));
        if (list && is_open(follow->session, args, list_name[i])) {
            follow->held[i] = strdup(list);
            *list_of(args, i) = follow->held[i];
            status = follow->held[i] ? SONDE_OK : SONDE_NO_MEMORY;
        }
    }
    if (!status) {
        session_note(follow->session, "settings that are not given are those of %s", path);
    }
    return status;
}

/* Reads the document beside the table, if there is one, and nobody says whose conventions hold. One
 * that is there and cannot be read is a failure: without it, other numbers would come out. */
static sonde_status read_beside(cli_arguments *args, cli_session *session, cli_follow *follow) {
    if (args->like >= 0) {
        return SONDE_OK;
    }
    sonde_text path = follow_beside(args->data);
    json_t *root = NULL;
    sonde_status status = path.failed ? SONDE_NO_MEMORY
                          : access(path.data, F_OK) != 0 && errno == ENOENT
                              ? SONDE_OK
                              : document_read(path.data, &root, &session->error);
    const char *format = json_string_value(json_object_get(root, "format"));
    if (!status && format && !strcmp(format, "sonde-table")) {
        status = take_beside(args, follow, path.data, root);
    }
    json_decref(root);
    piece_free(&path);
    return status;
}

/* ------------------------------------------------------------------------------------- open -- */

static bool is_alike(const sonde_model *a, const sonde_model *b) {
    bool same = sonde_model_kind(b) == SONDE_KIND_GENERAL && a->n_factor == b->n_factor &&
                a->n_modality == b->n_modality && a->number_bytes == b->number_bytes;
    for (int32_t f = 0; same && f < a->n_factor; f++) {
        same = a->factor[f].n_state == b->factor[f].n_state &&
               a->factor[f].n_action == b->factor[f].n_action;
    }
    for (int32_t m = 0; same && m < a->n_modality; m++) {
        same = a->modality[m].n_outcome == b->modality[m].n_outcome &&
               a->modality[m].n_state == b->modality[m].n_state;
    }
    return same;
}

/* A file that the table names, beside the model where it has no folder of its own. */
static void find_file(const char *model, const char *name, sonde_text *path) {
    const char *slash = strrchr(model, '/');
    if (name[0] != '/' && slash) {
        sonde_text_add(path, "%.*s/", (int)(slash - model), model);
    }
    sonde_text_add(path, "%s", name);
}

static sonde_status read_conditions(cli_follow *follow) {
    const sonde_data *data = follow->data;
    cli_session *session = follow->session;
    sonde_model_settings settings = arguments_model(follow->args);
    sonde_status status = SONDE_OK;
    /* NOLINTNEXTLINE(bugprone-sizeof-expression): an array of pointers */
    follow->condition = calloc((size_t)data->n_model + 1, sizeof *follow->condition);
    if (!follow->condition) {
        return SONDE_NO_MEMORY;
    }
    settings.gamma = -1.0;
    for (int32_t i = 0; !status && i < data->n_model; i++) {
        sonde_text path = {0};
        find_file(follow->args->file, data->model_name[i], &path);
        const sonde_source source = {.origin = path.data};
        status = path.failed ? SONDE_NO_MEMORY
                             : sonde_model_read(&source, &settings, &session->run,
                                                &follow->condition[i], &session->error);
        if (!status && !is_alike(follow->world.model, follow->condition[i])) {
            status = fail(&session->error, SONDE_BAD_INPUT,
                          "%s: column model: %s has other factors or outcomes than %s; models of "
                          "one table have the same",
                          data->origin, data->model_name[i], follow->args->file);
        }
        piece_free(&path);
    }
    return status;
}

sonde_status follow_open(cli_arguments *args, cli_session *session, cli_follow *follow) {
    *follow = (cli_follow){.args = args, .session = session};
    if (!args->data) {
        return fail(&session->error, SONDE_BAD_ARGUMENT,
                    "--data: expected a table of outcomes and actions, found none%s",
                    session->verb->group == replay_groups ? " (trials of SPM's need --scheme spm)"
                                                          : "");
    }
    if (args->fixed && args->learns) {
        return fail(&session->error, SONDE_BAD_ARGUMENT,
                    "--fixed: says the opposite of --learn; give one or the other");
    }
    sonde_status status = read_beside(args, session, follow);
    if (!status) {
        status = world_open(args, session, &follow->world);
    }
    const sonde_data_settings reading = {
        .map = args->map, .base = args->base, .missing_actions = args->missing == 1};
    const sonde_source source = {.origin = args->data};
    if (!status) {
        status =
            sonde_data_read(&source, follow->world.model, &reading, &follow->data, &session->error);
    }
    if (!status) {
        status = read_conditions(follow);
    }
    if (!status && args->learns) {
        status = rates_open(args, follow->world.model, &follow->rates, &session->error);
    }
    if (!status) {
        learning_settle(session->verb, args, follow->data->n_longest);
        follow->settings = sonde_replay_defaults(follow->world.model);
        follow->settings.condition = (const sonde_model *const *)follow->condition;
        follow->settings.search = arguments_search(args);
        follow->settings.learns = args->learns;
        follow->settings.learn = args->learn;
        follow->settings.timing = (sonde_timing)args->timing;
        follow->settings.lapse = args->lapse;
    }
    return status;
}

void follow_close(cli_follow *follow) {
    for (int32_t i = 0; follow->condition && i < follow->data->n_model; i++) {
        sonde_model_free(follow->condition[i]);
    }
    free(follow->condition);
    rates_close(&follow->rates);
    for (int32_t i = 0; i < N_LIST; i++) {
        free(follow->held[i]);
    }
    sonde_data_free(follow->data);
    world_close(&follow->world);
}

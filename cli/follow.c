/* follow.c: model, table and settings of a replay. */
#include "follow.h"

#include <stdlib.h>
#include <string.h>

#include "cmd.h"
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
    sonde_status status = beside_read(args, session, &follow->beside);
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
    beside_close(&follow->beside);
    sonde_data_free(follow->data);
    world_close(&follow->world);
}

/* beside.c: the document beside a table, which says how the table's agent decided and learned.
 *
 * What is written here is read here, strictly, since whatever is read otherwise than it was meant
 * gives other numbers: nothing may be missing, of another type, or there besides. */
#include "beside.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd.h"
#include "document.h"

/* settings of the search that a likelihood depends on */
static const char *const kept[] = {
    "gamma", "alpha", "action",         "per_factor",         "inference",  "novelty",
    "nu_A",  "nu_B",  "weight_utility", "weight_information", "weight_cost"};
enum { N_KEPT = sizeof kept / sizeof *kept };

/* options that are lists, as they stand beside a table */
static const char *const list_name[BESIDE_LISTS] = {"eta_outcome", "omega_outcome", "modalities",
                                                    "factors"};

sonde_text beside_path(const char *data) {
    sonde_text path = {0};
    sonde_text_add(&path, "%s.json", data);
    return path;
}

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

/* ----------------------------------------------------------------------------------- writing -- */

/* The setting that lets probabilities be others than a replay's, which are those of all policies,
 * in open loop, at every step; NULL: they are the same. */
static const char *unlike(const sonde_search_settings *search) {
    const char *name = sonde_plan_search_name((int32_t)search->search);
    const bool bounded = strcmp(name, "bounded") == 0;
    return search->loop != SONDE_LOOP_OPEN         ? "loop"
           : !bounded && strcmp(name, "full") != 0 ? "search"
           : search->n_follow > 1                  ? "replan_every"
           : bounded && search->budget > 0         ? "budget"
           : bounded && search->deadline > 0.0     ? "deadline"
           : bounded && search->epsilon > 1e-12    ? "epsilon"
                                                   : NULL;
}

/* "unlike": "loop closed", where a replay would be of another agent. */
static void add_unlike(const sonde_search_settings *search, sonde_text *json) {
    const char *key = unlike(search);
    if (key) {
        sonde_text value = {0};
        (void)sonde_settings_get(search, key, &value, NULL);
        sonde_text_add(json, ",\n  \"unlike\": \"%s %s\"", key, value.data ? value.data : "");
        piece_free(&value);
    }
}

static void add_settings(const sonde_search_settings *search, sonde_text *json) {
    sonde_text_add(json, ",\n  \"settings\": {");
    for (int32_t i = 0; i < N_KEPT; i++) {
        sonde_text value = {0};
        (void)sonde_settings_get(search, kept[i], &value, NULL);
        if (value.size > 0) {
            sonde_text_add(json, "%s\"%s\": ", i > 0 ? ", " : "", kept[i]);
            sonde_text_add_quoted(json, value.data);
        }
        piece_free(&value);
    }
    sonde_text_add(json, "}");
}

void beside_write(const cli_arguments *args, const cli_world *world, sonde_text *json) {
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
    sonde_text_add(json, ", \"preferences\": \"%s\", \"information\": \"%s\"",
                   sonde_preferences_name((int32_t)world->model->preferences),
                   sonde_information_name((int32_t)world->model->information));
    add_settings(&args->search, json);
    sonde_text_add(json, ",\n  \"learn\": ");
    if (args->learns) {
        sonde_learn_write(&args->learn, world->model, json);
    } else {
        sonde_text_add(json, "null");
    }
    for (int32_t i = 0; args->learns && i < BESIDE_LISTS; i++) {
        const char *list = list_in(args, i);
        if (list) {
            sonde_text_add(json, ",\n  \"%s\": ", list_name[i]);
            sonde_text_add_quoted(json, list);
        }
    }
    add_unlike(&args->search, json);
    sonde_text_add(json, "}\n");
}

/* ----------------------------------------------------------------------------------- reading -- */

/* an object of the document that is being read */
typedef struct {
    cli_arguments *args;
    cli_session *session;
    const char *origin;
    const char *path; /* before its keys: "learn.", or "" */
    const json_t *object;
} reading;

static const char *root_key(int32_t i) {
    static const char *const key[] = {"format",     "version", "sonde",       "command",
                                      "model",      "timing",  "seed",        "horizon",
                                      "lambda",     "learn",   "preferences", "information",
                                      "settings",   "unlike",  "eta_outcome", "omega_outcome",
                                      "modalities", "factors", NULL};
    return key[i];
}

static const char *setting_key(int32_t i) {
    return i < N_KEPT ? kept[i] : NULL;
}

static const char *learn_key(int32_t i) {
    static const char *const key[] = {
        "when",        "beliefs",       "beliefs_D",  "support", "eta_A",  "eta_B",
        "eta_C",       "eta_D",         "eta_E",      "decay",   "omega",  "toward",
        "until",       "least",         "gamma",      "alpha_g", "beta_g", "factors",
        "eta_outcome", "omega_outcome", "modalities", NULL};
    return key[i];
}

static sonde_status expected(const reading *r, const char *key, const char *what) {
    char path[64];
    (void)snprintf(path, sizeof path, "%s%s", r->path, key);
    return document_expected(r->origin, path, what, json_object_get(r->object, key),
                             &r->session->error);
}

/* Whether an option is left to the document. */
static bool is_open(const reading *r, const char *key) {
    char name[32];
    return !option_given(r->session->verb, r->args, option_name(key, name, sizeof name));
}

/* A choice by its name. */
static sonde_status take_choice(const reading *r, const char *key, const char *option,
                                const char *(*names)(int32_t), int32_t *to) {
    const char *word = json_string_value(json_object_get(r->object, key));
    const int32_t found = word ? sonde_name_find(names, word) : -1;
    if (found < 0) {
        sonde_text all = {0};
        for (int32_t i = 0; names(i); i++) {
            sonde_text_add(&all, "%s%s", i > 0 ? " or " : "", names(i));
        }
        const sonde_status status = expected(r, key, all.data ? all.data : "a name");
        piece_free(&all);
        return status;
    }
    *to = is_open(r, option) ? found : *to;
    return SONDE_OK;
}

static sonde_status take_real(const reading *r, const char *key, double most, double *to) {
    const json_t *value = json_object_get(r->object, key);
    const double number = json_number_value(value);
    if (!json_is_number(value) || !(number >= 0.0 && number <= most)) {
        char what[64];
        (void)snprintf(what, sizeof what, "a number from 0 to %g", most);
        return expected(r, key, what);
    }
    *to = is_open(r, key) ? number : *to;
    return SONDE_OK;
}

static sonde_status take_whole(const reading *r, const char *key, int32_t least, int32_t *to) {
    const json_t *value = json_object_get(r->object, key);
    const json_int_t number = json_integer_value(value);
    if (!json_is_integer(value) || number < least || number > INT32_MAX) {
        char what[64];
        (void)snprintf(what, sizeof what, "a whole number from %d", (int)least);
        return expected(r, key, what);
    }
    *to = is_open(r, key) ? (int32_t)number : *to;
    return SONDE_OK;
}

static sonde_status take_learn_choices(const reading *r, sonde_learn_settings *learn) {
    struct {
        const char *key;
        const char *option;
        const char *(*names)(int32_t);
        int32_t value;
    } choice[] = {{"when", "when", sonde_learn_when_name, (int32_t)learn->when},
                  {"beliefs", "beliefs", sonde_learn_beliefs_name, (int32_t)learn->beliefs},
                  {"beliefs_D", "beliefs_D", sonde_learn_beliefs_name, (int32_t)learn->beliefs_D},
                  {"support", "support", sonde_support_name, (int32_t)learn->support},
                  {"toward", "toward", sonde_toward_name, (int32_t)learn->toward},
                  {"gamma", "precision", sonde_precision_name, (int32_t)learn->gamma}};
    enum { N_CHOICE = sizeof choice / sizeof *choice };
    sonde_status status = SONDE_OK;
    for (int32_t i = 0; !status && i < N_CHOICE; i++) {
        const bool old = i == N_CHOICE - 1 && !json_object_get(r->object, "gamma");
        status = old ? SONDE_OK
                     : take_choice(r, choice[i].key, choice[i].option, choice[i].names,
                                   &choice[i].value);
    }
    learn->when = (sonde_learn_when)choice[0].value;
    learn->beliefs = (sonde_learn_beliefs)choice[1].value;
    learn->beliefs_D = (sonde_learn_beliefs)choice[2].value;
    learn->support = (sonde_support)choice[3].value;
    learn->toward = (sonde_toward)choice[4].value;
    learn->gamma = (sonde_precision)choice[5].value;
    return status;
}

static sonde_status take_learn_numbers(const reading *r, sonde_learn_settings *learn) {
    const struct {
        const char *key;
        bool required;
        double most;
        double *to;
    } real[] = {
        {"eta_A", true, 1e12, &learn->eta[SONDE_A]},  {"eta_B", true, 1e12, &learn->eta[SONDE_B]},
        {"eta_C", true, 1e12, &learn->eta[SONDE_C]},  {"eta_D", true, 1e12, &learn->eta[SONDE_D]},
        {"eta_E", false, 1e12, &learn->eta[SONDE_E]}, {"decay", true, 1e100, &learn->decay},
        {"omega", true, 1.0, &learn->omega},          {"least", true, 1.0, &learn->least},
        {"alpha_g", false, 1e100, &learn->alpha_g},   {"beta_g", false, 1e100, &learn->beta_g}};
    sonde_status status = SONDE_OK;
    for (size_t i = 0; !status && i < sizeof real / sizeof *real; i++) {
        if (real[i].required || json_object_get(r->object, real[i].key)) {
            status = take_real(r, real[i].key, real[i].most, real[i].to);
        }
    }
    const json_t *until = json_object_get(r->object, "until");
    return status || !until || json_is_null(until) ? status
                                                   : take_whole(r, "until", 0, &learn->until);
}

/* How the agent learned; nothing is taken where nothing is to be learned. */
static sonde_status take_learning(const reading *r) {
    const json_t *object = json_object_get(r->object, "learn");
    const reading learn = {r->args, r->session, r->origin, "learn.", object};
    sonde_learn_settings taken = r->args->learn;
    if (json_is_null(object)) {
        return SONDE_OK;
    }
    if (!json_is_object(object)) {
        return expected(r, "learn", "an object, or null");
    }
    sonde_status status = document_keys(r->origin, "learn", object, learn_key, &r->session->error);
    if (!status) {
        status = take_learn_choices(&learn, &taken);
    }
    if (!status) {
        status = take_learn_numbers(&learn, &taken);
    }
    if (!status && !r->args->fixed) {
        r->args->learn = taken;
        r->args->learns = true;
    }
    return status;
}

static sonde_status take_settings(const reading *r) {
    const json_t *object = json_object_get(r->object, "settings");
    const reading settings = {r->args, r->session, r->origin, "settings.", object};
    if (!json_is_object(object)) {
        return expected(r, "settings", "an object of settings");
    }
    sonde_status status =
        document_keys(r->origin, "settings", object, setting_key, &r->session->error);
    for (int32_t i = 0; !status && i < N_KEPT; i++) {
        const json_t *value = json_object_get(object, kept[i]);
        sonde_search_settings tried = r->args->search;
        if (value && (!json_is_string(value) ||
                      sonde_settings_set(&tried, kept[i], json_string_value(value), NULL))) {
            status = expected(&settings, kept[i], "a value of it, as text");
        } else if (value && is_open(r, kept[i])) {
            r->args->search = tried;
        }
    }
    return status;
}

/* What the model is read with. */
static sonde_status take_model(const reading *r) {
    sonde_status status = take_whole(r, "horizon", 1, &r->args->horizon);
    if (!status) {
        status = take_real(r, "lambda", 1e100, &r->args->lambda);
    }
    if (!status) {
        status = take_choice(r, "preferences", "preferences", sonde_preferences_name,
                             &r->args->preferences);
    }
    if (!status) {
        status = take_choice(r, "information", "information", sonde_information_name,
                             &r->args->information);
    }
    return status ? status
                  : take_choice(r, "timing", "timing", sonde_timing_name, &r->args->timing);
}

static sonde_status take_lists(const reading *r, cli_beside *beside) {
    sonde_status status = SONDE_OK;
    for (int32_t i = 0; !status && i < BESIDE_LISTS; i++) {
        const json_t *list = json_object_get(r->object, list_name[i]);
        if (list && !json_is_string(list)) {
            status = expected(r, list_name[i], "a list as text, MODALITY.OUTCOME=X,...");
        } else if (list && r->args->learns && is_open(r, list_name[i])) {
            beside->held[i] = strdup(json_string_value(list));
            *list_of(r->args, i) = beside->held[i];
            status = beside->held[i] ? SONDE_OK : SONDE_NO_MEMORY;
        }
    }
    return status;
}

/* Refuses an agent whose decisions were others than those of a replay. */
static sonde_status check_likeness(const reading *r) {
    const json_t *found = json_object_get(r->object, "unlike");
    return !found ? SONDE_OK
           : !json_is_string(found)
               ? expected(r, "unlike", "text")
               : fail(&r->session->error, SONDE_BAD_INPUT,
                      "%s: the table is of an agent with %s, whose actions have other "
                      "probabilities than those of an agent that scores all policies, in open "
                      "loop, at every step; simulate such a one, or delete the file to take the "
                      "table for one of such an agent",
                      r->origin, json_string_value(found));
}

/* Takes what the document says, which the command line leaves open. */
static sonde_status take(const reading *r, cli_beside *beside) {
    sonde_status status = take_model(r);
    if (!status) {
        status = take_settings(r);
    }
    if (!status) {
        status = take_learning(r);
    }
    return status ? status : take_lists(r, beside);
}

static sonde_status read_document(const reading *r, cli_beside *beside) {
    sonde_error *error = &r->session->error;
    sonde_status status = document_format(r->origin, (json_t *)r->object, "sonde-table", 1, error);
    if (!status) {
        status = document_keys(r->origin, "", r->object, root_key, error);
    }
    if (!status && r->args->like < 0) {
        status = take(r, beside);
    }
    if (status == SONDE_BAD_INPUT) {
        const size_t n = strlen(error->text);
        (void)snprintf(error->text + n, sizeof error->text - n,
                       "; delete the file, or write it again with sonde simulate --data");
    }
    if (!status) {
        status = check_likeness(r);
    }
    if (!status && r->args->like < 0) {
        session_note(r->session, "settings that are not given are those of %s", r->origin);
    }
    return status;
}

sonde_status beside_read(cli_arguments *args, cli_session *session, cli_beside *beside) {
    sonde_text path = beside_path(args->data);
    json_t *root = NULL;
    const bool none = !path.failed && access(path.data, F_OK) != 0 && errno == ENOENT;
    sonde_status status = path.failed ? SONDE_NO_MEMORY
                          : none      ? SONDE_OK
                                      : document_read(path.data, &root, &session->error);
    if (!status && root) {
        const reading r = {args, session, path.data, "", root};
        status = read_document(&r, beside);
    }
    json_decref(root);
    piece_free(&path);
    return status;
}

void beside_close(cli_beside *beside) {
    for (int32_t i = 0; i < BESIDE_LISTS; i++) {
        free(beside->held[i]);
    }
}

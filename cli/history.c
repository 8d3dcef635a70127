/* history.c: counts over the steps or episodes of a simulation. */
#include "history.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    N_NUMBER = 64,     /* a picture shows arrays with more by how far they came alone, a document
                          by the counts that changed */
    N_NOTED = 4000000, /* more numbers of one array are not noted */
    N_TOLD = 50000,    /* more in all are told in a document only where somebody asks */
    N_LINE = 12,
    N_ARRAY = 64
};

typedef struct {
    sonde_letter letter;
    int32_t i;
    int32_t n; /* numbers that are noted; 0: there are too many */
    int32_t n_column;
    double *counts; /* (n_most, n) */
    double *kl;     /* (n_most) */
    char name[16];
} array;

struct cli_history {
    bool by_step;
    int32_t n_most;
    int32_t n; /* moments so far */
    int32_t n_array;
    array of[N_ARRAY];
    int64_t n_step;      /* lived */
    sonde_text episodes; /* what was done in each */
};

void history_free(cli_history *history) {
    for (int32_t i = 0; history && i < history->n_array; i++) {
        free(history->of[i].counts);
        free(history->of[i].kl);
    }
    if (history) {
        sonde_text_free(&history->episodes);
    }
    free(history);
}

bool history_by_step(const cli_history *history) {
    return history->by_step;
}

static void open_array(cli_history *h, const sonde_agent *agent, sonde_letter letter, int32_t i) {
    const int64_t n = sonde_agent_counts(agent, letter, i, NULL);
    if (n == 0 || h->n_array == N_ARRAY) {
        return;
    }
    array *a = &h->of[h->n_array++];
    int32_t n_row = 1;
    *a = (array){.letter = letter, .i = i, .n = n * h->n_most <= N_NOTED ? (int32_t)n : 0};
    a->n_column =
        (int32_t)sonde_model_counts(sonde_agent_policies(agent)->model, letter, i, NULL, &n_row);
    if (letter == SONDE_E) {
        (void)snprintf(a->name, sizeof a->name, "E");
    } else {
        (void)snprintf(a->name, sizeof a->name, "%c[%d]", "ABCD"[letter], (int)i);
    }
    a->kl = calloc((size_t)h->n_most, sizeof *a->kl);
    a->counts = calloc((size_t)h->n_most * (size_t)(a->n > 0 ? a->n : 1), sizeof *a->counts);
    if (!a->kl || !a->counts) {
        piece_lose();
    }
}

cli_history *history_new(const sonde_agent *agent, bool by_step, int32_t n_most) {
    cli_history *h = calloc(1, sizeof *h);
    const sonde_model *model = sonde_agent_policies(agent)->model;
    if (!h) {
        piece_lose();
        return NULL;
    }
    h->by_step = by_step;
    h->n_most = n_most + 1;
    for (int32_t letter = 0; letter < SONDE_N_LETTER; letter++) {
        const bool factors = letter == SONDE_B || letter == SONDE_D;
        const int32_t n = letter == SONDE_E ? 1 : factors ? model->n_factor : model->n_modality;
        for (int32_t i = 0; i < n; i++) {
            open_array(h, agent, (sonde_letter)letter, i);
        }
    }
    history_note(h, agent);
    return h;
}

void history_note(cli_history *h, const sonde_agent *agent) {
    if (h->n == h->n_most) {
        return;
    }
    for (int32_t i = 0; i < h->n_array; i++) {
        const array *a = &h->of[i];
        if (a->kl) {
            a->kl[h->n] = sonde_agent_learned(agent, a->letter, a->i).kl;
        }
        if (a->counts && a->n > 0) {
            (void)sonde_agent_counts(agent, a->letter, a->i,
                                     a->counts + (size_t)h->n * (size_t)a->n);
        }
    }
    h->n++;
}

/* The name of a place on one axis, or its number. */
static void add_place(sonde_text *text, const char *const *name, int32_t i, int32_t most) {
    if (name) {
        sonde_text_add(text, "%.*s", (int)most, name[i]);
    } else {
        sonde_text_add(text, "%d", (int)i);
    }
}

static int32_t rows_of(const sonde_model *model, const array *a) {
    const bool modal = a->letter == SONDE_A || a->letter == SONDE_C;
    return a->letter == SONDE_E ? a->n
           : modal              ? model->modality[a->i].n_outcome
                                : model->factor[a->i].n_state;
}

/* What a row is: an outcome, a state, an action or a policy. Names are cut at `most` letters. */
static void add_row(const sonde_model *model, const array *a, int32_t row, int32_t most,
                    sonde_text *text) {
    const bool modal = a->letter == SONDE_A || a->letter == SONDE_C;
    if (a->letter != SONDE_E) {
        add_place(text, modal ? model->modality[a->i].outcome_name : model->factor[a->i].state_name,
                  row, most);
    } else if (model->policies == SONDE_POLICIES_LISTED) {
        sonde_text_add(text, "policy %d", (int)row);
    } else {
        sonde_model_say(model, SONDE_NOUN_ACTION, (int32_t[]){-1, row}, most + 2, text);
    }
}

/* What a column is: the states that A or B depend on, and B's action; nothing for others. */
static void add_column(const sonde_model *model, const array *a, int32_t column, int32_t most,
                       sonde_text *text) {
    const bool modal = a->letter == SONDE_A;
    const sonde_modality *modality = modal ? &model->modality[a->i] : NULL;
    const sonde_factor *factor = a->letter == SONDE_B ? &model->factor[a->i] : NULL;
    const char *comma = most < 20 ? "," : ", ";
    if (!modality && !factor) {
        return;
    }
    int32_t below = a->n / rows_of(model, a);
    const int32_t n_of = modality ? modality->n_factor : factor->n_depend;
    for (int32_t f = 0; f < n_of; f++) {
        const sonde_factor *one =
            &model->factor[modality ? modality->factor[f] : factor->depend[f]];
        below /= one->n_state;
        sonde_text_add(text, "%s", f > 0 ? comma : "");
        add_place(text, one->state_name, column / below, most);
        column %= below;
    }
    if (factor) {
        sonde_text_add(text, "%s", comma);
        add_place(text, factor->action_name, column, most);
    }
}

/* How much the outcomes of a step are preferred: ln C, or C where that is a utility; less what the
 * action costs in the state it is taken in, where the world is the model. */
static double preference_of(const sonde_model *model, const sonde_episode *episode, int32_t t,
                            bool at_home) {
    const int32_t *outcome = episode->outcome + (int64_t)t * episode->n_modality;
    int64_t joint = 0;
    double sum = 0.0;
    for (int32_t m = 0; m < model->n_modality; m++) {
        sum += outcome[m] >= 0 ? model->modality[m].preference[outcome[m]] : 0.0;
    }
    if (!model->action_cost || !episode->state || !at_home) {
        return sum;
    }
    for (int32_t f = 0; f < model->n_factor; f++) {
        joint =
            joint * model->factor[f].n_state + episode->state[(int64_t)t * episode->n_factor + f];
    }
    return sum - model->action_cost[joint * model->n_action + episode->action[t]];
}

void history_tell(cli_history *h, const sonde_model *model, const sonde_episode *episode,
                  bool at_home) {
    sonde_text *text = &h->episodes;
    h->n_step += episode->n_step;
    sonde_text_add(text, "%s\n  {\"action\": [", text->size > 0 ? "," : "");
    for (int32_t t = 0; t < episode->n_step; t++) {
        sonde_text_add(text, "%s%d", t > 0 ? ", " : "", (int)episode->action[t]);
    }
    sonde_text_add(text, "], \"preference\": [");
    for (int32_t t = 0; t < episode->n_step; t++) {
        sonde_text_add(text, t > 0 ? ", " : "");
        sonde_text_add_number(text, preference_of(model, episode, t, at_home));
    }
    sonde_text_add(text, "], \"surprise\": [");
    for (int32_t t = 0; t < episode->n_step; t++) {
        sonde_text_add(text, t > 0 ? ", " : "");
        sonde_text_add_number(text, episode->energy[t].surprise);
    }
    sonde_text_add(text, "]}");
}

/* A list of names: those of rows or of columns of an array, or, without one, of actions. */
static void write_names(const sonde_model *model, const array *a, const char *key, bool is_column,
                        sonde_text *json) {
    enum { WHOLE = 1000 };
    const int32_t n_row = a ? rows_of(model, a) : model->n_action;
    const int32_t n = is_column ? a->n / n_row : n_row;
    sonde_text_add(json, "\"%s\": [", key);
    for (int32_t i = 0; i < n; i++) {
        sonde_text name = {0};
        if (!a) {
            sonde_model_say(model, SONDE_NOUN_ACTION, (int32_t[]){-1, i}, 0, &name);
        } else if (is_column) {
            add_column(model, a, i, WHOLE, &name);
        } else {
            add_row(model, a, i, WHOLE, &name);
        }
        sonde_text_add(json, i > 0 ? ", " : "");
        sonde_text_add_quoted(json, name.data ? name.data : "");
        json->failed = json->failed || name.failed;
        sonde_text_free(&name);
    }
    sonde_text_add(json, "]");
}

static double count_of(const array *a, int32_t moment, int32_t k) {
    return a->counts[(size_t)moment * (size_t)a->n + (size_t)k];
}

/* Whether a count is told at every moment: all of a small array, of others those that changed. */
static bool is_told(const cli_history *h, const array *a, int32_t k) {
    bool changed = a->n <= N_NUMBER;
    for (int32_t t = 1; t < h->n && !changed; t++) {
        changed = fabs(count_of(a, t, k) - count_of(a, 0, k)) > 1e-9;
    }
    return changed;
}

static int64_t count_told(const cli_history *h, const array *a) {
    int64_t n = a->n <= N_NUMBER ? 0 : a->n;
    for (int32_t k = 0; a->counts && k < a->n; k++) {
        n += is_told(h, a, k) ? h->n : 0;
    }
    return n;
}

/* All counts at first, and which of them are told afterwards. */
static void write_entries(const cli_history *h, const array *a, sonde_text *json) {
    const char *comma = "";
    sonde_text_add(json, ",\n   \"first\": [");
    for (int32_t k = 0; k < a->n; k++) {
        sonde_text_add(json, k > 0 ? ", " : "");
        sonde_text_add_number(json, count_of(a, 0, k));
    }
    sonde_text_add(json, "],\n   \"entries\": [");
    for (int32_t k = 0; k < a->n; k++) {
        if (is_told(h, a, k)) {
            sonde_text_add(json, "%s%d", comma, (int)k);
            comma = ", ";
        }
    }
    sonde_text_add(json, "]");
}

static void write_counts(const cli_history *h, const sonde_model *model, const array *a,
                         sonde_text *json) {
    sonde_text_add(json, ",\n   ");
    write_names(model, a, "rows", false, json);
    sonde_text_add(json, ", ");
    write_names(model, a, "columns", true, json);
    if (a->n > N_NUMBER) {
        write_entries(h, a, json);
    }
    for (int32_t t = 0; t < h->n; t++) {
        const char *comma = "";
        sonde_text_add(json, t > 0 ? ", [" : ",\n   \"counts\": [[");
        for (int32_t k = 0; k < a->n; k++) {
            if (is_told(h, a, k)) {
                sonde_text_add(json, "%s", comma);
                sonde_text_add_number(json, count_of(a, t, k));
                comma = ", ";
            }
        }
        sonde_text_add(json, t == h->n - 1 ? "]]" : "]");
    }
}

void history_write(const cli_history *h, const sonde_model *model, bool all, sonde_text *json) {
    int64_t n = 3 * h->n_step + model->n_action;
    for (int32_t i = 0; i < h->n_array; i++) {
        n += count_told(h, &h->of[i]);
    }
    const bool counts = all || n <= N_TOLD;
    sonde_text_add(json, "\"history\": {\"by\": \"%s\", \"arrays\": [",
                   h->by_step ? "step" : "episode");
    for (int32_t i = 0; i < h->n_array; i++) {
        const array *a = &h->of[i];
        sonde_text_add(json, "%s\n  {\"array\": \"%s\", \"kl\": [", i > 0 ? "," : "", a->name);
        for (int32_t t = 0; a->kl && t < h->n; t++) {
            sonde_text_add(json, t > 0 ? ", " : "");
            sonde_text_add_number(json, a->kl[t]);
        }
        sonde_text_add(json, "]");
        if (counts && a->counts && a->n > 0) {
            write_counts(h, model, a, json);
        }
        sonde_text_add(json, "}");
    }
    sonde_text_add(json, "]");
    if (counts) {
        sonde_text_add(json, ",\n ");
        write_names(model, NULL, "actions", false, json);
        sonde_text_add(json, ",\n \"episodes\": [%s]", h->episodes.data ? h->episodes.data : "");
        json->failed = json->failed || h->episodes.failed;
    }
    sonde_text_add(json, "}");
}

/* ----------------------------------------------------------------------------------- picture -- */

static void add_label(const sonde_model *model, const array *a, int32_t k, sonde_text *text) {
    enum { MOST = 12 };
    const int32_t n_column = a->n / rows_of(model, a);
    add_row(model, a, k / n_column, MOST, text);
    if (a->letter == SONDE_A || a->letter == SONDE_B) {
        sonde_text_add(text, " | ");
        add_column(model, a, k % n_column, MOST, text);
    }
}

void history_label(const sonde_model *model, sonde_letter letter, int32_t i, int32_t n, int32_t k,
                   sonde_text *text) {
    const array a = {.letter = letter, .i = i, .n = n};
    add_label(model, &a, k, text);
}

/* The share of a count in its column, at one moment. */
static double share(const array *a, int32_t moment, int32_t k) {
    const double *counts = a->counts + (size_t)moment * (size_t)a->n;
    double sum = 0.0;
    for (int32_t i = k % a->n_column; i < a->n; i += a->n_column) {
        sum += counts[i];
    }
    return sum > 0.0 ? counts[k] / sum : 0.0;
}

/* The counts that are shown of an array: those whose share of their column changed most. */
static void choose_lines(const cli_history *h, const array *a, int32_t *line, int32_t *n_line) {
    bool taken[N_NUMBER] = {false};
    double moved[N_NUMBER];
    for (int32_t i = 0; i < a->n; i++) {
        const double change = share(a, h->n - 1, i) - share(a, 0, i);
        moved[i] = change < 0.0 ? -change : change;
    }
    *n_line = 0;
    for (int32_t k = 0; k < N_LINE; k++) {
        int32_t best = -1;
        for (int32_t i = 0; i < a->n; i++) {
            best = !taken[i] && (best < 0 || moved[i] > moved[best]) ? i : best;
        }
        if (best < 0 || (moved[best] <= 1e-9 && *n_line > 0)) {
            break;
        }
        taken[best] = true;
        (*n_line)++;
    }
    for (int32_t i = 0, k = 0; i < a->n; i++) {
        if (taken[i]) {
            line[k++] = i;
        }
    }
}

typedef struct {
    sonde_history panel;
    double *value;
    sonde_text text[N_ARRAY];
    const char *label[N_ARRAY];
    char title[64];
} panel_build;

static void build_counts(const cli_history *h, const sonde_model *model, const array *a,
                         panel_build *to) {
    int32_t line[N_LINE];
    int32_t n_line = 0;
    choose_lines(h, a, line, &n_line);
    to->value = malloc((size_t)h->n * (size_t)n_line * sizeof *to->value);
    for (int32_t k = 0; k < n_line; k++) {
        add_label(model, a, line[k], &to->text[k]);
        to->label[k] = to->text[k].data ? to->text[k].data : "";
        for (int32_t t = 0; to->value && t < h->n; t++) {
            to->value[(size_t)t * (size_t)n_line + (size_t)k] =
                a->counts[(size_t)t * (size_t)a->n + (size_t)line[k]];
        }
    }
    (void)snprintf(to->title, sizeof to->title, "counts of %s%s", a->name,
                   n_line < a->n ? ", those that changed most" : "");
    to->panel = (sonde_history){.title = to->title,
                                .n_line = to->value ? n_line : 0,
                                .label = to->label,
                                .n_point = h->n,
                                .value = to->value};
}

static void build_kl(const cli_history *h, panel_build *to) {
    to->value = malloc((size_t)h->n * (size_t)h->n_array * sizeof *to->value);
    for (int32_t i = 0; i < h->n_array; i++) {
        to->label[i] = h->of[i].name;
        for (int32_t t = 0; to->value && h->of[i].kl && t < h->n; t++) {
            to->value[(size_t)t * (size_t)h->n_array + (size_t)i] = h->of[i].kl[t];
        }
    }
    to->panel = (sonde_history){.title = "nats from where it began",
                                .n_line = to->value ? h->n_array : 0,
                                .label = to->label,
                                .n_point = h->n,
                                .value = to->value};
}

void history_draw(const cli_history *h, const sonde_model *model, sonde_text *svg) {
    panel_build *build = calloc((size_t)h->n_array + 1, sizeof *build);
    sonde_history *panel = calloc((size_t)h->n_array + 1, sizeof *panel);
    int32_t n = 0;
    if (!build || !panel) {
        svg->failed = true;
    } else {
        for (int32_t i = 0; i < h->n_array; i++) {
            if (h->of[i].n > 0 && h->of[i].n <= N_NUMBER && h->of[i].counts) {
                build_counts(h, model, &h->of[i], &build[n]);
                n++;
            }
        }
        build_kl(h, &build[n++]);
        for (int32_t i = 0; i < n; i++) {
            panel[i] = build[i].panel;
            svg->failed = svg->failed || !build[i].value;
        }
        sonde_draw_history(model->name ? model->name : "What was learned",
                           h->by_step ? "step" : "episode", n, panel, svg);
    }
    for (int32_t i = 0; build && i < n; i++) {
        free(build[i].value);
        for (int32_t k = 0; k < N_ARRAY; k++) {
            piece_free(&build[i].text[k]);
        }
    }
    free(build);
    free(panel);
}

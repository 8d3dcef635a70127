/* history.c: counts over the steps or episodes of a simulation. */
#include "history.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* arrays with more numbers than this are shown by how far they came alone */
enum { N_NUMBER = 64, N_LINE = 12, N_ARRAY = 64 };

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
};

void history_free(cli_history *history) {
    for (int32_t i = 0; history && i < history->n_array; i++) {
        free(history->of[i].counts);
        free(history->of[i].kl);
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
    *a = (array){.letter = letter, .i = i, .n = n <= N_NUMBER ? (int32_t)n : 0};
    a->n_column =
        (int32_t)sonde_model_counts(sonde_agent_policies(agent)->model, letter, i, NULL, &n_row);
    if (letter == SONDE_E) {
        (void)snprintf(a->name, sizeof a->name, "E");
    } else {
        (void)snprintf(a->name, sizeof a->name, "%c[%d]", "ABCD"[letter], (int)i);
    }
    a->kl = calloc((size_t)h->n_most, sizeof *a->kl);
    a->counts = calloc((size_t)h->n_most * (size_t)(a->n > 0 ? a->n : 1), sizeof *a->counts);
}

cli_history *history_new(const sonde_agent *agent, bool by_step, int32_t n_most) {
    cli_history *h = calloc(1, sizeof *h);
    const sonde_model *model = sonde_agent_policies(agent)->model;
    if (!h) {
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

void history_write(const cli_history *h, bool counts, sonde_text *json) {
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
        for (int32_t t = 0; counts && a->counts && a->n > 0 && t < h->n; t++) {
            sonde_text_add(json, t > 0 ? ", [" : ", \"counts\": [[");
            for (int32_t k = 0; k < a->n; k++) {
                sonde_text_add(json, k > 0 ? ", " : "");
                sonde_text_add_number(json, a->counts[(size_t)t * (size_t)a->n + (size_t)k]);
            }
            sonde_text_add(json, t == h->n - 1 ? "]]" : "]");
        }
        sonde_text_add(json, "}");
    }
    sonde_text_add(json, "]}");
}

/* ----------------------------------------------------------------------------------- picture -- */

/* The name of a place on one axis, or its number. */
static void add_place(sonde_text *text, const char *const *name, int32_t i) {
    if (name) {
        sonde_text_add(text, "%.12s", name[i]);
    } else {
        sonde_text_add(text, "%d", (int)i);
    }
}

/* "win | left": the row of a number, and its column. */
static void add_label(const sonde_model *model, const array *a, int32_t k, sonde_text *text) {
    const bool modal = a->letter == SONDE_A || a->letter == SONDE_C;
    if (a->letter == SONDE_E) {
        if (model->policies == SONDE_POLICIES_LISTED) {
            sonde_text_add(text, "policy %d", (int)k);
        } else {
            sonde_model_say(model, SONDE_NOUN_ACTION, (int32_t[]){-1, k}, 14, text);
        }
        return;
    }
    const sonde_modality *modality = modal ? &model->modality[a->i] : NULL;
    const sonde_factor *factor = modal ? NULL : &model->factor[a->i];
    const int32_t n_row = modal ? modality->n_outcome : factor->n_state;
    int32_t rest = k % (a->n / n_row);
    add_place(text, modal ? modality->outcome_name : factor->state_name, k / (a->n / n_row));
    if (a->letter == SONDE_C || a->letter == SONDE_D) {
        return;
    }
    sonde_text_add(text, " | ");
    int32_t below = a->n / n_row;
    const int32_t n_of = modal ? modality->n_factor : factor->n_depend;
    for (int32_t f = 0; f < n_of; f++) {
        const sonde_factor *one = &model->factor[modal ? modality->factor[f] : factor->depend[f]];
        below /= one->n_state;
        sonde_text_add(text, f > 0 ? "," : "");
        add_place(text, one->state_name, rest / below);
        rest %= below;
    }
    if (!modal) {
        sonde_text_add(text, ",");
        add_place(text, factor->action_name, rest);
    }
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
    if (build && panel) {
        for (int32_t i = 0; i < h->n_array; i++) {
            if (h->of[i].n > 0 && h->of[i].counts) {
                build_counts(h, model, &h->of[i], &build[n]);
                n++;
            }
        }
        build_kl(h, &build[n++]);
        for (int32_t i = 0; i < n; i++) {
            panel[i] = build[i].panel;
        }
        sonde_draw_history(model->name ? model->name : "What was learned",
                           h->by_step ? "step" : "episode", n, panel, svg);
    }
    for (int32_t i = 0; build && i < n; i++) {
        free(build[i].value);
        for (int32_t k = 0; k < N_ARRAY; k++) {
            sonde_text_free(&build[i].text[k]);
        }
    }
    free(build);
    free(panel);
}

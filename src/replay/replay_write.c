/* replay_write.c: tables that are written: what an agent saw and did, as sonde_data_read takes it,
 * and what one thought that followed a subject, as regressors for imaging. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/shown.h"
#include "model/model.h"
#include "replay/replay.h"

/* Words as one field. */
static void add_field(sonde_text *csv, const char *words) {
    const bool quoted = strpbrk(words, ",\"\r\n\t;") != NULL;
    sonde_text_add(csv, quoted ? "\"" : "");
    for (; *words != '\0'; words++) {
        sonde_text_add(csv, *words == '"' ? "\"\"" : "%c", *words);
    }
    sonde_text_add(csv, quoted ? "\"" : "");
}

/* A word that somebody else has chosen: as a field, after an apostrophe where a spreadsheet would
 * calculate. */
static void add_words(sonde_text *csv, const char *words) {
    int64_t number = 0;
    sonde_text guarded = {0};
    sonde_text_add(&guarded, "%s%s",
                   sonde__cell_whole(words, &number) ? "" : sonde__csv_guard(words), words);
    add_field(csv, guarded.data != NULL ? guarded.data : "");
    csv->failed = csv->failed || guarded.failed;
    sonde_text_free(&guarded);
}

/* Whether a spreadsheet would take a name for something else. */
static bool is_plain(const char *name) {
    return name != NULL && name[0] != '\0' && sonde__csv_guard(name)[0] == '\0' &&
           !sonde__cell_is_missing(name);
}

static void add_number(sonde_text *csv, double number) {
    if (isnan(number)) {
        sonde_text_add(csv, "NA");
    } else if (isinf(number)) {
        sonde_text_add(csv, number < 0.0 ? "-Inf" : "Inf");
    } else {
        sonde_text_add_number(csv, number);
    }
}

/* ----------------------------------------------------------------------------------- columns -- */

/* Whether a name means one thing alone in a table. */
static bool is_alone(const sonde_model *model, const char *name) {
    static const char *const fixed[] = {"subject", "session", "episode", "step", "score", "model"};
    int32_t n = 0;
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++) {
        n += strcmp(fixed[i], name) == 0 ? 2 : 0;
    }
    for (int32_t m = 0; m < model->n_modality; m++) {
        const char *other = model->modality[m].name;
        n += other != NULL && strcmp(other, name) == 0;
    }
    for (int32_t f = 0; f < model->n_factor; f++) {
        const char *other = model->factor[f].n_action > 1 ? model->factor[f].name : NULL;
        n += other != NULL && strcmp(other, name) == 0;
    }
    return n == 1;
}

/* What the column of a modality or a factor is called. */
static void add_column(const sonde_model *model, bool action, int32_t i, sonde_text *csv) {
    const char *name = action ? model->factor[i].name : model->modality[i].name;
    sonde_text word = {0};
    if (!is_plain(name)) {
        sonde_text_add(&word, action ? "u%" PRId32 : "o%" PRId32, i);
    } else {
        sonde_text_add(&word, "%s%s",
                       is_alone(model, name) ? ""
                       : action              ? "action."
                                             : "outcome.",
                       name);
    }
    sonde_text_add(csv, ",");
    add_field(csv, word.data != NULL ? word.data : "");
    csv->failed = csv->failed || word.failed;
    sonde_text_free(&word);
}

static void add_value(const char *const *name, int32_t value, sonde_text *csv) {
    sonde_text_add(csv, ",");
    if (value < 0) {
        sonde_text_add(csv, "NA");
    } else if (name != NULL && is_plain(name[value])) {
        add_field(csv, name[value]);
    } else {
        sonde_text_add(csv, "%" PRId32, value);
    }
}

static void add_columns(const sonde_model *model, sonde_text *csv) {
    for (int32_t m = 0; m < model->n_modality; m++) {
        add_column(model, false, m, csv);
    }
    for (int32_t f = 0; f < model->n_factor; f++) {
        if (model->factor[f].n_action > 1) {
            add_column(model, true, f, csv);
        }
    }
}

static void add_step(const sonde_model *model, const int32_t *outcome, int32_t action,
                     sonde_text *csv) {
    int32_t tuple[SONDE_FACTORS_MAX];
    for (int32_t m = 0; m < model->n_modality; m++) {
        add_value(model->modality[m].outcome_name, outcome[m], csv);
    }
    if (action >= 0) {
        sonde__model_tuple(model, action, tuple);
    }
    for (int32_t f = 0; f < model->n_factor; f++) {
        if (model->factor[f].n_action > 1) {
            add_value(model->factor[f].action_name, action >= 0 ? tuple[f] : -1, csv);
        }
    }
}

/* ------------------------------------------------------------------------------------ tables -- */

void sonde_data_write_header(const sonde_model *model, sonde_text *csv) {
    sonde_text_add(csv, "subject,episode,step");
    add_columns(model, csv);
    sonde_text_add(csv, "\n");
}

void sonde_data_write_episode(const sonde_model *model, const char *subject, int32_t episode,
                              const sonde_sequence *steps, sonde_text *csv) {
    for (int32_t t = 0; t < steps->n_step; t++) {
        add_words(csv, subject);
        sonde_text_add(csv, ",%" PRId32 ",%" PRId32, episode, t);
        add_step(model, steps->outcome + (int64_t)t * model->n_modality, steps->action[t], csv);
        sonde_text_add(csv, "\n");
    }
}

/* -------------------------------------------------------------------------------- regressors -- */

/* A name, or a letter and a number. */
static void add_name(const char *name, char letter, int32_t i, sonde_text *word) {
    if (name != NULL) {
        sonde_text_add(word, "%s", name);
    } else {
        sonde_text_add(word, "%c%" PRId32, letter, i);
    }
}

/* Adds a heading that was put together. */
static void add_heading(sonde_text *word, sonde_text *csv) {
    sonde_text_add(csv, ",");
    add_field(csv, word->data != NULL ? word->data : "");
    csv->failed = csv->failed || word->failed;
    word->size = 0;
}

static void add_beliefs(const sonde_model *model, sonde_text *word, sonde_text *csv) {
    for (int32_t f = 0; f < model->n_factor; f++) {
        const sonde_factor *factor = &model->factor[f];
        for (int32_t s = 0; s < factor->n_state; s++) {
            sonde_text_add(word, "q_");
            add_name(factor->name, 'f', f, word);
            sonde_text_add(word, "_");
            if (factor->state_name != NULL) {
                sonde_text_add(word, "%s", factor->state_name[s]);
            } else {
                sonde_text_add(word, "%" PRId32, s);
            }
            add_heading(word, csv);
        }
    }
    for (int32_t f = 0; f < model->n_factor; f++) {
        sonde_text_add(word, "update_");
        add_name(model->factor[f].name, 'f', f, word);
        add_heading(word, csv);
    }
    for (int32_t m = 0; m < model->n_modality; m++) {
        sonde_text_add(word, "error_");
        add_name(model->modality[m].name, 'm', m, word);
        add_heading(word, csv);
    }
}

static void add_actions(const sonde_model *model, sonde_text *word, sonde_text *csv) {
    for (int32_t a = 0; a < model->n_action; a++) {
        sonde_text_add(word, "G_");
        const int32_t pair[] = {0, a};
        sonde_model_say(model, SONDE_NOUN_ACTION, pair, 0, word);
        add_heading(word, csv);
    }
}

static void add_counts(const sonde_replay_settings *settings, sonde_text *word, sonde_text *csv) {
    static const char letter[] = "ABCD";
    const sonde_model *model = settings->model;
    const sonde_learn_settings *learn = &settings->learn;
    for (int32_t l = 0; settings->learns && l <= SONDE_D; l++) {
        const bool factors = l == SONDE_B || l == SONDE_D;
        const bool *which = factors ? learn->factor : learn->modality;
        for (int32_t i = 0; i < (factors ? model->n_factor : model->n_modality); i++) {
            int32_t n = 0;
            const int64_t n_column = which == NULL || which[i]
                                         ? sonde_model_counts(model, (sonde_letter)l, i, NULL, &n)
                                         : 0;
            for (int64_t k = 0; k < n * n_column; k++) {
                sonde_text_add(word, "counts_%c_", letter[l]);
                add_name(factors ? model->factor[i].name : model->modality[i].name,
                         factors ? 'f' : 'm', i, word);
                sonde_text_add(word, "_%" PRId64, k);
                add_heading(word, csv);
            }
        }
    }
    int32_t n_habit = 0;
    if (settings->learns) {
        (void)sonde_model_counts(model, SONDE_E, 0, NULL, &n_habit);
    }
    for (int32_t k = 0; k < n_habit; k++) {
        sonde_text_add(word, "counts_E_%d", k);
        add_heading(word, csv);
    }
}

void sonde_replay_write_header(const sonde_replay_settings *settings, const sonde_data *data,
                               uint32_t wanted, sonde_text *csv) {
    const sonde_model *model = settings->model;
    sonde_text word = {0};
    (void)data;
    sonde_text_add(csv, "subject,session,episode,step,score");
    add_columns(model, csv);
    sonde_text_add(csv, ",p,log_p,surprise");
    add_beliefs(model, &word, csv);
    if ((wanted & SONDE_REPLAY_EFE) != 0) {
        add_actions(model, &word, csv);
    }
    sonde_text_add(csv, ",gamma");
    if ((wanted & SONDE_REPLAY_COUNTS) != 0) {
        add_counts(settings, &word, csv);
    }
    sonde_text_add(csv, "\n");
    sonde_text_free(&word);
}

/* What a table says in a column, or a number where it has none. */
static void add_cell(const sonde_data *data, int32_t row, const char *name, int32_t number,
                     sonde_text *csv) {
    const int32_t c = sonde_data_column(data, name);
    sonde_text_add(csv, ",");
    if (c >= 0) {
        add_words(csv, data->cell[(int64_t)row * data->n_column + c]);
    } else {
        sonde_text_add(csv, "%" PRId32, number);
    }
}

static void add_numbers(const double *number, int64_t n, sonde_text *csv) {
    for (int64_t i = 0; i < n; i++) {
        sonde_text_add(csv, ",");
        add_number(csv, number[i]);
    }
}

void sonde_replay_write_rows(const sonde_replay_settings *settings, const sonde_data *data,
                             const sonde_replayed *said, sonde_text *csv) {
    const sonde_model *model = settings->model;
    for (int64_t i = 0; i < said->n_row; i++) {
        const int32_t row = said->first + (int32_t)i;
        const double judged[] = {said->p[i], said->log_p[i], said->surprise[i]};
        add_words(csv, data->subject[said->subject]);
        add_cell(data, row, "session", data->session[row], csv);
        add_cell(data, row, "episode", data->episode[row], csv);
        add_cell(data, row, "step", data->step[row], csv);
        sonde_text_add(csv, data->score[row] ? ",1" : ",0");
        add_step(model, data->outcome + (int64_t)row * data->n_modality, data->action[row], csv);
        add_numbers(judged, 3, csv);
        add_numbers(said->belief + i * said->n_belief, said->n_belief, csv);
        add_numbers(said->update + i * said->n_factor, said->n_factor, csv);
        add_numbers(said->error + i * said->n_modality, said->n_modality, csv);
        for (int32_t a = 0; said->efe != NULL && a < said->n_action; a++) {
            add_numbers(&said->efe[i * said->n_action + a].efe, 1, csv);
        }
        add_numbers(&said->gamma, 1, csv);
        if (said->counts != NULL) {
            add_numbers(said->counts + i * said->n_count, said->n_count, csv);
        }
        sonde_text_add(csv, "\n");
    }
}

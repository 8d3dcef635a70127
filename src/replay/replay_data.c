/* replay_data.c: from the cells of a table to what subjects saw and did (docs/formats.md).
 *
 * Each column has one meaning at most: subject, session, episode, step, score, model, the outcome
 * of a modality or the action of a factor, by the names of the model. Others are kept as they
 * are. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/name.h"
#include "base/status.h"
#include "model/model.h"
#include "replay/replay.h"

const char *sonde_timing_name(int32_t timing) {
    static const char *const name[] = {"before", "after", NULL};
    return name[timing >= 0 && timing < 2 ? timing : 2];
}

sonde_data_settings sonde_data_defaults(void) {
    return (sonde_data_settings){.map = NULL};
}

/* columns with a name of their own */
enum { SUBJECT, SESSION, EPISODE, STEP, SCORE, MODEL, N_FIXED };
static const char *const fixed_name[N_FIXED] = {"subject", "session", "episode",
                                                "step",    "score",   "model"};

/* what a table calls something: a column, or a value of one */
typedef struct {
    char *ours;
    char *theirs;
    bool used;
} alias;

/* a table that is being read */
typedef struct {
    sonde__cells cells;
    const sonde_model *model;
    const sonde_data_settings *settings;
    sonde_data *data;
    int32_t n_alias;
    alias *alias;           /* (n_alias) */
    int32_t fixed[N_FIXED]; /* columns; -1: there is none */
    int32_t *seen;          /* (n_modality) columns */
    int32_t *done;          /* (n_factor) columns */
    const char **known;     /* (n_column) names as the map has them */
    int32_t *subject;       /* (n_row) in the order of the file */
    sonde_error *error;
} reading;

/* one block: the data first, so that a pointer to them is a pointer to it */
typedef struct {
    sonde_data data;
    sonde__pool pool;
    char *text;
} data_block;

static sonde_status no_memory(const reading *r) {
    return sonde__fail_memory(r->error, "table", 0);
}

/* -------------------------------------------------------------------------------------- map -- */

static sonde_status bad_map(const reading *r, const char *entry) {
    return sonde__fail(r->error, SONDE_BAD_ARGUMENT,
                       "map: expected OURS=THEIRS, such as action.arm=choice, found \"%s\"", entry);
}

/* Cuts "ours=theirs,ours=theirs". */
static sonde_status read_map(reading *r) {
    const char *map = r->settings->map;
    if (map == NULL || map[0] == '\0') {
        return SONDE_OK;
    }
    int32_t n = 1;
    for (const char *at = map; *at != '\0'; at++) {
        n += *at == ',';
    }
    const size_t size = strlen(map) + 1;
    char *text = SONDE__POOL_TAKE(r->cells.pool, char, size);
    r->alias = SONDE__POOL_TAKE(r->cells.pool, alias, n);
    if (text == NULL || r->alias == NULL) {
        return no_memory(r);
    }
    memcpy(text, map, size);
    while (text != NULL) {
        char *comma = strchr(text, ',');
        if (comma != NULL) {
            *comma = '\0';
        }
        char *equals = strchr(text, '=');
        if (equals == NULL || equals == text || equals[1] == '\0') {
            return bad_map(r, text);
        }
        *equals = '\0';
        r->alias[r->n_alias++] = (alias){.ours = text, .theirs = equals + 1};
        text = comma != NULL ? comma + 1 : NULL;
    }
    return SONDE_OK;
}

/* What we call a column of theirs. */
static const char *our_name(reading *r, const char *theirs) {
    for (int32_t i = 0; i < r->n_alias; i++) {
        if (strcmp(r->alias[i].theirs, theirs) == 0 && !r->alias[i].used) {
            r->alias[i].used = true;
            return r->alias[i].ours;
        }
    }
    return theirs;
}

/* ---------------------------------------------------------------------------------- columns -- */

/* The place of a name among those of modalities or factors, or of a number; -1: there is none. */
static int32_t find_thing(const reading *r, bool factors, const char *word) {
    const int32_t n = factors ? r->model->n_factor : r->model->n_modality;
    int64_t number = 0;
    for (int32_t i = 0; i < n; i++) {
        const char *name = factors ? r->model->factor[i].name : r->model->modality[i].name;
        if (name != NULL && strcmp(name, word) == 0) {
            return i;
        }
    }
    return sonde__cell_whole(word, &number) && number >= 0 && number < n ? (int32_t)number : -1;
}

/* o3 or u3: the number; -1: it is something else. */
static int32_t find_number(const char *word, char letter, int32_t n) {
    int64_t number = 0;
    return word[0] == letter && word[1] >= '0' && word[1] <= '9' &&
                   sonde__cell_whole(word + 1, &number) && number < n
               ? (int32_t)number
               : -1;
}

static sonde_status claim(const reading *r, int32_t *place, int32_t column) {
    if (*place >= 0) {
        return sonde__fail(r->error, SONDE_BAD_INPUT,
                           "%s: header: columns %s and %s mean the same; keep one of them",
                           r->cells.origin, r->cells.name[*place], r->cells.name[column]);
    }
    *place = column;
    return SONDE_OK;
}

/* A name that says what it is: outcome.reward, action.arm, o0, u1. */
static int32_t *find_explicit(const reading *r, const char *name) {
    const sonde_model *model = r->model;
    int32_t m = strncmp(name, "outcome.", 8) == 0 ? find_thing(r, false, name + 8) : -1;
    int32_t f = strncmp(name, "action.", 7) == 0 ? find_thing(r, true, name + 7) : -1;
    m = m < 0 ? find_number(name, 'o', model->n_modality) : m;
    f = f < 0 ? find_number(name, 'u', model->n_factor) : f;
    return m >= 0 ? &r->seen[m] : f >= 0 ? &r->done[f] : NULL;
}

static bool is_named(const char *name, const char *word) {
    return name != NULL && strcmp(name, word) == 0;
}

/* What a column is. */
static sonde_status find_column(reading *r, int32_t column) {
    const sonde_model *model = r->model;
    const char *name = our_name(r, r->cells.name[column]);
    int32_t m = 0;
    int32_t f = 0;
    r->known[column] = name;
    for (int32_t i = 0; i < N_FIXED; i++) {
        if (strcmp(name, fixed_name[i]) == 0) {
            return claim(r, &r->fixed[i], column);
        }
    }
    while (m < model->n_modality && !is_named(model->modality[m].name, name)) {
        m++;
    }
    while (f < model->n_factor &&
           !(is_named(model->factor[f].name, name) && model->factor[f].n_action > 1)) {
        f++;
    }
    if (m < model->n_modality && f < model->n_factor) {
        return sonde__fail(r->error, SONDE_BAD_INPUT,
                           "%s: header, column %s: is a modality and a factor of the model; call "
                           "it outcome.%s or action.%s",
                           r->cells.origin, name, name, name);
    }
    int32_t *place = m < model->n_modality ? &r->seen[m]
                     : f < model->n_factor ? &r->done[f]
                                           : find_explicit(r, name);
    return place != NULL ? claim(r, place, column) : SONDE_OK;
}

/* "there is no column for ...", and which may be meant. */
static sonde_status no_column(const reading *r, const char *what, const char *name,
                              const char *also) {
    const char *nearest = sonde__name_nearest(r->known, r->cells.n_column, name);
    char columns[256] = "";
    size_t used = 0;
    if (nearest != NULL) {
        return sonde__fail(r->error, SONDE_BAD_INPUT,
                           "%s: header: expected a column %s%s, found none; did you mean \"%s\"?",
                           r->cells.origin, what, also, nearest);
    }
    for (int32_t i = 0; i < r->cells.n_column && used < sizeof columns; i++) {
        const int n = snprintf(columns + used, sizeof columns - used, "%s%s", i > 0 ? ", " : "",
                               r->cells.name[i]);
        used += n > 0 ? (size_t)n : 0;
    }
    return sonde__fail(r->error, SONDE_BAD_INPUT,
                       "%s: header: expected a column %s%s, found %s%s; say with map which it is, "
                       "as in %s=COLUMN",
                       r->cells.origin, what, also, columns, used < sizeof columns ? "" : "...",
                       name);
}

static sonde_status check_columns(const reading *r) {
    const sonde_model *model = r->model;
    char what[192];
    char also[64];
    if (r->fixed[SUBJECT] < 0) {
        return no_column(r, "subject", "subject", "");
    }
    for (int32_t m = 0; m < model->n_modality; m++) {
        const char *name = model->modality[m].name;
        (void)snprintf(what, sizeof what, "%s", name != NULL ? name : "");
        (void)snprintf(also, sizeof also, "%so%d for the outcomes of modality %d",
                       name != NULL ? " or " : "", m, m);
        if (r->seen[m] < 0) {
            return no_column(r, what, name != NULL ? name : "o", also);
        }
    }
    for (int32_t f = 0; f < model->n_factor; f++) {
        const char *name = model->factor[f].name;
        (void)snprintf(what, sizeof what, "%s", name != NULL ? name : "");
        (void)snprintf(also, sizeof also, "%su%d for the actions of factor %d",
                       name != NULL ? " or " : "", f, f);
        if (r->done[f] < 0 && model->factor[f].n_action > 1) {
            return no_column(r, what, name != NULL ? name : "u", also);
        }
    }
    return SONDE_OK;
}

/* Entries of the map that are no columns are cells: reward.win=1. */
static sonde_status check_map(const reading *r) {
    for (int32_t i = 0; i < r->n_alias; i++) {
        const alias *entry = &r->alias[i];
        const char *dot = strrchr(entry->ours, '.');
        bool known = entry->used;
        for (int32_t t = 0; dot != NULL && !known && t < 2; t++) {
            char word[128];
            (void)snprintf(word, sizeof word, "%.*s", (int)(dot - entry->ours), entry->ours);
            known = find_thing(r, t == 1, word) >= 0 || find_explicit(r, word) != NULL;
        }
        if (!known) {
            const char *nearest =
                sonde__name_nearest(r->cells.name, r->cells.n_column, entry->theirs);
            return sonde__fail(r->error, SONDE_BAD_INPUT,
                               "%s: map %s=%s: there is no column \"%s\"%s%s%s", r->cells.origin,
                               entry->ours, entry->theirs, entry->theirs,
                               nearest != NULL ? "; did you mean \"" : "",
                               nearest != NULL ? nearest : "", nearest != NULL ? "\"?" : "");
        }
    }
    return SONDE_OK;
}

static sonde_status find_columns(reading *r) {
    const sonde_model *model = r->model;
    r->seen = SONDE__POOL_TAKE(r->cells.pool, int32_t, model->n_modality);
    r->done = SONDE__POOL_TAKE(r->cells.pool, int32_t, model->n_factor);
    r->known = SONDE__POOL_TAKE(r->cells.pool, const char *, r->cells.n_column);
    if (r->seen == NULL || r->done == NULL || r->known == NULL) {
        return no_memory(r);
    }
    for (int32_t m = 0; m < model->n_modality; m++) {
        r->seen[m] = -1;
    }
    for (int32_t f = 0; f < model->n_factor; f++) {
        r->done[f] = -1;
    }
    sonde_status status = SONDE_OK;
    for (int32_t c = 0; status == SONDE_OK && c < r->cells.n_column; c++) {
        status = find_column(r, c);
    }
    status = status == SONDE_OK ? check_map(r) : status;
    return status == SONDE_OK ? check_columns(r) : status;
}

/* ------------------------------------------------------------------------------------ values -- */

/* one kind of value: an outcome of a modality, or an action of a factor */
typedef struct {
    const char *owner; /* the modality or factor, or NULL */
    char letter;       /* o or u */
    int32_t number;    /* of the modality or factor */
    int32_t n;
    const char *const *name; /* (n) or NULL */
} kind;

/* Appends "win, loss or none", or what numbers there are. */
static void say_values(const kind *k, int32_t base, char *words, size_t size) {
    enum { MOST = 6 };
    size_t used = 0;
    words[0] = '\0';
    for (int32_t i = 0; k->name != NULL && k->n <= MOST && i < k->n && used < size; i++) {
        const int n = snprintf(words + used, size - used, "%s%s",
                               i == 0         ? ""
                               : i + 1 < k->n ? ", "
                                              : " or ",
                               k->name[i]);
        used += n > 0 ? (size_t)n : 0;
    }
    if (words[0] == '\0') {
        (void)snprintf(words, size, "%sa number from %d to %d", k->name != NULL ? "a name or " : "",
                       base, base + k->n - 1);
    }
}

/* What a cell is called in the map: reward.win=1, outcome.reward.win=1, o0.win=1. */
static const char *translate(const reading *r, const kind *k, const char *cell) {
    for (int32_t i = 0; i < r->n_alias; i++) {
        const alias *entry = &r->alias[i];
        const char *dot = entry->used ? NULL : strrchr(entry->ours, '.');
        if (dot == NULL || strcmp(entry->theirs, cell) != 0) {
            continue;
        }
        char word[128];
        char brief[16];
        (void)snprintf(word, sizeof word, "%.*s", (int)(dot - entry->ours), entry->ours);
        (void)snprintf(brief, sizeof brief, "%c%d", k->letter, k->number);
        const char *plain =
            strncmp(word, k->letter == 'o' ? "outcome." : "action.", k->letter == 'o' ? 8 : 7) == 0
                ? word + (k->letter == 'o' ? 8 : 7)
                : word;
        if (is_named(k->owner, plain) || strcmp(plain, brief) == 0) {
            return dot + 1;
        }
    }
    return NULL;
}

static int32_t find_value(const reading *r, const kind *k, const char *cell) {
    const char *meant = translate(r, k, cell);
    const int32_t base = meant != NULL ? 0 : r->settings->base;
    const char *word = meant != NULL ? meant : cell;
    int64_t number = 0;
    for (int32_t i = 0; k->name != NULL && i < k->n; i++) {
        if (strcmp(k->name[i], word) == 0) {
            return i;
        }
    }
    const bool is = sonde__cell_whole(word, &number) && number >= base && number < base + k->n;
    return is ? (int32_t)number - base : -1;
}

static sonde_status read_value(const reading *r, const kind *k, int32_t row, int32_t column,
                               int32_t *value) {
    const char *cell = r->cells.cell[(int64_t)row * r->cells.n_column + column];
    if (sonde__cell_is_missing(cell)) {
        *value = SONDE_MISSING;
        return SONDE_OK;
    }
    *value = find_value(r, k, cell);
    if (*value >= 0) {
        return SONDE_OK;
    }
    char expected[256];
    say_values(k, r->settings->base, expected, sizeof expected);
    const char *nearest = k->name != NULL ? sonde__name_nearest(k->name, k->n, cell) : NULL;
    return sonde__cell_wrong(&r->cells, row, column, "expected %s, found \"%s\"%s%s%s", expected,
                             cell, nearest != NULL ? "; did you mean \"" : "",
                             nearest != NULL ? nearest : "", nearest != NULL ? "\"?" : "");
}

static sonde_status read_outcomes(const reading *r, int32_t row, int32_t *outcome) {
    sonde_status status = SONDE_OK;
    for (int32_t m = 0; status == SONDE_OK && m < r->model->n_modality; m++) {
        const sonde_modality *modality = &r->model->modality[m];
        const kind k = {modality->name, 'o', m, modality->n_outcome, modality->outcome_name};
        status = read_value(r, &k, row, r->seen[m], &outcome[m]);
    }
    return status;
}

static sonde_status read_action(const reading *r, int32_t row, int32_t *action) {
    int32_t tuple[SONDE_FACTORS_MAX] = {0};
    int32_t missing = -1;
    int32_t given = -1;
    for (int32_t f = 0; f < r->model->n_factor; f++) {
        const sonde_factor *factor = &r->model->factor[f];
        const kind k = {factor->name, 'u', f, factor->n_action, factor->action_name};
        if (r->done[f] < 0) {
            continue;
        }
        const sonde_status status = read_value(r, &k, row, r->done[f], &tuple[f]);
        if (status != SONDE_OK) {
            return status;
        }
        if (tuple[f] < 0) {
            missing = r->done[f];
        } else if (factor->n_action > 1) {
            given = r->done[f];
        }
    }
    if (missing >= 0 && (given >= 0 || !r->settings->missing_actions)) {
        return sonde__cell_wrong(&r->cells, row, missing,
                                 given >= 0 ? "expected an action, since other factors have one in "
                                              "this row, found none"
                                            : "expected an action, found none; allow it with "
                                              "missing predict, or leave the row out");
    }
    *action = missing >= 0 ? SONDE_MISSING : sonde__model_from_tuple(r->model, tuple);
    return SONDE_OK;
}

static sonde_status read_score(const reading *r, int32_t row, bool *score) {
    *score = true;
    if (r->fixed[SCORE] < 0) {
        return SONDE_OK;
    }
    const char *cell = r->cells.cell[(int64_t)row * r->cells.n_column + r->fixed[SCORE]];
    int64_t number = -1;
    const bool whole = sonde__cell_whole(cell, &number) && (number == 0 || number == 1);
    *score = number == 1 || strcmp(cell, "true") == 0 || strcmp(cell, "True") == 0;
    if (!whole && !*score && strcmp(cell, "false") != 0 && strcmp(cell, "False") != 0) {
        return sonde__cell_wrong(&r->cells, row, r->fixed[SCORE], "expected 0 or 1, found \"%s\"",
                                 cell);
    }
    return SONDE_OK;
}

/* ------------------------------------------------------------------------------------- rows -- */

/* A text's place in a list that grows. */
static int32_t find_text(const char **list, int32_t *n, const char *text) {
    for (int32_t i = *n - 1; i >= 0; i--) { /* most often it is the last one */
        if (strcmp(list[i], text) == 0) {
            return i;
        }
    }
    list[*n] = text;
    return (*n)++;
}

/* Which subject each row is of, and where each subject's rows go. */
static sonde_status find_subjects(reading *r) {
    const int32_t n_row = r->cells.n_row;
    const char **name = SONDE__POOL_TAKE(r->cells.pool, const char *, n_row);
    r->subject = SONDE__POOL_TAKE(r->cells.pool, int32_t, n_row);
    if (name == NULL || r->subject == NULL) {
        return no_memory(r);
    }
    int32_t n = 0;
    for (int32_t row = 0; row < n_row; row++) {
        const char *cell = r->cells.cell[(int64_t)row * r->cells.n_column + r->fixed[SUBJECT]];
        if (sonde__cell_is_missing(cell)) {
            return sonde__cell_wrong(&r->cells, row, r->fixed[SUBJECT],
                                     "expected a subject, found none");
        }
        r->subject[row] = find_text(name, &n, cell);
    }
    int32_t *first = SONDE__POOL_TAKE(r->cells.pool, int32_t, n + 1);
    if (first == NULL) {
        return no_memory(r);
    }
    for (int32_t row = 0; row < n_row; row++) {
        first[r->subject[row] + 1]++;
    }
    for (int32_t i = 0; i < n; i++) {
        first[i + 1] += first[i];
    }
    r->data->n_subject = n;
    r->data->subject = name;
    r->data->first = first;
    return SONDE_OK;
}

/* the arrays of the data, for writing */
typedef struct {
    int32_t *row;
    int32_t *session;
    int32_t *episode;
    int32_t *step;
    int32_t *outcome;
    int32_t *action;
    bool *score;
    int32_t *model;
    const char **cell;
    const char **model_name;
} columns;

static bool take_columns(const reading *r, columns *to) {
    sonde__pool *pool = r->cells.pool;
    const uint64_t n = (uint64_t)r->cells.n_row;
    to->row = SONDE__POOL_TAKE(pool, int32_t, n);
    to->session = SONDE__POOL_TAKE(pool, int32_t, n);
    to->episode = SONDE__POOL_TAKE(pool, int32_t, n);
    to->step = SONDE__POOL_TAKE(pool, int32_t, n);
    to->outcome =
        SONDE__POOL_TAKE(pool, int32_t, sonde__multiply(n, (uint64_t)r->model->n_modality));
    to->action = SONDE__POOL_TAKE(pool, int32_t, n);
    to->score = SONDE__POOL_TAKE(pool, bool, n);
    to->model = SONDE__POOL_TAKE(pool, int32_t, n);
    to->cell =
        SONDE__POOL_TAKE(pool, const char *, sonde__multiply(n, (uint64_t)r->cells.n_column));
    to->model_name = SONDE__POOL_TAKE(pool, const char *, n);
    return to->row != NULL && to->session != NULL && to->episode != NULL && to->step != NULL &&
           to->outcome != NULL && to->action != NULL && to->score != NULL && to->model != NULL &&
           to->cell != NULL && to->model_name != NULL;
}

/* What a row says of one of the fixed columns, or "". */
static const char *fixed_cell(const reading *r, int32_t row, int32_t which) {
    return r->fixed[which] < 0 ? ""
                               : r->cells.cell[(int64_t)row * r->cells.n_column + r->fixed[which]];
}

/* An earlier row of the same subject, before those that go on to `at`, that has the same word. */
static int32_t find_earlier(const reading *r, const columns *to, int32_t first, int32_t at,
                            int32_t which) {
    const char *word = fixed_cell(r, to->row[at] - 1, which);
    for (int32_t i = first; i < at; i++) {
        if (strcmp(fixed_cell(r, to->row[i] - 1, which), word) == 0) {
            return i;
        }
    }
    return -1;
}

static sonde_status left_before(const reading *r, const columns *to, int32_t at, int32_t earlier,
                                int32_t which) {
    return sonde__cell_wrong(&r->cells, to->row[at] - 1, r->fixed[which],
                             "%s %s of subject %s began in row %d and was left; let the rows of "
                             "%s stand one after the other",
                             fixed_name[which], fixed_cell(r, to->row[at] - 1, which),
                             r->data->subject[r->subject[to->row[at] - 1]], to->row[earlier],
                             which == SESSION ? "a session" : "an episode");
}

/* Where a row stands among those of its subject, which are those from `first` on. */
static sonde_status place_row(const reading *r, columns *to, int32_t first, int32_t at) {
    const int32_t row = to->row[at] - 1;
    const int32_t before = at > first ? to->row[at - 1] - 1 : -1;
    if (before < 0) {
        return SONDE_OK;
    }
    bool same[2] = {true, true};
    for (int32_t i = 0; i < 2; i++) {
        const int32_t which = i == 0 ? SESSION : EPISODE;
        same[i] = strcmp(fixed_cell(r, row, which), fixed_cell(r, before, which)) == 0;
    }
    to->session[at] = to->session[at - 1] + !same[0];
    int32_t begin = at; /* of the session */
    while (same[0] && !same[1] && begin > first && to->session[begin - 1] == to->session[at]) {
        begin--;
    }
    if (!same[0]) {
        const int32_t earlier = find_earlier(r, to, first, at, SESSION);
        return earlier >= 0 ? left_before(r, to, at, earlier, SESSION) : SONDE_OK;
    }
    to->episode[at] = to->episode[at - 1] + !same[1];
    if (!same[1]) {
        const int32_t earlier = find_earlier(r, to, begin, at, EPISODE);
        return earlier >= 0 ? left_before(r, to, at, earlier, EPISODE) : SONDE_OK;
    }
    to->step[at] = to->step[at - 1] + 1;
    return SONDE_OK;
}

/* Steps rise by 1. */
static sonde_status check_step(const reading *r, const columns *to, int32_t at) {
    const int32_t row = to->row[at] - 1;
    int64_t number = 0;
    int64_t before = 0;
    if (r->fixed[STEP] < 0) {
        return SONDE_OK;
    }
    const char *cell = fixed_cell(r, row, STEP);
    if (!sonde__cell_whole(cell, &number)) {
        return sonde__cell_wrong(&r->cells, row, r->fixed[STEP],
                                 "expected a whole number, found \"%s\"", cell);
    }
    if (to->step[at] > 0 && sonde__cell_whole(fixed_cell(r, to->row[at - 1] - 1, STEP), &before) &&
        number != before + 1) {
        return sonde__cell_wrong(&r->cells, row, r->fixed[STEP],
                                 "expected %lld, since the row before of this episode has %lld, "
                                 "found %lld; %s",
                                 (long long)before + 1, (long long)before, (long long)number,
                                 number > before   ? "fill gaps with rows of NA"
                                 : number < before ? "sort the rows by step"
                                                   : "leave out what is there twice");
    }
    return SONDE_OK;
}

static sonde_status read_model(reading *r, columns *to, int32_t at) {
    const int32_t row = to->row[at] - 1;
    const char *cell = fixed_cell(r, row, MODEL);
    to->model[at] = -1;
    if (!sonde__cell_is_missing(cell)) {
        to->model[at] = find_text(to->model_name, &r->data->n_model, cell);
    }
    if (to->step[at] > 0 && to->model[at] != to->model[at - 1]) {
        return sonde__cell_wrong(&r->cells, row, r->fixed[MODEL],
                                 "expected the model of the row before, since an episode has one, "
                                 "found \"%s\"",
                                 cell);
    }
    return SONDE_OK;
}

static sonde_status read_row(reading *r, columns *to, int32_t first, int32_t at) {
    const int32_t row = to->row[at] - 1;
    memcpy(to->cell + (int64_t)at * r->cells.n_column,
           r->cells.cell + (int64_t)row * r->cells.n_column,
           (size_t)r->cells.n_column * sizeof *to->cell);
    sonde_status status = place_row(r, to, first, at);
    status = status == SONDE_OK ? check_step(r, to, at) : status;
    status = status == SONDE_OK ? read_model(r, to, at) : status;
    status = status == SONDE_OK
                 ? read_outcomes(r, row, to->outcome + (int64_t)at * r->model->n_modality)
                 : status;
    status = status == SONDE_OK ? read_action(r, row, &to->action[at]) : status;
    if (status == SONDE_OK && to->step[at] + 1 > r->data->n_longest) {
        r->data->n_longest = to->step[at] + 1;
    }
    return status == SONDE_OK ? read_score(r, row, &to->score[at]) : status;
}

static sonde_status read_rows(reading *r) {
    sonde_data *data = r->data;
    columns to = {0};
    int32_t *next = SONDE__POOL_TAKE(r->cells.pool, int32_t, data->n_subject);
    if (next == NULL || !take_columns(r, &to)) {
        return no_memory(r);
    }
    for (int32_t row = 0; row < r->cells.n_row; row++) {
        const int32_t i = r->subject[row];
        to.row[data->first[i] + next[i]++] = row + 1;
    }
    sonde_status status = SONDE_OK;
    for (int32_t i = 0; i < data->n_subject; i++) {
        for (int32_t at = data->first[i]; status == SONDE_OK && at < data->first[i + 1]; at++) {
            status = read_row(r, &to, data->first[i], at);
        }
    }
    data->n_row = r->cells.n_row;
    data->row = to.row;
    data->session = to.session;
    data->episode = to.episode;
    data->step = to.step;
    data->n_modality = r->model->n_modality;
    data->outcome = to.outcome;
    data->action = to.action;
    data->score = to.score;
    data->model = to.model;
    data->model_name = to.model_name;
    data->n_column = r->cells.n_column;
    data->column = r->known;
    data->cell = to.cell;
    data->column_seen = r->seen;
    data->column_done = r->done;
    return status;
}

/* ------------------------------------------------------------------------------------- data -- */

/* The text of a source, with a closing zero, as the block's own. */
static sonde_status take_text(data_block *block, const sonde_source *source, size_t *size,
                              sonde_error *error) {
    if (source->data == NULL) {
        return sonde__json_slurp(source->origin, &block->text, size, error);
    }
    *size = source->size;
    block->text = sonde__alloc(source->size + 1);
    if (block->text == NULL) {
        return sonde__fail_memory(error, "table", source->size);
    }
    memcpy(block->text, source->data, source->size);
    return SONDE_OK;
}

static sonde_status read_all(reading *r, data_block *block, const sonde_source *source) {
    size_t size = 0;
    sonde_status status = take_text(block, source, &size, r->error);
    const size_t length = strlen(source->origin) + 1;
    char *origin = SONDE__POOL_TAKE(&block->pool, char, length);
    if (status == SONDE_OK && origin == NULL) {
        status = no_memory(r);
    }
    if (status == SONDE_OK) {
        memcpy(origin, source->origin, length);
        r->cells.origin = r->data->origin = origin;
        status = sonde__cells_cut(&r->cells, block->text, size);
    }
    status = status == SONDE_OK ? read_map(r) : status;
    status = status == SONDE_OK ? find_columns(r) : status;
    status = status == SONDE_OK ? find_subjects(r) : status;
    return status == SONDE_OK ? read_rows(r) : status;
}

sonde_status sonde_data_read(const sonde_source *source, const sonde_model *model,
                             const sonde_data_settings *settings, sonde_data **data,
                             sonde_error *error) {
    const sonde_data_settings usual = sonde_data_defaults();
    sonde_status status = sonde__model_refuse_graph(
        model,
        "data: agents that follow tables have general models; write the world as a model first "
        "(sonde model WORLD -o MODEL)",
        error);
    if (status) {
        return status;
    }
    data_block *block = sonde__alloc(sizeof *block);
    if (block == NULL) {
        return sonde__fail_memory(error, "table", sizeof *block);
    }
    reading r = {.model = model,
                 .settings = settings != NULL ? settings : &usual,
                 .data = &block->data,
                 .fixed = {-1, -1, -1, -1, -1, -1},
                 .error = error};
    r.cells = (sonde__cells){.pool = &block->pool, .error = error};
    if (r.settings->base < 0 || r.settings->base > 1) {
        sonde__free(block);
        return sonde__fail(error, SONDE_BAD_ARGUMENT, "base: expected 0 or 1, found %d",
                           r.settings->base);
    }
    status = read_all(&r, block, source);
    if (status != SONDE_OK) {
        sonde_data_free(&block->data);
        return status;
    }
    *data = &block->data;
    return SONDE_OK;
}

void sonde_data_free(sonde_data *data) {
    data_block *block = (data_block *)data;
    if (block != NULL) {
        sonde__free(block->text);
        sonde__pool_free(&block->pool);
        sonde__free(block);
    }
}

int32_t sonde_data_column(const sonde_data *data, const char *name) {
    for (int32_t c = 0; c < data->n_column; c++) {
        if (strcmp(data->column[c], name) == 0) {
            return c;
        }
    }
    return -1;
}

/* ------------------------------------------------------------------------------------ checks -- */

sonde_status sonde__data_wrong(const sonde_data *data, int32_t row, int32_t column,
                               sonde_error *error, const char *format, ...) {
    char words[768];
    va_list rest;
    va_start(rest, format);
    const int length = vsnprintf(words, sizeof words, format, rest);
    va_end(rest);
    return sonde__fail(error, SONDE_BAD_INPUT, "%s: row %d%s%s: %s", data->origin, data->row[row],
                       column >= 0 ? ", column " : "", column >= 0 ? data->column[column] : "",
                       length < 0 ? "cannot be followed" : words);
}

/* Whether some state shows an outcome. */
static bool is_shown(const sonde_modality *modality, int32_t outcome) {
    const double *counts = modality->counts_A;
    const double *p = counts != NULL ? counts : modality->A != NULL ? modality->A : modality->p;
    for (int64_t s = 0; s < modality->n_state * modality->n_action; s++) {
        const sonde__slice c = sonde__slice_of_A(modality, s);
        for (int64_t i = 0; i < c.n; i++) {
            const int64_t o = c.row != NULL ? c.row[i] : i;
            if (o == outcome && p[c.first + i * c.stride] > 0.0) {
                return true;
            }
        }
    }
    return false;
}

sonde_status sonde__data_check(const sonde_data *data, const sonde_model *model, int32_t subject,
                               sonde_error *error) {
    for (int32_t m = 0; m < model->n_modality; m++) {
        const sonde_modality *modality = &model->modality[m];
        for (int32_t o = 0; o < modality->n_outcome; o++) {
            if (is_shown(modality, o)) {
                continue;
            }
            for (int32_t at = data->first[subject]; at < data->first[subject + 1]; at++) {
                if (data->outcome[(int64_t)at * data->n_modality + m] == o) {
                    const int32_t c = data->column_seen[m];
                    return sonde__data_wrong(
                        data, at, c, error,
                        "the model has probability 0 for \"%s\" in every state; correct its A, or "
                        "the table",
                        data->cell[(int64_t)at * data->n_column + c]);
                }
            }
        }
    }
    return SONDE_OK;
}

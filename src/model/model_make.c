/* model_make.c: models that everybody knows, by name.
 *
 * Each has a function that fills in parts; what it may be told, and what is usual, is in a row of
 * the table here. */
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include "base/json.h"
#include "base/status.h"
#include "model/model_internal.h"
#include "model/model_make.h"

/* Past these, no memory holds what is made. */
enum { SIZE_MOST = 1000, ROCKS_MOST = 24 };

/* what a model may be told, and its usual values; 0 and -1: it may not */
typedef struct {
    const char *name;
    void (*make)(sonde__making *);
    int32_t horizon;
    sonde_make_settings usual;
} row;
static const row rows[] = {
    [SONDE_MAKE_TIGER] = {"tiger", sonde__make_tiger, 6, {0, 0, 0, -1, -1, -1.0, -1.0, -1.0, 0}},
    [SONDE_MAKE_T_MAZE] = {"t-maze", sonde__make_t_maze, 3, {0, 0, 0, -1, -1, 0.95, -1.0, -1.0, 0}},
    [SONDE_MAKE_GRID] = {"grid", sonde__make_grid, 4, {0, 3, 0, -1, -1, -1.0, 0.1, 0.1, 0}},
    [SONDE_MAKE_FROZENLAKE] = {"frozenlake",
                               sonde__make_frozenlake,
                               8,
                               {0, 4, 0, -1, SONDE_FORM_REWARD, -1.0, -1.0, -1.0, 0}},
    [SONDE_MAKE_ROCKSAMPLE] = {"rocksample",
                               sonde__make_rocksample,
                               10,
                               {0, 4, 4, SONDE_ILLEGAL_END, -1, -1.0, -1.0, -1.0, 0}},
};
enum { N_ROW = sizeof rows / sizeof *rows };

const char *sonde_make_name(int32_t make) {
    return make >= 0 && make < N_ROW ? rows[make].name : NULL;
}

const char *sonde_illegal_name(int32_t illegal) {
    static const char *const name[] = {"end", "stay"};
    return illegal >= 0 && illegal < 2 ? name[illegal] : NULL;
}

const char *sonde_form_name(int32_t form) {
    static const char *const name[] = {"reward", "efe"};
    return form >= 0 && form < 2 ? name[form] : NULL;
}

sonde_make_settings sonde_make_defaults(void) {
    return (sonde_make_settings){
        .illegal = -1, .form = -1, .valid = -1.0, .slip = -1.0, .noise = -1.0, .seed = 1};
}

/* ----------------------------------------------------------------------------------- scratch -- */

void *sonde__making_take(sonde__making *m, uint64_t n, size_t size) {
    if (m->status != SONDE_OK) {
        return NULL;
    }
    const char *name = rows[m->how.make].name;
    m->bytes = sonde__add(m->bytes, sonde__multiply(n, size));
    m->status = sonde__check_memory(&m->run, m->bytes, name,
                                    "make it smaller, or allow more memory", m->error);
    void *piece = m->status == SONDE_OK ? sonde__pool_take(&m->pool, n, size) : NULL;
    if (m->status == SONDE_OK && piece == NULL) {
        m->status = sonde__fail_memory(m->error, name, m->bytes);
    }
    return piece;
}

/* Gives an array its axes (n_axis), and zeros; NULL, and a status, where there is no room. */
static double *make_array(sonde__making *m, sonde_array *array, int32_t n_axis,
                          const int64_t *size) {
    int64_t *axes = sonde__making_take(m, (uint64_t)n_axis, sizeof *axes);
    uint64_t n = 1;
    for (int32_t a = 0; axes != NULL && a < n_axis; a++) {
        axes[a] = size[a];
        n = sonde__multiply(n, (uint64_t)size[a]);
    }
    double *value = sonde__making_take(m, n, sizeof *value);
    *array = (sonde_array){.n_axis = n_axis, .size = axes, .value = value};
    return value;
}

sonde__called sonde__making_names(sonde__making *m, int32_t n) {
    sonde__called names = {.name = sonde__making_take(m, (uint64_t)n, sizeof *names.name),
                           .letters = sonde__making_take(m, (uint64_t)n, sizeof *names.letters)};
    for (int32_t i = 0; names.name != NULL && names.letters != NULL && i < n; i++) {
        names.name[i] = names.letters[i];
    }
    return names.letters != NULL ? names : (sonde__called){0};
}

void sonde__making_call(sonde__called names, int32_t i, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    if (names.name != NULL) {
        (void)vsnprintf(names.letters[i], sizeof names.letters[i], format, arguments);
    }
    va_end(arguments);
}

/* ------------------------------------------------------------------------------------- parts -- */

/* The states of some factors, as sizes. */
static void add_sizes(const sonde__making *m, int32_t n, const int32_t *factor, int64_t *size) {
    for (int32_t i = 0; i < n; i++) {
        size[i] = m->factor[factor[i]].shape.n_state;
    }
}

static int64_t count_actions(const sonde__making *m) {
    int64_t n = 1;
    for (int32_t f = 0; f < m->parts.n_factor; f++) {
        n *= m->factor[f].shape.n_action;
    }
    return n;
}

sonde__made_factor sonde__making_factor(sonde__making *m, const sonde_factor *shape) {
    const int32_t f = m->parts.n_factor++;
    const int32_t n_depend = shape->n_depend > 0 ? shape->n_depend : 1;
    int64_t size[SONDE_FACTORS_MAX + 2] = {shape->n_state};
    m->factor[f].shape = *shape;
    add_sizes(m, n_depend, shape->n_depend > 0 ? shape->depend : &f, size + 1);
    size[n_depend + 1] = shape->n_action;
    sonde__made_factor made = {0};
    made.B = make_array(m, &m->factor[f].B, n_depend + 2, size);
    made.D = make_array(m, &m->factor[f].D, 1, size);
    return m->status == SONDE_OK ? made : (sonde__made_factor){0};
}

sonde__made_modality sonde__making_modality(sonde__making *m, const sonde_modality *shape) {
    sonde_modality_parts *modality = &m->modality[m->parts.n_modality++];
    int64_t size[SONDE_FACTORS_MAX + 2] = {shape->n_outcome};
    modality->shape = *shape;
    add_sizes(m, shape->n_factor, shape->factor, size + 1);
    size[shape->n_factor + 1] = count_actions(m);
    sonde__made_modality made = {0};
    made.A = make_array(m, &modality->A, 1 + shape->n_factor + (shape->n_action > 1 ? 1 : 0), size);
    made.C = make_array(m, &modality->C, 1, size);
    return m->status == SONDE_OK ? made : (sonde__made_modality){0};
}

double *sonde__making_cost(sonde__making *m) {
    int64_t size[SONDE_FACTORS_MAX + 1] = {0};
    const int32_t n = m->parts.n_factor;
    for (int32_t f = 0; f < n; f++) {
        size[f] = m->factor[f].shape.n_state;
    }
    size[n] = count_actions(m);
    return make_array(m, &m->parts.action_cost, n + 1, size);
}

void sonde__making_reward(sonde__making *m, double discount) {
    m->parts.settings.preferences = SONDE_PREFERENCES_UTILITY;
    m->parts.settings.information = SONDE_INFORMATION_OFF;
    m->parts.discount = discount;
}

/* ------------------------------------------------------------------------------------ making -- */

/* the fields that are whole numbers, and those that are probabilities */
static const struct {
    const char *name;
    size_t at;
    int32_t none; /* where nothing is said of it */
    int32_t least;
    int32_t most;
} wholes[] = {
    {"size", offsetof(sonde_make_settings, size), 0, 2, SIZE_MOST},
    {"rocks", offsetof(sonde_make_settings, n_rock), 0, 1, ROCKS_MOST},
    {"illegal", offsetof(sonde_make_settings, illegal), -1, 0, SONDE_ILLEGAL_STAY},
    {"form", offsetof(sonde_make_settings, form), -1, 0, SONDE_FORM_EFE},
};
static const struct {
    const char *name;
    size_t at;
} reals[] = {
    {"valid", offsetof(sonde_make_settings, valid)},
    {"slip", offsetof(sonde_make_settings, slip)},
    {"noise", offsetof(sonde_make_settings, noise)},
};
enum { N_WHOLE = sizeof wholes / sizeof *wholes, N_REAL = sizeof reals / sizeof *reals };

static sonde_status has_none(const sonde__making *m, const char *what) {
    return sonde__fail(m->error, SONDE_BAD_ARGUMENT, "%s: %s has none; leave it out", what,
                       rows[m->how.make].name);
}

/* Takes the usual value of a field of which nothing is said. */
static sonde_status settle_whole(sonde__making *m, int32_t i) {
    int32_t *value = (int32_t *)(void *)((char *)&m->how + wholes[i].at);
    const int32_t usual =
        *(const int32_t *)(const void *)((const char *)&rows[m->how.make].usual + wholes[i].at);
    if (*value == wholes[i].none) {
        *value = usual;
        return SONDE_OK;
    }
    if (usual == wholes[i].none) {
        return has_none(m, wholes[i].name);
    }
    return *value >= wholes[i].least && *value <= wholes[i].most
               ? SONDE_OK
               : sonde__fail(m->error, SONDE_BAD_ARGUMENT,
                             "%s: expected a whole number from %d to %d for %s, found %d",
                             wholes[i].name, wholes[i].least, wholes[i].most,
                             rows[m->how.make].name, *value);
}

static sonde_status settle_real(sonde__making *m, int32_t i) {
    double *value = (double *)(void *)((char *)&m->how + reals[i].at);
    const double usual =
        *(const double *)(const void *)((const char *)&rows[m->how.make].usual + reals[i].at);
    if (*value < 0.0) {
        *value = usual;
        return SONDE_OK;
    }
    if (usual < 0.0) {
        return has_none(m, reals[i].name);
    }
    return *value <= 1.0 ? SONDE_OK
                         : sonde__fail(m->error, SONDE_BAD_ARGUMENT,
                                       "%s: expected a probability from 0 to 1, found %g",
                                       reals[i].name, *value);
}

static sonde_status settle(sonde__making *m) {
    sonde_make_settings *how = &m->how;
    const bool rocks_given = how->n_rock != 0;
    sonde_status status = SONDE_OK;
    for (int32_t i = 0; i < N_WHOLE && status == SONDE_OK; i++) {
        status = settle_whole(m, i);
    }
    for (int32_t i = 0; i < N_REAL && status == SONDE_OK; i++) {
        status = settle_real(m, i);
    }
    if (status == SONDE_OK && how->make == SONDE_MAKE_ROCKSAMPLE && !rocks_given) {
        how->n_rock = how->size < ROCKS_MOST ? how->size : ROCKS_MOST;
    }
    if (status == SONDE_OK && how->n_rock > (int64_t)how->size * how->size) {
        return sonde__fail(m->error, SONDE_BAD_ARGUMENT,
                           "rocks: a grid of size %d has room for %d, found %d", how->size,
                           how->size * how->size, how->n_rock);
    }
    if (status == SONDE_OK && how->make == SONDE_MAKE_FROZENLAKE && how->size != 4 &&
        how->size != 8) {
        return sonde__fail(m->error, SONDE_BAD_ARGUMENT,
                           "size: FrozenLake has maps of 4 and of 8, found %d", how->size);
    }
    return status;
}

sonde_status sonde_make(const sonde_make_settings *how, const sonde_model_settings *settings,
                        const sonde_run *run, sonde_model **model, sonde_error *error) {
    if (sonde_make_name(how->make) == NULL) {
        return sonde__fail(error, SONDE_BAD_ARGUMENT,
                           "make: expected one of the models there are, found number %d",
                           how->make);
    }
    sonde__making m = {.how = *how,
                       .parts = sonde_parts_defaults(),
                       .run = sonde__run_settle(run),
                       .error = error};
    const row *r = &rows[how->make];
    m.parts.settings.horizon = r->horizon;
    m.status = settle(&m);
    m.factor = sonde__making_take(&m, SONDE_FACTORS_MAX, sizeof *m.factor);
    m.modality = sonde__making_take(&m, SONDE_FACTORS_MAX, sizeof *m.modality);
    m.parts.factor = m.factor;
    m.parts.modality = m.modality;
    if (m.status == SONDE_OK) {
        r->make(&m);
    }
    m.status = m.status == SONDE_OK ? sonde__settings_apply(settings, &m.parts, error) : m.status;
    if (m.status == SONDE_OK) {
        m.run = sonde__run_less(&m.run, m.bytes);
        m.status = sonde_model_new(&m.parts, r->name, &m.run, model, error);
    }
    sonde__pool_free(&m.pool);
    return m.status;
}

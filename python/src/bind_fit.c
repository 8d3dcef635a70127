/* bind_fit.c: tables of what people did, agents that follow them, and what is fitted by that. */
#include <string.h>

#include "binding.h"

/* ------------------------------------------------------------------------------------ data -- */

/* data_read(model, table, origin, map or None, base, missing): what somebody saw and did */
static PyObject *data_read(PyObject *self, PyObject *args) {
    (void)self;
    PyObject *object;
    const char *table = NULL;
    const char *origin = NULL;
    Py_ssize_t size = 0;
    int missing = 0;
    sonde_data_settings settings = sonde_data_defaults();
    const sonde_model *model;
    if (!PyArg_ParseTuple(args, "Oy#szip", &object, &table, &size, &origin, &settings.map,
                          &settings.base, &missing) ||
        !(model = handle_get(object, &kind_model))) {
        return NULL;
    }
    settings.missing_actions = missing;
    const sonde_source source = {.origin = origin, .data = table, .size = (size_t)size};
    sonde_data *data = NULL;
    sonde_error error = {0};
    return check(sonde_data_read(&source, model, &settings, &data, &error), &error)
               ? handle_new(&kind_data, data, object)
               : NULL;
}

/* data_fields(data) -> dict */
static PyObject *data_fields(PyObject *self, PyObject *object) {
    (void)self;
    const sonde_data *data = handle_get(object, &kind_data);
    if (data == NULL) {
        return NULL;
    }
    fields f = fields_new(object);
    put_names(&f, "subjects", data->subject, data->n_subject);
    put_names(&f, "models", data->model_name, data->n_model);
    put_names(&f, "columns", data->column, data->n_column);
    put_array(&f, "first", data->first, 'i', (int64_t)data->n_subject + 1);
    put_array(&f, "row", data->row, 'i', data->n_row);
    put_array(&f, "session", data->session, 'i', data->n_row);
    put_array(&f, "episode", data->episode, 'i', data->n_row);
    put_array(&f, "step", data->step, 'i', data->n_row);
    put_matrix(&f, "outcome", data->outcome, 'i', data->n_row, data->n_modality);
    put_array(&f, "action", data->action, 'i', data->n_row);
    put_array(&f, "score", data->score, '?', data->n_row);
    return fields_done(&f);
}

/* ------------------------------------------------------------------------------- parameters -- */

/* What is free in a model, or an agent of SPM's scheme, from a list or a document; one of the two is
 * given, the other is None. */
static PyObject *read_free(PyObject *args, bool is_spm) {
    PyObject *object;
    const char *list = NULL;
    const char *document = NULL;
    Py_ssize_t size = 0;
    const void *of;
    if (!PyArg_ParseTuple(args, "Ozz#", &object, &list, &document, &size) ||
        !(of = handle_get(object, is_spm ? &kind_spm : &kind_model))) {
        return NULL;
    }
    const sonde_source text = {.origin = "free", .data = document, .size = (size_t)size};
    const sonde_source *source = document ? &text : NULL;
    sonde_parameters *parameters = NULL;
    sonde_error error = {0};
    const sonde_status status =
        is_spm
            ? sonde_parameters_read_spm(source, list, sonde_spm_shape_of(of), &parameters, &error)
            : sonde_parameters_read(source, list, of, &parameters, &error);
    return check(status, &error) ? handle_new(&kind_parameters, parameters, object) : NULL;
}

/* parameters_read(model, list or None, document or None) */
static PyObject *parameters_read(PyObject *self, PyObject *args) {
    (void)self;
    return read_free(args, false);
}

static PyObject *parameter_dict(const sonde_parameter *one) {
    fields f = fields_new(Py_None);
    put_text(&f, "name", one->name);
    put_text(&f, "target", one->target);
    put_text(&f, "transform", sonde_transform_name((int32_t)one->transform));
    put(&f, "prior", Py_BuildValue("dd", one->mean, one->sd));
    put_real(&f, "start", one->start);
    put_text(&f, "per", one->per);
    put_bool(&f, "shared", one->shared);
    return fields_done(&f);
}

/* parameters_fields(parameters) -> list of dicts */
static PyObject *parameters_fields(PyObject *self, PyObject *object) {
    (void)self;
    const sonde_parameters *parameters = handle_get(object, &kind_parameters);
    PyObject *list = parameters ? PyList_New(0) : NULL;
    for (int32_t i = 0; list && i < parameters->n; i++) {
        PyObject *one = parameter_dict(&parameters->parameter[i]);
        if (one == NULL || PyList_Append(list, one) != 0) {
            Py_CLEAR(list);
        }
        Py_XDECREF(one);
    }
    return list;
}

/* log_prior(parameters, thetas (n, n_parameter), out (n)) */
static PyObject *log_prior(PyObject *self, PyObject *args) {
    (void)self;
    PyObject *object, *thetas, *out;
    const sonde_parameters *parameters;
    Py_buffer theta, value;
    if (!PyArg_ParseTuple(args, "OOO", &object, &thetas, &out) ||
        !(parameters = handle_get(object, &kind_parameters)) ||
        !buffer_get(out, &value, 'd', -1, true)) {
        return NULL;
    }
    const int64_t n = value.len / 8;
    const bool good = buffer_get(thetas, &theta, 'd', n * parameters->n, false);
    for (int64_t i = 0; good && i < n; i++) {
        ((double *)value.buf)[i] =
            sonde_parameters_log_prior(parameters, (const double *)theta.buf + i * parameters->n);
    }
    if (good) {
        PyBuffer_Release(&theta);
    }
    PyBuffer_Release(&value);
    return good ? Py_NewRef(Py_None) : NULL;
}

/* --------------------------------------------------------------------------------- settings -- */

/* Settings of an agent that follows somebody, with what they point to. */
struct follow {
    sonde_replay_settings settings;
    double *rates; /* of A by outcome, of forgetting by outcome */
    bool *which;   /* modalities, factors */
};

static void free_follow(void *pointer) {
    struct follow *follow = pointer;
    PyMem_Free(follow->rates);
    PyMem_Free(follow->which);
    PyMem_Free(follow);
}
const struct kind kind_follow = {"follow", free_follow};

/* A copy of an array that was handed over, or NULL for None; false with an exception. */
static bool copy_array(PyObject *object, char format, int64_t n, void *to, bool *given) {
    Py_buffer buffer;
    if (!buffer_get_maybe(object, &buffer, format, n, false)) {
        return false;
    }
    *given = buffer.buf != NULL;
    if (*given) {
        memcpy(to, buffer.buf, (size_t)buffer.len);
    }
    PyBuffer_Release(&buffer);
    return true;
}

/* What is learned, by outcome, modality and factor. */
static bool fill_learning(struct follow *follow, PyObject *by[4]) {
    const sonde_model *model = follow->settings.model;
    int64_t n_outcome = 0;
    for (int32_t m = 0; model->modality != NULL && m < model->n_modality; m++) {
        n_outcome += model->modality[m].n_outcome;
    }
    follow->rates = PyMem_Calloc((size_t)(2 * n_outcome + 1), sizeof *follow->rates);
    follow->which =
        PyMem_Calloc((size_t)(model->n_modality + model->n_factor + 1), sizeof *follow->which);
    if (follow->rates == NULL || follow->which == NULL) {
        PyErr_NoMemory();
        return false;
    }
    sonde_learn_settings *learn = &follow->settings.learn;
    double *omega = follow->rates + n_outcome;
    bool *factors = follow->which + model->n_modality;
    bool given[4];
    if (!copy_array(by[0], 'd', n_outcome, follow->rates, &given[0]) ||
        !copy_array(by[1], 'd', n_outcome, omega, &given[1]) ||
        !copy_array(by[2], '?', model->n_modality, follow->which, &given[2]) ||
        !copy_array(by[3], '?', model->n_factor, factors, &given[3])) {
        return false;
    }
    learn->eta_outcome = given[0] ? follow->rates : NULL;
    learn->omega_outcome = given[1] ? omega : NULL;
    learn->modality = given[2] ? follow->which : NULL;
    learn->factor = given[3] ? factors : NULL;
    return true;
}

static bool fill_follow(struct follow *follow, PyObject *dict, PyObject *learn, PyObject *by[4]) {
    const sonde_model *model = follow->settings.model;
    struct asked asked;
    const uint32_t kinds = sonde_model_kind(model);
    if (!settings_ask(dict, "full", kinds, &asked)) {
        return false;
    }
    if (asked.settings.vectors != NULL || asked.settings.action_prior != NULL) {
        PyErr_Format(error_bad_input, "%s: goes with plan, simulate and Agent only; leave it out",
                     asked.settings.vectors != NULL ? "policy" : "action_prior");
        return false;
    }
    follow->settings.search = settings_applied(&asked);
    follow->settings.learns = learn != Py_None;
    return learn == Py_None ||
           (settings_fill(learn_table, &follow->settings.learn, learn, "learn") &&
            fill_learning(follow, by));
}

/* follow_new(model, settings, learn or None, by_outcome, timing, lapse) */
static PyObject *follow_new(PyObject *self, PyObject *args) {
    (void)self;
    PyObject *object, *dict, *learn, *by[4];
    const char *timing = NULL;
    double lapse = 0.0;
    const sonde_model *model;
    if (!PyArg_ParseTuple(args, "OOO(OOOO)sd", &object, &dict, &learn, &by[0], &by[1], &by[2],
                          &by[3], &timing, &lapse) ||
        !(model = handle_get(object, &kind_model))) {
        return NULL;
    }
    const int32_t when = sonde_name_find(sonde_timing_name, timing);
    if (when < 0) {
        PyErr_Format(error_bad_input, "timing: expected before or after, found \"%s\"", timing);
        return NULL;
    }
    struct follow *follow = PyMem_Calloc(1, sizeof *follow);
    if (follow == NULL) {
        return PyErr_NoMemory();
    }
    follow->settings = sonde_replay_defaults(model);
    follow->settings.timing = (sonde_timing)when;
    follow->settings.lapse = lapse;
    if (!fill_follow(follow, dict, learn, by)) {
        free_follow(follow);
        return NULL;
    }
    return handle_new(&kind_follow, follow, object);
}

/* Settings with parameters in their places; theta is None or (n_parameter). */
static bool vary(sonde_replay_settings *settings, PyObject *parameters, PyObject *theta,
                 Py_buffer *buffer) {
    *buffer = (Py_buffer){0};
    if (parameters == Py_None) {
        return true;
    }
    settings->parameters = handle_get(parameters, &kind_parameters);
    if (settings->parameters == NULL ||
        !buffer_get(theta, buffer, 'd', settings->parameters->n, false)) {
        return false;
    }
    settings->theta = buffer->buf;
    return true;
}

/* ----------------------------------------------------------------------------------- replay -- */

/* replay(follow, data, subject, parameters or None, theta or None, wanted, run) */
static PyObject *replay(PyObject *self, PyObject *args) {
    (void)self;
    PyObject *object, *table, *parameters, *theta, *how;
    int subject = 0;
    unsigned int wanted = 0;
    struct work work = {0};
    sonde_run run;
    const struct follow *follow;
    const sonde_data *data;
    if (!PyArg_ParseTuple(args, "OOiOOIO", &object, &table, &subject, &parameters, &theta, &wanted,
                          &how) ||
        !(follow = handle_get(object, &kind_follow)) || !(data = handle_get(table, &kind_data)) ||
        !run_get(how, &work, &run)) {
        return NULL;
    }
    sonde_replay_settings settings = follow->settings;
    Py_buffer buffer;
    if (!vary(&settings, parameters, theta, &buffer)) {
        return NULL;
    }
    sonde_replayed *replayed = NULL;
    sonde_error error = {0};
    work_begin(&work);
    const sonde_status status =
        sonde_replay(&settings, data, subject, wanted, &run, &replayed, &error);
    const bool good = work_end(&work, status, &error);
    PyBuffer_Release(&buffer);
    if (!good && status == SONDE_OK) {
        sonde_replayed_free(replayed);
    }
    return good ? handle_new(&kind_replayed, replayed, NULL) : NULL;
}

/* replayed_fields(replayed) -> dict */
static PyObject *replayed_fields(PyObject *self, PyObject *object) {
    (void)self;
    const sonde_replayed *r = handle_get(object, &kind_replayed);
    if (r == NULL) {
        return NULL;
    }
    fields f = fields_new(object);
    put_array(&f, "p", r->p, 'd', r->n_row);
    put_array(&f, "log_p", r->log_p, 'd', r->n_row);
    put_array(&f, "surprise", r->surprise, 'd', r->n_row);
    put_array(&f, "likeliest", r->likeliest, 'i', r->n_row);
    put_matrix(&f, "belief", r->belief, 'd', r->n_row, r->n_belief);
    put_matrix(&f, "prior", r->prior, 'd', r->n_row, r->n_belief);
    put_matrix(&f, "update", r->update, 'd', r->n_row, r->n_factor);
    put_matrix(&f, "error", r->error, 'd', r->n_row, r->n_modality);
    put_matrix(&f, "counts", r->counts, 'd', r->n_row, r->counts ? r->n_count : 0);
    const struct layout efe = {
        .data = r->efe ? &r->efe->efe : NULL,
        .format = 'd',
        .ndim = 2,
        .shape = {r->n_row, r->n_action},
        .stride = {(int64_t)r->n_action * (int64_t)sizeof(sonde_efe), (int64_t)sizeof(sonde_efe)}};
    put_layout(&f, "efe", &efe);
    put_real(&f, "gamma", r->gamma);
    put_real(&f, "log_likelihood", r->log_likelihood);
    put_int(&f, "n", r->n);
    put_int(&f, "n_hit", r->n_hit);
    put_int(&f, "n_impossible", r->n_impossible);
    return fields_done(&f);
}

/* ------------------------------------------------------------------------------- likelihood -- */

/* likelihood_new(follow, data, parameters) */
static PyObject *likelihood_new(PyObject *self, PyObject *args) {
    (void)self;
    PyObject *object, *table, *free_ones;
    const struct follow *follow;
    const sonde_data *data;
    const sonde_parameters *parameters;
    if (!PyArg_ParseTuple(args, "OOO", &object, &table, &free_ones) ||
        !(follow = handle_get(object, &kind_follow)) || !(data = handle_get(table, &kind_data)) ||
        !(parameters = handle_get(free_ones, &kind_parameters))) {
        return NULL;
    }
    sonde_likelihood *likelihood = NULL;
    sonde_error error = {0};
    if (!check(sonde_likelihood_new(&follow->settings, data, parameters, NULL, &likelihood, &error),
               &error)) {
        return NULL;
    }
    PyObject *owner = PyTuple_Pack(3, object, table, free_ones);
    PyObject *made = handle_new(&kind_likelihood, likelihood, owner);
    Py_XDECREF(owner);
    return made;
}

/* likelihood_layout(likelihood, subject) -> (parameter of each slot, level or None, n) */
static PyObject *likelihood_layout(PyObject *self, PyObject *args) {
    (void)self;
    PyObject *object;
    int subject = 0;
    const sonde_likelihood *likelihood;
    if (!PyArg_ParseTuple(args, "Oi", &object, &subject) ||
        !(likelihood = handle_get(object, &kind_likelihood))) {
        return NULL;
    }
    const sonde_layout *layout = sonde_likelihood_layout(likelihood, subject);
    PyObject *slots = PyList_New(0);
    for (int32_t i = 0; slots && i < layout->n_slot; i++) {
        PyObject *slot =
            Py_BuildValue("iz", (int)layout->parameter[i], layout->level ? layout->level[i] : NULL);
        if (slot == NULL || PyList_Append(slots, slot) != 0) {
            Py_CLEAR(slots);
        }
        Py_XDECREF(slot);
    }
    return slots ? Py_BuildValue("Ni", slots, (int)layout->n) : NULL;
}

/* likelihood_all(likelihood, thetas (n_set, n_parameter), out (n_set, n_subject), n_set, run) */
static PyObject *likelihood_all(PyObject *self, PyObject *args) {
    (void)self;
    PyObject *object, *thetas, *out, *how;
    int n_set = 0;
    struct work work = {0};
    sonde_run run;
    const sonde_likelihood *likelihood;
    Py_buffer theta, value;
    if (!PyArg_ParseTuple(args, "OOOiO", &object, &thetas, &out, &n_set, &how) ||
        !(likelihood = handle_get(object, &kind_likelihood)) || !run_get(how, &work, &run) ||
        !buffer_get(thetas, &theta, 'd', -1, false)) {
        return NULL;
    }
    bool good = buffer_get(out, &value, 'd', -1, true);
    if (good) {
        sonde_error error = {0};
        work_begin(&work);
        const sonde_status status =
            sonde_likelihood_all(likelihood, n_set, theta.buf, &run, value.buf, &error);
        good = work_end(&work, status, &error);
        PyBuffer_Release(&value);
    }
    PyBuffer_Release(&theta);
    return good ? Py_NewRef(Py_None) : NULL;
}

/* likelihood_at(likelihood, subject, thetas (n_set, n_slot), out (n_set)) */
static PyObject *likelihood_at(PyObject *self, PyObject *args) {
    (void)self;
    PyObject *object, *thetas, *out;
    int subject = 0;
    struct work work = {0};
    const sonde_likelihood *likelihood;
    Py_buffer theta, value;
    if (!PyArg_ParseTuple(args, "OiOO", &object, &subject, &thetas, &out) ||
        !(likelihood = handle_get(object, &kind_likelihood)) ||
        !buffer_get(out, &value, 'd', -1, true)) {
        return NULL;
    }
    const int64_t n_set = value.len / 8;
    const int32_t n_slot = sonde_likelihood_layout(likelihood, subject)->n_slot;
    bool good = buffer_get(thetas, &theta, 'd', n_set * n_slot, false);
    if (good) {
        sonde_error error = {0};
        work_begin(&work);
        const sonde_status status =
            sonde_likelihood_at(likelihood, subject, (int32_t)n_set, theta.buf, value.buf, &error);
        good = work_end(&work, status, &error);
        PyBuffer_Release(&theta);
    }
    PyBuffer_Release(&value);
    return good ? Py_NewRef(Py_None) : NULL;
}

/* ------------------------------------------------------------------------------------- draw -- */

/* Fills changes from a list of (from, by episode, model); NULL with an exception. */
static sonde_change *changes_get(PyObject *list, Py_ssize_t n) {
    sonde_change *change = PyMem_Calloc((size_t)n + 1, sizeof *change);
    if (change == NULL) {
        PyErr_NoMemory();
        return NULL;
    }
    for (Py_ssize_t i = 0; i < n; i++) {
        PyObject *model;
        long long from = 0;
        int by_episode = 0;
        PyObject *one = PyList_GetItem(list, i);
        if (one == NULL || !PyArg_ParseTuple(one, "LpO", &from, &by_episode, &model) ||
            !(change[i].process = handle_get(model, &kind_model))) {
            PyMem_Free(change);
            return NULL;
        }
        change[i].from = from;
        change[i].by_episode = by_episode;
    }
    return change;
}

static bool draw_rows(const sonde_replay_settings *settings, const sonde_experiment *experiment,
                      PyObject *outcomes, PyObject *actions) {
    const int64_t n = (int64_t)experiment->n_episode * experiment->n_step;
    Py_buffer outcome, action;
    if (!buffer_get(outcomes, &outcome, 'i', n * settings->model->n_modality, true)) {
        return false;
    }
    bool good = buffer_get(actions, &action, 'i', n, true);
    if (good) {
        struct work work = {0};
        sonde_error error = {0};
        sonde_run run = sonde_run_defaults();
        run.stop = &work.stop;
        work_begin(&work);
        const sonde_status status =
            sonde_replay_draw(settings, experiment, &run, outcome.buf, action.buf, &error);
        good = work_end(&work, status, &error);
        PyBuffer_Release(&action);
    }
    PyBuffer_Release(&outcome);
    return good;
}

/* draw(follow, parameters or None, theta or None, (seed, subject, episodes, steps), changes, known
 * outcomes or None, outcomes, actions) */
static PyObject *draw(PyObject *self, PyObject *args) {
    (void)self;
    PyObject *object, *parameters, *theta, *changes, *known, *outcomes, *actions;
    unsigned long long seed = 0;
    unsigned long long subject = 0;
    sonde_experiment experiment = {0};
    const struct follow *follow;
    if (!PyArg_ParseTuple(args, "OOO(KKii)O!OOO", &object, &parameters, &theta, &seed, &subject,
                          &experiment.n_episode, &experiment.n_step, &PyList_Type, &changes, &known,
                          &outcomes, &actions) ||
        !(follow = handle_get(object, &kind_follow))) {
        return NULL;
    }
    sonde_replay_settings settings = follow->settings;
    const int64_t n = (int64_t)experiment.n_episode * experiment.n_step;
    Py_buffer buffer, table;
    sonde_change *change = changes_get(changes, PyList_Size(changes));
    if (change == NULL) {
        return NULL;
    }
    experiment.seed = seed;
    experiment.subject = subject;
    experiment.n_change = (int32_t)PyList_Size(changes);
    experiment.change = change;
    bool good = vary(&settings, parameters, theta, &buffer);
    if (good &&
        buffer_get_maybe(known, &table, 'i',
                         n * settings.model->n_action * settings.model->n_modality, false)) {
        experiment.outcome = table.buf;
        good = draw_rows(&settings, &experiment, outcomes, actions);
        PyBuffer_Release(&table);
    } else {
        good = false;
    }
    PyBuffer_Release(&buffer);
    PyMem_Free(change);
    return good ? Py_NewRef(Py_None) : NULL;
}

/* -------------------------------------------------------------------------------------- fit -- */

/* data_column(data, name) -> the cells of a column, or None */
static PyObject *data_column(PyObject *self, PyObject *args) {
    (void)self;
    PyObject *object;
    const char *name = NULL;
    const sonde_data *data;
    if (!PyArg_ParseTuple(args, "Os", &object, &name) || !(data = handle_get(object, &kind_data))) {
        return NULL;
    }
    const int32_t column = sonde_data_column(data, name);
    if (column < 0) {
        Py_RETURN_NONE;
    }
    PyObject *cells = PyList_New(0);
    for (int32_t row = 0; cells && row < data->n_row; row++) {
        PyObject *cell = PyUnicode_FromString(data->cell[(int64_t)row * data->n_column + column]);
        if (cell == NULL || PyList_Append(cells, cell) != 0) {
            Py_CLEAR(cells);
        }
        Py_XDECREF(cell);
    }
    return cells;
}

static const setting fit_table[] = {
    {"starts", SET_I32, offsetof(sonde_fit_settings, n_start), 1, NULL},
    {"seed", SET_U64, offsetof(sonde_fit_settings, seed), 0, NULL},
    {"group", SET_BOOL, offsetof(sonde_fit_settings, group), 0, NULL},
    {"covariates", SET_TEXT, offsetof(sonde_fit_settings, covariates), 0, NULL},
    {"newton", SET_BOOL, offsetof(sonde_fit_settings, newton), 0, NULL},
    {"store", SET_TEXT, offsetof(sonde_fit_settings, store), 0, NULL},
    {NULL, SET_I32, 0, 0, NULL},
};

static PyObject *fit_document(const struct follow *follow, const sonde_data *data,
                              const sonde_parameters *parameters,
                              const sonde_fit_settings *settings, PyObject *how) {
    struct work work = {0};
    sonde_run run;
    if (!run_get(how, &work, &run)) {
        return NULL;
    }
    sonde_fit *made = NULL;
    sonde_error error = {0};
    work_begin(&work);
    const sonde_status status =
        sonde_fit_new(&follow->settings, data, parameters, settings, &run, &made, &error);
    sonde_text json = {0};
    if (status == SONDE_OK) {
        sonde_fit_write(made, NULL, &json);
    }
    sonde_fit_free(made);
    if (!work_end(&work, status, &error)) {
        sonde_text_free(&json);
        return NULL;
    }
    return text_take(&json);
}

/* spm_parameters_read(agent, list or None, document or None) */
static PyObject *spm_parameters_read(PyObject *self, PyObject *args) {
    (void)self;
    return read_free(args, true);
}

/* What a fit of SPM's scheme says, as JSON. */
static PyObject *fit_spm_document(sonde_spm *const *spm, const char *const *name, int32_t n,
                                  const sonde_parameters *parameters,
                                  const sonde_fit_settings *settings, PyObject *how) {
    struct work work = {0};
    sonde_run run;
    if (!run_get(how, &work, &run)) {
        return NULL;
    }
    sonde_fit *made = NULL;
    sonde_error error = {0};
    sonde_text json = {0};
    work_begin(&work);
    const sonde_status status =
        sonde_fit_new_spm(spm, name, n, parameters, settings, &run, &made, &error);
    if (status == SONDE_OK) {
        sonde_fit_write(made, "\"scheme\": \"spm\"", &json);
    }
    sonde_fit_free(made);
    if (!work_end(&work, status, &error)) {
        sonde_text_free(&json);
        return NULL;
    }
    return text_take(&json);
}

/* fit_spm(agents with trials, names, parameters, settings, run) -> JSON */
static PyObject *fit_spm(PyObject *self, PyObject *args) {
    (void)self;
    PyObject *agents, *names, *free_ones, *dict, *how;
    sonde_fit_settings settings = sonde_fit_defaults();
    const sonde_parameters *parameters;
    const char **name = NULL;
    if (!PyArg_ParseTuple(args, "O!O!OOO", &PyList_Type, &agents, &PyList_Type, &names, &free_ones,
                          &dict, &how) ||
        !(parameters = handle_get(free_ones, &kind_parameters)) ||
        !settings_fill(fit_table, &settings, dict, "fit") ||
        !names_get(names, PyList_Size(agents), &name)) {
        return NULL;
    }
    const Py_ssize_t n = PyList_Size(agents);
    sonde_spm **spm = PyMem_Calloc((size_t)n + 1, sizeof(void *));
    PyObject *told = NULL;
    bool good = spm != NULL;
    for (Py_ssize_t i = 0; good && i < n; i++) {
        spm[i] = handle_get(PyList_GetItem(agents, i), &kind_spm);
        good = spm[i] != NULL;
    }
    if (good) {
        told = fit_spm_document(spm, name, (int32_t)n, parameters, &settings, how);
    } else if (spm == NULL) {
        PyErr_NoMemory();
    }
    PyMem_Free(spm);
    PyMem_Free(name);
    return told;
}

/* fit(follow, data, parameters, settings, train or None, test or None, run) -> JSON */
static PyObject *fit(PyObject *self, PyObject *args) {
    (void)self;
    PyObject *object, *table, *free_ones, *dict, *train, *test, *how;
    sonde_fit_settings settings = sonde_fit_defaults();
    const struct follow *follow;
    const sonde_data *data;
    const sonde_parameters *parameters;
    if (!PyArg_ParseTuple(args, "OOOOOOO", &object, &table, &free_ones, &dict, &train, &test,
                          &how) ||
        !(follow = handle_get(object, &kind_follow)) || !(data = handle_get(table, &kind_data)) ||
        !(parameters = handle_get(free_ones, &kind_parameters)) ||
        !settings_fill(fit_table, &settings, dict, "fit")) {
        return NULL;
    }
    Py_buffer trained, tested;
    if (!buffer_get_maybe(train, &trained, '?', data->n_row, false)) {
        return NULL;
    }
    PyObject *told = NULL;
    if (buffer_get_maybe(test, &tested, '?', data->n_row, false)) {
        settings.train = trained.buf;
        settings.test = tested.buf;
        told = fit_document(follow, data, parameters, &settings, how);
        PyBuffer_Release(&tested);
    }
    PyBuffer_Release(&trained);
    return told;
}

/* ---------------------------------------------------------------------------------- recover -- */

/* process_read(path, run): a world that may change */
static PyObject *process_read(PyObject *self, PyObject *args) {
    (void)self;
    const char *path = NULL;
    PyObject *how;
    struct work work = {0};
    sonde_run run;
    sonde_task *process = NULL;
    sonde_error error = {0};
    if (!PyArg_ParseTuple(args, "sO", &path, &how) || !run_get(how, &work, &run) ||
        !check(sonde_task_read(path, &run, &process, &error), &error)) {
        return NULL;
    }
    return handle_new(&kind_task, process, NULL);
}

/* process_outcomes(model, path, episodes, steps, after): what comes of each action */
static PyObject *process_outcomes(PyObject *self, PyObject *args) {
    (void)self;
    PyObject *object;
    const char *path = NULL;
    int after = 0;
    sonde_experiment experiment = {0};
    sonde_task *process = NULL;
    sonde_error error = {0};
    const sonde_model *model;
    if (!PyArg_ParseTuple(args, "Osiip", &object, &path, &experiment.n_episode, &experiment.n_step,
                          &after) ||
        !(model = handle_get(object, &kind_model)) ||
        !check(sonde_task_outcomes(path, model, &experiment,
                                   after ? SONDE_TIMING_AFTER : SONDE_TIMING_BEFORE, &process,
                                   &error),
               &error)) {
        return NULL;
    }
    return handle_new(&kind_task, process, NULL);
}

/* Everything that a recovery is asked for, with what it points to. */
struct recovery {
    sonde_recover_settings settings;
    sonde_experiment experiment;
    const sonde_parameters **parameters; /* (n_model) */
    const char **name;                   /* (n_model) */
};

static void recovery_free(struct recovery *r) {
    PyMem_Free(r->parameters);
    PyMem_Free(r->name);
}

/* Fills it from (follow, parameters, names, process or None, (episodes, steps, subjects, grid,
 * sessions), settings of fits); false with an exception. */
static bool recovery_get(PyObject *tuple, struct recovery *r) {
    PyObject *object, *list, *names, *world, *dict;
    int grid = 0;
    const struct follow *follow;
    *r = (struct recovery){.settings = {.fit = sonde_fit_defaults()}};
    if (!PyArg_ParseTuple(tuple, "OO!O!O(iiipi)O", &object, &PyList_Type, &list, &PyList_Type,
                          &names, &world, &r->experiment.n_episode, &r->experiment.n_step,
                          &r->settings.n_subject, &grid, &r->settings.n_session, &dict) ||
        !(follow = handle_get(object, &kind_follow)) ||
        !settings_fill(fit_table, &r->settings.fit, dict, "recover")) {
        return false;
    }
    const Py_ssize_t n = PyList_Size(list);
    r->parameters = PyMem_Calloc((size_t)n + 1, sizeof(void *));
    if (r->parameters == NULL) {
        PyErr_NoMemory();
        return false;
    }
    if (!names_get(names, n, &r->name)) {
        return false;
    }
    for (Py_ssize_t i = 0; i < n; i++) {
        r->parameters[i] = handle_get(PyList_GetItem(list, i), &kind_parameters);
        if (r->parameters[i] == NULL) {
            return false;
        }
    }
    if (world != Py_None) {
        const sonde_task *process = handle_get(world, &kind_task);
        if (process == NULL) {
            return false;
        }
        r->experiment.n_change = process->n_change;
        r->experiment.change = process->change;
        r->experiment.outcome = process->outcome;
    }
    r->experiment.seed = r->settings.fit.seed;
    r->settings.agent = &follow->settings;
    r->settings.n_model = (int32_t)n;
    r->settings.parameters = r->parameters;
    r->settings.model = r->name;
    r->settings.grid = grid;
    return true;
}

/* recover(asked, run) -> JSON; asked as in recovery_get */
static PyObject *recover(PyObject *self, PyObject *args) {
    (void)self;
    PyObject *tuple, *how;
    struct work work = {0};
    sonde_run run;
    struct recovery r = {0};
    if (!PyArg_ParseTuple(args, "O!O", &PyTuple_Type, &tuple, &how) || !run_get(how, &work, &run) ||
        !recovery_get(tuple, &r)) {
        recovery_free(&r);
        return NULL;
    }
    r.settings.experiment = &r.experiment;
    sonde_recovered *recovered = NULL;
    sonde_error error = {0};
    sonde_text json = {0};
    work_begin(&work);
    const sonde_status status = sonde_recover(&r.settings, &run, &recovered, &error);
    if (status == SONDE_OK) {
        sonde_recovered_write(recovered, &json);
    }
    sonde_recovered_free(recovered);
    const bool good = work_end(&work, status, &error);
    recovery_free(&r);
    if (!good) {
        sonde_text_free(&json);
        return NULL;
    }
    return text_take(&json);
}

static PyObject *share_tuple(sonde_share share) {
    return Py_BuildValue("ddd", share.share, share.low, share.high);
}

static PyObject *power_list(const sonde_power *found, int32_t n) {
    PyObject *list = PyList_New(0);
    for (int32_t i = 0; list && i < n; i++) {
        fields f = fields_new(Py_None);
        put_int(&f, "subjects", found[i].n_subject);
        put(&f, "found", share_tuple(found[i].found));
        put(&f, "found_without", share_tuple(found[i].wrong));
        put(&f, "coverage", share_tuple(found[i].covers));
        put_real(&f, "beta", found[i].beta);
        put_real(&f, "sd", found[i].sd);
        PyObject *one = fields_done(&f);
        if (one == NULL || PyList_Append(list, one) != 0) {
            Py_CLEAR(list);
        }
        Py_XDECREF(one);
    }
    return list;
}

/* power(asked, parameter, difference, sizes, repeats, run) -> list of dicts */
static PyObject *power(PyObject *self, PyObject *args) {
    (void)self;
    PyObject *tuple, *sizes, *how;
    struct work work = {0};
    sonde_run run;
    struct recovery r = {0};
    sonde_power_settings asked = {0};
    Py_buffer size = {0};
    if (!PyArg_ParseTuple(args, "O!sdOiO", &PyTuple_Type, &tuple, &asked.parameter,
                          &asked.difference, &sizes, &asked.n_repeat, &how) ||
        !run_get(how, &work, &run) || !recovery_get(tuple, &r) ||
        !buffer_get(sizes, &size, 'i', -1, false)) {
        recovery_free(&r);
        return NULL;
    }
    r.settings.experiment = &r.experiment;
    asked.size = size.buf;
    asked.n_size = (int32_t)(size.len / 4);
    sonde_power *found = PyMem_Calloc((size_t)asked.n_size + 1, sizeof *found);
    sonde_error error = {0};
    PyObject *told = NULL;
    if (found == NULL) {
        PyErr_NoMemory();
    } else {
        work_begin(&work);
        const sonde_status status = sonde_recover_power(&r.settings, &asked, &run, found, &error);
        told = work_end(&work, status, &error) ? power_list(found, asked.n_size) : NULL;
    }
    PyMem_Free(found);
    PyBuffer_Release(&size);
    recovery_free(&r);
    return told;
}

/* ---------------------------------------------------------------------------------- compare -- */

static PyObject *compare_candidates(const sonde_candidates *candidates) {
    sonde_comparison *comparison = NULL;
    sonde_error error = {0};
    if (!check(sonde_compare(candidates, &comparison, &error), &error)) {
        return NULL;
    }
    sonde_text json = {0};
    sonde_comparison_write(candidates, comparison, &json);
    sonde_comparison_free(comparison);
    return text_take(&json);
}

/* compare(files, families) -> JSON: results of sonde fit, or one table */
static PyObject *compare(PyObject *self, PyObject *args) {
    (void)self;
    PyObject *files, *families;
    const char **path = NULL;
    const char **family = NULL;
    if (!PyArg_ParseTuple(args, "O!O!", &PyList_Type, &files, &PyList_Type, &families) ||
        !names_get(files, PyList_Size(files), &path)) {
        return NULL;
    }
    PyObject *told = NULL;
    if (names_get(families, PyList_Size(families), &family)) {
        sonde_candidates *candidates = NULL;
        sonde_error error = {0};
        if (check(sonde_candidates_read(path, (int32_t)PyList_Size(files), family,
                                        (int32_t)PyList_Size(families), &candidates, &error),
                  &error)) {
            told = compare_candidates(candidates);
        }
        sonde_candidates_free(candidates);
        PyMem_Free(family);
    }
    PyMem_Free(path);
    return told;
}

PyMethodDef fit_methods[] = {
    {"data_read", data_read, METH_VARARGS,
     "data_read(model, table, origin, map, base, missing) -> data"},
    {"data_fields", data_fields, METH_O, "data_fields(data) -> dict"},
    {"parameters_read", parameters_read, METH_VARARGS,
     "parameters_read(model, list, document) -> parameters"},
    {"parameters_fields", parameters_fields, METH_O, "parameters_fields(parameters) -> list"},
    {"log_prior", log_prior, METH_VARARGS, "log_prior(parameters, thetas, out)"},
    {"follow_new", follow_new, METH_VARARGS,
     "follow_new(model, settings, learn, by_outcome, timing, lapse) -> follow"},
    {"replay", replay, METH_VARARGS,
     "replay(follow, data, subject, parameters, theta, wanted, run) -> replayed"},
    {"replayed_fields", replayed_fields, METH_O, "replayed_fields(replayed) -> dict"},
    {"likelihood_new", likelihood_new, METH_VARARGS,
     "likelihood_new(follow, data, parameters) -> likelihood"},
    {"likelihood_layout", likelihood_layout, METH_VARARGS,
     "likelihood_layout(likelihood, subject) -> (slots, n)"},
    {"likelihood_all", likelihood_all, METH_VARARGS,
     "likelihood_all(likelihood, thetas, out, n_set, run)"},
    {"likelihood_at", likelihood_at, METH_VARARGS,
     "likelihood_at(likelihood, subject, thetas, out)"},
    {"draw", draw, METH_VARARGS,
     "draw(follow, parameters, theta, (seed, subject, episodes, steps), changes, known, outcomes, "
     "actions)"},
    {"data_column", data_column, METH_VARARGS, "data_column(data, name) -> list or None"},
    {"fit", fit, METH_VARARGS, "fit(follow, data, parameters, settings, train, test, run) -> JSON"},
    {"spm_parameters_read", spm_parameters_read, METH_VARARGS,
     "spm_parameters_read(agent, list, document) -> parameters"},
    {"fit_spm", fit_spm, METH_VARARGS, "fit_spm(agents, names, parameters, settings, run) -> JSON"},
    {"process_read", process_read, METH_VARARGS, "process_read(path, run) -> process"},
    {"process_outcomes", process_outcomes, METH_VARARGS,
     "process_outcomes(model, path, episodes, steps, after) -> process"},
    {"recover", recover, METH_VARARGS, "recover(asked, run) -> JSON"},
    {"power", power, METH_VARARGS,
     "power(asked, parameter, difference, sizes, repeats, run) -> list"},
    {"compare", compare, METH_VARARGS, "compare(files, families) -> JSON"},
    {NULL, NULL, 0, NULL},
};

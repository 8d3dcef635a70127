/* bind_model.c: models from arrays and files, and beliefs. */
#include <stddef.h>
#include <string.h>

#include "binding.h"
#include <sonde_make.h>

static const setting model_table[] = {
    {"horizon", SET_I32, offsetof(sonde_model_settings, horizon), 1, NULL},
    {"lambda", SET_F64, offsetof(sonde_model_settings, lambda), 0, NULL},
    {"gamma", SET_F64, offsetof(sonde_model_settings, gamma), 0, NULL},
    {"preferences", SET_CHOICE, offsetof(sonde_model_settings, preferences), 0,
     sonde_preferences_name},
    {"information", SET_CHOICE, offsetof(sonde_model_settings, information), 0,
     sonde_information_name},
    {NULL, SET_I32, 0, 0, NULL},
};

/* ------------------------------------------------------------------------------ from parts -- */

/* What is borrowed from Python while a model is made, to be given back together. */
typedef struct lent {
    struct lent *next;
    Py_buffer buffer; /* obj NULL: none */
    const char **names;
    max_align_t room[];
} lent;

static lent *lend(lent **all, size_t size) {
    lent *one = PyMem_Calloc(1, sizeof *one + size);
    if (one == NULL) {
        PyErr_NoMemory();
        return NULL;
    }
    one->next = *all;
    *all = one;
    return one;
}

static void give_back(lent *all) {
    while (all != NULL) {
        lent *next = all->next;
        PyBuffer_Release(&all->buffer);
        PyMem_Free(all->names);
        PyMem_Free(all);
        all = next;
    }
}

static Py_buffer *borrow(lent **all, PyObject *object, char format, int64_t n) {
    lent *one = lend(all, 0);
    return one && buffer_get(object, &one->buffer, format, n, false) ? &one->buffer : NULL;
}

static bool borrow_names(lent **all, PyObject *list, int32_t n, const char *const **names) {
    lent *one = lend(all, 0);
    if (one == NULL || !names_get(list, n, &one->names)) {
        return false;
    }
    *names = (const char *const *)one->names;
    return true;
}

/* Numbers of factors; nothing for None. */
static bool borrow_numbers(lent **all, PyObject *object, int32_t *n, const int32_t **numbers) {
    *n = 0;
    if (object == Py_None) {
        return true;
    }
    const Py_buffer *buffer = borrow(all, object, 'i', -1);
    if (buffer == NULL) {
        return false;
    }
    *n = (int32_t)(buffer->len / 4);
    *numbers = buffer->buf;
    return true;
}

/* All numbers, as a buffer; or those that are not 0, as (shape, index, entry). */
static bool borrow_array(lent **all, PyObject *object, sonde_array *array) {
    if (object == Py_None) {
        return true;
    }
    if (PyTuple_Check(object)) {
        PyObject *shape, *index, *entry;
        const Py_buffer *shapes, *indices, *entries;
        if (!PyArg_ParseTuple(object, "OOO", &shape, &index, &entry) ||
            !(shapes = borrow(all, shape, 'q', -1)) || !(entries = borrow(all, entry, 'd', -1))) {
            return false;
        }
        *array = (sonde_array){.n_axis = (int32_t)(shapes->len / 8),
                               .size = shapes->buf,
                               .n_entry = entries->len / 8,
                               .entry = entries->buf};
        indices = borrow(all, index, 'q', array->n_entry * array->n_axis);
        array->index = indices ? indices->buf : NULL;
        return indices != NULL;
    }
    const Py_buffer *buffer = borrow(all, object, 'd', -1);
    lent *sizes = buffer ? lend(all, (size_t)buffer->ndim * sizeof(int64_t)) : NULL;
    if (sizes == NULL) {
        return false;
    }
    int64_t *size = (int64_t *)sizes->room;
    for (int axis = 0; axis < buffer->ndim; axis++) {
        size[axis] = buffer->shape[axis];
    }
    *array = (sonde_array){.n_axis = buffer->ndim, .size = size, .value = buffer->buf};
    return true;
}

/* (name, n_state, n_action, state names, action names, depends, B, D, allowed, counts of B, of
 * D) */
static bool borrow_factor(lent **all, PyObject *tuple, sonde_factor_parts *factor) {
    PyObject *states, *actions, *depends, *B, *D, *allowed, *counts_B, *counts_D;
    if (!PyArg_ParseTuple(tuple, "ziiOOOOOOOO", &factor->shape.name, &factor->shape.n_state,
                          &factor->shape.n_action, &states, &actions, &depends, &B, &D, &allowed,
                          &counts_B, &counts_D) ||
        !borrow_array(all, counts_B, &factor->counts_B) ||
        !borrow_array(all, counts_D, &factor->counts_D) ||
        !borrow_names(all, states, factor->shape.n_state, &factor->shape.state_name) ||
        !borrow_names(all, actions, factor->shape.n_action, &factor->shape.action_name) ||
        !borrow_numbers(all, depends, &factor->shape.n_depend, &factor->shape.depend) ||
        !borrow_array(all, B, &factor->B) || !borrow_array(all, D, &factor->D) ||
        !borrow_numbers(all, allowed, &factor->n_allowed, &factor->allowed)) {
        return false;
    }
    factor->n_allowed /= 2;
    return true;
}

/* (name, n_outcome, outcome names, factors, A, C, cost, counts of A, of C) */
static bool borrow_modality(lent **all, PyObject *tuple, sonde_modality_parts *modality) {
    PyObject *outcomes, *factors, *A, *C, *cost, *counts_A, *counts_C;
    return PyArg_ParseTuple(tuple, "ziOOOOOOO", &modality->shape.name, &modality->shape.n_outcome,
                            &outcomes, &factors, &A, &C, &cost, &counts_A, &counts_C) &&
           borrow_array(all, counts_A, &modality->counts_A) &&
           borrow_array(all, counts_C, &modality->counts_C) &&
           borrow_names(all, outcomes, modality->shape.n_outcome, &modality->shape.outcome_name) &&
           borrow_numbers(all, factors, &modality->shape.n_factor, &modality->shape.factor) &&
           borrow_array(all, A, &modality->A) && borrow_array(all, C, &modality->C) &&
           borrow_array(all, cost, &modality->cost);
}

static bool borrow_parts(lent **all, PyObject *factors, PyObject *modalities, sonde_parts *parts) {
    parts->n_factor = (int32_t)PyList_Size(factors);
    parts->n_modality = (int32_t)PyList_Size(modalities);
    lent *rooms = lend(all, (size_t)parts->n_factor * sizeof *parts->factor);
    lent *more = lend(all, (size_t)parts->n_modality * sizeof *parts->modality);
    if (rooms == NULL || more == NULL) {
        return false;
    }
    sonde_factor_parts *factor = (sonde_factor_parts *)rooms->room;
    sonde_modality_parts *modality = (sonde_modality_parts *)more->room;
    parts->factor = factor;
    parts->modality = modality;
    for (int32_t f = 0; f < parts->n_factor; f++) {
        if (!borrow_factor(all, PyList_GetItem(factors, f), &factor[f])) {
            return false;
        }
    }
    for (int32_t m = 0; m < parts->n_modality; m++) {
        if (!borrow_modality(all, PyList_GetItem(modalities, m), &modality[m])) {
            return false;
        }
    }
    return true;
}

static const setting parts_table[] = {
    {"preferences", SET_CHOICE, offsetof(sonde_parts, settings.preferences), 0,
     sonde_preferences_name},
    {"information", SET_CHOICE, offsetof(sonde_parts, settings.information), 0,
     sonde_information_name},
    {"lambda", SET_F64, offsetof(sonde_parts, settings.lambda), 0, NULL},
    {"gamma", SET_F64, offsetof(sonde_parts, settings.gamma), 0, NULL},
    {"horizon", SET_I32, offsetof(sonde_parts, settings.horizon), 1, NULL},
    {"policies", SET_CHOICE, offsetof(sonde_parts, policies), 0, sonde_policy_kind_name},
    {"name", SET_TEXT, offsetof(sonde_parts, name), 0, NULL},
    {"keep_given", SET_BOOL, offsetof(sonde_parts, keep_given), 0, NULL},
    {"discount", SET_F64, offsetof(sonde_parts, discount), 0, NULL},
    {NULL, SET_I32, 0, 0, NULL},
};

/* Policies (n, horizon, n_factor) and their prior, each None or an array. */
static bool borrow_policies(lent **all, PyObject *listed, PyObject *prior, PyObject *counts,
                            sonde_parts *parts) {
    if (listed != Py_None) {
        const Py_buffer *policy = borrow(all, listed, 'i', -1);
        if (policy == NULL) {
            return false;
        }
        const int64_t each = (int64_t)parts->settings.horizon * parts->n_factor;
        if (each < 1 || policy->len / 4 % each != 0) {
            PyErr_Format(error_bad_input,
                         "policies: expected an array (policies, horizon, factors)");
            return false;
        }
        parts->policies = SONDE_POLICIES_LISTED;
        parts->policy = policy->buf;
        parts->n_policy = (int32_t)(policy->len / 4 / each);
    }
    if (prior != Py_None) {
        const Py_buffer *E = borrow(all, prior, 'd', -1);
        if (E == NULL) {
            return false;
        }
        if (listed == Py_None || E->len / 8 != parts->n_policy) {
            PyErr_Format(error_bad_input,
                         "E: expected a number for each of the listed policies (%d), found %zd",
                         (int)parts->n_policy, E->len / 8);
            return false;
        }
        parts->E = E->buf;
    }
    return borrow_array(all, counts, &parts->counts_E);
}

static PyObject *model_done(bool good, sonde_model *model, PyObject *owner) {
    if (!good) {
        sonde_model_free(model);
        return NULL;
    }
    return handle_new(&kind_model, model, owner);
}

/* What actions cost and how probable they are beforehand, where they are given. */
static bool borrow_actions(lent **all, PyObject *cost, PyObject *prior, sonde_parts *parts) {
    if (cost != Py_None && !borrow_array(all, cost, &parts->action_cost)) {
        return false;
    }
    if (prior == Py_None) {
        return true;
    }
    size_t n_action = 1;
    for (int32_t f = 0; f < parts->n_factor; f++) {
        n_action *= (size_t)parts->factor[f].shape.n_action;
    }
    const Py_buffer *weights = borrow(all, prior, 'd', -1);
    if (weights == NULL) {
        return false;
    }
    if ((size_t)weights->len != n_action * sizeof(double)) {
        PyErr_Format(error_bad_input,
                     "action_prior: expected %zu numbers, one for each action, found %zd", n_action,
                     weights->len / (Py_ssize_t)sizeof(double));
        return false;
    }
    parts->action_prior = weights->buf;
    return true;
}

/* model_new(factors, modalities, settings, policies, (E, counts of E), (action_cost, action_prior),
 * origin, run) */
static PyObject *model_new(PyObject *self, PyObject *args) {
    (void)self;
    PyObject *factors, *modalities, *dict, *listed, *prior, *counts, *how, *cost, *weight;
    const char *origin = NULL;
    sonde_parts parts = sonde_parts_defaults();
    struct work work = {0};
    sonde_run run;
    if (!PyArg_ParseTuple(args, "O!O!OO(OO)(OO)sO", &PyList_Type, &factors, &PyList_Type,
                          &modalities, &dict, &listed, &prior, &counts, &cost, &weight, &origin,
                          &how) ||
        !settings_fill(parts_table, &parts, dict, "Model") || !run_get(how, &work, &run)) {
        return NULL;
    }
    lent *all = NULL;
    PyObject *made = NULL;
    if (borrow_parts(&all, factors, modalities, &parts) &&
        borrow_policies(&all, listed, prior, counts, &parts) &&
        borrow_actions(&all, cost, weight, &parts)) {
        sonde_model *model = NULL;
        sonde_error error = {0};
        work_begin(&work);
        const sonde_status status = sonde_model_new(&parts, origin, &run, &model, &error);
        made = model_done(work_end(&work, status, &error), model, NULL);
    }
    give_back(all);
    return made;
}

/* make(how, settings, run) */
static PyObject *make(PyObject *self, PyObject *args) {
    (void)self;
    static const setting table[] = {
        {"make", SET_CHOICE, offsetof(sonde_make_settings, make), 0, sonde_make_name},
        {"size", SET_I32, offsetof(sonde_make_settings, size), 2, NULL},
        {"rocks", SET_I32, offsetof(sonde_make_settings, n_rock), 1, NULL},
        {"illegal", SET_CHOICE, offsetof(sonde_make_settings, illegal), 0, sonde_illegal_name},
        {"form", SET_CHOICE, offsetof(sonde_make_settings, form), 0, sonde_form_name},
        {"valid", SET_F64, offsetof(sonde_make_settings, valid), 0, NULL},
        {"slip", SET_F64, offsetof(sonde_make_settings, slip), 0, NULL},
        {"noise", SET_F64, offsetof(sonde_make_settings, noise), 0, NULL},
        {"seed", SET_U64, offsetof(sonde_make_settings, seed), 0, NULL},
        {NULL, SET_I32, 0, 0, NULL},
    };
    PyObject *dict, *settings, *how;
    sonde_make_settings making = sonde_make_defaults();
    sonde_model_settings model_settings = sonde_model_defaults();
    struct work work = {0};
    sonde_run run;
    sonde_model *model = NULL;
    sonde_error error = {0};
    if (!PyArg_ParseTuple(args, "OOO", &dict, &settings, &how) ||
        !settings_fill(table, &making, dict, "make") ||
        !settings_fill(model_table, &model_settings, settings, "model") ||
        !run_get(how, &work, &run)) {
        return NULL;
    }
    work_begin(&work);
    const sonde_status status = sonde_make(&making, &model_settings, &run, &model, &error);
    return model_done(work_end(&work, status, &error), model, NULL);
}

/* ------------------------------------------------------------------------------ from files -- */

/* input_read(path, graph settings, model settings, seed, run) -> (graph or None, model) */
static PyObject *input_read(PyObject *self, PyObject *args) {
    (void)self;
    static const setting graph_table[] = {
        {"idle", SET_F64, offsetof(sonde_graph_settings, idle), 0, NULL},
        {"start", SET_TEXT, offsetof(sonde_graph_settings, start), 0, NULL},
        {"destination", SET_TEXT, offsetof(sonde_graph_settings, destination), 0, NULL},
        {"horizon", SET_I32, offsetof(sonde_graph_settings, horizon), 1, NULL},
        {"lambda", SET_F64, offsetof(sonde_graph_settings, lambda), 0, NULL},
        {NULL, SET_I32, 0, 0, NULL},
    };
    PyObject *path, *graph_dict, *model_dict, *how;
    unsigned long long seed = 0;
    if (!PyArg_ParseTuple(args, "O&OOKO", PyUnicode_FSConverter, &path, &graph_dict, &model_dict,
                          &seed, &how)) {
        return NULL;
    }
    sonde_graph_settings graph_settings = sonde_graph_defaults();
    sonde_model_settings model_settings = sonde_model_defaults();
    struct work work = {0};
    sonde_run run;
    sonde_input input = {0};
    bool good = settings_fill(graph_table, &graph_settings, graph_dict, "graph world") &&
                settings_fill(model_table, &model_settings, model_dict, "model") &&
                run_get(how, &work, &run);
    if (good) {
        const char *name = PyBytes_AsString(path);
        sonde_error error = {0};
        work_begin(&work);
        const sonde_status status =
            sonde_input_read(name, &graph_settings, &model_settings, seed, &run, &input, &error);
        good = work_end(&work, status, &error);
    }
    Py_DECREF(path);
    if (!good) {
        sonde_input_free(&input);
        return NULL;
    }
    PyObject *graph = input.graph ? handle_new(&kind_graph, input.graph, NULL) : Py_NewRef(Py_None);
    if (!graph) {
        sonde_model_free(input.model);
        return NULL;
    }
    PyObject *model = handle_new(&kind_model, input.model, graph);
    return model ? Py_BuildValue("NN", graph, model) : NULL;
}

/* model_read(path, settings, run) */
static PyObject *model_read(PyObject *self, PyObject *args) {
    (void)self;
    PyObject *path, *dict, *how;
    if (!PyArg_ParseTuple(args, "O&OO", PyUnicode_FSConverter, &path, &dict, &how)) {
        return NULL;
    }
    sonde_model_settings settings = sonde_model_defaults();
    struct work work = {0};
    sonde_run run;
    sonde_model *model = NULL;
    bool good = settings_fill(model_table, &settings, dict, "model") && run_get(how, &work, &run);
    if (good) {
        const sonde_source source = {.origin = PyBytes_AsString(path)};
        sonde_error error = {0};
        work_begin(&work);
        const sonde_status status = sonde_model_read(&source, &settings, &run, &model, &error);
        good = work_end(&work, status, &error);
    }
    Py_DECREF(path);
    return model_done(good, model, NULL);
}

/* model_parse(bytes, origin, settings, run) */
static PyObject *model_parse(PyObject *self, PyObject *args) {
    (void)self;
    Py_buffer data = {0};
    const char *origin = NULL;
    PyObject *dict, *how;
    sonde_model_settings settings = sonde_model_defaults();
    struct work work = {0};
    sonde_run run;
    if (!PyArg_ParseTuple(args, "s*sOO", &data, &origin, &dict, &how)) {
        return NULL;
    }
    sonde_model *model = NULL;
    bool good = settings_fill(model_table, &settings, dict, "model") && run_get(how, &work, &run);
    if (good) {
        const char *bytes = data.buf != NULL ? data.buf : "";
        const sonde_source source = {.origin = origin, .data = bytes, .size = (size_t)data.len};
        sonde_error error = {0};
        work_begin(&work);
        const sonde_status status = sonde_model_read(&source, &settings, &run, &model, &error);
        good = work_end(&work, status, &error);
    }
    PyBuffer_Release(&data);
    return model_done(good, model, NULL);
}

/* model_write(model) -> document */
static PyObject *model_write(PyObject *self, PyObject *object) {
    (void)self;
    const sonde_model *model = handle_get(object, &kind_model);
    if (model == NULL) {
        return NULL;
    }
    sonde_text text = {0};
    sonde_error error = {0};
    sonde_status status;
    Py_BEGIN_ALLOW_THREADS;
    status = sonde_model_write(model, &text, &error);
    Py_END_ALLOW_THREADS;
    if (!check(status, &error)) {
        sonde_text_free(&text);
        return NULL;
    }
    return text_take(&text);
}

/* ---------------------------------------------------------------------------------- fields -- */

static PyObject *factor_fields(PyObject *owner, const sonde_factor *factor) {
    fields f = fields_new(owner);
    put_text(&f, "name", factor->name);
    put_int(&f, "n_state", factor->n_state);
    put_int(&f, "n_action", factor->n_action);
    put_int(&f, "first", factor->first);
    put_array(&f, "depends", factor->depend, 'i', factor->n_depend);
    put_names(&f, "states", factor->state_name, factor->n_state);
    put_names(&f, "actions", factor->action_name, factor->n_action);
    put_array(&f, "D", factor->D, 'd', factor->n_state);
    put_layout(&f, "B",
               &(struct layout){.data = factor->B,
                                .format = 'd',
                                .ndim = 3,
                                .shape = {factor->n_previous, factor->n_state, factor->n_action},
                                .stride = {8 * (int64_t)factor->n_state * factor->n_lane,
                                           8 * (int64_t)factor->n_lane, 8}});
    const int64_t n_column = factor->n_previous * factor->n_action;
    const int64_t n_entry = factor->offset ? factor->offset[n_column] : 0;
    put_array(&f, "offset", factor->offset, 'q', n_column + 1);
    put_array(&f, "next", factor->next, 'i', n_entry);
    put_array(&f, "p", factor->p, 'd', n_entry);
    put_bool(&f, "deterministic", factor->deterministic);
    put_matrix(&f, "allowed", factor->allowed, '?', factor->n_state, factor->n_action);
    return fields_done(&f);
}

static PyObject *modality_fields(PyObject *owner, const sonde_modality *modality, int32_t n_step) {
    fields f = fields_new(owner);
    put_text(&f, "name", modality->name);
    put_int(&f, "n_outcome", modality->n_outcome);
    put_array(&f, "factors", modality->factor, 'i', modality->n_factor);
    put_names(&f, "outcomes", modality->outcome_name, modality->n_outcome);
    const int64_t n_column = modality->n_state * modality->n_action;
    put_int(&f, "n_action", modality->n_action);
    put_matrix(&f, "A", modality->A, 'd', n_column, modality->n_outcome);
    const int64_t n_entry = modality->offset ? modality->offset[n_column] : 0;
    put_array(&f, "offset", modality->offset, 'q', n_column + 1);
    put_array(&f, "outcome", modality->outcome, 'i', n_entry);
    put_array(&f, "p", modality->p, 'd', n_entry);
    put_matrix(&f, "preference", modality->preference, 'd', n_step, modality->n_outcome);
    put_array(&f, "cost", modality->cost, 'd', modality->n_outcome);
    put_array(&f, "ambiguity", modality->ambiguity, 'd', n_column);
    put_matrix(&f, "C", modality->C, 'd', n_step, modality->n_outcome);
    return fields_done(&f);
}

static void put_edges(fields *f, const sonde_model *model) {
    put_int(f, "n_state", model->n_state);
    put_array(f, "action", model->action, 'i', (int64_t)model->n_state + 1);
    put_array(f, "preference", model->preference, 'd', model->n_state);
    put_array(f, "risk", model->risk, 'd', model->n_state);
    put_array(f, "cost", model->cost, 'd', model->n_state);
    put_array(f, "step", model->step, 'd', model->n_state);
}

static void put_factors(fields *f, const sonde_model *model, int32_t n_modality) {
    PyObject *factors = PyList_New(0);
    PyObject *modalities = PyList_New(0);
    bool good = factors && modalities;
    for (int32_t i = 0; good && i < model->n_factor; i++) {
        PyObject *one = factor_fields(f->owner, &model->factor[i]);
        good = one != NULL && PyList_Append(factors, one) == 0;
        Py_XDECREF(one);
    }
    for (int32_t i = 0; good && i < n_modality; i++) {
        PyObject *one = modality_fields(f->owner, &model->modality[i], model->n_step_C);
        good = one != NULL && PyList_Append(modalities, one) == 0;
        Py_XDECREF(one);
    }
    f->failed = f->failed || !good;
    put(f, "factors", factors);
    put(f, "modalities", modalities);
    put_text(f, "name", model->name);
    put_int(f, "n_factor", model->n_factor);
    put_text(f, "preferences", sonde_preferences_name((int32_t)model->preferences));
    put_text(f, "information", sonde_information_name((int32_t)model->information));
    put_text(f, "policies", sonde_policy_kind_name((int32_t)model->policies));
    put_real(f, "lambda", model->lambda);
    put_int(f, "n_step_C", model->n_step_C);
    put_bool(f, "coupled", model->coupled);
    put_real(f, "n_joint", model->n_joint);
    put_matrix(f, "policy", model->policy, 'i', model->n_policy, model->horizon);
    put_array(f, "E", model->E, 'd', model->n_policy);
    put_array(f, "habit", model->habit, 'd', model->n_action);
    put_real(f, "discount", model->discount);
    put_array(f, "action_prior", model->action_prior, 'd', model->n_action);
    put_matrix(f, "action_cost", model->action_cost, 'd',
               model->action_cost != NULL ? (int64_t)model->n_joint : 0, model->n_action);
    put_count(f, "bytes", model->bytes);
}

static PyObject *model_fields(PyObject *self, PyObject *object) {
    (void)self;
    const sonde_model *model = handle_get(object, &kind_model);
    if (model == NULL) {
        return NULL;
    }
    fields f = fields_new(object);
    const bool graph = sonde_model_kind(model) == SONDE_KIND_GRAPH;
    put_bool(&f, "graph", graph);
    put_int(&f, "n_belief", model->n_belief);
    put_int(&f, "n_action", model->n_action);
    put_int(&f, "horizon", model->horizon);
    put_real(&f, "gamma", model->gamma);
    put_int(&f, "n_modality", model->n_modality);
    put_array(&f, "seen", sonde_model_seen(model), 'i', model->n_modality);
    put_edges(&f, model);
    put_factors(&f, model, graph ? 0 : model->n_modality);
    return fields_done(&f);
}

/* model_table(model, "A" or "B", number) -> what there is to say of it */
static PyObject *model_about(PyObject *self, PyObject *args) {
    (void)self;
    PyObject *object = NULL;
    const char *which = NULL;
    int i = 0;
    const sonde_model *model;
    if (!PyArg_ParseTuple(args, "Osi", &object, &which, &i) ||
        !(model = handle_get(object, &kind_model))) {
        return NULL;
    }
    const sonde_table table =
        *which == 'B' ? sonde_model_transitions(model, i) : sonde_model_likelihood(model, i);
    if (table.storage == NULL) {
        PyErr_Format(PyExc_IndexError, "there is no %s[%d]", which, i);
        return NULL;
    }
    fields f = fields_new(object);
    put_text(&f, "storage", table.storage);
    put_real(&f, "n_number", table.n_number);
    put_real(&f, "n_nonzero", table.n_nonzero);
    put_bool(&f, "certain", table.certain);
    put_real(&f, "mean_entropy", table.mean_entropy);
    put_real(&f, "most_entropy", table.most_entropy);
    return fields_done(&f);
}

/* model_report(model, policies or None, command or None) -> JSON */
static PyObject *model_report(PyObject *self, PyObject *args) {
    (void)self;
    PyObject *object, *counted;
    const char *command = NULL;
    const sonde_model *model;
    const sonde_policies *policies = NULL;
    if (!PyArg_ParseTuple(args, "OOz", &object, &counted, &command) ||
        !(model = handle_get(object, &kind_model)) ||
        (counted != Py_None && !(policies = handle_get(counted, &kind_policies)))) {
        return NULL;
    }
    sonde_text json = {0};
    sonde_document_model(model, policies, command, &json);
    return text_take(&json);
}

/* --------------------------------------------------------------------------------- actions -- */

static bool action_exists(const sonde_model *model, int action) {
    if (action >= 0 && action < model->n_action) {
        return true;
    }
    PyErr_Format(error_bad_input, "expected an action from 0 to %d, found %d",
                 (int)model->n_action - 1, action);
    return false;
}

/* model_tuple(model, action) -> (one for each factor), or the two edges in a graph world */
static PyObject *model_tuple(PyObject *self, PyObject *args) {
    (void)self;
    PyObject *object = NULL;
    int action = 0;
    const sonde_model *model;
    if (!PyArg_ParseTuple(args, "Oi", &object, &action) ||
        !(model = handle_get(object, &kind_model)) || !action_exists(model, action)) {
        return NULL;
    }
    int32_t number[SONDE_FACTORS_MAX];
    const int32_t n = sonde_model_tuple(model, action, number);
    PyObject *tuple = PyTuple_New(n);
    for (int32_t i = 0; tuple && i < n; i++) {
        if (PyTuple_SetItem(tuple, i, PyLong_FromLong(number[i])) != 0) {
            Py_CLEAR(tuple);
        }
    }
    return tuple;
}

/* model_from_tuple(model, actions (n_factor), or two edges) -> action, -1 where there is none */
static PyObject *model_from_tuple(PyObject *self, PyObject *args) {
    (void)self;
    PyObject *object, *array;
    const sonde_model *model;
    int32_t number[SONDE_FACTORS_MAX];
    Py_buffer tuple;
    if (!PyArg_ParseTuple(args, "OO", &object, &array) ||
        !(model = handle_get(object, &kind_model)) ||
        !buffer_get(array, &tuple, 'i', sonde_model_tuple(model, 0, number), false)) {
        return NULL;
    }
    const int32_t action = sonde_model_from_tuple(model, tuple.buf);
    PyBuffer_Release(&tuple);
    return PyLong_FromLong(action);
}

/* model_next(model, state, action) -> state, in a graph world */
static PyObject *model_next(PyObject *self, PyObject *args) {
    (void)self;
    PyObject *object = NULL;
    int state = 0;
    int action = 0;
    const sonde_model *model;
    if (!PyArg_ParseTuple(args, "Oii", &object, &state, &action) ||
        !(model = handle_get(object, &kind_model)) || !action_exists(model, action)) {
        return NULL;
    }
    const int32_t next = sonde_model_next(model, state, action);
    if (next < 0) {
        PyErr_SetString(error_bad_input, "expected an edge of a graph world");
        return NULL;
    }
    return PyLong_FromLong(next);
}

/* --------------------------------------------------------------------------------- beliefs -- */

/* belief_initial(model, belief) */
static PyObject *belief_initial(PyObject *self, PyObject *args) {
    (void)self;
    PyObject *object, *array;
    const sonde_model *model;
    Py_buffer belief;
    if (!PyArg_ParseTuple(args, "OO", &object, &array) ||
        !(model = handle_get(object, &kind_model)) ||
        !buffer_get(array, &belief, 'd', model->n_belief, true)) {
        return NULL;
    }
    sonde_belief_initial(model, belief.buf);
    PyBuffer_Release(&belief);
    Py_RETURN_NONE;
}

/* belief_predict(model, action, belief, next) */
static PyObject *belief_predict(PyObject *self, PyObject *args) {
    (void)self;
    PyObject *object, *from, *to;
    int action = 0;
    const sonde_model *model;
    Py_buffer belief = {0};
    Py_buffer next = {0};
    if (!PyArg_ParseTuple(args, "OiOO", &object, &action, &from, &to) ||
        !(model = handle_get(object, &kind_model)) || !action_exists(model, action)) {
        return NULL;
    }
    const bool good = buffer_get(from, &belief, 'd', model->n_belief, false) &&
                      buffer_get(to, &next, 'd', model->n_belief, true) &&
                      check(sonde_belief_predict(model, action, belief.buf, next.buf, NULL), NULL);
    PyBuffer_Release(&belief);
    PyBuffer_Release(&next);
    return good ? Py_NewRef(Py_None) : NULL;
}

/* The inference of a name, or the model's own. */
static bool inference_get(const char *name, int32_t *inference) {
    sonde_search_settings settings = sonde_search_defaults();
    sonde_error error = {0};
    const bool good =
        !name || check(sonde_settings_set(&settings, "inference", name, &error), &error);
    *inference = settings.inference;
    return good;
}

/* belief_observe(model, what is seen, prior, belief, inference or None) -> as agent_belief */
static PyObject *belief_observe(PyObject *self, PyObject *args) {
    (void)self;
    PyObject *object, *seen, *from, *to;
    const char *name = NULL;
    const sonde_model *model;
    int32_t inference = 0;
    Py_buffer outcome = {0};
    Py_buffer weight = {0};
    Py_buffer prior = {0};
    Py_buffer belief = {0};
    sonde_energy energy = {0};
    sonde_error error = {0};
    if (!PyArg_ParseTuple(args, "OOOOz", &object, &seen, &from, &to, &name) ||
        !(model = handle_get(object, &kind_model)) || !inference_get(name, &inference)) {
        return NULL;
    }
    bool good = seen_get(seen, model, &outcome, &weight) &&
                buffer_get(from, &prior, 'd', model->n_belief, false) &&
                buffer_get(to, &belief, 'd', model->n_belief, true);
    if (good) {
        const sonde_observation what = {outcome.buf, weight.buf, inference};
        good = check(sonde_belief_observe(model, &what, prior.buf, belief.buf, &energy, &error),
                     &error);
    }
    PyBuffer_Release(&outcome);
    PyBuffer_Release(&weight);
    PyBuffer_Release(&prior);
    PyBuffer_Release(&belief);
    return good ? energy_tuple(energy) : NULL;
}

/* belief_smooth(model, outcomes (steps, modalities), actions (steps), how, out, inference or
 * None) */
static PyObject *belief_smooth(PyObject *self, PyObject *args) {
    (void)self;
    PyObject *object, *seen, *done, *to;
    const char *word = NULL;
    const char *name = NULL;
    const sonde_model *model;
    sonde_sequence sequence = {0};
    Py_buffer outcome = {0};
    Py_buffer action = {0};
    Py_buffer belief = {0};
    sonde_error error = {0};
    if (!PyArg_ParseTuple(args, "OOOsOz", &object, &seen, &done, &word, &to, &name) ||
        !(model = handle_get(object, &kind_model)) || !inference_get(name, &sequence.inference)) {
        return NULL;
    }
    const int32_t how = sonde_name_find(sonde_smoothing_name, word);
    if (how < 0) {
        PyErr_Format(error_bad_input, "how: expected filtered, smoothed, mmp or vmp, found %s",
                     word);
        return NULL;
    }
    bool good = buffer_get(done, &action, 'i', -1, false);
    sequence.n_step = good ? (int32_t)(action.len / (Py_ssize_t)sizeof(int32_t)) : 0;
    good = good &&
           buffer_get(seen, &outcome, 'i', (int64_t)sequence.n_step * model->n_modality, false) &&
           buffer_get(to, &belief, 'd', (int64_t)sequence.n_step * model->n_belief, true);
    if (good) {
        sequence.outcome = outcome.buf;
        sequence.action = action.buf;
        good =
            check(sonde_belief_smooth(model, &sequence, (sonde_smoothing)how, belief.buf, &error),
                  &error);
    }
    PyBuffer_Release(&outcome);
    PyBuffer_Release(&action);
    PyBuffer_Release(&belief);
    return good ? Py_NewRef(Py_None) : NULL;
}

PyMethodDef model_methods[] = {
    {"model_new", model_new, METH_VARARGS,
     "model_new(factors, modalities, settings, policies, (E, counts), actions, origin, run)"},
    {"make", make, METH_VARARGS, "make(how, settings, run)"},
    {"input_read", input_read, METH_VARARGS,
     "input_read(path, graph settings, model settings, seed, run) -> (graph, model)"},
    {"model_read", model_read, METH_VARARGS, "model_read(path, settings, run)"},
    {"model_parse", model_parse, METH_VARARGS, "model_parse(bytes, origin, settings, run)"},
    {"model_write", model_write, METH_O, "model_write(model) -> document"},
    {"model_fields", model_fields, METH_O, "model_fields(model) -> dict"},
    {"model_about", model_about, METH_VARARGS, "model_about(model, which, number) -> dict"},
    {"model_report", model_report, METH_VARARGS, "model_report(model, policies, command) -> JSON"},
    {"model_tuple", model_tuple, METH_VARARGS, "model_tuple(model, action) -> tuple"},
    {"model_from_tuple", model_from_tuple, METH_VARARGS,
     "model_from_tuple(model, tuple) -> action"},
    {"model_next", model_next, METH_VARARGS, "model_next(model, state, action) -> state"},
    {"belief_initial", belief_initial, METH_VARARGS, "belief_initial(model, out)"},
    {"belief_predict", belief_predict, METH_VARARGS, "belief_predict(model, action, belief, out)"},
    {"belief_observe", belief_observe, METH_VARARGS,
     "belief_observe(model, seen, prior, out, inference)"},
    {"belief_smooth", belief_smooth, METH_VARARGS,
     "belief_smooth(model, outcomes, actions, how, out, inference)"},
    {NULL, NULL, 0, NULL},
};

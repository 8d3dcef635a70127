/* bind_spm.c: SPM's scheme. */
#include "binding.h"

/* spm_read(bytes, origin, run): an agent of a sonde-spm document */
static PyObject *spm_read(PyObject *self, PyObject *args) {
    (void)self;
    const char *data = NULL;
    const char *origin = NULL;
    Py_ssize_t size = 0;
    PyObject *how;
    struct work work = {0};
    sonde_run run;
    if (!PyArg_ParseTuple(args, "y#sO", &data, &size, &origin, &how) ||
        !run_get(how, &work, &run)) {
        return NULL;
    }
    const sonde_source source = {.origin = origin, .data = data, .size = (size_t)size};
    sonde_spm *spm = NULL;
    sonde_error error = {0};
    return check(sonde_spm_read(&source, &run, &spm, &error), &error)
               ? handle_new(&kind_spm, spm, NULL)
               : NULL;
}

static PyObject *run_trial(struct handle *h, const int32_t *outcome, const int32_t *action) {
    const sonde_spm_trial *trial = NULL;
    sonde_error error = {0};
    if (!check(sonde_spm_run(h->pointer, outcome, action, &trial, &error), &error)) {
        return NULL;
    }
    sonde_text json = {0};
    sonde_document_spm(h->pointer, trial, &json);
    return text_take(&json);
}

/* spm_run(agent, outcomes (T, modalities), actions (T - 1, factors) or None) -> JSON */
static PyObject *spm_run(PyObject *self, PyObject *args) {
    (void)self;
    PyObject *object, *seen, *done;
    struct handle *h;
    if (!PyArg_ParseTuple(args, "OOO", &object, &seen, &done) ||
        !(h = handle_take(object, &kind_spm))) {
        return NULL;
    }
    const sonde_spm_shape *shape = sonde_spm_shape_of(h->pointer);
    Py_buffer outcome, action;
    if (!buffer_get(seen, &outcome, 'i', (int64_t)shape->n_time * shape->n_modality, false)) {
        return NULL;
    }
    PyObject *told = NULL;
    if (buffer_get_maybe(done, &action, 'i', (int64_t)(shape->n_time - 1) * shape->n_factor,
                         false)) {
        told = run_trial(h, outcome.buf, action.buf);
        PyBuffer_Release(&action);
    }
    PyBuffer_Release(&outcome);
    return told;
}

/* spm_shape(agent) -> sizes */
static PyObject *spm_shape(PyObject *self, PyObject *object) {
    (void)self;
    const sonde_spm *spm = handle_get(object, &kind_spm);
    if (spm == NULL) {
        return NULL;
    }
    const sonde_spm_shape *shape = sonde_spm_shape_of(spm);
    fields f = fields_new(object);
    put_int(&f, "n_time", shape->n_time);
    put_int(&f, "n_policy", shape->n_policy);
    put_array(&f, "n_state", shape->n_state, 'i', shape->n_factor);
    put_array(&f, "n_action", shape->n_action, 'i', shape->n_factor);
    put_array(&f, "n_outcome", shape->n_outcome, 'i', shape->n_modality);
    return fields_done(&f);
}

static PyObject *spm_forget(PyObject *self, PyObject *object) {
    (void)self;
    struct handle *h = handle_take(object, &kind_spm);
    if (h == NULL) {
        return NULL;
    }
    sonde_spm_forget(h->pointer);
    return Py_NewRef(Py_None);
}

PyMethodDef spm_methods[] = {
    {"spm_read", spm_read, METH_VARARGS, "spm_read(document, origin, run) -> agent"},
    {"spm_run", spm_run, METH_VARARGS, "spm_run(agent, outcomes, actions) -> JSON"},
    {"spm_shape", spm_shape, METH_O, "spm_shape(agent) -> dict"},
    {"spm_forget", spm_forget, METH_O, "spm_forget(agent)"},
    {NULL, NULL, 0, NULL},
};

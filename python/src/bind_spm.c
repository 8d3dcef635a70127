/* bind_spm.c: SPM's scheme, and its model reduction. */
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

/* reduce(n, columns, posterior, prior, reduced, evidence, after) */
static PyObject *reduce(PyObject *self, PyObject *args) {
    (void)self;
    enum { N_ARRAY = 5 };
    PyObject *object[N_ARRAY];
    Py_buffer buffer[N_ARRAY] = {0};
    int n = 0;
    long long n_column = 0;
    if (!PyArg_ParseTuple(args, "iLOOOOO", &n, &n_column, &object[0], &object[1], &object[2],
                          &object[3], &object[4])) {
        return NULL;
    }
    bool good = true;
    for (int i = 0; good && i < N_ARRAY; i++) {
        good = buffer_get(object[i], &buffer[i], 'd', i == 3 ? n_column : n * n_column, i >= 3);
    }
    if (good) {
        const sonde_reduction reduction = {n, n_column, buffer[0].buf, buffer[1].buf,
                                           buffer[2].buf};
        sonde_error error = {0};
        good = check(sonde_reduce(&reduction, buffer[3].buf, buffer[4].buf, &error), &error);
    }
    for (int i = 0; i < N_ARRAY; i++) {
        PyBuffer_Release(&buffer[i]);
    }
    return good ? Py_NewRef(Py_None) : NULL;
}

PyMethodDef spm_methods[] = {
    {"reduce", reduce, METH_VARARGS, "reduce(n, columns, posterior, prior, reduced, F, after)"},
    {"spm_read", spm_read, METH_VARARGS, "spm_read(document, origin, run) -> agent"},
    {"spm_run", spm_run, METH_VARARGS, "spm_run(agent, outcomes, actions) -> JSON"},
    {"spm_shape", spm_shape, METH_O, "spm_shape(agent) -> dict"},
    {"spm_forget", spm_forget, METH_O, "spm_forget(agent)"},
    {NULL, NULL, 0, NULL},
};

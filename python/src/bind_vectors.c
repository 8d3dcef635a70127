/* bind_vectors.c: policies of planning without a horizon. */
#include "binding.h"

/* vectors_read(bytes or None, origin, run): a document, or the file of that name */
static PyObject *vectors_read(PyObject *self, PyObject *args) {
    (void)self;
    const char *data = NULL;
    const char *origin = NULL;
    Py_ssize_t size = 0;
    PyObject *how;
    struct work work = {0};
    sonde_run run;
    if (!PyArg_ParseTuple(args, "z#sO", &data, &size, &origin, &how) ||
        !run_get(how, &work, &run)) {
        return NULL;
    }
    const sonde_source source = {.origin = origin, .data = data, .size = (size_t)size};
    sonde_vectors *vectors = NULL;
    sonde_error error = {0};
    return check(sonde_vectors_read(&source, &run, &vectors, &error), &error)
               ? handle_new(&kind_vectors, vectors, NULL)
               : NULL;
}

/* vectors_fields(vectors) -> dict */
static PyObject *vectors_fields(PyObject *self, PyObject *object) {
    (void)self;
    const sonde_vectors *vectors = handle_get(object, &kind_vectors);
    if (vectors == NULL) {
        return NULL;
    }
    const sonde_vectors_about about = sonde_vectors_describe(vectors);
    fields f = fields_new(object);
    put_text(&f, "format", about.format == SONDE_POLICY_XML ? "sarsop" : "sonde-policy");
    put_text(&f, "backup", sonde_backup_name((int32_t)about.backup));
    put_int(&f, "n_vector", about.n_vector);
    put_int(&f, "n_point", about.n_point);
    put_real(&f, "gamma", about.gamma);
    put_real(&f, "discount", about.discount);
    return fields_done(&f);
}

/* agent_vectors(agent, xml) -> document: what an agent has found */
static PyObject *agent_vectors(PyObject *self, PyObject *args) {
    (void)self;
    PyObject *object;
    int xml = 0;
    struct handle *h;
    sonde_text text = {0};
    sonde_error error = {0};
    if (!PyArg_ParseTuple(args, "Op", &object, &xml) || !(h = handle_take(object, &kind_agent))) {
        return NULL;
    }
    if (!check(sonde_agent_vectors_write(h->pointer, xml ? SONDE_POLICY_XML : SONDE_POLICY_JSON,
                                         &text, &error),
               &error)) {
        sonde_text_free(&text);
        return NULL;
    }
    return text_take(&text);
}

PyMethodDef vectors_methods[] = {
    {"vectors_read", vectors_read, METH_VARARGS, "vectors_read(bytes, origin, run)"},
    {"vectors_fields", vectors_fields, METH_O, "vectors_fields(vectors) -> dict"},
    {"agent_vectors", agent_vectors, METH_VARARGS, "agent_vectors(agent, xml) -> document"},
    {NULL, NULL, 0, NULL},
};

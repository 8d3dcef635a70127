/* bind_graph.c: graph worlds. */
#include "binding.h"

static const setting graph_table[] = {
    {"nodes", SET_I32, offsetof(sonde_graph_settings, n_node), 1, NULL},
    {"edge_probability", SET_F64, offsetof(sonde_graph_settings, edge_probability), 0, NULL},
    {"connect", SET_CHOICE, offsetof(sonde_graph_settings, connect), 0, sonde_connect_name},
    {"idle", SET_F64, offsetof(sonde_graph_settings, idle), 0, NULL},
    {"start", SET_TEXT, offsetof(sonde_graph_settings, start), 0, NULL},
    {"destination", SET_TEXT, offsetof(sonde_graph_settings, destination), 0, NULL},
    {"horizon", SET_I32, offsetof(sonde_graph_settings, horizon), 1, NULL},
    {"lambda", SET_F64, offsetof(sonde_graph_settings, lambda), 0, NULL},
    {NULL, SET_I32, 0, 0, NULL},
};

static bool graph_settings(PyObject *dict, sonde_graph_settings *settings) {
    *settings = sonde_graph_defaults();
    return settings_fill(graph_table, settings, dict, "Graph");
}

static PyObject *graph_done(sonde_status status, sonde_graph *graph, const sonde_error *error) {
    return check(status, error) ? handle_new(&kind_graph, graph, NULL) : NULL;
}

/* graph_random(settings, weights or None, seed) */
static PyObject *graph_random(PyObject *self, PyObject *args) {
    (void)self;
    PyObject *dict = NULL;
    PyObject *weights = NULL;
    unsigned long long seed = 0;
    sonde_graph_settings settings;
    Py_buffer weight;
    if (!PyArg_ParseTuple(args, "OOK", &dict, &weights, &seed) ||
        !graph_settings(dict, &settings) || !buffer_get_maybe(weights, &weight, 'd', -1, false)) {
        return NULL;
    }
    settings.weight = weight.buf;
    settings.n_weight = (int32_t)(weight.len / (Py_ssize_t)sizeof(double));
    sonde_graph *graph = NULL;
    sonde_error error = {0};
    sonde_status status;
    Py_BEGIN_ALLOW_THREADS;
    status = sonde_graph_random(&settings, seed, &graph, &error);
    Py_END_ALLOW_THREADS;
    PyBuffer_Release(&weight);
    return graph_done(status, graph, &error);
}

/* graph_read(path, settings, seed) */
static PyObject *graph_read(PyObject *self, PyObject *args) {
    (void)self;
    PyObject *path = NULL;
    PyObject *dict = NULL;
    unsigned long long seed = 0;
    sonde_graph_settings settings;
    if (!PyArg_ParseTuple(args, "O&OK", PyUnicode_FSConverter, &path, &dict, &seed)) {
        return NULL;
    }
    sonde_graph *graph = NULL;
    sonde_error error = {0};
    sonde_status status = SONDE_BAD_ARGUMENT;
    const bool good = graph_settings(dict, &settings);
    if (good) {
        const sonde_source source = {.origin = PyBytes_AsString(path)};
        Py_BEGIN_ALLOW_THREADS;
        status = sonde_graph_read(&source, &settings, seed, &graph, &error);
        Py_END_ALLOW_THREADS;
    }
    Py_DECREF(path);
    return good ? graph_done(status, graph, &error) : NULL;
}

/* graph_parse(text, origin, settings, seed) */
static PyObject *graph_parse(PyObject *self, PyObject *args) {
    (void)self;
    const char *data = NULL;
    Py_ssize_t size = 0;
    const char *origin = NULL;
    PyObject *dict = NULL;
    unsigned long long seed = 0;
    sonde_graph_settings settings;
    if (!PyArg_ParseTuple(args, "s#sOK", &data, &size, &origin, &dict, &seed) ||
        !graph_settings(dict, &settings)) {
        return NULL;
    }
    const sonde_source source = {.origin = origin, .data = data, .size = (size_t)size};
    sonde_graph *graph = NULL;
    sonde_error error = {0};
    sonde_status status;
    Py_BEGIN_ALLOW_THREADS;
    status = sonde_graph_read(&source, &settings, seed, &graph, &error);
    Py_END_ALLOW_THREADS;
    return graph_done(status, graph, &error);
}

/* graph_from_edges(n_node, tail, head, weight, names or None, settings, seed) */
static PyObject *graph_from_edges(PyObject *self, PyObject *args) {
    (void)self;
    PyObject *tails, *heads, *weights, *list, *dict;
    int n_node = 0;
    unsigned long long seed = 0;
    sonde_graph_settings settings;
    if (!PyArg_ParseTuple(args, "iOOOOOK", &n_node, &tails, &heads, &weights, &list, &dict,
                          &seed) ||
        !graph_settings(dict, &settings)) {
        return NULL;
    }
    Py_buffer tail = {0};
    Py_buffer head = {0};
    Py_buffer weight = {0};
    const char **names = NULL;
    PyObject *made = NULL;
    if (buffer_get(tails, &tail, 'i', -1, false) &&
        buffer_get(heads, &head, 'i', tail.len / 4, false) &&
        buffer_get(weights, &weight, 'd', tail.len / 4, false) && names_get(list, n_node, &names)) {
        const sonde_graph edges = {.n_node = n_node,
                                   .n_edge = (int32_t)(tail.len / 4),
                                   .tail = tail.buf,
                                   .head = head.buf,
                                   .weight = weight.buf,
                                   .name = names};
        sonde_graph *graph = NULL;
        sonde_error error = {0};
        sonde_status status;
        Py_BEGIN_ALLOW_THREADS;
        status = sonde_graph_from_edges(&edges, &settings, seed, &graph, &error);
        Py_END_ALLOW_THREADS;
        made = graph_done(status, graph, &error);
    }
    PyBuffer_Release(&tail);
    PyBuffer_Release(&head);
    PyBuffer_Release(&weight);
    PyMem_Free(names);
    return made;
}

static PyObject *graph_fields(PyObject *self, PyObject *object) {
    (void)self;
    const sonde_graph *graph = handle_get(object, &kind_graph);
    if (!graph) {
        return NULL;
    }
    fields f = fields_new(object);
    put_int(&f, "n_node", graph->n_node);
    put_int(&f, "n_edge", graph->n_edge);
    put_int(&f, "start", graph->start);
    put_int(&f, "destination", graph->destination);
    put_int(&f, "horizon", graph->horizon);
    put_real(&f, "lambda", graph->lambda);
    put_real(&f, "idle", graph->idle);
    put_array(&f, "first", graph->first, 'i', (int64_t)graph->n_node + 1);
    put_array(&f, "tail", graph->tail, 'i', graph->n_edge);
    put_array(&f, "head", graph->head, 'i', graph->n_edge);
    put_array(&f, "self", graph->self, 'i', graph->n_node);
    put_array(&f, "weight", graph->weight, 'd', graph->n_edge);
    put_names(&f, "names", graph->name, graph->n_node);
    put_int(&f, "n_redraw", graph->n_redraw);
    put_int(&f, "n_joined", graph->n_joined);
    return fields_done(&f);
}

static PyObject *graph_write(PyObject *self, PyObject *object) {
    (void)self;
    const sonde_graph *graph = handle_get(object, &kind_graph);
    if (!graph) {
        return NULL;
    }
    sonde_text text = {0};
    sonde_graph_write(graph, &text);
    return text_take(&text);
}

/* graph_edge(graph, tail, head) -> edge or -1 */
static PyObject *graph_edge(PyObject *self, PyObject *args) {
    (void)self;
    PyObject *object = NULL;
    int tail = 0;
    int head = 0;
    const sonde_graph *graph;
    if (!PyArg_ParseTuple(args, "Oii", &object, &tail, &head) ||
        !(graph = handle_get(object, &kind_graph))) {
        return NULL;
    }
    const bool there = tail >= 0 && tail < graph->n_node && head >= 0 && head < graph->n_node;
    return PyLong_FromLong(there ? sonde_graph_edge(graph, tail, head) : -1);
}

/* graph_node(graph, text) -> node or -1 */
static PyObject *graph_node(PyObject *self, PyObject *args) {
    (void)self;
    PyObject *object = NULL;
    const char *text = NULL;
    const sonde_graph *graph;
    if (!PyArg_ParseTuple(args, "Os", &object, &text) ||
        !(graph = handle_get(object, &kind_graph))) {
        return NULL;
    }
    return PyLong_FromLong(sonde_graph_node(graph, text));
}

/* graph_distances(graph, from, distance (n_node)) */
static PyObject *graph_distances(PyObject *self, PyObject *args) {
    (void)self;
    PyObject *object = NULL;
    PyObject *array = NULL;
    int from = 0;
    const sonde_graph *graph;
    Py_buffer distance;
    if (!PyArg_ParseTuple(args, "OiO", &object, &from, &array) ||
        !(graph = handle_get(object, &kind_graph))) {
        return NULL;
    }
    if (from < 0 || from >= graph->n_node) {
        PyErr_Format(error_bad_input, "expected a node from 0 to %d, found %d",
                     (int)graph->n_node - 1, from);
        return NULL;
    }
    if (!buffer_get(array, &distance, 'd', graph->n_node, true)) {
        return NULL;
    }
    sonde_status status;
    Py_BEGIN_ALLOW_THREADS;
    status = sonde_graph_distances(graph, from, distance.buf, NULL);
    Py_END_ALLOW_THREADS;
    PyBuffer_Release(&distance);
    return check(status, NULL) ? Py_NewRef(Py_None) : NULL;
}

/* graph_layout(graph, places (n_node, 2)) */
static PyObject *graph_layout(PyObject *self, PyObject *args) {
    (void)self;
    PyObject *object = NULL;
    PyObject *array = NULL;
    const sonde_graph *graph;
    Py_buffer place;
    if (!PyArg_ParseTuple(args, "OO", &object, &array) ||
        !(graph = handle_get(object, &kind_graph)) ||
        !buffer_get(array, &place, 'd', 2 * (Py_ssize_t)graph->n_node, true)) {
        return NULL;
    }
    sonde_status status;
    Py_BEGIN_ALLOW_THREADS;
    status = sonde_draw_layout(graph, place.buf, NULL);
    Py_END_ALLOW_THREADS;
    PyBuffer_Release(&place);
    return check(status, NULL) ? Py_NewRef(Py_None) : NULL;
}

/* graph_svg(graph, path of nodes or None) -> str */
static PyObject *graph_svg(PyObject *self, PyObject *args) {
    (void)self;
    PyObject *object = NULL;
    PyObject *array = NULL;
    const sonde_graph *graph;
    Py_buffer path;
    if (!PyArg_ParseTuple(args, "OO", &object, &array) ||
        !(graph = handle_get(object, &kind_graph)) ||
        !buffer_get_maybe(array, &path, 'i', -1, false)) {
        return NULL;
    }
    sonde_text svg = {0};
    sonde_status status;
    Py_BEGIN_ALLOW_THREADS;
    status = sonde_draw_graph(graph, path.buf, (int32_t)(path.len / 4), &svg, NULL);
    Py_END_ALLOW_THREADS;
    PyBuffer_Release(&path);
    if (!check(status, NULL)) {
        sonde_text_free(&svg);
        return NULL;
    }
    return text_take(&svg);
}

/* graph_report(graph, distance or None, policies or None, command or None) -> JSON */
static PyObject *graph_report(PyObject *self, PyObject *args) {
    (void)self;
    PyObject *object, *array, *counted;
    const char *command = NULL;
    const sonde_graph *graph;
    const sonde_policies *policies = NULL;
    Py_buffer distance;
    if (!PyArg_ParseTuple(args, "OOOz", &object, &array, &counted, &command) ||
        !(graph = handle_get(object, &kind_graph)) ||
        (counted != Py_None && !(policies = handle_get(counted, &kind_policies))) ||
        !buffer_get_maybe(array, &distance, 'd', graph->n_node, false)) {
        return NULL;
    }
    sonde_text json = {0};
    sonde_document_graph(graph, distance.buf, policies, command, &json);
    PyBuffer_Release(&distance);
    return text_take(&json);
}

static PyObject *model_from_graph(PyObject *self, PyObject *object) {
    (void)self;
    const sonde_graph *graph = handle_get(object, &kind_graph);
    if (!graph) {
        return NULL;
    }
    sonde_model *model = NULL;
    sonde_status status;
    Py_BEGIN_ALLOW_THREADS;
    status = sonde_model_from_graph(graph, &model, NULL);
    Py_END_ALLOW_THREADS;
    return check(status, NULL) ? handle_new(&kind_model, model, object) : NULL;
}

PyMethodDef graph_methods[] = {
    {"graph_random", graph_random, METH_VARARGS, "graph_random(settings, weights, seed)"},
    {"graph_read", graph_read, METH_VARARGS, "graph_read(path, settings, seed)"},
    {"graph_parse", graph_parse, METH_VARARGS, "graph_parse(text, origin, settings, seed)"},
    {"graph_from_edges", graph_from_edges, METH_VARARGS,
     "graph_from_edges(n_node, tail, head, weight, names, settings, seed)"},
    {"graph_fields", graph_fields, METH_O, "graph_fields(graph) -> dict"},
    {"graph_write", graph_write, METH_O, "graph_write(graph) -> document"},
    {"graph_edge", graph_edge, METH_VARARGS, "graph_edge(graph, tail, head)"},
    {"graph_node", graph_node, METH_VARARGS, "graph_node(graph, text)"},
    {"graph_distances", graph_distances, METH_VARARGS, "graph_distances(graph, from, out)"},
    {"graph_layout", graph_layout, METH_VARARGS, "graph_layout(graph, out)"},
    {"graph_svg", graph_svg, METH_VARARGS, "graph_svg(graph, path) -> SVG"},
    {"model_from_graph", model_from_graph, METH_O, "model_from_graph(graph)"},
    {"graph_report", graph_report, METH_VARARGS,
     "graph_report(graph, distance, policies, command) -> JSON"},
    {NULL, NULL, 0, NULL},
};

/* bind_embed.c: embeddings of policies, and clusters. */
#include "binding.h"

/* --------------------------------------------------------------------------------- embedder -- */

/* embedder_new(policies, settings, belief, run); the belief tells it where the agent is, and is
 * kept as long as the embedder. */
static PyObject *embedder_new(PyObject *self, PyObject *args) {
    (void)self;
    PyObject *object, *dict, *belief, *how;
    const sonde_policies *policies;
    struct asked asked;
    struct work work = {0};
    sonde_run run;
    if (!PyArg_ParseTuple(args, "OOOO", &object, &dict, &belief, &how) ||
        !(policies = handle_get(object, &kind_policies)) || !settings_ask(dict, NULL, 0, &asked) ||
        !run_get(how, &work, &run)) {
        return NULL;
    }
    Py_buffer place;
    if (!buffer_get(belief, &place, 'd', policies->model->n_belief, false)) {
        return NULL;
    }
    PyObject *made = NULL;
    PyObject *owner = PyTuple_Pack(2, object, belief);
    sonde_embedder *embedder = NULL;
    sonde_error error = {0};
    work_begin(&work);
    const sonde_status status =
        sonde_embedder_new(policies, &asked.settings.embed, &run, &embedder, &error);
    if (work_end(&work, status, &error) && owner != NULL) {
        (void)sonde_embedder_aim(embedder, sonde_present_at(policies->model, place.buf), &error);
        made = handle_new(&kind_embedder, embedder, owner);
    } else {
        sonde_embedder_free(embedder);
    }
    PyBuffer_Release(&place);
    Py_XDECREF(owner);
    return made;
}

/* embedder_own(policies, sample or 0, seed, run): for rows of one's own, which it keeps alive */
static PyObject *embedder_own(PyObject *self, PyObject *args) {
    (void)self;
    PyObject *object, *how;
    int n_sample = 0;
    unsigned long long seed = 0;
    const sonde_policies *policies;
    struct work work = {0};
    sonde_run run;
    if (!PyArg_ParseTuple(args, "OiKO", &object, &n_sample, &seed, &how) ||
        !(policies = handle_get(object, &kind_policies)) || !run_get(how, &work, &run)) {
        return NULL;
    }
    const sonde_embed_settings settings = {
        .kind = SONDE_EMBEDDING_OWN, .n_sample = n_sample, .seed = seed};
    sonde_embedder *embedder = NULL;
    sonde_error error = {0};
    PyObject *owner = PyList_New(0);
    PyObject *made = NULL;
    if (owner != NULL && PyList_Append(owner, object) == 0 &&
        check(sonde_embedder_new(policies, &settings, &run, &embedder, &error), &error)) {
        made = handle_new(&kind_embedder, embedder, owner);
    }
    Py_XDECREF(owner);
    return made;
}

/* embedder_size(embedder, origin) -> policies that rows are given of */
static PyObject *embedder_size(PyObject *self, PyObject *args) {
    (void)self;
    PyObject *object = NULL;
    int origin = 0;
    const sonde_embedder *embedder;
    if (!PyArg_ParseTuple(args, "Oi", &object, &origin) ||
        !(embedder = handle_get(object, &kind_embedder))) {
        return NULL;
    }
    return PyLong_FromUnsignedLongLong(sonde_embedder_size(embedder, origin));
}

/* embedder_list(embedder, origin, index (n)) */
static PyObject *embedder_list(PyObject *self, PyObject *args) {
    (void)self;
    PyObject *object, *out;
    int origin = 0;
    const sonde_embedder *embedder;
    Py_buffer index;
    if (!PyArg_ParseTuple(args, "OiO", &object, &origin, &out) ||
        !(embedder = handle_get(object, &kind_embedder)) ||
        !buffer_get(out, &index, 'Q', (int64_t)sonde_embedder_size(embedder, origin), true)) {
        return NULL;
    }
    sonde_error error = {0};
    const bool good = check(sonde_embedder_list(embedder, origin, index.buf, &error), &error);
    PyBuffer_Release(&index);
    return good ? Py_NewRef(Py_None) : NULL;
}

/* embedder_give(embedder, origin, rows (n, m)), which must not change any more */
static PyObject *embedder_give(PyObject *self, PyObject *args) {
    (void)self;
    PyObject *object, *array;
    int origin = 0;
    struct handle *h;
    Py_buffer row;
    if (!PyArg_ParseTuple(args, "OiO", &object, &origin, &array) ||
        !(h = handle_take(object, &kind_embedder)) || !buffer_get(array, &row, 'd', -1, false)) {
        return NULL;
    }
    bool good = row.ndim == 2 && row.shape[0] <= INT32_MAX && row.shape[1] <= INT32_MAX;
    if (!good) {
        PyErr_SetString(error_bad_input, "rows: expected an array (policies, columns)");
    } else {
        sonde_error error = {0};
        good = PyList_Append(h->owner, array) == 0 &&
               check(sonde_embedder_give(h->pointer, origin, (int32_t)row.shape[0],
                                         (int32_t)row.shape[1], row.buf, &error),
                     &error);
    }
    PyBuffer_Release(&row);
    return good ? Py_NewRef(Py_None) : NULL;
}

/* embedder_row(policies, embedder, walk (T + 1), row (n_column)) */
static PyObject *embedder_row(PyObject *self, PyObject *args) {
    (void)self;
    PyObject *counted, *object, *array, *out;
    const sonde_policies *policies;
    const sonde_embedder *embedder;
    Py_buffer walk = {0};
    Py_buffer row = {0};
    if (!PyArg_ParseTuple(args, "OOOO", &counted, &object, &array, &out) ||
        !(policies = handle_get(counted, &kind_policies)) ||
        !(embedder = handle_get(object, &kind_embedder))) {
        return NULL;
    }
    sonde_error error = {0};
    const bool good = buffer_get(array, &walk, 'i', (int64_t)policies->horizon + 1, false) &&
                      buffer_get(out, &row, 'd', sonde_embedder_n_column(embedder), true) &&
                      check(sonde_embedder_row(embedder, walk.buf, row.buf, &error), &error);
    PyBuffer_Release(&walk);
    PyBuffer_Release(&row);
    return good ? Py_NewRef(Py_None) : NULL;
}

/* -------------------------------------------------------------------------------- embedding -- */

/* embedding_new(embedder, origin, run) */
static PyObject *embedding_new(PyObject *self, PyObject *args) {
    (void)self;
    PyObject *object, *how;
    int origin = 0;
    const sonde_embedder *embedder;
    struct work work = {0};
    sonde_run run;
    if (!PyArg_ParseTuple(args, "OiO", &object, &origin, &how) ||
        !(embedder = handle_get(object, &kind_embedder)) || !run_get(how, &work, &run)) {
        return NULL;
    }
    sonde_embedding *embedding = NULL;
    sonde_error error = {0};
    work_begin(&work);
    const sonde_status status = sonde_embedding_new(embedder, origin, &run, &embedding, &error);
    if (!work_end(&work, status, &error)) {
        sonde_embedding_free(embedding);
        return NULL;
    }
    return handle_new(&kind_embedding, embedding, object);
}

/* embedding_from_rows(rows (n, m), run) */
static PyObject *embedding_from_rows(PyObject *self, PyObject *args) {
    (void)self;
    PyObject *array, *how;
    Py_buffer row;
    struct work work = {0};
    sonde_run run;
    if (!PyArg_ParseTuple(args, "OO", &array, &how) || !run_get(how, &work, &run) ||
        !buffer_get(array, &row, 'd', -1, false)) {
        return NULL;
    }
    PyObject *made = NULL;
    if (row.ndim != 2 || row.shape[0] > INT32_MAX || row.shape[1] > INT32_MAX) {
        PyErr_SetString(error_bad_input, "rows: expected an array (policies, columns)");
    } else {
        sonde_embedding *embedding = NULL;
        sonde_error error = {0};
        work_begin(&work);
        const sonde_status status = sonde_embedding_from_rows(
            (int32_t)row.shape[0], (int32_t)row.shape[1], row.buf, &run, &embedding, &error);
        if (work_end(&work, status, &error)) {
            made = handle_new(&kind_embedding, embedding, NULL);
        } else {
            sonde_embedding_free(embedding);
        }
    }
    PyBuffer_Release(&row);
    return made;
}

static PyObject *embedding_fields(PyObject *self, PyObject *object) {
    (void)self;
    const sonde_embedding *embedding = handle_get(object, &kind_embedding);
    if (embedding == NULL) {
        return NULL;
    }
    fields f = fields_new(object);
    put_text(&f, "embedding", sonde_embedding_name(embedding->settings.kind));
    put_int(&f, "origin", embedding->origin);
    put_int(&f, "n_policy", embedding->n_policy);
    put_int(&f, "n_row", embedding->n_row);
    put_int(&f, "n_column", embedding->n_column);
    put_real(&f, "n_column_nominal", embedding->n_column_nominal);
    put_int(&f, "n_code", embedding->n_code);
    put_array(&f, "row_of", embedding->row_of, 'i', embedding->n_policy);
    put_array(&f, "weight", embedding->weight, 'i', embedding->n_row);
    put_array(&f, "first", embedding->first, 'i', embedding->n_row);
    put_array(&f, "policy", embedding->policy, 'Q', embedding->n_policy);
    put_matrix(&f, "small", embedding->small, 'B', embedding->n_row, embedding->n_code);
    put_matrix(&f, "code", embedding->code, 'd', embedding->n_row, embedding->n_code);
    put_matrix(&f, "basis", embedding->basis, 'd', embedding->n_column, embedding->n_code);
    put_matrix(&f, "gram", embedding->gram, 'd', embedding->n_code, embedding->n_code);
    put_count(&f, "bytes", embedding->bytes);
    return fields_done(&f);
}

/* embedding_rows(embedding, rows (n_row, n_column)): the distinct ones */
static PyObject *embedding_rows(PyObject *self, PyObject *args) {
    (void)self;
    PyObject *object, *out;
    const sonde_embedding *embedding;
    Py_buffer rows;
    if (!PyArg_ParseTuple(args, "OO", &object, &out) ||
        !(embedding = handle_get(object, &kind_embedding)) ||
        !buffer_get(out, &rows, 'd', (int64_t)embedding->n_row * embedding->n_column, true)) {
        return NULL;
    }
    double *row = rows.buf;
    Py_BEGIN_ALLOW_THREADS;
    for (int32_t r = 0; r < embedding->n_row; r++) {
        sonde_embedding_row(embedding, r, row + (int64_t)r * embedding->n_column);
    }
    Py_END_ALLOW_THREADS;
    PyBuffer_Release(&rows);
    Py_RETURN_NONE;
}

/* embedding_at(embedding, row, column) */
static PyObject *embedding_at(PyObject *self, PyObject *args) {
    (void)self;
    PyObject *object = NULL;
    int row = 0;
    int column = 0;
    const sonde_embedding *embedding;
    if (!PyArg_ParseTuple(args, "Oii", &object, &row, &column) ||
        !(embedding = handle_get(object, &kind_embedding))) {
        return NULL;
    }
    if (row < 0 || row >= embedding->n_row || column < 0 || column >= embedding->n_column) {
        PyErr_SetString(PyExc_IndexError, "there is no such row or column");
        return NULL;
    }
    double *numbers = PyMem_Calloc((size_t)embedding->n_column, sizeof *numbers);
    if (numbers == NULL) {
        return PyErr_NoMemory();
    }
    sonde_embedding_row(embedding, row, numbers);
    PyObject *number = PyFloat_FromDouble(numbers[column]);
    PyMem_Free(numbers);
    return number;
}

/* ------------------------------------------------------------------------------------- pca -- */

static PyObject *pca_fit(PyObject *self, PyObject *object) {
    (void)self;
    const sonde_embedding *embedding = handle_get(object, &kind_embedding);
    if (embedding == NULL) {
        return NULL;
    }
    sonde_pca *pca = NULL;
    sonde_status status;
    Py_BEGIN_ALLOW_THREADS;
    status = sonde_pca_fit(embedding, &pca, NULL);
    Py_END_ALLOW_THREADS;
    return check(status, NULL) ? handle_new(&kind_pca, pca, NULL) : NULL;
}

static PyObject *pca_fields(PyObject *self, PyObject *object) {
    (void)self;
    const sonde_pca *pca = handle_get(object, &kind_pca);
    if (pca == NULL) {
        return NULL;
    }
    fields f = fields_new(object);
    put_array(&f, "share", pca->share, 'd', 2);
    put_array(&f, "mean", pca->mean, 'd', pca->n_column);
    put_matrix(&f, "axis", pca->axis, 'd', 2, pca->n_column);
    return fields_done(&f);
}

/* pca_project(pca, rows (n, n_column), xy (n, 2)) */
static PyObject *pca_project(PyObject *self, PyObject *args) {
    (void)self;
    PyObject *object, *array, *out;
    const sonde_pca *pca;
    Py_buffer rows = {0};
    Py_buffer xy = {0};
    if (!PyArg_ParseTuple(args, "OOO", &object, &array, &out) ||
        !(pca = handle_get(object, &kind_pca)) || !buffer_get(array, &rows, 'd', -1, false)) {
        return NULL;
    }
    const int64_t n = pca->n_column > 0 ? rows.len / 8 / pca->n_column : 0;
    const bool good = rows.len / 8 == n * pca->n_column && buffer_get(out, &xy, 'd', 2 * n, true);
    for (int64_t i = 0; good && i < n; i++) {
        sonde_pca_project(pca, (const double *)rows.buf + i * pca->n_column,
                          (double *)xy.buf + 2 * i);
    }
    PyBuffer_Release(&rows);
    PyBuffer_Release(&xy);
    if (!good && !PyErr_Occurred()) {
        PyErr_SetString(error_bad_input, "rows: another number of columns expected");
    }
    return good ? Py_NewRef(Py_None) : NULL;
}

/* pca_places(pca, embedding, xy (n_row, 2)) */
static PyObject *pca_places(PyObject *self, PyObject *args) {
    (void)self;
    PyObject *object, *embedded, *out;
    const sonde_pca *pca;
    const sonde_embedding *embedding;
    Py_buffer xy;
    if (!PyArg_ParseTuple(args, "OOO", &object, &embedded, &out) ||
        !(pca = handle_get(object, &kind_pca)) ||
        !(embedding = handle_get(embedded, &kind_embedding))) {
        return NULL;
    }
    if (pca->n_column != embedding->n_column) {
        PyErr_SetString(error_bad_input, "the plane belongs to another embedding");
        return NULL;
    }
    if (!buffer_get(out, &xy, 'd', 2 * (int64_t)embedding->n_row, true)) {
        return NULL;
    }
    double *place = xy.buf;
    Py_BEGIN_ALLOW_THREADS;
    for (int32_t r = 0; r < embedding->n_row; r++) {
        sonde_pca_point(pca, embedding, r, place + 2 * (int64_t)r);
    }
    Py_END_ALLOW_THREADS;
    PyBuffer_Release(&xy);
    Py_RETURN_NONE;
}

/* -------------------------------------------------------------------------------- clusters -- */

/* clusters_fit(embedding, settings, stream, run) */
static PyObject *clusters_fit(PyObject *self, PyObject *args) {
    (void)self;
    PyObject *object, *dict, *how;
    const sonde_embedding *embedding;
    unsigned long long stream = 0;
    struct asked asked;
    struct work work = {0};
    sonde_run run;
    if (!PyArg_ParseTuple(args, "OOKO", &object, &dict, &stream, &how) ||
        !(embedding = handle_get(object, &kind_embedding)) ||
        !settings_ask(dict, NULL, 0, &asked) || !run_get(how, &work, &run)) {
        return NULL;
    }
    asked.settings.cluster.stream = stream;
    sonde_clusters *clusters = NULL;
    sonde_error error = {0};
    work_begin(&work);
    const sonde_status status =
        sonde_clusters_fit(embedding, &asked.settings.cluster, &run, &clusters, &error);
    if (!work_end(&work, status, &error)) {
        sonde_clusters_free(clusters);
        return NULL;
    }
    return handle_new(&kind_clusters, clusters, object);
}

static PyObject *clusters_fields(PyObject *self, PyObject *object) {
    (void)self;
    const sonde_clusters *clusters = handle_get(object, &kind_clusters);
    if (clusters == NULL) {
        return NULL;
    }
    fields f = fields_new(object);
    put_int(&f, "k", clusters->k);
    put_int(&f, "k_asked", clusters->k_asked);
    put_int(&f, "n_policy", clusters->n_policy);
    put_int(&f, "n_column", clusters->n_column);
    put_int(&f, "n_round", clusters->n_round);
    put_real(&f, "inertia", clusters->inertia);
    put_array(&f, "policy", clusters->policy, 'Q', clusters->n_policy);
    put_matrix(&f, "center", clusters->center, 'd', clusters->k, clusters->n_column);
    put_array(&f, "representative", clusters->representative, 'i', clusters->k);
    put_array(&f, "label", clusters->label, 'i', clusters->n_policy);
    put_array(&f, "offset", clusters->offset, 'i', (int64_t)clusters->k + 1);
    put_array(&f, "member", clusters->member, 'i', clusters->n_policy);
    put_count(&f, "bytes", clusters->bytes);
    return fields_done(&f);
}

/* clusters_policy(clusters, i) -> index of the policy */
static PyObject *clusters_policy(PyObject *self, PyObject *args) {
    (void)self;
    PyObject *object = NULL;
    int i = 0;
    const sonde_clusters *clusters;
    if (!PyArg_ParseTuple(args, "Oi", &object, &i) ||
        !(clusters = handle_get(object, &kind_clusters))) {
        return NULL;
    }
    if (i < 0 || i >= clusters->n_policy) {
        PyErr_Format(PyExc_IndexError, "there are %d policies", (int)clusters->n_policy);
        return NULL;
    }
    return PyLong_FromUnsignedLongLong(sonde_clusters_policy(clusters, i));
}

/* clusters_mean_efe(clusters, policies, origin, belief, mean (k)) */
static PyObject *clusters_mean_efe(PyObject *self, PyObject *args) {
    (void)self;
    PyObject *object, *counted, *array, *out;
    int origin = 0;
    const sonde_clusters *clusters;
    const sonde_policies *policies;
    Py_buffer belief = {0};
    Py_buffer mean = {0};
    if (!PyArg_ParseTuple(args, "OOiOO", &object, &counted, &origin, &array, &out) ||
        !(clusters = handle_get(object, &kind_clusters)) ||
        !(policies = handle_get(counted, &kind_policies))) {
        return NULL;
    }
    const sonde_model *model = policies->model;
    bool good = buffer_get(array, &belief, 'd', model->n_belief, false) &&
                buffer_get(out, &mean, 'd', clusters->k, true);
    if (good) {
        sonde_status status;
        const sonde_present now = sonde_present_at(model, belief.buf);
        Py_BEGIN_ALLOW_THREADS;
        status = sonde_clusters_mean_efe(clusters, policies, origin, now, mean.buf, NULL);
        Py_END_ALLOW_THREADS;
        good = check(status, NULL);
    }
    PyBuffer_Release(&belief);
    PyBuffer_Release(&mean);
    return good ? Py_NewRef(Py_None) : NULL;
}

/* map_report(policies, origin, belief, embedding, pca, clusters or None,
 * cluster settings or None, "json" or "csv", command) -> text */
static PyObject *map_report(PyObject *self, PyObject *args) {
    (void)self;
    PyObject *counted, *array, *embedded, *plane, *clustered, *dict;
    int origin = 0;
    const char *format = NULL;
    const char *command = NULL;
    Py_buffer belief;
    unsigned long long stream = 0;
    struct asked asked;
    sonde_map map = {0};
    if (!PyArg_ParseTuple(args, "OiOOOOOKsz", &counted, &origin, &array, &embedded, &plane,
                          &clustered, &dict, &stream, &format, &command) ||
        !(map.listing.policies = handle_get(counted, &kind_policies)) ||
        !(map.embedding = handle_get(embedded, &kind_embedding)) ||
        !(map.pca = handle_get(plane, &kind_pca)) ||
        (clustered != Py_None && !(map.clusters = handle_get(clustered, &kind_clusters))) ||
        !settings_ask(dict, NULL, 0, &asked) ||
        !buffer_get(array, &belief, 'd', map.listing.policies->model->n_belief, false)) {
        return NULL;
    }
    asked.settings.cluster.stream = stream;
    map.listing.origin = origin;
    map.listing.now = sonde_present_at(map.listing.policies->model, belief.buf);
    map.listing.command = command;
    map.cluster_settings = map.clusters ? &asked.settings.cluster : NULL;
    sonde_text text = {0};
    Py_BEGIN_ALLOW_THREADS;
    if (*format == 'j') {
        sonde_document_map_json(&map, &text);
    } else {
        sonde_document_map_csv(&map, &text);
    }
    Py_END_ALLOW_THREADS;
    PyBuffer_Release(&belief);
    return text_take(&text);
}

PyMethodDef embed_methods[] = {
    {"embedder_new", embedder_new, METH_VARARGS, "embedder_new(policies, settings, belief, run)"},
    {"embedder_own", embedder_own, METH_VARARGS, "embedder_own(policies, sample, seed, run)"},
    {"embedder_size", embedder_size, METH_VARARGS, "embedder_size(embedder, origin)"},
    {"embedder_list", embedder_list, METH_VARARGS, "embedder_list(embedder, origin, index)"},
    {"embedder_give", embedder_give, METH_VARARGS, "embedder_give(embedder, origin, rows)"},
    {"embedder_row", embedder_row, METH_VARARGS, "embedder_row(embedder, walk, out)"},
    {"embedder_row", embedder_row, METH_VARARGS, "embedder_row(policies, embedder, walk, out)"},
    {"embedding_new", embedding_new, METH_VARARGS, "embedding_new(embedder, origin, run)"},
    {"embedding_from_rows", embedding_from_rows, METH_VARARGS, "embedding_from_rows(rows, run)"},
    {"embedding_fields", embedding_fields, METH_O, "embedding_fields(embedding) -> dict"},
    {"embedding_rows", embedding_rows, METH_VARARGS, "embedding_rows(embedding, out)"},
    {"embedding_at", embedding_at, METH_VARARGS, "embedding_at(embedding, row, column)"},
    {"pca_fit", pca_fit, METH_O, "pca_fit(embedding)"},
    {"pca_fields", pca_fields, METH_O, "pca_fields(pca) -> dict"},
    {"pca_project", pca_project, METH_VARARGS, "pca_project(pca, rows, out)"},
    {"pca_places", pca_places, METH_VARARGS, "pca_places(pca, embedding, out)"},
    {"clusters_fit", clusters_fit, METH_VARARGS, "clusters_fit(embedding, settings, run)"},
    {"clusters_fields", clusters_fields, METH_O, "clusters_fields(clusters) -> dict"},
    {"clusters_policy", clusters_policy, METH_VARARGS, "clusters_policy(clusters, i)"},
    {"clusters_mean_efe", clusters_mean_efe, METH_VARARGS,
     "clusters_mean_efe(clusters, policies, origin, belief, out)"},
    {"map_report", map_report, METH_VARARGS,
     "map_report(policies, origin, belief, embedding, pca, clusters, settings, "
     "format, command) -> text"},
    {NULL, NULL, 0, NULL},
};

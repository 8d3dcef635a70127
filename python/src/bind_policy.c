/* bind_policy.c: policies, and their expected free energy. */
#include "binding.h"

/* policies_count(model, run) */
static PyObject *policies_count(PyObject *self, PyObject *args) {
    (void)self;
    PyObject *object, *how;
    const sonde_model *model;
    struct work work = {0};
    sonde_run run;
    if (!PyArg_ParseTuple(args, "OO", &object, &how) ||
        !(model = handle_get(object, &kind_model)) || !run_get(how, &work, &run)) {
        return NULL;
    }
    sonde_policies *policies = NULL;
    sonde_error error = {0};
    work_begin(&work);
    const sonde_status status = sonde_policies_count(model, 0, &run, &policies, &error);
    if (!work_end(&work, status, &error)) {
        sonde_policies_free(policies);
        return NULL;
    }
    return handle_new(&kind_policies, policies, object);
}

/* policies_weigh(policies, utility, information, cost, novelty, of A, of B): the same, whose G
 * counts otherwise */
static PyObject *policies_weigh(PyObject *self, PyObject *args) {
    (void)self;
    PyObject *object;
    const char *novelty = NULL;
    sonde_weights weights = {0};
    const sonde_policies *policies;
    sonde_policies *weighed = NULL;
    sonde_error error = {0};
    if (!PyArg_ParseTuple(args, "Odddsdd", &object, &weights.utility, &weights.information,
                          &weights.cost, &novelty, &weights.novelty_A, &weights.novelty_B)) {
        return NULL;
    }
    weights.novelty =
        sonde_name_find(sonde_setting_at(sonde_setting_find("novelty"))->names, novelty);
    if (!(policies = handle_get(object, &kind_policies)) ||
        !check(sonde_policies_weigh(policies, &weights, &weighed, &error), &error)) {
        return NULL;
    }
    return handle_new(&kind_policies, weighed, object);
}

static PyObject *policies_fields(PyObject *self, PyObject *object) {
    (void)self;
    const sonde_policies *policies = handle_get(object, &kind_policies);
    if (policies == NULL) {
        return NULL;
    }
    fields f = fields_new(object);
    put_int(&f, "horizon", policies->horizon);
    put_int(&f, "n_origin", policies->n_origin);
    put_int(&f, "initial", policies->initial);
    put_count(&f, "n_policy", policies->n_policy);
    put_real(&f, "size", policies->size);
    return fields_done(&f);
}

/* The policies and an origin that they have. */
static const sonde_policies *policies_at(PyObject *object, int origin) {
    const sonde_policies *policies = handle_get(object, &kind_policies);
    if (policies == NULL) {
        return NULL;
    }
    if (origin < SONDE_EVERYWHERE || origin >= policies->n_origin) {
        PyErr_Format(error_bad_input, "expected an origin from 0 to %d, found %d",
                     (int)policies->n_origin - 1, origin);
        return NULL;
    }
    return policies;
}

/* policies_origin(policies, belief) */
static PyObject *policies_origin(PyObject *self, PyObject *args) {
    (void)self;
    PyObject *object, *array;
    const sonde_policies *policies;
    Py_buffer belief;
    if (!PyArg_ParseTuple(args, "OO", &object, &array) ||
        !(policies = handle_get(object, &kind_policies)) ||
        !buffer_get(array, &belief, 'd', policies->model->n_belief, false)) {
        return NULL;
    }
    const int32_t origin = sonde_policies_origin(policies, belief.buf);
    PyBuffer_Release(&belief);
    return PyLong_FromLong(origin);
}

/* policies_size(policies, origin) -> (number, which saturates; the same as a float) */
static PyObject *policies_size(PyObject *self, PyObject *args) {
    (void)self;
    PyObject *object = NULL;
    int origin = 0;
    const sonde_policies *policies;
    if (!PyArg_ParseTuple(args, "Oi", &object, &origin) ||
        !(policies = policies_at(object, origin))) {
        return NULL;
    }
    return Py_BuildValue("Kd", (unsigned long long)sonde_policies_size(policies, origin),
                         sonde_policies_size_real(policies, origin));
}

/* policies_get(policies, origin, index (n), walks (n, T + 1)) */
static PyObject *policies_get(PyObject *self, PyObject *args) {
    (void)self;
    PyObject *object, *indices, *out;
    int origin = 0;
    const sonde_policies *policies;
    Py_buffer index = {0};
    Py_buffer walk = {0};
    if (!PyArg_ParseTuple(args, "OiOO", &object, &origin, &indices, &out) ||
        !(policies = policies_at(object, origin)) || !buffer_get(indices, &index, 'Q', -1, false)) {
        return NULL;
    }
    const int64_t n = index.len / 8;
    const int64_t each = (int64_t)policies->horizon + 1;
    const uint64_t *number = index.buf;
    bool good = buffer_get(out, &walk, 'i', n * each, true);
    const uint64_t size = sonde_policies_size(policies, origin);
    for (int64_t i = 0; good && i < n; i++) {
        if (number[i] >= size) {
            PyErr_Format(PyExc_IndexError, "expected a policy below %llu, found %llu",
                         (unsigned long long)size, (unsigned long long)number[i]);
            good = false;
        }
    }
    if (good) {
        int32_t *walks = walk.buf;
        Py_BEGIN_ALLOW_THREADS;
        for (int64_t i = 0; i < n; i++) {
            (void)sonde_policies_get(policies, origin, number[i], walks + i * each, NULL);
        }
        Py_END_ALLOW_THREADS;
    }
    PyBuffer_Release(&index);
    PyBuffer_Release(&walk);
    return good ? Py_NewRef(Py_None) : NULL;
}

/* Whether walks (n, T + 1) have an action at every step. */
static bool walks_exist(const sonde_policies *policies, const int32_t *walk, int64_t n) {
    for (int64_t i = 0; i < n; i++, walk += policies->horizon + 1) {
        for (int32_t t = 1; t <= policies->horizon; t++) {
            const int32_t action = sonde_policies_action(policies, walk, t);
            if (action < 0 || action >= policies->model->n_action) {
                PyErr_Format(error_bad_input, "policy %lld, step %d: there is no such action",
                             (long long)i, (int)t);
                return false;
            }
        }
    }
    return true;
}

/* Reads a walk (T + 1) that exists. */
static bool walk_get(PyObject *object, const sonde_policies *policies, Py_buffer *walk) {
    if (!buffer_get(object, walk, 'i', (int64_t)policies->horizon + 1, false)) {
        return false;
    }
    if (!walks_exist(policies, walk->buf, 1)) {
        PyBuffer_Release(walk);
        walk->obj = NULL;
        return false;
    }
    return true;
}

/* policies_find(policies, origin, walk) -> index, or None */
static PyObject *policies_find(PyObject *self, PyObject *args) {
    (void)self;
    PyObject *object, *array;
    int origin = 0;
    const sonde_policies *policies;
    Py_buffer walk = {0};
    if (!PyArg_ParseTuple(args, "OiO", &object, &origin, &array) ||
        !(policies = policies_at(object, origin)) || !walk_get(array, policies, &walk)) {
        return NULL;
    }
    const uint64_t index = sonde_policies_find(policies, origin, walk.buf);
    PyBuffer_Release(&walk);
    return index == UINT64_MAX ? Py_NewRef(Py_None) : PyLong_FromUnsignedLongLong(index);
}

/* policies_actions(policies, walk (n, T + 1), actions (n, T)): the numbers of the actions */
static PyObject *policies_actions(PyObject *self, PyObject *args) {
    (void)self;
    PyObject *object, *array, *out;
    const sonde_policies *policies;
    Py_buffer walk = {0};
    Py_buffer action = {0};
    if (!PyArg_ParseTuple(args, "OOO", &object, &array, &out) ||
        !(policies = handle_get(object, &kind_policies)) ||
        !buffer_get(array, &walk, 'i', -1, false)) {
        return NULL;
    }
    const int64_t each = (int64_t)policies->horizon + 1;
    const int64_t n = walk.len / 4 / each;
    const bool good =
        buffer_get(out, &action, 'i', n * (each - 1), true) && walks_exist(policies, walk.buf, n);
    if (good) {
        int32_t *to = action.buf;
        for (int64_t i = 0; i < n; i++) {
            for (int32_t t = 1; t <= policies->horizon; t++) {
                *to++ = sonde_policies_action(policies, (const int32_t *)walk.buf + i * each, t);
            }
        }
    }
    PyBuffer_Release(&walk);
    PyBuffer_Release(&action);
    return good ? Py_NewRef(Py_None) : NULL;
}

/* policies_edit_distance(policies, walk, walk) */
static PyObject *policies_edit_distance(PyObject *self, PyObject *args) {
    (void)self;
    PyObject *object, *one, *other;
    const sonde_policies *policies;
    Py_buffer i = {0};
    Py_buffer j = {0};
    if (!PyArg_ParseTuple(args, "OOO", &object, &one, &other) ||
        !(policies = handle_get(object, &kind_policies)) || !walk_get(one, policies, &i)) {
        return NULL;
    }
    PyObject *distance = NULL;
    if (walk_get(other, policies, &j)) {
        distance = PyLong_FromLong(sonde_policies_edit_distance(policies, i.buf, j.buf));
    }
    PyBuffer_Release(&i);
    PyBuffer_Release(&j);
    return distance;
}

/* walks_read(path, policies) -> (handle, view (n, T + 1)) */
static PyObject *walks_read(PyObject *self, PyObject *args) {
    (void)self;
    PyObject *path, *object;
    if (!PyArg_ParseTuple(args, "O&O", PyUnicode_FSConverter, &path, &object)) {
        return NULL;
    }
    const sonde_policies *policies = handle_get(object, &kind_policies);
    sonde_walks *walks = NULL;
    sonde_error error = {0};
    const bool good =
        policies &&
        check(sonde_walks_read(PyBytes_AsString(path), policies, &walks, &error), &error);
    Py_DECREF(path);
    PyObject *handle = good ? handle_new(&kind_walks, walks, NULL) : NULL;
    if (handle == NULL) {
        return NULL;
    }
    fields f = fields_new(handle);
    put_matrix(&f, "walks", walks->walk, 'i', walks->n_policy, (int64_t)walks->horizon + 1);
    Py_DECREF(handle);
    return fields_done(&f);
}

/* ------------------------------------------------------------------------------------- efe -- */

/* From where policies are carried out. */
static bool present_get(const sonde_model *model, PyObject *array, Py_buffer *belief,
                        sonde_present *now) {
    if (!buffer_get(array, belief, 'd', model->n_belief, false)) {
        return false;
    }
    *now = sonde_present_at(model, belief->buf);
    return true;
}

/* numbers of a score: efe and its terms */
static const int64_t n_number = 1 + SONDE_N_TERM;

/* efe_walks(policies, belief, walks (n, T + 1), total (n, n_number), steps (n, T, n_number) or
 * None, reached (n, T) or None) */
static PyObject *efe_walks(PyObject *self, PyObject *args) {
    (void)self;
    PyObject *object, *array, *walks, *totals, *parts, *places;
    const sonde_policies *policies;
    sonde_present now;
    Py_buffer belief, walk = {0}, total = {0}, steps = {0}, reached = {0};
    if (!PyArg_ParseTuple(args, "OOOOOO", &object, &array, &walks, &totals, &parts, &places) ||
        !(policies = handle_get(object, &kind_policies)) ||
        !present_get(policies->model, array, &belief, &now)) {
        return NULL;
    }
    const sonde_model *model = policies->model;
    const int64_t T = policies->horizon;
    bool good = buffer_get(walks, &walk, 'i', -1, false);
    const int64_t n = good ? walk.len / 4 / (T + 1) : 0;
    good = good && buffer_get(totals, &total, 'd', n_number * n, true) &&
           buffer_get_maybe(parts, &steps, 'd', n_number * n * T, true) &&
           buffer_get_maybe(places, &reached, 'i', n * T, true) && n <= INT32_MAX &&
           walks_exist(policies, walk.buf, n);
    if (good) {
        struct work work = {0};
        sonde_run run = sonde_run_defaults();
        sonde_error error = {0};
        const sonde_walks list = {(int32_t)n, (int32_t)T, walk.buf};
        const sonde_scores scores = {total.buf, steps.buf, reached.buf};
        run.stop = &work.stop;
        work_begin(&work);
        const sonde_status status = sonde_efe_walks(model, now, &list, &run, &scores, &error);
        good = work_end(&work, status, &error);
    }
    PyBuffer_Release(&belief);
    PyBuffer_Release(&walk);
    PyBuffer_Release(&total);
    PyBuffer_Release(&steps);
    PyBuffer_Release(&reached);
    return good ? Py_NewRef(Py_None) : NULL;
}

/* efe_range(policies, belief, origin, first, efe (n), run) */
static PyObject *efe_range(PyObject *self, PyObject *args) {
    (void)self;
    PyObject *object, *array, *out, *how;
    int origin = 0;
    unsigned long long first = 0;
    const sonde_policies *policies;
    sonde_present now;
    Py_buffer belief, efe = {0};
    struct work work = {0};
    sonde_run run;
    if (!PyArg_ParseTuple(args, "OOiKOO", &object, &array, &origin, &first, &out, &how) ||
        !(policies = policies_at(object, origin)) || !run_get(how, &work, &run) ||
        !present_get(policies->model, array, &belief, &now)) {
        return NULL;
    }
    bool good = buffer_get(out, &efe, 'd', -1, true);
    const uint64_t n = good ? (uint64_t)efe.len / 8 : 0;
    const uint64_t size = sonde_policies_size(policies, origin);
    if (good && (first > size || n > size - first)) {
        PyErr_Format(PyExc_IndexError, "there are %llu policies", (unsigned long long)size);
        good = false;
    }
    if (good) {
        const sonde_range range = {.origin = origin, .first = first, .n = n};
        sonde_error error = {0};
        work_begin(&work);
        const sonde_status status = sonde_efe_range(policies, now, range, &run, efe.buf, &error);
        good = work_end(&work, status, &error);
    }
    PyBuffer_Release(&belief);
    PyBuffer_Release(&efe);
    return good ? Py_NewRef(Py_None) : NULL;
}

/* efe_report(policies, origin, belief, index (n) or None, walks (n, T + 1), total (n, n_number),
 * steps (n, T, n_number) or None, command) -> JSON */
static PyObject *efe_report(PyObject *self, PyObject *args) {
    (void)self;
    PyObject *object, *array, *indices, *walks, *totals, *parts;
    int origin = 0;
    const char *command = NULL;
    const sonde_policies *policies;
    sonde_listing listing = {0};
    Py_buffer belief, index = {0}, walk = {0}, total = {0}, steps = {0};
    if (!PyArg_ParseTuple(args, "OiOOOOOz", &object, &origin, &array, &indices, &walks, &totals,
                          &parts, &command) ||
        !(policies = policies_at(object, origin)) ||
        !present_get(policies->model, array, &belief, &listing.now)) {
        return NULL;
    }
    listing.policies = policies;
    listing.origin = origin;
    listing.command = command;
    const int64_t T = policies->horizon;
    bool good = buffer_get(walks, &walk, 'i', -1, false);
    const int64_t n = good ? walk.len / 4 / (T + 1) : 0;
    good = good && buffer_get(totals, &total, 'd', n_number * n, false) &&
           buffer_get_maybe(indices, &index, 'Q', n, false) &&
           buffer_get_maybe(parts, &steps, 'd', n_number * n * T, false) &&
           walks_exist(policies, walk.buf, n);
    sonde_text json = {0};
    if (good) {
        Py_BEGIN_ALLOW_THREADS;
        if (n == 0) {
            sonde_document_efe(&listing, 0, 0, NULL, &json);
        }
        for (int64_t i = 0; i < n; i++) {
            const sonde_scored one = {
                .index = index.buf ? ((const uint64_t *)index.buf)[i] : UINT64_MAX,
                .walk = (const int32_t *)walk.buf + i * (T + 1),
                .total = (const sonde_efe *)total.buf + i,
                .steps = steps.buf ? (const sonde_efe *)steps.buf + i * T : NULL};
            sonde_document_efe(&listing, (uint64_t)n, (uint64_t)i, &one, &json);
        }
        Py_END_ALLOW_THREADS;
    }
    PyBuffer_Release(&belief);
    PyBuffer_Release(&walk);
    PyBuffer_Release(&total);
    PyBuffer_Release(&index);
    PyBuffer_Release(&steps);
    return good ? text_take(&json) : NULL;
}

PyMethodDef policy_methods[] = {
    {"policies_count", policies_count, METH_VARARGS, "policies_count(model, run)"},
    {"policies_weigh", policies_weigh, METH_VARARGS,
     "policies_weigh(policies, utility, information, cost)"},
    {"policies_fields", policies_fields, METH_O, "policies_fields(policies) -> dict"},
    {"policies_origin", policies_origin, METH_VARARGS, "policies_origin(policies, belief)"},
    {"policies_size", policies_size, METH_VARARGS, "policies_size(policies, origin)"},
    {"policies_get", policies_get, METH_VARARGS, "policies_get(policies, origin, index, out)"},
    {"policies_find", policies_find, METH_VARARGS, "policies_find(policies, origin, walk)"},
    {"policies_actions", policies_actions, METH_VARARGS, "policies_actions(policies, walks, out)"},
    {"policies_edit_distance", policies_edit_distance, METH_VARARGS,
     "policies_edit_distance(policies, walk, walk)"},
    {"walks_read", walks_read, METH_VARARGS, "walks_read(path, policies) -> dict"},
    {"efe_walks", efe_walks, METH_VARARGS,
     "efe_walks(policies, belief, walks, total, steps, reached)"},
    {"efe_range", efe_range, METH_VARARGS, "efe_range(policies, belief, origin, first, out, run)"},
    {"efe_report", efe_report, METH_VARARGS,
     "efe_report(policies, origin, belief, index, walks, total, steps, command) -> JSON"},
    {NULL, NULL, 0, NULL},
};

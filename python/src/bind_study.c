/* bind_study.c: studies and their reports. */
#include "binding.h"

/* plan_read(path or name, record_steps) */
static PyObject *plan_read(PyObject *self, PyObject *args) {
    (void)self;
    PyObject *path = NULL;
    int record_steps = 0;
    if (!PyArg_ParseTuple(args, "O&p", PyUnicode_FSConverter, &path, &record_steps)) {
        return NULL;
    }
    sonde_study_plan *plan = NULL;
    sonde_error error = {0};
    const bool good = check(sonde_study_plan_read(PyBytes_AsString(path), &plan, &error), &error);
    Py_DECREF(path);
    if (!good) {
        return NULL;
    }
    plan->record_steps = plan->record_steps || record_steps;
    return handle_new(&kind_plan, plan, NULL);
}

static PyObject *plan_fields(PyObject *self, PyObject *object) {
    (void)self;
    const sonde_study_plan *plan = handle_get(object, &kind_plan);
    if (plan == NULL) {
        return NULL;
    }
    fields f = fields_new(object);
    put_text(&f, "name", plan->name);
    put_text(&f, "text", plan->text);
    put_count(&f, "seed", plan->seed);
    put_int(&f, "n_step", plan->n_step);
    put_int(&f, "n_condition", plan->n_condition);
    put_int(&f, "n_task", plan->n_task);
    put_int(&f, "n_run", plan->n_run);
    put_int(&f, "n_judge", plan->n_judge);
    put(&f, "record_steps", PyBool_FromLong(plan->record_steps));
    PyObject *models = PyList_New(0);
    for (int32_t m = 0; models && m < plan->n_model; m++) {
        PyObject *name = PyUnicode_FromString(plan->model[m].name);
        if (name == NULL || PyList_Append(models, name) != 0) {
            Py_CLEAR(models);
        }
        Py_XDECREF(name);
    }
    put(&f, "models", models);
    PyObject *labels = PyList_New(0);
    for (int32_t i = 0; labels && i < plan->n_condition; i++) {
        PyObject *one = Py_BuildValue("ss", plan->condition[i].group, plan->condition[i].label);
        if (one == NULL || PyList_Append(labels, one) != 0) {
            Py_CLEAR(labels);
        }
        Py_XDECREF(one);
    }
    put(&f, "conditions", labels);
    return fields_done(&f);
}

static const sonde_study_plan *plan_with(PyObject *object, int task) {
    const sonde_study_plan *plan = handle_get(object, &kind_plan);
    if (plan && (task < 0 || task >= plan->n_task)) {
        PyErr_Format(PyExc_IndexError, "expected a task from 0 to %d, found %d",
                     (int)plan->n_task - 1, task);
        return NULL;
    }
    return plan;
}

/* plan_task(plan, task) -> (size, graph) */
static PyObject *plan_task(PyObject *self, PyObject *args) {
    (void)self;
    PyObject *object = NULL;
    int task = 0;
    const sonde_study_plan *plan;
    if (!PyArg_ParseTuple(args, "Oi", &object, &task) || !(plan = plan_with(object, task))) {
        return NULL;
    }
    int32_t size = 0;
    int32_t graph = 0;
    return check(sonde_study_plan_task(plan, task, &size, &graph, NULL), NULL)
               ? Py_BuildValue("ii", (int)size, (int)graph)
               : NULL;
}

/* plan_work(plan, task, run) -> rows as JSON */
static PyObject *plan_work(PyObject *self, PyObject *args) {
    (void)self;
    PyObject *object, *how;
    int task = 0;
    const sonde_study_plan *plan;
    struct work work = {0};
    sonde_run run;
    if (!PyArg_ParseTuple(args, "OiO", &object, &task, &how) || !(plan = plan_with(object, task)) ||
        !run_get(how, &work, &run)) {
        return NULL;
    }
    sonde_text rows = {0};
    sonde_error error = {0};
    work_begin(&work);
    const sonde_status status = sonde_study_plan_work(plan, task, &run, &rows, &error);
    if (!work_end(&work, status, &error)) {
        sonde_text_free(&rows);
        return NULL;
    }
    return text_take(&rows);
}

/* study_open(path, plan) */
static PyObject *study_open(PyObject *self, PyObject *args) {
    (void)self;
    PyObject *path, *object;
    if (!PyArg_ParseTuple(args, "O&O", PyUnicode_FSConverter, &path, &object)) {
        return NULL;
    }
    const sonde_study_plan *plan = handle_get(object, &kind_plan);
    sonde_study *study = NULL;
    sonde_error error = {0};
    const bool good =
        plan && check(sonde_study_open(PyBytes_AsString(path), plan, &study, &error), &error);
    Py_DECREF(path);
    return good ? handle_new(&kind_study, study, object) : NULL;
}

static PyObject *study_done(PyObject *self, PyObject *object) {
    (void)self;
    struct handle *h = handle_take(object, &kind_study);
    return h ? PyLong_FromLong(sonde_study_done(h->pointer)) : NULL;
}

static PyObject *study_next(PyObject *self, PyObject *object) {
    (void)self;
    struct handle *h = handle_take(object, &kind_study);
    return h ? PyLong_FromLong(sonde_study_next(h->pointer)) : NULL;
}

/* study_take(study, rows) */
static PyObject *study_take(PyObject *self, PyObject *args) {
    (void)self;
    PyObject *object = NULL;
    const char *data = NULL;
    Py_ssize_t size = 0;
    struct handle *h;
    if (!PyArg_ParseTuple(args, "Os#", &object, &data, &size) ||
        !(h = handle_take(object, &kind_study))) {
        return NULL;
    }
    sonde_text rows = {0};
    sonde_text_add(&rows, "%s", data);
    sonde_error error = {0};
    const bool good = !rows.failed && check(sonde_study_take(h->pointer, &rows, &error), &error);
    sonde_text_free(&rows);
    return good ? Py_NewRef(Py_None) : PyErr_Occurred() ? NULL : PyErr_NoMemory();
}

/* study_rows(study, table) -> columns as JSON */
static PyObject *study_rows(PyObject *self, PyObject *args) {
    (void)self;
    PyObject *object = NULL;
    const char *table = NULL;
    struct handle *h;
    if (!PyArg_ParseTuple(args, "Os", &object, &table) || !(h = handle_take(object, &kind_study))) {
        return NULL;
    }
    sonde_text json = {0};
    sonde_error error = {0};
    if (!check(sonde_study_rows(h->pointer, table, &json, &error), &error)) {
        sonde_text_free(&json);
        return NULL;
    }
    return text_take(&json);
}

/* study_run(study, run) */
static PyObject *study_run(PyObject *self, PyObject *args) {
    (void)self;
    PyObject *object, *how;
    struct handle *h;
    struct work work = {0};
    sonde_run run;
    if (!PyArg_ParseTuple(args, "OO", &object, &how) || !(h = handle_take(object, &kind_study)) ||
        !run_get(how, &work, &run)) {
        return NULL;
    }
    sonde_error error = {0};
    h->busy = true;
    work_begin(&work);
    const sonde_status status = sonde_study_run(h->pointer, &run, &error);
    const bool good = work_end(&work, status, &error);
    h->busy = false;
    return good ? Py_NewRef(Py_None) : NULL;
}

/* report(path, folder, page or None, run) -> the main table */
static PyObject *report(PyObject *self, PyObject *args) {
    (void)self;
    PyObject *path = NULL;
    PyObject *folder = NULL;
    PyObject *page = NULL;
    PyObject *how = NULL;
    struct work work = {0};
    sonde_run run;
    if (!PyArg_ParseTuple(args, "OOOO", &path, &folder, &page, &how) ||
        !run_get(how, &work, &run)) {
        return NULL;
    }
    PyObject *from = NULL;
    PyObject *to = NULL;
    PyObject *in = NULL;
    sonde_text table = {0};
    bool good = PyUnicode_FSConverter(path, &from) && PyUnicode_FSConverter(folder, &to) &&
                (page == Py_None || PyUnicode_FSConverter(page, &in));
    if (good) {
        const char *source = PyBytes_AsString(from);
        const char *target = PyBytes_AsString(to);
        const char *frame = in != NULL ? PyBytes_AsString(in) : NULL;
        sonde_error error = {0};
        work_begin(&work);
        const sonde_status status = sonde_report(source, target, frame, &run, &table, &error);
        good = work_end(&work, status, &error);
    }
    Py_XDECREF(from);
    Py_XDECREF(to);
    Py_XDECREF(in);
    if (!good) {
        sonde_text_free(&table);
        return NULL;
    }
    return text_take(&table);
}

/* view(page, path or None, state or None, run) -> HTML */
static PyObject *view(PyObject *self, PyObject *args) {
    (void)self;
    PyObject *page = NULL;
    PyObject *path = NULL;
    const char *state = NULL;
    PyObject *how = NULL;
    struct work work = {0};
    sonde_run run;
    if (!PyArg_ParseTuple(args, "OOzO", &page, &path, &state, &how) || !run_get(how, &work, &run)) {
        return NULL;
    }
    PyObject *frame = NULL;
    PyObject *from = NULL;
    sonde_text html = {0};
    bool good = PyUnicode_FSConverter(page, &frame) &&
                (path == Py_None || PyUnicode_FSConverter(path, &from));
    if (good) {
        const char *source = from != NULL ? PyBytes_AsString(from) : NULL;
        const char *around = PyBytes_AsString(frame);
        sonde_error error = {0};
        work_begin(&work);
        const sonde_status status = sonde_view(around, source, state, &run, &html, &error);
        good = work_end(&work, status, &error);
    }
    Py_XDECREF(frame);
    Py_XDECREF(from);
    if (!good) {
        sonde_text_free(&html);
        return NULL;
    }
    return text_take(&html);
}

PyMethodDef study_methods[] = {
    {"plan_read", plan_read, METH_VARARGS, "plan_read(path or name, record_steps)"},
    {"plan_fields", plan_fields, METH_O, "plan_fields(plan) -> dict"},
    {"plan_task", plan_task, METH_VARARGS, "plan_task(plan, task) -> (size, graph)"},
    {"plan_work", plan_work, METH_VARARGS, "plan_work(plan, task, run) -> rows"},
    {"study_open", study_open, METH_VARARGS, "study_open(path, plan)"},
    {"study_done", study_done, METH_O, "study_done(study) -> tasks"},
    {"study_next", study_next, METH_O, "study_next(study) -> task or -1"},
    {"study_take", study_take, METH_VARARGS, "study_take(study, rows)"},
    {"study_rows", study_rows, METH_VARARGS, "study_rows(study, table) -> columns"},
    {"study_run", study_run, METH_VARARGS, "study_run(study, run)"},
    {"report", report, METH_VARARGS, "report(path, folder, page or None, run) -> table"},
    {"view", view, METH_VARARGS, "view(page, path or None, state or None, run) -> HTML"},
    {NULL, NULL, 0, NULL},
};

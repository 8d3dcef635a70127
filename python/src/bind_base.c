/* bind_base.c: versions, lists of names, the conventions of other packages. */
#include <string.h>

#include "binding.h"

typedef const char *(*naming)(int32_t);

static const char *like_about(int32_t like) {
    return sonde_like_apply(like, NULL, NULL);
}

static const struct {
    const char *word;
    naming name;
    naming about; /* or NULL */
} lists[] = {
    {"connect", sonde_connect_name, NULL},         {"difference", sonde_difference_name, NULL},
    {"failure", sonde_failure_name, NULL},         {"preferences", sonde_preferences_name, NULL},
    {"information", sonde_information_name, NULL}, {"policies", sonde_policy_kind_name, NULL},
    {"like", sonde_like_name, like_about},         {"study", sonde_study_plan_name, NULL},
};

/* A dictionary of a list: {name: what it is about, or None}, in order. */
static PyObject *list_of(naming name, naming about) {
    fields f = fields_new(NULL);
    for (int32_t i = 0; name(i) != NULL; i++) {
        put_text(&f, name(i), about ? about(i) : NULL);
    }
    return fields_done(&f);
}

/* names(list) -> its dictionary; the choices of a setting are a list of its key */
static PyObject *names(PyObject *self, PyObject *args) {
    (void)self;
    const char *word = NULL;
    if (!PyArg_ParseTuple(args, "s", &word)) {
        return NULL;
    }
    const sonde_setting *row = sonde_setting_at(sonde_setting_find(word));
    if (row != NULL && row->names != NULL) {
        return list_of(row->names, row->about);
    }
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        if (strcmp(lists[i].word, word) == 0) {
            return list_of(lists[i].name, lists[i].about);
        }
    }
    PyErr_Format(error_bad_input, "there is no list called %s", word);
    return NULL;
}

static void put_choice(fields *f, const char *key, int32_t value) {
    put_text(f, key, sonde_setting_at(sonde_setting_find(key))->names(value));
}

/* What closed loop has besides, as far as it is another than usual. */
static void put_closed(fields *f, const sonde_search_settings *search) {
    const sonde_search_settings usual = sonde_search_defaults();
    put_choice(f, "loop", (int32_t)search->loop);
    put_choice(f, "search", (int32_t)search->search);
    put_choice(f, "backup", (int32_t)search->backup);
    put_choice(f, "belief_kind", (int32_t)search->belief_kind);
    put_choice(f, "branches", (int32_t)search->branches);
    put_choice(f, "pruning", (int32_t)search->pruning);
    put_real(f, "prune_penalty", search->prune_penalty);
    if (search->stop_entropy != usual.stop_entropy) {
        put_real(f, "stop_entropy", search->stop_entropy);
    }
    if (search->stop_value < usual.stop_value) {
        put_real(f, "stop_value", search->stop_value);
    }
    if (search->max_branching > 0) {
        put_int(f, "max_branching", search->max_branching);
    }
    if (search->max_beliefs > 0) {
        put_int(f, "max_beliefs", search->max_beliefs);
    }
}

/* like(name, closed) -> the settings of another package */
static PyObject *like(PyObject *self, PyObject *args) {
    (void)self;
    const char *word = NULL;
    int closed = 0;
    sonde_model_settings model = sonde_model_defaults();
    sonde_search_settings search = sonde_search_defaults();
    if (!PyArg_ParseTuple(args, "sp", &word, &closed)) {
        return NULL;
    }
    search.loop = closed ? SONDE_LOOP_CLOSED : SONDE_LOOP_OPEN;
    if (!sonde_like_apply(sonde_name_find(sonde_like_name, word), &model, &search)) {
        const char *nearest = sonde_name_nearest(sonde_like_name, word);
        PyErr_Format(error_bad_input, "like: %s is no package that is known%s%s%s", word,
                     nearest ? "; did you mean " : "", nearest ? nearest : "", nearest ? "?" : "");
        return NULL;
    }
    fields f = fields_new(NULL);
    put_text(&f, "preferences", sonde_preferences_name(model.preferences));
    put_text(&f, "information", sonde_information_name(model.information));
    put_real(&f, "gamma", search.gamma);
    put_real(&f, "alpha", search.alpha);
    put_choice(&f, "action", (int32_t)search.action);
    put_bool(&f, "per_factor", search.per_factor);
    put_choice(&f, "inference", search.inference);
    if (closed) {
        put_closed(&f, &search);
    }
    return fields_done(&f);
}

static PyObject *version(PyObject *self, PyObject *nothing) {
    (void)self;
    (void)nothing;
    return PyUnicode_FromString(sonde_version());
}

static PyObject *versions(PyObject *self, PyObject *nothing) {
    (void)self;
    (void)nothing;
    sonde_text text = {0};
    sonde_versions(&text);
    return text_take(&text);
}

/* write(path, text): a file of UTF-8, all of it or none */
enum { PIECE = 1 << 20 };

static PyObject *write_file(PyObject *self, PyObject *args) {
    (void)self;
    PyObject *path = NULL;
    const char *data = NULL;
    Py_ssize_t size = 0;
    if (!PyArg_ParseTuple(args, "O&s#", PyUnicode_FSConverter, &path, &data, &size)) {
        return NULL;
    }
    const char *place = PyBytes_AsString(path);
    sonde_text text = {0};
    sonde_error error = {0};
    sonde_status status;
    Py_BEGIN_ALLOW_THREADS;
    status = sonde_text_open(&text, strcmp(place, "-") == 0 ? "./-" : place, &error);
    if (status == SONDE_OK) {
        for (Py_ssize_t at = 0; at < size; at += PIECE) {
            sonde_text_add(&text, "%.*s", (int)(size - at < PIECE ? size - at : PIECE), data + at);
        }
        status = sonde_text_close(&text, &error);
    }
    Py_END_ALLOW_THREADS;
    Py_DECREF(path);
    return check(status, &error) ? Py_NewRef(Py_None) : NULL;
}

PyMethodDef base_methods[] = {
    {"version", version, METH_NOARGS, "version() -> str"},
    {"versions", versions, METH_NOARGS, "versions() -> str"},
    {"write", write_file, METH_VARARGS, "write(path, text)"},
    {"names", names, METH_VARARGS, "names(list) -> {name: about}"},
    {"like", like, METH_VARARGS, "like(name, closed) -> dict"},
    {NULL, NULL, 0, NULL},
};

/* bind_base.c: version, lists of names, the conventions of other packages. */
#include <string.h>

#include "binding.h"

typedef const char *(*naming)(int32_t);

static const struct {
    const char *word;
    naming name;
    naming about; /* or NULL */
} lists[] = {
    {"connect", sonde_connect_name, NULL},
    {"scope", sonde_scope_name, NULL},
    {"search", sonde_search_name, NULL},
    {"method", sonde_cluster_method_name, NULL},
    {"probe", sonde_probe_name, NULL},
    {"grounds", sonde_grounds_name, sonde_grounds_sentence},
    {"action", sonde_action_name, NULL},
    {"difference", sonde_difference_name, NULL},
    {"failure", sonde_failure_name, NULL},
    {"embedding", sonde_embedding_name, sonde_embedding_about},
    {"preferences", sonde_preferences_name, NULL},
    {"information", sonde_information_name, NULL},
    {"policies", sonde_policy_kind_name, NULL},
    {"like", sonde_like_name, sonde_like_about},
    {"study", sonde_plan_name, NULL},
};

/* names(list) -> {name: what it is about, or None}, in order */
static PyObject *names(PyObject *self, PyObject *args) {
    (void)self;
    const char *word = NULL;
    if (!PyArg_ParseTuple(args, "s", &word)) {
        return NULL;
    }
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        if (strcmp(lists[i].word, word) == 0) {
            fields f = fields_new(NULL);
            const char *name;
            for (int32_t j = 0; (name = lists[i].name(j)) != NULL; j++) {
                put_text(&f, name, lists[i].about ? lists[i].about(j) : NULL);
            }
            return fields_done(&f);
        }
    }
    PyErr_Format(error_bad_input, "there is no list called %s", word);
    return NULL;
}

/* like(name) -> the settings of another package */
static PyObject *like(PyObject *self, PyObject *args) {
    (void)self;
    const char *word = NULL;
    sonde_like like;
    if (!PyArg_ParseTuple(args, "s", &word)) {
        return NULL;
    }
    if (!sonde_like_get(sonde_name_find(sonde_like_name, word), &like)) {
        const char *nearest = sonde_name_nearest(sonde_like_name, word);
        PyErr_Format(error_bad_input, "like: %s is no package that is known%s%s%s", word,
                     nearest ? "; did you mean " : "", nearest ? nearest : "", nearest ? "?" : "");
        return NULL;
    }
    fields f = fields_new(NULL);
    put_text(&f, "preferences", sonde_preferences_name((int32_t)like.preferences));
    put_text(&f, "information", sonde_information_name((int32_t)like.information));
    put_real(&f, "gamma", like.gamma);
    put_real(&f, "alpha", like.alpha);
    put_text(&f, "action", sonde_action_name((int32_t)like.action));
    put_bool(&f, "per_factor", like.per_factor);
    return fields_done(&f);
}

static PyObject *version(PyObject *self, PyObject *nothing) {
    (void)self;
    (void)nothing;
    return PyUnicode_FromString(sonde_version());
}

static PyObject *status_names(PyObject *self, PyObject *nothing) {
    (void)self;
    (void)nothing;
    fields f = fields_new(NULL);
    for (int i = SONDE_OK; i <= SONDE_NO_POLICY; i++) {
        put_text(&f, sonde_status_name((sonde_status)i), sonde_status_sentence((sonde_status)i));
    }
    return fields_done(&f);
}

PyMethodDef base_methods[] = {
    {"version", version, METH_NOARGS, "version() -> str"},
    {"status_names", status_names, METH_NOARGS, "status_names() -> {name: sentence}"},
    {"names", names, METH_VARARGS, "names(list) -> {name: about}"},
    {"like", like, METH_VARARGS, "like(name) -> dict"},
    {NULL, NULL, 0, NULL},
};

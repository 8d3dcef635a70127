/* argument.c: what comes from Python, checked: settings, arrays, names. */
#include <limits.h>
#include <math.h>
#include <string.h>

#include "binding.h"

/* -------------------------------------------------------------------------------- settings -- */

static bool fail_value(const setting *row, const char *expected, PyObject *value) {
    if (!PyErr_Occurred() || PyErr_ExceptionMatches(PyExc_TypeError) ||
        PyErr_ExceptionMatches(PyExc_OverflowError)) {
        PyErr_Clear();
        PyErr_Format(error_bad_input, "%s: expected %s, found %R", row->name, expected, value);
    }
    return false;
}

static bool set_whole(const setting *row, void *place, PyObject *value) {
    PyObject *index = PyNumber_Index(value);
    if (index == NULL) {
        return fail_value(row, "a whole number", value);
    }
    bool good;
    if (row->kind == SET_U64) {
        const unsigned long long n = PyLong_AsUnsignedLongLong(index);
        good = !PyErr_Occurred();
        *(uint64_t *)place = good ? n : 0;
    } else {
        const long long n = PyLong_AsLongLong(index);
        good = !PyErr_Occurred() && n >= (long long)row->minimum && n <= INT32_MAX;
        *(int32_t *)place = good ? (int32_t)n : 0;
    }
    Py_DECREF(index);
    char expected[80];
    PyOS_snprintf(expected, sizeof expected, "a whole number from %lld to %llu",
                  row->kind == SET_U64 ? 0 : (long long)row->minimum,
                  row->kind == SET_U64 ? ULLONG_MAX : (unsigned long long)INT32_MAX);
    return good || fail_value(row, expected, value);
}

static bool set_real(const setting *row, double *place, PyObject *value) {
    const double number = PyFloat_AsDouble(value);
    if (PyErr_Occurred()) {
        return fail_value(row, "a number", value);
    }
    *place = number;
    char expected[80];
    PyOS_snprintf(expected, sizeof expected, "a number from %g on", row->minimum);
    return number >= row->minimum || fail_value(row, expected, value);
}

/* Says what the choices are, and which was probably meant. */
static bool fail_choice(const setting *row, PyObject *value, const char *word) {
    char list[512] = "";
    for (int32_t i = 0; row->names(i); i++) {
        const size_t used = strlen(list);
        PyOS_snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "", row->names(i));
    }
    const char *nearest = word ? sonde_name_nearest(row->names, word) : NULL;
    PyErr_Format(error_bad_input, "%s: expected one of %s, found %R%s%s%s", row->name, list, value,
                 nearest ? "; did you mean " : "", nearest ? nearest : "", nearest ? "?" : "");
    return false;
}

static bool find_choice(const setting *row, PyObject *value, int32_t *choice) {
    if (!PyUnicode_Check(value)) {
        return fail_choice(row, value, NULL);
    }
    const char *word = PyUnicode_AsUTF8AndSize(value, NULL);
    if (word == NULL) {
        return false;
    }
    *choice = sonde_name_find(row->names, word);
    return *choice >= 0 || fail_choice(row, value, word);
}

static bool set_one(const setting *row, void *settings, PyObject *value) {
    void *place = (char *)settings + row->at;
    switch (row->kind) {
    case SET_I32:
    case SET_U64: return set_whole(row, place, value);
    case SET_F64: return set_real(row, place, value);
    case SET_CHOICE: return find_choice(row, value, place);
    case SET_BOOL: {
        const int truth = PyObject_IsTrue(value);
        *(bool *)place = truth == 1;
        return truth >= 0;
    }
    case SET_TEXT: break;
    }
    if (!PyUnicode_Check(value)) {
        return fail_value(row, "a text", value);
    }
    *(const char **)place = PyUnicode_AsUTF8AndSize(value, NULL);
    return *(const char **)place != NULL;
}

bool settings_fill(const setting *table, void *settings, PyObject *dict, const char *what) {
    PyObject *key = NULL;
    PyObject *value = NULL;
    Py_ssize_t at = 0;
    if (dict == Py_None) {
        return true;
    }
    if (!PyDict_Check(dict)) {
        PyErr_Format(PyExc_TypeError, "%s: expected a dict of settings, found %R", what, dict);
        return false;
    }
    while (PyDict_Next(dict, &at, &key, &value)) {
        const char *word = PyUnicode_Check(key) ? PyUnicode_AsUTF8AndSize(key, NULL) : NULL;
        const setting *row = table;
        while (word && row->name && strcmp(row->name, word) != 0) {
            row++;
        }
        if (word == NULL || row->name == NULL) {
            PyErr_Clear();
            PyErr_Format(PyExc_TypeError, "%s has no setting %R", what, key);
            return false;
        }
        if (value != Py_None && !set_one(row, settings, value)) {
            return false;
        }
    }
    return true;
}

/* ---------------------------------------------------------------------------------- arrays -- */

static bool same_format(const char *found, char wanted) {
    if (found == NULL || strlen(found) != 1) {
        return false;
    }
    /* long and long long are the same, and NumPy says either */
    if (wanted == 'q' || wanted == 'Q') {
        const bool is_signed = wanted == 'q';
        return *found == wanted || *found == (is_signed ? 'l' : 'L');
    }
    return *found == wanted;
}

bool buffer_get(PyObject *object, Py_buffer *buffer, char format, int64_t n, bool writable) {
    const int flags = PyBUF_C_CONTIGUOUS | PyBUF_FORMAT | (writable ? PyBUF_WRITABLE : 0);
    if (PyObject_GetBuffer(object, buffer, flags) != 0) {
        buffer->obj = NULL;
        return false;
    }
    const int64_t found = buffer->itemsize > 0 ? buffer->len / buffer->itemsize : 0;
    if (same_format(buffer->format, format) && (n < 0 || n == found)) {
        return true;
    }
    PyErr_Format(error_bad_input, "expected an array of %lld numbers of type %c, found %lld of %s",
                 (long long)n, format, (long long)found, buffer->format ? buffer->format : "bytes");
    PyBuffer_Release(buffer);
    buffer->obj = NULL;
    return false;
}

bool buffer_get_maybe(PyObject *object, Py_buffer *buffer, char format, int64_t n, bool writable) {
    *buffer = (Py_buffer){0};
    return object == Py_None || buffer_get(object, buffer, format, n, writable);
}

bool names_get(PyObject *list, Py_ssize_t n, const char ***names) {
    *names = NULL;
    if (list == Py_None) {
        return true;
    }
    if (!PyList_Check(list) || (n >= 0 && PyList_Size(list) != n)) {
        PyErr_Format(error_bad_input, "expected a list of %zd names, found %R", n, list);
        return false;
    }
    n = PyList_Size(list);
    const char **made = PyMem_Calloc((size_t)n + 1, sizeof *made);
    if (made == NULL) {
        PyErr_NoMemory();
        return false;
    }
    for (Py_ssize_t i = 0; i < n; i++) {
        PyObject *name = PyList_GetItem(list, i);
        made[i] = PyUnicode_Check(name) ? PyUnicode_AsUTF8AndSize(name, NULL) : NULL;
        if (made[i] == NULL) {
            if (!PyErr_Occurred()) {
                PyErr_Format(error_bad_input, "expected a name, found %R", name);
            }
            PyMem_Free(made);
            return false;
        }
    }
    *names = made;
    return true;
}

bool seen_get(PyObject *pair, const sonde_model *model, Py_buffer *outcome, Py_buffer *weight) {
    PyObject *outcomes, *weights;
    int64_t n = 0;
    for (int32_t m = 0; m < model->n_modality; m++) {
        n += model->modality ? model->modality[m].n_outcome : model->n_state;
    }
    return PyArg_ParseTuple(pair, "OO", &outcomes, &weights) &&
           buffer_get(outcomes, outcome, 'i', model->n_modality, false) &&
           buffer_get_maybe(weights, weight, 'd', n, false);
}

PyObject *energy_tuple(sonde_energy energy) {
    return Py_BuildValue("ddddd", energy.surprise, energy.free_energy, energy.complexity,
                         energy.accuracy, energy.log_evidence);
}

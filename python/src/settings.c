/* settings.c: settings of a search from keyword arguments, by the library's table.
 *
 * A value becomes the text that the table reads, so that ranges, choices and sentences are the
 * library's own. Three more keys say what is done as the paper's notebook does it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "binding.h"

/* str(value) or repr(value), appended. */
static bool add_object(sonde_text *text, PyObject *shown) {
    const char *word = shown != NULL ? PyUnicode_AsUTF8AndSize(shown, NULL) : NULL;
    if (word != NULL) {
        sonde_text_add(text, "%s", word);
    }
    Py_XDECREF(shown);
    return word != NULL;
}

/* A value of another type is shown as Python does, which no setting reads. */
static bool add_refused(sonde_text *text, PyObject *value) {
    PyErr_Clear();
    return add_object(text, PyObject_Repr(value));
}

static bool add_whole(sonde_text *text, PyObject *value) {
    PyObject *index = PyBool_Check(value) ? NULL : PyNumber_Index(value);
    if (index == NULL) {
        return add_refused(text, value);
    }
    const bool good = add_object(text, PyObject_Str(index));
    Py_DECREF(index);
    return good;
}

static bool add_real(sonde_text *text, PyObject *value) {
    const double number = PyFloat_AsDouble(value);
    if (PyErr_Occurred() || PyUnicode_Check(value) || !isfinite(number)) {
        return add_refused(text, value);
    }
    sonde_text_add_number(text, number);
    return true;
}

/* A word where a number is expected: as it is, or in quotes if it would be read as a number. */
static bool add_word(sonde_text *text, const char *spelled, PyObject *value) {
    if (strspn(spelled, "0123456789+-.eE") == strlen(spelled)) {
        return add_refused(text, value);
    }
    sonde_text_add(text, "%s", spelled);
    return true;
}

/* True, False, and what equals them, such as NumPy's. */
static bool add_flag(sonde_text *text, PyObject *value) {
    const int yes = PyObject_RichCompareBool(value, Py_True, Py_EQ);
    const int no = PyObject_RichCompareBool(value, Py_False, Py_EQ);
    if (yes != 1 && no != 1) {
        return add_refused(text, value);
    }
    sonde_text_add(text, yes == 1 ? "true" : "false");
    return true;
}

static bool add_value(sonde_text *text, const sonde_setting *row, PyObject *value) {
    const bool word = PyUnicode_Check(value);
    Py_ssize_t size = 0;
    const char *spelled = word ? PyUnicode_AsUTF8AndSize(value, &size) : NULL;
    if (word && spelled == NULL) {
        return false;
    }
    if (word && (row->type == SONDE_FLAG || strlen(spelled) != (size_t)size)) {
        return add_refused(text, value);
    }
    if (word &&
        (row->type == SONDE_CHOICE || (row->zero != NULL && strcmp(spelled, row->zero) == 0))) {
        sonde_text_add(text, "%s", spelled);
        return true;
    }
    if (row->type == SONDE_FLAG) {
        return add_flag(text, value);
    }
    return word                      ? add_word(text, spelled, value)
           : row->type == SONDE_REAL ? add_real(text, value)
                                     : add_whole(text, value);
}

/* A number that says as much as nothing does, and that no text says. */
static bool is_usual(const sonde_setting *row, PyObject *value) {
    return row->type == SONDE_REAL && isinf(row->usual) && PyFloat_Check(value) &&
           PyFloat_AsDouble(value) == row->usual;
}

/* What the program brings itself: a search is a function, an embedding a handle of its rows. */
static bool set_own(struct asked *asked, const sonde_setting *row, PyObject *value) {
    if (row->names == sonde_plan_search_name && PyCallable_Check(value)) {
        asked->settings.search = SONDE_OWN;
        return true;
    }
    if (row->names != sonde_embedding_name || !handle_is(value, &kind_embedder)) {
        return false;
    }
    asked->settings.embedder = handle_get(value, &kind_embedder);
    asked->settings.embed.kind = SONDE_EMBEDDING_OWN;
    return asked->settings.embedder != NULL;
}

static bool set_row(struct asked *asked, int32_t i, PyObject *value) {
    const sonde_setting *row = sonde_setting_at(i);
    sonde_text text = {0};
    sonde_error error = {0};
    if (is_usual(row, value)) {
        return true;
    }
    if (set_own(asked, row, value)) {
        asked->given[i] = true;
        return true;
    }
    const bool read = add_value(&text, row, value);
    const char *word = text.data != NULL ? text.data : "";
    const bool good =
        read && check(sonde_settings_set(&asked->settings, row->key, word, &error), &error);
    sonde_text_free(&text);
    asked->given[i] = good;
    return good;
}

static bool fail_choice(const char *key, const char *expected, PyObject *value) {
    PyErr_Format(error_bad_input, "%s: expected %s, found %R", key, expected, value);
    return false;
}

static bool set_semantics(struct asked *asked, PyObject *value) {
    const char *word = PyUnicode_Check(value) ? PyUnicode_AsUTF8AndSize(value, NULL) : NULL;
    const bool notebook = word != NULL && strcmp(word, "notebook") == 0;
    if (!notebook && (word == NULL || strcmp(word, "text") != 0)) {
        PyErr_Clear();
        return fail_choice("semantics", "text or notebook", value);
    }
    asked->notebook = notebook;
    asked->reading.named = "semantics";
    return true;
}

/* A list of names. */
static bool set_differences(struct asked *asked, PyObject *value) {
    PyObject *list = PySequence_List(value);
    uint32_t bits = 0;
    if (list == NULL) {
        PyErr_Clear();
        return fail_choice("differences", "a list of names", value);
    }
    bool good = true;
    for (Py_ssize_t i = 0; good && i < PyList_Size(list); i++) {
        PyObject *name = PyList_GetItem(list, i);
        const char *word = PyUnicode_Check(name) ? PyUnicode_AsUTF8AndSize(name, NULL) : NULL;
        const int32_t bit = word != NULL ? sonde_name_find(sonde_difference_name, word) : -1;
        good = bit >= 0 ||
               fail_choice("differences", "boe, aboe, lookup, lag, nearest, empty or order", name);
        bits |= good ? 1u << bit : 0u;
    }
    Py_DECREF(list);
    asked->reading.differences |= bits;
    asked->reading.named = bits != 0 ? "differences" : asked->reading.named;
    return good;
}

static bool set_k_before(struct asked *asked, PyObject *value) {
    PyObject *index = PyNumber_Index(value);
    const long long k = index != NULL ? PyLong_AsLongLong(index) : 0;
    Py_XDECREF(index);
    if (PyErr_Occurred() || k < 1 || k > INT32_MAX) {
        PyErr_Clear();
        return fail_choice("k_before", "a whole number from 1", value);
    }
    asked->reading.k_before = (int32_t)k;
    asked->reading.k_before_named = true;
    return true;
}

/* A policy, which lends what it has found. */
static bool set_policy(struct asked *asked, PyObject *value) {
    PyObject *handle = PyObject_GetAttrString(value, "_handle");
    PyErr_Clear();
    asked->settings.vectors = handle != NULL && handle_is(handle, &kind_vectors)
                                  ? handle_get(handle, &kind_vectors)
                                  : NULL;
    Py_XDECREF(handle);
    if (asked->settings.vectors == NULL && PyErr_Occurred() == NULL) {
        return fail_choice("policy", "a sonde.Policy, or the file of one", value);
    }
    return asked->settings.vectors != NULL;
}

/* An array of doubles, which stays where it is as long as the dictionary holds it. */
static bool set_prior(struct asked *asked, PyObject *value) {
    Py_buffer buffer;
    if (!buffer_get(value, &buffer, 'd', -1, false)) {
        return false;
    }
    asked->settings.action_prior = buffer.buf;
    asked->n_prior = buffer.len / 8;
    PyBuffer_Release(&buffer);
    return true;
}

bool settings_fit(const struct asked *asked, const sonde_model *model) {
    if (asked->settings.action_prior != NULL && asked->n_prior != model->n_action) {
        PyErr_Format(error_bad_input,
                     "action_prior: expected %d numbers, one for each action, found "
                     "%lld",
                     (int)model->n_action, (long long)asked->n_prior);
        return false;
    }
    return true;
}

static bool set_one(struct asked *asked, PyObject *key, PyObject *value) {
    const char *word = PyUnicode_Check(key) ? PyUnicode_AsUTF8AndSize(key, NULL) : NULL;
    const int32_t row = word != NULL ? sonde_setting_find(word) : -1;
    if (row >= 0) {
        return set_row(asked, row, value);
    }
    const struct {
        const char *key;
        bool (*set)(struct asked *, PyObject *);
    } others[] = {{"differences", set_differences},
                  {"semantics", set_semantics},
                  {"k_before", set_k_before},
                  {"policy", set_policy},
                  {"action_prior", set_prior}};
    for (size_t i = 0; word != NULL && i < sizeof others / sizeof others[0]; i++) {
        if (strcmp(word, others[i].key) == 0) {
            return others[i].set(asked, value);
        }
    }
    PyErr_Clear();
    PyErr_Format(PyExc_TypeError, "there is no setting %R; see sonde.SearchSettings", key);
    return false;
}

bool settings_ask(PyObject *dict, const char *search, uint32_t kinds, struct asked *asked) {
    PyObject *key = NULL;
    PyObject *value = NULL;
    Py_ssize_t at = 0;
    *asked = (struct asked){.settings = sonde_search_defaults()};
    if (search != NULL) {
        const int32_t found = sonde_name_find(sonde_search_name, search);
        asked->settings.search = (sonde_search_kind)(found > 0 ? found : 0);
    }
    asked->reading.k_before = asked->settings.cluster.k;
    if (dict != Py_None && !PyDict_Check(dict)) {
        PyErr_Format(PyExc_TypeError, "expected a dict of settings, found %R", dict);
        return false;
    }
    while (dict != Py_None && PyDict_Next(dict, &at, &key, &value)) {
        if (value != Py_None && !set_one(asked, key, value)) {
            return false;
        }
    }
    if (asked->notebook && asked->reading.differences != 0) {
        PyErr_SetString(error_bad_input,
                        "differences: semantics notebook has all of them; give one or the other");
        return false;
    }
    asked->reading.differences |= asked->notebook ? SONDE_SEMANTICS_NOTEBOOK : 0u;
    sonde_error error = {0};
    const sonde_status status =
        sonde_differences_settle(&asked->reading, asked->given, kinds, &asked->settings, &error);
    asked->settings.embed.seed = asked->settings.cluster.seed = asked->settings.seed;
    return check(status, &error);
}

PyObject *settings_embedder(PyObject *dict) {
    PyObject *found = PyDict_Check(dict) ? PyDict_GetItemString(dict, "embedding") : NULL;
    return found != NULL && handle_is(found, &kind_embedder) ? found : Py_None;
}

PyObject *settings_policy(PyObject *dict) {
    PyObject *found = PyDict_Check(dict) ? PyDict_GetItemString(dict, "policy") : NULL;
    return found != NULL ? found : Py_None;
}

sonde_search_settings settings_applied(const struct asked *asked) {
    sonde_search_settings settings = asked->settings;
    sonde_differences_apply(asked->reading.differences, asked->reading.k_before, &settings);
    return settings;
}

/* What a setting may be, and what it goes with. */
static void put_rules(fields *f, const sonde_setting *row) {
    static const char *const sort[] = {[SONDE_WHOLE] = "whole",
                                       [SONDE_COUNT] = "count",
                                       [SONDE_REAL] = "real",
                                       [SONDE_FLAG] = "flag",
                                       [SONDE_CHOICE] = "choice"};
    put_text(f, "sort", sort[row->type]);
    put_real(f, "usual", row->usual);
    put_real(f, "minimum", row->minimum);
    put_real(f, "maximum", row->maximum);
    put_bool(f, "open", row->open);
    put_int(f, "kinds", (int64_t)row->kinds);
    put_text(f, "with", row->with);
    put_text(f, "with_values", row->with_values);
    put_text(f, "unless", row->unless);
}

/* One row as a dict, for the generated module and for whoever walks the table. */
static PyObject *describe(const sonde_setting *row) {
    static const char *const type[] = {[SONDE_WHOLE] = "int",
                                       [SONDE_COUNT] = "int",
                                       [SONDE_REAL] = "float",
                                       [SONDE_FLAG] = "bool",
                                       [SONDE_CHOICE] = "str"};
    fields f = fields_new(Py_None);
    put_text(&f, "key", row->key);
    put_text(&f, "type", type[row->type]);
    put_text(&f, "zero", row->zero);
    put_text(&f, "unit", row->unit);
    put_text(&f, "help", row->help);
    PyObject *names = PyList_New(0);
    for (int32_t i = 0; names != NULL && row->names != NULL && row->names(i) != NULL; i++) {
        PyObject *name = PyUnicode_FromString(row->names(i));
        if (name == NULL || PyList_Append(names, name) != 0) {
            Py_CLEAR(names);
        }
        Py_XDECREF(name);
    }
    put(&f, "choices", names);
    PyObject *searches = PyList_New(0);
    for (int32_t i = 0; searches != NULL && sonde_search_name(i) != NULL; i++) {
        PyObject *name = PyUnicode_FromString(sonde_search_name(i));
        const bool used = (row->searches >> i & 1u) != 0;
        if (name == NULL || (used && PyList_Append(searches, name) != 0)) {
            Py_CLEAR(searches);
        }
        Py_XDECREF(name);
    }
    put(&f, "searches", searches);
    sonde_text usual = {0};
    const sonde_search_settings defaults = sonde_search_defaults();
    (void)sonde_settings_get(&defaults, row->key, &usual, NULL);
    put_text(&f, "default", usual.size > 0 ? usual.data : NULL);
    sonde_text_free(&usual);
    put_rules(&f, row);
    return fields_done(&f);
}

/* settings_table() -> a dict for each row */
static PyObject *settings_table(PyObject *self, PyObject *nothing) {
    (void)self;
    (void)nothing;
    PyObject *list = PyList_New(0);
    const sonde_setting *row;
    for (int32_t i = 0; list != NULL && (row = sonde_setting_at(i)) != NULL; i++) {
        PyObject *dict = describe(row);
        if (dict == NULL || PyList_Append(list, dict) != 0) {
            Py_CLEAR(list);
        }
        Py_XDECREF(dict);
    }
    return list;
}

/* The value of a setting as Python has it. */
static PyObject *value_of(const sonde_setting *row, const char *text) {
    switch (row->type) {
    case SONDE_FLAG: return Py_NewRef(strcmp(text, "true") == 0 ? Py_True : Py_False);
    case SONDE_CHOICE: return PyUnicode_FromString(text);
    case SONDE_REAL: {
        const double number = PyOS_string_to_double(text, NULL, NULL);
        return number == -1.0 && PyErr_Occurred() ? NULL : PyFloat_FromDouble(number);
    }
    default:
        return row->zero != NULL && strcmp(text, row->zero) == 0
                   ? PyUnicode_FromString(text)
                   : PyLong_FromString(text, NULL, 10);
    }
}

/* agent_settings(agent) -> those that are set, as they were asked for */
static PyObject *agent_settings(PyObject *self, PyObject *object) {
    (void)self;
    const struct handle *h = handle_take(object, &kind_agent);
    const sonde_setting *row;
    if (h == NULL) {
        return NULL;
    }
    fields f = fields_new(object);
    for (int32_t i = 0; (row = sonde_setting_at(i)) != NULL; i++) {
        sonde_text text = {0};
        (void)sonde_settings_get(&h->asked->settings, row->key, &text, NULL);
        if (text.size > 0) {
            put(&f, row->key, value_of(row, text.data));
        }
        sonde_text_free(&text);
    }
    return fields_done(&f);
}

PyMethodDef settings_methods[] = {
    {"agent_settings", agent_settings, METH_O, "agent_settings(agent) -> dict"},
    {"settings_table", settings_table, METH_NOARGS, "settings_table() -> rows of the table"},
    {NULL, NULL, 0, NULL},
};

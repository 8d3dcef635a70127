/* handle.c: objects of the library, and their arrays, as Python objects.
 *
 * A handle owns one object of the library and holds on to the handle that the object borrows from.
 * A view exports one array of an object through the buffer protocol and holds on to its handle. So
 * whatever can still be reached is still there, in any order of letting go. */
#include <string.h>

#include "binding.h"

#define KIND(noun)                                                                                 \
    static void free_##noun(void *pointer) {                                                       \
        sonde_##noun##_free(pointer);                                                              \
    }                                                                                              \
    const struct kind kind_##noun = {#noun, free_##noun};
KIND(graph)
KIND(model)
KIND(policies)
KIND(walks)
KIND(embedder)
KIND(embedding)
KIND(pca)
KIND(clusters)
KIND(agent)
KIND(spm)
KIND(episode)
KIND(world)
KIND(diary)
KIND(data)
KIND(parameters)
KIND(replayed)
KIND(likelihood)
KIND(task)
KIND(vectors)
static void free_plan(void *pointer) {
    sonde_study_plan_free(pointer);
}
const struct kind kind_plan = {"plan", free_plan};

static void free_study(void *pointer) {
    sonde_study_close(pointer);
}
const struct kind kind_study = {"study", free_study};

static PyObject *handle_type;
static PyObject *view_type;

/* --------------------------------------------------------------------------------- handles -- */

PyObject *handle_new(const struct kind *kind, void *pointer, PyObject *owner) {
    struct handle *made = PyObject_New(struct handle, (PyTypeObject *)handle_type);
    if (made == NULL) {
        kind->free(pointer);
        return NULL;
    }
    made->kind = kind;
    made->pointer = pointer;
    made->owner = Py_XNewRef(owner);
    made->chosen = NULL;
    made->asked = NULL;
    made->work = (struct work){0};
    made->busy = false;
    return (PyObject *)made;
}

static void handle_dealloc(PyObject *self) {
    struct handle *h = (struct handle *)self;
    PyTypeObject *type = Py_TYPE(self);
    if (h->pointer != NULL) {
        h->kind->free(h->pointer);
    }
    PyMem_Free(h->asked);
    Py_XDECREF(h->owner);
    PyObject_Free(self);
    Py_DECREF(type);
}

static PyObject *handle_repr(PyObject *self) {
    const struct handle *h = (const struct handle *)self;
    return PyUnicode_FromFormat("<%s handle at %p>", h->kind->name, h->pointer);
}

/* Frees the object now rather than with the last reference. */
static PyObject *handle_close(PyObject *self, PyObject *nothing) {
    (void)nothing;
    struct handle *h = (struct handle *)self;
    if (h->busy) {
        PyErr_SetString(PyExc_RuntimeError, "another thread is at work on this");
        return NULL;
    }
    if (h->pointer != NULL) {
        h->kind->free(h->pointer);
        h->pointer = NULL;
    }
    Py_RETURN_NONE;
}

static PyMethodDef handle_methods[] = {
    {"close", handle_close, METH_NOARGS, "Frees the object now."}, {NULL, NULL, 0, NULL}};

bool handle_is(PyObject *object, const struct kind *kind) {
    return PyObject_TypeCheck(object, (PyTypeObject *)handle_type) &&
           ((const struct handle *)object)->kind == kind;
}

void *handle_get(PyObject *object, const struct kind *kind) {
    const struct handle *h = (const struct handle *)object;
    if (!handle_is(object, kind)) {
        PyErr_Format(PyExc_TypeError, "expected a handle of a %s, found %R", kind->name, object);
        return NULL;
    }
    if (h->pointer == NULL) {
        PyErr_Format(error_bad_input, "this %s has been closed", kind->name);
    }
    return h->pointer;
}

struct handle *handle_take(PyObject *object, const struct kind *kind) {
    if (handle_get(object, kind) == NULL) {
        return NULL;
    }
    struct handle *h = (struct handle *)object;
    if (h->busy) {
        PyErr_Format(PyExc_RuntimeError, "another thread is at work on this %s; give each its own",
                     kind->name);
        return NULL;
    }
    return h;
}

/* ----------------------------------------------------------------------------------- views -- */

typedef struct {
    PyObject_HEAD struct layout layout;
    char format[2];
    Py_ssize_t itemsize;
    Py_ssize_t n;
    Py_ssize_t shape[3];
    Py_ssize_t stride[3];
    bool contiguous;
    PyObject *owner;
} view;

static Py_ssize_t size_of(char format) {
    switch (format) {
    case 'i': return sizeof(int32_t);
    case '?': return sizeof(bool);
    case 'B': return sizeof(uint8_t);
    default: return sizeof(double);
    }
}

PyObject *view_new(PyObject *owner, const struct layout *layout) {
    view *made = PyObject_New(view, (PyTypeObject *)view_type);
    if (made == NULL) {
        return NULL;
    }
    made->layout = *layout;
    made->format[0] = layout->format;
    made->format[1] = '\0';
    made->itemsize = size_of(layout->format);
    made->owner = Py_NewRef(owner);
    made->contiguous = true;
    Py_ssize_t below = made->itemsize;
    for (int axis = layout->ndim - 1; axis >= 0; axis--) {
        made->shape[axis] = (Py_ssize_t)layout->shape[axis];
        made->stride[axis] = layout->stride[axis] ? (Py_ssize_t)layout->stride[axis] : below;
        made->contiguous = made->contiguous && made->stride[axis] == below;
        below *= made->shape[axis];
    }
    made->n = below / made->itemsize;
    return (PyObject *)made;
}

static void view_dealloc(PyObject *self) {
    PyTypeObject *type = Py_TYPE(self);
    Py_DECREF(((view *)self)->owner);
    PyObject_Free(self);
    Py_DECREF(type);
}

static int view_getbuffer(PyObject *self, Py_buffer *buffer, int flags) {
    static const double nothing = 0.0;
    view *v = (view *)self;
    if (flags & PyBUF_WRITABLE) {
        PyErr_SetString(PyExc_BufferError, "arrays of sonde are read-only");
        buffer->obj = NULL;
        return -1;
    }
    if (!v->contiguous && (flags & PyBUF_STRIDES) != PyBUF_STRIDES) {
        PyErr_SetString(PyExc_BufferError, "this array has strides");
        buffer->obj = NULL;
        return -1;
    }
    *buffer = (Py_buffer){.buf = (void *)(v->n > 0 ? v->layout.data : &nothing),
                          .obj = Py_NewRef(self),
                          .len = v->n * v->itemsize,
                          .readonly = 1,
                          .itemsize = v->itemsize,
                          .ndim = v->layout.ndim};
    if (flags & PyBUF_FORMAT) {
        buffer->format = v->format;
    }
    if (flags & PyBUF_ND) {
        buffer->shape = v->shape;
    }
    if ((flags & PyBUF_STRIDES) == PyBUF_STRIDES) {
        buffer->strides = v->stride;
    }
    return 0;
}

/* ------------------------------------------------------------------------------- the types -- */

static PyType_Slot handle_slots[] = {
    {Py_tp_dealloc, handle_dealloc},
    {Py_tp_repr, handle_repr},
    {Py_tp_methods, handle_methods},
    {Py_tp_doc, "An object of the library."},
    {0, NULL},
};
static PyType_Spec handle_spec = {.name = "sonde._sonde.Handle",
                                  .basicsize = sizeof(struct handle),
                                  .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                                  .slots = handle_slots};

static PyType_Slot view_slots[] = {
    {Py_tp_dealloc, view_dealloc},
    {Py_bf_getbuffer, view_getbuffer},
    {Py_tp_doc, "An array that belongs to an object of the library."},
    {0, NULL},
};
static PyType_Spec view_spec = {.name = "sonde._sonde.View",
                                .basicsize = sizeof(view),
                                .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                                .slots = view_slots};

bool handles_ready(PyObject *module) {
    handle_type = PyType_FromSpec(&handle_spec);
    view_type = PyType_FromSpec(&view_spec);
    return handle_type != NULL && view_type != NULL &&
           PyModule_AddObjectRef(module, "Handle", handle_type) == 0 &&
           PyModule_AddObjectRef(module, "View", view_type) == 0;
}

/* ---------------------------------------------------------------------------------- fields -- */

fields fields_new(PyObject *owner) {
    PyObject *dict = PyDict_New();
    return (fields){.dict = dict, .owner = owner, .failed = dict == NULL};
}

void put(fields *f, const char *key, PyObject *value) {
    if (value == NULL || f->failed || PyDict_SetItemString(f->dict, key, value) != 0) {
        f->failed = true;
    }
    Py_XDECREF(value);
}

void put_int(fields *f, const char *key, int64_t value) {
    put(f, key, PyLong_FromLongLong(value));
}

void put_count(fields *f, const char *key, uint64_t value) {
    put(f, key, PyLong_FromUnsignedLongLong(value));
}

void put_real(fields *f, const char *key, double value) {
    put(f, key, PyFloat_FromDouble(value));
}

void put_bool(fields *f, const char *key, bool value) {
    put(f, key, PyBool_FromLong(value));
}

static PyObject *text_or_none(const char *value) {
    return value ? PyUnicode_DecodeUTF8(value, (Py_ssize_t)strlen(value), "replace")
                 : Py_NewRef(Py_None);
}

void put_text(fields *f, const char *key, const char *value) {
    put(f, key, text_or_none(value));
}

void put_names(fields *f, const char *key, const char *const *name, int32_t n) {
    if (name == NULL) {
        put(f, key, Py_NewRef(Py_None));
        return;
    }
    PyObject *list = PyList_New(n);
    for (int32_t i = 0; list != NULL && i < n; i++) {
        PyObject *text = text_or_none(name[i]);
        if (text == NULL || PyList_SetItem(list, i, text) != 0) {
            Py_CLEAR(list);
        }
    }
    put(f, key, list);
}

void put_layout(fields *f, const char *key, const struct layout *layout) {
    put(f, key, layout->data ? view_new(f->owner, layout) : Py_NewRef(Py_None));
}

void put_array(fields *f, const char *key, const void *data, char format, int64_t n) {
    put_layout(f, key, &(struct layout){.data = data, .format = format, .ndim = 1, .shape = {n}});
}

void put_matrix(fields *f, const char *key, const void *data, char format, int64_t n, int64_t m) {
    put_layout(f, key,
               &(struct layout){.data = data, .format = format, .ndim = 2, .shape = {n, m}});
}

PyObject *fields_done(fields *f) {
    if (f->failed) {
        Py_CLEAR(f->dict);
    }
    return f->dict;
}

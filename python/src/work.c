/* work.c: long work, Ctrl-C, and failures as exceptions.
 *
 * While the library works, other threads of Python may run. Python itself looks at signals between
 * its own instructions, of which there are none then. So, on the main thread, this puts a handler
 * before Python's for as long as the work takes: it raises the work's stop flag and calls Python's,
 * and when the work has come back Python raises KeyboardInterrupt as usual. */
#include <signal.h>
#include <string.h>

#include "binding.h"

PyObject *error_bad_input;
static PyObject *too_large;
static PyObject *empty_cluster;
static PyObject *no_policy;
static PyObject *no_file;
static PyObject *not_written;

/* -------------------------------------------------------------------------------- failures -- */

/* Makes a class NAME below sonde.Error and one of Python's own, so that whoever catches either
 * catches it, and adds it to the module. NULL with an exception if that fails. */
static PyObject *make_error(PyObject *module, PyObject *above, PyObject *usual, const char *name,
                            const char *about) {
    PyObject *bases = above ? PyTuple_Pack(2, above, usual) : PyTuple_Pack(1, usual);
    PyObject *full = PyUnicode_FromFormat("sonde.%s", name);
    const char *text = full ? PyUnicode_AsUTF8AndSize(full, NULL) : NULL;
    PyObject *made = bases && text ? PyErr_NewExceptionWithDoc(text, about, bases, NULL) : NULL;
    if (made != NULL && PyModule_AddObjectRef(module, name, made) != 0) {
        Py_CLEAR(made);
    }
    Py_XDECREF(full);
    Py_XDECREF(bases);
    return made;
}

bool errors_ready(PyObject *module) {
    PyObject *error = make_error(module, NULL, PyExc_Exception, "Error",
                                 "What every failure of Sonde is, whatever else it is.");
    const struct {
        PyObject **place;
        PyObject *usual;
        const char *name;
        const char *about;
    } table[] = {
        {&error_bad_input, PyExc_ValueError, "BadInput",
         "A value, a setting or a document is not what it should be; the sentence says where."},
        {&no_file, PyExc_FileNotFoundError, "NoFile", "A file could not be opened or read."},
        {&not_written, PyExc_OSError, "NotWritten", "A file could not be written."},
        {&too_large, PyExc_MemoryError, "TooLarge",
         "This needs more memory than it is allowed: ask for less, or allow more with memory=."},
        {&empty_cluster, PyExc_RuntimeError, "EmptyCluster",
         "The cluster that was chosen has no members (keep_empty)."},
        {&no_policy, PyExc_ValueError, "NoPolicy",
         "No policy is allowed from where the agent believes it is."},
    };
    bool good = error != NULL;
    for (size_t i = 0; good && i < sizeof table / sizeof *table; i++) {
        *table[i].place = make_error(module, error, table[i].usual, table[i].name, table[i].about);
        good = *table[i].place != NULL;
    }
    Py_XDECREF(error);
    return good;
}

static PyObject *exception_of(sonde_status status) {
    switch (status) {
    case SONDE_BAD_ARGUMENT:
    case SONDE_BAD_INPUT: return error_bad_input;
    case SONDE_NO_FILE: return no_file;
    case SONDE_NO_MEMORY: return PyExc_MemoryError;
    case SONDE_TOO_LARGE: return too_large;
    case SONDE_STOPPED: return PyExc_KeyboardInterrupt;
    case SONDE_NOT_WRITTEN: return not_written;
    case SONDE_EMPTY_CLUSTER: return empty_cluster;
    case SONDE_NO_POLICY: return no_policy;
    case SONDE_OK: break;
    }
    return PyExc_RuntimeError;
}

bool check(sonde_status status, const sonde_error *error) {
    if (status == SONDE_OK) {
        return true;
    }
    const char *sentence = error && error->status == status && error->text[0]
                               ? error->text
                               : sonde_status_sentence(status);
    PyObject *text = PyUnicode_DecodeUTF8(sentence, (Py_ssize_t)strlen(sentence), "replace");
    if (text != NULL) {
        PyErr_SetObject(exception_of(status), text);
        Py_DECREF(text);
    }
    return false;
}

PyObject *text_take(sonde_text *text) {
    PyObject *taken = NULL;
    if (text->failed) {
        PyErr_NoMemory();
    } else {
        taken =
            PyUnicode_DecodeUTF8(text->data ? text->data : "", (Py_ssize_t)text->size, "strict");
    }
    sonde_text_free(text);
    return taken;
}

/* --------------------------------------------------------------------------------- signals -- */

static sonde_stop *volatile present; /* what Ctrl-C stops now, or NULL */
static struct sigaction before;      /* Python's own handler */

static void on_interrupt(int number, siginfo_t *info, void *context) {
    sonde_stop *stop = present;
    if (stop != NULL) {
        sonde_stop_raise(stop);
    }
    if (before.sa_flags & SA_SIGINFO) {
        before.sa_sigaction(number, info, context);
    } else {
        before.sa_handler(number);
    }
}

/* Python's main thread, which signals are for. */
static unsigned long main_thread;

bool work_ready(void) {
    PyObject *threading = PyImport_ImportModule("threading");
    PyObject *thread = threading ? PyObject_CallMethod(threading, "main_thread", NULL) : NULL;
    PyObject *ident = thread ? PyObject_GetAttrString(thread, "ident") : NULL;
    main_thread = ident ? PyLong_AsUnsignedLong(ident) : 0;
    Py_XDECREF(ident);
    Py_XDECREF(thread);
    Py_XDECREF(threading);
    return !PyErr_Occurred();
}

static void catch_interrupt(struct work *work) {
    work->catching = false;
    if (PyThread_get_thread_ident() != main_thread) {
        return;
    }
    work->outer = present;
    if (work->outer == NULL) {
        struct sigaction ours = {.sa_sigaction = on_interrupt, .sa_flags = SA_SIGINFO};
        (void)sigemptyset(&ours.sa_mask);
        /* whoever ignores the signal, or lets it end the process, keeps that */
        if (sigaction(SIGINT, NULL, &before) != 0 || before.sa_handler == SIG_DFL ||
            before.sa_handler == SIG_IGN) {
            return;
        }
        present = &work->stop;
        (void)sigaction(SIGINT, &ours, NULL);
    } else {
        present = &work->stop;
    }
    work->catching = true;
}

static void leave_interrupt(struct work *work) {
    if (!work->catching) {
        return;
    }
    if (work->outer == NULL) {
        (void)sigaction(SIGINT, &before, NULL);
    }
    present = work->outer;
    work->catching = false;
}

/* ------------------------------------------------------------------------------------ work -- */

static void tell_progress(void *user, const char *stage, uint64_t done, uint64_t total) {
    struct work *w = user;
    if (w->progress == NULL || w->failed) {
        return;
    }
    PyEval_RestoreThread(w->thread);
    PyObject *answer = PyObject_CallFunction(w->progress, "sKK", stage, (unsigned long long)done,
                                             (unsigned long long)total);
    if (answer == NULL) {
        w->failed = true;
        sonde_stop_raise(&w->stop);
    }
    Py_XDECREF(answer);
    w->thread = PyEval_SaveThread();
}

bool run_get(PyObject *how, struct work *work, sonde_run *run) {
    static const setting table[] = {
        {"threads", SET_I32, offsetof(sonde_run, n_thread), 0, NULL},
        {"memory", SET_U64, offsetof(sonde_run, memory), 0, NULL},
        {NULL, SET_I32, 0, 0, NULL},
    };
    *run = sonde_run_defaults();
    run->stop = &work->stop;
    run->progress = tell_progress;
    run->user = work;
    work->progress = NULL;
    work->failed = false;
    if (how == Py_None) {
        return true;
    }
    PyObject *threads = NULL;
    PyObject *memory = NULL;
    PyObject *progress = NULL;
    if (!PyTuple_Check(how)) {
        PyErr_Format(PyExc_TypeError, "run: expected (threads, memory, progress), found %R", how);
        return false;
    }
    if (!PyArg_ParseTuple(how, "OOO", &threads, &memory, &progress)) {
        return false;
    }
    bool good = true;
    if (threads != Py_None || memory != Py_None) {
        PyObject *dict = Py_BuildValue("{sOsO}", "threads", threads, "memory", memory);
        good = dict != NULL && settings_fill(table, run, dict, "run");
        Py_XDECREF(dict);
    }
    work->progress = progress == Py_None ? NULL : progress;
    return good;
}

void work_begin(struct work *work) {
    work->stop = (sonde_stop){0};
    work->failed = false;
    catch_interrupt(work);
    /* a signal that came just before would wait for the end of the work */
    if (PyErr_CheckSignals() != 0) {
        work->failed = true;
        sonde_stop_raise(&work->stop);
    }
    work->thread = PyEval_SaveThread();
}

bool work_end(struct work *work, sonde_status status, const sonde_error *error) {
    PyEval_RestoreThread(work->thread);
    leave_interrupt(work);
    work->progress = NULL;
    if (work->failed) {
        return false; /* what the progress function or a signal raised is on its way */
    }
    if (status == SONDE_STOPPED && PyErr_CheckSignals() != 0) {
        return false;
    }
    return check(status, error);
}

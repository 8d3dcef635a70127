/* binding.h: what the files of the extension share.
 *
 * The extension is a thin layer: a handle for each object of the library, a view for each of its
 * arrays, and a function for each of its verbs. Everything pleasant is in Python, above it. It is
 * built on the limited API, so that one file serves every Python from 3.11 on. */
#ifndef SONDE_PYTHON_BINDING_H
#define SONDE_PYTHON_BINDING_H

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030B0000
#include <Python.h>

#include <sonde_document.h>
#include <sonde_embed.h>
#include <sonde_fit.h>
#include <sonde_lab.h>
#include <sonde_learn.h>
#include <sonde_make.h>
#include <sonde_policy.h>
#include <sonde_replay.h>
#include <sonde_settings.h>
#include <sonde_spm.h>
#include <sonde_world.h>

/* --------------------------------------------------------------------------------- handles -- */

/* What a handle points to, and how that is freed. */
struct kind {
    const char *name;
    void (*free)(void *pointer);
};
extern const struct kind kind_graph, kind_model, kind_policies, kind_walks, kind_embedder,
    kind_embedding, kind_pca, kind_clusters, kind_agent, kind_episode, kind_world, kind_diary,
    kind_plan, kind_study, kind_spm, kind_data, kind_parameters, kind_follow, kind_replayed,
    kind_likelihood, kind_task, kind_vectors;

/* Long work: the flag that stops it, the function that is told how far it is, and the state of the
 * thread that waits for it. */
struct work {
    sonde_stop stop;
    PyObject *progress; /* borrowed during a call, or NULL */
    PyThreadState *thread;
    sonde_stop *outer; /* of the work that this one interrupts, or NULL */
    bool failed;       /* the progress function raised something */
    bool catching;     /* this work answers to Ctrl-C */
};

/* An object of the library. It holds on to whatever the object borrows. */
struct handle {
    PyObject_HEAD const struct kind *kind;
    void *pointer;
    PyObject *owner;              /* or NULL */
    const sonde_decision *chosen; /* agents: the last decision, or NULL */
    struct asked *asked;          /* agents: their settings as they were asked for, or NULL */
    struct work work;             /* agents: what their searches answer to */
    bool busy;                    /* a thread is at work on it */
};

/* Makes a handle, which takes the pointer; `owner` may be NULL. On failure the object is freed. */
PyObject *handle_new(const struct kind *kind, void *pointer, PyObject *owner);
/* Whether something is a handle of this kind. */
bool handle_is(PyObject *object, const struct kind *kind);
/* What a handle points to, or NULL with an exception: not a handle, of another kind, closed. */
void *handle_get(PyObject *object, const struct kind *kind);
/* The same for one that changes, and that no other thread may be at work on. */
struct handle *handle_take(PyObject *object, const struct kind *kind);

/* An array that belongs to `owner`, read-only. */
struct layout {
    const void *data;
    char format; /* i: int32, q: int64, Q: uint64, d: double, ?: bool, B: uint8 */
    int ndim;
    int64_t shape[3];
    int64_t stride[3]; /* in bytes; all 0: contiguous */
};
PyObject *view_new(PyObject *owner, const struct layout *layout);

/* ---------------------------------------------------------------------------------- fields -- */

/* Put a value into a dictionary; once something has failed, nothing more is done, so that one look
 * at `failed` at the end is enough. */
typedef struct {
    PyObject *dict;
    PyObject *owner; /* of the arrays */
    bool failed;
} fields;
fields fields_new(PyObject *owner);
void put(fields *f, const char *key, PyObject *value); /* takes the value, which may be NULL */
void put_int(fields *f, const char *key, int64_t value);
void put_count(fields *f, const char *key, uint64_t value);
void put_real(fields *f, const char *key, double value);
void put_bool(fields *f, const char *key, bool value);
void put_text(fields *f, const char *key, const char *value); /* None for NULL */
void put_names(fields *f, const char *key, const char *const *name, int32_t n);
/* Arrays of one and two axes; None for NULL. */
void put_array(fields *f, const char *key, const void *data, char format, int64_t n);
void put_matrix(fields *f, const char *key, const void *data, char format, int64_t n, int64_t m);
void put_layout(fields *f, const char *key, const struct layout *layout);
PyObject *fields_done(fields *f);

/* ------------------------------------------------------------------------------- arguments -- */

/* One row of a table of settings: what it is called in Python and where it goes. */
typedef enum { SET_I32, SET_U64, SET_F64, SET_BOOL, SET_CHOICE, SET_TEXT } setting_kind;
typedef struct {
    const char *name;
    setting_kind kind;
    size_t at;
    double minimum;                /* of numbers */
    const char *(*names)(int32_t); /* of choices */
} setting;
/* Fills a struct from a dictionary; what is None or absent stays. Texts are borrowed from the
 * dictionary. Ends with a row without name. */
bool settings_fill(const setting *table, void *settings, PyObject *dict, const char *what);

/* How agents learn. */
extern const setting learn_table[];

/* What somebody asked for: settings of a search by the library's table, and what is done as the
 * paper's notebook does it. */
struct asked {
    sonde_search_settings settings;
    bool given[SONDE_SETTINGS_MAX];
    sonde_reading reading;
    bool notebook;   /* semantics "notebook" was named */
    int64_t n_prior; /* numbers of "action_prior" */
};
/* Reads a dictionary of settings and carries out the rules between them; the search of that name
 * (NULL: the usual one) is meant where none of them means another, `kinds` are the kinds of model
 * (0: any). False with an exception. */
bool settings_ask(PyObject *dict, const char *search, uint32_t kinds, struct asked *asked);
/* Its "embedding", which is a handle where rows are the program's own. */
PyObject *settings_embedder(PyObject *dict);
/* Its "policy", whose handle the settings borrow; None where there is none. */
PyObject *settings_policy(PyObject *dict);
/* Whether its "action_prior", an array that the settings borrow, has a number for each action of
 * the model; false with an exception. */
bool settings_fit(const struct asked *asked, const sonde_model *model);
/* The settings for the library, differences carried out. */
sonde_search_settings settings_applied(const struct asked *asked);

/* An array that was handed over, C-contiguous, of the given format and number of numbers (-1: any);
 * `writable` if it is to be filled. Release with PyBuffer_Release. */
bool buffer_get(PyObject *object, Py_buffer *buffer, char format, int64_t n, bool writable);
/* The same, or an empty buffer for None. */
bool buffer_get_maybe(PyObject *object, Py_buffer *buffer, char format, int64_t n, bool writable);

/* What is seen: a pair of the outcomes (n_modality) and the weights of all outcomes, or None.
 * Release both. */
bool seen_get(PyObject *pair, const sonde_model *model, Py_buffer *outcome, Py_buffer *weight);
/* (surprise, free energy, complexity, accuracy, log evidence) */
PyObject *energy_tuple(sonde_energy energy);

/* A list of names of a list of texts; NULL for None. Free with PyMem_Free; the texts are
 * borrowed. */
bool names_get(PyObject *list, Py_ssize_t n, const char ***names);

/* ----------------------------------------------------------------------------------- work -- */

/* How to run, from (threads, memory, progress), of which each may be None. */
bool run_get(PyObject *how, struct work *work, sonde_run *run);
/* Lets other threads of Python run while the library works, and Ctrl-C stop it. */
void work_begin(struct work *work);
/* Comes back; raises what the status says. `error` may be NULL. True if all is well. */
bool work_end(struct work *work, sonde_status status, const sonde_error *error);

/* What is raised for a value or a document that is not what it should be: a ValueError. */
extern PyObject *error_bad_input;
/* Raises what a status says, with the library's sentence; false unless it is SONDE_OK. */
bool check(sonde_status status, const sonde_error *error);
/* A text as a str, freed either way; raises if it has failed. */
PyObject *text_take(sonde_text *text);

/* The functions of each file, and what the module adds of its own. */
extern PyMethodDef base_methods[], graph_methods[], model_methods[], policy_methods[],
    embed_methods[], agent_methods[], world_methods[], study_methods[], settings_methods[],
    spm_methods[], fit_methods[], vectors_methods[];
bool handles_ready(PyObject *module);
bool errors_ready(PyObject *module);
/* Finds out which thread is Python's main one; false with an exception if that fails. */
bool work_ready(void);

#endif

/* bind_world.c: worlds, diaries of agents in them, and many simulations at once. */
#include "binding.h"

#include <string.h>

/* ----------------------------------------------------------------------------------- worlds -- */

/* world_new(model) */
static PyObject *world_new(PyObject *self, PyObject *object) {
    (void)self;
    const sonde_model *model = handle_get(object, &kind_model);
    sonde_world *world = NULL;
    sonde_error error = {0};
    return model && check(sonde_world_new(model, &world, &error), &error)
               ? handle_new(&kind_world, world, object)
               : NULL;
}

/* world_start(world, seed) */
static PyObject *world_start(PyObject *self, PyObject *args) {
    (void)self;
    PyObject *object = NULL;
    unsigned long long seed = 0;
    struct handle *h;
    if (!PyArg_ParseTuple(args, "OK", &object, &seed) || !(h = handle_take(object, &kind_world))) {
        return NULL;
    }
    sonde_world_start(h->pointer, seed);
    Py_RETURN_NONE;
}

/* world_move(world, action) */
static PyObject *world_move(PyObject *self, PyObject *args) {
    (void)self;
    PyObject *object = NULL;
    int action = 0;
    struct handle *h;
    sonde_error error = {0};
    if (!PyArg_ParseTuple(args, "Oi", &object, &action) ||
        !(h = handle_take(object, &kind_world)) ||
        !check(sonde_world_move(h->pointer, action, &error), &error)) {
        return NULL;
    }
    Py_RETURN_NONE;
}

/* world_now(world, state (n_factor), outcome (n_modality)): both as they are now */
static PyObject *world_now(PyObject *self, PyObject *args) {
    (void)self;
    PyObject *object, *states, *outcomes;
    struct handle *h;
    Py_buffer state = {0};
    Py_buffer outcome = {0};
    if (!PyArg_ParseTuple(args, "OOO", &object, &states, &outcomes) ||
        !(h = handle_take(object, &kind_world))) {
        return NULL;
    }
    const sonde_model *model = handle_get(h->owner, &kind_model);
    const bool good = model != NULL &&
                      buffer_get(states, &state, 'i', sonde_world_n_factor(model), true) &&
                      buffer_get(outcomes, &outcome, 'i', model->n_modality, true);
    if (good) {
        memcpy(state.buf, sonde_world_state(h->pointer), (size_t)state.len);
        memcpy(outcome.buf, sonde_world_outcome(h->pointer), (size_t)outcome.len);
    }
    PyBuffer_Release(&state);
    PyBuffer_Release(&outcome);
    return good ? Py_NewRef(Py_None) : NULL;
}

/* ---------------------------------------------------------------------------------- diaries -- */

/* A diary, and the agent that it is about. */
static struct handle *diary_get(PyObject *object, struct handle **agent) {
    struct handle *h = handle_take(object, &kind_diary);
    *agent = h ? handle_take(h->owner, &kind_agent) : NULL;
    return *agent ? h : NULL;
}

/* A state (n_factor), or an empty buffer for None. */
static bool state_get(PyObject *array, const struct handle *agent, Py_buffer *state) {
    const sonde_model *model = sonde_agent_policies(agent->pointer)->model;
    return buffer_get_maybe(array, state, 'i', sonde_world_n_factor(model), false);
}

/* diary_new(agent, steps) */
static PyObject *diary_new(PyObject *self, PyObject *args) {
    (void)self;
    PyObject *object = NULL;
    int n_step = 0;
    struct handle *h;
    sonde_diary *diary = NULL;
    sonde_error error = {0};
    if (!PyArg_ParseTuple(args, "Oi", &object, &n_step) ||
        !(h = handle_take(object, &kind_agent)) ||
        !check(sonde_diary_new(h->pointer, n_step, &diary, &error), &error)) {
        return NULL;
    }
    h->chosen = NULL;
    return handle_new(&kind_diary, diary, object);
}

/* diary_see(diary, (outcome, weights or None), state or None) */
static PyObject *diary_see(PyObject *self, PyObject *args) {
    (void)self;
    PyObject *object, *seen, *place;
    struct handle *h, *agent;
    Py_buffer outcome = {0};
    Py_buffer weight = {0};
    Py_buffer state = {0};
    if (!PyArg_ParseTuple(args, "OOO", &object, &seen, &place) ||
        !(h = diary_get(object, &agent))) {
        return NULL;
    }
    sonde_error error = {0};
    const bool good =
        seen_get(seen, sonde_agent_policies(agent->pointer)->model, &outcome, &weight) &&
        state_get(place, agent, &state) &&
        check(sonde_diary_see(h->pointer, outcome.buf, weight.buf, state.buf, &error), &error);
    PyBuffer_Release(&outcome);
    PyBuffer_Release(&weight);
    PyBuffer_Release(&state);
    return good ? Py_NewRef(Py_None) : NULL;
}

/* diary_act(diary, progress or None) -> action */
static PyObject *diary_act(PyObject *self, PyObject *args) {
    (void)self;
    PyObject *object, *progress;
    struct handle *h, *agent;
    if (!PyArg_ParseTuple(args, "OO", &object, &progress) || !(h = diary_get(object, &agent))) {
        return NULL;
    }
    int32_t action = -1;
    sonde_error error = {0};
    agent->work.progress = progress == Py_None ? NULL : progress;
    agent->busy = h->busy = true;
    work_begin(&agent->work);
    const sonde_status status = sonde_diary_act(h->pointer, &action, &error);
    const bool good = work_end(&agent->work, status, &error);
    agent->busy = h->busy = false;
    return good ? PyLong_FromLong(action) : NULL;
}

/* diary_end(diary, state or None) -> episode; the diary is closed */
static PyObject *diary_end(PyObject *self, PyObject *args) {
    (void)self;
    PyObject *object, *place;
    struct handle *h, *agent;
    Py_buffer state = {0};
    if (!PyArg_ParseTuple(args, "OO", &object, &place) || !(h = diary_get(object, &agent)) ||
        !state_get(place, agent, &state)) {
        return NULL;
    }
    sonde_episode *episode = NULL;
    sonde_error error = {0};
    const bool good = check(sonde_diary_end(h->pointer, state.buf, &episode, &error), &error);
    PyBuffer_Release(&state);
    if (!good) {
        return NULL;
    }
    h->pointer = NULL;
    return handle_new(&kind_episode, episode, h->owner);
}

/* ------------------------------------------------------------------------------ many at once -- */

/* what trials are made of, side by side */
struct trials {
    Py_ssize_t n;
    sonde_trial *trial;              /* (n) */
    sonde_search_settings *settings; /* (n) */
};

static bool trials_new(struct trials *all, Py_ssize_t n) {
    all->n = n;
    all->trial = PyMem_Calloc((size_t)n + 1, sizeof *all->trial);
    all->settings = PyMem_Calloc((size_t)n + 1, sizeof *all->settings);
    if (all->trial == NULL || all->settings == NULL) {
        PyErr_NoMemory();
        return false;
    }
    return true;
}

static void trials_free(struct trials *all) {
    for (Py_ssize_t i = 0; all->trial && i < all->n; i++) {
        sonde_episode_free(all->trial[i].episode);
    }
    PyMem_Free(all->trial);
    PyMem_Free(all->settings);
}

/* (policies, settings, process or None, steps) */
static bool trial_get(PyObject *given, sonde_trial *trial, sonde_search_settings *settings) {
    PyObject *counted, *dict, *world;
    int n_step = 0;
    struct asked asked;
    if (!PyArg_ParseTuple(given, "OOOi", &counted, &dict, &world, &n_step) ||
        !(trial->policies = handle_get(counted, &kind_policies)) ||
        (world != Py_None && !(trial->process = handle_get(world, &kind_model))) ||
        !settings_ask(dict, NULL, sonde_model_kind(trial->policies->model), &asked) ||
        !settings_fit(&asked, trial->policies->model)) {
        return false;
    }
    *settings = settings_applied(&asked);
    trial->settings = settings;
    trial->n_step = n_step;
    return true;
}

/* An episode, or the exception that took its place. */
static PyObject *trial_result(sonde_trial *trial) {
    if (trial->error.status == SONDE_OK) {
        PyObject *made = handle_new(&kind_episode, trial->episode, NULL);
        trial->episode = NULL;
        return made;
    }
    (void)check(trial->error.status, &trial->error);
    PyObject *type, *value, *trace;
    PyErr_Fetch(&type, &value, &trace);
    PyErr_NormalizeException(&type, &value, &trace);
    Py_XDECREF(type);
    Py_XDECREF(trace);
    return value;
}

/* simulate_many([(policies, settings, process or None, steps), ...], run) -> [episode or
 * exception, ...]; the list outlives the call */
static PyObject *simulate_many(PyObject *self, PyObject *args) {
    (void)self;
    PyObject *list, *how;
    struct trials all = {0};
    struct work work = {0};
    sonde_run run;
    if (!PyArg_ParseTuple(args, "OO", &list, &how) || !run_get(how, &work, &run) ||
        !trials_new(&all, PyList_Size(list))) {
        trials_free(&all);
        return NULL;
    }
    bool good = all.n <= INT32_MAX;
    for (Py_ssize_t i = 0; good && i < all.n; i++) {
        good = trial_get(PyList_GetItem(list, i), &all.trial[i], &all.settings[i]);
    }
    PyObject *made = NULL;
    if (good) {
        sonde_error error = {0};
        work_begin(&work);
        const sonde_status status = sonde_simulate_many((int32_t)all.n, all.trial, &run, &error);
        good = work_end(&work, status, &error);
        made = good ? PyList_New(all.n) : NULL;
    }
    for (Py_ssize_t i = 0; made != NULL && i < all.n; i++) {
        PyObject *one = trial_result(&all.trial[i]);
        if (one == NULL || PyList_SetItem(made, i, one) != 0) {
            Py_CLEAR(made);
        }
    }
    trials_free(&all);
    return made;
}

PyMethodDef world_methods[] = {
    {"world_new", world_new, METH_O, "world_new(model)"},
    {"world_start", world_start, METH_VARARGS, "world_start(world, seed)"},
    {"world_move", world_move, METH_VARARGS, "world_move(world, action)"},
    {"world_now", world_now, METH_VARARGS, "world_now(world, state, outcome)"},
    {"diary_new", diary_new, METH_VARARGS, "diary_new(agent, steps)"},
    {"diary_see", diary_see, METH_VARARGS, "diary_see(diary, (outcome, weights), state)"},
    {"diary_act", diary_act, METH_VARARGS, "diary_act(diary, progress) -> action"},
    {"diary_end", diary_end, METH_VARARGS, "diary_end(diary, state) -> episode"},
    {"simulate_many", simulate_many, METH_VARARGS,
     "simulate_many([(policies, settings, process, steps), ...], run) -> list"},
    {NULL, NULL, 0, NULL},
};

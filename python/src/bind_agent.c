/* bind_agent.c: agents, their decisions, and what happens to them. */
#include "binding.h"

#include <string.h>

/* Makes an agent whose work answers to its own handle; `usual` is its search where its settings
 * mean no other. */
static struct handle *make_agent(PyObject *counted, PyObject *dict, PyObject *how,
                                 const char *usual) {
    const sonde_policies *policies = handle_get(counted, &kind_policies);
    struct asked asked;
    if (policies == NULL || !settings_ask(dict, usual, sonde_model_kind(policies->model), &asked) ||
        !settings_fit(&asked, policies->model)) {
        return NULL;
    }
    const sonde_search_settings settings = settings_applied(&asked);
    PyObject *owner = PyTuple_Pack(3, counted, settings_embedder(dict), settings_policy(dict));
    struct handle *made =
        owner != NULL ? (struct handle *)handle_new(&kind_agent, NULL, owner) : NULL;
    Py_XDECREF(owner);
    sonde_run run;
    if (made == NULL || !run_get(how, &made->work, &run)) {
        Py_XDECREF((PyObject *)made);
        return NULL;
    }
    made->asked = PyMem_Calloc(1, sizeof *made->asked);
    if (made->asked == NULL) {
        Py_DECREF((PyObject *)made);
        return (struct handle *)PyErr_NoMemory();
    }
    *made->asked = asked;
    made->asked->settings.action_prior = NULL; /* which the agent copies */
    sonde_agent *agent = NULL;
    sonde_error error = {0};
    work_begin(&made->work);
    const sonde_status status = sonde_agent_new(policies, &settings, &run, &agent, &error);
    const bool good = work_end(&made->work, status, &error);
    made->pointer = agent;
    if (!good) {
        Py_CLEAR(made);
        return NULL;
    }
    /* documents tell the settings as they were asked for, with what the model decided */
    made->asked->settings.gamma = sonde_agent_settings(agent)->gamma;
    return made;
}

/* Documents say how outcomes were taken in, where some were. */
static void remember_inference(const struct handle *h) {
    h->asked->settings.inference = sonde_agent_settings(h->pointer)->inference;
}

/* agent_new(policies, settings, run, usual search) */
static PyObject *agent_new(PyObject *self, PyObject *args) {
    (void)self;
    PyObject *counted, *dict, *how;
    const char *usual = NULL;
    if (!PyArg_ParseTuple(args, "OOO|s", &counted, &dict, &how, &usual)) {
        return NULL;
    }
    return (PyObject *)make_agent(counted, dict, how, usual);
}

/* agent_reset(agent, number): back to the initial belief, with the streams of that decision */
static PyObject *agent_reset(PyObject *self, PyObject *args) {
    (void)self;
    PyObject *object = NULL;
    unsigned long long number = 0;
    struct handle *h;
    if (!PyArg_ParseTuple(args, "OK", &object, &number) ||
        !(h = handle_take(object, &kind_agent))) {
        return NULL;
    }
    h->chosen = NULL;
    sonde_agent_reset(h->pointer);
    sonde_agent_memory memory = sonde_agent_memory_get(h->pointer);
    memory.number = number;
    return check(sonde_agent_memory_set(h->pointer, &memory, NULL), NULL) ? Py_NewRef(Py_None)
                                                                          : NULL;
}

static PyObject *agent_memory(PyObject *self, PyObject *object) {
    (void)self;
    struct handle *h = handle_take(object, &kind_agent);
    if (h == NULL) {
        return NULL;
    }
    const sonde_model *model = sonde_agent_policies(h->pointer)->model;
    const sonde_agent_memory memory = sonde_agent_memory_get(h->pointer);
    fields f = fields_new(object);
    put_array(&f, "belief", memory.belief, 'd', model->n_belief);
    put_array(&f, "prior", memory.prior, 'd', model->n_belief);
    put_text(&f, "origin", memory.origin);
    put(&f, "energy", energy_tuple(memory.energy));
    put_real(&f, "evidence", memory.evidence);
    put_count(&f, "number", memory.number);
    put_int(&f, "n_followed", memory.n_followed);
    put_array(&f, "learned", memory.learned, 'd', memory.n_learned);
    put_array(&f, "joint", memory.joint, 'd', memory.n_joint);
    put_int(&f, "last", memory.last);
    put_int(&f, "taken", memory.n_taken);
    return fields_done(&f);
}

/* agent_recall(agent, belief, prior, origin, energy, evidence, number, learned or None, joint or
 * None, last, taken): another's memory */
static PyObject *agent_recall(PyObject *self, PyObject *args) {
    (void)self;
    PyObject *object, *believed, *expected, *array, *states;
    sonde_agent_memory memory = {0};
    unsigned long long number = 0;
    struct handle *h;
    sonde_energy *energy = &memory.energy;
    if (!PyArg_ParseTuple(args, "OOOz(ddddd)dKOOi|i", &object, &believed, &expected, &memory.origin,
                          &energy->surprise, &energy->free_energy, &energy->complexity,
                          &energy->accuracy, &energy->log_evidence, &memory.evidence, &number,
                          &array, &states, &memory.last, &memory.n_taken) ||
        !(h = handle_take(object, &kind_agent))) {
        return NULL;
    }
    const int64_t n = sonde_agent_policies(h->pointer)->model->n_belief;
    Py_buffer belief = {0}, prior = {0}, learned = {0}, joint = {0};
    bool good = buffer_get(believed, &belief, 'd', n, false) &&
                buffer_get(expected, &prior, 'd', n, false) &&
                buffer_get_maybe(array, &learned, 'd', -1, false) &&
                buffer_get_maybe(states, &joint, 'd', -1, false);
    if (good) {
        sonde_error error = {0};
        memory.learned = learned.buf;
        memory.n_learned = learned.len / 8;
        memory.joint = joint.buf;
        memory.n_joint = joint.len / 8;
        memory.belief = belief.buf;
        memory.prior = prior.buf;
        memory.number = number;
        h->chosen = NULL;
        good = check(sonde_agent_memory_set(h->pointer, &memory, &error), &error);
        if (good && memory.origin && strcmp(memory.origin, "initial") != 0 &&
            strcmp(memory.origin, "given") != 0) {
            remember_inference(h);
        }
    }
    PyBuffer_Release(&joint);
    PyBuffer_Release(&learned);
    PyBuffer_Release(&prior);
    PyBuffer_Release(&belief);
    return good ? Py_NewRef(Py_None) : NULL;
}

/* What is observed, as seen_get takes it. */
static bool observe(struct handle *h, PyObject *seen) {
    sonde_error error = {0};
    Py_buffer outcome = {0};
    Py_buffer weight = {0};
    bool good = seen_get(seen, sonde_agent_policies(h->pointer)->model, &outcome, &weight);
    if (good) {
        good = check(sonde_agent_observe_soft(h->pointer, outcome.buf, weight.buf, &error), &error);
    }
    if (good) {
        remember_inference(h);
    }
    PyBuffer_Release(&outcome);
    PyBuffer_Release(&weight);
    return good;
}

/* Copies a factor's part of a belief (n), divided by its sum, which is nearly 1. */
static bool copy_part(int32_t f, int32_t n, const double *from, double *to) {
    double sum = 0.0;
    bool good = true;
    for (int32_t s = 0; s < n; s++) {
        good = good && from[s] >= 0.0;
        sum += from[s];
    }
    if (!good || !(sum >= 1.0 - 1e-6 && sum <= 1.0 + 1e-6)) {
        char text[120];
        PyOS_snprintf(text, sizeof text,
                      "belief[%d]: expected probabilities that sum to 1, found a sum of %.9g",
                      (int)f, sum);
        PyErr_SetString(error_bad_input, text);
        return false;
    }
    for (int32_t s = 0; s < n; s++) {
        to[s] = from[s] / sum;
    }
    return true;
}

/* Copies a belief part by part: those of the factors, and what is left. */
static bool copy_belief(const sonde_model *model, const double *from, double *to) {
    int32_t n = 0;
    for (int32_t f = 0, first = 0; first < model->n_belief; f++, first += n) {
        n = f < model->n_factor ? model->factor[f].n_state : model->n_belief - first;
        if (!copy_part(f, n, from + first, to + first)) {
            return false;
        }
    }
    return true;
}

static bool believe(struct handle *h, PyObject *array) {
    const sonde_model *model = sonde_agent_policies(h->pointer)->model;
    Py_buffer belief;
    if (!buffer_get(array, &belief, 'd', model->n_belief, false)) {
        return false;
    }
    double *settled = PyMem_Calloc((size_t)model->n_belief, sizeof *settled);
    if (settled == NULL) {
        PyErr_NoMemory();
    }
    const bool good = settled != NULL && copy_belief(model, belief.buf, settled) &&
                      check(sonde_agent_believe(h->pointer, settled, NULL), NULL);
    PyMem_Free(settled);
    PyBuffer_Release(&belief);
    return good;
}

static bool search(struct handle *h) {
    const sonde_decision *decision = NULL;
    h->busy = true;
    h->chosen = NULL;
    work_begin(&h->work);
    sonde_error error = {0};
    const sonde_status status = sonde_agent_search(h->pointer, &decision, &error);
    const bool good = work_end(&h->work, status, &error);
    h->busy = false;
    h->chosen = good ? decision : NULL;
    return good;
}

/* agent_observe(agent, (outcome (n_modality), weights or None)) */
static PyObject *agent_observe(PyObject *self, PyObject *args) {
    (void)self;
    PyObject *object, *array;
    struct handle *h;
    if (!PyArg_ParseTuple(args, "OO", &object, &array) || !(h = handle_take(object, &kind_agent)) ||
        !observe(h, array)) {
        return NULL;
    }
    Py_RETURN_NONE;
}

/* agent_believe(agent, belief (n_belief)) */
static PyObject *agent_believe(PyObject *self, PyObject *args) {
    (void)self;
    PyObject *object, *array;
    struct handle *h;
    if (!PyArg_ParseTuple(args, "OO", &object, &array) || !(h = handle_take(object, &kind_agent)) ||
        !believe(h, array)) {
        return NULL;
    }
    Py_RETURN_NONE;
}

/* agent_search(agent, progress or None) */
static PyObject *agent_search(PyObject *self, PyObject *args) {
    (void)self;
    PyObject *object, *progress;
    struct handle *h;
    if (!PyArg_ParseTuple(args, "OO", &object, &progress) ||
        !(h = handle_take(object, &kind_agent))) {
        return NULL;
    }
    h->work.progress = progress == Py_None ? NULL : progress;
    return search(h) ? Py_NewRef(Py_None) : NULL;
}

/* agent_score(agent, index (n), efe (n), progress or None) */
static PyObject *agent_score(PyObject *self, PyObject *args) {
    (void)self;
    PyObject *object, *numbers, *out, *progress;
    struct handle *h;
    Py_buffer index = {0};
    Py_buffer efe = {0};
    if (!PyArg_ParseTuple(args, "OOOO", &object, &numbers, &out, &progress) ||
        !(h = handle_take(object, &kind_agent)) || !buffer_get(numbers, &index, 'Q', -1, false)) {
        return NULL;
    }
    bool good = index.len / 8 <= INT32_MAX && buffer_get(out, &efe, 'd', index.len / 8, true);
    if (good) {
        sonde_error error = {0};
        h->work.progress = progress == Py_None ? NULL : progress;
        h->busy = true;
        work_begin(&h->work);
        const sonde_status status =
            sonde_agent_score(h->pointer, (int32_t)(index.len / 8), index.buf, efe.buf, &error);
        good = work_end(&h->work, status, &error);
        h->busy = false;
    }
    PyBuffer_Release(&index);
    PyBuffer_Release(&efe);
    return good ? Py_NewRef(Py_None) : NULL;
}

static PyObject *agent_choice(PyObject *self, PyObject *object) {
    (void)self;
    struct handle *h = handle_take(object, &kind_agent);
    return h ? PyLong_FromLong(h->chosen ? sonde_agent_choice(h->pointer) : -1) : NULL;
}

static PyObject *agent_act(PyObject *self, PyObject *object) {
    (void)self;
    struct handle *h = handle_take(object, &kind_agent);
    return h ? PyLong_FromLong(h->chosen ? sonde_agent_act(h->pointer) : -1) : NULL;
}

/* plan(policies, belief or None, what is seen or None, settings, run) -> (agent, action): all at
 * once */
static PyObject *plan(PyObject *self, PyObject *args) {
    (void)self;
    PyObject *counted, *belief, *outcome, *dict, *how;
    if (!PyArg_ParseTuple(args, "OOOOO", &counted, &belief, &outcome, &dict, &how)) {
        return NULL;
    }
    struct handle *h = make_agent(counted, dict, how, NULL);
    if (h == NULL) {
        return NULL;
    }
    if (PyTuple_Check(how)) {
        PyObject *progress = PyTuple_GetItem(how, 2);
        h->work.progress = progress == Py_None ? NULL : progress;
    }
    const int32_t *seen = sonde_model_seen(sonde_agent_policies(h->pointer)->model);
    if (seen && belief == Py_None && outcome == Py_None) {
        (void)sonde_agent_observe(h->pointer, seen, NULL);
    }
    if ((belief != Py_None && !believe(h, belief)) ||
        (outcome != Py_None && !observe(h, outcome)) || !search(h)) {
        Py_DECREF((PyObject *)h);
        return NULL;
    }
    const int32_t action = sonde_agent_act(h->pointer);
    return Py_BuildValue("Ni", h, (int)action);
}

/* agent_belief(agent, belief (n_belief)) -> surprise, free energy, complexity, accuracy,
 * evidence */
static PyObject *agent_belief(PyObject *self, PyObject *args) {
    (void)self;
    PyObject *object, *out;
    struct handle *h;
    Py_buffer belief;
    if (!PyArg_ParseTuple(args, "OO", &object, &out) || !(h = handle_take(object, &kind_agent))) {
        return NULL;
    }
    const int32_t n = sonde_agent_policies(h->pointer)->model->n_belief;
    if (!buffer_get(out, &belief, 'd', n, true)) {
        return NULL;
    }
    const sonde_agent_memory memory = sonde_agent_memory_get(h->pointer);
    double *to = belief.buf;
    for (int32_t i = 0; i < n; i++) {
        to[i] = memory.belief[i];
    }
    PyBuffer_Release(&belief);
    return energy_tuple(memory.energy);
}

static void put_setup(fields *f, sonde_setup setup) {
    put_real(f, "embed_seconds", setup.embed_seconds);
    put_real(f, "cluster_seconds", setup.cluster_seconds);
    put_int(f, "n_clustering", setup.n_clustering);
    put_int(f, "n_reused", setup.n_reused);
}

static PyObject *agent_setup(PyObject *self, PyObject *object) {
    (void)self;
    struct handle *h = handle_take(object, &kind_agent);
    if (h == NULL) {
        return NULL;
    }
    fields f = fields_new(object);
    put_setup(&f, sonde_agent_setup(h->pointer));
    put_text(&f, "search",
             sonde_plan_search_name((int32_t)sonde_agent_settings(h->pointer)->search));
    put_real(&f, "gamma", sonde_agent_settings(h->pointer)->gamma);
    put_int(&f, "horizon", sonde_agent_policies(h->pointer)->horizon);
    return fields_done(&f);
}

/* decision_fields(agent) -> dict. The arrays belong to the agent and hold until it searches
 * again, so only those who let it search once may keep them; others copy. */
static PyObject *decision_fields(PyObject *self, PyObject *object) {
    (void)self;
    struct handle *h = handle_take(object, &kind_agent);
    if (h == NULL) {
        return NULL;
    }
    const sonde_decision *d = h->chosen;
    if (d == NULL) {
        PyErr_SetString(error_bad_input, "the agent has not searched yet");
        return NULL;
    }
    const sonde_policies *policies = sonde_agent_policies(h->pointer);
    const sonde_model *model = policies->model;
    int64_t n_marginal = 0;
    for (int32_t i = 0; i < model->n_factor; i++) {
        n_marginal += model->factor[i].n_action;
    }
    fields f = fields_new(object);
    put_int(&f, "state", d->state);
    put_array(&f, "belief", d->belief, 'd', model->n_belief);
    put_int(&f, "origin", d->origin);
    put_array(&f, "action", d->action, 'i', d->n_action);
    put_array(&f, "posterior", d->posterior, 'd', d->n_action);
    put_array(&f, "probability", d->probability, 'd', d->n_action);
    put_array(&f, "marginal", d->marginal, 'd', n_marginal);
    put_array(&f, "to", d->to, 'i', d->n_to);
    put_array(&f, "to_posterior", d->to_posterior, 'd', d->n_to);
    put_count(&f, "best", d->best);
    put_array(&f, "best_walk", d->best_walk, 'i',
              d->best_walk ? (int64_t)policies->horizon + 1 : 0);
    put_real(&f, "best_efe", d->best_efe.efe);
    put_int(&f, "n_followed", d->n_followed);
    put_bool(&f, "fell_back", d->fell_back);
    put_real(&f, "log_evidence", d->log_evidence);
    put_real(&f, "gamma", d->gamma);
    put_count(&f, "n_policy", d->evaluations.n_policy);
    put_count(&f, "n_step", d->evaluations.n_step);
    put_count(&f, "n_setup_step", d->evaluations.n_setup_step);
    put_real(&f, "equivalent", d->evaluations.equivalent);
    put_real(&f, "seconds", d->seconds);
    put_real(&f, "setup_seconds", d->setup_seconds);
    const int64_t n_bound = d->efe_lower ? d->n_action : 0;
    put_array(&f, "efe_lower", d->efe_lower, 'd', n_bound);
    put_array(&f, "efe_upper", d->efe_upper, 'd', n_bound);
    put_array(&f, "p_lower", d->p_lower, 'd', n_bound);
    put_array(&f, "p_upper", d->p_upper, 'd', n_bound);
    if (d->clusters) {
        const sonde_clusters *c = d->clusters;
        put_array(&f, "cluster_efe", d->cluster_efe, 'd', c->k);
        put_array(&f, "chosen", d->chosen, '?', c->k);
        put_array(&f, "cluster_policy", c->policy, 'Q', c->n_policy);
        put_array(&f, "representative", c->representative, 'i', c->k);
        put_array(&f, "label", c->label, 'i', c->n_policy);
    }
    return fields_done(&f);
}

/* What a document says of an agent's run; `also` is freed after use. */
static sonde_about about_agent(const struct handle *h, const char *command, sonde_text *also) {
    const sonde_reading *reading = &h->asked->reading;
    sonde_differences_write(reading->differences, reading->k_before, also);
    return (sonde_about){command, &h->asked->settings, also->data};
}

/* decision_report(agent, action, command or None) -> JSON */
static PyObject *decision_report(PyObject *self, PyObject *args) {
    (void)self;
    PyObject *object = NULL;
    int action = 0;
    const char *command = NULL;
    struct handle *h;
    if (!PyArg_ParseTuple(args, "Oiz", &object, &action, &command) ||
        !(h = handle_take(object, &kind_agent))) {
        return NULL;
    }
    if (h->chosen == NULL || action >= sonde_agent_policies(h->pointer)->model->n_action) {
        PyErr_SetString(error_bad_input, "the agent has not searched yet");
        return NULL;
    }
    sonde_text json = {0};
    sonde_text also = {0};
    const sonde_about about = about_agent(h, command, &also);
    sonde_document_decision(h->pointer, h->chosen, action, NULL, &about, &json);
    sonde_text_free(&also);
    return text_take(&json);
}

/* certificate_sentence(agent) -> what the certificate of its decision says; None without one */
static PyObject *certificate_sentence(PyObject *self, PyObject *object) {
    (void)self;
    struct handle *h = handle_take(object, &kind_agent);
    if (h == NULL) {
        return NULL;
    }
    if (h->chosen == NULL || !h->chosen->certificate.given) {
        Py_RETURN_NONE;
    }
    sonde_text text = {0};
    sonde_certificate_say(&h->chosen->certificate, &text);
    return text_take(&text);
}

/* explain(agent) -> (JSON of the decision with "explain", text, SVG) */
static PyObject *explain(PyObject *self, PyObject *object) {
    (void)self;
    struct handle *h = handle_take(object, &kind_agent);
    if (h == NULL) {
        return NULL;
    }
    sonde_explanation *explanation = NULL;
    sonde_error error = {0};
    const bool closed = h->chosen && h->chosen->efe_lower;
    if (!closed && !check(sonde_agent_explain(h->pointer, &explanation, &error), &error)) {
        return NULL;
    }
    if (h->chosen == NULL) { /* the last decision was another's, such as a simulation's */
        sonde_explanation_free(explanation);
        PyErr_SetString(error_bad_input, "the agent has not searched yet");
        return NULL;
    }
    sonde_text json = {0};
    sonde_text also = {0};
    sonde_text words = {0};
    sonde_text svg = {0};
    const sonde_about about = about_agent(h, NULL, &also);
    sonde_document_decision(h->pointer, h->chosen, -1, explanation, &about, &json);
    sonde_text_free(&also);
    if (closed) {
        sonde_document_contingency(h->pointer, h->chosen, &words);
        sonde_draw_contingency(h->pointer, h->chosen, &svg);
    } else {
        sonde_document_explanation(explanation, &words);
        sonde_draw_explanation(explanation, &svg);
    }
    sonde_explanation_free(explanation);
    PyObject *parts[] = {text_take(&json), text_take(&words), text_take(&svg)};
    PyObject *made =
        parts[0] && parts[1] && parts[2] ? PyTuple_Pack(3, parts[0], parts[1], parts[2]) : NULL;
    for (int i = 0; i < 3; i++) {
        Py_XDECREF(parts[i]);
    }
    return made;
}

/* prefix(agent, steps) -> JSON of all policies that begin so */
static PyObject *prefix(PyObject *self, PyObject *args) {
    (void)self;
    PyObject *object = NULL;
    const char *steps = NULL;
    struct handle *h;
    if (!PyArg_ParseTuple(args, "Os", &object, &steps) || !(h = handle_take(object, &kind_agent))) {
        return NULL;
    }
    const size_t horizon = (size_t)sonde_agent_policies(h->pointer)->horizon;
    int32_t *number = PyMem_Calloc(horizon, sizeof *number);
    sonde_prefix *found = NULL;
    sonde_error error = {0};
    int32_t n_step = 0;
    if (number == NULL) {
        return PyErr_NoMemory();
    }
    sonde_status status = sonde_prefix_parse(h->pointer, steps, &n_step, number, &error);
    if (status == SONDE_OK) {
        status = sonde_agent_prefix(h->pointer, n_step, number, &found, &error);
    }
    PyMem_Free(number);
    if (!check(status, &error)) {
        return NULL;
    }
    sonde_text json = {0};
    sonde_document_prefix(h->pointer, found, &json);
    sonde_prefix_free(found);
    return text_take(&json);
}

/* -------------------------------------------------------------------------------- simulate -- */

/* simulate(agent, episode, steps, process model or None, progress or None) -> episode */
static PyObject *simulate(PyObject *self, PyObject *args) {
    (void)self;
    PyObject *object, *world, *progress;
    int number = 0;
    int n_step = 0;
    struct handle *h;
    const sonde_model *process = NULL;
    if (!PyArg_ParseTuple(args, "OiiOO", &object, &number, &n_step, &world, &progress) ||
        !(h = handle_take(object, &kind_agent)) ||
        (world != Py_None && !(process = handle_get(world, &kind_model)))) {
        return NULL;
    }
    sonde_episode *episode = NULL;
    sonde_error error = {0};
    h->work.progress = progress == Py_None ? NULL : progress;
    h->busy = true;
    h->chosen = NULL;
    work_begin(&h->work);
    const sonde_status status =
        sonde_simulate_episode(h->pointer, process, number, n_step, &episode, &error);
    const bool good = work_end(&h->work, status, &error);
    h->busy = false;
    if (!good) {
        sonde_episode_free(episode);
        return NULL;
    }
    return handle_new(&kind_episode, episode, object);
}

static PyObject *episode_fields(PyObject *self, PyObject *object) {
    (void)self;
    const sonde_episode *e = handle_get(object, &kind_episode);
    if (e == NULL) {
        return NULL;
    }
    fields f = fields_new(object);
    const int64_t n = e->n_step;
    put_int(&f, "n_step", n);
    put_real(&f, "seconds", e->seconds);
    put_setup(&f, e->setup);
    put_bool(&f, "optimal", e->optimal);
    put_text(&f, "failure", sonde_failure_name((int32_t)e->failure));
    put_int(&f, "reached", e->reached);
    put_real(&f, "walked", e->walked);
    put_real(&f, "shortest", e->shortest);
    put_int(&f, "k", e->k);
    put_int(&f, "n_valid", e->n_valid);
    put_matrix(&f, "state", e->state, 'i', n + 1, e->n_factor);
    put_matrix(&f, "outcome", e->outcome, 'i', n, e->n_modality);
    put_array(&f, "action", e->action, 'i', n);
    put_matrix(&f, "belief", e->belief, 'd', n, e->n_state);
    put_array(&f, "n_followed", e->n_followed, 'i', n);
    put_array(&f, "p", e->p, 'd', n);
    struct layout part = {
        .ndim = 1, .shape = {n}, .stride = {sizeof *e->evaluations}, .format = 'Q'};
    part.data = &e->evaluations->n_policy;
    put_layout(&f, "n_policy", &part);
    part.data = &e->evaluations->n_step;
    put_layout(&f, "n_scored", &part);
    part.data = &e->evaluations->equivalent;
    part.format = 'd';
    put_layout(&f, "equivalent", &part);
    part.stride[0] = sizeof *e->energy;
    part.data = &e->energy->surprise;
    put_layout(&f, "surprise", &part);
    part.data = &e->energy->free_energy;
    put_layout(&f, "free_energy", &part);
    part.data = &e->energy->complexity;
    put_layout(&f, "complexity", &part);
    part.data = &e->energy->accuracy;
    put_layout(&f, "accuracy", &part);
    return fields_done(&f);
}

/* episode_report(agent, episode, command or None) -> JSON */
static PyObject *episode_report(PyObject *self, PyObject *args) {
    (void)self;
    PyObject *object, *happened;
    const char *command = NULL;
    struct handle *h;
    const sonde_episode *episode;
    if (!PyArg_ParseTuple(args, "OOz", &object, &happened, &command) ||
        !(h = handle_take(object, &kind_agent)) ||
        !(episode = handle_get(happened, &kind_episode))) {
        return NULL;
    }
    sonde_text json = {0};
    sonde_text also = {0};
    remember_inference(h); /* it has observed, whether with this agent or with one like it */
    const sonde_about about = about_agent(h, command, &also);
    sonde_document_episode(h->pointer, episode, &about, &json);
    sonde_text_free(&also);
    return text_take(&json);
}

/* -------------------------------------------------------------------------------- learning -- */

const setting learn_table[] = {
    {"when", SET_CHOICE, offsetof(sonde_learn_settings, when), 0, sonde_learn_when_name},
    {"beliefs", SET_CHOICE, offsetof(sonde_learn_settings, beliefs), 0, sonde_learn_beliefs_name},
    {"beliefs_D", SET_CHOICE, offsetof(sonde_learn_settings, beliefs_D), 0,
     sonde_learn_beliefs_name},
    {"support", SET_CHOICE, offsetof(sonde_learn_settings, support), 0, sonde_support_name},
    {"eta_A", SET_F64, offsetof(sonde_learn_settings, eta[SONDE_A]), 0, NULL},
    {"eta_B", SET_F64, offsetof(sonde_learn_settings, eta[SONDE_B]), 0, NULL},
    {"eta_C", SET_F64, offsetof(sonde_learn_settings, eta[SONDE_C]), 0, NULL},
    {"eta_D", SET_F64, offsetof(sonde_learn_settings, eta[SONDE_D]), 0, NULL},
    {"eta_E", SET_F64, offsetof(sonde_learn_settings, eta[SONDE_E]), 0, NULL},
    {"gamma", SET_CHOICE, offsetof(sonde_learn_settings, gamma), 0, sonde_precision_name},
    {"alpha_g", SET_F64, offsetof(sonde_learn_settings, alpha_g), 0, NULL},
    {"beta_g", SET_F64, offsetof(sonde_learn_settings, beta_g), 0, NULL},
    {"decay", SET_F64, offsetof(sonde_learn_settings, decay), 0, NULL},
    {"omega", SET_F64, offsetof(sonde_learn_settings, omega), 0, NULL},
    {"toward", SET_CHOICE, offsetof(sonde_learn_settings, toward), 0, sonde_toward_name},
    {"until", SET_I32, offsetof(sonde_learn_settings, until), 0, NULL},
    {"steps", SET_I32, offsetof(sonde_learn_settings, steps), 1, NULL},
    {"least", SET_F64, offsetof(sonde_learn_settings, least), 0, NULL},
    {NULL, SET_I32, 0, 0, NULL},
};

/* agent_learn(agent, settings, (eta by outcome, omega by outcome, modalities, factors)), each of
 * the four an array or None */
static PyObject *agent_learn(PyObject *self, PyObject *args) {
    (void)self;
    PyObject *object, *dict, *eta, *omega, *some, *others;
    sonde_learn_settings learn = sonde_learn_defaults();
    struct handle *h;
    if (!PyArg_ParseTuple(args, "OO(OOOO)", &object, &dict, &eta, &omega, &some, &others) ||
        !(h = handle_take(object, &kind_agent)) ||
        !settings_fill(learn_table, &learn, dict, "learn")) {
        return NULL;
    }
    const sonde_model *model = sonde_agent_policies(h->pointer)->model;
    int64_t n_outcome = 0;
    for (int32_t m = 0; model->modality != NULL && m < model->n_modality; m++) {
        n_outcome += model->modality[m].n_outcome;
    }
    Py_buffer rates = {0}, shares = {0}, modalities = {0}, factors = {0};
    bool good = buffer_get_maybe(eta, &rates, 'd', n_outcome, false) &&
                buffer_get_maybe(omega, &shares, 'd', n_outcome, false) &&
                buffer_get_maybe(some, &modalities, '?', model->n_modality, false) &&
                buffer_get_maybe(others, &factors, '?', model->n_factor, false);
    if (good) {
        sonde_error error = {0};
        learn.eta_outcome = rates.buf;
        learn.omega_outcome = shares.buf;
        learn.modality = modalities.buf;
        learn.factor = factors.buf;
        h->chosen = NULL;
        good = check(sonde_agent_learn(h->pointer, &learn, &error), &error);
    }
    PyBuffer_Release(&rates);
    PyBuffer_Release(&shares);
    PyBuffer_Release(&modalities);
    PyBuffer_Release(&factors);
    return good ? Py_NewRef(Py_None) : NULL;
}

static PyObject *agent_end(PyObject *self, PyObject *object) {
    (void)self;
    struct handle *h = handle_take(object, &kind_agent);
    if (h == NULL) {
        return NULL;
    }
    h->chosen = NULL;
    sonde_agent_end(h->pointer);
    Py_RETURN_NONE;
}

static PyObject *agent_forget(PyObject *self, PyObject *object) {
    (void)self;
    struct handle *h = handle_take(object, &kind_agent);
    if (h == NULL) {
        return NULL;
    }
    sonde_agent_forget(h->pointer);
    Py_RETURN_NONE;
}

/* agent_take(agent, action) */
static PyObject *agent_take(PyObject *self, PyObject *args) {
    (void)self;
    PyObject *object;
    int action = 0;
    struct handle *h;
    sonde_error error = {0};
    if (!PyArg_ParseTuple(args, "Oi", &object, &action) ||
        !(h = handle_take(object, &kind_agent))) {
        return NULL;
    }
    h->chosen = NULL;
    return check(sonde_agent_take(h->pointer, action, &error), &error) ? Py_NewRef(Py_None) : NULL;
}

/* agent_counts(agent, letter, i, out or None) -> how many numbers there are */
static PyObject *agent_counts(PyObject *self, PyObject *args) {
    (void)self;
    PyObject *object, *array;
    int letter = 0;
    int i = 0;
    struct handle *h;
    Py_buffer out = {0};
    if (!PyArg_ParseTuple(args, "OiiO", &object, &letter, &i, &array) ||
        !(h = handle_take(object, &kind_agent))) {
        return NULL;
    }
    const int64_t n = sonde_agent_counts(h->pointer, (sonde_letter)letter, i, NULL);
    if (!buffer_get_maybe(array, &out, 'd', n, true)) {
        return NULL;
    }
    (void)sonde_agent_counts(h->pointer, (sonde_letter)letter, i, out.buf);
    PyBuffer_Release(&out);
    return PyLong_FromLongLong(n);
}

/* agent_learned(agent, letter, i) -> (updates, added, masked, kl, grown) */
static PyObject *agent_learned(PyObject *self, PyObject *args) {
    (void)self;
    PyObject *object;
    int letter = 0;
    int i = 0;
    struct handle *h;
    if (!PyArg_ParseTuple(args, "Oii", &object, &letter, &i) ||
        !(h = handle_take(object, &kind_agent))) {
        return NULL;
    }
    const sonde_learned l = sonde_agent_learned(h->pointer, (sonde_letter)letter, i);
    return Py_BuildValue("(Kdddd)", (unsigned long long)l.n_event, l.added, l.masked, l.kl,
                         l.grown);
}

/* agent_follow(agent, n) -> (mean, error, lower, upper, left) */
static PyObject *agent_follow(PyObject *self, PyObject *args) {
    (void)self;
    PyObject *object;
    int n = 0;
    struct handle *h;
    sonde_followed f = {0};
    sonde_error error = {0};
    if (!PyArg_ParseTuple(args, "Oi", &object, &n) || !(h = handle_take(object, &kind_agent)) ||
        !check(sonde_agent_follow(h->pointer, n, &f, &error), &error)) {
        return NULL;
    }
    return Py_BuildValue("(ddddd)", f.mean, f.error, f.lower, f.upper, f.left);
}

/* agent_save(agent) -> document */
static PyObject *agent_save(PyObject *self, PyObject *object) {
    (void)self;
    struct handle *h = handle_take(object, &kind_agent);
    sonde_text text = {0};
    sonde_error error = {0};
    if (h == NULL || !check(sonde_agent_save(h->pointer, NULL, &text, &error), &error)) {
        sonde_text_free(&text);
        return NULL;
    }
    PyObject *made = PyUnicode_FromStringAndSize(text.data, (Py_ssize_t)text.size);
    sonde_text_free(&text);
    return made;
}

/* agent_load(agent, document, origin) */
static PyObject *agent_load(PyObject *self, PyObject *args) {
    (void)self;
    PyObject *object;
    const char *data = NULL;
    const char *origin = NULL;
    Py_ssize_t size = 0;
    struct handle *h;
    sonde_error error = {0};
    if (!PyArg_ParseTuple(args, "Os#s", &object, &data, &size, &origin) ||
        !(h = handle_take(object, &kind_agent))) {
        return NULL;
    }
    const sonde_source source = {.origin = origin, .data = data, .size = (size_t)size};
    h->chosen = NULL;
    return check(sonde_agent_load(h->pointer, &source, NULL, &error), &error) ? Py_NewRef(Py_None)
                                                                              : NULL;
}

/* The agent's model as a document, with what it has learned. */
static PyObject *agent_model(PyObject *self, PyObject *object) {
    (void)self;
    struct handle *h = handle_take(object, &kind_agent);
    sonde_text text = {0};
    sonde_error error = {0};
    if (h == NULL ||
        !check(sonde_model_write(sonde_agent_policies(h->pointer)->model, &text, &error), &error)) {
        return NULL;
    }
    PyObject *made = text.failed ? PyErr_NoMemory() : PyUnicode_FromString(text.data);
    sonde_text_free(&text);
    return made;
}

PyMethodDef agent_methods[] = {
    {"agent_learn", agent_learn, METH_VARARGS, "agent_learn(agent, settings, by_outcome)"},
    {"agent_end", agent_end, METH_O, "agent_end(agent)"},
    {"agent_forget", agent_forget, METH_O, "agent_forget(agent)"},
    {"agent_take", agent_take, METH_VARARGS, "agent_take(agent, action)"},
    {"agent_counts", agent_counts, METH_VARARGS, "agent_counts(agent, letter, i, out) -> n"},
    {"agent_save", agent_save, METH_O, "agent_save(agent) -> document"},
    {"agent_load", agent_load, METH_VARARGS, "agent_load(agent, document, origin)"},
    {"agent_learned", agent_learned, METH_VARARGS, "agent_learned(agent, letter, i) -> tuple"},
    {"agent_follow", agent_follow, METH_VARARGS, "agent_follow(agent, n) -> tuple"},
    {"agent_model", agent_model, METH_O, "agent_model(agent) -> JSON"},
    {"agent_new", agent_new, METH_VARARGS, "agent_new(policies, settings, run, search)"},
    {"agent_reset", agent_reset, METH_VARARGS, "agent_reset(agent, number)"},
    {"agent_memory", agent_memory, METH_O, "agent_memory(agent) -> dict"},
    {"agent_recall", agent_recall, METH_VARARGS,
     "agent_recall(agent, belief, prior, origin, energy, evidence, number, learned)"},
    {"agent_observe", agent_observe, METH_VARARGS, "agent_observe(agent, (outcome, weights))"},
    {"agent_believe", agent_believe, METH_VARARGS, "agent_believe(agent, belief)"},
    {"agent_search", agent_search, METH_VARARGS, "agent_search(agent, progress)"},
    {"agent_score", agent_score, METH_VARARGS, "agent_score(agent, index, efe, progress)"},
    {"agent_choice", agent_choice, METH_O, "agent_choice(agent) -> action, which is not taken"},
    {"agent_act", agent_act, METH_O, "agent_act(agent) -> action"},
    {"agent_belief", agent_belief, METH_VARARGS, "agent_belief(agent, out) -> energies"},
    {"agent_setup", agent_setup, METH_O, "agent_setup(agent) -> dict"},
    {"plan", plan, METH_VARARGS, "plan(policies, belief, outcome, settings, run)"},
    {"decision_fields", decision_fields, METH_O, "decision_fields(agent) -> dict"},
    {"certificate_sentence", certificate_sentence, METH_O, "certificate_sentence(agent) -> str"},
    {"decision_report", decision_report, METH_VARARGS, "decision_report(agent, action, command)"},
    {"explain", explain, METH_O, "explain(agent) -> (JSON, text, SVG)"},
    {"prefix", prefix, METH_VARARGS, "prefix(agent, steps) -> JSON"},
    {"simulate", simulate, METH_VARARGS, "simulate(agent, episode, steps, process, progress)"},
    {"episode_fields", episode_fields, METH_O, "episode_fields(episode) -> dict"},
    {"episode_report", episode_report, METH_VARARGS, "episode_report(agent, episode, command)"},
    {NULL, NULL, 0, NULL},
};

/* save.c: an agent in the middle of an episode, and its world, as a sonde-agent document
 * (docs/formats.md). Numbers are written so that they read back to the last bit. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "agent/agent.h"
#include "base/json.h"
#include "base/text.h"
#include "simulate/process.h"
#include "simulate/scene.h"

/* ------------------------------------------------------------------------------------- write -- */

static void add_numbers(sonde_text *json, const char *key, int64_t n, const double *value) {
    sonde_text_add(json, ",\n  \"%s\": [", key);
    for (int64_t i = 0; i < n; i++) {
        sonde_text_add(json, i > 0 ? ", " : "");
        sonde_text_add_number(json, value[i]);
    }
    sonde_text_add(json, "]");
}

static void add_wholes(sonde_text *json, const char *key, int32_t n, const int32_t *value) {
    sonde_text_add(json, ", \"%s\": [", key);
    for (int32_t i = 0; i < n; i++) {
        sonde_text_add(json, "%s%" PRId32, i > 0 ? ", " : "", value[i]);
    }
    sonde_text_add(json, "]");
}

/* How many sizes a model has: states of each factor, outcomes of each modality, actions. */
static int32_t n_size(const sonde_model *model) {
    return sonde__model_n_stored(model, false) + sonde__model_n_stored(model, true) + 1;
}

static int32_t size_of(const sonde_model *model, int32_t i) {
    const int32_t n_factor = sonde__model_n_stored(model, false);
    return i < n_factor            ? model->factor[i].n_state
           : i + 1 < n_size(model) ? model->modality[i - n_factor].n_outcome
                                   : model->n_action;
}

static void add_sizes(sonde_text *json, const sonde_model *model) {
    for (int32_t i = 0; i < n_size(model); i++) {
        sonde_text_add(json, "%s%" PRId32, i > 0 ? ", " : ", \"sizes\": [", size_of(model, i));
    }
    sonde_text_add(json, "]");
}

static void add_world(sonde_text *json, const sonde_world *world) {
    const int32_t n_factor = world->kind->n_factor(world->model);
    sonde_text_add(json,
                   ",\n \"world\": {\"seed\": \"%" PRIu64 "\", \"stream\": \"%" PRIu64
                   "\", \"episode\": %" PRId32 ", \"step\": %" PRId64 ", \"since\": %" PRId64
                   ", \"last\": %" PRId32,
                   world->seed, world->n_stream, world->episode, world->step, world->since,
                   world->last);
    add_wholes(json, "state", n_factor, world->state);
    add_wholes(json, "outcome", world->model->n_modality, world->outcome);
    sonde_text_add(json, "}");
}

sonde_status sonde_agent_save(const sonde_agent *agent, const sonde_world *world, sonde_text *json,
                              sonde_error *error) {
    const sonde_model *model = sonde_agent_policies(agent)->model;
    const sonde_agent_memory m = sonde_agent_memory_get(agent);
    const sonde__learner *learner = sonde__agent_learner(agent);
    const double energy[] = {m.energy.surprise, m.energy.free_energy, m.energy.complexity,
                             m.energy.accuracy, m.energy.log_evidence};
    if (m.n_followed > 0) {
        return sonde__fail(error, SONDE_BAD_ARGUMENT,
                           "agent: it has followed a plan for %d of its steps, and plans cannot be "
                           "handed over; save it when it searches again",
                           m.n_followed);
    }
    sonde_text_add(json,
                   "{\"format\": \"sonde-agent\", \"version\": 1,\n \"agent\": {\"number\": "
                   "\"%" PRIu64 "\", \"steps\": %" PRId32 ", \"last\": %" PRId32
                   ", \"taken\": %" PRId32 ", \"origin\": ",
                   m.number, learner != NULL ? learner->settings.steps : 0, m.last, m.n_taken);
    if (m.origin != NULL) {
        sonde_text_add(json, "\"%s\"", m.origin);
    } else {
        sonde_text_add(json, "null");
    }
    add_sizes(json, model);
    sonde_text_add(json, ", \"evidence\": ");
    sonde_text_add_number(json, m.evidence);
    add_numbers(json, "energy", 5, energy);
    add_numbers(json, "belief", model->n_belief, m.belief);
    add_numbers(json, "prior", model->n_belief, m.prior);
    if (m.joint != NULL) {
        add_numbers(json, "joint", m.n_joint, m.joint);
    }
    if (m.learned != NULL) {
        add_numbers(json, "learned", m.n_learned, m.learned);
    }
    sonde_text_add(json, "}");
    if (world != NULL && world->n_stream > 0) {
        add_world(json, world);
    }
    sonde_text_add(json, "}\n");
    return json->failed ? sonde__fail_memory(error, "agent", json->size) : SONDE_OK;
}

/* -------------------------------------------------------------------------------------- read -- */

static const char *document_key(int32_t i) {
    static const char *const list[] = {"format", "version", "agent", "world", NULL};
    return list[i];
}

static const char *agent_key(int32_t i) {
    static const char *const list[] = {"number", "steps",    "last",   "taken",  "origin",
                                       "sizes",  "evidence", "energy", "belief", "prior",
                                       "joint",  "learned",  NULL};
    return list[i];
}

static const char *world_key(int32_t i) {
    static const char *const list[] = {"seed", "stream", "episode", "step", "since",
                                       "last", "state",  "outcome", NULL};
    return list[i];
}

/* A list of n numbers, of as many as there are where n is negative; NULL: it is none. */
static double *read_numbers(sonde__reader *reader, sonde__pool *pool, const json_t *object,
                            const char *key, int64_t n) {
    const json_t *list = json_object_get(object, key);
    const sonde__path path = sonde__at("agent.%s", key);
    const size_t size = json_array_size(list);
    if (!json_is_array(list) || (n >= 0 && size != (size_t)n)) {
        (void)sonde__json_expected(reader, path.text,
                                   n >= 0 ? sonde__at("a list of %lld numbers", (long long)n).text
                                          : "a list of numbers",
                                   list);
        return NULL;
    }
    double *value = SONDE__POOL_TAKE(pool, double, size + 1);
    for (size_t i = 0; value != NULL && i < size; i++) {
        if (!sonde__json_number(reader, path.text, json_array_get(list, i), -1e300, &value[i])) {
            return NULL;
        }
    }
    if (value == NULL) {
        reader->status = sonde__fail_memory(reader->error, reader->origin, size);
    }
    return value;
}

/* A whole number as a text, of 64 bits: at least `least`. */
static bool read_count(sonde__reader *reader, const char *path, const json_t *value, uint64_t least,
                       uint64_t *number) {
    const char *text = json_string_value(value);
    const size_t size = text != NULL ? strspn(text, "0123456789") : 0;
    errno = 0;
    *number = size > 0 ? strtoull(text, NULL, 10) : 0;
    return (size > 0 && text[size] == '\0' && errno == 0 && *number >= least) ||
           sonde__json_expected(reader, path,
                                least > 0 ? "a whole number, 1 or more, as a text"
                                          : "a whole number as a text",
                                value);
}

static bool read_wholes(sonde__reader *reader, const char *path, const json_t *list, int32_t n,
                        int32_t *value) {
    if (!json_is_array(list) || json_array_size(list) != (size_t)n) {
        return sonde__json_expected(reader, path, sonde__at("a list of %d numbers", n).text, list);
    }
    for (int32_t i = 0; i < n; i++) {
        if (!sonde__json_whole(reader, path, json_array_get(list, (size_t)i), SONDE_SOFT, INT32_MAX,
                               &value[i])) {
            return false;
        }
    }
    return true;
}

/* where a world was */
typedef struct {
    uint64_t seed;
    uint64_t n_stream;
    int32_t count[3]; /* episode, step, since */
    int32_t last;
    int32_t *state;
    int32_t *outcome;
} place;

/* States and outcomes that the world has. */
static bool check_place(sonde__reader *reader, const sonde_model *model, const place *at) {
    for (int32_t f = 0; f < sonde__model_n_stored(model, false); f++) {
        if (at->state[f] < 0 || at->state[f] >= model->factor[f].n_state) {
            return sonde__json_wrong(reader, "world.state[%d]: there is no state %d", f,
                                     at->state[f]);
        }
    }
    for (int32_t m = 0; m < sonde__model_n_stored(model, true); m++) {
        if (at->outcome[m] >= model->modality[m].n_outcome) {
            return sonde__json_wrong(reader, "world.outcome[%d]: there is no outcome %d", m,
                                     at->outcome[m]);
        }
    }
    return true;
}

static bool read_place(sonde__reader *reader, sonde__pool *pool, const sonde_world *world,
                       place *at) {
    static const char *const key[] = {"episode", "step", "since"};
    const json_t *from = json_object_get(reader->root, "world");
    const int32_t n_factor = world->kind->n_factor(world->model);
    if (!json_is_object(from)) {
        return sonde__json_expected(
            reader, "world", "where the world was, which was not saved with this agent", from);
    }
    at->state = SONDE__POOL_TAKE(pool, int32_t, (size_t)n_factor);
    at->outcome = SONDE__POOL_TAKE(pool, int32_t, (size_t)world->model->n_modality);
    if (at->state == NULL || at->outcome == NULL) {
        reader->status = sonde__fail_memory(reader->error, reader->origin, (uint64_t)n_factor);
        return false;
    }
    bool good =
        sonde__json_keys_at(reader, "world", from, world_key) &&
        read_count(reader, "world.seed", json_object_get(from, "seed"), 0, &at->seed) &&
        read_count(reader, "world.stream", json_object_get(from, "stream"), 1, &at->n_stream);
    for (int32_t i = 0; good && i < 3; i++) {
        good = sonde__json_whole(reader, sonde__at("world.%s", key[i]).text,
                                 json_object_get(from, key[i]), 0, INT32_MAX, &at->count[i]);
    }
    return good &&
           sonde__json_whole(reader, "world.last", json_object_get(from, "last"), -1,
                             world->model->n_action - 1, &at->last) &&
           read_wholes(reader, "world.state", json_object_get(from, "state"), n_factor,
                       at->state) &&
           read_wholes(reader, "world.outcome", json_object_get(from, "outcome"),
                       world->model->n_modality, at->outcome) &&
           check_place(reader, world->model, at);
}

static void put_world(sonde_world *world, const place *at) {
    const size_t n_factor = (size_t)world->kind->n_factor(world->model);
    world->seed = at->seed;
    world->n_stream = at->n_stream;
    world->episode = at->count[0];
    world->step = at->count[1];
    world->since = at->count[2];
    world->last = at->last;
    world->lost = false;
    memcpy(world->state, at->state, n_factor * sizeof *at->state);
    memcpy(world->outcome, at->outcome, (size_t)world->model->n_modality * sizeof *at->outcome);
    if (world->process != NULL && world->process->model != NULL) {
        world->model = sonde_stage_model(world->process, world->step, world->episode);
    }
}

/* Whether it is the agent of a model of this size; older versions did not write of which it is. */
static bool check_sizes(sonde__reader *reader, const sonde_model *model, const json_t *sizes) {
    if (sizes == NULL) {
        return true;
    }
    bool same = json_is_array(sizes) && json_array_size(sizes) == (size_t)n_size(model);
    for (int32_t i = 0; same && i < n_size(model); i++) {
        same = json_integer_value(json_array_get(sizes, (size_t)i)) == size_of(model, i);
    }
    return same ||
           sonde__json_wrong(reader, "agent.sizes: it was saved with a model that has other "
                                     "numbers of states, outcomes or actions; take the same");
}

/* Everything of an agent; what the agent itself says of it comes after. */
static bool read_agent(sonde__reader *reader, sonde__pool *pool, const sonde_agent *agent,
                       sonde_agent_memory *m) {
    const sonde_model *model = sonde_agent_policies(agent)->model;
    const sonde__learner *learner = sonde__agent_learner(agent);
    const json_t *from = json_object_get(reader->root, "agent");
    const json_t *taken = json_object_get(from, "taken");
    int32_t steps = 0;
    if (!json_is_object(from)) {
        return sonde__json_expected(reader, "agent", "an object", from);
    }
    if (!sonde__json_keys_at(reader, "agent", from, agent_key) ||
        !check_sizes(reader, model, json_object_get(from, "sizes")) ||
        !read_count(reader, "agent.number", json_object_get(from, "number"), 0, &m->number) ||
        !sonde__json_whole(reader, "agent.last", json_object_get(from, "last"), -1, INT32_MAX,
                           &m->last) ||
        (taken != NULL && /* older versions did not write it */
         !sonde__json_whole(reader, "agent.taken", taken, 0, INT32_MAX, &m->n_taken)) ||
        !sonde__json_whole(reader, "agent.steps", json_object_get(from, "steps"), 0, INT32_MAX,
                           &steps) ||
        !sonde__json_number(reader, "agent.evidence", json_object_get(from, "evidence"), -1e300,
                            &m->evidence)) {
        return false;
    }
    const double *energy = read_numbers(reader, pool, from, "energy", 5);
    m->belief = energy != NULL ? read_numbers(reader, pool, from, "belief", model->n_belief) : NULL;
    m->prior =
        m->belief != NULL ? read_numbers(reader, pool, from, "prior", model->n_belief) : NULL;
    if (m->prior == NULL) {
        return false;
    }
    m->energy = (sonde_energy){energy[0], energy[1], energy[2], energy[3], energy[4]};
    m->origin = json_string_value(json_object_get(from, "origin"));
    const json_t *joint = json_object_get(from, "joint");
    const json_t *learned = json_object_get(from, "learned");
    m->n_joint = (int64_t)json_array_size(joint);
    m->n_learned = (int64_t)json_array_size(learned);
    m->joint = joint != NULL ? read_numbers(reader, pool, from, "joint", -1) : NULL;
    m->learned = learned != NULL ? read_numbers(reader, pool, from, "learned", -1) : NULL;
    if (learner != NULL && learned != NULL && learner->settings.steps != steps &&
        learner->settings.beliefs == SONDE_BELIEFS_SMOOTHED) {
        return sonde__json_wrong(reader,
                                 "agent.steps: it was saved with room for %d steps of an episode, "
                                 "and this one has room for %d; take the same",
                                 steps, learner->settings.steps);
    }
    return reader->status == SONDE_OK;
}

sonde_status sonde_agent_load(sonde_agent *agent, const sonde_source *source, sonde_world *world,
                              sonde_error *error) {
    sonde__reader reader = {0};
    sonde__pool pool = {0};
    sonde_agent_memory memory = {.last = -1};
    place at = {0};
    sonde_status status = source->data != NULL ? sonde__json_parse(&reader, source, error)
                                               : sonde__json_open(&reader, source->origin, error);
    if (status != SONDE_OK) {
        return status;
    }
    const bool good = sonde__json_format(&reader, "sonde-agent", 1) &&
                      sonde__json_keys(&reader, reader.root, document_key) &&
                      read_agent(&reader, &pool, agent, &memory) &&
                      (world == NULL || read_place(&reader, &pool, world, &at));
    sonde_error why = {0};
    status = good ? sonde_agent_memory_set(agent, &memory, &why) : reader.status;
    if (good && status != SONDE_OK) {
        status = sonde__fail(error, status, "%s: %s", reader.origin, why.text);
    }
    if (status == SONDE_OK && at.state != NULL && at.outcome != NULL) {
        put_world(world, &at);
    }
    sonde__json_close(&reader);
    sonde__pool_free(&pool);
    return status;
}

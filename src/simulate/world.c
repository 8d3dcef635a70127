/* world.c: the world of a model, one action after the other.
 *
 * Its chance has streams of the seed: 0 draws the beginning, then two a step what it shows and
 * does. */
#include "base/memory.h"
#include "base/status.h"
#include "simulate/process.h"

struct sonde_world {
    const sonde_model *model;
    const sonde__simulated *kind;
    uint64_t seed;
    uint64_t n_stream; /* used so far; 0: it has not begun */
    int32_t *state;    /* (n_factor) */
    int32_t *before;   /* (n_factor) the state that an action changes */
    int32_t *outcome;  /* (n_modality) */
};

static sonde_world *carve(sonde__arena *arena, const sonde_model *model) {
    const int32_t n_factor = sonde__simulated_of(model)->n_factor(model);
    sonde_world *world = SONDE__TAKE(arena, sonde_world, 1);
    sonde_world none;
    sonde_world *to = world != NULL ? world : &none;
    to->state = SONDE__TAKE(arena, int32_t, n_factor);
    to->before = SONDE__TAKE(arena, int32_t, n_factor);
    to->outcome = SONDE__TAKE(arena, int32_t, model->n_modality);
    return world;
}

sonde_status sonde_world_new(const sonde_model *model, sonde_world **world, sonde_error *error) {
    sonde__arena arena = {0};
    (void)carve(&arena, model);
    if (!sonde__arena_reserve(&arena)) {
        return sonde__fail_memory(error, "world", arena.used);
    }
    sonde_world *made = carve(&arena, model);
    made->model = model;
    made->kind = sonde__simulated_of(model);
    *world = made;
    return SONDE_OK;
}

int32_t sonde_world_n_factor(const sonde_model *model) {
    return sonde__simulated_of(model)->n_factor(model);
}

void sonde_world_free(sonde_world *world) {
    sonde__free(world);
}

/* The next stream of its chance. */
static sonde__rng chance(sonde_world *world) {
    return sonde__rng_stream(world->seed, SONDE__FOR_PROCESS, world->n_stream++);
}

/* Shows what there is to see after an action; -1: at the beginning. */
static void look(sonde_world *world, int32_t action) {
    sonde__rng rng = chance(world);
    world->kind->show(world->model, world->state, action, &rng, world->outcome);
}

void sonde__world_start(sonde_world *world, uint64_t seed, uint64_t stream) {
    world->seed = seed;
    world->n_stream = stream;
    sonde__rng rng = chance(world);
    world->kind->start(world->model, &rng, world->state);
    look(world, -1);
}

void sonde_world_start(sonde_world *world, uint64_t seed) {
    sonde__world_start(world, seed, 0);
}

sonde_status sonde_world_move(sonde_world *world, int32_t action, sonde_error *error) {
    if (world->n_stream == 0 || action < 0 || action >= world->model->n_action) {
        return sonde__fail(error, SONDE_BAD_ARGUMENT,
                           world->n_stream == 0
                               ? "world: it has not begun; start it before action %d"
                               : "world: there is no action %d",
                           action);
    }
    int32_t *before = world->state;
    world->state = world->before;
    world->before = before;
    sonde__rng rng = chance(world);
    world->kind->move(world->model, before, action, &rng, world->state);
    look(world, action);
    return SONDE_OK;
}

const int32_t *sonde_world_state(const sonde_world *world) {
    return world->state;
}

const int32_t *sonde_world_outcome(const sonde_world *world) {
    return world->outcome;
}

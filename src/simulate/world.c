/* world.c: the world of a model, one action after the other.
 *
 * Its chance has streams of the seed: 0 draws the beginning, then two a step what it shows and
 * does. */
#include "base/memory.h"
#include "base/status.h"
#include "simulate/process.h"
#include "simulate/scene.h"

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

sonde_status sonde_world_new_in(const sonde_stage *process, const sonde_model *model,
                                sonde_world **world, sonde_error *error) {
    sonde_status status = SONDE_OK;
    if (process->model != NULL) {
        status = sonde__process_check(process->model, model, error);
    }
    status = status == SONDE_OK
                 ? sonde_world_new(process->model != NULL ? process->model : model, world, error)
                 : status;
    if (status == SONDE_OK) {
        (*world)->process = process;
    }
    return status;
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

/* The model that it is now. */
static void settle(sonde_world *world) {
    if (world->process != NULL && world->process->model != NULL) {
        world->model = sonde_stage_model(world->process, world->step, world->episode);
    }
}

/* Shows what there is to see after an action; -1: at the beginning. */
static void look(sonde_world *world, int32_t action) {
    sonde__rng rng = chance(world);
    world->last = action;
    world->lost = false;
    if (!sonde__world_looks_up(world)) {
        world->kind->show(world->model, world->state, action, &rng, world->outcome);
        return;
    }
    /* what follows an action stands in the row of the step that it was taken in; what is seen
     * whatever is done, in that of the step itself */
    const int64_t step = world->step - world->since;
    const int32_t *found =
        action >= 0 ? sonde_stage_outcome(world->process, world->episode, step - 1, action) : NULL;
    found = found != NULL ? found : sonde_stage_outcome(world->process, world->episode, step, -1);
    world->lost = found == NULL && action >= 0;
    for (int32_t m = 0; m < world->model->n_modality; m++) {
        world->outcome[m] = found != NULL ? found[m] : SONDE_MISSING;
    }
}

static void start(sonde_world *world) {
    world->since = world->step;
    settle(world);
    sonde__rng rng = chance(world);
    if (!sonde__world_looks_up(world)) {
        world->kind->start(world->model, &rng, world->state);
    }
    look(world, -1);
}

void sonde__world_begin(sonde_world *world, uint64_t seed, int32_t episode) {
    world->seed = seed;
    world->episode = episode;
    world->n_stream = (uint64_t)episode << 32;
    start(world);
}

void sonde_world_start(sonde_world *world, uint64_t seed) {
    world->step = 0;
    sonde__world_begin(world, seed, 0);
}

sonde_status sonde__world_check(const sonde_world *world, sonde_error *error) {
    if (!world->lost) {
        return SONDE_OK;
    }
    sonde_text action = {0};
    sonde_model_say(world->model, SONDE_NOUN_ACTION, (int32_t[]){-1, world->last}, 60, &action);
    const sonde_status status = sonde__fail(
        error, SONDE_BAD_INPUT,
        "%s: expected what follows episode %d, step %lld, action %s, found "
        "no such row",
        world->process->origin != NULL ? world->process->origin : "outcomes", world->episode,
        (long long)(world->step - world->since - 1), action.data != NULL ? action.data : "");
    sonde_text_free(&action);
    return status;
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
    if (!sonde__world_looks_up(world)) {
        world->kind->move(world->model, before, action, &rng, world->state);
    }
    world->step++;
    settle(world);
    look(world, action);
    return SONDE_OK;
}

const int32_t *sonde_world_state(const sonde_world *world) {
    return sonde__world_looks_up(world) ? NULL : world->state;
}

int32_t sonde_world_episode(const sonde_world *world) {
    return world->episode;
}

const int32_t *sonde_world_outcome(const sonde_world *world) {
    return world->outcome;
}

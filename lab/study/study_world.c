/* study_world.c: the worlds of a study: drawn graphs, and models that are read.
 *
 * A world depends on the plan's seed, its size and its number alone. A model is the same in every
 * episode; what is drawn in it is not. */
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/status.h"
#include "base/rng.h"
#include "study/study_world.h"

void sonde__study_world_close(sonde__study_world *w) {
    sonde__judge_close(&w->judge);
    sonde__shelf_free(w->shelf);
    sonde_policies_free(w->policies);
    sonde_input_free(&w->input);
    w->shelf = NULL;
    w->policies = NULL;
    w->model = NULL;
    w->input = (sonde_input){0};
}

/* A world's seed, from the plan's and what names the world. */
static uint64_t world_seed(const sonde_study_plan *plan, const sonde__study_world *w) {
    const uint64_t name = ((uint64_t)w->size * 2 + (uint64_t)w->connect) << 36 |
                          (uint64_t)w->number << 12 | (uint64_t)w->n_redraw;
    sonde__rng rng = sonde__rng_stream(plan->seed, SONDE__FOR_WORLD, name);
    return sonde__rng_next(&rng) >> 11; /* fits a double, and so every reader of JSON */
}

/* The distance from the start node to the destination. */
static sonde_status measure(sonde__study_world *w) {
    const sonde_input *in = &w->input;
    double *distance = sonde__alloc((size_t)in->graph->n_node * sizeof *distance);
    if (distance == NULL) {
        return SONDE_NO_MEMORY;
    }
    const int32_t from = in->graph->head[in->graph->start];
    const sonde_status status = sonde_graph_distances(in->graph, from, distance, NULL);
    w->shortest = distance[in->graph->destination];
    sonde__free(distance);
    return status;
}

static sonde_status draw(sonde__study_world *w, sonde_error *error) {
    sonde_graph_settings drawing = sonde_graph_defaults();
    drawing.n_node = w->size;
    drawing.connect = w->connect;
    drawing.horizon = w->horizon;
    sonde_status status = sonde_graph_random(&drawing, w->seed, &w->input.graph, error);
    if (status == SONDE_OK) {
        status = sonde_model_from_graph(w->input.graph, &w->input.model, error);
    }
    return status == SONDE_OK ? measure(w) : status;
}

static sonde_status read_model(const sonde_study_model *from, const sonde_run *run,
                               sonde_model **model, sonde_error *error) {
    const char *example = sonde__example(from->file);
    const sonde_source source = {from->file, example, example != NULL ? strlen(example) : 0};
    return sonde_model_read(&source, &from->settings, run, model, error);
}

sonde_status sonde__study_model_check(const sonde_study_model *from, const char *document,
                                      const char *path, sonde_error *error) {
    const sonde_run run = sonde_run_defaults();
    sonde_model *model = NULL;
    sonde_text now = {0};
    sonde_status status = read_model(from, &run, &model, error);
    if (status == SONDE_OK) {
        status = sonde_model_write(model, &now, error);
    }
    if (status == SONDE_OK && (now.failed || now.data == NULL)) {
        status = sonde__fail_memory(error, from->file, now.size);
    } else if (status == SONDE_OK && strcmp(now.data, document) != 0) {
        status = sonde__fail(error, SONDE_BAD_INPUT,
                             "%s: holds results of the model %s as it was, and it has changed "
                             "since; put it back, or choose another file",
                             path, from->name);
    }
    sonde_text_free(&now);
    sonde_model_free(model);
    return status;
}

sonde_status sonde__study_world_open(const sonde_study_plan *plan, const sonde_run *run,
                                     sonde__study_world *w, sonde_error *error) {
    w->seed = world_seed(plan, w);
    const double began = sonde__seconds();
    sonde_status status = w->size > 0
                              ? draw(w, error)
                              : read_model(&plan->model[-1 - w->size], run, &w->input.model, error);
    w->model = w->input.model;
    if (status == SONDE_OK) {
        status = sonde_policies_count(w->model, 0, run, &w->policies, error);
    }
    if (status == SONDE_OK) {
        w->horizon = w->policies->horizon;
        status = sonde__shelf_new(&w->shelf, error);
    }
    w->list_seconds = sonde__seconds() - began;
    /* not all of these have a sentence of their own */
    if (status != SONDE_OK && (error == NULL || error->status != status)) {
        (void)sonde__fail(error, status, "%s: %s",
                          w->size > 0 ? sonde__at("a world of %d nodes", w->size).text
                                      : plan->model[-1 - w->size].name,
                          sonde_status_sentence(status));
    }
    return status;
}

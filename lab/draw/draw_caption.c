/* draw_caption.c: what there is to see in a picture, in whole sentences.
 *
 * The same words are the caption under the picture and its description for those who cannot see
 * it: how many nodes and edges, what staying costs, how far it is, and the path. */
#include <inttypes.h>
#include <math.h>

#include "draw/draw_internal.h"

#define VISIT_MAX 24 /* nodes of a path that are named */

/* The nodes of the path, each stay beside its node. */
static void say_path(const sonde__scene *scene, sonde_text *words) {
    int32_t n_visit = 0;
    sonde_text_add(words, "Path: ");
    for (int32_t i = 0; i < scene->n_path;) {
        int32_t stays = 0;
        while (i + stays + 1 < scene->n_path && scene->path[i + stays + 1] == scene->path[i]) {
            stays++;
        }
        if (n_visit++ == VISIT_MAX) {
            sonde_text_add(words, " \342\206\222 \342\200\246");
            break;
        }
        sonde_text_add(words, "%s", i > 0 ? " \342\206\222 " : "");
        sonde__say_call(scene, scene->path[i], words);
        if (stays > 0) {
            sonde_text_add(words, " (stays\302\240%" PRId32 "\303\227)", stays);
        }
        i += stays + 1;
    }
    sonde_text_add(words, ".");
}

/* Whether all self-edges weigh what idling weighs, the destination's nothing. */
static bool idle_is_plain(const sonde__scene *scene) {
    for (int32_t v = 0; v < scene->graph->n_node; v++) {
        const double wanted = v == scene->graph->destination ? 0.0 : scene->graph->idle;
        const double found = scene->graph->weight[scene->graph->self[v]];
        if (found < wanted || found > wanted) {
            return false;
        }
    }
    return true;
}

/* How far it is, which is what a reader compares the path with. */
static sonde_status say_distance(const sonde__scene *scene, sonde_text *words) {
    double *distance = sonde__alloc((size_t)scene->graph->n_node * sizeof *distance);
    if (distance == NULL) {
        return SONDE_NO_MEMORY;
    }
    const int32_t start = scene->graph->head[scene->graph->start];
    const sonde_status status = sonde_graph_distances(scene->graph, start, distance, NULL);
    const double shortest = distance[scene->graph->destination];
    sonde__free(distance);
    if (status == SONDE_OK && isfinite(shortest) && start != scene->graph->destination) {
        sonde_text_add(words, " Shortest way from ");
        sonde__say_call(scene, start, words);
        sonde_text_add(words, " to\302\240");
        sonde__say_call(scene, scene->graph->destination, words);
        sonde_text_add(words, ":\302\240");
        sonde__words_weight(shortest, words);
        sonde_text_add(words, ".");
    }
    return status;
}

/* How many nodes and lines there are; a line without arrow is an edge each way. */
static void say_counts(const sonde__scene *scene, sonde_text *words) {
    const int32_t n_node = scene->graph->n_node;
    int32_t n_arrow = 0;
    for (int32_t i = 0; i < scene->n_arc; i++) {
        n_arrow += scene->arc[i].arrow ? 1 : 0;
    }
    const int32_t n_line = scene->n_arc - n_arrow;
    sonde_text_add(words, "%" PRId32 " node%s", n_node, n_node == 1 ? "" : "s");
    if (n_line > 0 || n_arrow == 0) {
        sonde_text_add(words, ", %" PRId32 " edge%s%s", n_line, n_line == 1 ? "" : "s",
                       n_arrow > 0 ? " both ways" : "");
    }
    if (n_arrow > 0) {
        sonde_text_add(words, ", %" PRId32 " edge%s one way", n_arrow, n_arrow == 1 ? "" : "s");
    }
}

sonde_status sonde__say_caption(const sonde__scene *scene, sonde_text *words) {
    say_counts(scene, words);
    if (idle_is_plain(scene)) {
        sonde_text_add(words, "; idle weight ");
        sonde__words_weight(scene->graph->idle, words);
        sonde_text_add(words, ", on the destination 0");
    }
    sonde_text_add(words, ".");
    const sonde_status status = say_distance(scene, words);
    if (scene->arc_of[scene->graph->start] >= 0) {
        sonde_text_add(words, " The agent came from ");
        sonde__say_call(scene, scene->graph->tail[scene->graph->start], words);
        sonde_text_add(words, " (dotted).");
    }
    if (scene->n_path > 0) {
        sonde_text_add(words, "\n");
        say_path(scene, words);
    }
    return status;
}

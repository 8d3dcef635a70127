/* draw_words.c: the words in a picture.
 *
 * Names come from anybody's file, so that everything goes through one function that leaves neither
 * markup nor broken UTF-8 nor control characters in the XML. */
#include <inttypes.h>

#include "draw/draw_internal.h"

/* how many steps are named along one edge */
#define STEP_MAX 4

void sonde__say_call(const sonde__scene *scene, int32_t node, sonde_text *text) {
    if (scene->graph->name != NULL) {
        sonde__html(text, scene->graph->name[node]);
    } else {
        sonde_text_add(text, "%" PRId32, node);
    }
}

void sonde__say_in_node(const sonde__scene *scene, int32_t node, sonde_text *text) {
    if (scene->names_inside) {
        sonde__say_call(scene, node, text);
    } else {
        sonde_text_add(text, "%" PRId32, node);
    }
}

void sonde__say_beside(const sonde__scene *scene, int32_t node, sonde_text *text) {
    const char *comma = "";
    if (scene->graph->name != NULL && !scene->names_inside) {
        sonde__html(text, scene->graph->name[node]);
        comma = ", ";
    }
    if (node == scene->graph->head[scene->graph->start]) {
        sonde_text_add(text, "%sstart", comma);
        comma = ", ";
    }
    if (node == scene->graph->destination) {
        sonde_text_add(text, "%sdestination", comma);
    }
}

void sonde__say_stays(const sonde__scene *scene, int32_t node, sonde_text *text) {
    if (scene->stays[node] > 0) {
        sonde_text_add(text, "stays %" PRId32 "\303\227", scene->stays[node]);
    }
}

void sonde__say_steps(const sonde__scene *scene, int32_t edge, sonde_text *text) {
    int32_t n = 0;
    for (int32_t i = 1; i < scene->n_path; i++) {
        if (scene->path[i - 1] != scene->graph->tail[edge] ||
            scene->path[i] != scene->graph->head[edge]) {
            continue;
        }
        if (n == STEP_MAX) {
            sonde_text_add(text, ",\342\200\246");
            return;
        }
        sonde_text_add(text, "%s%" PRId32, n > 0 ? "," : "", i);
        n++;
    }
}

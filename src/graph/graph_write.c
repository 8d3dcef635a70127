/* graph_write.c: a world as a sonde-graph document (docs/formats.md).
 *
 * A self-edge that reading would add in the same place with the same weight is left out, so that a
 * world's destination can be changed by changing one line. */
#include "base/text.h"

static bool implied(const sonde_graph *graph, int32_t e) {
    const int32_t v = graph->tail[e];
    const double weight = v == graph->destination ? 0.0 : graph->idle;
    return e == graph->self[v] && e == graph->first[v + 1] - 1 && graph->weight[e] == weight;
}

static void add_names(const sonde_graph *graph, sonde_text *text) {
    sonde_text_add(text, " \"names\": [");
    for (int32_t v = 0; v < graph->n_node; v++) {
        sonde_text_add(text, v > 0 ? ", " : "");
        sonde_text_add_quoted(text, graph->name[v]);
    }
    sonde_text_add(text, "],\n");
}

void sonde_graph_write(const sonde_graph *graph, sonde_text *text) {
    sonde_text_add(text, "{\"format\": \"sonde-graph\", \"version\": 1, \"nodes\": %d,\n",
                   graph->n_node);
    if (graph->name != NULL) {
        add_names(graph, text);
    }
    sonde_text_add(text, " \"edges\": [");
    const char *separator = "";
    for (int32_t e = 0; e < graph->n_edge; e++) {
        if (!implied(graph, e)) {
            sonde_text_add(text, "%s[%d, %d, ", separator, graph->tail[e], graph->head[e]);
            sonde_text_add_number(text, graph->weight[e]);
            sonde_text_add(text, "]");
            separator = ", ";
        }
    }
    sonde_text_add(text, "],\n \"start\": [%d, %d], \"destination\": %d, \"horizon\": %d, ",
                   graph->tail[graph->start], graph->head[graph->start], graph->destination,
                   graph->horizon);
    sonde_text_add(text, "\"lambda\": ");
    sonde_text_add_number(text, graph->lambda);
    sonde__text_pair(text, "idle", graph->idle);
    sonde_text_add(text, "}\n");
}

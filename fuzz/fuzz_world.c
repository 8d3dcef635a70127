/* fuzz_world.c: any bytes as a graph world; what is read is written, read back and written again. */
#include "reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const sonde_source source = {"fuzz", (const char *)data, size};
    sonde_graph *graph = NULL;
    sonde_error error = {0};
    const sonde_status status = sonde_graph_read(&source, NULL, 1, &graph, &error);
    reader_told(status, graph, &error);
    if (status == SONDE_OK) {
        sonde_text once = {0};
        sonde_text twice = {0};
        sonde_graph *again = NULL;
        sonde_graph_write(graph, &once);
        const sonde_source back = {"again", once.data, once.size};
        if (sonde_graph_read(&back, NULL, 1, &again, &error) != SONDE_OK) {
            give_up("a world that was written could not be read", error.text);
        }
        sonde_graph_write(again, &twice);
        if (once.size != twice.size || memcmp(once.data, twice.data, once.size) != 0) {
            give_up("a world that was read back is another one", once.data);
        }
        sonde_text_free(&once);
        sonde_text_free(&twice);
        sonde_graph_free(again);
    }
    sonde_graph_free(graph);
    return 0;
}

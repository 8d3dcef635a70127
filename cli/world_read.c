/* world_read.c: the file of a command line, read anew for every command. */
#include "world.h"

sonde_status world_read(const cli_arguments *args, cli_session *session, sonde_input *input) {
    const sonde_graph_settings graph = arguments_graph(args);
    const sonde_model_settings model = arguments_model(args);
    return sonde_input_read(args->file, &graph, &model, args->search.seed, &session->run, input,
                            &session->error);
}

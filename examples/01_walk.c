/* 01_walk.c: draws a world and lets an agent walk to its destination.
 *
 * The program at the head of sonde.h. Every object is made from the one before it, the first
 * failure skips the rest, and every _free accepts NULL. */
#include <sonde.h>
#include <stdio.h>

int main(void) {
    sonde_graph_settings drawing = sonde_graph_defaults();
    drawing.n_node = 5;
    sonde_search_settings search = sonde_search_defaults();
    sonde_graph *graph = NULL;
    sonde_model *model = NULL;
    sonde_policies *policies = NULL;
    sonde_agent *agent = NULL;
    sonde_episode *episode = NULL;
    sonde_error error = {0};
    sonde_status status = sonde_graph_random(&drawing, 7, &graph, &error);
    if (!status)
        status = sonde_model_from_graph(graph, &model, &error);
    if (!status)
        status = sonde_policies_count(model, 0, NULL, &policies, &error);
    if (!status)
        status = sonde_agent_new(policies, &search, NULL, &agent, &error);
    if (!status)
        status = sonde_simulate(agent, NULL, 10, &episode, &error);
    if (!status)
        puts(episode->optimal ? "took a shortest path" : "did not");
    else
        puts(error.text);
    sonde_episode_free(episode);
    sonde_agent_free(agent);
    sonde_policies_free(policies);
    sonde_model_free(model);
    sonde_graph_free(graph);
    return (int)status;
}

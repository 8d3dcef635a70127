/* cmd_simulate.c: sonde simulate lets an agent walk, and says whether it took a shortest path. */
#include "agent.h"
#include "cmd.h"
#include "path.h"
#include "table.h"

static const cli_option walk_options[] = {
    {.name = "steps",
     .kind = OPTION_WHOLE,
     .at = offsetof(cli_arguments, n_step),
     .setting = true,
     .minimum = 1,
     .value = "N",
     .help = "how often the agent acts"},
};
static const cli_option_group group_walk = {"Simulation", OPTION_TABLE(walk_options)};

const cli_option_group *const simulate_groups[] = {
    &group_walk,    &group_search, &group_scope, &group_embed,
    &group_cluster, &group_world,  &group_seed,  &group_json,
    &group_svg,     &group_run,    NULL};

typedef struct {
    cli_agent agent;
    sonde_episode *episode;
    cli_path path;
} simulation;

static sonde_status write_json(const void *about, sonde_text *text) {
    const simulation *s = about;
    sonde_report_episode(s->agent.agent, s->episode, s->agent.world.command.data, text);
    return SONDE_OK;
}

static sonde_status write_svg(const void *about, sonde_text *text) {
    const simulation *s = about;
    return sonde_report_graph_svg(s->agent.world.graph, s->path.node, s->path.n_node, text);
}

/* ------------------------------------------------------------------------------------ text -- */

/* The edge that the agent holds most probable. */
static int32_t believed(const sonde_episode *episode, int32_t step) {
    const double *belief = episode->belief + (int64_t)step * episode->n_state;
    int32_t most = 0;
    for (int32_t s = 1; s < episode->n_state; s++) {
        most = belief[s] > belief[most] ? s : most;
    }
    return most;
}

static void add_step(const simulation *s, int32_t step, cli_table *table) {
    const sonde_graph *graph = s->agent.world.graph;
    const sonde_episode *episode = s->episode;
    const sonde_evaluations *cost = &episode->evaluations[step];
    const int32_t edge = believed(episode, step);
    sonde_text on = {0};
    sonde_text to = {0};
    add_edge(&on, graph, edge);
    add_node(&to, graph, graph->head[episode->state[step + 1]]);
    table_add(table, "%d", (int)step + 1);
    table_add_text(table, on.data ? on.data : "");
    table_add(table, "%.4f", episode->belief[(int64_t)step * episode->n_state + edge]);
    table_add_text(table, to.data ? to.data : "");
    table_add(table, "%.4f", episode->p[step]);
    table_add(table, "%llu", (unsigned long long)cost->n_policy);
    table_add(table, "%llu", (unsigned long long)cost->n_step);
    table_add(table, "%.4g", cost->equivalent);
    sonde_text_free(&on);
    sonde_text_free(&to);
}

static void add_steps(const simulation *s, sonde_text *text) {
    static const char *const head[] = {"step", "on ",      "belief", "to",
                                       "p",    "policies", "steps",  "equivalent"};
    cli_table table = table_open(head, 8);
    for (int32_t step = 0; step < s->episode->n_step; step++) {
        add_step(s, step, &table);
    }
    sonde_text_add(text, "\n");
    table_close(&table, text);
}

static const char *sentence_of(sonde_failure failure) {
    switch (failure) {
    case SONDE_FAILURE_NONE: return "it took a shortest path and stayed on the destination";
    case SONDE_FAILURE_STAYED: return "it never left the start";
    case SONDE_FAILURE_NEVER: return "it never arrived";
    case SONDE_FAILURE_DETOUR: return "it arrived by a detour";
    case SONDE_FAILURE_LEFT: return "it arrived, and left again";
    }
    return "";
}

static void add_verdict(const simulation *s, sonde_text *text) {
    const sonde_episode *episode = s->episode;
    sonde_text_add(text, "\npath:    ");
    for (int32_t i = 0; i < s->path.n_node; i++) {
        sonde_text_add(text, i > 0 ? " " : "");
        add_node(text, s->agent.world.graph, s->path.node[i]);
    }
    sonde_text_add(text, "\nresult:  %s: %s\n", episode->optimal ? "optimal" : "not optimal",
                   sentence_of(episode->failure));
    sonde_text_add(text, "arrival: ");
    if (episode->reached < 0) {
        sonde_text_add(text, "never");
    } else {
        sonde_text_add(text, "after %d step%s", (int)episode->reached,
                       episode->reached == 1 ? "" : "s");
    }
    sonde_text_add(text, "; walked %g, shortest %g\n", episode->walked, episode->shortest);
    sonde_text_add(text, "time:    %.3g s\n", episode->seconds);
}

static sonde_status write_text(const void *about, sonde_text *text) {
    const simulation *s = about;
    add_agent_lines(text, &s->agent);
    add_steps(s, text);
    add_verdict(s, text);
    add_again(text, s->agent.args, &s->agent.world);
    return SONDE_OK;
}

/* ------------------------------------------------------------------------------------ verb -- */

sonde_status cmd_simulate(cli_arguments *args, cli_session *session) {
    enum { N_OUTPUT = 3 };
    const cli_output output[N_OUTPUT] = {
        {args->output, write_json}, {args->svg, write_svg}, {args->json ? "-" : NULL, write_json}};
    simulation s = {0};
    sonde_status status = session_check(session, output, N_OUTPUT);
    if (!status) {
        status = agent_open(args, session, &s.agent);
    }
    if (!status) {
        status = sonde_simulate(s.agent.agent, args->n_step, &s.episode, &session->error);
    }
    if (!status) {
        status = path_of_episode(s.agent.world.graph, s.episode, &s.path);
    }
    if (!status) {
        status = session_put(session, output, N_OUTPUT, write_text, &s);
    }
    path_free(&s.path);
    sonde_episode_free(s.episode);
    agent_close(&s.agent);
    return status;
}

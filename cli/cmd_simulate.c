/* cmd_simulate.c: sonde simulate lets an agent walk, and says whether it took a shortest path. */
#include "agent.h"
#include "cmd.h"
#include "path.h"
#include "sonde_lab.h"
#include "table.h"

static const cli_option walk_options[] = {
    {.name = "steps",
     .kind = OPTION_WHOLE,
     .at = offsetof(cli_arguments, n_step),
     .setting = true,
     .minimum = 1,
     .value = "N",
     .help = "how often the agent acts"},
    {.name = "process",
     .kinds = SONDE_KIND_GENERAL,
     .kind = OPTION_TEXT,
     .at = offsetof(cli_arguments, process),
     .value = "MODEL",
     .help = "the world, where it differs from the agent's model (general models only)"},
};
static const cli_option_group group_walk = {"Simulation", OPTION_TABLE(walk_options)};

const cli_option_group *const simulate_groups[] = {
    &group_walk,    &group_follow,  &group_search, &group_limits, &group_probe,
    &group_action,  &group_weights, &group_paper,  &group_scope,  &group_embed,
    &group_cluster, &group_world,   &group_model,  &group_belief, &group_seed,
    &group_json,    &group_svg,     &group_run,    NULL};

typedef struct {
    cli_agent agent;
    sonde_episode *episode;
    sonde_model *process; /* or NULL */
    cli_path path;
} simulation;

static sonde_status write_json(const void *about, sonde_text *text) {
    const simulation *s = about;
    cli_about said = agent_about(&s->agent);
    sonde_document_episode(s->agent.agent, s->episode, &said.about, text);
    about_free(&said);
    return SONDE_OK;
}

static sonde_status write_svg(const void *about, sonde_text *text) {
    const simulation *s = about;
    return sonde_draw_graph(s->agent.world.graph, s->path.node, s->path.n_node, text, NULL);
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

/* A state of every factor, by name or number. */
static void add_state(const sonde_model *model, const int32_t *state, sonde_text *text) {
    for (int32_t f = 0; f < model->n_factor; f++) {
        const sonde_factor *factor = &model->factor[f];
        sonde_text_add(text, f > 0 ? ", " : "");
        if (factor->state_name) {
            sonde_text_add(text, "%s", factor->state_name[state[f]]);
        } else {
            sonde_text_add(text, "%d", (int)state[f]);
        }
    }
}

/* The outcomes of every modality, by name or number. */
static void add_outcomes(const sonde_model *model, const int32_t *outcome, sonde_text *text) {
    for (int32_t m = 0; m < model->n_modality; m++) {
        const sonde_modality *modality = &model->modality[m];
        sonde_text_add(text, m > 0 ? ", " : "");
        if (modality->outcome_name) {
            sonde_text_add(text, "%s", modality->outcome_name[outcome[m]]);
        } else {
            sonde_text_add(text, "%d", (int)outcome[m]);
        }
    }
}

/* The steps of a general model: where the world was, what it showed, what the agent did. */
static void add_model_steps(const simulation *s, sonde_text *text) {
    static const char *const head[] = {"step",    "state ", "outcomes ", "surprise",  "free energy",
                                       "action ", "p",      "policies",  "equivalent"};
    const sonde_model *model = s->agent.world.model;
    const sonde_model *process = s->process ? s->process : model;
    const sonde_episode *e = s->episode;
    cli_table table = table_open(head, 9);
    for (int32_t t = 0; t < e->n_step; t++) {
        sonde_text state = {0};
        sonde_text outcome = {0};
        sonde_text action = {0};
        add_state(process, e->state + (int64_t)t * e->n_factor, &state);
        add_outcomes(model, e->outcome + (int64_t)t * e->n_modality, &outcome);
        add_tuple(&action, model, e->action[t]);
        table_add(&table, "%d", (int)t + 1);
        table_add_text(&table, state.data ? state.data : "");
        table_add_text(&table, outcome.data ? outcome.data : "");
        table_add(&table, "%.3f", e->energy[t].surprise);
        table_add(&table, "%.3f", e->energy[t].free_energy);
        table_add_text(&table, action.data ? action.data : "");
        table_add(&table, "%.4f", e->p[t]);
        table_add(&table, "%llu", (unsigned long long)e->evaluations[t].n_policy);
        table_add(&table, "%.4g", e->evaluations[t].equivalent);
        sonde_text_free(&state);
        sonde_text_free(&outcome);
        sonde_text_free(&action);
    }
    sonde_text_add(text, "\n");
    table_close(&table, text);
    sonde_text_add(text, "\nat the end: ");
    add_state(process, e->state + (int64_t)e->n_step * e->n_factor, text);
    sonde_text_add(text, "\nevidence:   ln P(outcomes) = %.4f\n",
                   e->energy[e->n_step - 1].log_evidence);
    sonde_text_add(text, "time:       %.3g s\n", e->seconds);
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
    if (s->agent.world.graph) {
        add_steps(s, text);
        add_verdict(s, text);
    } else {
        add_model_steps(s, text);
    }
    add_again(text, s->agent.args, &s->agent.world);
    return SONDE_OK;
}

/* ------------------------------------------------------------------------------------ verb -- */

static sonde_status run(simulation *s, const cli_arguments *args, cli_session *session) {
    sonde_agent *agent = s->agent.agent;
    if (!args->process) {
        return sonde_simulate(agent, NULL, args->n_step, &s->episode, &session->error);
    }
    const sonde_status status =
        sonde_model_read(args->process, NULL, &session->run, &s->process, &session->error);
    return status ? status
                  : sonde_simulate(agent, s->process, args->n_step, &s->episode, &session->error);
}

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
        status = run(&s, args, session);
    }
    if (!status && s.agent.world.graph) {
        status = path_of_episode(s.agent.world.graph, s.episode, &s.path);
    }
    if (!status) {
        status = session_put(session, output, N_OUTPUT, write_text, &s);
    }
    path_free(&s.path);
    sonde_episode_free(s.episode);
    sonde_model_free(s.process);
    agent_close(&s.agent);
    return status;
}

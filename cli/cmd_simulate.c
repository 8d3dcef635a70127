/* cmd_simulate.c: sonde simulate lets an agent walk, and says whether it took a shortest path. */
#include "agent.h"
#include "cmd.h"

static const cli_option walk_options[] = {
    {OPTION("steps", WHOLE, n_step, "N", "how often the agent acts"), .setting = true,
     .minimum = 1},
    {OPTION("process", TEXT, process, "MODEL",
            "the world, where it differs from the agent's model (general models only)"),
     .kinds = SONDE_KIND_GENERAL},
};
static const cli_option_group group_walk = {"Simulation", OPTION_TABLE(walk_options)};

const cli_option_group *const simulate_groups[] = {
    &group_walk,  &group_follow,  &group_search,  &group_closed, &group_limits,
    &group_probe, &group_action,  &group_weights, &group_paper,  &group_scope,
    &group_embed, &group_cluster, &group_world,   &group_model,  &group_belief,
    &group_seed,  &group_json,    &group_svg,     &group_run,    NULL};

typedef struct {
    cli_agent agent;
    sonde_episode *episode;
    sonde_model *process; /* or NULL */
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
    return s->agent.world.show->draw(text, &s->agent.world, s->episode);
}

static sonde_status write_text(const void *about, sonde_text *text) {
    const simulation *s = about;
    add_agent_lines(text, &s->agent);
    const cli_world *world = &s->agent.world;
    world->show->episode(text, world, s->process ? s->process : world->model, s->episode);
    add_again(text, s->agent.args, &s->agent.world);
    return SONDE_OK;
}

/* ------------------------------------------------------------------------------------ verb -- */

static sonde_status run(simulation *s, const cli_arguments *args, cli_session *session) {
    sonde_agent *agent = s->agent.agent;
    if (!args->process) {
        return sonde_simulate(agent, NULL, args->n_step, &s->episode, &session->error);
    }
    const sonde_status status = sonde_model_read(&(sonde_source){.origin = args->process}, NULL,
                                                 &session->run, &s->process, &session->error);
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
    if (!status) {
        status = session_put(session, output, N_OUTPUT, write_text, &s);
    }
    sonde_episode_free(s.episode);
    sonde_model_free(s.process);
    agent_close(&s.agent);
    return status;
}

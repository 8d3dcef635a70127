/* cmd_simulate.c: sonde simulate lets an agent walk, and says whether it took a shortest path. */
#include <string.h>

#include "agent.h"
#include "beside.h"
#include "cmd.h"
#include "history.h"
#include "learning.h"
#include "rates.h"
#include "table.h"

static const cli_option walk_options[] = {
    {OPTION("steps", WHOLE, n_step, "N", "how often the agent acts"), .setting = true,
     .minimum = 1},
    {OPTION("process", TEXT, process, "MODEL",
            "the world, where it differs from the agent's model (general models only)"),
     .reads = true, .kinds = SONDE_KIND_GENERAL},
    {OPTION("follow", WHOLE, n_lived, "N",
            "closed loop: live the first plan N times in the model, and see what it comes to"),
     .minimum = 2, .kinds = SONDE_KIND_GENERAL},
    {.name = "episodes",
     .kind = OPTION_WHOLE,
     .at = offsetof(cli_arguments, n_episode),
     .minimum = 1,
     .value = "N",
     .help = "how often the agent begins anew; what it has learned stays"},
    {.name = "learned",
     .kind = OPTION_TEXT,
     .kinds = SONDE_KIND_GENERAL,
     .counts = learning_counts,
     .with = "--learn",
     .at = offsetof(cli_arguments, learned),
     .value = "FILE",
     .help = "the model as it was learned, with its counts"},
    {OPTION("data", TEXT, data, "FILE",
            "what it saw and did, as a table that sonde replay and sonde fit read"),
     .kinds = SONDE_KIND_GENERAL},
    {OPTION("subject", TEXT, subject, "NAME", "whose table it is (default: 1)"),
     .kinds = SONDE_KIND_GENERAL},
};
static const cli_option_group group_walk = {"Simulation", OPTION_TABLE(walk_options)};

static const cli_option scene_options[] = {
    {OPTION("outcomes", TEXT, outcomes, "TABLE",
            "what follows each action, looked up by episode, step and action (CSV)"),
     .reads = true, .kinds = SONDE_KIND_GENERAL},
    {OPTION("save", TEXT, save, "FILE",
            "the agent and its world after the last step, in the middle of the episode")},
    {OPTION("resume", TEXT, resume, "FILE", "go on from there")},
    {OPTION("history", FLAG, history, NULL,
            "counts after every step, or every episode where there are many, in the JSON, "
            "however many numbers these are"),
     .kinds = SONDE_KIND_GENERAL, .counts = learning_counts, .with = "--learn"},
    {OPTION("history-svg", TEXT, history_svg, "FILE", "the same as a picture"),
     .kinds = SONDE_KIND_GENERAL, .counts = learning_counts, .with = "--learn"},
};
static const cli_option_group group_scene = {"World and agent", OPTION_TABLE(scene_options)};

const cli_option_group *const simulate_groups[] = {
    &group_walk,   &group_scene,  &group_learn,   &group_rates,  &group_follow,  &group_search,
    &group_closed, &group_limits, &group_probe,   &group_action, &group_weights, &group_paper,
    &group_scope,  &group_embed,  &group_cluster, &group_world,  &group_model,   &group_belief,
    &group_seed,   &group_json,   &group_svg,     &group_policy, &group_run,     NULL};

typedef struct {
    cli_agent agent;
    sonde_episode *episode; /* the last */
    sonde_stage *process;   /* or NULL */
    sonde_world *place;     /* where it is */
    cli_rates rates;
    cli_history *history; /* of an agent that learns; or NULL */
    sonde_text episodes;  /* pairs of the document that tell of all of them, and of a plan */
    sonde_followed lived; /* what a plan came to */
    sonde_text table;     /* what it saw and did, as a table */
} simulation;

static sonde_status write_json(const void *about, sonde_text *text) {
    const simulation *s = about;
    cli_about said = agent_about(&s->agent);
    said.about.after = s->episodes.data;
    sonde_document_episode(s->agent.agent, s->episode, &said.about, text);
    about_free(&said);
    return SONDE_OK;
}

static sonde_status write_learned(const void *about, sonde_text *text) {
    const simulation *s = about;
    return sonde_model_write(sonde_agent_policies(s->agent.agent)->model, text,
                             &s->agent.session->error);
}

static sonde_status write_table(const void *about, sonde_text *text) {
    const simulation *s = about;
    sonde_data_write_header(s->agent.world.model, text);
    sonde_text_add(text, "%s", s->table.data);
    return SONDE_OK;
}

/* What stands beside a table. */
static sonde_status write_beside(const void *about, sonde_text *text) {
    const simulation *s = about;
    beside_write(s->agent.args, &s->agent.world, text);
    return SONDE_OK;
}

/* The divergence of everything that was learned, and what structural zeros did not take in. */
static void add_learned(const simulation *s, sonde_text *text) {
    static const char *const letter[] = {"A", "B", "C", "D", "E"};
    const sonde_model *model = s->agent.world.model;
    for (int32_t l = 0; s->agent.args->learns && l < SONDE_N_LETTER; l++) {
        const bool factors = l == SONDE_B || l == SONDE_D;
        const int32_t n = l == SONDE_E ? 1 : factors ? model->n_factor : model->n_modality;
        for (int32_t i = 0; i < n; i++) {
            if (sonde_agent_counts(s->agent.agent, (sonde_letter)l, i, NULL) > 0) {
                const sonde_learned found = sonde_agent_learned(s->agent.agent, (sonde_letter)l, i);
                sonde_text_add(text, "learned %s[%d]: %s counts added", letter[l], (int)i,
                               number_of(found.added).text);
                sonde_text_add(text, ", %s nats from where it began", number_of(found.kl).text);
                if (found.masked > 0.0) {
                    sonde_text_add(text, "; %s were not added to counts of 0",
                                   number_of(found.masked).text);
                }
                sonde_text_add(text, "\n");
            }
        }
    }
}

/* What the first plan came to, beside what the search says of its value. */
static void add_lived(const simulation *s, sonde_text *text) {
    const sonde_followed *lived = &s->lived;
    if (lived->n == 0) {
        return;
    }
    sonde_text_add(text,
                   "follow: the first plan %d times came to %s on average, standard error %.3g",
                   (int)lived->n, number_of(lived->mean).text, lived->error);
    sonde_text_add(text, "; its value is between %s", number_of(lived->lower).text);
    sonde_text_add(text, " and %s\n", number_of(lived->upper).text);
    if (lived->left > 0.0) {
        sonde_text_add(text,
                       "        %.3g of them came to beliefs that the search had left alone\n",
                       lived->left);
    }
}

/* The same in the document. */
static void tell_lived(simulation *s) {
    sonde_text *text = &s->episodes;
    sonde_text_add(text,
                   "%s\"followed\": {\"episodes\": %d, \"mean\": ", text->size > 0 ? ", " : "",
                   (int)s->lived.n);
    sonde_text_add_number(text, s->lived.mean);
    sonde_text_add(text, ", \"error\": ");
    sonde_text_add_number(text, s->lived.error);
    sonde_text_add(text, ", \"value\": [");
    sonde_text_add_number(text, s->lived.lower);
    sonde_text_add(text, ", ");
    sonde_text_add_number(text, s->lived.upper);
    sonde_text_add(text, "], \"left\": ");
    sonde_text_add_number(text, s->lived.left);
    sonde_text_add(text, "}");
}

static sonde_status write_svg(const void *about, sonde_text *text) {
    const simulation *s = about;
    return s->agent.world.show->draw(text, &s->agent.world, s->episode);
}

static sonde_status write_text(const void *about, sonde_text *text) {
    const simulation *s = about;
    add_agent_lines(text, &s->agent);
    const cli_world *world = &s->agent.world;
    const sonde_model *process = s->process ? sonde_stage_model(s->process, 0, 0) : NULL;
    world->show->episode(text, world, process ? process : world->model, s->episode);
    add_learned(s, text);
    add_lived(s, text);
    add_again(text, s->agent.args, &s->agent.world);
    return SONDE_OK;
}

/* ------------------------------------------------------------------------------------ verb -- */

/* Tells of an episode in the document. */
static void tell(simulation *s, const sonde_episode *episode, int32_t number) {
    if (s->agent.args->data) {
        const sonde_sequence steps = {
            .n_step = episode->n_step, .outcome = episode->outcome, .action = episode->action};
        const char *subject = s->agent.args->subject ? s->agent.args->subject : "1";
        sonde_data_write_episode(s->agent.world.model, subject, number, &steps, &s->table);
    }
    if (s->agent.args->n_episode == 1) {
        return;
    }
    sonde_text_add(&s->episodes,
                   "%s{\"log_evidence\": ", number > 0 ? ",\n  " : "\"episodes\": [\n  ");
    sonde_text_add_number(&s->episodes, episode->energy[episode->n_step - 1].log_evidence);
    sonde_text_add(&s->episodes, ", \"actions\": [");
    for (int32_t t = 0; t < episode->n_step; t++) {
        sonde_text_add(&s->episodes, "%s%d", t > 0 ? ", " : "", (int)episode->action[t]);
    }
    sonde_text_add(&s->episodes, "], \"outcomes\": [");
    for (int32_t i = 0; i < episode->n_step * episode->n_modality; i++) {
        const bool first = i % episode->n_modality == 0;
        const bool last = i % episode->n_modality == episode->n_modality - 1;
        sonde_text_add(&s->episodes, "%s%s%d%s", i > 0 ? ", " : "", first ? "[" : "",
                       (int)episode->outcome[i], last ? "]" : "");
    }
    sonde_text_add(&s->episodes, "]}%s", number + 1 < s->agent.args->n_episode ? "" : "]");
}

/* What is not said of learning follows from the rest. */
static sonde_status let_learn(simulation *s, cli_arguments *args, cli_session *session) {
    if (!args->learns) {
        return SONDE_OK;
    }
    learning_settle(session->verb, args,
                    args->smooth_steps > 0 ? args->smooth_steps : args->n_step);
    const sonde_status status = rates_open(args, s->agent.world.model, &s->rates, &session->error);
    return status ? status : sonde_agent_learn(s->agent.agent, &args->learn, &session->error);
}

/* The world, as drawn by a model or looked up; and where the agent stood when it was saved. */
static sonde_status find_place(simulation *s, const cli_arguments *args, cli_session *session) {
    const sonde_model *model = s->agent.world.model;
    sonde_status status = SONDE_OK;
    if (args->process && args->outcomes) {
        return fail(&session->error, SONDE_BAD_ARGUMENT,
                    "--outcomes: are looked up, and --process draws them; give one or the other");
    }
    if (args->process) {
        status = sonde_stage_read(&(sonde_source){.origin = args->process}, &session->run,
                                  &s->process, &session->error);
    } else if (args->outcomes) {
        status = sonde_stage_table(&(sonde_source){.origin = args->outcomes}, model, &s->process,
                                   &session->error);
    }
    if (!status) {
        status = s->process ? sonde_world_new_in(s->process, model, &s->place, &session->error)
                            : sonde_world_new(model, &s->place, &session->error);
    }
    if (!status && args->resume) {
        status = sonde_agent_load(s->agent.agent, &(sonde_source){.origin = args->resume}, s->place,
                                  &session->error);
    }
    return status;
}

/* Plans from what the model begins with, and lives that. */
static sonde_status follow(simulation *s, const cli_arguments *args, cli_session *session) {
    const sonde_decision *decision = NULL;
    sonde_agent *agent = s->agent.agent;
    sonde_agent_reset(agent);
    sonde_status status = sonde_agent_search(agent, &decision, &session->error);
    if (!status) {
        status = sonde_agent_follow(agent, args->n_lived, &s->lived, &session->error);
    }
    if (!status) {
        tell_lived(s);
    }
    sonde_agent_reset(agent);
    return status;
}

/* As many moments as fit a picture: steps, or episodes where there are many. */
static void open_history(simulation *s, const cli_arguments *args) {
    enum { MOST = 400 };
    const bool by_step = (int64_t)args->n_step * args->n_episode <= MOST;
    if (args->learns) {
        s->history = history_new(s->agent.agent, by_step,
                                 by_step ? args->n_step * args->n_episode : args->n_episode);
    }
}

static void note(void *user, const sonde_agent *agent, int32_t step) {
    const simulation *s = user;
    if (s->history && history_by_step(s->history) == (step >= 0)) {
        history_note(s->history, agent);
    }
}

static sonde_status run(simulation *s, cli_arguments *args, cli_session *session) {
    sonde_status status = let_learn(s, args, session);
    if (!status) {
        status = find_place(s, args, session);
    }
    if (!status) {
        open_history(s, args);
    }
    const int32_t first = !status && args->resume ? sonde_world_episode(s->place) : 0;
    for (int32_t i = 0; !status && i < args->n_episode; i++) {
        if (session_interrupted(session)) {
            status = SONDE_STOPPED; /* short episodes do not look themselves */
            break;
        }
        const sonde_scene scene = {.number = first + i,
                                   .n_step = args->n_step,
                                   .goes_on = i == 0 && args->resume,
                                   .open = i == args->n_episode - 1 && args->save,
                                   .after = note,
                                   .user = s};
        sonde_episode_free(s->episode);
        s->episode = NULL;
        status = sonde_simulate_in(s->agent.agent, s->place, &scene, &s->episode, &session->error);
        if (!status) {
            tell(s, s->episode, i);
        }
        if (!status && s->history) {
            history_tell(s->history, s->agent.world.model, s->episode, !s->process);
        }
    }
    if (!status && s->history) {
        sonde_text_add(&s->episodes, s->episodes.size > 0 ? ",\n " : "");
        history_write(s->history, s->agent.world.model, args->history, &s->episodes);
    }
    return !status && args->n_lived > 0 ? follow(s, args, session) : status;
}

static sonde_status write_history(const void *about, sonde_text *text) {
    const simulation *s = about;
    if (!s->history) {
        return fail(&s->agent.session->error, SONDE_NO_MEMORY,
                    "there is no memory for --history-svg");
    }
    history_draw(s->history, s->agent.world.model, text);
    return SONDE_OK;
}

static sonde_status write_agent(const void *about, sonde_text *text) {
    const simulation *s = about;
    return sonde_agent_save(s->agent.agent, s->place, text, &s->agent.session->error);
}

/* A table is of one simulation of a general model. */
static sonde_status check_table(const simulation *s, const cli_arguments *args,
                                cli_session *session) {
    if (args->data && s->agent.world.model->graph) {
        return fail(&session->error, SONDE_BAD_ARGUMENT,
                    "--data: concerns general models, and this is a graph world; leave it out");
    }
    if (args->data && args->resume) {
        return fail(&session->error, SONDE_BAD_ARGUMENT,
                    "--data: a table begins with an episode, and --resume is in the middle of one, "
                    "from which no replay would begin; simulate without it, or leave --data out");
    }
    if (args->subject && !args->data) {
        return fail(&session->error, SONDE_BAD_ARGUMENT,
                    "--subject: goes with --data only; choose that, or leave it out");
    }
    return SONDE_OK;
}

sonde_status cmd_simulate(cli_arguments *args, cli_session *session) {
    enum { N_OUTPUT = 8 };
    sonde_text beside = args->data ? beside_path(args->data) : (sonde_text){0};
    piece_check(&beside);
    const bool file = args->data && beside.data && strcmp(args->data, "-") != 0;
    const cli_output output[N_OUTPUT] = {{args->output, write_json},
                                         {args->svg, write_svg},
                                         {args->learned, write_learned},
                                         {args->save, write_agent},
                                         {args->history_svg, write_history},
                                         {args->data, write_table},
                                         {file ? beside.data : NULL, write_beside},
                                         {args->json ? "-" : NULL, write_json}};
    simulation s = {0};
    sonde_status status = session_check(session, output, N_OUTPUT);
    if (args->data && !option_given(session->verb, args, "search") &&
        !option_given(session->verb, args, "epsilon") &&
        args->search.search == sonde_search_defaults().search) {
        /* so that its probabilities are those of sonde replay, to the last digit */
        (void)sonde_settings_set(&args->search, "search", "full", NULL);
    }
    if (!status) {
        status = agent_open(args, session, &s.agent);
    }
    if (!status) {
        status = check_table(&s, args, session);
    }
    if (!status) {
        status = run(&s, args, session);
    }
    piece_check(&s.episodes);
    piece_check(&s.table);
    if (!status) {
        status = session_put(session, output, N_OUTPUT, write_text, &s);
    }
    sonde_episode_free(s.episode);
    piece_free(&s.episodes);
    sonde_world_free(s.place);
    sonde_stage_free(s.process);
    rates_close(&s.rates);
    history_free(s.history);
    piece_free(&s.table);
    piece_free(&beside);
    agent_close(&s.agent);
    return status;
}

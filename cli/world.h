/* world.h: what a verb works on: a graph world or a model, its policies, and how to show their
 * parts. */
#ifndef SONDE_CLI_WORLD_H
#define SONDE_CLI_WORLD_H

#include "session.h"

typedef struct {
    sonde_input input;              /* what was read or drawn */
    const sonde_model *model;       /* of the input */
    const struct cli_showing *show; /* what is shown differently of its kind */
    sonde_policies *policies;
    sonde_policies *scored; /* the same, as the settings weigh the parts of their G */
    double *belief;         /* (n_belief) before the first action */
    int32_t *outcome;       /* (n_modality) what --observe says, or NULL */
    double *weight;         /* (outcomes of all modalities) of those that are soft, or NULL */
    sonde_present now;      /* from which policies are carried out */
    int32_t origin;         /* of the policies of the scope */
    char start[32];         /* what the command line would say: "previous,current" by number */
    char destination[16];
    sonde_text command; /* the command that makes the result again */
} cli_world;

/* What the command does differently with graph worlds (world_graph.c) and with general models
 * (world_model.c). */
typedef struct cli_showing {
    const char *policy; /* what a list calls its policies */
    /* puts the world's own values where nobody gave any, so that the command names all of them */
    void (*settle)(cli_arguments *args, const cli_verb *verb, cli_world *world);
    /* `7 nodes, 21 edges; from 1→4 to 3; horizon 7, lambda 5` */
    void (*line)(sonde_text *text, const cli_world *world);
    /* `G counts utility 2 and cost 1 times` */
    void (*weights)(sonde_text *text, const sonde_weights *weights);
    /* where policies begin: `1→4`, `the present belief` */
    void (*origin)(sonde_text *text, const cli_world *world);
    /* what is believed of the factors, and the table of actions, with a bar for each */
    void (*actions)(sonde_text *text, const cli_world *world, const sonde_decision *decision);
    /* what an episode was like, step by step; `process` is the world it was in */
    void (*episode)(sonde_text *text, const cli_world *world, const sonde_model *process,
                    const sonde_episode *episode);
    /* the picture of a path, where the kind of world has one; otherwise NULL */
    sonde_status (*draw)(sonde_text *svg, const cli_world *world, const sonde_episode *episode);
    /* what `sonde model` tells of tables, after the policies and after the size of a belief */
    void (*tables)(sonde_text *text, const sonde_model *model);
    void (*policies)(sonde_text *text, const sonde_model *model);
    void (*states)(sonde_text *text, const sonde_model *model);
} cli_showing;
extern const cli_showing showing_graph;
extern const cli_showing showing_model;

/* Says that sequences of actions have another prior than actions, where a model has the latter. */
void world_note_prior(cli_session *session, const cli_world *world);
/* Reads the file that the command line names. Who runs many commands in one process may have one of
 * its own, which keeps what it has read. */
sonde_status world_read(const cli_arguments *args, cli_session *session, sonde_input *input);
/* Draws the world, or reads it; settles in `args` what the command line left open. */
sonde_status world_open(cli_arguments *args, cli_session *session, cli_world *world);
void world_close(cli_world *world);
/* Whether outcomes are taken in: those of --observe, or of a simulation. */
bool world_observes(const cli_verb *verb, const cli_arguments *args);

/* G of one policy, with the terms of its steps and the edges it reaches where `steps` (T) and
 * `reached` (T) are not NULL. */
sonde_status world_score(const cli_world *world, const int32_t *walk, sonde_efe *steps,
                         int32_t *reached, sonde_efe *total);
/* Whether some part of G counts more or less than once. */
bool world_is_weighed(const cli_world *world);
/* Whether novelty counts. */
bool world_is_novel(const cli_world *world);
/* `7 nodes, 21 edges; from 1→4 to 3; horizon 7, lambda 5`, and a line on what counts in G */
void add_world_line(sonde_text *text, const cli_world *world);
/* `195 policies from 1→4` */
void add_policies_line(sonde_text *text, const cli_world *world);
/* The last lines of every text: sign, seed, version, and the command that makes it again. */
void add_again(sonde_text *text, const cli_arguments *args, const cli_world *world);

#endif

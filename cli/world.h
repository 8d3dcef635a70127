/* world.h: what a verb works on: a graph world or a model, its policies, and how to show their
 * parts. */
#ifndef SONDE_CLI_WORLD_H
#define SONDE_CLI_WORLD_H

#include "session.h"

typedef struct {
    sonde_graph *graph; /* NULL: a general model */
    sonde_model *model;
    sonde_policies *policies;
    sonde_policies *scored; /* the same, as the settings weigh the parts of their G */
    double *belief;         /* (n_belief) general models: before the first action */
    int32_t *outcome;       /* (n_modality) what --observe says, or NULL */
    double *weight;         /* (outcomes of all modalities) of those that are soft, or NULL */
    sonde_present now;      /* from which policies are carried out */
    int32_t origin;         /* of the policies of the scope */
    char start[32];         /* what the command line would say: "previous,current" by number */
    char destination[16];
    sonde_text command; /* the command that makes the result again */
} cli_world;

/* Draws the world, or reads it; settles in `args` what the command line left open. */
sonde_status world_open(cli_arguments *args, cli_session *session, cli_world *world);
void world_close(cli_world *world);

/* A node by its name, or its number where there are none. */
void add_node(sonde_text *text, const sonde_graph *graph, int32_t node);
/* An edge as a→b. */
void add_edge(sonde_text *text, const sonde_graph *graph, int32_t edge);
/* The action of a general model: names or numbers of the factors that have more than one. */
void add_tuple(sonde_text *text, const sonde_model *model, int32_t action);
/* A policy: the T + 2 nodes of a walk, or T actions. */
void add_policy(sonde_text *text, const cli_world *world, const int32_t *walk);
/* G of one policy, with the terms of its steps where `steps` (T) is not NULL. */
sonde_status world_score(const cli_world *world, const int32_t *walk, sonde_efe *steps,
                         int32_t *reached, sonde_efe *total);
/* Whether some part of G counts more or less than once. */
bool world_is_weighed(const cli_world *world);
/* `7 nodes, 21 edges; from 1→4 to 3; horizon 7, lambda 5`, and a line on what counts in G */
void add_world_line(sonde_text *text, const cli_world *world);
/* `195 policies from 1→4` */
void add_policies_line(sonde_text *text, const cli_world *world);
/* The last lines of every text: sign, seed, version, and the command that makes it again. */
void add_again(sonde_text *text, const cli_arguments *args, const cli_world *world);

#endif

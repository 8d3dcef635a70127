/* groups.c: the options that several verbs share, each written down once. */
#include "options.h"

static const char *semantics_name(int32_t semantics) {
    static const char *const name[] = {"text", "notebook"};
    return semantics >= 0 && semantics < 2 ? name[semantics] : NULL;
}

static const char *difference_about(int32_t difference) {
    switch (difference) {
#define SENTENCE(code, name, sentence)                                                             \
    case code: return sentence;
        SONDE_DIFFERENCE_LIST(SENTENCE)
#undef SENTENCE
    default: return NULL;
    }
}

static const cli_option world[] = {
    {.name = "start",
     .kind = OPTION_TEXT,
     .at = offsetof(cli_arguments, start),
     .setting = true,
     .value = "A,B",
     .help = "the edge it starts on: it came from A and is on B"},
    {.name = "destination",
     .kind = OPTION_TEXT,
     .at = offsetof(cli_arguments, destination),
     .setting = true,
     .value = "NODE",
     .help = "where it wants to be"},
    {.name = "horizon",
     .kind = OPTION_WHOLE,
     .at = offsetof(cli_arguments, horizon),
     .setting = true,
     .minimum = 1,
     .value = "T",
     .help = "steps in a policy"},
    {.name = "lambda",
     .kind = OPTION_REAL,
     .at = offsetof(cli_arguments, lambda),
     .setting = true,
     .value = "X",
     .help = "what one unit of weight costs, in nats"},
};
const cli_option_group group_world = {"World (instead of what the file says)", OPTION_TABLE(world)};

static const cli_option draw[] = {
    {.name = "nodes",
     .kind = OPTION_WHOLE,
     .at = offsetof(cli_arguments, n_node),
     .setting = true,
     .minimum = 1,
     .value = "N",
     .help = "draw a world of N nodes"},
    {.name = "connect",
     .kind = OPTION_CHOICE,
     .at = offsetof(cli_arguments, connect),
     .setting = true,
     .names = sonde_connect_name,
     .value = "HOW",
     .help = "both directions of every edge, or strongly connected"},
    {.name = "edge-probability",
     .kind = OPTION_REAL,
     .at = offsetof(cli_arguments, edge_probability),
     .setting = true,
     .maximum = 1,
     .value = "P",
     .help = "of each ordered pair of nodes (default: 2/N)"},
    {.name = "weights",
     .kind = OPTION_REALS,
     .at = offsetof(cli_arguments, weights),
     .setting = true,
     .value = "X,X,...",
     .help = "what edges draw their weights from"},
    {.name = "idle",
     .kind = OPTION_REAL,
     .at = offsetof(cli_arguments, idle),
     .setting = true,
     .value = "X",
     .help = "weight of self-edges that nobody gave (default: 100)"},
};
const cli_option_group group_draw = {"Drawing", OPTION_TABLE(draw)};

static const cli_option seed[] = {
    {.name = "seed",
     .kind = OPTION_COUNT,
     .at = offsetof(cli_arguments, seed),
     .setting = true,
     .value = "N",
     .help = "of everything that is drawn"},
};
const cli_option_group group_seed = {"Chance", OPTION_TABLE(seed)};

static const cli_option scope[] = {
    {.name = "scope",
     .kind = OPTION_CHOICE,
     .at = offsetof(cli_arguments, scope),
     .setting = true,
     .names = sonde_scope_name,
     .value = "SCOPE",
     .help = "policies from the agent's edge, or from every edge"},
};
const cli_option_group group_scope = {"Policies", OPTION_TABLE(scope)};

static const cli_option embed[] = {
    {.name = "embedding",
     .kind = OPTION_CHOICE,
     .at = offsetof(cli_arguments, embedding),
     .setting = true,
     .names = sonde_embedding_name,
     .about = sonde_embedding_about,
     .value = "NAME",
     .help = "what a policy's row of numbers records"},
    {.name = "onehot-weight",
     .kind = OPTION_REAL,
     .at = offsetof(cli_arguments, onehot_weight),
     .setting = true,
     .value = "X",
     .help = "of aboe-onehot's last columns; 0 is the horizon"},
};
const cli_option_group group_embed = {"Embedding", OPTION_TABLE(embed)};

static const cli_option cluster[] = {
    {.name = "k",
     .kind = OPTION_WHOLE,
     .at = offsetof(cli_arguments, k),
     .setting = true,
     .minimum = 1,
     .value = "K",
     .help = "clusters"},
    {.name = "restarts",
     .kind = OPTION_WHOLE,
     .at = offsetof(cli_arguments, n_restart),
     .setting = true,
     .minimum = 1,
     .value = "N",
     .help = "the best of this many runs of k-means"},
};
const cli_option_group group_cluster = {"Clusters", OPTION_TABLE(cluster)};

static const cli_option search[] = {
    {.name = "search",
     .kind = OPTION_CHOICE,
     .at = offsetof(cli_arguments, search),
     .setting = true,
     .names = sonde_search_name,
     .value = "HOW",
     .help = "score every policy, or probe clusters and score the best"},
    {.name = "probe",
     .kind = OPTION_CHOICE,
     .at = offsetof(cli_arguments, probe),
     .setting = true,
     .names = sonde_probe_name,
     .value = "HOW",
     .help = "value a cluster by its representative, or by some members"},
    {.name = "samples",
     .kind = OPTION_WHOLE,
     .at = offsetof(cli_arguments, n_sample),
     .setting = true,
     .minimum = 1,
     .value = "N",
     .help = "members that --probe sample scores"},
    {.name = "top",
     .kind = OPTION_WHOLE,
     .at = offsetof(cli_arguments, n_top),
     .setting = true,
     .minimum = 1,
     .value = "M",
     .help = "how many of the best clusters are searched"},
    {.name = "action",
     .kind = OPTION_CHOICE,
     .at = offsetof(cli_arguments, action),
     .setting = true,
     .names = sonde_action_name,
     .value = "RULE",
     .help = "how the action is chosen"},
    {.name = "alpha",
     .kind = OPTION_REAL,
     .at = offsetof(cli_arguments, alpha),
     .setting = true,
     .value = "X",
     .help = "precision of --action softmax"},
    {.name = "gamma",
     .kind = OPTION_REAL,
     .at = offsetof(cli_arguments, gamma),
     .setting = true,
     .value = "X",
     .help = "precision of the posterior, Q proportional to exp(-gamma G)"},
    {.name = "semantics",
     .kind = OPTION_CHOICE,
     .at = offsetof(cli_arguments, semantics),
     .setting = true,
     .names = semantics_name,
     .value = "WHOSE",
     .help = "the paper's text, or the authors' notebook"},
    {.name = "differences",
     .kind = OPTION_CHOICES,
     .at = offsetof(cli_arguments, differences),
     .setting = true,
     .names = sonde_difference_name,
     .about = difference_about,
     .value = "NAME,...",
     .help = "do only these things as the notebook does"},
    {.name = "k-before",
     .kind = OPTION_WHOLE,
     .at = offsetof(cli_arguments, k_before),
     .setting = true,
     .minimum = 1,
     .value = "K",
     .help = "k of the run before, for --differences lag"},
};
const cli_option_group group_search = {"Search", OPTION_TABLE(search)};

static const cli_option json[] = {
    {.name = "json",
     .kind = OPTION_FLAG,
     .at = offsetof(cli_arguments, json),
     .help = "print one JSON document instead of text"},
    {.name = "output",
     .letter = 'o',
     .kind = OPTION_TEXT,
     .at = offsetof(cli_arguments, output),
     .value = "FILE",
     .help = "write the JSON document to a file (- is standard output)"},
};
const cli_option_group group_json = {"Output", OPTION_TABLE(json)};

static const cli_option svg[] = {
    {.name = "svg",
     .kind = OPTION_TEXT,
     .at = offsetof(cli_arguments, svg),
     .value = "FILE",
     .help = "write a picture of the world, and of the path where there is one"},
};
const cli_option_group group_svg = {"Picture", OPTION_TABLE(svg)};

static const cli_option run[] = {
    {.name = "threads",
     .kind = OPTION_WHOLE,
     .at = offsetof(cli_arguments, n_thread),
     .minimum = 1,
     .maximum = 1024,
     .value = "N",
     .help = "how many (default: one for each core); changes no number"},
    {.name = "memory",
     .kind = OPTION_BYTES,
     .at = offsetof(cli_arguments, memory),
     .value = "SIZE",
     .help = "the most to ask for at once, such as 500M or 2G"},
    {.name = "progress",
     .kind = OPTION_FLAG,
     .at = offsetof(cli_arguments, progress),
     .help = "show progress on standard error, terminal or not"},
    {.name = "quiet",
     .kind = OPTION_FLAG,
     .at = offsetof(cli_arguments, quiet),
     .help = "no notes and no progress"},
};
const cli_option_group group_run = {"Running", OPTION_TABLE(run)};

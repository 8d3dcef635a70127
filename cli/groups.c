/* groups.c: the options that several verbs share, each written down once. */
#include "options.h"

static bool makes_clusters(const cli_arguments *args) {
    return sonde_differences_count(&args->search, args->kinds);
}

static bool lags(const cli_arguments *args) {
    return makes_clusters(args) && (arguments_differences(args) >> SONDE_DIFFERENCE_LAG & 1u) != 0;
}

static const char *semantics_name(int32_t semantics) {
    static const char *const name[] = {"text", "notebook"};
    return semantics >= 0 && semantics < 2 ? name[semantics] : NULL;
}

static const cli_option world[] = {
    {.name = "start",
     .kinds = SONDE_KIND_GRAPH,
     .kind = OPTION_TEXT,
     .at = offsetof(cli_arguments, start),
     .setting = true,
     .value = "A,B",
     .help = "the edge it starts on: it came from A and is on B"},
    {.name = "destination",
     .kinds = SONDE_KIND_GRAPH,
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

static const char *like_about(int32_t like) {
    return sonde_like_apply(like, NULL, NULL);
}

static const cli_option model[] = {
    {.name = "preferences",
     .kinds = SONDE_KIND_GENERAL,
     .kind = OPTION_CHOICE,
     .at = offsetof(cli_arguments, preferences),
     .setting = true,
     .names = sonde_preferences_name,
     .value = "HOW",
     .help = "how C is read: softmax(C), C / sum, or C as it is"},
    {.name = "information",
     .kinds = SONDE_KIND_GENERAL,
     .kind = OPTION_CHOICE,
     .at = offsetof(cli_arguments, information),
     .setting = true,
     .names = sonde_information_name,
     .value = "HOW",
     .help = "risk of each modality's outcomes, or of all jointly"},
    {.name = "like",
     .kinds = SONDE_KIND_GENERAL,
     .kind = OPTION_CHOICE,
     .at = offsetof(cli_arguments, like),
     .names = sonde_like_name,
     .about = like_about,
     .value = "WHOSE",
     .help = "the conventions of another package, where no option says otherwise"},
};
const cli_option_group group_model = {"Model (general models only)", OPTION_TABLE(model)};

static const cli_option observe[] = {
    {.name = "observe",
     .kinds = SONDE_KIND_GENERAL,
     .kind = OPTION_TEXT,
     .at = offsetof(cli_arguments, observe),
     .value = "O,O,...",
     .help = "outcomes seen first, one for each modality: a number or name, weights of all as "
             "0.2:0.8, or - for none"},
};
const cli_option_group group_observe = {"Present (general models only)", OPTION_TABLE(observe)};

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

static const cli_option paper[] = {
    {.name = "semantics",
     .kind = OPTION_CHOICE,
     .at = offsetof(cli_arguments, semantics),
     .setting = true,
     .names = semantics_name,
     .value = "WHOSE",
     .counts = makes_clusters,
     .help = "the paper's text, or the authors' notebook"},
    {.name = "differences",
     .kind = OPTION_CHOICES,
     .at = offsetof(cli_arguments, differences),
     .setting = true,
     .names = sonde_difference_name,
     .about = sonde_difference_about,
     .value = "NAME,...",
     .counts = makes_clusters,
     .help = "do only these things as the notebook does"},
    {.name = "k-before",
     .kind = OPTION_WHOLE,
     .at = offsetof(cli_arguments, k_before),
     .setting = true,
     .minimum = 1,
     .value = "K",
     .counts = lags,
     .help = "k of the run before, for --differences lag"},
};
const cli_option_group group_paper = {"The paper", OPTION_TABLE(paper)};

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
     .kinds = SONDE_KIND_GRAPH,
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

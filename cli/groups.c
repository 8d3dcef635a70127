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
    {OPTION("start", TEXT, start, "A,B", "the edge it starts on: it came from A and is on B"),
     .kinds = SONDE_KIND_GRAPH, .setting = true},
    {OPTION("destination", TEXT, destination, "NODE", "where it wants to be"),
     .kinds = SONDE_KIND_GRAPH, .setting = true},
    {OPTION("horizon", WHOLE, horizon, "T", "steps in a policy; in closed loop inf is none"),
     .setting = true, .minimum = 1},
    {OPTION("lambda", REAL, lambda, "X", "what one unit of weight costs, in nats"),
     .setting = true},
};
const cli_option_group group_world = {"World (instead of what the file says)", OPTION_TABLE(world)};

static const char *like_about(int32_t like) {
    return sonde_like_apply(like, NULL, NULL);
}

static const cli_option model[] = {
    {OPTION("preferences", CHOICE, preferences, "HOW",
            "how C is read: softmax(C), C / sum, or C as it is"),
     .kinds = SONDE_KIND_GENERAL, .setting = true, .names = sonde_preferences_name},
    {OPTION("information", CHOICE, information, "HOW",
            "risk of each modality's outcomes, or of all jointly"),
     .kinds = SONDE_KIND_GENERAL, .setting = true, .names = sonde_information_name},
    {OPTION("like", CHOICE, like, "WHOSE",
            "the conventions of another package, where no option says otherwise"),
     .kinds = SONDE_KIND_GENERAL, .names = sonde_like_name, .about = like_about},
};
const cli_option_group group_model = {"Model (general models only)", OPTION_TABLE(model)};

static const cli_option observe[] = {
    {OPTION("observe", TEXT, observe, "O,O,...",
            "outcomes seen first, one for each modality: a number or name, weights of all as "
            "0.2:0.8, or - for none"),
     .kinds = SONDE_KIND_GENERAL},
};
const cli_option_group group_observe = {"Present (general models only)", OPTION_TABLE(observe)};

static const cli_option draw[] = {
    {OPTION("nodes", WHOLE, n_node, "N", "draw a world of N nodes"), .setting = true, .minimum = 1},
    {OPTION("connect", CHOICE, connect, "HOW",
            "both directions of every edge, or strongly connected"),
     .setting = true, .names = sonde_connect_name},
    {OPTION("edge-probability", REAL, edge_probability, "P",
            "of each ordered pair of nodes (default: 2/N)"),
     .setting = true, .maximum = 1},
    {OPTION("weights", REALS, weights, "X,X,...", "what edges draw their weights from"),
     .setting = true},
    {OPTION("idle", REAL, idle, "X", "weight of self-edges that nobody gave (default: 100)"),
     .setting = true},
};
const cli_option_group group_draw = {"Drawing", OPTION_TABLE(draw)};

static const cli_option paper[] = {
    {OPTION("semantics", CHOICE, semantics, "WHOSE", "the paper's text, or the authors' notebook"),
     .setting = true, .names = semantics_name, .counts = makes_clusters},
    {OPTION("differences", CHOICES, differences, "NAME,...",
            "do only these things as the notebook does"),
     .setting = true, .names = sonde_difference_name, .about = sonde_difference_about,
     .counts = makes_clusters},
    {OPTION("k-before", WHOLE, k_before, "K", "k of the run before, for --differences lag"),
     .setting = true, .minimum = 1, .counts = lags},
};
const cli_option_group group_paper = {"The paper", OPTION_TABLE(paper)};

static const cli_option json[] = {
    {OPTION("json", FLAG, json, NULL, "print one JSON document instead of text")},
    {OPTION("output", TEXT, output, "FILE",
            "write the JSON document to a file (- is standard output)"),
     .letter = 'o'},
};
const cli_option_group group_json = {"Output", OPTION_TABLE(json)};

static bool closes(const cli_arguments *args) {
    return args->search.loop == SONDE_LOOP_CLOSED;
}

static const cli_option policy[] = {
    {OPTION("action-prior", TEXT, action_prior, "FILE",
            "how probable each action is beforehand, in place of the model's: as many numbers as "
            "there are actions, as a JSON list or one after the other"),
     .reads = true, .kinds = SONDE_KIND_GENERAL, .counts = closes, .with = "--loop closed"},
    {OPTION("use-policy", TEXT, use_policy, "FILE",
            "what an earlier search without a horizon has found: a sonde-policy, or SARSOP's "
            ".policy"),
     .kinds = SONDE_KIND_GENERAL, .counts = closes, .with = "--loop closed"},
};
const cli_option_group group_policy = {"What is known beforehand (closed loop)",
                                       OPTION_TABLE(policy)};

static const cli_option svg[] = {
    {OPTION("svg", TEXT, svg, "FILE",
            "write a picture of the world, and of the path where there is one"),
     .kinds = SONDE_KIND_GRAPH},
};
const cli_option_group group_svg = {"Picture", OPTION_TABLE(svg)};

static const cli_option run[] = {
    {OPTION("threads", WHOLE, n_thread, "N",
            "how many (default: one for each core); changes no number"),
     .minimum = 1, .maximum = 1024},
    {OPTION("memory", BYTES, memory, "SIZE", "the most to ask for at once, such as 500M or 2G")},
    {OPTION("progress", FLAG, progress, NULL, "show progress on standard error, terminal or not")},
    {OPTION("quiet", FLAG, quiet, NULL, "no notes and no progress")},
};
const cli_option_group group_run = {"Running", OPTION_TABLE(run)};

/* main.c: the table of verbs. A new verb is one new file and one new row here. */
#include <stdio.h>
#include <string.h>

#include "cmd.h"
#include "version.h"

static const cli_verb verbs[] = {
    {.name = "graph",
     .line = "draw a world, or check, describe and picture one",
     .usage = "FILE | --nodes N  [options]",
     .story =
         "Reads a world, or draws one with --nodes, and describes it: its edges, where the agent\n"
         "starts and wants to be, how far that is and how many policies there are.",
     .converts = true,
     .group = graph_groups,
     .run = cmd_graph},
    {.name = "model",
     .line = "make a model, or check, describe and convert one",
     .usage = "FILE | --make MODEL  [options]",
     .story =
         "Reads a model (a sonde-model document, an .npz file with pymdp's arrays A_0, B_0, C_0,\n"
         "D_0, ..., a .POMDP file, a POMDPX document) or a graph world, or makes a model with\n"
         "--make, and describes it: its factors and modalities, what depends on what, how certain\n"
         "A and B are, how many policies there are. With -o it writes the model as a document.",
     .file_word = "model",
     .converts = true,
     .group = model_groups,
     .run = cmd_model},
    {.name = "efe",
     .line = "list policies with their expected free energy",
     .usage = "FILE [options]",
     .story =
         "Lists every policy of a scope, or a list of your own, with its expected free energy\n"
         "G = risk + ambiguity + cost. Smaller is better.",
     .file_required = true,
     .counts = true,
     .group = efe_groups,
     .run = cmd_efe},
    {.name = "embed",
     .line = "turn policies into rows of numbers",
     .usage = "FILE [options]",
     .story =
         "Turns every policy of a scope into a row of numbers, and shows the plane in which the\n"
         "rows vary most.",
     .file_required = true,
     .counts = true,
     .group = embed_groups,
     .run = cmd_embed},
    {.name = "cluster",
     .line = "group policies that are alike",
     .usage = "FILE [options]",
     .story =
         "Groups the embedded policies of a scope by k-means, and names a representative of each\n"
         "cluster.",
     .file_required = true,
     .counts = true,
     .group = cluster_groups,
     .run = cmd_cluster},
    {.name = "plan",
     .line = "make one decision",
     .usage = "FILE [options]",
     .story = "Searches the policies of an agent on the start edge, and draws its first action.",
     .file_required = true,
     .counts = true,
     .group = plan_groups,
     .run = cmd_plan},
    {.name = "simulate",
     .line = "let an agent walk, step by step",
     .usage = "FILE [options]",
     .story =
         "Lets an agent decide and act for some steps, and says whether it took a shortest path\n"
         "to its destination and stayed there.",
     .file_required = true,
     .counts = true,
     .group = simulate_groups,
     .run = cmd_simulate},
    {.name = "replay",
     .line = "let an agent follow what somebody saw and did",
     .usage = "MODEL TABLE [options] | TRIALS --scheme spm",
     .story =
         "An agent of MODEL sees what the subjects of TABLE saw, does what they did, and says how\n"
         "probable each of their actions was. TABLE is CSV or TSV: columns subject, session,\n"
         "episode, step, one for each modality and each factor with actions, score and model.\n"
         "With --scheme spm, TRIALS is a sonde-spm document, an MDP structure of SPM's and its\n"
         "trials, and everything is done as spm_MDP_VB_X does it, number for number.",
     .file_required = true,
     .counts = true,
     .exact = true,
     .data = true,
     .file_word = "model",
     .group = replay_groups,
     .in_scheme = replay_in_scheme,
     .run = cmd_replay},
    {.name = "fit",
     .line = "find the parameters that make what people did most probable",
     .usage = "MODEL TABLE | TRIALS... --scheme spm  --free NAME,... | --parameters FILE",
     .story =
         "Finds, for every subject of TABLE, the most probable parameters of an agent of MODEL\n"
         "(MAP), how certain they are and the evidence of the model (Laplace), and which directions\n"
         "the data say nothing about. With --group eb subjects are draws from a group, whose mean\n"
         "may depend on covariates. Interrupted, a fit with --db goes on where it was; mpirun\n"
         "spreads subjects over ranks and machines.",
     .file_required = true,
     .counts = true,
     .exact = true,
     .data = true,
     .n_more = WORDS_MAX,
     .file_word = "model",
     .group = fit_groups,
     .in_scheme = fit_in_scheme,
     .run = cmd_fit},
    {.name = "smooth",
     .line = "what is believed of a sequence, given all of it",
     .usage = "MODEL --data FILE [options]",
     .story =
         "Takes in a sequence of outcomes and actions, and says what is believed of the states at\n"
         "every step: given what came before it, or given all of it.",
     .file_required = true,
     .file_word = "model",
     .group = smooth_groups,
     .run = cmd_smooth},
    {.name = "recover",
     .line = "would this task identify these parameters?",
     .usage = "MODEL --free NAME,... | --parameters FILE ...  [options]",
     .story =
         "Draws parameters, lets agents with them go through the task, fits them as if they were\n"
         "people, and says how well the parameters came back: correlation, bias, error, coverage\n"
         "and shrinkage of each, and which of several models is found where which is true. With\n"
         "--groups, how many subjects it takes to see a difference between two groups.",
     .file_required = true,
     .file_word = "model",
     .exact = true,
     .group = recover_groups,
     .run = cmd_recover},
    {.name = "compare",
     .line = "which of several fitted models subjects use",
     .usage = "FIT FIT ... | TABLE  [options]",
     .story =
         "Compares models that were fitted to the same subjects: how frequent each is among them,\n"
         "with exceedance and protected exceedance probabilities (random effects), how probable\n"
         "if all use the same (fixed effects), AIC and BIC, and parameters averaged over models.\n"
         "FIT is a result of sonde fit; TABLE a CSV or TSV file with log evidences, a row for each\n"
         "subject and a column for each model.",
     .file_required = true,
     .file_word = "fit or a table",
     .n_more = WORDS_MAX,
     .group = compare_groups,
     .run = cmd_compare},
    {.name = "study",
     .line = "run many agents on many worlds",
     .usage = "PLAN --db FILE [options]",
     .story =
         "Carries out a plan: a file, or one that is built in (paper, paper-all, table, quality,\n"
         "scaling, closed). Every result is a row of the SQLite file. Interrupted, the same\n"
         "command goes on where it was. mpirun spreads the work over ranks and machines.",
     .file_required = true,
     .file_word = "plan",
     .group = study_groups,
     .run = cmd_study},
    {.name = "report",
     .line = "turn the results of a study, a fit or a run into a page",
     .usage = "FILE.sqlite | DOCUMENT.json  -o FOLDER",
     .story =
         "Writes a page that opens from disk, with every table as CSV and LaTeX beside it, and\n"
         "prints the main table. DOCUMENT is what sonde fit, recover, compare, replay or simulate\n"
         "--learn wrote with -o.",
     .file_required = true,
     .file_word = "results file",
     .group = report_groups,
     .run = cmd_report},
    {.name = "view",
     .line = "look at a world, a model or results in a browser",
     .usage = "[FILE] [options]",
     .story =
         "Writes one HTML file with FILE inside it (a world, a model, an .npz file, whatever sonde\n"
         "report takes, or nothing: then a world to play with) and opens it in a browser. The\n"
         "library itself is in it, so that it works without Sonde, without a network, and for "
         "good.",
     .group = view_groups,
     .run = cmd_view},
    {.name = "bench",
     .line = "measure what a stage costs on this machine",
     .usage = "cluster --nodes N | --world FILE | --rows FILE  [options]",
     .story =
         "Embeds and clusters the policies of a scope from end to end, walks to labels, a few\n"
         "times over, and tells the least of the times and the most of the memory.",
     .file_required = true,
     .file_word = "stage (cluster)",
     .counts = true,
     .group = bench_groups,
     .run = cmd_bench},
};
enum { N_VERB = sizeof verbs / sizeof verbs[0] };

static const char *verb_name(int32_t index) {
    return index >= 0 && index < N_VERB ? verbs[index].name : NULL;
}

static void add_overview(sonde_text *text) {
    sonde_text_add(text,
                   "sonde %s: policy search for discrete active inference\n\n"
                   "usage: sonde VERB [options]\n\n",
                   sonde_version());
    for (int32_t i = 0; i < N_VERB; i++) {
        sonde_text_add(text, "  %-10s %s\n", verbs[i].name, verbs[i].line);
    }
    sonde_text_add(text, "\n"
                         "  help VERB  the options of a verb; help --json, of all as one document\n"
                         "  --version  the version, and what it is made of\n\n"
                         "A world to begin with:\n\n"
                         "  sonde graph --nodes 5 --seed 1 -o world.json\n"
                         "  sonde plan world.json\n"
                         "  sonde simulate world.json --svg path.svg\n\n"
                         "Exit: 0 done, 1 the run failed, 2 wrong usage, 3 bad input file, 4 too "
                         "large.\n");
}

/* Everything that the verbs' tables say, for programs. */
static void add_document(sonde_text *json) {
    sonde_text_add(
        json, "{\"format\": \"sonde-help\", \"version\": 1, \"sonde\": \"%s\",\n  \"verbs\": [\n",
        sonde_version());
    for (int32_t i = 0; i < N_VERB; i++) {
        help_verb_document(&verbs[i], json);
        sonde_text_add(json, i + 1 < N_VERB ? ",\n" : "]}\n");
    }
}

/* The verb called `word`, or NULL and a sentence. */
static const cli_verb *find_verb(const char *word) {
    const int32_t index = sonde_name_find(verb_name, word);
    if (index >= 0) {
        return &verbs[index];
    }
    const char *nearest = sonde_name_nearest(verb_name, word);
    say("sonde: there is no %s \"%s\"; %s%s%s", word[0] == '-' ? "option" : "verb", word,
        nearest ? "did you mean " : "see sonde help", nearest ? nearest : "", nearest ? "?" : "");
    (void)fputs("\n", stderr);
    return NULL;
}

static int tell_version(void) {
    static const cli_verb version = {.name = "--version"};
    cli_session session;
    session_open(&session, &version);
    add_versions(&session.out);
    return session_close(&session, SONDE_OK);
}

/* The help page of a verb, or what `add` says of all of them. */
static int tell_help(const cli_verb *verb, void (*add)(sonde_text *)) {
    static const cli_verb overview = {.name = "help"};
    cli_session session;
    session_open(&session, verb ? verb : &overview);
    if (verb) {
        help_verb(verb, &session.out);
    } else {
        add(&session.out);
    }
    return session_close(&session, SONDE_OK);
}

int verb_run(const cli_verb *verb, int argc, char **argv) {
    if (options_ask_help(argc, argv)) {
        return tell_help(verb, NULL);
    }
    cli_session session;
    session_open(&session, verb);
    cli_arguments args = arguments_defaults();
    session.args = &args;
    sonde_status status = options_parse(verb, argc, argv, &args, &session.error);
    if (!status) {
        status = options_settle(verb, &args, &session.error);
    }
    if (!status) {
        session_settle(&session, &args);
        status = verb->run(&args, &session);
    }
    return session_close(&session, status);
}

/* sonde help, sonde help VERB, sonde help --json */
static int help(int argc, char **argv) {
    if (argc > 1) {
        say("sonde help: expected one verb, found \"%s\" and \"%s\"", argv[0], argv[1]);
        (void)fputs("\n", stderr);
        return EXIT_USAGE;
    }
    if (argc == 0 || !strcmp(argv[0], "--json")) {
        return tell_help(NULL, argc ? add_document : add_overview);
    }
    const cli_verb *verb = find_verb(argv[0]);
    return verb ? tell_help(verb, NULL) : EXIT_USAGE;
}

int main(int argc, char **argv) {
    options_init();
    if (argc < 2) {
        (void)fprintf(stderr, "sonde: expected a verb, found none; see sonde help\n");
        return EXIT_USAGE;
    }
    const char *word = argv[1];
    if (!strcmp(word, "help") || !strcmp(word, "--help") || !strcmp(word, "-h")) {
        return help(argc - 2, argv + 2);
    }
    if (!strcmp(word, "--version")) {
        return tell_version();
    }
    const cli_verb *verb = find_verb(word);
    return verb ? verb_run(verb, argc - 2, argv + 2) : EXIT_USAGE;
}

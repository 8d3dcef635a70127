/* groups.c: the options that several verbs share, each written down once. */
#include <string.h>

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

/* searches, as bits */
enum {
    CLUSTER = 1 << SONDE_SEARCH_CLUSTER,
    TREE = 1 << SONDE_SEARCH_TREE,
    CLUSTERED = CLUSTER | TREE,
    LEARNED = 1 << SONDE_SEARCH_SURROGATE, /* whose first probes are clusters' representatives */
    BOUNDED = 1 << SONDE_SEARCH_BOUNDED,
    RANDOM = 1 << SONDE_SEARCH_RANDOM,
    BEAM = 1 << SONDE_SEARCH_BEAM,
};

/* Conditions under which options count. */
static bool embeds_as(const cli_arguments *args, const char *name) {
    return args->embedding >= 0 && !strcmp(sonde_embedding_name(args->embedding), name);
}

static bool weighs_onehot(const cli_arguments *args) {
    return embeds_as(args, "aboe-onehot");
}

static bool embeds_ngrams(const cli_arguments *args) {
    return embeds_as(args, "ngram");
}

static bool embeds_ends(const cli_arguments *args) {
    return embeds_as(args, "ends");
}

static bool embeds_vectors(const cli_arguments *args) {
    return embeds_as(args, "walk2vec");
}

/* Whether the search, or its fallback, is one of these. */
static bool present(const cli_arguments *args, uint32_t searches) {
    return (searches >> args->search & 1u) != 0 ||
           (args->fallback >= 0 && (searches >> args->fallback & 1u) != 0);
}

static bool divides_by_k(const cli_arguments *args) {
    return !present(args, TREE) || args->n_branch == 0 || present(args, CLUSTER | LEARNED);
}

static bool takes_some(const cli_arguments *args) {
    return !present(args, TREE) || args->budget == 0 || present(args, CLUSTER);
}

static bool restarts(const cli_arguments *args) {
    return args->method != SONDE_METHOD_WARD;
}

static bool samples(const cli_arguments *args) {
    return args->probe != SONDE_PROBE_CENTER;
}

static bool adapts(const cli_arguments *args) {
    return args->probe == SONDE_PROBE_ADAPTIVE;
}

static bool knows_a_sample(const cli_arguments *args) {
    return args->policy_sample > 0;
}

static bool softens(const cli_arguments *args) {
    return args->action == SONDE_ACTION_SOFTMAX || args->action == SONDE_ACTION_MARGINAL;
}

static bool follows(const cli_arguments *args) {
    return args->n_follow > 1;
}

static bool lags(const cli_arguments *args) {
    return args->semantics > 0 || (args->differences >> SONDE_DIFFERENCE_LAG & 1u) != 0;
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

static const cli_option model[] = {
    {.name = "preferences",
     .kind = OPTION_CHOICE,
     .at = offsetof(cli_arguments, preferences),
     .setting = true,
     .names = sonde_preferences_name,
     .value = "HOW",
     .help = "how C is read: softmax(C), C / sum, or C as it is"},
    {.name = "information",
     .kind = OPTION_CHOICE,
     .at = offsetof(cli_arguments, information),
     .setting = true,
     .names = sonde_information_name,
     .value = "HOW",
     .help = "risk of each modality's outcomes, or of all jointly"},
    {.name = "like",
     .kind = OPTION_CHOICE,
     .at = offsetof(cli_arguments, like),
     .names = sonde_like_name,
     .about = sonde_like_about,
     .value = "WHOSE",
     .help = "the conventions of another package, where no option says otherwise"},
};
const cli_option_group group_model = {"Model (general models only)", OPTION_TABLE(model)};

static const cli_option observe[] = {
    {.name = "observe",
     .kind = OPTION_TEXT,
     .at = offsetof(cli_arguments, observe),
     .value = "O,O,...",
     .help = "outcomes seen first, one for each modality, by number or name"},
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
     .searches = CLUSTERED | LEARNED,
     .help = "what a policy's row of numbers records (default: boe, or boa of a model)"},
    {.name = "onehot-weight",
     .kind = OPTION_REAL,
     .at = offsetof(cli_arguments, onehot_weight),
     .setting = true,
     .value = "X",
     .searches = CLUSTERED | LEARNED,
     .counts = weighs_onehot,
     .with = "--embedding aboe-onehot",
     .help = "of aboe-onehot's last columns; 0 is the horizon"},
    {.name = "ngram",
     .kind = OPTION_WHOLE,
     .at = offsetof(cli_arguments, ngram),
     .setting = true,
     .minimum = 1,
     .value = "N",
     .searches = CLUSTERED | LEARNED,
     .counts = embeds_ngrams,
     .with = "--embedding ngram",
     .help = "actions in a sequence that ngram counts (default: 2)"},
    {.name = "ends",
     .kind = OPTION_WHOLE,
     .at = offsetof(cli_arguments, n_end),
     .setting = true,
     .minimum = 1,
     .value = "N",
     .searches = CLUSTERED | LEARNED,
     .counts = embeds_ends,
     .with = "--embedding ends",
     .help = "steps of each end that ends looks at (default: 2)"},
    {.name = "dimension",
     .kind = OPTION_WHOLE,
     .at = offsetof(cli_arguments, n_dimension),
     .setting = true,
     .minimum = 1,
     .value = "N",
     .searches = CLUSTERED | LEARNED,
     .counts = embeds_vectors,
     .with = "--embedding walk2vec",
     .help = "numbers in a node's vector of walk2vec (default: 8)"},
    {.name = "policy-sample",
     .kind = OPTION_WHOLE,
     .at = offsetof(cli_arguments, policy_sample),
     .setting = true,
     .minimum = 1,
     .value = "N",
     .searches = CLUSTERED | LEARNED,
     .help = "embed N policies, drawn uniformly, where there are more"},
};
const cli_option_group group_embed = {"Embedding", OPTION_TABLE(embed)};

static const cli_option cluster[] = {
    {.name = "k",
     .kind = OPTION_WHOLE,
     .at = offsetof(cli_arguments, k),
     .setting = true,
     .minimum = 1,
     .zero = "auto",
     .value = "K",
     .searches = CLUSTERED | LEARNED,
     .counts = divides_by_k,
     .with = "a search without --branch",
     .help = "clusters; auto balances the costs of probing them and of searching one"},
    {.name = "restarts",
     .kind = OPTION_WHOLE,
     .at = offsetof(cli_arguments, n_restart),
     .setting = true,
     .minimum = 1,
     .value = "N",
     .searches = CLUSTERED | LEARNED,
     .counts = restarts,
     .with = "--method kmeans",
     .help = "the best of this many runs of k-means"},
    {.name = "method",
     .kind = OPTION_CHOICE,
     .at = offsetof(cli_arguments, method),
     .setting = true,
     .names = sonde_cluster_method_name,
     .value = "HOW",
     .searches = CLUSTERED | LEARNED,
     .help = "how clusters are made (default: kmeans)"},
};
const cli_option_group group_cluster = {"Clusters", OPTION_TABLE(cluster)};

static const cli_option search[] = {
    {.name = "search",
     .kind = OPTION_CHOICE,
     .at = offsetof(cli_arguments, search),
     .setting = true,
     .names = sonde_search_name,
     .value = "HOW",
     .help =
         "every policy, the best of clusters, as few as it takes to be certain, some at random, "
         "those that begin best, those that a model of G learned from others thinks best, or the "
         "best of clusters of clusters; an option that goes with some of them alone means one of "
         "these, clusters if it may"},
    {.name = "fallback",
     .kind = OPTION_CHOICE,
     .at = offsetof(cli_arguments, fallback),
     .setting = true,
     .names = sonde_search_name,
     .value = "HOW",
     .help = "let another search decide, too, from half the budget, and take the better decision"},
    {.name = "epsilon",
     .kind = OPTION_REAL,
     .at = offsetof(cli_arguments, epsilon),
     .setting = true,
     .maximum = 1,
     .value = "X",
     .searches = BOUNDED,
     .help = "bounded search stops this close to the exact posterior"},
    {.name = "budget",
     .kind = OPTION_COUNT,
     .at = offsetof(cli_arguments, budget),
     .setting = true,
     .minimum = 1,
     .value = "STEPS",
     .searches = BOUNDED | RANDOM | TREE | LEARNED,
     .help = "or when it has scored so many steps; random (default there: 1,000 policies), "
             "surrogate (40 policies) and tree (--top clusters) score as many"},
    {.name = "deadline",
     .kind = OPTION_REAL,
     .at = offsetof(cli_arguments, deadline),
     .value = "MS",
     .searches = BOUNDED,
     .help = "bounded search stops after so many milliseconds, too"},
    {.name = "beam",
     .kind = OPTION_WHOLE,
     .at = offsetof(cli_arguments, n_beam),
     .setting = true,
     .minimum = 1,
     .value = "WIDTH",
     .searches = BEAM,
     .help = "prefixes that beam search keeps at every step"},
    {.name = "probe",
     .kind = OPTION_CHOICE,
     .at = offsetof(cli_arguments, probe),
     .setting = true,
     .names = sonde_probe_name,
     .value = "HOW",
     .searches = CLUSTERED,
     .help = "value a cluster by its representative, by some members, or by more of them the more "
             "it may be the best"},
    {.name = "samples",
     .kind = OPTION_WHOLE,
     .at = offsetof(cli_arguments, n_sample),
     .setting = true,
     .minimum = 1,
     .value = "N",
     .searches = CLUSTERED,
     .counts = samples,
     .with = "--probe sample or adaptive",
     .help = "members that --probe sample scores; adaptive as many on average, at most"},
    {.name = "delta",
     .kind = OPTION_REAL,
     .at = offsetof(cli_arguments, delta),
     .setting = true,
     .maximum = 1,
     .value = "P",
     .searches = CLUSTERED,
     .counts = adapts,
     .with = "--probe adaptive",
     .help = "--probe adaptive: probability that the best cluster is given up"},
    {.name = "top",
     .kind = OPTION_WHOLE,
     .at = offsetof(cli_arguments, n_top),
     .setting = true,
     .minimum = 1,
     .value = "M",
     .searches = CLUSTERED,
     .counts = takes_some,
     .with = "a search without --budget",
     .help = "how many of the best clusters are searched"},
    {.name = "members",
     .kind = OPTION_WHOLE,
     .at = offsetof(cli_arguments, n_member),
     .setting = true,
     .minimum = 1,
     .value = "N",
     .searches = CLUSTER,
     .counts = knows_a_sample,
     .with = "--policy-sample",
     .help = "with --policy-sample: draw up to N more members of these clusters"},
    {.name = "branch",
     .kind = OPTION_WHOLE,
     .at = offsetof(cli_arguments, n_branch),
     .setting = true,
     .minimum = 1,
     .value = "K",
     .searches = TREE,
     .help = "clusters that tree search divides each into (default: --k)"},
    {.name = "depth",
     .kind = OPTION_WHOLE,
     .at = offsetof(cli_arguments, n_depth),
     .setting = true,
     .minimum = 1,
     .value = "N",
     .searches = TREE,
     .help = "tree search: levels of clusters; 1 is --search cluster"},
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
     .counts = softens,
     .with = "--action softmax or marginal",
     .help = "precision of --action softmax and marginal"},
    {.name = "gamma",
     .kind = OPTION_REAL,
     .at = offsetof(cli_arguments, gamma),
     .setting = true,
     .value = "X",
     .help = "precision of the posterior, Q proportional to exp(-gamma G)"},
    {.name = "per-factor",
     .kind = OPTION_FLAG,
     .at = offsetof(cli_arguments, per_factor),
     .setting = true,
     .help = "choose each factor's action from its own marginal"},
    {.name = "semantics",
     .kind = OPTION_CHOICE,
     .at = offsetof(cli_arguments, semantics),
     .setting = true,
     .names = semantics_name,
     .value = "WHOSE",
     .searches = CLUSTERED | LEARNED,
     .help = "the paper's text, or the authors' notebook"},
    {.name = "differences",
     .kind = OPTION_CHOICES,
     .at = offsetof(cli_arguments, differences),
     .setting = true,
     .names = sonde_difference_name,
     .about = difference_about,
     .value = "NAME,...",
     .searches = CLUSTERED | LEARNED,
     .help = "do only these things as the notebook does"},
    {.name = "k-before",
     .kind = OPTION_WHOLE,
     .at = offsetof(cli_arguments, k_before),
     .setting = true,
     .minimum = 1,
     .value = "K",
     .searches = CLUSTERED | LEARNED,
     .counts = lags,
     .with = "--differences lag or --semantics notebook",
     .help = "k of the run before, for --differences lag"},
};
const cli_option_group group_search = {"Search", OPTION_TABLE(search)};

static const cli_option follow[] = {
    {.name = "replan-every",
     .kind = OPTION_WHOLE,
     .at = offsetof(cli_arguments, n_follow),
     .setting = true,
     .minimum = 1,
     .value = "N",
     .help = "follow a plan for N steps before policies are scored again"},
    {.name = "replan-surprise",
     .kind = OPTION_REAL,
     .at = offsetof(cli_arguments, surprise),
     .setting = true,
     .value = "X",
     .counts = follows,
     .with = "--replan-every 2 or more",
     .help = "unless an outcome is less expected than X nats"},
};
const cli_option_group group_follow = {"Plans", OPTION_TABLE(follow)};

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

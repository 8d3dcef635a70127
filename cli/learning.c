/* learning.c: how an agent learns, as options of the verbs whose agents do. */
#include "learning.h"

bool learning_counts(const cli_arguments *args) {
    return args->learns;
}

#define LEARNING                                                                                   \
    .kinds = SONDE_KIND_GENERAL, .setting = true, .counts = learning_counts, .with = "--learn"
#define LEARN(field) .at = offsetof(cli_arguments, learn.field), LEARNING
static const cli_option learn_options[] = {
    {.name = "learn",
     .kind = OPTION_FLAG,
     .at = offsetof(cli_arguments, learns),
     .help = "learn what the model has counts of"},
    {.name = "when",
     .kind = OPTION_CHOICE,
     LEARN(when),
     .names = sonde_learn_when_name,
     .value = "WHEN",
     .help = "after the decision of each step, before it, or at the end of an episode"},
    {.name = "beliefs",
     .kind = OPTION_CHOICE,
     LEARN(beliefs),
     .names = sonde_learn_beliefs_name,
     .value = "HOW",
     .help = "that A and B are learned from: filtered, or by episode, where that is the default, "
             "smoothed"},
    {.name = "beliefs-D",
     .kind = OPTION_CHOICE,
     LEARN(beliefs_D),
     .names = sonde_learn_beliefs_name,
     .value = "HOW",
     .help = "that D is learned from: of the first step, smoothed or filtered, or of the last"},
    {.name = "support",
     .kind = OPTION_CHOICE,
     LEARN(support),
     .names = sonde_support_name,
     .value = "HOW",
     .help = "whether counts of 0 stay, or grow"},
    {.name = "eta-A",
     .kind = OPTION_REAL,
     LEARN(eta[SONDE_A]),
     .maximum = 1e12,
     .value = "X",
     .help = "what an outcome counts"},
    {.name = "eta-B",
     .kind = OPTION_REAL,
     LEARN(eta[SONDE_B]),
     .maximum = 1e12,
     .value = "X",
     .help = "what a transition counts"},
    {.name = "eta-C",
     .kind = OPTION_REAL,
     LEARN(eta[SONDE_C]),
     .maximum = 1e12,
     .value = "X",
     .help = "what an outcome counts that the agent comes to like"},
    {.name = "eta-D",
     .kind = OPTION_REAL,
     LEARN(eta[SONDE_D]),
     .maximum = 1e12,
     .value = "X",
     .help = "what a beginning counts"},
    {.name = "decay",
     .kind = OPTION_REAL,
     LEARN(decay),
     .value = "X",
     .help = "the n-th update of an array counts 1 / (1 + X (n - 1)) of that"},
    {.name = "omega",
     .kind = OPTION_REAL,
     LEARN(omega),
     .maximum = 1,
     .value = "X",
     .help = "share of what was learned that is forgotten before an update"},
    {.name = "toward",
     .kind = OPTION_CHOICE,
     LEARN(toward),
     .names = sonde_toward_name,
     .value = "WHERE",
     .help = "what is forgotten towards: the counts of the file, or nothing"},
    {.name = "least",
     .kind = OPTION_REAL,
     LEARN(least),
     .maximum = 1,
     .value = "X",
     .help = "what a count is at least, where means are taken; pymdp has 2^-52"},
    {.name = "until",
     .kind = OPTION_WHOLE,
     LEARN(until),
     .value = "N",
     .help = "learn nothing from episode N on, the first being 0 (default: never)"},
};
const cli_option_group group_learn = {"Learning", OPTION_TABLE(learn_options)};

void learning_usual(const cli_verb *verb, cli_arguments *args) {
    if (args->learns && args->learn.when == SONDE_LEARN_EPISODE &&
        !option_given(verb, args, "beliefs")) {
        args->learn.beliefs = SONDE_BELIEFS_SMOOTHED;
    }
}

void learning_settle(const cli_verb *verb, cli_arguments *args, int32_t n_step) {
    learning_usual(verb, args);
    args->learn.steps = n_step;
}

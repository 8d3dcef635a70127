/* arguments.h: everything a command line can say, in one struct.
 *
 * A verb uses the fields that its options name and leaves the others alone. Values outside an
 * option's own range (a horizon of 0, a negative lambda) mean that nobody has said anything.
 */
#ifndef SONDE_CLI_ARGUMENTS_H
#define SONDE_CLI_ARGUMENTS_H

#include "sonde_document.h"
#include "sonde_embed.h"
#include "sonde_fit.h"
#include "sonde_lab.h"
#include "sonde_learn.h"
#include "sonde_make.h"
#include "sonde_replay.h"
#include "sonde_settings.h"
#include "sonde_spm.h"
#include "sonde_world.h"

enum { REALS_MAX = 64, OPTIONS_MAX = 192, WORDS_MAX = 256 };

/* A short list of numbers, such as the weights that edges draw from. */
typedef struct {
    int32_t n;
    double value[REALS_MAX]; /* (n) */
} cli_reals;

/* Words of the command line, in its order: files behind the first, or values of one option. */
typedef struct {
    int32_t n;
    const char *word[WORDS_MAX]; /* (n) */
} cli_words;

typedef struct {
    bool given[OPTIONS_MAX]; /* for each option of the verb, in the order of its tables */
    uint32_t kinds;          /* the kind of the model, SONDE_KIND_...; 0 before it is known */
    const char *file;        /* the world, "-" for standard input, or NULL */
    cli_words more;          /* files behind it, of a verb that takes several */

    /* world */
    int32_t n_node;
    double edge_probability;
    int32_t connect;
    cli_reals weights;
    double idle;
    const char *start;
    const char *destination;
    int32_t horizon;
    double lambda;
    int32_t preferences;
    int32_t information;
    int32_t like;             /* whose conventions; -1: nobody's */
    const char *observe;      /* outcomes, as the command line has them, or NULL */
    sonde_make_settings make; /* instead of a file; its `make` is -1 where there is one */
    const char *process;      /* the file of the world, where it is not the model, or NULL */

    /* policies and their search: the rows of the table of settings */
    sonde_search_settings search;
    int32_t semantics;
    uint32_t differences;
    int32_t k_before;
    int32_t n_step;  /* of a simulation */
    int32_t n_lived; /* how often its first plan is followed; 0: not at all */
    int32_t n_episode;
    bool learns;
    sonde_learn_settings learn;
    const char *reduce;  /* the model that learning began with, or NULL */
    const char *reduced; /* another that it might have begun with, or NULL */
    const char *data;    /* a sequence of outcomes and actions, or a table of them; or NULL */
    const char *subject; /* of a table that is written, or NULL */
    int32_t timing;      /* of a table, a sonde_timing */
    const char *map;     /* what columns of a table are called, or NULL */
    int32_t base;        /* what numbers of a table count from */
    int32_t missing;     /* what is done where an action is missing: 0 fail, 1 predict */
    double lapse;        /* probability of an action that nobody chose */
    bool fixed;          /* learn nothing, whatever is written beside the table */
    bool counts;         /* tell the counts of every row */
    const char *set;     /* parameters and their values, or NULL */
    const char *sets;    /* a table of many of them, or NULL */

    /* a fit */
    const char *free;       /* parameters by their names, or NULL */
    const char *parameters; /* a file of them, or NULL */
    int32_t n_start;
    int32_t group;          /* 0: none; 1: empirical Bayes */
    const char *covariates; /* a table, or NULL */
    const char *train;      /* rows that count, or NULL */
    const char *test;       /* rows that are held out, or NULL */
    int32_t optimiser;      /* 0: BOBYQA where it is; 1: Newton's method */
    const char *name;       /* of the model in results, or NULL */

    int32_t how;             /* it is smoothed, a sonde_smoothing */
    int32_t scheme;          /* of a replay; -1: nobody says */
    const char *learned;     /* where the learned model goes, or NULL */
    const char *eta_outcome; /* lists, as the command line has them, or NULL */
    const char *omega_outcome;
    const char *modalities;
    const char *factors;
    int32_t smooth_steps; /* 0: as many as there are */
    const char *outcomes; /* a table of what comes of each action, or NULL */
    const char *save;     /* files of agents, or NULL */
    const char *resume;
    bool history;            /* counts over time, */
    const char *history_svg; /* as a picture; or NULL */

    /* a list of policies */
    const char *policies;
    bool steps;
    bool sort;
    uint64_t first;
    bool histogram;

    /* where results go */
    bool json;
    bool brief;
    const char *output;
    const char *csv;
    const char *svg;
    bool explain;
    const char *explain_svg;
    const char *prefix;       /* steps that policies begin with, or NULL */
    const char *dot;          /* where a plan goes for Graphviz, or NULL */
    const char *save_policy;  /* where what was found without a horizon goes, or NULL */
    const char *use_policy;   /* and where it comes from, or NULL */
    const char *action_prior; /* where E of actions comes from, or NULL */
    const char *path;
    bool no_open;

    /* a recovery */
    cli_words models; /* files of parameters */
    cli_reals sizes;  /* subjects */
    bool grid;
    const char *groups; /* a parameter and by how much it differs, or NULL */
    int32_t n_again;    /* repeats */
    int32_t n_session;

    /* draws from posteriors, and a table of them; 0 and NULL: none */
    int32_t n_posterior;
    const char *posterior_csv;

    /* a comparison */
    cli_words family;

    /* a study */
    const char *db;
    bool record_steps;
    bool dry_run;
    bool show;

    /* a bench */
    const char *bench_world;
    const char *bench_rows;
    int32_t n_column;
    int32_t n_repeat;

    /* how to run */
    int32_t n_thread;
    uint64_t memory;
    bool progress;
    bool quiet;

    bool horizon_inf; /* --endless was written as --horizon inf */
} cli_arguments;

/* The library's own defaults. */
cli_arguments arguments_defaults(void);
/* What is done as the paper's authors' notebook does it, as bits. */
uint32_t arguments_differences(const cli_arguments *args);
/* The parts of the command line as the library takes them. */
sonde_graph_settings arguments_graph(const cli_arguments *args);
sonde_model_settings arguments_model(const cli_arguments *args);
sonde_search_settings arguments_search(const cli_arguments *args);

#endif

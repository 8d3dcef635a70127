/* options.h: options as tables.
 *
 * A verb's options are a few tables, most of them shared with other verbs. One table serves four
 * uses: parsing, messages, the help page, and the command that makes a result again.
 */
#ifndef SONDE_CLI_OPTIONS_H
#define SONDE_CLI_OPTIONS_H

#include "arguments.h"
#include "pieces.h"

typedef enum {
    OPTION_FLAG,   /* bool, without a value */
    OPTION_WHOLE,  /* int32_t */
    OPTION_COUNT,  /* uint64_t */
    OPTION_BYTES,  /* uint64_t, written as 500M or 2G */
    OPTION_REAL,   /* double */
    OPTION_REALS,  /* cli_reals, written as 5,5,10 */
    OPTION_TEXT,   /* const char * */
    OPTION_WORDS,  /* cli_words: it may be given again */
    OPTION_CHOICE, /* int32_t, a place in `names` */
    OPTION_ROW,    /* a setting of the library: its row says all */
    OPTION_CHOICES /* uint32_t, a bit for each place in `names`, written as name,name */
} cli_option_kind;

typedef struct {
    const char *name; /* without the dashes */
    char letter;      /* short form, or 0 */
    cli_option_kind kind;
    size_t at;      /* offset in `arguments` */
    int32_t row;    /* OPTION_ROW: its row in the table of settings */
    bool setting;   /* it changes results: the command names it, given or not */
    bool reads;     /* its value is a file that is read, which nothing may be written over */
    uint32_t kinds; /* the kinds of model that it concerns; 0: all */
    /* whether it has any effect beside the others; NULL: yes */
    bool (*counts)(const cli_arguments *);
    const char *with;              /* what it has none without */
    double minimum;                /* of numbers */
    double maximum;                /* of numbers; 0: what the type holds, 1e100 for reals */
    const char *(*names)(int32_t); /* of choices */
    const char *(*about)(int32_t); /* a line on each choice for the help page, or NULL */
    const char *value;             /* what the help page calls the value */
    const char *help;              /* one line */
} cli_option;

typedef struct {
    const char *title;
    const cli_option *option; /* (n) */
    int32_t n;
} cli_option_group;

/* What every option has: --called, its type, its field of `arguments`, what the help page calls the
 * value (NULL for a flag), and what it says. */
#define OPTION(called, type, field, shown, said)                                                   \
    .name = (called), .kind = OPTION_##type, .at = offsetof(cli_arguments, field),                 \
    .value = (shown), .help = (said)

/* A table, for use in cli_option_group. */
#define OPTION_TABLE(table) (table), (int32_t)(sizeof(table) / sizeof((table)[0]))

struct cli_session;

/* One stage of the library as a command. */
typedef struct cli_verb {
    const char *name;
    const char *line;  /* what it does, for the list of verbs */
    const char *usage; /* what follows the name */
    const char *story; /* the help page's paragraph */
    bool file_required;
    bool counts;           /* it needs the policies counted */
    bool converts;         /* its first output is what it reads, and may take its place */
    const char *file_word; /* what the file is, where it is not a world */
    bool exact;            /* it scores all policies, and has no search to choose */
    bool data;             /* a second file is a table, as with --data */
    int32_t n_more;        /* how many files it takes behind the first, at most */
    const cli_option_group *const *group; /* up to a NULL */
    /* options that --scheme uses, up to a NULL; it has its own ways with everything else */
    const char *const *in_scheme;
    sonde_status (*run)(cli_arguments *args, struct cli_session *session);
} cli_verb;

/* Fills the groups that are parts of the library's table of settings (settings.c). */
void options_init(void);
/* The key of a setting or an option with dashes: replan_every is replan-every. */
const char *option_name(const char *key, char *name, size_t size);

/* Groups that several verbs share (groups.c, settings.c). */
extern const cli_option_group group_policy; /* use-policy */
extern const cli_option_group group_world;  /* start, destination, horizon, lambda */
extern const cli_option_group group_model;  /* preferences, information, like */
extern const cli_option_group group_observe;
extern const cli_option_group group_draw;  /* nodes, connect, weights, ... */
extern const cli_option_group group_paper; /* semantics, differences, k-before */
extern cli_option_group group_search;
extern cli_option_group group_scope;
extern cli_option_group group_embed;
extern cli_option_group group_cluster;
extern cli_option_group group_probe;
extern cli_option_group group_action;
extern cli_option_group group_weights;
extern cli_option_group group_belief;
extern cli_option_group group_closed;
extern cli_option_group group_limits;
extern cli_option_group group_follow;
extern cli_option_group group_seed;
extern cli_option_group group_keep;
extern const cli_option_group group_run;
extern const cli_option_group group_json; /* --json, -o */
extern const cli_option_group group_svg;

/* The verb's option at a place of its tables, counted through all groups, or NULL past the end. */
const cli_option *option_at(const cli_verb *verb, int32_t index);
/* The place of the verb's option of a name, or -1. */
int32_t option_find(const cli_verb *verb, const char *name);
/* Whether the verb has the option, and it was given. */
bool option_given(const cli_verb *verb, const cli_arguments *args, const char *name);
/* Whether the verb's option has any effect, given all others. */
bool option_counts(const cli_verb *verb, const cli_option *option, const cli_arguments *args);
/* Chooses the search that the options are about, if none was named, and fails with
 * SONDE_BAD_ARGUMENT and a sentence if one was given that has no effect (settle.c). */
sonde_status options_settle(const cli_verb *verb, cli_arguments *args, sonde_error *error);
/* Whether --help or -h is among the arguments. */
bool options_ask_help(int argc, char **argv);
/* Reads what follows the verb into `args`. Fails with SONDE_BAD_ARGUMENT and a sentence. */
sonde_status options_parse(const cli_verb *verb, int argc, char **argv, cli_arguments *args,
                           sonde_error *error);

/* Reads one value into its field. Fails with SONDE_BAD_ARGUMENT and a sentence (value.c). */
sonde_status value_read(const cli_option *option, const char *text, cli_arguments *args,
                        sonde_error *error);
/* Whether the field holds something that the option could have said. */
bool value_is_set(const cli_option *option, const cli_arguments *args);
/* Appends the value as it would be typed. */
void value_write(const cli_option *option, const cli_arguments *args, sonde_text *text);

/* The same for a setting of the library (settings.c). */
sonde_status setting_read(const cli_option *option, const char *text,
                          sonde_search_settings *settings, sonde_error *error);
bool setting_is_set(const cli_option *option, const sonde_search_settings *settings);
void setting_write(const cli_option *option, const sonde_search_settings *settings,
                   sonde_text *text);

/* The help page of a verb, from its tables (help.c). */
void help_verb(const cli_verb *verb, sonde_text *text);
/* The same as an object of the document that `sonde help --json` prints. */
void help_verb_document(const cli_verb *verb, sonde_text *json);
/* The complete command line: every setting explicit, quoted for a shell (command.c). */
void command_write(const cli_verb *verb, const cli_arguments *args, sonde_text *text);
/* Appends a word as a shell takes it. */
void command_add_word(const char *word, sonde_text *text);

/* Fills an error with a sentence, and returns its status. */
sonde_status fail(sonde_error *error, sonde_status status, const char *format, ...)
    SONDE_PRINTF(3, 4);

#endif

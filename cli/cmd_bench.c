/* cmd_bench.c: sonde bench measures a stage of the library on this machine, from end to end. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "cmd.h"
#include "platform.h"
#include "table.h"
#include "world.h"

static bool has_rows(const cli_arguments *args) {
    return args->bench_rows != NULL;
}

static const cli_option bench_options[] = {
    {OPTION("world", TEXT, bench_world, "FILE",
            "policies of this world, instead of one that is drawn"),
     .reads = true, .setting = true},
    {OPTION("rows", TEXT, bench_rows, "FILE",
            "rows of your own instead of policies: doubles, as this machine stores them"),
     .reads = true, .setting = true},
    {OPTION("columns", WHOLE, n_column, "N", "of --rows"), .setting = true, .minimum = 1,
     .counts = has_rows, .with = "--rows"},
    {OPTION("repeats", WHOLE, n_repeat, "N",
            "how often it is done; the least of the times is told (default: 3)"),
     .minimum = 1},
};
static const cli_option_group group_bench = {"Bench", OPTION_TABLE(bench_options)};

const cli_option_group *const bench_groups[] = {
    &group_bench, &group_draw, &group_scope, &group_embed, &group_cluster,
    &group_world, &group_seed, &group_json,  &group_run,   NULL};

/* What can be measured. */
static const char *bench_name(int32_t index) {
    static const char *const name[] = {"cluster"};
    return index >= 0 && index < 1 ? name[index] : NULL;
}

typedef struct {
    cli_arguments *args;
    cli_session *session;
    cli_world world;
    double *row; /* of --rows */
    int32_t n_row;
    sonde_embedding *embedding; /* of the last repeat */
    sonde_clusters *clusters;
    double embed_seconds; /* the least */
    double cluster_seconds;
    double seconds;           /* of one repeat, both */
    double processor_seconds; /* of all threads together */
    double bytes;             /* a policy, at the worst moment */
    sonde_text command;
} bench;

static double seconds_of(clockid_t clock) {
    struct timespec time = {0};
    (void)clock_gettime(clock, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* ------------------------------------------------------------------------------- own rows -- */

static sonde_status read_rows(bench *b) {
    const cli_arguments *args = b->args;
    sonde_error *error = &b->session->error;
    if (args->n_column < 1) {
        return fail(error, SONDE_BAD_ARGUMENT, "--rows: expected --columns with it");
    }
    FILE *file = fopen(args->bench_rows, "rb");
    if (!file) {
        return fail(error, SONDE_NO_FILE, "%s: cannot be opened", args->bench_rows);
    }
    const size_t row_bytes = (size_t)args->n_column * sizeof(double);
    long size = -1;
    if (!fseek(file, 0, SEEK_END)) {
        size = ftell(file);
        rewind(file);
    }
    const size_t n_row = size > 0 ? (size_t)size / row_bytes : 0;
    sonde_status status = SONDE_OK;
    if (n_row < 1 || n_row > INT32_MAX || n_row * row_bytes != (size_t)size) {
        status = fail(error, SONDE_BAD_INPUT,
                      "%s: expected whole rows of %d doubles, found %ld "
                      "bytes",
                      args->bench_rows, (int)args->n_column, size);
    } else if (!(b->row = malloc(n_row * row_bytes))) {
        status = SONDE_NO_MEMORY;
    } else if (fread(b->row, row_bytes, n_row, file) != n_row) {
        status = fail(error, SONDE_BAD_INPUT, "%s: cannot be read", args->bench_rows);
    }
    (void)fclose(file);
    b->n_row = (int32_t)n_row;
    return status;
}

/* -------------------------------------------------------------------------------- measuring -- */

/* Embeds the policies, or takes the rows as they are. */
static sonde_status embed(bench *b, sonde_embedder **embedder) {
    cli_session *session = b->session;
    if (b->row) {
        return sonde_embedding_from_rows(b->n_row, b->args->n_column, b->row, &session->run,
                                         &b->embedding, &session->error);
    }
    const sonde_embed_settings settings = arguments_search(b->args).embed;
    const sonde_status status =
        sonde_embedder_new(b->world.policies, &settings, &session->run, embedder, &session->error);
    return status ? status
                  : sonde_embedding_new(*embedder, b->world.origin, &session->run, &b->embedding,
                                        &session->error);
}

/* Everything once: walks, embedding, distinct rows, seeds, restarts, labels. */
static sonde_status repeat(bench *b, bool first) {
    const sonde_cluster_settings settings = arguments_search(b->args).cluster;
    sonde_embedder *embedder = NULL;
    sonde_clusters_free(b->clusters);
    sonde_embedding_free(b->embedding);
    b->clusters = NULL;
    b->embedding = NULL;
    const double spent = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
    const double began = seconds_of(CLOCK_MONOTONIC);
    sonde_status status = embed(b, &embedder);
    const double embedded = seconds_of(CLOCK_MONOTONIC);
    if (!status) {
        status = sonde_clusters_fit(b->embedding, &settings, &b->session->run, &b->clusters,
                                    &b->session->error);
    }
    const double ended = seconds_of(CLOCK_MONOTONIC);
    const double processor = seconds_of(CLOCK_PROCESS_CPUTIME_ID) - spent;
    sonde_embedder_free(embedder);
    if (first || ended - began < b->seconds) {
        b->seconds = ended - began;
        b->embed_seconds = embedded - began;
        b->cluster_seconds = ended - embedded;
    }
    b->processor_seconds =
        first || processor < b->processor_seconds ? processor : b->processor_seconds;
    return status;
}

static sonde_status measure(bench *b) {
    const double before = peak_bytes();
    sonde_status status = SONDE_OK;
    for (int32_t i = 0; i < b->args->n_repeat && !status; i++) {
        status = repeat(b, i == 0);
        if (!status && i == 0) {
            b->bytes = (peak_bytes() - before) / (double)b->embedding->n_policy;
        }
    }
    return status;
}

/* -------------------------------------------------------------------------------- documents -- */

static sonde_status write_text(const void *about, sonde_text *text) {
    static const char *const head[] = {"stage ", "seconds", "ns a policy"};
    const bench *b = about;
    const sonde_embedding *rows = b->embedding;
    const double each = 1e9 / (double)rows->n_policy;
    if (!b->row) {
        add_world_line(text, &b->world);
        add_policies_line(text, &b->world);
        sonde_text_add(text, ", %s: ", sonde_embedding_name(b->args->search.embed.kind));
    }
    add_count(text, (uint64_t)rows->n_row);
    sonde_text_add(text, " distinct rows of %d columns, %s\n", (int)rows->n_column,
                   rows->small ? "codes of bytes" : "codes of doubles");
    const bool ward = b->args->search.cluster.method == SONDE_METHOD_WARD;
    sonde_text_add(text, "%d clusters, inertia %.10g after %d %s", (int)b->clusters->k,
                   b->clusters->inertia, (int)b->clusters->n_round, ward ? "joins" : "rounds");
    if (!ward) {
        sonde_text_add(text, ", best of %d", (int)b->args->search.cluster.n_restart);
    }
    sonde_text_add(text, "\n\n");
    cli_table table = table_open(head, 3);
    const struct {
        const char *name;
        double seconds;
    } line[] = {{"embed", b->embed_seconds}, {"cluster", b->cluster_seconds}, {"both", b->seconds}};
    for (int i = 0; i < 3; i++) {
        table_add_text(&table, line[i].name);
        table_add(&table, "%.4g", line[i].seconds);
        table_add(&table, "%.4g", line[i].seconds * each);
    }
    table_close(&table, text);
    sonde_text_add(text, "\nmemory: %.3g bytes a policy at the worst moment; least of %d\n",
                   b->bytes, (int)b->args->n_repeat);
    sonde_text_add(text, "again: %s\n", b->command.data);
    return SONDE_OK;
}

static void add_number(sonde_text *json, const char *key, double value) {
    sonde_text_add(json, ",\n \"%s\": ", key);
    sonde_text_add_number(json, value);
}

static sonde_status write_json(const void *about, sonde_text *json) {
    const bench *b = about;
    sonde_text_add(json, "{\"sonde\": \"%s\", \"verb\": \"bench\", \"bench\": \"cluster\"",
                   sonde_version());
    sonde_text_add(json, ",\n \"command\": ");
    sonde_text_add_quoted(json, b->command.data);
    add_number(json, "policies", (double)b->embedding->n_policy);
    add_number(json, "rows", (double)b->embedding->n_row);
    add_number(json, "columns", (double)b->embedding->n_column);
    add_number(json, "k", (double)b->clusters->k);
    add_number(json, "inertia", b->clusters->inertia);
    add_number(json, "rounds", (double)b->clusters->n_round);
    add_number(json, "embed_seconds", b->embed_seconds);
    add_number(json, "cluster_seconds", b->cluster_seconds);
    add_number(json, "seconds", b->seconds);
    add_number(json, "processor_seconds", b->processor_seconds);
    add_number(json, "bytes_per_policy", b->bytes);
    sonde_text_add(json, "}\n");
    return SONDE_OK;
}

/* ------------------------------------------------------------------------------------ verb -- */

/* Fails if an option of a group was given, which concerns something that is not measured. */
static sonde_status refuse(const bench *b, const cli_option_group *group, const char *why) {
    for (int32_t i = 0; i < group->n; i++) {
        /* a world that is read may leave the weight of self-edges open */
        const bool idle = group->option[i].at == offsetof(cli_arguments, idle);
        if (!(idle && b->args->bench_world) &&
            option_given(b->session->verb, b->args, group->option[i].name)) {
            return fail(&b->session->error, SONDE_BAD_ARGUMENT, "--%s: %s; leave it out",
                        group->option[i].name, why);
        }
    }
    return SONDE_OK;
}

/* There are rows, or a world that is read, or one that is drawn. */
static sonde_status check_source(const bench *b) {
    static const char *const is_read = "is for drawing a world, and there is one to read";
    static const char *const is_rows = "concerns policies, and there are rows instead";
    const cli_arguments *args = b->args;
    if (!args->bench_rows && !args->bench_world && args->n_node < 1) {
        return fail(&b->session->error, SONDE_BAD_ARGUMENT,
                    "expected --nodes, --world or --rows, found none of them");
    }
    if (args->bench_rows && args->bench_world) {
        return fail(&b->session->error, SONDE_BAD_ARGUMENT, "--world: %s; leave it out", is_rows);
    }
    if (!args->bench_rows) {
        return args->bench_world ? refuse(b, &group_draw, is_read) : SONDE_OK;
    }
    const cli_option_group *const of_policies[] = {&group_draw, &group_scope, &group_embed,
                                                   &group_world, NULL};
    sonde_status status = SONDE_OK;
    for (const cli_option_group *const *group = of_policies; *group && !status; group++) {
        status = refuse(b, *group, is_rows);
    }
    return status;
}

static sonde_status open_bench(bench *b) {
    cli_arguments *args = b->args;
    const char *what = args->file;
    if (sonde_name_find(bench_name, what) < 0) {
        return fail(&b->session->error, SONDE_BAD_ARGUMENT, "expected cluster, found \"%s\"", what);
    }
    args->n_repeat = args->n_repeat > 0 ? args->n_repeat : 3;
    sonde_status status = check_source(b);
    if (status) {
        return status;
    }
    if (args->bench_rows) {
        status = read_rows(b);
    } else {
        args->file = args->bench_world;
        status = world_open(args, b->session, &b->world);
        args->file = what;
    }
    command_write(b->session->verb, args, &b->command);
    return !status && b->command.failed ? SONDE_NO_MEMORY : status;
}

sonde_status cmd_bench(cli_arguments *args, cli_session *session) {
    enum { N_OUTPUT = 2 };
    const cli_output output[N_OUTPUT] = {{args->output, write_json},
                                         {args->json ? "-" : NULL, write_json}};
    bench b = {.args = args, .session = session};
    sonde_status status = session_check(session, output, N_OUTPUT);
    if (!status) {
        status = open_bench(&b);
    }
    if (!status) {
        status = measure(&b);
    }
    if (!status) {
        status = session_put(session, output, N_OUTPUT, write_text, &b);
    }
    sonde_clusters_free(b.clusters);
    sonde_embedding_free(b.embedding);
    piece_free(&b.command);
    world_close(&b.world);
    free(b.row);
    return status;
}

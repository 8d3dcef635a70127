/* model_input.c: a graph world or a model from a file, whatever it holds.
 *
 * A file is opened once, and what is in it decides how it is read: zip archives are .npz files,
 * what begins with < is a POMDPX document, with a word of Cassandra's a .POMDP file; everything
 * else is a JSON document with a format of its own. Texts may be gzip-compressed. */
#include <string.h>
#include <strings.h>

#include "base/zip.h"
#include "graph/graph.h"
#include "model/model_internal.h"

/* what is said of a file besides */
typedef struct {
    sonde_graph_settings graph;
    sonde_model_settings model;
    uint64_t seed;
} input_settings;

void sonde_input_free(sonde_input *input) {
    sonde_model_free(input->model);
    sonde_graph_free(input->graph);
    *input = (sonde_input){0};
}

/* ----------------------------------------------------------------------- what is in a file -- */

/* The first setting that is not for a graph, or not for a model; NULL if all are. */
static const char *misplaced(const input_settings *settings, bool is_graph) {
    const sonde_graph_settings *graph = &settings->graph;
    const sonde_model_settings *model = &settings->model;
    if (is_graph) {
        return model->preferences >= 0   ? "preferences"
               : model->information >= 0 ? "information"
                                         : NULL;
    }
    return graph->start != NULL         ? "start"
           : graph->destination != NULL ? "destination"
           : graph->idle >= 0.0         ? "idle"
                                        : NULL;
}

/* Horizon and lambda mean the same in both, and may be given with either. */
static sonde_status settle_settings(const input_settings *given, const char *origin, bool is_graph,
                                    input_settings *settings, sonde_error *error) {
    *settings = *given;
    const char *name = misplaced(settings, is_graph);
    if (name != NULL) {
        return sonde__fail(error, SONDE_BAD_ARGUMENT, "%s: is for %s, but %s is a %s", name,
                           is_graph ? "models" : "graph worlds", origin,
                           is_graph ? "graph world" : "model");
    }
    sonde_graph_settings *graph = &settings->graph;
    sonde_model_settings *model = &settings->model;
    model->horizon = model->horizon != 0 ? model->horizon : graph->horizon;
    graph->horizon = graph->horizon != 0 ? graph->horizon : model->horizon;
    model->lambda = model->lambda >= 0.0 ? model->lambda : graph->lambda;
    graph->lambda = graph->lambda >= 0.0 ? graph->lambda : model->lambda;
    return model->horizon == graph->horizon && !(model->lambda < graph->lambda) &&
                   !(model->lambda > graph->lambda)
               ? SONDE_OK
               : sonde__fail(error, SONDE_BAD_ARGUMENT,
                             "horizon, lambda: given twice, and differently");
}

static sonde_status make_graph(sonde__reader *reader, const input_settings *given,
                               sonde_input *input) {
    input_settings settings;
    sonde_input made = {0};
    sonde_status status = settle_settings(given, reader->origin, true, &settings, reader->error);
    if (status == SONDE_OK) {
        status = sonde__graph_from_json(reader, &settings.graph, settings.seed, &made.graph);
    }
    if (status == SONDE_OK) {
        status = sonde_model_from_graph(made.graph, &made.model, NULL);
        if (status != SONDE_OK) {
            (void)sonde__fail(reader->error, status, "%s: %s", reader->origin,
                              sonde_status_sentence(status));
        }
    }
    if (status == SONDE_OK) {
        made.model->gamma = settings.model.gamma >= 0.0 ? settings.model.gamma : made.model->gamma;
        *input = made;
    } else {
        sonde_input_free(&made);
    }
    return status;
}

static sonde_status make_model(sonde__reader *reader, const input_settings *given,
                               const sonde_run *run, sonde_input *input) {
    input_settings settings;
    sonde_input made = {0};
    sonde_status status = settle_settings(given, reader->origin, false, &settings, reader->error);
    if (status == SONDE_OK) {
        status = sonde__model_from_json(reader, &settings.model, run, &made.model);
    }
    if (status == SONDE_OK) {
        *input = made;
    }
    return status;
}

/* A document of either format. */
static sonde_status make_either(sonde__reader *reader, const input_settings *settings,
                                const sonde_run *run, sonde_input *input) {
    const json_t *format = json_object_get(reader->root, "format");
    const char *word = json_string_value(format);
    if (word != NULL && strcmp(word, "sonde-graph") == 0) {
        return make_graph(reader, settings, input);
    }
    if (word != NULL && strcmp(word, "sonde-model") == 0) {
        return make_model(reader, settings, run, input);
    }
    (void)(json_is_object(reader->root)
               ? sonde__json_expected(reader, "format", "\"sonde-graph\" or \"sonde-model\"",
                                      format)
               : sonde__json_expected(reader, "document", "an object { ... }", reader->root));
    return reader->status;
}

/* ---------------------------------------------------------------------------------- reading -- */

/* what is to be made: either a model alone, or whatever there is */
typedef struct {
    const sonde_model_settings *model_settings; /* with `model` */
    const input_settings *input_settings;       /* with `input` */
    sonde_run run;
    sonde_model **model; /* or NULL */
    sonde_input *input;  /* or NULL */
    sonde_error *error;
} order;

static sonde_status make_from_json(const order *o, const sonde_source *source) {
    sonde__reader reader;
    sonde_status status =
        sonde__json_parse_numbers(&reader, source, sonde__model_array_key, o->run.memory, o->error);
    if (status == SONDE_OK) {
        status = o->input != NULL
                     ? make_either(&reader, o->input_settings, &o->run, o->input)
                     : sonde__model_from_json(&reader, o->model_settings, &o->run, o->model);
    }
    sonde__json_close(&reader);
    return status;
}

/* What is a model and nothing else: from an archive, or by a reader of texts. */
typedef sonde_status (*text_reader)(const sonde_source *, const sonde_model_settings *,
                                    const sonde_run *, sonde_model **, sonde_error *);
static sonde_status make_general(const order *o, const sonde__file *file,
                                 const sonde_source *source, text_reader read) {
    input_settings settings = {0};
    sonde_model *model = NULL;
    const sonde_model_settings *given = o->model_settings;
    sonde_status status = SONDE_OK;
    if (o->input != NULL) {
        status = settle_settings(o->input_settings, file->origin, false, &settings, o->error);
        given = &settings.model;
    }
    if (status == SONDE_OK) {
        status = read == NULL ? sonde__model_from_npz(file, given, &o->run, &model, o->error)
                              : read(source, given, &o->run, &model, o->error);
    }
    if (status == SONDE_OK && o->input != NULL) {
        *o->input = (sonde_input){.model = model};
    } else if (status == SONDE_OK && o->model != NULL) {
        *o->model = model;
    }
    return status;
}

/* Whether a name ends so, compressed or not. */
static bool ends_in(const char *name, const char *ending) {
    size_t n = strlen(name);
    const size_t m = strlen(ending);
    n -= n > 3 && strcasecmp(name + n - 3, ".gz") == 0 ? 3 : 0;
    return n > m && strncasecmp(name + n - m, ending, m) == 0;
}

/* Where a text begins: past blanks, and past comments of .POMDP files. */
static const char *beginning(const sonde_source *source) {
    const char *at = source->data;
    const char *end = at + source->size;
    bool comment = false;
    while (at < end && (comment || strchr(" \t\r\n#", *at) != NULL) && *at != '\0') {
        comment = *at != '\n' && (comment || *at == '#');
        at++;
    }
    return at;
}

/* The reader of a text that is no JSON, or NULL. */
static text_reader reader_of(const sonde_source *source) {
    static const char *const words[] = {"discount", "values", "states", "actions", "observations"};
    const char *at = beginning(source);
    const size_t left = source->size - (size_t)(at - source->data);
    if (left > 0 && *at == '<') {
        return sonde__model_from_pomdpx;
    }
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        const size_t n = strlen(words[i]);
        if (left > n && memcmp(at, words[i], n) == 0 && strchr(" \t:", at[n]) != NULL) {
            return sonde__model_from_pomdp;
        }
    }
    if (left > 0 && (*at == '{' || *at == '[')) {
        return NULL;
    }
    return ends_in(source->origin, ".pomdp")    ? sonde__model_from_pomdp
           : ends_in(source->origin, ".pomdpx") ? sonde__model_from_pomdpx
                                                : NULL;
}

static sonde_status make_from_bytes(const order *o, const sonde_source *source) {
    const sonde__file file = sonde__file_of(source);
    if (sonde__zip_is(&file)) {
        return make_general(o, &file, NULL, NULL);
    }
    const sonde_source text = sonde__text_of(source);
    const text_reader read = reader_of(&text);
    return read != NULL ? make_general(o, &file, &text, read) : make_from_json(o, &text);
}

static sonde_status read_file(const order *o, const char *path) {
    sonde__file file;
    sonde_status status = sonde__file_open(path, &file, o->error);
    if (status == SONDE_OK && file.descriptor >= 0 && sonde__zip_is(&file)) {
        status = make_general(o, &file, NULL, NULL);
        sonde__file_close(&file);
        return status;
    }
    sonde__file_close(&file);
    /* text, or what can only be read from its beginning to its end */
    sonde_source source = {.origin = strcmp(path, "-") == 0 ? "standard input" : path};
    char *data = NULL;
    if (status == SONDE_OK) {
        status = sonde__json_slurp(path, &data, &source.size, o->error);
    }
    if (status == SONDE_OK) {
        source.data = data;
        status = make_from_bytes(o, &source);
    }
    sonde__free(data);
    return status;
}

sonde_status sonde_model_read(const sonde_source *source, const sonde_model_settings *settings,
                              const sonde_run *run, sonde_model **model, sonde_error *error) {
    const order o = {
        .model_settings = settings, .run = sonde__run_settle(run), .model = model, .error = error};
    return source->data != NULL ? make_from_bytes(&o, source) : read_file(&o, source->origin);
}

/* NOLINTNEXTLINE(readability-function-size): a seventh argument, or a struct for one call */
sonde_status sonde_input_read(const char *path, const sonde_graph_settings *graph,
                              const sonde_model_settings *model, uint64_t seed,
                              const sonde_run *run, sonde_input *input, sonde_error *error) {
    const input_settings settings = {.graph = graph != NULL ? *graph : sonde_graph_defaults(),
                                     .model = model != NULL ? *model : sonde_model_defaults(),
                                     .seed = seed};
    const order o = {
        .input_settings = &settings, .run = sonde__run_settle(run), .input = input, .error = error};
    return read_file(&o, path);
}

/* bridge.c: what the page calls of the libraries and of the command, which are in it as WebAssembly.
 *
 * The page runs commands as a shell does, over files in memory: what they print is what `sonde`
 * prints. The world that they read last is held. Besides, one map is kept, the policies of a scope
 * as points, whose numbers the page looks at where they lie; as text they would be too many.
 * web/engine.js calls all of this, and nobody else. */
#include <emscripten.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "document.h"
#include "map.h"
#include "page.h"
#include "version.h"

/* main() of the command */
int bridge_main(int argc, char **argv);

EMSCRIPTEN_KEEPALIVE int bridge_run(int argc, char **argv) {
    return bridge_main(argc, argv);
}

/* ------------------------------------------------------------------- what a page cannot do -- */

static sonde_status refuse(cli_session *session) {
    return fail(&session->error, SONDE_BAD_ARGUMENT,
                "is not in the page; run sonde %s on a computer of your own", session->verb->name);
}

#define REFUSE(name)                                                                               \
    const cli_option_group *const name##_groups[] = {&group_run, NULL};                            \
    sonde_status cmd_##name(cli_arguments *args, cli_session *session) {                           \
        (void)args;                                                                                \
        return refuse(session);                                                                    \
    }
#include "refused.h"
/* of the schemes that go with these verbs alone */
const char *const replay_in_scheme[] = {NULL};
const char *const fit_in_scheme[] = {NULL};

void add_versions(sonde_text *text) {
    sonde_text_add(text, "sonde %s\nWebAssembly\n", sonde_version());
}

/* ------------------------------------------------------------------------- what was read -- */

/* The graph world that was last read, so that whatever follows the pointer need not read it again:
 * 2,000 nodes take longer to read than to decide about. Its edges are those that the document gives,
 * self-edges being the goal's affair. */
static struct {
    char path[256];
    sonde_graph *graph;
    sonde_graph edges;
} held;

/* The page calls it when files change. */
EMSCRIPTEN_KEEPALIVE void bridge_changed(void) {
    sonde_graph_free(held.graph);
    free((void *)held.edges.tail);
    free((void *)held.edges.head);
    free((void *)held.edges.weight);
    memset(&held, 0, sizeof held);
}

/* Whether a document says all of a world, and neither leaves start or destination to a seed, nor has
 * names, nor weights of self-edges. */
static bool is_plain(const char *path) {
    json_t *document = NULL;
    bool plain = !document_read(path, &document, NULL) && json_object_get(document, "start") &&
                 json_object_get(document, "destination") && !json_object_get(document, "names");
    size_t i;
    json_t *edge;
    json_array_foreach(json_object_get(document, "edges"), i, edge) {
        plain = plain && !json_equal(json_array_get(edge, 0), json_array_get(edge, 1));
    }
    json_decref(document);
    return plain;
}

/* Copies the edges between different nodes. */
static bool copy_edges(const sonde_graph *graph, sonde_graph *edges) {
    int32_t *tail = calloc((size_t)graph->n_edge, sizeof *tail);
    int32_t *head = calloc((size_t)graph->n_edge, sizeof *head);
    double *weight = calloc((size_t)graph->n_edge, sizeof *weight);
    *edges = (sonde_graph){.n_node = graph->n_node, .tail = tail, .head = head, .weight = weight};
    if (!tail || !head || !weight) {
        return false;
    }
    for (int32_t e = 0; e < graph->n_edge; e++) {
        if (graph->tail[e] != graph->head[e]) {
            tail[edges->n_edge] = graph->tail[e];
            head[edges->n_edge] = graph->head[e];
            weight[edges->n_edge++] = graph->weight[e];
        }
    }
    return true;
}

static void hold(const char *path) {
    const sonde_source source = {.origin = path};
    bridge_changed();
    if (strlen(path) < sizeof held.path && is_plain(path) &&
        !sonde_graph_read(&source, NULL, 1, &held.graph, NULL) &&
        copy_edges(held.graph, &held.edges)) {
        strcpy(held.path, path);
    }
}

/* The world that is held, with what the command line says of it; false: it has to be read. */
static bool copy_held(const cli_arguments *args, sonde_input *input) {
    sonde_graph_settings graph = arguments_graph(args);
    char start[32];
    char destination[16];
    if (!held.graph || strcmp(held.path, args->file) != 0 || graph.idle >= 0.0 ||
        args->preferences >= 0 || args->information >= 0) {
        return false;
    }
    (void)snprintf(start, sizeof start, "%d,%d", (int)held.graph->tail[held.graph->start],
                   (int)held.graph->head[held.graph->start]);
    (void)snprintf(destination, sizeof destination, "%d", (int)held.graph->destination);
    graph.idle = held.graph->idle;
    graph.start = graph.start ? graph.start : start;
    graph.destination = graph.destination ? graph.destination : destination;
    graph.horizon = graph.horizon ? graph.horizon : held.graph->horizon;
    graph.lambda = graph.lambda >= 0.0 ? graph.lambda : held.graph->lambda;
    if (sonde_graph_from_edges(&held.edges, &graph, 1, &input->graph, NULL) ||
        sonde_model_from_graph(input->graph, &input->model, NULL)) {
        sonde_input_free(input);
        *input = (sonde_input){0};
        return false;
    }
    return true;
}

sonde_status world_read(const cli_arguments *args, cli_session *session, sonde_input *input) {
    if (copy_held(args, input)) {
        return SONDE_OK;
    }
    const sonde_graph_settings graph = arguments_graph(args);
    const sonde_model_settings model = arguments_model(args);
    const sonde_status status = sonde_input_read(args->file, &graph, &model, args->search.seed,
                                                 &session->run, input, &session->error);
    if (!status && input->graph && (!held.graph || strcmp(held.path, args->file) != 0)) {
        hold(args->file);
    }
    return status;
}

/* ----------------------------------------------------------------------------------- a map -- */

/* what is kept of the last map, one number of each list for a policy */
static struct {
    cli_map map;
    double *efe;    /* G */
    int32_t *first; /* the first action */
    double *xy;     /* (n_row, 2) where each distinct row lies */
} kept;

static sonde_text answer; /* what was last said to the page */

static void forget(void) {
    free(kept.efe);
    free(kept.first);
    free(kept.xy);
    map_close(&kept.map);
    memset(&kept, 0, sizeof kept);
}

static uint64_t index_of(int32_t policy) {
    const sonde_embedding *embedding = kept.map.embedding;
    return embedding->policy ? embedding->policy[policy] : (uint64_t)policy;
}

/* The first action of every policy of the map, and G of those that are a sample. */
static sonde_status walk_all(void) {
    const cli_world *world = &kept.map.world;
    const sonde_embedding *embedding = kept.map.embedding;
    int32_t *walk = calloc((size_t)world->policies->horizon + 1, sizeof *walk);
    sonde_status status = walk ? SONDE_OK : SONDE_NO_MEMORY;
    for (int32_t i = 0; i < embedding->n_policy && !status; i++) {
        sonde_efe total = {0};
        status = sonde_policies_get(world->policies, world->origin, index_of(i), walk, NULL);
        kept.first[i] = sonde_policies_action(world->policies, walk, 1);
        if (!status && embedding->policy) {
            status = world_score(world, walk, NULL, NULL, &total);
            kept.efe[i] = total.efe;
        }
    }
    free(walk);
    return status;
}

/* G of every policy; those of a whole space are scored together. */
static sonde_status score_all(void) {
    const cli_world *world = &kept.map.world;
    const sonde_range range = {world->origin, 0, (uint64_t)kept.map.embedding->n_policy};
    sonde_status status = walk_all();
    if (!status && !kept.map.embedding->policy) {
        status = sonde_efe_range(world->scored, world->now, range, NULL, kept.efe,
                                 &kept.map.session->error);
    }
    return status;
}

static sonde_status keep_map(cli_arguments *args, cli_session *session) {
    sonde_status status = map_open(args, session, true, &kept.map);
    if (status) {
        return status;
    }
    const sonde_embedding *embedding = kept.map.embedding;
    kept.efe = calloc((size_t)embedding->n_policy, sizeof *kept.efe);
    kept.first = calloc((size_t)embedding->n_policy, sizeof *kept.first);
    kept.xy = calloc((size_t)embedding->n_row, 2 * sizeof *kept.xy);
    status = kept.efe && kept.first && kept.xy ? score_all() : SONDE_NO_MEMORY;
    for (int32_t row = 0; row < embedding->n_row && !status; row++) {
        sonde_pca_point(kept.map.pca, embedding, row, kept.xy + 2 * (int64_t)row);
    }
    return status;
}

/* `sonde cluster` without a document: the map of its policies is kept. Words that ask for something
 * else, such as --help, make no map. */
EMSCRIPTEN_KEEPALIVE int bridge_map(int argc, char **argv) {
    static const cli_verb verb = {.name = "cluster",
                                  .file_required = true,
                                  .counts = true,
                                  .group = cluster_groups,
                                  .run = keep_map};
    options_init();
    forget();
    const int ended = verb_run(&verb, argc, argv);
    if (ended != EXIT_DONE) {
        forget();
    }
    return ended == EXIT_DONE && kept.efe == NULL ? EXIT_USAGE : ended;
}

/* A list of the map's numbers, by its place in engine.js, and how many there are. */
EMSCRIPTEN_KEEPALIVE const void *bridge_numbers(int list, int32_t *n) {
    const sonde_embedding *e = kept.map.embedding;
    const sonde_clusters *c = kept.map.clusters;
    if (kept.efe == NULL) {
        return NULL;
    }
    const struct {
        const void *at;
        int32_t n;
    } lists[] = {{kept.xy, 2 * e->n_row},  {e->weight, e->n_row},     {e->first, e->n_row},
                 {e->row_of, e->n_policy}, {kept.efe, e->n_policy},   {kept.first, e->n_policy},
                 {c->label, c->n_policy},  {c->representative, c->k}, {kept.map.pca->share, 2}};
    *n = lists[list].n;
    return lists[list].at;
}

static const char *answered(void) {
    return answer.data ? answer.data : "";
}

/* Policy i of the map, as `sonde efe --steps --json` would list it alone. */
EMSCRIPTEN_KEEPALIVE const char *bridge_policy(int32_t i) {
    const cli_world *world = &kept.map.world;
    const size_t horizon = (size_t)world->policies->horizon;
    int32_t *walk = calloc(horizon + 1, sizeof *walk);
    sonde_efe *steps = calloc(horizon, sizeof *steps);
    sonde_efe total = {0};
    sonde_text_free(&answer);
    if (walk && steps &&
        !sonde_policies_get(world->policies, world->origin, index_of(i), walk, NULL) &&
        !world_score(world, walk, steps, NULL, &total)) {
        const sonde_listing listing = {world->policies, world->origin, world->now,
                                       world->command.data};
        sonde_document_efe(&listing, 1, 0, &(sonde_scored){index_of(i), walk, &total, steps},
                           &answer);
    }
    free(walk);
    free(steps);
    return answered();
}

/* The distinct row nearest to row r whose squared distance is more than `least`, or as much and
 * whose number is more than `after`; -1: there is none. The distance is left in `least`. */
static int32_t nearest_after(int32_t r, const double *at, double *row, double *least,
                             int32_t after) {
    const sonde_embedding *embedding = kept.map.embedding;
    int32_t found = -1;
    double best = 0.0;
    for (int32_t other = 0; other < embedding->n_row; other++) {
        double distance = 0.0;
        sonde_embedding_row(embedding, other, row);
        for (int32_t c = 0; c < embedding->n_column; c++) {
            distance += (row[c] - at[c]) * (row[c] - at[c]);
        }
        const bool past = distance > *least || (distance == *least && other > after);
        if (other != r && past && (found < 0 || distance < best)) {
            found = other;
            best = distance;
        }
    }
    *least = best;
    return found;
}

/* The n distinct rows nearest to that of policy i, and how far each is: [[row, distance], ...]. */
EMSCRIPTEN_KEEPALIVE const char *bridge_nearest(int32_t i, int32_t n) {
    const sonde_embedding *embedding = kept.map.embedding;
    double *at = calloc((size_t)embedding->n_column, sizeof *at);
    double *row = calloc((size_t)embedding->n_column, sizeof *row);
    const int32_t own = embedding->row_of[i];
    double squared = -1.0;
    sonde_text_free(&answer);
    sonde_text_add(&answer, "[");
    if (at && row) {
        sonde_embedding_row(embedding, own, at);
        for (int32_t found = -1, j = 0; j < n; j++) {
            found = nearest_after(own, at, row, &squared, found);
            if (found < 0) {
                break;
            }
            sonde_text_add(&answer, "%s[%d, %.17g]", j > 0 ? ", " : "", (int)found,
                           __builtin_sqrt(squared));
        }
    }
    sonde_text_add(&answer, "]");
    free(at);
    free(row);
    return answered();
}

/* What the n-th of the map's first actions is called. */
EMSCRIPTEN_KEEPALIVE const char *bridge_action(int32_t action) {
    const cli_world *world = &kept.map.world;
    const int32_t numbers[] = {world->now.state, action};
    sonde_text_free(&answer);
    sonde_model_say(world->model, SONDE_NOUN_ACTION, numbers, 0, &answer);
    return answered();
}

/* Where a world's nodes are drawn: as many numbers as it has nodes, twice, in `place`. */
EMSCRIPTEN_KEEPALIVE int bridge_layout(const char *path, double **place) {
    sonde_graph *graph = NULL;
    const sonde_source source = {.origin = path};
    sonde_status status = sonde_graph_read(&source, NULL, 1, &graph, NULL);
    const int32_t n = status ? 0 : graph->n_node;
    *place = status ? NULL : calloc((size_t)n, 2 * sizeof **place);
    if (*place) {
        status = sonde_draw_layout(graph, *place, NULL);
    }
    sonde_graph_free(graph);
    return status || !*place ? 0 : (int)n;
}

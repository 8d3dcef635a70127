/* Every public call survives every single request for memory that is refused. */
/* long */
#include "embed/embed.h"
#include "base/shelf.h"
#include "memory/allocator.h"
#include "random_models.h"
#include "efe/efe.h"
#include "sonde_lab.h"

/* A small world and everything that can be made of it. */
typedef struct {
    space s;
    sonde_embedder *embedder; /* edm, which needs the most */
    sonde_embedding *rows;
    sonde_pca *pca;
    sonde_clusters *clusters;
    sonde_agent *agent;
    const sonde_decision *decision;
    sonde_episode *episode;
    sonde_run run;
    sonde_search_settings search;
    char *document; /* the world as text */
    size_t size;
} fixture;

static fixture f;

/* whether the request that was refused is one of jansson's */
static bool refused_in_jansson;

static void *jansson_malloc(size_t size) {
    const bool before = allocator.refused;
    void *block = __wrap_malloc(size);
    refused_in_jansson = refused_in_jansson || (allocator.refused && !before);
    return block;
}

static void jansson_free(void *block) {
    __wrap_free(block);
}

static int set_up(void **state) {
    (void)state;
    json_set_alloc_funcs(jansson_malloc, jansson_free);
    static const char *const name[] = {"home", "the \"yard\"", "mill"};
    static const int32_t tail[] = {0, 0, 1, 1, 2, 2};
    static const int32_t head[] = {1, 2, 0, 2, 0, 1};
    static const double weight[] = {10, 20, 10, 5, 20, 5};
    const sonde_graph edges = {
        .n_node = 3, .n_edge = 6, .tail = tail, .head = head, .weight = weight, .name = name};
    sonde_text text = {0};
    f.s = space_by_hand(&edges, "home,mill", "home", 3);
    sonde_graph_write(f.s.graph, &text);
    f.document = text.data;
    f.size = text.size;
    f.run = threads(1);
    f.search = cluster_defaults();
    f.search.embed = embedding_called("edm");
    f.search.cluster.k = 3;
    const embedded e = embed(&f.s, &f.search.embed, f.s.graph->start, &f.run);
    f.embedder = e.embedder;
    f.rows = e.rows;
    assert_int_equal(sonde_pca_fit(f.rows, &f.pca, NULL), SONDE_OK);
    assert_int_equal(sonde_clusters_fit(f.rows, &f.search.cluster, &f.run, &f.clusters, NULL),
                     SONDE_OK);
    const thought t = think(&f.s, &f.search, &f.run);
    f.agent = t.agent;
    f.decision = t.decision;
    sonde_agent *walker = agent_of(&f.s, &f.search, &f.run);
    assert_int_equal(sonde_simulate(walker, NULL, 3, &f.episode, NULL), SONDE_OK);
    sonde_agent_free(walker);
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    free(f.document);
    sonde_episode_free(f.episode);
    sonde_agent_free(f.agent);
    sonde_clusters_free(f.clusters);
    sonde_pca_free(f.pca);
    sonde_embedding_free(f.rows);
    sonde_embedder_free(f.embedder);
    space_free(&f.s);
    return 0;
}

/* whether the call that is tried fills in an error */
static bool tells;

/* For calls that take none. */
static void untold(sonde_error *error) {
    (void)error;
    tells = false;
}

/* Jansson has no word for memory that its lexer was refused: it tells of a mistake in the text,
 * and so must we, in words. */
static void assert_refusal_told(sonde_status status, const sonde_error *error, int64_t n) {
    if (status != SONDE_NO_MEMORY && (status != SONDE_BAD_INPUT || !refused_in_jansson)) {
        fail_msg("status %d (%s: %s) when request %d was refused", (int)status,
                 sonde_status_sentence(status), error->text, (int)n);
    }
    if (tells && (error->status != status || error->text[0] == '\0' ||
                  strstr(error->text, "line -1") != NULL)) {
        fail_msg("the error is %d, \"%s\", when request %d was refused", (int)error->status,
                 error->text, (int)n);
    }
}

/* Makes a call again and again, with its first, second, third ... request refused, until nothing is
 * left to refuse. `call` frees what it made, and checks that a failure made nothing. */
static void survive_with(sonde_status (*call)(sonde_error *error), bool may_do_without) {
    for (int64_t n = 1;; n++) {
        /* with an error to fill in, and without */
        for (int32_t i = 0; i < 2; i++) {
            sonde_error error = {0};
            refused_in_jansson = false;
            tells = i == 0;
            watch_memory(n);
            const sonde_status status = call(i == 0 ? &error : NULL);
            unwatch_memory();
            if (allocator.n_live != 0) {
                fail_msg("%d blocks leaked when request %d was refused", (int)allocator.n_live,
                         (int)n);
            }
            if (!allocator.refused) {
                assert_int_equal(status, SONDE_OK);
                assert_true(n > 1);
                return;
            }
            if (!may_do_without || status != SONDE_OK) {
                assert_refusal_told(status, &error, n);
            }
        }
    }
}

static void survive(sonde_status (*call)(sonde_error *error)) {
    survive_with(call, false);
}

/* Where some requests only save work later, such as room on a shelf. */
static void survive_or_do_without(sonde_status (*call)(sonde_error *error)) {
    survive_with(call, true);
}

/* What a text that failed says in place of a status; it is freed. */
static sonde_status text_status(sonde_text *text) {
    const bool failed = text->failed;
    sonde_text_free(text);
    return failed ? SONDE_NO_MEMORY : SONDE_OK;
}

#define MADE(status, thing) assert_int_equal((status) == SONDE_OK, (thing) != NULL)

/* ------------------------------------------------------------------------------------ base -- */

static sonde_status call_text(sonde_error *error) {
    untold(error);
    sonde_text text = {0};
    for (int32_t i = 0; i < 200; i++) {
        sonde_text_add(&text, "%d ", (int)i);
        sonde_text_add_number(&text, 1.0 / 3.0);
        sonde_text_add_quoted(&text, "a \"quoted\" \\ \n word");
    }
    return text_status(&text);
}

static void texts_survive(void **state) {
    (void)state;
    survive(call_text);
}

/* closing tells of a text that could not grow */
static sonde_status call_close(sonde_error *error) {
    sonde_text text = {0};
    sonde_text_add(&text, "%s", f.document);
    const sonde_status status = sonde_text_close(&text, error);
    sonde_text_free(&text);
    return status;
}

static void closing_a_text_survives(void **state) {
    (void)state;
    survive(call_close);
}

static sonde_status call_open(sonde_error *error) {
    sonde_text text = {0};
    const sonde_status status = sonde_text_open(&text, SONDE_TEST_TMP "/opened.txt", error);
    assert_int_equal(status == SONDE_OK, text.file != NULL);
    sonde_text_free(&text);
    return status;
}

static void opening_a_file_survives(void **state) {
    (void)state;
    survive(call_open);
    /* what was not closed was taken back */
    assert_null(fopen(SONDE_TEST_TMP "/opened.txt", "r"));
}

/* ----------------------------------------------------------------------------------- graph -- */

static sonde_status call_random(sonde_error *error) {
    sonde_graph_settings settings = sonde_graph_defaults();
    settings.n_node = 40;
    sonde_graph *graph = NULL;
    sonde_status status = SONDE_OK;
    for (int32_t i = 0; i < 2 && status == SONDE_OK; i++) {
        settings.connect = (sonde_connect)i;
        graph = NULL;
        status = sonde_graph_random(&settings, 3, &graph, error);
        MADE(status, graph);
        sonde_graph_free(graph);
    }
    return status;
}

static void drawing_a_world_survives(void **state) {
    (void)state;
    survive(call_random);
}

static sonde_status call_from_edges(sonde_error *error) {
    const sonde_graph *g = f.s.graph;
    const sonde_graph edges = {.n_node = g->n_node,
                               .n_edge = g->n_edge,
                               .tail = g->tail,
                               .head = g->head,
                               .weight = g->weight,
                               .name = g->name};
    sonde_graph *graph = NULL;
    const sonde_status status = sonde_graph_from_edges(&edges, NULL, 1, &graph, error);
    MADE(status, graph);
    sonde_graph_free(graph);
    return status;
}

static void making_a_world_from_edges_survives(void **state) {
    (void)state;
    survive(call_from_edges);
}

static sonde_status call_parse(sonde_error *error) {
    const sonde_source source = {"memory", f.document, f.size};
    sonde_graph *graph = NULL;
    const sonde_status status = sonde_graph_read(&source, NULL, 1, &graph, error);
    MADE(status, graph);
    sonde_graph_free(graph);
    return status;
}

static void parsing_a_world_survives(void **state) {
    (void)state;
    survive(call_parse);
}

static void write_file(const char *path, const char *text) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, strlen(text), file), strlen(text));
    assert_int_equal(fclose(file), 0);
}

static sonde_status call_read(sonde_error *error) {
    sonde_graph *graph = NULL;
    const sonde_status status = sonde_graph_read(
        &(const sonde_source){.origin = SONDE_TEST_TMP "/world.json"}, NULL, 1, &graph, error);
    MADE(status, graph);
    sonde_graph_free(graph);
    return status;
}

static void reading_a_world_survives(void **state) {
    (void)state;
    write_file(SONDE_TEST_TMP "/world.json", f.document);
    survive(call_read);
}

static sonde_status call_write(sonde_error *error) {
    untold(error);
    sonde_text text = {0};
    sonde_graph_write(f.s.graph, &text);
    return text_status(&text);
}

static void writing_a_world_survives(void **state) {
    (void)state;
    survive(call_write);
}

static sonde_status call_distances(sonde_error *error) {
    untold(error);
    double distance[3];
    return sonde_graph_distances(f.s.graph, 0, distance, NULL);
}

static void measuring_distances_survives(void **state) {
    (void)state;
    survive(call_distances);
}

/* -------------------------------------------------------------------------- general models -- */

/* a document with names, sparse arrays, listed policies and everything else that takes memory */
static const char model_document[] =
    "{\"format\": \"sonde-model\", \"version\": 1, \"name\": \"all\", \"horizon\": 2,"
    " \"factors\": [{\"name\": \"a\", \"states\": [\"x\", \"y\"], \"actions\": [\"l\", \"r\"]},"
    " {\"states\": 1, \"actions\": 1, \"depends\": [\"a\", 1]}],"
    " \"modalities\": [{\"outcomes\": [\"p\", \"q\"], \"factors\": [\"a\"]}, {\"outcomes\": 1}],"
    " \"A\": [[[0.5, 1], [0.5, 0]], [[[1], [1]]]],"
    " \"B\": [{\"shape\": [2, 2, 2], \"entries\": [[1,1,1,1], [0,0,0,1], [1,0,1,1], [0,1,0,1]]},"
    " [[[[1]], [[1]]]]], \"C\": [[[0, 1], [1, 0]], {\"shape\": [1], \"entries\": [[0, 2]]}],"
    " \"D\": [{\"shape\": [2], \"entries\": [[1, 1]]}, [1]], \"cost\": [[1, 2], [0]],"
    " \"policies\": [[[\"l\", 0], [\"r\", 0]], [[0, 0], [1, 0]]], \"E\": [1, 2]}";

static sonde_status call_model_parse(sonde_error *error) {
    sonde_model *model = NULL;
    const sonde_source source = {"m.json", model_document, sizeof model_document - 1};
    const sonde_status status = sonde_model_read(&source, NULL, &f.run, &model, error);
    MADE(status, model);
    sonde_model_free(model);
    return status;
}

static const char *model_path;

static sonde_status call_input_read(sonde_error *error) {
    sonde_input input = {0};
    const sonde_status status = sonde_input_read(model_path, NULL, NULL, 1, &f.run, &input, error);
    MADE(status, input.model);
    sonde_input_free(&input);
    return status;
}

static void reading_a_model_survives(void **state) {
    (void)state;
    /* an array that could not be made shorter stays longer than it need be */
    survive_or_do_without(call_model_parse);
    write_file(SONDE_TEST_TMP "/model.json", model_document);
    write_file(SONDE_TEST_TMP "/world.json", f.document);
    model_path = SONDE_TEST_TMP "/model.json";
    survive_or_do_without(call_input_read);
    model_path = SONDE_TEST_TMP "/world.json";
    survive(call_input_read);
    model_path = SONDE_TEST_DATA "/models/small.npz";
    survive(call_input_read);
    model_path = SONDE_TEST_DATA "/../../fuzz/corpus/model_pomdp/numbers.POMDP";
    survive_or_do_without(call_input_read);
    model_path = SONDE_TEST_DATA "/../../fuzz/corpus/model_pomdpx/factors.pomdpx";
    survive_or_do_without(call_input_read);
}

static sonde_status call_make(sonde_error *error) {
    sonde_make_settings how = sonde_make_defaults();
    how.make = SONDE_MAKE_ROCKSAMPLE;
    how.size = 2;
    sonde_model *model = NULL;
    const sonde_status status = sonde_make(&how, NULL, &f.run, &model, error);
    MADE(status, model);
    sonde_model_free(model);
    return status;
}

static void making_a_known_model_survives(void **state) {
    (void)state;
    survive(call_make);
}

static const sonde_model *model_to_write;

static sonde_status call_model_write(sonde_error *error) {
    untold(error);
    sonde_text text = {0};
    const sonde_status status = sonde_model_write(model_to_write, &text, NULL);
    assert_int_equal(status, SONDE_OK);
    return text_status(&text);
}

static sonde_status call_report_model(sonde_error *error) {
    untold(error);
    sonde_text text = {0};
    sonde_document_model(model_to_write, NULL, "sonde model", &text);
    return text_status(&text);
}

static void writing_a_model_survives(void **state) {
    (void)state;
    sonde_model *model = NULL;
    const sonde_source source = {"m.json", model_document, sizeof model_document - 1};
    assert_int_equal(sonde_model_read(&source, NULL, NULL, &model, NULL), SONDE_OK);
    model_to_write = model;
    survive(call_model_write);
    survive(call_report_model);
    model_to_write = f.s.model; /* a graph world, as a general model */
    survive(call_model_write);
    sonde_model_free(model);
}

/* The model at work; two factors, two modalities, so that nothing is left out. */
static setting m;

static sonde_status call_model_count(sonde_error *error) {
    sonde_policies *policies = NULL;
    const sonde_status status = sonde_policies_count(m.model, 0, &f.run, &policies, error);
    MADE(status, policies);
    sonde_policies_free(policies);
    return status;
}

static sonde_status call_model_observe(sonde_error *error) {
    untold(error);
    const int32_t outcome[4] = {0};
    double belief[64];
    assert_true(m.model->n_belief <= 64);
    const sonde_observation seen = {outcome, NULL, SONDE_INFERENCE_DEFAULT};
    return sonde_belief_observe(m.model, &seen, m.belief, belief, NULL, NULL);
}

static sonde_status call_efe_policy(sonde_error *error) {
    int32_t walk[16];
    sonde_efe total;
    const sonde_walks walks = {.n_policy = 1, .horizon = m.model->horizon, .walk = walk};
    const sonde_scores scores = {.total = &total};
    sonde_policies_get(m.policies, m.origin, 0, walk, NULL);
    return sonde_efe_walks(m.model, (sonde_present){.belief = m.belief}, &walks, NULL, &scores,
                           error);
}

static sonde_status call_model_range(sonde_error *error) {
    untold(error);
    double efe = 0.0;
    const sonde_range range = {m.origin, 0, 1};
    return sonde_efe_range(m.policies, setting_now(&m), range, &f.run, &efe, NULL);
}

/* Agents of every search on the same policies. */
static sonde_status make_agents(const sonde_policies *policies, sonde_scope scope,
                                sonde_error *error) {
    sonde_status status = SONDE_OK;
    for (int32_t i = 0; i < n_search() && status == SONDE_OK; i++) {
        sonde_search_settings settings = sonde_search_defaults();
        settings.search = (sonde_search_kind)i;
        settings.scope = scope;
        sonde_agent *agent = NULL;
        status = sonde_agent_new(policies, &settings, &f.run, &agent, error);
        MADE(status, agent);
        sonde_agent_free(agent);
    }
    return status;
}

static sonde_status call_searches(sonde_error *error) {
    return make_agents(m.policies, SONDE_LOCAL, error);
}

static sonde_status call_world_searches(sonde_error *error) {
    const sonde_status status = make_agents(f.s.policies, SONDE_LOCAL, error);
    return status == SONDE_OK ? make_agents(f.s.policies, SONDE_GLOBAL, error) : status;
}

static void agents_of_every_search_survive(void **state) {
    (void)state;
    survive(call_world_searches);
    for (uint64_t seed = 0; seed < 4; seed++) {
        m = setting_drawn(seed, seed % 2 == 0 ? DRAW_ALLOWED : DRAW_LISTED, 40);
        survive(call_searches);
        setting_free(&m);
    }
}

/* every embedding that models have, and samples by turns */
static sonde_status call_model_agent(sonde_error *error) {
    const char *const name[] = {"boa", "ngram", "timed", "occupancy", "edm", "ends", "value"};
    sonde_status status = SONDE_OK;
    for (int32_t i = 0; i < 8 && status == SONDE_OK; i++) {
        sonde_search_settings settings = cluster_defaults();
        settings.search = i == 0   ? SONDE_SEARCH_FULL
                          : i == 4 ? SONDE_SEARCH_SURROGATE
                          : i == 5 ? SONDE_SEARCH_TREE
                                   : SONDE_SEARCH_CLUSTER;
        settings.fallback = i == 2   ? SONDE_SEARCH_BEAM
                            : i == 3 ? SONDE_SEARCH_TREE
                                     : SONDE_FALLBACK_NONE;
        settings.embed = embedding_called(name[i > 0 ? i - 1 : 0]);
        settings.embed.n_sample = i % 2 == 0 ? 0 : 3;
        settings.n_member = i % 4 == 1 ? 2 : 0;
        sonde_agent *agent = NULL;
        status = sonde_agent_new(m.policies, &settings, &f.run, &agent, error);
        MADE(status, agent);
        sonde_agent_free(agent);
    }
    return status;
}

static sonde_agent *agent_on_model;

static sonde_status call_model_simulate(sonde_error *error) {
    sonde_episode *episode = NULL;
    const sonde_status status = sonde_simulate(agent_on_model, NULL, 3, &episode, error);
    MADE(status, episode);
    sonde_episode_free(episode);
    return status;
}

static sonde_status call_model_process(sonde_error *error) {
    sonde_episode *episode = NULL;
    const sonde_status status = sonde_simulate(agent_on_model, m.model, 3, &episode, error);
    MADE(status, episode);
    sonde_episode_free(episode);
    return status;
}

/* an agent of its own, and what it has scored; rows that it is given */
static sonde_status call_model_own(sonde_error *error) {
    sonde_search_settings settings = sonde_search_defaults();
    const sonde_embed_settings own = {.kind = SONDE_EMBEDDING_OWN};
    const uint64_t policy = 0;
    double efe = 0.0;
    sonde_agent *agent = NULL;
    sonde_embedder *embedder = NULL;
    settings.search = SONDE_SEARCH_OWN;
    sonde_status status = sonde_embedder_new(m.policies, &own, &f.run, &embedder, error);
    if (status == SONDE_OK) {
        status = sonde_agent_new(m.policies, &settings, &f.run, &agent, error);
    }
    if (status == SONDE_OK) {
        status = sonde_agent_score(agent, 1, &policy, &efe, error);
    }
    sonde_agent_free(agent);
    sonde_embedder_free(embedder);
    return status;
}

/* one trial, which says itself what has failed */
static sonde_status call_model_many(sonde_error *error) {
    const sonde_search_settings settings = sonde_search_defaults();
    sonde_trial trial = {.policies = m.policies, .settings = &settings, .n_step = 3};
    sonde_status status = sonde_simulate_many(1, &trial, &f.run, error);
    MADE(trial.error.status, trial.episode);
    sonde_episode_free(trial.episode);
    if (status == SONDE_OK && trial.error.status != SONDE_OK) {
        if (error != NULL) {
            *error = trial.error;
        }
        status = trial.error.status;
    }
    return status;
}

static sonde_status (*const model_calls[])(sonde_error *error) = {
    call_model_count, call_model_observe,  call_efe_policy,    call_model_range, call_model_agent,
    call_model_own,   call_model_simulate, call_model_process, call_model_many};
enum { N_WITHOUT_LIFE = 6 };

/* all, allowed and listed policies, whatever chance has drawn */
static void working_on_models_survives(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 12; seed++) {
        m = setting_drawn(seed, DRAW_COUPLED | (seed % 2 == 0 ? DRAW_ALLOWED : DRAW_LISTED), 40);
        sonde_search_settings settings = cluster_defaults();
        settings.search = (sonde_search_kind)(seed % 2);
        assert_int_equal(sonde_agent_new(m.policies, &settings, &f.run, &agent_on_model, NULL),
                         SONDE_OK);
        /* where what is allowed comes to an end, there is no episode to survive */
        sonde_episode *episode = NULL;
        const bool lives = sonde_simulate(agent_on_model, NULL, 3, &episode, NULL) == SONDE_OK;
        sonde_episode_free(episode);
        for (size_t i = 0; i < sizeof model_calls / sizeof *model_calls; i++) {
            if (lives || i < N_WITHOUT_LIFE) {
                survive(model_calls[i]);
            }
        }
        sonde_agent_free(agent_on_model);
        setting_free(&m);
    }
}

/* ------------------------------------------------------------------- model, policies, efe -- */

static sonde_status call_model(sonde_error *error) {
    untold(error);
    sonde_model *model = NULL;
    const sonde_status status = sonde_model_from_graph(f.s.graph, &model, NULL);
    MADE(status, model);
    sonde_model_free(model);
    return status;
}

static void making_a_model_survives(void **state) {
    (void)state;
    survive(call_model);
}

static sonde_status call_count(sonde_error *error) {
    sonde_policies *policies = NULL;
    const sonde_status status = sonde_policies_count(f.s.model, 0, &f.run, &policies, error);
    MADE(status, policies);
    sonde_policies_free(policies);
    return status;
}

static void counting_policies_survives(void **state) {
    (void)state;
    survive(call_count);
}

static sonde_status call_weigh(sonde_error *error) {
    sonde_policies *policies = NULL;
    const sonde_weights weights = {.information = 1.0, .cost = 2.0};
    const sonde_status status = sonde_policies_weigh(f.s.policies, &weights, &policies, error);
    MADE(status, policies);
    sonde_policies_free(policies);
    return status;
}

static void weighing_policies_survives(void **state) {
    (void)state;
    survive(call_weigh);
}

static sonde_status call_walks(sonde_error *error) {
    sonde_walks *walks = NULL;
    const sonde_status status =
        sonde_walks_read(SONDE_TEST_TMP "/walks.json", f.s.policies, &walks, error);
    MADE(status, walks);
    sonde_walks_free(walks);
    return status;
}

static void reading_policies_survives(void **state) {
    (void)state;
    write_file(SONDE_TEST_TMP "/walks.json", "[[0, 2, 1, \"home\", 0], [0, 1, 1, 1, 1]]");
    survive(call_walks);
}

static sonde_status call_efe_range(sonde_error *error) {
    untold(error);
    double efe[10] = {0.0};
    const sonde_range range = {SONDE_EVERYWHERE, 5, 10};
    const sonde_status status = sonde_efe_range(
        f.s.policies, (sonde_present){.state = f.s.graph->start}, range, &f.run, efe, NULL);
    assert_int_equal(status == SONDE_OK, efe[0] > 0.0);
    return status;
}

static void scoring_policies_survives(void **state) {
    (void)state;
    survive(call_efe_range);
}

/* -------------------------------------------------------------------- embedding, clusters -- */

static sonde_status call_embedder(sonde_error *error) {
    sonde_status status = SONDE_OK;
    for (int32_t kind = 0; kind < n_embedding() && status == SONDE_OK; kind++) {
        const sonde_embed_settings settings = {.kind = kind};
        sonde_embedder *embedder = NULL;
        status = sonde_embedder_new(f.s.policies, &settings, &f.run, &embedder, error);
        MADE(status, embedder);
        sonde_embedder_free(embedder);
    }
    return status;
}

static void making_an_embedder_survives(void **state) {
    (void)state;
    survive(call_embedder);
}

static sonde_status call_row(sonde_error *error) {
    untold(error);
    double row[64];
    int32_t walk[4];
    sonde_policies_get(f.s.policies, f.s.graph->start, 1, walk, NULL);
    assert_true(f.embedder->n_column <= 64);
    return sonde_embedder_row(f.embedder, walk, row, NULL);
}

static void embedding_a_walk_survives(void **state) {
    (void)state;
    survive(call_row);
}

static sonde_status call_embedding(sonde_error *error) {
    sonde_embedding *rows = NULL;
    const sonde_status status =
        sonde_embedding_new(f.embedder, SONDE_EVERYWHERE, &f.run, &rows, error);
    MADE(status, rows);
    sonde_embedding_free(rows);
    return status;
}

static void embedding_policies_survives(void **state) {
    (void)state;
    survive(call_embedding);
}

static sonde_status call_pca(sonde_error *error) {
    untold(error);
    sonde_pca *pca = NULL;
    const sonde_status status = sonde_pca_fit(f.rows, &pca, NULL);
    MADE(status, pca);
    sonde_pca_free(pca);
    return status;
}

/* many columns, whose plane is found in another way */
static sonde_status call_pca_of_many(sonde_error *error) {
    untold(error);
    static double row[3 * 300];
    for (int32_t i = 0; i < 900; i++) {
        row[i] = (double)(i * i % 7);
    }
    sonde_embedding *rows = NULL;
    sonde_pca *pca = NULL;
    sonde_status status = sonde_embedding_from_rows(3, 300, row, &f.run, &rows, NULL);
    if (status == SONDE_OK) {
        status = sonde_pca_fit(rows, &pca, NULL);
    }
    MADE(status, pca);
    sonde_pca_free(pca);
    sonde_embedding_free(rows);
    return status;
}

static void principal_components_survive(void **state) {
    (void)state;
    survive(call_pca);
    survive(call_pca_of_many);
}

static sonde_status call_fit(sonde_error *error) {
    sonde_status status = SONDE_OK;
    for (int32_t i = 0; i < 3 && status == SONDE_OK; i++) {
        sonde_cluster_settings settings = f.search.cluster;
        settings.method = i == 2 ? SONDE_METHOD_WARD : SONDE_METHOD_KMEANS;
        settings.k = i == 1 ? 100 : 3;
        settings.keep_empty = i == 1;
        sonde_clusters *clusters = NULL;
        status = sonde_clusters_fit(f.rows, &settings, &f.run, &clusters, error);
        MADE(status, clusters);
        sonde_clusters_free(clusters);
    }
    return status;
}

static void clustering_survives(void **state) {
    (void)state;
    survive(call_fit);
}

/* what there is no room for on the shelf is found again the next time */
static sonde_status call_shelf(sonde_error *error) {
    sonde_shelf *shelf = NULL;
    sonde_status status = sonde__shelf_new(&shelf, NULL);
    MADE(status, shelf);
    if (status != SONDE_OK) {
        untold(error);
    }
    sonde_run run = f.run;
    run.shelf = shelf;
    for (int32_t i = 0; i < 2 && status == SONDE_OK; i++) {
        sonde_clusters *clusters = NULL;
        status = sonde_clusters_fit(f.rows, &f.search.cluster, &run, &clusters, error);
        MADE(status, clusters);
        if (status == SONDE_OK) {
            assert_same_clusters(clusters, f.clusters);
        }
        sonde_clusters_free(clusters);
    }
    sonde__shelf_free(shelf);
    return status;
}

static void clustering_with_a_shelf_survives(void **state) {
    (void)state;
    survive_or_do_without(call_shelf);
}

static sonde_status call_mean_efe(sonde_error *error) {
    untold(error);
    double mean[3];
    return sonde_clusters_mean_efe(f.clusters, f.s.policies, f.s.graph->start,
                                   (sonde_present){.state = f.s.graph->start}, mean, NULL);
}

static void mean_efe_of_clusters_survives(void **state) {
    (void)state;
    survive(call_mean_efe);
}

/* ------------------------------------------------------------------------- agent, episode -- */

static sonde_status call_agent(sonde_error *error) {
    sonde_status status = SONDE_OK;
    for (int32_t i = 0; i < 4 && status == SONDE_OK; i++) {
        sonde_search_settings settings = f.search;
        settings.search = (sonde_search_kind)(i % 2);
        settings.scope = (sonde_scope)(i / 2);
        sonde_agent *agent = NULL;
        status = sonde_agent_new(f.s.policies, &settings, &f.run, &agent, error);
        MADE(status, agent);
        sonde_agent_free(agent);
    }
    return status;
}

static void making_an_agent_survives(void **state) {
    (void)state;
    survive(call_agent);
}

static sonde_status call_simulate(sonde_error *error) {
    sonde_episode *episode = NULL;
    const sonde_status status = sonde_simulate(f.agent, NULL, 3, &episode, error);
    MADE(status, episode);
    if (status == SONDE_OK) {
        assert_same_episode(episode, f.episode);
    }
    sonde_episode_free(episode);
    return status;
}

static void simulating_survives(void **state) {
    (void)state;
    survive(call_simulate);
    /* others look at what the agent decided first */
    sonde_agent_reset(f.agent);
    sonde_agent_observe(f.agent, &f.s.graph->start, NULL);
    assert_int_equal(sonde_agent_search(f.agent, &f.decision, NULL), SONDE_OK);
}

static sonde_status call_explain(sonde_error *error) {
    sonde_explanation *explanation = NULL;
    const sonde_status status = sonde_agent_explain(f.agent, &explanation, error);
    MADE(status, explanation);
    sonde_explanation_free(explanation);
    return status;
}

static void explaining_survives(void **state) {
    (void)state;
    survive(call_explain);
}

/* ----------------------------------------------------------------------------------- study -- */

#define PLAN_FILE SONDE_TEST_TMP "/plan.json"
#define STUDY_FILE SONDE_TEST_TMP "/study.sqlite"
#define SMALL_PLAN(worlds, conditions)                                                             \
    "{\"format\": \"sonde-plan\", \"version\": 1, \"name\": \"small\", \"seed\": 1, \"steps\": 2," \
    " \"judge\": 1, \"worlds\": {\"sizes\": [2, 3], \"graphs\": 1" worlds                          \
    "}, \"conditions\": [" conditions                                                              \
    " {\"group\": \"a\", \"sizes\": [2, 3], \"search\": \"full\", \"scope\": [\"local\", "         \
    "\"global\"]}, {\"group\": \"b\", \"sizes\": [2, 3], \"search\": \"cluster\", \"probe\": "     \
    "[\"center\", \"sample\"], \"k\": 2}]}"
static const char small_plan[] = SMALL_PLAN("", "");
static const char model_plan[] = SMALL_PLAN(", \"models\": [\"m.json\"]",
                                            "{\"models\": [\"m.json\"], \"search\": \"bounded\"},");

/* its words are short: jansson fails an assertion when it finds no room for a long one */
static const char small_model[] =
    "{\"format\": \"sonde-model\", \"version\": 1, \"horizon\": 2, \"factors\": [{\"states\": 2, "
    "\"actions\": 2}], \"modalities\": [{\"outcomes\": 2}], \"A\": [[[1, 0], [0, 1]]], \"B\": "
    "[[[[1, 0], [1, 0]], [[0, 1], [0, 1]]]], \"C\": [[0, 1]], \"D\": [[1, 0]]}";

static sonde_study_plan *read_small_plan(const char *text) {
    sonde_study_plan *plan = NULL;
    write_file(SONDE_TEST_TMP "/m.json", small_model);
    write_file(PLAN_FILE, text);
    assert_int_equal(sonde_study_plan_read(PLAN_FILE, &plan, NULL), SONDE_OK);
    return plan;
}

static sonde_status call_plan_read(sonde_error *error) {
    sonde_study_plan *plan = NULL;
    const sonde_status status = sonde_study_plan_read(PLAN_FILE, &plan, error);
    MADE(status, plan);
    sonde_study_plan_free(plan);
    return status;
}

static void reading_a_plan_survives(void **state) {
    (void)state;
    write_file(PLAN_FILE, model_plan);
    survive(call_plan_read);
}

static sonde_study_plan *plan_at_work;
static int32_t task_at_work;

static sonde_status call_plan_work(sonde_error *error) {
    sonde_text rows = {0};
    const sonde_status status =
        sonde_study_plan_work(plan_at_work, task_at_work, &f.run, &rows, error);
    sonde_text_free(&rows);
    return status;
}

static void working_on_a_task_survives(void **state) {
    (void)state;
    plan_at_work = read_small_plan(model_plan);
    for (task_at_work = 0; task_at_work < 3; task_at_work++) { /* a model, and two graphs */
        survive_or_do_without(call_plan_work);
    }
    sonde_study_plan_free(plan_at_work);
}

static sonde_status call_study_open(sonde_error *error) {
    sonde_study *study = NULL;
    const sonde_status status = sonde_study_open(STUDY_FILE, plan_at_work, &study, error);
    MADE(status, study);
    sonde_study_close(study);
    return status;
}

/* all tasks from the beginning, into a new file */
static sonde_status call_study_run(sonde_error *error) {
    sonde_study *study = NULL;
    (void)remove(STUDY_FILE);
    sonde_status status = sonde_study_open(STUDY_FILE, plan_at_work, &study, error);
    if (status == SONDE_OK) {
        status = sonde_study_run(study, &f.run, error);
    }
    sonde_study_close(study);
    return status;
}

static void studies_survive(void **state) {
    (void)state;
    plan_at_work = read_small_plan(small_plan);
    (void)remove(STUDY_FILE);
    survive(call_study_open);
    survive_or_do_without(call_study_run);
    (void)remove(STUDY_FILE);
    sonde_study_plan_free(plan_at_work);
}

/* ---------------------------------------------------------------------------------- report -- */

static sonde_status call_report_graph(sonde_error *error) {
    untold(error);
    const double distance[] = {0.0, 1.0, 2.0};
    sonde_text text = {0};
    sonde_document_graph(f.s.graph, distance, f.s.policies, "sonde graph", &text);
    return text_status(&text);
}

static sonde_status call_report_decision(sonde_error *error) {
    untold(error);
    sonde_text text = {0};
    const sonde_about about = {.command = "sonde plan", .also = "\"semantics\": \"text\""};
    sonde_document_decision(f.agent, f.decision, f.decision->action[0], NULL, &about, &text);
    return text_status(&text);
}

static sonde_explanation *why;

static sonde_status call_report_explained(sonde_error *error) {
    untold(error);
    sonde_text text = {0};
    const sonde_about about = {.command = NULL};
    sonde_document_decision(f.agent, f.decision, -1, why, &about, &text);
    return text_status(&text);
}

static sonde_status call_report_explanation(sonde_error *error) {
    untold(error);
    sonde_text text = {0};
    sonde_document_explanation(why, &text);
    return text_status(&text);
}

static sonde_status call_report_explanation_svg(sonde_error *error) {
    untold(error);
    sonde_text text = {0};
    sonde_draw_explanation(why, &text);
    return text_status(&text);
}

static void explanations_survive(void **state) {
    (void)state;
    assert_int_equal(sonde_agent_explain(f.agent, &why, NULL), SONDE_OK);
    survive(call_report_explained);
    survive(call_report_explanation);
    survive(call_report_explanation_svg);
    sonde_explanation_free(why);
}

static sonde_status call_report_episode(sonde_error *error) {
    untold(error);
    sonde_text text = {0};
    const sonde_about about = {.command = "sonde simulate"};
    sonde_document_episode(f.agent, f.episode, &about, &text);
    return text_status(&text);
}

static sonde_status call_report_efe(sonde_error *error) {
    untold(error);
    const sonde_listing listing = {.policies = f.s.policies,
                                   .origin = f.s.graph->start,
                                   .now = {.state = f.s.graph->start},
                                   .command = "sonde efe"};
    int32_t walk[4];
    sonde_efe steps[3];
    sonde_efe total;
    sonde_text text = {0};
    sonde_policies_get(f.s.policies, f.s.graph->start, 1, walk, NULL);
    const sonde_walks walks = {.n_policy = 1, .horizon = f.s.model->horizon, .walk = walk};
    const sonde_scores scores = {.total = &total, .step = steps};
    const sonde_status scored =
        sonde_efe_walks(f.s.model, listing.now, &walks, NULL, &scores, NULL);
    if (scored != SONDE_OK) {
        return scored;
    }
    const sonde_scored policy = {1, walk, &total, steps};
    sonde_document_efe(&listing, 1, 0, &policy, &text);
    return text_status(&text);
}

static void results_as_documents_survive(void **state) {
    (void)state;
    survive(call_report_graph);
    survive(call_report_decision);
    survive(call_report_episode);
    survive(call_report_efe);
}

static sonde_status report_map(void (*report)(const sonde_map *, sonde_text *)) {
    const sonde_map map = {.listing = {.policies = f.s.policies,
                                       .origin = f.s.graph->start,
                                       .now = {.state = f.s.graph->start},
                                       .command = "sonde"},
                           .embedding = f.rows,
                           .pca = f.pca,
                           .clusters = f.clusters,
                           .cluster_settings = &f.search.cluster};
    sonde_text text = {0};
    report(&map, &text);
    return text_status(&text);
}

static sonde_status call_map_csv(sonde_error *error) {
    untold(error);
    return report_map(sonde_document_map_csv);
}

static sonde_status call_map_json(sonde_error *error) {
    untold(error);
    return report_map(sonde_document_map_json);
}

static void maps_survive(void **state) {
    (void)state;
    survive(call_map_csv);
    survive(call_map_json);
}

static sonde_status call_svg(sonde_error *error) {
    untold(error);
    const int32_t path[] = {2, 1, 0, 0};
    sonde_text text = {0};
    const sonde_status status = sonde_draw_graph(f.s.graph, path, 4, &text, NULL);
    const sonde_status written = text_status(&text);
    return status != SONDE_OK ? status : written;
}

static void pictures_survive(void **state) {
    (void)state;
    survive(call_svg);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_survive),
        cmocka_unit_test(closing_a_text_survives),
        cmocka_unit_test(opening_a_file_survives),
        cmocka_unit_test(drawing_a_world_survives),
        cmocka_unit_test(making_a_world_from_edges_survives),
        cmocka_unit_test(parsing_a_world_survives),
        cmocka_unit_test(reading_a_world_survives),
        cmocka_unit_test(writing_a_world_survives),
        cmocka_unit_test(measuring_distances_survives),
        cmocka_unit_test(reading_a_model_survives),
        cmocka_unit_test(making_a_known_model_survives),
        cmocka_unit_test(writing_a_model_survives),
        cmocka_unit_test(working_on_models_survives),
        cmocka_unit_test(agents_of_every_search_survive),
        cmocka_unit_test(making_a_model_survives),
        cmocka_unit_test(counting_policies_survives),
        cmocka_unit_test(weighing_policies_survives),
        cmocka_unit_test(reading_policies_survives),
        cmocka_unit_test(scoring_policies_survives),
        cmocka_unit_test(making_an_embedder_survives),
        cmocka_unit_test(embedding_a_walk_survives),
        cmocka_unit_test(embedding_policies_survives),
        cmocka_unit_test(principal_components_survive),
        cmocka_unit_test(clustering_survives),
        cmocka_unit_test(clustering_with_a_shelf_survives),
        cmocka_unit_test(mean_efe_of_clusters_survives),
        cmocka_unit_test(making_an_agent_survives),
        cmocka_unit_test(simulating_survives),
        cmocka_unit_test(explaining_survives),
        cmocka_unit_test(reading_a_plan_survives),
        cmocka_unit_test(working_on_a_task_survives),
        cmocka_unit_test(studies_survive),
        cmocka_unit_test(results_as_documents_survive),
        cmocka_unit_test(explanations_survive),
        cmocka_unit_test(maps_survive),
        cmocka_unit_test(pictures_survive),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}

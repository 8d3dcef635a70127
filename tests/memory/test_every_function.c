/* Every function of the headers survives every request for memory that is refused to it, or asks for
 * none (probe.h). Of functions with many requests some are refused here; all of them are where
 * SONDE_REFUSE is "all", which a row of the campaign sees to. */
/* once */
#include "memory/probe.h"

#include <glob.h>
#include <sqlite3.h>
#include <unistd.h>

#include "sonde_fit.h"
#include "sonde_policy.h"

#define WORLD_FILE SONDE_TEST_TMP "/world.json"
#define MODEL_FILE SONDE_TEST_TMP "/model.json"
#define PROCESS_FILE SONDE_TEST_TMP "/process.json"
#define TABLE_FILE SONDE_TEST_TMP "/outcomes.csv"
#define WALKS_FILE SONDE_TEST_TMP "/walks.json"
#define PLAN_FILE SONDE_TEST_TMP "/plan.json"
#define STUDY_FILE SONDE_TEST_TMP "/study.sqlite"
#define NEW_FILE SONDE_TEST_TMP "/new.sqlite"
#define WRITTEN_FILE SONDE_TEST_TMP "/written.txt"
#define FIT_FILE SONDE_TEST_TMP "/fit-a.json"
#define OTHER_FIT_FILE SONDE_TEST_TMP "/fit-b.json"
#define RESULT_FILE SONDE_TEST_TMP "/result.json"
#define REPORT_FOLDER SONDE_TEST_TMP "/report"
#define PAGE_FILE SONDE_TEST_DATA "/../../web/page.html"
#define SPM_FILE SONDE_TEST_DATA "/learning/tmaze-ade.trials.json"

/* two arms, one of which tells what was won; A is counted; what stands for %s is more of it */
#define ARMS                                                                                       \
    "{\"format\": \"sonde-model\", \"version\": 1, \"horizon\": 2, \"name\": \"arms\","            \
    " \"factors\": [{\"name\": \"arm\", \"states\": [\"left\", \"right\"],"                        \
    " \"actions\": [\"go left\", \"go right\"]}],"                                                 \
    " \"modalities\": [{\"name\": \"reward\", \"outcomes\": [\"win\", \"loss\"]}],"                \
    " \"A\": [[[0.7, 0.4], [0.3, 0.6]]], \"B\": [[[[1, 0], [1, 0]], [[0, 1], [0, 1]]]],"           \
    " \"C\": [[1, 0]], \"D\": [[0.5, 0.5]]"
static const char model_text[] =
    "{\"format\": \"sonde-model\", \"version\": 1, \"horizon\": 2, \"name\": \"arms\","
    " \"factors\": [{\"name\": \"arm\", \"states\": [\"left\", \"right\"],"
    " \"actions\": [\"go left\", \"go right\"]}],"
    " \"modalities\": [{\"name\": \"reward\", \"outcomes\": [\"win\", \"loss\"]}],"
    " \"A\": [null], \"counts\": {\"A\": [[[2, 1], [1, 2]]]},"
    " \"B\": [[[[1, 0], [1, 0]], [[0, 1], [0, 1]]]], \"C\": [[1, 0]], \"D\": [[0.5, 0.5]]}";
static const char process_text[] =
    ARMS ", \"schedule\": [{\"from\": {\"step\": 2}, \"A\": [[[0.2, 0.8], [0.8, 0.2]]]}]}";
static const char data_text[] =
    "subject,episode,step,reward,arm\n1,0,0,win,go left\n1,0,1,loss,go right\n2,0,0,win,go right\n"
    "2,0,1,win,go right\n";
static const char outcomes_text[] = "step,arm,reward\n0,0,win\n0,1,loss\n1,,win\n2,0,0\n";
static const char sequence_text[] =
    "{\"format\": \"sonde-sequence\", \"version\": 1, \"outcomes\": [[0], [1]],"
    " \"actions\": [[0]]}";
static const char plan_text[] =
    "{\"format\": \"sonde-plan\", \"version\": 1, \"name\": \"small\", \"seed\": 1, \"steps\": 2,"
    " \"judge\": 1, \"worlds\": {\"sizes\": [2], \"graphs\": 1}, \"conditions\": ["
    " {\"group\": \"a\", \"sizes\": [2], \"search\": \"full\"},"
    " {\"group\": \"b\", \"sizes\": [2], \"search\": \"cluster\", \"k\": 2}]}";
static const char fit_text[] =
    "{\"format\": \"sonde-fit\", \"version\": 1,"
    "\"parameters\": [{\"name\": \"gamma\", \"transform\": \"log\"}], \"subjects\": ["
    "{\"subject\": \"s1\", \"evidence\": -1, \"map\": {\"gamma\": 1}, \"sd\": {\"gamma\": 2}},"
    "{\"subject\": \"s2\", \"evidence\": -3, \"map\": {\"gamma\": 1}, \"sd\": {\"gamma\": 2}}]}";

static const char result_text[] =
    "{\"format\": \"sonde-fit\", \"version\": 1, \"parameters\": [{\"name\": \"a\", \"prior\": "
    "[0, 1]}], \"shared\": {}, \"subjects\": [{\"subject\": \"s\", \"value\": {\"a\": 1}, "
    "\"weak\": [{\"curvature\": 1, \"weights\": {\"a\": 1}}]}], \"group\": null}";

#define SOURCE(text) (&(const sonde_source){"memory", text, sizeof(text) - 1})

/* Everything that functions are called with. */
static struct {
    sonde_run run;
    space s; /* a graph world */
    sonde_text world_text;
    sonde_embed_settings embed;
    sonde_cluster_settings cluster;
    sonde_search_settings search; /* clusters */
    sonde_embedder *embedder;
    sonde_embedder *own;
    sonde_embedding *rows;
    sonde_pca *pca;
    sonde_clusters *clusters;
    sonde_agent *walker; /* in the graph world */
    const sonde_decision *walked;
    sonde_explanation *why;
    sonde_prefix *prefix;
    sonde_episode *episode;
    int32_t walk[8];
    sonde_model *model; /* arms */
    sonde_policies *policies;
    sonde_search_settings full;
    sonde_agent *learner;
    const sonde_decision *learned;
    sonde_text saved;
    sonde_search_settings closed;
    sonde_agent *planner; /* in closed loop */
    const sonde_decision *planned;
    sonde_model *tiger;
    sonde_policies *tiger_policies;
    sonde_agent *endless;
    sonde_text policy_text;
    sonde_vectors *vectors;
    sonde_stage *stage;
    sonde_world *world;
    sonde_data *data;
    sonde_parameters *parameters;
    sonde_replay_settings replay;
    sonde_replayed *replayed;
    sonde_likelihood *likelihood;
    sonde_sequence *sequence;
    sonde_spm *spm;
    const sonde_spm_trial *trial;
    sonde_parameters *spm_parameters;
    sonde_fit_settings fitting;
    sonde_fit *fit;
    sonde_candidates *candidates;
    sonde_comparison *comparison;
    sonde_experiment experiment;
    const sonde_parameters *both[2];
    const char *both_name[2];
    sonde_recover_settings recovering;
    sonde_recovered *recovered;
    sonde_study_plan *plan;
    sonde_text task_rows;
} f;

/* ----------------------------------------------------------------------------------- fixture -- */

static void fine(sonde_status status, const sonde_error *error) {
    if (status != SONDE_OK) {
        fail_msg("%s", error->text);
    }
}

#define FINE(call) fine((call), &e)

static void write_file(const char *path, const char *text) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, strlen(text), file), strlen(text));
    assert_int_equal(fclose(file), 0);
}

static void write_files(void) {
    write_file(WORLD_FILE, f.world_text.data);
    write_file(MODEL_FILE, model_text);
    write_file(PROCESS_FILE, process_text);
    write_file(TABLE_FILE, outcomes_text);
    write_file(WALKS_FILE, "[[0, 2, 1, \"home\", 0], [0, 1, 1, 1, 1]]");
    write_file(PLAN_FILE, plan_text);
    write_file(FIT_FILE, fit_text);
    write_file(OTHER_FIT_FILE, fit_text);
    write_file(RESULT_FILE, result_text);
}

static void make_graph_world(void) {
    static const char *const name[] = {"home", "the \"yard\"", "mill"};
    static const int32_t tail[] = {0, 0, 1, 1, 2, 2};
    static const int32_t head[] = {1, 2, 0, 2, 0, 1};
    static const double weight[] = {10, 20, 10, 5, 20, 5};
    const sonde_graph edges = {
        .n_node = 3, .n_edge = 6, .tail = tail, .head = head, .weight = weight, .name = name};
    sonde_error e = {0};
    f.s = space_by_hand(&edges, "home,mill", "home", 3);
    sonde_graph_write(f.s.graph, &f.world_text);
    f.search = sonde_search_defaults();
    f.search.search = SONDE_SEARCH_CLUSTER;
    f.search.n_keep = 2;
    f.embed = embedding_called("edm");
    f.search.embed = f.embed;
    f.search.cluster.k = 3;
    f.cluster = f.search.cluster;
    const embedded rows = embed(&f.s, &f.embed, f.s.graph->start, &f.run);
    f.embedder = rows.embedder;
    f.rows = rows.rows;
    const sonde_embed_settings own = {.kind = SONDE_EMBEDDING_OWN};
    FINE(sonde_embedder_new(f.s.policies, &own, &f.run, &f.own, &e));
    FINE(sonde_pca_fit(f.rows, &f.pca, &e));
    FINE(sonde_clusters_fit(f.rows, &f.cluster, &f.run, &f.clusters, &e));
    const thought t = think(&f.s, &f.search, &f.run);
    f.walker = t.agent;
    f.walked = t.decision;
    FINE(sonde_agent_explain(f.walker, &f.why, &e));
    FINE(sonde_agent_prefix(f.walker, 0, NULL, &f.prefix, &e));
    FINE(sonde_policies_get(f.s.policies, f.s.graph->start, 1, f.walk, &e));
    sonde_agent *other = agent_of(&f.s, &f.search, &f.run);
    FINE(sonde_simulate(other, NULL, 3, &f.episode, &e));
    sonde_agent_free(other);
}

static void make_arms(void) {
    const int32_t outcome = 0;
    sonde_learn_settings learn = sonde_learn_defaults();
    sonde_error e = {0};
    FINE(sonde_model_read(SOURCE(model_text), NULL, NULL, &f.model, &e));
    FINE(sonde_policies_count(f.model, 0, NULL, &f.policies, &e));
    f.full = sonde_search_defaults();
    f.full.search = SONDE_SEARCH_FULL;
    FINE(sonde_agent_new(f.policies, &f.full, &f.run, &f.learner, &e));
    FINE(sonde_agent_learn(f.learner, &learn, &e));
    FINE(sonde_agent_observe(f.learner, &outcome, &e));
    FINE(sonde_agent_search(f.learner, &f.learned, &e));
    FINE(sonde_agent_save(f.learner, NULL, &f.saved, &e));
    f.closed = sonde_search_defaults();
    f.closed.loop = SONDE_LOOP_CLOSED;
    FINE(sonde_agent_new(f.policies, &f.closed, &f.run, &f.planner, &e));
    FINE(sonde_agent_observe(f.planner, &outcome, &e));
    FINE(sonde_agent_search(f.planner, &f.planned, &e));
    FINE(sonde_stage_read(SOURCE(process_text), NULL, &f.stage, &e));
    FINE(sonde_world_new(f.model, &f.world, &e));
    sonde_world_start(f.world, 1);
    FINE(sonde_sequence_read(SOURCE(sequence_text), f.model, &f.sequence, &e));
}

static void make_tiger(void) {
    const sonde_make_settings how = sonde_make_defaults();
    const sonde_decision *decision = NULL;
    sonde_search_settings settings = sonde_search_defaults();
    sonde_error e = {0};
    FINE(sonde_make(&how, NULL, NULL, &f.tiger, &e));
    FINE(sonde_policies_count(f.tiger, 0, NULL, &f.tiger_policies, &e));
    settings.loop = SONDE_LOOP_CLOSED;
    settings.endless = true;
    settings.backup = SONDE_BACKUP_MIN;
    settings.discount = 0.5;
    settings.budget = 20;
    FINE(sonde_agent_new(f.tiger_policies, &settings, &f.run, &f.endless, &e));
    FINE(sonde_agent_search(f.endless, &decision, &e));
    FINE(sonde_agent_vectors_write(f.endless, SONDE_POLICY_JSON, &f.policy_text, &e));
    const sonde_source source = {"policy", f.policy_text.data, f.policy_text.size};
    FINE(sonde_vectors_read(&source, NULL, &f.vectors, &e));
}

static void make_fits(void) {
    const sonde_data_settings reading = sonde_data_defaults();
    const sonde_source spm = {.origin = SPM_FILE};
    const char *const path[] = {FIT_FILE, OTHER_FIT_FILE};
    sonde_error e = {0};
    FINE(sonde_data_read(SOURCE(data_text), f.model, &reading, &f.data, &e));
    FINE(sonde_parameters_read(NULL, "gamma", f.model, &f.parameters, &e));
    f.replay = sonde_replay_defaults(f.model);
    FINE(sonde_replay(&f.replay, f.data, 0, 0, &f.run, &f.replayed, &e));
    FINE(sonde_likelihood_new(&f.replay, f.data, f.parameters, NULL, &f.likelihood, &e));
    f.fitting = sonde_fit_defaults();
    f.fitting.n_start = 1;
    f.fitting.newton = true;
    FINE(sonde_fit_new(&f.replay, f.data, f.parameters, &f.fitting, &f.run, &f.fit, &e));
    FINE(sonde_spm_read(&spm, NULL, &f.spm, &e));
    const sonde_spm_shape *shape = sonde_spm_shape_of(f.spm);
    FINE(sonde_spm_run(f.spm, shape->outcome, shape->action, &f.trial, &e));
    FINE(sonde_parameters_read_spm(NULL, "alpha", shape, &f.spm_parameters, &e));
    FINE(sonde_candidates_read(path, 2, NULL, 0, &f.candidates, &e));
    FINE(sonde_compare(f.candidates, &f.comparison, &e));
    f.experiment = (sonde_experiment){.seed = 1, .n_episode = 1, .n_step = 3};
    f.both[0] = f.both[1] = f.parameters;
    f.both_name[0] = "a";
    f.both_name[1] = "b";
    f.recovering = (sonde_recover_settings){.agent = &f.replay,
                                            .experiment = &f.experiment,
                                            .n_model = 2,
                                            .parameters = f.both,
                                            .model = f.both_name,
                                            .n_subject = 4,
                                            .fit = f.fitting};
    FINE(sonde_recover(&f.recovering, &f.run, &f.recovered, &e));
}

static void make_study(void) {
    sonde_study *study = NULL;
    sonde_error e = {0};
    (void)unlink(STUDY_FILE);
    FINE(sonde_study_plan_read(PLAN_FILE, &f.plan, &e));
    FINE(sonde_study_open(STUDY_FILE, f.plan, &study, &e));
    FINE(sonde_study_run(study, &f.run, &e));
    sonde_study_close(study);
    FINE(sonde_study_plan_work(f.plan, 0, &f.run, &f.task_rows, &e));
}

/* SQLite's memory is ours to refuse, too. Each block has its size before it. */
enum { HEAD = 16 };

static void *lite_new(int size) {
    const bool before = allocator.refused;
    char *block = __wrap_malloc((size_t)size + HEAD);
    probe.by_sqlite = probe.by_sqlite || (!before && allocator.refused);
    if (block != NULL) {
        memcpy(block, &size, sizeof size);
    }
    return block != NULL ? block + HEAD : NULL;
}

static void lite_free(void *block) {
    __wrap_free(block != NULL ? (char *)block - HEAD : NULL);
}

static void *lite_resize(void *block, int size) {
    const bool before = allocator.refused;
    char *larger = __wrap_realloc((char *)block - HEAD, (size_t)size + HEAD);
    probe.by_sqlite = probe.by_sqlite || (!before && allocator.refused);
    if (larger != NULL) {
        memcpy(larger, &size, sizeof size);
    }
    return larger != NULL ? larger + HEAD : NULL;
}

static int lite_size(void *block) {
    int size = 0;
    memcpy(&size, (char *)block - HEAD, sizeof size);
    return size;
}

static int lite_round(int size) {
    return (size + 7) & ~7;
}

static int lite_begin(void *user) {
    (void)user;
    return SQLITE_OK;
}

static void lite_end(void *user) {
    (void)user;
}

static const sqlite3_mem_methods lite = {lite_new,   lite_free,  lite_resize, lite_size,
                                         lite_round, lite_begin, lite_end,    NULL};

static int set_up(void **state) {
    (void)state;
    json_set_alloc_funcs(__wrap_malloc, __wrap_free);
    assert_int_equal(sqlite3_config(SQLITE_CONFIG_MALLOC, &lite), SQLITE_OK);
    assert_int_equal(sqlite3_initialize(), SQLITE_OK);
    f.run = threads(1);
    make_graph_world();
    write_files();
    make_arms();
    make_tiger();
    make_fits();
    make_study();
    return 0;
}

/* ------------------------------------------------------------------------------------- base -- */

ADDS(sonde_text_add, &text, "%s", "a few words")
ADDS(sonde_text_add_number, &text, 1.0 / 3.0)
ADDS(sonde_text_add_quoted, &text, "a \"quoted\" \\ \n word")
ADDS(sonde_text_add_shown, &text, "a \033 word")
ADDS(sonde_versions, &text)

PROBE_ROW(sonde_text_open, false) {
    sonde_text text = {0};
    probe_arm("sonde_text_open");
    (void)probe_disarm(sonde_text_open(&text, WRITTEN_FILE, &probe.error));
    probe_made(text.file != NULL);
    sonde_text_free(&text);
}

/* ------------------------------------------------------------------------------------ graphs -- */

static const sonde_graph *bare(void) {
    static sonde_graph edges;
    const sonde_graph *g = f.s.graph;
    edges = (sonde_graph){.n_node = g->n_node,
                          .n_edge = g->n_edge,
                          .tail = g->tail,
                          .head = g->head,
                          .weight = g->weight,
                          .name = g->name};
    return &edges;
}

static const sonde_source *world_source(void) {
    static sonde_source source;
    source = (sonde_source){"world", f.world_text.data, f.world_text.size};
    return &source;
}

static const double *distances(void) {
    static const double distance[] = {0.0, 1.0, 2.0};
    return distance;
}

static double some[4096];
static int32_t numbers[256];

static const sonde_graph_settings *drawing(void) {
    static sonde_graph_settings settings;
    settings = sonde_graph_defaults();
    return &settings;
}

MAKES(sonde_graph_random, sonde_graph, sonde_graph_free, drawing(), 3, &made, error)
MAKES(sonde_graph_read, sonde_graph, sonde_graph_free, world_source(), NULL, 1, &made, error)
MAKES(sonde_graph_from_edges, sonde_graph, sonde_graph_free, bare(), NULL, 1, &made, error)
ADDS(sonde_graph_write, f.s.graph, &text)
CALLS(sonde_graph_distances, f.s.graph, 0, some, error)
ADDS(sonde_document_graph, f.s.graph, distances(), f.s.policies, "sonde graph", &text)
CALLS_AND_ADDS(sonde_draw_graph, f.s.graph, NULL, 0, &text, error)
CALLS(sonde_draw_layout, f.s.graph, some, error)

/* ------------------------------------------------------------------------------------ models -- */

MAKES(sonde_model_from_graph, sonde_model, sonde_model_free, f.s.graph, &made, error)
MAKES_AS(sonde_model_read, true, sonde_model_read, sonde_model, sonde_model_free,
         SOURCE(model_text), NULL, &f.run, &made, error)
CALLS_AND_ADDS(sonde_model_write, f.model, &text, error)
ADDS(sonde_document_model, f.model, f.policies, "sonde model", &text)

static const sonde_parts *parts(void) {
    static const int64_t size_A[] = {2, 2}, size_B[] = {2, 2, 2}, size_1[] = {2};
    static const double A[] = {0.7, 0.3, 0.3, 0.7}, B[] = {1, 0, 1, 0, 0, 1, 0, 1}, one[] = {1, 0};
    static sonde_factor_parts factor;
    static sonde_modality_parts modality;
    static sonde_parts all;
    factor = (sonde_factor_parts){.shape = {.n_state = 2, .n_action = 2},
                                  .B = {.n_axis = 3, .size = size_B, .value = B},
                                  .D = {.n_axis = 1, .size = size_1, .value = one}};
    modality = (sonde_modality_parts){.shape = {.n_outcome = 2},
                                      .A = {.n_axis = 2, .size = size_A, .value = A},
                                      .C = {.n_axis = 1, .size = size_1, .value = one}};
    all = sonde_parts_defaults();
    all.n_factor = all.n_modality = 1;
    all.factor = &factor;
    all.modality = &modality;
    all.settings.horizon = 2;
    return &all;
}

MAKES(sonde_model_new, sonde_model, sonde_model_free, parts(), "parts", &f.run, &made, error)

PROBE_ROW(sonde_input_read, true) {
    sonde_input input = {0};
    probe_arm("sonde_input_read");
    (void)probe_disarm(sonde_input_read(MODEL_FILE, NULL, NULL, 1, &f.run, &input, &probe.error));
    probe_made(input.model != NULL);
    sonde_input_free(&input);
}

static const sonde_make_settings *rocks(void) {
    static sonde_make_settings how;
    how = sonde_make_defaults();
    how.make = SONDE_MAKE_ROCKSAMPLE;
    how.size = 2;
    return &how;
}

MAKES(sonde_make, sonde_model, sonde_model_free, rocks(), NULL, &f.run, &made, error)
ADDS(sonde_model_say, f.model, SONDE_NOUN_ACTION, numbers, 0, &text)

static const sonde_observation *seen(void) {
    static const int32_t outcome = 0;
    static sonde_observation observation;
    observation = (sonde_observation){&outcome, NULL, SONDE_INFERENCE_DEFAULT};
    return &observation;
}

static const double *even(void) {
    static const double belief[] = {0.5, 0.5};
    return belief;
}

CALLS(sonde_belief_observe, f.model, seen(), even(), some, NULL, error)
CALLS(sonde_belief_smooth, f.model, f.sequence, SONDE_SMOOTHING_SMOOTHED, some, error)
MAKES(sonde_sequence_read, sonde_sequence, sonde_sequence_free, SOURCE(sequence_text), f.model,
      &made, error)

static const sonde_reduction *reduction(void) {
    static const double posterior[] = {3, 2}, prior[] = {1, 1}, reduced[] = {1, 0.5};
    static const sonde_reduction all = {2, 1, posterior, prior, reduced};
    return &all;
}

/* ---------------------------------------------------------------------------------- policies -- */

static const sonde_weights *weights(void) {
    static const sonde_weights all = {.utility = 1.0, .information = 1.0, .cost = 2.0};
    return &all;
}

static sonde_present now_in_graph(void) {
    return (sonde_present){.state = f.s.graph->start};
}

static const sonde_walks *walks(void) {
    static sonde_walks one;
    one = (sonde_walks){.n_policy = 1, .horizon = 3, .walk = f.walk};
    return &one;
}

static const sonde_scores *scores(void) {
    static sonde_efe total;
    static const sonde_scores all = {.total = &total};
    return &all;
}

static sonde_range some_policies(void) {
    return (sonde_range){SONDE_EVERYWHERE, 5, 10};
}

MAKES(sonde_policies_count, sonde_policies, sonde_policies_free, f.s.model, 0, &f.run, &made, error)
MAKES(sonde_policies_weigh, sonde_policies, sonde_policies_free, f.s.policies, weights(), &made,
      error)
ADDS(sonde_policies_say, f.s.policies, f.walk, &text)
MAKES(sonde_walks_read, sonde_walks, sonde_walks_free, WALKS_FILE, f.s.policies, &made, error)
CALLS(sonde_efe_walks, f.s.model, now_in_graph(), walks(), &f.run, scores(), error)
CALLS(sonde_efe_range, f.s.policies, now_in_graph(), some_policies(), &f.run, some, error)

/* ---------------------------------------------------------------------- embeddings, clusters -- */

static const double *three_rows(void) {
    static const double row[] = {0, 1, 2, 3, 5, 8};
    return row;
}

MAKES(sonde_embedder_new, sonde_embedder, sonde_embedder_free, f.s.policies, &f.embed, &f.run,
      &made, error)
CALLS(sonde_embedder_row, f.embedder, f.walk, some, error)
MAKES(sonde_embedding_new, sonde_embedding, sonde_embedding_free, f.embedder, SONDE_EVERYWHERE,
      &f.run, &made, error)
MAKES(sonde_embedding_from_rows, sonde_embedding, sonde_embedding_free, 3, 2, three_rows(), &f.run,
      &made, error)
MAKES(sonde_pca_fit, sonde_pca, sonde_pca_free, f.rows, &made, error)
MAKES(sonde_clusters_fit, sonde_clusters, sonde_clusters_free, f.rows, &f.cluster, &f.run, &made,
      error)
CALLS(sonde_clusters_mean_efe, f.clusters, f.s.policies, f.s.graph->start, now_in_graph(), some,
      error)

static const sonde_map *map(void) {
    static sonde_map all;
    all = (sonde_map){.listing = {.policies = f.s.policies,
                                  .origin = f.s.graph->start,
                                  .now = now_in_graph(),
                                  .command = "sonde"},
                      .embedding = f.rows,
                      .pca = f.pca,
                      .clusters = f.clusters,
                      .cluster_settings = &f.cluster};
    return &all;
}

ADDS(sonde_document_map_csv, map(), &text)
ADDS(sonde_document_map_json, map(), &text)

static const sonde_scored *scored(void) {
    static sonde_efe total;
    static sonde_scored policy;
    policy = (sonde_scored){1, f.walk, &total, NULL};
    return &policy;
}

ADDS(sonde_document_efe, &map()->listing, 1, 0, scored(), &text)

/* ------------------------------------------------------------------------------------ agents -- */

static const sonde_about *about(void) {
    static const sonde_about all = {.command = "sonde plan", .also = "\"semantics\": \"text\""};
    return &all;
}

MAKES(sonde_agent_new, sonde_agent, sonde_agent_free, f.s.policies, &f.search, &f.run, &made, error)
MAKES(sonde_agent_explain, sonde_explanation, sonde_explanation_free, f.walker, &made, error)
MAKES(sonde_agent_prefix, sonde_prefix, sonde_prefix_free, f.walker, 0, NULL, &made, error)
ADDS(sonde_certificate_say, &f.planned->certificate, &text)
ADDS(sonde_document_decision, f.walker, f.walked, f.walked->action[0], f.why, about(), &text)
ADDS(sonde_document_explanation, f.why, &text)
ADDS(sonde_draw_explanation, f.why, &text)
ADDS(sonde_document_prefix, f.walker, f.prefix, &text)
ADDS(sonde_document_contingency, f.planner, f.planned, &text)
ADDS(sonde_draw_contingency, f.planner, f.planned, &text)
ADDS(sonde_draw_contingency_dot, f.planner, f.planned, &text)
ADDS(sonde_document_episode, f.walker, f.episode, about(), &text)

/* an agent of one's own search, and what it has scored */
PROBE_ROW(sonde_agent_score, false) {
    sonde_search_settings settings = f.full;
    const uint64_t policy = 0;
    sonde_agent *agent = NULL;
    sonde_error e = {0};
    settings.search = SONDE_SEARCH_OWN;
    FINE(sonde_agent_new(f.policies, &settings, &f.run, &agent, &e));
    probe_arm("sonde_agent_score");
    (void)probe_disarm(sonde_agent_score(agent, 1, &policy, some, &probe.error));
    sonde_agent_free(agent);
}

PROBE_ROW(sonde_plan, false) {
    sonde_agent *agent = NULL;
    const sonde_decision *decision = NULL;
    probe_arm("sonde_plan");
    (void)probe_disarm(sonde_plan(f.model, NULL, &f.full, &f.run, &agent, &decision, &probe.error));
    probe_made(agent != NULL);
    sonde_agent_free(agent);
}

/* episodes of agents of their own, which others do not look at */
static sonde_agent *fresh(bool learns) {
    const sonde_learn_settings learn = sonde_learn_defaults();
    sonde_agent *agent = NULL;
    sonde_error e = {0};
    FINE(sonde_agent_new(f.policies, &f.full, &f.run, &agent, &e));
    if (learns) {
        FINE(sonde_agent_learn(agent, &learn, &e));
    }
    return agent;
}

PROBE_ROW(sonde_agent_learn, false) {
    const sonde_learn_settings learn = sonde_learn_defaults();
    sonde_agent *agent = fresh(false);
    probe_arm("sonde_agent_learn");
    (void)probe_disarm(sonde_agent_learn(agent, &learn, &probe.error));
    sonde_agent_free(agent);
}

PROBE_ROW(sonde_simulate, false) {
    sonde_agent *agent = fresh(true);
    sonde_episode *episode = NULL;
    probe_arm("sonde_simulate");
    (void)probe_disarm(sonde_simulate(agent, NULL, 3, &episode, &probe.error));
    probe_made(episode != NULL);
    sonde_episode_free(episode);
    sonde_agent_free(agent);
}

PROBE_ROW(sonde_simulate_episode, false) {
    sonde_agent *agent = fresh(true);
    sonde_episode *episode = NULL;
    probe_arm("sonde_simulate_episode");
    (void)probe_disarm(sonde_simulate_episode(agent, f.model, 0, 3, &episode, &probe.error));
    probe_made(episode != NULL);
    sonde_episode_free(episode);
    sonde_agent_free(agent);
}

PROBE_ROW(sonde_simulate_in, false) {
    sonde_agent *agent = fresh(true);
    const sonde_scene scene = {.n_step = 3};
    sonde_world *world = NULL;
    sonde_episode *episode = NULL;
    sonde_error e = {0};
    FINE(sonde_world_new_in(f.stage, f.model, &world, &e));
    sonde_world_start(world, 1);
    probe_arm("sonde_simulate_in");
    (void)probe_disarm(sonde_simulate_in(agent, world, &scene, &episode, &probe.error));
    probe_made(episode != NULL);
    sonde_episode_free(episode);
    sonde_world_free(world);
    sonde_agent_free(agent);
}

/* one trial, which says itself what has failed */
PROBE_ROW(sonde_simulate_many, false) {
    sonde_trial trial = {.policies = f.policies, .settings = &f.full, .n_step = 3};
    probe_arm("sonde_simulate_many");
    const sonde_status status = sonde_simulate_many(1, &trial, &f.run, &probe.error);
    if (status == SONDE_OK) {
        probe.error = trial.error;
    }
    (void)probe_disarm(status == SONDE_OK ? trial.error.status : status);
    probe_made(trial.episode != NULL);
    sonde_episode_free(trial.episode);
}

PROBE_ROW(sonde_diary_new, false) {
    sonde_agent *agent = fresh(false);
    sonde_diary *diary = NULL;
    probe_arm("sonde_diary_new");
    (void)probe_disarm(sonde_diary_new(agent, 3, &diary, &probe.error));
    probe_made(diary != NULL);
    sonde_diary_free(diary);
    sonde_agent_free(agent);
}

CALLS_AND_ADDS(sonde_agent_save, f.learner, f.world, &text, error)

PROBE_ROW(sonde_agent_load, false) {
    sonde_agent *agent = fresh(true);
    const sonde_source source = {"saved", f.saved.data, f.saved.size};
    probe_arm("sonde_agent_load");
    (void)probe_disarm(sonde_agent_load(agent, &source, NULL, &probe.error));
    sonde_agent_free(agent);
}

/* ------------------------------------------------------------------------------------ worlds -- */

MAKES(sonde_world_new, sonde_world, sonde_world_free, f.model, &made, error)
MAKES(sonde_world_new_in, sonde_world, sonde_world_free, f.stage, f.model, &made, error)
MAKES_AS(sonde_stage_read, true, sonde_stage_read, sonde_stage, sonde_stage_free,
         SOURCE(process_text), &f.run, &made, error)
MAKES(sonde_stage_table, sonde_stage, sonde_stage_free, SOURCE(outcomes_text), f.model, &made,
      error)

static const sonde_source *policy_source(void) {
    static sonde_source source;
    source = (sonde_source){"policy", f.policy_text.data, f.policy_text.size};
    return &source;
}

MAKES_AS(sonde_vectors_read, true, sonde_vectors_read, sonde_vectors, sonde_vectors_free,
         policy_source(), &f.run, &made, error)
CALLS_AND_ADDS(sonde_agent_vectors_write, f.endless, SONDE_POLICY_XML, &text, error)

static const sonde_learn_settings *learning(void) {
    static sonde_learn_settings all;
    all = sonde_learn_defaults();
    return &all;
}

ADDS(sonde_learn_write, learning(), f.model, &text)
CALLS_AND_ADDS(sonde_settings_get, &f.search, "embedding", &text, error)
ADDS(sonde_differences_write, 3, 12, &text)

static const sonde_history *history(void) {
    static const double value[] = {1, 2, 3};
    static const sonde_history all = {
        .title = "surprise", .n_line = 1, .n_point = 3, .value = value};
    return &all;
}

ADDS(sonde_draw_history, "a run", "step", 1, history(), &text)

/* --------------------------------------------------------------------------- data, likelihood -- */

static const sonde_data_settings *reading(void) {
    static sonde_data_settings all;
    all = sonde_data_defaults();
    return &all;
}

static const char sets_text[] = "gamma,lapse\n1,0.1\n2,0.2\n";

PROBE_ROW(sonde_sets_read, false) {
    sonde_parameters *made = NULL;
    const double *value = NULL;
    int32_t n_set = 0;
    probe_arm("sonde_sets_read");
    (void)probe_disarm(
        sonde_sets_read(SOURCE(sets_text), f.model, &made, &n_set, &value, &probe.error));
    probe_made(made != NULL);
    sonde_parameters_free(made);
}

MAKES(sonde_data_read, sonde_data, sonde_data_free, SOURCE(data_text), f.model, reading(), &made,
      error)
ADDS(sonde_data_write_header, f.model, &text)
ADDS(sonde_data_write_episode, f.model, "1", 0, f.sequence, &text)
MAKES(sonde_parameters_read, sonde_parameters, sonde_parameters_free, NULL, "gamma,lapse", f.model,
      &made, error)
MAKES(sonde_parameters_read_spm, sonde_parameters, sonde_parameters_free, NULL, "alpha,eta",
      sonde_spm_shape_of(f.spm), &made, error)
MAKES(sonde_replay, sonde_replayed, sonde_replayed_free, &f.replay, f.data, 0, SONDE_REPLAY_EFE,
      &f.run, &made, error)
ADDS(sonde_replay_write_header, &f.replay, f.data, 0, &text)
ADDS(sonde_replay_write_rows, &f.replay, f.data, f.replayed, &text)
MAKES(sonde_likelihood_new, sonde_likelihood, sonde_likelihood_free, &f.replay, f.data,
      f.parameters, NULL, &made, error)
MAKES(sonde_likelihood_new_spm, sonde_likelihood, sonde_likelihood_free, &f.spm, 1,
      f.spm_parameters, &made, error)
CALLS(sonde_likelihood_at, f.likelihood, 0, 1, some, some + 1, error)
CALLS(sonde_likelihood_all, f.likelihood, 1, some, &f.run, some + 1, error)
CALLS(sonde_replay_draw, &f.replay, &f.experiment, &f.run, numbers, numbers + 64, error)

static const sonde_source *spm_source(void) {
    static const sonde_source source = {.origin = SPM_FILE};
    return &source;
}

MAKES_AS(sonde_spm_read, true, sonde_spm_read, sonde_spm, sonde_spm_free, spm_source(), &f.run,
         &made, error)
ADDS(sonde_document_spm, f.spm, f.trial, &text)
CALLS(sonde_spm_likelihood, f.spm, &(sonde_spm_numbers){{1, 1, 1, 1, 1, 1}, 0, NULL, NULL, NULL},
      some, error)

/* -------------------------------------------------------------------------- fits, recoveries -- */

static const char *const *names(void) {
    static const char *const name[] = {"one"};
    return name;
}

static const char *const *fit_files(void) {
    static const char *const path[] = {FIT_FILE, OTHER_FIT_FILE};
    return path;
}

MAKES(sonde_fit_new, sonde_fit, sonde_fit_free, &f.replay, f.data, f.parameters, &f.fitting, &f.run,
      &made, error)
MAKES(sonde_fit_new_spm, sonde_fit, sonde_fit_free, &f.spm, names(), 1, f.spm_parameters,
      &f.fitting, &f.run, &made, error)
CALLS(sonde_fit_posterior, f.fit, 0, 1, 4, some, error)
ADDS(sonde_fit_write, f.fit, NULL, &text)
ADDS(sonde_fit_write_csv, f.fit, &text)
MAKES(sonde_candidates_read, sonde_candidates, sonde_candidates_free, fit_files(), 2, NULL, 0,
      &made, error)
MAKES(sonde_compare, sonde_comparison, sonde_comparison_free, f.candidates, &made, error)
ADDS(sonde_comparison_write, f.candidates, f.comparison, &text)
MAKES_AS(sonde_task_read, true, sonde_task_read, sonde_task, sonde_task_free, PROCESS_FILE, &f.run,
         &made, error)
MAKES(sonde_task_outcomes, sonde_task, sonde_task_free, TABLE_FILE, f.model, &f.experiment,
      SONDE_TIMING_BEFORE, &made, error)
MAKES(sonde_recover, sonde_recovered, sonde_recovered_free, &f.recovering, &f.run, &made, error)
ADDS(sonde_recovered_write, f.recovered, &text)
ADDS(sonde_recovered_write_csv, f.recovered, &text)
ADDS(sonde_draw_recovery, f.recovered, 0, &text)

PROBE_ROW(sonde_recover_power, false) {
    static const int32_t size[] = {4};
    const sonde_power_settings asked = {
        .parameter = "gamma", .difference = 1.0, .n_size = 1, .size = size, .n_repeat = 1};
    sonde_power power;
    probe_arm("sonde_recover_power");
    (void)probe_disarm(sonde_recover_power(&f.recovering, &asked, &f.run, &power, &probe.error));
}

/* ----------------------------------------------------------------------------------- studies -- */

MAKES(sonde_study_plan_read, sonde_study_plan, sonde_study_plan_free, PLAN_FILE, &made, error)
PROBE_ROW(sonde_study_plan_work, true) {
    sonde_text text = {0};
    probe_arm("sonde_study_plan_work");
    (void)probe_disarm(sonde_study_plan_work(f.plan, 0, &f.run, &text, &probe.error));
    sonde_text_free(&text);
}

/* into a new file */
static sonde_study *new_study(void) {
    sonde_study *study = NULL;
    sonde_error e = {0};
    (void)unlink(NEW_FILE);
    FINE(sonde_study_open(NEW_FILE, f.plan, &study, &e));
    return study;
}

PROBE_ROW(sonde_study_open, true) {
    sonde_study *made = NULL;
    (void)unlink(NEW_FILE);
    probe_arm("sonde_study_open");
    (void)probe_disarm(sonde_study_open(NEW_FILE, f.plan, &made, &probe.error));
    probe_made(made != NULL);
    sonde_study_close(made);
}

PROBE_ROW(sonde_study_take, false) {
    sonde_study *study = new_study();
    probe_arm("sonde_study_take");
    (void)probe_disarm(sonde_study_take(study, &f.task_rows, &probe.error));
    if ((sonde_study_done(study) == 1) != (probe.status == SONDE_OK)) {
        probe_blame("a task is half done");
    }
    sonde_study_close(study);
}

PROBE_ROW(sonde_study_run, true) {
    sonde_study *study = new_study();
    probe_arm("sonde_study_run");
    (void)probe_disarm(sonde_study_run(study, &f.run, &probe.error));
    if (probe.status == SONDE_OK && sonde_study_done(study) != f.plan->n_task) {
        probe_blame("tasks are left");
    }
    sonde_study_close(study);
}

PROBE_ROW(sonde_study_rows, false) {
    sonde_study *study = NULL;
    sonde_text text = {0};
    sonde_error e = {0};
    FINE(sonde_study_open(STUDY_FILE, f.plan, &study, &e));
    probe_arm("sonde_study_rows");
    const sonde_status status = sonde_study_rows(study, "run", &text, &probe.error);
    (void)probe_disarm(status == SONDE_OK && text.failed ? SONDE_NO_MEMORY : status);
    probe.told = status != SONDE_OK;
    sonde_text_free(&text);
    sonde_study_close(study);
}

CALLS_AND_ADDS(sonde_report_study, STUDY_FILE, REPORT_FOLDER, NULL, &f.run, &text, error)
CALLS_AND_ADDS(sonde_report, RESULT_FILE, REPORT_FOLDER, NULL, &f.run, &text, error)
CALLS_AND_ADDS(sonde_view, PAGE_FILE, WORLD_FILE, NULL, &f.run, &text, error)

/* ----------------------------------------------------------------- what asks for no memory -- */

static void quiet_base(void) {
    sonde_stop stop = {0};
    sonde_text text = {0};
    sonde_search_settings search = sonde_search_defaults();
    sonde_model_settings model = sonde_model_defaults();
    sonde_learn_settings learn = sonde_learn_defaults();
    bool given[SONDE_SETTINGS_MAX] = {false};
    const sonde_reading differences = {0};
    const double prior[] = {0.5, 0.5}, low[] = {1.0, 2.0}, high[] = {1.5, 2.5};
    const sonde_backup_box box = {2, prior, low, high};
    double range[2];
    QUIET(sonde_version, );
    QUIET(sonde_status_sentence, SONDE_NO_FILE);
    QUIET(sonde_stop_raise, &stop);
    QUIET(sonde_run_defaults, );
    QUIET(sonde_connect_name, 0);
    QUIET(sonde_scope_name, 0);
    QUIET(sonde_search_name, 0);
    QUIET(sonde_plan_search_name, 0);
    QUIET(sonde_failure_name, 0);
    QUIET(sonde_embedding_name, 0);
    QUIET(sonde_name_find, sonde_scope_name, "local");
    QUIET(sonde_name_nearest, sonde_scope_name, "lokal");
    sonde_text_add(&text, "a few words");
    QUIET_OK(sonde_text_close, &text, NULL);
    QUIET(sonde_text_free, &text);
    QUIET(sonde_graph_defaults, );
    QUIET(sonde_parts_defaults, );
    QUIET(sonde_model_defaults, );
    QUIET(sonde_preferences_name, 0);
    QUIET(sonde_information_name, 0);
    QUIET(sonde_policy_kind_name, 0);
    QUIET(sonde_loop_name, 0);
    QUIET(sonde_backup_name, 0);
    QUIET(sonde_belief_kind_name, 0);
    QUIET_OK(sonde_backup_range, SONDE_BACKUP_MIN, 1.0, &box, range, NULL);
    QUIET(sonde_search_defaults, );
    QUIET(sonde_like_name, 0);
    QUIET(sonde_like_apply, 0, &model, &search);
    QUIET(sonde_like_learn, 0, &model, &search, &learn);
    QUIET(sonde_difference_name, 0);
    QUIET(sonde_difference_about, 0);
    QUIET(sonde_semantics_name, 0);
    QUIET(sonde_differences_apply, 1, 0, &search);
    QUIET(sonde_differences_count, &search, SONDE_KIND_ANY);
    search = sonde_search_defaults();
    QUIET_OK(sonde_differences_settle, &differences, given, SONDE_KIND_ANY, &search, NULL);
    QUIET(sonde_learn_defaults, );
    QUIET(sonde_learn_when_name, 0);
    QUIET(sonde_learn_beliefs_name, 0);
    QUIET(sonde_support_name, 0);
    QUIET(sonde_toward_name, 0);
    QUIET(sonde_precision_name, 0);
    QUIET(sonde_smoothing_name, 0);
    QUIET(sonde_make_defaults, );
    QUIET(sonde_make_name, 0);
    QUIET(sonde_illegal_name, 0);
    QUIET(sonde_form_name, 0);
    QUIET(sonde_timing_name, 0);
    QUIET(sonde_data_defaults, );
    QUIET(sonde_transform_name, 0);
    QUIET(sonde_transform_out, SONDE_TRANSFORM_LOG, 1.0);
    QUIET(sonde_transform_in, SONDE_TRANSFORM_LOG, 1.0);
    QUIET(sonde_replay_defaults, f.model);
    QUIET(sonde_fit_defaults, );
    QUIET(sonde_setting_at, 0);
    QUIET(sonde_setting_find, "k");
    QUIET_OK(sonde_settings_set, &search, "k", "7", NULL);
    QUIET_OK(sonde_settings_settle, &search, given, SONDE_KIND_ANY, NULL);
    QUIET(sonde_setting_counts, &search, 0, SONDE_KIND_ANY);
    QUIET(sonde_spm_number_name, 0);
    QUIET(sonde_study_plan_name, 0);
}

static void quiet_models(void) {
    int32_t tuple[SONDE_FACTORS_MAX];
    double belief[16];
    int32_t n = 0;
    sonde_change change;
    double xy[2];
    QUIET(sonde_graph_edge, f.s.graph, 0, 1);
    QUIET(sonde_graph_node, f.s.graph, "mill");
    QUIET(sonde_model_tuple, f.model, 1, tuple);
    QUIET(sonde_model_from_tuple, f.model, tuple);
    QUIET(sonde_model_transitions, f.model, 0);
    QUIET(sonde_model_likelihood, f.model, 0);
    QUIET(sonde_model_next, f.s.model, 0, 0);
    QUIET(sonde_model_kind, f.model);
    QUIET(sonde_model_seen, f.s.model);
    QUIET(sonde_model_counts, f.model, SONDE_A, 0, some, &n);
    QUIET(sonde_belief_initial, f.model, belief);
    QUIET_OK(sonde_belief_predict, f.model, 0, even(), belief, NULL);
    QUIET_OK(sonde_reduce, reduction(), some, NULL, NULL);
    QUIET(sonde_policies_origin, f.policies, even());
    QUIET(sonde_policies_size, f.policies, 0);
    QUIET(sonde_policies_size_real, f.policies, 0);
    QUIET_OK(sonde_policies_get, f.s.policies, f.s.graph->start, 1, f.walk, NULL);
    QUIET(sonde_policies_find, f.s.policies, f.s.graph->start, f.walk);
    QUIET(sonde_policies_action, f.s.policies, f.walk, 1);
    QUIET(sonde_policies_edit_distance, f.s.policies, f.walk, f.walk);
    QUIET(sonde_present_at, f.model, even());
    QUIET_OK(sonde_embedder_aim, f.embedder, now_in_graph(), NULL);
    QUIET(sonde_embedder_n_column, f.embedder);
    QUIET(sonde_embedder_size, f.own, f.s.graph->start);
    static uint64_t index[4096];
    const int32_t n_row = (int32_t)sonde_embedder_size(f.own, f.s.graph->start);
    assert_in_range(n_row, 1, 2048);
    QUIET_OK(sonde_embedder_list, f.own, f.s.graph->start, index, NULL);
    QUIET_OK(sonde_embedder_give, f.own, f.s.graph->start, n_row, 2, some, NULL);
    QUIET(sonde_embedding_row, f.rows, 0, some);
    QUIET(sonde_pca_project, f.pca, some, xy);
    QUIET(sonde_pca_point, f.pca, f.rows, 0, xy);
    QUIET(sonde_clusters_policy, f.clusters, 0);
    QUIET(sonde_vectors_describe, f.vectors);
    QUIET(sonde_stage_model, f.stage, 0, 0);
    QUIET(sonde_stage_outcome, f.stage, 0, 0, 0);
    QUIET(sonde_stage_change, f.stage, 1, &change);
    QUIET(sonde_world_n_factor, f.model);
    QUIET(sonde_world_start, f.world, 1);
    QUIET_OK(sonde_world_move, f.world, 0, NULL);
    QUIET(sonde_world_state, f.world);
    QUIET(sonde_world_outcome, f.world);
    QUIET(sonde_world_episode, f.world);
}

static void quiet_agents(void) {
    sonde_agent *agent = fresh(true);
    sonde_diary *diary = NULL;
    sonde_episode *episode = NULL;
    const sonde_decision *decision = NULL;
    const int32_t outcome = 0;
    int32_t action = -1;
    int32_t n_step = 0;
    sonde_followed followed;
    QUIET(sonde_agent_policies, agent);
    QUIET(sonde_agent_settings, agent);
    QUIET(sonde_agent_setup, agent);
    QUIET_OK(sonde_agent_observe, agent, &outcome, NULL);
    QUIET_OK(sonde_agent_search, agent, &decision, NULL);
    QUIET(sonde_agent_choice, agent);
    QUIET(sonde_agent_plan, agent, 0);
    QUIET(sonde_agent_act, agent);
    QUIET_OK(sonde_agent_observe_soft, agent, &outcome, NULL, NULL);
    QUIET_OK(sonde_agent_take, agent, 0, NULL);
    QUIET_OK(sonde_agent_believe, agent, even(), NULL);
    QUIET(sonde_agent_memory_get, agent);
    const sonde_agent_memory memory = sonde_agent_memory_get(agent);
    QUIET_OK(sonde_agent_memory_set, agent, &memory, NULL);
    QUIET(sonde_agent_counts, agent, SONDE_A, 0, some);
    QUIET(sonde_agent_learned, agent, SONDE_A, 0);
    QUIET(sonde_agent_end, agent);
    QUIET(sonde_agent_forget, agent);
    QUIET(sonde_agent_reset, agent);
    QUIET_OK(sonde_agent_follow, f.planner, 4, &followed, NULL);
    QUIET_OK(sonde_prefix_parse, f.learner, "go left", &n_step, numbers, &probe.error);
    assert_int_equal(sonde_diary_new(agent, 3, &diary, NULL), SONDE_OK);
    QUIET_OK(sonde_diary_see, diary, &outcome, NULL, NULL, NULL);
    QUIET_OK(sonde_diary_act, diary, &action, NULL);
    QUIET_OK(sonde_diary_end, diary, NULL, &episode, NULL);
    QUIET(sonde_episode_free, episode);
    diary = NULL;
    assert_int_equal(sonde_diary_new(agent, 3, &diary, NULL), SONDE_OK);
    QUIET(sonde_diary_free, diary);
    QUIET(sonde_agent_free, agent);
}

static void quiet_fits(void) {
    int64_t n = 0;
    double spent = 0.0;
    double left = 0.0;
    int32_t size = 0;
    int32_t graph = 0;
    const sonde_spm_shape *shape = sonde_spm_shape_of(f.spm);
    QUIET(sonde_data_column, f.data, "reward");
    QUIET(sonde_parameters_log_prior, f.parameters, some);
    QUIET(sonde_likelihood_layout, f.likelihood, 0);
    QUIET(sonde_spm_shape_of, f.spm);
    QUIET(sonde_spm_forget, f.spm);
    QUIET_OK(sonde_spm_run, f.spm, shape->outcome, shape->action, &f.trial, NULL);
    QUIET(sonde_spm_counts, f.spm, 'a', 0, &n);
    QUIET_OK(sonde_study_plan_task, f.plan, 0, &size, &graph, NULL);
    sonde_study *study = new_study();
    QUIET(sonde_study_done, study);
    QUIET(sonde_study_next, study);
    QUIET(sonde_study_cost, study, &spent, &left);
    probe_arm("sonde_study_close"); /* SQLite asks for a little, and does without */
    sonde_study_close(study);
    (void)probe_disarm(SONDE_OK);
}

/* Everything is given back without asking for anything. */
static void quiet_frees(void) {
    sonde_input input = {0};
    assert_int_equal(sonde_input_read(MODEL_FILE, NULL, NULL, 1, &f.run, &input, NULL), SONDE_OK);
    QUIET(sonde_input_free, &input);
    sonde_walks *read = NULL;
    assert_int_equal(sonde_walks_read(WALKS_FILE, f.s.policies, &read, NULL), SONDE_OK);
    QUIET(sonde_walks_free, read);
    sonde_task *task = NULL;
    assert_int_equal(sonde_task_read(PROCESS_FILE, NULL, &task, NULL), SONDE_OK);
    QUIET(sonde_task_free, task);
    QUIET(sonde_study_plan_free, f.plan);
    QUIET(sonde_recovered_free, f.recovered);
    QUIET(sonde_comparison_free, f.comparison);
    QUIET(sonde_candidates_free, f.candidates);
    QUIET(sonde_fit_free, f.fit);
    QUIET(sonde_likelihood_free, f.likelihood);
    QUIET(sonde_replayed_free, f.replayed);
    QUIET(sonde_parameters_free, f.parameters);
    QUIET(sonde_parameters_free, f.spm_parameters);
    QUIET(sonde_data_free, f.data);
    QUIET(sonde_spm_free, f.spm);
    QUIET(sonde_sequence_free, f.sequence);
    QUIET(sonde_world_free, f.world);
    QUIET(sonde_stage_free, f.stage);
    QUIET(sonde_agent_free, f.endless);
    QUIET(sonde_vectors_free, f.vectors);
    QUIET(sonde_policies_free, f.tiger_policies);
    QUIET(sonde_model_free, f.tiger);
    QUIET(sonde_agent_free, f.planner);
    QUIET(sonde_agent_free, f.learner);
    QUIET(sonde_policies_free, f.policies);
    QUIET(sonde_model_free, f.model);
    QUIET(sonde_episode_free, f.episode);
    QUIET(sonde_prefix_free, f.prefix);
    QUIET(sonde_explanation_free, f.why);
    QUIET(sonde_agent_free, f.walker);
    QUIET(sonde_clusters_free, f.clusters);
    QUIET(sonde_pca_free, f.pca);
    QUIET(sonde_embedding_free, f.rows);
    QUIET(sonde_embedder_free, f.embedder);
    QUIET(sonde_embedder_free, f.own);
    QUIET(sonde_graph_free, f.s.graph);
    sonde_policies_free(f.s.policies);
    sonde_model_free(f.s.model);
    sonde_text_free(&f.saved);
    sonde_text_free(&f.policy_text);
    sonde_text_free(&f.world_text);
    sonde_text_free(&f.task_rows);
}

/* ------------------------------------------------------------------------------------- tests -- */

static void no_fault(void) {
    if (probe_n_fault > 0) {
        fail_msg("%d faults", probe_n_fault);
    }
}

static void every_function_survives_every_refusal(void **state) {
    (void)state;
    const char *wanted = getenv("SONDE_REFUSE");
    const bool all = wanted != NULL && strcmp(wanted, "all") == 0;
    for (int i = 0; i < probe_n_row; i++) {
        probe_survive(&probe_rows[i], all);
    }
    (void)printf("refusals: %lld\n", (long long)probe_n_refusal);
    no_fault();
}

static void other_functions_ask_for_no_memory(void **state) {
    (void)state;
    memset(&probe, 0, sizeof probe);
    watch_memory(0);
    quiet_base();
    quiet_models();
    quiet_agents();
    quiet_fits();
    quiet_frees();
    unwatch_memory();
    no_fault();
}

/* Whether a function was called above. */
static bool is_known(const char *name, size_t length) {
    for (int i = 0; i < probe_n_name; i++) {
        if (strlen(probe_name[i]) == length && strncmp(probe_name[i], name, length) == 0) {
            return true;
        }
    }
    return false;
}

/* The functions of a header: names before a bracket, in what begins with SONDE_API. */
static int32_t look_through(const char *path) {
    static char text[1 << 17];
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    const size_t size = fread(text, 1, sizeof text - 1, file);
    assert_int_equal(fclose(file), 0);
    assert_true(size < sizeof text - 1);
    text[size] = '\0';
    int32_t n = 0;
    for (const char *at = text; (at = strstr(at, "\nSONDE_API ")) != NULL; n++) {
        at = strchr(at + 1, '(');
        assert_non_null(at);
        const char *name = at;
        while (name[-1] == '_' || (name[-1] >= 'a' && name[-1] <= 'z') ||
               (name[-1] >= '0' && name[-1] <= '9')) {
            name--;
        }
        if (!is_known(name, (size_t)(at - name))) {
            (void)fprintf(stderr, "%s: %.*s is in no row\n", path, (int)(at - name), name);
            probe_n_fault++;
        }
    }
    return n;
}

static void no_function_of_the_headers_is_missing(void **state) {
    (void)state;
    glob_t found;
    int32_t n = 0;
    assert_int_equal(glob(SONDE_TEST_DATA "/../../include/*.h", 0, NULL, &found), 0);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        n += look_through(found.gl_pathv[i]);
    }
    globfree(&found);
    assert_true(n > 250);
    assert_int_equal(probe_n_name, n);
    no_fault();
}

/* What is refused in the middle of a key of a document that jansson writes. */
static void a_schedule_whose_memory_is_refused_is_no_mistake_in_the_text(void **state) {
    (void)state;
    sonde_stage *stage = NULL;
    for (int64_t k = 1;; k++) {
        sonde_error error = {0};
        watch_memory(k);
        const sonde_status status = sonde_stage_read(SOURCE(process_text), NULL, &stage, &error);
        if (status == SONDE_OK) {
            sonde_stage_free(stage);
        }
        unwatch_memory();
        if (!allocator.refused) {
            break;
        }
        assert_true(status == SONDE_OK || status == SONDE_NO_MEMORY);
        assert_int_equal(error.status, status);
    }
}

/* A file that could not grow was not refused by the disk. */
static void a_file_for_which_there_is_no_memory_says_so(void **state) {
    (void)state;
    sonde_text text = {0};
    sonde_error error = {0};
    assert_int_equal(sonde_text_open(&text, WRITTEN_FILE, &error), SONDE_OK);
    watch_memory(1);
    sonde_text_add(&text, "a few words");
    unwatch_memory();
    assert_int_equal(sonde_text_close(&text, &error), SONDE_NO_MEMORY);
    assert_non_null(strstr(error.text, "written.txt"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_schedule_whose_memory_is_refused_is_no_mistake_in_the_text),
        cmocka_unit_test(a_file_for_which_there_is_no_memory_says_so),
        cmocka_unit_test(every_function_survives_every_refusal),
        cmocka_unit_test(other_functions_ask_for_no_memory),
        cmocka_unit_test(no_function_of_the_headers_is_missing),
    };
    return cmocka_run_group_tests(tests, set_up, NULL);
}

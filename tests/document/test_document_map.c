/* Maps of policy spaces, as tables and as documents. */
#include "documents.h"
#include "embed/embed.h"

/* Everything a map is about, on the triangle's 27 local policies. */
typedef struct {
    world world;
    sonde_embedder *embedder;
    sonde_embedding *embedding;
    sonde_pca *pca;
    sonde_clusters *clusters;
    sonde_cluster_settings settings;
    sonde_map map;
} fixture;

static fixture fixture_new(const char *embedding, bool with_clusters) {
    fixture f = {.world = world_new(triangle(NULL, 3)),
                 .settings = sonde_search_defaults().cluster};
    sonde_embed_settings embed = sonde_search_defaults().embed;
    embed.kind = sonde_name_find(sonde_embedding_name, embedding);
    f.settings.k = 4;
    const int32_t origin = f.world.graph->start;
    assert_int_equal(sonde_embedder_new(f.world.policies, &embed, NULL, &f.embedder, NULL),
                     SONDE_OK);
    assert_int_equal(sonde_embedding_new(f.embedder, origin, NULL, &f.embedding, NULL), SONDE_OK);
    assert_int_equal(sonde_pca_fit(f.embedding, &f.pca, NULL), SONDE_OK);
    if (with_clusters) {
        assert_int_equal(sonde_clusters_fit(f.embedding, &f.settings, NULL, &f.clusters, NULL),
                         SONDE_OK);
    }
    f.map = (sonde_map){{f.world.policies, origin, {.state = origin}, "sonde embed w.json"},
                        f.embedding,
                        f.pca,
                        f.clusters,
                        NULL};
    return f;
}

static void fixture_free(fixture *f) {
    sonde_clusters_free(f->clusters);
    sonde_pca_free(f->pca);
    sonde_embedding_free(f->embedding);
    sonde_embedder_free(f->embedder);
    world_free(&f->world);
}

static int count(const char *text, char wanted) {
    int n = 0;
    for (; *text != '\0'; text++) {
        n += *text == wanted ? 1 : 0;
    }
    return n;
}

/* The head of the table of an embedding. */
static void assert_header(const char *embedding, bool with_clusters, const char *wanted) {
    fixture f = fixture_new(embedding, with_clusters);
    sonde_text csv = {0};
    sonde_document_map_csv(&f.map, &csv);
    assert_false(csv.failed);
    csv.data[strcspn(csv.data, "\n")] = '\0';
    assert_string_equal(csv.data, wanted);
    sonde_text_free(&csv);
    fixture_free(&f);
}

static void columns_are_named_by_what_they_record(void **state) {
    (void)state;
    assert_header("boe", false,
                  "policy,nodes,row,x,y,e0-1,e0-2,e0-0,e1-0,e1-2,e1-1,e2-0,e2-1,e2-2");
    assert_header("aboe", false,
                  "policy,nodes,row,x,y,e0-1,e0-2,e0-0,e1-0,e1-2,e1-1,e2-0,e2-1,e2-2,last");
    assert_header("occupancy", false,
                  "policy,nodes,row,x,y,e0-1,e0-2,e0-0,e1-0,e1-2,e1-1,e2-0,e2-1,e2-2");
    assert_header("value", false, "policy,nodes,row,x,y,v1,v2,v3");
    assert_header("walk2vec", false, "policy,nodes,row,x,y,c0,c1,c2,c3,c4,c5,c6,c7");
    assert_header("edm", false, "policy,nodes,row,x,y,c0,c1,c2,c3,c4,c5,c6,c7,c8,c9,c10,c11,c12");
    assert_header("aboe-onehot", true,
                  "policy,nodes,row,label,representative,x,y,"
                  "e0-1,e0-2,e0-0,e1-0,e1-2,e1-1,e2-0,e2-1,e2-2,last0,last1,last2");
}

static void a_table_has_a_line_for_each_policy(void **state) {
    (void)state;
    fixture f = fixture_new("boe", false);
    sonde_text csv = {0};
    sonde_document_map_csv(&f.map, &csv);
    assert_int_equal(count(csv.data, '\n'), 28);
    assert_int_equal(count(csv.data, ','), 28 * 13);
    assert_non_null(strstr(csv.data, "\n0,2-0-1-0-1,0,"));
    /* the counts of its edges: 0-1 twice, 1-0 and 2-0 once */
    assert_non_null(strstr(csv.data, ",2,0,0,1,0,0,1,0,0\n1,2-0-1-0-2,1,"));
    sonde_text_free(&csv);
    fixture_free(&f);
}

static void a_table_marks_as_many_representatives_as_clusters(void **state) {
    (void)state;
    fixture f = fixture_new("boe", true);
    sonde_text csv = {0};
    sonde_document_map_csv(&f.map, &csv);
    int n_marked = 0;
    int n_line = 0;
    char *rest = csv.data;
    for (char *line = strtok_r(rest, "\n", &rest); line != NULL;
         line = strtok_r(NULL, "\n", &rest)) {
        char *field = line;
        for (int i = 0; i < 4; i++) {
            field = strchr(field, ',') + 1;
        }
        n_marked += n_line > 0 && field[0] == '1' ? 1 : 0;
        n_line++;
    }
    assert_int_equal(n_line, 28);
    assert_int_equal(n_marked, f.clusters->k);
    sonde_text_free(&csv);
    fixture_free(&f);
}

static void a_document_keeps_equal_rows_once(void **state) {
    (void)state;
    fixture f = fixture_new("boe-set", false);
    sonde_text json = {0};
    sonde_document_map_json(&f.map, &json);
    json_t *root = tree(&json);
    assert_string_equal(string_at(root, "verb"), "embed");
    assert_string_equal(string_at(root, "embedding"), "boe-set");
    const size_t n_row = json_array_size(at(root, "rows"));
    assert_int_equal(n_row, f.embedding->n_row);
    assert_true(n_row < 27);
    assert_int_equal(json_array_size(at(root, "row_of")), 27);
    assert_int_equal(json_array_size(at(root, "nodes")), 27);
    assert_int_equal(json_array_size(at(root, "xy")), n_row);
    assert_int_equal(json_array_size(at(root, "pca_share")), 2);
    double weight = 0.0;
    for (size_t i = 0; i < n_row; i++) {
        weight += json_number_value(json_array_get(at(root, "weight"), i));
    }
    assert_near(weight, 27.0, 0.0);
    assert_null(json_object_get(root, "clusters"));
    json_decref(root);
    fixture_free(&f);
}

static void a_document_has_the_clusters(void **state) {
    (void)state;
    fixture f = fixture_new("edm", true);
    f.map.cluster_settings = &f.settings;
    sonde_text json = {0};
    sonde_document_map_json(&f.map, &json);
    json_t *root = tree(&json);
    assert_string_equal(string_at(root, "verb"), "cluster");
    assert_number(root, "settings.k", 4);
    assert_number(root, "clusters.k", 4);
    assert_number(root, "clusters.k_asked", 4);
    assert_number(root, "clusters.inertia", f.clusters->inertia);
    assert_number(root, "columns_nominal", 243);
    assert_int_equal(json_array_size(at(root, "clusters.labels")), 27);
    assert_int_equal(json_array_size(at(root, "clusters.representatives")), 4);
    assert_int_equal(json_array_size(at(root, "clusters.sizes")), 4);
    assert_int_equal(json_array_size(at(root, "clusters.centers")), 4);
    assert_int_equal(json_array_size(at(root, "clusters.centers_xy.3")), 2);
    assert_int_equal(json_array_size(at(root, "clusters.centers.0")), f.embedding->n_column);
    json_decref(root);
    fixture_free(&f);
}

static void numbers_read_back_to_the_same_double(void **state) {
    (void)state;
    fixture f = fixture_new("edm", false);
    sonde_text json = {0};
    sonde_document_map_json(&f.map, &json);
    json_t *root = tree(&json);
    for (int32_t i = 0; i < f.embedding->n_row; i++) {
        for (int32_t j = 0; j < f.embedding->n_column; j++) {
            const json_t *row = json_array_get(at(root, "rows"), (size_t)i);
            const double found = json_number_value(json_array_get(row, (size_t)j));
            assert_true(found == sonde__embedding_at(f.embedding, i, j));
        }
    }
    json_decref(root);
    fixture_free(&f);
}

/* ---------------------------------------------------------------------------- general models -- */

/* Two factors that are acted on and one that is not; some names, which are odd. */
static const char document[] =
    "{\"format\": \"sonde-model\", \"version\": 1, \"name\": \"odd\", \"horizon\": 2,"
    " \"factors\": [{\"name\": \"a,b\", \"states\": [\"x\", \"y\"], \"actions\": [\"up\", \"\\\"down\\\"\"]},"
    "  {\"states\": 2, \"actions\": 2}, {\"name\": \"sky\", \"states\": 1, \"actions\": 1}],"
    " \"modalities\": [{\"outcomes\": 2, \"factors\": [0]}],"
    " \"A\": [[[1, 0], [0, 1]]],"
    " \"B\": [[[[1, 0], [1, 0]], [[0, 1], [0, 1]]], [[[1, 0], [0, 1]], [[0, 1], [1, 0]]], [[[1]]]],"
    " \"C\": [[0, 1]], \"D\": [[0.5, 0.5], [1, 0], [1]]}";

/* Everything that a map of a model is about; `n_sample` 0 for all of its 16 policies. */
typedef struct {
    sonde_model *model;
    double *belief;
    fixture f; /* without a graph */
} model_fixture;

static model_fixture model_fixture_new(const char *embedding, int32_t n_sample) {
    model_fixture m = {0};
    fixture *f = &m.f;
    const sonde_source source = {"m.json", document, sizeof document - 1};
    sonde_error error = {0};
    if (sonde_model_read(&source, NULL, NULL, &m.model, &error) != SONDE_OK) {
        fail_msg("%s", error.text);
    }
    f->world.model = m.model;
    m.belief = calloc((size_t)m.model->n_belief, sizeof *m.belief);
    assert_non_null(m.belief);
    sonde_belief_initial(m.model, m.belief);
    assert_int_equal(sonde_policies_count(m.model, 0, NULL, &f->world.policies, NULL), SONDE_OK);
    sonde_embed_settings embed = sonde_search_defaults().embed;
    embed.kind = sonde_name_find(sonde_embedding_name, embedding);
    embed.n_sample = n_sample;
    embed.seed = 5;
    assert_int_equal(sonde_embedder_new(f->world.policies, &embed, NULL, &f->embedder, NULL),
                     SONDE_OK);
    assert_int_equal(sonde_embedding_new(f->embedder, 0, NULL, &f->embedding, NULL), SONDE_OK);
    assert_int_equal(sonde_pca_fit(f->embedding, &f->pca, NULL), SONDE_OK);
    f->settings = sonde_search_defaults().cluster;
    f->settings.k = 2;
    assert_int_equal(sonde_clusters_fit(f->embedding, &f->settings, NULL, &f->clusters, NULL),
                     SONDE_OK);
    f->map = (sonde_map){{f->world.policies, 0, {.state = -1, .belief = m.belief}, NULL},
                         f->embedding,
                         f->pca,
                         f->clusters,
                         &f->settings};
    return m;
}

static void model_fixture_free(model_fixture *m) {
    free(m->belief);
    fixture_free(&m->f);
}

/* The beginning of the table of an embedding of a model. */
static void assert_table(const char *embedding, const char *wanted) {
    model_fixture m = model_fixture_new(embedding, 0);
    sonde_text csv = {0};
    m.f.map.clusters = NULL;
    sonde_document_map_csv(&m.f.map, &csv);
    assert_false(csv.failed);
    csv.data[strlen(wanted)] = '\0';
    assert_string_equal(csv.data, wanted);
    sonde_text_free(&csv);
    model_fixture_free(&m);
}

static void columns_of_a_model_have_its_names_in_quotes_where_they_need_them(void **state) {
    (void)state;
#define UP0 "up/0"
#define UP1 "up/1"
#define DOWN0 "\"\"down\"\"/0"
#define DOWN1 "\"\"down\"\"/1"
    assert_table("boa", "policy,actions,row,x,y,\"a_" UP0 "\",\"a_" UP1 "\",\"a_" DOWN0
                        "\",\"a_" DOWN1 "\"\n0,\"" UP0 "-" UP0 "\",0,");
    assert_table("boa-set", "policy,actions,row,x,y,\"a_" UP0 "\",\"a_" UP1 "\",");
    assert_table("timed", "policy,actions,row,x,y,\"t1_" UP0 "\",\"t1_" UP1 "\",\"t1_" DOWN0
                          "\",\"t1_" DOWN1 "\",\"t2_" UP0 "\",");
    assert_table("ends", "policy,actions,row,x,y,\"t1_" UP0 "\",\"t1_" UP1 "\",\"t1_" DOWN0
                         "\",\"t1_" DOWN1 "\",\"t2_" UP0 "\",\"t2_" UP1 "\",\"t2_" DOWN0
                         "\",\"t2_" DOWN1 "\",\"last1_" UP0 "\",\"last1_" UP1 "\",");
    assert_table("value", "policy,actions,row,x,y,\"v1\",\"v2\"\n");
    assert_table("ngram",
                 "policy,actions,row,x,y,\"a_" UP0 "-a_" UP0 "\",\"a_" UP0 "-a_" UP1 "\",\"a_" UP0
                 "-a_" DOWN0 "\",\"a_" UP0 "-a_" DOWN1 "\",\"a_" UP1 "-a_" UP0 "\",");
    assert_table("occupancy",
                 "policy,actions,row,x,y,\"a,b_x\",\"a,b_y\",\"f1_0\",\"f1_1\",\"sky_0\"\n");
    assert_table("edm", "policy,actions,row,x,y,\"c0\",");
}

static void a_document_of_a_model_has_beliefs_and_actions(void **state) {
    (void)state;
    model_fixture m = model_fixture_new("boa", 0);
    sonde_text json = {0};
    sonde_document_map_json(&m.f.map, &json);
    json_t *root = tree(&json);
    assert_string_equal(string_at(root, "verb"), "cluster");
    assert_string_equal(string_at(root, "names.model"), "odd");
    assert_string_equal(string_at(root, "model.policies"), "all");
    assert_number(root, "belief.0.1", 0.5);
    assert_number(root, "belief.2.0", 1.0);
    assert_int_equal(json_array_size(at(root, "actions")), 16);
    assert_int_equal(json_array_size(at(root, "actions.0")), 2);
    assert_number(root, "actions.6.0.1", 1); /* up/1, then down/0 */
    assert_number(root, "actions.6.1.0", 1);
    assert_int_equal(json_array_size(at(root, "clusters.labels")), 16);
    static const char *const absent[] = {"state", "scope", "nodes", "index"};
    for (size_t i = 0; i < 4; i++) {
        assert_null(json_object_get(root, absent[i]));
    }
    assert_null(json_object_get(at(root, "settings"), "scope"));
    json_decref(root);
    model_fixture_free(&m);
}

static void policies_of_a_sample_keep_their_index(void **state) {
    (void)state;
    model_fixture m = model_fixture_new("boa", 5);
    sonde_text csv = {0};
    sonde_text json = {0};
    sonde_document_map_csv(&m.f.map, &csv);
    sonde_document_map_json(&m.f.map, &json);
    json_t *root = tree(&json);
    assert_number(root, "settings.policy_sample", 5);
    assert_number(root, "settings.sample_seed", 5);
    assert_number(root, "count", 5);
    assert_int_equal(json_array_size(at(root, "index")), 5);
    assert_int_equal(count(csv.data, '\n'), 6);
    const char *line = csv.data;
    for (size_t i = 0; i < 5; i++) {
        const uint64_t index = m.f.embedding->policy[i];
        assert_int_equal(json_integer_value(json_array_get(at(root, "index"), i)), index);
        /* policy i takes the actions i / 4 and i % 4, which are tuples of two bits and a 0 */
        int32_t tuple[3];
        const json_t *actions = json_array_get(at(root, "actions"), i);
        for (size_t t = 0; t < 2; t++) {
            sonde_model_tuple(m.model, (int32_t)(t == 0 ? index / 4 : index % 4), tuple);
            for (size_t f = 0; f < 3; f++) {
                const json_t *action = json_array_get(json_array_get(actions, t), f);
                assert_int_equal(json_integer_value(action), tuple[f]);
            }
        }
        line = strchr(line, '\n') + 1;
        assert_int_equal(strtoull(line, NULL, 10), index);
    }
    json_decref(root);
    sonde_text_free(&csv);
    model_fixture_free(&m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_are_named_by_what_they_record),
        cmocka_unit_test(a_table_has_a_line_for_each_policy),
        cmocka_unit_test(a_table_marks_as_many_representatives_as_clusters),
        cmocka_unit_test(a_document_keeps_equal_rows_once),
        cmocka_unit_test(a_document_has_the_clusters),
        cmocka_unit_test(numbers_read_back_to_the_same_double),
        cmocka_unit_test(columns_of_a_model_have_its_names_in_quotes_where_they_need_them),
        cmocka_unit_test(a_document_of_a_model_has_beliefs_and_actions),
        cmocka_unit_test(policies_of_a_sample_keep_their_index),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

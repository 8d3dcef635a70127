/* Maps of policy spaces, as tables and as documents. */
#include "report/report_tools.h"

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
    fixture f = {.world = world_new(triangle(NULL, 3)), .settings = sonde_cluster_defaults()};
    sonde_embed_settings embed = sonde_embed_defaults();
    embed.kind = sonde_name_find(sonde_embedding_name, embedding);
    f.settings.k = 4;
    const int32_t origin = f.world.graph->start;
    assert_int_equal(sonde_embedder_new(f.world.policies, &embed, NULL, &f.embedder, NULL),
                     SONDE_OK);
    assert_int_equal(sonde_embedding_new(f.embedder, origin, NULL, &f.embedding, NULL), SONDE_OK);
    assert_int_equal(sonde_pca_fit(f.embedding, &f.pca), SONDE_OK);
    if (with_clusters) {
        assert_int_equal(sonde_clusters_fit(f.embedding, &f.settings, NULL, &f.clusters, NULL),
                         SONDE_OK);
    }
    f.map = (sonde_map){{f.world.policies, origin, origin, "sonde embed w.json"},
                        f.embedder,
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
    sonde_report_map_csv(&f.map, &csv);
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
    assert_header("aboe-onehot", true,
                  "policy,nodes,row,label,representative,x,y,"
                  "e0-1,e0-2,e0-0,e1-0,e1-2,e1-1,e2-0,e2-1,e2-2,last0,last1,last2");
}

static void a_table_has_a_line_for_each_policy(void **state) {
    (void)state;
    fixture f = fixture_new("boe", false);
    sonde_text csv = {0};
    sonde_report_map_csv(&f.map, &csv);
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
    sonde_report_map_csv(&f.map, &csv);
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
    sonde_report_map_json(&f.map, &json);
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
    sonde_report_map_json(&f.map, &json);
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
    sonde_report_map_json(&f.map, &json);
    json_t *root = tree(&json);
    for (int32_t i = 0; i < f.embedding->n_row; i++) {
        for (int32_t j = 0; j < f.embedding->n_column; j++) {
            const json_t *row = json_array_get(at(root, "rows"), (size_t)i);
            const double found = json_number_value(json_array_get(row, (size_t)j));
            assert_true(found == f.embedding->row[i * f.embedding->n_column + j]);
        }
    }
    json_decref(root);
    fixture_free(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_are_named_by_what_they_record),
        cmocka_unit_test(a_table_has_a_line_for_each_policy),
        cmocka_unit_test(a_table_marks_as_many_representatives_as_clusters),
        cmocka_unit_test(a_document_keeps_equal_rows_once),
        cmocka_unit_test(a_document_has_the_clusters),
        cmocka_unit_test(numbers_read_back_to_the_same_double),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

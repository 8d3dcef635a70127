/* Chosen worlds and a failed run, of a small study that is really run. */
/* uses threads */
#include "draw/figure_tools.h"

#include <unistd.h>

#include "draw/report_world.h"

#define DB SONDE_TEST_TMP "/worlds.sqlite"

/* ------------------------------------------------------------------------------------ tools -- */

static const char plan_text[] =
    "{\"format\": \"sonde-plan\", \"version\": 1, \"name\": \"worlds\", \"seed\": 5, \"steps\": 10,\n"
    " \"worlds\": {\"sizes\": [3, 4], \"graphs\": 4}, \"conditions\": [\n"
    "  {\"group\": \"table\", \"search\": \"full\", \"scope\": [\"local\", \"global\"]},\n"
    "  {\"group\": \"table\", \"semantics\": [\"text\", \"notebook\"], \"search\": \"cluster\",\n"
    "   \"scope\": [\"local\", \"global\"], \"embedding\": [\"edm\", \"boe\", \"aboe\"],\n"
    "   \"k\": 12, \"probe\": [\"center\", \"sample\"], \"samples\": 3}]}\n";

/* Runs the study once for all tests. */
static int run_study(void **state) {
    (void)state;
    const char *path = SONDE_TEST_TMP "/worlds.json";
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_true(fputs(plan_text, file) >= 0);
    assert_int_equal(fclose(file), 0);
    (void)unlink(DB);
    sonde_study_plan *plan = NULL;
    sonde_study *study = NULL;
    sonde_error error = {0};
    sonde_status status = sonde_study_plan_read(path, &plan, &error);
    if (status == SONDE_OK) {
        status = sonde_study_open(DB, plan, &study, &error);
    }
    if (status == SONDE_OK) {
        status = sonde_study_run(study, NULL, &error);
    }
    if (status != SONDE_OK) {
        fail_msg("%s", error.text);
    }
    sonde_study_close(study);
    sonde_study_plan_free(plan);
    return 0;
}

/* A page to write sections into. */
typedef struct {
    sonde__results *results;
    sonde_run run;
    sonde_error error;
    sonde__page page;
} setting;

static setting *setting_new(void) {
    setting *s = calloc(1, sizeof *s);
    assert_non_null(s);
    assert_int_equal(sonde__results_read(DB, &s->results, &s->error), SONDE_OK);
    s->run = sonde_run_defaults();
    s->run.n_thread = 2;
    s->page = (sonde__page){
        .results = s->results, .folder = SONDE_TEST_TMP, .run = &s->run, .error = &s->error};
    assert_int_equal(sonde__table_count(s->results, &s->page.table), SONDE_OK);
    return s;
}

static void setting_free(setting *s) {
    sonde__table_free(&s->page.table);
    sonde_text_free(&s->page.body);
    sonde_text_free(&s->page.contents);
    sonde__results_free(s->results);
    free(s);
}

/* A copy of an array, which the test frees. */
static void *room_for(int32_t n, size_t size, const void *from) {
    void *copy = malloc((size_t)n * size);
    assert_non_null(copy);
    memcpy(copy, from, (size_t)n * size);
    return copy;
}

/* ------------------------------------------------------------------------------------ tests -- */

static void a_world_opens_as_it_was(void **state) {
    (void)state;
    setting *s = setting_new();
    assert_int_equal(s->results->n_world, 8);
    for (int32_t i = 0; i < s->results->n_world; i++) {
        const sonde__result_world *result = &s->results->world[i];
        sonde__opened_world w;
        assert_int_equal(sonde__world_open(&s->page, result, &w), SONDE_OK);
        assert_int_equal(w.graph->n_node, result->size);
        assert_near(w.policies->size, result->n_policy, 0.0);
        assert_near(sonde_policies_size_real(w.policies, w.graph->start), result->n_local, 0.0);
        sonde__world_close(&w);
    }
    setting_free(s);
}

static void runs_and_worlds_find_each_other(void **state) {
    (void)state;
    setting *s = setting_new();
    for (int32_t i = 0; i < s->results->n_run; i++) {
        const sonde__result_run *run = &s->results->run[i];
        const sonde__result_world *w = sonde__run_world(s->results, run);
        assert_non_null(w);
        assert_ptr_equal(sonde__world_run(s->results, run->condition, w), run);
    }
    sonde__result_run stranger = s->results->run[0];
    stranger.graph = 99;
    assert_null(sonde__run_world(s->results, &stranger));
    setting_free(s);
}

static void paths_are_read(void **state) {
    (void)state;
    int32_t path[4];
    assert_int_equal(sonde__path_read("3-1-12", 4, path), 3);
    assert_int_equal(path[0], 3);
    assert_int_equal(path[1], 1);
    assert_int_equal(path[2], 12);
    assert_int_equal(sonde__path_read("0-1-2-3-4", 4, path), 4);
    assert_int_equal(sonde__path_read("", 4, path), 0);
    assert_int_equal(sonde__path_read("x", 4, path), 0);
}

/* The clusters in the report are those that the agent of the study had. */
static void clusters_are_those_of_the_agent(void **state) {
    (void)state;
    setting *s = setting_new();
    const int32_t boe = sonde_name_find(sonde_embedding_name, "boe");
    for (int32_t i = 0; i < s->results->n_world; i++) {
        for (int32_t scope = 0; scope < 2; scope++) {
            sonde__opened_world w;
            sonde__space space;
            sonde_clusters *clusters = NULL;
            sonde_agent *agent = NULL;
            const sonde_decision *decision = NULL;
            assert_int_equal(sonde__world_open(&s->page, &s->results->world[i], &w), SONDE_OK);
            const int32_t origin = scope == SONDE_LOCAL ? w.graph->start : SONDE_EVERYWHERE;
            assert_int_equal(sonde__space_open(&s->page, &w, boe, origin, &space), SONDE_OK);
            assert_int_equal(sonde__space_cluster(&s->page, &space, 12, &clusters), SONDE_OK);
            sonde_search_settings settings = sonde_search_defaults();
            settings.search = SONDE_SEARCH_CLUSTER;
            settings.scope = (sonde_scope)scope;
            settings.seed = s->results->world[i].seed;
            assert_int_equal(sonde_agent_new(w.policies, &settings, NULL, &agent, NULL), SONDE_OK);
            sonde_agent_observe(agent, &w.graph->start, NULL);
            assert_int_equal(sonde_agent_search(agent, &decision, NULL), SONDE_OK);
            assert_int_equal(decision->clusters->k, clusters->k);
            assert_memory_equal(decision->clusters->label, clusters->label,
                                (size_t)clusters->n_policy * sizeof *clusters->label);

            /* and what the search scored is what the report calls the representative's G */
            sonde__contrast contrast;
            assert_int_equal(sonde__contrast_new(&s->page, &space, clusters, &contrast), SONDE_OK);
            for (int32_t c = 0; c < clusters->k; c++) {
                assert_near(contrast.representative[c], decision->cluster_efe[c], 0.0);
            }
            sonde__contrast_free(&contrast);
            sonde_agent_free(agent);
            sonde_clusters_free(clusters);
            sonde__space_close(&space);
            sonde__world_close(&w);
        }
    }
    setting_free(s);
}

static void a_scatter_draws_every_row_or_says_how_few(void **state) {
    (void)state;
    setting *s = setting_new();
    for (int32_t i = 0; i < s->results->n_world; i++) {
        sonde__opened_world w;
        sonde__space space;
        sonde_clusters *clusters = NULL;
        sonde_text svg = {0};
        assert_int_equal(sonde__world_open(&s->page, &s->results->world[i], &w), SONDE_OK);
        assert_int_equal(sonde__space_open(&s->page, &w, 0, SONDE_EVERYWHERE, &space), SONDE_OK);
        assert_int_equal(sonde__space_cluster(&s->page, &space, 12, &clusters), SONDE_OK);
        const sonde__scatter_plot scatter = {
            .title = "t", .space = &space, .clusters = clusters, .chosen = 0, .best = 0};
        sonde__pen_open(&svg, 400.0, 400.0, "title", "description");
        sonde__scatter_draw(&scatter, (sonde__area){40.0, 40.0, 300.0, 300.0}, &svg);
        sonde__scatter_legend(true, (sonde__point){10.0, 10.0}, &svg);
        sonde__pen_close(&svg);
        assert_picture(&svg);
        const int32_t n_row = space.embedding->n_row;
        const int32_t stride = (n_row + 2999) / 3000;
        assert_int_equal(count_of(svg.data, "h0"), (n_row + stride - 1) / stride);
        assert_int_equal(count_of(svg.data, "drawn") > 0, stride > 1);
        assert_int_equal(count_of(svg.data, "<circle"), clusters->k + 3);
        sonde_text_free(&svg);
        sonde_clusters_free(clusters);
        sonde__space_close(&space);
        sonde__world_close(&w);
    }
    setting_free(s);
}

static void the_section_shows_a_world_whole(void **state) {
    (void)state;
    setting *s = setting_new();
    const sonde_status status = sonde__page_worlds(&s->page);
    if (status != SONDE_OK) {
        fail_msg("%s", s->error.text);
    }
    const char *body = s->page.body.data;
    assert_non_null(strstr(body, "<section id=\"worlds\">"));
    assert_non_null(strstr(body, "id=\"figure-world_4_paths\""));
    assert_non_null(strstr(body, "id=\"figure-world_4_clusters\""));
    assert_non_null(strstr(body, "id=\"figure-world_4_spaces\""));
    assert_non_null(strstr(body, "id=\"table-correlation\""));
    assert_int_equal(count_of(body, "EDM, global"), 1);
    assert_int_equal(count_of(body, "aBOE, local"), 1);
    assert_null(strstr(body, "nan"));
    setting_free(s);
}

/* The story of the failed run is one that the numbers of the search tell. */
static void a_failed_run_is_explained(void **state) {
    (void)state;
    setting *s = setting_new();
    int32_t n_failed = 0;
    for (int32_t i = 0; i < s->results->n_run; i++) {
        n_failed += s->results->run[i].k > 0 && !s->results->run[i].optimal ? 1 : 0;
    }
    assert_true(n_failed > 0);
    assert_int_equal(sonde__page_failures(&s->page), SONDE_OK);
    const char *body = s->page.body.data;
    assert_non_null(strstr(body, "<h3>One run that failed</h3>"));
    assert_non_null(strstr(body, "the search chose cluster"));
    assert_non_null(strstr(body, "id=\"figure-failed_path\""));
    assert_non_null(strstr(body, "id=\"figure-failed_clusters\""));
    assert_non_null(strstr(body, "id=\"figure-failed_space\""));
    assert_null(strstr(body, "does not decide as"));
    setting_free(s);
}

/* Results of a version that decided otherwise: the path alone can be shown. Runs that arrived and
 * left again went wrong late, so that other seeds are noticed on the way. */
static void a_run_that_goes_otherwise_now_is_not_explained(void **state) {
    (void)state;
    setting *s = setting_new();
    sonde__results other = *s->results;
    sonde__result_world *w = room_for(s->results->n_world, sizeof *w, s->results->world);
    sonde__result_run *run = room_for(s->results->n_run, sizeof *run, s->results->run);
    for (int32_t i = 0; i < other.n_run; i++) {
        if (run[i].failure != SONDE_FAILURE_LEFT || run[i].reached == 0) {
            run[i].failure = SONDE_FAILURE_NONE;
        }
    }
    other.world = w;
    other.run = run;
    s->page.results = &other;
    bool lost = false;
    for (uint64_t seed = 0; seed < 50 && !lost; seed++) {
        for (int32_t i = 0; i < other.n_world; i++) {
            w[i].seed = seed;
        }
        sonde_text_free(&s->page.body);
        assert_int_equal(sonde__page_failed_run(&s->page), SONDE_OK);
        assert_non_null(strstr(s->page.body.data, "id=\"figure-failed_path\""));
        lost = strstr(s->page.body.data, "does not decide as") != NULL;
    }
    assert_true(lost);
    free(run);
    free(w);
    setting_free(s);
}

static void a_path_that_does_not_fit_is_bad_input(void **state) {
    (void)state;
    setting *s = setting_new();
    sonde__opened_world w;
    sonde__result_run run = s->results->run[0];
    sonde_text svg = {0};
    run.path = "0-99";
    assert_int_equal(sonde__world_open(&s->page, sonde__run_world(s->results, &run), &w), SONDE_OK);
    assert_int_equal(sonde__world_draw(&s->page, &w, &run, &svg), SONDE_BAD_INPUT);
    assert_non_null(strstr(s->error.text, "0-99"));
    sonde_text_free(&svg);
    sonde__world_close(&w);
    setting_free(s);
}

static void a_raised_flag_stops_the_section(void **state) {
    (void)state;
    setting *s = setting_new();
    sonde_stop stop = {0};
    s->run.stop = &stop;
    sonde_stop_raise(&stop);
    assert_int_equal(sonde__page_worlds(&s->page), SONDE_STOPPED);
    setting_free(s);
}

static void threads_change_no_byte(void **state) {
    (void)state;
    char *page[2];
    for (int32_t i = 0; i < 2; i++) {
        setting *s = setting_new();
        s->run.n_thread = i == 0 ? 1 : 4;
        assert_int_equal(sonde__page_worlds(&s->page), SONDE_OK);
        assert_int_equal(sonde__page_failures(&s->page), SONDE_OK);
        page[i] = s->page.body.data;
        s->page.body = (sonde_text){0};
        setting_free(s);
    }
    assert_string_equal(page[0], page[1]);
    free(page[0]);
    free(page[1]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_world_opens_as_it_was),
        cmocka_unit_test(runs_and_worlds_find_each_other),
        cmocka_unit_test(paths_are_read),
        cmocka_unit_test(clusters_are_those_of_the_agent),
        cmocka_unit_test(a_scatter_draws_every_row_or_says_how_few),
        cmocka_unit_test(the_section_shows_a_world_whole),
        cmocka_unit_test(a_failed_run_is_explained),
        cmocka_unit_test(a_run_that_goes_otherwise_now_is_not_explained),
        cmocka_unit_test(a_path_that_does_not_fit_is_bad_input),
        cmocka_unit_test(a_raised_flag_stops_the_section),
        cmocka_unit_test(threads_change_no_byte),
    };
    return cmocka_run_group_tests(tests, run_study, NULL);
}

/* Figures of a study that was made up. */
#include "draw/figure_tools.h"

typedef bool (*figure)(const sonde__results *results, sonde_text *svg);

static bool differences_of_four(const sonde__results *results, sonde_text *svg) {
    return sonde__figure_differences(results, 4, svg);
}

static bool tradeoff_of_five(const sonde__results *results, sonde_text *svg) {
    return sonde__figure_tradeoff(results, 5, svg);
}

static const struct {
    const char *name;
    figure draw;
} figures[] = {
    {"optimality", sonde__figure_optimality},
    {"decision_time", sonde__figure_decision_time},
    {"decision_steps", sonde__figure_decision_steps},
    {"construction_time", sonde__figure_construction_time},
    {"sweep_k", sonde__figure_sweep_k},
    {"sweep_n", sonde__figure_sweep_n},
    {"valid", sonde__figure_valid},
    {"failures", sonde__figure_failures},
    {"differences", differences_of_four},
    {"tradeoff", tradeoff_of_five},
};
#define N_FIGURE (sizeof figures / sizeof *figures)

/* ------------------------------------------------------------------------------------ tools -- */

static sonde_text drawn(figure draw, const fake *f) {
    sonde_text svg = {0};
    assert_true(draw(&f->results, &svg));
    assert_picture(&svg);
    return svg;
}

static void assert_has(const sonde_text *svg, const char *words) {
    if (strstr(svg->data, words) == NULL) {
        fail_msg("there is no %s in\n%s", words, svg->data);
    }
}

/* A study of a few conditions on worlds of 3 nodes, to be filled by hand. */
static void fake_small(fake *f, int32_t n_graph) {
    for (int32_t c = 0; c < f->plan.n_condition; c++) {
        f->condition[c].n_size = 1;
        f->condition[c].n_graph = n_graph;
    }
    fake_run(f);
}

static sonde__result_run *runs_of(fake *f, int32_t condition) {
    sonde__result_run *run = f->run;
    while (run->condition != condition) {
        run++;
    }
    return run;
}

/* The first n_optimal runs of a condition are optimal, the others are not. */
static void set_optimal(fake *f, int32_t condition, int32_t n_optimal) {
    sonde__result_run *run = runs_of(f, condition);
    for (int32_t i = 0; i < f->condition[condition].n_graph; i++) {
        run[i].optimal = i < n_optimal;
        run[i].failure = i < n_optimal ? SONDE_FAILURE_NONE : SONDE_FAILURE_NEVER;
    }
}

/* ------------------------------------------------------------------------------------ facts -- */

static void all_figures_of_a_whole_study_are_drawn(void **state) {
    (void)state;
    fake *f = fake_paper();
    for (size_t i = 0; i < N_FIGURE; i++) {
        sonde_text svg = drawn(figures[i].draw, f);
        sonde_text again = drawn(figures[i].draw, f);
        assert_string_equal(svg.data, again.data);
        assert_int_equal(count_of(svg.data, "not shown"), 0);
        keep_picture(&svg, figures[i].name);
        sonde_text_free(&svg);
        sonde_text_free(&again);
    }
    fake_free(f);
}

static void figures_of_nothing_are_not_drawn(void **state) {
    (void)state;
    fake *empty = fake_new();
    fake *planned = fake_paper();
    fake *other = fake_new();
    planned->results.n_run = 0;
    fake_table(other, "mine", SONDE_SEMANTICS_TEXT, SONDE_SYMMETRIC, SONDE_ACTION_MARGINAL);
    fake_run(other);
    for (size_t i = 0; i < N_FIGURE; i++) {
        sonde_text svg = {0};
        assert_false(figures[i].draw(&empty->results, &svg));
        assert_false(figures[i].draw(&planned->results, &svg));
        assert_false(figures[i].draw(&other->results, &svg));
        assert_int_equal(svg.size, 0);
        assert_false(svg.failed);
    }
    fake_free(empty);
    fake_free(planned);
    fake_free(other);
}

static void a_size_that_was_not_run_has_no_figure(void **state) {
    (void)state;
    fake *f = fake_paper();
    sonde_text svg = {0};
    assert_false(sonde__figure_differences(&f->results, 6, &svg));
    assert_false(sonde__figure_tradeoff(&f->results, 6, &svg));
    assert_false(sonde__figure_tradeoff(&f->results, 300, &svg));
    assert_int_equal(svg.size, 0);
    fake_free(f);
}

/* Whatever part of a study there is, a figure shows it or is not drawn. */
static void any_part_of_a_study_will_do(void **state) {
    (void)state;
    fake *f = fake_paper();
    const int32_t n_run = f->results.n_run;
    const sonde__result_run *run = f->results.run;
    for (int32_t first = 0; first < n_run; first += n_run / 13) {
        for (int32_t n = 1; n <= n_run - first; n *= 6) {
            f->results.run = run + first;
            f->results.n_run = n;
            for (size_t i = 0; i < N_FIGURE; i++) {
                sonde_text svg = {0};
                if (figures[i].draw(&f->results, &svg)) {
                    assert_picture(&svg);
                } else {
                    assert_int_equal(svg.size, 0);
                }
                sonde_text_free(&svg);
            }
        }
    }
    f->results.run = run;
    fake_free(f);
}

static void a_study_of_the_notebook_alone_has_figures(void **state) {
    (void)state;
    fake *f = fake_new();
    fake_table(f, "table", SONDE_SEMANTICS_NOTEBOOK, SONDE_SYMMETRIC, SONDE_ACTION_MARGINAL);
    fake_run(f);
    for (size_t i = 0; i < 4; i++) {
        sonde_text svg = drawn(figures[i].draw, f);
        assert_null(strstr(svg.data, "n 3, text"));
        sonde_text_free(&svg);
    }
    sonde_text svg = drawn(sonde__figure_failures, f);
    assert_has(&svg, ">local, notebook</text>");
    assert_null(strstr(svg.data, ">local, text</text>"));
    sonde_text_free(&svg);
    fake_free(f);
}

/* 7 of 10: Wilson's interval is 0.3968 to 0.8922 (scipy). */
static void optimality_shows_shares_with_their_intervals(void **state) {
    (void)state;
    fake *f = fake_new();
    fake_condition(f, "table", SONDE_LOCAL, NULL, 0, 1);
    fake_condition(f, "table", SONDE_LOCAL, "edm", 6, 1);
    fake_condition(f, "table", SONDE_LOCAL, "edm", 6, 3);
    fake_small(f, 10);
    set_optimal(f, 0, 10);
    set_optimal(f, 1, 2);
    set_optimal(f, 2, 7);
    sonde_text svg = drawn(sonde__figure_optimality, f);
    assert_has(&svg, "<title>standard (full search); nodes 3: 100 (");
    /* the better combination is shown, the other is not */
    assert_has(&svg, "<title>EDM, k 6, n 3, text; nodes 3: 70 (39.68 to 89.22)</title>");
    assert_null(strstr(svg.data, "k 6, n 1"));
    assert_has(&svg, "n = 10 worlds a bar");
    assert_null(strstr(svg.data, ">global</text>"));
    sonde_text_free(&svg);
    fake_free(f);
}

static void optimality_has_a_bar_for_each_condition_and_the_papers_values(void **state) {
    (void)state;
    fake *f = fake_paper();
    sonde_text svg = drawn(sonde__figure_optimality, f);
    /* 2 scopes, 3 sizes, full search and 3 embeddings under 2 semantics */
    assert_int_equal(count_of(svg.data, "; nodes "), 2 * 3 * 7);
    /* a diamond on each, for the table has them all, and one in each legend */
    assert_int_equal(count_of(svg.data, "L-0.95 0 Z"), 2 * 3 * 7 + 2);
    sonde_text_free(&svg);
    fake_free(f);
}

static void decisions_show_means_over_worlds(void **state) {
    (void)state;
    fake *f = fake_new();
    fake_condition(f, "table", SONDE_GLOBAL, NULL, 0, 1);
    fake_small(f, 2);
    sonde__result_run *run = runs_of(f, 0);
    run[0].n_decision = 10;
    run[0].n_step = 1000;
    run[0].decide_seconds = 0.5;
    run[1].n_decision = 5;
    run[1].n_step = 1500;
    run[1].decide_seconds = 0.75;
    sonde_text svg = drawn(sonde__figure_decision_steps, f);
    assert_has(&svg, "standard (full search); nodes 3: 200 (");
    sonde_text_free(&svg);
    svg = drawn(sonde__figure_decision_time, f);
    assert_has(&svg, "standard (full search); nodes 3: 0.1 (");
    sonde_text_free(&svg);
    fake_free(f);
}

static void construction_counts_only_what_a_run_made_itself(void **state) {
    (void)state;
    fake *f = fake_new();
    fake_condition(f, "table", SONDE_GLOBAL, "boe", 6, 1);
    fake_condition(f, "table", SONDE_GLOBAL, "boe", 12, 1);
    fake_condition(f, "table", SONDE_GLOBAL, "boe", 12, 3);
    fake_small(f, 3);
    for (int32_t i = 0; i < f->results.n_run; i++) {
        f->run[i].embed_seconds = 1.0;
        f->run[i].cluster_seconds = 1.0;
        f->run[i].n_reused = 0;
    }
    sonde__result_run *run = runs_of(f, 1);
    run[0].cluster_seconds = 3.0;
    run[1].cluster_seconds = 5.0;
    run[2].cluster_seconds = 100.0;
    run[2].n_reused = 1;
    sonde_text svg = drawn(sonde__figure_construction_time, f);
    assert_has(&svg, "BOE, k 12; nodes 3: 5 (");
    assert_has(&svg, "BOE, global; nodes 3: 5 (");
    assert_has(&svg, "n = 2 worlds a point");
    sonde_text_free(&svg);
    fake_free(f);
}

static void valid_goes_by_the_k_that_was_used(void **state) {
    (void)state;
    fake *f = fake_new();
    fake_condition(f, "table", SONDE_GLOBAL, "boe", 6, 1);
    sonde_condition *lagging = fake_condition(f, "table", SONDE_GLOBAL, "boe", 6, 1);
    lagging->differences = SONDE_SEMANTICS_NOTEBOOK;
    lagging->k_before = 12;
    fake_condition(f, "table", SONDE_LOCAL, "boe", 24, 1);
    fake_small(f, 4);
    for (int32_t i = 0; i < 4; i++) {
        runs_of(f, 0)[i].k = 6;
        runs_of(f, 0)[i].n_valid = 3;
        runs_of(f, 1)[i].k = 12;
        runs_of(f, 1)[i].n_valid = i;
    }
    sonde_text svg = drawn(sonde__figure_valid, f);
    assert_has(&svg, "k 6, text; nodes 3: 50 (");
    assert_has(&svg, "k 12, notebook; nodes 3: 12.5 (");
    assert_int_equal(count_of(svg.data, "; nodes 3: "), 2);
    sonde_text_free(&svg);
    fake_free(f);
}

static void failures_add_up(void **state) {
    (void)state;
    fake *f = fake_new();
    fake_condition(f, "table", SONDE_LOCAL, NULL, 0, 1);
    fake_condition(f, "table", SONDE_LOCAL, "aboe", 6, 1);
    fake_condition(f, "table", SONDE_LOCAL, "aboe", 12, 1);
    fake_small(f, 4);
    set_optimal(f, 0, 4);
    set_optimal(f, 1, 2); /* 2 of 8 never arrived */
    set_optimal(f, 2, 0);
    runs_of(f, 2)[0].failure = SONDE_FAILURE_DETOUR;
    runs_of(f, 2)[1].failure = SONDE_FAILURE_LEFT;
    runs_of(f, 2)[2].failure = SONDE_FAILURE_STAYED;
    runs_of(f, 2)[3].failure = SONDE_FAILURE_STAYED;
    sonde_text svg = drawn(sonde__figure_failures, f);
    assert_has(&svg, "never left its start; search or embedding aBOE: 25</title>");
    assert_has(&svg, "moved, never arrived; search or embedding aBOE: 25</title>");
    assert_has(&svg, "arrived by a detour; search or embedding aBOE: 12.5</title>");
    assert_has(&svg, "arrived, left again; search or embedding aBOE: 12.5</title>");
    assert_has(&svg, "never left its start; search or embedding full: 0</title>");
    assert_has(&svg, "n = 4 to 8 runs a bar");
    sonde_text_free(&svg);
    fake_free(f);
}

static void sweeps_go_by_k_and_by_n(void **state) {
    (void)state;
    fake *f = fake_paper();
    sonde_text svg = drawn(sonde__figure_sweep_k, f);
    /* 12 values; local 4 sizes, global 3; percent and cost */
    assert_int_equal(count_of(svg.data, "; k, clusters "), 12 * 7 * 2);
    /* full search, where the table has it */
    assert_int_equal(count_of(svg.data, "stroke-dasharray=\"1.2 2.6\""), 6);
    sonde_text_free(&svg);
    svg = drawn(sonde__figure_sweep_n, f);
    assert_int_equal(count_of(svg.data, "; n, samples from a cluster "), 10 * 4 * 2);
    sonde_text_free(&svg);
    fake_free(f);
}

static void many_sweeps_are_set_in_rows(void **state) {
    (void)state;
    static const char *const embedding[] = {"edm", "boe", "aboe", "boe-set"};
    fake *f = fake_new();
    for (int e = 0; e < 4; e++) {
        for (int32_t k = 2; k < 64; k *= 2) {
            fake_condition(f, "sweep-k", SONDE_LOCAL, embedding[e], k, 1);
        }
    }
    fake_run(f);
    sonde_text svg = drawn(sonde__figure_sweep_k, f);
    keep_picture(&svg, "sweep_many");
    for (int e = 0; e < 4; e++) {
        char title[48];
        static const char *const name[] = {"EDM", "BOE", "aBOE", "boe-set"};
        (void)snprintf(title, sizeof title, ">local, %s</text>", name[e]);
        assert_int_equal(count_of(svg.data, title), 2);
    }
    sonde_text_free(&svg);
    fake_free(f);
}

/* One cell: 40 worlds, 30 optimal under the text, and what each difference makes of it. */
static void differences_are_changes_against_the_text(void **state) {
    (void)state;
    fake *f = fake_new();
    fake_condition(f, "table", SONDE_LOCAL, "edm", 6, 1);
    fake_condition(f, "table", SONDE_LOCAL, "edm", 6, 1)->differences = SONDE_SEMANTICS_NOTEBOOK;
    fake_condition(f, "difference", SONDE_LOCAL, "edm", 6, 1)->differences =
        1u << SONDE_DIFFERENCE_LOOKUP;
    fake_condition(f, "difference", SONDE_LOCAL, "edm", 6, 1)->differences =
        1u << SONDE_DIFFERENCE_LAG;
    fake_condition(f, "difference", SONDE_LOCAL, "edm", 6, 1)->connect = SONDE_DIRECTED;
    fake_small(f, 40);
    static const int32_t n_optimal[] = {30, 10, 24, 32, 38};
    for (int32_t c = 0; c < 5; c++) {
        set_optimal(f, c, n_optimal[c]);
    }
    sonde_text svg = {0};
    assert_true(sonde__figure_differences(&f->results, 3, &svg));
    assert_picture(&svg);
    assert_has(&svg, ">75.0</text>");
    assert_has(&svg, ">\342\210\22250.0</text>");
    assert_has(&svg, ">\342\210\22215.0</text>");
    assert_has(&svg, ">+5.0</text>");
    assert_has(&svg, ">+20.0</text>");
    assert_has(&svg, "25.0 % of 40, text 75.0 % of 40</title>");
    /* columns are those that were run */
    assert_has(&svg, ">lookup</text>");
    assert_null(strstr(svg.data, ">nearest</text>"));
    /* 6 lost and none gained is p = 0.031, 2 gained p = 0.5; 30 and 38 of 40 are clear, too */
    const char *look = " font-weight=\"bold\" x=";
    assert_int_equal(count_of(svg.data, look), 3 + 1 /* the title */);
    sonde_text_free(&svg);
    fake_free(f);
}

static void without_a_difference_alone_there_is_nothing_to_compare(void **state) {
    (void)state;
    fake *f = fake_new();
    fake_table(f, "table", SONDE_SEMANTICS_TEXT, SONDE_SYMMETRIC, SONDE_ACTION_MARGINAL);
    fake_table(f, "table", SONDE_SEMANTICS_NOTEBOOK, SONDE_SYMMETRIC, SONDE_ACTION_MARGINAL);
    fake_run(f);
    sonde_text svg = {0};
    assert_false(sonde__figure_differences(&f->results, 3, &svg));
    assert_int_equal(svg.size, 0);
    fake_free(f);
}

static void the_tradeoff_has_a_point_for_each_condition(void **state) {
    (void)state;
    fake *f = fake_paper();
    sonde_text svg = {0};
    assert_true(sonde__figure_tradeoff(&f->results, 4, &svg));
    assert_picture(&svg);
    assert_int_equal(count_of(svg.data, "; policies scored a decision "), 2 * (1 + 24));
    assert_has(&svg, ">full</text>");
    assert_has(&svg, ">12/3</text>");
    sonde_text_free(&svg);
    fake_free(f);
}

/* A plan may give its sizes to several conditions. */
static void conditions_that_differ_in_size_are_one(void **state) {
    (void)state;
    fake *f = fake_new();
    static const int32_t large[] = {6};
    for (int i = 0; i < 2; i++) {
        sonde_condition *full = fake_condition(f, "table", SONDE_LOCAL, NULL, 0, 1);
        sonde_condition *boe = fake_condition(f, "table", SONDE_LOCAL, "boe", 6, 1);
        if (i == 1) {
            full->size = large;
            full->n_size = 1;
            boe->size = large;
            boe->n_size = 1;
        }
    }
    fake_run(f);
    sonde_text svg = drawn(sonde__figure_optimality, f);
    assert_int_equal(count_of(svg.data, "BOE, k 6, n 1, text; nodes "), 4);
    sonde_text_free(&svg);
    svg = drawn(sonde__figure_decision_steps, f);
    assert_int_equal(count_of(svg.data, "standard (full search); nodes "), 4);
    sonde_text_free(&svg);
    fake_free(f);
}

static void every_embedding_has_a_place(void **state) {
    (void)state;
    fake *f = fake_new();
    for (int32_t i = 0; sonde_embedding_name(i) != NULL; i++) {
        fake_condition(f, "table", SONDE_LOCAL, sonde_embedding_name(i), 6, 1);
    }
    fake_run(f);
    for (size_t i = 0; i < 4; i++) {
        sonde_text svg = drawn(figures[i].draw, f);
        assert_has(&svg, "aboe-onehot, k 6");
        sonde_text_free(&svg);
    }
    fake_free(f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_figures_of_a_whole_study_are_drawn),
        cmocka_unit_test(figures_of_nothing_are_not_drawn),
        cmocka_unit_test(a_size_that_was_not_run_has_no_figure),
        cmocka_unit_test(any_part_of_a_study_will_do),
        cmocka_unit_test(a_study_of_the_notebook_alone_has_figures),
        cmocka_unit_test(optimality_shows_shares_with_their_intervals),
        cmocka_unit_test(optimality_has_a_bar_for_each_condition_and_the_papers_values),
        cmocka_unit_test(decisions_show_means_over_worlds),
        cmocka_unit_test(construction_counts_only_what_a_run_made_itself),
        cmocka_unit_test(valid_goes_by_the_k_that_was_used),
        cmocka_unit_test(failures_add_up),
        cmocka_unit_test(sweeps_go_by_k_and_by_n),
        cmocka_unit_test(many_sweeps_are_set_in_rows),
        cmocka_unit_test(differences_are_changes_against_the_text),
        cmocka_unit_test(without_a_difference_alone_there_is_nothing_to_compare),
        cmocka_unit_test(the_tradeoff_has_a_point_for_each_condition),
        cmocka_unit_test(conditions_that_differ_in_size_are_one),
        cmocka_unit_test(every_embedding_has_a_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

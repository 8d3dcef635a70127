/* The paper's table beside Sonde's. */
#include "draw/figure_tools.h"

#include "summary/summary.h"

/* ------------------------------------------------------------------------------------ tools -- */

/* Lets exactly n_optimal of the 40 worlds of one condition and size be optimal. */
static void set_optimal(fake *f, int32_t condition, int32_t size, int32_t n_optimal) {
    for (int32_t i = 0; i < f->results.n_run; i++) {
        sonde__result_run *run = &f->run[i];
        if (run->condition == condition && run->size == size) {
            run->optimal = run->graph < n_optimal;
            run->failure = run->optimal ? SONDE_FAILURE_NONE : SONDE_FAILURE_DETOUR;
        }
    }
}

static fake *fake_both(void) {
    fake *f = fake_new();
    fake_table(f, "table", SONDE_SEMANTICS_TEXT, SONDE_SYMMETRIC, SONDE_ACTION_MARGINAL);
    fake_table(f, "table", SONDE_SEMANTICS_NOTEBOOK, SONDE_SYMMETRIC, SONDE_ACTION_MARGINAL);
    fake_run(f);
    return f;
}

static sonde__table_sum counted(const fake *f) {
    sonde__table_sum table;
    assert_int_equal(sonde__table_count(&f->results, &table), SONDE_OK);
    return table;
}

static int32_t row_of(const sonde__table_sum *table, sonde__cell_key key) {
    for (int32_t row = 0; row < table->n_row; row++) {
        if (sonde__key_compare(&table->key[row], &key) == 0) {
            return row;
        }
    }
    fail_msg("there is no such row");
    return -1;
}

static const sonde__table_cell *cell_of(const sonde__table_sum *table, sonde__cell_key key,
                                        int32_t size) {
    return sonde__table_at(table, row_of(table, key), size);
}

static char *lines_of(const sonde__table_sum *table,
                      void (*write)(const sonde__grid *, sonde_text *), bool list) {
    sonde__grid grid = {0};
    sonde_text text = {0};
    if (list) {
        sonde__table_list(table, &grid);
    } else {
        sonde__table_grid(table, false, &grid);
    }
    write(&grid, &text);
    assert_false(text.failed);
    sonde__grid_free(&grid);
    return text.data;
}

/* ------------------------------------------------------------------------------------ tests -- */

static void every_percentage_of_the_paper_is_a_count(void **state) {
    (void)state;
    fake *f = fake_both();
    sonde__table_sum table = counted(f);
    int32_t n_39 = 0;
    for (int32_t i = 0; i < table.n_row * table.n_size; i++) {
        const sonde__table_cell *cell = &table.cell[i];
        const int32_t n = cell->n_graph[SONDE__PAPER];
        const double percent = 100.0 * cell->n_optimal[SONDE__PAPER] / n;
        assert_true(n == 40 || n == 39);
        /* (46.1 is 18 of 39, cut instead of rounded) */
        assert_near(cell->percent[SONDE__PAPER], percent, 0.06);
        assert_true(n == 40 || table.size[i % table.n_size] == 5);
        n_39 += n == 39 ? 1 : 0;
    }
    assert_int_equal(table.n_row, 26);
    assert_int_equal(n_39, 22); /* not: local none, and three local rows of EDM */
    sonde__table_free(&table);
    fake_free(f);
}

static void the_best_embedding_of_each_column_is_marked(void **state) {
    (void)state;
    fake *f = fake_both();
    sonde__table_sum table = counted(f);
    for (int32_t i = 0; i < table.n_size * SONDE__SOURCE_COUNT; i++) {
        double best = -1.0;
        for (int32_t row = 0; row < table.n_row; row++) {
            const double percent = sonde__table_at(&table, row, i / 3)->percent[i % 3];
            best = table.key[row].k > 0 ? fmax(best, percent) : best;
        }
        for (int32_t row = 0; row < table.n_row; row++) {
            const sonde__table_cell *cell = sonde__table_at(&table, row, i / 3);
            const bool wanted = table.key[row].k > 0 && cell->percent[i % 3] >= best;
            assert_int_equal(cell->best[i % 3], wanted);
        }
    }
    /* the paper's own bold ones */
    assert_true(
        cell_of(&table, (sonde__cell_key){SONDE_LOCAL, "edm", 12, 3}, 0)->best[SONDE__PAPER]);
    assert_true(
        cell_of(&table, (sonde__cell_key){SONDE_GLOBAL, "aboe", 12, 3}, 1)->best[SONDE__PAPER]);
    assert_true(
        cell_of(&table, (sonde__cell_key){SONDE_GLOBAL, "aboe", 12, 3}, 2)->best[SONDE__PAPER]);
    sonde__table_free(&table);
    fake_free(f);
}

/* The paper has 17.5 %, which is 7 of 40, for local BOE 6, 1 at size 3. */
static void the_mark_follows_the_binomial(void **state) {
    (void)state;
    fake *f = fake_both();
    const sonde__cell_key key = {SONDE_LOCAL, "boe", 6, 1};
    const int32_t condition =
        sonde__condition_find(&f->plan, "table", &key, SONDE_SEMANTICS_NOTEBOOK);
    for (int32_t n_optimal = 0; n_optimal <= 40; n_optimal++) {
        set_optimal(f, condition, 3, n_optimal);
        sonde__table_sum table = counted(f);
        const sonde__table_cell *cell = cell_of(&table, key, 0);
        assert_true(cell->compared);
        assert_int_equal(cell->n_optimal[SONDE__NOTEBOOK], n_optimal);
        /* scipy: 7 is central for p = 3 / 40 to 13 / 40 */
        assert_int_equal(cell->outside, n_optimal < 3 || n_optimal > 13);
        sonde__table_free(&table);
    }
    fake_free(f);
}

static void inside_and_outside_are_all_that_can_be_compared(void **state) {
    (void)state;
    fake *f = fake_both();
    sonde__table_sum table = counted(f);
    int32_t n_outside = 0;
    for (int32_t i = 0; i < table.n_row * table.n_size; i++) {
        n_outside += table.cell[i].outside ? 1 : 0;
    }
    assert_int_equal(table.n_compared, 78);
    assert_int_equal(table.n_inside + n_outside, 78);
    assert_true(table.apart[SONDE__TEXT] > 0.0);
    sonde__table_free(&table);
    fake_free(f);
}

static void full_search_serves_both_semantics(void **state) {
    (void)state;
    fake *f = fake_new();
    fake_condition(f, "table", SONDE_LOCAL, NULL, 0, 1);
    fake_condition(f, "table", SONDE_LOCAL, "boe", 6, 1);
    fake_run(f);
    sonde__table_sum table = counted(f);
    const sonde__table_cell *full =
        cell_of(&table, (sonde__cell_key){SONDE_LOCAL, "none", 0, 0}, 0);
    const sonde__table_cell *boe = cell_of(&table, (sonde__cell_key){SONDE_LOCAL, "boe", 6, 1}, 0);
    assert_int_equal(full->n_graph[SONDE__NOTEBOOK], 40);
    assert_int_equal(full->n_graph[SONDE__TEXT], 40);
    assert_int_equal(boe->n_graph[SONDE__NOTEBOOK], 0);
    assert_true(isnan(boe->percent[SONDE__NOTEBOOK]));
    assert_false(boe->compared);
    assert_int_equal(table.n_compared, 3);
    sonde__table_free(&table);
    fake_free(f);
}

static void csv_has_a_line_for_each_row_and_size(void **state) {
    (void)state;
    fake *f = fake_both();
    sonde__table_sum table = counted(f);
    char *csv = lines_of(&table, sonde__grid_csv, true);
    assert_int_equal(count_of(csv, "\n"), 1 + 78);
    assert_int_equal(count_of(csv, ","), 20 * 79);
    assert_int_equal(strncmp(csv, "scope,embedding,k,n,size,paper_percent,", 39), 0);
    assert_non_null(strstr(csv, "\nglobal,none,0,0,3,100.0,40,40,91.2"));
    assert_non_null(strstr(csv, "\nlocal,aboe,12,3,5,12.8,5,39,"));
    free(csv);
    sonde__table_free(&table);
    fake_free(f);
}

static void tex_has_a_column_for_each_source_and_size(void **state) {
    (void)state;
    fake *f = fake_both();
    sonde__table_sum table = counted(f);
    char *tex = lines_of(&table, sonde__grid_tex, false);
    assert_int_equal(strncmp(tex, "\\begin{tabular}{llrrrrrrrrrrr}\n", 31), 0);
    assert_int_equal(count_of(tex, "\\\\\n"), 2 + 26);
    assert_int_equal(count_of(tex, " & "), 3 + 12 + 26 * 12);
    assert_int_equal(count_of(tex, "{\\scriptsize "), 26 * 6);
    assert_non_null(strstr(tex, "\\textbf{92.5}"));
    free(tex);
    sonde__table_free(&table);
    fake_free(f);
}

static void the_terminal_gets_lines_that_fit(void **state) {
    (void)state;
    fake *f = fake_both();
    f->plan.n_task = 120;
    f->results.n_task_done = 120;
    sonde__table_sum table = counted(f);
    sonde_text text = {0};
    sonde__table_text(&f->results, &table, &text);
    assert_false(text.failed);
    assert_null(strstr(text.data, "tasks done"));
    assert_non_null(strstr(text.data, "\342\226\27092.5"));
    assert_non_null(strstr(text.data, " of 78 values are inside"));
    for (const char *line = text.data; *line != '\0'; line++) {
        const size_t n = strcspn(line, "\n");
        size_t width = 0; /* in characters: their first bytes count */
        for (size_t i = 0; i < n; i++) {
            width += ((unsigned char)line[i] & 0xC0) != 0x80 ? 1 : 0;
        }
        assert_true(width <= 112);
        assert_true(n == 0 || line[n - 1] != ' ');
        line += n;
    }
    sonde_text_free(&text);
    sonde__table_free(&table);
    fake_free(f);
}

static void what_is_not_there_yet_is_a_dash(void **state) {
    (void)state;
    fake *f = fake_both();
    f->plan.n_task = 120;
    f->results.n_task_done = 7;
    f->results.n_run = 40; /* the first condition at the first size alone */
    sonde__table_sum table = counted(f);
    sonde_text text = {0};
    sonde__table_text(&f->results, &table, &text);
    assert_non_null(strstr(text.data, "(7 of 120 tasks done)"));
    assert_non_null(strstr(text.data, " - "));
    assert_null(strstr(text.data, "nan"));
    assert_int_equal(table.n_compared, 0);
    sonde_text_free(&text);
    sonde__table_free(&table);
    fake_free(f);
}

static void a_plan_without_the_table_says_so(void **state) {
    (void)state;
    fake *f = fake_new();
    fake_condition(f, "sweep-k", SONDE_LOCAL, "boe", 6, 1);
    fake_run(f);
    sonde__table_sum table = counted(f);
    sonde_text text = {0};
    assert_int_equal(table.n_row, 0);
    sonde__table_text(&f->results, &table, &text);
    assert_non_null(strstr(text.data, "no conditions of the group \"table\""));
    sonde_text_free(&text);
    sonde__table_free(&table);
    fake_free(f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_percentage_of_the_paper_is_a_count),
        cmocka_unit_test(the_best_embedding_of_each_column_is_marked),
        cmocka_unit_test(the_mark_follows_the_binomial),
        cmocka_unit_test(inside_and_outside_are_all_that_can_be_compared),
        cmocka_unit_test(full_search_serves_both_semantics),
        cmocka_unit_test(csv_has_a_line_for_each_row_and_size),
        cmocka_unit_test(tex_has_a_column_for_each_source_and_size),
        cmocka_unit_test(the_terminal_gets_lines_that_fit),
        cmocka_unit_test(what_is_not_there_yet_is_a_dash),
        cmocka_unit_test(a_plan_without_the_table_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

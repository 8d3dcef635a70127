/* Charts: intervals, axes, strokes and what a whole picture holds. */
#include "draw/figure_tools.h"

#include "locales.h"
#include "draw/report_chart.h"
#include "base/rng.h"
#include "draw/report_figure_data.h"

/* -------------------------------------------------------------------------------- intervals -- */

/* from scipy.stats.binomtest(x, n).proportion_ci(0.95, "wilson") */
static void wilson_agrees_with_scipy(void **state) {
    (void)state;
    static const struct {
        int32_t n_success;
        int32_t n;
        double low;
        double high;
    } known[] = {
        {22, 39, 0.4097569164866948, 0.7069524612431037},
        {0, 10, 0.0, 0.27753279986288926},
        {10, 10, 0.7224672001371109, 1.0},
        {1, 40, 0.004426831502681396, 0.1288136896347409},
        {37, 40, 0.8013576647568945, 0.9741639742254118},
        {1, 1, 0.20654931437723745, 1.0},
        {500, 1000, 0.4690696003681042, 0.5309303996318958},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        double low = -1.0;
        double high = -1.0;
        sonde__wilson(known[i].n_success, known[i].n, &low, &high);
        assert_near(low, known[i].low, 1e-12);
        assert_near(high, known[i].high, 1e-12);
    }
}

static void wilson_of_nothing_is_nothing(void **state) {
    (void)state;
    double low = 0.0;
    double high = 0.0;
    sonde__wilson(0, 0, &low, &high);
    assert_true(isnan(low) && isnan(high));
}

/* of 1, 2, ..., n; from scipy.stats.t */
static void intervals_of_means_agree_with_scipy(void **state) {
    (void)state;
    static const struct {
        int32_t n;
        double low;
        double high;
    } known[] = {
        {2, -4.853102368087347, 7.853102368087347},
        {6, 1.536685693019676, 5.463314306980324},
        {7, 2.002104839708592, 5.997895160291408},
        {40, 16.76121208502491, 24.23878791497509},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        double sum = 0.0;
        double squares = 0.0;
        for (int32_t x = 1; x <= known[i].n; x++) {
            sum += (double)x;
            squares += (double)x * (double)x;
        }
        const sonde__estimate estimate = sonde__mean(known[i].n, sum, squares);
        assert_near(estimate.value, 0.5 * (double)(known[i].n + 1), 1e-12);
        assert_near(estimate.low, known[i].low, 2e-3);
        assert_near(estimate.high, known[i].high, 2e-3);
    }
}

static void a_single_number_has_no_interval(void **state) {
    (void)state;
    const sonde__estimate one = sonde__mean(1, 3.0, 9.0);
    assert_near(one.value, 3.0, 0.0);
    assert_true(isnan(one.low) && isnan(one.high));
    assert_true(isnan(sonde__mean(0, 0.0, 0.0).value));
}

/* ------------------------------------------------------------------------------------- axes -- */

static sonde__axis axis_from(sonde__scale scale, double low, double high) {
    sonde__axis axis;
    sonde__axis_start(&axis);
    axis.scale = scale;
    sonde__axis_cover(&axis, low);
    sonde__axis_cover(&axis, high);
    return axis;
}

static void assert_labels(const sonde__axis *axis, const char *wanted) {
    char found[512] = "";
    for (int32_t i = 0; i < axis->n_tick; i++) {
        if (axis->label[i][0] != '\0') {
            (void)strncat(found, axis->label[i], sizeof found - strlen(found) - 1);
            (void)strncat(found, " ", sizeof found - strlen(found) - 1);
        }
    }
    assert_string_equal(found, wanted);
}

static void ticks_are_round_numbers(void **state) {
    (void)state;
    sonde__axis axis = axis_from(SONDE__SCALE_LINEAR, 0.0, 100.0);
    axis.high = 100.0;
    sonde__axis_settle(&axis);
    assert_labels(&axis, "0 20 40 60 80 100 ");

    axis = axis_from(SONDE__SCALE_LINEAR, 0.0, 0.038);
    sonde__axis_settle(&axis);
    assert_labels(&axis, "0.00 0.01 0.02 0.03 0.04 ");

    axis = axis_from(SONDE__SCALE_LINEAR, 3.0, 6.0);
    axis.whole = true;
    sonde__axis_settle(&axis);
    assert_labels(&axis, "3 4 5 6 ");

    axis = axis_from(SONDE__SCALE_LOG, 2.0, 100.0);
    sonde__axis_settle(&axis);
    assert_labels(&axis, "2 5 10 20 50 100 ");

    axis = axis_from(SONDE__SCALE_LOG, 0.02, 5000.0);
    sonde__axis_settle(&axis);
    assert_labels(&axis, "0.01 0.1 1 10 100 1,000 10,000 ");

    axis = axis_from(SONDE__SCALE_LOG, 3e-6, 2e-3);
    sonde__axis_settle(&axis);
    assert_labels(&axis, "10^\342\210\2225 10^\342\210\2224 10^\342\210\2223 ");
}

static void axes_of_one_value_or_none_have_a_range(void **state) {
    (void)state;
    static const sonde__scale scales[] = {SONDE__SCALE_LINEAR, SONDE__SCALE_LOG};
    for (int i = 0; i < 2; i++) {
        sonde__axis one = axis_from(scales[i], 7.0, 7.0);
        sonde__axis_settle(&one);
        assert_true(one.low < 7.0 && one.high > 7.0);
        assert_near(sonde__axis_place(&one, 7.0), 0.5, 0.02);
        sonde__axis none = axis_from(scales[i], NAN, INFINITY);
        sonde__axis_settle(&none);
        assert_true(none.low < none.high);
        assert_true(none.n_tick > 0 && none.n_tick <= SONDE__TICK_MAX);
    }
}

static void places_go_from_end_to_end(void **state) {
    (void)state;
    sonde__axis axis = axis_from(SONDE__SCALE_LOG, 1.0, 100.0);
    axis.low = 1.0;
    axis.high = 100.0;
    sonde__axis_cover(&axis, -3.0);
    sonde__axis_settle(&axis);
    assert_near(axis.data_low, 1.0, 0.0);
    assert_near(sonde__axis_place(&axis, 10.0), 0.5, 1e-12);
    assert_near(sonde__axis_place(&axis, 1e9), 1.0, 0.0);
    assert_near(sonde__axis_place(&axis, -5.0), 0.0, 0.0);
}

/* ------------------------------------------------------------------------------------ words -- */

static void words_are_escaped_and_powers_are_raised(void **state) {
    (void)state;
    sonde_text svg = {0};
    sonde__pen_words(&svg, "", (sonde__point){1.0, 2.0}, 10.0, "a < b & \"c\" ^ d");
    assert_non_null(strstr(svg.data, ">a &lt; b &amp; &quot;c&quot; ^ d</text>"));
    svg.size = 0;
    sonde__pen_words(&svg, "", (sonde__point){1.0, 2.0}, 10.0, "10^3");
    assert_non_null(strstr(svg.data, ">10<tspan dy=\"-3.8\" font-size=\"7.2\">3</tspan></text>"));
    assert_true(sonde__pen_width("10^3", 10.0) < sonde__pen_width("1003", 10.0));
    assert_near(sonde__pen_width("\342\210\222", 10.0), sonde__pen_width("x", 10.0), 1e-12);
    sonde_text_free(&svg);
}

static void paragraphs_keep_every_word_and_their_width(void **state) {
    (void)state;
    static const char words[] = "the quick brown fox jumps over the lazy dog again and again";
    const sonde__area area = {10.0, 20.0, 120.0, 0.0};
    sonde_text svg = {0};
    const double height = sonde__pen_paragraph(&svg, area, 10.0, words);
    assert_near(sonde__pen_paragraph(NULL, area, 10.0, words), height, 0.0);
    const int n_line = count_of(svg.data, "<text");
    assert_true(n_line > 2);
    assert_near(height, 14.0 * (double)n_line, 1e-9);
    size_t n_letter = 0;
    for (const char *s = strstr(svg.data, "<text"); s != NULL; s = strstr(s + 1, "<text")) {
        char line[64] = "";
        assert_int_equal(sscanf(strchr(s, '>') + 1, "%63[^<]", line), 1);
        assert_true(sonde__pen_width(line, 10.0) <= 120.0);
        n_letter += strlen(line);
    }
    assert_int_equal(n_letter + (size_t)n_line - 1, strlen(words));
    sonde_text_free(&svg);
}

/* A word that is wider than the line stands alone in it. */
static void a_long_word_is_not_cut(void **state) {
    (void)state;
    sonde_text svg = {0};
    (void)sonde__pen_paragraph(&svg, (sonde__area){0.0, 0.0, 20.0, 0.0}, 10.0,
                               "incomprehensible it");
    assert_non_null(strstr(svg.data, ">incomprehensible</text>"));
    assert_non_null(strstr(svg.data, ">it</text>"));
    sonde_text_free(&svg);
}

/* ----------------------------------------------------------------------------------- charts -- */

static sonde__chart *chart_of_bars(const double *value, int32_t n) {
    sonde__chart *chart = sonde__chart_new("Bars & <bars>", 1);
    assert_non_null(chart);
    sonde__panel *panel = sonde__chart_panel(chart, "one");
    panel->x.title = "category";
    panel->y.title = "share, %";
    panel->y.low = 0.0;
    panel->y.high = 100.0;
    const sonde__series series = {.label = "\"a\" & b", .drawing = SONDE__DRAW_BARS, .style = 1};
    const int32_t place = sonde__panel_series(panel, &series);
    for (int32_t i = 0; i < n; i++) {
        const double category = sonde__panel_category(panel, "c");
        const sonde__mark mark = sonde__mark_at(place, category, value[i]);
        sonde__panel_mark(panel, &mark);
    }
    sonde_text_add(&chart->caption, "A caption.");
    return chart;
}

/* Heights of the bars in a picture, in order; the panel behind it all and keys are not among
 * them. */
static int32_t bar_heights(const char *svg, double *height, int32_t n_max) {
    int32_t n = 0;
    for (const char *s = strstr(svg, "</title><g fill="); s != NULL && n < n_max;
         s = strstr(s + 1, "</title><g fill=")) {
        const char *found = strstr(s, " height=\"");
        assert_non_null(found);
        height[n++] = strtod(found + 9, NULL);
    }
    return n;
}

static void bars_are_as_high_as_their_values(void **state) {
    (void)state;
    static const double value[] = {100.0, 50.0, 0.0, 12.5};
    double height[8] = {0};
    sonde_text svg = {0};
    assert_true(sonde__chart_finish(chart_of_bars(value, 4), &svg));
    assert_picture(&svg);
    assert_int_equal(bar_heights(svg.data, height, 8), 4);
    for (int i = 0; i < 4; i++) {
        assert_near(height[i], 2.4 * value[i], 0.02);
    }
    assert_non_null(strstr(svg.data, "<title>Bars &amp; &lt;bars&gt;</title>"));
    assert_non_null(strstr(svg.data, "&quot;a&quot; &amp; b; category c: 12.5</title>"));
    sonde_text_free(&svg);
}

static void a_chart_without_marks_writes_nothing(void **state) {
    (void)state;
    sonde_text svg = {0};
    assert_false(sonde__chart_finish(chart_of_bars(NULL, 0), &svg));
    assert_false(sonde__chart_finish(sonde__chart_new("empty", 3), &svg));
    assert_int_equal(svg.size, 0);
    assert_false(svg.failed);
    /* numbers that are none are no marks */
    const double none = NAN;
    assert_false(sonde__chart_finish(chart_of_bars(&none, 1), &svg));
    assert_int_equal(svg.size, 0);
    sonde_text_free(&svg);
}

static void a_chart_without_memory_fails_the_text(void **state) {
    (void)state;
    sonde_text svg = {0};
    assert_null(sonde__chart_panel(NULL, "none"));
    assert_int_equal(sonde__panel_series(NULL, &(sonde__series){0}), -1);
    assert_true(sonde__chart_finish(NULL, &svg));
    assert_true(svg.failed);
    sonde_text_free(&svg);
}

static void what_does_not_fit_is_said(void **state) {
    (void)state;
    sonde__chart *chart = sonde__chart_new("many", 1);
    sonde__panel *panel = sonde__chart_panel(chart, "panel");
    for (int32_t i = 0; i < SONDE__SERIES_MAX + 3; i++) {
        sonde__series series = {.drawing = SONDE__DRAW_LINE, .style = i};
        (void)snprintf(series.label, sizeof series.label, "series %d", (int)i);
        const sonde__mark mark =
            sonde__mark_at(sonde__panel_series(panel, &series), (double)i, (double)i);
        sonde__panel_mark(panel, &mark);
    }
    assert_int_equal(panel->n_mark, SONDE__SERIES_MAX);
    sonde_text svg = {0};
    assert_true(sonde__chart_finish(chart, &svg));
    assert_picture(&svg);
    assert_non_null(strstr(svg.data, "More than fits is not shown."));
    assert_null(strstr(svg.data, "series 32"));
    sonde_text_free(&svg);
}

/* Two panels with one mark each, at 1 and at 9. */
static sonde__chart *two_panels(const char *one, const char *two) {
    sonde__chart *chart = sonde__chart_new("two", 2);
    for (int i = 0; i < 2; i++) {
        sonde__panel *panel = sonde__chart_panel(chart, i == 0 ? "first" : "second");
        panel->x.title = "x";
        panel->y.title = i == 0 ? one : two;
        const sonde__series series = {.label = "s", .drawing = SONDE__DRAW_DOTS};
        const sonde__mark mark =
            sonde__mark_at(sonde__panel_series(panel, &series), 1.0, i == 0 ? 1.0 : 9.0);
        sonde__panel_mark(panel, &mark);
    }
    return chart;
}

static void the_same_axis_title_means_the_same_range(void **state) {
    (void)state;
    sonde_text svg = {0};
    assert_true(sonde__chart_finish(two_panels("seconds", "seconds"), &svg));
    assert_int_equal(count_of(svg.data, ">seconds</text>"), 1);
    assert_int_equal(count_of(svg.data, ">4</text>"), 2);
    svg.size = 0;
    assert_true(sonde__chart_finish(two_panels("seconds", "steps"), &svg));
    assert_int_equal(count_of(svg.data, ">seconds</text>"), 1);
    assert_int_equal(count_of(svg.data, ">steps</text>"), 1);
    assert_int_equal(count_of(svg.data, ">4</text>"), 0);
    sonde_text_free(&svg);
}

static void lines_go_from_left_to_right(void **state) {
    (void)state;
    static const double x[] = {4.0, 1.0, 3.0, 2.0};
    sonde__chart *chart = sonde__chart_new("line", 1);
    sonde__panel *panel = sonde__chart_panel(chart, "panel");
    const sonde__series series = {.label = "s", .drawing = SONDE__DRAW_LINE, .band = true};
    const int32_t place = sonde__panel_series(panel, &series);
    for (int i = 0; i < 4; i++) {
        sonde__mark mark = sonde__mark_at(place, x[i], 1.0);
        mark.low = 0.5;
        mark.high = 2.0;
        sonde__panel_mark(panel, &mark);
    }
    sonde_text svg = {0};
    assert_true(sonde__chart_finish(chart, &svg));
    assert_picture(&svg);
    double at[4];
    const char *line = strstr(svg.data, "stroke-linejoin");
    assert_non_null(line);
    assert_int_equal(sscanf(strstr(line, " d=\"M"), " d=\"M%lf %*f L%lf %*f L%lf %*f L%lf", &at[0],
                            &at[1], &at[2], &at[3]),
                     4);
    assert_true(at[0] < at[1] && at[1] < at[2] && at[2] < at[3]);
    sonde_text_free(&svg);
}

/* Reads the labels that were written beside dots, as boxes. */
static int32_t label_boxes(const char *svg, sonde__area *box, int32_t n_max) {
    int32_t n = 0;
    for (const char *s = strstr(svg, "text-anchor=\"middle\" x="); s != NULL && n < n_max;
         s = strstr(s + 1, "text-anchor=\"middle\" x=")) {
        double x = 0.0;
        double y = 0.0;
        char word[32] = "";
        if (sscanf(s, "text-anchor=\"middle\" x=\"%lf\" y=\"%lf\" font-size=\"9.5\">%31[^<]", &x,
                   &y, word) == 3) {
            const double width = sonde__pen_width(word, 9.5);
            box[n++] = (sonde__area){x - 0.5 * width, y - 8.0, width, 9.0};
        }
    }
    return n;
}

static void labels_do_not_touch(void **state) {
    (void)state;
    sonde__chart *chart = sonde__chart_new("crowd", 1);
    sonde__panel *panel = sonde__chart_panel(chart, "panel");
    const sonde__series series = {.label = "s", .drawing = SONDE__DRAW_DOTS};
    const int32_t place = sonde__panel_series(panel, &series);
    sonde__rng rng = sonde__rng_stream(1, SONDE__FOR_LAYOUT, 0);
    for (int i = 0; i < 60; i++) {
        sonde__mark mark =
            sonde__mark_at(place, 0.2 * sonde__rng_uniform(&rng), sonde__rng_uniform(&rng));
        (void)snprintf(mark.label, sizeof mark.label, "%d/3", i);
        sonde__panel_mark(panel, &mark);
    }
    sonde_text svg = {0};
    assert_true(sonde__chart_finish(chart, &svg));
    assert_picture(&svg);
    sonde__area box[80];
    const int32_t n = label_boxes(svg.data, box, 80);
    assert_true(n > 40 && n <= 60);
    for (int32_t i = 0; i < n; i++) {
        for (int32_t j = 0; j < i; j++) {
            const bool apart = box[i].x >= box[j].x + box[j].width - 0.02 ||
                               box[j].x >= box[i].x + box[i].width - 0.02 ||
                               box[i].y >= box[j].y + box[j].height - 0.02 ||
                               box[j].y >= box[i].y + box[i].height - 0.02;
            assert_true(apart);
        }
    }
    sonde_text_free(&svg);
}

static void every_style_is_one_of_its_own(void **state) {
    (void)state;
    for (int32_t i = 0; i < 8; i++) {
        for (int32_t j = 0; j < i; j++) {
            assert_string_not_equal(sonde__style_of(i).colour, sonde__style_of(j).colour);
            assert_string_not_equal(sonde__style_of(i).marker, sonde__style_of(j).marker);
        }
    }
    assert_string_equal(sonde__style_of(8).colour, sonde__style_of(0).colour);
    assert_string_not_equal(sonde__style_of(8).marker, sonde__style_of(0).marker);
    assert_string_equal(sonde__style_of(-1).colour, sonde__style_of(7).colour);
}

static void charts_are_the_same_in_every_locale(void **state) {
    (void)state;
    static const double value[] = {33.3, 66.7};
    sonde_text plain = {0};
    sonde_text comma = {0};
    assert_true(sonde__chart_finish(chart_of_bars(value, 2), &plain));
    if (!set_comma_locale()) {
        sonde_text_free(&plain);
        skip();
    }
    const bool shown = sonde__chart_finish(chart_of_bars(value, 2), &comma);
    reset_locale();
    assert_true(shown);
    assert_string_equal(plain.data, comma.data);
    sonde_text_free(&plain);
    sonde_text_free(&comma);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wilson_agrees_with_scipy),
        cmocka_unit_test(wilson_of_nothing_is_nothing),
        cmocka_unit_test(intervals_of_means_agree_with_scipy),
        cmocka_unit_test(a_single_number_has_no_interval),
        cmocka_unit_test(ticks_are_round_numbers),
        cmocka_unit_test(axes_of_one_value_or_none_have_a_range),
        cmocka_unit_test(places_go_from_end_to_end),
        cmocka_unit_test(words_are_escaped_and_powers_are_raised),
        cmocka_unit_test(paragraphs_keep_every_word_and_their_width),
        cmocka_unit_test(a_long_word_is_not_cut),
        cmocka_unit_test(bars_are_as_high_as_their_values),
        cmocka_unit_test(a_chart_without_marks_writes_nothing),
        cmocka_unit_test(a_chart_without_memory_fails_the_text),
        cmocka_unit_test(what_does_not_fit_is_said),
        cmocka_unit_test(the_same_axis_title_means_the_same_range),
        cmocka_unit_test(lines_go_from_left_to_right),
        cmocka_unit_test(labels_do_not_touch),
        cmocka_unit_test(every_style_is_one_of_its_own),
        cmocka_unit_test(charts_are_the_same_in_every_locale),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

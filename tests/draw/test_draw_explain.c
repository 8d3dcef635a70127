/* Why a decision is what it is, as a picture. */
#include "draw/figure_tools.h"

#include "explained.h"

/* A picture that is there and well formed. */
static sonde_text drawn(const made *m) {
    sonde_text svg = {0};
    sonde_draw_explanation(m->explanation, &svg);
    assert_false(svg.failed);
    assert_well_formed(svg.data);
    return svg;
}

static const char *const names[] = {"a <wicked> & \"long\" name of a node \303\251\303\251\303\251",
                                    "]]> or not, <b>",
                                    "\346\274\242\345\255\227\346\274\242\345\255\227\346\274\242"
                                    "\345\255\227\346\274\242\345\255\227\346\274\242\345\255\227"
                                    "\346\274\242\345\255\227"};

static void pictures_are_well_formed_whatever_the_names(void **state) {
    (void)state;
    static const sonde_search_kind search[] = {SONDE_SEARCH_FULL, SONDE_SEARCH_CLUSTER,
                                               SONDE_SEARCH_BOUNDED};
    for (int32_t i = 0; i < 3; i++) {
        const sonde_search_settings settings = search_by(search[i]);
        made m = make(triangle(names, 3), NULL, &settings);
        sonde_text svg = drawn(&m);
        sonde_text text = written(&m);
        assert_says(&svg, "risk");
        assert_true(width_of(&text) <= 100);
        json_decref(document(&m));
        sonde_text_free(&text);
        sonde_text_free(&svg);
        made_free(&m);
    }
}

static void pictures_show_the_open_mass_or_the_probes(void **state) {
    (void)state;
    sonde_search_settings settings = search_by(SONDE_SEARCH_BOUNDED);
    settings.budget = 20000;
    made m = make(NULL, example(GRID, 60), &settings); /* more steps than bars */
    sonde_text svg = drawn(&m);
    assert_says(&svg, "mass that may be open");
    assert_says(&svg, "step, several to a bar");
    sonde_text_free(&svg);
    made_free(&m);
    settings = search_by(SONDE_SEARCH_CLUSTER);
    settings.cluster.k = 40;
    m = make(NULL, example(GRID, 4), &settings);
    svg = drawn(&m);
    assert_says(&svg, "probes: G of representatives");
    assert_says(&svg, "More than fits is not shown");
    sonde_text_free(&svg);
    made_free(&m);
}

/* with utilities, whose terms may be below zero */
static void terms_below_zero_hang_from_it(void **state) {
    (void)state;
    sonde_model_settings reading = sonde_model_defaults();
    reading.preferences = (int32_t)SONDE_PREFERENCES_UTILITY;
    sonde_model *model = NULL;
    assert_int_equal(
        sonde_model_read(&(const sonde_source){.origin = MAZE}, &reading, NULL, &model, NULL),
        SONDE_OK);
    const sonde_search_settings settings = search_by(SONDE_SEARCH_BOUNDED);
    made m = make(NULL, model, &settings);
    bool negative = false;
    for (int32_t i = 0; i < m.explanation->n_alternative; i++) {
        negative = negative || m.explanation->alternative[i].total.term[SONDE_RISK] < 0.0;
    }
    assert_true(negative);
    assert_true(isnan(m.explanation->tv_unbounded));
    sonde_text svg = drawn(&m);
    assert_null(strstr(svg.data, "height=\"-"));
    sonde_text_free(&svg);
    made_free(&m);
}

static void no_locale_changes_a_picture(void **state) {
    (void)state;
    assert_no_locale_changes(drawn);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pictures_are_well_formed_whatever_the_names),
        cmocka_unit_test(pictures_show_the_open_mass_or_the_probes),
        cmocka_unit_test(terms_below_zero_hang_from_it),
        cmocka_unit_test(no_locale_changes_a_picture),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

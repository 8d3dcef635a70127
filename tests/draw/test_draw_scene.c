/* What is in a picture and where it goes, and the words in it. */
#include <math.h>

#include "documents.h"

#include "draw/draw_internal.h"

static sonde_graph *drawn(int32_t n_node, uint64_t seed) {
    sonde_graph_settings settings = sonde_graph_defaults();
    settings.n_node = n_node;
    sonde_graph *graph = NULL;
    assert_int_equal(sonde_graph_random(&settings, seed, &graph, NULL), SONDE_OK);
    return graph;
}

static bool touch(const sonde__box *box, const sonde__circle *circle) {
    const double dx = fmax(0.0, fabs(circle->center.x - box->center.x) - box->half_width);
    const double dy = fmax(0.0, fabs(circle->center.y - box->center.y) - box->half_height);
    return sqrt(dx * dx + dy * dy) < circle->radius;
}

static bool overlap(const sonde__box *a, const sonde__box *b) {
    return fabs(a->center.x - b->center.x) < a->half_width + b->half_width &&
           fabs(a->center.y - b->center.y) < a->half_height + b->half_height;
}

static void words_cover_neither_nodes_nor_each_other(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 12; seed++) {
        sonde_graph *graph = drawn(8, seed);
        sonde__scene scene = {.graph = graph};
        assert_int_equal(sonde__scene_set(&scene), SONDE_OK);
        for (int32_t i = 0; i < scene.n_placed; i++) {
            for (int32_t v = 0; v < graph->n_node; v++) {
                assert_false(touch(&scene.placed[i], &scene.node[v]));
            }
            for (int32_t j = 0; j < i; j++) {
                assert_false(overlap(&scene.placed[i], &scene.placed[j]));
            }
        }
        sonde__scene_free(&scene);
        sonde_graph_free(graph);
    }
}

static void lines_miss_the_nodes_that_are_not_theirs(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 12; seed++) {
        sonde_graph *graph = drawn(12, seed);
        sonde__scene scene = {.graph = graph};
        assert_int_equal(sonde__scene_set(&scene), SONDE_OK);
        for (int32_t i = 0; i < scene.n_arc; i++) {
            for (int32_t v = 0; v < graph->n_node; v++) {
                const bool own = v == scene.arc[i].tail || v == scene.arc[i].head;
                for (int j = 0; !own && j <= 100; j++) {
                    const sonde__point on = sonde__curve_at(&scene.arc[i].curve, j / 100.0);
                    assert_true(sonde__distance(on, scene.node[v].center) > scene.node[v].radius);
                }
            }
        }
        sonde__scene_free(&scene);
        sonde_graph_free(graph);
    }
}

static void the_start_is_not_to_the_right_of_the_destination(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 10; seed++) {
        sonde_graph *graph = drawn(6, seed);
        sonde__scene scene = {.graph = graph};
        assert_int_equal(sonde__scene_set(&scene), SONDE_OK);
        const int32_t start = graph->head[graph->start];
        assert_true(scene.node[start].center.x <= scene.node[graph->destination].center.x);
        sonde__scene_free(&scene);
        sonde_graph_free(graph);
    }
}

static void a_line_walked_both_ways_has_two_lanes(void **state) {
    (void)state;
    sonde_graph *graph = triangle(NULL, 3);
    static const int32_t path[] = {0, 2, 0, 2, 2};
    sonde__scene scene = {.graph = graph, .path = path, .n_path = 5};
    assert_int_equal(sonde__scene_set(&scene), SONDE_OK);
    assert_int_equal(scene.n_lane, 2);
    assert_int_equal(scene.stays[2], 1);
    /* beside each other, not on each other */
    const sonde__point there = sonde__curve_at(&scene.lane[0].curve, 0.5);
    const sonde__point back = sonde__curve_at(&scene.lane[1].curve, 0.5);
    assert_true(sonde__distance(there, back) > scene.lane[0].width);
    sonde__scene_free(&scene);
    sonde_graph_free(graph);
}

/* ------------------------------------------------------------------------------------ words -- */

static void assert_weight(double weight, const char *wanted) {
    sonde_text text = {0};
    sonde__words_weight(weight, &text);
    assert_string_equal(text.data, wanted);
    sonde_text_free(&text);
}

static void weights_have_four_digits_at_most(void **state) {
    (void)state;
    assert_weight(0.0, "0");
    assert_weight(5.0, "5");
    assert_weight(0.3, "0.3");
    assert_weight(2.0 / 3.0, "0.6667");
    assert_weight(12345.678, "12350");
    assert_weight(99999.0, "100000");
    assert_weight(0.00012345678, "0.0001235");
    assert_weight(1e300, "1e+300");
}

static void characters_are_counted_not_bytes(void **state) {
    (void)state;
    assert_int_equal(sonde__words_count(""), 0);
    assert_int_equal(sonde__words_count("caf\303\251"), 4);
    assert_int_equal(sonde__words_count("a &lt; b"), 5);
}

static void long_step_lists_are_cut(void **state) {
    (void)state;
    sonde_graph *graph = triangle(NULL, 3);
    static const int32_t path[] = {0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0};
    const sonde__scene scene = {.graph = graph, .path = path, .n_path = 11};
    sonde_text text = {0};
    sonde__say_steps(&scene, sonde_graph_edge(graph, 0, 1), &text);
    assert_string_equal(text.data, "1,3,5,7,\342\200\246");
    sonde_text_free(&text);
    sonde_graph_free(graph);
}

static void short_names_stand_in_the_nodes(void **state) {
    (void)state;
    const char *const shorts[] = {"A", "B", "C<"};
    const char *const longs[] = {"A", "B", "kitchen"};
    for (int i = 0; i < 2; i++) {
        sonde_graph *graph = triangle(i == 0 ? shorts : longs, 3);
        sonde__scene scene = {.graph = graph};
        assert_int_equal(sonde__scene_set(&scene), SONDE_OK);
        sonde_text text = {0};
        sonde__say_in_node(&scene, 2, &text);
        assert_string_equal(text.data, i == 0 ? "C&lt;" : "2");
        sonde_text_free(&text);
        sonde__scene_free(&scene);
        sonde_graph_free(graph);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_cover_neither_nodes_nor_each_other),
        cmocka_unit_test(lines_miss_the_nodes_that_are_not_theirs),
        cmocka_unit_test(the_start_is_not_to_the_right_of_the_destination),
        cmocka_unit_test(a_line_walked_both_ways_has_two_lanes),
        cmocka_unit_test(weights_have_four_digits_at_most),
        cmocka_unit_test(characters_are_counted_not_bytes),
        cmocka_unit_test(long_step_lists_are_cut),
        cmocka_unit_test(short_names_stand_in_the_nodes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Pictures of worlds. */
#include "documents.h"

#include <ctype.h>
#include <stdio.h>

#define DEPTH_MAX 32

/* ------------------------------------------------------------------------------------ tools -- */

static int count(const char *text, const char *wanted) {
    int n = 0;
    for (const char *s = strstr(text, wanted); s != NULL; s = strstr(s + 1, wanted)) {
        n++;
    }
    return n;
}

/* The character after an entity such as &amp; that begins at s. */
static const char *skip_entity(const char *s) {
    static const char *const known[] = {"&amp;", "&lt;", "&gt;", "&quot;"};
    for (int i = 0; i < 4; i++) {
        if (strncmp(s, known[i], strlen(known[i])) == 0) {
            return s + strlen(known[i]);
        }
    }
    fail_msg("an & that is no entity: %.20s", s);
    return s;
}

/* The end of a tag that begins at s; a > in quotes is no end. */
static const char *skip_tag(const char *s) {
    bool quoted = false;
    for (s++; quoted || *s != '>'; s++) {
        assert_true(*s != '\0');
        assert_true(*s != '<');
        quoted = *s == '"' ? !quoted : quoted;
    }
    return s + 1;
}

/* Every tag that opens closes, in order; text has no stray markup or control characters. */
static void assert_well_formed(const char *svg) {
    char open[DEPTH_MAX][16];
    int depth = 0;
    for (const char *s = svg; *s != '\0';) {
        if (*s == '&') {
            s = skip_entity(s);
        } else if (*s != '<') {
            assert_true((unsigned char)*s >= 0x20 || *s == '\n');
            assert_true(*s != '>');
            s++;
        } else {
            char name[16] = "";
            const bool closes = s[1] == '/';
            assert_int_equal(sscanf(s + (closes ? 2 : 1), "%15[a-z]", name), 1);
            const char *end = skip_tag(s);
            if (closes) {
                assert_true(depth > 0);
                assert_string_equal(name, open[--depth]);
            } else if (end[-2] != '/') {
                assert_true(depth < DEPTH_MAX);
                memcpy(open[depth++], name, sizeof name);
            }
            s = end;
        }
    }
    assert_int_equal(depth, 0);
}

static sonde_text picture(const sonde_graph *graph, const int32_t *path, int32_t n_path) {
    sonde_text svg = {0};
    assert_int_equal(sonde_draw_graph(graph, path, n_path, &svg, NULL), SONDE_OK);
    assert_false(svg.failed);
    assert_well_formed(svg.data);
    return svg;
}

static sonde_graph *drawn(int32_t n_node, sonde_connect connect) {
    sonde_graph_settings settings = sonde_graph_defaults();
    settings.n_node = n_node;
    settings.connect = connect;
    sonde_graph *graph = NULL;
    assert_int_equal(sonde_graph_random(&settings, 3, &graph, NULL), SONDE_OK);
    return graph;
}

/* ------------------------------------------------------------------------------------ facts -- */

static void pictures_of_any_size_are_well_formed(void **state) {
    (void)state;
    static const int32_t sizes[] = {1, 2, 3, 5, 8, 20, 60, 100, 300};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        for (int connect = 0; connect < 2; connect++) {
            sonde_graph *graph = drawn(sizes[i], (sonde_connect)connect);
            sonde_text svg = picture(graph, NULL, 0);
            assert_int_equal(count(svg.data, "class=\"node\""), sizes[i]);
            assert_int_equal(count(svg.data, "nan"), 0);
            assert_int_equal(count(svg.data, "null"), 0);
            sonde_text_free(&svg);
            sonde_graph_free(graph);
        }
    }
}

static void each_undirected_edge_is_drawn_once(void **state) {
    (void)state;
    sonde_graph *graph = drawn(20, SONDE_SYMMETRIC);
    sonde_text svg = picture(graph, NULL, 0);
    const int n_pair = (graph->n_edge - graph->n_node) / 2;
    assert_int_equal(count(svg.data, "class=\"edge\""), n_pair);
    assert_int_equal(count(svg.data, "class=\"weight\""), n_pair);
    assert_int_equal(count(svg.data, "class=\"arrow\""), 0);
    sonde_text_free(&svg);
    sonde_graph_free(graph);
}

static void directions_of_their_own_weight_are_two_arrows(void **state) {
    (void)state;
    static const int32_t tail[] = {0, 1, 1, 2, 2};
    static const int32_t head[] = {1, 0, 2, 1, 0};
    static const double weight[] = {5, 10, 20, 20, 7};
    const sonde_graph edges = {
        .n_node = 3, .n_edge = 5, .tail = tail, .head = head, .weight = weight};
    sonde_graph *graph = NULL;
    assert_int_equal(sonde_graph_from_edges(&edges, NULL, 1, &graph, NULL), SONDE_OK);
    sonde_text svg = picture(graph, NULL, 0);
    /* 0-1 each way, 2-0 alone; 1-2 weighs the same both ways */
    assert_int_equal(count(svg.data, "class=\"arrow\""), 3);
    assert_int_equal(count(svg.data, "class=\"edge\""), 1);
    assert_int_equal(count(svg.data, "class=\"weight\""), 4);
    assert_non_null(strstr(svg.data, "1 edge both ways, 3 edges one way"));
    sonde_text_free(&svg);
    sonde_graph_free(graph);
}

static void a_path_shows_its_steps_and_stays(void **state) {
    (void)state;
    sonde_graph *graph = triangle(NULL, 3);
    static const int32_t path[] = {0, 2, 0, 2, 1, 1, 1};
    sonde_text svg = picture(graph, path, 7);
    assert_int_equal(count(svg.data, "class=\"lane\""), 3);
    assert_int_equal(count(svg.data, "class=\"step\""), 3);
    assert_non_null(strstr(svg.data, ">1,3</text>"));
    assert_non_null(strstr(svg.data, ">stays 2\303\227</text>"));
    assert_non_null(strstr(svg.data, "Path: 0 \342\206\222 2 \342\206\222 0"));
    sonde_text_free(&svg);
    sonde_graph_free(graph);
}

static void start_and_destination_are_named(void **state) {
    (void)state;
    sonde_graph *graph = triangle(NULL, 3);
    sonde_text svg = picture(graph, NULL, 0);
    assert_int_equal(count(svg.data, ">start</text>"), 1);
    assert_int_equal(count(svg.data, ">destination</text>"), 1);
    assert_int_equal(count(svg.data, "class=\"previous\""), 1);
    assert_int_equal(count(svg.data, "<title>"), 1);
    assert_int_equal(count(svg.data, "<desc>"), 1);
    assert_non_null(strstr(svg.data, "Shortest way from 0 to\302\2401:\302\24010."));
    sonde_text_free(&svg);
    sonde_graph_free(graph);
}

static void names_are_escaped(void **state) {
    (void)state;
    const char *const name[] = {"x < y & z", "\"quoted\"", "caf\303\251"};
    sonde_graph *graph = triangle(name, 3);
    sonde_text svg = picture(graph, NULL, 0);
    assert_true(count(svg.data, "x &lt; y &amp; z") > 0);
    assert_true(count(svg.data, "&quot;quoted&quot;") > 0);
    assert_true(count(svg.data, "caf\303\251") > 0);
    sonde_text_free(&svg);
    sonde_graph_free(graph);
}

static void the_same_world_is_the_same_picture(void **state) {
    (void)state;
    sonde_graph *graph = drawn(12, SONDE_DIRECTED);
    sonde_text one = picture(graph, NULL, 0);
    sonde_text two = picture(graph, NULL, 0);
    assert_string_equal(one.data, two.data);
    sonde_text_free(&one);
    sonde_text_free(&two);
    sonde_graph_free(graph);
}

static void a_path_that_is_none_is_refused(void **state) {
    (void)state;
    sonde_graph *graph = drawn(20, SONDE_SYMMETRIC);
    sonde_text svg = {0};
    int32_t stranger = 0;
    while (sonde_graph_edge(graph, 0, stranger) >= 0) {
        stranger++;
    }
    const int32_t jump[] = {0, stranger};
    const int32_t outside[] = {0, 20};
    const int32_t negative[] = {-1};
    assert_int_equal(sonde_draw_graph(graph, jump, 2, &svg, NULL), SONDE_BAD_ARGUMENT);
    assert_int_equal(sonde_draw_graph(graph, outside, 2, &svg, NULL), SONDE_BAD_ARGUMENT);
    assert_int_equal(sonde_draw_graph(graph, negative, 1, &svg, NULL), SONDE_BAD_ARGUMENT);
    assert_int_equal(svg.size, 0);
    sonde_text_free(&svg);
    sonde_graph_free(graph);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pictures_of_any_size_are_well_formed),
        cmocka_unit_test(each_undirected_edge_is_drawn_once),
        cmocka_unit_test(directions_of_their_own_weight_are_two_arrows),
        cmocka_unit_test(a_path_shows_its_steps_and_stays),
        cmocka_unit_test(start_and_destination_are_named),
        cmocka_unit_test(names_are_escaped),
        cmocka_unit_test(the_same_world_is_the_same_picture),
        cmocka_unit_test(a_path_that_is_none_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Worlds from documents: what is right is read, what is wrong is told with file and place. */
#include <errno.h>

#include "files.h"
#include "locales.h"

#define PLAIN SONDE_TEST_TMP "/world.json"
#define PACKED SONDE_TEST_TMP "/world.json.gz"

#define HEAD "\"format\": \"sonde-graph\", \"version\": 1"
#define SMALL "\"nodes\": 2, \"edges\": [[0, 1, 5], [1, 0, 10]]"

static sonde_status parse(const char *text, const sonde_graph_settings *settings,
                          sonde_graph **graph, sonde_error *error) {
    const sonde_source source = {"w.json", text, strlen(text)};
    return sonde_graph_read(&source, settings, 1, graph, error);
}

static sonde_graph *parsed(const char *text) {
    sonde_graph *graph = NULL;
    sonde_error error = {0};
    if (parse(text, NULL, &graph, &error) != SONDE_OK) {
        fail_msg("%s", error.text);
    }
    return graph;
}

/* ----------------------------------------------------------------------------- what is right -- */

static void a_document_is_read_as_it_stands(void **state) {
    (void)state;
    sonde_graph *graph = parsed("{" HEAD ", \"nodes\": 3, \"names\": [\"a\", \"b\", \"\u00e7\"], "
                                "\"edges\": [[2, \"a\", 1.5], [0, 2, 2], [\"a\", \"b\", 3], "
                                "[\"b\", \"b\", 4], [1, 0, 0]], \"start\": [\"\u00e7\", 0], "
                                "\"destination\": \"b\", \"horizon\": 9, \"lambda\": 0.25, "
                                "\"idle\": 50}");
    static const int32_t tails[] = {0, 0, 0, 1, 1, 2, 2};
    static const int32_t heads[] = {2, 1, 0, 1, 0, 0, 2};
    static const double weights[] = {2, 3, 50, 4, 0, 1.5, 50};
    assert_int_equal(graph->n_node, 3);
    assert_int_equal(graph->n_edge, 7);
    for (int32_t e = 0; e < 7; e++) {
        assert_int_equal(graph->tail[e], tails[e]);
        assert_int_equal(graph->head[e], heads[e]);
        assert_same(graph->weight[e], weights[e]);
    }
    assert_int_equal(graph->start, 5);
    assert_int_equal(graph->destination, 1);
    assert_int_equal(graph->horizon, 9);
    assert_same(graph->lambda, 0.25);
    assert_same(graph->idle, 50.0);
    assert_string_equal(graph->name[2], "\u00e7");
    sonde_graph_free(graph);
}

static void what_a_document_does_not_say_is_the_default(void **state) {
    (void)state;
    sonde_graph *graph = parsed("{" HEAD ", " SMALL "}");
    assert_int_equal(graph->n_edge, 4);
    assert_int_equal(graph->horizon, 2);
    assert_same(graph->lambda, 5.0);
    assert_same(graph->idle, 100.0);
    assert_null(graph->name);
    for (int32_t v = 0; v < 2; v++) {
        assert_int_equal(graph->self[v], graph->first[v + 1] - 1);
        assert_same(graph->weight[graph->self[v]], v == graph->destination ? 0.0 : 100.0);
    }
    sonde_graph_free(graph);
}

static void settings_come_before_the_document(void **state) {
    (void)state;
    sonde_graph_settings settings = sonde_graph_defaults();
    settings.start = "1,1";
    settings.destination = "1";
    settings.horizon = 4;
    settings.lambda = 2.0;
    settings.idle = 9.0;
    settings.n_node = -1; /* ignored, like all that says how to draw */
    sonde_graph *graph = NULL;
    assert_int_equal(parse("{" HEAD ", " SMALL ", \"start\": [0, 1], \"destination\": 0, "
                           "\"horizon\": 7, \"lambda\": 3, \"idle\": 50}",
                           &settings, &graph, NULL),
                     SONDE_OK);
    assert_int_equal(graph->start, graph->self[1]);
    assert_int_equal(graph->destination, 1);
    assert_int_equal(graph->horizon, 4);
    assert_same(graph->lambda, 2.0);
    assert_same(graph->idle, 9.0);
    assert_same(graph->weight[graph->self[0]], 9.0);
    assert_same(graph->weight[graph->self[1]], 0.0);
    sonde_graph_free(graph);
}

static void what_settings_leave_open_the_document_says(void **state) {
    (void)state;
    const sonde_graph_settings settings = sonde_graph_defaults();
    sonde_graph *graph = NULL;
    assert_int_equal(parse("{" HEAD ", " SMALL ", \"start\": [1, 0], \"destination\": 1, "
                           "\"horizon\": 7, \"lambda\": 0, \"idle\": 0}",
                           &settings, &graph, NULL),
                     SONDE_OK);
    assert_int_equal(graph->start, sonde_graph_edge(graph, 1, 0));
    assert_int_equal(graph->destination, 1);
    assert_int_equal(graph->horizon, 7);
    assert_same(graph->lambda, 0.0);
    assert_same(graph->idle, 0.0);
    sonde_graph_free(graph);
}

static void the_seed_draws_what_nobody_gave(void **state) {
    (void)state;
    const char *text = "{" HEAD ", \"nodes\": 4, \"edges\": [[0,1,1],[1,2,1],[2,3,1],[3,0,1]]}";
    const sonde_source source = {"w.json", text, strlen(text)};
    bool started[8] = {false};
    bool aimed[4] = {false};
    for (uint64_t seed = 0; seed < 200; seed++) {
        sonde_graph *graph = NULL;
        sonde_graph *again = NULL;
        assert_int_equal(sonde_graph_read(&source, NULL, seed, &graph, NULL), SONDE_OK);
        assert_int_equal(sonde_graph_read(&source, NULL, seed, &again, NULL), SONDE_OK);
        assert_int_equal(graph->start, again->start);
        assert_int_equal(graph->destination, again->destination);
        started[graph->start] = true;
        aimed[graph->destination] = true;
        sonde_graph_free(graph);
        sonde_graph_free(again);
    }
    for (int i = 0; i < 8; i++) {
        assert_true(started[i] && aimed[i % 4]);
    }
}

static void the_widest_numbers_are_read(void **state) {
    (void)state;
    sonde_graph *graph =
        parsed("{" HEAD ", \"nodes\": 2, \"edges\": [[0, 1, 1e100], "
               "[1, 0, 5e-324]], \"horizon\": 2147483646, \"start\": [0, 1], \"destination\": 1}");
    assert_same(graph->weight[0], 1e100);
    assert_same(graph->weight[graph->first[1]], 5e-324);
    assert_int_equal(graph->horizon, 2147483646);
    sonde_graph_free(graph);
}

static void assert_same_world(const sonde_graph *a, const sonde_graph *b) {
    sonde_text first = {0};
    sonde_text second = {0};
    sonde_graph_write(a, &first);
    sonde_graph_write(b, &second);
    assert_string_equal(first.data, second.data);
    sonde_text_free(&first);
    sonde_text_free(&second);
}

static void a_compressed_document_is_the_plain_one(void **state) {
    (void)state;
    sonde_graph *graph = world(200, 3, SONDE_DIRECTED);
    sonde_text text = {0};
    sonde_graph_write(graph, &text);
    put_bytes(PLAIN, text.data, text.size);
    put_gzip(PACKED, text.data, text.size);
    sonde_text_free(&text);
    sonde_graph *plain = NULL;
    sonde_graph *packed = NULL;
    assert_int_equal(
        sonde_graph_read(&(const sonde_source){.origin = PLAIN}, NULL, 1, &plain, NULL), SONDE_OK);
    assert_int_equal(
        sonde_graph_read(&(const sonde_source){.origin = PACKED}, NULL, 1, &packed, NULL),
        SONDE_OK);
    assert_same_world(graph, plain);
    assert_same_world(graph, packed);
    sonde_graph_free(plain);
    sonde_graph_free(packed);
    sonde_graph_free(graph);
}

static void numbers_are_right_where_people_write_a_comma(void **state) {
    (void)state;
    if (!set_comma_locale()) {
        print_message("no locale with a decimal comma, and no localedef to make one\n");
        skip();
    }
    sonde_graph *graph = parsed("{" HEAD ", \"nodes\": 2, \"edges\": [[0, 1, 2.75], [1, 0, 1e-3]], "
                                "\"lambda\": 0.5, \"idle\": 33.125, \"start\": [0, 1], "
                                "\"destination\": 1}");
    sonde_text text = {0};
    sonde_graph_write(graph, &text);
    reset_locale();
    assert_same(graph->weight[0], 2.75);
    assert_same(graph->weight[2], 1e-3);
    assert_same(graph->lambda, 0.5);
    assert_same(graph->idle, 33.125);
    assert_says(text.data, "[0, 1, 2.75], [1, 0, 0.001]");
    sonde_text_free(&text);
    sonde_graph_free(graph);
}

/* ----------------------------------------------------------------------------- what is wrong -- */

typedef struct {
    const char *text;
    const char *says; /* all of the sentence after the file, or its beginning */
} wrong;

static const wrong documents[] = {
    /* no document */
    {"", "expected a JSON document, found nothing"},
    {"{" HEAD ", \"nodes\": 2, \"edges\": [[0, 1", "line 1, column "},
    {"{" HEAD ",\n \"nodes\": 2,\n \"edges\": [[0, 1, 5]]", "line 3, column "},
    {"[]", "document: expected an object { ... }, found []"},
    {"\"text\"", "line 1, column "},
    /* format, version */
    {"{\"nodes\": 2}", "format: expected \"sonde-graph\", found nothing"},
    {"{\"format\": \"sonde-model\", \"version\": 1}",
     "format: expected \"sonde-graph\", found \"sonde-model\""},
    {"{\"format\": \"sonde-graph\", \"version\": 2, " SMALL "}",
     "version: expected 1, found 2; it was made for a later sonde: read it with that one"},
    {"{\"format\": \"sonde-graph\", \"version\": \"1\", " SMALL "}",
     "version: expected 1, found \"1\""},
    {"{\"format\": \"sonde-graph\", " SMALL "}", "version: expected 1, found nothing"},
    /* keys */
    {"{" HEAD ", " SMALL ", \"horizn\": 3}", "unknown key \"horizn\"; did you mean \"horizon\"?"},
    {"{" HEAD ", " SMALL ", \"Lambda\": 3}", "unknown key \"Lambda\"; did you mean \"lambda\"?"},
    {"{" HEAD ", " SMALL ", \"destinaton\": 1}",
     "unknown key \"destinaton\"; did you mean \"destination\"?"},
    {"{" HEAD ", " SMALL ", \"xylophone\": 3}", "unknown key \"xylophone\""},
    {"{" HEAD ", " SMALL ", \"nodes\": 2}", "line 1, column "},
    /* nodes */
    {"{" HEAD ", \"edges\": []}",
     "nodes: expected a whole number from 1 to 10000000, found nothing"},
    {"{" HEAD ", \"nodes\": 0, \"edges\": []}",
     "nodes: expected a whole number from 1 to 10000000, found 0"},
    {"{" HEAD ", \"nodes\": -3, \"edges\": []}", "nodes: expected a whole number from 1 "},
    {"{" HEAD ", \"nodes\": 2.5, \"edges\": []}",
     "nodes: expected a whole number from 1 to 10000000, found 2.5"},
    {"{" HEAD ", \"nodes\": 2.0, \"edges\": []}", "nodes: expected a whole number "},
    {"{" HEAD ", \"nodes\": 10000001, \"edges\": []}", "nodes: expected a whole number "},
    {"{" HEAD ", \"nodes\": 4294967298, \"edges\": []}", "nodes: expected a whole number "},
    {"{" HEAD ", \"nodes\": \"2\", \"edges\": []}", "nodes: expected a whole number "},
    {"{" HEAD ", \"nodes\": null, \"edges\": []}", "nodes: expected a whole number "},
    {"{" HEAD ", \"nodes\": [\"a\", \"b\"], \"edges\": []}", "nodes: expected a whole number "},
    /* edges */
    {"{" HEAD ", \"nodes\": 2}", "edges: expected a list of [from, to, weight], found nothing"},
    {"{" HEAD ", \"nodes\": 2, \"edges\": {}}",
     "edges: expected a list of [from, to, weight], found {}"},
    {"{" HEAD ", \"nodes\": 2, \"edges\": [[0, 1, 5], 7]}",
     "edges[1]: expected [from, to, weight], found 7"},
    {"{" HEAD ", \"nodes\": 2, \"edges\": [[0, 1]]}",
     "edges[0]: expected [from, to, weight], found [0,1]"},
    {"{" HEAD ", \"nodes\": 2, \"edges\": [[0, 1, 5, 6]]}",
     "edges[0]: expected [from, to, weight], found [0,1,5,6]"},
    {"{" HEAD ", \"nodes\": 2, \"edges\": [[0, 1, 5], [2, 0, 5]]}",
     "edges[1][0]: expected a whole number from 0 to 1, found 2"},
    {"{" HEAD ", \"nodes\": 2, \"edges\": [[0, 2, 5]]}",
     "edges[0][1]: expected a whole number from 0 to 1, found 2"},
    {"{" HEAD ", \"nodes\": 2, \"edges\": [[-1, 1, 5]]}",
     "edges[0][0]: expected a whole number from 0 to 1, found -1"},
    {"{" HEAD ", \"nodes\": 2, \"edges\": [[0, 4294967297, 5]]}",
     "edges[0][1]: expected a whole number from 0 to 1, found 4294967297"},
    {"{" HEAD ", \"nodes\": 2, \"edges\": [[0, 1.0, 5]]}",
     "edges[0][1]: expected a whole number from 0 to 1, found 1.0"},
    {"{" HEAD ", \"nodes\": 2, \"edges\": [[\"a\", 1, 5]]}",
     "edges[0][0]: expected a whole number from 0 to 1, found \"a\""},
    {"{" HEAD ", \"nodes\": 2, \"names\": [\"a\", \"b\"], \"edges\": [[\"a\", \"c\", 5]]}",
     "edges[0][1]: expected the name of a node, found \"c\""},
    {"{" HEAD ", \"nodes\": 2, \"edges\": [[0, 1, -5]]}",
     "edges[0][2]: expected a number of 0 or more, found -5"},
    {"{" HEAD ", \"nodes\": 2, \"edges\": [[0, 1, -0.001]]}",
     "edges[0][2]: expected a number of 0 or more, found -0.001"},
    {"{" HEAD ", \"nodes\": 2, \"edges\": [[0, 1, \"5\"]]}",
     "edges[0][2]: expected a number of 0 or more, found \"5\""},
    {"{" HEAD ", \"nodes\": 2, \"edges\": [[0, 1, null]]}",
     "edges[0][2]: expected a number of 0 or more, found null"},
    {"{" HEAD ", \"nodes\": 2, \"edges\": [[0, 1, 1.01e100]]}",
     "edges[0]: expected a weight of 0 or more, at most 1e+100, found 1.01e+100"},
    {"{" HEAD ", \"nodes\": 2, \"edges\": [[0, 1, NaN]]}", "line 1, column "},
    {"{" HEAD ", \"nodes\": 2, \"edges\": [[0, 1, Infinity]]}", "line 1, column "},
    {"{" HEAD ", \"nodes\": 2, \"edges\": [[0, 1, 1e999]]}", "line 1, column "},
    {"{" HEAD ", \"nodes\": 2, \"edges\": [[0, 1, 5], [1, 0, 5], [0, 1, 6]]}",
     "edges: the edge from 0 to 1 is there twice; give it once"},
    {"{" HEAD ", \"nodes\": 2, \"edges\": [[0, 1, 5], [1, 0, 5], [1, 1, 6], [1, 1, 6]]}",
     "edges: the edge from 1 to 1 is there twice; give it once"},
    /* names */
    {"{" HEAD ", " SMALL ", \"names\": \"ab\"}", "names: expected a list of 2 names, found \"ab\""},
    {"{" HEAD ", " SMALL ", \"names\": [\"a\"]}",
     "names: expected a list of 2 names, found [\"a\"]"},
    {"{" HEAD ", " SMALL ", \"names\": [\"a\", \"b\", \"c\"]}",
     "names: expected a list of 2 names, found "},
    {"{" HEAD ", " SMALL ", \"names\": null}", "names: expected a list of 2 names, found null"},
    {"{" HEAD ", " SMALL ", \"names\": [\"a\", 7]}", "names[1]: expected a name, found 7"},
    {"{" HEAD ", " SMALL ", \"names\": [\"\", \"b\"]}", "names[0]: expected a name, found \"\""},
    {"{" HEAD ", " SMALL ", \"names\": [\"a\", \"a\"]}", "names[1]: \"a\" also means node 0; "},
    {"{" HEAD ", " SMALL ", \"names\": [\"a\", \"b\\u001b[2J\"]}",
     "names[1]: expected a name without control characters, found character 0x1b in it"},
    {"{" HEAD ", " SMALL ", \"names\": [\"\\u009b\", \"b\"]}",
     "names[0]: expected a name without control characters, found character 0x9b in it"},
    {"{" HEAD ", " SMALL ", \"names\": [\"1\", \"b\"]}", "names[0]: \"1\" also means node 1; "},
    {"{" HEAD ", " SMALL ", \"names\": [\"a\", \"0\"]}", "names[1]: \"0\" also means node 0; "},
    {"{" HEAD ", " SMALL ", \"names\": [\"a\", \"00\"]}", "names[1]: \"00\" also means node 0; "},
    /* start, destination */
    {"{" HEAD ", " SMALL ", \"start\": 1}", "start: expected an edge [previous, current], found 1"},
    {"{" HEAD ", " SMALL ", \"start\": [0]}",
     "start: expected an edge [previous, current], found "},
    {"{" HEAD ", " SMALL ", \"start\": [0, 1, 0]}",
     "start: expected an edge [previous, current], "},
    {"{" HEAD ", " SMALL ", \"start\": null}", "start: expected an edge [previous, current], "},
    {"{" HEAD ", " SMALL ", \"start\": [2, 1]}",
     "start[0]: expected a whole number from 0 to 1, found 2"},
    {"{" HEAD ", " SMALL ", \"start\": [0, -1]}",
     "start[1]: expected a whole number from 0 to 1, found -1"},
    {"{" HEAD ", \"nodes\": 3, \"edges\": [[0, 1, 5], [1, 2, 5], [2, 0, 5]], \"start\": [1, 0]}",
     "start: expected an edge of the graph, found [1, 0]; "},
    {"{" HEAD ", " SMALL ", \"destination\": 2}",
     "destination: expected a whole number from 0 to 1, found 2"},
    {"{" HEAD ", " SMALL ", \"destination\": \"b\"}",
     "destination: expected a whole number from 0 to 1, found \"b\""},
    {"{" HEAD ", " SMALL ", \"destination\": [0, 1]}", "destination: expected a whole number "},
    {"{" HEAD ", \"nodes\": 2, \"edges\": [[1, 0, 5]], \"start\": [1, 0], \"destination\": 1}",
     "destination: node 1 cannot be reached from the start node 0; "},
    /* numbers */
    {"{" HEAD ", " SMALL ", \"horizon\": 0}",
     "horizon: expected a whole number from 1 to 2147483646, found 0"},
    {"{" HEAD ", " SMALL ", \"horizon\": -2}", "horizon: expected a whole number from 1 "},
    {"{" HEAD ", " SMALL ", \"horizon\": 2147483647}", "horizon: expected a whole number from 1 "},
    {"{" HEAD ", " SMALL ", \"horizon\": 3.5}", "horizon: expected a whole number from 1 "},
    {"{" HEAD ", " SMALL ", \"lambda\": -1}", "lambda: expected a number of 0 or more, found -1"},
    {"{" HEAD ", " SMALL ", \"lambda\": \"5\"}", "lambda: expected a number of 0 or more, found "},
    {"{" HEAD ", " SMALL ", \"lambda\": 1.01e100}",
     "lambda: expected a number of 0 or more, at most 1e+100, "},
    {"{" HEAD ", " SMALL ", \"idle\": 1.01e100}",
     "idle: expected a number of 0 or more, at most 1e+100, "},
    {"{" HEAD ", " SMALL ", \"idle\": -0.5}", "idle: expected a number of 0 or more, found -0.5"},
    {"{" HEAD ", " SMALL ", \"idle\": 1e400}", "line 1, column "},
    {"{" HEAD ", " SMALL ", \"idle\": null}", "idle: expected a number of 0 or more, found null"},
};

static void every_wrong_document_is_told_with_file_and_place(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof documents / sizeof *documents; i++) {
        sonde_graph *graph = NULL;
        sonde_error error = {0};
        const sonde_status status = parse(documents[i].text, NULL, &graph, &error);
        char wanted[300];
        (void)snprintf(wanted, sizeof wanted, "w.json: %s", documents[i].says);
        if (status != SONDE_BAD_INPUT || strncmp(error.text, wanted, strlen(wanted)) != 0) {
            fail_msg("%s\n  gives status %d, \"%s\",\n  not \"%s\"", documents[i].text, (int)status,
                     error.text, wanted);
        }
        assert_int_equal(error.status, SONDE_BAD_INPUT);
        assert_null(graph);
        /* nobody has to listen */
        assert_int_equal(parse(documents[i].text, NULL, &graph, NULL), SONDE_BAD_INPUT);
        assert_null(graph);
    }
}

static void the_file_itself_is_named(void **state) {
    (void)state;
    put_text(PLAIN, "{" HEAD ", " SMALL ", \"horizn\": 3}");
    sonde_graph *graph = NULL;
    sonde_error error = {0};
    assert_int_equal(
        sonde_graph_read(&(const sonde_source){.origin = PLAIN}, NULL, 1, &graph, &error),
        SONDE_BAD_INPUT);
    assert_string_equal(error.text, PLAIN ": unknown key \"horizn\"; did you mean \"horizon\"?");
    assert_int_equal(sonde_graph_read(&(const sonde_source){.origin = SONDE_TEST_TMP "/none.json"},
                                      NULL, 1, &graph, &error),
                     SONDE_NO_FILE);
    assert_says(error.text, SONDE_TEST_TMP "/none.json: ");
    assert_says(error.text, strerror(ENOENT));
    assert_int_equal(
        sonde_graph_read(&(const sonde_source){.origin = SONDE_TEST_TMP}, NULL, 1, &graph, &error),
        SONDE_NO_FILE);
    assert_says(error.text, strerror(EISDIR));
    assert_null(graph);
}

static void a_long_path_does_not_push_the_place_aside(void **state) {
    (void)state;
    char origin[301];
    memset(origin, 'p', sizeof origin - 1);
    origin[sizeof origin - 1] = '\0';
    static const wrong cases[] = {
        {"{" HEAD ", \"nodes\": 2, \"edges\": [[0, 1, 1e200]]}", ": edges[0]: "},
        {"{" HEAD ", \"nodes\": 2, \"edges\": [[0, 1, -1]]}", ": edges[0][2]: "},
        {"{" HEAD ", \"nodes\": 2, \"edges\": [[0, 1, 1], [0, 1, 1]]}", ": edges: "},
        {"{" HEAD ", " SMALL ", \"horizn\": 1}", ": unknown key \"horizn\"; did you mean"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const sonde_source source = {origin, cases[i].text, strlen(cases[i].text)};
        sonde_graph *graph = NULL;
        sonde_error error = {0};
        assert_int_equal(sonde_graph_read(&source, NULL, 1, &graph, &error), SONDE_BAD_INPUT);
        assert_says(error.text, origin);
        assert_says(error.text, cases[i].says);
    }
}

static void a_compressed_document_cut_short_is_refused(void **state) {
    (void)state;
    sonde_graph *graph = world(60, 3, SONDE_DIRECTED);
    sonde_text text = {0};
    sonde_graph_write(graph, &text);
    sonde_graph_free(graph);
    put_gzip(PACKED, text.data, text.size);
    sonde_text_free(&text);
    size_t size = 0;
    char *packed = get_bytes(PACKED, &size);
    for (size_t cut = 20; cut < size; cut += cut < size - 20 ? 37 : 1) {
        put_bytes(PLAIN, packed, cut);
        graph = NULL;
        sonde_error error = {0};
        assert_int_equal(
            sonde_graph_read(&(const sonde_source){.origin = PLAIN}, NULL, 1, &graph, &error),
            SONDE_BAD_INPUT);
        assert_string_equal(error.text, PLAIN ": the compressed data is cut short");
        assert_null(graph);
    }
    free(packed);
}

static void deep_nesting_is_refused_not_a_crash(void **state) {
    (void)state;
    enum { DEPTH = 300000 };
    static const char begin[] = "{" HEAD ", \"nodes\": 2, \"edges\": ";
    char *text = room(sizeof begin + DEPTH, 1);
    memcpy(text, begin, sizeof begin);
    memset(text + sizeof begin - 1, '[', DEPTH);
    sonde_graph *graph = NULL;
    sonde_error error = {0};
    assert_int_equal(parse(text, NULL, &graph, &error), SONDE_BAD_INPUT);
    assert_says(error.text, "w.json: line 1");
    assert_says(error.text, "depth");
    free(text);
}

static void wrong_settings_are_told_as_settings(void **state) {
    (void)state;
    sonde_graph *graph = NULL;
    sonde_error error = {0};
    sonde_graph_settings settings = sonde_graph_defaults();
    settings.start = "0,5";
    assert_int_equal(parse("{" HEAD ", " SMALL "}", &settings, &graph, &error), SONDE_BAD_ARGUMENT);
    assert_says(error.text, "start: expected an edge as PREVIOUS,CURRENT, found \"0,5\"");
    settings.start = NULL;
    settings.destination = "somewhere";
    assert_int_equal(parse("{" HEAD ", " SMALL "}", &settings, &graph, &error), SONDE_BAD_ARGUMENT);
    assert_says(error.text, "destination: expected a name or a number from 0 to 1");
    settings.destination = NULL;
    settings.lambda = 1e101;
    assert_int_equal(parse("{" HEAD ", " SMALL "}", &settings, &graph, &error), SONDE_BAD_ARGUMENT);
    settings.lambda = -1.0;
    settings.idle = INFINITY;
    assert_int_equal(parse("{" HEAD ", " SMALL "}", &settings, &graph, &error), SONDE_BAD_ARGUMENT);
    assert_null(graph);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_document_is_read_as_it_stands),
        cmocka_unit_test(what_a_document_does_not_say_is_the_default),
        cmocka_unit_test(settings_come_before_the_document),
        cmocka_unit_test(what_settings_leave_open_the_document_says),
        cmocka_unit_test(the_seed_draws_what_nobody_gave),
        cmocka_unit_test(the_widest_numbers_are_read),
        cmocka_unit_test(a_compressed_document_is_the_plain_one),
        cmocka_unit_test(numbers_are_right_where_people_write_a_comma),
        cmocka_unit_test(every_wrong_document_is_told_with_file_and_place),
        cmocka_unit_test(the_file_itself_is_named),
        cmocka_unit_test(a_long_path_does_not_push_the_place_aside),
        cmocka_unit_test(a_compressed_document_cut_short_is_refused),
        cmocka_unit_test(deep_nesting_is_refused_not_a_crash),
        cmocka_unit_test(wrong_settings_are_told_as_settings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* JSON, read strictly: whatever is wrong is an error that says where. */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/json.h"
#include "base/rng.h"
#include "files.h"

#define PLAIN SONDE_TEST_TMP "/plain.json"
#define PACKED SONDE_TEST_TMP "/packed.json.gz"

static sonde_status open_and_close(const char *path, sonde_error *error) {
    sonde__reader reader;
    const sonde_status status = sonde__json_open(&reader, path, error);
    assert_true((status == SONDE_OK) == (reader.root != NULL));
    sonde__json_close(&reader);
    assert_null(reader.root);
    return status;
}

/* Parses text from memory; the error must say `where`. */
static void assert_refused(const char *text, const char *where) {
    const sonde_source source = {"memory", text, strlen(text)};
    sonde_error error = {0};
    sonde__reader reader;
    assert_int_equal(sonde__json_parse(&reader, &source, &error), SONDE_BAD_INPUT);
    assert_null(reader.root);
    assert_int_equal(error.status, SONDE_BAD_INPUT);
    assert_int_equal(strncmp(error.text, "memory: ", 8), 0);
    assert_says(error.text, where);
    sonde__json_close(&reader);
    /* nobody has to listen */
    assert_int_equal(sonde__json_parse(&reader, &source, NULL), SONDE_BAD_INPUT);
    sonde__json_close(&reader);
}

/* ------------------------------------------------------------------------------- documents -- */

static void what_is_no_json_is_refused_with_its_line(void **state) {
    (void)state;
    assert_refused("", "expected a JSON document, found nothing");
    assert_refused("   \n\n ", "expected a JSON document, found nothing");
    assert_refused("subject,step", "line 1, column 7: this is no JSON document");
    assert_refused("{\"a\": 1,\n \"b\": }", "line 2");
    assert_refused("{\"a\": 1} x", "line 1");
    assert_refused("{\"a\": 1}{", "line 1");
    assert_refused("12", "line 1");
    assert_refused("{'a': 1}", "line 1");
    assert_refused("[1, 2,]", "line 1");
    assert_refused("[01]", "line 1");
    assert_refused("[\"\xff\xfe\"]", "0xff");
    assert_refused("[\"\\u0000\"]", "line 1");
}

/* The mark that some programs begin a text with is passed over, and counts no column. */
static void a_byte_order_mark_is_passed_over(void **state) {
    (void)state;
    static const char text[] = "\xef\xbb\xbf{\"a\": 1}";
    const sonde_source source = {"memory", text, sizeof text - 1};
    sonde__reader reader;
    assert_int_equal(sonde__json_parse(&reader, &source, NULL), SONDE_OK);
    assert_int_equal(json_integer_value(json_object_get(reader.root, "a")), 1);
    sonde__json_close(&reader);
    assert_refused("\xef\xbb\xbf", "found nothing");
    assert_refused("\xef\xbb\xbf{\"a\": 1} x", "line 1, column 10");
    assert_refused("{\"a\": 1} \xef\xbb\xbf", "line 1");
}

static void duplicate_keys_are_refused(void **state) {
    (void)state;
    assert_refused("{\"a\": 1,\n \"b\": 2,\n \"a\": 3}", "line 3");
    assert_refused("{\"a\": {\"x\": 1, \"x\": 1}}", "duplicate object key");
}

static void numbers_that_are_none_are_refused(void **state) {
    (void)state;
    assert_refused("[NaN]", "NaN");
    assert_refused("[nan]", "line 1");
    assert_refused("[Infinity]", "Infinity");
    assert_refused("[-Infinity]", "line 1");
    assert_refused("[1e999]", "line 1");
    assert_refused("[-1e999]", "line 1");
    assert_refused("[99999999999999999999]", "line 1");
    assert_refused("[0x10]", "line 1");
    assert_refused("[+1]", "line 1");
    assert_refused("[.5]", "line 1");
}

static void deep_nesting_is_refused_not_a_crash(void **state) {
    (void)state;
    enum { DEPTH = 1000000 };
    char *text = room(DEPTH + 1, 1);
    memset(text, '[', DEPTH);
    assert_refused(text, "depth");
    for (size_t i = 0; i + 5 <= DEPTH; i += 5) {
        memcpy(text + i, "{\"a\":", 5);
    }
    assert_refused(text, "depth");
    free(text);
}

static void every_cut_is_refused(void **state) {
    (void)state;
    const char *text = "{\"a\": [1, 2.5e3, \"x\\n\", true, null], \"b\": {}}";
    for (size_t size = 0; size < strlen(text); size++) {
        const sonde_source source = {"memory", text, size};
        sonde__reader reader;
        assert_int_equal(sonde__json_parse(&reader, &source, NULL), SONDE_BAD_INPUT);
    }
    const sonde_source source = {"memory", text, strlen(text)};
    sonde__reader reader;
    assert_int_equal(sonde__json_parse(&reader, &source, NULL), SONDE_OK);
    sonde__json_close(&reader);
}

/* ----------------------------------------------------------------------------------- files -- */

static void a_missing_file_is_said(void **state) {
    (void)state;
    sonde_error error = {0};
    assert_int_equal(open_and_close(SONDE_TEST_TMP "/missing.json", &error), SONDE_NO_FILE);
    assert_int_equal(error.status, SONDE_NO_FILE);
    assert_says(error.text, SONDE_TEST_TMP "/missing.json: ");
    assert_says(error.text, strerror(ENOENT));
    assert_int_equal(open_and_close(SONDE_TEST_TMP "/missing.json", NULL), SONDE_NO_FILE);
    assert_int_equal(open_and_close("", &error), SONDE_NO_FILE);
}

static void a_folder_is_said(void **state) {
    (void)state;
    sonde_error error = {0};
    assert_int_equal(open_and_close(SONDE_TEST_TMP, &error), SONDE_NO_FILE);
    assert_says(error.text, SONDE_TEST_TMP ": ");
    assert_says(error.text, strerror(EISDIR));
}

static void a_broken_file_is_named(void **state) {
    (void)state;
    put_text(PLAIN, "{\n\"a\": [1,\n");
    sonde_error error = {0};
    assert_int_equal(open_and_close(PLAIN, &error), SONDE_BAD_INPUT);
    assert_says(error.text, PLAIN ": line 3");
    put_text(PLAIN, "");
    assert_int_equal(open_and_close(PLAIN, &error), SONDE_BAD_INPUT);
    assert_says(error.text, PLAIN ": expected a JSON document, found nothing");
}

/* A document of exactly `size` bytes: a list of one string. */
static char *document(size_t size) {
    char *text = room(size + 1, 1);
    memset(text, 'x', size);
    memcpy(text, "[\"", 2);
    memcpy(text + size - 2, "\"]", 2);
    return text;
}

static void assert_document(const char *path, size_t size) {
    sonde__reader reader;
    assert_int_equal(sonde__json_open(&reader, path, NULL), SONDE_OK);
    assert_int_equal(json_string_length(json_array_get(reader.root, 0)), size - 4);
    sonde__json_close(&reader);
}

static void documents_of_any_length_are_read_whole(void **state) {
    (void)state;
    static const size_t size_of[] = {4,     5,      65535,  65536,  65537,
                                     99999, 131071, 131072, 131073, 1000000};
    for (size_t i = 0; i < sizeof size_of / sizeof *size_of; i++) {
        char *text = document(size_of[i]);
        put_bytes(PLAIN, text, size_of[i]);
        put_gzip(PACKED, text, size_of[i]);
        assert_document(PLAIN, size_of[i]);
        assert_document(PACKED, size_of[i]);
        free(text);
    }
}

/* Numbers that do not compress well, so that cuts fall into the middle of things. */
static char *many_numbers(size_t *size) {
    sonde_text text = {0};
    sonde__rng rng = sonde__rng_stream(1, SONDE__FOR_PROBE, 0);
    sonde_text_add(&text, "[0");
    for (int i = 0; i < 60; i++) {
        sonde_text_add(&text, ", ");
        sonde_text_add_number(&text, sonde__rng_uniform(&rng));
    }
    sonde_text_add(&text, "]");
    *size = text.size;
    return text.data;
}

static void compressed_data_cut_anywhere_is_refused(void **state) {
    (void)state;
    size_t size = 0;
    char *text = many_numbers(&size);
    put_gzip(PACKED, text, size);
    free(text);
    char *packed = get_bytes(PACKED, &size);
    assert_true(size > 100);
    for (size_t cut = 0; cut < size; cut++) {
        put_bytes(PLAIN, packed, cut);
        sonde_error error = {0};
        assert_int_equal(open_and_close(PLAIN, &error), SONDE_BAD_INPUT);
        assert_says(error.text, PLAIN ": ");
        if (cut >= 20) {
            assert_says(error.text, "cut short");
        }
    }
    put_bytes(PLAIN, packed, size);
    assert_int_equal(open_and_close(PLAIN, NULL), SONDE_OK);
    free(packed);
}

static void compressed_data_with_a_wrong_bit_is_never_believed(void **state) {
    (void)state;
    size_t size = 0;
    char *text = many_numbers(&size);
    json_t *right = json_loadb(text, size, 0, NULL);
    put_gzip(PACKED, text, size);
    free(text);
    char *packed = get_bytes(PACKED, &size);
    size_t n_refused = 0;
    /* past the header, in the data, and in the checksum at the end */
    for (size_t i = 10; i < size; i++) {
        packed[i] = (char)(packed[i] ^ 0x10);
        put_bytes(PLAIN, packed, size);
        packed[i] = (char)(packed[i] ^ 0x10);
        sonde_error error = {0};
        sonde__reader reader;
        if (sonde__json_open(&reader, PLAIN, &error) == SONDE_OK) {
            /* a bit between the data and the checksum that means nothing */
            assert_true(json_equal(reader.root, right));
        } else {
            assert_says(error.text, PLAIN ": ");
            n_refused++;
        }
        sonde__json_close(&reader);
    }
    assert_true(n_refused >= size - 10 - 1);
    json_decref(right);
    free(packed);
}

static void assert_standard_input(const char *path, sonde_status wanted, const char *says) {
    const int kept = dup(STDIN_FILENO);
    const int file = open(path, O_RDONLY);
    assert_true(kept >= 0 && file >= 0);
    assert_true(dup2(file, STDIN_FILENO) >= 0);
    sonde_error error = {0};
    const sonde_status status = open_and_close("-", &error);
    assert_true(dup2(kept, STDIN_FILENO) >= 0);
    (void)close(kept);
    (void)close(file);
    assert_int_equal(status, wanted);
    assert_says(error.text, says);
}

static void standard_input_is_a_file_like_any_other(void **state) {
    (void)state;
    put_text(PLAIN, "[1, 2]");
    put_gzip(PACKED, "[1, 2]", 6);
    assert_standard_input(PLAIN, SONDE_OK, "");
    assert_standard_input(PACKED, SONDE_OK, "");
    put_text(PLAIN, "[1, 2");
    assert_standard_input(PLAIN, SONDE_BAD_INPUT, "standard input: line 1");
}

static void the_text_of_a_file_is_had_as_it_is(void **state) {
    (void)state;
    static const char content[] = "no { JSON\n\0at all";
    put_bytes(PLAIN, content, sizeof content);
    put_gzip(PACKED, content, sizeof content);
    static const char *const path[] = {PLAIN, PACKED};
    for (int i = 0; i < 2; i++) {
        char *data = NULL;
        size_t size = 0;
        assert_int_equal(sonde__json_slurp(path[i], &data, &size, NULL), SONDE_OK);
        assert_int_equal(size, sizeof content);
        assert_memory_equal(data, content, size);
        free(data);
    }
    char *data = NULL;
    size_t size = 0;
    sonde_error error = {0};
    assert_int_equal(sonde__json_slurp(SONDE_TEST_TMP "/missing.json", &data, &size, &error),
                     SONDE_NO_FILE);
    assert_says(error.text, SONDE_TEST_TMP "/missing.json: ");
    free(data);
}

/* ---------------------------------------------------------------------------------- checks -- */

static const char *known_key(int32_t i) {
    static const char *const list[] = {"format", "version", "nodes", NULL};
    return list[i];
}

/* A reader of a document in memory. */
typedef struct {
    sonde__reader reader;
    sonde_error error;
} session;

static void begin(session *s, const char *text) {
    *s = (session){0};
    const sonde_source source = {"memory", text, strlen(text)};
    assert_int_equal(sonde__json_parse(&s->reader, &source, &s->error), SONDE_OK);
}

static void end(session *s) {
    sonde__json_close(&s->reader);
}

static void assert_failed(const session *s, const char *wanted) {
    assert_int_equal(s->reader.status, SONDE_BAD_INPUT);
    assert_int_equal(s->error.status, SONDE_BAD_INPUT);
    assert_string_equal(s->error.text, wanted);
}

static void unknown_keys_are_refused_with_a_guess(void **state) {
    (void)state;
    session s;
    begin(&s, "{\"format\": 1, \"node\": 2}");
    assert_false(sonde__json_keys(&s.reader, s.reader.root, known_key));
    assert_failed(&s, "memory: unknown key \"node\"; did you mean \"nodes\"?");
    end(&s);
    begin(&s, "{\"format\": 1, \"xylophone\": 2}");
    assert_false(sonde__json_keys(&s.reader, s.reader.root, known_key));
    assert_failed(&s,
                  "memory: unknown key \"xylophone\"; leave it out, or read the document with a "
                  "later sonde that knows it");
    end(&s);
    begin(&s, "{\"nodes\": 1, \"format\": 2, \"version\": 3}");
    assert_true(sonde__json_keys(&s.reader, s.reader.root, known_key));
    assert_int_equal(s.reader.status, SONDE_OK);
    end(&s);
    begin(&s, "{}");
    assert_true(sonde__json_keys(&s.reader, s.reader.root, known_key));
    end(&s);
}

static void assert_format(const char *text, const char *wanted) {
    session s;
    begin(&s, text);
    const bool right = sonde__json_format(&s.reader, "sonde-graph", 1);
    assert_true(right == (wanted == NULL));
    if (!right) {
        assert_failed(&s, wanted);
    }
    end(&s);
}

static void a_document_says_what_it_is(void **state) {
    (void)state;
    assert_format("{\"format\": \"sonde-graph\", \"version\": 1}", NULL);
    assert_format("[1]", "memory: document: expected an object { ... }, found [1]");
    assert_format("{}", "memory: format: expected \"sonde-graph\", found nothing");
    assert_format("{\"format\": \"sonde-model\", \"version\": 1}",
                  "memory: format: expected \"sonde-graph\", found \"sonde-model\"");
    assert_format("{\"format\": 7}", "memory: format: expected \"sonde-graph\", found 7");
    assert_format("{\"format\": \"sonde-graph\"}", "memory: version: expected 1, found nothing");
    assert_format("{\"format\": \"sonde-graph\", \"version\": 2}",
                  "memory: version: expected 1, found 2; it was made for a later sonde: read it "
                  "with that one");
    assert_format("{\"format\": \"sonde-graph\", \"version\": 0}",
                  "memory: version: expected 1, found 0");
    assert_format("{\"format\": \"sonde-graph\", \"version\": 1.0}",
                  "memory: version: expected 1, found 1.0");
    assert_format("{\"format\": \"sonde-graph\", \"version\": \"1\"}",
                  "memory: version: expected 1, found \"1\"");
}

static void whole_numbers_are_whole_and_in_range(void **state) {
    (void)state;
    static const struct {
        const char *text;
        const char *found; /* NULL: right */
    } cases[] = {
        {"[2]", NULL},        {"[5]", NULL},
        {"[9]", NULL},        {"[1]", "1"},
        {"[10]", "10"},       {"[-5]", "-5"},
        {"[5.0]", "5.0"},     {"[5.5]", "5.5"},
        {"[true]", "true"},   {"[null]", "null"},
        {"[\"5\"]", "\"5\""}, {"[[5]]", "[5]"},
        {"[]", "nothing"},    {"[4294967301]", "4294967301"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        session s;
        begin(&s, cases[i].text);
        int32_t out = -77;
        const bool right =
            sonde__json_whole(&s.reader, "a.b", json_array_get(s.reader.root, 0), 2, 9, &out);
        assert_true(right == (cases[i].found == NULL));
        if (!right) {
            char wanted[100];
            (void)snprintf(wanted, sizeof wanted,
                           "memory: a.b: expected a whole number from 2 to 9, found %s",
                           cases[i].found);
            assert_failed(&s, wanted);
            assert_int_equal(out, -77);
        } else {
            assert_int_equal(out, json_integer_value(json_array_get(s.reader.root, 0)));
        }
        end(&s);
    }
}

static void numbers_are_numbers_and_large_enough(void **state) {
    (void)state;
    static const struct {
        const char *text;
        const char *found;
        double value;
    } cases[] = {
        {"[0]", NULL, 0.0},       {"[0.0]", NULL, 0.0},      {"[7]", NULL, 7.0},
        {"[1e300]", NULL, 1e300}, {"[2.5]", NULL, 2.5},      {"[-1]", "-1", 0.0},
        {"[-0.5]", "-0.5", 0.0},  {"[\"1\"]", "\"1\"", 0.0}, {"[null]", "null", 0.0},
        {"[]", "nothing", 0.0},   {"[false]", "false", 0.0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        session s;
        begin(&s, cases[i].text);
        double out = -77.0;
        const bool right =
            sonde__json_number(&s.reader, "w[3]", json_array_get(s.reader.root, 0), 0.0, &out);
        assert_true(right == (cases[i].found == NULL));
        if (!right) {
            char wanted[100];
            (void)snprintf(wanted, sizeof wanted,
                           "memory: w[3]: expected a number of 0 or more, found %s",
                           cases[i].found);
            assert_failed(&s, wanted);
            assert_same(out, -77.0);
        } else {
            assert_same(out, cases[i].value);
        }
        end(&s);
    }
}

static void what_was_found_is_shown_in_short(void **state) {
    (void)state;
    sonde_text text = {0};
    sonde_text_add(&text, "[[");
    for (int i = 0; i < 1000; i++) {
        sonde_text_add(&text, "%d, ", i);
    }
    sonde_text_add(&text, "0]]");
    session s;
    begin(&s, text.data);
    assert_false(sonde__json_expected(&s.reader, "x", "little", json_array_get(s.reader.root, 0)));
    assert_says(s.error.text, "memory: x: expected little, found [0,1,2,3,4,5,");
    assert_true(strlen(s.error.text) < 120);
    assert_string_equal(s.error.text + strlen(s.error.text) - 3, "...");
    end(&s);
    sonde_text_free(&text);
}

static void a_reader_that_nobody_listens_to_fails_all_the_same(void **state) {
    (void)state;
    session s;
    begin(&s, "[1]");
    s.reader.error = NULL;
    assert_false(sonde__json_wrong(&s.reader, "%s", "anything"));
    assert_int_equal(s.reader.status, SONDE_BAD_INPUT);
    end(&s);
}

static void a_path_is_cut_not_overrun(void **state) {
    (void)state;
    assert_string_equal(sonde__at("edges[%d][%d]", 3, 2).text, "edges[3][2]");
    char word[500];
    memset(word, 'x', sizeof word - 1);
    word[sizeof word - 1] = '\0';
    const sonde__path path = sonde__at("%s", word);
    assert_int_equal(strlen(path.text), sizeof path.text - 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_no_json_is_refused_with_its_line),
        cmocka_unit_test(a_byte_order_mark_is_passed_over),
        cmocka_unit_test(duplicate_keys_are_refused),
        cmocka_unit_test(numbers_that_are_none_are_refused),
        cmocka_unit_test(deep_nesting_is_refused_not_a_crash),
        cmocka_unit_test(every_cut_is_refused),
        cmocka_unit_test(a_missing_file_is_said),
        cmocka_unit_test(a_folder_is_said),
        cmocka_unit_test(a_broken_file_is_named),
        cmocka_unit_test(documents_of_any_length_are_read_whole),
        cmocka_unit_test(compressed_data_cut_anywhere_is_refused),
        cmocka_unit_test(compressed_data_with_a_wrong_bit_is_never_believed),
        cmocka_unit_test(standard_input_is_a_file_like_any_other),
        cmocka_unit_test(the_text_of_a_file_is_had_as_it_is),
        cmocka_unit_test(unknown_keys_are_refused_with_a_guess),
        cmocka_unit_test(a_document_says_what_it_is),
        cmocka_unit_test(whole_numbers_are_whole_and_in_range),
        cmocka_unit_test(numbers_are_numbers_and_large_enough),
        cmocka_unit_test(what_was_found_is_shown_in_short),
        cmocka_unit_test(a_reader_that_nobody_listens_to_fails_all_the_same),
        cmocka_unit_test(a_path_is_cut_not_overrun),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

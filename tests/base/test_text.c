/* Texts: numbers that read back, strings that JSON takes, files that are whole or not there. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <float.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <jansson.h>

#include "locales.h"
#include "base/rng.h"
#include "worlds.h"

/* ------------------------------------------------------------------------------- in memory -- */

static void a_text_is_what_was_added(void **state) {
    (void)state;
    sonde_text text = {0};
    char wanted[20000] = "";
    for (int i = 0; i < 1000; i++) {
        sonde_text_add(&text, "%d, %s;", i, "word");
        (void)snprintf(wanted + strlen(wanted), sizeof wanted - strlen(wanted), "%d, word;", i);
        assert_int_equal(text.size, strlen(wanted));
        assert_int_equal(text.data[text.size], '\0');
    }
    assert_string_equal(text.data, wanted);
    assert_int_equal(sonde_text_close(&text, NULL), SONDE_OK);
    /* without a sink it stays */
    assert_string_equal(text.data, wanted);
    sonde_text_free(&text);
    assert_null(text.data);
    assert_int_equal(text.size, 0);
}

static void one_piece_may_be_longer_than_all_there_was(void **state) {
    (void)state;
    enum { LONG = 1000000 };
    char *word = room(LONG + 1, 1);
    memset(word, 'x', LONG);
    sonde_text text = {0};
    sonde_text_add(&text, "a");
    sonde_text_add(&text, "%s", word);
    sonde_text_add(&text, "b");
    assert_int_equal(text.size, LONG + 2);
    assert_int_equal(text.data[LONG + 1], 'b');
    assert_int_equal(strlen(text.data), LONG + 2);
    sonde_text_free(&text);
    free(word);
}

static void a_failed_text_takes_no_more(void **state) {
    (void)state;
    sonde_text text = {0};
    sonde_text_add(&text, "before");
    text.failed = true;
    sonde_text_add(&text, "after");
    sonde_text_add_number(&text, 1.0);
    sonde_text_add_quoted(&text, "x");
    assert_string_equal(text.data, "before");
    sonde_error error = {0};
    assert_int_equal(sonde_text_close(&text, &error), SONDE_NO_MEMORY);
    assert_int_equal(error.status, SONDE_NO_MEMORY);
    sonde_text_free(&text);
}

/* --------------------------------------------------------------------------------- numbers -- */

static double random_double(sonde__rng *rng) {
    for (;;) {
        const uint64_t bits = sonde__rng_next(rng);
        double x;
        memcpy(&x, &bits, sizeof x);
        if (isfinite(x)) {
            return x;
        }
    }
}

static void write_number(sonde_text *text, double x) {
    text->size = 0;
    sonde_text_add_number(text, x);
    assert_false(text->failed);
}

/* Reads back to the same double, in the fewest of 15 to 17 digits. */
static void assert_reads_back(sonde_text *text, double x) {
    write_number(text, x);
    char *end = NULL;
    assert_same(strtod(text->data, &end), x);
    assert_int_equal(*end, '\0');
    char shorter[64];
    for (int precision = 15; precision <= 16; precision++) {
        (void)snprintf(shorter, sizeof shorter, "%.*g", precision, x);
        if (strtod(shorter, NULL) == x) {
            assert_string_equal(text->data, shorter);
            return;
        }
    }
}

static const double awkward[] = {
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.1,
    1.0 / 3.0,
    5e-324,
    DBL_MIN,
    DBL_MAX,
    -DBL_MAX,
    DBL_EPSILON,
    1e15,
    1e16,
    1e17,
    123456789012345678.0,
    0x1p53,
    0x1p53 + 2,
    0x1p63,
    0x1p64,
    1e22,
    1e23,
    9007199254740993.0,
    2.2250738585072011e-308,
    36.841361487904734,
    1e-16,
    100.0,
    0.3,
    1e-5,
    123456.789,
};

static void numbers_read_back_to_the_same_double(void **state) {
    (void)state;
    sonde_text text = {0};
    for (size_t i = 0; i < sizeof awkward / sizeof *awkward; i++) {
        assert_reads_back(&text, awkward[i]);
    }
    sonde__rng rng = sonde__rng_stream(1, SONDE__FOR_PROBE, 0);
    for (int i = 0; i < 40000; i++) {
        assert_reads_back(&text, random_double(&rng));
        assert_reads_back(&text, sonde__rng_uniform(&rng) * 1000.0);
        assert_reads_back(&text, (double)sonde__rng_below(&rng, 1000000) / 1000.0);
    }
    sonde_text_free(&text);
}

static void json_readers_see_the_same_number(void **state) {
    (void)state;
    sonde_text text = {0};
    sonde__rng rng = sonde__rng_stream(2, SONDE__FOR_PROBE, 0);
    const size_t n_awkward = sizeof awkward / sizeof *awkward;
    for (size_t i = 0; i < n_awkward + 20000; i++) {
        const double x = i < n_awkward ? awkward[i] : random_double(&rng);
        write_number(&text, x);
        json_t *read = json_loadb(text.data, text.size, JSON_DECODE_ANY, NULL);
        assert_true(json_is_number(read));
        assert_true(json_number_value(read) == x);
        json_decref(read);
    }
    sonde_text_free(&text);
}

static void what_is_no_number_is_null(void **state) {
    (void)state;
    sonde_text text = {0};
    static const double none[] = {NAN, INFINITY, -INFINITY};
    for (int i = 0; i < 3; i++) {
        write_number(&text, none[i]);
        assert_string_equal(text.data, "null");
    }
    sonde_text_free(&text);
}

/* Writes in the present locale, reads in the C locale. */
static void assert_written_with_a_point(void) {
    enum { N = 3000 };
    static double number[N];
    static char *written[N];
    sonde_text text = {0};
    sonde__rng rng = sonde__rng_stream(3, SONDE__FOR_PROBE, 0);
    for (int i = 0; i < N; i++) {
        number[i] = i % 2 == 0 ? random_double(&rng) : sonde__rng_uniform(&rng) * 1000.0;
        write_number(&text, number[i]);
        written[i] = text.data;
        text = (sonde_text){0};
    }
    reset_locale();
    for (int i = 0; i < N; i++) {
        assert_null(strchr(written[i], ','));
        char *end = NULL;
        assert_same(strtod(written[i], &end), number[i]);
        assert_int_equal(*end, '\0');
        assert_reads_back(&text, number[i]);
        assert_string_equal(text.data, written[i]);
        free(written[i]);
    }
    sonde_text_free(&text);
}

static void numbers_have_a_point_where_people_write_a_comma(void **state) {
    (void)state;
    if (!set_comma_locale()) {
        print_message("no locale with a decimal comma, and no localedef to make one\n");
        skip();
    }
    char shown[16];
    (void)snprintf(shown, sizeof shown, "%.1f", 1.5);
    assert_string_equal(shown, "1,5"); /* so that the test tests something */
    assert_written_with_a_point();
}

static void numbers_have_a_point_where_its_own_has_two_bytes(void **state) {
    (void)state;
    if (!set_arabic_locale()) {
        print_message("no locale with an Arabic decimal separator, and no localedef to make one\n");
        skip();
    }
    char shown[16];
    (void)snprintf(shown, sizeof shown, "%.1f", 1.5);
    assert_string_equal(shown, "1\xd9\xab"
                               "5");
    assert_written_with_a_point();
}

/* --------------------------------------------------------------------------------- strings -- */

static void assert_quoted(const char *string) {
    sonde_text text = {0};
    sonde_text_add_quoted(&text, string);
    json_error_t error;
    json_t *read = json_loadb(text.data, text.size, JSON_DECODE_ANY, &error);
    if (read == NULL) {
        fail_msg("%s: %s", text.data, error.text);
    }
    assert_string_equal(json_string_value(read), string);
    json_decref(read);
    sonde_text_free(&text);
}

/* A character of one to four bytes. */
static size_t add_character(sonde__rng *rng, char *to) {
    static const char *const odd[] = {"\"",   "\\",   "/",    "\n", "\t",
                                      "\x01", "\x1f", "\x7f", "%",  "{"};
    static const uint32_t low[] = {0x20, 0x80, 0x800, 0x10000};
    static const uint32_t high[] = {0x7f, 0x7ff, 0xd7ff, 0x10ffff};
    const uint64_t size = sonde__rng_below(rng, 5);
    if (size == 4) {
        to[0] = odd[sonde__rng_below(rng, 10)][0];
        return 1;
    }
    const uint32_t c = low[size] + (uint32_t)sonde__rng_below(rng, high[size] - low[size] + 1);
    if (size == 0) {
        to[0] = (char)c;
        return 1;
    }
    static const uint32_t mark[] = {0, 0xc0, 0xe0, 0xf0};
    to[0] = (char)(mark[size] | c >> (6 * size));
    for (uint64_t i = 1; i <= size; i++) {
        to[i] = (char)(0x80 | (c >> (6 * (size - i)) & 0x3f));
    }
    return (size_t)size + 1;
}

static void quoted_strings_read_back_as_they_were(void **state) {
    (void)state;
    assert_quoted("");
    assert_quoted("plain");
    assert_quoted("\"quoted\" and \\ back");
    assert_quoted("100 %s %d %n");
    char string[300];
    for (int c = 1; c < 0x80; c++) {
        (void)snprintf(string, sizeof string, "a%cb%c", c, c);
        assert_quoted(string);
    }
    sonde__rng rng = sonde__rng_stream(4, SONDE__FOR_PROBE, 0);
    for (int trial = 0; trial < 3000; trial++) {
        size_t size = 0;
        const int n = (int)sonde__rng_below(&rng, 60);
        for (int i = 0; i < n; i++) {
            size += add_character(&rng, string + size);
        }
        string[size] = '\0';
        assert_quoted(string);
    }
}

/* The bytes at `c` that make one UTF-8 character, as jansson sees it; 0 if they make none. */
static size_t character_at(const char *c) {
    for (size_t length = 1; length <= 4 && c[length - 1] != '\0'; length++) {
        json_t *taken = json_stringn(c, length);
        if (taken != NULL) {
            json_decref(taken);
            return length;
        }
    }
    return 0;
}

/* What is not UTF-8 becomes the replacement character, byte by byte. */
static void assert_mended(const char *string) {
    char wanted[400] = "";
    size_t n = 0;
    for (const char *c = string; *c != '\0';) {
        const size_t length = character_at(c);
        memcpy(wanted + n, length > 0 ? c : "\xef\xbf\xbd", length > 0 ? length : 3);
        n += length > 0 ? length : 3;
        c += length > 0 ? length : 1;
    }
    sonde_text text = {0};
    sonde_text_add_quoted(&text, string);
    json_t *read = json_loadb(text.data, text.size, JSON_DECODE_ANY, NULL);
    assert_non_null(read);
    assert_string_equal(json_string_value(read), wanted);
    json_decref(read);
    sonde_text_free(&text);
}

static void bytes_that_are_not_utf_8_are_replaced(void **state) {
    (void)state;
    assert_mended("\xff.json");
    assert_mended("a\xc3");                    /* cut short */
    assert_mended("\xe2\x82z");                /* cut short by another */
    assert_mended("\xc0\xaf\xe0\x80\xaf");     /* longer than need be */
    assert_mended("\xed\xa0\x80\xed\xbf\xbf"); /* halves of pairs */
    assert_mended("\xf4\x90\x80\x80");         /* past the last */
    assert_mended("\x80\xbf\xf0\x9f\x98\x80");
    char string[100];
    sonde__rng rng = sonde__rng_stream(5, SONDE__FOR_PROBE, 0);
    for (int trial = 0; trial < 5000; trial++) {
        static const unsigned char edge[] = {0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xc1,
                                             0xc2, 0xdf, 0xe0, 0xed, 0xef, 0xf0, 0xf4, 0xf5, 0xff};
        const size_t size = (size_t)sonde__rng_below(&rng, 20);
        for (size_t i = 0; i < size; i++) {
            string[i] = (char)edge[sonde__rng_below(&rng, sizeof edge)];
        }
        string[size] = '\0';
        assert_mended(string);
    }
}

/* ----------------------------------------------------------------------------------- sinks -- */

typedef struct {
    char *data;
    size_t size;
    size_t largest;
    int n_piece;
    int n_take; /* pieces that are taken before it refuses */
} bucket;

static bool pour(void *user, const char *data, size_t size) {
    bucket *b = user;
    b->n_piece++;
    if (b->n_piece > b->n_take) {
        return false;
    }
    memcpy(b->data + b->size, data, size);
    b->size += size;
    b->largest = size > b->largest ? size : b->largest;
    return true;
}

static void a_sink_gets_all_of_it_in_pieces(void **state) {
    (void)state;
    enum { N = 100000 };
    bucket b = {.data = room(N * 20, 1), .n_take = INT32_MAX};
    sonde_text text = {.sink = pour, .user = &b};
    sonde_text whole = {0};
    for (int i = 0; i < N; i++) {
        sonde_text_add(&text, "%d;", i);
        sonde_text_add(&whole, "%d;", i);
        sonde_text_add_number(&text, i * 0.5);
        sonde_text_add_number(&whole, i * 0.5);
        sonde_text_add_quoted(&text, "\n");
        sonde_text_add_quoted(&whole, "\n");
    }
    assert_true(b.n_piece > 3);
    assert_true(text.capacity < 1 << 20);
    assert_int_equal(sonde_text_close(&text, NULL), SONDE_OK);
    assert_int_equal(b.size, whole.size);
    assert_memory_equal(b.data, whole.data, whole.size);
    assert_true(b.largest < 1 << 20);
    assert_null(text.data);
    assert_int_equal(text.size, 0);
    sonde_text_free(&whole);
    free(b.data);
}

static void nothing_is_poured_when_nothing_was_added(void **state) {
    (void)state;
    bucket b = {.n_take = 10};
    sonde_text text = {.sink = pour, .user = &b};
    assert_int_equal(sonde_text_close(&text, NULL), SONDE_OK);
    assert_int_equal(b.n_piece, 0);
}

static void a_sink_that_refuses_is_not_asked_again(void **state) {
    (void)state;
    for (int n_take = 0; n_take < 3; n_take++) {
        bucket b = {.data = room(1 << 20, 1), .n_take = n_take};
        sonde_text text = {.sink = pour, .user = &b};
        for (int i = 0; i < 100000; i++) {
            sonde_text_add(&text, "%d;", i);
        }
        assert_true(text.failed);
        assert_int_equal(b.n_piece, n_take + 1);
        sonde_error error = {0};
        assert_int_equal(sonde_text_close(&text, &error), SONDE_NOT_WRITTEN);
        assert_int_equal(error.status, SONDE_NOT_WRITTEN);
        assert_int_equal(b.n_piece, n_take + 1);
        assert_null(text.data);
        free(b.data);
    }
    /* the last piece counts, too */
    bucket b = {.n_take = 0};
    sonde_text text = {.sink = pour, .user = &b};
    sonde_text_add(&text, "short");
    assert_int_equal(sonde_text_close(&text, NULL), SONDE_NOT_WRITTEN);
    assert_int_equal(b.n_piece, 1);
}

/* ----------------------------------------------------------------------------------- files -- */

#define FOLDER SONDE_TEST_TMP "/files"
#define FILE_PATH FOLDER "/it.txt"
#define LINK_PATH FOLDER "/link.txt"

/* An empty folder to write in. */
static int make_folder(void **state) {
    (void)state;
    assert_int_equal(system("rm -rf '" FOLDER "' && mkdir '" FOLDER "'"), 0);
    return 0;
}

static int n_file(void) {
    DIR *folder = opendir(FOLDER);
    assert_non_null(folder);
    int n = -2; /* . and .. */
    while (readdir(folder) != NULL) {
        n++;
    }
    (void)closedir(folder);
    return n;
}

static void put(const char *path, const char *content) {
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    (void)fputs(content, file);
    assert_int_equal(fclose(file), 0);
}

static void assert_content(const char *path, const char *wanted) {
    char found[1000] = {0};
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    const size_t size = fread(found, 1, sizeof found - 1, file);
    (void)fclose(file);
    assert_int_equal(size, strlen(wanted));
    assert_string_equal(found, wanted);
}

static void a_new_file_holds_the_text_and_nothing_lies_beside_it(void **state) {
    (void)state;
    sonde_text text = {0};
    assert_int_equal(sonde_text_open(&text, FILE_PATH, NULL), SONDE_OK);
    sonde_text_add(&text, "hello %d", 7);
    /* until it is closed it is not there */
    assert_int_not_equal(access(FILE_PATH, F_OK), 0);
    assert_int_equal(sonde_text_close(&text, NULL), SONDE_OK);
    assert_content(FILE_PATH, "hello 7");
    assert_int_equal(n_file(), 1);
    assert_null(text.data);
    assert_null(text.file);
}

static void a_long_file_is_written_to_the_last_byte(void **state) {
    (void)state;
    sonde_text text = {0};
    assert_int_equal(sonde_text_open(&text, FILE_PATH, NULL), SONDE_OK);
    for (int i = 0; i < 200000; i++) {
        sonde_text_add(&text, "%07d\n", i);
    }
    assert_int_equal(sonde_text_close(&text, NULL), SONDE_OK);
    FILE *file = fopen(FILE_PATH, "r");
    assert_non_null(file);
    char line[16];
    for (int i = 0; i < 200000; i++) {
        assert_non_null(fgets(line, sizeof line, file));
        assert_int_equal(strtol(line, NULL, 10), i);
    }
    assert_null(fgets(line, sizeof line, file));
    (void)fclose(file);
}

static void the_old_file_is_there_until_the_new_one_is_whole(void **state) {
    (void)state;
    put(FILE_PATH, "old");
    sonde_text text = {0};
    assert_int_equal(sonde_text_open(&text, FILE_PATH, NULL), SONDE_OK);
    for (int i = 0; i < 100000; i++) {
        sonde_text_add(&text, "much more than a piece");
    }
    assert_content(FILE_PATH, "old");
    sonde_text_free(&text); /* taken back */
    assert_content(FILE_PATH, "old");
    assert_int_equal(n_file(), 1);

    assert_int_equal(sonde_text_open(&text, FILE_PATH, NULL), SONDE_OK);
    sonde_text_add(&text, "new");
    assert_content(FILE_PATH, "old");
    assert_int_equal(sonde_text_close(&text, NULL), SONDE_OK);
    assert_content(FILE_PATH, "new");
    assert_int_equal(n_file(), 1);
}

static void the_old_file_survives_a_write_that_fails(void **state) {
    (void)state;
    put(FILE_PATH, "old");
    struct rlimit before;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    const struct rlimit small = {.rlim_cur = 1000, .rlim_max = before.rlim_max};
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    for (int n = 500; n <= 500000; n *= 10) {
        /* fails when it is closed, and on the way */
        sonde_text text = {0};
        assert_int_equal(sonde_text_open(&text, FILE_PATH, NULL), SONDE_OK);
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
        for (int i = 0; i < n; i++) {
            sonde_text_add(&text, "abc");
        }
        sonde_error error = {0};
        const sonde_status status = sonde_text_close(&text, &error);
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
        assert_int_equal(status, SONDE_NOT_WRITTEN);
        assert_says(error.text, FILE_PATH);
        assert_says(error.text, strerror(EFBIG));
        assert_content(FILE_PATH, "old");
        assert_int_equal(n_file(), 1);
    }
    (void)signal(SIGXFSZ, handler);
}

/* A device like /dev/NAME to write to. Who may replace the real one gets a copy: should the library
 * ever do that, it must not take the machine's with it. */
static const char *device(const char *name, unsigned minor, char path[1024]) {
    (void)snprintf(path, 1024, "/dev/%s", name);
    if (access("/dev", W_OK) == 0) {
        char copy[1024];
        (void)snprintf(copy, sizeof copy, FOLDER "/%s", name);
        if (mknod(copy, S_IFCHR | 0666, makedev(1, minor)) != 0) {
            return NULL;
        }
        (void)snprintf(path, 1024, "%s", copy);
    }
    FILE *file = fopen(path, "w");
    if (file != NULL) {
        (void)fclose(file);
    }
    return file != NULL ? path : NULL;
}

static void a_full_device_is_said(void **state) {
    (void)state;
    char path[1024];
    if (device("full", 7, path) == NULL) {
        print_message("there is no /dev/full, and none can be made\n");
        skip();
    }
    for (int n = 1; n <= 1000000; n *= 1000) {
        sonde_text text = {0};
        assert_int_equal(sonde_text_open(&text, path, NULL), SONDE_OK);
        for (int i = 0; i < n; i++) {
            sonde_text_add(&text, "x");
        }
        sonde_error error = {0};
        assert_int_equal(sonde_text_close(&text, &error), SONDE_NOT_WRITTEN);
        assert_says(error.text, path);
        assert_says(error.text, strerror(ENOSPC));
    }
}

static void a_device_stays_a_device(void **state) {
    (void)state;
    char path[1024];
    if (device("null", 3, path) == NULL) {
        print_message("there is no /dev/null, and none can be made\n");
        skip();
    }
    sonde_text text = {0};
    assert_int_equal(sonde_text_open(&text, path, NULL), SONDE_OK);
    sonde_text_add(&text, "gone");
    assert_int_equal(sonde_text_close(&text, NULL), SONDE_OK);
    struct stat about;
    assert_int_equal(stat(path, &about), 0);
    assert_true(S_ISCHR(about.st_mode));
}

static void a_pipe_is_written_to_and_stays_a_pipe(void **state) {
    (void)state;
    assert_int_equal(mkfifo(FILE_PATH, 0600), 0);
    const int reader = open(FILE_PATH, O_RDONLY | O_NONBLOCK);
    assert_true(reader >= 0);
    sonde_text text = {0};
    assert_int_equal(sonde_text_open(&text, FILE_PATH, NULL), SONDE_OK);
    sonde_text_add(&text, "through");
    assert_int_equal(sonde_text_close(&text, NULL), SONDE_OK);
    char found[32] = {0};
    assert_int_equal(read(reader, found, sizeof found - 1), 7);
    assert_string_equal(found, "through");
    (void)close(reader);
    struct stat about;
    assert_int_equal(stat(FILE_PATH, &about), 0);
    assert_true(S_ISFIFO(about.st_mode));
    assert_int_equal(n_file(), 1);
}

static void a_link_stays_a_link(void **state) {
    (void)state;
    put(FILE_PATH, "old");
    assert_int_equal(symlink("it.txt", LINK_PATH), 0);
    sonde_text text = {0};
    assert_int_equal(sonde_text_open(&text, LINK_PATH, NULL), SONDE_OK);
    sonde_text_add(&text, "new");
    assert_int_equal(sonde_text_close(&text, NULL), SONDE_OK);
    struct stat about;
    assert_int_equal(lstat(LINK_PATH, &about), 0);
    assert_true(S_ISLNK(about.st_mode));
    assert_content(FILE_PATH, "new");
    assert_int_equal(n_file(), 2);
}

static void a_new_file_has_the_permissions_of_any_new_file(void **state) {
    (void)state;
    const mode_t before = umask(027);
    sonde_text text = {0};
    assert_int_equal(sonde_text_open(&text, FILE_PATH, NULL), SONDE_OK);
    assert_int_equal(sonde_text_close(&text, NULL), SONDE_OK);
    assert_int_equal(umask(before), 027);
    struct stat about;
    assert_int_equal(stat(FILE_PATH, &about), 0);
    assert_int_equal(about.st_mode & 0777, 0640);
    assert_int_equal(about.st_size, 0);
}

static void what_cannot_be_opened_is_said(void **state) {
    (void)state;
    sonde_text text = {0};
    sonde_error error = {0};
    assert_int_equal(sonde_text_open(&text, FOLDER "/no/such/it.txt", &error), SONDE_NOT_WRITTEN);
    assert_says(error.text, FOLDER "/no/such/it.txt");
    assert_says(error.text, strerror(ENOENT));
    assert_int_equal(sonde_text_open(&text, FOLDER, &error), SONDE_NOT_WRITTEN);
    assert_says(error.text, FOLDER);
    assert_says(error.text, strerror(EISDIR));
    assert_int_equal(sonde_text_open(&text, FOLDER, NULL), SONDE_NOT_WRITTEN);
    /* the text is as it was */
    assert_null(text.file);
    assert_null(text.sink);
    assert_int_equal(n_file(), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_text_is_what_was_added),
        cmocka_unit_test(one_piece_may_be_longer_than_all_there_was),
        cmocka_unit_test(a_failed_text_takes_no_more),
        cmocka_unit_test(numbers_read_back_to_the_same_double),
        cmocka_unit_test(json_readers_see_the_same_number),
        cmocka_unit_test(what_is_no_number_is_null),
        cmocka_unit_test(numbers_have_a_point_where_people_write_a_comma),
        cmocka_unit_test(numbers_have_a_point_where_its_own_has_two_bytes),
        cmocka_unit_test(quoted_strings_read_back_as_they_were),
        cmocka_unit_test(bytes_that_are_not_utf_8_are_replaced),
        cmocka_unit_test(a_sink_gets_all_of_it_in_pieces),
        cmocka_unit_test(nothing_is_poured_when_nothing_was_added),
        cmocka_unit_test(a_sink_that_refuses_is_not_asked_again),
        cmocka_unit_test_setup(a_new_file_holds_the_text_and_nothing_lies_beside_it, make_folder),
        cmocka_unit_test_setup(a_long_file_is_written_to_the_last_byte, make_folder),
        cmocka_unit_test_setup(the_old_file_is_there_until_the_new_one_is_whole, make_folder),
        cmocka_unit_test_setup(the_old_file_survives_a_write_that_fails, make_folder),
        cmocka_unit_test_setup(a_full_device_is_said, make_folder),
        cmocka_unit_test_setup(a_device_stays_a_device, make_folder),
        cmocka_unit_test_setup(a_pipe_is_written_to_and_stays_a_pipe, make_folder),
        cmocka_unit_test_setup(a_link_stays_a_link, make_folder),
        cmocka_unit_test_setup(a_new_file_has_the_permissions_of_any_new_file, make_folder),
        cmocka_unit_test_setup(what_cannot_be_opened_is_said, make_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

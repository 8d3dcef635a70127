/* Drafts: files that are whole or not there, and nothing beside them. */
#include <dirent.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/draft.h"
#include "files.h"

#define FOLDER SONDE_TEST_TMP "/files"
#define FILE_PATH FOLDER "/it.txt"
#define DRAFT_PATH FILE_PATH ".sonde-draft-"

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

static void assert_content(const char *wanted) {
    size_t size = 0;
    char *found = get_bytes(FILE_PATH, &size);
    assert_string_equal(found, wanted);
    free(found);
}

/* Writes a whole file. */
static void write_it(const char *content, bool nameless) {
    sonde__draft draft;
    assert_int_equal(sonde__draft_open(&draft, FILE_PATH, nameless), 0);
    (void)fputs(content, draft.stream);
    assert_int_equal(sonde__draft_settle(&draft), 0);
    sonde__draft_close(&draft);
}

/* Has another process begin a file, and kills it. */
static void be_killed(bool nameless) {
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        sonde__draft draft;
        if (sonde__draft_open(&draft, FILE_PATH, nameless) != 0 ||
            fputs("half", draft.stream) < 0 || fflush(draft.stream) != 0) {
            _exit(1);
        }
        (void)kill(getpid(), SIGKILL);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status));
}

static void a_file_is_whole_or_not_there(void **state) {
    (void)state;
    for (int i = 0; i < 4; i++) {
        const bool nameless = i % 2 == 1;
        write_it(nameless ? "without" : "with a name", nameless);
        assert_content(nameless ? "without" : "with a name");
        assert_int_equal(n_file(), 1);
        sonde__draft draft;
        assert_int_equal(sonde__draft_open(&draft, FILE_PATH, nameless), 0);
        (void)fputs("not settled", draft.stream);
        sonde__draft_close(&draft);
        assert_content(nameless ? "without" : "with a name");
        assert_int_equal(n_file(), 1);
    }
}

static void a_draft_without_a_name_dies_with_its_process(void **state) {
    (void)state;
    sonde__draft draft;
    assert_int_equal(sonde__draft_open(&draft, FILE_PATH, true), 0);
    const bool named = draft.named;
    sonde__draft_close(&draft);
    if (named) {
        print_message("there are no files without names here\n");
        skip();
    }
    be_killed(true);
    assert_int_equal(n_file(), 0);
}

static void the_next_writer_removes_what_a_killed_one_left(void **state) {
    (void)state;
    for (int i = 0; i < 2; i++) {
        be_killed(false);
        assert_int_equal(n_file(), i + 1);
        write_it("whole", i == 0);
        assert_content("whole");
        assert_int_equal(n_file(), 1);
    }
}

static void a_draft_at_work_is_left_alone(void **state) {
    (void)state;
    sonde__draft first;
    assert_int_equal(sonde__draft_open(&first, FILE_PATH, false), 0);
    (void)fputs("first", first.stream);
    sonde__draft second;
    assert_int_equal(sonde__draft_open(&second, FILE_PATH, false), 0);
    (void)fputs("second", second.stream);
    write_it("third", true);
    assert_content("third");
    assert_int_equal(n_file(), 3);
    assert_int_equal(sonde__draft_settle(&first), 0);
    sonde__draft_close(&first);
    assert_content("first");
    assert_int_equal(sonde__draft_settle(&second), 0);
    sonde__draft_close(&second);
    assert_content("second");
    assert_int_equal(n_file(), 1);
}

static void only_drafts_of_the_same_file_are_removed(void **state) {
    (void)state;
    put_text(DRAFT_PATH "0", "stale");
    put_text(DRAFT_PATH "0.txt", "somebody's");
    put_text(FILE_PATH ".000000001", "somebody's");
    put_text(FOLDER "/at.txt.sonde-draft-0", "another's");
    assert_int_equal(symlink("at.txt.sonde-draft-0", DRAFT_PATH "1"), 0);
    assert_int_equal(mkdir(DRAFT_PATH "2", 0777), 0);
    write_it("new", false);
    write_it("new", true);
    assert_content("new");
    assert_int_equal(n_file(), 6);
    assert_int_not_equal(access(DRAFT_PATH "0", F_OK), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_file_is_whole_or_not_there, make_folder),
        cmocka_unit_test_setup(a_draft_without_a_name_dies_with_its_process, make_folder),
        cmocka_unit_test_setup(the_next_writer_removes_what_a_killed_one_left, make_folder),
        cmocka_unit_test_setup(a_draft_at_work_is_left_alone, make_folder),
        cmocka_unit_test_setup(only_drafts_of_the_same_file_are_removed, make_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

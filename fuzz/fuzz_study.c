/* fuzz_study.c: any bytes as the results of a study.
 *
 * Bytes that begin like an SQLite file are taken as one. Text is SQL that is run on a small study
 * that is in order (fuzz/corpus/study). Anything else says which values of that study to change,
 * which rows to leave out and which bytes of the file to overwrite, so that chance gets past
 * SQLite's own checks. Whatever comes of it, the answer is a study, results, or a sentence; a study
 * can be gone on with only if its results can be read. A report takes a hundred times as long as
 * reading, so one input in a thousand has one.
 *
 * Databases are in memory, in SQLite's own place for those: as files they would take most of the
 * time. The tests read damaged files from a disk (tests/study/test_study_hostile.c). */
#include <ftw.h>

#include "study/study.h"
#include "study_damage.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerInitialize(int *argc, char ***argv);

/* a database in memory: there for as long as somebody has it open */
typedef struct {
    char path[300];
    sqlite3 *holder;
} store;

static char folder[256];
static store base;
static store copy;
static char page[300];
static sonde_study_plan *plan;
static char *whole; /* the study that is in order, as bytes */
static size_t n_whole;

/* -------------------------------------------------------------------- what SQLite works with -- */

/* SQLite's short blocks come from the C library itself, and the sanitizers do not look at them:
 * that halves the time. Long ones, such as documents of worlds, are looked at. */
enum { BEFORE = 16, SHORT = 4096 };
void *__libc_malloc(size_t size);
void __libc_free(void *block);

static int64_t n_block; /* that SQLite has not freed */

static void *take(int size) {
    const size_t n = (size_t)size + BEFORE;
    char *block = size < SHORT ? __libc_malloc(n) : malloc(n);
    if (block == NULL) {
        return NULL;
    }
    memcpy(block, &size, sizeof size);
    n_block++;
    return block + BEFORE;
}

static int size_of(void *at) {
    int size = 0;
    memcpy(&size, (char *)at - BEFORE, sizeof size);
    return size;
}

static void give_back(void *at) {
    if (at != NULL) {
        n_block--;
        (size_of(at) < SHORT ? __libc_free : free)((char *)at - BEFORE);
    }
}

static void *take_more(void *at, int size) {
    const int before = size_of(at);
    void *more = take(size);
    if (more != NULL) {
        memcpy(more, at, (size_t)(before < size ? before : size));
        give_back(at);
    }
    return more;
}

static int round_up(int size) {
    return (size + 7) & ~7;
}

static int begin_memory(void *context) {
    (void)context;
    return SQLITE_OK;
}

static void end_memory(void *context) {
    (void)context;
}

/* Databases in memory, and one thread. */
static void configure_sqlite(void) {
    static const sqlite3_mem_methods methods = {take,     give_back,    take_more,  size_of,
                                                round_up, begin_memory, end_memory, NULL};
    if (sqlite3_config(SQLITE_CONFIG_SINGLETHREAD) != SQLITE_OK ||
        sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0) != SQLITE_OK ||
        sqlite3_config(SQLITE_CONFIG_MALLOC, &methods) != SQLITE_OK ||
        sqlite3_vfs_register(sqlite3_vfs_find("memdb"), 1) != SQLITE_OK) {
        damage_give_up("another SQLite is expected, found", sqlite3_libversion());
    }
}

static void store_open(store *made, const char *name) {
    (void)snprintf(made->path, sizeof made->path, "%s/%s", folder, name);
    if (sqlite3_open(made->path, &made->holder) != SQLITE_OK) {
        damage_give_up("no database", made->path);
    }
}

static sqlite3_file *store_file(const store *of) {
    sqlite3_file *file = NULL;
    if (sqlite3_file_control(of->holder, "main", SQLITE_FCNTL_FILE_POINTER, &file) != SQLITE_OK) {
        damage_give_up("no bytes", of->path);
    }
    return file;
}

static void store_write(const store *to, const void *data, size_t size) {
    /* a database in memory cannot have a log beside it, whatever its header says */
    enum { VERSION = 18 };
    static const char journal[] = {1, 1};
    sqlite3_file *file = store_file(to);
    if (file->pMethods->xTruncate(file, 0) != SQLITE_OK ||
        file->pMethods->xWrite(file, data, (int)size, 0) != SQLITE_OK ||
        (size >= VERSION + sizeof journal &&
         file->pMethods->xWrite(file, journal, sizeof journal, VERSION) != SQLITE_OK)) {
        damage_give_up("cannot be written", to->path);
    }
}

/* The bytes of a database; the caller frees them. */
static char *store_read(const store *from, size_t *size) {
    sqlite3_file *file = store_file(from);
    sqlite3_int64 n = 0;
    char *data = NULL;
    if (file->pMethods->xFileSize(file, &n) != SQLITE_OK ||
        (data = malloc((size_t)n + 1)) == NULL ||
        (n > 0 && file->pMethods->xRead(file, data, (int)n, 0) != SQLITE_OK)) {
        damage_give_up("cannot be read", from->path);
    }
    *size = (size_t)n;
    return data;
}

static int remove_one(const char *path, const struct stat *about, int kind, struct FTW *where) {
    (void)about, (void)kind, (void)where;
    return remove(path);
}

static void remove_folder(void) {
    (void)nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
    sonde_study_plan_free(plan);
    (void)sqlite3_close(base.holder);
    (void)sqlite3_close(copy.holder);
    free(whole);
}

int LLVMFuzzerInitialize(int *argc, char ***argv) {
    (void)argc;
    (void)argv;
    char plan_path[300];
    /* a report is many files: in memory, where there is a place for that */
    const char *place = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : getenv("TMPDIR");
    (void)snprintf(folder, sizeof folder, "%.200s/fuzz_study_XXXXXX",
                   place != NULL ? place : "/tmp");
    if (mkdtemp(folder) == NULL) {
        damage_give_up("no folder", folder);
    }
    configure_sqlite();
    store_open(&base, "base.sqlite");
    store_open(&copy, "copy.sqlite");
    (void)snprintf(page, sizeof page, "%s/page", folder);
    (void)snprintf(plan_path, sizeof plan_path, "%s/tiny.json", folder);
    plan = damage_begin(base.path, plan_path);
    whole = store_read(&base, &n_whole);
    (void)atexit(remove_folder);
    return 0;
}

/* ----------------------------------------------------------------------------------- changes -- */

/* what is left of the input */
typedef struct {
    const uint8_t *data;
    size_t size;
} bytes;

static uint8_t next_byte(bytes *b) {
    if (b->size == 0) {
        return 0;
    }
    b->size--;
    return *b->data++;
}

static uint64_t next_number(bytes *b, int width) {
    uint64_t number = 0;
    for (int i = 0; i < width; i++) {
        number = number << 8 | next_byte(b);
    }
    return number;
}

static const struct {
    const char *name;
    const char *key;
} tables[] = {{"run", "condition, size, graph"},
              {"world", "connect, size, horizon, graph"},
              {"task", "task"},
              {"meta", "key"}};

/* Binds a value of any kind. */
static void bind_any(sqlite3_stmt *statement, bytes *b) {
    static const int64_t odd[] = {0,         -1,        1,         INT32_MAX,
                                  INT32_MIN, INT64_MAX, INT64_MIN, (int64_t)1 << 32};
    const uint8_t kind = next_byte(b);
    const uint64_t bits = kind % 8 == 3 ? next_number(b, 8) : 0;
    double real = 0.0;
    size_t n = 0;
    switch (kind % 8) {
    case 0: (void)sqlite3_bind_int64(statement, 1, (int8_t)next_byte(b)); break;
    case 1: (void)sqlite3_bind_int64(statement, 1, odd[next_byte(b) % 8]); break;
    case 2: (void)sqlite3_bind_int64(statement, 1, (int64_t)next_number(b, 8)); break;
    case 3:
        memcpy(&real, &bits, sizeof real);
        (void)sqlite3_bind_double(statement, 1, real);
        break;
    case 4: (void)sqlite3_bind_null(statement, 1); break;
    default:
        n = next_byte(b);
        n = n < b->size ? n : b->size;
        if (kind % 8 == 5) {
            (void)sqlite3_bind_blob(statement, 1, b->data, (int)n, SQLITE_TRANSIENT);
        } else {
            (void)sqlite3_bind_text(statement, 1, (const char *)b->data, (int)n, SQLITE_TRANSIENT);
        }
        b->data += n;
        b->size -= n;
    }
}

/* The name of some column of a table; the caller frees it. */
static char *column_of(sqlite3 *db, const char *table, uint8_t which) {
    sqlite3_stmt *statement = NULL;
    char *sql = sqlite3_mprintf("SELECT * FROM %s", table);
    char *name = NULL;
    if (sqlite3_prepare_v2(db, sql, -1, &statement, NULL) == SQLITE_OK) {
        name = sqlite3_mprintf(
            "%s", sqlite3_column_name(statement, which % sqlite3_column_count(statement)));
    }
    (void)sqlite3_finalize(statement);
    sqlite3_free(sql);
    return name;
}

/* Changes one value, or leaves out one row. */
static void change_row(sqlite3 *db, bool leave_out, bytes *b) {
    const uint8_t t = next_byte(b) % 4;
    char *column = column_of(db, tables[t].name, next_byte(b));
    const int row = next_byte(b) % 32;
    const char *name = tables[t].name;
    const char *key = tables[t].key;
    sqlite3_stmt *statement = NULL;
    char *where =
        sqlite3_mprintf("WHERE (%s) IN (SELECT %s FROM %s LIMIT 1 OFFSET %d)", key, key, name, row);
    char *sql = leave_out ? sqlite3_mprintf("DELETE FROM %s %s", name, where)
                          : sqlite3_mprintf("UPDATE %s SET %s = ? %s", name, column, where);
    if (sqlite3_prepare_v2(db, sql, -1, &statement, NULL) == SQLITE_OK) {
        if (!leave_out) {
            bind_any(statement, b);
        }
        (void)sqlite3_step(statement);
    }
    (void)sqlite3_finalize(statement);
    sqlite3_free(where);
    sqlite3_free(sql);
    sqlite3_free(column);
}

/* Overwrites bytes of a file, or cuts it off. */
static void change_file(char *file, size_t *n, bytes *b) {
    const size_t at = (size_t)next_number(b, 2) % *n;
    const uint8_t how = next_byte(b);
    if (how == 255) {
        *n = at > 0 ? at : 1;
        return;
    }
    for (size_t i = at; i < at + 1 + how % 8 && i < *n; i++) {
        file[i] = (char)next_byte(b);
    }
}

/* Changes rows, as many as the first byte says. */
static void change_rows(bytes *b, uint8_t n) {
    sqlite3 *db = NULL;
    store_write(&copy, whole, n_whole);
    if (sqlite3_open(copy.path, &db) == SQLITE_OK) {
        (void)sqlite3_exec(db, "BEGIN", NULL, NULL, NULL);
        for (; n > 0 && b->size > 0; n--) {
            const uint8_t what = next_byte(b);
            change_row(db, what % 8 == 7, b);
        }
        (void)sqlite3_exec(db, "COMMIT", NULL, NULL, NULL);
    }
    (void)sqlite3_close(db);
}

/* Changes rows and then the file. */
static void change_all(bytes b) {
    size_t n = n_whole;
    char *file = NULL;
    const uint8_t n_row = next_byte(&b) % 8;
    if (n_row > 0) {
        change_rows(&b, n_row);
    }
    if (n_row == 0 || b.size > 3) {
        file = n_row > 0 ? store_read(&copy, &n) : malloc(n + 1);
        if (file == NULL) {
            return;
        }
        if (n_row == 0) {
            memcpy(file, whole, n);
        }
        while (b.size > 3 && n > 0) {
            change_file(file, &n, &b);
        }
        store_write(&copy, file, n);
        free(file);
    }
}

/* Makes a damaged copy, as damage_make() does with files. */
static void change_by_sql(const char *sql) {
    if (strstr(sql, "-- UTF-16") != NULL) {
        store_write(&copy, "", 0);
        damage_encode(base.path, copy.path);
    } else {
        store_write(&copy, whole, n_whole);
    }
    damage_run(copy.path, sql);
}

/* ------------------------------------------------------------------------------------- check -- */

/* Whether the copy is still what it is a copy of, and so in order. */
static bool is_unchanged(void) {
    size_t n = 0;
    char *file = store_read(&copy, &n);
    const bool same = n == n_whole && memcmp(file, whole, n) == 0;
    free(file);
    return same;
}

static void told(sonde_status status, const sonde_error *error) {
    if ((status == SONDE_OK) != (error->text[0] == '\0')) {
        damage_give_up("neither results nor a sentence", error->text);
    }
}

/* Whoever opens a study looks at all that reading it looks at, and in the same order: what it has
 * refused is read now and then. */
static void check(bool with_report, bool with_reading) {
    sonde_study *study = NULL;
    sonde__results *results = NULL;
    sonde_error opening = {0};
    sonde_error reading = {0};
    const sonde_status opened = sonde_study_open(copy.path, plan, &study, &opening);
    sonde_study_close(study);
    told(opened, &opening);
    if (opened == SONDE_OK || with_reading) {
        const sonde_status read = sonde__results_read(copy.path, &results, &reading);
        sonde__results_free(results);
        told(read, &reading);
        if (opened == SONDE_OK && read != SONDE_OK) {
            damage_give_up("a study that can be gone on with cannot be read", reading.text);
        }
    }
    if (with_report) {
        sonde_text table = {0};
        sonde_error reporting = {0};
        const sonde_status reported =
            sonde_report_study(copy.path, page, NULL, NULL, &table, &reporting);
        sonde_text_free(&table);
        told(reported, &reporting);
    }
}

/* A number that inputs have by chance. */
static uint32_t number_of(const uint8_t *data, size_t size) {
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < size; i++) {
        hash = (hash ^ data[i]) * 16777619u;
    }
    return hash >> 8;
}

/* A copy that is not as it was. */
static void damage(const uint8_t *data, size_t size) {
    if (size >= 6 && memcmp(data, "SQLite", 6) == 0) {
        store_write(&copy, data, size);
    } else if (data[0] >= ' ') {
        char *sql = malloc(size + 1);
        if (sql != NULL) {
            memcpy(sql, data, size);
            sql[size] = '\0';
            change_by_sql(sql);
        }
        free(sql);
    } else {
        change_all((bytes){data, size});
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const int64_t before = n_block;
    if (size == 0) {
        return 0;
    }
    damage(data, size);
    if (!is_unchanged()) {
        const uint32_t number = number_of(data, size);
        check(number % 1024 == 0, number % 8 == 0);
    }
    store_write(&copy, "", 0);
    if (n_block > before + 16) {
        damage_give_up("memory of SQLite's was not given back", "");
    }
    return 0;
}

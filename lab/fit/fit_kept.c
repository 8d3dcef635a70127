/* fit_kept.c: what of a fit is done, in an SQLite file, so that a fit that was cut off goes on from
 * there. Numbers are kept as their bits. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/parallel.h"
#include "fit/fit.h"
#include "study/study_sqlite.h"

struct sonde__store {
    sonde__db *db;
    sonde__query *get;
    sonde__query *put;
    sonde__lock *lock; /* tasks of several threads come here */
    const char *path;  /* behind the block */
};

/* The first value of the first row, as text (size); false where there is none. */
static bool ask(sonde__db *db, const char *sql, char *answer, size_t size) {
    sonde__query *query = NULL;
    bool found = sonde__query_new(db, sql, &query) && sonde__query_step(query) == SONDE__STEP_ROW;
    if (found) {
        const sonde__datum datum = sonde__query_answer(query);
        found = datum.kind == SONDE__CELL_TEXT;
        (void)snprintf(answer, size, "%s", found ? datum.text : "");
    }
    sonde__query_free(query);
    return found;
}

void sonde__kept_sign(const char *of, char *name, size_t size) {
    uint64_t hash[2] = {UINT64_C(14695981039346656037), UINT64_C(1099511628211)};
    for (; *of != '\0'; of++) {
        hash[0] = (hash[0] ^ (unsigned char)*of) * UINT64_C(1099511628211);
        hash[1] = (hash[1] + (unsigned char)*of) * UINT64_C(6364136223846793005) + 1;
    }
    (void)snprintf(name, size, "%016" PRIx64 "%016" PRIx64, hash[0], hash[1]);
}

static sonde_status open_tables(struct sonde__store *kept, const char *path, const char *of,
                                sonde_error *error) {
    char answer[80] = "";
    char signature[40];
    char name[80];
    sonde__kept_sign(of, signature, sizeof signature);
    (void)snprintf(name, sizeof name, "sonde-fit %s", signature);
    const bool others =
        ask(kept->db,
            "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT IN ('fit', 'about')",
            answer, sizeof answer);
    if (others) {
        return sonde__fail(error, SONDE_BAD_INPUT,
                           "%s: expected what is done of a fit, found other tables; choose another "
                           "file",
                           path);
    }
    if (!sonde__db_execute(
            kept->db, "PRAGMA synchronous = OFF;"
                      "PRAGMA busy_timeout = 20000;"
                      "CREATE TABLE IF NOT EXISTS about (what TEXT NOT NULL);"
                      "CREATE TABLE IF NOT EXISTS fit (name TEXT PRIMARY KEY, numbers TEXT NOT "
                      "NULL);")) {
        return sonde__db_fail(kept->db, path, error);
    }
    if (!ask(kept->db, "SELECT what FROM about", answer, sizeof answer)) {
        char sql[160];
        (void)snprintf(sql, sizeof sql, "INSERT INTO about VALUES ('%s')", name);
        if (!sonde__db_execute(kept->db, sql)) {
            return sonde__db_fail(kept->db, path, error);
        }
    } else if (strcmp(answer, name) != 0) {
        return sonde__fail(error, SONDE_BAD_INPUT,
                           "%s: has another fit, of other data, another model, other settings, "
                           "another optimiser or another version; choose another file",
                           path);
    }
    return sonde__query_new(kept->db, "SELECT numbers FROM fit WHERE name = ?", &kept->get) &&
                   sonde__query_new(kept->db, "INSERT OR REPLACE INTO fit VALUES (?, ?)",
                                    &kept->put)
               ? SONDE_OK
               : sonde__db_fail(kept->db, path, error);
}

/* Takes over the rows of a file that is of the same; whether there was a file. What cannot be read,
 * or is of something else, is left alone: it is done again. */
static bool take_over(struct sonde__store *kept, const char *path) {
    FILE *there = fopen(path, "rb");
    sonde__db *other = NULL;
    sonde__query *rows = NULL;
    char mine[80] = "";
    char theirs[80] = "";
    if (there == NULL) {
        return false;
    }
    (void)fclose(there);
    if (sonde__db_open(path, false, &other, NULL) == SONDE_OK &&
        sonde__db_execute(other, "PRAGMA busy_timeout = 20000") &&
        ask(other, "SELECT what FROM about", theirs, sizeof theirs) &&
        ask(kept->db, "SELECT what FROM about", mine, sizeof mine) && strcmp(mine, theirs) == 0 &&
        sonde__query_new(other, "SELECT name, numbers FROM fit", &rows) &&
        sonde__db_execute(kept->db, "BEGIN IMMEDIATE")) {
        while (sonde__query_step(rows) == SONDE__STEP_ROW) {
            for (int32_t i = 0; i < 2; i++) {
                const sonde__datum datum = sonde__query_datum(rows, i);
                (void)sonde__query_bind(kept->put, i, &datum);
            }
            (void)sonde__query_step(kept->put);
            sonde__query_reset(kept->put);
        }
        (void)sonde__db_execute(kept->db, "COMMIT");
    }
    sonde__query_free(rows);
    sonde__db_close(other);
    return true;
}

/* The file of a rank. */
static void name_file(const char *path, int32_t rank, sonde_text *name) {
    sonde_text_add(name, rank > 0 ? "%s.rank%d" : "%s", path, (int)rank);
}

/* What other ranks did when this was cut off. */
static void take_others(struct sonde__store *kept, const char *path, int32_t rank) {
    bool more = true;
    for (int32_t i = 0; more; i++) {
        sonde_text name = {0};
        name_file(path, i, &name);
        more = !name.failed && (i == rank || take_over(kept, name.data) || i < rank);
        sonde_text_free(&name);
    }
}

sonde_status sonde__kept_open(const char *path, const sonde_fit_ranks *ranks, const char *of,
                              struct sonde__store **kept, sonde_error *error) {
    const int32_t rank = ranks != NULL ? ranks->rank : 0;
    sonde_text name = {0};
    name_file(path, rank, &name);
    struct sonde__store *made = name.failed ? NULL : sonde__alloc(sizeof *made + name.size + 1);
    if (made == NULL) {
        sonde_text_free(&name);
        return sonde__fail_memory(error, "store", sizeof *made);
    }
    memcpy(made + 1, name.data, name.size + 1);
    sonde_text_free(&name);
    made->path = (const char *)(made + 1);
    made->lock = sonde__lock_new();
    sonde_status status = made->lock != NULL ? sonde__db_open(made->path, true, &made->db, error)
                                             : sonde__fail_memory(error, "store", 0);
    status = status == SONDE_OK ? open_tables(made, made->path, of, error) : status;
    if (status != SONDE_OK) {
        sonde__kept_close(made);
        return status;
    }
    take_others(made, path, rank);
    *kept = made;
    return SONDE_OK;
}

void sonde__kept_close(struct sonde__store *kept) {
    if (kept != NULL) {
        sonde__query_free(kept->get);
        sonde__query_free(kept->put);
        sonde__db_close(kept->db);
        sonde__lock_free(kept->lock);
        sonde__free(kept);
    }
}

/* Reads n numbers of sixteen digits each. */
static bool read_numbers(const char *text, int32_t n, double *number) {
    if (strlen(text) != (size_t)n * 16 || text[strspn(text, "0123456789abcdef")] != '\0') {
        return false;
    }
    for (int32_t i = 0; i < n; i++) {
        uint64_t bits = 0;
        for (int32_t k = 0; k < 16; k++) {
            const char digit = text[i * 16 + k];
            bits = bits * 16 + (uint64_t)(digit <= '9' ? digit - '0' : digit - 'a' + 10);
        }
        memcpy(&number[i], &bits, sizeof bits);
    }
    return true;
}

bool sonde__kept_get(struct sonde__store *kept, const char *name, int32_t n, double *number) {
    const sonde__datum asked = {.kind = SONDE__CELL_TEXT, .text = name};
    sonde__lock_hold(kept->lock);
    bool found =
        sonde__query_bind(kept->get, 0, &asked) && sonde__query_step(kept->get) == SONDE__STEP_ROW;
    if (found) {
        const sonde__datum datum = sonde__query_datum(kept->get, 0);
        found = datum.kind == SONDE__CELL_TEXT && read_numbers(datum.text, n, number);
    }
    sonde__query_reset(kept->get);
    sonde__lock_drop(kept->lock);
    return found;
}

sonde_status sonde__kept_put(struct sonde__store *kept, const char *name, int32_t n,
                             const double *number, sonde_error *error) {
    sonde_text text = {0};
    for (int32_t i = 0; i < n; i++) {
        uint64_t bits = 0;
        memcpy(&bits, &number[i], sizeof bits);
        sonde_text_add(&text, "%016" PRIx64, bits);
    }
    const sonde__datum called = {.kind = SONDE__CELL_TEXT, .text = name};
    const sonde__datum row = {.kind = SONDE__CELL_TEXT, .text = text.data};
    sonde__lock_hold(kept->lock);
    const bool done = !text.failed && sonde__query_bind(kept->put, 0, &called) &&
                      sonde__query_bind(kept->put, 1, &row) &&
                      sonde__query_step(kept->put) == SONDE__STEP_DONE;
    const sonde_status status = done ? SONDE_OK : sonde__db_fail(kept->db, kept->path, error);
    sonde__query_reset(kept->put);
    sonde__lock_drop(kept->lock);
    sonde_text_free(&text);
    return status;
}

/* study_damage.h: a small study that is in order, and copies of it that are not.
 *
 * Damage is SQL. Its first line is a comment: the words that the error must have, or "-- fine"
 * where the file stays one that can be read; then "-- UTF-16" has the copy written in that
 * encoding. The fuzzer and the tests share it. */
#ifndef FUZZ_STUDY_DAMAGE_H
#define FUZZ_STUDY_DAMAGE_H

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sonde_lab.h"

/* worlds of 3 nodes and of 4, on some of which clustered search fails, and an episode of a model */
static const char damage_plan[] =
    "{\"format\": \"sonde-plan\", \"version\": 1, \"name\": \"tiny\", \"steps\": 4, \"judge\": 1,\n"
    " \"record_steps\": true,\n"
    " \"worlds\": {\"sizes\": [3, 4], \"graphs\": 2, \"models\": [\"tmaze\"]}, \"conditions\": [\n"
    "  {\"group\": \"table\", \"sizes\": [3, 4], \"search\": \"full\", \"horizon\": 2},\n"
    "  {\"group\": \"table\", \"sizes\": [3, 4], \"search\": \"cluster\", \"k\": [2, 12],\n"
    "   \"embedding\": \"boe\", \"horizon\": 2},\n"
    "  {\"group\": \"table\", \"sizes\": [3], \"connect\": \"directed\", \"search\": \"full\"},\n"
    "  {\"group\": \"quality\", \"models\": [\"tmaze\"], \"graphs\": 1, \"search\": \"bounded\"}]}\n";

static inline void damage_give_up(const char *sentence, const char *more) {
    (void)fprintf(stderr, "%s: %s\n", sentence, more);
    abort();
}

static inline void damage_write(const char *path, const void *data, size_t size) {
    FILE *file = fopen(path, "wb");
    if (file == NULL || fwrite(data, 1, size, file) != size || fclose(file) != 0) {
        damage_give_up("cannot be written", path);
    }
}

/* The bytes of a file; the caller frees them. */
static inline char *damage_read(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    long n = -1;
    if (file == NULL || fseek(file, 0, SEEK_END) != 0 || (n = ftell(file)) < 0) {
        damage_give_up("cannot be read", path);
    }
    char *data = malloc((size_t)n + 1);
    rewind(file);
    if (data == NULL || fread(data, 1, (size_t)n, file) != (size_t)n) {
        damage_give_up("cannot be read", path);
    }
    (void)fclose(file);
    data[n] = '\0';
    *size = (size_t)n;
    return data;
}

/* Runs some SQL on a file, for a while: whatever it says, it ends, and stays in that file. */
static inline int damage_pause(void *context) {
    int *left = context;
    return (*left)-- <= 0;
}

static inline int damage_allow(void *context, int action, const char *a, const char *b,
                               const char *c, const char *d) {
    (void)context, (void)a, (void)b, (void)c, (void)d;
    return action == SQLITE_ATTACH ? SQLITE_DENY : SQLITE_OK;
}

static inline void damage_run(const char *path, const char *sql) {
    sqlite3 *db = NULL;
    int left = 1000;
    if (sqlite3_open(path, &db) != SQLITE_OK ||
        sqlite3_exec(db, "PRAGMA writable_schema = ON; PRAGMA synchronous = OFF", NULL, NULL,
                     NULL) != SQLITE_OK) {
        damage_give_up("no database", path);
    }
    (void)sqlite3_limit(db, SQLITE_LIMIT_LENGTH, 1 << 20);
    sqlite3_progress_handler(db, 10000, damage_pause, &left);
    (void)sqlite3_set_authorizer(db, damage_allow, NULL);
    (void)sqlite3_exec(db, sql, NULL, NULL, NULL);
    (void)sqlite3_close(db);
}

/* Runs the tiny plan into a file of small pages. */
static inline sonde_study_plan *damage_begin(const char *path, const char *plan_path) {
    sonde_study_plan *plan = NULL;
    sonde_study *study = NULL;
    sonde_error error = {0};
    (void)unlink(path);
    damage_write(plan_path, damage_plan, sizeof damage_plan - 1);
    damage_run(path, "PRAGMA page_size = 512; CREATE TABLE t (x); DROP TABLE t");
    if (sonde_study_plan_read(plan_path, &plan, &error) != SONDE_OK ||
        sonde_study_open(path, plan, &study, &error) != SONDE_OK ||
        sonde_study_run(study, NULL, &error) != SONDE_OK) {
        damage_give_up("the tiny study failed", error.text);
    }
    sonde_study_close(study);
    return plan;
}

/* Copies every table of a study into a new file whose texts are UTF-16. */
static inline void damage_encode(const char *from, const char *to) {
    sqlite3 *db = NULL;
    sqlite3_stmt *tables = NULL;
    (void)unlink(to);
    if (sqlite3_open(from, &db) != SQLITE_OK ||
        sqlite3_prepare_v2(db, "SELECT name, sql FROM sqlite_master", -1, &tables, NULL) !=
            SQLITE_OK) {
        damage_give_up("no database", from);
    }
    sqlite3 *made = NULL;
    (void)sqlite3_open(to, &made);
    (void)sqlite3_exec(made, "PRAGMA synchronous = OFF; PRAGMA encoding = 'UTF-16le'; BEGIN", NULL,
                       NULL, NULL);
    while (sqlite3_step(tables) == SQLITE_ROW) {
        sqlite3_stmt *rows = NULL;
        sqlite3_stmt *insert = NULL;
        const char *name = (const char *)sqlite3_column_text(tables, 0);
        (void)sqlite3_exec(made, (const char *)sqlite3_column_text(tables, 1), NULL, NULL, NULL);
        char *select = sqlite3_mprintf("SELECT * FROM %s", name);
        (void)sqlite3_prepare_v2(db, select, -1, &rows, NULL);
        const int n = sqlite3_column_count(rows);
        char marks[256] = "?";
        for (int i = 1; i < n; i++) {
            (void)strcat(marks, ",?");
        }
        char *into = sqlite3_mprintf("INSERT INTO %s VALUES (%s)", name, marks);
        (void)sqlite3_prepare_v2(made, into, -1, &insert, NULL);
        while (sqlite3_step(rows) == SQLITE_ROW) {
            for (int i = 0; i < n; i++) {
                (void)sqlite3_bind_value(insert, i + 1, sqlite3_column_value(rows, i));
            }
            (void)sqlite3_step(insert);
            (void)sqlite3_reset(insert);
        }
        (void)sqlite3_finalize(rows);
        (void)sqlite3_finalize(insert);
        sqlite3_free(select);
        sqlite3_free(into);
    }
    (void)sqlite3_exec(made, "COMMIT", NULL, NULL, NULL);
    (void)sqlite3_finalize(tables);
    (void)sqlite3_close(made);
    (void)sqlite3_close(db);
}

/* A damaged copy. */
static inline void damage_make(const char *from, const char *to, const char *sql) {
    if (strstr(sql, "-- UTF-16") != NULL) {
        damage_encode(from, to);
    } else {
        size_t size = 0;
        char *data = damage_read(from, &size);
        damage_write(to, data, size);
        free(data);
    }
    damage_run(to, sql);
}

#endif

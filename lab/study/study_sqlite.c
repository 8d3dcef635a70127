/* study_sqlite.c: opening a results file, and SQLite's errors in our words. */
#include "study/study_sqlite.h"

#include <string.h>

#include "base/memory.h"

sonde_status sonde__sqlite_fail(sqlite3 *db, const char *path, sonde_error *error) {
    const int code = db != NULL ? sqlite3_errcode(db) & 0xFF : SQLITE_NOMEM;
    switch (code) {
    case SQLITE_NOMEM: return sonde__fail_memory(error, path, 0);
    case SQLITE_NOTADB:
        return sonde__fail(error, SONDE_BAD_INPUT,
                           "%s: expected the results of a study (an SQLite file), found something "
                           "else; choose another file",
                           path);
    case SQLITE_ERROR:
    case SQLITE_TOOBIG:
    case SQLITE_CORRUPT:
        return sonde__fail(error, SONDE_BAD_INPUT,
                           "%s: expected the results of a study, found a damaged file: SQLite says "
                           "\"%s\"; use a copy of it, or begin anew in another file",
                           path, sqlite3_errmsg(db));
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return sonde__fail(error, SONDE_NOT_WRITTEN,
                           "%s: another process has this file open; wait for it, or choose another "
                           "file",
                           path);
    case SQLITE_CANTOPEN:
        return sonde__fail(error, SONDE_NO_FILE,
                           "%s: cannot be opened; is it, or its folder, there, and may you use it?",
                           path);
    case SQLITE_FULL:
        return sonde__fail(error, SONDE_NOT_WRITTEN,
                           "%s: the disk is full; make room, and the same command goes on", path);
    case SQLITE_READONLY:
        return sqlite3_extended_errcode(db) == SQLITE_READONLY
                   ? sonde__fail(error, SONDE_NOT_WRITTEN,
                                 "%s: may be read, but not written; choose another file", path)
                   : sonde__fail(error, SONDE_NOT_WRITTEN,
                                 "%s: a study was cut off while it wrote here, and what it had "
                                 "begun has to be taken back first; make the file and its folder "
                                 "writable, or copy it and %s-journal to a folder that is",
                                 path, path);
    default:
        return sonde__fail(error, SONDE_NOT_WRITTEN, "%s: cannot be read or written: %s", path,
                           sqlite3_errmsg(db));
    }
}

/* Whether SQLite would take a path for something else than a file. */
static bool is_no_file(const char *path) {
    return *path == '\0' || strcmp(path, ":memory:") == 0 || strncmp(path, "file:", 5) == 0;
}

/* What a file says is read, never run. */
static bool distrust(sqlite3 *db) {
    static const int off[] = {SQLITE_DBCONFIG_TRUSTED_SCHEMA, SQLITE_DBCONFIG_ENABLE_TRIGGER,
                              SQLITE_DBCONFIG_ENABLE_VIEW};
    bool good = sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL) == SQLITE_OK;
    for (size_t i = 0; i < sizeof off / sizeof *off; i++) {
        good = good && sqlite3_db_config(db, off[i], 0, NULL) == SQLITE_OK;
    }
    return good && sqlite3_exec(db, "PRAGMA cell_size_check = ON", NULL, NULL, NULL) == SQLITE_OK;
}

sonde_status sonde__sqlite_open(const char *path, int flags, sqlite3 **db, sonde_error *error) {
    *db = NULL;
    if (is_no_file(path)) {
        return sonde__fail(error, SONDE_BAD_ARGUMENT,
                           "expected a file for the results, found \"%s\", which is none: nothing "
                           "would be kept; for a file of that name write ./%s",
                           path, path);
    }
    if (sqlite3_open_v2(path, db, flags, NULL) == SQLITE_OK && distrust(*db)) {
        return SONDE_OK;
    }
    const sonde_status status = sonde__sqlite_fail(*db, path, error);
    (void)sqlite3_close(*db);
    *db = NULL;
    return status;
}

char *sonde__sqlite_meta(sqlite3 *db, const char *key, bool *refused) {
    sqlite3_stmt *statement = NULL;
    char *copy = NULL;
    if (sqlite3_prepare_v2(db, "SELECT value FROM meta WHERE key = ?", -1, &statement, NULL) ==
            SQLITE_OK &&
        sqlite3_bind_text(statement, 1, key, -1, SQLITE_STATIC) == SQLITE_OK &&
        sqlite3_step(statement) == SQLITE_ROW) {
        const char *value = (const char *)sqlite3_column_text(statement, 0);
        const size_t size = value != NULL ? strlen(value) + 1 : 0;
        copy = value != NULL ? sonde__alloc(size) : NULL;
        *refused = *refused || (value != NULL && copy == NULL);
        if (copy != NULL) {
            memcpy(copy, value, size);
        }
    }
    (void)sqlite3_finalize(statement);
    return copy;
}

/* Whether a pragma answers as it should; otherwise its answer, within a sentence. */
static sonde_status check_pragma(sqlite3 *db, const char *path, const char *pragma,
                                 const char *good, const char *sentence, sonde_error *error) {
    sqlite3_stmt *statement = NULL;
    sonde_status status = SONDE_OK;
    if (sqlite3_prepare_v2(db, pragma, -1, &statement, NULL) != SQLITE_OK ||
        sqlite3_step(statement) != SQLITE_ROW) {
        status = sonde__sqlite_fail(db, path, error);
    } else {
        const char *answer = (const char *)sqlite3_column_text(statement, 0);
        if (answer == NULL || strcmp(answer, good) != 0) {
            status = sonde__fail(error, SONDE_BAD_INPUT,
                                 "%s: expected the results of a study, found %s: SQLite says "
                                 "\"%.100s\"; use a copy of it, or begin anew in another file",
                                 path, sentence, answer != NULL ? answer : "");
        }
    }
    (void)sqlite3_finalize(statement);
    return status;
}

/* Whether meta says that this is a study of our schema. */
static sonde_status check_format(sqlite3 *db, const char *path, sonde_error *error) {
    bool refused = false;
    char *format = sonde__sqlite_meta(db, "format", &refused);
    char *schema = sonde__sqlite_meta(db, "schema", &refused);
    const bool study = format != NULL && strcmp(format, "sonde-study") == 0;
    const bool known =
        study && schema != NULL && strcmp(schema, sonde__at("%d", SONDE__STUDY_SCHEMA).text) == 0;
    sonde_status status = SONDE_OK;
    if (refused) {
        status = sonde__fail_memory(error, path, 0);
    } else if (!study) {
        status =
            sonde__fail(error, SONDE_BAD_INPUT,
                        "%s: expected the results of a study, found another SQLite file", path);
    } else if (!known) {
        status =
            sonde__fail(error, SONDE_BAD_INPUT,
                        "%s: expected results of schema %d, found %.20s; another version of sonde "
                        "made it",
                        path, SONDE__STUDY_SCHEMA, schema != NULL ? schema : "none");
    }
    sonde__free(format);
    sonde__free(schema);
    return status;
}

sonde_status sonde__sqlite_check(sqlite3 *db, const char *path, sonde_error *error) {
    uint32_t found = 0;
    bool other = false;
    sonde_status status = sonde__schema_look(db, path, &found, &other, error);
    if (status == SONDE_OK && (found & 1u) == 0) {
        return sonde__fail(error, SONDE_BAD_INPUT,
                           "%s: expected the results of a study, found another SQLite file", path);
    }
    if (status == SONDE_OK) {
        /* texts are as long as the file says in no other encoding */
        status = check_pragma(db, path, "PRAGMA encoding", "UTF-8", "texts that are not in UTF-8",
                              error);
    }
    if (status == SONDE_OK) {
        status = check_format(db, path, error);
    }
    if (status == SONDE_OK) {
        status = sonde__schema_check(found, other, path, error);
    }
    return status == SONDE_OK
               ? check_pragma(db, path, "PRAGMA quick_check(1)", "ok", "a damaged file", error)
               : status;
}

/* study_sqlite.c: opening a results file, and SQLite's errors in our words. */
#include "study/study_sqlite.h"

#include <string.h>

#include "base/memory.h"

sonde_status sonde__sqlite_fail(sqlite3 *db, const char *path, sonde_error *error) {
    const int code = db != NULL ? sqlite3_errcode(db) & 0xFF : SQLITE_NOMEM;
    switch (code) {
    case SQLITE_NOMEM: return sonde__fail_memory(error, path, 0);
    case SQLITE_NOTADB:
    case SQLITE_CORRUPT:
        return sonde__fail(error, SONDE_BAD_INPUT,
                           "%s: expected the results of a study (an SQLite file), found something "
                           "else; choose another file",
                           path);
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
    default:
        return sonde__fail(error, SONDE_NOT_WRITTEN, "%s: cannot be written: %s", path,
                           sqlite3_errmsg(db));
    }
}

sonde_status sonde__sqlite_open(const char *path, int flags, sqlite3 **db, sonde_error *error) {
    if (sqlite3_open_v2(path, db, flags, NULL) == SQLITE_OK) {
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

sonde_status sonde__sqlite_check(sqlite3 *db, const char *path, sonde_error *error) {
    bool refused = false;
    char *format = sonde__sqlite_meta(db, "format", &refused);
    char *schema = sonde__sqlite_meta(db, "schema", &refused);
    const bool study = format != NULL && strcmp(format, "sonde-study") == 0;
    const bool known =
        study && schema != NULL && strcmp(schema, sonde__at("%d", SONDE__STUDY_SCHEMA).text) == 0;
    sonde_status status = SONDE_OK;
    if (refused) {
        status = sonde__fail_memory(error, path, 0);
    } else if (!study && (sqlite3_errcode(db) & 0xFF) != SQLITE_DONE &&
               (sqlite3_errcode(db) & 0xFF) != SQLITE_ERROR && sqlite3_errcode(db) != SQLITE_OK) {
        status = sonde__sqlite_fail(db, path, error);
    } else if (!study) {
        status =
            sonde__fail(error, SONDE_BAD_INPUT,
                        "%s: expected the results of a study, found another SQLite file", path);
    } else if (!known) {
        status =
            sonde__fail(error, SONDE_BAD_INPUT,
                        "%s: expected results of schema %d, found %s; another version of sonde "
                        "made it",
                        path, SONDE__STUDY_SCHEMA, schema != NULL ? schema : "none");
    }
    sonde__free(format);
    sonde__free(schema);
    return status;
}

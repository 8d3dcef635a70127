/* study_sqlite.c: SQLite, for everybody else, and its errors in our words.
 *
 * A sonde__db is an sqlite3, and a sonde__query an sqlite3_stmt; nobody else knows. */
#include "study/study_sqlite.h"

#include <sqlite3.h>
#include <string.h>

const char *sonde__sqlite_version(void) {
    return sqlite3_libversion();
}

sonde_status sonde__db_fail(sonde__db *db, const char *path, sonde_error *error) {
    sqlite3 *file = (sqlite3 *)db;
    const int code = db != NULL ? sqlite3_errcode(file) & 0xFF : SQLITE_NOMEM;
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
                           path, sqlite3_errmsg(file));
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
        return sqlite3_extended_errcode(file) == SQLITE_READONLY
                   ? sonde__fail(error, SONDE_NOT_WRITTEN,
                                 "%s: may be read, but not written; choose another file", path)
                   : sonde__fail(error, SONDE_NOT_WRITTEN,
                                 "%s: a study was cut off while it wrote here, and what it had "
                                 "begun has to be taken back first; make the file and its folder "
                                 "writable, or copy it and %s-journal to a folder that is",
                                 path, path);
    default:
        return sonde__fail(error, SONDE_NOT_WRITTEN, "%s: cannot be read or written: %s", path,
                           sqlite3_errmsg(file));
    }
}

/* Whether SQLite would take a path for something else than a file. */
static bool is_no_file(const char *path) {
    return *path == '\0' || strcmp(path, ":memory:") == 0 || strcmp(path, "-") == 0 ||
           strncmp(path, "file:", 5) == 0;
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

bool sonde__db_refused(sonde__db *db) {
    return (sqlite3_errcode((sqlite3 *)db) & 0xFF) == SQLITE_NOMEM;
}

sonde_status sonde__db_open(const char *path, bool create, sonde__db **db, sonde_error *error) {
    const int flags = SQLITE_OPEN_READWRITE | (create ? SQLITE_OPEN_CREATE : 0);
    sqlite3 *made = NULL;
    *db = NULL;
    if (is_no_file(path)) {
        return sonde__fail(error, SONDE_BAD_ARGUMENT,
                           "expected a file for the results, found \"%s\", which is none: nothing "
                           "would be kept; for a file of that name write ./%s",
                           path, path);
    }
    if (sqlite3_open_v2(path, &made, flags, NULL) == SQLITE_OK && distrust(made)) {
        *db = (sonde__db *)made;
        return SONDE_OK;
    }
    const sonde_status status = sonde__db_fail((sonde__db *)made, path, error);
    (void)sqlite3_close(made);
    return status;
}

void sonde__db_close(sonde__db *db) {
    (void)sqlite3_close((sqlite3 *)db);
}

bool sonde__db_execute(sonde__db *db, const char *sql) {
    return sqlite3_exec((sqlite3 *)db, sql, NULL, NULL, NULL) == SQLITE_OK;
}

/* -------------------------------------------------------------------------------- statements -- */

bool sonde__query_new(sonde__db *db, const char *sql, sonde__query **query) {
    sqlite3_stmt *statement = NULL;
    const bool good = sqlite3_prepare_v2((sqlite3 *)db, sql, -1, &statement, NULL) == SQLITE_OK;
    *query = (sonde__query *)statement;
    return good;
}

void sonde__query_free(sonde__query *query) {
    (void)sqlite3_finalize((sqlite3_stmt *)query);
}

bool sonde__query_bind(sonde__query *query, int32_t at, const sonde__datum *datum) {
    sqlite3_stmt *statement = (sqlite3_stmt *)query;
    switch (datum->kind) {
    case SONDE__CELL_WHOLE: return sqlite3_bind_int64(statement, at + 1, datum->whole) == SQLITE_OK;
    case SONDE__CELL_REAL: return sqlite3_bind_double(statement, at + 1, datum->real) == SQLITE_OK;
    case SONDE__CELL_TEXT:
        return sqlite3_bind_text(statement, at + 1, datum->text, -1, SQLITE_TRANSIENT) == SQLITE_OK;
    default: return sqlite3_bind_null(statement, at + 1) == SQLITE_OK;
    }
}

sonde__step sonde__query_step(sonde__query *query) {
    switch (sqlite3_step((sqlite3_stmt *)query)) {
    case SQLITE_ROW: return SONDE__STEP_ROW;
    case SQLITE_DONE: return SONDE__STEP_DONE;
    default: return SONDE__STEP_FAILED;
    }
}

sonde__datum sonde__query_datum(sonde__query *query, int32_t column) {
    sqlite3_stmt *row = (sqlite3_stmt *)query;
    sonde__datum datum = {.kind = SONDE__CELL_OTHER};
    switch (sqlite3_column_type(row, column)) {
    case SQLITE_NULL: datum.kind = SONDE__CELL_NONE; break;
    case SQLITE_INTEGER:
        datum.kind = SONDE__CELL_WHOLE;
        datum.whole = sqlite3_column_int64(row, column);
        break;
    case SQLITE_FLOAT:
        datum.kind = SONDE__CELL_REAL;
        datum.real = sqlite3_column_double(row, column);
        break;
    case SQLITE_TEXT:
        datum.text = (const char *)sqlite3_column_text(row, column);
        if (datum.text != NULL && strlen(datum.text) == (size_t)sqlite3_column_bytes(row, column)) {
            datum.kind = SONDE__CELL_TEXT;
        }
        break;
    default: break;
    }
    return datum;
}

void sonde__query_reset(sonde__query *query) {
    (void)sqlite3_reset((sqlite3_stmt *)query);
}

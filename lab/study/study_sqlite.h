/* study_sqlite.h: SQLite, for the files that use it. */
#ifndef SONDE_STUDY_SQLITE_H
#define SONDE_STUDY_SQLITE_H

#include <sqlite3.h>

#include "base/status.h"
#include "study/study_internal.h"

/* The schema this version reads and writes. */
#define SONDE__STUDY_SCHEMA 2

/* What SQLite's last error on `db` means to us: "PATH: sentence". */
sonde_status sonde__sqlite_fail(sqlite3 *db, const char *path, sonde_error *error);
/* Opens a file that is believed nothing: no views, no triggers, no writing to its schema. A path that
 * SQLite would take for something else than a file is SONDE_BAD_ARGUMENT. */
sonde_status sonde__sqlite_open(const char *path, int flags, sqlite3 **db, sonde_error *error);
/* The value of a key in the table meta, as a copy (sonde__free), or NULL; `refused` becomes true where there was
 * no memory for it. */
char *sonde__sqlite_meta(sqlite3 *db, const char *key, bool *refused);
/* SONDE_BAD_INPUT unless meta says that this is a study of our schema, and its tables are that,
 * text for text, in UTF-8. */
sonde_status sonde__sqlite_check(sqlite3 *db, const char *path, sonde_error *error);

/* Appends what makes the i-th table of a study, `meta` first; false past the last. */
bool sonde__schema_table(int32_t i, sonde_text *sql);
/* Which of these tables a file has, as bits, and whether it has anything else. */
sonde_status sonde__schema_look(sqlite3 *db, const char *path, uint32_t *found, bool *other,
                                sonde_error *error);
/* SONDE_BAD_INPUT unless these are all, and nothing else. */
sonde_status sonde__schema_check(uint32_t found, bool other, const char *path, sonde_error *error);

/* Reads and checks all results of a plan out of an open file, whose schema was checked. They do not
 * own the plan. */
sonde_status sonde__results_load(sqlite3 *db, const char *path, const sonde_plan *plan,
                                 sonde__results **results, sonde_error *error);

#endif

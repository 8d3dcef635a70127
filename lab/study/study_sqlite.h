/* study_sqlite.h: SQLite, for the two files that use it. */
#ifndef SONDE_STUDY_SQLITE_H
#define SONDE_STUDY_SQLITE_H

#include <sqlite3.h>

#include "base/status.h"
#include "study/study_internal.h"

/* The schema this version reads and writes. */
#define SONDE__STUDY_SCHEMA 2

/* What SQLite's last error on `db` means to us: "PATH: sentence". */
sonde_status sonde__sqlite_fail(sqlite3 *db, const char *path, sonde_error *error);
/* Opens a file as it is (not created), and checks that it is a study of this schema. */
sonde_status sonde__sqlite_open(const char *path, int flags, sqlite3 **db, sonde_error *error);
/* The value of a key in the table meta, as a copy (sonde__free), or NULL; `refused` becomes true where there was
 * no memory for it. */
char *sonde__sqlite_meta(sqlite3 *db, const char *key, bool *refused);
/* SONDE_BAD_INPUT unless meta says that this is a study of our schema. */
sonde_status sonde__sqlite_check(sqlite3 *db, const char *path, sonde_error *error);

#endif

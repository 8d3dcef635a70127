/* study_schema.c: the tables of a results file, made and recognised.
 *
 * A file is a study only if it has these tables, text for text, and nothing else: no view that is
 * never the same twice, no trigger, no column that is computed. What SQLite runs when it reads such a
 * file is what stands here. */
#include <string.h>

#include "study/study_sqlite.h"

static const char *const tables[] = {
    "CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID",
    "CREATE TABLE task (task INTEGER PRIMARY KEY, version TEXT NOT NULL)",
    "CREATE TABLE world (connect TEXT NOT NULL, size INTEGER NOT NULL, horizon INTEGER NOT NULL,"
    " graph INTEGER NOT NULL, model TEXT, redraws INTEGER NOT NULL, seed INTEGER NOT NULL,"
    " policies REAL NOT NULL, local REAL NOT NULL, shortest REAL, list_seconds REAL NOT NULL,"
    " document TEXT NOT NULL, PRIMARY KEY (connect, size, horizon, graph)) WITHOUT ROWID",
    "CREATE TABLE run (condition INTEGER NOT NULL, size INTEGER NOT NULL, graph INTEGER NOT NULL,"
    " optimal INTEGER, failure TEXT, reached INTEGER, walked REAL,"
    " decisions INTEGER NOT NULL, policies INTEGER NOT NULL, steps INTEGER NOT NULL,"
    " equivalent REAL NOT NULL, setup_steps INTEGER NOT NULL, k INTEGER NOT NULL,"
    " valid INTEGER NOT NULL, clusterings INTEGER NOT NULL, reused INTEGER NOT NULL,"
    " setup_seconds REAL NOT NULL, embed_seconds REAL NOT NULL, cluster_seconds REAL NOT NULL, decide_seconds REAL NOT NULL,"
    " path TEXT NOT NULL, judged INTEGER, judged_best INTEGER, judged_equivalent REAL, tv REAL,"
    " action_tv REAL, bound REAL, regret REAL, exact TEXT, exact_tv REAL,"
    " PRIMARY KEY (condition, size, graph)) WITHOUT ROWID",
};
enum { N_FIXED = sizeof tables / sizeof *tables };

bool sonde__schema_table(int32_t i, sonde_text *sql) {
    if (i < N_FIXED) {
        sonde_text_add(sql, "%s", tables[i]);
        return true;
    }
    if (i > N_FIXED) {
        return false;
    }
    /* a column for each key of a condition that is a setting */
    sonde_text_add(sql, "CREATE TABLE condition (condition INTEGER PRIMARY KEY, grp TEXT NOT "
                        "NULL, label TEXT NOT NULL, k_before INTEGER");
    for (int32_t key = 0; sonde__condition_key(key) != NULL; key++) {
        sonde_text_add(sql, ", %s", sonde__condition_key(key));
    }
    sonde_text_add(sql, ")");
    return true;
}

/* Which of our tables a text makes, or -1; `refused` becomes true where there was no memory. */
static int32_t find_table(const char *text, bool *refused) {
    int32_t found = -1;
    bool more = text != NULL;
    for (int32_t i = 0; more && found < 0; i++) {
        sonde_text sql = {0};
        more = sonde__schema_table(i, &sql);
        *refused = *refused || sql.failed;
        found = more && !sql.failed && strcmp(sql.data, text) == 0 ? i : -1;
        sonde_text_free(&sql);
    }
    return found;
}

sonde_status sonde__schema_look(sqlite3 *db, const char *path, uint32_t *found, bool *other,
                                sonde_error *error) {
    sqlite3_stmt *statement = NULL;
    bool refused = false;
    int code = sqlite3_prepare_v2(db, "SELECT sql FROM sqlite_master", -1, &statement, NULL);
    *found = 0;
    *other = false;
    while (code == SQLITE_OK || code == SQLITE_ROW) {
        code = sqlite3_step(statement);
        if (code == SQLITE_ROW) {
            const int32_t i = find_table((const char *)sqlite3_column_text(statement, 0), &refused);
            /* nothing else, and nothing twice */
            *other = *other || i < 0 || (*found >> i & 1u) != 0;
            *found |= i >= 0 ? 1u << i : 0;
        }
    }
    (void)sqlite3_finalize(statement);
    if (refused) {
        return sonde__fail_memory(error, path, 0);
    }
    return code == SQLITE_DONE ? SONDE_OK : sonde__sqlite_fail(db, path, error);
}

sonde_status sonde__schema_check(uint32_t found, bool other, const char *path, sonde_error *error) {
    if (!other && found == (1u << (N_FIXED + 1)) - 1u) {
        return SONDE_OK;
    }
    return sonde__fail(error, SONDE_BAD_INPUT,
                       "%s: expected the tables of a study and nothing else, found others; another "
                       "program has changed it, or another version of sonde made it: use another",
                       path);
}

/* spm_table.h: a table of what people did, as trials of SPM's scheme. */
#ifndef SONDE_CLI_SPM_TABLE_H
#define SONDE_CLI_SPM_TABLE_H

#include "arguments.h"
#include "session.h"

/* Subjects of a table, each with a document of its own. */
typedef struct {
    int32_t n;
    sonde_spm **spm;    /* (n) */
    const char **name;  /* (n) */
    sonde_model *model; /* of the same shape, by which the table is read */
    sonde_data *data;   /* whose names these are */
} spm_table;

/* Whether a file is a table, and not a document: its first character that is no space opens no
 * object. */
bool spm_table_is(const char *path);
/* Reads a document's model, args->file, and the table args->data: every episode of a subject is a
 * trial, whose rows are its times; the action of the last one does not count. Close it in any
 * case. */
sonde_status spm_table_open(const cli_arguments *args, cli_session *session, spm_table *table);
void spm_table_close(spm_table *table);

#endif

/* summary_folder.h: the folder of a report, whatever it tells of.
 *
 *     FOLDER/index.html            the page, with the document inside it: it needs nothing else
 *     FOLDER/summary.json          that document
 *     FOLDER/tables/NAME.csv .tex  every table, for programs and for papers
 *
 * The page is a file that is made elsewhere, with a place for the document in it. Without it
 * index.html has the tables alone. It is written last, so that a folder has either the whole page
 * or the one that was there before. */
#ifndef SONDE_SUMMARY_SUMMARY_FOLDER_H
#define SONDE_SUMMARY_SUMMARY_FOLDER_H

#include "summary/summary.h"

typedef struct {
    const char *path; /* NULL: nothing is written */
    sonde_error *error;
    sonde_text json;   /* the document, which its tables are added to */
    sonde_text tables; /* the same as plain HTML */
    int32_t n_table;
} sonde__folder;

/* The folder and its tables/, unless they are there. */
sonde_status sonde__folder_make(const sonde__folder *folder);
/* Opens and closes the list of tables in the document. */
void sonde__folder_tables_open(sonde__folder *folder);
void sonde__folder_tables_close(sonde__folder *folder);
/* A table that has rows: its files, and itself in the document and in the plain page. `list`, if
 * it has columns, goes into the CSV file. Both are freed. */
sonde_status sonde__folder_table(sonde__folder *folder, sonde__grid *grid, sonde__grid *list);
/* FOLDER/summary.json. */
sonde_status sonde__folder_summary(const sonde__folder *folder);
/* FOLDER/index.html: the page with the document inside it, or, for NULL, the tables alone under
 * "TITLE NAME". */
sonde_status sonde__folder_page(sonde__folder *folder, const char *page, const char *title,
                                const char *name);
/* The page, a file, with the document of a folder inside it; where nothing is written, it is told
 * that no files lie beside it. Fails with SONDE_NO_FILE, SONDE_BAD_INPUT (another file) or
 * SONDE_NO_MEMORY. */
sonde_status sonde__page_study(const char *page, const sonde__folder *folder, sonde_text *html);
void sonde__folder_free(sonde__folder *folder);

#endif

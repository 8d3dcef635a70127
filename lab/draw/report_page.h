/* report_page.h: what the sections of a study's report share: counts, tables and the page itself.
 *
 * The page is written section by section into one text. A section that finds no data writes
 * nothing, not even its heading. Every table and figure of the page is a file of its own, too. */
#ifndef SONDE_REPORT_PAGE_H
#define SONDE_REPORT_PAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/words.h"
#include "sonde_lab.h"
#include "study/study.h"
#include "summary/summary.h"

/* The table of the study of quality for a terminal; false if there is none. */
bool sonde__quality_text(const sonde__results *results, sonde_text *text);

/* ------------------------------------------------------------------------------------- page -- */

typedef struct {
    const sonde__results *results;
    const char *folder;
    const sonde_run *run;
    sonde_error *error;
    sonde__table_sum table;
    sonde_text body;
    sonde_text contents; /* the list of sections */
    int32_t n_section;
    int32_t n_table;
    int32_t n_figure;
} sonde__page;
/* Begins a section with a heading. */
void sonde__page_section(sonde__page *page, const char *id, const char *title);
/* A figure: its file, and itself in the page. `caption` is HTML without its number. Fails with
 * SONDE_STOPPED, too: a stop flag is noticed between figures. */
sonde_status sonde__page_figure(sonde__page *page, const char *name, const sonde_text *svg,
                                const char *caption);
/* The same for several pictures under one caption; their files are NAME_a.svg, NAME_b.svg, ... */
sonde_status sonde__page_figures(sonde__page *page, const char *name, int32_t n_svg,
                                 const sonde_text *svg, const char *caption);
/* A table: LaTeX and CSV files, and itself in the page; `list` (or NULL) goes into the CSV file. */
sonde_status sonde__page_table(sonde__page *page, const sonde__grid *grid, const sonde__grid *list,
                               const char *caption);
/* SONDE_NO_MEMORY if a text could not hold what was put into it. */
sonde_status sonde__page_check(const sonde__page *page, const sonde_text *text);

/* What one decision costs: a median over runs, and a mean. */
typedef struct {
    int32_t n_run;
    double seconds;
    double steps;
} sonde__cost;
/* Full and clustered, all conditions of the table together. */
typedef struct {
    int32_t size;
    sonde_scope scope;
    uint32_t differences;
    sonde__cost full;
    sonde__cost clustered;
} sonde__speed;
/* In the largest worlds for which there are both; false where there are none. */
bool sonde__speed_find(sonde__page *page, sonde__speed *speed);

/* What was run, above everything else. */
void sonde__page_head(sonde__page *page, sonde_text *head);
/* The sections, in order. */
sonde_status sonde__page_main_table(sonde__page *page);
sonde_status sonde__page_headline(sonde__page *page);
sonde_status sonde__page_statistics(sonde__page *page);
sonde_status sonde__page_quality(sonde__page *page);
sonde_status sonde__page_scaling(sonde__page *page);
sonde_status sonde__page_worlds(sonde__page *page);
sonde_status sonde__page_failures(sonde__page *page);
sonde_status sonde__page_failed_run(sonde__page *page); /* the end of the failures */
sonde_status sonde__page_differences(sonde__page *page);
sonde_status sonde__page_notes(sonde__page *page);
extern const char *const sonde__page_style[]; /* ends with NULL */

/* The whole report of results that were read; as sonde_report_study. */
sonde_status sonde__page_write(const sonde__results *results, const char *folder,
                               const sonde_run *run, sonde_text *table, sonde_error *error);

#endif

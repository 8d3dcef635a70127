/* report_chart.h: charts for a paper, as plain SVG.
 *
 * A figure fills a chart and has it written:
 *
 *     sonde__chart *chart = sonde__chart_new("Optimal runs", 2);
 *     sonde__panel *panel = sonde__chart_panel(chart, "local");
 *     panel->x.title = "nodes";
 *     panel->y.title = "optimal runs, %";
 *     const int32_t line = sonde__panel_series(panel, &(sonde__series){.label = "EDM"});
 *     sonde__mark mark = sonde__mark_at(line, 3.0, 97.5);
 *     sonde__panel_mark(panel, &mark);
 *     return sonde__chart_finish(chart, svg);
 *
 * The chart finds ranges and ticks, gives panels with the same axis title the same range, sets
 * panels in rows, and adds legend and caption. Panels, series and categories are few by nature;
 * what does not fit is left out, and the caption says so. */
#ifndef SONDE_REPORT_CHART_H
#define SONDE_REPORT_CHART_H

#include <stdbool.h>
#include <stdint.h>

#include "draw/draw_internal.h"
#include "sonde_lab.h"

/* -------------------------------------------------------------------------------------- pen -- */

#define SONDE__INK "#1f2328"
#define SONDE__GREY "#6b7280"
#define SONDE__GRID "#e5e7eb"

typedef struct {
    double x;
    double y;
    double width;
    double height;
} sonde__area;

/* Colour, line and marker of a series: each of the three alone tells series apart. */
typedef struct {
    const char *colour; /* Okabe and Ito's */
    const char *dash;   /* or NULL */
    const char *marker; /* path of a marker of radius 1 */
    bool falling;       /* its hatching */
} sonde__style;
/* Any number: colours repeat after 8, each time with other markers. */
sonde__style sonde__style_of(int32_t style);

/* The document, its light panel and, for those who cannot see it, its title and description. */
void sonde__pen_open(sonde_text *svg, double width, double height, const char *title,
                     const char *description);
void sonde__pen_close(sonde_text *svg);
/* A coordinate, to the hundredth. */
void sonde__pen_at(sonde_text *svg, double number);
void sonde__pen_point(sonde_text *svg, const char *before, sonde__point at);
void sonde__pen_line(sonde_text *svg, const char *attributes, sonde__point a, sonde__point b);
void sonde__pen_rect(sonde_text *svg, const char *attributes, sonde__area area);
/* A bar: full of its colour, or hatched with it. */
void sonde__pen_bar(sonde_text *svg, const sonde__style *style, bool hollow, sonde__area area);
/* A marker: full of its colour, or white with a border of it; its size is 1, or a part of it. */
void sonde__pen_marker(sonde_text *svg, const sonde__style *style, bool hollow, double size,
                       sonde__point at);
/* Words centred vertically on a point; in "10^3" the 3 stands higher. */
void sonde__pen_words(sonde_text *svg, const char *attributes, sonde__point at, double font,
                      const char *words);
/* The same, read from bottom to top. */
void sonde__pen_turned(sonde_text *svg, sonde__point at, double font, const char *words);
/* Words in as many lines as they need, the first at `area`'s top; returns their height. With NULL
 * for svg it only measures. */
double sonde__pen_paragraph(sonde_text *svg, sonde__area area, double font, const char *words);
/* How wide words are at most, in any of the usual fonts. */
double sonde__pen_width(const char *words, double font);

/* ------------------------------------------------------------------------------------- axes -- */

enum { SONDE__TICK_MAX = 48, SONDE__LABEL_MAX = 64 };

typedef enum { SONDE__SCALE_LINEAR, SONDE__SCALE_LOG, SONDE__SCALE_CATEGORY } sonde__scale;

typedef struct {
    const char *title;
    sonde__scale scale;
    double low;       /* NaN: as the data are */
    double high;      /* the same */
    bool whole;       /* ticks are whole numbers */
    bool own_range;   /* not shared with panels whose axis has the same title */
    double data_low;  /* what the data cover; infinite, and the wrong way round, without any */
    double data_high; /* the same */
    int32_t n_tick;   /* with SONDE__SCALE_CATEGORY: categories, at 0, 1, 2, ... */
    double tick[SONDE__TICK_MAX];
    char label[SONDE__TICK_MAX][SONDE__LABEL_MAX]; /* "" for a small tick */
} sonde__axis;

void sonde__axis_start(sonde__axis *axis);
/* Takes a value into the range; NaN, and what a logarithm does not take, are none. */
void sonde__axis_cover(sonde__axis *axis, double value);
/* Fixes range and ticks. */
void sonde__axis_settle(sonde__axis *axis);
/* Where a value lies between the ends, kept from 0 to 1. */
double sonde__axis_place(const sonde__axis *axis, double value);
/* Room that tick labels need beside a vertical axis. */
double sonde__axis_gutter(const sonde__axis *axis);
/* Draw an axis at the foot, or the left side, of an area. */
void sonde__axis_draw_x(const sonde__axis *axis, sonde__area area, sonde_text *svg);
void sonde__axis_draw_y(const sonde__axis *axis, sonde__area area, sonde_text *svg);

/* ------------------------------------------------------------------------------------ marks -- */

typedef enum {
    SONDE__DRAW_LINE,  /* markers joined by a line */
    SONDE__DRAW_DOTS,  /* markers alone, with labels */
    SONDE__DRAW_BARS,  /* side by side in their category */
    SONDE__DRAW_STACK, /* on top of each other in their category */
    SONDE__DRAW_GUIDE  /* a thin dotted line without markers, not in the legend */
} sonde__drawing;

typedef struct {
    char label[64];
    sonde__drawing drawing;
    int32_t style;
    bool hollow; /* hatched bars, white markers */
    bool band;   /* intervals as a band instead of whiskers */
    bool fixed;  /* x matters: a line is not moved aside for others */
    bool light;  /* thin, with small markers, behind the others */
} sonde__series;

typedef struct {
    int32_t series;
    double x; /* or the place of a category */
    double y;
    double base;      /* where a stacked bar begins */
    double low;       /* of its interval; NaN: none */
    double high;      /* the same */
    double reference; /* somebody else's value, as a white diamond on a bar; NaN: none */
    char label[24];   /* beside a dot, where there is room */
} sonde__mark;
sonde__mark sonde__mark_at(int32_t series, double x, double y);

enum { SONDE__SERIES_MAX = 32 };

typedef struct {
    char title[72];
    sonde__axis x;
    sonde__axis y;
    int32_t n_series;
    sonde__series series[SONDE__SERIES_MAX];
    int32_t n_mark;
    int32_t capacity;
    sonde__mark *mark; /* (n_mark) */
    int32_t n_left_out;
    bool failed; /* no memory */
} sonde__panel;

/* The number of a new series; -1 where there is no room. Marks of series -1 are not drawn. */
int32_t sonde__panel_series(sonde__panel *panel, const sonde__series *series);
/* The place of a new category on the x axis. */
double sonde__panel_category(sonde__panel *panel, const char *label);
void sonde__panel_mark(sonde__panel *panel, const sonde__mark *mark);
/* Draws everything but the axes. */
void sonde__panel_draw(sonde__panel *panel, sonde__area area, sonde_text *svg);
/* What stands for a series in a legend, with its left end at a point; returns its width. */
double sonde__series_key(const sonde__series *series, sonde__point at, sonde_text *svg);
/* The white diamond. */
void sonde__reference_draw(sonde__point at, sonde_text *svg);
/* Labels beside the dots of a panel, where there is room. */
void sonde__labels_draw(sonde__panel *panel, sonde__area area, sonde_text *svg);
/* Where a mark lies; bars: the middle of their upper end. */
sonde__point sonde__mark_place(const sonde__panel *panel, const sonde__mark *mark,
                               sonde__area area);

/* ------------------------------------------------------------------------------------ chart -- */

enum { SONDE__PANEL_MAX = 24 };

typedef struct {
    const char *title;
    int32_t n_column;
    double panel_height;
    bool panel_legends;    /* one under each panel, instead of one for all */
    const char *reference; /* what white diamonds are, or NULL */
    sonde_text caption;
    int32_t n_left_out;
    int32_t n_panel;
    sonde__panel panel[SONDE__PANEL_MAX]; /* row by row */
} sonde__chart;

/* NULL without memory, which the functions below accept. */
sonde__chart *sonde__chart_new(const char *title, int32_t n_column);
/* A new panel, which belongs to the chart; NULL where there is no room. */
sonde__panel *sonde__chart_panel(sonde__chart *chart, const char *title);
/* Writes the chart and frees it. False, and nothing written, if it has no marks; true with
 * svg->failed if memory ran out. */
bool sonde__chart_finish(sonde__chart *chart, sonde_text *svg);

#endif

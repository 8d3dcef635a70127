/* draw_chart.h: panels of stacked bars or of one line, for pictures that C draws. */
#ifndef SONDE_DRAW_CHART_H
#define SONDE_DRAW_CHART_H

#include "base/words.h"
#include "draw/draw_internal.h"
#include "draw/palette.h"

/* -------------------------------------------------------------------------------------- pen -- */

typedef struct {
    double x;
    double y;
    double width;
    double height;
} sonde__area;

/* Begins a document; the description is for those who cannot see it. */
void sonde__pen_open(sonde_text *svg, double width, double height, const char *title,
                     const char *description);
/* A coordinate, to the hundredth, which is finer than any printer; and as an attribute. */
void sonde__pen_at(sonde_text *svg, double number);
void sonde__pen_attribute(sonde_text *svg, const char *key, double number);
/* A point, after some words. */
void sonde__pen_point(sonde_text *svg, const char *before, sonde__point at);
void sonde__pen_line(sonde_text *svg, const char *colour, sonde__point a, sonde__point b);
/* A bar; pale where it is hollow. */
void sonde__pen_bar(sonde_text *svg, const char *colour, bool hollow, sonde__area area);
void sonde__pen_dot(sonde_text *svg, const char *colour, sonde__point at);
/* Opens a text centred on a point, not all viewers knowing how to centre it vertically. */
void sonde__pen_open_words(sonde_text *svg, const char *attributes, sonde__point at, double font);
/* Words about a point, in the middle of a line; "10^3" is written as a power. */
void sonde__pen_words(sonde_text *svg, const char *attributes, sonde__point at, double font,
                      const char *words);
/* Words in as many lines as they need, the first at `area`'s top; returns their height. With NULL
 * for svg it only measures. */
double sonde__pen_paragraph(sonde_text *svg, sonde__area area, double font, const char *words);
/* How wide words are at most, in any of the usual fonts. */
double sonde__pen_width(const char *words, double font);

/* ------------------------------------------------------------------------------------ chart -- */

enum { SONDE__TICK_MAX = 24, SONDE__PANEL_MAX = 8, SONDE__MARK_MAX = 256 };

typedef struct {
    const char *title;
    double low; /* what the data cover; infinite, and the wrong way round, without any */
    double high;
    int32_t n_tick;
    double tick[SONDE__TICK_MAX];
    char label[SONDE__TICK_MAX][48];
} sonde__axis;

typedef struct {
    int32_t series;
    double x; /* or the place of a category */
    double y;
    double base; /* where a bar begins */
} sonde__mark;

typedef struct {
    const char *label;
    int32_t colour; /* its place among those of series */
    bool hollow;
} sonde__series;

/* Bars on top of each other in categories; or, with a line, points on logarithmic axes. */
typedef struct {
    char title[72];
    bool line;
    sonde__axis x;
    sonde__axis y;
    int32_t n_series;
    const sonde__series *series; /* (n_series) */
    int32_t n_mark;
    sonde__mark mark[SONDE__MARK_MAX];
} sonde__panel;

typedef struct {
    const char *title;
    bool cut; /* there was more than fits */
    sonde_text caption;
    int32_t n_panel;
    sonde__panel panel[SONDE__PANEL_MAX]; /* row by row */
} sonde__chart;

/* NULL without memory, which the functions below accept. */
sonde__chart *sonde__chart_new(const char *title);
/* A new panel, which belongs to the chart; NULL where there is no room. */
sonde__panel *sonde__chart_panel(sonde__chart *chart, const char *title, int32_t n_series,
                                 const sonde__series *series);
/* The place of a new category on the x axis; -1 where there is no room. */
double sonde__panel_category(sonde__panel *panel, const char *label);
/* What is not finite, or in no category, is not drawn. */
void sonde__panel_mark(sonde__panel *panel, sonde__mark mark);
/* Writes the chart and frees it; svg->failed if memory ran out. */
void sonde__chart_finish(sonde__chart *chart, sonde_text *svg);

#endif

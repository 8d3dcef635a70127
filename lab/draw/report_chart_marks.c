/* report_chart_marks.c: the data of a panel.
 *
 * Drawn from back to front: guides, bands, bars, lines, whiskers and markers, somebody else's
 * values. Lines by the same x stand a few pixels apart, so that no interval hides another. Every
 * bar and marker carries its numbers as a title, which browsers show and screen readers read. */
#include <math.h>
#include <stdlib.h>

#include "draw/report_chart.h"
#include "draw/report_page.h"

#define GROUP_SHARE 0.84 /* of a category's room that its bars take */
#define BAR_MAX 34.0     /* the widest bar */
#define APART 3.5        /* between lines at the same x */
#define CAP 2.6          /* half the width of a whisker's end */

static const sonde__style diamond = {"#000000", NULL, "M0 -1.15 L0.95 0 L0 1.15 L-0.95 0 Z", false};

sonde__mark sonde__mark_at(int32_t series, double x, double y) {
    return (sonde__mark){
        .series = series, .x = x, .y = y, .low = NAN, .high = NAN, .reference = NAN};
}

/* ----------------------------------------------------------------------------------- places -- */

static double place_y(const sonde__panel *panel, double value, sonde__area area) {
    return area.y + area.height * (1.0 - sonde__axis_place(&panel->y, value));
}

/* How many series before `series` are drawn like this; with n_series: how many there are. */
static int32_t rank_of(const sonde__panel *panel, sonde__drawing drawing, int32_t series) {
    int32_t n = 0;
    for (int32_t i = 0; i < series; i++) {
        n += panel->series[i].drawing == drawing ? 1 : 0;
    }
    return n;
}

/* Width of a bar: a category's room shared among its bars. */
static double bar_width(const sonde__panel *panel, sonde__drawing drawing, sonde__area area) {
    const double room = GROUP_SHARE * area.width / (panel->x.high - panel->x.low);
    const int32_t n = drawing == SONDE__DRAW_STACK ? 1 : rank_of(panel, drawing, panel->n_series);
    return fmin(BAR_MAX, room / (double)(n > 0 ? n : 1));
}

sonde__point sonde__mark_place(const sonde__panel *panel, const sonde__mark *mark,
                               sonde__area area) {
    const sonde__series *series = &panel->series[mark->series];
    const bool bars = series->drawing == SONDE__DRAW_BARS;
    const bool lines = series->drawing == SONDE__DRAW_LINE && !series->band && !series->fixed;
    double shift = 0.0;
    if (bars || lines) {
        const double rank = (double)rank_of(panel, series->drawing, mark->series);
        const double n = (double)rank_of(panel, series->drawing, panel->n_series);
        shift = rank - 0.5 * (n - 1.0);
        shift *= bars ? bar_width(panel, series->drawing, area) : APART;
    }
    return (sonde__point){area.x + area.width * sonde__axis_place(&panel->x, mark->x) + shift,
                          place_y(panel, mark->y, area)};
}

/* By series, then from left to right. */
static int compare_marks(const void *a, const void *b) {
    const sonde__mark *one = a;
    const sonde__mark *two = b;
    if (one->series != two->series) {
        return one->series < two->series ? -1 : 1;
    }
    return one->x < two->x ? -1 : one->x > two->x ? 1 : 0;
}

/* ----------------------------------------------------------------------------------- pieces -- */

/* The numbers of a mark, for those who point at it. */
static void add_title(const sonde__panel *panel, const sonde__mark *mark, sonde_text *svg) {
    const bool category = panel->x.scale == SONDE__SCALE_CATEGORY;
    sonde_text_add(svg, "<title>");
    sonde__html(svg, panel->series[mark->series].label);
    sonde_text_add(svg, "; ");
    sonde__html(svg, panel->x.title);
    sonde_text_add(svg, " ");
    if (category) {
        sonde__html(svg, panel->x.label[(int32_t)mark->x]);
    } else {
        sonde__words_weight(mark->x, svg);
    }
    sonde_text_add(svg, ": ");
    sonde__words_weight(mark->y - mark->base, svg);
    if (!isnan(mark->low)) {
        sonde_text_add(svg, " (");
        sonde__words_weight(mark->low, svg);
        sonde_text_add(svg, " to ");
        sonde__words_weight(mark->high, svg);
        sonde_text_add(svg, ")");
    }
    sonde_text_add(svg, "</title>");
}

static void add_whisker(const sonde__panel *panel, const sonde__mark *mark, sonde__area area,
                        const char *colour, const char *width, sonde_text *svg) {
    if (isnan(mark->low) || isnan(mark->high)) {
        return;
    }
    const double x = sonde__mark_place(panel, mark, area).x;
    const double low = place_y(panel, mark->low, area);
    const double high = place_y(panel, mark->high, area);
    sonde_text_add(svg, "<path fill=\"none\" stroke=\"%s\" stroke-width=\"%s\"", colour, width);
    sonde__pen_point(svg, " d=\"M", (sonde__point){x, low});
    sonde__pen_point(svg, " L", (sonde__point){x, high});
    sonde__pen_point(svg, " M", (sonde__point){x - CAP, low});
    sonde__pen_point(svg, " L", (sonde__point){x + CAP, low});
    sonde__pen_point(svg, " M", (sonde__point){x - CAP, high});
    sonde__pen_point(svg, " L", (sonde__point){x + CAP, high});
    sonde_text_add(svg, "\"/>\n");
}

static void add_bar(const sonde__panel *panel, const sonde__mark *mark, sonde__area area,
                    sonde_text *svg) {
    const sonde__series *series = &panel->series[mark->series];
    const double width = bar_width(panel, series->drawing, area);
    const sonde__point top = sonde__mark_place(panel, mark, area);
    const double foot = place_y(panel, mark->base, area);
    const sonde__area bar = {top.x - 0.46 * width, fmin(top.y, foot), 0.92 * width,
                             fabs(foot - top.y)};
    sonde_text_add(svg, "<g>");
    add_title(panel, mark, svg);
    const sonde__style style = sonde__style_of(series->style);
    sonde__pen_bar(svg, &style, series->hollow, bar);
    /* with a light border, to be seen on dark bars */
    add_whisker(panel, mark, area, "#ffffff", "2.8", svg);
    add_whisker(panel, mark, area, "#000000", "1.1", svg);
    sonde_text_add(svg, "</g>\n");
}

/* ------------------------------------------------------------------------------------ series -- */

/* The marks of one series. */
typedef struct {
    const sonde__panel *panel;
    const sonde__series *series;
    sonde__style style;
    const sonde__mark *mark; /* (n) */
    int32_t n;
    sonde__area area;
} stretch;

static const char *line_width(const sonde__series *series) {
    return series->drawing == SONDE__DRAW_GUIDE ? "1.2" : series->light ? "1" : "1.6";
}

static double marker_size(const sonde__series *series) {
    return series->light ? 0.7 : 1.0;
}

static void draw_line(const stretch *s, sonde_text *svg) {
    const bool guide = s->series->drawing == SONDE__DRAW_GUIDE;
    const char *dash = guide ? "1.2 2.6" : s->style.dash;
    if (s->n < 2) {
        return;
    }
    sonde_text_add(svg, "<path fill=\"none\" stroke-linejoin=\"round\" stroke=\"%s\"",
                   s->style.colour);
    sonde_text_add(svg, " stroke-width=\"%s\"", line_width(s->series));
    if (dash != NULL) {
        sonde_text_add(svg, " stroke-dasharray=\"%s\"", dash);
    }
    for (int32_t i = 0; i < s->n; i++) {
        sonde__pen_point(svg, i == 0 ? " d=\"M" : " L",
                         sonde__mark_place(s->panel, &s->mark[i], s->area));
    }
    sonde_text_add(svg, "\"/>\n");
}

static void draw_band(const stretch *s, sonde_text *svg) {
    if (s->n < 2) {
        return;
    }
    sonde_text_add(svg, "<path stroke=\"none\" fill=\"%s\" fill-opacity=\"0.11\"", s->style.colour);
    for (int32_t i = 0; i < 2 * s->n; i++) {
        const sonde__mark *mark = &s->mark[i < s->n ? i : 2 * s->n - 1 - i];
        const double edge = i < s->n ? mark->low : mark->high;
        const sonde__point at = {sonde__mark_place(s->panel, mark, s->area).x,
                                 place_y(s->panel, isnan(edge) ? mark->y : edge, s->area)};
        sonde__pen_point(svg, i == 0 ? " d=\"M" : " L", at);
    }
    sonde_text_add(svg, " Z\"/>\n");
}

static void draw_markers(const stretch *s, sonde_text *svg) {
    for (int32_t i = 0; i < s->n; i++) {
        const sonde__mark *mark = &s->mark[i];
        sonde_text_add(svg, "<g>");
        add_title(s->panel, mark, svg);
        if (!s->series->band) {
            add_whisker(s->panel, mark, s->area, s->style.colour, "1.1", svg);
        }
        sonde__pen_marker(svg, &s->style, s->series->hollow, marker_size(s->series),
                          sonde__mark_place(s->panel, mark, s->area));
        sonde_text_add(svg, "</g>\n");
    }
}

static void draw_bars(const stretch *s, sonde_text *svg) {
    for (int32_t i = 0; i < s->n; i++) {
        add_bar(s->panel, &s->mark[i], s->area, svg);
    }
}

void sonde__reference_draw(sonde__point at, sonde_text *svg) {
    sonde__pen_marker(svg, &diamond, true, 1.0, at);
}

static void draw_references(const stretch *s, sonde_text *svg) {
    for (int32_t i = 0; i < s->n; i++) {
        if (!isnan(s->mark[i].reference)) {
            const double x = sonde__mark_place(s->panel, &s->mark[i], s->area).x;
            const double y = place_y(s->panel, s->mark[i].reference, s->area);
            sonde__reference_draw((sonde__point){x, y}, svg);
        }
    }
}

/* -------------------------------------------------------------------------------------- all -- */

/* Which series a layer draws, and how. */
typedef struct {
    bool (*wants)(const sonde__series *series);
    void (*draw)(const stretch *s, sonde_text *svg);
} layer;

static bool is_guide(const sonde__series *series) {
    return series->drawing == SONDE__DRAW_GUIDE;
}
static bool is_band(const sonde__series *series) {
    return series->band;
}
static bool is_bar(const sonde__series *series) {
    return series->drawing == SONDE__DRAW_BARS || series->drawing == SONDE__DRAW_STACK;
}
static bool is_light(const sonde__series *series) {
    return series->light;
}
static bool is_line(const sonde__series *series) {
    return series->drawing == SONDE__DRAW_LINE && !series->light;
}
static bool is_marker(const sonde__series *series) {
    return is_line(series) || series->drawing == SONDE__DRAW_DOTS;
}

static void draw_layer(const sonde__panel *panel, sonde__area area, const layer *over,
                       sonde_text *svg) {
    for (int32_t first = 0; first < panel->n_mark;) {
        const int32_t series = panel->mark[first].series;
        int32_t n = 0;
        while (first + n < panel->n_mark && panel->mark[first + n].series == series) {
            n++;
        }
        const stretch s = {panel,
                           &panel->series[series],
                           sonde__style_of(panel->series[series].style),
                           panel->mark + first,
                           n,
                           area};
        if (over->wants(s.series)) {
            over->draw(&s, svg);
        }
        first += n;
    }
}

double sonde__series_key(const sonde__series *series, sonde__point at, sonde_text *svg) {
    const sonde__style style = sonde__style_of(series->style);
    if (is_bar(series)) {
        sonde__pen_bar(svg, &style, series->hollow, (sonde__area){at.x, at.y - 5.5, 16.0, 11.0});
        return 16.0;
    }
    const bool line = series->drawing == SONDE__DRAW_LINE;
    const double width = line ? 30.0 : 10.0;
    if (line) {
        sonde_text_add(svg, "<g stroke=\"%s\" stroke-width=\"%s\" stroke-dasharray=\"%s\">",
                       style.colour, line_width(series), style.dash != NULL ? style.dash : "none");
        sonde__pen_line(svg, "", at, (sonde__point){at.x + width, at.y});
        sonde_text_add(svg, "</g>\n");
    }
    sonde__pen_marker(svg, &style, series->hollow, marker_size(series),
                      (sonde__point){at.x + 0.5 * width, at.y});
    return width;
}

void sonde__panel_draw(sonde__panel *panel, sonde__area area, sonde_text *svg) {
    static const layer layers[] = {{is_guide, draw_line},     {is_band, draw_band},
                                   {is_bar, draw_bars},       {is_light, draw_line},
                                   {is_light, draw_markers},  {is_line, draw_line},
                                   {is_marker, draw_markers}, {is_bar, draw_references}};
    if (panel->n_mark == 0) {
        return;
    }
    qsort(panel->mark, (size_t)panel->n_mark, sizeof *panel->mark, compare_marks);
    for (size_t i = 0; i < sizeof layers / sizeof *layers; i++) {
        draw_layer(panel, area, &layers[i], svg);
    }
    sonde__labels_draw(panel, area, svg);
}

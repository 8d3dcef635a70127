/* report_chart.c: panels side by side, with title, legend and caption, as one picture.
 *
 *     title
 *     panel   panel   panel        each: title, plot, ticks, axis title, perhaps its own legend
 *     panel   panel   panel
 *     legend
 *     caption
 *
 * All plots are of one size; what stands beside them is measured first. Panels with the same axis
 * title have the same range on it, so that heights can be compared across them. */
#include "draw/report_chart.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "draw/report_figures.h"

#define WIDTH 960.0
#define MARGIN 18.0
#define TITLE_FONT 16.0
#define HEAD 40.0 /* room for the title */
#define PANEL_FONT 13.0
#define PANEL_HEAD 24.0  /* room for a panel's title */
#define PANEL_FOOT 44.0  /* for ticks and the axis title */
#define PANEL_RIGHT 16.0 /* to the next panel */
#define AXIS_FONT 12.0
#define AXIS_TITLE 20.0 /* room for a title beside the axis */
#define LEGEND_FONT 11.5
#define LEGEND_STEP 18.0
#define CAPTION_FONT 12.0
#define ENTRY_MAX 40

/* ------------------------------------------------------------------------------------- data -- */

sonde__chart *sonde__chart_new(const char *title, int32_t n_column) {
    sonde__chart *chart = sonde__alloc(sizeof *chart);
    if (chart != NULL) {
        chart->title = title;
        chart->n_column = n_column > 0 ? n_column : 1;
        chart->panel_height = 240.0;
    }
    return chart;
}

sonde__panel *sonde__chart_panel(sonde__chart *chart, const char *title) {
    if (chart == NULL || chart->n_panel == SONDE__PANEL_MAX) {
        if (chart != NULL) {
            chart->n_left_out++;
        }
        return NULL;
    }
    sonde__panel *panel = &chart->panel[chart->n_panel++];
    (void)snprintf(panel->title, sizeof panel->title, "%s", title);
    sonde__axis_start(&panel->x);
    sonde__axis_start(&panel->y);
    return panel;
}

int32_t sonde__panel_series(sonde__panel *panel, const sonde__series *series) {
    if (panel == NULL || panel->n_series == SONDE__SERIES_MAX) {
        if (panel != NULL) {
            panel->n_left_out++;
        }
        return -1;
    }
    panel->series[panel->n_series] = *series;
    return panel->n_series++;
}

double sonde__panel_category(sonde__panel *panel, const char *label) {
    if (panel == NULL) {
        return -1.0;
    }
    sonde__axis *axis = &panel->x;
    axis->scale = SONDE__SCALE_CATEGORY;
    if (axis->n_tick == SONDE__TICK_MAX) {
        panel->n_left_out++;
        return -1.0;
    }
    axis->tick[axis->n_tick] = (double)axis->n_tick;
    (void)snprintf(axis->label[axis->n_tick], SONDE__LABEL_MAX, "%s", label);
    return (double)axis->n_tick++;
}

/* Makes room for one more. */
static bool grow(sonde__panel *panel) {
    if (panel->n_mark < panel->capacity) {
        return true;
    }
    const int32_t capacity = panel->capacity > 0 ? 2 * panel->capacity : 32;
    sonde__mark *mark = sonde__resize(panel->mark, (size_t)capacity * sizeof *mark);
    if (mark == NULL) {
        panel->failed = true;
        return false;
    }
    panel->mark = mark;
    panel->capacity = capacity;
    return true;
}

void sonde__panel_mark(sonde__panel *panel, const sonde__mark *mark) {
    if (panel == NULL || mark->series < 0 || !isfinite(mark->x) || !isfinite(mark->y)) {
        return;
    }
    const bool nowhere = panel->x.scale == SONDE__SCALE_CATEGORY && mark->x < 0.0;
    if (nowhere || !grow(panel)) {
        return;
    }
    const sonde__drawing drawing = panel->series[mark->series].drawing;
    const bool from_base = drawing == SONDE__DRAW_BARS || drawing == SONDE__DRAW_STACK;
    panel->mark[panel->n_mark++] = *mark;
    sonde__axis_cover(&panel->x, mark->x);
    sonde__axis_cover(&panel->y, mark->y);
    sonde__axis_cover(&panel->y, mark->low);
    sonde__axis_cover(&panel->y, mark->high);
    sonde__axis_cover(&panel->y, mark->reference);
    sonde__axis_cover(&panel->y, from_base ? mark->base : NAN);
}

/* ----------------------------------------------------------------------------------- layout -- */

/* Axes with the same title cover what any of them covers. */
static void share_axis(sonde__chart *chart, sonde__axis *(*axis_of)(sonde__panel *)) {
    for (int32_t i = 0; i < chart->n_panel; i++) {
        sonde__axis *axis = axis_of(&chart->panel[i]);
        for (int32_t j = 0; j < chart->n_panel; j++) {
            const sonde__axis *other = axis_of(&chart->panel[j]);
            if (other->scale == axis->scale && !axis->own_range &&
                strcmp(other->title, axis->title) == 0) {
                axis->data_low = fmin(axis->data_low, other->data_low);
                axis->data_high = fmax(axis->data_high, other->data_high);
            }
        }
    }
}

static sonde__axis *axis_x(sonde__panel *panel) {
    return &panel->x;
}

static sonde__axis *axis_y(sonde__panel *panel) {
    return &panel->y;
}

/* In a single row, panels without data give their place to the others. */
static void drop_empty_panels(sonde__chart *chart) {
    if (chart->n_panel <= chart->n_column) {
        int32_t n = 0;
        for (int32_t i = 0; i < chart->n_panel; i++) {
            if (chart->panel[i].n_mark > 0) {
                chart->panel[n++] = chart->panel[i];
            }
        }
        chart->n_panel = n;
        chart->n_column = n;
    }
}

static void settle(sonde__chart *chart) {
    drop_empty_panels(chart);
    share_axis(chart, axis_x);
    share_axis(chart, axis_y);
    for (int32_t i = 0; i < chart->n_panel; i++) {
        sonde__axis_settle(&chart->panel[i].x);
        sonde__axis_settle(&chart->panel[i].y);
    }
}

/* A title that the panel to the left has, too, is not said again. */
static bool says_y_title(const sonde__chart *chart, int32_t i) {
    const bool first = i % chart->n_column == 0;
    return first || chart->panel[i - 1].n_mark == 0 ||
           strcmp(chart->panel[i].y.title, chart->panel[i - 1].y.title) != 0;
}

/* Room to the left of the plots in a column. */
static double gutter_of(const sonde__chart *chart, int32_t column) {
    double most = 0.0;
    for (int32_t i = column; i < chart->n_panel; i += chart->n_column) {
        const double title = says_y_title(chart, i) ? AXIS_TITLE : 0.0;
        most = fmax(most, sonde__axis_gutter(&chart->panel[i].y) + title);
    }
    return most;
}

static double plot_width(const sonde__chart *chart) {
    double room = WIDTH - 2.0 * MARGIN;
    for (int32_t c = 0; c < chart->n_column; c++) {
        room -= gutter_of(chart, c) + PANEL_RIGHT;
    }
    return room / (double)chart->n_column;
}

/* ---------------------------------------------------------------------------------- legends -- */

typedef struct {
    const char *reference; /* or NULL */
    int32_t n;
    const sonde__series *entry[ENTRY_MAX]; /* (n) */
} legend;

static bool has_marks(const sonde__panel *panel, int32_t series) {
    for (int32_t i = 0; i < panel->n_mark; i++) {
        if (panel->mark[i].series == series) {
            return true;
        }
    }
    return false;
}

static bool has_reference(const sonde__panel *panel) {
    for (int32_t i = 0; i < panel->n_mark; i++) {
        if (!isnan(panel->mark[i].reference)) {
            return true;
        }
    }
    return false;
}

/* Series with the same label are one. */
static void collect(const sonde__panel *panel, legend *all) {
    for (int32_t i = 0; i < panel->n_series; i++) {
        const sonde__series *series = &panel->series[i];
        bool known = series->drawing == SONDE__DRAW_GUIDE || series->label[0] == '\0';
        for (int32_t j = 0; j < all->n; j++) {
            known = known || strcmp(all->entry[j]->label, series->label) == 0;
        }
        if (!known && all->n < ENTRY_MAX && has_marks(panel, i)) {
            all->entry[all->n++] = series;
        }
    }
}

static legend legend_of(const sonde__chart *chart, int32_t first, int32_t n) {
    legend all = {0};
    for (int32_t i = first; i < first + n; i++) {
        collect(&chart->panel[i], &all);
        if (has_reference(&chart->panel[i])) {
            all.reference = chart->reference;
        }
    }
    return all;
}

static double entry_width(const legend *all) {
    double most = all->reference != NULL ? sonde__pen_width(all->reference, LEGEND_FONT) : 0.0;
    for (int32_t i = 0; i < all->n; i++) {
        most = fmax(most, sonde__pen_width(all->entry[i]->label, LEGEND_FONT));
    }
    const bool lines = all->n > 0 && all->entry[0]->drawing == SONDE__DRAW_LINE;
    return most + (lines ? 30.0 : 16.0) + 22.0;
}

/* In columns, row by row; somebody else's values come first. Returns its height; with NULL for svg
 * it only measures. */
static double draw_legend(const legend *all, sonde__area area, sonde_text *svg) {
    const double width = entry_width(all);
    const int32_t before = all->reference != NULL ? 1 : 0;
    const int32_t n = before + all->n;
    /* as few rows as fit, then as few columns as fill them */
    const double fit = fmax(1.0, floor((area.width + 16.0) / width));
    const double n_row = ceil((double)n / fit);
    const int32_t n_column = (int32_t)ceil((double)n / fmax(1.0, n_row));
    for (int32_t i = 0; i < n && svg != NULL; i++) {
        const int32_t row = i / n_column;
        sonde__point at = {area.x + width * (double)(i % n_column),
                           area.y + LEGEND_STEP * ((double)row + 0.5)};
        const char *label = all->reference;
        if (i < before) {
            sonde__reference_draw((sonde__point){at.x + 8.0, at.y}, svg);
            at.x += 16.0;
        } else {
            label = all->entry[i - before]->label;
            at.x += sonde__series_key(all->entry[i - before], at, svg);
        }
        at.x += 6.0;
        sonde__pen_words(svg, "", at, LEGEND_FONT, label);
    }
    return LEGEND_STEP * n_row;
}

/* --------------------------------------------------------------------------------- picture -- */

/* Everything of a panel, its plot being `area`. */
static void draw_panel(sonde__chart *chart, int32_t i, sonde__area area, sonde_text *svg) {
    sonde__panel *panel = &chart->panel[i];
    const double middle = area.x + 0.5 * area.width;
    if (panel->n_mark == 0) {
        return;
    }
    sonde__pen_words(svg, " text-anchor=\"middle\" font-weight=\"bold\"",
                     (sonde__point){middle, area.y - 0.5 * PANEL_HEAD}, PANEL_FONT, panel->title);
    sonde__axis_draw_y(&panel->y, area, svg);
    if (says_y_title(chart, i)) {
        const double x = area.x - sonde__axis_gutter(&panel->y) - 0.4 * AXIS_TITLE;
        sonde__pen_turned(svg, (sonde__point){x, area.y + 0.5 * area.height}, AXIS_FONT,
                          panel->y.title);
    }
    sonde__panel_draw(panel, area, svg);
    sonde__axis_draw_x(&panel->x, area, svg);
}

/* Rows of panels from `y` on; returns where they end. With NULL for svg it only measures. */
static double draw_panels(sonde__chart *chart, double y, sonde_text *svg) {
    const double width = plot_width(chart);
    for (int32_t first = 0; first < chart->n_panel; first += chart->n_column) {
        double x = MARGIN;
        double below = 0.0;
        for (int32_t i = first; i < first + chart->n_column && i < chart->n_panel; i++) {
            const double gutter = gutter_of(chart, i - first);
            const sonde__area plot = {x + gutter, y + PANEL_HEAD, width, chart->panel_height};
            const double foot = plot.y + plot.height + PANEL_FOOT;
            if (svg != NULL) {
                draw_panel(chart, i, plot, svg);
            }
            if (chart->panel_legends) {
                const legend all = legend_of(chart, i, 1);
                const sonde__area area = {plot.x, foot, width, 0.0};
                below = fmax(below, draw_legend(&all, area, svg));
            }
            x += gutter + width + PANEL_RIGHT;
        }
        y += PANEL_HEAD + chart->panel_height + PANEL_FOOT + below;
    }
    return y;
}

/* The whole picture; with NULL for svg it only measures its height. */
static double draw_chart(sonde__chart *chart, sonde_text *svg) {
    double y = draw_panels(chart, HEAD, svg);
    if (!chart->panel_legends) {
        const legend all = legend_of(chart, 0, chart->n_panel);
        const double left = MARGIN + gutter_of(chart, 0);
        const sonde__area area = {left, y, WIDTH - MARGIN - left, 0.0};
        y += all.n > 1 ? draw_legend(&all, area, svg) : 0.0;
    }
    y += 10.0;
    const sonde__area area = {MARGIN, y, WIDTH - 2.0 * MARGIN, 0.0};
    if (svg != NULL) {
        sonde_text_add(svg, "<g fill=\"#444b54\">\n");
    }
    y += sonde__pen_paragraph(svg, area, CAPTION_FONT, chart->caption.data);
    if (svg != NULL) {
        sonde_text_add(svg, "</g>\n");
    }
    return ceil(y + 12.0);
}

static void write_chart(sonde__chart *chart, sonde_text *svg) {
    sonde__pen_open(svg, WIDTH, draw_chart(chart, NULL), chart->title, chart->caption.data);
    sonde__pen_words(svg, " font-weight=\"bold\"", (sonde__point){MARGIN, 0.55 * HEAD}, TITLE_FONT,
                     chart->title);
    (void)draw_chart(chart, svg);
    sonde__pen_close(svg);
}

static void free_chart(sonde__chart *chart) {
    for (int32_t i = 0; i < chart->n_panel; i++) {
        sonde__free(chart->panel[i].mark);
    }
    sonde_text_free(&chart->caption);
    sonde__free(chart);
}

/* Ends the caption with what there was no room for. */
static void say_left_out(sonde__chart *chart) {
    int32_t n = chart->n_left_out;
    for (int32_t i = 0; i < chart->n_panel; i++) {
        n += chart->panel[i].n_left_out;
    }
    sonde_text_add(&chart->caption, n > 0 ? " More than fits is not shown." : "");
}

bool sonde__chart_finish(sonde__chart *chart, sonde_text *svg) {
    if (chart == NULL) {
        svg->failed = true;
        return true;
    }
    bool shown = false;
    bool failed = false;
    say_left_out(chart);
    for (int32_t i = 0; i < chart->n_panel; i++) {
        shown = shown || chart->panel[i].n_mark > 0;
        failed = failed || chart->panel[i].failed;
    }
    failed = failed || chart->caption.failed;
    if (shown && !failed) {
        settle(chart);
        write_chart(chart, svg);
        for (int32_t i = 0; i < chart->n_panel; i++) {
            failed = failed || chart->panel[i].failed;
        }
    }
    svg->failed = svg->failed || failed;
    free_chart(chart);
    return shown || failed;
}

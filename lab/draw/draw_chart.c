/* draw_chart.c: panels side by side, with title, legend and caption, as one picture.
 *
 *     title
 *     panel   panel   panel        each: title, plot, ticks, axis title
 *     panel   panel   panel
 *     legend
 *     caption
 *
 * All plots are of one size. Panels with the same axis title have the same range on it, so that
 * heights can be compared across them. Every bar and dot carries its numbers as a title, which
 * browsers show and screen readers read. */
#include "draw/draw_chart.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define WIDTH 960.0
#define MARGIN 18.0
#define HEAD 40.0       /* room for the title */
#define PANEL_HEAD 24.0 /* for a panel's title */
#define PANEL_HEIGHT 170.0
#define PANEL_FOOT 44.0  /* for ticks and the axis title */
#define PANEL_LEFT 66.0  /* the same beside the plot */
#define PANEL_RIGHT 16.0 /* to the next panel */
#define FONT 11.0
#define TITLE_FONT 12.0
#define TICK 4.0       /* length of a tick */
#define BAR_SHARE 0.77 /* of a category's room that its bar takes */
#define BAR_MAX 31.0   /* the widest bar */
#define STEPS 5.0      /* between linear ticks, about */
#define DECADE_MAX 8   /* powers of ten that get a label each */

/* ------------------------------------------------------------------------------------- data -- */

sonde__chart *sonde__chart_new(const char *title) {
    sonde__chart *chart = sonde__alloc(sizeof *chart);
    if (chart != NULL) {
        chart->title = title;
    }
    return chart;
}

sonde__panel *sonde__chart_panel(sonde__chart *chart, const char *title, int32_t n_series,
                                 const sonde__series *series) {
    if (chart == NULL || chart->n_panel == SONDE__PANEL_MAX) {
        return NULL;
    }
    sonde__panel *panel = &chart->panel[chart->n_panel++];
    (void)snprintf(panel->title, sizeof panel->title, "%s", title);
    panel->x = panel->y = (sonde__axis){.title = "", .low = INFINITY, .high = -INFINITY};
    panel->n_series = n_series;
    panel->series = series;
    return panel;
}

static bool add_tick(sonde__axis *axis, double value, const char *label) {
    if (axis->n_tick == SONDE__TICK_MAX) {
        return false;
    }
    axis->tick[axis->n_tick] = value;
    (void)snprintf(axis->label[axis->n_tick], sizeof axis->label[0], "%s", label);
    axis->n_tick++;
    return true;
}

double sonde__panel_category(sonde__panel *panel, const char *label) {
    const bool room = panel != NULL && add_tick(&panel->x, (double)panel->x.n_tick, label);
    return room ? (double)(panel->x.n_tick - 1) : -1.0;
}

static void cover(sonde__axis *axis, double value) {
    axis->low = fmin(axis->low, value);
    axis->high = fmax(axis->high, value);
}

void sonde__panel_mark(sonde__panel *panel, sonde__mark mark) {
    if (panel == NULL || panel->n_mark == SONDE__MARK_MAX || mark.x < 0.0 || !isfinite(mark.y) ||
        (panel->line && (mark.x <= 0.0 || mark.y <= 0.0))) {
        return;
    }
    panel->mark[panel->n_mark++] = mark;
    cover(&panel->x, mark.x);
    cover(&panel->y, mark.y);
    cover(&panel->y, panel->line ? mark.y : mark.base);
}

/* ------------------------------------------------------------------------------------- axes -- */

/* 1, 2 or 5 times a power of ten, about `step`. */
static double round_step(double step) {
    const double power = pow(10.0, floor(log10(step)));
    const double times = step / power;
    return power * (times < 1.5 ? 1.0 : times < 3.5 ? 2.0 : times < 7.5 ? 5.0 : 10.0);
}

static void settle_linear(sonde__axis *axis) {
    const double air = 0.06 * (axis->high - axis->low) + 1e-9;
    axis->low = axis->low >= 0.0 ? 0.0 : axis->low - air;
    axis->high += air;
    const double step = round_step((axis->high - axis->low) / STEPS);
    const int32_t n_decimal = (int32_t)fmax(0.0, ceil(-log10(step) - 1e-9));
    /* counted in whole steps, so that ticks do not drift */
    const double first = ceil(axis->low / step - 1e-9);
    const int32_t n = (int32_t)fmin(floor(axis->high / step + 1e-9) - first + 1.0, SONDE__TICK_MAX);
    for (int32_t i = 0; i < n; i++) {
        const double value = (first + (double)i) * step;
        (void)add_tick(axis, value, sonde__fixed(value, n_decimal).text);
    }
}

/* From power of ten to power of ten. */
static void settle_log(sonde__axis *axis) {
    const double first = floor(log10(axis->low) + 1e-9);
    const double last = fmax(first + 1.0, ceil(log10(axis->high) - 1e-9));
    const double every = ceil((last - first) / (double)DECADE_MAX);
    const int32_t n = (int32_t)floor((last - first) / every);
    axis->low = pow(10.0, first);
    axis->high = pow(10.0, last);
    for (int32_t i = 0; i <= n; i++) {
        char label[48];
        const double power = first + every * (double)i;
        (void)snprintf(label, sizeof label, "10^%.40s", sonde__fixed(power, 0).text);
        (void)add_tick(axis, pow(10.0, power), label);
    }
}

static void settle(sonde__panel *panel) {
    if (panel->line) {
        settle_log(&panel->x);
        settle_log(&panel->y);
        return;
    }
    panel->x.low = -0.5;
    panel->x.high = (double)panel->x.n_tick - 0.5;
    settle_linear(&panel->y);
}

/* Where a value lies between the ends, kept from 0 to 1. */
static double share(const sonde__axis *axis, bool log_scale, double value) {
    const double of = log_scale ? log(value / axis->low) / log(axis->high / axis->low)
                                : (value - axis->low) / (axis->high - axis->low);
    return fmin(1.0, fmax(0.0, of));
}

static sonde__point place(const sonde__panel *panel, double x, double y, sonde__area area) {
    return (sonde__point){area.x + area.width * share(&panel->x, panel->line, x),
                          area.y + area.height * (1.0 - share(&panel->y, panel->line, y))};
}

/* Labels that would touch the one before are left out. */
static void draw_x(const sonde__panel *panel, sonde__area area, sonde_text *svg) {
    const sonde__axis *axis = &panel->x;
    const double foot = area.y + area.height;
    double free_from = -INFINITY;
    sonde__pen_line(svg, SONDE__GREY, (sonde__point){area.x, foot},
                    (sonde__point){area.x + area.width, foot});
    sonde_text_add(svg, "<g text-anchor=\"middle\">\n");
    for (int32_t i = 0; i < axis->n_tick; i++) {
        const double x = place(panel, axis->tick[i], panel->y.low, area).x;
        const double half = 0.5 * sonde__pen_width(axis->label[i], FONT);
        if (x - half >= free_from) {
            sonde__pen_words(svg, "", (sonde__point){x, foot + TICK + 8.0}, FONT, axis->label[i]);
            free_from = x + half + 4.0;
        }
    }
    sonde__pen_words(svg, "", (sonde__point){area.x + 0.5 * area.width, foot + TICK + 25.0},
                     TITLE_FONT, axis->title);
    sonde_text_add(svg, "</g>\n");
}

/* With lines across the area, light enough to stay behind the data. */
static void draw_y(const sonde__panel *panel, sonde__area area, sonde_text *svg) {
    const sonde__axis *axis = &panel->y;
    sonde_text_add(svg, "<g text-anchor=\"end\">\n");
    for (int32_t i = 0; i < axis->n_tick; i++) {
        const double y = place(panel, panel->x.low, axis->tick[i], area).y;
        sonde__pen_line(svg, SONDE__GRID, (sonde__point){area.x, y},
                        (sonde__point){area.x + area.width, y});
        sonde__pen_words(svg, "", (sonde__point){area.x - TICK - 3.0, y}, FONT, axis->label[i]);
    }
    sonde__pen_point(svg, "</g>\n<g transform=\"translate(",
                     (sonde__point){area.x - PANEL_LEFT + 10.0, area.y + 0.5 * area.height});
    sonde_text_add(svg, ") rotate(-90)\">");
    sonde__pen_words(svg, " text-anchor=\"middle\"", (sonde__point){0.0, 0.0}, TITLE_FONT,
                     axis->title);
    sonde_text_add(svg, "</g>\n");
}

/* ------------------------------------------------------------------------------------ marks -- */

static const char *colour_of(const sonde__series *series) {
    static const char *const colour[] = {SONDE__SERIES_COLOURS};
    return colour[series->colour];
}

/* The numbers of a mark, for those who point at it. */
static void add_title(const sonde__panel *panel, const sonde__mark *mark, sonde_text *svg) {
    sonde_text_add(svg, "<title>");
    sonde__html(svg, panel->series[mark->series].label);
    sonde_text_add(svg, "; ");
    sonde__html(svg, panel->x.title);
    sonde_text_add(svg, " ");
    if (panel->line) {
        sonde__words_weight(mark->x, svg);
    } else {
        sonde__html(svg, panel->x.label[(int32_t)mark->x]);
    }
    sonde_text_add(svg, ": ");
    sonde__words_weight(mark->y - mark->base, svg);
    sonde_text_add(svg, "</title>");
}

static void draw_mark(const sonde__panel *panel, const sonde__mark *mark, sonde__area area,
                      sonde_text *svg) {
    const sonde__series *series = &panel->series[mark->series];
    const sonde__point top = place(panel, mark->x, mark->y, area);
    sonde_text_add(svg, "<g>");
    add_title(panel, mark, svg);
    if (panel->line) {
        sonde__pen_dot(svg, colour_of(series), top);
    } else {
        const double width = fmin(BAR_MAX, BAR_SHARE * area.width / (double)panel->x.n_tick);
        const double foot = place(panel, mark->x, mark->base, area).y;
        sonde__pen_bar(
            svg, colour_of(series), series->hollow,
            (sonde__area){top.x - 0.5 * width, fmin(top.y, foot), width, fabs(foot - top.y)});
    }
    sonde_text_add(svg, "</g>\n");
}

static void draw_panel(const sonde__panel *panel, sonde__area area, sonde_text *svg) {
    if (panel->n_mark == 0) {
        return;
    }
    sonde__pen_words(svg, " text-anchor=\"middle\" font-weight=\"bold\"",
                     (sonde__point){area.x + 0.5 * area.width, area.y - 0.5 * PANEL_HEAD}, 13.0,
                     panel->title);
    draw_y(panel, area, svg);
    for (int32_t i = 1; i < panel->n_mark && panel->line; i++) {
        const sonde__mark *mark = &panel->mark[i];
        sonde__pen_line(svg, colour_of(panel->series), place(panel, mark[-1].x, mark[-1].y, area),
                        place(panel, mark->x, mark->y, area));
    }
    for (int32_t i = 0; i < panel->n_mark; i++) {
        draw_mark(panel, &panel->mark[i], area, svg);
    }
    draw_x(panel, area, svg);
}

/* ---------------------------------------------------------------------------------- picture -- */

/* Axes with the same title cover what any of them covers. */
static void share_ranges(sonde__chart *chart) {
    for (int32_t i = 0; i < chart->n_panel; i++) {
        for (int32_t j = 0; j < chart->n_panel; j++) {
            sonde__axis *axis = &chart->panel[i].y;
            if (strcmp(chart->panel[j].y.title, axis->title) == 0) {
                cover(axis, chart->panel[j].y.low);
                cover(axis, chart->panel[j].y.high);
            }
        }
    }
    for (int32_t i = 0; i < chart->n_panel; i++) {
        settle(&chart->panel[i]);
    }
}

static bool is_drawn(const sonde__chart *chart, const sonde__series *series) {
    for (int32_t i = 0; i < chart->n_panel; i++) {
        const sonde__panel *panel = &chart->panel[i];
        for (int32_t m = 0; m < panel->n_mark && !panel->line; m++) {
            if (&panel->series[panel->mark[m].series] == series) {
                return true;
            }
        }
    }
    return false;
}

/* In one row: panels that share a list of series share their entries. */
static void draw_legend(const sonde__chart *chart, sonde__point at, sonde_text *svg) {
    const sonde__series *done = NULL;
    for (int32_t i = 0; i < chart->n_panel; i++) {
        const sonde__panel *panel = &chart->panel[i];
        for (int32_t s = 0; s < panel->n_series && panel->series != done; s++) {
            if (is_drawn(chart, &panel->series[s])) {
                sonde__pen_bar(svg, colour_of(&panel->series[s]), panel->series[s].hollow,
                               (sonde__area){at.x, at.y - 5.5, 16.0, 11.0});
                sonde__pen_words(svg, "", (sonde__point){at.x + 22.0, at.y}, 11.5,
                                 panel->series[s].label);
                at.x += 44.0 + sonde__pen_width(panel->series[s].label, 11.5);
            }
        }
        done = panel->series;
    }
}

static void draw_chart(sonde__chart *chart, sonde_text *svg) {
    const int32_t n_column = chart->n_panel == 4 ? 2 : 3;
    const int32_t n_row = (chart->n_panel + n_column - 1) / n_column;
    const double column = (WIDTH - 2.0 * MARGIN) / (double)n_column;
    const double row = PANEL_HEAD + PANEL_HEIGHT + PANEL_FOOT;
    const double foot = HEAD + row * (double)n_row;
    const sonde__area note = {MARGIN, foot + 28.0, WIDTH - 2.0 * MARGIN, 0.0};
    const char *words = chart->caption.data;
    const double height = note.y + sonde__pen_paragraph(NULL, note, TITLE_FONT, words) + 12.0;
    sonde__pen_open(svg, WIDTH, ceil(height), chart->title, words);
    sonde__pen_words(svg, " font-weight=\"bold\"", (sonde__point){MARGIN, 22.0}, 16.0,
                     chart->title);
    for (int32_t i = 0; i < chart->n_panel; i++) {
        const double x = MARGIN + PANEL_LEFT + column * (double)(i % n_column);
        const double y = HEAD + PANEL_HEAD + row * floor((double)i / (double)n_column);
        draw_panel(&chart->panel[i],
                   (sonde__area){x, y, column - PANEL_LEFT - PANEL_RIGHT, PANEL_HEIGHT}, svg);
    }
    draw_legend(chart, (sonde__point){MARGIN + PANEL_LEFT, foot + 9.0}, svg);
    sonde_text_add(svg, "<g fill=\"" SONDE__SOFT "\">\n");
    (void)sonde__pen_paragraph(svg, note, TITLE_FONT, words);
    sonde_text_add(svg, "</g>\n</svg>\n");
}

void sonde__chart_finish(sonde__chart *chart, sonde_text *svg) {
    if (chart == NULL) {
        svg->failed = true;
        return;
    }
    sonde_text_add(&chart->caption, chart->cut ? " More than fits is not shown." : "");
    svg->failed = svg->failed || chart->caption.failed;
    if (!svg->failed) {
        share_ranges(chart);
        draw_chart(chart, svg);
    }
    sonde_text_free(&chart->caption);
    sonde__free(chart);
}

/* draw_recovery.c: parameters that were true against their estimates, a panel for each.
 *
 * On the scale of the fit, with 90 % intervals; those that miss the truth have another colour, and
 * the line is where both are the same. */
#include <math.h>

#include "draw/draw_chart.h"
#include "sonde_fit.h"

#define SIDE 240.0
#define MARGIN 62.0
#define TOP 34.0
#define FONT 12.0
#define POINT_90 1.6448536269514722
enum { ACROSS = 3 };

/* One panel: its corner, and what its axes cover, both the same. */
typedef struct {
    double x;
    double y;
    double low;
    double high;
} panel;

static sonde__point place(const panel *p, double truth, double estimate) {
    const double scale = SIDE / (p->high - p->low);
    return (sonde__point){p->x + (truth - p->low) * scale,
                          p->y + SIDE - (estimate - p->low) * scale};
}

/* Widens the axes to hold all points and intervals. */
static void cover(const sonde_recovered *all, const sonde_recovered_model *model, int32_t k,
                  panel *p) {
    const int32_t n = model->parameters->n;
    p->low = INFINITY;
    p->high = -INFINITY;
    for (int32_t i = 0; i < all->n_subject; i++) {
        const int64_t at = (int64_t)i * n + k;
        const double half = POINT_90 * sqrt(model->covariance[at * n + k]);
        p->low = fmin(p->low, fmin(model->truth[at], model->estimate[at] - half));
        p->high = fmax(p->high, fmax(model->truth[at], model->estimate[at] + half));
    }
    const double room = 0.04 * (p->high - p->low) + 1e-9;
    p->low -= room;
    p->high += room;
}

/* The axes with both ends and the middle. */
static void draw_axes(const panel *p, sonde_text *svg) {
    const sonde__point corner = {p->x, p->y + SIDE};
    sonde__pen_line(svg, SONDE__GREY, corner, (sonde__point){p->x + SIDE, p->y + SIDE});
    sonde__pen_line(svg, SONDE__GREY, corner, (sonde__point){p->x, p->y});
    sonde__pen_line(svg, SONDE__GRID, place(p, p->low, p->low), place(p, p->high, p->high));
    for (int32_t i = 0; i < 3; i++) {
        const double value = p->low + (p->high - p->low) * (0.1 + 0.4 * i);
        const sonde__word label = sonde__fixed(value, 2);
        const sonde__point below = place(p, value, p->low);
        const sonde__point beside = place(p, p->low, value);
        sonde__pen_words(svg, " text-anchor=\"middle\"", (sonde__point){below.x, below.y + 12.0},
                         FONT - 1.0, label.text);
        sonde__pen_words(svg, " text-anchor=\"end\"", (sonde__point){beside.x - 5.0, beside.y},
                         FONT - 1.0, label.text);
    }
    sonde__pen_words(svg, " text-anchor=\"middle\"",
                     (sonde__point){p->x + 0.5 * SIDE, p->y + SIDE + 28.0}, FONT, "true");
    sonde_text_add(svg, "<g transform=\"");
    sonde__pen_point(svg, "translate(", (sonde__point){p->x - 46.0, p->y + 0.5 * SIDE});
    sonde_text_add(svg, ") rotate(-90)\">\n");
    sonde__pen_words(svg, " text-anchor=\"middle\"", (sonde__point){0.0, 0.0}, FONT,
                     "estimate, 90 % interval");
    sonde_text_add(svg, "</g>\n");
}

static void draw_panel(const sonde_recovered *all, const sonde_recovered_model *model, int32_t k,
                       panel p, sonde_text *svg) {
    const int32_t n = model->parameters->n;
    cover(all, model, k, &p);
    draw_axes(&p, svg);
    for (int32_t i = 0; i < all->n_subject; i++) {
        const int64_t at = (int64_t)i * n + k;
        const double truth = model->truth[at];
        const double estimate = model->estimate[at];
        const double half = POINT_90 * sqrt(model->covariance[at * n + k]);
        const char *colour = fabs(estimate - truth) <= half ? SONDE__BETTER : SONDE__WORSE;
        sonde__pen_line(svg, colour, place(&p, truth, estimate - half),
                        place(&p, truth, estimate + half));
        sonde__pen_dot(svg, colour, place(&p, truth, estimate));
    }
    sonde_text title = {0};
    sonde__words_plain(&title, model->parameters->parameter[k].name, 24);
    if (!isnan(model->recovery[k].r)) {
        sonde_text_add(&title, ": r = %s", sonde__fixed(model->recovery[k].r, 2).text);
    }
    sonde__pen_words(svg, " text-anchor=\"middle\"", (sonde__point){p.x + 0.5 * SIDE, p.y - 14.0},
                     FONT + 1.0, title.data ? title.data : "");
    svg->failed = svg->failed || title.failed;
    sonde_text_free(&title);
}

void sonde_draw_recovery(const sonde_recovered *recovered, int32_t model, sonde_text *svg) {
    const sonde_recovered_model *one = &recovered->model[model];
    const int32_t n = one->parameters->n;
    const int32_t n_across = n < ACROSS ? n : ACROSS;
    const int32_t n_down = (n + ACROSS - 1) / ACROSS;
    const double across = SIDE + MARGIN + 14.0;
    const double down = SIDE + TOP + 40.0;
    sonde__pen_open(
        svg, n_across * across, n_down * down, "Recovery",
        "True parameters against their estimates, with 90 % intervals; those that do not "
        "hold the truth have another colour.");
    for (int32_t k = 0; k < n; k++) {
        const int32_t row = k / ACROSS;
        const panel p = {.x = (k - row * ACROSS) * across + MARGIN, .y = row * down + TOP};
        draw_panel(recovered, one, k, p, svg);
    }
    sonde_text_add(svg, "</svg>\n");
}

/* report_chart_labels.c: words beside the dots of a panel.
 *
 * Each label tries places round its dot, near ones first, and takes the first at which it touches
 * neither a dot nor a label nor the border; where there is none it is left out, because a title
 * still tells it to those who point at the dot. n dots cost n^2. */
#include <math.h>

#include "draw/report_chart.h"

#define FONT 9.5
#define DOT 5.0 /* half the room a dot takes */

static bool overlap(const sonde__area *a, const sonde__area *b) {
    return a->x < b->x + b->width && b->x < a->x + a->width && a->y < b->y + b->height &&
           b->y < a->y + a->height;
}

static bool inside(const sonde__area *a, const sonde__area *b) {
    return a->x >= b->x && a->y >= b->y && a->x + a->width <= b->x + b->width &&
           a->y + a->height <= b->y + b->height;
}

static bool is_free(const sonde__area *wanted, const sonde__area *taken, int32_t n) {
    for (int32_t i = 0; i < n; i++) {
        if (overlap(wanted, &taken[i])) {
            return false;
        }
    }
    return true;
}

/* The i-th place for words of this width round a dot. */
static sonde__area candidate(sonde__point dot, double width, int32_t i) {
    static const double directions[][2] = {{1.0, 0.0},  {-1.0, 0.0},  {0.0, -1.0}, {0.0, 1.0},
                                           {0.8, -0.9}, {-0.8, -0.9}, {0.8, 0.9},  {-0.8, 0.9}};
    const double height = FONT + 1.0;
    const int32_t ring = i / 8;
    const double away = 2.0 + 5.0 * (double)ring;
    const double *to = directions[i % 8];
    return (sonde__area){dot.x + to[0] * (0.5 * width + DOT + away) - 0.5 * width,
                         dot.y + to[1] * (0.5 * height + DOT + away - 2.0) - 0.5 * height, width,
                         height};
}

static bool is_labelled(const sonde__panel *panel, int32_t i) {
    return panel->series[panel->mark[i].series].drawing == SONDE__DRAW_DOTS &&
           panel->mark[i].label[0] != '\0';
}

/* A label that stands farther away is joined to its dot. */
static void add_label(const sonde__panel *panel, int32_t i, sonde__area area,
                      const sonde__area *box, sonde_text *svg) {
    const sonde__point dot = sonde__mark_place(panel, &panel->mark[i], area);
    const sonde__point middle = {box->x + 0.5 * box->width, box->y + 0.5 * box->height};
    const sonde__point near = {fmax(box->x, fmin(dot.x, box->x + box->width)),
                               fmax(box->y, fmin(dot.y, box->y + box->height))};
    if (sonde__distance(dot, near) > DOT + 6.0) {
        sonde__pen_line(svg, " stroke=\"" SONDE__GREY "\" stroke-width=\"0.6\"", dot, near);
    }
    sonde__pen_words(svg, " text-anchor=\"middle\"", middle, FONT, panel->mark[i].label);
}

void sonde__labels_draw(sonde__panel *panel, sonde__area area, sonde_text *svg) {
    int32_t n = panel->n_mark;
    sonde__area *taken = sonde__alloc(2 * (size_t)n * sizeof *taken);
    if (taken == NULL) {
        panel->failed = true;
        return;
    }
    for (int32_t i = 0; i < n; i++) {
        const sonde__point at = sonde__mark_place(panel, &panel->mark[i], area);
        taken[i] = (sonde__area){at.x - DOT, at.y - DOT, 2.0 * DOT, 2.0 * DOT};
    }
    sonde_text_add(svg, "<g fill=\"" SONDE__INK "\">\n");
    for (int32_t i = 0; i < panel->n_mark; i++) {
        if (!is_labelled(panel, i)) {
            continue;
        }
        const sonde__point dot = sonde__mark_place(panel, &panel->mark[i], area);
        const double width = sonde__pen_width(panel->mark[i].label, FONT);
        for (int32_t place = 0; place < 32; place++) {
            const sonde__area box = candidate(dot, width, place);
            if (inside(&box, &area) && is_free(&box, taken, n)) {
                add_label(panel, i, area, &box, svg);
                taken[n++] = box;
                break;
            }
        }
    }
    sonde_text_add(svg, "</g>\n");
    sonde__free(taken);
}

/* draw_history.c: numbers that change over the steps or episodes of a run, as lines in panels. */
#include <math.h>
#include <stdio.h>

#include "draw/draw_chart.h"

#define WIDTH 960.0
#define MARGIN 18.0
#define HEAD 44.0
#define PANEL_HEIGHT 150.0
#define PANEL_HEAD 22.0
#define PANEL_FOOT 46.0
#define PANEL_LEFT 58.0
#define PANEL_RIGHT 136.0 /* for the labels of lines */
#define N_WIDE 2          /* panels side by side */
#define N_LABEL 12        /* lines that are labelled, at most */
#define FONT 11.0

static const char *colour_of(int32_t i) {
    static const char *const colour[] = {SONDE__SERIES_COLOURS};
    return colour[i % (int32_t)(sizeof colour / sizeof *colour)];
}

/* 1, 2 or 5 times a power of ten, about `step`. */
static double round_step(double step) {
    const double power = pow(10.0, floor(log10(step)));
    const double times = step / power;
    return power * (times < 1.5 ? 1.0 : times < 3.5 ? 2.0 : times < 7.5 ? 5.0 : 10.0);
}

/* What a panel shows, from and to. */
static void find_range(const sonde_history *h, double *low, double *high) {
    *low = 0.0;
    *high = 0.0;
    for (int64_t i = 0; i < (int64_t)h->n_point * h->n_line; i++) {
        if (isfinite(h->value[i])) {
            *low = fmin(*low, h->value[i]);
            *high = fmax(*high, h->value[i]);
        }
    }
    *high += 0.06 * (*high - *low) + 1e-9;
}

static double x_of(const sonde_history *h, sonde__area area, int32_t i) {
    const int32_t n = h->n_point > 1 ? h->n_point - 1 : 1;
    return area.x + area.width * (double)i / (double)n;
}

static void draw_axes(const sonde_history *h, const char *axis, sonde__area area, double low,
                      double high, sonde_text *svg) {
    const double step = round_step((high - low) / 4.0);
    const int32_t n_decimal = (int32_t)fmax(0.0, ceil(-log10(step) - 1e-9));
    sonde_text_add(svg, "<g text-anchor=\"end\">\n");
    const int64_t last = (int64_t)floor(high / step + 1e-9);
    for (int64_t i = (int64_t)ceil(low / step - 1e-9); i <= last; i++) {
        const double k = (double)i;
        const double y = area.y + area.height * (1.0 - (k * step - low) / (high - low));
        sonde__pen_line(svg, SONDE__GRID, (sonde__point){area.x, y},
                        (sonde__point){area.x + area.width, y});
        sonde__pen_words(svg, "", (sonde__point){area.x - 6.0, y}, FONT,
                         sonde__fixed(k * step, n_decimal).text);
    }
    sonde_text_add(svg, "</g>\n<g text-anchor=\"middle\">\n");
    const double foot = area.y + area.height;
    const int32_t each = (int32_t)fmax(1.0, round_step((double)h->n_point / 6.0));
    for (int32_t k = 0; k < h->n_point; k += each) {
        sonde__pen_words(svg, "", (sonde__point){x_of(h, area, k), foot + 12.0}, FONT,
                         sonde__fixed((double)k, 0).text);
    }
    sonde__pen_words(svg, "", (sonde__point){area.x + 0.5 * area.width, foot + 28.0}, FONT, axis);
    sonde_text_add(svg, "</g>\n");
    sonde__pen_line(svg, SONDE__GREY, (sonde__point){area.x, foot},
                    (sonde__point){area.x + area.width, foot});
}

static void draw_line(const sonde_history *h, int32_t line, sonde__area area, double low,
                      double high, sonde_text *svg) {
    bool begun = false;
    sonde_text_add(svg, "<path fill=\"none\" stroke=\"%s\" stroke-width=\"1.6\" d=\"",
                   colour_of(line));
    for (int32_t i = 0; i < h->n_point; i++) {
        const double value = h->value[(int64_t)i * h->n_line + line];
        if (isfinite(value)) {
            const double y = area.y + area.height * (1.0 - (value - low) / (high - low));
            sonde__pen_point(svg, begun ? " L" : "M", (sonde__point){x_of(h, area, i), y});
            begun = true;
        }
    }
    sonde_text_add(svg, "\">");
    if (h->label != NULL) {
        sonde_text_add(svg, "<title>");
        sonde__html(svg, h->label[line]);
        sonde_text_add(svg, "</title>");
    }
    sonde_text_add(svg, "</path>\n");
}

/* Labels at the ends of lines, pushed apart where they would touch. */
static void draw_labels(const sonde_history *h, sonde__area area, double low, double high,
                        sonde_text *svg) {
    bool done[N_LABEL] = {false};
    double free_to = area.y + area.height + FONT;
    if (h->label == NULL || h->n_line > N_LABEL) {
        return;
    }
    for (int32_t k = 0; k < h->n_line; k++) {
        /* from the lowest line up */
        int32_t next = -1;
        for (int32_t line = 0; line < h->n_line; line++) {
            const double *last = h->value + (int64_t)(h->n_point - 1) * h->n_line;
            if (!done[line] && (next < 0 || last[line] < last[next])) {
                next = line;
            }
        }
        done[next] = true;
        const double value = h->value[(int64_t)(h->n_point - 1) * h->n_line + next];
        const double y = area.y + area.height * (1.0 - (value - low) / (high - low));
        const double at = isfinite(y) && y < free_to - FONT - 1.0 ? y : free_to - FONT - 1.0;
        char attribute[48];
        (void)snprintf(attribute, sizeof attribute, " fill=\"%s\"", colour_of(next));
        sonde__pen_words(svg, attribute, (sonde__point){area.x + area.width + 6.0, at}, FONT,
                         h->label[next]);
        free_to = at;
    }
}

void sonde_draw_history(const char *title, const char *axis, int32_t n,
                        const sonde_history *history, sonde_text *svg) {
    const int32_t n_row = (n + N_WIDE - 1) / N_WIDE;
    const double each = PANEL_HEAD + PANEL_HEIGHT + PANEL_FOOT;
    const double room = (WIDTH - 2.0 * MARGIN) / N_WIDE;
    sonde__pen_open(svg, WIDTH, HEAD + each * n_row + MARGIN, title, title);
    sonde__pen_words(svg, " font-weight=\"bold\"", (sonde__point){MARGIN, 22.0}, 14.0, title);
    for (int32_t i = 0; i < n; i++) {
        const sonde_history *h = &history[i];
        const int32_t row = i / N_WIDE;
        const sonde__area area = {.x = MARGIN + room * (double)(i % N_WIDE) + PANEL_LEFT,
                                  .y = HEAD + each * (double)row + PANEL_HEAD,
                                  .width = room - PANEL_LEFT - PANEL_RIGHT,
                                  .height = PANEL_HEIGHT};
        double low = 0.0;
        double high = 1.0;
        find_range(h, &low, &high);
        sonde__pen_words(svg, "", (sonde__point){area.x, area.y - 12.0}, 12.0, h->title);
        draw_axes(h, axis, area, low, high, svg);
        for (int32_t line = 0; line < h->n_line; line++) {
            draw_line(h, line, area, low, high, svg);
        }
        draw_labels(h, area, low, high, svg);
    }
    sonde_text_add(svg, "</svg>\n");
}

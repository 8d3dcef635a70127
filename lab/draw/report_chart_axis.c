/* report_chart_axis.c: ranges, ticks and their labels.
 *
 * Linear axes have ticks at 1, 2 or 5 times a power of ten. Logarithmic ones have them at powers of
 * ten, small ones between; where that would leave fewer than three, at 1, 2 and 5 times them. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "draw/report_chart.h"
#include "draw/report_page.h"

#define FONT 11.0
#define TITLE_FONT 12.0
#define TICK 4.0         /* length of a tick; small ones are shorter */
#define LINEAR_STEPS 5.0 /* between ticks, about */
#define DECADE_MAX 8     /* powers of ten that get a label each */
#define SMALL_MAX 4      /* powers of ten that get small ticks between them */

void sonde__axis_start(sonde__axis *axis) {
    *axis = (sonde__axis){
        .title = "", .low = NAN, .high = NAN, .data_low = INFINITY, .data_high = -INFINITY};
}

void sonde__axis_cover(sonde__axis *axis, double value) {
    if (!isfinite(value) || (axis->scale == SONDE__SCALE_LOG && value <= 0.0)) {
        return;
    }
    axis->data_low = fmin(axis->data_low, value);
    axis->data_high = fmax(axis->data_high, value);
}

/* ------------------------------------------------------------------------------------ ticks -- */

static void add_tick(sonde__axis *axis, double value, const char *label) {
    if (axis->n_tick < SONDE__TICK_MAX) {
        axis->tick[axis->n_tick] = value;
        (void)snprintf(axis->label[axis->n_tick], SONDE__LABEL_MAX, "%s", label);
        axis->n_tick++;
    }
}

/* 1, 2 or 5 times a power of ten, about `step`. */
static double round_step(double step) {
    const double power = pow(10.0, floor(log10(step)));
    const double times = step / power;
    return power * (times < 1.5 ? 1.0 : times < 3.5 ? 2.0 : times < 7.5 ? 5.0 : 10.0);
}

static void settle_linear(sonde__axis *axis) {
    const double span = axis->high - axis->low;
    double step = round_step(span / LINEAR_STEPS);
    step = axis->whole ? fmax(1.0, ceil(step)) : step;
    const int32_t n_decimal = (int32_t)fmax(0.0, ceil(-log10(step) - 1e-9));
    /* counted in whole steps, so that ticks do not drift */
    const double first = ceil(axis->low / step - 1e-9);
    const int32_t n = (int32_t)fmin(floor(axis->high / step + 1e-9) - first + 1.0, SONDE__TICK_MAX);
    for (int32_t i = 0; i < n; i++) {
        const double value = (first + (double)i) * step;
        add_tick(axis, value, sonde__fixed(value, n_decimal).text);
    }
}

/* A power of ten, written out while that is short for all of the axis. */
static void add_power(sonde__axis *axis, int32_t exponent, bool written_out) {
    const double value = pow(10.0, (double)exponent);
    char label[SONDE__LABEL_MAX];
    if (written_out) {
        add_tick(axis, value, sonde__fixed(value, exponent < 0 ? -exponent : 0).text);
        return;
    }
    (void)snprintf(label, sizeof label, "10^%s", sonde__fixed((double)exponent, 0).text);
    add_tick(axis, value, label);
}

static bool is_within(const sonde__axis *axis, double value) {
    return value >= axis->low * (1.0 - 1e-9) && value <= axis->high * (1.0 + 1e-9);
}

/* Few powers of ten: 1, 2 and 5 times each. */
static void settle_log_fine(sonde__axis *axis) {
    static const int32_t times[] = {1, 2, 5};
    const int32_t last = (int32_t)ceil(log10(axis->high));
    for (int32_t e = (int32_t)floor(log10(axis->low)); e <= last; e++) {
        for (int32_t i = 0; i < 3; i++) {
            const double value = (double)times[i] * pow(10.0, (double)e);
            if (is_within(axis, value)) {
                add_tick(axis, value, sonde__fixed(value, e < 0 ? -e : 0).text);
            }
        }
    }
}

/* Small ticks at 2 to 9 times a power of ten. */
static void add_small(sonde__axis *axis, int32_t exponent) {
    for (int32_t times = 2; times <= 9; times++) {
        const double value = (double)times * pow(10.0, (double)exponent);
        if (is_within(axis, value)) {
            add_tick(axis, value, "");
        }
    }
}

static void settle_log(sonde__axis *axis) {
    const int32_t first = (int32_t)ceil(log10(axis->low) - 1e-9);
    const int32_t last = (int32_t)floor(log10(axis->high) + 1e-9);
    const int32_t n = last - first + 1;
    if (n < 3 && axis->low >= 1e-4) {
        settle_log_fine(axis);
        return;
    }
    const bool written_out = first >= -2 && last <= 4;
    const int32_t every = (n + DECADE_MAX - 1) / DECADE_MAX;
    for (int32_t e = first - 1; e <= last; e++) {
        if (e >= first && (e - first) % every == 0) {
            add_power(axis, e, written_out);
        }
        if (n <= SMALL_MAX) {
            add_small(axis, e);
        }
    }
}

/* ------------------------------------------------------------------------------------ range -- */

/* What the data cover, and a little air; bars and counts begin at 0 because they were covered
 * so. */
static void settle_range(sonde__axis *axis) {
    if (axis->scale == SONDE__SCALE_CATEGORY) {
        axis->low = -0.5;
        axis->high = (double)axis->n_tick - 0.5;
        return;
    }
    const bool log_scale = axis->scale == SONDE__SCALE_LOG;
    double low = axis->data_low;
    double high = axis->data_high;
    if (low > high) {
        low = log_scale ? 1.0 : 0.0;
        high = log_scale ? 10.0 : 1.0;
    }
    const double air = log_scale ? pow(fmax(high / low, 2.0), 0.06) : 0.06 * (high - low);
    const double least_air = log_scale ? 1.12 : 1e-3 * fmax(fabs(low), fabs(high)) + 1e-9;
    const double gap = fmax(air, axis->whole ? 0.3 : least_air);
    if (isnan(axis->low)) {
        axis->low = log_scale ? low / gap : low >= 0.0 && low < 1e-12 ? 0.0 : low - gap;
    }
    if (isnan(axis->high)) {
        axis->high = log_scale ? high * gap : high + gap;
    }
}

void sonde__axis_settle(sonde__axis *axis) {
    settle_range(axis);
    switch (axis->scale) {
    case SONDE__SCALE_LINEAR: settle_linear(axis); break;
    case SONDE__SCALE_LOG: settle_log(axis); break;
    case SONDE__SCALE_CATEGORY: break;
    }
}

double sonde__axis_place(const sonde__axis *axis, double value) {
    double share = (value - axis->low) / (axis->high - axis->low);
    if (axis->scale == SONDE__SCALE_LOG) {
        share = value > 0.0 ? log(value / axis->low) / log(axis->high / axis->low) : 0.0;
    }
    return fmin(1.0, fmax(0.0, share));
}

/* ---------------------------------------------------------------------------------- drawing -- */

double sonde__axis_gutter(const sonde__axis *axis) {
    double most = 0.0;
    for (int32_t i = 0; i < axis->n_tick; i++) {
        most = fmax(most, sonde__pen_width(axis->label[i], FONT));
    }
    return most + TICK + 4.0;
}

/* Labels that would touch the one before are left out. */
void sonde__axis_draw_x(const sonde__axis *axis, sonde__area area, sonde_text *svg) {
    const double foot = area.y + area.height;
    double free_from = -INFINITY;
    sonde_text_add(svg, "<g stroke=\"" SONDE__GREY "\">\n");
    sonde__pen_line(svg, "", (sonde__point){area.x, foot},
                    (sonde__point){area.x + area.width, foot});
    for (int32_t i = 0; i < axis->n_tick && axis->scale != SONDE__SCALE_CATEGORY; i++) {
        const double x = area.x + area.width * sonde__axis_place(axis, axis->tick[i]);
        const double length = axis->label[i][0] != '\0' ? TICK : 0.6 * TICK;
        sonde__pen_line(svg, "", (sonde__point){x, foot}, (sonde__point){x, foot + length});
    }
    sonde_text_add(svg, "</g>\n<g text-anchor=\"middle\">\n");
    for (int32_t i = 0; i < axis->n_tick; i++) {
        const double x = area.x + area.width * sonde__axis_place(axis, axis->tick[i]);
        const double half = 0.5 * sonde__pen_width(axis->label[i], FONT);
        if (axis->label[i][0] != '\0' && x - half >= free_from) {
            sonde__pen_words(svg, "", (sonde__point){x, foot + TICK + 8.0}, FONT, axis->label[i]);
            free_from = x + half + 4.0;
        }
    }
    sonde__pen_words(svg, "", (sonde__point){area.x + 0.5 * area.width, foot + TICK + 25.0},
                     TITLE_FONT, axis->title);
    sonde_text_add(svg, "</g>\n");
}

/* With lines across the area, light enough to stay behind the data. */
void sonde__axis_draw_y(const sonde__axis *axis, sonde__area area, sonde_text *svg) {
    sonde_text_add(svg, "<g text-anchor=\"end\" stroke-width=\"1\">\n");
    for (int32_t i = 0; i < axis->n_tick; i++) {
        const double y = area.y + area.height * (1.0 - sonde__axis_place(axis, axis->tick[i]));
        const bool small = axis->label[i][0] == '\0';
        sonde__pen_line(svg, " stroke=\"" SONDE__GREY "\"",
                        (sonde__point){area.x - (small ? 0.6 : 1.0) * TICK, y},
                        (sonde__point){area.x, y});
        if (!small) {
            sonde__pen_line(svg, " stroke=\"" SONDE__GRID "\"", (sonde__point){area.x, y},
                            (sonde__point){area.x + area.width, y});
            sonde__pen_words(svg, "", (sonde__point){area.x - TICK - 3.0, y}, FONT, axis->label[i]);
        }
    }
    sonde__pen_line(svg, " stroke=\"" SONDE__GREY "\"", (sonde__point){area.x, area.y},
                    (sonde__point){area.x, area.y + area.height});
    sonde_text_add(svg, "</g>\n");
}

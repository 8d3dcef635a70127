/* draw_curve.c: quadratic Bezier curves, which all lines of a picture are.
 *
 * B(t) = (1-t)^2 a + 2 t (1-t) control + t^2 b. A straight line has its control point half way. */
#include <math.h>

#include "draw/draw_internal.h"

static sonde__point blend(const sonde__curve *curve, double wa, double wc, double wb) {
    return (sonde__point){wa * curve->a.x + wc * curve->control.x + wb * curve->b.x,
                          wa * curve->a.y + wc * curve->control.y + wb * curve->b.y};
}

sonde__point sonde__curve_at(const sonde__curve *curve, double t) {
    const double s = 1.0 - t;
    return blend(curve, s * s, 2.0 * s * t, t * t);
}

sonde__curve sonde__curve_part(const sonde__curve *curve, double from, double to) {
    const double mixed = from * (1.0 - to) + to * (1.0 - from);
    return (sonde__curve){.a = sonde__curve_at(curve, from),
                          .control = blend(curve, (1.0 - from) * (1.0 - to), mixed, from * to),
                          .b = sonde__curve_at(curve, to)};
}

double sonde__distance(sonde__point a, sonde__point b) {
    return sqrt((a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y));
}

double sonde__curve_length(const sonde__curve *curve) {
    double sum = 0.0;
    sonde__point last = curve->a;
    for (int i = 1; i <= 16; i++) {
        const sonde__point next = sonde__curve_at(curve, i / 16.0);
        sum += sonde__distance(last, next);
        last = next;
    }
    return sum;
}

sonde__curve sonde__curve_bent(sonde__point a, sonde__point b, double bend) {
    const double chord = sonde__distance(a, b);
    const double share = chord > 0.0 ? 2.0 * bend / chord : 0.0;
    const sonde__point control = {0.5 * (a.x + b.x) - (b.y - a.y) * share,
                                  0.5 * (a.y + b.y) + (b.x - a.x) * share};
    return (sonde__curve){a, control, b};
}

sonde__curve sonde__curve_shifted(const sonde__curve *curve, double offset) {
    const double chord = sonde__distance(curve->a, curve->b);
    const double share = chord > 0.0 ? offset / chord : 0.0;
    const double dx = -(curve->b.y - curve->a.y) * share;
    const double dy = (curve->b.x - curve->a.x) * share;
    return (sonde__curve){{curve->a.x + dx, curve->a.y + dy},
                          {curve->control.x + dx, curve->control.y + dy},
                          {curve->b.x + dx, curve->b.y + dy}};
}

sonde__curve sonde__curve_turned(const sonde__curve *curve) {
    return (sonde__curve){curve->b, curve->control, curve->a};
}

/* The t, from `inside` towards the curve's middle, at which it leaves a circle. */
static double leaves(const sonde__curve *curve, double inside, sonde__point center, double radius) {
    double outside = 0.5;
    for (int i = 0; i < 40; i++) {
        const double t = 0.5 * (inside + outside);
        if (sonde__distance(sonde__curve_at(curve, t), center) < radius) {
            inside = t;
        } else {
            outside = t;
        }
    }
    return outside;
}

sonde__curve sonde__curve_between(const sonde__curve *curve, sonde__circle a, sonde__circle b) {
    return sonde__curve_part(curve, leaves(curve, 0.0, a.center, a.radius),
                             leaves(curve, 1.0, b.center, b.radius));
}

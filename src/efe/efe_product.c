/* efe_product.c: G of the policies of a general model, all actions after a prefix side by side:
 * a fan (efe_fan.c) for whatever comes in order or by prefix, with an outlook (efe_outlook.c) that
 * all fans of a decision share. A few policies by number are scored plainly (efe_plain.c). */
#include "efe/efe_fan_internal.h"
#include "efe/efe_internal.h"

typedef struct {
    sonde__plain_track plain; /* first: a pointer to it is a pointer to the whole */
    sonde__fan fan;
} product_track;

static bool has_fans(uint32_t uses) {
    return (uses & (SONDE__SCORE_ORDER | SONDE__SCORE_PREFIXES)) != 0;
}

static void carve(sonde__arena *arena, sonde__score *score) {
    if (has_fans(score->uses)) {
        sonde__outlook none = {0};
        sonde__outlook *outlook = SONDE__TAKE(arena, sonde__outlook, 1);
        score->own = outlook;
        sonde__outlook_carve(arena, score->policies, outlook != NULL ? outlook : &none);
    }
}

static void carve_track(sonde__arena *arena, const sonde__score *score, sonde__track *track) {
    product_track none;
    product_track *own = SONDE__TAKE(arena, product_track, 1);
    product_track *to = own != NULL ? own : &none;
    track->own = own;
    if ((track->uses & SONDE__SCORE_NUMBERS) != 0) {
        sonde__plain_carve(arena, score, false, &to->plain);
    }
    if (has_fans(track->uses)) {
        sonde__fan_carve(arena, score->policies, &to->fan);
    }
}

static void start(sonde__score *score) {
    score->n_root = 1;
    if (has_fans(score->uses)) {
        sonde__outlook_start(score->own, score->policies, score->origin, score->now.belief);
    }
}

static void begin(sonde__track *track, uint64_t first, uint64_t end) {
    product_track *own = track->own;
    if ((track->uses & SONDE__SCORE_NUMBERS) != 0) {
        sonde__plain_begin(track, first, end);
    }
    if (has_fans(track->uses)) {
        own->fan.n_step = 0;
        sonde__fan_start(&own->fan, track->score->own, first, end);
        track->n_step += own->fan.n_step;
    }
}

static int32_t fill(sonde__track *track, double *efe, int32_t capacity, uint64_t *first,
                    int32_t *action) {
    product_track *own = track->own;
    own->fan.n_step = 0;
    const int32_t n = sonde__fan_fill(&own->fan, efe, capacity, first, action);
    track->n_step += own->fan.n_step;
    return n;
}

static int32_t expand(sonde__track *track, int32_t t, sonde__spot spot) {
    const sonde__score *score = track->score;
    product_track *own = track->own;
    const int32_t n = sonde__fan_open(&own->fan, score->own, t, spot.belief, spot.place);
    sonde__fan_children(&own->fan, t, track->next, track->below);
    track->efe = own->fan.sum + (int64_t)t * score->n_child;
    return n;
}

static void child(const sonde__track *track, int32_t t, int32_t i, sonde__spot spot) {
    const product_track *own = track->own;
    sonde__fan_child(&own->fan, t, i, spot.belief, spot.place);
}

const sonde__scoring sonde__product = {.measure = sonde__plain_measure,
                                       .carve = carve,
                                       .carve_track = carve_track,
                                       .start = start,
                                       .begin = begin,
                                       .fill = fill,
                                       .pick = sonde__plain_pick,
                                       .terms = sonde__plain_terms,
                                       .root = sonde__plain_root,
                                       .expand = expand,
                                       .child = child};

/* model_make_rocks.c: RockSample(n, k), a rover among rocks.
 *
 * A grid of n x n cells, x to the east and y to the north, with k rocks of which each is good or
 * bad. Checking a rock from a distance d is right with probability (1 + eta) / 2, eta = 2^(-d/20);
 * in the layout (4, 4) eta = e^-d. Sampling a good rock brings 10, a bad one costs 10, and the rock
 * is bad from then on; leaving in the east brings 10 and ends it. Whatever else leaves the grid,
 * and sampling where there is no rock, costs 100, and ends it or not.
 *
 * Factors are the rover and each rock. The transition of a factor depends on its own action alone,
 * and rocks have none: so the rover has a state "has just sampled rock i" beside that of the cell,
 * from which on the rock turns bad with the next action. Nobody can tell the difference: what
 * sampling again costs there is what a bad rock costs. */
#include <math.h>

#include "base/numbers.h"
#include "base/rng.h"
#include "model/model_make.h"

enum { NORTH, EAST, SOUTH, WEST, CHECK };
enum { GOOD, BAD };
static const double sampled = 10.0;
static const double left = 10.0;
static const double illegal = 100.0;

/* where rocks are */
typedef struct {
    int32_t n;
    int32_t k;
    int32_t start;       /* cell: y n + x */
    int64_t n_mix;       /* combinations of qualities, 2^k */
    const int32_t *rock; /* (k) cells */
} layout;

/* The five that papers use; {x, y} of the rocks. */
static const struct {
    int32_t n;
    int32_t k;
    int8_t rock[11][2];
} known[] = {
    {4, 4, {{3, 1}, {2, 1}, {1, 3}, {1, 0}}},
    {5, 5, {{2, 4}, {0, 4}, {3, 3}, {2, 2}, {4, 1}}},
    {5, 7, {{1, 0}, {2, 1}, {1, 2}, {2, 2}, {4, 2}, {0, 3}, {3, 4}}},
    {7, 8, {{2, 0}, {0, 1}, {3, 1}, {6, 3}, {2, 4}, {3, 4}, {5, 5}, {1, 6}}},
    {11,
     11,
     {{0, 3}, {0, 7}, {1, 8}, {2, 4}, {3, 3}, {3, 8}, {4, 3}, {5, 8}, {6, 1}, {9, 3}, {9, 9}}},
};

static bool is_known(int32_t n, int32_t k, int32_t *cell) {
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (known[i].n == n && known[i].k == k) {
            for (int32_t r = 0; r < k; r++) {
                cell[r] = known[i].rock[r][1] * n + known[i].rock[r][0];
            }
            return true;
        }
    }
    return false;
}

/* The rocks of a layout: known ones, or cells drawn without replacement. */
static layout place_rocks(sonde__making *m) {
    const int32_t n = m->how.size;
    layout all = {.n = n, .k = m->how.n_rock, .start = n / 2 * n, .n_mix = 1};
    int32_t *cell = sonde__making_take(m, (uint64_t)n * (uint64_t)n, sizeof *cell);
    if (cell != NULL && !is_known(n, all.k, cell)) {
        sonde__rng rng = sonde__rng_stream(m->how.seed, SONDE__FOR_ROCKS, 0);
        sonde__shuffle(&rng, n * n, cell);
    }
    for (int32_t r = 0; r < all.k; r++) {
        all.n_mix *= 2;
    }
    all.rock = cell;
    return all;
}

/* The rover's states: cells, its end, and a cell of each rock just after it was sampled. */
static int32_t end_of(const layout *all) {
    return all->n * all->n;
}

static int32_t n_place(const layout *all) {
    return end_of(all) + 1 + all->k;
}

static int32_t cell_of(const layout *all, int32_t place) {
    return place > end_of(all) ? all->rock[place - end_of(all) - 1] : place;
}

static int32_t rock_at(const layout *all, int32_t cell) {
    for (int32_t r = 0; r < all->k; r++) {
        if (all->rock[r] == cell) {
            return r;
        }
    }
    return -1;
}

/* The cell that a move leads to, the end where it leaves in the east, or -1 off the grid. */
static int32_t move(const layout *all, int32_t cell, int32_t u) {
    const int32_t x = cell % all->n + (u == EAST) - (u == WEST);
    const int32_t y = cell / all->n + (u == NORTH) - (u == SOUTH);
    if (x == all->n) {
        return end_of(all);
    }
    return x < 0 || y < 0 || y == all->n ? -1 : y * all->n + x;
}

/* Where an action leads, or -1 where it is illegal. */
static int32_t go(const layout *all, int32_t place, int32_t u) {
    const int32_t cell = cell_of(all, place);
    if (place == end_of(all)) {
        return place;
    }
    if (u < CHECK) {
        return move(all, cell, u);
    }
    if (u < CHECK + all->k) {
        return cell;
    }
    const int32_t rock = rock_at(all, cell);
    return rock >= 0 ? end_of(all) + 1 + rock : -1;
}

/* ----------------------------------------------------------------------------------- factors -- */

static void name_rover(sonde__making *m, const layout *all, sonde_factor *shape) {
    const sonde__called place = sonde__making_names(m, n_place(all));
    const sonde__called action = sonde__making_names(m, shape->n_action);
    static const char *const ways[] = {"north", "east", "south", "west"};
    for (int32_t i = 0; i < n_place(all); i++) {
        if (i < end_of(all)) {
            sonde__making_call(place, i, "x%dy%d", i % all->n, i / all->n);
        } else if (i == end_of(all)) {
            sonde__making_call(place, i, "end");
        } else {
            sonde__making_call(place, i, "sampled_%d", i - end_of(all) - 1);
        }
    }
    for (int32_t u = 0; u < shape->n_action; u++) {
        if (u < CHECK) {
            sonde__making_call(action, u, "%s", ways[u]);
        } else if (u < CHECK + all->k) {
            sonde__making_call(action, u, "check_%d", u - CHECK);
        } else {
            sonde__making_call(action, u, "sample");
        }
    }
    shape->state_name = place.name;
    shape->action_name = action.name;
}

static void make_rover(sonde__making *m, const layout *all) {
    sonde_factor shape = {.name = "rover", .n_state = n_place(all), .n_action = CHECK + all->k + 1};
    name_rover(m, all, &shape);
    const sonde__made_factor rover = sonde__making_factor(m, &shape);
    const int32_t off = m->how.illegal == SONDE_ILLEGAL_END ? end_of(all) : -1;
    for (int32_t s = 0; rover.B != NULL && s < shape.n_state; s++) {
        for (int32_t u = 0; u < shape.n_action; u++) {
            const int32_t to = go(all, s, u);
            const int64_t next = to >= 0 ? to : off >= 0 ? off : cell_of(all, s);
            rover.B[(next * shape.n_state + s) * shape.n_action + u] = 1.0;
        }
    }
    if (rover.D != NULL) {
        rover.D[all->start] = 1.0;
    }
}

static void make_rock(sonde__making *m, const layout *all, int32_t r) {
    static const char *const qualities[] = {"good", "bad"};
    const sonde__called name = sonde__making_names(m, 1);
    int32_t *depend = sonde__making_take(m, 2, sizeof *depend);
    if (depend == NULL) {
        return;
    }
    sonde__making_call(name, 0, "rock_%d", r);
    depend[1] = r + 1;
    const sonde__made_factor rock = sonde__making_factor(m, &(sonde_factor){.name = name.name[0],
                                                                            .n_state = 2,
                                                                            .n_action = 1,
                                                                            .state_name = qualities,
                                                                            .n_depend = 2,
                                                                            .depend = depend});
    const int64_t n = n_place(all);
    for (int64_t s = 0; rock.B != NULL && s < n; s++) {
        const bool spoiled = s == end_of(all) + 1 + r;
        rock.B[(GOOD * n + s) * 2 + GOOD] = spoiled ? 0.0 : 1.0;
        rock.B[(BAD * n + s) * 2 + GOOD] = spoiled ? 1.0 : 0.0;
        rock.B[(BAD * n + s) * 2 + BAD] = 1.0;
    }
    if (rock.D != NULL) {
        rock.D[GOOD] = rock.D[BAD] = 0.5;
    }
}

/* ------------------------------------------------------------------- what is seen, and costs -- */

/* Whether a rock is good, in a number that has a bit for each, the last one's lowest. */
static bool is_good(const layout *all, int64_t rocks, int32_t r) {
    const int64_t bit = all->n_mix >> (r + 1);
    return rocks / bit % 2 == GOOD;
}

/* How probable it is that a check from a place says the truth. */
static double trust(const layout *all, int32_t place, int32_t r) {
    const int32_t cell = cell_of(all, place);
    const int32_t x = cell % all->n - all->rock[r] % all->n;
    const int32_t y = cell / all->n - all->rock[r] / all->n;
    const double d = sqrt((double)x * x + (double)y * y);
    const double rate = all->n == 4 && all->k == 4 ? 1.0 : sonde__log(2.0) / 20.0;
    return 0.5 * (1.0 + sonde__exp(-rate * d));
}

static void make_sensor(sonde__making *m, const layout *all) {
    static const char *const qualities[] = {"good", "bad"};
    const int32_t n_action = CHECK + all->k + 1;
    const int64_t n = n_place(all) * all->n_mix;
    int32_t *of = sonde__making_take(m, (uint64_t)all->k + 1, sizeof *of);
    for (int32_t f = 0; of != NULL && f <= all->k; f++) {
        of[f] = f;
    }
    const sonde__made_modality seen =
        of == NULL ? (sonde__made_modality){0}
                   : sonde__making_modality(m, &(sonde_modality){.name = "sensor",
                                                                 .n_outcome = 2,
                                                                 .outcome_name = qualities,
                                                                 .n_factor = all->k + 1,
                                                                 .factor = of,
                                                                 .n_action = n_action});
    for (int64_t s = 0; seen.A != NULL && s < n; s++) {
        const int32_t place = (int32_t)(s / all->n_mix);
        for (int32_t u = 0; u < n_action; u++) {
            const int32_t r = u - CHECK;
            const bool checks = r >= 0 && r < all->k && place != end_of(all);
            const double right = checks ? trust(all, place, r) : 1.0;
            const double good = checks && !is_good(all, s, r) ? 1.0 - right : right;
            seen.A[s * n_action + u] = good;
            seen.A[(n + s) * n_action + u] = 1.0 - good;
        }
    }
}

/* What an action costs in a place with these rocks. */
static double price(const layout *all, int32_t place, int64_t rocks, int32_t u) {
    const int32_t to = go(all, place, u);
    if (to < 0) {
        return illegal;
    }
    if (u == EAST && to == end_of(all) && place != to) {
        return -left;
    }
    if (u < CHECK + all->k || place == end_of(all)) {
        return 0.0;
    }
    const bool first = place < end_of(all);
    return first && is_good(all, rocks, rock_at(all, cell_of(all, place))) ? -sampled : sampled;
}

static void make_prices(sonde__making *m, const layout *all) {
    const int32_t n_action = CHECK + all->k + 1;
    const int64_t n = n_place(all) * all->n_mix;
    double *cost = sonde__making_cost(m);
    for (int64_t s = 0; cost != NULL && s < n; s++) {
        for (int32_t u = 0; u < n_action; u++) {
            cost[s * n_action + u] = price(all, (int32_t)(s / all->n_mix), s, u);
        }
    }
}

void sonde__make_rocksample(sonde__making *m) {
    const layout all = place_rocks(m);
    const sonde__called name = sonde__making_names(m, 1);
    if (name.name == NULL || all.rock == NULL) {
        return;
    }
    sonde__making_call(name, 0, "RockSample(%d, %d)", all.n, all.k);
    m->parts.name = name.name[0];
    sonde__making_reward(m, 0.95);
    make_rover(m, &all);
    for (int32_t r = 0; r < all.k && m->status == SONDE_OK; r++) {
        make_rock(m, &all, r);
    }
    if (m->status == SONDE_OK) {
        make_sensor(m, &all);
        make_prices(m, &all);
    }
}

/* efe_spread.c: beliefs of the factors after each of their actions, side by side.
 *
 * A factor's beliefs after step t depend on its own past actions alone, unless the model is
 * coupled, so that they are kept while other factors go through theirs. Where B is large, they are
 * made for all prefixes that differ in step t - 1 alone: B is then read once for all of them. */
#include "efe/efe_spread_internal.h"

#include <string.h>

#include "efe/efe_rows.h"

/* numbers in the first cache, and policies beyond which nobody goes through all of them */
#define FIRST_CACHE 4096
#define VISITED_MAX 1e10

/* actions that are looked at at once */
enum { ACROSS = 8 };

/* How many prefixes that share all but step t - 1 have factor f's beliefs after step t made
 * together: where B does not fit the first cache, and what it makes does not take much room. */
static int32_t count_rooms(const sonde_policies *policies, int32_t t, int32_t f) {
    const sonde_factor *factor = &policies->model->factor[f];
    const int64_t n = (int64_t)factor->n_state * factor->n_lane;
    const bool possible = t > 1 && factor->B != NULL && factor->n_depend == 1 &&
                          factor->depend[0] == f && factor->n_lane >= SONDE__EFE_LANES;
    const bool pays = factor->n_state * n > FIRST_CACHE && policies->size <= VISITED_MAX;
    return possible && pays ? sonde__rows_together(factor->n_action, n) : 1;
}

void sonde__spreads_carve(sonde__arena *arena, const sonde_policies *policies, sonde__fan *fan) {
    const sonde_model *model = policies->model;
    const int64_t n = ((int64_t)policies->horizon + 1) * model->n_factor;
    fan->spread = SONDE__TAKE(arena, sonde__spread, n);
    for (int64_t i = 0; i < n; i++) {
        const int32_t f = (int32_t)(i % model->n_factor);
        const sonde_factor *factor = &model->factor[f];
        const uint64_t n_lane = (uint64_t)sonde__rows_whole(factor->n_action);
        const uint64_t n_number = sonde__multiply(n_lane, (uint64_t)factor->n_state);
        const int32_t n_room = count_rooms(policies, (int32_t)(i / model->n_factor), f);
        double *room = SONDE__TAKE(arena, double, sonde__multiply((uint64_t)n_room, n_number));
        const sonde__spread spread = {
            .q = room,
            .room = room,
            .n_room = n_room,
            .support = SONDE__TAKE(arena, int32_t, factor->n_state),
            .choice = SONDE__TAKE(arena, int32_t, factor->n_action),
        };
        if (fan->spread != NULL) {
            fan->spread[i] = spread;
        }
    }
}

void sonde__spread_states(const sonde__spread *spread, int32_t column, sonde__sample *states) {
    const double *q = spread->q + column;
    int32_t n = 0;
    for (int32_t j = 0; j < spread->n_support; j++) {
        const int32_t s = spread->support[j];
        const double p = q[(int64_t)s * spread->n_lane];
        states->from[n] = s;
        states->weight[n] = p;
        n += p != 0.0;
    }
    states->n = n;
}

/* Multiplies the states of one more factor into the list. */
static void combine(const sonde__sample *before, const sonde__sample *one, int32_t n_state,
                    sonde__sample *after) {
    int32_t n = 0;
    for (int32_t i = 0; i < before->n; i++) {
        const int32_t first = before->from[i] * n_state;
        const double weight = before->weight[i];
        for (int32_t j = 0; j < one->n; j++) {
            after->from[n + j] = first + one->from[j];
            after->weight[n + j] = weight * one->weight[j];
        }
        n += one->n;
    }
    after->n = n;
}

int32_t sonde__fan_column(const sonde__fan *fan, int32_t t, int32_t f) {
    const int32_t n_factor = fan->outlook->policies->model->n_factor;
    int32_t child = fan->child[t];
    for (int32_t g = n_factor - 1; g > f; g--) {
        child /= sonde__spread_at(fan, t, g)->n_choice;
    }
    return child % sonde__spread_at(fan, t, f)->n_choice;
}

sonde__sample sonde__fan_states(const sonde__fan *fan, int32_t t, int32_t n,
                                const int32_t *factor) {
    const sonde_model *model = fan->outlook->policies->model;
    sonde__sample now = {.n = 1, .from = fan->from, .weight = fan->weight};
    sonde__sample next = {.from = fan->from + fan->n_half, .weight = fan->weight + fan->n_half};
    sonde__sample one = {.from = fan->from + 2 * fan->n_half,
                         .weight = fan->weight + 2 * fan->n_half};
    sonde__spread_states(sonde__spread_at(fan, t - 1, factor[0]),
                         sonde__fan_column(fan, t - 1, factor[0]), &now);
    for (int32_t i = 1; i < n; i++) {
        const int32_t g = factor[i];
        sonde__spread_states(sonde__spread_at(fan, t - 1, g), sonde__fan_column(fan, t - 1, g),
                             &one);
        combine(&now, &one, model->factor[g].n_state, &next);
        const sonde__sample swapped = now;
        now = next;
        next = swapped;
    }
    return now;
}

/* Whether none of some actions in a row may be taken: most may not where actions are many. */
static bool is_barred(const int32_t *next) {
    int32_t all = -1;
    for (int32_t i = 0; i < ACROSS; i++) {
        all &= next[i];
    }
    return all < 0;
}

/* The actions that a factor may take from a place at step t, of which dead ends are none. */
static void find_choices(const sonde__fan *fan, int32_t t, int32_t f, int32_t place) {
    const sonde_policies *policies = fan->outlook->policies;
    const sonde_places *places = &policies->place[f];
    const uint64_t *left = places->completion + (int64_t)(policies->horizon - t) * places->n_place;
    sonde__spread *spread = sonde__spread_at(fan, t, f);
    const int32_t *next = places->next + (int64_t)place * places->n_action;
    spread->place = place;
    if (spread->listed == place + 1) {
        return;
    }
    spread->listed = place + 1;
    int32_t n = 0;
    for (int32_t u = 0; u < places->n_action; u++) {
        if (u % ACROSS == 0 && u + ACROSS <= places->n_action && is_barred(next + u)) {
            u += ACROSS - 1;
        } else if (next[u] >= 0 && left[next[u]] > 0) {
            spread->choice[n++] = u;
        }
    }
    spread->n_choice = n;
    spread->n_lane = sonde__rows_whole(spread->n_choice);
}

bool sonde__fan_together(const sonde__fan *fan, int32_t t, int32_t f, int32_t n_room,
                         sonde__together *made) {
    const sonde_policies *policies = fan->outlook->policies;
    const sonde__spread *spread = sonde__spread_at(fan, t, f);
    const int32_t column = sonde__fan_column(fan, t, f);
    if (made->version == spread->version && column >= made->first && column < made->end) {
        return false;
    }
    /* policies that begin with a prefix, at least, and how many prefixes the stretch still has */
    const uint64_t left = fan->end - fan->position;
    uint64_t n_below = 1;
    for (int32_t i = t; i < policies->horizon && n_below <= left; i++) {
        n_below *= (uint64_t)policies->model->factor[f].n_action;
    }
    const uint64_t n_left = left / n_below + 1;
    const int32_t n_column = spread->n_choice - column;
    const int32_t most = n_column < n_room ? n_column : n_room;
    *made = (sonde__together){.version = spread->version,
                              .first = column,
                              .end = column + (n_left < (uint64_t)most ? (int32_t)n_left : most)};
    return true;
}

void sonde__spread_sum(sonde__fan *fan, const sonde__spread *spread, const sonde__together *some,
                       int64_t n, const double *matrix, double *out) {
    sonde__sample states = {.from = fan->from, .weight = fan->weight};
    const sonde__rows_sets sets = {.n_column = n,
                                   .n_set = some->end - some->first,
                                   .n_lane = spread->n_lane,
                                   .n_support = spread->n_support,
                                   .support = spread->support,
                                   .weight = spread->q + some->first,
                                   .matrix = matrix};
    fan->listed = NULL;
    sonde__spread_states(spread, some->first, &states);
    if (sets.n_set > 1 && 2 * states.n > spread->n_support) {
        sonde__rows_sum_sets(&sets, out);
        return;
    }
    /* only what is not 0 */
    for (int32_t i = 0; i < sets.n_set; i++) {
        sonde__spread_states(spread, some->first + i, &states);
        sonde__rows_sum_rows(n, states.n, states.from, states.weight, matrix, out + i * n);
    }
}

static void support_all(const sonde_factor *factor, sonde__spread *spread) {
    spread->n_support = factor->n_state;
    for (int32_t s = 0; s < factor->n_state; s++) {
        spread->support[s] = s;
    }
}

/* Every next state, where B is given in full. */
static void spread_dense(sonde__fan *fan, const sonde_factor *factor, const sonde__sample *from,
                         sonde__spread *spread) {
    const int64_t n = (int64_t)factor->n_state * factor->n_lane;
    const bool narrow = factor->n_lane < SONDE__EFE_LANES;
    double *to = narrow ? fan->outcome : spread->q;
    support_all(factor, spread);
    sonde__rows_sum_rows(n, from->n, from->from, from->weight, factor->B, to);
    for (int64_t i = 0; narrow && i < n; i++) {
        spread->q[i / factor->n_lane * SONDE__EFE_LANES + i % factor->n_lane] = to[i];
    }
}

/* The same for the present prefix and some that follow it. */
static void spread_together(sonde__fan *fan, int32_t t, int32_t f) {
    const sonde_factor *factor = &fan->outlook->policies->model->factor[f];
    const int64_t n = (int64_t)factor->n_state * factor->n_lane;
    sonde__spread *spread = sonde__spread_at(fan, t, f);
    if (sonde__fan_together(fan, t - 1, f, spread->n_room, &spread->made)) {
        sonde__spread_sum(fan, sonde__spread_at(fan, t - 1, f), &spread->made, n, factor->B,
                          spread->room);
    }
    spread->q = spread->room + (spread->column - spread->made.first) * n;
    support_all(factor, spread);
}

/* Only the next states that can be reached. */
static void spread_sparse(sonde__fan *fan, const sonde_factor *factor, const sonde__sample *from,
                          sonde__spread *spread) {
    spread->n_support = 0;
    for (int32_t c = 0; c < spread->n_choice; c++) {
        for (int32_t i = 0; i < from->n; i++) {
            const int64_t at = (int64_t)from->from[i] * factor->n_action + spread->choice[c];
            for (int64_t k = factor->offset[at]; k < factor->offset[at + 1]; k++) {
                const int32_t s = factor->next[k];
                double *row = spread->q + (int64_t)s * spread->n_lane;
                if (!fan->marked[s]) {
                    fan->marked[s] = true;
                    spread->support[spread->n_support++] = s;
                    memset(row, 0, (size_t)spread->n_lane * sizeof *row);
                }
                row[c] += factor->p[k] * from->weight[i];
            }
        }
    }
    for (int32_t i = 0; i < spread->n_support; i++) {
        fan->marked[spread->support[i]] = false;
    }
}

void sonde__fan_spread(sonde__fan *fan, int32_t t, int32_t f) {
    const sonde_policies *policies = fan->outlook->policies;
    const sonde_factor *factor = &policies->model->factor[f];
    const sonde__spread *before = sonde__spread_at(fan, t - 1, f);
    sonde__spread *spread = sonde__spread_at(fan, t, f);
    const int32_t column = sonde__fan_column(fan, t - 1, f);
    if (spread->source == before->version && spread->column == column &&
        !policies->model->coupled) {
        return;
    }
    const sonde_places *places = &policies->place[f];
    const int32_t place =
        t == 1 || fan->alone
            ? before->place
            : places->next[(int64_t)before->place * places->n_action + before->choice[column]];
    find_choices(fan, t, f, place);
    spread->version = ++fan->clock;
    spread->source = before->version;
    spread->column = column;
    if (t == policies->horizon && fan->outlook->skipped[f]) {
        return;
    }
    if (spread->n_room > 1) {
        spread_together(fan, t, f);
        return;
    }
    const sonde__sample from = sonde__fan_states(fan, t, factor->n_depend, factor->depend);
    if (factor->B != NULL) {
        spread_dense(fan, factor, &from, spread);
    } else {
        spread_sparse(fan, factor, &from, spread);
    }
}

void sonde__spread_alone(sonde__spread *spread, int32_t n_state, const double *belief) {
    spread->n_lane = 1;
    spread->n_choice = 1;
    spread->choice[0] = 0;
    spread->listed = 0;
    spread->n_support = 0;
    for (int32_t s = 0; s < n_state; s++) {
        spread->q[s] = belief[s];
        if (belief[s] != 0.0) {
            spread->support[spread->n_support++] = s;
        }
    }
}

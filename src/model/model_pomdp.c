/* model_pomdp.c: a model from a .POMDP file, Cassandra's format (docs/formats.md).
 *
 * A later line stands over earlier ones. What is probable is kept as a list for each action and
 * state, so that thousands of states are no matter; rewards as a table with a key (action, state,
 * next state, outcome) of which each may be any. In the end
 *
 *     action_cost[s][u] = - sum over s', o of T(s' | s, u) O(o | s', u) R(u, s, s', o)
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/numbers.h"
#include "base/plain.h"
#include "base/shown.h"
#include "base/status.h"
#include "model/model_internal.h"
#include "model/model_pomdp_lines.h"

enum { ANY = -1 };

/* one probability, and what has it */
typedef struct {
    int32_t to;
    int32_t order; /* in which they were given */
    double p;
} cell;

/* what follows, or is seen, after an action in a state */
typedef struct {
    cell *cell; /* (most) */
    int32_t n;
    int32_t most;
    int32_t line; /* that said something of it last; 0: none did */
} list;

/* T or O */
typedef struct {
    const char *name;
    sonde__words *to; /* what is probable */
    list *list;       /* (actions, states) or NULL */
} table;

/* rewards by action, state, next state and outcome, each perhaps ANY */
typedef struct {
    int32_t key[4];
    int32_t order; /* in which they were given, from 1 on; 0: nothing is here */
    double value;
} reward;
typedef struct {
    reward *place; /* (n_place) */
    uint64_t n_place;
    uint64_t n;
    int32_t n_order;
    bool used[16]; /* whether there are keys with these parts ANY, as bits */
} rewards;

typedef struct {
    sonde__foreign file;
    sonde__pomdp_lines lines;
    sonde__words states;
    sonde__words actions;
    sonde__words observations;
    bool has_discount;
    bool has_values;
    bool costs;    /* values are costs, not rewards */
    double *start; /* (states), or NULL: even */
    table T;
    table O;
    rewards R;
    double *row;  /* (the most states or observations) */
    int32_t said; /* the line that what is read now began on */
} pomdp;

/* ----------------------------------------------------------------------------- probabilities -- */

/* Room for n more in a list. */
static bool room_in(pomdp *p, list *of, int32_t n) {
    if (of->n <= INT32_MAX / 2 - n && of->n + n <= of->most) {
        return true;
    }
    const int64_t most =
        (int64_t)of->n + n > 2 * (int64_t)of->most ? (int64_t)of->n + n : 2 * (int64_t)of->most;
    if (most > INT32_MAX / 2 ||
        !sonde__foreign_afford(&p->file, (uint64_t)(most - of->most), sizeof(cell))) {
        return p->file.status == SONDE_OK &&
               sonde__foreign_wrong(&p->file, p->lines.now, "too many probabilities of one row");
    }
    cell *cells = sonde__resize(of->cell, (size_t)most * sizeof *cells);
    if (cells == NULL) {
        p->file.status =
            sonde__fail_memory(p->file.error, p->file.origin, (uint64_t)most * sizeof *cells);
        return false;
    }
    of->cell = cells;
    of->most = (int32_t)most;
    return true;
}

static bool put_cell(pomdp *p, list *of, int32_t to, double probability) {
    if (!room_in(p, of, 1)) {
        return false;
    }
    of->cell[of->n] = (cell){to, of->n, probability};
    of->n++;
    return true;
}

/* Makes a list of a whole row (n). */
static bool put_row(pomdp *p, list *of, int32_t n, const double *row) {
    of->n = 0;
    for (int32_t to = 0; to < n; to++) {
        if (row[to] != 0.0 && !put_cell(p, of, to, row[to])) {
            return false;
        }
    }
    return true;
}

static int by_place(const void *left, const void *right) {
    const cell *a = left;
    const cell *b = right;
    const int where = (a->to > b->to) - (a->to < b->to);
    return where != 0 ? where : (a->order > b->order) - (a->order < b->order);
}

/* Of probabilities of the same thing the last one stands; zeros go. Returns the sum. */
static double settle_list(list *of) {
    double sum = 0.0;
    int32_t n = 0;
    if (of->n > 1) {
        qsort(of->cell, (size_t)of->n, sizeof *of->cell, by_place);
    }
    for (int32_t i = 0; i < of->n; i++) {
        const bool last = i + 1 == of->n || of->cell[i + 1].to != of->cell[i].to;
        if (last && of->cell[i].p != 0.0) {
            of->cell[n] = of->cell[i];
            sum += of->cell[n++].p;
        }
    }
    of->n = n;
    return sum;
}

static const char *called(const sonde__words *words, int32_t i, char *number, size_t size) {
    (void)snprintf(number, size, "%d", (int)i);
    return words->name != NULL ? words->name[i] : number;
}

/* Every row sums to 1, and is divided by its sum. */
static bool settle_table(pomdp *p, table *t) {
    for (int32_t u = 0; u < p->actions.n; u++) {
        for (int32_t s = 0; s < p->states.n; s++) {
            list *of = &t->list[(int64_t)u * p->states.n + s];
            const double sum = settle_list(of);
            if (!sonde__foreign_sums(sum)) {
                char a[16];
                char b[16];
                const char *action = called(&p->actions, u, a, sizeof a);
                const char *state = called(&p->states, s, b, sizeof b);
                return sonde__foreign_wrong(
                    &p->file, of->line > 0 ? of->line : p->lines.now,
                    "%s: %.*s : %.*s: expected probabilities that sum to 1, found %g%s", t->name,
                    sonde__cut(action, 60), action, sonde__cut(state, 60), state, sum,
                    of->line > 0 ? "" : ", for no line says anything of it");
            }
            for (int32_t i = 0; i < of->n; i++) {
                of->cell[i].p /= sum;
            }
        }
    }
    return true;
}

/* ----------------------------------------------------------------------------------- rewards -- */

static uint64_t scatter(const int32_t *key) {
    uint64_t x = 0;
    for (int32_t i = 0; i < 4; i++) {
        x = (x ^ (uint32_t)key[i]) * UINT64_C(0x9e3779b97f4a7c15);
        x ^= x >> 29;
    }
    return x;
}

/* Where a key is, or would be. */
static reward *find_reward(const rewards *R, const int32_t *key) {
    uint64_t at = scatter(key) & (R->n_place - 1);
    while (R->place[at].order > 0 && memcmp(R->place[at].key, key, sizeof R->place[at].key) != 0) {
        at = (at + 1) & (R->n_place - 1);
    }
    return &R->place[at];
}

static bool spread_rewards(pomdp *p) {
    rewards *R = &p->R;
    const rewards before = *R;
    R->n_place = before.n_place > 0 ? 2 * before.n_place : 256;
    R->place = sonde__foreign_take(&p->file, R->n_place, sizeof *R->place);
    for (uint64_t i = 0; R->place != NULL && i < before.n_place; i++) {
        if (before.place[i].order > 0) {
            *find_reward(R, before.place[i].key) = before.place[i];
        }
    }
    return R->place != NULL;
}

static bool put_reward(pomdp *p, const int32_t *key, double value) {
    rewards *R = &p->R;
    if (2 * (R->n + 1) > R->n_place && !spread_rewards(p)) {
        return false;
    }
    reward *place = find_reward(R, key);
    R->n += place->order == 0;
    memcpy(place->key, key, sizeof place->key);
    place->value = value;
    place->order = ++R->n_order;
    uint32_t mask = 0;
    for (uint32_t i = 0; i < 4; i++) {
        mask |= key[i] == ANY ? 1u << i : 0;
    }
    R->used[mask] = true;
    return true;
}

/* What the last line that concerns it says of a reward; 0 unless there is one. */
static double look_up(const rewards *R, const int32_t *key) {
    const reward *last = NULL;
    for (uint32_t mask = 0; mask < 16; mask++) {
        if (R->used[mask]) {
            int32_t masked[4];
            for (uint32_t i = 0; i < 4; i++) {
                masked[i] = (mask >> i & 1) != 0 ? ANY : key[i];
            }
            const reward *found = find_reward(R, masked);
            last = found->order > (last != NULL ? last->order : 0) ? found : last;
        }
    }
    return last != NULL ? last->value : 0.0;
}

/* ----------------------------------------------------------------------------- what is named -- */

/* some of a list: all of them, or one */
typedef struct {
    int32_t from;
    int32_t to;  /* not with it */
    int32_t key; /* the one, or ANY */
} range;

static bool read_range(pomdp *p, const sonde__words *words, const char *what, range *r) {
    sonde__pomdp_lines *l = &p->lines;
    if (l->kind == SONDE__POMDP_STAR) {
        *r = (range){0, words->n, ANY};
        sonde__pomdp_next(l);
        return true;
    }
    if (l->kind == SONDE__POMDP_END || l->kind == SONDE__POMDP_COLON || sonde__pomdp_reserved(l)) {
        return sonde__pomdp_expected(l, what);
    }
    const int32_t i = l->kind == SONDE__POMDP_WRONG ? -1 : sonde__words_find(words, l->word);
    if (i < 0) {
        return sonde__words_miss(&p->file, words, what, l->word, l->now);
    }
    *r = (range){i, i + 1, i};
    sonde__pomdp_next(l);
    return true;
}

/* A colon, and then some of a list; false if there is no colon, or nothing behind it. */
static bool read_more(pomdp *p, const sonde__words *words, const char *what, range *r) {
    if (p->lines.kind != SONDE__POMDP_COLON) {
        return false;
    }
    sonde__pomdp_next(&p->lines);
    return read_range(p, words, what, r);
}

/* n numbers. */
static bool read_numbers(pomdp *p, int32_t n, double least, double most, double *to) {
    for (int32_t i = 0; i < n; i++) {
        if (!sonde__pomdp_number(&p->lines, least, most, &to[i])) {
            return false;
        }
    }
    return true;
}

/* Gives rows of a table a whole new row. */
static bool set_rows(pomdp *p, const table *t, const range *action, const range *state,
                     const double *row) {
    for (int32_t u = action->from; u < action->to; u++) {
        for (int32_t s = state->from; s < state->to; s++) {
            list *of = &t->list[(int64_t)u * p->states.n + s];
            of->line = p->said;
            if (!put_row(p, of, t->to->n, row)) {
                return false;
            }
        }
    }
    return true;
}

static const double *even_row(pomdp *p, int32_t n) {
    for (int32_t i = 0; i < n; i++) {
        p->row[i] = 1.0 / n;
    }
    return p->row;
}

/* Every state stays what it is. */
static bool set_identity(pomdp *p, const table *t, const range *action) {
    for (int32_t u = action->from; u < action->to; u++) {
        for (int32_t s = 0; s < p->states.n; s++) {
            list *of = &t->list[(int64_t)u * p->states.n + s];
            of->line = p->said;
            of->n = 0;
            if (!put_cell(p, of, s, 1.0)) {
                return false;
            }
        }
    }
    return true;
}

/* T: action, and then a matrix, uniform or identity. */
static bool read_matrix(pomdp *p, const table *t, const range *action) {
    const range all = {0, p->states.n, ANY};
    if (sonde__pomdp_take(&p->lines, "uniform")) {
        return set_rows(p, t, action, &all, even_row(p, t->to->n));
    }
    if (t == &p->T && sonde__pomdp_take(&p->lines, "identity")) {
        return set_identity(p, t, action);
    }
    for (int32_t s = 0; s < p->states.n; s++) {
        const range one = {s, s + 1, s};
        p->said = p->lines.now;
        if (!read_numbers(p, t->to->n, 0.0, 1.0 + 1e-5, p->row) ||
            !set_rows(p, t, action, &one, p->row)) {
            return false;
        }
    }
    return true;
}

/* T: action : state, and then a row, uniform or reset. */
static bool read_row(pomdp *p, const table *t, const range *action, const range *state) {
    const double *row = p->row;
    if (sonde__pomdp_take(&p->lines, "uniform")) {
        row = even_row(p, t->to->n);
    } else if (t == &p->T && sonde__pomdp_take(&p->lines, "reset")) {
        row = p->start != NULL ? p->start : even_row(p, t->to->n);
    } else if (!read_numbers(p, t->to->n, 0.0, 1.0 + 1e-5, p->row)) {
        return false;
    }
    return set_rows(p, t, action, state, row);
}

/* T: action : state : next p. */
static bool read_single(pomdp *p, const table *t, const range *action, const range *state,
                        const range *to) {
    double probability = 0.0;
    if (!sonde__pomdp_number(&p->lines, 0.0, 1.0 + 1e-5, &probability)) {
        return false;
    }
    for (int32_t u = action->from; u < action->to; u++) {
        for (int32_t s = state->from; s < state->to; s++) {
            list *of = &t->list[(int64_t)u * p->states.n + s];
            of->line = p->said;
            of->n = to->key == ANY ? 0 : of->n;
            const bool nothing = to->key == ANY && probability == 0.0;
            for (int32_t i = to->from; !nothing && i < to->to; i++) {
                if (!put_cell(p, of, i, probability)) {
                    return false;
                }
            }
        }
    }
    return true;
}

/* ------------------------------------------------------------------------------ statements -- */

/* Sizes are known: makes room for everything. */
static bool make_room(pomdp *p) {
    if (p->T.list != NULL) {
        return true;
    }
    if (p->states.n == 0 || p->actions.n == 0 || p->observations.n == 0) {
        return sonde__foreign_wrong(&p->file, p->lines.now,
                                    "%s: is missing; say what there is before T, O and R",
                                    p->states.n == 0    ? "states"
                                    : p->actions.n == 0 ? "actions"
                                                        : "observations");
    }
    const uint64_t n = sonde__multiply((uint64_t)p->actions.n, (uint64_t)p->states.n);
    const int32_t most = p->states.n > p->observations.n ? p->states.n : p->observations.n;
    p->T = (table){"T", &p->states, sonde__foreign_take(&p->file, n, sizeof(list))};
    p->O = (table){"O", &p->observations, sonde__foreign_take(&p->file, n, sizeof(list))};
    p->row = sonde__foreign_take(&p->file, (uint64_t)most, sizeof *p->row);
    return p->row != NULL && p->T.list != NULL && p->O.list != NULL;
}

static bool read_table(pomdp *p, table *t) {
    range action = {0};
    range state = {0};
    range to = {0};
    if (!make_room(p) || !sonde__pomdp_colon(&p->lines) ||
        !read_range(p, &p->actions, "action", &action)) {
        return false;
    }
    if (p->lines.kind != SONDE__POMDP_COLON) {
        return read_matrix(p, t, &action);
    }
    if (!read_more(p, &p->states, "state", &state)) {
        return false;
    }
    if (p->lines.kind != SONDE__POMDP_COLON) {
        return read_row(p, t, &action, &state);
    }
    if (!read_more(p, t->to, t == &p->T ? "state" : "observation", &to)) {
        return false;
    }
    if (p->lines.kind == SONDE__POMDP_COLON) {
        sonde__pomdp_next(&p->lines); /* some writers have one before the number, too */
    }
    return read_single(p, t, &action, &state, &to);
}

static bool read_reward(pomdp *p) {
    enum { ACTION, STATE, NEXT, OUTCOME };
    range r[4] = {{0}};
    double value = 0.0;
    sonde__pomdp_lines *l = &p->lines;
    if (!make_room(p) || !sonde__pomdp_colon(l) ||
        !read_range(p, &p->actions, "action", &r[ACTION]) || !sonde__pomdp_colon(l) ||
        !read_range(p, &p->states, "state", &r[STATE])) {
        return false;
    }
    const bool named = l->kind == SONDE__POMDP_COLON;
    if (named && !read_more(p, &p->states, "state", &r[NEXT])) {
        return false;
    }
    const bool single = named && l->kind == SONDE__POMDP_COLON;
    if (single && !read_more(p, &p->observations, "observation", &r[OUTCOME])) {
        return false;
    }
    if (single) {
        const int32_t key[] = {r[ACTION].key, r[STATE].key, r[NEXT].key, r[OUTCOME].key};
        return sonde__pomdp_number(l, -SONDE__LARGEST, SONDE__LARGEST, &value) &&
               put_reward(p, key, value);
    }
    /* a row over outcomes, or one for each next state */
    for (int32_t s = 0; s < (named ? 1 : p->states.n); s++) {
        for (int32_t o = 0; o < p->observations.n; o++) {
            const int32_t key[] = {r[ACTION].key, r[STATE].key, named ? r[NEXT].key : s, o};
            if (!sonde__pomdp_number(l, -SONDE__LARGEST, SONDE__LARGEST, &value) ||
                !put_reward(p, key, value)) {
                return false;
            }
        }
    }
    return true;
}

static const char *statement_name(int32_t i) {
    static const char *const name[] = {"discount", "values", "states", "actions", "observations",
                                       "start",    "T",      "O",      "R",       NULL};
    return name[i];
}

/* The sentence about a word that begins no line; returns false. */
static bool unknown_statement(pomdp *p, const char *word, int32_t line) {
    const char *nearest = sonde_name_nearest(statement_name, word);
    return sonde__foreign_wrong(&p->file, line,
                                "expected discount, values, states, actions, observations, start, "
                                "T, O or R, found \"%.*s\"%s%s%s",
                                sonde__cut(word, 60), word,
                                nearest != NULL ? "; did you mean \"" : "",
                                nearest != NULL ? nearest : "", nearest != NULL ? "\"?" : "");
}

/* The names behind `states:`, or how many there are. */
static bool read_words(pomdp *p, sonde__words *words, const char *what) {
    sonde__pomdp_lines *l = &p->lines;
    const int32_t line = l->now;
    if (words->n > 0) {
        return sonde__foreign_wrong(&p->file, line, "the %ss are there twice; give them once",
                                    what);
    }
    if (!sonde__pomdp_colon(l)) {
        return false;
    }
    if (l->kind == SONDE__POMDP_NUMBER) {
        if (!l->whole || l->number < 1.0 || l->number > INT32_MAX) {
            return sonde__pomdp_expected(l, "names, or a whole number from 1");
        }
        words->n = (int32_t)l->number;
        sonde__pomdp_next(l);
        return true;
    }
    int32_t most = 16;
    const char **names = sonde__foreign_take(&p->file, (uint64_t)most, sizeof *names);
    for (; l->kind == SONDE__POMDP_NAME && !sonde__pomdp_reserved(l); sonde__pomdp_next(l)) {
        if (names != NULL && words->n == most) {
            most *= 2;
            const char **more = sonde__foreign_take(&p->file, (uint64_t)most, sizeof *more);
            if (more != NULL) {
                memcpy(more, names, (size_t)words->n * sizeof *more);
            }
            names = more;
        }
        if (names == NULL) {
            return false;
        }
        names[words->n] = sonde__foreign_word(&p->file, l->word, strlen(l->word));
        if (names[words->n++] == NULL) {
            return false;
        }
    }
    words->name = names;
    if (l->kind == SONDE__POMDP_COLON && words->n > 0 && names != NULL) {
        return unknown_statement(p, names[words->n - 1], l->now);
    }
    return words->n > 0 ? sonde__words_sort(&p->file, words, what, line)
                        : sonde__pomdp_expected(l, "names, or how many there are");
}

/* start include: or exclude: some states, all alike. */
static bool read_start_list(pomdp *p, bool include) {
    sonde__pomdp_lines *l = &p->lines;
    const int32_t line = l->now;
    double n = include ? 0.0 : p->states.n;
    for (int32_t s = 0; s < p->states.n; s++) {
        p->start[s] = include ? 0.0 : 1.0;
    }
    if (!sonde__pomdp_colon(l)) {
        return false;
    }
    while ((l->kind == SONDE__POMDP_NAME && !sonde__pomdp_reserved(l)) ||
           l->kind == SONDE__POMDP_NUMBER) {
        range r = {0};
        if (!read_range(p, &p->states, "state", &r)) {
            return false;
        }
        const double now = include ? 1.0 : 0.0;
        n += now - p->start[r.from];
        p->start[r.from] = now;
    }
    for (int32_t s = 0; s < p->states.n; s++) {
        p->start[s] /= n;
    }
    return n > 0.0 || sonde__foreign_wrong(&p->file, line, "start: no state is left to start in");
}

static bool start_in(pomdp *p) {
    range r = {0};
    if (!read_range(p, &p->states, "state", &r)) {
        return false;
    }
    p->start[r.from] = 1.0;
    if (p->lines.kind == SONDE__POMDP_NAME && sonde_name_find(statement_name, p->lines.word) < 0) {
        return sonde__foreign_wrong(&p->file, p->lines.now,
                                    "start: expected one state, or a probability of each, found "
                                    "several states; write start include: before them");
    }
    return true;
}

static bool read_start(pomdp *p) {
    sonde__pomdp_lines *l = &p->lines;
    const int32_t line = l->now;
    if (p->start != NULL || p->states.n == 0) {
        return sonde__foreign_wrong(&p->file, line,
                                    p->start != NULL
                                        ? "start: is there twice; give it once"
                                        : "states: is missing; say what there is before start");
    }
    p->start = sonde__foreign_take(&p->file, (uint64_t)p->states.n, sizeof *p->start);
    if (p->start == NULL) {
        return false;
    }
    if (sonde__pomdp_take(l, "include")) {
        return read_start_list(p, true);
    }
    if (sonde__pomdp_take(l, "exclude")) {
        return read_start_list(p, false);
    }
    if (!sonde__pomdp_colon(l)) {
        return false;
    }
    if (sonde__pomdp_take(l, "uniform")) {
        for (int32_t s = 0; s < p->states.n; s++) {
            p->start[s] = 1.0 / p->states.n;
        }
        return true;
    }
    if (l->kind != SONDE__POMDP_NUMBER) {
        return start_in(p);
    }
    /* one number alone is a state; otherwise there are as many as states */
    const sonde__pomdp_lines here = *l;
    sonde__pomdp_next(l);
    const bool alone = l->kind != SONDE__POMDP_NUMBER;
    *l = here;
    if (alone && p->states.n > 1) {
        return start_in(p);
    }
    double sum = 0.0;
    if (!read_numbers(p, p->states.n, 0.0, 1.0 + 1e-5, p->start)) {
        return false;
    }
    if (l->kind == SONDE__POMDP_NUMBER) {
        return sonde__foreign_wrong(&p->file, line,
                                    "start: expected %d probabilities, one for each state, found "
                                    "more",
                                    (int)p->states.n);
    }
    for (int32_t s = 0; s < p->states.n; s++) {
        sum += p->start[s];
    }
    for (int32_t s = 0; s < p->states.n; s++) {
        p->start[s] /= sum > 0.0 ? sum : 1.0;
    }
    return sonde__foreign_sums(sum) ||
           sonde__foreign_wrong(&p->file, line,
                                "start: expected probabilities that sum to 1, found %g", sum);
}

static bool read_discount(pomdp *p) {
    const int32_t line = p->lines.now;
    double discount = 0.0;
    if (p->has_discount) {
        return sonde__foreign_wrong(&p->file, line, "discount: is there twice; give it once");
    }
    p->has_discount = true;
    if (!sonde__pomdp_colon(&p->lines) || !sonde__pomdp_number(&p->lines, 0.0, 1.0, &discount)) {
        return false;
    }
    p->file.parts.discount = discount;
    return discount > 0.0 ||
           sonde__foreign_wrong(&p->file, line,
                                "discount: expected a number above 0, at most 1, found 0");
}

static bool read_values(pomdp *p) {
    if (p->has_values) {
        return sonde__foreign_wrong(&p->file, p->lines.now, "values: is there twice; give it once");
    }
    p->has_values = true;
    if (!sonde__pomdp_colon(&p->lines)) {
        return false;
    }
    /* files that everybody knows have the plural */
    p->costs = sonde__pomdp_take(&p->lines, "cost") || sonde__pomdp_take(&p->lines, "costs");
    return p->costs || sonde__pomdp_take(&p->lines, "reward") ||
           sonde__pomdp_take(&p->lines, "rewards") ||
           sonde__pomdp_expected(&p->lines, "reward or cost");
}

static bool read_statement(pomdp *p) {
    sonde__pomdp_lines *l = &p->lines;
    p->said = l->now;
    if (sonde__pomdp_take(l, "discount")) {
        return read_discount(p);
    }
    if (sonde__pomdp_take(l, "values")) {
        return read_values(p);
    }
    if (sonde__pomdp_take(l, "states")) {
        return read_words(p, &p->states, "state");
    }
    if (sonde__pomdp_take(l, "actions")) {
        return read_words(p, &p->actions, "action");
    }
    if (sonde__pomdp_take(l, "observations")) {
        return read_words(p, &p->observations, "observation");
    }
    if (sonde__pomdp_take(l, "start")) {
        return read_start(p);
    }
    if (sonde__pomdp_take(l, "T")) {
        return read_table(p, &p->T);
    }
    if (sonde__pomdp_take(l, "O")) {
        return read_table(p, &p->O);
    }
    if (sonde__pomdp_take(l, "R")) {
        return read_reward(p);
    }
    return l->kind == SONDE__POMDP_NAME
               ? unknown_statement(p, l->word, l->now)
               : sonde__pomdp_expected(l, "discount, values, states, actions, observations, start, "
                                          "T, O or R");
}

/* ------------------------------------------------------------------------------------- parts -- */

static bool fill_transitions(pomdp *p, sonde_factor_parts *factor, sonde__entries *B) {
    const int64_t size[] = {p->states.n, p->states.n, p->actions.n};
    bool filled = sonde__entries_open(B, &p->file, &factor->B, 3, size);
    for (int64_t s = 0; filled && s < p->states.n; s++) {
        for (int64_t u = 0; filled && u < p->actions.n; u++) {
            const list *of = &p->T.list[u * p->states.n + s];
            for (int32_t i = 0; filled && i < of->n; i++) {
                filled = sonde__entries_add(B, (int64_t[]){of->cell[i].to, s, u}, of->cell[i].p);
            }
        }
    }
    return filled;
}

/* Whether what is seen depends on the action. */
static bool depends(const pomdp *p) {
    const int64_t n = p->states.n;
    for (int64_t i = n; i < n * p->actions.n; i++) {
        const list *of = &p->O.list[i];
        const list *first = &p->O.list[i % n];
        bool same = of->n == first->n;
        for (int32_t k = 0; same && k < of->n; k++) {
            const double apart = of->cell[k].p - first->cell[k].p;
            same = of->cell[k].to == first->cell[k].to && !(apart < 0.0) && !(apart > 0.0);
        }
        if (!same) {
            return true;
        }
    }
    return false;
}

static bool fill_outcomes(pomdp *p, sonde_modality_parts *modality, sonde__entries *A) {
    const bool acts = depends(p);
    const int64_t size[] = {p->observations.n, p->states.n, p->actions.n};
    bool filled = sonde__entries_open(A, &p->file, &modality->A, acts ? 3 : 2, size);
    for (int64_t s = 0; filled && s < p->states.n; s++) {
        for (int64_t u = 0; filled && u < (acts ? p->actions.n : 1); u++) {
            const list *of = &p->O.list[u * p->states.n + s];
            for (int32_t i = 0; filled && i < of->n; i++) {
                filled = sonde__entries_add(A, (int64_t[]){of->cell[i].to, s, u}, of->cell[i].p);
            }
        }
    }
    return filled;
}

/* What an action brings in a state, on average. */
static double expect_reward(const pomdp *p, int32_t u, int32_t s) {
    const list *next = &p->T.list[(int64_t)u * p->states.n + s];
    double sum = 0.0;
    for (int32_t i = 0; p->R.n > 0 && i < next->n; i++) {
        const list *seen = &p->O.list[(int64_t)u * p->states.n + next->cell[i].to];
        double one = 0.0;
        for (int32_t k = 0; k < seen->n; k++) {
            const int32_t key[] = {u, s, next->cell[i].to, seen->cell[k].to};
            one += seen->cell[k].p * look_up(&p->R, key);
        }
        sum += next->cell[i].p * one;
    }
    return sum;
}

static bool fill_costs(pomdp *p) {
    const int64_t size[] = {p->states.n, p->actions.n};
    double *cost = sonde__foreign_array(&p->file, &p->file.parts.action_cost, 2, size);
    for (int32_t s = 0; cost != NULL && s < p->states.n; s++) {
        for (int32_t u = 0; u < p->actions.n; u++) {
            const double brought = expect_reward(p, u, s);
            cost[(int64_t)s * p->actions.n + u] = p->costs ? brought : 0.0 - brought;
        }
    }
    return cost != NULL;
}

/* D, and C, which is nothing. */
static bool fill_ends(pomdp *p, sonde_factor_parts *factor, sonde_modality_parts *modality) {
    const int64_t n_state = p->states.n;
    const int64_t n_outcome = p->observations.n;
    double *D = sonde__foreign_array(&p->file, &factor->D, 1, &n_state);
    double *C = sonde__foreign_array(&p->file, &modality->C, 1, &n_outcome);
    for (int64_t s = 0; D != NULL && s < n_state; s++) {
        D[s] = p->start != NULL ? p->start[s] : 1.0 / (double)n_state;
    }
    return C != NULL;
}

/* Everything has been read. */
static bool settle(pomdp *p) {
    return (p->has_discount ||
            sonde__foreign_wrong(&p->file, p->lines.now,
                                 "discount: is missing; add a line, such as discount: 0.95")) &&
           make_room(p) && settle_table(p, &p->T) && settle_table(p, &p->O);
}

static void free_lists(const pomdp *p, const table *t) {
    for (int64_t i = 0; t->list != NULL && i < (int64_t)p->actions.n * p->states.n; i++) {
        sonde__free(t->list[i].cell);
    }
}

sonde_status sonde__model_from_pomdp(const sonde_source *source,
                                     const sonde_model_settings *settings, const sonde_run *run,
                                     sonde_model **model, sonde_error *error) {
    pomdp p = {0};
    sonde_factor_parts factor = {0};
    sonde_modality_parts modality = {0};
    sonde__entries A = {0};
    sonde__entries B = {0};
    const sonde__plain plain = sonde__plain_begin();
    sonde__foreign_open(&p.file, source->origin, run, error);
    sonde__pomdp_begin(&p.lines, &p.file, source);
    bool good = p.file.status == SONDE_OK;
    while (good && p.lines.kind != SONDE__POMDP_END) {
        good = read_statement(&p) && p.file.status == SONDE_OK;
    }
    if (good && settle(&p) && fill_transitions(&p, &factor, &B) &&
        fill_outcomes(&p, &modality, &A) && fill_ends(&p, &factor, &modality) && fill_costs(&p)) {
        factor.shape = (sonde_factor){.n_state = p.states.n,
                                      .n_action = p.actions.n,
                                      .state_name = p.states.name,
                                      .action_name = p.actions.name};
        modality.shape =
            (sonde_modality){.n_outcome = p.observations.n, .outcome_name = p.observations.name};
        p.file.parts.n_factor = 1;
        p.file.parts.factor = &factor;
        p.file.parts.n_modality = 1;
        p.file.parts.modality = &modality;
    }
    sonde__plain_end(plain);
    free_lists(&p, &p.T);
    free_lists(&p, &p.O);
    const sonde_status status = sonde__foreign_close(&p.file, settings, model);
    sonde__entries_close(&A);
    sonde__entries_close(&B);
    return status;
}

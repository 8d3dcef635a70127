/* scores.h: a score, a track and their memory, made in one line. */
#ifndef TESTS_SCORES_H
#define TESTS_SCORES_H

#include "efe/efe_score.h"
#include "worlds.h"

typedef struct {
    sonde__score score;
    sonde__track track;
    sonde__arena arena;
} judge;

enum { JUDGE_LIST = SONDE__SCORE_NUMBERS | SONDE__SCORE_ORDER };
enum { JUDGE_ALL = JUDGE_LIST | SONDE__SCORE_PREFIXES | SONDE__SCORE_AHEAD };

/* Everything that a way of scoring can do; NULL: the one that the library chooses. Futures are
 * compared where they could be counted, too. */
static inline judge *judge_new(const sonde_policies *policies, const sonde__scoring *by) {
    judge *j = room(1, sizeof *j);
    sonde__score_open(&j->score, policies);
    j->score.by = by != NULL ? by : j->score.by;
    j->score.futures.n = 0;
    const uint32_t uses = j->score.branches ? JUDGE_ALL : JUDGE_LIST;
    for (int pass = 0; pass < 2; pass++) {
        sonde__score_carve(&j->arena, &j->score, uses);
        sonde__track_carve(&j->arena, &j->score, uses, &j->track);
        assert_true(pass == 1 || sonde__arena_reserve(&j->arena));
    }
    (void)sonde__score_prepare(&j->score);
    return j;
}

static inline void judge_free(judge *j) {
    sonde__arena_free(&j->arena);
    free(j);
}

/* A decision begins. */
static inline void judge_start(judge *j, int32_t origin, sonde_present now) {
    sonde__score_start(&j->score, origin, now);
    sonde__track_begin(&j->track, 0, 0);
}

/* G of one policy by its number. */
static inline double judge_efe(judge *j, uint64_t policy) {
    double efe;
    sonde__track_pick(&j->track, 1, &policy, &efe, NULL);
    return efe;
}

/* G of policies begin .. end - 1 in order, at most `capacity` at a time, into efe + begin. Blocks
 * follow each other, and share their first actions. */
static inline void judge_fill(judge *j, uint64_t begin, uint64_t end, int32_t capacity,
                              double *efe) {
    int32_t *walk = room((uint64_t)j->score.policies->horizon + 1, sizeof *walk);
    uint64_t at = begin;
    uint64_t first = 0;
    int32_t action = -1;
    int32_t n = 0;
    sonde__track_begin(&j->track, begin, end);
    while ((n = sonde__track_fill(&j->track, efe + at, capacity, &first, &action)) > 0) {
        assert_true(n <= capacity && at + (uint64_t)n <= end);
        assert_int_equal(first, at);
        for (int32_t i = 0; i < n; i++) {
            sonde_policies_get(j->score.policies, j->score.origin, at + (uint64_t)i, walk, NULL);
            assert_int_equal(sonde_policies_action(j->score.policies, walk, 1), action);
        }
        at += (uint64_t)n;
    }
    assert_int_equal(at, end);
    assert_int_equal(action, -1);
    free(walk);
}

/* ------------------------------------------------------------- two ways of scoring, compared -- */

static inline void assert_alike(double found, double wanted) {
    assert_near(found, wanted, 1e-9 * (1.0 + fabs(wanted)));
}

/* The children of a prefix, copied. */
typedef struct {
    int32_t n;
    double *efe;
    int32_t *next;
    uint64_t *below;
    sonde__spot spots;
} brood;

static inline brood brood_new(judge *j, int32_t t, sonde__spot spot) {
    const sonde__score *score = &j->score;
    brood b = {.n = sonde__track_expand(&j->track, t, spot)};
    const uint64_t n = (uint64_t)b.n;
    b.efe = room(n, sizeof *b.efe);
    b.next = room(n, sizeof *b.next);
    b.below = room(n, sizeof *b.below);
    b.spots.belief = room(n * (uint64_t)score->n_belief, sizeof(double));
    b.spots.place = room(n * (uint64_t)score->n_place, sizeof(int32_t));
    memcpy(b.efe, j->track.efe, n * sizeof *b.efe);
    memcpy(b.next, j->track.next, n * sizeof *b.next);
    memcpy(b.below, j->track.below, n * sizeof *b.below);
    for (int32_t i = 0; t < score->policies->horizon && i < b.n; i++) {
        sonde__track_child(&j->track, t, i, sonde__spot_at(score, b.spots, i));
    }
    return b;
}

static inline void brood_free(brood *b) {
    free(b->efe);
    free(b->next);
    free(b->below);
    free(b->spots.belief);
    free(b->spots.place);
}

/* Two ways of scoring, and G of all policies. */
typedef struct {
    judge *fast;
    judge *plain;
    const double *efe;
    uint64_t n_seen; /* policies, in order */
} duel;

/* Goes through all that begins with a prefix of t steps, by its children: they are what both ways
 * say, in policy order, their steps add up to G, and bounds and counts hold. Returns the least G
 * that is still to come. */
static inline double duel_below(duel *d, int32_t t, sonde__spot fast, sonde__spot plain,
                                double sum) {
    const sonde_policies *policies = d->fast->score.policies;
    const uint64_t first = d->n_seen;
    double least = INFINITY;
    if (t == policies->horizon) {
        assert_alike(sum, d->efe[d->n_seen++]);
        return 0.0;
    }
    brood a = brood_new(d->fast, t + 1, fast);
    brood b = brood_new(d->plain, t + 1, plain);
    assert_int_equal(a.n, b.n);
    assert_true(a.n <= d->fast->score.n_child);
    for (int32_t i = 0; i < a.n; i++) {
        const uint64_t begin = d->n_seen;
        const sonde__spot x = sonde__spot_at(&d->fast->score, a.spots, i);
        const sonde__spot y = sonde__spot_at(&d->plain->score, b.spots, i);
        assert_alike(a.efe[i], b.efe[i]);
        assert_int_equal(a.next[i], b.next[i]);
        assert_int_equal(a.below[i], b.below[i]);
        assert_true(sonde__spot_apart(&d->fast->score, x, y) <= 1e-12);
        const double ahead = duel_below(d, t + 1, x, y, sum + a.efe[i]);
        least = a.efe[i] + ahead < least ? a.efe[i] + ahead : least;
        assert_int_equal(d->n_seen - begin, a.below[i]);
    }
    assert_true(sonde__score_ahead(&d->fast->score, t, fast, NULL) <= least + 1e-9);
    assert_near(sonde__score_log_count(&d->fast->score, t, fast), log((double)(d->n_seen - first)),
                1e-9);
    brood_free(&a);
    brood_free(&b);
    return least;
}

/* The prefixes of no steps, and all that begins with them. */
static inline void duel_prefixes(duel *d) {
    const sonde__score *score = &d->fast->score;
    double *belief = room(2 * (uint64_t)score->n_belief, sizeof *belief);
    int32_t place[2][64];
    assert_int_equal(score->n_root, d->plain->score.n_root);
    for (int32_t i = 0; i < score->n_root; i++) {
        const sonde__spot x = {belief, place[0]};
        const sonde__spot y = {belief + score->n_belief, place[1]};
        assert_int_equal(sonde__score_root(score, i, x), sonde__score_root(&d->plain->score, i, y));
        assert_true(sonde__spot_apart(score, x, y) == 0.0);
        assert_int_equal(sonde__spot_hash(score, 7, x), sonde__spot_hash(score, 7, y));
        (void)duel_below(d, 0, x, y, 0.0);
    }
    free(belief);
}

static inline void assert_efe_alike(const sonde_efe *found, const sonde_efe *wanted) {
    assert_alike(found->efe, wanted->efe);
    for (int32_t i = 0; i < SONDE_N_TERM; i++) {
        assert_alike(found->term[i], wanted->term[i]);
    }
}

/* Some policies by number: G, first actions, steps that count, and terms. */
static inline void duel_numbers(duel *d, uint64_t n) {
    const sonde_policies *policies = d->fast->score.policies;
    int32_t *walk = room((uint64_t)policies->horizon + 1, sizeof *walk);
    d->fast->track.n_step = d->plain->track.n_step = 0;
    for (uint64_t i = 0; i < n; i += 1 + n / 60) {
        const uint64_t some[2] = {i, n - 1 - i};
        double efe[2][2];
        int32_t action[2][2];
        sonde_efe total[2];
        sonde__track_pick(&d->fast->track, 2, some, efe[0], action[0]);
        sonde__track_pick(&d->plain->track, 2, some, efe[1], action[1]);
        assert_alike(efe[0][0], efe[1][0]);
        assert_alike(efe[0][1], efe[1][1]);
        assert_alike(efe[0][0], d->efe[i]);
        assert_memory_equal(action[0], action[1], sizeof action[0]);
        assert_int_equal(d->fast->track.n_step, d->plain->track.n_step);
        sonde_policies_get(policies, d->fast->score.origin, i, walk, NULL);
        assert_int_equal(action[0][0], sonde_policies_action(policies, walk, 1));
        const int32_t n_step = 1 + (int32_t)(i % (uint64_t)policies->horizon);
        sonde__track_terms(&d->fast->track, walk, n_step, NULL, NULL, &total[0]);
        sonde__track_terms(&d->plain->track, walk, n_step, NULL, NULL, &total[1]);
        assert_efe_alike(&total[0], &total[1]);
        sonde__track_begin(&d->fast->track, 0, 0);
        sonde__track_begin(&d->plain->track, 0, 0);
    }
    free(walk);
}

/* Everything that the way of scoring which the library chooses says of one decision, and the plain
 * one beside it. */
static inline void assert_duel(const sonde_policies *policies, int32_t origin, sonde_present now) {
    const uint64_t n = sonde_policies_size(policies, origin);
    judge *fast = judge_new(policies, NULL);
    judge *plain = judge_new(policies, &sonde__plain);
    double *found = room(n, sizeof *found);
    double *wanted = room(n, sizeof *wanted);
    duel d = {.fast = fast, .plain = plain, .efe = wanted};
    judge_start(fast, origin, now);
    judge_start(plain, origin, now);
    judge_fill(fast, 0, n, fast->score.n_least + 16, found);
    judge_fill(plain, 0, n, 17, wanted);
    for (uint64_t i = 0; i < n; i++) {
        assert_alike(found[i], wanted[i]);
    }
    assert_int_equal(fast->track.n_step, plain->track.n_step);
    judge_start(fast, origin, now);
    judge_start(plain, origin, now);
    duel_numbers(&d, n);
    if (fast->score.branches) {
        duel_prefixes(&d);
        assert_int_equal(d.n_seen, n);
    }
    free(found);
    free(wanted);
    judge_free(fast);
    judge_free(plain);
}

#endif

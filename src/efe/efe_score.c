/* efe_score.c: what all ways of scoring share: counts and bounds of what is to come, and when two
 * prefixes are the same. */
#include "efe/efe_score.h"

#include <math.h>
#include <string.h>

#include "base/numbers.h"

/* ------------------------------------------------------------------------------ one decision -- */

void sonde__score_open(sonde__score *score, const sonde_policies *policies) {
    *score = (sonde__score){
        .by = sonde__score_pick(policies), .model = policies->model, .policies = policies};
    score->by->measure(score);
}

/* What is meant by what is asked for: bounds need prefixes, and countable futures neither. */
static uint32_t settle(const sonde__score *score, uint32_t uses) {
    const uint32_t ahead = SONDE__SCORE_AHEAD | SONDE__SCORE_PREFIXES;
    if ((uses & SONDE__SCORE_AHEAD) == 0) {
        return uses;
    }
    return score->futures.n > 0 ? uses & ~ahead : uses | ahead;
}

void sonde__score_carve(sonde__arena *arena, sonde__score *score, uint32_t uses) {
    score->uses = settle(score, uses);
    if ((score->uses & SONDE__SCORE_AHEAD) != 0) {
        sonde__ways_carve(arena, score->policies, &score->ways);
        sonde__bound_carve(arena, score->policies, &score->bound);
    }
    score->by->carve(arena, score);
}

void sonde__track_carve(sonde__arena *arena, const sonde__score *score, uint32_t uses,
                        sonde__track *track) {
    *track = (sonde__track){.score = score, .uses = settle(score, uses)};
    const int32_t n_child = (track->uses & SONDE__SCORE_PREFIXES) != 0 ? score->n_child : 0;
    track->efe = SONDE__TAKE(arena, double, n_child);
    track->next = SONDE__TAKE(arena, int32_t, n_child);
    track->below = SONDE__TAKE(arena, uint64_t, n_child);
    score->by->carve_track(arena, score, track);
}

uint64_t sonde__score_prepare(sonde__score *score) {
    if (score->version == score->model->version) {
        return 0;
    }
    score->version = score->model->version;
    if (score->by->prepare != NULL) {
        score->by->prepare(score);
    }
    if ((score->uses & SONDE__SCORE_AHEAD) == 0) {
        return 0;
    }
    sonde__ways_fill(score->policies, &score->ways);
    sonde__bound_fill(score->model, &score->bound);
    return score->bound.n_step;
}

void sonde__score_start(sonde__score *score, int32_t origin, sonde_present now) {
    score->origin = origin;
    score->now = now;
    score->by->start(score);
}

bool sonde__kit_open(sonde__kit *kit, const sonde_policies *policies, int32_t n_thread) {
    *kit = (sonde__kit){0};
    sonde__score_open(&kit->score, policies);
    for (int pass = 0; pass < 2; pass++) {
        sonde__score_carve(&kit->arena, &kit->score, SONDE__SCORE_NUMBERS);
        kit->track = SONDE__TAKE(&kit->arena, sonde__track, n_thread);
        for (int32_t i = 0; i < n_thread; i++) {
            sonde__track none;
            sonde__track_carve(&kit->arena, &kit->score, SONDE__SCORE_NUMBERS,
                               kit->track != NULL ? &kit->track[i] : &none);
        }
        if (pass == 0 && !sonde__arena_reserve(&kit->arena)) {
            return false;
        }
    }
    return true;
}

bool sonde__score_can_start(const sonde_model *model, sonde_present now) {
    return model->graph != NULL ? now.state >= 0 && now.state < model->n_state
                                : now.belief != NULL && sonde__belief_is(model, now.belief);
}

/* ------------------------------------------------------------------------------------- spots -- */

sonde__spot sonde__spots_carve(sonde__arena *arena, const sonde__score *score, uint64_t n) {
    return (sonde__spot){
        .belief = SONDE__TAKE(arena, double, sonde__multiply(n, (uint64_t)score->n_belief)),
        .place = SONDE__TAKE(arena, int32_t, sonde__multiply(n, (uint64_t)score->n_place))};
}

uint64_t sonde__score_prefixes(const sonde__score *score) {
    const sonde_policies *policies = score->policies;
    const sonde_graph *graph = score->model->graph;
    uint64_t sum = 0;
    for (int32_t t = 0; t < policies->horizon; t++) {
        uint64_t n = graph != NULL ? (uint64_t)graph->n_edge : 1;
        for (int32_t f = 0; f < (graph != NULL ? 1 : score->model->n_factor); f++) {
            const int32_t n_place = graph != NULL ? graph->n_node : policies->place[f].n_place;
            const uint64_t *completion =
                (graph != NULL ? policies->completion : policies->place[f].completion) +
                (int64_t)t * n_place;
            uint64_t most = 0;
            for (int32_t p = 0; p < n_place; p++) {
                most = completion[p] > most ? completion[p] : most;
            }
            n = sonde__multiply(n, most);
        }
        sum = sonde__add(sum, n);
    }
    return sum;
}

uint64_t sonde__spot_hash(const sonde__score *score, uint64_t hash, sonde__spot spot) {
    /* a sum of hashes of what is not nearly 0, which do not wait for each other */
    const int64_t n = score->n_belief;
    for (int64_t s = sonde__belief_possible(spot.belief, 0, n); s < n;
         s = sonde__belief_possible(spot.belief, s + 1, n)) {
        const uint64_t bits = (uint64_t)(spot.belief[s] * 0x1p40 + 0.5);
        if (bits > 0) {
            uint64_t term = (bits ^ (uint64_t)s << 42) * UINT64_C(0xD6E8FEB86659FD93);
            term ^= term >> 32;
            hash += term * UINT64_C(0x9E3779B97F4A7C15);
        }
    }
    hash ^= hash >> 29;
    for (int32_t i = 0; i < score->n_place; i++) {
        hash = (hash ^ (uint64_t)(uint32_t)spot.place[i]) * UINT64_C(0xD6E8FEB86659FD93);
        hash ^= hash >> 32;
    }
    return hash;
}

double sonde__spot_apart(const sonde__score *score, sonde__spot a, sonde__spot b) {
    double apart = 0.0;
    if (memcmp(a.place, b.place, (size_t)score->n_place * sizeof *a.place) != 0) {
        return INFINITY;
    }
    if (memcmp(a.belief, b.belief, (size_t)score->n_belief * sizeof *a.belief) == 0) {
        return 0.0;
    }
    for (int32_t s = 0; s < score->n_belief; s++) {
        const double off = fabs(a.belief[s] - b.belief[s]);
        apart = off > apart ? off : apart;
    }
    return apart;
}

double sonde__score_merging(const sonde__score *score) {
    const sonde_model *model = score->model;
    const sonde_weights *w = &model->weights;
    const double horizon = (double)score->policies->horizon;
    const int32_t n_row = model->n_step_C > 1 ? score->policies->horizon : 1;
    double steepest = 0.0;
    double growth = 1.0;
    for (int32_t m = 0; score->n_belief > 0 && m < model->n_modality; m++) {
        const sonde_modality *modality = &model->modality[m];
        double most = 0.0;
        for (int32_t o = 0; o < n_row * modality->n_outcome; o++) {
            const double cost = w->cost * model->lambda * modality->cost[o % modality->n_outcome];
            /* of the logarithm's floor twice: outcomes' own entropy, and ambiguity, which is
             * less */
            const double slope = w->information * 2.0 * 38.0 +
                                 w->utility * fabs(modality->preference[o]) + fabs(cost);
            most = slope > most ? slope : most;
        }
        steepest += most;
    }
    /* a form that is not linear counts each belief twice */
    steepest += score->n_belief > 0 ? 2.0 * sonde__efe_most_novelty(model) : 0.0;
    steepest += score->n_belief > 0 ? sonde__efe_most_charge(model) : 0.0;
    /* where a belief comes of several, their differences add up at every step */
    for (int32_t f = 0; score->n_belief > 0 && f < model->n_factor; f++) {
        growth = model->factor[f].n_depend > growth ? model->factor[f].n_depend : growth;
    }
    const double apart = SONDE__SAME * (double)score->n_belief * pow(growth, horizon);
    return horizon * horizon * steepest * apart;
}

/* Beliefs of general models, corrected: as pymdp finds them, and as the formulas say word by
 * word. */
#include "fixtures.h"

#include <float.h>

#include "base/rng.h"

/* ------------------------------------------------------------------------------- the twin -- */

static double log_above(double x, double floor) {
    return log(x > floor ? x : floor);
}

/* The weights of a modality, and the largest of them. */
static const double *weights_of(const sonde_model *model, const sonde_observation *seen, int32_t m,
                                double *most) {
    const double *weight = seen->weight;
    for (int32_t i = 0; i < m; i++) {
        weight += model->modality[i].n_outcome;
    }
    *most = 0.0;
    for (int32_t o = 0; o < model->modality[m].n_outcome; o++) {
        *most = fmax(*most, weight[o]);
    }
    return weight;
}

/* How well what is seen of a modality agrees with joint state j, weights being at most 1; with a
 * floor, the logarithm, and weights as they are. */
static double agreement(const sonde_model *model, const sonde_observation *seen, int32_t m,
                        int64_t j, double floor) {
    const sonde_modality *modality = &model->modality[m];
    int32_t state[SONDE_FACTORS_MAX];
    states_of(model, j, state);
    const int64_t at = combined_state(model, modality->n_factor, modality->factor, state);
    if (seen->outcome[m] != SONDE_SOFT) {
        const double p =
            seen->outcome[m] == SONDE_MISSING ? 1.0 : likelihood(modality, at, seen->outcome[m]);
        return floor > 0.0 ? log_above(p, floor) : p;
    }
    double most = 0.0;
    double sum = 0.0;
    const double *weight = weights_of(model, seen, m, &most);
    for (int32_t o = 0; o < modality->n_outcome; o++) {
        const double p = likelihood(modality, at, o);
        sum += weight[o] * (floor > 0.0 ? log_above(p, floor) : p / most);
    }
    return sum;
}

/* ln of what weights were divided by. */
static double scale_of(const sonde_model *model, const sonde_observation *seen) {
    double sum = 0.0;
    for (int32_t m = 0; m < model->n_modality; m++) {
        double most = 1.0;
        if (seen->outcome[m] == SONDE_SOFT) {
            (void)weights_of(model, seen, m, &most);
        }
        sum += log(most);
    }
    return sum;
}

/* The likelihood of joint state j. */
static double likelihood_of(const sonde_model *model, const sonde_observation *seen, int64_t j) {
    double p = 1.0;
    for (int32_t m = 0; m < model->n_modality; m++) {
        p *= agreement(model, seen, m, j, 0.0);
    }
    return p;
}

/* The product of the factors' beliefs in joint state j, each at least `floor`. */
static double product_of(const sonde_model *model, const double *belief, int64_t j, double floor) {
    int32_t state[SONDE_FACTORS_MAX];
    double p = 1.0;
    states_of(model, j, state);
    for (int32_t f = 0; f < model->n_factor; f++) {
        const double q = belief[model->factor[f].first + state[f]];
        p *= q > floor ? q : floor;
    }
    return p;
}

/* P(o): the sum over all joint states. */
static double evidence_of(const sonde_model *model, const sonde_observation *seen,
                          const double *prior, double floor) {
    double p = 0.0;
    for (int64_t j = 0; j < (int64_t)model->n_joint; j++) {
        const double l = likelihood_of(model, seen, j);
        p += (l > floor ? l : floor) * product_of(model, prior, j, floor);
    }
    return p;
}

/* The floor that counts: none where the outcomes can be expected. */
static double floor_for(const sonde_model *model, const sonde_observation *seen,
                        const double *prior) {
    double least = 1.0;
    for (int32_t m = 0; m < model->n_modality; m++) {
        least *= seen->outcome[m] == SONDE_MISSING ? 1.0 : 1e-16;
    }
    return evidence_of(model, seen, prior, 0.0) > least ? 0.0 : 1e-16;
}

/* The posterior of all joint states, marginalised. */
static void observe_exactly(const sonde_model *model, const sonde_observation *seen,
                            const double *prior, double *q) {
    const double floor = floor_for(model, seen, prior);
    const double p = evidence_of(model, seen, prior, floor);
    int32_t state[SONDE_FACTORS_MAX];
    memset(q, 0, (size_t)model->n_belief * sizeof *q);
    for (int64_t j = 0; j < (int64_t)model->n_joint; j++) {
        const double l = likelihood_of(model, seen, j);
        states_of(model, j, state);
        for (int32_t f = 0; f < model->n_factor; f++) {
            q[model->factor[f].first + state[f]] +=
                (l > floor ? l : floor) * product_of(model, prior, j, floor) / p;
        }
    }
}

/* L of joint state j: legacy takes the logarithm of a product, pymdp 1.0 sums logarithms. */
static double log_likelihood(const sonde_model *model, const sonde_observation *seen, int64_t j) {
    if (seen->inference != SONDE_INFERENCE_PYMDP) {
        return log_above(likelihood_of(model, seen, j), 1e-16);
    }
    double sum = 0.0;
    for (int32_t m = 0; m < model->n_modality; m++) {
        sum += agreement(model, seen, m, j, DBL_EPSILON);
    }
    return sum;
}

/* E[L] over the other factors, given a state of factor f; f = -1: over all of them. */
static double expect(const sonde_model *model, const sonde_observation *seen, const double *q,
                     int32_t f, int32_t given) {
    int32_t state[SONDE_FACTORS_MAX];
    double sum = 0.0;
    for (int64_t j = 0; j < (int64_t)model->n_joint; j++) {
        double p = 1.0;
        states_of(model, j, state);
        for (int32_t g = 0; g < model->n_factor; g++) {
            p *= g == f ? (state[g] == given ? 1.0 : 0.0) : q[model->factor[g].first + state[g]];
        }
        sum += p > 0.0 ? p * log_likelihood(model, seen, j) : 0.0;
    }
    return sum;
}

/* One round: every factor from the beliefs of the round before. */
static void round_naively(const sonde_model *model, const sonde_observation *seen,
                          const double *prior, const double *q, double *next) {
    const double floor = seen->inference == SONDE_INFERENCE_PYMDP ? DBL_EPSILON : 1e-16;
    for (int32_t f = 0; f < model->n_factor; f++) {
        const sonde_factor *factor = &model->factor[f];
        double *p = next + factor->first;
        double most = -INFINITY;
        double sum = 0.0;
        for (int32_t s = 0; s < factor->n_state; s++) {
            p[s] = expect(model, seen, q, f, s) + log_above(prior[factor->first + s], floor);
            most = p[s] > most ? p[s] : most;
        }
        for (int32_t s = 0; s < factor->n_state; s++) {
            sum += exp(p[s] - most);
        }
        for (int32_t s = 0; s < factor->n_state; s++) {
            p[s] = exp(p[s] - most) / sum;
        }
    }
}

static double complexity_of(const sonde_model *model, const sonde_observation *seen,
                            const double *q, const double *prior) {
    const double floor = seen->inference == SONDE_INFERENCE_PYMDP ? DBL_EPSILON : 1e-16;
    double sum = 0.0;
    for (int32_t s = 0; s < model->n_belief; s++) {
        sum += q[s] * (log_above(q[s], floor) - log_above(prior[s], floor));
    }
    return sum;
}

/* The iterations; false where rounding decides when legacy's ends. */
static bool observe_in_rounds(const sonde_model *model, const sonde_observation *seen,
                              const double *prior, double *q) {
    const bool legacy = seen->inference != SONDE_INFERENCE_PYMDP;
    double *next = room((uint64_t)model->n_belief, sizeof *next);
    for (int32_t f = 0; f < model->n_factor; f++) {
        for (int32_t s = 0; s < model->factor[f].n_state; s++) {
            q[model->factor[f].first + s] = 1.0 / model->factor[f].n_state;
        }
    }
    double before = complexity_of(model, seen, q, prior);
    bool clear = true;
    for (int32_t i = 0; i < (model->n_factor == 1 ? 1 : legacy ? 10 : 16); i++) {
        round_naively(model, seen, prior, q, next);
        memcpy(q, next, (size_t)model->n_belief * sizeof *q);
        const double F = complexity_of(model, seen, q, prior) - expect(model, seen, q, -1, 0);
        const double change = fabs(F - before);
        before = F;
        clear = clear && (!legacy || fabs(change - 1e-3) > 1e-9);
        if (legacy && change < 1e-3) {
            break;
        }
    }
    free(next);
    return clear;
}

static bool observe_naively(const sonde_model *model, const sonde_observation *seen,
                            const double *prior, double *q) {
    /* of one factor, floors are left out where they would be felt */
    if (seen->inference == SONDE_INFERENCE_EXACT &&
        (model->n_factor > 1 || evidence_of(model, seen, prior, 0.0) < 1e-6)) {
        observe_exactly(model, seen, prior, q);
        return true;
    }
    return observe_in_rounds(model, seen, prior, q);
}

/* ------------------------------------------------------------------------------ the tests -- */

static double sum_of(const sonde_factor *factor, const double *belief) {
    double sum = 0.0;
    for (int32_t s = 0; s < factor->n_state; s++) {
        assert_true(belief[factor->first + s] >= 0.0);
        sum += belief[factor->first + s];
    }
    return sum;
}

/* Outcomes of a model, any of them; `unusual`: some are missing and some soft. */
typedef struct {
    int32_t outcome[8];
    double weight[64];
    sonde_observation seen;
} sight;

static void draw_sight(sonde__rng *rng, const sonde_model *model, bool unusual, sight *s) {
    int32_t n = 0;
    s->seen = (sonde_observation){s->outcome, s->weight, SONDE_INFERENCE_DEFAULT};
    for (int32_t m = 0; m < model->n_modality; m++) {
        const int32_t n_outcome = model->modality[m].n_outcome;
        const int32_t kind = unusual ? draw_below(rng, 3) : 0;
        s->outcome[m] = kind == 0   ? draw_below(rng, n_outcome)
                        : kind == 1 ? SONDE_MISSING
                                    : SONDE_SOFT;
        for (int32_t o = 0; o < n_outcome; o++) {
            s->weight[n++] = draw_chance(rng, 0.3) && o > 0 ? 0.0 : sonde__rng_uniform(rng) + 0.01;
        }
    }
    assert_true(n <= 64);
}

/* any outcome, those that cannot be among them, and those that are weights or missing */
static void corrections_are_the_formulas_word_by_word(void **state) {
    (void)state;
    int32_t n_impossible = 0;
    for (uint64_t seed = 0; seed < 400; seed++) {
        setting s = setting_drawn(seed, DRAW_COUPLED, 500);
        sonde__rng rng = sonde__rng_stream(seed, SONDE__FOR_PROBE, 99);
        double *found = room((uint64_t)s.model->n_belief, sizeof *found);
        double *wanted = room((uint64_t)s.model->n_belief, sizeof *wanted);
        for (int32_t trial = 0; trial < 6; trial++) {
            sight o;
            sonde_energy energy;
            draw_sight(&rng, s.model, trial >= 3, &o);
            draw_belief(&rng, s.model, s.belief);
            o.seen.inference = trial % 3;
            const bool clear = observe_naively(s.model, &o.seen, s.belief, wanted);
            const sonde_status status =
                sonde_belief_observe(s.model, &o.seen, s.belief, found, &energy, NULL);
            assert_int_equal(status, SONDE_OK);
            for (int32_t j = 0; j < s.model->n_belief && clear; j++) {
                assert_near(found[j], wanted[j], 1e-10);
            }
            for (int32_t f = 0; f < s.model->n_factor; f++) {
                assert_near(sum_of(&s.model->factor[f], found), 1.0, 1e-13);
            }
            n_impossible += energy.surprise > 36.0;
            /* the prior may be overwritten */
            (void)sonde_belief_observe(s.model, &o.seen, s.belief, s.belief, NULL, NULL);
            assert_memory_equal(s.belief, found, (size_t)s.model->n_belief * sizeof *found);
        }
        free(wanted);
        free(found);
        setting_free(&s);
    }
    assert_true(n_impossible > 50);
}

/* -ln P(o) over all modalities jointly, at most -ln 1e-16 for each */
static void surprise_is_how_improbable_the_outcomes_were_together(void **state) {
    (void)state;
    int32_t n_apart = 0;
    for (uint64_t seed = 0; seed < 300; seed++) {
        setting s = setting_drawn(seed, DRAW_COUPLED, 500);
        sonde__rng rng = sonde__rng_stream(seed, SONDE__FOR_PROBE, 99);
        double *belief = room((uint64_t)s.model->n_belief, sizeof *belief);
        sight o;
        draw_sight(&rng, s.model, false, &o);
        const double p = evidence_of(s.model, &o.seen, s.belief, 0.0);
        const double most = 36.841361487904734 * s.model->n_modality;
        const double wanted = p > 0.0 && -log(p) < most ? -log(p) : most;
        double apart = 0.0;
        for (int32_t m = 0; m < s.model->n_modality; m++) {
            int32_t alone[8] = {-1, -1, -1, -1, -1, -1, -1, -1};
            alone[m] = o.outcome[m];
            const sonde_observation one = {alone, NULL, 0};
            apart -= log_above(evidence_of(s.model, &one, s.belief, 0.0), 1e-16);
        }
        n_apart += fabs(apart - wanted) > 1e-3;
        for (o.seen.inference = 0; o.seen.inference < 3; o.seen.inference++) {
            sonde_energy energy;
            (void)sonde_belief_observe(s.model, &o.seen, s.belief, belief, &energy, NULL);
            assert_near(energy.surprise, wanted, 1e-9);
            assert_near(energy.log_evidence, -wanted, 1e-9);
        }
        free(belief);
        setting_free(&s);
    }
    assert_true(n_apart > 50);
}

/* complexity - accuracy; no less than the surprise, and the same where inference is exact */
static void free_energy_is_what_it_is_made_of(void **state) {
    (void)state;
    int32_t n_above = 0;
    for (uint64_t seed = 0; seed < 300; seed++) {
        setting s = setting_drawn(seed, DRAW_COUPLED, 500);
        sonde__rng rng = sonde__rng_stream(seed, SONDE__FOR_PROBE, 99);
        double *belief = room((uint64_t)s.model->n_belief, sizeof *belief);
        sight o;
        draw_sight(&rng, s.model, true, &o);
        const double p = evidence_of(s.model, &o.seen, s.belief, 0.0);
        for (o.seen.inference = 0; o.seen.inference < 3; o.seen.inference++) {
            sonde_energy e;
            (void)sonde_belief_observe(s.model, &o.seen, s.belief, belief, &e, NULL);
            assert_near(e.free_energy, e.complexity - e.accuracy, 1e-9);
            if (o.seen.inference > 0 || (s.model->n_factor == 1 && p >= 1e-6)) {
                const double scale =
                    o.seen.inference == SONDE_INFERENCE_PYMDP ? 0.0 : scale_of(s.model, &o.seen);
                const double accuracy = expect(s.model, &o.seen, belief, -1, 0) + scale;
                assert_near(e.complexity, complexity_of(s.model, &o.seen, belief, s.belief), 1e-9);
                assert_near(e.accuracy, accuracy, 1e-9);
                n_above += e.free_energy > e.surprise + 1e-3;
            } else if (p > 1e-6) {
                assert_near(e.free_energy, e.surprise, 1e-9);
                assert_true(e.complexity > -1e-12);
            }
        }
        free(belief);
        setting_free(&s);
    }
    assert_true(n_above > 50);
}

/* a single 1 is that outcome, and 1 everywhere is nothing seen; the scale is part of the
 * evidence */
static void weights_are_likelihoods_of_outcomes(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 200; seed++) {
        setting s = setting_drawn(seed, DRAW_COUPLED, 500);
        sonde__rng rng = sonde__rng_stream(seed, SONDE__FOR_PROBE, 99);
        const size_t n = (size_t)s.model->n_belief;
        double *hard = room(n, sizeof *hard);
        double *soft = room(n, sizeof *soft);
        sight o;
        sonde_energy of_hard;
        sonde_energy of_soft;
        draw_sight(&rng, s.model, false, &o);
        int32_t kind[8];
        int32_t first = 0;
        int32_t n_seen = 0;
        for (int32_t m = 0; m < s.model->n_modality; m++) {
            const bool unseen = draw_chance(&rng, 0.3);
            for (int32_t i = 0; i < s.model->modality[m].n_outcome; i++) {
                o.weight[first++] = unseen || i == o.outcome[m] ? 1e-20 : 0.0;
            }
            o.outcome[m] = unseen ? SONDE_MISSING : o.outcome[m];
            kind[m] = SONDE_SOFT;
            n_seen++;
        }
        o.seen.inference = SONDE_INFERENCE_EXACT;
        (void)sonde_belief_observe(s.model, &o.seen, s.belief, hard, &of_hard, NULL);
        o.seen.outcome = kind;
        (void)sonde_belief_observe(s.model, &o.seen, s.belief, soft, &of_soft, NULL);
        for (size_t j = 0; j < n && of_hard.surprise < 30.0; j++) {
            assert_near(soft[j], hard[j], 1e-12);
        }
        if (of_hard.surprise < 30.0) {
            assert_near(of_soft.surprise, of_hard.surprise - n_seen * log(1e-20), 1e-9);
            assert_near(of_soft.complexity, of_hard.complexity, 1e-9);
        }
        free(soft);
        free(hard);
        setting_free(&s);
    }
}

/* two factors that one modality tells of together: P(o = 1) = 0.75 x 0.4 + 0.25 x 0.6 = 0.45 */
static const char *const exclusive_or =
    "{\"format\": \"sonde-model\", \"version\": 1, \"horizon\": 1,"
    " \"factors\": [{\"states\": 2, \"actions\": 1}, {\"states\": 2, \"actions\": 1}],"
    " \"modalities\": [{\"outcomes\": 2}, {\"outcomes\": 2, \"factors\": [0]}],"
    " \"A\": [[[[1, 0], [0, 1]], [[0, 1], [1, 0]]], [[0.9, 0.2], [0.1, 0.8]]],"
    " \"B\": [[[[1], [0]], [[0], [1]]], [[[1], [0]], [[0], [1]]]], \"C\": [[0, 0], [0, 0]],"
    " \"D\": [[0.75, 0.25], [0.6, 0.4]]}";

static void a_missing_outcome_says_nothing_and_weights_what_they_say(void **state) {
    (void)state;
    sonde_model *model = model_of(exclusive_or);
    double prior[4];
    double q[4];
    sonde_energy e;
    sonde_belief_initial(model, prior);
    sonde_observation seen = {(int32_t[]){1, SONDE_MISSING}, NULL, SONDE_INFERENCE_DEFAULT};
    assert_int_equal(sonde_belief_observe(model, &seen, prior, q, &e, NULL), SONDE_OK);
    assert_near(q[0], 2.0 / 3.0, 1e-15);
    assert_near(q[2], 1.0 / 3.0, 1e-15);
    assert_near(e.surprise, -log(0.45), 1e-15);
    assert_near(e.free_energy, -log(0.45), 1e-15);
    assert_near(e.complexity, -log(0.45), 1e-15);
    assert_near(e.accuracy, 0.0, 1e-15);
    /* 0.2 x 0.9 + 0.8 x 0.1 = 0.26 and 0.2 x 0.2 + 0.8 x 0.8 = 0.68 of the first factor's states */
    seen = (sonde_observation){(int32_t[]){SONDE_MISSING, SONDE_SOFT}, (double[]){0, 0, 0.2, 0.8},
                               SONDE_INFERENCE_DEFAULT};
    assert_int_equal(sonde_belief_observe(model, &seen, prior, q, &e, NULL), SONDE_OK);
    assert_near(q[0], 0.75 * 0.26 / 0.365, 1e-15);
    assert_near(q[2], 0.6, 1e-15);
    assert_near(e.surprise, -log(0.365), 1e-14);
    /* nothing at all */
    seen.outcome = (int32_t[]){SONDE_MISSING, SONDE_MISSING};
    assert_int_equal(sonde_belief_observe(model, &seen, prior, q, &e, NULL), SONDE_OK);
    assert_memory_equal(q, prior, sizeof q);
    assert_near(e.surprise, 0.0, 0.0);
    sonde_model_free(model);
}

static void what_is_no_weight_is_refused(void **state) {
    (void)state;
    static const double wrong[][4] = {
        {0, 0, 0, 0}, {1, 0, -0.1, 1}, {1, 0, NAN, 1}, {1, 0, INFINITY, 1}, {0, 1, 1e200, 1}};
    sonde_model *model = model_of(exclusive_or);
    double q[4] = {0.5, 0.5, 0.5, 0.5};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        const sonde_observation seen = {(int32_t[]){SONDE_SOFT, SONDE_SOFT}, wrong[i],
                                        SONDE_INFERENCE_DEFAULT};
        sonde_error error;
        assert_int_equal(sonde_belief_observe(model, &seen, q, q, NULL, &error),
                         SONDE_BAD_ARGUMENT);
        assert_non_null(strstr(error.text, "expected 2 weights from 0 on"));
        assert_near(q[0], 0.5, 0.0);
    }
    sonde_model_free(model);
}

/* 2 to the power of n_factor joint states */
static int32_t default_inference(int32_t n_factor) {
    sonde_text text = {0};
    sonde_text_add(&text,
                   "{\"format\": \"sonde-model\", \"version\": 1, \"horizon\": 1, \"modalities\": "
                   "[{\"outcomes\": 1, \"factors\": [0]}], \"A\": [[[1, 1]]], \"C\": [[0]]");
    static const char *const part[] = {"factors", "{\"states\": 2, \"actions\": 1}",
                                       "B",       "[[[1], [0]], [[0], [1]]]",
                                       "D",       "[1, 0]"};
    for (int32_t i = 0; i < 6; i += 2) {
        sonde_text_add(&text, ", \"%s\": [", part[i]);
        for (int32_t f = 0; f < n_factor; f++) {
            sonde_text_add(&text, "%s%s", f > 0 ? ", " : "", part[i + 1]);
        }
        sonde_text_add(&text, "]");
    }
    sonde_text_add(&text, "}");
    sonde_model *model = model_of(text.data);
    const int32_t inference = model->inference;
    sonde_model_free(model);
    sonde_text_free(&text);
    return inference;
}

static void the_default_is_exact_up_to_4096_joint_states(void **state) {
    (void)state;
    assert_int_equal(default_inference(12), SONDE_INFERENCE_EXACT);
    assert_int_equal(default_inference(13), SONDE_INFERENCE_PYMDP_LEGACY);
}

/* two factors that are told apart by nothing, and an outcome that neither can show */
static void an_impossible_outcome_leaves_the_prior(void **state) {
    (void)state;
    sonde_model *model = model_of(
        "{\"format\": \"sonde-model\", \"version\": 1, \"horizon\": 1,"
        " \"factors\": [{\"states\": 2, \"actions\": 1}, {\"states\": 2, \"actions\": 1}],"
        " \"modalities\": [{\"outcomes\": 2}], \"A\": [[[[1, 1], [1, 1]], [[0, 0], [0, 0]]]],"
        " \"B\": [[[[1], [0]], [[0], [1]]], [[[1], [0]], [[0], [1]]]], \"C\": [[0, 0]],"
        " \"D\": [[0.25, 0.75], [1, 0]]}");
    double belief[4];
    sonde_belief_initial(model, belief);
    for (int32_t inference = 0; inference < 3; inference++) {
        const sonde_observation seen = {&(int32_t){1}, NULL, inference};
        sonde_belief_initial(model, belief);
        assert_int_equal(sonde_belief_observe(model, &seen, belief, belief, NULL, NULL), SONDE_OK);
        assert_near(belief[0], 0.25, 1e-12);
        assert_near(belief[1], 0.75, 1e-12);
        assert_near(belief[2], 1.0, 1e-12);
        assert_near(belief[3], 0.0, 1e-12);
    }
    sonde_model_free(model);
}

/* ------------------------------------------------------------------- numbers of others -- */

static void corrections_are_those_of_pymdp(void **state) {
    (void)state;
    for (int32_t i = 0; i < N_FIXTURE; i++) {
        json_t *root = fixture_read(i);
        setting s = fixture_setting(root, SONDE_PREFERENCES_LOG, SONDE_INFORMATION_PER_MODALITY);
        const json_t *update = json_object_get(root, "belief_update");
        int64_t n = 0;
        double *prior = fixture_numbers(json_object_get(update, "prior"), &n);
        assert_int_equal(n, s.model->n_belief);
        double *wanted = fixture_numbers(json_object_get(update, "posterior"), &n);
        int32_t outcome[8];
        for (size_t m = 0; m < (size_t)s.model->n_modality; m++) {
            outcome[m] = fixture_whole(update, "obs", m);
        }
        const sonde_observation seen = {outcome, NULL, SONDE_INFERENCE_PYMDP_LEGACY};
        assert_int_equal(sonde_belief_observe(s.model, &seen, prior, s.belief, NULL, NULL),
                         SONDE_OK);
        for (int32_t j = 0; j < s.model->n_belief; j++) {
            assert_near(s.belief[j], wanted[j], 1e-9);
        }
        free(wanted);
        free(prior);
        setting_free(&s);
        json_decref(root);
    }
}

/* Compares a belief with one that a package had. */
static void assert_belief(const json_t *recorded, const double *belief, double tolerance) {
    int64_t n = 0;
    double *wanted = fixture_numbers(recorded, &n);
    for (int64_t j = 0; j < n; j++) {
        assert_near(belief[j], wanted[j], tolerance);
    }
    free(wanted);
}

/* Goes through a recorded life with one inference, each belief being made of the one before. */
static void relive(const json_t *life, const sonde_model *model, int32_t inference, const char *who,
                   double tolerance) {
    const json_t *steps = json_object_get(life, "steps");
    const json_t *recorded = json_object_get(life, who);
    const json_t *energies = json_object_get(recorded, "free_energy");
    double *belief = room((uint64_t)model->n_belief, sizeof *belief);
    double *prior = room((uint64_t)model->n_belief, sizeof *prior);
    sonde_belief_initial(model, prior);
    for (size_t t = 0; t < json_array_size(steps); t++) {
        const json_t *step = json_array_get(steps, t);
        const json_t *soft = json_object_get(step, "soft");
        int32_t outcome[8];
        int32_t action[8];
        int64_t n = 0;
        sonde_energy energy;
        for (size_t m = 0; m < (size_t)model->n_modality; m++) {
            outcome[m] = soft != NULL ? SONDE_SOFT : fixture_whole(step, "outcome", m);
        }
        for (size_t f = 0; f < (size_t)model->n_factor; f++) {
            action[f] = fixture_whole(step, "action", f);
        }
        double *weight = soft != NULL ? fixture_numbers(soft, &n) : NULL;
        const sonde_observation seen = {outcome, weight, inference};
        assert_int_equal(sonde_belief_observe(model, &seen, prior, belief, &energy, NULL),
                         SONDE_OK);
        assert_belief(json_array_get(json_object_get(recorded, "belief"), t), belief, tolerance);
        if (energies != NULL) {
            assert_near(energy.free_energy, json_number_value(json_array_get(energies, t)), 1e-4);
        }
        sonde_belief_predict(model, sonde_model_from_tuple(model, action), belief, prior, NULL);
        free(weight);
    }
    free(prior);
    free(belief);
}

static void beliefs_go_on_as_those_of_pymdp_and_legacy_pymdp(void **state) {
    (void)state;
    json_t *root = json_load_file(SONDE_TEST_DATA "/beliefs.json", 0, NULL);
    const json_t *lives = json_object_get(root, "cases");
    assert_int_equal(json_array_size(lives), 12);
    for (size_t i = 0; i < json_array_size(lives); i++) {
        const json_t *life = json_array_get(lives, i);
        char *text = json_dumps(json_object_get(life, "model"), JSON_REAL_PRECISION(17));
        sonde_model *model = model_of(text);
        relive(life, model, SONDE_INFERENCE_PYMDP, "pymdp", 1e-5);
        relive(life, model, SONDE_INFERENCE_PYMDP_LEGACY, "pymdp-legacy", 1e-9);
        sonde_model_free(model);
        free(text);
    }
    json_decref(root);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(corrections_are_the_formulas_word_by_word),
        cmocka_unit_test(surprise_is_how_improbable_the_outcomes_were_together),
        cmocka_unit_test(free_energy_is_what_it_is_made_of),
        cmocka_unit_test(weights_are_likelihoods_of_outcomes),
        cmocka_unit_test(a_missing_outcome_says_nothing_and_weights_what_they_say),
        cmocka_unit_test(what_is_no_weight_is_refused),
        cmocka_unit_test(the_default_is_exact_up_to_4096_joint_states),
        cmocka_unit_test(an_impossible_outcome_leaves_the_prior),
        cmocka_unit_test(corrections_are_those_of_pymdp),
        cmocka_unit_test(beliefs_go_on_as_those_of_pymdp_and_legacy_pymdp),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

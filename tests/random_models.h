/* random_models.h: general models that chance makes, small, and none like another. */
#ifndef TESTS_RANDOM_MODELS_H
#define TESTS_RANDOM_MODELS_H

#include "base/rng.h"
#include "efe/efe.h"
#include "models.h"

/* what chance may choose, besides the plain product of actions */
enum { DRAW_COUPLED = 1, DRAW_ALLOWED = 2, DRAW_LISTED = 4, DRAW_LARGE = 8 };

/* A model and everything that is made from it. */
typedef struct {
    sonde_model *model;
    sonde_policies *policies;
    double *belief; /* (n_belief) */
    int32_t origin; /* of the belief; some policies begin there */
} setting;

/* memory of the parts, freed together */
typedef struct {
    void *block[64];
    int32_t n;
} scrap;

static inline void *scrap_take(scrap *s, int64_t n, size_t size) {
    assert_true(s->n < 64);
    s->block[s->n] = room((uint64_t)n, size);
    return s->block[s->n++];
}

static inline void scrap_free(scrap *s) {
    for (int32_t i = 0; i < s->n; i++) {
        free(s->block[i]);
    }
    s->n = 0;
}

static inline int32_t draw_below(sonde__rng *rng, int32_t n) {
    return (int32_t)sonde__rng_below(rng, (uint64_t)n);
}

static inline bool draw_chance(sonde__rng *rng, double p) {
    return sonde__rng_uniform(rng) < p;
}

/* -------------------------------------------------------------------------------- numbers -- */

enum { COLUMNS_FULL, COLUMNS_HALF, COLUMNS_FEW, COLUMNS_CERTAIN, COLUMNS_SHARP, N_COLUMNS };

/* One distribution over n things, `stride` apart. */
static inline void draw_column(sonde__rng *rng, int32_t kind, int32_t n, double *p,
                               int64_t stride) {
    const double kept[] = {1.0, 0.5, 0.15, 0.0, 1.0};
    const int32_t sure = draw_below(rng, n);
    double sum = 0.0;
    for (int32_t i = 0; i < n; i++) {
        const bool keep = draw_chance(rng, kept[kind]) || i == sure;
        const double u = sonde__rng_uniform(rng) + 1e-3;
        p[i * stride] = keep ? (kind == COLUMNS_SHARP ? pow(u, 30.0) : u) : 0.0;
        sum += p[i * stride];
    }
    for (int32_t i = 0; i < n; i++) {
        p[i * stride] /= sum;
    }
}

/* All columns of an array whose first axis is what is probable. */
static inline sonde_array draw_table(sonde__rng *rng, scrap *s, int32_t kind, int32_t n_axis,
                                     const int64_t *size) {
    int64_t n_column = 1;
    for (int32_t i = 1; i < n_axis; i++) {
        n_column *= size[i];
    }
    int64_t *axes = scrap_take(s, n_axis, sizeof *axes);
    double *value = scrap_take(s, n_column * size[0], sizeof *value);
    memcpy(axes, size, (size_t)n_axis * sizeof *axes);
    for (int64_t column = 0; column < n_column; column++) {
        draw_column(rng, kind, (int32_t)size[0], value + column, n_column);
    }
    return (sonde_array){.n_axis = n_axis, .size = axes, .value = value};
}

/* Some of the numbers below n, at least one, in any order. */
static inline int32_t draw_some(sonde__rng *rng, int32_t n, int32_t *some) {
    int32_t n_some = 0;
    int32_t order[8];
    for (int32_t i = 0; i < n; i++) {
        const int32_t at = draw_below(rng, i + 1);
        order[i] = order[at];
        order[at] = i;
    }
    n_some = 1 + draw_below(rng, n);
    memcpy(some, order, (size_t)n_some * sizeof *some);
    return n_some;
}

/* ---------------------------------------------------------------------------------- parts -- */

static inline void draw_allowed(sonde__rng *rng, scrap *s, sonde_factor_parts *factor) {
    int32_t *pair =
        scrap_take(s, 2 * (int64_t)factor->shape.n_state * factor->shape.n_action, sizeof *pair);
    const double density = 0.4 + 0.6 * sonde__rng_uniform(rng);
    for (int32_t state = 0; state < factor->shape.n_state; state++) {
        for (int32_t u = 0; u < factor->shape.n_action; u++) {
            if (draw_chance(rng, density)) {
                pair[2 * factor->n_allowed] = state;
                pair[2 * factor->n_allowed++ + 1] = u;
            }
        }
    }
    factor->allowed = pair;
}

static inline void draw_factor(sonde__rng *rng, scrap *s, const sonde_parts *parts, int32_t what,
                               sonde_factor_parts *factor) {
    const int32_t self = (int32_t)(factor - parts->factor);
    int32_t *depend = scrap_take(s, 8, sizeof *depend);
    int64_t size[8] = {factor->shape.n_state};
    int32_t n_axis = 1;
    depend[0] = self;
    factor->shape.n_depend = 1;
    if ((what & DRAW_COUPLED) != 0 && parts->n_factor > 1 && draw_chance(rng, 0.5)) {
        factor->shape.n_depend = draw_some(rng, parts->n_factor, depend);
    }
    const bool alone = factor->shape.n_depend == 1 && depend[0] == self;
    factor->shape.depend = depend;
    for (int32_t i = 0; i < factor->shape.n_depend; i++) {
        size[n_axis++] = parts->factor[depend[i]].shape.n_state;
    }
    size[n_axis++] = factor->shape.n_action;
    const bool restricted = parts->policies == SONDE_POLICIES_ALLOWED && alone;
    const int32_t kind =
        restricted && draw_chance(rng, 0.8) ? COLUMNS_CERTAIN : draw_below(rng, N_COLUMNS);
    factor->B = draw_table(rng, s, kind, n_axis, size);
    factor->D = draw_table(rng, s, draw_below(rng, N_COLUMNS), 1, size);
    if (restricted && kind == COLUMNS_CERTAIN) {
        draw_allowed(rng, s, factor);
    }
}

static inline sonde_array draw_numbers(sonde__rng *rng, scrap *s, int32_t n_step, int32_t n) {
    int64_t *size = scrap_take(s, 2, sizeof *size);
    double *value = scrap_take(s, (int64_t)(n_step > 0 ? n_step : 1) * n, sizeof *value);
    for (int64_t i = 0; i < (int64_t)(n_step > 0 ? n_step : 1) * n; i++) {
        value[i] = 4.0 * sonde__rng_uniform(rng) + 0.01;
    }
    size[0] = n_step > 0 ? n_step : n;
    size[1] = n;
    return (sonde_array){.n_axis = n_step > 0 ? 2 : 1, .size = size, .value = value};
}

static inline void draw_modality(sonde__rng *rng, scrap *s, const sonde_parts *parts,
                                 sonde_modality_parts *modality) {
    int32_t *factor = scrap_take(s, 8, sizeof *factor);
    modality->shape.n_outcome = 1 + draw_below(rng, 6);
    modality->shape.n_factor = draw_some(rng, parts->n_factor, factor);
    modality->shape.factor = factor;
    int64_t size[8] = {modality->shape.n_outcome};
    for (int32_t i = 0; i < modality->shape.n_factor; i++) {
        size[i + 1] = parts->factor[factor[i]].shape.n_state;
    }
    modality->A =
        draw_table(rng, s, draw_below(rng, N_COLUMNS), modality->shape.n_factor + 1, size);
    modality->C = draw_numbers(rng, s, draw_chance(rng, 0.4) ? parts->settings.horizon : 0,
                               modality->shape.n_outcome);
    if (draw_chance(rng, 0.5)) {
        modality->cost = draw_numbers(rng, s, 0, modality->shape.n_outcome);
    }
}

/* Some of the policies, one of them perhaps twice, and how usual they are. */
static inline void draw_list(sonde__rng *rng, scrap *s, sonde_parts *parts) {
    const int32_t n = 1 + draw_below(rng, 30);
    const int64_t n_each = (int64_t)parts->settings.horizon * parts->n_factor;
    int32_t *policy = scrap_take(s, n * n_each, sizeof *policy);
    double *E = scrap_take(s, n, sizeof *E);
    for (int64_t i = 0; i < n * n_each; i++) {
        policy[i] = draw_below(rng, parts->factor[i % parts->n_factor].shape.n_action);
    }
    for (int32_t i = 0; i < n; i++) {
        E[i] = i > 0 && draw_chance(rng, 0.2) ? 0.0 : sonde__rng_uniform(rng) + 0.01;
    }
    parts->n_policy = n;
    parts->policy = policy;
    parts->E = draw_chance(rng, 0.6) ? E : NULL;
}

/* At most `most` policies. */
static inline sonde_model *draw_model(sonde__rng *rng, int32_t what, double most) {
    scrap s = {0};
    sonde_parts parts = sonde_parts_defaults();
    parts.n_factor = 1 + draw_below(rng, 3);
    sonde_factor_parts *factor = scrap_take(&s, parts.n_factor, sizeof *factor);
    parts.factor = factor;
    double n_action = 1.0;
    for (int32_t f = 0; f < parts.n_factor; f++) {
        const bool large = (what & DRAW_LARGE) != 0 && f == 0;
        factor[f].shape.n_state = large ? 24 + draw_below(rng, 24) : 1 + draw_below(rng, 6);
        const int32_t most_actions = large ? 30 : f == 0 ? 9 : 4;
        factor[f].shape.n_action = draw_chance(rng, 0.25) ? 1 : 1 + draw_below(rng, most_actions);
        n_action *= factor[f].shape.n_action;
    }
    parts.settings.horizon = 1 + draw_below(rng, 4);
    while (parts.settings.horizon > 1 && pow(n_action, parts.settings.horizon) > most) {
        parts.settings.horizon--;
    }
    if ((what & DRAW_ALLOWED) != 0 && draw_chance(rng, 0.5)) {
        parts.policies = SONDE_POLICIES_ALLOWED;
        factor[0].n_allowed = 0;
    }
    bool restricted = false;
    for (int32_t f = 0; f < parts.n_factor; f++) {
        draw_factor(rng, &s, &parts, what, &factor[f]);
        restricted = restricted || factor[f].allowed != NULL;
    }
    if (!restricted) {
        parts.policies = SONDE_POLICIES_ALL;
        if ((what & DRAW_LISTED) != 0 && draw_chance(rng, 0.5)) {
            parts.policies = SONDE_POLICIES_LISTED;
            draw_list(rng, &s, &parts);
        }
    }
    parts.n_modality = 1 + draw_below(rng, 3);
    sonde_modality_parts *modality = scrap_take(&s, parts.n_modality, sizeof *modality);
    for (int32_t m = 0; m < parts.n_modality; m++) {
        draw_modality(rng, &s, &parts, &modality[m]);
    }
    parts.modality = modality;
    parts.settings.preferences = (int32_t)draw_below(rng, 3);
    parts.settings.information = (int32_t)draw_below(rng, 2);
    parts.settings.lambda = draw_chance(rng, 0.5) ? sonde__rng_uniform(rng) : 0.0;
    sonde_model *model = NULL;
    sonde_error error = {0};
    if (sonde_model_new(&parts, "drawn", NULL, &model, &error) != SONDE_OK) {
        fail_msg("%s", error.text);
    }
    scrap_free(&s);
    return model;
}

/* Any belief, from certainty to ignorance. */
static inline void draw_belief(sonde__rng *rng, const sonde_model *model, double *belief) {
    for (int32_t f = 0; f < model->n_factor; f++) {
        draw_column(rng, draw_below(rng, N_COLUMNS), model->factor[f].n_state,
                    belief + model->factor[f].first, 1);
    }
}

/* -------------------------------------------------------------------------------- setting -- */

static inline void setting_free(setting *s) {
    free(s->belief);
    sonde_policies_free(s->policies);
    sonde_model_free(s->model);
    *s = (setting){0};
}

/* Takes the model over; false, and nothing made, where no policy is allowed from its beginning. */
static inline bool setting_try(sonde_model *model, setting *s) {
    *s = (setting){.model = model};
    const sonde_status status = sonde_policies_count(model, 0, NULL, &s->policies, NULL);
    if (status == SONDE_NO_POLICY) {
        setting_free(s);
        return false;
    }
    assert_int_equal(status, SONDE_OK);
    s->belief = room((uint64_t)model->n_belief, sizeof *s->belief);
    sonde_belief_initial(model, s->belief);
    s->origin = s->policies->initial;
    return true;
}

static inline setting setting_of(sonde_model *model) {
    setting s;
    assert_true(setting_try(model, &s));
    return s;
}

/* A model as `what` allows, and a belief from which some policy begins. */
static inline setting setting_drawn(uint64_t seed, int32_t what, double most) {
    setting s = {0};
    for (uint64_t i = 0;; i++) {
        sonde__rng rng = sonde__rng_stream(seed, SONDE__FOR_PROBE, i);
        if (!setting_try(draw_model(&rng, what, most), &s)) {
            continue;
        }
        for (int32_t attempt = 0; attempt < 20; attempt++) {
            draw_belief(&rng, s.model, s.belief);
            s.origin = sonde_policies_origin(s.policies, s.belief);
            if (sonde_policies_size(s.policies, s.origin) > 0) {
                return s;
            }
        }
        sonde_belief_initial(s.model, s.belief);
        s.origin = s.policies->initial;
        return s;
    }
}

static inline sonde_present setting_now(const setting *s) {
    return (sonde_present){.state = -1, .belief = s->belief};
}

/* G of all policies, one by one; the caller frees it. */
static inline double *setting_efe(const setting *s, int32_t *n) {
    *n = (int32_t)sonde_policies_size(s->policies, s->origin);
    double *efe = room((uint64_t)*n, sizeof *efe);
    int32_t *walk = room((uint64_t)s->policies->horizon + 1, sizeof *walk);
    for (int32_t i = 0; i < *n; i++) {
        sonde_efe total;
        sonde_policies_get(s->policies, s->origin, (uint64_t)i, walk, NULL);
        belief_efe(s->model, s->belief, walk, NULL, &total);
        efe[i] = total.efe;
    }
    free(walk);
    return efe;
}

#endif

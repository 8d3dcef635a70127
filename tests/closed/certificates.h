/* certificates.h: closed loop on models that chance makes, beside an exact recursion in long double.
 *
 * The recursion is plain: dense joint beliefs, every tuple of outcomes, nothing merged, all three
 * backups at once. Certificates are held to it without slack. */
#ifndef TESTS_CLOSED_CERTIFICATES_H
#define TESTS_CLOSED_CERTIFICATES_H

#include "random_models.h"

enum { STATES_MOST = 16, ACTIONS_MOST = 6, OUTCOMES_MOST = 64, BACKUPS = 3 };
/* models whose G are so far apart that exponents relative to the wrong one are lost */
#define GAMMA_WIDE 17.0
#define UTILITY_WIDE 100.0

/* ----------------------------------------------------------------------------------- models -- */

/* Sizes, so small that every history can be looked at. */
static inline void draw_sizes(sonde__rng *rng, sonde_factor_parts *factor,
                              sonde_modality_parts *modality, sonde_parts *parts) {
    parts->n_factor = 1 + draw_below(rng, 2);
    parts->n_modality = 1 + draw_below(rng, 3);
    for (int32_t f = 0; f < parts->n_factor; f++) {
        factor[f] = (sonde_factor_parts){
            .shape.n_state = 2 + draw_below(rng, parts->n_factor == 1 ? 5 : 2),
            .shape.n_action = f == 0 ? 2 + draw_below(rng, 2) : 1 + draw_below(rng, 2)};
    }
    for (int32_t m = 0; m < parts->n_modality; m++) {
        modality[m] = (sonde_modality_parts){
            .shape.n_outcome =
                draw_chance(rng, 0.9) ? 2 + draw_below(rng, parts->n_modality == 1 ? 3 : 1) : 1};
    }
    parts->factor = factor;
    parts->modality = modality;
}

static inline sonde_array draw_reals(sonde__rng *rng, scrap *s, int32_t n_axis, const int64_t *size,
                                     double from, double to) {
    int64_t n = 1;
    int64_t *axes = scrap_take(s, n_axis, sizeof *axes);
    for (int32_t a = 0; a < n_axis; a++) {
        axes[a] = size[a];
        n *= size[a];
    }
    double *value = scrap_take(s, n, sizeof *value);
    for (int64_t i = 0; i < n; i++) {
        value[i] = from + (to - from) * sonde__rng_uniform(rng);
    }
    return (sonde_array){.n_axis = n_axis, .size = axes, .value = value};
}

static inline void draw_likelihood(sonde__rng *rng, scrap *s, const sonde_parts *parts,
                                   int32_t n_action, sonde_modality_parts *m) {
    int64_t size[8] = {m->shape.n_outcome};
    int32_t n_axis = 1;
    for (int32_t f = 0; f < parts->n_factor; f++) {
        size[n_axis++] = parts->factor[f].shape.n_state;
    }
    if (n_action > 1 && draw_chance(rng, 0.3)) {
        size[n_axis++] = n_action;
    }
    m->A = draw_table(rng, s, draw_below(rng, N_COLUMNS), n_axis, size);
    const bool steps = draw_chance(rng, 0.2);
    const int64_t shape[2] = {steps ? parts->settings.horizon : m->shape.n_outcome,
                              m->shape.n_outcome};
    const bool p = parts->settings.preferences == SONDE_PREFERENCES_PROBABILITY;
    const double most = parts->settings.preferences == SONDE_PREFERENCES_UTILITY &&
                                parts->settings.gamma == GAMMA_WIDE
                            ? UTILITY_WIDE
                            : 3.0;
    m->C = draw_reals(rng, s, steps ? 2 : 1, steps ? shape : shape + 1, p ? 0.0 : -most, most);
    if (draw_chance(rng, 0.5)) {
        m->cost = draw_reals(rng, s, 1, shape + 1, -1.0, 2.0);
    }
}

/* The longest horizon whose histories are few. */
static inline int32_t draw_horizon(sonde__rng *rng, int32_t n_action, int32_t n_tuple) {
    int32_t horizon = 1;
    double n = 1.0;
    while (horizon < 4 && n * n_action * n_tuple <= 6000.0) {
        n *= n_action * n_tuple;
        horizon++;
    }
    return draw_chance(rng, 0.8) ? horizon : 1 + draw_below(rng, horizon);
}

/* With a gamma, or 0 for one that is drawn. */
static inline sonde_model *draw_certified_as(sonde__rng *rng, double gamma) {
    scrap s = {0};
    sonde_factor_parts factor[2];
    sonde_modality_parts modality[3];
    sonde_parts parts = sonde_parts_defaults();
    draw_sizes(rng, factor, modality, &parts);
    int32_t n_action = 1;
    int32_t n_tuple = 1;
    int64_t size[3] = {0};
    for (int32_t f = 0; f < parts.n_factor; f++) {
        n_action *= factor[f].shape.n_action;
        size[f] = factor[f].shape.n_state;
        const int64_t own[3] = {factor[f].shape.n_state, factor[f].shape.n_state,
                                factor[f].shape.n_action};
        factor[f].B = draw_table(rng, &s, draw_below(rng, N_COLUMNS), 3, own);
        factor[f].D = draw_table(rng, &s, draw_below(rng, N_COLUMNS), 1, own);
    }
    for (int32_t m = 0; m < parts.n_modality; m++) {
        n_tuple *= modality[m].shape.n_outcome;
    }
    size[parts.n_factor] = n_action;
    parts.settings.horizon = draw_horizon(rng, n_action, n_tuple);
    parts.settings.preferences = draw_below(rng, 3);
    parts.settings.information = draw_below(rng, 3);
    parts.settings.lambda = draw_chance(rng, 0.5) ? 0.7 : 0.0;
    parts.settings.gamma = draw_chance(rng, 0.5) ? 1.0 : draw_chance(rng, 0.5) ? 4.0 : 16.0;
    parts.discount = draw_chance(rng, 0.3) ? 0.9 : 1.0;
    parts.settings.gamma = gamma > 0.0 ? gamma : parts.settings.gamma;
    if (gamma == GAMMA_WIDE) {
        parts.settings.preferences = SONDE_PREFERENCES_UTILITY;
    }
    for (int32_t m = 0; m < parts.n_modality; m++) {
        draw_likelihood(rng, &s, &parts, n_action, &modality[m]);
    }
    if (draw_chance(rng, 0.4)) {
        parts.action_cost = draw_reals(rng, &s, parts.n_factor + 1, size, -1.0, 1.0);
    }
    double prior[ACTIONS_MOST];
    if (draw_chance(rng, 0.4)) {
        for (int32_t u = 0; u < n_action; u++) {
            prior[u] = u > 0 && draw_chance(rng, 0.3) ? 0.0 : 0.05 + sonde__rng_uniform(rng);
        }
        parts.action_prior = prior;
    }
    sonde_model *model = NULL;
    sonde_error error = {0};
    if (sonde_model_new(&parts, "drawn", NULL, &model, &error) != SONDE_OK) {
        fail_msg("%s", error.text);
    }
    scrap_free(&s);
    return model;
}

static inline sonde_model *draw_certified(sonde__rng *rng) {
    return draw_certified_as(rng, 0.0);
}

/* Two steps. Action 0 leads to a place that is known and costs nothing, action 1 to one of two that
 * look alike and tell which they are one step later, more or less. It costs what that is worth and
 * a little more, so that G of both are within a few 1 / gamma of each other, while nothing but a
 * step more could say so: what is known of action 1 is hundreds of 1 / gamma wide. */
enum { NEAR_STATES = 6, NEAR_OUTCOMES = 3 };
static inline sonde_model *draw_near(sonde__rng *rng) {
    enum { START, KNOWN, LEFT, RIGHT, TOLD_LEFT, TOLD_RIGHT };
    static const int64_t size_A[] = {NEAR_OUTCOMES, NEAR_STATES};
    static const int64_t size_B[] = {NEAR_STATES, NEAR_STATES, 2};
    static const int64_t size_cost[] = {NEAR_STATES, 2};
    const double share = 0.35 + 0.3 * sonde__rng_uniform(rng);
    const double right = 0.7 + 0.25 * sonde__rng_uniform(rng);
    const double gamma = 2000.0 + 6000.0 * sonde__rng_uniform(rng);
    const double more = 1.5 + 4.0 * sonde__rng_uniform(rng);
    double A[NEAR_OUTCOMES][NEAR_STATES] = {{1.0, 1.0, 1.0, 1.0, 0.0, 0.0},
                                            {0.0, 0.0, 0.0, 0.0, right, 1.0 - right},
                                            {0.0, 0.0, 0.0, 0.0, 1.0 - right, right}};
    double B[NEAR_STATES][NEAR_STATES][2] = {{{0.0}}};
    double C[NEAR_OUTCOMES] = {0.0};
    double D[NEAR_STATES] = {1.0};
    double cost[NEAR_STATES][2] = {{0.0}};
    B[KNOWN][START][0] = 1.0;
    B[LEFT][START][1] = share;
    B[RIGHT][START][1] = 1.0 - share;
    for (int32_t u = 0; u < 2; u++) {
        B[KNOWN][KNOWN][u] = B[TOLD_LEFT][LEFT][u] = B[TOLD_RIGHT][RIGHT][u] = 1.0;
        B[TOLD_LEFT][TOLD_LEFT][u] = B[TOLD_RIGHT][TOLD_RIGHT][u] = 1.0;
    }
    const double seen = share * right + (1.0 - share) * (1.0 - right);
    cost[START][1] = right * log(right) + (1.0 - right) * log(1.0 - right) - seen * log(seen) -
                     (1.0 - seen) * log(1.0 - seen) + more / gamma;
    sonde_factor_parts factor = {.shape = {.n_state = NEAR_STATES, .n_action = 2},
                                 .B = {.n_axis = 3, .size = size_B, .value = &B[0][0][0]},
                                 .D = {.n_axis = 1, .size = size_B, .value = D}};
    sonde_modality_parts modality = {.shape = {.n_outcome = NEAR_OUTCOMES},
                                     .A = {.n_axis = 2, .size = size_A, .value = &A[0][0]},
                                     .C = {.n_axis = 1, .size = size_A, .value = C}};
    sonde_parts parts = sonde_parts_defaults();
    parts.n_factor = parts.n_modality = 1;
    parts.factor = &factor;
    parts.modality = &modality;
    parts.settings.horizon = 2;
    parts.settings.preferences = SONDE_PREFERENCES_UTILITY;
    parts.settings.information =
        draw_chance(rng, 0.5) ? SONDE_INFORMATION_JOINT : SONDE_INFORMATION_PER_MODALITY;
    parts.settings.gamma = gamma;
    parts.action_cost = (sonde_array){.n_axis = 2, .size = size_cost, .value = &cost[0][0]};
    sonde_model *model = NULL;
    sonde_error error = {0};
    if (sonde_model_new(&parts, "near", NULL, &model, &error) != SONDE_OK) {
        fail_msg("%s", error.text);
    }
    return model;
}

/* --------------------------------------------------------------------------- the recursion -- */

typedef struct {
    const sonde_model *model;
    int32_t n_state;
    int32_t n_tuple;
    int32_t horizon;
    long double prior[ACTIONS_MOST];
    long double B[ACTIONS_MOST][STATES_MOST][STATES_MOST]; /* [u][next][previous] */
    long double A[ACTIONS_MOST][3][OUTCOMES_MOST][STATES_MOST];
    int32_t outcome[OUTCOMES_MOST][3];
    double n_belief; /* distinct or not */
} exact;

static inline long double floored(long double x) {
    return logl(x > 1e-16L ? x : 1e-16L);
}

static inline void exact_open(exact *e, const sonde_model *model, int32_t horizon) {
    *e = (exact){.model = model, .n_state = 1, .n_tuple = 1, .horizon = horizon};
    for (int32_t f = 0; f < model->n_factor; f++) {
        e->n_state *= model->factor[f].n_state;
    }
    for (int32_t u = 0; u < model->n_action; u++) {
        int32_t tuple[2] = {0};
        sonde_model_tuple(model, u, tuple);
        e->prior[u] = model->action_prior != NULL ? (long double)model->action_prior[u]
                                                  : 1.0L / (long double)model->n_action;
        for (int32_t to = 0; to < e->n_state; to++) {
            for (int32_t from = 0; from < e->n_state; from++) {
                int32_t t = to;
                int32_t s = from;
                e->B[u][to][from] = 1.0L;
                for (int32_t f = model->n_factor - 1; f >= 0; f--) {
                    const int32_t n = model->factor[f].n_state;
                    e->B[u][to][from] *=
                        (long double)transition(&model->factor[f], s % n, tuple[f], t % n);
                    t /= n;
                    s /= n;
                }
            }
        }
        for (int32_t m = 0; m < model->n_modality; m++) {
            const sonde_modality *modality = &model->modality[m];
            for (int32_t s = 0; s < e->n_state; s++) {
                for (int32_t o = 0; o < modality->n_outcome; o++) {
                    const int32_t at = s * modality->n_action + (modality->n_action > 1 ? u : 0);
                    e->A[u][m][o][s] = (long double)likelihood(modality, at, o);
                }
            }
        }
    }
    for (int32_t m = 0; m < model->n_modality; m++) {
        e->n_tuple *= model->modality[m].n_outcome;
    }
    for (int32_t i = 0; i < e->n_tuple; i++) {
        int32_t rest = i;
        for (int32_t m = model->n_modality - 1; m >= 0; m--) {
            e->outcome[i][m] = rest % model->modality[m].n_outcome;
            rest /= model->modality[m].n_outcome;
        }
    }
}

/* Utility, cost and information of one modality of a step. */
static inline long double modality_terms(const exact *e, int32_t u, int32_t m, int32_t row,
                                         const long double *next) {
    const sonde_modality *modality = &e->model->modality[m];
    const double *preference =
        modality->preference + (int64_t)(row < e->model->n_step_C ? row : 0) * modality->n_outcome;
    const sonde_information how = e->model->information;
    long double g = 0.0L;
    for (int32_t o = 0; o < modality->n_outcome; o++) {
        long double q = 0.0L;
        long double blur = 0.0L;
        for (int32_t s = 0; s < e->n_state; s++) {
            const long double a = e->A[u][m][o][s];
            q += a * next[s];
            blur -= a > 0.0L ? next[s] * a * floored(a) : 0.0L;
        }
        g += q * ((long double)e->model->lambda * (long double)modality->cost[o] -
                  (long double)preference[o]);
        g += how != SONDE_INFORMATION_OFF ? blur : 0.0L;
        g += how == SONDE_INFORMATION_PER_MODALITY && q > 0.0L ? q * floored(q) : 0.0L;
    }
    return g;
}

static inline void exact_value(exact *e, int32_t depth, const long double *belief,
                               long double G[BACKUPS][ACTIONS_MOST], long double V[BACKUPS]);

static inline void exact_action(exact *e, int32_t depth, const long double *belief, int32_t u,
                                long double G[BACKUPS]) {
    const sonde_model *model = e->model;
    long double next[STATES_MOST] = {0};
    long double g = 0.0L;
    for (int32_t to = 0; to < e->n_state; to++) {
        for (int32_t s = 0; s < e->n_state; s++) {
            next[to] += e->B[u][to][s] * belief[s];
        }
    }
    for (int32_t s = 0; model->action_cost != NULL && s < e->n_state; s++) {
        g += belief[s] * (long double)model->action_cost[s * model->n_action + u];
    }
    for (int32_t m = 0; m < model->n_modality; m++) {
        g += modality_terms(e, u, m, depth, next);
    }
    long double rest[BACKUPS] = {0};
    for (int32_t i = 0; i < e->n_tuple; i++) {
        long double after[STATES_MOST];
        long double q = 0.0L;
        for (int32_t s = 0; s < e->n_state; s++) {
            after[s] = next[s];
            for (int32_t m = 0; m < model->n_modality; m++) {
                after[s] *= e->A[u][m][e->outcome[i][m]][s];
            }
            q += after[s];
        }
        g += model->information == SONDE_INFORMATION_JOINT && q > 0.0L ? q * floored(q) : 0.0L;
        if (q > 0.0L && depth + 1 < e->horizon) {
            long double under[BACKUPS][ACTIONS_MOST];
            long double V[BACKUPS];
            for (int32_t s = 0; s < e->n_state; s++) {
                after[s] /= q;
            }
            exact_value(e, depth + 1, after, under, V);
            for (int32_t k = 0; k < BACKUPS; k++) {
                rest[k] += q * V[k];
            }
        }
    }
    for (int32_t k = 0; k < BACKUPS; k++) {
        G[k] = g + (long double)model->discount * rest[k];
    }
}

static inline long double exact_backup(const exact *e, int32_t kind, const long double *G) {
    const long double gamma = (long double)e->model->gamma;
    long double least = INFINITY;
    long double mass = 0.0L;
    long double mean = 0.0L;
    for (int32_t u = 0; u < e->model->n_action; u++) {
        least = e->prior[u] > 0.0L && G[u] < least ? G[u] : least;
    }
    for (int32_t u = 0; u < e->model->n_action; u++) {
        const long double w = e->prior[u] > 0.0L ? e->prior[u] * expl(-gamma * (G[u] - least)) : 0;
        mass += w;
        mean += w > 0.0L ? w * (G[u] - least) : 0.0L;
    }
    return kind == SONDE_BACKUP_MIN       ? least
           : kind == SONDE_BACKUP_AVERAGE ? least + mean / mass
                                          : least - logl(mass) / gamma;
}

static inline void exact_value(exact *e, int32_t depth, const long double *belief,
                               long double G[BACKUPS][ACTIONS_MOST], long double V[BACKUPS]) {
    e->n_belief++;
    for (int32_t u = 0; u < e->model->n_action; u++) {
        long double each[BACKUPS] = {0};
        if (e->prior[u] > 0.0L) {
            exact_action(e, depth, belief, u, each);
        }
        for (int32_t k = 0; k < BACKUPS; k++) {
            G[k][u] = each[k];
        }
    }
    for (int32_t k = 0; k < BACKUPS; k++) {
        V[k] = exact_backup(e, k, G[k]);
    }
}

static inline void exact_root(exact *e, long double G[BACKUPS][ACTIONS_MOST],
                              long double V[BACKUPS]) {
    const sonde_model *model = e->model;
    long double belief[STATES_MOST];
    for (int32_t s = 0; s < e->n_state; s++) {
        int32_t rest = s;
        belief[s] = 1.0L;
        for (int32_t f = model->n_factor - 1; f >= 0; f--) {
            belief[s] *= (long double)model->factor[f].D[rest % model->factor[f].n_state];
            rest /= model->factor[f].n_state;
        }
    }
    exact_value(e, 0, belief, G, V);
}

/* ------------------------------------------------------------------------------ certificates -- */

/* What a campaign has found. */
typedef struct {
    int32_t n_search;
    int32_t n_violation;
    double share[BACKUPS][1000]; /* of the distinct beliefs, at epsilon 1e-3 */
    int32_t n_share[BACKUPS];
} campaign;

/* A decision, and the agent that made it. */
typedef struct {
    sonde_agent *agent;
    const sonde_decision *decision;
} planned;

static inline planned plan_within(const sonde_model *model, int32_t backup,
                                  sonde_search_kind search, double epsilon, uint64_t budget) {
    sonde_search_settings settings = sonde_search_defaults();
    sonde_run run = sonde_run_defaults();
    planned p = {0};
    sonde_error error = {0};
    settings.loop = SONDE_LOOP_CLOSED;
    settings.search = search;
    settings.backup = (sonde_backup)backup;
    settings.epsilon = epsilon;
    settings.budget = budget;
    run.memory = 64 << 20;
    if (sonde_plan(model, NULL, &settings, &run, &p.agent, &p.decision, &error) != SONDE_OK) {
        fail_msg("%s", error.text);
    }
    return p;
}

static inline planned plan_closed(const sonde_model *model, int32_t backup,
                                  sonde_search_kind search, double epsilon) {
    return plan_within(model, backup, search, epsilon, 0);
}

/* Whether a decision says anything that is not so. */
static inline bool is_false(const exact *e, const sonde_decision *d, const long double *G,
                            long double V) {
    const long double gamma = (long double)e->model->gamma;
    long double least = INFINITY;
    long double mass = 0.0L;
    long double more = 0.0L;
    long double most = -1.0L;
    int32_t best = -1;
    bool wrong = V < (long double)d->value_lower || V > (long double)d->value_upper;
    for (int32_t i = 0; i < d->n_action; i++) {
        least = G[d->action[i]] < least ? G[d->action[i]] : least;
    }
    for (int32_t i = 0; i < d->n_action; i++) {
        mass += e->prior[d->action[i]] * expl(-gamma * (G[d->action[i]] - least));
    }
    for (int32_t i = 0; i < d->n_action; i++) {
        const int32_t u = d->action[i];
        const long double p = e->prior[u] * expl(-gamma * (G[u] - least)) / mass;
        wrong = wrong || G[u] < (long double)d->efe_lower[i] || G[u] > (long double)d->efe_upper[i];
        wrong = wrong || p < (long double)d->p_lower[i] || p > (long double)d->p_upper[i];
        more += (long double)d->posterior[i] > p ? (long double)d->posterior[i] - p : 0.0L;
        best = best < 0 || d->posterior[i] > d->posterior[best] + 1e-12 ? i : best;
        most = p > most ? p : most;
    }
    wrong = wrong || more > (long double)d->certificate.tv;
    const int32_t named = d->action[best];
    const long double p = e->prior[named] * expl(-gamma * (G[named] - least)) / mass;
    return wrong || (d->certificate.action_is_exact && p < most);
}

static inline void certify_model(campaign *c, const sonde_model *model) {
    static const double epsilon[] = {0.1, 1e-2, 1e-3};
    static exact e;
    long double G[BACKUPS][ACTIONS_MOST];
    long double V[BACKUPS];
    exact_open(&e, model, model->horizon);
    exact_root(&e, G, V);
    for (int32_t k = 0; k < BACKUPS; k++) {
        planned full = plan_closed(model, k, SONDE_SEARCH_FULL, 1e-3);
        c->n_violation += is_false(&e, full.decision, G[k], V[k]);
        const double n = (double)full.decision->evaluations.n_belief;
        sonde_agent_free(full.agent);
        for (int32_t i = 0; i < 3; i++) {
            planned p = plan_closed(model, k, SONDE_SEARCH_BOUNDED, epsilon[i]);
            c->n_violation += is_false(&e, p.decision, G[k], V[k]);
            c->n_search++;
            if (i == 2 && c->n_share[k] < 1000) {
                c->share[k][c->n_share[k]++] = (double)p.decision->evaluations.n_belief / n;
            }
            sonde_agent_free(p.agent);
        }
    }
}

static inline int compare_shares(const void *left, const void *right) {
    const double a = *(const double *)left;
    const double b = *(const double *)right;
    return (a > b) - (a < b);
}

/* The average of G that are far apart, or near each other, with boxes that stay wide because little
 * may be scored. */
static inline void run_small(campaign *c, uint64_t n, bool wide) {
    static const uint64_t budget[] = {1, 10, 40};
    for (uint64_t i = 0; i < n; i++) {
        sonde__rng rng = sonde__rng_stream(wide ? 21 : 22, SONDE__FOR_GRAPH, i);
        sonde_model *model = wide ? draw_certified_as(&rng, GAMMA_WIDE) : draw_near(&rng);
        static exact e;
        long double G[BACKUPS][ACTIONS_MOST];
        long double V[BACKUPS];
        exact_open(&e, model, model->horizon);
        exact_root(&e, G, V);
        for (int32_t k = 0; k < (wide ? 3 : 1); k++) {
            const uint64_t most = wide ? budget[k] : 2;
            planned p = plan_within(model, SONDE_BACKUP_AVERAGE, SONDE_SEARCH_BOUNDED, 1e-3, most);
            c->n_violation +=
                is_false(&e, p.decision, G[SONDE_BACKUP_AVERAGE], V[SONDE_BACKUP_AVERAGE]);
            c->n_search++;
            sonde_agent_free(p.agent);
        }
        sonde_model_free(model);
    }
    print_message("%d %s searches, %d violations\n", (int)c->n_search, wide ? "wide" : "near",
                  (int)c->n_violation);
}

/* A gamma so small that the last digits of logarithms weigh much. */
static inline void run_soft(campaign *c, uint64_t n) {
    static const double gamma[] = {1e-6, 1e-9, 1e-12, 1e-15, 1e-18, 1e-100};
    for (uint64_t i = 0; i < n; i++) {
        sonde__rng rng = sonde__rng_stream(23, SONDE__FOR_GRAPH, i);
        sonde_model *model = draw_certified_as(&rng, gamma[i % 6]);
        certify_model(c, model);
        sonde_model_free(model);
    }
    print_message("%d soft searches, %d violations\n", (int)c->n_search, (int)c->n_violation);
}

/* Models `first` to `end` - 1. */
static inline void run_campaign(campaign *c, uint64_t first, uint64_t end) {
    for (uint64_t i = first; i < end; i++) {
        sonde__rng rng = sonde__rng_stream(20, SONDE__FOR_GRAPH, i);
        sonde_model *model = draw_certified(&rng);
        const int32_t before = c->n_violation;
        certify_model(c, model);
        if (c->n_violation > before) {
            print_message("model %d: %d violations\n", (int)i, (int)(c->n_violation - before));
        }
        sonde_model_free(model);
    }
    print_message("%d searches, %d violations\n", (int)c->n_search, (int)c->n_violation);
    for (int32_t k = 0; k < BACKUPS; k++) {
        qsort(c->share[k], (size_t)c->n_share[k], sizeof(double), compare_shares);
        print_message("%s: median share of the distinct beliefs %.3f\n", sonde_backup_name(k),
                      c->n_share[k] > 0 ? c->share[k][c->n_share[k] / 2] : 0.0);
    }
}

#endif

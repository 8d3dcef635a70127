/* search_action.c: from the masses of first actions to the action that is taken.
 *
 * Probabilities of actions (and of the nodes they lead to, or of each factor's own), what the rule
 * of the settings draws from, the draw itself, and the plan that stands behind an action. */
#include <float.h>
#include <string.h>

#include "base/numbers.h"
#include "base/rng.h"
#include "search/search_internal.h"

uint64_t sonde__summed_actions(const sonde_model *model) {
    uint64_t n = 0;
    for (int32_t f = 0; f < model->n_factor; f++) {
        n += (uint64_t)model->factor[f].n_action;
    }
    return n;
}

/* p divided by its sum. */
static void divide(int32_t n, double *p) {
    double total = 0.0;
    for (int32_t i = 0; i < n; i++) {
        total += p[i];
    }
    for (int32_t i = 0; i < n; i++) {
        p[i] /= total;
    }
}

double sonde__action_mass(const sonde_search_settings *settings, const sonde_model *model,
                          double mass) {
    if (!settings->per_factor) {
        return mass;
    }
    if (settings->inference == SONDE_INFERENCE_PYMDP) {
        return mass > DBL_EPSILON ? mass : DBL_EPSILON;
    }
    const bool added = settings->inference == SONDE_INFERENCE_PYMDP_LEGACY &&
                       model->information == SONDE_INFORMATION_LEGACY;
    return added ? mass + SONDE__FLOOR : mass;
}

void sonde__action_rule(const sonde_search_settings *settings, int32_t n, const double *summed,
                        double *p) {
    const int32_t best = sonde__most_probable(n, summed);
    const double most = summed[best];
    const double alpha = settings->alpha;
    const bool power = settings->action == SONDE_ACTION_MARGINAL && alpha != 1.0;
    for (int32_t i = 0; i < n; i++) {
        if (settings->action == SONDE_ACTION_SOFTMAX) {
            p[i] = sonde__exp(alpha * summed[i] - alpha * most);
        } else if (settings->action == SONDE_ACTION_DETERMINISTIC) {
            p[i] = i == best ? 1.0 : 0.0;
        } else if (power && summed[i] < 1e-300) {
            p[i] = alpha == 0.0 ? 1.0 : 0.0;
        } else if (power) {
            p[i] = sonde__exp(alpha * (sonde__log(summed[i]) - sonde__log(most)));
        } else {
            p[i] = summed[i];
        }
    }
    if (power || settings->action == SONDE_ACTION_SOFTMAX) {
        divide(n, p);
    }
}

/* The nodes that the actions lead to. */
static void find_nodes(sonde__search *search) {
    const sonde_policies *policies = search->policies;
    const sonde__policy_parts *parts = sonde__parts_of(policies);
    sonde_decision *decision = &search->decision;
    const int32_t state = decision->state;
    const int32_t n_out = parts->n_choice(policies, state);
    for (int32_t i = 0; i < n_out; i++) {
        search->to[i] = -1;
        search->to_summed[i] = 0.0;
    }
    for (int32_t i = 0; i < decision->n_action; i++) {
        const int32_t choice = parts->choice(policies, state, search->action[i]);
        search->to[choice] = parts->node(policies, state, choice);
        search->to_summed[choice] += search->summed[i];
    }
    for (int32_t i = 0; i < n_out; i++) {
        if (search->to[i] >= 0) {
            search->to[decision->n_to] = search->to[i];
            search->to_summed[decision->n_to++] = search->to_summed[i];
        }
    }
    decision->to = search->to;
    decision->to_posterior = search->to_summed;
}

/* General models: each factor's own actions, and what they are drawn from. */
static void find_marginals(sonde__search *search) {
    const sonde_model *model = search->policies->model;
    sonde_decision *decision = &search->decision;
    int32_t tuple[SONDE_FACTORS_MAX];
    memset(search->marginal, 0, (size_t)sonde__summed_actions(model) * sizeof *search->marginal);
    for (int32_t i = 0; i < decision->n_action; i++) {
        double *marginal = search->marginal;
        sonde__model_tuple(model, search->action[i], tuple);
        for (int32_t f = 0; f < model->n_factor; f++) {
            marginal[tuple[f]] += search->summed[i];
            marginal += model->factor[f].n_action;
        }
    }
    int32_t first = 0;
    for (int32_t f = 0; f < model->n_factor; f++) {
        const int32_t n = model->factor[f].n_action;
        double *chance = search->chances + first;
        for (int32_t u = 0; u < n; u++) {
            chance[u] = sonde__action_mass(&search->settings, model, search->marginal[first + u]);
        }
        sonde__action_rule(&search->settings, n, chance, chance);
        first += n;
    }
    decision->marginal = search->marginal;
}

/* What the posterior of a decision is summed by, in either kind of model. */
static void (*const summing[SONDE__N_KIND])(sonde__search *search) = {
    [SONDE__OF_GRAPHS] = find_nodes, [SONDE__OF_FACTORS] = find_marginals};

/* Points the decision at its arrays, and finds what follows from the actions' probabilities. */
static void complete(sonde__search *search) {
    sonde_decision *decision = &search->decision;
    sonde__action_rule(&search->settings, decision->n_action, search->summed, search->probability);
    const bool best = search->settings.action == SONDE_ACTION_BEST && decision->n_followed == 0;
    for (int32_t i = 0; best && i < decision->n_action; i++) {
        const bool taken = search->action[i] == sonde__posterior_top(&search->posterior);
        search->probability[i] = taken ? 1.0 : 0.0;
    }
    decision->action = search->action;
    decision->posterior = search->summed;
    decision->probability = search->probability;
    decision->best_walk = search->best_walk;
    summing[sonde__kind(search->policies->model)](search);
}

void sonde__search_weigh(sonde__search *search, double total) {
    const sonde__posterior *posterior = &search->posterior;
    sonde_decision *decision = &search->decision;
    /* the actions that some policy starts with */
    for (int32_t a = posterior->begin; a < posterior->end; a++) {
        if (posterior->best[a - posterior->begin] != UINT64_MAX) {
            search->action[decision->n_action] = a;
            search->summed[decision->n_action++] = posterior->mass[a - posterior->begin] / total;
        }
    }
    complete(search);
}

void sonde__search_follow(sonde__search *search, sonde_present now, int32_t action,
                          int32_t n_followed) {
    sonde_decision *decision = &search->decision;
    const uint64_t best = decision->best;
    const sonde_efe best_efe = decision->best_efe;
    *decision = (sonde_decision){.state = now.state,
                                 .belief = now.belief,
                                 .origin = decision->origin,
                                 .best = best,
                                 .best_efe = best_efe,
                                 .drawn = UINT64_MAX,
                                 .gamma = search->settings.gamma,
                                 .n_action = 1,
                                 .n_followed = n_followed};
    search->action[0] = action;
    search->summed[0] = 1.0;
    complete(search);
}

bool sonde__search_plan(const sonde__search *search, int32_t action, int32_t *walk) {
    const sonde__posterior *posterior = &search->posterior;
    const bool top = search->settings.action == SONDE_ACTION_BEST && posterior->top_action >= 0;
    const uint64_t drawn = top ? posterior->top_policy : search->decision.drawn;
    const uint64_t policy =
        drawn != UINT64_MAX ? drawn : posterior->best[action - posterior->begin];
    if (policy == SONDE__UNNUMBERED &&
        sonde__policies_action(search->policies, search->best_walk, 1) == action) {
        memcpy(walk, search->best_walk, ((size_t)search->policies->horizon + 1) * sizeof *walk);
        return true;
    }
    if (policy >= SONDE__UNNUMBERED) {
        return false;
    }
    sonde__policies_get(search->policies, search->decision.origin, policy, walk);
    return true;
}

/* finding the policy that a draw from the posterior falls on */
typedef struct {
    const sonde__posterior *posterior;
    double left; /* of the mass to be passed before it */
    uint64_t policy;
    int32_t action;
} drawing;

static void draw_from_block(void *context, const sonde__block *block) {
    drawing *draw = context;
    for (int32_t i = 0; i < block->n && draw->left >= 0.0; i++) {
        const double prior = block->prior != NULL
                                 ? block->prior[i]
                                 : sonde__posterior_weight(draw->posterior, block->action);
        if (prior <= 0.0) {
            continue;
        }
        draw->left -=
            prior * sonde__exp(draw->posterior->gamma * (draw->posterior->least - block->efe[i]));
        draw->policy = sonde__block_policy(block, i);
        draw->action = block->action;
    }
}

/* Draws a policy, by scoring once more, and returns its first action. */
static int32_t draw_policy(sonde__search *search, double u) {
    drawing draw = {.posterior = &search->posterior,
                    .left = u * sonde__posterior_total(&search->posterior)};
    if (search->method->visit(search, draw_from_block, &draw) != SONDE_OK) {
        return search->action[0]; /* stopped: whoever raised the flag will not look at this */
    }
    search->decision.drawn = draw.policy;
    return draw.action;
}

int32_t sonde__action_draw(int32_t n, const double *p, double u) {
    int32_t last = 0;
    for (int32_t i = 0; i < n; i++) {
        if (p[i] > 0.0) {
            last = i;
            if (u < p[i]) {
                break;
            }
        }
        u -= p[i];
    }
    return last;
}

/* Draws every factor's action on its own. */
static int32_t draw_tuple(const sonde__search *search, sonde__rng *rng) {
    const sonde_model *model = search->policies->model;
    const double *p = search->chances;
    int32_t tuple[SONDE_FACTORS_MAX];
    for (int32_t f = 0; f < model->n_factor; f++) {
        tuple[f] = sonde__action_draw(model->factor[f].n_action, p, sonde__rng_uniform(rng));
        p += model->factor[f].n_action;
    }
    return sonde__model_from_tuple(model, tuple);
}

int32_t sonde__search_draw(sonde__search *search, sonde__rng *rng) {
    if (search->decision.n_followed > 0) {
        return search->action[0];
    }
    if (search->settings.per_factor) {
        return draw_tuple(search, rng);
    }
    const double u = sonde__rng_uniform(rng);
    if (search->settings.action == SONDE_ACTION_FULL) {
        return draw_policy(search, u);
    }
    return search->action[sonde__action_draw(search->decision.n_action, search->probability, u)];
}

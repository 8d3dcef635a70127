/* search.c: one decision, from a state to the probabilities of actions.
 *
 * The table of search methods, and what they have in common. sonde__search_run is the whole
 * method: prepare the origin, choose policies, score them, add up their posterior. What that means
 * for the action is in search_action.c. */
#include "search/search.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/numbers.h"
#include "base/settings.h"
#include "base/rng.h"

/* policies in a block: their G stay in the first-level cache */
#define BLOCK 1024
/* outcomes of all modalities together, or states of all factors, that joint information can look
 * at */
#define JOINT_MAX (UINT64_C(1) << 28)

static const sonde__search_method table[] = {
    [SONDE_SEARCH_FULL] = {.name = "full",
                           .check = sonde__full_check,
                           .carve = sonde__full_carve,
                           .visit = sonde__full_visit,
                           .score = sonde__full_score},
    [SONDE_SEARCH_CLUSTER] = {.name = "cluster",
                              .check = sonde__cluster_search_check,
                              .open = sonde__cluster_open,
                              .bytes = sonde__cluster_bytes,
                              .carve = sonde__cluster_carve,
                              .prepare = sonde__cluster_prepare,
                              .choose = sonde__cluster_choose,
                              .visit = sonde__cluster_visit,
                              .close = sonde__cluster_close},
    [SONDE_SEARCH_BOUNDED] = {.name = "bounded",
                              .check = sonde__bounded_check,
                              .open = sonde__bounded_open,
                              .bytes = sonde__bounded_bytes,
                              .carve = sonde__bounded_carve,
                              .prepare = sonde__bounded_prepare,
                              .score = sonde__bounded_score,
                              .close = sonde__bounded_close},
    [SONDE_SEARCH_RANDOM] = {.name = "random",
                             .check = sonde__random_check,
                             .carve = sonde__random_carve,
                             .choose = sonde__random_choose,
                             .visit = sonde__random_visit,
                             .score = sonde__random_score},
    [SONDE_SEARCH_BEAM] = {.name = "beam",
                           .check = sonde__beam_check,
                           .carve = sonde__beam_carve,
                           .visit = sonde__beam_visit,
                           .score = sonde__beam_score},
    [SONDE_SEARCH_SURROGATE] = {.name = "surrogate",
                                .check = sonde__cluster_search_check,
                                .open = sonde__cluster_open,
                                .bytes = sonde__cluster_bytes,
                                .carve = sonde__surrogate_carve,
                                .prepare = sonde__surrogate_prepare,
                                .choose = sonde__surrogate_choose,
                                .visit = sonde__surrogate_visit,
                                .close = sonde__cluster_close},
    [SONDE_SEARCH_TREE] = {.name = "tree",
                           .check = sonde__tree_check,
                           .open = sonde__cluster_open,
                           .bytes = sonde__cluster_bytes,
                           .carve = sonde__tree_carve,
                           .prepare = sonde__tree_prepare,
                           .choose = sonde__tree_choose,
                           .visit = sonde__tree_visit,
                           .close = sonde__cluster_close},
};
#define N_METHOD ((int32_t)(sizeof table / sizeof *table))

const char *sonde_search_name(int32_t search) {
    return search >= 0 && search < N_METHOD ? table[search].name : NULL;
}

const char *sonde__probe_name(int32_t probe) {
    static const char *const name[] = {"center", "sample", "adaptive", NULL};
    return name[probe >= 0 && probe < 3 ? probe : 3];
}

const char *sonde__action_name(int32_t action) {
    static const char *const name[] = {"marginal", "deterministic", "full",
                                       "softmax",  "best",          NULL};
    return name[action >= 0 && action < 5 ? action : 5];
}

/* What graph worlds and general models do not share. */
static sonde_status check_model(const sonde_policies *policies,
                                const sonde_search_settings *settings, sonde_error *error) {
    const bool graph = policies->model->graph != NULL;
    if (graph && settings->per_factor) {
        return sonde__fail_setting(error, "per_factor",
                                   "a graph world has one factor; leave it out");
    }
    if (!graph && settings->scope == SONDE_GLOBAL) {
        return sonde__fail_setting(error, "scope",
                                   "a model has one scope, all policies from the present belief; "
                                   "leave it out");
    }
    if (!graph && sonde__efe_joint_outcomes(policies->model) > JOINT_MAX) {
        return sonde__fail(
            error, SONDE_TOO_LARGE,
            "joint information: there are %.4g joint outcomes, and at most %.4g can be "
            "told apart; choose information per-modality",
            (double)sonde__efe_joint_outcomes(policies->model), (double)JOINT_MAX);
    }
    if (!graph && policies->model->information == SONDE_INFORMATION_JOINT &&
        policies->model->n_joint > (double)JOINT_MAX) {
        return sonde__fail(
            error, SONDE_TOO_LARGE,
            "joint information: there are %.4g joint states, and at most %.4g can be told apart; "
            "choose information per-modality",
            policies->model->n_joint, (double)JOINT_MAX);
    }
    if (!graph && settings->probe_everywhere) {
        return sonde__fail_setting(
            error, "probe_everywhere",
            "concerns graph worlds, and this is a general model; leave it out");
    }
    if (settings->per_factor &&
        (settings->action == SONDE_ACTION_FULL || settings->action == SONDE_ACTION_BEST)) {
        return sonde__fail_setting(error, "per_factor",
                                   "action %s takes the action of a whole policy; choose another",
                                   sonde__action_name((int32_t)settings->action));
    }
    return SONDE_OK;
}

/* A fallback is another search. */
static sonde_status check_fallback(const sonde_search_settings *settings, sonde_error *error) {
    if (settings->fallback != (int32_t)settings->search) {
        return SONDE_OK;
    }
    return sonde__fail_setting(error, "fallback",
                               "%s is the search itself; choose another, or leave it out",
                               sonde_search_name(settings->fallback));
}

static sonde_status check(const sonde_policies *policies, const sonde_search_settings *settings,
                          sonde_error *error) {
    sonde_status status = sonde__settings_check(settings, error);
    if (status == SONDE_OK) {
        status = check_fallback(settings, error);
    }
    if (status == SONDE_OK) {
        status = check_model(policies, settings, error);
    }
    return status;
}

/* What the agent decides of its clusterings. */
static void settle_clusters(sonde_search_settings *settings) {
    if (settings->search == SONDE_SEARCH_TREE && settings->n_branch > 0) {
        settings->cluster.k = settings->n_branch;
    }
    settings->cluster.seed = settings->seed;
    settings->cluster.stream = 0;
}

sonde_status sonde__search_open(sonde__search *search, const sonde_policies *policies,
                                const sonde_search_settings *settings, const sonde_run *run,
                                sonde_error *error) {
    *search = (sonde__search){.policies = policies, .settings = *settings, .run = *run};
    search->settings.embed.kind = sonde__embed_kind(policies, settings->embed.kind);
    search->settings.embed.seed = settings->seed;
    if (settings->gamma == SONDE_GAMMA_DEFAULT) {
        search->settings.gamma = policies->model->gamma;
    }
    const sonde_status status = check(policies, &search->settings, error);
    if (status != SONDE_OK) {
        search->settings.search = SONDE_SEARCH_FULL; /* there is nothing to close */
        return status;
    }
    const sonde__search_method *method = &table[settings->search];
    settle_clusters(&search->settings);
    search->posterior.gamma = search->settings.gamma;
    const sonde_status fits = method->check != NULL ? method->check(search, error) : SONDE_OK;
    return fits == SONDE_OK && method->open != NULL ? method->open(search, error) : fits;
}

uint64_t sonde__search_bytes(const sonde__search *search) {
    const sonde__search_method *method = &table[search->settings.search];
    return method->bytes != NULL ? method->bytes(search) : 0;
}

void sonde__search_reset(sonde__search *search) {
    sonde__survey *survey = &search->survey;
    survey->memory = (sonde__memory){0};
    /* what it has taught is in the number of clusters */
    const bool balanced = search->settings.cluster.k == SONDE_K_AUTO && survey->filled != NULL;
    for (int32_t s = 0; balanced && s < search->policies->n_origin; s++) {
        survey->filled[s] = false;
    }
}

void sonde__search_close(sonde__search *search) {
    const sonde__search_method *method = &table[search->settings.search];
    if (method->close != NULL) {
        method->close(search);
    }
}

static int32_t most_edges(const sonde_graph *graph) {
    int32_t most = 0;
    for (int32_t v = 0; graph != NULL && v < graph->n_node; v++) {
        const int32_t n = graph->first[v + 1] - graph->first[v];
        most = n > most ? n : most;
    }
    return most;
}

void sonde__search_carve(sonde__search *search, sonde__arena *arena) {
    const sonde_model *model = search->policies->model;
    const int32_t n_out = most_edges(model->graph);
    search->n_efe = n_out > BLOCK ? n_out : BLOCK;
    search->efe = SONDE__TAKE(arena, double, search->n_efe);
    search->prior = SONDE__TAKE(arena, double, model->E != NULL ? search->n_efe : 0);
    if (model->graph != NULL) {
        sonde__sweep_carve(arena, model->horizon, &search->sweep);
    }
    sonde__scorer_carve(arena, search->policies, &search->scorer);
    sonde__rounding_carve(arena, model, &search->rounding);
    sonde__posterior_carve(arena, model->n_action, &search->posterior);
    search->action = SONDE__TAKE(arena, int32_t, model->n_action);
    search->summed = SONDE__TAKE(arena, double, model->n_action);
    search->probability = SONDE__TAKE(arena, double, model->n_action);
    search->marginal = SONDE__TAKE(arena, double, sonde__summed_actions(model));
    search->chances = SONDE__TAKE(arena, double, sonde__summed_actions(model));
    search->to = SONDE__TAKE(arena, int32_t, n_out);
    search->to_summed = SONDE__TAKE(arena, double, n_out);
    search->best_walk = SONDE__TAKE(arena, int32_t, model->horizon + 1);
    sonde__keep_carve(arena, search->settings.n_keep, model->horizon, &search->keep);
    const sonde__search_method *method = &table[search->settings.search];
    if (method->carve != NULL) {
        method->carve(search, arena);
    }
}

/* From where the decision's policies are carried out. */
static sonde_present present(const sonde_decision *decision) {
    return (sonde_present){.state = decision->state, .belief = decision->belief};
}

/* The terms of the best policy's G. */
static sonde_efe best_terms(sonde__search *search) {
    const sonde_decision *decision = &search->decision;
    const sonde_model *model = search->policies->model;
    sonde_efe total;
    if (model->graph != NULL) {
        sonde__efe_walk(model, decision->state, search->best_walk, NULL, NULL, &total);
        return total;
    }
    return sonde__scorer_walk(&search->scorer, search->policies, decision->belief,
                              search->best_walk);
}

/* The sum over actions. Where E forbids everything that was scored, no first action is better
 * than another. */
static double find_total(sonde__posterior *posterior) {
    const double total = sonde__posterior_total(posterior);
    if (total > 0.0) {
        return total;
    }
    for (int32_t a = 0; a < posterior->end - posterior->begin; a++) {
        posterior->mass[a] = posterior->best[a] != UINT64_MAX ? 1.0 : 0.0;
    }
    return sonde__posterior_total(posterior);
}

static void conclude(sonde__search *search) {
    const sonde__posterior *posterior = &search->posterior;
    sonde_decision *decision = &search->decision;
    const double total = find_total(&search->posterior);
    sonde__search_weigh(search, total);
    if (!search->walk_is_known) {
        decision->best = posterior->best[sonde__posterior_best(posterior) - posterior->begin];
        sonde__policies_get(search->policies, decision->origin, decision->best, search->best_walk);
    }
    decision->log_evidence =
        sonde__log(total) - posterior->gamma * posterior->least + posterior->shift;
    decision->evaluations.n_policy += posterior->n_policy;
    decision->evaluations.n_step += search->sweep.n_step + search->scorer.n_step;
    decision->evaluations.equivalent =
        (double)decision->evaluations.n_step / (double)search->policies->horizon;
    decision->best_efe = best_terms(search);
    sonde__certify(search);
}

sonde_status sonde__search_visit(sonde__search *search, sonde__visitor visitor, void *context) {
    const sonde__search_method *method = &table[search->settings.search];
    return method->visit(search, search->decision.origin, present(&search->decision), visitor,
                         context);
}

/* The scores of the chosen policies, and what they add up to. */
static sonde_status score(sonde__search *search, const sonde__search_method *method) {
    const sonde_model *model = search->policies->model;
    const int32_t origin = search->decision.origin;
    const bool narrow = model->graph != NULL && origin != SONDE_EVERYWHERE;
    sonde__posterior_start(&search->posterior, narrow ? model->action[origin] : 0,
                           narrow ? model->action[origin + 1] : model->n_action);
    if (method->score != NULL) {
        return method->score(search, origin, present(&search->decision));
    }
    return sonde__search_visit(search, sonde__posterior_add, &search->posterior);
}

sonde_status sonde__search_run(sonde__search *search, sonde_present now, int32_t origin,
                               uint64_t number) {
    const sonde__search_method *method = &table[search->settings.search];
    const double began = sonde__seconds();
    origin = search->settings.scope == SONDE_LOCAL ? origin : SONDE_EVERYWHERE;
    search->decision = (sonde_decision){
        .state = now.state, .belief = now.belief, .origin = origin, .drawn = UINT64_MAX};
    if (sonde_policies_size(search->policies, origin) == 0) {
        return SONDE_NO_POLICY;
    }
    search->probe_rng = sonde__rng_stream(search->settings.seed, SONDE__FOR_PROBE, number);
    search->sweep.n_step = search->scorer.n_step = 0;
    search->walk_is_known = false;
    search->keep.n = 0;
    search->evidence = (sonde__evidence){0};
    /* what the method needs to know of this origin, once */
    sonde_status status = method->prepare != NULL ? method->prepare(search, origin) : SONDE_OK;
    search->decision.setup_seconds = sonde__seconds() - began;
    /* which policies to score */
    if (status == SONDE_OK && method->choose != NULL) {
        status = method->choose(search, origin, now);
    }
    if (status == SONDE_OK) {
        status = score(search, method);
    }
    if (status == SONDE_OK) {
        conclude(search);
        status = sonde__keep_fill(search);
    }
    search->decision.seconds = sonde__seconds() - began;
    return status;
}

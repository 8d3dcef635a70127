/* search.c: one decision, from a state to the probabilities of actions.
 *
 * The table of search methods, and what they have in common. sonde__search_decide is the whole
 * method: prepare the origin, choose policies, score them, add up their posterior. What that means
 * for the action is in search_action.c. */
#include "search/search_internal.h"

#include <math.h>

#include "base/clock.h"
#include "base/settings.h"
#include "base/rng.h"

/* policies in a block: their G stay in the first-level cache */
#define BLOCK 1024
/* outcomes of all modalities together, or states of all factors, that joint information can look
 * at */
#define JOINT_MAX (UINT64_C(1) << 28)

extern const sonde__method sonde__certified;
extern const sonde__method sonde__bounded_sums, sonde__bounded_first;
extern const sonde__method sonde__cluster, sonde__tree, sonde__surrogate;
extern const sonde__method sonde__random, sonde__beam;

typedef struct {
    const char *name;
    uint32_t traits; /* of sonde__trait */
    const sonde__method *method;
    const sonde__method *counted; /* where futures can be counted; or NULL */
    const sonde__method *listed;  /* where policies are a list, without prefixes; or NULL */
} row;
static const row table[] = {
    [SONDE_SEARCH_FULL] = {.name = "full",
                           .traits = SONDE__SCORES_ALL | SONDE__CLOSED,
                           .method = &sonde__full},
    [SONDE_SEARCH_CLUSTER] = {.name = "cluster",
                              .traits = SONDE__SCORES_CLUSTERS,
                              .method = &sonde__cluster},
    [SONDE_SEARCH_BOUNDED] = {.name = "bounded",
                              .traits = SONDE__CERTIFIES | SONDE__CLOSED,
                              .method = &sonde__bounded_first,
                              .counted = &sonde__bounded_sums,
                              .listed = &sonde__certified},
    [SONDE_SEARCH_RANDOM] = {.name = "random", .method = &sonde__random},
    [SONDE_SEARCH_BEAM] = {.name = "beam", .method = &sonde__beam, .listed = &sonde__certified},
    [SONDE_SEARCH_SURROGATE] = {.name = "surrogate", .method = &sonde__surrogate},
    [SONDE_SEARCH_TREE] = {.name = "tree", .method = &sonde__tree},
};
#define N_METHOD ((int32_t)(sizeof table / sizeof *table))
/* those that closed loop alone has stand after them */
static const row closed[] = {
    {.name = "auto", .traits = SONDE__CHOOSES | SONDE__CLOSED | SONDE__CLOSED_ONLY},
    {.name = "pruned", .traits = SONDE__PRUNES | SONDE__CLOSED | SONDE__CLOSED_ONLY},
    {.name = "dpefe", .traits = SONDE__SEES_ALL | SONDE__CLOSED | SONDE__CLOSED_ONLY},
    {.name = "qmdp", .traits = SONDE__SEES_LATER | SONDE__CLOSED | SONDE__CLOSED_ONLY},
    {.name = "uct", .traits = SONDE__TRIES | SONDE__CLOSED | SONDE__CLOSED_ONLY},
};
#define N_CLOSED ((int32_t)(sizeof closed / sizeof *closed))
_Static_assert(N_METHOD == SONDE_SEARCH_AUTO, "the searches of closed loop come after the others");

/* The row of a search; NULL: there is no such search. The program's own is in no list. */
static const row *row_of(int32_t search) {
    static const row own = {.name = "own", .method = &sonde__own_search};
    if (search == SONDE_SEARCH_OWN) {
        return &own;
    }
    if (search >= N_METHOD && search < N_METHOD + N_CLOSED) {
        return &closed[search - N_METHOD];
    }
    return search >= 0 && search < N_METHOD ? &table[search] : NULL;
}

const char *sonde_plan_search_name(int32_t search) {
    const row *found = row_of(search);
    return found != NULL ? found->name : NULL;
}

const char *sonde_search_name(int32_t search) {
    return sonde__search_has(search, SONDE__CLOSED_ONLY) ? NULL : sonde_plan_search_name(search);
}

bool sonde__search_has(int32_t search, sonde__trait trait) {
    const row *found = row_of(search);
    return found != NULL && (found->traits & trait) != 0;
}

sonde_search_kind sonde__search_with(sonde__trait trait) {
    int32_t search = 0;
    while (!sonde__search_has(search, trait)) {
        search++;
    }
    return (sonde_search_kind)search;
}

/* The method of a search, by what its score can do; NULL: there is no such search. */
static const sonde__method *method_of(const sonde__score *score, int32_t search) {
    const row *found = row_of(search);
    if (found == NULL || found->method == NULL) {
        return NULL;
    }
    if (score->futures.n > 0 && found->counted != NULL) {
        return found->counted;
    }
    return !score->branches && found->listed != NULL ? found->listed : found->method;
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

/* What not every kind of model has. */
static sonde_status check_model(const sonde_policies *policies,
                                const sonde_search_settings *settings, sonde_error *error) {
    static const char *const key[] = {"per_factor", "scope", "probe_everywhere"};
    const uint32_t kind = sonde_model_kind(policies->model);
    for (size_t i = 0; i < sizeof key / sizeof key[0]; i++) {
        const sonde_status status = sonde__setting_fits(settings, key[i], kind, error);
        if (status != SONDE_OK) {
            return status;
        }
    }
    if (sonde__efe_joint_outcomes(policies->model) > JOINT_MAX) {
        return sonde__fail(
            error, SONDE_TOO_LARGE,
            "joint information: there are %.4g joint outcomes, and at most %.4g can be "
            "told apart; choose information per-modality",
            (double)sonde__efe_joint_outcomes(policies->model), (double)JOINT_MAX);
    }
    if (sonde__model_is_joint(policies->model) && policies->model->n_joint > (double)JOINT_MAX) {
        return sonde__fail(
            error, SONDE_TOO_LARGE,
            "joint information: there are %.4g joint states, and at most %.4g can be told apart; "
            "choose information per-modality",
            policies->model->n_joint, (double)JOINT_MAX);
    }
    if (policies->model->information == SONDE_INFORMATION_LEGACY &&
        sonde__search_has((int32_t)settings->search, SONDE__CERTIFIES)) {
        return sonde__fail(
            error, SONDE_BAD_ARGUMENT,
            "information: pymdp-legacy leaves improbable states out, and there are no "
            "bounds of that; choose search full, or information joint");
    }
    if (settings->per_factor &&
        (settings->action == SONDE_ACTION_FULL || settings->action == SONDE_ACTION_BEST)) {
        return sonde__fail_setting(error, "per_factor",
                                   "action %s takes the action of a whole policy; choose another",
                                   sonde__action_name((int32_t)settings->action));
    }
    return SONDE_OK;
}

/* A policy can be drawn from all that are looked at. */
static sonde_status check_action(const sonde_search_settings *settings, sonde_error *error) {
    const int32_t search = (int32_t)settings->search;
    if (settings->action != SONDE_ACTION_FULL || !sonde__search_has(search, SONDE__CERTIFIES)) {
        return SONDE_OK;
    }
    return sonde__fail(error, SONDE_BAD_ARGUMENT,
                       "action: full draws one policy of all, and %s search does not look at "
                       "all; choose marginal, which gives the same actions as often",
                       sonde_search_name(search));
}

static sonde_status check(const sonde_policies *policies, const sonde_search_settings *settings,
                          sonde_error *error) {
    sonde_status status = sonde__settings_check(settings, error);
    status = status == SONDE_OK ? sonde__settings_check_searches(settings, error) : status;
    status = status == SONDE_OK ? sonde__model_check_open(policies->model, error) : status;
    status = status == SONDE_OK ? check_model(policies, settings, error) : status;
    return status == SONDE_OK ? check_action(settings, error) : status;
}

sonde_status sonde__search_check_numbers(sonde__search *search, sonde_error *error) {
    if (search->settings.action == SONDE_ACTION_FULL && sonde__search_most(search) == UINT64_MAX) {
        return sonde__fail(error, SONDE_BAD_ARGUMENT,
                           "action: full draws one policy by its number, and there are too many "
                           "policies for numbers; choose marginal, which gives the same actions as "
                           "often");
    }
    return SONDE_OK;
}

size_t sonde__search_size(const sonde_policies *policies, int32_t kind) {
    sonde__score score;
    sonde__score_open(&score, policies);
    const sonde__method *method = method_of(&score, kind);
    return sizeof(sonde__search) + (method != NULL ? method->size : 0);
}

/* Lets the parts of G count as much as the settings say. */
static sonde_status weigh(sonde__search *search, sonde_error *error) {
    const sonde_weights *w = &search->settings.weights;
    if (w->utility == 1.0 && w->information == 1.0 && w->cost == 1.0 &&
        w->novelty == SONDE_NOVELTY_NONE) {
        return SONDE_OK;
    }
    const sonde_status status = sonde_policies_weigh(search->given, w, &search->weighed, error);
    search->policies = status == SONDE_OK ? search->weighed : search->given;
    return status;
}

static void weigh_again(const sonde__search *search) {
    if (search->weighed != NULL) {
        sonde__policies_weigh_again(search->weighed, search->given, &search->settings.weights);
    }
}

sonde_status sonde__search_open(sonde__search *search, const sonde_policies *policies,
                                const sonde_search_settings *settings, const sonde_run *run,
                                sonde_error *error) {
    *search = (sonde__search){.policies = policies,
                              .given = policies,
                              .settings = *settings,
                              .run = *run,
                              .state = search + 1};
    search->settings.embed.kind = sonde__embed_kind(policies, settings->embed.kind);
    search->settings.embed.seed = settings->seed;
    if (settings->gamma == SONDE_GAMMA_DEFAULT) {
        search->settings.gamma = policies->model->gamma;
    }
    sonde_status status = check(policies, &search->settings, error);
    if (status == SONDE_OK) {
        status = weigh(search, error);
    }
    if (status != SONDE_OK) {
        return status;
    }
    sonde__score_open(&search->score, search->policies);
    const sonde__method *method = method_of(&search->score, (int32_t)settings->search);
    search->method = method;
    search->settings.cluster.seed = settings->seed;
    search->settings.cluster.stream = 0;
    search->posterior.gamma = search->settings.gamma;
    return method->open != NULL ? method->open(search, error) : SONDE_OK;
}

uint64_t sonde__search_bytes(const sonde__search *search) {
    return search->method->bytes != NULL ? search->method->bytes(search) : 0;
}

const sonde_search_settings *sonde__search_settings(const sonde__search *search) {
    return &search->settings;
}

sonde_setup sonde__search_setup(const sonde__search *search) {
    return search->setup;
}

sonde_decision *sonde__search_decision(sonde__search *search) {
    return &search->decision;
}

uint64_t sonde__search_most(const sonde__search *search) {
    return sonde__search_is_local(search) ? sonde__policies_most(search->policies)
                                          : search->policies->n_policy;
}

uint64_t sonde__search_afford(const sonde__search *search, uint64_t usual, uint64_t n) {
    const uint64_t bought = search->settings.budget / (uint64_t)search->policies->horizon;
    const uint64_t most = search->settings.budget == 0 ? usual : bought > 0 ? bought : 1;
    return most < n ? most : n;
}

void sonde__search_reset(sonde__search *search) {
    if (search->method->forget != NULL) {
        search->method->forget(search);
    }
}

void sonde__search_close(sonde__search *search) {
    if (search->method != NULL && search->method->close != NULL) {
        search->method->close(search);
    }
    sonde_policies_free(search->weighed);
}

/* The first track does whatever is asked, those of other threads what is shared out. */
static void carve_score(sonde__search *search, sonde__arena *arena) {
    const uint32_t uses = SONDE__SCORE_NUMBERS | search->method->uses;
    const bool shared = search->score.stretches && (uses & SONDE__SCORE_ORDER) != 0;
    sonde__score_carve(arena, &search->score, uses);
    search->n_track = shared ? search->run.n_thread : 1;
    search->track = SONDE__TAKE(arena, sonde__track, search->n_track);
    for (int32_t i = 0; i < search->n_track; i++) {
        sonde__track none;
        sonde__track_carve(arena, &search->score, i == 0 ? uses : SONDE__SCORE_ORDER,
                           search->track != NULL ? &search->track[i] : &none);
    }
}

void sonde__search_carve(sonde__search *search, sonde__arena *arena) {
    weigh_again(search); /* the model may stand where it will stay only now */
    const sonde_model *model = search->policies->model;
    const sonde__policy_parts *parts = sonde__parts_of(search->policies);
    const int32_t n_out = parts->most_nodes(search->policies);
    search->n_efe = search->score.n_least > BLOCK ? search->score.n_least : BLOCK;
    search->efe = SONDE__TAKE(arena, double, search->n_efe);
    search->prior = SONDE__TAKE(arena, double, model->E != NULL ? search->n_efe : 0);
    carve_score(search, arena);
    sonde__rounding_carve(arena, model, &search->rounding);
    sonde__posterior_carve(arena, model->n_action, &search->posterior);
    search->action = SONDE__TAKE(arena, int32_t, model->n_action);
    search->summed = SONDE__TAKE(arena, double, model->n_action);
    search->probability = SONDE__TAKE(arena, double, model->n_action);
    search->marginal = SONDE__TAKE(arena, double, sonde__summed_actions(model));
    search->chances = SONDE__TAKE(arena, double, sonde__summed_actions(model));
    search->to = SONDE__TAKE(arena, int32_t, n_out);
    search->to_summed = SONDE__TAKE(arena, double, n_out);
    search->best_walk = SONDE__TAKE(arena, int32_t, search->policies->horizon + 1);
    sonde__keep_carve(arena, search->settings.n_keep, search->policies->horizon, &search->keep);
    if (search->method->carve != NULL) {
        search->method->carve(search, arena);
    }
}

/* Adds a block to the posterior of the search, and notes it. */
static void add_and_note(void *context, const sonde__block *block) {
    sonde__search *search = context;
    sonde__posterior_add(&search->posterior, block);
    sonde__watch_note(search, block);
}

sonde_status sonde__search_add(sonde__search *search) {
    return search->watch != NULL
               ? search->method->visit(search, add_and_note, search)
               : search->method->visit(search, sonde__posterior_add, &search->posterior);
}

void sonde__search_found(sonde__search *search) {
    sonde_decision *decision = &search->decision;
    search->walk_is_known = true;
    decision->best = sonde_policies_find(search->policies, decision->origin, search->best_walk);
}

sonde_efe sonde__search_terms(sonde__search *search, const int32_t *walk) {
    sonde_efe total;
    sonde__track_terms(search->track, walk, search->policies->horizon, NULL, NULL, &total);
    return total;
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
    decision->log_evidence = sonde__posterior_log(posterior, total);
    decision->gamma = search->settings.gamma;
    decision->evaluations.n_policy += posterior->n_policy;
    for (int32_t i = 0; i < search->n_track; i++) {
        decision->evaluations.n_step += search->track[i].n_step;
    }
    decision->evaluations.equivalent =
        (double)decision->evaluations.n_step / (double)search->policies->horizon;
    decision->best_efe = sonde__search_terms(search, search->best_walk);
    sonde__certify(search);
}

const char *sonde__search_complaint(const sonde__search *search, sonde_status status) {
    return search->complaint != NULL ? search->complaint : sonde_status_sentence(status);
}

void sonde__search_refresh(sonde__search *search) {
    if (search->version != search->given->model->version) {
        search->version = search->given->model->version;
        weigh_again(search);
        sonde__search_reset(search);
    }
}

/* The scores of the chosen policies, and what they add up to. */
static sonde_status decide(sonde__search *search) {
    int32_t begin = 0;
    int32_t end = 0;
    sonde__parts_of(search->policies)
        ->first(search->policies, search->decision.origin, &begin, &end);
    search->posterior.weight = search->policies->model->habit;
    sonde__posterior_start(&search->posterior, begin, end);
    if (search->watch != NULL) {
        sonde__watch_begin(search->watch);
        if (search->watch->expected) {
            return sonde__watch_decide(search);
        }
    }
    const sonde_status status =
        search->method->decide != NULL ? search->method->decide(search) : sonde__search_add(search);
    /* a method that adds policies in its own way */
    return status == SONDE_OK && search->watch != NULL && !search->watch->noted
               ? search->method->visit(search, sonde__watch_note, search)
               : status;
}

sonde_status sonde__search_decide(sonde__search *search, sonde_present now, int32_t origin,
                                  uint64_t number) {
    const sonde__method *method = search->method;
    const double began = sonde__seconds();
    origin = search->settings.scope == SONDE_LOCAL ? origin : SONDE_EVERYWHERE;
    search->decision = (sonde_decision){
        .state = now.state, .belief = now.belief, .origin = origin, .drawn = UINT64_MAX};
    if (sonde_policies_size(search->policies, origin) == 0) {
        return SONDE_NO_POLICY;
    }
    search->probe_rng = sonde__rng_stream(search->settings.seed, SONDE__FOR_PROBE, number);
    for (int32_t i = 0; i < search->n_track; i++) {
        search->track[i].n_step = 0;
    }
    search->walk_is_known = false;
    search->keep.n = 0;
    search->evidence = (sonde__evidence){0};
    search->complaint = NULL;
    sonde__search_refresh(search);
    /* what the method needs to know of this origin, once */
    sonde_status status = method->prepare != NULL ? method->prepare(search) : SONDE_OK;
    search->decision.setup_seconds = method->prepare != NULL ? sonde__seconds() - began : 0.0;
    if (status == SONDE_OK) {
        sonde__score_start(&search->score, origin, now);
        sonde__track_begin(search->track, 0, 0);
        status = decide(search);
    }
    if (status == SONDE_OK) {
        conclude(search);
        status = sonde__keep_fill(search);
    }
    search->decision.seconds = sonde__seconds() - began;
    return status;
}

/* closed.c: decisions in closed loop.
 *
 *     G(b, u) = b . a_u + g(B_u b, u) + discount sum over o of Q(o | b, u) V(b_uo)
 *     V(b)    = backup of G(b, .),   0 after T steps
 *
 * The world and the room for beliefs are made when it is opened; deciding asks for nothing. */
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/numbers.h"
#include "base/settings.h"
#include "base/status.h"
#include "closed/closed_internal.h"
#include "search/search.h"

/* the most memory that beliefs take, unless less is allowed */
#define ROOM_MOST (UINT64_C(1) << 30)
/* trajectories from which bounds are made */
#define TRAILS_MOST 31

const char *sonde_loop_name(int32_t loop) {
    static const char *const name[] = {"open", "closed", NULL};
    return name[loop >= 0 && loop < 2 ? loop : 2];
}

const char *sonde_belief_kind_name(int32_t kind) {
    static const char *const name[] = {"joint", "factorised", NULL};
    return name[kind >= 0 && kind < 2 ? kind : 2];
}

const char *sonde__replan_name(int32_t replan) {
    static const char *const name[] = {"receding", "shrinking", NULL};
    return name[replan >= 0 && replan < 2 ? replan : 2];
}

size_t sonde__closed_size(void) {
    return sizeof(sonde__closed) + sonde__infinite_size();
}

/* ------------------------------------------------------------------------------------ set-up -- */

/* The search of the settings, or NULL: closed loop has none of that name. */
static const sonde__way *way_of(const sonde_search_settings *settings) {
    static const struct {
        sonde__trait trait;
        sonde__way way;
    } table[] = {
        {SONDE__SCORES_ALL,
         {.certifies = true,
          .factorised = true,
          .tree = true,
          .backup = -1,
          .run = sonde__full_search}},
        {SONDE__CERTIFIES,
         {.bounds = true,
          .certifies = true,
          .tree = true,
          .backup = -1,
          .run = sonde__bounded_search}},
        {SONDE__CHOOSES,
         {.bounds = true,
          .certifies = true,
          .tree = true,
          .backup = -1,
          .run = sonde__auto_search}},
        {SONDE__PRUNES,
         {.factorised = true,
          .tree = true,
          .backup = -1,
          .carve = sonde__pruned_carve,
          .run = sonde__pruned_search}},
        {SONDE__SEES_ALL,
         {.backup = SONDE_BACKUP_AVERAGE,
          .carve = sonde__baseline_carve,
          .run = sonde__dpefe_search}},
        {SONDE__SEES_LATER,
         {.backup = SONDE_BACKUP_MIN, .carve = sonde__baseline_carve, .run = sonde__qmdp_search}},
        {SONDE__TRIES,
         {.backup = SONDE_BACKUP_MIN, .carve = sonde__baseline_carve, .run = sonde__uct_search}},
    };
    static const sonde__way spm = {
        .backup = -1, .carve = sonde__spm_carve, .run = sonde__spm_search};
    static const sonde__way endless = {
        .certifies = true, .tree = true, .backup = -1, .run = sonde__infinite_search};
    const int32_t search = (int32_t)settings->search;
    if (settings->endless) {
        return &endless;
    }
    if (sonde__search_has(search, SONDE__PRUNES) && settings->pruning == SONDE_PRUNING_SPM) {
        return &spm;
    }
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        if (sonde__search_has(search, table[i].trait)) {
            return &table[i].way;
        }
    }
    return NULL;
}

/* What beliefs of factors do not go with, and what goes with them alone. */
static sonde_status check_belief(const sonde_search_settings *settings, sonde_error *error) {
    const bool factorised = settings->belief_kind == SONDE_BELIEF_FACTORISED;
    const sonde__way *way = way_of(settings);
    const bool prunes = sonde__search_has((int32_t)settings->search, SONDE__PRUNES);
    if (factorised && way->bounds) {
        return sonde__fail(error, SONDE_BAD_ARGUMENT,
                           "belief_kind: no bound that is known holds for beliefs of factors, so "
                           "search %s cannot certify them; choose full or pruned, or belief_kind "
                           "joint",
                           sonde_plan_search_name((int32_t)settings->search));
    }
    if (factorised && !way->factorised) {
        return sonde__fail(
            error, SONDE_BAD_ARGUMENT, "belief_kind: %s looks at joint states; choose joint",
            prunes ? "pruning spm" : sonde_plan_search_name((int32_t)settings->search));
    }
    if (!factorised && prunes && settings->pruning == SONDE_PRUNING_PYMDP_LEGACY) {
        return sonde__fail(error, SONDE_BAD_ARGUMENT,
                           "pruning: pymdp-legacy believes each factor on its own; choose "
                           "belief_kind factorised");
    }
    if (!factorised && settings->branches != SONDE_BRANCHES_JOINT) {
        return sonde__fail(error, SONDE_BAD_ARGUMENT,
                           "branches: joint beliefs branch on outcomes together; choose joint, or "
                           "belief_kind factorised");
    }
    if (!factorised && settings->inference != SONDE_INFERENCE_DEFAULT) {
        return sonde__fail(error, SONDE_BAD_ARGUMENT,
                           "inference: is how beliefs of factors are corrected, and closed loop "
                           "believes joint states exactly; leave it out, or choose belief_kind "
                           "factorised");
    }
    return SONDE_OK;
}

/* What pruned search takes from others that do not have it. */
static sonde_status check_pruning(const sonde_search_settings *settings, sonde_error *error) {
    const bool pymdp = settings->pruning == SONDE_PRUNING_PYMDP;
    const sonde_search_settings usual = sonde_search_defaults();
    const struct {
        const char *key;
        bool idle;
    } rows[] = {
        {"stop_entropy", !pymdp && settings->stop_entropy != usual.stop_entropy},
        {"stop_value", !pymdp && settings->stop_value < usual.stop_value},
        {"max_beliefs", !pymdp && settings->max_beliefs != usual.max_beliefs},
        {"max_branching", settings->pruning == SONDE_PRUNING_PYMDP_LEGACY &&
                              settings->max_branching != usual.max_branching},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (sonde__search_has((int32_t)settings->search, SONDE__PRUNES) && rows[i].idle) {
            return sonde__fail_setting(error, rows[i].key,
                                       "pruning %s has none; leave it out, or choose pruning pymdp",
                                       sonde__pruning_name((int32_t)settings->pruning));
        }
    }
    return SONDE_OK;
}

/* Whether E that was given is one. */
static sonde_status check_prior(const sonde_search_settings *settings, int32_t n,
                                sonde_error *error) {
    const double *prior = settings->action_prior;
    double sum = prior != NULL ? 0.0 : 1.0;
    for (int32_t u = 0; prior != NULL && u < n; u++) {
        if (!(prior[u] >= 0.0 && prior[u] <= SONDE__LARGEST)) {
            return sonde__fail(error, SONDE_BAD_ARGUMENT,
                               "action_prior[%d]: expected a number of 0 or more, at most %g, "
                               "found %g",
                               u, SONDE__LARGEST, prior[u]);
        }
        sum += prior[u];
    }
    return sum > 0.0 ? SONDE_OK
                     : sonde__fail(error, SONDE_BAD_ARGUMENT,
                                   "action_prior: expected an action with more than 0");
}

/* What the settings that only closed loop has ask for. */
static sonde_status check_own(const sonde_policies *policies, const sonde_search_settings *settings,
                              sonde_error *error) {
    if (settings->vectors != NULL && !settings->endless) {
        return sonde__fail(error, SONDE_BAD_ARGUMENT,
                           "policy: is for planning without a horizon; choose horizon inf");
    }
    if (settings->replan == SONDE_REPLAN_SHRINKING && !way_of(settings)->certifies) {
        return sonde__fail(error, SONDE_BAD_ARGUMENT,
                           "replan: search %s looks as far ahead after every step; choose "
                           "receding, or search auto, full or bounded",
                           sonde_plan_search_name((int32_t)settings->search));
    }
    sonde_status status = check_prior(settings, policies->model->n_action, error);
    if (status == SONDE_OK && settings->endless) {
        status = sonde__infinite_check(policies, settings, error);
    }
    status = status == SONDE_OK ? check_belief(settings, error) : status;
    return status == SONDE_OK ? check_pruning(settings, error) : status;
}

/* What closed loop does not go with. */
static sonde_status check(const sonde_policies *policies, const sonde_search_settings *settings,
                          sonde_error *error) {
    const sonde_model *model = policies->model;
    sonde_status status = sonde__model_refuse_graph(
        model,
        "loop: closed is for general models; the states of a graph world are seen and its steps "
        "certain, so open loop has the answer",
        error);
    if (status) {
        return status;
    }
    if (model->policies == SONDE_POLICIES_LISTED) {
        return sonde__fail(error, SONDE_BAD_ARGUMENT,
                           "loop: closed makes its own plans, and this model lists its policies%s; "
                           "choose open, or a model with policies \"all\"",
                           model->E != NULL ? " with E (closed loop has action_prior instead)"
                                            : "");
    }
    if (way_of(settings) == NULL) {
        return sonde__fail(error, SONDE_BAD_ARGUMENT,
                           "search: %s looks at sequences of actions, and closed loop does not; "
                           "choose auto, full, bounded, pruned, dpefe, qmdp or uct",
                           sonde_search_name((int32_t)settings->search));
    }
    if (settings->fallback != SONDE_FALLBACK_NONE) {
        return sonde__fail(error, SONDE_BAD_ARGUMENT,
                           "fallback: is another search of sequences, which closed loop has none "
                           "of; leave it out");
    }
    if (settings->weights.novelty != SONDE_NOVELTY_NONE) {
        return sonde__fail(error, SONDE_BAD_ARGUMENT,
                           "novelty: is not defined for plans that wait for outcomes; leave it "
                           "out, or choose loop open");
    }
    if (model->information == SONDE_INFORMATION_LEGACY) {
        return sonde__fail(error, SONDE_BAD_ARGUMENT,
                           "information: pymdp-legacy is for sequences of actions; choose joint");
    }
    if (model->counts_E != NULL) {
        return sonde__fail(error, SONDE_BAD_ARGUMENT,
                           "counts.E: habits are of sequences of actions, and closed loop has "
                           "action_prior instead; leave them out, or choose loop open");
    }
    if (settings->n_keep > 0) {
        return sonde__fail(error, SONDE_BAD_ARGUMENT,
                           "keep: tells policies, and closed loop has plans; leave it out");
    }
    if (settings->n_follow > 1 && !way_of(settings)->certifies) {
        return sonde__fail(error, SONDE_BAD_ARGUMENT,
                           "replan_every: search %s makes no plan that could be followed; leave it "
                           "out, or choose auto, full or bounded",
                           sonde_plan_search_name((int32_t)settings->search));
    }
    return check_own(policies, settings, error);
}

/* As many trajectories as an eighth of the memory has vectors for. */
static int32_t count_trails(const sonde__joint *world, const sonde_run *run) {
    const double one =
        8.0 * (double)world->n_state * (double)world->horizon * ((double)world->n_action + 3.0);
    const double most = (double)run->memory / 8.0 / one;
    return most >= TRAILS_MOST ? TRAILS_MOST : most >= 1.0 ? (int32_t)most : 1;
}

/* Room for the beliefs of one decision. */
static sonde_status make_room(sonde__closed *closed, sonde_error *error) {
    const uint64_t half = closed->run.memory / 2;
    const uint64_t budget = closed->settings.budget;
    const uint64_t n = budget > 0 && closed->way->bounds
                           ? budget / (uint64_t)closed->world.n_action + 2
                           : UINT64_MAX;
    const uint64_t needed =
        sonde__add(sonde__multiply(n, 2 * sonde__web_worst(&closed->world)), 1 << 16);
    const bool all = closed->settings.endless && sizeof(void *) > 4;
    const uint64_t most = half < ROOM_MOST || all ? half : ROOM_MOST;
    (void)sonde__arena_take(&closed->block, needed < most ? needed : most, 1);
    if (!sonde__arena_reserve_lazily(&closed->block)) {
        return sonde__fail_memory(error, "closed loop", closed->block.used);
    }
    closed->web.size = closed->block.size;
    closed->web.block = sonde__arena_take(&closed->block, closed->block.size, 1);
    return SONDE_OK;
}

sonde_status sonde__closed_open(sonde__closed *closed, const sonde_policies *policies,
                                const sonde_search_settings *settings, const sonde_run *run,
                                sonde_error *error) {
    *closed = (sonde__closed){.policies = policies, .settings = *settings, .run = *run, .last = -1};
    sonde_search_settings *to = &closed->settings;
    to->gamma = to->gamma == SONDE_GAMMA_DEFAULT ? policies->model->gamma : to->gamma;
    to->discount = to->discount > 0.0 ? to->discount : policies->model->discount;
    if (to->max_branching > 0 && to->max_branching < policies->model->n_action) {
        to->max_branching = policies->model->n_action; /* pymdp fails there */
    }
    sonde_status status = sonde__settings_check(settings, error);
    status = status == SONDE_OK ? check(policies, settings, error) : status;
    if (status == SONDE_OK) {
        closed->way = way_of(settings);
        to->backup = closed->way->backup >= 0 ? (sonde_backup)closed->way->backup : to->backup;
        status = sonde__joint_open(&closed->world, policies, to, run, error);
        to->action_prior = to->action_prior != NULL ? closed->world.habit : NULL;
    }
    if (status == SONDE_OK) {
        status = make_room(closed, error);
    }
    if (status != SONDE_OK) {
        return status;
    }
    sonde__joint *world = &closed->world;
    for (int32_t u = 0; closed->way->run == sonde__spm_search && u < world->n_action; u++) {
        world->prior[u] = 1.0 / (double)world->n_action; /* E is within G */
    }
    const sonde__backing backup =
        sonde__backup_of(to->backup, to->gamma, world->n_action, world->prior);
    closed->bounds = (sonde__bounds){.world = world,
                                     .backup = backup,
                                     .discount = to->discount,
                                     .seed = to->seed,
                                     .n_trail = count_trails(world, run)};
    closed->web.world = world;
    closed->web.backup = backup;
    closed->web.discount = to->discount;
    closed->web.merges = !to->no_merge && closed->way->certifies;
    closed->web.bounds = closed->way->bounds ? &closed->bounds : NULL;
    closed->version = policies->model->version;
    if (to->endless) {
        closed->infinite = (sonde__infinite *)(closed + 1);
        return sonde__infinite_open(closed, error);
    }
    return SONDE_OK;
}

uint64_t sonde__closed_bytes(const sonde__closed *closed) {
    return sonde__add(closed->world.bytes, closed->block.size);
}

void sonde__closed_carve(sonde__closed *closed, sonde__arena *arena) {
    const sonde__joint *world = &closed->world;
    const uint64_t n_action = (uint64_t)world->n_action;
    const uint64_t n_state = (uint64_t)world->n_state;
    uint64_t n_own = 0;
    for (int32_t f = 0; f < world->model->n_factor; f++) {
        n_own += (uint64_t)world->model->factor[f].n_action;
    }
    double **const per_action[] = {
        &closed->box.prior,      &closed->box.lower,      &closed->box.upper,
        &closed->box.mass_lower, &closed->box.mass_upper, &closed->box.posterior,
        &closed->posterior,      &closed->probability,    &closed->efe_lower,
        &closed->efe_upper,      &closed->p_lower,        &closed->p_upper};
    for (size_t i = 0; i < sizeof per_action / sizeof *per_action; i++) {
        *per_action[i] = SONDE__TAKE(arena, double, n_action);
    }
    closed->action = SONDE__TAKE(arena, int32_t, n_action);
    closed->step = SONDE__TAKE(arena, sonde_efe, n_action);
    closed->marginal = SONDE__TAKE(arena, double, n_own);
    closed->chances = SONDE__TAKE(arena, double, n_own);
    closed->state = SONDE__TAKE(arena, int32_t, n_state);
    closed->kept_state = SONDE__TAKE(arena, int32_t, n_state);
    closed->p = SONDE__TAKE(arena, double, n_state);
    closed->kept = SONDE__TAKE(arena, double, n_state);
    closed->initial = SONDE__TAKE(arena, double, world->model->n_belief);
    sonde__web_carve(arena, &closed->web);
    if (closed->way->bounds) {
        sonde__bounds_carve(arena, &closed->bounds);
    }
    if (closed->way->carve != NULL) {
        closed->way->carve(closed, arena);
    }
    if (closed->infinite != NULL) {
        sonde__infinite_carve(closed, arena);
    }
}

void sonde__closed_close(sonde__closed *closed) {
    sonde__joint_close(&closed->world);
    sonde__arena_free(&closed->block);
}

const sonde_search_settings *sonde__closed_settings(const sonde__closed *closed) {
    return &closed->settings;
}

/* ----------------------------------------------------------------------------------- actions -- */

/* What merging beliefs that are not quite the same can move G by, at most. */
static double find_allowance(const sonde__closed *closed) {
    const sonde__joint *world = &closed->world;
    const sonde__backing *backup = &closed->web.backup;
    const double k =
        closed->infinite != NULL ? 1.0 / (1.0 - closed->settings.discount) : (double)world->horizon;
    double price = 0.0;
    double charge = 0.0;
    if (world->factorised) {
        return 0.0; /* where the same is the same to the last bit */
    }
    for (int64_t i = 0; i < (int64_t)world->n_state * world->n_by * world->n_row; i++) {
        price = fabs(world->price[i]) > price ? fabs(world->price[i]) : price;
    }
    for (int64_t i = 0; i < (int64_t)world->n_state * world->n_action; i++) {
        charge = fabs(world->charge[i]) > charge ? fabs(world->charge[i]) : charge;
    }
    const double logs = sonde__log((double)world->n_state) + 28.0; /* ln(S / 1e-12) */
    double moved = 1e-12 * k * (2.0 * (price + charge) + 3.0 * world->kappa * logs);
    for (int32_t d = 0; backup->kind == SONDE_BACKUP_AVERAGE && d < world->horizon; d++) {
        moved *= 1.0 + (backup->gamma > 0.0 ? backup->gamma * backup->worth : 0.0);
    }
    return moved;
}

/* The actions of the root, with their posterior and what is known of their G. */
static void list_actions(sonde__closed *closed, sonde_decision *decision) {
    const sonde__root_box *box = &closed->box;
    const int32_t n = closed->world.n_action;
    for (int32_t u = 0; u < n; u++) {
        const int32_t i = decision->n_action;
        if (!(box->prior[u] > 0.0)) {
            continue;
        }
        const double a = box->mass_lower[u];
        const double c = box->mass_upper[u];
        closed->action[i] = u;
        closed->posterior[i] = box->posterior[u];
        closed->efe_lower[i] = box->lower[u];
        closed->efe_upper[i] = box->upper[u];
        const double low = a > 0.0 ? a / (a + sonde__box_others(box->mass_upper, n, u)) : 0.0;
        const double high = c / (c + sonde__box_others(box->mass_lower, n, u));
        closed->p_lower[i] = low > SONDE__BOX_ROUNDING ? low - SONDE__BOX_ROUNDING : 0.0;
        closed->p_upper[i] = high < 1.0 - SONDE__BOX_ROUNDING ? high + SONDE__BOX_ROUNDING : 1.0;
        decision->n_action++;
    }
    decision->action = closed->action;
    decision->posterior = closed->posterior;
    decision->efe_lower = closed->efe_lower;
    decision->efe_upper = closed->efe_upper;
    decision->p_lower = closed->p_lower;
    decision->p_upper = closed->p_upper;
}

/* The terms of the first step of each. */
static void list_steps(sonde__closed *closed, sonde_decision *decision) {
    sonde__prospect *o = &closed->web.outlook;
    const int32_t row = sonde__joint_row(&closed->world, closed->root->depth);
    for (int32_t i = 0; closed->root->option != NULL && i < decision->n_action; i++) {
        sonde__prospect_predict(&closed->world, closed->root->belief, closed->action[i], row, o);
        closed->step[i] =
            sonde__prospect_terms(&closed->world, closed->root->belief, closed->action[i], row, o);
    }
    decision->step = closed->root->option != NULL ? closed->step : NULL;
}

/* What actions are drawn from: all of them, or each factor's own. */
static void apply_rules(sonde__closed *closed, sonde_decision *decision) {
    const sonde_model *model = closed->world.model;
    sonde_search_settings rule = closed->settings;
    if (rule.action == SONDE_ACTION_BEST) {
        rule.action = SONDE_ACTION_DETERMINISTIC; /* an action stands for all plans with it */
    }
    sonde__action_rule(&rule, decision->n_action, closed->posterior, closed->probability);
    double *marginal = closed->marginal;
    double *chances = closed->chances;
    for (int32_t f = 0; f < model->n_factor; f++) {
        const int32_t n = model->factor[f].n_action;
        memset(marginal, 0, (size_t)n * sizeof *marginal);
        for (int32_t i = 0; i < decision->n_action; i++) {
            int32_t tuple[SONDE_FACTORS_MAX];
            sonde__model_tuple(model, closed->action[i], tuple);
            marginal[tuple[f]] += closed->posterior[i];
        }
        sonde__action_rule(&rule, n, marginal, chances);
        marginal += n;
        chances += n;
    }
    decision->probability = closed->probability;
    decision->marginal = closed->marginal;
}

int32_t sonde__closed_draw(const sonde__closed *closed, const sonde_decision *decision,
                           sonde__rng *rng) {
    const sonde_model *model = closed->world.model;
    if (!closed->settings.per_factor) {
        return closed->action[sonde__action_draw(decision->n_action, closed->probability,
                                                 sonde__rng_uniform(rng))];
    }
    const double *p = closed->chances;
    int32_t tuple[SONDE_FACTORS_MAX];
    for (int32_t f = 0; f < model->n_factor; f++) {
        tuple[f] = sonde__action_draw(model->factor[f].n_action, p, sonde__rng_uniform(rng));
        p += model->factor[f].n_action;
    }
    return sonde__model_from_tuple(model, tuple);
}

/* --------------------------------------------------------------------------------- decisions -- */

/* The sentence of a belief in which nothing is allowed. */
static sonde_status nothing_allowed(const sonde__closed *closed, sonde_error *error) {
    const sonde__node *node = closed->web.stuck;
    char steps[16] = "some";
    sonde_text text = {0};
    if (node->depth >= 0) {
        (void)snprintf(steps, sizeof steps, "%d", node->depth);
    }
    for (int32_t i = 0; i < node->belief.n && i < 4; i++) {
        sonde_text_add(&text, i > 0 ? "; " : "");
        sonde__joint_say(&closed->world, node->belief.state[i], &text);
    }
    const sonde_status status = sonde__fail(
        error, SONDE_NO_POLICY,
        "closed loop: no action is allowed in every state that may be the present one after %s "
        "steps (%s%s); allow one there",
        steps, text.data != NULL ? text.data : "", node->belief.n > 4 ? "; ..." : "");
    sonde_text_free(&text);
    return status;
}

static sonde_status failed(const sonde__closed *closed, const char *stopped, sonde_error *error) {
    if (closed->web.stuck != NULL) {
        return nothing_allowed(closed, error);
    }
    if (stopped != NULL && strcmp(stopped, "interrupted") == 0) {
        return sonde__fail(error, SONDE_STOPPED, "%s", sonde_status_sentence(SONDE_STOPPED));
    }
    if (stopped != NULL && strcmp(stopped, "policy") == 0) {
        return sonde__fail(error, SONDE_BAD_ARGUMENT,
                           "policy: says of a belief that it costs at least more than it costs at "
                           "most; plan without it, and save a new one");
    }
    if (stopped != NULL && strcmp(stopped, "beliefs") == 0) {
        return sonde__fail_setting(error, "max_beliefs",
                                   "expected at least %llu, for the present belief and its actions "
                                   "and outcomes, found %d",
                                   (unsigned long long)closed->n_kept,
                                   closed->settings.max_beliefs);
    }
    return sonde__fail(
        error, SONDE_TOO_LARGE,
        "closed loop: the beliefs do not fit into %.3g bytes; choose search bounded, "
        "which says what it knows, or allow more memory",
        (double)closed->web.size);
}

/* The node to begin with: that of the present belief, where the last search has looked at it, or a
 * new one; NULL: there is no room. */
static sonde__node *find_root(sonde__closed *closed, uint64_t number) {
    const sonde__support belief = {.n = closed->n, .state = closed->state, .p = closed->p};
    const bool shrinks = closed->settings.replan == SONDE_REPLAN_SHRINKING;
    const int32_t depth = shrinks ? closed->n_taken % closed->world.horizon : 0;
    sonde__node *here = closed->way->certifies && closed->arrived ? closed->here : NULL;
    const bool known = here != NULL;
    const int32_t nearer = here != NULL ? here->depth - depth : 0;
    if (closed->way->bounds && (here == NULL || nearer > 0)) {
        sonde__bounds_aim(&closed->bounds, belief, depth, number);
    }
    here = here != NULL ? sonde__web_again(&closed->web, here, nearer) : NULL;
    if (here == NULL && known && closed->way->bounds && nearer == 0) {
        sonde__bounds_aim(&closed->bounds, belief, depth, number); /* there was no room for it */
    }
    return here != NULL ? here : sonde__web_root(&closed->web, belief, depth);
}

/* Looks at beliefs from the present one on; returns why it stopped, or NULL. */
static const char *search(sonde__closed *closed, uint64_t number) {
    closed->began = sonde__seconds();
    closed->used = closed->settings.search;
    closed->number = number;
    closed->known = false;
    if (closed->infinite != NULL) {
        return closed->way->run(closed);
    }
    closed->root = find_root(closed, number);
    if (closed->root == NULL || closed->web.stuck != NULL) {
        return closed->root == NULL ? "memory" : NULL;
    }
    closed->known = true;
    const char *stopped = closed->way->run(closed);
    return closed->web.stuck != NULL ? NULL : stopped;
}

int32_t sonde__closed_followed(const sonde__closed *closed) {
    const bool planned = closed->arrived && closed->here->option != NULL && !closed->dropped;
    const bool goes_on = planned && closed->way->certifies &&
                         closed->n_followed + 1 < closed->settings.n_follow &&
                         closed->surprise <= closed->settings.surprise;
    return goes_on ? closed->n_followed + 1 : 0;
}

void sonde__closed_drop(sonde__closed *closed) {
    closed->dropped = true;
}

/* G of the most probable action, in the middle of its bounds; terms of all steps are not known. */
static sonde_efe best_of(const sonde_decision *decision) {
    const double none = (double)NAN;
    int32_t best = 0;
    for (int32_t i = 1; i < decision->n_action; i++) {
        best = decision->posterior[i] > decision->posterior[best] ? i : best;
    }
    return (sonde_efe){.efe = 0.5 * (decision->efe_lower[best] + decision->efe_upper[best]),
                       .term = {none, none, none}};
}

/* What the decision says of the root, whose actions are known. */
static void conclude(sonde__closed *closed, sonde_decision *decision) {
    sonde__box_settle(closed);
    decision->used = closed->used;
    list_actions(closed, decision);
    list_steps(closed, decision);
    apply_rules(closed, decision);
    decision->best_efe = best_of(decision);
    decision->certificate = closed->way->certifies
                                ? sonde__box_certify(closed, closed->stopped)
                                : (sonde_certificate){.stopped = closed->stopped};
    decision->value_lower = closed->box.value[0];
    decision->value_upper = closed->box.value[1];
    decision->evaluations.tree = (double)NAN;
    if (closed->infinite != NULL) {
        sonde__infinite_write(closed, decision);
    } else if (closed->way->tree) {
        sonde__closed_write(closed, decision);
    }
}

/* Goes on with the plan of the last search, and scores nothing. */
static void follow(sonde__closed *closed, sonde_decision *decision) {
    decision->n_followed = ++closed->n_followed;
    closed->root = closed->here;
    closed->arrived = false;
    conclude(closed, decision);
}

void sonde__closed_renew(sonde__closed *closed) {
    const uint64_t version = closed->world.model->version;
    if (closed->version != version) {
        sonde__joint_renew(&closed->world);
        closed->version = version;
        closed->prepared = false;
        closed->baseline.row = -1; /* G of steps, and how far these are apart */
        closed->baseline.explores = false;
    }
}

sonde_status sonde__closed_decide(sonde__closed *closed, uint64_t number, sonde_decision *decision,
                                  sonde_error *error) {
    const double began = sonde__seconds();
    *decision = (sonde_decision){
        .state = -1, .drawn = UINT64_MAX, .best = UINT64_MAX, .log_evidence = (double)NAN};
    sonde__closed_unwrite(closed);
    if (sonde__closed_followed(closed) > 0) {
        follow(closed, decision);
        decision->seconds = sonde__seconds() - began;
        return SONDE_OK;
    }
    closed->bounds.n_step = 0;
    sonde__closed_renew(closed);
    if (!closed->prepared) {
        closed->allowance = find_allowance(closed);
        if (closed->way->bounds) {
            sonde__bounds_prepare(&closed->bounds);
        }
        closed->prepared = true;
    }
    decision->setup_seconds = sonde__seconds() - began;
    closed->stopped = search(closed, number);
    closed->here = closed->infinite == NULL ? closed->root : NULL;
    closed->onward = NULL;
    closed->arrived = false;
    closed->n_followed = 0;
    closed->dropped = false;
    if (closed->stopped == NULL || !closed->known) {
        closed->here = NULL;
        return failed(closed, closed->stopped, error);
    }
    decision->evaluations = (sonde_evaluations){
        .n_step = closed->web.n_step,
        .n_setup_step = closed->bounds.n_step,
        .equivalent = (double)closed->web.n_step / (double)closed->policies->horizon,
        .n_belief = closed->web.n_expanded - closed->web.n_kept,
        .n_merged = closed->web.n_merged};
    conclude(closed, decision);
    decision->seconds = sonde__seconds() - began;
    return SONDE_OK;
}

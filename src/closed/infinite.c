/* infinite.c: decisions in closed loop without a horizon.
 *
 * What trials find out about one belief bounds the value of others, so that planning goes beyond
 * what a tree can reach: this is what SARSOP and HSVI do for rewards, here for expected free energy
 * as well. The present belief is looked at action by action, so that the decision has the same
 * certificate as with a horizon. What is found stays from one decision to the next, and is
 * forgotten with the episode: so a decision does not depend on who made those of other episodes. */
#include "closed/infinite_policy.h"

#include <string.h>

#include "base/clock.h"
#include "base/numbers.h"
#include "base/settings.h"
#include "base/status.h"

/* how much of what is between the bounds of the present belief a trial leaves */
#define LEFT 0.5
/* and if that finds nothing, at least */
#define SHARE_LEAST 1e-6
/* beliefs of a plan that is written down, and its steps, at most */
#define PLAN_MOST 4096
#define DEPTH_MOST 64

size_t sonde__infinite_size(void) {
    return sizeof(sonde__infinite);
}

/* ------------------------------------------------------------------------------------ set-up -- */

sonde_status sonde__infinite_check(const sonde_policies *policies,
                                   const sonde_search_settings *settings, sonde_error *error) {
    const sonde_model *model = policies->model;
    const double discount = settings->discount > 0.0 ? settings->discount : model->discount;
    if (settings->backup == SONDE_BACKUP_AVERAGE) {
        return sonde__fail_setting(error, "backup",
                                   "the average backup need not converge with the horizon: use "
                                   "free-energy or a finite horizon");
    }
    if (!(discount < 1.0)) {
        return sonde__fail_setting(error, "discount",
                                   "without a horizon later steps have to count less; choose a "
                                   "discount below 1, or a finite horizon");
    }
    if (model->n_step_C > 1) {
        return sonde__fail(error, SONDE_BAD_ARGUMENT,
                           "horizon: the model has preferences for %d steps, and inf has no end; "
                           "choose a finite horizon, or preferences that are the same at every "
                           "step",
                           model->n_step_C);
    }
    if (!sonde__search_has((int32_t)settings->search, SONDE__CERTIFIES) &&
        !sonde__search_has((int32_t)settings->search, SONDE__CHOOSES)) {
        return sonde__fail_setting(error, "search",
                                   "%s needs a finite horizon; choose bounded for one of inf",
                                   sonde_plan_search_name((int32_t)settings->search));
    }
    if (settings->belief_kind == SONDE_BELIEF_FACTORISED) {
        return sonde__fail_setting(error, "belief_kind",
                                   "no bound that is known holds for beliefs of factors; choose "
                                   "joint, or a finite horizon");
    }
    if (settings->n_follow > 1 || settings->replan != SONDE_REPLAN_RECEDING) {
        return sonde__fail_setting(error, settings->n_follow > 1 ? "replan_every" : "replan",
                                   "without a horizon every step has a decision of its own, from "
                                   "what earlier ones have found; leave it out");
    }
    if (settings->no_merge) {
        return sonde__fail_setting(error, "no_merge",
                                   "without a horizon every belief is one; leave it out");
    }
    return SONDE_OK;
}

/* The most bytes that looking at a belief and leaving a vector and a point there can take. */
static uint64_t worst_look(const sonde__joint *world) {
    const uint64_t n_action = (uint64_t)world->n_action;
    const uint64_t n_state = (uint64_t)world->n_state;
    const uint64_t outcomes = sonde__multiply(sonde__multiply((uint64_t)world->n_tuple, n_action),
                                              sizeof(sonde__outcome) + 16);
    const uint64_t spot = sizeof(sonde__site) + 8 * n_action + 12 * n_state + 64;
    const uint64_t deeds = n_action * (sizeof(sonde__deed) + 16);
    /* those that the blocks which follow begin with, and two of its own */
    const uint64_t vectors =
        (n_action + 3) * (n_state * sizeof(double) + sizeof(sonde__vector) + 64);
    const uint64_t after = sonde__multiply((uint64_t)world->n_tuple, n_action) * 2 * sizeof(void *);
    return sonde__add(sonde__add(outcomes, sonde__add(vectors, after)),
                      spot + deeds + sizeof(sonde__known) + 64);
}

sonde_status sonde__infinite_open(sonde__closed *closed, sonde_error *error) {
    const sonde_vectors *given = closed->settings.vectors;
    *closed->infinite = (sonde__infinite){.world = &closed->world,
                                          .backup = closed->web.backup,
                                          .discount = closed->settings.discount,
                                          .run = closed->run,
                                          .given = given,
                                          .room = closed->web.block,
                                          .size = closed->web.size,
                                          .worst = worst_look(&closed->world)};
    closed->used = sonde__search_with(SONDE__CERTIFIES);
    return given != NULL ? sonde__policy_check(closed->infinite, given, error) : SONDE_OK;
}

static uint64_t count_outcomes(const sonde_model *model) {
    uint64_t n = 0;
    for (int32_t m = 0; m < model->n_modality; m++) {
        n += (uint64_t)model->modality[m].n_outcome;
    }
    return n;
}

void sonde__infinite_carve(sonde__closed *closed, sonde__arena *arena) {
    sonde__infinite *all = closed->infinite;
    const sonde__joint *world = &closed->world;
    const uint64_t n_state = (uint64_t)world->n_state;
    const uint64_t n_action = (uint64_t)world->n_action;
    const uint64_t n_tuple = (uint64_t)world->n_tuple;
    int32_t **const numbers[] = {&all->block_of, &all->member, &all->parent, &all->places,
                                 &all->state};
    double **const per_state[] = {&all->spread, &all->p,   &all->value,
                                  &all->mixed,  &all->sum, &all->part};
    double **const per_action[] = {&all->quick, &all->each, &all->rest,
                                   &all->low,   &all->high, &all->prior};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        *numbers[i] = SONDE__TAKE(arena, int32_t, n_state);
    }
    for (size_t i = 0; i < sizeof per_state / sizeof *per_state; i++) {
        *per_state[i] = SONDE__TAKE(arena, double, n_state);
    }
    for (size_t i = 0; i < sizeof per_action / sizeof *per_action; i++) {
        *per_action[i] = SONDE__TAKE(arena, double, n_action);
    }
    all->at = SONDE__TAKE(arena, int64_t, n_state);
    all->block = SONDE__TAKE(arena, sonde__patch, n_state);
    all->first_with = SONDE__TAKE(arena, int32_t, n_tuple);
    all->linear = SONDE__TAKE(arena, double, n_state *n_action);
    all->step = world->kappa != 0.0 ? SONDE__TAKE(arena, double, n_state *n_action) : all->linear;
    all->fast = SONDE__TAKE(arena, double, n_state *n_action);
    all->blind = SONDE__TAKE(arena, double, n_state *n_action);
    sonde__prospect_carve(arena, world, &all->outlook);
    all->gather = SONDE__TAKE(arena, double, n_tuple *n_action);
    all->weight = SONDE__TAKE(arena, double, n_tuple);
    all->seen = SONDE__TAKE(arena, double, n_tuple);
    all->touched = SONDE__TAKE(arena, int32_t, n_tuple);
    all->chosen = SONDE__TAKE(arena, sonde__vector *, n_tuple);
    all->after = SONDE__TAKE(arena, sonde__vector *, n_tuple * n_action);
    all->own = SONDE__TAKE(arena, double, count_outcomes(world->model));
    all->path = SONDE__TAKE(arena, sonde__site *, SONDE__PATH_MOST);
    all->root.option = SONDE__TAKE(arena, sonde__option, n_action);
}

/* Forgets spots, and the vectors and points that no policy gave. */
static void forget(sonde__infinite *all) {
    all->used = all->settled = all->kept;
    all->table = NULL;
    all->last = NULL;
    all->stuck = NULL;
    all->crossed = false;
    all->n_place = all->n_spot = 0;
    all->full = false;
    for (int32_t i = 0; all->ready && i < all->n_block; i++) {
        sonde__patch *block = &all->block[i];
        block->last_vector = block->kept_vector;
        block->known = block->last_known = NULL;
        block->told = block->kept_told;
        *(block->kept_vector != NULL ? &block->kept_vector->next : &block->vector) = NULL;
    }
}

void sonde__infinite_begin(sonde__closed *closed) {
    forget(closed->infinite);
}

/* Everything that no decision changes, as far as the time goes; a belief that no block holds makes
 * larger ones. What was found by bounds that are better now is forgotten. */
static void prepare(sonde__infinite *all, sonde__support root) {
    const double began = sonde__seconds();
    const bool holds = all->ready && sonde__blocks_hold(all, root);
    all->setup_seconds = 0.0;
    if (holds && all->setup.complete) {
        return;
    }
    for (int32_t s = 0; !all->ready && s < all->world->n_state; s++) {
        all->parent[s] = s;
    }
    if (!all->ready && all->given != NULL) {
        sonde__policy_join(all, all->given);
    }
    if (!holds) {
        sonde__blocks_find(all, root);
    }
    sonde__vectors_prepare(all, !holds);
    for (int32_t i = 0; holds && i < all->n_block; i++) {
        all->block[i].kept_vector = NULL;
        all->block[i].kept_told = NULL;
    }
    all->ready = true;
    all->kept = 0;
    forget(all);
    if (all->given != NULL) {
        sonde__policy_install(all, all->given);
        all->settled = all->kept;
    }
    all->setup_seconds = sonde__seconds() - began;
}

/* --------------------------------------------------------------------------------- decisions -- */

/* What a trial asks: whether it has to stop. */
static const char *why_stop(const sonde__closed *closed) {
    const sonde__infinite *all = closed->infinite;
    const uint64_t next = all->n_step + (uint64_t)closed->world.n_action;
    if (sonde__stopped(&closed->run)) {
        return "interrupted";
    }
    if (closed->settings.budget > 0 && next > closed->settings.budget) {
        return "budget";
    }
    if (all->full || !sonde__infinite_has_room(all)) {
        return "memory";
    }
    return all->until > 0.0 && sonde__seconds() > all->until ? "deadline" : NULL;
}

static bool has_to_stop(void *user) {
    const sonde__closed *closed = user;
    return closed->infinite->stuck != NULL || closed->infinite->crossed || why_stop(closed) != NULL;
}

/* Shows the present belief as decisions want it. */
static void show_root(sonde__closed *closed, const sonde__site *spot) {
    sonde__infinite *all = closed->infinite;
    sonde__option *option = all->root.option;
    for (int32_t u = 0; u < closed->world.n_action; u++) {
        const sonde__deed *deed = &spot->deed[u];
        option[u] = (sonde__option){
            .step = deed->step, .lower = deed->lower, .upper = deed->upper, .legal = deed->legal};
    }
    all->root = (sonde__node){.option = option,
                              .lower = spot->guess.lower,
                              .upper = spot->guess.upper,
                              .mark = -1,
                              .belief = {.n = closed->n, .state = closed->state, .p = closed->p}};
    closed->root = &all->root;
}

static const char *why_enough(sonde__closed *closed, const sonde__site *spot) {
    const sonde_search_settings *settings = &closed->settings;
    show_root(closed, spot);
    sonde__box_settle(closed);
    if (settings->gap > 0.0 && closed->box.value[1] - closed->box.value[0] <= settings->gap) {
        return "gap";
    }
    return settings->epsilon > 0.0 && sonde__box_tv(closed, settings->epsilon) <= settings->epsilon
               ? "epsilon"
               : NULL;
}

/* One trial after the other. Those that find nothing go deeper, until there is nothing left. */
static const char *try_on(sonde__closed *closed, sonde__site *spot) {
    sonde__infinite *all = closed->infinite;
    const char *reason = why_enough(closed, spot);
    const bool tried = reason == NULL && why_stop(closed) == NULL;
    sonde__trial trial = {.goal = closed->settings.epsilon > 0.0 ? 0.0 : closed->settings.gap,
                          .share = LEFT,
                          .widest = closed->settings.epsilon > 0.0,
                          .gamma = closed->settings.gamma,
                          .stop = has_to_stop,
                          .user = closed};
    while (reason == NULL && all->stuck == NULL && !all->crossed) {
        reason = why_stop(closed);
        if (reason == NULL) {
            const uint64_t before = all->n_found;
            sonde__graph_try(all, spot, &trial);
            reason = why_enough(closed, spot);
            trial.share = all->n_found > before ? LEFT : 0.5 * trial.share;
            trial.goal *= all->n_found > before ? 1.0 : 0.5;
            reason = reason == NULL && trial.share < SHARE_LEAST ? "complete" : reason;
        }
    }
    /* trials leave out what did not matter to them */
    if (tried && all->stuck == NULL && !all->full && sonde__infinite_has_room(all)) {
        (void)sonde__graph_look(all, spot, true);
    }
    show_root(closed, spot);
    return reason;
}

/* The sentence about a belief in which nothing is allowed needs a node. */
static void show_stuck(sonde__closed *closed) {
    sonde__infinite *all = closed->infinite;
    all->root = (sonde__node){.option = all->root.option,
                              .depth = -1,
                              .belief = sonde__local_support(all, all->stuck->belief)};
    closed->web.stuck = &all->root;
}

const char *sonde__infinite_search(sonde__closed *closed) {
    sonde__infinite *all = closed->infinite;
    const sonde__support belief = {.n = closed->n, .state = closed->state, .p = closed->p};
    const double deadline = closed->settings.deadline;
    all->until = deadline > 0.0 ? closed->began + deadline : 0.0;
    all->used = all->settled;
    all->n_step = all->n_expanded = all->n_merged = 0;
    closed->used = sonde__search_with(SONDE__CERTIFIES);
    closed->web.stuck = NULL;
    prepare(all, belief);
    closed->bounds.n_step = all->n_step;
    all->n_step = 0;
    if (!sonde__infinite_has_room(all)) {
        forget(all); /* and begins anew from here */
    }
    sonde__site *spot = sonde__graph_spot(all, belief, NULL);
    const char *stopped = "memory";
    closed->known = spot != NULL && sonde__graph_look(all, spot, true);
    if (closed->known) {
        stopped = try_on(closed, spot);
    }
    if (all->stuck != NULL) {
        show_stuck(closed);
        stopped = NULL;
    } else if (all->crossed) {
        closed->known = false;
        stopped = "policy";
        forget(all);
    }
    all->settled = all->used;
    closed->web.n_step = all->n_step;
    closed->web.n_expanded = all->n_expanded;
    closed->web.n_merged = all->n_merged;
    return stopped;
}

/* ------------------------------------------------------------------------------------- plans -- */

/* The most probable action of a site, as the plans that are known come to; the lowest of several,
 * or -1 where there was no room to look at any. */
static int32_t best_action(const sonde__closed *closed, const sonde__site *spot) {
    int32_t best = -1;
    double most = 0.0;
    for (int32_t u = 0; u < closed->world.n_action; u++) {
        const sonde__deed *deed = &spot->deed[u];
        const double weight =
            deed->legal ? sonde__log(closed->world.prior[u]) - closed->settings.gamma * deed->upper
                        : 0.0;
        if (deed->outcome != NULL && deed->legal &&
            (best < 0 || weight > most + SONDE__TIE * (1.0 + fabs(most)))) {
            best = u;
            most = weight;
        }
    }
    return best;
}

typedef struct {
    const sonde__closed *closed;
    sonde__site **spot;
    sonde_contingency *list;
    sonde_contingency_branch *branch;
    int32_t n;
    int32_t n_branch;
    int32_t most_branch;
} plan;

/* A belief is written once for each step after which it can be there: its place, or -1. */
static int32_t enter(plan *p, sonde__site *spot, int32_t depth) {
    if (spot == NULL || spot->deed == NULL || best_action(p->closed, spot) < 0) {
        return -1;
    }
    if (spot->mark_depth != depth) {
        if (p->n == PLAN_MOST || depth == DEPTH_MOST) {
            return -1;
        }
        spot->mark = p->n;
        spot->mark_depth = depth;
        p->spot[p->n] = spot;
        p->list[p->n++].depth = depth;
    }
    return spot->mark;
}

static void write_spot(plan *p, int32_t i) {
    const sonde__closed *closed = p->closed;
    const sonde__joint *world = &closed->world;
    const sonde__site *spot = p->spot[i];
    const sonde__deed *deed = &spot->deed[best_action(closed, spot)];
    const double slack = closed->allowance + 1e-9;
    sonde_contingency *to = &p->list[i];
    *to = (sonde_contingency){.depth = to->depth,
                              .action = (int32_t)(deed - spot->deed),
                              .lower = deed->lower - slack * (1.0 + fabs(deed->lower)),
                              .upper = deed->upper + slack * (1.0 + fabs(deed->upper)),
                              .first = p->n_branch};
    for (int32_t k = 0; k < deed->n_outcome && p->n_branch < p->most_branch; k++) {
        const sonde__outcome *outcome = &deed->outcome[k];
        p->branch[p->n_branch++] = (sonde_contingency_branch){
            .p = outcome->chance,
            .next = enter(p, outcome->spot, to->depth + 1),
            .outcome = world->tuple + (int64_t)outcome->tuple * world->model->n_modality};
        to->n_branch++;
    }
}

void sonde__infinite_write(sonde__closed *closed, sonde_decision *decision) {
    sonde__infinite *all = closed->infinite;
    const sonde__support belief = {.n = closed->n, .state = closed->state, .p = closed->p};
    const uint64_t settled = all->settled;
    const bool full = all->full;
    sonde__site *root = sonde__graph_spot(all, belief, NULL);
    plan p = {.closed = closed, .most_branch = 4 * PLAN_MOST};
    p.spot = sonde__infinite_take(all, PLAN_MOST, sizeof(sonde__site *));
    p.list = sonde__infinite_take(all, PLAN_MOST, sizeof *p.list);
    p.branch = sonde__infinite_take(all, (uint64_t)p.most_branch, sizeof *p.branch);
    for (sonde__site *spot = all->last; spot != NULL; spot = spot->peer) {
        spot->mark_depth = -1;
    }
    if (p.spot != NULL && p.list != NULL && p.branch != NULL && enter(&p, root, 0) == 0) {
        for (int32_t i = 0; i < p.n; i++) {
            write_spot(&p, i);
        }
        decision->n_contingency = p.n;
        decision->contingency = p.list;
        decision->contingent = p.branch;
    }
    all->settled = settled; /* it is gone with the next decision */
    all->full = full;
}

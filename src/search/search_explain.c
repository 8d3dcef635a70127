/* search_explain.c: why the last decision is what it is.
 *
 * Everything is read off what the search has left behind, which stays until the next one: the
 * posterior's best policies, and what the method adds. Nothing is searched again; the policies that
 * are shown are scored once more, step by step, for their terms. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/numbers.h"
#include "base/status.h"
#include "search/search_internal.h"

static const struct {
    const char *name;
    const char *sentence;
} grounds_table[] = {
#define ROW(code, name, sentence) [code] = {name, sentence},
    SONDE__GROUNDS_LIST(ROW)
#undef ROW
};
#define N_GROUNDS ((int32_t)(sizeof grounds_table / sizeof *grounds_table))

const char *sonde__grounds_name(int32_t grounds) {
    return grounds >= 0 && grounds < N_GROUNDS ? grounds_table[grounds].name : NULL;
}

const char *sonde__grounds_sentence(int32_t grounds) {
    return grounds >= 0 && grounds < N_GROUNDS ? grounds_table[grounds].sentence : NULL;
}

/* an explanation in the making */
typedef struct {
    sonde_explanation explanation;
    const sonde__search *search;
    sonde__alternative *alternative; /* (n_alternative) */
    int32_t *walk;                   /* (n_alternative, T + 1) */
    int32_t *reached;                /* (n_alternative, T) */
    sonde_efe *step;                 /* (n_alternative, T) */
    int32_t *slot;                   /* (choices) which alternative each is; or -1 */
} build;

static sonde__grounds grounds_of(const sonde__search *search) {
    const bool certain = search->decision.certificate.given; /* nothing less is every policy */
    const sonde__grounds grounds = search->method->grounds;
    return grounds == SONDE__GROUNDS_PART && certain ? SONDE__GROUNDS_EVERY : grounds;
}

static build *carve(sonde__arena *arena, const sonde__search *search) {
    const sonde_policies *policies = search->policies;
    const sonde__policy_parts *parts = sonde__parts_of(policies);
    const uint64_t n_choice = (uint64_t)parts->n_choice(policies, search->decision.state);
    const uint64_t n_policy = sonde_policies_size(policies, search->decision.origin);
    const uint64_t n = n_choice < n_policy ? n_choice : n_policy; /* each begins some policy */
    const uint64_t n_number = sonde__multiply(n, (uint64_t)policies->horizon + 1);
    build *b = SONDE__TAKE(arena, build, 1);
    build none;
    build *to = b != NULL ? b : &none;
    to->alternative = SONDE__TAKE(arena, sonde__alternative, n);
    to->walk = SONDE__TAKE(arena, int32_t, n_number);
    to->reached = SONDE__TAKE(arena, int32_t, n_number);
    to->step = SONDE__TAKE(arena, sonde_efe, n_number);
    to->slot = SONDE__TAKE(arena, int32_t, n_choice);
    return b;
}

/* ----------------------------------------------------------------------------- first actions -- */

/* The alternative that a first action belongs to. */
static sonde__alternative *alternative_of(const build *b, int32_t action) {
    const sonde_policies *policies = b->search->policies;
    const int32_t state = b->search->decision.state;
    return &b->alternative[b->slot[sonde__parts_of(policies)->choice(policies, state, action)]];
}

/* One alternative for each choice with which some policy begins, and of the actions that it can
 * stand for the best. */
static void list_choices(build *b) {
    const sonde__search *search = b->search;
    const sonde_policies *policies = search->policies;
    const sonde__policy_parts *parts = sonde__parts_of(policies);
    const sonde__posterior *posterior = &search->posterior;
    const int32_t state = search->decision.state;
    sonde__space_of(policies)->mark(policies, search->decision.origin, state, b->slot);
    for (int32_t i = 0; i < parts->n_choice(policies, state); i++) {
        if (b->slot[i] == 0) {
            b->slot[i] = b->explanation.n_alternative;
            b->alternative[b->explanation.n_alternative++] = (sonde__alternative){
                .action = parts->chosen(policies, state, i), .to = parts->node(policies, state, i)};
        }
    }
    for (int32_t a = posterior->begin; a < posterior->end; a++) {
        const int32_t slot = b->slot[parts->choice(policies, state, a)];
        sonde__alternative *to = slot >= 0 ? &b->alternative[slot] : NULL;
        if (to != NULL && posterior->best_efe[a - posterior->begin] <
                              posterior->best_efe[to->action - posterior->begin]) {
            to->action = a;
        }
    }
    /* the best policy of all is its own choice's */
    const int32_t best = sonde__policies_action(policies, search->best_walk, 1);
    alternative_of(b, best)->action = best;
}

static void weigh(const build *b) {
    const sonde_decision *decision = &b->search->decision;
    for (int32_t i = 0; i < decision->n_action; i++) {
        sonde__alternative *alternative = alternative_of(b, decision->action[i]);
        alternative->posterior += decision->posterior[i];
        alternative->probability += decision->probability[i];
    }
}

/* ---------------------------------------------------------------------------------- policies -- */

/* What is known of the best policy that begins with an action, as a walk, and a bound of all of
 * them. */
static void recall(const build *b, sonde__alternative *to, int32_t *walk) {
    const sonde__search *search = b->search;
    const sonde_policies *policies = search->policies;
    const sonde_decision *decision = &search->decision;
    const uint64_t best = search->posterior.best[to->action - search->posterior.begin];
    const sonde__grounds grounds = b->explanation.grounds;
    to->bound =
        grounds == SONDE__GROUNDS_EVERY || grounds == SONDE__GROUNDS_SUMS ? INFINITY : -INFINITY;
    if (search->method->recall != NULL) {
        to->n_step = search->method->recall(search, to->action, walk, &to->bound);
    }
    if (sonde__policies_action(policies, search->best_walk, 1) == to->action) {
        memcpy(walk, search->best_walk, ((size_t)policies->horizon + 1) * sizeof *walk);
        to->n_step = policies->horizon;
    } else if (best < SONDE__UNNUMBERED) {
        sonde__policies_get(policies, decision->origin, best, walk);
        to->n_step = policies->horizon;
    }
    to->index = best < SONDE__UNNUMBERED ? best
                : to->n_step == policies->horizon
                    ? sonde_policies_find(policies, decision->origin, walk)
                    : UINT64_MAX;
}

static void explain_policy(const build *b, int32_t i) {
    const int64_t horizon = b->search->policies->horizon;
    const sonde__posterior *posterior = &b->search->posterior;
    sonde__alternative *to = &b->alternative[i];
    int32_t *walk = b->walk + i * (horizon + 1);
    recall(b, to, walk);
    to->walk = walk;
    to->step = b->step + i * horizon;
    to->reached = b->reached + i * horizon;
    if (to->n_step == 0) {
        /* scored, but its steps were not kept; or not even that */
        const double efe = posterior->best_efe[to->action - posterior->begin];
        to->total.efe = efe < INFINITY ? efe : (double)NAN;
        return;
    }
    sonde__track_terms(b->search->track, walk, to->n_step, b->step + i * horizon,
                       b->reached + i * horizon, &to->total);
    if (to->n_step == horizon) {
        to->proven = to->total.efe <= to->bound + sonde__tie(to->total.efe);
        to->bound = to->proven ? to->total.efe : to->bound;
    }
}

/* The most probable first, then the smallest G, then the lowest action. */
static int compare_alternatives(const void *a, const void *b) {
    const sonde__alternative *x = a;
    const sonde__alternative *y = b;
    if (x->posterior != y->posterior) {
        return x->posterior > y->posterior ? -1 : 1;
    }
    const double x_efe = isnan(x->total.efe) ? INFINITY : fmax(x->bound, x->total.efe);
    const double y_efe = isnan(y->total.efe) ? INFINITY : fmax(y->bound, y->total.efe);
    if (x_efe != y_efe) {
        return x_efe < y_efe ? -1 : 1;
    }
    return x->action < y->action ? -1 : 1;
}

static void explain_actions(build *b) {
    list_choices(b);
    weigh(b);
    for (int32_t i = 0; i < b->explanation.n_alternative; i++) {
        explain_policy(b, i);
    }
    qsort(b->alternative, (size_t)b->explanation.n_alternative, sizeof *b->alternative,
          compare_alternatives);
    b->explanation.alternative = b->alternative;
}

/* --------------------------------------------------------------------------------------- all -- */

/* What the method alone can tell; measures while there is no explanation. */
static void explain_method(sonde__search *search, sonde__arena *arena, sonde_explanation *to) {
    if (search->method->explain != NULL) {
        search->method->explain(search, arena, to);
    }
}

sonde_status sonde__search_explain(sonde__search *search, sonde_explanation **explanation,
                                   sonde_error *error) {
    const sonde_decision *decision = &search->decision;
    sonde__arena arena = {0};
    (void)carve(&arena, search);
    explain_method(search, &arena, NULL);
    const sonde_status fits = sonde__arena_claim(&arena, &search->run, "explanation",
                                                 "choose a shorter horizon, or allow more", error);
    if (fits != SONDE_OK) {
        return fits;
    }
    build *b = carve(&arena, search);
    b->search = search;
    b->explanation =
        (sonde_explanation){.policies = search->given,
                            .novel = search->settings.weights.novelty != SONDE_NOVELTY_NONE,
                            .search = search->settings.search,
                            .grounds = grounds_of(search),
                            .because = sonde__grounds_sentence((int32_t)grounds_of(search)),
                            .state = decision->state,
                            .gamma = search->settings.gamma,
                            .evaluations = decision->evaluations,
                            .certificate = decision->certificate,
                            .tv_unbounded = NAN};
    sonde__score_start(&search->score, decision->origin, sonde__search_now(search));
    explain_method(search, &arena, &b->explanation);
    explain_actions(b);
    *explanation = &b->explanation;
    return SONDE_OK;
}

void sonde_explanation_free(sonde_explanation *explanation) {
    sonde__free(explanation);
}

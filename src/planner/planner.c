/* planner.c: searches that decide, and plans that are followed between two searches.
 *
 * The search is asked first; a fallback, where there is one, decides from half the budget, and the
 * decision whose best policy is better counts. Nothing is written down of a plan before it is
 * followed or asked for. */
#include "planner/planner.h"

#include "base/numbers.h"
#include "base/status.h"
#include "belief/belief.h"
#include "policy/policy.h"

struct sonde__planner {
    const sonde_policies *policies;
    sonde_search_settings settings; /* as they were given, with what is usual for the model */
    sonde__search *search;          /* in the same block */
    sonde__search *fallback;        /* another, where there is one */
    sonde__search *used;            /* whose decision the last one was */
    sonde__closed *closed;          /* what plans instead of them in closed loop; or NULL */
    sonde_decision decided;         /* in closed loop: the last decision */
    int32_t *walk;                  /* (T + 1) the sequence that a plan is made of */
    sonde_plan_step *step;          /* (T) */
    sonde_plan_branch *branch;      /* (T) */
    sonde_plan_graph plan;          /* of the last decision, or the one that is followed */
    int32_t n_taken;                /* steps of it that have been taken; 0: it is not followed */
    int32_t last;                   /* the step that was taken last */
    int64_t seen;                   /* the outcomes after it, as branches number them; -1: none */
};

static bool has_fallback(const sonde__planner *planner) {
    return planner->fallback != NULL;
}

/* ------------------------------------------------------------------------------------ set-up -- */

static size_t size_of(const sonde_policies *policies, int32_t kind) {
    return kind != SONDE_FALLBACK_NONE ? sonde__search_size(policies, kind) : 0;
}

size_t sonde__planner_size(const sonde_policies *policies, const sonde_search_settings *settings) {
    if (settings->loop == SONDE_LOOP_CLOSED) {
        return sizeof(sonde__planner) + sonde__closed_size();
    }
    return sizeof(sonde__planner) + size_of(policies, (int32_t)settings->search) +
           size_of(policies, settings->fallback);
}

/* Opens the searches, each with half the budget where there are two. */
static sonde_status open_searches(const sonde__planner *planner, const sonde_run *run,
                                  sonde_error *error) {
    sonde_search_settings settings = planner->settings;
    sonde_search_settings fallback = planner->settings;
    if (has_fallback(planner) && settings.budget > 0) {
        fallback.budget = settings.budget > 1 ? settings.budget / 2 : 1;
        settings.budget = settings.budget > 1 ? settings.budget - fallback.budget : 1;
    }
    sonde_status status =
        sonde__search_open(planner->search, planner->policies, &settings, run, error);
    if (status == SONDE_OK && has_fallback(planner)) {
        const sonde_run rest = sonde__run_less(run, sonde__search_bytes(planner->search));
        fallback.search = (sonde_search_kind)planner->settings.fallback;
        fallback.fallback = SONDE_FALLBACK_NONE;
        status = sonde__search_open(planner->fallback, planner->policies, &fallback, &rest, error);
    }
    return status;
}

static sonde_status open_closed(sonde__planner *planner, const sonde_policies *policies,
                                const sonde_search_settings *settings, const sonde_run *run,
                                sonde_error *error) {
    *planner = (sonde__planner){
        .policies = policies, .closed = (sonde__closed *)(planner + 1), .seen = -1};
    const sonde_status status = sonde__closed_open(planner->closed, policies, settings, run, error);
    planner->settings = *sonde__closed_settings(planner->closed);
    return status;
}

sonde_status sonde__planner_open(sonde__planner *planner, const sonde_policies *policies,
                                 const sonde_search_settings *settings, const sonde_run *run,
                                 sonde_error *error) {
    if (settings->loop == SONDE_LOOP_CLOSED) {
        return open_closed(planner, policies, settings, run, error);
    }
    if (settings->vectors != NULL || settings->action_prior != NULL) {
        return sonde__fail(error, SONDE_BAD_ARGUMENT, "%s",
                           settings->vectors != NULL
                               ? "policy: is for planning without a horizon; choose loop closed "
                                 "and horizon inf"
                               : "action_prior: is of closed loop; leave it out, or choose loop "
                                 "closed");
    }
    char *second = (char *)(planner + 1) + size_of(policies, (int32_t)settings->search);
    *planner = (sonde__planner){.policies = policies,
                                .settings = *settings,
                                .search = (sonde__search *)(planner + 1),
                                .seen = -1};
    planner->used = planner->search;
    if (settings->fallback != SONDE_FALLBACK_NONE) {
        planner->fallback = (sonde__search *)second;
    }
    const sonde_status status = open_searches(planner, run, error);
    planner->settings.gamma = sonde__search_settings(planner->search)->gamma;
    planner->settings.embed.kind = sonde__search_settings(planner->search)->embed.kind;
    planner->settings.inference = sonde__belief_inference(policies->model, settings->inference);
    return status;
}

uint64_t sonde__planner_bytes(const sonde__planner *planner) {
    if (planner->closed != NULL) {
        return sonde__closed_bytes(planner->closed);
    }
    return sonde__add(sonde__search_bytes(planner->search),
                      has_fallback(planner) ? sonde__search_bytes(planner->fallback) : 0);
}

void sonde__planner_carve(sonde__planner *planner, sonde__arena *arena) {
    const int32_t horizon = planner->policies->horizon;
    planner->walk = SONDE__TAKE(arena, int32_t, horizon + 1);
    planner->step = SONDE__TAKE(arena, sonde_plan_step, horizon);
    planner->branch = SONDE__TAKE(arena, sonde_plan_branch, horizon);
    if (planner->closed != NULL) {
        sonde__closed_carve(planner->closed, arena);
        return;
    }
    sonde__search_carve(planner->search, arena);
    if (has_fallback(planner)) {
        sonde__search_carve(planner->fallback, arena);
    }
}

void sonde__planner_close(sonde__planner *planner) {
    if (planner->closed != NULL) {
        sonde__closed_close(planner->closed);
    }
    if (planner->search != NULL) {
        sonde__search_close(planner->search);
    }
    if (has_fallback(planner)) {
        sonde__search_close(planner->fallback);
    }
}

const sonde_search_settings *sonde__planner_settings(const sonde__planner *planner) {
    return &planner->settings;
}

sonde_setup sonde__planner_setup(const sonde__planner *planner) {
    return planner->closed != NULL ? (sonde_setup){0} : sonde__search_setup(planner->search);
}

sonde_decision *sonde__planner_decision(sonde__planner *planner) {
    return planner->closed != NULL ? &planner->decided : sonde__search_decision(planner->used);
}

int32_t sonde__planner_draw(sonde__planner *planner, sonde__rng *rng) {
    return planner->closed != NULL ? sonde__closed_draw(planner->closed, &planner->decided, rng)
                                   : sonde__search_draw(planner->used, rng);
}

sonde_status sonde__planner_explain(sonde__planner *planner, sonde_explanation **explanation,
                                    sonde_error *error) {
    return planner->closed != NULL
               ? sonde__fail(error, SONDE_BAD_ARGUMENT,
                             "explanation: the decision itself has the plan of a closed loop")
               : sonde__search_explain(planner->used, explanation, error);
}

sonde__closed *sonde__planner_closed(sonde__planner *planner) {
    return planner->closed;
}

/* ------------------------------------------------------------------------------------- plans -- */

/* Writes a sequence of actions down as a plan: one step after the other, whatever is seen. */
static void write_sequence(sonde__planner *planner) {
    const int32_t horizon = planner->policies->horizon;
    for (int32_t t = 0; t < horizon; t++) {
        const bool ends = t == horizon - 1;
        planner->step[t] = (sonde_plan_step){
            .action = sonde__policies_action(planner->policies, planner->walk, t + 1),
            .first = t,
            .n_branch = ends ? 0 : 1};
        planner->branch[t] = (sonde_plan_branch){.outcome = -1, .step = ends ? -1 : t + 1};
    }
    planner->plan =
        (sonde_plan_graph){.n_step = horizon, .step = planner->step, .branch = planner->branch};
}

int32_t sonde__plan_next(const sonde_plan_graph *plan, int32_t last, int64_t seen) {
    const sonde_plan_step *step = &plan->step[last];
    for (int32_t i = step->first; i < step->first + step->n_branch; i++) {
        const sonde_plan_branch *branch = &plan->branch[i];
        if (branch->outcome < 0 || branch->outcome == seen) {
            return branch->step;
        }
    }
    return -1;
}

static int32_t next_step(const sonde__planner *planner) {
    return sonde__plan_next(&planner->plan, planner->last, planner->seen);
}

int32_t sonde__planner_followed(const sonde__planner *planner) {
    if (planner->closed != NULL) {
        return sonde__closed_followed(planner->closed);
    }
    const bool goes_on = planner->n_taken > 0 && planner->n_taken < planner->settings.n_follow &&
                         next_step(planner) >= 0;
    return goes_on ? planner->n_taken : 0;
}

void sonde__planner_drop(sonde__planner *planner) {
    planner->n_taken = 0;
    if (planner->closed != NULL) {
        sonde__closed_drop(planner->closed);
    }
}

/* Whether the last decision was among this action and perhaps others. */
static bool offers(const sonde_decision *decision, int32_t action) {
    for (int32_t i = 0; i < decision->n_action; i++) {
        if (decision->action[i] == action) {
            return true;
        }
    }
    return false;
}

const sonde_plan_graph *sonde__planner_plan(sonde__planner *planner, int32_t action) {
    sonde_decision *decision = sonde__planner_decision(planner);
    if (planner->closed != NULL) {
        return NULL; /* the decision has it, as contingencies */
    }
    if (decision->n_followed == 0 && planner->n_taken == 0) {
        if (!offers(decision, action) ||
            !sonde__search_plan(planner->used, action, planner->walk)) {
            return NULL;
        }
        write_sequence(planner);
    }
    decision->plan = &planner->plan;
    return decision->plan;
}

void sonde__planner_take(sonde__planner *planner, int32_t action) {
    if (planner->closed != NULL) {
        return; /* it knows where it has come to */
    }
    const int32_t before = sonde__planner_decision(planner)->n_followed;
    /* an action that is not from a plan may begin one, instead of one that was just begun */
    planner->n_taken = before;
    const bool planned = before > 0 || (planner->settings.n_follow > 1 &&
                                        sonde__planner_plan(planner, action) != NULL);
    planner->n_taken = planned ? before + 1 : 0;
    planner->last = planner->plan.now;
    planner->seen = -1;
}

void sonde__planner_see(sonde__planner *planner, const int32_t *outcome) {
    const sonde_model *model = planner->policies->model;
    if (planner->n_taken == 0) {
        return;
    }
    uint64_t number = 0;
    planner->seen = -1;
    for (int32_t m = 0; m < model->n_modality; m++) {
        if (outcome[m] < 0) {
            return; /* something was not seen, or not for certain */
        }
        const int32_t n = m > 0 ? model->modality[m].n_outcome : 1;
        number = sonde__add(sonde__multiply(number, (uint64_t)n), (uint64_t)outcome[m]);
    }
    planner->seen = (int64_t)(number & INT64_MAX);
}

void sonde__planner_reset(sonde__planner *planner) {
    sonde__planner_drop(planner);
    if (planner->closed != NULL) {
        sonde__closed_begin(planner->closed);
        return;
    }
    sonde__search_reset(planner->search);
    if (has_fallback(planner)) {
        sonde__search_reset(planner->fallback);
    }
}

/* --------------------------------------------------------------------------------- decisions -- */

/* Lets the fallback decide, too; the better of both decisions is used, and shows what both have
 * cost. */
static sonde_status fall_back(sonde__planner *planner, sonde_present now, int32_t origin,
                              uint64_t number) {
    const sonde_decision *a = sonde__search_decision(planner->search);
    const sonde_decision *b = sonde__search_decision(planner->fallback);
    const sonde_status status = sonde__search_decide(planner->fallback, now, origin, number);
    if (status != SONDE_OK) {
        return status;
    }
    const double margin = sonde__tie(a->best_efe.efe);
    const bool better = b->best_efe.efe < a->best_efe.efe - margin;
    planner->used = better ? planner->fallback : planner->search;
    const sonde_decision *other = better ? a : b;
    sonde_decision *used = sonde__search_decision(planner->used);
    used->fell_back = better;
    used->evaluations.n_policy += other->evaluations.n_policy;
    used->evaluations.n_step += other->evaluations.n_step;
    used->evaluations.n_setup_step += other->evaluations.n_setup_step;
    used->evaluations.equivalent += other->evaluations.equivalent;
    used->seconds += other->seconds;
    used->setup_seconds += other->setup_seconds;
    return SONDE_OK;
}

static sonde_status search(sonde__planner *planner, sonde_present now, int32_t origin,
                           uint64_t number) {
    planner->n_taken = 0;
    planner->plan.now = 0;
    planner->used = planner->search;
    const sonde_status status = sonde__search_decide(planner->search, now, origin, number);
    return status == SONDE_OK && has_fallback(planner) ? fall_back(planner, now, origin, number)
                                                       : status;
}

sonde_status sonde__planner_decide(sonde__planner *planner, sonde_present now, int32_t origin,
                                   sonde__moment moment, sonde_error *error) {
    if (planner->closed != NULL) {
        const sonde_status status =
            sonde__closed_decide(planner->closed, moment.number, &planner->decided, error);
        planner->decided.belief = now.belief;
        planner->decided.gamma = planner->settings.gamma;
        planner->decided.origin = origin;
        return status;
    }
    const int32_t n_followed = sonde__planner_followed(planner);
    if (n_followed == 0 || !(moment.surprise <= planner->settings.surprise)) {
        const sonde_status status = search(planner, now, origin, moment.number);
        return status == SONDE_OK ? status
                                  : sonde__fail(error, status, "%s",
                                                sonde__search_complaint(planner->search, status));
    }
    planner->plan.now = next_step(planner);
    sonde__search_follow(planner->used, now, planner->step[planner->plan.now].action, n_followed);
    sonde__search_decision(planner->used)->plan = &planner->plan;
    return SONDE_OK;
}

void sonde__planner_watch(sonde__planner *planner, sonde__watch *watch) {
    if (planner->search != NULL) {
        sonde__search_watch(planner->search, watch);
    }
}

void sonde__planner_chances(const sonde__planner *planner, double *chance) {
    sonde__search_chances(planner->search, chance);
}

sonde_status sonde__planner_score(sonde__planner *planner, sonde_present now,
                                  const sonde__picked *picked, double *efe, sonde_error *error) {
    if (planner->closed != NULL) {
        return sonde__fail(
            error, SONDE_BAD_ARGUMENT,
            "policies: closed loop has plans, and scores no policies; choose loop open");
    }
    return sonde__search_score(planner->search, now, picked, efe, error);
}

/* search_bounded_model.c: best-first search over prefixes, until what is left cannot matter.
 *
 * A prefix has a G of its own and a bound of what is to come (efe_bound.c); the open prefix whose
 * sum is least is expanded next. Policies that are complete add to the mass found,
 *
 *     F = sum over scored policies of exp(-gamma G)
 *     R <= sum over open prefixes of count exp(-gamma (G + bound)),   count = policies that begin with it
 *
 * and R bounds the mass of all others, so the posterior of those found is within R / (F + R) of
 * the exact one in total variation, and so are its sums over actions. R is added up afresh, in
 * logs, whenever it is looked at: counts reach 5^30, and differences of such numbers have no
 * digits left.
 *
 * Once no open prefix can hold a policy as good as the best one found, that one is proven, and the
 * order changes: what is expanded next is the prefix with most of R, which is the quickest way to
 * be rid of it.
 *
 * Open prefixes with the same future are one (search_frontier.c). */
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/numbers.h"
#include "search/search_bounded.h"

/* bytes for prefixes, at most, if the run allows as much; fewer than this many prefixes are not
 * worth it where there can be more */
#define POOL_BYTES (UINT64_C(1) << 30)
#define N_NODE_MIN 1024
/* e to the power of more than this is too much for a number */
#define EXTRA_MAX 680.0
/* R is looked at after this many expansions, then after a tenth more each time */
#define FIRST_CHECK 16

/* Prefixes there can be before their last step: no more are ever open or expanded. */
static uint64_t count_prefixes(const sonde_policies *policies) {
    uint64_t sum = 0;
    for (int32_t t = 0; t < policies->horizon; t++) {
        uint64_t n = 1;
        for (int32_t f = 0; f < policies->model->n_factor; f++) {
            const sonde_places *places = &policies->place[f];
            uint64_t most = 0;
            for (int32_t p = 0; p < places->n_place; p++) {
                const uint64_t here = places->completion[(int64_t)t * places->n_place + p];
                most = here > most ? here : most;
            }
            n = sonde__multiply(n, most);
        }
        sum = sonde__add(sum, n);
    }
    return sum;
}

/* Prefixes that there is always to be room for, so that a search that is out of memory can still
 * complete one. */
static uint64_t count_reserve(const sonde_policies *policies) {
    return 2 * ((uint64_t)policies->model->n_action + 1) * ((uint64_t)policies->horizon + 1);
}

/* Prefixes with which a search never is: all there can be, or as many as the budget scores, the
 * actions after one prefix beyond it. */
static uint64_t count_enough(const sonde__search *search) {
    const sonde_policies *policies = search->policies;
    const uint64_t n_action = (uint64_t)policies->model->n_action;
    const uint64_t budget = search->settings.budget;
    const uint64_t scored = budget > 0 ? sonde__add(budget, n_action + 1) : UINT64_MAX;
    const uint64_t prefixes = count_prefixes(policies);
    return sonde__add(prefixes < scored ? prefixes : scored,
                      count_reserve(policies) + n_action + 1);
}

static sonde_status open(sonde__search *search, sonde_error *error) {
    const sonde_model *model = search->policies->model;
    sonde__bounded *b = search->state;
    const uint64_t half = search->run.memory / 2;
    const uint64_t most = (half < POOL_BYTES ? half : POOL_BYTES) / sonde__frontier_bytes(model);
    const uint64_t n_step = (uint64_t)search->policies->horizon + 1;
    const uint64_t fewest = N_NODE_MIN + 4 * n_step * ((uint64_t)model->n_action + 1);
    const uint64_t allowed = most < fewest ? fewest : most;
    const uint64_t enough = count_enough(search);
    const uint64_t n = enough < allowed ? enough : allowed;
    if (n > INT32_MAX / 4) {
        return sonde__fail(
            error, SONDE_TOO_LARGE,
            "bounded search: there are too many actions for so long a horizon; choose "
            "a shorter one");
    }
    sonde__frontier_carve(&b->pool, model, n, &b->frontier);
    if (!sonde__arena_reserve_lazily(&b->pool)) {
        return sonde__fail_memory(error, "bounded search", b->pool.used);
    }
    sonde__frontier_carve(&b->pool, model, n, &b->frontier);
    return SONDE_OK;
}

static uint64_t bytes(const sonde__search *search) {
    const sonde__bounded *b = search->state;
    return b->pool.size;
}

static void close(sonde__search *search) {
    sonde__bounded *b = search->state;
    sonde__arena_free(&b->pool);
}

static void carve(sonde__search *search, sonde__arena *arena) {
    const sonde_policies *policies = search->policies;
    const sonde_model *model = policies->model;
    sonde__bounded *b = search->state;
    sonde__ways_carve(arena, policies, &b->ways);
    sonde__outlook_carve(arena, policies, &b->outlook);
    sonde__fan_carve(arena, &b->outlook, &b->fan);
    sonde__bound_carve(arena, model, &b->bound);
    b->log_mass = SONDE__TAKE(arena, double, model->n_action);
    b->leaf = SONDE__TAKE(arena, sonde__record, model->n_action);
    b->first_open = SONDE__TAKE(arena, int32_t, model->n_action);
    b->trace = SONDE__TAKE(arena, sonde_trace, SONDE__N_TRACE);
}

/* How much merging beliefs that are not quite the same can change a G. */
static double merging_error(const sonde_model *model) {
    const sonde_weights *w = &model->weights;
    double steepest = 0.0;
    double growth = 1.0;
    for (int32_t m = 0; m < model->n_modality; m++) {
        const sonde_modality *modality = &model->modality[m];
        double most = 0.0;
        for (int32_t o = 0; o < model->n_step_C * modality->n_outcome; o++) {
            const double cost = w->cost * model->lambda * modality->cost[o % modality->n_outcome];
            /* of the logarithm's floor twice: outcomes' own entropy, and ambiguity, which is
             * less */
            const double slope = w->information * 2.0 * 38.0 +
                                 w->utility * fabs(modality->preference[o]) + fabs(cost);
            most = slope > most ? slope : most;
        }
        steepest += most;
    }
    /* where a belief comes of several, their differences add up at every step */
    for (int32_t f = 0; f < model->n_factor; f++) {
        growth = model->factor[f].n_depend > growth ? model->factor[f].n_depend : growth;
    }
    const double horizon = (double)model->horizon;
    const double apart = SONDE__SAME * (double)model->n_belief * pow(growth, horizon);
    return horizon * horizon * steepest * apart;
}

static sonde_status prepare(sonde__search *search) {
    sonde__bounded *b = search->state;
    const sonde_model *model = search->policies->model;
    if (b->version != model->version) {
        sonde__ways_fill(search->policies, &b->ways);
        sonde__bound_fill(model, &b->bound);
        b->merging_error = merging_error(model);
        b->version = model->version;
        search->decision.evaluations.n_setup_step = b->bound.n_step;
    }
    return SONDE_OK;
}

/* ln of the number of policies that begin with a prefix. */
static double log_count(const sonde__search *search, int32_t depth, const int32_t *place) {
    const sonde_policies *policies = search->policies;
    const sonde__bounded *b = search->state;
    double sum = 0.0;
    for (int32_t f = 0; f < policies->model->n_factor; f++) {
        const int64_t n_place = policies->place[f].n_place;
        sum += b->ways.log_count[f][(policies->horizon - depth) * n_place + place[f]];
    }
    return sum;
}

/* Puts a prefix, whose slot is filled, among the open ones. */
static void push(sonde__search *search, int32_t fresh) {
    sonde__bounded *b = search->state;
    const sonde_model *model = search->policies->model;
    sonde__prefix *node = &b->frontier.node[fresh];
    const double *belief = b->frontier.belief + (int64_t)fresh * model->n_belief;
    const int32_t *place = b->frontier.place + (int64_t)fresh * model->n_factor;
    node->ahead = sonde__bound_at(model, &b->bound, node->depth, belief);
    node->mass = log_count(search, node->depth, place) + node->extra -
                 search->settings.gamma * sonde__prefix_least(node);
    sonde__frontier_push(&b->frontier, fresh);
}

/* A leaf that may be the best policy: the first of those that tie with the smallest G. */
static void offer(sonde__bounded *b, double efe, int32_t record, int32_t action, uint64_t index) {
    b->least_efe = efe < b->least_efe ? efe : b->least_efe;
    const double most = b->least_efe + sonde__tie(b->least_efe);
    if (efe <= most && (b->best_efe > most || index < b->best_index)) {
        b->best_efe = efe;
        b->best_record = record;
        b->best_action = action;
        b->best_index = index;
    }
}

/* From now on masses are kept as logarithms. */
static void go_deep(sonde__search *search) {
    sonde__bounded *b = search->state;
    const sonde__posterior *p = &search->posterior;
    b->deep = true;
    for (int32_t a = 0; a < p->end - p->begin; a++) {
        b->log_mass[a] = p->mass[a] > 0.0 ? sonde__posterior_log(p, p->mass[a]) : -INFINITY;
    }
}

/* ln of the mass found. */
static double log_found(const sonde__search *search) {
    const sonde__bounded *b = search->state;
    const sonde__posterior *p = &search->posterior;
    double sum = -INFINITY;
    if (!b->deep) {
        const double total = sonde__posterior_total(p);
        return total > 0.0 ? sonde__posterior_log(p, total) : -INFINITY;
    }
    for (int32_t a = 0; a < p->end - p->begin; a++) {
        sum = sonde__log_add(sum, b->log_mass[a]);
    }
    return sum;
}

/* A policy, from its last record back. */
static void trace(const sonde__search *search, int32_t record, int32_t action, int32_t *walk) {
    const sonde__bounded *b = search->state;
    const sonde__record last = {.parent = record, .action = action};
    walk[0] = search->decision.origin;
    (void)sonde__frontier_trace(&b->frontier, last, search->policies->horizon, walk);
}

/* Keeps a leaf that is among the best, if any are to be kept. */
static void keep(sonde__search *search, int32_t record, int32_t action, double efe,
                 uint64_t index) {
    if (search->keep.n_most > 0 && sonde__keep_wants(&search->keep, efe, index)) {
        trace(search, record, action, search->keep.scratch);
        sonde__keep_put(&search->keep, efe, index, 1.0, search->keep.scratch);
    }
}

/* All policies that complete a prefix of T - 1 steps: their mass, and perhaps the best of all. */
static void complete(sonde__search *search, const sonde__prefix *node, int32_t record, int32_t n) {
    sonde__bounded *b = search->state;
    sonde__posterior *p = &search->posterior;
    const sonde_policies *policies = search->policies;
    const int32_t horizon = policies->horizon;
    const double *sum = b->fan.sum + (int64_t)horizon * policies->model->n_action;
    const double gamma = search->settings.gamma;
    if (node->extra > EXTRA_MAX && !b->deep) {
        go_deep(search);
    }
    for (int32_t child = 0; child < n; child++) {
        const double efe = node->efe + sum[child];
        const int32_t action = sonde__fan_action(&b->fan, horizon, child);
        const int32_t first = horizon == 1 ? action : node->first;
        const uint64_t index = b->numbered ? node->begin + (uint64_t)child : SONDE__UNNUMBERED;
        offer(b, efe, record, action, index);
        keep(search, record, action, efe, index);
        const sonde__block block = {.action = first, .n = 1, .first = index, .efe = &efe};
        const double before = p->best_efe[first - p->begin];
        const uint64_t best = p->best[first - p->begin];
        sonde__posterior_add(p, &block);
        if (p->best[first - p->begin] != best || p->best_efe[first - p->begin] != before) {
            b->leaf[first] = (sonde__record){.parent = record, .action = action};
        }
        if (b->deep) {
            double *mass = &b->log_mass[first - p->begin];
            *mass = sonde__log_add(*mass, node->extra - gamma * efe);
        } else if (node->extra > 0.0) {
            /* other prefixes came here, too, with larger G */
            sonde__posterior_add_more(p, first, efe, node->extra);
        }
    }
}

/* Opens all children of a prefix. */
static void branch(sonde__search *search, const sonde__prefix *node, int32_t record, int32_t n) {
    sonde__bounded *b = search->state;
    sonde__frontier *frontier = &b->frontier;
    const sonde_policies *policies = search->policies;
    const sonde_model *model = policies->model;
    const int32_t t = node->depth + 1;
    const double *sum = b->fan.sum + (int64_t)t * model->n_action;
    uint64_t begin = node->begin;
    for (int32_t child = 0; child < n; child++) {
        const int32_t fresh = sonde__frontier_take(frontier);
        double *belief = frontier->belief + (int64_t)fresh * model->n_belief;
        int32_t *place = frontier->place + (int64_t)fresh * model->n_factor;
        const int32_t action = sonde__fan_child(&b->fan, t, child, belief, place);
        frontier->node[fresh] = (sonde__prefix){.efe = node->efe + sum[child],
                                                .extra = node->extra,
                                                .depth = t,
                                                .first = t == 1 ? action : node->first,
                                                .parent = record,
                                                .action = action,
                                                .begin = begin};
        begin +=
            b->numbered ? sonde__product_completions(policies, policies->horizon - t, place) : 0;
        push(search, fresh);
    }
}

/* Expands the open prefix with the least key; false when memory is full. */
static bool expand(sonde__search *search) {
    sonde__bounded *b = search->state;
    sonde__frontier *frontier = &b->frontier;
    const sonde_model *model = search->policies->model;
    const int32_t id = frontier->open[0].node;
    const sonde__prefix node = frontier->node[id];
    const int32_t t = node.depth + 1;
    if (!sonde__frontier_has_room(frontier, model->n_action)) {
        return false;
    }
    const int32_t n =
        sonde__fan_open(&b->fan, &b->outlook, t, frontier->belief + (int64_t)id * model->n_belief,
                        frontier->place + (int64_t)id * model->n_factor);
    const int32_t record = sonde__frontier_close(frontier);
    search->decision.evaluations.n_step += (uint64_t)n;
    if (t == search->policies->horizon) {
        complete(search, &node, record, n);
    } else {
        branch(search, &node, record, n);
    }
    return true;
}

/* ln of R, afresh and a little too large; nobody asks before a policy is found. */
static double log_open(const sonde__search *search) {
    const sonde__bounded *b = search->state;
    const sonde__frontier *frontier = &b->frontier;
    if (search->posterior.n_policy == 0) {
        return INFINITY;
    }
    return frontier->n_open > 0 ? sonde__frontier_log_mass(frontier, false) + 1e-9 : -INFINITY;
}

/* What is known now: R, and how far masses can be off. */
static sonde__doubt look(sonde__search *search) {
    const sonde__bounded *b = search->state;
    const sonde__frontier *frontier = &b->frontier;
    const sonde__posterior *posterior = &search->posterior;
    const uint64_t n_log = frontier->n_merged + (b->deep ? posterior->n_policy : 0);
    search->evidence = (sonde__evidence){
        .given = true,
        .log_rest = log_open(search),
        .least = sonde__frontier_least(frontier),
        .best = b->best_efe,
        .sum = sonde__evidence_sum(search, posterior->n_policy + (uint64_t)frontier->n_open, n_log),
        .merged = frontier->inexact ? b->merging_error : 0.0};
    return sonde__certificate_doubt(search, log_found(search));
}

/* Whether what is open is little enough. Where rounding alone takes all of epsilon, tv cannot
 * reach it, and what is open is looked at as if nothing were rounded. */
static bool is_enough(const sonde__search *search, const sonde__doubt *doubt) {
    const double epsilon = search->settings.epsilon;
    if (doubt->rounding < epsilon) {
        return doubt->open <= epsilon - doubt->rounding;
    }
    return doubt->bare <= epsilon && (epsilon > 0.0 || search->evidence.merged == 0.0);
}

/* Keeps what is known now, for whoever asks why. */
static void note(sonde__search *search, double tv) {
    sonde__bounded *b = search->state;
    const sonde__frontier *frontier = &b->frontier;
    const uint64_t n_expanded = (uint64_t)frontier->n_record;
    const bool again = b->n_trace > 0 && b->trace[b->n_trace - 1].n_expanded == n_expanded;
    b->n_trace -= again || b->n_trace == SONDE__N_TRACE ? 1 : 0;
    b->trace[b->n_trace++] = (sonde_trace){.n_step = search->decision.evaluations.n_step,
                                           .n_expanded = n_expanded,
                                           .n_open = (uint64_t)frontier->n_open,
                                           .best_efe = b->best_efe,
                                           .least = search->evidence.least,
                                           .tv = tv < 1.0 ? tv : 1.0};
}

/* Why to stop before the certificate is reached; or NULL. */
static const char *find_reason(const sonde__search *search, double began) {
    const sonde_search_settings *settings = &search->settings;
    if (settings->budget > 0 && search->decision.evaluations.n_step >= settings->budget) {
        return "budget";
    }
    if (settings->deadline > 0.0 && sonde__seconds() - began >= settings->deadline) {
        return "deadline";
    }
    return NULL;
}

/* Everything that an empty search has: the prefix of no steps. */
static void begin(sonde__search *search) {
    sonde__bounded *b = search->state;
    sonde__frontier *frontier = &b->frontier;
    const sonde_policies *policies = search->policies;
    const sonde_model *model = policies->model;
    const int32_t origin = search->decision.origin;
    const double *belief = search->decision.belief;
    sonde__frontier_clear(frontier, (int32_t)count_reserve(policies));
    frontier->gamma = search->settings.gamma;
    b->numbered = sonde_policies_size(policies, origin) < UINT64_MAX;
    b->n_trace = 0;
    b->deep = false;
    b->best_efe = b->least_efe = INFINITY;
    b->best_index = UINT64_MAX;
    sonde__evidence_prepare(search);
    sonde__outlook_start(&b->outlook, policies, origin, belief);
    const int32_t root = sonde__frontier_take(frontier); /* slot 0 */
    frontier->node[root] = (sonde__prefix){.first = -1, .parent = -1, .action = -1};
    memcpy(frontier->belief, belief, (size_t)model->n_belief * sizeof *belief);
    sonde__product_places(policies, origin, frontier->place);
    push(search, root);
}

/* Goes straight down from the best of the longest prefixes until some policy is complete, which
 * takes at most T more steps: an answer with an honest certificate is better than none. */
static void finish_one(sonde__search *search) {
    sonde__bounded *b = search->state;
    b->frontier.reserve = 0;
    while (search->posterior.n_policy == 0) {
        sonde__frontier_prefer_deepest(&b->frontier);
        (void)expand(search);
    }
}

static sonde_status decide(sonde__search *search) {
    sonde__bounded *b = search->state;
    sonde__frontier *frontier = &b->frontier;
    const double began = sonde__seconds();
    uint64_t next_check = FIRST_CHECK;
    const char *reason = NULL;
    begin(search);
    while (frontier->n_open > 0 && reason == NULL) {
        if (!expand(search)) {
            reason = "memory";
            break;
        }
        reason = find_reason(search, began);
        /* once every key that ties with the best has been looked at, it is the mass that matters */
        const double tie = sonde__tie(b->best_efe);
        if (!frontier->by_mass && frontier->n_open > 0 &&
            frontier->open[0].key > b->best_efe + tie) {
            sonde__frontier_turn(frontier);
        }
        const uint64_t n_expanded = (uint64_t)frontier->n_record;
        if (n_expanded >= next_check) {
            next_check = n_expanded + n_expanded / 10 + 1;
            const sonde__doubt doubt = look(search);
            note(search, doubt.open + doubt.rounding);
            if (is_enough(search, &doubt) && (frontier->n_open == 0 || frontier->by_mass)) {
                break;
            }
            if (sonde__stopped(&search->run)) {
                return SONDE_STOPPED;
            }
        }
    }
    if (search->posterior.n_policy == 0) {
        finish_one(search);
    }
    const sonde__doubt doubt = look(search);
    note(search, doubt.open + doubt.rounding);
    search->evidence.stopped = reason;
    if (b->deep) {
        sonde__posterior_settle(&search->posterior, b->log_mass);
    }
    trace(search, b->best_record, b->best_action, search->best_walk);
    sonde__search_found(search);
    return SONDE_OK;
}

const sonde__method sonde__bounded_model = {.size = sizeof(sonde__bounded),
                                            .grounds = SONDE_GROUNDS_BOUNDS,
                                            .open = open,
                                            .bytes = bytes,
                                            .carve = carve,
                                            .prepare = prepare,
                                            .decide = decide,
                                            .recall = sonde__bounded_recall,
                                            .explain = sonde__bounded_explain,
                                            .close = close};

/* search_bounded_model.c: best-first search over prefixes, until what is left cannot matter.
 *
 * A prefix has a G of its own and a bound of what is to come (efe_bound.c); the open prefix whose
 * sum is least is expanded next. Policies that are complete add to the mass found,
 *
 *     F = sum over scored policies of exp(-gamma G)
 *     R <= sum over open prefixes of count exp(-gamma (G + bound)),   count = policies that begin
 *     with it
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

/* Prefixes that there is always to be room for, so that a search that is out of memory can still
 * complete one. */
static uint64_t count_reserve(const sonde__score *score) {
    return 2 * ((uint64_t)score->n_child + 1) * ((uint64_t)score->policies->horizon + 1);
}

/* Prefixes with which a search never is: all there can be, or as many as the budget scores, the
 * children of one prefix beyond it. */
static uint64_t count_enough(const sonde__search *search) {
    const sonde__score *score = &search->score;
    const uint64_t n_child = (uint64_t)score->n_child;
    const uint64_t budget = search->settings.budget;
    const uint64_t scored = budget > 0 ? sonde__add(budget, n_child + 1) : UINT64_MAX;
    const uint64_t prefixes = sonde__score_prefixes(score);
    return sonde__add(prefixes < scored ? prefixes : scored, count_reserve(score) + n_child + 1);
}

static sonde_status open(sonde__search *search, sonde_error *error) {
    const sonde__score *score = &search->score;
    sonde__bounded *b = search->state;
    const uint64_t half = search->run.memory / 2;
    const uint64_t most = (half < POOL_BYTES ? half : POOL_BYTES) / sonde__frontier_bytes(score);
    const uint64_t n_step = (uint64_t)search->policies->horizon + 1;
    const uint64_t fewest = N_NODE_MIN + 4 * n_step * ((uint64_t)score->n_child + 1);
    const uint64_t allowed = most < fewest ? fewest : most;
    const uint64_t enough = count_enough(search);
    const uint64_t n = enough < allowed ? enough : allowed;
    if (n > INT32_MAX / 4) {
        return sonde__fail(
            error, SONDE_TOO_LARGE,
            "bounded search: there are too many actions for so long a horizon; choose "
            "a shorter one");
    }
    sonde__frontier_carve(&b->pool, score, n, &b->frontier);
    if (!sonde__arena_reserve_lazily(&b->pool)) {
        return sonde__fail_memory(error, "bounded search", b->pool.used);
    }
    sonde__frontier_carve(&b->pool, score, n, &b->frontier);
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
    const int32_t n_action = search->policies->model->n_action;
    sonde__bounded *b = search->state;
    b->log_mass = SONDE__TAKE(arena, double, n_action);
    b->leaf = SONDE__TAKE(arena, sonde__record, n_action);
    b->first_open = SONDE__TAKE(arena, int32_t, n_action);
    b->trace = SONDE__TAKE(arena, sonde__trace, SONDE__N_TRACE);
}

static sonde_status prepare(sonde__search *search) {
    sonde__bounded *b = search->state;
    const uint64_t version = search->policies->model->version;
    if (b->version != version) {
        search->decision.evaluations.n_setup_step = sonde__score_prepare(&search->score);
        b->merging_error = sonde__score_merging(&search->score);
        b->version = version;
    }
    return SONDE_OK;
}

/* ln of the weight that habits give the first action of a prefix; of none: no policy has more. */
static double log_weight(const sonde__search *search, const sonde__prefix *node) {
    const double *weight = search->posterior.weight;
    return weight != NULL && node->depth > 0 ? sonde__log(weight[node->first]) : 0.0;
}

/* Puts a prefix, whose slot is filled, among the open ones. */
static void push(sonde__search *search, int32_t fresh) {
    sonde__bounded *b = search->state;
    const sonde__score *score = &search->score;
    sonde__prefix *node = &b->frontier.node[fresh];
    const sonde__spot spot = sonde__spot_at(score, b->frontier.spots, fresh);
    node->ahead = sonde__score_ahead(score, node->depth, spot, NULL);
    node->mass = sonde__score_log_count(score, node->depth, spot) + node->extra -
                 search->settings.gamma * sonde__prefix_least(node) + log_weight(search, node);
    sonde__frontier_push(&b->frontier, fresh);
}

/* A leaf that may be the best policy: the first of those that tie with the smallest G, its own G
 * being `own`, or the least where none does. */
static void offer(sonde__bounded *b, double efe, double own, sonde__record leaf, uint64_t index) {
    b->least_efe = efe < b->least_efe ? efe : b->least_efe;
    const double most = b->least_efe + sonde__tie(b->least_efe);
    if (own <= most ? b->best_efe > most || index < b->best_index : own < b->best_efe) {
        b->best_efe = own;
        b->best_record = leaf.parent;
        b->best_action = leaf.action;
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
    (void)sonde__frontier_trace(&b->frontier, last, search->policies->horizon, walk);
    walk[0] = search->decision.origin;
    for (int32_t t = 1; t <= b->n_from; t++) {
        walk[t] = b->from[t];
    }
}

/* Keeps a leaf that is among the best, if any are to be kept. */
static void keep(sonde__search *search, int32_t record, int32_t action, double efe,
                 uint64_t index) {
    if (search->keep.n_most > 0 && sonde__keep_wants(&search->keep, efe, index)) {
        trace(search, record, action, search->keep.scratch);
        sonde__keep_put(&search->keep, efe, index, 1.0, search->keep.scratch);
    }
}

/* The first action of a prefix that goes on with a number; or the first after the one that every
 * policy is to begin with. */
static int32_t first_action(const sonde__search *search, const sonde__prefix *node, int32_t next) {
    const sonde__bounded *b = search->state;
    const int32_t walk[2] = {node->action, next};
    return node->depth == b->n_from ? sonde__policies_action(search->policies, walk, 1)
                                    : node->first;
}

/* All policies that complete a prefix of T - 1 steps: their mass, and perhaps the best of all. */
static void complete(sonde__search *search, const sonde__prefix *node, int32_t record, int32_t n) {
    sonde__bounded *b = search->state;
    sonde__posterior *p = &search->posterior;
    const sonde__track *track = search->track;
    const double gamma = search->settings.gamma;
    if (node->extra > EXTRA_MAX && !b->deep) {
        go_deep(search);
    }
    for (int32_t child = 0; child < n; child++) {
        const double efe = node->efe + track->efe[child];
        const int32_t action = track->next[child];
        const int32_t first = first_action(search, node, action);
        const sonde__record leaf = {.parent = record, .action = action};
        const uint64_t index = b->numbered ? node->begin + (uint64_t)child : SONDE__UNNUMBERED;
        offer(b, efe, efe + (double)node->above, leaf, index);
        keep(search, record, action, efe, index);
        const sonde__block block = {.action = first, .n = 1, .first = index, .efe = &efe};
        const double before = p->best_efe[first - p->begin];
        const uint64_t best = p->best[first - p->begin];
        sonde__posterior_add(p, &block);
        if (p->best[first - p->begin] != best || p->best_efe[first - p->begin] != before) {
            b->leaf[first - p->begin] = leaf;
        }
        if (b->deep) {
            double *mass = &b->log_mass[first - p->begin];
            const double weight = sonde__posterior_weight(p, first);
            *mass = sonde__log_add(*mass, node->extra - gamma * efe + sonde__log(weight));
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
    const sonde__track *track = search->track;
    const int32_t t = node->depth + 1;
    uint64_t begin = node->begin;
    for (int32_t child = 0; child < n; child++) {
        const int32_t fresh = sonde__frontier_take(frontier);
        const int32_t next = track->next[child];
        sonde__track_child(track, t, child, sonde__spot_at(track->score, frontier->spots, fresh));
        frontier->node[fresh] = (sonde__prefix){.efe = node->efe + track->efe[child],
                                                .extra = node->extra,
                                                .depth = t,
                                                .first = first_action(search, node, next),
                                                .parent = record,
                                                .action = next,
                                                .above = node->above,
                                                .begin = begin};
        begin += b->numbered ? track->below[child] : 0;
        push(search, fresh);
    }
}

/* Expands the open prefix with the least key; false when memory is full. */
static bool expand(sonde__search *search) {
    sonde__bounded *b = search->state;
    sonde__frontier *frontier = &b->frontier;
    const sonde__score *score = &search->score;
    const int32_t id = frontier->open[0].node;
    const sonde__prefix node = frontier->node[id];
    const int32_t t = node.depth + 1;
    if (!sonde__frontier_has_room(frontier, score->n_child)) {
        return false;
    }
    const int32_t n =
        sonde__track_expand(search->track, t, sonde__spot_at(score, frontier->spots, id));
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

/* The least G that a policy other than the best can have: what is open, or found and no tie. */
static double find_least(const sonde__bounded *b) {
    const double open = sonde__frontier_least(&b->frontier);
    const bool tied = b->best_efe <= b->least_efe + sonde__tie(b->least_efe);
    return !tied && b->least_efe < open ? b->least_efe : open;
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
        .least = find_least(b),
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
    b->trace[b->n_trace++] = (sonde__trace){.n_step = search->decision.evaluations.n_step,
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

/* Opens the prefixes of no steps. */
static void open_roots(sonde__search *search) {
    sonde__bounded *b = search->state;
    sonde__frontier *frontier = &b->frontier;
    const sonde__score *score = &search->score;
    uint64_t n_before = 0;
    for (int32_t i = 0; i < score->n_root; i++) {
        const int32_t root = sonde__frontier_take(frontier);
        const int32_t number =
            sonde__score_root(score, i, sonde__spot_at(score, frontier->spots, root));
        frontier->node[root] = (sonde__prefix){
            .first = -1 - number, .parent = -1, .action = number, .begin = n_before};
        n_before += b->numbered ? sonde_policies_size(search->policies, number) : 0;
        push(search, root);
    }
}

int32_t sonde__bounded_descend(sonde__search *search, double *efe) {
    const sonde__bounded *b = search->state;
    const sonde__frontier *frontier = &b->frontier;
    const sonde__score *score = &search->score;
    const sonde__track *track = search->track;
    int32_t slot = 0;
    (void)sonde__score_root(score, 0, sonde__spot_at(score, frontier->spots, slot));
    for (int32_t t = 1; t <= b->n_from; t++) {
        const int32_t n =
            sonde__track_expand(search->track, t, sonde__spot_at(score, frontier->spots, slot));
        int32_t child = 0;
        while (child < n && track->next[child] != b->from[t]) {
            child++;
        }
        if (child == n) {
            return -1;
        }
        *efe += track->efe[child];
        slot = 1 - slot;
        sonde__track_child(track, t, child, sonde__spot_at(score, frontier->spots, slot));
    }
    return slot;
}

/* Opens nothing but the prefix that every policy is to begin with. */
static void open_prefix(sonde__search *search) {
    sonde__bounded *b = search->state;
    sonde__frontier *frontier = &b->frontier;
    const int32_t first = sonde__frontier_take(frontier);
    const int32_t second = sonde__frontier_take(frontier);
    double efe = 0.0;
    const int32_t slot = sonde__bounded_descend(search, &efe);
    frontier->spare[frontier->n_spare++] = slot == first ? second : first;
    frontier->node[slot] = (sonde__prefix){
        .efe = efe, .depth = b->n_from, .first = -1, .parent = -1, .action = b->from[b->n_from]};
    push(search, slot);
}

/* Everything that an empty search has. */
static void begin(sonde__search *search) {
    sonde__bounded *b = search->state;
    sonde__frontier *frontier = &b->frontier;
    const sonde__score *score = &search->score;
    const bool whole = b->n_from == 0;
    sonde__frontier_clear(frontier, (int32_t)count_reserve(score));
    frontier->gamma = search->settings.gamma;
    b->numbered = whole && sonde_policies_size(search->policies, score->origin) < UINT64_MAX;
    b->n_trace = 0;
    b->deep = false;
    b->best_efe = b->least_efe = INFINITY;
    b->best_index = UINT64_MAX;
    sonde__evidence_prepare(search);
    if (whole) {
        open_roots(search);
    } else {
        open_prefix(search);
    }
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
            if (frontier->by_mass && is_enough(search, &doubt)) {
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

const sonde__method sonde__bounded_first = {.size = sizeof(sonde__bounded),
                                            .uses = SONDE__SCORE_AHEAD,
                                            .grounds = SONDE__GROUNDS_BOUNDS,
                                            .open = open,
                                            .bytes = bytes,
                                            .carve = carve,
                                            .prepare = prepare,
                                            .decide = decide,
                                            .recall = sonde__bounded_recall,
                                            .explain = sonde__bounded_explain,
                                            .below = sonde__bounded_below,
                                            .close = close};

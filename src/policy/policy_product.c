/* policy_product.c: the policies of a general model, counted, indexed and found again.
 *
 * A policy chooses an action for every factor at every step. What is allowed depends on each
 * factor's own place alone, so that counts multiply:
 *
 *     completion_f[0][p] = 1
 *     completion_f[t][p] = sum over allowed u of completion_f[t - 1][next_f[p][u]]
 *     policies from a tuple of places = product over f of completion_f[T][p_f]
 *
 * A factor whose every action is allowed has one place, and the whole is the plain product. The
 * order is by step, then by factor: going down, the policies below an action of factor f are those
 * below its place, times what the later factors can still do from theirs. */
#include <string.h>

#include "base/status.h"
#include "policy/policy.h"

/* the policies while they are made: the same arrays, writable */
typedef struct {
    sonde_policies policies; /* first: a pointer to it is a pointer to the block */
    sonde_places *place;     /* (n_factor) */
    double *before;          /* (most places) scratch */
    double *real;            /* (most places) scratch */
} build;

/* the arrays of one factor's places, writable */
typedef struct {
    int32_t *next;
    uint64_t *completion;
    double *real;
} places;

static int32_t n_place(const sonde_factor *factor) {
    return factor->allowed != NULL ? factor->n_state : 1;
}

static places carve_places(sonde__arena *arena, const sonde_factor *factor, int32_t horizon) {
    const uint64_t n = (uint64_t)n_place(factor);
    return (places){
        .next = SONDE__TAKE(arena, int32_t, n * (uint64_t)factor->n_action),
        .completion = SONDE__TAKE(arena, uint64_t, n * ((uint64_t)horizon + 1)),
        .real = SONDE__TAKE(arena, double, n),
    };
}

/* The place that follows each place and action. */
static void find_next(const sonde_factor *factor, int32_t *next) {
    for (int32_t u = 0; factor->allowed == NULL && u < factor->n_action; u++) {
        next[u] = 0;
    }
    for (int64_t i = 0; factor->allowed != NULL && i < factor->n_previous * factor->n_action; i++) {
        next[i] = factor->allowed[i] ? factor->next[factor->offset[i]] : -1;
    }
}

/* Counts of all lengths; the longest as doubles, too. */
static void count_places(const sonde_factor *factor, int32_t horizon, places *p, double *before) {
    const int32_t n = n_place(factor);
    for (int32_t i = 0; i < n; i++) {
        p->completion[i] = 1;
        p->real[i] = 1.0;
    }
    for (int32_t t = 1; t <= horizon; t++) {
        const uint64_t *shorter = p->completion + (int64_t)(t - 1) * n;
        memcpy(before, p->real, (size_t)n * sizeof *before);
        for (int32_t i = 0; i < n; i++) {
            uint64_t sum = 0;
            double real = 0.0;
            for (int32_t u = 0; u < factor->n_action; u++) {
                const int32_t next = p->next[(int64_t)i * factor->n_action + u];
                sum = next >= 0 ? sonde__add(sum, shorter[next]) : sum;
                real += next >= 0 ? before[next] : 0.0;
            }
            p->completion[(int64_t)t * n + i] = sum;
            p->real[i] = real;
        }
    }
}

static build *carve(sonde__arena *arena, const sonde_model *model, int32_t horizon) {
    build *b = SONDE__TAKE(arena, build, 1);
    sonde_places *place = SONDE__TAKE(arena, sonde_places, model->n_factor);
    int32_t most = 1;
    for (int32_t f = 0; f < model->n_factor && model->policies != SONDE_POLICIES_LISTED; f++) {
        most = n_place(&model->factor[f]) > most ? n_place(&model->factor[f]) : most;
    }
    double *before = SONDE__TAKE(arena, double, most);
    for (int32_t f = 0; f < model->n_factor && model->policies != SONDE_POLICIES_LISTED; f++) {
        const sonde_factor *factor = &model->factor[f];
        places p = carve_places(arena, factor, horizon);
        if (place != NULL) {
            find_next(factor, p.next);
            count_places(factor, horizon, &p, before);
            place[f] =
                (sonde_places){n_place(factor), factor->n_action, p.next, p.completion, p.real};
        }
    }
    if (b != NULL) {
        b->place = place;
    }
    return b;
}

/* Tuples of places; UINT64_MAX when there are that many or more. */
static uint64_t count_origins(const sonde_model *model) {
    uint64_t n = 1;
    for (int32_t f = 0; f < model->n_factor && model->policies != SONDE_POLICIES_LISTED; f++) {
        n = sonde__multiply(n, (uint64_t)n_place(&model->factor[f]));
    }
    return n;
}

sonde_status sonde__product_count(const sonde_model *model, int32_t horizon, const sonde_run *run,
                                  sonde_policies **policies, sonde_error *error) {
    const sonde_run settled = sonde__run_settle(run);
    const uint64_t n_origin = count_origins(model);
    if (n_origin > INT32_MAX) {
        return sonde__fail(error, SONDE_TOO_LARGE,
                           "counting the policies: the states in which actions are allowed or not "
                           "have %.4g combinations, and at most %d can be told apart",
                           (double)n_origin, INT32_MAX);
    }
    if (model->policies == SONDE_POLICIES_LISTED && horizon != model->horizon) {
        return sonde__fail(error, SONDE_BAD_ARGUMENT,
                           "horizon: expected %d, the steps of the policies that the model lists, "
                           "found %d",
                           model->horizon, horizon);
    }
    sonde__arena arena = {0};
    (void)carve(&arena, model, horizon);
    const sonde_status fits =
        sonde__arena_claim(&arena, &settled, "counting the policies",
                           "choose a shorter horizon, or allow more memory", error);
    if (fits != SONDE_OK) {
        return fits;
    }
    build *b = carve(&arena, model, horizon);
    sonde_policies *made = &b->policies;
    *made = (sonde_policies){.model = model,
                             .horizon = horizon,
                             .n_origin = (int32_t)n_origin,
                             .place = model->policies != SONDE_POLICIES_LISTED ? b->place : NULL};
    /* the initial belief is the factors' D, of which only the most probable states matter here */
    for (int32_t f = 0; f < model->n_factor && made->place != NULL; f++) {
        const sonde_factor *factor = &model->factor[f];
        const int32_t n = made->place[f].n_place;
        made->initial =
            made->initial * n + (n > 1 ? sonde__most_probable(factor->n_state, factor->D) : 0);
    }
    made->n_policy = sonde__policies_size(made, made->initial);
    made->size = sonde__space_of(made)->size_real(made, made->initial);
    if (made->n_policy == 0) {
        sonde__arena_free(&arena);
        return sonde__fail(
            error, SONDE_NO_POLICY,
            "policies: no sequence of %d allowed actions begins in the most probable "
            "state; allow more, or choose a shorter horizon",
            horizon);
    }
    *policies = made;
    return SONDE_OK;
}

static int32_t origin_of(const sonde_policies *policies, const double *belief) {
    int32_t origin = 0;
    for (int32_t f = 0; f < policies->model->n_factor; f++) {
        const sonde_factor *factor = &policies->model->factor[f];
        const int32_t n = policies->place[f].n_place;
        const bool several = n > 1;
        origin = origin * n +
                 (several ? sonde__most_probable(factor->n_state, belief + factor->first) : 0);
    }
    return origin;
}

void sonde__product_places(const sonde_policies *policies, int32_t origin, int32_t *place) {
    origin = sonde__origin_of(policies, origin);
    for (int32_t f = policies->model->n_factor - 1; f >= 0; f--) {
        place[f] = origin % policies->place[f].n_place;
        origin /= policies->place[f].n_place;
    }
}

static uint64_t size(const sonde_policies *policies, int32_t origin) {
    uint64_t n = 1;
    origin = sonde__origin_of(policies, origin);
    for (int32_t f = policies->model->n_factor - 1; f >= 0; f--) {
        const sonde_places *p = &policies->place[f];
        const int32_t here = origin % p->n_place;
        origin /= p->n_place;
        n = sonde__multiply(n, p->completion[(int64_t)policies->horizon * p->n_place + here]);
    }
    return n;
}

/* Places are independent, so the largest product is that of each factor's largest. */
static uint64_t most(const sonde_policies *policies) {
    uint64_t largest = 1;
    for (int32_t f = 0; f < policies->model->n_factor; f++) {
        const sonde_places *p = &policies->place[f];
        const uint64_t *longest = p->completion + (int64_t)policies->horizon * p->n_place;
        uint64_t n = 0;
        for (int32_t i = 0; i < p->n_place; i++) {
            n = longest[i] > n ? longest[i] : n;
        }
        largest = sonde__multiply(largest, n);
    }
    return largest;
}

static double size_real(const sonde_policies *policies, int32_t origin) {
    double n = 1.0;
    origin = sonde__origin_of(policies, origin);
    for (int32_t f = policies->model->n_factor - 1; f >= 0; f--) {
        const sonde_places *p = &policies->place[f];
        n *= p->completion_real[origin % p->n_place];
        origin /= p->n_place;
    }
    return n;
}

/* Sequences of t more actions of the factors f and later, from their places. */
static uint64_t count_from(const sonde_policies *policies, int32_t f, int32_t t,
                           const int32_t *place) {
    uint64_t n = 1;
    for (; f < policies->model->n_factor; f++) {
        const sonde_places *p = &policies->place[f];
        n = sonde__multiply(n, p->completion[(int64_t)t * p->n_place + place[f]]);
    }
    return n;
}

uint64_t sonde__product_completions(const sonde_policies *policies, int32_t t,
                                    const int32_t *place) {
    return count_from(policies, 0, t, place);
}

/* One step down: the action below which the `rest`-th policy lies, among those with `left` more
 * steps after it. The places after it go to `after`; `rest` is told from its first policy on. */
static int32_t step_down(const sonde_policies *policies, int32_t left, const int32_t *place,
                         int32_t *after, uint64_t *rest) {
    int32_t action = 0;
    uint64_t earlier = 1; /* what the factors that have chosen can still do */
    for (int32_t f = 0; f < policies->model->n_factor; f++) {
        const sonde_places *p = &policies->place[f];
        const int32_t *next = p->next + (int64_t)place[f] * p->n_action;
        const uint64_t *below = p->completion + (int64_t)left * p->n_place;
        const uint64_t others =
            sonde__multiply(earlier, count_from(policies, f + 1, left + 1, place));
        int32_t u = 0;
        for (; u < p->n_action; u++) {
            const uint64_t n = next[u] >= 0 ? sonde__multiply(below[next[u]], others) : 0;
            if (*rest < n) {
                break;
            }
            *rest -= n;
        }
        after[f] = next[u];
        earlier = sonde__multiply(earlier, below[next[u]]);
        action = action * p->n_action + u;
    }
    return action;
}

static int32_t move(sonde__walker *walker, uint64_t index) {
    const sonde_policies *policies = walker->policies;
    const int32_t horizon = policies->horizon;
    const int32_t n_factor = policies->model->n_factor;
    /* the longest prefix whose stretch holds the index stays */
    int32_t t = 0;
    while (t <= horizon && index - walker->begin[t] < walker->count[t] && walker->count[0] > 0) {
        t++;
    }
    const int32_t changed = t;
    if (t == 0) {
        sonde__product_places(policies, walker->origin, walker->place);
        walker->edge[0] = walker->origin;
        walker->begin[0] = 0;
        walker->count[0] = size(policies, walker->origin);
        t = 1;
    }
    for (; t <= horizon; t++) {
        const int32_t *place = walker->place + (int64_t)(t - 1) * n_factor;
        int32_t *after = walker->place + (int64_t)t * n_factor;
        uint64_t rest = index - walker->begin[t - 1];
        walker->edge[t] = step_down(policies, horizon - t, place, after, &rest);
        walker->begin[t] = index - rest;
        walker->count[t] = count_from(policies, 0, horizon - t, after);
    }
    return changed;
}

static void get(const sonde_policies *policies, int32_t origin, uint64_t index, int32_t *walk) {
    const int32_t horizon = policies->horizon;
    walk[0] = origin;
    int32_t place[2][SONDE_FACTORS_MAX];
    sonde__product_places(policies, origin, place[0]);
    for (int32_t t = 1; t <= horizon; t++) {
        walk[t] = step_down(policies, horizon - t, place[(t - 1) % 2], place[t % 2], &index);
    }
}

/* The policies before an action among those from a tuple of places, with `left` more steps after
 * it; the places move on. UINT64_MAX if the action is not allowed. */
static uint64_t count_before(const sonde_policies *policies, int32_t left, const int32_t *tuple,
                             int32_t *place) {
    uint64_t before = 0;
    uint64_t earlier = 1;
    for (int32_t f = 0; f < policies->model->n_factor; f++) {
        const sonde_places *p = &policies->place[f];
        const int32_t *next = p->next + (int64_t)place[f] * p->n_action;
        const uint64_t *below = p->completion + (int64_t)left * p->n_place;
        const uint64_t others =
            sonde__multiply(earlier, count_from(policies, f + 1, left + 1, place));
        for (int32_t u = 0; u < tuple[f]; u++) {
            const uint64_t n = next[u] >= 0 ? sonde__multiply(below[next[u]], others) : 0;
            before = sonde__add(before, n);
        }
        if (next[tuple[f]] < 0) {
            return UINT64_MAX;
        }
        place[f] = next[tuple[f]];
        earlier = sonde__multiply(earlier, below[place[f]]);
    }
    return earlier > 0 ? before : UINT64_MAX;
}

static uint64_t find(const sonde_policies *policies, int32_t origin, const int32_t *walk) {
    int32_t place[SONDE_FACTORS_MAX];
    int32_t tuple[SONDE_FACTORS_MAX];
    sonde__product_places(policies, origin, place);
    uint64_t index = 0;
    for (int32_t t = 1; t <= policies->horizon && index != UINT64_MAX; t++) {
        if (walk[t] < 0 || walk[t] >= policies->model->n_action) {
            return UINT64_MAX;
        }
        sonde__model_tuple(policies->model, walk[t], tuple);
        index = sonde__add(index, count_before(policies, policies->horizon - t, tuple, place));
    }
    return index;
}

static int32_t n_list(const sonde_policies *policies) {
    return policies->model->n_factor;
}

static int32_t n_place_of(const sonde_policies *policies, int32_t list) {
    return policies->place[list].n_place;
}

static sonde__fork fork_at(const sonde_policies *policies, int32_t list, int32_t place) {
    const sonde_places *p = &policies->place[list];
    return (sonde__fork){p->n_action, p->next + (int64_t)place * p->n_action};
}

/* What is allowed depends on each factor alone, so each factor's actions are drawn alone. */
static void draw(const sonde_policies *policies, const sonde__ways *ways, int32_t origin,
                 sonde__rng *rng, int32_t *walk) {
    int32_t place[SONDE_FACTORS_MAX];
    sonde__product_places(policies, origin, place);
    walk[0] = origin;
    for (int32_t t = 1; t <= policies->horizon; t++) {
        walk[t] = 0;
        for (int32_t f = 0; f < policies->model->n_factor; f++) {
            const sonde_places *p = &policies->place[f];
            const sonde__fork from = fork_at(policies, f, place[f]);
            const double *below =
                ways->log_count[f] + (int64_t)(policies->horizon - t) * p->n_place;
            const int32_t u = sonde__ways_choose(&from, below, rng);
            place[f] = from.to[u];
            walk[t] = walk[t] * p->n_action + u;
        }
    }
}

/* Whether every factor's part of an action is allowed, and can be gone on from. */
static bool begins(const sonde_policies *policies, int32_t origin, int32_t action) {
    int32_t tuple[SONDE_FACTORS_MAX];
    sonde__model_tuple(policies->model, action, tuple);
    for (int32_t f = policies->model->n_factor - 1; f >= 0; f--) {
        const sonde_places *p = &policies->place[f];
        const int32_t next = p->next[(int64_t)(origin % p->n_place) * p->n_action + tuple[f]];
        if (next < 0 || p->completion[(int64_t)(policies->horizon - 1) * p->n_place + next] == 0) {
            return false;
        }
        origin /= p->n_place;
    }
    return true;
}

static void mark(const sonde_policies *policies, int32_t origin, int32_t state, int32_t *any) {
    (void)state;
    for (int32_t a = 0; a < policies->model->n_action; a++) {
        any[a] = begins(policies, origin, a) ? 0 : -1;
    }
}

static void first(const sonde_policies *policies, int32_t origin, int32_t *begin, int32_t *end) {
    (void)origin;
    *begin = 0;
    *end = policies->model->n_action;
}

static int32_t n_choice(const sonde_policies *policies, int32_t state) {
    (void)state;
    return policies->model->n_action;
}

static int32_t choice(const sonde_policies *policies, int32_t state, int32_t action) {
    (void)policies;
    (void)state;
    return action;
}

static int32_t no_node(const sonde_policies *policies, int32_t state, int32_t i) {
    (void)policies;
    (void)state;
    (void)i;
    return -1;
}

static int32_t no_nodes(const sonde_policies *policies) {
    (void)policies;
    return 0;
}

static int32_t n_element(const sonde_policies *policies) {
    return policies->model->n_action;
}

static int32_t indicate(const sonde_policies *policies, const int32_t *walk, double *any) {
    int32_t n = 0;
    for (int32_t t = 1; t <= policies->horizon; t++) {
        n += any[walk[t]] == 0.0 ? 1 : 0;
        any[walk[t]] = 1.0;
    }
    return n;
}

static int32_t elements(const sonde_policies *policies, const int32_t *walk, int32_t *list) {
    memcpy(list, walk + 1, (size_t)policies->horizon * sizeof *list);
    return policies->horizon;
}

static int32_t element(const sonde_policies *policies, const int32_t *walk, int32_t i) {
    return i < policies->horizon ? walk[i + 1] : -1;
}

const sonde__policy_parts sonde__parts_actions = {
    .first = first,
    .n_choice = n_choice,
    .choice = choice,
    .chosen = choice,
    .node = no_node,
    .most_nodes = no_nodes,
    .n_element = n_element,
    .indicate = indicate,
    .elements = elements,
    .element = element,
};

const sonde__policy_space sonde__space_product = {
    .origin = origin_of,
    .size = size,
    .size_real = size_real,
    .most = most,
    .get = get,
    .find = find,
    .move = move,
    .mark = mark,
    .draw = draw,
    .n_list = n_list,
    .n_place = n_place_of,
    .fork = fork_at,
    .parts = &sonde__parts_actions,
};

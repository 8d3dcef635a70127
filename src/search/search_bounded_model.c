/* search_bounded_model.c: best-first search over prefixes, until what is left cannot matter.
 *
 * A prefix has a G of its own and a bound of what is to come (efe_bound.c); the open prefix whose sum is least
 * is expanded next. Policies that are complete add to the mass found,
 *
 *     F = sum over scored policies of exp(-gamma G)
 *     R <= sum over open prefixes of count exp(-gamma (G + bound)),   count = policies that begin with it
 *
 * and R bounds the mass of all others, so the posterior of those found is within R / (F + R) of the exact one
 * in total variation, and so are its sums over actions. R is added up afresh, in logs, whenever it is looked at:
 * counts reach 5^30, and differences of such numbers have no digits left.
 *
 * Open prefixes of the same length and first action that end in the same belief and places merge: the one with
 * the smaller G stands for both, with the sum of their masses. Beliefs that differ by a few units in the last
 * place count as the same, and the certificate is larger by what that can change. */
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/numbers.h"
#include "search/search.h"

/* bytes for prefixes, at most, if the run allows as much; fewer than this many prefixes are not worth it */
#define POOL_BYTES (UINT64_C(1) << 30)
#define N_NODE_MIN 1024
/* beliefs this close are the same */
#define SAME 4e-16
/* R is looked at after this many expansions, then after a tenth more each time */
#define FIRST_CHECK 16

/* Bytes of one prefix, its place in the heap, its slot in the table, and the record it leaves. */
static uint64_t node_bytes(const sonde_model *model) {
    return sizeof(sonde__prefix) + sizeof(sonde__open) + 4 * sizeof(int32_t) +
           sizeof(sonde__record) + (uint64_t)model->n_belief * sizeof(double) +
           (uint64_t)model->n_factor * sizeof(int32_t);
}

static uint64_t table_size(uint64_t n) {
    uint64_t size = 16;
    while (size < 2 * n) {
        size *= 2;
    }
    return size;
}

/* Room for n prefixes. */
static void carve_pool(sonde__search *search, sonde__arena *arena, uint64_t n) {
    const sonde_model *model = search->policies->model;
    sonde__bounded *b = &search->bounded;
    b->node = SONDE__TAKE(arena, sonde__prefix, n);
    b->belief = SONDE__TAKE(arena, double, sonde__multiply(n, (uint64_t)model->n_belief));
    b->place = SONDE__TAKE(arena, int32_t, sonde__multiply(n, (uint64_t)model->n_factor));
    b->open = SONDE__TAKE(arena, sonde__open, n);
    b->record = SONDE__TAKE(arena, sonde__record, n);
    b->n_table = table_size(n);
    b->table = SONDE__TAKE(arena, int32_t, b->n_table);
    b->spare = SONDE__TAKE(arena, int32_t, n);
}

sonde_status sonde__bounded_model_open(sonde__search *search, sonde_error *error) {
    const sonde_model *model = search->policies->model;
    sonde__bounded *b = &search->bounded;
    const uint64_t half = search->run.memory / 2;
    const uint64_t most = (half < POOL_BYTES ? half : POOL_BYTES) / node_bytes(model);
    const uint64_t n_step = (uint64_t)search->policies->horizon + 1;
    const uint64_t fewest = N_NODE_MIN + 4 * n_step * ((uint64_t)model->n_action + 1);
    const uint64_t n = most < fewest ? fewest : most;
    if (n > INT32_MAX / 4) {
        return sonde__fail(
            error, SONDE_TOO_LARGE,
            "bounded search: there are too many actions for so long a horizon; choose "
            "a shorter one");
    }
    carve_pool(search, &b->pool, n);
    if (!sonde__arena_reserve_lazily(&b->pool)) {
        return sonde__fail_memory(error, "bounded search", b->pool.used);
    }
    carve_pool(search, &b->pool, n);
    b->n_node = (int32_t)n;
    return SONDE_OK;
}

void sonde__bounded_model_carve(sonde__search *search, sonde__arena *arena) {
    const sonde_policies *policies = search->policies;
    const sonde_model *model = policies->model;
    sonde__bounded *b = &search->bounded;
    const uint64_t n_step = (uint64_t)policies->horizon + 1;
    for (int32_t f = 0; f < model->n_factor; f++) {
        const int32_t n_place = policies->place[f].n_place;
        b->count[f] = SONDE__TAKE(arena, double, n_step *(uint64_t)n_place);
    }
    sonde__outlook_carve(arena, policies, &b->outlook);
    sonde__fan_carve(arena, &b->outlook, &b->fan);
    sonde__bound_carve(arena, model, &b->bound);
}

/* How many ways each place has to go on, as doubles, which do not saturate. */
static void count_ways(sonde__search *search) {
    const sonde_policies *policies = search->policies;
    for (int32_t f = 0; f < policies->model->n_factor; f++) {
        const sonde_places *p = &policies->place[f];
        double *count = search->bounded.count[f];
        for (int32_t i = 0; i < p->n_place; i++) {
            count[i] = 1.0;
        }
        for (int32_t t = 1; t <= policies->horizon; t++) {
            const double *shorter = count + (int64_t)(t - 1) * p->n_place;
            for (int32_t i = 0; i < p->n_place; i++) {
                double sum = 0.0;
                for (int32_t u = 0; u < p->n_action; u++) {
                    const int32_t next = p->next[(int64_t)i * p->n_action + u];
                    sum += next >= 0 ? shorter[next] : 0.0;
                }
                count[(int64_t)t * p->n_place + i] = sum;
            }
        }
    }
}

void sonde__bounded_model_fill(sonde__search *search) {
    count_ways(search);
    sonde__bound_fill(search->policies->model, &search->bounded.bound);
    search->bounded.n_setup_step = search->bounded.bound.n_step;
}

/* ------------------------------------------------------------------------------------- heap -- */

static bool is_before(const sonde__open *a, const sonde__open *b) {
    return a->key < b->key || (a->key == b->key && a->order < b->order);
}

static void rise(sonde__bounded *b, int32_t at, sonde__open entry) {
    while (at > 0 && is_before(&entry, &b->open[(at - 1) / 2])) {
        b->open[at] = b->open[(at - 1) / 2];
        b->node[b->open[at].node].heap = at;
        at = (at - 1) / 2;
    }
    b->open[at] = entry;
    b->node[entry.node].heap = at;
}

static void sink(sonde__bounded *b, int32_t at, sonde__open entry) {
    for (int32_t child = 2 * at + 1; child < b->n_open; child = 2 * at + 1) {
        if (child + 1 < b->n_open && is_before(&b->open[child + 1], &b->open[child])) {
            child++;
        }
        if (!is_before(&b->open[child], &entry)) {
            break;
        }
        b->open[at] = b->open[child];
        b->node[b->open[at].node].heap = at;
        at = child;
    }
    b->open[at] = entry;
    b->node[entry.node].heap = at;
}

static int32_t pop(sonde__bounded *b) {
    const int32_t node = b->open[0].node;
    const sonde__open last = b->open[--b->n_open];
    if (b->n_open > 0) {
        sink(b, 0, last);
    }
    return node;
}

/* ---------------------------------------------------------------------------------- merging -- */

/* A hash of what makes two prefixes the same, the beliefs coarsely. */
static uint64_t hash_of(const sonde_model *model, const sonde__prefix *node, const double *belief,
                        const int32_t *place) {
    uint64_t hash = (uint64_t)(uint32_t)node->depth * UINT64_C(0x9E3779B97F4A7C15) +
                    (uint64_t)(uint32_t)node->first;
    for (int32_t s = 0; s < model->n_belief; s++) {
        const uint64_t bits = (uint64_t)(belief[s] * 0x1p40 + 0.5);
        hash = (hash ^ bits) * UINT64_C(0xD6E8FEB86659FD93);
        hash ^= hash >> 32;
    }
    for (int32_t f = 0; f < model->n_factor; f++) {
        hash = (hash ^ (uint64_t)(uint32_t)place[f]) * UINT64_C(0xD6E8FEB86659FD93);
        hash ^= hash >> 32;
    }
    return hash;
}

/* Whether node `other` is what the new one is; notes beliefs that are not quite the same. */
static bool is_same(sonde__bounded *b, const sonde_model *model, int32_t fresh, int32_t other) {
    const sonde__prefix *x = &b->node[fresh];
    const sonde__prefix *y = &b->node[other];
    if (x->hash != y->hash || x->depth != y->depth || x->first != y->first ||
        memcmp(b->place + (int64_t)fresh * model->n_factor,
               b->place + (int64_t)other * model->n_factor,
               (size_t)model->n_factor * sizeof(int32_t)) != 0) {
        return false;
    }
    const double *p = b->belief + (int64_t)fresh * model->n_belief;
    const double *q = b->belief + (int64_t)other * model->n_belief;
    double apart = 0.0;
    for (int32_t s = 0; s < model->n_belief; s++) {
        apart = fabs(p[s] - q[s]) > apart ? fabs(p[s] - q[s]) : apart;
    }
    b->inexact = b->inexact || (apart > 0.0 && apart <= SAME);
    return apart <= SAME;
}

/* Takes a node out of the table, and closes the gap behind it. */
static void forget(sonde__bounded *b, int32_t node) {
    const uint64_t mask = b->n_table - 1;
    uint64_t slot = b->node[node].hash & mask;
    while (b->table[slot] != node + 1) {
        slot = (slot + 1) & mask;
    }
    uint64_t gap = slot;
    for (slot = (slot + 1) & mask; b->table[slot] > 0; slot = (slot + 1) & mask) {
        const uint64_t home = b->node[b->table[slot] - 1].hash & mask;
        if (((slot - home) & mask) >= ((slot - gap) & mask)) {
            b->table[gap] = b->table[slot];
            gap = slot;
        }
    }
    b->table[gap] = 0;
}

/* ln(e^a + e^b) */
static double log_add(double a, double b) {
    const double most = a > b ? a : b;
    return most + sonde__log(1.0 + sonde__exp((a > b ? b : a) - most));
}

/* Adds the mass of a fresh prefix to one that is the same; the smaller G stands for both. */
static void merge(sonde__search *search, int32_t fresh, int32_t other) {
    sonde__bounded *b = &search->bounded;
    const double gamma = search->settings.gamma;
    sonde__prefix *x = &b->node[fresh];
    sonde__prefix *y = &b->node[other];
    const double key = b->open[y->heap].key;
    const double ahead = key - y->efe;
    const bool better = x->efe < y->efe;
    const double least = better ? x->efe : y->efe;
    y->extra = log_add(x->extra - gamma * (x->efe - least), y->extra - gamma * (y->efe - least));
    y->mass = log_add(x->mass, y->mass);
    if (better) {
        y->efe = x->efe;
        y->parent = x->parent;
        y->action = x->action;
        y->begin = x->begin;
        sonde__open entry = b->open[y->heap];
        entry.key = least + ahead;
        rise(b, y->heap, entry);
    }
}

/* ----------------------------------------------------------------------------------- search -- */

/* A node that nobody uses, and whether there are so many. */
static int32_t take(sonde__bounded *b) {
    return b->n_spare > 0 ? b->spare[--b->n_spare] : b->n_used++;
}

static bool has_room(const sonde__bounded *b, int32_t n) {
    return b->n_spare + (b->n_node - b->n_used) >= n + b->reserve;
}

/* ln of the number of policies that begin with a prefix. */
static double log_count(const sonde__search *search, int32_t depth, const int32_t *place) {
    const sonde_policies *policies = search->policies;
    double sum = 0.0;
    for (int32_t f = 0; f < policies->model->n_factor; f++) {
        const int64_t n_place = policies->place[f].n_place;
        sum +=
            sonde__log(search->bounded.count[f][(policies->horizon - depth) * n_place + place[f]]);
    }
    return sum;
}

/* The same as a whole number, saturating. */
static uint64_t count_below(const sonde_policies *policies, int32_t depth, const int32_t *place) {
    uint64_t n = 1;
    for (int32_t f = 0; f < policies->model->n_factor; f++) {
        const sonde_places *p = &policies->place[f];
        n = sonde__multiply(
            n, p->completion[(int64_t)(policies->horizon - depth) * p->n_place + place[f]]);
    }
    return n;
}

/* Puts a prefix, whose node is filled, among the open ones, or merges it; returns whether the node was
 * needed. */
static bool push(sonde__search *search, int32_t fresh) {
    sonde__bounded *b = &search->bounded;
    const sonde_model *model = search->policies->model;
    sonde__prefix *node = &b->node[fresh];
    const double *belief = b->belief + (int64_t)fresh * model->n_belief;
    const int32_t *place = b->place + (int64_t)fresh * model->n_factor;
    const double key = node->efe + sonde__bound_at(model, &b->bound, node->depth, belief);
    node->mass = log_count(search, node->depth, place) + node->extra - search->settings.gamma * key;
    node->hash = hash_of(model, node, belief, place);
    const uint64_t mask = b->n_table - 1;
    uint64_t slot = node->hash & mask;
    for (; b->table[slot] > 0; slot = (slot + 1) & mask) {
        if (is_same(b, model, fresh, b->table[slot] - 1)) {
            merge(search, fresh, b->table[slot] - 1);
            return false;
        }
    }
    b->table[slot] = fresh + 1;
    const sonde__open entry = {.key = key, .order = b->n_pushed++, .node = fresh};
    rise(b, b->n_open++, entry);
    return true;
}

/* A leaf that may be the best policy: smaller G, or as small and earlier. */
static void offer(sonde__bounded *b, double efe, int32_t record, int32_t action, uint64_t index) {
    const double tie = 1e-12 * (1.0 + fabs(efe));
    if (efe < b->best_efe - tie || (efe <= b->best_efe + tie && index < b->best_index)) {
        b->best_efe = efe;
        b->best_record = record;
        b->best_action = action;
        b->best_index = index;
    }
}

/* All policies that complete a prefix of T - 1 steps: their mass, and perhaps the best of all. */
static void complete(sonde__search *search, const sonde__prefix *node, int32_t record, int32_t n) {
    sonde__bounded *b = &search->bounded;
    const sonde_policies *policies = search->policies;
    const int32_t horizon = policies->horizon;
    const double *sum = b->fan.sum + (int64_t)horizon * policies->model->n_action;
    const double gamma = search->settings.gamma;
    const bool numbered = policies->n_policy < UINT64_MAX;
    for (int32_t child = 0; child < n; child++) {
        const double efe = node->efe + sum[child];
        const int32_t action = sonde__fan_action(&b->fan, horizon, child);
        const int32_t first = horizon == 1 ? action : node->first;
        const uint64_t index = numbered ? node->begin + (uint64_t)child : SONDE__UNNUMBERED;
        offer(b, efe, record, action, index);
        const sonde__block block = {.action = first, .n = 1, .first = index, .efe = &efe};
        sonde__posterior_add(&search->posterior, &block);
        if (node->extra > 0.0) {
            /* other prefixes came here, too, with larger G */
            sonde__posterior *p = &search->posterior;
            p->mass[first - p->begin] +=
                (sonde__exp(node->extra) - 1.0) * sonde__exp(gamma * (p->least - efe));
        }
    }
}

/* Opens all children of a prefix. */
static void branch(sonde__search *search, const sonde__prefix *node, int32_t record, int32_t n) {
    sonde__bounded *b = &search->bounded;
    const sonde_policies *policies = search->policies;
    const sonde_model *model = policies->model;
    const int32_t t = node->depth + 1;
    const double *sum = b->fan.sum + (int64_t)t * model->n_action;
    const bool numbered = policies->n_policy < UINT64_MAX;
    uint64_t begin = node->begin;
    for (int32_t child = 0; child < n; child++) {
        const int32_t fresh = take(b);
        int32_t *place = b->place + (int64_t)fresh * model->n_factor;
        const int32_t action = sonde__fan_child(
            &b->fan, t, child, b->belief + (int64_t)fresh * model->n_belief, place);
        b->node[fresh] = (sonde__prefix){.efe = node->efe + sum[child],
                                         .extra = node->extra,
                                         .depth = t,
                                         .first = t == 1 ? action : node->first,
                                         .parent = record,
                                         .action = action,
                                         .begin = begin};
        begin += numbered ? count_below(policies, t, place) : 0;
        if (!push(search, fresh)) {
            b->spare[b->n_spare++] = fresh;
        }
    }
}

/* Expands the open prefix with the least key; false when memory is full. */
static bool expand(sonde__search *search) {
    sonde__bounded *b = &search->bounded;
    const sonde_model *model = search->policies->model;
    const int32_t id = b->open[0].node;
    const sonde__prefix node = b->node[id];
    const int32_t t = node.depth + 1;
    if (b->n_record + b->reserve >= b->n_node || !has_room(b, model->n_action)) {
        return false;
    }
    const int32_t n =
        sonde__fan_open(&b->fan, &b->outlook, t, b->belief + (int64_t)id * model->n_belief,
                        b->place + (int64_t)id * model->n_factor);
    const int32_t record = b->n_record++;
    b->record[record] = (sonde__record){.parent = node.parent, .action = node.action};
    (void)pop(b);
    forget(b, id);
    b->spare[b->n_spare++] = id;
    search->decision.evaluations.n_step += (uint64_t)n;
    if (t == search->policies->horizon) {
        complete(search, &node, record, n);
    } else {
        branch(search, &node, record, n);
    }
    return true;
}

/* What is not known of the posterior: R / (F + R), R afresh and a little too large. */
static double find_tv(const sonde__search *search, double *log_rest) {
    const sonde__bounded *b = &search->bounded;
    const sonde__posterior *posterior = &search->posterior;
    double most = -INFINITY;
    double sum = 0.0;
    for (int32_t i = 0; i < b->n_open; i++) {
        const double mass = b->node[b->open[i].node].mass;
        most = mass > most ? mass : most;
    }
    for (int32_t i = 0; i < b->n_open; i++) {
        sum += sonde__exp(b->node[b->open[i].node].mass - most);
    }
    *log_rest = b->n_open > 0 ? most + sonde__log(sum) + 1e-9 : -INFINITY;
    const double total = sonde__posterior_total(posterior);
    if (b->n_open == 0) {
        return 0.0;
    }
    if (!(total > 0.0)) {
        return 1.0;
    }
    const double log_found = sonde__log(total) - posterior->gamma * posterior->least;
    return 1.0 / (1.0 + sonde__exp(log_found - *log_rest));
}

/* How much merging beliefs that are not quite the same can have changed, in total variation. */
static double merging_error(const sonde__search *search) {
    const sonde_model *model = search->policies->model;
    if (!search->bounded.inexact) {
        return 0.0;
    }
    double steepest = 0.0;
    for (int32_t m = 0; m < model->n_modality; m++) {
        const sonde_modality *modality = &model->modality[m];
        double most = 0.0;
        for (int32_t o = 0; o < model->n_step_C * modality->n_outcome; o++) {
            const double cost = model->lambda * modality->cost[o % modality->n_outcome];
            /* of the logarithm's floor twice: outcomes' own entropy, and ambiguity, which is less */
            const double slope = 2.0 * 38.0 + fabs(modality->preference[o]) + fabs(cost);
            most = slope > most ? slope : most;
        }
        steepest += most;
    }
    const double horizon = (double)model->horizon;
    const double apart = SAME * (double)model->n_belief;
    return 2.0 * search->settings.gamma * horizon * horizon * steepest * apart;
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
static void begin(sonde__search *search, int32_t origin, const double *belief) {
    sonde__bounded *b = &search->bounded;
    const sonde_policies *policies = search->policies;
    const sonde_model *model = policies->model;
    /* what the last decision left open goes; nothing else is touched, however much room there is */
    for (int32_t i = 0; i < b->n_open; i++) {
        forget(b, b->open[i].node);
    }
    b->n_open = b->n_record = b->n_spare = 0;
    b->n_used = 1;
    b->n_pushed = 0;
    b->reserve = 2 * (model->n_action + 1) * (policies->horizon + 1);
    b->inexact = false;
    b->best_efe = INFINITY;
    b->best_index = UINT64_MAX;
    sonde__outlook_start(&b->outlook, policies, origin, belief);
    b->node[0] = (sonde__prefix){.first = -1, .parent = -1, .action = -1};
    memcpy(b->belief, belief, (size_t)model->n_belief * sizeof *belief);
    for (int32_t f = model->n_factor - 1; f >= 0; f--) {
        b->place[f] = origin % policies->place[f].n_place;
        origin /= policies->place[f].n_place;
    }
    (void)push(search, 0);
}

/* The best policy found, from its last record back. */
static void trace(const sonde__bounded *b, int32_t horizon, int32_t origin, int32_t *walk) {
    int32_t record = b->best_record;
    walk[0] = origin;
    walk[horizon] = b->best_action;
    for (int32_t t = horizon - 1; t >= 1; t--) {
        walk[t] = b->record[record].action;
        record = b->record[record].parent;
    }
}

/* What has been reached. */
static void certify(sonde__search *search, double tv, double log_rest, const char *reason) {
    const sonde__bounded *b = &search->bounded;
    const sonde__posterior *p = &search->posterior;
    const double tie = 1e-12 * (1.0 + fabs(b->best_efe));
    const double least = b->n_open > 0 ? b->open[0].key : INFINITY;
    const double rest = sonde__exp(log_rest + p->gamma * p->least);
    double first = 0.0;
    double second = 0.0;
    for (int32_t a = 0; a < p->end - p->begin; a++) {
        const double mass = p->mass[a];
        second = mass > first ? first : mass > second ? mass : second;
        first = mass > first ? mass : first;
    }
    search->decision.certificate = (sonde_certificate){
        .given = true,
        .tv = tv,
        .best_is_optimal = b->best_efe <= least + tie,
        .gap = b->best_efe <= least + tie ? 0.0 : b->best_efe - least,
        .action_is_exact = first > second + rest || b->n_open == 0,
        .stopped = reason,
    };
}

/* Goes straight down from the best of the longest prefixes until some policy is complete, which takes at most
 * T more steps: an answer with an honest certificate is better than none. */
static void finish_one(sonde__search *search) {
    sonde__bounded *b = &search->bounded;
    b->reserve = 0;
    while (search->posterior.n_policy == 0) {
        int32_t chosen = 0;
        for (int32_t i = 1; i < b->n_open; i++) {
            const int32_t depth = b->node[b->open[i].node].depth;
            const int32_t deepest = b->node[b->open[chosen].node].depth;
            const bool better = is_before(&b->open[i], &b->open[chosen]);
            chosen = depth > deepest || (depth == deepest && better) ? i : chosen;
        }
        sonde__open entry = b->open[chosen];
        entry.key = -INFINITY;
        rise(b, chosen, entry);
        (void)expand(search);
    }
}

sonde_status sonde__bounded_model_score(sonde__search *search, int32_t origin,
                                        const double *belief) {
    sonde__bounded *b = &search->bounded;
    const double began = sonde__seconds();
    uint64_t n_expanded = 0;
    uint64_t next_check = FIRST_CHECK;
    double log_rest = 0.0;
    double tv = 1.0;
    const char *reason = NULL;
    begin(search, origin, belief);
    while (b->n_open > 0 && reason == NULL) {
        if (!expand(search)) {
            reason = "memory";
            break;
        }
        reason = find_reason(search, began);
        if (++n_expanded >= next_check) {
            next_check = n_expanded + n_expanded / 10 + 1;
            tv = find_tv(search, &log_rest) + merging_error(search);
            /* certain enough, once every key that ties with the best has been looked at */
            const double tie = 1e-12 * (1.0 + fabs(b->best_efe));
            if (tv <= search->settings.epsilon &&
                (b->n_open == 0 || b->open[0].key > b->best_efe + tie)) {
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
    tv = find_tv(search, &log_rest) + merging_error(search);
    certify(search, tv < 1.0 ? tv : 1.0, log_rest, reason);
    trace(b, search->policies->horizon, origin, search->best_walk);
    return SONDE_OK;
}

/* infinite_vectors.c: what bounds the value of a belief, whichever it is.
 *
 *     below   with kappa H added, planning is a problem with linear cost; its value where states
 *             are seen, and from that its fast informed bound. W is concave, so where a belief is a
 *             share phi of another whose W is known and something else, W is at least phi of the
 *             one and the fast informed bound of the other.
 *     above   the largest cost of a step for ever; doing one thing for ever; and the vectors of
 *             plans that trials have found.
 *
 * Iterations begin beyond what they approach, so that they can stop at any time. A guess remembers
 * what it has asked, so that every vector and every point is asked once. */
#include <string.h>

#include "base/clock.h"
#include "base/numbers.h"
#include "base/status.h"
#include "base/vector.h"
#include "closed/infinite.h"

/* what an iteration may still be away from its end, relative to the largest cost */
#define CLOSE 1e-8
#define SWEEPS_MOST 20000
/* additions that the fast informed bound takes, unless 20 sweeps take more */
#define FAST_MOST 4e8
/* a list is dense where this many times its length is the block's */
enum { DENSE = 4, CHUNK = 32 };

/* Whether set-up has to stop. */
static bool hurries(const sonde__infinite *all) {
    const bool late = all->until > 0.0 && sonde__seconds() > all->until;
    return sonde__stopped(&all->run) || (late && all->setup.moved);
}

static bool may(const sonde__infinite *all, int32_t state, int32_t u) {
    const sonde__joint *world = all->world;
    return world->prior[u] > 0.0 &&
           (world->allowed == NULL || world->allowed[(int64_t)state * world->n_action + u]);
}

/* ---------------------------------------------------------------------------------- one step -- */

/* What a step costs, by places. */
static void set_steps(sonde__infinite *all) {
    const sonde__joint *world = all->world;
    const double one = 1.0;
    const int64_t n = (int64_t)world->n_state * world->n_action;
    all->most = -(double)INFINITY;
    for (int64_t i = 0; i < n; i++) {
        const int32_t s = all->member[i / world->n_action];
        const int32_t u = (int32_t)(i % world->n_action);
        const int64_t from = (int64_t)s * world->n_action + u;
        double linear = world->charge[from];
        double spread = 0.0;
        for (int64_t k = world->offset[from]; k < world->offset[from + 1]; k++) {
            const double p = world->p[k];
            linear += p * world->price[sonde__joint_at(world, world->next[k], u)];
            spread -= p > 1e-300 ? p * sonde__log(p) : 0.0;
        }
        all->linear[i] = linear - world->kappa * spread;
        if (all->step != all->linear) {
            const sonde__support known = {.n = 1, .state = &s, .p = &one};
            sonde__prospect_predict(world, known, u, 0, &all->outlook);
            all->step[i] = all->outlook.efe;
        }
        all->most = may(all, s, u) && all->step[i] > all->most ? all->step[i] : all->most;
    }
    all->n_step += all->step != all->linear ? (uint64_t)n : 0;
    /* a mixture of actions as E has them costs nothing extra, unless some are not allowed */
    const bool soft = all->backup.kind == SONDE_BACKUP_FREE_ENERGY && all->backup.gamma > 0.0;
    const double excess = soft && world->allowed != NULL
                              ? 0.0 - sonde__log(all->backup.least) / all->backup.gamma
                              : 0.0;
    all->most = (all->most + excess) / (1.0 - all->discount);
}

/* -------------------------------------------------------------------------------- lower side -- */

/* The largest cost, and what a sweep may change in the end. */
static double largest(const sonde__infinite *all) {
    double most = 0.0;
    for (int64_t i = 0; i < (int64_t)all->world->n_state * all->world->n_action; i++) {
        most = fabs(all->linear[i]) > most ? fabs(all->linear[i]) : most;
    }
    return most;
}

static double after_state(const sonde__infinite *all, const double *value, int32_t s, int32_t u) {
    const sonde__joint *world = all->world;
    const int64_t from = (int64_t)s * world->n_action + u;
    double sum = 0.0;
    for (int64_t k = world->offset[from]; k < world->offset[from + 1]; k++) {
        sum += world->p[k] * value[all->at[world->next[k]]];
    }
    return sum;
}

/* What doing u in a state comes to, that costs so much, if it is done again whenever it leads to
 * the same state: the value of `value` there does not matter, and loops take no sweeps. */
static double cost_until(const sonde__infinite *all, const double *value, int32_t s, int32_t u,
                         double cost) {
    const sonde__joint *world = all->world;
    const int64_t from = (int64_t)s * world->n_action + u;
    double sum = 0.0;
    double again = 0.0;
    for (int64_t k = world->offset[from]; k < world->offset[from + 1]; k++) {
        const double p = world->p[k];
        again += world->next[k] == s ? p : 0.0;
        sum += world->next[k] == s ? 0.0 : p * value[all->at[world->next[k]]];
    }
    return (cost + all->discount * sum) / (1.0 - all->discount * again);
}

/* The value of a state that is seen, from those of others; `otherwise` where nothing is allowed. */
static double value_seen(const sonde__infinite *all, int64_t at, double otherwise) {
    const sonde__joint *world = all->world;
    const int32_t n = world->n_action;
    const int32_t s = all->member[at];
    const bool least = all->backup.kind == SONDE_BACKUP_MIN;
    double best = (double)INFINITY;
    bool any = false;
    for (int32_t u = 0; u < n; u++) {
        const bool legal = may(all, s, u);
        const double cost = all->linear[at * n + u];
        any = any || legal;
        if (least && legal) {
            const double x = cost_until(all, all->value, s, u, cost);
            best = x < best ? x : best;
        } else if (!least) {
            all->prior[u] = legal ? world->prior[u] : 0.0;
            all->each[u] = legal ? cost + all->discount * after_state(all, all->value, s, u) : 0.0;
        }
    }
    if (!any) {
        return otherwise;
    }
    return least ? best : sonde__backup_value(&all->backup, n, all->prior, all->each);
}

/* One sweep over states that are seen, in one direction, which lowers values; the largest
 * change. */
static double sweep_states(sonde__infinite *all, bool back, double floor) {
    const int64_t n = all->world->n_state;
    double change = 0.0;
    all->setup.moved = true;
    for (int64_t i = 0; i < n; i++) {
        const int64_t at = back ? n - 1 - i : i;
        const double value = value_seen(all, at, floor);
        const double fall = all->value[at] - value;
        change = fall > change ? fall : change;
        all->value[at] = fall > 0.0 ? value : all->value[at];
    }
    return change;
}

/* What the best that can be done after each outcome is worth, summed. */
static double informed(sonde__infinite *all, int32_t s, int32_t u) {
    const sonde__joint *world = all->world;
    const int32_t n = world->n_action;
    const int64_t from = (int64_t)s * n + u;
    int32_t n_touched = 0;
    double sum = 0.0;
    for (int64_t k = world->offset[from]; k < world->offset[from + 1]; k++) {
        const int32_t to = world->next[k];
        const double *fast = all->fast + all->at[to] * n;
        const int64_t at = sonde__joint_at(world, to, u);
        for (int64_t e = world->sees[at]; e < world->sees[at + 1]; e++) {
            const double q = world->p[k] * world->seen_p[e];
            double *row = all->gather + (int64_t)world->seen[e] * n;
            if (!(q > 0.0)) {
                continue;
            }
            if (all->weight[world->seen[e]] == 0.0) {
                all->touched[n_touched++] = world->seen[e];
                memset(row, 0, (size_t)n * sizeof *row);
            }
            all->weight[world->seen[e]] += q;
            for (int32_t v = 0; v < n; v++) {
                row[v] += q * fast[v];
            }
        }
    }
    for (int32_t i = 0; i < n_touched; i++) {
        const int32_t tuple = all->touched[i];
        sum += sonde__fast_value(all, all->gather + (int64_t)tuple * n, all->weight[tuple]);
        all->weight[tuple] = 0.0;
    }
    return sum;
}

static double sweep_fast(sonde__infinite *all, bool back) {
    const sonde__joint *world = all->world;
    const int64_t n = world->n_action;
    double change = 0.0;
    all->setup.moved = true;
    for (int64_t i = 0; i < world->n_state; i++) {
        const int64_t at = back ? world->n_state - 1 - i : i;
        for (int64_t u = 0; u < n; u++) {
            if (!(world->prior[u] > 0.0)) {
                continue;
            }
            const double value = all->linear[at * n + u] +
                                 all->discount * informed(all, all->member[at], (int32_t)u);
            double *to = &all->fast[at * n + u];
            change = value - *to > change ? value - *to : change;
            *to = value > *to ? value : *to;
        }
    }
    return change;
}

/* Whether every action leads to one state: then outcomes tell nothing of the future that who sees
 * states does not know, and the fast informed bound is theirs. */
static bool is_certain(const sonde__joint *world) {
    const int64_t n = (int64_t)world->n_state * world->n_action;
    return world->offset[n] == n;
}

/* What no cost of a step, or sum of them, is below or above. */
typedef struct {
    double least;
    double most;
} ends;
static ends find_ends(const sonde__infinite *all) {
    const int64_t n = all->world->n_action;
    ends e = {.least = (double)INFINITY, .most = -(double)INFINITY};
    for (int64_t i = 0; i < all->world->n_state * n; i++) {
        if (may(all, all->member[i / n], (int32_t)(i % n))) {
            e.least = all->linear[i] < e.least ? all->linear[i] : e.least;
            e.most = all->linear[i] > e.most ? all->linear[i] : e.most;
        }
    }
    return (ends){e.least / (1.0 - all->discount), e.most / (1.0 - all->discount)};
}

/* Values where states are seen, from above: where the best is to get somewhere, they are there as
 * soon as they have come through. With `change` of the last sweep every value is at most what one
 * more step makes it, and discount times that; so by discount / (1 - discount) times that lower,
 * all of them are below what they approach. */
static void make_values(sonde__infinite *all, double close) {
    const ends e = find_ends(all);
    const int64_t n = all->world->n_state;
    if (all->setup.n_sweep == 0) {
        const double excess =
            all->backup.kind == SONDE_BACKUP_FREE_ENERGY && all->backup.gamma > 0.0
                ? 0.0 - sonde__log(all->backup.least) / all->backup.gamma / (1.0 - all->discount)
                : 0.0;
        for (int64_t at = 0; at < n; at++) {
            all->value[at] = e.most + excess;
        }
        all->setup.change = (double)INFINITY;
    }
    while (all->setup.change > close && all->setup.n_sweep < SWEEPS_MOST && !hurries(all)) {
        all->setup.change = sweep_states(all, all->setup.n_sweep++ % 2 == 0, e.least);
    }
    all->setup.seen = all->setup.change <= close || all->setup.n_sweep == SWEEPS_MOST;
    double largest_value = fabs(e.least) * (1.0 - all->discount);
    for (int64_t at = 0; at < n; at++) {
        largest_value = fabs(all->value[at]) > largest_value ? fabs(all->value[at]) : largest_value;
    }
    const bool soft = all->backup.kind == SONDE_BACKUP_FREE_ENERGY;
    const double rounding =
        1e-15 * largest_value +
        (soft ? sonde__backup_digits(all->backup.gamma, all->world->n_action) : 0.0);
    const double below = (all->discount * all->setup.change + rounding) / (1.0 - all->discount);
    for (int64_t at = 0; at < n; at++) {
        const double value = all->value[at] - below;
        all->part[at] = value > e.least ? value : e.least;
    }
}

static void make_lower(sonde__infinite *all) {
    const sonde__joint *world = all->world;
    const int64_t n = world->n_action;
    const double close = CLOSE * (1.0 + largest(all)) * (1.0 - all->discount) / all->discount;
    if (!all->setup.seen) {
        make_values(all, close);
        for (int64_t i = 0; i < world->n_state * n; i++) {
            all->fast[i] =
                all->linear[i] +
                all->discount * after_state(all, all->part, all->member[i / n], (int32_t)(i % n));
        }
    }
    const double sums = (double)world->offset[world->n_state * n] * (double)n * 1.5;
    const double sweeps = FAST_MOST / sums > 20.0 ? FAST_MOST / sums : 20.0;
    all->setup.informed = all->setup.informed || is_certain(world);
    while (!all->setup.informed && !hurries(all)) {
        const double change = sweep_fast(all, all->setup.n_fast++ % 2 == 1);
        all->setup.informed =
            change <= close || all->setup.n_fast == SWEEPS_MOST || all->setup.n_fast >= sweeps;
    }
}

/* -------------------------------------------------------------------------------- upper side -- */

/* What doing u costs beyond G where the backup is soft. */
static double excess_of(const sonde__infinite *all, int32_t u) {
    const bool soft = all->backup.kind == SONDE_BACKUP_FREE_ENERGY && all->backup.gamma > 0.0;
    return soft ? 0.0 - sonde__log(all->world->prior[u]) / all->backup.gamma : 0.0;
}

/* Doing u for ever, where the agent believes what it likes. */
static void make_blind(sonde__infinite *all, int32_t u) {
    const sonde__joint *world = all->world;
    const int64_t n = world->n_action;
    const double excess = excess_of(all, u);
    const double close = CLOSE * (1.0 + largest(all)) * (1.0 - all->discount) / all->discount;
    double *value = all->blind + (int64_t)u * world->n_state;
    double change = world->prior[u] > 0.0 ? (double)INFINITY : 0.0;
    for (int32_t i = 0; change > close && i < SWEEPS_MOST && !hurries(all); i++) {
        change = 0.0;
        all->setup.moved = true;
        for (int64_t k = 0; k < world->n_state; k++) {
            const int64_t at = i % 2 == 0 ? world->n_state - 1 - k : k;
            const int32_t s = all->member[at];
            const double x = may(all, s, u)
                                 ? cost_until(all, value, s, u, all->step[at * n + u] + excess)
                                 : (double)INFINITY;
            change = value[at] - x > change ? value[at] - x : change;
            value[at] = x;
        }
    }
    all->setup.n_blind += change <= close || !hurries(all);
}

static void begin_blind(sonde__infinite *all) {
    const int64_t n = all->world->n_state;
    for (int64_t i = 0; i < n * all->world->n_action; i++) {
        const int32_t u = (int32_t)(i / n);
        all->blind[i] = all->world->prior[u] > 0.0
                            ? all->most + excess_of(all, u) / (1.0 - all->discount)
                            : (double)INFINITY;
    }
}

void sonde__vectors_prepare(sonde__infinite *all, bool anew) {
    const sonde__joint *world = all->world;
    if (anew) {
        all->setup = (sonde__setup){0};
        set_steps(all);
        begin_blind(all);
    }
    all->setup.moved = false;
    make_lower(all);
    const bool blind = all->backup.kind == SONDE_BACKUP_MIN || all->backup.gamma > 0.0;
    while (blind && all->setup.n_blind < world->n_action && !hurries(all)) {
        make_blind(all, all->setup.n_blind);
    }
    all->setup.complete =
        all->setup.seen && all->setup.informed && (!blind || all->setup.n_blind == world->n_action);
}

sonde__vector *sonde__vectors_new(sonde__infinite *all, int32_t block, int32_t action, bool tight) {
    sonde__patch *to = &all->block[block];
    sonde__vector *vector = sonde__infinite_take(all, 1, sizeof *vector);
    double *value =
        vector != NULL ? sonde__infinite_take(all, (uint64_t)to->n, sizeof *value) : NULL;
    if (value == NULL) {
        return NULL;
    }
    *vector = (sonde__vector){.action = action, .mark = -1, .tight = tight, .value = value};
    return vector;
}

void sonde__vectors_append(sonde__infinite *all, int32_t block, sonde__vector *vector) {
    sonde__patch *to = &all->block[block];
    *(to->vector == NULL ? &to->vector : &to->last_vector->next) = vector;
    to->last_vector = vector;
    all->n_found++;
}

/* Whether a vector is nowhere below another of its block. */
static bool is_useless(const sonde__patch *block, const double *value) {
    for (const sonde__vector *other = block->vector; other != NULL; other = other->next) {
        int32_t i = 0;
        while (i < block->n && !(value[i] < other->value[i])) {
            i++;
        }
        if (i == block->n) {
            return true;
        }
    }
    return false;
}

bool sonde__vectors_begin(sonde__infinite *all, int32_t block) {
    sonde__patch *to = &all->block[block];
    const sonde__joint *world = all->world;
    if (to->vector != NULL) {
        return true;
    }
    sonde__vector *flat = sonde__vectors_new(all, block, -1, false);
    for (int32_t i = 0; flat != NULL && i < to->n; i++) {
        flat->value[i] = all->most;
    }
    if (flat != NULL) {
        flat->n_held = 1;
        sonde__vectors_append(all, block, flat);
    }
    const bool blind = all->backup.kind == SONDE_BACKUP_MIN || all->backup.gamma > 0.0;
    for (int32_t u = 0; flat != NULL && blind && u < world->n_action; u++) {
        const double *value = all->blind + (int64_t)u * world->n_state + to->first;
        if (world->prior[u] > 0.0 && !is_useless(to, value)) {
            flat = sonde__vectors_new(all, block, u, false);
            if (flat != NULL) {
                memcpy(flat->value, value, (size_t)to->n * sizeof *value);
                flat->n_held = 1;
                sonde__vectors_append(all, block, flat);
            }
        }
    }
    return flat != NULL;
}

/* ----------------------------------------------------------------------------------- beliefs -- */

sonde__local sonde__local_of(sonde__infinite *all, sonde__support belief) {
    const int32_t number = all->block_of[belief.state[0]];
    const sonde__patch *block = &all->block[number];
    sonde__local local = {.block = number, .n = belief.n, .p = all->spread};
    const bool dense = all->world->allowed == NULL && (int64_t)belief.n * DENSE >= block->n;
    if (dense) {
        local.n = block->n;
        memset(all->spread, 0, (size_t)block->n * sizeof *all->spread);
        for (int32_t i = 0; i < belief.n; i++) {
            all->spread[all->at[belief.state[i]] - block->first] = belief.p[i];
        }
        return local;
    }
    for (int32_t i = 0; i < belief.n; i++) {
        all->places[i] = (int32_t)(all->at[belief.state[i]] - block->first);
        all->spread[i] = belief.p[i];
    }
    local.at = all->places;
    return local;
}

sonde__support sonde__local_support(const sonde__infinite *all, sonde__local belief) {
    const int32_t *member = all->member + all->block[belief.block].first;
    int32_t n = 0;
    for (int32_t i = 0; i < belief.n; i++) {
        all->state[n] = member[belief.at != NULL ? belief.at[i] : i];
        all->p[n] = belief.p[i];
        n += belief.p[i] > 0.0;
    }
    return (sonde__support){.n = n, .state = all->state, .p = all->p};
}

double sonde__local_entropy(const sonde__infinite *all, sonde__local belief) {
    if (all->world->kappa == 0.0) {
        return 0.0;
    }
    const sonde__support list = {.n = belief.n, .state = belief.at, .p = belief.p};
    return all->world->kappa * sonde__support_entropy(list);
}

SONDE__VECTOR
static double dot(const double *a, const double *b, int32_t n) {
    sonde__eight sum = {0.0};
    int32_t i = 0;
    for (; i + SONDE__EIGHT <= n; i += SONDE__EIGHT) {
        sonde__eight x;
        sonde__eight y;
        memcpy(&x, a + i, sizeof x);
        memcpy(&y, b + i, sizeof y);
        sum += x * y;
    }
    double rest = 0.0;
    for (; i < n; i++) {
        rest += a[i] * b[i];
    }
    return ((sum[0] + sum[4]) + (sum[1] + sum[5])) + ((sum[2] + sum[6]) + (sum[3] + sum[7])) + rest;
}

double sonde__local_dot(sonde__local belief, const double *vector) {
    if (belief.at == NULL) {
        return dot(belief.p, vector, belief.n);
    }
    double sum = 0.0;
    for (int32_t i = 0; i < belief.n; i++) {
        sum += belief.p[i] * vector[belief.at[i]];
    }
    return sum;
}

double sonde__fast_value(const sonde__infinite *all, const double *fast, double mass) {
    const sonde__joint *world = all->world;
    const int32_t n = world->n_action;
    if (all->backup.kind == SONDE_BACKUP_MIN) {
        double least = (double)INFINITY;
        for (int32_t u = 0; u < n; u++) {
            least = world->prior[u] > 0.0 && fast[u] < least ? fast[u] : least;
        }
        return least;
    }
    for (int32_t u = 0; mass > 0.0 && u < n; u++) {
        all->each[u] = fast[u] / mass;
    }
    return mass > 0.0 ? mass * (sonde__backup_value(&all->backup, n, world->prior, all->each) -
                                sonde__backup_digits(all->backup.gamma, n))
                      : 0.0;
}

SONDE__VECTOR
static void weigh(sonde__local belief, const double *table, int32_t n, double *sum) {
    memset(sum, 0, (size_t)n * sizeof *sum);
    for (int32_t i = 0; i < belief.n; i++) {
        const double p = belief.p[i];
        const double *row = table + (int64_t)(belief.at != NULL ? belief.at[i] : i) * n;
        for (int32_t u = 0; p > 0.0 && u < n; u++) {
            sum[u] += p * row[u];
        }
    }
}

void sonde__fast_weigh(const sonde__infinite *all, sonde__local belief, double *fast) {
    const int32_t n = all->world->n_action;
    weigh(belief, all->fast + all->block[belief.block].first * n, n, fast);
}

/* ----------------------------------------------------------------------------------- guesses -- */

/* The least of b / c where c is not 0, or anything up to `enough`. */
SONDE__VECTOR
static double dense_share(const double *b, const double *c, int32_t n, double enough) {
    double least = 1.0;
    for (int32_t i = 0; i < n && least > enough; i += CHUNK) {
        const int32_t end = i + CHUNK < n ? i + CHUNK : n;
        double part[CHUNK];
        for (int32_t k = i; k < end; k++) {
            part[k - i] = b[k] < c[k] ? b[k] / c[k] : 1.0;
        }
        for (int32_t k = 0; k < end - i; k++) {
            least = part[k] < least ? part[k] : least;
        }
    }
    return least;
}

static double share_of(sonde__local b, sonde__local c, double enough) {
    if (b.at == NULL && c.at == NULL) {
        return dense_share(b.p, c.p, b.n, enough);
    }
    if (c.at == NULL || (b.at != NULL && c.n > b.n)) {
        return 0.0; /* it thinks more possible */
    }
    double least = 1.0;
    int32_t j = 0;
    for (int32_t i = 0; i < c.n && least > enough; i++) {
        while (b.at != NULL && j < b.n && b.at[j] < c.at[i]) {
            j++;
        }
        const bool has = b.at == NULL || (j < b.n && b.at[j] == c.at[i]);
        const double p = !has ? 0.0 : b.at == NULL ? b.p[c.at[i]] : b.p[j];
        least = p < least * c.p[i] ? p / c.p[i] : least;
    }
    return least;
}

/* Raises what W of a belief is at least by what is known of another. */
static void raise(sonde__infinite *all, const sonde__view *view, const sonde__site *spot,
                  double *W) {
    const double gain = spot->said - spot->base;
    const double needed = *W - view->base;
    if (!(gain > needed)) {
        return;
    }
    const double share = share_of(view->belief, spot->belief, needed / gain);
    if (share * gain > needed) {
        for (int32_t u = 0; u < all->world->n_action; u++) {
            all->rest[u] = view->fast[u] - share * spot->fast[u];
        }
        const double x = share * spot->said + sonde__fast_value(all, all->rest, 1.0 - share);
        *W = x > *W ? x : *W;
    }
}

static void ask_points(sonde__infinite *all, sonde__view *view, sonde__guess *guess) {
    const sonde__patch *block = &all->block[view->belief.block];
    const bool first = guess->lower == -(double)INFINITY;
    const sonde__known *known = guess->seen != NULL ? guess->seen->next : block->known;
    if (known == NULL && !first) {
        return;
    }
    if (view->fast == NULL) {
        sonde__fast_weigh(all, view->belief, all->quick);
        view->fast = all->quick;
        view->base = sonde__fast_value(all, view->fast, 1.0);
    }
    double W = guess->lower + view->entropy;
    W = view->base > W ? view->base : W;
    for (const sonde__site *spot = first ? block->told : NULL; spot != NULL; spot = spot->told) {
        raise(all, view, spot, &W);
    }
    for (; !first && known != NULL; known = known->next) {
        raise(all, view, known->spot, &W);
    }
    guess->seen = block->last_known;
    const double lower = W - view->entropy;
    const double wide = lower - SONDE__BOUND_WIDENING * (1.0 + fabs(lower));
    guess->lower = wide > guess->lower ? wide : guess->lower;
}

static void ask_vectors(sonde__infinite *all, const sonde__view *view, sonde__guess *guess) {
    const sonde__patch *block = &all->block[view->belief.block];
    sonde__vector *vector = guess->scanned != NULL ? guess->scanned->next : block->vector;
    for (; vector != NULL; vector = vector->next) {
        guess->scanned = vector;
        if (vector->n_held == 0) {
            continue;
        }
        const double x = sonde__local_dot(view->belief, vector->value);
        if (guess->best[vector->tight] == NULL || x < guess->least[vector->tight]) {
            guess->best[vector->tight] = vector;
            guess->least[vector->tight] = x;
            const double upper = x - (vector->tight ? view->entropy : 0.0);
            const double wide = upper + SONDE__BOUND_WIDENING * (1.0 + fabs(upper));
            guess->tight = wide < guess->upper ? vector->tight : guess->tight;
            guess->upper = wide < guess->upper ? wide : guess->upper;
        }
    }
}

void sonde__guess_improve(sonde__infinite *all, sonde__view *view, sonde__guess *guess) {
    ask_vectors(all, view, guess);
    ask_points(all, view, guess);
    guess->upper = sonde__infinite_above(all, guess->lower, guess->upper);
}

/* closed_bounds.c: vectors between which the value of every belief lies (docs/closed-loop.md).
 *
 *     lower   V(b) >= min_u b . alpha_u - kappa H(b): with kappa H added, planning is a problem
 *             with linear cost c = a + B'ce - kappa h, and alpha is its fast informed bound
 *     upper   V(b) <= b . alpha: G is convex in b, so a step costs at most what it costs on average
 *             where the state is known, and a contingent plan is a vector
 *
 * Upper vectors are made at points: beliefs along trajectories from the root and, where there are
 * few states, each of these for certain. */
#include <string.h>

#include "base/numbers.h"
#include "base/vector.h"
#include "closed/closed_internal.h"

/* states that all become points */
#define CORNERS_MOST 64
/* points that are the same */
#define SAME 1e-9
/* what rounding can change a bound by, relative */
#define WIDENING 1e-12

static int32_t n_corner(const sonde__joint *world) {
    return world->n_state <= CORNERS_MOST ? world->n_state : 0;
}

void sonde__bounds_carve(sonde__arena *arena, sonde__bounds *b) {
    const sonde__joint *world = b->world;
    const uint64_t n_state = (uint64_t)world->n_state;
    const uint64_t n_action = (uint64_t)world->n_action;
    const uint64_t n_table = sonde__multiply((uint64_t)world->n_row, n_state * n_action);
    b->n_most = world->allowed != NULL ? 0 : b->n_trail + n_corner(world);
    const uint64_t n_most = (uint64_t)b->n_most;
    b->step = SONDE__TAKE(arena, double, n_table);
    b->linear = SONDE__TAKE(arena, double, n_table);
    b->most = SONDE__TAKE(arena, double, (uint64_t)world->horizon + 1);
    b->layer = SONDE__TAKE(arena, sonde__layer, world->horizon);
    for (int32_t d = 0; d < world->horizon; d++) {
        sonde__layer none;
        sonde__layer *layer = b->layer != NULL ? &b->layer[d] : &none;
        layer->lower = SONDE__TAKE(arena, double, n_state *n_action);
        layer->upper = SONDE__TAKE(arena, double, sonde__multiply(n_state * n_action, n_most));
        layer->value = SONDE__TAKE(arena, double, sonde__multiply(n_state, n_most));
        layer->point = SONDE__TAKE(arena, sonde__anchor, n_most);
        int32_t *state = SONDE__TAKE(arena, int32_t, sonde__multiply(n_state, n_most));
        double *p = SONDE__TAKE(arena, double, sonde__multiply(n_state, n_most));
        for (uint64_t i = 0; p != NULL && i < n_most; i++) {
            layer->point[i] = (sonde__anchor){.state = state + i * n_state, .p = p + i * n_state};
        }
    }
    sonde__prospect_carve(arena, world, &b->outlook);
    b->sum = SONDE__TAKE(arena, double, n_most);
    b->tally = SONDE__TAKE(arena, double, sonde__multiply((uint64_t)world->n_tuple, n_most));
    b->gather = SONDE__TAKE(arena, double, sonde__multiply((uint64_t)world->n_tuple, n_action));
    b->weight = SONDE__TAKE(arena, double, world->n_tuple);
    b->touched = SONDE__TAKE(arena, int32_t, world->n_tuple);
    b->chosen = SONDE__TAKE(arena, int32_t, world->n_tuple);
    b->usual = SONDE__TAKE(arena, int32_t,
                           sonde__multiply((uint64_t)world->n_tuple, (uint64_t)world->n_by));
    b->after = SONDE__TAKE(arena, double, n_state);
    b->each = SONDE__TAKE(arena, double, n_action);
    const uint64_t n_trail = world->allowed != NULL ? 0 : (uint64_t)b->n_trail;
    b->trail = SONDE__TAKE(arena, sonde__anchor, n_trail);
    int32_t *state = SONDE__TAKE(arena, int32_t, sonde__multiply(n_state, n_trail));
    double *p = SONDE__TAKE(arena, double, sonde__multiply(n_state, n_trail));
    for (uint64_t i = 0; p != NULL && i < n_trail; i++) {
        b->trail[i] = (sonde__anchor){.state = state + i * n_state, .p = p + i * n_state};
    }
}

/* -------------------------------------------------------------------------- sums over states -- */

/* sum = b . matrix, of the matrix' first n columns */
SONDE__VECTOR
static void weigh(sonde__support belief, const double *matrix, int64_t n_column, int32_t n,
                  double *sum) {
    memset(sum, 0, (size_t)n * sizeof *sum);
    for (int32_t i = 0; i < belief.n; i++) {
        const double *row = matrix + belief.state[i] * n_column;
        const double p = belief.p[i];
        for (int32_t k = 0; k < n; k++) {
            sum[k] += p * row[k];
        }
    }
}

static int32_t place_of_least(const double *x, int32_t n) {
    int32_t least = 0;
    for (int32_t i = 1; i < n; i++) {
        least = x[i] < x[least] ? i : least;
    }
    return least;
}

/* The vector of a layer that is least at a belief. */
static int32_t best_vector(sonde__bounds *b, const sonde__layer *layer, sonde__support belief) {
    weigh(belief, layer->value, b->n_most, layer->n_point, b->sum);
    return place_of_least(b->sum, layer->n_point);
}

/* -------------------------------------------------------------------------------- lower side -- */

/* What the best that can be done after each outcome is worth, summed, after state s and action u;
 * `next` are the vectors of the next layer. */
static double informed(sonde__bounds *b, const double *next, int32_t s, int32_t u) {
    const sonde__joint *world = b->world;
    const int32_t n_action = world->n_action;
    const int64_t from = (int64_t)s * n_action + u;
    int32_t n_touched = 0;
    for (int64_t k = world->offset[from]; k < world->offset[from + 1]; k++) {
        const int32_t to = world->next[k];
        const int64_t at = sonde__joint_at(world, to, u);
        for (int64_t e = world->sees[at]; e < world->sees[at + 1]; e++) {
            const double q = world->p[k] * world->seen_p[e];
            double *row = b->gather + (int64_t)world->seen[e] * n_action;
            if (q > 0.0 && b->weight[world->seen[e]] == 0.0) {
                b->touched[n_touched++] = world->seen[e];
                memset(row, 0, (size_t)n_action * sizeof *row);
            }
            b->weight[world->seen[e]] += q;
            for (int32_t v = 0; q > 0.0 && v < n_action; v++) {
                row[v] += q * next[(int64_t)to * n_action + v];
            }
        }
    }
    double sum = 0.0;
    const bool soft = b->backup.kind == SONDE_BACKUP_FREE_ENERGY;
    const sonde__backing least = {.kind = SONDE_BACKUP_MIN};
    const double digits = soft ? sonde__backup_digits(b->backup.gamma, n_action) : 0.0;
    for (int32_t i = 0; i < n_touched; i++) {
        double *row = b->gather + (int64_t)b->touched[i] * n_action;
        const double weight = b->weight[b->touched[i]];
        for (int32_t v = 0; soft && v < n_action; v++) {
            row[v] /= weight;
        }
        const double value =
            sonde__backup_value(soft ? &b->backup : &least, n_action, world->prior, row);
        sum += (soft ? weight : 1.0) * (value - digits);
        b->weight[b->touched[i]] = 0.0;
    }
    return sum;
}

static void make_lower(sonde__bounds *b) {
    const sonde__joint *world = b->world;
    for (int32_t d = world->horizon - 1; d >= 0; d--) {
        const int64_t n = (int64_t)world->n_state * world->n_action;
        const double *linear = b->linear + sonde__joint_row(world, d) * n;
        const double *next = d + 1 < world->horizon ? b->layer[d + 1].lower : NULL;
        for (int64_t i = 0; i < n; i++) {
            const int32_t s = (int32_t)(i / world->n_action);
            const int32_t u = (int32_t)(i % world->n_action);
            const double rest =
                next != NULL && world->prior[u] > 0.0 ? informed(b, next, s, u) : 0.0;
            b->layer[d].lower[i] = linear[i] + b->discount * rest;
        }
    }
}

/* ----------------------------------------------------------------------------- one step each -- */

/* H(B_u[:, s]) */
static double spread(const sonde__joint *world, int64_t at) {
    const sonde__support next = {.n = (int32_t)(world->offset[at + 1] - world->offset[at]),
                                 .state = world->next + world->offset[at],
                                 .p = world->p + world->offset[at]};
    return sonde__support_entropy(next);
}

void sonde__bounds_prepare(sonde__bounds *b) {
    const sonde__joint *world = b->world;
    const double one = 1.0;
    const int64_t n = (int64_t)world->n_state * world->n_action;
    for (int64_t i = 0; i < n * world->n_row; i++) {
        const int32_t s = (int32_t)(i % n / world->n_action);
        const int32_t u = (int32_t)(i % world->n_action);
        const int32_t row = (int32_t)(i / n);
        const sonde__support known = {.n = 1, .state = &s, .p = &one};
        sonde__prospect_predict(world, known, u, row, &b->outlook);
        b->step[i] = b->outlook.efe;
        double linear = world->charge[i % n];
        for (int32_t k = 0; k < b->outlook.n; k++) {
            const int64_t at = sonde__joint_at(world, b->outlook.state[k], u);
            linear +=
                b->outlook.p[k] * world->price[(int64_t)row * world->n_state * world->n_by + at];
        }
        b->linear[i] = linear - world->kappa * spread(world, i % n);
    }
    b->n_step += (uint64_t)(n * world->n_row);
    const bool soft = b->backup.kind == SONDE_BACKUP_FREE_ENERGY && b->backup.gamma > 0.0;
    const double excess = soft ? 0.0 - sonde__log(b->backup.least) / b->backup.gamma : 0.0;
    b->most[world->horizon] = 0.0;
    for (int32_t d = world->horizon - 1; d >= 0; d--) {
        const double *step = b->step + sonde__joint_row(world, d) * n;
        double most = -(double)INFINITY;
        for (int64_t i = 0; i < n; i++) {
            const bool counts = world->prior[i % world->n_action] > 0.0;
            most = counts && step[i] > most ? step[i] : most;
        }
        b->most[d] = most + excess + b->discount * b->most[d + 1];
    }
    make_lower(b);
}

/* ------------------------------------------------------------------------------------ points -- */

static sonde__support support_of(const sonde__anchor *point) {
    return (sonde__support){.n = point->n, .state = point->state, .p = point->p};
}

static void set_point(sonde__anchor *point, sonde__support belief) {
    point->n = belief.n;
    memmove(point->state, belief.state, (size_t)belief.n * sizeof *point->state);
    memmove(point->p, belief.p, (size_t)belief.n * sizeof *point->p);
}

/* Adds a point to a layer, unless it is there. */
static void add_point(sonde__layer *layer, sonde__support belief) {
    for (int32_t i = 0; i < layer->n_point; i++) {
        if (sonde__support_distance(support_of(&layer->point[i]), belief) <= SAME) {
            return;
        }
    }
    set_point(&layer->point[layer->n_point++], belief);
}

/* Some action: half of the time any, otherwise the one whose lower bound is least. */
static int32_t pick_action(sonde__bounds *b, const sonde__layer *layer, sonde__support belief,
                           sonde__rng *rng) {
    const sonde__joint *world = b->world;
    const bool any = sonde__rng_uniform(rng) < 0.5;
    weigh(belief, layer->lower, world->n_action, world->n_action, b->each);
    int32_t best = -1;
    int32_t n = 0;
    for (int32_t u = 0; u < world->n_action; u++) {
        const bool counts = world->prior[u] > 0.0;
        best = counts && (best < 0 || b->each[u] < b->each[best]) ? u : best;
        n += counts;
    }
    for (int32_t u = 0, left = any ? (int32_t)sonde__rng_below(rng, (uint64_t)n) : -1;
         left >= 0 && u < world->n_action; u++) {
        if (world->prior[u] > 0.0 && left-- == 0) {
            return u;
        }
    }
    return best;
}

/* One step of a trajectory. */
static void move(sonde__bounds *b, int32_t depth, sonde__anchor *at, sonde__rng *rng) {
    const sonde__joint *world = b->world;
    sonde__prospect *o = &b->outlook;
    const int32_t u = pick_action(b, &b->layer[depth], support_of(at), rng);
    sonde__prospect_predict(world, support_of(at), u, sonde__joint_row(world, depth), o);
    sonde__prospect_divide(world, u, o);
    double left = sonde__rng_uniform(rng);
    int32_t i = 0;
    while (i + 1 < o->n_tuple && left >= o->chance[o->tuple[i]]) {
        left -= o->chance[o->tuple[i++]];
    }
    set_point(at, sonde__prospect_after(o, i));
    b->n_step++;
}

static void find_points(sonde__bounds *b, sonde__support root, int32_t first, uint64_t number) {
    const sonde__joint *world = b->world;
    const double one = 1.0;
    sonde__rng rng = sonde__rng_stream(b->seed, SONDE__FOR_POINTS, number);
    for (int32_t i = 0; i < b->n_trail; i++) {
        set_point(&b->trail[i], root);
    }
    for (int32_t d = first; d < world->horizon; d++) {
        b->layer[d].n_point = 0;
        for (int32_t i = 0; i < b->n_trail; i++) {
            add_point(&b->layer[d], support_of(&b->trail[i]));
        }
        for (int32_t s = 0; d > first && s < n_corner(world); s++) {
            add_point(&b->layer[d], (sonde__support){.n = 1, .state = &s, .p = &one});
        }
        for (int32_t i = 0; d + 1 < world->horizon && i < b->n_trail; i++) {
            move(b, d, &b->trail[i], &rng);
        }
    }
}

/* -------------------------------------------------------------------------------- upper side -- */

/* For each tuple of outcomes the vector that is least where nothing else is known. */
static void find_usual(sonde__bounds *b, const sonde__layer *next) {
    const sonde__joint *world = b->world;
    for (int32_t u = 0; u < world->n_by; u++) {
        memset(b->tally, 0, (size_t)world->n_tuple * (size_t)b->n_most * sizeof *b->tally);
        for (int32_t s = 0; s < world->n_state; s++) {
            const int64_t at = sonde__joint_at(world, s, u);
            const double *value = next->value + (int64_t)s * b->n_most;
            for (int64_t e = world->sees[at]; e < world->sees[at + 1]; e++) {
                double *tally = b->tally + (int64_t)world->seen[e] * b->n_most;
                for (int32_t i = 0; i < next->n_point; i++) {
                    tally[i] += world->seen_p[e] * value[i];
                }
            }
        }
        for (int64_t tuple = 0; tuple < world->n_tuple; tuple++) {
            b->usual[u * (int64_t)world->n_tuple + tuple] =
                place_of_least(b->tally + tuple * b->n_most, next->n_point);
        }
    }
}

/* The vector of doing u at a point, and going on as is best after each outcome. */
static void upper_vector(sonde__bounds *b, int32_t d, int32_t point, int32_t u) {
    const sonde__joint *world = b->world;
    sonde__layer *layer = &b->layer[d];
    const sonde__layer *next = d + 1 < world->horizon ? &b->layer[d + 1] : NULL;
    const int64_t n = (int64_t)world->n_state * world->n_action;
    const double *step = b->step + sonde__joint_row(world, d) * n;
    double *to = layer->upper + (int64_t)u * world->n_state * b->n_most + point;
    if (next != NULL) {
        sonde__prospect *o = &b->outlook;
        memcpy(b->chosen, b->usual + (world->n_by > 1 ? (int64_t)u * world->n_tuple : 0),
               (size_t)world->n_tuple * sizeof *b->chosen);
        sonde__prospect_predict(world, support_of(&layer->point[point]), u,
                                sonde__joint_row(world, d), o);
        sonde__prospect_divide(world, u, o);
        b->n_step++;
        for (int32_t i = 0; i < o->n_tuple; i++) {
            b->chosen[o->tuple[i]] = best_vector(b, next, sonde__prospect_after(o, i));
        }
        for (int32_t s = 0; s < world->n_state; s++) {
            const int64_t at = sonde__joint_at(world, s, u);
            b->after[s] = 0.0;
            for (int64_t e = world->sees[at]; e < world->sees[at + 1]; e++) {
                b->after[s] += world->seen_p[e] *
                               next->value[(int64_t)s * b->n_most + b->chosen[world->seen[e]]];
            }
        }
    }
    for (int32_t s = 0; s < world->n_state; s++) {
        const int64_t at = (int64_t)s * world->n_action + u;
        double rest = 0.0;
        for (int64_t k = world->offset[at]; next != NULL && k < world->offset[at + 1]; k++) {
            rest += world->p[k] * b->after[world->next[k]];
        }
        to[(int64_t)s * b->n_most] = step[at] + b->discount * rest;
    }
}

/* The mixture of actions whose vector is least at a point, and what is added to it. */
static double mix(const sonde__bounds *b, double *share) {
    const sonde__joint *world = b->world;
    const int32_t n = world->n_action;
    const sonde__backing least = {.kind = SONDE_BACKUP_MIN};
    const sonde__backing soft = {.kind = SONDE_BACKUP_FREE_ENERGY, .gamma = b->backup.gamma};
    const double lowest = sonde__backup_value(&least, n, world->prior, share);
    const double energy =
        sonde__backup_value(&soft, n, world->prior, share) + sonde__backup_digits(soft.gamma, n);
    const double excess = b->backup.kind == SONDE_BACKUP_MIN ? 0.0 : b->backup.worth;
    const bool one = b->backup.kind == SONDE_BACKUP_MIN ||
                     (b->backup.kind == SONDE_BACKUP_AVERAGE && lowest + excess < energy);
    double mass = 0.0;
    double mean = 0.0;
    bool found = false;
    for (int32_t u = 0; u < n; u++) {
        const double efe = share[u];
        const bool best = one && !found && world->prior[u] > 0.0 && efe == lowest;
        found = found || best;
        share[u] = one || !(world->prior[u] > 0.0)
                       ? (best ? 1.0 : 0.0)
                       : world->prior[u] * sonde__exp(-b->backup.gamma * (efe - lowest));
        mass += share[u];
        mean += share[u] * (share[u] > 0.0 ? efe - lowest : 0.0);
    }
    for (int32_t u = 0; u < n; u++) {
        share[u] /= mass;
    }
    return one ? excess : energy - lowest - mean / mass;
}

/* The vector of the value at a point, from those of its actions. */
static void value_vector(sonde__bounds *b, sonde__layer *layer, int32_t point) {
    const sonde__joint *world = b->world;
    const sonde__anchor *at = &layer->point[point];
    const int64_t n_matrix = (int64_t)world->n_state * b->n_most;
    for (int32_t u = 0; u < world->n_action; u++) {
        const double *upper = layer->upper + u * n_matrix + point;
        b->each[u] = 0.0;
        for (int32_t i = 0; world->prior[u] > 0.0 && i < at->n; i++) {
            b->each[u] += at->p[i] * upper[(int64_t)at->state[i] * b->n_most];
        }
    }
    const double more = mix(b, b->each);
    for (int32_t s = 0; s < world->n_state; s++) {
        double sum = more;
        for (int32_t u = 0; u < world->n_action; u++) {
            if (b->each[u] > 0.0) {
                sum += b->each[u] * layer->upper[u * n_matrix + (int64_t)s * b->n_most + point];
            }
        }
        layer->value[(int64_t)s * b->n_most + point] = sum;
    }
}

void sonde__bounds_aim(sonde__bounds *b, sonde__support root, int32_t first, uint64_t number) {
    const sonde__joint *world = b->world;
    if (b->n_most == 0) {
        return;
    }
    find_points(b, root, first, number);
    for (int32_t d = world->horizon - 1; d >= first; d--) {
        if (d + 1 < world->horizon) {
            find_usual(b, &b->layer[d + 1]);
        }
        for (int32_t i = 0; i < b->layer[d].n_point; i++) {
            for (int32_t u = 0; u < world->n_action; u++) {
                if (world->prior[u] > 0.0) {
                    upper_vector(b, d, i, u);
                }
            }
            value_vector(b, &b->layer[d], i);
        }
    }
}

/* ------------------------------------------------------------------------------------ leaves -- */

static double widened(double x, double sign) {
    return x + sign * WIDENING * (1.0 + fabs(x));
}

/* What G of u is at most. */
static double upper_of(sonde__bounds *b, int32_t depth, sonde__support belief, int32_t u) {
    const sonde__joint *world = b->world;
    const sonde__layer *layer = &b->layer[depth];
    if (b->n_most > 0) {
        weigh(belief, layer->upper + (int64_t)u * world->n_state * b->n_most, b->n_most,
              layer->n_point, b->sum);
        return b->sum[place_of_least(b->sum, layer->n_point)];
    }
    const int64_t n = (int64_t)world->n_state * world->n_action;
    const double *step = b->step + sonde__joint_row(world, depth) * n + u;
    double sum = b->discount * b->most[depth + 1];
    for (int32_t i = 0; i < belief.n; i++) {
        sum += belief.p[i] * step[(int64_t)belief.state[i] * world->n_action];
    }
    return sum;
}

void sonde__bounds_box(sonde__bounds *b, int32_t depth, sonde__support belief, const double *prior,
                       double *const bound[2], double value[2]) {
    double *lower = bound[0];
    double *upper = bound[1];
    const int32_t n = b->world->n_action;
    const double entropy = b->world->kappa != 0.0 ? sonde__support_entropy(belief) : 0.0;
    weigh(belief, b->layer[depth].lower, n, n, lower);
    for (int32_t u = 0; u < n; u++) {
        lower[u] = widened(lower[u] - b->world->kappa * entropy, -1.0);
        upper[u] = prior[u] > 0.0 ? widened(upper_of(b, depth, belief, u), 1.0) : lower[u];
        upper[u] = upper[u] > lower[u] ? upper[u] : lower[u];
    }
    sonde__backup_range(&b->backup, n, prior, lower, upper, value);
    if (b->backup.kind == SONDE_BACKUP_AVERAGE && b->backup.gamma > 0.0) {
        const sonde__backing least = {.kind = SONDE_BACKUP_MIN};
        const sonde__backing soft = {.kind = SONDE_BACKUP_FREE_ENERGY, .gamma = b->backup.gamma};
        const double one = sonde__backup_value(&least, n, prior, upper) + b->backup.worth;
        const double mixed =
            sonde__backup_value(&soft, n, prior, upper) + sonde__backup_digits(soft.gamma, n);
        value[1] = one < value[1] ? one : value[1];
        value[1] = mixed < value[1] ? mixed : value[1];
    }
    value[0] = widened(value[0], -1.0);
    value[1] = widened(value[1], 1.0);
}

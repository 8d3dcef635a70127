/* closed_baselines.c: what others plan with, for comparison. None of it has a certificate.
 *
 *     dpefe   as if the state were known from the first step on, and the average backed up:
 *             G_t(u, s) = g(B_u[:, s], u) + a_u(s) + discount sum over s' of
 *             B_u[s', s] V_{t+1}(s'), V_t(s) = the average of G_t(., s), and
 *             G_u = sum over s of b(s) G_0(u, s)
 *     qmdp    one step of what is, and then the best of a world in which everything is seen and
 *             looking is worth nothing: v_t(s) = min over u of a_u(s) + (B_u' (ce_u + discount
 *             v_{t+1}))(s), G_u = b . a_u + g(B_u b, u) + discount b . B_u' v_1
 *     uct     simulations from the root: in a history that has been there before, an untried action
 *             or the one of least mean G - c sqrt(ln N / n), then an outcome that is drawn; a
 *             history that is new is worth 0, or what follows one sequence of random actions. G is
 *             the mean. */
#include <math.h>
#include <string.h>

#include "base/numbers.h"
#include "base/status.h"
#include "closed/closed_internal.h"

/* simulations of uct, where no budget says otherwise */
#define TRIES_USUAL 1000

void sonde__baseline_carve(sonde__closed *closed, sonde__arena *arena) {
    const uint64_t n_state = (uint64_t)closed->world.n_state;
    const uint64_t n_action = (uint64_t)closed->world.n_action;
    sonde__baseline *b = &closed->baseline;
    b->step = SONDE__TAKE(arena, double, sonde__multiply(n_state, n_action));
    b->value = SONDE__TAKE(arena, double, n_state);
    b->next = SONDE__TAKE(arena, double, n_state);
    b->efe = SONDE__TAKE(arena, double, n_action);
    b->state = SONDE__TAKE(arena, int32_t, n_state);
    b->p = SONDE__TAKE(arena, double, n_state);
    b->row = -1;
}

/* --------------------------------------------------------------------- states that are known -- */

/* G of a step from each state that is known, with a row of C. */
static void price_steps(sonde__closed *closed, int32_t row) {
    const sonde__joint *world = &closed->world;
    sonde__baseline *b = &closed->baseline;
    const double certain = 1.0;
    for (int32_t s = 0; b->row != row && s < world->n_state; s++) {
        const sonde__support here = {.n = 1, .state = &s, .p = &certain};
        for (int32_t u = 0; u < world->n_action; u++) {
            sonde__prospect_predict(world, here, u, row, &closed->web.outlook);
            b->step[(int64_t)s * world->n_action + u] = closed->web.outlook.efe;
            closed->web.n_step++;
        }
    }
    b->row = row;
}

/* sum over s' of B_u[s', s] (what counts there, and what comes after). */
static double expect(const sonde__joint *world, int32_t s, int32_t u, const double *price,
                     const double *after, double discount) {
    const int64_t at = (int64_t)s * world->n_action + u;
    double sum = 0.0;
    for (int64_t k = world->offset[at]; k < world->offset[at + 1]; k++) {
        const int32_t to = world->next[k];
        const double own = price != NULL ? price[sonde__joint_at(world, to, u)] : 0.0;
        sum += world->p[k] * (own + discount * after[to]);
    }
    return sum;
}

/* The values of all states that are known, from those of the step after; min, or the average. */
static void value_states(sonde__closed *closed, int32_t depth, bool average) {
    const sonde__joint *world = &closed->world;
    sonde__baseline *b = &closed->baseline;
    const int32_t n = world->n_action;
    const double discount = closed->web.discount;
    const int32_t row = sonde__joint_row(world, depth);
    const double *price = world->price + (int64_t)row * world->n_state * world->n_by;
    if (average) {
        price_steps(closed, row);
    }
    for (int32_t s = 0; s < world->n_state; s++) {
        bool any = false;
        for (int32_t u = 0; u < n; u++) {
            const int64_t at = (int64_t)s * n + u;
            const bool legal =
                world->prior[u] > 0.0 && (world->allowed == NULL || world->allowed[at]);
            any = any || legal;
            closed->web.prior[u] = legal ? world->prior[u] : 0.0;
            b->efe[u] = average ? b->step[at] + expect(world, s, u, NULL, b->next, discount)
                                : world->charge[at] + expect(world, s, u, price, b->next, discount);
        }
        b->value[s] = any ? sonde__backup_value(&closed->web.backup, n, closed->web.prior, b->efe)
                          : (double)INFINITY;
    }
    double *const before = b->next;
    b->next = b->value;
    b->value = before;
}

/* Values of the world in which everything is seen, from the end to `depth`; b->next has them. */
static void value_back_to(sonde__closed *closed, int32_t depth, bool average) {
    memset(closed->baseline.next, 0, (size_t)closed->world.n_state * sizeof(double));
    for (int32_t d = closed->world.horizon - 1; d >= depth; d--) {
        value_states(closed, d, average);
    }
}

/* Writes G of the root's actions down, and its value. */
static const char *conclude(sonde__closed *closed, const double *efe) {
    sonde__node *root = closed->root;
    bool any = false;
    for (int32_t u = 0; u < closed->world.n_action; u++) {
        const bool good = root->option[u].legal && isfinite(efe[u]);
        root->option[u].lower = root->option[u].upper = efe[u];
        closed->web.prior[u] = good ? closed->world.prior[u] : 0.0;
        any = any || good;
    }
    if (!any) {
        closed->web.stuck = root; /* whatever is done ends where nothing is allowed */
        return NULL;
    }
    root->lower = root->upper =
        sonde__backup_value(&closed->web.backup, closed->world.n_action, closed->web.prior, efe);
    return "complete";
}

const char *sonde__dpefe_search(sonde__closed *closed) {
    const sonde__joint *world = &closed->world;
    const sonde__support belief = closed->root->belief;
    sonde__baseline *b = &closed->baseline;
    (void)sonde__web_options(&closed->web, closed->root);
    value_back_to(closed, 1, true);
    price_steps(closed, 0);
    for (int32_t u = 0; u < world->n_action; u++) {
        b->efe[u] = 0.0;
        for (int32_t i = 0; i < belief.n; i++) {
            const int32_t s = belief.state[i];
            b->efe[u] += belief.p[i] * (b->step[(int64_t)s * world->n_action + u] +
                                        expect(world, s, u, NULL, b->next, closed->web.discount));
        }
    }
    return conclude(closed, b->efe);
}

const char *sonde__qmdp_search(sonde__closed *closed) {
    const sonde__joint *world = &closed->world;
    const sonde__support belief = closed->root->belief;
    sonde__baseline *b = &closed->baseline;
    (void)sonde__web_options(&closed->web, closed->root);
    value_back_to(closed, 1, false);
    for (int32_t u = 0; u < world->n_action; u++) {
        sonde__prospect_predict(world, belief, u, 0, &closed->web.outlook);
        b->efe[u] = closed->web.outlook.efe;
        closed->web.n_step++;
        for (int32_t i = 0; i < belief.n; i++) {
            b->efe[u] += belief.p[i] *
                         expect(world, belief.state[i], u, NULL, b->next, closed->web.discount);
        }
    }
    return conclude(closed, b->efe);
}

/* ------------------------------------------------------------------------------- simulations -- */

/* How far apart the G of steps from known states are, times the horizon. */
static double usual_exploration(sonde__closed *closed) {
    const sonde__joint *world = &closed->world;
    double least = (double)INFINITY;
    double most = -(double)INFINITY;
    for (int32_t row = 0; row < world->n_row; row++) {
        price_steps(closed, row);
        for (int64_t i = 0; i < (int64_t)world->n_state * world->n_action; i++) {
            const double step = closed->baseline.step[i];
            least = step < least ? step : least;
            most = step > most ? step : most;
        }
    }
    return (double)world->horizon * (most - least);
}

/* The action that is tried next in a history. */
static int32_t choose(const sonde__closed *closed, const sonde__node *node) {
    const double logs = node->tree > 0.0 ? sonde__log(node->tree) : 0.0;
    int32_t best = -1;
    double least = 0.0;
    for (int32_t u = 0; u < closed->world.n_action; u++) {
        const sonde__option *option = &node->option[u];
        if (option->legal && option->n_seen == 0) {
            return u;
        }
        if (option->legal) {
            const double bonus = closed->baseline.exploration * sqrt(logs / option->n_seen);
            if (best < 0 || option->lower - bonus < least) {
                best = u;
                least = option->lower - bonus;
            }
        }
    }
    return best;
}

/* One of the branches of an action, by chance. */
static sonde__node *draw_child(sonde__closed *closed, const sonde__option *option) {
    double left = sonde__rng_uniform(&closed->baseline.rng);
    int32_t i = 0;
    for (; i < option->n_branch - 1 && left >= option->branch[i].chance; i++) {
        left -= option->branch[i].chance;
    }
    return option->branch[i].child;
}

/* One of the actions that are allowed at a belief, each as likely as another; -1: none is. */
static int32_t draw_action(sonde__closed *closed, sonde__support belief) {
    const sonde__joint *world = &closed->world;
    int32_t n = 0;
    int32_t action = -1;
    for (int32_t u = 0; u < world->n_action; u++) {
        if (world->prior[u] > 0.0 && sonde__joint_allows(world, belief, u) &&
            sonde__rng_below(&closed->baseline.rng, (uint64_t)++n) == 0) {
            action = u;
        }
    }
    return action;
}

/* G of one sequence of random actions from a belief on, with outcomes that are drawn. */
static double roll_out(sonde__closed *closed, sonde__support belief, int32_t depth) {
    const sonde__joint *world = &closed->world;
    sonde__baseline *b = &closed->baseline;
    sonde__prospect *o = &closed->web.outlook;
    double sum = 0.0;
    double weight = 1.0;
    for (; depth < world->horizon; depth++) {
        const int32_t u = draw_action(closed, belief);
        if (u < 0) {
            return sum;
        }
        sonde__prospect_predict(world, belief, u, sonde__joint_row(world, depth), o);
        closed->web.n_step++;
        sum += weight * o->efe;
        weight *= closed->web.discount;
        sonde__prospect_divide(world, u, o);
        double left = sonde__rng_uniform(&b->rng);
        int32_t i = 0;
        for (; i < o->n_tuple - 1 && left >= o->chance[o->tuple[i]]; i++) {
            left -= o->chance[o->tuple[i]];
        }
        const sonde__support after = sonde__prospect_after(o, i);
        memcpy(b->state, after.state, (size_t)after.n * sizeof *b->state);
        memcpy(b->p, after.p, (size_t)after.n * sizeof *b->p);
        belief = (sonde__support){.n = after.n, .state = b->state, .p = b->p};
    }
    return sum;
}

/* Scores an action of a history for the first time, and makes what may follow. */
static void open_action(sonde__closed *closed, sonde__node *node, int32_t u) {
    sonde__web *web = &closed->web;
    sonde__prospect_predict(&closed->world, node->belief, u,
                            sonde__joint_row(&closed->world, node->depth), &web->outlook);
    node->option[u].step = web->outlook.efe;
    web->n_step++;
    if (node->depth + 1 < closed->world.horizon) {
        sonde__prospect_divide(&closed->world, u, &web->outlook);
        sonde__web_branch(web, node, u);
    }
}

/* One simulation from a history on; returns G of what it did. */
static double try_once(sonde__closed *closed, sonde__node *node) {
    if (node->option == NULL) {
        (void)sonde__web_options(&closed->web, node);
        closed->web.n_expanded++;
        if (node != closed->root) {
            return closed->settings.rollout ? roll_out(closed, node->belief, node->depth) : 0.0;
        }
    }
    const int32_t u = choose(closed, node);
    sonde__option *option = &node->option[u];
    if (option->n_seen == 0) {
        open_action(closed, node, u);
    }
    const double after = option->n_branch > 0 ? try_once(closed, draw_child(closed, option)) : 0.0;
    const double efe = option->step + closed->web.discount * after;
    option->n_seen++;
    node->tree += 1.0;
    option->lower =
        option->n_seen == 1 ? efe : option->lower + (efe - option->lower) / option->n_seen;
    return efe;
}

const char *sonde__uct_search(sonde__closed *closed) {
    const sonde__joint *world = &closed->world;
    sonde__baseline *b = &closed->baseline;
    const uint64_t budget = closed->settings.budget;
    const uint64_t asked = budget > 0 ? budget / (uint64_t)world->horizon : TRIES_USUAL;
    const uint64_t n = asked > (uint64_t)world->n_action ? asked : (uint64_t)world->n_action;
    const char *stopped = "budget";
    if (!b->explores) {
        b->exploration = closed->settings.exploration >= 0.0 ? closed->settings.exploration
                                                             : usual_exploration(closed);
        b->explores = true;
        closed->web.n_step = 0; /* once for a model */
    }
    b->rng = sonde__rng_stream(closed->settings.seed, SONDE__FOR_TRIES, closed->number);
    for (uint64_t i = 0; i < n && closed->web.stuck == NULL; i++) {
        /* nobody knows anything before every action was tried */
        const bool early = i < (uint64_t)world->n_action;
        if (sonde__stopped(&closed->run) || !sonde__web_has_room(&closed->web)) {
            closed->known = !early;
            stopped = sonde__stopped(&closed->run) ? "interrupted" : "memory";
            break;
        }
        (void)try_once(closed, closed->root);
    }
    if (!closed->known || closed->web.stuck != NULL) {
        return closed->web.stuck != NULL ? NULL : stopped;
    }
    for (int32_t u = 0; u < world->n_action; u++) {
        b->efe[u] = closed->root->option[u].lower;
    }
    return conclude(closed, b->efe) != NULL ? stopped : NULL;
}

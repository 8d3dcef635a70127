/* closed_certificate.c: how far a decision can be from the exact one.
 *
 * G of every first action lies between two bounds. With a = E exp(-gamma h) and c = E exp(-gamma l)
 * the exact posterior of a set of actions is at least a(S) / (a(S) + c(not S)), so the total
 * variation is at most the largest Q(S) less that, and each action's own share lies between
 * a_u / (a_u + c(others)) and c_u / (c_u + a(others)). */
#include "base/numbers.h"
#include "closed/closed_internal.h"

/* actions whose sets are all looked at */
#define SETS_MOST 10
/* masses relative to the largest that there can be: what is less than the first, which still has
 * all its digits, is not counted on, and what could be more than nothing is at least the second */
#define MASS_SURE 1e-290
#define MASS_LEAST 1e-300
/* what merging is allowed to have moved G by, relative, at least */
#define ALLOWANCE 1e-9

/* Takes over the root's intervals, wider by what merging may have done. */
static void take_intervals(sonde__closed *closed) {
    sonde__root_box *box = &closed->box;
    const sonde__node *root = closed->root;
    const int32_t n = closed->world.n_action;
    for (int32_t u = 0; u < n; u++) {
        const bool legal =
            closed->world.prior[u] > 0.0 && sonde__joint_allows(&closed->world, root->belief, u);
        box->prior[u] = legal ? closed->world.prior[u] : 0.0;
    }
    if (root->option == NULL) {
        sonde__bounds_box(&closed->bounds, root->depth, root->belief, box->prior,
                          (double *[]){box->lower, box->upper}, box->value);
    }
    for (int32_t u = 0; root->option != NULL && u < n; u++) {
        box->lower[u] = root->option[u].lower;
        box->upper[u] = root->option[u].upper;
    }
    box->value[0] = root->lower;
    box->value[1] = root->upper;
}

static double allowance(const sonde__closed *closed, double x) {
    const double relative = ALLOWANCE * (1.0 + fabs(x));
    return !closed->web.merges ? 0.0 : closed->allowance > relative ? closed->allowance : relative;
}

/* Where the posterior is shown: in the middle, or, without a horizon, at what a plan that is known
 * comes to. */
static double shown_at(const sonde__closed *closed, int32_t u) {
    const sonde__root_box *box = &closed->box;
    return closed->infinite != NULL ? box->upper[u] : 0.5 * (box->lower[u] + box->upper[u]);
}

void sonde__box_settle(sonde__closed *closed) {
    sonde__root_box *box = &closed->box;
    const int32_t n = closed->world.n_action;
    const double gamma = closed->settings.gamma;
    take_intervals(closed);
    double least = (double)INFINITY;
    double middle = (double)INFINITY;
    for (int32_t u = 0; u < n; u++) {
        if (box->prior[u] > 0.0) {
            box->lower[u] -= allowance(closed, box->lower[u]);
            box->upper[u] += allowance(closed, box->upper[u]);
            const double half = shown_at(closed, u);
            least = box->lower[u] < least ? box->lower[u] : least;
            middle = half < middle ? half : middle;
        }
    }
    double sum = 0.0;
    for (int32_t u = 0; u < n; u++) {
        const double E = box->prior[u];
        const double half = shown_at(closed, u);
        const double sure = E > 0.0 ? E * sonde__exp(-gamma * (box->upper[u] - least)) : 0.0;
        const double most = E > 0.0 ? E * sonde__exp(-gamma * (box->lower[u] - least)) : 0.0;
        box->mass_lower[u] = sure > MASS_SURE ? sure : 0.0;
        box->mass_upper[u] = E > 0.0 && most < MASS_LEAST ? MASS_LEAST : most;
        box->posterior[u] = E > 0.0 ? E * sonde__exp(-gamma * (half - middle)) : 0.0;
        sum += box->posterior[u];
    }
    for (int32_t u = 0; u < n; u++) {
        box->posterior[u] /= sum;
    }
    box->value[0] -= allowance(closed, box->value[0]);
    box->value[1] += allowance(closed, box->value[1]);
}

/* The least share that mass `a` can have of itself and `c`. */
static double share(double a, double c) {
    return a + c > 0.0 ? a / (a + c) : 0.0;
}

double sonde__box_others(const double *mass, int32_t n, int32_t u) {
    double sum = 0.0;
    for (int32_t v = 0; v < n; v++) {
        sum += v != u ? mass[v] : 0.0;
    }
    return sum;
}

/* The largest Q(S) - a(S) / (a(S) + c(not S)) over sets that hold the actions chosen so far. */
static double largest(const sonde__root_box *box, int32_t u, int32_t n, double q, double a,
                      double c) {
    if (u == n) {
        return q - share(a, c);
    }
    const double without = largest(box, u + 1, n, q, a, c + box->mass_upper[u]);
    if (!(box->prior[u] > 0.0)) {
        return without;
    }
    const double with = largest(box, u + 1, n, q + box->posterior[u], a + box->mass_lower[u], c);
    return with > without ? with : without;
}

/* The same as sonde__box_tv, as it is computed. */
static double find_tv(const sonde__closed *closed, double enough) {
    const sonde__root_box *box = &closed->box;
    const int32_t n = closed->world.n_action;
    double width = 0.0;
    double sum = 0.0;
    double most = 0.0;
    int32_t n_legal = 0;
    for (int32_t u = 0; u < n; u++) {
        if (box->prior[u] > 0.0) {
            const double w = box->upper[u] - box->lower[u];
            const double short_of =
                box->posterior[u] -
                share(box->mass_lower[u], sonde__box_others(box->mass_upper, n, u));
            width = w > width ? w : width;
            sum += short_of > 0.0 ? short_of : 0.0;
            most = short_of > most ? short_of : most;
            n_legal++;
        }
    }
    const double e = sonde__exp(-0.5 * closed->settings.gamma * width);
    const double quick = (1.0 - e) / (1.0 + e) < sum ? (1.0 - e) / (1.0 + e) : sum;
    if (n_legal > SETS_MOST || (enough >= 0.0 && (quick <= enough || most > enough))) {
        return quick;
    }
    const double exact = largest(box, 0, n, 0.0, 0.0, 0.0);
    return exact < quick ? exact : quick;
}

double sonde__box_tv(const sonde__closed *closed, double enough) {
    const double tv = find_tv(closed, enough);
    return tv < 1.0 - SONDE__BOX_ROUNDING ? tv + SONDE__BOX_ROUNDING : 1.0;
}

/* The named action: the most probable, the lowest of several. */
static int32_t name_action(const sonde__root_box *box, int32_t n) {
    int32_t best = -1;
    for (int32_t u = 0; u < n; u++) {
        if (box->prior[u] > 0.0 &&
            (best < 0 || box->posterior[u] > box->posterior[best] + SONDE__TIE)) {
            best = u;
        }
    }
    return best;
}

/* The precisions at which action i stays the most probable one. */
static void find_gammas(const sonde__root_box *box, int32_t n, int32_t i, double range[2]) {
    range[0] = 0.0;
    range[1] = (double)INFINITY;
    for (int32_t j = 0; j < n; j++) {
        if (j == i || !(box->prior[j] > 0.0)) {
            continue;
        }
        /* gamma (l_j - h_i) > ln E_j - ln E_i */
        const double less = box->lower[j] - box->upper[i];
        const double odds = sonde__log(box->prior[j]) - sonde__log(box->prior[i]);
        const double at = odds / less;
        if (less > 0.0) {
            range[0] = at > range[0] ? at : range[0];
        } else if (less < 0.0) {
            range[1] = at < range[1] ? at : range[1];
        }
    }
}

sonde_certificate sonde__box_certify(const sonde__closed *closed, const char *stopped) {
    const sonde__root_box *box = &closed->box;
    const int32_t n = closed->world.n_action;
    const int32_t i = name_action(box, n);
    const double gamma = closed->settings.gamma;
    const bool least = closed->settings.backup == SONDE_BACKUP_MIN;
    sonde_certificate c = {.given = true, .stopped = stopped, .action_is_exact = true};
    int32_t best = -1;
    c.tv = sonde__box_tv(closed, -1.0);
    for (int32_t j = 0; j < n; j++) {
        if (box->prior[j] > 0.0) {
            best = best < 0 || box->upper[j] < box->upper[best] ? j : best;
            c.action_is_exact = c.action_is_exact &&
                                (j == i || sonde__log(box->prior[i]) - gamma * box->upper[i] >
                                               sonde__log(box->prior[j]) - gamma * box->lower[j]);
        }
    }
    for (int32_t j = 0; least && j < n; j++) {
        const bool other = box->prior[j] > 0.0 && j != best;
        c.gap = other && box->upper[best] - box->lower[j] > c.gap ? box->upper[best] - box->lower[j]
                                                                  : c.gap;
    }
    c.gap = least ? c.gap : (double)NAN;
    c.gamma_range[0] = c.gamma_range[1] = (double)NAN;
    if (least && c.action_is_exact) {
        find_gammas(box, n, i, c.gamma_range);
    }
    return c;
}

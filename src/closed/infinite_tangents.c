/* infinite_tangents.c: the vectors of the best plan at a belief.
 *
 * A loose vector is G of the plan from each state as if that were known,
 *
 *     alpha(s) = g(s, u) + discount sum over s', o of B A alpha_o(s')
 *
 * which is exact where nothing is learned. A tight one bounds W = V + kappa H by its tangent: with
 * r the posteriors under the belief, and a little of every state of the block mixed in,
 *
 *     alpha(s) = c_u(s) - kappa sum B ln r(s|s') + sum B rho(s') + discount sum B A alpha_o(s')
 *
 * where rho is what outcomes leave unknown, each entropy replaced by its cross entropy
 * (docs/closed-loop.md). A loose vector takes part in a tight one with the cross entropy of what is
 * believed then. Where the backup is soft, a mixture of actions has the mixture of their vectors
 * and its divergence from E. Where a plan is not allowed a vector is infinite. */
#include <string.h>

#include "base/numbers.h"
#include "closed/infinite.h"

/* how much of every state is mixed into a belief */
#define MIXED 1e-3
/* shares of a mixture that are left out */
#define SHARE_LEAST 1e-7
/* how much of what is between the bounds of a belief a vector has to gain */
#define GAIN_LEAST 1e-4

/* For each outcome the vector that goes on. */
static bool choose_vectors(sonde__infinite *all, const sonde__deed *deed, bool tight) {
    memset(all->chosen, 0, (size_t)all->world->n_tuple * sizeof(void *));
    for (int32_t i = 0; i < deed->n_outcome; i++) {
        const sonde__outcome *outcome = &deed->outcome[i];
        const sonde__guess *guess = outcome->spot != NULL ? &outcome->spot->guess : &outcome->guess;
        sonde__vector *best = guess->best[tight && guess->tight];
        all->chosen[outcome->tuple] = best;
        if (best == NULL) {
            return false;
        }
        all->after[all->n_after++] = best;
    }
    return true;
}

/* The vector after a state and outcomes; the first of the block where nobody expects them. */
static const sonde__vector *vector_after(sonde__infinite *all, int32_t tuple, int32_t to) {
    if (all->chosen[tuple] == NULL) {
        const int32_t block = all->block_of[to];
        all->chosen[tuple] = sonde__vectors_begin(all, block) ? all->block[block].vector : NULL;
    }
    return all->chosen[tuple];
}

/* -------------------------------------------------------------------------------- prediction -- */

/* What is predicted from the belief with a little of everything, in mixed, seen and own. */
static void predict(sonde__infinite *all, const double *belief, int32_t n, int64_t first,
                    int32_t u) {
    const sonde__joint *world = all->world;
    memset(all->seen, 0, (size_t)world->n_tuple * sizeof *all->seen);
    for (int32_t i = 0; i < n; i++) {
        const int64_t from = (int64_t)all->member[first + i] * world->n_action + u;
        for (int64_t k = world->offset[from]; k < world->offset[from + 1]; k++) {
            all->mixed[all->at[world->next[k]]] = 0.0;
        }
    }
    for (int32_t i = 0; i < n; i++) {
        const int64_t from = (int64_t)all->member[first + i] * world->n_action + u;
        for (int64_t k = world->offset[from]; k < world->offset[from + 1]; k++) {
            const int64_t at = sonde__joint_at(world, world->next[k], u);
            const double p = belief[i] * world->p[k];
            all->mixed[all->at[world->next[k]]] += p;
            for (int64_t e = world->sees[at]; e < world->sees[at + 1]; e++) {
                all->seen[world->seen[e]] += p * world->seen_p[e];
            }
        }
    }
}

/* Whether each modality's information counts on its own, and there are several. */
static bool is_split(const sonde__joint *world) {
    return world->model->information != SONDE_INFORMATION_JOINT && world->n_telling > 1;
}

/* Outcomes of each modality, of all that can be seen. */
static void divide(sonde__infinite *all) {
    const sonde_model *model = all->world->model;
    double *own = all->own;
    for (int32_t m = 0; m < model->n_modality; own += model->modality[m++].n_outcome) {
        if (!all->world->telling[m]) {
            continue;
        }
        memset(own, 0, (size_t)model->modality[m].n_outcome * sizeof *own);
        for (int64_t t = 0; t < all->world->n_tuple; t++) {
            own[all->world->tuple[t * model->n_modality + m]] += all->seen[t];
        }
    }
}

/* sum over modalities of -ln r(o|o_m) */
static double surprise(const sonde__infinite *all, int64_t tuple) {
    const sonde_model *model = all->world->model;
    const double *own = all->own;
    double sum = 0.0;
    for (int32_t m = 0; m < model->n_modality; own += model->modality[m++].n_outcome) {
        if (all->world->telling[m]) {
            sum += sonde__log(own[all->world->tuple[tuple * model->n_modality + m]]) -
                   sonde__log(all->seen[tuple]);
        }
    }
    return sum;
}

/* ----------------------------------------------------------------------------------- vectors -- */

/* What is reached in a state is worth, outcomes included, besides what a step costs. */
static double worth_loose(sonde__infinite *all, int32_t to, int32_t u) {
    const sonde__joint *world = all->world;
    const int64_t at = sonde__joint_at(world, to, u);
    const int64_t local = all->at[to] - all->block[all->block_of[to]].first;
    double sum = 0.0;
    for (int64_t e = world->sees[at]; e < world->sees[at + 1]; e++) {
        const sonde__vector *after = vector_after(all, world->seen[e], to);
        sum += world->seen_p[e] * (after != NULL ? after->value[local] : (double)INFINITY);
    }
    return all->discount * sum;
}

static double worth_tight(sonde__infinite *all, int32_t to, int32_t u) {
    const sonde__joint *world = all->world;
    const int64_t at = sonde__joint_at(world, to, u);
    const int64_t local = all->at[to] - all->block[all->block_of[to]].first;
    const double here = sonde__log(all->mixed[all->at[to]]);
    const bool split = is_split(world);
    double sum = 0.0;
    for (int64_t e = world->sees[at]; e < world->sees[at + 1]; e++) {
        const int32_t tuple = world->seen[e];
        const sonde__vector *after = vector_after(all, tuple, to);
        const bool tight = after != NULL && after->tight;
        /* -kappa ln r(s'|o) */
        const double cross =
            world->kappa * (sonde__log(all->seen[tuple]) - here - sonde__log(world->seen_p[e]));
        const double value = after != NULL ? after->value[local] : (double)INFINITY;
        sum += world->seen_p[e] *
               ((1.0 - all->discount) * cross + all->discount * (value + (tight ? 0.0 : cross)));
        sum += split ? world->seen_p[e] * world->informs * surprise(all, tuple) : 0.0;
    }
    return sum - (split ? world->informs * (double)(world->n_telling - 1) * world->blur[at] : 0.0);
}

/* Adds a share of the vector of doing u at a belief (over its block), and going on as is best. */
static void add_vector(sonde__infinite *all, int32_t block, int32_t u, const double *belief,
                       double share) {
    const sonde__joint *world = all->world;
    const sonde__patch *b = &all->block[block];
    if (belief != NULL) {
        predict(all, belief, b->n, b->first, u);
        if (is_split(world)) {
            divide(all);
        }
    }
    for (int32_t i = 0; i < b->n; i++) {
        const int32_t s = all->member[b->first + i];
        const int64_t from = (int64_t)s * world->n_action + u;
        double sum = 0.0;
        for (int64_t k = world->offset[from]; k < world->offset[from + 1]; k++) {
            const int32_t to = world->next[k];
            double x = belief != NULL ? worth_tight(all, to, u) : worth_loose(all, to, u);
            /* -kappa ln r(s|s') */
            x += belief != NULL ? world->kappa * (sonde__log(all->mixed[all->at[to]]) -
                                                  sonde__log(belief[i] * world->p[k]))
                                : 0.0;
            sum += world->p[k] * x;
        }
        const int64_t at = (b->first + i) * world->n_action + u;
        const bool legal = world->allowed == NULL || world->allowed[from];
        sum += belief != NULL ? all->linear[at] : all->step[at];
        all->sum[i] += share * (legal ? sum : (double)INFINITY);
    }
}

/* The mixture of actions whose vector is least at a belief, in `each`, and what is added to it. */
static double mix(sonde__infinite *all, const sonde__site *spot) {
    const sonde__joint *world = all->world;
    const int32_t n = world->n_action;
    const bool soft = all->backup.kind == SONDE_BACKUP_FREE_ENERGY;
    double least = (double)INFINITY;
    int32_t best = -1;
    double mass = 0.0;
    for (int32_t u = 0; u < n; u++) {
        const sonde__deed *deed = &spot->deed[u];
        best = deed->legal && deed->upper < least ? u : best;
        least = deed->legal && deed->upper < least ? deed->upper : least;
    }
    for (int32_t u = 0; u < n; u++) {
        const sonde__deed *deed = &spot->deed[u];
        const double share =
            soft && deed->legal
                ? world->prior[u] * sonde__exp(-all->backup.gamma * (deed->upper - least))
                : 0.0;
        all->each[u] = soft ? share : u == best ? 1.0 : 0.0;
        mass += all->each[u];
    }
    double kept = 0.0;
    for (int32_t u = 0; u < n; u++) {
        all->each[u] = all->each[u] / mass > SHARE_LEAST ? all->each[u] / mass : 0.0;
        kept += all->each[u];
    }
    double divergence = 0.0;
    for (int32_t u = 0; u < n; u++) {
        all->each[u] /= kept;
        divergence += soft && all->each[u] > 0.0
                          ? all->each[u] * sonde__log(all->each[u] / world->prior[u])
                          : 0.0;
    }
    return soft && all->backup.gamma > 0.0
               ? divergence / all->backup.gamma + sonde__backup_digits(all->backup.gamma, n)
               : 0.0;
}

/* The belief with a little of every state of its block. */
static const double *blend(sonde__infinite *all, sonde__local belief) {
    const int32_t n = all->block[belief.block].n;
    for (int32_t i = 0; i < n; i++) {
        all->part[i] = MIXED / (double)n;
    }
    for (int32_t i = 0; i < belief.n; i++) {
        all->part[belief.at != NULL ? belief.at[i] : i] += (1.0 - MIXED) * belief.p[i];
    }
    return all->part;
}

static void add_tangent(sonde__infinite *all, sonde__site *spot, bool tight) {
    const sonde__joint *world = all->world;
    const int32_t block = spot->belief.block;
    const int32_t n = all->block[block].n;
    const double more = mix(all, spot);
    int32_t action = -1;
    all->n_after = 0;
    for (int32_t i = 0; i < n; i++) {
        all->sum[i] = more;
    }
    for (int32_t u = 0; u < world->n_action; u++) {
        if (all->each[u] > 0.0) {
            if (!choose_vectors(all, &spot->deed[u], tight)) {
                return;
            }
            add_vector(all, block, u, tight ? blend(all, spot->belief) : NULL, all->each[u]);
            action = action < 0 || all->each[u] > all->each[action] ? u : action;
        }
    }
    const double value = sonde__local_dot(spot->belief, all->sum);
    sonde__guess *guess = &spot->guess;
    const double gain = GAIN_LEAST * (guess->upper - guess->lower) + sonde__tie(value);
    if (guess->best[tight] != NULL && !(value < guess->least[tight] - gain)) {
        return;
    }
    sonde__vector *vector = sonde__vectors_new(all, block, action, tight);
    sonde__vector **after =
        vector != NULL ? sonde__infinite_take(all, (uint64_t)all->n_after, sizeof(sonde__vector *))
                       : NULL;
    if (after == NULL) {
        return;
    }
    memcpy(after, all->after, (size_t)all->n_after * sizeof(sonde__vector *));
    vector->after = after;
    vector->n_after = all->n_after;
    memcpy(vector->value, all->sum, (size_t)n * sizeof *vector->value);
    sonde__vectors_append(all, block, vector);
    /* whoever follows on the way back goes on with it */
    const double upper = value - (tight ? spot->entropy : 0.0);
    guess->tight = upper < guess->upper ? tight : guess->tight;
    guess->best[tight] = vector;
    guess->least[tight] = value;
    sonde__site_hold(spot);
}

void sonde__tangents_add(sonde__infinite *all, sonde__site *spot) {
    add_tangent(all, spot, false);
    if (all->world->kappa != 0.0) {
        add_tangent(all, spot, true);
    }
}

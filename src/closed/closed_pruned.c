/* closed_pruned.c: thresholds, as other packages have them, over a tree of beliefs.
 *
 *     pymdp          one depth after the other. In a belief the actions with softmax(-gamma g)
 *                    above a threshold are kept, and of what they show the outcomes that are likely
 *                    enough, at most so many; their probabilities are not made to sum to 1. Every
 *                    backup gives actions that are not kept a penalty for G, and as many slots as
 *                    branches may be have one each; an action whose share is below the threshold
 *                    then is cut for good. It stops when the root's actions are certain, or good,
 *                    enough.
 *     pymdp-legacy   the same in one go: the penalty is added, the last step cuts nothing, and
 *                    there are no slots.
 *
 * Nothing is merged, and nothing is certain: there is no certificate. closed_spm.c is SPM's. */
#include "base/numbers.h"
#include "base/settings.h"
#include "base/status.h"
#include "closed/closed_internal.h"

const char *sonde__pruning_name(int32_t pruning) {
    static const char *const name[] = {"pymdp", "pymdp-legacy", "spm", NULL};
    return name[pruning >= 0 && pruning < 3 ? pruning : 3];
}

const char *sonde__pruning_about(int32_t pruning) {
    static const char *const about[] = {
        "si_policy_search of pymdp 1.0", "sophisticated_inference_search of pymdp 0.0.7",
        "spm_MDP_VB_XX of SPM, which branches on states; spm_MDP_VB_XXX is not imitated", NULL};
    return about[pruning >= 0 && pruning < 3 ? pruning : 3];
}

const char *sonde__branches_name(int32_t branches) {
    static const char *const name[] = {"joint", "marginal", NULL};
    return name[branches >= 0 && branches < 2 ? branches : 2];
}

static bool is_legacy(const sonde__closed *closed) {
    return closed->settings.pruning == SONDE_PRUNING_PYMDP_LEGACY;
}

/* How many actions a belief has room for. */
static int32_t count_slots(const sonde__closed *closed) {
    const int32_t most = is_legacy(closed) ? 0 : closed->settings.max_branching;
    return most > closed->world.n_action ? most : closed->world.n_action;
}

void sonde__pruned_carve(sonde__closed *closed, sonde__arena *arena) {
    const int32_t n = count_slots(closed);
    closed->slot_prior = SONDE__TAKE(arena, double, n);
    closed->slot_efe = SONDE__TAKE(arena, double, n);
    closed->slot_share = SONDE__TAKE(arena, double, n);
}

/* ----------------------------------------------------------------------------------- actions -- */

/* G of a belief's actions, and of `n` slots in all, with the share that each has. */
static void fill_slots(sonde__closed *closed, const sonde__node *node, int32_t n) {
    const double gamma = closed->settings.gamma;
    double least = (double)INFINITY;
    double sum = 0.0;
    for (int32_t u = 0; u < n; u++) {
        const sonde__option *option = u < closed->world.n_action ? &node->option[u] : NULL;
        closed->slot_efe[u] = option != NULL ? option->lower : closed->settings.prune_penalty;
        closed->slot_prior[u] = option == NULL  ? 1.0 / (double)closed->world.n_action
                                : option->legal ? closed->world.prior[u]
                                                : 0.0;
        if (closed->slot_prior[u] > 0.0 && closed->slot_efe[u] < least) {
            least = closed->slot_efe[u];
        }
    }
    for (int32_t u = 0; u < n; u++) {
        const double less = gamma * (closed->slot_efe[u] - least);
        closed->slot_share[u] =
            closed->slot_prior[u] > 0.0 ? closed->slot_prior[u] * sonde__exp(0.0 - less) : 0.0;
        sum += closed->slot_share[u];
    }
    for (int32_t u = 0; u < n; u++) {
        closed->slot_share[u] /= sum;
    }
}

/* ---------------------------------------------------------------------------------- outcomes -- */

/* Each modality's own Q(o), from those of the tuples. */
static void add_up(const sonde__joint *world, sonde__prospect *o) {
    const sonde_model *model = world->model;
    double *q = o->by_modality;
    for (int32_t m = 0; m < model->n_modality; q += model->modality[m++].n_outcome) {
        for (int32_t k = 0; k < model->modality[m].n_outcome; k++) {
            q[k] = 0.0;
        }
        for (int32_t i = 0; i < o->n_tuple; i++) {
            q[world->tuple[(int64_t)o->tuple[i] * model->n_modality + m]] += o->chance[o->tuple[i]];
        }
    }
}

/* The place of a tuple in the order in which pymdp takes them: each modality's outcomes from the
 * most probable one on, the last modality fastest. */
static int64_t rank_of(const sonde__joint *world, const sonde__prospect *o, int32_t tuple) {
    const sonde_model *model = world->model;
    const int32_t *outcome = world->tuple + (int64_t)tuple * model->n_modality;
    const double *q = o->by_modality;
    int64_t rank = 0;
    for (int32_t m = 0; m < model->n_modality; q += model->modality[m++].n_outcome) {
        const int32_t n = model->modality[m].n_outcome;
        int32_t better = 0;
        for (int32_t k = 0; k < n; k++) {
            better += q[k] > q[outcome[m]] || (q[k] == q[outcome[m]] && k < outcome[m]);
        }
        rank = rank * n + better;
    }
    return rank;
}

/* Keeps the first `most` tuples in that order. */
static void keep_first(const sonde__joint *world, sonde__prospect *o, int32_t most) {
    int64_t *rank = o->first; /* which nobody needs before the belief is divided */
    int32_t n = 0;
    for (int32_t i = 0; i < o->n_tuple; i++) {
        const int32_t tuple = o->tuple[i];
        const int64_t own = rank_of(world, o, tuple);
        int32_t at = n;
        for (; at > 0 && rank[at - 1] > own; at--) {
        }
        if (at >= most) {
            sonde__prospect_forget(o, tuple);
            continue;
        }
        if (n == most) {
            sonde__prospect_forget(o, o->tuple[--n]);
        }
        for (int32_t k = n++; k > at; k--) {
            rank[k] = rank[k - 1];
            o->tuple[k] = o->tuple[k - 1];
        }
        rank[at] = own;
        o->tuple[at] = tuple;
    }
    o->n_tuple = n;
    sonde__sort(o->tuple, n);
}

/* Drops the outcomes that thresholds cut, of an action whose prediction is there. */
static void keep_outcomes(const sonde__closed *closed, sonde__prospect *o) {
    const sonde_search_settings *settings = &closed->settings;
    const int32_t most = is_legacy(closed) ? 0 : settings->max_branching;
    if (most > 0) {
        add_up(&closed->world, o);
    }
    int32_t n = 0;
    for (int32_t i = 0; i < o->n_tuple; i++) {
        const int32_t tuple = o->tuple[i];
        const double p = o->chance[tuple];
        if (p > settings->prune_outcome || (is_legacy(closed) && p == settings->prune_outcome)) {
            o->tuple[n++] = tuple;
        } else {
            sonde__prospect_forget(o, tuple);
        }
    }
    o->n_tuple = n;
    if (most > 0 && n > most) {
        keep_first(&closed->world, o, most);
    }
}

/* ---------------------------------------------------------------------------------- the tree -- */

/* Whether an action is looked at, by its share after one step. */
static bool is_kept(const sonde__closed *closed, bool last, double share) {
    const double least = closed->settings.prune_action;
    return is_legacy(closed) ? last || share >= least : share > least;
}

static void expand(sonde__closed *closed, sonde__node *node) {
    sonde__web *web = &closed->web;
    const sonde__joint *world = &closed->world;
    const int32_t row = sonde__joint_row(world, node->depth);
    const bool last = node->depth + 1 == world->horizon;
    sonde__option *option = sonde__web_options(web, node);
    for (int32_t u = 0; u < world->n_action; u++) {
        if (option[u].legal) {
            sonde__prospect_predict(world, node->belief, u, row, &web->outlook);
            option[u].step = option[u].lower = web->outlook.efe;
            web->n_step++;
        }
    }
    fill_slots(closed, node, world->n_action);
    for (int32_t u = 0; u < world->n_action; u++) {
        option[u].cut = !is_kept(closed, last, closed->slot_share[u]);
        if (!option[u].legal || option[u].cut || (last && is_legacy(closed))) {
            continue;
        }
        sonde__prospect_predict(world, node->belief, u, row, &web->outlook);
        keep_outcomes(closed, &web->outlook);
        option[u].n_seen = web->outlook.n_tuple;
        closed->n_kept += 1 + (uint64_t)option[u].n_seen;
        if (!last) {
            sonde__prospect_divide(world, u, &web->outlook);
            sonde__web_branch(web, node, u);
        }
    }
    web->n_expanded++;
}

/* Why no more can be expanded, or NULL. */
static const char *why_stop(const sonde__closed *closed) {
    const int32_t most = closed->settings.max_beliefs;
    if (sonde__stopped(&closed->run)) {
        return "interrupted";
    }
    if (!sonde__web_has_room(&closed->web)) {
        return "memory";
    }
    return most > 0 && closed->n_kept > (uint64_t)most ? "beliefs" : NULL;
}

/* Expands the leaves of a depth that can be reached from a node; why it could not, or NULL. */
static const char *expand_leaves(sonde__closed *closed, sonde__node *node, int32_t depth) {
    if (node->depth == depth) {
        const char *reason = why_stop(closed);
        if (reason == NULL && closed->web.stuck == NULL) {
            expand(closed, node);
            reason = why_stop(closed);
        }
        return reason;
    }
    const char *reason = NULL;
    for (int32_t u = 0; reason == NULL && u < closed->world.n_action; u++) {
        const sonde__option *option = &node->option[u];
        for (int32_t i = 0; reason == NULL && !option->cut && i < option->n_branch; i++) {
            reason = expand_leaves(closed, option->branch[i].child, depth);
        }
    }
    return reason;
}

/* The value of a node from those below, and what it cuts for good. */
static double back_up(sonde__closed *closed, sonde__node *node) {
    const bool legacy = is_legacy(closed);
    const double penalty = closed->settings.prune_penalty;
    for (int32_t u = 0; node->option != NULL && u < closed->world.n_action; u++) {
        sonde__option *option = &node->option[u];
        double sum = 0.0;
        for (int32_t i = 0; !option->cut && i < option->n_branch; i++) {
            sum += option->branch[i].chance * back_up(closed, option->branch[i].child);
        }
        const bool dropped = option->cut || (!legacy && option->n_seen == 0);
        const double base = dropped && !legacy ? 0.0 : option->step;
        option->lower = option->upper = base + (dropped ? penalty : closed->web.discount * sum);
    }
    if (node->option == NULL) {
        return 0.0;
    }
    const int32_t n = count_slots(closed);
    fill_slots(closed, node, n);
    for (int32_t u = 0; !legacy && u < closed->world.n_action; u++) {
        node->option[u].cut =
            node->option[u].cut || closed->slot_share[u] < closed->settings.prune_action;
    }
    node->lower = node->upper =
        sonde__backup_value(&closed->web.backup, n, closed->slot_prior, closed->slot_efe);
    return node->lower;
}

/* Whether enough is known of the root, whose slots are there. */
static const char *why_enough(const sonde__closed *closed) {
    double entropy = 0.0;
    for (int32_t u = 0; u < count_slots(closed); u++) {
        const double q = closed->slot_share[u];
        entropy -= q > 1e-300 ? q * sonde__log(q) : 0.0;
    }
    if (entropy <= closed->settings.stop_entropy) {
        return "entropy";
    }
    return 0.0 - closed->root->lower >= closed->settings.stop_value ? "value" : NULL;
}

/* Forgets a depth that was not finished. */
static void forget_depth(const sonde__closed *closed, int32_t depth) {
    for (sonde__node *node = closed->web.peer[depth]; node != NULL; node = node->peer) {
        node->option = NULL;
    }
}

const char *sonde__pruned_search(sonde__closed *closed) {
    const char *reason = NULL;
    closed->n_kept = 1;
    for (int32_t depth = 0; reason == NULL && depth < closed->world.horizon; depth++) {
        reason = expand_leaves(closed, closed->root, depth);
        if (closed->web.stuck != NULL) {
            return NULL;
        }
        if (reason != NULL) {
            forget_depth(closed, depth);
            closed->known = depth > 0 && !is_legacy(closed);
        } else if (!is_legacy(closed)) {
            (void)back_up(closed, closed->root);
            reason = why_enough(closed);
        }
    }
    if (reason == NULL && is_legacy(closed)) {
        (void)back_up(closed, closed->root);
    }
    return reason != NULL ? reason : "complete";
}

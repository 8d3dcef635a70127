/* replay_fast.c: the nodes, views and ways of a model's plans, found once (replay_fast.h). */
#include "replay/replay_fast_internal.h"

#include <string.h>

/* ------------------------------------------------------------------------------- what it can -- */

static bool fits_learning(const sonde_model *model, const sonde_replay_settings *settings) {
    const sonde_learn_settings *learn = &settings->learn;
    bool fits = learn->when != SONDE_LEARN_EPISODE && learn->beliefs == SONDE_BELIEFS_FILTERED &&
                learn->least == 0.0 && learn->gamma == SONDE_PRECISION_FIXED;
    for (int32_t f = 0; f < model->n_factor; f++) {
        fits = fits &&
               (learn->beliefs_D != SONDE_BELIEFS_SMOOTHED || model->factor[f].counts_D == NULL);
    }
    for (int32_t m = 0; m < model->n_modality; m++) {
        fits = fits && model->modality[m].counts_C == NULL;
    }
    return fits;
}

static bool fits(const sonde_policies *policies, const sonde_replay_settings *settings) {
    const sonde_model *model = policies->model;
    const sonde_search_settings *search = &settings->search;
    const sonde_weights *w = &search->weights;
    bool can = model->graph == NULL && model->policies == SONDE_POLICIES_ALL && !model->coupled &&
               model->n_step_C == 1 && model->information == SONDE_INFORMATION_PER_MODALITY &&
               model->E == NULL && model->habit == NULL && model->counts_E == NULL &&
               model->action_cost == NULL && model->n_joint <= MOST_JOINT &&
               model->n_action <= MOST_ACTION && search->loop == SONDE_LOOP_OPEN &&
               strcmp(sonde_plan_search_name((int32_t)search->search), "full") == 0 &&
               (w->novelty == SONDE_NOVELTY_NONE || w->novelty == SONDE_NOVELTY_JOINT);
    const int32_t inference =
        search->inference == SONDE_INFERENCE_DEFAULT ? model->inference : search->inference;
    can = can && inference == SONDE_INFERENCE_EXACT;
    for (int32_t f = 0; can && f < model->n_factor; f++) {
        const sonde_factor *factor = &model->factor[f];
        can = factor->counts_B == NULL && factor->allowed == NULL && factor->n_depend == 1 &&
              factor->depend[0] == f;
    }
    for (int32_t m = 0; can && m < model->n_modality; m++) {
        can = model->modality[m].n_action == 1;
    }
    return can && (!settings->learns || fits_learning(model, settings));
}

/* ------------------------------------------------------------------------------------- spots -- */

/* B of a factor after an action, (n_state next, n_state before). */
static void copy_B(const sonde_factor *factor, int32_t u, double *B) {
    const double *p = factor->B != NULL ? factor->B : factor->p;
    for (int32_t s = 0; s < factor->n_state; s++) {
        const sonde__slice c = sonde__slice_of_B(factor, s, u);
        for (int64_t i = 0; i < c.n; i++) {
            B[(c.row != NULL ? c.row[i] : i) * factor->n_state + s] = p[c.first + i * c.stride];
        }
    }
}

/* Whether an action leaves everything as it is, or leads to the same wherever it began. */
static bool is_idle(int32_t n, const double *B) {
    for (int32_t i = 0; i < n * n; i++) {
        if (B[i] != (i / n == i % n ? 1.0 : 0.0)) {
            return false;
        }
    }
    return true;
}

static bool is_reset(int32_t n, const double *B) {
    for (int32_t i = 0; i < n * n; i++) {
        if (B[i] != B[i - i % n]) {
            return false;
        }
    }
    return true;
}

static bool take_B(sonde__fast *fast) {
    const sonde_model *model = fast->model;
    for (int32_t f = 0; f < model->n_factor; f++) {
        const sonde_factor *factor = &model->factor[f];
        const uint64_t n = (uint64_t)factor->n_state * (uint64_t)factor->n_state;
        fast->B[f] = SONDE__POOL_TAKE(&fast->pool, double, n *(uint64_t)factor->n_action);
        for (int32_t u = 0; fast->B[f] != NULL && u < factor->n_action; u++) {
            copy_B(factor, u, fast->B[f] + n * (uint64_t)u);
        }
        if (fast->B[f] == NULL) {
            return false;
        }
    }
    return true;
}

/* A new spot of a factor; -1 where there are too many. */
static int32_t add_spot(sonde__fast *fast, sonde__fast_spot made) {
    const int32_t n = fast->model->factor[made.factor].n_state;
    if (fast->n_spot == MOST_SPOT || fast->n_number + n > MOST_SPOT * 16) {
        return -1;
    }
    made.at = fast->n_number;
    fast->n_number += n;
    fast->spot[fast->n_spot] = made;
    return fast->n_spot++;
}

/* The values of a constant spot. */
static double *constant_of(const sonde__fast *fast, const sonde__fast_spot *one) {
    return fast->constant + one->at;
}

static void multiply(int32_t n, const double *B, const double *q, double *next) {
    for (int32_t i = 0; i < n; i++) {
        double sum = 0.0;
        for (int32_t j = 0; j < n; j++) {
            sum += B[i * n + j] * q[j];
        }
        next[i] = sum;
    }
}

/* The spot that an action leads to from another. */
static int32_t next_spot(sonde__fast *fast, int32_t from, int32_t u) {
    const sonde__fast_spot *before = &fast->spot[from];
    const int32_t f = before->factor;
    const int32_t n = fast->model->factor[f].n_state;
    const double *B = fast->B[f] + (int64_t)u * n * n;
    double made[MOST_JOINT];
    if (is_idle(n, B)) {
        return from;
    }
    const bool reset = is_reset(n, B);
    const bool fixed = reset || before->fixed;
    if (reset) {
        for (int32_t i = 0; i < n; i++) {
            made[i] = B[(int64_t)i * n];
        }
    } else if (fixed) {
        multiply(n, B, constant_of(fast, before), made);
    }
    for (int32_t k = 0; k < fast->n_spot; k++) {
        const sonde__fast_spot *one = &fast->spot[k];
        if (one->factor != f || one->fixed != fixed) {
            continue;
        }
        if (fixed ? memcmp(constant_of(fast, one), made, (size_t)n * sizeof *made) == 0
                  : one->parent == from && one->action == u) {
            return k;
        }
    }
    const int32_t k = add_spot(
        fast, (sonde__fast_spot){.factor = f, .parent = from, .action = u, .fixed = fixed});
    if (k >= 0 && fixed) {
        memcpy(constant_of(fast, &fast->spot[k]), made, (size_t)n * sizeof *made);
    }
    return k;
}

/* ------------------------------------------------------------------------------------- nodes -- */

static int32_t find_node(sonde__fast *fast, const int32_t *tuple) {
    const int32_t n = fast->model->n_factor;
    for (int32_t k = 0; k < fast->n_node; k++) {
        if (memcmp(fast->node + (int64_t)k * n, tuple, (size_t)n * sizeof *tuple) == 0) {
            return k;
        }
    }
    if (fast->n_node == MOST_NODE) {
        return -1;
    }
    memcpy(fast->node + (int64_t)fast->n_node * n, tuple, (size_t)n * sizeof *tuple);
    fast->kind[fast->n_node] = -1;
    return fast->n_node++;
}

/* The nodes that each action leads to from one; nodes with the same are of one kind. */
static bool expand(sonde__fast *fast, int32_t from) {
    const sonde_model *model = fast->model;
    int32_t action[SONDE_FACTORS_MAX];
    int32_t tuple[SONDE_FACTORS_MAX];
    int32_t *way = fast->way + (int64_t)fast->n_kind * model->n_action;
    for (int32_t u = 0; u < model->n_action; u++) {
        sonde__model_tuple(model, u, action);
        for (int32_t f = 0; f < model->n_factor; f++) {
            tuple[f] = next_spot(fast, fast->node[(int64_t)from * model->n_factor + f], action[f]);
            if (tuple[f] < 0) {
                return false;
            }
        }
        way[u] = find_node(fast, tuple);
        if (way[u] < 0) {
            return false;
        }
    }
    for (int32_t k = 0; k < fast->n_kind; k++) {
        if (memcmp(fast->way + (int64_t)k * model->n_action, way,
                   (size_t)model->n_action * sizeof *way) == 0) {
            fast->kind[from] = k;
            return true;
        }
    }
    fast->kind[from] = fast->n_kind++;
    return true;
}

/* Every node that a plan of the horizon may come to. */
static bool find_nodes(sonde__fast *fast) {
    const sonde_model *model = fast->model;
    int32_t root[SONDE_FACTORS_MAX];
    for (int32_t f = 0; f < model->n_factor; f++) {
        root[f] = add_spot(fast, (sonde__fast_spot){.factor = f, .parent = -1, .action = -1});
        if (root[f] < 0) {
            return false;
        }
    }
    int32_t begin = find_node(fast, root);
    for (int32_t t = 0; t < fast->horizon; t++) {
        const int32_t end = fast->n_node;
        for (int32_t k = begin; k < end; k++) {
            if (fast->kind[k] < 0 && !expand(fast, k)) {
                return false;
            }
        }
        begin = end;
    }
    return true;
}

/* ------------------------------------------------------------------------------------- views -- */

/* Whether some state may show an outcome, now or once something is learned. */
static bool may_show(const sonde__fast *fast, const sonde_modality *modality, int64_t s,
                     int32_t o) {
    const sonde__slice c = sonde__slice_of_A(modality, s);
    const double *p = modality->A != NULL ? modality->A : modality->p;
    for (int64_t i = 0; i < c.n; i++) {
        if ((c.row != NULL ? c.row[i] : i) == o) {
            return p[c.first + i] > 0.0 ||
                   (modality->counts_A != NULL && modality->counts_A[c.first + i] > 0.0) ||
                   (fast->grows && modality->counts_A != NULL);
        }
    }
    return false;
}

/* Lists the states of a view, and where the probabilities are that each is the product of. */
static bool list_states(sonde__fast *fast, sonde__fast_view *one, const int32_t *spots) {
    const sonde_model *model = fast->model;
    const sonde_modality *modality = &model->modality[one->modality];
    one->state = SONDE__POOL_TAKE(&fast->pool, int32_t, modality->n_state);
    one->term = SONDE__POOL_TAKE(&fast->pool, int32_t,
                                 (uint64_t)modality->n_state * (uint64_t)modality->n_factor + 1);
    one->shown = SONDE__POOL_TAKE(&fast->pool, int32_t, modality->n_outcome);
    if (one->state == NULL || one->term == NULL || one->shown == NULL) {
        return false;
    }
    for (int64_t s = 0; s < modality->n_state; s++) {
        int64_t rest = s;
        bool possible = true;
        int32_t *term = one->term + (int64_t)one->n_state * modality->n_factor;
        for (int32_t k = modality->n_factor - 1; k >= 0; k--) {
            const sonde__fast_spot *at = &fast->spot[spots[modality->factor[k]]];
            const int32_t n = model->factor[modality->factor[k]].n_state;
            term[k] = at->at + (int32_t)(rest % n);
            possible = possible && (!at->fixed || fast->constant[term[k]] > 0.0);
            rest /= n;
        }
        if (possible) {
            one->state[one->n_state++] = (int32_t)s;
        }
    }
    for (int32_t o = 0; o < modality->n_outcome; o++) {
        bool any = false;
        for (int32_t k = 0; k < one->n_state; k++) {
            any = any || may_show(fast, modality, one->state[k], o);
        }
        if (any) {
            one->shown[one->n_shown++] = o;
        }
    }
    return true;
}

static int32_t find_view(sonde__fast *fast, int32_t m, const int32_t *spots) {
    const sonde_modality *modality = &fast->model->modality[m];
    for (int32_t v = 0; v < fast->n_view; v++) {
        bool same = fast->view[v].modality == m;
        for (int32_t k = 0; same && k < modality->n_factor; k++) {
            same = fast->view[v].spots[modality->factor[k]] == spots[modality->factor[k]];
        }
        if (same) {
            return v;
        }
    }
    if (fast->n_view == MOST_NODE) {
        return -1;
    }
    sonde__fast_view *one = &fast->view[fast->n_view];
    *one = (sonde__fast_view){.modality = m, .spots = spots, .fixed = true};
    for (int32_t k = 0; k < modality->n_factor; k++) {
        one->fixed = one->fixed && fast->spot[spots[modality->factor[k]]].fixed;
    }
    return list_states(fast, one, spots) ? fast->n_view++ : -1;
}

/* Whether some step leads to a node: to the present itself often none does. */
static bool is_reached(const sonde__fast *fast, int32_t node) {
    for (int32_t i = 0; i < fast->n_kind * fast->model->n_action; i++) {
        if (fast->way[i] == node) {
            return true;
        }
    }
    return false;
}

static bool find_views(sonde__fast *fast) {
    const sonde_model *model = fast->model;
    fast->first_node = is_reached(fast, 0) ? 0 : 1;
    for (int32_t k = fast->first_node; k < fast->n_node; k++) {
        for (int32_t m = 0; m < model->n_modality; m++) {
            const int32_t v = find_view(fast, m, fast->node + (int64_t)k * model->n_factor);
            fast->seen[(int64_t)k * model->n_modality + m] = v;
            if (v < 0) {
                return false;
            }
        }
    }
    return true;
}

/* --------------------------------------------------------------------------------------- new -- */

/* The combined state of each modality in every joint state. */
static void find_places(sonde__fast *fast) {
    const sonde_model *model = fast->model;
    const int32_t n = (int32_t)model->n_joint;
    int32_t state[SONDE_FACTORS_MAX];
    for (int32_t j = 0; j < n; j++) {
        int32_t rest = j;
        for (int32_t f = model->n_factor - 1; f >= 0; f--) {
            state[f] = rest % model->factor[f].n_state;
            rest /= model->factor[f].n_state;
            fast->digit[(int64_t)j * model->n_factor + f] = model->factor[f].first + state[f];
        }
        for (int32_t m = 0; m < model->n_modality; m++) {
            const sonde_modality *modality = &model->modality[m];
            int32_t place = 0;
            for (int32_t k = 0; k < modality->n_factor; k++) {
                place =
                    place * model->factor[modality->factor[k]].n_state + state[modality->factor[k]];
            }
            fast->place[(int64_t)j * model->n_modality + m] = place;
        }
    }
}

/* The numbers of a belief whose product is the probability of each combined state. */
static bool find_terms(sonde__fast *fast) {
    const sonde_model *model = fast->model;
    for (int32_t m = 0; m < model->n_modality; m++) {
        const sonde_modality *modality = &model->modality[m];
        const uint64_t n = (uint64_t)modality->n_state * (uint64_t)modality->n_factor;
        fast->term[m] = SONDE__POOL_TAKE(&fast->pool, int32_t, n + 1);
        for (int64_t s = 0; fast->term[m] != NULL && s < modality->n_state; s++) {
            int64_t rest = s;
            for (int32_t k = modality->n_factor - 1; k >= 0; k--) {
                const sonde_factor *factor = &model->factor[modality->factor[k]];
                fast->term[m][s * modality->n_factor + k] =
                    factor->first + (int32_t)(rest % factor->n_state);
                rest /= factor->n_state;
            }
        }
        if (fast->term[m] == NULL) {
            return false;
        }
    }
    return true;
}

static bool take_all(sonde__fast *fast) {
    const sonde_model *model = fast->model;
    sonde__pool *pool = &fast->pool;
    fast->B = SONDE__POOL_TAKE(pool, double *, model->n_factor);
    fast->spot = SONDE__POOL_TAKE(pool, sonde__fast_spot, MOST_SPOT);
    fast->constant = SONDE__POOL_TAKE(pool, double, MOST_SPOT * 16);
    fast->node = SONDE__POOL_TAKE(pool, int32_t, MOST_NODE * (uint64_t)model->n_factor);
    fast->kind = SONDE__POOL_TAKE(pool, int32_t, MOST_NODE);
    fast->way = SONDE__POOL_TAKE(pool, int32_t, (MOST_NODE + 1) * (uint64_t)model->n_action);
    fast->view = SONDE__POOL_TAKE(pool, sonde__fast_view, MOST_NODE);
    fast->seen = SONDE__POOL_TAKE(pool, int32_t, MOST_NODE * (uint64_t)model->n_modality);
    fast->place =
        SONDE__POOL_TAKE(pool, int32_t, (uint64_t)model->n_joint * (uint64_t)model->n_modality);
    fast->digit =
        SONDE__POOL_TAKE(pool, int32_t, (uint64_t)model->n_joint * (uint64_t)model->n_factor);
    fast->term = SONDE__POOL_TAKE(pool, int32_t *, model->n_modality);
    return fast->digit != NULL && fast->term != NULL && fast->B != NULL && fast->spot != NULL &&
           fast->constant != NULL && fast->node != NULL && fast->kind != NULL &&
           fast->way != NULL && fast->view != NULL && fast->seen != NULL && fast->place != NULL;
}

sonde_status sonde__fast_new(const sonde_policies *policies, const sonde_replay_settings *settings,
                             sonde__fast **out) {
    *out = NULL;
    if (!fits(policies, settings)) {
        return SONDE_OK;
    }
    sonde__fast *fast = sonde__alloc(sizeof *fast);
    if (fast == NULL) {
        return SONDE_NO_MEMORY;
    }
    fast->model = policies->model;
    fast->horizon = policies->horizon;
    fast->grows = settings->learns && settings->learn.support == SONDE_SUPPORT_GROW;
    if (!take_all(fast) || !take_B(fast) || !find_nodes(fast) || !find_views(fast) ||
        !find_terms(fast)) {
        const bool refused = fast->pool.refused;
        sonde__fast_free(fast);
        return refused ? SONDE_NO_MEMORY : SONDE_OK;
    }
    find_places(fast);
    *out = fast;
    return SONDE_OK;
}

void sonde__fast_free(sonde__fast *fast) {
    if (fast != NULL) {
        sonde__pool_free(&fast->pool);
        sonde__free(fast);
    }
}

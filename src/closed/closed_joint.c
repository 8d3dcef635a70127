/* closed_joint.c: a model over joint states, as lists.
 *
 * What follows a joint state after an action is the product of what follows its factors' states,
 * and what is seen in it the product of what the modalities show; neither is ever a matrix. Where
 * there are more joint states than are worth listing, those are listed that can be reached from
 * where the model begins. A modality whose outcomes say nothing about the state makes no branches.
 */
#include <stdlib.h>
#include <string.h>

#include "base/numbers.h"
#include "base/settings.h"
#include "base/status.h"
#include "closed/closed_internal.h"

/* joint states that are listed whether they can be reached or not */
#define ALL_MOST 4096.0
/* e^-16, which pymdp 0.0.7 adds within the logarithm of A */
#define LEGACY_BLUR 1.1253517471925912e-07

/* a world while it is made */
typedef struct {
    sonde__joint *world;
    sonde_error *error;
    sonde_status status;
    sonde__growing joint; /* uint64_t */
    sonde__growing place; /* int32_t: a hash table of `joint`, -1 where it is empty */
    sonde__growing index; /* uint64_t: what one product lists, */
    sonde__growing p;     /* double: and with what probability */
    sonde__growing index_before;
    sonde__growing p_before;
} making;

/* ------------------------------------------------------------------------------------- lists -- */

static bool out_of_memory(making *m, uint64_t bytes) {
    const sonde_model *model = m->world->model;
    m->status = sonde__fail(m->error, SONDE_TOO_LARGE,
                            "closed loop: %g joint states take more than the %.3g bytes that are "
                            "allowed (%.3g so far); choose belief factorised, or allow more memory",
                            model->n_joint, (double)m->world->run.memory, (double)bytes);
    return false;
}

/* Room for n things of a size in a list. */
static bool grow(making *m, sonde__growing *list, int64_t n, size_t size) {
    if (n <= list->most) {
        return true;
    }
    const int64_t most = n > 2 * list->most ? n : 2 * list->most;
    const uint64_t bytes = sonde__multiply((uint64_t)most, size);
    const uint64_t held = sonde__add(m->world->bytes, bytes);
    if (held > m->world->run.memory) {
        return out_of_memory(m, held);
    }
    void *data = sonde__resize(list->data, (size_t)bytes);
    if (data == NULL) {
        m->status = sonde__fail_memory(m->error, "closed loop", bytes);
        return false;
    }
    m->world->bytes += bytes - (uint64_t)list->most * size;
    list->data = data;
    list->most = most;
    return true;
}

static bool append(making *m, sonde__growing *list, size_t size, const void *item) {
    if (!grow(m, list, list->n + 1, size)) {
        return false;
    }
    memcpy((char *)list->data + (size_t)list->n++ * size, item, size);
    return true;
}

/* n zeroed pieces that the world keeps. */
static void *keep(making *m, uint64_t n, size_t size) {
    sonde__growing list = {0};
    if (n > INT64_MAX / 16 || !grow(m, &list, n > 0 ? (int64_t)n : 1, size)) {
        if (m->status == SONDE_OK) {
            (void)out_of_memory(m, UINT64_MAX);
        }
        return NULL;
    }
    memset(list.data, 0, (size_t)(n > 0 ? n : 1) * size);
    return list.data;
}

/* ---------------------------------------------------------------------------------- products -- */

static sonde__listing next_of(const sonde_factor *factor, int64_t previous, int32_t u) {
    if (factor->B != NULL) {
        return (sonde__listing){.n = factor->n_state,
                                .stride = factor->n_lane,
                                .p = factor->B + previous * factor->n_state * factor->n_lane + u};
    }
    const int64_t at = previous * factor->n_action + u;
    return (sonde__listing){.n = factor->offset[at + 1] - factor->offset[at],
                            .stride = 1,
                            .p = factor->p + factor->offset[at],
                            .row = factor->next + factor->offset[at]};
}

sonde__listing sonde__listing_seen(const sonde_modality *modality, int64_t state) {
    if (modality->A != NULL) {
        return (sonde__listing){
            .n = modality->n_outcome, .stride = 1, .p = modality->A + state * modality->n_outcome};
    }
    return (sonde__listing){.n = modality->offset[state + 1] - modality->offset[state],
                            .stride = 1,
                            .p = modality->p + modality->offset[state],
                            .row = modality->outcome + modality->offset[state]};
}

/* The product of nothing: one thing for certain. */
static bool begin_product(making *m) {
    const uint64_t first = 0;
    const double certain = 1.0;
    m->index.n = m->p.n = 0;
    return append(m, &m->index, sizeof first, &first) && append(m, &m->p, sizeof certain, &certain);
}

/* Multiplies one more column of `radix` rows into the product, its rows fastest. */
static bool multiply(making *m, sonde__listing c, uint64_t radix) {
    if (m->index.n == 1 && c.n == 1) { /* what is certain stays where it is */
        uint64_t *number = m->index.data;
        double *q = m->p.data;
        *number = *number * radix + (c.row != NULL ? (uint64_t)c.row[0] : 0);
        *q *= c.p[0];
        m->index.n = m->p.n = *q > 0.0 ? 1 : 0;
        return true;
    }
    const sonde__growing index = m->index;
    const sonde__growing p = m->p;
    m->index = m->index_before;
    m->p = m->p_before;
    m->index_before = index;
    m->p_before = p;
    m->index.n = m->p.n = 0;
    for (int64_t i = 0; i < index.n; i++) {
        for (int64_t j = 0; j < c.n; j++) {
            const double q = ((const double *)p.data)[i] * c.p[j * c.stride];
            const uint64_t row = c.row != NULL ? (uint64_t)c.row[j] : (uint64_t)j;
            const uint64_t number = ((const uint64_t *)index.data)[i] * radix + row;
            if (q > 0.0 && (!append(m, &m->index, sizeof number, &number) ||
                            !append(m, &m->p, sizeof q, &q))) {
                return false;
            }
        }
    }
    return true;
}

/* The combined state of some factors. */
static int64_t combine(const sonde_model *model, int32_t n, const int32_t *factor,
                       const int32_t *state) {
    int64_t place = 0;
    for (int32_t i = 0; i < n; i++) {
        place = place * model->factor[factor[i]].n_state + state[factor[i]];
    }
    return place;
}

/* What follows a joint state after an action. */
static bool list_next(making *m, const int32_t *state, int32_t action) {
    const sonde_model *model = m->world->model;
    int32_t tuple[SONDE_FACTORS_MAX];
    sonde__model_tuple(model, action, tuple);
    bool made = begin_product(m);
    for (int32_t f = 0; made && f < model->n_factor; f++) {
        const sonde_factor *factor = &model->factor[f];
        const int64_t previous = combine(model, factor->n_depend, factor->depend, state);
        made = multiply(m, next_of(factor, previous, tuple[f]), (uint64_t)factor->n_state);
    }
    return made;
}

/* ------------------------------------------------------------------------------------ states -- */

static uint64_t scatter(uint64_t x) {
    x ^= x >> 31;
    x *= UINT64_C(0x9e3779b97f4a7c15);
    return x ^ x >> 29;
}

/* Makes the hash table larger. */
static bool spread(making *m) {
    const int64_t n = m->place.most > 0 ? 2 * m->place.most : 1024;
    if (!grow(m, &m->place, n, sizeof(int32_t))) {
        return false;
    }
    int32_t *place = m->place.data;
    const uint64_t mask = (uint64_t)m->place.most - 1;
    memset(place, 0xff, (size_t)m->place.most * sizeof *place);
    for (int64_t i = 0; i < m->joint.n; i++) {
        uint64_t at = scatter(((uint64_t *)m->joint.data)[i]) & mask;
        while (place[at] >= 0) {
            at = (at + 1) & mask;
        }
        place[at] = (int32_t)i;
    }
    return true;
}

/* Lists a joint state, unless it is there. */
static bool reach(making *m, uint64_t joint) {
    if (2 * (m->joint.n + 1) > m->place.most && !spread(m)) {
        return false;
    }
    const uint64_t mask = (uint64_t)m->place.most - 1;
    int32_t *place = m->place.data;
    uint64_t at = scatter(joint) & mask;
    for (; place[at] >= 0; at = (at + 1) & mask) {
        if (((uint64_t *)m->joint.data)[place[at]] == joint) {
            return true;
        }
    }
    if (m->joint.n >= INT32_MAX) {
        return out_of_memory(m, UINT64_MAX);
    }
    place[at] = (int32_t)m->joint.n;
    return append(m, &m->joint, sizeof joint, &joint);
}

/* All states in which the model may begin. */
static bool reach_initial(making *m) {
    const sonde_model *model = m->world->model;
    bool made = begin_product(m);
    for (int32_t f = 0; made && f < model->n_factor; f++) {
        const sonde_factor *factor = &model->factor[f];
        made = multiply(m, (sonde__listing){.n = factor->n_state, .stride = 1, .p = factor->D},
                        (uint64_t)factor->n_state);
    }
    for (int64_t i = 0; made && i < m->index.n; i++) {
        made = reach(m, ((uint64_t *)m->index.data)[i]);
    }
    return made;
}

static bool reach_all(making *m) {
    const sonde_model *model = m->world->model;
    bool made = reach_initial(m);
    for (int64_t i = 0; made && i < m->joint.n; i++) {
        int32_t state[SONDE_FACTORS_MAX];
        sonde__joint_digits(model, ((uint64_t *)m->joint.data)[i], state);
        for (int32_t u = 0; made && u < model->n_action; u++) {
            made = list_next(m, state, u);
            for (int64_t k = 0; made && k < m->index.n; k++) {
                made = reach(m, ((uint64_t *)m->index.data)[k]);
            }
        }
        if ((i & 1023) == 0 && sonde__stopped(&m->world->run)) {
            m->status = sonde__fail(m->error, SONDE_STOPPED, "closed loop: interrupted");
            return false;
        }
    }
    return made;
}

/* qsort wants a function; these are numbers without sign */
static int compare(const void *left, const void *right) {
    const uint64_t a = *(const uint64_t *)left;
    const uint64_t b = *(const uint64_t *)right;
    return a < b ? -1 : a > b;
}

static bool list_states(making *m) {
    const sonde_model *model = m->world->model;
    bool made = true;
    if (model->n_joint <= ALL_MOST) {
        for (uint64_t joint = 0; made && joint < (uint64_t)model->n_joint; joint++) {
            made = append(m, &m->joint, sizeof joint, &joint);
        }
    } else if (model->n_joint >= 0x1p63) {
        made = out_of_memory(m, UINT64_MAX);
    } else {
        made = reach_all(m);
    }
    if (made && m->joint.data != NULL) {
        qsort(m->joint.data, (size_t)m->joint.n, sizeof(uint64_t), compare);
    }
    m->world->joint = m->joint.data;
    m->world->n_state = (int32_t)m->joint.n;
    return made && m->world->joint != NULL;
}

int32_t sonde__joint_find(const sonde__joint *world, uint64_t joint) {
    if (joint < (uint64_t)world->n_state && world->joint[joint] == joint) {
        return (int32_t)joint; /* all before it are there */
    }
    const uint64_t *found =
        bsearch(&joint, world->joint, (size_t)world->n_state, sizeof joint, compare);
    return found != NULL ? (int32_t)(found - world->joint) : -1;
}

/* ------------------------------------------------------------------------------------ tables -- */

static bool list_transitions(making *m) {
    sonde__joint *world = m->world;
    sonde__growing next = {0};
    sonde__growing p = {0};
    const uint64_t n_column = sonde__multiply((uint64_t)world->n_state, (uint64_t)world->n_action);
    world->offset = keep(m, sonde__add(n_column, 1), sizeof *world->offset);
    bool made = world->offset != NULL;
    for (int32_t s = 0; made && s < world->n_state; s++) {
        int32_t state[SONDE_FACTORS_MAX];
        sonde__joint_digits(world->model, world->joint[s], state);
        for (int32_t u = 0; made && u < world->n_action; u++) {
            made = list_next(m, state, u);
            for (int64_t i = 0; made && i < m->index.n; i++) {
                const int32_t to = sonde__joint_find(world, ((uint64_t *)m->index.data)[i]);
                made = append(m, &next, sizeof to, &to) &&
                       append(m, &p, sizeof(double), (double *)m->p.data + i);
            }
            world->offset[(int64_t)s * world->n_action + u + 1] = next.n;
        }
    }
    world->next = next.data;
    world->p = p.data;
    return made;
}

/* Whether what a modality shows depends on the state. */
static bool tells(const sonde_modality *modality) {
    const int64_t n_by = modality->n_action;
    for (int64_t at = n_by; at < modality->n_state * n_by; at++) {
        const sonde__listing c = sonde__listing_seen(modality, at);
        const sonde__listing first = sonde__listing_seen(modality, at % n_by);
        if (c.n != first.n || memcmp(c.p, first.p, (size_t)c.n * sizeof *c.p) != 0 ||
            (c.row != NULL && memcmp(c.row, first.row, (size_t)c.n * sizeof *c.row) != 0)) {
            return true;
        }
    }
    return false;
}

/* What is seen in a joint state after an action: keys of tuples of the modalities that tell. */
static bool list_seen(making *m, const int32_t *state, int32_t action) {
    const sonde_model *model = m->world->model;
    bool made = begin_product(m);
    for (int32_t k = 0; made && k < model->n_modality; k++) {
        const sonde_modality *modality = &model->modality[k];
        if (m->world->telling[k]) {
            const int64_t place = combine(model, modality->n_factor, modality->factor, state);
            const int64_t at = place * modality->n_action + (modality->n_action > 1 ? action : 0);
            made = multiply(m, sonde__listing_seen(modality, at), (uint64_t)modality->n_outcome);
        }
    }
    return made;
}

/* Numbers the keys of all tuples that can be seen, ascending. */
static bool number_tuples(making *m, const sonde__growing *key) {
    sonde__joint *world = m->world;
    const sonde_model *model = world->model;
    sonde__growing sorted = {0};
    bool made = grow(m, &sorted, key->n, sizeof(uint64_t));
    uint64_t *list = sorted.data;
    int64_t n = 0;
    if (made && list != NULL && key->data != NULL) {
        memcpy(list, key->data, (size_t)key->n * sizeof *list);
        qsort(list, (size_t)key->n, sizeof *list, compare);
    }
    for (int64_t i = 0; made && i < key->n; i++) {
        if (n == 0 || list[n - 1] != list[i]) {
            list[n++] = list[i];
        }
    }
    world->n_tuple = (int32_t)n;
    world->seen = made ? keep(m, (uint64_t)key->n, sizeof *world->seen) : NULL;
    world->tuple = world->seen != NULL
                       ? keep(m, sonde__multiply((uint64_t)n, (uint64_t)model->n_modality),
                              sizeof *world->tuple)
                       : NULL;
    made = world->tuple != NULL;
    for (int64_t i = 0; made && i < key->n; i++) {
        const uint64_t *found =
            bsearch((uint64_t *)key->data + i, list, (size_t)n, sizeof *list, compare);
        world->seen[i] = (int32_t)(found - list);
    }
    for (int64_t i = 0; made && i < n; i++) {
        uint64_t rest = list[i];
        for (int32_t k = model->n_modality - 1; k >= 0; k--) {
            const uint64_t n_outcome = (uint64_t)model->modality[k].n_outcome;
            world->tuple[i * model->n_modality + k] =
                world->telling[k] ? (int32_t)(rest % n_outcome) : -1;
            rest /= world->telling[k] ? n_outcome : 1;
        }
    }
    sonde__free(sorted.data);
    return made;
}

static bool list_outcomes(making *m) {
    sonde__joint *world = m->world;
    const sonde_model *model = world->model;
    double n_key = 1.0;
    world->n_by = 1;
    for (int32_t k = 0; k < model->n_modality; k++) {
        world->n_telling += world->telling[k];
        n_key *= world->telling[k] ? (double)model->modality[k].n_outcome : 1.0;
        world->n_by = model->modality[k].n_action > 1 ? world->n_action : world->n_by;
    }
    if (n_key >= 0x1p63) {
        return out_of_memory(m, UINT64_MAX);
    }
    sonde__growing key = {0};
    sonde__growing p = {0};
    const uint64_t n_column = sonde__multiply((uint64_t)world->n_state, (uint64_t)world->n_by);
    world->sees = keep(m, sonde__add(n_column, 1), sizeof *world->sees);
    bool made = world->sees != NULL;
    for (int64_t at = 0; made && at < (int64_t)n_column; at++) {
        int32_t state[SONDE_FACTORS_MAX];
        sonde__joint_digits(model, world->joint[at / world->n_by], state);
        made = list_seen(m, state, (int32_t)(at % world->n_by));
        for (int64_t i = 0; made && i < m->index.n; i++) {
            made = append(m, &key, sizeof(uint64_t), (uint64_t *)m->index.data + i) &&
                   append(m, &p, sizeof(double), (double *)m->p.data + i);
        }
        world->sees[at + 1] = key.n;
    }
    world->seen_p = p.data;
    made = made && number_tuples(m, &key);
    sonde__free(key.data);
    return made;
}

/* ------------------------------------------------------------------------------------ prices -- */

/* What is linear in the state that is reached: utility and cost of what all modalities show. */
static void price_state(const sonde__joint *world, const int32_t *state, int32_t action,
                        int32_t row, double *price, double *blur) {
    const sonde_model *model = world->model;
    const sonde_weights *weights = &world->weights;
    double utility = 0.0;
    double cost = 0.0;
    for (int32_t k = 0; k < model->n_modality; k++) {
        const sonde_modality *modality = &model->modality[k];
        const int64_t place = combine(model, modality->n_factor, modality->factor, state);
        const int64_t at = place * modality->n_action + (modality->n_action > 1 ? action : 0);
        const sonde__listing c = sonde__listing_seen(modality, at);
        const double *preference = modality->preference + (int64_t)row * modality->n_outcome;
        for (int64_t i = 0; i < c.n; i++) {
            const int64_t o = c.row != NULL ? c.row[i] : i;
            utility -= c.p[i] * preference[o];
            cost += model->lambda * modality->cost[o] * c.p[i];
        }
        *blur += row == 0 && world->telling[k] ? modality->ambiguity[at] : 0.0;
    }
    *price = weights->utility * utility + weights->cost * cost;
}

static bool set_prices(making *m) {
    sonde__joint *world = m->world;
    const sonde_model *model = world->model;
    const uint64_t n = sonde__multiply((uint64_t)world->n_state, (uint64_t)world->n_by);
    const uint64_t n_charge = sonde__multiply((uint64_t)world->n_state, (uint64_t)world->n_action);
    world->price = keep(m, sonde__multiply(n, (uint64_t)world->n_row), sizeof *world->price);
    world->blur = world->price != NULL ? keep(m, n, sizeof *world->blur) : NULL;
    world->charge = world->blur != NULL ? keep(m, n_charge, sizeof *world->charge) : NULL;
    if (world->charge == NULL) {
        return false;
    }
    int32_t state[SONDE_FACTORS_MAX];
    for (int32_t row = 0; row < world->n_row; row++) {
        for (int64_t at = 0; at < (int64_t)n; at++) {
            sonde__joint_digits(model, world->joint[at / world->n_by], state);
            price_state(world, state, (int32_t)(at % world->n_by), row,
                        &world->price[row * (int64_t)n + at], &world->blur[at]);
        }
    }
    for (int64_t i = 0; model->action_cost != NULL && i < (int64_t)n_charge; i++) {
        const uint64_t joint = world->joint[i / world->n_action];
        world->charge[i] =
            world->weights.cost *
            model->action_cost[joint * (uint64_t)world->n_action + (uint64_t)(i % world->n_action)];
    }
    return true;
}

void sonde__joint_priors(sonde__joint *world) {
    const double *given = world->given;
    const double *own = given != NULL ? given : world->model->action_prior;
    world->habit = world->prior + world->n_action;
    for (int32_t u = 0; u < world->n_action; u++) {
        world->habit[u] = own != NULL ? own[u] : 1.0 / (double)world->n_action;
    }
    if (given != NULL) {
        (void)sonde__normalise(world->habit, world->n_action, 1); /* as reading a model does */
    }
    memcpy(world->prior, world->habit, (size_t)world->n_action * sizeof *world->prior);
}

/* E, and what may be done in each state. */
static bool set_actions(making *m) {
    sonde__joint *world = m->world;
    const sonde_model *model = world->model;
    world->prior = keep(m, 2 * (uint64_t)world->n_action, sizeof *world->prior);
    if (world->prior != NULL) {
        sonde__joint_priors(world);
    }
    bool any = false;
    for (int32_t f = 0; f < model->n_factor; f++) {
        any = any || model->factor[f].allowed != NULL;
    }
    if (world->prior == NULL || !any) {
        return world->prior != NULL;
    }
    const uint64_t n = sonde__multiply((uint64_t)world->n_state, (uint64_t)world->n_action);
    world->allowed = keep(m, n, sizeof *world->allowed);
    for (int64_t i = 0; world->allowed != NULL && i < (int64_t)n; i++) {
        int32_t state[SONDE_FACTORS_MAX];
        int32_t tuple[SONDE_FACTORS_MAX];
        sonde__joint_digits(model, world->joint[i / world->n_action], state);
        sonde__model_tuple(model, (int32_t)(i % world->n_action), tuple);
        world->allowed[i] = true;
        for (int32_t f = 0; f < model->n_factor; f++) {
            const sonde_factor *factor = &model->factor[f];
            const int64_t at = (int64_t)state[f] * factor->n_action + tuple[f];
            world->allowed[i] &= factor->allowed == NULL || factor->allowed[at];
        }
    }
    return world->allowed != NULL;
}

/* The most posteriors' entries that one action can lead to. */
static void count_branches(sonde__joint *world) {
    for (int32_t u = 0; u < world->n_by; u++) {
        uint64_t n = 0;
        for (int32_t s = 0; s < world->n_state; s++) {
            const int64_t at = sonde__joint_at(world, s, u);
            n += (uint64_t)(world->sees[at + 1] - world->sees[at]);
        }
        world->n_branch = n > world->n_branch ? n : world->n_branch;
    }
}

/* What does not depend on how the world is believed. */
static void begin(sonde__joint *world, const sonde_policies *policies,
                  const sonde_search_settings *settings, const sonde_run *run) {
    const sonde_model *model = policies->model;
    const sonde_weights *weights = &settings->weights;
    const bool prunes = sonde__search_has((int32_t)settings->search, SONDE__PRUNES);
    const bool legacy = prunes && settings->pruning == SONDE_PRUNING_PYMDP_LEGACY;
    *world = (sonde__joint){.model = model,
                            .run = *run,
                            .given = settings->action_prior,
                            .n_action = model->n_action,
                            .horizon = policies->horizon,
                            .n_row = model->n_step_C,
                            .weights = model->weights,
                            .factorised = settings->belief_kind == SONDE_BELIEF_FACTORISED,
                            .marginal = settings->branches == SONDE_BRANCHES_MARGINAL,
                            .patient = legacy,
                            .inference = settings->inference,
                            .blurred = legacy ? LEGACY_BLUR : 0.0};
    world->weights.utility *= weights->utility;
    world->weights.information *= weights->information;
    world->weights.cost *= weights->cost;
    world->informs = world->weights.information;
    /* other packages branch on outcomes that say nothing, too */
    for (int32_t k = 0; k < model->n_modality; k++) {
        /* what is learned may come to tell something */
        world->telling[k] =
            prunes || model->modality[k].counts_A != NULL || tells(&model->modality[k]);
    }
}

sonde_status sonde__joint_open(sonde__joint *world, const sonde_policies *policies,
                               const sonde_search_settings *settings, const sonde_run *run,
                               sonde_error *error) {
    const sonde_model *model = policies->model;
    begin(world, policies, settings, run);
    if (world->factorised) {
        return sonde__factors_open(world, error);
    }
    making m = {.world = world, .error = error, .status = SONDE_OK};
    const bool made = list_states(&m) && list_transitions(&m) && list_outcomes(&m) &&
                      set_prices(&m) && set_actions(&m);
    const sonde__growing scratch[] = {m.place, m.index, m.p, m.index_before, m.p_before};
    for (size_t i = 0; i < sizeof scratch / sizeof *scratch; i++) {
        sonde__free(scratch[i].data);
    }
    if (!made) {
        return m.status;
    }
    const bool joint = model->information == SONDE_INFORMATION_JOINT;
    const int32_t n_counted = joint && world->n_telling > 0 ? 1 : world->n_telling;
    world->kappa = world->informs * (double)n_counted;
    count_branches(world);
    return SONDE_OK;
}

/* ----------------------------------------------------------------------------- other numbers -- */

/* The number of one row in a column. */
static double number_at(sonde__listing c, int64_t row) {
    if (c.row == NULL) {
        return c.p[row * c.stride];
    }
    for (int64_t i = 0; i < c.n; i++) {
        if (c.row[i] == row) {
            return c.p[i];
        }
    }
    return 0.0;
}

/* The probability that one joint state follows another, as list_next multiplies it. */
static double follows(const sonde__joint *world, const int32_t *state, int32_t action,
                      int32_t next) {
    const sonde_model *model = world->model;
    int32_t tuple[SONDE_FACTORS_MAX];
    int32_t then[SONDE_FACTORS_MAX];
    double p = 1.0;
    sonde__model_tuple(model, action, tuple);
    sonde__joint_digits(model, world->joint[next], then);
    for (int32_t f = 0; f < model->n_factor; f++) {
        const sonde_factor *factor = &model->factor[f];
        const int64_t previous = combine(model, factor->n_depend, factor->depend, state);
        p *= number_at(next_of(factor, previous, tuple[f]), then[f]);
    }
    return p;
}

/* The probability that a tuple of outcomes is seen, as list_seen multiplies it. */
static double shows(const sonde__joint *world, const int32_t *state, int32_t action, int32_t seen) {
    const sonde_model *model = world->model;
    const int32_t *outcome = world->tuple + (int64_t)seen * model->n_modality;
    double p = 1.0;
    for (int32_t k = 0; k < model->n_modality; k++) {
        const sonde_modality *modality = &model->modality[k];
        if (world->telling[k]) {
            const int64_t place = combine(model, modality->n_factor, modality->factor, state);
            const int64_t at = place * modality->n_action + (modality->n_action > 1 ? action : 0);
            p *= number_at(sonde__listing_seen(modality, at), outcome[k]);
        }
    }
    return p;
}

void sonde__joint_renew(sonde__joint *world) {
    int32_t state[SONDE_FACTORS_MAX];
    if (world->factorised) {
        return; /* it asks the model itself */
    }
    const int64_t n = (int64_t)world->n_state * world->n_by;
    for (int32_t s = 0; s < world->n_state; s++) {
        sonde__joint_digits(world->model, world->joint[s], state);
        for (int32_t u = 0; u < world->n_action; u++) {
            const int64_t *offset = world->offset + (int64_t)s * world->n_action + u;
            for (int64_t i = offset[0]; i < offset[1]; i++) {
                world->p[i] = follows(world, state, u, world->next[i]);
            }
        }
        for (int32_t u = 0; u < world->n_by; u++) {
            const int64_t at = (int64_t)s * world->n_by + u;
            for (int64_t i = world->sees[at]; i < world->sees[at + 1]; i++) {
                world->seen_p[i] = shows(world, state, u, world->seen[i]);
            }
            world->blur[at] = 0.0;
            for (int32_t row = 0; row < world->n_row; row++) {
                price_state(world, state, u, row, &world->price[row * n + at], &world->blur[at]);
            }
        }
    }
}

void sonde__joint_close(sonde__joint *world) {
    void *const list[] = {world->joint,  world->offset, world->next,   world->p,     world->sees,
                          world->seen,   world->seen_p, world->tuple,  world->price, world->blur,
                          world->charge, world->prior,  world->allowed};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        sonde__free(list[i]);
    }
    *world = (sonde__joint){0};
}

bool sonde__joint_allows(const sonde__joint *world, sonde__support belief, int32_t action) {
    for (int32_t i = 0; world->allowed != NULL && i < belief.n; i++) {
        if (!world->allowed[(int64_t)belief.state[i] * world->n_action + action]) {
            return false;
        }
    }
    return true;
}

void sonde__joint_say(const sonde__joint *world, int32_t state, sonde_text *text) {
    const sonde_model *model = world->model;
    int32_t digits[SONDE_FACTORS_MAX];
    if (!world->factorised) {
        sonde__joint_digits(model, world->joint[state], digits);
        sonde_model_say(model, SONDE_NOUN_STATE, digits, 40, text);
        return;
    }
    int32_t f = 0;
    while (f + 1 < model->n_factor && state >= model->factor[f + 1].first) {
        f++;
    }
    const sonde_factor *factor = &model->factor[f];
    const int32_t s = state - factor->first;
    if (factor->state_name != NULL) {
        sonde_text_add_shown(text, factor->state_name[s]);
    } else {
        sonde_text_add(text, "state %d of factor %d", s, f);
    }
}

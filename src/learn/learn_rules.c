/* learn_rules.c: one update of one array (docs/learning.md, "Rules").
 *
 *     A    a[o, s..]       += eta  product over the factors of q(s_f)
 *     B    b[s', s.., u]   += eta  q(s') product over what it depends on of q before(s_d)
 *     C    c[o]            += eta
 *     D    d[s]            += eta  q(s)
 *     E    e[policy]       += eta  Q(policy), or h[action] += eta
 *
 * With smoothed beliefs b adds the pair of states of a step and the next, in the place of their
 * product. Before an update comes what is forgotten, a <- a_init + (1 - omega)(a - a_init), and
 * after it the means of the columns that changed, and what follows from them. */
#include <string.h>

#include "learn/learn.h"

/* what is left of a count that fades to nothing */
#define FADED 1e-16

/* What the next update counts. */
static double rate_of(const sonde__learner *learner, const sonde__counted *array, double eta) {
    return eta / (1.0 + learner->settings.decay * (double)array->n_event);
}

/* Forgets a share of what was learned. */
static void fade(const sonde__learner *learner, double omega, sonde__counted *array) {
    const bool init = learner->settings.toward == SONDE_TOWARD_INIT;
    for (int64_t i = 0; omega > 0.0 && i < array->n; i++) {
        const double a = array->counts[i];
        if (init) {
            array->counts[i] = array->init[i] + (1.0 - omega) * (a - array->init[i]);
        } else if (a > 0.0) {
            const double left = (1.0 - omega) * a;
            array->counts[i] = left > FADED ? left : FADED;
        }
    }
}

/* Adds to one number, if it may: at once, or at the end of an episode; whether the count is another
 * then, which what is far smaller does not make it. */
static bool add(const sonde__learner *learner, sonde__counted *array, int64_t at, double amount) {
    if (array->gain != NULL) {
        array->gain[at] += amount;
        return false;
    }
    if (!(array->counts[at] > 0.0) && learner->settings.support != SONDE_SUPPORT_GROW) {
        array->masked += amount;
        return false;
    }
    const double before = array->counts[at];
    array->counts[at] += amount;
    return array->counts[at] > before || array->counts[at] < before;
}

/* Adds to the number of one row, which a sparse column need not have; whether it changed. */
static bool add_row(const sonde__learner *learner, sonde__counted *array, const sonde__slice *c,
                    int32_t row, double amount) {
    int64_t i = c->row != NULL ? 0 : row;
    while (c->row != NULL && i < c->n && c->row[i] != row) {
        i++;
    }
    if (i == c->n) {
        array->masked += amount;
        return false;
    }
    return add(learner, array, c->first + i * c->stride, amount);
}

static void settle_column(const sonde__learner *learner, const sonde__counted *array,
                          const sonde__slice *c, double *mean) {
    (void)sonde__counts_mean(array->counts + c->first, c->n, c->stride, learner->settings.least,
                             mean + c->first);
}

/* Whether all columns change, and not those alone that were added to: something was forgotten, or
 * they were no means of counts before. */
static bool is_whole(const sonde__learner *learner, const sonde__counted *array, double omega) {
    return omega > 0.0 || array->n_event == 1 || learner->settings.least > 0.0;
}

/* An update begins: it is counted, and something is forgotten. An episode's comes at its end. */
static bool begin_update(const sonde__learner *learner, sonde__counted *array, double omega) {
    array->n_gain++;
    if (array->gain != NULL) {
        return false;
    }
    fade(learner, omega, array);
    array->n_event++;
    return true;
}

/* ----------------------------------------------------------------------------------------- A -- */

/* Numbers of a modality are those of the version that comes next. */
static void touch(const sonde__learner *learner, int32_t m) {
    learner->own->modality[m].version = learner->own->model.version + 1;
}

static void settle_state(const sonde__learner *learner, int32_t m, int64_t s) {
    const sonde_modality *modality = &learner->own->modality[m];
    touch(learner, m);
    const sonde__slice c = sonde__slice_of_A(modality, s);
    settle_column(learner, &learner->A[m], &c,
                  sonde__own_at(learner->own, modality->A != NULL ? modality->A : modality->p));
    sonde__own_at(learner->own, modality->ambiguity)[s] = sonde__model_blur_at(modality, s);
}

void sonde__learn_A(sonde__learner *learner, int32_t m, int32_t outcome, const double *belief) {
    const sonde_model *model = learner->model;
    const sonde_modality *modality = &model->modality[m];
    sonde__counted *array = &learner->A[m];
    const double omega = learner->fading[learner->first_outcome[m] + outcome];
    const double eta = rate_of(learner, array, learner->rate[learner->first_outcome[m] + outcome]);
    const bool now = begin_update(learner, array, omega);
    const bool whole = is_whole(learner, array, omega);
    (void)sonde__belief_combine(model, modality->n_factor, modality->factor, belief,
                                learner->combined);
    for (int64_t s = 0; s < modality->n_state; s++) {
        const double q = learner->combined[s];
        bool changed = whole;
        if (q != 0.0) {
            const sonde__slice c = sonde__slice_of_A(modality, s);
            changed = add_row(learner, array, &c, outcome, eta * q) || whole;
        }
        if (now && changed) {
            settle_state(learner, m, s);
        }
    }
}

/* ----------------------------------------------------------------------------------------- B -- */

/* All columns of B after an action. */
static void settle_action(const sonde__learner *learner, int32_t f, int32_t u) {
    const sonde_factor *factor = &learner->own->factor[f];
    double *mean = sonde__own_at(learner->own, factor->B != NULL ? factor->B : factor->p);
    for (int64_t previous = 0; previous < factor->n_previous; previous++) {
        const sonde__slice c = sonde__slice_of_B(factor, previous, u);
        settle_column(learner, &learner->B[f], &c, mean);
    }
}

int64_t sonde__learn_own_state(const sonde_model *model, int32_t f, int64_t previous) {
    const sonde_factor *factor = &model->factor[f];
    for (int32_t i = factor->n_depend - 1; i >= 0; i--) {
        const int32_t n = model->factor[factor->depend[i]].n_state;
        if (factor->depend[i] == f) {
            return previous % n;
        }
        previous /= n;
    }
    return 0;
}

/* Adds a transition to one column: weight times the probabilities of the next states. */
static void add_column(const sonde__learner *learner, sonde__counted *array, const sonde__slice *c,
                       double weight, const double *next, int64_t stride) {
    double taken = 0.0;
    double all = 0.0;
    for (int64_t i = 0; i < c->n; i++) {
        const double amount = weight * next[(c->row != NULL ? c->row[i] : i) * stride];
        taken += amount;
        if (amount != 0.0) {
            (void)add(learner, array, c->first + i * c->stride, amount);
        }
    }
    for (int64_t i = 0; c->row != NULL && i < array->n_row; i++) {
        all += weight * next[i * stride];
    }
    /* next states that a sparse column does not have */
    array->masked += all > taken ? all - taken : 0.0;
}

void sonde__learn_B(sonde__learner *learner, int32_t f, int32_t action, const double *before,
                    const double *belief, const double *pair) {
    const sonde_model *model = learner->model;
    const sonde_factor *factor = &model->factor[f];
    const double omega = learner->settings.omega;
    sonde__counted *array = &learner->B[f];
    int32_t tuple[SONDE_FACTORS_MAX];
    sonde__model_tuple(model, action, tuple);
    const double eta = rate_of(learner, array, learner->settings.eta[SONDE_B]);
    const bool now = begin_update(learner, array, omega);
    (void)sonde__belief_combine(model, factor->n_depend, factor->depend, before, learner->combined);
    for (int64_t previous = 0; previous < factor->n_previous; previous++) {
        const double weight = eta * learner->combined[previous];
        if (weight != 0.0) {
            const sonde__slice c = sonde__slice_of_B(factor, previous, tuple[f]);
            const double *next = pair != NULL ? pair + sonde__learn_own_state(model, f, previous)
                                              : belief + factor->first;
            add_column(learner, array, &c, weight, next, pair != NULL ? factor->n_state : 1);
        }
    }
    const bool whole = is_whole(learner, array, omega);
    for (int32_t u = whole ? 0 : tuple[f]; now && u < (whole ? factor->n_action : tuple[f] + 1);
         u++) {
        settle_action(learner, f, u);
    }
    if (now) {
        sonde__own_settle_factor(learner->own, f);
    }
}

/* ------------------------------------------------------------------------------------- C, D -- */

static void settle_C(const sonde__learner *learner, int32_t m) {
    const sonde_modality *modality = &learner->own->modality[m];
    double *C = sonde__own_at(learner->own, modality->C);
    touch(learner, m);
    sonde__model_expect(modality->n_outcome, learner->C[m].counts, C);
    sonde__model_prefer(SONDE_PREFERENCES_LOG, learner->model->information, modality->n_outcome, C,
                        sonde__own_at(learner->own, modality->preference));
}

void sonde__learn_C(sonde__learner *learner, int32_t m, int32_t outcome) {
    sonde__counted *array = &learner->C[m];
    const double eta = rate_of(learner, array, learner->settings.eta[SONDE_C]);
    const bool now = begin_update(learner, array, learner->settings.omega);
    (void)add(learner, array, outcome, eta);
    if (now) {
        settle_C(learner, m);
    }
}

void sonde__learn_D(sonde__learner *learner, int32_t f, const double *belief) {
    const sonde_factor *factor = &learner->own->factor[f];
    sonde__counted *array = &learner->D[f];
    const sonde__slice c = {0, factor->n_state, 1, NULL};
    const double eta = rate_of(learner, array, learner->settings.eta[SONDE_D]);
    (void)begin_update(learner, array, learner->settings.omega);
    for (int32_t s = 0; s < factor->n_state; s++) {
        (void)add(learner, array, s, eta * belief[factor->first + s]);
    }
    settle_column(learner, array, &c, sonde__own_at(learner->own, factor->D));
}

/* ----------------------------------------------------------------------------------------- E -- */

static void settle_E(const sonde__learner *learner) {
    const sonde_model *model = learner->model;
    const sonde__slice c = {0, learner->E.n, 1, NULL};
    settle_column(learner, &learner->E, &c,
                  sonde__own_at(learner->own, model->E != NULL ? model->E : model->habit));
}

void sonde__learn_E(sonde__learner *learner, int32_t action) {
    sonde__counted *array = &learner->E;
    const double eta = rate_of(learner, array, learner->settings.eta[SONDE_E]);
    const bool now = begin_update(learner, array, learner->settings.omega);
    for (int64_t i = 0; action < 0 && i < array->n; i++) {
        if (learner->chosen[i] != 0.0) {
            (void)add(learner, array, i, eta * learner->chosen[i]);
        }
    }
    if (action >= 0) {
        (void)add(learner, array, action, eta);
    }
    if (now) {
        settle_E(learner);
    }
}

/* ------------------------------------------------------------------------------ by episode -- */

/* Forgets, and adds what the episode has gathered; false where that is nothing. */
static bool add_gain(const sonde__learner *learner, sonde__counted *array) {
    if (array->counts == NULL || array->gain == NULL || array->n_gain == 0) {
        return false;
    }
    double *gain = array->gain;
    array->gain = NULL;
    fade(learner, learner->settings.omega, array);
    for (int64_t i = 0; i < array->n; i++) {
        if (gain[i] != 0.0) {
            (void)add(learner, array, i, gain[i]);
        }
        gain[i] = 0.0;
    }
    array->gain = gain;
    array->n_gain = 0;
    array->n_event++;
    return true;
}

/* All numbers of arrays for which `changed` says so. */
static void settle_all(sonde__learner *learner,
                       bool (*changed)(const sonde__learner *learner, sonde__counted *array)) {
    const sonde_model *model = learner->model;
    for (int32_t m = 0; m < model->n_modality; m++) {
        const bool any = changed(learner, &learner->A[m]);
        for (int64_t s = 0; any && s < model->modality[m].n_state; s++) {
            settle_state(learner, m, s);
        }
        if (changed(learner, &learner->C[m])) {
            settle_C(learner, m);
        }
    }
    for (int32_t f = 0; f < model->n_factor; f++) {
        const bool any = changed(learner, &learner->B[f]);
        for (int32_t u = 0; any && u < model->factor[f].n_action; u++) {
            settle_action(learner, f, u);
        }
        if (any) {
            sonde__own_settle_factor(learner->own, f);
        }
    }
}

void sonde__learn_gains(sonde__learner *learner) {
    settle_all(learner, add_gain);
    if (add_gain(learner, &learner->E)) {
        settle_E(learner);
    }
}

static bool was_updated(const sonde__learner *learner, sonde__counted *array) {
    (void)learner;
    return array->counts != NULL && array->n_event > 0;
}

void sonde__learn_settle(sonde__learner *learner) {
    const sonde_model *shape = learner->shape;
    if (learner->own == NULL) {
        return;
    }
    sonde__arena_copy(learner->own->block, shape->numbers, shape->number_bytes);
    settle_all(learner, was_updated);
    if (was_updated(learner, &learner->E)) {
        settle_E(learner);
    }
    for (int32_t f = 0; f < shape->n_factor; f++) {
        const sonde_factor *factor = &learner->own->factor[f];
        const sonde__slice c = {0, factor->n_state, 1, NULL};
        if (was_updated(learner, &learner->D[f])) {
            settle_column(learner, &learner->D[f], &c, sonde__own_at(learner->own, factor->D));
        }
    }
    sonde__own_renew(learner->own);
}

/* learn.c: when an agent learns, and from which beliefs; learn_rules.c says what an update does.
 *
 *     step-before    A, B and C once a step's outcomes are taken in
 *     step-after     the same once its action is taken, before what comes next is predicted
 *     episode        the same when the episode ends, from all of its steps
 *     D              when the episode ends
 *     E              of listed policies after a decision, habits when an action is taken; by
 *                    episode when it ends, from its last decision or all of its actions */
#include "learn/learn.h"

#include <math.h>
#include <string.h>

#include "base/numbers.h"
#include "base/status.h"

sonde_learn_settings sonde_learn_defaults(void) {
    return (sonde_learn_settings){.beliefs_D = SONDE_BELIEFS_SMOOTHED,
                                  .eta = {1.0, 1.0, 1.0, 1.0, 1.0},
                                  .until = INT32_MAX,
                                  .alpha_g = 1.0};
}

const char *sonde_learn_when_name(int32_t when) {
    static const char *const name[] = {"step-after", "step-before", "episode", NULL};
    return name[when >= 0 && when < 3 ? when : 3];
}

const char *sonde_learn_beliefs_name(int32_t beliefs) {
    static const char *const name[] = {"filtered", "smoothed", "last", NULL};
    return name[beliefs >= 0 && beliefs < 3 ? beliefs : 3];
}

const char *sonde_support_name(int32_t support) {
    static const char *const name[] = {"keep", "grow", NULL};
    return name[support >= 0 && support < 2 ? support : 2];
}

const char *sonde_toward_name(int32_t toward) {
    static const char *const name[] = {"init", "zero", NULL};
    return name[toward >= 0 && toward < 2 ? toward : 2];
}

const char *sonde_precision_name(int32_t precision) {
    static const char *const name[] = {"fixed", "expected", NULL};
    return name[precision >= 0 && precision < 2 ? precision : 2];
}

/* ------------------------------------------------------------------------------------ checks -- */

static sonde_status check_range(const char *key, double value, double most, sonde_error *error) {
    return value >= 0.0 && value <= most
               ? SONDE_OK
               : sonde__fail(error, SONDE_BAD_ARGUMENT,
                             "%s: expected a number from 0 to %g, found %g", key, most, value);
}

static sonde_status check_rates(const sonde_model *shape, const sonde_learn_settings *settings,
                                sonde_error *error) {
    static const char *const key[] = {"eta_A", "eta_B", "eta_C", "eta_D", "eta_E"};
    sonde_status status = check_range("decay", settings->decay, SONDE__LARGEST, error);
    status = status != SONDE_OK ? status : check_range("omega", settings->omega, 1.0, error);
    for (int32_t i = 0; i < SONDE_N_LETTER && status == SONDE_OK; i++) {
        status = check_range(key[i], settings->eta[i], SONDE__COUNT_MAX, error);
    }
    int64_t n = 0;
    for (int32_t m = 0; m < shape->n_modality; m++) {
        n += shape->modality[m].n_outcome;
    }
    for (int64_t o = 0; o < n && status == SONDE_OK; o++) {
        const double *eta = settings->eta_outcome;
        const double *omega = settings->omega_outcome;
        if (eta != NULL && !isnan(eta[o])) {
            status = check_range("eta_A", eta[o], SONDE__COUNT_MAX, error);
        }
        if (status == SONDE_OK && omega != NULL && !isnan(omega[o])) {
            status = settings->when == SONDE_LEARN_EPISODE
                         ? sonde__fail(error, SONDE_BAD_ARGUMENT,
                                       "omega: that of an outcome is of the step it is seen in, "
                                       "and with \"when\" episode something is forgotten once; "
                                       "give one number")
                         : check_range("omega", omega[o], 1.0, error);
        }
    }
    return status;
}

/* Whether an array is to be learned. */
static bool is_learned(const sonde_model *shape, const sonde_learn_settings *settings,
                       sonde_letter letter, int32_t i) {
    if (letter == SONDE_E) {
        return shape->counts_E != NULL;
    }
    const bool factors = letter == SONDE_B || letter == SONDE_D;
    const bool *which = factors ? settings->factor : settings->modality;
    const double *counts = letter == SONDE_A   ? shape->modality[i].counts_A
                           : letter == SONDE_B ? shape->factor[i].counts_B
                           : letter == SONDE_C ? shape->modality[i].counts_C
                                               : shape->factor[i].counts_D;
    return counts != NULL && (which == NULL || which[i]);
}

static sonde_status check_arrays(const sonde_model *shape, const sonde_learn_settings *settings,
                                 sonde_error *error) {
    bool any = shape->counts_E != NULL || settings->gamma == SONDE_PRECISION_EXPECTED;
    for (int32_t f = 0; f < shape->n_factor; f++) {
        const sonde_factor *factor = &shape->factor[f];
        any = any || is_learned(shape, settings, SONDE_B, f) ||
              is_learned(shape, settings, SONDE_D, f);
        if (is_learned(shape, settings, SONDE_B, f) && factor->B == NULL &&
            settings->support == SONDE_SUPPORT_GROW) {
            return sonde__fail(
                error, SONDE_BAD_ARGUMENT,
                "support: grow would fill the zeros of counts.B[%d], which is stored "
                "without them; take keep, or give small counts in their place",
                f);
        }
    }
    for (int32_t m = 0; m < shape->n_modality; m++) {
        any = any || is_learned(shape, settings, SONDE_A, m) ||
              is_learned(shape, settings, SONDE_C, m);
        if (is_learned(shape, settings, SONDE_A, m) && shape->modality[m].n_action > 1) {
            return sonde__fail(error, SONDE_BAD_ARGUMENT,
                               "counts.A[%d]: what is seen depends on the action there, which is "
                               "not learned; leave its counts out",
                               m);
        }
        if (is_learned(shape, settings, SONDE_A, m) && shape->modality[m].A == NULL &&
            settings->support == SONDE_SUPPORT_GROW) {
            return sonde__fail(
                error, SONDE_BAD_ARGUMENT,
                "support: grow would fill the zeros of counts.A[%d], which is stored "
                "without them; take keep, or give small counts in their place",
                m);
        }
        if (is_learned(shape, settings, SONDE_C, m) && shape->n_step_C > 1) {
            return sonde__fail(error, SONDE_BAD_ARGUMENT,
                               "counts.C[%d]: expected preferences that are the same at every step "
                               "of a plan, found %d rows; give one, or do not learn C",
                               m, shape->n_step_C);
        }
    }
    return any ? SONDE_OK
               : sonde__fail(error, SONDE_BAD_ARGUMENT,
                             "learning: the model has no counts of what is to be learned; give "
                             "\"counts\" in its file");
}

static sonde_status check_precision(const sonde_learn_settings *settings, sonde_error *error) {
    const double value[] = {settings->alpha_g, settings->beta_g};
    static const char *const key[] = {"alpha_g", "beta_g"};
    for (int32_t i = 0; settings->gamma == SONDE_PRECISION_EXPECTED && i < 2; i++) {
        if (!(value[i] > 0.0 && value[i] <= SONDE__LARGEST)) {
            return sonde__fail(error, SONDE_BAD_ARGUMENT,
                               "%s: expected a number above 0, at most %g, found %g", key[i],
                               SONDE__LARGEST, value[i]);
        }
    }
    return SONDE_OK;
}

sonde_status sonde__learner_check(const sonde_model *shape, const sonde_learn_settings *settings,
                                  sonde_error *error) {
    sonde_status status = sonde__model_refuse_graph(
        shape,
        "learning: the transitions of a graph world are not stored, and cannot be learned; write "
        "it as a model first (sonde model WORLD -o MODEL)",
        error);
    if (status) {
        return status;
    }
    if (sonde__model_shows_actions(shape)) {
        return sonde__fail(error, SONDE_BAD_ARGUMENT,
                           "learning: what is seen depends on the action, and such A are not "
                           "learned; leave the action out of A");
    }
    const bool smoothed = settings->beliefs == SONDE_BELIEFS_SMOOTHED;
    if (settings->beliefs > SONDE_BELIEFS_SMOOTHED ||
        (smoothed && settings->when != SONDE_LEARN_EPISODE)) {
        return sonde__fail(
            error, SONDE_BAD_ARGUMENT,
            "beliefs: %s; A and B are learned from filtered beliefs, or with \"when\" "
            "episode from smoothed ones",
            smoothed ? "smoothed ones are there once an episode has ended"
                     : "the last ones are for D alone");
    }
    if (smoothed && settings->steps < 1) {
        return sonde__fail(error, SONDE_BAD_ARGUMENT,
                           "steps: expected the most steps of an episode, 1 or more, found %d",
                           settings->steps);
    }
    if (!(settings->least >= 0.0 && settings->least <= 1.0)) {
        return sonde__fail(error, SONDE_BAD_ARGUMENT,
                           "least: expected a count from 0 to 1, found %g", settings->least);
    }
    status = check_rates(shape, settings, error);
    status = status == SONDE_OK ? check_precision(settings, error) : status;
    return status == SONDE_OK ? check_arrays(shape, settings, error) : status;
}

bool sonde__learner_weighs(const sonde_model *shape, const sonde_learn_settings *settings) {
    return is_learned(shape, settings, SONDE_E, 0) && shape->policies == SONDE_POLICIES_LISTED;
}

/* ------------------------------------------------------------------------------------ memory -- */

static int64_t size_of(const sonde_model *shape, sonde_letter letter, int32_t i) {
    if (letter == SONDE_A) {
        return sonde__size_of_A(&shape->modality[i]);
    }
    if (letter == SONDE_B) {
        return sonde__size_of_B(&shape->factor[i]);
    }
    if (letter == SONDE_E) {
        return shape->policies == SONDE_POLICIES_LISTED ? shape->n_policy : shape->n_action;
    }
    return letter == SONDE_C ? shape->modality[i].n_outcome : shape->factor[i].n_state;
}

static sonde__counted *carve_arrays(sonde__arena *arena, const sonde_model *shape,
                                    const sonde_learn_settings *settings, sonde_letter letter) {
    const bool factors = letter == SONDE_B || letter == SONDE_D;
    const int32_t n = factors ? shape->n_factor : shape->n_modality;
    const bool gains = settings->when == SONDE_LEARN_EPISODE && letter != SONDE_D;
    sonde__counted *array = SONDE__TAKE(arena, sonde__counted, n);
    for (int32_t i = 0; i < n; i++) {
        const int64_t size = is_learned(shape, settings, letter, i) ? size_of(shape, letter, i) : 0;
        double *counts = SONDE__TAKE(arena, double, size);
        double *gain = SONDE__TAKE(arena, double, gains ? size : 0);
        if (array != NULL && size > 0) {
            array[i] = (sonde__counted){.counts = counts,
                                        .gain = gains ? gain : NULL,
                                        .n = size,
                                        .n_row = factors ? shape->factor[i].n_state
                                                         : shape->modality[i].n_outcome};
        }
    }
    return array;
}

static void carve_E(sonde__arena *arena, const sonde_model *shape,
                    const sonde_learn_settings *settings, sonde__learner *learner) {
    const bool learned = is_learned(shape, settings, SONDE_E, 0);
    const int64_t n = learned ? size_of(shape, SONDE_E, 0) : 0;
    const bool gains = settings->when == SONDE_LEARN_EPISODE;
    double *counts = SONDE__TAKE(arena, double, n);
    double *gain = SONDE__TAKE(arena, double, gains ? n : 0);
    const bool weighs = sonde__learner_weighs(shape, settings);
    double *chosen = SONDE__TAKE(arena, double, weighs ? shape->n_policy : 0);
    learner->chosen = weighs ? chosen : NULL;
    learner->E = (sonde__counted){.counts = learned ? counts : NULL,
                                  .gain = gains && learned ? gain : NULL,
                                  .n = n,
                                  .n_row = (int32_t)n};
}

/* The largest of what is combined, and the most states of a factor. */
static void measure(const sonde_model *shape, uint64_t *combined, uint64_t *states) {
    *combined = *states = 1;
    for (int32_t f = 0; f < shape->n_factor; f++) {
        const uint64_t n = (uint64_t)shape->factor[f].n_previous;
        const uint64_t n_state = (uint64_t)shape->factor[f].n_state;
        *combined = n > *combined ? n : *combined;
        *states = n_state > *states ? n_state : *states;
    }
    for (int32_t m = 0; m < shape->n_modality; m++) {
        const uint64_t n = (uint64_t)shape->modality[m].n_state;
        *combined = n > *combined ? n : *combined;
    }
}

/* Numbers that one array takes where all is packed: its counts, perhaps what the episode adds to
 * them, and three besides. */
static int64_t count_array(const sonde_model *shape, const sonde_learn_settings *settings,
                           sonde_letter letter, int32_t i) {
    const bool gains = settings->when == SONDE_LEARN_EPISODE && letter != SONDE_D;
    return is_learned(shape, settings, letter, i) ? size_of(shape, letter, i) * (gains ? 2 : 1) + 3
                                                  : 0;
}

/* Whether the first state of a factor is believed anew with each step. */
static bool turns_at(const sonde_model *shape, const sonde_learn_settings *settings, int32_t f) {
    return settings->beliefs_D == SONDE_BELIEFS_SMOOTHED && is_learned(shape, settings, SONDE_D, f);
}

/* Numbers that all of it takes (learn_pack.c). */
static int64_t count_packed(const sonde_model *shape, const sonde_learn_settings *settings) {
    const bool smooths = settings->beliefs == SONDE_BELIEFS_SMOOTHED;
    int64_t n = 6 + 2 * (int64_t)shape->n_belief + shape->n_modality;
    n += count_array(shape, settings, SONDE_E, 0);
    n += sonde__learner_weighs(shape, settings) ? shape->n_policy : 0;
    for (int32_t f = 0; f < shape->n_factor; f++) {
        const int64_t n_state = shape->factor[f].n_state;
        n += count_array(shape, settings, SONDE_B, f) + count_array(shape, settings, SONDE_D, f);
        n += turns_at(shape, settings, f) ? n_state * n_state : 0;
    }
    for (int32_t m = 0; m < shape->n_modality; m++) {
        n += count_array(shape, settings, SONDE_A, m) + count_array(shape, settings, SONDE_C, m);
    }
    return n + (smooths ? (int64_t)settings->steps * (shape->n_belief + shape->n_modality + 1) : 0);
}

void sonde__learner_carve(sonde__arena *arena, const sonde_model *shape,
                          const sonde_learn_settings *settings, sonde__learner *learner) {
    const uint64_t n_belief = (uint64_t)shape->n_belief;
    const bool smooths = settings->beliefs == SONDE_BELIEFS_SMOOTHED;
    bool turns = false;
    for (int32_t f = 0; f < shape->n_factor; f++) {
        turns = turns || turns_at(shape, settings, f);
    }
    const uint64_t n_step = smooths ? (uint64_t)settings->steps : 0;
    uint64_t n_combined = 0;
    uint64_t n_state = 0;
    uint64_t n_outcome = 0;
    measure(shape, &n_combined, &n_state);
    for (int32_t m = 0; m < shape->n_modality; m++) {
        n_outcome += (uint64_t)shape->modality[m].n_outcome;
    }
    learner->A = carve_arrays(arena, shape, settings, SONDE_A);
    learner->B = carve_arrays(arena, shape, settings, SONDE_B);
    learner->C = carve_arrays(arena, shape, settings, SONDE_C);
    learner->D = carve_arrays(arena, shape, settings, SONDE_D);
    carve_E(arena, shape, settings, learner);
    learner->first_outcome = SONDE__TAKE(arena, int32_t, shape->n_modality);
    learner->rate = SONDE__TAKE(arena, double, n_outcome);
    learner->fading = SONDE__TAKE(arena, double, n_outcome);
    learner->before = SONDE__TAKE(arena, double, n_belief);
    learner->first = SONDE__TAKE(arena, double, n_belief);
    learner->smoothed = SONDE__TAKE(arena, double, 3 * n_belief);
    learner->combined = SONDE__TAKE(arena, double, n_combined);
    learner->outcome = SONDE__TAKE(arena, int32_t, shape->n_modality);
    learner->pair =
        SONDE__TAKE(arena, double, smooths || turns ? sonde__multiply(2 * n_state, n_state) : 0);
    learner->back = SONDE__TAKE(arena, double *, turns ? shape->n_factor : 0);
    for (int32_t f = 0; turns && f < shape->n_factor; f++) {
        const uint64_t n = turns_at(shape, settings, f) ? (uint64_t)shape->factor[f].n_state : 0;
        double *back = SONDE__TAKE(arena, double, sonde__multiply(n, n));
        if (learner->back != NULL) {
            learner->back[f] = n > 0 ? back : NULL;
        }
    }
    learner->history = SONDE__TAKE(arena, double, sonde__multiply(n_step, n_belief));
    learner->seen =
        SONDE__TAKE(arena, int32_t, sonde__multiply(n_step, (uint64_t)shape->n_modality));
    learner->done = SONDE__TAKE(arena, int32_t, n_step);
    learner->n_packed = count_packed(shape, settings);
    learner->packed = SONDE__TAKE(arena, double, learner->n_packed);
}

/* -------------------------------------------------------------------------------- beginnings -- */

static void open_rates(sonde__learner *learner) {
    const sonde_learn_settings *settings = &learner->settings;
    int32_t o = 0;
    for (int32_t m = 0; m < learner->shape->n_modality; m++) {
        const int32_t end = o + learner->shape->modality[m].n_outcome;
        learner->first_outcome[m] = o;
        for (; o < end; o++) {
            const double eta = settings->eta_outcome != NULL ? settings->eta_outcome[o] : NAN;
            const double omega = settings->omega_outcome != NULL ? settings->omega_outcome[o] : NAN;
            learner->rate[o] = isnan(eta) ? settings->eta[SONDE_A] : eta;
            learner->fading[o] = isnan(omega) ? settings->omega : omega;
        }
    }
}

void sonde__learner_open(sonde__learner *learner, sonde__own *own, const sonde_model *shape,
                         const sonde_learn_settings *settings) {
    learner->settings = *settings;
    learner->own = own;
    learner->model = own != NULL ? &own->model : shape;
    learner->shape = shape;
    open_rates(learner);
    learner->settings.eta_outcome = learner->settings.omega_outcome = NULL; /* the caller's */
    learner->settings.modality = learner->settings.factor = NULL;
    for (int32_t m = 0; m < shape->n_modality; m++) {
        learner->A[m].init = shape->modality[m].counts_A;
        learner->C[m].init = shape->modality[m].counts_C;
        if (own != NULL && learner->A[m].counts != NULL) {
            own->modality[m].counts_A = learner->A[m].counts;
        }
        if (own != NULL && learner->C[m].counts != NULL) {
            own->modality[m].counts_C = learner->C[m].counts;
        }
    }
    for (int32_t f = 0; f < shape->n_factor; f++) {
        learner->B[f].init = shape->factor[f].counts_B;
        learner->D[f].init = shape->factor[f].counts_D;
        if (own != NULL && learner->B[f].counts != NULL) {
            own->factor[f].counts_B = learner->B[f].counts;
        }
        if (own != NULL && learner->D[f].counts != NULL) {
            own->factor[f].counts_D = learner->D[f].counts;
        }
    }
    learner->E.init = shape->counts_E;
    if (own != NULL && learner->E.counts != NULL) {
        own->model.counts_E = learner->E.counts;
    }
    sonde__learner_forget(learner);
}

static void forget(int32_t n, sonde__counted *array) {
    for (int32_t i = 0; i < n; i++) {
        if (array[i].counts != NULL) {
            memcpy(array[i].counts, array[i].init, (size_t)array[i].n * sizeof *array[i].counts);
            array[i].n_event = 0;
            array[i].masked = 0.0;
        }
    }
}

void sonde__learner_forget(sonde__learner *learner) {
    const sonde_model *shape = learner->shape;
    forget(shape->n_modality, learner->A);
    forget(shape->n_factor, learner->B);
    forget(shape->n_modality, learner->C);
    forget(shape->n_factor, learner->D);
    forget(1, &learner->E);
    if (learner->own != NULL) {
        sonde__arena_copy(learner->own->block, shape->numbers, shape->number_bytes);
        for (int32_t f = 0; f < shape->n_factor; f++) {
            learner->own->factor[f].deterministic = shape->factor[f].deterministic;
        }
        sonde__own_renew(learner->own);
    }
    learner->episode = 0;
    sonde__learner_begin(learner);
}

static void clear_gains(int32_t n, sonde__counted *array) {
    for (int32_t i = 0; i < n; i++) {
        array[i].n_gain = 0;
        if (array[i].gain != NULL) {
            memset(array[i].gain, 0, (size_t)array[i].n * sizeof *array[i].gain);
        }
    }
}

void sonde__learner_begin(sonde__learner *learner) {
    const sonde_model *shape = learner->shape;
    learner->n_step = 0;
    learner->action = -1;
    learner->due = false;
    learner->decided = false;
    learner->gamma = learner->settings.alpha_g / learner->settings.beta_g;
    clear_gains(1, &learner->E);
    clear_gains(shape->n_modality, learner->A);
    clear_gains(shape->n_factor, learner->B);
    clear_gains(shape->n_modality, learner->C);
}

/* ------------------------------------------------------------------------------- an episode -- */

static bool is_learning(const sonde__learner *learner) {
    return learner->episode < learner->settings.until;
}

/* Some numbers are others than before. */
static void renew(const sonde__learner *learner) {
    if (learner->own != NULL) {
        learner->own->model.version++;
    }
}

bool sonde__learner_turns(const sonde__learner *learner, int32_t f) {
    return learner->settings.beliefs_D == SONDE_BELIEFS_SMOOTHED && learner->D[f].counts != NULL;
}

/* The present step: outcomes, and the transition to it. */
static void learn_step(sonde__learner *learner, const double *belief) {
    const sonde_model *model = learner->model;
    learner->due = false;
    if (!is_learning(learner) || learner->settings.beliefs == SONDE_BELIEFS_SMOOTHED) {
        return;
    }
    for (int32_t m = 0; m < model->n_modality; m++) {
        if (learner->outcome[m] >= 0 && learner->A[m].counts != NULL) {
            sonde__learn_A(learner, m, learner->outcome[m], belief);
        }
        if (learner->outcome[m] >= 0 && learner->C[m].counts != NULL) {
            sonde__learn_C(learner, m, learner->outcome[m]);
        }
    }
    for (int32_t f = 0; learner->action >= 0 && f < model->n_factor; f++) {
        if (learner->B[f].counts != NULL) {
            sonde__learn_B(learner, f, learner->action, learner->before, belief, NULL);
        }
    }
    learner->action = -1; /* a transition counts once */
    renew(learner);
}

sonde_status sonde__learner_check_step(const sonde__learner *learner, sonde_error *error) {
    const sonde_learn_settings *settings = &learner->settings;
    if (settings->beliefs != SONDE_BELIEFS_SMOOTHED || learner->n_step < settings->steps) {
        return SONDE_OK;
    }
    return sonde__fail(error, SONDE_BAD_ARGUMENT,
                       "steps: the episode has more than the %d that can be smoothed; allow more "
                       "where learning is set",
                       settings->steps);
}

void sonde__learner_see(sonde__learner *learner, const int32_t *outcome, const double *belief) {
    const sonde_model *model = learner->model;
    const size_t size = (size_t)model->n_belief * sizeof *belief;
    memcpy(learner->outcome, outcome, (size_t)model->n_modality * sizeof *outcome);
    if (learner->n_step == 0) {
        memcpy(learner->first, belief, size);
        for (int32_t f = 0; f < model->n_factor; f++) {
            const int64_t n = sonde__learner_turns(learner, f) ? model->factor[f].n_state : 0;
            if (n == 0) {
                continue;
            }
            memset(learner->back[f], 0, (size_t)(n * n) * sizeof(double));
            for (int64_t s = 0; s < n; s++) {
                learner->back[f][s * n + s] = 1.0;
            }
        }
    } else if (!learner->due && learner->action >= 0) {
        /* only now: an action that nothing is seen after is no part of the episode */
        sonde__learn_turn(learner, learner->action, NULL, learner->before);
    }
    if (learner->settings.beliefs == SONDE_BELIEFS_SMOOTHED) {
        const int64_t t = learner->n_step;
        memcpy(learner->history + t * model->n_belief, belief, size);
        memcpy(learner->seen + t * model->n_modality, outcome,
               (size_t)model->n_modality * sizeof *outcome);
        learner->done[t] = -1;
    }
    learner->n_step++;
    learner->due = true;
    if (learner->settings.when == SONDE_LEARN_BEFORE) {
        learn_step(learner, belief);
    }
}

void sonde__learner_decide(sonde__learner *learner) {
    learner->decided = true;
}

/* The posterior of the last decision, step by step or at the end of the episode. */
static void learn_decision(sonde__learner *learner) {
    if (learner->decided && is_learning(learner) && learner->chosen != NULL &&
        learner->E.counts != NULL) {
        sonde__learn_E(learner, -1);
        renew(learner);
    }
    learner->decided = false;
}

void sonde__learner_act(sonde__learner *learner, int32_t action, const double *belief) {
    const bool listed = sonde__learner_weighs(learner->shape, &learner->settings);
    if (learner->due) {
        learn_step(learner, belief);
    }
    if (listed && learner->settings.when != SONDE_LEARN_EPISODE) {
        learn_decision(learner);
    } else if (!listed && action >= 0 && learner->E.counts != NULL && is_learning(learner)) {
        sonde__learn_E(learner, action);
        renew(learner);
    }
    if (learner->n_step == 0) {
        return; /* nothing has been seen: no belief to learn a transition from */
    }
    memcpy(learner->before, belief, (size_t)learner->model->n_belief * sizeof *belief);
    learner->action = action;
    if (learner->settings.beliefs == SONDE_BELIEFS_SMOOTHED) {
        learner->done[learner->n_step - 1] = action;
    }
}

void sonde__learner_drift(sonde__learner *learner, const double *p, const double *belief) {
    sonde__learner_act(learner, -1, belief);
    sonde__learn_turn(learner, -1, p, belief);
}

/* What is believed of the first step at the end. */
static const double *first_belief(sonde__learner *learner, const double *belief) {
    const sonde_model *model = learner->model;
    if (learner->settings.beliefs_D != SONDE_BELIEFS_SMOOTHED) {
        return learner->settings.beliefs_D == SONDE_BELIEFS_LAST ? belief : learner->first;
    }
    double *sum = learner->smoothed;
    for (int32_t f = 0; f < model->n_factor; f++) {
        const sonde_factor *factor = &model->factor[f];
        const double *row = sonde__learner_turns(learner, f) ? learner->back[f] : NULL;
        for (int32_t s = 0; row != NULL && s < factor->n_state; s++, row += factor->n_state) {
            sum[factor->first + s] = 0.0;
            for (int32_t last = 0; last < factor->n_state; last++) {
                sum[factor->first + s] += row[last] * belief[factor->first + last];
            }
        }
    }
    return sum;
}

void sonde__learner_end(sonde__learner *learner, const double *belief) {
    const sonde_model *model = learner->model;
    if (learner->due) {
        learn_step(learner, belief);
    }
    learn_decision(learner);
    if (is_learning(learner) && learner->n_step > 0) {
        if (learner->settings.beliefs == SONDE_BELIEFS_SMOOTHED) {
            sonde__learn_smoothed(learner);
        }
        const double *q = first_belief(learner, belief);
        for (int32_t f = 0; f < model->n_factor; f++) {
            if (learner->D[f].counts != NULL) {
                sonde__learn_D(learner, f, q);
            }
        }
        sonde__learn_gains(learner);
        renew(learner);
    }
    learner->episode += learner->n_step > 0;
    sonde__learner_begin(learner);
}

const sonde__counted *sonde__learner_array(const sonde__learner *learner, sonde_letter letter,
                                           int32_t i) {
    const bool factors = letter == SONDE_B || letter == SONDE_D;
    if (letter == SONDE_E) {
        return i == 0 && learner->E.counts != NULL ? &learner->E : NULL;
    }
    const int32_t n = factors ? learner->shape->n_factor : learner->shape->n_modality;
    const sonde__counted *array = letter == SONDE_A   ? learner->A
                                  : letter == SONDE_B ? learner->B
                                  : letter == SONDE_C ? learner->C
                                                      : learner->D;
    return i >= 0 && i < n && array[i].counts != NULL ? &array[i] : NULL;
}

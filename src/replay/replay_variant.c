/* replay_variant.c: parameters in the place of an agent's numbers. */
#include <math.h>
#include <string.h>

#include "base/numbers.h"
#include "base/status.h"
#include "replay/replay.h"

/* ------------------------------------------------------------------------------------ checks -- */

/* Whether an array of a model is learned. */
static bool is_learned(const sonde_learn_settings *learn, const sonde_model *model, int32_t letter,
                       int32_t place) {
    int32_t n = 0;
    const bool factors = letter == SONDE_B || letter == SONDE_D;
    const bool *chosen = letter == SONDE_E ? NULL : factors ? learn->factor : learn->modality;
    return (chosen == NULL || chosen[place]) &&
           sonde_model_counts(model, (sonde_letter)letter, place, NULL, &n) > 0;
}

/* Whether a model has counts that a rate is of. */
static bool has_rate(const sonde_learn_settings *learn, const sonde_model *model,
                     const sonde_parameter *one) {
    const bool any = one->kind == SONDE__TARGET_OMEGA && one->place < 0;
    for (int32_t l = any ? SONDE_A : one->letter; l <= (any ? SONDE_E : one->letter); l++) {
        const bool factors = l == SONDE_B || l == SONDE_D;
        const int32_t n = l == SONDE_E ? 1 : factors ? model->n_factor : model->n_modality;
        for (int32_t i = 0; i < n; i++) {
            if ((one->place < 0 || one->place == i) && is_learned(learn, model, l, i)) {
                return true;
            }
        }
    }
    return false;
}

static bool has_costs(const sonde_model *model) {
    for (int32_t m = 0; m < model->n_modality; m++) {
        for (int32_t o = 0; o < model->modality[m].n_outcome; o++) {
            if (model->modality[m].cost[o] != 0.0) {
                return true;
            }
        }
    }
    return false;
}

/* Why a parameter changes nothing; NULL: it does. */
static const char *idle(const sonde_replay_settings *settings, int32_t n_condition,
                        const sonde_parameter *one) {
    const bool learns = settings->learns;
    const bool novel = settings->search.weights.novelty != SONDE_NOVELTY_NONE;
    const bool rate = one->kind == SONDE__TARGET_ETA || one->kind == SONDE__TARGET_OMEGA;
    if (rate && !learns) {
        return "the agent does not learn; let it, or leave the parameter out";
    }
    if ((one->kind == SONDE__TARGET_NU_A || one->kind == SONDE__TARGET_NU_B) && !novel) {
        return "novelty does not count; choose a form of it, or leave the parameter out";
    }
    if ((one->kind == SONDE__TARGET_ALPHA_G || one->kind == SONDE__TARGET_BETA_G) &&
        !(learns && settings->learn.gamma == SONDE_PRECISION_EXPECTED)) {
        return "gamma is not expected; let it be, or leave the parameter out";
    }
    if (one->kind == SONDE__TARGET_SCALE_COUNTS && !learns && !novel) {
        return "counts change nothing where the agent does not learn and novelty does not count";
    }
    bool used = !rate && one->kind != SONDE__TARGET_LAMBDA;
    for (int32_t i = -1; !used && i < (settings->condition != NULL ? n_condition : 0); i++) {
        const sonde_model *model = i < 0 ? settings->model : settings->condition[i];
        used = rate ? has_rate(&settings->learn, model, one) : has_costs(model);
    }
    return used   ? NULL
           : rate ? "the model has no counts that it is a rate of; give it some, or leave the "
                    "parameter out"
                  : "nothing costs anything in this model";
}

sonde_status sonde__parameters_check(const sonde_replay_settings *settings, int32_t n_condition,
                                     const sonde_parameters *parameters, sonde_error *error) {
    for (int32_t p = 0; p < parameters->n; p++) {
        const char *why = idle(settings, n_condition, &parameters->parameter[p]);
        if (why != NULL) {
            return sonde__fail(error, SONDE_BAD_INPUT, "parameter %s: %s",
                               parameters->parameter[p].name, why);
        }
    }
    return SONDE_OK;
}

/* ------------------------------------------------------------------------------------ memory -- */

static int64_t count_outcomes(const sonde_model *shape) {
    int64_t n = 0;
    for (int32_t m = 0; m < shape->n_modality; m++) {
        n += shape->modality[m].n_outcome;
    }
    return n;
}

/* Where the counts of an array are kept, and how many there are as it is stored. */
static const double **counts_of(const sonde__own *own, int32_t letter, int32_t i, int64_t *n) {
    if (letter == SONDE_B || letter == SONDE_D) {
        sonde_factor *factor = &own->factor[i];
        *n = letter == SONDE_B ? sonde__size_of_B(factor) : factor->n_state;
        return letter == SONDE_B ? &factor->counts_B : &factor->counts_D;
    }
    sonde_modality *modality = &own->modality[i];
    *n = letter == SONDE_A ? sonde__size_of_A(modality) : modality->n_outcome;
    return letter == SONDE_A ? &modality->counts_A : &modality->counts_C;
}

static int32_t count_arrays(const sonde_model *shape, int32_t letter) {
    return letter == SONDE_B || letter == SONDE_D ? shape->n_factor : shape->n_modality;
}

/* Numbers of all counts. */
static int64_t count_counts(const sonde_model *shape) {
    const sonde__own own = {.factor = (sonde_factor *)shape->factor,
                            .modality = (sonde_modality *)shape->modality};
    int64_t sum = 0;
    for (int32_t l = 0; l <= SONDE_D; l++) {
        for (int32_t i = 0; i < count_arrays(shape, l); i++) {
            int64_t n = 0;
            sum += *counts_of(&own, l, i, &n) != NULL ? n : 0;
        }
    }
    return sum;
}

void sonde__variant_carve(sonde__arena *arena, const sonde_model *shape, sonde__variant *variant) {
    sonde__own_carve(arena, shape, &variant->own);
    variant->counts_block = SONDE__TAKE(arena, double, count_counts(shape));
    variant->eta_outcome = SONDE__TAKE(arena, double, count_outcomes(shape));
    variant->omega_outcome = SONDE__TAKE(arena, double, count_outcomes(shape));
}

/* Counts of its own, at first those of the model. */
static void copy_counts(sonde__variant *variant) {
    double *to = variant->counts_block;
    for (int32_t l = 0; l <= SONDE_D; l++) {
        for (int32_t i = 0; i < count_arrays(&variant->own.model, l); i++) {
            int64_t n = 0;
            const double **counts = counts_of(&variant->own, l, i, &n);
            if (*counts != NULL) {
                memcpy(to, *counts, (size_t)n * sizeof *to);
                *counts = to;
                to += n;
            }
        }
    }
}

/* ---------------------------------------------------------------------------------- numbers -- */

static int64_t first_outcome(const sonde_model *model, int32_t m) {
    int64_t n = 0;
    for (int32_t i = 0; i < m; i++) {
        n += model->modality[i].n_outcome;
    }
    return n;
}

/* One rate, or that of one outcome. */
static void set_rate(const sonde__variant *variant, const sonde_parameter *one, double value,
                     double *all, double *by_outcome) {
    if (one->place < 0) {
        *all = value;
    } else {
        by_outcome[first_outcome(&variant->own.model, one->place) + one->entry] = value;
    }
}

static void set_C(const sonde__variant *variant, const sonde_parameter *one, double value) {
    const sonde_modality *modality = &variant->own.modality[one->place];
    double *C = sonde__own_at(&variant->own, modality->C);
    for (int32_t t = 0; t < variant->own.model.n_step_C; t++, C += modality->n_outcome) {
        for (int32_t o = 0; o < modality->n_outcome; o++) {
            if (one->kind == SONDE__TARGET_ADD) {
                C[o] += value * one->vector[o];
            } else if (one->kind == SONDE__TARGET_SCALE_C) {
                C[o] *= value;
            } else if (o == one->entry) {
                C[o] = value;
            }
        }
    }
}

/* The probability of one state; the others keep their shares of the rest. */
static void set_D(const sonde__variant *variant, const sonde_parameter *one, double value) {
    const sonde_factor *factor = &variant->own.factor[one->place];
    double *D = sonde__own_at(&variant->own, factor->D);
    double rest = 0.0;
    for (int32_t s = 0; s < factor->n_state; s++) {
        rest += s != one->entry ? D[s] : 0.0;
    }
    for (int32_t s = 0; s < factor->n_state; s++) {
        const double share = rest > 0.0 ? D[s] / rest : 1.0 / (factor->n_state - 1);
        D[s] = s == one->entry ? value : (1.0 - value) * share;
    }
    if (factor->counts_D != NULL) {
        int64_t n = 0;
        double *counts = (double *)*counts_of(&variant->own, SONDE_D, one->place, &n);
        double sum = 0.0;
        for (int64_t s = 0; s < n; s++) {
            sum += counts[s];
        }
        for (int64_t s = 0; s < n; s++) {
            counts[s] = sum * D[s];
        }
    }
}

static void scale_counts(const sonde__variant *variant, const sonde_parameter *one, double value) {
    int64_t n = 0;
    double *counts = (double *)*counts_of(&variant->own, one->letter, one->place, &n);
    for (int64_t i = 0; i < n; i++) {
        counts[i] *= value;
    }
}

/* Numbers from `first` on become their powers, divided by the largest where all would vanish, and
 * 0 stays 0; returns their sum. */
static double raise(double *p, sonde__slice c, double value) {
    double most = 0.0;
    double sum = 0.0;
    for (int64_t i = c.first; i < c.first + c.n; i++) {
        most = p[i] > most ? p[i] : most;
    }
    const double log_most = value * sonde__log(most) < -600.0 ? sonde__log(most) : 0.0;
    for (int64_t i = c.first; i < c.first + c.n; i++) {
        p[i] = p[i] > 0.0 ? sonde__exp(value * (sonde__log(p[i]) - log_most)) : 0.0;
        sum += p[i];
    }
    return sum;
}

/* Every column of A becomes softmax(value ln A); its counts keep their sum. */
static void sharpen(const sonde__variant *variant, const sonde_parameter *one, double value) {
    const sonde_modality *modality = &variant->own.modality[one->place];
    double *p = sonde__own_at(&variant->own, modality->A != NULL ? modality->A : modality->p);
    double *counts = (double *)modality->counts_A;
    for (int64_t s = 0; s < modality->n_state * modality->n_action; s++) {
        const sonde__slice c = sonde__slice_of_A(modality, s);
        const double sum = raise(p, c, value);
        double all = 0.0;
        for (int64_t i = c.first; i < c.first + c.n; i++) {
            all += counts != NULL ? counts[i] : 0.0;
        }
        for (int64_t i = c.first; i < c.first + c.n; i++) {
            p[i] /= sum;
            if (counts != NULL) {
                counts[i] = all * p[i];
            }
        }
    }
}

static void set_one(sonde__variant *variant, const sonde_parameter *one, double value) {
    sonde_replay_settings *settings = &variant->settings;
    switch (one->kind) {
    case SONDE__TARGET_GAMMA: settings->search.gamma = value; break;
    case SONDE__TARGET_ALPHA: settings->search.alpha = value; break;
    case SONDE__TARGET_LAPSE: settings->lapse = value; break;
    case SONDE__TARGET_LAMBDA: variant->own.model.lambda = value; break;
    case SONDE__TARGET_NU_A: settings->search.weights.novelty_A = value; break;
    case SONDE__TARGET_NU_B: settings->search.weights.novelty_B = value; break;
    case SONDE__TARGET_ALPHA_G: settings->learn.alpha_g = value; break;
    case SONDE__TARGET_BETA_G: settings->learn.beta_g = value; break;
    case SONDE__TARGET_ETA:
        set_rate(variant, one, value, &settings->learn.eta[one->letter], variant->eta_outcome);
        break;
    case SONDE__TARGET_OMEGA:
        set_rate(variant, one, value, &settings->learn.omega, variant->omega_outcome);
        break;
    case SONDE__TARGET_D: set_D(variant, one, value); break;
    case SONDE__TARGET_SCALE_COUNTS: scale_counts(variant, one, value); break;
    case SONDE__TARGET_PRECISION_A: sharpen(variant, one, value); break;
    default: set_C(variant, one, value); break;
    }
}

/* Rates by outcome: those of the settings, or none. */
static void copy_rates(sonde__variant *variant, const sonde_replay_settings *settings) {
    const int64_t n = count_outcomes(&variant->own.model);
    const sonde_learn_settings *learn = &settings->learn;
    for (int64_t o = 0; o < n; o++) {
        variant->eta_outcome[o] = learn->eta_outcome != NULL ? learn->eta_outcome[o] : (double)NAN;
        variant->omega_outcome[o] =
            learn->omega_outcome != NULL ? learn->omega_outcome[o] : (double)NAN;
    }
    variant->settings.learn.eta_outcome = variant->eta_outcome;
    variant->settings.learn.omega_outcome = variant->omega_outcome;
}

void sonde__variant_set(sonde__variant *variant, const sonde_policies *policies,
                        const sonde_replay_settings *settings, const sonde_parameters *parameters,
                        const double *value) {
    sonde__own_open(&variant->own, policies->model);
    variant->settings = *settings;
    variant->settings.model = &variant->own.model;
    copy_counts(variant);
    copy_rates(variant, settings);
    for (int32_t i = 0; i < parameters->n; i++) {
        set_one(variant, &parameters->parameter[i], value[i]);
    }
    const uint64_t version = variant->own.model.version;
    sonde__own_settle(&variant->own);
    variant->own.model.version = version;
    variant->policies = *policies;
    variant->policies.model = &variant->own.model;
}

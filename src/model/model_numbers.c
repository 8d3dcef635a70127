/* model_numbers.c: a model's numbers apart from its shape.
 *
 * A model is one block: first its shape (factors, modalities, names, what depends on what, which
 * numbers of sparse tables there are), then its numbers, A, B, C, D, E, cost and what follows from
 * them. The shape alone says where each number stands, so numbers are copied as one stretch, and
 * whoever has numbers of his own borrows the shape. */
#include <string.h>

#include "base/numbers.h"
#include "model/model.h"

/* ----------------------------------------------------------------------------- what follows -- */

void sonde__model_prefer(sonde_preferences how, sonde_information information, int32_t n,
                         const double *C, double *preference) {
    memmove(preference, C, (size_t)n * sizeof *C);
    if (how == SONDE_PREFERENCES_PROBABILITY) {
        (void)sonde__normalise(preference, n, 1);
        for (int32_t o = 0; o < n; o++) {
            preference[o] = sonde__log_floored(preference[o]);
        }
    } else if (how == SONDE_PREFERENCES_LOG) {
        double most = C[0];
        for (int32_t o = 1; o < n; o++) {
            most = C[o] > most ? C[o] : most;
        }
        double sum = 0.0;
        for (int32_t o = 0; o < n; o++) {
            sum += sonde__exp(C[o] - most);
        }
        const double least = sonde__log_floored(0.0);
        for (int32_t o = 0; o < n; o++) {
            const double p = (C[o] - most) - sonde__log(sum);
            preference[o] = information == SONDE_INFORMATION_LEGACY
                                ? sonde__log(sonde__exp(p) + SONDE__FLOOR)
                            : p > least ? p
                                        : least;
        }
    }
}

void sonde__model_expect(int32_t n, const double *counts, double *C) {
    double sum = 0.0;
    for (int32_t o = 0; o < n; o++) {
        sum += counts[o];
    }
    for (int32_t o = 0; o < n; o++) {
        C[o] = sonde__digamma(counts[o]) - sonde__digamma(sum);
    }
}

double sonde__model_blur_at(const sonde_modality *modality, int64_t s) {
    const bool dense = modality->A != NULL;
    const int64_t first = dense ? s * modality->n_outcome : modality->offset[s];
    const int64_t end = dense ? first + modality->n_outcome : modality->offset[s + 1];
    const double *p = dense ? modality->A : modality->p;
    double sum = 0.0;
    for (int64_t i = first; i < end; i++) {
        sum -= p[i] > 0.0 ? p[i] * sonde__log_floored(p[i]) : 0.0;
    }
    return sum;
}

void sonde__model_blur(const sonde_modality *modality, double *ambiguity) {
    for (int64_t s = 0; s < modality->n_state * modality->n_action; s++) {
        ambiguity[s] = sonde__model_blur_at(modality, s);
    }
}

void sonde__model_price(int32_t n_edge, const double *preference, const double *cost, double *risk,
                        double *step) {
    for (int32_t e = 0; e < n_edge; e++) {
        risk[e] = 0.0 - sonde__log_floored(preference[e]); /* never minus nothing */
        step[e] = risk[e] + cost[e];
    }
}

bool sonde__model_learns(const sonde_model *model) {
    bool any = model->counts_E != NULL;
    for (int32_t f = 0; f < model->n_factor; f++) {
        any = any || model->factor[f].counts_B != NULL || model->factor[f].counts_D != NULL;
    }
    for (int32_t m = 0; model->modality != NULL && m < model->n_modality; m++) {
        any = any || model->modality[m].counts_A != NULL || model->modality[m].counts_C != NULL;
    }
    return any;
}

/* Whether one state follows for certain, whatever was before and is done. */
static bool is_certain(const sonde_factor *factor) {
    const int64_t n_column = factor->n_previous * factor->n_action;
    for (int64_t column = 0; column < n_column; column++) {
        const bool dense = factor->B != NULL;
        const int64_t first = dense ? column / factor->n_action * factor->n_state * factor->n_lane +
                                          column % factor->n_action
                                    : factor->offset[column];
        const int64_t n = dense ? factor->n_state : factor->offset[column + 1] - first;
        const int64_t stride = dense ? factor->n_lane : 1;
        const double *p = (dense ? factor->B : factor->p) + first;
        int64_t n_nonzero = 0;
        for (int64_t i = 0; i < n; i++) {
            n_nonzero += p[i * stride] != 0.0;
        }
        if (n_nonzero != 1) {
            return false;
        }
    }
    return true;
}

/* ---------------------------------------------------------------------- numbers of one's own -- */

/* Where an array of the shape's numbers stands among these; NULL stays NULL. */
static const double *moved(const sonde__own *own, const sonde_model *shape, const double *array) {
    return array != NULL
               ? (const double *)(own->block + ((const char *)array - (const char *)shape->numbers))
               : NULL;
}

static void move_factor(const sonde__own *own, const sonde_model *shape, sonde_factor *factor) {
    factor->D = moved(own, shape, factor->D);
    factor->B = moved(own, shape, factor->B);
    factor->p = moved(own, shape, factor->p);
}

static void move_modality(const sonde__own *own, const sonde_model *shape,
                          sonde_modality *modality) {
    modality->A = moved(own, shape, modality->A);
    modality->p = moved(own, shape, modality->p);
    modality->preference = moved(own, shape, modality->preference);
    modality->cost = moved(own, shape, modality->cost);
    modality->ambiguity = moved(own, shape, modality->ambiguity);
    modality->C = moved(own, shape, modality->C);
}

void sonde__own_carve(sonde__arena *arena, const sonde_model *shape, sonde__own *own) {
    own->factor = SONDE__TAKE(arena, sonde_factor, shape->n_factor);
    own->modality =
        SONDE__TAKE(arena, sonde_modality, shape->modality != NULL ? shape->n_modality : 0);
    own->block = SONDE__TAKE(arena, char, shape->number_bytes);
}

void sonde__own_open(sonde__own *own, const sonde_model *shape) {
    sonde_model *model = &own->model;
    *model = *shape;
    model->numbers = own->block;
    model->preference = moved(own, shape, shape->preference);
    model->risk = moved(own, shape, shape->risk);
    model->cost = moved(own, shape, shape->cost);
    model->step = moved(own, shape, shape->step);
    model->E = moved(own, shape, shape->E);
    model->habit = moved(own, shape, shape->habit);
    model->action_cost = moved(own, shape, shape->action_cost);
    model->action_prior = moved(own, shape, shape->action_prior);
    for (int32_t f = 0; f < shape->n_factor; f++) {
        own->factor[f] = shape->factor[f];
        move_factor(own, shape, &own->factor[f]);
    }
    for (int32_t m = 0; shape->modality != NULL && m < shape->n_modality; m++) {
        own->modality[m] = shape->modality[m];
        move_modality(own, shape, &own->modality[m]);
    }
    model->factor = shape->factor != NULL ? own->factor : NULL;
    model->modality = shape->modality != NULL ? own->modality : NULL;
    sonde__arena_copy(own->block, shape->numbers, shape->number_bytes);
}

void sonde__own_renew(sonde__own *own) {
    own->model.version++;
    for (int32_t m = 0; own->model.modality != NULL && m < own->model.n_modality; m++) {
        own->modality[m].version = own->model.version;
    }
}

double *sonde__own_at(const sonde__own *own, const double *array) {
    return (double *)(own->block + ((const char *)array - own->block));
}

void sonde__own_settle_factor(sonde__own *own, int32_t f) {
    own->factor[f].deterministic = is_certain(&own->factor[f]);
}

void sonde__own_settle(sonde__own *own) {
    sonde_model *model = &own->model;
    if (model->step != NULL) {
        sonde__model_price(model->n_state, model->preference, model->cost,
                           sonde__own_at(own, model->risk), sonde__own_at(own, model->step));
    }
    for (int32_t f = 0; f < model->n_factor; f++) {
        sonde__own_settle_factor(own, f);
    }
    for (int32_t m = 0; model->modality != NULL && m < model->n_modality; m++) {
        const sonde_modality *modality = &own->modality[m];
        for (int32_t t = 0; t < model->n_step_C; t++) {
            const int64_t row = (int64_t)t * modality->n_outcome;
            sonde__model_prefer(model->preferences, model->information, modality->n_outcome,
                                modality->C + row, sonde__own_at(own, modality->preference) + row);
        }
        sonde__model_blur(modality, sonde__own_at(own, modality->ambiguity));
    }
    sonde__own_renew(own);
}

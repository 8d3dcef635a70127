/* process.c: the world of a general model, drawn from its own A, B and D.
 *
 * The world has states, not beliefs: each factor moves by the column of B that the present states
 * and its action choose, all of them at once. */
#include "simulate/process.h"

#include "base/status.h"
#include "base/rng.h"
#include "model/model.h"

/* a distribution whose numbers stand `stride` apart, or a list of those that are not 0 */
typedef struct {
    int32_t n;
    int64_t stride;
    const double *p;
    const int32_t *item; /* what each number is the probability of; NULL: its place */
} distribution;

/* The first item whose share holds a uniform number, or the last that has one. */
static int32_t draw(const distribution *d, sonde__rng *rng) {
    double u = sonde__rng_uniform(rng);
    int32_t last = 0;
    for (int32_t i = 0; i < d->n; i++) {
        const double p = d->p[i * d->stride];
        if (p > 0.0) {
            last = i;
            if (u < p) {
                break;
            }
        }
        u -= p;
    }
    return d->item != NULL ? d->item[last] : last;
}

sonde_status sonde__process_check(const sonde_model *process, const sonde_model *model,
                                  sonde_error *error) {
    if (!sonde__simulated_of(process)->drawn || !sonde__simulated_of(model)->drawn) {
        return sonde__fail(error, SONDE_BAD_ARGUMENT,
                           "process: expected a model, found a graph world; write it as a model "
                           "first (sonde model WORLD -o MODEL)");
    }
    if (process->n_factor != model->n_factor || process->n_modality != model->n_modality) {
        return sonde__fail(
            error, SONDE_BAD_ARGUMENT,
            "process: expected %d factors and %d modalities as in the agent's model, "
            "found %d and %d",
            model->n_factor, model->n_modality, process->n_factor, process->n_modality);
    }
    for (int32_t f = 0; f < model->n_factor; f++) {
        if (process->factor[f].n_action != model->factor[f].n_action) {
            return sonde__fail(error, SONDE_BAD_ARGUMENT,
                               "process: factors[%d]: expected %d actions as in the agent's model, "
                               "found %d",
                               f, model->factor[f].n_action, process->factor[f].n_action);
        }
    }
    for (int32_t m = 0; m < model->n_modality; m++) {
        if (process->modality[m].n_outcome != model->modality[m].n_outcome) {
            return sonde__fail(error, SONDE_BAD_ARGUMENT,
                               "process: modalities[%d]: expected %d outcomes as in the agent's "
                               "model, found %d",
                               m, model->modality[m].n_outcome, process->modality[m].n_outcome);
        }
    }
    return SONDE_OK;
}

void sonde__process_start(const sonde_model *process, sonde__rng *rng, int32_t *state) {
    for (int32_t f = 0; f < process->n_factor; f++) {
        const sonde_factor *factor = &process->factor[f];
        state[f] = draw(&(distribution){factor->n_state, 1, factor->D, NULL}, rng);
    }
}

/* The number of some factors' combined state, the last fastest. */
static int64_t combined(const sonde_model *process, int32_t n, const int32_t *factor,
                        const int32_t *state) {
    int64_t number = 0;
    for (int32_t i = 0; i < n; i++) {
        number = number * process->factor[factor[i]].n_state + state[factor[i]];
    }
    return number;
}

void sonde__process_show(const sonde_model *process, const int32_t *state, int32_t action,
                         sonde__rng *rng, int32_t *outcome) {
    for (int32_t m = 0; m < process->n_modality; m++) {
        const sonde_modality *modality = &process->modality[m];
        const bool by = modality->n_action > 1;
        if (by && action < 0) {
            outcome[m] = SONDE_MISSING; /* nothing was done yet that could show it */
            continue;
        }
        const int64_t place = combined(process, modality->n_factor, modality->factor, state);
        const int64_t at = place * modality->n_action + (by ? action : 0);
        distribution d = {.n = modality->n_outcome, .stride = 1};
        if (modality->A != NULL) {
            d.p = modality->A + at * modality->n_outcome;
        } else {
            const int64_t first = modality->offset[at];
            d.n = (int32_t)(modality->offset[at + 1] - first);
            d.p = modality->p + first;
            d.item = modality->outcome + first;
        }
        outcome[m] = draw(&d, rng);
    }
}

void sonde__process_move(const sonde_model *process, const int32_t *state, int32_t action,
                         sonde__rng *rng, int32_t *next) {
    int32_t tuple[SONDE_FACTORS_MAX];
    sonde_model_tuple(process, action, tuple);
    for (int32_t f = 0; f < process->n_factor; f++) {
        const sonde_factor *factor = &process->factor[f];
        const int64_t at = combined(process, factor->n_depend, factor->depend, state);
        distribution d = {.n = factor->n_state, .stride = factor->n_lane};
        if (factor->B != NULL) {
            d.p = factor->B + at * factor->n_state * factor->n_lane + tuple[f];
        } else {
            const int64_t first = factor->offset[at * factor->n_action + tuple[f]];
            d.n = (int32_t)(factor->offset[at * factor->n_action + tuple[f] + 1] - first);
            d.stride = 1;
            d.p = factor->p + first;
            d.item = factor->next + first;
        }
        next[f] = draw(&d, rng);
    }
}

static int32_t n_factor(const sonde_model *model) {
    return model->n_factor;
}

static int32_t n_scratch(const sonde_model *model) {
    (void)model;
    return 0;
}

const sonde__simulated *sonde__simulated_of(const sonde_model *model) {
    static const sonde__simulated drawn = {
        .drawn = true,
        .n_factor = n_factor,
        .n_scratch = n_scratch,
        .start = sonde__process_start,
        .show = sonde__process_show,
        .move = sonde__process_move,
    };
    static const sonde__simulated *const world[] = {
        [SONDE__OF_GRAPHS] = &sonde__simulated_graph, [SONDE__OF_FACTORS] = &drawn};
    return world[sonde__kind(model)];
}

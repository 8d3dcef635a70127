/* model_about.c: what there is to say of a model's tables. */
#include "base/numbers.h"
#include "model/model_internal.h"

/* Entropies of columns, one after the other. */
typedef struct {
    double sum;
    double most;
    int64_t n;
} entropies;

static void add_entropy(entropies *e, double entropy) {
    e->sum += entropy;
    e->most = entropy > e->most ? entropy : e->most;
    e->n++;
}

static double term(double p) {
    return p > 0.0 ? 0.0 - p * sonde__log_floored(p) : 0.0;
}

static sonde_table implicit(double n_row, double n_column) {
    return (sonde_table){.storage = "implicit",
                         .n_number = n_row * n_column,
                         .n_nonzero = n_column,
                         .certain = true};
}

sonde_table sonde_model_transitions(const sonde_model *model, int32_t factor) {
    if (factor < 0 || factor >= (model->graph != NULL ? 1 : model->n_factor)) {
        return (sonde_table){.storage = NULL};
    }
    if (model->graph != NULL) {
        return implicit(model->n_state, (double)model->n_state * model->n_action);
    }
    const sonde_factor *f = &model->factor[factor];
    const int64_t n_column = f->n_previous * f->n_action;
    sonde_table about = {.storage = f->B != NULL ? "dense" : "sparse",
                         .n_number = (double)n_column * f->n_state,
                         .certain = f->deterministic};
    entropies e = {0};
    for (int64_t column = 0; column < n_column; column++) {
        const double *p = f->B != NULL ? f->B + column / f->n_action * f->n_state * f->n_lane +
                                             column % f->n_action
                                       : f->p + f->offset[column];
        const int64_t n = f->B != NULL ? f->n_state : f->offset[column + 1] - f->offset[column];
        const int64_t stride = f->B != NULL ? f->n_lane : 1;
        double entropy = 0.0;
        for (int64_t i = 0; i < n; i++) {
            entropy += term(p[i * stride]);
            about.n_nonzero += p[i * stride] != 0.0;
        }
        add_entropy(&e, entropy);
    }
    about.mean_entropy = e.sum / (double)e.n;
    about.most_entropy = e.most;
    return about;
}

sonde_table sonde_model_likelihood(const sonde_model *model, int32_t modality) {
    if (modality < 0 || modality >= model->n_modality) {
        return (sonde_table){.storage = NULL};
    }
    if (model->graph != NULL) {
        return implicit(model->n_state, model->n_state);
    }
    const sonde_modality *m = &model->modality[modality];
    sonde_table about = {.storage = m->A != NULL ? "dense" : "sparse",
                         .n_number = (double)m->n_state * m->n_action * m->n_outcome,
                         .certain = true};
    entropies e = {0};
    for (int64_t s = 0; s < m->n_state * m->n_action; s++) {
        int64_t n_nonzero = m->A == NULL ? m->offset[s + 1] - m->offset[s] : 0;
        for (int32_t o = 0; m->A != NULL && o < m->n_outcome; o++) {
            n_nonzero += m->A[s * m->n_outcome + o] != 0.0;
        }
        about.n_nonzero += (double)n_nonzero;
        about.certain = about.certain && n_nonzero == 1;
        add_entropy(&e, m->ambiguity[s]);
    }
    about.mean_entropy = e.sum / (double)e.n;
    about.most_entropy = e.most;
    return about;
}

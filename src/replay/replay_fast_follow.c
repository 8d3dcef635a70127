/* replay_fast_follow.c: a session, followed without an agent (replay_fast.h): the same formulas on
 * the same numbers, without what nobody asks for here: scores of single policies, certificates,
 * surprises. */
#include <math.h>
#include <string.h>

#include "base/numbers.h"
#include "replay/replay_fast_internal.h"

/* outcomes less probable than this are left to an agent, whose floors decide then */
#define LEAST_EVIDENCE 1e-15
/* what is left of a count that fades to nothing */
#define FADED 1e-16

/* one modality as it is now */
typedef struct {
    double *A;          /* (n_state, n_outcome) */
    double *counts;     /* the same, or NULL: it is not learned, and novelty does not count */
    const double *init; /* (n_state, n_outcome) of the counts */
    double *ambiguity;  /* (n_state) */
    double *novelty;    /* (n_state) */
    int32_t *version;   /* (n_state) of the column */
    double n_event;
    bool learned;
    double *init_room;
} seeing;

/* one factor whose D is learned */
typedef struct {
    double *counts; /* (n_state) or NULL */
    double n_event;
} beginning;

typedef struct {
    const sonde__fast *fast;
    const sonde_model *model;
    const sonde_replay_settings *settings;
    double gamma;
    bool novel;
    seeing *see;      /* (n_modality) */
    beginning *begin; /* (n_factor) */
    double *D;        /* (n_belief) */
    double *prior;    /* (n_belief) */
    double *belief;   /* (n_belief) */
    double *first;    /* (n_belief) of the episode */
    double *number;   /* (n_number) of spots */
    double *value;    /* (n_view) */
    int64_t *made;    /* (n_view) versions that a fixed view was scored with; -1: none */
    double *g;        /* (n_node) */
    double *ahead;    /* (horizon, n_kind) ln of summed exp(-gamma G) of what is to come */
    double *mass;     /* (n_action) ln */
    double *share;    /* (n_action) scratch */
    double *shown;    /* (most outcomes) scratch */
} run;

static int32_t most_outcomes(const sonde_model *model) {
    int32_t most = 1;
    for (int32_t m = 0; m < model->n_modality; m++) {
        most = model->modality[m].n_outcome > most ? model->modality[m].n_outcome : most;
    }
    return most;
}

static void carve(sonde__arena *arena, const sonde__fast *fast, run *r) {
    const sonde_model *model = fast->model;
    r->see = SONDE__TAKE(arena, seeing, model->n_modality);
    r->begin = SONDE__TAKE(arena, beginning, model->n_factor);
    for (int32_t m = 0; m < model->n_modality; m++) {
        const uint64_t n = (uint64_t)model->modality[m].n_state;
        const uint64_t all = n * (uint64_t)model->modality[m].n_outcome;
        seeing none;
        seeing *one = r->see != NULL ? &r->see[m] : &none;
        one->A = SONDE__TAKE(arena, double, all);
        one->counts = SONDE__TAKE(arena, double, all);
        one->init_room = SONDE__TAKE(arena, double, all);
        one->ambiguity = SONDE__TAKE(arena, double, n);
        one->novelty = SONDE__TAKE(arena, double, n);
        one->version = SONDE__TAKE(arena, int32_t, n);
    }
    for (int32_t f = 0; f < model->n_factor; f++) {
        double *counts = SONDE__TAKE(arena, double, model->factor[f].n_state);
        if (r->begin != NULL) {
            r->begin[f].counts = counts;
        }
    }
    r->D = SONDE__TAKE(arena, double, model->n_belief);
    r->prior = SONDE__TAKE(arena, double, model->n_belief);
    r->belief = SONDE__TAKE(arena, double, model->n_belief);
    r->first = SONDE__TAKE(arena, double, model->n_belief);
    r->number = SONDE__TAKE(arena, double, fast->n_number);
    r->value = SONDE__TAKE(arena, double, fast->n_view);
    r->made = SONDE__TAKE(arena, int64_t, fast->n_view);
    r->g = SONDE__TAKE(arena, double, fast->n_node);
    r->ahead = SONDE__TAKE(arena, double, (uint64_t)fast->horizon *(uint64_t)fast->n_kind);
    r->mass = SONDE__TAKE(arena, double, model->n_action);
    r->share = SONDE__TAKE(arena, double, model->n_action);
    r->shown = SONDE__TAKE(arena, double, most_outcomes(model));
}

uint64_t sonde__fast_scratch(const sonde__fast *fast) {
    sonde__arena arena = {0};
    run r = {0};
    carve(&arena, fast, &r);
    return arena.used;
}

/* ----------------------------------------------------------------------------------- columns -- */

/* What follows from the counts, or from A, of one state. */
static void settle_column(const run *r, int32_t m, int64_t s, bool counted) {
    const seeing *one = &r->see[m];
    const int32_t n = r->model->modality[m].n_outcome;
    double *A = one->A + s * n;
    const double *counts = one->counts + s * n;
    double sum = 0.0;
    double entropy = 0.0;
    if (counted) {
        for (int32_t o = 0; o < n; o++) {
            sum += counts[o];
        }
        for (int32_t o = 0; o < n; o++) {
            A[o] = counts[o] / sum;
        }
    }
    for (int32_t o = 0; o < n; o++) {
        entropy -= A[o] > 0.0 && A[o] != 1.0 ? A[o] * sonde__log_floored(A[o]) : 0.0;
    }
    one->ambiguity[s] = entropy;
    one->version[s]++;
    if (r->novel && one->init != NULL) {
        double novelty = 0.0;
        double whole = 0.0;
        for (int32_t o = 0; o < n; o++) {
            whole += counts[o];
        }
        const double lead = sonde__digamma_lead(whole);
        for (int32_t o = 0; o < n; o++) {
            const double gain = counts[o] > 0.0 ? sonde__digamma_lead(counts[o]) - lead : 0.0;
            novelty += gain > 0.0 ? counts[o] / whole * gain : 0.0;
        }
        one->novelty[s] = novelty;
    }
}

/* Numbers of a modality as they are stored, in full. */
static void spread(const sonde_modality *modality, const double *from, double *to) {
    memset(to, 0, (size_t)(modality->n_state * modality->n_outcome) * sizeof *to);
    for (int64_t s = 0; s < modality->n_state; s++) {
        const sonde__slice c = sonde__slice_of_A(modality, s);
        for (int64_t i = 0; i < c.n; i++) {
            to[s * modality->n_outcome + (c.row != NULL ? c.row[i] : i)] = from[c.first + i];
        }
    }
}

static void open_modality(const run *r, int32_t m) {
    const sonde_modality *modality = &r->model->modality[m];
    const sonde_learn_settings *learn = &r->settings->learn;
    seeing *one = &r->see[m];
    const bool counted = modality->counts_A != NULL;
    one->learned =
        r->settings->learns && counted && (learn->modality == NULL || learn->modality[m]);
    one->n_event = 0.0;
    one->init = counted ? one->init_room : NULL;
    spread(modality, modality->A != NULL ? modality->A : modality->p, one->A);
    if (counted) {
        spread(modality, modality->counts_A, one->init_room);
        memcpy(one->counts, one->init_room,
               (size_t)(modality->n_state * modality->n_outcome) * sizeof *one->counts);
    }
    for (int64_t s = 0; s < modality->n_state; s++) {
        settle_column(r, m, s, false);
    }
}

/* A session begins: everything is as the model has it. */
static void open_session(run *r) {
    const sonde_model *model = r->model;
    for (int32_t m = 0; m < model->n_modality; m++) {
        open_modality(r, m);
    }
    for (int32_t f = 0; f < model->n_factor; f++) {
        const sonde_factor *factor = &model->factor[f];
        memcpy(r->D + factor->first, factor->D, (size_t)factor->n_state * sizeof *r->D);
        r->begin[f].n_event = 0.0;
        if (factor->counts_D != NULL) {
            memcpy(r->begin[f].counts, factor->counts_D,
                   (size_t)factor->n_state * sizeof *r->begin[f].counts);
        }
    }
    memcpy(r->number, r->fast->constant, (size_t)r->fast->n_number * sizeof *r->number);
    for (int32_t v = 0; v < r->fast->n_view; v++) {
        r->made[v] = -1;
    }
}

/* ---------------------------------------------------------------------------------- learning -- */

static void fade(const run *r, double omega, int64_t n, const double *init, double *counts) {
    const bool to_init = r->settings->learn.toward == SONDE_TOWARD_INIT;
    for (int64_t i = 0; omega > 0.0 && i < n; i++) {
        if (to_init) {
            counts[i] = init[i] + (1.0 - omega) * (counts[i] - init[i]);
        } else if (counts[i] > 0.0) {
            const double left = (1.0 - omega) * counts[i];
            counts[i] = left > FADED ? left : FADED;
        }
    }
}

/* The rate or the forgetting of one outcome. */
static double rate_of(const run *r, int32_t m, int32_t o, const double *by_outcome, double usual) {
    int64_t at = o;
    for (int32_t i = 0; i < m; i++) {
        at += r->model->modality[i].n_outcome;
    }
    return by_outcome != NULL && !isnan(by_outcome[at]) ? by_outcome[at] : usual;
}

static void learn_modality(const run *r, int32_t m, int32_t o) {
    const sonde_modality *modality = &r->model->modality[m];
    const sonde_learn_settings *learn = &r->settings->learn;
    const int32_t n = modality->n_outcome;
    seeing *one = &r->see[m];
    const double omega = rate_of(r, m, o, learn->omega_outcome, learn->omega);
    const double eta = rate_of(r, m, o, learn->eta_outcome, learn->eta[SONDE_A]) /
                       (1.0 + learn->decay * one->n_event);
    fade(r, omega, modality->n_state * n, one->init, one->counts);
    one->n_event += 1.0;
    const bool whole = omega > 0.0 || one->n_event == 1.0;
    const int32_t *term = r->fast->term[m];
    for (int64_t s = 0; s < modality->n_state; s++, term += modality->n_factor) {
        double q = r->belief[term[0]];
        for (int32_t k = 1; k < modality->n_factor; k++) {
            q *= r->belief[term[k]];
        }
        double *count = &one->counts[s * n + o];
        if (q != 0.0 && (*count > 0.0 || r->fast->grows)) {
            *count += eta * q;
        }
        if (q != 0.0 || whole) {
            settle_column(r, m, s, true);
        }
    }
}

static void learn(const run *r, const int32_t *outcome) {
    for (int32_t m = 0; m < r->model->n_modality; m++) {
        if (outcome[m] >= 0 && r->see[m].learned) {
            learn_modality(r, m, outcome[m]);
        }
    }
}

/* The end of an episode: D. */
static void learn_D(const run *r) {
    const sonde_learn_settings *settings = &r->settings->learn;
    const double *q = settings->beliefs_D == SONDE_BELIEFS_LAST ? r->belief : r->first;
    for (int32_t f = 0; f < r->model->n_factor; f++) {
        const sonde_factor *factor = &r->model->factor[f];
        beginning *one = &r->begin[f];
        if (factor->counts_D == NULL || (settings->factor != NULL && !settings->factor[f])) {
            continue;
        }
        const double eta = settings->eta[SONDE_D] / (1.0 + settings->decay * one->n_event);
        double sum = 0.0;
        fade(r, settings->omega, factor->n_state, factor->counts_D, one->counts);
        one->n_event += 1.0;
        for (int32_t s = 0; s < factor->n_state; s++) {
            const double added = eta * q[factor->first + s];
            one->counts[s] += one->counts[s] > 0.0 || r->fast->grows ? added : 0.0;
            sum += one->counts[s];
        }
        for (int32_t s = 0; s < factor->n_state; s++) {
            r->D[factor->first + s] = one->counts[s] / sum;
        }
    }
}

/* ----------------------------------------------------------------------------------- beliefs -- */

/* belief from prior and outcomes; false: they are too improbable. */
static bool observe(const run *r, const int32_t *outcome) {
    const sonde_model *model = r->model;
    const int32_t n_factor = model->n_factor;
    const int32_t n_joint = (int32_t)model->n_joint;
    double total = 0.0;
    memset(r->belief, 0, (size_t)model->n_belief * sizeof *r->belief);
    for (int32_t j = 0; j < n_joint; j++) {
        const int32_t *digit = r->fast->digit + (int64_t)j * n_factor;
        const int32_t *place = r->fast->place + (int64_t)j * model->n_modality;
        double p = r->prior[digit[0]];
        for (int32_t f = 1; f < n_factor; f++) {
            p *= r->prior[digit[f]];
        }
        for (int32_t m = 0; p > 0.0 && m < model->n_modality; m++) {
            if (outcome[m] >= 0) {
                p *= r->see[m].A[(int64_t)place[m] * model->modality[m].n_outcome + outcome[m]];
            }
        }
        if (p > 0.0) {
            total += p;
            for (int32_t f = 0; f < n_factor; f++) {
                r->belief[digit[f]] += p;
            }
        }
    }
    if (!(total > LEAST_EVIDENCE)) {
        return false;
    }
    for (int32_t s = 0; s < model->n_belief; s++) {
        r->belief[s] /= total;
    }
    return true;
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

static void predict(const run *r, int32_t action) {
    int32_t tuple[SONDE_FACTORS_MAX];
    sonde__model_tuple(r->model, action, tuple);
    for (int32_t f = 0; f < r->model->n_factor; f++) {
        const sonde_factor *factor = &r->model->factor[f];
        const int32_t n = factor->n_state;
        multiply(n, r->fast->B[f] + (int64_t)tuple[f] * n * n, r->belief + factor->first,
                 r->prior + factor->first);
    }
}

/* ---------------------------------------------------------------------------------- decision -- */

/* G of one step that comes to a view. */
static double score(const run *r, const sonde__fast_view *view) {
    const sonde_modality *modality = &r->model->modality[view->modality];
    const seeing *one = &r->see[view->modality];
    const sonde_weights *w = &r->settings->search.weights;
    const int32_t n_factor = modality->n_factor;
    double *shown = r->shown;
    double ambiguity = 0.0;
    double novelty = 0.0;
    memset(shown, 0, (size_t)view->n_shown * sizeof *shown);
    for (int32_t k = 0; k < view->n_state; k++) {
        const int32_t *term = view->term + (int64_t)k * n_factor;
        const int32_t s = view->state[k];
        double q = r->number[term[0]];
        for (int32_t f = 1; f < n_factor; f++) {
            q *= r->number[term[f]];
        }
        const double *A = one->A + (int64_t)s * modality->n_outcome;
        for (int32_t i = 0; i < view->n_shown; i++) {
            shown[i] += q * A[view->shown[i]];
        }
        ambiguity += q * one->ambiguity[s];
        novelty += r->novel && one->init != NULL ? q * one->novelty[s] : 0.0;
    }
    double utility = 0.0;
    double cost = 0.0;
    double negentropy = 0.0;
    for (int32_t i = 0; i < view->n_shown; i++) {
        const double q = shown[i];
        utility += q * modality->preference[view->shown[i]];
        cost += q * modality->cost[view->shown[i]];
        if (view->n_shown > 1 && q > 0.0) {
            negentropy += q * sonde__log_floored(q);
        }
    }
    return w->information * (ambiguity + negentropy) - w->utility * utility +
           w->cost * r->model->lambda * cost - w->novelty_A * novelty;
}

/* Which columns a view was scored with. */
static int64_t version_of(const run *r, const sonde__fast_view *view) {
    int64_t sum = 0;
    for (int32_t k = 0; k < view->n_state; k++) {
        sum += r->see[view->modality].version[view->state[k]];
    }
    return sum;
}

/* Scores what has changed, and adds it up for every node. */
static void score_nodes(const run *r) {
    const sonde__fast *fast = r->fast;
    const sonde_model *model = r->model;
    for (int32_t k = 0; k < fast->n_spot; k++) {
        const sonde__fast_spot *spot = &fast->spot[k];
        const sonde_factor *factor = &model->factor[spot->factor];
        const int32_t n = factor->n_state;
        if (spot->parent < 0) {
            memcpy(r->number + spot->at, r->belief + factor->first, (size_t)n * sizeof(double));
        } else if (!spot->fixed) {
            multiply(n, fast->B[spot->factor] + (int64_t)spot->action * n * n,
                     r->number + fast->spot[spot->parent].at, r->number + spot->at);
        }
    }
    for (int32_t v = 0; v < fast->n_view; v++) {
        const sonde__fast_view *view = &fast->view[v];
        const bool certain = view->n_shown == 1; /* whatever it is believed to be */
        const int64_t version = certain ? 0 : view->fixed ? version_of(r, view) : -2;
        if (r->made[v] != version) {
            r->value[v] = score(r, view);
            r->made[v] = version == -2 ? -1 : version;
        }
    }
    for (int32_t k = fast->first_node; k < fast->n_node; k++) {
        const int32_t *seen = fast->seen + (int64_t)k * model->n_modality;
        double sum = 0.0;
        for (int32_t m = 0; m < model->n_modality; m++) {
            sum += r->value[seen[m]];
        }
        r->g[k] = sum;
    }
}

/* ln of the sum of exp(x[i]). */
static double sum_logs(int32_t n, const double *x) {
    double most = x[0];
    for (int32_t i = 1; i < n; i++) {
        most = x[i] > most ? x[i] : most;
    }
    double sum = 0.0;
    for (int32_t i = 0; i < n; i++) {
        sum += sonde__exp(x[i] - most);
    }
    return most + sonde__log(sum);
}

/* ln of the masses of the ways of a kind, with so many steps to come after them. */
static void weigh_ways(const run *r, int32_t kind, int32_t left, double *mass) {
    const sonde__fast *fast = r->fast;
    const int32_t *way = fast->way + (int64_t)kind * r->model->n_action;
    for (int32_t u = 0; u < r->model->n_action; u++) {
        mass[u] = -r->gamma * r->g[way[u]];
        if (left > 0) {
            mass[u] += r->ahead[(int64_t)left * fast->n_kind + fast->kind[way[u]]];
        }
    }
}

/* ln p of an action from the present belief. */
static double decide(const run *r, int32_t action) {
    const sonde__fast *fast = r->fast;
    const int32_t n = r->model->n_action;
    score_nodes(r);
    for (int32_t left = 1; left < fast->horizon; left++) {
        for (int32_t kind = 0; kind < fast->n_kind; kind++) {
            weigh_ways(r, kind, left - 1, r->mass);
            r->ahead[(int64_t)left * fast->n_kind + kind] = sum_logs(n, r->mass);
        }
    }
    weigh_ways(r, fast->kind[0], fast->horizon - 1, r->mass);
    return sonde__judge_masses(&r->settings->search, r->settings->lapse, r->model, action, r->mass,
                               r->share);
}

/* -------------------------------------------------------------------------------------- rows -- */

static void begin_episode(const run *r) {
    memcpy(r->prior, r->D, (size_t)r->model->n_belief * sizeof *r->prior);
    memcpy(r->belief, r->D, (size_t)r->model->n_belief * sizeof *r->belief);
}

static bool follow_row(const run *r, const sonde_data *data, int32_t row, bool learning,
                       double *log_likelihood) {
    const int32_t *outcome = data->outcome + (int64_t)row * data->n_modality;
    const bool after = r->settings->timing == SONDE_TIMING_AFTER;
    const bool before_decision = r->settings->learn.when == SONDE_LEARN_BEFORE;
    if (!after) {
        if (!observe(r, outcome)) {
            return false;
        }
        if (data->step[row] == 0) {
            memcpy(r->first, r->belief, (size_t)r->model->n_belief * sizeof *r->first);
        }
        if (learning && before_decision) {
            learn(r, outcome);
        }
    }
    if (data->score[row]) {
        *log_likelihood += decide(r, data->action[row]);
    }
    if (!after && learning && !before_decision) {
        learn(r, outcome);
    }
    predict(r, data->action[row]);
    if (after) {
        if (!observe(r, outcome)) {
            return false;
        }
        if (learning) {
            learn(r, outcome);
        }
    }
    return true;
}

bool sonde__fast_follow(const sonde__fast *fast, sonde__session session,
                        const sonde__variant *variant, void *scratch, double *log_likelihood) {
    const sonde_data *data = session.data;
    const sonde_replay_settings *settings = &variant->settings;
    sonde__arena arena = {.base = scratch, .size = UINT64_MAX};
    run r = {.fast = fast, .model = &variant->own.model, .settings = settings};
    carve(&arena, fast, &r);
    r.gamma =
        settings->search.gamma == SONDE_GAMMA_DEFAULT ? r.model->gamma : settings->search.gamma;
    r.novel = settings->search.weights.novelty != SONDE_NOVELTY_NONE;
    double sum = 0.0;
    open_session(&r);
    for (int32_t row = session.first; row < session.end; row++) {
        const bool learning = settings->learns && data->episode[row] < settings->learn.until;
        if (data->step[row] == 0) {
            begin_episode(&r);
        }
        if (!follow_row(&r, data, row, learning, &sum)) {
            return false;
        }
        if (learning && (row + 1 == session.end || data->step[row + 1] == 0)) {
            learn_D(&r);
        }
    }
    *log_likelihood = sum;
    return isfinite(sum);
}

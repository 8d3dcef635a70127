/* closed_prospect.c: what one action at one belief leads to.
 *
 *     b'    = B_u b
 *     Q(o)  = sum over s' of A[o, s'] b'(s'),   b_o(s') = A[o, s'] b'(s') / Q(o)
 *     g     = price . b' + w_i (blur . b' - H(Q))
 *
 * with Q of all telling modalities together, or of each and their entropies summed. */
#include <string.h>

#include "base/numbers.h"
#include "closed/closed_internal.h"

double sonde__support_entropy(sonde__support belief) {
    double sum = 0.0;
    for (int32_t i = 0; i < belief.n; i++) {
        /* sonde__log wants normal numbers; smaller ones add nothing */
        sum -= belief.p[i] > 1e-300 ? belief.p[i] * sonde__log(belief.p[i]) : 0.0;
    }
    return sum;
}

double sonde__support_distance(sonde__support a, sonde__support b) {
    double sum = 0.0;
    int32_t i = 0;
    int32_t j = 0;
    while (i < a.n || j < b.n) {
        const bool left = j >= b.n || (i < a.n && a.state[i] <= b.state[j]);
        const bool right = i >= a.n || (j < b.n && b.state[j] <= a.state[i]);
        sum += fabs((left ? a.p[i] : 0.0) - (right ? b.p[j] : 0.0));
        i += left;
        j += right;
    }
    return sum;
}

static uint64_t count_outcomes(const sonde_model *model) {
    uint64_t n = 0;
    for (int32_t m = 0; m < model->n_modality; m++) {
        n += (uint64_t)model->modality[m].n_outcome;
    }
    return n;
}

void sonde__prospect_carve(sonde__arena *arena, const sonde__joint *world,
                           sonde__prospect *outlook) {
    outlook->mass = SONDE__TAKE(arena, double, world->n_state);
    outlook->state = SONDE__TAKE(arena, int32_t, world->n_state);
    outlook->p = SONDE__TAKE(arena, double, world->n_state);
    outlook->chance = SONDE__TAKE(arena, double, world->n_tuple);
    outlook->count = SONDE__TAKE(arena, int32_t, world->n_tuple);
    outlook->tuple = SONDE__TAKE(arena, int32_t, world->n_tuple);
    outlook->first = SONDE__TAKE(arena, int64_t, (uint64_t)world->n_tuple + 1);
    outlook->posterior = SONDE__TAKE(arena, int32_t, world->n_branch);
    outlook->posterior_p = SONDE__TAKE(arena, double, world->n_branch);
    outlook->by_modality = SONDE__TAKE(arena, double, count_outcomes(world->model));
    if (world->factorised) {
        sonde__factors_carve(arena, world, outlook);
    }
}

/* Shell's sort: in place, and without the memory that qsort may ask for. */
void sonde__sort(int32_t *number, int32_t n) {
    static const int32_t gaps[] = {1750, 701, 301, 132, 57, 23, 10, 4, 1};
    for (size_t g = 0; g < sizeof gaps / sizeof *gaps; g++) {
        for (int32_t i = gaps[g]; i < n; i++) {
            const int32_t x = number[i];
            int32_t j = i;
            for (; j >= gaps[g] && number[j - gaps[g]] > x; j -= gaps[g]) {
                number[j] = number[j - gaps[g]];
            }
            number[j] = x;
        }
    }
}

/* b' */
static void predict(const sonde__joint *world, sonde__support belief, int32_t action,
                    sonde__prospect *o) {
    bool ascends = true;
    int32_t last = -1;
    o->n = 0;
    for (int32_t i = 0; i < belief.n; i++) {
        const int64_t at = (int64_t)belief.state[i] * world->n_action + action;
        for (int64_t k = world->offset[at]; k < world->offset[at + 1]; k++) {
            const double q = belief.p[i] * world->p[k];
            const int32_t s = world->next[k];
            if (q > 0.0 && o->mass[s] == 0.0) {
                o->state[o->n++] = s;
                ascends = ascends && s > last;
                last = s;
            }
            o->mass[s] += q;
        }
    }
    if (!ascends) {
        sonde__sort(o->state, o->n);
    }
    for (int32_t i = 0; i < o->n; i++) {
        o->p[i] = o->mass[o->state[i]];
        o->mass[o->state[i]] = 0.0;
    }
}

/* Q(o), and how many states can show each. */
static void find_chances(const sonde__joint *world, int32_t action, sonde__prospect *o) {
    for (int32_t i = 0; i < o->n_tuple; i++) {
        o->chance[o->tuple[i]] = 0.0;
        o->count[o->tuple[i]] = 0;
    }
    o->n_tuple = 0;
    for (int32_t i = 0; i < o->n; i++) {
        const int64_t at = sonde__joint_at(world, o->state[i], action);
        for (int64_t k = world->sees[at]; k < world->sees[at + 1]; k++) {
            const double q = o->p[i] * world->seen_p[k];
            const int32_t tuple = world->seen[k];
            if (q > 0.0) {
                if (o->count[tuple]++ == 0) {
                    o->tuple[o->n_tuple++] = tuple;
                }
                o->chance[tuple] += q;
            }
        }
    }
    sonde__sort(o->tuple, o->n_tuple);
}

static double entropy_term(double q) {
    return q > 0.0 ? 0.0 - q * sonde__log_floored(q) : 0.0;
}

/* H(Q) of everything that is seen together, or of each modality, summed. */
static double seen_entropy(const sonde__joint *world, const sonde__prospect *o) {
    const sonde_model *model = world->model;
    double sum = 0.0;
    if (model->information == SONDE_INFORMATION_JOINT || world->n_telling == 1) {
        for (int32_t i = 0; i < o->n_tuple; i++) {
            sum += entropy_term(o->chance[o->tuple[i]]);
        }
        return sum;
    }
    double *q = o->by_modality;
    for (int32_t m = 0; m < model->n_modality; q += model->modality[m++].n_outcome) {
        if (!world->telling[m]) {
            continue;
        }
        memset(q, 0, (size_t)model->modality[m].n_outcome * sizeof *q);
        for (int32_t i = 0; i < o->n_tuple; i++) {
            const int64_t tuple = o->tuple[i];
            q[world->tuple[tuple * model->n_modality + m]] += o->chance[tuple];
        }
        for (int32_t k = 0; k < model->modality[m].n_outcome; k++) {
            sum += entropy_term(q[k]);
        }
    }
    return sum;
}

void sonde__prospect_predict(const sonde__joint *world, sonde__support belief, int32_t action,
                             int32_t row, sonde__prospect *o) {
    if (world->factorised) {
        sonde__factors_predict(world, belief, action, row, o);
        return;
    }
    const double *price = world->price + (int64_t)row * world->n_state * world->n_by;
    predict(world, belief, action, o);
    find_chances(world, action, o);
    double linear = 0.0;
    double blur = 0.0;
    for (int32_t i = 0; i < o->n; i++) {
        const int64_t at = sonde__joint_at(world, o->state[i], action);
        linear += o->p[i] * price[at];
        blur += o->p[i] * world->blur[at];
    }
    for (int32_t i = 0; i < belief.n; i++) {
        linear += belief.p[i] * world->charge[(int64_t)belief.state[i] * world->n_action + action];
    }
    const bool informs = world->informs != 0.0 && world->n_telling > 0;
    o->efe = linear + (informs ? world->informs * (blur - seen_entropy(world, o)) : 0.0);
}

void sonde__prospect_divide(const sonde__joint *world, int32_t action, sonde__prospect *o) {
    if (world->factorised) {
        sonde__factors_divide(world, action, o);
        return;
    }
    int64_t end = 0;
    for (int32_t i = 0; i < o->n_tuple; i++) {
        const int32_t tuple = o->tuple[i];
        o->first[i] = end;
        end += o->count[tuple];
        o->count[tuple] = i; /* from here on its place */
    }
    o->first[o->n_tuple] = end;
    for (int32_t i = 0; i < o->n; i++) {
        const int64_t at = sonde__joint_at(world, o->state[i], action);
        for (int64_t k = world->sees[at]; k < world->sees[at + 1]; k++) {
            const double q = o->p[i] * world->seen_p[k];
            const int32_t tuple = world->seen[k];
            if (q > 0.0 && o->chance[tuple] > 0.0) { /* or it was forgotten */
                const int64_t to = o->first[o->count[tuple]]++;
                o->posterior[to] = o->state[i];
                o->posterior_p[to] = q / o->chance[tuple];
            }
        }
    }
    /* each has moved to where the next begins */
    for (int32_t i = o->n_tuple; i > 0; i--) {
        o->first[i] = o->first[i - 1];
    }
    o->first[0] = 0;
}

/* Q(o) of the only modality that tells something, from those of tuples; which are its outcomes, and
 * were summed in the same order. */
static void take_outcomes(const sonde__joint *world, const sonde__prospect *o, int32_t m,
                          double *q) {
    const sonde_model *model = world->model;
    memset(q, 0, (size_t)model->modality[m].n_outcome * sizeof *q);
    for (int32_t i = 0; i < o->n_tuple; i++) {
        q[world->tuple[(int64_t)o->tuple[i] * model->n_modality + m]] = o->chance[o->tuple[i]];
    }
}

/* Q(o) of one modality after a prediction, and the mean entropy of what it shows. */
static double find_outcomes(const sonde__joint *world, const sonde__prospect *o, int32_t m,
                            int32_t action, double *q) {
    const sonde_model *model = world->model;
    const sonde_modality *modality = &model->modality[m];
    double blur = 0.0;
    memset(q, 0, (size_t)modality->n_outcome * sizeof *q);
    for (int32_t i = 0; i < o->n; i++) {
        int32_t state[SONDE_FACTORS_MAX];
        sonde__joint_digits(model, world->joint[o->state[i]], state);
        int64_t at = 0;
        for (int32_t k = 0; k < modality->n_factor; k++) {
            at = at * model->factor[modality->factor[k]].n_state + state[modality->factor[k]];
        }
        at = at * modality->n_action + (modality->n_action > 1 ? action : 0);
        blur += o->p[i] * modality->ambiguity[at];
        for (int32_t k = 0; modality->A != NULL && k < modality->n_outcome; k++) {
            q[k] += o->p[i] * modality->A[at * modality->n_outcome + k];
        }
        for (int64_t k = modality->A != NULL ? 0 : modality->offset[at];
             modality->A == NULL && k < modality->offset[at + 1]; k++) {
            q[modality->outcome[k]] += o->p[i] * modality->p[k];
        }
    }
    return blur;
}

sonde_efe sonde__prospect_terms(const sonde__joint *world, sonde__support belief, int32_t action,
                                int32_t row, const sonde__prospect *o) {
    if (world->factorised) {
        return sonde__factors_terms(world, belief, action, row, o);
    }
    const sonde_model *model = world->model;
    const bool joint = model->information == SONDE_INFORMATION_JOINT;
    const bool off = model->information == SONDE_INFORMATION_OFF;
    sonde_efe step = {.efe = o->efe};
    double *q = o->by_modality;
    for (int32_t m = 0; m < model->n_modality; m++) {
        const sonde_modality *modality = &model->modality[m];
        const double *preference = modality->preference + (int64_t)row * modality->n_outcome;
        if (off && world->telling[m] && world->n_telling == 1) {
            take_outcomes(world, o, m, q);
        } else {
            const double blur = find_outcomes(world, o, m, action, q);
            step.term[SONDE_AMBIGUITY] += off ? 0.0 : blur;
        }
        for (int32_t k = 0; k < modality->n_outcome; k++) {
            step.term[SONDE_RISK] -= q[k] * preference[k];
            step.term[SONDE_COST] += model->lambda * modality->cost[k] * q[k];
            /* outcomes that say nothing are independent of all others */
            step.term[SONDE_RISK] -= off || (joint && world->telling[m]) ? 0.0 : entropy_term(q[k]);
        }
    }
    for (int32_t i = 0; joint && i < o->n_tuple; i++) {
        step.term[SONDE_RISK] -= entropy_term(o->chance[o->tuple[i]]);
    }
    for (int32_t i = 0; model->action_cost != NULL && i < belief.n; i++) {
        const uint64_t at = world->joint[belief.state[i]] * (uint64_t)world->n_action;
        step.term[SONDE_COST] += belief.p[i] * model->action_cost[at + (uint64_t)action];
    }
    return step;
}

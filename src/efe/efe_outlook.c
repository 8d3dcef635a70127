/* efe_outlook.c: what all policies of a decision share.
 *
 * G of a step is, for each channel, the negentropy of its outcomes plus a term that is linear in
 * the state: ambiguity, lambda cost, -ln C averaged over A and what is learned of A, each as much
 * as it counts. A table has both for every state of the channel's factors. A factor that no action
 * touches, directly or through factors it depends on, believes the same after t steps of any
 * policy; it is summed out of the table of step t once. */
#include <string.h>

#include "efe/efe_fan_internal.h"
#include "efe/efe_rows.h"

/* numbers in a table of the last step that are worth keeping */
#define FUSED_MAX 1e6
/* states whose rows are worth keeping between decisions */
#define WHOLE_MAX 4096

static int64_t round_up(int64_t n, int64_t multiple) {
    return (n + multiple - 1) / multiple * multiple;
}

/* Whether actions touch each factor: its own, or those of a factor that it depends on. */
static void find_touched(const sonde_model *model, bool *touched) {
    for (int32_t f = 0; f < model->n_factor; f++) {
        touched[f] = model->factor[f].n_action > 1;
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (int32_t f = 0; f < model->n_factor; f++) {
            for (int32_t i = 0; i < model->factor[f].n_depend && !touched[f]; i++) {
                touched[f] = touched[model->factor[f].depend[i]];
                changed = changed || touched[f];
            }
        }
    }
}

/* Sorts the channel's factors into axes, fewest actions first, and those that are summed out. */
static void find_axes(const sonde_model *model, const bool *touched, sonde__channel *channel) {
    const sonde_modality *modality = channel->modality;
    const int32_t n = modality != NULL ? modality->n_factor : model->n_factor;
    channel->n_axis = 0;
    channel->n_state = 1;
    channel->n_term = 1;
    channel->varies = model->n_step_C > 1;
    for (int32_t i = 0; i < n; i++) {
        const int32_t f = modality != NULL ? modality->factor[i] : i;
        const sonde_factor *factor = &model->factor[f];
        if (!touched[f]) {
            channel->varies = true;
            continue;
        }
        int32_t at = channel->n_axis++;
        for (; at > 0 && model->factor[channel->axis[at - 1]].n_action > factor->n_action; at--) {
            channel->axis[at] = channel->axis[at - 1];
        }
        channel->axis[at] = f;
        channel->n_state *= factor->n_state;
    }
    for (int32_t i = 0; i < channel->n_axis; i++) {
        const int64_t n_action = model->factor[channel->axis[i]].n_action;
        channel->n_term *=
            i + 1 < channel->n_axis ? n_action : round_up(n_action, SONDE__EFE_LANES);
    }
}

/* B times a table pays if there are many more prefixes of T - 1 steps than states, and it stays
 * small. */
static void find_fused(const sonde_policies *policies, sonde__channel *channel) {
    const sonde_model *model = policies->model;
    bool possible = channel->n_axis > 0 && !channel->sparse;
    double n_lane = 1.0;
    int32_t n = 0;
    for (int32_t f = 0; f < model->n_factor; f++) {
        const sonde_factor *factor = &model->factor[f];
        for (int32_t i = 0; i < channel->n_axis; i++) {
            if (channel->axis[i] == f) {
                const bool alone = factor->n_depend == 1 && factor->depend[0] == f;
                possible = possible && alone && factor->B != NULL;
                n_lane *= factor->n_action;
                channel->order[n++] = f;
            }
        }
    }
    const double n_last = (channel->n_outcome + 1.0) * n_lane;
    channel->fused = possible && (double)channel->n_state * n_last <= FUSED_MAX &&
                     policies->size > 4.0 * model->n_action * (double)channel->n_state;
    channel->n_lane = channel->fused ? (int32_t)n_lane : 0;
    channel->n_last = channel->fused ? round_up((int64_t)n_last, SONDE__EFE_LINE) : 0;
    if (channel->fused && channel->n_axis == 1) {
        const int32_t n_action = model->factor[channel->axis[0]].n_action;
        channel->n_together = sonde__rows_together(n_action, channel->n_last);
    }
    if (channel->n_term < channel->n_lane) {
        channel->n_term = channel->n_lane;
    }
}

static void describe(const sonde_policies *policies, const bool *touched, sonde__channel *channel) {
    const sonde_model *model = policies->model;
    const sonde_modality *modality = channel->modality;
    find_axes(model, touched, channel);
    channel->n_outcome =
        modality != NULL ? modality->n_outcome : (int32_t)sonde__efe_joint_outcomes(model);
    channel->information = model->weights.information;
    channel->n_row = (int32_t)round_up((int64_t)channel->n_outcome + 1, SONDE__EFE_LANES);
    channel->sparse =
        modality != NULL && modality->A == NULL && modality->n_factor == 1 && channel->n_axis == 1;
    find_fused(policies, channel);
    const bool kept = modality != NULL && channel->varies && model->n_step_C == 1 &&
                      !channel->sparse && modality->n_state <= WHOLE_MAX;
    channel->n_whole = kept ? modality->n_state : 0;
}

int32_t sonde__outlook_describe(const sonde_policies *policies, sonde__channel *channel) {
    const sonde_model *model = policies->model;
    const bool joint = sonde__model_is_joint(model);
    const int32_t n_channel = joint ? 1 : model->n_modality;
    bool touched[SONDE_FACTORS_MAX];
    find_touched(model, touched);
    for (int32_t c = 0; c < n_channel; c++) {
        channel[c] = (sonde__channel){.modality = joint ? NULL : &model->modality[c]};
        describe(policies, touched, &channel[c]);
    }
    return n_channel;
}

/* A table for every step, or one for all. */
static void carve_tables(sonde__arena *arena, uint64_t n_step, sonde__channel *channel) {
    const uint64_t width = channel->sparse ? 1 : (uint64_t)channel->n_row;
    const uint64_t size = sonde__multiply((uint64_t)channel->n_state, width);
    channel->table = SONDE__TAKE(arena, double *, n_step);
    channel->storage =
        SONDE__TAKE(arena, double, sonde__multiply(channel->varies ? n_step : 1, size));
    for (uint64_t t = 0; channel->table != NULL && t < n_step; t++) {
        channel->table[t] = channel->storage + (channel->varies ? t * size : 0);
    }
    channel->last = SONDE__TAKE(
        arena, double, sonde__multiply((uint64_t)channel->n_state, (uint64_t)channel->n_last));
    channel->whole = SONDE__TAKE(
        arena, double, sonde__multiply((uint64_t)channel->n_whole, (uint64_t)channel->n_row));
}

/* Whether nobody needs a factor's beliefs after the last step: all its channels go there
 * directly. */
static bool is_skipped(int32_t n_channel, const sonde__channel *channel, int32_t f) {
    bool skipped = true;
    for (int32_t c = 0; c < n_channel; c++) {
        for (int32_t i = 0; i < channel[c].n_axis; i++) {
            skipped = skipped && (channel[c].axis[i] != f || channel[c].fused);
        }
    }
    return skipped;
}

void sonde__outlook_carve(sonde__arena *arena, const sonde_policies *policies,
                          sonde__outlook *outlook) {
    const sonde_model *model = policies->model;
    const uint64_t n_step = (uint64_t)policies->horizon + 1;
    sonde__channel channel[SONDE_FACTORS_MAX];
    int32_t n_row = 0;
    outlook->policies = policies;
    outlook->n_channel = sonde__outlook_describe(policies, channel);
    outlook->channel = SONDE__TAKE(arena, sonde__channel, outlook->n_channel);
    outlook->touched = SONDE__TAKE(arena, bool, model->n_factor);
    outlook->skipped = SONDE__TAKE(arena, bool, model->n_factor);
    outlook->belief =
        SONDE__TAKE(arena, double, sonde__multiply(n_step, (uint64_t)model->n_belief));
    outlook->constant = SONDE__TAKE(arena, double, n_step);
    for (int32_t c = 0; c < outlook->n_channel; c++) {
        carve_tables(arena, n_step, &channel[c]);
        n_row = channel[c].n_row > n_row ? channel[c].n_row : n_row;
        if (outlook->channel != NULL) {
            outlook->channel[c] = channel[c];
        }
    }
    outlook->row = SONDE__TAKE(arena, double, n_row);
    outlook->version = 0;
    if (outlook->touched != NULL) {
        find_touched(model, outlook->touched);
        for (int32_t f = 0; f < model->n_factor; f++) {
            outlook->skipped[f] = is_skipped(outlook->n_channel, channel, f);
        }
    }
}

/* The part of a step's G that is linear in the state of one modality's factors. */
static double linear_part(const sonde_model *model, const sonde_modality *modality, int32_t t,
                          int64_t state) {
    const double *preference = sonde__efe_preference(model, modality, t);
    double sum = model->weights.information * modality->ambiguity[state];
    sum -= modality->novelty != NULL ? model->weights.novelty_A * modality->novelty[state] : 0.0;
    if (modality->A != NULL) {
        const double *row = modality->A + state * modality->n_outcome;
        for (int32_t o = 0; o < modality->n_outcome; o++) {
            sum += row[o] * sonde__efe_linear(model, modality, o, preference[o]);
        }
        return sum;
    }
    for (int64_t i = modality->offset[state]; i < modality->offset[state + 1]; i++) {
        const int32_t o = modality->outcome[i];
        sum += modality->p[i] * sonde__efe_linear(model, modality, o, preference[o]);
    }
    return sum;
}

/* One row of a table before anything is summed out: outcomes and the linear part. */
static void fill_row(const sonde_model *model, const sonde__channel *channel, int32_t t,
                     const int32_t *state, double *row) {
    const sonde_modality *modality = channel->modality;
    if (modality == NULL) {
        sonde__efe_joint_row(model, state, 0, 1.0, row);
        row[channel->n_outcome] = 0.0;
        for (int32_t m = 0; m < model->n_modality; m++) {
            const sonde_modality *each = &model->modality[m];
            row[channel->n_outcome] +=
                linear_part(model, each, t, sonde__efe_place(model, each, state));
        }
        return;
    }
    const int64_t place = sonde__efe_place(model, modality, state);
    memset(row, 0, (size_t)channel->n_outcome * sizeof *row);
    for (int32_t o = 0; modality->A != NULL && o < modality->n_outcome; o++) {
        row[o] = modality->A[place * modality->n_outcome + o];
    }
    for (int64_t i = modality->A == NULL ? modality->offset[place] : 0;
         modality->A == NULL && i < modality->offset[place + 1]; i++) {
        row[modality->outcome[i]] = modality->p[i];
    }
    row[channel->n_outcome] = linear_part(model, modality, t, place);
}

/* Counts on through the states of the channel's factors; false after the last. */
static bool next_state(const sonde_model *model, const sonde__channel *channel, int32_t *state) {
    const sonde_modality *modality = channel->modality;
    const int32_t n = modality != NULL ? modality->n_factor : model->n_factor;
    for (int32_t i = n - 1; i >= 0; i--) {
        const int32_t f = modality != NULL ? modality->factor[i] : i;
        if (++state[f] < model->factor[f].n_state) {
            return true;
        }
        state[f] = 0;
    }
    return false;
}

/* How probable the untouched part of a state is after t steps. */
static double untouched_weight(const sonde__outlook *outlook, const sonde__channel *channel,
                               int32_t t, const int32_t *state) {
    const sonde_model *model = outlook->policies->model;
    const double *belief = outlook->belief + (int64_t)t * model->n_belief;
    const sonde_modality *modality = channel->modality;
    const int32_t n = modality != NULL ? modality->n_factor : model->n_factor;
    double weight = 1.0;
    for (int32_t i = 0; i < n; i++) {
        const int32_t f = modality != NULL ? modality->factor[i] : i;
        weight *= outlook->touched[f] ? 1.0 : belief[model->factor[f].first + state[f]];
    }
    return weight;
}

/* The place of a state of the channel's axes in its tables. */
static int64_t table_place(const sonde_model *model, const sonde__channel *channel,
                           const int32_t *state) {
    int64_t at = 0;
    for (int32_t i = 0; i < channel->n_axis; i++) {
        at = at * model->factor[channel->axis[i]].n_state + state[channel->axis[i]];
    }
    return at;
}

/* The rows of all states of a modality, made again where its numbers are others. */
static void fill_whole(const sonde__outlook *outlook, sonde__channel *channel) {
    const sonde_model *model = outlook->policies->model;
    const sonde_modality *modality = channel->modality;
    const uint64_t version = modality->version > 0 ? modality->version : model->version;
    int32_t state[SONDE_FACTORS_MAX];
    memset(state, 0, (size_t)model->n_factor * sizeof *state);
    if (channel->made == version) {
        return;
    }
    channel->made = version;
    double *row = channel->whole;
    memset(row, 0, (size_t)channel->n_whole * (size_t)channel->n_row * sizeof *row);
    do { /* in the order of the modality's states */
        fill_row(model, channel, 1, state, row);
        row += channel->n_row;
    } while (next_state(model, channel, state));
}

/* A table from these: each of its rows is their sum, as probable as the untouched states are. */
static void sum_whole(const sonde__outlook *outlook, const sonde__channel *channel, int32_t t) {
    const sonde_model *model = outlook->policies->model;
    const double *from = channel->whole;
    double *table = channel->table[t];
    int32_t state[SONDE_FACTORS_MAX];
    memset(state, 0, (size_t)model->n_factor * sizeof *state);
    memset(table, 0, (size_t)channel->n_state * (size_t)channel->n_row * sizeof *table);
    do {
        const double weight = untouched_weight(outlook, channel, t, state);
        if (weight != 0.0) {
            double *row = table + table_place(model, channel, state) * channel->n_row;
            for (int32_t o = 0; o < channel->n_row; o++) {
                row[o] += weight * from[o];
            }
        }
        from += channel->n_row;
    } while (next_state(model, channel, state));
}

/* Whether the factors that no action touches are believed as they were a step before. */
static bool stays(const sonde__outlook *outlook, int32_t t) {
    const sonde_model *model = outlook->policies->model;
    const double *now = outlook->belief + (int64_t)t * model->n_belief;
    bool same = t > 1 && model->n_step_C == 1;
    for (int32_t f = 0; same && f < model->n_factor; f++) {
        const sonde_factor *factor = &model->factor[f];
        same = outlook->touched[f] ||
               memcmp(now + factor->first, now - model->n_belief + factor->first,
                      (size_t)factor->n_state * sizeof *now) == 0;
    }
    return same;
}

static void fill_table(const sonde__outlook *outlook, const sonde__channel *channel, int32_t t) {
    const sonde_model *model = outlook->policies->model;
    double *table = channel->table[t];
    int32_t state[SONDE_FACTORS_MAX];
    memset(state, 0, (size_t)model->n_factor * sizeof *state);
    if (channel->n_whole > 0) {
        sum_whole(outlook, channel, t);
        return;
    }
    if (channel->sparse) {
        for (int64_t s = 0; s < channel->n_state; s++) {
            table[s] = linear_part(model, channel->modality, t, s);
        }
        return;
    }
    memset(table, 0, (size_t)channel->n_state * (size_t)channel->n_row * sizeof *table);
    do {
        const double weight = untouched_weight(outlook, channel, t, state);
        if (weight == 0.0) {
            continue;
        }
        fill_row(model, channel, t, state, outlook->row);
        double *row = table + table_place(model, channel, state) * channel->n_row;
        for (int32_t o = 0; o <= channel->n_outcome; o++) {
            row[o] += weight * outlook->row[o];
        }
    } while (next_state(model, channel, state));
}

/* Counts on through states, or actions, of the channel's axes in their own order; false after the
 * last. */
static bool next_of(const sonde_model *model, const sonde__channel *channel, bool actions,
                    int32_t *digit) {
    for (int32_t i = channel->n_axis - 1; i >= 0; i--) {
        const sonde_factor *factor = &model->factor[channel->order[i]];
        if (++digit[channel->order[i]] < (actions ? factor->n_action : factor->n_state)) {
            return true;
        }
        digit[channel->order[i]] = 0;
    }
    return false;
}

/* Adds to one row of B times the last table, and one lane, what leads through one next state. */
static void add_path(const sonde__channel *channel, double p, const double *table, double *to) {
    for (int32_t row = 0; row <= channel->n_outcome; row++) {
        to[(int64_t)row * channel->n_lane] += p * table[row];
    }
}

/* B times the table of the last step, for every state before it and combination of actions. */
static void fill_last(const sonde__outlook *outlook, const sonde__channel *channel) {
    const sonde_model *model = outlook->policies->model;
    const double *table = channel->table[outlook->policies->horizon];
    int32_t state[SONDE_FACTORS_MAX];
    memset(state, 0, (size_t)model->n_factor * sizeof *state);
    int32_t action[SONDE_FACTORS_MAX] = {0};
    int32_t next[SONDE_FACTORS_MAX] = {0};
    double *to = channel->last;
    memset(to, 0, (size_t)channel->n_state * (size_t)channel->n_last * sizeof *to);
    do {
        int32_t lane = 0;
        do {
            do {
                double p = 1.0;
                for (int32_t i = 0; i < channel->n_axis; i++) {
                    const int32_t f = channel->order[i];
                    const sonde_factor *factor = &model->factor[f];
                    p *=
                        factor->B[((int64_t)state[f] * factor->n_state + next[f]) * factor->n_lane +
                                  action[f]];
                }
                add_path(channel, p, table + table_place(model, channel, next) * channel->n_row,
                         to + lane);
            } while (next_of(model, channel, false, next));
            lane++;
        } while (next_of(model, channel, true, action));
        to += channel->n_last;
    } while (next_of(model, channel, false, state));
}

/* What a channel without axes adds to a step: its one row. */
static double constant_term(const sonde__channel *channel, int32_t t) {
    double term[SONDE__EFE_LANES] = {0.0};
    const double *row = channel->table[t];
    for (int32_t o = 0; o < channel->n_outcome; o++) {
        double alone[SONDE__EFE_LANES] = {row[o]};
        sonde__rows_negentropy(1, NULL, SONDE__EFE_LANES, alone, term);
    }
    return channel->information * term[0] + row[channel->n_outcome];
}

/* Beliefs of the factors that no action touches, step by step: any policy will do. */
static void predict_untouched(sonde__outlook *outlook, const double *belief) {
    const sonde_model *model = outlook->policies->model;
    memcpy(outlook->belief, belief, (size_t)model->n_belief * sizeof *belief);
    for (int32_t t = 1; t <= outlook->policies->horizon; t++) {
        double *next = outlook->belief + (int64_t)t * model->n_belief;
        sonde__belief_next(model, 0, next - model->n_belief, next);
    }
}

void sonde__outlook_start(sonde__outlook *outlook, const sonde_policies *policies, int32_t origin,
                          const double *belief) {
    outlook->policies = policies;
    outlook->origin = origin;
    outlook->serial++;
    const bool stale = outlook->version != policies->model->version;
    predict_untouched(outlook, belief);
    for (int32_t t = 1; t <= policies->horizon; t++) {
        outlook->constant[t] = 0.0;
    }
    for (int32_t c = 0; c < outlook->n_channel; c++) {
        sonde__channel *channel = &outlook->channel[c];
        const int64_t size = channel->n_state * (channel->sparse ? 1 : channel->n_row);
        if (channel->n_whole > 0) {
            fill_whole(outlook, channel);
        }
        for (int32_t t = 1; t <= policies->horizon; t++) {
            if (channel->varies && stays(outlook, t)) {
                channel->table[t] = channel->table[t - 1];
            } else if (channel->varies || (t == 1 && stale)) {
                channel->table[t] = channel->storage + (channel->varies ? t * size : 0);
                fill_table(outlook, channel, t);
            }
            outlook->constant[t] += channel->n_axis == 0 ? constant_term(channel, t) : 0.0;
        }
        if (channel->fused && (channel->varies || stale)) {
            fill_last(outlook, channel);
        }
    }
    outlook->version = policies->model->version;
}

/* efe_fan.c: G of the policies of a general model, depth first, all children of a prefix at once.
 *
 * Going down one step from a prefix:
 *
 *     1. every factor's beliefs after each of its own actions, side by side (efe_spread.c);
 *     2. every channel's outcomes for each combination of its own factors' actions: the factors
 *        with fewer actions are summed out of its table one after the other, the last is a product
 *        with all its lanes; then the negentropy, lane by lane. These are kept while other factors
 *        go through their actions;
 *     3. G of a child = G of the prefix + what the channels say of its combination.
 *
 * The innermost work for a policy is thus its outcomes' products and logarithms, and everything
 * above the last step is shared. Where beliefs or tables are mostly 0, only what is not is
 * touched. */
#include "efe/efe_fan_internal.h"

#include <string.h>

#include "efe/efe_rows.h"
#include "efe/efe_spread_internal.h"

/* ----------------------------------------------------------------------------------- memory -- */

static void carve_terms(sonde__arena *arena, int64_t n_step, int32_t n_channel,
                        const sonde__channel *channel, sonde__fan *fan) {
    fan->terms = SONDE__TAKE(arena, sonde__terms, n_step * n_channel);
    for (int64_t i = 0; i < n_step * n_channel; i++) {
        const sonde__channel *c = &channel[i % n_channel];
        const bool last = i / n_channel == n_step - 1;
        const int64_t n_last = last ? (int64_t)c->n_together * c->n_lane : 0;
        const sonde__terms terms = {
            .term = SONDE__TAKE(arena, double, n_last > c->n_term ? n_last : c->n_term),
            .version = SONDE__TAKE(arena, uint64_t, c->n_axis)};
        if (fan->terms != NULL) {
            fan->terms[i] = terms;
        }
    }
}

/* the largest of what the scratch arrays must hold */
typedef struct {
    uint64_t previous;
    uint64_t state;
    uint64_t outcome;
    uint64_t cells; /* rows times lanes */
    uint64_t rest;
} extent;

static void stretch(uint64_t *most, uint64_t n) {
    *most = n > *most ? n : *most;
}

static extent measure(const sonde_model *model, int32_t n_channel, const sonde__channel *channel) {
    extent most = {0};
    for (int32_t f = 0; f < model->n_factor; f++) {
        stretch(&most.previous, (uint64_t)model->factor[f].n_previous);
        stretch(&most.previous, (uint64_t)model->factor[f].n_state);
        stretch(&most.state, (uint64_t)model->factor[f].n_state);
        stretch(&most.cells, (uint64_t)model->factor[f].n_action);
        /* beliefs that have yet to be spread out into lanes */
        stretch(&most.cells, 2 * (uint64_t)model->factor[f].n_state);
    }
    for (int32_t c = 0; c < n_channel; c++) {
        const int32_t last = channel[c].n_axis - 1;
        const int32_t n_action = last >= 0 ? model->factor[channel[c].axis[last]].n_action : 1;
        stretch(&most.outcome, (uint64_t)channel[c].n_outcome);
        stretch(&most.cells,
                sonde__multiply((uint64_t)channel[c].n_row, (uint64_t)sonde__rows_whole(n_action)));
        const uint64_t n_prefix = channel[c].n_together > 0 ? (uint64_t)channel[c].n_together : 1;
        stretch(&most.cells, n_prefix * (uint64_t)channel[c].n_last);
        stretch(&most.previous, channel[c].fused ? (uint64_t)channel[c].n_state : 0);
        /* what is left of the table after each axis */
        int64_t n_state = channel[c].n_state;
        uint64_t rest = 0;
        for (int32_t i = 0; i < last; i++) {
            n_state /= model->factor[channel[c].axis[i]].n_state;
            rest = sonde__add(rest, sonde__multiply((uint64_t)n_state, (uint64_t)channel[c].n_row));
        }
        stretch(&most.rest, rest);
    }
    return most;
}

/* Room for beliefs that are compared, of factors that are small and have a choice, and for terms.
 * A few policies are scored sooner than that is made ready. */
static void carve_seen(sonde__arena *arena, const sonde_policies *policies, int32_t n_channel,
                       const sonde__channel *channel, sonde__fan *fan) {
    enum { FEW = 64 };
    const sonde_model *model = policies->model;
    const bool pays = policies->size > FEW;
    fan->beheld = SONDE__TAKE(arena, sonde__seen, model->n_factor);
    fan->memo = SONDE__TAKE(arena, sonde__memo, n_channel);
    fan->serial = 0;
    for (int32_t f = 0; f < model->n_factor; f++) {
        const sonde_factor *factor = &model->factor[f];
        const int64_t n = (int64_t)factor->n_state * sonde__rows_whole(factor->n_action);
        const bool small = pays && factor->n_action > 1 && n <= SONDE__SEEN_NUMBERS;
        int32_t *support = SONDE__TAKE(arena, int32_t, small ? SONDE__SEEN * factor->n_state : 0);
        double *q = SONDE__TAKE(arena, double, small ? SONDE__SEEN *n : 0);
        if (fan->beheld != NULL) {
            fan->beheld[f] =
                (sonde__seen){.n_number = (size_t)n, .support = support, .q = small ? q : NULL};
        }
    }
    for (int32_t c = 0; c < n_channel; c++) {
        const bool one = pays && channel[c].n_axis == 1 && !channel[c].sparse;
        double *term = SONDE__TAKE(arena, double, one ? SONDE__SEEN *channel[c].n_term : 0);
        if (fan->memo != NULL) {
            fan->memo[c] = (sonde__memo){.term = one ? term : NULL};
        }
    }
}

void sonde__fan_carve(sonde__arena *arena, const sonde_policies *policies, sonde__fan *fan) {
    const sonde_model *model = policies->model;
    const uint64_t n_step = (uint64_t)policies->horizon + 1;
    sonde__channel channel[SONDE_FACTORS_MAX];
    const int32_t n_channel = sonde__outlook_describe(policies, channel);
    const extent most = measure(model, n_channel, channel);
    fan->alone = false;
    sonde__walker_carve(arena, policies, &fan->walker);
    sonde__spreads_carve(arena, policies, fan);
    carve_terms(arena, (int64_t)n_step, n_channel, channel, fan);
    carve_seen(arena, policies, n_channel, channel, fan);
    fan->n_child = SONDE__TAKE(arena, int32_t, n_step);
    fan->child = SONDE__TAKE(arena, int32_t, n_step);
    fan->sum = SONDE__TAKE(arena, double, sonde__multiply(n_step, (uint64_t)model->n_action));
    fan->n_half = (int64_t)most.previous;
    fan->from = SONDE__TAKE(arena, int32_t, 3 * most.previous);
    fan->weight = SONDE__TAKE(arena, double, 3 * most.previous);
    fan->rest = SONDE__TAKE(arena, double, most.rest);
    fan->outcome = SONDE__TAKE(arena, double, most.cells);
    fan->seen = SONDE__TAKE(arena, int32_t, most.outcome);
    fan->marked = SONDE__TAKE(arena, bool, most.state > most.outcome ? most.state : most.outcome);
}

/* --------------------------------------------------------------------------------- channels -- */

/* Adds the negentropy of n rows of outcomes to the terms, as much as it counts. Behind the outcomes
 * there is room for another row. */
static void add_negentropy(const sonde__channel *channel, int32_t n, const int32_t *row,
                           int32_t n_lane, double *outcome, double *term) {
    double *sum = outcome + (int64_t)channel->n_outcome * n_lane;
    if (channel->information == 1.0) {
        sonde__rows_negentropy(n, row, n_lane, outcome, term);
        return;
    }
    memset(sum, 0, (size_t)n_lane * sizeof *sum);
    if (channel->information > 0.0) {
        sonde__rows_negentropy(n, row, n_lane, outcome, sum);
    }
    for (int32_t l = 0; l < n_lane; l++) {
        term[l] += channel->information * sum[l];
    }
}

/* Terms of a channel whose outcomes are looked up: only those that can occur. */
static void score_sparse(sonde__fan *fan, const sonde__channel *channel, int32_t t,
                         const sonde__spread *spread, double *term) {
    const sonde_modality *modality = channel->modality;
    const int32_t n_lane = spread->n_lane;
    int32_t n_seen = 0;
    for (int32_t i = 0; i < spread->n_support; i++) {
        const int32_t s = spread->support[i];
        const double *q = spread->q + (int64_t)s * n_lane;
        for (int64_t k = modality->offset[s]; k < modality->offset[s + 1]; k++) {
            const int32_t o = modality->outcome[k];
            double *row = fan->outcome + (int64_t)o * n_lane;
            if (!fan->marked[o]) {
                fan->marked[o] = true;
                fan->seen[n_seen++] = o;
                memset(row, 0, (size_t)n_lane * sizeof *row);
            }
            for (int32_t l = 0; l < n_lane; l++) {
                row[l] += modality->p[k] * q[l];
            }
        }
        for (int32_t l = 0; l < n_lane; l++) {
            term[l] += channel->table[t][s] * q[l];
        }
    }
    add_negentropy(channel, n_seen, fan->seen, n_lane, fan->outcome, term);
    for (int32_t i = 0; i < n_seen; i++) {
        fan->marked[fan->seen[i]] = false;
    }
}

/* The outcomes are there: terms for all lanes. */
static void finish(const sonde__channel *channel, int32_t n_lane, double *outcome, double *term) {
    const double *linear = outcome + (int64_t)channel->n_outcome * n_lane;
    memcpy(term, linear, (size_t)n_lane * sizeof *term);
    add_negentropy(channel, channel->n_outcome, NULL, n_lane, outcome, term);
}

/* Whether the states that were listed for one channel serve another. */
static bool is_listed(const sonde__channel *listed, const sonde__channel *channel) {
    return listed != NULL && listed->n_axis == channel->n_axis &&
           memcmp(listed->order, channel->order,
                  (size_t)channel->n_axis * sizeof *channel->order) == 0;
}

/* Terms of the last step, straight from the beliefs before it. */
static void score_fused(sonde__fan *fan, const sonde__channel *channel, double *term) {
    sonde__sample from = {.n = fan->n_listed,
                          .from = fan->from + fan->listed_at,
                          .weight = fan->weight + fan->listed_at};
    if (!is_listed(fan->listed, channel)) {
        from = sonde__fan_states(fan, fan->outlook->policies->horizon, channel->n_axis,
                                 channel->order);
        fan->listed = channel;
        fan->n_listed = from.n;
        fan->listed_at = from.from - fan->from;
    }
    sonde__rows_sum_rows(channel->n_last, from.n, from.from, from.weight, channel->last,
                         fan->outcome);
    finish(channel, channel->n_lane, fan->outcome, term);
}

/* The same for a channel of one axis, for the present prefix and some that follow it: what B and
 * the table make is then read once for all of them. */
static const double *score_together(sonde__fan *fan, const sonde__channel *channel,
                                    sonde__terms *terms) {
    const int32_t t = fan->outlook->policies->horizon - 1;
    const int32_t f = channel->axis[0];
    if (sonde__fan_together(fan, t, f, channel->n_together, &terms->made)) {
        sonde__spread_sum(fan, sonde__spread_at(fan, t, f), &terms->made, channel->n_last,
                          channel->last, fan->outcome);
        for (int32_t i = 0; i < terms->made.end - terms->made.first; i++) {
            finish(channel, channel->n_lane, fan->outcome + i * channel->n_last,
                   terms->term + (int64_t)i * channel->n_lane);
        }
    }
    const int32_t i = sonde__fan_column(fan, t, f) - terms->made.first;
    return terms->term + (int64_t)i * channel->n_lane;
}

/* Terms for all actions of the last axis, the others having been summed out of the table. */
static void score_last(sonde__fan *fan, const sonde__channel *channel, const double *table,
                       const sonde__spread *spread, double *term) {
    const sonde__rows_product product = {.n_row = channel->n_row,
                                         .n_lane = spread->n_lane,
                                         .n_support = spread->n_support,
                                         .support = spread->support,
                                         .table = table,
                                         .q = spread->q};
    sonde__rows_multiply(&product, fan->outcome);
    finish(channel, spread->n_lane, fan->outcome, term);
}

/* Sums factors `begin` to the last but one out of the table, each in the column of its digit;
 * what is left is in the result. */
static const double *sum_out(sonde__fan *fan, const sonde__channel *channel, int32_t t,
                             int32_t begin, const int32_t *digit) {
    const sonde_model *model = fan->outlook->policies->model;
    const double *table = channel->table[t];
    double *rest = fan->rest;
    int64_t n = channel->n_state * channel->n_row;
    for (int32_t i = 0; i + 1 < channel->n_axis; i++) {
        const sonde__spread *spread = sonde__spread_at(fan, t, channel->axis[i]);
        n /= model->factor[channel->axis[i]].n_state;
        if (i >= begin) {
            sonde__sample states = {.from = fan->from, .weight = fan->weight};
            fan->listed = NULL;
            sonde__spread_states(spread, digit[i], &states);
            sonde__rows_sum_rows(n, states.n, states.from, states.weight, table, rest);
        }
        table = rest;
        rest += n;
    }
    return table;
}

/* Terms of a channel for every combination of its factors' actions, the last axis fastest. */
static void score_channel(sonde__fan *fan, const sonde__channel *channel, int32_t t, double *term) {
    const int32_t last = channel->n_axis - 1;
    const sonde__spread *spread = sonde__spread_at(fan, t, channel->axis[last]);
    if (channel->sparse) {
        memset(term, 0, (size_t)spread->n_lane * sizeof *term);
        score_sparse(fan, channel, t, spread, term);
        return;
    }
    if (channel->fused && t == fan->outlook->policies->horizon) {
        score_fused(fan, channel, term);
        return;
    }
    int32_t digit[SONDE_FACTORS_MAX];
    memset(digit, 0, (size_t)channel->n_axis * sizeof *digit);
    for (int32_t begin = 0; begin >= 0; term += spread->n_lane) {
        score_last(fan, channel, sum_out(fan, channel, t, begin, digit), spread, term);
        /* the next combination of the others, and the first of them that changed */
        begin = last - 1;
        while (begin >= 0 &&
               ++digit[begin] == sonde__spread_at(fan, t, channel->axis[begin])->n_choice) {
            digit[begin--] = 0;
        }
    }
}

/* A name for a factor's beliefs after its actions: the same as that of others where all numbers
 * are; 0: those of this factor are not compared. */
static uint64_t name_of(sonde__fan *fan, int32_t f, sonde__spread *spread) {
    const int32_t n_state = fan->outlook->policies->model->factor[f].n_state;
    sonde__seen *seen = &fan->beheld[f];
    const size_t each = (size_t)n_state * (size_t)spread->n_lane;
    if (spread->named == spread->version) {
        return spread->identity;
    }
    spread->named = spread->version;
    spread->identity = 0;
    if (seen->q == NULL || each > seen->n_number || spread->n_lane == 1) {
        return 0;
    }
    const int32_t n = seen->n < SONDE__SEEN ? seen->n : SONDE__SEEN;
    const size_t n_support = (size_t)spread->n_support;
    for (int32_t i = 0; i < n; i++) {
        const double *q = seen->q + (size_t)i * seen->n_number;
        bool same = seen->n_lane[i] == spread->n_lane && seen->n_support[i] == spread->n_support &&
                    memcmp(seen->support + (int64_t)i * n_state, spread->support,
                           n_support * sizeof *spread->support) == 0;
        for (size_t k = 0; same && k < n_support; k++) {
            const int64_t row = (int64_t)spread->support[k] * spread->n_lane;
            same = memcmp(q + row, spread->q + row, (size_t)spread->n_lane * sizeof *q) == 0;
        }
        if (same) {
            spread->identity = seen->identity[i];
            return spread->identity;
        }
    }
    const int32_t to = seen->n++ % SONDE__SEEN;
    seen->identity[to] = spread->identity = spread->version;
    seen->n_lane[to] = spread->n_lane;
    seen->n_support[to] = spread->n_support;
    memcpy(seen->support + (int64_t)to * n_state, spread->support,
           n_support * sizeof *spread->support);
    for (size_t k = 0; k < n_support; k++) {
        const int64_t row = (int64_t)spread->support[k] * spread->n_lane;
        memcpy(seen->q + (size_t)to * seen->n_number + row, spread->q + row,
               (size_t)spread->n_lane * sizeof *seen->q);
    }
    return spread->identity;
}

/* Nothing that was seen of other tables counts. */
static void forget_seen(sonde__fan *fan) {
    const sonde__outlook *outlook = fan->outlook;
    if (fan->serial == outlook->serial) {
        return;
    }
    fan->serial = outlook->serial;
    fan->n_hit = fan->n_miss = 0;
    for (int32_t f = 0; f < outlook->policies->model->n_factor; f++) {
        fan->beheld[f].n = 0;
    }
    for (int32_t c = 0; c < outlook->n_channel; c++) {
        fan->memo[c].n = 0;
    }
}

/* Terms of a channel of one axis that were made of the same beliefs before, or room for them. */
static double *recall(sonde__fan *fan, int32_t t, int32_t c, bool *known) {
    const sonde__channel *channel = &fan->outlook->channel[c];
    sonde__memo *memo = &fan->memo[c];
    /* where nothing ever comes again it is not looked for any more */
    const bool worth = fan->n_miss < 64 || fan->n_miss < 8 * fan->n_hit;
    const uint64_t name =
        memo->term != NULL && worth
            ? name_of(fan, channel->axis[0], sonde__spread_at(fan, t, channel->axis[0]))
            : 0;
    *known = false;
    if (name == 0) {
        return NULL;
    }
    for (int32_t i = 0; i < memo->n && i < SONDE__SEEN; i++) {
        if (memo->identity[i] == name && memo->table[i] == channel->table[t]) {
            *known = true;
            fan->n_hit++;
            return memo->term + i * channel->n_term;
        }
    }
    fan->n_miss++;
    const int32_t to = memo->n++ % SONDE__SEEN;
    memo->identity[to] = name;
    memo->table[to] = channel->table[t];
    return memo->term + to * channel->n_term;
}

/* The terms of channel c at step t, unless they are there already. */
static const double *find_terms(sonde__fan *fan, int32_t t, int32_t c) {
    const sonde__channel *channel = &fan->outlook->channel[c];
    sonde__terms *terms = &fan->terms[(int64_t)t * fan->outlook->n_channel + c];
    if (channel->fused && channel->n_together > 0 && t == fan->outlook->policies->horizon) {
        return score_together(fan, channel, terms);
    }
    const bool fused = channel->fused && t == fan->outlook->policies->horizon;
    bool known = false;
    double *kept = channel->n_axis == 1 && !fused ? recall(fan, t, c, &known) : NULL;
    if (kept != NULL) {
        if (!known) {
            score_channel(fan, channel, t, kept);
        }
        return kept;
    }
    bool same = true;
    for (int32_t i = 0; i < channel->n_axis; i++) {
        const uint64_t version = sonde__spread_at(fan, t, channel->axis[i])->version;
        same = same && terms->version[i] == version;
        terms->version[i] = version;
    }
    if (!same) {
        score_channel(fan, channel, t, terms->term);
    }
    return terms->term;
}

/* Adds a channel's terms to the children, whose combinations count the last factor fastest. */
static void add_terms(const sonde__fan *fan, int32_t t, const sonde__channel *channel,
                      const double *term, double *sum) {
    const int32_t n_factor = fan->outlook->policies->model->n_factor;
    const bool fused = channel->fused && t == fan->outlook->policies->horizon;
    const int32_t *axis = fused ? channel->order : channel->axis;
    int64_t n = 1; /* combinations that the channel tells apart */
    for (int32_t i = 0; i < channel->n_axis; i++) {
        n *= sonde__spread_at(fan, t, axis[i])->n_choice;
    }
    /* the usual case, where nothing else has a choice, is a plain sum */
    if ((fused || channel->n_axis == 1) && fan->n_child[t] == n) {
        for (int32_t child = 0; child < fan->n_child[t]; child++) {
            sum[child] += term[child];
        }
        return;
    }
    int64_t stride[SONDE_FACTORS_MAX] = {0};
    int32_t digit[SONDE_FACTORS_MAX] = {0};
    int64_t n_stride = 1;
    for (int32_t i = channel->n_axis - 1; i >= 0; i--) {
        const sonde__spread *spread = sonde__spread_at(fan, t, axis[i]);
        stride[axis[i]] = n_stride;
        n_stride *= i + 1 == channel->n_axis && !fused ? spread->n_lane : spread->n_choice;
    }
    int64_t at = 0;
    for (int32_t child = 0; child < fan->n_child[t]; child++) {
        sum[child] += term[at];
        for (int32_t f = n_factor - 1; f >= 0; f--) {
            at += stride[f];
            if (++digit[f] < sonde__spread_at(fan, t, f)->n_choice) {
                break;
            }
            at -= stride[f] * digit[f];
            digit[f] = 0;
        }
    }
}

/* Subtracts what is learned of a factor's B by each of its actions. */
static void add_novelty(sonde__fan *fan, int32_t t, int32_t f, double *sum) {
    const sonde_model *model = fan->outlook->policies->model;
    const sonde_factor *factor = &model->factor[f];
    const sonde__spread *spread = sonde__spread_at(fan, t, f);
    const sonde__sample from = sonde__fan_states(fan, t, factor->n_depend, factor->depend);
    double *term = fan->outcome;
    fan->listed = NULL;
    for (int32_t c = 0; c < spread->n_choice; c++) {
        term[c] = 0.0;
        for (int32_t i = 0; i < from.n; i++) {
            const int64_t at = (int64_t)from.from[i] * factor->n_action + spread->choice[c];
            term[c] += from.weight[i] * factor->novelty[at];
        }
        term[c] *= model->weights.novelty_B;
    }
    /* combinations count the last factor fastest */
    int32_t below = 1;
    for (int32_t g = model->n_factor - 1; g > f; g--) {
        below *= sonde__spread_at(fan, t, g)->n_choice;
    }
    for (int32_t child = 0; child < fan->n_child[t]; child++) {
        sum[child] -= term[child / below % spread->n_choice];
    }
}

/* ------------------------------------------------------------------------------------- tree -- */

/* All children of the present prefix of t - 1 steps. */
static void expand(sonde__fan *fan, int32_t t) {
    const sonde__outlook *outlook = fan->outlook;
    const sonde_model *model = outlook->policies->model;
    forget_seen(fan);
    double *sum = fan->sum + (int64_t)t * model->n_action;
    fan->n_child[t] = 1;
    fan->listed = NULL;
    for (int32_t f = 0; f < model->n_factor; f++) {
        if (outlook->touched[f]) {
            sonde__fan_spread(fan, t, f);
        }
        fan->n_child[t] *= sonde__spread_at(fan, t, f)->n_choice;
    }
    const double prefix =
        t > 1 ? fan->sum[(int64_t)(t - 1) * model->n_action + fan->child[t - 1]] : 0.0;
    for (int32_t child = 0; child < fan->n_child[t]; child++) {
        sum[child] = prefix + outlook->constant[t];
    }
    for (int32_t c = 0; c < outlook->n_channel; c++) {
        if (outlook->channel[c].n_axis > 0) {
            add_terms(fan, t, &outlook->channel[c], find_terms(fan, t, c), sum);
        }
    }
    for (int32_t f = 0; f < model->n_factor; f++) {
        if (model->factor[f].novelty != NULL) {
            add_novelty(fan, t, f, sum);
        }
    }
    fan->child[t] = 0;
}

/* The child of step t that takes a policy's action. */
static int32_t find_child(const sonde__fan *fan, int32_t t, int32_t action) {
    const sonde_model *model = fan->outlook->policies->model;
    int32_t tuple[SONDE_FACTORS_MAX];
    int32_t child = 0;
    sonde__model_tuple(model, action, tuple);
    for (int32_t f = 0; f < model->n_factor; f++) {
        const sonde__spread *spread = sonde__spread_at(fan, t, f);
        int32_t place = 0;
        while (spread->choice[place] != tuple[f]) {
            place++;
        }
        child = child * spread->n_choice + place;
    }
    return child;
}

void sonde__fan_start(sonde__fan *fan, const sonde__outlook *outlook, uint64_t begin,
                      uint64_t end) {
    const sonde_policies *policies = outlook->policies;
    const sonde_model *model = policies->model;
    fan->outlook = outlook;
    fan->position = begin;
    fan->end = end;
    fan->n_child[0] = 1;
    fan->child[0] = 0;
    if (begin == end) {
        return;
    }
    sonde__walker_start(&fan->walker, policies, outlook->origin);
    (void)sonde__walker_move(&fan->walker, begin);
    for (int32_t t = 0; t <= policies->horizon; t++) {
        for (int32_t f = 0; f < model->n_factor; f++) {
            sonde__spread *spread = sonde__spread_at(fan, t, f);
            spread->version = ++fan->clock;
            spread->source = UINT64_MAX;
            if (t == 0 || !outlook->touched[f]) {
                sonde__spread_alone(spread, model->factor[f].n_state,
                                    outlook->belief + (int64_t)t * model->n_belief +
                                        model->factor[f].first);
                spread->place = fan->walker.place[f];
            }
        }
    }
    for (int32_t t = 1; t <= policies->horizon; t++) {
        expand(fan, t);
        fan->child[t] = find_child(fan, t, fan->walker.edge[t]);
        /* a prefix counts where its first policy is */
        fan->n_step += t < policies->horizon && fan->walker.begin[t] == begin ? 1 : 0;
    }
}

/* Goes on to the next prefix of T - 1 steps; false when the first step changes or there is none. */
static bool next_prefix(sonde__fan *fan) {
    const int32_t horizon = fan->outlook->policies->horizon;
    int32_t t = horizon - 1;
    while (t > 0 && ++fan->child[t] == fan->n_child[t]) {
        t--;
    }
    if (t == 0) {
        return false;
    }
    for (int32_t deeper = t + 1; deeper <= horizon; deeper++) {
        fan->n_step++;
        expand(fan, deeper);
    }
    return t > 1;
}

/* The action of a child. */
static int32_t action_of(const sonde__fan *fan, int32_t t, int32_t child) {
    const sonde_model *model = fan->outlook->policies->model;
    int32_t tuple[SONDE_FACTORS_MAX];
    for (int32_t f = model->n_factor - 1; f >= 0; f--) {
        const sonde__spread *spread = sonde__spread_at(fan, t, f);
        tuple[f] = spread->choice[child % spread->n_choice];
        child /= spread->n_choice;
    }
    return sonde__model_from_tuple(model, tuple);
}

int32_t sonde__fan_open(sonde__fan *fan, const sonde__outlook *outlook, int32_t t,
                        const double *belief, const int32_t *place) {
    const sonde_model *model = outlook->policies->model;
    fan->outlook = outlook;
    fan->n_child[t - 1] = 1;
    fan->child[t - 1] = 0;
    fan->sum[(int64_t)(t - 1) * model->n_action] = 0.0;
    for (int32_t f = 0; f < model->n_factor; f++) {
        const sonde_factor *factor = &model->factor[f];
        sonde__spread *before = sonde__spread_at(fan, t - 1, f);
        sonde__spread *after = sonde__spread_at(fan, t, f);
        sonde__spread_alone(before, factor->n_state, belief + factor->first);
        before->version = ++fan->clock;
        before->place = place[f];
        after->source = UINT64_MAX;
        after->version = ++fan->clock;
        if (!outlook->touched[f]) {
            sonde__spread_alone(after, factor->n_state,
                                outlook->belief + (int64_t)t * model->n_belief + factor->first);
            after->place = place[f];
        }
    }
    /* the first step goes from places, a later one from where the step before led: both are here */
    fan->alone = true;
    expand(fan, t);
    fan->alone = false;
    return fan->n_child[t];
}

void sonde__fan_children(const sonde__fan *fan, int32_t t, int32_t *action, uint64_t *below) {
    const sonde_policies *policies = fan->outlook->policies;
    const int32_t n_factor = policies->model->n_factor;
    const int32_t left = policies->horizon - t;
    int32_t n = 1;
    action[0] = 0;
    below[0] = 1;
    /* every factor multiplies the combinations of those before it, from the back, in place */
    for (int32_t f = 0; f < n_factor; f++) {
        const sonde__spread *spread = sonde__spread_at(fan, t, f);
        const sonde_places *p = &policies->place[f];
        const int32_t *next = p->next + (int64_t)spread->place * p->n_action;
        const uint64_t *count = p->completion + (int64_t)left * p->n_place;
        const int32_t n_choice = spread->n_choice;
        for (int32_t i = n; i-- > 0;) {
            const int32_t before = action[i] * p->n_action;
            const uint64_t n_before = below[i];
            for (int32_t c = n_choice; c-- > 0;) {
                const int32_t u = spread->choice[c];
                const uint64_t n_after = count[next[u]];
                const bool one = n_before == 1 || n_after == 1;
                action[i * n_choice + c] = before + u;
                below[i * n_choice + c] =
                    one ? n_before * n_after : sonde__multiply(n_before, n_after);
            }
        }
        n *= n_choice;
    }
}

void sonde__fan_child(const sonde__fan *fan, int32_t t, int32_t child, double *belief,
                      int32_t *place) {
    const sonde_policies *policies = fan->outlook->policies;
    const sonde_model *model = policies->model;
    memset(belief, 0, (size_t)model->n_belief * sizeof *belief);
    for (int32_t f = model->n_factor - 1; f >= 0; f--) {
        const sonde_factor *factor = &model->factor[f];
        const sonde__spread *spread = sonde__spread_at(fan, t, f);
        const int32_t column = child % spread->n_choice;
        child /= spread->n_choice;
        const sonde_places *places = &policies->place[f];
        place[f] = places->next[(int64_t)spread->place * places->n_action + spread->choice[column]];
        for (int32_t i = 0; i < spread->n_support; i++) {
            const int32_t s = spread->support[i];
            belief[factor->first + s] = spread->q[(int64_t)s * spread->n_lane + column];
        }
    }
}

int32_t sonde__fan_fill(sonde__fan *fan, double *efe, int32_t capacity, uint64_t *first,
                        int32_t *action) {
    const sonde_model *model = fan->outlook->policies->model;
    const int32_t horizon = fan->outlook->policies->horizon;
    const double *sum = fan->sum + (int64_t)horizon * model->n_action;
    int32_t n = 0;
    *first = fan->position;
    *action = fan->position < fan->end ? action_of(fan, 1, fan->child[1]) : -1;
    while (fan->position < fan->end && n < capacity) {
        const uint64_t left = fan->end - fan->position;
        /* a first step that is also the last changes with every policy */
        int32_t n_leaf = horizon == 1 ? 1 : fan->n_child[horizon] - fan->child[horizon];
        n_leaf = n_leaf < capacity - n ? n_leaf : capacity - n;
        n_leaf = (uint64_t)n_leaf < left ? n_leaf : (int32_t)left;
        memcpy(efe + n, sum + fan->child[horizon], (size_t)n_leaf * sizeof *efe);
        n += n_leaf;
        fan->child[horizon] += n_leaf;
        fan->position += (uint64_t)n_leaf;
        fan->n_step += (uint64_t)n_leaf;
        if (horizon == 1 || (fan->position < fan->end &&
                             fan->child[horizon] == fan->n_child[horizon] && !next_prefix(fan))) {
            break;
        }
    }
    return n;
}

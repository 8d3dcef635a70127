/* agent_learn.c: an agent is told to learn, and tells what it has learned. */
#include <string.h>

#include "agent/agent_internal.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "base/settings.h"
#include "base/status.h"

/* Whether learning needs G of every policy. */
static bool watches(const sonde_model *shape, const sonde_learn_settings *settings) {
    return settings->gamma == SONDE_PRECISION_EXPECTED || sonde__learner_weighs(shape, settings);
}

/* A learner and its arrays, one block; NULL on an arena that only measures. */
static sonde__learner *carve(sonde__arena *arena, const sonde_agent *agent,
                             const sonde_learn_settings *settings, sonde__watch *watch) {
    const sonde_model *shape = sonde__agent_given(agent);
    sonde__learner none;
    sonde__learner *learner = SONDE__TAKE(arena, sonde__learner, 1);
    sonde__learner_carve(arena, shape, settings, learner != NULL ? learner : &none);
    watch->n = watches(shape, settings) ? agent->policies->n_policy : 0;
    watch->efe = SONDE__TAKE(arena, double, watch->n);
    watch->first = SONDE__TAKE(arena, int32_t, watch->n);
    return learner;
}

/* What needs G of every policy looks at them all. */
static sonde_status check_watch(const sonde_agent *agent, const sonde_learn_settings *settings,
                                sonde_error *error) {
    const sonde_search_settings *search = sonde_agent_settings(agent);
    const bool expected = settings->gamma == SONDE_PRECISION_EXPECTED;
    if (search->loop == SONDE_LOOP_CLOSED && settings->support == SONDE_SUPPORT_GROW) {
        return sonde__fail(error, SONDE_BAD_ARGUMENT,
                           "support: grow makes states follow each other that closed loop has not "
                           "listed; take keep, or give small counts in the place of 0");
    }
    if (search->endless) {
        return sonde__fail(error, SONDE_BAD_ARGUMENT,
                           "endless: what was worked out for ever would have to be worked out anew "
                           "after every step that is learned from; choose a horizon");
    }
    if (expected && search->loop == SONDE_LOOP_CLOSED) {
        return sonde__fail(error, SONDE_BAD_ARGUMENT,
                           "gamma expected: it takes G of every policy, and closed loop has plans; "
                           "choose loop open");
    }
    if (expected && !sonde__search_has((int32_t)search->search, SONDE__SCORES_ALL)) {
        return sonde__fail(error, SONDE_BAD_ARGUMENT,
                           "gamma expected: it takes G of every policy, and %s search does not "
                           "look at all; choose search full",
                           sonde_search_name((int32_t)search->search));
    }
    if (search->fallback != SONDE_FALLBACK_NONE && watches(sonde__agent_given(agent), settings)) {
        return sonde__fail(error, SONDE_BAD_ARGUMENT,
                           "fallback: %s, of which a fallback has another; choose none",
                           expected ? "gamma is expected of one decision"
                                    : "E is learned from one posterior over policies");
    }
    if (expected && agent->policies->n_policy > (UINT64_C(1) << 28)) {
        return sonde__fail(error, SONDE_TOO_LARGE,
                           "gamma expected: it takes G of every policy, and there are %.4g; "
                           "choose a shorter horizon",
                           (double)agent->policies->n_policy);
    }
    return SONDE_OK;
}

/* Lets the search fill what is watched, or no longer. */
static void watch_search(sonde_agent *agent) {
    sonde__learner *learner = agent->learner;
    const bool any = learner != NULL && agent->watch.n > 0;
    if (any) {
        agent->watch.expected = learner->settings.gamma == SONDE_PRECISION_EXPECTED;
        agent->watch.alpha = learner->settings.alpha_g;
        agent->watch.beta = learner->settings.beta_g;
        agent->watch.gamma = &learner->gamma;
    }
    sonde__planner_watch(agent->planner, any ? &agent->watch : NULL);
}

/* The agent's numbers are those of its model again, which outlives a learner. */
static void put_back(sonde_agent *agent) {
    sonde__planner_watch(agent->planner, NULL);
    if (agent->learner != NULL) {
        if (agent->own != NULL) {
            const uint64_t version = agent->own->numbers.model.version;
            sonde__own_open(&agent->own->numbers, agent->own->shape);
            agent->own->numbers.model.version = version;
            sonde__own_renew(&agent->own->numbers);
        }
        sonde__free(agent->learner);
        agent->learner = NULL;
    }
}

sonde_status sonde_agent_learn(sonde_agent *agent, const sonde_learn_settings *learn,
                               sonde_error *error) {
    const sonde_model *shape = sonde__agent_given(agent);
    sonde__arena arena = {0};
    if (learn == NULL) {
        put_back(agent);
        return SONDE_OK;
    }
    sonde_learn_settings settled = *learn;
    if (!(settled.beta_g > 0.0 || settled.beta_g < 0.0)) {
        const double gamma = sonde_agent_settings(agent)->gamma;
        settled.beta_g = gamma > 0.0 ? 1.0 / gamma : settled.gamma ? 0.0 : 1.0;
    }
    sonde_status status = sonde__learner_check(shape, &settled, error);
    status = status == SONDE_OK ? check_watch(agent, &settled, error) : status;
    if (status != SONDE_OK) {
        return status;
    }
    sonde__watch watch = {0};
    (void)carve(&arena, agent, &settled, &watch);
    status = sonde__arena_claim(&arena, &agent->run, "learning",
                                "allow more, or fewer steps of an episode", error);
    if (status != SONDE_OK) {
        return status;
    }
    put_back(agent);
    agent->learner = carve(&arena, agent, &settled, &watch);
    agent->watch = watch;
    sonde__learner_open(agent->learner, agent->own != NULL ? &agent->own->numbers : NULL, shape,
                        &settled);
    watch_search(agent);
    sonde_agent_reset(agent);
    return SONDE_OK;
}

void sonde_agent_forget(sonde_agent *agent) {
    if (agent->learner != NULL) {
        sonde__learner_forget(agent->learner);
    }
}

/* ------------------------------------------------------------------------------------ counts -- */

/* Where a number of the file format stands in an array, or -1. */
static int64_t place_of(const sonde_model *model, sonde_letter letter, int32_t i, int64_t row,
                        int64_t column) {
    if (letter == SONDE_C || letter == SONDE_D || letter == SONDE_E) {
        return row;
    }
    const sonde_factor *factor = &model->factor[letter == SONDE_B ? i : 0];
    const sonde__slice c = letter == SONDE_A
                               ? sonde__slice_of_A(&model->modality[i], column)
                               : sonde__slice_of_B(factor, column / factor->n_action,
                                                   (int32_t)(column % factor->n_action));
    if (c.row == NULL) {
        return c.first + row * c.stride;
    }
    for (int64_t k = 0; k < c.n; k++) {
        if (c.row[k] == row) {
            return c.first + k;
        }
    }
    return -1;
}

static int64_t count_columns(const sonde_model *model, sonde_letter letter, int32_t i) {
    return letter == SONDE_A   ? model->modality[i].n_state
           : letter == SONDE_B ? model->factor[i].n_previous * model->factor[i].n_action
                               : 1;
}

int64_t sonde_agent_counts(const sonde_agent *agent, sonde_letter letter, int32_t i,
                           double *counts) {
    const sonde__counted *array =
        agent->learner != NULL ? sonde__learner_array(agent->learner, letter, i) : NULL;
    if (array == NULL) {
        return 0;
    }
    const sonde_model *model = agent->policies->model;
    const int64_t n_column = count_columns(model, letter, i);
    for (int64_t row = 0; counts != NULL && row < array->n_row; row++) {
        for (int64_t column = 0; column < n_column; column++) {
            const int64_t at = place_of(model, letter, i, row, column);
            counts[row * n_column + column] = at >= 0 ? array->counts[at] : 0.0;
        }
    }
    return array->n_row * n_column;
}

/* The divergence of one column of counts from what it was at first, where that was not 0. */
static void compare_column(const sonde_agent *agent, sonde_letter letter, int32_t i, int64_t column,
                           sonde_learned *learned) {
    const sonde_model *model = agent->policies->model;
    const sonde__counted *array = sonde__learner_array(agent->learner, letter, i);
    double now = 0.0;
    double before = 0.0;
    double sum = 0.0;
    for (int pass = 0; pass < 2; pass++) {
        for (int64_t row = 0; row < array->n_row; row++) {
            const int64_t at = place_of(model, letter, i, row, column);
            const double a = at >= 0 ? array->counts[at] : 0.0;
            const double b = at >= 0 ? array->init[at] : 0.0;
            if (pass == 0) {
                learned->added += a - b;
                learned->grown += b > 0.0 ? 0.0 : a;
                now += b > 0.0 ? a : 0.0;
                before += b;
            } else if (b > 0.0 && a > 0.0) {
                sum += sonde__log_gamma(b) - sonde__log_gamma(a) +
                       (a - b) * (sonde__digamma(a) - sonde__digamma(now));
            }
        }
    }
    learned->kl += sonde__log_gamma(now) - sonde__log_gamma(before) + sum;
}

sonde_learned sonde_agent_learned(const sonde_agent *agent, sonde_letter letter, int32_t i) {
    const sonde__counted *array =
        agent->learner != NULL ? sonde__learner_array(agent->learner, letter, i) : NULL;
    sonde_learned learned = {0};
    if (array == NULL) {
        return learned;
    }
    learned.n_event = array->n_event;
    learned.masked = array->masked;
    const int64_t n_column = count_columns(agent->policies->model, letter, i);
    for (int64_t column = 0; column < n_column; column++) {
        compare_column(agent, letter, i, column, &learned);
    }
    return learned;
}

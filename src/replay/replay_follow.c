/* replay_follow.c: an agent goes through what a subject saw and did.
 *
 *     before    predict, observe, [learn if step-before], decide, [learn if step-after], act
 *     after     decide, act, predict, observe, learn
 *
 * where each action is the one that was recorded. A session begins with the counts of the model, an
 * episode with its D and what was learned before. */
#include <math.h>
#include <string.h>

#include "agent/agent.h"
#include "base/status.h"
#include "replay/replay.h"
#include "sonde_settings.h"

sonde_replay_settings sonde_replay_defaults(const sonde_model *model) {
    sonde_replay_settings settings = {
        .model = model, .search = sonde_search_defaults(), .learn = sonde_learn_defaults()};
    (void)sonde_settings_set(&settings.search, "search", "full", NULL);
    return settings;
}

/* ------------------------------------------------------------------------------------ agents -- */

static sonde_status check_search(const sonde_search_settings *search, sonde_error *error) {
    const char *name = sonde_plan_search_name((int32_t)search->search);
    if (search->action != SONDE_ACTION_MARGINAL && search->action != SONDE_ACTION_SOFTMAX) {
        return sonde__fail(error, SONDE_BAD_ARGUMENT,
                           "action: expected marginal or softmax, which give every action a "
                           "probability that depends smoothly on the parameters");
    }
    if (search->loop != SONDE_LOOP_OPEN ||
        (strcmp(name, "full") != 0 && strcmp(name, "bounded") != 0)) {
        return sonde__fail(error, SONDE_BAD_ARGUMENT,
                           "search: expected full, or bounded, whose probabilities are exact, "
                           "found %s%s",
                           name, search->loop != SONDE_LOOP_OPEN ? " in closed loop" : "");
    }
    if (search->n_follow > 1) {
        return sonde__fail(error, SONDE_BAD_ARGUMENT,
                           "replan_every: expected 1, since an agent that follows somebody else "
                           "decides at every step, found %d",
                           search->n_follow);
    }
    return SONDE_OK;
}

sonde_status sonde__follower_check(const sonde_replay_settings *settings, const sonde_model *model,
                                   sonde_error *error) {
    const sonde_learn_settings *learn = &settings->learn;
    const bool D_alone = settings->learns && settings->timing == SONDE_TIMING_AFTER &&
                         learn->beliefs_D == SONDE_BELIEFS_FILTERED;
    if (!(settings->lapse >= 0.0 && settings->lapse < 1.0)) {
        return sonde__fail(error, SONDE_BAD_ARGUMENT,
                           "lapse: expected a number from 0 on and below 1, found %g",
                           settings->lapse);
    }
    for (int32_t f = 0; D_alone && f < model->n_factor; f++) {
        if (model->factor[f].counts_D != NULL && (learn->factor == NULL || learn->factor[f])) {
            return sonde__fail(error, SONDE_BAD_ARGUMENT,
                               "beliefs_D: expected smoothed or last, since with timing after "
                               "nothing is seen before the first action, and filtered would add D "
                               "to itself");
        }
    }
    return check_search(&settings->search, error);
}

/* Room for the judgement of actions. */
static sonde_status carve_scratch(sonde__follower *follower, const sonde_model *model,
                                  sonde_error *error) {
    uint64_t n_all = 0;
    for (int32_t f = 0; f < model->n_factor; f++) {
        n_all += (uint64_t)model->factor[f].n_action;
    }
    const uint64_t n = (uint64_t)model->n_action + 2 * n_all;
    const uint64_t size =
        n * sizeof(double) + ((uint64_t)model->n_action + n_all) * sizeof(int32_t);
    follower->log_mass = sonde__alloc((size_t)size);
    if (follower->log_mass == NULL) {
        return sonde__fail_memory(error, "replay", size);
    }
    follower->share = follower->log_mass + model->n_action;
    follower->factor_p = follower->share + n_all;
    follower->start = (int32_t *)(void *)(follower->factor_p + n_all);
    follower->own = follower->start + model->n_action;
    return SONDE_OK;
}

sonde_status sonde__follower_open(sonde__follower *follower, const sonde_policies *policies,
                                  const sonde_replay_settings *settings, int32_t n_longest,
                                  const sonde_run *run, sonde_error *error) {
    *follower = (sonde__follower){.search = &settings->search,
                                  .lapse = settings->lapse,
                                  .timing = settings->timing,
                                  .run = *run};
    sonde_search_settings search = settings->search;
    if (search.epsilon > 1e-12) {
        search.epsilon = 1e-12; /* of bounded search: its slack would be that of the likelihood */
    }
    sonde_learn_settings learn = settings->learn;
    const bool after = settings->timing == SONDE_TIMING_AFTER;
    learn.steps = n_longest + after;
    learn.when = after && learn.when == SONDE_LEARN_AFTER ? SONDE_LEARN_BEFORE : learn.when;
    follower->smooths = settings->learns && learn.beliefs == SONDE_BELIEFS_SMOOTHED;
    follower->decides =
        settings->learns &&
        (learn.gamma == SONDE_PRECISION_EXPECTED ||
         (policies->model->counts_E != NULL && policies->model->policies == SONDE_POLICIES_LISTED));
    follower->run.n_thread = 1; /* subjects and sets are the work of threads */
    follower->run.progress = NULL;
    sonde_status status = carve_scratch(follower, policies->model, error);
    status = status == SONDE_OK
                 ? sonde_agent_new(policies, &search, &follower->run, &follower->agent, error)
                 : status;
    return status == SONDE_OK && settings->learns
               ? sonde_agent_learn(follower->agent, &learn, error)
               : status;
}

void sonde__follower_close(sonde__follower *follower) {
    sonde_agent_free(follower->agent);
    sonde__free(follower->log_mass);
    follower->agent = NULL;
    follower->log_mass = NULL;
}

/* -------------------------------------------------------------------------------------- rows -- */

/* what happens in a row */
typedef struct {
    const sonde__following *all;
    int32_t row;
    sonde__follower *follower;
    double *log_likelihood;
    sonde_error *error;
} present;

static sonde_status observe(const present *now) {
    const sonde_data *data = now->all->data;
    if (now->all->expected != NULL) {
        now->all->expected(now->all->user, now->row, now->follower);
    }
    const sonde_status status = sonde_agent_observe(
        now->follower->agent, data->outcome + (int64_t)now->row * data->n_modality, now->error);
    if (status == SONDE_OK && now->all->seen != NULL) {
        now->all->seen(now->all->user, now->row, now->follower);
    }
    return status;
}

/* The column that an action is in, or the first of several. */
static int32_t action_column(const sonde_data *data, const sonde_model *model) {
    for (int32_t f = 0; f < model->n_factor; f++) {
        if (model->factor[f].n_action > 1 && data->column_done[f] >= 0) {
            return data->column_done[f];
        }
    }
    return -1;
}

/* An action without a probability, and what can be done about it. */
static sonde_status impossible(const present *now, const sonde__judged *judged) {
    const sonde_data *data = now->all->data;
    const sonde_model *model = sonde_agent_policies(now->follower->agent)->model;
    const int32_t column = action_column(data, model);
    return sonde__data_wrong(
        data, now->row, column, now->error, "the action%s%s%s %s", column >= 0 ? " \"" : "",
        column >= 0 ? data->cell[(int64_t)now->row * data->n_column + column] : "",
        column >= 0 ? "\"" : "",
        isnan(judged->log_p) ? "has no probability, since numbers have grown too large for one; "
                               "choose smaller parameters"
        : judged->starts     ? "has the probability 0, since no policy that begins with it has a "
                               "probability in E; give one of them some, or let the agent lapse"
                         : "has the probability 0, since no policy begins with it; let the model "
                           "have policies that do");
}

static bool is_last(const sonde__following *all, int32_t row) {
    const sonde_data *data = all->data;
    return row + 1 == data->first[all->subject + 1] || data->step[row + 1] == 0;
}

/* Decides, compares, and takes the action of the row. */
static sonde_status act(const present *now) {
    const sonde_data *data = now->all->data;
    sonde__follower *follower = now->follower;
    const int32_t action = data->action[now->row];
    const bool counts = action >= 0 && data->score[now->row];
    const sonde_decision *decision = NULL;
    sonde__judged judged = {.p = NAN, .log_p = NAN, .likeliest = -1};
    sonde_status status = SONDE_OK;
    const bool ends = follower->timing == SONDE_TIMING_BEFORE && is_last(now->all, now->row);
    if (action < 0 && !ends && follower->smooths) {
        return sonde__data_wrong(data, now->row, -1, now->error,
                                 "expected an action, since learning from smoothed beliefs needs "
                                 "all of them; choose filtered ones, or leave the episode out");
    }
    if (counts || action < 0 || now->all->every || follower->decides) {
        status = sonde_agent_search(follower->agent, &decision, now->error);
        status = status == SONDE_OK ? sonde__judge(follower, decision, action, &judged, now->error)
                                    : status;
    }
    if (status == SONDE_OK && counts && !(judged.log_p > -INFINITY)) {
        return impossible(now, &judged);
    }
    if (status == SONDE_OK && counts) {
        *now->log_likelihood += judged.log_p;
    }
    if (status == SONDE_OK && decision != NULL && now->all->decided != NULL) {
        status =
            now->all->decided(now->all->user, now->row, follower, decision, &judged, now->error);
    }
    if (status != SONDE_OK) {
        return status;
    }
    if (action >= 0) {
        return sonde_agent_take(follower->agent, action, now->error);
    }
    if (ends) {
        return SONDE_OK; /* nothing comes after it that would have to be predicted */
    }
    status = sonde__judge_factors(follower, decision, now->error);
    if (status == SONDE_OK) {
        sonde__agent_drift(follower->agent, follower->factor_p);
    }
    return status;
}

/* A new episode: perhaps of another session, or of an agent with other numbers. */
static sonde_status begin(const present *now, sonde__follower *before) {
    const sonde_data *data = now->all->data;
    sonde_agent *agent = now->follower->agent;
    const bool anew = before == NULL || data->session[now->row] != data->session[now->row - 1];
    sonde_status status = SONDE_OK;
    if (anew) {
        sonde_agent_forget(agent);
    } else if (before != now->follower) {
        const sonde_agent_memory memory = sonde_agent_memory_get(before->agent);
        status = memory.n_learned > 0 ? sonde_agent_memory_set(agent, &memory, now->error) : status;
    }
    if (status == SONDE_OK && (anew || before != now->follower)) {
        sonde_agent_reset(agent);
    }
    if (status == SONDE_OK && now->follower->timing == SONDE_TIMING_AFTER) {
        sonde__agent_stand(agent);
    }
    return status;
}

static sonde_status follow_row(const present *now) {
    const bool after = now->follower->timing == SONDE_TIMING_AFTER;
    sonde_status status = after ? act(now) : observe(now);
    status = status != SONDE_OK ? status : after ? observe(now) : act(now);
    if (status == SONDE_OK && is_last(now->all, now->row)) {
        sonde_agent_end(now->follower->agent);
    }
    if (status == SONDE_OK && now->all->done != NULL) {
        now->all->done(now->all->user, now->row, now->follower);
    }
    return status;
}

sonde_status sonde__follow(const sonde__following *following, double *log_likelihood,
                           sonde_error *error) {
    const sonde_data *data = following->data;
    const int32_t first = data->first[following->subject];
    sonde__follower *before = NULL;
    sonde_status status = SONDE_OK;
    *log_likelihood = 0.0;
    for (int32_t row = first; status == SONDE_OK && row < data->first[following->subject + 1];
         row++) {
        const present now = {.all = following,
                             .row = row,
                             .follower = following->follower[row - first],
                             .log_likelihood = log_likelihood,
                             .error = error};
        if (data->step[row] == 0) {
            status = sonde__stopped(&now.follower->run) ? SONDE_STOPPED : begin(&now, before);
        }
        status = status == SONDE_OK ? follow_row(&now) : status;
        before = now.follower;
    }
    return status;
}

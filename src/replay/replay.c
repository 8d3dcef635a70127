/* replay.c: what an agent thought of all that one subject saw and did, written down row by row. */
#include <math.h>
#include <string.h>

#include "agent/agent.h"
#include "base/explanation.h"
#include "base/numbers.h"
#include "base/status.h"
#include "belief/belief.h"
#include "replay/replay.h"

/* a replay that is being written down */
typedef struct {
    sonde_replayed said; /* first: a pointer to it is a pointer to the block */
    const sonde_data *data;
    const sonde_model *model;
    double *p;
    double *log_p;
    double *surprise;
    int32_t *likeliest;
    double *belief;
    double *prior;
    double *update;
    double *error;
    sonde_efe *efe;
    double *counts;
    double *combined; /* (most combined states of a modality) scratch */
} record;

/* ------------------------------------------------------------------------------------ memory -- */

static int64_t count_counts(const sonde_agent *agent, const sonde_model *model, double *counts) {
    int64_t n = 0;
    for (int32_t l = 0; l < SONDE_N_LETTER; l++) {
        const bool factors = l == SONDE_B || l == SONDE_D;
        const int32_t n_array = l == SONDE_E ? 1 : factors ? model->n_factor : model->n_modality;
        for (int32_t i = 0; i < n_array; i++) {
            n += sonde_agent_counts(agent, (sonde_letter)l, i, counts != NULL ? counts + n : NULL);
        }
    }
    return n;
}

static uint64_t most_combined(const sonde_model *model) {
    int64_t most = 1;
    for (int32_t m = 0; m < model->n_modality; m++) {
        most = model->modality[m].n_state > most ? model->modality[m].n_state : most;
    }
    return (uint64_t)most;
}

static record *carve(sonde__arena *arena, const sonde_replayed *shape, uint32_t wanted,
                     uint64_t n_combined) {
    const uint64_t n = (uint64_t)shape->n_row;
    record none;
    record *r = SONDE__TAKE(arena, record, 1);
    record *to = r != NULL ? r : &none;
    to->p = SONDE__TAKE(arena, double, n);
    to->log_p = SONDE__TAKE(arena, double, n);
    to->surprise = SONDE__TAKE(arena, double, n);
    to->likeliest = SONDE__TAKE(arena, int32_t, n);
    to->belief = SONDE__TAKE(arena, double, n *(uint64_t)shape->n_belief);
    to->prior = SONDE__TAKE(arena, double, n *(uint64_t)shape->n_belief);
    to->update = SONDE__TAKE(arena, double, n *(uint64_t)shape->n_factor);
    to->error = SONDE__TAKE(arena, double, n *(uint64_t)shape->n_modality);
    to->efe = SONDE__TAKE(arena, sonde_efe,
                          (wanted & SONDE_REPLAY_EFE) != 0 ? n * (uint64_t)shape->n_action : 0);
    to->counts = SONDE__TAKE(
        arena, double, (wanted & SONDE_REPLAY_COUNTS) != 0 ? n * (uint64_t)shape->n_count : 0);
    to->combined = SONDE__TAKE(arena, double, n_combined);
    return r;
}

static sonde_status record_new(const sonde_replayed *shape, const sonde_model *model,
                               uint32_t wanted, const sonde_run *run, record **made,
                               sonde_error *error) {
    sonde__arena arena = {0};
    (void)carve(&arena, shape, wanted, most_combined(model));
    const sonde_status status = sonde__arena_claim(&arena, run, "replay", "allow more", error);
    if (status != SONDE_OK) {
        return status;
    }
    record *r = carve(&arena, shape, wanted, most_combined(model));
    r->said = *shape;
    r->model = model;
    r->said.p = r->p;
    r->said.log_p = r->log_p;
    r->said.surprise = r->surprise;
    r->said.likeliest = r->likeliest;
    r->said.belief = r->belief;
    r->said.prior = r->prior;
    r->said.update = r->update;
    r->said.error = r->error;
    r->said.efe = (wanted & SONDE_REPLAY_EFE) != 0 ? r->efe : NULL;
    r->said.counts = (wanted & SONDE_REPLAY_COUNTS) != 0 ? r->counts : NULL;
    for (int32_t i = 0; i < shape->n_row; i++) {
        r->p[i] = r->log_p[i] = (double)NAN;
        r->likeliest[i] = -1;
    }
    *made = r;
    return SONDE_OK;
}

void sonde_replayed_free(sonde_replayed *replayed) {
    sonde__free(replayed);
}

/* -------------------------------------------------------------------------------------- rows -- */

static double divergence(int32_t n, const double *q, const double *prior) {
    double sum = 0.0;
    for (int32_t s = 0; s < n; s++) {
        sum += q[s] > 0.0 ? q[s] * (sonde__log_floored(q[s]) - sonde__log_floored(prior[s])) : 0.0;
    }
    return sum > 0.0 ? sum : 0.0;
}

/* How probable an outcome of a modality was from what was believed before, after an action (-1:
 * none, and what depends on it says nothing). */
static double expected(const record *r, const sonde_model *model, int32_t m, int32_t outcome,
                       const double *prior, int32_t action) {
    const sonde_modality *modality = &model->modality[m];
    const double *p = modality->A != NULL ? modality->A : modality->p;
    double sum = 0.0;
    if (modality->n_action > 1 && action < 0) {
        return (double)NAN;
    }
    (void)sonde__belief_combine(model, modality->n_factor, modality->factor, prior, r->combined);
    for (int64_t s = 0; s < modality->n_state; s++) {
        const int64_t at = s * modality->n_action + (modality->n_action > 1 ? action : 0);
        const sonde__slice c = sonde__slice_of_A(modality, at);
        for (int64_t i = 0; i < c.n; i++) {
            sum +=
                (c.row != NULL ? c.row[i] : i) == outcome ? r->combined[s] * p[c.first + i] : 0.0;
        }
    }
    return sum;
}

/* The row's outcomes were seen. */
static void note_seen(void *user, int32_t row, const sonde__follower *follower) {
    record *r = user;
    const sonde_agent_memory memory = sonde_agent_memory_get(follower->agent);
    const sonde_model *model = sonde_agent_policies(follower->agent)->model;
    const int64_t i = row - r->said.first;
    const int64_t n = r->said.n_belief;
    memcpy(r->belief + i * n, memory.belief, (size_t)n * sizeof(double));
    memcpy(r->prior + i * n, memory.prior, (size_t)n * sizeof(double));
    r->surprise[i] = memory.energy.surprise;
    for (int32_t f = 0; f < model->n_factor; f++) {
        const sonde_factor *factor = &model->factor[f];
        r->update[i * model->n_factor + f] = divergence(
            factor->n_state, memory.belief + factor->first, memory.prior + factor->first);
    }
}

/* Before a row's outcomes are taken in: how well each was expected. */
static void note_expected(void *user, int32_t row, const sonde__follower *follower) {
    record *r = user;
    const sonde_agent_memory memory = sonde_agent_memory_get(follower->agent);
    const sonde_model *model = sonde_agent_policies(follower->agent)->model;
    const int64_t i = row - r->said.first;
    const bool after = follower->timing == SONDE_TIMING_AFTER;
    const int32_t action = after                    ? r->data->action[row]
                           : r->data->step[row] > 0 ? r->data->action[row - 1]
                                                    : -1;
    bool possible = true;
    for (int32_t m = 0; m < model->n_modality; m++) {
        const int32_t o = r->data->outcome[(int64_t)row * model->n_modality + m];
        const double p = o >= 0 ? expected(r, model, m, o, memory.prior, action) : (double)NAN;
        r->error[i * model->n_modality + m] = 1.0 - p;
        possible = possible && !(p <= 0.0);
    }
    r->said.n_impossible += !possible;
}

/* G of the best policy of every first action. */
static sonde_status note_efe(record *r, int64_t i, const sonde__follower *follower,
                             sonde_error *error) {
    sonde_explanation *why = NULL;
    sonde_efe *efe = r->efe + i * r->said.n_action;
    for (int32_t a = 0; a < r->said.n_action; a++) {
        efe[a].efe = (double)NAN;
        for (int32_t t = 0; t < SONDE_N_TERM; t++) {
            efe[a].term[t] = (double)NAN;
        }
    }
    const sonde_status status = sonde_agent_explain(follower->agent, &why, error);
    for (int32_t k = 0; status == SONDE_OK && k < why->n_alternative; k++) {
        const sonde__alternative *one = &why->alternative[k];
        if (one->n_step > 0) {
            efe[one->action] = one->total;
        }
    }
    sonde_explanation_free(why);
    return status;
}

static sonde_status note_decided(void *user, int32_t row, sonde__follower *follower,
                                 const sonde_decision *decision, const sonde__judged *judged,
                                 sonde_error *error) {
    record *r = user;
    const int64_t i = row - r->said.first;
    const int32_t action = r->data->action[row];
    (void)decision;
    r->p[i] = judged->p;
    r->log_p[i] = judged->log_p;
    r->likeliest[i] = judged->likeliest;
    if (action >= 0 && r->data->score[row]) {
        r->said.n++;
        r->said.n_hit += judged->likeliest == action;
    }
    return r->said.efe != NULL ? note_efe(r, i, follower, error) : SONDE_OK;
}

static void note_done(void *user, int32_t row, const sonde__follower *follower) {
    record *r = user;
    if (r->said.counts != NULL) {
        (void)count_counts(follower->agent, r->model,
                           r->counts + (row - r->said.first) * r->said.n_count);
    }
}

/* ----------------------------------------------------------------------------------- replay -- */

/* agents of the models that a subject's rows name */
typedef struct {
    const sonde_replay_settings *settings;
    const sonde_data *data;
    const sonde_run *run;
    int32_t n; /* models: the given one, then those of the table */
    sonde_policies **policies;
    sonde__variant *variant; /* (n) where there are parameters */
    sonde__arena *arena;     /* (n) of these */
    double *value;           /* (parameters) */
    sonde__follower *follower;
    sonde__follower **of; /* (rows of the subject) */
} company;

static const sonde_model *model_at(const sonde_replay_settings *settings, int32_t i) {
    return i == 0 || settings->condition == NULL ? settings->model : settings->condition[i - 1];
}

/* Puts the parameters in their place. */
static sonde_status vary(const company *all, int32_t i, sonde_error *error) {
    const sonde_parameters *parameters = all->settings->parameters;
    sonde__variant *variant = &all->variant[i];
    sonde__variant_carve(&all->arena[i], all->policies[i]->model, variant);
    if (!sonde__arena_reserve(&all->arena[i])) {
        return sonde__fail_memory(error, "replay", all->arena[i].used);
    }
    sonde__variant_carve(&all->arena[i], all->policies[i]->model, variant);
    for (int32_t p = 0; p < parameters->n; p++) {
        all->value[p] =
            sonde_transform_out(parameters->parameter[p].transform, all->settings->theta[p]);
    }
    sonde__variant_set(variant, all->policies[i], all->settings, parameters, all->value);
    return SONDE_OK;
}

static sonde_status open_one(const company *all, int32_t i, sonde_error *error) {
    const sonde_model *model = model_at(all->settings, i);
    sonde_status status = sonde__follower_check(all->settings, model, error);
    status = status == SONDE_OK ? sonde_policies_count(model, 0, all->run, &all->policies[i], error)
                                : status;
    const bool own = all->settings->parameters != NULL;
    if (status == SONDE_OK && own) {
        status = vary(all, i, error);
    }
    const sonde_replay_settings *settings = own ? &all->variant[i].settings : all->settings;
    if (status == SONDE_OK && own) {
        status = sonde__follower_check(settings, model, error); /* parameters may be of a lapse */
    }
    return status == SONDE_OK
               ? sonde__follower_open(&all->follower[i],
                                      own ? &all->variant[i].policies : all->policies[i], settings,
                                      all->data->n_longest, all->run, error)
               : status;
}

static sonde_status open_company(const company *all, int32_t subject, sonde_error *error) {
    const sonde_data *data = all->data;
    const int32_t first = data->first[subject];
    sonde_status status = SONDE_OK;
    for (int32_t row = first; status == SONDE_OK && row < data->first[subject + 1]; row++) {
        const int32_t i = data->model[row] + 1;
        all->of[row - first] = &all->follower[i];
        if (all->follower[i].agent == NULL) {
            status = open_one(all, i, error);
            status = status == SONDE_OK
                         ? sonde__data_check(data, model_at(all->settings, i), subject, error)
                         : status;
        }
    }
    return status;
}

static void close_company(const company *all) {
    for (int32_t i = 0; i < all->n; i++) {
        sonde__follower_close(&all->follower[i]);
        sonde__arena_free(&all->arena[i]);
        sonde_policies_free(all->policies[i]);
    }
}

static sonde_status follow(const company *all, record *r, int32_t subject, sonde_error *error) {
    const sonde__following following = {.data = r->data,
                                        .subject = subject,
                                        .follower = all->of,
                                        .every = true,
                                        .user = r,
                                        .expected = note_expected,
                                        .seen = note_seen,
                                        .decided = note_decided,
                                        .done = note_done};
    return sonde__follow(&following, &r->said.log_likelihood, error);
}

static sonde_status replay(const company *all, const sonde_replayed *asked, uint32_t wanted,
                           record **made, sonde_error *error) {
    const sonde_model *model = all->settings->model;
    sonde_replayed shape = *asked;
    sonde_status status = open_company(all, shape.subject, error);
    if (status != SONDE_OK) {
        return status;
    }
    const sonde_agent *agent = all->of[0]->agent;
    shape.n_count = count_counts(agent, model, NULL);
    shape.gamma = sonde_agent_settings(agent)->gamma;
    status = record_new(&shape, model, wanted, all->run, made, error);
    if (status == SONDE_OK && *made != NULL) {
        (*made)->data = all->data;
        status = follow(all, *made, shape.subject, error);
    }
    return status;
}

/* NOLINTNEXTLINE(readability-function-size): a seventh argument, the error */
sonde_status sonde_replay(const sonde_replay_settings *settings, const sonde_data *data,
                          int32_t subject, uint32_t wanted, const sonde_run *run,
                          sonde_replayed **replayed, sonde_error *error) {
    const sonde_run settled = sonde__run_settle(run);
    const sonde_model *model = settings->model;
    if (subject < 0 || subject >= data->n_subject || data->n_modality != model->n_modality) {
        return sonde__fail(error, SONDE_BAD_ARGUMENT,
                           "subject: expected one of the %d that the data have, and data of this "
                           "model",
                           data->n_subject);
    }
    sonde_status status =
        settings->parameters != NULL
            ? sonde__parameters_check(settings, data->n_model, settings->parameters, error)
            : SONDE_OK;
    if (status != SONDE_OK) {
        return status;
    }
    const sonde_replayed asked = {.subject = subject,
                                  .first = data->first[subject],
                                  .n_row = data->first[subject + 1] - data->first[subject],
                                  .n_belief = model->n_belief,
                                  .n_factor = model->n_factor,
                                  .n_modality = model->n_modality,
                                  .n_action = model->n_action};
    sonde__pool pool = {0};
    company all = {.settings = settings, .data = data, .run = &settled, .n = data->n_model + 1};
    record *made = NULL;
    all.policies = SONDE__POOL_TAKE(&pool, sonde_policies *, all.n);
    all.follower = SONDE__POOL_TAKE(&pool, sonde__follower, all.n);
    all.of = SONDE__POOL_TAKE(&pool, sonde__follower *, asked.n_row);
    all.variant = SONDE__POOL_TAKE(&pool, sonde__variant, all.n);
    all.arena = SONDE__POOL_TAKE(&pool, sonde__arena, all.n);
    all.value = SONDE__POOL_TAKE(&pool, double,
                                 settings->parameters != NULL ? settings->parameters->n + 1 : 1);
    status = all.policies != NULL && all.follower != NULL && all.of != NULL &&
                     all.variant != NULL && all.arena != NULL && all.value != NULL
                 ? replay(&all, &asked, wanted, &made, error)
                 : sonde__fail_memory(error, "replay", 0);
    if (all.policies != NULL && all.follower != NULL && all.arena != NULL) {
        close_company(&all);
    }
    sonde__pool_free(&pool);
    if (status != SONDE_OK) {
        sonde__free(made);
        return status;
    }
    *replayed = &made->said;
    return SONDE_OK;
}

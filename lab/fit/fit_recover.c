/* fit_recover.c: parameters that are known, simulated and found again.
 *
 * Subject i of true model k has parameters of its own, from the stream (seed, recovery, k 2^40 + i)
 * or from a grid, goes through the experiment, and is fitted with every model. What all subjects
 * share is drawn once, from the stream k 2^40 + 2^39. Sessions after the first have streams of
 * their own. Nothing depends on the order in which that is done. */
#include "fit/fit_recover.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/numbers.h"
#include "base/parallel.h"
#include "base/rng.h"
#include "fit/fit.h"
#include "fit/fit_recovery.h"
#include "fit/fit_statistics.h"

/* models that are simulated have streams this far apart */
#define APART (UINT64_C(1) << 40)
/* what they share is drawn there */
#define SHARED (UINT64_C(1) << 39)
/* sessions of a subject, too */
#define SESSION_APART (UINT64_C(1) << 52)

enum { SESSIONS_MAX = 200 };

/* ------------------------------------------------------------------------------------- slots -- */

int32_t sonde__recover_sessions(const sonde_recover_settings *settings) {
    return settings->n_session > 0 ? settings->n_session : 1;
}

static int32_t slots_of(const sonde_parameter *one, int32_t n_session) {
    return one->per != NULL ? n_session : 1;
}

/* Numbers of a subject: one for each parameter, or for each session. */
static int32_t count_slots(const sonde_parameters *parameters, int32_t n_session) {
    int32_t n = 0;
    for (int32_t p = 0; p < parameters->n; p++) {
        n += slots_of(&parameters->parameter[p], n_session);
    }
    return n;
}

/* Parameters as the numbers that subjects have: gamma[1], gamma[2]. NULL: no memory. */
static sonde_parameters *spread(sonde__pool *pool, const sonde_parameters *parameters,
                                int32_t n_session) {
    const int32_t n = count_slots(parameters, n_session);
    sonde_parameters *made = SONDE__POOL_TAKE(pool, sonde_parameters, 1);
    sonde_parameter *slot = SONDE__POOL_TAKE(pool, sonde_parameter, n + 1);
    if (made == NULL || slot == NULL) {
        return NULL;
    }
    *made = (sonde_parameters){.n = n, .parameter = slot};
    for (int32_t p = 0; p < parameters->n; p++) {
        const sonde_parameter *one = &parameters->parameter[p];
        for (int32_t j = 0; j < slots_of(one, n_session); j++, slot++) {
            *slot = *one;
            if (one->per != NULL) {
                const size_t size = strlen(one->name) + 16;
                char *name = SONDE__POOL_TAKE(pool, char, size);
                if (name == NULL) {
                    return NULL;
                }
                (void)snprintf(name, size, "%s[%d]", one->name, (int)j + 1);
                slot->name = name;
            }
        }
    }
    return made;
}

/* ------------------------------------------------------------------------------------ truths -- */

/* Axes of the grid: numbers that are not shared. */
static int32_t axes_of(const sonde_parameters *slots) {
    int32_t n = 0;
    for (int32_t p = 0; p < slots->n; p++) {
        n += slots->parameter[p].shared ? 0 : 1;
    }
    return n;
}

/* A point of the grid of quantiles, (i + 1/2) / n_side along every axis; the last axis fastest. */
static void place_on_grid(const sonde_parameters *slots, int32_t n_side, int64_t i, double *theta) {
    for (int32_t p = slots->n - 1; p >= 0; p--) {
        if (!slots->parameter[p].shared) {
            const double share = ((double)(i % n_side) + 0.5) / n_side;
            i /= n_side;
            theta[p] =
                slots->parameter[p].mean + slots->parameter[p].sd * sonde__normal_point(share);
        }
    }
}

void sonde__recover_draw(const sonde_parameters *parameters, uint64_t seed, uint64_t index,
                         double *theta) {
    sonde__rng rng = sonde__rng_stream(seed, SONDE__FOR_RECOVERY, index);
    for (int32_t p = 0; p < parameters->n; p++) {
        /* away from both ends, where there is no point */
        const double share =
            (sonde__rng_uniform(&rng) * 4503599627370495.0 + 0.5) / 4503599627370496.0;
        theta[p] = parameters->parameter[p].mean +
                   parameters->parameter[p].sd * sonde__normal_point(share);
    }
}

/* Points along each axis of a grid with at most so many points. */
static int32_t side_of(int32_t n_subject, int32_t n_parameter) {
    int32_t side = 1;
    for (; n_parameter > 0; side++) {
        double points = 1.0;
        for (int32_t p = 0; p < n_parameter; p++) {
            points *= side + 1;
        }
        if (points > n_subject) {
            return side;
        }
    }
    return side;
}

/* A recovery, and where what is done is kept. */
typedef struct {
    const sonde_recover_settings *settings;
    struct sonde__store *kept; /* or NULL */
    sonde__recovering *to;
} whole;

/* -------------------------------------------------------------------------------- experiment -- */

/* Subjects who go through it, each a task. */
typedef struct {
    const sonde_replay_settings *agent;
    const sonde_experiment *experiment;
    const sonde_parameters *parameters;
    const double *truth; /* (n_subject, n_slot) */
    int32_t n_slot;
    int32_t n_session;
    uint64_t first; /* number of the first subject's stream */
    int32_t *outcome;
    int32_t *action;
    sonde_status *status; /* (n_subject) */
    sonde_error *error;   /* (n_subject) */
    sonde_run run;
} acting;

/* The parameters (n) of a session. */
static void choose_session(const acting *a, int32_t subject, int32_t session, double *theta) {
    const double *slot = a->truth + (int64_t)subject * a->n_slot;
    for (int32_t p = 0; p < a->parameters->n; p++) {
        const sonde_parameter *one = &a->parameters->parameter[p];
        theta[p] = one->per != NULL ? slot[session] : slot[0];
        slot += slots_of(one, a->n_session);
    }
}

static void act(void *context, int32_t task, int32_t worker) {
    (void)worker;
    acting *a = context;
    sonde_replay_settings agent = *a->agent;
    sonde_experiment experiment = *a->experiment;
    const int64_t n_row = (int64_t)experiment.n_episode * experiment.n_step;
    double *theta = sonde__alloc(((size_t)a->parameters->n + 1) * sizeof *theta);
    if (theta == NULL) {
        a->status[task] = sonde__fail_memory(&a->error[task], "the simulated data", 0);
        return;
    }
    a->status[task] = SONDE_OK;
    agent.parameters = a->parameters;
    agent.theta = theta;
    for (int32_t j = 0; a->status[task] == SONDE_OK && j < a->n_session; j++) {
        const int64_t row = ((int64_t)task * a->n_session + j) * n_row;
        choose_session(a, task, j, theta);
        experiment.subject = a->first + (uint64_t)task + (uint64_t)j * SESSION_APART;
        a->status[task] = sonde_replay_draw(&agent, &experiment, &a->run,
                                            a->outcome + row * agent.model->n_modality,
                                            a->action + row, &a->error[task]);
    }
    sonde__free(theta);
}

/* The cells of the column `session`, (n, 1): its number from 1 on. */
static const char *const *take_cells(sonde__pool *pool, const int32_t *session, uint64_t n,
                                     int32_t n_session) {
    const char **cell = SONDE__POOL_TAKE(pool, const char *, n);
    char(*word)[16] = sonde__pool_take(pool, (uint64_t)n_session, sizeof *word);
    if (cell == NULL || word == NULL) {
        return NULL;
    }
    for (int32_t j = 0; j < n_session; j++) {
        (void)snprintf(word[j], sizeof word[j], "%d", (int)j + 1);
    }
    for (uint64_t i = 0; i < n; i++) {
        cell[i] = word[session[i]];
    }
    return cell;
}

/* The tables of all subjects, as data. */
static sonde_data *take_data(sonde__pool *pool, const sonde__recover_task *task) {
    static const char *const session[] = {"session"};
    const sonde_model *model = task->agent->model;
    const sonde_experiment *e = task->experiment;
    const int32_t n_subject = task->n_subject;
    const int64_t n_visit = (int64_t)e->n_episode * e->n_step;
    const int64_t n_one = n_visit * task->n_session;
    const uint64_t n = (uint64_t)n_one * (uint64_t)n_subject;
    sonde_data *data = SONDE__POOL_TAKE(pool, sonde_data, 1);
    const char **subject = SONDE__POOL_TAKE(pool, const char *, n_subject);
    char(*name)[16] = sonde__pool_take(pool, (uint64_t)n_subject, sizeof *name);
    int32_t *first = SONDE__POOL_TAKE(pool, int32_t, (uint64_t)n_subject + 1);
    int32_t *number = SONDE__POOL_TAKE(pool, int32_t, 4 * n);
    bool *score = SONDE__POOL_TAKE(pool, bool, n);
    int32_t *column = SONDE__POOL_TAKE(pool, int32_t, model->n_modality + model->n_factor);
    int32_t *outcome = SONDE__POOL_TAKE(pool, int32_t, n * (uint64_t)model->n_modality);
    int32_t *action = SONDE__POOL_TAKE(pool, int32_t, n);
    int32_t *of_model = SONDE__POOL_TAKE(pool, int32_t, n);
    if (data == NULL || subject == NULL || name == NULL || first == NULL || number == NULL ||
        score == NULL || column == NULL || outcome == NULL || action == NULL || of_model == NULL) {
        return NULL;
    }
    for (int32_t i = 0; i <= n_subject; i++) {
        first[i] = (int32_t)(i * n_one);
    }
    for (int32_t i = 0; i < n_subject; i++) {
        (void)snprintf(name[i], sizeof name[i], "s%d", (int)i + 1);
        subject[i] = name[i];
    }
    for (uint64_t i = 0; i < n; i++) {
        const int64_t own = (int64_t)i % n_one;
        number[i] = (int32_t)i + 1; /* row */
        number[n + i] = (int32_t)(own / n_visit);
        number[2 * n + i] = (int32_t)(own % n_visit / e->n_step); /* episode */
        number[3 * n + i] = (int32_t)(own % e->n_step);
        score[i] = true;
        of_model[i] = -1;
    }
    for (int32_t i = 0; i < model->n_modality + model->n_factor; i++) {
        column[i] = -1;
    }
    const char *const *cell = take_cells(pool, number + n, n, task->n_session);
    if (cell == NULL) {
        return NULL;
    }
    *data = (sonde_data){.origin = "simulated data",
                         .n_subject = n_subject,
                         .subject = subject,
                         .n_row = (int32_t)n,
                         .first = first,
                         .row = number,
                         .session = number + n,
                         .episode = number + 2 * n,
                         .step = number + 3 * n,
                         .n_modality = model->n_modality,
                         .outcome = outcome,
                         .action = action,
                         .score = score,
                         .model = of_model,
                         .n_column = 1,
                         .column = session,
                         .cell = cell,
                         .n_longest = e->n_step,
                         .column_seen = column,
                         .column_done = column + model->n_modality};
    return data;
}

sonde_status sonde__recover_act(sonde__pool *pool, const sonde__recover_task *task,
                                const sonde_run *run, const sonde_data **data, sonde_error *error) {
    const int32_t n = task->n_subject;
    const int64_t n_row =
        (int64_t)task->experiment->n_episode * task->experiment->n_step * task->n_session;
    if (n_row * n > INT32_MAX / 4) {
        return sonde__fail(error, SONDE_TOO_LARGE,
                           "recover: %.3g rows are more than a table may have; choose fewer "
                           "subjects, episodes or steps",
                           (double)n_row * n);
    }
    acting a = {.agent = task->agent,
                .experiment = task->experiment,
                .parameters = task->parameters,
                .truth = task->truth,
                .n_slot = count_slots(task->parameters, task->n_session),
                .n_session = task->n_session,
                .first = task->first,
                .run = *run};
    a.run.n_thread = 1;
    a.run.progress = NULL;
    sonde_data *made = take_data(pool, task);
    a.status = SONDE__POOL_TAKE(pool, sonde_status, n);
    a.error = SONDE__POOL_TAKE(pool, sonde_error, n);
    if (made == NULL || a.status == NULL || a.error == NULL) {
        return sonde__fail_memory(error, "the simulated data", 0);
    }
    a.outcome = (int32_t *)made->outcome;
    a.action = (int32_t *)made->action;
    sonde_status status = sonde__parallel(run, n, "simulate", act, &a);
    for (int32_t i = 0; !status && i < n; i++) {
        status = a.status[i];
        if (status && error != NULL) {
            *error = a.error[i];
        }
    }
    *data = made;
    return status;
}

/* ----------------------------------------------------------------------------------- results -- */

/* What a fit says of one model, taken over. */
static void take_fit(const sonde_fit *fit, sonde_recovered_model *model) {
    const int32_t n = model->parameters->n;
    double *estimate = (double *)model->estimate;
    double *covariance = (double *)model->covariance;
    for (int32_t i = 0; i < fit->n_subject; i++) {
        const sonde_fitted *one = &fit->subject[i];
        memcpy(estimate + (int64_t)i * n, one->map, (size_t)n * sizeof *estimate);
        memcpy(covariance + (int64_t)i * n * n, one->covariance,
               (size_t)n * (size_t)n * sizeof *covariance);
        for (int32_t p = 0; p < n; p++) {
            for (int32_t k = 0; k < fit->n_shared; k++) {
                if (one->parameter[p] == fit->shared[k]) {
                    covariance[((int64_t)i * n + p) * n + p] =
                        fit->shared_sd[k] * fit->shared_sd[k];
                }
            }
        }
        model->n_converged += one->converged ? 1 : 0;
        model->n_weak += one->n_weak > 0 ? 1 : 0;
    }
}

/* Room for what is found of a model. */
static bool take_model(sonde__pool *pool, const sonde_recover_settings *s, int32_t n_subject,
                       int32_t k, sonde_recovered_model *model) {
    const sonde_parameters *slots = spread(pool, s->parameters[k], sonde__recover_sessions(s));
    const uint64_t n = slots != NULL ? (uint64_t)slots->n : 0;
    const uint64_t all = (uint64_t)n_subject;
    *model = (sonde_recovered_model){
        .name = s->model != NULL ? s->model[k] : NULL,
        .parameters = slots,
        .truth = SONDE__POOL_TAKE(pool, double, all *n),
        .estimate = SONDE__POOL_TAKE(pool, double, all *n),
        .covariance = SONDE__POOL_TAKE(pool, double, all *n *n),
        .evidence = SONDE__POOL_TAKE(pool, double, all *(uint64_t)s->n_model),
        .recovery = SONDE__POOL_TAKE(pool, sonde_recovery, n),
        .posterior = SONDE__POOL_TAKE(pool, double, n *n),
        .among = SONDE__POOL_TAKE(pool, double, n *n),
    };
    return slots != NULL && model->truth != NULL && model->estimate != NULL &&
           model->covariance != NULL && model->evidence != NULL && model->recovery != NULL &&
           model->posterior != NULL && model->among != NULL;
}

/* What is the same for all subjects has no correlations over them. */
static void leave_shared_out(sonde_recovered_model *model) {
    const int32_t n = model->parameters->n;
    for (int32_t p = 0; p < n; p++) {
        if (model->parameters->parameter[p].shared) {
            sonde_recovery *one = (sonde_recovery *)&model->recovery[p];
            one->r = one->r_low = one->r_high = (double)NAN;
            for (int32_t q = 0; q < n; q++) {
                ((double *)model->among)[p * n + q] = (double)NAN;
                ((double *)model->among)[q * n + p] = (double)NAN;
            }
        }
    }
}

static sonde_status judge(sonde__pool *pool, int32_t n_subject, sonde_recovered_model *model,
                          sonde_error *error) {
    double *sd = SONDE__POOL_TAKE(pool, double, model->parameters->n);
    if (sd == NULL) {
        return sonde__fail_memory(error, "the recovery", 0);
    }
    for (int32_t p = 0; p < model->parameters->n; p++) {
        sd[p] = model->parameters->parameter[p].sd;
    }
    const sonde__recovered known = {.n_subject = n_subject,
                                    .n_parameter = model->parameters->n,
                                    .truth = model->truth,
                                    .estimate = model->estimate,
                                    .covariance = model->covariance,
                                    .prior_sd = sd};
    sonde__recovery_of(&known, (sonde_recovery *)model->recovery);
    sonde__recovery_posterior(&known, (double *)model->posterior);
    sonde__recovery_among(&known, (double *)model->among);
    leave_shared_out(model);
    return SONDE_OK;
}

/* Simulates one model, and fits all of them to it. */
static sonde_status recover_model(const whole *all, const sonde_run *run, int32_t k,
                                  sonde_error *error) {
    sonde__pool scratch = {0};
    const sonde_recover_settings *s = all->settings;
    sonde_recovered_model *model = (sonde_recovered_model *)&all->to->shown.model[k];
    const sonde_data *data = NULL;
    const int32_t n_subject = all->to->shown.n_subject;
    const sonde__recover_task task = {.agent = s->agent,
                                      .experiment = s->experiment,
                                      .parameters = s->parameters[k],
                                      .truth = model->truth,
                                      .n_subject = n_subject,
                                      .n_session = all->to->n_session,
                                      .first = (uint64_t)k * APART};
    sonde_status status = sonde__recover_act(&scratch, &task, run, &data, error);
    for (int32_t f = 0; !status && f < s->n_model; f++) {
        sonde_fit *fit = NULL;
        const sonde__fit_task fitted = {.agent = s->agent,
                                        .data = data,
                                        .parameters = s->parameters[f],
                                        .settings = &s->fit,
                                        .kept = all->kept};
        status = sonde__fit_do(&fitted, run, &fit, error);
        for (int32_t i = 0; !status && i < n_subject; i++) {
            ((double *)model->evidence)[(int64_t)i * s->n_model + f] = fit->subject[i].evidence;
        }
        if (!status && f == k) {
            take_fit(fit, model);
        }
        if (!status) {
            all->to->optimiser = fit->optimiser;
        }
        sonde_fit_free(fit);
    }
    if (!status) {
        status = judge(&scratch, n_subject, model, error);
    }
    sonde__pool_free(&scratch);
    return status;
}

/* Which model is found where which is true. */
static sonde_status confuse(sonde__recovering *to, sonde_error *error) {
    sonde_recovered *shown = &to->shown;
    const uint64_t k = (uint64_t)shown->n_model;
    if (k < 2) {
        return SONDE_OK;
    }
    const uint64_t n = (uint64_t)shown->n_subject * k;
    double *evidence = SONDE__POOL_TAKE(&to->pool, double, n *k);
    double *matrix = SONDE__POOL_TAKE(&to->pool, double, 3 * k * k);
    if (evidence == NULL || matrix == NULL) {
        return sonde__fail_memory(error, "the recovery", 0);
    }
    for (uint64_t i = 0; i < k; i++) {
        memcpy(evidence + i * n, shown->model[i].evidence, (size_t)n * sizeof *evidence);
    }
    sonde__confusion confusion = {.n_subject = shown->n_subject,
                                  .n_model = shown->n_model,
                                  .evidence = evidence,
                                  .share = matrix,
                                  .is_protected = matrix + k * k,
                                  .inverse = matrix + 2 * k * k};
    shown->share = confusion.share;
    shown->is_protected = confusion.is_protected;
    shown->inverse = confusion.inverse;
    return sonde__confusion_fill(&confusion, error);
}

/* ---------------------------------------------------------------------------------- together -- */

sonde_status sonde__recover_check(const sonde_recover_settings *s, sonde_error *error) {
    if (s->n_model < 1 || s->n_subject < 2) {
        return sonde__fail(error, SONDE_BAD_ARGUMENT,
                           "recover: expected parameters, and two subjects or more, found %d",
                           (int)s->n_subject);
    }
    if (sonde__recover_sessions(s) > SESSIONS_MAX) {
        return sonde__fail(error, SONDE_BAD_ARGUMENT,
                           "sessions: expected a number from 1 to %d, found %d", SESSIONS_MAX,
                           (int)s->n_session);
    }
    for (int32_t k = 0; k < s->n_model; k++) {
        for (int32_t p = 0; p < s->parameters[k]->n; p++) {
            const sonde_parameter *one = &s->parameters[k]->parameter[p];
            if (one->per != NULL && strcmp(one->per, "session") != 0) {
                return sonde__fail(error, SONDE_BAD_ARGUMENT,
                                   "recover: parameter %s: expected per session, since subjects "
                                   "that are simulated have no other column, found \"%s\"",
                                   one->name, one->per);
            }
        }
    }
    return SONDE_OK;
}

sonde_status sonde__recover_open(const sonde_recover_settings *settings, struct sonde__store **kept,
                                 sonde_error *error) {
    char of[64];
    (void)snprintf(of, sizeof of, "sonde %s, fits of recoveries", sonde_version());
    *kept = NULL;
    return settings->fit.store == NULL
               ? SONDE_OK
               : sonde__kept_open(settings->fit.store, settings->fit.ranks, of, kept, error);
}

/* Fills in what is true. */
static void choose(const sonde_recover_settings *s, int32_t k, int32_t n_subject,
                   sonde_recovered_model *model) {
    const sonde_parameters *slots = model->parameters;
    const int32_t n = slots->n;
    double *truth = (double *)model->truth;
    const int32_t side = side_of(s->n_subject, axes_of(slots));
    const uint64_t first = (uint64_t)k * APART;
    double *common = (double *)model->estimate; /* room for now */
    sonde__recover_draw(slots, s->experiment->seed, first + SHARED, common);
    for (int32_t i = 0; i < n_subject; i++) {
        double *theta = truth + (int64_t)i * n;
        if (s->grid) {
            place_on_grid(slots, side, i, theta);
        } else {
            sonde__recover_draw(slots, s->experiment->seed, first + (uint64_t)i, theta);
        }
        for (int32_t p = 0; p < n; p++) {
            theta[p] = slots->parameter[p].shared ? common[p] : theta[p];
        }
    }
}

/* Points of the smallest grid, or as many as asked for. */
static int32_t count_subjects(const sonde_recover_settings *s) {
    int32_t least = s->n_subject;
    for (int32_t k = 0; s->grid && k < s->n_model; k++) {
        int32_t n_axis = 0;
        for (int32_t p = 0; p < s->parameters[k]->n; p++) {
            const sonde_parameter *one = &s->parameters[k]->parameter[p];
            n_axis += one->shared ? 0 : slots_of(one, sonde__recover_sessions(s));
        }
        const int32_t side = side_of(s->n_subject, n_axis);
        int32_t points = 1;
        for (int32_t p = 0; p < n_axis; p++) {
            points *= side;
        }
        least = points < least && n_axis > 0 ? points : least;
    }
    return least;
}

void sonde_recovered_free(sonde_recovered *shown) {
    sonde__recovering *r = (sonde__recovering *)(void *)shown;
    if (r != NULL) {
        sonde__pool_free(&r->pool);
        sonde__free(r);
    }
}

sonde_status sonde_recover(const sonde_recover_settings *settings, const sonde_run *run,
                           sonde_recovered **shown, sonde_error *error) {
    *shown = NULL;
    const sonde_run settled = sonde__run_settle(run);
    sonde_status status = sonde__recover_check(settings, error);
    sonde__recovering *to = status ? NULL : sonde__alloc(sizeof *to);
    if (status || to == NULL) {
        return status ? status : sonde__fail_memory(error, "the recovery", sizeof *to);
    }
    to->seed = settings->experiment->seed;
    to->n_session = sonde__recover_sessions(settings);
    to->n_episode = settings->experiment->n_episode;
    to->n_step = settings->experiment->n_step;
    to->shown.n_model = settings->n_model;
    to->shown.n_subject = count_subjects(settings);
    whole all = {.settings = settings, .to = to};
    sonde_recovered_model *model =
        SONDE__POOL_TAKE(&to->pool, sonde_recovered_model, settings->n_model);
    to->shown.model = model;
    status = model != NULL ? sonde__recover_open(settings, &all.kept, error)
                           : sonde__fail_memory(error, "the recovery", 0);
    for (int32_t k = 0; !status && k < settings->n_model; k++) {
        if (!take_model(&to->pool, settings, to->shown.n_subject, k, &model[k])) {
            status = sonde__fail_memory(error, "the recovery", 0);
            break;
        }
        choose(settings, k, to->shown.n_subject, &model[k]);
        status = recover_model(&all, &settled, k, error);
    }
    sonde__kept_close(all.kept);
    if (!status) {
        status = confuse(to, error);
    }
    if (status) {
        sonde_recovered_free(&to->shown);
        return status;
    }
    *shown = &to->shown;
    return SONDE_OK;
}

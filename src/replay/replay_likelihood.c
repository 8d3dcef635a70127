/* replay_likelihood.c: the log-likelihood of what subjects did, as a function of parameters.
 *
 * A subject's numbers are its slots: one for each parameter, or for each level of the parameter's
 * column. Episodes with the same model and the same slots have one agent; where another episode has
 * others, what was learned is handed over. Each set of numbers is worked out on its own, so that
 * its bits depend on nothing else. */
#include <math.h>
#include <string.h>

#include "base/parallel.h"
#include "base/status.h"
#include "replay/replay_fast.h"

/* the model and the slots of an episode */
typedef struct {
    int32_t model;
    int32_t *slot; /* (parameters) */
} key;

typedef struct {
    sonde_layout layout;
    int32_t n_key;
    key *key;    /* (n_key) */
    int32_t *of; /* (rows) the key of each */
} person;

struct sonde_likelihood {
    const sonde_replay_settings *settings;
    const sonde_parameters *parameters;
    sonde_data data; /* a view of them, with the rows that count */
    sonde_policies *
        *policies;      /* (n_model) of the given model, then of those that the table names */
    sonde__fast **fast; /* (n_model) or NULL, where agents have to follow */
    int32_t n_model;
    person *subject;       /* (n_subject) */
    sonde_spm *const *spm; /* (n_subject) of SPM's scheme, instead of all that; or NULL */
    sonde__pool pool;
    sonde_run run;
};

static const sonde_model *model_at(const sonde_likelihood *l, int32_t i) {
    return i == 0 || l->settings->condition == NULL ? l->settings->model
                                                    : l->settings->condition[i - 1];
}

/* ------------------------------------------------------------------------------------ layout -- */

static sonde_status no_memory(sonde_error *error) {
    return sonde__fail_memory(error, "likelihood", 0);
}

/* The column of each parameter that has one; its levels are constant within episodes. */
static sonde_status find_column(const sonde_likelihood *l, const sonde_parameter *one,
                                int32_t *column, sonde_error *error) {
    const sonde_data *data = &l->data;
    *column = one->per != NULL ? sonde_data_column(data, one->per) : -1;
    if (one->per == NULL) {
        return SONDE_OK;
    }
    if (*column < 0) {
        return sonde__fail(error, SONDE_BAD_INPUT,
                           "%s: parameter %s: per: there is no column \"%s\"", data->origin,
                           one->name, one->per);
    }
    for (int32_t row = 0; row < data->n_row; row++) {
        const char *cell = data->cell[(int64_t)row * data->n_column + *column];
        if (data->step[row] > 0 &&
            strcmp(cell, data->cell[(int64_t)(row - 1) * data->n_column + *column]) != 0) {
            return sonde__data_wrong(data, row, *column, error,
                                     "expected \"%s\" as in the row before, since parameter %s has "
                                     "one value in an episode, found \"%s\"",
                                     data->cell[(int64_t)(row - 1) * data->n_column + *column],
                                     one->name, cell);
        }
    }
    return SONDE_OK;
}

/* The slot of a parameter in a row; it is made where there is none yet. */
static int32_t find_slot(sonde_layout *layout, int32_t *parameter, const char **level, int32_t p,
                         const char *word) {
    for (int32_t i = 0; i < layout->n_slot; i++) {
        if (parameter[i] == p && (word == NULL || strcmp(level[i], word) == 0)) {
            return i;
        }
    }
    parameter[layout->n_slot] = p;
    level[layout->n_slot] = word;
    return layout->n_slot++;
}

/* Levels of all columns that a subject may have, at most. */
static int64_t most_slots(const sonde_likelihood *l, int32_t s, const int32_t *column) {
    int64_t n = l->parameters->n;
    int64_t n_episode = 0;
    for (int32_t row = l->data.first[s]; row < l->data.first[s + 1]; row++) {
        n_episode += l->data.step[row] == 0;
    }
    for (int32_t p = 0; p < l->parameters->n; p++) {
        n += column[p] >= 0 ? n_episode : 0;
    }
    return n;
}

/* Puts the slots of one parameter together, in the order of the parameters. */
static void sort_slots(const sonde_likelihood *l, int32_t s, const int32_t *column,
                       sonde_layout *layout, int32_t *parameter, const char **level) {
    const sonde_data *data = &l->data;
    for (int32_t p = 0; p < l->parameters->n; p++) {
        for (int32_t row = data->first[s]; row < data->first[s + 1]; row++) {
            const char *word =
                column[p] >= 0 ? data->cell[(int64_t)row * data->n_column + column[p]] : NULL;
            if (data->step[row] == 0) {
                (void)find_slot(layout, parameter, level, p, word);
            }
        }
    }
}

/* The key of an episode. */
static sonde_status find_key(sonde_likelihood *l, person *one, int32_t row, const int32_t *column,
                             int32_t *found) {
    const sonde_data *data = &l->data;
    const int32_t n = l->parameters->n;
    key *made = &one->key[one->n_key];
    made->model = data->model[row] + 1;
    made->slot = SONDE__POOL_TAKE(&l->pool, int32_t, n + 1);
    if (made->slot == NULL) {
        return SONDE_NO_MEMORY;
    }
    for (int32_t p = 0; p < n; p++) {
        const char *word =
            column[p] >= 0 ? data->cell[(int64_t)row * data->n_column + column[p]] : NULL;
        made->slot[p] = find_slot(&one->layout, (int32_t *)one->layout.parameter,
                                  (const char **)one->layout.level, p, word);
    }
    for (int32_t k = 0; k < one->n_key; k++) {
        if (one->key[k].model == made->model &&
            memcmp(one->key[k].slot, made->slot, (size_t)n * sizeof *made->slot) == 0) {
            *found = k;
            return SONDE_OK;
        }
    }
    *found = one->n_key++;
    return SONDE_OK;
}

static sonde_status lay_out(sonde_likelihood *l, int32_t s, const int32_t *column,
                            sonde_error *error) {
    const sonde_data *data = &l->data;
    person *one = &l->subject[s];
    const int64_t most = most_slots(l, s, column);
    const int32_t first = data->first[s];
    int32_t n_episode = 0;
    for (int32_t row = first; row < data->first[s + 1]; row++) {
        n_episode += data->step[row] == 0;
        one->layout.n += data->score[row] && data->action[row] >= 0;
    }
    int32_t *parameter = SONDE__POOL_TAKE(&l->pool, int32_t, most);
    const char **level = SONDE__POOL_TAKE(&l->pool, const char *, most);
    one->key = SONDE__POOL_TAKE(&l->pool, key, n_episode + 1);
    one->of = SONDE__POOL_TAKE(&l->pool, int32_t, data->first[s + 1] - first);
    if (parameter == NULL || level == NULL || one->key == NULL || one->of == NULL) {
        return no_memory(error);
    }
    one->layout.parameter = parameter;
    one->layout.level = level;
    sort_slots(l, s, column, &one->layout, parameter, level);
    int32_t found = 0;
    for (int32_t row = first; row < data->first[s + 1]; row++) {
        if (data->step[row] == 0 && find_key(l, one, row, column, &found) != SONDE_OK) {
            return no_memory(error);
        }
        one->of[row - first] = found;
    }
    return SONDE_OK;
}

/* ------------------------------------------------------------------------------------ checks -- */

static sonde_status check(const sonde_likelihood *l, sonde_error *error) {
    const sonde_data *data = &l->data;
    sonde_status status = sonde__parameters_check(l->settings, data->n_model, l->parameters, error);
    for (int32_t i = 0; status == SONDE_OK && i < l->n_model; i++) {
        status = sonde__follower_check(l->settings, model_at(l, i), error);
    }
    for (int32_t s = 0; s < data->n_subject; s++) {
        for (int32_t k = 0; status == SONDE_OK && k < l->subject[s].n_key; k++) {
            status = sonde__data_check(data, model_at(l, l->subject[s].key[k].model), s, error);
        }
    }
    return status;
}

/* --------------------------------------------------------------------------------------- new -- */

/* Whether the rows of a subject can be followed without agents: all actions are known, and every
 * session has one key. */
static bool is_batched(const sonde_likelihood *l, int32_t s) {
    const sonde_data *data = &l->data;
    const person *one = &l->subject[s];
    const int32_t first = data->first[s];
    bool can = true;
    for (int32_t k = 0; can && k < one->n_key; k++) {
        can = l->fast[one->key[k].model] != NULL;
    }
    for (int32_t row = first; can && row < data->first[s + 1]; row++) {
        const bool goes_on = row > first && data->session[row] == data->session[row - 1];
        can = data->action[row] >= 0 &&
              (!goes_on || one->of[row - first] == one->of[row - 1 - first]);
    }
    return can;
}

static sonde_status prepare(sonde_likelihood *l, sonde_error *error) {
    const int32_t n = l->parameters->n;
    int32_t *column = SONDE__POOL_TAKE(&l->pool, int32_t, n + 1);
    l->n_model = l->data.n_model + 1;
    l->policies = SONDE__POOL_TAKE(&l->pool, sonde_policies *, l->n_model);
    l->subject = SONDE__POOL_TAKE(&l->pool, person, l->data.n_subject);
    l->fast = SONDE__POOL_TAKE(&l->pool, sonde__fast *, l->n_model);
    if (column == NULL || l->fast == NULL || l->policies == NULL || l->subject == NULL) {
        return no_memory(error);
    }
    sonde_status status = SONDE_OK;
    for (int32_t p = 0; status == SONDE_OK && p < n; p++) {
        status = find_column(l, &l->parameters->parameter[p], &column[p], error);
    }
    for (int32_t i = 0; status == SONDE_OK && i < l->n_model; i++) {
        status = sonde_policies_count(model_at(l, i), 0, NULL, &l->policies[i], error);
        if (status == SONDE_OK &&
            sonde__fast_new(l->policies[i], l->settings, &l->fast[i]) != SONDE_OK) {
            status = no_memory(error);
        }
    }
    for (int32_t s = 0; status == SONDE_OK && s < l->data.n_subject; s++) {
        status = lay_out(l, s, column, error);
        l->subject[s].layout.batched = status == SONDE_OK && is_batched(l, s);
    }
    return status == SONDE_OK ? check(l, error) : status;
}

/* -------------------------------------------------------------------------------- one agent -- */

/* the agents of a subject's keys, for one set after the other */
typedef struct {
    sonde__variant *variant;   /* (n_key) */
    sonde__follower *follower; /* (n_key) */
    sonde__follower **of;      /* (rows) */
    double *value;             /* (parameters) */
    char *scratch;             /* of following without agents */
} company;

static void carve(sonde__arena *arena, const sonde_likelihood *l, const person *one, int32_t n_row,
                  company *all) {
    all->variant = SONDE__TAKE(arena, sonde__variant, one->n_key);
    all->follower = SONDE__TAKE(arena, sonde__follower, one->n_key);
    all->of = SONDE__TAKE(arena, sonde__follower *, n_row);
    all->value = SONDE__TAKE(arena, double, l->parameters->n + 1);
    uint64_t most = 0;
    for (int32_t k = 0; one->layout.batched && k < one->n_key; k++) {
        const uint64_t n = sonde__fast_scratch(l->fast[one->key[k].model]);
        most = n > most ? n : most;
    }
    all->scratch = SONDE__TAKE(arena, char, most);
    for (int32_t k = 0; k < one->n_key; k++) {
        sonde__variant none;
        sonde__variant_carve(arena, model_at(l, one->key[k].model),
                             all->variant != NULL ? &all->variant[k] : &none);
    }
}

/* Puts a set of numbers in the place of every key's own. */
static void set_keys(const sonde_likelihood *l, const person *one, const company *all,
                     const double *theta) {
    for (int32_t k = 0; k < one->n_key; k++) {
        for (int32_t p = 0; p < l->parameters->n; p++) {
            all->value[p] = sonde_transform_out(l->parameters->parameter[p].transform,
                                                theta[one->key[k].slot[p]]);
        }
        sonde__variant_set(&all->variant[k], l->policies[one->key[k].model], l->settings,
                           l->parameters, all->value);
    }
}

/* Makes the agents of a set, and lets them follow. */
static sonde_status follow_agents(const sonde_likelihood *l, int32_t s, const company *all,
                                  double *log_likelihood, sonde_error *error) {
    const person *one = &l->subject[s];
    sonde_status status = SONDE_OK;
    for (int32_t k = 0; status == SONDE_OK && k < one->n_key; k++) {
        status = sonde__follower_open(&all->follower[k], &all->variant[k].policies,
                                      &all->variant[k].settings, l->data.n_longest, &l->run, error);
    }
    const sonde__following following = {.data = &l->data, .subject = s, .follower = all->of};
    if (status == SONDE_OK) {
        status = sonde__follow(&following, log_likelihood, error);
    }
    for (int32_t k = 0; k < one->n_key; k++) {
        sonde__follower_close(&all->follower[k]);
    }
    return status;
}

/* The same without agents, session by session; false: it cannot be. */
static bool follow_fast(const sonde_likelihood *l, int32_t s, const company *all,
                        double *log_likelihood) {
    const sonde_data *data = &l->data;
    const person *one = &l->subject[s];
    const int32_t last = data->first[s + 1];
    bool done = one->layout.batched;
    *log_likelihood = 0.0;
    for (int32_t first = data->first[s], end = first; done && first < last; first = end) {
        const int32_t k = one->of[first - data->first[s]];
        double sum = 0.0;
        while (end < last && data->session[end] == data->session[first]) {
            end++;
        }
        const sonde__session session = {data, first, end};
        done = sonde__fast_follow(l->fast[one->key[k].model], session, &all->variant[k],
                                  all->scratch, &sum);
        *log_likelihood += sum;
    }
    return done;
}

static sonde_status follow_sets(const sonde_likelihood *l, int32_t s, int32_t n_set,
                                const double *theta, double *log_likelihood, sonde_error *error) {
    const person *one = &l->subject[s];
    const int32_t n_row = l->data.first[s + 1] - l->data.first[s];
    sonde__arena arena = {0};
    company all = {0};
    carve(&arena, l, one, n_row, &all);
    if (!sonde__arena_reserve(&arena)) {
        return sonde__fail_memory(error, "likelihood", arena.used);
    }
    carve(&arena, l, one, n_row, &all);
    for (int32_t i = 0; i < n_row; i++) {
        all.of[i] = &all.follower[one->of[i]];
    }
    sonde_status status = SONDE_OK;
    for (int32_t i = 0; status == SONDE_OK && i < n_set; i++) {
        set_keys(l, one, &all, theta + (int64_t)i * one->layout.n_slot);
        if (!follow_fast(l, s, &all, &log_likelihood[i])) {
            status = follow_agents(l, s, &all, &log_likelihood[i], error);
        }
    }
    sonde__arena_free(&arena);
    return status;
}

/* -------------------------------------------------------------------------------- life cycle -- */

/* A subject, followed without agents and by agents, at the parameters' starts: where these do
 * something that is not known here, agents follow everybody. */
static sonde_status verify(sonde_likelihood *l, int32_t s, sonde_error *error) {
    const sonde_layout *layout = &l->subject[s].layout;
    double *theta = sonde__alloc(((size_t)layout->n_slot + 1) * sizeof *theta);
    double ll[2] = {0.0, 0.0};
    if (theta == NULL) {
        return no_memory(error);
    }
    for (int32_t i = 0; i < layout->n_slot; i++) {
        theta[i] = l->parameters->parameter[layout->parameter[i]].start;
    }
    sonde_status status = follow_sets(l, s, 1, theta, &ll[0], error);
    l->subject[s].layout.batched = false;
    status = status == SONDE_OK ? follow_sets(l, s, 1, theta, &ll[1], error) : status;
    l->subject[s].layout.batched = true;
    const bool same = fabs(ll[0] - ll[1]) <= 1e-7 * (1.0 + fabs(ll[1]));
    for (int32_t i = 0; !same && i < l->data.n_subject; i++) {
        l->subject[i].layout.batched = false;
    }
    sonde__free(theta);
    return status;
}

/* The first subject of each model is followed in both ways. */
static sonde_status verify_all(sonde_likelihood *l, sonde_error *error) {
    sonde_status status = SONDE_OK;
    for (int32_t m = 0; status == SONDE_OK && m < l->n_model; m++) {
        bool found = false;
        for (int32_t s = 0; status == SONDE_OK && !found && s < l->data.n_subject; s++) {
            const person *one = &l->subject[s];
            for (int32_t k = 0; one->layout.batched && !found && k < one->n_key; k++) {
                found = one->key[k].model == m;
            }
            status = found ? verify(l, s, error) : status;
        }
    }
    return status;
}

sonde_status sonde_likelihood_new(const sonde_replay_settings *settings, const sonde_data *data,
                                  const sonde_parameters *parameters, const bool *score,
                                  sonde_likelihood **likelihood, sonde_error *error) {
    sonde_likelihood *l = sonde__alloc(sizeof *l);
    if (l == NULL) {
        return sonde__fail_memory(error, "likelihood", sizeof *l);
    }
    *l = (sonde_likelihood){.settings = settings, .parameters = parameters, .data = *data};
    l->data.score = score != NULL ? score : data->score;
    l->run = sonde_run_defaults();
    sonde_status status = prepare(l, error);
    status = status == SONDE_OK ? verify_all(l, error) : status;
    if (status != SONDE_OK) {
        sonde_likelihood_free(l);
        return status;
    }
    *likelihood = l;
    return SONDE_OK;
}

void sonde_likelihood_free(sonde_likelihood *likelihood) {
    if (likelihood != NULL) {
        for (int32_t i = 0; likelihood->policies != NULL && i < likelihood->n_model; i++) {
            sonde_policies_free(likelihood->policies[i]);
            sonde__fast_free(likelihood->fast != NULL ? likelihood->fast[i] : NULL);
        }
        sonde__pool_free(&likelihood->pool);
        sonde__free(likelihood);
    }
}

const sonde_layout *sonde_likelihood_layout(const sonde_likelihood *likelihood, int32_t subject) {
    return subject >= 0 && subject < likelihood->data.n_subject
               ? &likelihood->subject[subject].layout
               : NULL;
}

/* --------------------------------------------------------------------------------------- spm -- */

sonde_status sonde_likelihood_new_spm(sonde_spm *const *spm, int32_t n_subject,
                                      const sonde_parameters *parameters,
                                      sonde_likelihood **likelihood, sonde_error *error) {
    sonde_likelihood *l = sonde__alloc(sizeof *l);
    if (l == NULL) {
        return sonde__fail_memory(error, "likelihood", sizeof *l);
    }
    l->parameters = parameters;
    l->spm = spm;
    l->data.n_subject = n_subject;
    l->run = sonde_run_defaults();
    int32_t *parameter = SONDE__POOL_TAKE(&l->pool, int32_t, parameters->n + 1);
    const char **level = SONDE__POOL_TAKE(&l->pool, const char *, parameters->n + 1);
    l->subject = SONDE__POOL_TAKE(&l->pool, person, n_subject);
    if (parameter == NULL || level == NULL || l->subject == NULL) {
        sonde_likelihood_free(l);
        return no_memory(error);
    }
    for (int32_t p = 0; p < parameters->n; p++) {
        parameter[p] = p;
    }
    for (int32_t s = 0; s < n_subject; s++) {
        const sonde_spm_shape *shape = sonde_spm_shape_of(spm[s]);
        sonde_layout *layout = &l->subject[s].layout;
        *layout = (sonde_layout){.n_slot = parameters->n, .parameter = parameter, .level = level};
        for (int64_t i = 0; i < (int64_t)shape->n_trial * shape->n_time; i++) {
            layout->n +=
                i % shape->n_time != shape->n_time - 1 && shape->action[i * shape->n_factor] >= 0;
        }
    }
    *likelihood = l;
    return SONDE_OK;
}

/* One set of numbers of a document. */
static sonde_status follow_spm(const sonde_likelihood *l, int32_t s, const double *theta,
                               double *log_likelihood, sonde_error *error) {
    enum { MOST = 32 };
    int32_t modality[MOST];
    const double *vector[MOST];
    double by[MOST];
    sonde_spm_numbers numbers = {.modality = modality, .vector = vector, .by = by};
    for (int32_t i = 0; i < SONDE_SPM_N_NUMBER; i++) {
        numbers.number[i] = (double)NAN;
    }
    for (int32_t p = 0; p < l->parameters->n; p++) {
        const sonde_parameter *one = &l->parameters->parameter[p];
        const double value = sonde_transform_out(one->transform, theta[p]);
        if (one->kind != SONDE__TARGET_SPM_ADD) {
            numbers.number[one->kind - SONDE__TARGET_SPM] = value;
        } else if (numbers.n_add < MOST) {
            modality[numbers.n_add] = one->place;
            vector[numbers.n_add] = one->vector;
            by[numbers.n_add++] = value;
        }
    }
    return sonde_spm_likelihood(l->spm[s], &numbers, log_likelihood, error);
}

/* The same of sets that are all numbers. */
static sonde_status follow_all(const sonde_likelihood *likelihood, int32_t subject, int32_t n_set,
                               const double *theta, double *log_likelihood, sonde_error *error) {
    sonde_status status = SONDE_OK;
    for (int32_t i = 0; status == SONDE_OK && likelihood->spm != NULL && i < n_set; i++) {
        status = follow_spm(likelihood, subject, theta + (int64_t)i * likelihood->parameters->n,
                            &log_likelihood[i], error);
    }
    return likelihood->spm != NULL
               ? status
               : follow_sets(likelihood, subject, n_set, theta, log_likelihood, error);
}

static bool has_nan(const double *x, int32_t n) {
    for (int32_t i = 0; i < n; i++) {
        if (isnan(x[i])) {
            return true;
        }
    }
    return false;
}

sonde_status sonde_likelihood_at(const sonde_likelihood *likelihood, int32_t subject, int32_t n_set,
                                 const double *theta, double *log_likelihood, sonde_error *error) {
    if (subject < 0 || subject >= likelihood->data.n_subject || n_set < 0) {
        return sonde__fail(error, SONDE_BAD_ARGUMENT,
                           "subject: expected one of the %d that the data have, and sets",
                           likelihood->data.n_subject);
    }
    const int64_t n = sonde_likelihood_layout(likelihood, subject)->n_slot;
    sonde_status status = SONDE_OK;
    for (int32_t i = 0; status == SONDE_OK && i < n_set;) {
        int32_t end = i;
        while (end < n_set && !has_nan(theta + end * n, (int32_t)n)) {
            end++;
        }
        if (end > i) {
            status =
                follow_all(likelihood, subject, end - i, theta + i * n, log_likelihood + i, error);
        }
        if (end < n_set) {
            log_likelihood[end++] = NAN;
        }
        i = end;
    }
    return status;
}

/* ------------------------------------------------------------------------------ all of them -- */

typedef struct {
    const sonde_likelihood *l;
    int32_t n_set;
    const double *theta;
    double *log_likelihood;
    sonde_status *status; /* (tasks) */
    sonde_error *error;   /* (tasks) */
    int32_t n_chunk;      /* of the sets of a subject */
} job;
/* sets that one task works out */
enum { CHUNK = 32 };

static void work(void *context, int32_t task, int32_t worker) {
    const job *all = context;
    const int32_t s = task / all->n_chunk;
    const int32_t first = task % all->n_chunk * CHUNK;
    const int32_t n = all->n_set - first < CHUNK ? all->n_set - first : CHUNK;
    const int32_t n_parameter = all->l->parameters->n;
    double ll[CHUNK] = {0.0};
    (void)worker;
    all->status[task] = sonde_likelihood_at(all->l, s, n, all->theta + (int64_t)first * n_parameter,
                                            ll, &all->error[task]);
    for (int32_t i = 0; i < n; i++) {
        all->log_likelihood[(int64_t)(first + i) * all->l->data.n_subject + s] = ll[i];
    }
}

/* NOLINTBEGIN(readability-non-const-parameter): tasks write what log_likelihood points to */
sonde_status sonde_likelihood_all(const sonde_likelihood *likelihood, int32_t n_set,
                                  const double *theta, const sonde_run *run, double *log_likelihood,
                                  sonde_error *error) {
    /* NOLINTEND(readability-non-const-parameter) */
    const sonde_run settled = sonde__run_settle(run);
    const int32_t n_subject = likelihood->data.n_subject;
    for (int32_t p = 0; p < likelihood->parameters->n; p++) {
        if (likelihood->parameters->parameter[p].per != NULL) {
            return sonde__fail(error, SONDE_BAD_ARGUMENT,
                               "parameter %s: has a value for each level of a column, and sets of "
                               "all subjects have one",
                               likelihood->parameters->parameter[p].name);
        }
    }
    job all = {.l = likelihood, .n_set = n_set, .theta = theta, .log_likelihood = log_likelihood};
    all.n_chunk = (n_set + CHUNK - 1) / CHUNK;
    const int32_t n_task = all.n_chunk * n_subject;
    sonde__pool pool = {0};
    all.status = SONDE__POOL_TAKE(&pool, sonde_status, n_task + 1);
    all.error = SONDE__POOL_TAKE(&pool, sonde_error, n_task + 1);
    sonde_status status = all.status != NULL && all.error != NULL
                              ? sonde__parallel(&settled, n_task, "sets", work, &all)
                              : no_memory(error);
    for (int32_t i = 0; status == SONDE_OK && i < n_task; i++) {
        if (all.status[i] != SONDE_OK) {
            status = sonde__fail(error, all.status[i], "%s", all.error[i].text);
        }
    }
    sonde__pool_free(&pool);
    return status;
}

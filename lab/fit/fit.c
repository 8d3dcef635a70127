/* fit.c: every subject's parameters, one subject a task.
 *
 * What a task finds depends on its subject and the priors alone, and is a row of numbers: so it
 * does not matter which thread or which process does it, or whether it was done before the program
 * was killed. */
#include "fit/fit.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/parallel.h"
#include "base/rng.h"
#include "fit/fit_statistics.h"
#include "sonde_settings.h"

/* curvature below which data say nothing, in units of the prior's */
#define WEAK 1.05
/* of the 90 % interval */
#define Z_90 1.6448536269514722

sonde_fit_settings sonde_fit_defaults(void) {
    return (sonde_fit_settings){.n_start = 4, .seed = 1};
}

static sonde_status no_memory(sonde_error *error) {
    return sonde__fail_memory(error, "fit", 0);
}

/* ----------------------------------------------------------------------------------- results -- */

/* numbers before the arrays of a pack */
enum { PACK_LL, PACK_EVIDENCE, PACK_GRADIENT, PACK_CONVERGED, PACK_EVALUATIONS, PACK_TEST, PACK };

sonde__laplace sonde__unpack(const sonde__fitting *all, double *pack, int32_t n) {
    double *at = pack + PACK;
    const int64_t square = (int64_t)n * n;
    (void)all;
    return (sonde__laplace){.map = at,
                            .covariance = at + n,
                            .value = at + n + square,
                            .vector = at + 2 * (int64_t)n + square,
                            .log_likelihood = pack[PACK_LL],
                            .evidence = pack[PACK_EVIDENCE],
                            .gradient = pack[PACK_GRADIENT],
                            .converged = pack[PACK_CONVERGED] != 0.0,
                            .n_evaluation = pack[PACK_EVALUATIONS]};
}

static void pack_scalars(const sonde__laplace *found, double *pack) {
    pack[PACK_LL] = found->log_likelihood;
    pack[PACK_EVIDENCE] = found->evidence;
    pack[PACK_GRADIENT] = found->gradient;
    pack[PACK_CONVERGED] = found->converged ? 1.0 : 0.0;
    pack[PACK_EVALUATIONS] = found->n_evaluation;
}

/* --------------------------------------------------------------------------------- a subject -- */

/* a subject's likelihood, as a function of its own slots */
typedef struct {
    const sonde__fitting *all;
    int32_t subject;
    const double *at; /* (n_shared) */
} view;

/* Puts own and shared numbers where the layout has them. */
static void assemble(const view *v, const double *own, double *theta) {
    const sonde__fitting *all = v->all;
    const sonde_layout *layout = sonde_likelihood_layout(all->train, v->subject);
    const sonde__own_slots *mine = &all->own[v->subject];
    for (int32_t i = 0; i < mine->n; i++) {
        theta[mine->slot[i]] = own[i];
    }
    for (int32_t k = 0; k < all->n_shared; k++) {
        for (int32_t i = 0; i < layout->n_slot; i++) {
            if (layout->parameter[i] == all->shared[k]) {
                theta[i] = v->at[k];
            }
        }
    }
}

static sonde_status evaluate(void *user, int32_t n_set, const double *theta, double *ll,
                             sonde_error *error) {
    const view *v = user;
    if (sonde__stopped(&v->all->run)) {
        return SONDE_STOPPED;
    }
    const sonde__own_slots *mine = &v->all->own[v->subject];
    const int32_t n_slot = sonde_likelihood_layout(v->all->train, v->subject)->n_slot;
    if (v->all->n_shared == 0) {
        return sonde_likelihood_at(v->all->train, v->subject, n_set, theta, ll, error);
    }
    double *whole = sonde__alloc((size_t)n_set * (size_t)n_slot * sizeof *whole);
    if (whole == NULL) {
        return no_memory(error);
    }
    for (int32_t i = 0; i < n_set; i++) {
        assemble(v, theta + (int64_t)i * mine->n, whole + (int64_t)i * n_slot);
    }
    const sonde_status status =
        sonde_likelihood_at(v->all->train, v->subject, n_set, whole, ll, error);
    sonde__free(whole);
    return status;
}

/* Where to begin: at the parameters' own starts, then at draws from the prior. */
static void draw_starts(const sonde__round *round, int32_t s, int32_t n_start, double *start) {
    const sonde__fitting *all = round->all;
    const sonde_layout *layout = sonde_likelihood_layout(all->train, s);
    const sonde__own_slots *mine = &all->own[s];
    const double *mean = round->mean + (int64_t)s * all->n_most;
    const double *sd = round->sd + (int64_t)s * all->n_most;
    sonde__rng rng = sonde__rng_stream(all->settings.seed, SONDE__FOR_STARTS, (uint64_t)s);
    for (int32_t i = 0; i < n_start; i++) {
        for (int32_t p = 0; p < mine->n; p++) {
            const sonde_parameter *one =
                &all->shown.parameters->parameter[layout->parameter[mine->slot[p]]];
            const double u = sonde__rng_uniform(&rng);
            start[(int64_t)i * mine->n + p] =
                i == 0 ? one->start : mean[p] + sd[p] * sonde__normal_point(u > 1e-12 ? u : 1e-12);
        }
    }
}

static sonde_status find(const sonde__round *round, int32_t s, double *pack, sonde_error *error) {
    const sonde__fitting *all = round->all;
    const int32_t n = all->own[s].n;
    const view v = {.all = all, .subject = s, .at = round->at};
    const sonde__objective objective = {.n = n,
                                        .mean = round->mean + (int64_t)s * all->n_most,
                                        .sd = round->sd + (int64_t)s * all->n_most,
                                        .step = 1e-3,
                                        .newton = all->newton || round->warm != NULL,
                                        .user = (void *)&v,
                                        .log_likelihood = evaluate};
    const int32_t n_start = round->warm != NULL ? 1 : all->settings.n_start;
    double *start = sonde__alloc(((size_t)n_start * (size_t)n + 1) * sizeof *start);
    if (start == NULL) {
        return no_memory(error);
    }
    if (round->warm != NULL) {
        memcpy(start, round->warm + (int64_t)s * all->n_most, (size_t)n * sizeof *start);
    } else {
        draw_starts(round, s, n_start, start);
    }
    sonde__laplace found = sonde__unpack(all, pack, n);
    sonde_status status = sonde__map_find(&objective, n_start, start, &found, error);
    pack_scalars(&found, pack);
    pack[PACK_TEST] = (double)NAN;
    if (status == SONDE_OK && all->test != NULL) {
        const int32_t n_slot = sonde_likelihood_layout(all->train, s)->n_slot;
        double *theta = sonde__alloc(((size_t)n_slot + 1) * sizeof *theta);
        if (theta == NULL) {
            status = no_memory(error);
        } else {
            assemble(&v, found.map, theta);
            status = sonde_likelihood_at(all->test, s, 1, theta, &pack[PACK_TEST], error);
        }
        sonde__free(theta);
    }
    sonde__free(start);
    return status;
}

/* ------------------------------------------------------------------------------------ rounds -- */

static bool is_mine(const sonde__fitting *all, int32_t s) {
    const sonde_fit_ranks *ranks = all->settings.ranks;
    return ranks == NULL || s % ranks->n_rank == ranks->rank;
}

static uint64_t mix(uint64_t hash, const void *bytes, size_t n) { /* FNV-1a */
    for (size_t i = 0; i < n; i++) {
        hash = (hash ^ ((const unsigned char *)bytes)[i]) * UINT64_C(1099511628211);
    }
    return hash;
}

/* What a subject's estimate depends on besides what the fit is of: priors, shared values and where
 * the search begins. */
static uint64_t hash_task(const sonde__round *round, int32_t s) {
    const sonde__fitting *all = round->all;
    const int64_t at = (int64_t)s * all->n_most;
    const size_t size = (size_t)all->own[s].n * sizeof(double);
    uint64_t hash = UINT64_C(14695981039346656037);
    hash = mix(hash, round->mean + at, size);
    hash = mix(hash, round->sd + at, size);
    hash = mix(hash, round->at, (size_t)all->n_shared * sizeof *round->at);
    return round->warm != NULL ? mix(hash, round->warm + at, size) : hash;
}

static void work(void *context, int32_t s, int32_t worker) {
    sonde__round *round = context;
    const sonde__fitting *all = round->all;
    double *pack = round->pack + (int64_t)s * all->n_pack;
    char name[160];
    (void)worker;
    round->status[s] = SONDE_OK;
    if (!is_mine(all, s) || sonde__stopped(&all->run)) {
        return;
    }
    (void)snprintf(name, sizeof name, "%s%s%s %" PRId32 " %" PRId32 " %016" PRIx64, all->signature,
                   all->lent ? " " : "", round->stage, round->round, s, hash_task(round, s));
    if (all->kept != NULL && sonde__kept_get(all->kept, name, all->n_pack, pack)) {
        return;
    }
    round->status[s] = find(round, s, pack, &round->error[s]);
    if (round->status[s] == SONDE_OK && all->kept != NULL) {
        round->status[s] = sonde__kept_put(all->kept, name, all->n_pack, pack, &round->error[s]);
    }
}

sonde_status sonde__round_do(sonde__round *round, sonde_error *error) {
    sonde__fitting *all = round->all;
    const int32_t n = all->data->n_subject;
    sonde_status status = sonde__parallel(&all->run, n, round->stage, work, round);
    for (int32_t s = 0; status == SONDE_OK && s < n; s++) {
        if (round->status[s] != SONDE_OK) {
            status = sonde__fail(error, round->status[s], "%s", round->error[s].text);
        }
    }
    const sonde_fit_ranks *ranks = all->settings.ranks;
    if (status == SONDE_OK && ranks != NULL && ranks->n_rank > 1) {
        status = ranks->gather(ranks->user, n, all->n_pack, round->pack);
    }
    round->round++;
    return status;
}

sonde__round *sonde__round_new(sonde__fitting *all, const char *stage) {
    const uint64_t n = (uint64_t)all->data->n_subject;
    const uint64_t most = n * (uint64_t)all->n_most + 1;
    sonde__round *round = SONDE__POOL_TAKE(&all->pool, sonde__round, 1);
    double *mean = SONDE__POOL_TAKE(&all->pool, double, most);
    double *sd = SONDE__POOL_TAKE(&all->pool, double, most);
    double *at = SONDE__POOL_TAKE(&all->pool, double, all->n_shared + 1);
    double *pack = SONDE__POOL_TAKE(&all->pool, double, n *(uint64_t)all->n_pack);
    sonde_status *status = SONDE__POOL_TAKE(&all->pool, sonde_status, n);
    sonde_error *error = SONDE__POOL_TAKE(&all->pool, sonde_error, n);
    if (round == NULL || mean == NULL || sd == NULL || at == NULL || pack == NULL ||
        status == NULL || error == NULL) {
        return NULL;
    }
    *round = (sonde__round){.all = all,
                            .stage = stage,
                            .mean = mean,
                            .sd = sd,
                            .at = at,
                            .pack = pack,
                            .status = status,
                            .error = error};
    sonde__round_priors(round);
    return round;
}

void sonde__round_priors(sonde__round *round) {
    const sonde__fitting *all = round->all;
    double *mean = (double *)round->mean;
    double *sd = (double *)round->sd;
    double *at = (double *)round->at;
    for (int32_t s = 0; s < all->data->n_subject; s++) {
        const sonde_layout *layout = sonde_likelihood_layout(all->train, s);
        for (int32_t p = 0; p < all->own[s].n; p++) {
            const sonde_parameter *one =
                &all->shown.parameters->parameter[layout->parameter[all->own[s].slot[p]]];
            mean[(int64_t)s * all->n_most + p] = one->mean;
            sd[(int64_t)s * all->n_most + p] = one->sd;
        }
    }
    for (int32_t k = 0; k < all->n_shared; k++) {
        at[k] = all->shown.parameters->parameter[all->shared[k]].start;
    }
}

/* --------------------------------------------------------------------------------- preparing -- */

static sonde_status find_shared(sonde__fitting *all, sonde_error *error) {
    const sonde_parameters *parameters = all->shown.parameters;
    all->shared = SONDE__POOL_TAKE(&all->pool, int32_t, parameters->n + 1);
    if (all->shared == NULL) {
        return no_memory(error);
    }
    for (int32_t p = 0; p < parameters->n; p++) {
        if (parameters->parameter[p].shared) {
            all->shared[all->n_shared++] = p;
        }
    }
    if (all->n_shared > 0 && all->settings.group) {
        return sonde__fail(error, SONDE_BAD_INPUT,
                           "parameter %s: is shared by all subjects, and a group is of parameters "
                           "that differ; choose one of them",
                           parameters->parameter[all->shared[0]].name);
    }
    return SONDE_OK;
}

static sonde_status find_own(sonde__fitting *all, sonde_error *error) {
    const int32_t n_subject = all->data->n_subject;
    all->own = SONDE__POOL_TAKE(&all->pool, sonde__own_slots, n_subject);
    if (all->own == NULL) {
        return no_memory(error);
    }
    for (int32_t s = 0; s < n_subject; s++) {
        const sonde_layout *layout = sonde_likelihood_layout(all->train, s);
        sonde__own_slots *mine = &all->own[s];
        mine->slot = SONDE__POOL_TAKE(&all->pool, int32_t, layout->n_slot + 1);
        if (mine->slot == NULL) {
            return no_memory(error);
        }
        for (int32_t i = 0; i < layout->n_slot; i++) {
            if (!all->shown.parameters->parameter[layout->parameter[i]].shared) {
                mine->slot[mine->n++] = i;
            }
        }
        all->n_most = mine->n > all->n_most ? mine->n : all->n_most;
    }
    all->n_pack = PACK + 2 * all->n_most + 2 * all->n_most * all->n_most;
    return SONDE_OK;
}

static void describe_agent(const sonde_replay_settings *agent, sonde_text *text) {
    if (agent == NULL) {
        return;
    }
    sonde_text_add(text, "; timing %d, lapse ", (int)agent->timing);
    sonde_text_add_number(text, agent->lapse);
    for (int32_t i = 0; sonde_setting_at(i) != NULL; i++) {
        sonde_text_add(text, "; %s ", sonde_setting_at(i)->key);
        (void)sonde_settings_get(&agent->search, sonde_setting_at(i)->key, text, NULL);
    }
    if (agent->learns) {
        sonde_text_add(text, "; learn ");
        sonde_learn_write(&agent->learn, agent->model, text);
    }
}

/* How many numbers the vector of a parameter has: one for each outcome, and time in SPM's
 * scheme. */
static int32_t n_added(const sonde__fitting *all, const sonde_parameter *one) {
    if (all->spm == NULL) {
        return all->agent != NULL ? all->agent->model->modality[one->place].n_outcome : 0;
    }
    const sonde_spm_shape *shape = sonde_spm_shape_of(all->spm[0]);
    return shape->n_outcome[one->place] * shape->n_time;
}

/* Rows as they were read, by whatever names and numbers. */
static uint64_t hash_data(const sonde__fitting *all) {
    const sonde_data *data = all->data;
    const size_t n = (size_t)data->n_row;
    uint64_t hash = UINT64_C(14695981039346656037);
    for (int64_t i = 0; i < (int64_t)data->n_row * data->n_column; i++) {
        hash = mix(hash, data->cell[i], strlen(data->cell[i]) + 1);
    }
    for (int32_t i = 0; n > 0 && i < data->n_subject; i++) {
        hash = mix(hash, data->subject[i], strlen(data->subject[i]) + 1);
    }
    if (n > 0) {
        hash = mix(hash, data->first, ((size_t)data->n_subject + 1) * sizeof *data->first);
        hash = mix(hash, data->session, n * sizeof *data->session);
        hash = mix(hash, data->episode, n * sizeof *data->episode);
        hash = mix(hash, data->outcome, n * (size_t)data->n_modality * sizeof *data->outcome);
        hash = mix(hash, data->action, n * sizeof *data->action);
        hash = mix(hash, data->score, n * sizeof *data->score);
        hash = mix(hash, data->model, n * sizeof *data->model);
    }
    for (size_t i = 0; i < n; i++) {
        const int train = all->settings.train != NULL ? all->settings.train[i] : 2;
        const int test = all->settings.test != NULL ? all->settings.test[i] : 2;
        hash = (hash ^ (unsigned)(train * 3 + test)) * UINT64_C(1099511628211);
    }
    return hash;
}

/* The log-likelihood of a subject where its search begins. */
static sonde_status begin_at(const sonde__fitting *all, int32_t s, double *found,
                             sonde_error *error) {
    const sonde_layout *layout = sonde_likelihood_layout(all->train, s);
    double *theta = sonde__alloc(((size_t)layout->n_slot + 1) * sizeof *theta);
    if (theta == NULL) {
        return no_memory(error);
    }
    for (int32_t i = 0; i < layout->n_slot; i++) {
        theta[i] = all->shown.parameters->parameter[layout->parameter[i]].start;
    }
    const sonde_status status = sonde_likelihood_at(all->train, s, 1, theta, found, error);
    sonde__free(theta);
    return status;
}

static bool mix_text(void *user, const char *text, size_t size) {
    uint64_t *hash = user;
    *hash = mix(*hash, text, size);
    return true;
}

/* All that a model's document says: not its numbers alone. */
static sonde_status mix_model(uint64_t *hash, const sonde_model *model, sonde_error *error) {
    sonde_text text = {.sink = mix_text, .user = hash};
    const sonde_status status = sonde_model_write(model, &text, error);
    const sonde_status closed = sonde_text_close(&text, error);
    *hash = mix(*hash, &model->inference, sizeof model->inference);
    return status == SONDE_OK ? closed : status;
}

/* Trials, or models: that of the agent, and those of conditions. */
static sonde_status hash_models(const sonde__fitting *all, uint64_t *hash, sonde_error *error) {
    sonde_status status = SONDE_OK;
    for (int32_t s = 0; all->spm != NULL && s < all->data->n_subject; s++) {
        const sonde_spm_shape *shape = sonde_spm_shape_of(all->spm[s]);
        const size_t n = (size_t)shape->n_trial * (size_t)shape->n_time;
        *hash = mix(*hash, shape->outcome, n * (size_t)shape->n_modality * sizeof *shape->outcome);
        *hash = mix(*hash, shape->action, n * (size_t)shape->n_factor * sizeof *shape->action);
        /* its arrays are not shown: what they come to is the likelihood */
        double found = 0.0;
        if (begin_at(all, s, &found, NULL) == SONDE_OK) {
            *hash = mix(*hash, &found, sizeof found);
        }
    }
    if (all->agent != NULL) {
        status = mix_model(hash, all->agent->model, error);
        for (int32_t i = 0;
             status == SONDE_OK && all->agent->condition != NULL && i < all->data->n_model; i++) {
            status = mix_model(hash, all->agent->condition[i], error);
        }
    }
    return status;
}

/* A text that names everything that results depend on. */
static sonde_status describe(const sonde__fitting *all, sonde_text *text, sonde_error *error) {
    const sonde_parameters *parameters = all->shown.parameters;
    uint64_t hash = hash_data(all);
    const sonde_status status = hash_models(all, &hash, error);
    sonde_text_add(text, "sonde %s; data and model %016" PRIx64, sonde_version(), hash);
    describe_agent(all->agent, text);
    for (int32_t p = 0; p < parameters->n; p++) {
        const sonde_parameter *one = &parameters->parameter[p];
        sonde_text_add(text, "; %s %s %d ", one->name, one->target, (int)one->transform);
        sonde_text_add_number(text, one->mean);
        sonde_text_add(text, " ");
        sonde_text_add_number(text, one->sd);
        sonde_text_add(text, " ");
        sonde_text_add_number(text, one->start);
        sonde_text_add(text, " %s %d", one->per != NULL ? one->per : "", one->shared ? 1 : 0);
        for (int32_t o = 0; one->vector != NULL && o < n_added(all, one); o++) {
            sonde_text_add(text, " ");
            sonde_text_add_number(text, one->vector[o]);
        }
    }
    sonde_text_add(text, "; starts %d, seed %" PRIu64 ", %s", (int)all->settings.n_start,
                   all->settings.seed, all->shown.optimiser);
    return status != SONDE_OK ? status : text->failed ? no_memory(error) : SONDE_OK;
}

static sonde_status open_store(sonde__fitting *all, sonde_error *error) {
    sonde_text of = {0};
    sonde_status status = SONDE_OK;
    if (all->settings.store == NULL && all->kept == NULL) {
        return SONDE_OK;
    }
    /* no file is made for what cannot be fitted */
    for (int32_t s = 0; all->kept == NULL && status == SONDE_OK && s < all->data->n_subject; s++) {
        double found = 0.0;
        status = begin_at(all, s, &found, error);
    }
    if (status != SONDE_OK) {
        return status;
    }
    status = describe(all, &of, error);
    if (status == SONDE_OK && all->kept != NULL) {
        sonde__kept_sign(of.data, all->signature, sizeof all->signature);
    } else if (status == SONDE_OK) {
        status =
            sonde__kept_open(all->settings.store, all->settings.ranks, of.data, &all->kept, error);
    }
    sonde_text_free(&of);
    return status;
}

/* Decides how all subjects are fitted. Ranks may be on machines of which not all have NLopt: then
 * none uses it. */
static sonde_status choose_optimiser(sonde__fitting *all, sonde_error *error) {
    const sonde_fit_ranks *ranks = all->settings.ranks;
    const int32_t n = ranks != NULL && ranks->n_rank > 1 ? ranks->n_rank : 1;
    double *has = SONDE__POOL_TAKE(&all->pool, double, n);
    if (has == NULL) {
        return no_memory(error);
    }
    has[n > 1 ? ranks->rank : 0] = !all->settings.newton && sonde__bobyqa_is_there() ? 1.0 : 0.0;
    const sonde_status status = n > 1 ? ranks->gather(ranks->user, n, 1, has) : SONDE_OK;
    for (int32_t i = 0; i < n; i++) {
        all->newton = all->newton || has[i] == 0.0;
    }
    all->shown.optimiser = all->newton ? "newton" : "BOBYQA";
    return status;
}

static sonde_status prepare(sonde__fitting *all, sonde_error *error) {
    const sonde_parameters *parameters = all->shown.parameters;
    if (all->settings.n_start < 1 || all->settings.n_start > 10000) {
        return sonde__fail(error, SONDE_BAD_ARGUMENT,
                           "starts: expected a number from 1 to 10000, found %d",
                           (int)all->settings.n_start);
    }
    if (all->settings.covariates != NULL && !all->settings.group) {
        return sonde__fail(error, SONDE_BAD_ARGUMENT,
                           "covariates: are of a group; choose group eb, or leave them out");
    }
    sonde_status status = all->spm != NULL
                              ? sonde_likelihood_new_spm(all->spm, all->data->n_subject, parameters,
                                                         &all->train, error)
                              : sonde_likelihood_new(all->agent, all->data, parameters,
                                                     all->settings.train, &all->train, error);
    if (status == SONDE_OK && all->settings.test != NULL) {
        status = sonde_likelihood_new(all->agent, all->data, parameters, all->settings.test,
                                      &all->test, error);
    }
    status = status == SONDE_OK ? find_shared(all, error) : status;
    status = status == SONDE_OK ? find_own(all, error) : status;
    status = status == SONDE_OK ? choose_optimiser(all, error) : status;
    if (status == SONDE_OK && all->settings.group) {
        status = sonde__fit_group_check(all, error);
    }
    return status == SONDE_OK ? open_store(all, error) : status;
}

/* -------------------------------------------------------------------------------- concluding -- */

/* the arrays of a subject's result, for writing */
typedef struct {
    const char **name;
    int32_t *parameter;
    double *number; /* (5, n_slot) and (n_slot, n_slot) */
} rows;

static bool take_rows(sonde__fitting *all, int32_t n_slot, rows *to) {
    const uint64_t n = (uint64_t)n_slot;
    to->name = SONDE__POOL_TAKE(&all->pool, const char *, n + 1);
    to->parameter = SONDE__POOL_TAKE(&all->pool, int32_t, n + 1);
    to->number = SONDE__POOL_TAKE(&all->pool, double, 5 * n + n * n + 1);
    return to->name != NULL && to->parameter != NULL && to->number != NULL;
}

/* "gamma", or "gamma[drug]". */
static const char *name_slot(sonde__fitting *all, const sonde_parameter *one, const char *level) {
    if (level == NULL) {
        return one->name;
    }
    const size_t size = strlen(one->name) + strlen(level) + 3;
    char *name = SONDE__POOL_TAKE(&all->pool, char, size);
    if (name != NULL) {
        (void)snprintf(name, size, "%s[%s]", one->name, level);
    }
    return name;
}

/* Directions that the data say nothing about. */
static sonde_status find_weak(sonde__fitting *all, int32_t s, const sonde__laplace *found,
                              sonde_fitted *to) {
    const sonde__own_slots *mine = &all->own[s];
    sonde_weak *weak = SONDE__POOL_TAKE(&all->pool, sonde_weak, mine->n + 1);
    double *weight =
        SONDE__POOL_TAKE(&all->pool, double, (uint64_t)mine->n *(uint64_t)to->n_slot + 1);
    if (weak == NULL || weight == NULL) {
        return SONDE_NO_MEMORY;
    }
    for (int32_t k = 0; k < mine->n && found->value[k] < WEAK; k++) {
        for (int32_t p = 0; p < mine->n; p++) {
            weight[mine->slot[p]] = found->vector[k * mine->n + p];
        }
        weak[to->n_weak++] = (sonde_weak){.curvature = found->value[k], .weight = weight};
        weight += to->n_slot;
    }
    to->weak = weak;
    return SONDE_OK;
}

static void fill_numbers(const sonde__fitting *all, int32_t s, const sonde__laplace *found,
                         const double *at, double *number) {
    const sonde_layout *layout = sonde_likelihood_layout(all->train, s);
    const sonde__own_slots *mine = &all->own[s];
    const int32_t n = layout->n_slot;
    const view v = {.all = all, .subject = s, .at = at};
    double *sd = number + n;
    double *covariance = number + 5 * (int64_t)n;
    assemble(&v, found->map, number);
    for (int32_t i = 0; i < n; i++) {
        sd[i] = (double)NAN;
    }
    for (int32_t p = 0; p < mine->n; p++) {
        for (int32_t q = 0; q < mine->n; q++) {
            covariance[mine->slot[p] * n + mine->slot[q]] = found->covariance[p * mine->n + q];
        }
        sd[mine->slot[p]] = sqrt(found->covariance[p * mine->n + p]);
    }
    for (int32_t i = 0; i < n; i++) {
        const sonde_transform how =
            all->shown.parameters->parameter[layout->parameter[i]].transform;
        number[2 * n + i] = sonde_transform_out(how, number[i]);
        number[3 * n + i] = sonde_transform_out(how, number[i] - Z_90 * sd[i]);
        number[4 * n + i] = sonde_transform_out(how, number[i] + Z_90 * sd[i]);
    }
}

static sonde_status conclude_subject(sonde__fitting *all, sonde__round *round, int32_t s,
                                     sonde_fitted *to) {
    const sonde_layout *layout = sonde_likelihood_layout(all->train, s);
    double *pack = round->pack + (int64_t)s * all->n_pack;
    const sonde__laplace found = sonde__unpack(all, pack, all->own[s].n);
    const int32_t n = layout->n_slot;
    const double n_free = all->own[s].n;
    rows made;
    if (!take_rows(all, n, &made)) {
        return SONDE_NO_MEMORY;
    }
    for (int32_t i = 0; i < n; i++) {
        made.parameter[i] = layout->parameter[i];
        made.name[i] = name_slot(all, &all->shown.parameters->parameter[layout->parameter[i]],
                                 layout->level[i]);
        if (made.name[i] == NULL) {
            return SONDE_NO_MEMORY;
        }
    }
    fill_numbers(all, s, &found, round->at, made.number);
    *to = (sonde_fitted){.subject = all->data->subject[s],
                         .n = layout->n,
                         .n_slot = n,
                         .name = made.name,
                         .parameter = made.parameter,
                         .map = made.number,
                         .sd = made.number + n,
                         .value = made.number + 2 * (int64_t)n,
                         .low = made.number + 3 * (int64_t)n,
                         .high = made.number + 4 * (int64_t)n,
                         .covariance = made.number + 5 * (int64_t)n,
                         .log_likelihood = found.log_likelihood,
                         .evidence = found.evidence,
                         .aic = 2.0 * n_free - 2.0 * found.log_likelihood,
                         .bic = (layout->n > 0 ? n_free * log((double)layout->n) : 0.0) -
                                2.0 * found.log_likelihood,
                         .n_test = all->test != NULL ? sonde_likelihood_layout(all->test, s)->n : 0,
                         .held_out = pack[PACK_TEST],
                         .converged = found.converged,
                         .gradient = found.gradient,
                         .n_evaluation = found.n_evaluation};
    return find_weak(all, s, &found, to);
}

static sonde_status conclude(sonde__fitting *all, sonde__round *round, sonde_error *error) {
    sonde_fit *shown = &all->shown;
    const int32_t n = all->data->n_subject;
    sonde_fitted *subject = SONDE__POOL_TAKE(&all->pool, sonde_fitted, n);
    sonde_status status = subject != NULL ? SONDE_OK : SONDE_NO_MEMORY;
    shown->n_subject = n;
    shown->subject = subject;
    shown->held_out = all->test != NULL ? 0.0 : (double)NAN;
    shown->n_parameter = all->n_shared;
    for (int32_t s = 0; status == SONDE_OK && s < n; s++) {
        status = conclude_subject(all, round, s, &subject[s]);
        shown->log_likelihood += subject[s].log_likelihood;
        shown->evidence += subject[s].evidence;
        shown->n_parameter += all->own[s].n;
        shown->n += subject[s].n;
        shown->held_out += all->test != NULL ? subject[s].held_out : 0.0;
    }
    shown->aic = 2.0 * shown->n_parameter - 2.0 * shown->log_likelihood;
    shown->bic =
        (shown->n > 0 ? shown->n_parameter * log(shown->n) : 0.0) - 2.0 * shown->log_likelihood;
    return status == SONDE_OK ? status : no_memory(error);
}

static sonde_status carry_out(sonde__fitting *all, sonde_error *error) {
    sonde_status status = prepare(all, error);
    if (status != SONDE_OK) {
        return status;
    }
    sonde__round *round = sonde__round_new(all, "subjects");
    if (round == NULL) {
        return no_memory(error);
    }
    status = sonde__round_do(round, error);
    if (status == SONDE_OK && all->n_shared > 0) {
        status = sonde__fit_shared(all, round, error);
    }
    if (status == SONDE_OK && all->settings.group) {
        status = sonde__fit_group(all, round, error);
    }
    return status == SONDE_OK ? conclude(all, round, error) : status;
}

/* Carries out what was put together, which is freed where it fails. */
static sonde_status finish(sonde__fitting *all, const sonde_fit_settings *settings,
                           const sonde_run *run, sonde_fit **fit, sonde_error *error) {
    all->settings = settings != NULL ? *settings : sonde_fit_defaults();
    all->run = sonde__run_settle(run);
    const sonde_status status = carry_out(all, error);
    if (!all->lent) {
        sonde__kept_close(all->kept);
    }
    all->kept = NULL;
    if (status != SONDE_OK) {
        sonde_fit_free(&all->shown);
        return status;
    }
    *fit = &all->shown;
    return SONDE_OK;
}

sonde_status sonde__fit_do(const sonde__fit_task *task, const sonde_run *run, sonde_fit **fit,
                           sonde_error *error) {
    sonde__fitting *all = sonde__alloc(sizeof *all);
    if (all == NULL) {
        return sonde__fail_memory(error, "fit", sizeof *all);
    }
    all->shown.parameters = task->parameters;
    all->agent = task->agent;
    all->data = task->data;
    all->kept = task->kept;
    all->lent = task->kept != NULL;
    return finish(all, task->settings, run, fit, error);
}

/* NOLINTNEXTLINE(readability-function-size): a seventh argument, the error */
sonde_status sonde_fit_new(const sonde_replay_settings *agent, const sonde_data *data,
                           const sonde_parameters *parameters, const sonde_fit_settings *settings,
                           const sonde_run *run, sonde_fit **fit, sonde_error *error) {
    const sonde__fit_task task = {
        .agent = agent, .data = data, .parameters = parameters, .settings = settings};
    return sonde__fit_do(&task, run, fit, error);
}

/* NOLINTNEXTLINE(readability-function-size): two more arguments than six, the last the error */
sonde_status sonde_fit_new_spm(sonde_spm *const *spm, const char *const *name, int32_t n_subject,
                               const sonde_parameters *parameters,
                               const sonde_fit_settings *settings, const sonde_run *run,
                               sonde_fit **fit, sonde_error *error) {
    sonde__fitting *all = sonde__alloc(sizeof *all);
    if (all == NULL) {
        return sonde__fail_memory(error, "fit", sizeof *all);
    }
    all->shown.parameters = parameters;
    all->spm = spm;
    all->people = (sonde_data){.origin = "trials", .n_subject = n_subject, .subject = name};
    all->data = &all->people;
    return finish(all, settings, run, fit, error);
}

void sonde_fit_free(sonde_fit *fit) {
    sonde__fitting *all = (sonde__fitting *)fit;
    if (all != NULL) {
        sonde_likelihood_free(all->train);
        sonde_likelihood_free(all->test);
        sonde__pool_free(&all->pool);
        sonde__free(all);
    }
}

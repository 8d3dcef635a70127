/* fit_cohort.c: subjects as draws of a group, by empirical Bayes: subjects are estimated with the
 * group's prior, the group from the subjects, and so on (fit_group.h). */
#include <stdio.h>
#include <string.h>

#include "fit/fit.h"

/* a group that is being found */
typedef struct {
    sonde__fitting *all;
    sonde__round *round;
    int32_t n;    /* subjects with an action that counts */
    int32_t *who; /* (n) */
    double *warm; /* (n_subject, n_most) */
} gathering;

/* Subjects that say something; all have the same parameters. */
static sonde_status find_members(sonde__fitting *all, gathering *g, sonde_error *error) {
    const int32_t n_subject = all->data->n_subject;
    g->all = all;
    g->who = SONDE__POOL_TAKE(&all->pool, int32_t, n_subject);
    g->warm = SONDE__POOL_TAKE(&all->pool, double, (uint64_t)n_subject *(uint64_t)all->n_most + 1);
    if (g->who == NULL || g->warm == NULL) {
        return sonde__fail_memory(error, "group", 0);
    }
    for (int32_t s = 0; s < n_subject; s++) {
        if (sonde_likelihood_layout(all->train, s)->n > 0) {
            g->who[g->n++] = s;
        }
    }
    for (int32_t i = 1; i < g->n; i++) {
        const sonde_layout *a = sonde_likelihood_layout(all->train, g->who[0]);
        const sonde_layout *b = sonde_likelihood_layout(all->train, g->who[i]);
        bool same = a->n_slot == b->n_slot;
        for (int32_t k = 0; same && k < a->n_slot; k++) {
            same = a->parameter[k] == b->parameter[k] &&
                   (a->level[k] == NULL || strcmp(a->level[k], b->level[k]) == 0);
        }
        if (!same) {
            return sonde__fail(error, SONDE_BAD_INPUT,
                               "%s: subjects %s and %s have other levels of what parameters differ "
                               "by, or in another order; a group needs the same of all",
                               all->data->origin, all->data->subject[g->who[0]],
                               all->data->subject[g->who[i]]);
        }
    }
    return SONDE_OK;
}

/* Estimates every member with the group's prior, from where it was estimated last. */
static sonde_status estimate(void *user, sonde__cohort *group, sonde_error *error) {
    const gathering *g = user;
    const sonde__fitting *all = g->all;
    const int32_t n = group->n_parameter;
    double *mean = (double *)g->round->mean;
    double *sd = (double *)g->round->sd;
    for (int32_t i = 0; i < g->n; i++) {
        const int64_t at = (int64_t)g->who[i] * all->n_most;
        memcpy(mean + at, group->prior_mean + (int64_t)i * n, (size_t)n * sizeof *mean);
        memcpy(sd + at, group->sd, (size_t)n * sizeof *sd);
    }
    const sonde_status status = sonde__round_do(g->round, error);
    for (int32_t i = 0; status == SONDE_OK && i < g->n; i++) {
        double *pack = g->round->pack + (int64_t)g->who[i] * all->n_pack;
        const sonde__laplace found = sonde__unpack(all, pack, n);
        group->evidence[i] = found.evidence;
        memcpy(group->joint + (int64_t)i * n * n, found.covariance,
               (size_t)n * (size_t)n * sizeof *group->joint);
        for (int32_t p = 0; p < n; p++) {
            group->estimate[(int64_t)i * n + p] = found.map[p];
            group->variance[(int64_t)i * n + p] = found.covariance[p * n + p];
            g->warm[(int64_t)g->who[i] * all->n_most + p] = found.map[p];
        }
    }
    return status;
}

/* Finds the group of a design, from estimates that there are. */
static sonde_status find_group(gathering *g, const sonde__design *design, sonde__cohort **group,
                               sonde_error *error) {
    const sonde__fitting *all = g->all;
    const int32_t n = all->own[g->who[0]].n;
    const double *mean = g->round->mean + (int64_t)g->who[0] * all->n_most;
    const double *sd = g->round->sd + (int64_t)g->who[0] * all->n_most;
    sonde_status status = sonde__cohort_new(design, n, mean, sd, group, error);
    g->round->warm = g->warm;
    return status == SONDE_OK ? sonde__cohort_fit(*group, estimate, g, error) : status;
}

/* Where estimates begin: at those of a round that was done. */
static void warm_up(const gathering *g, const sonde__round *done) {
    const sonde__fitting *all = g->all;
    for (int32_t s = 0; s < all->data->n_subject; s++) {
        double *pack = done->pack + (int64_t)s * all->n_pack;
        const sonde__laplace found = sonde__unpack(all, pack, all->own[s].n);
        memcpy(g->warm + (int64_t)s * all->n_most, found.map,
               (size_t)all->own[s].n * sizeof *g->warm);
    }
}

/* The evidence of the group, less that of the same without each covariate. */
static sonde_status find_effects(gathering *g, const sonde__design *design, double evidence,
                                 double *effect, sonde_error *error) {
    sonde_status status = SONDE_OK;
    for (int32_t c = 0; status == SONDE_OK && c < design->n_covariate; c++) {
        char name[32];
        sonde__design less = {0};
        sonde__cohort *group = NULL;
        const sonde__round *done = g->round;
        (void)snprintf(name, sizeof name, "without %d", (int)c);
        const size_t size = strlen(name) + 1;
        char *stage = SONDE__POOL_TAKE(&g->all->pool, char, size);
        g->round = stage != NULL ? sonde__round_new(g->all, stage) : NULL;
        if (g->round == NULL) {
            return sonde__fail_memory(error, "group", 0);
        }
        memcpy(stage, name, size);
        warm_up(g, done);
        status = sonde__design_without(design, c, &less, error);
        status = status == SONDE_OK ? find_group(g, &less, &group, error) : status;
        effect[c] = status == SONDE_OK ? evidence - group->log_evidence : 0.0;
        sonde__cohort_free(group);
        sonde__design_free(&less);
    }
    return status;
}

/* ------------------------------------------------------------------------------ what it says -- */

static double *copy(sonde__pool *pool, const double *number, uint64_t n) {
    double *made = SONDE__POOL_TAKE(pool, double, n + 1);
    if (made != NULL) {
        memcpy(made, number, (size_t)n * sizeof *made);
    }
    return made;
}

static const char **copy_words(sonde__pool *pool, const char *const *word, int32_t n) {
    const char **made = SONDE__POOL_TAKE(pool, const char *, n + 1);
    for (int32_t i = 0; made != NULL && word != NULL && i < n; i++) {
        const size_t size = strlen(word[i]) + 1;
        char *text = SONDE__POOL_TAKE(pool, char, size);
        if (text == NULL) {
            return NULL;
        }
        memcpy(text, word[i], size);
        made[i] = text;
    }
    return made;
}

/* "gamma", or "gamma[drug]", of the members' slots. */
static const char **name_slots(const gathering *g, int32_t n) {
    sonde__pool *pool = &g->all->pool;
    const sonde_layout *layout = sonde_likelihood_layout(g->all->train, g->who[0]);
    const char **made = SONDE__POOL_TAKE(pool, const char *, n + 1);
    for (int32_t i = 0; made != NULL && i < n; i++) {
        const char *name = g->all->shown.parameters->parameter[layout->parameter[i]].name;
        const char *level = layout->level[i];
        const size_t size = strlen(name) + (level != NULL ? strlen(level) : 0) + 3;
        char *text = SONDE__POOL_TAKE(pool, char, size);
        if (text == NULL) {
            return NULL;
        }
        (void)snprintf(text, size, level != NULL ? "%s[%s]" : "%s", name, level);
        made[i] = text;
    }
    return made;
}

static sonde_status tell(gathering *g, const sonde__design *design, const sonde__cohort *group,
                         const double *effect, sonde_error *error) {
    sonde__pool *pool = &g->all->pool;
    const int32_t n = group->n_parameter;
    const uint64_t all = (uint64_t)n * (uint64_t)group->n_column;
    sonde_fit_group *said = SONDE__POOL_TAKE(pool, sonde_fit_group, 1);
    double *mu = SONDE__POOL_TAKE(pool, double, n + 1);
    if (said == NULL || mu == NULL) {
        return sonde__fail_memory(error, "group", 0);
    }
    for (int32_t p = 0; p < n; p++) {
        for (int32_t i = 0; i < g->n; i++) {
            mu[p] += group->prior_mean[(int64_t)i * n + p] / g->n;
        }
    }
    *said = (sonde_fit_group){.n_subject = g->n,
                              .n = n,
                              .name = name_slots(g, n),
                              .n_column = group->n_column,
                              .column = copy_words(pool, design->column, group->n_column),
                              .beta = copy(pool, group->beta, all),
                              .se = copy(pool, group->se, all),
                              .z = copy(pool, group->z, all),
                              .low = copy(pool, group->low, all),
                              .high = copy(pool, group->high, all),
                              .mu = mu,
                              .sd = copy(pool, group->sd, (uint64_t)n),
                              .evidence = group->log_evidence,
                              .n_round = group->n_round,
                              .converged = group->converged,
                              .n_covariate = design->n_covariate,
                              .covariate = copy_words(pool, design->covariate, design->n_covariate),
                              .effect = effect};
    g->all->shown.group = said;
    return said->name != NULL && said->column != NULL && said->beta != NULL && said->se != NULL &&
                   said->z != NULL && said->low != NULL && said->high != NULL && said->sd != NULL &&
                   said->covariate != NULL
               ? SONDE_OK
               : sonde__fail_memory(error, "group", 0);
}

static sonde_status read_design(const gathering *g, sonde__design *design, sonde_error *error) {
    const sonde__fitting *all = g->all;
    if (all->settings.covariates == NULL) {
        return sonde__design_plain(g->n, design, error);
    }
    const char **name = SONDE__POOL_TAKE(&g->all->pool, const char *, g->n + 1);
    if (name == NULL) {
        return sonde__fail_memory(error, "group", 0);
    }
    for (int32_t i = 0; i < g->n; i++) {
        name[i] = all->data->subject[g->who[i]];
    }
    return sonde__design_read(all->settings.covariates, g->n, name, design, error);
}

/* Who is in the group, and what is known of them. */
static sonde_status open_group(sonde__fitting *all, gathering *g, sonde__design *design,
                               sonde_error *error) {
    const sonde_status status = find_members(all, g, error);
    if (status == SONDE_OK && g->n < 2) {
        return sonde__fail(error, SONDE_BAD_INPUT,
                           "%s: a group needs two subjects or more with an action that counts, "
                           "found %d",
                           all->data->origin, g->n);
    }
    return status == SONDE_OK ? read_design(g, design, error) : status;
}

sonde_status sonde__fit_group_check(sonde__fitting *all, sonde_error *error) {
    gathering g = {0};
    sonde__design design = {0};
    sonde__cohort *group = NULL;
    const double usual[] = {0.0, 1.0};
    sonde_status status = open_group(all, &g, &design, error);
    if (status == SONDE_OK) { /* enough subjects for its columns? */
        status = sonde__cohort_new(&design, 1, &usual[0], &usual[1], &group, error);
    }
    sonde__cohort_free(group);
    sonde__design_free(&design);
    return status;
}

sonde_status sonde__fit_group(sonde__fitting *all, sonde__round *round, sonde_error *error) {
    gathering g = {0};
    sonde__design design = {0};
    sonde__cohort *group = NULL;
    sonde_status status = open_group(all, &g, &design, error);
    double *effect = SONDE__POOL_TAKE(&all->pool, double, design.n_covariate + 1);
    if (status == SONDE_OK && effect == NULL) {
        status = sonde__fail_memory(error, "group", 0);
    }
    if (status == SONDE_OK) {
        warm_up(&g, round);
        g.round = round;
        round->stage = "group";
        status = find_group(&g, &design, &group, error);
    }
    if (status == SONDE_OK) {
        status = find_effects(&g, &design, group->log_evidence, effect, error);
    }
    status = status == SONDE_OK ? tell(&g, &design, group, effect, error) : status;
    sonde__cohort_free(group);
    sonde__design_free(&design);
    return status;
}

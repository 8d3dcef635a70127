/* fit_process.c: worlds that change, and outcomes that are known beforehand, as experiments have
 * them. */
#include "base/memory.h"
#include "base/status.h"
#include "sonde_fit.h"

/* what an outcome that nobody knows begins with (sonde_experiment) */
enum { UNKNOWN = -2 };
/* numbers that outcomes of an experiment may take */
#define MOST_OUTCOMES (UINT64_C(1) << 28)

typedef struct {
    sonde_task shown;   /* first, so that it can be freed by its address */
    sonde_stage *stage; /* whose models changes are; or NULL */
    sonde__pool pool;
} process;

void sonde_task_free(sonde_task *shown) {
    process *p = (process *)(void *)shown;
    if (p != NULL) {
        sonde_stage_free(p->stage);
        sonde__pool_free(&p->pool);
        sonde__free(p);
    }
}

/* Lists what a world is at first, and what it becomes. */
static sonde_status list_changes(process *p, const char *path, sonde_error *error) {
    sonde_change one;
    int32_t n = 0;
    while (sonde_stage_change(p->stage, n, &one)) {
        n++;
    }
    sonde_change *change = SONDE__POOL_TAKE(&p->pool, sonde_change, n);
    if (change == NULL) {
        return sonde__fail_memory(error, path, (size_t)n * sizeof *change);
    }
    for (int32_t i = 0; i < n; i++) {
        (void)sonde_stage_change(p->stage, i, &change[i]);
    }
    p->shown.change = change;
    p->shown.n_change = n;
    return SONDE_OK;
}

sonde_status sonde_task_read(const char *path, const sonde_run *run, sonde_task **shown,
                             sonde_error *error) {
    *shown = NULL;
    process *p = sonde__alloc(sizeof *p);
    if (p == NULL) {
        return sonde__fail_memory(error, path, sizeof *p);
    }
    sonde_status status = sonde_stage_read(&(sonde_source){.origin = path}, run, &p->stage, error);
    status = status ? status : list_changes(p, path, error);
    if (status) {
        sonde_task_free(&p->shown);
        return status;
    }
    *shown = &p->shown;
    return SONDE_OK;
}

/* --------------------------------------------------------------------------------- outcomes -- */

/* What is seen in a step after an action, by the rows of a table; NULL: it does not say. */
static const int32_t *find(const sonde_stage *table, const int64_t at[2], int32_t action,
                           sonde_timing timing) {
    const int64_t taken = timing == SONDE_TIMING_AFTER ? at[1] : at[1] - 1;
    const int32_t *found = taken >= 0 ? sonde_stage_outcome(table, at[0], taken, action) : NULL;
    return found != NULL ? found : sonde_stage_outcome(table, at[0], at[1], -1);
}

/* Outcomes of all steps and actions (sonde_experiment). Before the first action nothing may be
 * seen. */
static void look_up(const sonde_stage *table, const sonde_model *model, const sonde_experiment *e,
                    sonde_timing timing, int32_t *outcome) {
    const int32_t n = model->n_modality;
    for (int64_t i = 0; i < (int64_t)e->n_episode * e->n_step; i++) {
        const int64_t at[2] = {i / e->n_step, i % e->n_step};
        const bool first = timing == SONDE_TIMING_BEFORE && at[1] == 0;
        for (int32_t a = 0; a < model->n_action; a++, outcome += n) {
            const int32_t *found = find(table, at, a, timing);
            for (int32_t m = 0; m < n; m++) {
                const int32_t unknown = first ? SONDE_MISSING : UNKNOWN;
                outcome[m] = found != NULL ? found[m] : unknown;
            }
        }
    }
}

static sonde_status take_outcomes(process *p, const sonde_model *model, const sonde_experiment *e,
                                  sonde_timing timing, sonde_error *error) {
    const uint64_t n =
        sonde__multiply(sonde__multiply((uint64_t)e->n_episode, (uint64_t)e->n_step),
                        sonde__multiply((uint64_t)model->n_action, (uint64_t)model->n_modality));
    if (n > MOST_OUTCOMES) {
        return sonde__fail(error, SONDE_TOO_LARGE,
                           "outcomes: those of every step and action are %.3g numbers, more than "
                           "fit; choose fewer episodes or steps",
                           (double)n);
    }
    int32_t *outcome = SONDE__POOL_TAKE(&p->pool, int32_t, n);
    if (outcome == NULL) {
        return sonde__fail_memory(error, "outcomes", n * sizeof *outcome);
    }
    look_up(p->stage, model, e, timing, outcome);
    p->shown.outcome = outcome;
    return SONDE_OK;
}

sonde_status sonde_task_outcomes(const char *path, const sonde_model *model,
                                 const sonde_experiment *experiment, sonde_timing timing,
                                 sonde_task **shown, sonde_error *error) {
    *shown = NULL;
    process *p = sonde__alloc(sizeof *p);
    if (p == NULL) {
        return sonde__fail_memory(error, path, sizeof *p);
    }
    sonde_status status =
        sonde_stage_table(&(sonde_source){.origin = path}, model, &p->stage, error);
    status = status ? status : take_outcomes(p, model, experiment, timing, error);
    if (status) {
        sonde_task_free(&p->shown);
        return status;
    }
    *shown = &p->shown;
    return SONDE_OK;
}

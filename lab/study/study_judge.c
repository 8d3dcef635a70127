/* study_judge.c: how far decisions are from the exact ones.
 *
 * An agent that scores every policy, or proves what the others cannot change, walks through the
 * world; the beliefs it has on its way are put to every other agent. A search that scores the
 * policies S alone has their exact posterior but for the total, so that its total variation from
 * the exact one is the mass it did not look at:
 *
 *     tv = 1 - Z_S / Z,   Z_S = sum over S of exp(-gamma G)
 *
 * Full search is exact. Where it has too much to score the exact decisions are those of bounded
 * search: exact in a graph world, within EPSILON in a model.
 *
 * In closed loop there are no policies, and posteriors are those of actions. A search is compared
 * with the exact posterior of its own backup; what it names is compared by G of the exact recursion
 * that always goes on with the best, so that every search has the same measure. A plan may judge
 * searches of sequences so, too. */
#include <math.h>

#include "base/memory.h"
#include "base/settings.h"
#include "base/status.h"
#include "study/study_world.h"

#define FULL_MAX (UINT64_C(1) << 21) /* policies that full search scores in a moment */
#define EPSILON 1e-9
#define TIE 1e-9 /* relative: two G that differ by less are equal */

void sonde__judge_close(sonde__judge *judge) {
    for (int32_t i = 0; i < judge->n_exact; i++) {
        sonde__free(judge->exact[i].belief); /* one block */
    }
    judge->n_exact = 0;
}

/* What exact decisions are for: those of a search, or in closed loop with a backup. */
typedef struct {
    const sonde_search_settings *like;
    bool closed;
    sonde_backup backup;
    double discount;
    int32_t n;
} wanted;

/* The search that is exact here. */
static sonde_search_settings exact_settings(const sonde__study_world *w, const wanted *want) {
    const sonde_search_settings *like = want->like;
    sonde_search_settings settings = sonde_search_defaults();
    const int32_t origin = like->scope == SONDE_GLOBAL ? SONDE_EVERYWHERE : w->policies->initial;
    const bool few = sonde_policies_size(w->policies, origin) <= FULL_MAX;
    settings.search = sonde__search_with(few ? SONDE__SCORES_ALL : SONDE__CERTIFIES);
    settings.scope = like->scope;
    settings.gamma = like->gamma;
    settings.weights = like->weights;
    settings.epsilon = EPSILON;
    settings.seed = w->seed;
    if (want->closed) {
        settings.loop = SONDE_LOOP_CLOSED;
        settings.search = sonde__search_with(SONDE__CHOOSES);
        settings.backup = want->backup;
        settings.discount = want->discount;
    }
    return settings;
}

static bool reserve(sonde__exact *exact, const sonde_model *model, int32_t n) {
    const size_t n_action = (size_t)model->n_action;
    const size_t one = (size_t)model->n_belief + 2 * n_action + 2;
    double *block = sonde__alloc((size_t)n * one * sizeof *block);
    if (block == NULL) {
        return false;
    }
    exact->n = n;
    exact->n_belief = model->n_belief;
    exact->n_action = model->n_action;
    exact->belief = block;
    exact->posterior = exact->belief + (size_t)n * (size_t)model->n_belief;
    exact->log_evidence = exact->posterior + (size_t)n * n_action;
    exact->least = exact->log_evidence + n;
    exact->efe = exact->least + n;
    return true;
}

/* Puts the belief of decision t to an agent. */
static sonde_status decide(sonde_agent *agent, const sonde__exact *exact, int32_t t,
                           const sonde_decision **decision) {
    const sonde_status status =
        sonde_agent_believe(agent, exact->belief + (int64_t)t * exact->n_belief, NULL);
    return status == SONDE_OK ? sonde_agent_search(agent, decision, NULL) : status;
}

/* Keeps what was decided at step t. */
static void keep(const sonde_decision *decision, sonde__exact *exact, int32_t t) {
    double *posterior = exact->posterior + (int64_t)t * exact->n_action;
    double *efe = exact->efe + (int64_t)t * exact->n_action;
    double least = INFINITY;
    for (int32_t a = 0; a < exact->n_action; a++) {
        posterior[a] = 0.0;
        efe[a] = INFINITY;
    }
    for (int32_t i = 0; i < decision->n_action; i++) {
        posterior[decision->action[i]] = decision->posterior[i];
        if (exact->closed) {
            const double middle = 0.5 * (decision->efe_lower[i] + decision->efe_upper[i]);
            efe[decision->action[i]] = middle;
            least = fmin(least, middle);
        }
    }
    exact->log_evidence[t] = exact->closed ? 0.0 : decision->log_evidence;
    exact->least[t] = exact->closed ? least : decision->best_efe.efe;
    exact->tv = fmax(exact->tv, decision->certificate.given ? decision->certificate.tv : 0);
    exact->name = exact->closed ? sonde_plan_search_name((int32_t)decision->used) : exact->name;
}

/* Lets the exact agent walk, unless another has walked already, and keeps what it decides. */
static sonde_status walk(sonde_agent *agent, const sonde__exact *before, sonde__exact *exact,
                         sonde_error *error) {
    sonde_episode *episode = NULL;
    sonde_status status =
        before == NULL ? sonde_simulate(agent, NULL, exact->n, &episode, error) : SONDE_OK;
    for (int64_t i = 0; i < (int64_t)exact->n * exact->n_belief && status == SONDE_OK; i++) {
        exact->belief[i] = before != NULL ? before->belief[i] : episode->belief[i];
    }
    sonde_episode_free(episode);
    if (status == SONDE_OK) {
        sonde_agent_reset(agent);
    }
    for (int32_t t = 0; t < exact->n && status == SONDE_OK; t++) {
        const sonde_decision *decision = NULL;
        status = decide(agent, exact, t, &decision);
        if (status == SONDE_OK) {
            keep(decision, exact, t);
        }
    }
    return status;
}

/* Whether exact decisions are those that a search should make. */
static bool serves(const sonde__exact *exact, const wanted *want) {
    const sonde_search_settings *like = want->like;
    const sonde_weights *a = &exact->weights;
    const sonde_weights *b = &like->weights;
    const bool same =
        !want->closed || (exact->backup == want->backup && exact->discount == want->discount);
    return exact->closed == want->closed && same && exact->scope == like->scope &&
           exact->gamma == like->gamma && a->utility == b->utility &&
           a->information == b->information && a->cost == b->cost;
}

/* The exact decisions for what is wanted, made on first use, where `before` has walked. */
static sonde_status find(sonde__study_world *w, const wanted *want, const sonde__exact *before,
                         const sonde_run *run, const sonde__exact **found, sonde_error *error) {
    sonde__judge *judge = &w->judge;
    for (int32_t i = 0; i < judge->n_exact; i++) {
        if (serves(&judge->exact[i], want)) {
            *found = &judge->exact[i];
            return SONDE_OK;
        }
    }
    if (judge->n_exact == SONDE__JUDGES_MAX) {
        return sonde__fail(error, SONDE_BAD_INPUT,
                           "judge: expected at most %d combinations of scope, gamma, weights and "
                           "backup on one world, found more; judge them in plans of their own",
                           SONDE__JUDGES_MAX);
    }
    sonde__exact *exact = &judge->exact[judge->n_exact];
    const sonde_search_settings settings = exact_settings(w, want);
    sonde_agent *agent = NULL;
    *exact = (sonde__exact){.closed = want->closed,
                            .backup = want->backup,
                            .discount = want->discount,
                            .scope = want->like->scope,
                            .gamma = want->like->gamma,
                            .weights = want->like->weights,
                            .name = sonde_plan_search_name((int32_t)settings.search)};
    if (!reserve(exact, w->model, want->n)) {
        return sonde__fail_memory(error, "judge", (uint64_t)want->n);
    }
    judge->n_exact++;
    sonde_status status = sonde_agent_new(w->policies, &settings, run, &agent, error);
    if (status == SONDE_OK) {
        status = walk(agent, before, exact, error);
    }
    sonde_agent_free(agent);
    *found = exact;
    return status;
}

/* Half the summed differences of two posteriors of the actions. */
static double action_distance(const sonde_decision *decision, const double *posterior,
                              int32_t n_action) {
    double sum = 0.0;
    int32_t i = 0;
    for (int32_t a = 0; a < n_action; a++) {
        const bool here = i < decision->n_action && decision->action[i] == a;
        sum += fabs(posterior[a] - (here ? decision->posterior[i] : 0.0));
        i += here ? 1 : 0;
    }
    return 0.5 * sum;
}

/* The most probable action of a decision, the lowest of several. */
static int32_t named(const sonde_decision *decision) {
    int32_t best = 0;
    for (int32_t i = 1; i < decision->n_action; i++) {
        best = decision->posterior[i] > decision->posterior[best] + TIE ? i : best;
    }
    return decision->action[best];
}

/* How a decision does: its posterior beside the exact one of its kind, and what it names beside the
 * best. */
static void compare(const sonde__exact *exact, const sonde__exact *best, int32_t t,
                    const sonde_decision *decision, sonde__verdict *sum) {
    const double missing = decision->log_evidence - exact->log_evidence[t];
    const double apart =
        action_distance(decision, exact->posterior + (int64_t)t * exact->n_action, exact->n_action);
    const double efe = exact->closed ? best->efe[(int64_t)t * best->n_action + named(decision)]
                                     : decision->best_efe.efe;
    const double regret = fmax(efe - best->least[t], 0.0);
    sum->n++;
    sum->n_best += regret <= TIE * (1.0 + fabs(best->least[t])) ? 1 : 0;
    sum->tv += exact->closed ? apart : missing < 0.0 ? -expm1(missing) : 0.0;
    sum->action_tv += apart;
    sum->bound += decision->certificate.given ? decision->certificate.tv : (double)NAN;
    sum->regret += regret;
    sum->equivalent += decision->evaluations.equivalent;
}

sonde_status sonde__judge_agent(sonde__study_world *w, const sonde_study_plan *plan,
                                sonde_agent *agent, const sonde_run *run, sonde__verdict *verdict,
                                sonde_error *error) {
    const sonde_search_settings *settings = sonde_agent_settings(agent);
    const bool looks = settings->loop == SONDE_LOOP_CLOSED;
    const int32_t n = plan->n_judge;
    wanted want = {.like = settings,
                   .n = n,
                   .closed = looks || (plan->judge_loop == SONDE_LOOP_CLOSED && w->size < 0),
                   .backup = SONDE_BACKUP_MIN,
                   .discount = looks ? settings->discount : w->model->discount};
    const sonde__exact *best = NULL;
    const sonde__exact *exact = NULL;
    sonde__verdict sum = {0};
    sonde_status status = find(w, &want, NULL, run, &best, error);
    if (status == SONDE_OK) {
        want.backup = looks         ? settings->backup
                      : want.closed ? SONDE_BACKUP_FREE_ENERGY
                                    : SONDE_BACKUP_MIN;
        status = find(w, &want, best, run, &exact, error);
    }
    if (status != SONDE_OK || exact == NULL || best == NULL) {
        return status;
    }
    sonde_agent_reset(agent);
    for (int32_t t = 0; t < n && status == SONDE_OK; t++) {
        const sonde_decision *decision = NULL;
        status = decide(agent, exact, t, &decision);
        if (status == SONDE_OK) {
            compare(exact, best, t, decision, &sum);
        }
    }
    sum.tv /= n;
    sum.action_tv /= n;
    sum.bound /= n;
    sum.regret /= n;
    sum.equivalent /= n;
    sum.exact = exact->name;
    sum.exact_tv = exact->tv;
    *verdict = sum;
    return status;
}

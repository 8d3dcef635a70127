/* naive.h: decisions made the long way, every policy on its own, to compare searches with. */
#ifndef TESTS_SEARCH_NAIVE_H
#define TESTS_SEARCH_NAIVE_H

#include "efe/efe.h"
#include "stages.h"

/* ------------------------------------------------------------------------ scored policies -- */

/* Policies in the order in which they are scored. */
typedef struct {
    int32_t origin;
    int32_t state;
    int32_t n;
    uint64_t *policy; /* (n) */
    double *efe;      /* (n) */
    int32_t *action;  /* (n) the first of each */
    uint64_t n_step;  /* prefixes that had to be scored, what the one before shares left out */
} scored;

/* `list` (n), or NULL for policies 0 to n - 1. */
static inline scored score(const space *s, int32_t origin, int32_t state, const int32_t *list,
                           int32_t n) {
    const int32_t horizon = s->policies->horizon;
    scored all = {.origin = origin, .state = state, .n = n};
    all.policy = room((uint64_t)n, sizeof(uint64_t));
    all.efe = room((uint64_t)n, sizeof(double));
    all.action = room((uint64_t)n, sizeof(int32_t));
    int32_t *before = room((uint64_t)horizon + 1, sizeof *before);
    int32_t *walk = room((uint64_t)horizon + 1, sizeof *walk);
    before[0] = -1;
    for (int32_t i = 0; i < n; i++) {
        sonde_efe total;
        all.policy[i] = (uint64_t)(list != NULL ? list[i] : i);
        sonde_policies_get(s->policies, origin, all.policy[i], walk, NULL);
        walk_efe(s->model, state, walk, NULL, NULL, &total);
        all.efe[i] = total.efe;
        all.action[i] = sonde_model_from_tuple(s->model, walk);
        int32_t same = 0;
        while (same <= horizon && walk[same] == before[same]) {
            same++;
        }
        all.n_step += (uint64_t)(horizon + 1 - (same > 0 ? same : 1));
        memcpy(before, walk, ((size_t)horizon + 1) * sizeof *walk);
    }
    free(walk);
    free(before);
    return all;
}

static inline scored score_all(const space *s, int32_t origin, int32_t state) {
    return score(s, origin, state, NULL, (int32_t)sonde_policies_size(s->policies, origin));
}

static inline void scored_free(scored *all) {
    free(all->policy);
    free(all->efe);
    free(all->action);
}

static inline double least_of(const scored *all) {
    double least = all->efe[0];
    for (int32_t i = 1; i < all->n; i++) {
        least = all->efe[i] < least ? all->efe[i] : least;
    }
    return least;
}

/* The lowest policy whose G is the least, to rounding. */
static inline uint64_t best_of(const scored *all) {
    const double least = least_of(all);
    uint64_t best = UINT64_MAX;
    for (int32_t i = 0; i < all->n; i++) {
        if (all->efe[i] <= least + 1e-12 * (1.0 + least) && all->policy[i] < best) {
            best = all->policy[i];
        }
    }
    return best;
}

/* Q(policy) = exp(-gamma G) / sum, (n); the log of the sum goes to `log_evidence`. */
static inline double *softmax_of(const scored *all, double gamma, double *log_evidence) {
    double *q = room((uint64_t)all->n, sizeof *q);
    const double least = least_of(all);
    long double sum = 0.0L;
    for (int32_t i = 0; i < all->n; i++) {
        sum += expl((long double)gamma * ((long double)least - (long double)all->efe[i]));
    }
    for (int32_t i = 0; i < all->n; i++) {
        q[i] = (double)(expl((long double)gamma * ((long double)least - (long double)all->efe[i])) /
                        sum);
    }
    *log_evidence = (double)(logl(sum) - (long double)gamma * (long double)least);
    return q;
}

/* -------------------------------------------------------------------------- comparisons -- */

/* Posterior of the actions, and of the nodes they lead to, where invalid ones mean staying. */
static inline void assert_actions(const space *s, const sonde_decision *d, const scored *all,
                                  const double *q) {
    double *action = room((uint64_t)s->model->n_action, sizeof *action);
    bool *starts = room((uint64_t)s->model->n_action, sizeof *starts);
    double *next = room((uint64_t)s->model->n_state, sizeof *next);
    bool *reached = room((uint64_t)s->model->n_state, sizeof *reached);
    for (int32_t i = 0; i < all->n; i++) {
        int32_t edge[2] = {-1, -1};
        (void)sonde_model_tuple(s->model, all->action[i], edge);
        const int32_t to = edge[0] == d->state ? edge[1] : s->graph->self[s->graph->head[d->state]];
        action[all->action[i]] += q[i];
        starts[all->action[i]] = true;
        next[to] += q[i];
        reached[to] = true;
    }
    int32_t n = 0;
    for (int32_t a = 0; a < s->model->n_action; a++) {
        if (starts[a]) {
            assert_true(n < d->n_action);
            assert_int_equal(d->action[n], a);
            assert_near(d->posterior[n], action[a], 1e-12);
            n++;
        }
    }
    assert_int_equal(d->n_action, n);
    n = 0;
    for (int32_t e = 0; e < s->model->n_state; e++) {
        if (reached[e]) {
            assert_true(n < d->n_to);
            assert_int_equal(d->to[n], s->graph->head[e]);
            assert_near(d->to_posterior[n], next[e], 1e-12);
            n++;
        }
    }
    assert_int_equal(d->n_to, n);
    free(reached);
    free(next);
    free(starts);
    free(action);
}

/* Everything a decision says of the policies it scored; `n_probe` were probed before. What was
 * scored to make clusters is for others to count. */
static inline void assert_decision(const space *s, const sonde_decision *d, const scored *all,
                                   double gamma, uint64_t n_probe) {
    const uint64_t horizon = (uint64_t)s->policies->horizon;
    double log_evidence = 0.0;
    double *q = softmax_of(all, gamma, &log_evidence);
    assert_int_equal(d->state, all->state);
    assert_int_equal(d->origin, all->origin);
    assert_actions(s, d, all, q);
    assert_int_equal(d->best, best_of(all));
    assert_int_equal(sonde_policies_find(s->policies, d->origin, d->best_walk), d->best);
    sonde_efe total;
    walk_efe(s->model, d->state, d->best_walk, NULL, NULL, &total);
    assert_memory_equal(&total, &d->best_efe, sizeof total);
    assert_near(d->log_evidence, log_evidence, 1e-12 * (1.0 + fabs(log_evidence)));
    assert_int_equal(d->drawn, UINT64_MAX);
    assert_int_equal(d->evaluations.n_policy, (uint64_t)all->n + n_probe);
    assert_int_equal(d->evaluations.n_step, all->n_step + n_probe * horizon);
    assert_true(d->clusters != NULL || d->evaluations.n_setup_step == 0);
    assert_near(d->evaluations.equivalent, (double)d->evaluations.n_step / (double)horizon, 0.0);
    assert_true(d->seconds >= d->setup_seconds && d->setup_seconds >= 0.0);
    free(q);
}

/* --------------------------------------------------------------------- clustered search -- */

/* The clusters an agent with these settings (and none of the differences) has for an origin. */
static inline sonde_clusters *clusters_like(const space *s, const sonde_search_settings *settings,
                                            int32_t origin) {
    embedded e = {0};
    sonde_embed_settings embed = settings->embed;
    embed.seed = settings->seed;
    assert_int_equal(sonde_embedder_new(s->policies, &embed, NULL, &e.embedder, NULL), SONDE_OK);
    if (origin != SONDE_EVERYWHERE) {
        sonde_embedder_aim(e.embedder, (sonde_present){.state = origin}, NULL);
    }
    assert_int_equal(sonde_embedding_new(e.embedder, origin, NULL, &e.rows, NULL), SONDE_OK);
    sonde_cluster_settings cluster = settings->cluster;
    cluster.seed = settings->seed;
    cluster.stream = origin == SONDE_EVERYWHERE ? 0 : (uint64_t)origin + 1;
    sonde_clusters *clusters = NULL;
    assert_int_equal(sonde_clusters_fit(e.rows, &cluster, NULL, &clusters, NULL), SONDE_OK);
    embedded_free(&e);
    return clusters;
}

/* Mean G of some policies from `state`. */
static inline double mean_efe(const space *s, int32_t origin, int32_t state, const int32_t *list,
                              int32_t n) {
    scored some = score(s, origin, state, list, n);
    double sum = 0.0;
    for (int32_t i = 0; i < n; i++) {
        sum += some.efe[i];
    }
    scored_free(&some);
    return sum / (double)n;
}

/* The `n_top` clusters with the smallest values, ties to the lowest. */
static inline void choose_naively(const double *value, int32_t k, int32_t n_top, bool *chosen) {
    for (int32_t i = 0; i < n_top; i++) {
        int32_t best = -1;
        for (int32_t c = 0; c < k; c++) {
            const bool better =
                best < 0 || value[c] < value[best] - 1e-12 * (1.0 + fabs(value[best]));
            if (!chosen[c] && !isnan(value[c]) && better) {
                best = c;
            }
        }
        if (best >= 0) {
            chosen[best] = true;
        }
    }
}

/* The members of all clusters chosen, cluster by cluster. */
static inline int32_t *members_of(const sonde_clusters *clusters, const bool *chosen, int32_t *n) {
    int32_t *list = room((uint64_t)clusters->n_policy, sizeof *list);
    *n = 0;
    for (int32_t c = 0; c < clusters->k; c++) {
        for (int32_t i = clusters->offset[c]; chosen[c] && i < clusters->offset[c + 1]; i++) {
            list[(*n)++] = clusters->member[i];
        }
    }
    return list;
}

/* A clustered decision, given the clusters it should be about and the value of each probe. */
static inline void assert_clustered(const space *s, const sonde_decision *d,
                                    const sonde_search_settings *settings,
                                    const sonde_clusters *clusters, const double *value,
                                    uint64_t n_probe) {
    assert_same_clusters(d->clusters, clusters);
    bool *chosen = room((uint64_t)clusters->k, sizeof *chosen);
    for (int32_t c = 0; c < clusters->k; c++) {
        assert_near(d->cluster_efe[c], value[c], 1e-12 * (1.0 + fabs(value[c])));
    }
    choose_naively(value, clusters->k, settings->n_top, chosen);
    assert_memory_equal(d->chosen, chosen, (size_t)clusters->k * sizeof *chosen);
    int32_t n = 0;
    int32_t *list = members_of(clusters, chosen, &n);
    scored all = score(s, d->origin, d->state, list, n);
    assert_decision(s, d, &all, settings->gamma, n_probe);
    scored_free(&all);
    free(list);
    free(chosen);
}

/* G of each cluster's representative, looked up among the policies of `origin`. */
static inline double *probe_centers(const space *s, const sonde_clusters *clusters, int32_t origin,
                                    int32_t state) {
    double *value = room((uint64_t)clusters->k, sizeof *value);
    for (int32_t c = 0; c < clusters->k; c++) {
        value[c] = mean_efe(s, origin, state, &clusters->representative[c], 1);
    }
    return value;
}

/* Mean G of all members of each cluster. */
static inline double *probe_members(const space *s, const sonde_clusters *clusters, int32_t origin,
                                    int32_t state) {
    double *value = room((uint64_t)clusters->k, sizeof *value);
    for (int32_t c = 0; c < clusters->k; c++) {
        const int32_t begin = clusters->offset[c];
        value[c] =
            mean_efe(s, origin, state, clusters->member + begin, clusters->offset[c + 1] - begin);
    }
    return value;
}

/* ------------------------------------------------------------------------- several steps -- */

/* Lets an agent observe, search and act, and hands every decision to `check`. */
typedef void (*inspector)(const space *s, const sonde_search_settings *settings,
                          const sonde_decision *decision);

static inline void inspect_steps(const space *s, const sonde_search_settings *settings,
                                 int32_t n_step, inspector check) {
    sonde_agent *agent = agent_of(s, settings, NULL);
    int32_t state = s->graph->start;
    for (int32_t t = 0; t < n_step; t++) {
        const sonde_decision *decision = NULL;
        sonde_agent_observe(agent, &state, NULL);
        assert_int_equal(sonde_agent_search(agent, &decision, NULL), SONDE_OK);
        assert_int_equal(decision->state, state);
        check(s, settings, decision);
        state = sonde_model_next(s->model, state, sonde_agent_act(agent));
    }
    sonde_agent_free(agent);
}

#endif

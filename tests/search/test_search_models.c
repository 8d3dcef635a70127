/* uses threads */
/* Search on general models, against a softmax over every policy. */
#include "random_models.h"
#include "efe/efe.h"
#include "stages.h"

static sonde_search_settings full(double gamma) {
    sonde_search_settings settings = cluster_defaults();
    settings.search = SONDE_SEARCH_FULL;
    settings.gamma = gamma;
    return settings;
}

/* An agent that believes what the setting says: the model's own D. */
static thought decide(const setting *s, const sonde_search_settings *settings,
                      const sonde_run *run) {
    thought t = {0};
    sonde_error error = {0};
    if (sonde_agent_new(s->policies, settings, run, &t.agent, &error) != SONDE_OK) {
        fail_msg("%s", error.text);
    }
    assert_int_equal(sonde_agent_search(t.agent, &t.decision, NULL), SONDE_OK);
    return t;
}

/* A setting whose belief is where its model begins. */
static setting beginning(uint64_t seed, int32_t what, double most) {
    setting s = setting_drawn(seed, what, most);
    sonde_belief_initial(s.model, s.belief);
    s.origin = s.policies->initial;
    return s;
}

/* ------------------------------------------------------------------------------- the twin -- */

/* Some policies, and what they are worth. */
typedef struct {
    int32_t n;
    uint64_t *policy; /* (n) ascending */
    double *efe;      /* (n) */
    double *q;        /* (n) Q(policy) */
    int32_t *first;   /* (n) the first action of each */
    double log_evidence;
} judged;

/* Fills in Q = E exp(-gamma G) / sum. */
static void judge(const sonde_model *model, double gamma, judged *all) {
    long double most = -INFINITY;
    long double sum = 0.0L;
    for (int32_t i = 0; i < all->n; i++) {
        const double E = model->E != NULL ? model->E[all->policy[i]] : 1.0;
        const long double x = logl((long double)E) - (long double)gamma * (long double)all->efe[i];
        most = x > most ? x : most;
    }
    for (int32_t i = 0; i < all->n; i++) {
        const double E = model->E != NULL ? model->E[all->policy[i]] : 1.0;
        const long double x = logl((long double)E) - (long double)gamma * (long double)all->efe[i];
        all->q[i] = (double)expl(x - most);
        sum += expl(x - most);
    }
    for (int32_t i = 0; i < all->n; i++) {
        all->q[i] = (double)(all->q[i] / sum);
    }
    all->log_evidence = (double)(most + logl(sum));
}

/* All policies, or those that are listed. */
static judged judge_some(const setting *s, double gamma, const uint64_t *list, int32_t n) {
    judged all = {.n = list != NULL ? n : (int32_t)sonde_policies_size(s->policies, s->origin)};
    all.policy = room((uint64_t)all.n, sizeof *all.policy);
    all.efe = room((uint64_t)all.n, sizeof *all.efe);
    all.q = room((uint64_t)all.n, sizeof *all.q);
    all.first = room((uint64_t)all.n, sizeof *all.first);
    int32_t walk[16];
    for (int32_t i = 0; i < all.n; i++) {
        sonde_efe total;
        all.policy[i] = list != NULL ? list[i] : (uint64_t)i;
        sonde_policies_get(s->policies, s->origin, all.policy[i], walk, NULL);
        belief_efe(s->model, s->belief, walk, NULL, &total);
        all.efe[i] = total.efe;
        all.first[i] = walk[1];
    }
    judge(s->model, gamma, &all);
    return all;
}

static void judged_free(judged *all) {
    free(all->policy);
    free(all->efe);
    free(all->q);
    free(all->first);
}

/* The lowest policy whose G is the least, to rounding. */
static uint64_t best_of(const judged *all) {
    double least = all->efe[0];
    for (int32_t i = 1; i < all->n; i++) {
        least = all->efe[i] < least ? all->efe[i] : least;
    }
    uint64_t best = UINT64_MAX;
    for (int32_t i = 0; i < all->n; i++) {
        const bool tied = all->efe[i] <= least + 1e-12 * (1.0 + fabs(least));
        best = tied && all->policy[i] < best ? all->policy[i] : best;
    }
    return best;
}

/* Summed Q of each first action, and of each factor's own. */
static void assert_posterior(const setting *s, const sonde_decision *d, const judged *all) {
    double *action = room((uint64_t)s->model->n_action, sizeof *action);
    bool *starts = room((uint64_t)s->model->n_action, sizeof *starts);
    double marginal[64] = {0.0};
    for (int32_t i = 0; i < all->n; i++) {
        int32_t tuple[SONDE_FACTORS_MAX];
        int32_t at = 0;
        action[all->first[i]] += all->q[i];
        starts[all->first[i]] = true;
        sonde_model_tuple(s->model, all->first[i], tuple);
        for (int32_t f = 0; f < s->model->n_factor; f++) {
            marginal[at + tuple[f]] += all->q[i];
            at += s->model->factor[f].n_action;
        }
    }
    int32_t n = 0;
    for (int32_t u = 0; u < s->model->n_action; u++) {
        if (starts[u]) {
            assert_true(n < d->n_action);
            assert_int_equal(d->action[n], u);
            assert_near(d->posterior[n++], action[u], 1e-11);
        }
    }
    assert_int_equal(d->n_action, n);
    int32_t n_each = 0;
    for (int32_t f = 0; f < s->model->n_factor; f++) {
        n_each += s->model->factor[f].n_action;
    }
    for (int32_t i = 0; i < n_each; i++) {
        assert_near(d->marginal[i], marginal[i], 1e-11);
    }
    free(starts);
    free(action);
}

static void assert_best(const setting *s, const sonde_decision *d, const judged *all) {
    int32_t walk[16];
    sonde_efe total;
    assert_int_equal(d->best, best_of(all));
    sonde_policies_get(s->policies, s->origin, d->best, walk, NULL);
    assert_memory_equal(d->best_walk, walk, ((size_t)s->model->horizon + 1) * sizeof *walk);
    belief_efe(s->model, s->belief, walk, NULL, &total);
    assert_memory_equal(&d->best_efe, &total, sizeof total);
}

static void assert_decision(const setting *s, const sonde_decision *d, const judged *all) {
    assert_int_equal(d->origin, s->origin);
    assert_int_equal(d->n_followed, 0);
    assert_int_equal(d->n_to, 0);
    assert_posterior(s, d, all);
    assert_best(s, d, all);
    assert_near(d->log_evidence, all->log_evidence, 1e-11 * (1.0 + fabs(all->log_evidence)));
    assert_near(d->evaluations.equivalent,
                (double)d->evaluations.n_step / (double)s->model->horizon, 0.0);
}

/* ---------------------------------------------------------------------------- full search -- */

enum { EVERY_KIND = DRAW_COUPLED | DRAW_ALLOWED | DRAW_LISTED };

static void the_posterior_is_the_softmax_over_every_policy(void **state) {
    (void)state;
    const double gamma[] = {0.0, 0.3, 1.0, 16.0, 300.0};
    int32_t n_prior = 0;
    for (uint64_t seed = 0; seed < 400; seed++) {
        setting s = beginning(seed, EVERY_KIND, 800);
        const sonde_search_settings settings = full(gamma[seed % 5]);
        thought t = decide(&s, &settings, NULL);
        judged all = judge_some(&s, settings.gamma, NULL, 0);
        assert_decision(&s, t.decision, &all);
        assert_int_equal(t.decision->evaluations.n_policy, all.n);
        assert_null(t.decision->clusters);
        n_prior += s.model->E != NULL;
        judged_free(&all);
        thought_free(&t);
        setting_free(&s);
    }
    assert_true(n_prior > 30);
}

static void gamma_is_the_models_where_nobody_gives_another(void **state) {
    (void)state;
    setting s = setting_of(model_of(
        "{\"format\": \"sonde-model\", \"version\": 1, \"horizon\": 2, \"gamma\": 3,"
        " \"factors\": [{\"states\": 2, \"actions\": 2}], \"modalities\": [{\"outcomes\": 2}],"
        " \"A\": [[[0.9, 0.2], [0.1, 0.8]]], \"C\": [[1, 0]], \"D\": [[0.5, 0.5]],"
        " \"B\": [[[[1, 0.3], [0.4, 0]], [[0, 0.7], [0.6, 1]]]]}"));
    const sonde_search_settings settings = full(SONDE_GAMMA_DEFAULT);
    thought t = decide(&s, &settings, NULL);
    judged all = judge_some(&s, 3.0, NULL, 0);
    assert_decision(&s, t.decision, &all);
    assert_near(sonde_agent_settings(t.agent)->gamma, 3.0, 0.0);
    judged_free(&all);
    thought_free(&t);
    setting_free(&s);
}

#define TWO_POLICIES(E)                                                                            \
    "{\"format\": \"sonde-model\", \"version\": 1, \"horizon\": 1,"                                \
    " \"factors\": [{\"states\": 2, \"actions\": 3}], \"modalities\": [{\"outcomes\": 2}],"        \
    " \"A\": [[[1, 0], [0, 1]]], \"C\": [[1000, 0]], \"D\": [[1, 0]],"                             \
    " \"preferences\": \"utility\", \"policies\": [[[0]], [[1]], [[1]]], \"E\": " E ","            \
    " \"B\": [[[[1, 0, 0], [1, 0, 0]], [[0, 1, 1], [0, 1, 1]]]]}"

/* a policy that is never taken counts for nothing, however much better it were */
static void a_policy_without_prior_takes_nothing_from_the_others(void **state) {
    (void)state;
    setting s = setting_of(model_of(TWO_POLICIES("[0, 1, 3]")));
    for (int32_t i = 0; i < 2; i++) {
        sonde_search_settings settings = full(16.0);
        settings.search = (sonde_search_kind)i;
        settings.cluster.k = 1;
        thought t = decide(&s, &settings, NULL);
        assert_int_equal(t.decision->n_action, 2);
        assert_near(t.decision->posterior[0], 0.0, 0.0);
        assert_near(t.decision->posterior[1], 1.0, 1e-15);
        assert_int_equal(sonde_agent_act(t.agent), 1);
        thought_free(&t);
    }
    setting_free(&s);
}

/* clusters of such policies are not chosen */
static void a_cluster_without_prior_is_not_chosen(void **state) {
    (void)state;
    setting s = setting_of(model_of(TWO_POLICIES("[0, 1, 3]")));
    for (int32_t i = 0; i < 2; i++) {
        sonde_search_settings settings = cluster_defaults();
        settings.cluster.k = 2;
        settings.probe = (sonde_probe)i;
        thought t = decide(&s, &settings, NULL);
        assert_int_equal(t.decision->clusters->k, 2);
        assert_int_equal(t.decision->n_action, 1);
        assert_int_equal(t.decision->action[0], 1);
        assert_near(t.decision->posterior[0], 1.0, 1e-15);
        thought_free(&t);
    }
    setting_free(&s);
}

/* ------------------------------------------------------------------------------- actions -- */

/* What the rule makes of some summed probabilities. */
static void apply_naively(const sonde_search_settings *settings, int32_t n, const double *summed,
                          double *p) {
    double sum = 0.0;
    int32_t best = 0;
    for (int32_t i = 1; i < n; i++) {
        best = summed[i] > summed[best] + 1e-12 ? i : best;
    }
    for (int32_t i = 0; i < n; i++) {
        p[i] = settings->action == SONDE_ACTION_MARGINAL  ? pow(summed[i], settings->alpha)
               : settings->action == SONDE_ACTION_SOFTMAX ? exp(settings->alpha * summed[i])
               : settings->action == SONDE_ACTION_FULL    ? summed[i]
                                                          : (double)(i == best);
        sum += p[i];
    }
    for (int32_t i = 0; i < n; i++) {
        p[i] /= sum;
    }
}

/* As often as probable: what thirty thousand draws from one decision give. */
static void assert_draws(const setting *s, thought *t, const double *wanted) {
    enum { N_DRAW = 30000 };
    int64_t *count = room((uint64_t)s->model->n_action, sizeof *count);
    double *expected = room((uint64_t)s->model->n_action, sizeof *expected);
    for (int32_t i = 0; i < N_DRAW; i++) {
        const int32_t action = sonde_agent_act(t->agent);
        assert_in_range(action, 0, s->model->n_action - 1);
        count[action]++;
    }
    for (int32_t u = 0; u < s->model->n_action; u++) {
        expected[u] = N_DRAW * wanted[u];
    }
    assert_drawn_from(s->model->n_action, count, expected);
    free(expected);
    free(count);
}

static void rules_draw_the_action_from_what_they_say(void **state) {
    (void)state;
    const double alpha[] = {1.0, 0.0, 3.0, 0.5};
    for (uint64_t seed = 0; seed < 48; seed++) {
        setting s = beginning(seed, EVERY_KIND, 60);
        sonde_search_settings settings = full(1.0);
        settings.action = (sonde_action_rule)(seed % 4);
        settings.alpha = alpha[seed / 4 % 4];
        thought t = decide(&s, &settings, NULL);
        double *wanted = room((uint64_t)s.model->n_action, sizeof *wanted);
        double *summed = room((uint64_t)s.model->n_action, sizeof *summed);
        apply_naively(&settings, t.decision->n_action, t.decision->posterior, summed);
        for (int32_t i = 0; i < t.decision->n_action; i++) {
            assert_near(t.decision->probability[i], summed[i], 1e-12);
            wanted[t.decision->action[i]] = summed[i];
        }
        assert_draws(&s, &t, wanted);
        free(summed);
        free(wanted);
        thought_free(&t);
        setting_free(&s);
    }
}

static void per_factor_rules_draw_each_factor_on_its_own(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 36; seed++) {
        setting s = beginning(seed, EVERY_KIND, 60);
        sonde_search_settings settings = full(1.0);
        const sonde_action_rule rule[] = {SONDE_ACTION_MARGINAL, SONDE_ACTION_DETERMINISTIC,
                                          SONDE_ACTION_SOFTMAX};
        settings.action = rule[seed % 3];
        settings.alpha = 2.0;
        settings.per_factor = true;
        thought t = decide(&s, &settings, NULL);
        double chance[64];
        double *wanted = room((uint64_t)s.model->n_action, sizeof *wanted);
        for (int32_t f = 0, at = 0; f < s.model->n_factor; f++) {
            apply_naively(&settings, s.model->factor[f].n_action, t.decision->marginal + at,
                          chance + at);
            at += s.model->factor[f].n_action;
        }
        for (int32_t u = 0; u < s.model->n_action; u++) {
            int32_t tuple[SONDE_FACTORS_MAX];
            int32_t at = 0;
            sonde_model_tuple(s.model, u, tuple);
            wanted[u] = 1.0;
            for (int32_t f = 0; f < s.model->n_factor; f++) {
                wanted[u] *= chance[at + tuple[f]];
                at += s.model->factor[f].n_action;
            }
        }
        assert_draws(&s, &t, wanted);
        free(wanted);
        thought_free(&t);
        setting_free(&s);
    }
}

/* whatever the other policies that begin with the same action add up to */
static void rule_best_takes_the_first_action_of_the_most_probable_policy(void **state) {
    (void)state;
    int32_t n_other = 0;
    for (uint64_t seed = 0; seed < 200; seed++) {
        setting s = beginning(seed, EVERY_KIND, 200);
        sonde_search_settings settings = full(0.7);
        settings.action = SONDE_ACTION_BEST;
        settings.search = (sonde_search_kind)(seed % 2);
        settings.cluster.k = 1;
        thought t = decide(&s, &settings, NULL);
        judged all = judge_some(&s, 0.7, NULL, 0);
        int32_t best = 0;
        for (int32_t i = 1; i < all.n; i++) {
            best = all.q[i] > all.q[best] * (1.0 + 1e-11) ? i : best;
        }
        double most = 0.0;
        double taken = 0.0;
        for (int32_t i = 0; i < t.decision->n_action; i++) {
            const bool is_best = t.decision->action[i] == all.first[best];
            assert_near(t.decision->probability[i], is_best ? 1.0 : 0.0, 0.0);
            most = t.decision->posterior[i] > most ? t.decision->posterior[i] : most;
            taken = is_best ? t.decision->posterior[i] : taken;
        }
        n_other += taken < most;
        assert_int_equal(sonde_agent_act(t.agent), all.first[best]);
        judged_free(&all);
        thought_free(&t);
        setting_free(&s);
    }
    assert_true(n_other > 10);
}

/* the policy that was drawn begins with the action that was taken, as often as Q says */
static void rule_full_draws_whole_policies(void **state) {
    (void)state;
    enum { N_DRAW = 5000 };
    for (uint64_t seed = 0; seed < 12; seed++) {
        setting s = beginning(seed, EVERY_KIND, 40);
        sonde_search_settings settings = full(0.7);
        settings.action = SONDE_ACTION_FULL;
        thought t = decide(&s, &settings, NULL);
        judged all = judge_some(&s, 0.7, NULL, 0);
        int64_t *count = room((uint64_t)all.n, sizeof *count);
        double *expected = room((uint64_t)all.n, sizeof *expected);
        for (int32_t i = 0; i < N_DRAW; i++) {
            const int32_t action = sonde_agent_act(t.agent);
            assert_true(t.decision->drawn < (uint64_t)all.n);
            assert_int_equal(action, all.first[t.decision->drawn]);
            count[t.decision->drawn]++;
        }
        for (int32_t i = 0; i < all.n; i++) {
            expected[i] = N_DRAW * all.q[i];
        }
        assert_drawn_from(all.n, count, expected);
        free(expected);
        free(count);
        judged_free(&all);
        thought_free(&t);
        setting_free(&s);
    }
}

/* every action does the same */
static void ties_go_to_the_lowest_policy_and_action(void **state) {
    (void)state;
    for (int32_t i = 0; i < 2; i++) {
        setting s = setting_of(model_of(
            "{\"format\": \"sonde-model\", \"version\": 1, \"horizon\": 3,"
            " \"factors\": [{\"states\": 2, \"actions\": 3}, {\"states\": 2, \"actions\": 2}],"
            " \"modalities\": [{\"outcomes\": 2}], \"C\": [[1, 0]], \"D\": [[0.3, 0.7], [1, 0]],"
            " \"A\": [[[[0.9, 0.2], [0.5, 0.5]], [[0.1, 0.8], [0.5, 0.5]]]],"
            " \"B\": [[[[0.1, 0.1, 0.1], [0.6, 0.6, 0.6]], [[0.9, 0.9, 0.9], [0.4, 0.4, 0.4]]],"
            " [[[0.2, 0.2], [1, 1]], [[0.8, 0.8], [0, 0]]]]}"));
        sonde_search_settings settings = full(2.0);
        settings.action = SONDE_ACTION_DETERMINISTIC;
        settings.per_factor = i == 1;
        thought t = decide(&s, &settings, NULL);
        assert_int_equal(t.decision->best, 0);
        for (int32_t u = 0; u < 6; u++) {
            assert_near(t.decision->posterior[u], 1.0 / 6.0, 1e-14);
        }
        assert_int_equal(sonde_agent_act(t.agent), 0);
        thought_free(&t);
        setting_free(&s);
    }
}

/* -------------------------------------------------------------------------- clustered search -- */

static void with_one_cluster_clustered_search_is_full_search(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 150; seed++) {
        setting s = beginning(seed, EVERY_KIND, 300);
        sonde_search_settings settings = full(1.0);
        thought whole = decide(&s, &settings, NULL);
        settings.search = SONDE_SEARCH_CLUSTER;
        settings.cluster.k = 1;
        thought one = decide(&s, &settings, NULL);
        const sonde_decision *a = whole.decision;
        const sonde_decision *b = one.decision;
        assert_int_equal(a->n_action, b->n_action);
        for (int32_t i = 0; i < a->n_action; i++) {
            assert_int_equal(a->action[i], b->action[i]);
            assert_near(a->posterior[i], b->posterior[i], 1e-12);
        }
        assert_int_equal(a->best, b->best);
        assert_near(a->log_evidence, b->log_evidence, 1e-11 * (1.0 + fabs(a->log_evidence)));
        assert_int_equal(b->evaluations.n_policy, a->evaluations.n_policy + 1);
        assert_int_equal(b->evaluations.n_step, a->evaluations.n_step + (uint64_t)s.model->horizon);
        thought_free(&one);
        thought_free(&whole);
        setting_free(&s);
    }
}

/* The policies of the clusters that were chosen, ascending. */
static uint64_t *chosen_policies(const sonde_decision *d, int32_t *n) {
    uint64_t *list = room((uint64_t)d->clusters->n_policy, sizeof *list);
    *n = 0;
    for (int32_t i = 0; i < d->clusters->n_policy; i++) {
        if (d->chosen[d->clusters->label[i]]) {
            list[(*n)++] = sonde_clusters_policy(d->clusters, i);
        }
    }
    return list;
}

/* G of every representative, and the best of them chosen. */
static void assert_probes(const setting *s, const sonde_decision *d, int32_t n_top) {
    int32_t n_chosen = 0;
    double worst = -INFINITY;
    for (int32_t c = 0; c < d->clusters->k; c++) {
        const uint64_t policy = sonde_clusters_policy(d->clusters, d->clusters->representative[c]);
        judged one = judge_some(s, 1.0, &policy, 1);
        assert_true(isnan(d->cluster_efe[c]) || d->cluster_efe[c] == one.efe[0]);
        n_chosen += d->chosen[c];
        worst = d->chosen[c] && d->cluster_efe[c] > worst ? d->cluster_efe[c] : worst;
        judged_free(&one);
    }
    for (int32_t c = 0; c < d->clusters->k; c++) {
        assert_true(d->chosen[c] || isnan(d->cluster_efe[c]) ||
                    d->cluster_efe[c] >= worst - 1e-11 * (1.0 + fabs(worst)));
    }
    assert_true(n_chosen >= 1 && n_chosen <= n_top);
}

/* every embedding, all policies or a sample of them */
static void clustered_search_is_the_softmax_over_the_best_clusters(void **state) {
    (void)state;
    int32_t n_sampled = 0;
    for (uint64_t seed = 0; seed < 200; seed++) {
        setting s = beginning(seed, EVERY_KIND, 400);
        const char *const name[] = {"boa",       "boa-set", "ngram", "timed",
                                    "occupancy", "ends",    "value"};
        sonde_search_settings settings = cluster_defaults();
        settings.embed.kind = sonde_name_find(sonde_embedding_name, name[seed % 7]);
        settings.embed.n_sample = seed % 2 == 0 ? 0 : 25;
        settings.cluster.k = 4;
        settings.cluster.n_restart = 3;
        settings.n_top = 1 + (int32_t)(seed % 3);
        settings.gamma = 1.0;
        settings.seed = seed;
        assert_true(settings.embed.kind >= 0);
        thought t = decide(&s, &settings, NULL);
        int32_t n = 0;
        uint64_t *list = chosen_policies(t.decision, &n);
        judged all = judge_some(&s, 1.0, list, n);
        assert_decision(&s, t.decision, &all);
        assert_probes(&s, t.decision, settings.n_top);
        const uint64_t size = sonde_policies_size(s.policies, s.origin);
        const bool sampled = settings.embed.n_sample > 0 && size > 25;
        assert_int_equal(t.decision->clusters->n_policy, sampled ? 25 : size);
        n_sampled += sampled;
        judged_free(&all);
        free(list);
        thought_free(&t);
        setting_free(&s);
    }
    assert_true(n_sampled > 30);
}

/* too many policies to be listed, and still a decision */
static void a_sample_serves_spaces_that_nobody_could_list(void **state) {
    (void)state;
    setting s = setting_of(model_of(
        "{\"format\": \"sonde-model\", \"version\": 1, \"horizon\": 15,"
        " \"factors\": [{\"states\": 2, \"actions\": 8}], \"modalities\": [{\"outcomes\": 2}],"
        " \"A\": [[[0.9, 0.2], [0.1, 0.8]]], \"C\": [[1, 0]], \"D\": [[0.5, 0.5]],"
        " \"B\": [[[[1, 0.3, 0.1, 0.9, 0.5, 0.5, 0.2, 0], [0.4, 0, 0.2, 0.6, 0.5, 0.1, 0.7, 1]],"
        " [[0, 0.7, 0.9, 0.1, 0.5, 0.5, 0.8, 1], [0.6, 1, 0.8, 0.4, 0.5, 0.9, 0.3, 0]]]]}"));
    sonde_search_settings settings = cluster_defaults();
    sonde_agent *agent = NULL;
    sonde_error error = {0};
    assert_int_equal(sonde_agent_new(s.policies, &settings, NULL, &agent, &error), SONDE_TOO_LARGE);
    assert_says(error.text, "sample");
    settings.embed.n_sample = 500;
    thought t = decide(&s, &settings, NULL);
    assert_int_equal(t.decision->clusters->n_policy, 500);
    int32_t n = 0;
    uint64_t *list = chosen_policies(t.decision, &n);
    judged all = judge_some(&s, 1.0, list, n);
    assert_decision(&s, t.decision, &all);
    judged_free(&all);
    free(list);
    thought_free(&t);
    setting_free(&s);
}

/* ------------------------------------------------------------------------------- threads -- */

/* Everything but the time. */
static void assert_same_thought(const setting *s, const thought *a, const thought *b) {
    int32_t n_each = 0;
    for (int32_t f = 0; f < s->model->n_factor; f++) {
        n_each += s->model->factor[f].n_action;
    }
    assert_same_decision(a->decision, b->decision, s->model->horizon);
    assert_same_bytes(a->decision->marginal, b->decision->marginal, (size_t)n_each, sizeof(double));
}

static void the_number_of_threads_changes_no_byte(void **state) {
    (void)state;
    int32_t n_several = 0;
    for (uint64_t seed = 0; seed < 40; seed++) {
        setting s = beginning(seed, DRAW_COUPLED, 60000);
        for (int32_t i = 0; i < 2; i++) {
            sonde_search_settings settings = full(1.0);
            settings.search = (sonde_search_kind)i;
            settings.embed.n_sample = 2000;
            settings.cluster.n_restart = 2;
            const sonde_run run[] = {threads(1), threads(2), threads(3)};
            thought one = decide(&s, &settings, &run[0]);
            for (int32_t j = 1; j < 3; j++) {
                thought more = decide(&s, &settings, &run[j]);
                assert_same_thought(&s, &one, &more);
                assert_int_equal(sonde_agent_act(one.agent), sonde_agent_act(more.agent));
                sonde_agent_reset(one.agent);
                assert_int_equal(sonde_agent_search(one.agent, &one.decision, NULL), SONDE_OK);
                thought_free(&more);
            }
            thought_free(&one);
        }
        n_several += s.policies->n_policy > 3 * 4096;
        setting_free(&s);
    }
    assert_true(n_several > 3);
}

static void searching_stops_when_told_to(void **state) {
    (void)state;
    setting s = beginning(3, 0, 2000);
    sonde_stop stop = {0};
    sonde_run run = threads(2);
    run.stop = &stop;
    for (int32_t i = 0; i < 2; i++) {
        sonde_search_settings settings = full(1.0);
        settings.search = (sonde_search_kind)i;
        stop.raised = 0;
        thought t = decide(&s, &settings, &run);
        const sonde_decision *none = NULL;
        sonde_stop_raise(&stop);
        assert_int_equal(sonde_agent_search(t.agent, &none, NULL), SONDE_STOPPED);
        assert_null(none);
        stop.raised = 0;
        assert_int_equal(sonde_agent_search(t.agent, &none, NULL), SONDE_OK);
        thought_free(&t);
    }
    setting_free(&s);
}

/* ------------------------------------------------------------------------------ refusals -- */

static void assert_refused(const setting *s, const sonde_search_settings *settings,
                           sonde_status wanted, const char *words) {
    sonde_agent *agent = NULL;
    sonde_error error = {0};
    assert_int_equal(sonde_agent_new(s->policies, settings, NULL, &agent, &error), wanted);
    assert_null(agent);
    assert_says(error.text, words);
}

static void what_models_do_not_have_is_refused_in_words(void **state) {
    (void)state;
    setting s = beginning(3, 0, 100);
    sonde_search_settings settings = full(1.0);
    settings.scope = SONDE_GLOBAL;
    assert_refused(&s, &settings, SONDE_BAD_ARGUMENT, "scope");
    settings = full(1.0);
    settings.probe_everywhere = true;
    assert_refused(&s, &settings, SONDE_BAD_ARGUMENT, "probe_everywhere");
    settings = full(1.0);
    settings.per_factor = true;
    settings.action = SONDE_ACTION_FULL;
    assert_refused(&s, &settings, SONDE_BAD_ARGUMENT, "per_factor");
    setting_free(&s);
}

/* So many factors alike, each with two states, two actions or one, and a modality of its own; all
 * modalities together count as one. */
static sonde_model *many_factors(int32_t n, int32_t n_state, int32_t n_action, int32_t n_modality) {
    enum { MOST_STATES = 8 };
    double B[MOST_STATES * MOST_STATES * 2];
    double A[2 * MOST_STATES];
    double D[MOST_STATES];
    const double C[] = {0.5, 0.5};
    const int64_t B_size[] = {n_state, n_state, n_action};
    const int64_t A_size[] = {2, n_state};
    sonde_factor_parts factor[SONDE_FACTORS_MAX];
    sonde_modality_parts modality[SONDE_FACTORS_MAX];
    int32_t number[SONDE_FACTORS_MAX];
    for (int32_t i = 0; i < n_state * n_state * n_action; i++) {
        B[i] = 1.0 / n_state;
    }
    for (int32_t i = 0; i < n_state; i++) {
        D[i] = 1.0 / n_state;
        A[i] = A[n_state + i] = 0.5;
    }
    for (int32_t i = 0; i < n; i++) {
        number[i] = i;
        factor[i] = (sonde_factor_parts){.shape.n_state = n_state,
                                         .shape.n_action = n_action,
                                         .B = {.n_axis = 3, .size = B_size, .value = B},
                                         .D = {.n_axis = 1, .size = B_size, .value = D}};
        modality[i] = (sonde_modality_parts){.shape.n_outcome = 2,
                                             .shape.n_factor = 1,
                                             .shape.factor = &number[i],
                                             .A = {.n_axis = 2, .size = A_size, .value = A},
                                             .C = {.n_axis = 1, .size = A_size, .value = C}};
    }
    sonde_parts parts = sonde_parts_defaults();
    parts.n_factor = n;
    parts.factor = factor;
    parts.n_modality = n_modality;
    parts.modality = modality;
    parts.settings.information = SONDE_INFORMATION_JOINT;
    parts.settings.horizon = 1;
    sonde_model *model = NULL;
    sonde_error error = {0};
    if (sonde_model_new(&parts, "many", NULL, &model, &error) != SONDE_OK) {
        fail_msg("%s", error.text);
    }
    return model;
}

/* joint outcomes multiply, past every whole number there is */
static void more_joint_outcomes_than_can_be_counted_are_too_large(void **state) {
    (void)state;
    const int32_t n[] = {29, 30, 31, 32, 40, 63, 64};
    for (int32_t i = 0; i < 7; i++) {
        setting s = setting_of(many_factors(n[i], 2, 1, n[i]));
        const sonde_search_settings settings = full(1.0);
        assert_refused(&s, &settings, SONDE_TOO_LARGE, "joint");
        setting_free(&s);
    }
}

/* and so do joint states */
static void more_joint_states_than_can_be_counted_are_too_large(void **state) {
    (void)state;
    const int32_t n[] = {11, 21, 22, 30};
    for (int32_t i = 0; i < 4; i++) {
        setting s = setting_of(many_factors(n[i], 8, 2, 1));
        for (int32_t j = 0; j < 2; j++) {
            sonde_search_settings settings = full(1.0);
            settings.search = (sonde_search_kind)j;
            settings.embed.n_sample = 10;
            assert_refused(&s, &settings, SONDE_TOO_LARGE, "joint");
        }
        setting_free(&s);
    }
}

/* Three factors of so many states in a ring, which two actions turn; where one may go depends on
 * where one is, so that every combination of states is an origin. */
static sonde_model *rings(int32_t n_state) {
    const int64_t n = n_state;
    int64_t *index = room(6 * (uint64_t)n, sizeof *index);
    double *one = room(2 * (uint64_t)n, sizeof *one);
    int32_t *allowed = room(4 * (uint64_t)n, sizeof *allowed);
    for (int64_t i = 0; i < 2 * n; i++) {
        const int64_t entry[] = {(i / 2 + 1 + i % 2) % n, i / 2, i % 2};
        memcpy(index + 3 * i, entry, sizeof entry);
        allowed[2 * i] = (int32_t)(i / 2);
        allowed[2 * i + 1] = (int32_t)(i % 2);
        one[i] = 1.0;
    }
    const int64_t B_size[] = {n, n, 2};
    const int64_t A_size[] = {1, n};
    const sonde_factor_parts factor = {
        .shape.n_state = n_state,
        .shape.n_action = 2,
        .B = {.n_axis = 3, .size = B_size, .n_entry = 2 * n, .index = index, .entry = one},
        .D = {.n_axis = 1, .size = B_size, .n_entry = 1, .index = A_size, .entry = one},
        .n_allowed = 2 * n_state,
        .allowed = allowed};
    const sonde_factor_parts factors[] = {factor, factor, factor};
    const sonde_modality_parts modality = {.shape.n_outcome = 1,
                                           .shape.n_factor = 1,
                                           .shape.factor = (const int32_t[]){0},
                                           .A = {.n_axis = 2, .size = A_size, .value = one},
                                           .C = {.n_axis = 1, .size = A_size, .value = one}};
    sonde_parts parts = sonde_parts_defaults();
    parts.n_factor = 3;
    parts.factor = factors;
    parts.n_modality = 1;
    parts.modality = &modality;
    parts.settings.horizon = 2;
    parts.policies = SONDE_POLICIES_ALLOWED;
    sonde_model *model = NULL;
    sonde_error error = {0};
    if (sonde_model_new(&parts, "rings", NULL, &model, &error) != SONDE_OK) {
        fail_msg("%s", error.text);
    }
    free(allowed);
    free(one);
    free(index);
    return model;
}

/* a thousand million of them: nobody may go through them one by one */
static void more_origins_than_can_be_listed_are_no_reason_to_wait(void **state) {
    (void)state;
    setting s = setting_of(rings(1000));
    assert_int_equal(s.policies->n_origin, 1000000000);
    sonde_search_settings settings = full(1.0);
    settings.search = SONDE_SEARCH_CLUSTER;
    assert_refused(&s, &settings, SONDE_TOO_LARGE, "origins");
    /* the states of all factors together do not fit a table of the likelihood of each, either */
    sonde_run run = threads(1);
    run.memory = UINT64_C(1) << 20;
    sonde_agent *agent = NULL;
    settings = full(1.0);
    assert_int_equal(sonde_agent_new(s.policies, &settings, &run, &agent, NULL), SONDE_TOO_LARGE);
    assert_null(agent);
    setting_free(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_posterior_is_the_softmax_over_every_policy),
        cmocka_unit_test(gamma_is_the_models_where_nobody_gives_another),
        cmocka_unit_test(a_policy_without_prior_takes_nothing_from_the_others),
        cmocka_unit_test(a_cluster_without_prior_is_not_chosen),
        cmocka_unit_test(rules_draw_the_action_from_what_they_say),
        cmocka_unit_test(per_factor_rules_draw_each_factor_on_its_own),
        cmocka_unit_test(rule_full_draws_whole_policies),
        cmocka_unit_test(rule_best_takes_the_first_action_of_the_most_probable_policy),
        cmocka_unit_test(ties_go_to_the_lowest_policy_and_action),
        cmocka_unit_test(with_one_cluster_clustered_search_is_full_search),
        cmocka_unit_test(clustered_search_is_the_softmax_over_the_best_clusters),
        cmocka_unit_test(a_sample_serves_spaces_that_nobody_could_list),
        cmocka_unit_test(the_number_of_threads_changes_no_byte),
        cmocka_unit_test(searching_stops_when_told_to),
        cmocka_unit_test(what_models_do_not_have_is_refused_in_words),
        cmocka_unit_test(more_joint_outcomes_than_can_be_counted_are_too_large),
        cmocka_unit_test(more_joint_states_than_can_be_counted_are_too_large),
        cmocka_unit_test(more_origins_than_can_be_listed_are_no_reason_to_wait),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

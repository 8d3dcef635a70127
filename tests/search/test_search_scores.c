/* Every search scores its policies through the one interface: a way of scoring that counts what it
 * is asked for, and tells another G of every step, is noticed by all of them. It stands in the
 * place of efe_pick.c, and lives here alone. */
#include "efe/efe_score.h"
#include "search/baselines.h"

/* what is told of G of n steps */
static struct {
    double factor;
    double more;
} lie;

static double told(double efe, int32_t n_step) {
    return lie.factor * efe + lie.more * n_step;
}

/* what has been asked for */
static struct {
    uint64_t n_start;
    uint64_t n_policy;  /* in order, and by number */
    uint64_t n_child;   /* of prefixes */
    uint64_t n_futures; /* decisions from countable futures */
    uint64_t n_terms;
} seen;

static const sonde__scoring *real(const sonde__score *score) {
    return score->model->graph != NULL      ? &sonde__walk
           : score->policies->place != NULL ? &sonde__product
                                            : &sonde__plain;
}

static void measure(sonde__score *score) {
    real(score)->measure(score);
}

static void carve(sonde__arena *arena, sonde__score *score) {
    real(score)->carve(arena, score);
}

/* G of the ways on from each future, as they are told here. */
static void prepare(sonde__score *score) {
    enum { MOST = 4096 };
    static double efe[MOST];
    assert_true(score->futures.n_way <= MOST);
    for (int32_t w = 0; w < score->futures.n_way; w++) {
        efe[w] = told(score->model->step[w], 1);
    }
    score->futures.efe = efe;
}

static void carve_track(sonde__arena *arena, const sonde__score *score, sonde__track *track) {
    real(score)->carve_track(arena, score, track);
}

static void start(sonde__score *score) {
    seen.n_start++;
    real(score)->start(score);
    seen.n_futures += score->futures.n > 0;
    score->futures.stay = told(score->futures.stay, 1);
}

static void begin(sonde__track *track, uint64_t first, uint64_t end) {
    real(track->score)->begin(track, first, end);
}

static void add(const sonde__track *track, int32_t n, double *efe) {
    seen.n_policy += (uint64_t)n;
    for (int32_t i = 0; i < n; i++) {
        efe[i] = told(efe[i], track->score->policies->horizon);
    }
}

static int32_t fill(sonde__track *track, double *efe, int32_t capacity, uint64_t *first,
                    int32_t *action) {
    const int32_t n = real(track->score)->fill(track, efe, capacity, first, action);
    add(track, n, efe);
    return n;
}

static void pick(sonde__track *track, int32_t n, const uint64_t *policy, double *efe,
                 int32_t *action) {
    real(track->score)->pick(track, n, policy, efe, action);
    add(track, n, efe);
}

static void terms(sonde__track *track, const int32_t *walk, int32_t n_step, sonde_efe *steps,
                  int32_t *reached, sonde_efe *total) {
    seen.n_terms++;
    real(track->score)->terms(track, walk, n_step, steps, reached, total);
    total->efe = told(total->efe, n_step);
}

static int32_t root(const sonde__score *score, int32_t i, sonde__spot spot) {
    return real(score)->root(score, i, spot);
}

static int32_t expand(sonde__track *track, int32_t t, sonde__spot spot) {
    enum { MOST = 4096 };
    static double efe[MOST];
    const int32_t n = real(track->score)->expand(track, t, spot);
    /* steps out of step have been told already, by the futures */
    const bool known = track->score->futures.n > 0 && spot.place[1] != 0;
    assert_true(n <= MOST);
    for (int32_t i = 0; i < n; i++) {
        efe[i] = known ? track->efe[i] : told(track->efe[i], 1);
    }
    seen.n_child += (uint64_t)n;
    track->efe = efe;
    return n;
}

static void child(const sonde__track *track, int32_t t, int32_t i, sonde__spot spot) {
    real(track->score)->child(track, t, i, spot);
}

static const sonde__scoring counting = {.measure = measure,
                                        .carve = carve,
                                        .carve_track = carve_track,
                                        .prepare = prepare,
                                        .start = start,
                                        .begin = begin,
                                        .fill = fill,
                                        .pick = pick,
                                        .terms = terms,
                                        .root = root,
                                        .expand = expand,
                                        .child = child};

const sonde__scoring *sonde__score_pick(const sonde_policies *policies) {
    (void)policies;
    return &counting;
}

/* ---------------------------------------------------------------------------------- searches -- */

/* One decision where G is told so. */
static thought think_with(const sonde_policies *policies, const sonde_search_settings *settings,
                          double factor, double more) {
    sonde_run run = sonde_run_defaults();
    thought t = {0};
    run.n_thread = 1;
    lie.factor = factor;
    lie.more = more;
    memset(&seen, 0, sizeof seen);
    assert_int_equal(sonde_agent_new(policies, settings, &run, &t.agent, NULL), SONDE_OK);
    if (policies->model->graph != NULL) {
        assert_int_equal(sonde_agent_observe(t.agent, &policies->model->graph->start, NULL),
                         SONDE_OK);
    }
    assert_int_equal(sonde_agent_search(t.agent, &t.decision, NULL), SONDE_OK);
    return t;
}

/* Whatever a search knows of G came from the scorer: what that tells moves all of it alike. Bounds
 * of general models know nothing of it, and hold where it is more. */
static void assert_scored(const sonde_policies *policies, sonde_search_settings settings) {
    const bool graph = policies->model->graph != NULL;
    const double factor = graph ? 2.0 : 1.0;
    const double more = graph ? 0.0 : 0.25;
    settings.gamma = 0.5;
    thought bare = think_with(policies, &settings, 1.0, 0.0);
    settings.gamma /= factor;
    thought t = think_with(policies, &settings, factor, more);
    const sonde_decision *d = t.decision;
    const double shift = settings.gamma * more * policies->horizon;
    const bool summed = settings.search == SONDE_SEARCH_BOUNDED && seen.n_futures > 0;
    assert_int_equal(d->n_action, bare.decision->n_action);
    for (int32_t a = 0; a < d->n_action; a++) {
        assert_int_equal(d->action[a], bare.decision->action[a]);
        assert_near(d->posterior[a], bare.decision->posterior[a], 1e-9);
    }
    assert_int_equal(d->best, bare.decision->best);
    assert_near(d->best_efe.efe, told(bare.decision->best_efe.efe, policies->horizon), 1e-9);
    assert_near(d->log_evidence, bare.decision->log_evidence - shift, 1e-9);
    /* and it was asked about everything that counts */
    assert_true(seen.n_start > 0 && seen.n_terms > 0);
    assert_true(summed || seen.n_policy + seen.n_child >= d->evaluations.n_policy);
    assert_true(summed || d->evaluations.n_policy > 0);
    thought_free(&t);
    thought_free(&bare);
}

/* Every search with these policies. */
static void assert_all_scored(const sonde_policies *policies, sonde_scope scope, uint64_t seed) {
    for (int32_t search = 0; sonde_search_name(search) != NULL; search++) {
        sonde_search_settings settings = sonde_search_defaults();
        settings.search = (sonde_search_kind)search;
        settings.scope = scope;
        settings.seed = seed;
        settings.epsilon = 0.0;
        settings.cluster.k = 2;
        settings.n_beam = 3;
        settings.budget = search == SONDE_SEARCH_BOUNDED ? 0 : 40;
        assert_scored(policies, settings);
    }
}

static void every_search_of_a_graph_world_is_scored_by_it(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 20; seed++) {
        space s = space_new(world_of_horizon(3 + (int32_t)(seed % 2), seed, 2));
        assert_all_scored(s.policies, SONDE_LOCAL, seed);
        assert_all_scored(s.policies, SONDE_GLOBAL, seed);
        space_free(&s);
    }
}

/* Every search of n models whose policies are listed, or are not. */
static void assert_models_scored(int32_t what, bool listed, int32_t n) {
    for (uint64_t seed = 0; n > 0; seed++) {
        setting s = setting_drawn(seed, what, 200.0);
        if (sonde__space_of(s.policies)->listed == listed) {
            assert_all_scored(s.policies, SONDE_LOCAL, seed);
            n--;
        }
        setting_free(&s);
    }
}

static void every_search_of_the_products_of_a_general_model_is_scored_by_it(void **state) {
    (void)state;
    assert_models_scored(DRAW_COUPLED | DRAW_ALLOWED, false, 60);
}

static void every_search_of_the_list_of_a_general_model_is_scored_by_it(void **state) {
    (void)state;
    assert_models_scored(DRAW_COUPLED | DRAW_LISTED, true, 60);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_search_of_a_graph_world_is_scored_by_it),
        cmocka_unit_test(every_search_of_the_products_of_a_general_model_is_scored_by_it),
        cmocka_unit_test(every_search_of_the_list_of_a_general_model_is_scored_by_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

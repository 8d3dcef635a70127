/* Learning: what is added, when, and what it does not do. */
#include "counted.h"
#include "stages.h"

#define TWO                                                                                        \
    "{\"format\": \"sonde-model\", \"version\": 1, \"horizon\": 1,\n"                              \
    "\"factors\": [{\"states\": 2, \"actions\": 2}], \"modalities\": [{\"outcomes\": 2}],\n"       \
    "\"C\": [[0, 1]], \"counts\": {\"A\": [[[3, 1], [1, 0.5]]],\n"                                 \
    "\"B\": [[[[2, 0], [0, 1]], [[1, 4], [1, 1]]]], \"D\": [[0.2, 0.6]]}}"

typedef struct {
    sonde_model *model;
    sonde_policies *policies;
    sonde_agent *agent;
} learner;

static learner learner_of(sonde_model *model, const sonde_learn_settings *settings) {
    learner l = {.model = model};
    sonde_error error = {0};
    sonde_search_settings search = sonde_search_defaults();
    search.search = SONDE_SEARCH_FULL;
    assert_int_equal(sonde_policies_count(model, 0, NULL, &l.policies, NULL), SONDE_OK);
    if (sonde_agent_new(l.policies, &search, NULL, &l.agent, &error) != SONDE_OK ||
        sonde_agent_learn(l.agent, settings, &error) != SONDE_OK) {
        fail_msg("%s", error.text);
    }
    return l;
}

static void learner_free(learner *l) {
    sonde_agent_free(l->agent);
    sonde_policies_free(l->policies);
    sonde_model_free(l->model);
}

static void see(const learner *l, int32_t outcome) {
    assert_int_equal(sonde_agent_observe(l->agent, &outcome, NULL), SONDE_OK);
}

static void take(const learner *l, int32_t action) {
    assert_int_equal(sonde_agent_take(l->agent, action, NULL), SONDE_OK);
}

static double count_at(const learner *l, sonde_letter letter, int32_t i) {
    double counts[64] = {0.0};
    assert_true(sonde_agent_counts(l->agent, letter, 0, NULL) <= 64);
    (void)sonde_agent_counts(l->agent, letter, 0, counts);
    return counts[i];
}

static void a_step_adds_what_is_believed_to_what_was_seen(void **state) {
    (void)state;
    sonde_learn_settings settings = sonde_learn_defaults();
    settings.eta[SONDE_A] = 0.5;
    learner l = learner_of(model_of(TWO), &settings);
    see(&l, 0);
    const double q = sonde_agent_memory_get(l.agent).belief[0];
    assert_same(count_at(&l, SONDE_A, 0), 3.0); /* the decision comes first */
    take(&l, 1);
    assert_near(count_at(&l, SONDE_A, 0), 3.0 + 0.5 * q, 1e-15);
    assert_near(count_at(&l, SONDE_A, 1), 1.0 + 0.5 * (1.0 - q), 1e-15);
    assert_same(count_at(&l, SONDE_A, 2), 1.0);
    const double *prior = sonde_agent_memory_get(l.agent).prior;
    double before[2] = {prior[0], prior[1]};
    see(&l, 1);
    const double r = sonde_agent_memory_get(l.agent).belief[1];
    take(&l, 0);
    /* b[next][previous][action]: [1][0][1] */
    assert_near(count_at(&l, SONDE_B, 5), 4.0 + r * q, 1e-14);
    assert_true(before[0] > 0.0);
    learner_free(&l);
}

static void learning_before_a_decision_shows_at_once(void **state) {
    (void)state;
    sonde_learn_settings settings = sonde_learn_defaults();
    settings.when = SONDE_LEARN_BEFORE;
    learner l = learner_of(model_of(TWO), &settings);
    see(&l, 0);
    assert_true(count_at(&l, SONDE_A, 0) > 3.0);
    const double once = count_at(&l, SONDE_A, 0);
    take(&l, 0);
    assert_same(count_at(&l, SONDE_A, 0), once);
    learner_free(&l);
}

static void an_episode_is_one_update(void **state) {
    (void)state;
    sonde_learn_settings settings = sonde_learn_defaults();
    settings.when = SONDE_LEARN_EPISODE;
    settings.omega = 0.5;
    learner l = learner_of(model_of(TWO), &settings);
    for (int32_t t = 0; t < 5; t++) {
        see(&l, t % 2);
        take(&l, t % 2);
    }
    assert_same(count_at(&l, SONDE_A, 0), 3.0);
    sonde_agent_end(l.agent);
    const sonde_learned A = sonde_agent_learned(l.agent, SONDE_A, 0);
    const sonde_learned transitions = sonde_agent_learned(l.agent, SONDE_B, 0);
    assert_int_equal(A.n_event, 1);
    assert_near(A.added, 5.0, 1e-13);
    assert_near(transitions.added + transitions.masked, 4.0, 1e-13);
    assert_near(sonde_agent_learned(l.agent, SONDE_D, 0).added, 1.0, 1e-14);
    learner_free(&l);
}

static void what_is_added_is_what_was_seen_in_every_way_of_learning(void **state) {
    (void)state;
    enum { N = 30 };
    for (uint64_t seed = 1; seed <= 40; seed++) {
        for (int32_t how = 0; how < 4; how++) {
            sonde_learn_settings settings = sonde_learn_defaults();
            settings.when = how == 0   ? SONDE_LEARN_AFTER
                            : how == 1 ? SONDE_LEARN_BEFORE
                                       : SONDE_LEARN_EPISODE;
            settings.beliefs = how == 3 ? SONDE_BELIEFS_SMOOTHED : SONDE_BELIEFS_FILTERED;
            settings.steps = N;
            settings.eta[SONDE_A] = 0.5;
            settings.eta[SONDE_B] = 0.7;
            settings.support = seed % 2 == 0 ? SONDE_SUPPORT_KEEP : SONDE_SUPPORT_GROW;
            learner l = learner_of(draw_counted(seed, 1), &settings);
            sonde__rng rng = sonde__rng_stream(seed, SONDE__FOR_PROBE, 9);
            int32_t n_seen = 0;
            for (int32_t t = 0; t < N; t++) {
                int32_t outcome[2];
                for (int32_t m = 0; m < l.model->n_modality; m++) {
                    outcome[m] = draw_below(&rng, l.model->modality[m].n_outcome);
                }
                outcome[0] = t % 5 == 4 ? SONDE_MISSING : outcome[0];
                n_seen += outcome[0] != SONDE_MISSING;
                assert_int_equal(sonde_agent_observe(l.agent, outcome, NULL), SONDE_OK);
                take(&l, draw_below(&rng, l.model->n_action));
            }
            sonde_agent_end(l.agent);
            const sonde_learned A = sonde_agent_learned(l.agent, SONDE_A, 0);
            const sonde_learned transitions = sonde_agent_learned(l.agent, SONDE_B, 0);
            assert_near(A.added + A.masked, 0.5 * n_seen, 1e-9);
            assert_near(transitions.added + transitions.masked, 0.7 * (N - 1), 1e-9);
            assert_true(A.kl > -1e-9 && transitions.kl > -1e-9);
            assert_true(settings.support == SONDE_SUPPORT_KEEP ? A.grown == 0.0 : A.masked == 0.0);
            learner_free(&l);
        }
    }
}

static void what_was_learned_is_forgotten_towards_the_beginning(void **state) {
    (void)state;
    sonde_learn_settings settings = sonde_learn_defaults();
    settings.omega = 1.0;
    learner l = learner_of(model_of(TWO), &settings);
    for (int32_t t = 0; t < 3; t++) {
        see(&l, 0);
        take(&l, 0);
        const sonde_learned A = sonde_agent_learned(l.agent, SONDE_A, 0);
        assert_near(A.added, 1.0, 1e-14);
    }
    learner_free(&l);
}

static void forgetting_puts_back_what_resetting_keeps(void **state) {
    (void)state;
    const sonde_learn_settings settings = sonde_learn_defaults();
    learner l = learner_of(model_of(TWO), &settings);
    see(&l, 0);
    take(&l, 0);
    const double learned = count_at(&l, SONDE_A, 0);
    assert_true(learned > 3.0);
    sonde_agent_reset(l.agent);
    assert_same(count_at(&l, SONDE_A, 0), learned);
    assert_true(likelihood(&sonde_agent_policies(l.agent)->model->modality[0], 0, 0) > 0.75);
    sonde_agent_forget(l.agent);
    assert_same(count_at(&l, SONDE_A, 0), 3.0);
    assert_same(likelihood(&sonde_agent_policies(l.agent)->model->modality[0], 0, 0), 0.75);
    learner_free(&l);
}

static void rates_fall_and_end(void **state) {
    (void)state;
    sonde_learn_settings settings = sonde_learn_defaults();
    double eta[2] = {0.25, NAN};
    settings.eta_outcome = eta;
    settings.decay = 1.0;
    settings.until = 1;
    learner l = learner_of(model_of(TWO), &settings);
    see(&l, 0);
    take(&l, 0);
    see(&l, 1);
    take(&l, 0);
    /* a quarter for the first outcome, then half of one for the other */
    assert_near(sonde_agent_learned(l.agent, SONDE_A, 0).added, 0.25 + 0.5, 1e-14);
    sonde_agent_end(l.agent);
    see(&l, 0);
    take(&l, 0);
    sonde_agent_end(l.agent);
    assert_near(sonde_agent_learned(l.agent, SONDE_A, 0).added, 0.75, 1e-14);
    assert_int_equal(sonde_agent_learned(l.agent, SONDE_D, 0).n_event, 1);
    learner_free(&l);
}

static void d_is_learned_from_the_belief_that_is_asked_for(void **state) {
    (void)state;
    static const double slow[] = {0.2, 0.6};
    double first[3];
    for (int32_t beliefs = 0; beliefs < 3; beliefs++) {
        sonde_learn_settings settings = sonde_learn_defaults();
        settings.beliefs_D = (sonde_learn_beliefs)beliefs;
        learner l = learner_of(model_of(TWO), &settings);
        see(&l, 0);
        const double q = sonde_agent_memory_get(l.agent).belief[0];
        take(&l, 0);
        see(&l, 1);
        const double last = sonde_agent_memory_get(l.agent).belief[0];
        sonde_agent_end(l.agent);
        first[beliefs] = count_at(&l, SONDE_D, 0) - slow[0];
        if (beliefs != SONDE_BELIEFS_SMOOTHED) {
            assert_near(first[beliefs], beliefs == SONDE_BELIEFS_LAST ? last : q, 1e-14);
        }
        learner_free(&l);
    }
    assert_true(fabs(first[SONDE_BELIEFS_SMOOTHED] - first[SONDE_BELIEFS_FILTERED]) > 1e-3);
}

static void an_action_that_nothing_is_seen_after_says_nothing_of_the_first_step(void **state) {
    (void)state;
    double first[2][2];
    for (int32_t when = 0; when < 2; when++) {
        for (int32_t acts = 0; acts < 2; acts++) {
            sonde_learn_settings settings = sonde_learn_defaults();
            settings.when = (sonde_learn_when)when;
            learner l = learner_of(model_of(TWO), &settings);
            see(&l, 0);
            const double q = sonde_agent_memory_get(l.agent).belief[0];
            take(&l, 0);
            double B[8] = {0.0};
            (void)sonde_agent_counts(l.agent, SONDE_B, 0, B);
            see(&l, 1);
            const double r = sonde_agent_memory_get(l.agent).belief[0];
            if (acts) {
                take(&l, 1);
            }
            sonde_agent_end(l.agent);
            /* P(first, second) of action 0: what the counts said when it was taken, and what the
             * outcomes made of both states */
            double p[2][2];
            for (int32_t s = 0; s < 2; s++) {
                for (int32_t next = 0; next < 2; next++) {
                    const double sum = B[s * 2] + B[4 + s * 2];
                    p[s][next] = (s == 0 ? q : 1.0 - q) * B[next * 4 + s * 2] / sum;
                }
            }
            const double believed[] = {r, 1.0 - r};
            double wanted = 0.0;
            for (int32_t next = 0; next < 2; next++) {
                wanted += p[0][next] / (p[0][next] + p[1][next]) * believed[next];
            }
            first[when][acts] = count_at(&l, SONDE_D, 0) - 0.2;
            assert_near(first[when][acts], wanted, 1e-14);
            learner_free(&l);
        }
        assert_same(first[when][0], first[when][1]);
    }
}

static void what_cannot_be_learned_is_refused_by_a_sentence(void **state) {
    (void)state;
    sonde_error error = {0};
    learner l = learner_of(model_of(TWO), &(sonde_learn_settings){.until = 1});
    struct {
        sonde_learn_settings settings;
        const char *sentence;
    } bad[6] = {{.sentence = "omega: expected a number from 0 to 1, found 2"},
                {.sentence = "eta_B: expected a number from 0 to"},
                {.sentence = "smoothed ones are there once an episode has ended"},
                {.sentence = "steps: expected the most steps of an episode"},
                {.sentence = "no counts of what is to be learned"},
                {.sentence = "the last ones are for D alone"}};
    for (size_t i = 0; i < 6; i++) {
        bad[i].settings = sonde_learn_defaults();
    }
    bad[0].settings.omega = 2.0;
    bad[1].settings.eta[SONDE_B] = -1.0;
    bad[2].settings.beliefs = SONDE_BELIEFS_SMOOTHED;
    bad[3].settings.beliefs = SONDE_BELIEFS_SMOOTHED;
    bad[3].settings.when = SONDE_LEARN_EPISODE;
    bad[4].settings.modality = bad[4].settings.factor = &(bool){false};
    bad[5].settings.beliefs = SONDE_BELIEFS_LAST;
    for (size_t i = 0; i < 6; i++) {
        assert_int_equal(sonde_agent_learn(l.agent, &bad[i].settings, &error), SONDE_BAD_ARGUMENT);
        if (strstr(error.text, bad[i].sentence) == NULL) {
            fail_msg("expected \"%s\", found \"%s\"", bad[i].sentence, error.text);
        }
    }
    learner_free(&l);
}

static void an_episode_longer_than_it_may_be_is_refused(void **state) {
    (void)state;
    sonde_learn_settings settings = sonde_learn_defaults();
    sonde_error error = {0};
    settings.when = SONDE_LEARN_EPISODE;
    settings.beliefs = SONDE_BELIEFS_SMOOTHED;
    settings.steps = 1;
    learner l = learner_of(model_of(TWO), &settings);
    see(&l, 0);
    take(&l, 0);
    assert_int_equal(sonde_agent_observe(l.agent, &(int32_t){0}, &error), SONDE_BAD_ARGUMENT);
    assert_non_null(strstr(error.text, "the episode has more than the 1"));
    learner_free(&l);
}

static void graph_worlds_say_why_they_do_not_learn(void **state) {
    (void)state;
    space s = space_random(3, 5, SONDE_DIRECTED);
    const sonde_search_settings search = sonde_search_defaults();
    const sonde_learn_settings settings = sonde_learn_defaults();
    sonde_agent *agent = NULL;
    sonde_error error = {0};
    assert_int_equal(sonde_agent_new(s.policies, &search, NULL, &agent, NULL), SONDE_OK);
    assert_int_equal(sonde_agent_learn(agent, &settings, &error), SONDE_BAD_ARGUMENT);
    assert_non_null(strstr(error.text, "graph world are not stored"));
    sonde_agent_free(agent);
    space_free(&s);
}

static void what_is_gained_is_between_nothing_and_the_entropy(void **state) {
    (void)state;
    sonde__rng rng = sonde__rng_stream(3, SONDE__FOR_PROBE, 0);
    for (int32_t i = 0; i < 1000; i++) {
        const int32_t n = 2 + draw_below(&rng, 6);
        double counts[8];
        double made[8] = {0.0};
        double A[8];
        double novelty = 0.0;
        double sum = 0.0;
        double entropy = 0.0;
        double expected = 0.0;
        for (int32_t o = 0; o < n; o++) {
            counts[o] = draw_power(&rng, -12.0, 3.0);
            sum += counts[o];
        }
        for (int32_t o = 0; o < n; o++) {
            A[o] = counts[o] / sum;
            entropy -= A[o] * log(A[o]);
            expected -= A[o] * sonde__digamma(counts[o] + 1.0);
        }
        expected += sonde__digamma(sum + 1.0);
        const sonde_modality modality = {.n_outcome = n, .n_state = 1, .A = A, .counts_A = counts};
        sonde__novelty_of_A(&modality, SONDE_NOVELTY_JOINT, made, NULL, &novelty);
        assert_true(novelty >= 0.0 && novelty <= log((double)n) + 1e-14);
        assert_near(novelty, entropy - expected, 1e-13);
    }
}

/* An agent that lives some steps more gives these numbers. */
static void go_on(const learner *l, int32_t n, double *found) {
    for (int32_t t = 0; t < n; t++) {
        const sonde_decision *decision = NULL;
        see(l, t % 3 == 0);
        assert_int_equal(sonde_agent_search(l->agent, &decision, NULL), SONDE_OK);
        found[t] = decision->posterior[0];
        (void)sonde_agent_act(l->agent);
    }
    sonde_agent_end(l->agent);
    found[n] = count_at(l, SONDE_A, 0);
    found[n + 1] = count_at(l, SONDE_B, 5);
    found[n + 2] = count_at(l, SONDE_D, 0);
}

static void an_agent_goes_on_in_the_place_of_another_in_the_middle_of_an_episode(void **state) {
    (void)state;
    for (int32_t how = 0; how < 3; how++) {
        sonde_learn_settings settings = sonde_learn_defaults();
        settings.when = how == 2 ? SONDE_LEARN_EPISODE : (sonde_learn_when)how;
        settings.beliefs = how == 2 ? SONDE_BELIEFS_SMOOTHED : SONDE_BELIEFS_FILTERED;
        settings.beliefs_D = SONDE_BELIEFS_SMOOTHED;
        settings.decay = 0.5;
        settings.steps = 20;
        learner one = learner_of(model_of(TWO), &settings);
        learner other = learner_of(model_of(TWO), &settings);
        sonde_error error = {0};
        double found[2][16];
        for (int32_t t = 0; t < 5; t++) {
            see(&one, t % 2);
            take(&one, t % 2);
        }
        see(&one, 0);
        const sonde_agent_memory memory = sonde_agent_memory_get(one.agent);
        assert_int_equal(sonde_agent_memory_set(other.agent, &memory, &error), SONDE_OK);
        take(&one, 1);
        take(&other, 1);
        go_on(&one, 6, found[0]);
        go_on(&other, 6, found[1]);
        assert_memory_equal(found[0], found[1], 9 * sizeof(double));
        sonde_agent_memory less = memory;
        less.n_learned = 0;
        assert_int_equal(sonde_agent_memory_set(other.agent, &less, &error), SONDE_BAD_ARGUMENT);
        learner_free(&one);
        learner_free(&other);
    }
}

static learner learner_that(bool smooths) {
    sonde_learn_settings settings = sonde_learn_defaults();
    settings.when = smooths ? SONDE_LEARN_EPISODE : SONDE_LEARN_AFTER;
    settings.beliefs = smooths ? SONDE_BELIEFS_SMOOTHED : SONDE_BELIEFS_FILTERED;
    settings.steps = 20;
    return learner_of(model_of(TWO), &settings);
}

/* Whatever stands in the place of what was learned is refused, and nothing has changed then, or is
 * something to live with. */
static void numbers_that_stand_for_nothing_are_not_believed(void **state) {
    (void)state;
    static const double odd[] = {-3.0, -2.0, -1.0, 0.5, 2.0, 7.0, 21.0, 5276296841.0, 1e300, NAN};
    enum { N_ODD = sizeof odd / sizeof *odd, MOST = 200 };
    int32_t n_refused = 0;
    for (int32_t smooths = 0; smooths < 2; smooths++) {
        learner one = learner_that(smooths == 1);
        see(&one, 0);
        take(&one, 1);
        see(&one, 1);
        const sonde_agent_memory memory = sonde_agent_memory_get(one.agent);
        double learned[MOST];
        double kept[MOST] = {0};
        assert_in_range(memory.n_learned, 20, MOST);
        memcpy(kept, memory.learned, (size_t)memory.n_learned * sizeof *kept);
        for (int32_t i = 0; i < memory.n_learned * N_ODD; i++) {
            learner other = learner_that(smooths == 1);
            double found[16];
            sonde_agent_memory wrong = memory;
            wrong.learned = learned;
            memcpy(learned, kept, sizeof learned);
            learned[i / N_ODD] = odd[i % N_ODD];
            if (sonde_agent_memory_set(other.agent, &wrong, NULL) != SONDE_OK) {
                const sonde_agent_memory now = sonde_agent_memory_get(other.agent);
                assert_same(now.learned[0], 0.0);
                assert_same(now.learned[1], -1.0);
                n_refused++;
            }
            go_on(&other, 2, found);
            learner_free(&other);
        }
        /* steps, action, episode, whether it is due, whether it has decided */
        const double past[] = {smooths == 1 ? 21.0 : 5276296841.0, 2.0, -1.0, 2.0, 0.5};
        for (int32_t i = 0; i < 5; i++) {
            sonde_agent_memory wrong = memory;
            sonde_error error = {0};
            wrong.learned = learned;
            memcpy(learned, kept, sizeof learned);
            learned[i] = past[i];
            assert_int_equal(sonde_agent_memory_set(one.agent, &wrong, &error), SONDE_BAD_ARGUMENT);
            assert_says(error.text, "that an agent has learned with the same settings");
        }
        learner_free(&one);
    }
    assert_true(n_refused > 500);
}

/* Weights in place of an outcome, in a modality that nothing is learned of. */
static void what_was_seen_as_weights_is_handed_over(void **state) {
    (void)state;
    const char *text =
        "{\"format\": \"sonde-model\", \"version\": 1, \"horizon\": 1,"
        "\"factors\": [{\"states\": 2, \"actions\": 2}], \"modalities\": [{\"outcomes\": 2},"
        "{\"outcomes\": 2}], \"A\": [null, [[0.9, 0.2], [0.1, 0.8]]], \"C\": [[0, 1], [0, 0]],"
        "\"B\": [[[[1, 0], [0, 1]], [[0, 1], [1, 0]]]], \"D\": [[0.5, 0.5]],"
        "\"counts\": {\"A\": [[[3, 1], [1, 0.5]], null]}}";
    sonde_learn_settings settings = sonde_learn_defaults();
    learner one = learner_of(model_of(text), &settings);
    learner other = learner_of(model_of(text), &settings);
    const int32_t outcome[] = {1, SONDE_SOFT};
    const double weight[] = {0.0, 0.0, 0.3, 0.7};
    sonde_error error = {0};
    assert_int_equal(sonde_agent_observe_soft(one.agent, outcome, weight, NULL), SONDE_OK);
    const sonde_agent_memory memory = sonde_agent_memory_get(one.agent);
    if (sonde_agent_memory_set(other.agent, &memory, &error) != SONDE_OK) {
        fail_msg("%s", error.text);
    }
    take(&one, 1);
    take(&other, 1);
    for (int32_t i = 0; i < 4; i++) {
        assert_same(count_at(&other, SONDE_A, i), count_at(&one, SONDE_A, i));
    }
    learner_free(&one);
    learner_free(&other);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_step_adds_what_is_believed_to_what_was_seen),
        cmocka_unit_test(learning_before_a_decision_shows_at_once),
        cmocka_unit_test(an_episode_is_one_update),
        cmocka_unit_test(what_is_added_is_what_was_seen_in_every_way_of_learning),
        cmocka_unit_test(what_was_learned_is_forgotten_towards_the_beginning),
        cmocka_unit_test(forgetting_puts_back_what_resetting_keeps),
        cmocka_unit_test(rates_fall_and_end),
        cmocka_unit_test(d_is_learned_from_the_belief_that_is_asked_for),
        cmocka_unit_test(an_action_that_nothing_is_seen_after_says_nothing_of_the_first_step),
        cmocka_unit_test(what_cannot_be_learned_is_refused_by_a_sentence),
        cmocka_unit_test(an_episode_longer_than_it_may_be_is_refused),
        cmocka_unit_test(graph_worlds_say_why_they_do_not_learn),
        cmocka_unit_test(an_agent_goes_on_in_the_place_of_another_in_the_middle_of_an_episode),
        cmocka_unit_test(numbers_that_stand_for_nothing_are_not_believed),
        cmocka_unit_test(what_was_seen_as_weights_is_handed_over),
        cmocka_unit_test(what_is_gained_is_between_nothing_and_the_entropy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Tables that are drawn: the same as often as asked, from the probabilities that a replay finds. */
#include "documents.h"

#include <math.h>
#include <stdio.h>

#include "sonde_replay.h"

enum { N = 400 };

/* A model of a text. */
static sonde_model *read_model(sonde_text *text) {
    const sonde_source source = {.origin = "arms", .data = text->data, .size = text->size};
    sonde_model *model = NULL;
    sonde_error error;
    if (sonde_model_read(&source, NULL, NULL, &model, &error)) {
        fail_msg("%s", error.text);
    }
    sonde_text_free(text);
    return model;
}

/* Two arms, and a reward that the agent learns about. */
static sonde_model *bandit(double first, double second) {
    sonde_text text = {0};
    sonde_text_add(&text,
                   "{\"format\": \"sonde-model\", \"version\": 1, \"name\": \"arms\","
                   "\"factors\": [{\"name\": \"arm\", \"states\": 2, \"actions\": 2}],"
                   "\"modalities\": [{\"name\": \"reward\", \"outcomes\": [\"loss\", \"win\"]}],"
                   "\"A\": [[[%g, %g], [%g, %g]]],"
                   "\"B\": [[[[1, 0], [1, 0]], [[0, 1], [0, 1]]]], \"C\": [[-1, 1]],"
                   "\"D\": [[0.5, 0.5]], \"preferences\": \"utility\", \"horizon\": 1%s}",
                   1.0 - first, 1.0 - second, first, second,
                   first == 0.5 && second == 0.5 ? ", \"counts\": {\"A\": [[[1, 1], [1, 1]]]}"
                                                 : "");
    return read_model(&text);
}

/* Three arms, of which E leaves out the last, and the list of policies may, too. */
static sonde_model *three_arms(bool listed) {
    sonde_text text = {0};
    sonde_text_add(&text,
                   "{\"format\": \"sonde-model\", \"version\": 1,"
                   "\"factors\": [{\"states\": 1, \"actions\": 3}],"
                   "\"modalities\": [{\"outcomes\": 1}], \"A\": [[[1]]], \"B\": [[[[1, 1, 1]]]],"
                   "\"C\": [[0]], \"D\": [[1]], \"horizon\": 1, \"policies\": [[[0]], [[1]]%s],"
                   "\"E\": [1, 1%s]}",
                   listed ? ", [[2]]" : "", listed ? ", 0" : "");
    return read_model(&text);
}

/* How often an agent that lapses half of the time does the third of three things. */
static int32_t count_third(bool listed) {
    enum { N_STEP = 300 };
    sonde_model *model = three_arms(listed);
    sonde_replay_settings settings = sonde_replay_defaults(model);
    settings.lapse = 0.5;
    const sonde_experiment experiment = {.seed = 5, .n_episode = 1, .n_step = N_STEP};
    int32_t outcome[N_STEP];
    int32_t action[N_STEP];
    sonde_error error;
    int32_t n = 0;
    assert_int_equal(sonde_replay_draw(&settings, &experiment, NULL, outcome, action, &error), 0);
    for (int32_t i = 0; i < N_STEP; i++) {
        n += action[i] == 2;
    }
    sonde_model_free(model);
    return n;
}

static void lapses_come_to_what_E_leaves_out_and_not_to_what_starts_no_policy(void **state) {
    (void)state;
    const int32_t n = count_third(true); /* a sixth of them, on average */
    assert_true(n > 25 && n < 80);
    assert_int_equal(count_third(false), 0);
}

typedef struct {
    sonde_model *model;
    sonde_model *before;
    sonde_model *later;
    sonde_parameters *parameters;
    sonde_replay_settings settings;
    sonde_change change[2];
    sonde_experiment experiment;
    int32_t outcome[N];
    int32_t action[N];
} study;

static const double truth[] = {0.9, -0.4, -2.0};

static void open_study(study *s) {
    sonde_error error;
    *s = (study){.model = bandit(0.5, 0.5), .before = bandit(1, 0), .later = bandit(0, 1)};
    if (sonde_parameters_read(NULL, "gamma,eta_A,lapse", s->model, &s->parameters, &error)) {
        fail_msg("%s", error.text);
    }
    s->settings = sonde_replay_defaults(s->model);
    s->settings.learns = true;
    s->settings.timing = SONDE_TIMING_AFTER;
    s->settings.parameters = s->parameters;
    s->settings.theta = truth;
    s->change[0] = (sonde_change){.from = 0, .process = s->before};
    s->change[1] = (sonde_change){.from = 150, .process = s->later};
    s->experiment = (sonde_experiment){
        .seed = 3, .n_episode = 4, .n_step = N / 4, .n_change = 2, .change = s->change};
}

static void close_study(study *s) {
    sonde_parameters_free(s->parameters);
    sonde_model_free(s->model);
    sonde_model_free(s->before);
    sonde_model_free(s->later);
}

static sonde_status draw(study *s, sonde_error *error) {
    return sonde_replay_draw(&s->settings, &s->experiment, NULL, s->outcome, s->action, error);
}

static void the_same_subject_does_the_same_and_another_does_not(void **state) {
    (void)state;
    study s;
    study other;
    sonde_error error;
    open_study(&s);
    open_study(&other);
    assert_int_equal(draw(&s, &error), SONDE_OK);
    assert_int_equal(draw(&other, &error), SONDE_OK);
    assert_memory_equal(s.action, other.action, sizeof s.action);
    assert_memory_equal(s.outcome, other.outcome, sizeof s.outcome);
    other.experiment.subject = 1;
    assert_int_equal(draw(&other, &error), SONDE_OK);
    assert_memory_not_equal(s.action, other.action, sizeof s.action);
    close_study(&s);
    close_study(&other);
}

/* The first world lets arm 0 win and arm 1 lose, the second the other way round. */
static void a_world_changes_when_its_schedule_says(void **state) {
    (void)state;
    for (int32_t by_episode = 0; by_episode < 2; by_episode++) {
        study s;
        sonde_error error;
        open_study(&s);
        s.change[1].by_episode = by_episode == 1;
        s.change[1].from = by_episode ? 3 : 150;
        assert_int_equal(draw(&s, &error), SONDE_OK);
        for (int32_t i = 0; i < N; i++) {
            const bool late = i >= (by_episode ? 3 * N / 4 : 150);
            assert_int_equal(s.outcome[i], (s.action[i] == 1) == late ? 1 : 0);
        }
        close_study(&s);
    }
}

/* What a replay of the drawn rows makes of them. */
static sonde_replayed *follow(const study *s, sonde_data **data) {
    sonde_text csv = {0};
    sonde_data_write_header(s->model, &csv);
    for (int32_t e = 0; e < s->experiment.n_episode; e++) {
        const int32_t first = e * s->experiment.n_step;
        const sonde_sequence steps = {.n_step = s->experiment.n_step,
                                      .outcome = s->outcome + first,
                                      .action = s->action + first};
        sonde_data_write_episode(s->model, "s1", e, &steps, &csv);
    }
    const sonde_source source = {.origin = "drawn", .data = csv.data, .size = csv.size};
    sonde_replayed *replayed = NULL;
    sonde_error error;
    if (sonde_data_read(&source, s->model, NULL, data, &error) ||
        sonde_replay(&s->settings, *data, 0, 0, NULL, &replayed, &error)) {
        fail_msg("%s", error.text);
    }
    sonde_text_free(&csv);
    return replayed;
}

static void actions_come_as_often_as_they_are_probable(void **state) {
    (void)state;
    for (int32_t timing = 0; timing < 2; timing++) {
        double off = 0.0;
        double variance = 0.0;
        for (uint64_t subject = 0; subject < 10; subject++) {
            study s;
            sonde_error error;
            open_study(&s);
            s.settings.timing = (sonde_timing)timing;
            s.experiment.subject = subject;
            assert_int_equal(draw(&s, &error), SONDE_OK);
            sonde_data *data = NULL;
            sonde_replayed *replayed = follow(&s, &data);
            for (int32_t i = 0; i < N; i++) {
                /* p of the action taken is p with probability p and 1 - p otherwise */
                const double p = replayed->p[i];
                off += p - (p * p + (1.0 - p) * (1.0 - p));
                variance += p * (1.0 - p) * (2.0 * p - 1.0) * (2.0 * p - 1.0);
                assert_true(p > 0.5 / (1.0 + exp(2.0)) * 0.999);
            }
            sonde_replayed_free(replayed);
            sonde_data_free(data);
            close_study(&s);
        }
        assert_true(fabs(off) < 4.0 * sqrt(variance));
        assert_true(variance > 50.0);
    }
}

static void outcomes_of_a_table_are_looked_up(void **state) {
    (void)state;
    study s;
    sonde_error error;
    open_study(&s);
    static int32_t table[N][2];
    for (int32_t i = 0; i < N; i++) {
        table[i][0] = i % 3 == 0;
        table[i][1] = i % 3 != 0;
    }
    s.experiment.outcome = &table[0][0];
    assert_int_equal(draw(&s, &error), SONDE_OK);
    for (int32_t i = 0; i < N; i++) {
        assert_int_equal(s.outcome[i], table[i][s.action[i]]);
    }
    table[205][0] = table[205][1] = -2;
    assert_int_equal(draw(&s, &error), SONDE_BAD_ARGUMENT);
    assert_non_null(strstr(error.text, "in step 5 of episode 2, found nothing"));
    close_study(&s);
}

static void what_cannot_be_is_a_sentence(void **state) {
    (void)state;
    study s;
    sonde_error error;
    open_study(&s);
    s.experiment.n_step = 0;
    assert_int_equal(draw(&s, &error), SONDE_BAD_ARGUMENT);
    close_study(&s);
    open_study(&s);
    sonde_graph *graph = triangle(NULL, 2);
    world w = world_new(graph);
    s.settings.model = w.model;
    s.settings.parameters = NULL;
    assert_int_equal(draw(&s, &error), SONDE_BAD_ARGUMENT);
    assert_non_null(strstr(error.text, "found a graph world"));
    world_free(&w);
    close_study(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lapses_come_to_what_E_leaves_out_and_not_to_what_starts_no_policy),
        cmocka_unit_test(the_same_subject_does_the_same_and_another_does_not),
        cmocka_unit_test(a_world_changes_when_its_schedule_says),
        cmocka_unit_test(actions_come_as_often_as_they_are_probable),
        cmocka_unit_test(outcomes_of_a_table_are_looked_up),
        cmocka_unit_test(what_cannot_be_is_a_sentence),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* once */
/* Fits and recoveries ask for memory that may be refused; nothing is left behind then, and what
 * goes on all the same finds what it finds otherwise. */
#include "memory/allocator.h"

#include "sonde_fit.h"

static const char model_text[] =
    "{\"format\": \"sonde-model\", \"version\": 1,"
    "\"factors\": [{\"name\": \"arm\", \"states\": 2, \"actions\": 2}],"
    "\"modalities\": [{\"name\": \"reward\", \"outcomes\": [\"loss\", \"win\"]}],"
    "\"A\": [[[0.2, 0.7], [0.8, 0.3]]], \"B\": [[[[1, 0], [1, 0]], [[0, 1], [0, 1]]]],"
    "\"C\": [[-1, 1]], \"D\": [[0.5, 0.5]], \"preferences\": \"utility\", \"horizon\": 1%s}";

/* what a subject did in two sessions, and a parameter with a value in each */
static const char table_text[] = "subject,session,reward,arm\na,1,win,0\na,1,loss,1\na,2,loss,0\n"
                                 "a,2,win,1\nb,1,win,1\nb,2,loss,0\n";
static const char free_text[] =
    "[{\"name\": \"gamma\", \"target\": \"gamma\", \"per\": \"session\"}]";

typedef struct {
    sonde_model *model;
    sonde_data *data;
    sonde_parameters *parameters;
    sonde_parameters *by_session;
    sonde_replay_settings agent;
    sonde_experiment experiment;
    sonde_recover_settings settings;
    const sonde_parameters *both[2];
    sonde_run run;
    sonde_text wanted; /* what is found where no memory is refused */
} study;

static void open_study(study *s) {
    sonde_text text = {0};
    sonde_text_add(&text, model_text, "");
    const sonde_source source = {.origin = "arms", .data = text.data, .size = text.size};
    *s = (study){.run = sonde_run_defaults()};
    assert_int_equal(sonde_model_read(&source, NULL, NULL, &s->model, NULL), SONDE_OK);
    assert_int_equal(sonde_parameters_read(NULL, "gamma", s->model, &s->parameters, NULL),
                     SONDE_OK);
    sonde_text_free(&text);
    const sonde_data_settings reading = sonde_data_defaults();
    const sonde_source table = {.origin = "table", .data = table_text, .size = strlen(table_text)};
    const sonde_source free = {.origin = "free", .data = free_text, .size = strlen(free_text)};
    assert_int_equal(sonde_data_read(&table, s->model, &reading, &s->data, NULL), SONDE_OK);
    assert_int_equal(sonde_parameters_read(&free, NULL, s->model, &s->by_session, NULL), SONDE_OK);
    s->agent = sonde_replay_defaults(s->model);
    s->experiment = (sonde_experiment){.seed = 1, .n_episode = 1, .n_step = 3};
    s->both[0] = s->both[1] = s->parameters;
    s->run.n_thread = 1;
    s->settings = (sonde_recover_settings){.agent = &s->agent,
                                           .experiment = &s->experiment,
                                           .n_model = 2,
                                           .parameters = s->both,
                                           .n_subject = 4,
                                           .n_session = 2,
                                           .fit = sonde_fit_defaults()};
    s->settings.fit.n_start = 1;
    s->settings.fit.newton = true;
}

static void close_study(study *s) {
    sonde_text_free(&s->wanted);
    sonde_parameters_free(s->by_session);
    sonde_parameters_free(s->parameters);
    sonde_data_free(s->data);
    sonde_model_free(s->model);
}

/* What is found where memory was refused and it went on all the same is what is found otherwise. */
static sonde_status compare(study *s, sonde_text *json) {
    const sonde_status status = json->failed ? SONDE_NO_MEMORY : SONDE_OK;
    if (s->wanted.data == NULL) {
        s->wanted = *json;
        return status;
    }
    if (!status) {
        assert_string_equal(json->data, s->wanted.data);
    }
    sonde_text_free(json);
    return status;
}

static sonde_status recover(study *s) {
    sonde_recovered *recovered = NULL;
    sonde_error error = {0};
    sonde_status status = sonde_recover(&s->settings, &s->run, &recovered, &error);
    if (!status) {
        sonde_text json = {0};
        sonde_recovered_write(recovered, &json);
        status = compare(s, &json);
    } else {
        assert_true(strlen(error.text) > 0);
    }
    sonde_recovered_free(recovered);
    return status;
}

static sonde_status fit_sessions(study *s) {
    sonde_fit *fit = NULL;
    sonde_error error = {0};
    sonde_status status =
        sonde_fit_new(&s->agent, s->data, s->by_session, &s->settings.fit, &s->run, &fit, &error);
    if (!status) {
        sonde_text json = {0};
        sonde_fit_write(fit, NULL, &json);
        status = compare(s, &json);
    } else {
        assert_true(strlen(error.text) > 0);
    }
    sonde_fit_free(fit);
    return status;
}

static sonde_status find_power(study *s) {
    static const int32_t size[] = {4};
    const sonde_power_settings asked = {
        .parameter = "gamma", .difference = 1.0, .n_size = 1, .size = size, .n_repeat = 1};
    sonde_power power;
    return sonde_recover_power(&s->settings, &asked, &s->run, &power, NULL);
}

static sonde_status read_process(study *s) {
    (void)s;
    sonde_task *process = NULL;
    const sonde_status status =
        sonde_task_read(SONDE_TEST_TMP "/process.json", NULL, &process, NULL);
    sonde_task_free(process);
    return status;
}

static sonde_status read_outcomes(study *s) {
    sonde_task *process = NULL;
    const sonde_status status =
        sonde_task_outcomes(SONDE_TEST_TMP "/outcomes.csv", s->model, &s->experiment,
                            SONDE_TIMING_AFTER, &process, NULL);
    sonde_task_free(process);
    return status;
}

static void refuse_each(sonde_status (*work)(study *s)) {
    study s;
    open_study(&s);
    assert_int_equal(work(&s), SONDE_OK);
    /* every request at first, then some of very many */
    for (int64_t n = 1;; n += n < 200 ? 1 : n / 20) {
        watch_memory(n);
        const sonde_status status = work(&s);
        unwatch_memory();
        assert_int_equal(allocator.n_live, 0);
        if (!allocator.refused) {
            assert_int_equal(status, SONDE_OK);
            assert_true(n > 5);
            break;
        }
        assert_true(status == SONDE_OK || status == SONDE_NO_MEMORY);
    }
    close_study(&s);
}

static void every_request_of_a_recovery_may_be_refused(void **state) {
    (void)state;
    refuse_each(recover);
}

static void every_request_of_a_fit_may_be_refused(void **state) {
    (void)state;
    refuse_each(fit_sessions);
}

static void every_request_of_groups_may_be_refused(void **state) {
    (void)state;
    refuse_each(find_power);
}

static void every_request_of_worlds_may_be_refused(void **state) {
    (void)state;
    FILE *file = fopen(SONDE_TEST_TMP "/process.json", "w");
    assert_non_null(file);
    (void)fprintf(file, model_text,
                  ", \"schedule\": [{\"from\": {\"step\": 2}, \"A\": [[[0.7, 0.2], [0.3, 0.8]]]}]");
    (void)fclose(file);
    refuse_each(read_process);
    file = fopen(SONDE_TEST_TMP "/outcomes.csv", "w");
    assert_non_null(file);
    (void)fputs("step,arm,reward\n0,0,win\n0,1,loss\n1,,win\n2,0,0\n", file);
    (void)fclose(file);
    refuse_each(read_outcomes);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_request_of_a_recovery_may_be_refused),
        cmocka_unit_test(every_request_of_a_fit_may_be_refused),
        cmocka_unit_test(every_request_of_groups_may_be_refused),
        cmocka_unit_test(every_request_of_worlds_may_be_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

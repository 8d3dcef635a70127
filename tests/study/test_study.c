/* Results are complete tasks, the same ones however they were made. */
/* uses threads */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "study/study_internal.h"

#define SMALL                                                                                      \
    "{\"format\": \"sonde-plan\", \"version\": 1, \"name\": \"small\", \"worlds\": {\"sizes\": "   \
    "[3, 4], \"graphs\": 4}, \"conditions\": [{\"search\": \"full\", \"scope\": [\"local\", "      \
    "\"global\"]}, {\"semantics\": [\"text\", \"notebook\"], \"scope\": [\"local\", \"global\"], " \
    "\"embedding\": [\"edm\", \"aboe\"], \"k\": [6, 12], \"probe\": [\"center\", \"sample\"]}, "   \
    "{\"connect\": \"directed\", \"graphs\": 2}]}"
#define OTHER                                                                                      \
    "{\"format\": \"sonde-plan\", \"version\": 1, \"worlds\": {\"sizes\": [3], \"graphs\": 1}, "   \
    "\"conditions\": [{}]}"

static sonde_study_plan *plan_of(const char *text) {
    const sonde_source source = {"plan", text, strlen(text)};
    sonde_study_plan *plan = NULL;
    assert_int_equal(sonde__plan_parse(&source, &plan, NULL), SONDE_OK);
    return plan;
}

static const char *file(const char *name) {
    static char path[4096];
    (void)snprintf(path, sizeof path, "%s/%s", SONDE_TEST_TMP, name);
    return path;
}

/* Does a whole plan on some threads, and reads the results back. */
static sonde__results *results_of(const sonde_study_plan *plan, const char *path,
                                  int32_t n_thread) {
    sonde_study *study = NULL;
    sonde__results *results = NULL;
    sonde_error error = {0};
    sonde_run run = sonde_run_defaults();
    run.n_thread = n_thread;
    (void)unlink(path);
    if (sonde_study_open(path, plan, &study, &error) != SONDE_OK ||
        sonde_study_run(study, &run, &error) != SONDE_OK) {
        fail_msg("%s", error.text);
    }
    assert_int_equal(sonde_study_done(study), plan->n_task);
    assert_int_equal(sonde_study_next(study), -1);
    sonde_study_close(study);
    if (sonde__results_read(path, &results, &error) != SONDE_OK) {
        fail_msg("%s", error.text);
    }
    return results;
}

static void assert_same_run(const sonde__result_run *a, const sonde__result_run *b) {
    assert_int_equal(a->condition, b->condition);
    assert_int_equal(a->size, b->size);
    assert_int_equal(a->graph, b->graph);
    assert_int_equal(a->optimal, b->optimal);
    assert_int_equal(a->failure, b->failure);
    assert_int_equal(a->reached, b->reached);
    assert_true(a->walked == b->walked);
    assert_true(a->n_policy == b->n_policy && a->n_step == b->n_step);
    assert_int_equal(a->k, b->k);
    assert_int_equal(a->n_valid, b->n_valid);
    assert_string_equal(a->path, b->path);
}

static void assert_same(const sonde__results *a, const sonde__results *b) {
    assert_int_equal(a->n_world, b->n_world);
    assert_int_equal(a->n_run, b->n_run);
    for (int32_t i = 0; i < a->n_world; i++) {
        assert_string_equal(a->world[i].document, b->world[i].document);
        assert_true(a->world[i].seed == b->world[i].seed);
        assert_int_equal(a->world[i].n_redraw, b->world[i].n_redraw);
    }
    for (int32_t i = 0; i < a->n_run; i++) {
        assert_same_run(&a->run[i], &b->run[i]);
    }
}

static void one_two_and_four_threads_give_the_same_rows(void **state) {
    (void)state;
    sonde_study_plan *plan = plan_of(SMALL);
    sonde__results *one = results_of(plan, file("one.sqlite"), 1);
    assert_int_equal(one->n_run, (int32_t)plan->n_run);
    for (int32_t n_thread = 2; n_thread <= 4; n_thread += 2) {
        sonde__results *more = results_of(plan, file("more.sqlite"), n_thread);
        assert_same(one, more);
        sonde__results_free(more);
    }
    sonde__results_free(one);
    sonde_study_plan_free(plan);
}

/* A row is what the same agent does on its own in the world that the row names. */
static void a_row_can_be_done_again_from_what_it_says(void **state) {
    (void)state;
    sonde_study_plan *plan = plan_of(SMALL);
    sonde__results *results = results_of(plan, file("again.sqlite"), 2);
    for (int32_t i = 0; i < results->n_run; i += 7) {
        const sonde__result_run *row = &results->run[i];
        const sonde_condition *condition = &plan->condition[row->condition];
        const sonde__result_world *world = results->world;
        while (world->connect != condition->connect || world->size != row->size ||
               world->graph != row->graph) {
            world++;
        }
        const sonde_source source = {"row", world->document, strlen(world->document)};
        sonde_search_settings settings = condition->search;
        settings.seed = world->seed;
        sonde_differences_apply(condition->differences, condition->k_before, &settings);
        sonde_graph *graph = NULL;
        sonde_model *model = NULL;
        sonde_policies *policies = NULL;
        sonde_agent *agent = NULL;
        sonde_episode *episode = NULL;
        assert_int_equal(sonde_graph_read(&source, NULL, 0, &graph, NULL), SONDE_OK);
        assert_int_equal(sonde_model_from_graph(graph, &model, NULL), SONDE_OK);
        assert_int_equal(sonde_policies_count(model, 0, NULL, &policies, NULL), SONDE_OK);
        assert_int_equal(sonde_agent_new(policies, &settings, NULL, &agent, NULL), SONDE_OK);
        assert_int_equal(sonde_simulate(agent, NULL, plan->n_step, &episode, NULL), SONDE_OK);
        assert_int_equal(episode->optimal, row->optimal);
        assert_int_equal(episode->failure, row->failure);
        assert_true(episode->walked == row->walked);
        sonde_episode_free(episode);
        sonde_agent_free(agent);
        sonde_policies_free(policies);
        sonde_model_free(model);
        sonde_graph_free(graph);
    }
    sonde__results_free(results);
    sonde_study_plan_free(plan);
}

static void what_is_there_is_not_done_again(void **state) {
    (void)state;
    sonde_study_plan *plan = plan_of(SMALL);
    const char *path = file("resume.sqlite");
    sonde_study *study = NULL;
    sonde_error error = {0};
    bool done[8] = {false};
    assert_int_equal(plan->n_task, 8);
    (void)unlink(path);
    assert_int_equal(sonde_study_open(path, plan, &study, &error), SONDE_OK);
    for (int32_t i = 0; i < 3; i++) {
        sonde_text rows = {0};
        const int32_t task = sonde_study_next(study);
        done[task] = true;
        assert_int_equal(sonde_study_plan_work(plan, task, NULL, &rows, &error), 0);
        assert_int_equal(sonde_study_take(study, &rows, &error), SONDE_OK);
        /* the same rows twice are refused, and change nothing */
        if (i == 0) {
            assert_int_not_equal(sonde_study_take(study, &rows, &error), SONDE_OK);
        }
        sonde_text_free(&rows);
    }
    sonde_study_close(study);
    assert_int_equal(sonde_study_open(path, plan, &study, &error), SONDE_OK);
    assert_int_equal(sonde_study_done(study), 3);
    for (int32_t i = 3; i < plan->n_task; i++) {
        const int32_t task = sonde_study_next(study);
        assert_true(task >= 0 && !done[task]);
        done[task] = true;
    }
    assert_int_equal(sonde_study_next(study), -1);
    sonde_study_close(study);
    sonde_study_plan_free(plan);
}

static void another_plan_or_file_is_refused(void **state) {
    (void)state;
    sonde_study_plan *plan = plan_of(SMALL);
    sonde_study_plan *other = plan_of(OTHER);
    const char *path = file("refused.sqlite");
    sonde_study *study = NULL;
    sonde_study *second = NULL;
    sonde__results *results = NULL;
    sonde_error error = {0};
    (void)unlink(path);
    assert_int_equal(sonde_study_open(path, plan, &study, &error), SONDE_OK);
    /* while it is open it is nobody else's */
    assert_int_equal(sonde_study_open(path, plan, &second, &error), SONDE_NOT_WRITTEN);
    assert_non_null(strstr(error.text, "another process"));
    sonde_study_close(study);
    assert_int_equal(sonde_study_open(path, other, &second, &error), SONDE_BAD_INPUT);
    assert_non_null(strstr(error.text, "another plan"));
    FILE *text = fopen(file("text.sqlite"), "w");
    (void)fputs("this is no database, though it is long enough to be looked at as if it were one. "
                "this is no database, though it is long enough to be looked at.",
                text);
    (void)fclose(text);
    assert_int_equal(sonde_study_open(file("text.sqlite"), plan, &second, &error), SONDE_BAD_INPUT);
    assert_int_equal(sonde__results_read(file("text.sqlite"), &results, &error), SONDE_BAD_INPUT);
    assert_int_equal(sonde__results_read(file("missing.sqlite"), &results, &error), SONDE_NO_FILE);
    assert_int_equal(sonde_study_open(file("no/folder.sqlite"), plan, &second, &error),
                     SONDE_NO_FILE);
    sonde_study_plan_free(other);
    sonde_study_plan_free(plan);
}

static void a_raised_flag_stops_between_rows_and_loses_nothing(void **state) {
    (void)state;
    sonde_study_plan *plan = plan_of(SMALL);
    const char *path = file("stopped.sqlite");
    sonde_stop stop = {0};
    sonde_run run = sonde_run_defaults();
    sonde_study *study = NULL;
    sonde_error error = {0};
    (void)unlink(path);
    sonde_stop_raise(&stop);
    run.stop = &stop;
    assert_int_equal(sonde_study_open(path, plan, &study, &error), SONDE_OK);
    assert_int_equal(sonde_study_run(study, &run, &error), SONDE_STOPPED);
    assert_int_equal(sonde_study_done(study), 0);
    sonde_study_close(study);
    sonde_study_plan_free(plan);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_two_and_four_threads_give_the_same_rows),
        cmocka_unit_test(a_row_can_be_done_again_from_what_it_says),
        cmocka_unit_test(what_is_there_is_not_done_again),
        cmocka_unit_test(another_plan_or_file_is_refused),
        cmocka_unit_test(a_raised_flag_stops_between_rows_and_loses_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

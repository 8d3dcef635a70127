/* Tasks on threads: each is done once, whatever the number of threads. */
/* uses threads */
#include <pthread.h>
#include <sched.h>
#include <time.h>

#include "base/clock.h"
#include "base/parallel.h"
#include "worlds.h"

enum { N_TASK_MAX = 1000, N_RUN = 5 };
static const int32_t n_thread_of[N_RUN] = {1, 2, 3, 8, 5000};

/* what the tasks of a test share */
typedef struct {
    int32_t n_thread;
    int32_t raise_at; /* the task that raises the flag, or -1 */
    sonde_stop stop;
    int count[N_TASK_MAX];
    int n_done;
    int n_wrong; /* workers that there cannot be */
    int workers; /* the sum of the numbers of those who met */
    int waiting;
    int met;
} bench;

static sonde_run run_of(bench *b, int32_t n_thread) {
    *b = (bench){.n_thread = n_thread, .raise_at = -1};
    sonde_run run = sonde_run_defaults();
    run.n_thread = n_thread;
    run.stop = &b->stop;
    return run;
}

static void count_task(void *context, int32_t task, int32_t worker) {
    bench *b = context;
    __atomic_add_fetch(&b->count[task], 1, __ATOMIC_RELAXED);
    __atomic_add_fetch(&b->n_done, 1, __ATOMIC_RELAXED);
    if (worker < 0 || worker >= b->n_thread) {
        __atomic_add_fetch(&b->n_wrong, 1, __ATOMIC_RELAXED);
    }
    if (task == b->raise_at) {
        sonde_stop_raise(&b->stop);
    }
}

static void every_task_is_done_once(void **state) {
    (void)state;
    static const int32_t n_task_of[] = {0, 1, 2, 3, 7, 8, 9, N_TASK_MAX};
    for (int i = 0; i < N_RUN; i++) {
        for (size_t k = 0; k < sizeof n_task_of / sizeof *n_task_of; k++) {
            const int32_t n_task = n_task_of[k];
            bench b;
            const sonde_run run = run_of(&b, n_thread_of[i]);
            assert_int_equal(sonde__parallel(&run, n_task, NULL, count_task, &b), SONDE_OK);
            for (int32_t t = 0; t < N_TASK_MAX; t++) {
                assert_int_equal(b.count[t], t < n_task ? 1 : 0);
            }
            assert_int_equal(b.n_wrong, 0);
        }
    }
}

static void a_run_without_a_stop_flag_is_a_run(void **state) {
    (void)state;
    bench b;
    sonde_run run = run_of(&b, 3);
    run.stop = NULL;
    assert_int_equal(sonde__parallel(&run, 20, NULL, count_task, &b), SONDE_OK);
    assert_int_equal(b.n_done, 20);
}

static void a_raised_flag_lets_nothing_begin(void **state) {
    (void)state;
    for (int i = 0; i < N_RUN; i++) {
        bench b;
        const sonde_run run = run_of(&b, n_thread_of[i]);
        sonde_stop_raise(&b.stop);
        assert_int_equal(sonde__parallel(&run, N_TASK_MAX, NULL, count_task, &b), SONDE_STOPPED);
        assert_int_equal(b.n_done, 0);
    }
}

static void a_flag_raised_on_the_way_stops_the_rest(void **state) {
    (void)state;
    for (int i = 0; i < N_RUN; i++) {
        bench b;
        const sonde_run run = run_of(&b, n_thread_of[i]);
        b.raise_at = 5;
        assert_int_equal(sonde__parallel(&run, N_TASK_MAX, NULL, count_task, &b), SONDE_STOPPED);
        assert_int_equal(b.count[5], 1);
        for (int32_t t = 0; t < N_TASK_MAX; t++) {
            assert_true(b.count[t] <= 1);
        }
    }
    /* alone, a thread stops right after the task that raised the flag */
    bench b;
    const sonde_run run = run_of(&b, 1);
    b.raise_at = 5;
    assert_int_equal(sonde__parallel(&run, N_TASK_MAX, NULL, count_task, &b), SONDE_STOPPED);
    assert_int_equal(b.n_done, 6);
}

static void a_flag_raised_by_the_last_task_counts(void **state) {
    (void)state;
    bench b;
    const sonde_run run = run_of(&b, 1);
    b.raise_at = 9;
    assert_int_equal(sonde__parallel(&run, 10, NULL, count_task, &b), SONDE_STOPPED);
    assert_int_equal(b.n_done, 10);
}

/* Waits until another task waits, too. */
static void meet(void *context, int32_t task, int32_t worker) {
    (void)task;
    bench *b = context;
    const double begin = sonde__seconds();
    __atomic_add_fetch(&b->workers, worker, __ATOMIC_SEQ_CST);
    __atomic_add_fetch(&b->waiting, 1, __ATOMIC_SEQ_CST);
    while (__atomic_load_n(&b->waiting, __ATOMIC_SEQ_CST) < 2 && sonde__seconds() - begin < 20.0) {
        const struct timespec nap = {.tv_nsec = 100000};
        (void)nanosleep(&nap, NULL);
    }
    if (__atomic_load_n(&b->waiting, __ATOMIC_SEQ_CST) == 2) {
        __atomic_add_fetch(&b->met, 1, __ATOMIC_SEQ_CST);
    }
}

static void two_threads_work_at_the_same_time(void **state) {
    (void)state;
    bench b;
    const sonde_run run = run_of(&b, 2);
    assert_int_equal(sonde__parallel(&run, 2, NULL, meet, &b), SONDE_OK);
    assert_int_equal(b.met, 2);
    assert_int_equal(b.workers, 0 + 1);
}

/* what the progress function saw */
typedef struct {
    pthread_t caller;
    int n_call;
    int n_elsewhere;
    int n_wrong;
    uint64_t done;
    uint64_t total;
} watch;

static void look(void *user, const char *stage, uint64_t done, uint64_t total) {
    watch *w = user;
    if (!pthread_equal(pthread_self(), w->caller)) {
        __atomic_add_fetch(&w->n_elsewhere, 1, __ATOMIC_RELAXED);
        return;
    }
    w->n_call++;
    w->n_wrong +=
        strcmp(stage, "counting") != 0 || done <= w->done || done > w->total || total != w->total;
    w->done = done;
}

static void progress_is_told_by_the_calling_thread_alone(void **state) {
    (void)state;
    for (int i = 0; i < N_RUN; i++) {
        bench b;
        sonde_run run = run_of(&b, n_thread_of[i]);
        watch w = {.caller = pthread_self(), .total = N_TASK_MAX};
        run.progress = look;
        run.user = &w;
        assert_int_equal(sonde__parallel(&run, N_TASK_MAX, "counting", count_task, &b), SONDE_OK);
        assert_int_equal(w.n_elsewhere, 0);
        assert_int_equal(w.n_wrong, 0);
        if (n_thread_of[i] == 1) {
            assert_int_equal(w.n_call, N_TASK_MAX);
            assert_int_equal(w.done, N_TASK_MAX);
        }
    }
}

static void without_a_stage_nothing_is_told(void **state) {
    (void)state;
    bench b;
    sonde_run run = run_of(&b, 2);
    watch w = {.caller = pthread_self(), .total = 100};
    run.progress = look;
    run.user = &w;
    assert_int_equal(sonde__parallel(&run, 100, NULL, count_task, &b), SONDE_OK);
    assert_int_equal(w.n_call + w.n_elsewhere, 0);
}

/* a number that is not atomic, and the lock that makes up for it */
typedef struct {
    sonde__lock *lock;
    int64_t n;
} ledger;

static void enter(void *context, int32_t task, int32_t worker) {
    (void)task;
    (void)worker;
    ledger *l = context;
    for (int i = 0; i < 100; i++) {
        sonde__lock_hold(l->lock);
        const int64_t before = l->n;
        (void)sched_yield(); /* a chance for others to come in between */
        l->n = before + 1;
        sonde__lock_drop(l->lock);
    }
}

static void a_lock_lets_one_thread_in_at_a_time(void **state) {
    (void)state;
    ledger l = {.lock = sonde__lock_new()};
    assert_non_null(l.lock);
    sonde_run run = sonde_run_defaults();
    run.n_thread = 8;
    assert_int_equal(sonde__parallel(&run, 100, NULL, enter, &l), SONDE_OK);
    assert_int_equal(l.n, 10000);
    sonde__lock_free(l.lock);
    sonde__lock_free(NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_task_is_done_once),
        cmocka_unit_test(a_run_without_a_stop_flag_is_a_run),
        cmocka_unit_test(a_raised_flag_lets_nothing_begin),
        cmocka_unit_test(a_flag_raised_on_the_way_stops_the_rest),
        cmocka_unit_test(a_flag_raised_by_the_last_task_counts),
        cmocka_unit_test(two_threads_work_at_the_same_time),
        cmocka_unit_test(progress_is_told_by_the_calling_thread_alone),
        cmocka_unit_test(without_a_stage_nothing_is_told),
        cmocka_unit_test(a_lock_lets_one_thread_in_at_a_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* parallel.c: tasks handed out to a few threads.
 *
 * Threads draw the next task number from a shared counter. A system that refuses a thread costs
 * speed, not results: the caller's own thread does whatever is left. */
#include "base/parallel.h"

#include <pthread.h>

#include "base/memory.h"

#define N_THREAD_MAX 256

typedef struct {
    const sonde_run *run;
    sonde__task task;
    void *context;
    const char *stage;
    int32_t n_task;
    int32_t next; /* shared: the next task */
    int32_t done; /* shared: tasks finished */
} crew;

typedef struct {
    crew *crew;
    int32_t number;
} worker;

static void *work(void *argument) {
    const worker *me = argument;
    crew *all = me->crew;
    while (!sonde__stopped(all->run)) {
        const int32_t task = __atomic_fetch_add(&all->next, 1, __ATOMIC_RELAXED);
        if (task >= all->n_task) {
            break;
        }
        all->task(all->context, task, me->number);
        const int32_t done = __atomic_add_fetch(&all->done, 1, __ATOMIC_RELAXED);
        if (me->number == 0 && all->stage != NULL) {
            sonde__progress(all->run, all->stage, (uint64_t)done, (uint64_t)all->n_task);
        }
    }
    return NULL;
}

sonde_status sonde__parallel(const sonde_run *run, int32_t n_task, const char *stage,
                             sonde__task task, void *context) {
    crew all = {.run = run, .task = task, .context = context, .stage = stage, .n_task = n_task};
    pthread_t thread[N_THREAD_MAX];
    worker member[N_THREAD_MAX];
    int32_t n_worker = run->n_thread < n_task ? run->n_thread : n_task;
    n_worker = n_worker < N_THREAD_MAX ? n_worker : N_THREAD_MAX;
    int32_t n_started = 1;
    for (; n_started < n_worker; n_started++) {
        member[n_started] = (worker){&all, n_started};
        if (pthread_create(&thread[n_started], NULL, work, &member[n_started]) != 0) {
            break;
        }
    }
    member[0] = (worker){&all, 0};
    (void)work(&member[0]);
    for (int32_t i = 1; i < n_started; i++) {
        (void)pthread_join(thread[i], NULL);
    }
    /* a task that saw the flag itself has not done its work, though it has ended */
    return all.done == n_task && !sonde__stopped(run) ? SONDE_OK : SONDE_STOPPED;
}

struct sonde__lock {
    pthread_mutex_t mutex;
};

sonde__lock *sonde__lock_new(void) {
    sonde__lock *lock = sonde__alloc(sizeof *lock);
    if (lock != NULL && pthread_mutex_init(&lock->mutex, NULL) != 0) {
        sonde__free(lock);
        return NULL;
    }
    return lock;
}

void sonde__lock_hold(sonde__lock *lock) {
    (void)pthread_mutex_lock(&lock->mutex);
}

void sonde__lock_drop(sonde__lock *lock) {
    (void)pthread_mutex_unlock(&lock->mutex);
}

void sonde__lock_free(sonde__lock *lock) {
    if (lock != NULL) {
        (void)pthread_mutex_destroy(&lock->mutex);
        sonde__free(lock);
    }
}

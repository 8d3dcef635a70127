/* load.c: agents made, used and freed by several threads for a while, watching memory and pace.
 *
 *     load THREADS SECONDS FIRST [SHARE]
 *
 * Each thread makes agents of several kinds, from the number FIRST on, lets each observe, search
 * and act for some steps, and frees it. With a SHARE, threads rest in between, so that all of them
 * together take so much of one core. Prints
 *
 *     agents N steps N growth PERCENT pace PERCENT held KILOBYTES wrong N used SECONDS
 *
 * growth being that of the memory that the process holds, after a fifth of the time and at the end;
 * pace how many more agents a second of the processor makes in the last two fifths than in those
 * before; wrong how many agents failed, or decided otherwise at first than another of their kind;
 * used the time of the processor. Seconds of the processor are told by a yardstick, some arithmetic
 * that every thread does now and then: what else the machine is busy with makes both slower. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "sonde.h"
#include "sonde_make.h"

enum { KINDS = 6, THREADS_MOST = 64, STEPS = 3, EVERY = 4, YARD = 512, TURNS = 200 };

static sonde_graph *world;
static sonde_model *model_of_graph;
static sonde_model *grid;
static sonde_policies *policies[2];
static atomic_ulong n_agent;
static atomic_ulong n_step;
static atomic_ulong n_wrong;
static atomic_int over;
/* the action and probability that each kind of agent decides for at first; 0: not yet known */
static atomic_ulong decided[KINDS];
static unsigned long first_number;
/* nanoseconds of the processor that agents took, and yardsticks; how many of these there were */
static atomic_ulong agent_time;
static atomic_ulong yard_time;
static atomic_ulong n_yard;
/* how long a thread rests for each second that it works */
static double rest;

static double clock_of(clockid_t which) {
    struct timespec t;
    (void)clock_gettime(which, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Kilobytes that the process holds. */
static long held(void) {
    FILE *file = fopen("/proc/self/statm", "r");
    long total = 0;
    long resident = 0;
    if (file != NULL) {
        if (fscanf(file, "%ld %ld", &total, &resident) != 2) {
            resident = 0;
        }
        (void)fclose(file);
    }
    return resident * (sysconf(_SC_PAGESIZE) / 1024);
}

/* Settings of one kind of agent, the same for every agent of the kind. */
static sonde_search_settings settings_of(int kind) {
    static const sonde_search_kind search[KINDS] = {SONDE_SEARCH_BOUNDED, SONDE_SEARCH_CLUSTER,
                                                    SONDE_SEARCH_FULL,    SONDE_SEARCH_BOUNDED,
                                                    SONDE_SEARCH_BEAM,    SONDE_SEARCH_AUTO};
    sonde_search_settings settings = sonde_search_defaults();
    settings.search = search[kind];
    settings.n_beam = 8;
    settings.cluster.k = 4;
    if (kind == 5) {
        settings.loop = SONDE_LOOP_CLOSED;
    }
    return settings;
}

/* What a decision is, in one number that is not 0. */
static unsigned long digest(const sonde_decision *d) {
    unsigned long all = 1469598103934665603UL;
    for (int32_t i = 0; i < d->n_action; i++) {
        unsigned long bits = 0;
        memcpy(&bits, &d->posterior[i],
               sizeof bits < sizeof(double) ? sizeof bits : sizeof(double));
        all = (all ^ bits ^ (unsigned long)d->action[i]) * 1099511628211UL;
    }
    return all | 1UL;
}

/* One agent from beginning to end; false where a call fails. */
static bool live(int kind) {
    const sonde_search_settings settings = settings_of(kind);
    sonde_run run = sonde_run_defaults();
    sonde_agent *agent = NULL;
    const sonde_decision *d = NULL;
    run.n_thread = 1;
    bool good = sonde_agent_new(policies[kind >= 3], &settings, &run, &agent, NULL) == SONDE_OK;
    for (int t = 0; good && t < STEPS; t++) {
        good = sonde_agent_search(agent, &d, NULL) == SONDE_OK;
        if (good && t == 0) {
            const unsigned long now = digest(d);
            unsigned long none = 0;
            if (!atomic_compare_exchange_strong(&decided[kind], &none, now) && none != now) {
                good = false;
            }
        }
        good = good && sonde_agent_act(agent) >= 0;
        atomic_fetch_add(&n_step, 1);
    }
    sonde_agent_free(agent);
    return good;
}

/* Sums that are always the same and cannot be left out. */
static double measure(const double *number) {
    double sum = 0.0;
    for (int turn = 0; turn < TURNS; turn++) {
        for (int i = 0; i < YARD; i++) {
            sum += number[i] * (double)(turn + i);
        }
    }
    return sum;
}

static void wait_for(double seconds) {
    const struct timespec t = {.tv_sec = (time_t)seconds,
                               .tv_nsec = (long)(1e9 * (seconds - (double)(time_t)seconds))};
    (void)nanosleep(&t, NULL);
}

/* Adds the time of the processor that this thread took since a moment; the moment now. */
static double add_time(atomic_ulong *to, double since) {
    const double now = clock_of(CLOCK_THREAD_CPUTIME_ID);
    atomic_fetch_add(to, (unsigned long)(1e9 * (now - since)));
    return now;
}

static void *work(void *mine) {
    double number[YARD];
    double sum = 0.0;
    for (int i = 0; i < YARD; i++) {
        number[i] = 1.0 / (double)(1 + i);
    }
    for (unsigned long i = first_number + (unsigned long)(size_t)mine; !atomic_load(&over); i++) {
        const double began = clock_of(CLOCK_THREAD_CPUTIME_ID);
        if (!live((int)(i % KINDS))) {
            atomic_fetch_add(&n_wrong, 1);
        }
        double now = add_time(&agent_time, began);
        atomic_fetch_add(&n_agent, 1);
        if (i % EVERY == 0) {
            sum += measure(number);
            now = add_time(&yard_time, now);
            atomic_fetch_add(&n_yard, 1);
        }
        if (rest > 0.0) {
            wait_for(rest * (now - began));
        }
    }
    if (!(sum >= 0.0)) {
        atomic_fetch_add(&n_wrong, 1);
    }
    return NULL;
}

/* What there is to plan on: a graph world, and a grid. */
static bool prepare(void) {
    sonde_graph_settings drawing = sonde_graph_defaults();
    sonde_make_settings making = sonde_make_defaults();
    sonde_model_settings change = sonde_model_defaults();
    drawing.n_node = 5;
    making.make = SONDE_MAKE_GRID;
    change.horizon = 3;
    return sonde_graph_random(&drawing, 57, &world, NULL) == SONDE_OK &&
           sonde_model_from_graph(world, &model_of_graph, NULL) == SONDE_OK &&
           sonde_make(&making, &change, NULL, &grid, NULL) == SONDE_OK &&
           sonde_policies_count(model_of_graph, 0, NULL, &policies[0], NULL) == SONDE_OK &&
           sonde_policies_count(grid, 0, NULL, &policies[1], NULL) == SONDE_OK;
}

/* How many agents were made in the time of a yardstick, while some time passed. */
static double pace(double seconds) {
    const unsigned long agents = atomic_load(&n_agent);
    const unsigned long agents_took = atomic_load(&agent_time);
    const unsigned long yards = atomic_load(&n_yard);
    const unsigned long yards_took = atomic_load(&yard_time);
    wait_for(seconds);
    const double agent = (double)(atomic_load(&agent_time) - agents_took) /
                         (double)(atomic_load(&n_agent) - agents + 1);
    const double yard =
        (double)(atomic_load(&yard_time) - yards_took) / (double)(atomic_load(&n_yard) - yards + 1);
    return agent > 0.0 ? yard / agent : 0.0;
}

static double apart(double a, double b) {
    return a > 0.0 ? 100.0 * (b - a) / a : 0.0;
}

int main(int n, char **word) {
    pthread_t thread[THREADS_MOST];
    const int n_thread = n == 4 || n == 5 ? atoi(word[1]) : 0;
    if (n_thread < 1 || n_thread > THREADS_MOST) {
        (void)fprintf(stderr, "usage: load THREADS SECONDS FIRST [SHARE]\n");
        return 2;
    }
    const double seconds = atof(word[2]);
    first_number = strtoul(word[3], NULL, 10);
    rest = n == 5 && atof(word[4]) > 0.0 ? (double)n_thread / atof(word[4]) - 1.0 : 0.0;
    if (!prepare()) {
        (void)fprintf(stderr, "what there is to plan on could not be made\n");
        return 3;
    }
    for (int i = 0; i < n_thread; i++) {
        if (pthread_create(&thread[i], NULL, work, (void *)(size_t)i) != 0) {
            return 3;
        }
    }
    wait_for(0.2 * seconds);
    const long before = held();
    const double first = pace(0.4 * seconds);
    const double second = pace(0.4 * seconds);
    const long after = held();
    atomic_store(&over, 1);
    for (int i = 0; i < n_thread; i++) {
        (void)pthread_join(thread[i], NULL);
    }
    sonde_policies_free(policies[0]);
    sonde_policies_free(policies[1]);
    sonde_model_free(grid);
    sonde_model_free(model_of_graph);
    sonde_graph_free(world);
    printf("agents %lu steps %lu growth %.3f pace %.3f held %ld wrong %lu used %.1f\n",
           atomic_load(&n_agent), atomic_load(&n_step), apart((double)before, (double)after),
           apart(first, second), after, atomic_load(&n_wrong), clock_of(CLOCK_PROCESS_CPUTIME_ID));
    return atomic_load(&n_wrong) > 0;
}

/* cluster.c: from an embedding to clusters and their representatives.
 *
 * Restarts of k-means are independent tasks, each with a random stream of its own; each worker keeps
 * the best it has seen and the best of those, by (inertia, number of the restart), is the result,
 * whichever worker ran it. Clusters are then numbered by their lowest member. */
#include "cluster/cluster.h"

#include <math.h>
#include <string.h>

#include "base/parallel.h"

#define TIE 1e-9
/* restarts of one fit have streams side by side */
#define N_RESTART_MAX 65535

sonde_cluster_settings sonde_cluster_defaults(void) {
    return (sonde_cluster_settings){
        .k = 12, .n_restart = 10, .n_round_max = 300, .tolerance = 1e-4, .seed = 1};
}

sonde_status sonde__cluster_check(const sonde_cluster_settings *settings, sonde_error *error) {
    const struct {
        const char *name;
        int32_t value;
    } whole[] = {
        {"k", settings->k}, {"restarts", settings->n_restart}, {"rounds", settings->n_round_max}};
    for (int i = 0; i < 3; i++) {
        if (whole[i].value < 1) {
            return sonde__fail(error, SONDE_BAD_ARGUMENT, "%s: expected 1 or more, found %d",
                               whole[i].name, whole[i].value);
        }
    }
    if (settings->n_restart > N_RESTART_MAX) {
        return sonde__fail(error, SONDE_BAD_ARGUMENT, "restarts: expected at most %d, found %d",
                           N_RESTART_MAX, settings->n_restart);
    }
    if (!(settings->tolerance >= 0.0)) {
        return sonde__fail(error, SONDE_BAD_ARGUMENT, "tolerance: expected 0 or more, found %g",
                           settings->tolerance);
    }
    return SONDE_OK;
}

void sonde__clusters_carve(sonde__arena *arena, uint64_t n_policy, int32_t n_column, int32_t k,
                           sonde__clusters *clusters) {
    clusters->center = SONDE__TAKE(arena, double, (uint64_t)k *(uint64_t)n_column);
    clusters->representative = SONDE__TAKE(arena, int32_t, k);
    clusters->label = SONDE__TAKE(arena, int32_t, n_policy);
    clusters->offset = SONDE__TAKE(arena, int32_t, (uint64_t)k + 1);
    clusters->member = SONDE__TAKE(arena, int32_t, n_policy);
}

/* how many centres k-means itself works on */
static int32_t n_center(const sonde_cluster_settings *settings, int32_t n_row) {
    return settings->k < n_row ? settings->k : n_row;
}

void sonde__cluster_scratch_carve(sonde__arena *arena, int32_t n_row, int32_t n_code,
                                  const sonde_cluster_settings *settings, int32_t n_thread,
                                  sonde__cluster_scratch *scratch) {
    const int32_t k = n_center(settings, n_row);
    scratch->worker = SONDE__TAKE(arena, sonde__cluster_worker, n_thread);
    scratch->mean = SONDE__TAKE(arena, double, n_code);
    scratch->order = SONDE__TAKE(arena, int32_t, k);
    scratch->row_label = SONDE__TAKE(arena, int32_t, n_row);
    for (int32_t i = 0; i < n_thread; i++) {
        sonde__cluster_worker worker = {0};
        sonde__kmeans_carve(arena, n_row, n_code, k, &worker.present);
        sonde__kmeans_carve(arena, n_row, n_code, k, &worker.best);
        if (scratch->worker != NULL) {
            scratch->worker[i] = worker;
        }
    }
}

/* what the restarts share */
typedef struct {
    const sonde_embedding *embedding;
    const sonde_cluster_settings *settings;
    sonde__cluster_scratch *scratch;
    double shift;
} job;

/* A stream for each restart of each fit. */
static sonde_rng stream(const sonde_cluster_settings *settings, int32_t restart) {
    return sonde_rng_stream(settings->seed, SONDE_FOR_CLUSTER,
                            settings->stream << 16 | (uint64_t)restart);
}

static bool better(double inertia, int32_t restart, double than, int32_t than_restart) {
    return than_restart < 0 || inertia < than || (inertia == than && restart < than_restart);
}

static void restart(void *context, int32_t task, int32_t worker) {
    const job *all = context;
    const sonde_cluster_settings *settings = all->settings;
    sonde__cluster_worker *me = &all->scratch->worker[worker];
    sonde_rng rng = stream(settings, task);
    sonde__kmeans_run(&me->present, all->embedding, &rng, all->shift, settings->n_round_max);
    if (better(me->present.inertia, task, me->best.inertia, me->best_restart)) {
        const sonde__kmeans kept = me->best;
        me->best = me->present;
        me->present = kept;
        me->best_restart = task;
    }
}

/* The best run over all workers. */
static const sonde__kmeans *best_run(const sonde__cluster_scratch *scratch, int32_t n_thread) {
    const sonde__cluster_worker *best = &scratch->worker[0];
    for (int32_t i = 1; i < n_thread; i++) {
        const sonde__cluster_worker *other = &scratch->worker[i];
        if (other->best_restart >= 0 && better(other->best.inertia, other->best_restart,
                                               best->best.inertia, best->best_restart)) {
            best = other;
        }
    }
    return &best->best;
}

/* A centre's row from its code. */
static void decode(const sonde_embedding *embedding, const double *code, double *row) {
    for (int32_t i = 0; i < embedding->n_column; i++) {
        row[i] = embedding->basis == NULL ? code[i] : 0.0;
        for (int32_t j = 0; embedding->basis != NULL && j < embedding->n_code; j++) {
            row[i] += embedding->basis[(int64_t)i * embedding->n_code + j] * code[j];
        }
    }
}

/* New numbers for the clusters that have members: by lowest row, or as they are. Returns how many
 * there are. */
static int32_t renumber(const sonde__kmeans *run, int32_t n_row, bool seed_order, int32_t *number) {
    int32_t n_found = 0;
    for (int32_t c = 0; c < run->k; c++) {
        number[c] = -1;
    }
    for (int32_t r = 0; r < n_row; r++) {
        int32_t *mine = &number[run->label[r]];
        *mine = *mine < 0 ? n_found++ : *mine;
    }
    int32_t next = 0;
    for (int32_t c = 0; c < run->k && seed_order; c++) {
        number[c] = number[c] >= 0 ? next++ : -1;
    }
    return n_found;
}

/* Takes over the best run: labels of rows and centres, under their new numbers. */
static int32_t adopt(const sonde__kmeans *run, const sonde_embedding *embedding, bool seed_order,
                     sonde__cluster_scratch *scratch, sonde__clusters *clusters) {
    int32_t *number = scratch->order;
    const int32_t n_found = renumber(run, embedding->n_row, seed_order, number);
    for (int32_t c = 0; c < run->k; c++) {
        if (number[c] >= 0) {
            decode(embedding, run->center + (int64_t)c * run->n_code,
                   clusters->center + (int64_t)number[c] * embedding->n_column);
        }
    }
    for (int32_t r = 0; r < embedding->n_row; r++) {
        scratch->row_label[r] = number[run->label[r]];
    }
    clusters->clusters.n_round = run->n_round;
    clusters->clusters.inertia = run->inertia;
    return n_found;
}

static sonde_status fit_rows(const sonde_embedding *embedding,
                             const sonde_cluster_settings *settings, const sonde_run *run,
                             sonde__cluster_scratch *scratch, sonde__clusters *clusters) {
    const sonde__kmeans *kept =
        run->shelf != NULL ? sonde__shelf_find(run->shelf, embedding, settings) : NULL;
    if (kept != NULL) {
        clusters->clusters.reused = true;
        clusters->clusters.k = adopt(kept, embedding, settings->seed_order, scratch, clusters);
        return SONDE_OK;
    }
    job all = {.embedding = embedding, .settings = settings, .scratch = scratch};
    all.shift = sonde__kmeans_shift(embedding, settings->tolerance, scratch->mean);
    /* threads cost more than they bring where there is little to do */
    sonde_run crew = *run;
    const int64_t n_product = (int64_t)embedding->n_row * embedding->n_nonzero_max * settings->k;
    crew.n_thread = n_product < 100000 ? 1 : run->n_thread;
    for (int32_t i = 0; i < run->n_thread; i++) {
        scratch->worker[i].best_restart = -1;
        scratch->worker[i].present.run = scratch->worker[i].best.run = run;
    }
    const sonde_status status =
        sonde__parallel(&crew, settings->n_restart, "clustering", restart, &all);
    if (status == SONDE_OK) {
        const sonde__kmeans *best = best_run(scratch, run->n_thread);
        if (run->shelf != NULL) {
            sonde__shelf_put(run->shelf, embedding, settings, best);
        }
        clusters->clusters.k = adopt(best, embedding, settings->seed_order, scratch, clusters);
    }
    return status;
}

/* No more rows than k: every row is a cluster of its own. */
static void one_each(const sonde_embedding *embedding, const sonde_cluster_settings *settings,
                     sonde__cluster_scratch *scratch, sonde__clusters *clusters) {
    const int32_t n = embedding->n_column;
    int32_t *row = scratch->order;
    for (int32_t r = 0; r < embedding->n_row; r++) {
        row[r] = r;
    }
    if (settings->seed_order) {
        sonde_rng rng = stream(settings, 0);
        sonde__kmeans_seed(&scratch->worker[0].present, embedding, &rng, embedding->n_row, row);
    }
    for (int32_t c = 0; c < embedding->n_row; c++) {
        scratch->row_label[row[c]] = c;
        memcpy(clusters->center + (int64_t)c * n, embedding->row + (int64_t)row[c] * n,
               (size_t)n * sizeof(double));
    }
    clusters->clusters.k = embedding->n_row;
    clusters->clusters.n_round = 0;
    clusters->clusters.inertia = 0.0;
}

/* The authors' notebook keeps k clusters where there are fewer rows than that: a surplus centre is a
 * copy of some row's, and rounding decides which of the twins is left without members. Here a policy
 * drawn at random gives the row, and a coin the twin. */
static void add_empty(const sonde_embedding *embedding, const sonde_cluster_settings *settings,
                      sonde__cluster_scratch *scratch, sonde__clusters *clusters) {
    const int32_t n = embedding->n_column;
    sonde_rng rng = stream(settings, N_RESTART_MAX);
    for (int32_t c = clusters->clusters.k; c < settings->k; c++) {
        const int32_t policy = (int32_t)sonde_rng_below(&rng, (uint64_t)embedding->n_policy);
        const int32_t row = embedding->row_of[policy];
        memcpy(clusters->center + (int64_t)c * n, embedding->row + (int64_t)row * n,
               (size_t)n * sizeof(double));
        if (sonde_rng_below(&rng, 2) == 1) {
            scratch->row_label[row] = c;
        }
    }
    clusters->clusters.k = settings->k;
}

static double squared_distance(const double *x, const double *y, int32_t n) {
    double sum = 0.0;
    for (int32_t j = 0; j < n; j++) {
        sum += (x[j] - y[j]) * (x[j] - y[j]);
    }
    return sum;
}

/* The policy nearest each centre, among its members or among all; ties to the lowest. */
static void find_representatives(const sonde_embedding *embedding, bool nearest_of_all,
                                 const sonde__cluster_scratch *scratch, sonde__clusters *clusters) {
    const int32_t n = embedding->n_column;
    for (int32_t c = 0; c < clusters->clusters.k; c++) {
        const double *center = clusters->center + (int64_t)c * n;
        double least = INFINITY;
        clusters->representative[c] = -1;
        for (int32_t r = 0; r < embedding->n_row; r++) {
            if (!nearest_of_all && scratch->row_label[r] != c) {
                continue;
            }
            const double d = squared_distance(embedding->row + (int64_t)r * n, center, n);
            if (d < least * (1.0 - TIE)) {
                least = d;
                clusters->representative[c] = embedding->first[r];
            }
        }
    }
}

/* Labels of policies, and lists of members by counting. */
static void list_members(const sonde_embedding *embedding, const sonde__cluster_scratch *scratch,
                         sonde__clusters *clusters) {
    const int32_t k = clusters->clusters.k;
    memset(clusters->offset, 0, ((size_t)k + 1) * sizeof(int32_t));
    for (int32_t i = 0; i < embedding->n_policy; i++) {
        clusters->label[i] = scratch->row_label[embedding->row_of[i]];
        clusters->offset[clusters->label[i]]++;
    }
    int32_t end = 0;
    for (int32_t c = 0; c <= k; c++) {
        end += clusters->offset[c];
        clusters->offset[c] = end;
    }
    /* from the back, so that offsets end up where their clusters begin */
    for (int32_t i = embedding->n_policy - 1; i >= 0; i--) {
        clusters->member[--clusters->offset[clusters->label[i]]] = i;
    }
}

sonde_status sonde__clusters_fill(const sonde_embedding *embedding,
                                  const sonde_cluster_settings *settings, const sonde_run *run,
                                  sonde__cluster_scratch *scratch, sonde__clusters *clusters) {
    clusters->clusters = (sonde_clusters){
        .k_asked = settings->k,
        .n_policy = embedding->n_policy,
        .n_column = embedding->n_column,
        .center = clusters->center,
        .representative = clusters->representative,
        .label = clusters->label,
        .offset = clusters->offset,
        .member = clusters->member,
    };
    if (embedding->n_row > settings->k) {
        const sonde_status status = fit_rows(embedding, settings, run, scratch, clusters);
        if (status != SONDE_OK) {
            return status;
        }
    } else {
        one_each(embedding, settings, scratch, clusters);
        if (settings->keep_empty) {
            add_empty(embedding, settings, scratch, clusters);
        }
    }
    find_representatives(embedding, settings->nearest_of_all, scratch, clusters);
    list_members(embedding, scratch, clusters);
    return SONDE_OK;
}

/* one fit: what is kept, and what is not */
typedef struct {
    sonde__arena kept;
    sonde__arena rough;
    sonde__cluster_scratch scratch;
} fit;

static sonde__clusters *carve(fit *f, const sonde_embedding *embedding,
                              const sonde_cluster_settings *settings, int32_t n_thread) {
    /* one_each needs room for a centre a row, add_empty for k of them */
    const int32_t k = settings->keep_empty ? settings->k : n_center(settings, embedding->n_row);
    sonde__clusters none;
    sonde__clusters *clusters = SONDE__TAKE(&f->kept, sonde__clusters, 1);
    sonde__clusters_carve(&f->kept, (uint64_t)embedding->n_policy, embedding->n_column, k,
                          clusters != NULL ? clusters : &none);
    sonde__cluster_scratch_carve(&f->rough, embedding->n_row, embedding->n_code, settings, n_thread,
                                 &f->scratch);
    return clusters;
}

sonde_status sonde_clusters_fit(const sonde_embedding *embedding,
                                const sonde_cluster_settings *settings, const sonde_run *run,
                                sonde_clusters **clusters, sonde_error *error) {
    const sonde_run settled = sonde__run_settle(run);
    sonde_status status = sonde__cluster_check(settings, error);
    if (status != SONDE_OK) {
        return status;
    }
    fit f = {0};
    (void)carve(&f, embedding, settings, settled.n_thread);
    const uint64_t bytes = sonde__add(f.kept.used, f.rough.used);
    status = sonde__check_memory(&settled, bytes, "clustering",
                                 "choose fewer clusters or local scope, or allow more", error);
    if (status != SONDE_OK) {
        return status;
    }
    if (!sonde__arena_reserve(&f.kept) || !sonde__arena_reserve(&f.rough)) {
        sonde__arena_free(&f.kept);
        return sonde__fail_memory(error, "clustering", bytes);
    }
    sonde__clusters *made = carve(&f, embedding, settings, settled.n_thread);
    status = sonde__clusters_fill(embedding, settings, &settled, &f.scratch, made);
    sonde__arena_free(&f.rough);
    if (status != SONDE_OK) {
        sonde__arena_free(&f.kept);
        return sonde__fail(error, status, "clustering: %s", sonde_status_sentence(status));
    }
    made->clusters.bytes = f.kept.size;
    *clusters = &made->clusters;
    return SONDE_OK;
}

void sonde_clusters_free(sonde_clusters *clusters) {
    sonde__free(clusters);
}

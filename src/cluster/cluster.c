/* cluster.c: from an embedding to clusters and their representatives.
 *
 * Clusters come from k-means or from Ward's method; what follows is the same for both. Restarts of
 * k-means are independent, each with a random stream of its own. Words' restarts go on side by
 * side, as many as a vector has lanes; dense ones are tasks for the threads, each of which keeps
 * the best it has seen. The best of all, by (inertia, number of the restart), is the result.
 * Clusters are then numbered by their lowest member. */
#include "cluster/kmeans_internal.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/parallel.h"
#include "base/settings.h"
#include "base/rng.h"

#define TIE 1e-9
/* restarts of one fit have streams side by side */
#define N_RESTART_MAX 65535
/* less work than this is done faster by one thread */
#define N_PRODUCT_DENSE 100000
#define N_PRODUCT_WORDS 1000000

const char *sonde__cluster_method_name(int32_t method) {
    static const char *const name[] = {
        [SONDE_METHOD_KMEANS] = "kmeans", [SONDE_METHOD_WARD] = "ward"};
    return method >= 0 && method < 2 ? name[method] : NULL;
}

sonde_status sonde__cluster_fits(const sonde_cluster_settings *settings, uint64_t n,
                                 const char *what, sonde_error *error) {
    if (settings->method != SONDE_METHOD_WARD || n <= SONDE__WARD_MAX) {
        return SONDE_OK;
    }
    return sonde__fail(error, SONDE_TOO_LARGE,
                       "method: ward compares all pairs, of at most %d %s, and there are %" PRIu64
                       "; choose kmeans, or a sample of the policies",
                       SONDE__WARD_MAX, what, n);
}

/* SONDE_BAD_ARGUMENT with a sentence for settings that mean nothing. */
static sonde_status check_settings(const sonde_cluster_settings *settings, sonde_error *error) {
    sonde_search_settings all = sonde_search_defaults();
    all.cluster = *settings;
    return sonde__settings_check(&all, error);
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

/* how many restarts go on side by side */
static int32_t at_a_time(const sonde_cluster_settings *settings) {
    return settings->n_restart < SONDE__LANES ? settings->n_restart : SONDE__LANES;
}

/* how many clusters there can be: one_each makes as many as rows, add_empty k */
static int32_t most_clusters(const sonde_cluster_settings *settings, int32_t n_row) {
    return settings->keep_empty ? settings->k : n_center(settings, n_row);
}

/* Everything but the order of points, for which there is room already. One k-means on all
 * threads is for words, one for each thread is for dense points. */
static void carve_scratch(sonde__arena *arena, const sonde__points_size *size, int32_t n_column,
                          const sonde_cluster_settings *settings, int32_t n_thread,
                          sonde__cluster_scratch *scratch) {
    const int32_t k = n_center(settings, size->n_row);
    const int32_t n_cluster = most_clusters(settings, size->n_row);
    const uint64_t n_number = sonde__multiply((uint64_t)n_cluster, (uint64_t)size->n_code);
    sonde__points_carve(arena, size, &scratch->points);
    if (settings->method == SONDE_METHOD_WARD) {
        sonde__ward_carve(arena, size->n_row, n_column, &scratch->ward);
    }
    scratch->mean = SONDE__TAKE(arena, double, sonde__points_n_part(size->n_code));
    scratch->order = SONDE__TAKE(arena, int32_t, k);
    scratch->least = SONDE__TAKE(arena, double, n_cluster);
    scratch->half = SONDE__TAKE(arena, double, n_cluster);
    scratch->table = SONDE__TAKE(arena, double, n_number);
    scratch->rows.center = SONDE__TAKE(arena, double, n_number);
    scratch->kmeans = SONDE__TAKE(arena, sonde__kmeans, scratch->n_kmeans);
    for (int32_t i = 0; i < scratch->n_kmeans; i++) {
        const bool several = i == 0 && size->n_letter > 0;
        sonde__kmeans kmeans = {0};
        sonde__kmeans_carve(arena, size, k, several ? at_a_time(settings) : 1,
                            several ? n_thread : 1, &kmeans);
        if (scratch->kmeans != NULL) {
            scratch->kmeans[i] = kmeans;
        }
    }
}

sonde__cluster_scratch *sonde__cluster_scratch_carve(sonde__arena *arena, int32_t n_row,
                                                     const sonde_embedder *embedder,
                                                     const sonde_cluster_settings *settings,
                                                     int32_t n_thread) {
    const sonde__points_size size = sonde__points_most(n_row, embedder->n_code);
    sonde__cluster_scratch none = {0};
    sonde__cluster_scratch *there = SONDE__TAKE(arena, sonde__cluster_scratch, 1);
    sonde__cluster_scratch *scratch = there != NULL ? there : &none;
    sonde__points_carve_order(arena, n_row, embedder->n_code, &scratch->points);
    scratch->n_kmeans = n_thread;
    carve_scratch(arena, &size, embedder->n_column, settings, n_thread, scratch);
    return there;
}

/* what dense restarts share */
typedef struct {
    const sonde__points *points;
    const sonde_cluster_settings *settings;
    sonde__cluster_scratch *scratch;
} job;

/* A stream for each restart of each fit. */
static sonde__rng stream(const sonde_cluster_settings *settings, int32_t restart) {
    return sonde__rng_stream(settings->seed, SONDE__FOR_CLUSTER,
                             settings->stream << 16 | (uint64_t)restart);
}

static void restart_dense(void *context, int32_t task, int32_t worker) {
    const job *all = context;
    sonde__rng rng = stream(all->settings, task);
    sonde__kmeans_fit(&all->scratch->kmeans[worker], all->points, task, 1, &rng);
}

/* Words: all threads share the points. */
static sonde_status restart_words(const sonde_cluster_settings *settings, const sonde_run *run,
                                  sonde__cluster_scratch *scratch) {
    const int32_t n_restart = settings->n_restart;
    sonde__rng rng[SONDE__LANES];
    for (int32_t first = 0; first < n_restart; first += SONDE__LANES) {
        const int32_t rest = n_restart - first;
        const int32_t n = rest < SONDE__LANES ? rest : SONDE__LANES;
        for (int32_t i = 0; i < n; i++) {
            rng[i] = stream(settings, first + i);
        }
        sonde__kmeans_fit(&scratch->kmeans[0], &scratch->points, first, n, rng);
        if (sonde__stopped(run)) {
            return SONDE_STOPPED;
        }
    }
    return SONDE_OK;
}

/* The best run of all threads. */
static const sonde__fitted *best_fit(const sonde__cluster_scratch *scratch) {
    const sonde__kmeans *best = &scratch->kmeans[0];
    for (int32_t i = 1; i < scratch->n_kmeans; i++) {
        const sonde__kmeans *other = &scratch->kmeans[i];
        const bool as_good = other->best_restart >= 0 && other->best.inertia <= best->best.inertia;
        if (best->best_restart < 0 || (as_good && (other->best.inertia < best->best.inertia ||
                                                   other->best_restart < best->best_restart))) {
            best = other;
        }
    }
    return &best->best;
}

/* New numbers for the clusters that have members: by lowest row, or by seeds. Returns how many
 * there are. */
static int32_t renumber(const sonde__fitted *found, int32_t n_row, bool seed_order,
                        int32_t *number) {
    int32_t n_found = 0;
    for (int32_t c = 0; c < found->k; c++) {
        number[c] = -1;
    }
    for (int32_t r = 0; r < n_row; r++) {
        int32_t *mine = &number[found->label[r]];
        *mine = *mine < 0 ? n_found++ : *mine;
    }
    /* the first seed is the last centre */
    int32_t next = 0;
    for (int32_t c = found->k - 1; c >= 0 && seed_order; c--) {
        number[c] = number[c] >= 0 ? next++ : -1;
    }
    return n_found;
}

/* Takes over what was found, by rows: labels and centres, under their new numbers. */
static void adopt(const sonde__fitted *found, int32_t n_row, bool seed_order,
                  sonde__cluster_scratch *scratch, sonde__clusters *clusters) {
    int32_t *number = scratch->order;
    sonde__fitted *rows = &scratch->rows;
    const size_t bytes = (size_t)found->n_code * sizeof(double);
    clusters->clusters.k = renumber(found, n_row, seed_order, number);
    clusters->clusters.n_round = found->n_round;
    clusters->clusters.inertia = found->inertia;
    for (int32_t c = 0; c < found->k; c++) {
        if (number[c] >= 0) {
            memcpy(rows->center + (int64_t)number[c] * found->n_code,
                   found->center + (int64_t)c * found->n_code, bytes);
        }
    }
    for (int32_t r = 0; r < n_row; r++) {
        rows->label[r] = number[found->label[r]];
    }
}

/* Threads cost more than they bring where there is little to do. */
static sonde_run crew_for(const sonde_embedding *embedding, const sonde_cluster_settings *settings,
                          const sonde_run *run, bool worded) {
    sonde_run crew = *run;
    const double n_product = (double)embedding->n_row * embedding->n_code * settings->k;
    if (n_product < (worded ? N_PRODUCT_WORDS : N_PRODUCT_DENSE)) {
        crew.n_thread = 1;
    }
    return crew;
}

/* Runs all restarts; the best goes to `best`, its labels by rows. */
static sonde_status run_restarts(const sonde_cluster_settings *settings, const sonde_run *run,
                                 sonde__cluster_scratch *scratch, sonde__fitted *best) {
    const sonde__points *points = &scratch->points;
    const double shift = sonde__kmeans_shift(points, settings->tolerance, scratch->mean);
    const sonde_run crew = crew_for(points->embedding, settings, run, points->worded);
    sonde_run alone = *run;
    alone.n_thread = 1;
    for (int32_t i = 0; i < scratch->n_kmeans; i++) {
        sonde__kmeans_begin(&scratch->kmeans[i], points->worded ? &crew : &alone, shift,
                            settings->n_round_max, points->worded ? settings->n_restart : 0);
    }
    job all = {.points = points, .settings = settings, .scratch = scratch};
    const sonde_status status = points->worded ? restart_words(settings, &crew, scratch)
                                               : sonde__parallel(&crew, settings->n_restart,
                                                                 "clustering", restart_dense, &all);
    if (status == SONDE_OK) {
        *best = *best_fit(scratch);
        int32_t *by_row = scratch->points.other;
        for (int32_t i = 0; i < points->n; i++) {
            by_row[points->row[i]] = best->label[i];
        }
        best->label = by_row;
    }
    return status;
}

/* Ward's method; centres go where a restart's would. */
static sonde_status fit_ward(const sonde_embedding *embedding,
                             const sonde_cluster_settings *settings, const sonde_run *run,
                             sonde__cluster_scratch *scratch, sonde__fitted *found) {
    *found = (sonde__fitted){.k = settings->k,
                             .n_code = embedding->n_code,
                             .center = scratch->kmeans[0].best.center,
                             .label = scratch->points.other};
    return sonde__ward_fit(&scratch->ward, embedding, run, scratch->mean, found) ? SONDE_OK
                                                                                 : SONDE_STOPPED;
}

static sonde_status fit_rows(const sonde_embedding *embedding,
                             const sonde_cluster_settings *settings, const sonde_run *run,
                             sonde__cluster_scratch *scratch, sonde__clusters *clusters) {
    const sonde__fitted *kept =
        run->shelf != NULL ? sonde__shelf_find(run->shelf, embedding, settings) : NULL;
    scratch->rows.label = scratch->points.other;
    if (kept != NULL) {
        clusters->clusters.reused = true;
        adopt(kept, embedding->n_row, settings->seed_order, scratch, clusters);
        return SONDE_OK;
    }
    sonde__fitted best;
    const sonde_status status = settings->method == SONDE_METHOD_WARD
                                    ? fit_ward(embedding, settings, run, scratch, &best)
                                    : run_restarts(settings, run, scratch, &best);
    if (status == SONDE_OK) {
        if (run->shelf != NULL) {
            sonde__shelf_put(run->shelf, embedding, settings, &best);
        }
        adopt(&best, embedding->n_row, settings->seed_order, scratch, clusters);
    }
    return status;
}

/* No more rows than k: every row is a cluster of its own. */
static void one_each(const sonde_embedding *embedding, const sonde_cluster_settings *settings,
                     const sonde_run *run, sonde__cluster_scratch *scratch,
                     sonde__clusters *clusters) {
    const sonde__points *points = &scratch->points;
    int32_t *row = scratch->order;
    scratch->rows.label = scratch->points.other;
    for (int32_t r = 0; r < embedding->n_row; r++) {
        row[r] = r;
    }
    if (settings->seed_order) {
        sonde__rng rng = stream(settings, 0);
        sonde__kmeans_begin(&scratch->kmeans[0], run, 0.0, 1, 0);
        sonde__kmeans_seed(&scratch->kmeans[0], points, 1, &rng, embedding->n_row);
        for (int32_t c = 0; c < embedding->n_row; c++) {
            row[c] = points->row[scratch->kmeans[0].restart[0].seed[c]];
        }
    }
    for (int32_t c = 0; c < embedding->n_row; c++) {
        scratch->rows.label[row[c]] = c;
        sonde__embedding_code(embedding, row[c],
                              scratch->rows.center + (int64_t)c * embedding->n_code);
    }
    clusters->clusters.k = embedding->n_row;
    clusters->clusters.n_round = 0;
    clusters->clusters.inertia = 0.0;
}

/* Keeps k clusters where there are fewer rows than that, as plain k-means does: a surplus centre
 * is a copy of some row's, and rounding decides which of the twins is left without members. Here
 * a policy drawn at random gives the row, and a coin the twin. */
static void add_empty(const sonde_embedding *embedding, const sonde_cluster_settings *settings,
                      sonde__cluster_scratch *scratch, sonde__clusters *clusters) {
    sonde__rng rng = stream(settings, N_RESTART_MAX);
    for (int32_t c = clusters->clusters.k; c < settings->k; c++) {
        const int32_t policy = (int32_t)sonde__rng_below(&rng, (uint64_t)embedding->n_policy);
        const int32_t row = embedding->row_of[policy];
        sonde__embedding_code(embedding, row,
                              scratch->rows.center + (int64_t)c * embedding->n_code);
        if (sonde__rng_below(&rng, 2) == 1) {
            scratch->rows.label[row] = c;
        }
    }
    clusters->clusters.k = settings->k;
}

/* Centres' rows from their codes. */
static void decode_centers(const sonde_embedding *embedding, const sonde__cluster_scratch *scratch,
                           sonde__clusters *clusters) {
    const int32_t n = embedding->n_code;
    for (int32_t c = 0; c < clusters->clusters.k; c++) {
        const double *code = scratch->rows.center + (int64_t)c * n;
        double *row = clusters->center + (int64_t)c * embedding->n_column;
        for (int32_t i = 0; i < embedding->n_column; i++) {
            row[i] = embedding->basis == NULL ? code[i] : 0.0;
            for (int32_t j = 0; embedding->basis != NULL && j < n; j++) {
                row[i] += embedding->basis[(int64_t)i * n + j] * code[j];
            }
        }
    }
}

/* Gets ready to measure distances from centres: with a gram matrix, their tables and halves and the
 * squared lengths of rows, as k-means does; without, differences say more. */
static void prepare_distances(const sonde_embedding *embedding, int32_t k,
                              sonde__cluster_scratch *scratch) {
    const sonde__points *points = &scratch->points;
    const int32_t n = embedding->n_code;
    for (int32_t i = 0; i < points->n && embedding->gram != NULL; i++) {
        scratch->kmeans[0].near[points->row[i]] = points->norm[i];
    }
    for (int32_t c = 0; c < k && embedding->gram != NULL; c++) {
        const double *center = scratch->rows.center + (int64_t)c * n;
        double *table = scratch->table + (int64_t)c * n;
        scratch->half[c] = 0.0;
        for (int32_t j = 0; j < n; j++) {
            table[j] = 0.0;
            for (int32_t l = 0; l < n; l++) {
                table[j] += embedding->gram[(int64_t)j * n + l] * center[l];
            }
            scratch->half[c] += 0.5 * center[j] * table[j];
        }
    }
}

/* Squared distance of row r, whose code is given, from centre c. */
static double distance(const sonde_embedding *embedding, const sonde__cluster_scratch *scratch,
                       int32_t r, const double *code, int32_t c) {
    const int32_t n = embedding->n_code;
    const double *center = scratch->rows.center + (int64_t)c * n;
    const double *table = scratch->table + (int64_t)c * n;
    if (embedding->gram == NULL) {
        double sum = 0.0;
        for (int32_t j = 0; j < n; j++) {
            sum += (code[j] - center[j]) * (code[j] - center[j]);
        }
        return sum;
    }
    double score = scratch->half[c];
    for (int32_t j = 0; j < n; j++) {
        score -= code[j] * table[j];
    }
    return sonde__squared(scratch->kmeans[0].near[r], score);
}

/* The policy nearest each centre, among its members or among all; ties to the lowest. */
static void find_representatives(const sonde_embedding *embedding, bool nearest_of_all,
                                 sonde__cluster_scratch *scratch, sonde__clusters *clusters) {
    const int32_t k = clusters->clusters.k;
    double *code = scratch->mean;
    prepare_distances(embedding, k, scratch);
    for (int32_t c = 0; c < k; c++) {
        scratch->least[c] = INFINITY;
        clusters->representative[c] = -1;
    }
    for (int32_t r = 0; r < embedding->n_row; r++) {
        const int32_t own = scratch->rows.label[r];
        sonde__embedding_code(embedding, r, code);
        for (int32_t c = nearest_of_all ? 0 : own; c <= (nearest_of_all ? k - 1 : own); c++) {
            const double d = distance(embedding, scratch, r, code, c);
            if (d < scratch->least[c] * (1.0 - TIE)) {
                scratch->least[c] = d;
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
        clusters->label[i] = scratch->rows.label[embedding->row_of[i]];
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

/* Fits the points of the scratch, which are those of the embedding. */
static sonde_status fill_clusters(const sonde_embedding *embedding,
                                  const sonde_cluster_settings *settings, const sonde_run *run,
                                  sonde__cluster_scratch *scratch, sonde__clusters *clusters) {
    clusters->clusters = (sonde_clusters){
        .k_asked = settings->k,
        .n_policy = embedding->n_policy,
        .n_column = embedding->n_column,
        .policy = embedding->policy,
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
        one_each(embedding, settings, run, scratch, clusters);
        if (settings->keep_empty) {
            add_empty(embedding, settings, scratch, clusters);
        }
    }
    decode_centers(embedding, scratch, clusters);
    find_representatives(embedding, settings->nearest_of_all, scratch, clusters);
    list_members(embedding, scratch, clusters);
    return SONDE_OK;
}

/* Labels have 16 bits while restarts are at work. */
static bool too_many(const sonde_embedding *embedding, const sonde_cluster_settings *settings) {
    return settings->k >= SONDE__K_MAX && embedding->n_row > settings->k;
}

sonde_status sonde__clusters_fill(const sonde_embedding *embedding,
                                  const sonde_cluster_settings *settings, const sonde_run *run,
                                  sonde__cluster_scratch *scratch, sonde__clusters *clusters) {
    if (too_many(embedding, settings)) {
        return SONDE_TOO_LARGE;
    }
    const sonde_run crew = crew_for(embedding, settings, run, embedding->small != NULL);
    sonde__points_size size;
    sonde_status status = sonde__points_order(embedding, &crew, &scratch->points, &size);
    if (status == SONDE_OK) {
        status = sonde__points_fill(&crew, &size, &scratch->points);
    }
    return status == SONDE_OK ? fill_clusters(embedding, settings, run, scratch, clusters) : status;
}

/* one fit: what is kept, the order of points, which tells how much of the rest there is, and the
 * rest */
typedef struct {
    sonde__arena kept;
    sonde__arena order;
    sonde__arena rough;
    sonde__cluster_scratch scratch;
} fit;

static void free_rough(fit *f) {
    sonde__arena_free(&f->order);
    sonde__arena_free(&f->rough);
}

static sonde__clusters *carve(fit *f, const sonde_embedding *embedding,
                              const sonde_cluster_settings *settings) {
    const int32_t k = most_clusters(settings, embedding->n_row);
    sonde__clusters none;
    sonde__clusters *clusters = SONDE__TAKE(&f->kept, sonde__clusters, 1);
    sonde__clusters_carve(&f->kept, (uint64_t)embedding->n_policy, embedding->n_column, k,
                          clusters != NULL ? clusters : &none);
    return clusters;
}

/* Reserves what has been measured, if all of the fit together may be as large. */
static sonde_status reserve(const fit *f, sonde__arena *arena, const sonde_run *run,
                            sonde_error *error) {
    const uint64_t before = sonde__add(sonde__add(f->kept.size, f->order.size), f->rough.size);
    const uint64_t bytes = sonde__add(before, arena->used);
    const sonde_status status = sonde__check_memory(
        run, bytes, "clustering", "choose fewer clusters or local scope, or allow more", error);
    if (status != SONDE_OK) {
        return status;
    }
    const bool there =
        arena == &f->kept ? sonde__arena_reserve(arena) : sonde__arena_reserve_lazily(arena);
    return there ? SONDE_OK : sonde__fail_memory(error, "clustering", bytes);
}

/* Work that was begun has ended with this. */
static sonde_status ended(sonde_status status, sonde_error *error) {
    return status == SONDE_OK
               ? SONDE_OK
               : sonde__fail(error, status, "clustering: %s", sonde_status_sentence(status));
}

/* Sorts the points and makes room for the rest. */
static sonde_status prepare(fit *f, const sonde_embedding *embedding,
                            const sonde_cluster_settings *settings, const sonde_run *run,
                            sonde_error *error) {
    sonde__points *points = &f->scratch.points;
    sonde__points_carve_order(&f->order, embedding->n_row, embedding->n_code, points);
    sonde_status status = reserve(f, &f->order, run, error);
    if (status != SONDE_OK) {
        return status;
    }
    sonde__points_carve_order(&f->order, embedding->n_row, embedding->n_code, points);
    const sonde_run crew = crew_for(embedding, settings, run, embedding->small != NULL);
    sonde__points_size size;
    status = ended(sonde__points_order(embedding, &crew, points, &size), error);
    if (status != SONDE_OK) {
        return status;
    }
    f->scratch.n_kmeans = points->worded ? 1 : run->n_thread;
    carve_scratch(&f->rough, &size, embedding->n_column, settings, run->n_thread, &f->scratch);
    status = reserve(f, &f->rough, run, error);
    if (status == SONDE_OK) {
        carve_scratch(&f->rough, &size, embedding->n_column, settings, run->n_thread, &f->scratch);
        status = ended(sonde__points_fill(&crew, &size, points), error);
    }
    return status;
}

int32_t sonde__cluster_balance(uint64_t n_policy, double n_probe) {
    const double k = ceil(sqrt((double)n_policy / n_probe));
    return k < 1.0 ? 1 : (int32_t)k;
}

sonde_status sonde_clusters_fit(const sonde_embedding *embedding,
                                const sonde_cluster_settings *given, const sonde_run *run,
                                sonde_clusters **clusters, sonde_error *error) {
    const sonde_run settled = sonde__run_settle(run);
    sonde_cluster_settings balanced = *given;
    if (given->k == SONDE_K_AUTO) {
        balanced.k = sonde__cluster_balance((uint64_t)embedding->n_policy, 1.0);
    }
    const sonde_cluster_settings *settings = &balanced;
    fit f = {0};
    sonde_status status = check_settings(settings, error);
    if (status == SONDE_OK && too_many(embedding, settings)) {
        status = sonde__fail(error, SONDE_TOO_LARGE,
                             "k: expected less than %d, or at least as many as there are different "
                             "rows (%d), found %d",
                             SONDE__K_MAX, embedding->n_row, settings->k);
    }
    if (status == SONDE_OK) {
        status = sonde__cluster_fits(settings, (uint64_t)embedding->n_row, "distinct rows", error);
    }
    if (status == SONDE_OK) {
        (void)carve(&f, embedding, settings);
        status = reserve(&f, &f.kept, &settled, error);
    }
    if (status == SONDE_OK) {
        status = prepare(&f, embedding, settings, &settled, error);
    }
    if (status != SONDE_OK) {
        free_rough(&f);
        sonde__arena_free(&f.kept);
        return status;
    }
    sonde__clusters *made = carve(&f, embedding, settings);
    status = fill_clusters(embedding, settings, &settled, &f.scratch, made);
    free_rough(&f);
    if (status != SONDE_OK) {
        sonde__arena_free(&f.kept);
        return ended(status, error);
    }
    made->clusters.bytes = f.kept.size;
    *clusters = &made->clusters;
    return SONDE_OK;
}

uint64_t sonde_clusters_policy(const sonde_clusters *clusters, int32_t i) {
    return i >= 0 && i < clusters->n_policy ? sonde__clusters_policy(clusters, i) : UINT64_MAX;
}

void sonde_clusters_free(sonde_clusters *clusters) {
    sonde__free(clusters);
}

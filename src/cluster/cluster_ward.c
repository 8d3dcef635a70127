/* cluster_ward.c: Ward's method. Every row is a cluster at first; the two whose union raises the
 * inertia least are joined, until k are left:
 *
 *     raise(a, b) = w_a w_b / (w_a + w_b) |c_a - c_b|^2
 *
 * with weights w (policies) and centres c. Joins are found along chains of nearest neighbours:
 * from any cluster one goes to the nearest, from that to its nearest, until two are each other's.
 * They are joined then, whatever others there are: a union is never nearer to a third than the
 * nearer of its parts was, so greedy joining would come to the same pair. All joins are made;
 * sorted by what they raise, those but for the last k - 1 make the clusters.
 *
 * Time is a few n^2 distances for n rows, memory n rows: so there is a limit to n. Nothing is
 * drawn. */
#include <math.h>
#include <string.h>

#include "cluster/cluster_internal.h"
#include "cluster/kmeans_internal.h"

/* numbers of a row are added up in so many sums side by side */
enum { LANES = 8 };

static uint64_t padded(int32_t n_column) {
    return ((uint64_t)n_column + LANES - 1) / LANES * LANES;
}

void sonde__ward_carve(sonde__arena *arena, int32_t n_row, int32_t n_column, sonde__ward *ward) {
    ward->n_number = (int32_t)padded(n_column);
    ward->center = SONDE__TAKE(arena, double, sonde__multiply((uint64_t)n_row, padded(n_column)));
    ward->weight = SONDE__TAKE(arena, double, n_row);
    ward->height = SONDE__TAKE(arena, double, n_row);
    ward->active = SONDE__TAKE(arena, int32_t, n_row);
    ward->chain = SONDE__TAKE(arena, int32_t, n_row);
    ward->join = SONDE__TAKE(arena, sonde__join, n_row);
}

INLINE double squared_distance(const double *restrict x, const double *restrict y, int32_t n) {
    double sum[LANES] = {0.0};
    for (int32_t j = 0; j < n; j += LANES) {
        for (int32_t l = 0; l < LANES; l++) {
            const double d = x[j + l] - y[j + l];
            sum[l] += d * d;
        }
    }
    return ((sum[0] + sum[4]) + (sum[1] + sum[5])) + ((sum[2] + sum[6]) + (sum[3] + sum[7]));
}

/* What joining two clusters adds to the inertia. */
INLINE double raise_of(const sonde__ward *ward, int32_t a, int32_t b) {
    const int64_t n = ward->n_number;
    const double d = squared_distance(ward->center + a * n, ward->center + b * n, ward->n_number);
    return ward->weight[a] * ward->weight[b] / (ward->weight[a] + ward->weight[b]) * d;
}

/* The cluster nearest to a: `before`, unless another is nearer; of several others the lowest. */
SONDE__VECTOR
static int32_t nearest_to(const sonde__ward *ward, int32_t a, int32_t before, double *raise) {
    int32_t nearest = before;
    double least = before >= 0 ? raise_of(ward, a, before) : INFINITY;
    for (int32_t i = 0; i < ward->n_active; i++) {
        const int32_t b = ward->active[i];
        if (b == a || b == before) {
            continue;
        }
        const double here = raise_of(ward, a, b);
        if (here < least || (here == least && nearest != before && b < nearest)) {
            least = here;
            nearest = b;
        }
    }
    *raise = least;
    return nearest;
}

/* Joins b to a, which is lower. A union counts as no lower than its parts, whatever rounding
 * says. */
static void join(sonde__ward *ward, int32_t a, int32_t b, double raise) {
    const int64_t n = ward->n_number;
    double *to = ward->center + a * n;
    const double *from = ward->center + b * n;
    const double share = ward->weight[b] / (ward->weight[a] + ward->weight[b]);
    for (int32_t j = 0; j < ward->n_number; j++) {
        to[j] += share * (from[j] - to[j]);
    }
    ward->weight[a] += ward->weight[b];
    raise = fmax(raise, fmax(ward->height[a], ward->height[b]));
    ward->height[a] = raise;
    ward->join[ward->n_join] = (sonde__join){.raise = raise, .order = ward->n_join, .a = a, .b = b};
    ward->n_join++;
    int32_t at = 0;
    while (ward->active[at] != b) {
        at++;
    }
    ward->active[at] = ward->active[--ward->n_active];
}

/* Joins everything; false if it was stopped. */
static bool join_all(sonde__ward *ward, const sonde_run *run) {
    int32_t n_chain = 0;
    while (ward->n_active > 1) {
        if (sonde__stopped(run)) {
            return false;
        }
        if (n_chain == 0) {
            ward->chain[n_chain++] = ward->active[0];
        }
        const int32_t a = ward->chain[n_chain - 1];
        const int32_t before = n_chain > 1 ? ward->chain[n_chain - 2] : -1;
        double raise = 0.0;
        const int32_t b = nearest_to(ward, a, before, &raise);
        if (b == before) {
            join(ward, a < b ? a : b, a < b ? b : a, raise);
            n_chain -= 2;
        } else {
            ward->chain[n_chain++] = b;
        }
    }
    return true;
}

static bool comes_before(const sonde__join *a, const sonde__join *b) {
    return a->raise < b->raise || (a->raise == b->raise && a->order < b->order);
}

/* Lets a join sink to its place in a heap with the last on top. */
static void sink(sonde__join *heap, int32_t n, int32_t at) {
    const sonde__join entry = heap[at];
    for (int32_t child = 2 * at + 1; child < n; child = 2 * at + 1) {
        if (child + 1 < n && comes_before(&heap[child], &heap[child + 1])) {
            child++;
        }
        if (!comes_before(&entry, &heap[child])) {
            break;
        }
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = entry;
}

static void sort_joins(sonde__join *join, int32_t n) {
    for (int32_t at = n / 2; at-- > 0;) {
        sink(join, n, at);
    }
    for (int32_t left = n; left > 1; left--) {
        const sonde__join last = join[0];
        join[0] = join[left - 1];
        join[left - 1] = last;
        sink(join, left - 1, 0);
    }
}

/* The cluster that a row is in, by its lowest row. */
static int32_t root_of(int32_t *parent, int32_t r) {
    while (parent[r] != r) {
        parent[r] = parent[parent[r]];
        r = parent[r];
    }
    return r;
}

/* Carries out the first joins, until k clusters are left, and numbers them from the last to the
 * first; returns what the inertia is then. */
static double cut(sonde__ward *ward, int32_t n_row, int32_t k, int32_t *label) {
    int32_t *parent = ward->chain;
    double inertia = 0.0;
    for (int32_t r = 0; r < n_row; r++) {
        parent[r] = r;
    }
    for (int32_t i = 0; i < n_row - k; i++) {
        const sonde__join *here = &ward->join[i];
        parent[root_of(parent, here->b)] = root_of(parent, here->a);
        inertia += here->raise;
    }
    int32_t number = k;
    for (int32_t r = 0; r < n_row; r++) {
        const int32_t root = root_of(parent, r);
        label[r] = root == r ? --number : label[root];
    }
    return inertia;
}

/* Means of the members' codes, which are as good as those of their rows. */
static void find_centers(const sonde_embedding *embedding, const double *weight, double *code,
                         sonde__fitted *fitted) {
    const int32_t n = embedding->n_code;
    memset(fitted->center, 0, (size_t)fitted->k * (size_t)n * sizeof(double));
    for (int32_t r = 0; r < embedding->n_row; r++) {
        double *center = fitted->center + (int64_t)fitted->label[r] * n;
        sonde__embedding_code(embedding, r, code);
        for (int32_t j = 0; j < n; j++) {
            center[j] += (double)embedding->weight[r] * code[j] / weight[fitted->label[r]];
        }
    }
}

bool sonde__ward_fit(sonde__ward *ward, const sonde_embedding *embedding, const sonde_run *run,
                     double *code, sonde__fitted *fitted) {
    const int32_t n_row = embedding->n_row;
    ward->n_number = (int32_t)padded(embedding->n_column);
    ward->n_active = n_row;
    ward->n_join = 0;
    for (int32_t r = 0; r < n_row; r++) {
        double *center = ward->center + (int64_t)r * ward->n_number;
        memset(center, 0, (size_t)ward->n_number * sizeof *center);
        sonde_embedding_row(embedding, r, center);
        ward->weight[r] = (double)embedding->weight[r];
        ward->height[r] = 0.0;
        ward->active[r] = r;
    }
    if (!join_all(ward, run)) {
        return false;
    }
    sort_joins(ward->join, ward->n_join);
    fitted->inertia = cut(ward, n_row, fitted->k, fitted->label);
    fitted->n_round = n_row - fitted->k;
    double *weight = ward->weight;
    memset(weight, 0, (size_t)fitted->k * sizeof *weight);
    for (int32_t r = 0; r < n_row; r++) {
        weight[fitted->label[r]] += (double)embedding->weight[r];
    }
    find_centers(embedding, weight, code, fitted);
    return true;
}

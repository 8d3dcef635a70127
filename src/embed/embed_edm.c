/* embed_edm.c: edit distances, exactly, without the matrix (docs/math.md, "Edit distances").
 *
 * Row i of the paper's matrix holds the edit distance of policy i to every global policy j:
 *
 *     d_ij = c_i + c_j - 2 z_i . z_j,      z = 0/1 indicators of nodes and edges,  c = |z|
 *
 * so with the code x = [c; z] and W = [1, -2 Z] over all global policies, row i is W x_i plus a
 * constant, and squared distances of rows are (x - y) M (x - y) with M = W'W. M needs only how many
 * policies contain each element, and each pair of elements: whole numbers, which are exact in any
 * order and on any number of threads. In a general model the elements are actions, and the policies
 * those from the initial belief. */
#include "embed/embed.h"

/* policies a task counts */
#define BLOCK ((uint64_t)1 << 16)
/* beyond this many even one look at each takes hours */
#define N_POLICY_MAX UINT64_C(10000000000)

static int32_t n_element(const sonde_policies *policies) {
    return sonde__parts_of(policies)->n_element(policies);
}

uint64_t sonde__edm_n_code(const sonde_policies *policies, const sonde_embed_settings *settings) {
    (void)settings;
    return 1 + (uint64_t)n_element(policies);
}

/* How many different elements a policy has, and which. */
void sonde__edm_code(const sonde_embedder *embedder, const int32_t *walk, double *code) {
    const sonde_policies *policies = embedder->policies;
    code[0] = (double)sonde__parts_of(policies)->indicate(policies, walk, code + 1);
}

/* what the counting tasks share; elements are nodes, then edges; or actions */
typedef struct {
    const sonde_policies *policies;
    int32_t n_element;
    sonde__walker *walker; /* (n_thread) */
    int32_t **present;     /* (n_thread) the elements of the present policy, at most 2 T + 3 */
    uint64_t **count;      /* (n_thread) of (n_element, n_element) each */
    uint64_t n_policy;     /* that are counted */
    uint64_t *policy;      /* (n_policy) which, where they are a sample; or NULL */
    bool sampled;
} job;

static void carve_job(sonde__arena *arena, int32_t n_thread, job *all) {
    const int32_t horizon = all->policies->horizon;
    all->walker = SONDE__TAKE(arena, sonde__walker, n_thread);
    all->present = SONDE__TAKE(arena, int32_t *, n_thread);
    all->count = SONDE__TAKE(arena, uint64_t *, n_thread);
    all->policy = SONDE__TAKE(arena, uint64_t, all->sampled ? all->n_policy : 0);
    for (int32_t i = 0; i < n_thread; i++) {
        sonde__walker walker;
        sonde__walker_carve(arena, all->policies, &walker);
        int32_t *present = SONDE__TAKE(arena, int32_t, 2 * (uint64_t)horizon + 3);
        uint64_t *count =
            SONDE__TAKE(arena, uint64_t, (uint64_t)all->n_element * (uint64_t)all->n_element);
        if (count != NULL) {
            all->walker[i] = walker;
            all->present[i] = present;
            all->count[i] = count;
        }
    }
}

/* Keeps each element of a list once; returns how many these are. */
static int32_t keep_each(int32_t *list, int32_t n_all) {
    int32_t n = 0;
    for (int32_t all = 0; all < n_all; all++) {
        const int32_t element = list[all];
        int32_t i = 0;
        while (i < n && list[i] != element) {
            i++;
        }
        list[i] = element;
        n += i == n ? 1 : 0;
    }
    return n;
}

static void count_block(void *context, int32_t task, int32_t worker) {
    const job *all = context;
    const sonde__policy_parts *parts = sonde__parts_of(all->policies);
    sonde__walker *walker = &all->walker[worker];
    int32_t *present = all->present[worker];
    uint64_t *count = all->count[worker];
    sonde__walker_start(walker, all->policies, sonde__origin_of_all(all->policies));
    const uint64_t begin = (uint64_t)task * BLOCK;
    const uint64_t rest = all->n_policy - begin;
    for (uint64_t i = 0; i < (rest < BLOCK ? rest : BLOCK); i++) {
        (void)sonde__walker_move(walker, all->sampled ? all->policy[begin + i] : begin + i);
        const int32_t n = keep_each(present, parts->elements(all->policies, walker->edge, present));
        for (int32_t a = 0; a < n; a++) {
            for (int32_t b = 0; b < n; b++) {
                count[(int64_t)present[a] * all->n_element + present[b]]++;
            }
        }
    }
}

/* M from the counts of all workers. */
static void assemble(const job *all, int32_t n_thread, double *gram) {
    const int32_t n = all->n_element;
    const int64_t side = (int64_t)n + 1;
    gram[0] = (double)all->n_policy;
    for (int32_t a = 0; a < n; a++) {
        for (int32_t b = 0; b < n; b++) {
            uint64_t both = 0;
            for (int32_t i = 0; i < n_thread; i++) {
                both += all->count[i][(int64_t)a * n + b];
            }
            gram[(a + 1) * side + b + 1] = 4.0 * (double)both;
            if (a == b) {
                gram[a + 1] = gram[(a + 1) * side] = -2.0 * (double)both;
            }
        }
    }
}

sonde_status sonde__edm_gram(const sonde_policies *policies, const sonde_embed_settings *settings,
                             const sonde_run *run, double *gram, sonde_error *error) {
    const uint64_t most = (uint64_t)settings->n_sample;
    const bool sampled = most > 0 && most < policies->n_policy;
    const uint64_t n_policy = sampled ? most : policies->n_policy;
    if (n_policy > N_POLICY_MAX) {
        return sonde__fail(
            error, SONDE_TOO_LARGE,
            "edm: looks at every global policy, and there are %.4g; choose a shorter "
            "horizon, a sample or another embedding",
            policies->size);
    }
    const int32_t origin = sonde__origin_of_all(policies);
    sonde_status status = sonde__embed_check(policies, origin, settings->n_sample, error);
    if (status != SONDE_OK) {
        return status;
    }
    job all = {.policies = policies,
               .n_element = n_element(policies),
               .n_policy = n_policy,
               .sampled = sampled};
    sonde__arena arena = {0};
    carve_job(&arena, run->n_thread, &all);
    status = sonde__arena_claim(&arena, run, "edm: counts of pairs of edges",
                                "use fewer threads or another embedding", error);
    if (status != SONDE_OK) {
        return status;
    }
    carve_job(&arena, run->n_thread, &all);
    if (sampled) {
        sonde__embed_sample(policies, origin, settings->seed, n_policy, all.policy);
    }
    const int32_t n_task = (int32_t)((n_policy + BLOCK - 1) / BLOCK);
    status = sonde__parallel(run, n_task, "edit distances", count_block, &all);
    if (status == SONDE_OK) {
        assemble(&all, run->n_thread, gram);
    }
    sonde__arena_free(&arena);
    return status;
}

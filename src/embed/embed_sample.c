/* embed_sample.c: some policies of an origin, drawn uniformly without replacement, in order.
 *
 * Where there are not many more than are wanted, every policy is taken with the probability that is left
 * (wanted / remaining); otherwise indices are drawn, sorted, and drawn again where two are the same. Either
 * way every subset is as likely as any other. */
#include "embed/embed.h"

/* Lets an index sink to its place in a heap with the largest on top. */
static void sink(uint64_t *heap, uint64_t n, uint64_t at) {
    const uint64_t entry = heap[at];
    for (uint64_t child = 2 * at + 1; child < n; child = 2 * at + 1) {
        if (child + 1 < n && heap[child + 1] > heap[child]) {
            child++;
        }
        if (heap[child] <= entry) {
            break;
        }
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = entry;
}

static void sort(uint64_t *index, uint64_t n) {
    for (uint64_t at = n / 2; at-- > 0;) {
        sink(index, n, at);
    }
    for (uint64_t left = n; left > 1; left--) {
        const uint64_t largest = index[0];
        index[0] = index[left - 1];
        index[left - 1] = largest;
        sink(index, left - 1, 0);
    }
}

/* Of a sorted list, each index once; returns how many are left. */
static uint64_t unite(uint64_t *index, uint64_t n) {
    uint64_t kept = 0;
    for (uint64_t i = 0; i < n; i++) {
        if (kept == 0 || index[kept - 1] != index[i]) {
            index[kept++] = index[i];
        }
    }
    return kept;
}

uint64_t sonde__embed_count(const sonde_embedder *embedder, int32_t origin) {
    const uint64_t n = sonde_policies_size(embedder->policies, origin);
    const uint64_t wanted = (uint64_t)embedder->settings.n_sample;
    return wanted > 0 && wanted < n ? wanted : n;
}

sonde_status sonde__embed_check(const sonde_policies *policies, int32_t origin, int32_t n_sample,
                                sonde_error *error) {
    if (n_sample == 0 || sonde_policies_size(policies, origin) < UINT64_MAX) {
        return SONDE_OK;
    }
    return sonde__fail(
        error, SONDE_TOO_LARGE,
        "policy sample: there are %.4g policies, and from %.4g on they cannot be drawn; "
        "choose a shorter horizon",
        sonde_policies_size_real(policies, origin), (double)UINT64_MAX);
}

void sonde__embed_sample(const sonde_policies *policies, int32_t origin, uint64_t seed, uint64_t n,
                         uint64_t *index) {
    const uint64_t n_policy = sonde_policies_size(policies, origin);
    const uint64_t stream = (uint64_t)((int64_t)origin + 1);
    sonde_rng rng = sonde_rng_stream(seed, SONDE_FOR_SAMPLE, stream);
    uint64_t taken = 0;
    for (uint64_t i = 0; n_policy / 4 <= n && taken < n; i++) {
        if (sonde_rng_below(&rng, n_policy - i) < n - taken) {
            index[taken++] = i;
        }
    }
    while (taken < n) {
        for (uint64_t i = taken; i < n; i++) {
            index[i] = sonde_rng_below(&rng, n_policy);
        }
        sort(index, n);
        taken = unite(index, n);
    }
}

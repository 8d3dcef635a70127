/* embed_sample.c: some policies of an origin, drawn uniformly without replacement, in order. */
#include "embed/embed.h"

#include "base/rng.h"

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
    const uint64_t stream = (uint64_t)((int64_t)origin + 1);
    sonde__rng rng = sonde__rng_stream(seed, SONDE__FOR_SAMPLE, stream);
    sonde__policies_sample(policies, origin, &rng, n, index);
}

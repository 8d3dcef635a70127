/* embed_own.c: rows that the program gives, in place of those that a walk has.
 *
 * The embedder is a list of where they lie, one place for each origin; codes are these rows. */
#include <inttypes.h>
#include <math.h>

#include "base/numbers.h"
#include "embed/embed.h"

typedef struct {
    sonde_embedder embedder; /* first: a pointer to it is a pointer to the block */
    const double **row;      /* (n_origin + 1) of each origin, those of everywhere first; or NULL */
} own;

static own *carve(sonde__arena *arena, const sonde_policies *policies) {
    own *o = SONDE__TAKE(arena, own, 1);
    own none;
    own *to = o != NULL ? o : &none;
    to->row = SONDE__TAKE(arena, const double *, (uint64_t)policies->n_origin + 1);
    return o;
}

sonde_status sonde__own_new(const sonde_policies *policies, const sonde_embed_settings *settings,
                            const sonde_run *run, sonde_embedder **embedder, sonde_error *error) {
    sonde__arena arena = {0};
    (void)carve(&arena, policies);
    const sonde_status fits =
        sonde__arena_claim(&arena, run, "rows", "choose another embedding or allow more", error);
    if (fits != SONDE_OK) {
        return fits;
    }
    own *o = carve(&arena, policies);
    o->embedder = (sonde_embedder){
        .policies = policies, .settings = *settings, .now = {.state = -1}, .bytes = arena.size};
    *embedder = &o->embedder;
    return SONDE_OK;
}

static bool is_own(const sonde_embedder *embedder) {
    return embedder->settings.kind == SONDE_EMBEDDING_OWN;
}

const double *sonde__own_rows(const sonde_embedder *embedder, int32_t origin) {
    return is_own(embedder) ? ((const own *)embedder)->row[origin + 1] : NULL;
}

/* Fails where there is no such origin, or too many policies to be listed. */
static sonde_status check(const sonde_embedder *embedder, int32_t origin, sonde_error *error) {
    if (!sonde__origin_is(embedder->policies, origin)) {
        return sonde__fail(error, SONDE_BAD_ARGUMENT,
                           "origin: expected one of %" PRId32 ", found number %" PRId32,
                           embedder->policies->n_origin, origin);
    }
    if (sonde__embed_count(embedder, origin) > INT32_MAX) {
        return sonde__fail(error, SONDE_TOO_LARGE,
                           "rows: there are %.4g policies, and at most %d can be listed; choose a "
                           "shorter horizon, or a sample of the policies",
                           sonde_policies_size_real(embedder->policies, origin), INT32_MAX);
    }
    return sonde__embed_check(embedder->policies, origin, embedder->settings.n_sample, error);
}

uint64_t sonde_embedder_size(const sonde_embedder *embedder, int32_t origin) {
    return sonde__embed_count(embedder, origin);
}

sonde_status sonde_embedder_list(const sonde_embedder *embedder, int32_t origin, uint64_t *index,
                                 sonde_error *error) {
    const sonde_status status = check(embedder, origin, error);
    const uint64_t n = sonde__embed_count(embedder, origin);
    if (status != SONDE_OK) {
        return status;
    }
    for (uint64_t i = 0; i < n; i++) {
        index[i] = i;
    }
    if (n < sonde_policies_size(embedder->policies, origin)) {
        sonde__embed_sample(embedder->policies, origin, embedder->settings.seed, n, index);
    }
    return SONDE_OK;
}

sonde_status sonde__rows_check(int32_t n_row, int32_t n_column, const double *row,
                               sonde_error *error) {
    if (n_row < 1 || n_column < 1) {
        return sonde__fail(error, SONDE_BAD_ARGUMENT,
                           "rows: expected 1 or more of 1 or more columns, found %d of %d", n_row,
                           n_column);
    }
    for (int64_t i = 0; i < (int64_t)n_row * n_column; i++) {
        if (!(fabs(row[i]) <= SONDE__LARGEST)) {
            return sonde__fail(error, SONDE_BAD_ARGUMENT,
                               "rows: expected finite numbers up to %g, found %g in row %d",
                               SONDE__LARGEST, row[i], (int)(i / n_column));
        }
    }
    return SONDE_OK;
}

sonde_status sonde_embedder_give(sonde_embedder *embedder, int32_t origin, int32_t n_row,
                                 int32_t n_column, const double *row, sonde_error *error) {
    if (!is_own(embedder)) {
        return sonde__fail(error, SONDE_BAD_ARGUMENT,
                           "rows: expected an embedding of your own, found %s, which makes its own "
                           "rows",
                           sonde_embedding_name(embedder->settings.kind));
    }
    const sonde_status status = check(embedder, origin, error);
    if (status != SONDE_OK) {
        return status;
    }
    const uint64_t n = sonde__embed_count(embedder, origin);
    if ((uint64_t)n_row != n) {
        return sonde__fail(error, SONDE_BAD_ARGUMENT,
                           "rows: expected %" PRIu64 ", one for each policy, found %d", n, n_row);
    }
    if (embedder->n_column > 0 && n_column != embedder->n_column) {
        return sonde__fail(error, SONDE_BAD_ARGUMENT,
                           "rows: expected %d columns, as the first ones had, found %d",
                           embedder->n_column, n_column);
    }
    const sonde_status good = sonde__rows_check(n_row, n_column, row, error);
    if (good == SONDE_OK) {
        ((own *)embedder)->row[origin + 1] = row;
        embedder->n_code = embedder->n_room = embedder->n_column = n_column;
        embedder->n_column_nominal = (double)n_column;
    }
    return good;
}

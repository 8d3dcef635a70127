/* embed_rows.c: the embedded policies of an origin, equal rows once.
 *
 * Every policy's code is hashed (in parallel); then, in policy order, it either finds its row in a
 * hash table or becomes a new one. Codes are not kept: where two hashes agree, both codes are made
 * again and compared, so that equal means equal. Memory is about 28 bytes a policy while this runs,
 * and 4 a policy plus the distinct rows afterwards. */
#include <assert.h>
#include <string.h>

#include "embed/embed.h"

/* policies a task hashes, and rows a task fills */
#define BLOCK 16384

static uint64_t table_size(uint64_t n_policy) {
    uint64_t size = 16;
    while (size < 2 * n_policy) {
        size *= 2;
    }
    return size;
}

void sonde__embed_scratch_carve(sonde__arena *arena, const sonde_embedder *embedder,
                                uint64_t n_policy, int32_t n_thread,
                                sonde__embed_scratch *scratch) {
    scratch->walker = SONDE__TAKE(arena, sonde__walker, n_thread);
    scratch->code = SONDE__TAKE(arena, double *, n_thread);
    for (int32_t i = 0; i < n_thread; i++) {
        sonde__walker walker;
        sonde__walker_carve(arena, embedder->policies->horizon, &walker);
        double *code = SONDE__TAKE(arena, double, 2 * (uint64_t)embedder->n_code);
        if (code != NULL) {
            scratch->walker[i] = walker;
            scratch->code[i] = code;
        }
    }
    scratch->walk = SONDE__TAKE(arena, int32_t, embedder->policies->horizon + 1);
    scratch->hash = SONDE__TAKE(arena, uint64_t, n_policy);
    scratch->n_table = table_size(n_policy);
    scratch->table = SONDE__TAKE(arena, int32_t, scratch->n_table);
    scratch->row_of = SONDE__TAKE(arena, int32_t, n_policy);
    scratch->first = SONDE__TAKE(arena, int32_t, n_policy);
}

/* A walk has T + 1 edges and T + 2 nodes; no code has more numbers than two for each. */
static int32_t most_nonzeros(const sonde_embedder *embedder) {
    const int64_t most = 2 * (int64_t)embedder->policies->horizon + 4;
    return most < embedder->n_code ? (int32_t)most : embedder->n_code;
}

void sonde__embedding_carve(sonde__arena *arena, const sonde_embedder *embedder, uint64_t n_policy,
                            uint64_t n_row, sonde__embedding *embedding) {
    const uint64_t n_nonzero = sonde__multiply(n_row, (uint64_t)most_nonzeros(embedder));
    embedding->row =
        SONDE__TAKE(arena, double, sonde__multiply(n_row, (uint64_t)embedder->n_column));
    embedding->row_of = SONDE__TAKE(arena, int32_t, n_policy);
    embedding->weight = SONDE__TAKE(arena, int32_t, n_row);
    embedding->first = SONDE__TAKE(arena, int32_t, n_row);
    embedding->n_nonzero = SONDE__TAKE(arena, int32_t, n_row);
    embedding->code_column = SONDE__TAKE(arena, int32_t, n_nonzero);
    embedding->code_value = SONDE__TAKE(arena, double, n_nonzero);
    embedding->norm = SONDE__TAKE(arena, double, n_row);
}

/* what the tasks share */
typedef struct {
    const sonde_embedder *embedder;
    int32_t origin;
    int32_t n;
    sonde__embed_scratch *scratch;
    sonde__embedding *embedding;
} job;

/* Mixes the codes' bits; every step is a bijection of the state, so no column is lost. */
static uint64_t hash_code(const double *code, int32_t n) {
    uint64_t hash = UINT64_C(0x9E3779B97F4A7C15);
    for (int32_t j = 0; j < n; j++) {
        uint64_t bits;
        memcpy(&bits, &code[j], sizeof bits);
        hash = (hash ^ bits) * UINT64_C(0xD6E8FEB86659FD93);
        hash ^= hash >> 32;
    }
    return hash;
}

static void hash_block(void *context, int32_t task, int32_t worker) {
    const job *all = context;
    const sonde_embedder *embedder = all->embedder;
    sonde__walker *walker = &all->scratch->walker[worker];
    double *code = all->scratch->code[worker];
    sonde__walker_start(walker, embedder->policies, all->origin);
    const int32_t begin = task * BLOCK;
    const int32_t n = all->n - begin < BLOCK ? all->n - begin : BLOCK;
    for (int32_t i = begin; i < begin + n; i++) {
        (void)sonde__walker_move(walker, (uint64_t)i);
        sonde__embed_code(embedder, walker->edge, code);
        all->scratch->hash[i] = hash_code(code, embedder->n_code);
    }
}

/* Whether the policy that the walker stands on has the same code as policy `other`. */
static bool same_code(const job *all, const sonde__walker *walker, uint64_t other) {
    int32_t *walk = all->scratch->walk;
    double *here = all->scratch->code[0];
    double *there = here + all->embedder->n_code;
    sonde_policies_get(all->embedder->policies, all->origin, other, walk);
    sonde__embed_code(all->embedder, walker->edge, here);
    sonde__embed_code(all->embedder, walk, there);
    return memcmp(here, there, (size_t)all->embedder->n_code * sizeof *here) == 0;
}

/* The row of policy i: one that is there already, or a new one. */
static int32_t find_row(const job *all, sonde__walker *walker, int32_t i) {
    sonde__embed_scratch *s = all->scratch;
    const uint64_t mask = s->n_table - 1;
    uint64_t slot = s->hash[i] & mask;
    for (; s->table[slot] >= 0; slot = (slot + 1) & mask) {
        const int32_t row = s->table[slot];
        if (s->hash[s->first[row]] == s->hash[i]) {
            (void)sonde__walker_move(walker, (uint64_t)i);
            if (same_code(all, walker, (uint64_t)s->first[row])) {
                return row;
            }
        }
    }
    s->table[slot] = s->n_row;
    s->first[s->n_row] = i;
    return s->n_row++;
}

static int32_t n_block(int32_t n) {
    return n / BLOCK + (n % BLOCK > 0);
}

sonde_status sonde__embed_distinct(const sonde_embedder *embedder, int32_t origin,
                                   const sonde_run *run, sonde__embed_scratch *scratch) {
    const int32_t n = (int32_t)sonde_policies_size(embedder->policies, origin);
    job all = {.embedder = embedder, .origin = origin, .n = n, .scratch = scratch};
    const sonde_status status = sonde__parallel(run, n_block(n), "embedding", hash_block, &all);
    if (status != SONDE_OK) {
        return status;
    }
    /* the scratch may have been made for more policies: use only as much of it as this needs */
    scratch->n_table = table_size((uint64_t)n);
    memset(scratch->table, 0xFF, scratch->n_table * sizeof *scratch->table);
    scratch->n_row = 0;
    sonde__walker *walker = &scratch->walker[0];
    sonde__walker_start(walker, embedder->policies, origin);
    for (int32_t i = 0; i < n; i++) {
        scratch->row_of[i] = find_row(&all, walker, i);
        if (i % BLOCK == 0 && sonde__stopped(run)) {
            return SONDE_STOPPED;
        }
    }
    return SONDE_OK;
}

/* Row r from its code: the row, the numbers of the code that are not 0, and the length. */
static void fill_row(const sonde_embedder *embedder, const double *code, int32_t r,
                     sonde__embedding *embedding) {
    const int64_t at = (int64_t)r * embedding->embedding.n_nonzero_max;
    double *row = embedding->row + (int64_t)r * embedder->n_column;
    sonde__embed_row(embedder, code, row);
    int32_t n = 0;
    for (int32_t j = 0; j < embedder->n_code; j++) {
        if (code[j] != 0.0) {
            assert(n < embedding->embedding.n_nonzero_max);
            embedding->code_column[at + n] = j;
            embedding->code_value[at + n] = code[j];
            n++;
        }
    }
    embedding->n_nonzero[r] = n;
    /* loops over a code run to the longest one's end: there, nothing changes anything */
    for (; n < embedding->embedding.n_nonzero_max; n++) {
        embedding->code_column[at + n] = 0;
        embedding->code_value[at + n] = 0.0;
    }
    embedding->norm[r] = 0.0;
    for (int32_t j = 0; j < embedder->n_column; j++) {
        embedding->norm[r] += row[j] * row[j];
    }
}

static void fill_block(void *context, int32_t task, int32_t worker) {
    const job *all = context;
    const sonde_embedder *embedder = all->embedder;
    sonde__walker *walker = &all->scratch->walker[worker];
    double *code = all->scratch->code[worker];
    sonde__walker_start(walker, embedder->policies, all->origin);
    const int32_t begin = task * BLOCK;
    const int32_t n = all->n - begin < BLOCK ? all->n - begin : BLOCK;
    for (int32_t r = begin; r < begin + n; r++) {
        (void)sonde__walker_move(walker, (uint64_t)all->scratch->first[r]);
        sonde__embed_code(embedder, walker->edge, code);
        fill_row(embedder, code, r, all->embedding);
    }
}

sonde_status sonde__embed_fill(const sonde_embedder *embedder, int32_t origin, const sonde_run *run,
                               sonde__embed_scratch *scratch, sonde__embedding *embedding) {
    const int32_t n_policy = (int32_t)sonde_policies_size(embedder->policies, origin);
    const int32_t n_row = scratch->n_row;
    memcpy(embedding->row_of, scratch->row_of, (size_t)n_policy * sizeof(int32_t));
    memcpy(embedding->first, scratch->first, (size_t)n_row * sizeof(int32_t));
    memset(embedding->weight, 0, (size_t)n_row * sizeof(int32_t));
    for (int32_t i = 0; i < n_policy; i++) {
        embedding->weight[embedding->row_of[i]]++;
    }
    embedding->embedding = (sonde_embedding){
        .settings = embedder->settings,
        .origin = origin,
        .n_policy = n_policy,
        .n_row = n_row,
        .n_column = embedder->n_column,
        .n_column_nominal = embedder->n_column_nominal,
        .row = embedding->row,
        .row_of = embedding->row_of,
        .weight = embedding->weight,
        .first = embedding->first,
        .n_code = embedder->n_code,
        .n_nonzero_max = most_nonzeros(embedder),
        .n_nonzero = embedding->n_nonzero,
        .code_column = embedding->code_column,
        .code_value = embedding->code_value,
        .norm = embedding->norm,
        .basis = embedder->basis,
        .gram = embedder->gram,
    };
    job all = {embedder, origin, n_row, scratch, embedding};
    const sonde_status status = sonde__parallel(run, n_block(n_row), "embedding", fill_block, &all);
    for (int32_t r = 0; r < n_row && status == SONDE_OK; r++) {
        int32_t *most = &embedding->embedding.n_nonzero_most;
        *most = embedding->n_nonzero[r] > *most ? embedding->n_nonzero[r] : *most;
    }
    return status;
}

/* Reserves the embedding and fills it, once the distinct rows are known. */
static sonde_status make_rows(const sonde_embedder *embedder, int32_t origin, const sonde_run *run,
                              sonde__embed_scratch *scratch, sonde_embedding **embedding,
                              sonde_error *error) {
    const uint64_t n_policy = sonde_policies_size(embedder->policies, origin);
    const uint64_t n_row = (uint64_t)scratch->n_row;
    sonde__arena arena = {0};
    sonde__embedding none;
    (void)SONDE__TAKE(&arena, sonde__embedding, 1);
    sonde__embedding_carve(&arena, embedder, n_policy, n_row, &none);
    sonde_status status =
        sonde__check_memory(run, arena.used, "embedding",
                            "choose local scope or a shorter horizon, or allow more", error);
    if (status != SONDE_OK) {
        return status;
    }
    if (!sonde__arena_reserve(&arena)) {
        return sonde__fail_memory(error, "embedding", arena.used);
    }
    sonde__embedding *made = SONDE__TAKE(&arena, sonde__embedding, 1);
    sonde__embedding_carve(&arena, embedder, n_policy, n_row, made);
    status = sonde__embed_fill(embedder, origin, run, scratch, made);
    if (status != SONDE_OK) {
        sonde__arena_free(&arena);
        return sonde__fail(error, status, "embedding: %s", sonde_status_sentence(status));
    }
    made->embedding.bytes = arena.size;
    *embedding = &made->embedding;
    return SONDE_OK;
}

sonde_status sonde_embedding_new(const sonde_embedder *embedder, int32_t origin,
                                 const sonde_run *run, sonde_embedding **embedding,
                                 sonde_error *error) {
    const sonde_run settled = sonde__run_settle(run);
    const uint64_t n_policy = sonde_policies_size(embedder->policies, origin);
    if (n_policy > INT32_MAX) {
        return sonde__fail(
            error, SONDE_TOO_LARGE,
            "embedding: there are %.4g policies, and at most %d can be listed; choose "
            "local scope or a shorter horizon",
            sonde_policies_size_real(embedder->policies, origin), INT32_MAX);
    }
    sonde__arena arena = {0};
    sonde__embed_scratch scratch = {0};
    sonde__embed_scratch_carve(&arena, embedder, n_policy, settled.n_thread, &scratch);
    sonde_status status =
        sonde__check_memory(&settled, arena.used, "embedding",
                            "choose local scope or a shorter horizon, or allow more", error);
    if (status != SONDE_OK) {
        return status;
    }
    if (!sonde__arena_reserve(&arena)) {
        return sonde__fail_memory(error, "embedding", arena.used);
    }
    sonde__embed_scratch_carve(&arena, embedder, n_policy, settled.n_thread, &scratch);
    status = sonde__embed_distinct(embedder, origin, &settled, &scratch);
    if (status != SONDE_OK) {
        (void)sonde__fail(error, status, "embedding: %s", sonde_status_sentence(status));
    } else {
        const sonde_run rest = sonde__run_less(&settled, arena.size);
        status = make_rows(embedder, origin, &rest, &scratch, embedding, error);
    }
    sonde__arena_free(&arena);
    return status;
}

void sonde_embedding_free(sonde_embedding *embedding) {
    sonde__free(embedding);
}

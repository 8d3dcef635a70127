/* embed_rows.c: the embedded policies of an origin, equal rows once.
 *
 * Every policy's code is hashed (in parallel); then, in policy order, its hash is either found in
 * a table or makes a new row. Codes are kept of the distinct rows alone, in one byte a number
 * where they are whole numbers up to 255. At the end every policy's code is made once more, or was
 * kept if they are few, and compared with its row's (in parallel): should two codes have shared a
 * hash, all is done again with other hashes, so that equal means equal.
 *
 * Memory, in bytes a policy: 8 for the hash, 5 to 9 for the table and 8 for row and first policy
 * while rows are looked for, and up to a MiB of codes that are kept; afterwards 4 for the row, and
 * 8 and a code for each distinct one. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/numbers.h"
#include "base/vector.h"
#include "embed/embed.h"

/* policies a task hashes or compares, and rows a task fills */
#define BLOCK 16384
/* codes that take no more bytes than this are kept until their rows are known, rather than made
 * again */
#define KEPT (1 << 20)
/* how far ahead the table is asked for */
#define AHEAD 16

/* The table is never more than eight ninths full, and mostly a third. */
static uint64_t table_size(uint64_t n_policy) {
    uint64_t size = 16;
    while (size < n_policy + n_policy / 8) {
        size *= 2;
    }
    return size;
}

/* What only the search for equal hashes needs. */
static void carve_table(sonde__arena *arena, uint64_t n_policy, sonde__embed_scratch *scratch) {
    scratch->hash = SONDE__TAKE(arena, uint64_t, n_policy);
    scratch->table = SONDE__TAKE(arena, int32_t, table_size(n_policy));
}

/* What it finds, and what makes codes. */
static void carve_lists(sonde__arena *arena, const sonde_embedder *embedder, int32_t n_code,
                        uint64_t n_policy, int32_t n_thread, sonde__embed_scratch *scratch) {
    const bool sampled = embedder != NULL && embedder->settings.n_sample > 0;
    const int32_t n_room = embedder != NULL ? embedder->n_room : n_code;
    scratch->walker = SONDE__TAKE(arena, sonde__walker, n_thread);
    scratch->code = SONDE__TAKE(arena, double *, n_thread);
    scratch->small = SONDE__TAKE(arena, uint8_t *, n_thread);
    for (int32_t i = 0; i < n_thread; i++) {
        sonde__walker walker = {0};
        sonde__arena_gap(arena);
        if (embedder != NULL) {
            sonde__walker_carve(arena, embedder->policies, &walker);
        }
        double *code = SONDE__TAKE(arena, double, n_room);
        uint8_t *small = SONDE__TAKE(arena, uint8_t, (uint64_t)n_code + sizeof(uint64_t));
        if (small != NULL) {
            scratch->walker[i] = walker;
            scratch->code[i] = code;
            scratch->small[i] = small;
        }
    }
    scratch->row_of = SONDE__TAKE(arena, int32_t, n_policy);
    scratch->first = SONDE__TAKE(arena, int32_t, n_policy);
    scratch->policy = SONDE__TAKE(arena, uint64_t, sampled ? n_policy : 0);
    const uint64_t n_byte = sonde__multiply(n_policy, (uint64_t)n_code);
    scratch->kept = n_byte <= KEPT ? SONDE__TAKE(arena, uint8_t, n_byte) : NULL;
}

void sonde__embed_scratch_carve(sonde__arena *arena, const sonde_embedder *embedder,
                                uint64_t n_policy, int32_t n_thread,
                                sonde__embed_scratch *scratch) {
    carve_table(arena, n_policy, scratch);
    carve_lists(arena, embedder, embedder->n_code, n_policy, n_thread, scratch);
}

/* what the tasks share */
typedef struct {
    const sonde_embedder *embedder;
    const double *given; /* (n_policy, n_code) instead of an embedder */
    int32_t origin;
    int32_t n_policy;
    int32_t n_code;
    bool sampled; /* not all policies are embedded: scratch->policy tells which */
    sonde__embed_scratch *scratch;
    sonde__embedding *embedding;
    bool clash; /* two codes had one hash */
} job;

/* Room for an embedding whose codes take code_bytes a number, 1 or 8. */
static void carve_rows(sonde__arena *arena, const job *all, uint64_t n_row, size_t code_bytes,
                       sonde__embedding *embedding) {
    const uint64_t n_number = sonde__multiply(n_row, (uint64_t)all->n_code);
    const uint64_t n_policy = (uint64_t)all->n_policy;
    const bool sampled = all->embedder != NULL && all->embedder->settings.n_sample > 0;
    embedding->row_of = SONDE__TAKE(arena, int32_t, n_policy);
    embedding->weight = SONDE__TAKE(arena, int32_t, n_row);
    embedding->first = SONDE__TAKE(arena, int32_t, n_row);
    embedding->policy = SONDE__TAKE(arena, uint64_t, sampled ? n_policy : 0);
    embedding->code = sonde__arena_take(arena, n_number, code_bytes);
}

void sonde__embedding_carve(sonde__arena *arena, const sonde_embedder *embedder, uint64_t n_policy,
                            uint64_t n_row, sonde__embedding *embedding) {
    const job all = {
        .embedder = embedder, .n_policy = (int32_t)n_policy, .n_code = embedder->n_code};
    carve_rows(arena, &all, n_row, sizeof(double), embedding);
}

/* The code of a policy; a worker asks for them in ascending order. */
static const double *make_code(const job *all, int32_t policy, int32_t worker) {
    if (all->given != NULL) {
        return all->given + (int64_t)policy * all->n_code;
    }
    sonde__walker *walker = &all->scratch->walker[worker];
    const uint64_t index = all->sampled ? all->scratch->policy[policy] : (uint64_t)policy;
    (void)sonde__walker_move(walker, index);
    sonde__embed_code(all->embedder, walker->edge, all->scratch->code[worker]);
    return all->scratch->code[worker];
}

static void start_worker(const job *all, int32_t worker) {
    if (all->given == NULL) {
        sonde__walker_start(&all->scratch->walker[worker], all->embedder->policies, all->origin);
    }
}

/* Eight numbers in bytes; `wrong` gets bits where one does not fit. A whole number becomes the
 * last bits of a double from 2^52 on; one that does not come back from there bit by bit, like a
 * fraction or a negative zero, or takes more than a byte of them does not fit. */
static inline __attribute__((always_inline)) void pack_eight(const sonde__eight *number,
                                                             uint8_t *small,
                                                             sonde__eight_bits *wrong) {
    typedef uint8_t eight_bytes __attribute__((vector_size(SONDE__EIGHT)));
    const sonde__eight whole = (sonde__eight){0.0} + 0x1p52;
    const sonde__eight sum = *number + whole;
    const sonde__eight_bits bits = (sonde__eight_bits)sum - (sonde__eight_bits)whole;
    const eight_bytes bytes = __builtin_convertvector(bits, eight_bytes);
    memcpy(small, &bytes, sizeof bytes);
    *wrong |=
        (bits & ~INT64_C(255)) | ((sonde__eight_bits)(sum - whole) ^ (sonde__eight_bits)*number);
}

/* A code in bytes; false if some number does not fit one. The last eight may be some of those
 * before once more. */
SONDE__VECTOR
static bool pack(const double *code, int32_t n, uint8_t *small) {
    sonde__eight_bits wrong = {0};
    for (int32_t first = 0; first < n && n >= SONDE__EIGHT; first += SONDE__EIGHT) {
        const int32_t j = first + SONDE__EIGHT <= n ? first : n - SONDE__EIGHT;
        sonde__eight number;
        memcpy(&number, code + j, sizeof number);
        pack_eight(&number, small + j, &wrong);
    }
    if (n < SONDE__EIGHT) {
        sonde__eight number = {0.0};
        uint8_t last[SONDE__EIGHT];
        memcpy(&number, code, (size_t)n * sizeof *code);
        pack_eight(&number, last, &wrong);
        memcpy(small, last, (size_t)n);
    }
    int64_t any = 0;
    for (int32_t l = 0; l < SONDE__EIGHT; l++) {
        any |= wrong[l];
    }
    return any == 0;
}

/* Mixes eight bytes into a hash; every step is a bijection of the state, so nothing is lost. */
static uint64_t mix(uint64_t hash, uint64_t bits) {
    hash = (hash ^ bits) * UINT64_C(0xD6E8FEB86659FD93);
    return hash ^ hash >> 32;
}

static uint64_t hash_bytes(const void *bytes, size_t size, uint64_t hash) {
    const char *at = bytes;
    for (size_t i = 0; i < size; i += sizeof hash) {
        uint64_t bits = 0;
        memcpy(&bits, at + i, size - i < sizeof bits ? size - i : sizeof bits);
        hash = mix(hash, bits);
    }
    return hash;
}

static void hash_block(void *context, int32_t task, int32_t worker) {
    const job *all = context;
    sonde__embed_scratch *s = all->scratch;
    uint8_t *small = s->small[worker];
    const size_t n = (size_t)all->n_code;
    const size_t n_padded = (n + sizeof(uint64_t) - 1) / sizeof(uint64_t) * sizeof(uint64_t);
    const uint64_t begin_hash = mix(UINT64_C(0x9E3779B97F4A7C15), s->salt);
    memset(small, 0, n_padded);
    start_worker(all, worker);
    const int32_t begin = task * BLOCK;
    const int32_t end = all->n_policy - begin < BLOCK ? all->n_policy : begin + BLOCK;
    bool whole = true;
    for (int32_t i = begin; i < end; i++) {
        const double *code = make_code(all, i, worker);
        const bool packed = pack(code, all->n_code, small);
        whole = whole && packed;
        s->hash[i] = packed ? hash_bytes(small, n_padded, begin_hash)
                            : hash_bytes(code, n * sizeof *code, begin_hash);
        if (s->kept != NULL && packed) {
            memcpy(s->kept + (size_t)i * n, small, n);
        }
    }
    if (!whole) {
        __atomic_store_n(&s->whole, false, __ATOMIC_RELAXED);
    }
}

/* The row with this hash: one that is there already, or a new one. The hashes of rows take the
 * places of those of policies that are done with: there are never more rows than policies. */
static int32_t find_row(sonde__embed_scratch *s, uint64_t mask, int32_t i) {
    const uint64_t hash = s->hash[i];
    uint64_t slot = hash & mask;
    for (; s->table[slot] >= 0; slot = (slot + 1) & mask) {
        if (s->hash[s->table[slot]] == hash) {
            return s->table[slot];
        }
    }
    s->table[slot] = s->n_row;
    s->hash[s->n_row] = hash;
    s->first[s->n_row] = i;
    return s->n_row++;
}

static int32_t n_block(int32_t n) {
    return n / BLOCK + (n % BLOCK > 0);
}

static sonde_status find_distinct(job *all, const sonde_run *run) {
    sonde__embed_scratch *s = all->scratch;
    const int32_t n = all->n_policy;
    s->whole = true;
    if (all->sampled) {
        sonde__embed_sample(all->embedder->policies, all->origin, all->embedder->settings.seed,
                            (uint64_t)n, s->policy);
    }
    const sonde_status status = sonde__parallel(run, n_block(n), "embedding", hash_block, all);
    if (status != SONDE_OK) {
        return status;
    }
    /* the scratch may have been made for more policies: use only as much of it as this needs */
    const uint64_t n_table = table_size((uint64_t)n);
    memset(s->table, 0xFF, (size_t)n_table * sizeof *s->table);
    s->n_row = 0;
    for (int32_t i = 0; i < n; i++) {
        __builtin_prefetch(&s->table[s->hash[i + AHEAD < n ? i + AHEAD : i] & (n_table - 1)]);
        s->row_of[i] = find_row(s, n_table - 1, i);
        if (i % BLOCK == 0 && sonde__stopped(run)) {
            return SONDE_STOPPED;
        }
    }
    return SONDE_OK;
}

static job job_of(const sonde_embedder *embedder, int32_t origin, sonde__embed_scratch *scratch) {
    const uint64_t n_policy = sonde__embed_count(embedder, origin);
    return (job){.embedder = embedder,
                 .given = sonde__own_rows(embedder, origin),
                 .origin = origin,
                 .n_policy = (int32_t)n_policy,
                 .sampled = n_policy < sonde_policies_size(embedder->policies, origin),
                 .n_code = embedder->n_code,
                 .scratch = scratch};
}

sonde_status sonde__embed_distinct(const sonde_embedder *embedder, int32_t origin,
                                   const sonde_run *run, sonde__embed_scratch *scratch) {
    job all = job_of(embedder, origin, scratch);
    scratch->salt = 0;
    return find_distinct(&all, run);
}

/* The code of a policy in bytes, which it fits. */
static const uint8_t *small_code(const job *all, int32_t policy, int32_t worker) {
    const sonde__embed_scratch *s = all->scratch;
    if (s->kept != NULL) {
        return s->kept + (int64_t)policy * all->n_code;
    }
    (void)pack(make_code(all, policy, worker), all->n_code, s->small[worker]);
    return s->small[worker];
}

static void fill_block(void *context, int32_t task, int32_t worker) {
    const job *all = context;
    const sonde__embed_scratch *s = all->scratch;
    const size_t n = (size_t)all->n_code;
    const int32_t begin = task * BLOCK;
    const int32_t end = s->n_row - begin < BLOCK ? s->n_row : begin + BLOCK;
    start_worker(all, worker);
    for (int32_t r = begin; r < end; r++) {
        const size_t at = (size_t)r * n;
        if (s->whole) {
            memcpy((uint8_t *)all->embedding->code + at, small_code(all, s->first[r], worker), n);
        } else {
            memcpy((double *)all->embedding->code + at, make_code(all, s->first[r], worker),
                   n * sizeof(double));
        }
    }
}

/* Whether policies have the codes of their rows. */
static void compare_block(void *context, int32_t task, int32_t worker) {
    job *all = context;
    const sonde__embed_scratch *s = all->scratch;
    const int32_t begin = task * BLOCK;
    const int32_t end = all->n_policy - begin < BLOCK ? all->n_policy : begin + BLOCK;
    const size_t bytes = (size_t)all->n_code * (s->whole ? sizeof(uint8_t) : sizeof(double));
    bool same = true;
    start_worker(all, worker);
    for (int32_t i = begin; i < end; i++) {
        const int32_t row = s->row_of[i];
        if (s->first[row] != i) {
            const void *code = s->whole ? (const void *)small_code(all, i, worker)
                                        : (const void *)make_code(all, i, worker);
            const char *of_row = (const char *)all->embedding->code + (size_t)row * bytes;
            same = same && memcmp(code, of_row, bytes) == 0;
        }
    }
    if (!same) {
        __atomic_store_n(&all->clash, true, __ATOMIC_RELAXED);
    }
}

/* Fills the embedding, which has room, with the rows that were found, and looks for clashes. */
static sonde_status fill_rows(job *all, const sonde_run *run) {
    sonde__embedding *e = all->embedding;
    const sonde__embed_scratch *s = all->scratch;
    memcpy(e->row_of, s->row_of, (size_t)all->n_policy * sizeof(int32_t));
    memcpy(e->first, s->first, (size_t)s->n_row * sizeof(int32_t));
    if (all->sampled) {
        memcpy(e->policy, s->policy, (size_t)all->n_policy * sizeof(uint64_t));
    }
    memset(e->weight, 0, (size_t)s->n_row * sizeof(int32_t));
    for (int32_t i = 0; i < all->n_policy; i++) {
        e->weight[e->row_of[i]]++;
    }
    e->embedding = (sonde_embedding){
        .origin = all->origin,
        .n_policy = all->n_policy,
        .n_row = s->n_row,
        .n_column = all->n_code,
        .n_column_nominal = (double)all->n_code,
        .row_of = e->row_of,
        .weight = e->weight,
        .first = e->first,
        .policy = all->sampled ? e->policy : NULL,
        .n_code = all->n_code,
        .small = s->whole ? (const uint8_t *)e->code : NULL,
        .code = s->whole ? NULL : (const double *)e->code,
    };
    if (all->embedder != NULL) {
        e->embedding.settings = all->embedder->settings;
        e->embedding.n_column = all->embedder->n_column;
        e->embedding.n_column_nominal = all->embedder->n_column_nominal;
        e->embedding.basis = all->embedder->basis;
        e->embedding.gram = all->embedder->gram;
    }
    all->clash = false;
    sonde_status status = sonde__parallel(run, n_block(s->n_row), "embedding", fill_block, all);
    if (status == SONDE_OK) {
        status = sonde__parallel(run, n_block(all->n_policy), "embedding", compare_block, all);
    }
    return status;
}

sonde_status sonde__embed_fill(const sonde_embedder *embedder, int32_t origin, const sonde_run *run,
                               sonde__embed_scratch *scratch, sonde__embedding *embedding) {
    job all = job_of(embedder, origin, scratch);
    all.embedding = embedding;
    sonde_status status = fill_rows(&all, run);
    while (status == SONDE_OK && all.clash) {
        scratch->salt++;
        status = find_distinct(&all, run);
        status = status == SONDE_OK ? fill_rows(&all, run) : status;
    }
    return status;
}

/* Reserves a measured arena, for scratch or for an embedding, if that is allowed. */
static sonde_status reserve(sonde__arena *arena, bool scratch, const sonde_run *run,
                            sonde_error *error) {
    const sonde_status status =
        sonde__check_memory(run, arena->used, "embedding",
                            "choose local scope or a shorter horizon, or allow more", error);
    if (status != SONDE_OK) {
        return status;
    }
    const bool there = scratch ? sonde__arena_reserve_lazily(arena) : sonde__arena_reserve(arena);
    return there ? SONDE_OK : sonde__fail_memory(error, "embedding", arena->used);
}

/* Finds the distinct rows, with a table that is there only meanwhile. */
static sonde_status make_distinct(job *all, const sonde_run *run, sonde_error *error) {
    sonde__arena arena = {0};
    carve_table(&arena, (uint64_t)all->n_policy, all->scratch);
    sonde_status status = reserve(&arena, true, run, error);
    if (status == SONDE_OK) {
        carve_table(&arena, (uint64_t)all->n_policy, all->scratch);
        status = find_distinct(all, run);
        if (status != SONDE_OK) {
            (void)sonde__fail(error, status, "embedding: %s", sonde_status_sentence(status));
        }
    }
    sonde__arena_free(&arena);
    return status;
}

/* Reserves the embedding and fills it, once the distinct rows are known. */
static sonde_status make_rows(job *all, const sonde_run *run, sonde_embedding **embedding,
                              sonde_error *error) {
    const uint64_t n_row = (uint64_t)all->scratch->n_row;
    const size_t code_bytes = all->scratch->whole ? sizeof(uint8_t) : sizeof(double);
    sonde__arena arena = {0};
    sonde__embedding none;
    (void)SONDE__TAKE(&arena, sonde__embedding, 1);
    carve_rows(&arena, all, n_row, code_bytes, &none);
    sonde_status status = reserve(&arena, false, run, error);
    if (status != SONDE_OK) {
        return status;
    }
    sonde__embedding *made = SONDE__TAKE(&arena, sonde__embedding, 1);
    carve_rows(&arena, all, n_row, code_bytes, made);
    all->embedding = made;
    status = fill_rows(all, run);
    if (status != SONDE_OK || all->clash) {
        sonde__arena_free(&arena);
        return status == SONDE_OK
                   ? SONDE_OK
                   : sonde__fail(error, status, "embedding: %s", sonde_status_sentence(status));
    }
    made->embedding.bytes = arena.size;
    *embedding = &made->embedding;
    return SONDE_OK;
}

static sonde_status make_embedding(job *all, const sonde_run *run, sonde_embedding **embedding,
                                   sonde_error *error) {
    const uint64_t n_policy = (uint64_t)all->n_policy;
    sonde__embed_scratch scratch = {0};
    sonde__arena arena = {0};
    carve_lists(&arena, all->embedder, all->n_code, n_policy, run->n_thread, &scratch);
    sonde_status status = reserve(&arena, true, run, error);
    if (status != SONDE_OK) {
        return status;
    }
    carve_lists(&arena, all->embedder, all->n_code, n_policy, run->n_thread, &scratch);
    const sonde_run rest = sonde__run_less(run, arena.size);
    all->scratch = &scratch;
    do {
        status = make_distinct(all, &rest, error);
        status = status == SONDE_OK ? make_rows(all, &rest, embedding, error) : status;
        scratch.salt++;
    } while (status == SONDE_OK && all->clash);
    sonde__arena_free(&arena);
    all->scratch = NULL;
    return status;
}

sonde_status sonde_embedding_new(const sonde_embedder *embedder, int32_t origin,
                                 const sonde_run *run, sonde_embedding **embedding,
                                 sonde_error *error) {
    const sonde_run settled = sonde__run_settle(run);
    if (!sonde__origin_is(embedder->policies, origin)) {
        return sonde__fail(error, SONDE_BAD_ARGUMENT,
                           "origin: expected one of %" PRId32 ", found number %" PRId32,
                           embedder->policies->n_origin, origin);
    }
    if (embedder->settings.kind == SONDE_EMBEDDING_OWN &&
        sonde__own_rows(embedder, origin) == NULL) {
        return sonde__fail(error, SONDE_BAD_ARGUMENT,
                           "rows: none were given of the policies of origin %" PRId32, origin);
    }
    const sonde_status countable =
        sonde__embed_check(embedder->policies, origin, embedder->settings.n_sample, error);
    if (countable != SONDE_OK) {
        return countable;
    }
    if (sonde__embed_count(embedder, origin) > INT32_MAX) {
        return sonde__fail(
            error, SONDE_TOO_LARGE,
            "embedding: there are %.4g policies, and at most %d can be listed; choose "
            "%sa shorter horizon, or embed a sample",
            sonde_policies_size_real(embedder->policies, origin), INT32_MAX,
            origin == SONDE_EVERYWHERE ? "local scope or " : "");
    }
    job all = job_of(embedder, origin, NULL);
    return make_embedding(&all, &settled, embedding, error);
}

sonde_status sonde_embedding_from_rows(int32_t n_row, int32_t n_column, const double *row,
                                       const sonde_run *run, sonde_embedding **embedding,
                                       sonde_error *error) {
    const sonde_run settled = sonde__run_settle(run);
    const sonde_status good = sonde__rows_check(n_row, n_column, row, error);
    if (good != SONDE_OK) {
        return good;
    }
    job all = {.given = row, .origin = SONDE_EVERYWHERE, .n_policy = n_row, .n_code = n_column};
    return make_embedding(&all, &settled, embedding, error);
}

/* The code of row r, from the first column to the last. */
void sonde__embedding_code(const sonde_embedding *embedding, int32_t r, double *code) {
    const int64_t at = (int64_t)r * embedding->n_code;
    for (int32_t j = 0; j < embedding->n_code; j++) {
        code[j] =
            embedding->small != NULL ? (double)embedding->small[at + j] : embedding->code[at + j];
    }
}

double sonde__embedding_at(const sonde_embedding *embedding, int32_t r, int32_t column) {
    if (r < 0 || r >= embedding->n_row || column < 0 || column >= embedding->n_column) {
        return (double)NAN;
    }
    const int32_t n = embedding->n_code;
    const int64_t at = (int64_t)r * n;
    if (embedding->basis == NULL) {
        return embedding->small != NULL ? (double)embedding->small[at + column]
                                        : embedding->code[at + column];
    }
    const double *basis = embedding->basis + (int64_t)column * n;
    double sum = 0.0;
    for (int32_t j = 0; j < n; j++) {
        sum += basis[j] * (embedding->small != NULL ? (double)embedding->small[at + j]
                                                    : embedding->code[at + j]);
    }
    return sum;
}

void sonde_embedding_row(const sonde_embedding *embedding, int32_t r, double *row) {
    for (int32_t i = 0; i < embedding->n_column; i++) {
        row[i] = sonde__embedding_at(embedding, r, i);
    }
}

void sonde_embedding_free(sonde_embedding *embedding) {
    sonde__free(embedding);
}

/* embed.c: policies as rows of numbers.
 *
 * The table of embeddings, and the embedder: what one of them needs to know of a model. */
#include "embed/embed.h"

#include <math.h>
#include <string.h>

#include "base/linalg.h"
#include "base/numbers.h"

/* eigenvalues this much smaller than the largest are zeros that rounding has touched */
#define RANK_TOLERANCE 1e-13

static const sonde__embedding_kind table[] = {
    {"boe", "how often each edge occurs", sonde__boe_n_code, sonde__boe_code, NULL},
    {"boe-set", "whether each edge occurs", sonde__boe_n_code, sonde__boe_set_code, NULL},
    {"aboe", "boe, and the number of the last node", sonde__aboe_n_code, sonde__aboe_code, NULL},
    {"aboe-onehot", "boe, and a column for each node, weighted at the last",
     sonde__aboe_onehot_n_code, sonde__aboe_onehot_code, NULL},
    {"aboe-edges", "boe-set, and the numbers of the first two edges (the notebook's aboe)",
     sonde__aboe_edges_n_code, sonde__aboe_edges_code, NULL},
    {"edm", "edit distances to every global policy", sonde__edm_n_code, sonde__edm_code,
     sonde__edm_gram},
};
#define N_KIND ((int32_t)(sizeof table / sizeof *table))

const char *sonde_embedding_name(int32_t kind) {
    return kind >= 0 && kind < N_KIND ? table[kind].name : NULL;
}

const char *sonde_embedding_about(int32_t kind) {
    return kind >= 0 && kind < N_KIND ? table[kind].about : NULL;
}

sonde_embed_settings sonde_embed_defaults(void) {
    return (sonde_embed_settings){0};
}

void sonde__embed_code(const sonde_embedder *embedder, const int32_t *walk, double *code) {
    memset(code, 0, (size_t)embedder->n_code * sizeof *code);
    table[embedder->settings.kind].code(embedder, walk, code);
}

void sonde__embed_row(const sonde_embedder *embedder, const double *code, double *row) {
    if (embedder->basis == NULL) {
        memcpy(row, code, (size_t)embedder->n_column * sizeof *row);
        return;
    }
    for (int32_t i = 0; i < embedder->n_column; i++) {
        const double *basis = embedder->basis + (int64_t)i * embedder->n_code;
        double sum = 0.0;
        for (int32_t j = 0; j < embedder->n_code; j++) {
            sum += basis[j] * code[j];
        }
        row[i] = sum;
    }
}

typedef struct {
    sonde_embedder embedder; /* first: a pointer to it is a pointer to the block */
    double *basis;
    double *gram;
} build;

static build *carve(sonde__arena *arena, uint64_t rank, uint64_t n_code) {
    build *b = SONDE__TAKE(arena, build, 1);
    build none;
    build *to = b != NULL ? b : &none;
    to->basis = SONDE__TAKE(arena, double, rank *n_code);
    to->gram = SONDE__TAKE(arena, double, rank > 0 ? n_code * n_code : 0);
    return b;
}

/* the eigendecomposition of a gram matrix */
typedef struct {
    sonde__arena arena;
    double *gram;   /* (n, n) */
    double *worn;   /* (n, n) a copy that the decomposition uses up */
    double *value;  /* (n) */
    double *vector; /* (n, n) */
    int32_t n;
    int32_t rank;
} spectrum;

static void carve_spectrum(spectrum *s, int32_t n) {
    const uint64_t side = (uint64_t)n;
    s->n = n;
    s->gram = SONDE__TAKE(&s->arena, double, side *side);
    s->worn = SONDE__TAKE(&s->arena, double, side *side);
    s->value = SONDE__TAKE(&s->arena, double, side);
    s->vector = SONDE__TAKE(&s->arena, double, side *side);
}

static sonde_status find_spectrum(const sonde__embedding_kind *kind, const sonde_policies *policies,
                                  const sonde_run *run, spectrum *s, sonde_error *error) {
    const int32_t n = kind->n_code(policies->model);
    carve_spectrum(s, n);
    sonde_status status = sonde__check_memory(run, s->arena.used, kind->name,
                                              "choose another embedding or allow more", error);
    if (status != SONDE_OK) {
        return status;
    }
    if (!sonde__arena_reserve(&s->arena)) {
        return sonde__fail_memory(error, kind->name, s->arena.used);
    }
    carve_spectrum(s, n);
    const sonde_run rest = sonde__run_less(run, s->arena.size);
    status = kind->gram(policies, &rest, s->gram, error);
    if (status != SONDE_OK) {
        return status;
    }
    memcpy(s->worn, s->gram, (size_t)n * (size_t)n * sizeof *s->worn);
    sonde__eigen(n, s->worn, s->value, s->vector);
    while (s->rank < n && s->value[s->rank] > RANK_TOLERANCE * s->value[0]) {
        s->rank++;
    }
    return SONDE_OK;
}

/* basis = sqrt(value) * vector: then |basis (x - y)|^2 = (x - y) gram (x - y) */
static void fill_basis(const spectrum *s, double *basis) {
    for (int32_t i = 0; i < s->rank; i++) {
        const double scale = sqrt(s->value[i]);
        for (int32_t j = 0; j < s->n; j++) {
            basis[(int64_t)i * s->n + j] = scale * s->vector[(int64_t)i * s->n + j];
        }
    }
}

sonde_status sonde_embedder_new(const sonde_policies *policies,
                                const sonde_embed_settings *settings, const sonde_run *run,
                                sonde_embedder **embedder, sonde_error *error) {
    const sonde_run settled = sonde__run_settle(run);
    if (settings->kind < 0 || settings->kind >= N_KIND) {
        return sonde__fail(error, SONDE_BAD_ARGUMENT,
                           "embedding: expected a number from 0 to %d, found %d", N_KIND - 1,
                           settings->kind);
    }
    if (!(settings->onehot_weight >= 0.0) || settings->onehot_weight > SONDE__LARGEST) {
        return sonde__fail(error, SONDE_BAD_ARGUMENT,
                           "one-hot weight: expected a number of 0 or more, at most %g, found %g",
                           SONDE__LARGEST, settings->onehot_weight);
    }
    const sonde__embedding_kind *kind = &table[settings->kind];
    spectrum s = {0};
    if (kind->gram != NULL) {
        const sonde_status status = find_spectrum(kind, policies, &settled, &s, error);
        if (status != SONDE_OK) {
            sonde__arena_free(&s.arena);
            return status;
        }
    }
    sonde__arena arena = {0};
    (void)carve(&arena, (uint64_t)s.rank, (uint64_t)s.n);
    sonde_status status =
        sonde__check_memory(&settled, sonde__add(s.arena.size, arena.used), kind->name,
                            "choose another embedding or allow more", error);
    if (status == SONDE_OK && !sonde__arena_reserve(&arena)) {
        status = sonde__fail_memory(error, kind->name, arena.used);
    }
    if (status != SONDE_OK) {
        sonde__arena_free(&s.arena);
        return status;
    }
    build *b = carve(&arena, (uint64_t)s.rank, (uint64_t)s.n);
    if (s.rank > 0) {
        fill_basis(&s, b->basis);
        memcpy(b->gram, s.gram, (size_t)s.n * (size_t)s.n * sizeof *b->gram);
    }
    sonde__arena_free(&s.arena);
    const int32_t n_code = kind->n_code(policies->model);
    b->embedder = (sonde_embedder){
        .policies = policies,
        .settings = *settings,
        .n_code = n_code,
        .n_column = kind->gram != NULL ? s.rank : n_code,
        .n_column_nominal = kind->gram != NULL ? policies->size : (double)n_code,
        .basis = kind->gram != NULL ? b->basis : NULL,
        .gram = kind->gram != NULL ? b->gram : NULL,
        .bytes = arena.size,
    };
    *embedder = &b->embedder;
    return SONDE_OK;
}

sonde_status sonde_embedder_row(const sonde_embedder *embedder, const int32_t *walk, double *row) {
    double *code = sonde__alloc((size_t)embedder->n_code * sizeof *code);
    if (code == NULL) {
        return SONDE_NO_MEMORY;
    }
    sonde__embed_code(embedder, walk, code);
    sonde__embed_row(embedder, code, row);
    sonde__free(code);
    return SONDE_OK;
}

void sonde_embedder_free(sonde_embedder *embedder) {
    sonde__free(embedder);
}

/* cluster_shelf.c: clusterings, and what they are made from, that were made before.
 *
 * A fit depends on the embedding, the origin and the settings of clustering, and on nothing else;
 * the flags only say how its result is numbered and represented. So one fit serves every agent
 * that asks for the same, and a list is enough: a study keeps some dozens for a world. */
#include <string.h>

#include "cluster/kmeans_internal.h"

/* what a fit depends on */
typedef struct {
    sonde_embed_settings embed;
    int32_t origin;
    sonde_cluster_method method;
    int32_t k;
    int32_t n_restart;
    int32_t n_round_max;
    double tolerance;
    uint64_t seed;
    uint64_t stream;
} key;

typedef struct entry {
    struct entry *next;
    key key;
    sonde__fitted fitted; /* by rows */
} entry;

/* an embedder, and the embedding of all policies once somebody wanted that */
typedef struct map {
    struct map *next;
    sonde_embedder *embedder;
    sonde_embedding *embedding;
} map;

struct sonde_shelf {
    entry *first;
    map *first_map;
};

sonde_status sonde__shelf_new(sonde_shelf **shelf, sonde_error *error) {
    sonde_shelf *made = sonde__alloc(sizeof *made);
    if (made == NULL) {
        return sonde__fail_memory(error, "shelf", sizeof *made);
    }
    *shelf = made;
    return SONDE_OK;
}

void sonde__shelf_free(sonde_shelf *shelf) {
    while (shelf != NULL && shelf->first != NULL) {
        entry *gone = shelf->first;
        shelf->first = gone->next;
        sonde__free(gone);
    }
    while (shelf != NULL && shelf->first_map != NULL) {
        map *gone = shelf->first_map;
        shelf->first_map = gone->next;
        sonde_embedding_free(gone->embedding);
        sonde_embedder_free(gone->embedder);
        sonde__free(gone);
    }
    sonde__free(shelf);
}

static bool same_embedding(const sonde_embed_settings *a, const sonde_embed_settings *b) {
    const bool seeded = a->n_sample > 0 || (a->kind >= 0 && sonde__embed_learns(a->kind));
    return a->kind == b->kind && a->onehot_weight == b->onehot_weight && a->ngram == b->ngram &&
           a->n_end == b->n_end && a->n_dimension == b->n_dimension && a->n_sample == b->n_sample &&
           (!seeded || a->seed == b->seed);
}

static map *find_map(const sonde_shelf *shelf, const sonde_embed_settings *settings) {
    map *m = shelf->first_map;
    while (m != NULL && !same_embedding(&m->embedder->settings, settings)) {
        m = m->next;
    }
    return m;
}

sonde_embedder *sonde__shelf_embedder(const sonde_shelf *shelf,
                                      const sonde_embed_settings *settings) {
    const map *m = find_map(shelf, settings);
    return m != NULL ? m->embedder : NULL;
}

bool sonde__shelf_keep_embedder(sonde_shelf *shelf, sonde_embedder *embedder) {
    map *m = sonde__alloc(sizeof *m);
    if (m == NULL) {
        return false;
    }
    *m = (map){.next = shelf->first_map, .embedder = embedder};
    shelf->first_map = m;
    return true;
}

sonde_embedding *sonde__shelf_embedding(const sonde_shelf *shelf,
                                        const sonde_embed_settings *settings) {
    const map *m = find_map(shelf, settings);
    return m != NULL ? m->embedding : NULL;
}

bool sonde__shelf_keep_embedding(sonde_shelf *shelf, sonde_embedding *embedding) {
    map *m = find_map(shelf, &embedding->settings);
    if (m == NULL) {
        return false; /* its embedder was not kept either */
    }
    m->embedding = embedding;
    return true;
}

static key key_of(const sonde_embedding *embedding, const sonde_cluster_settings *settings) {
    return (key){embedding->settings, embedding->origin,   settings->method,
                 settings->k,         settings->n_restart, settings->n_round_max,
                 settings->tolerance, settings->seed,      settings->stream};
}

static bool same(const key *a, const key *b) {
    return same_embedding(&a->embed, &b->embed) && a->origin == b->origin &&
           a->method == b->method && a->k == b->k && a->n_restart == b->n_restart &&
           a->n_round_max == b->n_round_max && a->tolerance == b->tolerance && a->seed == b->seed &&
           a->stream == b->stream;
}

const sonde__fitted *sonde__shelf_find(const sonde_shelf *shelf, const sonde_embedding *embedding,
                                       const sonde_cluster_settings *settings) {
    const key wanted = key_of(embedding, settings);
    for (const entry *e = shelf->first; e != NULL; e = e->next) {
        if (same(&e->key, &wanted)) {
            return &e->fitted;
        }
    }
    return NULL;
}

static entry *carve(sonde__arena *arena, int32_t n_row, const sonde__fitted *fitted) {
    entry *e = SONDE__TAKE(arena, entry, 1);
    int32_t *label = SONDE__TAKE(arena, int32_t, n_row);
    double *center = SONDE__TAKE(arena, double, (uint64_t)fitted->k *(uint64_t)fitted->n_code);
    if (e != NULL) {
        e->fitted.label = label;
        e->fitted.center = center;
    }
    return e;
}

void sonde__shelf_put(sonde_shelf *shelf, const sonde_embedding *embedding,
                      const sonde_cluster_settings *settings, const sonde__fitted *fitted) {
    sonde__arena arena = {0};
    (void)carve(&arena, embedding->n_row, fitted);
    if (!sonde__arena_reserve(&arena)) {
        return;
    }
    entry *e = carve(&arena, embedding->n_row, fitted);
    e->key = key_of(embedding, settings);
    e->fitted.k = fitted->k;
    e->fitted.n_code = fitted->n_code;
    e->fitted.n_round = fitted->n_round;
    e->fitted.inertia = fitted->inertia;
    memcpy(e->fitted.label, fitted->label, (size_t)embedding->n_row * sizeof *fitted->label);
    memcpy(e->fitted.center, fitted->center,
           (size_t)fitted->k * (size_t)fitted->n_code * sizeof *fitted->center);
    e->next = shelf->first;
    shelf->first = e;
}

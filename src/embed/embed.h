/* embed.h: the table of embeddings, and embedding without asking for memory.
 *
 * To add an embedding: write embed_NAME.c with a function that counts the columns of a code and one
 * that fills a code from a walk, declare them here, and add a row to the table in embed.c. */
#ifndef SONDE_EMBED_EMBED_H
#define SONDE_EMBED_EMBED_H

#include "base/parallel.h"
#include "policy/policy.h"

typedef struct {
    const char *name;
    const char *about;
    /* columns of a code */
    int32_t (*n_code)(const sonde_model *model);
    /* fills a code (n_code), zeroed before, from a walk of T + 1 edges; at most 2 T + 4 numbers of it
     * may differ from 0 */
    void (*code)(const sonde_embedder *embedder, const int32_t *walk, double *code);
    /* NULL: rows are codes. Otherwise a matrix M (n_code, n_code) such that the squared distance of
     * two rows is (x - y) M (x - y) for their codes x and y, filled by looking at every policy. */
    sonde_status (*gram)(const sonde_policies *policies, const sonde_run *run, double *gram,
                         sonde_error *error);
} sonde__embedding_kind;

int32_t sonde__boe_n_code(const sonde_model *model);
void sonde__boe_code(const sonde_embedder *embedder, const int32_t *walk, double *code);
void sonde__boe_set_code(const sonde_embedder *embedder, const int32_t *walk, double *code);
int32_t sonde__aboe_n_code(const sonde_model *model);
void sonde__aboe_code(const sonde_embedder *embedder, const int32_t *walk, double *code);
int32_t sonde__aboe_onehot_n_code(const sonde_model *model);
void sonde__aboe_onehot_code(const sonde_embedder *embedder, const int32_t *walk, double *code);
int32_t sonde__aboe_edges_n_code(const sonde_model *model);
void sonde__aboe_edges_code(const sonde_embedder *embedder, const int32_t *walk, double *code);
int32_t sonde__edm_n_code(const sonde_model *model);
void sonde__edm_code(const sonde_embedder *embedder, const int32_t *walk, double *code);
sonde_status sonde__edm_gram(const sonde_policies *policies, const sonde_run *run, double *gram,
                             sonde_error *error);

/* The code and the row of a walk; `code` (n_code) is scratch where the row is not the code. */
void sonde__embed_code(const sonde_embedder *embedder, const int32_t *walk, double *code);
void sonde__embed_row(const sonde_embedder *embedder, const double *code, double *row);

/* Room for embedding up to n_policy policies of an origin. */
typedef struct {
    sonde__walker *walker; /* (n_thread) */
    double **code;         /* (n_thread) of two codes each */
    int32_t *walk;         /* (T + 1) */
    uint64_t *hash;        /* (n_policy) of each policy's code */
    int32_t *table;        /* (n_table) rows by hash, -1 where free */
    uint64_t n_table;      /* a power of two */
    int32_t *row_of;       /* (n_policy) */
    int32_t *first;        /* (n_policy) */
    int32_t n_row;
} sonde__embed_scratch;
void sonde__embed_scratch_carve(sonde__arena *arena, const sonde_embedder *embedder,
                                uint64_t n_policy, int32_t n_thread, sonde__embed_scratch *scratch);

/* An embedding whose arrays can be written; `embedding` is the view of it. */
typedef struct {
    sonde_embedding embedding; /* first: a pointer to it is a pointer to the block */
    double *row;
    int32_t *row_of;
    int32_t *weight;
    int32_t *first;
    int32_t *n_nonzero;
    int32_t *code_column;
    double *code_value;
    double *norm;
} sonde__embedding;
void sonde__embedding_carve(sonde__arena *arena, const sonde_embedder *embedder, uint64_t n_policy,
                            uint64_t n_row, sonde__embedding *embedding);

/* Finds the distinct rows of an origin's policies: n_row, row_of and first of the scratch. */
sonde_status sonde__embed_distinct(const sonde_embedder *embedder, int32_t origin,
                                   const sonde_run *run, sonde__embed_scratch *scratch);
/* Fills the embedding, which has room for them, with what was found. */
sonde_status sonde__embed_fill(const sonde_embedder *embedder, int32_t origin, const sonde_run *run,
                               sonde__embed_scratch *scratch, sonde__embedding *embedding);

#endif

/* embed.h: the table of embeddings, and embedding without asking for memory.
 *
 * To add an embedding: write embed_NAME.c with a function that counts the columns of a code and one
 * that fills a code from a walk, declare them here, and add a row to the table in embed.c. */
#ifndef SONDE_EMBED_EMBED_H
#define SONDE_EMBED_EMBED_H

#include "base/parallel.h"
#include "policy/policy.h"
#include "sonde_embed.h"

/* What an embedding needs to know of a model: a policy's code is a row of small whole numbers, and
 * its row is the code itself, or basis * code. */
struct sonde_embedder {
    const sonde_policies *policies; /* borrowed */
    sonde_embed_settings settings;
    sonde_present now; /* where the agent is, for occupancy and value */
    int32_t n_code;
    int32_t n_room; /* numbers there must be room for where a code is made: n_code at least */
    int32_t n_column;
    double n_column_nominal; /* as in sonde_embedding */
    const double *basis;     /* (n_column, n_code) or NULL */
    const double *gram;      /* (n_code, n_code) basis' basis, or NULL */
    uint64_t bytes;          /* that it occupies */
};

/* Fills a code (n_code), zeroed before, from a walk; there is room for n_room numbers. Whole
 * numbers up to 255 are kept in bytes and clustered fast. */
typedef void (*sonde__coder)(const sonde_embedder *embedder, const int32_t *walk, double *code);

typedef struct {
    const char *name;
    const char *about;
    uint32_t kinds; /* of model that it is for, SONDE_KIND_...; 0: all */
    uint32_t usual; /* the kind of model that has it where nobody chooses; 0: none */
    bool moving;    /* rows depend on where the agent is */
    bool scored;    /* a row takes as many steps as its policy's G */
    /* columns of a code, saturating */
    uint64_t (*n_code)(const sonde_policies *policies, const sonde_embed_settings *settings);
    sonde__coder code;
    sonde__coder own[SONDE__N_KIND]; /* instead for one kind of model, without scratch; or NULL */
    /* NULL: rows are codes. Otherwise a matrix M (n_code, n_code) such that the squared distance of
     * two rows is (x - y) M (x - y) for their codes x and y, filled by looking at every policy. */
    sonde_status (*gram)(const sonde_policies *policies, const sonde_embed_settings *settings,
                         const sonde_run *run, double *gram, sonde_error *error);
    /* numbers of scratch that there are behind a code; NULL: none */
    uint64_t (*n_scratch)(const sonde_model *model);
    /* NULL, or instead of M: how many columns rows have, and the matrix (n_basis, n_code) that
     * makes a row of a code, which depends on the seed */
    int32_t (*n_basis)(const sonde_embed_settings *settings);
    sonde_status (*basis)(const sonde_policies *policies, const sonde_embed_settings *settings,
                          const sonde_run *run, double *basis, sonde_error *error);
} sonde__embedding_kind;

uint64_t sonde__boe_n_code(const sonde_policies *policies, const sonde_embed_settings *settings);
void sonde__boe_code(const sonde_embedder *embedder, const int32_t *walk, double *code);
void sonde__boe_set_code(const sonde_embedder *embedder, const int32_t *walk, double *code);
uint64_t sonde__aboe_n_code(const sonde_policies *policies, const sonde_embed_settings *settings);
void sonde__aboe_code(const sonde_embedder *embedder, const int32_t *walk, double *code);
uint64_t sonde__aboe_onehot_n_code(const sonde_policies *policies,
                                   const sonde_embed_settings *settings);
void sonde__aboe_onehot_code(const sonde_embedder *embedder, const int32_t *walk, double *code);
uint64_t sonde__aboe_edges_n_code(const sonde_policies *policies,
                                  const sonde_embed_settings *settings);
void sonde__aboe_edges_code(const sonde_embedder *embedder, const int32_t *walk, double *code);
uint64_t sonde__edm_n_code(const sonde_policies *policies, const sonde_embed_settings *settings);
void sonde__edm_code(const sonde_embedder *embedder, const int32_t *walk, double *code);
sonde_status sonde__edm_gram(const sonde_policies *policies, const sonde_embed_settings *settings,
                             const sonde_run *run, double *gram, sonde_error *error);

uint64_t sonde__boa_n_code(const sonde_policies *policies, const sonde_embed_settings *settings);
void sonde__boa_code(const sonde_embedder *embedder, const int32_t *walk, double *code);
void sonde__boa_set_code(const sonde_embedder *embedder, const int32_t *walk, double *code);
uint64_t sonde__ngram_n_code(const sonde_policies *policies, const sonde_embed_settings *settings);
void sonde__ngram_code(const sonde_embedder *embedder, const int32_t *walk, double *code);
uint64_t sonde__timed_n_code(const sonde_policies *policies, const sonde_embed_settings *settings);
void sonde__timed_code(const sonde_embedder *embedder, const int32_t *walk, double *code);
uint64_t sonde__occupancy_n_code(const sonde_policies *policies,
                                 const sonde_embed_settings *settings);
uint64_t sonde__occupancy_n_scratch(const sonde_model *model);
void sonde__occupancy_code(const sonde_embedder *embedder, const int32_t *walk, double *code);
void sonde__occupancy_code_walk(const sonde_embedder *embedder, const int32_t *walk, double *code);
uint64_t sonde__ends_n_code(const sonde_policies *policies, const sonde_embed_settings *settings);
void sonde__ends_code(const sonde_embedder *embedder, const int32_t *walk, double *code);
uint64_t sonde__value_n_code(const sonde_policies *policies, const sonde_embed_settings *settings);
uint64_t sonde__value_n_scratch(const sonde_model *model);
void sonde__value_code(const sonde_embedder *embedder, const int32_t *walk, double *code);
void sonde__value_code_walk(const sonde_embedder *embedder, const int32_t *walk, double *code);
uint64_t sonde__walk2vec_n_code(const sonde_policies *policies,
                                const sonde_embed_settings *settings);
void sonde__walk2vec_code(const sonde_embedder *embedder, const int32_t *walk, double *code);
int32_t sonde__walk2vec_n_basis(const sonde_embed_settings *settings);
sonde_status sonde__walk2vec_basis(const sonde_policies *policies,
                                   const sonde_embed_settings *settings, const sonde_run *run,
                                   double *basis, sonde_error *error);

/* embed_own.c: an embedder whose rows the program gives; those of an origin, or NULL where it has
 * given none; and whether rows of its own are any. */
sonde_status sonde__own_new(const sonde_policies *policies, const sonde_embed_settings *settings,
                            const sonde_run *run, sonde_embedder **embedder, sonde_error *error);
const double *sonde__own_rows(const sonde_embedder *embedder, int32_t origin);
sonde_status sonde__rows_check(int32_t n_row, int32_t n_column, const double *row,
                               sonde_error *error);

/* Whether rows of a kind depend on where the agent is. */
bool sonde__embed_moves(int32_t kind);
/* Whether they take as many steps as scoring, and whether they depend on the seed. */
bool sonde__embed_scores(int32_t kind);
bool sonde__embed_learns(int32_t kind);
/* The kind itself, or the usual one where the default is asked for. */
int32_t sonde__embed_kind(const sonde_policies *policies, int32_t kind);
/* The code and the row of a walk; `code` (n_code) is scratch where the row is not the code. */
void sonde__embed_code(const sonde_embedder *embedder, const int32_t *walk, double *code);
void sonde__embed_row(const sonde_embedder *embedder, const double *code, double *row);

/* How many policies of an origin are embedded: all, or a sample of them. */
uint64_t sonde__embed_count(const sonde_embedder *embedder, int32_t origin);
/* Whether a sample, if one is wanted, can be drawn: indices must fit 64 bits. */
sonde_status sonde__embed_check(const sonde_policies *policies, int32_t origin, int32_t n_sample,
                                sonde_error *error);
/* Draws n different policies of an origin, in order, which has more. */
void sonde__embed_sample(const sonde_policies *policies, int32_t origin, uint64_t seed, uint64_t n,
                         uint64_t *index);

/* Room for embedding up to n_policy policies of an origin. */
typedef struct {
    sonde__walker *walker; /* (n_thread) */
    double **code;         /* (n_thread) of a code each */
    uint8_t **small;       /* (n_thread) of a code in bytes each */
    uint8_t *kept;         /* (n_policy, n_code) codes in bytes; NULL if they are too many */
    uint64_t *hash;        /* (n_policy) of each policy's code, then of each row's */
    int32_t *table;        /* rows by hash, -1 where free */
    int32_t *row_of;       /* (n_policy) */
    int32_t *first;        /* (n_policy) */
    uint64_t *policy;      /* (n_policy) which policies, where they are a sample */
    int32_t n_row;
    bool whole;    /* all codes are whole numbers up to 255 */
    uint64_t salt; /* which hashes */
} sonde__embed_scratch;
void sonde__embed_scratch_carve(sonde__arena *arena, const sonde_embedder *embedder,
                                uint64_t n_policy, int32_t n_thread, sonde__embed_scratch *scratch);

/* An embedding whose arrays can be written; `embedding` is the view of it. */
typedef struct {
    sonde_embedding embedding; /* first: a pointer to it is a pointer to the block */
    int32_t *row_of;
    int32_t *weight;
    int32_t *first;
    uint64_t *policy;
    void *code; /* bytes or doubles */
} sonde__embedding;
void sonde__embedding_carve(sonde__arena *arena, const sonde_embedder *embedder, uint64_t n_policy,
                            uint64_t n_row, sonde__embedding *embedding);

/* Finds the distinct rows of an origin's policies: n_row, row_of and first of the scratch. */
sonde_status sonde__embed_distinct(const sonde_embedder *embedder, int32_t origin,
                                   const sonde_run *run, sonde__embed_scratch *scratch);
/* Fills the embedding, which has room for as many rows as policies, with what was found. */
sonde_status sonde__embed_fill(const sonde_embedder *embedder, int32_t origin, const sonde_run *run,
                               sonde__embed_scratch *scratch, sonde__embedding *embedding);
/* The code (n_code) of a row. */
void sonde__embedding_code(const sonde_embedding *embedding, int32_t r, double *code);
/* One number of a row; NaN where there is no such row or column. */
double sonde__embedding_at(const sonde_embedding *embedding, int32_t r, int32_t column);

#endif

/* embed.c: policies as rows of numbers.
 *
 * The table of embeddings, and the embedder: what one of them needs to know of a model. */
#include "embed/embed.h"

#include <math.h>
#include <string.h>

#include "base/linalg.h"
#include "base/settings.h"

/* eigenvalues this much smaller than the largest are zeros that rounding has touched */
#define RANK_TOLERANCE 1e-13

static const sonde__embedding_kind table[] = {
    {.name = "boe",
     .about = "how often each edge occurs",
     .kinds = SONDE_KIND_GRAPH,
     .usual = SONDE_KIND_GRAPH,
     .n_code = sonde__boe_n_code,
     .code = sonde__boe_code},
    {.name = "boe-set",
     .about = "whether each edge occurs",
     .kinds = SONDE_KIND_GRAPH,
     .n_code = sonde__boe_n_code,
     .code = sonde__boe_set_code},
    {.name = "aboe",
     .about = "boe, and the number of the last node",
     .kinds = SONDE_KIND_GRAPH,
     .n_code = sonde__aboe_n_code,
     .code = sonde__aboe_code},
    {.name = "aboe-onehot",
     .about = "boe, and a column for each node, weighted at the last",
     .kinds = SONDE_KIND_GRAPH,
     .n_code = sonde__aboe_onehot_n_code,
     .code = sonde__aboe_onehot_code},
    {.name = "aboe-edges",
     .about = "boe-set, and the numbers of the first two edges",
     .kinds = SONDE_KIND_GRAPH,
     .n_code = sonde__aboe_edges_n_code,
     .code = sonde__aboe_edges_code},
    {.name = "edm",
     .about = "edit distances to every global policy",
     .n_code = sonde__edm_n_code,
     .code = sonde__edm_code,
     .gram = sonde__edm_gram},
    {.name = "boa",
     .about = "how often each action occurs",
     .usual = SONDE_KIND_GENERAL,
     .n_code = sonde__boa_n_code,
     .code = sonde__boa_code},
    {.name = "boa-set",
     .about = "whether each action occurs",
     .n_code = sonde__boa_n_code,
     .code = sonde__boa_set_code},
    {.name = "timed",
     .about = "which action is taken at each step",
     .n_code = sonde__timed_n_code,
     .code = sonde__timed_code},
    {.name = "occupancy",
     .about = "how long it is expected to be in each state",
     .moving = true,
     .n_code = sonde__occupancy_n_code,
     .n_scratch = sonde__occupancy_n_scratch,
     .code = sonde__occupancy_code,
     .own = {[SONDE__OF_GRAPHS] = sonde__occupancy_code_walk}},
    {.name = "ends",
     .about = "which actions it begins and ends with",
     .n_code = sonde__ends_n_code,
     .code = sonde__ends_code},
    {.name = "value",
     .about = "what each step is expected to bring, less its cost",
     .moving = true,
     .scored = true,
     .n_code = sonde__value_n_code,
     .n_scratch = sonde__value_n_scratch,
     .code = sonde__value_code,
     .own = {[SONDE__OF_GRAPHS] = sonde__value_code_walk}},
    {.name = "walk2vec",
     .about = "the mean of its nodes' vectors, learned from random walks",
     .kinds = SONDE_KIND_GRAPH,
     .n_code = sonde__walk2vec_n_code,
     .code = sonde__walk2vec_code,
     .n_basis = sonde__walk2vec_n_basis,
     .basis = sonde__walk2vec_basis},
    {.name = "ngram",
     .about = "how often each sequence of N actions occurs",
     .n_code = sonde__ngram_n_code,
     .code = sonde__ngram_code},
};
#define N_KIND ((int32_t)(sizeof table / sizeof *table))

/* The row of a kind; NULL: there is none. What the program gives is in no list. */
static const sonde__embedding_kind *kind_of(int32_t kind) {
    static const sonde__embedding_kind own = {.name = "own"};
    if (kind == SONDE_EMBEDDING_OWN) {
        return &own;
    }
    return kind >= 0 && kind < N_KIND ? &table[kind] : NULL;
}

const char *sonde_embedding_name(int32_t kind) {
    const sonde__embedding_kind *found = kind_of(kind);
    return found != NULL ? found->name : NULL;
}

const char *sonde__embedding_about(int32_t kind) {
    return kind >= 0 && kind < N_KIND ? table[kind].about : NULL;
}

int32_t sonde__embedding_usual(uint32_t kind) {
    int32_t i = 0;
    while (table[i].usual != kind) {
        i++;
    }
    return i;
}

int32_t sonde__embed_kind(const sonde_policies *policies, int32_t kind) {
    return kind == SONDE_EMBEDDING_DEFAULT
               ? sonde__embedding_usual(sonde_model_kind(policies->model))
               : kind;
}

bool sonde__embed_moves(int32_t kind) {
    return kind_of(kind)->moving;
}

bool sonde__embed_scores(int32_t kind) {
    return kind_of(kind)->scored;
}

bool sonde__embed_learns(int32_t kind) {
    return kind_of(kind)->basis != NULL;
}

typedef struct {
    sonde_embedder embedder; /* first: a pointer to it is a pointer to the block */
    double *basis;
    double *gram;
    double *belief; /* (n_belief) of a kind whose rows depend on it */
    sonde__coder code;
} build;

void sonde__embed_code(const sonde_embedder *embedder, const int32_t *walk, double *code) {
    memset(code, 0, (size_t)embedder->n_code * sizeof *code);
    ((const build *)embedder)->code(embedder, walk, code);
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

static build *carve(sonde__arena *arena, uint64_t rank, uint64_t n_code, uint64_t n_belief) {
    build *b = SONDE__TAKE(arena, build, 1);
    build none;
    build *to = b != NULL ? b : &none;
    to->belief = SONDE__TAKE(arena, double, n_belief);
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

static sonde_status find_spectrum(const sonde_policies *policies,
                                  const sonde_embed_settings *settings, const sonde_run *run,
                                  spectrum *s, sonde_error *error) {
    const sonde__embedding_kind *kind = &table[settings->kind];
    const int32_t n = s->n;
    carve_spectrum(s, n);
    sonde_status status = sonde__arena_claim(&s->arena, run, kind->name,
                                             "choose another embedding or allow more", error);
    if (status != SONDE_OK) {
        return status;
    }
    carve_spectrum(s, n);
    const sonde_run rest = sonde__run_less(run, s->arena.size);
    status = kind->gram(policies, settings, &rest, s->gram, error);
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

/* codes longer than this are refused before anything is multiplied by it */
#define N_CODE_MAX (UINT64_C(1) << 24)

/* Numbers of scratch behind the codes of a model's policies. */
static uint64_t scratch_of(const sonde__embedding_kind *kind, const sonde_model *model) {
    const bool none = kind->n_scratch == NULL || kind->own[sonde__kind(model)] != NULL;
    return none ? 0 : kind->n_scratch(model);
}

static sonde_status check(const sonde_policies *policies, const sonde_embed_settings *settings,
                          sonde_error *error) {
    sonde_search_settings all = sonde_search_defaults();
    all.embed = *settings;
    const sonde_status status = sonde__settings_check(&all, error);
    if (status != SONDE_OK) {
        return status;
    }
    const sonde__embedding_kind *kind = &table[settings->kind];
    if (kind->kinds != 0 && (kind->kinds & sonde_model_kind(policies->model)) == 0) {
        return sonde__fail_setting(error, "embedding",
                                   "%s is about the edges of a graph world, and this is a general "
                                   "model; boa is about actions",
                                   kind->name);
    }
    if (settings->n_end > policies->horizon) {
        return sonde__fail_setting(error, "ends",
                                   "expected a number of steps from 1 to the horizon %d, found %d",
                                   policies->horizon, settings->n_end);
    }
    if (settings->ngram > policies->horizon) {
        return sonde__fail_setting(error, "ngram",
                                   "expected a length from 1 to the horizon %d, found %d",
                                   policies->horizon, settings->ngram);
    }
    const uint64_t n_code = kind->n_code(policies, settings);
    if (n_code > N_CODE_MAX) {
        return sonde__fail(
            error, SONDE_TOO_LARGE,
            "%s: a row would have %.4g numbers, and at most %.4g are allowed; choose "
            "another embedding",
            kind->name, (double)n_code, (double)N_CODE_MAX);
    }
    const uint64_t n_scratch = scratch_of(kind, policies->model);
    if (n_scratch > INT32_MAX - N_CODE_MAX) {
        return sonde__fail(error, SONDE_TOO_LARGE,
                           "%s: beliefs would take %.4g numbers, and at most %.4g are allowed; "
                           "choose another embedding",
                           kind->name, (double)n_scratch, (double)(INT32_MAX - N_CODE_MAX));
    }
    return SONDE_OK;
}

/* gram = basis' basis */
static void fill_gram(int32_t n_row, int32_t n, const double *basis, double *gram) {
    for (int32_t a = 0; a < n; a++) {
        for (int32_t b = 0; b < n; b++) {
            double sum = 0.0;
            for (int32_t i = 0; i < n_row; i++) {
                sum += basis[(int64_t)i * n + a] * basis[(int64_t)i * n + b];
            }
            gram[(int64_t)a * n + b] = sum;
        }
    }
}

/* Basis and gram matrix, from the spectrum of the latter or from the kind itself. */
static sonde_status fill_matrices(const sonde_policies *policies,
                                  const sonde_embed_settings *settings, const sonde_run *run,
                                  const spectrum *s, build *b, sonde_error *error) {
    const sonde__embedding_kind *kind = &table[settings->kind];
    if (s->value != NULL && s->gram != NULL && s->rank > 0) {
        fill_basis(s, b->basis);
        memcpy(b->gram, s->gram, (size_t)s->n * (size_t)s->n * sizeof *b->gram);
    } else if (kind->basis != NULL) {
        const sonde_status status = kind->basis(policies, settings, run, b->basis, error);
        if (status != SONDE_OK) {
            return status;
        }
        fill_gram(s->rank, s->n, b->basis, b->gram);
    }
    return SONDE_OK;
}

/* How many columns the matrix has that rows stand for: edm's has one for each policy it looked
 * at. */
static double nominal_columns(const sonde_policies *policies, const sonde_embed_settings *settings,
                              int32_t n_column) {
    const double n_sample = (double)settings->n_sample;
    const bool sampled = n_sample > 0.0 && n_sample < policies->size;
    if (table[settings->kind].gram == NULL) {
        return (double)n_column;
    }
    return sampled ? n_sample : policies->size;
}

/* The embedder itself, once the spectrum of a gram matrix is known. */
static sonde_status make(const sonde_policies *policies, const sonde_embed_settings *settings,
                         const sonde_run *run, const spectrum *s, sonde_embedder **embedder,
                         sonde_error *error) {
    const sonde__embedding_kind *kind = &table[settings->kind];
    const sonde_model *model = policies->model;
    const uint64_t n_belief = kind->moving ? (uint64_t)model->n_belief : 0;
    const sonde__coder own = kind->own[sonde__kind(model)];
    const uint64_t n_scratch = scratch_of(kind, model);
    const bool based = kind->gram != NULL || kind->basis != NULL;
    const uint64_t n_basis = based ? (uint64_t)s->n : 0;
    const int32_t n_column = based ? s->rank : s->n;
    sonde__arena arena = {0};
    (void)carve(&arena, (uint64_t)s->rank, n_basis, n_belief);
    sonde_status status =
        sonde__check_memory(run, sonde__add(s->arena.size, arena.used), kind->name,
                            "choose another embedding or allow more", error);
    if (status == SONDE_OK && !sonde__arena_reserve(&arena)) {
        status = sonde__fail_memory(error, kind->name, arena.used);
    }
    if (status != SONDE_OK) {
        return status;
    }
    build *b = carve(&arena, (uint64_t)s->rank, n_basis, n_belief);
    const sonde_run rest = sonde__run_less(run, arena.size);
    status = fill_matrices(policies, settings, &rest, s, b, error);
    if (status != SONDE_OK) {
        sonde__arena_free(&arena);
        return status;
    }
    b->embedder = (sonde_embedder){
        .policies = policies,
        .settings = *settings,
        .now = {.state = -1},
        .n_code = s->n,
        .n_room = s->n + (int32_t)n_scratch,
        .n_column = n_column,
        .n_column_nominal = nominal_columns(policies, settings, n_column),
        .basis = based ? b->basis : NULL,
        .gram = based ? b->gram : NULL,
        .bytes = arena.size,
    };
    if (n_belief > 0) {
        sonde_belief_initial(model, b->belief);
        b->embedder.now = sonde_present_at(model, b->belief);
    }
    b->code = own != NULL ? own : kind->code;
    *embedder = &b->embedder;
    return SONDE_OK;
}

sonde_status sonde_embedder_new(const sonde_policies *policies,
                                const sonde_embed_settings *settings, const sonde_run *run,
                                sonde_embedder **embedder, sonde_error *error) {
    const sonde_run settled = sonde__run_settle(run);
    sonde_embed_settings chosen = *settings;
    chosen.kind = sonde__embed_kind(policies, settings->kind);
    if (chosen.kind == SONDE_EMBEDDING_OWN) {
        return sonde__own_new(policies, &chosen, &settled, embedder, error);
    }
    sonde_status status = check(policies, &chosen, error);
    status = status == SONDE_OK ? sonde__model_check_open(policies->model, error) : status;
    if (status != SONDE_OK) {
        return status;
    }
    const sonde__embedding_kind *kind = &table[chosen.kind];
    spectrum s = {.n = (int32_t)kind->n_code(policies, &chosen)};
    if (kind->gram != NULL) {
        status = find_spectrum(policies, &chosen, &settled, &s, error);
    } else if (kind->basis != NULL) {
        s.rank = kind->n_basis(&chosen);
    }
    if (status == SONDE_OK) {
        status = make(policies, &chosen, &settled, &s, embedder, error);
    }
    sonde__arena_free(&s.arena);
    return status;
}

sonde_status sonde_embedder_aim(sonde_embedder *embedder, sonde_present now, sonde_error *error) {
    build *b = (build *)embedder;
    const sonde_model *model = embedder->policies->model;
    if (!sonde__present_is(model, now)) {
        return sonde__fail(error, SONDE_BAD_ARGUMENT,
                           "now: expected an edge from 0 to %d, or a belief, found neither",
                           model->n_state - 1);
    }
    b->embedder.now.state = now.state;
    if (b->embedder.now.belief != NULL && now.belief != NULL) {
        memcpy(b->belief, now.belief, (size_t)model->n_belief * sizeof *b->belief);
    }
    return SONDE_OK;
}

int32_t sonde_embedder_n_column(const sonde_embedder *embedder) {
    return embedder->n_column;
}

sonde_status sonde_embedder_row(const sonde_embedder *embedder, const int32_t *walk, double *row,
                                sonde_error *error) {
    if (!sonde__walk_is(embedder->policies, walk)) {
        return sonde__fail(error, SONDE_BAD_ARGUMENT,
                           "walk: expected numbers of edges, or of actions");
    }
    if (embedder->settings.kind == SONDE_EMBEDDING_OWN) {
        return sonde__fail(error, SONDE_BAD_ARGUMENT,
                           "row: the rows are the program's own, which makes them itself");
    }
    double *code = sonde__alloc((size_t)embedder->n_room * sizeof *code);
    if (code == NULL) {
        return sonde__fail_memory(error, "row", (uint64_t)embedder->n_room * sizeof *code);
    }
    sonde__embed_code(embedder, walk, code);
    sonde__embed_row(embedder, code, row);
    sonde__free(code);
    return SONDE_OK;
}

void sonde_embedder_free(sonde_embedder *embedder) {
    sonde__free(embedder);
}

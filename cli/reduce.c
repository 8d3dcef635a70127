/* reduce.c: sonde model --reduce: which prior do the counts of a model ask for? */
#include "reduce.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "history.h"

/* what rounding leaves of evidence that is 0, and how many entries of a kind are listed */
#define NOTHING 1e-9
enum { N_LISTED = 12 };

/* the counts of one array in three models, and what follows from them */
typedef struct {
    sonde_reduction of;
    double *number;   /* (3 n n_column) */
    double *evidence; /* (n_column) */
    sonde_letter letter;
    int32_t i;
} reduced_array;

/* entries of a kind, the first of which are listed */
typedef struct {
    int64_t n;
    sonde_text text;
} entries;

static const char letters[] = "ABCDE";

static void array_free(reduced_array *a) {
    free(a->number);
    free(a->evidence);
}

/* Takes the counts of an array out of all three; a reduced model of NULL is the prior itself. */
static sonde_status array_open(const reduction *r, sonde_letter letter, int32_t i, reduced_array *a,
                               sonde_error *error) {
    const sonde_model *model[] = {r->posterior, r->prior, r->reduced ? r->reduced : r->prior};
    int32_t n[3] = {0};
    int64_t n_column[3];
    for (int32_t k = 0; k < 3; k++) {
        n_column[k] = sonde_model_counts(model[k], letter, i, NULL, &n[k]);
        if (n_column[k] != n_column[0] || n[k] != n[0]) {
            return fail(error, SONDE_BAD_ARGUMENT,
                        "--reduce: counts of %c[%d]: expected the same shape in all models, found "
                        "%lld columns of %d, and %lld of %d",
                        letters[letter], (int)i, (long long)n_column[0], (int)n[0],
                        (long long)n_column[k], (int)n[k]);
        }
    }
    const size_t size = (size_t)n[0] * (size_t)n_column[0];
    a->letter = letter;
    a->i = i;
    a->of.n = n[0];
    a->of.n_column = n_column[0];
    if (n_column[0] == 0) {
        return SONDE_OK;
    }
    a->number = calloc(3 * size, sizeof *a->number);
    a->evidence = calloc((size_t)n_column[0], sizeof *a->evidence);
    if (a->number == NULL || a->evidence == NULL) {
        return fail(error, SONDE_NO_MEMORY, "there is no memory for the counts");
    }
    for (int32_t k = 0; k < 3; k++) {
        (void)sonde_model_counts(model[k], letter, i, a->number + (size_t)k * size, &n[k]);
    }
    a->of.posterior = a->number;
    a->of.prior = a->number + size;
    a->of.reduced = a->number + 2 * size;
    return SONDE_OK;
}

/* The evidence of the array's columns, with a reduced prior that was given. */
static sonde_status compare(reduction *r, const char *name, reduced_array *a, sonde_error *error) {
    const sonde_status status = sonde_reduce(&a->of, a->evidence, NULL, error);
    double sum = 0.0;
    sonde_text_add(&r->json, "%s\n    {\"array\": \"%s\", \"columns\": [", r->n_array ? "," : "",
                   name);
    for (int64_t c = 0; !status && c < a->of.n_column; c++) {
        sum += a->evidence[c];
        sonde_text_add(&r->json, c > 0 ? ", " : "");
        sonde_text_add_number(&r->json, a->evidence[c]);
    }
    sonde_text_add(&r->json, "], \"evidence\": ");
    sonde_text_add_number(&r->json, sum);
    sonde_text_add(&r->json, "}");
    sonde_text_add(&r->text, "  %-6s %12.6f   %s\n", name, sum,
                   sum < -NOTHING  ? "the reduced prior is better"
                   : sum > NOTHING ? "the prior is better"
                                   : "they are as good");
    r->sum += sum;
    return status;
}

static void list(const reduction *r, const reduced_array *a, int64_t at, double F, entries *to) {
    sonde_text name = {0};
    if (to->n++ < N_LISTED) {
        history_label(r->posterior, a->letter, a->i, (int32_t)(a->of.n * a->of.n_column),
                      (int32_t)at, &name);
        sonde_text_add(&to->text, "      %-32s %12.6f\n", name.data ? name.data : "", fabs(F));
        to->text.failed = to->text.failed || name.failed;
        sonde_text_free(&name);
    }
}

static void tell_entries(const char *what, entries *e, sonde_text *text) {
    if (e->n > 0) {
        sonde_text_add(text, "    %s\n%s", what, e->text.data ? e->text.data : "");
    }
    if (e->n > N_LISTED) {
        sonde_text_add(text, "      and %lld more, which --json has\n", (long long)e->n - N_LISTED);
    }
    text->failed = text->failed || e->text.failed;
    sonde_text_free(&e->text);
}

/* For each entry of the prior: what if it were 0? */
static sonde_status ask(reduction *r, const char *name, reduced_array *a, sonde_error *error) {
    const int64_t n_column = a->of.n_column;
    double *reduced = a->number + 2 * (int64_t)a->of.n * n_column;
    entries needed = {0}, idle = {0};
    int64_t n = 0, n_open = 0;
    sonde_text_add(&r->json, "%s\n    {\"array\": \"%s\", \"entries\": [", r->n_array ? "," : "",
                   name);
    for (int64_t at = 0; at < a->of.n * n_column; at++) {
        const double kept = reduced[at];
        if (!(kept > 0.0)) {
            continue;
        }
        reduced[at] = 0.0;
        const sonde_status status = sonde_reduce(&a->of, a->evidence, NULL, error);
        reduced[at] = kept;
        if (status) {
            sonde_text_free(&needed.text);
            sonde_text_free(&idle.text);
            return status;
        }
        const double F = a->evidence[at % n_column];
        sonde_text_add(&r->json, "%s[%lld, %lld, ", n++ > 0 ? ", " : "", (long long)(at / n_column),
                       (long long)(at % n_column));
        sonde_text_add_number(&r->json, F);
        sonde_text_add(&r->json, "]");
        if (fabs(F) > NOTHING) {
            list(r, a, at, F, F < 0.0 ? &idle : &needed);
        } else {
            n_open++;
        }
    }
    sonde_text_add(&r->json, "]}");
    sonde_text_add(&r->text,
                   "  %-6s %6lld entries are asked for, %lld are not, of %lld the counts say "
                   "nothing\n",
                   name, (long long)needed.n, (long long)idle.n, (long long)n_open);
    tell_entries("not asked for, by so many nats", &idle, &r->text);
    tell_entries("asked for, by so many nats", &needed, &r->text);
    return SONDE_OK;
}

static sonde_status reduce_array(reduction *r, sonde_letter letter, int32_t i, sonde_error *error) {
    reduced_array a = {0};
    char name[16];
    (void)snprintf(name, sizeof name, "%c[%d]", letters[letter], (int)i);
    sonde_status status = array_open(r, letter, i, &a, error);
    if (!status && a.of.n_column > 0) {
        sonde_error why = {0};
        status = r->reduced ? compare(r, name, &a, &why) : ask(r, name, &a, &why);
        r->n_array++;
        if (status) {
            (void)fail(error, status, "--reduce: %s: %s", name, why.text);
        }
    }
    array_free(&a);
    return status;
}

sonde_status reduction_make(reduction *r, sonde_error *error) {
    sonde_status status = SONDE_OK;
    for (int32_t letter = 0; !status && letter < SONDE_N_LETTER; letter++) {
        const bool modal = letter == SONDE_A || letter == SONDE_C;
        const int32_t n = modal ? r->posterior->n_modality : r->posterior->n_factor;
        for (int32_t i = 0; !status && i < n; i++) {
            status = reduce_array(r, (sonde_letter)letter, i, error);
        }
    }
    if (!status && r->n_array == 0) {
        return fail(error, SONDE_BAD_ARGUMENT,
                    "--reduce: the model has no counts, so there is nothing that it has learned");
    }
    return status;
}

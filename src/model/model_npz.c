/* model_npz.c: a model from pymdp's arrays, saved with numpy (docs/formats.md).
 *
 * A_0, A_1, ... [outcome, state of each factor]   B_0, B_1, ... [next, previous, action]
 * C_0, C_1, ... [outcome] or [step, outcome]      D_0, D_1, ... [state]
 * pA_0, ..., pB_0, ..., pD_0, ...                 counts, with the axes of A, B and D
 * action_cost [state of each factor, action tuple], action_prior [action tuple], discount [],
 * pE [action tuple], counts of habits
 *
 * A may have a last axis of action tuples.
 *
 * C, D and pD are read into memory. A and B, which are large, are only measured here: their numbers
 * go from the file to their places in the model piece by piece, so that the file's arrays are never
 * in memory beside the model's. */
#include <string.h>

#include "model/model_internal.h"
#include "model/model_npy.h"

enum { OF_A, OF_B, OF_C, OF_D, N_ARRAY, COUNTS_A = N_ARRAY, COUNTS_B, COUNTS_D, N_LETTER };
/* their names, and small letters for counts, as a supply is asked for them */
static const char *const title[] = {"A", "B", "C", "D", "pA", "pB", "pD"};
static const char letters[] = "ABCDabd";

/* and what there is once */
enum { ACTION_COST, ACTION_PRIOR, DISCOUNT, COUNTS_E, N_SINGLE };
static const char *const single[] = {"action_cost.npy", "action_prior.npy", "discount.npy",
                                     "pE.npy"};

/* what an .npz file holds while it becomes parts */
typedef struct {
    const sonde__file *file;
    sonde_error *error;
    sonde__zip zip;
    sonde__pool pool;
    sonde__unzip walk;
    int32_t n[N_LETTER];         /* of A, B, C, D and the counts of A, B, D */
    sonde__npy *array[N_LETTER]; /* (SONDE_FACTORS_MAX) each; without a member: not there */
    bool *read[N_LETTER];        /* (SONDE_FACTORS_MAX) each: to their ends, before */
    sonde__npy single[N_SINGLE]; /* without a member: not there */
    uint64_t n_action;           /* action tuples */
    const sonde__npy *now;       /* the one that is read */
    bool batched;                /* some A or B has a leading axis of 1 */
} npz;

static void *take(npz *z, uint64_t n, size_t size, sonde_status *status) {
    void *piece = sonde__pool_take(&z->pool, n, size);
    if (piece == NULL) {
        *status = sonde__fail_memory(z->error, z->file->origin, sonde__multiply(n, size));
    }
    return piece;
}

/* --------------------------------------------------------------------------------- members -- */

/* Which array a member is, "A_12.npy": its letter's place and its number; false if it is none. */
static bool read_name(const char *name, int32_t *letter, int32_t *number) {
    const char *digit = strchr(name, '_');
    const size_t length = digit != NULL ? (size_t)(digit++ - name) : 0;
    *letter = 0;
    while (*letter < N_LETTER &&
           (strlen(title[*letter]) != length || strncmp(name, title[*letter], length) != 0)) {
        ++*letter;
    }
    if (*letter == N_LETTER || *digit < '0' || *digit > '9') {
        return false;
    }
    const char *at = digit;
    int64_t value = 0;
    for (; *at >= '0' && *at <= '9' && value < SONDE_FACTORS_MAX; at++) {
        value = value * 10 + (*at - '0');
    }
    *number = (int32_t)value;
    const bool plain = *digit != '0' || at == digit + 1;
    return value < SONDE_FACTORS_MAX && plain && strcmp(at, ".npy") == 0;
}

static sonde_status list_arrays(npz *z) {
    sonde_status status = SONDE_OK;
    for (int32_t i = 0; i < N_LETTER && status == SONDE_OK; i++) {
        z->array[i] = take(z, SONDE_FACTORS_MAX, sizeof *z->array[i], &status);
        z->read[i] =
            status == SONDE_OK ? take(z, SONDE_FACTORS_MAX, sizeof *z->read[i], &status) : NULL;
    }
    for (int32_t i = 0; i < z->zip.n_member && status == SONDE_OK; i++) {
        const sonde__member *member = &z->zip.member[i];
        sonde__npy array;
        status = sonde__npy_open(&array, &z->walk, z->file, member, z->error);
        if (status != SONDE_OK) {
            return status;
        }
        int32_t letter = 0;
        int32_t number = 0;
        while (number < N_SINGLE && strcmp(member->name, single[number]) != 0) {
            number++;
        }
        if (number < N_SINGLE) {
            z->single[number] = array;
            continue;
        }
        if (!read_name(member->name, &letter, &number)) {
            return sonde__fail(z->error, SONDE_BAD_INPUT,
                               "%s: unknown array \"%s\"; expected A_0, A_1, ..., B_0, ..., C_0, "
                               "..., D_0, ..., counts pA_0, ..., pB_0, ..., pD_0, ..., pE, or "
                               "action_cost, action_prior or discount",
                               z->file->origin, member->name);
        }
        z->array[letter][number] = array;
        z->n[letter] = number + 1 > z->n[letter] ? number + 1 : z->n[letter];
    }
    return status;
}

/* Modalities or factors there are: as many as A or B, or their counts. */
static int32_t count_of(const npz *z, int32_t which) {
    const int32_t counts = which == OF_A ? COUNTS_A : COUNTS_B;
    return z->n[which] > z->n[counts] ? z->n[which] : z->n[counts];
}

/* A and B, or their counts, from 0 on without a gap; no more of C and D than that. */
static sonde_status check_list(const npz *z) {
    for (int32_t i = 0; i < N_ARRAY; i++) {
        const int32_t n = count_of(z, i % 2);
        for (int32_t k = 0; i < 2 && k < n; k++) {
            const int32_t counts = i == OF_A ? COUNTS_A : COUNTS_B;
            if (z->array[i][k].member == NULL && z->array[counts][k].member == NULL) {
                return sonde__fail(z->error, SONDE_BAD_INPUT, "%s: has %s_%d, but no %c_%d",
                                   z->file->origin, z->n[i] == n ? title[i] : title[counts], n - 1,
                                   letters[i], k);
            }
        }
        if (n == 0) {
            return sonde__fail(z->error, SONDE_BAD_INPUT, "%s: expected an array %c_0, found none",
                               z->file->origin, letters[i % 2]);
        }
        if (z->n[i] > n) {
            return sonde__fail(z->error, SONDE_BAD_INPUT, "%s: has %c_%d, but no %c_%d",
                               z->file->origin, letters[i], z->n[i] - 1, letters[i % 2],
                               z->n[i] - 1);
        }
    }
    return z->n[COUNTS_D] <= count_of(z, OF_B)
               ? SONDE_OK
               : sonde__fail(z->error, SONDE_BAD_INPUT, "%s: has pD_%d, but no B_%d",
                             z->file->origin, z->n[COUNTS_D] - 1, z->n[COUNTS_D] - 1);
}

/* ------------------------------------------------------------------------------------ axes -- */

/* what arrays cannot say, and what can */
static const char dependencies[] =
    "; a model in which it depends on some factors alone, or on others besides, is read from a "
    "document, as sonde.from_pymdp(agent).save(FILE) writes it in Python";

/* The array's axes; one axis more than expected is a batch, which must be of 1 and is dropped. */
static sonde_status settle_axes(npz *z, const sonde__npy *from, int32_t n_axis, const char *axes,
                                sonde_array *to) {
    const bool counts = from->member->name[0] == 'p';
    const char letter = from->member->name[counts ? 1 : 0];
    const bool batch = from->n_axis == n_axis + 1;
    if (batch && from->size[0] != 1) {
        return sonde__fail(z->error, SONDE_BAD_INPUT,
                           "%s: %s: has a batch of %lld in its first axis; save one model, or a "
                           "batch of 1%s",
                           z->file->origin, from->member->name, (long long)from->size[0],
                           letter == 'B' ? dependencies : "");
    }
    /* B comes first: where it is in a batch, the first axis of an A that is 1 is no outcome */
    const bool part = letter == 'A' && !batch && z->batched && from->size[0] == 1;
    if (part || (!batch && from->n_axis != n_axis)) {
        return sonde__fail(z->error, SONDE_BAD_INPUT,
                           "%s: %s: expected %d axes (%s)%s, found the shape %s%s", z->file->origin,
                           from->member->name, n_axis, axes,
                           z->batched ? " after that of a batch of 1" : "",
                           sonde__axes_text(from->n_axis, from->size).text,
                           letter == 'A' || letter == 'B' ? dependencies : "");
    }
    *to = (sonde_array){
        .n_axis = n_axis, .size = from->size + (batch ? 1 : 0), .n_entry = SONDE__SUPPLIED};
    z->batched = z->batched || batch;
    return SONDE_OK;
}

static sonde_status check_size(const npz *z, const sonde__npy *from, int64_t size) {
    return size >= 1 && size <= INT32_MAX
               ? SONDE_OK
               : sonde__fail(z->error, SONDE_BAD_INPUT,
                             "%s: %s: expected axes of 1 to %d, found the shape %s",
                             z->file->origin, from->member->name, INT32_MAX,
                             sonde__axes_text(from->n_axis, from->size).text);
}

/* The numbers of a small array, the last axis fastest. */
static sonde_status read_small(npz *z, const sonde__npy *from, const sonde_run *run,
                               sonde_array *to) {
    sonde_status status = sonde__check_memory(run, sonde__multiply((uint64_t)from->n, 16),
                                              z->file->origin, "allow more memory", z->error);
    double *value = status == SONDE_OK ? take(z, (uint64_t)from->n, sizeof *value, &status) : NULL;
    double *order = status == SONDE_OK ? take(z, (uint64_t)from->n, sizeof *order, &status) : NULL;
    sonde__npy again;
    if (status == SONDE_OK) {
        status = sonde__npy_open(&again, &z->walk, z->file, from->member, z->error);
    }
    if (status == SONDE_OK) {
        status = sonde__npy_read(from, &z->walk, from->n, value, z->error);
    }
    for (int64_t i = 0; status == SONDE_OK && i < from->n; i++) {
        int64_t at = 0; /* where the number of these axes is, the first of them fastest */
        int64_t rest = i;
        int64_t stride = from->n;
        for (int32_t a = to->n_axis - 1; a >= 0; a--) {
            stride /= to->size[a];
            at += rest % to->size[a] * stride;
            rest /= to->size[a];
        }
        order[i] = value[from->first_fastest ? at : i];
    }
    to->value = order;
    to->n_entry = 0;
    return status;
}

/* n equal numbers where an array is missing. */
static sonde_status fill_small(npz *z, int32_t n, double value, sonde_array *to) {
    sonde_status status = SONDE_OK;
    int64_t *size = take(z, 1, sizeof *size, &status);
    double *values = status == SONDE_OK ? take(z, (uint64_t)n, sizeof *values, &status) : NULL;
    for (int32_t i = 0; status == SONDE_OK && i < n; i++) {
        values[i] = value;
    }
    if (status == SONDE_OK) {
        *size = n;
        *to = (sonde_array){.n_axis = 1, .size = size, .value = values};
    }
    return status;
}

/* ----------------------------------------------------------------------------------- parts -- */

/* The axes of A, B or their counts, if they are there. */
static sonde_status settle_given(npz *z, const sonde__npy *from, int32_t n_axis, const char *axes,
                                 sonde_array *to) {
    return from->member != NULL ? settle_axes(z, from, n_axis, axes, to) : SONDE_OK;
}

static sonde_status make_factor(npz *z, int32_t f, const sonde_run *run,
                                sonde_factor_parts *factor) {
    const sonde__npy *B = &z->array[OF_B][f];
    const sonde__npy *D = &z->array[OF_D][f];
    const sonde__npy *pB = &z->array[COUNTS_B][f];
    const sonde__npy *pD = &z->array[COUNTS_D][f];
    static const char axes[] = "next, previous, action";
    sonde_status status = settle_given(z, B, 3, axes, &factor->B);
    status = status == SONDE_OK ? settle_given(z, pB, 3, axes, &factor->counts_B) : status;
    const sonde_array *sized = B->member != NULL ? &factor->B : &factor->counts_B;
    for (int32_t a = 0; a < 3 && status == SONDE_OK; a++) {
        status = check_size(z, B->member != NULL ? B : pB, sized->size[a]);
    }
    if (status == SONDE_OK && pD->member != NULL) {
        status = settle_axes(z, pD, 1, "state", &factor->counts_D);
        status = status == SONDE_OK ? read_small(z, pD, run, &factor->counts_D) : status;
    }
    if (status != SONDE_OK) {
        return status;
    }
    factor->shape.n_state = (int32_t)sized->size[0];
    factor->shape.n_action = (int32_t)sized->size[2];
    if (D->member == NULL && pD->member != NULL) {
        return SONDE_OK;
    }
    if (D->member == NULL) {
        return fill_small(z, factor->shape.n_state, 1.0 / factor->shape.n_state, &factor->D);
    }
    status = settle_axes(z, D, 1, "state", &factor->D);
    return status == SONDE_OK ? read_small(z, D, run, &factor->D) : status;
}

/* Whether an A or its counts have a last axis of action tuples, and no batch. */
static bool by_action(const npz *z, const sonde__npy *from) {
    const int32_t n_axis = 2 + count_of(z, OF_B);
    return from->member != NULL && from->n_axis == n_axis && !z->batched && z->n_action > 1 &&
           (uint64_t)from->size[n_axis - 1] == z->n_action;
}

static sonde_status make_modality(npz *z, int32_t m, const sonde_run *run,
                                  sonde_modality_parts *modality) {
    const sonde__npy *A = &z->array[OF_A][m];
    const sonde__npy *C = &z->array[OF_C][m];
    const sonde__npy *pA = &z->array[COUNTS_A][m];
    static const char axes[] = "outcome, state of each factor";
    const int32_t n_axis = 1 + count_of(z, OF_B) + (by_action(z, A) || by_action(z, pA) ? 1 : 0);
    sonde_status status = settle_given(z, A, n_axis, axes, &modality->A);
    status = status == SONDE_OK ? settle_given(z, pA, n_axis, axes, &modality->counts_A) : status;
    const sonde_array *sized = A->member != NULL ? &modality->A : &modality->counts_A;
    if (status == SONDE_OK) {
        status = check_size(z, A->member != NULL ? A : pA, sized->size[0]);
    }
    if (status != SONDE_OK) {
        return status;
    }
    modality->shape.n_outcome = (int32_t)sized->size[0];
    if (C->member == NULL) {
        return fill_small(z, modality->shape.n_outcome, 0.0, &modality->C);
    }
    /* two axes are a batch and outcomes, or steps and outcomes where nothing is in batches */
    const bool steps = C->n_axis == 3 || (C->n_axis == 2 && !z->batched && C->size[0] != 1);
    status = settle_axes(z, C, steps ? 2 : 1, steps ? "step, outcome" : "outcome", &modality->C);
    return status == SONDE_OK ? read_small(z, C, run, &modality->C) : status;
}

/* What there is once. */
static sonde_status make_singles(npz *z, const sonde_run *run, sonde_parts *parts) {
    const sonde__npy *cost = &z->single[ACTION_COST];
    const sonde__npy *prior = &z->single[ACTION_PRIOR];
    const sonde__npy *discount = &z->single[DISCOUNT];
    const sonde__npy *habits = &z->single[COUNTS_E];
    sonde_array array = {0};
    sonde_status status = SONDE_OK;
    if (cost->member != NULL) {
        status = settle_axes(z, cost, parts->n_factor + 1, "state of each factor, action tuple",
                             &parts->action_cost);
        status = status == SONDE_OK ? read_small(z, cost, run, &parts->action_cost) : status;
    }
    if (status == SONDE_OK && prior->member != NULL) {
        status = settle_axes(z, prior, 1, "action tuple", &array);
        if (status == SONDE_OK && (array.size == NULL || (uint64_t)array.size[0] != z->n_action)) {
            return sonde__fail(
                z->error, SONDE_BAD_INPUT,
                "%s: %s: expected a number for each action tuple, found the shape %s",
                z->file->origin, prior->member->name,
                sonde__axes_text(prior->n_axis, prior->size).text);
        }
        status = status == SONDE_OK ? read_small(z, prior, run, &array) : status;
        parts->action_prior = array.value;
    }
    if (status == SONDE_OK && discount->member != NULL) {
        if (discount->n != 1) {
            return sonde__fail(z->error, SONDE_BAD_INPUT, "%s: %s: expected one number, found %lld",
                               z->file->origin, discount->member->name, (long long)discount->n);
        }
        array = (sonde_array){0};
        status = read_small(z, discount, run, &array);
        parts->discount = status == SONDE_OK ? array.value[0] : 1.0;
    }
    if (status == SONDE_OK && habits->member != NULL) {
        status = settle_axes(z, habits, 1, "action tuple", &parts->counts_E);
        status = status == SONDE_OK ? read_small(z, habits, run, &parts->counts_E) : status;
    }
    return status;
}

/* ---------------------------------------------------------------------------------- supply -- */

static sonde_status supply_start(void *user, char letter, int32_t number, bool *first_fastest) {
    npz *z = user;
    const int64_t which = strchr(letters, letter) - letters;
    const sonde__npy *array = &z->array[which][number];
    sonde__npy again;
    z->now = array;
    *first_fastest = array->first_fastest;
    const sonde_status status = sonde__npy_open(&again, &z->walk, z->file, array->member, z->error);
    /* the first time all of it is read, and its checksum compared */
    z->walk.trusted = z->read[which][number];
    z->read[which][number] = true;
    return status;
}

static sonde_status supply_next(void *user, int64_t n, double *value) {
    npz *z = user;
    return sonde__npy_read(z->now, &z->walk, n, value, z->error);
}

static sonde_status make(npz *z, const sonde_model_settings *settings, const sonde_run *run,
                         sonde_model **model) {
    sonde_status status = list_arrays(z);
    status = status != SONDE_OK ? status : check_list(z);
    if (status != SONDE_OK) {
        return status;
    }
    sonde_parts parts = sonde_parts_defaults();
    parts.settings.horizon = 1;
    parts.n_factor = count_of(z, OF_B);
    parts.n_modality = count_of(z, OF_A);
    sonde_factor_parts *factor = take(z, (uint64_t)parts.n_factor, sizeof *factor, &status);
    sonde_modality_parts *modality = take(z, (uint64_t)parts.n_modality, sizeof *modality, &status);
    for (int32_t f = 0; f < parts.n_factor && status == SONDE_OK; f++) {
        status = make_factor(z, f, run, &factor[f]);
        z->n_action = sonde__multiply(f > 0 ? z->n_action : 1, (uint64_t)factor[f].shape.n_action);
    }
    for (int32_t m = 0; m < parts.n_modality && status == SONDE_OK; m++) {
        status = make_modality(z, m, run, &modality[m]);
    }
    parts.factor = factor;
    parts.modality = modality;
    status = status != SONDE_OK ? status : make_singles(z, run, &parts);
    status = status != SONDE_OK ? status : sonde__settings_apply(settings, &parts, z->error);
    const sonde__supply supply = {supply_start, supply_next, z};
    return status != SONDE_OK
               ? status
               : sonde__model_make(&parts, &supply, z->file->origin, run, model, z->error);
}

sonde_status sonde__model_from_npz(const sonde__file *file, const sonde_model_settings *settings,
                                   const sonde_run *run, sonde_model **model, sonde_error *error) {
    /* with its buffer it is too large for the stack of a thread */
    npz *z = sonde__alloc(sizeof *z);
    if (z == NULL) {
        return sonde__fail_memory(error, file->origin, sizeof *z);
    }
    z->file = file;
    z->error = error;
    sonde_status status = sonde__zip_open(&z->zip, file, error);
    status = status != SONDE_OK ? status : make(z, settings, run, model);
    sonde__unzip_end(&z->walk);
    sonde__zip_close(&z->zip);
    sonde__pool_free(&z->pool);
    sonde__free(z);
    return status;
}

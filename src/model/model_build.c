/* model_build.c: a general model from its parts.
 *
 * What is derived, once (docs/math.md, "General models"):
 *
 *     preference = ln softmax(C), ln (C / sum C), both at least ln 1e-16, or C itself (utility)
 *     ambiguity  = H(A[:, s]) = - sum_o A[o, s] ln A[o, s]
 *
 * The parts are checked first, then the tables are measured, then the model is one block. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/numbers.h"
#include "model/model_internal.h"

/* a factor while it is made: its arrays, writable */
typedef struct {
    const char **state_name;
    const char **action_name;
    int32_t *depend;
    double *D;
    bool *allowed;
} factor_build;

typedef struct {
    const char **outcome_name;
    int32_t *of;
    double *C;
    double *preference;
    double *cost;
    double *ambiguity;
    double *counts_C;
} modality_build;

typedef struct {
    sonde_model model; /* first: a pointer to it is a pointer to the block */
    sonde_factor *factor;
    sonde_modality *modality;
    int32_t *policy;
    double *E;
    double *habit;
    double *counts_E;
    double *action_cost;
    double *action_prior;
    char *letters; /* of all names */
    char *numbers; /* where they begin */
} build;

/* ------------------------------------------------------------------------------------- carve -- */

static size_t length_of(const char *name) {
    return name != NULL ? strlen(name) + 1 : 0;
}

static size_t length_of_all(int32_t n, const char *const *name) {
    size_t length = 0;
    for (int32_t i = 0; name != NULL && i < n; i++) {
        length += length_of(name[i]);
    }
    return length;
}

static size_t length_of_names(const sonde_parts *parts) {
    size_t length = length_of(parts->name);
    for (int32_t f = 0; f < parts->n_factor; f++) {
        const sonde_factor_parts *factor = &parts->factor[f];
        length += length_of(factor->shape.name) +
                  length_of_all(factor->shape.n_state, factor->shape.state_name) +
                  length_of_all(factor->shape.n_action, factor->shape.action_name);
    }
    for (int32_t m = 0; m < parts->n_modality; m++) {
        const sonde_modality_parts *modality = &parts->modality[m];
        length += length_of(modality->shape.name) +
                  length_of_all(modality->shape.n_outcome, modality->shape.outcome_name);
    }
    return length;
}

/* Which numbers of a sparse table there are, and counts, which are where learning begins. */
static void carve_support(sonde__arena *arena, sonde__table *table) {
    if (table->sparse) {
        table->offset = SONDE__TAKE(arena, int64_t, table->n_column + 1);
        table->row = SONDE__TAKE(arena, int32_t, table->n_nonzero);
    }
    table->counts =
        SONDE__TAKE(arena, double, sonde__table_learns(table) ? sonde__table_size(table) : 0);
}

static void carve_numbers(sonde__arena *arena, sonde__table *table) {
    const uint64_t n_block = (uint64_t)(table->n_column / table->n_action);
    const uint64_t n_dense =
        sonde__multiply(n_block, sonde__multiply((uint64_t)table->n_row, (uint64_t)table->n_lane));
    table->value = table->sparse ? NULL : SONDE__TAKE(arena, double, n_dense);
    table->p = table->sparse ? SONDE__TAKE(arena, double, table->n_nonzero) : NULL;
}

/* scratch of one build: the arrays of each factor and modality */
typedef struct {
    factor_build *factor;
    modality_build *modality;
} arrays;

static void carve_shape(sonde__arena *arena, const sonde__maker *maker, const arrays *to) {
    const sonde_parts *parts = maker->parts;
    for (int32_t f = 0; f < parts->n_factor; f++) {
        const sonde_factor_parts *from = &parts->factor[f];
        factor_build *factor = &to->factor[f];
        const bool listed = sonde__restricted(parts, f);
        factor->state_name =
            SONDE__TAKE(arena, const char *, from->shape.state_name ? from->shape.n_state : 0);
        factor->action_name =
            SONDE__TAKE(arena, const char *, from->shape.action_name ? from->shape.n_action : 0);
        factor->depend = SONDE__TAKE(arena, int32_t, sonde__parts_n_depend(parts, f));
        factor->allowed = SONDE__TAKE(
            arena, bool,
            listed ? sonde__multiply((uint64_t)from->shape.n_state, (uint64_t)from->shape.n_action)
                   : 0);
        carve_support(arena, &maker->B[f]);
        carve_support(arena, &maker->D[f]);
    }
    for (int32_t m = 0; m < parts->n_modality; m++) {
        const sonde_modality_parts *from = &parts->modality[m];
        modality_build *modality = &to->modality[m];
        modality->outcome_name =
            SONDE__TAKE(arena, const char *, from->shape.outcome_name ? from->shape.n_outcome : 0);
        modality->of = SONDE__TAKE(arena, int32_t, sonde__parts_n_of(parts, m));
        const uint64_t n_C =
            sonde__multiply((uint64_t)maker->n_step_C, (uint64_t)from->shape.n_outcome);
        modality->counts_C = SONDE__TAKE(arena, double, from->counts_C.n_axis > 0 ? n_C : 0);
        carve_support(arena, &maker->A[m]);
    }
}

static void carve_all_numbers(sonde__arena *arena, const sonde__maker *maker, const arrays *to) {
    const sonde_parts *parts = maker->parts;
    for (int32_t f = 0; f < parts->n_factor; f++) {
        carve_numbers(arena, &maker->B[f]);
        carve_numbers(arena, &maker->D[f]);
        to->factor[f].D = maker->D[f].value;
    }
    for (int32_t m = 0; m < parts->n_modality; m++) {
        const int32_t n_outcome = parts->modality[m].shape.n_outcome;
        modality_build *modality = &to->modality[m];
        const uint64_t n_C = sonde__multiply((uint64_t)maker->n_step_C, (uint64_t)n_outcome);
        modality->C = SONDE__TAKE(arena, double, n_C);
        modality->preference = SONDE__TAKE(arena, double, n_C);
        modality->cost = SONDE__TAKE(arena, double, n_outcome);
        modality->ambiguity = SONDE__TAKE(arena, double, maker->A[m].n_column);
        carve_numbers(arena, &maker->A[m]);
    }
}

static build *carve(sonde__arena *arena, const sonde__maker *maker, const arrays *to) {
    const sonde_parts *parts = maker->parts;
    const bool listed = parts->policies == SONDE_POLICIES_LISTED;
    const uint64_t n_policy = listed ? (uint64_t)parts->n_policy : 0;
    build *b = SONDE__TAKE(arena, build, 1);
    build none;
    build *into = b != NULL ? b : &none;
    into->factor = SONDE__TAKE(arena, sonde_factor, parts->n_factor);
    into->modality = SONDE__TAKE(arena, sonde_modality, parts->n_modality);
    carve_shape(arena, maker, to);
    into->policy =
        SONDE__TAKE(arena, int32_t, sonde__multiply(n_policy, (uint64_t)parts->settings.horizon));
    into->counts_E = SONDE__TAKE(arena, double, sonde__parts_n_habit(maker));
    into->letters = SONDE__TAKE(arena, char, length_of_names(parts));
    into->numbers = SONDE__TAKE(arena, char, 0);
    carve_all_numbers(arena, maker, to);
    const bool habits = parts->counts_E.n_axis > 0;
    into->E = SONDE__TAKE(arena, double, parts->E != NULL || habits ? n_policy : 0);
    into->habit = SONDE__TAKE(arena, double, habits && !listed ? maker->n_action : 0);
    into->action_cost = SONDE__TAKE(arena, double, maker->n_action_cost);
    into->action_prior =
        SONDE__TAKE(arena, double, parts->action_prior != NULL ? maker->n_action : 0);
    return b;
}

/* The model's block, or NULL and maker->status. */
static build *allocate(sonde__maker *maker, const arrays *to, sonde__arena *arena) {
    const char *what = maker->origin != NULL ? maker->origin : "model";
    (void)carve(arena, maker, to);
    const uint64_t bytes = arena->used;
    maker->status =
        sonde__check_memory(&maker->run, bytes, what, "allow more memory", maker->error);
    if (maker->status != SONDE_OK) {
        return NULL;
    }
    if (!sonde__arena_reserve(arena)) {
        maker->status = sonde__fail_memory(maker->error, what, bytes);
        return NULL;
    }
    build *b = carve(arena, maker, to);
    b->model.bytes = bytes;
    b->model.number_bytes = bytes - (uint64_t)(b->numbers - (char *)b);
    return b;
}

/* ------------------------------------------------------------------------------------- names -- */

/* A copy among the letters, which move on; NULL stays NULL. */
static const char *copy_name(char **letters, const char *name) {
    const size_t length = length_of(name);
    if (length == 0) {
        return NULL;
    }
    char *copy = *letters;
    memcpy(copy, name, length);
    *letters += length;
    return copy;
}

static const char *const *copy_names(char **letters, int32_t n, const char *const *name,
                                     const char **to) {
    for (int32_t i = 0; name != NULL && i < n; i++) {
        to[i] = copy_name(letters, name[i]);
    }
    return name != NULL ? to : NULL;
}

/* ------------------------------------------------------------------------------- preferences -- */

/* Probabilities are none below 0, and have a sum. */
static sonde_status check_preferences(const sonde__maker *maker, const char *path, int32_t n,
                                      const double *C) {
    double sum = 0.0;
    for (int32_t o = 0; o < n; o++) {
        if (C[o] < 0.0) {
            return sonde__maker_wrong(
                maker, "%s[%d]: expected a probability of 0 or more, found %g", path, o, C[o]);
        }
        sum += C[o];
    }
    return sum > 0.0 ? SONDE_OK
                     : sonde__maker_wrong(
                           maker, "%s: expected probabilities with a sum of more than 0, found %g",
                           path, sum);
}

/* C as the expected logarithm of what its counts count; steps that are not given are like the
 * first. */
static sonde_status expect_preferences(const sonde__maker *maker, const char *path, int64_t n_given,
                                       int32_t n_outcome, const modality_build *to) {
    for (int64_t i = 0; i < n_given * n_outcome; i++) {
        if (!(to->C[i] > 0.0 && to->C[i] <= SONDE__COUNT_MAX)) {
            return sonde__maker_wrong(maker, "%s: expected counts above 0, at most 1e12, found %g",
                                      path, to->C[i]);
        }
    }
    for (int64_t t = 0; t < maker->n_step_C; t++) {
        const double *from = to->C + (t < n_given ? t : 0) * n_outcome;
        memcpy(to->counts_C + t * n_outcome, from, (size_t)n_outcome * sizeof *from);
    }
    for (int64_t t = 0; t < n_given; t++) {
        sonde__model_expect(n_outcome, to->counts_C + t * n_outcome, to->C + t * n_outcome);
    }
    return SONDE_OK;
}

static sonde_status fill_preferences(sonde__maker *maker, int32_t m, const modality_build *to) {
    const sonde_modality_parts *from = &maker->parts->modality[m];
    const int64_t n_outcome = from->shape.n_outcome;
    const bool counted = from->counts_C.n_axis > 0;
    const sonde_array *given = counted ? &from->counts_C : &from->C;
    const int64_t n_given = given->n_axis == 2 ? maker->n_step_C : 1;
    const sonde__path name = sonde__at("%sC[%d]", counted ? "counts." : "", m);
    sonde_status status = sonde__array_spread(maker, name.text, given, n_given * n_outcome, to->C);
    if (status == SONDE_OK && counted) {
        status = expect_preferences(maker, name.text, n_given, from->shape.n_outcome, to);
    }
    for (int32_t t = 0; t < maker->n_step_C && status == SONDE_OK; t++) {
        /* what is given once holds at every step */
        if (t >= n_given) {
            memcpy(to->C + t * n_outcome, to->C, (size_t)n_outcome * sizeof *to->C);
        }
        const sonde__path path = n_given > 1 ? sonde__at("C[%d][%d]", m, t) : sonde__at("C[%d]", m);
        const double *C = to->C + t * n_outcome;
        const sonde_preferences how = (sonde_preferences)maker->parts->settings.preferences;
        if (how == SONDE_PREFERENCES_PROBABILITY && status == SONDE_OK) {
            status = check_preferences(maker, path.text, from->shape.n_outcome, C);
        }
        if (status == SONDE_OK) {
            sonde__model_prefer(how, (sonde_information)maker->parts->settings.information,
                                from->shape.n_outcome, C, to->preference + t * n_outcome);
        }
    }
    if (status == SONDE_OK && from->cost.n_axis > 0) {
        status = sonde__array_spread(maker, sonde__at("cost[%d]", m).text, &from->cost, n_outcome,
                                     to->cost);
    }
    return status;
}

/* ------------------------------------------------------------------------------------ tables -- */

static sonde_status fill_factor(sonde__maker *maker, int32_t f, const factor_build *to,
                                char **letters, sonde_factor *factor) {
    const sonde_factor_parts *from = &maker->parts->factor[f];
    const int32_t n_depend = sonde__parts_n_depend(maker->parts, f);
    sonde__table *B = &maker->B[f];
    sonde_status status = sonde__table_store(maker, B);
    if (status == SONDE_OK) {
        status = sonde__table_store(maker, &maker->D[f]);
    }
    memcpy(to->depend, maker->depend[f], (size_t)n_depend * sizeof *to->depend);
    for (int32_t i = 0; sonde__restricted(maker->parts, f) && i < from->n_allowed; i++) {
        const int64_t state = from->allowed[2 * (int64_t)i];
        to->allowed[state * from->shape.n_action + from->allowed[2 * (int64_t)i + 1]] = true;
    }
    *factor = (sonde_factor){
        .name = copy_name(letters, from->shape.name),
        .n_state = from->shape.n_state,
        .n_action = from->shape.n_action,
        .n_depend = n_depend,
        .depend = to->depend,
        .n_previous = B->n_column / B->n_action,
        .state_name =
            copy_names(letters, from->shape.n_state, from->shape.state_name, to->state_name),
        .action_name =
            copy_names(letters, from->shape.n_action, from->shape.action_name, to->action_name),
        .D = to->D,
        .n_lane = B->n_lane,
        .B = B->value,
        .offset = B->sparse ? B->offset : NULL,
        .next = B->sparse ? B->row : NULL,
        .p = B->sparse ? B->p : NULL,
        .deterministic = B->certain,
        .allowed = sonde__restricted(maker->parts, f) ? to->allowed : NULL,
        .counts_B = sonde__table_learns(B) ? B->counts : NULL,
        .counts_D = sonde__table_learns(&maker->D[f]) ? maker->D[f].counts : NULL,
    };
    return status;
}

static sonde_status fill_modality(sonde__maker *maker, int32_t m, const modality_build *to,
                                  char **letters, sonde_modality *modality) {
    const sonde_modality_parts *from = &maker->parts->modality[m];
    const int32_t n_of = sonde__parts_n_of(maker->parts, m);
    sonde__table *A = &maker->A[m];
    sonde_status status = sonde__table_store(maker, A);
    if (status == SONDE_OK) {
        status = fill_preferences(maker, m, to);
    }
    memcpy(to->of, maker->of[m], (size_t)n_of * sizeof *to->of);
    *modality = (sonde_modality){
        .name = copy_name(letters, from->shape.name),
        .n_outcome = from->shape.n_outcome,
        .n_factor = n_of,
        .factor = to->of,
        .n_state = A->n_column / maker->by[m],
        .n_action = maker->by[m],
        .outcome_name =
            copy_names(letters, from->shape.n_outcome, from->shape.outcome_name, to->outcome_name),
        .A = A->value,
        .offset = A->sparse ? A->offset : NULL,
        .outcome = A->sparse ? A->row : NULL,
        .p = A->sparse ? A->p : NULL,
        .preference = to->preference,
        .cost = to->cost,
        .ambiguity = to->ambiguity,
        .C = to->C,
        .counts_A = sonde__table_learns(A) ? A->counts : NULL,
        .counts_C = from->counts_C.n_axis > 0 ? to->counts_C : NULL,
    };
    if (status == SONDE_OK) {
        sonde__model_blur(modality, to->ambiguity);
    }
    return status;
}

/* ---------------------------------------------------------------------------------- the rest -- */

static void fill_policies(const sonde_parts *parts, build *b) {
    sonde_model *model = &b->model;
    if (parts->policies != SONDE_POLICIES_LISTED) {
        return;
    }
    const int64_t n = (int64_t)parts->n_policy * parts->settings.horizon;
    for (int64_t i = 0; i < n; i++) {
        b->policy[i] = sonde_model_from_tuple(model, parts->policy + i * parts->n_factor);
    }
    model->n_policy = parts->n_policy;
    model->policy = b->policy;
    if (parts->E != NULL) {
        memcpy(b->E, parts->E, (size_t)parts->n_policy * sizeof *b->E);
        (void)sonde__normalise(b->E, parts->n_policy, 1);
        /* pymdp-legacy adds as much within its logarithm, so that E of 0 excludes nothing */
        const bool added = parts->settings.information == (int32_t)SONDE_INFORMATION_LEGACY;
        for (int32_t i = 0; added && i < parts->n_policy; i++) {
            b->E[i] += SONDE__FLOOR;
        }
        model->E = b->E;
    }
}

/* Habits, or E, as the mean of what is counted; E that is given besides is noted. */
static void fill_habits(const sonde__maker *maker, build *b) {
    const sonde_parts *parts = maker->parts;
    sonde_model *model = &b->model;
    const int64_t n = (int64_t)sonde__parts_n_habit(maker);
    if (n == 0) {
        return;
    }
    const bool listed = parts->policies == SONDE_POLICIES_LISTED;
    double *mean = listed ? b->E : b->habit;
    memcpy(b->counts_E, parts->counts_E.value, (size_t)n * sizeof *b->counts_E);
    double sum = 0.0;
    for (int64_t i = 0; i < n; i++) {
        sum += b->counts_E[i];
    }
    for (int64_t i = 0; i < n; i++) {
        const double apart = parts->E != NULL ? fabs(mean[i] - b->counts_E[i] / sum) : 0.0;
        if (apart > model->apart) {
            model->apart = apart;
            (void)snprintf(model->apart_at, sizeof model->apart_at, "E");
        }
    }
    model->kept_given = model->kept_given || (parts->E != NULL && parts->keep_given);
    if (parts->E == NULL || !parts->keep_given) {
        (void)sonde__counts_mean(b->counts_E, n, 1, 0.0, mean);
    }
    model->counts_E = b->counts_E;
    model->E = listed ? mean : NULL;
    model->habit = listed ? NULL : mean;
}

/* What actions cost, and how likely they are beforehand. */
static sonde_status fill_actions(sonde__maker *maker, build *b) {
    const sonde_parts *parts = maker->parts;
    sonde_model *model = &b->model;
    if (parts->action_prior != NULL) {
        memcpy(b->action_prior, parts->action_prior,
               (size_t)maker->n_action * sizeof *b->action_prior);
        (void)sonde__normalise(b->action_prior, (int64_t)maker->n_action, 1);
        model->action_prior = b->action_prior;
    }
    if (maker->n_action_cost == 0) {
        return SONDE_OK;
    }
    model->action_cost = b->action_cost;
    return sonde__array_spread(maker, "action_cost", &parts->action_cost,
                               (int64_t)maker->n_action_cost, b->action_cost);
}

/* Sizes, and whether factors are coupled. */
static void fill_sizes(const sonde__maker *maker, build *b) {
    const sonde_parts *parts = maker->parts;
    sonde_model *model = &b->model;
    const sonde_model sized = *model;
    *model = (sonde_model){
        .n_action = 1,
        .horizon = parts->settings.horizon,
        .gamma = parts->settings.gamma + 0.0,
        .discount = parts->discount,
        .weights = {.utility = 1.0,
                    .information = parts->settings.information == SONDE_INFORMATION_OFF ? 0.0 : 1.0,
                    .cost = 1.0},
        .n_modality = parts->n_modality,
        .n_factor = parts->n_factor,
        .factor = b->factor,
        .modality = b->modality,
        .preferences = (sonde_preferences)parts->settings.preferences,
        .information = (sonde_information)parts->settings.information,
        .lambda = parts->settings.lambda + 0.0,
        .n_step_C = maker->n_step_C,
        .n_joint = 1.0,
        .policies = parts->policies,
        .bytes = sized.bytes,
        .numbers = b->numbers,
        .number_bytes = sized.number_bytes,
        .version = 1,
    };
    for (int32_t f = 0; f < parts->n_factor; f++) {
        const sonde_factor_parts *factor = &parts->factor[f];
        model->n_belief += factor->shape.n_state;
        model->n_action *= factor->shape.n_action;
        model->n_joint *= (double)factor->shape.n_state;
        model->coupled =
            model->coupled || sonde__parts_n_depend(parts, f) != 1 || maker->depend[f][0] != f;
    }
    enum { JOINT_MOST = 1 << 12 }; /* sums over these take less time than a search does */
    model->inference =
        model->n_joint <= JOINT_MOST ? SONDE_INFERENCE_EXACT : SONDE_INFERENCE_PYMDP_LEGACY;
    model->n_state = model->n_belief;
}

/* Notes the array that is furthest from the mean of its counts. */
static sonde_status compare_one(sonde__maker *maker, sonde__table *table, sonde_model *model) {
    double apart = 0.0;
    if (table->other == NULL) {
        return SONDE_OK;
    }
    const sonde_status status = sonde__table_compare(maker, table, &apart);
    model->kept_given = model->kept_given || !table->counted;
    if (apart > model->apart) {
        model->apart = apart;
        (void)snprintf(model->apart_at, sizeof model->apart_at, "%c[%d]", table->letter,
                       table->number);
    }
    return status;
}

static sonde_status compare_all(sonde__maker *maker, sonde_model *model) {
    sonde_status status = SONDE_OK;
    for (int32_t f = 0; f < model->n_factor && status == SONDE_OK; f++) {
        status = compare_one(maker, &maker->B[f], model);
        status = status != SONDE_OK ? status : compare_one(maker, &maker->D[f], model);
    }
    for (int32_t m = 0; m < model->n_modality && status == SONDE_OK; m++) {
        status = compare_one(maker, &maker->A[m], model);
    }
    return status;
}

static sonde_status fill(sonde__maker *maker, const arrays *from, build *b) {
    const sonde_parts *parts = maker->parts;
    char *letters = b->letters;
    sonde_status status = SONDE_OK;
    fill_sizes(maker, b);
    b->model.name = copy_name(&letters, parts->name);
    int32_t first = 0;
    for (int32_t f = 0; f < parts->n_factor && status == SONDE_OK; f++) {
        status = fill_factor(maker, f, &from->factor[f], &letters, &b->factor[f]);
        b->factor[f].first = first;
        first += b->factor[f].n_state;
    }
    for (int32_t m = 0; m < parts->n_modality && status == SONDE_OK; m++) {
        status = fill_modality(maker, m, &from->modality[m], &letters, &b->modality[m]);
    }
    if (status == SONDE_OK) {
        fill_policies(parts, b);
        status = compare_all(maker, &b->model);
        fill_habits(maker, b);
    }
    return status == SONDE_OK ? fill_actions(maker, b) : status;
}

/* Looks at every number of A, B and D once. */
static sonde_status measure(sonde__maker *maker) {
    const sonde_parts *parts = maker->parts;
    sonde_status status = SONDE_OK;
    for (int32_t f = 0; f < parts->n_factor && status == SONDE_OK; f++) {
        status = sonde__table_measure(maker, &maker->B[f]);
        if (status == SONDE_OK) {
            status = sonde__table_measure(maker, &maker->D[f]);
        }
        if (status == SONDE_OK && sonde__restricted(parts, f) && !maker->B[f].certain) {
            status = sonde__maker_wrong(
                maker,
                "allowed[%d]: is for factors whose transitions are certain, but B[%d] has a "
                "column with more than one number, or none, that is not 0",
                f, f);
        }
    }
    for (int32_t m = 0; m < parts->n_modality && status == SONDE_OK; m++) {
        status = sonde__table_measure(maker, &maker->A[m]);
    }
    return status;
}

static bool take_arrays(sonde__maker *maker, arrays *to) {
    to->factor = sonde__maker_take(maker, (uint64_t)maker->parts->n_factor, sizeof *to->factor);
    to->modality = to->factor != NULL ? sonde__maker_take(maker, (uint64_t)maker->parts->n_modality,
                                                          sizeof *to->modality)
                                      : NULL;
    return to->modality != NULL;
}

sonde_status sonde__model_make(const sonde_parts *parts, const sonde__supply *supply,
                               const char *origin, const sonde_run *run, sonde_model **model,
                               sonde_error *error) {
    sonde__maker maker = {.parts = parts,
                          .origin = origin,
                          .supply = supply,
                          .run = sonde__run_settle(run),
                          .error = error};
    arrays to = {0};
    sonde__arena arena = {0};
    build *b = NULL;
    sonde_status status = sonde__parts_check(&maker);
    const bool ready = status == SONDE_OK && take_arrays(&maker, &to);
    if (status == SONDE_OK) {
        status = ready ? measure(&maker) : maker.status;
    }
    if (status == SONDE_OK && ready) {
        b = allocate(&maker, &to, &arena);
        status = b != NULL ? fill(&maker, &to, b) : maker.status;
    }
    sonde__pool_free(&maker.pool);
    if (status == SONDE_OK && b != NULL) {
        *model = &b->model;
    } else {
        sonde__arena_free(&arena);
    }
    return status;
}

sonde_parts sonde_parts_defaults(void) {
    return (sonde_parts){.settings.gamma = 1.0, .discount = 1.0};
}

sonde_status sonde_model_new(const sonde_parts *parts, const char *origin, const sonde_run *run,
                             sonde_model **model, sonde_error *error) {
    return sonde__model_make(parts, NULL, origin, run, model, error);
}

/* policy_count.c: counting policies, and the order that the counts give them.
 *
 *     completion[0][v] = 1,   completion[t][v] = sum over edges v -> w of completion[t - 1][w]
 *
 * Walks of T more edges after an edge into v are completion[T][v]; the counts of the edges, added
 * up in order, give each start edge its stretch of indices. Counts saturate at UINT64_MAX: such a
 * space has a size but cannot be indexed. */
#include "base/status.h"
#include "base/vector.h"
#include "policy/policy.h"

/* the policies while they are made: the same arrays, writable */
typedef struct {
    sonde_policies policies; /* first: a pointer to it is a pointer to the block */
    uint64_t *completion;    /* (T + 1, n_node) */
    uint64_t *offset;        /* (n_state + 1) */
    double *real;            /* (n_node) completion[T] as doubles */
    double *before;          /* (n_node) scratch */
} build;

static build *carve(sonde__arena *arena, const sonde_model *model, int32_t horizon) {
    const uint64_t n_node = (uint64_t)model->graph->n_node;
    build *b = SONDE__TAKE(arena, build, 1);
    build none;
    build *to = b != NULL ? b : &none;
    to->completion = SONDE__TAKE(arena, uint64_t, ((uint64_t)horizon + 1) * n_node);
    to->offset = SONDE__TAKE(arena, uint64_t, model->n_state + 1);
    to->real = SONDE__TAKE(arena, double, n_node);
    to->before = SONDE__TAKE(arena, double, n_node);
    return b;
}

static void count_completions(build *b, const sonde_graph *graph, int32_t horizon) {
    for (int32_t v = 0; v < graph->n_node; v++) {
        b->completion[v] = 1;
        b->real[v] = 1.0;
    }
    for (int32_t t = 1; t <= horizon; t++) {
        const uint64_t *shorter = b->completion + (int64_t)(t - 1) * graph->n_node;
        uint64_t *longer = b->completion + (int64_t)t * graph->n_node;
        double *swapped = b->before;
        b->before = b->real;
        b->real = swapped;
        for (int32_t v = 0; v < graph->n_node; v++) {
            uint64_t sum = 0;
            double real = 0.0;
            for (int32_t e = graph->first[v]; e < graph->first[v + 1]; e++) {
                sum = sonde__add(sum, shorter[graph->head[e]]);
                real += b->before[graph->head[e]];
            }
            longer[v] = sum;
            b->real[v] = real;
        }
    }
}

static sonde_status count_walks(const sonde_model *model, int32_t horizon, const sonde_run *run,
                                sonde_policies **policies, sonde_error *error) {
    const sonde_graph *graph = model->graph;
    const sonde_run settled = sonde__run_settle(run);
    sonde__arena arena = {0};
    (void)carve(&arena, model, horizon);
    const sonde_status fits =
        sonde__arena_claim(&arena, &settled, "counting the policies",
                           "choose a shorter horizon, or allow more memory", error);
    if (fits != SONDE_OK) {
        return fits;
    }
    build *b = carve(&arena, model, horizon);
    count_completions(b, graph, horizon);
    double size = 0.0;
    for (int32_t e = 0; e < graph->n_edge; e++) {
        const int32_t v = graph->head[e];
        const uint64_t from_here = b->completion[(int64_t)horizon * graph->n_node + v];
        b->offset[e + 1] = sonde__add(b->offset[e], from_here);
        size += b->real[v];
    }
    b->policies = (sonde_policies){
        .model = model,
        .horizon = horizon,
        .n_origin = model->n_state,
        .initial = graph->start,
        .n_policy = b->offset[graph->n_edge],
        .size = size,
        .completion = b->completion,
        .completion_real = b->real,
        .offset = b->offset,
    };
    *policies = &b->policies;
    return SONDE_OK;
}

sonde_status sonde__horizon_check(const sonde_model *model, int32_t horizon, sonde_error *error) {
    if (horizon < 1 || horizon == INT32_MAX) {
        return sonde__fail(error, SONDE_BAD_ARGUMENT,
                           "horizon: expected a whole number from 1 to %d, found %d", INT32_MAX - 1,
                           horizon);
    }
    if (model->n_step_C > 1 && horizon > model->n_step_C) {
        return sonde__fail(error, SONDE_BAD_ARGUMENT,
                           "horizon: expected at most %d, the steps that C has preferences for, "
                           "found %d; give C more rows, or one for all steps",
                           model->n_step_C, horizon);
    }
    return SONDE_OK;
}

sonde_status sonde_policies_count(const sonde_model *model, int32_t horizon, const sonde_run *run,
                                  sonde_policies **policies, sonde_error *error) {
    horizon = horizon != 0 ? horizon : model->horizon;
    const sonde_status status = sonde__horizon_check(model, horizon, error);
    if (status != SONDE_OK) {
        return status;
    }
    return sonde__kind(model) == SONDE__OF_GRAPHS
               ? count_walks(model, horizon, run, policies, error)
               : sonde__product_count(model, horizon, run, policies, error);
}

/* numbers that are looked at side by side */
enum { LANES = 16 };

/* Passes over blocks in which no number is above `most`; returns where it stops. */
SONDE__VECTOR
static int32_t pass(int32_t i, int32_t n, const double *p, double most) {
    for (; i + LANES <= n; i += LANES) {
        double largest = p[i];
        for (int32_t lane = 1; lane < LANES; lane++) {
            largest = p[i + lane] > largest ? p[i + lane] : largest;
        }
        if (largest > most) {
            break;
        }
    }
    return i;
}

/* In a large world most numbers are 0, and are passed over. */
int32_t sonde__most_probable(int32_t n, const double *p) {
    int32_t best = 0;
    for (int32_t i = 1; i < n;) {
        i = i + LANES <= n ? pass(i, n, p, p[best] + SONDE__TIE) : i;
        const int32_t end = i + LANES < n ? i + LANES : n;
        for (; i < end; i++) {
            best = p[i] > p[best] + SONDE__TIE ? i : best;
        }
    }
    return best;
}

sonde_present sonde_present_at(const sonde_model *model, const double *belief) {
    const bool known = sonde__kind(model) == SONDE__OF_GRAPHS;
    return (sonde_present){.state = known ? sonde__most_probable(model->n_state, belief) : -1,
                           .belief = belief};
}

bool sonde__present_is(const sonde_model *model, sonde_present now) {
    return sonde__kind(model) == SONDE__OF_GRAPHS ? now.state >= 0 && now.state < model->n_state
                                                  : now.belief != NULL;
}

int32_t sonde_policies_origin(const sonde_policies *policies, const double *belief) {
    return sonde__space_of(policies)->origin(policies, belief);
}

uint64_t sonde_policies_size(const sonde_policies *policies, int32_t origin) {
    return sonde__origin_is(policies, origin) ? sonde__policies_size(policies, origin) : 0;
}

uint64_t sonde__policies_most(const sonde_policies *policies) {
    return sonde__space_of(policies)->most(policies);
}

double sonde_policies_size_real(const sonde_policies *policies, int32_t origin) {
    return sonde__origin_is(policies, origin)
               ? sonde__space_of(policies)->size_real(policies, origin)
               : 0.0;
}

void sonde_policies_free(sonde_policies *policies) {
    sonde__free(policies);
}

/* policy_list.c: policies that a model lists. They have no origins, and are looked up. */
#include <string.h>

#include "policy/policy.h"

static int32_t origin_of(const sonde_policies *policies, const double *belief) {
    (void)belief;
    return policies->initial;
}

static uint64_t most(const sonde_policies *policies) {
    return (uint64_t)policies->model->n_policy;
}

static uint64_t size(const sonde_policies *policies, int32_t origin) {
    (void)origin;
    return most(policies);
}

static double size_real(const sonde_policies *policies, int32_t origin) {
    return (double)size(policies, origin);
}

static void get(const sonde_policies *policies, int32_t origin, uint64_t index, int32_t *walk) {
    const int32_t horizon = policies->horizon;
    walk[0] = origin;
    memcpy(walk + 1, policies->model->policy + (int64_t)index * horizon,
           (size_t)horizon * sizeof *walk);
}

/* One policy may be listed twice. */
static uint64_t find(const sonde_policies *policies, int32_t origin, const int32_t *walk) {
    (void)policies;
    (void)origin;
    (void)walk;
    return UINT64_MAX;
}

/* The first step at which two policies differ, T + 1 if they do not. */
static int32_t first_difference(const int32_t *walk, const int32_t *list, int32_t horizon) {
    int32_t t = 1;
    while (t <= horizon && walk[t] == list[t - 1]) {
        t++;
    }
    return t;
}

/* A listed policy, of which the beginning may be that of the one before. */
static int32_t move(sonde__walker *walker, uint64_t index) {
    const int32_t horizon = walker->policies->horizon;
    const int32_t *list = walker->policies->model->policy + (int64_t)index * horizon;
    const bool first = walker->count[0] == 0;
    const int32_t changed = first ? 0 : first_difference(walker->edge, list, horizon);
    memcpy(walker->edge + 1, list, (size_t)horizon * sizeof *list);
    walker->edge[0] = 0;
    walker->count[0] = 1;
    return changed;
}

static void draw(const sonde_policies *policies, const sonde__ways *ways, int32_t origin,
                 sonde__rng *rng, int32_t *walk) {
    (void)ways;
    get(policies, origin, sonde__rng_below(rng, most(policies)), walk);
}

static int32_t n_list(const sonde_policies *policies) {
    (void)policies;
    return 0;
}

static void mark(const sonde_policies *policies, int32_t origin, int32_t state, int32_t *any) {
    const sonde_model *model = policies->model;
    (void)origin;
    (void)state;
    memset(any, -1, (size_t)model->n_action * sizeof *any);
    for (int32_t i = 0; i < model->n_policy; i++) {
        any[model->policy[(int64_t)i * policies->horizon]] = 0;
    }
}

const sonde__policy_space sonde__space_list = {
    .listed = true,
    .origin = origin_of,
    .size = size,
    .size_real = size_real,
    .most = most,
    .get = get,
    .find = find,
    .move = move,
    .mark = mark,
    .draw = draw,
    .n_list = n_list,
    .parts = &sonde__parts_actions,
};

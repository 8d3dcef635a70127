/* model_pomdpx_parts.c: factors, modalities and costs of a POMDPX document.
 *
 * A factor of ours moves by its own action, and given the states before it independently of the
 * others. So variables become one factor, with a state for each combination of their values, where
 * more than one depends on the action, where one depends on what another is after the action, and
 * where they do not begin independently; all others stay factors of their own. What is probable of
 * a combination is the product of the functions, taken in an order in which whatever a function
 * depends on comes before it. */
#include <string.h>

#include "base/shown.h"
#include "model/model_pomdpx.h"

/* past this, combinations of values have numbers alone */
enum { NAMED_MOST = 1 << 16 };

/* a factor: some state variables */
typedef struct {
    int32_t n;
    int32_t variable[SONDE__VARIABLES_MAX]; /* (n) in the order of the document */
    int64_t n_state;                        /* their values, multiplied */
    int32_t n_depend;
    int32_t depend[SONDE__VARIABLES_MAX]; /* (n_depend) groups */
    bool acts;                            /* it has the actions */
} group;

typedef struct {
    const sonde__pomdpx *x;
    sonde__pomdpx_made *made;
    int32_t n_group;
    group group[SONDE__VARIABLES_MAX];
    int32_t of[SONDE__VARIABLES_MAX]; /* (n_state) the group of each variable */
    /* (n_state) variables such that what they depend on comes before them: after the action, and in
     * the beginning */
    int32_t order[SONDE__VARIABLES_MAX];
    int32_t order_begin[SONDE__VARIABLES_MAX];
    /* the values of all variables, for now: before, after, seen, done */
    int32_t value[SONDE__DONE + 1][SONDE__VARIABLES_MAX];
} work;

/* ------------------------------------------------------------------------------------ groups -- */

static void join(work *w, int32_t a, int32_t b) {
    const int32_t from = w->of[a] > w->of[b] ? w->of[a] : w->of[b];
    const int32_t to = w->of[a] > w->of[b] ? w->of[b] : w->of[a];
    for (int32_t i = 0; i < w->x->n_state; i++) {
        w->of[i] = w->of[i] == from ? to : w->of[i];
    }
}

static bool depends_on(const sonde__law *law, sonde__when when, int32_t number) {
    for (int32_t i = 0; i < law->n_given; i++) {
        if (law->given[i].when == when && law->given[i].number == number) {
            return true;
        }
    }
    return false;
}

/* Puts variables into one group where they are no factors of their own. */
static void join_variables(work *w) {
    const sonde__pomdpx *x = w->x;
    int32_t acting = -1;
    for (int32_t i = 0; i < x->n_state; i++) {
        w->of[i] = i;
    }
    for (int32_t i = 0; i < x->n_state; i++) {
        for (int32_t k = 0; k < x->n_state; k++) {
            if (depends_on(&x->next[i], SONDE__AFTER, k) ||
                depends_on(&x->begin[i], SONDE__BEFORE, k)) {
                join(w, i, k);
            }
        }
        if (depends_on(&x->next[i], SONDE__DONE, 0)) {
            join(w, i, acting >= 0 ? acting : i);
            acting = i;
        }
    }
}

/* The groups, numbered; the one with the actions is that of a variable which depends on them, or
 * else the first. */
static void list_groups(work *w) {
    const sonde__pomdpx *x = w->x;
    int32_t number[SONDE__VARIABLES_MAX];
    bool any = false;
    for (int32_t i = 0; i < x->n_state; i++) {
        const bool first = w->of[i] == i;
        number[i] = first ? w->n_group : number[w->of[i]];
        w->n_group += first;
        group *g = &w->group[number[i]];
        g->n_state = (int64_t)sonde__multiply((uint64_t)(g->n > 0 ? g->n_state : 1),
                                              (uint64_t)x->state[i].values.n);
        g->variable[g->n++] = i;
        g->acts = g->acts || depends_on(&x->next[i], SONDE__DONE, 0);
        any = any || g->acts;
    }
    memcpy(w->of, number, sizeof number);
    w->group[0].acts = w->group[0].acts || !any;
    for (int32_t i = 0; i < x->n_state; i++) {
        group *g = &w->group[w->of[i]];
        for (int32_t k = 0; k < x->n_state; k++) {
            bool there = !depends_on(&x->next[i], SONDE__BEFORE, k);
            for (int32_t d = 0; d < g->n_depend; d++) {
                there = there || g->depend[d] == w->of[k];
            }
            if (!there) {
                g->depend[g->n_depend++] = w->of[k];
            }
        }
    }
}

/* Orders variables by what their functions depend on. */
static bool sort_variables(const work *w, const sonde__law *laws, sonde__when when,
                           int32_t *order) {
    const sonde__pomdpx *x = w->x;
    bool done[SONDE__VARIABLES_MAX] = {false};
    for (int32_t n = 0; n < x->n_state; n++) {
        int32_t next = -1;
        for (int32_t i = 0; next < 0 && i < x->n_state; i++) {
            bool ready = !done[i];
            for (int32_t k = 0; k < x->n_state; k++) {
                ready = ready && (done[k] || !depends_on(&laws[i], when, k));
            }
            next = ready ? i : -1;
        }
        if (next < 0) {
            int32_t i = 0;
            while (done[i]) {
                i++;
            }
            return sonde__foreign_wrong(x->file, laws[i].line,
                                        "\"%.60s\" depends on itself, at the same time",
                                        x->state[i].name);
        }
        done[next] = true;
        order[n] = next;
    }
    return true;
}

/* ------------------------------------------------------------------------------------ values -- */

/* Sets the variables of a group to those of a state. */
static void set_state(work *w, sonde__when when, const group *g, int64_t state) {
    for (int32_t i = g->n - 1; i >= 0; i--) {
        const int32_t n = w->x->state[g->variable[i]].values.n;
        w->value[when][g->variable[i]] = (int32_t)(state % n);
        state /= n;
    }
}

static int64_t get_state(const work *w, sonde__when when, const group *g) {
    int64_t state = 0;
    for (int32_t i = 0; i < g->n; i++) {
        const int32_t v = g->variable[i];
        state = state * w->x->state[v].values.n + w->value[when][v];
    }
    return state;
}

/* The row of a function for the present values. */
static const double *row_of(const work *w, const sonde__law *law) {
    int64_t row = 0;
    for (int32_t i = 0; i < law->n_given; i++) {
        const sonde__about g = law->given[i];
        row = row * sonde__pomdpx_variable(w->x, g)->values.n + w->value[g.when][g.number];
    }
    return law->value + row * law->n;
}

/* Functions that are taken one after the other, each with what its variable then is. */
typedef struct {
    int32_t n;
    const sonde__law *law[2 * SONDE__VARIABLES_MAX]; /* (n) */
    bool (*visit)(work *, void *, double);           /* with the product of all */
    void *user;
} chain;

/* Visits every combination of values that is possible, with its probability. */
static bool follow(work *w, const chain *c, int32_t i, double p) {
    if (i == c->n) {
        return c->visit(w, c->user, p);
    }
    const sonde__law *law = c->law[i];
    const double *row = row_of(w, law);
    for (int32_t v = 0; v < law->n; v++) {
        if (row[v] > 0.0) {
            w->value[law->of.when][law->of.number] = v;
            if (!follow(w, c, i + 1, p * row[v])) {
                return false;
            }
        }
    }
    return true;
}

/* ----------------------------------------------------------------------------------- factors -- */

/* one column of B or D while it is listed */
typedef struct {
    const group *g;
    sonde__entries *B;
    double *D;
    int64_t *index; /* (axes) */
} column;

static bool add_next(work *w, void *user, double p) {
    const column *c = user;
    c->index[0] = get_state(w, SONDE__AFTER, c->g);
    return sonde__entries_add(c->B, c->index, p);
}

static bool add_first(work *w, void *user, double p) {
    const column *c = user;
    c->D[get_state(w, SONDE__BEFORE, c->g)] += p;
    return true;
}

static chain chain_of(const work *w, const group *g, const int32_t *order, const sonde__law *laws) {
    chain c = {0};
    for (int32_t i = 0; i < w->x->n_state; i++) {
        if (w->of[order[i]] == (int32_t)(g - w->group)) {
            c.law[c.n++] = &laws[order[i]];
        }
    }
    return c;
}

/* Puts the states of the groups that one depends on, and its action, into an index. */
static void set_column(work *w, const group *g, int32_t n_action, int64_t number, int64_t *index) {
    const int32_t n = g->n_depend > 0 ? g->n_depend : 1;
    index[n + 1] = number % n_action;
    w->value[SONDE__DONE][0] = (int32_t)index[n + 1];
    number /= n_action;
    for (int32_t d = n - 1; d >= 0; d--) {
        const group *on = g->n_depend > 0 ? &w->group[g->depend[d]] : g;
        index[d + 1] = number % on->n_state;
        set_state(w, SONDE__BEFORE, on, index[d + 1]);
        number /= on->n_state;
    }
}

static bool make_transitions(work *w, const group *g, int32_t f) {
    const int32_t n = g->n_depend > 0 ? g->n_depend : 1;
    int64_t size[SONDE__VARIABLES_MAX + 2] = {g->n_state};
    uint64_t n_column = 1;
    for (int32_t d = 0; d < n; d++) {
        size[d + 1] = g->n_depend > 0 ? w->group[g->depend[d]].n_state : g->n_state;
        n_column = sonde__multiply(n_column, (uint64_t)size[d + 1]);
    }
    size[n + 1] = g->acts ? w->x->action.values.n : 1;
    n_column = sonde__multiply(n_column, (uint64_t)size[n + 1]);
    sonde__entries *B = &w->made->B[f];
    chain c = chain_of(w, g, w->order, w->x->next);
    int64_t index[SONDE__VARIABLES_MAX + 2];
    column one = {.g = g, .B = B, .index = index};
    c.visit = add_next;
    c.user = &one;
    bool made = sonde__entries_open(B, w->x->file, &w->made->factor[f].B, n + 2, size) &&
                sonde__foreign_afford(w->x->file, n_column, sizeof(double));
    for (int64_t i = 0; made && i < (int64_t)n_column; i++) {
        set_column(w, g, (int32_t)size[n + 1], i, index);
        made = follow(w, &c, 0, 1.0);
    }
    return made;
}

static bool make_beginning(work *w, const group *g, int32_t f) {
    double *D = sonde__foreign_array(w->x->file, &w->made->factor[f].D, 1, &g->n_state);
    column one = {.g = g, .D = D};
    chain c = chain_of(w, g, w->order_begin, w->x->begin);
    c.visit = add_first;
    c.user = &one;
    return D != NULL && follow(w, &c, 0, 1.0);
}

/* Names of a group's variables, or of their values in a state, with commas between. */
static const char *name_all(work *w, const group *g, bool values) {
    size_t length = 0;
    char *name = NULL;
    for (int32_t pass = 0; pass < 2; pass++) {
        char *at = name;
        for (int32_t i = 0; i < g->n; i++) {
            const int32_t v = g->variable[i];
            const sonde__variable *variable = &w->x->state[v];
            const char *part =
                values ? variable->values.name[w->value[SONDE__BEFORE][v]] : variable->name;
            const size_t n = strlen(part);
            length += pass == 0 ? n + 1 : 0;
            if (pass == 1) {
                memcpy(at, part, n + 1);
                at += n;
                *at++ = i + 1 < g->n ? ',' : '\0';
            }
        }
        name = pass == 0 ? sonde__foreign_take(w->x->file, length, 1) : name;
        if (name == NULL) {
            return NULL;
        }
    }
    return name;
}

static bool make_factor(work *w, int32_t f) {
    const sonde__pomdpx *x = w->x;
    const group *g = &w->group[f];
    sonde_factor_parts *factor = &w->made->factor[f];
    if (g->n_state > INT32_MAX || !sonde__foreign_afford(x->file, (uint64_t)g->n_state, 16)) {
        return x->file->status != SONDE_OK
                   ? false
                   : sonde__foreign_wrong(x->file, x->next[g->variable[0]].line,
                                          "variables that depend on the action have 2^31 "
                                          "combinations of values or more");
    }
    factor->shape = (sonde_factor){.name = name_all(w, g, false),
                                   .n_state = (int32_t)g->n_state,
                                   .n_action = g->acts ? x->action.values.n : 1,
                                   .action_name = g->acts ? x->action.values.name : NULL,
                                   .n_depend = g->n_depend,
                                   .depend = g->depend};
    const char **name = g->n_state <= NAMED_MOST
                            ? sonde__foreign_take(x->file, (uint64_t)g->n_state, sizeof *name)
                            : NULL;
    for (int64_t s = 0; name != NULL && s < g->n_state; s++) {
        set_state(w, SONDE__BEFORE, g, s);
        name[s] = g->n > 1 ? name_all(w, g, true) : x->state[g->variable[0]].values.name[s];
    }
    factor->shape.state_name = name;
    return x->file->status == SONDE_OK && make_transitions(w, g, f) && make_beginning(w, g, f);
}

/* -------------------------------------------------------------------------------- modalities -- */

/* The groups whose states a modality depends on. */
static sonde_modality shape_of(work *w, const sonde__law *law, const char *name,
                               const sonde__words *values) {
    bool used[SONDE__VARIABLES_MAX] = {false};
    int32_t *of = sonde__foreign_take(w->x->file, SONDE__VARIABLES_MAX, sizeof *of);
    sonde_modality shape = {
        .name = name, .n_outcome = values->n, .outcome_name = values->name, .factor = of};
    for (int32_t i = 0; i < law->n_given; i++) {
        if (law->given[i].when == SONDE__AFTER) {
            used[w->of[law->given[i].number]] = true;
        }
    }
    for (int32_t g = 0; of != NULL && g < w->n_group; g++) {
        if (used[g]) {
            of[shape.n_factor++] = g;
        }
    }
    /* what depends on no state depends on the first factor's, whatever it is */
    shape.n_factor = shape.n_factor > 0 ? shape.n_factor : 1;
    return shape;
}

static bool add_column(const work *w, const sonde__law *law, sonde__entries *A, int64_t *index) {
    const double *row = row_of(w, law);
    for (int32_t o = 0; o < law->n; o++) {
        index[0] = o;
        if (row[o] > 0.0 && !sonde__entries_add(A, index, row[o])) {
            return false;
        }
    }
    return true;
}

/* A modality that shows what a function says. */
static bool make_modality(work *w, const sonde__law *law, const char *name,
                          const sonde__words *values) {
    const sonde__pomdpx *x = w->x;
    const int32_t m = x->file->parts.n_modality++;
    sonde_modality_parts *modality = &w->made->modality[m];
    modality->shape = shape_of(w, law, name, values);
    const int32_t n = modality->shape.n_factor;
    const bool acts = depends_on(law, SONDE__DONE, 0);
    int64_t size[SONDE__VARIABLES_MAX + 2] = {values->n};
    int64_t index[SONDE__VARIABLES_MAX + 2] = {0};
    uint64_t n_column = acts ? (uint64_t)x->action.values.n : 1;
    if (x->file->status != SONDE_OK) {
        return false;
    }
    for (int32_t i = 0; i < n; i++) {
        size[i + 1] = w->group[modality->shape.factor[i]].n_state;
        n_column = sonde__multiply(n_column, (uint64_t)size[i + 1]);
    }
    size[n + 1] = x->action.values.n;
    bool made =
        sonde__foreign_array(x->file, &modality->C, 1, size) != NULL &&
        sonde__foreign_afford(x->file, n_column, sizeof(double)) &&
        sonde__entries_open(&w->made->A[m], x->file, &modality->A, n + (acts ? 2 : 1), size);
    for (int64_t i = 0; made && i < (int64_t)n_column; i++) {
        int64_t left = i;
        index[n + 1] = acts ? left % size[n + 1] : 0;
        w->value[SONDE__DONE][0] = (int32_t)index[n + 1];
        left /= acts ? size[n + 1] : 1;
        for (int32_t k = n - 1; k >= 0; k--) {
            index[k + 1] = left % size[k + 1];
            set_state(w, SONDE__AFTER, &w->group[modality->shape.factor[k]], index[k + 1]);
            left /= size[k + 1];
        }
        made = add_column(w, law, &w->made->A[m], index);
    }
    return made;
}

/* A modality that shows a variable as it is. */
static bool make_visible(work *w, int32_t v) {
    const sonde__words *values = &w->x->state[v].values;
    sonde__law law = {.of = {SONDE__SEEN, 0},
                      .n_given = 1,
                      .given = {{SONDE__AFTER, v}},
                      .n = values->n,
                      .n_row = values->n};
    law.value = sonde__foreign_take(
        w->x->file, sonde__multiply((uint64_t)values->n, (uint64_t)values->n), sizeof *law.value);
    for (int64_t i = 0; law.value != NULL && i < values->n; i++) {
        law.value[i * values->n + i] = 1.0;
    }
    return law.value != NULL && make_modality(w, &law, w->x->state[v].after, values);
}

static bool make_modalities(work *w) {
    const sonde__pomdpx *x = w->x;
    bool made = true;
    for (int32_t i = 0; made && i < x->n_state; i++) {
        made = !x->state[i].visible || make_visible(w, i);
    }
    for (int32_t i = 0; made && i < x->n_seen; i++) {
        made = make_modality(w, &x->show[i], x->seen[i].name, &x->seen[i].values);
    }
    return made && (x->file->parts.n_modality > 0 ||
                    sonde__foreign_wrong(x->file, x->next[0].line,
                                         "nothing is seen: expected an ObsVar, or a StateVar that "
                                         "is fullyObs"));
}

/* ------------------------------------------------------------------------------------- costs -- */

/* one reward, on average */
typedef struct {
    const sonde__law *law;
    double sum;
} mean;

static bool add_reward(work *w, void *user, double p) {
    mean *m = user;
    m->sum += p * row_of(w, m->law)[0];
    return true;
}

/* What has to be known for a reward: the variables after the action that it depends on, those that
 * these depend on, and what is seen. */
static chain chain_to(const work *w, const sonde__law *law) {
    const sonde__pomdpx *x = w->x;
    bool after[SONDE__VARIABLES_MAX] = {false};
    chain c = {0};
    for (int32_t i = 0; i < x->n_state; i++) {
        after[i] = depends_on(law, SONDE__AFTER, i);
        for (int32_t o = 0; o < x->n_seen; o++) {
            after[i] = after[i] || (depends_on(law, SONDE__SEEN, o) &&
                                    depends_on(&x->show[o], SONDE__AFTER, i));
        }
    }
    for (int32_t i = x->n_state - 1; i >= 0; i--) {
        for (int32_t k = 0; k < x->n_state; k++) {
            after[k] = after[k] ||
                       (after[w->order[i]] && depends_on(&x->next[w->order[i]], SONDE__AFTER, k));
        }
    }
    for (int32_t i = 0; i < x->n_state; i++) {
        if (after[w->order[i]]) {
            c.law[c.n++] = &x->next[w->order[i]];
        }
    }
    for (int32_t o = 0; o < x->n_seen; o++) {
        if (depends_on(law, SONDE__SEEN, o)) {
            c.law[c.n++] = &x->show[o];
        }
    }
    return c;
}

static bool make_costs(work *w) {
    const sonde__pomdpx *x = w->x;
    int64_t size[SONDE__VARIABLES_MAX + 1];
    int64_t n_state = 1;
    for (int32_t g = 0; g < w->n_group; g++) {
        size[g] = w->group[g].n_state;
        n_state = (int64_t)sonde__multiply((uint64_t)n_state, (uint64_t)size[g]);
    }
    size[w->n_group] = x->action.values.n;
    double *cost = sonde__foreign_array(x->file, &x->file->parts.action_cost, w->n_group + 1, size);
    for (int32_t r = 0; cost != NULL && r < x->n_bring; r++) {
        mean m = {.law = &x->bring[r]};
        chain c = chain_to(w, m.law);
        c.visit = add_reward;
        c.user = &m;
        for (int64_t s = 0; s < n_state; s++) {
            int64_t left = s;
            for (int32_t g = w->n_group - 1; g >= 0; g--) {
                set_state(w, SONDE__BEFORE, &w->group[g], left % size[g]);
                left /= size[g];
            }
            for (int32_t u = 0; u < x->action.values.n; u++) {
                w->value[SONDE__DONE][0] = u;
                m.sum = 0.0;
                (void)follow(w, &c, 0, 1.0);
                cost[s * x->action.values.n + u] -= m.sum;
            }
        }
    }
    return cost != NULL;
}

bool sonde__pomdpx_parts(const sonde__pomdpx *x, sonde__pomdpx_made *made) {
    work *w = sonde__foreign_take(x->file, 1, sizeof *w);
    if (w == NULL) {
        return false;
    }
    w->x = x;
    w->made = made;
    join_variables(w);
    list_groups(w);
    bool good = sort_variables(w, x->next, SONDE__AFTER, w->order) &&
                sort_variables(w, x->begin, SONDE__BEFORE, w->order_begin);
    for (int32_t g = 0; good && g < w->n_group; g++) {
        good = make_factor(w, g);
    }
    x->file->parts.n_factor = w->n_group;
    x->file->parts.factor = made->factor;
    x->file->parts.modality = made->modality;
    return good && make_modalities(w) && make_costs(w);
}

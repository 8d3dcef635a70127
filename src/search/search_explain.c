/* search_explain.c: why the last decision is what it is.
 *
 * Everything is read off what the search has left behind, which stays until the next one: the
 * posterior's best policies, the tables of a graph world, the records and open prefixes of bounded
 * search, the probes of clusters. Nothing is searched again; the policies that are shown are
 * scored once more, step by step, for their terms.
 *
 * Where a search has not finished a policy of some first action, the open prefix with the least
 * bound is shown, with the bound that closed it: no policy that begins with that action can have a
 * smaller G. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/numbers.h"
#include "base/status.h"
#include "search/search.h"

const char *sonde__grounds_name(int32_t grounds) {
    switch (grounds) {
#define NAME(code, name, sentence)                                                                 \
    case code: return name;
        SONDE_GROUNDS_LIST(NAME)
#undef NAME
    default: return NULL;
    }
}

const char *sonde__grounds_sentence(int32_t grounds) {
    switch (grounds) {
#define SENTENCE(code, name, sentence)                                                             \
    case code: return sentence;
        SONDE_GROUNDS_LIST(SENTENCE)
#undef SENTENCE
    default: return NULL;
    }
}

/* an explanation in the making */
typedef struct {
    sonde_explanation explanation;
    const sonde__search *search;
    sonde_alternative *alternative; /* (n_alternative) */
    int32_t *walk;                  /* (n_alternative, T + 1) */
    int32_t *reached;               /* (n_alternative, T) graph worlds */
    sonde_efe *step;                /* (n_alternative, T) */
    sonde_trace *trace;             /* (n_trace) */
    sonde_bound_share *bound;       /* (N_BOUND + 1) */
    sonde_evidence *cluster;        /* (n_cluster) */
    int32_t *place; /* (n_action) where a first action is among the alternatives; or -1 */
    int32_t *open;  /* (n_action) its open prefix with the least bound; or -1 */
} build;

static sonde_grounds grounds_of(const sonde__search *search) {
    const sonde_policies *policies = search->policies;
    const bool every =
        search->decision.certificate.given; /* nothing less makes the others certain */
    switch (search->settings.search) {
    case SONDE_SEARCH_FULL: return SONDE_GROUNDS_EVERY;
    case SONDE_SEARCH_CLUSTER:
    case SONDE_SEARCH_TREE: return SONDE_GROUNDS_CLUSTERS;
    case SONDE_SEARCH_BOUNDED:
        return policies->model->graph != NULL ? SONDE_GROUNDS_SUMS
               : policies->place != NULL      ? SONDE_GROUNDS_BOUNDS
                                              : SONDE_GROUNDS_EVERY;
    default: return every ? SONDE_GROUNDS_EVERY : SONDE_GROUNDS_PART;
    }
}

/* How many first actions there can be. */
static int32_t most_alternatives(const sonde__search *search) {
    const sonde_model *model = search->policies->model;
    if (model->graph != NULL) {
        const int32_t v = model->graph->head[search->decision.state];
        return model->graph->first[v + 1] - model->graph->first[v];
    }
    return model->policies == SONDE_POLICIES_LISTED && model->n_policy < model->n_action
               ? model->n_policy
               : model->n_action;
}

static build *carve(sonde__arena *arena, const sonde__search *search) {
    const sonde_policies *policies = search->policies;
    const uint64_t n = (uint64_t)most_alternatives(search);
    const uint64_t n_number = sonde__multiply(n, (uint64_t)policies->horizon + 1);
    const bool graph = policies->model->graph != NULL;
    const bool bounds = grounds_of(search) == SONDE_GROUNDS_BOUNDS;
    const sonde_clusters *clusters = search->decision.clusters;
    build *b = SONDE__TAKE(arena, build, 1);
    build none;
    build *to = b != NULL ? b : &none;
    to->alternative = SONDE__TAKE(arena, sonde_alternative, n);
    to->walk = SONDE__TAKE(arena, int32_t, n_number);
    to->reached = SONDE__TAKE(arena, int32_t, graph ? n_number : 0);
    to->step = SONDE__TAKE(arena, sonde_efe, n_number);
    to->trace = SONDE__TAKE(arena, sonde_trace, bounds ? search->bounded.n_trace : 0);
    to->bound = SONDE__TAKE(arena, sonde_bound_share, bounds ? SONDE__N_BOUND + 1 : 0);
    to->cluster = SONDE__TAKE(arena, sonde_evidence, clusters != NULL ? clusters->k : 0);
    to->place = SONDE__TAKE(arena, int32_t, graph ? 0 : policies->model->n_action);
    to->open = SONDE__TAKE(arena, int32_t, bounds ? policies->model->n_action : 0);
    return b;
}

/* ------------------------------------------------------------------------------ first actions -- */

/* Whether some policy of a general model begins with an action. */
static bool is_first(const sonde__search *search, int32_t action) {
    const sonde_policies *policies = search->policies;
    const sonde_model *model = policies->model;
    int32_t tuple[SONDE_FACTORS_MAX];
    int32_t origin = search->decision.origin;
    sonde__model_tuple(model, action, tuple);
    for (int32_t f = model->n_factor - 1; f >= 0; f--) {
        const sonde_places *p = &policies->place[f];
        const int32_t next = p->next[(int64_t)(origin % p->n_place) * p->n_action + tuple[f]];
        if (next < 0 || p->completion[(int64_t)(policies->horizon - 1) * p->n_place + next] == 0) {
            return false;
        }
        origin /= p->n_place;
    }
    return true;
}

/* One alternative for each action that some policy begins with. */
static void list_actions(build *b) {
    const sonde__search *search = b->search;
    const sonde_model *model = search->policies->model;
    const bool listed = search->policies->place == NULL;
    for (int32_t a = 0; a < model->n_action; a++) {
        b->place[a] = !listed && is_first(search, a) ? 0 : -1;
    }
    for (int32_t i = 0; listed && i < model->n_policy; i++) {
        b->place[model->policy[(int64_t)i * model->horizon]] = 0;
    }
    for (int32_t a = 0; a < model->n_action; a++) {
        if (b->place[a] == 0) {
            b->place[a] = b->explanation.n_alternative;
            b->alternative[b->explanation.n_alternative++] =
                (sonde_alternative){.action = a, .to = -1};
        }
    }
}

/* One alternative for each node that can be reached, with the best of the actions that lead
 * there. */
static void list_nodes(build *b) {
    const sonde__search *search = b->search;
    const sonde_model *model = search->policies->model;
    const sonde_graph *graph = model->graph;
    const sonde__posterior *posterior = &search->posterior;
    const int32_t state = search->decision.state;
    const int32_t first = graph->first[graph->head[state]];
    for (int32_t i = 0; i < most_alternatives(search); i++) {
        b->alternative[b->explanation.n_alternative++] = (sonde_alternative){
            .action = sonde__model_action(model, state, first + i), .to = graph->head[first + i]};
    }
    for (int32_t a = posterior->begin; a < posterior->end; a++) {
        sonde_alternative *to = &b->alternative[sonde__model_next(model, state, a) - first];
        if (posterior->best_efe[a - posterior->begin] <
            posterior->best_efe[to->action - posterior->begin]) {
            to->action = a;
        }
    }
    /* the best policy of all is its own node's */
    const int32_t best = sonde__policies_action(search->policies, search->best_walk, 1);
    b->alternative[sonde__model_next(model, state, best) - first].action = best;
}

/* The alternative that a first action belongs to. */
static sonde_alternative *alternative_of(const build *b, int32_t action) {
    const sonde_model *model = b->search->policies->model;
    if (model->graph == NULL) {
        return &b->alternative[b->place[action]];
    }
    const int32_t state = b->search->decision.state;
    return &b->alternative[sonde__model_next(model, state, action) -
                           model->graph->first[model->graph->head[state]]];
}

static void weigh(const build *b) {
    const sonde_decision *decision = &b->search->decision;
    for (int32_t i = 0; i < decision->n_action; i++) {
        sonde_alternative *alternative = alternative_of(b, decision->action[i]);
        alternative->posterior += decision->posterior[i];
        alternative->probability += decision->probability[i];
    }
}

/* ----------------------------------------------------------------------------------- policies -- */

/* The actions up to a record of bounded search, step t's being the last. */
static void follow_back(const sonde__frontier *f, sonde__record last, int32_t t, int32_t *walk) {
    for (; t >= 1; t--) {
        walk[t] = last.action;
        last = last.parent >= 0 ? f->record[last.parent] : (sonde__record){.parent = -1};
    }
}

/* The open prefix with the least bound, of each first action. */
static void find_open(const build *b) {
    const sonde__frontier *frontier = &b->search->bounded.frontier;
    for (int32_t a = 0; a < b->search->policies->model->n_action; a++) {
        b->open[a] = -1;
    }
    for (int32_t i = 0; i < frontier->n_open; i++) {
        const sonde__open *open = &frontier->open[i];
        int32_t *least = &b->open[frontier->node[open->node].first];
        const sonde__open *before = *least >= 0 ? &frontier->open[*least] : NULL;
        const double key = sonde__prefix_least(&frontier->node[open->node]);
        const double other =
            before != NULL ? sonde__prefix_least(&frontier->node[before->node]) : INFINITY;
        if (before == NULL || key < other || (key == other && open->order < before->order)) {
            *least = i;
        }
    }
}

/* Bounded search: the best policy that is complete, or the open prefix that comes first. */
static void recall_bounded(const build *b, sonde_alternative *to, int32_t *walk) {
    const sonde__search *search = b->search;
    const sonde__bounded *bounded = &search->bounded;
    const sonde__frontier *frontier = &bounded->frontier;
    const int32_t i = b->open[to->action];
    const sonde__open *open = i >= 0 ? &frontier->open[i] : NULL;
    to->bound = open != NULL ? sonde__prefix_least(&frontier->node[open->node]) : INFINITY;
    walk[0] = search->decision.origin;
    if (search->posterior.best[to->action] != UINT64_MAX) {
        to->n_step = search->policies->horizon;
        follow_back(frontier, bounded->leaf[to->action], to->n_step, walk);
    } else if (open != NULL) {
        const sonde__prefix *node = &frontier->node[open->node];
        const sonde__record last = {.parent = node->parent, .action = node->action};
        to->n_step = node->depth;
        follow_back(frontier, last, to->n_step, walk);
    }
}

/* What is known of the best policy that begins with an action, as a walk, and a bound of all of
 * them. */
static void recall(const build *b, sonde_alternative *to, int32_t *walk) {
    const sonde__search *search = b->search;
    const sonde_policies *policies = search->policies;
    const sonde_decision *decision = &search->decision;
    const uint64_t best = search->posterior.best[to->action - search->posterior.begin];
    const sonde_grounds grounds = b->explanation.grounds;
    to->bound =
        grounds == SONDE_GROUNDS_EVERY || grounds == SONDE_GROUNDS_SUMS ? INFINITY : -INFINITY;
    if (grounds == SONDE_GROUNDS_BOUNDS) {
        recall_bounded(b, to, walk);
    }
    if (sonde__policies_action(policies, search->best_walk, 1) == to->action) {
        memcpy(walk, search->best_walk, ((size_t)policies->horizon + 1) * sizeof *walk);
        to->n_step = policies->horizon;
    } else if (grounds == SONDE_GROUNDS_SUMS) {
        sonde__bounded_graph_recall(search, to->action, walk);
        to->n_step = policies->horizon;
    } else if (best < SONDE__UNNUMBERED) {
        sonde__policies_get(policies, decision->origin, best, walk);
        to->n_step = policies->horizon;
    }
    to->index = best < SONDE__UNNUMBERED ? best
                : to->n_step == policies->horizon
                    ? sonde_policies_find(policies, decision->origin, walk)
                    : UINT64_MAX;
}

/* The terms of the steps that are known. */
static void score_steps(const build *b, sonde_alternative *to, int32_t *reached, sonde_efe *step) {
    const sonde__search *search = b->search;
    const sonde_model *model = search->policies->model;
    const sonde_decision *decision = &search->decision;
    if (model->graph != NULL) {
        sonde__efe_walk(model, decision->state, to->walk, step, reached, &to->total);
        return;
    }
    double *belief = search->scorer.belief;
    memcpy(belief, decision->belief, (size_t)model->n_belief * sizeof *belief);
    for (int32_t t = 1; t <= to->n_step; t++) {
        sonde__belief_next(model, to->walk[t], belief, belief + model->n_belief);
        belief += model->n_belief;
        sonde__efe_step(model, t, belief, search->scorer.scratch, &step[t - 1]);
        to->total.risk += step[t - 1].risk;
        to->total.ambiguity += step[t - 1].ambiguity;
        to->total.cost += step[t - 1].cost;
    }
    to->total.efe = to->total.risk + to->total.ambiguity + to->total.cost;
}

static void explain_policy(const build *b, int32_t i) {
    const int64_t horizon = b->search->policies->horizon;
    const sonde__posterior *posterior = &b->search->posterior;
    sonde_alternative *to = &b->alternative[i];
    int32_t *walk = b->walk + i * (horizon + 1);
    recall(b, to, walk);
    to->walk = walk;
    to->step = b->step + i * horizon;
    to->reached = b->reached != NULL ? b->reached + i * horizon : NULL;
    if (to->n_step == 0) {
        /* scored, but its steps were not kept; or not even that */
        const double efe = posterior->best_efe[to->action - posterior->begin];
        to->total.efe = efe < INFINITY ? efe : (double)NAN;
        return;
    }
    score_steps(b, to, b->reached != NULL ? b->reached + i * horizon : NULL, b->step + i * horizon);
    if (to->n_step == horizon) {
        to->proven = to->total.efe <= to->bound + sonde__tie(to->total.efe);
        to->bound = to->proven ? to->total.efe : to->bound;
    }
}

/* The most probable first, then the smallest G, then the lowest action. */
static int compare_alternatives(const void *a, const void *b) {
    const sonde_alternative *x = a;
    const sonde_alternative *y = b;
    if (x->posterior != y->posterior) {
        return x->posterior > y->posterior ? -1 : 1;
    }
    const double x_efe = isnan(x->total.efe) ? INFINITY : fmax(x->bound, x->total.efe);
    const double y_efe = isnan(y->total.efe) ? INFINITY : fmax(y->bound, y->total.efe);
    if (x_efe != y_efe) {
        return x_efe < y_efe ? -1 : 1;
    }
    return x->action < y->action ? -1 : 1;
}

static void explain_actions(build *b) {
    if (b->search->policies->model->graph != NULL) {
        list_nodes(b);
    } else {
        list_actions(b);
    }
    weigh(b);
    for (int32_t i = 0; i < b->explanation.n_alternative; i++) {
        explain_policy(b, i);
    }
    qsort(b->alternative, (size_t)b->explanation.n_alternative, sizeof *b->alternative,
          compare_alternatives);
    b->explanation.alternative = b->alternative;
}

/* ------------------------------------------------------------------------------------- bounds -- */

/* Whether no step can have a negative G. */
static bool is_positive(const sonde_model *model) {
    bool positive = model->preferences != SONDE_PREFERENCES_UTILITY;
    for (int32_t m = 0; positive && m < model->n_modality; m++) {
        for (int32_t o = 0; o < model->modality[m].n_outcome; o++) {
            positive = positive && model->lambda * model->modality[m].cost[o] >= 0.0;
        }
    }
    return positive;
}

/* The same as sonde__frontier_log_mass, with nothing to come. */
static double log_mass_so_far(const sonde__frontier *f) {
    double most = -INFINITY;
    double sum = 0.0;
    for (int pass = 0; pass < 2; pass++) {
        for (int32_t i = 0; i < f->n_open; i++) {
            const sonde__prefix *node = &f->node[f->open[i].node];
            const double mass = node->mass + f->gamma * node->ahead;
            most = pass == 0 && mass > most ? mass : most;
            sum += pass == 1 ? sonde__exp(mass - most) : 0.0;
        }
    }
    return most + sonde__log(sum);
}

/* Which bounds hold what is open, and what it would be without them. */
static void explain_bounds(build *b) {
    static const char *const name[] = {"beta 0", "beta 1/4", "beta 1/2", "beta 3/4",
                                       "beta 1", "certain",  "any state"};
    const sonde__search *search = b->search;
    const sonde__bounded *bounded = &search->bounded;
    const sonde__frontier *frontier = &bounded->frontier;
    const sonde__posterior *posterior = &search->posterior;
    const sonde_model *model = search->policies->model;
    const double open = sonde__frontier_log_mass(frontier);
    for (int32_t i = 0; i <= SONDE__N_BOUND; i++) {
        b->bound[i].name = name[i];
    }
    for (int32_t i = 0; i < frontier->n_open; i++) {
        const int32_t id = frontier->open[i].node;
        const double *belief = frontier->belief + (int64_t)id * model->n_belief;
        const int32_t which =
            sonde__bound_which(model, &bounded->bound, frontier->node[id].depth, belief);
        b->bound[which].n_open++;
        b->bound[which].share += sonde__exp(frontier->node[id].mass - open);
    }
    const double found = sonde__log(sonde__posterior_total(posterior)) -
                         posterior->gamma * posterior->least + posterior->shift;
    sonde_explanation *e = &b->explanation;
    e->tv_unbounded = !is_positive(model) ? (double)NAN
                      : frontier->n_open > 0
                          ? 1.0 / (1.0 + sonde__exp(found - log_mass_so_far(frontier)))
                          : 0.0;
    memcpy(b->trace, bounded->trace, (size_t)bounded->n_trace * sizeof *b->trace);
    e->n_expanded = (uint64_t)frontier->n_record;
    e->n_merged = frontier->n_merged;
    e->n_open = (uint64_t)frontier->n_open;
    e->n_trace = bounded->n_trace;
    e->trace = b->trace;
    e->n_bound = SONDE__N_BOUND + 1;
    e->bound = b->bound;
}

/* ----------------------------------------------------------------------------------- clusters -- */

/* The smallest probe first; those without one last. */
static int compare_evidence(const void *a, const void *b) {
    const sonde_evidence *x = a;
    const sonde_evidence *y = b;
    const double x_probe = isnan(x->probe) ? INFINITY : x->probe;
    const double y_probe = isnan(y->probe) ? INFINITY : y->probe;
    if (x_probe != y_probe) {
        return x_probe < y_probe ? -1 : 1;
    }
    return x->cluster < y->cluster ? -1 : 1;
}

/* How many policies were scored for the probe of a cluster of n; 0 where a tree has drawn more
 * since. */
static int32_t count_probed(const sonde__search *search, int32_t c, int32_t n) {
    const sonde_search_settings *settings = &search->settings;
    switch (settings->probe) {
    case SONDE_PROBE_CENTER: return 1;
    case SONDE_PROBE_SAMPLE: return n < settings->n_sample ? n : settings->n_sample;
    default: return settings->search == SONDE_SEARCH_TREE ? 0 : search->survey.arm[c].n;
    }
}

static void explain_clusters(build *b) {
    const sonde_decision *decision = &b->search->decision;
    const sonde_clusters *clusters = decision->clusters;
    for (int32_t c = 0; c < clusters->k; c++) {
        const int32_t n = clusters->offset[c + 1] - clusters->offset[c];
        const double probe = decision->cluster_efe[c];
        b->cluster[c] =
            (sonde_evidence){.cluster = c,
                             .n_policy = n,
                             .n_probed = isnan(probe) ? 0 : count_probed(b->search, c, n),
                             .probe = probe,
                             .chosen = decision->chosen[c]};
        b->explanation.n_cut += decision->chosen[c] ? 0 : (uint64_t)n;
    }
    qsort(b->cluster, (size_t)clusters->k, sizeof *b->cluster, compare_evidence);
    b->explanation.probe = b->search->settings.probe;
    b->explanation.n_cluster = clusters->k;
    b->explanation.cluster = b->cluster;
}

/* ---------------------------------------------------------------------------------------- all -- */

sonde_status sonde__search_explain(const sonde__search *search, sonde_explanation **explanation,
                                   sonde_error *error) {
    const sonde_decision *decision = &search->decision;
    sonde__arena arena = {0};
    (void)carve(&arena, search);
    const sonde_status fits = sonde__check_memory(&search->run, arena.used, "explanation",
                                                  "choose a shorter horizon, or allow more", error);
    if (fits != SONDE_OK) {
        return fits;
    }
    if (!sonde__arena_reserve(&arena)) {
        return sonde__fail_memory(error, "explanation", arena.used);
    }
    build *b = carve(&arena, search);
    b->search = search;
    b->explanation =
        (sonde_explanation){.policies = search->policies,
                            .search = search->settings.search,
                            .grounds = grounds_of(search),
                            .because = sonde__grounds_sentence((int32_t)grounds_of(search)),
                            .state = decision->state,
                            .gamma = search->settings.gamma,
                            .evaluations = decision->evaluations,
                            .certificate = decision->certificate,
                            .tv_unbounded = NAN};
    if (b->explanation.grounds == SONDE_GROUNDS_BOUNDS) {
        find_open(b);
        explain_bounds(b);
    } else if (b->explanation.grounds == SONDE_GROUNDS_CLUSTERS) {
        explain_clusters(b);
    }
    explain_actions(b);
    *explanation = &b->explanation;
    return SONDE_OK;
}

void sonde_explanation_free(sonde_explanation *explanation) {
    sonde__free(explanation);
}

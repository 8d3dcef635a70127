/* search.c: one decision, from a state to the probabilities of actions.
 *
 * The table of search methods, and what they have in common. sonde__search_run is the whole method:
 * prepare the origin, choose policies, score them, add up their posterior. */
#include "search/search.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/numbers.h"

/* policies in a block: their G stay in the first-level cache */
#define BLOCK 1024

static const sonde__search_method table[] = {
    [SONDE_SEARCH_FULL] = {.name = "full", .check = sonde__full_check, .visit = sonde__full_visit},
    [SONDE_SEARCH_CLUSTER] = {.name = "cluster",
                              .check = sonde__cluster_search_check,
                              .open = sonde__cluster_open,
                              .bytes = sonde__cluster_bytes,
                              .carve = sonde__cluster_carve,
                              .prepare = sonde__cluster_prepare,
                              .choose = sonde__cluster_choose,
                              .visit = sonde__cluster_visit,
                              .close = sonde__cluster_close},
};
#define N_METHOD ((int32_t)(sizeof table / sizeof *table))

const char *sonde_search_name(int32_t search) {
    return search >= 0 && search < N_METHOD ? table[search].name : NULL;
}

const char *sonde_probe_name(int32_t probe) {
    static const char *const name[] = {"center", "sample", NULL};
    return name[probe >= 0 && probe < 2 ? probe : 2];
}

const char *sonde_action_name(int32_t action) {
    static const char *const name[] = {"marginal", "deterministic", "full", "softmax", NULL};
    return name[action >= 0 && action < 4 ? action : 4];
}

const char *sonde_difference_name(int32_t difference) {
    static const char *const name[] = {
#define NAME(code, name, sentence) name,
        SONDE_DIFFERENCE_LIST(NAME)
#undef NAME
            NULL};
    return name[difference >= 0 && difference < SONDE_DIFFERENCE_COUNT ? difference
                                                                       : SONDE_DIFFERENCE_COUNT];
}

sonde_search_settings sonde_search_defaults(void) {
    return (sonde_search_settings){
        .search = SONDE_SEARCH_CLUSTER,
        .scope = SONDE_LOCAL,
        .embed = sonde_embed_defaults(),
        .cluster = sonde_cluster_defaults(),
        .probe = SONDE_PROBE_CENTER,
        .n_sample = 3,
        .n_top = 1,
        .gamma = 1.0,
        .alpha = 1.0,
        .action = SONDE_ACTION_MARGINAL,
        .differences = SONDE_SEMANTICS_TEXT,
        .k_before = 12,
        .seed = 1,
    };
}

static sonde_status check_choices(const sonde_search_settings *settings, sonde_error *error) {
    const struct {
        const char *name;
        int32_t value;
        const char *(*list)(int32_t);
    } choice[] = {{"search", (int32_t)settings->search, sonde_search_name},
                  {"scope", (int32_t)settings->scope, sonde_scope_name},
                  {"embedding", settings->embed.kind, sonde_embedding_name},
                  {"probe", (int32_t)settings->probe, sonde_probe_name},
                  {"action", (int32_t)settings->action, sonde_action_name}};
    for (size_t i = 0; i < sizeof choice / sizeof *choice; i++) {
        if (choice[i].list(choice[i].value) == NULL) {
            return sonde__fail(error, SONDE_BAD_ARGUMENT, "%s: there is no choice number %d",
                               choice[i].name, choice[i].value);
        }
    }
    return SONDE_OK;
}

static sonde_status check_numbers(const sonde_search_settings *settings, sonde_error *error) {
    const struct {
        const char *name;
        int32_t value;
    } whole[] = {{"samples", settings->n_sample},
                 {"top", settings->n_top},
                 {"k before", settings->k_before}};
    for (size_t i = 0; i < sizeof whole / sizeof *whole; i++) {
        if (whole[i].value < 1) {
            return sonde__fail(error, SONDE_BAD_ARGUMENT, "%s: expected 1 or more, found %d",
                               whole[i].name, whole[i].value);
        }
    }
    const struct {
        const char *name;
        double value;
    } real[] = {{"gamma", settings->gamma}, {"alpha", settings->alpha}};
    for (size_t i = 0; i < sizeof real / sizeof *real; i++) {
        if (!(real[i].value >= 0.0) || !isfinite(real[i].value)) {
            return sonde__fail(error, SONDE_BAD_ARGUMENT,
                               "%s: expected a number of 0 or more, found %g", real[i].name,
                               real[i].value);
        }
    }
    return SONDE_OK;
}

static sonde_status check(const sonde_search_settings *settings, sonde_error *error) {
    sonde_status status = check_choices(settings, error);
    if (status == SONDE_OK) {
        status = check_numbers(settings, error);
    }
    if (status == SONDE_OK) {
        status = sonde__cluster_check(&settings->cluster, error);
    }
    if (status == SONDE_OK && settings->differences > SONDE_SEMANTICS_NOTEBOOK) {
        status = sonde__fail(error, SONDE_BAD_ARGUMENT, "differences: there are no bits above %u",
                             SONDE_SEMANTICS_NOTEBOOK);
    }
    return status;
}

/* The differences that are another embedding, another k, or a flag of the clustering. */
static void apply_differences(sonde_search_settings *settings) {
    const struct {
        sonde_difference difference;
        const char *from;
        const char *to;
    } renamed[] = {{SONDE_DIFFERENCE_BOE, "boe", "boe-set"},
                   {SONDE_DIFFERENCE_ABOE, "aboe", "aboe-edges"}};
    for (int i = 0; i < 2; i++) {
        if ((settings->differences >> renamed[i].difference & 1u) != 0 &&
            settings->embed.kind == sonde_name_find(sonde_embedding_name, renamed[i].from)) {
            settings->embed.kind = sonde_name_find(sonde_embedding_name, renamed[i].to);
        }
    }
    if ((settings->differences >> SONDE_DIFFERENCE_LAG & 1u) != 0) {
        settings->cluster.k = settings->k_before;
    }
    settings->cluster.nearest_of_all =
        (settings->differences >> SONDE_DIFFERENCE_NEAREST & 1u) != 0;
    settings->cluster.keep_empty = (settings->differences >> SONDE_DIFFERENCE_EMPTY & 1u) != 0;
    settings->cluster.seed_order = (settings->differences >> SONDE_DIFFERENCE_ORDER & 1u) != 0;
    settings->cluster.seed = settings->seed;
    settings->cluster.stream = 0;
}

sonde_status sonde__search_open(sonde__search *search, const sonde_policies *policies,
                                const sonde_search_settings *settings, const sonde_run *run,
                                sonde_error *error) {
    const sonde_status status = check(settings, error);
    if (status != SONDE_OK) {
        return status;
    }
    const sonde__search_method *method = &table[settings->search];
    *search = (sonde__search){.policies = policies, .settings = *settings, .run = *run};
    apply_differences(&search->settings);
    search->posterior.gamma = settings->gamma;
    const sonde_status fits = method->check != NULL ? method->check(search, error) : SONDE_OK;
    return fits == SONDE_OK && method->open != NULL ? method->open(search, error) : fits;
}

uint64_t sonde__search_bytes(const sonde__search *search) {
    const sonde__search_method *method = &table[search->settings.search];
    return method->bytes != NULL ? method->bytes(search) : 0;
}

void sonde__search_close(sonde__search *search) {
    const sonde__search_method *method = &table[search->settings.search];
    if (method->close != NULL) {
        method->close(search);
    }
}

static int32_t most_edges(const sonde_graph *graph) {
    int32_t most = 0;
    for (int32_t v = 0; v < graph->n_node; v++) {
        const int32_t n = graph->first[v + 1] - graph->first[v];
        most = n > most ? n : most;
    }
    return most;
}

void sonde__search_carve(sonde__search *search, sonde__arena *arena) {
    const sonde_model *model = search->policies->model;
    const int32_t n_out = most_edges(model->graph);
    search->n_efe = n_out > BLOCK ? n_out : BLOCK;
    search->efe = SONDE__TAKE(arena, double, search->n_efe);
    sonde__tree_carve(arena, model->horizon, &search->tree);
    sonde__scorer_carve(arena, model->horizon, &search->scorer);
    search->posterior.mass = SONDE__TAKE(arena, double, model->n_action);
    search->posterior.touched = SONDE__TAKE(arena, bool, model->n_action);
    search->action = SONDE__TAKE(arena, int32_t, model->n_action);
    search->summed = SONDE__TAKE(arena, double, model->n_action);
    search->probability = SONDE__TAKE(arena, double, model->n_action);
    search->to = SONDE__TAKE(arena, int32_t, n_out);
    search->to_summed = SONDE__TAKE(arena, double, n_out);
    search->best_walk = SONDE__TAKE(arena, int32_t, model->horizon + 1);
    const sonde__search_method *method = &table[search->settings.search];
    if (method->carve != NULL) {
        method->carve(search, arena);
    }
}

/* The most probable action, ties within 1e-12 to the lowest. */
static int32_t most_probable(int32_t n, const double *p) {
    int32_t best = 0;
    for (int32_t i = 1; i < n; i++) {
        best = p[i] > p[best] + 1e-12 ? i : best;
    }
    return best;
}

/* What an action is drawn from, by the rule of the settings. */
static void apply_rule(sonde__search *search, int32_t n) {
    const double *summed = search->summed;
    double *p = search->probability;
    if (search->settings.action == SONDE_ACTION_SOFTMAX) {
        const double most = search->settings.alpha * summed[most_probable(n, summed)];
        double total = 0.0;
        for (int32_t i = 0; i < n; i++) {
            p[i] = sonde__exp(search->settings.alpha * summed[i] - most);
            total += p[i];
        }
        for (int32_t i = 0; i < n; i++) {
            p[i] /= total;
        }
        return;
    }
    const int32_t best = most_probable(n, summed);
    for (int32_t i = 0; i < n; i++) {
        p[i] = search->settings.action == SONDE_ACTION_DETERMINISTIC ? (i == best ? 1.0 : 0.0)
                                                                     : summed[i];
    }
}

/* Probabilities of the actions, and of the nodes they lead to. */
static void normalise(sonde__search *search, int32_t state, double total) {
    const sonde__posterior *posterior = &search->posterior;
    const sonde_model *model = search->policies->model;
    sonde_decision *decision = &search->decision;
    const int32_t v = model->graph->head[state];
    const int32_t n_out = model->graph->first[v + 1] - model->graph->first[v];
    for (int32_t i = 0; i < n_out; i++) {
        search->to[i] = -1;
        search->to_summed[i] = 0.0;
    }
    for (int32_t a = posterior->begin; a < posterior->end; a++) {
        if (posterior->touched[a - posterior->begin]) {
            const double p = posterior->mass[a - posterior->begin] / total;
            const int32_t next = sonde_model_next(model, state, a);
            const int32_t place = next - model->graph->first[v];
            search->action[decision->n_action] = a;
            search->summed[decision->n_action++] = p;
            search->to[place] = model->graph->head[next];
            search->to_summed[place] += p;
        }
    }
    for (int32_t i = 0; i < n_out; i++) {
        if (search->to[i] >= 0) {
            search->to[decision->n_to] = search->to[i];
            search->to_summed[decision->n_to++] = search->to_summed[i];
        }
    }
}

static void conclude(sonde__search *search, int32_t origin, int32_t state) {
    const sonde__posterior *posterior = &search->posterior;
    sonde_decision *decision = &search->decision;
    const double total = sonde__posterior_total(posterior);
    normalise(search, state, total);
    apply_rule(search, decision->n_action);
    decision->action = search->action;
    decision->posterior = search->summed;
    decision->probability = search->probability;
    decision->to = search->to;
    decision->to_posterior = search->to_summed;
    decision->best = posterior->best;
    decision->best_walk = search->best_walk;
    decision->log_evidence = sonde__log(total) - posterior->gamma * posterior->least;
    decision->evaluations.n_policy += posterior->n_policy;
    decision->evaluations.n_step += search->tree.n_step + search->scorer.n_step;
    decision->evaluations.equivalent =
        (double)decision->evaluations.n_step / (double)search->policies->horizon;
    sonde_policies_get(search->policies, origin, posterior->best, search->best_walk);
    sonde_efe_walk(search->policies->model, state, search->best_walk, NULL, NULL,
                   &decision->best_efe);
}

sonde_status sonde__search_run(sonde__search *search, int32_t state, uint64_t number) {
    const sonde__search_method *method = &table[search->settings.search];
    const sonde_model *model = search->policies->model;
    const bool local = search->settings.scope == SONDE_LOCAL;
    const int32_t origin = local ? state : SONDE_EVERYWHERE;
    const double began = sonde__seconds();
    search->decision = (sonde_decision){.state = state, .origin = origin, .drawn = UINT64_MAX};
    search->probe_rng = sonde_rng_stream(search->settings.seed, SONDE_FOR_PROBE, number);
    search->tree.n_step = search->scorer.n_step = 0;
    /* what the method needs to know of this origin, once */
    sonde_status status = method->prepare != NULL ? method->prepare(search, origin) : SONDE_OK;
    search->decision.setup_seconds = sonde__seconds() - began;
    /* which policies to score */
    if (status == SONDE_OK && method->choose != NULL) {
        status = method->choose(search, origin, state);
    }
    /* their scores, and what they add up to */
    if (status == SONDE_OK) {
        sonde__posterior_start(&search->posterior, local ? model->action[state] : 0,
                               local ? model->action[state + 1] : model->n_action);
        status = method->visit(search, origin, state, sonde__posterior_add, &search->posterior);
    }
    if (status == SONDE_OK) {
        conclude(search, origin, state);
    }
    search->decision.seconds = sonde__seconds() - began;
    return status;
}

/* finding the policy that a draw from the posterior falls on */
typedef struct {
    const sonde__posterior *posterior;
    double left; /* of the mass to be passed before it */
    uint64_t policy;
    int32_t action;
} drawing;

static void draw_from_block(void *context, const sonde__block *block) {
    drawing *draw = context;
    for (int32_t i = 0; i < block->n && draw->left >= 0.0; i++) {
        draw->left -= sonde__exp(draw->posterior->gamma * (draw->posterior->least - block->efe[i]));
        draw->policy =
            block->member != NULL ? (uint64_t)block->member[i] : block->first + (uint64_t)i;
        draw->action = block->action;
    }
}

/* Draws a policy, by scoring once more, and returns its first action. */
static int32_t draw_policy(sonde__search *search, double u) {
    const sonde__search_method *method = &table[search->settings.search];
    drawing draw = {.posterior = &search->posterior,
                    .left = u * sonde__posterior_total(&search->posterior)};
    const sonde_status status = method->visit(search, search->decision.origin,
                                              search->decision.state, draw_from_block, &draw);
    if (status != SONDE_OK) {
        return search->action[0]; /* stopped: whoever raised the flag will not look at this */
    }
    search->decision.drawn = draw.policy;
    return draw.action;
}

int32_t sonde__search_draw(sonde__search *search, sonde_rng *rng) {
    const int32_t n = search->decision.n_action;
    double u = sonde_rng_uniform(rng);
    if (search->settings.action == SONDE_ACTION_FULL) {
        return draw_policy(search, u);
    }
    int32_t last = 0;
    for (int32_t i = 0; i < n; i++) {
        if (search->probability[i] > 0.0) {
            last = i;
            if (u < search->probability[i]) {
                break;
            }
        }
        u -= search->probability[i];
    }
    return search->action[last];
}

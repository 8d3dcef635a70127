/* bench_bounded.c: what bounded search costs: whole decisions, and one expanded prefix in its
 * parts.
 *
 *     bench_bounded [FOLDER]   where the example models are, examples/models unless given
 *
 * Decisions are those of an agent that has searched before. Parts are timed one by one on the
 * prefixes that a search has left open: scoring a step (fan), the bound to go, hashing with the
 * table, and the heap. */
#include <string.h>

#include "bench.h"
#include "search/search_bounded.h"

typedef struct {
    sonde_graph *graph;
    sonde_model *model;
    sonde_policies *policies;
    sonde_agent *agent;
    double *belief;
    const sonde_decision *decision;
} subject;

static void decide(void *context) {
    subject *s = context;
    sonde_error error = {0};
    (void)sonde_agent_believe(s->agent, s->belief, NULL);
    bench_need(sonde_agent_search(s->agent, &s->decision, NULL), &error);
}

static void prepare(subject *s, const sonde_search_settings *settings) {
    sonde_error error = {0};
    bench_need(sonde_policies_count(s->model, 0, NULL, &s->policies, &error), &error);
    bench_need(sonde_agent_new(s->policies, settings, NULL, &s->agent, &error), &error);
    s->belief = calloc((size_t)s->model->n_belief, sizeof *s->belief);
    if (s->belief == NULL) {
        exit(1);
    }
    sonde_belief_initial(s->model, s->belief);
}

static void finish(subject *s) {
    free(s->belief);
    sonde_agent_free(s->agent);
    sonde_policies_free(s->policies);
    sonde_model_free(s->model);
    sonde_graph_free(s->graph);
}

static subject world_of(int32_t n_node, int32_t horizon, double edge_probability,
                        const sonde_search_settings *settings) {
    sonde_graph_settings drawing = sonde_graph_defaults();
    drawing.n_node = n_node;
    drawing.horizon = horizon;
    drawing.edge_probability = edge_probability;
    subject s = {0};
    sonde_error error = {0};
    bench_need(sonde_graph_random(&drawing, 1, &s.graph, &error), &error);
    bench_need(sonde_model_from_graph(s.graph, &s.model, NULL), &error);
    prepare(&s, settings);
    return s;
}

static subject model_of(const char *folder, const char *name, int32_t horizon,
                        const sonde_search_settings *settings) {
    char path[1024];
    (void)snprintf(path, sizeof path, "%s/%s.json", folder, name);
    sonde_model_settings change = sonde_model_defaults();
    change.horizon = horizon;
    subject s = {0};
    sonde_error error = {0};
    bench_need(
        sonde_model_read(&(const sonde_source){.origin = path}, &change, NULL, &s.model, &error),
        &error);
    prepare(&s, settings);
    return s;
}

/* A graph world written as a general model, whose prefixes are searched. */
static subject world_as_model(int32_t n_node, int32_t horizon,
                              const sonde_search_settings *settings) {
    subject w = world_of(n_node, horizon, -1.0, settings);
    sonde_text text = {0};
    subject s = {0};
    sonde_error error = {0};
    bench_need(sonde_model_write(w.model, &text, &error), &error);
    const sonde_source source = {"bench", text.data, text.size};
    bench_need(sonde_model_read(&source, NULL, NULL, &s.model, &error), &error);
    prepare(&s, settings);
    sonde_text_free(&text);
    finish(&w);
    return s;
}

/* -------------------------------------------------------------------------------- decisions -- */

static void time_decision(const char *name, subject s) {
    decide(&s); /* what is worked out once */
    const double seconds = bench_least(bench_spent, decide, &s);
    bench_row(1e6 * seconds, "us", "bounded.%s.decision", name);
    bench_row((double)s.decision->evaluations.n_step, "steps", "bounded.%s.steps", name);
    bench_row(s.decision->certificate.tv, "tv", "bounded.%s.tv", name);
    finish(&s);
}

/* the tables of a graph world are made with the first decision: from nothing, agent included */
static void time_first(const char *name, subject s, const sonde_search_settings *settings) {
    sonde_error error = {0};
    double least = 1e300;
    for (int32_t i = 0; i < 5; i++) {
        sonde_agent_free(s.agent);
        bench_need(sonde_agent_new(s.policies, settings, NULL, &s.agent, &error), &error);
        const double began = bench_spent();
        decide(&s);
        const double spent = bench_spent() - began;
        least = spent < least ? spent : least;
    }
    bench_row(1e3 * least, "ms", "bounded.%s.first_decision", name);
    time_decision(name, s);
}

/* ------------------------------------------------------------------------------------ parts -- */

/* one search whose inside can be seen */
typedef struct {
    sonde__search *search;
    sonde__bounded *state;
    sonde__arena arena;
    const subject *subject;
} inside;

static void open_inside(inside *in, const subject *s, sonde_search_settings settings,
                        const sonde_run *run) {
    sonde_error error = {0};
    in->subject = s;
    in->search = calloc(1, sonde__search_size(s->policies, (int32_t)settings.search));
    bench_need(sonde__search_open(in->search, s->policies, &settings, run, &error), &error);
    in->state = in->search->state;
    sonde__search_carve(in->search, &in->arena);
    if (!sonde__arena_reserve(&in->arena)) {
        exit(1);
    }
    sonde__search_carve(in->search, &in->arena);
}

static double time_bounds(const inside *in) {
    const sonde__frontier *f = &in->state->frontier;
    const double began = bench_spent();
    for (int32_t i = 0; i < f->n_open; i++) {
        const int32_t id = f->open[i].node;
        (void)sonde__score_ahead(f->score, f->node[id].depth,
                                 sonde__spot_at(f->score, f->spots, id), NULL);
    }
    return (bench_spent() - began) / (double)f->n_open;
}

/* All children of some prefixes, without opening them; seconds per child. */
static double time_steps(inside *in) {
    const sonde__frontier *f = &in->state->frontier;
    const sonde_model *model = in->subject->model;
    sonde__track *track = in->search->track;
    int32_t place[SONDE_FACTORS_MAX];
    const sonde__spot after = {calloc((size_t)model->n_belief, sizeof(double)), place};
    uint64_t n = 0;
    const int32_t stride = f->n_open > 20000 ? f->n_open / 20000 : 1;
    const double began = bench_spent();
    for (int32_t i = 0; i < f->n_open; i += stride) {
        const int32_t id = f->open[i].node;
        const int32_t t = f->node[id].depth + 1;
        const int32_t n_child =
            sonde__track_expand(track, t, sonde__spot_at(f->score, f->spots, id));
        for (int32_t child = 0; t < f->score->policies->horizon && child < n_child; child++) {
            sonde__track_child(track, t, child, after);
        }
        n += (uint64_t)n_child;
    }
    const double spent = (bench_spent() - began) / (double)n;
    free(after.belief);
    return spent;
}

/* Takes all prefixes out of the heap and the table, and puts them in again, least first, so that
 * they need not rise: seconds of each. */
static void time_heap(inside *in, double *close, double *push) {
    sonde__frontier *f = &in->state->frontier;
    const int32_t n = f->n_open;
    int32_t *id = calloc((size_t)n, sizeof *id);
    f->n_record = 0;
    double began = bench_spent();
    for (int32_t i = 0; i < n; i++) {
        id[i] = f->open[0].node;
        (void)sonde__frontier_close(f);
    }
    *close = (bench_spent() - began) / (double)n;
    began = bench_spent();
    for (int32_t i = 0; i < n; i++) {
        sonde__frontier_push(f, id[i]);
    }
    *push = (bench_spent() - began) / (double)n;
    free(id);
}

static void time_parts(const char *name, const subject *s, sonde_search_settings settings,
                       uint64_t budget) {
    static inside in;
    memset(&in, 0, sizeof in);
    sonde_error error = {0};
    const sonde_present now = {.state = -1, .belief = s->belief};
    const sonde_run run = {.n_thread = 1, .memory = UINT64_C(8) << 30};
    settings.epsilon = 0.0;
    settings.budget = budget;
    open_inside(&in, s, settings, &run);
    double seconds = 1e300;
    for (int32_t i = 0; i < 2; i++) {
        const double began = bench_spent();
        bench_need(sonde__search_decide(in.search, now, s->policies->initial, 0), &error);
        const double spent = bench_spent() - began;
        seconds = i > 0 && spent < seconds ? spent : seconds;
    }
    const sonde__frontier *f = &in.state->frontier;
    const double n_step = (double)in.search->decision.evaluations.n_step;
    double close = 0.0;
    double push = 0.0;
    bench_row((double)f->n_open, "prefixes", "bounded.%s.open", name);
    bench_row(1e9 * seconds / (double)f->n_record, "ns", "bounded.%s.per_expanded", name);
    bench_row(n_step / (double)f->n_record, "children", "bounded.%s.per_expanded", name);
    bench_row(1e9 * seconds / n_step, "ns", "bounded.%s.per_child", name);
    bench_row(1e9 * time_steps(&in), "ns", "bounded.%s.per_child.step", name);
    bench_row(1e9 * time_bounds(&in), "ns", "bounded.%s.per_child.bound", name);
    time_heap(&in, &close, &push);
    bench_row(1e9 * push, "ns", "bounded.%s.per_child.hash", name);
    bench_row(1e9 * close, "ns", "bounded.%s.per_expanded.heap", name);
    sonde__search_close(in.search);
    sonde__arena_free(&in.arena);
    free(in.search);
}

int main(int argc, char **argv) {
    const char *folder = argc > 1 ? argv[1] : "examples/models";
    const sonde_search_settings settings = sonde_search_defaults();
    time_decision("deep30", model_of(folder, "deep", 0, &settings));
    time_decision("grid8", model_of(folder, "grid", 0, &settings));
    time_decision("grid12", model_of(folder, "grid", 12, &settings));
    time_first("nodes1000", world_of(1000, 30, -1.0, &settings), &settings);
    time_first("nodes10000", world_of(10000, 50, 2e-4, &settings), &settings);
    /* graph worlds of 40 nodes, searched as any model is */
    sonde_search_settings broad = settings;
    broad.gamma = 0.01;
    subject forty = world_as_model(40, 20, &broad);
    time_parts("nodes40", &forty, broad, 20000);
    finish(&forty);
    subject grid = model_of(folder, "grid", 20, &broad);
    time_parts("million", &grid, broad, 5000000);
    finish(&grid);
    return 0;
}

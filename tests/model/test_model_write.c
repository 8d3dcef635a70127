/* Models written and read back are the same models, bit for bit. */
#include "base/rng.h"
#include "models.h"

static sonde_text written(const sonde_model *model) {
    sonde_text text = {0};
    sonde_error error = {0};
    if (sonde_model_write(model, &text, &error) != SONDE_OK) {
        fail_msg("%s", error.text);
    }
    assert_false(text.failed);
    return text;
}

/* The same numbers (n), bit for bit; NULL beside NULL. */
static void assert_same_bytes(const void *a, const void *b, int64_t n, size_t size) {
    assert_int_equal(a == NULL, b == NULL);
    if (a != NULL) {
        assert_memory_equal(a, b, (size_t)n * size);
    }
}

static void assert_same_names(const char *const *a, const char *const *b, int32_t n) {
    assert_int_equal(a == NULL, b == NULL);
    for (int32_t i = 0; a != NULL && i < n; i++) {
        assert_string_equal(a[i], b[i]);
    }
}

static void assert_same_name(const char *a, const char *b) {
    assert_int_equal(a == NULL, b == NULL);
    if (a != NULL) {
        assert_string_equal(a, b);
    }
}

static void assert_same_factor(const sonde_factor *a, const sonde_factor *b) {
    assert_same_name(a->name, b->name);
    assert_int_equal(a->n_state, b->n_state);
    assert_int_equal(a->n_action, b->n_action);
    assert_int_equal(a->first, b->first);
    assert_int_equal(a->n_depend, b->n_depend);
    assert_int_equal(a->n_previous, b->n_previous);
    assert_int_equal(a->n_lane, b->n_lane);
    assert_int_equal(a->deterministic, b->deterministic);
    assert_same_bytes(a->depend, b->depend, a->n_depend, sizeof *a->depend);
    assert_same_names(a->state_name, b->state_name, a->n_state);
    assert_same_names(a->action_name, b->action_name, a->n_action);
    assert_same_bytes(a->D, b->D, a->n_state, sizeof *a->D);
    assert_same_bytes(a->B, b->B, a->n_previous * a->n_state * a->n_lane, sizeof *a->B);
    const int64_t n_column = a->n_previous * a->n_action;
    assert_same_bytes(a->offset, b->offset, n_column + 1, sizeof *a->offset);
    const int64_t n = a->offset != NULL ? a->offset[n_column] : 0;
    assert_same_bytes(a->next, b->next, n, sizeof *a->next);
    assert_same_bytes(a->p, b->p, n, sizeof *a->p);
    assert_same_bytes(a->allowed, b->allowed, (int64_t)a->n_state * a->n_action,
                      sizeof *a->allowed);
}

static void assert_same_modality(const sonde_modality *a, const sonde_modality *b, int64_t n_step) {
    assert_same_name(a->name, b->name);
    assert_int_equal(a->n_outcome, b->n_outcome);
    assert_int_equal(a->n_factor, b->n_factor);
    assert_int_equal(a->n_state, b->n_state);
    assert_same_bytes(a->factor, b->factor, a->n_factor, sizeof *a->factor);
    assert_same_names(a->outcome_name, b->outcome_name, a->n_outcome);
    assert_same_bytes(a->A, b->A, a->n_state * a->n_outcome, sizeof *a->A);
    assert_same_bytes(a->offset, b->offset, a->n_state + 1, sizeof *a->offset);
    const int64_t n = a->offset != NULL ? a->offset[a->n_state] : 0;
    assert_same_bytes(a->outcome, b->outcome, n, sizeof *a->outcome);
    assert_same_bytes(a->p, b->p, n, sizeof *a->p);
    assert_same_bytes(a->preference, b->preference, n_step * a->n_outcome, sizeof *a->preference);
    assert_same_bytes(a->C, b->C, n_step * a->n_outcome, sizeof *a->C);
    assert_same_bytes(a->cost, b->cost, a->n_outcome, sizeof *a->cost);
    assert_same_bytes(a->ambiguity, b->ambiguity, a->n_state, sizeof *a->ambiguity);
}

static void assert_same_model(const sonde_model *a, const sonde_model *b) {
    assert_int_equal(a->n_factor, b->n_factor);
    assert_int_equal(a->n_modality, b->n_modality);
    assert_int_equal(a->n_belief, b->n_belief);
    assert_int_equal(a->n_action, b->n_action);
    assert_int_equal(a->horizon, b->horizon);
    assert_int_equal(a->n_step_C, b->n_step_C);
    assert_int_equal(a->preferences, b->preferences);
    assert_int_equal(a->information, b->information);
    assert_int_equal(a->policies, b->policies);
    assert_int_equal(a->coupled, b->coupled);
    assert_int_equal(a->n_policy, b->n_policy);
    assert_same(a->gamma, b->gamma);
    assert_same(a->lambda, b->lambda);
    assert_same(a->n_joint, b->n_joint);
    assert_same_name(a->name, b->name);
    assert_same_bytes(a->policy, b->policy, (int64_t)a->n_policy * a->horizon, sizeof *a->policy);
    assert_same_bytes(a->E, b->E, a->n_policy, sizeof *a->E);
    for (int32_t f = 0; f < a->n_factor; f++) {
        assert_same_factor(&a->factor[f], &b->factor[f]);
    }
    for (int32_t m = 0; m < a->n_modality; m++) {
        assert_same_modality(&a->modality[m], &b->modality[m], a->n_step_C);
    }
}

/* Written and read back it is the same, and so is what is written then. */
static void assert_survives(const sonde_model *model) {
    sonde_text once = written(model);
    sonde_model *again = model_of(once.data);
    sonde_text twice = written(again);
    assert_same_model(model, again);
    assert_string_equal(once.data, twice.data);
    sonde_text_free(&once);
    sonde_text_free(&twice);
    sonde_model_free(again);
}

/* ----------------------------------------------------------------------- models of all kinds -- */

/* n numbers that sum to about 1, some of them 0 */
static void draw_column(sonde__rng *rng, int64_t n, int64_t stride, double zeros, double *value) {
    double sum = 0.0;
    for (int64_t i = 0; i < n; i++) {
        const bool zero = sonde__rng_uniform(rng) < zeros && !(i == n - 1 && sum == 0.0);
        value[i * stride] = zero ? 0.0 : sonde__rng_uniform(rng) + 1e-3;
        sum += value[i * stride];
    }
    for (int64_t i = 0; i < n; i++) {
        value[i * stride] /= sum;
    }
}

enum { FACTORS = 3, MODALITIES = 3, LARGE = 4096 };

/* everything a drawn model is made of */
typedef struct {
    sonde_parts parts;
    sonde_factor_parts factor[FACTORS];
    sonde_modality_parts modality[MODALITIES];
    int32_t depend[FACTORS][FACTORS];
    int32_t of[MODALITIES][FACTORS];
    int64_t size[3 * FACTORS + 3 * MODALITIES][FACTORS + 2];
    double value[3 * FACTORS + 3 * MODALITIES][LARGE];
    int32_t policy[LARGE];
    double E[64];
    int32_t n_array;
} drawn;

static int32_t below(sonde__rng *rng, int32_t n) {
    return (int32_t)sonde__rng_below(rng, (uint64_t)n);
}

/* The next array, with its axes; all columns of its first axis sum to 1. */
static sonde_array draw_table(drawn *d, sonde__rng *rng, int32_t n_axis, const int64_t *size,
                              double zeros) {
    const int32_t i = d->n_array++;
    int64_t n_column = 1;
    for (int32_t a = 0; a < n_axis; a++) {
        d->size[i][a] = size[a];
        n_column *= a > 0 ? size[a] : 1;
    }
    assert_true(n_column * size[0] <= LARGE);
    for (int64_t column = 0; column < n_column; column++) {
        draw_column(rng, size[0], n_column, zeros, d->value[i] + column);
    }
    return (sonde_array){.n_axis = n_axis, .size = d->size[i], .value = d->value[i]};
}

static sonde_array draw_numbers(drawn *d, sonde__rng *rng, int32_t n_axis, const int64_t *size,
                                double low) {
    const sonde_array array = draw_table(d, rng, n_axis, size, 0.0);
    const int64_t n = size[0] * (n_axis > 1 ? size[1] : 1);
    for (int64_t i = 0; i < n; i++) {
        d->value[d->n_array - 1][i] = low + 4.0 * sonde__rng_uniform(rng);
    }
    return array;
}

static void draw_factors(drawn *d, sonde__rng *rng) {
    for (int32_t f = 0; f < d->parts.n_factor; f++) {
        d->factor[f].shape.n_state = 1 + below(rng, 5);
        d->factor[f].shape.n_action = 1 + below(rng, 5);
    }
    for (int32_t f = 0; f < d->parts.n_factor; f++) {
        sonde_factor_parts *factor = &d->factor[f];
        int64_t size[FACTORS + 2] = {factor->shape.n_state};
        factor->shape.n_depend = below(rng, 2) == 0 ? 0 : d->parts.n_factor;
        factor->shape.depend = d->depend[f];
        for (int32_t i = 0; i < d->parts.n_factor; i++) {
            d->depend[f][i] = (i + f) % d->parts.n_factor;
            size[1 + i] = d->factor[d->depend[f][i]].shape.n_state;
        }
        const int32_t n_depend = factor->shape.n_depend > 0 ? factor->shape.n_depend : 1;
        size[1] = factor->shape.n_depend > 0 ? size[1] : factor->shape.n_state;
        size[1 + n_depend] = factor->shape.n_action;
        factor->B = draw_table(d, rng, n_depend + 2, size, below(rng, 2) == 0 ? 0.9 : 0.2);
        factor->D = draw_table(d, rng, 1, size, 0.3);
    }
}

static void draw_modalities(drawn *d, sonde__rng *rng, bool steps) {
    for (int32_t m = 0; m < d->parts.n_modality; m++) {
        sonde_modality_parts *modality = &d->modality[m];
        modality->shape.n_outcome = 1 + below(rng, 6);
        modality->shape.n_factor = below(rng, 2) == 0 ? 0 : 1;
        modality->shape.factor = d->of[m];
        d->of[m][0] = below(rng, d->parts.n_factor);
        int64_t size[FACTORS + 2] = {modality->shape.n_outcome};
        int32_t n_axis = 1;
        for (int32_t f = 0; f < d->parts.n_factor; f++) {
            if (modality->shape.n_factor == 0 || d->of[m][0] == f) {
                size[n_axis++] = d->factor[f].shape.n_state;
            }
        }
        modality->A = draw_table(d, rng, n_axis, size, below(rng, 2) == 0 ? 0.9 : 0.2);
        const int64_t rows[2] = {d->parts.settings.horizon, modality->shape.n_outcome};
        const double low =
            d->parts.settings.preferences == SONDE_PREFERENCES_PROBABILITY ? 0.0 : -2.0;
        modality->C = steps && m == 0 ? draw_numbers(d, rng, 2, rows, low)
                                      : draw_numbers(d, rng, 1, &rows[1], low);
        modality->cost =
            below(rng, 2) == 0 ? (sonde_array){0} : draw_numbers(d, rng, 1, &rows[1], -1.0);
    }
}

static void draw_policies(drawn *d, sonde__rng *rng) {
    const int32_t n_factor = d->parts.n_factor;
    d->parts.policies = SONDE_POLICIES_LISTED;
    d->parts.n_policy = 1 + below(rng, 20);
    d->parts.policy = d->policy;
    for (int32_t i = 0; i < d->parts.n_policy * d->parts.settings.horizon * n_factor; i++) {
        d->policy[i] = below(rng, d->factor[i % n_factor].shape.n_action);
    }
    for (int32_t i = 0; i < d->parts.n_policy; i++) {
        d->E[i] = 0.1 + sonde__rng_uniform(rng);
    }
    d->parts.E = below(rng, 2) == 0 ? d->E : NULL;
}

static sonde_model *draw_model(uint64_t seed) {
    sonde__rng rng = sonde__rng_stream(seed, SONDE__FOR_WORLD, 0);
    drawn *d = room(1, sizeof *d);
    d->parts = sonde_parts_defaults();
    d->parts.n_factor = 1 + below(&rng, FACTORS);
    d->parts.n_modality = 1 + below(&rng, MODALITIES);
    d->parts.factor = d->factor;
    d->parts.modality = d->modality;
    d->parts.settings.horizon = 1 + below(&rng, 4);
    d->parts.settings.preferences = (int32_t)(sonde_preferences)below(&rng, 3);
    d->parts.settings.information = (int32_t)(sonde_information)below(&rng, 2);
    d->parts.settings.lambda = sonde__rng_uniform(&rng);
    d->parts.settings.gamma = 16.0 * sonde__rng_uniform(&rng);
    draw_factors(d, &rng);
    draw_modalities(d, &rng, below(&rng, 2) == 0);
    if (below(&rng, 2) == 0) {
        draw_policies(d, &rng);
    }
    sonde_model *model = NULL;
    sonde_error error = {0};
    if (sonde_model_new(&d->parts, NULL, NULL, &model, &error) != SONDE_OK) {
        fail_msg("seed %d: %s", (int)seed, error.text);
    }
    free(d);
    return model;
}

static void a_model_written_and_read_back_is_the_same(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 500; seed++) {
        sonde_model *model = draw_model(seed);
        assert_survives(model);
        sonde_model_free(model);
    }
}

static void columns_sum_to_one(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 100; seed++) {
        sonde_model *model = draw_model(seed);
        for (int32_t f = 0; f < model->n_factor; f++) {
            const sonde_factor *factor = &model->factor[f];
            for (int64_t p = 0; p < factor->n_previous; p++) {
                for (int32_t u = 0; u < factor->n_action; u++) {
                    double sum = 0.0;
                    for (int32_t s = 0; s < factor->n_state; s++) {
                        sum += transition(factor, p, u, s);
                    }
                    assert_near(sum, 1.0, 1e-15);
                }
            }
        }
        sonde_model_free(model);
    }
}

/* ------------------------------------------------------------------------------ graph worlds -- */

static void a_graph_world_becomes_a_general_model(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 30; seed++) {
        sonde_graph *graph =
            world(1 + (int32_t)(seed % 6), seed, seed % 2 == 0 ? SONDE_SYMMETRIC : SONDE_DIRECTED);
        sonde_model *model = NULL;
        assert_int_equal(sonde_model_from_graph(graph, &model, NULL), SONDE_OK);
        sonde_text text = written(model);
        sonde_model *general = model_of(text.data);
        const sonde_factor *factor = &general->factor[0];
        assert_int_equal(general->n_factor, 1);
        assert_int_equal(general->n_modality, 1);
        assert_int_equal(general->n_belief, model->n_belief);
        assert_int_equal(general->n_action, model->n_action);
        assert_int_equal(general->horizon, model->horizon);
        assert_int_equal(general->policies, SONDE_POLICIES_ALLOWED);
        assert_same(general->gamma, 1.0);
        assert_same(general->lambda, graph->lambda);
        assert_true(factor->deterministic);
        assert_null(factor->B);
        for (int32_t s = 0; s < model->n_state; s++) {
            assert_same(factor->D[s], s == graph->start ? 1.0 : 0.0);
            assert_same(likelihood(general->modality, s, s), 1.0);
            assert_same(general->modality[0].ambiguity[s], 0.0);
            assert_same(general->modality[0].preference[s], 0.0 - model->risk[s] + 0.0);
            assert_same(general->lambda * general->modality[0].cost[s], model->cost[s]);
            for (int32_t u = 0; u < model->n_action; u++) {
                assert_same(transition(factor, s, u, sonde_model_next(model, s, u)), 1.0);
                assert_int_equal(factor->allowed[s * model->n_action + u],
                                 u >= model->action[s] && u < model->action[s + 1]);
            }
        }
        assert_survives(general);
        sonde_text_free(&text);
        sonde_model_free(general);
        sonde_model_free(model);
        sonde_graph_free(graph);
    }
}

static void names_of_nodes_become_names_of_edges(void **state) {
    (void)state;
    static const int32_t tail[] = {0, 1};
    static const int32_t head[] = {1, 0};
    static const double weight[] = {1, 2};
    const char *name[] = {"the \"yard\"", "b"};
    const sonde_graph edges = {
        .n_node = 2, .n_edge = 2, .tail = tail, .head = head, .weight = weight, .name = name};
    for (int32_t i = 0; i < 2; i++) {
        sonde_graph *graph = NULL;
        sonde_model *model = NULL;
        assert_int_equal(sonde_graph_from_edges(&edges, NULL, 1, &graph, NULL), SONDE_OK);
        assert_int_equal(sonde_model_from_graph(graph, &model, NULL), SONDE_OK);
        sonde_text text = written(model);
        sonde_model *general = model_of(text.data);
        assert_string_equal(general->factor[0].state_name[0],
                            i == 0 ? "the \"yard\"\u2192b" : "0\u21921");
        assert_string_equal(general->factor[0].action_name[1],
                            i == 0 ? "the \"yard\"\u2192b\u2192b" : "0\u21921\u21921");
        sonde_text_free(&text);
        sonde_model_free(general);
        sonde_model_free(model);
        sonde_graph_free(graph);
        name[1] = "c\u2192d"; /* with an arrow of its own, numbers are clearer */
    }
}

static void a_conversion_too_large_to_write_is_refused(void **state) {
    (void)state;
    sonde_graph *graph = world(5000, 1, SONDE_DIRECTED);
    sonde_model *model = NULL;
    sonde_text text = {0};
    sonde_error error = {0};
    assert_int_equal(sonde_model_from_graph(graph, &model, NULL), SONDE_OK);
    assert_int_equal(sonde_model_write(model, &text, &error), SONDE_TOO_LARGE);
    assert_int_equal(text.size, 0);
    assert_says(error.text, "the document would have ");
    assert_int_equal(sonde_model_write(model, &text, NULL), SONDE_TOO_LARGE);
    sonde_text_free(&text);
    sonde_model_free(model);
    sonde_graph_free(graph);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_model_written_and_read_back_is_the_same),
        cmocka_unit_test(columns_sum_to_one),
        cmocka_unit_test(a_graph_world_becomes_a_general_model),
        cmocka_unit_test(names_of_nodes_become_names_of_edges),
        cmocka_unit_test(a_conversion_too_large_to_write_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

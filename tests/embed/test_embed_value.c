/* What steps are expected to bring: against G in graph worlds, and against all states of all
 * factors in general models. */
#include "base/shelf.h"
#include "embed/embed.h"
#include "embed/twins.h"
#include "base/rng.h"
#include "random_models.h"

static void values_are_the_parts_of_minus_G_in_a_graph_world(void **state) {
    (void)state;
    assert_rows_are_twins_everywhere("value");
}

/* ln C - lambda cost, on average over the outcomes of every modality in one state of all
 * factors. */
static double value_at(const sonde_model *model, int32_t t, const int32_t *at) {
    double sum = 0.0;
    for (int32_t m = 0; m < model->n_modality; m++) {
        const sonde_modality *modality = &model->modality[m];
        const int32_t row = model->n_step_C > 1 ? t - 1 : 0;
        for (int32_t o = 0; o < modality->n_outcome; o++) {
            sum += likelihood(modality,
                              combined_state(model, modality->n_factor, modality->factor, at), o) *
                   (modality->preference[row * modality->n_outcome + o] -
                    model->lambda * modality->cost[o]);
        }
    }
    return sum;
}

/* The mean of that over a belief. */
static double expected_value(const sonde_model *model, int32_t t, const double *belief) {
    int32_t at[SONDE_FACTORS_MAX] = {0};
    double sum = 0.0;
    for (int64_t j = 0; j < (int64_t)model->n_joint; j++) {
        double p = 1.0;
        int64_t rest = j;
        for (int32_t f = model->n_factor - 1; f >= 0; f--) {
            at[f] = (int32_t)(rest % model->factor[f].n_state);
            rest /= model->factor[f].n_state;
            p *= belief[model->factor[f].first + at[f]];
        }
        sum += p * value_at(model, t, at);
    }
    return sum;
}

static void compare(const setting *s, sonde_embedder *embedder) {
    const sonde_model *model = s->model;
    const size_t bytes = (size_t)model->n_belief * sizeof(double);
    double *before = room((uint64_t)model->n_belief, sizeof *before);
    double *after = room((uint64_t)model->n_belief, sizeof *after);
    double row[8];
    int32_t walk[9];
    const uint64_t n = sonde_policies_size(s->policies, s->origin);
    for (uint64_t i = 0; i < n; i += 1 + n / 20) {
        sonde_policies_get(s->policies, s->origin, i, walk, NULL);
        assert_int_equal(sonde_embedder_row(embedder, walk, row, NULL), SONDE_OK);
        memcpy(before, s->belief, bytes);
        for (int32_t t = 1; t <= model->horizon; t++) {
            sonde_belief_predict(model, walk[t], before, after, NULL);
            const double wanted = expected_value(model, t, after);
            assert_near(row[t - 1], wanted, 1e-12 * (1.0 + fabs(wanted)));
            memcpy(before, after, bytes);
        }
    }
    free(after);
    free(before);
}

static void values_are_means_over_the_states_of_all_factors(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 200; seed++) {
        setting s = setting_drawn(seed, DRAW_COUPLED | DRAW_ALLOWED | DRAW_LISTED, 300);
        const sonde_embed_settings settings = embedding_called("value");
        sonde_embedder *embedder = NULL;
        assert_int_equal(sonde_embedder_new(s.policies, &settings, NULL, &embedder, NULL),
                         SONDE_OK);
        assert_int_equal(embedder->n_column, s.policies->horizon);
        sonde_embedder_aim(embedder, setting_now(&s), NULL);
        compare(&s, embedder);
        sonde_embedder_free(embedder);
        setting_free(&s);
    }
}

/* it looks at every step of every policy, and says so */
static void a_search_counts_the_steps_that_values_take(void **state) {
    (void)state;
    space s = space_random(5, 3, SONDE_SYMMETRIC);
    sonde_search_settings settings = sonde_search_defaults();
    settings.search = SONDE_SEARCH_CLUSTER;
    settings.embed = embedding_called("value");
    thought t = think(&s, &settings, NULL);
    assert_int_equal(t.decision->evaluations.n_setup_step,
                     sonde_policies_size(s.policies, s.graph->start) * 5);
    thought_free(&t);
    settings.embed = embedding_called("ends");
    t = think(&s, &settings, NULL);
    assert_int_equal(t.decision->evaluations.n_setup_step, 0);
    thought_free(&t);
    space_free(&s);
}

/* what one agent clustered from another belief is of no use, though the origin is the same */
static void a_shelf_keeps_nothing_that_depends_on_where_the_agent_is(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 40; seed++) {
        setting s = setting_drawn(seed, 0, 300);
        sonde_search_settings settings = sonde_search_defaults();
        settings.search = SONDE_SEARCH_CLUSTER;
        settings.embed = embedding_called(seed % 2 == 0 ? "value" : "occupancy");
        settings.cluster.k = 3;
        sonde_shelf *shelf = NULL;
        sonde_run run = threads(1);
        assert_int_equal(sonde__shelf_new(&shelf, NULL), SONDE_OK);
        sonde_agent *plain = NULL;
        sonde_agent *shelved = NULL;
        assert_int_equal(sonde_agent_new(s.policies, &settings, &run, &plain, NULL), SONDE_OK);
        run.shelf = shelf;
        assert_int_equal(sonde_agent_new(s.policies, &settings, &run, &shelved, NULL), SONDE_OK);
        sonde__rng rng = sonde__rng_stream(seed, SONDE__FOR_PROBE, 1);
        for (int32_t i = 0; i < 3; i++) {
            const sonde_decision *a = NULL;
            const sonde_decision *b = NULL;
            draw_belief(&rng, s.model, s.belief);
            sonde_agent_believe(plain, s.belief, NULL);
            sonde_agent_believe(shelved, s.belief, NULL);
            assert_int_equal(sonde_agent_search(plain, &a, NULL), SONDE_OK);
            assert_int_equal(sonde_agent_search(shelved, &b, NULL), SONDE_OK);
            assert_same_decision(a, b, s.policies->horizon);
        }
        sonde_agent_free(shelved);
        sonde_agent_free(plain);
        sonde__shelf_free(shelf);
        setting_free(&s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_the_parts_of_minus_G_in_a_graph_world),
        cmocka_unit_test(values_are_means_over_the_states_of_all_factors),
        cmocka_unit_test(a_search_counts_the_steps_that_values_take),
        cmocka_unit_test(a_shelf_keeps_nothing_that_depends_on_where_the_agent_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

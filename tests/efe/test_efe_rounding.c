/* How far rounding may take a G: as far as there are numbers to be added up. */
#include "efe/efe_rounding.h"
#include "random_models.h"

/* Switches that nobody touches, and a light; what is done costs something in each combined state,
 * if `costs`. */
static double relative_of(int32_t n_switch, bool costs) {
    enum { MOST = 17 };
    const int64_t size[] = {2, 2, 1};
    int64_t axes[MOST + 1];
    const double stay[] = {1.0, 0.0, 0.0, 1.0};
    const double even[] = {0.5, 0.5};
    sonde_factor_parts factor[MOST];
    for (int32_t f = 0; f < n_switch; f++) {
        axes[f] = 2;
        factor[f] = (sonde_factor_parts){.shape = {.n_state = 2, .n_action = 1},
                                         .B = {.n_axis = 3, .size = size, .value = stay},
                                         .D = {.n_axis = 1, .size = size, .value = even}};
    }
    axes[n_switch] = 1;
    const sonde_modality_parts modality = {
        .shape = {.n_outcome = 2, .n_factor = 1, .factor = (const int32_t[]){0}},
        .A = {.n_axis = 2, .size = size, .value = stay},
        .C = {.n_axis = 1, .size = size, .value = even}};
    double *cost = room(UINT64_C(1) << n_switch, sizeof *cost);
    sonde_parts parts = sonde_parts_defaults();
    parts.n_factor = n_switch;
    parts.factor = factor;
    parts.n_modality = 1;
    parts.modality = &modality;
    parts.settings.horizon = 1;
    if (costs) {
        cost[0] = 1.0;
        parts.action_cost = (sonde_array){.n_axis = n_switch + 1, .size = axes, .value = cost};
    }
    sonde_model *model = NULL;
    sonde_error error = {0};
    if (sonde_model_new(&parts, "switches", NULL, &model, &error) != SONDE_OK) {
        fail_msg("%s", error.text);
    }
    setting s = setting_of(model);
    sonde__arena arena = {0};
    sonde__rounding rounding = {0};
    sonde__rounding_carve(&arena, model, &rounding);
    assert_true(sonde__arena_reserve(&arena));
    sonde__rounding_carve(&arena, model, &rounding);
    sonde__rounding_fill(s.policies, &rounding);
    sonde__arena_free(&arena);
    setting_free(&s);
    free(cost);
    return rounding.relative / SONDE__UNIT;
}

static void costs_of_combined_states_are_as_many_sums_as_there_are_of_them(void **state) {
    (void)state;
    assert_true(relative_of(17, true) > (double)(1 << 17));
    assert_true(relative_of(17, false) < 1000.0);
    assert_true(relative_of(8, true) > 256.0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(costs_of_combined_states_are_as_many_sums_as_there_are_of_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* uses threads */
/* once */
/* An agent that is saved in the middle of an episode and read back, by an agent that has another
 * number of threads, goes on to the last bit: whatever it searches, learns and expects. */
#include "learn/ways.h"
#include "sonde_world.h"

/* Another agent in its place. */
static liver read_back(const way *w, liver *l, int32_t n_thread) {
    sonde_text text = {0};
    sonde_error error = {0};
    liver other = liver_in(w, n_thread);
    if (sonde_agent_save(l->agent, NULL, &text, &error) != SONDE_OK) {
        fail_msg("%s", error.text);
    }
    const sonde_source source = {.origin = "agent", .data = text.data, .size = text.size};
    if (sonde_agent_load(other.agent, &source, NULL, &error) != SONDE_OK) {
        fail_msg("%s", error.text);
    }
    sonde_text_free(&text);
    liver_free(l);
    return other;
}

static void agents_that_were_saved_go_on_to_the_last_bit(void **state) {
    (void)state;
    static found all[2];
    way w;
    for (int32_t i = 0; way_number(i, &w); i++) {
        const int32_t middle = 1 + i % (2 * WAY_STEPS - 1);
        for (int32_t k = 0; k < 2; k++) {
            liver l = liver_in(&w, 1);
            all[k].n = 0;
            assert_int_equal(live(&l, w.seed, 0, middle, &all[k]), SONDE_OK);
            if (k == 1) {
                l = read_back(&w, &l, 2);
            }
            assert_int_equal(live(&l, w.seed, middle, 2 * WAY_STEPS, &all[k]), SONDE_OK);
            liver_free(&l);
        }
        assert_in_range(all[0].n, 1, FOUND_MAX - 1);
        assert_int_equal(all[0].n, all[1].n);
        if (memcmp(all[0].value, all[1].value, (size_t)all[0].n * sizeof(double)) != 0) {
            fail_msg("way %d: other numbers after it was saved", (int)i);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agents_that_were_saved_go_on_to_the_last_bit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

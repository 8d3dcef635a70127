/* uses threads */
/* once */
/* Observing, searching, acting and learning ask for no memory, whatever is searched, learned and
 * expected, and threads change no byte. */
#include "memory/allocator.h"
#include "learn/ways.h"

static void assert_lived(const way *w, int32_t n_thread, found *all) {
    liver l = liver_in(w, n_thread);
    all->n = 0;
    forbid_memory();
    const sonde_status status = live(&l, w->seed, 0, 2 * WAY_STEPS, all);
    sonde_agent_forget(l.agent);
    const int64_t n_fault = permit_memory();
    assert_int_equal(status, SONDE_OK);
    assert_int_equal(n_fault, 0);
    liver_free(&l);
}

static void learning_asks_for_no_memory_and_is_the_same_on_any_number_of_threads(void **state) {
    (void)state;
    static const int32_t n_thread[] = {1, 2, 8};
    static found all[3];
    way w;
    for (int32_t i = 0; way_number(i, &w); i++) {
        for (int32_t k = 0; k < 3; k++) {
            assert_lived(&w, n_thread[k], &all[k]);
            assert_in_range(all[k].n, 1, FOUND_MAX - 1);
            assert_int_equal(all[k].n, all[0].n);
            assert_memory_equal(all[k].value, all[0].value, (size_t)all[0].n * sizeof(double));
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(learning_asks_for_no_memory_and_is_the_same_on_any_number_of_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

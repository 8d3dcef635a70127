/* The clock goes forward. */
#include <time.h>

#include "base/clock.h"
#include "worlds.h"

static void time_never_runs_backwards(void **state) {
    (void)state;
    double before = sonde__seconds();
    for (int i = 0; i < 100000; i++) {
        const double now = sonde__seconds();
        assert_true(now >= before);
        before = now;
    }
}

static void a_nap_takes_the_time_it_takes(void **state) {
    (void)state;
    const struct timespec nap = {.tv_nsec = 20000000};
    const double before = sonde__seconds();
    (void)nanosleep(&nap, NULL);
    const double taken = sonde__seconds() - before;
    assert_true(taken >= 0.0199 && taken < 60.0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(time_never_runs_backwards),
        cmocka_unit_test(a_nap_takes_the_time_it_takes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Certificates of closed loop, held to an exact recursion without slack. */
/* long */
#include <stdlib.h>

#include "certificates.h"

static void no_certificate_says_what_is_not_so(void **state) {
    (void)state;
    static campaign c;
    const char *asked = getenv("SONDE_CAMPAIGN");
    run_campaign(&c, 0, asked != NULL ? (uint64_t)atoi(asked) : 1000);
    assert_int_equal(c.n_violation, 0);
    assert_true(c.share[SONDE_BACKUP_MIN][c.n_share[SONDE_BACKUP_MIN] / 2] <= 0.45);
    assert_true(c.share[SONDE_BACKUP_AVERAGE][c.n_share[SONDE_BACKUP_AVERAGE] / 2] <= 0.60);
    assert_true(c.share[SONDE_BACKUP_FREE_ENERGY][c.n_share[SONDE_BACKUP_FREE_ENERGY] / 2] <= 0.60);
}

static void nor_where_values_are_far_apart(void **state) {
    (void)state;
    static campaign c;
    run_wide(&c, 400);
    assert_int_equal(c.n_violation, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_certificate_says_what_is_not_so),
        cmocka_unit_test(nor_where_values_are_far_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

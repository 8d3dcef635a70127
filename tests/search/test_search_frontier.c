/* The frontier of bounded search: how much there is room for. */
#include "search/search_bounded.h"
#include "worlds.h"

static void there_is_room_while_records_and_slots_are_left_over_for_the_end(void **state) {
    (void)state;
    enum { MOST = 6 };
    for (int32_t n_record = 0; n_record <= MOST; n_record++) {
        for (int32_t reserve = 0; reserve <= MOST; reserve++) {
            for (int32_t n_used = 0; n_used <= MOST; n_used++) {
                for (int32_t n_spare = 0; n_spare <= n_used; n_spare++) {
                    const sonde__frontier f = {.n_node = MOST,
                                               .n_record = n_record,
                                               .reserve = reserve,
                                               .n_used = n_used,
                                               .n_spare = n_spare};
                    const int32_t n_free = MOST - n_used + n_spare;
                    for (int32_t n = 1; n <= MOST; n++) {
                        const bool room = MOST - n_record > reserve && n_free - n >= reserve;
                        assert_int_equal(sonde__frontier_has_room(&f, n), room);
                    }
                }
            }
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(there_is_room_while_records_and_slots_are_left_over_for_the_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

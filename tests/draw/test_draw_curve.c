/* Curves of a picture. */
#include <math.h>

#include "documents.h"

#include "draw/draw_internal.h"

static const sonde__point left = {0.0, 0.0};
static const sonde__point right = {100.0, 0.0};

static void a_curve_without_bend_is_straight(void **state) {
    (void)state;
    const sonde__curve line = sonde__curve_bent(left, right, 0.0);
    assert_near(sonde__curve_at(&line, 0.25).x, 25.0, 1e-12);
    assert_near(sonde__curve_at(&line, 0.25).y, 0.0, 1e-12);
    assert_near(sonde__curve_length(&line), 100.0, 1e-9);
}

static void a_bend_is_where_the_middle_goes(void **state) {
    (void)state;
    const sonde__curve arc = sonde__curve_bent(left, right, 10.0);
    assert_near(sonde__curve_at(&arc, 0.5).y, 10.0, 1e-12);
    assert_true(sonde__curve_length(&arc) > 100.0);
}

/* so that the two directions of a pair do not lie on each other */
static void the_way_back_bends_to_the_other_side(void **state) {
    (void)state;
    const sonde__curve back = sonde__curve_bent(right, left, 10.0);
    assert_near(sonde__curve_at(&back, 0.5).y, -10.0, 1e-12);
}

static void a_part_lies_on_the_whole(void **state) {
    (void)state;
    const sonde__curve arc = sonde__curve_bent(left, right, 30.0);
    const sonde__curve part = sonde__curve_part(&arc, 0.2, 0.7);
    for (int i = 0; i <= 10; i++) {
        const double t = i / 10.0;
        const sonde__point on = sonde__curve_at(&part, t);
        const sonde__point wanted = sonde__curve_at(&arc, 0.2 + 0.5 * t);
        assert_near(sonde__distance(on, wanted), 0.0, 1e-9);
    }
}

static void between_two_circles_it_ends_on_their_borders(void **state) {
    (void)state;
    const sonde__curve arc = sonde__curve_bent(left, right, 15.0);
    const sonde__circle a = {left, 17.0};
    const sonde__circle b = {right, 21.5};
    const sonde__curve cut = sonde__curve_between(&arc, a, b);
    assert_near(sonde__distance(cut.a, left), 17.0, 1e-6);
    assert_near(sonde__distance(cut.b, right), 21.5, 1e-6);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_curve_without_bend_is_straight),
        cmocka_unit_test(a_bend_is_where_the_middle_goes),
        cmocka_unit_test(the_way_back_bends_to_the_other_side),
        cmocka_unit_test(a_part_lies_on_the_whole),
        cmocka_unit_test(between_two_circles_it_ends_on_their_borders),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The digamma function, beside what SciPy and 40 digits say. */
#include "base/numbers.h"
#include "worlds.h"

/* psi(x) of SciPy 1.17, and psi(x + 1) - ln x of 40 digits */
static const struct {
    double x;
    double psi;
    double lead;
} known[] = {
    {1e-12, -1000000000000.5773, 27.053805451028662},
    {1e-06, -1000000.57721402, 13.238296537995605},
    {0.001, -1000.5755719318103, 6.332183347171837},
    {0.03125, -32.526953288606116, 2.9387826141936086},
    {0.1, -10.423754940411076, 1.878830152582969},
    {0.5, -1.9635100260214235, 0.7296371545385218},
    {1.0, -0.5772156649015329, 0.42278433509846713},
    {1.4616321449683622, -9.241265521729427e-17, 0.3046129529475516},
    {2.0, 0.42278433509846713, 0.22963715453852182},
    {3.7, 1.1671535393615113, 0.1290909899816029},
    {7.999, 2.015508332090348, 0.06120742517703243},
    {8.0, 2.0156414779556098, 0.06119993627577407},
    {8.5, 2.08009081757942, 0.05767171290667876},
    {12.0, 2.4426616799758123, 0.04108836352114504},
    {100.0, 4.600161852738088, 0.004991666749996032},
    {1234.5, 7.1180162318279985, 0.0004049675952140342},
    {1e6, 13.81551005796419, 4.999999166666667e-07},
    {1e12, 27.631021115928046, 4.999999999999167e-13},
};

static void digamma_is_what_others_say(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        const double size = fabs(known[i].psi) > 1.0 ? fabs(known[i].psi) : 1.0;
        assert_near(sonde__digamma(known[i].x), known[i].psi, 4e-15 * size);
        const double lead = known[i].lead > 1.0 ? known[i].lead : 1.0;
        assert_near(sonde__digamma_lead(known[i].x), known[i].lead, 4e-15 * lead);
    }
}

static void its_lead_over_the_logarithm_falls_and_keeps_its_digits(void **state) {
    (void)state;
    double before = INFINITY;
    for (double x = 1e-12; x < 1e13; x *= 1.01) {
        const double lead = sonde__digamma_lead(x);
        assert_true(lead > 0.0 && lead < before);
        before = lead;
    }
    assert_near(sonde__digamma_lead(1e12), 4.999999999999167e-13, 1e-27);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(digamma_is_what_others_say),
        cmocka_unit_test(its_lead_over_the_logarithm_falls_and_keeps_its_digits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

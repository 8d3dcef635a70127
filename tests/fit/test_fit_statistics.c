/* Distributions against numbers of SciPy 1.10 (special.gammainc, special.betainc, stats.norm). */
#include "documents.h"

#include <math.h>

#include "fit/fit_statistics.h"

static void incomplete_gamma_functions_are_scipys(void **state) {
    (void)state;
    static const double wanted[][3] = {
        {0.05, 5e-05, 0.6260508469322229},
        {0.05, 0.015, 0.8320656078578546},
        {0.05, 0.045000000000000005, 0.8778125340776423},
        {0.05, 0.05, 0.8822435638856682},
        {0.05, 0.051000000000000004, 0.8830764532361354},
        {0.05, 0.07500000000000001, 0.8992713932066654},
        {0.05, 0.2, 0.939209088699221},
        {0.5, 0.0005, 0.02522712063003961},
        {0.5, 0.15, 0.416117579229635},
        {0.5, 0.45, 0.6572182888520888},
        {0.5, 0.5, 0.6826894921370859},
        {0.5, 0.51, 0.6874809908527517},
        {0.5, 0.75, 0.7793286380801531},
        {0.5, 2.0, 0.9544997361036415},
        {1.0, 0.001, 0.0009995001666250082},
        {1.0, 0.3, 0.25918177931828207},
        {1.0, 0.9, 0.5934303402594008},
        {1.0, 1.0, 0.6321205588285577},
        {1.0, 1.02, 0.6394050598269216},
        {1.0, 1.5, 0.7768698398515702},
        {1.0, 4.0, 0.9816843611112658},
        {3.7, 0.0037, 6.496445702336926e-11},
        {3.7, 1.11, 0.04056590789869594},
        {3.7, 3.33, 0.490641762091323},
        {3.7, 3.7, 0.5691729352471959},
        {3.7, 3.7740000000000005, 0.5840278493459248},
        {3.7, 5.550000000000001, 0.8424405215453123},
        {3.7, 14.8, 0.9998441521847584},
        {15.9, 0.0159, 1.5729733848842693e-42},
        {15.9, 4.77, 4.5547986490758415e-05},
        {15.9, 14.31, 0.3712888684061455},
        {15.9, 15.9, 0.5333595726903727},
        {15.9, 16.218, 0.5646637432256805},
        {15.9, 23.85, 0.9652026288708335},
        {15.9, 63.6, 0.9999999999997676},
        {16.1, 0.016100000000000003, 4.7952096705437194e-43},
        {16.1, 4.83, 4.0941368577877827e-05},
        {16.1, 14.490000000000002, 0.37011162968612876},
        {16.1, 16.1, 0.5331516196742286},
        {16.1, 16.422, 0.5646536932020305},
        {16.1, 24.150000000000002, 0.9659923456181996},
        {16.1, 64.4, 0.9999999999998327},
        {120.0, 0.12, 4.2137741653086e-310},
        {120.0, 36.0, 2.8121831041313847e-28},
        {120.0, 108.0, 0.13489341245534536},
        {120.0, 120.0, 0.5121399785494885},
        {120.0, 122.4, 0.5979443991074628},
        {120.0, 180.0, 0.9999991766732402},
        {120.0, 480.0, 1.0},
        {5000.0, 5.0, 0.0},
        {5000.0, 1500.0, 0.0},
        {5000.0, 4500.0, 1.2697731705204493e-13},
        {5000.0, 5000.0, 0.5018806340338173},
        {5000.0, 5100.0, 0.9206711189223811},
        {5000.0, 7500.0, 1.0},
        {5000.0, 20000.0, 1.0},
    };
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        const double found = sonde__gamma_below(wanted[i][0], wanted[i][1]);
        assert_near(found, wanted[i][2], 2e-13 + 1e-11 * wanted[i][2]);
    }
}

static void incomplete_beta_functions_are_scipys(void **state) {
    (void)state;
    static const double wanted[][4] = {
        {1.0, 1.0, 0.5, 0.5},
        {2.0, 3.0, 0.5, 0.6875},
        {7.44, 2.56, 0.5, 0.049268920509258775},
        {2.56, 7.44, 0.5, 0.9507310794907412},
        {100.0, 110.0, 0.5, 0.7553958894253769},
        {3000.0, 2900.0, 0.5, 0.09645610109923931},
        {0.5, 0.5, 0.2, 0.29516723530086664},
        {0.3, 8.0, 0.9, 0.9999999991786581},
        {20.0, 2.0, 0.05, 1.9073486328125022e-25},
    };
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        const double found = sonde__beta_below(wanted[i][0], wanted[i][1], wanted[i][2]);
        assert_near(found, wanted[i][3], 1e-15 + 1e-11 * wanted[i][3]);
    }
}

static void normal_points_are_those_of_tables(void **state) {
    (void)state;
    assert_near(sonde__normal_point(0.975), 1.959963984540054, 1e-13);
    assert_near(sonde__normal_point(0.95), 1.6448536269514722, 1e-13);
    assert_near(sonde__normal_point(0.5), 0.0, 1e-13);
    assert_near(sonde__normal_point(0.01), -2.3263478740408408, 1e-12);
    assert_near(sonde__normal_below(1.0), 0.8413447460685429, 1e-15);
    assert_near(sonde__normal_below(-3.0), 0.0013498980316300933, 1e-16);
}

static void students_points_are_those_of_tables(void **state) {
    (void)state;
    assert_near(sonde__student_point(0.975, 1), 12.706204736174696, 1e-10);
    assert_near(sonde__student_point(0.975, 37), 2.0261924630291097, 1e-12);
    assert_near(sonde__student_point(0.975, 1000), 1.9623390808262613, 1e-12);
    assert_near(sonde__student_below(-1.0, 5), 0.18160873382456127, 1e-14);
}

static void exceedances_sum_to_one_from_small_to_large(void **state) {
    (void)state;
    static const double alpha[][4] = {{1.0, 1.0, 1.0, 1.0},
                                      {1.0, 2.0, 5000.0, 4990.0},
                                      {0.25, 0.25, 0.5, 4.0},
                                      {700.0, 690.0, 30.0, 1.5}};
    for (size_t i = 0; i < sizeof alpha / sizeof *alpha; i++) {
        double scratch[8];
        double found[4];
        sonde__dirichlet_exceedance(4, alpha[i], scratch, found);
        assert_near(found[0] + found[1] + found[2] + found[3], 1.0, 3e-12);
    }
    double scratch[8];
    double found[4];
    sonde__dirichlet_exceedance(4, alpha[0], scratch, found);
    for (int32_t k = 0; k < 4; k++) {
        assert_near(found[k], 0.25, 1e-12);
    }
}

/* Three components of which one cannot win are two. */
static void the_integral_meets_the_incomplete_beta_function(void **state) {
    (void)state;
    const double two[] = {14.0, 11.0};
    const double three[] = {14.0, 11.0, 1e-9};
    double scratch[6];
    double exact[2];
    double found[3];
    sonde__dirichlet_exceedance(2, two, scratch, exact);
    sonde__dirichlet_exceedance(3, three, scratch, found);
    assert_near(found[0], exact[0], 1e-9);
    assert_near(found[1], exact[1], 1e-9);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(incomplete_gamma_functions_are_scipys),
        cmocka_unit_test(incomplete_beta_functions_are_scipys),
        cmocka_unit_test(normal_points_are_those_of_tables),
        cmocka_unit_test(students_points_are_those_of_tables),
        cmocka_unit_test(exceedances_sum_to_one_from_small_to_large),
        cmocka_unit_test(the_integral_meets_the_incomplete_beta_function),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

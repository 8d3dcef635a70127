/* Groups of subjects whose posteriors are Gaussian, where everything can be worked out by hand. */
#include "documents.h"

#include <math.h>
#include <stdio.h>

#include "base/rng.h"
#include "fit/fit_group.h"
#include "fit/subjects.h"

enum { N = 40, P = 2, Q = 3 };

static const double true_beta[P][Q] = {{0.7, 0.5, -0.02}, {-0.3, 0.0, 0.03}};
static const double true_sd[P] = {0.5, 0.8};

/* What is seen of each subject: the parameter and noise of a known variance. */
typedef struct {
    double y[N][P];
    double v[N][P];
} seen;

static double draw_normal(sonde__rng *rng) {
    const double u = 1.0 - sonde__rng_uniform(rng);
    const double angle = 6.283185307179586 * sonde__rng_uniform(rng);
    return sqrt(-2.0 * log(u)) * cos(angle);
}

/* Two groups of the same size, and ages that are centred. */
static void make_design(double x[N][Q]) {
    for (int32_t i = 0; i < N; i++) {
        x[i][0] = 1.0;
        x[i][1] = i % 2;
        x[i][2] = i - 0.5 * (N - 1);
    }
}

static void draw_subjects(uint64_t seed, double x[N][Q], seen *s) {
    sonde__rng rng = sonde__rng_stream(seed, SONDE__FOR_SAMPLE, 0);
    for (int32_t i = 0; i < N; i++) {
        for (int32_t p = 0; p < P; p++) {
            const double mean =
                true_beta[p][0] + x[i][1] * true_beta[p][1] + x[i][2] * true_beta[p][2];
            s->v[i][p] = exp(draw_normal(&rng) - 1.0);
            s->y[i][p] =
                mean + true_sd[p] * draw_normal(&rng) + sqrt(s->v[i][p]) * draw_normal(&rng);
        }
    }
}

/* The posterior of every subject under the group's prior, and its evidence. */
static sonde_status estimate(void *user, sonde__cohort *g, sonde_error *error) {
    (void)error;
    const seen *s = user;
    for (int32_t i = 0; i < N; i++) {
        g->evidence[i] = 0.0;
        for (int32_t p = 0; p < P; p++) {
            const double prior = g->sd[p] * g->sd[p];
            const double both = prior + s->v[i][p];
            const double off = s->y[i][p] - g->prior_mean[i * P + p];
            g->variance[i * P + p] = prior * s->v[i][p] / both;
            g->estimate[i * P + p] = g->prior_mean[i * P + p] + off * prior / both;
            g->evidence[i] -= 0.5 * (log(6.283185307179586 * both) + off * off / both);
        }
    }
    return SONDE_OK;
}

static sonde__cohort *fit(uint64_t seed, seen *s, double x[N][Q]) {
    static const double prior_mean[P] = {0.0, 0.0};
    static const double prior_sd[P] = {1.0, 1.0};
    make_design(x);
    draw_subjects(seed, x, s);
    const sonde__design design = {.n_subject = N, .n_column = Q, .x = &x[0][0]};
    sonde__cohort *group = NULL;
    sonde_error error;
    assert_int_equal(sonde__cohort_new(&design, P, prior_mean, prior_sd, &group, &error), SONDE_OK);
    assert_int_equal(sonde__cohort_fit(group, estimate, s, &error), SONDE_OK);
    return group;
}

static void intervals_of_beta_hold_what_is_true_in_95_percent(void **state) {
    (void)state;
    enum { N_GROUP = 400 };
    int32_t covered[P][Q] = {{0}};
    for (uint64_t seed = 1; seed <= N_GROUP; seed++) {
        seen s;
        double x[N][Q];
        sonde__cohort *g = fit(seed, &s, x);
        for (int32_t i = 0; i < P * Q; i++) {
            const double beta = true_beta[i / Q][i % Q];
            covered[i / Q][i % Q] += g->low[i] <= beta && beta <= g->high[i] ? 1 : 0;
        }
        sonde__cohort_free(g);
    }
    for (int32_t i = 0; i < P * Q; i++) {
        const double share = (double)covered[i / Q][i % Q] / N_GROUP;
        print_message("parameter %d, column %d: %.4f\n", (int)(i / Q), (int)(i % Q), share);
        assert_true(share >= 0.92 && share <= 0.98);
    }
}

/* Subjects whose two parameters are nearly the same thing to the data: noise that is correlated by
 * -0.95, and no difference between the groups. */
static sonde_status estimate_jointly(void *user, sonde__cohort *g, sonde_error *error) {
    (void)error;
    const seen *s = user;
    const double v = 0.5;
    const double rho = -0.95;
    const double l = 1.0 / (v * (1.0 - rho * rho));
    for (int32_t i = 0; i < g->n_subject; i++) {
        const double s0 = 1.0 / (g->sd[0] * g->sd[0]);
        const double s1 = 1.0 / (g->sd[1] * g->sd[1]);
        const double *mean = g->prior_mean + (int64_t)i * P;
        const double a = l + s0;
        const double b = -rho * l;
        const double d = l + s1;
        const double h0 = l * (s->y[i][0] - rho * s->y[i][1]) + s0 * mean[0];
        const double h1 = l * (s->y[i][1] - rho * s->y[i][0]) + s1 * mean[1];
        const double whole = a * d - b * b;
        g->estimate[i * P] = (d * h0 - b * h1) / whole;
        g->estimate[i * P + 1] = (a * h1 - b * h0) / whole;
        g->variance[i * P] = d / whole;
        g->variance[i * P + 1] = a / whole;
        g->joint[i * P * P + 1] = g->joint[i * P * P + 2] = -b / whole;
    }
    return SONDE_OK;
}

static void parameters_that_are_hard_to_tell_apart_are_covered_as_well(void **state) {
    (void)state;
    enum { N_GROUP = 400, N_FEW = 20 };
    static const double zero[P] = {0.0, 0.0};
    static const double half[P] = {0.5, 0.5};
    int32_t covered = 0;
    for (uint64_t seed = 1; seed <= N_GROUP; seed++) {
        seen s;
        double x[N_FEW][2];
        sonde__rng rng = sonde__rng_stream(seed, SONDE__FOR_SAMPLE, 1);
        for (int32_t i = 0; i < N_FEW; i++) {
            const double common = draw_normal(&rng);
            x[i][0] = 1.0;
            x[i][1] = i % 2;
            s.y[i][0] = 0.5 * draw_normal(&rng) + sqrt(0.5) * common;
            s.y[i][1] = 0.5 * draw_normal(&rng) +
                        sqrt(0.5) * (-0.95 * common + sqrt(1.0 - 0.95 * 0.95) * draw_normal(&rng));
        }
        const sonde__design design = {.n_subject = N_FEW, .n_column = 2, .x = &x[0][0]};
        sonde__cohort *g = NULL;
        sonde_error error;
        assert_int_equal(sonde__cohort_new(&design, P, zero, half, &g, &error), SONDE_OK);
        assert_int_equal(sonde__cohort_fit(g, estimate_jointly, &s, &error), SONDE_OK);
        covered += g->low[1] <= 0.0 && 0.0 <= g->high[1] ? 1 : 0;
        sonde__cohort_free(g);
    }
    print_message("covered: %.4f\n", (double)covered / N_GROUP);
    assert_in_range(covered, 368, 392);
}

/* Agents as they are found (subjects.h), in two groups by lot, which therefore do not differ. */
typedef struct {
    int32_t who[N];
} drawn;

static sonde_status estimate_drawn(void *user, sonde__cohort *g, sonde_error *error) {
    (void)error;
    const drawn *d = user;
    const double more[P] = {1.0 / (g->sd[0] * g->sd[0]), 1.0 / (g->sd[1] * g->sd[1])};
    for (int32_t i = 0; i < g->n_subject; i++) {
        const double *of = of_subjects[d->who[i]];
        const double l[P] = {of[0] + more[0], of[2] + more[1]};
        const double pull[P] = {of[3] + more[0] * g->prior_mean[i * P],
                                of[4] + more[1] * g->prior_mean[i * P + 1]};
        const double whole = l[0] * l[1] - of[1] * of[1];
        for (int32_t p = 0; p < P; p++) {
            g->estimate[i * P + p] = (l[1 - p] * pull[p] - of[1] * pull[1 - p]) / whole;
            g->variance[i * P + p] = l[1 - p] / whole;
            g->joint[(i * P + p) * P + 1 - p] = -of[1] / whole;
        }
    }
    return SONDE_OK;
}

/* Laplace's approximation takes the data for more informative about eta than estimates of it vary,
 * and a covariance of beta that believes it finds next to nothing, whatever there is. */
static void groups_by_lot_differ_as_often_as_intervals_say(void **state) {
    (void)state;
    enum { N_GROUP = 1000 };
    static const double zero[P] = {0.0, 0.0};
    static const double one[P] = {1.0, 1.0};
    int32_t found = 0;
    for (uint64_t seed = 1; seed <= N_GROUP; seed++) {
        drawn d;
        double x[N][2];
        sonde__rng rng = sonde__rng_stream(seed, SONDE__FOR_SAMPLE, 2);
        for (int32_t i = 0; i < N; i++) {
            x[i][0] = 1.0;
            x[i][1] = i % 2;
            d.who[i] = (int32_t)(100.0 * sonde__rng_uniform(&rng));
        }
        const sonde__design design = {.n_subject = N, .n_column = 2, .x = &x[0][0]};
        sonde__cohort *g = NULL;
        sonde_error error;
        assert_int_equal(sonde__cohort_new(&design, P, zero, one, &g, &error), SONDE_OK);
        assert_int_equal(sonde__cohort_fit(g, estimate_drawn, &d, &error), SONDE_OK);
        found += g->low[1] > 0.0 || g->high[1] < 0.0 ? 1 : 0;
        sonde__cohort_free(g);
    }
    print_message("found: %.4f\n", (double)found / N_GROUP);
    assert_in_range(found, 20, 70);
}

/* Where EM stands, beta is the weighted least squares of what was seen, with weights of the marginal
 * distribution, and the likelihood is flat along sd. */
static void a_group_that_stands_is_the_most_likely_one(void **state) {
    (void)state;
    seen s;
    double x[N][Q];
    sonde__cohort *g = fit(7, &s, x);
    assert_true(g->converged);
    assert_in_range(g->n_round, 2, 199);
    while (g->n_round++ < 4000) {
        assert_int_equal(estimate(&s, g, NULL), SONDE_OK);
        (void)sonde__cohort_move(g);
    }
    sonde__cohort_judge(g);
    for (int32_t p = 0; p < P; p++) {
        double slope[Q] = {0};
        double along_sd = 0.0;
        for (int32_t i = 0; i < N; i++) {
            const double both = g->sd[p] * g->sd[p] + s.v[i][p];
            const double off = s.y[i][p] - g->prior_mean[i * P + p];
            along_sd += off * off / (both * both) - 1.0 / both;
            for (int32_t c = 0; c < Q; c++) {
                slope[c] += x[i][c] * off / both;
            }
        }
        assert_near(along_sd, 0.0, 1e-8);
        for (int32_t c = 0; c < Q; c++) {
            assert_near(slope[c], 0.0, 1e-8);
        }
    }
    /* 1 / v is what the posterior has beyond the prior, so that se is that of least squares */
    double information = 0.0;
    for (int32_t i = 0; i < N; i++) {
        information += 1.0 / (g->sd[0] * g->sd[0] + s.v[i][0]);
    }
    assert_true(g->se[0] > 1.0 / sqrt(information));
    sonde__cohort_free(g);
}

static void without_covariates_it_is_mean_and_spread(void **state) {
    (void)state;
    sonde__design design;
    sonde_error error;
    assert_int_equal(sonde__design_plain(3, &design, &error), SONDE_OK);
    static const double zero[1] = {0.0};
    static const double one[1] = {1.0};
    sonde__cohort *g = NULL;
    assert_int_equal(sonde__cohort_new(&design, 1, zero, one, &g, &error), SONDE_OK);
    static const double m[3] = {1.0, 2.0, 6.0};
    static const double c[3] = {0.1, 0.2, 0.3};
    memcpy(g->estimate, m, sizeof m);
    memcpy(g->variance, c, sizeof c);
    assert_false(sonde__cohort_move(g));
    assert_near(g->beta[0], 3.0, 1e-15);
    assert_near(g->sd[0] * g->sd[0], 41.0 / 3.0 + 0.2 - 9.0, 1e-14);
    assert_true(sonde__cohort_move(g));
    /* evidence: 2 numbers of the group, half a ln N each */
    g->evidence[0] = -5.0;
    sonde__cohort_judge(g);
    assert_near(g->log_evidence, -5.0 - log(3.0), 1e-14);
    /* weights 1 / (sd^2 + v), what they make of each subject's score, and what the mean leaves */
    const double group = g->sd[0] * g->sd[0];
    double information = 0.0;
    double spread = 0.0;
    for (int32_t i = 0; i < 3; i++) {
        information += 1.0 / (group + 1.0 / (1.0 / c[i] - 1.0 / group));
    }
    for (int32_t i = 0; i < 3; i++) {
        const double score = (m[i] - 3.0) / group;
        const double weight = 1.0 / (group + 1.0 / (1.0 / c[i] - 1.0 / group));
        const double left = 1.0 - weight / information;
        spread += score * score / (left * left);
    }
    const double se = sqrt(spread) / information;
    assert_near(g->se[0], se, 1e-14);
    assert_near(g->z[0], 3.0 / se, 1e-13);
    assert_near(g->high[0] - g->low[0], 2.0 * 4.302652729749464 * se, 1e-13);
    sonde__cohort_free(g);
    sonde__design_free(&design);
}

static void spreads_do_not_fall_below_a_thousandth_of_the_prior(void **state) {
    (void)state;
    sonde__design design;
    sonde_error error;
    assert_int_equal(sonde__design_plain(2, &design, &error), SONDE_OK);
    static const double zero[1] = {0.0};
    static const double two[1] = {2.0};
    sonde__cohort *g = NULL;
    assert_int_equal(sonde__cohort_new(&design, 1, zero, two, &g, &error), SONDE_OK);
    (void)sonde__cohort_move(g);
    assert_near(g->sd[0], 2e-3, 1e-18);
    sonde__cohort_free(g);
    sonde__design_free(&design);
}

static void nobody_who_says_anything_leaves_beta_open(void **state) {
    (void)state;
    sonde__design design;
    sonde_error error;
    assert_int_equal(sonde__design_plain(2, &design, &error), SONDE_OK);
    static const double zero[1] = {0.0};
    static const double one[1] = {1.0};
    sonde__cohort *g = NULL;
    assert_int_equal(sonde__cohort_new(&design, 1, zero, one, &g, &error), SONDE_OK);
    g->variance[0] = g->variance[1] = 1.0;
    sonde__cohort_judge(g);
    assert_true(isinf(g->se[0]));
    sonde__cohort_free(g);
    sonde__design_free(&design);
    assert_int_equal(sonde__design_plain(1, &design, &error), SONDE_OK);
    assert_int_equal(sonde__cohort_new(&design, 1, zero, one, &g, &error), SONDE_BAD_ARGUMENT);
    assert_non_null(strstr(error.text, "expected 2 subjects or more"));
    sonde__design_free(&design);
}

static void what_is_known_of_one_parameter_stays_where_nothing_is_of_another(void **state) {
    (void)state;
    sonde__design design;
    sonde_error error;
    assert_int_equal(sonde__design_plain(4, &design, &error), SONDE_OK);
    static const double zero[P] = {0.0, 0.0};
    static const double one[P] = {1.0, 1.0};
    static const double told[4] = {-0.5, 0.2, 0.4, 0.9};
    for (int32_t open = 0; open < P; open++) {
        sonde__cohort *g = NULL;
        assert_int_equal(sonde__cohort_new(&design, P, zero, one, &g, &error), SONDE_OK);
        for (int32_t i = 0; i < 4; i++) {
            g->variance[i * P + open] = 1.0; /* the prior's: nothing was seen */
            g->variance[i * P + 1 - open] = 0.25;
            g->estimate[i * P + 1 - open] = told[i];
        }
        sonde__cohort_judge(g);
        assert_true(isinf(g->se[open]));
        assert_in_range(1000.0 * g->se[1 - open], 100, 1000);
        sonde__cohort_free(g);
    }
    sonde__design_free(&design);
}

/* ---------------------------------------------------------------------------------- designs -- */

static const char *const subjects[] = {"s1", "s2", "s3", "s4"};

static sonde_status read_design(const char *text, sonde__design *design, sonde_error *error) {
    static const char path[] = SONDE_TEST_TMP "/covariates.csv";
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    (void)fputs(text, file);
    (void)fclose(file);
    return sonde__design_read(path, 4, subjects, design, error);
}

static void numbers_are_centred_and_words_get_columns(void **state) {
    (void)state;
    sonde__design design;
    sonde_error error;
    assert_int_equal(read_design("age,subject,group\n30,s2,patient\n20,s1,control\n"
                                 "1,s9,other\n40,s4,\"other, one\"\n50,s3,control\n",
                                 &design, &error),
                     SONDE_OK);
    static const double wanted[4][4] = {{1, -15, 0, 0}, {1, -5, 0, 1}, {1, 15, 0, 0}, {1, 5, 1, 0}};
    assert_int_equal(design.n_column, 4);
    assert_int_equal(design.n_covariate, 2);
    assert_string_equal(design.column[1], "age");
    assert_string_equal(design.column[2], "group[other, one]");
    assert_string_equal(design.column[3], "group[patient]");
    for (int32_t i = 0; i < 16; i++) {
        assert_near(design.x[i], wanted[i / 4][i % 4], 1e-14);
    }
    sonde__design less;
    assert_int_equal(sonde__design_without(&design, 1, &less, &error), SONDE_OK);
    assert_int_equal(less.n_column, 2);
    assert_string_equal(less.column[1], "age");
    assert_near(less.x[7], 5.0, 1e-14);
    sonde__design_free(&less);
    assert_int_equal(sonde__design_without(&design, 0, &less, &error), SONDE_OK);
    assert_int_equal(less.n_column, 3);
    assert_string_equal(less.column[1], "group[other, one]");
    sonde__design_free(&less);
    sonde__design_free(&design);
}

static void what_is_wrong_with_covariates_is_a_sentence(void **state) {
    (void)state;
    static const char *const wrong[][2] = {
        {"subject,age\ns1,1\ns2,2\ns3,\ns4,4\n", "row 3, column age: expected a value, found none"},
        {"subject,age\ns1,1\ns2,2\ns3,NA\ns4,4\n",
         "row 3, column age: expected a value, found \"NA\""},
        {"subject,age\ns1,1\ns2,2\ns4,4\n", "found none for \"s3\""},
        {"subject,age\ns1,1\ns2,2\ns3,1\ns2,2\ns4,4\n", "a second one of \"s2\""},
        {"subject,age\ns1,1\ns2,1\ns3,1\ns4,1\n", "column age: expected covariates that do not"},
        {"subject,a,b\ns1,1,2\ns2,2,4\ns3,3,6\ns4,5,10\n", "column b: expected covariates that"},
        {"subject,g,h\ns1,x,u\ns2,y,v\ns3,x,u\ns4,y,v\n", "found that h[v] follows from those"},
        {"subject,g\ns1,x\ns2,x\ns3,x\ns4,x\n", "expected subjects that differ, found \"x\""},
        {"name,age\ns1,1\n", "expected a column subject, or a first column that has every"},
        {"subject\ns1\n", "expected a covariate beside subject"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        sonde__design design;
        sonde_error error;
        assert_int_equal(read_design(wrong[i][0], &design, &error), SONDE_BAD_INPUT);
        assert_non_null(strstr(error.text, wrong[i][1]));
        sonde__design_free(&design);
    }
    sonde__design design;
    sonde_error error;
    assert_int_equal(sonde__design_read("nowhere.csv", 4, subjects, &design, &error),
                     SONDE_NO_FILE);
    sonde__design_free(&design);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(intervals_of_beta_hold_what_is_true_in_95_percent),
        cmocka_unit_test(parameters_that_are_hard_to_tell_apart_are_covered_as_well),
        cmocka_unit_test(groups_by_lot_differ_as_often_as_intervals_say),
        cmocka_unit_test(a_group_that_stands_is_the_most_likely_one),
        cmocka_unit_test(without_covariates_it_is_mean_and_spread),
        cmocka_unit_test(spreads_do_not_fall_below_a_thousandth_of_the_prior),
        cmocka_unit_test(nobody_who_says_anything_leaves_beta_open),
        cmocka_unit_test(what_is_known_of_one_parameter_stays_where_nothing_is_of_another),
        cmocka_unit_test(numbers_are_centred_and_words_get_columns),
        cmocka_unit_test(what_is_wrong_with_covariates_is_a_sentence),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Where nodes go on paper. */
#include <math.h>

#include "documents.h"

#include "draw/draw_internal.h"

#define N_MAX 300

/* Links from pairs of nodes; the arrays are the caller's. */
typedef struct {
    sonde__links links;
    sonde__link link[2 * N_MAX];
    int32_t first[N_MAX + 1];
    int32_t neighbour[4 * N_MAX];
    sonde__point place[N_MAX];
} drawing;

static void add_link(drawing *d, int32_t a, int32_t b) {
    d->link[d->links.n_link++] = (sonde__link){{a, b}, {0, 0}};
}

static void lay_out(drawing *d, int32_t n_node) {
    int32_t n = 0;
    for (int32_t v = 0; v < n_node; v++) {
        d->first[v] = n;
        for (int32_t l = 0; l < d->links.n_link; l++) {
            const int32_t *node = d->link[l].node;
            if (node[0] == v || node[1] == v) {
                d->neighbour[n++] = node[0] == v ? node[1] : node[0];
            }
        }
    }
    d->first[n_node] = n;
    d->links.n_node = n_node;
    d->links.link = d->link;
    d->links.first = d->first;
    d->links.neighbour = d->neighbour;
    assert_int_equal(sonde__layout(&d->links, d->place), SONDE_OK);
    for (int32_t v = 0; v < n_node; v++) {
        assert_true(isfinite(d->place[v].x) && isfinite(d->place[v].y));
    }
}

static double apart(const drawing *d, int32_t a, int32_t b) {
    return sonde__distance(d->place[a], d->place[b]);
}

static void a_chain_is_a_straight_line(void **state) {
    (void)state;
    static drawing d;
    d = (drawing){0};
    for (int32_t v = 0; v + 1 < 6; v++) {
        add_link(&d, v, v + 1);
    }
    lay_out(&d, 6);
    for (int32_t v = 0; v + 1 < 6; v++) {
        assert_near(apart(&d, v, v + 1), 1.0, 0.02);
        assert_near(d.place[v].y, 0.0, 0.1);
    }
    assert_near(apart(&d, 0, 5), 5.0, 0.1);
}

static void a_ring_has_no_crossing(void **state) {
    (void)state;
    static drawing d;
    d = (drawing){0};
    for (int32_t v = 0; v < 8; v++) {
        add_link(&d, v, (v + 1) % 8);
    }
    lay_out(&d, 8);
    /* all as far from the middle */
    const sonde__point middle = {0.0, 0.0};
    for (int32_t v = 0; v < 8; v++) {
        assert_near(sonde__distance(d.place[v], middle), sonde__distance(d.place[0], middle), 0.05);
        assert_true(apart(&d, v, (v + 1) % 8) < 1.3);
    }
}

static void no_two_nodes_lie_on_each_other(void **state) {
    (void)state;
    static drawing d;
    d = (drawing){0};
    /* a star, whose leaves all want to be at the same distances */
    for (int32_t v = 1; v < 20; v++) {
        add_link(&d, 0, v);
    }
    lay_out(&d, 20);
    for (int32_t v = 0; v < 20; v++) {
        for (int32_t w = 0; w < v; w++) {
            assert_true(apart(&d, v, w) > 0.3);
        }
    }
}

static void parts_that_are_not_joined_are_laid_out_too(void **state) {
    (void)state;
    static drawing d;
    d = (drawing){0};
    add_link(&d, 0, 1);
    add_link(&d, 2, 3);
    lay_out(&d, 5);
    for (int32_t v = 0; v < 5; v++) {
        for (int32_t w = 0; w < v; w++) {
            assert_true(apart(&d, v, w) > 0.5 && apart(&d, v, w) < 10.0);
        }
    }
}

static void one_node_is_in_the_middle(void **state) {
    (void)state;
    static drawing d;
    d = (drawing){0};
    lay_out(&d, 1);
    assert_near(d.place[0].x, 0.0, 1e-12);
    assert_near(d.place[0].y, 0.0, 1e-12);
}

static void many_nodes_keep_their_neighbours_near(void **state) {
    (void)state;
    static drawing d;
    d = (drawing){0};
    for (int32_t v = 0; v < N_MAX; v++) {
        add_link(&d, v, (v + 1) % N_MAX);
    }
    lay_out(&d, N_MAX);
    double sum = 0.0;
    for (int32_t v = 0; v < N_MAX; v++) {
        sum += apart(&d, v, (v + 1) % N_MAX);
    }
    assert_true(sum / N_MAX < 2.0);
    assert_true(apart(&d, 0, N_MAX / 2) > 30.0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_chain_is_a_straight_line),
        cmocka_unit_test(a_ring_has_no_crossing),
        cmocka_unit_test(no_two_nodes_lie_on_each_other),
        cmocka_unit_test(parts_that_are_not_joined_are_laid_out_too),
        cmocka_unit_test(one_node_is_in_the_middle),
        cmocka_unit_test(many_nodes_keep_their_neighbours_near),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Rows that the program gives: searched, clustered and embedded like those of any embedding. */
#include "embed/embed.h"
#include "stages.h"

typedef struct {
    int32_t n_row;
    int32_t n_column;
    const double *row;
} rows_given;

/* The rows of another embedding, of all policies that an embedder wants of an origin. */
static double *rows_of(const sonde_embedder *own, const sonde_embedder *other, int32_t origin,
                       rows_given *rows) {
    const uint64_t n = sonde_embedder_size(own, origin);
    uint64_t *index = room(n, sizeof *index);
    int32_t *walk = room((uint64_t)own->policies->horizon + 1, sizeof *walk);
    double *row = room(n * (uint64_t)other->n_column, sizeof *row);
    assert_int_equal(sonde_embedder_list(own, origin, index, NULL), SONDE_OK);
    for (uint64_t i = 0; i < n; i++) {
        sonde_policies_get(own->policies, origin, index[i], walk, NULL);
        assert_int_equal(sonde_embedder_row(other, walk, row + i * (uint64_t)other->n_column, NULL),
                         SONDE_OK);
    }
    *rows = (rows_given){.n_row = (int32_t)n, .n_column = other->n_column, .row = row};
    free(walk);
    free(index);
    return row;
}

/* An embedder of the program's own with the rows of another, for one origin. */
typedef struct {
    sonde_embedder *other;
    sonde_embedder *own;
    double *row;
} given;

static given give(const space *s, const char *name, int32_t n_sample, int32_t origin) {
    given g = {0};
    rows_given rows;
    sonde_embed_settings settings = embedding_called(name);
    settings.n_sample = n_sample;
    settings.seed = 1;
    assert_int_equal(sonde_embedder_new(s->policies, &settings, NULL, &g.other, NULL), SONDE_OK);
    settings.kind = SONDE_EMBEDDING_OWN;
    assert_int_equal(sonde_embedder_new(s->policies, &settings, NULL, &g.own, NULL), SONDE_OK);
    g.row = rows_of(g.own, g.other, origin, &rows);
    assert_int_equal(sonde_embedder_give(g.own, origin, rows.n_row, rows.n_column, rows.row, NULL),
                     SONDE_OK);
    return g;
}

static void given_free(given *g) {
    sonde_embedder_free(g->own);
    sonde_embedder_free(g->other);
    free(g->row);
}

static void the_same_rows_are_searched_alike_whoever_made_them(void **state) {
    (void)state;
    const sonde_search_kind kind[] = {SONDE_SEARCH_CLUSTER, SONDE_SEARCH_TREE,
                                      SONDE_SEARCH_SURROGATE};
    const char *const name[] = {"boe", "edm", "timed"};
    for (uint64_t seed = 0; seed < 18; seed++) {
        space s = space_random(4, seed, SONDE_SYMMETRIC);
        sonde_search_settings settings = cluster_defaults();
        settings.search = kind[seed % 3];
        settings.scope = (sonde_scope)(seed / 3 % 2);
        settings.embed.n_sample = seed < 9 ? 0 : 50;
        settings.cluster.k = 5;
        settings.embed.kind = sonde_name_find(sonde_embedding_name, name[seed % 2 * 2]);
        const int32_t origin = settings.scope == SONDE_LOCAL ? s.graph->start : SONDE_EVERYWHERE;
        given g = give(&s, name[seed % 2 * 2], settings.embed.n_sample, origin);
        thought other = think(&s, &settings, NULL);
        settings.embed.kind = SONDE_EMBEDDING_OWN;
        settings.embedder = g.own;
        thought own = think(&s, &settings, NULL);
        assert_same_decision(own.decision, other.decision, s.policies->horizon);
        thought_free(&own);
        thought_free(&other);
        given_free(&g);
        space_free(&s);
    }
}

static void they_are_embedded_like_others(void **state) {
    (void)state;
    space s = space_random(4, 2, SONDE_SYMMETRIC);
    given g = give(&s, "boe", 0, s.graph->start);
    sonde_embedding *own = NULL;
    sonde_embedding *other = NULL;
    assert_int_equal(sonde_embedding_new(g.own, s.graph->start, NULL, &own, NULL), SONDE_OK);
    assert_int_equal(sonde_embedding_new(g.other, s.graph->start, NULL, &other, NULL), SONDE_OK);
    assert_int_equal(own->n_row, other->n_row);
    assert_same_bytes(own->row_of, other->row_of, (size_t)own->n_policy, sizeof(int32_t));
    assert_string_equal(sonde_embedding_name(own->settings.kind), "own");
    sonde_embedding_free(own);
    sonde_embedding_free(other);
    given_free(&g);
    space_free(&s);
}

/* Gives rows, and expects a sentence with these words. */
static void assert_refused(sonde_embedder *own, int32_t origin, rows_given rows,
                           const char *words) {
    sonde_error error = {0};
    assert_int_equal(sonde_embedder_give(own, origin, rows.n_row, rows.n_column, rows.row, &error),
                     SONDE_BAD_ARGUMENT);
    if (strstr(error.text, words) == NULL) {
        fail_msg("expected \"%s\", found \"%s\"", words, error.text);
    }
}

static void rows_that_are_none_are_refused(void **state) {
    (void)state;
    space s = space_random(4, 2, SONDE_SYMMETRIC);
    const int32_t start = s.graph->start;
    given g = give(&s, "boe", 0, start);
    const int32_t n = (int32_t)sonde_embedder_size(g.own, start);
    const int32_t m = g.other->n_column;
    assert_refused(g.own, start, (rows_given){n - 1, m, g.row}, "one for each policy");
    assert_refused(g.own, start, (rows_given){n, m - 1, g.row}, "as the first ones had");
    assert_refused(g.own, s.policies->n_origin, (rows_given){n, m, g.row}, "origin: expected");
    assert_refused(g.other, start, (rows_given){n, m, g.row}, "found boe");
    g.row[m] = (double)NAN;
    assert_refused(g.own, start, (rows_given){n, m, g.row}, "finite numbers");
    double row[8];
    int32_t *walk = room((uint64_t)s.policies->horizon + 1, sizeof *walk);
    assert_int_equal(sonde_embedder_row(g.own, walk, row, NULL), SONDE_BAD_ARGUMENT);
    free(walk);
    given_free(&g);
    space_free(&s);
}

/* without rows at all, of another sample, with members that have none, and at a place without */
static void a_search_says_what_its_rows_lack(void **state) {
    (void)state;
    space s = space_random(4, 2, SONDE_SYMMETRIC);
    given g = give(&s, "boe", 0, s.graph->start);
    sonde_search_settings settings = cluster_defaults();
    sonde_error error = {0};
    sonde_agent *agent = NULL;
    settings.embed.kind = SONDE_EMBEDDING_OWN;
    assert_int_equal(sonde_agent_new(s.policies, &settings, NULL, &agent, &error),
                     SONDE_BAD_ARGUMENT);
    assert_string_equal(error.setting, "embedding");
    settings.embedder = g.own;
    settings.embed.n_sample = 20;
    assert_int_equal(sonde_agent_new(s.policies, &settings, NULL, &agent, &error),
                     SONDE_BAD_ARGUMENT);
    given_free(&g);
    g = give(&s, "boe", 20, s.graph->start);
    settings.embedder = g.own;
    settings.n_member = 3;
    assert_int_equal(sonde_agent_new(s.policies, &settings, NULL, &agent, &error),
                     SONDE_BAD_ARGUMENT);
    assert_string_equal(error.setting, "members");
    settings.n_member = 0;
    agent = agent_of(&s, &settings, NULL);
    const sonde_decision *decision = NULL;
    const int32_t elsewhere = s.graph->start == 0 ? 1 : 0;
    assert_int_equal(sonde_agent_observe(agent, &elsewhere, NULL), SONDE_OK);
    assert_int_equal(sonde_agent_search(agent, &decision, &error), SONDE_BAD_ARGUMENT);
    assert_non_null(strstr(error.text, "there are no rows"));
    sonde_agent_free(agent);
    sonde_embedding *rows = NULL;
    assert_int_equal(sonde_embedding_new(g.own, elsewhere, NULL, &rows, &error),
                     SONDE_BAD_ARGUMENT);
    given_free(&g);
    space_free(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_rows_are_searched_alike_whoever_made_them),
        cmocka_unit_test(they_are_embedded_like_others),
        cmocka_unit_test(rows_that_are_none_are_refused),
        cmocka_unit_test(a_search_says_what_its_rows_lack),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

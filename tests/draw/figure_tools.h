/* figure_tools.h: a study by hand, and pictures looked at closely, for tests of both. */
#ifndef TESTS_FIGURE_TOOLS_H
#define TESTS_FIGURE_TOOLS_H

#include "documents.h"

#include <math.h>
#include <stdio.h>

#include "base/rng.h"
#include "summary/summary.h"

/* ------------------------------------------------------------------------------------ study -- */

#define FAKE_CONDITION_MAX 600

/* Results that were never measured, but look as if they were. */
typedef struct {
    sonde__results results;
    sonde_study_plan plan;
    sonde_condition condition[FAKE_CONDITION_MAX];
    sonde__result_run *run; /* (results.n_run) */
} fake;

static const int32_t fake_sizes[] = {3, 4, 5, 6};

static inline fake *fake_new(void) {
    fake *f = calloc(1, sizeof *f);
    assert_non_null(f);
    f->plan.name = "fake";
    f->plan.text = "{}";
    f->plan.condition = f->condition;
    f->results.path = "fake.sqlite";
    f->results.version = "0.0.0";
    f->results.plan = &f->plan;
    return f;
}

static inline void fake_free(fake *f) {
    free(f->run);
    free(f);
}

/* Appends a condition; `embedding` NULL is full search, `n` 1 the centre. */
static inline sonde_condition *fake_condition(fake *f, const char *group, sonde_scope scope,
                                              const char *embedding, int32_t k, int32_t n) {
    assert_true(f->plan.n_condition < FAKE_CONDITION_MAX);
    sonde_condition *condition = &f->condition[f->plan.n_condition++];
    condition->group = group;
    condition->label = group;
    condition->n_size = 3;
    condition->size = fake_sizes;
    condition->n_graph = 40;
    condition->search = sonde_search_defaults();
    condition->search.embed.kind = 0;
    condition->search.gamma = 1.0;
    condition->search.search = embedding == NULL ? SONDE_SEARCH_FULL : SONDE_SEARCH_CLUSTER;
    condition->search.scope = scope;
    if (embedding != NULL) {
        condition->search.embed.kind = sonde_name_find(sonde_embedding_name, embedding);
    }
    condition->search.cluster.k = k > 0 ? k : 12;
    condition->k_before = condition->search.cluster.k;
    condition->search.probe = n == 1 ? SONDE_PROBE_CENTER : SONDE_PROBE_SAMPLE;
    condition->search.n_sample = n > 1 ? n : 3;
    return condition;
}

/* The 26 conditions of the paper's table; returns the first. */
static inline sonde_condition *fake_table(fake *f, const char *group, uint32_t differences,
                                          sonde_connect connect, sonde_action_rule action) {
    static const char *const embedding[] = {"edm", "boe", "aboe"};
    sonde_condition *first = &f->condition[f->plan.n_condition];
    for (int scope = 0; scope < 2; scope++) {
        fake_condition(f, group, (sonde_scope)scope, NULL, 0, 1);
        for (int e = 0; e < 3; e++) {
            for (int i = 0; i < 4; i++) {
                sonde_condition *condition = fake_condition(
                    f, group, (sonde_scope)scope, embedding[e], i < 2 ? 6 : 12, i % 2 == 0 ? 1 : 3);
                condition->k_before = i == 0 || i == 3 ? 12 : 6;
            }
        }
    }
    for (sonde_condition *c = first; c < &f->condition[f->plan.n_condition]; c++) {
        c->differences = differences;
        c->search.action = action;
        c->connect = connect;
    }
    return first;
}

/* A chance of being optimal that the figures look good with. */
static inline double fake_chance(const sonde_condition *condition, int32_t size) {
    const sonde_search_settings *s = &condition->search;
    if (s->action == SONDE_ACTION_SOFTMAX) {
        return 0.12;
    }
    if (s->search == SONDE_SEARCH_FULL) {
        return 0.985;
    }
    const double n_sample = s->probe == SONDE_PROBE_CENTER ? 0.0 : 0.03 * (double)s->n_sample;
    const double clusters = 0.06 * log2((double)s->cluster.k);
    const double harder = 0.09 * (double)(size - 3);
    const double wrong = 0.07 * (double)__builtin_popcount(condition->differences);
    const double lookup = (condition->differences >> SONDE_DIFFERENCE_LOOKUP & 1u) != 0 &&
                                  s->scope == SONDE_LOCAL && s->probe == SONDE_PROBE_CENTER
                              ? 0.4
                              : 0.0;
    static const double better[] = {0.0, -0.03, 0.06, 0.04, -0.05, -0.1};
    const double kind = better[s->embed.kind % 6] * (s->scope == SONDE_GLOBAL ? 1.0 : -1.0);
    const double share = 0.62 + kind + n_sample + clusters - harder - 0.5 * wrong - lookup;
    return fmin(1.0, fmax(0.02, share));
}

static inline double fake_policies(const sonde_condition *condition, int32_t size, double luck) {
    static const double everywhere[] = {243.0, 2258.0, 16097.0, 97534.0};
    const double spread = exp(1.6 * (luck - 0.5));
    const double all = everywhere[size - 3] * spread;
    return condition->search.scope == SONDE_GLOBAL ? all : all / (4.0 * (double)size);
}

static inline void fake_outcome(sonde__result_run *run, double chance, double luck, double kind) {
    run->optimal = luck < chance;
    run->failure = run->optimal  ? SONDE_FAILURE_NONE
                   : kind < 0.45 ? SONDE_FAILURE_STAYED
                   : kind < 0.65 ? SONDE_FAILURE_NEVER
                   : kind < 0.9  ? SONDE_FAILURE_DETOUR
                                 : SONDE_FAILURE_LEFT;
    run->reached = run->optimal || kind >= 0.65 ? 2 : -1;
    run->path = "0-1-1";
}

static inline void fake_cost(sonde__result_run *run, const sonde_condition *condition,
                             double policies, bool first) {
    static const double factor[] = {1.0, 1.0, 1.4, 1.4, 1.4, 40.0};
    const bool full = condition->search.search == SONDE_SEARCH_FULL;
    const double k = (double)condition->search.cluster.k;
    const double n =
        condition->search.probe == SONDE_PROBE_CENTER ? 1.0 : (double)condition->search.n_sample;
    const double uneven = 1.5 + 0.2 * (double)condition->search.embed.kind;
    const double scored = full ? policies : k * n + uneven * policies / k;
    run->n_decision = 10;
    run->n_policy = (uint64_t)(10.0 * scored);
    run->n_step = (uint64_t)(6.0 * scored);
    run->equivalent = 6.0 * scored / (double)run->size;
    run->decide_seconds = 2e-8 * (double)run->n_step;
    if (!full) {
        run->k = condition->search.cluster.k;
        run->n_valid = condition->search.scope == SONDE_LOCAL ? run->k : run->graph % 4;
        run->n_clustering = condition->search.scope == SONDE_LOCAL ? 4 : 1;
        run->n_reused = first ? 0 : run->n_clustering;
        run->embed_seconds = 1e-7 * policies * factor[condition->search.embed.kind % 6];
        run->cluster_seconds = 6e-7 * policies * k * factor[condition->search.embed.kind % 6] / 6.0;
    }
}

/* Runs all conditions: the same luck on the same world. */
static inline void fake_run(fake *f) {
    const int64_t most = (int64_t)f->plan.n_condition * 4 * 40;
    f->run = calloc((size_t)most + 1, sizeof *f->run);
    assert_non_null(f->run);
    int32_t n = 0;
    for (int32_t c = 0; c < f->plan.n_condition; c++) {
        const sonde_condition *condition = &f->condition[c];
        for (int32_t i = 0; i < condition->n_size * condition->n_graph; i++) {
            sonde__result_run *run = &f->run[n++];
            run->condition = c;
            run->size = condition->size[i / condition->n_graph];
            run->graph = i % condition->n_graph;
            sonde__rng rng = sonde__rng_stream((uint64_t)run->size, SONDE__FOR_GRAPH,
                                               (uint64_t)run->graph + 1000 * condition->connect);
            const double luck = sonde__rng_uniform(&rng);
            const double kind = sonde__rng_uniform(&rng);
            const double scale = sonde__rng_uniform(&rng);
            fake_outcome(run, fake_chance(condition, run->size), luck, kind);
            fake_cost(run, condition, fake_policies(condition, run->size, scale),
                      condition->search.probe == SONDE_PROBE_CENTER);
        }
    }
    f->results.n_run = n;
    f->results.run = f->run;
}

/* A study like the built-in plan `paper`. */
static inline fake *fake_paper(void) {
    static const int32_t k[] = {2, 3, 4, 6, 8, 12, 16, 24, 32, 50, 70, 100};
    fake *f = fake_new();
    fake_table(f, "table", SONDE_SEMANTICS_TEXT, SONDE_SYMMETRIC, SONDE_ACTION_MARGINAL);
    fake_table(f, "table", SONDE_SEMANTICS_NOTEBOOK, SONDE_SYMMETRIC, SONDE_ACTION_MARGINAL);
    for (uint32_t bit = 0; bit < SONDE_DIFFERENCE_COUNT; bit++) {
        fake_table(f, "difference", 1u << bit, SONDE_SYMMETRIC, SONDE_ACTION_MARGINAL);
    }
    fake_table(f, "difference", SONDE_SEMANTICS_TEXT, SONDE_DIRECTED, SONDE_ACTION_MARGINAL);
    fake_table(f, "difference", SONDE_SEMANTICS_TEXT, SONDE_SYMMETRIC, SONDE_ACTION_SOFTMAX);
    for (int scope = 0; scope < 2; scope++) {
        for (int i = 0; i < 12; i++) {
            sonde_condition *condition =
                fake_condition(f, "sweep-k", (sonde_scope)scope, "boe", k[i], 1);
            condition->n_size = scope == 0 ? 4 : 3;
            condition->n_graph = 10;
        }
    }
    for (int32_t n = 1; n <= 10; n++) {
        sonde_condition *condition = fake_condition(f, "sweep-n", SONDE_LOCAL, "boe", 12, n);
        condition->search.probe = SONDE_PROBE_SAMPLE;
        condition->search.n_sample = n;
        condition->n_size = 4;
        condition->n_graph = 10;
    }
    fake_run(f);
    return f;
}

/* --------------------------------------------------------------------------------- pictures -- */

static inline int count_of(const char *text, const char *wanted) {
    int n = 0;
    for (const char *s = strstr(text, wanted); s != NULL; s = strstr(s + 1, wanted)) {
        n++;
    }
    return n;
}

/* The character after an entity such as &amp; that begins at s. */
static inline const char *skip_entity(const char *s) {
    static const char *const known[] = {"&amp;", "&lt;", "&gt;", "&quot;"};
    for (int i = 0; i < 4; i++) {
        if (strncmp(s, known[i], strlen(known[i])) == 0) {
            return s + strlen(known[i]);
        }
    }
    fail_msg("an & that is no entity: %.20s", s);
    return s;
}

/* The end of a tag that begins at s; a > in quotes is no end. */
static inline const char *skip_tag(const char *s) {
    bool quoted = false;
    for (s++; quoted || *s != '>'; s++) {
        assert_true(*s != '\0');
        assert_true(*s != '<');
        quoted = *s == '"' ? !quoted : quoted;
    }
    return s + 1;
}

/* Every tag that opens closes, in order; text has no stray markup or control characters. */
static inline void assert_well_formed(const char *svg) {
    char open[32][16];
    int depth = 0;
    for (const char *s = svg; *s != '\0';) {
        if (*s == '&') {
            s = skip_entity(s);
        } else if (*s != '<') {
            assert_true((unsigned char)*s >= 0x20 || *s == '\n');
            assert_true(*s != '>');
            s++;
        } else {
            char name[16] = "";
            const bool closes = s[1] == '/';
            assert_int_equal(sscanf(s + (closes ? 2 : 1), "%15[a-z]", name), 1);
            const char *end = skip_tag(s);
            if (closes) {
                assert_true(depth > 0);
                assert_string_equal(name, open[--depth]);
            } else if (end[-2] != '/') {
                assert_true(depth < 32);
                memcpy(open[depth++], name, sizeof name);
            }
            s = end;
        }
    }
    assert_int_equal(depth, 0);
}

/* One document that stands on its own: no numbers that are none, nothing from outside. */
static inline void assert_picture(const sonde_text *svg) {
    assert_false(svg->failed);
    assert_non_null(svg->data);
    assert_well_formed(svg->data);
    assert_int_equal(strncmp(svg->data, "<svg ", 5), 0);
    assert_int_equal(count_of(svg->data, "<svg "), 1);
    assert_int_equal(count_of(svg->data, "<desc>"), 1);
    assert_int_equal(count_of(svg->data, "viewBox="), 1);
    static const char *const foreign[] = {"nan\"",  "null",   "inf\"", "href", "<script",
                                          "<style", "style=", " id=",  "url("};
    for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++) {
        if (strstr(svg->data, foreign[i]) != NULL) {
            fail_msg("%s in a picture", foreign[i]);
        }
    }
}

/* Keeps a picture in the test's folder, for people to look at. */
static inline void keep_picture(const sonde_text *svg, const char *name) {
    char path[512];
    (void)snprintf(path, sizeof path, "%s/%s.svg", SONDE_TEST_TMP, name);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(svg->data, 1, svg->size, file), svg->size);
    assert_int_equal(fclose(file), 0);
}

#endif

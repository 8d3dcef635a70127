/* report_differences.c: what the paper's numbers mean.
 *
 * The authors' notebook differs from their text in several ways. Each was switched on alone, and
 * this section says how far that moves the cells of the table. Conditions on the same worlds are
 * compared world by world: a change is clear when the worlds on which the two disagree are split
 * more unevenly than chance does one time in twenty (sign test). Directed worlds are others, so
 * that only the change itself is given. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "draw/report_figures.h"
#include "draw/report_page.h"

#define ALPHA 0.05

/* What differs from the text, and what that means. */
typedef struct {
    const char *name;
    const char *group;
    uint32_t differences;
    sonde_connect connect;
    sonde_action_rule action;
    const char *meaning;
} variant;

#define ALONE(code, name, meaning)                                                                 \
    { (name), "difference", 1u << (code), SONDE_SYMMETRIC, SONDE_ACTION_MARGINAL, (meaning) }

static const variant variants[] = {
    ALONE(
        SONDE_DIFFERENCE_BOE, "boe",
        "The paper counts how often a policy uses each edge; the notebook records whether it does. "
        "Walking to and fro between two nodes then looks like passing once."),
    ALONE(
        SONDE_DIFFERENCE_ABOE, "aboe",
        "The paper appends the last node to the bag of edges. The notebook appends the numbers of "
        "the first and the second edge; they are far larger than the zeros and ones beside them, so "
        "that k-means sorts by these numbers and little else."),
    ALONE(
        SONDE_DIFFERENCE_LOOKUP, "lookup",
        "In local scope a representative is known by its number among the local policies, but the "
        "notebook looks that number up in the global list. What it scores is some other policy, "
        "mostly one that cannot be carried out from here, and the probe says nothing about its "
        "cluster."),
    ALONE(
        SONDE_DIFFERENCE_LAG, "lag",
        "Clusters are made before the new k is stored, so that a run uses the k of the run before "
        "it: the rows with n = 1 use the other k, those with n = 3 their own."),
    ALONE(
        SONDE_DIFFERENCE_NEAREST, "nearest",
        "The representative of a cluster is the policy nearest its centre among all policies of the "
        "scope, and need not be one of its members."),
    ALONE(
        SONDE_DIFFERENCE_EMPTY, "empty",
        "With fewer distinct rows than k some clusters stay empty, and the notebook fails when it "
        "chooses one. Sonde draws such worlds anew, for all conditions alike, and counts them."),
    ALONE(SONDE_DIFFERENCE_ORDER, "order",
          "Clusters are numbered as their seeds were drawn, and of several clusters with the same "
          "smallest score the first is taken: a random one."),
    {"directed", "difference", SONDE_SEMANTICS_TEXT, SONDE_DIRECTED, SONDE_ACTION_MARGINAL,
     "The paper says that graphs are directed and made strongly connected; its code gives both "
     "directions of an edge one weight. Under both readings the table has the latter."},
    {"softmax", "difference", SONDE_SEMANTICS_TEXT, SONDE_SYMMETRIC, SONDE_ACTION_SOFTMAX,
     "The paper says that actions are drawn from a softmax of their summed probabilities, which makes "
     "them nearly random; its code draws from the probabilities themselves. Under both readings the "
     "table has the latter."},
    {"notebook", "table", SONDE_SEMANTICS_NOTEBOOK, SONDE_SYMMETRIC, SONDE_ACTION_MARGINAL,
     "The first seven together."},
};
#define N_VARIANT ((int32_t)(sizeof variants / sizeof *variants))

/* ------------------------------------------------------------------------------------- comparing -- */

/* One cell under one variant. */
typedef struct {
    sonde__tally before; /* under the text */
    sonde__tally after;
    double change; /* in points; NaN without runs */
    double p;      /* of the sign test; NaN where worlds differ */
} comparison;

static int32_t find_condition(const sonde_study_plan *plan, const sonde__cell_key *key,
                              const variant *wanted) {
    for (int32_t c = 0; c < plan->n_condition; c++) {
        const sonde_condition *condition = &plan->condition[c];
        const sonde__cell_key found = sonde__key_of(condition);
        if (sonde__in_group(condition, wanted->group) &&
            condition->differences == wanted->differences &&
            condition->connect == wanted->connect && condition->search.action == wanted->action &&
            sonde__key_compare(&found, key) == 0) {
            return c;
        }
    }
    return -1;
}

/* Compares world by world; both stretches are in the order of worlds. */
static double compare_worlds(sonde__run_list a, sonde__run_list b) {
    int32_t better = 0;
    int32_t worse = 0;
    for (int32_t i = 0, j = 0; i < a.n && j < b.n;) {
        const int32_t apart = a.run[i].graph - b.run[j].graph;
        if (apart == 0) {
            better += !a.run[i].optimal && b.run[j].optimal ? 1 : 0;
            worse += a.run[i].optimal && !b.run[j].optimal ? 1 : 0;
        }
        i += apart <= 0 ? 1 : 0;
        j += apart >= 0 ? 1 : 0;
    }
    return sonde__sign_test(better, worse);
}

static comparison compare(const sonde__results *results, const sonde__cell_key *key, int32_t size,
                          const variant *wanted) {
    static const variant text = {
        "text", "table", SONDE_SEMANTICS_TEXT, SONDE_SYMMETRIC, SONDE_ACTION_MARGINAL, ""};
    const sonde__run_list before =
        sonde__runs(results, find_condition(results->plan, key, &text), size);
    const sonde__run_list after =
        sonde__runs(results, find_condition(results->plan, key, wanted), size);
    comparison made = {.p = NAN};
    sonde__tally_add(&made.before, before);
    sonde__tally_add(&made.after, after);
    made.change = sonde__tally_percent(&made.after) - sonde__tally_percent(&made.before);
    if (wanted->connect == SONDE_SYMMETRIC && !isnan(made.change)) {
        made.p = compare_worlds(before, after);
    }
    return made;
}

/* -------------------------------------------------------------------------------------- summing up -- */

/* What a variant does to the embeddings' cells of a scope. */
typedef struct {
    int32_t n;
    int32_t n_clear;
    double mean;
    double most; /* the largest change, with its sign */
    sonde__cell_key most_key;
    int32_t most_size;
} summary;

static summary sum_up(const sonde__page *page, const variant *wanted, sonde_scope scope) {
    const sonde__table_sum *table = &page->table;
    summary s = {0};
    for (int32_t i = 0; i < table->n_row * table->n_size; i++) {
        const sonde__cell_key *key = &table->key[i / table->n_size];
        const int32_t size = table->size[i % table->n_size];
        if (key->scope != scope || strcmp(key->embedding, "none") == 0) {
            continue;
        }
        const comparison made = compare(page->results, key, size, wanted);
        if (isnan(made.change)) {
            continue;
        }
        s.n++;
        s.n_clear += made.p < ALPHA ? 1 : 0;
        s.mean += (made.change - s.mean) / (double)s.n;
        if (s.n == 1 || fabs(made.change) > fabs(s.most)) {
            s.most = made.change;
            s.most_key = *key;
            s.most_size = size;
        }
    }
    return s;
}

static sonde__word signed_points(double points) {
    sonde__word word = sonde__fixed(points, 1);
    if (points >= 0.05) {
        (void)snprintf(word.text, sizeof word.text, "+%.20s", sonde__fixed(points, 1).text);
    }
    return word;
}

static void add_summary(const summary *s, bool paired, sonde__grid *grid) {
    if (s->n == 0) {
        for (int32_t i = 0; i < 3; i++) {
            sonde__grid_put(grid, i == 2 ? SONDE__LEFT : 0, "");
        }
        return;
    }
    char clear[64] = "";
    char most[128];
    if (paired) {
        (void)snprintf(clear, sizeof clear, "%" PRId32 " of %" PRId32, s->n_clear, s->n);
    }
    (void)snprintf(most, sizeof most, "%s: %s, k %" PRId32 ", n %" PRId32 ", %" PRId32 " nodes",
                   signed_points(s->most).text, sonde__embedding_title(s->most_key.embedding),
                   s->most_key.k, s->most_key.n, s->most_size);
    sonde__grid_put(grid, 0, signed_points(s->mean).text);
    sonde__grid_put(grid, 0, clear);
    sonde__grid_put(grid, SONDE__LEFT, fabs(s->most) > 0.0 ? most : "none");
}

static void fill_summaries(const sonde__page *page, sonde__grid *grid) {
    static const char *const head[] = {"mean, points", "clear cells", "largest"};
    sonde__grid_add(grid, SONDE__LEFT, 1, "", NULL);
    sonde__grid_add(grid, 0, 3, "local scope", NULL);
    sonde__grid_add(grid, 0, 3, "global scope", NULL);
    sonde__grid_put(grid, SONDE__LEFT, "switched on");
    for (int32_t i = 0; i < 6; i++) {
        sonde__grid_put(grid, i % 3 == 2 ? SONDE__LEFT : 0, head[i % 3]);
    }
    for (int32_t v = 0; v < N_VARIANT; v++) {
        const summary local = sum_up(page, &variants[v], SONDE_LOCAL);
        const summary global = sum_up(page, &variants[v], SONDE_GLOBAL);
        const bool last = strcmp(variants[v].group, "table") == 0;
        if (local.n + global.n == 0) {
            continue;
        }
        sonde__grid_put(grid, SONDE__LEFT | (last ? SONDE__RULE : 0), variants[v].name);
        add_summary(&local, variants[v].connect == SONDE_SYMMETRIC, grid);
        add_summary(&global, variants[v].connect == SONDE_SYMMETRIC, grid);
    }
}

/* Every cell under every variant, for the CSV file. */
static void fill_list(const sonde__page *page, sonde__grid *grid) {
    static const char *const head[] = {"difference", "scope", "embedding", "k",      "n", "size",
                                       "graphs",     "text",  "changed",   "change", "p"};
    const sonde__table_sum *table = &page->table;
    for (int32_t i = 0; i < 11; i++) {
        sonde__grid_put(grid, 0, head[i]);
    }
    for (int32_t i = 0; i < N_VARIANT * table->n_row * table->n_size; i++) {
        const variant *of = &variants[i / (table->n_row * table->n_size)];
        const sonde__cell_key *key = &table->key[i / table->n_size % table->n_row];
        const int32_t size = table->size[i % table->n_size];
        const comparison made = compare(page->results, key, size, of);
        if (isnan(made.change)) {
            continue;
        }
        sonde__grid_put(grid, SONDE__LEFT, of->name);
        sonde__grid_put(grid, SONDE__LEFT, sonde_scope_name((int32_t)key->scope));
        sonde__grid_put(grid, SONDE__LEFT, key->embedding);
        sonde__grid_integer(grid, 0, key->k);
        sonde__grid_integer(grid, 0, key->n);
        sonde__grid_integer(grid, 0, size);
        sonde__grid_integer(grid, 0, made.after.n_run);
        sonde__grid_put(grid, 0, sonde__fixed(sonde__tally_percent(&made.before), 4).text);
        sonde__grid_put(grid, 0, sonde__fixed(sonde__tally_percent(&made.after), 4).text);
        sonde__grid_put(grid, 0, sonde__fixed(made.change, 4).text);
        sonde__grid_put(grid, 0, sonde__fixed(made.p, 6).text);
    }
}

/* ------------------------------------------------------------------------------------------ section -- */

static bool has_data(const sonde__page *page) {
    for (int32_t v = 0; v < N_VARIANT - 1; v++) {
        if (sum_up(page, &variants[v], SONDE_LOCAL).n > 0 ||
            sum_up(page, &variants[v], SONDE_GLOBAL).n > 0) {
            return true;
        }
    }
    return false;
}

/* The variant, other than all together, with the largest mean change in a scope. */
static const variant *strongest(const sonde__page *page, sonde_scope scope, summary *of) {
    const variant *found = NULL;
    for (int32_t v = 0; v < N_VARIANT - 1; v++) {
        const summary s = sum_up(page, &variants[v], scope);
        if ((variants[v].differences & SONDE_SEMANTICS_NOTEBOOK) != 0 && s.n > 0 &&
            (found == NULL || fabs(s.mean) > fabs(of->mean))) {
            found = &variants[v];
            *of = s;
        }
    }
    return found;
}

static void add_words(sonde__page *page) {
    static const sonde_scope scopes[] = {SONDE_LOCAL, SONDE_GLOBAL};
    sonde_text *body = &page->body;
    sonde_text_add(body,
                   "<p>Each difference between the authors\342\200\231 notebook and their text was "
                   "switched on alone, everything else being as the text has it. ");
    for (int32_t i = 0; i < 2; i++) {
        summary s = {0};
        const variant *found = strongest(page, scopes[i], &s);
        if (found != NULL) {
            sonde_text_add(
                body,
                "In %s scope <code>%s</code> moves the table most: %s points on average, "
                "clearly in %" PRId32 " of %" PRId32 " cells. ",
                sonde_scope_name((int32_t)scopes[i]), found->name, signed_points(s.mean).text,
                s.n_clear, s.n);
        }
    }
    sonde_text_add(body, "</p>\n<ul class=\"text\">\n");
    for (int32_t v = 0; v < N_VARIANT; v++) {
        sonde_text_add(body, "<li><code>%s</code> \342\200\223 %s</li>\n", variants[v].name,
                       variants[v].meaning);
    }
    sonde_text_add(body, "</ul>\n");
}

static sonde_status add_figures(sonde__page *page) {
    sonde_status status = SONDE_OK;
    for (int32_t i = 0; i < page->table.n_size && status == SONDE_OK; i++) {
        const int32_t size = page->table.size[i];
        sonde_text svg = {0};
        char name[32];
        char caption[160];
        (void)snprintf(name, sizeof name, "differences_%" PRId32, size);
        (void)snprintf(
            caption, sizeof caption,
            "What each difference alone does to each cell, on graphs of %" PRId32 " nodes.", size);
        if (sonde__figure_differences(page->results, size, &svg)) {
            status = sonde__page_figure(page, name, &svg, caption);
        }
        sonde_text_free(&svg);
    }
    return status;
}

sonde_status sonde__page_differences(sonde__page *page) {
    if (!has_data(page)) {
        return SONDE_OK;
    }
    sonde__page_section(page, "differences", "What the paper\342\200\231s numbers mean");
    add_words(page);
    sonde__grid grid = {.name = "differences", .n_column = 7, .n_head = 2};
    sonde__grid list = {.name = "differences", .n_column = 11, .n_head = 1};
    fill_summaries(page, &grid);
    fill_list(page, &list);
    const sonde_status status = sonde__page_table(
        page, &grid, &list,
        "Change in percent optimal against <code>text</code> when one difference is switched on, over "
        "the embeddings\342\200\231 cells of the table. Clear: the sign test over the worlds on which "
        "the two disagree has p &lt; 0.05 (one cell in twenty has by chance); directed worlds are "
        "other worlds and cannot be paired.");
    sonde__grid_free(&grid);
    sonde__grid_free(&list);
    return status == SONDE_OK ? add_figures(page) : status;
}

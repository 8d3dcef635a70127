/* report_notes.c: what the words of the report mean, and every setting behind it. */
#include <inttypes.h>

#include "draw/report_page.h"

static const char *const note[] = {
    "<b>G</b> is the expected free energy of a policy in nats: risk, ambiguity and \316\273 times the "
    "weight of the edges walked. Smaller is better (pymdp and SPM report \342\210\222G).",
    "<b>Optimal</b>: the first visit to the destination came along a path as short as "
    "Dijkstra\342\200\231s, and the agent was on the destination at every later step. A run that "
    "starts there is optimal if it never leaves.",
    "<b>Scope</b>: global search knows every walk of T + 1 edges, wherever it begins; local search "
    "those that begin where the agent is. T is the number of nodes.",
    "<b>k, n</b>: the number of clusters; n = 1 scores the policy nearest the centre, n = 3 the mean "
    "of three members drawn without replacement.",
    "<b>Steps</b>: one belief propagated and scored is a step; a prefix that several policies share "
    "counts once; probes count.",
    "<b>Intervals</b> are Wilson\342\200\231s, 95 %. All conditions of a size run on the same worlds, "
    "so that two of them differ more clearly than their intervals suggest, and cells of the table are "
    "not independent.",
    "<b>Inside</b>: with N the paper\342\200\231s graphs (40, or 39 where its percentage is one of 39) "
    "and p Sonde\342\200\231s share under <code>notebook</code>, the paper\342\200\231s count has at "
    "least 2.5 % of Binomial(N, p) on either side of it, itself included. p is taken as exact.",
    "<b>Redrawn worlds</b>: where the notebook would have failed on an empty cluster the world was "
    "drawn again, for all conditions.",
    "<b>Time</b> is of the machine that ran the study; clusterings that several conditions share "
    "were made once and are counted where they were made.",
};

/* Numbers of nodes, and models. */
static void add_sizes(const sonde__page *page, const sonde_condition *condition,
                      sonde__grid *grid) {
    sonde_text words = {0};
    for (int32_t i = 0; i < condition->n_size; i++) {
        const int32_t size = condition->size[i];
        const char *comma = i > 0 ? ", " : "";
        if (size < 0) {
            sonde_text_add(&words, "%s%s", comma, page->results->plan->model[-1 - size].name);
        } else {
            sonde_text_add(&words, "%s%" PRId32, comma, size);
        }
    }
    sonde__grid_put(grid, SONDE__LEFT, words.data != NULL ? words.data : "");
    grid->words.failed = grid->words.failed || words.failed;
    sonde_text_free(&words);
}

static void add_condition(const sonde__page *page, int32_t c, sonde__grid *grid) {
    const sonde_condition *condition = &page->results->plan->condition[c];
    sonde__tally tally = {0};
    for (int32_t i = 0; i < condition->n_size; i++) {
        sonde__tally_add(&tally, sonde__runs(page->results, c, condition->size[i]));
    }
    sonde__grid_integer(grid, 0, c);
    sonde__grid_put(grid, SONDE__LEFT, condition->group);
    sonde__grid_put(grid, SONDE__LEFT, condition->label);
    add_sizes(page, condition, grid);
    sonde__grid_integer(grid, 0, condition->n_graph);
    sonde__grid_integer(grid, 0, tally.n_run);
    sonde__grid_put(grid, 0, sonde__fixed(sonde__tally_percent(&tally), 1).text);
}

static sonde_status add_conditions(sonde__page *page) {
    static const char *const head[] = {"no.",    "group",       "settings", "nodes or models",
                                       "graphs", "runs so far", "% optimal"};
    sonde__grid grid = {.name = "conditions", .n_column = 7, .n_head = 1};
    for (int32_t i = 0; i < 7; i++) {
        sonde__grid_put(&grid, i >= 1 && i <= 3 ? SONDE__LEFT : 0, head[i]);
    }
    for (int32_t c = 0; c < page->results->plan->n_condition; c++) {
        add_condition(page, c, &grid);
    }
    sonde_text_add(&page->body, "<details>\n<summary>Every condition (%" PRId32 ")</summary>\n",
                   page->results->plan->n_condition);
    const sonde_status status =
        sonde__page_table(page, &grid, NULL,
                          "Every condition with its settings; \316\263 = 1, \316\273 = 5, one best "
                          "cluster and actions sampled from their summed probabilities unless they "
                          "say otherwise.");
    sonde_text_add(&page->body, "</details>\n");
    sonde__grid_free(&grid);
    return status;
}

sonde_status sonde__page_notes(sonde__page *page) {
    sonde_text *body = &page->body;
    sonde__page_section(page, "notes", "Notes");
    sonde_text_add(body, "<ul class=\"text\">\n");
    for (size_t i = 0; i < sizeof note / sizeof *note; i++) {
        sonde_text_add(body, "<li>%s</li>\n", note[i]);
    }
    sonde_text_add(body, "</ul>\n");
    const sonde_status status = add_conditions(page);
    if (page->results->plan->text != NULL) {
        sonde_text_add(body, "<details>\n<summary>The plan</summary>\n<pre><code>");
        sonde__html(body, page->results->plan->text);
        sonde_text_add(body, "</code></pre>\n</details>\n");
    }
    return status;
}

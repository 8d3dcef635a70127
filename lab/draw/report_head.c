/* report_head.c: what was run, how to run it again, and the paper's table beside Sonde's. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "draw/report_page.h"

/* --------------------------------------------------------------------------------------- facts -- */

static void add_fact(sonde_text *html, const char *name, const char *words) {
    sonde_text_add(html, "<div><dt>%s</dt><dd>", name);
    sonde__html(html, words);
    sonde_text_add(html, "</dd></div>\n");
}

/* Worlds from a place on that have its size, connection and horizon. */
static int32_t count_alike(const sonde__results *results, int32_t i, bool any_horizon) {
    const sonde__result_world *world = &results->world[i];
    int32_t n = 1;
    while (i + n < results->n_world && world[n].size == world->size &&
           world[n].connect == world->connect &&
           (any_horizon || world[n].horizon == world->horizon)) {
        n++;
    }
    return n;
}

/* "20 of 3, 20 of 4, 6 of 5 nodes", one line for each way to connect them, and one for models. */
static void add_worlds(const sonde__results *results, sonde_text *html) {
    const char *line = "";
    bool any_graph = false;
    sonde_text_add(html, "<div class=\"wide\"><dt>worlds</dt><dd>");
    for (int32_t i = 0; i < results->n_world; i += count_alike(results, i, true)) {
        const sonde__result_world *world = &results->world[i];
        const bool model = world->size < 0;
        const char *kind = model ? "episodes" : sonde_connect_name((int32_t)world->connect);
        const int32_t n = count_alike(results, i, false);
        if (line != kind) {
            sonde_text_add(html, "%s%s: ", any_graph ? " nodes<br>" : i > 0 ? "<br>" : "", kind);
        } else {
            sonde_text_add(html, ", ");
        }
        line = kind;
        any_graph = any_graph || !model;
        sonde_text_add(html, "%" PRId32 " of ", n);
        if (model) {
            sonde__html(html, results->plan->model[-1 - world->size].name);
        } else {
            sonde_text_add(html, "%" PRId32, world->size);
        }
    }
    sonde_text_add(html, "%s</dd></div>\n",
                   any_graph              ? " nodes"
                   : results->n_world > 0 ? ""
                                          : "none yet");
}

/* Worlds that were thrown away because the notebook would have failed on them. */
static void add_redraws(const sonde__results *results, sonde_text *html) {
    int64_t n_redraw = 0;
    int32_t n_world = 0;
    for (int32_t i = 0; i < results->n_world; i++) {
        n_redraw += results->world[i].n_redraw;
        n_world += results->world[i].n_redraw > 0 ? 1 : 0;
    }
    char words[128];
    (void)snprintf(words, sizeof words, "%s, before %s of %" PRId32, sonde__grouped(n_redraw).text,
                   sonde__grouped(n_world).text, results->n_world);
    add_fact(html, "redrawn worlds", words);
}

static void add_facts(const sonde__results *results, sonde_text *html) {
    const sonde_study_plan *plan = results->plan;
    char words[128];
    sonde_text_add(html, "<dl class=\"facts\">\n");
    add_fact(html, "plan", plan->name);
    (void)snprintf(words, sizeof words, "%s of %s steps", sonde__plural(results->n_run, "run").text,
                   sonde__grouped(plan->n_step).text);
    add_fact(html, "runs", words);
    add_fact(html, "conditions", sonde__grouped(plan->n_condition).text);
    (void)snprintf(words, sizeof words, "%" PRIu64, plan->seed);
    add_fact(html, "seed", words);
    add_redraws(results, html);
    (void)snprintf(words, sizeof words, "Sonde %.60s", results->version);
    add_fact(html, "made by", words);
    add_worlds(results, html);
    sonde_text_add(html, "</dl>\n");
}

/* The last part of a path. */
static const char *file_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash != NULL && slash[1] != '\0' ? slash + 1 : path;
}

/* Whether the plan is the one that is built in under its name; without memory the text fails. */
static bool is_builtin(const sonde_study_plan *plan, sonde_text *html) {
    if (sonde_name_find(sonde_study_plan_name, plan->name) < 0 || plan->text == NULL) {
        return false;
    }
    sonde_study_plan *builtin = NULL;
    const sonde_status status = sonde_study_plan_read(plan->name, &builtin, NULL);
    const bool same = status == SONDE_OK && strcmp(builtin->text, plan->text) == 0;
    html->failed = html->failed || status == SONDE_NO_MEMORY;
    sonde_study_plan_free(builtin);
    return same;
}

static void add_commands(const sonde__results *results, sonde_text *html) {
    const char *name = results->plan->name;
    const bool builtin = is_builtin(results->plan, html);
    sonde_text_add(html, "<p>To run it again%s:</p>\n<pre><code>sonde study ",
                   builtin ? "" : ", with the plan at the end of this page saved as a file");
    sonde__html(html, name);
    sonde_text_add(html, "%s --db ", builtin ? "" : ".json");
    sonde__html(html, file_name(results->path));
    sonde_text_add(html, "\nsonde report ");
    sonde__html(html, file_name(results->path));
    sonde_text_add(html, " -o report</code></pre>\n");
}

/* --------------------------------------------------------------------------------------- tiles -- */

/* Mean percent optimal over the embeddings' cells of a scope. */
static double mean_percent(const sonde__table_sum *table, sonde_scope scope, sonde__source source) {
    double sum = 0.0;
    double n = 0.0;
    for (int32_t i = 0; i < table->n_row * table->n_size; i++) {
        const sonde__cell_key *key = &table->key[i / table->n_size];
        const double percent = table->cell[i].percent[source];
        if (key->scope == scope && strcmp(key->embedding, "none") != 0 && !isnan(percent)) {
            sum += percent;
            n += 1.0;
        }
    }
    return n > 0.0 ? sum / n : (double)NAN;
}

static void add_tiles(sonde__page *page, sonde_text *html) {
    const sonde__table_sum *table = &page->table;
    const double notebook = mean_percent(table, SONDE_LOCAL, SONDE__NOTEBOOK);
    const double text = mean_percent(table, SONDE_LOCAL, SONDE__TEXT);
    sonde__speed speed;
    sonde_text_add(html, "<div class=\"tiles\">\n");
    if (table->n_compared > 0) {
        sonde_text_add(html,
                       "<div><strong>%" PRId32 " of %" PRId32 "</strong>values of the paper's "
                       "Table 1 are what chance allows around Sonde's under "
                       "<code>notebook</code></div>\n",
                       table->n_inside, table->n_compared);
    }
    if (!isnan(notebook) && !isnan(text)) {
        sonde_text_add(
            html,
            "<div><strong>%s %% \342\206\222 %s %%</strong>optimal runs with clusters in "
            "local scope, <code>notebook</code> \342\206\222 <code>text</code>, mean over "
            "the table</div>\n",
            sonde__fixed(notebook, 0).text, sonde__fixed(text, 0).text);
    }
    if (sonde__speed_find(page, &speed)) {
        sonde_text_add(html,
                       "<div><strong>%s\303\227 faster</strong>a decision with clusters on %" PRId32
                       " nodes, %s scope (paper: 7.1\303\227), with %s\303\227 fewer steps "
                       "scored</div>\n",
                       sonde__fixed(speed.full.seconds / speed.clustered.seconds, 1).text,
                       speed.size, sonde_scope_name((int32_t)speed.scope),
                       sonde__fixed(speed.full.steps / speed.clustered.steps, 1).text);
    }
    sonde_text_add(html, "</div>\n");
}

/* Whether some of the plan is the paper's experiment. */
static bool is_paper(const sonde_study_plan *plan) {
    bool found = false;
    for (int32_t i = 0; i < plan->n_condition; i++) {
        found = found || sonde__in_group(&plan->condition[i], "table");
    }
    return found;
}

static void add_title(const sonde_study_plan *plan, sonde_text *html) {
    if (!is_paper(plan)) {
        sonde_text_add(html, "<header>\n<h1>Searching policy spaces: ");
        sonde__html(html, plan->name);
        sonde_text_add(html, "</h1>\n<p class=\"lead\">What searches of active inference policies "
                             "find, and what they cost, in a study by Sonde.</p>\n");
        return;
    }
    sonde_text_add(
        html, "<header>\n<h1>Searching policy spaces with k-means, run again</h1>\n"
              "<p class=\"lead\">Kiefer and Albarracin, <i>Efficient search of active inference "
              "policy spaces using k-means</i>, let an agent score one representative of each "
              "cluster of policies and then search only the best cluster. Here is their "
              "experiment in Sonde, under two readings: <code>notebook</code>, what their "
              "published code does, and <code>text</code>, what their paper says.</p>\n");
}

void sonde__page_head(sonde__page *page, sonde_text *head) {
    const sonde__results *results = page->results;
    add_title(results->plan, head);
    if (results->n_task_done < results->plan->n_task) {
        sonde_text_add(head,
                       "<p class=\"note\">Not complete: %" PRId32 " of %s are done. Every number "
                       "below is of those.</p>\n",
                       results->n_task_done, sonde__plural(results->plan->n_task, "task").text);
    }
    add_tiles(page, head);
    add_facts(results, head);
    add_commands(results, head);
    sonde_text_add(head, "</header>\n");
}

/* ----------------------------------------------------------------------------------- main table -- */

/* How many values would be outside if Sonde's were no better known than its graphs allow. */
static double outside_by_chance(const sonde__table_sum *table) {
    double expected = 0.0;
    for (int32_t i = 0; i < table->n_row * table->n_size; i++) {
        const sonde__table_cell *cell = &table->cell[i];
        if (cell->compared) {
            const double spread =
                1.0 + (double)cell->n_graph[SONDE__PAPER] / (double)cell->n_graph[SONDE__NOTEBOOK];
            expected += erfc(1.959963984540054 / sqrt(2.0 * spread));
        }
    }
    return expected;
}

static void add_comparison(sonde__page *page) {
    const sonde__table_sum *table = &page->table;
    if (table->n_compared == 0) {
        return;
    }
    sonde_text_add(&page->body,
                   "<p>Of the paper's %" PRId32 " values, <b>%" PRId32 " lie inside</b> the range "
                   "that holds 95 %% of what 40 graphs (39 in most rows of 5 nodes) would give if "
                   "each run were optimal with the probability that Sonde finds under "
                   "<code>notebook</code>; %" PRId32
                   " lie outside (\342\200\240). If both were the "
                   "same method, about %s would lie outside by chance, Sonde's own graphs being "
                   "finite, too.",
                   table->n_compared, table->n_inside, table->n_compared - table->n_inside,
                   sonde__fixed(outside_by_chance(table), 0).text);
    sonde_text_add(&page->body,
                   " On average Sonde is %s points from the paper under "
                   "<code>notebook</code>",
                   sonde__fixed(table->apart[SONDE__NOTEBOOK], 1).text);
    if (!isnan(table->apart[SONDE__TEXT])) {
        sonde_text_add(&page->body, " and %s points under <code>text</code>",
                       sonde__fixed(table->apart[SONDE__TEXT], 1).text);
    }
    sonde_text_add(&page->body, ".</p>\n");
}

sonde_status sonde__page_main_table(sonde__page *page) {
    if (page->table.n_row == 0) {
        return SONDE_OK;
    }
    sonde__grid grid = {0};
    sonde__grid list = {0};
    sonde__page_section(page, "table1", "The paper\342\200\231s Table 1, and Sonde\342\200\231s");
    add_comparison(page);
    sonde__table_grid(&page->table, false, &grid);
    sonde__table_list(&page->table, &list);
    const sonde_status status = sonde__page_table(
        page, &grid, &list,
        "Percent of runs that were optimal: a shortest path to the destination, and staying there. "
        "Small numbers are 95 % intervals (Wilson). <b>Bold</b>: the best embedding of its column. "
        "\342\200\240: the paper\342\200\231s value lies outside what chance allows around "
        "Sonde\342\200\231s <code>notebook</code> value. n = 1 scores the representative of a "
        "cluster, n = 3 the mean of three of its members.");
    sonde__grid_free(&grid);
    sonde__grid_free(&list);
    return status;
}

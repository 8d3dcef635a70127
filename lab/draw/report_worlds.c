/* report_worlds.c: chosen worlds, shown whole, as the paper's figure of its data does.
 *
 * For each: the graph with the paths of full and of clustered search (the paper's panel A); G of
 * representatives beside the mean G of their clusters (B to E); and the policy space under each
 * embedding, global and local, in the plane (F to I). Everything is computed again from the world's
 * document, from its start, as the text has it. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "base/rng.h"
#include "draw/report_world.h"

#define GROUP "table"
#define WORLD_MAX 2
#define FEW 12
#define MANY 100
#define DRAWN 20 /* of many clusters */

/* the plane of six panels */
#define PANEL_WIDTH 236.0
#define PANEL_HEIGHT 186.0
#define PANEL_GAP 44.0
#define ROW_GAP 76.0
#define TOP 92.0
#define LEFT 34.0

static const sonde_scope scope_of[] = {SONDE_GLOBAL, SONDE_LOCAL};
static const char *const embedding_of[] = {"edm", "boe", "aboe"};

/* What is gathered while the spaces of a world are opened one after the other. */
typedef struct {
    sonde__page *page;
    sonde__opened_world world;
    sonde_text map;     /* the plane */
    sonde__chart *bars; /* of the local bag of edges */
    sonde__grid *grid;  /* of correlations, one row for each space */
} album;

/* --------------------------------------------------------------------------------- which worlds -- */

static int32_t full_condition(const sonde_study_plan *plan) {
    const sonde__cell_key key = {.scope = SONDE_LOCAL, .embedding = "none"};
    return sonde__condition_find(plan, GROUP, &key, SONDE_SEMANTICS_TEXT);
}

static int32_t clustered_condition(const sonde_study_plan *plan) {
    const sonde__cell_key key = {.scope = SONDE_LOCAL, .embedding = "boe", .k = FEW, .n = 1};
    return sonde__condition_find(plan, GROUP, &key, SONDE_SEMANTICS_TEXT);
}

/* The first world of a size in which the agent has two steps or more to go; else the first in which
 * it has any; else the first; NULL if there are none that can be opened. */
static const sonde__result_world *choose_world(const sonde__results *results, int32_t size) {
    const int32_t condition = full_condition(results->plan);
    const sonde__result_world *found[3] = {NULL, NULL, NULL};
    for (int32_t i = 0; i < results->n_world; i++) {
        const sonde__result_world *world = &results->world[i];
        if (world->size != size || world->n_policy > SONDE__WORLD_POLICY_MAX) {
            continue;
        }
        const sonde__result_run *run = sonde__world_run(results, condition, world);
        const int32_t rank = run != NULL && run->reached >= 2 ? 0 : world->shortest > 0.0 ? 1 : 2;
        if (found[rank] == NULL && (run != NULL || condition < 0)) {
            found[rank] = world;
        }
    }
    return found[0] != NULL ? found[0] : found[1] != NULL ? found[1] : found[2];
}

/* Sizes 4 and 5; in a study without them, the largest that can be opened. */
static int32_t choose_worlds(const sonde__results *results, const sonde__result_world **world) {
    int32_t n = 0;
    for (int32_t size = 4; size <= 5; size++) {
        world[n] = choose_world(results, size);
        n += world[n] != NULL ? 1 : 0;
    }
    for (int32_t size = 12; size > 0 && n == 0; size--) {
        world[0] = choose_world(results, size);
        n = world[0] != NULL ? 1 : 0;
    }
    return n;
}

/* ----------------------------------------------------------------------------------------- graph -- */

static const char *ending(const sonde__result_run *run) {
    return run->optimal ? "a shortest path" : sonde_failure_name((int32_t)run->failure);
}

static sonde_status add_graph(album *a) {
    const sonde__results *results = a->page->results;
    const sonde__result_world *world = a->world.result;
    const sonde__result_run *full = sonde__world_run(results, full_condition(results->plan), world);
    const sonde__result_run *clustered =
        sonde__world_run(results, clustered_condition(results->plan), world);
    sonde_text svg[2] = {{0}, {0}};
    sonde_text caption = {0};
    char name[48];
    (void)snprintf(name, sizeof name, "world_%" PRId32 "_paths", world->size);
    sonde_text_add(&caption, "World %" PRId32 " of %s.", world->graph,
                   sonde__plural(world->size, "node").text);
    if (full != NULL) {
        sonde_text_add(&caption, " %s full search, local (%s).",
                       clustered != NULL ? "Left:" : "Path:", ending(full));
    }
    if (clustered != NULL) {
        sonde_text_add(&caption,
                       " %s clustered search, local, BOE, k = 12, n = 1, under <code>text</code> "
                       "(%s).",
                       full != NULL ? "Right:" : "Path:", ending(clustered));
    }
    const bool both = full != NULL && clustered != NULL;
    sonde_status status =
        sonde__world_draw(a->page, &a->world, full != NULL ? full : clustered, &svg[0]);
    if (status == SONDE_OK && both) {
        status = sonde__world_draw(a->page, &a->world, clustered, &svg[1]);
    }
    if (status == SONDE_OK) {
        status = sonde__page_check(a->page, &caption);
    }
    if (status == SONDE_OK) {
        status = sonde__page_figures(a->page, name, both ? 2 : 1, svg, caption.data);
    }
    sonde_text_free(&svg[0]);
    sonde_text_free(&svg[1]);
    sonde_text_free(&caption);
    return status;
}

/* ------------------------------------------------------------------------------------------ bars -- */

/* Which clusters are drawn: all, or 20 at random, ascending. */
static int32_t draw_clusters(const sonde__opened_world *world, int32_t k, int32_t *cluster) {
    sonde__rng rng = sonde__rng_stream(world->result->seed, SONDE__FOR_LAYOUT, MANY);
    const int32_t n = k < DRAWN ? k : DRAWN;
    int32_t n_drawn = 0;
    for (int32_t c = 0; c < k && n_drawn < n; c++) {
        /* each of the k - c that are left is among the n - n_drawn with the same probability */
        if (sonde__rng_below(&rng, (uint64_t)(k - c)) < (uint64_t)(n - n_drawn)) {
            cluster[n_drawn++] = c;
        }
    }
    return n_drawn;
}

static void add_bars(album *a, const sonde__contrast *contrast, int32_t k_asked, double r) {
    int32_t cluster[DRAWN];
    const int32_t n = draw_clusters(&a->world, contrast->k, cluster);
    char title[48];
    if (n < contrast->k) {
        (void)snprintf(title, sizeof title, "%" PRId32 " of %" PRId32 " clusters, r = %.10s", n,
                       contrast->k, sonde__fixed(r, 2).text);
    } else {
        (void)snprintf(title, sizeof title, "k = %" PRId32 "%s, r = %.10s", contrast->k,
                       contrast->k < k_asked ? " (distinct rows)" : "", sonde__fixed(r, 2).text);
    }
    sonde__panel *panel = sonde__chart_panel(a->bars, title);
    if (panel == NULL) {
        return;
    }
    panel->x.title = "cluster";
    panel->x.scale = SONDE__SCALE_CATEGORY;
    panel->y.title = "G, nats";
    panel->y.low = 0.0;
    const int32_t one = sonde__panel_series(
        panel,
        &(sonde__series){.label = "its representative", .drawing = SONDE__DRAW_BARS, .style = 1});
    const int32_t all = sonde__panel_series(panel, &(sonde__series){.label = "mean of its policies",
                                                                    .drawing = SONDE__DRAW_BARS,
                                                                    .style = 2,
                                                                    .hollow = true});
    for (int32_t i = 0; i < n; i++) {
        char label[16];
        (void)snprintf(label, sizeof label, "%" PRId32, cluster[i]);
        const double x = sonde__panel_category(panel, label);
        const sonde__mark left = sonde__mark_at(one, x, contrast->representative[cluster[i]]);
        const sonde__mark right = sonde__mark_at(all, x, contrast->mean[cluster[i]]);
        sonde__panel_mark(panel, &left);
        sonde__panel_mark(panel, &right);
    }
}

static sonde_status finish_bars(album *a) {
    const int32_t size = a->world.result->size;
    char name[48];
    char caption[400];
    sonde_text svg = {0};
    (void)snprintf(name, sizeof name, "world_%" PRId32 "_clusters", size);
    (void)snprintf(
        caption, sizeof caption,
        "World of %" PRId32 " nodes: does a representative tell how good its cluster is? "
        "r is Pearson\342\200\231s correlation over all clusters of the panel\342\200\231s "
        "k-means.",
        size);
    if (a->bars != NULL) {
        sonde_text_add(&a->bars->caption,
                       "Expected free energy from the start of the world (smaller is better): the "
                       "policy nearest each cluster's centre, and the mean over the cluster. Local "
                       "scope, BOE (counts); clusters are numbered by their lowest policy.");
    }
    const bool drawn = sonde__chart_finish(a->bars, &svg);
    a->bars = NULL;
    const sonde_status status = drawn ? sonde__page_figure(a->page, name, &svg, caption) : SONDE_OK;
    sonde_text_free(&svg);
    return status;
}

/* ---------------------------------------------------------------------------------------- spaces -- */

static void add_correlation(album *a, const sonde__contrast *contrast, double r) {
    sonde__grid_integer(a->grid, 0, contrast->k);
    sonde__grid_put(a->grid, 0, sonde__fixed(r, 2).text);
}

/* Clusters a space, compares representatives and clusters, and for few clusters draws the plane. */
static sonde_status contrast_space(album *a, const sonde__space *space, int32_t i, int32_t k) {
    sonde_clusters *clusters = NULL;
    sonde__contrast contrast = {0};
    sonde_status status = sonde__space_cluster(a->page, space, k, &clusters);
    if (status == SONDE_OK) {
        status = sonde__contrast_new(a->page, space, clusters, &contrast);
    }
    if (status == SONDE_OK) {
        const double r = sonde__pearson(contrast.k, contrast.representative, contrast.mean);
        add_correlation(a, &contrast, r);
        if (space->origin != SONDE_EVERYWHERE && strcmp(embedding_of[i % 3], "boe") == 0) {
            add_bars(a, &contrast, k, r);
        }
    }
    if (status == SONDE_OK && k == FEW) {
        char title[32];
        (void)snprintf(title, sizeof title, "%s, %s", sonde__embedding_title(embedding_of[i % 3]),
                       sonde_scope_name((int32_t)scope_of[i / 3]));
        const sonde__scatter_plot scatter = {
            .title = title, .space = space, .clusters = clusters, .chosen = -1, .best = -1};
        const double left = LEFT + (PANEL_WIDTH + PANEL_GAP) * (double)(i % 3);
        const double top = i < 3 ? TOP : TOP + PANEL_HEIGHT + ROW_GAP;
        const sonde__area area = {left, top, PANEL_WIDTH, PANEL_HEIGHT};
        sonde__scatter_draw(&scatter, area, &a->map);
    }
    sonde__contrast_free(&contrast);
    sonde_clusters_free(clusters);
    return status;
}

static sonde_status add_space(album *a, int32_t i) {
    const int32_t kind = sonde_name_find(sonde_embedding_name, embedding_of[i % 3]);
    const int32_t origin =
        scope_of[i / 3] == SONDE_GLOBAL ? SONDE_EVERYWHERE : a->world.graph->start;
    sonde__space space = {0};
    if (sonde__stopped(a->page->run)) {
        return sonde__fail(a->page->error, SONDE_STOPPED, "the report was interrupted");
    }
    sonde_status status = sonde__space_open(a->page, &a->world, kind, origin, &space);
    if (status == SONDE_OK) {
        sonde__grid_integer(a->grid, i == 0 ? SONDE__RULE : 0, a->world.result->size);
        sonde__grid_put(a->grid, SONDE__LEFT, sonde_scope_name((int32_t)scope_of[i / 3]));
        sonde__grid_put(a->grid, SONDE__LEFT, sonde__embedding_title(embedding_of[i % 3]));
        sonde__grid_integer(a->grid, 0, space.embedding->n_policy);
        sonde__grid_integer(a->grid, 0, space.embedding->n_row);
        status = contrast_space(a, &space, i, FEW);
    }
    if (status == SONDE_OK) {
        status = contrast_space(a, &space, i, MANY);
    }
    sonde__space_close(&space);
    return status;
}

static sonde_status add_spaces(album *a) {
    static const char words[] =
        "Policies in the plane of the first two principal components of their embeddings, one point "
        "for each distinct row, and the centres of 12 clusters. Local spaces are those of the start. "
        "Each axis has a scale of its own.";
    const double width = LEFT + 3.0 * PANEL_WIDTH + 2.0 * PANEL_GAP + 16.0;
    const double foot = TOP + 2.0 * PANEL_HEIGHT + ROW_GAP + 36.0;
    const sonde__area note = {16.0, foot, width - 32.0, 0.0};
    const double height = foot + sonde__pen_paragraph(NULL, note, 12.0, words) + 12.0;
    const int32_t size = a->world.result->size;
    char title[64];
    (void)snprintf(title, sizeof title, "Policy spaces of a world of %" PRId32 " nodes", size);
    sonde__pen_open(&a->map, width, height, title, words);
    sonde__pen_words(&a->map, " font-weight=\"bold\"", (sonde__point){16.0, 22.0}, 15.0, title);
    sonde__scatter_legend(false, (sonde__point){22.0, 45.0}, &a->map);
    sonde_status status = SONDE_OK;
    for (int32_t i = 0; i < 6 && status == SONDE_OK; i++) {
        status = add_space(a, i);
    }
    sonde_text_add(&a->map, "<g fill=\"#444b54\">\n");
    (void)sonde__pen_paragraph(&a->map, note, 12.0, words);
    sonde_text_add(&a->map, "</g>\n");
    sonde__pen_close(&a->map);
    return status;
}

/* ---------------------------------------------------------------------------------------- section -- */

static sonde_status add_map(album *a) {
    char name[48];
    char caption[200];
    (void)snprintf(name, sizeof name, "world_%" PRId32 "_spaces", a->world.result->size);
    (void)snprintf(caption, sizeof caption,
                   "World of %" PRId32
                   " nodes: its policy space under each embedding, global above "
                   "and local below.",
                   a->world.result->size);
    return sonde__page_figure(a->page, name, &a->map, caption);
}

static sonde_status add_world(sonde__page *page, const sonde__result_world *world,
                              sonde__grid *grid) {
    album a = {.page = page, .grid = grid};
    a.bars = sonde__chart_new("G of representatives and of their clusters", 2);
    sonde_status status = sonde__world_open(page, world, &a.world);
    if (status == SONDE_OK) {
        sonde_text_add(&page->body, "<h3>A world of %s</h3>\n",
                       sonde__plural(world->size, "node").text);
        status = add_graph(&a);
    }
    const sonde_status opened = status == SONDE_OK ? add_spaces(&a) : status;
    status = finish_bars(&a);
    status = opened != SONDE_OK ? opened : status;
    if (status == SONDE_OK) {
        status = add_map(&a);
    }
    sonde_text_free(&a.map);
    sonde__world_close(&a.world);
    return status;
}

static void add_heads(sonde__grid *grid) {
    sonde__grid_add(grid, SONDE__LEFT, 5, "", NULL);
    sonde__grid_add(grid, 0, 2, "k = 12", NULL);
    sonde__grid_add(grid, 0, 2, "k = 100", NULL);
    sonde__grid_put(grid, 0, "nodes");
    sonde__grid_put(grid, SONDE__LEFT, "scope");
    sonde__grid_put(grid, SONDE__LEFT, "embedding");
    sonde__grid_put(grid, 0, "policies");
    sonde__grid_put(grid, 0, "distinct rows");
    for (int32_t i = 0; i < 2; i++) {
        sonde__grid_put(grid, 0, "clusters");
        sonde__grid_put(grid, 0, "r");
    }
}

sonde_status sonde__page_worlds(sonde__page *page) {
    const sonde__result_world *world[WORLD_MAX + 1] = {NULL};
    const int32_t n = choose_worlds(page->results, world);
    if (n == 0) {
        return SONDE_OK;
    }
    sonde__page_section(page, "worlds", "Chosen worlds");
    sonde_text_add(
        &page->body,
        "<p>The first worlds of their sizes in which the agent has two steps or more to "
        "go. The idea behind clustered search is that policies of similar structure have "
        "similar G, so that one of them can speak for its cluster.</p>\n");
    sonde__grid grid = {.name = "correlation", .n_column = 9, .n_head = 2};
    add_heads(&grid);
    sonde_status status = SONDE_OK;
    for (int32_t i = 0; i < n && status == SONDE_OK; i++) {
        status = add_world(page, world[i], &grid);
    }
    if (status == SONDE_OK) {
        sonde_text_add(&page->body, "<h3>Do representatives speak for their clusters?</h3>\n");
        status = sonde__page_table(
            page, &grid, NULL,
            "Pearson\342\200\231s correlation r between G of a cluster\342\200\231s representative and "
            "mean G of the cluster, from the start of the world. With fewer distinct rows than k "
            "there are as many clusters as rows. k-means has ten starts for k = 12 and three for k = 100. No r where all representatives have the same G.");
    }
    sonde__grid_free(&grid);
    return status;
}

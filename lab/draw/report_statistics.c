/* report_statistics.c: the figures that are counted over all runs, each with what to look for. */
#include <inttypes.h>
#include <stdio.h>

#include "base/status.h"
#include "draw/report_figures.h"
#include "draw/report_page.h"

typedef struct {
    const char *name;
    bool (*draw)(const sonde__results *results, sonde_text *svg);
    const char *caption;
} figure;

static const figure list[] = {
    {"optimality", sonde__figure_optimality,
     "Percent of runs that were optimal; the paper\342\200\231s Figure 2, upper row."},
    {"decision_time", sonde__figure_decision_time,
     "Time for one decision; the paper\342\200\231s Figure 2, lower row."},
    {"decision_steps", sonde__figure_decision_steps,
     "Steps scored for one decision: the same comparison, counted instead of timed."},
    {"construction_time", sonde__figure_construction_time,
     "Time for embedding and clustering; the paper\342\200\231s Appendix E. Sonde needs no matrix of "
     "edit distances, so that EDM costs little more than the others."},
    {"valid", sonde__figure_valid,
     "How many representatives the agent could carry out at all: why the paper turned to local "
     "embeddings."},
    {"sweep_k", sonde__figure_sweep_k,
     "More clusters: what they gain and what they cost. The paper settled on 12."},
    {"sweep_n", sonde__figure_sweep_n, "More samples for each cluster."},
};
#define N_FIGURE ((int32_t)(sizeof list / sizeof *list))

/* The section's heading comes with the first figure that has data. */
static sonde_status add_figure(sonde__page *page, bool *begun, const char *name,
                               const sonde_text *svg, const char *caption) {
    if (!*begun) {
        sonde__page_section(page, "figures", "Figures");
        *begun = true;
    }
    return sonde__page_figure(page, name, svg, caption);
}

static sonde_status add_tradeoffs(sonde__page *page, bool *begun) {
    sonde_status status = SONDE_OK;
    for (int32_t i = 0; i < page->table.n_size && status == SONDE_OK; i++) {
        const int32_t size = page->table.size[i];
        char name[32];
        char caption[160];
        sonde_text svg = {0};
        (void)snprintf(name, sizeof name, "tradeoff_%" PRId32, size);
        (void)snprintf(caption, sizeof caption,
                       "What accuracy costs, on graphs of %" PRId32
                       " nodes: every condition of the table.",
                       size);
        if (sonde__figure_tradeoff(page->results, size, &svg)) {
            status = add_figure(page, begun, name, &svg, caption);
        }
        sonde_text_free(&svg);
    }
    return status;
}

sonde_status sonde__page_statistics(sonde__page *page) {
    bool begun = false;
    sonde_status status = SONDE_OK;
    for (int32_t i = 0; i < N_FIGURE && status == SONDE_OK; i++) {
        sonde_text svg = {0};
        if (sonde__stopped(page->run)) {
            return sonde__fail(page->error, SONDE_STOPPED, "the report was interrupted");
        }
        if (list[i].draw(page->results, &svg)) {
            status = add_figure(page, &begun, list[i].name, &svg, list[i].caption);
        }
        sonde_text_free(&svg);
    }
    return status == SONDE_OK ? add_tradeoffs(page, &begun) : status;
}

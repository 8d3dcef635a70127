/* paper.c: the paper's Table 1: percent of runs that were optimal, on graphs of 3 to 5 nodes. */
#include "paper/paper.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#define PAPER_SIZE 3 /* the first of its three sizes */

typedef struct {
    sonde_scope scope;
    const char *embedding;
    int32_t k;
    int32_t n;
    double percent[3]; /* of sizes 3, 4, 5 */
} paper_row;

static const paper_row paper[] = {
    {SONDE_GLOBAL, "none", 0, 0, {100.0, 97.5, 97.4}},
    {SONDE_GLOBAL, "boe", 6, 1, {70.0, 65.0, 56.4}},
    {SONDE_GLOBAL, "boe", 6, 3, {77.5, 62.5, 46.1}},
    {SONDE_GLOBAL, "boe", 12, 1, {60.0, 87.5, 59.0}},
    {SONDE_GLOBAL, "boe", 12, 3, {77.5, 62.5, 51.3}},
    {SONDE_GLOBAL, "edm", 6, 1, {70.0, 67.5, 48.7}},
    {SONDE_GLOBAL, "edm", 6, 3, {80.0, 72.5, 56.4}},
    {SONDE_GLOBAL, "edm", 12, 1, {67.5, 72.5, 64.1}},
    {SONDE_GLOBAL, "edm", 12, 3, {80.0, 72.5, 61.5}},
    {SONDE_GLOBAL, "aboe", 6, 1, {82.5, 85.0, 66.7}},
    {SONDE_GLOBAL, "aboe", 6, 3, {87.5, 85.0, 61.5}},
    {SONDE_GLOBAL, "aboe", 12, 1, {85.0, 67.5, 35.9}},
    {SONDE_GLOBAL, "aboe", 12, 3, {75.0, 92.5, 79.5}},
    {SONDE_LOCAL, "none", 0, 0, {100.0, 97.5, 97.5}},
    {SONDE_LOCAL, "boe", 6, 1, {17.5, 37.5, 48.7}},
    {SONDE_LOCAL, "boe", 6, 3, {52.5, 55.0, 61.5}},
    {SONDE_LOCAL, "boe", 12, 1, {42.5, 47.5, 41.0}},
    {SONDE_LOCAL, "boe", 12, 3, {82.5, 42.5, 25.6}},
    {SONDE_LOCAL, "edm", 6, 1, {5.0, 52.5, 45.0}},
    {SONDE_LOCAL, "edm", 6, 3, {50.0, 65.0, 35.0}},
    {SONDE_LOCAL, "edm", 12, 1, {50.0, 60.0, 40.0}},
    {SONDE_LOCAL, "edm", 12, 3, {97.5, 32.5, 15.4}},
    {SONDE_LOCAL, "aboe", 6, 1, {15.0, 12.5, 5.1}},
    {SONDE_LOCAL, "aboe", 6, 3, {35.0, 12.5, 5.1}},
    {SONDE_LOCAL, "aboe", 12, 1, {5.0, 22.5, 12.8}},
    {SONDE_LOCAL, "aboe", 12, 3, {70.0, 20.0, 12.8}},
};
#define N_PAPER ((int32_t)(sizeof paper / sizeof *paper))

double sonde__paper_percent(sonde_scope scope, const char *embedding, int32_t k, int32_t n,
                            int32_t size) {
    const bool full = strcmp(embedding, "none") == 0;
    for (int32_t i = 0; i < N_PAPER; i++) {
        const paper_row *row = &paper[i];
        if (row->scope == scope && strcmp(row->embedding, embedding) == 0 &&
            (full || (row->k == k && row->n == n)) && size >= PAPER_SIZE && size < PAPER_SIZE + 3) {
            return row->percent[size - PAPER_SIZE];
        }
    }
    return (double)NAN;
}

int32_t sonde__paper_count(double percent, int32_t *n_graph) {
    const double of_40 = percent * 0.4;
    *n_graph = fabs(of_40 - floor(of_40 + 0.5)) < 0.03 ? 40 : 39;
    return (int32_t)floor(percent * (double)*n_graph / 100.0 + 0.5);
}

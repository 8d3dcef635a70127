/* paper.h: what the paper reports. */
#ifndef SONDE_PAPER_PAPER_H
#define SONDE_PAPER_PAPER_H

#include <stdint.h>

#include "sonde_lab.h"

/* The percentage in Table 1 of the paper, NaN where it has none: `embedding` as in
 * sonde_embedding_name, or "none" for standard search, for which k and n are not looked at. */
double sonde__paper_percent(sonde_scope scope, const char *embedding, int32_t k, int32_t n,
                            int32_t size);
/* The count behind such a percentage, which is one of 40 graphs, or else of 39. */
int32_t sonde__paper_count(double percent, int32_t *n_graph);

#endif

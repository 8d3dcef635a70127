/* ranking.h: the policies with the smallest G, found in one pass. */
#ifndef SONDE_CLI_RANKING_H
#define SONDE_CLI_RANKING_H

#include <stdbool.h>
#include <stdint.h>

typedef struct {
    double efe;
    uint64_t index;
} cli_ranked;

/* Keeps the n_max smallest of what it is offered; ties go to the lowest index. */
typedef struct {
    uint64_t n_max;
    uint64_t n;
    cli_ranked *entry; /* (n_max) a heap, its largest first; ascending once sorted */
} cli_ranking;

/* Memory that a ranking asks for, UINT64_MAX if that cannot be said in 64 bits. */
uint64_t ranking_bytes(uint64_t n_max);
/* False if there is no memory. */
bool ranking_open(cli_ranking *ranking, uint64_t n_max);
void ranking_offer(cli_ranking *ranking, double efe, uint64_t index);
void ranking_sort(cli_ranking *ranking);
void ranking_close(cli_ranking *ranking);

#endif

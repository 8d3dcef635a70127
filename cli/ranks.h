/* ranks.h: a study over many machines. Without MPI, or outside mpirun, there is one rank, and it
 * does everything.
 *
 * Rank 0 has the results file, hands out tasks and takes in rows; it does tasks of its own in
 * between. Every other rank has two tasks at a time, one to do and one in hand, so that it need
 * not wait while rank 0 is busy. */
#ifndef SONDE_CLI_RANKS_H
#define SONDE_CLI_RANKS_H

#include "sonde_lab.h"

/* Joins the other ranks, if the program was started by mpirun. */
sonde_status mpi_open(sonde_error *error);
/* Leaves them; a rank that failed ends the others, too. */
void mpi_close(sonde_status status);
int mpi_rank(void);
int mpi_ranks(void);
/* The MPI that was built in, as it calls itself, or "none". */
const char *mpi_version(char *words, size_t size);
/* Puts rows (n, n_number) together, row i of which has the rank that i leaves after division by
 * their number; `user` is not looked at. */
sonde_status mpi_gather(void *user, int32_t n, int32_t n_number, double *number);
/* Rank 0: all tasks of the study that are left. */
sonde_status mpi_lead(sonde_study *study, const sonde_study_plan *plan, const sonde_run *run,
                      sonde_error *error);
/* Every other rank: tasks until there are none. */
sonde_status mpi_follow(const sonde_study_plan *plan, const sonde_run *run, sonde_error *error);

#endif

/* mpi.c: handing out the tasks of a study over MPI. */
#include "ranks.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "options.h"

#ifdef SONDE_WITH_MPI
#include <mpi.h>

enum { TAG_TASK = 1, TAG_ROWS = 2 };

static int this_rank;
static int n_rank = 1;
static bool joined;

/* Whether mpirun started this process: otherwise MPI need not even be woken. */
static bool started_by_mpirun(void) {
    return getenv("OMPI_COMM_WORLD_SIZE") != NULL || getenv("PMI_SIZE") != NULL ||
           getenv("PMIX_RANK") != NULL;
}

sonde_status mpi_open(sonde_error *error) {
    if (!started_by_mpirun()) {
        return SONDE_OK;
    }
    if (MPI_Init(NULL, NULL) != MPI_SUCCESS || MPI_Comm_rank(MPI_COMM_WORLD, &this_rank) ||
        MPI_Comm_size(MPI_COMM_WORLD, &n_rank)) {
        return fail(error, SONDE_NO_FILE, "MPI did not start");
    }
    joined = true;
    return SONDE_OK;
}

void mpi_close(sonde_status status) {
    if (joined && status != SONDE_OK && n_rank > 1) {
        (void)MPI_Abort(MPI_COMM_WORLD, 1);
    }
    if (joined) {
        (void)MPI_Finalize();
    }
    joined = false;
}

int mpi_rank(void) {
    return this_rank;
}

int mpi_ranks(void) {
    return n_rank;
}

/* It says more than its name and version, after a comma or on further lines. */
const char *mpi_version(char *words, size_t size) {
    char said[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    int length = 0;
    if (MPI_Get_library_version(said, &length) != MPI_SUCCESS) {
        return "unknown";
    }
    said[strcspn(said, ",\r\n")] = '\0';
    for (char *tab = strchr(said, '\t'); tab != NULL; tab = strchr(tab, '\t')) {
        *tab = ' ';
    }
    (void)snprintf(words, size, "%s", said);
    return words;
}

/* Bits of rows that others have are 0 here, so that all ranks' bits together are everybody's. */
sonde_status mpi_gather(void *user, int32_t n, int32_t n_number, double *number) {
    (void)user;
    const int64_t n_all = (int64_t)n * n_number;
    const int64_t n_most = INT_MAX / 16;
    for (int32_t i = 0; i < n; i++) {
        if (i % n_rank != this_rank) {
            memset(number + (int64_t)i * n_number, 0, (size_t)n_number * sizeof *number);
        }
    }
    for (int64_t at = 0; at < n_all; at += n_most) {
        const int n_part = (int)(n_all - at < n_most ? n_all - at : n_most);
        if (MPI_Allreduce(MPI_IN_PLACE, number + at, n_part, MPI_UINT64_T, MPI_BOR,
                          MPI_COMM_WORLD) != MPI_SUCCESS) {
            return SONDE_STOPPED;
        }
    }
    return SONDE_OK;
}

/* ------------------------------------------------------------------------------------ lead -- */

/* what rank 0 keeps of the others */
typedef struct {
    sonde_study *study;
    const sonde_study_plan *plan;
    const sonde_run *run;
    int32_t n_out; /* tasks that ranks have and have not answered */
} lead;

static void give_task(lead *all, int rank) {
    int task = sonde_study_next(all->study);
    all->n_out += task >= 0;
    (void)MPI_Send(&task, 1, MPI_INT, rank, TAG_TASK, MPI_COMM_WORLD);
}

/* Takes in one rank's rows, which are there, and gives it another task. */
static sonde_status take_rows(lead *all, const MPI_Status *from, sonde_error *error) {
    int size = 0;
    (void)MPI_Get_count(from, MPI_CHAR, &size);
    if (size < 0) {
        return fail(error, SONDE_BAD_INPUT,
                    "rank %d: expected the rows of a task, found something else", from->MPI_SOURCE);
    }
    char *data = malloc((size_t)size + 1);
    if (data == NULL) {
        return fail(error, SONDE_NO_MEMORY, "rows: the system refused %d bytes", size);
    }
    (void)MPI_Recv(data, size, MPI_CHAR, from->MPI_SOURCE, TAG_ROWS, MPI_COMM_WORLD,
                   MPI_STATUS_IGNORE);
    const sonde_text rows = {.data = data, .size = (size_t)size};
    const sonde_status status = sonde_study_take(all->study, &rows, error);
    free(data);
    all->n_out--;
    if (status == SONDE_OK) {
        give_task(all, from->MPI_SOURCE);
    }
    return status;
}

/* Takes in all rows that have come; waits for some if there is nothing else to do. */
static sonde_status take_all(lead *all, bool wait, sonde_error *error) {
    sonde_status status = SONDE_OK;
    int there = 1;
    while (there && status == SONDE_OK && all->n_out > 0) {
        MPI_Status from;
        if (wait) {
            (void)MPI_Probe(MPI_ANY_SOURCE, TAG_ROWS, MPI_COMM_WORLD, &from);
            wait = false;
        } else {
            (void)MPI_Iprobe(MPI_ANY_SOURCE, TAG_ROWS, MPI_COMM_WORLD, &there, &from);
        }
        if (there) {
            status = take_rows(all, &from, error);
        }
    }
    return status;
}

static sonde_status do_task(lead *all, int32_t task, sonde_error *error) {
    sonde_text rows = {0};
    sonde_status status = sonde_study_plan_work(all->plan, task, all->run, &rows, error);
    if (status == SONDE_OK) {
        status = sonde_study_take(all->study, &rows, error);
    }
    piece_free(&rows);
    return status;
}

sonde_status mpi_lead(sonde_study *study, const sonde_study_plan *plan, const sonde_run *run,
                      sonde_error *error) {
    lead all = {.study = study, .plan = plan, .run = run};
    for (int turn = 0; turn < 2; turn++) {
        for (int rank = 1; rank < n_rank; rank++) {
            give_task(&all, rank);
        }
    }
    sonde_status status = SONDE_OK;
    bool more = true;
    while (status == SONDE_OK && (more || all.n_out > 0)) {
        const int32_t task = more ? sonde_study_next(study) : -1;
        more = task >= 0;
        if (more) {
            status = do_task(&all, task, error);
        }
        if (status == SONDE_OK) {
            status = take_all(&all, !more, error);
        }
        if (run->progress != NULL) {
            run->progress(run->user, "study", (uint64_t)sonde_study_done(study),
                          (uint64_t)plan->n_task);
        }
    }
    return status;
}

/* ---------------------------------------------------------------------------------- follow -- */

static sonde_status answer(const sonde_study_plan *plan, int task, const sonde_run *run,
                           sonde_error *error) {
    sonde_text rows = {0};
    sonde_status status = sonde_study_plan_work(plan, task, run, &rows, error);
    if (status == SONDE_OK && rows.size > INT_MAX) {
        status = fail(error, SONDE_TOO_LARGE,
                      "task %d: its rows have %zu bytes, more than MPI carries; run it without "
                      "mpirun, on threads",
                      task, rows.size);
    }
    if (status == SONDE_OK) {
        (void)MPI_Send(rows.data, (int)rows.size, MPI_CHAR, 0, TAG_ROWS, MPI_COMM_WORLD);
    }
    piece_free(&rows);
    return status;
}

sonde_status mpi_follow(const sonde_study_plan *plan, const sonde_run *run, sonde_error *error) {
    int task[2] = {-1, -1};
    MPI_Request coming;
    (void)MPI_Recv(&task[0], 1, MPI_INT, 0, TAG_TASK, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    (void)MPI_Irecv(&task[1], 1, MPI_INT, 0, TAG_TASK, MPI_COMM_WORLD, &coming);
    sonde_status status = SONDE_OK;
    while (task[0] >= 0 && status == SONDE_OK) {
        status = answer(plan, task[0], run, error);
        (void)MPI_Wait(&coming, MPI_STATUS_IGNORE);
        task[0] = task[1];
        if (status == SONDE_OK) {
            (void)MPI_Irecv(&task[1], 1, MPI_INT, 0, TAG_TASK, MPI_COMM_WORLD, &coming);
        }
    }
    if (status == SONDE_OK) {
        (void)MPI_Wait(&coming, MPI_STATUS_IGNORE);
    }
    return status;
}

#else

sonde_status mpi_open(sonde_error *error) {
    (void)error;
    return SONDE_OK;
}

void mpi_close(sonde_status status) {
    (void)status;
}

int mpi_rank(void) {
    return 0;
}

int mpi_ranks(void) {
    return 1;
}

const char *mpi_version(char *words, size_t size) {
    (void)words;
    (void)size;
    return "none";
}

sonde_status mpi_gather(void *user, int32_t n, int32_t n_number, double *number) {
    (void)user;
    (void)n;
    (void)n_number;
    (void)number;
    return SONDE_OK;
}

sonde_status mpi_lead(sonde_study *study, const sonde_study_plan *plan, const sonde_run *run,
                      sonde_error *error) {
    (void)plan;
    return sonde_study_run(study, run, error);
}

sonde_status mpi_follow(const sonde_study_plan *plan, const sonde_run *run, sonde_error *error) {
    (void)plan;
    (void)run;
    (void)error;
    return SONDE_OK;
}

#endif

/* cmd_study.c: sonde study carries out a plan, goes on where it was interrupted, and keeps every
 * result in an SQLite file. Under mpirun the tasks are spread over the ranks. */
#include <stdio.h>
#include <time.h>

#include "cmd.h"
#include "platform.h"
#include "ranks.h"
#include "table.h"

static const cli_option study_options[] = {
    {OPTION("db", TEXT, db, "FILE", "where results go, or are already"), .setting = true},
    {OPTION("record-steps", FLAG, record_steps, NULL,
            "keep a row for each step of each run, too: outcomes, action, belief, G, surprise"),
     .setting = true},
    {OPTION("dry-run", FLAG, dry_run, NULL,
            "check the plan, and say how much work it is; a task of each size is tried")},
    {OPTION("show", FLAG, show, NULL, "print the plan, to begin one of your own with")},
};
static const cli_option_group group_study = {"Study", OPTION_TABLE(study_options)};

const cli_option_group *const study_groups[] = {&group_study, &group_run, NULL};

/* --------------------------------------------------------------------------------- dry run -- */

static double cpu_seconds(void) {
    struct timespec time = {0};
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Does the first task of a size, without keeping its rows; the seconds it took. */
static sonde_status try_task(const sonde_study_plan *plan, int32_t task, cli_session *session,
                             double *seconds) {
    sonde_text rows = {0};
    const double began = cpu_seconds();
    const sonde_status status =
        sonde_study_plan_work(plan, task, &session->run, &rows, &session->error);
    *seconds = cpu_seconds() - began;
    piece_free(&rows);
    return status;
}

/* The tasks of each size: how many, and what one of them takes. */
static sonde_status estimate(const sonde_study_plan *plan, cli_session *session) {
    static const char *const head[] = {"worlds", "how many", "seconds each"};
    cli_table table = table_open(head, 3);
    double total = 0.0;
    sonde_status status = SONDE_OK;
    int32_t n = 0;
    for (int32_t task = 0; task < plan->n_task && !status; task += n) {
        int32_t size = 0;
        int32_t next = 0;
        int32_t graph = 0;
        double seconds = 0.0;
        (void)sonde_study_plan_task(plan, task, &size, &graph, &session->error);
        for (n = 1; task + n < plan->n_task; n++) {
            (void)sonde_study_plan_task(plan, task + n, &next, &graph, &session->error);
            if (next != size) {
                break;
            }
        }
        status = try_task(plan, task, session, &seconds);
        total += seconds * n;
        if (size > 0) {
            table_add(&table, "%d nodes", (int)size);
        } else {
            table_add(&table, "%s", plan->model[-1 - size].name);
        }
        table_add(&table, "%d", (int)n);
        table_add(&table, "%.3g", seconds);
    }
    if (status) {
        sonde_text unfinished = {0};
        table_close(&table, &unfinished);
        piece_free(&unfinished);
        return status;
    }
    sonde_text_add(&session->out, "\n");
    table_close(&table, &session->out);
    sonde_text_add(
        &session->out,
        "\nabout %.3g s on one core, judged by one world of each size; memory up to %.0f "
        "MB a core\n",
        total, peak_bytes() / (1024 * 1024));
    return status;
}

static void add_plan_line(sonde_text *text, const sonde_study_plan *plan) {
    sonde_text_add(text, "%s: %d worlds, %d conditions, ", plan->name, (int)plan->n_task,
                   (int)plan->n_condition);
    add_count(text, (uint64_t)plan->n_run);
    sonde_text_add(text, " runs of %d steps; seed %llu\n", (int)plan->n_step,
                   (unsigned long long)plan->seed);
}

/* ------------------------------------------------------------------------------------ verb -- */

/* a study that is watched */
typedef struct {
    cli_session *session;
    const sonde_study *study;
} watch;

/* Worlds are counted, but the time that is left is judged by what worlds of each size cost. */
static void show_progress(void *user, const char *stage, uint64_t done, uint64_t total) {
    const watch *w = user;
    w->session->knows_work = true;
    sonde_study_cost(w->study, &w->session->work_done, &w->session->work_left);
    session_progress(w->session, stage, done, total);
}

static sonde_status carry_out(const cli_arguments *args, const sonde_study_plan *plan,
                              cli_session *session) {
    sonde_study *study = NULL;
    sonde_status status = sonde_study_open(args->db, plan, &study, &session->error);
    if (!status) {
        const int32_t n_before = sonde_study_done(study);
        if (n_before > 0) {
            session_note(session, "%s: %d of %d worlds are there already", args->db, (int)n_before,
                         (int)plan->n_task);
        }
        watch watched = {session, study};
        sonde_run run = session->run;
        run.progress = args->quiet ? NULL : show_progress;
        run.user = &watched;
        status = mpi_ranks() > 1 ? mpi_lead(study, plan, &run, &session->error)
                                 : sonde_study_run(study, &run, &session->error);
    }
    if (!status) {
        add_plan_line(&session->out, plan);
        sonde_text_add(&session->out, "all in ");
        command_add_word(args->db, &session->out);
        sonde_text_add(&session->out, "; see them with\n  sonde report ");
        command_add_word(args->db, &session->out);
        sonde_text_add(&session->out, " -o report\n");
    }
    sonde_study_close(study);
    return status;
}

/* What is asked of the plan, once it is read. */
static sonde_status serve(const cli_arguments *args, const sonde_study_plan *plan,
                          cli_session *session) {
    if (args->show) {
        sonde_text_add(&session->out, "%s", plan->text);
        return SONDE_OK;
    }
    if (args->dry_run) {
        add_plan_line(&session->out, plan);
        return estimate(plan, session);
    }
    if (args->db == NULL) {
        return fail(&session->error, SONDE_BAD_ARGUMENT,
                    "--db: expected a file for the results, found none");
    }
    /* long work tells how far it is, on a terminal or not */
    session->show_progress = !args->quiet;
    return mpi_rank() > 0 ? mpi_follow(plan, &session->run, &session->error)
                          : carry_out(args, plan, session);
}

sonde_status cmd_study(cli_arguments *args, cli_session *session) {
    sonde_study_plan *plan = NULL;
    sonde_status status = mpi_open(&session->error);
    if (!status) {
        status = sonde_study_plan_read(args->file, &plan, &session->error);
    }
    if (!status) {
        plan->record_steps = plan->record_steps || args->record_steps;
        status = serve(args, plan, session);
    }
    sonde_study_plan_free(plan);
    mpi_close(status);
    return status;
}

/* session.h: one run of the program: where text goes, what went wrong, and when to stop.
 *
 * Results go to standard output and files, everything else to standard error. Files are written
 * first, so that a reader who closes the pipe does not take them along.
 */
#ifndef SONDE_CLI_SESSION_H
#define SONDE_CLI_SESSION_H

#include "options.h"

typedef struct cli_session {
    const cli_verb *verb;
    const cli_arguments *args; /* NULL before they are read */
    const char *input;         /* the file that is read, or NULL */
    sonde_text out;            /* standard output */
    int out_problem;           /* errno of the write that failed, or 0 */
    sonde_error error;         /* of the step that failed */
    sonde_run run;
    bool quiet;
    bool show_progress;
    bool on_terminal;  /* standard error is one */
    bool line_open;    /* a progress line stands there */
    double last_shown; /* seconds, of a monotonic clock */
    const char *stage; /* that progress was last told of */
    double stage_began;
    uint64_t stage_first; /* done when it began */
    bool knows_work;      /* the verb says how much work is left, which counts cannot tell */
    double work_done;     /* since the stage began, in whatever unit */
    double work_left;     /* in the same; NaN: not known yet */
} cli_session;

/* What a session ends with. */
enum { EXIT_DONE, EXIT_FAILED, EXIT_USAGE, EXIT_INPUT, EXIT_SIZE };

/* Starts a session: standard output is ready to be appended to, and SIGINT, SIGTERM and SIGHUP stop
 * long work. There is one at a time. */
void session_open(cli_session *session, const cli_verb *verb);
/* Says whether there is anything to take back. While there is not, a signal ends the program at
 * once: reading and drawing a world know no stop flag. */
void session_begun(bool begun);
/* Takes over how to run. */
void session_settle(cli_session *session, const cli_arguments *args);
/* Hands on what is left for standard output, says what went wrong, if anything, and returns the
 * exit status. */
int session_close(cli_session *session, sonde_status status);

/* Whether somebody has asked to stop, or nobody reads on. */
bool session_interrupted(const cli_session *session);
/* Words for people on standard error, in which names of files and the like are harmless. */
void say(const char *format, ...) SONDE_PRINTF(1, 2);
/* A sentence for people on standard error. */
void session_note(cli_session *session, const char *format, ...) SONDE_PRINTF(2, 3);
/* Shows how far long work is, now and then. `user` is the session. */
void session_progress(void *user, const char *stage, uint64_t done, uint64_t total);

/* Something that can be written. */
typedef sonde_status (*cli_document)(const void *about, sonde_text *text);
/* Where to: a file, "-" for standard output, or NULL for nowhere. */
typedef struct {
    const char *path;
    cli_document document;
} cli_output;
/* Fails when standard output, or a file, is asked to take more than one document, or the file
 * that is read one of another kind. */
sonde_status session_check(cli_session *session, const cli_output *output, int32_t n_output);
/* Writes all of them, files first; a file is there complete or not at all. If none of them is for
 * standard output, `text` is. */
sonde_status session_put(cli_session *session, const cli_output *output, int32_t n_output,
                         cli_document text, const void *about);

#endif

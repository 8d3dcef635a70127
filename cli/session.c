/* session.c: standard output, notes, progress, signals, and the way a run ends. */
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "beside.h"
#include "session.h"

/* signal handlers reach nothing but what is static */
static sonde_stop stop;
static volatile sig_atomic_t nothing_begun;

static void stop_on_signal(int number) {
    (void)number;
    if (nothing_begun) {
        static const char sentence[] = "sonde: interrupted before it had a world\n";
        (void)!write(STDERR_FILENO, sentence, sizeof sentence - 1);
        _exit(EXIT_FAILED);
    }
    sonde_stop_raise(&stop);
}

/* Signals that were ignored when the program started (nohup, a shell's background) stay ignored. A
 * second signal ends the program at once. */
static void catch_signal(int number) {
    struct sigaction before;
    if (sigaction(number, NULL, &before) != 0 || before.sa_handler == SIG_IGN) {
        return;
    }
    struct sigaction action = {.sa_handler = stop_on_signal, .sa_flags = (int)SA_RESETHAND};
    (void)sigemptyset(&action.sa_mask);
    (void)sigaction(number, &action, NULL);
}

static double now(void) {
    struct timespec time = {0};
    (void)clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* -------------------------------------------------------------------------- standard error -- */

void say(const char *format, ...) {
    char plain[2048];
    va_list rest;
    va_start(rest, format);
    (void)vsnprintf(plain, sizeof plain, format, rest);
    va_end(rest);
    sonde_text shown = {0};
    sonde_text_add_shown(&shown, plain);
    (void)fputs(shown.data && !shown.failed ? shown.data : plain, stderr);
    sonde_text_free(&shown);
}

static void erase_progress(cli_session *session) {
    if (session->line_open) {
        (void)fputs("\r\033[K", stderr);
        session->line_open = false;
    }
}

void session_note(cli_session *session, const char *format, ...) {
    if (session->quiet) {
        return;
    }
    erase_progress(session);
    char sentence[1024];
    va_list rest;
    va_start(rest, format);
    (void)vsnprintf(sentence, sizeof sentence, format, rest);
    va_end(rest);
    say("sonde %s: note: %s", session->verb->name, sentence);
    (void)fputs("\n", stderr);
}

/* How fast a stage is, and how long it still takes, judged by what it has done since it began. */
static void add_pace(const cli_session *session, double time, uint64_t done, uint64_t total) {
    const double elapsed = time - session->stage_began;
    const double n = (double)(done - session->stage_first);
    if (elapsed < 1.0 || n <= 0.0) {
        return;
    }
    const double left = elapsed * (session->knows_work ? session->work_left / session->work_done
                                                       : (double)(total - done) / n);
    (void)fprintf(stderr, ", %.3g/s", n / elapsed);
    if (isfinite(left)) {
        (void)fprintf(stderr, ", %.0f %s left", left < 120.0 ? left : left / 60.0,
                      left < 120.0 ? "s" : "min");
    }
}

static void add_progress_bar(double share) {
    enum { WIDTH = 24 };
    (void)fputs(" [", stderr);
    for (int i = 0; i < WIDTH; i++) {
        (void)fputc((double)i < share * WIDTH ? '#' : '.', stderr);
    }
    (void)fputs("]", stderr);
}

/* On a terminal one line that changes, elsewhere a line every few seconds. */
void session_progress(void *user, const char *stage, uint64_t done, uint64_t total) {
    cli_session *session = user;
    const double time = now();
    if (session->stage == NULL || strcmp(session->stage, stage) != 0 ||
        done < session->stage_first) {
        session->stage = stage;
        session->stage_began = time;
        session->stage_first = done;
    }
    const double pause = session->on_terminal ? 0.1 : 5.0;
    if (!session->show_progress || total == 0 || time - session->last_shown < pause) {
        return;
    }
    session->last_shown = time;
    const double share = (double)done / (double)total;
    (void)fprintf(stderr, "%s%s:", session->on_terminal ? "\r\033[K" : "", stage);
    if (session->on_terminal) {
        add_progress_bar(share);
    }
    (void)fprintf(stderr, " %llu of %llu (%.0f %%)", (unsigned long long)done,
                  (unsigned long long)total, 100.0 * share);
    add_pace(session, time, done, total);
    (void)fputs(session->on_terminal ? "" : "\n", stderr);
    (void)fflush(stderr);
    session->line_open = session->on_terminal;
}

/* ------------------------------------------------------------------------- standard output -- */

static bool write_out(void *user, const char *data, size_t size) {
    cli_session *session = user;
    erase_progress(session);
    while (size > 0) {
        const ssize_t n = write(STDOUT_FILENO, data, size);
        if (n < 0 && errno == EINTR && !session_interrupted(session)) {
            continue;
        }
        if (n < 0) {
            session->out_problem = errno;
            return false;
        }
        data += n;
        size -= (size_t)n;
    }
    return true;
}

static bool is_standard(const cli_output *output) {
    return output->path && !strcmp(output->path, "-");
}

/* Whether two names are of one file that is there. */
static bool is_same(const char *a, const char *b) {
    struct stat of_a;
    struct stat of_b;
    return !stat(a, &of_a) && !stat(b, &of_b) && of_a.st_dev == of_b.st_dev &&
           of_a.st_ino == of_b.st_ino;
}

/* Whether two names, of which there may be nothing yet, are of one place. */
static bool is_one_place(const char *a, const char *b) {
    const char *slash_a = strrchr(a, '/');
    const char *slash_b = strrchr(b, '/');
    if (strcmp(slash_a ? slash_a + 1 : a, slash_b ? slash_b + 1 : b) != 0) {
        return false;
    }
    char of_a[PATH_MAX];
    char of_b[PATH_MAX];
    (void)snprintf(of_a, sizeof of_a, "%.*s.", slash_a ? (int)(slash_a + 1 - a) : 0, a);
    (void)snprintf(of_b, sizeof of_b, "%.*s.", slash_b ? (int)(slash_b + 1 - b) : 0, b);
    return !strcmp(a, b) || is_same(of_a, of_b);
}

/* Whether a file is read by one of the options. */
static bool is_read_by(const cli_option *option, const cli_arguments *args, const char *path) {
    const char *field = (const char *)args + option->at;
    if (option->kind == OPTION_TEXT) {
        const char *value = *(const char *const *)(const void *)field;
        return value && is_same(path, value);
    }
    const cli_words *words = (const cli_words *)(const void *)field;
    for (int32_t i = 0; i < words->n; i++) {
        if (is_same(path, words->word[i])) {
            return true;
        }
    }
    return false;
}

/* Whether a file is among those that are read besides the first. */
static bool is_read(const cli_session *session, const char *path) {
    const cli_arguments *args = session->args;
    const cli_option *option;
    for (int32_t i = 0; (option = option_at(session->verb, i)) != NULL; i++) {
        if (option->reads && args->given[i] && is_read_by(option, args, path)) {
            return true;
        }
    }
    for (int32_t i = 0; i < args->more.n; i++) {
        if (is_same(path, args->more.word[i])) {
            return true;
        }
    }
    if (!session->verb->data || !args->data) {
        return false;
    }
    /* what simulate writes beside a table goes with it */
    sonde_text beside = beside_path(args->data);
    const bool same = beside.data && is_same(path, beside.data);
    piece_free(&beside);
    return same;
}

/* Whether a regular file would lose what it holds: what was read, or another document. */
static sonde_status check_file(cli_session *session, const cli_output *output, int32_t i) {
    const char *path = output[i].path;
    struct stat there;
    const bool regular = !stat(path, &there) && S_ISREG(there.st_mode);
    for (int32_t j = 0; j < i; j++) {
        const char *other = output[j].path;
        if (other && (is_one_place(path, other) || (regular && is_same(path, other)))) {
            return fail(&session->error, SONDE_BAD_ARGUMENT,
                        "%s: takes one document, but two were asked for", path);
        }
    }
    const bool converts = session->verb->converts && i == 0;
    const bool is_input = session->input && !converts && is_same(path, session->input);
    if (regular && (is_input || is_read(session, path))) {
        return fail(&session->error, SONDE_BAD_ARGUMENT,
                    "%s: is read, and would be lost; choose another file to write to", path);
    }
    return SONDE_OK;
}

sonde_status session_check(cli_session *session, const cli_output *output, int32_t n_output) {
    int32_t n = 0;
    for (int32_t i = 0; i < n_output; i++) {
        n += is_standard(&output[i]);
    }
    if (n > 1) {
        return fail(&session->error, SONDE_BAD_ARGUMENT,
                    "standard output takes one document, but %d were asked for", (int)n);
    }
    sonde_status status = SONDE_OK;
    for (int32_t i = 0; i < n_output && !status; i++) {
        if (output[i].path && !is_standard(&output[i])) {
            status = check_file(session, output, i);
        }
    }
    return status;
}

static sonde_status write_file(cli_session *session, const cli_output *output, const void *about) {
    sonde_text text = {0};
    sonde_status status = sonde_text_open(&text, output->path, &session->error);
    if (!status) {
        status = output->document(about, &text);
    }
    if (!status && piece_lost()) {
        status = SONDE_NO_MEMORY;
    }
    if (!status) {
        status = sonde_text_close(&text, &session->error);
    }
    sonde_text_free(&text);
    return status;
}

sonde_status session_put(cli_session *session, const cli_output *output, int32_t n_output,
                         cli_document text, const void *about) {
    cli_document standard = text;
    if (piece_lost()) {
        return SONDE_NO_MEMORY;
    }
    for (int32_t i = 0; i < n_output; i++) {
        if (is_standard(&output[i])) {
            standard = output[i].document;
        } else if (output[i].path) {
            const sonde_status status = write_file(session, &output[i], about);
            if (status) {
                return status;
            }
        }
    }
    return standard(about, &session->out);
}

/* ------------------------------------------------------------------------------ life cycle -- */

bool session_interrupted(const cli_session *session) {
    return *(const volatile int *)&stop.raised != 0 || session->out.failed;
}

void session_open(cli_session *session, const cli_verb *verb) {
    *session = (struct cli_session){.verb = verb, .run = sonde_run_defaults()};
    piece_begin();
    session->out.sink = write_out;
    session->out.user = session;
    session->run.stop = &stop;
    session->on_terminal = isatty(STDERR_FILENO) == 1;
    /* a closed pipe is an error of write(), after which files are taken back as after any other */
    (void)signal(SIGPIPE, SIG_IGN);
    /* and so is a file that grows past what is allowed (ulimit -f) */
    (void)signal(SIGXFSZ, SIG_IGN);
    catch_signal(SIGINT);
    catch_signal(SIGTERM);
    catch_signal(SIGHUP);
}

void session_begun(bool begun) {
    nothing_begun = !begun;
}

void session_settle(cli_session *session, const cli_arguments *args) {
    session->input = args->file;
    session->run.n_thread = args->n_thread;
    session->run.memory = args->memory;
    session->quiet = args->quiet;
    session->show_progress = !args->quiet && (args->progress || session->on_terminal);
    if (session->show_progress) {
        session->run.progress = session_progress;
        session->run.user = session;
    }
}

static int exit_status(sonde_status status) {
    switch (status) {
    case SONDE_OK: return EXIT_DONE;
    case SONDE_BAD_ARGUMENT: return EXIT_USAGE;
    case SONDE_NO_FILE:
    case SONDE_BAD_INPUT: return EXIT_INPUT;
    case SONDE_TOO_LARGE:
    case SONDE_NO_MEMORY: return EXIT_SIZE;
    default: return EXIT_FAILED;
    }
}

/* Names the options of the verb that make a run smaller, unless the sentence names some. */
static void add_remedy(const cli_session *session, sonde_status status) {
    static const char *const helps[] = {"memory", "horizon", "scope", "policy-sample"};
    const bool can_sample = strstr(session->error.text, " a sample") != NULL;
    if (exit_status(status) != EXIT_SIZE || strstr(session->error.text, "--")) {
        return;
    }
    const char *before = " (see ";
    const cli_option *option;
    for (int32_t i = 0; (option = option_at(session->verb, i)) != NULL; i++) {
        for (size_t j = 0; j < sizeof helps / sizeof helps[0]; j++) {
            if (!strcmp(option->name, helps[j]) && (j < 3 || can_sample)) {
                (void)fprintf(stderr, "%s--%s", before, option->name);
                before = ", ";
            }
        }
    }
    (void)fputs(")", stderr);
}

/* The library speaks of settings by their keys; on a command line they are options. */
static void add_sentence(const cli_session *session, const char *sentence, sonde_text *text) {
    const sonde_error *error = &session->error;
    char name[sizeof error->setting];
    char subject[sizeof error->setting];
    /* what a sentence is about stands before its colon, where no setting is named */
    (void)snprintf(subject, sizeof subject, "%.*s", (int)strcspn(sentence, ":"), sentence);
    const bool argument = error->status == SONDE_BAD_ARGUMENT && error->text == sentence;
    const char *about = error->setting[0] || !argument ? error->setting : subject;
    (void)option_name(about, name, sizeof name);
    const bool is_option =
        sentence == error->text && name[0] && option_find(session->verb, name) >= 0;
    if (is_option) {
        const bool inf = session->args && session->args->horizon_inf && !strcmp(name, "endless");
        sonde_text_add(text, "--%s", inf ? "horizon inf" : name);
        sentence += strlen(about);
    }
    while (*sentence) {
        char key[sizeof error->setting];
        const size_t length = strspn(sentence, "abcdefghijklmnopqrstuvwxyz_");
        (void)snprintf(key, sizeof key, "%.*s", (int)length, sentence);
        const bool named = is_option && strchr(key, '_') && sonde_setting_find(key) >= 0;
        const size_t n = length ? length : 1;
        if (named) {
            sonde_text_add(text, "--%s", option_name(key, name, sizeof name));
        } else {
            sonde_text_add(text, "%.*s", (int)n, sentence);
        }
        sentence += n;
    }
}

static int say_what_failed(const cli_session *session, sonde_status status) {
    const sonde_error *error = &session->error;
    const char *sentence = error->status == status ? error->text : sonde_status_sentence(status);
    sonde_text text = {0};
    add_sentence(session, sentence, &text);
    say("sonde %s: %s", session->verb->name, text.data ? text.data : sentence);
    sonde_text_free(&text);
    add_remedy(session, status);
    (void)fputs("\n", stderr);
    return exit_status(status);
}

int session_close(cli_session *session, sonde_status status) {
    const bool written = sonde_text_close(&session->out, NULL) == SONDE_OK;
    erase_progress(session);
    if (*(const volatile int *)&stop.raised && (status || !written)) {
        (void)fprintf(stderr, "sonde %s: interrupted before it was done\n", session->verb->name);
        return EXIT_FAILED;
    }
    if (session->out_problem == EPIPE) {
        return EXIT_DONE; /* whoever read has read enough */
    }
    if (session->out_problem) {
        (void)fprintf(stderr, "sonde %s: standard output: %s\n", session->verb->name,
                      strerror(session->out_problem));
        return EXIT_FAILED;
    }
    if (!status && (!written || piece_lost())) {
        status = SONDE_NO_MEMORY; /* a text that fails without its sink has no room to grow */
    }
    return status ? say_what_failed(session, status) : EXIT_DONE;
}

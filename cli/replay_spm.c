/* replay_spm.c: sonde replay --scheme spm goes through trials of SPM's scheme, and says what the
 * agent believed and how probable its actions were. */
#include "replay.h"

typedef struct {
    sonde_spm *spm;
    sonde_text trials; /* as JSON, one after the other */
    sonde_text lines;  /* for people, one a trial */
    sonde_text rows;   /* the same as a table */
    double log_likelihood;
    int32_t n_trial;
} replay;

/* One trial: its surest policy at the end, evidence, and how probable its actions were. */
static void add_line(replay *r, const sonde_spm_trial *trial) {
    const sonde_spm_shape *shape = sonde_spm_shape_of(r->spm);
    const int32_t last = shape->n_time - 1;
    int32_t best = 0;
    for (int32_t k = 1; k < shape->n_policy; k++) {
        if (trial->R[k * shape->n_time + last] > trial->R[best * shape->n_time + last]) {
            best = k;
        }
    }
    sonde_text_add(&r->lines, "%5d  %6d  %8.6f  %10.6f  %10.6f  %12.6f\n", (int)r->n_trial + 1,
                   (int)best + 1, trial->R[best * shape->n_time + last], trial->w[last],
                   trial->H[last], trial->log_likelihood);
    sonde_text_add(&r->rows, "%d,%d", (int)r->n_trial + 1, (int)best + 1);
    const double number[] = {trial->R[best * shape->n_time + last], trial->w[last], trial->H[last],
                             trial->log_likelihood};
    for (size_t i = 0; i < sizeof number / sizeof *number; i++) {
        sonde_text_add(&r->rows, ",");
        sonde_text_add_number(&r->rows, number[i]);
    }
    sonde_text_add(&r->rows, "\n");
}

static sonde_status run_trials(replay *r, cli_session *session) {
    const sonde_spm_shape *shape = sonde_spm_shape_of(r->spm);
    sonde_status status = SONDE_OK;
    for (; !status && r->n_trial < shape->n_trial; r->n_trial++) {
        if (session_interrupted(session)) {
            return SONDE_STOPPED;
        }
        const int64_t at = (int64_t)r->n_trial * shape->n_time;
        const sonde_spm_trial *trial = NULL;
        status = sonde_spm_run(r->spm, shape->outcome + at * shape->n_modality,
                               shape->action + at * shape->n_factor, &trial, &session->error);
        if (!status) {
            sonde_text_add(&r->trials, r->n_trial > 0 ? ",\n    " : "\n    ");
            sonde_document_spm(r->spm, trial, &r->trials);
            add_line(r, trial);
            r->log_likelihood += trial->log_likelihood;
        }
    }
    return status;
}

static sonde_status write_json(const void *about, sonde_text *text) {
    const replay *r = about;
    sonde_text_add(text, "{\"sonde\": \"%s\", \"verb\": \"replay\", \"scheme\": \"spm\",\n",
                   sonde_version());
    sonde_text_add(text, "  \"sign\": \"G as SPM reports it: larger is better\",\n"
                         "  \"log_likelihood\": ");
    sonde_text_add_number(text, r->log_likelihood);
    sonde_text_add(text, ",\n  \"trials\": [%s]}\n", r->trials.data);
    return SONDE_OK;
}

static sonde_status write_csv(const void *about, sonde_text *text) {
    const replay *r = about;
    sonde_text_add(text, "trial,policy,probability,precision,evidence,log_likelihood\n%s",
                   r->rows.data);
    return SONDE_OK;
}

static sonde_status write_text(const void *about, sonde_text *text) {
    const replay *r = about;
    const sonde_spm_shape *shape = sonde_spm_shape_of(r->spm);
    sonde_text_add(
        text, "SPM's scheme: %d policies of %d moves, %d factor%s, %d modalit%s; %d trial%s\n\n",
        (int)shape->n_policy, (int)shape->n_time - 1, (int)shape->n_factor,
        shape->n_factor == 1 ? "" : "s", (int)shape->n_modality,
        shape->n_modality == 1 ? "y" : "ies", (int)r->n_trial, r->n_trial == 1 ? "" : "s");
    sonde_text_add(text, "trial  policy  its prob.   precision    evidence  ln P(actions)\n%s\n",
                   r->lines.data);
    sonde_text_add(text, "log-likelihood of the actions %.9g\n", r->log_likelihood);
    return SONDE_OK;
}

sonde_status replay_spm(cli_arguments *args, cli_session *session) {
    enum { N_OUTPUT = 3 };
    const cli_output output[N_OUTPUT] = {
        {args->output, write_json}, {args->csv, write_csv}, {args->json ? "-" : NULL, write_json}};
    replay r = {0};
    const sonde_source source = {.origin = args->file};
    session->input = args->file;
    if (args->data) {
        return fail(&session->error, SONDE_BAD_ARGUMENT,
                    "expected one file with a model and its trials, as --scheme spm has them, "
                    "found \"%s\" as well",
                    args->data);
    }
    sonde_status status = session_check(session, output, N_OUTPUT);
    if (!status) {
        status = sonde_spm_read(&source, &session->run, &r.spm, &session->error);
    }
    if (!status && sonde_spm_shape_of(r.spm)->n_trial == 0) {
        status =
            fail(&session->error, SONDE_BAD_INPUT,
                 "%s: expected trials with o, outcomes, and u, actions, found none", args->file);
    }
    if (!status) {
        status = run_trials(&r, session);
    }
    if (!status && (r.trials.failed || r.lines.failed || r.rows.failed)) {
        status = fail(&session->error, SONDE_NO_MEMORY, "there is no memory for the results");
    }
    if (!status) {
        status = session_put(session, output, N_OUTPUT, write_text, &r);
    }
    piece_free(&r.trials);
    piece_free(&r.lines);
    piece_free(&r.rows);
    sonde_spm_free(r.spm);
    return status;
}

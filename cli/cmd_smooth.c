/* cmd_smooth.c: sonde smooth says what is believed of every step of a sequence, given all of it. */
#include <stdlib.h>

#include "cmd.h"
#include "world.h"

static const cli_option smooth_options[] = {
    {.name = "data",
     .kind = OPTION_TEXT,
     .kinds = SONDE_KIND_GENERAL,
     .at = offsetof(cli_arguments, data),
     .reads = true,
     .value = "FILE",
     .help = "what was seen and done: a sonde-sequence document"},
    {.name = "how",
     .kind = OPTION_CHOICE,
     .kinds = SONDE_KIND_GENERAL,
     .at = offsetof(cli_arguments, how),
     .setting = true,
     .names = sonde_smoothing_name,
     .value = "HOW",
     .help = "each step given those before it, given all, or by pymdp's message passing"},
};
static const cli_option_group group_smooth = {"Sequence", OPTION_TABLE(smooth_options)};

const cli_option_group *const smooth_groups[] = {&group_smooth, &group_belief, &group_json,
                                                 &group_run, NULL};

typedef struct {
    const cli_arguments *args;
    cli_world world;
    sonde_sequence *sequence;
    double *belief; /* (n_step, n_belief) */
} smoothing;

static sonde_status write_json(const void *about, sonde_text *text) {
    const smoothing *s = about;
    const sonde_model *model = s->world.model;
    sonde_text_add(text, "{\"sonde\": \"%s\", \"verb\": \"smooth\", \"how\": \"%s\",\n  \"qs\": [",
                   sonde_version(), sonde_smoothing_name(s->args->how));
    for (int32_t f = 0; f < model->n_factor; f++) {
        const sonde_factor *factor = &model->factor[f];
        sonde_text_add(text, f > 0 ? ",\n    [" : "\n    [");
        for (int32_t t = 0; t < s->sequence->n_step; t++) {
            sonde_text_add(text, t > 0 ? ", [" : "[");
            for (int32_t i = 0; i < factor->n_state; i++) {
                sonde_text_add(text, i > 0 ? ", " : "");
                sonde_text_add_number(text,
                                      s->belief[(int64_t)t * model->n_belief + factor->first + i]);
            }
            sonde_text_add(text, "]");
        }
        sonde_text_add(text, "]");
    }
    sonde_text_add(text, "]}\n");
    return SONDE_OK;
}

/* The most probable state of each factor, step by step. */
static sonde_status write_text(const void *about, sonde_text *text) {
    const smoothing *s = about;
    const sonde_model *model = s->world.model;
    sonde_text_add(text, "beliefs of %d steps, %s: the most probable state of each factor\n\n",
                   (int)s->sequence->n_step, sonde_smoothing_name(s->args->how));
    for (int32_t t = 0; t < s->sequence->n_step; t++) {
        sonde_text_add(text, "%5d", (int)t);
        for (int32_t f = 0; f < model->n_factor; f++) {
            const sonde_factor *factor = &model->factor[f];
            const double *q = s->belief + (int64_t)t * model->n_belief + factor->first;
            int32_t best = 0;
            for (int32_t i = 1; i < factor->n_state; i++) {
                best = q[i] > q[best] ? i : best;
            }
            sonde_text_add(text, "  ");
            if (factor->state_name != NULL) {
                sonde_text_add_shown(text, factor->state_name[best]);
            } else {
                sonde_text_add(text, "%d", (int)best);
            }
            sonde_text_add(text, " %.6f", q[best]);
        }
        sonde_text_add(text, "\n");
    }
    return SONDE_OK;
}

static sonde_status work(smoothing *s, cli_session *session) {
    const sonde_model *model = s->world.model;
    const sonde_source source = {.origin = s->args->data};
    sonde_status status = sonde_sequence_read(&source, model, &s->sequence, &session->error);
    if (status) {
        return status;
    }
    s->sequence->inference = s->args->search.inference;
    s->belief = calloc((size_t)s->sequence->n_step * (size_t)model->n_belief, sizeof *s->belief);
    if (s->belief == NULL) {
        return fail(&session->error, SONDE_NO_MEMORY, "there is no memory for the beliefs");
    }
    return sonde_belief_smooth(model, s->sequence, (sonde_smoothing)s->args->how, s->belief,
                               &session->error);
}

sonde_status cmd_smooth(cli_arguments *args, cli_session *session) {
    enum { N_OUTPUT = 2 };
    const cli_output output[N_OUTPUT] = {{args->output, write_json},
                                         {args->json ? "-" : NULL, write_json}};
    smoothing s = {.args = args};
    if (args->data == NULL) {
        return fail(&session->error, SONDE_BAD_ARGUMENT,
                    "--data: expected a file with outcomes and actions, found none");
    }
    if (args->how >= SONDE_SMOOTHING_MMP && args->search.inference != SONDE_INFERENCE_DEFAULT) {
        return fail(&session->error, SONDE_BAD_ARGUMENT,
                    "--inference: changes nothing with --how %s, which takes in all outcomes at "
                    "once; leave one of them out",
                    sonde_smoothing_name(args->how));
    }
    sonde_status status = session_check(session, output, N_OUTPUT);
    if (!status) {
        status = world_open(args, session, &s.world);
    }
    if (!status) {
        status = work(&s, session);
    }
    if (!status) {
        status = session_put(session, output, N_OUTPUT, write_text, &s);
    }
    free(s.belief);
    sonde_sequence_free(s.sequence);
    world_close(&s.world);
    return status;
}

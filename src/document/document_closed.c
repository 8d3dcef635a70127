/* document_closed.c: a decision in closed loop as JSON, and its plan as sentences.
 *
 * The plan is a graph: a belief that can be reached in several ways stands in the list once, and is
 * told once; other ways there say its number. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "document/document_internal.h"

/* columns of text, and lines of a plan that are told at most */
enum { COLUMNS = 100, LINES_MOST = 60 };

static void add_range(sonde_text *json, const char *key, double lower, double upper) {
    sonde_text_add(json, ", \"%s\": [", key);
    sonde_text_add_number(json, lower);
    sonde_text_add(json, ", ");
    sonde_text_add_number(json, upper);
    sonde_text_add(json, "]");
}

static void add_first_actions(const sonde_model *model, const sonde_decision *d, sonde_text *json) {
    sonde__document_key(json, "first_actions");
    sonde_text_add(json, "[");
    for (int32_t i = 0; i < d->n_action; i++) {
        sonde_text_add(json, "%s\n  {\"action\": ", i > 0 ? "," : "");
        sonde__writer_of(model)->choice(json, model, -1, d->action[i]);
        sonde__text_pair(json, "p", d->posterior[i]);
        add_range(json, "p_range", d->p_lower[i], d->p_upper[i]);
        add_range(json, "efe", d->efe_lower[i], d->efe_upper[i]);
        sonde__text_pair(json, "probability", d->probability[i]);
        if (d->step != NULL) {
            sonde_text_add(json, ", \"step\": {");
            sonde__document_terms(json, &d->step[i], false);
            sonde_text_add(json, "}}");
        } else {
            sonde_text_add(json, ", \"step\": null}");
        }
    }
    sonde_text_add(json, "]");
}

static void add_certificate(const sonde_decision *d, sonde_text *json) {
    const sonde_certificate *c = &d->certificate;
    sonde__document_key(json, "certificate");
    if (!c->given) {
        sonde_text_add(json, "null, \"stopped\": \"%s\"", c->stopped);
        return;
    }
    sonde_text_add(json, "{\"tv\": ");
    sonde_text_add_number(json, c->tv);
    sonde__text_pair(json, "gap", c->gap);
    sonde_text_add(json, ", \"action_is_exact\": %s", c->action_is_exact ? "true" : "false");
    if (isnan(c->gamma_range[0])) {
        sonde_text_add(json, ", \"gamma_range\": null");
    } else {
        add_range(json, "gamma_range", c->gamma_range[0], c->gamma_range[1]);
    }
    sonde_text_add(json, ", \"stopped\": \"%s\"", c->stopped);
    if (c->belief != NULL) {
        sonde_text_add(json, ", \"belief\": \"%s\"", c->belief);
    }
    sonde_text_add(json, "}");
}

static void add_evaluations(const sonde_evaluations *e, sonde_text *json) {
    sonde__document_key(json, "evaluations");
    sonde_text_add(json, "{\"beliefs\": ");
    sonde__document_index(json, e->n_belief);
    sonde_text_add(json, ", \"merged\": ");
    sonde__document_index(json, e->n_merged);
    sonde_text_add(json, ", \"steps\": ");
    sonde__document_index(json, e->n_step);
    sonde_text_add(json, ", \"setup_steps\": ");
    sonde__document_index(json, e->n_setup_step);
    sonde__text_pair(json, "tree", e->tree);
    sonde_text_add(json, "}");
}

/* The outcomes of a branch, null where a modality says nothing. */
static void add_outcome(const sonde_model *model, const int32_t *outcome, sonde_text *json) {
    for (int32_t m = 0; m < model->n_modality; m++) {
        sonde_text_add(json, m > 0 ? ", " : "[");
        if (outcome[m] >= 0) {
            sonde_text_add(json, "%" PRId32, outcome[m]);
        } else {
            sonde_text_add(json, "null");
        }
    }
    sonde_text_add(json, "]");
}

static void add_contingency(const sonde_model *model, const sonde_decision *d, int32_t i,
                            sonde_text *json) {
    const sonde_contingency *at = &d->contingency[i];
    sonde_text_add(json, "%s\n  {\"id\": %" PRId32 ", \"depth\": %" PRId32 ", \"action\": ",
                   i > 0 ? "," : "", i, at->depth);
    sonde__writer_of(model)->choice(json, model, -1, at->action);
    add_range(json, "efe", at->lower, at->upper);
    sonde_text_add(json, ", \"children\": [");
    for (int32_t k = 0; k < at->n_branch; k++) {
        const sonde_contingency_branch *branch = &d->contingent[at->first + k];
        sonde_text_add(json, "%s\n    {\"outcome\": ", k > 0 ? "," : "");
        add_outcome(model, branch->outcome, json);
        sonde__text_pair(json, "p", branch->p);
        if (branch->next >= 0) {
            sonde__text_whole(json, "id", branch->next);
        } else {
            sonde_text_add(json, ", \"id\": null");
        }
        sonde_text_add(json, "}");
    }
    sonde_text_add(json, "]}");
}

void sonde__document_closed(const sonde_agent *agent, const sonde_decision *d, sonde_text *json) {
    static const char *const none[] = {"best", "policy_space", "policies", "equivalent",
                                       "best_is_optimal"};
    const sonde_model *model = sonde_agent_policies(agent)->model;
    const sonde_search_settings *settings = sonde_agent_settings(agent);
    sonde__document_key(json, "loop");
    sonde_text_add(json, "\"closed\", \"backup\": \"%s\", \"belief_kind\": \"%s\"",
                   sonde_backup_name((int32_t)settings->backup),
                   sonde_belief_kind_name((int32_t)settings->belief_kind));
    sonde__text_pair(json, "discount", settings->discount);
    sonde__document_key(json, "search");
    sonde_text_add_quoted(json, sonde_plan_search_name((int32_t)d->used));
    if (model->coupled && settings->belief_kind == SONDE_BELIEF_JOINT) {
        sonde_text_add(json,
                       ", \"note\": \"factors are coupled: joint beliefs are exact, and those "
                       "of open loop a mean field, so their G differ from the first step on\"");
    }
    sonde__document_key(json, "value");
    sonde_text_add(json, "[");
    sonde_text_add_number(json, d->value_lower);
    sonde_text_add(json, ", ");
    sonde_text_add_number(json, d->value_upper);
    sonde_text_add(json, "]");
    add_first_actions(model, d, json);
    add_certificate(d, json);
    add_evaluations(&d->evaluations, json);
    sonde__document_key(json, "plan");
    sonde_text_add(json, "[");
    for (int32_t i = 0; i < d->n_contingency; i++) {
        add_contingency(model, d, i, json);
    }
    sonde_text_add(json, "]");
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        sonde__document_key(json, none[i]);
        sonde_text_add(json, "null");
    }
}

/* --------------------------------------------------------------------------------- sentences -- */

/* a plan while it is told */
typedef struct {
    const sonde_model *model;
    const sonde_decision *decision;
    sonde_text *text;
    int32_t n_line;
} telling;

/* Ends a line that was begun at `from`, cut to the columns there are. */
static void end_line(telling *t, size_t from) {
    sonde_text *text = t->text;
    if (text->data != NULL && text->size > from + COLUMNS) {
        size_t end = from + COLUMNS - 3;
        while (end > from && ((unsigned char)text->data[end] & 0xc0) == 0x80) {
            end--;
        }
        text->size = end;
        text->data[end] = '\0';
        sonde_text_add(text, "...");
    }
    sonde_text_add(text, "\n");
    t->n_line++;
}

static void say_outcome(const telling *t, const int32_t *outcome) {
    const sonde_model *model = t->model;
    const char *comma = "";
    for (int32_t m = 0; m < model->n_modality; m++) {
        if (outcome[m] < 0) {
            continue;
        }
        sonde_text_add(t->text, "%s", comma);
        if (model->modality[m].outcome_name != NULL) {
            sonde_text_add_shown(t->text, model->modality[m].outcome_name[outcome[m]]);
        } else {
            sonde_text_add(t->text, "outcome %" PRId32, outcome[m]);
        }
        comma = ", ";
    }
    if (*comma == '\0') {
        sonde_text_add(t->text, "anything");
    }
}

static void say_action(const telling *t, const sonde_contingency *at) {
    sonde_model_say(t->model, SONDE_NOUN_ACTION, (int32_t[]){-1, at->action}, 0, t->text);
    const double middle = 0.5 * (at->lower + at->upper);
    const double half = 0.5 * (at->upper - at->lower);
    sonde_text_add(t->text, half > 1e-6 * (1.0 + fabs(middle)) ? "; G %.4g to %.4g" : "; G %.4g",
                   half > 1e-6 * (1.0 + fabs(middle)) ? at->lower : middle, at->upper);
}

static void tell(telling *t, int32_t i, int32_t depth, bool *told) {
    const sonde_contingency *at = &t->decision->contingency[i];
    told[i] = true;
    for (int32_t k = 0; k < at->n_branch && t->n_line < LINES_MOST; k++) {
        const sonde_contingency_branch *branch = &t->decision->contingent[at->first + k];
        const size_t from = t->text->size;
        sonde_text_add(t->text, "%*ssee ", 2 * (depth + 1), "");
        say_outcome(t, branch->outcome);
        sonde_text_add(t->text, " (%.3g): ", branch->p);
        if (branch->next < 0) {
            sonde_text_add(t->text, "not looked at more closely");
        } else {
            say_action(t, &t->decision->contingency[branch->next]);
            if (told[branch->next] && t->decision->contingency[branch->next].n_branch > 0) {
                sonde_text_add(t->text, " (as above)");
            }
        }
        end_line(t, from);
        if (branch->next >= 0 && !told[branch->next] && depth + 2 < COLUMNS / 4) {
            tell(t, branch->next, depth + 1, told);
        }
    }
}

void sonde_document_contingency(const sonde_agent *agent, const sonde_decision *decision,
                                sonde_text *text) {
    telling t = {.model = sonde_agent_policies(agent)->model, .decision = decision, .text = text};
    if (decision->n_contingency == 0) {
        sonde_text_add(text, decision->certificate.given
                                 ? "No belief was looked at closely enough to plan from it.\n"
                                 : "This search does not follow outcomes, so there is no plan.\n");
        return;
    }
    bool *told = sonde__alloc((size_t)decision->n_contingency * sizeof *told);
    if (told == NULL) {
        text->failed = true;
        return;
    }
    const size_t from = text->size;
    sonde_text_add(text, "first ");
    say_action(&t, &decision->contingency[0]);
    end_line(&t, from);
    tell(&t, 0, 0, told);
    if (t.n_line >= LINES_MOST) {
        sonde_text_add(text, "and more: JSON has all of the plan's %" PRId32 " beliefs.\n",
                       decision->n_contingency);
    }
    sonde_text_add(text, "G in closed loop counts what is learned once, so it is not comparable "
                         "with G of sequences.\n");
    sonde__free(told);
}

/* agent.c: makes an agent from a command line, and says how it searches. */
#include "agent.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sonde_policy.h"

/* ------------------------------------------------------------------------- known beforehand -- */

/* what stands between numbers: of JSON, and of tables */
#define BETWEEN "[], \t\r\n"

/* The numbers of a text, as many as there are before something else, at most n; where it ended. */
static int32_t read_numbers(const char *text, int32_t n, double *value, const char **rest) {
    int32_t i = 0;
    for (text += strspn(text, BETWEEN); i < n && *text != '\0'; i++) {
        char *end = NULL;
        value[i] = strtod(text, &end);
        if (end == text || strcspn(text, BETWEEN) != (size_t)(end - text)) {
            break;
        }
        text = end + strspn(end, BETWEEN);
    }
    *rest = text;
    return i;
}

/* Reads E of actions, which agents check. */
static sonde_status read_prior(cli_agent *agent) {
    sonde_error *error = &agent->session->error;
    const char *path = agent->args->action_prior;
    const int32_t n = agent->world.model->n_action;
    const size_t most = 64 * ((size_t)n + 1); /* more than any number takes */
    FILE *file = fopen(path, "rb");
    if (!file) {
        return fail(error, SONDE_NO_FILE, "%s: cannot be opened: %s", path, strerror(errno));
    }
    char *text = calloc(most + 1, 1);
    agent->prior = calloc((size_t)n, sizeof *agent->prior);
    const bool asked = text && agent->prior;
    const size_t size = asked ? fread(text, 1, most, file) : 0;
    const char *rest = "";
    const bool marked = size >= 3 && !memcmp(text, "\xef\xbb\xbf", 3); /* as some programs begin */
    const int32_t found = asked ? read_numbers(text + (marked ? 3 : 0), n, agent->prior, &rest) : 0;
    (void)fclose(file);
    const bool other = asked && (*rest || size == most || strlen(text) < size);
    free(text);
    if (asked && (other || found < n)) {
        return fail(
            error, SONDE_BAD_INPUT,
            "%s: expected %d numbers, one for each action, and nothing else, found %s after "
            "%d of them",
            path, (int)n, other ? "something else" : "the end", (int)found);
    }
    return asked ? SONDE_OK : SONDE_NO_MEMORY;
}

/* ------------------------------------------------------------------------------ the agent -- */

sonde_status agent_open(cli_arguments *args, cli_session *session, cli_agent *agent) {
    *agent = (cli_agent){.args = args, .session = session};
    if (args->semantics > 0 && args->differences != 0) {
        return fail(&session->error, SONDE_BAD_ARGUMENT,
                    "--differences: --semantics notebook has all of them; give one or the other");
    }
    sonde_status status = world_open(args, session, &agent->world);
    if (!status && args->use_policy) {
        const sonde_source source = {.origin = args->use_policy};
        status = sonde_vectors_read(&source, &session->run, &agent->vectors, &session->error);
    }
    if (!status && args->action_prior) {
        status = read_prior(agent);
    }
    if (!status) {
        sonde_search_settings settings = arguments_search(args);
        settings.vectors = agent->vectors;
        settings.action_prior = agent->prior;
        status = sonde_agent_new(agent->world.policies, &settings, &session->run, &agent->agent,
                                 &session->error);
    }
    if (!status && args->search.loop == SONDE_LOOP_OPEN) {
        world_note_prior(session, &agent->world);
    }
    const int32_t n_action = status ? 0 : agent->world.model->n_action;
    if (args->search.max_branching > 0 && args->search.max_branching < n_action) {
        session_note(session, "max-branching became %d, because there are as many actions",
                     (int)n_action);
        args->search.max_branching = n_action;
    }
    return status;
}

cli_about agent_about(const cli_agent *agent) {
    cli_about made = {
        .about = {.command = agent->world.command.data, .settings = &agent->args->search}};
    sonde_differences_write(arguments_differences(agent->args), agent->args->k_before, &made.also);
    if (agent->args->learns) {
        sonde_text_add(&made.also, "%s\"learn\": ", made.also.size > 0 ? ", " : "");
        sonde_learn_write(&agent->args->learn, agent->world.model, &made.also);
    }
    piece_check(&made.also);
    made.about.also = made.also.data;
    return made;
}

void about_free(cli_about *about) {
    piece_free(&about->also);
}

void agent_close(cli_agent *agent) {
    sonde_agent_free(agent->agent);
    sonde_vectors_free(agent->vectors);
    free(agent->prior);
    world_close(&agent->world);
}

bool search_uses(const sonde_search_settings *settings, const char *key) {
    const sonde_setting *row = sonde_setting_at(sonde_setting_find(key));
    return row->searches == 0 || (row->searches >> settings->search & 1u) != 0;
}

static void add_search(sonde_text *text, const sonde_search_settings *settings, uint32_t kind) {
    sonde_text_add(text, "%s search", sonde_plan_search_name((int32_t)settings->search));
    if (sonde_setting_counts(settings, sonde_setting_find("scope"), kind)) {
        sonde_text_add(text, ", %s scope", sonde_scope_name((int32_t)settings->scope));
    }
    if (!search_uses(settings, "embedding")) {
        return;
    }
    sonde_text_add(text, ": %s", sonde_embedding_name(settings->embed.kind));
    const bool branches = search_uses(settings, "branch") && settings->n_branch > 0;
    const int32_t k = branches ? settings->n_branch : settings->cluster.k;
    sonde_text_add(text, "%s, k ", settings->cluster.method == SONDE_METHOD_WARD ? ", ward" : "");
    if (k == SONDE_K_AUTO) {
        sonde_text_add(text, "auto");
    } else {
        sonde_text_add(text, "%d", (int)k);
    }
    if (search_uses(settings, "depth")) {
        sonde_text_add(text, ", depth %d", (int)settings->n_depth);
    }
    if (!search_uses(settings, "probe")) {
        return;
    }
    sonde_text_add(text, ", probe ");
    (void)sonde_settings_get(settings, "probe", text, NULL);
    if (settings->probe != SONDE_PROBE_CENTER) {
        sonde_text_add(text, " of %d", (int)settings->n_sample);
    }
    sonde_text_add(text, ", top %d", (int)settings->n_top);
}

static void add_semantics(sonde_text *text, uint32_t differences) {
    if (differences == SONDE_SEMANTICS_NOTEBOOK) {
        sonde_text_add(text, "; as the notebook does it");
        return;
    }
    const char *comma = "; the paper's text except ";
    for (int32_t i = 0; i < SONDE_DIFFERENCE_COUNT; i++) {
        if (differences >> i & 1u) {
            sonde_text_add(text, "%s%s", comma, sonde_difference_name(i));
            comma = ", ";
        }
    }
}

/* What it chooses among. */
static void add_choices(sonde_text *text, const cli_agent *agent) {
    if (agent->args->search.loop != SONDE_LOOP_CLOSED) {
        add_policies_line(text, &agent->world);
    } else if (agent->args->search.endless) {
        sonde_text_add(text, "plans that wait for outcomes, without a horizon");
    } else {
        sonde_text_add(text, "plans that wait for outcomes, %d steps ahead",
                       (int)agent->world.policies->horizon);
    }
}

void add_agent_lines(sonde_text *text, const cli_agent *agent) {
    const sonde_search_settings *settings = &agent->args->search;
    add_world_line(text, &agent->world);
    add_choices(text, agent);
    sonde_text_add(text, "\n");
    add_search(text, settings, agent->args->kinds);
    if (settings->fallback != SONDE_FALLBACK_NONE) {
        sonde_text_add(text, "; fallback %s", sonde_search_name(settings->fallback));
    }
    sonde_text_add(text, "; action ");
    (void)sonde_settings_get(settings, "action", text, NULL);
    sonde_text_add(text, ", gamma %g", settings->gamma);
    add_semantics(text, arguments_differences(agent->args));
    sonde_text_add(text, settings->per_factor ? ", each factor on its own" : "");
    if (settings->n_follow > 1) {
        sonde_text_add(text, ", a new plan every %d steps", (int)settings->n_follow);
    }
    sonde_text_add(text, "\n");
}

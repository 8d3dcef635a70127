/* document_json.c: a world, a decision and an episode as JSON documents.
 *
 * Keys that other programs rely on are those of the command line's contract (docs/formats.md);
 * everything else a run depended on stands beside them, so that a document is enough to make the
 * run again. One policy, step or cluster is one line. */
#include <inttypes.h>
#include <string.h>

#include "base/memory.h"
#include "base/settings.h"
#include "policy/policy.h"
#include "agent/agent.h"
#include "document/document_internal.h"

static void add_bool(sonde_text *json, bool value) {
    sonde_text_add(json, value ? "true" : "false");
}

/* --------------------------------------------------------------------------------- settings -- */

/* Whether a setting is for the closed loop alone. */
static bool concerns_closed(const sonde_setting *row) {
    return strcmp(row->key, "loop") == 0 || strcmp(row->part, "Closed loop") == 0;
}

/* Every setting of a search, by the keys of the table; a choice that is none, a rare flag that is
 * false, and in open loop what concerns the other are left out. */
static void add_settings(const sonde_agent *agent, const sonde_about *about, sonde_text *json) {
    const sonde_search_settings *settings =
        about->settings != NULL ? about->settings : sonde_agent_settings(agent);
    const sonde_setting *row;
    const char *comma = "";
    sonde__document_key(json, "settings");
    sonde_text_add(json, "{");
    for (int32_t i = 0; (row = sonde_setting_at(i)) != NULL; i++) {
        const bool closed = settings->loop == SONDE_LOOP_CLOSED || !concerns_closed(row);
        if (!closed) {
            continue;
        }
        if (sonde__setting_is_set(settings, row) || (row->type != SONDE_CHOICE && !row->rare)) {
            sonde_text_add(json, "%s\"%s\": ", comma, row->key);
            sonde__setting_write(settings, row, "\"", json);
            comma = ", ";
        }
    }
    if (about->also != NULL) {
        sonde_text_add(json, ", %s", about->also);
    }
    sonde_text_add(json, "}");
}

static void add_evaluations(const sonde_evaluations *evaluations, sonde_text *json) {
    sonde_text_add(json, "{\"policies\": ");
    sonde__document_index(json, evaluations->n_policy);
    sonde_text_add(json, ", \"steps\": ");
    sonde__document_index(json, evaluations->n_step);
    sonde__text_pair(json, "equivalent", evaluations->equivalent);
    sonde_text_add(json, ", \"setup_steps\": ");
    sonde__document_index(json, evaluations->n_setup_step);
    sonde_text_add(json, "}");
}

/* What somebody else adds to a document. */
static void add_after(const sonde_about *about, sonde_text *json) {
    if (about->after != NULL) {
        sonde_text_add(json, ",\n %s", about->after);
    }
}

/* --------------------------------------------------------------------------------- decision -- */

/* The same by pairs of edges, with what the action was drawn from. */
static void add_first_actions(const sonde_model *model, const sonde_decision *decision,
                              sonde_text *json) {
    sonde__document_key(json, "first_actions");
    sonde_text_add(json, "[");
    for (int32_t i = 0; i < decision->n_action; i++) {
        sonde_text_add(json, "%s\n  {\"action\": ", i > 0 ? "," : "");
        sonde__writer_of(model)->choice(json, model, decision->state, decision->action[i]);
        sonde__text_pair(json, "posterior", decision->posterior[i]);
        sonde__text_pair(json, "probability", decision->probability[i]);
        sonde_text_add(json, "}");
    }
    sonde_text_add(json, "]");
}

static void add_best(const sonde_policies *policies, const sonde_decision *decision, bool novel,
                     sonde_text *json) {
    sonde__document_key(json, "best");
    sonde_text_add(json, "{\"index\": ");
    if (decision->best < UINT64_MAX) {
        sonde__document_index(json, decision->best);
    } else {
        sonde_text_add(json, "null");
    }
    sonde_text_add(json, ", ");
    sonde__writer_of(policies->model)->policy(json, policies, decision->best_walk);
    sonde_text_add(json, ", ");
    sonde__document_terms(json, &decision->best_efe, novel);
    sonde_text_add(json, "}");
}

/* One cluster: its size, and the policy that stands for it where the search looked it up. */
static void add_cluster(const sonde_policies *policies, const sonde_decision *decision, int32_t c,
                        int32_t *walk, sonde_text *json) {
    const sonde_clusters *clusters = decision->clusters;
    const int32_t representative = clusters->representative[c];
    sonde_text_add(json, "%s\n  {\"size\": %" PRId32, c > 0 ? "," : "",
                   clusters->offset[c + 1] - clusters->offset[c]);
    if (representative < 0) {
        sonde_text_add(json, ", \"representative\": null, \"%s\": null, \"valid\": false",
                       sonde__writer_of(policies->model)->steps);
    } else {
        const uint64_t index = sonde_clusters_policy(clusters, representative);
        sonde__policies_get(policies, decision->probe_origin, index, walk);
        sonde_text_add(json, ", \"representative\": ");
        sonde__document_index(json, index);
        sonde_text_add(json, ", ");
        sonde__writer_of(policies->model)->policy(json, policies, walk);
        sonde_text_add(json, ", \"valid\": ");
        add_bool(json, walk[0] == sonde_policies_origin(policies, decision->belief));
    }
    sonde__text_pair(json, "efe", decision->cluster_efe[c]);
    sonde_text_add(json, ", \"chosen\": ");
    add_bool(json, decision->chosen[c]);
    sonde_text_add(json, "}");
}

/* How many policies were clustered where they are a sample, and how many more were drawn; or
 * null. */
static void add_sample(const sonde_decision *decision, sonde_text *json) {
    sonde__document_key(json, "sample");
    if (decision->n_sampled == 0) {
        sonde_text_add(json, "null");
        return;
    }
    sonde_text_add(json, "{\"policies\": %" PRId32, decision->n_sampled);
    sonde__text_whole(json, "generated", decision->n_generated);
    sonde_text_add(json, ", \"drawn\": ");
    sonde__document_index(json, decision->n_drawn);
    sonde_text_add(json, "}");
}

static void add_clusters(const sonde_policies *policies, const sonde_decision *decision,
                         sonde_text *json) {
    int32_t *walk = sonde__alloc(((size_t)policies->horizon + 1) * sizeof *walk);
    if (walk == NULL) {
        json->failed = true;
        return;
    }
    sonde__document_key(json, "k");
    sonde_text_add(json, "%" PRId32, decision->clusters->k);
    sonde__text_whole(json, "k_asked", decision->clusters->k_asked);
    add_sample(decision, json);
    sonde__document_key(json, "clusters");
    sonde_text_add(json, "[");
    for (int32_t c = 0; c < decision->clusters->k; c++) {
        add_cluster(policies, decision, c, walk, json);
    }
    sonde_text_add(json, "]");
    sonde__free(walk);
}

/* How close the decision is to the exact one; null from a search that does not know. */
static void add_certificate(const sonde_certificate *certificate, sonde_text *json) {
    if (!certificate->given) {
        sonde_text_add(json, "null");
        return;
    }
    sonde_text_add(json, "{\"tv\": ");
    sonde_text_add_number(json, certificate->tv);
    sonde_text_add(json, ", \"best_is_optimal\": ");
    add_bool(json, certificate->best_is_optimal);
    sonde__text_pair(json, "gap", certificate->gap);
    sonde_text_add(json, ", \"action_is_exact\": ");
    add_bool(json, certificate->action_is_exact);
    sonde_text_add(json, ", \"stopped\": ");
    if (certificate->stopped != NULL) {
        sonde_text_add_quoted(json, certificate->stopped);
    } else {
        sonde_text_add(json, "null");
    }
    if (certificate->belief != NULL) {
        sonde__text_words(json, "belief", certificate->belief);
    }
    sonde_text_add(json, "}");
}

/* The policies that are kept, one a line, and the posterior of all others. */
static void add_kept(const sonde_policies *policies, const sonde_decision *decision,
                     sonde_text *json) {
    sonde__document_key(json, "kept");
    sonde_text_add(json, "[");
    for (int32_t i = 0; i < decision->n_kept; i++) {
        const sonde_kept *kept = &decision->kept[i];
        sonde_text_add(json, "%s\n  {\"index\": ", i > 0 ? "," : "");
        if (kept->index < UINT64_MAX) {
            sonde__document_index(json, kept->index);
        } else {
            sonde_text_add(json, "null");
        }
        sonde_text_add(json, ", ");
        sonde__writer_of(policies->model)->policy(json, policies, kept->walk);
        sonde__text_pair(json, "efe", kept->efe);
        sonde__text_pair(json, "posterior", kept->posterior);
        sonde_text_add(json, "}");
    }
    sonde_text_add(json, "]");
    sonde__document_key(json, "rest");
    sonde_text_add_number(json, decision->rest);
}

/* Which search there was, and how many policies. */
static void add_search(const sonde_policies *policies, const sonde_search_settings *settings,
                       const sonde_decision *decision, sonde_text *json) {
    sonde__document_key(json, "search");
    sonde_text_add_quoted(json, sonde_search_name((int32_t)settings->search));
    if (settings->fallback != SONDE_FALLBACK_NONE) {
        sonde_text_add(json, ", \"fell_back\": %s", decision->fell_back ? "true" : "false");
    }
    sonde__document_key(json, "policy_space");
    sonde__document_count(json, sonde_policies_size(policies, decision->origin),
                          sonde_policies_size_real(policies, decision->origin));
}

/* What was scored, and what that amounts to. */
static void add_grounds(const sonde_policies *policies, const sonde_search_settings *settings,
                        const sonde_decision *decision, sonde_text *json) {
    add_first_actions(policies->model, decision, json);
    add_best(policies, decision, settings->weights.novelty != SONDE_NOVELTY_NONE, json);
    if (decision->n_kept > 0) {
        add_kept(policies, decision, json);
    }
    sonde__document_key(json, "log_evidence");
    sonde_text_add_number(json, decision->log_evidence);
    sonde__document_key(json, "evaluations");
    add_evaluations(&decision->evaluations, json);
    sonde__document_key(json, "certificate");
    add_certificate(&decision->certificate, json);
    if (decision->clusters != NULL) {
        add_clusters(policies, decision, json);
    }
}

void sonde_document_decision(const sonde_agent *agent, const sonde_decision *decision,
                             int32_t action, const sonde_explanation *explanation,
                             const sonde_about *about, sonde_text *json) {
    const sonde_model *model = sonde_agent_policies(agent)->model;
    const sonde_policies *policies = sonde_agent_policies(agent);
    const sonde_search_settings *settings = sonde_agent_settings(agent);
    const sonde__writer *writer = sonde__writer_of(model);
    const sonde_about nothing = {.command = NULL};
    about = about != NULL ? about : &nothing;
    sonde__document_open(json, "plan", about->command);
    add_settings(agent, about, json);
    writer->names(json, model);
    writer->conventions(json, model);
    if (decision->efe_lower == NULL) {
        add_search(policies, settings, decision, json);
    }
    if (settings->endless) {
        sonde__text_words(json, "horizon", "inf");
    } else {
        sonde__text_whole(json, "horizon", policies->horizon);
    }
    writer->on(json, model, decision->state);
    if (decision->belief != NULL) {
        sonde__document_key(json, "belief");
        writer->belief(json, model, decision->belief);
    }
    sonde__document_key(json, "action");
    if (action >= 0) {
        writer->choice(json, model, decision->state, action);
    } else {
        sonde_text_add(json, "null");
    }
    sonde__document_key(json, "action_probabilities");
    writer->chances(json, model, decision);
    if (decision->efe_lower != NULL) {
        sonde__document_closed(agent, decision, json);
    } else {
        add_grounds(policies, settings, decision, json);
    }
    if (explanation != NULL) {
        sonde__document_explain(json, explanation);
    }
    add_after(about, json);
    sonde__document_key(json, "seconds");
    sonde_text_add_number(json, decision->seconds);
    sonde__text_pair(json, "setup_seconds", decision->setup_seconds);
    sonde__document_close(json);
}

/* ---------------------------------------------------------------------------------- episode -- */

/* One step: what the agent believed, what it did, how sure it was, what the search cost. */
static void add_step(const sonde_model *model, const sonde_episode *episode, int32_t i,
                     sonde_text *json) {
    const sonde__writer *writer = sonde__writer_of(model);
    const double *belief = episode->belief + (size_t)i * (size_t)episode->n_state;
    const sonde_energy *energy = &episode->energy[i];
    sonde_text_add(json, "%s\n  {\"step\": %" PRId32, i > 0 ? "," : "", i);
    if (episode->state != NULL) {
        sonde_text_add(json, ", \"state\": ");
        writer->state(json, model, episode->state + (size_t)i * (size_t)episode->n_factor);
    }
    sonde_text_add(json, ", \"belief\": ");
    writer->belief(json, model, belief);
    sonde_text_add(json, ", \"action\": ");
    writer->choice(json, model, sonde_present_at(model, belief).state, episode->action[i]);
    sonde__text_pair(json, "p", episode->p[i]);
    sonde__text_pair(json, "surprise", energy->surprise);
    sonde__text_pair(json, "free_energy", energy->free_energy);
    sonde__text_pair(json, "complexity", energy->complexity);
    sonde__text_pair(json, "accuracy", energy->accuracy);
    sonde__text_whole(json, "followed", episode->n_followed[i]);
    sonde_text_add(json, ", \"evaluations\": ");
    add_evaluations(&episode->evaluations[i], json);
    sonde_text_add(json, "}");
}

/* The places it came through. */
static void add_path(const sonde_model *model, const sonde_episode *episode, sonde_text *json) {
    sonde__document_key(json, "path");
    for (int32_t i = 0; i <= episode->n_step; i++) {
        sonde_text_add(json, i > 0 ? ", " : "[");
        sonde__writer_of(model)->place(json, model,
                                       episode->state + (size_t)i * (size_t)episode->n_factor);
    }
    sonde_text_add(json, "]");
}

void sonde_document_episode(const sonde_agent *agent, const sonde_episode *episode,
                            const sonde_about *about, sonde_text *json) {
    const sonde_model *model = sonde_agent_policies(agent)->model;
    const sonde__writer *writer = sonde__writer_of(model);
    const sonde_about nothing = {.command = NULL};
    about = about != NULL ? about : &nothing;
    sonde__document_open(json, "simulate", about->command);
    add_settings(agent, about, json);
    writer->names(json, model);
    writer->conventions(json, model);
    if (episode->state != NULL) {
        writer->beginning(json, model, episode->state[0]);
    }
    sonde__document_key(json, "horizon");
    if (sonde_agent_settings(agent)->endless) {
        sonde_text_add(json, "\"inf\"");
    } else {
        sonde_text_add(json, "%" PRId32, sonde_agent_policies(agent)->horizon);
    }
    if (episode->state != NULL) {
        add_path(model, episode, json);
    }
    if (episode->state != NULL || episode->n_modality > 0) {
        writer->verdict(json,
                        episode); /* outcomes that were looked up, or came from outside, too */
    }
    sonde__document_key(json, "steps");
    sonde_text_add(json, "[");
    for (int32_t i = 0; i < episode->n_step; i++) {
        add_step(model, episode, i, json);
    }
    sonde_text_add(json, "]");
    sonde__document_key(json, "log_evidence");
    sonde_text_add_number(json, episode->energy[episode->n_step - 1].log_evidence);
    if (sonde__agent_learner(agent) != NULL) {
        sonde__document_learned(json, agent);
    }
    add_after(about, json);
    sonde__document_key(json, "seconds");
    sonde_text_add_number(json, episode->seconds);
    sonde__document_close(json);
}

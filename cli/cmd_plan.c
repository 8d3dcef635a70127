/* cmd_plan.c: sonde plan makes one decision, and shows how it came about. */
#include <stdlib.h>
#include <string.h>

#include "agent.h"
#include "cmd.h"
#include "sonde_lab.h"
#include "sonde_policy.h"
#include "sonde_world.h"
#include "table.h"

static const cli_option why[] = {
    {OPTION("explain", FLAG, explain, NULL,
            "say why: the best policy of each first action, and what it rests on")},
    {OPTION("svg", TEXT, explain_svg, "FILE", "write that as a picture")},
    {OPTION("prefix", TEXT, prefix, "STEPS",
            "say what is known of all policies that begin so: up,up or 3,4; or of all")},
    {OPTION("dot", TEXT, dot, "FILE", "write a plan in closed loop for Graphviz"),
     .kinds = SONDE_KIND_GENERAL},
    {OPTION("save-policy", TEXT, save_policy, "FILE",
            "write what was found without a horizon, as SARSOP does where FILE ends in .policy"),
     .kinds = SONDE_KIND_GENERAL},
};
static const cli_option place[] = {
    {OPTION("resume", TEXT, resume, "FILE",
            "decide where the agent stands that sonde simulate --save has written; --observe says "
            "what it sees there"),
     .kinds = SONDE_KIND_GENERAL},
};
static const cli_option brief[] = {
    {OPTION("brief", FLAG, brief, NULL,
            "leave the belief out of the document, but beside clusters")},
};
static const cli_option_group group_brief = {"Document", OPTION_TABLE(brief)};
static const cli_option_group group_place = {"Agent", OPTION_TABLE(place)};
static const cli_option_group group_why = {"Why", OPTION_TABLE(why)};

const cli_option_group *const plan_groups[] = {
    &group_search,  &group_closed, &group_limits, &group_probe,   &group_action, &group_weights,
    &group_paper,   &group_scope,  &group_embed,  &group_cluster, &group_world,  &group_model,
    &group_observe, &group_place,  &group_belief, &group_seed,    &group_json,   &group_keep,
    &group_why,     &group_brief,  &group_policy, &group_run,     NULL};

/* a surprise in nats that no probability of a double reaches */
#define IMPOSSIBLE 708.0

typedef struct {
    cli_agent agent;
    const sonde_decision *decision;
    int32_t action;                 /* that was drawn */
    sonde_explanation *explanation; /* or NULL */
    sonde_prefix *prefix;           /* or NULL */
} plan;

static sonde_status write_json(const void *about, sonde_text *text) {
    const plan *p = about;
    cli_about said = agent_about(&p->agent);
    sonde_text after = {0};
    if (p->prefix) {
        sonde_text_add(&after, "\"prefix\": ");
        sonde_document_prefix(p->agent.agent, p->prefix, &after);
        said.about.after = after.data;
    }
    sonde_decision shown = *p->decision;
    if (p->agent.args->brief && !shown.clusters) {
        shown.belief = NULL;
    }
    sonde_document_decision(p->agent.agent, &shown, p->action,
                            p->agent.args->explain ? p->explanation : NULL, &said.about, text);
    sonde_text_free(&after);
    about_free(&said);
    return SONDE_OK;
}

static sonde_status write_policy(const void *about, sonde_text *text) {
    const plan *p = about;
    const char *path = p->agent.args->save_policy;
    const size_t length = strlen(path);
    const bool xml = length > 7 && !strcmp(path + length - 7, ".policy");
    return sonde_agent_vectors_write(p->agent.agent, xml ? SONDE_POLICY_XML : SONDE_POLICY_JSON,
                                     text, &p->agent.session->error);
}

static sonde_status write_svg(const void *about, sonde_text *text) {
    const plan *p = about;
    if (p->decision->efe_lower) {
        sonde_draw_contingency(p->agent.agent, p->decision, text);
    } else {
        sonde_draw_explanation(p->explanation, text);
    }
    return SONDE_OK;
}

static sonde_status write_dot(const void *about, sonde_text *text) {
    const plan *p = about;
    sonde_draw_contingency_dot(p->agent.agent, p->decision, text);
    return SONDE_OK;
}

/* ------------------------------------------------------------------------------------ text -- */

static void add_certificate(const sonde_certificate *certificate, sonde_text *text) {
    if (certificate->given) {
        sonde_text_add(text, "sure:   ");
        sonde_certificate_say(certificate, text);
        sonde_text_add(text, "\n");
    }
}

/* That not all policies were looked at, and how many were. */
static void add_sample(const sonde_decision *decision, sonde_text *text) {
    if (decision->n_sampled == 0) {
        return;
    }
    sonde_text_add(text, "sample: clusters of ");
    add_count(text, (uint64_t)decision->n_sampled);
    sonde_text_add(text, " policies");
    if (decision->n_drawn > 0) {
        sonde_text_add(text, ", and ");
        add_count(text, (uint64_t)decision->n_generated);
        sonde_text_add(text, " more members of the chosen, of ");
        add_count(text, decision->n_drawn);
        sonde_text_add(text, " drawn");
    }
    sonde_text_add(text, "; nothing is certain of the others\n");
}

/* G of the best policy, part by part. */
static void add_parts(const cli_world *world, const sonde_efe *best, sonde_text *text) {
#define NAME(code, name) name,
    static const char *const part[] = {SONDE_TERM_LIST(NAME)};
#undef NAME
    static const char *const sum[] = {" =", " +", " +", " -"};
    static const char *const list[] = {";", ",", ",", ","}; /* where G is weighed, and no sum */
    const char *const *sign = world_is_weighed(world) ? list : sum;
    sonde_text_add(text, "\n        G %s", number_of(best->efe).text);
    for (int32_t i = 0; i < (world_is_novel(world) ? SONDE_N_TERM : SONDE_NOVELTY); i++) {
        sonde_text_add(text, "%s %s %s", sign[i], part[i], number_of(best->term[i]).text);
    }
    sonde_text_add(text, "\n");
}

/* What was scored, in steps, and of how many whole policies that is the work. */
static void add_cost(const sonde_evaluations *cost, sonde_text *text) {
    sonde_text_add(text, "scored: ");
    if (cost->n_policy > 0) {
        add_count(text, cost->n_policy);
        sonde_text_add(text, cost->n_policy == 1 ? " policy in " : " policies in ");
    }
    add_count(text, cost->n_step);
    sonde_text_add(text, "%s (as much as %.4g %s)", cost->n_step == 1 ? " step" : " steps",
                   cost->equivalent, cost->equivalent == 1.0 ? "policy" : "policies");
    if (cost->n_setup_step > 0) {
        sonde_text_add(text, "; ");
        add_count(text, cost->n_setup_step);
        sonde_text_add(text, "%s once before", cost->n_setup_step == 1 ? " step" : " steps");
    }
}

static void add_outcome(const plan *p, sonde_text *text) {
    const cli_world *world = &p->agent.world;
    const sonde_decision *decision = p->decision;
    sonde_text_add(text, "\naction: ");
    sonde_model_say(world->model, SONDE_NOUN_ACTION, (int32_t[]){decision->state, p->action}, 0,
                    text);
    sonde_text_add(text, "\nbest:   ");
    sonde_policies_say(world->policies, decision->best_walk, text);
    add_parts(world, &decision->best_efe, text);
    add_certificate(&decision->certificate, text);
    add_sample(decision, text);
    if (decision->fell_back) {
        sonde_text_add(text, "from:   the fallback, whose best policy is better\n");
    }
    add_cost(&decision->evaluations, text);
    sonde_text_add(text, "\ntime:   %.3g s", decision->seconds);
    if (decision->clusters && decision->setup_seconds > 0.0 &&
        decision->origin != SONDE_EVERYWHERE) {
        sonde_text_add(text, ", of which clustering %.3g s", decision->setup_seconds);
    }
    sonde_text_add(text, "\n");
}

/* scratch of the table of clusters */
typedef struct {
    double *mean;  /* (k) mean G of the members */
    int32_t *walk; /* (T + 1) */
} scratch;

static void add_cluster(const plan *p, int32_t c, const scratch *s, cli_table *table) {
    const cli_world *world = &p->agent.world;
    const sonde_decision *decision = p->decision;
    const sonde_clusters *clusters = decision->clusters;
    const int32_t representative = clusters->representative[c];
    sonde_text walk = {0};
    bool valid = false;
    if (representative >= 0) {
        (void)sonde_policies_get(world->policies, decision->probe_origin,
                                 sonde_clusters_policy(clusters, representative), s->walk, NULL);
        sonde_policies_say(world->policies, s->walk, &walk);
        valid = s->walk[0] == sonde_policies_origin(world->policies, decision->belief);
    }
    table_add(table, "%s%d", decision->chosen[c] ? "* " : "", (int)c);
    table_add(table, "%d", (int)(clusters->offset[c + 1] - clusters->offset[c]));
    table_add_number(table, decision->cluster_efe[c]);
    table_add_number(table, s->mean[c]);
    table_add(table, "%s", representative < 0 ? "-" : valid ? "yes" : "no");
    table_add_text(table, walk.data ? walk.data : "-");
    piece_free(&walk);
}

static void add_clusters_head(const plan *p, sonde_text *text) {
    const sonde_clusters *clusters = p->decision->clusters;
    sonde_text_add(text, "\n%d cluster%s", (int)clusters->k, clusters->k == 1 ? "" : "s");
    if (clusters->k < clusters->k_asked) {
        sonde_text_add(text, " (of %d asked for: there are no more distinct rows)",
                       (int)clusters->k_asked);
    }
    sonde_text_add(text, "; * chosen; G of %s\n",
                   p->agent.args->search.probe == SONDE_PROBE_CENTER ||
                           !search_uses(&p->agent.args->search, "probe")
                       ? "the representative"
                       : "some members");
}

static sonde_status add_clusters(const plan *p, sonde_text *text) {
    static const char *const head[] = {"cluster", "size",  "G",
                                       "mean G",  "valid", "representative "};
    const sonde_decision *decision = p->decision;
    const cli_world *world = &p->agent.world;
    const sonde_present present = {.state = decision->state, .belief = decision->belief};
    scratch s = {.mean = calloc((size_t)decision->clusters->k, sizeof(double)),
                 .walk = calloc((size_t)world->policies->horizon + 1, sizeof(int32_t))};
    sonde_status status = s.mean && s.walk ? SONDE_OK : SONDE_NO_MEMORY;
    if (!status) {
        status = sonde_clusters_mean_efe(decision->clusters, world->scored, decision->origin,
                                         present, s.mean, &p->agent.session->error);
    }
    if (!status) {
        add_clusters_head(p, text);
        cli_table table = table_open(head, 6);
        for (int32_t c = 0; c < decision->clusters->k; c++) {
            add_cluster(p, c, &s, &table);
        }
        table_close(&table, text);
    }
    free(s.walk);
    free(s.mean);
    return status;
}

/* The policies that are kept, the best first, and the rest of the posterior. */
static void add_kept(const plan *p, sonde_text *text) {
    static const char *const head[] = {"G", "posterior", "policy "};
    cli_table table = table_open(head, 3);
    for (int32_t i = 0; i < p->decision->n_kept; i++) {
        const sonde_kept *kept = &p->decision->kept[i];
        sonde_text policy = {0};
        sonde_policies_say(p->agent.world.policies, kept->walk, &policy);
        table_add_number(&table, kept->efe);
        table_add(&table, "%.6f", kept->posterior);
        table_add_text(&table, policy.data ? policy.data : "");
        piece_free(&policy);
    }
    sonde_text_add(text, "\n");
    table_close(&table, text);
    sonde_text_add(text, "all others: %.6f\n", p->decision->rest);
}

/* A share of the posterior, and how far it is known. */
static void add_mass(const double mass[2], cli_table *table) {
    table_add(table, "%.6f", mass[0]);
    table_add(table, "%.6f", mass[1]);
}

static void add_beginning(const sonde_beginning *one, const char *name, cli_table *table) {
    sonde_text count = {0};
    add_size(&count, one->n_policy, one->size);
    table_add_text(table, name);
    table_add_text(table, count.data ? count.data : "");
    sonde_text_free(&count);
    table_add_number(table, one->so_far.efe);
    table_add_number(table, one->least);
    table_add_number(table, one->best);
    add_mass(one->mass, table);
}

/* All policies that begin as was asked for, and what they do next. */
static void add_prefix(const plan *p, sonde_text *text) {
    static const char *const head[] = {"next ",  "policies", "G so far", "least G",
                                       "best G", "mass",     "at most"};
    const sonde_model *model = p->agent.world.model;
    const sonde_prefix *prefix = p->prefix;
    cli_table table = table_open(head, 7);
    sonde_text_add(text, "\nbegin:  ");
    if (prefix->n_step > 0) {
        sonde_text_add_shown(text, p->agent.args->prefix);
    } else {
        sonde_text_add(text, "any policy");
    }
    sonde_text_add(text, "\n");
    add_beginning(&prefix->whole, "(all)", &table);
    for (int32_t i = 0; i < prefix->n_next; i++) {
        const bool walks = sonde_model_kind(model) == SONDE_KIND_GRAPH;
        const int32_t number[] = {prefix->next[i].number, prefix->next[i].number};
        sonde_text name = {0};
        sonde_text_add(&name, walks ? "to " : "");
        sonde_model_say(model, walks ? SONDE_NOUN_NODE : SONDE_NOUN_ACTION, number, 0, &name);
        add_beginning(&prefix->next[i], name.data ? name.data : "", &table);
        sonde_text_free(&name);
    }
    table_close(&table, text);
}

/* G of each action in closed loop, what is certain of it, and the plan. */
static void add_closed(const plan *p, sonde_text *text) {
    static const char *const head[] = {"action ", "G from", "to", "p from", "to"};
    const sonde_decision *d = p->decision;
    const sonde_model *model = p->agent.world.model;
    cli_table table = table_open(head, 5);
    for (int32_t i = 0; i < d->n_action; i++) {
        sonde_text action = {0};
        sonde_model_say(model, SONDE_NOUN_ACTION, (int32_t[]){-1, d->action[i]}, 0, &action);
        table_add_text(&table, action.data ? action.data : "");
        table_add_number(&table, d->efe_lower[i]);
        table_add_number(&table, d->efe_upper[i]);
        table_add(&table, "%.6f", d->p_lower[i]);
        table_add(&table, "%.6f", d->p_upper[i]);
        piece_free(&action);
    }
    sonde_text_add(text, "\n");
    table_close(&table, text);
    sonde_text_add(text, "\naction: ");
    sonde_model_say(model, SONDE_NOUN_ACTION, (int32_t[]){-1, p->action}, 0, text);
    sonde_text_add(text, "\nvalue:  %s to %s\n", number_of(d->value_lower).text,
                   number_of(d->value_upper).text);
    if (d->certificate.given) {
        sonde_text_add(
            text, "sure:   the posterior of actions is within %.3g of the exact one%s (%s)\n",
            d->certificate.tv,
            d->certificate.action_is_exact ? ", and its most probable action is that one's" : "",
            d->certificate.stopped);
    } else {
        sonde_text_add(text, "sure:   nothing is; this search gives no certificate (%s)\n",
                       d->certificate.stopped);
    }
    sonde_text_add(text, "scored: ");
    add_count(text, d->evaluations.n_belief);
    sonde_text_add(text, " beliefs in ");
    add_count(text, d->evaluations.n_step);
    sonde_text_add(text, " steps by search %s\ntime:   %.3g s\n",
                   sonde_plan_search_name((int32_t)d->used), d->seconds);
    if (model->coupled && p->agent.args->search.belief_kind == SONDE_BELIEF_JOINT) {
        sonde_text_add(text, "note:   factors are coupled; open loop believes each on its own\n");
    }
    if (p->agent.args->explain) {
        sonde_text_add(text, "\n");
        sonde_document_contingency(p->agent.agent, d, text);
    }
}

static sonde_status write_text(const void *about, sonde_text *text) {
    const plan *p = about;
    add_agent_lines(text, &p->agent);
    p->agent.world.show->actions(text, &p->agent.world, p->decision);
    if (p->decision->efe_lower) {
        add_closed(p, text);
        add_again(text, p->agent.args, &p->agent.world);
        return SONDE_OK;
    }
    add_outcome(p, text);
    if (p->decision->n_kept > 0) {
        add_kept(p, text);
    }
    const sonde_status status = p->decision->clusters ? add_clusters(p, text) : SONDE_OK;
    if (p->prefix) {
        add_prefix(p, text);
    }
    if (p->agent.args->explain) {
        sonde_text_add(text, "\n");
        sonde_document_explanation(p->explanation, text);
    }
    add_again(text, p->agent.args, &p->agent.world);
    return status;
}

/* ------------------------------------------------------------------------------------ verb -- */

/* Looks at the policies that begin as was asked for. */
static sonde_status look_at_prefix(plan *p) {
    sonde_agent *agent = p->agent.agent;
    sonde_error *error = &p->agent.session->error;
    int32_t n_step = 0;
    int32_t *number = calloc((size_t)sonde_agent_policies(agent)->horizon, sizeof *number);
    sonde_status status = number ? SONDE_OK : SONDE_NO_MEMORY;
    if (!status) {
        status = sonde_prefix_parse(agent, p->agent.args->prefix, &n_step, number, error);
    }
    if (!status) {
        status = sonde_agent_prefix(agent, n_step, number, &p->prefix, error);
    }
    free(number);
    return status;
}

/* Outcomes that were given, and that change nothing. */
static void note_idle_outcomes(const cli_agent *agent) {
    const sonde_search_settings *settings = &agent->args->search;
    const double surprise = sonde_agent_memory_get(agent->agent).energy.surprise;
    if (settings->loop == SONDE_LOOP_CLOSED && settings->belief_kind == SONDE_BELIEF_JOINT &&
        surprise >= IMPOSSIBLE) {
        session_note(agent->session,
                     "the model holds these outcomes for impossible: what was believed before "
                     "them stays");
    }
}

/* Puts the agent where another one stood, of which nothing is seen yet. */
static sonde_status go_on(const cli_agent *agent) {
    const int32_t n_modality = agent->world.model->n_modality;
    sonde_status status = sonde_agent_load(
        agent->agent, &(sonde_source){.origin = agent->args->resume}, NULL, &agent->session->error);
    if (status || agent->world.outcome) {
        return status;
    }
    int32_t *nothing = calloc((size_t)n_modality, sizeof *nothing);
    for (int32_t m = 0; nothing && m < n_modality; m++) {
        nothing[m] = SONDE_MISSING;
    }
    status = nothing ? sonde_agent_observe(agent->agent, nothing, &agent->session->error)
                     : SONDE_NO_MEMORY;
    free(nothing);
    return status;
}

/* Takes in what is seen first, or where the agent goes on. */
static sonde_status look(const cli_agent *agent) {
    const cli_world *world = &agent->world;
    const sonde_status status = agent->args->resume ? go_on(agent) : SONDE_OK;
    const int32_t *seen = world->outcome        ? world->outcome
                          : agent->args->resume ? NULL
                                                : sonde_model_seen(world->model);
    return status || !seen ? status
                           : sonde_agent_observe_soft(agent->agent, seen, world->weight,
                                                      &agent->session->error);
}

static sonde_status decide(plan *p) {
    cli_agent *agent = &p->agent;
    const cli_world *world = &agent->world;
    sonde_status status = look(agent);
    if (!status && world->outcome) {
        note_idle_outcomes(agent);
    }
    if (!status) {
        status = sonde_agent_search(agent->agent, &p->decision, &agent->session->error);
    }
    if (!status && agent->args->prefix) {
        status = look_at_prefix(p);
    }
    if (status) {
        return status;
    }
    p->action = sonde_agent_act(agent->agent);
    const bool closed = p->decision->efe_lower != NULL;
    if (!closed && agent->args->dot) {
        return fail(&agent->session->error, SONDE_BAD_ARGUMENT,
                    "--dot: is of plans that wait for what they see; choose --loop closed");
    }
    if (!closed && (agent->args->explain || agent->args->explain_svg)) {
        const sonde_status explained =
            sonde_agent_explain(agent->agent, &p->explanation, &agent->session->error);
        if (explained) {
            return explained;
        }
    }
    const sonde_clusters *clusters = p->decision->clusters;
    if (clusters && clusters->k < clusters->k_asked) {
        session_note(agent->session, "k became %d, because there are no more distinct rows",
                     (int)clusters->k);
    }
    return SONDE_OK;
}

sonde_status cmd_plan(cli_arguments *args, cli_session *session) {
    enum { N_OUTPUT = 5 };
    const cli_output output[N_OUTPUT] = {{args->output, write_json},
                                         {args->explain_svg, write_svg},
                                         {args->dot, write_dot},
                                         {args->save_policy, write_policy},
                                         {args->json ? "-" : NULL, write_json}};
    plan p = {0};
    sonde_status status = session_check(session, output, N_OUTPUT);
    if (!status) {
        status = agent_open(args, session, &p.agent);
    }
    if (!status) {
        status = decide(&p);
    }
    if (!status) {
        status = session_put(session, output, N_OUTPUT, write_text, &p);
    }
    sonde_explanation_free(p.explanation);
    sonde_prefix_free(p.prefix);
    agent_close(&p.agent);
    return status;
}

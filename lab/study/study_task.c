/* study_task.c: one task, that is one world with all conditions that run on it.
 *
 * All conditions of a size see the same graph, start and destination, and agents with the same
 * seed (paired). They share what k-means finds. Where the authors' notebook would have failed on a
 * world, for choosing a cluster without members, the world is drawn anew for all conditions and
 * the redraws are counted. */
#include <inttypes.h>
#include <math.h>

#include "base/clock.h"
#include "base/status.h"
#include "base/text.h"
#include "study/study_world.h"

#define N_REDRAW_MAX 4095

/* A sonde-graph or sonde-model document. */
static sonde_status add_document(const sonde__study_world *w, sonde_text *rows,
                                 sonde_error *error) {
    sonde_text document = {0};
    sonde_status status = SONDE_OK;
    if (w->size > 0) {
        sonde_graph_write(w->input.graph, &document);
    } else {
        status = sonde_model_write(w->model, &document, error);
    }
    sonde__text_words(rows, "document", document.data != NULL ? document.data : "");
    rows->failed = rows->failed || document.failed;
    sonde_text_free(&document);
    return status;
}

static sonde_status add_world(const sonde_study_plan *plan, const sonde__study_world *w,
                              sonde_text *rows, sonde_error *error) {
    sonde_text_add(rows,
                   "{\"size\": %d, \"graph\": %d, \"horizon\": %d, \"connect\": \"%s\", "
                   "\"redraws\": %d, \"seed\": %" PRIu64,
                   w->size, w->number, w->horizon, sonde_connect_name((int32_t)w->connect),
                   w->n_redraw, w->seed);
    if (w->size < 0) {
        sonde__text_words(rows, "model", plan->model[-1 - w->size].name);
    } else {
        sonde__text_pair(rows, "shortest", w->shortest);
    }
    sonde__text_pair(rows, "policies", w->policies->size);
    sonde__text_pair(rows, "local", sonde_policies_size_real(w->policies, w->policies->initial));
    sonde__text_pair(rows, "list_seconds", w->list_seconds);
    const sonde_status status = add_document(w, rows, error);
    sonde_text_add(rows, "}");
    return status;
}

/* "3/0/2": numbers with / between them. */
static void add_joined(sonde_text *rows, const char *key, int32_t n, const int32_t *number) {
    sonde_text_add(rows, ", \"%s\": \"", key);
    for (int32_t i = 0; i < n; i++) {
        sonde_text_add(rows, i > 0 ? "/%d" : "%d", number[i]);
    }
    sonde_text_add(rows, "\"");
}

/* The nodes of a path, or the states: "3-1-2", "0/1-3/1". */
static void add_path(const sonde__study_world *w, const sonde_episode *episode, sonde_text *rows) {
    sonde_text_add(rows, ", \"path\": \"");
    for (int32_t t = 0; t <= episode->n_step; t++) {
        for (int32_t f = 0; f < episode->n_factor; f++) {
            const int32_t state = episode->state[t * episode->n_factor + f];
            sonde_text_add(rows, "%s%d",
                           f > 0   ? "/"
                           : t > 0 ? "-"
                                   : "",
                           w->size > 0 ? w->input.graph->head[state] : state);
        }
    }
    sonde_text_add(rows, "\"");
}

/* A belief, factor by factor, as JSON within a text. */
static void add_belief(const sonde_model *model, const double *belief, sonde_text *rows) {
    sonde_text_add(rows, ", \"belief\": \"[");
    for (int32_t f = 0; f < model->n_factor; f++) {
        const sonde_factor *factor = &model->factor[f];
        sonde_text_add(rows, f > 0 ? ",[" : "[");
        for (int32_t i = 0; i < factor->n_state; i++) {
            sonde_text_add(rows, i > 0 ? "," : "");
            sonde_text_add_number(rows, belief[factor->first + i]);
        }
        sonde_text_add(rows, "]");
    }
    sonde_text_add(rows, "]\"");
}

/* What an action is made of, of each of n factors: those of the factors, or the edge that it leads
 * to, which is the last of a graph world's two. */
static void add_action(const sonde_model *model, int32_t n, int32_t action, sonde_text *rows) {
    int32_t tuple[SONDE_FACTORS_MAX];
    const int32_t n_tuple = sonde_model_tuple(model, action, tuple);
    add_joined(rows, "action", n, tuple + n_tuple - n);
}

static void add_step(const sonde__study_world *w, const sonde_episode *episode, int32_t t,
                     sonde_text *rows) {
    const sonde_efe *best = &episode->best[t];
    const sonde_energy *energy = &episode->energy[t];
    const sonde_evaluations *evaluations = &episode->evaluations[t];
    sonde_text_add(rows, "%s\n    {\"step\": %d", t > 0 ? "," : "", t);
    add_joined(rows, "state", episode->n_factor, episode->state + (int64_t)t * episode->n_factor);
    add_joined(rows, "outcome", episode->n_modality,
               episode->outcome + (int64_t)t * episode->n_modality);
    add_action(w->model, episode->n_factor, episode->action[t], rows);
    if (w->size < 0) {
        add_belief(w->model, episode->belief + (int64_t)t * episode->n_state, rows);
    }
    sonde__text_pair(rows, "p", episode->p[t]);
    sonde__text_pair(rows, "efe", best->efe);
    sonde__text_pair(rows, "risk", best->term[SONDE_RISK]);
    sonde__text_pair(rows, "ambiguity", best->term[SONDE_AMBIGUITY]);
    sonde__text_pair(rows, "cost", best->term[SONDE_COST]);
    sonde__text_pair(rows, "tv", episode->tv[t]);
    sonde__text_pair(rows, "surprise", energy->surprise);
    sonde__text_pair(rows, "free_energy", energy->free_energy);
    sonde__text_pair(rows, "complexity", energy->complexity);
    sonde__text_pair(rows, "accuracy", energy->accuracy);
    sonde_text_add(rows, ", \"followed\": %d, \"policies\": %" PRIu64 ", \"steps\": %" PRIu64,
                   episode->n_followed[t], evaluations->n_policy, evaluations->n_step);
    sonde__text_pair(rows, "equivalent", evaluations->equivalent);
    sonde_text_add(rows, "}");
}

static void add_steps(const sonde__study_world *w, const sonde_episode *episode, sonde_text *rows) {
    sonde_text_add(rows, ", \"each\": [");
    for (int32_t t = 0; t < episode->n_step; t++) {
        add_step(w, episode, t, rows);
    }
    sonde_text_add(rows, "]");
}

/* How much the outcomes of a step are preferred: ln C, or C where that is a utility; less what the
 * action costs in the state it is taken in. */
static double preference_of(const sonde_model *model, const sonde_episode *episode, int32_t t) {
    const int32_t *outcome = episode->outcome + (int64_t)t * episode->n_modality;
    const int32_t *state = episode->state + (int64_t)t * episode->n_factor;
    int64_t joint = 0;
    double sum = 0.0;
    for (int32_t m = 0; m < model->n_modality; m++) {
        sum += outcome[m] >= 0 ? model->modality[m].preference[outcome[m]] : 0.0;
    }
    for (int32_t f = 0; f < model->n_factor; f++) {
        joint = joint * model->factor[f].n_state + state[f];
    }
    return model->action_cost == NULL
               ? sum
               : sum - model->action_cost[joint * model->n_action + episode->action[t]];
}

/* a mean over those of its values that are numbers */
typedef struct {
    int32_t n;
    double sum;
} mean;

static void mean_add(mean *m, double value) {
    m->n += isnan(value) ? 0 : 1;
    m->sum += isnan(value) ? 0.0 : value;
}

static void add_mean(sonde_text *rows, const char *key, const mean *m) {
    sonde__text_pair(rows, key, m->n > 0 ? m->sum / m->n : (double)NAN);
}

/* Means over the steps of a run. */
static void add_means(const sonde__study_world *w, const sonde_episode *episode, sonde_text *rows) {
    mean efe = {0};
    mean certificate = {0};
    mean surprise = {0};
    mean free_energy = {0};
    mean preference = {0};
    for (int32_t t = 0; t < episode->n_step; t++) {
        mean_add(&efe, episode->best[t].efe);
        mean_add(&certificate, episode->tv[t]);
        mean_add(&surprise, episode->energy[t].surprise);
        mean_add(&free_energy, episode->energy[t].free_energy);
        if (w->size < 0) {
            mean_add(&preference, preference_of(w->model, episode, t));
        }
    }
    add_mean(rows, "efe", &efe);
    add_mean(rows, "certificate", &certificate);
    add_mean(rows, "surprise", &surprise);
    add_mean(rows, "free_energy", &free_energy);
    add_mean(rows, "preference", &preference);
}

static void add_run(const sonde__study_world *w, int32_t condition, const sonde_episode *episode,
                    sonde_text *rows) {
    sonde_evaluations sum = {0};
    for (int32_t t = 0; t < episode->n_step; t++) {
        sum.n_policy += episode->evaluations[t].n_policy;
        sum.n_step += episode->evaluations[t].n_step;
        sum.equivalent += episode->evaluations[t].equivalent;
    }
    sonde_text_add(rows, "{\"condition\": %d", condition);
    if (w->size > 0) {
        sonde_text_add(rows, ", \"optimal\": %d, \"failure\": \"%s\", \"reached\": %d",
                       episode->optimal ? 1 : 0, sonde_failure_name((int32_t)episode->failure),
                       episode->reached);
        sonde__text_pair(rows, "walked", episode->walked);
    }
    sonde_text_add(rows,
                   ", \"decisions\": %d, \"policies\": %" PRIu64 ", \"steps\": %" PRIu64
                   ", \"setup_steps\": %" PRIu64,
                   episode->n_step, sum.n_policy, sum.n_step, episode->evaluations[0].n_setup_step);
    sonde__text_pair(rows, "equivalent", sum.equivalent);
    sonde_text_add(rows, ", \"k\": %d, \"valid\": %d, \"clusterings\": %d, \"reused\": %d",
                   episode->k, episode->n_valid, episode->setup.n_clustering,
                   episode->setup.n_reused);
    sonde__text_pair(rows, "embed_seconds", episode->setup.embed_seconds);
    sonde__text_pair(rows, "cluster_seconds", episode->setup.cluster_seconds);
    sonde__text_pair(rows, "decide_seconds", episode->seconds);
    add_path(w, episode, rows);
    add_means(w, episode, rows);
}

/* What the exact decisions say of a search. */
static void add_verdict(const sonde__verdict *verdict, sonde_text *rows) {
    sonde_text_add(rows, ", \"judged\": %d, \"judged_best\": %d", verdict->n, verdict->n_best);
    sonde__text_pair(rows, "judged_equivalent", verdict->equivalent);
    sonde__text_pair(rows, "tv", verdict->tv);
    sonde__text_pair(rows, "action_tv", verdict->action_tv);
    sonde__text_pair(rows, "bound", verdict->bound);
    sonde__text_pair(rows, "regret", verdict->regret);
    sonde__text_words(rows, "exact", verdict->exact != NULL ? verdict->exact : "");
    sonde__text_pair(rows, "exact_tv", verdict->exact_tv);
}

static bool has_size(const sonde_condition *condition, int32_t size) {
    for (int32_t i = 0; i < condition->n_size; i++) {
        if (condition->size[i] == size) {
            return true;
        }
    }
    return false;
}

int32_t sonde__condition_horizon(const sonde_condition *condition, int32_t size) {
    return size < 0 ? 0 : condition->horizon > 0 ? condition->horizon : size;
}

bool sonde__condition_takes(const sonde_condition *condition, int32_t size, int32_t graph) {
    return graph < condition->n_graph && has_size(condition, size);
}

/* Whether a condition runs on this task, and on this world of it. A model is not connected. */
static bool takes_part(const sonde_condition *condition, const sonde__study_world *w) {
    return sonde__condition_takes(condition, w->size, w->number);
}

static bool applies(const sonde_condition *condition, const sonde__study_world *w) {
    return takes_part(condition, w) &&
           (w->size < 0 || (condition->connect == w->connect &&
                            sonde__condition_horizon(condition, w->size) == w->horizon));
}

/* One condition on a world. */
static sonde_status run_condition(const sonde_study_plan *plan, int32_t c, sonde__study_world *w,
                                  const sonde_run *run, sonde_text *rows, sonde_error *error) {
    const int32_t n_step = w->size < 0 ? plan->model[-1 - w->size].n_step : plan->n_step;
    sonde_search_settings settings = plan->condition[c].search;
    sonde_agent *agent = NULL;
    sonde_episode *episode = NULL;
    settings.seed = w->seed;
    sonde_differences_apply(plan->condition[c].differences, plan->condition[c].k_before, &settings);
    const double began = sonde__seconds();
    sonde_status status = sonde_agent_new(w->policies, &settings, run, &agent, error);
    const double setup_seconds = sonde__seconds() - began;
    if (status == SONDE_OK) {
        status = sonde_simulate(agent, NULL, n_step, &episode, error);
    }
    if (status == SONDE_OK) {
        add_run(w, c, episode, rows);
        sonde__text_pair(rows, "setup_seconds", setup_seconds);
        if (w->size < 0) {
            sonde__text_words(rows, "model", plan->model[-1 - w->size].name);
        }
        if (plan->record_steps) {
            add_steps(w, episode, rows);
        }
    }
    if (status == SONDE_OK && plan->n_judge > 0) {
        sonde__verdict verdict;
        status = sonde__judge_agent(w, plan, agent, run, &verdict, error);
        if (status == SONDE_OK) {
            add_verdict(&verdict, rows);
        }
    }
    sonde_text_add(rows, "}");
    sonde_episode_free(episode);
    sonde_agent_free(agent);
    return status;
}

/* Says where a condition failed, whose sentence does not name it. */
static sonde_status name_failure(const sonde_study_plan *plan, int32_t c,
                                 const sonde__study_world *w, sonde_status status,
                                 sonde_error *error) {
    const bool is_its_own =
        status == SONDE_BAD_ARGUMENT || status == SONDE_BAD_INPUT || status == SONDE_TOO_LARGE;
    if (error == NULL || !is_its_own) {
        return status;
    }
    const sonde_error found = *error;
    const char *model = w->size < 0 ? plan->model[-1 - w->size].name : NULL;
    char label[256];
    sonde__condition_label(&plan->condition[c], label, sizeof label);
    return sonde__fail(error, status, "condition \"%s\"%s%s%s: %s", label,
                       model != NULL ? " of model \"" : "", model != NULL ? model : "",
                       model != NULL ? "\"" : "", found.text);
}

/* All conditions of a world, one row a line. */
static sonde_status run_world(const sonde_study_plan *plan, sonde__study_world *w,
                              const sonde_run *run, sonde_text *rows, sonde_error *error) {
    sonde_run shelved = *run;
    shelved.shelf = w->shelf;
    const char *comma = "";
    for (int32_t c = 0; c < plan->n_condition; c++) {
        if (applies(&plan->condition[c], w)) {
            sonde_text_add(rows, "%s\n   ", comma);
            const sonde_status status = run_condition(plan, c, w, &shelved, rows, error);
            if (status != SONDE_OK) {
                return name_failure(plan, c, w, status, error);
            }
            comma = ",";
        }
    }
    return SONDE_OK;
}

/* Draws worlds until one serves all conditions, and appends it with its runs. */
static sonde_status serve(const sonde_study_plan *plan, const sonde_run *run, sonde__study_world *w,
                          sonde_text *rows, sonde_error *error) {
    const size_t before = rows->size;
    for (w->n_redraw = 0; w->n_redraw <= N_REDRAW_MAX; w->n_redraw++) {
        sonde_status status = sonde__study_world_open(plan, run, w, error);
        if (status == SONDE_OK) {
            sonde_text_add(rows, "  {\"world\": ");
            status = add_world(plan, w, rows, error);
        }
        if (status == SONDE_OK) {
            sonde_text_add(rows, ", \"runs\": [");
            status = run_world(plan, w, run, rows, error);
            sonde_text_add(rows, "]}");
        }
        sonde__study_world_close(w);
        if (status != SONDE_EMPTY_CLUSTER) {
            return status;
        }
        rows->size = before; /* take back what was said of this world */
    }
    return sonde__fail(error, SONDE_BAD_INPUT,
                       "size %d: the conditions failed on %d worlds in a row; leave out the "
                       "difference \"empty\" or choose fewer clusters",
                       w->size, N_REDRAW_MAX + 1);
}

/* The first condition of the task that runs on other worlds of it than those before, after `after`;
 * -1 if there is none. */
static int32_t next_world(const sonde_study_plan *plan, sonde__study_world *w, int32_t after) {
    for (int32_t c = after + 1; c < plan->n_condition; c++) {
        const sonde_condition *condition = &plan->condition[c];
        if (!takes_part(condition, w)) {
            continue;
        }
        w->connect = w->size < 0 ? SONDE_SYMMETRIC : condition->connect;
        w->horizon = sonde__condition_horizon(condition, w->size);
        int32_t before = 0;
        while (!applies(&plan->condition[before], w)) {
            before++;
        }
        if (before == c) {
            return c;
        }
    }
    return -1;
}

sonde_status sonde_study_plan_work(const sonde_study_plan *plan, int32_t task, const sonde_run *run,
                                   sonde_text *rows, sonde_error *error) {
    sonde_run alone = sonde__run_settle(run);
    alone.n_thread = 1;
    alone.progress = NULL;
    sonde__study_world w = {0};
    const char *comma = "";
    const double began = sonde__seconds();
    const sonde_status found = sonde_study_plan_task(plan, task, &w.size, &w.number, error);
    if (found != SONDE_OK) {
        return found;
    }
    sonde_text_add(rows, "{\"task\": %d, \"version\": \"%s\", \"worlds\": [\n", task,
                   sonde_version());
    for (int32_t c = next_world(plan, &w, -1); c >= 0; c = next_world(plan, &w, c)) {
        sonde_text_add(rows, "%s", comma);
        const sonde_status status = serve(plan, &alone, &w, rows, error);
        if (status != SONDE_OK) {
            return status;
        }
        comma = ",\n";
    }
    sonde_text_add(rows, "]");
    sonde__text_pair(rows, "seconds", sonde__seconds() - began);
    sonde_text_add(rows, "}\n");
    return rows->failed ? sonde__fail_memory(error, "rows", rows->capacity) : SONDE_OK;
}

/* cmd_efe.c: sonde efe lists policies with their expected free energy.
 *
 * Policies are looked at one by one, or a block at a time, and never stored, so that a list of any
 * length flows through; only sorting holds what it sorts.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "ranking.h"
#include "table.h"
#include "world.h"

enum { BLOCK = 1 << 14 };                /* policies scored at a time */
#define N_POLICY_MAX (UINT64_C(1) << 40) /* beyond this many it takes hours */
enum { MANY = 20 }; /* policies from which on a histogram says more than a list */

static const cli_option list_options[] = {
    {OPTION("policies", TEXT, policies, "FILE",
            "a JSON list of your own: nodes (previous, current, one a step), or actions"),
     .reads = true},
    {OPTION("steps", FLAG, steps, NULL, "the terms of each step too")},
    {OPTION("sort", FLAG, sort, NULL, "smallest G first, instead of policy order")},
    {OPTION("first", COUNT, first, "N", "no more than N policies"), .minimum = 1},
    {OPTION("histogram", FLAG, histogram, NULL,
            "how G is distributed (shown anyway under a list of many)")},
};
static const cli_option_group group_list = {"List", OPTION_TABLE(list_options)};

const cli_option_group *const efe_groups[] = {
    &group_scope,  &group_list, &group_weights, &group_world, &group_model, &group_observe,
    &group_belief, &group_seed, &group_json,    &group_run,   NULL};

/* what is listed */
typedef struct {
    const cli_arguments *args;
    cli_session *session;
    cli_world world;
    sonde_walks *own;    /* or NULL: the policies of the scope */
    uint64_t n_policy;   /* that there are */
    uint64_t n_listed;   /* that the list shows */
    cli_ranking ranking; /* empty: in policy order */
    int32_t *walk;       /* (T + 1) the policy at hand */
    int32_t *reached;    /* (T) */
    sonde_efe *steps;    /* (T) */
    double *block;       /* (BLOCK) */
} list;

/* ---------------------------------------------------------------------------- one by one -- */

/* The policy with a number in the list's own order. */
static const int32_t *get_walk(const list *l, uint64_t number) {
    if (l->own) {
        return l->own->walk + number * ((uint64_t)l->own->horizon + 1);
    }
    (void)sonde_policies_get(l->world.policies, l->world.origin, number, l->walk, NULL);
    return l->walk;
}

/* G of the policies from `first` on, a block of them. */
static sonde_status score_block(const list *l, uint64_t first, uint64_t n) {
    if (!l->own) {
        sonde_run run = l->session->run;
        run.progress = NULL; /* progress is over all blocks */
        return sonde_efe_range(l->world.scored, l->world.now,
                               (sonde_range){l->world.origin, first, n}, &run, l->block, NULL);
    }
    for (uint64_t i = 0; i < n; i++) {
        sonde_efe total;
        const sonde_status status =
            world_score(&l->world, get_walk(l, first + i), NULL, NULL, &total);
        if (status) {
            return status;
        }
        l->block[i] = total.efe;
    }
    return SONDE_OK;
}

/* Calls `take` with the G of every policy there is. */
static sonde_status for_each_efe(const list *l, const char *stage,
                                 void (*take)(void *user, double efe, uint64_t index), void *user) {
    if (l->n_policy > N_POLICY_MAX) {
        return fail(&l->session->error, SONDE_TOO_LARGE,
                    "there are too many policies to score all of them; choose a shorter --horizon");
    }
    for (uint64_t first = 0; first < l->n_policy; first += BLOCK) {
        const uint64_t n = l->n_policy - first < BLOCK ? l->n_policy - first : BLOCK;
        const sonde_status status =
            session_interrupted(l->session) ? SONDE_STOPPED : score_block(l, first, n);
        if (status) {
            return status;
        }
        for (uint64_t i = 0; i < n; i++) {
            take(user, l->block[i], first + i);
        }
        session_progress(l->session, stage, first + n, l->n_policy);
    }
    return SONDE_OK;
}

/* ---------------------------------------------------------------------------------- ranking -- */

static void rank_one(void *user, double efe, uint64_t index) {
    ranking_offer(user, efe, index);
}

static sonde_status rank(list *l) {
    const uint64_t bytes = ranking_bytes(l->n_listed);
    if (bytes > l->args->memory) {
        return fail(&l->session->error, SONDE_TOO_LARGE,
                    "sorting %llu policies takes %.3g GB, allowed are %.3g GB; --first takes less",
                    (unsigned long long)l->n_listed, 1e-9 * (double)bytes,
                    1e-9 * (double)l->args->memory);
    }
    if (!ranking_open(&l->ranking, l->n_listed)) {
        return SONDE_NO_MEMORY;
    }
    const sonde_status status = for_each_efe(l, "sorting", rank_one, &l->ranking);
    if (!status) {
        ranking_sort(&l->ranking);
    }
    return status;
}

/* -------------------------------------------------------------------------------- histogram -- */

static void widen(void *user, double efe, uint64_t index) {
    (void)index;
    cli_histogram *histogram = user;
    histogram->low = fmin(histogram->low, efe);
    histogram->high = fmax(histogram->high, efe);
}

static void count_one(void *user, double efe, uint64_t index) {
    (void)index;
    histogram_add(user, efe);
}

/* Two passes: how far G reaches, and how often it is where. */
static sonde_status add_distribution(const list *l, sonde_text *text) {
    cli_histogram histogram = {.low = INFINITY, .high = -INFINITY};
    sonde_status status = for_each_efe(l, "range of G", widen, &histogram);
    if (!status) {
        status = for_each_efe(l, "histogram", count_one, &histogram);
    }
    if (!status) {
        sonde_text_add(text, "\nG of ");
        add_count(text, l->n_policy);
        sonde_text_add(text, l->n_policy == 1 ? " policy\n" : " policies\n");
        add_histogram(text, &histogram);
    }
    return status;
}

/* ---------------------------------------------------------------------------------- listing -- */

/* The number of the policy at a place of the list. */
static uint64_t number_at(const list *l, uint64_t at) {
    return l->ranking.entry ? l->ranking.entry[at].index : at;
}

/* Its index in the policy order of the scope. */
static uint64_t index_of(const list *l, uint64_t number, const int32_t *walk) {
    return l->own ? sonde_policies_find(l->world.policies, l->world.origin, walk) : number;
}

static sonde_status write_json(const void *about, sonde_text *text) {
    const list *l = about;
    const cli_world *world = &l->world;
    const sonde_listing listing = {world->policies, world->origin, world->now, world->command.data};
    if (l->n_listed == 0) {
        sonde_document_efe(&listing, 0, 0, NULL, text);
    }
    for (uint64_t at = 0; at < l->n_listed && !text->failed; at++) {
        if (session_interrupted(l->session)) {
            return SONDE_STOPPED;
        }
        const uint64_t number = number_at(l, at);
        const int32_t *walk = get_walk(l, number);
        sonde_efe total;
        const sonde_status status = world_score(world, walk, l->steps, l->reached, &total);
        if (status) {
            return status;
        }
        const sonde_scored policy = {index_of(l, number, walk), walk, &total,
                                     l->args->steps ? l->steps : NULL};
        sonde_document_efe(&listing, l->n_listed, at, &policy, text);
    }
    return SONDE_OK;
}

/* of the columns, a long name's is as wide as that */
static const int term_width[SONDE_N_TERM] = {11, 10, 11, 11};

/* Novelty is the last of them, and not there where it does not count. */
static int32_t count_terms(const cli_world *world) {
    return world_is_novel(world) ? SONDE_N_TERM : SONDE_N_TERM - 1;
}

static void add_terms(const cli_world *world, sonde_text *text, const sonde_efe *efe) {
    sonde_text_add(text, "%12s", number_of(efe->efe).text);
    for (int32_t i = 0; i < count_terms(world); i++) {
        sonde_text_add(text, " %*s", term_width[i], number_of(efe->term[i]).text);
    }
    sonde_text_add(text, "  ");
}

static void add_steps(const list *l, const int32_t *walk, sonde_text *text) {
    const sonde_model *model = l->world.model;
    for (int32_t t = 0; t < l->world.policies->horizon; t++) {
        add_terms(&l->world, text, &l->steps[t]);
        sonde_text_add(text, "  step %d: ", (int)t + 1);
        sonde_model_say(model, SONDE_NOUN_STEP, (int32_t[]){walk[t + 1], l->reached[t]}, 0, text);
        sonde_text_add(text, "\n");
    }
}

static sonde_status add_list(const list *l, sonde_text *text) {
    const cli_world *world = &l->world;
    sonde_text_add(text, "\n%12s", "G");
#define NAME(code, name) name,
    static const char *const head[] = {SONDE_TERM_LIST(NAME)};
#undef NAME
    for (int32_t i = 0; i < count_terms(world); i++) {
        sonde_text_add(text, " %*s", term_width[i], head[i]);
    }
    sonde_text_add(text, "  %s\n", world->show->policy);
    for (uint64_t at = 0; at < l->n_listed; at++) {
        if (session_interrupted(l->session)) {
            return SONDE_STOPPED;
        }
        const int32_t *walk = get_walk(l, number_at(l, at));
        sonde_efe total;
        const sonde_status status = world_score(world, walk, l->steps, l->reached, &total);
        if (status) {
            return status;
        }
        add_terms(world, text, &total);
        sonde_policies_say(world->policies, walk, text);
        sonde_text_add(text, "\n");
        if (l->args->steps) {
            add_steps(l, walk, text);
        }
    }
    if (l->n_listed < l->n_policy) {
        sonde_text_add(text, "  and ");
        const uint64_t more = l->n_policy < UINT64_MAX ? l->n_policy - l->n_listed : UINT64_MAX;
        add_size(text, more, sonde_policies_size_real(world->policies, world->origin));
        sonde_text_add(text, " more\n");
    }
    return SONDE_OK;
}

static sonde_status write_text(const void *about, sonde_text *text) {
    const list *l = about;
    add_world_line(text, &l->world);
    if (l->own) {
        sonde_text_add(text, "%d %s of %s", (int)l->own->n_policy,
                       l->own->n_policy == 1 ? "policy" : "policies", l->args->policies);
    } else {
        add_policies_line(text, &l->world);
    }
    sonde_text_add(text, "%s\n", l->args->sort ? ", smallest G first" : "");
    sonde_status status = add_list(l, text);
    if (!status && (l->args->histogram || (l->args->first == 0 && l->n_policy > MANY))) {
        status = add_distribution(l, text);
    }
    if (!status) {
        add_again(text, l->args, &l->world);
    }
    return status;
}

/* ------------------------------------------------------------------------------------- verb -- */

static sonde_status count_policies(list *l) {
    const cli_world *world = &l->world;
    sonde_error *error = &l->session->error;
    if (l->args->policies) {
        const sonde_status status =
            sonde_walks_read(l->args->policies, world->policies, &l->own, error);
        if (status) {
            return status;
        }
    }
    l->n_policy =
        l->own ? (uint64_t)l->own->n_policy : sonde_policies_size(world->policies, world->origin);
    l->n_listed = l->n_policy;
    if (l->args->first > 0 && l->args->first < l->n_policy) {
        l->n_listed = l->args->first;
    }
    const bool whole = l->n_listed == l->n_policy || l->args->sort || l->args->histogram;
    if (l->n_policy == UINT64_MAX && whole) {
        return fail(error, SONDE_TOO_LARGE,
                    "there are about %.3g policies, which nobody can list; "
                    "a smaller --horizon has fewer, and --first lists some",
                    sonde_policies_size_real(world->policies, world->origin));
    }
    return SONDE_OK;
}

static sonde_status prepare(list *l) {
    const size_t horizon = (size_t)l->world.policies->horizon;
    l->walk = calloc(horizon + 1, sizeof *l->walk);
    l->reached = calloc(horizon, sizeof *l->reached);
    l->steps = calloc(horizon, sizeof *l->steps);
    l->block = calloc(BLOCK, sizeof *l->block);
    if (!l->walk || !l->reached || !l->steps || !l->block) {
        return SONDE_NO_MEMORY;
    }
    return l->args->sort ? rank(l) : SONDE_OK;
}

static void release(list *l) {
    free(l->block);
    free(l->steps);
    free(l->reached);
    free(l->walk);
    ranking_close(&l->ranking);
    sonde_walks_free(l->own);
    world_close(&l->world);
}

static sonde_status check(const cli_arguments *args, cli_session *session) {
    if (args->policies && !strcmp(args->policies, "-") && !strcmp(args->file, "-")) {
        return fail(&session->error, SONDE_BAD_ARGUMENT,
                    "--policies: standard input is the world already");
    }
    if (args->histogram && (args->json || (args->output && !strcmp(args->output, "-")))) {
        return fail(&session->error, SONDE_BAD_ARGUMENT,
                    "--histogram: stands in the text, and a document is printed instead; leave one "
                    "of them out");
    }
    return SONDE_OK;
}

sonde_status cmd_efe(cli_arguments *args, cli_session *session) {
    const cli_output output[] = {{args->output, write_json}, {args->json ? "-" : NULL, write_json}};
    list l = {.args = args, .session = session};
    sonde_status status = check(args, session);
    if (!status) {
        status = session_check(session, output, 2);
    }
    if (!status) {
        status = world_open(args, session, &l.world);
    }
    if (!status) {
        world_note_prior(session, &l.world);
    }
    if (!status) {
        /* nothing is scored yet, and what cannot be is told before anything is printed */
        const sonde_walks none = {0, l.world.policies->horizon, NULL};
        status = sonde_efe_walks(l.world.model, l.world.now, &none, NULL, &(sonde_scores){0},
                                 &session->error);
    }
    if (!status) {
        status = count_policies(&l);
    }
    if (!status) {
        status = prepare(&l);
    }
    if (!status) {
        status = session_put(session, output, 2, write_text, &l);
    }
    release(&l);
    return status;
}

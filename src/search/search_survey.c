/* search_survey.c: the clusters of all origins, for the searches that go by them.
 *
 * Global clusters are made at set-up. For local ones, the memory for every state's is set aside
 * then, and a first visit fills it in. */
#include <inttypes.h>
#include <string.h>

#include "base/clock.h"
#include "base/settings.h"
#include "search/search_survey.h"

/* How many of n policies are clustered. */
static uint64_t n_taken(const sonde__search *search, uint64_t n) {
    const uint64_t most = (uint64_t)search->settings.embed.n_sample;
    return most > 0 && most < n ? most : n;
}

uint64_t sonde__survey_count(const sonde__search *search, int32_t origin) {
    return n_taken(search, sonde_policies_size(search->policies, origin));
}

uint64_t sonde__survey_largest(const sonde__search *search) {
    return n_taken(search, sonde__search_most(search));
}

/* Whether samples, if they are wanted, can be drawn from every origin. */
static sonde_status check_sample(const sonde__search *search, sonde_error *error) {
    const sonde_policies *policies = search->policies;
    const int32_t n_sample = search->settings.embed.n_sample;
    if (!sonde__search_is_local(search)) {
        return sonde__embed_check(policies, SONDE_EVERYWHERE, n_sample, error);
    }
    sonde_status status = SONDE_OK;
    for (int32_t e = 0; e < policies->n_origin && status == SONDE_OK; e++) {
        status = sonde__embed_check(policies, e, n_sample, error);
    }
    return status;
}

/* k of n policies. Where it is to balance costs: with s probes a cluster, the survey takes k s
 * policies and the search of one cluster n / k. s is what probing takes; or, where decisions
 * have shown it, as many as it would take to know the mean of a cluster twice as well as the
 * clusters differ: four times the variance within them over that between. */
static int32_t k_for(const sonde__search *search, uint64_t n, bool learned) {
    const sonde_search_settings *settings = &search->settings;
    const sonde__survey *survey = search->state;
    const sonde__scatter *within = &survey->memory.searched;
    const sonde__scatter *between = &survey->memory.between;
    if (settings->cluster.k != SONDE_K_AUTO) {
        return settings->cluster.k;
    }
    double s = settings->probe == SONDE_PROBE_CENTER ? 1.0 : (double)settings->n_sample;
    if (learned && within->degrees > 0.0 && between->squares > 0.0) {
        const double ratio =
            4.0 * within->squares / within->degrees * between->degrees / between->squares;
        s = ratio > s ? ratio : s;
    }
    return sonde__cluster_balance(n, s);
}

/* Whether rows of the program's own are those of these policies. */
static sonde_status check_own(const sonde__search *search, sonde_error *error) {
    const sonde_search_settings *settings = &search->settings;
    const sonde_embedder *own = settings->embedder;
    if (settings->embed.kind != SONDE_EMBEDDING_OWN) {
        return SONDE_OK;
    }
    if (own == NULL || own->settings.kind != SONDE_EMBEDDING_OWN || own->n_column == 0 ||
        own->policies != search->given || own->settings.n_sample != settings->embed.n_sample) {
        return sonde__fail_setting(error, "embedding",
                                   "own goes with an embedder of these policies, or of the same "
                                   "sample of them, that has been given rows");
    }
    if (settings->n_member > 0) {
        return sonde__fail_setting(error, "members",
                                   "they are drawn from all policies, and rows of your own are "
                                   "those of the sample alone; leave it out");
    }
    return SONDE_OK;
}

static sonde_status check(const sonde__search *search, sonde_error *error) {
    const sonde__survey *survey = search->state;
    const bool local = sonde__search_is_local(search);
    if (search->settings.cluster.k == SONDE_K_AUTO && survey->keeps_rows) {
        return sonde__fail(
            error, SONDE_BAD_ARGUMENT,
            "k: auto balances probing all clusters and searching one of them, which %s search "
            "does not do; give a number",
            sonde_search_name((int32_t)search->settings.search));
    }
    if (!local && sonde__embed_moves(search->settings.embed.kind)) {
        return sonde__fail(
            error, SONDE_BAD_ARGUMENT,
            "embedding: %s depends on where the agent is, so its clusters are made anew "
            "for every decision; choose local scope",
            sonde_embedding_name(search->settings.embed.kind));
    }
    /* every origin has room for clusters of its own; where there is none, do not even look at
     * them */
    const uint64_t n_origin = local ? (uint64_t)search->policies->n_origin : 0;
    if (sonde__multiply(n_origin, sizeof(sonde__clusters)) > search->run.memory) {
        return sonde__fail(error, SONDE_TOO_LARGE,
                           "clustered search: policies have %" PRIu64
                           " origins, and there is no room for the clusters of each; choose "
                           "another search, or allow more memory",
                           n_origin);
    }
    const uint64_t largest = sonde__survey_largest(search);
    sonde_status status = sonde__members_check(search, error);
    status = status == SONDE_OK ? check_own(search, error) : status;
    status = status == SONDE_OK ? check_sample(search, error) : status;
    /* how many distinct rows an origin has is seen on the first visit, which is no time for
     * errors */
    if (status == SONDE_OK && local) {
        status = sonde__cluster_fits(&search->settings.cluster, largest, "policies", error);
    }
    if (status != SONDE_OK || largest <= INT32_MAX) {
        return status;
    }
    return sonde__fail(error, SONDE_TOO_LARGE,
                       "clustered search: there are %.4g policies%s, and at most %d can be listed; "
                       "choose another search, %s%sor a shorter horizon",
                       search->policies->size, local ? " in all" : "", INT32_MAX,
                       local ? "" : "local scope, ",
                       largest < UINT64_MAX ? "a sample of the policies, " : "");
}

static void note_cost(sonde_setup *setup, const sonde_clusters *clusters, double embed_seconds,
                      double cluster_seconds) {
    setup->embed_seconds += embed_seconds;
    setup->cluster_seconds += cluster_seconds;
    setup->n_clustering++;
    setup->n_reused += clusters->reused;
}

/* The embedder, from the shelf if it is there. */
static sonde_status find_embedder(sonde__search *search, sonde_error *error) {
    sonde__survey *survey = search->state;
    const sonde_embed_settings *settings = &search->settings.embed;
    if (settings->kind == SONDE_EMBEDDING_OWN) {
        survey->embedder = search->settings.embedder;
        survey->borrowed = true;
        search->run.shelf = NULL; /* which tells embeddings apart by their settings */
        return SONDE_OK;
    }
    sonde_shelf *shelf = sonde__embed_moves(settings->kind) ? NULL : search->run.shelf;
    survey->embedder = shelf != NULL ? sonde__shelf_embedder(shelf, settings) : NULL;
    survey->borrowed = survey->embedder != NULL;
    if (survey->borrowed) {
        return SONDE_OK;
    }
    /* what outlives this search does not belong to it */
    const sonde_policies *policies = shelf != NULL ? search->given : search->policies;
    const sonde_status status =
        sonde_embedder_new(policies, settings, &search->run, &survey->embedder, error);
    survey->borrowed =
        status == SONDE_OK && shelf != NULL && sonde__shelf_keep_embedder(shelf, survey->embedder);
    return status;
}

/* The embedding of all policies; the caller frees it unless the shelf has it. */
static sonde_status find_embedding(const sonde__search *search, const sonde_run *run,
                                   sonde_embedding **embedding, bool *borrowed,
                                   sonde_error *error) {
    const sonde__survey *survey = search->state;
    sonde_shelf *shelf = survey->borrowed ? search->run.shelf : NULL;
    *embedding = shelf != NULL ? sonde__shelf_embedding(shelf, &search->settings.embed) : NULL;
    *borrowed = *embedding != NULL;
    if (*borrowed) {
        return SONDE_OK;
    }
    const sonde_status status =
        sonde_embedding_new(survey->embedder, SONDE_EVERYWHERE, run, embedding, error);
    *borrowed =
        status == SONDE_OK && shelf != NULL && sonde__shelf_keep_embedding(shelf, *embedding);
    return status;
}

/* The clusters' own copy of which policies were drawn: their embedding will be gone. */
static sonde_status keep_sample(sonde__survey *survey, const sonde_embedding *embedding,
                                sonde_error *error) {
    const size_t size = (size_t)embedding->n_policy * sizeof *survey->global_policy;
    survey->global_policy = sonde__alloc(size);
    if (survey->global_policy == NULL) {
        return sonde__fail_memory(error, "sample of policies", size);
    }
    memcpy(survey->global_policy, embedding->policy, size);
    survey->global->policy = survey->global_policy;
    return SONDE_OK;
}

/* The one clustering of global scope, whose memory is as large as its distinct rows need. */
static sonde_status cluster_globally(sonde__search *search, sonde_error *error) {
    sonde__survey *survey = search->state;
    sonde_embedding *embedding = NULL;
    bool borrowed = false;
    const double began = sonde__seconds();
    sonde_run rest = sonde__run_less(&search->run, survey->embedder->bytes);
    sonde_status status = find_embedding(search, &rest, &embedding, &borrowed, error);
    const double embedded = sonde__seconds();
    if (status == SONDE_OK) {
        rest = sonde__run_less(&rest, embedding->bytes);
        sonde_cluster_settings settings = search->settings.cluster;
        settings.k = k_for(search, (uint64_t)embedding->n_policy, false);
        status = sonde_clusters_fit(embedding, &settings, &rest, &survey->global, error);
    }
    if (status == SONDE_OK && embedding->policy != NULL) {
        status = keep_sample(survey, embedding, error);
    }
    if (status == SONDE_OK) {
        note_cost(&search->setup, survey->global, embedded - began, sonde__seconds() - embedded);
    }
    survey->rows = survey->keeps_rows ? embedding : NULL;
    survey->rows_borrowed = borrowed;
    if (survey->rows == NULL && !borrowed) {
        sonde_embedding_free(embedding);
    }
    return status;
}

uint64_t sonde__survey_bytes(const sonde__search *search) {
    const sonde__survey *survey = search->state;
    return survey->embedder->bytes + (survey->global != NULL ? survey->global->bytes : 0) +
           (survey->rows != NULL ? survey->rows->bytes : 0);
}

sonde_status sonde__survey_open(sonde__search *search, sonde_error *error) {
    const sonde_status fits = check(search, error);
    if (fits != SONDE_OK) {
        return fits;
    }
    const double began = sonde__seconds();
    const sonde_status status = find_embedder(search, error);
    search->setup.embed_seconds = sonde__seconds() - began;
    return status == SONDE_OK && !sonde__search_is_local(search) ? cluster_globally(search, error)
                                                                 : status;
}

sonde_status sonde__survey_open_rows(sonde__search *search, sonde_error *error) {
    sonde__survey *survey = search->state;
    survey->keeps_rows = true;
    return sonde__survey_open(search, error);
}

void sonde__survey_forget(sonde__search *search) {
    sonde__survey *survey = search->state;
    survey->memory = (sonde__memory){0};
    /* what it has taught is in the number of clusters */
    const bool balanced = search->settings.cluster.k == SONDE_K_AUTO && survey->filled != NULL;
    for (int32_t s = 0; balanced && s < search->policies->n_origin; s++) {
        survey->filled[s] = false;
    }
}

void sonde__survey_close(sonde__search *search) {
    const sonde__survey *survey = search->state;
    sonde_clusters_free(survey->global);
    sonde__free(survey->global_policy);
    if (!survey->rows_borrowed) {
        sonde_embedding_free(survey->rows);
    }
    if (!survey->borrowed) {
        sonde_embedder_free(survey->embedder);
    }
}

/* How many clusters an origin can have. */
static int32_t most_clusters(const sonde__search *search, uint64_t n_policy) {
    const int32_t k = k_for(search, n_policy, false);
    const bool fewer = !search->settings.cluster.keep_empty && n_policy < (uint64_t)k;
    return fewer ? (int32_t)n_policy : k;
}

/* Room for making the clusters of one state; where k may change, for the largest, which is cut
 * when it is known. */
static void carve_scratch(sonde__search *search, sonde__arena *arena, int32_t n_row) {
    sonde__survey *survey = search->state;
    sonde_cluster_settings settings = search->settings.cluster;
    sonde__arena measure = {0};
    if (settings.k != SONDE_K_AUTO) {
        survey->cluster_scratch = sonde__cluster_scratch_carve(arena, n_row, survey->embedder,
                                                               &settings, search->run.n_thread);
        return;
    }
    settings.k = most_clusters(search, (uint64_t)n_row);
    sonde__cluster_scratch_carve(&measure, n_row, survey->embedder, &settings,
                                 search->run.n_thread);
    survey->n_cluster_room = measure.used;
    survey->cluster_room = SONDE__TAKE(arena, char, measure.used);
}

/* Room for the clusters of every state, and for making those of one. */
static void carve_locally(sonde__search *search, sonde__arena *arena) {
    const sonde_policies *policies = search->policies;
    sonde__survey *survey = search->state;
    const int32_t n_column = survey->embedder->n_column;
    const int32_t n_thread = search->run.n_thread;
    const int32_t n_origin = policies->n_origin;
    const uint64_t largest = sonde__survey_largest(search);
    survey->local = SONDE__TAKE(arena, sonde__clusters, n_origin);
    survey->filled = SONDE__TAKE(arena, bool, n_origin);
    survey->policy = SONDE__TAKE(arena, uint64_t *, n_origin);
    for (int32_t s = 0; s < n_origin; s++) {
        const uint64_t size = sonde__survey_count(search, s);
        const bool sampled = size < sonde_policies_size(policies, s);
        sonde__clusters clusters = {0};
        sonde__clusters_carve(arena, size, n_column, most_clusters(search, size), &clusters);
        uint64_t *policy = SONDE__TAKE(arena, uint64_t, sampled ? size : 0);
        if (survey->local != NULL) {
            survey->local[s] = clusters;
            survey->policy[s] = policy;
        }
    }
    sonde__embedding_carve(arena, survey->embedder, largest, largest, &survey->embedding);
    sonde__embed_scratch_carve(arena, survey->embedder, largest, n_thread, &survey->embed_scratch);
    carve_scratch(search, arena, (int32_t)largest);
}

void sonde__survey_carve(sonde__search *search, sonde__arena *arena) {
    sonde__survey *survey = search->state;
    const uint64_t largest = sonde__survey_largest(search);
    const int32_t k = most_clusters(search, largest);
    const uint64_t n_pick = (uint64_t)search->settings.n_sample;
    if (sonde__search_is_local(search)) {
        carve_locally(search, arena);
    }
    survey->pick = SONDE__TAKE(arena, int32_t, n_pick < largest ? n_pick : largest);
    survey->cluster_efe = SONDE__TAKE(arena, double, k);
    survey->chosen = SONDE__TAKE(arena, bool, k);
    sonde__members_carve(search, arena);
    survey->group = SONDE__TAKE(arena, sonde__group, k);
    if (search->settings.probe == SONDE_PROBE_ADAPTIVE) {
        const uint64_t n_drawn = sonde__multiply(n_pick, (uint64_t)k);
        survey->arm = SONDE__TAKE(arena, sonde__arm, k);
        survey->drawn = SONDE__TAKE(arena, int32_t, n_drawn < largest ? n_drawn : largest);
        survey->is_drawn = SONDE__TAKE(arena, bool, largest);
    }
}

sonde_status sonde__survey_embed(sonde__search *search) {
    sonde__survey *survey = search->state;
    const int32_t origin = search->decision.origin;
    if (!sonde__search_is_local(search) || (survey->is_embedded && survey->embedded == origin)) {
        return SONDE_OK;
    }
    if (search->settings.embed.kind == SONDE_EMBEDDING_OWN &&
        sonde__own_rows(survey->embedder, origin) == NULL) {
        search->complaint = "embedding: there are no rows of the policies that begin here";
        return SONDE_BAD_ARGUMENT;
    }
    const double began = sonde__seconds();
    survey->is_embedded = false;
    sonde_status status =
        sonde__embed_distinct(survey->embedder, origin, &search->run, &survey->embed_scratch);
    if (status == SONDE_OK) {
        status = sonde__embed_fill(survey->embedder, origin, &search->run, &survey->embed_scratch,
                                   &survey->embedding);
    }
    survey->is_embedded = status == SONDE_OK;
    survey->embedded = origin;
    search->setup.embed_seconds += sonde__seconds() - began;
    if (status == SONDE_OK && sonde__embed_scores(search->settings.embed.kind)) {
        search->decision.evaluations.n_setup_step +=
            (uint64_t)survey->embedding.embedding.n_policy * (uint64_t)search->policies->horizon;
    }
    return status;
}

const sonde_embedding *sonde__survey_rows(const sonde__search *search) {
    const sonde__survey *survey = search->state;
    return sonde__search_is_local(search) ? &survey->embedding.embedding : survey->rows;
}

/* Clusters the policies of a state. */
static sonde_status cluster_locally(sonde__search *search, int32_t origin) {
    sonde__survey *survey = search->state;
    sonde__clusters *clusters = &survey->local[origin];
    sonde_cluster_settings settings = search->settings.cluster;
    settings.stream = (uint64_t)origin + 1; /* 0 is the global clustering's */
    if (settings.k == SONDE_K_AUTO) {
        sonde__arena arena = sonde__arena_within(survey->cluster_room, survey->n_cluster_room);
        settings.k = k_for(search, (uint64_t)survey->embedding.embedding.n_policy, true);
        survey->cluster_scratch =
            sonde__cluster_scratch_carve(&arena, (int32_t)sonde__survey_largest(search),
                                         survey->embedder, &settings, search->run.n_thread);
    }
    /* what is on a shelf was clustered from elsewhere, if that matters */
    sonde_run run = search->run;
    run.shelf = sonde__embed_moves(search->settings.embed.kind) ? NULL : run.shelf;
    const double began = sonde__seconds();
    const sonde_status status = sonde__clusters_fill(&survey->embedding.embedding, &settings, &run,
                                                     survey->cluster_scratch, clusters);
    if (status == SONDE_OK) {
        survey->filled[origin] = true;
        if (clusters->clusters.policy != NULL) {
            memcpy(survey->policy[origin], clusters->clusters.policy,
                   (size_t)clusters->clusters.n_policy * sizeof(uint64_t));
            clusters->clusters.policy = survey->policy[origin];
        }
        note_cost(&search->setup, &clusters->clusters, 0.0, sonde__seconds() - began);
    }
    return status;
}

/* Whether the clusters of a state are half or twice as many as they should be by now. */
static bool is_off_balance(const sonde__search *search, int32_t origin) {
    const sonde__survey *survey = search->state;
    const sonde_clusters *clusters = &survey->local[origin].clusters;
    const int64_t k = k_for(search, (uint64_t)clusters->n_policy, true);
    return search->settings.cluster.k == SONDE_K_AUTO &&
           (2 * k <= clusters->k_asked || 2 * (int64_t)clusters->k_asked <= k);
}

sonde_status sonde__survey_prepare(sonde__search *search) {
    sonde__survey *survey = search->state;
    const int32_t origin = search->decision.origin;
    const bool moves = sonde__embed_moves(search->settings.embed.kind);
    if (!sonde__search_is_local(search) ||
        (survey->filled[origin] && !moves && !is_off_balance(search, origin))) {
        return SONDE_OK;
    }
    if (moves) {
        (void)sonde_embedder_aim(survey->embedder, sonde__search_now(search), NULL);
        survey->is_embedded = false;
    }
    const sonde_status status = sonde__survey_embed(search);
    return status == SONDE_OK ? cluster_locally(search, origin) : status;
}

const sonde_clusters *sonde__survey_show(sonde__search *search) {
    const sonde__survey *survey = search->state;
    sonde_decision *decision = &search->decision;
    decision->clusters =
        sonde__search_is_local(search) ? &survey->local[decision->origin].clusters : survey->global;
    decision->cluster_efe = survey->cluster_efe;
    decision->chosen = survey->chosen;
    decision->probe_origin = decision->origin;
    return decision->clusters;
}

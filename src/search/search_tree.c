/* search_tree.c: clusters of clusters, searched best first.
 *
 * The clusters of clustered search are the first level of a tree; the members of each are
 * clustered again, and so on, `depth` levels in all, wherever there are rows left to tell apart. A
 * decision goes down from the top:
 *
 *     1. probe the clusters of the first level
 *     2. take the open cluster with the smallest value. If it is divided, probe its own clusters, which are open
 *        from then on; if not, score its members
 *     3. back to 2, until `top` clusters have been scored; or, where there is a budget, until that is used
 *
 * With one level and no budget that is clustered search to the byte. A tree is made on the first
 * visit of its origin: as much k-means again for each level. Its members are one list, in which
 * those of a cluster stand side by side, so that a cluster is a stretch of it, at every level. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/numbers.h"
#include "search/search.h"

static bool is_local(const sonde__search *search) {
    return search->settings.scope == SONDE_LOCAL;
}

static sonde__grove *grove_of(const sonde__search *search, int32_t origin) {
    return &search->branching.grove[is_local(search) ? origin : 0];
}

/* Steps that probing n clusters takes at most. */
static uint64_t probe_steps(const sonde__search *search, int32_t n) {
    const bool one = search->settings.probe == SONDE_PROBE_CENTER;
    return sonde__multiply(
        sonde__multiply((uint64_t)n, one ? 1 : (uint64_t)search->settings.n_sample),
        (uint64_t)search->policies->horizon);
}

sonde_status sonde__tree_check(const sonde__search *search, sonde_error *error) {
    const sonde_search_settings *settings = &search->settings;
    const uint64_t least =
        sonde__add(probe_steps(search, settings->cluster.k), (uint64_t)search->policies->horizon);
    if (settings->budget > 0 && settings->budget < least) {
        return sonde__fail(
            error, SONDE_BAD_ARGUMENT,
            "budget: probing the first %d clusters and scoring one policy takes %" PRIu64
            " steps, and "
            "the budget is %" PRIu64 "; allow more, or choose fewer branches",
            settings->cluster.k, least, settings->budget);
    }
    return sonde__cluster_search_check(search, error);
}

/* How many clusters the tree of n policies can have: those below the first level have company,
 * so there are fewer than twice as many as policies. */
static uint64_t most_twigs(const sonde__search *search, uint64_t n) {
    const uint64_t k = (uint64_t)search->settings.cluster.k;
    uint64_t level = k;
    uint64_t below = 0;
    for (int32_t d = 1; d < search->settings.n_depth && below < 2 * n; d++) {
        level = sonde__multiply(level, k);
        below = sonde__add(below, level);
    }
    return sonde__add(k, below < 2 * n ? below : 2 * n);
}

void sonde__tree_carve(sonde__search *search, sonde__arena *arena) {
    const sonde_policies *policies = search->policies;
    sonde__branching *b = &search->branching;
    const sonde_embedder *embedder = search->survey.embedder;
    const uint64_t largest = sonde__cluster_largest(search);
    const sonde_embedding *rows = search->survey.rows;
    const uint64_t n_row = rows != NULL ? (uint64_t)rows->n_row : largest;
    const bool divided = search->settings.n_depth > 1;
    sonde__cluster_carve(search, arena);
    const int32_t n_grove = is_local(search) ? policies->n_origin : 1;
    b->grove = SONDE__TAKE(arena, sonde__grove, n_grove);
    for (int32_t s = 0; s < n_grove; s++) {
        const uint64_t n = sonde__cluster_count(search, is_local(search) ? s : SONDE_EVERYWHERE);
        sonde__grove grove = {0};
        grove.twig = SONDE__TAKE(arena, sonde__twig, most_twigs(search, n));
        grove.member = SONDE__TAKE(arena, int32_t, n);
        if (b->grove != NULL) {
            b->grove[s] = grove;
        }
    }
    b->member = SONDE__TAKE(arena, int32_t, divided ? largest : 0);
    b->number = SONDE__TAKE(arena, int32_t, divided ? n_row : 0);
    if (divided) {
        sonde__embedding_carve(arena, embedder, largest, n_row, &b->part);
        sonde__clusters_carve(arena, largest, embedder->n_column, search->settings.cluster.k,
                              &b->parts);
    }
    if (divided && !is_local(search)) {
        search->survey.cluster_scratch = sonde__cluster_scratch_carve(
            arena, (int32_t)n_row, embedder, &search->settings.cluster, search->run.n_thread);
    }
}

/* The members of a cluster as an embedding of their own; false where their rows are all the
 * same. */
static bool part_of(sonde__branching *b, const sonde_embedding *rows, const sonde__grove *grove,
                    const sonde__twig *twig) {
    sonde__embedding *part = &b->part;
    const int32_t n = twig->end - twig->begin;
    const size_t size = (size_t)rows->n_code * (rows->small != NULL ? 1 : sizeof(double));
    const char *from = rows->small != NULL ? (const char *)rows->small : (const char *)rows->code;
    int32_t n_row = 0;
    for (int32_t i = 0; i < n; i++) {
        b->number[rows->row_of[grove->member[twig->begin + i]]] = -1;
    }
    for (int32_t i = 0; i < n; i++) {
        const int32_t r = rows->row_of[grove->member[twig->begin + i]];
        if (b->number[r] < 0) {
            b->number[r] = n_row;
            part->first[n_row] = i;
            part->weight[n_row] = 0;
            memcpy((char *)part->code + (size_t)n_row * size, from + (size_t)r * size, size);
            n_row++;
        }
        part->row_of[i] = b->number[r];
        part->weight[b->number[r]]++;
    }
    part->embedding = *rows;
    part->embedding.n_policy = n;
    part->embedding.n_row = n_row;
    part->embedding.row_of = part->row_of;
    part->embedding.weight = part->weight;
    part->embedding.first = part->first;
    part->embedding.policy = NULL;
    part->embedding.small = rows->small != NULL ? part->code : NULL;
    part->embedding.code = rows->small != NULL ? NULL : part->code;
    return n_row > 1;
}

/* Puts a cluster of `clusters`, whose policies begin at `begin` of the grove, at its end. */
static void add_twig(sonde__grove *grove, const sonde_clusters *clusters, int32_t c, int32_t begin,
                     int32_t level, int32_t root) {
    const int32_t representative = clusters->representative[c];
    grove->twig[grove->n++] = (sonde__twig){
        .begin = begin + clusters->offset[c],
        .end = begin + clusters->offset[c + 1],
        .representative = representative,
        .level = level,
        .root = root,
    };
}

/* Clusters the members of twig i; its own clusters go to the end of the grove. */
static sonde_status divide(sonde__search *search, sonde__grove *grove, int32_t i, int32_t origin) {
    sonde__branching *b = &search->branching;
    const sonde_embedding *rows = sonde__cluster_rows(search);
    sonde__twig *twig = &grove->twig[i];
    if (!part_of(b, rows, grove, twig)) {
        return SONDE_OK;
    }
    sonde_run run = search->run;
    run.shelf = NULL; /* which knows the clusters of whole origins */
    sonde_cluster_settings settings = search->settings.cluster;
    settings.keep_empty = false;
    settings.stream = ((uint64_t)i + 1) << 24 | (uint64_t)(origin + 1);
    const sonde_status status = sonde__clusters_fill(&b->part.embedding, &settings, &run,
                                                     search->survey.cluster_scratch, &b->parts);
    const sonde_clusters *parts = &b->parts.clusters;
    if (status != SONDE_OK || parts->k < 2) {
        return status;
    }
    const int32_t n = twig->end - twig->begin;
    int32_t *member = grove->member + twig->begin;
    memcpy(b->member, member, (size_t)n * sizeof *member);
    for (int32_t j = 0; j < n; j++) {
        member[j] = b->member[parts->member[j]];
    }
    twig->child = grove->n;
    twig->n_child = parts->k;
    for (int32_t c = 0; c < parts->k; c++) {
        add_twig(grove, parts, c, twig->begin, twig->level + 1, twig->root);
        sonde__twig *made = &grove->twig[grove->n - 1];
        made->representative = made->representative >= 0 ? b->member[made->representative] : -1;
    }
    return SONDE_OK;
}

/* The tree of an origin, level by level. */
static sonde_status grow(sonde__search *search, int32_t origin) {
    sonde__grove *grove = grove_of(search, origin);
    const sonde_clusters *clusters = sonde__cluster_show(search, origin);
    const double began = sonde__seconds();
    sonde_status status = SONDE_OK;
    grove->n = 0;
    memcpy(grove->member, clusters->member, (size_t)clusters->n_policy * sizeof *grove->member);
    for (int32_t c = 0; c < clusters->k; c++) {
        add_twig(grove, clusters, c, 0, 1, c);
    }
    for (int32_t i = 0; i < grove->n && status == SONDE_OK; i++) {
        if (grove->twig[i].level < search->settings.n_depth) {
            status = divide(search, grove, i, origin);
        }
    }
    grove->filled = status == SONDE_OK;
    search->survey.setup.cluster_seconds += sonde__seconds() - began;
    return status;
}

sonde_status sonde__tree_prepare(sonde__search *search, int32_t origin) {
    sonde__grove *grove = grove_of(search, origin);
    sonde_status status = sonde__cluster_prepare(search, origin);
    if (status != SONDE_OK || (grove->filled && !sonde__embed_moves(search->settings.embed.kind))) {
        return status;
    }
    if (search->settings.n_depth > 1) {
        status = sonde__cluster_embed(search, origin);
    }
    return status == SONDE_OK ? grow(search, origin) : status;
}

/* Probes n clusters that stand side by side and opens them. */
static void probe(sonde__search *search, sonde__grove *grove, int32_t first, int32_t n,
                  sonde_present now) {
    sonde__group *group = search->survey.group;
    for (int32_t c = 0; c < n; c++) {
        const sonde__twig *twig = &grove->twig[first + c];
        group[c] = (sonde__group){.member = grove->member + twig->begin,
                                  .n = twig->end - twig->begin,
                                  .representative = twig->representative};
    }
    sonde__cluster_survey(search, group, n, now);
    for (int32_t c = 0; c < n; c++) {
        grove->twig[first + c].value = group[c].value;
        grove->twig[first + c].open = !isnan(group[c].value);
    }
}

/* The open cluster with the smallest value, the lowest of several; -1 when none is left. */
static int32_t best_twig(const sonde__grove *grove) {
    int32_t best = -1;
    for (int32_t i = 0; i < grove->n; i++) {
        const double value = grove->twig[i].value;
        if (grove->twig[i].open && (best < 0 || sonde__is_below(value, grove->twig[best].value))) {
            best = i;
        }
    }
    return best;
}

/* Goes down the tree, and marks what is to be scored; returns how many policies. */
static uint64_t descend(sonde__search *search, sonde__grove *grove, sonde_present now) {
    const uint64_t budget = search->settings.budget;
    const uint64_t horizon = (uint64_t)search->policies->horizon;
    uint64_t n_taken = 0;
    int32_t n_searched = 0;
    while (budget > 0 || n_searched < search->settings.n_top) {
        const int32_t i = best_twig(grove);
        const uint64_t used = search->decision.evaluations.n_step + n_taken * horizon;
        const uint64_t left = budget == 0 ? UINT64_MAX : (budget - used) / horizon;
        if (i < 0 || left == 0) {
            break;
        }
        sonde__twig *twig = &grove->twig[i];
        twig->open = false;
        /* its own clusters, unless there is nothing left for scoring after that */
        if (twig->n_child > 0 && left > probe_steps(search, twig->n_child) / horizon) {
            probe(search, grove, twig->child, twig->n_child, now);
            continue;
        }
        const uint64_t n = (uint64_t)(twig->end - twig->begin);
        twig->n_taken = (int32_t)(n < left ? n : left);
        n_taken += (uint64_t)twig->n_taken;
        n_searched++;
        search->survey.chosen[twig->root] = true;
    }
    return n_taken;
}

sonde_status sonde__tree_choose(sonde__search *search, int32_t origin, sonde_present now) {
    sonde__grove *grove = grove_of(search, origin);
    const int32_t k = sonde__cluster_show(search, origin)->k;
    for (int32_t i = 0; i < grove->n; i++) {
        grove->twig[i].open = false;
        grove->twig[i].n_taken = 0;
    }
    probe(search, grove, 0, k, now);
    for (int32_t c = 0; c < k; c++) {
        search->survey.cluster_efe[c] = grove->twig[c].value;
        search->survey.chosen[c] = false;
    }
    return descend(search, grove, now) > 0 ? SONDE_OK : SONDE_EMPTY_CLUSTER;
}

sonde_status sonde__tree_visit(sonde__search *search, int32_t origin, sonde_present now,
                               sonde__visitor visitor, void *context) {
    const sonde__grove *grove = grove_of(search, origin);
    sonde__scorer_start(&search->scorer, search->policies, origin, now);
    for (int32_t i = 0; i < grove->n; i++) {
        const sonde__twig *twig = &grove->twig[i];
        const sonde__group group = {.member = grove->member + twig->begin,
                                    .n = twig->end - twig->begin,
                                    .n_most = twig->n_taken};
        if (sonde__stopped(&search->run)) {
            return SONDE_STOPPED;
        }
        sonde__group_visit(search, &group, visitor, context);
    }
    return SONDE_OK;
}

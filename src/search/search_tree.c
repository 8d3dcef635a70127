/* search_tree.c: clusters of clusters, searched best first.
 *
 * The clusters of clustered search are the first level of a tree; the members of each are
 * clustered again, and so on, `depth` levels in all, wherever there are rows left to tell apart. A
 * decision goes down from the top:
 *
 *     1. probe the clusters of the first level
 *     2. take the open cluster with the smallest value. If it is divided, probe its own clusters,
 *        which are open from then on; if not, score its members
 *     3. back to 2, until `top` clusters have been scored; or, where there is a budget, until that
 *     is used
 *
 * With one level and no budget that is clustered search to the byte. A tree is made on the first
 * visit of its origin: as much k-means again for each level. Its members are one list, in which
 * those of a cluster stand side by side, so that a cluster is a stretch of it, at every level. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/numbers.h"
#include "search/search_survey.h"

/* a cluster of a tree */
typedef struct {
    int32_t begin; /* its members, in the list of the tree */
    int32_t end;
    int32_t representative; /* as the clusters call it; -1: none */
    int32_t level;          /* from 1 */
    int32_t root;           /* the cluster of the first level that it is part of */
    int32_t child;          /* the first of its own clusters, which stand side by side */
    int32_t n_child;        /* 0: it is not divided */
    double value;           /* what the last probe gave */
    bool open;              /* it has been probed and not been taken yet */
    int32_t n_taken;        /* members that the present decision scores */
} cluster_node;
/* the tree of an origin */
typedef struct {
    bool filled;
    int32_t n;
    cluster_node *node; /* level by level */
    int32_t *member;    /* (n_policy) */
} cluster_tree;
typedef struct {
    sonde__survey survey;  /* first: the state of all searches by clusters begins so */
    cluster_tree *tree;    /* (n_origin), or one in global scope */
    sonde__embedding part; /* the rows of one cluster, */
    sonde__clusters parts; /* and what it is divided into */
    int32_t *number;       /* (n_row) of rows within the part */
    int32_t *member;       /* (n_policy) scratch */
} trees;

/* The tree of the decision's origin. */
static cluster_tree *find_tree(const sonde__search *search) {
    const trees *b = search->state;
    return &b->tree[sonde__search_is_local(search) ? search->decision.origin : 0];
}

/* Steps that probing n clusters takes at most. */
static uint64_t probe_steps(const sonde__search *search, int32_t n) {
    const bool one = search->settings.probe == SONDE_PROBE_CENTER;
    return sonde__multiply(
        sonde__multiply((uint64_t)n, one ? 1 : (uint64_t)search->settings.n_sample),
        (uint64_t)search->policies->horizon);
}

static sonde_status open(sonde__search *search, sonde_error *error) {
    trees *b = search->state;
    sonde_search_settings *settings = &search->settings;
    b->survey.probes_parts = true;
    if (settings->n_branch > 0) {
        settings->cluster.k = settings->n_branch;
    }
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
    return sonde__survey_open_rows(search, error);
}

/* How many clusters the tree of n policies can have: those below the first level have company,
 * so there are fewer than twice as many as policies. */
static uint64_t most_nodes(const sonde__search *search, uint64_t n) {
    const uint64_t k = (uint64_t)search->settings.cluster.k;
    uint64_t level = k;
    uint64_t below = 0;
    for (int32_t d = 1; d < search->settings.n_depth && below < 2 * n; d++) {
        level = sonde__multiply(level, k);
        below = sonde__add(below, level);
    }
    return sonde__add(k, below < 2 * n ? below : 2 * n);
}

static void carve(sonde__search *search, sonde__arena *arena) {
    const sonde_policies *policies = search->policies;
    trees *b = search->state;
    const sonde_embedder *embedder = b->survey.embedder;
    const uint64_t largest = sonde__survey_largest(search);
    const sonde_embedding *rows = b->survey.rows;
    const uint64_t n_row = rows != NULL ? (uint64_t)rows->n_row : largest;
    const bool divided = search->settings.n_depth > 1;
    sonde__survey_carve(search, arena);
    const int32_t n_tree = sonde__search_is_local(search) ? policies->n_origin : 1;
    b->tree = SONDE__TAKE(arena, cluster_tree, n_tree);
    for (int32_t s = 0; s < n_tree; s++) {
        const bool local = sonde__search_is_local(search);
        const uint64_t n = sonde__survey_count(search, local ? s : SONDE_EVERYWHERE);
        cluster_tree tree = {0};
        tree.node = SONDE__TAKE(arena, cluster_node, most_nodes(search, n));
        tree.member = SONDE__TAKE(arena, int32_t, n);
        if (b->tree != NULL) {
            b->tree[s] = tree;
        }
    }
    b->member = SONDE__TAKE(arena, int32_t, divided ? largest : 0);
    b->number = SONDE__TAKE(arena, int32_t, divided ? n_row : 0);
    if (divided) {
        sonde__embedding_carve(arena, embedder, largest, n_row, &b->part);
        sonde__clusters_carve(arena, largest, embedder->n_column, search->settings.cluster.k,
                              &b->parts);
    }
    if (divided && !sonde__search_is_local(search)) {
        b->survey.cluster_scratch = sonde__cluster_scratch_carve(
            arena, (int32_t)n_row, embedder, &search->settings.cluster, search->run.n_thread);
    }
}

/* The members of a cluster as an embedding of their own; false where their rows are all the
 * same. */
static bool part_of(trees *b, const sonde_embedding *rows, const cluster_tree *tree,
                    const cluster_node *node) {
    sonde__embedding *part = &b->part;
    const int32_t n = node->end - node->begin;
    const size_t size = (size_t)rows->n_code * (rows->small != NULL ? 1 : sizeof(double));
    const char *from = rows->small != NULL ? (const char *)rows->small : (const char *)rows->code;
    int32_t n_row = 0;
    for (int32_t i = 0; i < n; i++) {
        b->number[rows->row_of[tree->member[node->begin + i]]] = -1;
    }
    for (int32_t i = 0; i < n; i++) {
        const int32_t r = rows->row_of[tree->member[node->begin + i]];
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

/* Puts a cluster of `clusters`, whose policies begin at `begin` of the tree, at its end. */
static void add_node(cluster_tree *tree, const sonde_clusters *clusters, int32_t c, int32_t begin,
                     int32_t level, int32_t root) {
    const int32_t representative = clusters->representative[c];
    tree->node[tree->n++] = (cluster_node){
        .begin = begin + clusters->offset[c],
        .end = begin + clusters->offset[c + 1],
        .representative = representative,
        .level = level,
        .root = root,
    };
}

/* Clusters the members of node i; its own clusters go to the end of the tree. */
static sonde_status divide(const sonde__search *search, cluster_tree *tree, int32_t i) {
    trees *b = search->state;
    const sonde_embedding *rows = sonde__survey_rows(search);
    cluster_node *node = &tree->node[i];
    if (!part_of(b, rows, tree, node)) {
        return SONDE_OK;
    }
    sonde_run run = search->run;
    run.shelf = NULL; /* which knows the clusters of whole origins */
    sonde_cluster_settings settings = search->settings.cluster;
    settings.keep_empty = false;
    settings.stream = ((uint64_t)i + 1) << 24 | (uint64_t)(search->decision.origin + 1);
    const sonde_status status = sonde__clusters_fill(&b->part.embedding, &settings, &run,
                                                     b->survey.cluster_scratch, &b->parts);
    const sonde_clusters *parts = &b->parts.clusters;
    if (status != SONDE_OK || parts->k < 2) {
        return status;
    }
    const int32_t n = node->end - node->begin;
    int32_t *member = tree->member + node->begin;
    memcpy(b->member, member, (size_t)n * sizeof *member);
    for (int32_t j = 0; j < n; j++) {
        member[j] = b->member[parts->member[j]];
    }
    node->child = tree->n;
    node->n_child = parts->k;
    for (int32_t c = 0; c < parts->k; c++) {
        add_node(tree, parts, c, node->begin, node->level + 1, node->root);
        cluster_node *made = &tree->node[tree->n - 1];
        made->representative = made->representative >= 0 ? b->member[made->representative] : -1;
    }
    return SONDE_OK;
}

/* The tree of an origin, level by level. */
static sonde_status grow(sonde__search *search) {
    cluster_tree *tree = find_tree(search);
    const sonde_clusters *clusters = sonde__survey_show(search);
    const double began = sonde__seconds();
    sonde_status status = SONDE_OK;
    tree->n = 0;
    memcpy(tree->member, clusters->member, (size_t)clusters->n_policy * sizeof *tree->member);
    for (int32_t c = 0; c < clusters->k; c++) {
        add_node(tree, clusters, c, 0, 1, c);
    }
    for (int32_t i = 0; i < tree->n && status == SONDE_OK; i++) {
        if (tree->node[i].level < search->settings.n_depth) {
            status = divide(search, tree, i);
        }
    }
    tree->filled = status == SONDE_OK;
    search->setup.cluster_seconds += sonde__seconds() - began;
    return status;
}

static sonde_status prepare(sonde__search *search) {
    const cluster_tree *tree = find_tree(search);
    sonde_status status = sonde__survey_prepare(search);
    if (status != SONDE_OK || (tree->filled && !sonde__embed_moves(search->settings.embed.kind))) {
        return status;
    }
    if (search->settings.n_depth > 1) {
        status = sonde__survey_embed(search);
    }
    return status == SONDE_OK ? grow(search) : status;
}

/* Probes n clusters that stand side by side and opens them. */
static void probe(sonde__search *search, cluster_tree *tree, int32_t first, int32_t n) {
    const trees *b = search->state;
    sonde__group *group = b->survey.group;
    for (int32_t c = 0; c < n; c++) {
        const cluster_node *node = &tree->node[first + c];
        group[c] = (sonde__group){.member = tree->member + node->begin,
                                  .n = node->end - node->begin,
                                  .representative = node->representative};
    }
    sonde__survey_probe(search, group, n);
    for (int32_t c = 0; c < n; c++) {
        tree->node[first + c].value = group[c].value;
        tree->node[first + c].open = !isnan(group[c].value);
    }
}

/* The open cluster with the smallest value, the lowest of several; -1 when none is left. */
static int32_t best_node(const cluster_tree *tree) {
    int32_t best = -1;
    for (int32_t i = 0; i < tree->n; i++) {
        const double value = tree->node[i].value;
        if (tree->node[i].open && (best < 0 || sonde__is_below(value, tree->node[best].value))) {
            best = i;
        }
    }
    return best;
}

/* Goes down the tree, and marks what is to be scored; returns how many policies. */
static uint64_t descend(sonde__search *search, cluster_tree *tree) {
    const trees *b = search->state;
    const uint64_t budget = search->settings.budget;
    const uint64_t horizon = (uint64_t)search->policies->horizon;
    uint64_t n_taken = 0;
    int32_t n_searched = 0;
    while (budget > 0 || n_searched < search->settings.n_top) {
        const int32_t i = best_node(tree);
        const uint64_t used = search->decision.evaluations.n_step + n_taken * horizon;
        const uint64_t left = budget == 0 ? UINT64_MAX : (budget - used) / horizon;
        if (i < 0 || left == 0) {
            break;
        }
        cluster_node *node = &tree->node[i];
        node->open = false;
        /* its own clusters, unless there is nothing left for scoring after that */
        if (node->n_child > 0 && left > probe_steps(search, node->n_child) / horizon) {
            probe(search, tree, node->child, node->n_child);
            continue;
        }
        const uint64_t n = (uint64_t)(node->end - node->begin);
        node->n_taken = (int32_t)(n < left ? n : left);
        n_taken += (uint64_t)node->n_taken;
        n_searched++;
        b->survey.chosen[node->root] = true;
    }
    return n_taken;
}

static sonde_status decide(sonde__search *search) {
    const trees *b = search->state;
    cluster_tree *tree = find_tree(search);
    const int32_t k = sonde__survey_show(search)->k;
    for (int32_t i = 0; i < tree->n; i++) {
        tree->node[i].open = false;
        tree->node[i].n_taken = 0;
    }
    probe(search, tree, 0, k);
    for (int32_t c = 0; c < k; c++) {
        b->survey.cluster_efe[c] = tree->node[c].value;
        b->survey.chosen[c] = false;
    }
    return descend(search, tree) > 0 ? sonde__search_add(search) : SONDE_EMPTY_CLUSTER;
}

static sonde_status visit(sonde__search *search, sonde__visitor visitor, void *context) {
    const cluster_tree *tree = find_tree(search);
    sonde__survey_start(search, search->decision.origin);
    for (int32_t i = 0; i < tree->n; i++) {
        const cluster_node *node = &tree->node[i];
        const sonde__group group = {.member = tree->member + node->begin,
                                    .n = node->end - node->begin,
                                    .n_most = node->n_taken};
        if (sonde__stopped(&search->run)) {
            return SONDE_STOPPED;
        }
        sonde__group_visit(search, &group, visitor, context);
    }
    return SONDE_OK;
}

const sonde__method sonde__tree = {.size = sizeof(trees),
                                   .grounds = SONDE__GROUNDS_CLUSTERS,
                                   .open = open,
                                   .bytes = sonde__survey_bytes,
                                   .carve = carve,
                                   .prepare = prepare,
                                   .decide = decide,
                                   .visit = visit,
                                   .explain = sonde__survey_explain,
                                   .forget = sonde__survey_forget,
                                   .close = sonde__survey_close};

/* search_members.c: members of the chosen clusters that nobody has listed.
 *
 * Clusters of a sample divide the whole space: a policy belongs to the cluster whose centre its
 * row is nearest to. More members of the chosen ones are found by drawing from the space, each
 * policy as likely as any other, and keeping those that belong and are not in the sample; what is
 * kept is a uniform sample of the rest of these clusters, each policy once. Drawing ends when as
 * many as wanted are kept or, since a cluster may have no more, after 8 k draws for each of those.
 *
 * A draw costs a row and its distances from k centres; what is kept is scored like any member. */
#include <math.h>

#include "base/rng.h"
#include "search/search_survey.h"

enum { DRAWS = 8, LOOK = 1024 };
#define TIE 1e-9

sonde_status sonde__members_check(const sonde__search *search, sonde_error *error) {
    const sonde_search_settings *settings = &search->settings;
    if (settings->n_member > 0 && settings->embed.n_sample == 0) {
        return sonde__fail(error, SONDE_BAD_ARGUMENT,
                           "members: they are drawn where clusters are those of a sample of the "
                           "policies, and here all are listed; give a policy sample, or leave it "
                           "out");
    }
    return SONDE_OK;
}

void sonde__members_carve(sonde__search *search, sonde__arena *arena) {
    sonde__survey *survey = search->state;
    sonde__members *members = &survey->members;
    const sonde_embedder *embedder = survey->embedder;
    const bool wanted = search->settings.n_member > 0;
    members->policy = SONDE__TAKE(arena, uint64_t, search->settings.n_member);
    members->walk = SONDE__TAKE(arena, int32_t, wanted ? search->policies->horizon + 1 : 0);
    members->code = SONDE__TAKE(arena, double, wanted ? embedder->n_room : 0);
    members->row = SONDE__TAKE(arena, double, wanted ? embedder->n_column : 0);
}

/* The cluster whose centre is nearest to a row, the lowest of several. */
static int32_t cluster_of(const sonde_clusters *clusters, const double *row) {
    int32_t nearest = 0;
    double least = INFINITY;
    for (int32_t c = 0; c < clusters->k; c++) {
        const double *center = clusters->center + (int64_t)c * clusters->n_column;
        double sum = 0.0;
        for (int32_t j = 0; j < clusters->n_column; j++) {
            sum += (row[j] - center[j]) * (row[j] - center[j]);
        }
        if (sum < least * (1.0 - TIE)) {
            least = sum;
            nearest = c;
        }
    }
    return nearest;
}

/* Whether a policy is one of the sample, whose indices ascend. */
static bool is_listed(const sonde_clusters *clusters, uint64_t policy) {
    int32_t low = 0;
    int32_t high = clusters->n_policy;
    while (low < high) {
        const int32_t middle = low + (high - low) / 2;
        const bool below = clusters->policy[middle] < policy;
        low = below ? middle + 1 : low;
        high = below ? high : middle;
    }
    return low < clusters->n_policy && clusters->policy[low] == policy;
}

/* Whether a policy is a member of a chosen cluster. */
static bool belongs(const sonde__search *search, uint64_t policy) {
    const sonde__survey *survey = search->state;
    const sonde__members *members = &survey->members;
    sonde__policies_get(search->policies, search->decision.origin, policy, members->walk);
    sonde__embed_code(survey->embedder, members->walk, members->code);
    sonde__embed_row(survey->embedder, members->code, members->row);
    return survey->chosen[cluster_of(search->decision.clusters, members->row)];
}

sonde_status sonde__members_generate(sonde__search *search) {
    sonde__survey *survey = search->state;
    sonde__members *members = &survey->members;
    sonde_decision *decision = &search->decision;
    const sonde_clusters *clusters = decision->clusters;
    const uint64_t wanted = (uint64_t)search->settings.n_member;
    const uint64_t size = sonde_policies_size(search->policies, decision->origin);
    const uint64_t limit = sonde__multiply((uint64_t)DRAWS * (uint64_t)clusters->k, wanted);
    uint64_t n = 0;
    uint64_t n_drawn = 0;
    decision->n_sampled = clusters->policy != NULL ? clusters->n_policy : 0;
    while (clusters->policy != NULL && n < wanted && n_drawn < limit) {
        for (; n < wanted && n_drawn < limit; n_drawn++) {
            const uint64_t policy = sonde__rng_below(&search->probe_rng, size);
            if (!is_listed(clusters, policy) && belongs(search, policy)) {
                members->policy[n++] = policy;
            }
            if (n_drawn % LOOK == 0 && sonde__stopped(&search->run)) {
                return SONDE_STOPPED;
            }
        }
        n = sonde__indices_sort(members->policy, n);
    }
    decision->n_generated = (int32_t)n;
    decision->generated = n > 0 ? members->policy : NULL;
    decision->n_drawn = n_drawn;
    if (sonde__embed_scores(search->settings.embed.kind)) {
        decision->evaluations.n_setup_step += n_drawn * (uint64_t)search->policies->horizon;
    }
    return SONDE_OK;
}

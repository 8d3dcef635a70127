/* paper_differences.c: what the authors' notebook does otherwise than the paper's text says,
 * carried out on the settings of a search. */
#include <inttypes.h>

#include "base/settings.h"
#include "sonde_lab.h"
#include "sonde_settings.h"

static const struct {
    const char *name;
    const char *about;
} list[] = {
#define ROW(code, name, sentence) {name, sentence},
    SONDE_DIFFERENCE_LIST(ROW)
#undef ROW
};

const char *sonde_difference_name(int32_t difference) {
    return difference >= 0 && difference < SONDE_DIFFERENCE_COUNT ? list[difference].name : NULL;
}

const char *sonde_difference_about(int32_t difference) {
    return difference >= 0 && difference < SONDE_DIFFERENCE_COUNT ? list[difference].about : NULL;
}

const char *sonde_semantics_name(uint32_t differences) {
    return differences == SONDE_SEMANTICS_TEXT       ? "text"
           : differences == SONDE_SEMANTICS_NOTEBOOK ? "notebook"
                                                     : "mixed";
}

static bool has(uint32_t differences, sonde_difference difference) {
    return (differences >> difference & 1u) != 0;
}

static int32_t embedding(const char *name) {
    return sonde_name_find(sonde_embedding_name, name);
}

void sonde_differences_apply(uint32_t differences, int32_t k_before,
                             sonde_search_settings *settings) {
    int32_t *kind = &settings->embed.kind;
    sonde_cluster_settings *cluster = &settings->cluster;
    /* in a graph world, boe is what an embedding is by default */
    if (has(differences, SONDE_DIFFERENCE_BOE) &&
        (*kind == embedding("boe") || *kind == SONDE_EMBEDDING_DEFAULT)) {
        *kind = embedding("boe-set");
    } else if (has(differences, SONDE_DIFFERENCE_ABOE) && *kind == embedding("aboe")) {
        *kind = embedding("aboe-edges");
    }
    if (has(differences, SONDE_DIFFERENCE_LAG)) {
        cluster->k = k_before;
    }
    cluster->nearest_of_all |= has(differences, SONDE_DIFFERENCE_NEAREST);
    cluster->keep_empty |= has(differences, SONDE_DIFFERENCE_EMPTY);
    cluster->seed_order |= has(differences, SONDE_DIFFERENCE_ORDER);
    settings->probe_everywhere |= has(differences, SONDE_DIFFERENCE_LOOKUP);
}

void sonde_differences_write(uint32_t differences, int32_t k_before, sonde_text *json) {
    const char *comma = "";
    sonde_text_add(json, "\"semantics\": \"%s\", \"differences\": [",
                   sonde_semantics_name(differences));
    for (int32_t i = 0; i < SONDE_DIFFERENCE_COUNT; i++) {
        if ((differences >> i & 1u) != 0) {
            sonde_text_add(json, "%s\"%s\"", comma, list[i].name);
            comma = ", ";
        }
    }
    sonde_text_add(json, "], \"k_before\": %" PRId32, k_before);
}

/* ------------------------------------------------------------------- beside other settings -- */

/* Whether the search makes clusters, which the paper is about: then it embeds policies. */
static bool makes_clusters(const sonde_search_settings *settings) {
    return sonde__setting_is_used(settings, sonde_setting_at(sonde_setting_find("embedding")));
}

bool sonde_differences_count(const sonde_search_settings *settings, uint32_t kinds) {
    return makes_clusters(settings) && (kinds == 0 || (kinds & SONDE_KIND_GRAPH) != 0);
}

/* Why what was named of the notebook has no effect. */
static sonde_status refuse(const sonde_reading *reading, const sonde_search_settings *settings,
                           uint32_t kinds, sonde_error *error) {
    const char *key = reading->named != NULL ? reading->named : "k_before";
    if (kinds == SONDE_KIND_GENERAL) {
        return sonde__fail_setting(
            error, key, "concerns graph worlds, and this is a general model; leave it out");
    }
    if (!makes_clusters(settings)) {
        return sonde__fail_setting(error, key,
                                   "goes with search cluster, surrogate or tree only, and the "
                                   "search is %s; choose that, or leave it out",
                                   sonde_plan_search_name((int32_t)settings->search));
    }
    return sonde__fail_setting(error, "k_before",
                               "goes with differences lag or semantics notebook only; choose "
                               "that, or leave it out");
}

sonde_status sonde_differences_settle(const sonde_reading *reading, const bool *given,
                                      uint32_t kinds, sonde_search_settings *settings,
                                      sonde_error *error) {
    const bool named = reading->named != NULL || reading->k_before_named;
    const bool lags = has(reading->differences, SONDE_DIFFERENCE_LAG);
    const sonde_search_kind before = settings->search;
    sonde_status status = sonde_settings_settle(settings, given, kinds, error);
    if (status == SONDE_OK && named && !given[sonde_setting_find("search")] &&
        !makes_clusters(settings) && before == settings->search) {
        /* nobody named a search, and this goes with clusters */
        settings->search = sonde__search_with(SONDE__SCORES_CLUSTERS);
        status = sonde_settings_settle(settings, given, kinds, error);
    }
    if (status != SONDE_OK || !named) {
        return status;
    }
    const bool idle =
        !sonde_differences_count(settings, kinds) || (reading->k_before_named && !lags);
    return idle ? refuse(reading, settings, kinds, error) : SONDE_OK;
}

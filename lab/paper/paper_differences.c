/* paper_differences.c: what the authors' notebook does otherwise than the paper's text says, carried
 * out on the settings of a search. */
#include <inttypes.h>

#include "sonde_lab.h"

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

/* study_effects.c: what the settings of a condition mean together, and which change nothing.
 *
 * An object of a plan stands for many conditions. A setting that it gives must have an effect in
 * one of them at least; the rules are those of the table of settings, and so are the sentences. */
#include "base/settings.h"
#include "study/study_internal.h"

/* Whether the condition's search embeds policies. */
static bool embeds(const sonde_condition *condition) {
    return sonde__setting_is_used(&condition->search,
                                  sonde_setting_at(sonde_setting_find("embedding")));
}

/* The kinds of model that a condition runs on. */
static uint32_t kinds_of(const sonde_condition *condition) {
    uint32_t kinds = 0;
    for (int32_t i = 0; i < condition->n_size; i++) {
        kinds |= condition->size[i] > 0 ? SONDE_KIND_GRAPH : SONDE_KIND_GENERAL;
    }
    return kinds;
}

/* What one key alone cannot tell: settings that do not fit where the condition runs. The embedding
 * that nobody gave is that of the worlds, or of the models. */
static bool settle(sonde__reader *reader, int32_t at, sonde_condition *condition) {
    const uint32_t kinds = kinds_of(condition);
    const bool graphs = (kinds & SONDE_KIND_GRAPH) != 0;
    int32_t *kind = &condition->search.embed.kind;
    if (*kind == SONDE_EMBEDDING_DEFAULT) {
        if (kinds == SONDE_KIND_ANY && embeds(condition)) {
            return sonde__json_wrong(reader,
                                     "conditions[%d]: expected an embedding, found none; on graph "
                                     "worlds it would be boe, on models boa",
                                     at);
        }
        *kind = sonde_name_find(sonde_embedding_name, graphs ? "boe" : "boa");
    }
    if (condition->search.loop == SONDE_LOOP_CLOSED && graphs) {
        return sonde__json_wrong(reader,
                                 "conditions[%d].loop: closed is for general models; give the "
                                 "condition models, and no sizes",
                                 at);
    }
    if (condition->search.loop == SONDE_LOOP_OPEN &&
        sonde__search_has((int32_t)condition->search.search, SONDE__CLOSED_ONLY)) {
        return sonde__json_wrong(reader,
                                 "conditions[%d].search: %s is for closed loop; choose another, or "
                                 "loop closed",
                                 at, sonde_plan_search_name((int32_t)condition->search.search));
    }
    if (condition->search.fallback == (int32_t)condition->search.search) {
        return sonde__json_wrong(
            reader,
            "conditions[%d].fallback: %s is the search itself; choose another, "
            "or leave it out",
            at, sonde_search_name(condition->search.fallback));
    }
    if ((kinds & SONDE_KIND_GENERAL) != 0 && condition->horizon > 0) {
        return sonde__json_wrong(reader,
                                 "conditions[%d].horizon: expected it on graph worlds alone; a "
                                 "model has its horizon in worlds.models",
                                 at);
    }
    return true;
}

void sonde__effects_open(const json_t *object, sonde__effects *effects) {
    const sonde_setting *row;
    *effects = (sonde__effects){.lags = false};
    for (int32_t i = 0; (row = sonde_setting_at(i)) != NULL; i++) {
        effects->given[i] = json_object_get(object, row->key) != NULL;
    }
    effects->named = json_object_get(object, "semantics") != NULL     ? "semantics"
                     : json_object_get(object, "differences") != NULL ? "differences"
                                                                      : NULL;
}

/* Chooses the search that a combination means, if it names none, and notes what has an effect. */
static void note(sonde__effects *effects, sonde_condition *condition) {
    const uint32_t kinds = kinds_of(condition);
    const sonde_reading reading = {.differences = condition->differences,
                                   .k_before = condition->k_before,
                                   .named = effects->named};
    (void)sonde_differences_settle(&reading, effects->given, kinds, &condition->search, NULL);
    for (int32_t i = 0; sonde_setting_at(i) != NULL; i++) {
        effects->counts[i] |=
            effects->given[i] && sonde_setting_counts(&condition->search, i, kinds);
    }
    effects->lags |= (condition->differences >> SONDE_DIFFERENCE_LAG & 1u) != 0;
}

bool sonde__effects_note(sonde__reader *reader, int32_t at, sonde__effects *effects,
                         sonde_condition *condition) {
    note(effects, condition);
    return settle(reader, at, condition);
}

bool sonde__effects_check(sonde__reader *reader, int32_t at, const json_t *object,
                          const sonde__effects *effects, const sonde_condition *last) {
    const int32_t search = sonde_setting_find("search");
    for (int32_t i = 0; sonde_setting_at(i) != NULL; i++) {
        const bool idle = effects->given[i] && !effects->counts[i];
        if (i > 0 && !idle) {
            continue; /* what is left was settled with the first */
        }
        bool alone[SONDE_SETTINGS_MAX] = {[0] = false};
        sonde_search_settings settings = last->search;
        sonde_error error = {0};
        alone[search] = true;
        alone[i] = idle;
        if (sonde_settings_settle(&settings, alone, kinds_of(last), &error) != SONDE_OK) {
            return sonde__json_wrong(reader, "conditions[%d].%s", at, error.text);
        }
    }
    if (json_object_get(object, "k_before") != NULL && !effects->lags) {
        return sonde__json_wrong(reader,
                                 "conditions[%d].k_before: goes with differences lag or semantics "
                                 "notebook only; choose that, or leave it out",
                                 at);
    }
    return true;
}

/* settings_rules.c: what settings mean beside each other.
 *
 * Some concern a few searches alone, some one kind of model, some only go with others. Whoever
 * says how to cluster, and not how to search, wants clusters; a setting that changes nothing is
 * refused. */
#include <string.h>

#include "base/settings.h"

static bool has(uint32_t searches, int32_t search) {
    return sonde_plan_search_name(search) != NULL && (searches >> search & 1u) != 0;
}

/* Whether the search, or its fallback, is one of these. */
static bool searches_with(const sonde_search_settings *settings, uint32_t searches) {
    return has(searches, (int32_t)settings->search) || has(searches, settings->fallback);
}

bool sonde__setting_is_used(const sonde_search_settings *settings, const sonde_setting *row) {
    return row->searches == 0 || searches_with(settings, row->searches);
}

static const sonde_setting *row_of(const char *key) {
    return sonde_setting_at(sonde_setting_find(key));
}

/* Whether "a,b,c" has the word. */
static bool lists(const char *list, const char *word) {
    const size_t length = strlen(word);
    for (const char *at = list; at != NULL; at = strchr(at, ',')) {
        at += *at == ',';
        if (strncmp(at, word, length) == 0 && (at[length] == ',' || at[length] == '\0')) {
            return true;
        }
    }
    return false;
}

bool sonde__setting_has_company(const sonde_search_settings *settings, const sonde_setting *row) {
    if (row->with == NULL) {
        return true;
    }
    const sonde_setting *other = row_of(row->with);
    const double number = sonde__setting_number(settings, other);
    if (row->with_values == NULL) {
        return number != other->usual;
    }
    const char *name = other->names((int32_t)number);
    return name != NULL && lists(row->with_values, name);
}

/* Whether another setting takes its place in all searches that would use it. */
static bool is_replaced(const sonde_search_settings *settings, const sonde_setting *row) {
    if (row->unless == NULL || !searches_with(settings, row->unless_searches) ||
        searches_with(settings, row->searches & ~row->unless_searches)) {
        return false;
    }
    const sonde_setting *other = row_of(row->unless);
    return sonde__setting_number(settings, other) != other->usual;
}

static bool fits(const sonde_setting *row, uint32_t kinds) {
    return row->kinds == 0 || kinds == 0 || (row->kinds & kinds) != 0;
}

bool sonde_setting_counts(const sonde_search_settings *settings, int32_t i, uint32_t kinds) {
    const sonde_setting *row = sonde_setting_at(i);
    return row != NULL && sonde__setting_is_used(settings, row) &&
           sonde__setting_has_company(settings, row) && !is_replaced(settings, row) &&
           fits(row, kinds);
}

/* ------------------------------------------------------------------- which search is meant -- */

/* The searches that a loop has. */
static uint32_t searches_of(sonde_loop loop) {
    uint32_t searches = 0;
    for (int32_t i = 0; sonde_plan_search_name(i) != NULL; i++) {
        const bool has = loop == SONDE_LOOP_CLOSED ? sonde__search_has(i, SONDE__CLOSED)
                                                   : !sonde__search_has(i, SONDE__CLOSED_ONLY);
        searches |= has ? 1u << i : 0;
    }
    return searches;
}

/* A setting that concerns one search alone means that one, the last of several such; one that
 * concerns several means the first of them. */
static void choose_search(sonde_search_settings *settings, const bool *given) {
    const uint32_t any = searches_of(settings->loop);
    const sonde_search_kind usual = (sonde_search_kind)row_of("search")->usual;
    const sonde_setting *row;
    uint32_t alone = 0;
    uint32_t several = 0;
    if (settings->loop == SONDE_LOOP_CLOSED && settings->search == usual) {
        const bool joint = settings->belief_kind == SONDE_BELIEF_JOINT;
        settings->search = sonde__search_with(joint ? SONDE__CHOOSES : SONDE__SCORES_ALL);
    }
    for (int32_t i = 0; (row = sonde_setting_at(i)) != NULL; i++) {
        if (given[i] && sonde__setting_is_set(settings, row) &&
            !sonde__setting_is_used(settings, row)) {
            const uint32_t some = row->searches & any;
            alone |= (some & (some - 1)) == 0 ? some : 0;
            several |= some;
        }
    }
    if (alone != 0) {
        settings->search = (sonde_search_kind)(31 - __builtin_clz(alone));
    } else if (several != 0) {
        settings->search = (sonde_search_kind)__builtin_ctz(several);
    }
}

/* ---------------------------------------------------------------------- what changes nothing -- */

/* "search cluster, tree or surrogate" */
static void add_searches(uint32_t searches, sonde_text *text) {
    const char *before = "search ";
    for (int32_t i = 0; sonde_plan_search_name(i) != NULL; i++) {
        if ((searches >> i & 1u) != 0) {
            sonde_text_add(text, "%s%s", before, sonde_plan_search_name(i));
            const uint32_t rest = searches >> i >> 1;
            before = (rest & (rest - 1)) != 0 ? ", " : " or ";
        }
    }
}

/* "probe sample or adaptive", "policy_sample" */
static void add_company(const sonde_setting *row, sonde_text *text) {
    sonde_text_add(text, "%s", row->with);
    const char *before = " ";
    for (const char *at = row->with_values; at != NULL && *at != '\0';) {
        const size_t length = strcspn(at, ",");
        sonde_text_add(text, "%s%.*s", before, (int)length, at);
        before = strchr(at + length + (at[length] == ','), ',') != NULL ? ", " : " or ";
        at += length + (at[length] == ',');
    }
}

static sonde_status idle(const sonde_search_settings *settings, const sonde_setting *row,
                         sonde_error *error) {
    sonde_text with = {0};
    const bool elsewhere = row->searches != 0 && (row->searches & searches_of(settings->loop)) == 0;
    const bool used = sonde__setting_is_used(settings, row);
    if (used && sonde__setting_has_company(settings, row)) {
        return sonde__fail_setting(error, row->key,
                                   "gives way to %s, which is given, too; leave one of them out",
                                   row->unless);
    }
    if (elsewhere) {
        const sonde_loop other =
            settings->loop == SONDE_LOOP_CLOSED ? SONDE_LOOP_OPEN : SONDE_LOOP_CLOSED;
        sonde_text_add(&with, "loop %s only", sonde_loop_name((int32_t)other));
    } else if (!used) {
        add_searches(row->searches & searches_of(settings->loop), &with);
        sonde_text_add(&with, " only, and the search is %s",
                       sonde_plan_search_name((int32_t)settings->search));
    } else {
        add_company(row, &with);
        sonde_text_add(&with, " only");
    }
    const sonde_status status =
        sonde__fail_setting(error, row->key, "goes with %s; choose that, or leave it out",
                            with.data != NULL ? with.data : "another search");
    sonde_text_free(&with);
    return status;
}

static sonde_status misplaced(const sonde_setting *row, sonde_error *error) {
    return sonde__fail_setting(error, row->key, "concerns %s; leave it out",
                               row->kinds == SONDE_KIND_GRAPH
                                   ? "graph worlds, and this is a general model"
                                   : "general models, and this is a graph world");
}

sonde_status sonde__setting_fits(const sonde_search_settings *settings, const char *key,
                                 uint32_t kind, sonde_error *error) {
    const sonde_setting *row = row_of(key);
    return fits(row, kind) || sonde__setting_number(settings, row) == row->usual
               ? SONDE_OK
               : misplaced(row, error);
}

sonde_status sonde__settings_check_searches(const sonde_search_settings *settings,
                                            sonde_error *error) {
    if (settings->loop != SONDE_LOOP_CLOSED &&
        sonde__search_has((int32_t)settings->search, SONDE__CLOSED_ONLY)) {
        return sonde__fail_setting(error, "search",
                                   "%s is for closed loop; choose another, or loop closed",
                                   sonde_plan_search_name((int32_t)settings->search));
    }
    if (settings->fallback == SONDE_OWN) {
        return sonde__fail_setting(error, "fallback",
                                   "one of your own decides first, and not after another; give it "
                                   "as the search");
    }
    if (settings->fallback != (int32_t)settings->search) {
        return SONDE_OK;
    }
    return sonde__fail_setting(error, "fallback",
                               "%s is the search itself; choose another, or leave it out",
                               sonde_search_name(settings->fallback));
}

sonde_status sonde_settings_settle(sonde_search_settings *settings, const bool *given,
                                   uint32_t kinds, sonde_error *error) {
    const sonde_status status = sonde__settings_check(settings, error);
    if (status != SONDE_OK) {
        return status;
    }
    if (given == NULL) {
        return SONDE_OK;
    }
    if (!given[sonde_setting_find("search")]) {
        choose_search(settings, given);
    }
    if (settings->gap > 0.0 && !given[sonde_setting_find("epsilon")]) {
        settings->epsilon = 0.0; /* it would stop the search before */
    }
    const sonde_status two = sonde__settings_check_searches(settings, error);
    if (two != SONDE_OK) {
        return two;
    }
    const sonde_setting *row;
    for (int32_t i = 0; (row = sonde_setting_at(i)) != NULL; i++) {
        /* what is not set says as much as nothing does */
        if (!given[i] || !sonde__setting_is_set(settings, row) ||
            sonde_setting_counts(settings, i, kinds)) {
            continue;
        }
        /* the kind of a model comes last: the command learns it after everything else */
        return sonde_setting_counts(settings, i, 0) ? misplaced(row, error)
                                                    : idle(settings, row, error);
    }
    const bool known = kinds == SONDE_KIND_GRAPH || kinds == SONDE_KIND_GENERAL;
    if (known && settings->embed.kind == SONDE_EMBEDDING_DEFAULT) {
        settings->embed.kind = sonde__embedding_usual(kinds);
    }
    return SONDE_OK;
}

/* search_bounded.c: the posterior from as few policies as it takes, with a certificate of how
 * close it is.
 *
 * In a graph world it is exact (search_bounded_graph.c); on a general model it is a best-first
 * search with bounds (search_bounded_model.c); listed policies are simply scored. */
#include "search/search.h"

static bool has_graph(const sonde__search *search) {
    return search->policies->model->graph != NULL;
}

static bool is_listed(const sonde__search *search) {
    return !has_graph(search) && search->policies->place == NULL;
}

sonde_status sonde__bounded_check(const sonde__search *search, sonde_error *error) {
    if (search->settings.action == SONDE_ACTION_FULL) {
        return sonde__fail(
            error, SONDE_BAD_ARGUMENT,
            "action: full draws one policy of all, and bounded search does not look at "
            "all; choose marginal, which gives the same actions as often");
    }
    return SONDE_OK;
}

sonde_status sonde__bounded_open(sonde__search *search, sonde_error *error) {
    const bool pool = !has_graph(search) && !is_listed(search);
    return pool ? sonde__bounded_model_open(search, error) : SONDE_OK;
}

uint64_t sonde__bounded_bytes(const sonde__search *search) {
    return search->bounded.pool.size;
}

void sonde__bounded_close(sonde__search *search) {
    sonde__arena_free(&search->bounded.pool);
}

void sonde__bounded_carve(sonde__search *search, sonde__arena *arena) {
    if (has_graph(search)) {
        sonde__bounded_graph_carve(search, arena);
    } else if (!is_listed(search)) {
        sonde__bounded_model_carve(search, arena);
    }
}

sonde_status sonde__bounded_prepare(sonde__search *search, int32_t origin) {
    (void)origin;
    sonde__bounded *b = &search->bounded;
    if (!b->filled && has_graph(search)) {
        sonde__bounded_graph_fill(search);
    } else if (!b->filled && !is_listed(search)) {
        sonde__bounded_model_fill(search);
    }
    search->decision.evaluations.n_setup_step = b->filled ? 0 : b->n_setup_step;
    b->filled = true;
    return SONDE_OK;
}

sonde_status sonde__bounded_score(sonde__search *search, int32_t origin, sonde_present now) {
    if (has_graph(search)) {
        search->walk_is_known = true;
        return sonde__bounded_graph_score(search, origin, now.state);
    }
    if (!is_listed(search)) {
        search->walk_is_known = true;
        return sonde__bounded_model_score(search, origin, now.belief);
    }
    const sonde_status status =
        sonde__full_visit(search, origin, now, sonde__posterior_add, &search->posterior);
    sonde__evidence_all(search, true);
    return status;
}

/* infinite_graph.c: beliefs that were looked at, and trials through them.
 *
 * A trial goes from the present belief down: to the action that may be best, then to the outcome
 * that keeps its value most uncertain, until what is left does not matter for the first belief. On
 * the way back everything that it passed is made anew, and leaves behind a vector and a point, from
 * which all other beliefs of the block learn. A belief is one spot, whenever it is reached. */
#include <string.h>

#include "base/numbers.h"
#include "closed/infinite.h"

/* beliefs this close, summed over states, are the same */
#define SAME 1e-12
/* probabilities are rounded to some multiple of no round number, to find beliefs again */
#define GRAIN 318309.88618379067
#define PLACES_FIRST 1024
/* how much of what is between the bounds of a belief a point has to gain */
#define GAIN_LEAST 2e-2

void *sonde__infinite_take(sonde__infinite *all, uint64_t n, size_t size) {
    const uint64_t bytes = (sonde__multiply(n, size) + 15) / 16 * 16;
    if (bytes > all->size - all->used) {
        all->full = true;
        return NULL;
    }
    void *piece = all->room + all->used;
    all->used += bytes;
    return piece;
}

/* ------------------------------------------------------------------------------------- spots -- */

static uint64_t hash_of(sonde__local belief) {
    uint64_t hash = UINT64_C(0x9e3779b97f4a7c15) * ((uint64_t)belief.block + 1);
    for (int32_t i = 0; i < belief.n; i++) {
        const uint64_t grains = (uint64_t)(belief.p[i] * GRAIN + 0.5);
        if (grains > 0) {
            const uint64_t at = (uint64_t)(belief.at != NULL ? belief.at[i] : i);
            hash ^= at * UINT64_C(0xc2b2ae3d27d4eb4f) + grains;
            hash *= UINT64_C(0x9e3779b97f4a7c15);
            hash ^= hash >> 29;
        }
    }
    return hash;
}

static double distance(sonde__local a, sonde__local b) {
    if (a.block != b.block) {
        return 2.0;
    }
    if (a.at == NULL && b.at == NULL) {
        double sum = 0.0;
        for (int32_t i = 0; i < a.n && sum <= SAME; i++) {
            sum += fabs(a.p[i] - b.p[i]);
        }
        return sum;
    }
    if (a.at == NULL || b.at == NULL) {
        return 2.0; /* one thinks much more possible */
    }
    return sonde__support_distance((sonde__support){.n = a.n, .state = a.at, .p = a.p},
                                   (sonde__support){.n = b.n, .state = b.at, .p = b.p});
}

/* A larger table of places, where there is room for one. */
static void spread(sonde__infinite *all) {
    const uint64_t n_place = all->n_place > 0 ? 2 * all->n_place : PLACES_FIRST;
    sonde__site **table =
        all->n_place == 0 || all->size - all->used > 8 * all->worst + n_place * sizeof(void *)
            ? sonde__infinite_take(all, n_place, sizeof(void *))
            : NULL;
    if (table == NULL) {
        return;
    }
    memset(table, 0, (size_t)n_place * sizeof(void *));
    for (sonde__site *spot = all->last; spot != NULL; spot = spot->peer) {
        sonde__site **place = &table[spot->hash & (n_place - 1)];
        spot->next = *place;
        *place = spot;
    }
    all->table = table;
    all->n_place = n_place;
}

/* Room for a belief of its own. */
static bool keep_belief(sonde__infinite *all, sonde__local *belief) {
    double *p = sonde__infinite_take(all, (uint64_t)belief->n, sizeof *p);
    int32_t *at = p != NULL && belief->at != NULL
                      ? sonde__infinite_take(all, (uint64_t)belief->n, sizeof *at)
                      : NULL;
    if (p == NULL || (belief->at != NULL && at == NULL)) {
        return false;
    }
    memcpy(p, belief->p, (size_t)belief->n * sizeof *p);
    if (at != NULL) {
        memcpy(at, belief->at, (size_t)belief->n * sizeof *at);
    }
    belief->p = p;
    belief->at = at;
    return true;
}

/* A site, which nobody knows yet; NULL: there is no room. */
static sonde__site *make_site(sonde__infinite *all, sonde__local belief) {
    sonde__site *site = sonde__infinite_take(all, 1, sizeof *site);
    double *fast = site != NULL
                       ? sonde__infinite_take(all, (uint64_t)all->world->n_action, sizeof *fast)
                       : NULL;
    if (fast == NULL || !keep_belief(all, &belief)) {
        return NULL;
    }
    *site = (sonde__site){.belief = belief,
                          .entropy = sonde__local_entropy(all, belief),
                          .fast = fast,
                          .guess = {.lower = -(double)INFINITY, .upper = (double)INFINITY},
                          .mark = -1,
                          .mark_depth = -1};
    sonde__fast_weigh(all, belief, fast);
    site->base = sonde__fast_value(all, fast, 1.0);
    site->said = site->base;
    return site;
}

static sonde__site *add_spot(sonde__infinite *all, sonde__local belief, uint64_t hash,
                             const sonde__guess *guess) {
    sonde__site *site = make_site(all, belief);
    if (site == NULL) {
        return NULL;
    }
    if (guess != NULL) {
        site->guess = *guess;
    }
    sonde__site **place = &all->table[hash & (all->n_place - 1)];
    site->hash = hash;
    site->next = *place;
    site->peer = all->last;
    *place = site;
    all->last = site;
    all->n_spot++;
    all->n_found++;
    return site;
}

bool sonde__graph_install(sonde__infinite *all, sonde__support belief, double value) {
    const sonde__local local = sonde__local_of(all, belief);
    sonde__site *site = make_site(all, local);
    sonde__patch *block = &all->block[local.block];
    if (site != NULL && value > site->base) {
        site->said = value;
        site->told = block->told;
        block->told = site;
    }
    return site != NULL;
}

sonde__site *sonde__graph_spot(sonde__infinite *all, sonde__support belief,
                               const sonde__guess *guess) {
    const sonde__local local = sonde__local_of(all, belief);
    const uint64_t hash = hash_of(local);
    if (all->n_place == 0 || all->n_spot > 2 * all->n_place) {
        spread(all);
    }
    if (all->n_place == 0 || !sonde__vectors_begin(all, local.block)) {
        return NULL;
    }
    for (sonde__site *spot = all->table[hash & (all->n_place - 1)]; spot != NULL;
         spot = spot->next) {
        if (spot->hash == hash && distance(spot->belief, local) <= SAME) {
            all->n_merged++;
            return spot;
        }
    }
    return add_spot(all, local, hash, guess);
}

/* ------------------------------------------------------------------------------------- deeds -- */

/* Makes the outcomes of an action whose outlook is there and was divided. */
static bool add_outcomes(sonde__infinite *all, sonde__deed *deed) {
    const sonde__prospect *o = &all->outlook;
    deed->outcome = sonde__infinite_take(all, (uint64_t)o->n_tuple, sizeof *deed->outcome);
    if (deed->outcome == NULL) {
        return false;
    }
    deed->step = o->efe;
    deed->n_outcome = o->n_tuple;
    for (int32_t i = 0; i < o->n_tuple; i++) {
        const sonde__support after = sonde__prospect_after(o, i);
        deed->outcome[i] = (sonde__outcome){
            .chance = o->chance[o->tuple[i]],
            .block = all->block_of[after.state[0]],
            .entropy =
                all->world->kappa == 0.0 ? 0.0 : all->world->kappa * sonde__support_entropy(after),
            .guess = {.lower = -(double)INFINITY, .upper = (double)INFINITY},
            .tuple = o->tuple[i]};
    }
    return true;
}

/* The outlook of an action at a spot. */
static void look_ahead(sonde__infinite *all, const sonde__site *spot, int32_t u) {
    const sonde__support belief = sonde__local_support(all, spot->belief);
    sonde__prospect_predict(all->world, belief, u, 0, &all->outlook);
    sonde__prospect_divide(all->world, u, &all->outlook);
    all->n_step++;
}

/* Whether there is something that an outcome without a spot has not asked. */
static bool has_news(const sonde__infinite *all, const sonde__outcome *outcome) {
    const sonde__patch *block = &all->block[outcome->block];
    return outcome->spot == NULL && (outcome->guess.scanned != block->last_vector ||
                                     outcome->guess.seen != block->last_known);
}

/* Asks for every outcome what has not been asked. */
static bool ask_outcomes(sonde__infinite *all, const sonde__site *spot, int32_t u) {
    sonde__deed *deed = &spot->deed[u];
    const bool first = deed->outcome == NULL;
    bool waits = first;
    for (int32_t i = 0; i < deed->n_outcome; i++) {
        waits = waits || has_news(all, &deed->outcome[i]);
    }
    if (!waits) {
        return true;
    }
    look_ahead(all, spot, u);
    if (first && !add_outcomes(all, deed)) {
        return false;
    }
    for (int32_t i = 0; i < deed->n_outcome; i++) {
        sonde__outcome *outcome = &deed->outcome[i];
        if (outcome->spot == NULL) {
            sonde__view view = {.belief =
                                    sonde__local_of(all, sonde__prospect_after(&all->outlook, i)),
                                .entropy = outcome->entropy};
            if (!sonde__vectors_begin(all, view.belief.block)) {
                return false;
            }
            sonde__guess_improve(all, &view, &outcome->guess);
        }
    }
    return true;
}

/* G of an action from what is known of its outcomes. */
static void sum_outcomes(sonde__infinite *all, sonde__deed *deed) {
    double lower = 0.0;
    double upper = 0.0;
    for (int32_t i = 0; i < deed->n_outcome; i++) {
        const sonde__outcome *outcome = &deed->outcome[i];
        double low = outcome->guess.lower;
        double high = outcome->guess.upper;
        if (outcome->spot != NULL) {
            low = outcome->spot->guess.lower > low ? outcome->spot->guess.lower : low;
            high = outcome->spot->guess.upper < high ? outcome->spot->guess.upper : high;
        }
        lower += outcome->chance * low;
        upper += outcome->chance * high;
    }
    lower = deed->step + all->discount * lower;
    upper = deed->step + all->discount * upper;
    lower -= SONDE__INTERVAL_WIDENING * (1.0 + fabs(lower));
    upper += SONDE__INTERVAL_WIDENING * (1.0 + fabs(upper));
    deed->lower = lower > deed->lower ? lower : deed->lower;
    deed->upper = upper < deed->upper ? upper : deed->upper;
    deed->upper = sonde__infinite_above(all, deed->lower, deed->upper);
}

static bool add_deeds(sonde__infinite *all, sonde__site *spot) {
    const sonde__joint *world = all->world;
    spot->deed = sonde__infinite_take(all, (uint64_t)world->n_action, sizeof *spot->deed);
    if (spot->deed == NULL) {
        return false;
    }
    const sonde__support belief = sonde__local_support(all, spot->belief);
    bool any = false;
    for (int32_t u = 0; u < world->n_action; u++) {
        const bool legal = world->prior[u] > 0.0 && sonde__joint_allows(world, belief, u);
        const double lower = spot->fast[u] - spot->entropy;
        spot->deed[u] = (sonde__deed){.legal = legal,
                                      .lower = lower - SONDE__BOUND_WIDENING * (1.0 + fabs(lower)),
                                      .upper = (double)INFINITY};
        any = any || legal;
    }
    all->stuck = any ? all->stuck : spot;
    all->n_expanded++;
    return any;
}

/* The value from what is known of actions. */
static void sum_deeds(sonde__infinite *all, sonde__site *spot) {
    const int32_t n = all->world->n_action;
    double value[2];
    for (int32_t u = 0; u < n; u++) {
        const sonde__deed *deed = &spot->deed[u];
        all->prior[u] = deed->legal ? all->world->prior[u] : 0.0;
        all->low[u] = deed->lower;
        all->high[u] = deed->upper;
    }
    sonde__backup_range(&all->backup, n, all->prior, all->low, all->high, value);
    value[0] -= SONDE__INTERVAL_WIDENING * (1.0 + fabs(value[0]));
    value[1] += SONDE__INTERVAL_WIDENING * (1.0 + fabs(value[1]));
    sonde__guess *guess = &spot->guess;
    const double gain = sonde__tie(value[0]);
    all->n_found += value[0] > guess->lower + gain || value[1] < guess->upper - gain;
    guess->lower = value[0] > guess->lower ? value[0] : guess->lower;
    guess->upper = value[1] < guess->upper ? value[1] : guess->upper;
    guess->upper = sonde__infinite_above(all, guess->lower, guess->upper);
}

/* The plan of a vector begins with its action, which costs no more than the plan does. */
static void trust_vectors(sonde__infinite *all, const sonde__site *site) {
    const sonde__guess *guess = &site->guess;
    for (int32_t k = 0; k < 2 && all->backup.kind == SONDE_BACKUP_MIN; k++) {
        const sonde__vector *best = guess->best[k];
        if (best != NULL && best->action >= 0 && site->deed[best->action].legal) {
            sonde__deed *deed = &site->deed[best->action];
            const double x = guess->least[k] - (k == 1 ? site->entropy : 0.0);
            const double upper = x + SONDE__BOUND_WIDENING * (1.0 + fabs(x));
            deed->upper = upper < deed->upper ? upper : deed->upper;
            deed->upper = sonde__infinite_above(all, deed->lower, deed->upper);
        }
    }
}

/* The action whose lower bound is least. */
static int32_t choose_least(const sonde__infinite *all, const sonde__site *spot) {
    int32_t best = -1;
    for (int32_t u = 0; u < all->world->n_action; u++) {
        const sonde__deed *deed = &spot->deed[u];
        if (deed->legal && (best < 0 || deed->lower < spot->deed[best].lower)) {
            best = u;
        }
    }
    return best;
}

/* Makes everything anew that is known of an action. */
static bool look_at(sonde__infinite *all, const sonde__site *spot, int32_t u) {
    sonde__deed *deed = &spot->deed[u];
    if (deed->looked == all->n_look) {
        return true;
    }
    deed->looked = all->n_look;
    if (!ask_outcomes(all, spot, u)) {
        return false;
    }
    sum_outcomes(all, deed);
    return true;
}

/* Of all actions. */
static bool look_around(sonde__infinite *all, const sonde__site *spot) {
    for (int32_t u = 0; u < all->world->n_action; u++) {
        if (spot->deed[u].legal && !look_at(all, spot, u)) {
            return false;
        }
    }
    return true;
}

/* Of those whose lower bounds are least, until the least is up to date, so that it is what all
 * would make it; and of that with which the best plan begins. */
static bool look_least(sonde__infinite *all, const sonde__site *spot) {
    for (int32_t k = 0; k < 2; k++) {
        const sonde__vector *best = spot->guess.best[k];
        const bool any = best != NULL && best->action >= 0 && spot->deed[best->action].legal;
        if (any && !look_at(all, spot, best->action)) {
            return false;
        }
    }
    int32_t u = choose_least(all, spot);
    while (spot->deed[u].looked != all->n_look) {
        if (!look_at(all, spot, u)) {
            return false;
        }
        u = choose_least(all, spot);
    }
    return true;
}

bool sonde__graph_look(sonde__infinite *all, sonde__site *spot, bool whole) {
    sonde__view view = {
        .belief = spot->belief, .entropy = spot->entropy, .fast = spot->fast, .base = spot->base};
    sonde__guess_improve(all, &view, &spot->guess);
    sonde__site_hold(spot);
    if (spot->deed == NULL && !add_deeds(all, spot)) {
        return false;
    }
    all->n_look++;
    const bool around = whole || all->backup.kind != SONDE_BACKUP_MIN;
    if (around ? !look_around(all, spot) : !look_least(all, spot)) {
        return false;
    }
    trust_vectors(all, spot);
    sum_deeds(all, spot);
    return true;
}

/* ------------------------------------------------------------------------------------ trials -- */

/* The largest share that each action can have, in `high`. */
static void find_shares(const sonde__infinite *all, const sonde__site *spot, double gamma) {
    const sonde__joint *world = all->world;
    const double least = spot->deed[choose_least(all, spot)].lower;
    double middle = 0.0;
    for (int32_t u = 0; u < world->n_action; u++) {
        const sonde__deed *deed = &spot->deed[u];
        const double half = 0.5 * (deed->lower + deed->upper) - least;
        middle += deed->legal ? world->prior[u] * sonde__exp(-gamma * half) : 0.0;
    }
    for (int32_t u = 0; u < world->n_action; u++) {
        const sonde__deed *deed = &spot->deed[u];
        const double mass =
            deed->legal ? world->prior[u] * sonde__exp(-gamma * (deed->lower - least)) : 0.0;
        all->high[u] = mass > 0.0 ? mass / (mass + middle) : 0.0;
    }
}

/* The outcome that keeps an action most uncertain beyond what is wanted, or -1. */
static int32_t choose_outcome(const sonde__deed *deed, double wanted, double *most) {
    int32_t best = -1;
    *most = 0.0;
    for (int32_t i = 0; i < deed->n_outcome; i++) {
        const sonde__outcome *outcome = &deed->outcome[i];
        const sonde__guess *guess = outcome->spot != NULL ? &outcome->spot->guess : &outcome->guess;
        const double excess = outcome->chance * (guess->upper - guess->lower - wanted);
        if (excess > *most) {
            best = i;
            *most = excess;
        }
    }
    return best;
}

/* The action to take, and the outcome or -1. */
typedef struct {
    int32_t action;
    int32_t outcome;
} way;

/* The action that may be best. */
static way go_least(const sonde__infinite *all, const sonde__site *spot, double wanted) {
    const int32_t u = choose_least(all, spot);
    double most;
    return (way){u, choose_outcome(&spot->deed[u], wanted, &most)};
}

/* The action and outcome whose uncertainty counts most, the value being soft. */
static way go_widest(const sonde__infinite *all, const sonde__site *spot, double wanted) {
    way best = {-1, -1};
    double most = 0.0;
    find_shares(all, spot, all->backup.gamma);
    for (int32_t u = 0; u < all->world->n_action; u++) {
        double excess = 0.0;
        const int32_t i = choose_outcome(&spot->deed[u], wanted, &excess);
        if (i >= 0 && all->high[u] * excess > most) {
            best = (way){u, i};
            most = all->high[u] * excess;
        }
    }
    return best;
}

/* The same where the posterior is wanted: what is left of the width of one action is, too. */
static way go_first(const sonde__infinite *all, const sonde__site *spot, const sonde__trial *trial,
                    double *wanted) {
    int32_t best = -1;
    double most = 0.0;
    find_shares(all, spot, trial->gamma);
    for (int32_t u = 0; u < all->world->n_action; u++) {
        const sonde__deed *deed = &spot->deed[u];
        const double score = all->high[u] * (deed->upper - deed->lower);
        if (deed->legal && (best < 0 || score > most)) {
            best = u;
            most = score;
        }
    }
    *wanted = trial->share * (spot->deed[best].upper - spot->deed[best].lower) / all->discount;
    return (way){best, choose_outcome(&spot->deed[best], *wanted, &most)};
}

/* The spot of an outcome. */
static sonde__site *go_down(sonde__infinite *all, const sonde__site *spot, int32_t u, int32_t i) {
    sonde__outcome *outcome = &spot->deed[u].outcome[i];
    if (outcome->spot == NULL && sonde__infinite_has_room(all)) {
        look_ahead(all, spot, u);
        outcome->spot =
            sonde__graph_spot(all, sonde__prospect_after(&all->outlook, i), &outcome->guess);
    }
    return outcome->spot;
}

/* Tells others what is known of a belief from below. */
static void tell(sonde__infinite *all, sonde__site *spot) {
    const double W = spot->guess.lower + spot->entropy;
    const double gain = GAIN_LEAST * (spot->guess.upper - spot->guess.lower) + 1e-12;
    sonde__patch *block = &all->block[spot->belief.block];
    sonde__known *known =
        W > spot->said + gain ? sonde__infinite_take(all, 1, sizeof *known) : NULL;
    if (known != NULL) {
        *known = (sonde__known){.spot = spot};
        *(block->known == NULL ? &block->known : &block->last_known->next) = known;
        block->last_known = known;
        if (!(spot->said > spot->base)) {
            spot->told = block->told;
            block->told = spot;
        }
        spot->said = W;
        all->n_found++;
    }
}

void sonde__graph_try(sonde__infinite *all, sonde__site *root, const sonde__trial *trial) {
    int32_t n = 0;
    double wanted = trial->share * (root->guess.upper - root->guess.lower);
    sonde__site *spot = root;
    wanted = wanted > trial->goal ? wanted : trial->goal;
    while (spot != NULL && n < SONDE__PATH_MOST && sonde__infinite_has_room(all)) {
        if (!sonde__graph_look(all, spot, n == 0 && trial->widest)) {
            break;
        }
        all->path[n++] = spot;
        if (trial->stop(trial->user)) {
            break;
        }
        wanted /= all->discount;
        const way next = n == 1 && trial->widest ? go_first(all, spot, trial, &wanted)
                         : all->backup.kind == SONDE_BACKUP_MIN ? go_least(all, spot, wanted)
                                                                : go_widest(all, spot, wanted);
        spot = next.outcome >= 0 ? go_down(all, spot, next.action, next.outcome) : NULL;
    }
    for (int32_t i = n - 1; i >= 0; i--) {
        if (!sonde__infinite_has_room(all) ||
            (i < n - 1 && !sonde__graph_look(all, all->path[i], i == 0 && trial->widest))) {
            return;
        }
        sonde__tangents_add(all, all->path[i]);
        tell(all, all->path[i]);
    }
}

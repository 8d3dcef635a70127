/* infinite_policy.c: uses what an earlier search has found, and writes down what this one has. */
#include "closed/infinite_policy.h"

#include <inttypes.h>
#include <string.h>

#include "base/numbers.h"
#include "base/status.h"
#include "base/text.h"

/* points that are written, those that are told of first */
#define POINTS_MOST 2000
/* what six digits can have lost, relative */
#define DIGITS 1e-5
/* numbers of a document of SARSOP's, at most */
#define NUMBERS_MOST 5e7

/* ---------------------------------------------------------------------------------- the same -- */

static uint64_t hash_bytes(uint64_t hash, const void *data, uint64_t size) {
    const unsigned char *byte = data;
    for (uint64_t i = 0; i < size; i++) {
        hash = (hash ^ byte[i]) * UINT64_C(0x100000001b3);
    }
    return hash;
}

/* What tells a model from others, as far as planning goes. */
static uint64_t hash_of(const sonde__infinite *all) {
    const sonde__joint *world = all->world;
    const uint64_t n_column = (uint64_t)world->n_state * (uint64_t)world->n_action;
    const uint64_t n_shown = (uint64_t)world->n_state * (uint64_t)world->n_by;
    const uint64_t n_next = (uint64_t)world->offset[n_column];
    const uint64_t n_seen = (uint64_t)world->sees[n_shown];
    const struct {
        const void *data;
        uint64_t size;
    } part[] = {{world->joint, (uint64_t)world->n_state * sizeof *world->joint},
                {world->offset, (n_column + 1) * sizeof *world->offset},
                {world->next, n_next * sizeof *world->next},
                {world->p, n_next * sizeof *world->p},
                {world->sees, (n_shown + 1) * sizeof *world->sees},
                {world->seen, n_seen * sizeof *world->seen},
                {world->seen_p, n_seen * sizeof *world->seen_p},
                {world->price, n_shown * sizeof *world->price},
                {world->charge, n_column * sizeof *world->charge},
                {world->prior, (uint64_t)world->n_action * sizeof *world->prior},
                {world->allowed, world->allowed != NULL ? n_column : 0}};
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < sizeof part / sizeof *part; i++) {
        hash = hash_bytes(hash, part[i].data, part[i].size);
    }
    return hash;
}

static bool same(double a, double b) {
    return fabs(a - b) <= sonde__tie(a);
}

sonde_status sonde__policy_check(const sonde__infinite *all, const sonde_vectors *given,
                                 sonde_error *error) {
    for (int32_t i = 0; i < given->n_vector; i++) {
        if (given->vector[i].action >= all->world->n_action) {
            return sonde__fail(error, SONDE_BAD_ARGUMENT,
                               "policy: vector %d has action %d, and the model has %d actions", i,
                               given->vector[i].action, all->world->n_action);
        }
    }
    if (given->foreign) {
        const double n_joint = all->world->model->n_joint;
        const bool fits = (double)given->length * (double)given->n_block == n_joint;
        if (all->world->kappa != 0.0 || all->backup.kind != SONDE_BACKUP_MIN) {
            return sonde__fail(error, SONDE_BAD_ARGUMENT,
                               "policy: vectors of SARSOP's are of rewards; choose information off "
                               "and backup min");
        }
        return fits ? SONDE_OK
                    : sonde__fail(error, SONDE_BAD_ARGUMENT,
                                  "policy: has %d values of what is seen and %lld states besides, "
                                  "and the model has %g joint states",
                                  given->n_block, (long long)given->length, n_joint);
    }
    if (given->model != hash_of(all)) {
        return sonde__fail(error, SONDE_BAD_ARGUMENT,
                           "policy: is of another model; plan without it, and save a new one");
    }
    const bool soft = all->backup.kind == SONDE_BACKUP_FREE_ENERGY;
    if (given->backup != all->backup.kind || !same(given->discount, all->discount) ||
        !same(given->kappa, all->world->kappa) ||
        (soft && !same(given->gamma, all->backup.gamma))) {
        return sonde__fail(error, SONDE_BAD_ARGUMENT,
                           "policy: was found with backup %s, discount %g, gamma %g and kappa %g; "
                           "choose the same, or save a new one",
                           sonde_backup_name((int32_t)given->backup), given->discount, given->gamma,
                           given->kappa);
    }
    return SONDE_OK;
}

/* ---------------------------------------------------------------------------------- using it -- */

/* The place in the world of a state of a block, or -1. */
static int32_t find_state(const sonde__infinite *all, const sonde_vectors *given, int32_t block,
                          int32_t i) {
    const double joint = given->state[block][i];
    return joint >= 0.0 && joint < 0x1p63 ? sonde__joint_find(all->world, (uint64_t)joint) : -1;
}

void sonde__policy_join(sonde__infinite *all, const sonde_vectors *given) {
    for (int32_t b = 0; !given->foreign && b < given->n_block; b++) {
        const int32_t first = find_state(all, given, b, 0);
        for (int32_t i = 1; i < given->n_state[b]; i++) {
            const int32_t next = find_state(all, given, b, i);
            if (first >= 0 && next >= 0) {
                sonde__blocks_join(all, first, next);
            }
        }
    }
}

/* The block of the world that is a block of the policy, state by state; or -1. */
static int32_t block_like(const sonde__infinite *all, const sonde_vectors *given, int32_t b) {
    const int32_t first = given->n_state[b] > 0 ? find_state(all, given, b, 0) : -1;
    const int32_t block = first >= 0 ? all->block_of[first] : -1;
    if (block < 0 || all->block[block].n != given->n_state[b]) {
        return -1;
    }
    for (int32_t i = 0; i < given->n_state[b]; i++) {
        if (find_state(all, given, b, i) != all->member[all->block[block].first + i]) {
            return -1;
        }
    }
    return block;
}

static bool install_vector(sonde__infinite *all, int32_t block, const sonde__policy_vector *v) {
    const int32_t n = all->block[block].n;
    sonde__vector *vector = sonde__vectors_begin(all, block)
                                ? sonde__vectors_new(all, block, v->action, v->tight)
                                : NULL;
    for (int32_t i = 0; vector != NULL && i < n; i++) {
        vector->value[i] = v->value[i] < SONDE__BARRED ? v->value[i] : (double)INFINITY;
    }
    if (vector != NULL) {
        vector->n_held = 1;
        sonde__vectors_append(all, block, vector);
    }
    return vector != NULL;
}

/* A point is a site that only others ask. */
static bool install_point(sonde__infinite *all, int32_t block, const sonde__policy_point *point) {
    const sonde__patch *patch = &all->block[block];
    int32_t n = 0;
    for (int32_t i = 0; i < patch->n; i++) {
        all->state[n] = all->member[patch->first + i];
        all->p[n] = point->p[i];
        n += point->p[i] > 0.0;
    }
    const sonde__support belief = {.n = n, .state = all->state, .p = all->p};
    return n == 0 || sonde__graph_install(all, belief, point->value);
}

/* Vectors of SARSOP's: rewards, over stretches of joint states. */
static bool install_foreign(sonde__infinite *all, const sonde_vectors *given, int32_t block) {
    const sonde__patch *patch = &all->block[block];
    const sonde__joint *world = all->world;
    const uint64_t length = (uint64_t)given->length;
    const uint64_t stretch = world->joint[all->member[patch->first]] / length;
    for (int32_t i = 0; i < patch->n; i++) {
        if (world->joint[all->member[patch->first + i]] / length != stretch) {
            return true; /* it is of several */
        }
    }
    for (int32_t k = 0; k < given->n_vector; k++) {
        const sonde__policy_vector *v = &given->vector[k];
        if ((uint64_t)v->block != stretch) {
            continue;
        }
        for (int32_t i = 0; i < patch->n; i++) {
            const double reward = v->value[world->joint[all->member[patch->first + i]] % length];
            all->part[i] = 0.0 - reward + DIGITS * (1.0 + fabs(reward));
        }
        const sonde__policy_vector own = {.action = v->action, .value = all->part};
        if (!install_vector(all, block, &own)) {
            return false;
        }
    }
    return true;
}

void sonde__policy_install(sonde__infinite *all, const sonde_vectors *given) {
    bool fits = true;
    for (int32_t i = 0; fits && given->foreign && i < all->n_block; i++) {
        fits = install_foreign(all, given, i);
    }
    for (int32_t i = 0; fits && !given->foreign && i < given->n_vector; i++) {
        const int32_t block = block_like(all, given, given->vector[i].block);
        fits = block < 0 || install_vector(all, block, &given->vector[i]);
    }
    for (int32_t i = 0; fits && !given->foreign && i < given->n_point; i++) {
        const int32_t block = block_like(all, given, given->point[i].block);
        fits = block < 0 || install_point(all, block, &given->point[i]);
    }
    for (int32_t i = 0; i < all->n_block; i++) {
        all->block[i].kept_vector = all->block[i].last_vector;
        all->block[i].kept_told = all->block[i].told;
    }
    all->kept = all->used;
}

/* ----------------------------------------------------------------------------------- writing -- */

/* Marks a vector, and all with which its plan goes on; a list of those to come goes through
 * them. */
static void mark_all(sonde__vector *vector) {
    sonde__vector *waits = vector->mark < 0 ? vector : NULL;
    if (waits != NULL) {
        vector->mark = 0;
        vector->waits = NULL;
    }
    while (waits != NULL) {
        const sonde__vector *v = waits;
        waits = v->waits;
        for (int32_t i = 0; i < v->n_after; i++) {
            sonde__vector *after = v->after[i];
            if (after->mark < 0) {
                after->mark = 0;
                after->waits = waits;
                waits = after;
            }
        }
    }
}

/* Numbers blocks that have vectors, and marks the vectors that count: the first of each block,
 * those of a policy that was lent, the best of each belief that was looked at, and those with which
 * the plans of all these go on. */
static void mark(sonde__infinite *all) {
    int32_t n = 0;
    for (int32_t i = 0; i < all->n_block; i++) {
        sonde__patch *block = &all->block[i];
        bool lent = block->kept_vector != NULL;
        block->number = block->vector != NULL ? n++ : -1;
        for (sonde__vector *v = block->vector; v != NULL; v = v->next) {
            v->mark = lent || v == block->vector ? 0 : -1;
            lent = lent && v != block->kept_vector;
        }
    }
    for (sonde__site *site = all->last; site != NULL; site = site->peer) {
        for (int32_t k = 0; k < 2; k++) {
            if (site->guess.best[k] != NULL) {
                mark_all(site->guess.best[k]);
            }
        }
    }
}

static void add_numbers(sonde_text *text, const double *value, int32_t n, double sign) {
    sonde_text_add(text, "[");
    for (int32_t i = 0; i < n; i++) {
        const double x = value[i] < SONDE__BARRED ? sign * value[i] : SONDE__BARRED;
        sonde_text_add(text, i > 0 ? ", " : "");
        sonde_text_add_number(text, x);
    }
    sonde_text_add(text, "]");
}

static void write_blocks(const sonde__infinite *all, sonde_text *text) {
    const char *comma = "";
    sonde_text_add(text, ",\n \"blocks\": [");
    for (int32_t i = 0; i < all->n_block; i++) {
        const sonde__patch *block = &all->block[i];
        if (block->number >= 0) {
            sonde_text_add(text, "%s\n  [", comma);
            for (int32_t k = 0; k < block->n; k++) {
                sonde_text_add(text, "%s%" PRIu64, k > 0 ? ", " : "",
                               all->world->joint[all->member[block->first + k]]);
            }
            sonde_text_add(text, "]");
            comma = ",";
        }
    }
    sonde_text_add(text, "]");
}

/* Goes through the vectors that count: what `rows` says of each, or itself. */
static void write_upper(const sonde__infinite *all, bool rows, sonde_text *text) {
    const char *comma = "";
    for (int32_t i = 0; i < all->n_block; i++) {
        const sonde__patch *block = &all->block[i];
        for (const sonde__vector *v = block->vector; v != NULL; v = v->next) {
            if (v->mark < 0) {
                continue;
            }
            sonde_text_add(text, "%s\n   ", comma);
            comma = ",";
            if (rows) {
                sonde_text_add(text, "[%d, %d, %d]", block->number, v->action, v->tight ? 1 : 0);
            } else {
                add_numbers(text, v->value, block->n, 1.0);
            }
        }
    }
}

static void write_point(const sonde__infinite *all, const sonde__site *site, sonde_text *text) {
    const int32_t n = all->block[site->belief.block].n;
    for (int32_t i = 0; i < n; i++) {
        all->part[i] = 0.0;
    }
    for (int32_t i = 0; i < site->belief.n; i++) {
        all->part[site->belief.at != NULL ? site->belief.at[i] : i] = site->belief.p[i];
    }
    add_numbers(text, all->part, n, 1.0);
}

/* The same of points. */
static void write_lower(const sonde__infinite *all, bool rows, sonde_text *text) {
    const char *comma = "";
    for (int32_t i = 0; i < all->n_block; i++) {
        const sonde__patch *block = &all->block[i];
        int64_t n = 0;
        for (const sonde__site *site = block->told; site != NULL; site = site->told) {
            n++;
        }
        const int64_t most = (int64_t)POINTS_MOST * block->n / all->world->n_state + 1;
        for (const sonde__site *site = block->told; site != NULL; site = site->told) {
            if (n-- > most) {
                continue; /* the oldest are told of last */
            }
            sonde_text_add(text, "%s\n   ", comma);
            comma = ",";
            if (rows) {
                sonde_text_add(text, "[%d, ", block->number);
                sonde_text_add_number(text, site->said);
                sonde_text_add(text, "]");
            } else {
                write_point(all, site, text);
            }
        }
    }
}

static void write_json(const sonde__infinite *all, sonde_text *text) {
    sonde_text_add(text,
                   "{\"format\": \"sonde-policy\", \"version\": 1, \"model\": \"%016" PRIx64
                   "\",\n \"backup\": \"%s\", \"information\": \"%s\", \"kappa\": ",
                   hash_of(all), sonde_backup_name((int32_t)all->backup.kind),
                   sonde_information_name((int32_t)all->world->model->information));
    sonde_text_add_number(text, all->world->kappa);
    sonde_text_add(text, ", \"gamma\": ");
    sonde_text_add_number(text, all->backup.gamma);
    sonde_text_add(text, ", \"discount\": ");
    sonde_text_add_number(text, all->discount);
    sonde_text_add(text, ", \"horizon\": \"inf\"");
    write_blocks(all, text);
    sonde_text_add(text, ",\n \"upper\": {\"rows\": [");
    write_upper(all, true, text);
    sonde_text_add(text, "],\n  \"alpha\": [");
    write_upper(all, false, text);
    sonde_text_add(text, "]},\n \"lower\": {\"rows\": [");
    write_lower(all, true, text);
    sonde_text_add(text, "],\n  \"points\": [");
    write_lower(all, false, text);
    sonde_text_add(text, "]}}\n");
}

/* Joint states in a stretch, where blocks are stretches of the same length; 0 where not. */
static int64_t find_stretch(const sonde__infinite *all) {
    const sonde__joint *world = all->world;
    const int64_t length = all->block[0].n;
    for (int64_t at = 0; at < world->n_state; at++) {
        const int32_t s = all->member[at];
        if (world->joint[s] != (uint64_t)at || all->block_of[s] != at / length) {
            return 0;
        }
    }
    return length;
}

static void write_xml_vector(const sonde__infinite *all, const sonde__vector *v, int32_t block,
                             int64_t length, sonde_text *text) {
    const sonde__patch *of = &all->block[block];
    sonde_text_add(text, "<Vector action=\"%d\" obsValue=\"%d\">", v->action > 0 ? v->action : 0,
                   length == of->n ? block : 0);
    for (int64_t joint = 0; joint < length; joint++) {
        const int64_t local = length == of->n ? joint : all->at[joint] - of->first;
        const bool inside = local >= 0 && local < of->n;
        const double cost = inside && v->value[local] < all->most ? v->value[local] : all->most;
        sonde_text_add_number(text, 0.0 - cost);
        sonde_text_add(text, " ");
    }
    sonde_text_add(text, "</Vector>\n");
}

static sonde_status write_xml(const sonde__infinite *all, sonde_text *text, sonde_error *error) {
    const sonde__joint *world = all->world;
    const int64_t stretch = find_stretch(all);
    const int64_t length = stretch > 0 ? stretch : world->n_state;
    double n = 0.0;
    for (int32_t i = 0; i < all->n_block; i++) {
        for (const sonde__vector *v = all->block[i].vector; v != NULL; v = v->next) {
            n += v->mark >= 0 ? 1.0 : 0.0;
        }
    }
    if (world->kappa != 0.0 || all->backup.kind != SONDE_BACKUP_MIN) {
        return sonde__fail(error, SONDE_BAD_ARGUMENT,
                           "policy: SARSOP's format has vectors of rewards alone; choose "
                           "information off and backup min, or a sonde-policy document");
    }
    if ((double)world->n_state != world->model->n_joint || n * (double)length > NUMBERS_MOST) {
        return sonde__fail(error, SONDE_BAD_ARGUMENT,
                           "policy: %g vectors over all %g joint states are too much for SARSOP's "
                           "format; choose a sonde-policy document",
                           n, world->model->n_joint);
    }
    sonde_text_add(text,
                   "<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?>\n<Policy version=\"0.1\" "
                   "type=\"value\" model=\"%016" PRIx64 "\">\n<AlphaVector vectorLength=\"%lld\" "
                   "numObsValue=\"%lld\" numVectors=\"%.0f\">\n",
                   hash_of(all), (long long)length, (long long)(world->n_state / length), n);
    for (int32_t i = 0; i < all->n_block; i++) {
        for (const sonde__vector *v = all->block[i].vector; v != NULL; v = v->next) {
            if (v->mark >= 0) {
                write_xml_vector(all, v, i, length, text);
            }
        }
    }
    sonde_text_add(text, "</AlphaVector> </Policy>\n");
    return SONDE_OK;
}

sonde_status sonde__closed_save(sonde__closed *closed, bool xml, sonde_text *text,
                                sonde_error *error) {
    sonde__infinite *all = closed->infinite;
    if (all == NULL || !all->ready) {
        return sonde__fail(error, SONDE_BAD_ARGUMENT,
                           "policy: there is one after a decision in closed loop without a "
                           "horizon; choose horizon inf");
    }
    mark(all);
    if (xml) {
        return write_xml(all, text, error);
    }
    write_json(all, text);
    return SONDE_OK;
}

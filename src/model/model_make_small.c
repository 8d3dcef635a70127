/* model_make_small.c: Tiger, the T-maze, a grid and FrozenLake. */
#include "model/model_make.h"

/* ------------------------------------------------------------------------------------- tiger -- */

/* Behind one of two doors is a tiger. Listening costs 1 and tells which with probability 0.85;
 * opening its door costs 100, the other brings 10, and then the tiger is anywhere again. */
void sonde__make_tiger(sonde__making *m) {
    enum { LEFT, RIGHT, N_STATE, LISTEN = 0, OPEN_LEFT, OPEN_RIGHT, N_ACTION };
    static const char *const doors[] = {"tiger-left", "tiger-right"};
    static const char *const actions[] = {"listen", "open-left", "open-right"};
    static const char *const sounds[] = {"hear-left", "hear-right"};
    static const int32_t itself[] = {0};
    static const double heard = 0.85;
    m->parts.name = "Tiger";
    sonde__making_reward(m, 0.95);
    const sonde__made_factor tiger =
        sonde__making_factor(m, &(sonde_factor){.name = "tiger",
                                                .n_state = N_STATE,
                                                .n_action = N_ACTION,
                                                .state_name = doors,
                                                .action_name = actions});
    const sonde__made_modality sound =
        sonde__making_modality(m, &(sonde_modality){.name = "sound",
                                                    .n_outcome = N_STATE,
                                                    .outcome_name = sounds,
                                                    .n_factor = 1,
                                                    .factor = itself,
                                                    .n_action = N_ACTION});
    double *cost = sonde__making_cost(m);
    for (int32_t s = 0; cost != NULL && s < N_STATE; s++) {
        for (int32_t u = 0; u < N_ACTION; u++) {
            for (int32_t to = 0; to < N_STATE; to++) {
                const int32_t at = (to * N_STATE + s) * N_ACTION + u;
                tiger.B[at] = u != LISTEN ? 0.5 : to == s ? 1.0 : 0.0;
                sound.A[at] = u != LISTEN ? 0.5 : to == s ? heard : 1.0 - heard;
            }
            const bool eaten = (u == OPEN_LEFT && s == LEFT) || (u == OPEN_RIGHT && s == RIGHT);
            cost[s * N_ACTION + u] = u == LISTEN ? 1.0 : eaten ? 100.0 : -10.0;
        }
        tiger.D[s] = 0.5;
    }
}

/* ------------------------------------------------------------------------------------ t-maze -- */

enum { CENTRE, LEFT, RIGHT, CUE, N_PLACE };

/* Outcomes `good` and `bad` of a modality in a place, with a reward on a side: the truth where
 * they agree. */
static void tell(const sonde__made_modality *modality, int32_t place, int32_t good, bool agree,
                 int32_t side, double valid) {
    const int32_t at = place * 2 + side;
    modality->A[good * N_PLACE * 2 + at] = agree ? valid : 1.0 - valid;
    modality->A[(good + 1) * N_PLACE * 2 + at] = agree ? 1.0 - valid : valid;
}

/* Whoever goes to the cue is told in which arm the reward is. */
static void show_maze(const sonde__made_modality *sight, const sonde__made_modality *reward,
                      double valid) {
    for (int32_t place = 0; place < N_PLACE; place++) {
        for (int32_t side = 0; side < 2; side++) {
            const int32_t at = place * 2 + side;
            if (place == CUE) {
                tell(sight, place, CUE, side == 0, side, valid);
            } else {
                sight->A[place * N_PLACE * 2 + at] = 1.0;
            }
            if (place == LEFT || place == RIGHT) {
                tell(reward, place, 1, place == LEFT + side, side, valid);
            } else {
                reward->A[at] = 1.0;
            }
        }
    }
}

void sonde__make_t_maze(sonde__making *m) {
    static const char *const places[] = {"centre", "left", "right", "cue"};
    static const char *const moves[] = {"go centre", "go left", "go right", "go cue"};
    static const char *const sides[] = {"reward left", "reward right"};
    static const char *const sights[] = {"centre", "left", "right", "cue says left",
                                         "cue says right"};
    static const char *const rewards[] = {"none", "good", "bad"};
    static const int32_t both[] = {0, 1};
    m->parts.name = "T-maze";
    const sonde__made_factor place = sonde__making_factor(m, &(sonde_factor){.name = "place",
                                                                             .n_state = N_PLACE,
                                                                             .n_action = N_PLACE,
                                                                             .state_name = places,
                                                                             .action_name = moves});
    const sonde__made_factor context = sonde__making_factor(
        m, &(sonde_factor){.name = "context", .n_state = 2, .n_action = 1, .state_name = sides});
    const sonde__made_modality sight =
        sonde__making_modality(m, &(sonde_modality){.name = "sight",
                                                    .n_outcome = 5,
                                                    .outcome_name = sights,
                                                    .n_factor = 2,
                                                    .factor = both});
    const sonde__made_modality reward =
        sonde__making_modality(m, &(sonde_modality){.name = "reward",
                                                    .n_outcome = 3,
                                                    .outcome_name = rewards,
                                                    .n_factor = 2,
                                                    .factor = both});
    if (m->status != SONDE_OK) {
        return;
    }
    for (int32_t u = 0; u < N_PLACE; u++) {
        for (int32_t s = 0; s < N_PLACE; s++) {
            place.B[(u * N_PLACE + s) * N_PLACE + u] = 1.0;
        }
    }
    place.D[CENTRE] = 1.0;
    for (int32_t side = 0; side < 2; side++) {
        context.B[side * 2 + side] = 1.0;
        context.D[side] = 0.5;
    }
    show_maze(&sight, &reward, m->how.valid);
    reward.C[1] = 3.0;
    reward.C[2] = -3.0;
}

/* ------------------------------------------------------------------------------------- cells -- */

/* Cells r0c0, r0c1, ... of a square, row by row. */
static const char **name_cells(sonde__making *m, int32_t n) {
    const sonde__called names = sonde__making_names(m, n * n);
    for (int32_t i = 0; names.name != NULL && i < n * n; i++) {
        sonde__making_call(names, i, "r%dc%d", i / n, i % n);
    }
    return names.name;
}

/* The cell that is a step to the south and the east, or the same one where that leaves the square.
 */
static int32_t step(int32_t n, int32_t cell, int32_t south, int32_t east) {
    const int32_t y = cell / n + south;
    const int32_t x = cell % n + east;
    return x < 0 || y < 0 || x == n || y == n ? cell : y * n + x;
}

/* A square whose cells are states and outcomes. */
typedef struct {
    int32_t n;
    sonde__made_factor cell;
    sonde__made_modality seen;
} square;

static square make_square(sonde__making *m, const char *title, int32_t n_action,
                          const char *const *action) {
    static const int32_t itself[] = {0};
    const int32_t n = m->how.size;
    square made = {.n = n};
    const char **name = name_cells(m, n);
    m->parts.name = title;
    made.cell = sonde__making_factor(m, &(sonde_factor){.name = "cell",
                                                        .n_state = n * n,
                                                        .n_action = n_action,
                                                        .state_name = name,
                                                        .action_name = action});
    made.seen = sonde__making_modality(m, &(sonde_modality){.name = "seen",
                                                            .n_outcome = n * n,
                                                            .outcome_name = name,
                                                            .n_factor = 1,
                                                            .factor = itself});
    return made;
}

/* Moves fail and cells are mistaken for their neighbours; the far corner is where to be. */
void sonde__make_grid(sonde__making *m) {
    enum { N_MOVE = 5 };
    static const char *const moves[] = {"stay", "east", "west", "south", "north"};
    static const int8_t way[N_MOVE][2] = {{0, 0}, {0, 1}, {0, -1}, {1, 0}, {-1, 0}};
    const square s = make_square(m, "grid", N_MOVE, moves);
    const int64_t n = (int64_t)s.n * s.n;
    for (int32_t i = 0; m->status == SONDE_OK && i < n; i++) {
        int32_t n_near = 0;
        for (int32_t u = 0; u < N_MOVE; u++) {
            const int32_t to = step(s.n, i, way[u][0], way[u][1]);
            s.cell.B[(to * n + i) * N_MOVE + u] += 1.0 - m->how.slip;
            s.cell.B[(i * n + i) * N_MOVE + u] += m->how.slip;
            n_near += to != i;
        }
        s.seen.A[i * n + i] = 1.0 - m->how.noise;
        for (int32_t u = 1; u < N_MOVE; u++) {
            const int32_t near = step(s.n, i, way[u][0], way[u][1]);
            s.seen.A[near * n + i] += near != i ? m->how.noise / n_near : 0.0;
        }
        const int32_t row = i / s.n;
        const int32_t far = 2 * (s.n - 1) - row - i % s.n;
        s.seen.C[i] = 0.0 - far;
    }
    if (m->status == SONDE_OK) {
        s.cell.D[0] = 1.0;
    }
}

/* Ice on a lake with holes: a move goes where it should, or to either side of that, each with
 * probability 1/3. Whoever is in a hole or at the goal stays there. */
void sonde__make_frozenlake(sonde__making *m) {
    enum { N_MOVE = 4 };
    static const char *const moves[] = {"left", "down", "right", "up"};
    static const int8_t way[N_MOVE][2] = {{0, -1}, {1, 0}, {0, 1}, {-1, 0}};
    const char *map = m->how.size == 4 ? "SFFFFHFHFFFHHFFG"
                                       : "SFFFFFFFFFFFFFFFFFFHFFFFFFFFFHFF"
                                         "FFFHFFFFFHHFFFHFFHFFHFHFFFFHFFFG";
    const bool rewards = m->how.form == SONDE_FORM_REWARD;
    const square s = make_square(m, "FrozenLake", N_MOVE, moves);
    const int32_t n = s.n * s.n;
    double *cost = rewards ? sonde__making_cost(m) : NULL;
    if (rewards) {
        sonde__making_reward(m, 1.0);
    }
    for (int32_t i = 0; m->status == SONDE_OK && i < n; i++) {
        const bool ends = map[i] == 'H' || map[i] == 'G';
        for (int32_t u = 0; u < N_MOVE; u++) {
            for (int32_t side = N_MOVE - 1; side <= N_MOVE + 1; side++) {
                const int8_t *d = way[(u + side) % N_MOVE];
                const int32_t to = ends ? i : step(s.n, i, d[0], d[1]);
                s.cell.B[(to * n + i) * N_MOVE + u] += 1.0 / 3.0;
                if (cost != NULL && !ends && map[to] == 'G') {
                    cost[i * N_MOVE + u] -= 1.0 / 3.0;
                }
            }
        }
        s.seen.A[i * n + i] = 1.0;
        s.seen.C[i] = rewards ? 0.0 : map[i] == 'G' ? 3.0 : map[i] == 'H' ? -3.0 : 0.0;
    }
    if (m->status == SONDE_OK) {
        s.cell.D[0] = 1.0;
    }
}

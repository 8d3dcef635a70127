/* fuzz_agent.c: any bytes as an agent that was saved, for one that learns as it goes, one that learns
 * from whole episodes and one in closed loop. One that is read is saved as it was, and lives on; one
 * that is refused has changed nothing. */
#include "reader.h"
#include "sonde_learn.h"
#include "sonde_world.h"

/* A, B and D are counted */
static const char counted[] =
    "{\"format\": \"sonde-model\", \"version\": 1, \"horizon\": 1,"
    " \"factors\": [{\"states\": 2, \"actions\": 2}], \"modalities\": [{\"outcomes\": 3}],"
    " \"C\": [[0, 1, 0]], \"counts\": {\"A\": [[[3, 1], [1, 0.5], [1, 1]]],"
    " \"B\": [[[[2, 0], [0, 1]], [[1, 4], [1, 1]]]], \"D\": [[0.2, 0.6]]}}";

typedef struct {
    sonde_agent *agent;
    sonde_world *world;
} player;

enum { GOES, LOOKS_BACK, CLOSED, N_PLAYER };
static player players[N_PLAYER];

static void start(const player *p) {
    sonde_agent_reset(p->agent);
    sonde_agent_forget(p->agent);
    sonde_world_start(p->world, 1);
}

static void save(const player *p, sonde_text *saved) {
    sonde_error error = {0};
    if (sonde_agent_save(p->agent, p->world, saved, &error) != SONDE_OK || saved->failed) {
        give_up("an agent that was read cannot be saved", error.text);
    }
}

static void begin(int32_t who) {
    const sonde_source source = {"counted.json", counted, sizeof counted - 1};
    player *p = &players[who];
    sonde_model *model = NULL;
    sonde_policies *policies = NULL;
    sonde_search_settings settings = sonde_search_defaults();
    sonde_learn_settings learn = sonde_learn_defaults();
    sonde_error error = {0};
    settings.search = who == CLOSED ? SONDE_SEARCH_BOUNDED : SONDE_SEARCH_FULL;
    settings.loop = who == CLOSED ? SONDE_LOOP_CLOSED : SONDE_LOOP_OPEN;
    if (who == LOOKS_BACK) {
        learn.when = SONDE_LEARN_EPISODE;
        learn.beliefs = learn.beliefs_D = SONDE_BELIEFS_SMOOTHED;
        learn.steps = 5;
        (void)sonde_model_read(&source, NULL, NULL, &model, &error);
    } else {
        model = reader_model_read();
    }
    if (model == NULL || sonde_policies_count(model, 0, NULL, &policies, &error) != SONDE_OK ||
        sonde_agent_new(policies, &settings, NULL, &p->agent, &error) != SONDE_OK ||
        (who != CLOSED && sonde_agent_learn(p->agent, &learn, &error) != SONDE_OK) ||
        sonde_world_new(model, &p->world, &error) != SONDE_OK) {
        give_up("the agents of the fuzzer", error.text);
    }
}

/* What was read lives on for a few steps, and its episode ends. */
static void live(const player *p) {
    const sonde_decision *decision = NULL;
    sonde_error error = {0};
    for (int32_t t = 0; t < 2; t++) {
        if (sonde_agent_observe(p->agent, sonde_world_outcome(p->world), &error) != SONDE_OK ||
            sonde_agent_search(p->agent, &decision, &error) != SONDE_OK ||
            sonde_world_move(p->world, sonde_agent_act(p->agent), &error) != SONDE_OK) {
            break;
        }
    }
    sonde_agent_end(p->agent);
}

static void load(const player *p, const sonde_source *source) {
    sonde_text before = {0};
    sonde_text after = {0};
    sonde_error error = {0};
    start(p);
    save(p, &before);
    const sonde_status status = sonde_agent_load(p->agent, source, p->world, &error);
    if ((status == SONDE_OK) != (error.text[0] == '\0')) {
        give_up("neither an agent nor a sentence", error.text);
    }
    save(p, &after);
    if (status == SONDE_OK) {
        const sonde_source again = {"again", after.data, after.size};
        if (sonde_agent_load(p->agent, &again, p->world, &error) != SONDE_OK) {
            give_up("an agent that was saved cannot be read", error.text);
        }
        live(p);
    } else if (strcmp(before.data, after.data) != 0) {
        give_up("an agent that was refused has changed something", error.text);
    }
    sonde_text_free(&before);
    sonde_text_free(&after);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    for (int32_t i = 0; players[N_PLAYER - 1].agent == NULL; i++) {
        begin(i);
    }
    const sonde_source source = {"fuzz", (const char *)data, size};
    for (int32_t i = 0; i < N_PLAYER; i++) {
        load(&players[i], &source);
    }
    return 0;
}

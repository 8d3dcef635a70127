/* fuzz_agent.c: any bytes as an agent that was saved. One that is read is saved as it was. */
#include "reader.h"
#include "sonde_learn.h"
#include "sonde_world.h"

static sonde_agent *agent;
static sonde_world *world;

static void begin(void) {
    sonde_model *model = reader_model_read();
    sonde_policies *policies = NULL;
    sonde_search_settings settings = sonde_search_defaults();
    sonde_learn_settings learn = sonde_learn_defaults();
    sonde_error error = {0};
    settings.search = SONDE_SEARCH_FULL;
    if (sonde_policies_count(model, 0, NULL, &policies, &error) != SONDE_OK ||
        sonde_agent_new(policies, &settings, NULL, &agent, &error) != SONDE_OK ||
        sonde_agent_learn(agent, &learn, &error) != SONDE_OK ||
        sonde_world_new(model, &world, &error) != SONDE_OK) {
        give_up("the agent of the fuzzer", error.text);
    }
}

/* What was read lives on for a few steps. */
static void live(void) {
    const sonde_decision *decision = NULL;
    sonde_error error = {0};
    for (int32_t t = 0; t < 2; t++) {
        if (sonde_agent_observe(agent, sonde_world_outcome(world), &error) != SONDE_OK ||
            sonde_agent_search(agent, &decision, &error) != SONDE_OK ||
            sonde_world_move(world, sonde_agent_act(agent), &error) != SONDE_OK) {
            return;
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (agent == NULL) {
        begin();
    }
    const sonde_source source = {"fuzz", (const char *)data, size};
    sonde_error error = {0};
    sonde_agent_reset(agent);
    sonde_agent_forget(agent);
    sonde_world_start(world, 1);
    const sonde_status status = sonde_agent_load(agent, &source, world, &error);
    if ((status == SONDE_OK) != (error.text[0] == '\0')) {
        give_up("neither an agent nor a sentence", error.text);
    }
    if (status == SONDE_OK) {
        sonde_text saved = {0};
        if (sonde_agent_save(agent, world, &saved, &error) != SONDE_OK || saved.failed) {
            give_up("an agent that was read cannot be saved", error.text);
        }
        const sonde_source again = {"again", saved.data, saved.size};
        if (sonde_agent_load(agent, &again, world, &error) != SONDE_OK) {
            give_up("an agent that was saved cannot be read", error.text);
        }
        sonde_text_free(&saved);
        live();
    }
    return 0;
}

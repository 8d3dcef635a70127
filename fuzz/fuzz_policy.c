/* fuzz_policy.c: any bytes as a policy of Tiger, a sonde-policy document or SARSOP's.
 *
 * The answer is a policy or a sentence. A policy is lent to two agents, of rewards and of expected
 * free energy, which refuse it by a sentence or decide by one step from it; what they have found
 * then is written, and read back. A policy may lie about values, and no more is asked of those. */
#include "sonde_policy.h"

#include <math.h>

#include "round_trip.h"
#include "sonde_make.h"

/* ways to plan Tiger */
enum { REWARDS, JOINT, WAYS };

static void write_back(const sonde_agent *agent, sonde_policy_format format, const sonde_run *run) {
    sonde_text text = {0};
    sonde_error error = {0};
    sonde_vectors *again = NULL;
    if (sonde_agent_vectors_write(agent, format, &text, &error) == SONDE_OK && !text.failed) {
        const sonde_source source = {"again", text.data, text.size};
        const sonde_status status = sonde_vectors_read(&source, run, &again, &error);
        if (status != SONDE_OK && status != SONDE_TOO_LARGE) {
            give_up("a policy that was written could not be read", error.text);
        }
    }
    sonde_vectors_free(again);
    sonde_text_free(&text);
}

static void use(const sonde_policies *policies, int32_t way, const sonde_vectors *vectors,
                const sonde_run *run) {
    sonde_search_settings settings = sonde_search_defaults();
    sonde_agent *agent = NULL;
    const sonde_decision *decision = NULL;
    sonde_error error = {0};
    settings.loop = SONDE_LOOP_CLOSED;
    settings.endless = true;
    settings.backup = way == REWARDS ? SONDE_BACKUP_MIN : SONDE_BACKUP_FREE_ENERGY;
    settings.budget = 20;
    settings.vectors = vectors;
    const sonde_status made = sonde_agent_new(policies, &settings, run, &agent, &error);
    if ((made == SONDE_OK) != (error.text[0] == '\0')) {
        give_up("neither an agent nor a sentence", error.text);
    }
    if (made == SONDE_OK && sonde_agent_search(agent, &decision, &error) == SONDE_OK) {
        double sum = 0.0;
        for (int32_t i = 0; i < decision->n_action; i++) {
            sum += decision->posterior[i];
        }
        if (!(fabs(sum - 1.0) < 1e-6)) {
            give_up("a posterior that does not sum to 1", "");
        }
        write_back(agent, SONDE_POLICY_JSON, run);
        write_back(agent, SONDE_POLICY_XML, run);
    }
    sonde_agent_free(agent);
}

static void make_world(int32_t way, sonde_model **model, sonde_policies **policies) {
    const sonde_make_settings make = sonde_make_defaults();
    sonde_model_settings settings = sonde_model_defaults();
    sonde_error error = {0};
    settings.information = way == REWARDS ? SONDE_INFORMATION_OFF : SONDE_INFORMATION_JOINT;
    if (sonde_make(&make, &settings, NULL, model, &error) != SONDE_OK ||
        sonde_policies_count(*model, 0, NULL, policies, &error) != SONDE_OK) {
        give_up("there is no Tiger", error.text);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static sonde_model *model[WAYS];
    static sonde_policies *policies[WAYS];
    sonde_run run = sonde_run_defaults();
    const sonde_source source = {"fuzz", (const char *)data, size};
    sonde_vectors *vectors = NULL;
    sonde_error error = {0};
    run.memory = 16 << 20;
    run.n_thread = 1;
    const sonde_status status = sonde_vectors_read(&source, &run, &vectors, &error);
    if ((status == SONDE_OK) != (vectors != NULL) ||
        (status == SONDE_OK) != (error.text[0] == '\0')) {
        give_up("neither a policy nor a sentence", error.text);
    }
    for (int32_t way = 0; vectors != NULL && way < WAYS; way++) {
        if (model[way] == NULL) {
            make_world(way, &model[way], &policies[way]);
        }
        use(policies[way], way, vectors, &run);
    }
    sonde_vectors_free(vectors);
    return 0;
}

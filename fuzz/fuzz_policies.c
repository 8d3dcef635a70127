/* fuzz_policies.c: any bytes as a list of policies. Those that are read can be scored. */
#include "place.h"

static void score(const sonde_model *model, const sonde_walks *walks) {
    sonde_efe total[16];
    const sonde_scores scores = {.total = total};
    double belief[2];
    sonde_error error = {0};
    sonde_belief_initial(model, belief);
    const sonde_present now = sonde_present_at(model, belief);
    if (walks->n_policy <= 16 &&
        sonde_efe_walks(model, now, walks, NULL, &scores, &error) != SONDE_OK) {
        give_up("policies that were read cannot be scored", error.text);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static sonde_model *model;
    static sonde_policies *policies;
    sonde_walks *walks = NULL;
    sonde_error error = {0};
    model = model != NULL ? model : reader_model_read();
    if (policies == NULL && sonde_policies_count(model, 0, NULL, &policies, &error) != SONDE_OK) {
        give_up("the policies of the fuzzer", error.text);
    }
    place_write(data, size);
    const sonde_status status = sonde_walks_read(place, policies, &walks, &error);
    reader_told(status, walks, &error);
    if (walks != NULL) {
        score(model, walks);
    }
    sonde_walks_free(walks);
    return 0;
}

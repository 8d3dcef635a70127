/* fuzz_behaviour.c: any bytes as a table of what people did, as a table of outcomes, and as a table
 * of sets of parameters. A table that is read is replayed. */
#include "reader.h"
#include "sonde_replay.h"
#include "sonde_world.h"

static void replay(const sonde_model *model, const sonde_data *data) {
    sonde_replay_settings settings = sonde_replay_defaults(model);
    sonde_replayed *replayed = NULL;
    sonde_error error = {0};
    if (data->n_row > 100 || data->n_subject == 0) {
        return;
    }
    const sonde_status status = sonde_replay(&settings, data, 0, 0, NULL, &replayed, &error);
    reader_told(status, replayed, &error);
    sonde_replayed_free(replayed);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    static sonde_model *model;
    model = model != NULL ? model : reader_model_read();
    const sonde_source source = {"fuzz.csv", (const char *)bytes, size};
    const sonde_data_settings settings = sonde_data_defaults();
    sonde_data *data = NULL;
    sonde_stage *stage = NULL;
    sonde_parameters *parameters = NULL;
    const double *value = NULL;
    int32_t n_set = 0;
    sonde_error error = {0};
    sonde_status status = sonde_data_read(&source, model, &settings, &data, &error);
    reader_told(status, data, &error);
    if (data != NULL && data->n_model == 0) {
        replay(model, data);
    }
    sonde_data_free(data);
    error = (sonde_error){0};
    status = sonde_stage_table(&source, model, &stage, &error);
    reader_told(status, stage, &error);
    sonde_stage_free(stage);
    error = (sonde_error){0};
    status = sonde_sets_read(&source, model, &parameters, &n_set, &value, &error);
    reader_told(status, parameters, &error);
    sonde_parameters_free(parameters);
    return 0;
}

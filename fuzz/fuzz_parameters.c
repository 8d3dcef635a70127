/* fuzz_parameters.c: any bytes as a document of parameters, or as a list of their names, of a model
 * or, where they begin with "s", of SPM's scheme. */
#include "reader.h"
#include "sonde_replay.h"
#include "sonde_spm.h"

static const int32_t n_state[] = {2};
static const int32_t n_action[] = {2};
static const int32_t n_outcome[] = {2, 3};
static const sonde_spm_shape shape = {.n_time = 3,
                                      .n_factor = 1,
                                      .n_modality = 2,
                                      .n_state = n_state,
                                      .n_action = n_action,
                                      .n_outcome = n_outcome};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static sonde_model *model;
    model = model != NULL ? model : reader_model_read();
    sonde_parameters *parameters = NULL;
    sonde_error error = {0};
    const bool spm = size > 0 && data[0] == 's';
    data += spm;
    size -= spm;
    const bool document = size > 0 && (data[0] == '{' || data[0] == '[');
    const sonde_source source = {"fuzz", (const char *)data, size};
    char *list = calloc(1, size + 1);
    if (list == NULL) {
        return 0;
    }
    memcpy(list, data, size);
    const sonde_source *from = document ? &source : NULL;
    const char *names = document ? NULL : list;
    const sonde_status status =
        spm ? sonde_parameters_read_spm(from, names, &shape, &parameters, &error)
            : sonde_parameters_read(from, names, model, &parameters, &error);
    reader_told(status, parameters, &error);
    sonde_parameters_free(parameters);
    free(list);
    return 0;
}

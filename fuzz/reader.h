/* reader.h: what readers of other documents than models are fed with, and what holds of them. */
#ifndef FUZZ_READER_H
#define FUZZ_READER_H

#include "round_trip.h"

/* two arms, one of which tells what was won; A is counted */
static const char reader_model[] =
    "{\"format\": \"sonde-model\", \"version\": 1, \"horizon\": 2, \"name\": \"arms\","
    " \"factors\": [{\"name\": \"arm\", \"states\": [\"left\", \"right\"],"
    " \"actions\": [\"go left\", \"go right\"]}],"
    " \"modalities\": [{\"name\": \"reward\", \"outcomes\": [\"win\", \"loss\"]}],"
    " \"A\": [null], \"counts\": {\"A\": [[[2, 1], [1, 2]]]},"
    " \"B\": [[[[1, 0], [1, 0]], [[0, 1], [0, 1]]]], \"C\": [[1, 0]], \"D\": [[0.5, 0.5]]}";

static inline sonde_model *reader_model_read(void) {
    const sonde_source source = {"arms.json", reader_model, sizeof reader_model - 1};
    sonde_model *model = NULL;
    sonde_error error = {0};
    if (sonde_model_read(&source, NULL, NULL, &model, &error) != SONDE_OK) {
        give_up("the model of the fuzzer", error.text);
    }
    return model;
}

/* Whatever is read, the answer is what was asked for, or a sentence. */
static inline void reader_told(sonde_status status, const void *made, const sonde_error *error) {
    if ((status == SONDE_OK) != (made != NULL) ||
        (status == SONDE_OK) != (error->text[0] == '\0')) {
        give_up("neither a thing nor a sentence", error->text);
    }
}

#endif

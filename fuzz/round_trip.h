/* round_trip.h: what holds of every model that could be read: written and read back, it is
 * written the same again. */
#ifndef FUZZ_ROUND_TRIP_H
#define FUZZ_ROUND_TRIP_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sonde.h"

static inline void give_up(const char *sentence, const char *more) {
    (void)fprintf(stderr, "%s: %s\n", sentence, more);
    abort();
}

static inline void round_trip(const sonde_model *model, const sonde_run *run) {
    sonde_text once = {0};
    sonde_text twice = {0};
    sonde_model *again = NULL;
    sonde_error error = {0};
    if (sonde_model_write(model, &once, &error) != SONDE_OK || once.failed) {
        sonde_text_free(&once);
        return;
    }
    const sonde_source source = {"again", once.data, once.size};
    const sonde_status status = sonde_model_read(&source, NULL, run, &again, &error);
    if (status != SONDE_OK && status != SONDE_TOO_LARGE) {
        give_up("a model that was written could not be read", error.text);
    }
    if (status == SONDE_OK) {
        if (sonde_model_write(again, &twice, &error) != SONDE_OK || twice.size != once.size ||
            memcmp(once.data, twice.data, once.size) != 0) {
            give_up("a model that was read back is another one", once.data);
        }
    }
    sonde_model_free(again);
    sonde_text_free(&once);
    sonde_text_free(&twice);
}

/* Reads bytes as a model in a file of this name, in little memory; whatever they are, the answer is
 * a model or a sentence. */
static inline void read_named(const char *name, const char *data, size_t size) {
    sonde_run run = sonde_run_defaults();
    run.memory = 16 << 20;
    const sonde_source source = {name, data, size};
    sonde_model *model = NULL;
    sonde_error error = {0};
    const sonde_status status = sonde_model_read(&source, NULL, &run, &model, &error);
    if ((status == SONDE_OK) != (model != NULL) ||
        (status == SONDE_OK) != (error.text[0] == '\0')) {
        give_up("neither a model nor a sentence", error.text);
    }
    if (model != NULL) {
        round_trip(model, &run);
        sonde_model_free(model);
    }
}

static inline void read_bytes(const char *data, size_t size) {
    read_named("fuzz", data, size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif

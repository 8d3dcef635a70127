/* fuzz_documents.c: any bytes as a sequence, a world that changes, trials of SPM's, and fits to
 * compare; the first byte says which. */
#include "place.h"
#include "sonde_fit.h"
#include "sonde_learn.h"
#include "sonde_spm.h"
#include "sonde_world.h"

static void read_sequence(const sonde_source *source) {
    static sonde_model *model;
    model = model != NULL ? model : reader_model_read();
    sonde_sequence *sequence = NULL;
    sonde_error error = {0};
    const sonde_status status = sonde_sequence_read(source, model, &sequence, &error);
    reader_told(status, sequence, &error);
    sonde_sequence_free(sequence);
}

static void read_stage(const sonde_source *source, const sonde_run *run) {
    sonde_stage *stage = NULL;
    sonde_error error = {0};
    const sonde_status status = sonde_stage_read(source, run, &stage, &error);
    reader_told(status, stage, &error);
    sonde_stage_free(stage);
}

static void read_spm(const sonde_source *source, const sonde_run *run) {
    sonde_spm *spm = NULL;
    sonde_error error = {0};
    const sonde_status status = sonde_spm_read(source, run, &spm, &error);
    reader_told(status, spm, &error);
    sonde_spm_free(spm);
}

static void read_fits(const sonde_source *source) {
    const char *const one[] = {place};
    sonde_candidates *candidates = NULL;
    sonde_comparison *comparison = NULL;
    sonde_error error = {0};
    place_write((const uint8_t *)source->data, source->size);
    const sonde_status status = sonde_candidates_read(one, 1, NULL, 0, &candidates, &error);
    reader_told(status, candidates, &error);
    if (status == SONDE_OK) {
        const sonde_status compared = sonde_compare(candidates, &comparison, &error);
        reader_told(compared, comparison, &error);
    }
    sonde_comparison_free(comparison);
    sonde_candidates_free(candidates);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    sonde_run run = sonde_run_defaults();
    run.memory = 16 << 20;
    if (size == 0) {
        return 0;
    }
    const sonde_source source = {"fuzz", (const char *)data + 1, size - 1};
    switch (data[0]) {
    case 's': read_sequence(&source); break;
    case 'w': read_stage(&source, &run); break;
    case 'm': read_spm(&source, &run); break;
    case 'c': read_fits(&source); break;
    default: break;
    }
    return 0;
}

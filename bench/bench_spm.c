/* bench_spm.c: a trial of SPM's scheme: three times, six policies, learning included.
 *
 *     bench_spm [FILE]   a sonde-spm document, tests/data/learning/tmaze-ade.trials.json unless given */
#include "bench.h"

static void run_trials(void *context) {
    sonde_spm *spm = context;
    const sonde_spm_shape *shape = sonde_spm_shape_of(spm);
    const sonde_spm_trial *trial = NULL;
    sonde_error error = {0};
    sonde_spm_forget(spm);
    for (int32_t i = 0; i < shape->n_trial; i++) {
        const int64_t at = (int64_t)i * shape->n_time;
        bench_need(sonde_spm_run(spm, shape->outcome + at * shape->n_modality,
                                 shape->action + at * shape->n_factor, &trial, &error),
                   &error);
    }
}

int main(int argc, char **argv) {
    const char *path = argc > 1 ? argv[1] : "tests/data/learning/tmaze-ade.trials.json";
    sonde_spm *spm = NULL;
    sonde_error error = {0};
    bench_need(sonde_spm_read(&(const sonde_source){.origin = path}, NULL, &spm, &error), &error);
    const double seconds = bench_least(bench_spent, run_trials, spm);
    bench_row(1e3 * seconds / sonde_spm_shape_of(spm)->n_trial, "ms", "spm.trial");
    sonde_spm_free(spm);
    return 0;
}

/* fuzz_plan.c: any bytes as a plan of a study. Of a plan that is read, every task is known. */
#include "place.h"
#include "sonde_lab.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    sonde_study_plan *plan = NULL;
    sonde_error error = {0};
    place_write(data, size);
    const sonde_status status = sonde_study_plan_read(place, &plan, &error);
    reader_told(status, plan, &error);
    if (status == SONDE_OK) {
        int32_t world_size = 0;
        int32_t graph = -1;
        const int32_t last = plan->n_task - 1;
        if (plan->n_task < 1 || plan->n_condition < 1 || plan->n_run < plan->n_task ||
            sonde_study_plan_task(plan, last, &world_size, &graph, &error) != SONDE_OK ||
            world_size == 0 || graph < 0) {
            give_up("a plan that was read has no last task", error.text);
        }
    }
    sonde_study_plan_free(plan);
    return 0;
}

/* fuzz_model_pomdpx.c: any bytes as a POMDPX document. */
#include "round_trip.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    read_named("fuzz.pomdpx", (const char *)data, size);
    return 0;
}

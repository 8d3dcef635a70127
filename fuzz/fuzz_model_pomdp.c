/* fuzz_model_pomdp.c: any bytes as a .POMDP file. */
#include "round_trip.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    read_named("fuzz.POMDP", (const char *)data, size);
    return 0;
}

/* fuzz_model_json.c: any bytes as a sonde-model document. */
#include "round_trip.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    read_bytes((const char *)data, size);
    return 0;
}

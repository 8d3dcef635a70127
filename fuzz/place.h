/* place.h: a file in memory, for readers that take the name of one. */
#ifndef FUZZ_PLACE_H
#define FUZZ_PLACE_H

#include <fcntl.h>
#include <unistd.h>

#include "reader.h"

static char place[64];

static void place_end(void) {
    (void)unlink(place);
}

/* Writes the file, which is removed at the end of the program. */
static inline void place_write(const uint8_t *data, size_t size) {
    static int file = -1;
    if (file < 0) {
        (void)snprintf(place, sizeof place, "%s/fuzz_place_%d",
                       access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp", (int)getpid());
        file = open(place, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
        (void)atexit(place_end);
    }
    if (file < 0 || ftruncate(file, 0) != 0 || pwrite(file, data, size, 0) != (ssize_t)size) {
        give_up("cannot be written", place);
    }
}

#endif

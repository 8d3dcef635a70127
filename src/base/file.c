/* file.c: the bytes of a file, read where they are wanted.
 *
 * With pread rather than mmap: a file that shrinks while it is read is then a sentence, not a
 * signal, and what has been read does not stay in memory. */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

sonde_status sonde__file_open(const char *path, sonde__file *file, sonde_error *error) {
    *file = (sonde__file){.origin = path, .descriptor = -1};
    struct stat about;
    if (strcmp(path, "-") == 0 || stat(path, &about) != 0 || !S_ISREG(about.st_mode)) {
        return SONDE_OK;
    }
    file->descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (file->descriptor < 0 || fstat(file->descriptor, &about) != 0) {
        const int problem = errno;
        sonde__file_close(file);
        return sonde__fail(error, SONDE_NO_FILE, "%s: cannot be opened: %s", path,
                           strerror(problem));
    }
    file->size = (uint64_t)about.st_size;
    return SONDE_OK;
}

sonde__file sonde__file_of(const sonde_source *source) {
    return (sonde__file){
        .origin = source->origin, .size = source->size, .descriptor = -1, .data = source->data};
}

bool sonde__file_read(const sonde__file *file, uint64_t at, uint64_t n, void *to) {
    if (at > file->size || n > file->size - at) {
        return false;
    }
    if (file->descriptor < 0) {
        memcpy(to, file->data + at, (size_t)n);
        return true;
    }
    for (uint64_t done = 0; done < n;) {
        const ssize_t got =
            pread(file->descriptor, (char *)to + done, (size_t)(n - done), (off_t)(at + done));
        if (got == 0 || (got < 0 && errno != EINTR)) {
            return false;
        }
        done += got > 0 ? (uint64_t)got : 0;
    }
    return true;
}

void sonde__file_close(sonde__file *file) {
    if (file->descriptor >= 0) {
        (void)close(file->descriptor);
    }
    file->descriptor = -1;
}

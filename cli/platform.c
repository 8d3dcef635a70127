/* platform.c: what Linux and macOS tell a program in ways of their own, for the command. The
 * library asks for such a thing in src/base/draft.c alone. */
#include "platform.h"

#include <spawn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

#ifdef __APPLE__
#include <mach-o/dyld.h>

static bool program_path(char *path, size_t size) {
    uint32_t room = (uint32_t)size;
    return _NSGetExecutablePath(path, &room) == 0;
}
enum { PEAK_UNIT = 1 };
#define BROWSER "open"
#else
static bool program_path(char *path, size_t size) {
    const ssize_t length = readlink("/proc/self/exe", path, size - 1);
    path[length > 0 ? length : 0] = '\0';
    return length > 0;
}
enum { PEAK_UNIT = 1024 };
#define BROWSER "xdg-open"
#endif

bool program_folder(char *folder, size_t size) {
    char *slash = program_path(folder, size) ? strrchr(folder, '/') : NULL;
    if (slash != NULL) {
        *slash = '\0';
    }
    return slash != NULL;
}

bool open_in_browser(const char *path) {
    char program[] = BROWSER;
    char *target = realpath(path, NULL);
    char *const words[] = {program, target, NULL};
    pid_t child = 0;
    const bool begun =
        target != NULL && posix_spawnp(&child, program, NULL, NULL, words, environ) == 0;
    int ended = 1;
    const bool done = begun && waitpid(child, &ended, 0) == child && ended == 0;
    free(target);
    return done;
}

double peak_bytes(void) {
    struct rusage usage = {0};
    (void)getrusage(RUSAGE_SELF, &usage);
    return (double)PEAK_UNIT * (double)usage.ru_maxrss;
}

/* draft.c: files that are whole or not there.
 *
 * A file is written without a name in the folder where it belongs, gets one when it is complete,
 * and is renamed to take the place of what was there. A process that is killed leaves nothing
 * behind, but for the moment between the last two. Where the system has no files without names
 * (O_TMPFILE), a draft has its name from the beginning: that of the file, ".sonde-draft-" and a
 * number.
 *
 * Who writes a draft holds a lock on it, which ends with the process, however that ends, and which
 * other machines see, too, where the file system tells them. So a draft that can be locked is
 * nobody's, and the next who writes the same file removes it.
 *
 * What is not a regular file (a pipe, a device) is written to directly, because it cannot be
 * replaced. */
#include "base/draft.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"

#if defined(O_TMPFILE)
#define NAMELESS O_TMPFILE
#elif defined(__O_TMPFILE)
#define NAMELESS __O_TMPFILE
#endif

#define SUFFIX ".sonde-draft-"
/* drafts of one file that there can be at once, and how many of their names are looked at for
 * stale ones */
#define N_DRAFT 1000
#define N_SWEPT 8
#define N_DIGIT 3

/* A copy of a path, with room for a draft's suffix behind it. */
static char *copy_text(const char *path) {
    const size_t length = strlen(path);
    char *copy = sonde__alloc(length + sizeof SUFFIX + N_DIGIT);
    if (copy != NULL) {
        memcpy(copy, path, length + 1);
    }
    return copy;
}

/* The same, with links followed where it exists. */
static char *copy_path(const char *path) {
    errno = 0;
    char *followed = realpath(path, NULL);
    if (followed == NULL && errno == ENOMEM) {
        return NULL; /* a link that nobody followed would be replaced */
    }
    char *copy = copy_text(followed != NULL ? followed : path);
    sonde__free(followed);
    return copy;
}

static void number(sonde__draft *draft, unsigned i) {
    const size_t length = strlen(draft->path);
    (void)snprintf(draft->name + length, sizeof SUFFIX + N_DIGIT, SUFFIX "%u", i % N_DRAFT);
}

/* Removes the draft of this name if nobody holds its lock. */
static void sweep(const char *name) {
    const int descriptor = open(name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (descriptor < 0) {
        return;
    }
    struct stat held;
    struct stat there;
    /* who has the lock of what stands under a name is the only one to take it away; but another
     * may stand there by the time the lock is ours */
    if (flock(descriptor, LOCK_EX | LOCK_NB) == 0 && fstat(descriptor, &held) == 0 &&
        lstat(name, &there) == 0 && S_ISREG(there.st_mode) && held.st_dev == there.st_dev &&
        held.st_ino == there.st_ino) {
        (void)unlink(name);
    }
    (void)close(descriptor);
}

/* Whether the draft is ours: locked, and not swept away before it was. */
static bool hold(int descriptor) {
    struct stat about;
    const bool locked = flock(descriptor, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
    return locked && fstat(descriptor, &about) == 0 && about.st_nlink > 0;
}

/* A file without a name in the folder of the path; -1 where there are none, or they could not
 * get one later. */
static int open_nameless(const sonde__draft *draft) {
#ifdef NAMELESS
    /* the draft's name serves as the folder's for a moment */
    char *folder = draft->name;
    const char *slash = strrchr(draft->path, '/');
    const size_t length = slash == NULL          ? 1
                          : slash == draft->path ? 1
                                                 : (size_t)(slash - draft->path);
    memcpy(folder, slash == NULL ? "." : draft->path, length);
    folder[length] = '\0';
    const int descriptor = open(folder, NAMELESS | O_WRONLY | O_CLOEXEC, 0666);
    memcpy(folder, draft->path, strlen(draft->path) + 1);
    char link[64];
    (void)snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    if (descriptor >= 0 && access(link, F_OK) == 0) {
        return descriptor;
    }
    if (descriptor >= 0) {
        (void)close(descriptor);
    }
#else
    (void)draft;
#endif
    return -1;
}

/* A file under a name that nobody has; -1 with errno if there is none. */
static int open_named(sonde__draft *draft) {
    for (unsigned i = 0; i < N_DRAFT; i++) {
        number(draft, i);
        const int descriptor = open(draft->name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (descriptor >= 0 && hold(descriptor)) {
            draft->named = true;
            return descriptor;
        }
        if (descriptor >= 0) {
            (void)close(descriptor);
        } else if (errno != EEXIST) {
            return -1;
        }
    }
    errno = EEXIST;
    return -1;
}

/* Gives a file without a name one that nobody has; 0, or errno. */
static int give_name(sonde__draft *draft, int descriptor) {
    char link[64];
    (void)snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    (void)flock(descriptor, LOCK_EX | LOCK_NB);
    for (unsigned i = 0; i < N_DRAFT && !draft->named; i++) {
        number(draft, i);
        if (linkat(AT_FDCWD, link, AT_FDCWD, draft->name, AT_SYMLINK_FOLLOW) == 0) {
            draft->named = true;
        } else if (errno != EEXIST) {
            return errno;
        }
    }
    return draft->named ? 0 : EEXIST;
}

/* The draft's file, with the permissions of what it will replace, or those that a new file gets. */
static FILE *open_stream(sonde__draft *draft, const struct stat *replaced, bool nameless) {
    for (unsigned i = 0; i < N_SWEPT; i++) {
        number(draft, i);
        sweep(draft->name);
    }
    int descriptor = nameless ? open_nameless(draft) : -1;
    descriptor = descriptor >= 0 ? descriptor : open_named(draft);
    if (descriptor >= 0 && replaced != NULL) {
        (void)fchmod(descriptor, replaced->st_mode & 07777);
    }
    FILE *stream = descriptor >= 0 ? fdopen(descriptor, "wb") : NULL;
    if (stream == NULL && descriptor >= 0) {
        const int problem = errno;
        (void)close(descriptor);
        errno = problem;
    }
    return stream;
}

int sonde__draft_open(sonde__draft *draft, const char *path, bool nameless) {
    struct stat about;
    const bool there = stat(path, &about) == 0;
    *draft = (sonde__draft){.special = there && !S_ISREG(about.st_mode)};
    draft->path = copy_path(path);
    draft->name = draft->path != NULL ? copy_text(draft->path) : NULL;
    if (draft->path == NULL || draft->name == NULL) {
        return ENOMEM;
    }
    draft->stream =
        draft->special ? fopen(path, "wb") : open_stream(draft, there ? &about : NULL, nameless);
    return draft->stream != NULL ? 0 : errno;
}

int sonde__draft_settle(sonde__draft *draft) {
    if (fflush(draft->stream) != 0) {
        return errno;
    }
    if (draft->special) {
        return 0;
    }
    const int descriptor = fileno(draft->stream);
    if (fsync(descriptor) != 0) {
        return errno;
    }
    const int problem = draft->named ? 0 : give_name(draft, descriptor);
    if (problem != 0 || rename(draft->name, draft->path) != 0) {
        return problem != 0 ? problem : errno;
    }
    draft->named = false;
    return 0;
}

void sonde__draft_close(sonde__draft *draft) {
    if (draft->named) {
        (void)unlink(draft->name);
    }
    if (draft->stream != NULL) {
        (void)fclose(draft->stream);
    }
    sonde__free(draft->path);
    sonde__free(draft->name);
    *draft = (sonde__draft){0};
}

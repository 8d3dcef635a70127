/* draft.h: a file that takes the place of another once it is whole. */
#ifndef SONDE_BASE_DRAFT_H
#define SONDE_BASE_DRAFT_H

#include <stdbool.h>
#include <stdio.h>

typedef struct {
    FILE *stream; /* what is written to it goes into the draft */
    char *path;   /* where the draft belongs, links followed */
    char *name;   /* the draft's own name beside that, while it has one */
    bool special; /* the path is no regular file: it is written to directly */
    bool named;   /* the draft stands in the folder under its name */
} sonde__draft;

/* Begins a file beside `path`, without a name where `nameless` is true and the system has such
 * files, and removes drafts of the same file that nobody is at work on any more. Returns 0, or
 * errno; ENOMEM where memory is refused. The draft is to be closed in any case. */
int sonde__draft_open(sonde__draft *draft, const char *path, bool nameless);
/* Puts all bytes on their way to the disk, and the draft in its place. Returns 0, or errno. */
int sonde__draft_settle(sonde__draft *draft);
/* Closes the file; a draft that was not settled is gone. */
void sonde__draft_close(sonde__draft *draft);

#endif

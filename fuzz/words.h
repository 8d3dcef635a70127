/* words.h: any bytes as words of a command line, a word a line, and a folder for it to run in.
 *
 * Words that name other folders are left out, and numbers are cut to one digit or two, so that
 * nothing takes long. */
#ifndef FUZZ_WORDS_H
#define FUZZ_WORDS_H

#include <ftw.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <unistd.h>

#include "reader.h"

enum { N_WORD = 24, LENGTH = 200 };

typedef struct {
    char text[N_WORD + 2][LENGTH];
    char *argv[N_WORD + 3];
    int n;
} words;

static const char words_world[] = "{\"format\": \"sonde-graph\", \"version\": 1, \"nodes\": 3,"
                                  " \"horizon\": 2, \"edges\": [[0, 1, 5], [1, 0, 5], [1, 2, 7],"
                                  " [2, 1, 7]], \"start\": [0, 0], \"destination\": 2}";

/* ---------------------------------------------------------------------------------- a folder -- */

static char folder[64];

static int remove_one(const char *path, const struct stat *about, int kind, struct FTW *where) {
    (void)about, (void)kind;
    return where->level > 0 ? remove(path) : 0;
}

static inline void clear_folder(void) {
    (void)nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

static inline void leave_folder(void) {
    clear_folder();
    (void)rmdir(folder);
}

static inline void enter_folder(const char *name) {
    (void)snprintf(folder, sizeof folder, "%s/%s_XXXXXX",
                   access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp", name);
    if (mkdtemp(folder) == NULL || chdir(folder) != 0) {
        give_up("no folder", folder);
    }
    (void)atexit(leave_folder);
}

static inline void write_bytes(const char *name, const void *data, size_t size) {
    FILE *file = fopen(name, "wb");
    if (file == NULL || fwrite(data, 1, size, file) != size || fclose(file) != 0) {
        give_up("cannot be written", name);
    }
}

/* A file that a command may have written over, and what it must be. */
typedef struct {
    const char *name;
    const char *text;
    struct timespec when; /* it was written; another time: somebody has been there */
} given_file;

static inline void restore(given_file *file) {
    struct stat about;
    if (stat(file->name, &about) == 0 && S_ISREG(about.st_mode) &&
        about.st_mtim.tv_sec == file->when.tv_sec && about.st_mtim.tv_nsec == file->when.tv_nsec) {
        return;
    }
    (void)remove(file->name);
    write_bytes(file->name, file->text, strlen(file->text));
    (void)stat(file->name, &about);
    file->when = about.st_mtim;
}

/* ------------------------------------------------------------------------------------- words -- */

/* Numbers of so many digits at most, and no folder. */
static inline bool tame(char *word, int most) {
    char *to = word;
    int n_digit = 0;
    for (const char *from = word; *from != '\0'; from++) {
        n_digit = *from >= '0' && *from <= '9' ? n_digit + 1 : 0;
        if (n_digit <= most) {
            *to++ = *from;
        }
    }
    *to = '\0';
    return strchr(word, '/') == NULL && strcmp(word, "..") != 0 && strcmp(word, "-") != 0 &&
           strstr(word, "=-") == NULL && strncmp(word, "-o-", 3) != 0;
}

static inline void add_word(words *w, const char *word) {
    (void)strcpy(w->text[w->n], word);
    w->argv[w->n] = w->text[w->n];
    w->argv[++w->n] = NULL;
}

/* The words up to an empty line, and where the bytes behind that begin. */
static inline size_t take_words(words *w, const uint8_t *data, size_t size) {
    size_t i = 0;
    w->n = 0;
    add_word(w, "sonde");
    while (i < size && data[i] != '\n') {
        char word[LENGTH];
        size_t length = 0;
        for (; i < size && data[i] != '\n'; i++) {
            if (length + 1 < LENGTH && data[i] != '\0') {
                word[length++] = (char)data[i];
            }
        }
        i++;
        word[length] = '\0';
        /* who lists all policies, or lays out many nodes, takes long */
        const bool lists =
            w->n > 1 && (strcmp(w->text[1], "efe") == 0 || strcmp(w->text[1], "graph") == 0);
        const int most = lists ? 1 : 2;
        if (length > 0 && tame(word, most) && w->n < N_WORD) {
            add_word(w, word);
        }
    }
    return i < size ? i + 1 : size;
}

#endif

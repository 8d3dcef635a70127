/* name.c: finding a name in a list, and the one that was probably meant.
 *
 * A list of names is a function from 0, 1, 2, ... to a name, NULL past the end. The nearest name is
 * the one with the smallest edit distance, if that is at most one more than a third of the word's
 * length, or one that begins with the word. */
#include "base/name.h"

#include <stdio.h>
#include <string.h>

#include "base/shown.h"
#include "sonde.h"

/* longer words are not worth a suggestion */
#define WORD_MAX 64

static int smaller(int a, int b) {
    return a < b ? a : b;
}

/* Levenshtein distance, row by row. */
static int edit_distance(const char *a, const char *b) {
    int row[WORD_MAX + 1];
    const int n_b = (int)strlen(b);
    for (int j = 0; j <= n_b; j++) {
        row[j] = j;
    }
    for (int i = 0; a[i] != '\0'; i++) {
        int diagonal = row[0];
        row[0] = i + 1;
        for (int j = 0; j < n_b; j++) {
            const int replaced = diagonal + (a[i] != b[j]);
            diagonal = row[j + 1];
            row[j + 1] = smaller(replaced, 1 + smaller(row[j], row[j + 1]));
        }
    }
    return row[n_b];
}

bool sonde__name_fault(const char *name, char fault[SONDE__FAULT]) {
    for (int length = 1; *name != '\0'; name += length) {
        uint32_t code = 0;
        length = sonde__character(name, &code);
        /* a byte that is no character may be one of eight bits */
        code = length > 0 ? code : (unsigned char)*name;
        if (sonde__is_control(code) || length == 0) {
            (void)snprintf(fault, SONDE__FAULT,
                           sonde__is_control(code)
                               ? "without control characters, found character 0x%02x in it"
                               : "in UTF-8, found the byte 0x%02x in it",
                           (unsigned)code);
            return true;
        }
    }
    return false;
}

int32_t sonde_name_find(const char *(*name)(int32_t), const char *word) {
    for (int32_t i = 0; name(i) != NULL; i++) {
        if (strcmp(name(i), word) == 0) {
            return i;
        }
    }
    return -1;
}

/* the nearest name so far */
typedef struct {
    const char *word;
    const char *nearest; /* or NULL */
    int least;
} nearing;

static nearing nearing_begin(const char *word) {
    const size_t length = strlen(word);
    return (nearing){.word = word,
                     .least = length > 0 && length <= WORD_MAX ? 1 + (int)length / 3 : -1};
}

static void nearing_see(nearing *n, const char *name) {
    if (n->least < 0 || strlen(name) > WORD_MAX) {
        return;
    }
    const bool begins = strncmp(name, n->word, strlen(n->word)) == 0;
    const int distance = begins ? 0 : edit_distance(n->word, name);
    if (distance < n->least || (distance == n->least && n->nearest == NULL)) {
        n->least = distance;
        n->nearest = name;
    }
}

const char *sonde_name_nearest(const char *(*name)(int32_t), const char *word) {
    const int32_t exact = sonde_name_find(name, word);
    if (exact >= 0) {
        return name(exact);
    }
    nearing n = nearing_begin(word);
    for (int32_t i = 0; name(i) != NULL; i++) {
        nearing_see(&n, name(i));
    }
    return n.nearest;
}

const char *sonde__name_nearest(const char *const *name, int32_t n_name, const char *word) {
    nearing n = nearing_begin(word);
    for (int32_t i = 0; i < n_name; i++) {
        nearing_see(&n, name[i]);
    }
    return n.nearest;
}

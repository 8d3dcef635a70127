/* pieces.c: whether any piece of text was not whole. */
#include "pieces.h"

#include <string.h>

static bool lost;

void piece_begin(void) {
    lost = false;
}

void piece_lose(void) {
    lost = true;
}

void piece_add_cell(sonde_text *csv, const char *words, bool quoted) {
    quoted = quoted || words[strcspn(words, "\",;\t\r\n")];
    sonde_text_add(csv, quoted ? "\"" : "");
    sonde_text_add(csv, *words && strchr("=+-@\t\r\n", *words) ? "'" : "");
    for (; *words; words++) {
        sonde_text_add(csv, *words == '"' ? "\"\"" : "%c", *words);
    }
    sonde_text_add(csv, quoted ? "\"" : "");
}

void piece_check(const sonde_text *piece) {
    lost = lost || piece->failed;
}

void piece_free(sonde_text *piece) {
    piece_check(piece);
    sonde_text_free(piece);
}

bool piece_lost(void) {
    return lost;
}

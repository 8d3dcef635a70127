/* pieces.c: whether any piece of text was not whole. */
#include "pieces.h"

static bool lost;

void piece_begin(void) {
    lost = false;
}

void piece_lose(void) {
    lost = true;
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

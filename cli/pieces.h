/* pieces.h: texts that other texts are made of.
 *
 * A text that had no room to grow is shorter than it should be, and so is whatever it was meant
 * for. That is remembered: no file is written from then on, and the run ends for want of memory. */
#ifndef SONDE_CLI_PIECES_H
#define SONDE_CLI_PIECES_H

#include "sonde.h"

/* Frees a piece, and remembers if it was not whole. */
void piece_free(sonde_text *piece);
/* Remembers it of a piece that is still needed. */
void piece_check(const sonde_text *piece);
/* Remembers that something else could not be kept. */
void piece_lose(void);
/* Appends words as a cell of a CSV table: in quotes, always or where it has to be, and after an
 * apostrophe where a spreadsheet would calculate. */
void piece_add_cell(sonde_text *csv, const char *words, bool quoted);
/* Forgets all that: a page runs one command after the other. */
void piece_begin(void);
/* Whether any was not whole. */
bool piece_lost(void);

#endif

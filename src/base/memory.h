/* memory.h: the only place that asks the system for memory.
 *
 * One object is one block: a function that carves an object out of an arena runs twice, first on an
 * arena without memory, which only measures, then on one of the measured size.
 *
 *     sonde__arena arena = {0};
 *     carve(&arena, n, &thing);                      measures
 *     if (!sonde__arena_reserve(&arena)) return SONDE_NO_MEMORY;
 *     carve(&arena, n, &thing);                      carves
 */
#ifndef SONDE_BASE_MEMORY_H
#define SONDE_BASE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sonde.h"

/* Zeroed memory, or NULL. */
void *sonde__alloc(size_t size);
void *sonde__resize(void *block, size_t size);
void sonde__free(void *block);

/* A block from which pieces are cut one after the other. While `base` is NULL it only measures. */
typedef struct {
    char *base;
    void *block;   /* what base lies in, if that is not a block itself */
    uint64_t size; /* bytes there are */
    uint64_t used; /* bytes cut off, saturating */
} sonde__arena;

/* Cuts off n pieces of `size` bytes, aligned for vectors; NULL while measuring. */
void *sonde__arena_take(sonde__arena *arena, uint64_t n, size_t size);
/* Keeps the pieces of one thread off those of another: processors fetch cache lines in pairs. */
void sonde__arena_gap(sonde__arena *arena);
/* Gives a measuring arena the memory it measured, zeroed, and starts it anew. Its first piece
 * can be freed like a block. */
bool sonde__arena_reserve(sonde__arena *arena);
/* The same within what the run allows: SONDE_TOO_LARGE for `what` and the `help` of
 * sonde__check_memory where it is more, SONDE_NO_MEMORY where there is none. */
sonde_status sonde__arena_claim(sonde__arena *arena, const sonde_run *run, const char *what,
                                const char *help, sonde_error *error);
/* The same for scratch, which is freed with its arena: what is not touched costs nothing, and large
 * pieces are zeroed by the threads that touch them first. */
bool sonde__arena_reserve_lazily(sonde__arena *arena);
void sonde__arena_free(sonde__arena *arena);

/* An arena within a piece of another, which becomes zeros again. */
sonde__arena sonde__arena_within(void *piece, uint64_t size);
/* Copies a stretch of several pieces with what lies between them, which nobody else may read: where
 * the address sanitizer watches, it stops whoever does. */
void sonde__arena_copy(void *to, const void *from, uint64_t bytes);

#define SONDE__TAKE(arena, type, n)                                                                \
    ((type *)sonde__arena_take((arena), (uint64_t)(n), sizeof(type)))

/* Pieces of scratch whose number nobody knows beforehand, each a block of its own, freed
 * together. */
typedef struct {
    struct sonde__piece *last;
    bool refused; /* a piece could not be had */
} sonde__pool;
/* n zeroed pieces of `size` bytes, aligned for any type; NULL when the system refuses. */
void *sonde__pool_take(sonde__pool *pool, uint64_t n, size_t size);
void sonde__pool_free(sonde__pool *pool);

#define SONDE__POOL_TAKE(pool, type, n)                                                            \
    ((type *)sonde__pool_take((pool), (uint64_t)(n), sizeof(type)))

/* Sums and products that stay at UINT64_MAX instead of wrapping round. */
uint64_t sonde__add(uint64_t a, uint64_t b);
uint64_t sonde__multiply(uint64_t a, uint64_t b);

#endif

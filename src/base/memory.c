/* memory.c: allocation, arenas and sizes that cannot overflow.
 *
 * Sizes are 64-bit and saturate, so that a request which is too large for any machine fails in
 * sonde__arena_reserve like any other that the system refuses. */
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

#include "base/status.h"

/* a cache line, and as wide as the widest vectors */
#define ALIGNMENT 64u

/* the address sanitizer watches what lies between the pieces of an arena, too */
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define WATCHED
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define WATCHED
#endif
#if defined(WATCHED)
#include <sanitizer/asan_interface.h>
#define UNWATCHED __attribute__((no_sanitize_address))
#else
#define UNWATCHED
#define ASAN_POISON_MEMORY_REGION(at, size) ((void)(at), (void)(size))
#define ASAN_UNPOISON_MEMORY_REGION(at, size) ((void)(at), (void)(size))
#endif

void *sonde__alloc(size_t size) {
    return calloc(1, size > 0 ? size : 1);
}

void *sonde__resize(void *block, size_t size) {
    return realloc(block, size);
}

void sonde__free(void *block) {
    free(block);
}

uint64_t sonde__add(uint64_t a, uint64_t b) {
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

uint64_t sonde__multiply(uint64_t a, uint64_t b) {
    /* two numbers of 32 bits always fit, and dividing takes longer than all the rest */
    const bool small = (a | b) <= UINT32_MAX;
    return small || b == 0 || a <= UINT64_MAX / b ? a * b : UINT64_MAX;
}

void *sonde__arena_take(sonde__arena *arena, uint64_t n, size_t size) {
    const uint64_t bytes = sonde__multiply(n, size);
    const uint64_t padded = sonde__add(bytes, ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    const uint64_t start = arena->used;
    arena->used = sonde__add(start, padded);
    if (arena->base == NULL || arena->used > arena->size) {
        return NULL;
    }
    char *piece = arena->base + start;
    ASAN_UNPOISON_MEMORY_REGION(piece, bytes);
    ASAN_POISON_MEMORY_REGION(piece + bytes, padded - bytes);
    return piece;
}

UNWATCHED void sonde__arena_copy(void *to, const void *from, uint64_t bytes) {
#if defined(WATCHED)
    volatile char *copy = to; /* or compilers make it a memcpy, which is watched */
    for (uint64_t i = 0; i < bytes; i++) {
        copy[i] = ((const char *)from)[i];
    }
#else
    memcpy(to, from, (size_t)bytes);
#endif
}

sonde__arena sonde__arena_within(void *piece, uint64_t size) {
    ASAN_UNPOISON_MEMORY_REGION(piece, size);
    memset(piece, 0, (size_t)size);
    return (sonde__arena){.base = piece, .size = size};
}

void sonde__arena_gap(sonde__arena *arena) {
    (void)sonde__arena_take(arena, 1, 1);
}

bool sonde__arena_reserve_lazily(sonde__arena *arena) {
    /* no system gives more than half of its address space */
    if (arena->used > SIZE_MAX / 2 - ALIGNMENT) {
        return false;
    }
    char *block = sonde__alloc((size_t)arena->used + ALIGNMENT - 1);
    if (block == NULL) {
        return false;
    }
    arena->block = block;
    arena->base = block + (ALIGNMENT - (uintptr_t)block % ALIGNMENT) % ALIGNMENT;
    arena->size = arena->used;
    arena->used = 0;
    return true;
}

bool sonde__arena_reserve(sonde__arena *arena) {
    if (arena->used > SIZE_MAX / 2) {
        return false;
    }
    const size_t size = arena->used > 0 ? (size_t)arena->used : ALIGNMENT;
    arena->base = aligned_alloc(ALIGNMENT, size);
    if (arena->base == NULL) {
        return false;
    }
    memset(arena->base, 0, size);
    arena->size = size;
    arena->used = 0;
    return true;
}

sonde_status sonde__arena_claim(sonde__arena *arena, const sonde_run *run, const char *what,
                                const char *help, sonde_error *error) {
    const uint64_t bytes = arena->used;
    const sonde_status fits = sonde__check_memory(run, bytes, what, help, error);
    if (fits != SONDE_OK) {
        return fits;
    }
    return sonde__arena_reserve(arena) ? SONDE_OK : sonde__fail_memory(error, what, bytes);
}

void sonde__arena_free(sonde__arena *arena) {
    free(arena->block != NULL ? arena->block : arena->base);
    *arena = (sonde__arena){0};
}

/* a piece of a pool: what comes before its bytes */
struct sonde__piece {
    struct sonde__piece *before;
    max_align_t bytes[];
};

void *sonde__pool_take(sonde__pool *pool, uint64_t n, size_t size) {
    const uint64_t bytes = sonde__add(sonde__multiply(n, size), sizeof(struct sonde__piece));
    struct sonde__piece *piece = bytes <= SIZE_MAX / 2 ? sonde__alloc((size_t)bytes) : NULL;
    if (piece == NULL) {
        pool->refused = true;
        return NULL;
    }
    piece->before = pool->last;
    pool->last = piece;
    return piece->bytes;
}

void sonde__pool_free(sonde__pool *pool) {
    while (pool->last != NULL) {
        struct sonde__piece *piece = pool->last;
        pool->last = piece->before;
        free(piece);
    }
}

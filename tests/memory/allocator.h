/* allocator.h: memory that counts, refuses, or forbids.
 *
 * The linker sends every call of malloc and its family in this program (not those inside shared
 * libraries) to the functions below. While watching, the n-th request can be refused, and blocks
 * that have not been given back are counted; while forbidding, every call is counted as a fault.
 * Jansson, which has allocation functions of its own choice, is given the same. */
#ifndef TESTS_MEMORY_ALLOCATOR_H
#define TESTS_MEMORY_ALLOCATOR_H

#include <jansson.h>

#include "stages.h"

void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *block, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
void __real_free(void *block);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *block, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
void __wrap_free(void *block);

enum { N_SLOT = 1 << 16 };

static struct {
    bool watching;
    int64_t refuse; /* number of the request that is refused; 0: none */
    bool onward;    /* and so are all that follow */
    int64_t n_request;
    bool refused;
    int32_t n_live;
    uint64_t bytes; /* in live blocks, and the most there were at once */
    uint64_t peak;
    bool forbidding;
    int64_t n_fault;           /* calls while forbidding, from any thread */
    const void *block[N_SLOT]; /* live blocks by hash; NULL where free */
    size_t size[N_SLOT];       /* of each */
} allocator;

static inline size_t slot_of(const void *block) {
    size_t slot = ((uintptr_t)block >> 4) * 0x9E3779B1u % N_SLOT;
    while (allocator.block[slot] != NULL && allocator.block[slot] != block) {
        slot = (slot + 1) % N_SLOT;
    }
    return slot;
}

static inline void *note(void *block, size_t size) {
    if (block != NULL && allocator.watching) {
        if (allocator.n_live > N_SLOT / 2) {
            abort(); /* the table is too small for this test */
        }
        const size_t slot = slot_of(block);
        allocator.block[slot] = block;
        allocator.size[slot] = size;
        allocator.n_live++;
        allocator.bytes += size;
        allocator.peak = allocator.bytes > allocator.peak ? allocator.bytes : allocator.peak;
    }
    return block;
}

/* Blocks that were made before the watch, or inside a library, are none of ours. */
static inline void forget(const void *block) {
    size_t slot = slot_of(block);
    if (block == NULL || allocator.block[slot] == NULL) {
        return;
    }
    allocator.n_live--;
    allocator.bytes -= allocator.size[slot];
    allocator.block[slot] = NULL;
    /* those behind it may move up */
    for (slot = (slot + 1) % N_SLOT; allocator.block[slot] != NULL; slot = (slot + 1) % N_SLOT) {
        const void *moved = allocator.block[slot];
        const size_t size = allocator.size[slot];
        allocator.block[slot] = NULL;
        const size_t place = slot_of(moved);
        allocator.block[place] = moved;
        allocator.size[place] = size;
    }
}

/* Whether this request is the one to refuse. */
static inline bool refused(void) {
    if (allocator.forbidding) {
        __atomic_add_fetch(&allocator.n_fault, 1, __ATOMIC_RELAXED);
    }
    if (!allocator.watching) {
        return false;
    }
    const int64_t n = ++allocator.n_request;
    const bool hit =
        allocator.refuse > 0 && (allocator.onward ? n >= allocator.refuse : n == allocator.refuse);
    allocator.refused = allocator.refused || hit;
    return hit;
}

void *__wrap_malloc(size_t size) {
    return refused() ? NULL : note(__real_malloc(size), size);
}

void *__wrap_calloc(size_t n, size_t size) {
    return refused() ? NULL : note(__real_calloc(n, size), n * size);
}

void *__wrap_realloc(void *block, size_t size) {
    if (refused()) {
        return NULL;
    }
    if (allocator.watching) {
        forget(block);
    }
    return note(__real_realloc(block, size), size);
}

void *__wrap_aligned_alloc(size_t alignment, size_t size) {
    return refused() ? NULL : note(__real_aligned_alloc(alignment, size), size);
}

void __wrap_free(void *block) {
    if (allocator.forbidding) {
        __atomic_add_fetch(&allocator.n_fault, 1, __ATOMIC_RELAXED);
    }
    if (allocator.watching) {
        forget(block);
    }
    __real_free(block);
}

/* Starts counting; the `refuse`-th request is refused. */
static inline void watch_memory(int64_t refuse) {
    memset(&allocator, 0, sizeof allocator);
    allocator.refuse = refuse;
    allocator.watching = true;
}

static inline void unwatch_memory(void) {
    allocator.watching = false;
}

/* From now on no memory, until permitted again; returns how often that was not heeded. */
static inline void forbid_memory(void) {
    memset(&allocator, 0, sizeof allocator);
    allocator.forbidding = true;
}

static inline int64_t permit_memory(void) {
    allocator.forbidding = false;
    return allocator.n_fault;
}

#endif

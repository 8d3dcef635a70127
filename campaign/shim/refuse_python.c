/* refuse_python.c: a library that is preloaded into Python, and refuses memory to Sonde's extension.
 *
 * Refusing memory to all of Python would try Python. What is refused here is asked for by the
 * extension, the libraries in it, and jansson, SQLite and zlib, which those call: by the address that
 * a request comes from (what = 0); or what the extension asks of Python (what = 1), objects, lists
 * and buffers: requests to Python's own allocators with the extension a few calls above them.
 * campaign/refused_python.py calls:
 *
 *     refuse_arm(what, k, on)    the k-th request from now on is refused; on: and those after it
 *     refuse_disarm(answer)      answer: requests, whether one was refused
 *     refuse_live()              blocks that were asked for since refuse_arm from those addresses,
 *                                and that nobody gave back */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { N_RANGE = 64, N_SLOT = 1 << 18, DEPTH = 10, BY_ADDRESS = 0, BY_PYTHON = 1 };

static struct {
    uintptr_t from;
    uintptr_t to;
} range[N_RANGE];
static int n_range;

static volatile bool armed;
static volatile bool noting;
static int what;
static int64_t which;
static bool on;
static int64_t count;
static bool refused;
static const void *slot[N_SLOT];
static int32_t n_used;
static char lock;

/* -------------------------------------------------------------------------- who is asking -- */

static int add_ranges(struct dl_phdr_info *info, size_t size, void *user) {
    static const char *const wanted[] = {"/_sonde", "/libjansson", "/libsqlite3", "/libz."};
    (void)size, (void)user;
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        if (info->dlpi_name == NULL || strstr(info->dlpi_name, wanted[i]) == NULL) {
            continue;
        }
        for (int h = 0; h < info->dlpi_phnum && n_range < N_RANGE; h++) {
            const ElfW(Phdr) *header = &info->dlpi_phdr[h];
            if (header->p_type == PT_LOAD && (header->p_flags & PF_X) != 0) {
                range[n_range].from = info->dlpi_addr + header->p_vaddr;
                range[n_range].to = range[n_range].from + header->p_memsz;
                n_range++;
            }
        }
    }
    return 0;
}

static bool is_ours(const void *caller) {
    const uintptr_t at = (uintptr_t)caller;
    for (int i = 0; i < n_range; i++) {
        if (at >= range[i].from && at < range[i].to) {
            return true;
        }
    }
    return false;
}

static bool is_refused(void) {
    const int64_t n = __atomic_add_fetch(&count, 1, __ATOMIC_RELAXED);
    const bool hit = which > 0 && (on ? n >= which : n == which);
    refused = refused || hit;
    return hit;
}

/* ---------------------------------------------------------------------------------- blocks -- */

static size_t find(const void *block) {
    size_t i = ((uintptr_t)block >> 4) * 0x9E3779B1u % N_SLOT;
    while (slot[i] != NULL && slot[i] != block) {
        i = (i + 1) % N_SLOT;
    }
    return i;
}

static void acquire(void) {
    while (__atomic_test_and_set(&lock, __ATOMIC_ACQUIRE)) {
    }
}

static void release(void) {
    __atomic_clear(&lock, __ATOMIC_RELEASE);
}

static void *note(void *block) {
    if (noting && block != NULL) {
        acquire();
        const size_t i = find(block);
        if (slot[i] == NULL && ++n_used > N_SLOT / 2) {
            abort(); /* the table is too small */
        }
        slot[i] = block;
        release();
    }
    return block;
}

static void forget(const void *block) {
    if (!noting || block == NULL) {
        return;
    }
    acquire();
    size_t i = find(block);
    if (slot[i] != NULL) {
        n_used--;
        slot[i] = NULL;
        for (i = (i + 1) % N_SLOT; slot[i] != NULL; i = (i + 1) % N_SLOT) {
            const void *moved = slot[i];
            slot[i] = NULL;
            slot[find(moved)] = moved;
        }
    }
    release();
}

/* ---------------------------------------------------------------------------------- malloc -- */

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *block, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
void __libc_free(void *block);

static bool no_memory(const void *caller) {
    if (!armed || what != BY_ADDRESS || !is_ours(caller) || !is_refused()) {
        return false;
    }
    errno = ENOMEM;
    return true;
}

#define CALLER __builtin_return_address(0)
#define GIVEN(block) (noting && is_ours(CALLER) ? note(block) : (block))

void *malloc(size_t size) {
    return no_memory(CALLER) ? NULL : GIVEN(__libc_malloc(size));
}

void *calloc(size_t n, size_t size) {
    return no_memory(CALLER) ? NULL : GIVEN(__libc_calloc(n, size));
}

void *realloc(void *block, size_t size) {
    if (size > 0 && no_memory(CALLER)) {
        return NULL;
    }
    forget(block);
    return GIVEN(__libc_realloc(block, size));
}

void *aligned_alloc(size_t alignment, size_t size) {
    return no_memory(CALLER) ? NULL : GIVEN(__libc_memalign(alignment, size));
}

int posix_memalign(void **block, size_t alignment, size_t size) {
    void *made = no_memory(CALLER) ? NULL : GIVEN(__libc_memalign(alignment, size));
    if (made == NULL) {
        return ENOMEM;
    }
    *block = made;
    return 0;
}

void free(void *block) {
    forget(block);
    __libc_free(block);
}

/* ------------------------------------------------------------------------ Python's allocators -- */

/* as in pymem.h, which has not changed since Python 3.5 */
typedef struct {
    void *context;
    void *(*malloc)(void *context, size_t size);
    void *(*calloc)(void *context, size_t n, size_t size);
    void *(*realloc)(void *context, void *block, size_t size);
    void (*free)(void *context, void *block);
} py_allocator;
enum { N_DOMAIN = 3 };
static py_allocator before[N_DOMAIN];
static bool hooked;

/* Whether the extension is among the last calls. */
static bool is_from_us(void) {
    void *frame[DEPTH];
    const int n = backtrace(frame, DEPTH);
    for (int i = 0; i < n; i++) {
        if (is_ours(frame[i])) {
            return true;
        }
    }
    return false;
}

static bool no_python_memory(void) {
    return armed && what == BY_PYTHON && is_from_us() && is_refused();
}

static void *py_malloc(void *context, size_t size) {
    const py_allocator *a = context;
    return no_python_memory() ? NULL : a->malloc(a->context, size);
}

static void *py_calloc(void *context, size_t n, size_t size) {
    const py_allocator *a = context;
    return no_python_memory() ? NULL : a->calloc(a->context, n, size);
}

static void *py_realloc(void *context, void *block, size_t size) {
    const py_allocator *a = context;
    return no_python_memory() ? NULL : a->realloc(a->context, block, size);
}

static void py_free(void *context, void *block) {
    const py_allocator *a = context;
    a->free(a->context, block);
}

/* The two domains of objects and their memory; the third, of Python's own raw memory, stays. */
static void hook(void) {
    void (*get)(int domain, py_allocator *allocator) = NULL;
    void (*set)(int domain, py_allocator *allocator) = NULL;
    *(void **)&get = dlsym(RTLD_DEFAULT, "PyMem_GetAllocator");
    *(void **)&set = dlsym(RTLD_DEFAULT, "PyMem_SetAllocator");
    for (int domain = 1; domain < N_DOMAIN && get != NULL && set != NULL; domain++) {
        py_allocator mine = {&before[domain], py_malloc, py_calloc, py_realloc, py_free};
        get(domain, &before[domain]);
        set(domain, &mine);
    }
    hooked = true;
}

/* ------------------------------------------------------------------------------- for Python -- */

void refuse_arm(int kind, long long k, int onward) {
    if (n_range == 0) {
        (void)dl_iterate_phdr(add_ranges, NULL);
    }
    if (kind == BY_PYTHON && !hooked) {
        (void)is_from_us(); /* which loads what it needs the first time */
        hook();
    }
    memset(slot, 0, sizeof slot);
    n_used = 0;
    what = kind;
    which = k;
    on = onward != 0;
    count = 0;
    refused = false;
    noting = true;
    armed = true;
}

void refuse_disarm(long long *answer) {
    armed = false;
    answer[0] = count;
    answer[1] = refused;
}

long long refuse_live(void) {
    noting = false;
    return n_used;
}

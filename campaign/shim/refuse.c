/* shim.c: a library that is preloaded into a program, and refuses it memory, input or output.
 *
 * It takes the place of the program's main. For every line that comes in through the descriptor
 * SONDE_SHIM_IN it forks, lets the program's own main run in the child, with one thing refused, and
 * answers through SONDE_SHIM_OUT how that ended. So thousands of runs cost no loading.
 *
 *     WHAT K HOW ON      WHAT: none, memory, open, read, write, sync, rename, remove, cut, close
 *                        K: which of these requests is refused, from 1 on
 *                        HOW: the errno, or "short": half of what was asked for is done
 *                        ON: 0: once, 1: from then on
 *     STATUS COUNT REFUSED LIVE    as waitpid tells it; requests of that kind; whether one was
 *                        refused; blocks of memory that nobody gave back
 *
 * Memory is refused by functions that the loader prefers to the C library's, wherever they are
 * called from. Of system calls, the kernel tells (seccomp), so that those inside the C library are
 * seen, too; standard error is left alone. Blocks that a run with nothing refused has at the end,
 * such as buffers of streams, are known by who asked for them and not counted. With
 * SONDE_SHIM_TRACE the refusal says on standard error who called. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

typedef enum {
    NONE,
    MEMORY,
    OPEN,
    READ,
    WRITE,
    SYNC,
    RENAME,
    REMOVE,
    CUT,
    CLOSE,
    N_WHAT
} what_kind;

static const char *const names[N_WHAT] = {"none", "memory", "open",   "read", "write",
                                          "sync", "rename", "remove", "cut",  "close"};

enum { N_SLOT = 1 << 18, N_CALLER = 256, SHORT = -1, TIME_LIMIT = 60 };

/* what parent and child both see */
static struct {
    int64_t count;
    int32_t refused;
    int64_t n_live;
    const void *caller[N_CALLER]; /* who asked for a block that was not given back */
    int32_t n_caller;
} * shared;

static what_kind what;
static int64_t which;
static int how;
static bool on;
static volatile bool armed;
static bool traced;

/* blocks of memory that were asked for while armed, by hash */
static struct {
    const void *block;
    const void *caller;
} slot[N_SLOT];
static int32_t n_slot_used;
static size_t first_slot = N_SLOT; /* that was ever used, and the last */
static size_t last_slot;
static const void *usual[N_CALLER]; /* callers of a run with nothing refused */
static int32_t n_usual;
static char lock;

/* Whether this request is the one, or one of those, to refuse. */
static bool is_refused(void) {
    const int64_t n = __atomic_add_fetch(&shared->count, 1, __ATOMIC_RELAXED);
    if (which == 0 || (on ? n < which : n != which)) {
        return false;
    }
    if (traced && !shared->refused) {
        void *frame[24];
        backtrace_symbols_fd(frame, backtrace(frame, 24), STDERR_FILENO);
    }
    shared->refused = 1;
    return true;
}

/* ---------------------------------------------------------------------------------- memory -- */

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *block, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
void __libc_free(void *block);

/* Blocks that lie side by side have slots side by side: few pages of the table are touched. */
static size_t find(const void *block) {
    size_t i = ((uintptr_t)block >> 4) % N_SLOT;
    while (slot[i].block != NULL && slot[i].block != block) {
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

static void *note(void *block, const void *caller) {
    if (armed && block != NULL) {
        acquire();
        const size_t i = find(block);
        if (slot[i].block == NULL && ++n_slot_used > N_SLOT / 2) {
            abort(); /* the table is too small */
        }
        slot[i].block = block;
        slot[i].caller = caller;
        first_slot = i < first_slot ? i : first_slot;
        last_slot = i > last_slot ? i : last_slot;
        release();
    }
    return block;
}

static void forget(const void *block) {
    if (!armed || block == NULL) {
        return;
    }
    acquire();
    size_t i = find(block);
    if (slot[i].block != NULL) {
        n_slot_used--;
        slot[i].block = NULL;
        for (i = (i + 1) % N_SLOT; slot[i].block != NULL; i = (i + 1) % N_SLOT) {
            const void *moved = slot[i].block;
            const void *caller = slot[i].caller;
            slot[i].block = NULL;
            const size_t place = find(moved);
            slot[place].block = moved;
            slot[place].caller = caller;
        }
    }
    release();
}

static bool no_memory(void) {
    if (!armed || what != MEMORY || !is_refused()) {
        return false;
    }
    errno = ENOMEM;
    return true;
}

#define CALLER __builtin_return_address(0)

void *malloc(size_t size) {
    return no_memory() ? NULL : note(__libc_malloc(size), CALLER);
}

void *calloc(size_t n, size_t size) {
    return no_memory() ? NULL : note(__libc_calloc(n, size), CALLER);
}

static void *again(void *block, size_t size, const void *caller) {
    if (size > 0 && no_memory()) {
        return NULL;
    }
    forget(block);
    return note(__libc_realloc(block, size), caller);
}

void *realloc(void *block, size_t size) {
    return again(block, size, CALLER);
}

void *reallocarray(void *block, size_t n, size_t size) {
    size_t bytes = 0;
    if (__builtin_mul_overflow(n, size, &bytes)) {
        errno = ENOMEM;
        return NULL;
    }
    return again(block, bytes, CALLER);
}

void *aligned_alloc(size_t alignment, size_t size) {
    return no_memory() ? NULL : note(__libc_memalign(alignment, size), CALLER);
}

void *memalign(size_t alignment, size_t size);
void *memalign(size_t alignment, size_t size) {
    return no_memory() ? NULL : note(__libc_memalign(alignment, size), CALLER);
}

int posix_memalign(void **block, size_t alignment, size_t size) {
    void *made = no_memory() ? NULL : note(__libc_memalign(alignment, size), CALLER);
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

/* ---------------------------------------------------------------------------- system calls -- */

/* The only place from which the kernel lets everything pass: where it goes on after `syscall`. */
long shim_call(long number, const long *argument);
extern const char shim_called[];
__asm__(".text\n.global shim_call\n.type shim_call, @function\nshim_call:\n"
        "    mov %rdi, %rax\n    mov %rsi, %r11\n"
        "    mov 0(%r11), %rdi\n    mov 8(%r11), %rsi\n    mov 16(%r11), %rdx\n"
        "    mov 32(%r11), %r8\n    mov 40(%r11), %r9\n    mov 24(%r11), %r10\n"
        "    syscall\n.global shim_called\nshim_called:\n    ret\n");

static const struct {
    int number;
    what_kind kind;
} calls[] = {
    {SYS_open, OPEN},
    {SYS_openat, OPEN},
    {SYS_creat, OPEN},
    {SYS_read, READ},
    {SYS_pread64, READ},
    {SYS_readv, READ},
    {SYS_write, WRITE},
    {SYS_pwrite64, WRITE},
    {SYS_writev, WRITE},
    {SYS_fsync, SYNC},
    {SYS_fdatasync, SYNC},
    {SYS_rename, RENAME},
    {SYS_renameat, RENAME},
    {SYS_link, RENAME},
    {SYS_linkat, RENAME},
    {SYS_unlink, REMOVE},
    {SYS_unlinkat, REMOVE},
    {SYS_ftruncate, CUT},
    {SYS_copy_file_range, WRITE},
    {SYS_sendfile, WRITE},
    {SYS_close, CLOSE},
};
enum { N_CALL = sizeof calls / sizeof *calls };

static what_kind kind_of(long number) {
    for (int i = 0; i < N_CALL; i++) {
        if (calls[i].number == number) {
            return calls[i].kind;
        }
    }
    return NONE;
}

static bool can_be_short(long number, long size) {
    return size > 1 && (number == SYS_read || number == SYS_pread64 || number == SYS_write ||
                        number == SYS_pwrite64);
}

static long decide(long number, long *argument) {
    const bool counts = armed && kind_of(number) == what &&
                        !(what != OPEN && what != RENAME && what != REMOVE && argument[0] == 2);
    if (!counts || !is_refused()) {
        return shim_call(number, argument);
    }
    if (how == SHORT) {
        argument[2] = can_be_short(number, argument[2]) ? argument[2] / 2 : argument[2];
        return shim_call(number, argument);
    }
    if (what == CLOSE) {
        (void)shim_call(number, argument); /* the descriptor is gone all the same */
    }
    return -how;
}

static void on_trap(int number, siginfo_t *info, void *context) {
    (void)number;
    greg_t *r = ((ucontext_t *)context)->uc_mcontext.gregs;
    const int before = errno;
    long argument[6] = {r[REG_RDI], r[REG_RSI], r[REG_RDX], r[REG_R10], r[REG_R8], r[REG_R9]};
    r[REG_RAX] = decide(info->si_syscall, argument);
    errno = before;
}

/* Asks the kernel to tell of the calls, unless they come from shim_call. */
static bool watch_calls(void) {
    struct sigaction action = {.sa_sigaction = on_trap, .sa_flags = SA_SIGINFO | SA_NODEFER};
    const uint64_t place = (uint64_t)(uintptr_t)shim_called;
    struct sock_filter filter[8 + 2 * N_CALL];
    unsigned short n = 0;
#define WORD(offset) (struct sock_filter) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (offset))
#define EQUAL(value, yes, no)                                                                      \
    (struct sock_filter) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (value), (yes), (no))
#define RETURN(value) (struct sock_filter) BPF_STMT(BPF_RET | BPF_K, (value))
    filter[n++] = WORD(offsetof(struct seccomp_data, instruction_pointer));
    filter[n++] = EQUAL((uint32_t)place, 0, 3);
    filter[n++] = WORD(offsetof(struct seccomp_data, instruction_pointer) + 4);
    filter[n++] = EQUAL((uint32_t)(place >> 32), 0, 1);
    filter[n++] = RETURN(SECCOMP_RET_ALLOW);
    filter[n++] = WORD(offsetof(struct seccomp_data, nr));
    for (int i = 0; i < N_CALL; i++) {
        filter[n++] = EQUAL((uint32_t)calls[i].number, 0, 1);
        filter[n++] = RETURN(SECCOMP_RET_TRAP);
    }
    filter[n++] = RETURN(SECCOMP_RET_ALLOW);
    const struct sock_fprog program = {.len = n, .filter = filter};
    (void)sigemptyset(&action.sa_mask);
    return sigaction(SIGSYS, &action, NULL) == 0 && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

/* ------------------------------------------------------------------------------ the server -- */

typedef int (*main_function)(int argc, char **argv, char **environment);
static main_function program;

static void report_blocks(void) {
    for (size_t i = first_slot; i <= last_slot; i++) {
        bool known = slot[i].block == NULL;
        for (int32_t j = 0; j < n_usual && !known; j++) {
            known = usual[j] == slot[i].caller;
        }
        if (!known) {
            shared->n_live++;
            if (shared->n_caller < N_CALLER) {
                shared->caller[shared->n_caller++] = slot[i].caller;
            }
        }
    }
}

static int run_child(int argc, char **argv, char **environment) {
    (void)alarm(TIME_LIMIT);
    if (what > MEMORY && !watch_calls()) {
        _exit(120); /* no such kernel */
    }
    armed = true;
    const int status = program(argc, argv, environment);
    if (what <= MEMORY) {
        armed = false;
        report_blocks();
    }
    return status;
}

static bool read_line(int descriptor, char *line, size_t size) {
    for (size_t n = 0; n + 1 < size && read(descriptor, &line[n], 1) == 1; n++) {
        if (line[n] == '\n') {
            line[n] = '\0';
            return true;
        }
    }
    return false;
}

static bool understand(const char *line) {
    char name[16];
    char error[16];
    long long k = 0;
    int forever = 0;
    if (sscanf(line, "%15s %lld %15s %d", name, &k, error, &forever) != 4) {
        return false;
    }
    what = N_WHAT;
    for (int i = 0; i < N_WHAT; i++) {
        what = strcmp(name, names[i]) == 0 ? (what_kind)i : what;
    }
    which = k;
    how = strcmp(error, "short") == 0 ? SHORT : atoi(error);
    on = forever != 0;
    return what < N_WHAT;
}

static int serve(int argc, char **argv, char **environment) {
    const int in = atoi(getenv("SONDE_SHIM_IN"));
    const int out = atoi(getenv("SONDE_SHIM_OUT"));
    char line[128];
    void *frame[1];
    (void)unsetenv("LD_PRELOAD");
    traced = getenv("SONDE_SHIM_TRACE") != NULL && backtrace(frame, 1) > 0;
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED) {
        return 121;
    }
    while (read_line(in, line, sizeof line)) {
        if (!understand(line)) {
            return 122;
        }
        memset(shared, 0, sizeof *shared);
        const pid_t child = fork();
        if (child == 0) {
            (void)close(in);
            (void)close(out);
            return run_child(argc, argv, environment);
        }
        int status = 0;
        (void)waitpid(child, &status, 0);
        if (what == NONE && n_usual == 0) {
            memcpy(usual, shared->caller, sizeof usual);
            n_usual = shared->n_caller;
            shared->n_live = 0;
        }
        (void)dprintf(out, "%d %lld %d %lld", status, (long long)shared->count, shared->refused,
                      (long long)shared->n_live);
        for (int32_t i = 0; i < shared->n_caller && shared->n_live > 0 && i < 8; i++) {
            (void)dprintf(out, " %p", shared->caller[i]);
        }
        (void)dprintf(out, "\n");
    }
    return 0;
}

/* The C library's way into a program, with main replaced. */
int __libc_start_main(main_function entry, int argc, char **argv, void (*init)(void),
                      void (*fini)(void), void (*rtld_fini)(void), void *stack_end);

int __libc_start_main(main_function entry, int argc, char **argv, void (*init)(void),
                      void (*fini)(void), void (*rtld_fini)(void), void *stack_end) {
    int (*start)(main_function, int, char **, void (*)(void), void (*)(void), void (*)(void),
                 void *) = NULL;
    *(void **)&start = dlsym(RTLD_NEXT, "__libc_start_main");
    program = entry;
    return start(getenv("SONDE_SHIM_IN") != NULL ? serve : entry, argc, argv, init, fini, rtld_fini,
                 stack_end);
}

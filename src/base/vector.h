/* vector.h: one function, compiled for several generations of processors.
 *
 * SONDE__VECTOR before a function makes the compiler emit it for plain x86-64, AVX2 and AVX-512,
 * and the loader choose. Every version does the same operations in the same order on each element,
 * so all give the same bytes; other compilers and processors compile the function once. The
 * sanitizers cannot watch the loader's choice, so they get one version, too. Use it on static
 * functions only: what the loader looks at to choose is visible outside the library otherwise.
 *
 * Where code differs with the width of vectors, SONDE__VECTOR_512 and SONDE__VECTOR_256 are
 * defined: they compile a function for AVX-512 or AVX2 alone, to be called if sonde__has_512() or
 * sonde__has_256(). */
#ifndef SONDE_BASE_VECTOR_H
#define SONDE_BASE_VECTOR_H

#include <stdint.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SONDE__WATCHED
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SONDE__WATCHED
#endif

#if defined(__x86_64__) && defined(__gnu_linux__) && defined(__GNUC__) && !defined(__clang__) &&   \
    !defined(SONDE__WATCHED) && !defined(SONDE__ONE_VERSION)
#define SONDE__VECTOR __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#define SONDE__VECTOR_256 __attribute__((target("arch=x86-64-v3")))
#define SONDE__VECTOR_512 __attribute__((target("arch=x86-64-v4")))
static inline _Bool sonde__has_256(void) {
    return __builtin_cpu_supports("x86-64-v3");
}
static inline _Bool sonde__has_512(void) {
    return __builtin_cpu_supports("x86-64-v4");
}
#else
#define SONDE__VECTOR
#endif

/* Eight doubles, and their bits. */
enum { SONDE__EIGHT = 8 };
typedef double sonde__eight __attribute__((vector_size(SONDE__EIGHT * sizeof(double))));
typedef int64_t sonde__eight_bits __attribute__((vector_size(SONDE__EIGHT * sizeof(int64_t))));

#endif

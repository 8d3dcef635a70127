/* fit_bobyqa.c: NLopt's BOBYQA, looked for when it is first needed, and done without where it is
 * not installed.
 *
 * The library is opened by its name, so that nothing has to be there when we are built. */
#include <stddef.h>

#include "fit/fit_map.h"

#if defined(__unix__) && !defined(__EMSCRIPTEN__)
#include <dlfcn.h>
#define OPENS 1
#else
#define OPENS 0
#endif

/* what it takes of nlopt.h, 2.7 or later */
typedef struct nlopt_opt_s *nlopt_opt;
typedef double (*nlopt_func)(unsigned n, const double *x, double *gradient, void *data);
typedef struct {
    int (*algorithm)(const char *name);
    nlopt_opt (*create)(int algorithm, unsigned n);
    int (*maximise)(nlopt_opt opt, nlopt_func f, void *data);
    int (*lower)(nlopt_opt opt, double bound);
    int (*upper)(nlopt_opt opt, double bound);
    int (*xtol)(nlopt_opt opt, double tolerance);
    int (*step)(nlopt_opt opt, double step);
    int (*most)(nlopt_opt opt, int n);
    int (*optimise)(nlopt_opt opt, double *x, double *value);
    int (*stop)(nlopt_opt opt, int value);
    void (*destroy)(nlopt_opt opt);
} library;

#if OPENS
/* Finds a function; false where there is none. */
static bool find(void *opened, const char *name, void *function, size_t size) {
    void *found = dlsym(opened, name);
    __builtin_memcpy(function, &found, size);
    return found != NULL;
}

#define FIND(opened, name, function) find((opened), (name), &(function), sizeof(function))

static bool load(library *lib) {
    static const char *const name[] = {"libnlopt.so.0", "libnlopt.so.1", "libnlopt.so",
                                       "libnlopt.0.dylib", "libnlopt.dylib"};
    void *opened = NULL;
    for (size_t i = 0; opened == NULL && i < sizeof name / sizeof *name; i++) {
        opened = dlopen(name[i], RTLD_NOW | RTLD_LOCAL);
    }
    return opened != NULL && FIND(opened, "nlopt_algorithm_from_string", lib->algorithm) &&
           FIND(opened, "nlopt_create", lib->create) &&
           FIND(opened, "nlopt_set_max_objective", lib->maximise) &&
           FIND(opened, "nlopt_set_lower_bounds1", lib->lower) &&
           FIND(opened, "nlopt_set_upper_bounds1", lib->upper) &&
           FIND(opened, "nlopt_set_xtol_abs1", lib->xtol) &&
           FIND(opened, "nlopt_set_initial_step1", lib->step) &&
           FIND(opened, "nlopt_set_maxeval", lib->most) &&
           FIND(opened, "nlopt_optimize", lib->optimise) &&
           FIND(opened, "nlopt_set_force_stop", lib->stop) &&
           FIND(opened, "nlopt_destroy", lib->destroy) && lib->algorithm("LN_BOBYQA") >= 0;
}
#else
static bool load(library *lib) {
    (void)lib;
    return false;
}
#endif

/* What is found stays open; several threads that look for it find the same. */
static const library *library_of(void) {
    static library lib;
    static int state; /* 0: nobody has looked; 1: it is there; 2: it is not */
    int now = __atomic_load_n(&state, __ATOMIC_ACQUIRE);
    if (now == 0) {
        library found = {0};
        now = load(&found) ? 1 : 2;
        if (now == 1) {
            lib = found; /* the same bytes, whoever writes them */
        }
        __atomic_store_n(&state, now, __ATOMIC_RELEASE);
    }
    return now == 1 ? &lib : NULL;
}

bool sonde__bobyqa_is_there(void) {
    return library_of() != NULL;
}

/* a function that is being climbed */
typedef struct {
    const sonde__climb *climb;
    const library *lib;
    nlopt_opt opt;
} climbing;

/* NOLINTNEXTLINE(readability-non-const-parameter): as NLopt calls it */
static double value_of(unsigned n, const double *x, double *gradient, void *data) {
    const climbing *c = data;
    const double value = c->climb->value(c->climb->user, x);
    (void)n;
    (void)gradient;
    if (value != value) {
        (void)c->lib->stop(c->opt, 1);
        return -1e300;
    }
    return value;
}

bool sonde__bobyqa(const sonde__climb *climb, double *z) {
    const library *lib = library_of();
    climbing c = {.climb = climb, .lib = lib};
    double value = 0.0;
    if (lib == NULL) {
        return false;
    }
    c.opt = lib->create(lib->algorithm("LN_BOBYQA"), (unsigned)climb->n);
    if (c.opt == NULL) {
        return false;
    }
    int result = lib->maximise(c.opt, value_of, &c);
    result = result > 0 ? lib->lower(c.opt, -8.0) : result;
    result = result > 0 ? lib->upper(c.opt, 8.0) : result;
    result = result > 0 ? lib->xtol(c.opt, 1e-6) : result;
    result = result > 0 ? lib->step(c.opt, 0.5) : result;
    result = result > 0 ? lib->most(c.opt, 2000) : result;
    result = result > 0 ? lib->optimise(c.opt, z, &value) : result;
    lib->destroy(c.opt);
    return result > 0;
}

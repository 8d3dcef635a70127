/* fit_bobyqa.c: NLopt's BOBYQA, looked for when a fit begins, and done without where it is not
 * installed. A fit that has begun with it does not go on without it: its result would name an
 * optimiser that was not used.
 *
 * The library is opened by its name, so that nothing has to be there when we are built; it stays
 * open, and is found at once the next time. */
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

bool sonde__bobyqa_is_there(void) {
    library lib = {0};
    return load(&lib);
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

static sonde_status no_memory(sonde_error *error) {
    return sonde__fail(error, SONDE_NO_MEMORY, "optimiser: the system refused NLopt memory");
}

/* What NLopt's numbers mean to a fit: that it was stopped, or that more digits cannot be had, is no
 * failure, because Newton's steps follow. */
static sonde_status judge(int result, sonde_error *error) {
    enum { OUT_OF_MEMORY = -3, ROUNDOFF_LIMITED = -4, FORCED_STOP = -5 };
    if (result > 0 || result == ROUNDOFF_LIMITED || result == FORCED_STOP) {
        return SONDE_OK;
    }
    if (result == OUT_OF_MEMORY) {
        return no_memory(error);
    }
    return sonde__fail(error, SONDE_BAD_ARGUMENT,
                       "optimiser: NLopt's BOBYQA failed (its result is %d); choose newton",
                       result);
}

sonde_status sonde__bobyqa(const sonde__climb *climb, double *z, sonde_error *error) {
    library found = {0};
    const library *lib = &found;
    climbing c = {.climb = climb, .lib = lib};
    double value = 0.0;
    if (!load(&found)) {
        return sonde__fail(error, SONDE_NO_MEMORY,
                           "optimiser: NLopt's BOBYQA was there when the fit began, and cannot be "
                           "loaded now; choose newton");
    }
    c.opt = lib->create(lib->algorithm("LN_BOBYQA"), (unsigned)climb->n);
    if (c.opt == NULL) {
        return no_memory(error);
    }
    int result = lib->maximise(c.opt, value_of, &c);
    result = result > 0 ? lib->lower(c.opt, -8.0) : result;
    result = result > 0 ? lib->upper(c.opt, 8.0) : result;
    result = result > 0 ? lib->xtol(c.opt, 1e-6) : result;
    result = result > 0 ? lib->step(c.opt, 0.5) : result;
    result = result > 0 ? lib->most(c.opt, 2000) : result;
    result = result > 0 ? lib->optimise(c.opt, z, &value) : result;
    lib->destroy(c.opt);
    return judge(result, error);
}

/* numbers.c: what the library's own functions of numbers give, for others to check.
 *
 *     numbers < LINES
 *
 * Each line is the name of a function and its arguments in hexadecimal; each line that is printed
 * is the result, in hexadecimal, too. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/numbers.h"
#include "sonde.h"

enum { MOST = 4096 };

/* ln softmax(x) of the first, as a model has it that is given such preferences. */
static double log_softmax(int n, const double *x) {
    static const double one[MOST] = {1.0};
    const int64_t states[3] = {1, 1, 1};
    const int64_t outcomes[2] = {n, 1};
    const sonde_factor_parts factor = {.shape = {.n_state = 1, .n_action = 1},
                                       .B = {.n_axis = 3, .size = states, .value = one},
                                       .D = {.n_axis = 1, .size = states, .value = one}};
    const sonde_modality_parts modality = {.shape = {.n_outcome = n},
                                           .A = {.n_axis = 2, .size = outcomes, .value = one},
                                           .C = {.n_axis = 1, .size = outcomes, .value = x}};
    sonde_parts parts = sonde_parts_defaults();
    sonde_model *model = NULL;
    parts.n_factor = parts.n_modality = 1;
    parts.factor = &factor;
    parts.modality = &modality;
    parts.settings.horizon = 1;
    if (sonde_model_new(&parts, "numbers", NULL, &model, NULL) != SONDE_OK) {
        exit(3);
    }
    const double first = model->modality[0].preference[0];
    sonde_model_free(model);
    return first;
}

static double answer(const char *name, int n, const double *x) {
    if (strcmp(name, "log") == 0) {
        return sonde__log(x[0]);
    }
    if (strcmp(name, "exp") == 0) {
        return sonde__exp(x[0]);
    }
    if (strcmp(name, "log_add") == 0) {
        return sonde__log_add(x[0], x[1]);
    }
    if (strcmp(name, "digamma") == 0) {
        return sonde__digamma(x[0]);
    }
    if (strcmp(name, "digamma_lead") == 0) {
        return sonde__digamma_lead(x[0]);
    }
    if (strcmp(name, "log_gamma") == 0) {
        return sonde__log_gamma(x[0]);
    }
    if (strcmp(name, "sum_exp") == 0) { /* gamma, the least, and the numbers */
        return sonde__sum_exp(n - 2, x + 2, x[0], x[1]);
    }
    if (strcmp(name, "log_softmax") == 0) {
        return log_softmax(n, x);
    }
    (void)fprintf(stderr, "no function is called %s\n", name);
    exit(2);
}

int main(void) {
    static char line[64 * MOST];
    static double x[MOST];
    while (fgets(line, sizeof line, stdin) != NULL) {
        int n = 0;
        const char *name = strtok(line, " \n");
        for (const char *word = strtok(NULL, " \n"); word != NULL && n < MOST;
             word = strtok(NULL, " \n")) {
            x[n++] = strtod(word, NULL);
        }
        printf("%a\n", name != NULL ? answer(name, n, x) : 0.0);
    }
    return 0;
}

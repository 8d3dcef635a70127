/* model_pomdpx.c: a model from a POMDPX document (docs/formats.md).
 *
 * First the variables, here; then the functions, which become tables; then the parts of a model. */
#include "model/model_pomdpx.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/plain.h"
#include "base/shown.h"
#include "base/status.h"
#include "model/model_internal.h"

const sonde__variable *sonde__pomdpx_variable(const sonde__pomdpx *x, sonde__about what) {
    switch (what.when) {
    case SONDE__SEEN: return &x->seen[what.number];
    case SONDE__DONE: return &x->action;
    case SONDE__BROUGHT: return &x->reward[what.number];
    default: return &x->state[what.number];
    }
}

/* Values that have no names: s0, s1, ... */
static bool count_values(sonde__pomdpx *x, const sonde__element *e, char letter,
                         sonde__words *values) {
    char *end = NULL;
    const long n = strtol(e->text, &end, 10);
    if (end == e->text || strspn(end, " \t\r\n") != strlen(end) || n < 1 || n > INT32_MAX) {
        return sonde__foreign_wrong(x->file, e->text_line,
                                    "NumValues: expected a whole number from 1, found \"%.*s\"",
                                    sonde__cut(e->text, 60), e->text);
    }
    enum { CALLED = 12 };
    values->n = (int32_t)n;
    values->name = sonde__foreign_take(x->file, (uint64_t)n, sizeof *values->name);
    char *letters = sonde__foreign_take(x->file, (uint64_t)n, CALLED);
    for (int32_t i = 0; values->name != NULL && letters != NULL && i < values->n; i++) {
        char *name = letters + (size_t)i * CALLED;
        (void)snprintf(name, CALLED, "%c%d", letter, (int)i);
        values->name[i] = name;
    }
    return letters != NULL && values->name != NULL;
}

static bool list_values(sonde__pomdpx *x, const sonde__element *e, sonde__words *values) {
    values->n = sonde__xml_count(e);
    if (values->n == 0) {
        return sonde__foreign_wrong(x->file, e->line, "ValueEnum: expected names, found none");
    }
    values->name = sonde__foreign_take(x->file, (uint64_t)values->n, sizeof *values->name);
    sonde__xml_words words = sonde__xml_words_of(e);
    for (int32_t i = 0; values->name != NULL && i < values->n; i++) {
        size_t length = 0;
        const char *word = sonde__xml_word(&words, &length);
        values->name[i] = sonde__foreign_word(x->file, word, length);
        if (values->name[i] == NULL) {
            return false;
        }
    }
    return values->name != NULL;
}

static bool read_values(sonde__pomdpx *x, const sonde__element *e, char letter,
                        sonde__words *values) {
    const sonde__element *list = sonde__xml_child(e, "ValueEnum");
    const sonde__element *count = sonde__xml_child(e, "NumValues");
    if ((list == NULL) == (count == NULL)) {
        return sonde__foreign_wrong(x->file, e->line, "%s: expected one of ValueEnum and NumValues",
                                    e->name);
    }
    return (list != NULL ? list_values(x, list, values) : count_values(x, count, letter, values)) &&
           sonde__words_sort(x->file, values, "value", e->line);
}

/* The attribute that an element has to have. */
static bool need(sonde__pomdpx *x, const sonde__element *e, const char *name, const char **value) {
    *value = sonde__xml_attribute(e, name);
    return *value != NULL ||
           sonde__foreign_wrong(x->file, e->line, "%s: expected the attribute %s", e->name, name);
}

static bool read_state(sonde__pomdpx *x, const sonde__element *e, sonde__variable *v) {
    const char *visible = sonde__xml_attribute(e, "fullyObs");
    v->visible = visible != NULL && strcmp(visible, "true") == 0;
    if (visible != NULL && !v->visible && strcmp(visible, "false") != 0) {
        return sonde__foreign_wrong(x->file, e->line,
                                    "fullyObs: expected true or false, found \"%.*s\"",
                                    sonde__cut(visible, 60), visible);
    }
    return need(x, e, "vnamePrev", &v->name) && need(x, e, "vnameCurr", &v->after) &&
           read_values(x, e, 's', &v->values);
}

/* All variables of a kind, which is the name of their elements. */
static bool read_kind(sonde__pomdpx *x, const sonde__element *e, const char *kind,
                      sonde__variable *to, int32_t *n) {
    for (e = sonde__xml_child(e, kind); e != NULL; e = sonde__xml_again(e)) {
        if (*n == SONDE__VARIABLES_MAX) {
            return sonde__foreign_wrong(x->file, e->line, "%s: expected at most %d of them", kind,
                                        SONDE__VARIABLES_MAX);
        }
        sonde__variable *v = &to[(*n)++];
        v->values.n = 1;
        const bool read = kind[0] == 'S' ? read_state(x, e, v)
                          : kind[0] == 'R'
                              ? need(x, e, "vname", &v->name)
                              : need(x, e, "vname", &v->name) &&
                                    read_values(x, e, kind[0] == 'O' ? 'o' : 'a', &v->values);
        if (!read) {
            return false;
        }
    }
    return true;
}

static bool read_variables(sonde__pomdpx *x, const sonde__element *root) {
    const sonde__element *e = sonde__xml_child(root, "Variable");
    sonde__variable action[SONDE__VARIABLES_MAX] = {{0}};
    int32_t n_action = 0;
    if (e == NULL) {
        return sonde__foreign_wrong(x->file, root->line, "Variable: is missing");
    }
    if (!read_kind(x, e, "StateVar", x->state, &x->n_state) ||
        !read_kind(x, e, "ObsVar", x->seen, &x->n_seen) ||
        !read_kind(x, e, "ActionVar", action, &n_action) ||
        !read_kind(x, e, "RewardVar", x->reward, &x->n_reward)) {
        return false;
    }
    x->action = action[0];
    if (x->n_state == 0 || n_action != 1) {
        return sonde__foreign_wrong(x->file, e->line,
                                    "Variable: expected a StateVar at least and one ActionVar, "
                                    "found %d and %d",
                                    (int)x->n_state, (int)n_action);
    }
    return true;
}

static bool read_discount(sonde__pomdpx *x, const sonde__element *root) {
    const sonde__element *e = sonde__xml_child(root, "Discount");
    if (e == NULL) {
        return sonde__foreign_wrong(x->file, root->line, "Discount: is missing");
    }
    char *end = NULL;
    const double discount = strtod(e->text, &end);
    if (end == e->text || strspn(end, " \t\r\n") != strlen(end) ||
        !(discount > 0.0 && discount <= 1.0)) {
        return sonde__foreign_wrong(x->file, e->text_line,
                                    "Discount: expected a number above 0, at most 1, found "
                                    "\"%.*s\"",
                                    sonde__cut(e->text, 60), e->text);
    }
    x->file->parts.discount = discount;
    return true;
}

/* Nothing but what the format has. */
static bool check_sections(sonde__pomdpx *x, const sonde__element *root) {
    const char *sections[] = {
        "Description", "Discount",      "Variable", "InitialStateBelief", "StateTransitionFunction",
        "ObsFunction", "RewardFunction"};
    enum { N = sizeof sections / sizeof *sections };
    const sonde__words words = {.n = N, .name = sections};
    if (strcmp(root->name, "pomdpx") != 0) {
        return sonde__foreign_wrong(x->file, root->line, "expected <pomdpx>, found <%.*s>",
                                    sonde__cut(root->name, 60), root->name);
    }
    for (const sonde__element *e = root->first; e != NULL; e = e->next) {
        int32_t i = 0;
        while (i < N && strcmp(sections[i], e->name) != 0) {
            i++;
        }
        if (i == N) {
            return sonde__words_miss(x->file, &words, "section", e->name, e->line);
        }
        if (sonde__xml_again(e) != NULL) {
            return sonde__foreign_wrong(x->file, sonde__xml_again(e)->line,
                                        "%s: is there twice; give it once", e->name);
        }
    }
    return true;
}

sonde_status sonde__model_from_pomdpx(const sonde_source *source,
                                      const sonde_model_settings *settings, const sonde_run *run,
                                      sonde_model **model, sonde_error *error) {
    sonde__foreign file;
    sonde__foreign_open(&file, source->origin, run, error);
    sonde__pomdpx *x = sonde__foreign_take(&file, 1, sizeof *x);
    /* its lists of entries outlive the rest of the scratch */
    sonde__pomdpx_made *made = sonde__alloc(sizeof *made);
    if (made == NULL && file.status == SONDE_OK) {
        file.status = sonde__fail_memory(error, source->origin, sizeof *made);
    }
    if (file.status == SONDE_OK) {
        const sonde__plain plain = sonde__plain_begin();
        const sonde__element *root = sonde__xml_read(&file, source);
        x->file = &file;
        (void)(root != NULL && check_sections(x, root) && read_discount(x, root) &&
               read_variables(x, root) && sonde__pomdpx_laws(x, root) &&
               sonde__pomdpx_parts(x, made));
        sonde__plain_end(plain);
    }
    const sonde_status status = sonde__foreign_close(&file, settings, model);
    for (int32_t i = 0; made != NULL && i < 2 * SONDE__VARIABLES_MAX; i++) {
        sonde__entries_close(&made->A[i]);
        sonde__entries_close(&made->B[i % SONDE__VARIABLES_MAX]);
    }
    sonde__free(made);
    return status;
}

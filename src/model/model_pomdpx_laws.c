/* model_pomdpx_laws.c: the functions of a POMDPX document, as tables.
 *
 * A function is of one variable and others that are given. Its entries say values of some
 * combinations: an instance has a word for each variable, a value, * for any, or - for all of them
 * in order, the last - fastest; a later entry stands over earlier ones. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/numbers.h"
#include "base/shown.h"
#include "model/model_pomdpx.h"

enum { AXES = SONDE__VARIABLES_MAX + 1 };

/* what an instance says of a variable */
typedef struct {
    int32_t size;
    int32_t from;
    int32_t to;  /* not with it */
    bool listed; /* the table has a number for each of them */
} axis;

/* --------------------------------------------------------------------------------- variables -- */

static bool is_called(const char *name, const char *word, size_t length) {
    return name != NULL && strlen(name) == length && memcmp(name, word, length) == 0;
}

/* The variable of a name. */
static bool find_variable(const sonde__pomdpx *x, const char *word, size_t length,
                          sonde__about *what) {
    for (int32_t i = 0; i < SONDE__VARIABLES_MAX; i++) {
        if (i < x->n_state && is_called(x->state[i].name, word, length)) {
            *what = (sonde__about){SONDE__BEFORE, i};
            return true;
        }
        if (i < x->n_state && is_called(x->state[i].after, word, length)) {
            *what = (sonde__about){SONDE__AFTER, i};
            return true;
        }
        if (i < x->n_seen && is_called(x->seen[i].name, word, length)) {
            *what = (sonde__about){SONDE__SEEN, i};
            return true;
        }
        if (i < x->n_reward && is_called(x->reward[i].name, word, length)) {
            *what = (sonde__about){SONDE__BROUGHT, i};
            return true;
        }
    }
    *what = (sonde__about){SONDE__DONE, 0};
    return is_called(x->action.name, word, length);
}

static bool read_variable(sonde__pomdpx *x, const char *word, size_t length, int32_t line,
                          sonde__about *what) {
    if (find_variable(x, word, length, what)) {
        return true;
    }
    const char *all[4 * SONDE__VARIABLES_MAX + 1];
    sonde__words names = {.name = all};
    for (int32_t i = 0; i < x->n_state; i++) {
        all[names.n++] = x->state[i].name;
        all[names.n++] = x->state[i].after;
    }
    for (int32_t i = 0; i < x->n_seen; i++) {
        all[names.n++] = x->seen[i].name;
    }
    for (int32_t i = 0; i < x->n_reward; i++) {
        all[names.n++] = x->reward[i].name;
    }
    all[names.n++] = x->action.name;
    const char *copy = sonde__foreign_word(x->file, word, length);
    return copy != NULL && sonde__words_miss(x->file, &names, "variable", copy, line);
}

/* The child that an element has to have. */
static const sonde__element *need(sonde__pomdpx *x, const sonde__element *e, const char *name) {
    const sonde__element *child = sonde__xml_child(e, name);
    if (child == NULL) {
        (void)sonde__foreign_wrong(x->file, e->line, "%s: expected <%s> in it", e->name, name);
    }
    return child;
}

/* ------------------------------------------------------------------------------------ tables -- */

/* The variable of a function, and those that are given. */
static bool read_head(sonde__pomdpx *x, const sonde__element *e, sonde__law *law) {
    const sonde__element *var = need(x, e, "Var");
    const sonde__element *parents = var != NULL ? need(x, e, "Parent") : NULL;
    size_t length = 0;
    if (parents == NULL) {
        return false;
    }
    law->line = e->line;
    sonde__xml_words words = sonde__xml_words_of(var);
    const char *word = sonde__xml_word(&words, &length);
    if (word == NULL || sonde__xml_count(var) != 1) {
        return sonde__foreign_wrong(x->file, var->line, "Var: expected the name of one variable");
    }
    if (!read_variable(x, word, length, words.line, &law->of)) {
        return false;
    }
    words = sonde__xml_words_of(parents);
    while ((word = sonde__xml_word(&words, &length)) != NULL) {
        if (is_called("null", word, length)) {
            continue;
        }
        if (law->n_given == SONDE__VARIABLES_MAX) {
            return sonde__foreign_wrong(x->file, words.line, "Parent: expected at most %d names",
                                        SONDE__VARIABLES_MAX);
        }
        if (!read_variable(x, word, length, words.line, &law->given[law->n_given++])) {
            return false;
        }
    }
    return true;
}

static bool make_table(sonde__pomdpx *x, sonde__law *law) {
    uint64_t n = 1;
    for (int32_t i = 0; i < law->n_given; i++) {
        n = sonde__multiply(n, (uint64_t)sonde__pomdpx_variable(x, law->given[i])->values.n);
    }
    law->n = sonde__pomdpx_variable(x, law->of)->values.n;
    law->value =
        sonde__foreign_take(x->file, sonde__multiply(n, (uint64_t)law->n), sizeof *law->value);
    law->n_row = (int64_t)n;
    return law->value != NULL;
}

/* What an instance says, a word for each variable. */
static bool read_instance(sonde__pomdpx *x, const sonde__law *law, const sonde__element *e,
                          int32_t n_axis, axis *axes) {
    sonde__xml_words words = sonde__xml_words_of(e);
    if (sonde__xml_count(e) != n_axis) {
        return sonde__foreign_wrong(x->file, e->line,
                                    "Instance: expected %d words, one for each variable, found %d",
                                    (int)n_axis, (int)sonde__xml_count(e));
    }
    for (int32_t i = 0; i < n_axis; i++) {
        const sonde__about about = i < law->n_given ? law->given[i] : law->of;
        const sonde__words *values = &sonde__pomdpx_variable(x, about)->values;
        size_t length = 0;
        const char *word = sonde__xml_word(&words, &length);
        axes[i] = (axis){.size = values->n, .to = values->n};
        axes[i].listed = is_called("-", word, length);
        if (axes[i].listed || is_called("*", word, length)) {
            continue;
        }
        const char *copy = sonde__foreign_word(x->file, word, length);
        if (copy == NULL) {
            return false;
        }
        axes[i].from = sonde__words_find(values, copy);
        axes[i].to = axes[i].from + 1;
        if (axes[i].from < 0) {
            return sonde__words_miss(x->file, values, "value", copy, words.line);
        }
    }
    return true;
}

/* The numbers of an entry's table: `n` of them, or a word that stands for them. */
typedef struct {
    int64_t n;
    double *number; /* (n), or NULL */
    bool uniform;
    bool identity;
} told;

static bool read_number(sonde__pomdpx *x, const char *word, size_t length, int32_t line,
                        bool probability, double *number) {
    char digits[64] = "";
    char *end = digits;
    if (length < sizeof digits) {
        memcpy(digits, word, length);
        digits[length] = '\0';
        *number = strspn(digits, "0123456789+-.eE") == length ? strtod(digits, &end) : 0.0;
    }
    const double least = probability ? 0.0 : -SONDE__LARGEST;
    const double most = probability ? 1.0 + 1e-5 : SONDE__LARGEST;
    if (end == digits || *end != '\0' || !(*number >= least && *number <= most)) {
        return sonde__foreign_wrong(x->file, line, "expected a %s, found \"%.*s\"",
                                    probability ? "probability" : "number",
                                    (int)(length < 60 ? length : 60), word);
    }
    return true;
}

static bool read_told(sonde__pomdpx *x, const sonde__element *e, bool probability, const axis *axes,
                      int32_t n_axis, told *t) {
    sonde__xml_words words = sonde__xml_words_of(e);
    size_t length = 0;
    int32_t n_listed = 0;
    int32_t sides[2] = {0, 0};
    uint64_t n = 1;
    for (int32_t i = 0; i < n_axis; i++) {
        if (axes[i].listed) {
            sides[n_listed++ % 2] = axes[i].size;
            n = sonde__multiply(n, (uint64_t)axes[i].size);
        }
    }
    const char *word = sonde__xml_word(&words, &length);
    t->uniform = probability && word != NULL && is_called("uniform", word, length);
    t->identity = probability && word != NULL && is_called("identity", word, length);
    if (t->identity && (n_listed != 2 || sides[0] != sides[1])) {
        return sonde__foreign_wrong(x->file, e->line,
                                    "identity: is for two variables with as many values, each - "
                                    "in its instance");
    }
    if (t->uniform || t->identity) {
        return true;
    }
    if ((uint64_t)sonde__xml_count(e) != n) {
        return sonde__foreign_wrong(x->file, e->line, "%s: expected %llu numbers, found %d",
                                    e->name, (unsigned long long)n, (int)sonde__xml_count(e));
    }
    t->n = (int64_t)n;
    t->number = sonde__foreign_take(x->file, n, sizeof *t->number);
    for (int64_t i = 0; t->number != NULL && i < t->n; i++) {
        if (!read_number(x, word, length, words.line, probability, &t->number[i])) {
            return false;
        }
        word = sonde__xml_word(&words, &length);
    }
    return t->number != NULL;
}

/* Puts what is told into every place that an instance means. */
static void put_told(const sonde__law *law, const axis *axes, int32_t n_axis, const told *t) {
    int32_t index[AXES] = {0};
    for (int32_t i = 0; i < n_axis; i++) {
        index[i] = axes[i].from;
    }
    for (bool more = true; more;) {
        int64_t at = 0;
        int64_t in = 0;
        int32_t first = -1;
        bool same = false;
        for (int32_t i = 0; i < n_axis; i++) {
            at = at * axes[i].size + index[i];
            in = axes[i].listed ? in * axes[i].size + index[i] : in;
            same = axes[i].listed && first >= 0 ? first == index[i] : same;
            first = axes[i].listed && first < 0 ? index[i] : first;
        }
        law->value[at] = t->uniform          ? 1.0 / law->n
                         : t->identity       ? (same ? 1.0 : 0.0)
                         : t->number != NULL ? t->number[in]
                                             : 0.0;
        int32_t i = n_axis;
        while (i > 0 && ++index[i - 1] == axes[i - 1].to) {
            i--;
            index[i] = axes[i].from;
        }
        more = i > 0;
    }
}

static bool read_entries(sonde__pomdpx *x, sonde__law *law, const sonde__element *parameter) {
    const bool probability = law->of.when != SONDE__BROUGHT;
    const int32_t n_axis = law->n_given + (probability ? 1 : 0);
    axis axes[AXES] = {{0}};
    for (const sonde__element *e = parameter->first; e != NULL; e = e->next) {
        if (strcmp(e->name, "Entry") != 0) {
            return sonde__foreign_wrong(x->file, e->line, "expected <Entry>, found <%.*s>",
                                        sonde__cut(e->name, 60), e->name);
        }
        const sonde__element *instance = need(x, e, "Instance");
        const sonde__element *table =
            instance != NULL ? need(x, e, probability ? "ProbTable" : "ValueTable") : NULL;
        told t = {0};
        if (table == NULL || !read_instance(x, law, instance, n_axis, axes) ||
            !read_told(x, table, probability, axes, n_axis, &t)) {
            return false;
        }
        put_told(law, axes, n_axis, &t);
    }
    return true;
}

/* Probabilities sum to 1, and are divided by their sum. */
static bool settle_rows(sonde__pomdpx *x, const sonde__law *law) {
    for (int64_t row = 0; row < law->n_row; row++) {
        double *p = law->value + row * law->n;
        double sum = 0.0;
        for (int32_t i = 0; i < law->n; i++) {
            sum += p[i];
        }
        if (!sonde__foreign_sums(sum)) {
            int64_t left = row;
            char where[256] = "";
            for (int32_t i = law->n_given - 1; i >= 0; i--) {
                const sonde__words *values = &sonde__pomdpx_variable(x, law->given[i])->values;
                char before[256];
                memcpy(before, where, sizeof before);
                (void)snprintf(where, sizeof where, " %.60s%.190s", values->name[left % values->n],
                               before);
                left /= values->n;
            }
            const char *name = sonde__pomdpx_variable(x, law->of)->name;
            return sonde__foreign_wrong(x->file, law->line,
                                        "%.60s given%s: expected probabilities that sum to 1, "
                                        "found %g",
                                        name, where[0] != '\0' ? where : " nothing", sum);
        }
        for (int32_t i = 0; i < law->n; i++) {
            p[i] /= sum;
        }
    }
    return true;
}

/* --------------------------------------------------------------------------------- functions -- */

/* Which variables a function may be of, and which may be given. */
typedef struct {
    const char *section;
    const char *element;
    sonde__when of;
    bool given[SONDE__BROUGHT + 1];
} role;
static const role roles[] = {
    {"InitialStateBelief", "CondProb", SONDE__BEFORE, {[SONDE__BEFORE] = true}},
    {"StateTransitionFunction",
     "CondProb",
     SONDE__AFTER,
     {[SONDE__BEFORE] = true, [SONDE__AFTER] = true, [SONDE__DONE] = true}},
    {"ObsFunction", "CondProb", SONDE__SEEN, {[SONDE__AFTER] = true, [SONDE__DONE] = true}},
    {"RewardFunction",
     "Func",
     SONDE__BROUGHT,
     {[SONDE__BEFORE] = true, [SONDE__AFTER] = true, [SONDE__SEEN] = true, [SONDE__DONE] = true}},
};

static bool check_role(sonde__pomdpx *x, const role *r, const sonde__law *law) {
    const sonde__variable *v = sonde__pomdpx_variable(x, law->of);
    if (law->of.when != r->of) {
        return sonde__foreign_wrong(x->file, law->line, "%s: is not about \"%.60s\"", r->section,
                                    v->name);
    }
    for (int32_t i = 0; i < law->n_given; i++) {
        const sonde__about g = law->given[i];
        const sonde__variable *given = sonde__pomdpx_variable(x, g);
        if (!r->given[g.when]) {
            return sonde__foreign_wrong(
                x->file, law->line, "%s: \"%.60s\" cannot depend on \"%.60s\" there", r->section,
                v->name, g.when == SONDE__AFTER ? given->after : given->name);
        }
        for (int32_t k = 0; k < i; k++) {
            if (law->given[k].when == g.when && law->given[k].number == g.number) {
                return sonde__foreign_wrong(x->file, law->line,
                                            "Parent: \"%.60s\" is there twice; give it once",
                                            given->name);
            }
        }
    }
    return true;
}

/* TBL is read, DD is not. */
static bool check_type(sonde__pomdpx *x, const sonde__element *parameter) {
    const char *type = sonde__xml_attribute(parameter, "type");
    if (type == NULL || strcmp(type, "TBL") == 0) {
        return true;
    }
    return sonde__foreign_wrong(x->file, parameter->line,
                                strcmp(type, "DD") == 0
                                    ? "Parameter: decision diagrams (DD) are not read; write it "
                                      "as a table (TBL)%.0s"
                                    : "Parameter: expected the type TBL, found \"%.60s\"",
                                type);
}

/* Where a function belongs. */
static sonde__law *place_of(sonde__pomdpx *x, const sonde__law *law) {
    switch (law->of.when) {
    case SONDE__BEFORE: return &x->begin[law->of.number];
    case SONDE__AFTER: return &x->next[law->of.number];
    case SONDE__SEEN: return &x->show[law->of.number];
    default: return &x->bring[x->n_bring++];
    }
}

static bool read_law(sonde__pomdpx *x, const role *r, const sonde__element *e) {
    sonde__law law = {0};
    const sonde__element *parameter = read_head(x, e, &law) ? need(x, e, "Parameter") : NULL;
    if (parameter == NULL || !check_role(x, r, &law) || !check_type(x, parameter) ||
        !make_table(x, &law) || !read_entries(x, &law, parameter) ||
        (r->of != SONDE__BROUGHT && !settle_rows(x, &law))) {
        return false;
    }
    sonde__law *place = place_of(x, &law);
    if (place->line > 0) {
        return sonde__foreign_wrong(x->file, law.line, "%s: \"%.60s\" is there twice; give it once",
                                    r->section, sonde__pomdpx_variable(x, law.of)->name);
    }
    *place = law;
    return true;
}

static bool read_section(sonde__pomdpx *x, const role *r, const sonde__element *section) {
    for (const sonde__element *e = section->first; e != NULL; e = e->next) {
        if (strcmp(e->name, r->element) != 0) {
            return sonde__foreign_wrong(x->file, e->line, "%s: expected <%s>, found <%.*s>",
                                        r->section, r->element, sonde__cut(e->name, 60), e->name);
        }
        if (!read_law(x, r, e)) {
            return false;
        }
    }
    return true;
}

/* Every variable that has to has its function. */
static bool check_all(sonde__pomdpx *x, const sonde__element *root) {
    for (int32_t i = 0; i < SONDE__VARIABLES_MAX; i++) {
        const bool state = i < x->n_state;
        const char *missing = state && x->begin[i].line == 0          ? roles[0].section
                              : state && x->next[i].line == 0         ? roles[1].section
                              : i < x->n_seen && x->show[i].line == 0 ? roles[2].section
                                                                      : NULL;
        if (missing != NULL) {
            return sonde__foreign_wrong(
                x->file, root->line, "%s: nothing is said of \"%.60s\"", missing,
                missing == roles[2].section ? x->seen[i].name : x->state[i].name);
        }
    }
    return true;
}

bool sonde__pomdpx_laws(sonde__pomdpx *x, const sonde__element *root) {
    const sonde__element *rewards = sonde__xml_child(root, "RewardFunction");
    uint64_t n = 0;
    for (const sonde__element *e = rewards != NULL ? rewards->first : NULL; e != NULL;
         e = e->next) {
        n++;
    }
    x->bring = sonde__foreign_take(x->file, n, sizeof *x->bring);
    if (x->bring == NULL) {
        return false;
    }
    for (size_t i = 0; i < sizeof roles / sizeof *roles; i++) {
        const sonde__element *section = sonde__xml_child(root, roles[i].section);
        if (section != NULL && !read_section(x, &roles[i], section)) {
            return false;
        }
    }
    return check_all(x, root);
}

/* document_explain.c: why a decision is what it is, as text.
 *
 * The best policy of each first action, step by step and term by term, the most probable first;
 * then what the decision rests on. Nothing is wider than 100 columns, and what is long is cut and
 * says so: numbers stand first in a row and names, which may be anything, last. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "base/numbers.h"
#include "document/document_internal.h"

#define FIRST 8          /* width of the first column, */
#define CELL 11          /* and of the others */
#define NAME_MAX 36      /* characters of a name in a heading, */
#define STEP_NAME_MAX 30 /* and in a row, of all names together */
#define ACTION_MAX 6     /* first actions whose steps are shown */
#define STEP_MAX 12      /* of which so many */
#define TRACE_MAX 10     /* rows of the trace */
#define CLUSTER_MAX 16   /* rows of clusters */

/* ----------------------------------------------------------------------------------- words -- */

static void add_action(const sonde_explanation *explanation, int32_t i, sonde_text *text) {
    const int32_t number[] = {explanation->state, explanation->alternative[i].action};
    sonde_model_say(explanation->policies->model, SONDE_NOUN_ACTION, number, NAME_MAX, text);
}

static void add_step(const sonde_explanation *explanation, const sonde__alternative *alternative,
                     int32_t t, sonde_text *text) {
    const sonde_model *model = explanation->policies->model;
    const int32_t reached = alternative->reached[t - 1];
    const int32_t number[] = {alternative->walk[t], reached};
    sonde_model_say(model, SONDE_NOUN_STEP, number, STEP_NAME_MAX, text);
    sonde__writer_of(model)->aside(text, model, reached);
}

static int32_t find_best(const sonde_explanation *explanation) {
    int32_t best = -1;
    for (int32_t i = 0; i < explanation->n_alternative; i++) {
        const sonde__alternative *alternative = &explanation->alternative[i];
        const bool whole = alternative->n_step == explanation->policies->horizon;
        if (whole &&
            (best < 0 || alternative->total.efe < explanation->alternative[best].total.efe)) {
            best = i;
        }
    }
    return best;
}

/* A number with four decimals, or as 1.23e-5 where that would say little or be long. */
static sonde__word number_of(double number) {
    const double size = fabs(number);
    if (!isfinite(number) || size == 0.0 || (size >= 1e-2 && size < 1e6)) {
        return isinf(number) ? (sonde__word){"-"} : sonde__fixed(number, size == 0.0 ? 0 : 4);
    }
    int32_t exponent = (int32_t)floor(log10(size));
    exponent += size / pow(10.0, (double)exponent) >= 9.995 ? 1 : 0;
    sonde__word word;
    (void)snprintf(word.text, sizeof word.text, "%.24se%d",
                   sonde__fixed(number / pow(10.0, (double)exponent), 2).text, (int)exponent);
    return word;
}

static sonde__word count_of(uint64_t count) {
    return count <= INT64_MAX ? sonde__grouped((int64_t)count) : number_of((double)count);
}

/* Words at the right end of a column, a space at least before them. */
static void add_cell(sonde_text *text, int32_t width, const char *words) {
    const int32_t pad = width - sonde__words_count(words);
    sonde_text_add(text, "%*s%s", (int)(pad > 1 ? pad : 1), "", words);
}

static void add_number(sonde_text *text, double number) {
    add_cell(text, CELL, number_of(number).text);
}

static void add_head(sonde_text *text, int32_t n, const char *const *head) {
    sonde_text_add(text, "   ");
    for (int32_t i = 0; i < n; i++) {
        add_cell(text, i == 0 ? FIRST : CELL, head[i]);
    }
}

/* -------------------------------------------------------------------------------- policies -- */

/* What a first action is worth, and how that is known. */
static void add_verdict(const sonde_explanation *explanation, int32_t i, int32_t best,
                        sonde_text *text) {
    const sonde__alternative *alternative = &explanation->alternative[i];
    const double least = best >= 0 ? explanation->alternative[best].total.efe : (double)NAN;
    if (alternative->n_step == explanation->policies->horizon) {
        sonde_text_add(text, "p %s, G %s", number_of(alternative->posterior).text,
                       number_of(alternative->total.efe).text);
        const bool every = !isinf(alternative->bound);
        if (i == best) {
            const sonde_certificate *certificate = &explanation->certificate;
            const bool found = certificate->given && !certificate->best_is_optimal;
            sonde_text_add(text, !every  ? ", the best of those scored"
                                 : found ? ", the best found"
                                         : ", the best of all");
        } else if (sonde__is_at_most(alternative->total.efe, least)) {
            sonde_text_add(text, ", as good as the best");
        } else {
            sonde_text_add(text, ", %s above the best",
                           number_of(alternative->total.efe - least).text);
        }
        if (every && !alternative->proven) {
            sonde_text_add(text, "; none that begins so is below %s",
                           number_of(alternative->bound).text);
        }
    } else if (alternative->n_step > 0) {
        sonde_text_add(text, "G at least %s, ", number_of(alternative->bound).text);
        sonde_text_add(text, alternative->bound > least ? "%s above the best" : "%s below the best",
                       number_of(fabs(alternative->bound - least)).text);
        sonde_text_add(text, ": not followed past step %" PRId32, alternative->n_step);
    } else if (!isnan(alternative->total.efe)) {
        sonde_text_add(text, "p %s, G %s, whose steps were not kept",
                       number_of(alternative->posterior).text,
                       number_of(alternative->total.efe).text);
    } else {
        sonde_text_add(text, "no policy that begins so was scored");
    }
    sonde_text_add(text, "\n");
}

static void add_steps(const sonde_explanation *explanation, const sonde__alternative *alternative,
                      sonde_text *text) {
#define NAME(code, name) name,
    static const char *const every[] = {"step", SONDE_TERM_LIST(NAME) "G", "so far"};
#undef NAME
    /* novelty is the last term, and not there where it does not count */
    const int32_t n_term = explanation->novel ? SONDE_N_TERM : SONDE_N_TERM - 1;
    const char *head[SONDE_N_TERM + 3];
    for (int32_t i = 0; i < n_term + 3; i++) {
        head[i] = every[i <= n_term ? i : i + SONDE_N_TERM - n_term];
    }
    const int32_t n = alternative->n_step;
    double sum = 0.0;
    add_head(text, n > 0 ? n_term + 3 : 0, head);
    sonde_text_add(text, "\n");
    for (int32_t t = 1; t <= n; t++) {
        const sonde_efe *step = &alternative->step[t - 1];
        sum += step->efe;
        if (t == STEP_MAX && n > STEP_MAX) {
            sonde_text_add(text, "        ... and %" PRId32 " more\n", n - STEP_MAX);
        }
        if (t >= STEP_MAX && t < n) {
            continue;
        }
        sonde_text_add(text, "   %*" PRId32, FIRST, t);
        for (int32_t i = 0; i < n_term; i++) {
            add_number(text, step->term[i]);
        }
        add_number(text, step->efe);
        add_number(text, sum);
        sonde_text_add(text, "  ");
        add_step(explanation, alternative, t, text);
        sonde_text_add(text, "\n");
    }
}

static void add_alternatives(const sonde_explanation *explanation, sonde_text *text) {
    const int32_t best = find_best(explanation);
    int32_t n_left = 0;
    double left = 0.0;
    for (int32_t i = 0; i < explanation->n_alternative; i++) {
        const sonde__alternative *alternative = &explanation->alternative[i];
        if (i >= ACTION_MAX && i != best) {
            n_left++;
            left += alternative->posterior;
            continue;
        }
        sonde_text_add(text, "\n  ");
        add_action(explanation, i, text);
        sonde_text_add(text, ": ");
        add_verdict(explanation, i, best, text);
        if (alternative->n_step > 0) {
            add_steps(explanation, alternative, text);
        }
    }
    if (n_left > 0) {
        sonde_text_add(text, "\n  and %" PRId32 " more first actions, p %s together\n", n_left,
                       number_of(left).text);
    }
}

/* --------------------------------------------------------------------------------- grounds -- */

static void add_trace(const sonde_explanation *explanation, sonde_text *text) {
    static const char *const head[] = {"steps",  "expanded",   "open",
                                       "best G", "least open", "open mass"};
    const int32_t n = explanation->n_trace;
    const int32_t n_row = n < TRACE_MAX ? n : TRACE_MAX;
    add_head(text, 6, head);
    sonde_text_add(text, "\n");
    for (int32_t row = 0; row < n_row; row++) {
        /* evenly, the first and the last among them */
        const int32_t i = n_row > 1 ? (int32_t)((int64_t)row * (n - 1) / (n_row - 1)) : n - 1;
        const sonde__trace *at = &explanation->trace[i];
        sonde_text_add(text, "   ");
        add_cell(text, FIRST, count_of(at->n_step).text);
        add_cell(text, CELL, count_of(at->n_expanded).text);
        add_cell(text, CELL, count_of(at->n_open).text);
        add_number(text, at->best_efe);
        add_number(text, at->least);
        add_number(text, at->tv);
        sonde_text_add(text, "\n");
    }
}

/* Which bounds closed what is open. */
static void add_bounds(const sonde_explanation *explanation, sonde_text *text) {
    const char *comma = "  tightest bound of those: ";
    for (int32_t i = 0; i < explanation->n_bound; i++) {
        const sonde__bound_share *bound = &explanation->bound[i];
        if (bound->n_open > 0) {
            sonde_text_add(text, "%s%s for %s", comma, bound->name, count_of(bound->n_open).text);
            comma = ", ";
        }
    }
    sonde_text_add(text, explanation->n_open > 0 ? "\n" : "");
    if (explanation->n_open > 0 && !isnan(explanation->tv_unbounded)) {
        sonde_text_add(text, "  without bounds of what is to come, %s of the mass could be open\n",
                       number_of(explanation->tv_unbounded).text);
    }
}

static void add_prefixes(const sonde_explanation *explanation, sonde_text *text) {
    sonde_text_add(text, "  %s prefixes expanded, ", count_of(explanation->n_expanded).text);
    sonde_text_add(text, "%s merged with one that was the same, ",
                   count_of(explanation->n_merged).text);
    sonde_text_add(text, "%s left open\n", count_of(explanation->n_open).text);
    add_bounds(explanation, text);
    sonde_text_add(text, "\n");
    add_trace(explanation, text);
}

static void add_clusters(const sonde_explanation *explanation, sonde_text *text) {
    static const char *const head[] = {"cluster", "policies", "scored", "probe", "above"};
    const sonde__probed *first = explanation->cluster;
    int32_t n_chosen = 0;
    for (int32_t i = 0; i < explanation->n_cluster; i++) {
        n_chosen += explanation->cluster[i].chosen ? 1 : 0;
    }
    sonde_text_add(
        text, "  %" PRId32 " cluster%s chosen, %" PRId32 " cut with %s policies; a probe is %s\n\n",
        n_chosen, n_chosen == 1 ? "" : "s", explanation->n_cluster - n_chosen,
        count_of(explanation->n_cut).text,
        explanation->probe == SONDE_PROBE_CENTER ? "the G of a representative"
                                                 : "the mean G of a few members");
    add_head(text, 5, head);
    sonde_text_add(text, "\n");
    for (int32_t i = 0; i < explanation->n_cluster && i < CLUSTER_MAX; i++) {
        const sonde__probed *cluster = &explanation->cluster[i];
        sonde_text_add(text, "   %*" PRId32, FIRST, cluster->cluster);
        add_cell(text, CELL, count_of((uint64_t)cluster->n_policy).text);
        add_cell(text, CELL, count_of((uint64_t)cluster->n_probed).text);
        add_number(text, cluster->probe);
        add_number(text, cluster->probe - first->probe);
        sonde_text_add(text, cluster->chosen ? "  chosen\n" : "  cut\n");
    }
    if (explanation->n_cluster > CLUSTER_MAX) {
        sonde_text_add(text, "        ... and %" PRId32 " more\n",
                       explanation->n_cluster - CLUSTER_MAX);
    }
}

void sonde_document_explanation(const sonde_explanation *explanation, sonde_text *text) {
    sonde_text_add(text, "why: the best policy of each first action, step by step\n");
    add_alternatives(explanation, text);
    sonde_text_add(text, "\nrests on: %s\n", explanation->because);
    if (explanation->n_trace > 0) {
        add_prefixes(explanation, text);
    }
    if (explanation->n_cluster > 0) {
        add_clusters(explanation, text);
    }
}

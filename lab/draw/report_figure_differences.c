/* report_figure_differences.c: what each difference between paper and notebook does alone.
 *
 * A table with coloured cells: the rows of the paper's table down, differences across, in each
 * cell the change in percent optimal against the paper's text. Most pairs of conditions ran on the
 * same worlds, so that a change is judged by the worlds on which they disagree (sign test);
 * directed worlds are others, and there it is judged by Newcombe's interval, which is built from
 * Wilson's. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "draw/report_figure_data.h"
#include "draw/report_figures.h"

#define WIDTH 960.0
#define MARGIN 18.0
#define TOP 44.0   /* room for the title */
#define HEAD 30.0  /* for the names of the columns */
#define ROW 21.0   /* height of a row */
#define STUB 264.0 /* where the coloured cells begin */
#define COLUMN_MAX 74.0
#define GAP 10.0 /* before the last column, which is all of them */
#define FONT 11.5
#define ALPHA 0.05

/* A column: what differs from the paper's text. */
typedef struct {
    const char *name;
    const char *about;
    const char *group;
    uint32_t differences;
    sonde_connect connect;
    sonde_action_rule action;
} variant;

static const variant variants[] = {
#define ALONE(code, name, sentence)                                                                \
    {name, sentence, "difference", 1u << (code), SONDE_SYMMETRIC, SONDE_ACTION_MARGINAL},
    SONDE_DIFFERENCE_LIST(ALONE)
#undef ALONE
        {"directed", "worlds are directed, as the paper says", "difference", SONDE_SEMANTICS_TEXT,
         SONDE_DIRECTED, SONDE_ACTION_MARGINAL},
    {"softmax", "actions are drawn from a softmax, as the paper says", "difference",
     SONDE_SEMANTICS_TEXT, SONDE_SYMMETRIC, SONDE_ACTION_SOFTMAX},
    {"notebook", "the first seven together", "table", SONDE_SEMANTICS_NOTEBOOK, SONDE_SYMMETRIC,
     SONDE_ACTION_MARGINAL},
};
#define N_VARIANT ((int32_t)(sizeof variants / sizeof *variants))

static const variant text = {
    "text", "", "table", SONDE_SEMANTICS_TEXT, SONDE_SYMMETRIC, SONDE_ACTION_MARGINAL};

typedef struct {
    const sonde__results *results;
    int32_t size;
    int32_t n_row;
    sonde__cell_key *row; /* (n_row) in the order of the paper's table */
    int32_t n_column;
    int32_t column[N_VARIANT]; /* (n_column) variants that have runs */
    double most;               /* the largest change, which has the darkest colour */
    sonde__n_range range;
} heat;

/* ---------------------------------------------------------------------------------- numbers -- */

static int32_t find(const heat *h, const sonde__cell_key *key, const variant *wanted) {
    for (int32_t c = 0; c < h->results->plan->n_condition; c++) {
        const sonde_condition *condition = &h->results->plan->condition[c];
        const sonde__cell_key found = sonde__key_of(condition);
        if (sonde__in_group(condition, wanted->group) && sonde__key_compare(&found, key) == 0 &&
            condition->differences == wanted->differences &&
            condition->connect == wanted->connect && condition->search.action == wanted->action) {
            return sonde__condition_at(h->results, c, h->size);
        }
    }
    return -1;
}

typedef struct {
    sonde__estimate base;
    sonde__estimate changed;
    double change; /* NaN where one of them has no runs */
    bool clear;    /* more than chance */
} cell;

/* Runs of the same world are as far apart in both stretches only if all are there, so walk both. */
static bool clear_if_paired(sonde__run_list a, sonde__run_list b) {
    int32_t n_gained = 0;
    int32_t n_lost = 0;
    for (int32_t i = 0, j = 0; i < a.n && j < b.n;) {
        if (a.run[i].graph != b.run[j].graph) {
            const bool behind = a.run[i].graph < b.run[j].graph;
            i += behind ? 1 : 0;
            j += behind ? 0 : 1;
            continue;
        }
        n_gained += !a.run[i].optimal && b.run[j].optimal ? 1 : 0;
        n_lost += a.run[i].optimal && !b.run[j].optimal ? 1 : 0;
        i++;
        j++;
    }
    return sonde__sign_test(n_gained, n_lost) < ALPHA;
}

static bool clear_if_apart(const sonde__estimate *a, const sonde__estimate *b) {
    const double change = b->value - a->value;
    const double down = hypot(b->value - b->low, a->high - a->value);
    const double up = hypot(b->high - b->value, a->value - a->low);
    return change - down > 0.0 || change + up < 0.0;
}

static cell cell_of(const heat *h, const sonde__cell_key *key, const variant *wanted) {
    const int32_t base = find(h, key, &text);
    const int32_t other = find(h, key, wanted);
    cell found = {.base = sonde__optimal(h->results, base, h->size),
                  .changed = sonde__optimal(h->results, other, h->size),
                  .change = NAN};
    if (found.base.n > 0 && found.changed.n > 0) {
        found.change = found.changed.value - found.base.value;
        found.clear = wanted->connect == text.connect
                          ? clear_if_paired(sonde__runs(h->results, base, h->size),
                                            sonde__runs(h->results, other, h->size))
                          : clear_if_apart(&found.base, &found.changed);
    }
    return found;
}

static int compare_rows(const void *a, const void *b) {
    return sonde__key_compare(a, b);
}

static void find_rows(heat *h) {
    const sonde_study_plan *plan = h->results->plan;
    for (int32_t c = 0; c < plan->n_condition; c++) {
        const sonde__cell_key key = sonde__key_of(&plan->condition[c]);
        if (find(h, &key, &text) == c && sonde__runs(h->results, c, h->size).n > 0) {
            h->row[h->n_row++] = key;
        }
    }
    qsort(h->row, (size_t)h->n_row, sizeof *h->row, compare_rows);
}

/* Columns, and the range of colours; without a difference alone there is nothing to show. */
static bool find_columns(heat *h) {
    bool alone = false;
    h->most = 20.0;
    for (int32_t v = 0; v < N_VARIANT; v++) {
        bool any = false;
        for (int32_t r = 0; r < h->n_row; r++) {
            const cell found = cell_of(h, &h->row[r], &variants[v]);
            any = any || !isnan(found.change);
            h->most = isnan(found.change) ? h->most : fmax(h->most, fabs(found.change));
            sonde__n_range_add(&h->range, found.changed.n);
        }
        if (any) {
            h->column[h->n_column++] = v;
            alone = alone || v < N_VARIANT - 1;
        }
    }
    h->most = 10.0 * ceil(h->most / 10.0 - 1e-9);
    return alone;
}

/* ---------------------------------------------------------------------------------- drawing -- */

/* From white to blue where it got better, to vermilion where it got worse. */
static void colour_of(double share, char colour[8]) {
    static const double better[] = {0.0, 114.0, 178.0};
    static const double worse[] = {213.0, 94.0, 0.0};
    int rgb[3];
    for (int i = 0; i < 3; i++) {
        const double end = share > 0.0 ? better[i] : worse[i];
        rgb[i] = (int)floor(255.5 + (end - 255.0) * fmin(1.0, fabs(share)));
    }
    (void)snprintf(colour, 8, "#%02x%02x%02x", (unsigned)rgb[0] & 0xffu, (unsigned)rgb[1] & 0xffu,
                   (unsigned)rgb[2] & 0xffu);
}

/* The attributes of the words in a cell. */
static const char *look_of(const heat *h, const cell *found) {
    if (isnan(found->change)) {
        return " fill=\"" SONDE__GREY "\"";
    }
    /* white is easier to read than black on dark blue, but not on vermilion */
    if (found->change > 0.7 * h->most) {
        return found->clear ? " fill=\"#ffffff\" font-weight=\"bold\"" : " fill=\"#ffffff\"";
    }
    const bool none = fabs(found->change) < 0.05;
    return none ? " fill=\"#9aa0a8\"" : found->clear ? " font-weight=\"bold\"" : "";
}

static void draw_cell(const heat *h, const cell *found, sonde__area area, sonde_text *svg) {
    const sonde__point middle = {area.x + 0.5 * area.width, area.y + 0.5 * area.height};
    char words[64] = "\302\267";
    char fill[32];
    char colour[8];
    if (isnan(found->change)) {
        sonde__pen_words(svg, look_of(h, found), middle, FONT, words);
        return;
    }
    colour_of(found->change / h->most, colour);
    (void)snprintf(fill, sizeof fill, " fill=\"%s\"", colour);
    (void)snprintf(words, sizeof words, "%s%s", found->change > 0.0 ? "+" : "",
                   sonde__fixed(found->change, 1).text);
    sonde_text_add(svg, "<g><title>%s %% of %d, text %s %% of %d</title>",
                   sonde__fixed(found->changed.value, 1).text, (int)found->changed.n,
                   sonde__fixed(found->base.value, 1).text, (int)found->base.n);
    sonde__pen_rect(svg, fill, area);
    sonde__pen_words(svg, look_of(h, found), middle, FONT, words);
    sonde_text_add(svg, "</g>\n");
}

/* Left end of a column of coloured cells, and its width. */
static double column_at(const heat *h, int32_t i, double *width) {
    const bool gap = h->column[h->n_column - 1] == N_VARIANT - 1;
    *width = fmin(COLUMN_MAX, (WIDTH - MARGIN - STUB - GAP) / (double)h->n_column);
    return STUB + *width * (double)i + (gap && i == h->n_column - 1 ? GAP : 0.0);
}

static double right_end(const heat *h) {
    double width = 0.0;
    const double left = column_at(h, h->n_column - 1, &width);
    return left + width;
}

static const double stub_at[] = {MARGIN, 70.0, 166.0, 192.0, 232.0};

/* What stands before the coloured cells; words that repeat those above are left out. */
static void draw_stub(const heat *h, int32_t r, double y, sonde_text *svg) {
    const sonde__cell_key *key = &h->row[r];
    const sonde__cell_key *above = r > 0 ? &h->row[r - 1] : NULL;
    const bool new_scope = above == NULL || above->scope != key->scope;
    const bool new_embedding = new_scope || strcmp(above->embedding, key->embedding) != 0;
    if (new_scope) {
        sonde__pen_words(svg, " text-anchor=\"start\"", (sonde__point){stub_at[0], y}, FONT,
                         sonde_scope_name((int32_t)key->scope));
    }
    if (new_embedding) {
        sonde__pen_words(svg, " text-anchor=\"start\"", (sonde__point){stub_at[1], y}, FONT,
                         sonde__embedding_title(key->embedding));
    }
    if (key->k > 0) {
        char words[16];
        (void)snprintf(words, sizeof words, "%d", (int)key->k);
        sonde__pen_words(svg, "", (sonde__point){stub_at[2], y}, FONT, words);
        (void)snprintf(words, sizeof words, "%d", (int)key->n);
        sonde__pen_words(svg, "", (sonde__point){stub_at[3], y}, FONT, words);
    }
    const sonde__estimate base = sonde__optimal(h->results, find(h, key, &text), h->size);
    sonde__pen_words(svg, "", (sonde__point){stub_at[4], y}, FONT,
                     sonde__fixed(base.value, 1).text);
    if (new_embedding) {
        sonde__pen_line(svg,
                        new_scope ? " stroke=\"" SONDE__INK "\" stroke-width=\"1\""
                                  : " stroke=\"#c4c9d0\" stroke-width=\"0.8\"",
                        (sonde__point){new_scope ? MARGIN : stub_at[1], y - 0.5 * ROW},
                        (sonde__point){right_end(h), y - 0.5 * ROW});
    }
}

static void draw_head(const heat *h, sonde_text *svg) {
    static const char *const stub[] = {"scope", "embedding", "k", "n", "text, %"};
    const double y = TOP + 0.6 * HEAD;
    sonde_text_add(svg, "<g font-weight=\"bold\" text-anchor=\"middle\">\n");
    for (int i = 0; i < 5; i++) {
        sonde__pen_words(svg, i < 2 ? " text-anchor=\"start\"" : "", (sonde__point){stub_at[i], y},
                         FONT, stub[i]);
    }
    for (int32_t i = 0; i < h->n_column; i++) {
        double width = 0.0;
        const double left = column_at(h, i, &width);
        sonde__pen_words(svg, "", (sonde__point){left + 0.5 * width, y}, FONT,
                         variants[h->column[i]].name);
    }
    sonde_text_add(svg, "</g>\n");
}

static void draw_rows(const heat *h, sonde_text *svg) {
    sonde_text_add(svg, "<g text-anchor=\"middle\">\n");
    for (int32_t r = 0; r < h->n_row; r++) {
        const double top = TOP + HEAD + ROW * (double)r;
        for (int32_t i = 0; i < h->n_column; i++) {
            const cell found = cell_of(h, &h->row[r], &variants[h->column[i]]);
            double width = 0.0;
            const double left = column_at(h, i, &width);
            draw_cell(h, &found, (sonde__area){left + 1.0, top + 1.0, width - 2.0, ROW - 2.0}, svg);
        }
        draw_stub(h, r, top + 0.5 * ROW, svg);
    }
    sonde_text_add(svg, "</g>\n");
}

/* The colours and what they stand for. */
static void draw_key(const heat *h, double y, sonde_text *svg) {
    char fill[32];
    char colour[8];
    char words[96];
    for (int i = -10; i <= 10; i++) {
        colour_of((double)i / 10.0, colour);
        (void)snprintf(fill, sizeof fill, " fill=\"%s\"", colour);
        sonde__pen_rect(svg, fill, (sonde__area){STUB + 12.0 * (double)(i + 10), y, 12.0, 11.0});
    }
    (void)snprintf(words, sizeof words, "\342\210\222%s", sonde__fixed(h->most, 0).text);
    sonde__pen_words(svg, " text-anchor=\"end\"", (sonde__point){STUB - 6.0, y + 5.5}, FONT, words);
    (void)snprintf(words, sizeof words, "+%s points of optimal runs",
                   sonde__fixed(h->most, 0).text);
    sonde__pen_words(svg, "", (sonde__point){STUB + 21.0 * 12.0 + 6.0, y + 5.5}, FONT, words);
}

static void say_caption(const heat *h, sonde_text *caption) {
    sonde_text_add(caption,
                   "Change in the percentage of optimal runs against the paper's text when "
                   "one thing is different. ");
    for (int32_t i = 0; i < h->n_column; i++) {
        const variant *shown = &variants[h->column[i]];
        sonde_text_add(caption, "%s: %s%s", shown->name, shown->about,
                       i + 1 < h->n_column ? "; " : ". ");
    }
    sonde__n_range_say(&h->range, caption);
    sonde_text_add(caption,
                   " worlds a cell. Bold: p < 0.05 (two-sided sign test on the same worlds; "
                   "directed, other worlds: Newcombe's 95 %% interval without 0), not "
                   "corrected for the number of cells.");
}

static void draw(const heat *h, const char *caption, sonde_text *svg) {
    char title[80];
    (void)snprintf(title, sizeof title, "One difference at a time, %d nodes", (int)h->size);
    const double key = TOP + HEAD + ROW * (double)h->n_row + 12.0;
    const sonde__area area = {MARGIN, key + 26.0, WIDTH - 2.0 * MARGIN, 0.0};
    const double height = area.y + sonde__pen_paragraph(NULL, area, 12.0, caption) + 12.0;
    sonde__pen_open(svg, WIDTH, ceil(height), title, caption);
    sonde__pen_words(svg, " font-weight=\"bold\"", (sonde__point){MARGIN, 22.0}, 16.0, title);
    draw_head(h, svg);
    draw_rows(h, svg);
    draw_key(h, key, svg);
    sonde_text_add(svg, "<g fill=\"#444b54\">\n");
    (void)sonde__pen_paragraph(svg, area, 12.0, caption);
    sonde_text_add(svg, "</g>\n");
    sonde__pen_close(svg);
}

bool sonde__figure_differences(const sonde__results *results, int32_t size, sonde_text *svg) {
    heat h = {.results = results, .size = size};
    const size_t n = (size_t)results->plan->n_condition;
    h.row = sonde__alloc((n > 0 ? n : 1) * sizeof *h.row);
    if (h.row == NULL) {
        svg->failed = true;
        return true;
    }
    find_rows(&h);
    const bool shown = find_columns(&h);
    sonde_text caption = {0};
    if (shown) {
        say_caption(&h, &caption);
        if (!caption.failed) {
            draw(&h, caption.data, svg);
        }
        svg->failed = svg->failed || caption.failed;
    }
    sonde_text_free(&caption);
    sonde__free(h.row);
    return shown;
}

/* draw_contingency.c: a plan in closed loop as a picture, and as a graph for Graphviz.
 *
 * Beliefs stand in columns, one for each step: in each the action, and G of it. A line leads from
 * an action to the belief after each outcome; outcomes that lead to the same belief share one,
 * which says the first of them. What does not fit is left out, and the caption says so. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "draw/draw_chart.h"

#define DEPTH_MAX 12 /* steps, */
#define NODE_MAX 32  /* beliefs, the most probable, */
#define LINE_MAX 400 /* and lines that are drawn */
#define MARGIN 18.0
#define BOX_WIDTH 132.0
#define BOX_HEIGHT 34.0
#define GAP 176.0   /* between two columns, */
#define LEVEL 116.0 /* of which the words of a line take */
#define ROW 18.0    /* a line takes at least, */
#define SPACE 14.0  /* and between two beliefs */
#define FONT 11.0

/* Outcomes of one belief that lead to another. */
typedef struct {
    int32_t from;
    int32_t to; /* or -1: nobody looked at it */
    double p;
    const int32_t *outcome; /* the first of them */
    int32_t n_more;
    double y; /* where it ends */
} line;

typedef struct {
    const sonde_model *model;
    const sonde_decision *decision;
    double *reach; /* (beliefs of the plan) how likely each is */
    double least;  /* what is less likely is left out */
    int32_t n_node;
    int32_t shown[NODE_MAX]; /* places in the plan, which are in order of their steps */
    double y[NODE_MAX];      /* of their middles */
    double tall[NODE_MAX];   /* how high they are */
    int32_t n_line;
    line line[LINE_MAX]; /* in the order of where they lead, and then of where they begin */
    bool cut;
    double height;
    int32_t n_column;
} picture;

static const sonde_contingency *node_at(const picture *p, int32_t i) {
    return &p->decision->contingency[p->shown[i]];
}

/* The place among those shown, or -1. */
static int32_t place_of(const picture *p, int32_t node) {
    for (int32_t i = 0; i < p->n_node; i++) {
        if (p->shown[i] == node) {
            return i;
        }
    }
    return -1;
}

/* ------------------------------------------------------------------------------------- words -- */

/* Whether a modality shows the same after every outcome of a belief. */
static bool is_shared(const sonde_decision *decision, const sonde_contingency *at, int32_t m) {
    const sonde_contingency_branch *branch = decision->contingent + at->first;
    for (int32_t k = 1; k < at->n_branch; k++) {
        if (branch[k].outcome[m] != branch[0].outcome[m]) {
            return false;
        }
    }
    return at->n_branch > 1;
}

/* Outcomes of all modalities; or, with a decision, of those that tell one belief from another. */
static void say_outcome(const sonde_model *model, const int32_t *outcome,
                        const sonde_decision *decision, const sonde_contingency *at,
                        sonde_text *text) {
    const char *comma = "";
    for (int32_t m = 0; m < model->n_modality; m++) {
        if (outcome[m] < 0 || (decision != NULL && is_shared(decision, at, m))) {
            continue;
        }
        sonde_text_add(text, "%s", comma);
        if (model->modality[m].outcome_name != NULL) {
            sonde_text_add_shown(text, model->modality[m].outcome_name[outcome[m]]);
        } else {
            sonde_text_add(text, "outcome %d", (int)outcome[m]);
        }
        comma = ", ";
    }
    if (*comma == '\0') {
        sonde_text_add(text, "anything");
    }
}

static void say_line(const picture *p, const line *l, sonde_text *text) {
    say_outcome(p->model, l->outcome, p->decision, node_at(p, l->from), text);
    if (l->n_more > 0) {
        sonde_text_add(text, " or %d more", (int)l->n_more);
    }
}

static void say_range(double lower, double upper, sonde_text *text) {
    const double middle = 0.5 * (lower + upper);
    if (upper - lower > 2e-6 * (1.0 + fabs(middle))) {
        sonde_text_add(text, "G %s to ", sonde__short(lower).text);
        sonde_text_add(text, "%s", sonde__short(upper).text);
    } else {
        sonde_text_add(text, "G %s", sonde__short(middle).text);
    }
}

/* Draws words that may be too wide, cut to what fits, and behind them a tail that is not cut. */
static void draw_words(sonde_text *svg, const char *attributes, sonde__point at, double room,
                       sonde_text *words, const char *tail) {
    if (words->failed || words->data == NULL) {
        svg->failed = true;
        return;
    }
    const double width = room - sonde__pen_width(tail, FONT);
    const bool long_ = sonde__pen_width(words->data, FONT) > width;
    while (long_ && words->size > 0 && sonde__pen_width(words->data, FONT) > width - FONT) {
        do {
            words->size--;
        } while (words->size > 0 && ((unsigned char)words->data[words->size] & 0xc0) == 0x80);
        words->data[words->size] = '\0';
    }
    if (long_) {
        sonde_text_add(words, "\342\200\246");
    }
    sonde_text_add(words, "%s", tail);
    sonde__pen_words(svg, attributes, at, FONT, words->data);
}

/* ------------------------------------------------------------------------------------ layout -- */

/* How likely each belief is; parents stand before their children. */
static void find_reach(picture *p) {
    const sonde_decision *d = p->decision;
    p->reach[0] = 1.0;
    for (int32_t i = 0; i < d->n_contingency; i++) {
        const sonde_contingency *at = &d->contingency[i];
        for (int32_t k = at->first; k < at->first + at->n_branch; k++) {
            if (d->contingent[k].next >= 0) {
                p->reach[d->contingent[k].next] += p->reach[i] * d->contingent[k].p;
            }
        }
    }
}

/* The most probable beliefs of the plan, as many as fit. */
static void choose_nodes(picture *p) {
    const sonde_decision *d = p->decision;
    const double growth = 1.2;
    int32_t n = d->n_contingency;
    p->least = 0.0;
    while (n > NODE_MAX) {
        p->least = p->least > 0.0 ? growth * p->least : 1e-4;
        n = 0;
        for (int32_t i = 0; i < d->n_contingency; i++) {
            n += d->contingency[i].depth < DEPTH_MAX && p->reach[i] >= p->least;
        }
    }
    for (int32_t i = 0; i < d->n_contingency; i++) {
        if (p->reach[i] >= p->least && d->contingency[i].depth < DEPTH_MAX) {
            p->shown[p->n_node++] = i;
            const int32_t depth = d->contingency[i].depth;
            p->n_column = depth + 1 > p->n_column ? depth + 1 : p->n_column;
        } else {
            p->cut = true;
        }
    }
}

/* The line between two beliefs, which may be new; NULL: there is no room for it. */
static line *find_line(picture *p, int32_t from, int32_t to) {
    for (int32_t i = p->n_line - 1; i >= 0 && to >= 0 && p->line[i].from == from; i--) {
        if (p->line[i].to == to) {
            p->line[i].n_more++;
            return &p->line[i];
        }
    }
    if (p->n_line == LINE_MAX) {
        p->cut = true;
        return NULL;
    }
    p->line[p->n_line] = (line){.from = from, .to = to, .p = 0.0, .n_more = 0};
    return &p->line[p->n_line++];
}

static void find_lines(picture *p) {
    for (int32_t i = 0; i < p->n_node; i++) {
        const sonde_contingency *at = node_at(p, i);
        for (int32_t k = at->first; k < at->first + at->n_branch; k++) {
            const sonde_contingency_branch *branch = &p->decision->contingent[k];
            const int32_t to = branch->next >= 0 ? place_of(p, branch->next) : -1;
            const bool likely = p->reach[p->shown[i]] * branch->p >= 0.2 * p->least;
            line *l = likely && (branch->next < 0 || to >= 0) ? find_line(p, i, to) : NULL;
            if (l != NULL) {
                l->outcome = l->n_more > 0 ? l->outcome : branch->outcome;
                l->p += branch->p;
            }
        }
    }
}

/* Beliefs of one column below each other, each as high as its lines need, and below them what
 * nobody looked at. */
static double stack_column(picture *p, int32_t depth) {
    double y = 0.0;
    for (int32_t i = 0; i < p->n_node; i++) {
        if (node_at(p, i)->depth != depth) {
            continue;
        }
        int32_t n = 0;
        for (int32_t k = 0; k < p->n_line; k++) {
            n += p->line[k].to == i;
        }
        const double height = fmax(BOX_HEIGHT, ROW * (double)n);
        double at = y + 0.5 * (height - ROW * (double)n) + 0.5 * ROW;
        for (int32_t k = 0; k < p->n_line; k++) {
            if (p->line[k].to == i) {
                p->line[k].y = at;
                at += ROW;
            }
        }
        p->y[i] = y + 0.5 * height;
        p->tall[i] = height;
        y += height + SPACE;
    }
    for (int32_t k = 0; k < p->n_line; k++) {
        if (p->line[k].to < 0 && node_at(p, p->line[k].from)->depth + 1 == depth) {
            p->line[k].y = y + 0.5 * ROW;
            y += ROW;
        }
    }
    return y;
}

/* All columns, each in the middle. */
static void stack_columns(picture *p) {
    double height[DEPTH_MAX + 1] = {0.0};
    for (int32_t depth = 0; depth <= p->n_column; depth++) {
        height[depth] = stack_column(p, depth);
        p->height = fmax(p->height, height[depth]);
    }
    for (int32_t i = 0; i < p->n_node; i++) {
        p->y[i] += 0.5 * (p->height - height[node_at(p, i)->depth]);
    }
    for (int32_t k = 0; k < p->n_line; k++) {
        p->line[k].y += 0.5 * (p->height - height[node_at(p, p->line[k].from)->depth + 1]);
    }
}

/* ------------------------------------------------------------------------------------- lines -- */

static double column_at(int32_t depth) {
    return MARGIN + (double)depth * (BOX_WIDTH + GAP);
}

static void draw_line(const picture *p, const line *l, double top, sonde_text *svg) {
    const int32_t depth = node_at(p, l->from)->depth;
    const sonde__point a = {column_at(depth) + BOX_WIDTH, top + p->y[l->from]};
    const sonde__point end = {column_at(depth + 1), top + l->y};
    const sonde__point b = {end.x - LEVEL, end.y};
    const double middle = 0.5 * (a.x + b.x);
    sonde_text words = {0};
    sonde_text_add(svg, "<path fill=\"none\" stroke=\"" SONDE__GREY "\"");
    sonde__pen_attribute(svg, "stroke-width", 0.8 + 2.2 * l->p);
    sonde__pen_point(svg, " d=\"M", a);
    sonde__pen_point(svg, " C", (sonde__point){middle, a.y});
    sonde__pen_point(svg, " ", (sonde__point){middle, b.y});
    sonde__pen_point(svg, " ", b);
    sonde__pen_point(svg, " L", end);
    sonde_text_add(svg, "\"/>\n");
    say_line(p, l, &words);
    char tail[64];
    (void)snprintf(tail, sizeof tail, " %s", sonde__fixed(l->p, 3).text);
    draw_words(svg, " fill=\"" SONDE__SOFT "\" text-anchor=\"end\"",
               (sonde__point){end.x - 7.0, end.y - 0.62 * FONT}, LEVEL - 9.0, &words, tail);
    sonde_text_free(&words);
    if (l->to < 0) {
        sonde_text_add(svg, "<circle r=\"3\" fill=\"#ffffff\" stroke=\"" SONDE__GREY "\"");
        sonde__pen_attribute(svg, "cx", end.x);
        sonde__pen_attribute(svg, "cy", end.y);
        sonde_text_add(svg, "/>\n");
    }
}

static void draw_node(const picture *p, int32_t i, double top, sonde_text *svg) {
    const sonde_contingency *at = node_at(p, i);
    const double x = column_at(at->depth);
    const double y = top + p->y[i];
    sonde_text words = {0};
    sonde_text_add(svg, "<rect rx=\"4\" fill=\"#ffffff\" stroke=\"%s\" stroke-width=\"1.4\"",
                   i == 0 ? SONDE__PATH : SONDE__BETTER);
    sonde__pen_attribute(svg, "x", x);
    sonde__pen_attribute(svg, "y", y - 0.5 * p->tall[i]);
    sonde__pen_attribute(svg, "width", BOX_WIDTH);
    sonde__pen_attribute(svg, "height", p->tall[i]);
    sonde_text_add(svg, "/>\n");
    sonde_model_say(p->model, SONDE_NOUN_ACTION, (int32_t[]){-1, at->action}, 0, &words);
    draw_words(svg, " font-weight=\"bold\"", (sonde__point){x + 7.0, y - 0.24 * BOX_HEIGHT},
               0.86 * BOX_WIDTH, &words, "");
    sonde_text_free(&words);
    words = (sonde_text){0};
    say_range(at->lower, at->upper, &words);
    draw_words(svg, " fill=\"" SONDE__SOFT "\"", (sonde__point){x + 7.0, y + 0.24 * BOX_HEIGHT},
               BOX_WIDTH - 12.0, &words, "");
    sonde_text_free(&words);
}

static void say_caption(const picture *p, sonde_text *caption) {
    const sonde_decision *d = p->decision;
    sonde_text_add(
        caption, "What to do now (left), and after what is seen then. G of each action is in "
                 "nats, smaller is better; lines have outcomes, where they differ, and how likely "
                 "they are, and are as wide. Outcomes that lead to the same belief share a line.");
    if (d->certificate.given) {
        sonde_text_add(caption, " The posterior of first actions is within %.2g of the exact one.",
                       d->certificate.tv);
    }
    if (p->cut) {
        sonde_text_add(caption, " The plan has %d beliefs, of which the most probable are shown.",
                       (int)d->n_contingency);
    }
    if (d->n_contingency == 0) {
        sonde_text_add(caption, " No belief was looked at closely enough to plan from it.");
    }
}

void sonde_draw_contingency(const sonde_agent *agent, const sonde_decision *decision,
                            sonde_text *svg) {
    static const char title[] = "A plan that waits for what it sees";
    picture *p = sonde__alloc(sizeof *p);
    sonde_text caption = {0};
    if (p == NULL) {
        svg->failed = true;
        return;
    }
    p->model = sonde_agent_policies(agent)->model;
    p->decision = decision;
    p->reach = sonde__alloc(((size_t)decision->n_contingency + 1) * sizeof *p->reach);
    if (p->reach == NULL) {
        svg->failed = true;
        sonde__free(p);
        return;
    }
    find_reach(p);
    choose_nodes(p);
    find_lines(p);
    stack_columns(p);
    say_caption(p, &caption);
    const double last = p->n_column > 0 ? column_at(p->n_column - 1) : MARGIN;
    bool open = false; /* something nobody looked at stands after the last column */
    for (int32_t k = 0; k < p->n_line; k++) {
        open = open || (p->line[k].to < 0 && node_at(p, p->line[k].from)->depth + 1 == p->n_column);
    }
    const double width = fmax(420.0, last + BOX_WIDTH + MARGIN + (open ? GAP : 0.0));
    const char *words = caption.data != NULL ? caption.data : "";
    const sonde__area area = {MARGIN, MARGIN + 26.0, width - 2.0 * MARGIN, 0.0};
    const double top = area.y + sonde__pen_paragraph(NULL, area, FONT, words) + SPACE;
    sonde__pen_open(svg, width, top + p->height + MARGIN, title, words);
    sonde__pen_words(svg, " font-weight=\"bold\"", (sonde__point){MARGIN, MARGIN + 7.0}, 15.0,
                     title);
    (void)sonde__pen_paragraph(svg, area, FONT, words);
    for (int32_t k = 0; k < p->n_line; k++) {
        draw_line(p, &p->line[k], top, svg);
    }
    for (int32_t i = 0; i < p->n_node; i++) {
        draw_node(p, i, top, svg);
    }
    sonde_text_add(svg, "</svg>\n");
    svg->failed = svg->failed || caption.failed;
    sonde_text_free(&caption);
    sonde__free(p->reach);
    sonde__free(p);
}

/* --------------------------------------------------------------------------------------- dot -- */

/* Words within quotes of Graphviz, whose own are escaped. */
static void add_quoted(sonde_text *dot, const sonde_text *words) {
    for (const char *s = words->data != NULL ? words->data : ""; *s != '\0'; s++) {
        sonde_text_add(dot, *s == '"' || *s == '\\' ? "\\%c" : "%c", *s);
    }
    dot->failed = dot->failed || words->failed;
}

static void add_dot_node(const sonde_model *model, const sonde_decision *d, int32_t i,
                         sonde_text *dot) {
    const sonde_contingency *at = &d->contingency[i];
    sonde_text words = {0};
    sonde_text_add(dot, "  b%d [label=\"", (int)i);
    sonde_model_say(model, SONDE_NOUN_ACTION, (int32_t[]){-1, at->action}, 0, &words);
    add_quoted(dot, &words);
    sonde_text_free(&words);
    words = (sonde_text){0};
    say_range(at->lower, at->upper, &words);
    sonde_text_add(dot, "\\n");
    add_quoted(dot, &words);
    sonde_text_free(&words);
    sonde_text_add(dot, "\"];\n");
    for (int32_t k = at->first; k < at->first + at->n_branch; k++) {
        const sonde_contingency_branch *branch = &d->contingent[k];
        words = (sonde_text){0};
        say_outcome(model, branch->outcome, NULL, NULL, &words);
        if (branch->next < 0) {
            sonde_text_add(dot, "  l%d [shape=point];\n", (int)k);
            sonde_text_add(dot, "  b%d -> l%d [label=\"", (int)i, (int)k);
        } else {
            sonde_text_add(dot, "  b%d -> b%d [label=\"", (int)i, (int)branch->next);
        }
        add_quoted(dot, &words);
        sonde_text_add(dot, "\\n%s\"];\n", sonde__fixed(branch->p, 3).text);
        sonde_text_free(&words);
    }
}

void sonde_draw_contingency_dot(const sonde_agent *agent, const sonde_decision *decision,
                                sonde_text *dot) {
    const sonde_model *model = sonde_agent_policies(agent)->model;
    sonde_text_add(dot,
                   "digraph plan {\n  rankdir=LR;\n  node [shape=box, style=rounded, "
                   "fontname=\"Helvetica\"];\n  edge [fontname=\"Helvetica\", fontsize=10];\n");
    for (int32_t i = 0; i < decision->n_contingency; i++) {
        add_dot_node(model, decision, i, dot);
    }
    sonde_text_add(dot, "}\n");
}

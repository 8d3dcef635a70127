/* report_words.c: the words in a picture.
 *
 * Names come from anybody's file, so that everything goes through one function that leaves neither
 * markup nor broken UTF-8 nor control characters in the XML. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/report_internal.h"

/* how many steps are named along one edge */
#define STEP_MAX 4
#define ELLIPSIS "\342\200\246"

/* Bytes of the UTF-8 character at `s`, or 0 if there is none that XML allows. */
static int character(const unsigned char *s) {
    if (s[0] < 0x80) {
        return s[0] >= 0x20 && s[0] != 0x7f ? 1 : 0;
    }
    const int n = s[0] >= 0xf0 ? 4 : s[0] >= 0xe0 ? 3 : 2;
    if (s[0] < 0xc2 || s[0] > 0xf4) {
        return 0;
    }
    uint32_t code = s[0] & (0x7fu >> n);
    for (int i = 1; i < n; i++) {
        if ((s[i] & 0xc0) != 0x80) {
            return 0;
        }
        code = code << 6 | (s[i] & 0x3fu);
    }
    const bool overlong = code < (n == 2 ? 0x80u : n == 3 ? 0x800u : 0x10000u);
    const bool surrogate = code >= 0xd800 && code < 0xe000;
    const bool nonchar = (code & 0xfffe) == 0xfffe || code > 0x10ffff;
    return overlong || surrogate || nonchar ? 0 : n;
}

static void add_escaped(sonde_text *text, const char *string) {
    while (*string != '\0') {
        const int n = character((const unsigned char *)string);
        switch (*string) {
        case '&': sonde_text_add(text, "&amp;"); break;
        case '<': sonde_text_add(text, "&lt;"); break;
        case '>': sonde_text_add(text, "&gt;"); break;
        case '"': sonde_text_add(text, "&quot;"); break;
        default: sonde_text_add(text, "%.*s", n > 0 ? n : 1, n > 0 ? string : "?"); break;
        }
        string += n > 0 ? n : 1;
    }
}

void sonde__words_plain(sonde_text *text, const char *string, int32_t most) {
    /* what the dots stand for is longer than they are */
    const bool fits = sonde__words_count(string) <= most + 1;
    while (*string != '\0' && (fits || most-- > 0)) {
        const int n = character((const unsigned char *)string);
        sonde_text_add(text, "%.*s", n > 0 ? n : 1, n > 0 ? string : "?");
        string += n > 0 ? n : 1;
    }
    sonde_text_add(text, *string != '\0' ? ELLIPSIS : "");
}

int32_t sonde__words_count(const char *text) {
    int32_t n = 0;
    for (const char *s = text; *s != '\0'; s++) {
        const char *end = *s == '&' ? strchr(s, ';') : NULL;
        s = end != NULL ? end : s;
        n += ((unsigned char)*s & 0xc0) != 0x80 ? 1 : 0;
    }
    return n;
}

void sonde__words_call(const sonde_graph *graph, int32_t node, sonde_text *text) {
    if (graph->name != NULL) {
        add_escaped(text, graph->name[node]);
    } else {
        sonde_text_add(text, "%" PRId32, node);
    }
}

void sonde__words_in_node(const sonde__scene *scene, int32_t node, sonde_text *text) {
    if (scene->names_inside) {
        sonde__words_call(scene->graph, node, text);
    } else {
        sonde_text_add(text, "%" PRId32, node);
    }
}

void sonde__words_beside(const sonde__scene *scene, int32_t node, sonde_text *text) {
    const sonde_graph *graph = scene->graph;
    const char *comma = "";
    if (graph->name != NULL && !scene->names_inside) {
        add_escaped(text, graph->name[node]);
        comma = ", ";
    }
    if (node == graph->head[graph->start]) {
        sonde_text_add(text, "%sstart", comma);
        comma = ", ";
    }
    if (node == graph->destination) {
        sonde_text_add(text, "%sdestination", comma);
    }
}

void sonde__words_stays(const sonde__scene *scene, int32_t node, sonde_text *text) {
    if (scene->stays[node] > 0) {
        sonde_text_add(text, "stays %" PRId32 "\303\227", scene->stays[node]);
    }
}

/* Four significant digits: what a label has room for. */
void sonde__words_weight(double weight, sonde_text *text) {
    char digits[32];
    snprintf(digits, sizeof digits, "%.4g", weight);
    sonde_text_add_number(text, strtod(digits, NULL));
}

void sonde__words_steps(const sonde__scene *scene, int32_t edge, sonde_text *text) {
    const sonde_graph *graph = scene->graph;
    int32_t n = 0;
    for (int32_t i = 1; i < scene->n_path; i++) {
        if (scene->path[i - 1] != graph->tail[edge] || scene->path[i] != graph->head[edge]) {
            continue;
        }
        if (n == STEP_MAX) {
            sonde_text_add(text, ",\342\200\246");
            return;
        }
        sonde_text_add(text, "%s%" PRId32, n > 0 ? "," : "", i);
        n++;
    }
}

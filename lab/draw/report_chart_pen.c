/* report_chart_pen.c: the strokes that charts are made of.
 *
 * Plain SVG that any viewer, browser or typesetter draws alike: presentation attributes, no style
 * sheet, script, pattern or identifier, so that many pictures can stand in one page. Hatching is
 * drawn line by line for the same reason. Colours are Okabe and Ito's, which colour-blind readers
 * can tell apart; dashes, markers and hatching do the same on paper without colour. */
#include <math.h>
#include <string.h>

#include "draw/report_chart.h"
#include "draw/report_page.h"

#define HATCH 4.2 /* between two lines of a hatched bar */
#define HATCH_MAX 400.0
#define MARKER_RADIUS 4.2

/* ----------------------------------------------------------------------------------- styles -- */

#define CIRCLE "M-1 0 A1 1 0 1 1 1 0 A1 1 0 1 1 -1 0 Z"
#define SQUARE "M-0.88 -0.88 H0.88 V0.88 H-0.88 Z"
#define TRIANGLE "M0 -1.2 L1.1 0.8 H-1.1 Z"
#define DIAMOND "M0 -1.3 L1.1 0 L0 1.3 L-1.1 0 Z"
#define TRIANGLE_DOWN "M0 1.2 L1.1 -0.8 H-1.1 Z"
#define PENTAGON "M0 -1.15 L1.1 -0.35 L0.68 0.95 H-0.68 L-1.1 -0.35 Z"
#define CROSS "M-0.4 -1.15 H0.4 V-0.4 H1.15 V0.4 H0.4 V1.15 H-0.4 V0.4 H-1.15 V-0.4 H-0.4 Z"
#define BAR "M-0.55 -1.25 H0.55 V1.25 H-0.55 Z"

sonde__style sonde__style_of(int32_t style) {
    static const sonde__style styles[] = {
        {"#3d3d3d", NULL, CIRCLE, false},         {"#0072b2", "8 3", SQUARE, false},
        {"#e69f00", "3 2.5", TRIANGLE, true},     {"#009e73", "9 3 2 3", DIAMOND, false},
        {"#d55e00", "5 2", TRIANGLE_DOWN, false}, {"#cc79a7", "1.5 2", PENTAGON, true},
        {"#56b4e9", "12 3", CROSS, false},        {"#9aa0a8", "2 4", BAR, true},
    };
    const int32_t n = (int32_t)(sizeof styles / sizeof *styles);
    const int32_t colour = ((style % n) + n) % n;
    sonde__style found = styles[colour];
    found.marker = styles[(colour + (style > 0 ? style / n : 0)) % n].marker;
    return found;
}

/* ---------------------------------------------------------------------------------- strokes -- */

void sonde__pen_at(sonde_text *svg, double number) {
    sonde_text_add_number(svg, floor(number * 100.0 + 0.5) / 100.0 + 0.0);
}

static void add_attribute(sonde_text *svg, const char *key, double number) {
    sonde_text_add(svg, " %s=\"", key);
    sonde__pen_at(svg, number);
    sonde_text_add(svg, "\"");
}

void sonde__pen_point(sonde_text *svg, const char *before, sonde__point at) {
    sonde_text_add(svg, "%s", before);
    sonde__pen_at(svg, at.x);
    sonde_text_add(svg, " ");
    sonde__pen_at(svg, at.y);
}

void sonde__pen_line(sonde_text *svg, const char *attributes, sonde__point a, sonde__point b) {
    sonde_text_add(svg, "<path%s", attributes);
    sonde__pen_point(svg, " d=\"M", a);
    sonde__pen_point(svg, " L", b);
    sonde_text_add(svg, "\"/>\n");
}

void sonde__pen_rect(sonde_text *svg, const char *attributes, sonde__area area) {
    sonde_text_add(svg, "<rect%s", attributes);
    add_attribute(svg, "x", area.x);
    add_attribute(svg, "y", area.y);
    add_attribute(svg, "width", fmax(area.width, 0.0));
    add_attribute(svg, "height", fmax(area.height, 0.0));
    sonde_text_add(svg, "/>\n");
}

/* Lines from lower left to upper right, x + y = c, each cut off at the edges of the area; or the
 * mirror image of that. */
static void hatch(sonde_text *svg, const sonde__style *style, sonde__area area) {
    const double right = area.x + area.width;
    const double foot = area.y + area.height;
    const double step = HATCH * sqrt(2.0);
    sonde_text_add(svg, "<path stroke=\"%s\" stroke-width=\"1.6\" d=\"", style->colour);
    const double first = ceil((area.x + area.y) / step);
    const int32_t n = (int32_t)fmin(ceil((right + foot) / step) - first, HATCH_MAX);
    for (int32_t i = 0; i < n; i++) {
        const double c = step * (first + (double)i);
        const double x_low = fmax(area.x, c - foot);
        const double x_high = fmin(right, c - area.y);
        const double from = style->falling ? area.x + right - x_low : x_low;
        const double to = style->falling ? area.x + right - x_high : x_high;
        sonde__pen_point(svg, "M", (sonde__point){from, c - x_low});
        sonde__pen_point(svg, "L", (sonde__point){to, c - x_high});
    }
    sonde_text_add(svg, "\"/>\n");
}

void sonde__pen_bar(sonde_text *svg, const sonde__style *style, bool hollow, sonde__area area) {
    sonde_text_add(svg, "<g fill=\"%s\" stroke=\"%s\" stroke-width=\"0.8\">",
                   hollow ? "#ffffff" : style->colour, style->colour);
    sonde__pen_rect(svg, "", area);
    if (hollow && area.width > 0.0 && area.height > 0.0) {
        hatch(svg, style, area);
    }
    sonde_text_add(svg, "</g>\n");
}

void sonde__pen_marker(sonde_text *svg, const sonde__style *style, bool hollow, double size,
                       sonde__point at) {
    sonde__pen_point(svg, "<path transform=\"translate(", at);
    sonde_text_add(svg, ") scale(");
    sonde__pen_at(svg, MARKER_RADIUS * size);
    sonde_text_add(svg, ")\" fill=\"%s\" stroke=\"%s\" stroke-width=\"%s\" d=\"%s\"/>\n",
                   hollow ? "#ffffff" : style->colour, hollow ? style->colour : "#ffffff",
                   hollow ? "0.4" : "0.2", style->marker);
}

/* ------------------------------------------------------------------------------------ words -- */

/* Thousandths of the font size, as wide as the widest of the usual fonts has it. */
static int32_t character_width(char c) {
    if (strchr(" .,:;!|'()[]/-iljItfr", c) != NULL) {
        return strchr("()[]/-tfr", c) != NULL ? 400 : 320;
    }
    if (strchr("mwMW%", c) != NULL) {
        return 960;
    }
    const bool capital = c >= 'A' && c <= 'Z';
    return capital ? 700 : 630;
}

/* The ^ of a power of ten, or NULL. */
static const char *exponent(const char *words) {
    return strncmp(words, "10^", 3) == 0 ? words + 2 : NULL;
}

/* Bytes that only continue a character have no width. */
double sonde__pen_width(const char *words, double font) {
    const char *raised = exponent(words);
    double width = 0.0;
    for (const char *s = words; *s != '\0'; s++) {
        if (s != raised && ((unsigned char)*s & 0xc0) != 0x80) {
            const double scale = raised != NULL && s > raised ? 0.72 : 1.0;
            width += 0.001 * scale * (double)character_width(*s);
        }
    }
    return width * font;
}

void sonde__pen_words(sonde_text *svg, const char *attributes, sonde__point at, double font,
                      const char *words) {
    const char *raised = exponent(words);
    sonde_text_add(svg, "<text%s", attributes);
    add_attribute(svg, "x", at.x);
    add_attribute(svg, "y", at.y + 0.355 * font);
    add_attribute(svg, "font-size", font);
    sonde_text_add(svg, ">");
    if (raised != NULL) {
        sonde_text_add(svg, "10<tspan");
        add_attribute(svg, "dy", -0.38 * font);
        add_attribute(svg, "font-size", 0.72 * font);
        sonde_text_add(svg, ">");
        sonde__html(svg, raised + 1);
        sonde_text_add(svg, "</tspan>");
    } else {
        sonde__html(svg, words);
    }
    sonde_text_add(svg, "</text>\n");
}

void sonde__pen_turned(sonde_text *svg, sonde__point at, double font, const char *words) {
    sonde__pen_point(svg, "<g transform=\"translate(", at);
    sonde_text_add(svg, ") rotate(-90)\">");
    sonde__pen_words(svg, " text-anchor=\"middle\"", (sonde__point){0.0, 0.0}, font, words);
    sonde_text_add(svg, "</g>\n");
}

/* The end of the line that begins at `words`: the last gap before it is too wide. */
static const char *line_end(const char *words, double font, double width) {
    const char *end = NULL;
    double used = 0.0;
    for (const char *s = words; *s != '\0'; s++) {
        if (*s == ' ' && (used <= width || end == NULL)) {
            end = s;
        }
        if (((unsigned char)*s & 0xc0) != 0x80) {
            used += 0.001 * (double)character_width(*s) * font;
        }
        if (used > width && end != NULL) {
            return end;
        }
    }
    return words + strlen(words);
}

double sonde__pen_paragraph(sonde_text *svg, sonde__area area, double font, const char *words) {
    double y = area.y;
    while (*words != '\0') {
        const char *end = line_end(words, font, area.width);
        if (svg != NULL) {
            sonde_text line = {0};
            sonde_text_add(&line, "%.*s", (int)(end - words), words);
            sonde__pen_words(svg, "", (sonde__point){area.x, y + 0.7 * font}, font,
                             line.failed ? "" : line.data);
            svg->failed = svg->failed || line.failed;
            sonde_text_free(&line);
        }
        y += 1.4 * font;
        words = *end != '\0' ? end + 1 : end;
    }
    return y - area.y;
}

/* --------------------------------------------------------------------------------- document -- */

void sonde__pen_open(sonde_text *svg, double width, double height, const char *title,
                     const char *description) {
    sonde_text_add(svg, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 ");
    sonde__pen_at(svg, width);
    sonde_text_add(svg, " ");
    sonde__pen_at(svg, height);
    sonde_text_add(svg, "\"");
    add_attribute(svg, "width", width);
    add_attribute(svg, "height", height);
    sonde_text_add(svg, " role=\"img\" font-family=\"Helvetica, Arial, 'DejaVu Sans', sans-serif\""
                        " fill=\"" SONDE__INK "\">\n<title>");
    sonde__html(svg, title);
    sonde_text_add(svg, "</title>\n<desc>");
    sonde__html(svg, description);
    sonde_text_add(svg, "</desc>\n");
    sonde__pen_rect(svg, " rx=\"6\" fill=\"#ffffff\"", (sonde__area){0.0, 0.0, width, height});
}

void sonde__pen_close(sonde_text *svg) {
    sonde_text_add(svg, "</svg>\n");
}

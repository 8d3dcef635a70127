/* draw_pen.c: the strokes that charts are made of.
 *
 * Plain SVG that any viewer, browser or typesetter draws alike: presentation attributes, no style
 * sheet, script, pattern or identifier, so that many pictures can stand in one page. */
#include <math.h>
#include <string.h>

#include "draw/draw_chart.h"

/* ---------------------------------------------------------------------------------- strokes -- */

void sonde__pen_at(sonde_text *svg, double number) {
    sonde_text_add_number(svg, floor(number * 100.0 + 0.5) / 100.0 + 0.0);
}

void sonde__pen_attribute(sonde_text *svg, const char *key, double number) {
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

void sonde__pen_line(sonde_text *svg, const char *colour, sonde__point a, sonde__point b) {
    sonde_text_add(svg, "<path fill=\"none\" stroke=\"%s\"", colour);
    sonde__pen_point(svg, " d=\"M", a);
    sonde__pen_point(svg, " L", b);
    sonde_text_add(svg, "\"/>\n");
}

void sonde__pen_bar(sonde_text *svg, const char *colour, bool hollow, sonde__area area) {
    sonde_text_add(svg, "<rect fill=\"%s\" fill-opacity=\"%s\" stroke=\"%s\"", colour,
                   hollow ? "0.2" : "1", colour);
    sonde__pen_attribute(svg, "x", area.x);
    sonde__pen_attribute(svg, "y", area.y);
    sonde__pen_attribute(svg, "width", fmax(area.width, 0.0));
    sonde__pen_attribute(svg, "height", fmax(area.height, 0.0));
    sonde_text_add(svg, "/>\n");
}

void sonde__pen_dot(sonde_text *svg, const char *colour, sonde__point at) {
    sonde_text_add(svg, "<circle r=\"4.2\"");
    sonde__pen_attribute(svg, "cx", at.x);
    sonde__pen_attribute(svg, "cy", at.y);
    sonde_text_add(svg, " fill=\"%s\" stroke=\"#ffffff\"/>\n", colour);
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

void sonde__pen_open_words(sonde_text *svg, const char *attributes, sonde__point at, double font) {
    sonde_text_add(svg, "<text%s", attributes);
    sonde__pen_attribute(svg, "x", at.x);
    sonde__pen_attribute(svg, "y", at.y + 0.355 * font);
    sonde__pen_attribute(svg, "font-size", font);
    sonde_text_add(svg, ">");
}

void sonde__pen_words(sonde_text *svg, const char *attributes, sonde__point at, double font,
                      const char *words) {
    const char *raised = exponent(words);
    sonde__pen_open_words(svg, attributes, at, font);
    if (raised != NULL) {
        sonde_text_add(svg, "10<tspan");
        sonde__pen_attribute(svg, "dy", -0.38 * font);
        sonde__pen_attribute(svg, "font-size", 0.72 * font);
        sonde_text_add(svg, ">");
        sonde__html(svg, raised + 1);
        sonde_text_add(svg, "</tspan>");
    } else {
        sonde__html(svg, words);
    }
    sonde_text_add(svg, "</text>\n");
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
    sonde__pen_attribute(svg, "width", width);
    sonde__pen_attribute(svg, "height", height);
    sonde_text_add(svg, " role=\"img\" font-family=\"Helvetica, Arial, 'DejaVu Sans', sans-serif\""
                        " fill=\"" SONDE__INK "\">\n<title>");
    sonde__html(svg, title);
    sonde_text_add(svg, "</title>\n<desc>");
    sonde__html(svg, description);
    sonde_text_add(svg, "</desc>\n");
    sonde_text_add(svg, "<rect width=\"100%%\" height=\"100%%\" rx=\"6\" fill=\"#ffffff\"/>\n");
}

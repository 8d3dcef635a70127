/* draw_graph.c: a world as a picture for a paper.
 *
 * Plain SVG that any viewer, browser or typesetter draws alike: no style sheet, script, marker or
 * font of its own, nothing that could meddle with the page it is put into, and a light panel behind
 * it all so that it is legible on a dark one. Colours are Okabe and Ito's, which colour-blind
 * readers can tell apart; each also has a shape or a word to go with it.
 *
 * Drawn from back to front: panel, path, lines, start edge, weights, steps, nodes, notes, caption.
 * Where things go is decided in draw_scene.c. */
#include <math.h>
#include <string.h>

#include "base/status.h"
#include "draw/draw_chart.h"

#define MARGIN 16.0
#define CAPTION_FONT 12.0
#define CAPTION_STEP 17.0 /* from line to line */
#define WIDTH_MIN 420.0

/* --------------------------------------------------------------------------------- elements -- */

/* A straight line when the curve is one. */
static void add_curve(sonde_text *svg, const char *attributes, const sonde__curve *curve) {
    const sonde__point middle = {0.5 * (curve->a.x + curve->b.x), 0.5 * (curve->a.y + curve->b.y)};
    sonde_text_add(svg, "<path%s d=\"", attributes);
    sonde__pen_point(svg, "M", curve->a);
    if (sonde__distance(middle, curve->control) > 0.01) {
        sonde__pen_point(svg, " Q", curve->control);
        sonde__pen_point(svg, " ", curve->b);
    } else {
        sonde__pen_point(svg, " L", curve->b);
    }
    sonde_text_add(svg, "\"/>\n");
}

/* An arrow's head at the end of a curve. */
static void add_arrowhead(sonde_text *svg, const sonde__curve *curve, double size) {
    const double apart = sonde__distance(curve->control, curve->b);
    const double ux = apart > 0.0 ? (curve->b.x - curve->control.x) / apart : 1.0;
    const double uy = apart > 0.0 ? (curve->b.y - curve->control.y) / apart : 0.0;
    const sonde__point base = {curve->b.x - size * ux, curve->b.y - size * uy};
    const double half = 0.42 * size;
    sonde__pen_point(svg, "<path d=\"M", curve->b);
    sonde__pen_point(svg, " L", (sonde__point){base.x - half * uy, base.y + half * ux});
    sonde__pen_point(svg, " L", (sonde__point){base.x + half * uy, base.y - half * ux});
    sonde_text_add(svg, " Z\"/>\n");
}

/* The curve without the stretch that its arrow's head covers. */
static sonde__curve without_head(const sonde__curve *curve, double size) {
    const double whole = sonde__curve_length(curve);
    return sonde__curve_part(curve, 0.0, whole > size ? 1.0 - 0.8 * size / whole : 0.5);
}

static void add_circle(sonde_text *svg, const char *attributes, sonde__point at, double radius) {
    sonde_text_add(svg, "<circle%s", attributes);
    sonde__pen_attribute(svg, "cx", at.x);
    sonde__pen_attribute(svg, "cy", at.y);
    sonde__pen_attribute(svg, "r", radius);
    sonde_text_add(svg, "/>\n");
}

static void add_box(sonde_text *svg, const sonde__box *box, double corner) {
    sonde_text_add(svg, "<rect");
    sonde__pen_attribute(svg, "x", box->center.x - box->half_width);
    sonde__pen_attribute(svg, "y", box->center.y - box->half_height);
    sonde__pen_attribute(svg, "width", 2.0 * box->half_width);
    sonde__pen_attribute(svg, "height", 2.0 * box->half_height);
    sonde__pen_attribute(svg, "rx", corner);
    sonde_text_add(svg, "/>");
}

static void open_group(sonde_text *svg, const char *attributes, double width) {
    sonde_text_add(svg, "<g %s", attributes);
    if (width > 0.0) {
        sonde__pen_attribute(svg, "stroke-width", width);
    }
    sonde_text_add(svg, ">\n");
}

static void close_group(sonde_text *svg) {
    sonde_text_add(svg, "</g>\n");
}

/* ----------------------------------------------------------------------------------- layers -- */

/* The path as a broad band under the lines: one group, no darker where it overlaps. */
static void add_path_walked(const sonde__scene *scene, sonde_text *svg) {
    if (scene->n_lane == 0) {
        return;
    }
    open_group(svg, "class=\"path\" fill=\"none\" stroke=\"" SONDE__PATH "\" opacity=\"0.55\"",
               0.0);
    for (int32_t i = 0; i < scene->n_lane; i++) {
        const sonde__lane *lane = &scene->lane[i];
        const sonde__curve band = without_head(&lane->curve, 2.2 * lane->width);
        open_group(svg, "class=\"lane\"", lane->width);
        add_curve(svg, "", &band);
        close_group(svg);
    }
    close_group(svg);
    open_group(svg, "fill=\"" SONDE__PATH "\" stroke=\"none\"", 0.0);
    for (int32_t i = 0; i < scene->n_lane; i++) {
        add_arrowhead(svg, &scene->lane[i].curve, 2.2 * scene->lane[i].width);
    }
    close_group(svg);
}

/* The edge on which the agent starts: a dotted line over it. */
static void add_start_edge(const sonde__scene *scene, sonde_text *svg) {
    const int32_t start = scene->graph->start;
    if (scene->arc_of[start] < 0) {
        return;
    }
    const sonde__arc *arc = &scene->arc[scene->arc_of[start]];
    const bool same_way = arc->tail == scene->graph->tail[start];
    const sonde__curve line = same_way ? arc->curve : sonde__curve_turned(&arc->curve);
    const double size = 0.25 * scene->radius + 5.0;
    const sonde__curve beside = sonde__curve_shifted(&line, -0.2 * scene->radius);
    const sonde__curve dots = without_head(&beside, size);
    open_group(svg,
               "class=\"previous\" fill=\"none\" stroke=\"" SONDE__START
               "\" stroke-linecap=\"round\" stroke-dasharray=\"0.1 4.5\"",
               2.4);
    add_curve(svg, "", &dots);
    close_group(svg);
    open_group(svg, "fill=\"" SONDE__START "\" stroke=\"none\"", 0.0);
    add_arrowhead(svg, &beside, size);
    close_group(svg);
}

static void add_lines(const sonde__scene *scene, sonde_text *svg) {
    const bool many = scene->radius < 5.0;
    const double size = fmin(9.0, 0.6 * scene->radius + 1.0);
    open_group(svg, "fill=\"none\" stroke=\"" SONDE__GREY "\"",
               many             ? 0.5
               : scene->weights ? 1.4
                                : 0.9);
    for (int32_t i = 0; i < scene->n_arc; i++) {
        const sonde__arc *arc = &scene->arc[i];
        const sonde__curve line = arc->arrow ? without_head(&arc->curve, size) : arc->curve;
        add_curve(svg, arc->arrow ? " class=\"arrow\"" : " class=\"edge\"", &line);
    }
    close_group(svg);
    open_group(svg, "fill=\"" SONDE__GREY "\" stroke=\"none\"", 0.0);
    for (int32_t i = 0; i < scene->n_arc; i++) {
        if (scene->arc[i].arrow) {
            add_arrowhead(svg, &scene->arc[i].curve, size);
        }
    }
    close_group(svg);
}

static void add_weights(const sonde__scene *scene, sonde_text *svg) {
    if (!scene->weights) {
        return;
    }
    open_group(svg, "class=\"weights\" fill=\"#ffffff\"", 0.0);
    for (int32_t i = 0; i < scene->n_arc; i++) {
        add_box(svg, &scene->arc[i].label, 3.0);
        sonde__pen_open_words(svg, " class=\"weight\" fill=\"" SONDE__INK "\"",
                              scene->arc[i].label.center, scene->font);
        sonde__words_weight(scene->arc[i].weight, svg);
        sonde_text_add(svg, "</text>\n");
    }
    close_group(svg);
}

static void add_steps(const sonde__scene *scene, sonde_text *svg) {
    open_group(svg, "class=\"steps\" fill=\"" SONDE__PATH "\" font-weight=\"bold\"", 0.0);
    for (int32_t i = 0; i < scene->n_lane; i++) {
        const sonde__lane *lane = &scene->lane[i];
        if (lane->badge.half_width > 0.0) {
            add_box(svg, &lane->badge, lane->badge.half_height);
            sonde__pen_open_words(svg, " class=\"step\" fill=\"" SONDE__INK "\"",
                                  lane->badge.center, 0.9 * scene->font);
            sonde__say_steps(scene, lane->edge, svg);
            sonde_text_add(svg, "</text>\n");
        }
    }
    close_group(svg);
}

/* One node: its disc, the destination's second ring, its number or name. */
static void add_node(const sonde__scene *scene, int32_t node, double font, sonde_text *svg) {
    const sonde_graph *graph = scene->graph;
    const sonde__circle *circle = &scene->node[node];
    const bool start = node == graph->head[graph->start];
    const bool destination = node == graph->destination;
    const bool many = scene->radius < 5.0;
    if (destination && !many) {
        add_circle(svg, " fill=\"#ffffff\" stroke=\"" SONDE__DESTINATION "\" stroke-width=\"2\"",
                   circle->center, circle->radius - 1.0);
    }
    const char *fill = start         ? " class=\"node\" fill=\"" SONDE__START "\""
                       : destination ? " class=\"node\" fill=\"" SONDE__DESTINATION "\""
                                     : " class=\"node\" fill=\"#f3f4f6\"";
    const double inner = destination && !many ? circle->radius - 4.5 : circle->radius;
    add_circle(svg, fill, circle->center, inner);
    if (!many) {
        sonde__pen_open_words(svg, " stroke=\"none\" fill=\"" SONDE__INK "\"", circle->center,
                              font);
        sonde__say_in_node(scene, node, svg);
        sonde_text_add(svg, "</text>\n");
    }
}

/* The largest letters with which every node's words fit into it. */
static double font_in_nodes(sonde__scene *scene) {
    int32_t most = 1;
    for (int32_t v = 0; v < scene->graph->n_node; v++) {
        scene->scratch.size = 0;
        sonde__say_in_node(scene, v, &scene->scratch);
        const int32_t n = scene->scratch.failed ? 1 : sonde__words_count(scene->scratch.data);
        most = n > most ? n : most;
    }
    return fmin(0.86 * scene->radius, 1.75 * scene->radius / (0.6 * (double)most));
}

/* The words beside a node, in one line or two, on a veil that mutes what they lie on. */
static void add_note(const sonde__scene *scene, int32_t node, sonde_text *svg) {
    const sonde__box *box = &scene->note[node];
    const bool stays = scene->stays[node] > 0;
    const bool two = box->half_height > scene->font;
    sonde__point at = box->center;
    sonde_text_add(svg, "<g fill=\"#ffffff\" fill-opacity=\"0.75\">");
    add_box(svg, box, 3.0);
    close_group(svg);
    at.y -= two ? 0.5 * box->half_height : 0.0;
    if (two || !stays) {
        sonde__pen_open_words(svg, "", at, scene->font);
        sonde__say_beside(scene, node, svg);
        sonde_text_add(svg, "</text>\n");
        at.y += box->half_height;
    }
    if (stays) {
        sonde__pen_open_words(svg, " fill=\"#9a4400\" font-weight=\"bold\"", at, scene->font);
        sonde__say_stays(scene, node, svg);
        sonde_text_add(svg, "</text>\n");
    }
}

/* Start and destination come last, so that a crowd does not hide them. */
static void add_nodes(sonde__scene *scene, sonde_text *svg) {
    const double font = font_in_nodes(scene);
    const int32_t start = scene->graph->head[scene->graph->start];
    const int32_t destination = scene->graph->destination;
    open_group(svg, "class=\"nodes\" stroke=\"" SONDE__INK "\"", scene->radius < 5.0 ? 0.3 : 1.4);
    for (int32_t v = 0; v < scene->graph->n_node; v++) {
        if (v != start && v != destination) {
            add_node(scene, v, font, svg);
        }
    }
    add_node(scene, start, font, svg);
    if (destination != start) {
        add_node(scene, destination, font, svg);
    }
    close_group(svg);
    open_group(svg, "class=\"notes\" fill=\"" SONDE__INK "\"", 0.0);
    for (int32_t v = 0; v < scene->graph->n_node; v++) {
        if (scene->note[v].half_width > 0.0) {
            add_note(scene, v, svg);
        }
    }
    close_group(svg);
}

/* ---------------------------------------------------------------------------------- picture -- */

/* The end of the line that begins at `words`: a break, or the last gap before it is too long. */
static const char *line_end(const char *words, int32_t n_max) {
    const char *end = words + strlen(words);
    int32_t n = 0;
    for (const char *s = words; *s != '\0'; s++) {
        if (*s == '\n') {
            return s;
        }
        n += ((unsigned char)*s & 0xc0) != 0x80 ? 1 : 0;
        if (*s == ' ' && n <= n_max + 1) {
            end = s;
        }
        if (n > n_max) {
            return end;
        }
    }
    return words + strlen(words);
}

/* Writes the caption line by line, or with NULL only counts the lines. */
static int32_t add_caption(const char *words, int32_t n_max, sonde__point at, sonde_text *svg) {
    int32_t n_line = 0;
    while (*words != '\0') {
        const char *end = line_end(words, n_max);
        if (svg != NULL) {
            sonde_text_add(svg, "<text");
            sonde__pen_attribute(svg, "x", at.x);
            sonde__pen_attribute(svg, "y", at.y + CAPTION_STEP * (double)n_line);
            sonde_text_add(svg, ">%.*s</text>\n", (int)(end - words), words);
        }
        n_line++;
        words = *end != '\0' ? end + 1 : end;
    }
    return n_line;
}

static void open_picture(double width, double height, const char *words, sonde_text *svg) {
    sonde_text_add(svg, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 ");
    sonde__pen_at(svg, width);
    sonde_text_add(svg, " ");
    sonde__pen_at(svg, height);
    sonde_text_add(svg, "\"");
    sonde__pen_attribute(svg, "width", width);
    sonde__pen_attribute(svg, "height", height);
    sonde_text_add(svg,
                   " role=\"img\" font-family=\"Helvetica, Arial, 'DejaVu Sans', sans-serif\""
                   " text-anchor=\"middle\">\n<title>A graph world</title>\n<desc>%s</desc>\n",
                   words);
    sonde_text_add(svg, "<rect class=\"panel\"");
    sonde__pen_attribute(svg, "width", width);
    sonde__pen_attribute(svg, "height", height);
    sonde_text_add(svg, " rx=\"6\" fill=\"#ffffff\"/>\n");
}

static void add_picture(sonde__scene *scene, const char *words, sonde_text *svg) {
    const double content = scene->high.x - scene->low.x;
    const double width = ceil(fmax(WIDTH_MIN, content + 2.0 * MARGIN));
    const double drawn = scene->high.y - scene->low.y + MARGIN;
    const sonde__point at = {MARGIN, drawn + MARGIN + CAPTION_FONT};
    const int32_t n_max = (int32_t)((width - 2.0 * MARGIN) / (0.54 * CAPTION_FONT));
    const int32_t n_line = add_caption(words, n_max, at, NULL);
    const double height = ceil(at.y + CAPTION_STEP * (double)(n_line - 1) + MARGIN);

    open_picture(width, height, words, svg);
    sonde__pen_point(svg, "<g transform=\"translate(",
                     (sonde__point){0.5 * (width - content) - scene->low.x, MARGIN - scene->low.y});
    sonde_text_add(svg, ")\">\n");
    add_path_walked(scene, svg);
    add_lines(scene, svg);
    add_start_edge(scene, svg);
    add_weights(scene, svg);
    add_steps(scene, svg);
    add_nodes(scene, svg);
    close_group(svg);
    open_group(svg, "class=\"caption\" text-anchor=\"start\" fill=\"#444b54\" font-size=\"12\"",
               0.0);
    (void)add_caption(words, n_max, at, svg);
    close_group(svg);
    sonde_text_add(svg, "</svg>\n");
}

/* A path is nodes of the graph, each joined to the next. */
static bool is_path(const sonde_graph *graph, const int32_t *path, int32_t n_path) {
    for (int32_t i = 0; i < n_path; i++) {
        if (path[i] < 0 || path[i] >= graph->n_node) {
            return false;
        }
        if (i > 0 && sonde_graph_edge(graph, path[i - 1], path[i]) < 0) {
            return false;
        }
    }
    return true;
}

/* Fails with SONDE_NO_MEMORY, or SONDE_BAD_ARGUMENT for a path that is none. */
sonde_status sonde_draw_graph(const sonde_graph *graph, const int32_t *path, int32_t n_path,
                              sonde_text *svg, sonde_error *error) {
    if (!is_path(graph, path, n_path)) {
        return sonde__fail(error, SONDE_BAD_ARGUMENT,
                           "path: expected nodes that follow each other along edges");
    }
    sonde__scene scene = {.graph = graph, .path = path, .n_path = n_path};
    sonde_text words = {0};
    sonde_status status = sonde__scene_set(&scene);
    if (status == SONDE_OK) {
        status = sonde__say_caption(&scene, &words);
    }
    if (status == SONDE_OK && words.failed) {
        status = SONDE_NO_MEMORY;
    }
    if (status == SONDE_OK) {
        add_picture(&scene, words.data, svg);
    }
    if (status == SONDE_OK && scene.scratch.failed) {
        status = SONDE_NO_MEMORY;
    }
    sonde_text_free(&words);
    sonde__scene_free(&scene);
    return status == SONDE_OK ? SONDE_OK
                              : sonde__fail(error, status, "%s", sonde_status_sentence(status));
}

sonde_status sonde_draw_layout(const sonde_graph *graph, double *place, sonde_error *error) {
    sonde__scene scene = {.graph = graph};
    const sonde_status status = sonde__scene_set(&scene);
    for (int32_t v = 0; v < graph->n_node && status == SONDE_OK; v++) {
        double *at = place + (size_t)2 * (size_t)v;
        at[0] = scene.place[v].x;
        at[1] = scene.place[v].y;
    }
    sonde__scene_free(&scene);
    return status == SONDE_OK ? SONDE_OK
                              : sonde__fail(error, status, "%s", sonde_status_sentence(status));
}

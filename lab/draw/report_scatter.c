/* report_scatter.c: a policy space in the plane of its first two principal components.
 *
 * One point for each distinct row of the embedding, at most POINT_MAX of them at equal distances in
 * the list; the centres of the clusters on top. All points are one path of strokes without length,
 * which round caps make into dots: a twentieth of the bytes that as many circles would need. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "draw/report_world.h"

#define POINT_MAX 3000
#define FEW_ROWS 400 /* up to which there is room for larger points */
#define MARGIN 10.0
#define FONT 12.0

#define BLUE "#0072b2"
#define ORANGE "#e69f00"
#define VERMILION "#d55e00"
#define GREEN "#009e73"

/* What the plane covers, and where it is drawn. */
typedef struct {
    double low[2];
    double high[2];
    sonde__area area;
} plane;

static void cover(plane *plane_, const double xy[2]) {
    for (int32_t i = 0; i < 2; i++) {
        plane_->low[i] = fmin(plane_->low[i], xy[i]);
        plane_->high[i] = fmax(plane_->high[i], xy[i]);
    }
}

/* Both directions have a scale of their own: what matters is which points lie together. */
static sonde__point place(const plane *plane_, const double xy[2]) {
    double share[2];
    for (int32_t i = 0; i < 2; i++) {
        const double range = plane_->high[i] - plane_->low[i];
        share[i] = range > 0.0 ? (xy[i] - plane_->low[i]) / range : 0.5;
    }
    return (sonde__point){
        plane_->area.x + MARGIN + share[0] * (plane_->area.width - 2.0 * MARGIN),
        plane_->area.y + MARGIN + (1.0 - share[1]) * (plane_->area.height - 2.0 * MARGIN),
    };
}

static void project_row(const sonde__space *space, int32_t row, double xy[2]) {
    sonde_pca_point(space->pca, space->embedding, row, xy);
}

static void project_center(const sonde__scatter_plot *scatter, int32_t c, double xy[2]) {
    const sonde_clusters *clusters = scatter->clusters;
    sonde_pca_project(scatter->space->pca,
                      clusters->center + (size_t)c * (size_t)clusters->n_column, xy);
}

static bool has_center(const sonde_clusters *clusters, int32_t c) {
    return clusters->offset[c + 1] > clusters->offset[c];
}

static int32_t stride_of(const sonde_embedding *embedding) {
    return (embedding->n_row + POINT_MAX - 1) / POINT_MAX;
}

static plane span_plane(const sonde__scatter_plot *scatter, sonde__area area) {
    plane made = {{INFINITY, INFINITY}, {-INFINITY, -INFINITY}, area};
    double xy[2];
    for (int32_t row = 0; row < scatter->space->embedding->n_row; row++) {
        project_row(scatter->space, row, xy);
        cover(&made, xy);
    }
    return made;
}

/* The points of the chosen cluster, or those of all others. */
static void draw_points(const sonde__scatter_plot *scatter, const plane *plane_, bool chosen,
                        sonde_text *svg) {
    const sonde_embedding *embedding = scatter->space->embedding;
    const int32_t stride = stride_of(embedding);
    sonde_text_add(svg,
                   "<path fill=\"none\" stroke=\"%s\" stroke-width=\"%s\" stroke-linecap=\"round\" "
                   "stroke-opacity=\"0.55\" d=\"",
                   chosen ? VERMILION : BLUE, embedding->n_row > FEW_ROWS ? "3.4" : "4.6");
    for (int32_t row = 0; row < embedding->n_row; row += stride) {
        const int32_t cluster = scatter->clusters->label[embedding->first[row]];
        if ((cluster == scatter->chosen) == chosen) {
            double xy[2];
            project_row(scatter->space, row, xy);
            const sonde__point at = place(plane_, xy);
            sonde__pen_point(
                svg, "M",
                (sonde__point){floor(10.0 * at.x + 0.5) / 10.0, floor(10.0 * at.y + 0.5) / 10.0});
            sonde_text_add(svg, "h0");
        }
    }
    sonde_text_add(svg, "\"/>\n");
}

static void draw_sign(const char *colour, double radius, sonde__point at, sonde_text *svg) {
    sonde_text_add(svg, "<circle r=\"");
    sonde__pen_at(svg, radius);
    sonde_text_add(svg, "\" cx=\"");
    sonde__pen_at(svg, at.x);
    sonde_text_add(svg, "\" cy=\"");
    sonde__pen_at(svg, at.y);
    sonde_text_add(svg, "\" fill=\"%s\" stroke=\"#1f2328\" stroke-width=\"0.8\"/>\n", colour);
}

/* A diamond, which is seen among circles. */
static void draw_diamond(sonde__point at, sonde_text *svg) {
    const double r = 6.5;
    sonde__pen_point(svg, "<path d=\"M", (sonde__point){at.x, at.y - r});
    sonde__pen_point(svg, "L", (sonde__point){at.x + r, at.y});
    sonde__pen_point(svg, "L", (sonde__point){at.x, at.y + r});
    sonde__pen_point(svg, "L", (sonde__point){at.x - r, at.y});
    sonde_text_add(svg, "Z\" fill=\"" GREEN "\" stroke=\"#1f2328\" stroke-width=\"0.8\"/>\n");
}

static void draw_signs(const sonde__scatter_plot *scatter, const plane *plane_, sonde_text *svg) {
    double xy[2];
    for (int32_t c = 0; c < scatter->clusters->k; c++) {
        if (has_center(scatter->clusters, c)) {
            project_center(scatter, c, xy);
            draw_sign(ORANGE, 4.2, place(plane_, xy), svg);
        }
    }
    if (scatter->best >= 0) {
        project_row(scatter->space, scatter->space->embedding->row_of[scatter->best], xy);
        draw_diamond(place(plane_, xy), svg);
    }
}

static void draw_axes(const sonde__scatter_plot *scatter, sonde__area area, sonde_text *svg) {
    for (int32_t i = 0; i < 2; i++) {
        const double share = scatter->space->pca->share[i];
        char words[80];
        (void)snprintf(words, sizeof words, "component %" PRId32 " (%s %% of the variance)", i + 1,
                       sonde__fixed(100.0 * share, 0).text);
        if (i == 0) {
            sonde__pen_words(svg, " text-anchor=\"middle\" fill=\"" SONDE__GREY "\"",
                             (sonde__point){area.x + 0.5 * area.width, area.y + area.height + 12.0},
                             10.5, words);
        } else {
            sonde_text_add(svg, "<g fill=\"" SONDE__GREY "\">");
            sonde__pen_turned(svg, (sonde__point){area.x - 10.0, area.y + 0.5 * area.height}, 10.5,
                              words);
            sonde_text_add(svg, "</g>\n");
        }
    }
}

void sonde__scatter_legend(bool chosen, sonde__point at, sonde_text *svg) {
    const char *const words[] = {"policy", "cluster centre", "policy of the chosen cluster",
                                 "best policy of all"};
    const char *const colour[] = {BLUE, ORANGE, VERMILION};
    for (int32_t i = 0; i < (chosen ? 4 : 2); i++) {
        if (i == 3) {
            draw_diamond(at, svg);
        } else {
            draw_sign(colour[i], i == 1 ? 4.2 : 2.4, at, svg);
        }
        sonde__pen_words(svg, "", (sonde__point){at.x + 9.0, at.y}, FONT, words[i]);
        at.x += 30.0 + sonde__pen_width(words[i], FONT);
    }
}

/* What the panel is, and how much of it is drawn. */
static void draw_title(const sonde__scatter_plot *scatter, sonde__area area, sonde_text *svg) {
    const sonde_embedding *embedding = scatter->space->embedding;
    const int32_t stride = stride_of(embedding);
    char words[160];
    (void)snprintf(words, sizeof words, "%s, %s", sonde__plural(embedding->n_policy, "policy").text,
                   sonde__plural(embedding->n_row, "row").text);
    const size_t n = strlen(words);
    if (stride > 1) {
        (void)snprintf(words + n, sizeof words - n, ", 1 in %" PRId32 " drawn", stride);
    }
    sonde__pen_words(svg, " font-weight=\"bold\"", (sonde__point){area.x, area.y - 25.0}, FONT,
                     scatter->title);
    sonde__pen_words(svg, " fill=\"" SONDE__GREY "\"", (sonde__point){area.x, area.y - 10.0}, 10.0,
                     words);
}

void sonde__scatter_draw(const sonde__scatter_plot *scatter, sonde__area area, sonde_text *svg) {
    const plane made = span_plane(scatter, area);
    sonde__pen_rect(svg, " fill=\"none\" stroke=\"#c4c9d0\"", area);
    draw_title(scatter, area, svg);
    draw_points(scatter, &made, false, svg);
    if (scatter->chosen >= 0) {
        draw_points(scatter, &made, true, svg);
    }
    draw_signs(scatter, &made, svg);
    draw_axes(scatter, area, svg);
}

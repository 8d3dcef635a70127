/* summary_fit.c: the report of a fit, from its document to a folder one can open.
 *
 *     FOLDER/index.html               tables and figures; it needs nothing else
 *     FOLDER/tables/subjects.csv .tex  a row for each subject
 *     FOLDER/tables/parameters.csv ..  priors, and what subjects have in common
 *     FOLDER/tables/group.csv ..       of a group: beta, se, z, interval
 *     FOLDER/figures/estimates-N.svg   the estimates of parameter N with their intervals */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/json.h"
#include "base/memory.h"
#include "base/words.h"
#include "draw/draw_chart.h"
#include "summary/summary.h"

typedef struct {
    const char *folder;
    sonde__reader reader;
    const json_t *parameters;
    const json_t *subjects;
    const json_t *group; /* or NULL */
    sonde_text html;
    sonde_text *text; /* the table of subjects, for a terminal */
    sonde_error *error;
} report;

/* ------------------------------------------------------------------------------------- files -- */

static sonde_status make_folder(const report *r, const char *name) {
    char path[1024];
    struct stat about;
    (void)snprintf(path, sizeof path, "%s%s%s", r->folder, *name != '\0' ? "/" : "", name);
    if (mkdir(path, 0777) == 0 ||
        (errno == EEXIST && stat(path, &about) == 0 && S_ISDIR(about.st_mode))) {
        return SONDE_OK;
    }
    return sonde__fail(r->error, SONDE_NOT_WRITTEN, "%s: expected a folder, or to make one: %s",
                       path, strerror(errno));
}

static sonde_status write_file(const report *r, const char *name, const sonde_text *contents) {
    char path[1024];
    sonde_text file = {0};
    if (contents->failed) {
        return sonde__fail_memory(r->error, "the report", contents->size);
    }
    (void)snprintf(path, sizeof path, "%s/%s", r->folder, name);
    sonde_status status = sonde_text_open(&file, path, r->error);
    if (status == SONDE_OK) {
        sonde_text_add(&file, "%s", contents->data != NULL ? contents->data : "");
        status = sonde_text_close(&file, r->error);
    }
    return status;
}

/* ------------------------------------------------------------------------------------ tables -- */

static double number_at(const json_t *object, const char *key) {
    const json_t *value = json_object_get(object, key);
    return json_is_number(value) ? json_number_value(value) : (double)NAN;
}

static const char *words_at(const json_t *object, const char *key) {
    const char *words = json_string_value(json_object_get(object, key));
    return words != NULL ? words : "";
}

static void put(sonde__grid *grid, double number) {
    sonde__grid_put(grid, 0, sonde__short(number).text);
}

/* Writes a table, for people and for machines, and shows it in the page. */
static sonde_status finish(report *r, sonde__grid *grid, sonde__grid *list, const char *title) {
    char name[64];
    sonde_text csv = {0};
    sonde_text tex = {0};
    sonde__grid_csv(list, &csv);
    sonde__grid_tex(grid, &tex);
    (void)snprintf(name, sizeof name, "tables/%s.csv", grid->name);
    sonde_status status = write_file(r, name, &csv);
    (void)snprintf(name, sizeof name, "tables/%s.tex", grid->name);
    status = status == SONDE_OK ? write_file(r, name, &tex) : status;
    sonde_text_add(&r->html, "<h2>%s</h2>\n", title);
    sonde__grid_html(grid, &r->html);
    sonde_text_free(&csv);
    sonde_text_free(&tex);
    sonde__grid_free(grid);
    sonde__grid_free(list);
    return status;
}

static void put_heads(sonde__grid *grid, const char *const *head, int32_t n) {
    for (int32_t i = 0; i < n; i++) {
        sonde__grid_put(grid, SONDE__BOLD | (i == 0 ? SONDE__LEFT : 0u), head[i]);
    }
}

/* One subject: what was found, and how certain it is. */
static void put_subject(sonde__grid *grid, sonde__grid *list, const json_t *subject,
                        const json_t *names) {
    static const char *const key[] = {"n", "log_likelihood", "evidence", "mean_p", "AIC", "BIC"};
    const char *name = NULL;
    const json_t *value = NULL;
    sonde__grid_put(grid, SONDE__LEFT, words_at(subject, "subject"));
    sonde__grid_put(list, SONDE__LEFT, words_at(subject, "subject"));
    for (size_t i = 0; i < sizeof key / sizeof *key; i++) {
        put(grid, number_at(subject, key[i]));
        sonde__grid_number(list, number_at(subject, key[i]));
    }
    json_object_foreach((json_t *)names, name, value) {
        const json_t *interval = json_object_get(json_object_get(subject, "interval_90"), name);
        const double low = json_number_value(json_array_get(interval, 0));
        const double high = json_number_value(json_array_get(interval, 1));
        const double found = number_at(json_object_get(subject, "value"), name);
        char small[128];
        (void)snprintf(small, sizeof small, " [%s, %s]", sonde__short(low).text,
                       sonde__short(high).text);
        sonde__grid_add(grid, 0, 1, sonde__short(found).text, small);
        sonde__grid_number(list, found);
        sonde__grid_number(list, number_at(json_object_get(subject, "map"), name));
        sonde__grid_number(list, number_at(json_object_get(subject, "sd"), name));
        sonde__grid_number(list, interval != NULL ? low : (double)NAN);
        sonde__grid_number(list, interval != NULL ? high : (double)NAN);
    }
}

static sonde_status add_subjects(report *r) {
    static const char *const head[] = {"subject", "n",  "log-likelihood", "evidence", "mean p",
                                       "AIC",     "BIC"};
    static const char *const plain[] = {"subject", "n",  "log_likelihood", "evidence", "mean_p",
                                        "AIC",     "BIC"};
    static const char *const ending[] = {"", "_map", "_sd", "_low", "_high"};
    const json_t *names = json_object_get(json_array_get(r->subjects, 0), "value");
    const int32_t n = (int32_t)json_object_size(names);
    sonde__grid grid = {.name = "subjects", .n_column = 7 + n, .n_head = 1};
    sonde__grid list = {.name = "subjects", .n_column = 7 + 5 * n, .n_head = 1};
    const char *name = NULL;
    const json_t *value = NULL;
    put_heads(&grid, head, 7);
    put_heads(&list, plain, 7);
    json_object_foreach((json_t *)names, name, value) {
        sonde__grid_put(&grid, SONDE__BOLD, name);
        for (int32_t k = 0; k < 5; k++) {
            char word[160];
            (void)snprintf(word, sizeof word, "%s%s", name, ending[k]);
            sonde__grid_put(&list, SONDE__BOLD, word);
        }
    }
    for (size_t s = 0; s < json_array_size(r->subjects); s++) {
        put_subject(&grid, &list, json_array_get(r->subjects, s), names);
    }
    sonde__grid_text(&grid, r->text);
    return finish(r, &grid, &list, "Subjects, with 90 % intervals");
}

static sonde_status add_parameters(report *r) {
    static const char *const head[] = {"parameter", "target", "transform", "prior mean",
                                       "prior sd"};
    sonde__grid grid = {.name = "parameters", .n_column = 5, .n_head = 1};
    sonde__grid list = {.name = "parameters", .n_column = 5, .n_head = 1};
    put_heads(&grid, head, 5);
    put_heads(&list, head, 5);
    for (size_t p = 0; p < json_array_size(r->parameters); p++) {
        const json_t *one = json_array_get(r->parameters, p);
        const json_t *prior = json_object_get(one, "prior");
        sonde__grid *const both[] = {&grid, &list};
        for (int32_t k = 0; k < 2; k++) {
            sonde__grid_put(both[k], SONDE__LEFT, words_at(one, "name"));
            sonde__grid_put(both[k], SONDE__LEFT, words_at(one, "target"));
            sonde__grid_put(both[k], SONDE__LEFT, words_at(one, "transform"));
            sonde__grid_number(both[k], json_number_value(json_array_get(prior, 0)));
            sonde__grid_number(both[k], json_number_value(json_array_get(prior, 1)));
        }
    }
    return finish(r, &grid, &list, "Parameters and priors, on the transformed scale");
}

static double cell_of(const json_t *matrix, size_t i, size_t j) {
    return json_number_value(json_array_get(json_array_get(matrix, i), j));
}

static sonde_status add_group(report *r) {
    static const char *const head[] = {"parameter", "column", "beta", "se", "z", "low", "high"};
    static const char *const key[] = {"beta", "se", "z", "low", "high"};
    const json_t *names = json_object_get(r->group, "parameters");
    const json_t *columns = json_object_get(r->group, "columns");
    sonde__grid grid = {.name = "group", .n_column = 7, .n_head = 1};
    sonde__grid list = {.name = "group", .n_column = 7, .n_head = 1};
    if (r->group == NULL) {
        return SONDE_OK;
    }
    put_heads(&grid, head, 7);
    put_heads(&list, head, 7);
    for (size_t p = 0; p < json_array_size(names); p++) {
        for (size_t c = 0; c < json_array_size(columns); c++) {
            sonde__grid *const both[] = {&grid, &list};
            for (int32_t k = 0; k < 2; k++) {
                sonde__grid_put(both[k], SONDE__LEFT, json_string_value(json_array_get(names, p)));
                sonde__grid_put(both[k], SONDE__LEFT,
                                json_string_value(json_array_get(columns, c)));
            }
            for (size_t i = 0; i < sizeof key / sizeof *key; i++) {
                const double number = cell_of(json_object_get(r->group, key[i]), p, c);
                put(&grid, number);
                sonde__grid_number(&list, number);
            }
        }
    }
    return finish(r, &grid, &list, "The group, on the transformed scale");
}

/* ----------------------------------------------------------------------------------- figures -- */

enum { ROW = 16, LEFT = 150, WIDTH = 640, TOP = 40 };

/* The least and the largest number of all intervals of a parameter. */
static void find_range(const report *r, const char *name, double range[2]) {
    range[0] = (double)INFINITY;
    range[1] = -(double)INFINITY;
    for (size_t s = 0; s < json_array_size(r->subjects); s++) {
        const json_t *subject = json_array_get(r->subjects, s);
        const json_t *interval = json_object_get(json_object_get(subject, "interval_90"), name);
        const double found = number_at(json_object_get(subject, "value"), name);
        const double low = json_is_number(json_array_get(interval, 0))
                               ? json_number_value(json_array_get(interval, 0))
                               : found;
        const double high = json_is_number(json_array_get(interval, 1))
                                ? json_number_value(json_array_get(interval, 1))
                                : found;
        range[0] = fmin(range[0], low);
        range[1] = fmax(range[1], high);
    }
}

static double place(const double range[2], double number) {
    const double width = range[1] - range[0];
    return LEFT + (WIDTH - LEFT - 20) * (width > 0.0 ? (number - range[0]) / width : 0.5);
}

/* The estimates of one parameter, a line for each subject. */
static void draw_estimates(const report *r, const char *name, sonde_text *svg) {
    const size_t n = json_array_size(r->subjects);
    const double height = TOP + ROW * ((double)n + 1.0) + 30.0;
    double range[2];
    find_range(r, name, range);
    sonde__pen_open(svg, WIDTH, height, name, "estimates of every subject, with 90 % intervals");
    sonde__pen_words(svg, " font-weight=\"bold\" text-anchor=\"middle\"",
                     (sonde__point){(LEFT + WIDTH - 20) / 2.0, 16.0}, 14.0, name);
    for (int32_t k = 0; k <= 4; k++) {
        const double at = range[0] + (range[1] - range[0]) * k / 4.0;
        const double x = place(range, at);
        sonde__pen_line(svg, SONDE__GRID, (sonde__point){x, TOP - 8.0},
                        (sonde__point){x, height - 26.0});
        sonde__pen_words(svg, " text-anchor=\"middle\"", (sonde__point){x, height - 14.0}, 11.0,
                         sonde__short(at).text);
    }
    for (size_t s = 0; s < n; s++) {
        const json_t *subject = json_array_get(r->subjects, s);
        const json_t *interval = json_object_get(json_object_get(subject, "interval_90"), name);
        const double y = TOP + ROW * ((double)s + 0.5);
        const double found = number_at(json_object_get(subject, "value"), name);
        sonde__pen_words(svg, " text-anchor=\"end\"", (sonde__point){LEFT - 10.0, y}, 11.0,
                         words_at(subject, "subject"));
        if (json_is_number(json_array_get(interval, 0))) {
            sonde__pen_line(
                svg, SONDE__GREY,
                (sonde__point){place(range, json_number_value(json_array_get(interval, 0))), y},
                (sonde__point){place(range, json_number_value(json_array_get(interval, 1))), y});
        }
        if (!isnan(found)) {
            sonde__pen_dot(svg, SONDE__BETTER, (sonde__point){place(range, found), y});
        }
    }
    sonde_text_add(svg, "</svg>\n");
}

static sonde_status add_figures(report *r) {
    const json_t *names = json_object_get(json_array_get(r->subjects, 0), "value");
    const char *name = NULL;
    const json_t *value = NULL;
    sonde_status status = SONDE_OK;
    int32_t n = 0;
    sonde_text_add(&r->html, "<h2>Estimates</h2>\n");
    json_object_foreach((json_t *)names, name, value) {
        char path[64];
        sonde_text svg = {0};
        (void)snprintf(path, sizeof path, "figures/estimates-%d.svg", (int)++n);
        draw_estimates(r, name, &svg);
        status = status == SONDE_OK ? write_file(r, path, &svg) : status;
        sonde_text_add(&r->html, "%s", svg.data != NULL ? svg.data : "");
        sonde_text_free(&svg);
    }
    return status;
}

/* --------------------------------------------------------------------------------------- all -- */

static void open_page(report *r) {
    const json_t *root = r->reader.root;
    sonde_text_add(&r->html,
                   "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                   "<meta name=\"viewport\" content=\"width=device-width\">\n"
                   "<link rel=\"icon\" href=\"data:,\">\n<title>Sonde: fit of ");
    sonde__html(&r->html, words_at(root, "name"));
    sonde_text_add(&r->html, "</title>\n<style>body{font-family:sans-serif;margin:2em;max-width:"
                             "70em}td,th{padding:0 .6em;text-align:right}svg{max-width:100%%}"
                             "</style>\n</head>\n<body>\n<h1>Fit of ");
    sonde__html(&r->html, words_at(root, "name"));
    sonde_text_add(&r->html, "</h1>\n<p>%d subjects; log-likelihood %s, log evidence %s",
                   (int)json_array_size(r->subjects),
                   sonde__fixed(number_at(root, "log_likelihood"), 3).text,
                   sonde__fixed(number_at(root, "evidence"), 3).text);
    sonde_text_add(&r->html, "; AIC %s, BIC %s.</p>\n<p><code>",
                   sonde__fixed(number_at(root, "AIC"), 3).text,
                   sonde__fixed(number_at(root, "BIC"), 3).text);
    sonde__html(&r->html, words_at(root, "command"));
    sonde_text_add(&r->html, "</code></p>\n");
}

static sonde_status write_all(report *r) {
    sonde_status status = make_folder(r, "");
    status = status == SONDE_OK ? make_folder(r, "tables") : status;
    status = status == SONDE_OK ? make_folder(r, "figures") : status;
    if (status != SONDE_OK) {
        return status;
    }
    open_page(r);
    status = add_parameters(r);
    status = status == SONDE_OK ? add_group(r) : status;
    status = status == SONDE_OK ? add_figures(r) : status;
    status = status == SONDE_OK ? add_subjects(r) : status;
    sonde_text_add(&r->html, "</body>\n</html>\n");
    return status == SONDE_OK ? write_file(r, "index.html", &r->html) : status;
}

sonde_status sonde_report_fit(const char *path, const char *folder, sonde_text *text,
                              sonde_error *error) {
    report r = {.folder = folder, .text = text, .error = error};
    sonde_status status = sonde__json_open(&r.reader, path, error);
    if (status == SONDE_OK && !sonde__json_format(&r.reader, "sonde-fit", 1)) {
        status = r.reader.status;
    }
    if (status == SONDE_OK) {
        const json_t *group = json_object_get(r.reader.root, "group");
        r.parameters = json_object_get(r.reader.root, "parameters");
        r.subjects = json_object_get(r.reader.root, "subjects");
        r.group = json_is_object(group) ? group : NULL;
        if (!json_is_array(r.parameters) || json_array_size(r.subjects) == 0) {
            (void)sonde__json_expected(&r.reader, "subjects", "those of a fit", r.subjects);
            status = r.reader.status;
        }
    }
    status = status == SONDE_OK ? write_all(&r) : status;
    sonde_text_free(&r.html);
    sonde__json_close(&r.reader);
    return status;
}

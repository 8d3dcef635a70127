/* model_xml.c: the elements of an XML document.
 *
 * One pass from the first byte to the last, with the element that is open at hand; nothing calls
 * itself, so that no document is too deep. */
#include "model/model_xml.h"

#include <string.h>

#include "base/shown.h"

typedef struct {
    sonde__foreign *file;
    const char *at;
    const char *end;
    int32_t line;
    sonde__element *root;
    sonde__element *open; /* or NULL */
} scanner;

static bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static bool begins(const scanner *s, const char *word) {
    const size_t n = strlen(word);
    return (size_t)(s->end - s->at) >= n && memcmp(s->at, word, n) == 0;
}

static void go(scanner *s, size_t n) {
    for (; n > 0 && s->at < s->end; n--) {
        s->line += *s->at++ == '\n';
    }
}

static void skip_blanks(scanner *s) {
    while (s->at < s->end && is_blank(*s->at)) {
        go(s, 1);
    }
}

/* Goes past the next `mark`, which has to be there. */
static bool skip_past(scanner *s, const char *mark) {
    const int32_t line = s->line;
    while (s->at < s->end && !begins(s, mark)) {
        go(s, 1);
    }
    if (s->at == s->end) {
        return sonde__foreign_wrong(s->file, line, "what begins here has no end \"%s\"", mark);
    }
    go(s, strlen(mark));
    return true;
}

/* A name of a tag or an attribute. */
static const char *read_name(scanner *s) {
    const char *from = s->at;
    while (s->at < s->end && !is_blank(*s->at) && strchr("/>=<\"'", *s->at) == NULL) {
        s->at++;
    }
    if (s->at == from || memchr(from, '\0', (size_t)(s->at - from)) != NULL) {
        (void)sonde__foreign_wrong(s->file, s->line, "expected a name, found something else");
        return NULL;
    }
    return sonde__foreign_word(s->file, from, (size_t)(s->at - from));
}

static bool read_attribute(scanner *s, sonde__element *e) {
    sonde__attribute *a = sonde__foreign_take(s->file, 1, sizeof *a);
    if (a == NULL || (a->name = read_name(s)) == NULL) {
        return false;
    }
    skip_blanks(s);
    if (!begins(s, "=")) {
        return sonde__foreign_wrong(s->file, s->line, "%.*s: expected \"=\" and a value",
                                    sonde__cut(a->name, 60), a->name);
    }
    go(s, 1);
    skip_blanks(s);
    const char quote = s->at < s->end ? *s->at : '\0';
    const char *from = s->at + 1;
    if (quote != '"' && quote != '\'') {
        return sonde__foreign_wrong(s->file, s->line, "%.*s: expected a value in quotes",
                                    sonde__cut(a->name, 60), a->name);
    }
    go(s, 1);
    const char mark[2] = {quote, '\0'};
    if (!skip_past(s, mark)) {
        return false;
    }
    a->value = sonde__foreign_word(s->file, from, (size_t)(s->at - 1 - from));
    a->next = e->attribute;
    e->attribute = a;
    return a->value != NULL;
}

/* <name attribute="value" ...> or <name ... /> */
static bool open_element(scanner *s) {
    sonde__element *e = sonde__foreign_take(s->file, 1, sizeof *e);
    if (e == NULL) {
        return false;
    }
    e->line = s->line;
    e->text = "";
    go(s, 1);
    e->name = read_name(s);
    e->parent = s->open;
    if (e->name == NULL) {
        return false;
    }
    if (s->open == NULL && s->root != NULL) {
        return sonde__foreign_wrong(s->file, e->line, "expected the end of the file, found <%.*s>",
                                    sonde__cut(e->name, 60), e->name);
    }
    for (skip_blanks(s); s->at < s->end && *s->at != '>' && *s->at != '/'; skip_blanks(s)) {
        if (!read_attribute(s, e)) {
            return false;
        }
    }
    const bool empty = begins(s, "/>");
    if (!empty && !begins(s, ">")) {
        return sonde__foreign_wrong(s->file, e->line, "<%.*s: expected \">\"",
                                    sonde__cut(e->name, 60), e->name);
    }
    go(s, empty ? 2 : 1);
    e->text_line = s->line;
    s->root = s->root != NULL ? s->root : e;
    if (s->open != NULL) {
        *(s->open->last != NULL ? &s->open->last->next : &s->open->first) = e;
        s->open->last = e;
    }
    s->open = empty ? s->open : e;
    return true;
}

static bool close_element(scanner *s) {
    const int32_t line = s->line;
    go(s, 2);
    const char *name = read_name(s);
    skip_blanks(s);
    if (name == NULL) {
        return false;
    }
    if (!begins(s, ">") || s->open == NULL || strcmp(s->open->name, name) != 0) {
        const char *open = s->open != NULL ? s->open->name : "";
        return sonde__foreign_wrong(s->file, line, "expected </%.*s>, found </%.*s>",
                                    sonde__cut(open, 60), open, sonde__cut(name, 60), name);
    }
    go(s, 1);
    s->open = s->open->parent;
    return true;
}

/* What stands between tags; outside of all of them nothing may. */
static bool read_text(scanner *s) {
    const char *from = s->at;
    const int32_t line = s->line;
    bool blank = true;
    while (s->at < s->end && *s->at != '<') {
        blank = blank && is_blank(*s->at);
        if (*s->at == '&' || *s->at == '\0') {
            return sonde__foreign_wrong(s->file, s->line,
                                        *s->at == '&' ? "entities (&) are not read; write names "
                                                        "without them"
                                                      : "expected text, found a zero byte");
        }
        go(s, 1);
    }
    if (blank) {
        return true;
    }
    if (s->open == NULL || s->open->text[0] != '\0') {
        return s->open != NULL || sonde__foreign_wrong(s->file, line,
                                                       "expected an element <...>, "
                                                       "found text");
    }
    s->open->text_line = line;
    s->open->text = sonde__foreign_word(s->file, from, (size_t)(s->at - from));
    return s->open->text != NULL;
}

static bool read_markup(scanner *s) {
    if (begins(s, "<!--")) {
        go(s, 4);
        return skip_past(s, "-->");
    }
    if (begins(s, "<?")) {
        return skip_past(s, "?>");
    }
    if (begins(s, "<!")) {
        const char *bracket = memchr(s->at, '[', (size_t)(s->end - s->at));
        const char *end = memchr(s->at, '>', (size_t)(s->end - s->at));
        if (bracket != NULL && (end == NULL || bracket < end)) {
            return sonde__foreign_wrong(s->file, s->line,
                                        "<![...]: CDATA and rules of a document type are not "
                                        "read; leave them out");
        }
        return skip_past(s, ">");
    }
    return begins(s, "</") ? close_element(s) : open_element(s);
}

sonde__element *sonde__xml_read(sonde__foreign *f, const sonde_source *source) {
    scanner s = {.file = f, .at = source->data, .end = source->data + source->size, .line = 1};
    s.at += source->size >= 3 && memcmp(s.at, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    bool good = true;
    while (good && s.at < s.end) {
        good = *s.at == '<' ? read_markup(&s) : read_text(&s);
    }
    if (good && s.open != NULL) {
        good = sonde__foreign_wrong(f, s.open->line, "<%.*s> has no end </%.*s>",
                                    sonde__cut(s.open->name, 60), s.open->name,
                                    sonde__cut(s.open->name, 60), s.open->name);
    }
    if (good && s.root == NULL) {
        good = sonde__foreign_wrong(f, s.line, "expected an element <pomdpx>, found none");
    }
    return good ? s.root : NULL;
}

sonde__element *sonde__xml_child(const sonde__element *e, const char *name) {
    sonde__element *child = e->first;
    while (child != NULL && strcmp(child->name, name) != 0) {
        child = child->next;
    }
    return child;
}

sonde__element *sonde__xml_again(const sonde__element *e) {
    sonde__element *next = e->next;
    while (next != NULL && strcmp(next->name, e->name) != 0) {
        next = next->next;
    }
    return next;
}

const char *sonde__xml_attribute(const sonde__element *e, const char *name) {
    const sonde__attribute *a = e->attribute;
    while (a != NULL && strcmp(a->name, name) != 0) {
        a = a->next;
    }
    return a != NULL ? a->value : NULL;
}

sonde__xml_words sonde__xml_words_of(const sonde__element *e) {
    return (sonde__xml_words){.at = e->text, .line = e->text_line};
}

const char *sonde__xml_word(sonde__xml_words *words, size_t *length) {
    while (is_blank(*words->at)) {
        words->line += *words->at++ == '\n';
    }
    const char *word = words->at;
    while (*words->at != '\0' && !is_blank(*words->at)) {
        words->at++;
    }
    *length = (size_t)(words->at - word);
    return *length > 0 ? word : NULL;
}

int32_t sonde__xml_count(const sonde__element *e) {
    sonde__xml_words words = sonde__xml_words_of(e);
    size_t length = 0;
    int32_t n = 0;
    while (sonde__xml_word(&words, &length) != NULL) {
        n++;
    }
    return n;
}

/* explained.h: decisions that are explained, for the tests of texts and of pictures. */
#ifndef TESTS_EXPLAINED_H
#define TESTS_EXPLAINED_H

#include "base/explanation.h"
#include "documents.h"
#include "locales.h"

/* An explanation, and everything that it was made from. */
typedef struct {
    sonde_input input;
    sonde_policies *policies;
    sonde_agent *agent;
    const sonde_decision *decision;
    sonde_explanation *explanation;
} made;

static inline made make(sonde_graph *graph, sonde_model *model,
                        const sonde_search_settings *settings) {
    made m = {.input = {graph, model}};
    if (graph != NULL) {
        assert_int_equal(sonde_model_from_graph(graph, &m.input.model, NULL), SONDE_OK);
    }
    assert_int_equal(sonde_policies_count(m.input.model, 0, NULL, &m.policies, NULL), SONDE_OK);
    assert_int_equal(sonde_agent_new(m.policies, settings, NULL, &m.agent, NULL), SONDE_OK);
    if (graph != NULL) {
        sonde_agent_observe(m.agent, &graph->start, NULL);
    }
    assert_int_equal(sonde_agent_search(m.agent, &m.decision, NULL), SONDE_OK);
    assert_int_equal(sonde_agent_explain(m.agent, &m.explanation, NULL), SONDE_OK);
    return m;
}

static inline void made_free(made *m) {
    sonde_explanation_free(m->explanation);
    sonde_agent_free(m->agent);
    sonde_policies_free(m->policies);
    sonde_input_free(&m->input);
}

static inline sonde_search_settings search_by(sonde_search_kind search) {
    sonde_search_settings settings = sonde_search_defaults();
    settings.search = search;
    return settings;
}

static inline sonde_model *example(const char *path, int32_t horizon) {
    sonde_model_settings settings = sonde_model_defaults();
    sonde_model *model = NULL;
    settings.horizon = horizon;
    assert_int_equal(
        sonde_model_read(&(const sonde_source){.origin = path}, &settings, NULL, &model, NULL),
        SONDE_OK);
    return model;
}

#define GRID SONDE_TEST_DATA "/../../examples/models/grid5.json"
#define MAZE SONDE_TEST_DATA "/../../examples/models/tmaze.json"

static inline void assert_says(const sonde_text *text, const char *words) {
    if (strstr(text->data, words) == NULL) {
        fail_msg("should say \"%s\":\n%s", words, text->data);
    }
}

static inline json_t *document(const made *m) {
    sonde_text json = {0};
    const sonde_about about = {.command = NULL};
    sonde_document_decision(m->agent, m->decision, -1, m->explanation, &about, &json);
    return tree(&json);
}

static inline sonde_text written(const made *m) {
    sonde_text text = {0};
    sonde_document_explanation(m->explanation, &text);
    assert_false(text.failed);
    return text;
}

/* An explanation reads the same where the decimal point is a comma. */
static inline void assert_no_locale_changes(sonde_text (*tell)(const made *)) {
    const sonde_search_settings settings = search_by(SONDE_SEARCH_BOUNDED);
    made m = make(NULL, example(GRID, 0), &settings);
    sonde_text plain = tell(&m);
    if (!set_comma_locale()) {
        sonde_text_free(&plain);
        made_free(&m);
        skip();
    }
    sonde_text comma = tell(&m);
    reset_locale();
    assert_string_equal(plain.data, comma.data);
    sonde_text_free(&plain);
    sonde_text_free(&comma);
    made_free(&m);
}

/* Characters of the longest line. */
static inline int32_t width_of(const sonde_text *text) {
    int32_t most = 0;
    int32_t n = 0;
    for (size_t i = 0; i < text->size; i++) {
        n = text->data[i] == '\n' ? 0 : n + (((unsigned char)text->data[i] & 0xc0) != 0x80 ? 1 : 0);
        most = n > most ? n : most;
    }
    return most;
}

#endif

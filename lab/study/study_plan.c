/* study_plan.c: reading plans (docs/formats.md, "Plans").
 *
 * A condition in a plan may give lists, and stands for all their combinations. Two passes: the
 * first counts, so that one block holds the whole plan; the second fills it in. */
#include <string.h>

#include "base/memory.h"
#include "base/name.h"
#include "study/study_internal.h"

#define N_LIST_MAX 64
#define N_SIZE_MAX SONDE__PLAN_SIZES_MAX
#define N_CONDITION_MAX 1000000
#define LABEL_SIZE 160

static const char *plan_key(int32_t i) {
    static const char *const list[] = {"format",       "version",    "name",       "seed",
                                       "steps",        "worlds",     "conditions", "judge",
                                       "record_steps", "judge_loop", NULL};
    return list[i < 10 ? i : 10];
}

static const char *world_key(int32_t i) {
    static const char *const list[] = {"sizes", "graphs", "connect", "models", NULL};
    return list[i < 4 ? i : 4];
}

static const char *model_key(int32_t i) {
    static const char *const list[] = {"model", "name", "horizon", "gamma", "steps", NULL};
    return list[i < 5 ? i : 5];
}

/* the keys of a condition: its settings, and where it runs */
static const char *condition_key(int32_t i) {
    static const char *const list[] = {"group", "sizes", "models", "graphs", "k_before", NULL};
    const char *setting = sonde__condition_key(i);
    const int32_t rest = setting == NULL ? i - sonde__condition_n_key() : 0;
    return setting != NULL ? setting : list[rest < 5 ? rest : 5];
}

/* a plan while it is made */
typedef struct {
    sonde_study_plan plan; /* first: a pointer to it is a pointer to the block */
    sonde_condition *condition;
    char *label;              /* (n_condition, LABEL_SIZE) */
    int32_t *size;            /* (number of objects + 1, N_SIZE_MAX) */
    sonde_study_model *model; /* (n_model) */
    char *text;
    char *names;      /* of the plan, its models and the groups, one after the other */
    int32_t *n_graph; /* (N_SIZE_MAX) worlds of each of the plan's sizes */
    int32_t *sizes;   /* (N_SIZE_MAX) all sizes, ascending */
    int32_t n_sizes;
} build;

/* how much of everything a plan has */
typedef struct {
    uint64_t n_condition;
    uint64_t n_object;
    uint64_t n_model;
    size_t n_text;
} extent;

static build *carve(sonde__arena *arena, const extent *all) {
    build *b = SONDE__TAKE(arena, build, 1);
    build none;
    build *to = b != NULL ? b : &none;
    to->condition = SONDE__TAKE(arena, sonde_condition, all->n_condition);
    to->label = SONDE__TAKE(arena, char, all->n_condition *LABEL_SIZE);
    to->size = SONDE__TAKE(arena, int32_t, (all->n_object + 1) * N_SIZE_MAX);
    to->model = SONDE__TAKE(arena, sonde_study_model, all->n_model);
    to->text = SONDE__TAKE(arena, char, all->n_text + 1);
    to->names = SONDE__TAKE(arena, char, 2 * all->n_text + 64 * (all->n_object + 1));
    to->n_graph = SONDE__TAKE(arena, int32_t, N_SIZE_MAX);
    to->sizes = SONDE__TAKE(arena, int32_t, N_SIZE_MAX);
    return b;
}

/* How many values a key of a condition has: one, unless it is a list. */
static size_t n_value(const json_t *value) {
    return json_is_array(value) ? json_array_size(value) : 1;
}

/* Counts the combinations that a condition stands for; 0, with the error, if it has none. */
static uint64_t count_combinations(sonde__reader *reader, int32_t at, const json_t *object) {
    if (!json_is_object(object)) {
        (void)sonde__json_expected(reader, sonde__at("conditions[%d]", at).text, "an object",
                                   object);
        return 0;
    }
    if (!sonde__json_keys(reader, object, condition_key)) {
        return 0;
    }
    uint64_t n = 1;
    for (int32_t key = 0; sonde__condition_key(key) != NULL; key++) {
        const json_t *value = json_object_get(object, sonde__condition_key(key));
        n *= value != NULL ? n_value(value) : 1;
        if (n == 0 || n > N_CONDITION_MAX) {
            (void)sonde__json_wrong(
                reader,
                "conditions[%d]: expected 1 to %d combinations, found %s; %s has "
                "a list that is empty or too long",
                at, N_CONDITION_MAX, n == 0 ? "none" : "more", sonde__condition_key(key));
            return 0;
        }
    }
    return n;
}

/* A list of neither nothing nor too much. */
static bool check_list(sonde__reader *reader, const char *path, const json_t *list,
                       const char *expected) {
    return (json_is_array(list) && json_array_size(list) > 0 &&
            json_array_size(list) <= N_LIST_MAX) ||
           sonde__json_expected(reader, path, expected, list);
}

/* The numbers of nodes of "sizes". */
static bool read_sizes(sonde__reader *reader, const char *path, const json_t *list, int32_t *size,
                       int32_t *n_size) {
    if (!check_list(reader, path, list, "a list of 1 to 64 numbers of nodes")) {
        return false;
    }
    *n_size = (int32_t)json_array_size(list);
    for (int32_t i = 0; i < *n_size; i++) {
        const sonde__path each = sonde__at("%s[%d]", path, i);
        if (!sonde__json_whole(reader, each.text, json_array_get(list, (size_t)i), 1, 1000000,
                               &size[i])) {
            return false;
        }
        for (int32_t j = 0; j < i; j++) {
            if (size[j] == size[i]) {
                return sonde__json_wrong(reader, "%s: %d is there twice", each.text, size[i]);
            }
        }
    }
    return true;
}

/* Copies a text to where `next` points, and moves that on. */
static const char *keep(char **next, const char *text) {
    const size_t size = strlen(text) + 1;
    char *here = *next;
    memcpy(here, text, size);
    *next += size;
    return here;
}

/* A name, which has no control characters; NULL is no name, and none is asked for. */
static bool check_name(sonde__reader *reader, const char *path, const json_t *name) {
    if (name == NULL) {
        return true;
    }
    if (!json_is_string(name)) {
        return sonde__json_expected(reader, path, "a name", name);
    }
    char fault[SONDE__FAULT];
    return !sonde__name_fault(json_string_value(name), fault) ||
           sonde__json_wrong(reader, "%s: expected a name %s", path, fault);
}

/* what is common to all conditions of a plan */
typedef struct {
    sonde_condition base; /* sizes, graphs and connection of the plan, settings by default */
    char *names;          /* where the next name goes */
} common;

/* One combination: number `i` of those an object stands for. */
static bool fill_combination(sonde__reader *reader, int32_t at, const json_t *object, uint64_t i,
                             sonde_condition *condition) {
    for (int32_t key = sonde__condition_n_key() - 1; key >= 0; key--) {
        const char *name = sonde__condition_key(key);
        const json_t *value = json_object_get(object, name);
        if (value == NULL) {
            continue;
        }
        const size_t n = n_value(value);
        const size_t place = (size_t)(i % n);
        i /= n;
        const sonde__path path = json_is_array(value)
                                     ? sonde__at("conditions[%d].%s[%zu]", at, name, place)
                                     : sonde__at("conditions[%d].%s", at, name);
        const json_t *one = json_is_array(value) ? json_array_get(value, place) : value;
        if (!sonde__condition_set(reader, path.text, key, one, condition)) {
            return false;
        }
    }
    return true;
}

/* ----------------------------------------------------------------------------------- models -- */

/* One model that a plan runs on: the name of an example or a file, or an object with it. */
static bool read_model(sonde__reader *reader, const char *path, const json_t *value,
                       sonde_study_model *model, char **names) {
    const json_t *file = json_is_object(value) ? json_object_get(value, "model") : value;
    const json_t *name = json_object_get(value, "name");
    const json_t *horizon = json_object_get(value, "horizon");
    const json_t *gamma = json_object_get(value, "gamma");
    const json_t *steps = json_object_get(value, "steps");
    if (json_is_object(value) && !sonde__json_keys(reader, value, model_key)) {
        return false;
    }
    if (!json_is_string(file)) {
        return sonde__json_expected(reader, path, "a file, or an example such as \"tmaze\"", file);
    }
    if (!check_name(reader, name != NULL ? sonde__at("%s.name", path).text : path,
                    name != NULL ? name : file)) {
        return false;
    }
    model->settings = sonde_model_defaults();
    model->file = keep(names, json_string_value(file));
    model->name = keep(names, name != NULL ? json_string_value(name) : json_string_value(file));
    return (horizon == NULL || sonde__json_whole(reader, sonde__at("%s.horizon", path).text,
                                                 horizon, 1, 1000000, &model->settings.horizon)) &&
           (gamma == NULL || sonde__json_number(reader, sonde__at("%s.gamma", path).text, gamma,
                                                0.0, &model->settings.gamma)) &&
           (steps == NULL || sonde__json_whole(reader, sonde__at("%s.steps", path).text, steps, 1,
                                               1000000, &model->n_step));
}

/* The plan's model of a name, or -1. */
static int32_t find_model(const sonde_study_plan *plan, const char *name) {
    for (int32_t m = 0; m < plan->n_model && name != NULL; m++) {
        if (strcmp(plan->model[m].name, name) == 0) {
            return m;
        }
    }
    return -1;
}

/* All models of "worlds". */
static bool read_models(sonde__reader *reader, const json_t *list, build *b, char **names) {
    if (list == NULL) {
        return true;
    }
    if (!check_list(reader, "worlds.models", list, "a list of 1 to 64 models")) {
        return false;
    }
    for (int32_t m = 0; m < (int32_t)json_array_size(list); m++) {
        const sonde__path path = sonde__at("worlds.models[%d]", m);
        b->model[m].n_step = b->plan.n_step;
        if (!read_model(reader, path.text, json_array_get(list, (size_t)m), &b->model[m], names)) {
            return false;
        }
        if (find_model(&b->plan, b->model[m].name) >= 0) {
            return sonde__json_wrong(reader,
                                     "%s: \"%s\" is there twice; give one a name of its own",
                                     path.text, b->model[m].name);
        }
        b->plan.n_model++;
    }
    return true;
}

/* Adds the models of a condition to the places where it runs, after the sizes. */
static bool choose_models(sonde__reader *reader, const char *path, const json_t *list,
                          const sonde_study_plan *plan, sonde_condition *condition) {
    int32_t *size = (int32_t *)condition->size;
    if (!check_list(reader, path, list, "a list of 1 to 64 names of models")) {
        return false;
    }
    for (int32_t i = 0; i < (int32_t)json_array_size(list); i++) {
        const json_t *name = json_array_get(list, (size_t)i);
        const int32_t m = find_model(plan, json_string_value(name));
        if (m < 0) {
            return sonde__json_expected(reader, sonde__at("%s[%d]", path, i).text,
                                        "the name of a model in worlds.models", name);
        }
        for (int32_t j = 0; j < condition->n_size; j++) {
            if (size[j] == -1 - m) {
                return sonde__json_wrong(reader, "%s[%d]: \"%s\" is there twice", path, i,
                                         plan->model[m].name);
            }
        }
        size[condition->n_size++] = -1 - m;
    }
    return true;
}

/* ------------------------------------------------------------------------------- conditions -- */

/* Where the conditions of an object run: sizes and models of its own, or all of the plan's. */
static bool fill_sizes(sonde__reader *reader, int32_t at, const json_t *object, build *b,
                       sonde_condition *condition) {
    const json_t *sizes = json_object_get(object, "sizes");
    const json_t *models = json_object_get(object, "models");
    int32_t *size = b->size + ((int64_t)at + 1) * N_SIZE_MAX;
    if (sizes == NULL && models == NULL) {
        return true;
    }
    condition->size = size;
    condition->n_size = 0;
    return (sizes == NULL || read_sizes(reader, sonde__at("conditions[%d].sizes", at).text, sizes,
                                        size, &condition->n_size)) &&
           (models == NULL || choose_models(reader, sonde__at("conditions[%d].models", at).text,
                                            models, &b->plan, condition));
}

/* The same, and what they are called. */
static bool fill_place(sonde__reader *reader, int32_t at, const json_t *object, common *all,
                       build *b, sonde_condition *condition) {
    *condition = all->base;
    const json_t *group = json_object_get(object, "group");
    const json_t *graphs = json_object_get(object, "graphs");
    const json_t *k_before = json_object_get(object, "k_before");
    if (!check_name(reader, sonde__at("conditions[%d].group", at).text, group)) {
        return false;
    }
    condition->group = keep(&all->names, group != NULL ? json_string_value(group) : "all");
    return fill_sizes(reader, at, object, b, condition) &&
           (graphs == NULL || sonde__json_whole(reader, sonde__at("conditions[%d].graphs", at).text,
                                                graphs, 1, 10000000, &condition->n_graph)) &&
           (k_before == NULL ||
            sonde__json_whole(reader, sonde__at("conditions[%d].k_before", at).text, k_before, 1,
                              INT32_MAX, &condition->k_before));
}

/* All conditions of one object. Each has the k of the one before it, which is what the notebook's
 * lag uses. */
static bool fill_object(sonde__reader *reader, int32_t at, common *all, build *b) {
    const json_t *object = json_array_get(json_object_get(reader->root, "conditions"), (size_t)at);
    const uint64_t n = count_combinations(reader, at, object);
    sonde_condition base;
    sonde__effects effects;
    sonde__effects_open(object, &effects);
    if (!fill_place(reader, at, object, all, b, &base)) {
        return false;
    }
    for (uint64_t i = 0; i < n; i++) {
        sonde_condition *condition = &b->condition[b->plan.n_condition];
        char *label = b->label + (int64_t)b->plan.n_condition * LABEL_SIZE;
        *condition = base;
        condition->label = label;
        if (!fill_combination(reader, at, object, i, condition) ||
            !sonde__effects_note(reader, at, &effects, condition)) {
            return false;
        }
        if (condition->search.cluster.k != SONDE_K_AUTO) {
            base.k_before = condition->search.cluster.k;
        }
        sonde__condition_label(condition, label, LABEL_SIZE);
        b->plan.n_condition++;
    }
    return sonde__effects_check(reader, at, object, &effects,
                                &b->condition[b->plan.n_condition - 1]);
}

/* The plan's own keys, but for its worlds. */
static bool fill_head(sonde__reader *reader, common *all, build *b) {
    const json_t *root = reader->root;
    const json_t *name = json_object_get(root, "name");
    const json_t *seed = json_object_get(root, "seed");
    const json_t *steps = json_object_get(root, "steps");
    const json_t *judge = json_object_get(root, "judge");
    const json_t *record = json_object_get(root, "record_steps");
    if (!check_name(reader, "name", name)) {
        return false;
    }
    if (seed != NULL && (!json_is_integer(seed) || json_integer_value(seed) < 0)) {
        return sonde__json_expected(reader, "seed", "a whole number of 0 or more", seed);
    }
    if (record != NULL && !json_is_boolean(record)) {
        return sonde__json_expected(reader, "record_steps", "true or false", record);
    }
    const json_t *loop = json_object_get(root, "judge_loop");
    b->plan.judge_loop =
        json_is_string(loop) ? sonde_name_find(sonde_loop_name, json_string_value(loop)) : -1;
    if (loop != NULL && (b->plan.judge_loop < 0 || judge == NULL)) {
        return b->plan.judge_loop < 0
                   ? sonde__json_expected(reader, "judge_loop", "\"open\" or \"closed\"", loop)
                   : sonde__json_wrong(reader,
                                       "judge_loop: goes with judge only; give it, or leave "
                                       "this out");
    }
    b->plan.judge_loop = loop != NULL ? b->plan.judge_loop : SONDE_LOOP_OPEN;
    b->plan.record_steps = json_is_true(record);
    b->plan.name = keep(&all->names, name != NULL ? json_string_value(name) : "plan");
    b->plan.seed = seed != NULL ? (uint64_t)json_integer_value(seed) : 1;
    b->plan.n_step = 10;
    return (steps == NULL ||
            sonde__json_whole(reader, "steps", steps, 1, 1000000, &b->plan.n_step)) &&
           (judge == NULL ||
            sonde__json_whole(reader, "judge", judge, 1, 1000000, &b->plan.n_judge));
}

/* Where it runs unless a condition says otherwise. */
static bool fill_worlds(sonde__reader *reader, common *all, build *b) {
    const json_t *worlds = json_object_get(reader->root, "worlds");
    const json_t *connect = json_object_get(worlds, "connect");
    const json_t *sizes = json_object_get(worlds, "sizes");
    const json_t *models = json_object_get(worlds, "models");
    if (!json_is_object(worlds)) {
        return sonde__json_expected(reader, "worlds", "{\"sizes\": [...], \"graphs\": ...}",
                                    worlds);
    }
    all->base.search = sonde_search_defaults();
    all->base.k_before = all->base.search.cluster.k;
    all->base.size = b->size;
    const int32_t key = sonde_name_find(sonde__condition_key, "connect");
    if (!sonde__json_keys(reader, worlds, world_key) ||
        !read_models(reader, models, b, &all->names) ||
        ((sizes != NULL || models == NULL) &&
         !read_sizes(reader, "worlds.sizes", sizes, b->size, &all->base.n_size))) {
        return false;
    }
    for (int32_t m = 0; m < b->plan.n_model; m++) {
        b->size[all->base.n_size++] = -1 - m;
    }
    return sonde__json_whole(reader, "worlds.graphs", json_object_get(worlds, "graphs"), 1,
                             10000000, &all->base.n_graph) &&
           (connect == NULL ||
            sonde__condition_set(reader, "worlds.connect", key, connect, &all->base));
}

/* Puts a size into the plan's list, ascending, with the most graphs any condition wants of it. */
static bool include_size(build *b, int32_t size, int32_t n_graph) {
    int32_t i = 0;
    while (i < b->n_sizes && b->sizes[i] < size) {
        i++;
    }
    if (i == b->n_sizes || b->sizes[i] != size) {
        if (b->n_sizes == N_SIZE_MAX) {
            return false;
        }
        for (int32_t j = b->n_sizes++; j > i; j--) {
            b->sizes[j] = b->sizes[j - 1];
            b->n_graph[j] = b->n_graph[j - 1];
        }
        b->sizes[i] = size;
        b->n_graph[i] = 0;
    }
    b->n_graph[i] = b->n_graph[i] > n_graph ? b->n_graph[i] : n_graph;
    return true;
}

/* Counts tasks and runs. */
static bool count_work(sonde__reader *reader, build *b) {
    for (int32_t c = 0; c < b->plan.n_condition; c++) {
        const sonde_condition *condition = &b->condition[c];
        for (int32_t i = 0; i < condition->n_size; i++) {
            if (!include_size(b, condition->size[i], condition->n_graph)) {
                return sonde__json_wrong(reader, "conditions: more than %d different sizes",
                                         N_SIZE_MAX);
            }
            b->plan.n_run += condition->n_graph;
        }
    }
    int64_t n_task = 0;
    for (int32_t i = 0; i < b->n_sizes; i++) {
        n_task += b->n_graph[i];
    }
    if (n_task > INT32_MAX) {
        return sonde__json_wrong(reader, "worlds: more than %d of them", INT32_MAX);
    }
    b->plan.n_task = (int32_t)n_task;
    return true;
}

static bool fill(sonde__reader *reader, int32_t n_object, const sonde_source *source, build *b) {
    common all = {.names = b->names};
    memcpy(b->text, source->data, source->size);
    b->plan.text = b->text;
    b->plan.condition = b->condition;
    b->plan.model = b->model;
    if (!fill_head(reader, &all, b) || !fill_worlds(reader, &all, b)) {
        return false;
    }
    for (int32_t at = 0; at < n_object; at++) {
        if (!fill_object(reader, at, &all, b)) {
            return false;
        }
    }
    return count_work(reader, b);
}

/* Counts, reserves and fills. */
static sonde_status make(sonde__reader *reader, const sonde_source *source,
                         sonde_study_plan **plan) {
    const json_t *conditions = json_object_get(reader->root, "conditions");
    if (!json_is_array(conditions) || json_array_size(conditions) == 0 ||
        json_array_size(conditions) > N_CONDITION_MAX) {
        (void)sonde__json_expected(reader, "conditions", "a list of conditions", conditions);
        return reader->status;
    }
    const int32_t n_object = (int32_t)json_array_size(conditions);
    const json_t *models = json_object_get(json_object_get(reader->root, "worlds"), "models");
    extent all = {
        .n_object = (uint64_t)n_object, .n_model = json_array_size(models), .n_text = source->size};
    for (int32_t at = 0; at < n_object; at++) {
        const uint64_t n = count_combinations(reader, at, json_array_get(conditions, (size_t)at));
        if (n == 0) {
            return reader->status;
        }
        all.n_condition += n;
    }
    if (all.n_condition > N_CONDITION_MAX) {
        (void)sonde__json_wrong(reader, "conditions: expected %d at most, found %llu",
                                N_CONDITION_MAX, (unsigned long long)all.n_condition);
        return reader->status;
    }
    sonde__arena arena = {0};
    (void)carve(&arena, &all);
    if (!sonde__arena_reserve(&arena)) {
        return sonde__fail_memory(reader->error, reader->origin, arena.used);
    }
    build *b = carve(&arena, &all);
    if (!fill(reader, n_object, source, b)) {
        sonde__arena_free(&arena);
        return reader->status;
    }
    *plan = &b->plan;
    return SONDE_OK;
}

sonde_status sonde__plan_parse(const sonde_source *source, sonde_study_plan **plan,
                               sonde_error *error) {
    sonde__reader reader;
    sonde_status status = sonde__json_parse(&reader, source, error);
    if (status == SONDE_OK) {
        status = sonde__json_format(&reader, "sonde-plan", 1) &&
                         sonde__json_keys(&reader, reader.root, plan_key)
                     ? make(&reader, source, plan)
                     : reader.status;
    }
    sonde__json_close(&reader);
    return status;
}

sonde_status sonde_study_plan_read(const char *path, sonde_study_plan **plan, sonde_error *error) {
    const char *text = sonde__plan_builtin(path);
    if (text != NULL) {
        const sonde_source source = {path, text, strlen(text)};
        return sonde__plan_parse(&source, plan, error);
    }
    char *data = NULL;
    size_t size = 0;
    sonde_status status = sonde__json_slurp(path, &data, &size, error);
    if (status == SONDE_NO_FILE && strchr(path, '/') == NULL && strchr(path, '.') == NULL) {
        status = sonde__fail(
            error, SONDE_NO_FILE,
            "%s: there is neither a file nor a built-in plan of that name; built in "
            "are \"paper\", \"paper-all\", \"table\", \"quality\", \"scaling\" and \"closed\"",
            path);
    }
    if (status == SONDE_OK) {
        const sonde_source source = {path, data, size};
        status = sonde__plan_parse(&source, plan, error);
    }
    sonde__free(data);
    return status;
}

sonde_status sonde_study_plan_task(const sonde_study_plan *plan, int32_t task, int32_t *size,
                                   int32_t *graph, sonde_error *error) {
    const build *b = (const build *)plan;
    if (task < 0 || task >= plan->n_task) {
        return sonde__fail(error, SONDE_BAD_ARGUMENT,
                           "task: expected a number from 0 to %d, found %d", plan->n_task - 1,
                           task);
    }
    int32_t i = 0;
    while (task >= b->n_graph[i]) {
        task -= b->n_graph[i];
        i++;
    }
    *size = b->sizes[i];
    *graph = task;
    return SONDE_OK;
}

bool sonde__plan_batch(const sonde_study_plan *plan, int32_t i, int32_t *first, int32_t *n) {
    const build *b = (const build *)plan;
    if (i >= b->n_sizes) {
        return false;
    }
    *n = b->n_graph[i];
    *first = sonde__plan_find(plan, b->sizes[i], 0);
    return true;
}

int32_t sonde__plan_find(const sonde_study_plan *plan, int32_t size, int32_t graph) {
    const build *b = (const build *)plan;
    int32_t before = 0;
    for (int32_t i = 0; i < b->n_sizes && b->sizes[i] <= size; i++) {
        if (b->sizes[i] == size) {
            return graph >= 0 && graph < b->n_graph[i] ? before + graph : -1;
        }
        before += b->n_graph[i];
    }
    return -1;
}

void sonde_study_plan_free(sonde_study_plan *plan) {
    sonde__free(plan);
}

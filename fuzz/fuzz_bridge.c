/* fuzz_bridge.c: what the page asks of its engine (web/bridge.c, built for this machine): any words
 * as a command line (words.h) and, after an empty line, any bytes as the world "w" that it reads.
 *
 * The engine holds the world that it read last. So everything is asked twice, of an engine that
 * holds nothing and of one that holds what it has just read: both end alike. `map` has the engine
 * keep a map of policies: its numbers are the same both times, and all of them are looked at as
 * the page does. `layout` asks where nodes are drawn. */
#include <math.h>

#include "words.h"

int bridge_run(int argc, char **argv);
int bridge_map(int argc, char **argv);
void bridge_changed(void);
const void *bridge_numbers(int list, int32_t *n);
const char *bridge_policy(int32_t i);
const char *bridge_nearest(int32_t i, int32_t n);
const char *bridge_action(int32_t action);
int bridge_layout(const char *path, double **place);

enum { XY, WEIGHT, FIRST, ROW_OF, EFE, FIRST_ACTION, LABEL, REPRESENTATIVE, SHARE, N_LIST };

/* bytes of a number of each list, as web/engine_run.js has them */
static const size_t width[N_LIST] = {8, 4, 4, 4, 8, 4, 4, 4, 8};

/* a list as it was the first time */
typedef struct {
    int32_t n;
    void *number;
} list_kept;

static void keep_lists(list_kept kept[N_LIST]) {
    for (int i = 0; i < N_LIST; i++) {
        const void *at = bridge_numbers(i, &kept[i].n);
        const size_t size = (size_t)kept[i].n * width[i];
        kept[i].number = malloc(size + 1);
        if (at == NULL || kept[i].number == NULL) {
            give_up("a map without numbers", "");
        }
        memcpy(kept[i].number, at, size);
    }
}

static void compare_lists(list_kept kept[N_LIST]) {
    for (int i = 0; i < N_LIST; i++) {
        int32_t n = 0;
        const void *at = bridge_numbers(i, &n);
        if (at == NULL || n != kept[i].n || memcmp(at, kept[i].number, (size_t)n * width[i]) != 0) {
            give_up("a world that is held has another map", "");
        }
        free(kept[i].number);
    }
}

static void told(const char *text, char first) {
    if (text == NULL || text[0] != first || text[strlen(text) - 1] == ',') {
        give_up("an answer that is none", text != NULL ? text : "");
    }
}

/* Some policies of the map, as the page asks for those that are pointed at. */
static void look_at_map(void) {
    int32_t n = 0;
    (void)bridge_numbers(ROW_OF, &n);
    for (int32_t i = 0; i < n; i += 1 + n / 3) {
        told(bridge_policy(i), '{');
        told(bridge_nearest(i, 3), '[');
    }
    const int32_t *first = bridge_numbers(FIRST_ACTION, &n);
    if (n > 0 && bridge_action(first[0])[0] == '\0') {
        give_up("an action without a name", "");
    }
}

static void map_twice(words *w) {
    list_kept kept[N_LIST];
    const int cold = bridge_map(w->n - 2, w->argv + 2);
    if (cold == 0) {
        keep_lists(kept);
        look_at_map();
    }
    const int warm = bridge_map(w->n - 2, w->argv + 2);
    if (warm != cold) {
        give_up("a world that is held ends otherwise", "map");
    }
    if (cold == 0) {
        compare_lists(kept);
    }
}

/* When the last file was made or removed here. */
static struct timespec folder_changed(void) {
    struct stat about;
    if (stat(".", &about) != 0) {
        give_up("no folder", folder);
    }
    return about.st_mtim;
}

static void run_twice(words *w) {
    const struct timespec before = folder_changed();
    const int cold = bridge_run(w->n, w->argv);
    const struct timespec after = folder_changed();
    if (cold < 0 || cold > 4) {
        give_up("an exit status that is none", w->n > 1 ? w->text[1] : "");
    }
    /* a command that writes may find what it has written */
    const bool wrote = before.tv_sec != after.tv_sec || before.tv_nsec != after.tv_nsec;
    if (bridge_run(w->n, w->argv) != cold && !wrote) {
        give_up("a world that is held ends otherwise", w->n > 1 ? w->text[1] : "");
    }
}

static void lay_out(void) {
    double *place = NULL;
    const int n = bridge_layout("w", &place);
    for (int i = 0; i < 2 * n; i++) {
        if (!isfinite(place[i])) {
            give_up("a node that is nowhere", "");
        }
    }
    free(place);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static words w;
    static int32_t n_run;
    static given_file world = {.name = "w", .text = words_world};
    static given_file model = {.name = "m", .text = reader_model};
    if (folder[0] == '\0') {
        enter_folder("fuzz_bridge");
    }
    if (++n_run % 10000 == 0) {
        clear_folder();
    }
    const size_t at = take_words(&w, data, size);
    restore(&model);
    if (at < size) {
        world.when = (struct timespec){0};
        write_bytes("w", data + at, size - at);
    } else {
        restore(&world);
    }
    bridge_changed();
    if (w.n > 1 && strcmp(w.text[1], "map") == 0) {
        map_twice(&w);
    } else if (w.n > 1 && strcmp(w.text[1], "layout") == 0) {
        lay_out();
    } else {
        run_twice(&w);
    }
    return 0;
}

/* Names: found when they are there, guessed when they are nearly there. */
#include "base/rng.h"
#include "base/settings.h"
#include "worlds.h"

static const char *fruit(int32_t i) {
    static const char *const list[] = {
        "apple", "banana", "blackberry", "fig", "pear",
        /* longer than any word that is worth a guess */
        "a-very-long-name-indeed-that-goes-on-and-on-until-it-is-longer-than-64-letters", NULL};
    return list[i];
}

static const char *berry(int32_t i) {
    static const char *const list[] = {"strawberry", "straw", NULL};
    return list[i];
}

static const char *nothing(int32_t i) {
    (void)i;
    return NULL;
}

static void a_name_is_found_at_its_place(void **state) {
    (void)state;
    for (int32_t i = 0; fruit(i) != NULL; i++) {
        assert_int_equal(sonde_name_find(fruit, fruit(i)), i);
    }
    assert_int_equal(sonde_name_find(fruit, "Apple"), -1);
    assert_int_equal(sonde_name_find(fruit, "appl"), -1);
    assert_int_equal(sonde_name_find(fruit, "apples"), -1);
    assert_int_equal(sonde_name_find(fruit, ""), -1);
    assert_int_equal(sonde_name_find(nothing, "apple"), -1);
}

static void a_misspelled_name_is_guessed(void **state) {
    (void)state;
    assert_string_equal(sonde_name_nearest(fruit, "aple"), "apple");
    assert_string_equal(sonde_name_nearest(fruit, "appel"), "apple");
    assert_string_equal(sonde_name_nearest(fruit, "banan"), "banana");
    assert_string_equal(sonde_name_nearest(fruit, "bannana"), "banana");
    assert_string_equal(sonde_name_nearest(fruit, "blueberry"), "blackberry");
    assert_string_equal(sonde_name_nearest(fruit, "fog"), "fig");
    assert_string_equal(sonde_name_nearest(sonde_connect_name, "symetric"), "symmetric");
    assert_string_equal(sonde_name_nearest(sonde__action_name, "determinstic"), "deterministic");
}

static void a_beginning_is_enough(void **state) {
    (void)state;
    assert_string_equal(sonde_name_nearest(fruit, "blackb"), "blackberry");
    assert_string_equal(sonde_name_nearest(fruit, "p"), "pear");
    /* the first of several */
    assert_string_equal(sonde_name_nearest(fruit, "b"), "banana");
    /* but a whole name before a longer one that begins with it */
    assert_string_equal(sonde_name_nearest(berry, "straw"), "straw");
    assert_string_equal(sonde_name_nearest(berry, "stra"), "strawberry");
}

static void a_word_of_its_own_is_not_guessed(void **state) {
    (void)state;
    assert_null(sonde_name_nearest(fruit, "xylophone"));
    assert_null(sonde_name_nearest(fruit, "strawberries"));
    assert_null(sonde_name_nearest(fruit, ""));
    assert_null(sonde_name_nearest(nothing, "apple"));
    char word[200];
    memset(word, 'a', sizeof word - 1);
    word[sizeof word - 1] = '\0';
    assert_null(sonde_name_nearest(fruit, word));
}

/* Levenshtein's distance by its definition. */
static int distance(const char *a, const char *b) {
    if (*a == '\0' || *b == '\0') {
        return (int)(strlen(a) + strlen(b));
    }
    if (*a == *b) {
        return distance(a + 1, b + 1);
    }
    const int dropped = distance(a + 1, b);
    const int added = distance(a, b + 1);
    const int changed = distance(a + 1, b + 1);
    const int least = dropped < added ? dropped : added;
    return 1 + (least < changed ? least : changed);
}

static const char *short_word(int32_t i) {
    static const char *const list[] = {"abab", "bca", "ccb", "acbac", "ba", NULL};
    return list[i];
}

static void a_guess_is_the_nearest_there_is(void **state) {
    (void)state;
    sonde__rng rng = sonde__rng_stream(1, SONDE__FOR_PROBE, 0);
    int n_guessed = 0;
    int n_silent = 0;
    for (int trial = 0; trial < 3000; trial++) {
        char word[8] = {0};
        const int length = 1 + (int)sonde__rng_below(&rng, 7);
        for (int i = 0; i < length; i++) {
            word[i] = (char)('a' + sonde__rng_below(&rng, 6));
        }
        int least = 100;
        for (int32_t i = 0; short_word(i) != NULL; i++) {
            const bool begins = strncmp(short_word(i), word, (size_t)length) == 0;
            const int d = begins ? 0 : distance(word, short_word(i));
            least = d < least ? d : least;
        }
        const char *guess = sonde_name_nearest(short_word, word);
        n_guessed += guess != NULL;
        n_silent += guess == NULL;
        if (guess == NULL) {
            assert_true(least > length / 3);
        } else if (strncmp(guess, word, (size_t)length) != 0) {
            assert_int_equal(distance(word, guess), least);
            assert_true(least <= 1 + length / 3);
        }
    }
    assert_true(n_guessed > 100 && n_silent > 100);
}

static void every_list_of_names_ends_and_repeats_nothing(void **state) {
    (void)state;
    static const char *(*const list[])(int32_t) = {
        sonde_connect_name,         sonde_scope_name,     sonde_search_name,
        sonde__probe_name,          sonde__action_name,   sonde_difference_name,
        sonde_failure_name,         sonde_embedding_name, sonde__embedding_about,
        sonde__cluster_method_name,
    };
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        int32_t n = 0;
        for (; list[k](n) != NULL; n++) {
            assert_true(strlen(list[k](n)) > 0);
            assert_int_equal(sonde_name_find(list[k], list[k](n)), n);
        }
        assert_true(n >= 2);
        assert_null(list[k](n + 1));
        assert_null(list[k](INT32_MAX));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_name_is_found_at_its_place),
        cmocka_unit_test(a_misspelled_name_is_guessed),
        cmocka_unit_test(a_beginning_is_enough),
        cmocka_unit_test(a_word_of_its_own_is_not_guessed),
        cmocka_unit_test(a_guess_is_the_nearest_there_is),
        cmocka_unit_test(every_list_of_names_ends_and_repeats_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

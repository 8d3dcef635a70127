/* Archives on threads whose stacks are small, as those of some hosts are. */
#include <pthread.h>

#include "models.h"

/* far less than musl's threads have; the sanitizers' frames are larger */
#if defined(__SANITIZE_ADDRESS__)
#define WATCHED
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define WATCHED
#endif
#endif
#ifdef WATCHED
enum { STACK = 512 << 10 };
#else
enum { STACK = 64 << 10 };
#endif

static void *read_model(void *status) {
    sonde_model *model = NULL;
    *(sonde_status *)status =
        sonde_model_read(&(const sonde_source){.origin = SONDE_TEST_DATA "/models/small.npz"}, NULL,
                         NULL, &model, NULL);
    sonde_model_free(model);
    return NULL;
}

static void an_archive_is_read_on_a_small_stack(void **state) {
    (void)state;
    sonde_status status = SONDE_NO_FILE;
    pthread_attr_t small;
    pthread_t thread;
    assert_int_equal(pthread_attr_init(&small), 0);
    assert_int_equal(pthread_attr_setstacksize(&small, STACK), 0);
    assert_int_equal(pthread_create(&thread, &small, read_model, &status), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    (void)pthread_attr_destroy(&small);
    assert_int_equal(status, SONDE_OK);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_archive_is_read_on_a_small_stack),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

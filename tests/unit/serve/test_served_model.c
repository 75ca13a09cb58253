#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "asking.h"
#include "scratch.h"

static const char *film_model(const char *name, const char *settings)
{
    const char *path = scratch_path(name);
    asking_save(path, settings);
    return path;
}

static void test_the_version_is_that_of_the_content(void **state)
{
    nln_served *a = NULL, *b = NULL, *c = NULL;
    nln_error err = {0};
    (void)state;
    const char *first = film_model("a", "task=topk epochs=1 dimension=4 seed=1");
    const char *same = film_model("b", "task=topk epochs=1 dimension=4 seed=1");
    const char *other = film_model("c", "task=topk epochs=1 dimension=4 seed=2");
    tiny_need(nln_served_load(&a, first, "", &err), &err);
    tiny_need(nln_served_load(&b, same, "", &err), &err);
    tiny_need(nln_served_load(&c, other, "", &err), &err);
    assert_string_equal(a->version, b->version);
    assert_string_not_equal(a->version, c->version);
    assert_non_null(a->scorer);
    nln_served_release(a);
    nln_served_release(b);
    nln_served_release(c);
}

static void test_bad_files_leave_nothing(void **state)
{
    nln_served *s = NULL;
    nln_error err = {0};
    (void)state;
    const char *good = film_model("a", "task=topk epochs=1 dimension=4");
    size_t before = nln_memory_used();
    assert_int_equal(nln_served_load(&s, scratch_path("none"), "", &err), NLN_IO);
    assert_int_equal(nln_served_load(&s, scratch_text("bad", "not a model"), "", &err), NLN_FORMAT);
    assert_int_equal(nln_served_load(&s, good, scratch_path("none"), &err), NLN_IO);
    assert_null(s);
    assert_int_equal(nln_memory_used(), before);
}

/* The old model lives as long as somebody holds it. */
static void test_a_swap_keeps_what_is_in_use(void **state)
{
    nln_model_slot slot = {.lock = PTHREAD_MUTEX_INITIALIZER};
    nln_served *a = NULL, *b = NULL;
    nln_error err = {0};
    (void)state;
    const char *path = film_model("a", "task=topk epochs=1 dimension=4");
    size_t before = nln_memory_used();
    tiny_need(nln_served_load(&a, path, "", &err), &err);
    tiny_need(nln_served_load(&b, path, "", &err), &err);
    assert_null(nln_model_slot_take(&slot));
    nln_model_slot_put(&slot, a);
    nln_served *held = nln_model_slot_take(&slot);
    assert_ptr_equal(held, a);
    nln_model_slot_put(&slot, b);
    assert_int_equal(nln_model_variables(held->model), 5);
    assert_string_equal(nln_model_variable(held->model, 0), "tea");
    nln_served_release(held);
    nln_model_slot_put(&slot, NULL);
    assert_int_equal(atomic_load(&slot.swaps), 2);
    assert_int_equal(nln_memory_used(), before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_version_is_that_of_the_content),
        cmocka_unit_test(test_bad_files_leave_nothing),
        cmocka_unit_test(test_a_swap_keeps_what_is_in_use),
    };
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}

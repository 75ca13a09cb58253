#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "serve/routes.h"

static const nln_route *find(const char *method, const char *path, const char **allow)
{
    const char *rest = NULL;
    return nln_route_find(allow, &rest, method, path);
}

/* Every row is found by its own method and path, and by no other method. */
static void test_every_route_is_found(void **state)
{
    const char *allow;
    (void)state;
    for (int i = 0; i < nln_routes_count(); i++) {
        const nln_route *route = &nln_routes[i];
        char path[128];
        size_t n = strlen(route->path);
        strcpy(path, route->path);
        if (n > 1 && path[n - 1] == '/')
            strcat(path, "u7");
        assert_ptr_equal(find(route->method, path, &allow), route);
        assert_null(find("PATCH", path, &allow));
        assert_non_null(strstr(allow, route->method));
        assert_true(route->answer && route->summary && route->answers[0]);
        assert_int_equal(route->summary[strlen(route->summary) - 1], '.');
        for (int j = 0; j < i; j++)
            assert_false(strcmp(route->method, nln_routes[j].method) == 0 &&
                         strcmp(route->path, nln_routes[j].path) == 0);
    }
}

static void test_other_paths_are_not(void **state)
{
    static const char *const paths[] = {"/api/v1/recommend/", "/api/v1",
                                        "/api/v2/recommend",  "/health/",
                                        "/api/v1/recommendx", "/api/../x"};
    const char *allow;
    (void)state;
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        assert_null(find("GET", paths[i], &allow));
        assert_null(allow);
    }
    assert_null(find("GET", "/api/v1/recommend", &allow));
    assert_string_equal(allow, "POST");
    /* Anything else may be a file of the page. */
    assert_ptr_equal(find("GET", "/page.css", &allow), find("GET", "/", &allow));
}

static void test_changes_need_more_than_reading(void **state)
{
    (void)state;
    for (int i = 0; i < nln_routes_count(); i++) {
        const nln_route *route = &nln_routes[i];
        if (strcmp(route->method, "DELETE") == 0)
            assert_true(route->role >= NLN_ROLE_WRITE);
        if (strncmp(route->path, "/api/", 5) == 0)
            assert_true(route->role >= NLN_ROLE_READ);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_route_is_found),
        cmocka_unit_test(test_other_paths_are_not),
        cmocka_unit_test(test_changes_need_more_than_reading),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

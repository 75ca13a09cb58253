#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <jansson.h>
#include <string.h>

#include "serve/openapi.h"
#include "serve/routes.h"

static json_t *document(void)
{
    nln_text t = {0};
    json_error_t why;
    nln_openapi_print(&t);
    json_t *json = json_loadb(t.bytes, t.n, JSON_REJECT_DUPLICATES, &why);
    if (!json)
        fail_msg("%s", why.text);
    nln_text_free(&t);
    return json;
}

/* The operation of a route, with the name after its path in braces. */
static const json_t *operation(const json_t *paths, const nln_route *route)
{
    char path[128], method[8] = "";
    size_t n = strlen(route->path);
    strcpy(path, route->path);
    if (n > 1 && path[n - 1] == '/')
        strcat(path, "{name}");
    for (size_t i = 0; route->method[i]; i++)
        method[i] = (char)(route->method[i] + 'a' - 'A');
    return json_object_get(json_object_get(paths, path), method);
}

static void test_it_has_the_routes_and_no_others(void **state)
{
    json_t *json = document(), *methods;
    const json_t *paths = json_object_get(json, "paths");
    const char *path;
    size_t n = 0;
    (void)state;
    for (int i = 0; i < nln_routes_count(); i++) {
        const json_t *o = operation(paths, &nln_routes[i]);
        assert_string_equal(json_string_value(json_object_get(o, "summary")),
                            nln_routes[i].summary);
    }
    json_object_foreach((json_t *)(uintptr_t)paths, path, methods) n += json_object_size(methods);
    assert_int_equal(n, nln_routes_count());
    json_decref(json);
}

/* Every field of the table has a schema with a type. */
static void test_every_field_is_described(void **state)
{
    json_t *json = document();
    const json_t *paths = json_object_get(json, "paths");
    (void)state;
    for (int i = 0; i < nln_routes_count(); i++) {
        const nln_route *route = &nln_routes[i];
        const json_t *o = operation(paths, route);
        const json_t *schema = json_object_get(
            json_object_get(json_object_get(json_object_get(o, "requestBody"), "content"),
                            "application/json"),
            "schema");
        size_t n = 0;
        while (n < NLN_ROUTE_FIELDS && route->fields[n])
            n++;
        if (route->reads_json) {
            assert_int_equal(json_object_size(json_object_get(schema, "properties")), n);
        } else {
            int named = strlen(route->path) > 1 && route->path[strlen(route->path) - 1] == '/';
            assert_int_equal(json_array_size(json_object_get(o, "parameters")), n + (size_t)named);
        }
    }
    json_decref(json);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_it_has_the_routes_and_no_others),
        cmocka_unit_test(test_every_field_is_described),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

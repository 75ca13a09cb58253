#include "serve/openapi.h"

#include <string.h>

#include "nln.h"
#include "serve/routes.h"

/* What a type of the table of routes is in a schema. */
static const struct {
    const char *name, *schema;
} types[] = {
    {"string", "{\"type\":\"string\"}"},
    {"flag", "{\"type\":\"boolean\"}"},
    {"number", "{\"type\":\"number\"}"},
    {"size", "{\"type\":\"integer\",\"minimum\":0}"},
    {"object", "{\"type\":\"object\"}"},
    {"objects", "{\"type\":\"array\",\"items\":{\"type\":\"object\"}}"},
    {"names", "{\"type\":\"array\",\"items\":{\"type\":\"string\"}}"},
    {"numbers", "{\"type\":\"array\",\"items\":{\"type\":\"number\"}}"},
    {"history", "{\"type\":\"array\",\"items\":{\"$ref\":\"#/components/schemas/Interaction\"}}"},
    {"events", "{\"type\":\"array\",\"items\":{\"$ref\":\"#/components/schemas/Event\"}}"},
    {"recommendations",
     "{\"type\":\"array\",\"items\":{\"$ref\":\"#/components/schemas/Recommendation\"}}"},
};

static const char schemas[] =
    "\"Error\":{\"type\":\"object\",\"required\":[\"error\"],\"properties\":{\"error\":{\"type\":"
    "\"object\",\"required\":[\"status\",\"message\"],\"properties\":{\"status\":{\"type\":"
    "\"integer\"},\"message\":{\"type\":\"string\"},\"field\":{\"type\":\"string\"},\"line\":{"
    "\"type\":\"integer\"},\"column\":{\"type\":\"integer\"}}}}},"
    "\"Interaction\":{\"type\":\"object\",\"required\":[\"item\"],\"properties\":{\"item\":{"
    "\"type\":\"string\"},\"liked\":{\"type\":\"boolean\"},\"rating\":{\"type\":\"number\"}}},"
    "\"Event\":{\"type\":\"object\",\"required\":[\"user\",\"item\"],\"properties\":{\"id\":{"
    "\"type\":\"string\"},\"user\":{\"type\":\"string\"},\"item\":{\"type\":\"string\"},"
    "\"liked\":{\"type\":\"boolean\"},\"rating\":{\"type\":\"number\"},\"retract\":{\"type\":"
    "\"boolean\"},\"time\":{\"type\":\"number\"}}},"
    "\"Recommendation\":{\"type\":\"object\",\"required\":[\"item\",\"score\"],\"properties\":{"
    "\"item\":{\"type\":\"string\"},\"title\":{\"type\":\"string\",\"nullable\":true},\"score\":{"
    "\"type\":\"number\"},\"probability\":{\"type\":\"number\"},\"formula\":{\"type\":\"string\"},"
    "\"reasons\":{\"type\":\"array\",\"items\":{\"type\":\"object\"}}}}";

static void print_schema(nln_text *out, const char *key, const char *type, size_t n)
{
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strlen(types[i].name) == n && strncmp(types[i].name, type, n) == 0) {
            nln_json_out_open(out, key, types[i].schema[0]);
            nln_text_add(out, types[i].schema + 1, strlen(types[i].schema) - 1);
        }
}

/* One field, "name:type" or "name:type!". */
typedef struct field {
    char name[40];
    const char *type;
    size_t n_type;
    int needed;
} field;

static field read_field(const char *text)
{
    field f = {.type = strchr(text, ':') + 1};
    size_t n = (size_t)(f.type - 1 - text);
    memcpy(f.name, text, n < sizeof f.name ? n : sizeof f.name - 1);
    f.n_type = strcspn(f.type, "!");
    f.needed = f.type[f.n_type] == '!';
    return f;
}

static void print_object(nln_text *out, const char *const *fields)
{
    nln_json_out_open(out, "schema", '{');
    nln_json_out_string(out, "type", "object");
    nln_json_out_open(out, "properties", '{');
    for (int i = 0; i < NLN_ROUTE_FIELDS && fields[i]; i++) {
        field f = read_field(fields[i]);
        print_schema(out, f.name, f.type, f.n_type);
    }
    nln_json_out_close(out, '}');
    int any = 0;
    for (int i = 0; i < NLN_ROUTE_FIELDS && fields[i]; i++) {
        field f = read_field(fields[i]);
        if (f.needed && !any++)
            nln_json_out_open(out, "required", '[');
        if (f.needed)
            nln_json_out_string(out, NULL, f.name);
    }
    if (any)
        nln_json_out_close(out, ']');
    nln_json_out_close(out, '}');
}

static void print_parameters(nln_text *out, const nln_route *route)
{
    size_t n = strlen(route->path);
    nln_json_out_open(out, "parameters", '[');
    if (n > 1 && route->path[n - 1] == '/') {
        nln_json_out_open(out, NULL, '{');
        nln_json_out_string(out, "name", "name");
        nln_json_out_string(out, "in", "path");
        nln_json_out_flag(out, "required", 1);
        print_schema(out, "schema", "string", 6);
        nln_json_out_close(out, '}');
    }
    for (int i = 0; !route->reads_json && i < NLN_ROUTE_FIELDS && route->fields[i]; i++) {
        field f = read_field(route->fields[i]);
        nln_json_out_open(out, NULL, '{');
        nln_json_out_string(out, "name", f.name);
        nln_json_out_string(out, "in", "query");
        nln_json_out_flag(out, "required", f.needed);
        print_schema(out, "schema", f.type, f.n_type);
        nln_json_out_close(out, '}');
    }
    nln_json_out_close(out, ']');
}

static void print_responses(nln_text *out, const nln_route *route)
{
    int is_text = route->answers[0] && !strchr(route->answers[0], ':');
    nln_json_out_open(out, "responses", '{');
    nln_json_out_open(out, "200", '{');
    nln_json_out_string(out, "description", route->summary);
    nln_json_out_open(out, "content", '{');
    nln_json_out_open(out, is_text ? route->answers[0] : "application/json", '{');
    if (is_text)
        print_schema(out, "schema", "string", 6);
    else
        print_object(out, route->answers);
    for (int i = 0; i < 3; i++)
        nln_json_out_close(out, '}');
    nln_json_out_open(out, "default", '{');
    nln_json_out_string(out, "description", "An error, in one sentence.");
    nln_json_out_open(out, "content", '{');
    nln_json_out_open(out, "application/json", '{');
    nln_json_out_open(out, "schema", '{');
    nln_json_out_string(out, "$ref", "#/components/schemas/Error");
    for (int i = 0; i < 5; i++)
        nln_json_out_close(out, '}');
}

static void print_route(nln_text *out, const nln_route *route)
{
    static const char *const roles[] = {"none", "read", "write", "admin"};
    char method[8] = "";
    for (size_t i = 0; route->method[i] && i + 1 < sizeof method; i++)
        method[i] = (char)(route->method[i] - 'A' + 'a');
    nln_json_out_open(out, method, '{');
    nln_json_out_string(out, "summary", route->summary);
    nln_json_out_string(out, "x-role", roles[route->role]);
    print_parameters(out, route);
    if (route->reads_json) {
        nln_json_out_open(out, "requestBody", '{');
        nln_json_out_flag(out, "required", route->reads_json == 1);
        nln_json_out_open(out, "content", '{');
        nln_json_out_open(out, "application/json", '{');
        print_object(out, route->fields);
        for (int i = 0; i < 3; i++)
            nln_json_out_close(out, '}');
    }
    print_responses(out, route);
    nln_json_out_close(out, '}');
}

/* Routes of one path stand side by side in the table. */
static void print_paths(nln_text *out)
{
    char key[128];
    nln_json_out_open(out, "paths", '{');
    for (int i = 0; i < nln_routes_count(); i++) {
        const nln_route *route = &nln_routes[i];
        size_t n = strlen(route->path);
        int is_same = i > 0 && strcmp(route->path, nln_routes[i - 1].path) == 0;
        memcpy(key, route->path, n + 1);
        if (n > 1 && key[n - 1] == '/')
            memcpy(key + n, "{name}", sizeof "{name}");
        if (!is_same)
            nln_json_out_open(out, key, '{');
        print_route(out, route);
        if (i + 1 == nln_routes_count() || strcmp(route->path, nln_routes[i + 1].path) != 0)
            nln_json_out_close(out, '}');
    }
    nln_json_out_close(out, '}');
}

void nln_openapi_print(nln_text *out)
{
    nln_json_out_open(out, NULL, '{');
    nln_json_out_string(out, "openapi", "3.0.3");
    nln_json_out_open(out, "info", '{');
    nln_json_out_string(out, "title", "nln serve");
    nln_json_out_string(out, "version", nln_version());
    nln_json_out_close(out, '}');
    print_paths(out);
    nln_json_out_open(out, "components", '{');
    nln_json_out_open(out, "schemas", '{');
    nln_text_add(out, schemas, strlen(schemas));
    nln_json_out_close(out, '}');
    nln_json_out_open(out, "securitySchemes", '{');
    nln_json_out_open(out, "key", '{');
    nln_json_out_string(out, "type", "http");
    nln_json_out_string(out, "scheme", "bearer");
    for (int i = 0; i < 4; i++)
        nln_json_out_close(out, '}');
}

#include "show/struct_fields.h"

#include <stdio.h>
#include <stdlib.h>

#include "allocate.h"

static json_t *value_json(const cli_field *field, const void *record)
{
    const void *at = (const char *)record + field->offset;

    switch (field->type) {
    case CLI_FIELD_TEXT:
        return cli_json_text(*(const char *const *)at);
    case CLI_FIELD_COUNT:
        return cli_json_count(*(const size_t *)at);
    case CLI_FIELD_INT:
        return cli_json_count((size_t) * (const int *)at);
    case CLI_FIELD_FLAG:
        return json_boolean(*(const int *)at);
    case CLI_FIELD_NUMBER:
        break;
    }
    return cli_json_number(*(const double *)at);
}

static void add_cell(cli_table *table, const cli_field *field, const void *record)
{
    const void *at = (const char *)record + field->offset;

    switch (field->type) {
    case CLI_FIELD_TEXT:
        cli_table_add(table, "%s", *(const char *const *)at);
        break;
    case CLI_FIELD_COUNT:
        cli_table_count(table, *(const size_t *)at);
        break;
    case CLI_FIELD_INT:
    case CLI_FIELD_FLAG:
        cli_table_add(table, "%d", *(const int *)at);
        break;
    case CLI_FIELD_NUMBER:
        cli_table_number(table, field->decimals, *(const double *)at);
        break;
    }
}

void cli_fields_put(json_t *object, const cli_field *fields, size_t n, const void *record)
{
    for (size_t i = 0; i < n; i++)
        if (fields[i].key)
            cli_json_put(object, fields[i].key, value_json(&fields[i], record));
}

json_t *cli_fields_array(const cli_field *fields, size_t n, const void *records, size_t n_records,
                         size_t size)
{
    json_t *array = cli_json_array();

    for (size_t i = 0; i < n_records; i++) {
        json_t *object = cli_json_object();
        cli_fields_put(object, fields, n, (const char *)records + i * size);
        cli_json_append(array, object);
    }
    return array;
}

void cli_fields_add(cli_table *table, const cli_field *fields, size_t n, const void *record)
{
    for (size_t i = 0; i < n; i++)
        if (fields[i].title)
            add_cell(table, &fields[i], record);
}

void cli_fields_print(const cli_field *fields, size_t n, const void *records, size_t n_records,
                      size_t size)
{
    cli_column *columns = cli_memory_resize(NULL, n, sizeof *columns);
    size_t n_columns = 0;
    cli_table table;

    for (size_t i = 0; i < n; i++)
        if (fields[i].title)
            columns[n_columns++] = (cli_column){fields[i].title, fields[i].type != CLI_FIELD_TEXT};
    cli_table_open(&table, columns, n_columns);
    for (size_t i = 0; i < n_records; i++)
        cli_fields_add(&table, fields, n, (const char *)records + i * size);
    cli_table_print(&table, stdout);
    cli_table_close(&table);
    free(columns);
}

void cli_fields_print_list(const cli_field *fields, size_t n, const void *record)
{
    static const cli_column columns[] = {{"figure", 0}, {"value", 1}};
    cli_table table;

    cli_table_open(&table, columns, 2);
    for (size_t i = 0; i < n; i++)
        if (fields[i].title) {
            cli_table_add(&table, "%s", fields[i].title);
            add_cell(&table, &fields[i], record);
        }
    cli_table_print(&table, stdout);
    cli_table_close(&table);
}

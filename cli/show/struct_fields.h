/* A table of fields describes a struct once; JSON objects and printed tables are made from it. */
#ifndef CLI_SHOW_STRUCT_FIELDS_H
#define CLI_SHOW_STRUCT_FIELDS_H

#include <stddef.h>

#include "show/json_output.h"
#include "show/text_table.h"

typedef enum cli_field_type {
    CLI_FIELD_TEXT,  /* const char *; NULL is null */
    CLI_FIELD_COUNT, /* size_t */
    CLI_FIELD_INT,   /* int */
    CLI_FIELD_FLAG,  /* int, a boolean in JSON */
    CLI_FIELD_NUMBER /* double; NaN is null in JSON and - in tables */
} cli_field_type;

typedef struct cli_field {
    const char *key;   /* in JSON; NULL: only in tables */
    const char *title; /* in tables; NULL: only in JSON */
    cli_field_type type;
    size_t offset; /* in the struct */
    int decimals;  /* of a number in tables */
} cli_field;

#define CLI_FIELD(type, member, kind, key, title, decimals)            \
    {                                                                  \
        key, title, CLI_FIELD_##kind, offsetof(type, member), decimals \
    }
#define CLI_COUNT(array) (sizeof(array) / sizeof *(array))

/* Puts the fields of a record into an object. */
void cli_fields_put(json_t *object, const cli_field *fields, size_t n, const void *record);
/* An array with an object for each of the records, which are `size` bytes apart. */
json_t *cli_fields_array(const cli_field *fields, size_t n, const void *records, size_t n_records,
                         size_t size);
/* Adds the cells of a record to a table. */
void cli_fields_add(cli_table *table, const cli_field *fields, size_t n, const void *record);
/* Prints a table on standard output with a row for each record. */
void cli_fields_print(const cli_field *fields, size_t n, const void *records, size_t n_records,
                      size_t size);
/* Prints a table `figure value` on standard output with a row for each field. */
void cli_fields_print_list(const cli_field *fields, size_t n, const void *record);

#endif

/* JSON results.  Keys keep the order in which they are put; when memory runs out, the program
 * ends. */
#ifndef CLI_SHOW_JSON_OUTPUT_H
#define CLI_SHOW_JSON_OUTPUT_H

#include <jansson.h>
#include <stdio.h>

#include "nln.h"

json_t *cli_json_object(void);
json_t *cli_json_array(void);
/* A new result: the version of the program, and what it is about, such as "model" and its path. */
json_t *cli_json_result(const char *key, const char *text);
/* Both take over the value. */
void cli_json_put(json_t *object, const char *key, json_t *value);
void cli_json_append(json_t *array, json_t *value);

json_t *cli_json_number(double value); /* null unless finite */
json_t *cli_json_count(size_t count);
json_t *cli_json_text(const char *text); /* null for NULL; bytes that are not UTF-8 become ? */
/* The value of an option from its text, by the type of its row. */
json_t *cli_json_option(const nln_option *row, const char *text);
/* Every option with its value. */
json_t *cli_json_options(const nln_options *options);

/* Writes the object and a newline, and releases it; a failed write shows in the stream. */
void cli_json_write(FILE *out, json_t *object);
/* The same to standard output. */
void cli_json_print(json_t *object);

#endif

/* JSON results.  Keys keep the order in which they are put; running out of
 * memory ends the program. */
#ifndef CLI_SHOW_JSON_OUTPUT_H
#define CLI_SHOW_JSON_OUTPUT_H

#include <jansson.h>
#include <stdio.h>

#include "nln.h"

json_t *cli_json_object(void);
json_t *cli_json_array(void);
/* Both take over the value. */
void cli_json_put(json_t *object, const char *key, json_t *value);
void cli_json_append(json_t *array, json_t *value);

json_t *cli_json_number(double value); /* null unless finite */
json_t *cli_json_count(size_t count);
json_t *cli_json_text(const char *text); /* bytes that are not UTF-8 become ? */
/* Every option with its value, as the type of its row. */
json_t *cli_json_options(const nln_options *options);

/* Writes the object and a newline and releases it; that a write failed is left in the stream. */
void cli_json_write(FILE *out, json_t *object);
/* The same on standard output. */
void cli_json_print(json_t *object);

#endif

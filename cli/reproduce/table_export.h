/* Writes a table of results as text, Markdown, LaTeX, CSV, HTML and JSON. */
#ifndef CLI_REPRODUCE_TABLE_EXPORT_H
#define CLI_REPRODUCE_TABLE_EXPORT_H

#include <jansson.h>
#include <stdio.h>

#include "reproduce/result_summary.h"

typedef enum cli_format {
    CLI_FORMAT_TEXT,
    CLI_FORMAT_MARKDOWN,
    CLI_FORMAT_LATEX,
    CLI_FORMAT_CSV,
    CLI_FORMAT_HTML, /* a part of a page, without a heading */
    CLI_N_FORMATS
} cli_format;

/* The ending of a file name, such as ".md". */
const char *cli_table_export_ending(cli_format format);
void cli_table_export_write(FILE *out, const cli_result_summary *sheet, cli_format format);
json_t *cli_table_export_json(const cli_result_summary *sheet);
/* Writes text with the special characters of HTML escaped. */
void cli_table_export_escape(FILE *out, const char *text);

#endif

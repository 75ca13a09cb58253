/* A table of the study on paper: as text, Markdown, LaTeX, CSV and HTML. */
#ifndef CLI_REPRODUCE_TABLE_FORMATS_H
#define CLI_REPRODUCE_TABLE_FORMATS_H

#include <jansson.h>
#include <stdio.h>

#include "reproduce/result_table.h"

typedef enum cli_paper {
    CLI_PAPER_TEXT,
    CLI_PAPER_MARKDOWN,
    CLI_PAPER_LATEX,
    CLI_PAPER_CSV,
    CLI_PAPER_HTML, /* a part of a page, without a heading */
    CLI_N_PAPERS
} cli_paper;

/* Of a file name, such as ".md". */
const char *cli_table_format_ending(cli_paper paper);
void cli_table_format_sheet(FILE *out, const cli_result_table *sheet, cli_paper paper);
json_t *cli_table_format_json(const cli_result_table *sheet);
/* Text as HTML has it. */
void cli_table_format_escape(FILE *out, const char *text);

#endif

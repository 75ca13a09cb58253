/* A table of the study on paper: as text, Markdown, LaTeX, CSV and HTML. */
#ifndef CLI_PRESS_H
#define CLI_PRESS_H

#include <jansson.h>
#include <stdio.h>

#include "study/sheet.h"

typedef enum cli_paper {
    CLI_PAPER_TEXT,
    CLI_PAPER_MARKDOWN,
    CLI_PAPER_LATEX,
    CLI_PAPER_CSV,
    CLI_PAPER_HTML, /* a part of a page, without a heading */
    CLI_N_PAPERS
} cli_paper;

/* Of a file name, such as ".md". */
const char *cli_press_ending(cli_paper paper);
void cli_press_sheet(FILE *out, const cli_sheet *sheet, cli_paper paper);
json_t *cli_press_json(const cli_sheet *sheet);
/* Text as HTML has it. */
void cli_press_escape(FILE *out, const char *text);

#endif

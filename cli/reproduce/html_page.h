/* The head and the style of report.html, and pictures that are part of the page. */
#ifndef CLI_REPRODUCE_HTML_PAGE_H
#define CLI_REPRODUCE_HTML_PAGE_H

#include <stdio.h>

void cli_page_open(FILE *out, const char *title);
void cli_page_close(FILE *out);
/* An SVG file as an image with its description; 0 if it cannot be read. */
int cli_page_picture(FILE *out, const char *path, const char *description);

#endif

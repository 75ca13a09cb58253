/* The lines of a text file: expressions, one on a line, or whole lines. */
#ifndef CLI_SHOW_INPUT_LINES_H
#define CLI_SHOW_INPUT_LINES_H

#include <stddef.h>

typedef struct cli_lines {
    char **text;  /* [n] without line ending; of expressions, no label or trailing blanks */
    long *number; /* [n] where it stands in the file, 1-based */
    size_t n, text_room, number_room;
    int whole;        /* only the line ending is taken off, and there is no header */
    char separator;   /* of the columns, as the header has it; 0 without one */
    int published;    /* the header is that of the published data sets */
    const char *name; /* of the file, for messages */
} cli_lines;

/* Reads a file of plain text, or standard input for "-".  A byte order mark, blank lines and lines
 * that start with # are left out.  Unless whole lines are wanted, so are the header of a data file
 * and a label after a TAB, or after a comma or semicolon if the header has them, and the notation
 * of the published data sets is translated.  Returns an exit code. */
int cli_lines_read(cli_lines *lines, const char *path, int whole);
/* Expressions that were given on the command line; each counts as a line. */
void cli_lines_take(cli_lines *lines, const char *const *expressions, int n);
void cli_lines_free(cli_lines *lines);

#endif

/* A small table of text: cells are added row by row, and columns are as wide as
 * their widest cell, counted in characters of UTF-8. */
#ifndef CLI_SHOW_TEXT_TABLE_H
#define CLI_SHOW_TEXT_TABLE_H

#include <stddef.h>
#include <stdio.h>

typedef struct cli_column {
    const char *title;
    int is_number; /* numbers are aligned to the right */
} cli_column;

typedef struct cli_table {
    const cli_column *columns; /* [n_columns], borrowed */
    size_t n_columns, n_cells, room;
    char **cells; /* [n_cells], row by row */
} cli_table;

void cli_table_open(cli_table *table, const cli_column *columns, size_t n_columns);
void cli_table_close(cli_table *table);
void cli_table_add(cli_table *table, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* A number with this many decimals; NaN, which means unknown, is "-". */
void cli_table_number(cli_table *table, int decimals, double value);
void cli_table_count(cli_table *table, size_t count);
/* Prints the titles and all whole rows. */
void cli_table_print(const cli_table *table, FILE *out);

#endif

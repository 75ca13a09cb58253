/* A file of tab-separated values with a line of column names, all of it in memory. */
#ifndef CLI_SHOW_TSV_FILE_H
#define CLI_SHOW_TSV_FILE_H

#include <stddef.h>
#include <stdio.h>

typedef struct cli_tsv {
    char **cells; /* [n_rows + 1, n_columns]; the first row has the names; missing cells are "" */
    size_t n_rows, n_columns;
} cli_tsv;

/* 0 if the file cannot be read or has no first line; then the rest is empty. */
int cli_tsv_read(cli_tsv *tsv, const char *path);
void cli_tsv_free(cli_tsv *tsv);
/* The column of a name, or -1. */
int cli_tsv_column(const cli_tsv *tsv, const char *name);
/* The cell of a row, 0 being the first below the names; "" for column -1. */
const char *cli_tsv_text(const cli_tsv *tsv, size_t row, int column);
/* The same as a number; NaN if it is not one. */
double cli_tsv_number(const cli_tsv *tsv, size_t row, int column);

/* Writes a cell: tabs and line ends, which would break the file, become blanks. */
void cli_tsv_put_text(FILE *out, const char *text);
/* Writes a tab and a number with 6 digits, or nothing behind the tab for NaN. */
void cli_tsv_put_number(FILE *out, double value);

#endif

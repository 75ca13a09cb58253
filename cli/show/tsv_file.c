#include "show/tsv_file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "allocate.h"

int cli_tsv_read(cli_tsv *tsv, const char *path)
{
    char *line = NULL;
    size_t room = 0, rows_room = 0, row = 0;
    FILE *file = fopen(path, "r");
    int ended;

    *tsv = (cli_tsv){0};
    while (file && getline(&line, &room, file) > 0) {
        for (const char *c = line; row == 0 && c; c = strchr(c, '\t'), c = c ? c + 1 : c)
            tsv->n_columns++;
        tsv->cells =
            cli_memory_grow(tsv->cells, row, &rows_room, tsv->n_columns * sizeof *tsv->cells);
        const char *cell = line;
        for (size_t c = 0; c < tsv->n_columns; c++) { /* extra cells are ignored */
            size_t length = strcspn(cell, "\t\r\n");
            tsv->cells[row * tsv->n_columns + c] = cli_memory_copy(cell, length);
            cell += length + (cell[length] == '\t');
        }
        row++;
    }
    tsv->n_rows = row > 0 ? row - 1 : 0;
    ended = file && feof(file);
    free(line);
    if (file)
        fclose(file);
    if (!ended)
        cli_tsv_free(tsv);
    return ended && row > 0;
}

void cli_tsv_free(cli_tsv *tsv)
{
    for (size_t i = 0; tsv->cells && i < (tsv->n_rows + 1) * tsv->n_columns; i++)
        free(tsv->cells[i]);
    free(tsv->cells);
    *tsv = (cli_tsv){0};
}

int cli_tsv_column(const cli_tsv *tsv, const char *name)
{
    for (size_t c = 0; tsv->cells && c < tsv->n_columns; c++)
        if (strcmp(tsv->cells[c], name) == 0)
            return (int)c;
    return -1;
}

const char *cli_tsv_text(const cli_tsv *tsv, size_t row, int column)
{
    return column < 0 ? "" : tsv->cells[(row + 1) * tsv->n_columns + (size_t)column];
}

double cli_tsv_number(const cli_tsv *tsv, size_t row, int column)
{
    const char *text = cli_tsv_text(tsv, row, column);
    char *end = NULL;
    double value = strtod(text, &end);
    return end == text || *end ? NAN : value;
}

void cli_tsv_put_text(FILE *out, const char *text)
{
    for (const char *c = text; *c; c++)
        putc((unsigned char)*c < 0x20 ? ' ' : *c, out);
}

void cli_tsv_put_number(FILE *out, double value)
{
    putc('\t', out);
    if (!isnan(value))
        fprintf(out, "%.6g", value);
}

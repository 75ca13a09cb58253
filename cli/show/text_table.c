#include "show/text_table.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>

#include "allocate.h"
#include "show/terminal.h"

void cli_table_open(cli_table *table, const cli_column *columns, size_t n_columns)
{
    *table = (cli_table){.columns = columns, .n_columns = n_columns};
}

void cli_table_close(cli_table *table)
{
    for (size_t i = 0; i < table->n_cells; i++)
        free(table->cells[i]);
    free(table->cells);
    *table = (cli_table){0};
}

void cli_table_add(cli_table *table, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int length = vsnprintf(NULL, 0, format, args);
    size_t room = length < 0 ? 1 : (size_t)length + 1;
    char *cell = cli_memory_resize(NULL, room, 1);
    cell[0] = '\0';
    vsnprintf(cell, room, format, again);
    va_end(again);
    va_end(args);
    table->cells =
        cli_memory_grow(table->cells, table->n_cells, &table->room, sizeof *table->cells);
    table->cells[table->n_cells++] = cell;
}

void cli_table_number(cli_table *table, int decimals, double value)
{
    if (isnan(value))
        cli_table_add(table, "-");
    else
        cli_table_add(table, "%.*f", decimals, value);
}

void cli_table_count(cli_table *table, size_t count)
{
    cli_table_add(table, "%zu", count);
}

/* Bytes of the form 10xxxxxx continue a character of UTF-8. */
static size_t width_of(const char *text)
{
    size_t width = 0;
    for (; *text; text++)
        width += ((unsigned char)*text & 0xc0) != 0x80;
    return width;
}

static void print_cell(FILE *out, const char *text, size_t width, int right, int last)
{
    int pad = (int)(width - width_of(text));
    if (right)
        fprintf(out, "%*s%s", pad, "", text);
    else
        fprintf(out, "%s%*s", text, last ? 0 : pad, "");
    fputs(last ? "\n" : "  ", out);
}

void cli_table_print(const cli_table *table, FILE *out)
{
    size_t n = table->n_columns, n_rows = table->n_cells / n;
    size_t *widths = cli_memory_resize(NULL, n, sizeof *widths);

    for (size_t c = 0; c < n; c++)
        widths[c] = width_of(table->columns[c].title);
    for (size_t i = 0; i < table->n_cells; i++) {
        size_t width = width_of(table->cells[i]);
        widths[i % n] = width > widths[i % n] ? width : widths[i % n];
    }
    fputs(cli_terminal_ink(out, CLI_BOLD), out);
    for (size_t c = 0; c < n; c++)
        print_cell(out, table->columns[c].title, widths[c], table->columns[c].is_number,
                   c + 1 == n);
    fputs(cli_terminal_ink(out, CLI_PLAIN), out);
    for (size_t i = 0; i < n_rows * n; i++) {
        size_t c = i % n;
        print_cell(out, table->cells[i], widths[c], table->columns[c].is_number, c + 1 == n);
    }
    free(widths);
}

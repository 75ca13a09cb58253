#include "show/vector_files.h"

#include <stdint.h>
#include <string.h>

#include "show/figure.h"

/* ---- NumPy ------------------------------------------------------------------------ */

enum { NPY_START = 10, NPY_ALIGNMENT = 64 }; /* bytes before the header's text, and of a block */

static char byte_order(void)
{
    const uint16_t one = 1;
    return *(const unsigned char *)&one ? '<' : '>';
}

/* Version 1.0: the text is padded so that the numbers start at a multiple of 64 bytes. */
void cli_vectors_npy(FILE *out, const cli_vectors *v)
{
    char text[128];
    int length = snprintf(text, sizeof text,
                          "{'descr': '%cf4', 'fortran_order': False, 'shape': (%zu, %zu), }",
                          byte_order(), v->n, v->length);
    int blocks = (NPY_START + length + 1 + NPY_ALIGNMENT - 1) / NPY_ALIGNMENT;
    int padded = blocks * NPY_ALIGNMENT - NPY_START;

    fwrite("\x93NUMPY\x01\x00", 1, 8, out);
    putc(padded & 0xff, out);
    putc(padded >> 8, out);
    fprintf(out, "%-*s\n", padded - 1, text);
    fwrite(v->data, sizeof *v->data, v->n * v->length, out);
}

/* ---- text ------------------------------------------------------------------------- */

static void put_numbers(FILE *out, const cli_vectors *v, size_t i, char separator)
{
    for (size_t j = 0; j < v->length; j++)
        fprintf(out, "%c%.9g", separator, (double)v->data[i * v->length + j]);
    putc('\n', out);
}

void cli_vectors_tsv(FILE *out, const cli_vectors *v, int header)
{
    if (header) {
        fputs("name", out);
        for (size_t j = 0; j < v->length; j++)
            fprintf(out, "\tx%zu", j + 1);
        putc('\n', out);
    }
    for (size_t i = 0; i < v->n; i++) {
        cli_figure_cell(out, nln_model_variable(v->model, i));
        put_numbers(out, v, i, '\t');
    }
}

void cli_vectors_names(FILE *out, const cli_vectors *v)
{
    for (size_t i = 0; i < v->n; i++) {
        cli_figure_cell(out, nln_model_variable(v->model, i));
        putc('\n', out);
    }
}

/* ---- word2vec ----------------------------------------------------------------------- */

/* Whatever some reader of the format takes for the end of a word, in UTF-8. */
static const char *const spaces[] = {"\xC2\x85",     "\xC2\xA0",     "\xE1\x9A\x80", "\xE2\x80\x80",
                                     "\xE2\x80\x81", "\xE2\x80\x82", "\xE2\x80\x83", "\xE2\x80\x84",
                                     "\xE2\x80\x85", "\xE2\x80\x86", "\xE2\x80\x87", "\xE2\x80\x88",
                                     "\xE2\x80\x89", "\xE2\x80\x8A", "\xE2\x80\xA8", "\xE2\x80\xA9",
                                     "\xE2\x80\xAF", "\xE2\x81\x9F", "\xE3\x80\x80"};

/* The bytes of the space that the text starts with; 0 when it starts with none. */
static size_t space_at(const char *text)
{
    if ((unsigned char)*text <= ' ' || *text == 0x7f)
        return *text != '\0';
    for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++)
        if (strncmp(text, spaces[i], strlen(spaces[i])) == 0)
            return strlen(spaces[i]);
    return 0;
}

/* Returns whether the name had to be changed. */
static int put_word(FILE *out, const char *name)
{
    int changed = 0;

    while (*name) {
        size_t length = space_at(name);
        putc(length ? '_' : *name, out);
        name += length ? length : 1;
        changed = changed || length;
    }
    return changed;
}

size_t cli_vectors_word2vec(FILE *out, const cli_vectors *v)
{
    size_t n_changed = 0;

    fprintf(out, "%zu %zu\n", v->n, v->length);
    for (size_t i = 0; i < v->n; i++) {
        n_changed += (size_t)put_word(out, nln_model_variable(v->model, i));
        put_numbers(out, v, i, ' ');
    }
    return n_changed;
}

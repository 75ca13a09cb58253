/* nln export: writes the vectors of a model's variables for other programs. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "allocate.h"
#include "command_line.h"
#include "messages.h"
#include "show/output_file.h"
#include "show/struct_fields.h"
#include "show/tsv_file.h"

/* In the order of the choices of --format. */
typedef enum form { AUTO, NPY, TSV, WORD2VEC } form;
static const char *const formats[] = {"auto", "npy", "tsv", "word2vec"};

static const struct {
    const char *ending;
    form form;
} endings[] = {{".npy", NPY}, {".tsv", TSV}, {".txt", WORD2VEC}, {".vec", WORD2VEC}};

typedef struct export
{
    const nln_model *model;
    size_t n, length;
    float *data; /* [n, length] */
    form format;
    const char *out, *format_name;
    char *names; /* the file for the names, or NULL */
    int to_stdout;
    size_t n_changed; /* names that the format cannot hold */
}
export;

static const cli_field fields[] = {
    CLI_FIELD(export, out, TEXT, "out", NULL, 0),
    CLI_FIELD(export, format_name, TEXT, "format", NULL, 0),
    CLI_FIELD(export, names, TEXT, "names", NULL, 0),
    CLI_FIELD(export, n, COUNT, "variables", NULL, 0),
    CLI_FIELD(export, length, COUNT, "vector_length", NULL, 0),
    CLI_FIELD(export, n_changed, COUNT, "changed_names", NULL, 0),
};

/* ---- the command line ------------------------------------------------------------ */

static int has_ending(const char *path, const char *ending)
{
    size_t length = strlen(path), tail = strlen(ending);
    return length > tail && strcmp(path + length - tail, ending) == 0;
}

/* The file for the names: --names or, for an array in a file, OUT with .names.tsv in place of
 * .npy; NULL for none. */
static char *names_path(const cli_call *call, const export *e)
{
    const char *given = cli_call_text(call, "names");
    size_t length = strlen(e->out) - (has_ending(e->out, ".npy") ? strlen(".npy") : 0);

    if (given[0])
        return cli_memory_copy(given, strlen(given));
    if (e->format != NPY || e->to_stdout)
        return NULL;
    return cli_memory_print("%.*s.names.tsv", (int)length, e->out);
}

static int check(export *e, const cli_call *call)
{
    e->out = cli_call_text(call, "out");
    e->to_stdout = strcmp(e->out, "-") == 0;
    e->format = (form)nln_options_number(call->options, "format");
    for (size_t i = 0; e->format == AUTO && i < CLI_COUNT(endings); i++)
        if (has_ending(e->out, endings[i].ending))
            e->format = endings[i].form;
    if (e->format == AUTO)
        return cli_message_usage("--out %s does not tell a format by its ending (.npy, .tsv, .txt, "
                                 ".vec); give --format",
                                 e->out);
    if (cli_call_flag(call, "header") && e->format != TSV)
        return cli_message_usage("--header is for --format tsv");
    if (cli_call_flag(call, "json") && e->to_stdout)
        return cli_message_usage("--json and --out - do not go together: both are for standard "
                                 "output");
    e->names = names_path(call, e);
    const cli_named_path paths[] = {{"--out", e->to_stdout ? NULL : e->out, 0},
                                    {"--names", e->names, 0},
                                    {"MODEL", call->operands[0], 1},
                                    {"--config", cli_call_text(call, "config"), 1}};
    int code = cli_file_apart(paths, sizeof paths / sizeof *paths);
    if (!code && !e->to_stdout)
        code = cli_file_try(e->out, "--out");
    return !code && e->names ? cli_file_try(e->names, "--names") : code;
}

/* ---- formats ---------------------------------------------------------------------- */

/* An array [n, length] of NumPy, version 1.0: the header is padded so that the numbers start at a
 * multiple of 64 bytes. */
static void write_npy(FILE *out, const export *e)
{
    enum { START = 10, ALIGNMENT = 64 }; /* bytes before the header's text, and of a block */
    const uint16_t one = 1;
    char text[128], byte_order = *(const unsigned char *)&one ? '<' : '>';
    int length = snprintf(text, sizeof text,
                          "{'descr': '%cf4', 'fortran_order': False, 'shape': (%zu, %zu), }",
                          byte_order, e->n, e->length);
    int blocks = (START + length + 1 + ALIGNMENT - 1) / ALIGNMENT;
    int padded = blocks * ALIGNMENT - START;

    fwrite("\x93NUMPY\x01\x00", 1, 8, out);
    putc(padded & 0xff, out);
    putc(padded >> 8, out);
    fprintf(out, "%-*s\n", padded - 1, text);
    fwrite(e->data, sizeof *e->data, e->n * e->length, out);
}

/* Nine digits, from which the same float can be read. */
static void put_numbers(FILE *out, const export *e, size_t i, char separator)
{
    for (size_t j = 0; j < e->length; j++)
        fprintf(out, "%c%.9g", separator, (double)e->data[i * e->length + j]);
    putc('\n', out);
}

/* name<TAB>number<TAB>...; `header` adds a line name, x1, x2, ... */
static void write_tsv(FILE *out, const export *e, int header)
{
    if (header) {
        fputs("name", out);
        for (size_t j = 0; j < e->length; j++)
            fprintf(out, "\tx%zu", j + 1);
        putc('\n', out);
    }
    for (size_t i = 0; i < e->n; i++) {
        cli_tsv_put_text(out, nln_model_variable(e->model, i));
        put_numbers(out, e, i, '\t');
    }
}

/* Everything that some reader of word2vec takes for the end of a word, in UTF-8. */
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

/* Returns the number of names whose spaces became _. */
static size_t write_word2vec(FILE *out, const export *e)
{
    size_t n_changed = 0;

    fprintf(out, "%zu %zu\n", e->n, e->length);
    for (size_t i = 0; i < e->n; i++) {
        size_t changed = 0;
        for (const char *name = nln_model_variable(e->model, i); *name;) {
            size_t length = space_at(name);
            putc(length ? '_' : *name, out);
            name += length ? length : 1;
            changed |= length;
        }
        n_changed += changed != 0;
        put_numbers(out, e, i, ' ');
    }
    return n_changed;
}

/* ---- writing ---------------------------------------------------------------------- */

static void write_vectors(export *e, FILE *out, int header)
{
    if (e->format == NPY)
        write_npy(out, e);
    else if (e->format == TSV)
        write_tsv(out, e, header);
    else
        e->n_changed = write_word2vec(out, e);
}

/* The vectors come last: where they are, the names are too. */
static int write_files(export *e, int header)
{
    cli_file file;
    int code = CLI_OK;

    if (e->names && !(code = cli_file_open(&file, e->names, "--names"))) {
        for (size_t i = 0; i < e->n; i++) {
            cli_tsv_put_text(file.stream, nln_model_variable(e->model, i));
            putc('\n', file.stream);
        }
        code = cli_file_finish(&file);
    }
    if (!code && e->to_stdout) {
        write_vectors(e, stdout, header);
        return CLI_OK;
    }
    if (!code)
        code = cli_file_open(&file, e->out, "--out");
    if (code)
        return code;
    write_vectors(e, file.stream, header);
    return cli_file_finish(&file);
}

static int get_vectors(export *e, const char *path)
{
    nln_error err = {0};

    e->n = nln_model_variables(e->model);
    e->length = nln_model_vector_length(e->model);
    e->data = cli_memory_resize(NULL, e->n, e->length * sizeof *e->data);
    if (!nln_model_embedding(e->data, e->model, &err))
        return CLI_OK;
    if (!err.file[0])
        snprintf(err.file, sizeof err.file, "%s", path);
    return cli_message_error(&err);
}

int cli_export(const cli_call *call)
{
    nln_error err = {0};
    nln_model *model = NULL;
    export e = {0};
    int code = check(&e, call);

    if (!code && nln_model_load(&model, call->operands[0], &err))
        code = cli_message_error(&err);
    e.model = model;
    e.format_name = formats[e.format];
    if (!code)
        code = get_vectors(&e, call->operands[0]);
    if (!code)
        code = write_files(&e, cli_call_flag(call, "header"));
    if (!code && e.n_changed && !cli_call_flag(call, "quiet"))
        cli_message_note("%zu names have spaces, which word2vec cannot hold; they are written as _",
                         e.n_changed);
    if (!code && cli_call_flag(call, "json")) {
        json_t *object = cli_json_result("model", call->operands[0]);
        cli_fields_put(object, fields, CLI_COUNT(fields), &e);
        cli_json_print(object);
    } else if (!code && !e.to_stdout) {
        printf("%zu vectors of %zu numbers; written to %s%s%s\n", e.n, e.length, e.out,
               e.names ? ", names to " : "", e.names ? e.names : "");
    }
    free(e.data);
    free(e.names);
    nln_model_free(model);
    return code;
}

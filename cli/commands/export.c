/* nln export: the vectors of a model's variables, for other programs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "allocate.h"
#include "command_line.h"
#include "messages.h"
#include "show/files.h"
#include "show/json_output.h"
#include "show/vector_files.h"

/* In the order of the choices of --format. */
typedef enum form { AUTO, NPY, TSV, WORD2VEC } form;

static const struct {
    const char *ending;
    form form;
} endings[] = {{".npy", NPY}, {".tsv", TSV}, {".txt", WORD2VEC}, {".vec", WORD2VEC}};

typedef struct plan {
    form form;
    const char *out;
    char *names; /* the file for the names, or NULL */
    int to_stdout;
    size_t n_changed; /* names that the format cannot hold */
} plan;

static int has_ending(const char *path, const char *ending)
{
    size_t length = strlen(path), tail = strlen(ending);
    return length > tail && strcmp(path + length - tail, ending) == 0;
}

/* ---- what is asked for -------------------------------------------------------------- */

static form form_of(const cli_call *call)
{
    form found = (form)nln_options_number(call->options, "format");
    const char *out = cli_call_text(call, "out");

    for (size_t i = 0; found == AUTO && i < sizeof endings / sizeof *endings; i++)
        if (has_ending(out, endings[i].ending))
            found = endings[i].form;
    return found;
}

/* What --names says or, for an array in a file, OUT with .names.tsv in place of .npy. */
static char *names_path(const cli_call *call, const plan *p)
{
    static const char ending[] = ".names.tsv";
    const char *given = cli_call_text(call, "names");
    size_t length = strlen(p->out) - (has_ending(p->out, ".npy") ? strlen(".npy") : 0);

    if (given[0])
        return cli_memory_copy(given, strlen(given));
    if (p->form != NPY || p->to_stdout)
        return NULL;
    char *path = cli_memory_resize(NULL, length + sizeof ending, 1);
    memcpy(path, p->out, length);
    memcpy(path + length, ending, sizeof ending);
    return path;
}

static int read_plan(plan *p, const cli_call *call)
{
    p->out = cli_call_text(call, "out");
    p->to_stdout = strcmp(p->out, "-") == 0;
    p->form = form_of(call);
    if (p->form == AUTO)
        return cli_message_usage("--out %s does not tell a format by its ending (.npy, .tsv, .txt, "
                                 ".vec); give --format",
                                 p->out);
    if (cli_call_flag(call, "header") && p->form != TSV)
        return cli_message_usage("--header is for --format tsv");
    if (cli_call_flag(call, "json") && p->to_stdout)
        return cli_message_usage("--json and --out - do not go together: both are for standard "
                                 "output");
    p->names = names_path(call, p);
    const cli_named_path paths[] = {{"--out", p->to_stdout ? NULL : p->out, 0},
                                    {"--names", p->names, 0},
                                    {"MODEL", call->operands[0], 1},
                                    {"--config", cli_call_text(call, "config"), 1}};
    int code = cli_file_apart(paths, sizeof paths / sizeof *paths);
    if (!code && !p->to_stdout)
        code = cli_file_try(p->out, "--out");
    return !code && p->names ? cli_file_try(p->names, "--names") : code;
}

/* ---- doing it ------------------------------------------------------------------------ */

static void write_vectors(plan *p, FILE *out, const cli_vectors *v, int header)
{
    if (p->form == NPY)
        cli_vectors_npy(out, v);
    else if (p->form == TSV)
        cli_vectors_tsv(out, v, header);
    else
        p->n_changed = cli_vectors_word2vec(out, v);
}

static int write_names(const plan *p, const cli_vectors *v)
{
    cli_file file;
    int code = cli_file_open(&file, p->names, "--names");

    if (code)
        return code;
    cli_vectors_names(file.stream, v);
    return cli_file_finish(&file);
}

/* The vectors come last: where they are, the names are too. */
static int write_files(plan *p, const cli_call *call, const cli_vectors *v)
{
    int header = cli_call_flag(call, "header");
    int code = p->names ? write_names(p, v) : CLI_OK;
    cli_file file;

    if (!code && p->to_stdout) {
        write_vectors(p, stdout, v, header);
        return CLI_OK;
    }
    if (!code)
        code = cli_file_open(&file, p->out, "--out");
    if (code)
        return code;
    write_vectors(p, file.stream, v, header);
    return cli_file_finish(&file);
}

static int get_vectors(cli_vectors *v, const char *path)
{
    nln_error err = {0};

    v->n = nln_model_variables(v->model);
    v->length = nln_model_vector_length(v->model);
    v->data = cli_memory_resize(NULL, v->n, v->length * sizeof *v->data);
    if (!nln_model_embedding(v->data, v->model, &err))
        return CLI_OK;
    if (!err.file[0])
        snprintf(err.file, sizeof err.file, "%s", path);
    return cli_message_error(&err);
}

/* ---- telling about it ---------------------------------------------------------------- */

static void print_json(const cli_call *call, const plan *p, const cli_vectors *v)
{
    static const char *const formats[] = {"auto", "npy", "tsv", "word2vec"};
    json_t *object = cli_json_object();

    cli_json_put(object, "version", cli_json_text(nln_version()));
    cli_json_put(object, "model", cli_json_text(call->operands[0]));
    cli_json_put(object, "out", cli_json_text(p->out));
    cli_json_put(object, "format", cli_json_text(formats[p->form]));
    cli_json_put(object, "names", p->names ? cli_json_text(p->names) : json_null());
    cli_json_put(object, "variables", cli_json_count(v->n));
    cli_json_put(object, "vector_length", cli_json_count(v->length));
    cli_json_put(object, "changed_names", cli_json_count(p->n_changed));
    cli_json_print(object);
}

static void print_line(const plan *p, const cli_vectors *v)
{
    printf("%zu vectors of %zu numbers; written to %s%s%s\n", v->n, v->length, p->out,
           p->names ? ", names to " : "", p->names ? p->names : "");
}

static int export(plan *p, const cli_call *call, cli_vectors *v)
{
    int code = get_vectors(v, call->operands[0]);
    if (!code)
        code = write_files(p, call, v);
    if (!code && p->n_changed && !cli_call_flag(call, "quiet"))
        cli_message_note("%zu names have spaces, which word2vec cannot hold; they are written as _",
                         p->n_changed);
    if (!code && cli_call_flag(call, "json"))
        print_json(call, p, v);
    else if (!code && !p->to_stdout)
        print_line(p, v);
    return code;
}

int cli_export(const cli_call *call)
{
    nln_error err = {0};
    nln_model *model = NULL;
    cli_vectors v = {0};
    plan p = {0};
    int code = read_plan(&p, call);

    if (!code && nln_model_load(&model, call->operands[0], &err))
        code = cli_message_error(&err);
    v.model = model;
    if (!code)
        code = export(&p, call, &v);
    free(v.data);
    free(p.names);
    nln_model_free(model);
    return code;
}

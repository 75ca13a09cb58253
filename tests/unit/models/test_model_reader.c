/* A model file is data from a stranger: one file made by hand for each rule that it may break.
 * Each is refused with a sentence, under a limit on memory that is a few times its size, whatever
 * size it claims.  test_safetensors.c has more of the container, and test_users.c of users. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <jansson.h>
#include <malloc.h>
#include <math.h>

#include "models/model_file.h"
#include "scratch.h"
#include "tiny.h"

/* Two good files.  In their headers ' stands for ", and ` for the \" of JSON within JSON. */

/* Two items, and what two users liked and disliked. */
static const char ratings[] =
    "{'__metadata__': {'kind': 'nln', 'temperature': '1',"
    " 'options': '{`model`: `popularity`, `task`: `topk`}',"
    " 'variables': '[`tea`, `cup`]', 'users': '[`ann`, `bob`]'},"
    " 'items.score': {'dtype': 'F32', 'shape': [2], 'data_offsets': [0, 8]},"
    " 'users.length': {'dtype': 'F32', 'shape': [2], 'data_offsets': [8, 16]},"
    " 'users.literal': {'dtype': 'F32', 'shape': [3], 'data_offsets': [16, 28]}}";
enum { SCORES = 0, LENGTHS = 2, LITERALS = 4, N_RATINGS = 7 };
static const float ratings_data[N_RATINGS] = {0.5f, 0.25f, 2, 1, 1, -2, 2};

/* A network of two dimensions that knows one variable. */
static const char network[] =
    "{'__metadata__': {'kind': 'nln', 'temperature': '1', 'variables': '[`a`]',"
    " 'options': '{`dimension`: `2`, `members`: `1`, `embedding`: `free`}'},"
    " 'not.in': {'dtype': 'F32', 'shape': [2, 2], 'data_offsets': [0, 16]},"
    " 'not.bias': {'dtype': 'F32', 'shape': [2], 'data_offsets': [16, 24]},"
    " 'not.out': {'dtype': 'F32', 'shape': [2, 2], 'data_offsets': [24, 40]},"
    " 'and.in': {'dtype': 'F32', 'shape': [4, 2], 'data_offsets': [40, 72]},"
    " 'and.bias': {'dtype': 'F32', 'shape': [2], 'data_offsets': [72, 80]},"
    " 'and.out': {'dtype': 'F32', 'shape': [2, 2], 'data_offsets': [80, 96]},"
    " 'or.in': {'dtype': 'F32', 'shape': [4, 2], 'data_offsets': [96, 128]},"
    " 'or.bias': {'dtype': 'F32', 'shape': [2], 'data_offsets': [128, 136]},"
    " 'or.out': {'dtype': 'F32', 'shape': [2, 2], 'data_offsets': [136, 152]},"
    " 'true': {'dtype': 'F32', 'shape': [2], 'data_offsets': [152, 160]},"
    " 'variables.vector': {'dtype': 'F32', 'shape': [2], 'data_offsets': [160, 168]}}";
enum { N_NETWORK = 42 };

/* ---- making and loading files ------------------------------------------------------- */

/* The header with the first `from` replaced by `to`, as JSON. */
static char *spell(size_t *n, const char *header, const char *from, const char *to)
{
    const char *at = strstr(header, from);
    char *plain = malloc(strlen(header) + strlen(to) + 1),
         *json = malloc(2 * strlen(header) + 2 * strlen(to) + 1);
    if (!at)
        fail_msg("the header has no %s", from);
    sprintf(plain, "%.*s%s%s", (int)(at - header), header, to, at + strlen(from));
    *n = 0;
    for (const char *c = plain; *c; c++) {
        if (*c == '`')
            json[(*n)++] = '\\';
        json[(*n)++] = *c == '\'' || *c == '`' ? '"' : *c;
    }
    free(plain);
    return json;
}

static const char *write_file(size_t *n_bytes, const char *json, size_t n, const float *data,
                              size_t n_data)
{
    char *bytes = calloc(8 + n + n_data * sizeof *data, 1);
    for (int i = 0; i < 8; i++)
        bytes[i] = (char)((uint64_t)n >> (8 * i));
    memcpy(bytes + 8, json, n);
    for (size_t i = 0; i < 4 * n_data; i++) { /* the least byte of a number first */
        uint32_t x;
        memcpy(&x, data + i / 4, sizeof x);
        bytes[8 + n + i] = (char)(x >> (8 * (i % 4)) & 0xff);
    }
    *n_bytes = 8 + n + n_data * sizeof *data;
    const char *path = scratch_bytes("model", bytes, *n_bytes);
    free(bytes);
    return path;
}

/* What jansson has taken, which the library's own count does not know. */
static size_t parsed, most_parsed;

static void *take(size_t n)
{
    void *block = malloc(n);
    parsed += malloc_usable_size(block);
    most_parsed = parsed > most_parsed ? parsed : most_parsed;
    return block;
}

static void give(void *block)
{
    parsed -= malloc_usable_size(block);
    free(block);
}

/* Loads a file of that size with no more memory than some times that, and what options take. */
static nln_status load(nln_model **model, const char *path, size_t n_bytes, nln_error *err)
{
    enum { TIMES = 8, OPTIONS = 20000 };
    *model = NULL;
    most_parsed = 0;
    nln_memory_limit(nln_memory_used() + OPTIONS + TIMES * n_bytes);
    nln_status status = nln_model_load(model, path, err);
    nln_memory_limit(0);
    assert_in_range(most_parsed, 0, OPTIONS + TIMES * n_bytes);
    return status;
}

static void expect(const char *header, const char *from, const char *to, const float *data,
                   size_t n_data, nln_status status, const char *message)
{
    nln_model *model;
    nln_error err = {0};
    size_t n, n_bytes, before = nln_memory_used();
    char *json = spell(&n, header, from, to);
    const char *path = write_file(&n_bytes, json, n, data, n_data);
    if (load(&model, path, n_bytes, &err) != status || !strstr(err.message, message))
        fail_msg("%s -> %.200s: %s", from, to, err.message);
    assert_int_equal(model != NULL, status == NLN_OK);
    if (status && !strstr(err.message, path) && strcmp(err.file, path) != 0)
        fail_msg("%s -> %.200s: the file is not named in: %s", from, to, err.message);
    nln_model_free(model);
    assert_int_equal(nln_memory_used(), before);
    free(json);
}

/* ---- the rules ------------------------------------------------------------------------- */

typedef struct rule {
    const char *from, *to;
    nln_status status;
    const char *message;
} rule;

static void expect_all(const char *header, const float *data, size_t n_data, const rule *rules,
                       size_t n)
{
    for (size_t i = 0; i < n; i++)
        expect(header, rules[i].from, rules[i].to, data, n_data, rules[i].status, rules[i].message);
}

#define COUNT(table) (sizeof(table) / sizeof *(table))

static void what_is_good_is_taken(void **state)
{
    (void)state;
    static const float zeros[N_NETWORK] = {0};
    static const rule rules[] = {
        {"'kind'", "'colour': 'red', 'kind'", NLN_OK, ""},
        {"`topk`}", "`topk`, `history`: `1000`}", NLN_OK, ""},
        {"`tea`", "`\\\\u00e9 \\\\ud83d\\\\ude00`", NLN_OK, ""},
        {"'kind'", "'reading': 'nlr 1 stars', 'kind'", NLN_OK, ""},
    };
    expect_all(ratings, ratings_data, N_RATINGS, rules, COUNT(rules));
    expect(network, "'kind'", "'kind'", zeros, N_NETWORK, NLN_OK, "");
}

static void headers(void **state)
{
    (void)state;
    static const rule rules[] = {
        {"{'__", "['__", NLN_FORMAT, "not valid JSON"},
        {"'items.score'", "'\xff'", NLN_FORMAT, "not valid JSON"},
        {"'items.score'", "'users.length'", NLN_FORMAT, "duplicate"},
        {"'kind': 'nln'", "'kind': 'nln', 'kind': 'nln'", NLN_FORMAT, "duplicate"},
        {"'F32'", "'F64'", NLN_FORMAT, "neither of type F32"},
        {"'F32'", "'I32'", NLN_FORMAT, "tensors do not fit its options"},
        {"'F32'", "'F32', 'dtype': 'F32'", NLN_FORMAT, "duplicate"},
        {"'shape': [2]", "'shape': [2, 2]", NLN_FORMAT, "does not fit its data_offsets"},
        {"'shape': [2]", "'shape': [4611686018427387905]", NLN_FORMAT, "too large"},
        {"'shape': [2]", "'shape': [4294967296, 4294967297]", NLN_FORMAT, "too large"},
        {"'shape': [2]", "'shape': [1e400]", NLN_FORMAT, "not valid JSON"},
        {"'shape': [2]", "'shape': [18446744073709551618]", NLN_FORMAT, "not valid JSON"},
        {"'shape': [2]", "'shape': [-2]", NLN_FORMAT, "whole numbers"},
        {"[0, 8]", "[0, 4294967304]", NLN_FORMAT, "beyond the end"},
        {"[0, 8]", "[8, 16]", NLN_FORMAT, "belong to no tensor"},
        {"[8, 16]", "[4, 12]", NLN_FORMAT, "overlaps"},
        {"[8, 16]", "[16, 8]", NLN_FORMAT, "ends before it begins"},
        {"'kind': 'nln'", "'kind': 'pt'", NLN_FORMAT, "not written by nln"},
        {"`topk`", "`logic`", NLN_INVALID, "cannot do task logic"},
        {"'temperature': '1'", "'temperature': 1", NLN_FORMAT, "not a string"},
        {"'temperature': '1'", "'temperature': '1e300'", NLN_FORMAT, "temperature"},
        {"'temperature': '1'", "'temperature': 'nan'", NLN_FORMAT, "temperature"},
    };
    expect_all(ratings, ratings_data, N_RATINGS, rules, COUNT(rules));
}

static void options(void **state)
{
    (void)state;
    static const float zeros[N_NETWORK] = {0};
    static const rule rules[] = {
        {"{`dim", "[`dim", NLN_FORMAT, "options are missing or no object"},
        {"`2`", "`2`, `dimension`: `2`", NLN_FORMAT, "options are missing or no object"},
        {"`members`", "`normal-form`: `dnf`, `normal_form`: `dnf`, `members`", NLN_FORMAT, "twice"},
        {"`2`", "2", NLN_FORMAT, "not a string"},
        {"`2`", "`2\\\\u0000`", NLN_FORMAT, "options are missing or no object"},
        {"`2`", "`1e9`", NLN_INVALID, "--dimension must be a whole number from 1 to 4096"},
        {"`2`", "`1000000000`", NLN_INVALID, "--dimension must be a whole number from 1 to 4096"},
        {"`2`", "`4096`", NLN_FORMAT, "tensors do not fit its options"},
        {"`2`", "`2`, `hidden`: `16384`", NLN_FORMAT, "tensors do not fit its options"},
        {"`2`", "`2`, `hidden`: `99999999999999999999`", NLN_INVALID, "--hidden must be"},
        {"`members`: `1`", "`members`: `1000000000`", NLN_INVALID, "--members must be"},
        {"`members`: `1`", "`members`: `64`", NLN_FORMAT, "tensors do not fit its options"},
        {"`members`: `1`", "`members`: `1`, `networks`: `1`", NLN_OK, ""},
        {"`members`: `1`", "`members`: `1`, `beta1`: `0.9`, `init-true`: `1`", NLN_OK, ""},
        {"`members`: `1`", "`members`: `1`, `networks`: `9`", NLN_INVALID, "--networks must be"},
        {"`members`: `1`", "`members`: `1`, `networks`: `2`", NLN_FORMAT, "tensors do not fit"},
        {"`members`: `1`", "`members`: `1`, `threads`: `1024`", NLN_FORMAT, "number of threads"},
        {"`members`: `1`", "`members`: `1`, `alpha`: `inf`", NLN_INVALID, "--alpha must be"},
        {"`members`: `1`", "`members`: `1`, `alpha`: `nan`", NLN_INVALID, "--alpha must be"},
        {"`members`: `1`", "`members`: `1`, `colour`: `red`", NLN_UNKNOWN, "no option --colour"},
        {"`members`: `1`", "`members`: `1`, `laws`: `murphy`", NLN_INVALID, "the law 'murphy'"},
        {"`free`", "`arc`", NLN_FORMAT, "tensors do not fit its options"},
        {"`free`", "`free`, `model`: `ease`, `task`: `topk`", NLN_FORMAT, "tensors do not fit"},
        {"`free`", "`free`, `model`: `ncf`, `task`: `topk`", NLN_FORMAT, "lost its users"},
        {"`free`", "`free`, `model`: `bilstm`", NLN_FORMAT, "tensors do not fit its options"},
        {"'not.out'", "'not.on'", NLN_FORMAT, "'not.out' is missing"},
    };
    expect_all(network, zeros, N_NETWORK, rules, COUNT(rules));
}

static void names(void **state)
{
    (void)state;
    static const rule rules[] = {
        {"'[`tea`, `cup`]'", "''", NLN_FORMAT, "no list of names"},
        {"'[`tea`, `cup`]'", "'{`tea`: `cup`}'", NLN_FORMAT, "no list of names"},
        {"'[`tea`, `cup`]'", "'[]'", NLN_FORMAT, "histories of its users make no sense"},
        {"'[`ann`, `bob`]'", "'[]'", NLN_FORMAT, "histories of its users make no sense"},
        {"`tea`", "`cup`", NLN_FORMAT, "two names in it are the same"},
        {"`tea`", "``", NLN_FORMAT, "not a text"},
        {"`tea`", "7", NLN_FORMAT, "not a text"},
        {"`tea`", "[`tea`]", NLN_FORMAT, "no list of names"},
        {"`tea`", "`t\\\\u0000a`", NLN_FORMAT, "no list of names"},
        {"`tea`", "`\\\\ud800`", NLN_FORMAT, "no list of names"},
        {"`tea`", "`\xc3\x28`", NLN_FORMAT, "not valid JSON"},
        {"`tea`, ", "", NLN_FORMAT, "histories of its users make no sense"},
        {"`ann`", "`bob`", NLN_FORMAT, "two names in it are the same"},
        {"`bob`]", "`bob`, `eve`]", NLN_FORMAT, "histories of its users make no sense"},
        {"'users.length'", "'users.size'", NLN_FORMAT, "histories of its users make no sense"},
        {"`tea`,", "`tea`, `pot`,", NLN_FORMAT, "tensors do not fit its options"},
    };
    expect_all(ratings, ratings_data, N_RATINGS, rules, COUNT(rules));
}

static void origins(void **state)
{
    (void)state;
    static const rule rules[] = {
        {"'kind'", "'reading': '', 'kind'", NLN_FORMAT, "how its ratings were read"},
        {"'kind'", "'reading': 'paper 1', 'kind'", NLN_FORMAT, "how its ratings were read"},
        {"'kind'", "'reading': 'a b c d e f g', 'kind'", NLN_FORMAT, "how its ratings were read"},
    };
    expect_all(ratings, ratings_data, N_RATINGS, rules, COUNT(rules));
}

static void numbers(void **state)
{
    (void)state;
    static const struct {
        int at;
        float value;
        nln_status status;
        const char *message;
    } rows[] = {
        {SCORES + 1, NAN, NLN_NUMERIC, "value 1 of the tensor 'items.score'"},
        {SCORES, -INFINITY, NLN_NUMERIC, "value 0 of the tensor 'items.score'"},
        {SCORES, 3e38f, NLN_OK, ""},
        {LENGTHS, 3, NLN_FORMAT, "histories of its users"},
        {LENGTHS, 1.5f, NLN_FORMAT, "histories of its users"},
        {LENGTHS, -2, NLN_FORMAT, "histories of its users"},
        {LENGTHS, 3e38f, NLN_FORMAT, "histories of its users"},
        {LITERALS, 0, NLN_FORMAT, "histories of its users"},
        {LITERALS, 3, NLN_FORMAT, "histories of its users"},
        {LITERALS, -3, NLN_FORMAT, "histories of its users"},
        {LITERALS, 1.25f, NLN_FORMAT, "histories of its users"},
        {LITERALS, -3e38f, NLN_FORMAT, "histories of its users"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        float data[N_RATINGS];
        memcpy(data, ratings_data, sizeof data);
        data[rows[i].at] = rows[i].value;
        expect(ratings, "'kind'", "'kind'", data, N_RATINGS, rows[i].status, rows[i].message);
    }
}

/* Brackets in brackets, far more of them than a stack could follow. */
static void deep_json(void **state)
{
    (void)state;
    enum { DEPTH = 60000 };
    static const struct {
        const char *from, *before, *after, *message;
    } rows[] = {
        {"'[`tea`, `cup`]'", "'", "'", "no list of names"},
        {"'{`model`: `popularity`, `task`: `topk`}'", "'", "'", "options are missing"},
        {"'nln'", "", "", "depth"},
    };
    char *brackets = malloc(DEPTH + 1), *to = malloc(DEPTH + 3);
    memset(brackets, '[', DEPTH);
    brackets[DEPTH] = '\0';
    for (size_t i = 0; i < COUNT(rows); i++) {
        sprintf(to, "%s%s%s", rows[i].before, brackets, rows[i].after);
        expect(ratings, rows[i].from, to, ratings_data, N_RATINGS, NLN_FORMAT, rows[i].message);
    }
    free(brackets);
    free(to);
}

/* Text that a parser would need many times its size for. */
static void bombs(void **state)
{
    (void)state;
    static const struct {
        const char *from, *before, *part, *after, *message;
    } rows[] = {
        {"'nln'", "[", "{},", "1]", "more than 65536 values"},
        {"'nln'", "[", "0,", "1]", "more than 65536 values"},
        {"[2]", "[", "[],", "1]", "more than 65536 values"},
        {"[`tea`, `cup`]", "[", "{},", "1]", "no list of names"},
        {"[`ann`, `bob`]", "[", "[],", "1]", "no list of names"},
        {"[`ann`, `bob`]", "[", "0,", "1]", "no list of names"},
        {"`topk`", "`topk`", ", `a`: 1", "", "options are missing"},
        {"`topk`", "{", "`a`: {},", "}", "options are missing"},
    };
    enum { TIMES = 70000 };
    for (size_t i = 0; i < COUNT(rows); i++) {
        size_t n = strlen(rows[i].part);
        char *to = calloc(TIMES * n + 100, 1), *at = to + sprintf(to, "%s", rows[i].before);
        for (size_t j = 0; j < TIMES; j++, at += n)
            memcpy(at, rows[i].part, n);
        strcpy(at, rows[i].after);
        expect(ratings, rows[i].from, to, ratings_data, N_RATINGS, NLN_FORMAT, rows[i].message);
        free(to);
    }
}

/* Every length that the file could have been cut to. */
static void every_end_is_too_early(void **state)
{
    (void)state;
    size_t n, n_bytes;
    char *json = spell(&n, ratings, "'kind'", "'kind'");
    const char *path = write_file(&n_bytes, json, n, ratings_data, N_RATINGS);
    for (size_t kept = n_bytes; kept-- > 0;) {
        nln_model *model;
        nln_error err = {0};
        assert_int_equal(truncate(path, (off_t)kept), 0);
        assert_int_equal(load(&model, path, n_bytes, &err), NLN_FORMAT);
        assert_null(model);
        assert_true(strstr(err.message, path) || strcmp(err.file, path) == 0);
    }
    free(json);
}

/* ---- what is accepted -------------------------------------------------------------------- */

/* Finite weights whose products are not: no answer is a number, and each says so. */
static void answers_are_numbers_or_sentences(void **state)
{
    (void)state;
    nln_model *model;
    nln_error err = {0};
    nln_recommendation best;
    nln_reason reason;
    nln_explanation told = {.reasons = &reason};
    float data[N_NETWORK];
    double p;
    size_t n, n_bytes;
    for (size_t i = 0; i < N_NETWORK; i++)
        data[i] = i % 2 ? 3e38f : -3e38f;
    char *json = spell(&n, network, "`free`", "`free`, `task`: `topk`");
    const char *path = write_file(&n_bytes, json, n, data, N_NETWORK);
    assert_int_equal(load(&model, path, n_bytes, &err), NLN_OK);
    const nln_literal history = {0, 1, 0};
    assert_int_equal(nln_predict(&p, model, "a & !a", &err), NLN_NUMERIC);
    assert_int_equal(nln_rank(&p, model, "!a", &err), NLN_NUMERIC);
    assert_non_null(strstr(err.message, "the vectors of variable 1 left the finite range"));
    assert_int_equal(nln_recommend(&best, &n, 1, model, NULL, &history, 1, 1, &err), NLN_NUMERIC);
    assert_non_null(strstr(err.message, "the vectors of item 1"));
    assert_int_equal(nln_explain(&told, model, NULL, &history, 1, 0, &err), NLN_NUMERIC);
    nln_model_free(model);
    free(json);
}

/* ---- files written, and then changed ------------------------------------------------- */

static void expect_refused(const char *path, const char *what)
{
    nln_error err = {0};
    nln_model *model = (nln_model *)&err;
    nln_status status = nln_model_load(&model, path, &err);
    if (!status || model)
        fail_msg("a file was taken: %s", what);
    assert_int_equal(err.status, status);
    if (strlen(err.message) < 20 || (!strstr(err.message, path) && strcmp(err.file, path) != 0))
        fail_msg("%s: file '%s': %s", what, err.file, err.message);
}

/* What a model file is made of, borrowed, to be written again with a change. */
typedef struct parts {
    nln_tensor tensors[32];
    size_t n_tensors;
    nln_pair metadata[8];
    size_t n_metadata;
} parts;

static parts parts_of(const nln_safetensors *file, const nln_model *model)
{
    static const char *const keys[] = {"kind",      "version",     "options",
                                       "variables", "temperature", "carry"};
    parts p = {.n_metadata = sizeof keys / sizeof *keys};
    nln_net_tensor t;
    for (int i = 0; nln_model_get_tensor(&t, model, i); i++)
        p.tensors[p.n_tensors++] = *nln_safetensors_tensor(file, t.name);
    for (size_t i = 0; i < p.n_metadata; i++)
        p.metadata[i] = (nln_pair){keys[i], nln_safetensors_metadata(file, keys[i])};
    return p;
}

static const char *write_parts(const parts *p)
{
    nln_error err = {0};
    const char *path = scratch_path("changed");
    if (nln_safetensors_write(path, p->tensors, p->n_tensors, p->metadata, p->n_metadata, &err))
        fail_msg("%s", err.message);
    return path;
}

/* A sample model, its file and its parts. */
typedef struct sample {
    nln_model *model;
    nln_safetensors *file;
    parts parts;
} sample;

#define SAMPLE "dimension=8 embedding=arc networks=2 "

static nln_model *make_model(const char *settings)
{
    nln_model *model = tiny_model(4, settings);
    nln_random random = nln_random_seed(1, 1);
    nln_model_draw(model, &random);
    model->temperature = 1.5;
    model->carry = 0.5;
    return model;
}

static const char *save(const nln_model *model)
{
    nln_error err = {0};
    const char *path = scratch_path("model");
    tiny_need(nln_model_save(model, path, &err), &err);
    return path;
}

static int same_numbers(const nln_model *a, const nln_model *b)
{
    nln_net_tensor x, y;
    int i = 0, same = a->temperature == b->temperature && a->carry == b->carry;
    for (; same && nln_model_get_tensor(&x, a, i) && nln_model_get_tensor(&y, b, i); i++)
        same = strcmp(x.name, y.name) == 0 && x.rows == y.rows && x.columns == y.columns &&
               memcmp(x.data, y.data, x.rows * x.columns * sizeof(real)) == 0;
    return same && i > 0 && !nln_model_get_tensor(&y, b, i);
}

static sample make_sample(void)
{
    sample s = {.model = make_model(SAMPLE)};
    nln_model *again = NULL;
    nln_error err = {0};
    tiny_need(nln_safetensors_read(&s.file, save(s.model), &err), &err);
    s.parts = parts_of(s.file, s.model);
    tiny_need(nln_model_load(&again, write_parts(&s.parts), &err), &err);
    assert_true(same_numbers(s.model, again));
    nln_model_free(again);
    return s;
}

static void free_sample(sample *s)
{
    nln_safetensors_free(s->file);
    nln_model_free(s->model);
}

static void foreign_files_are_refused(void **state)
{
    (void)state;
    const float numbers[4] = {1, 2, 3, 4};
    parts p = {.tensors = {{"weights", 2, {2, 2}, numbers, NULL}}, .n_tensors = 1};
    expect_refused(write_parts(&p), "a foreign file");
    p.metadata[p.n_metadata++] = (nln_pair){"format", "pt"};
    expect_refused(write_parts(&p), "a foreign file with metadata");
    p.n_tensors = 0;
    expect_refused(write_parts(&p), "a file without tensors");
    expect_refused(scratch_path("none"), "no file");
    expect_refused(scratch_folder, "a folder");
    expect_refused(scratch_text("text", "a & b\tT\n"), "text");
}

static void expect_metadata_refused(const sample *s, const char *key, const char *value)
{
    parts p = s->parts;
    for (size_t i = 0; i < p.n_metadata; i++) {
        if (strcmp(p.metadata[i].key, key) != 0)
            continue;
        p.metadata[i].value = value;
        if (!value)
            p.metadata[i] = p.metadata[--p.n_metadata];
    }
    expect_refused(write_parts(&p), value ? value : key);
}

static void metadata_are_checked(void **state)
{
    (void)state;
    static const nln_pair bad[] = {
        {"kind", NULL},
        {"kind", "NLN"},
        {"options", NULL},
        {"options", ""},
        {"options", "{"},
        {"options", "[]"},
        {"options", "{}"},
        {"options", "{\"dimension\":8}"},
        {"options", "{\"colour\":\"red\"}"},
        {"options", "{\"dimension\":\"0\"}"},
        {"options", "{\"dimension\":\"8\",\"dimension\":\"8\"}"},
        {"variables", NULL},
        {"variables", "{}"},
        {"variables", "[]"},
        {"variables", "[1]"},
        {"variables", "[\"\"]"},
        {"variables", "[\"x1\"]"},
        {"variables", "[\"x1\\u0000\"]"},
        {"temperature", NULL},
        {"temperature", ""},
        {"temperature", "1x"},
        {"temperature", "0"},
        {"temperature", "-1"},
        {"temperature", "nan"},
        {"temperature", "inf"},
        {"temperature", "1e999"},
        {"carry", ""},
        {"carry", "1x"},
        {"carry", "-1"},
        {"carry", "nan"},
        {"carry", "inf"},
    };
    sample s = make_sample();
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        expect_metadata_refused(&s, bad[i].key, bad[i].value);
    free_sample(&s);
}

/* The metadata with the first `from` replaced by `to`. */
static void expect_replacement_refused(const sample *s, const char *key, const char *from,
                                       const char *to)
{
    char text[8192];
    const char *old = nln_safetensors_metadata(s->file, key), *at = strstr(old, from);
    assert_non_null(at);
    snprintf(text, sizeof text, "%.*s%s%s", (int)(at - old), old, to, at + strlen(from));
    expect_metadata_refused(s, key, text);
}

static void changed_options_and_names_are_noticed(void **state)
{
    (void)state;
    static const char *const changes[][3] = {
        {"options", "\"dimension\":\"8\"", "\"dimension\":\"9\""},
        {"options", "\"dimension\":\"8\"", "\"dimension\":\"4096\""},
        {"options", "\"hidden\":\"0\"", "\"hidden\":\"16384\""},
        {"options", "\"dimension\":\"8\"", "\"dimension\":\"eight\""},
        {"variables", "\"x2\"", "\"x1\""},
        {"variables", "\"x2\"", "\"x2\",\"x2\""},
        {"variables", "\"x2\",", ""},
        {"variables", "\"x2\"", "\"x2\",\"w\""},
        {"variables", "\"x2\"", "null"},
    };
    sample s = make_sample();
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++)
        expect_replacement_refused(&s, changes[i][0], changes[i][1], changes[i][2]);
    free_sample(&s);
}

/* Every tensor in turn left out, one row short, and of other dimensions. */
static void tensors_are_checked(void **state)
{
    (void)state;
    sample s = make_sample();
    for (size_t i = 0; i < s.parts.n_tensors; i++) {
        parts p = s.parts;
        nln_tensor *t = &p.tensors[i], old = *t;
        t->shape[0]--;
        expect_refused(write_parts(&p), old.name);
        *t = old;
        t->n_dims = 3 - old.n_dims;
        t->shape[0] = old.n_dims == 1 ? 1 : old.shape[0] * old.shape[1];
        t->shape[1] = old.n_dims == 1 ? old.shape[0] : 1;
        expect_refused(write_parts(&p), old.name);
        *t = p.tensors[--p.n_tensors];
        expect_refused(write_parts(&p), old.name);
    }
    free_sample(&s);
}

/* ---- going on with a training ---------------------------------------------------------- */

static nln_status restore(nln_model *model, const parts *p, nln_error *err)
{
    nln_safetensors *file = NULL;
    const char *path = write_parts(p);
    tiny_need(nln_safetensors_read(&file, path, err), err);
    nln_status status = nln_modelfile_restore(model, file, path, err);
    nln_safetensors_free(file);
    return status;
}

/* Into a model that differs in its numbers and in its threads. */
static void weights_are_restored(void **state)
{
    (void)state;
    sample s = make_sample();
    nln_error err = {0};
    nln_model *model = make_model(SAMPLE "threads=2");
    model->net[1]->weights[0] += 1;
    nln_net_transpose(model->net[1]);
    assert_false(same_numbers(s.model, model));
    tiny_need(restore(model, &s.parts, &err), &err);
    assert_true(same_numbers(s.model, model));
    size_t n = nln_modules_size(model->net[1]->dim, model->net[1]->hidden);
    nln_net_transpose(s.model->net[1]); /* as after every change */
    assert_memory_equal(model->net[1]->transposed_block, s.model->net[1]->transposed_block,
                        n * sizeof(real));
    nln_model_free(model);
    free_sample(&s);
}

static void only_the_same_training_is_restored(void **state)
{
    (void)state;
    enum { KIND, VERSION }; /* of the metadata */
    sample s = make_sample();
    nln_model *longer = make_model(SAMPLE "epochs=77"), *larger = tiny_model(5, SAMPLE);
    nln_error err = {0};
    parts p = s.parts;
    assert_int_equal(restore(longer, &p, &err), NLN_INVALID);
    assert_non_null(strstr(err.message, "and this is with 77"));
    assert_int_equal(restore(larger, &p, &err), NLN_INVALID);
    assert_non_null(strstr(err.message, "other data"));
    p.metadata[VERSION].value = "0.0.0";
    assert_int_equal(restore(s.model, &p, &err), NLN_FORMAT);
    assert_non_null(strstr(err.message, "another version"));
    p = s.parts;
    p.metadata[KIND].value = "pt";
    assert_int_equal(restore(s.model, &p, &err), NLN_FORMAT);
    assert_non_null(strstr(err.message, "not written by nln"));
    p = s.parts;
    p.n_tensors--;
    assert_int_equal(restore(s.model, &p, &err), NLN_FORMAT);
    assert_non_null(strstr(err.message, "is missing"));
    nln_model_free(longer);
    nln_model_free(larger);
    free_sample(&s);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, scratch_setup, scratch_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(what_is_good_is_taken),
        TEST(headers),
        TEST(options),
        TEST(names),
        TEST(origins),
        TEST(numbers),
        TEST(deep_json),
        TEST(bombs),
        TEST(every_end_is_too_early),
        TEST(answers_are_numbers_or_sentences),
        TEST(foreign_files_are_refused),
        TEST(metadata_are_checked),
        TEST(changed_options_and_names_are_noticed),
        TEST(tensors_are_checked),
        TEST(weights_are_restored),
        TEST(only_the_same_training_is_restored),
    };
    json_set_alloc_funcs(take, give);
    return cmocka_run_group_tests(tests, NULL, NULL);
}

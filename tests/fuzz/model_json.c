/* The JSON inside a model file.  Lines of the input are the options, the names of the variables,
 * the names of the users, and the temperature with the carry behind a blank, as the metadata have
 * them.  A file is made around them whose tensors fit what they say, as long as it is small, with
 * values from the bytes that follow: so the fuzzer gets past the checks of the container and asks
 * what it has written. */
#include <jansson.h>

#include "ask.h"
#include "models/method.h"
#include "models/model.h"

enum { LINES = 4, MOST_FLOATS = 1 << 14 };

static const char *const keys[LINES] = {"options", "variables", "users", "temperature"};

/* A file that is being made. */
typedef struct maker {
    FILE *header;
    float data[MOST_FLOATS];
    size_t n;            /* of data */
    const uint8_t *from; /* values come from these bytes, over and over */
    size_t n_from, at;
} maker;

static uint8_t next_byte(maker *m)
{
    return m->n_from ? m->from[m->at++ % m->n_from] : 0;
}

/* Mostly small numbers, and some of the largest and of the smallest. */
static float next_value(maker *m)
{
    uint8_t byte = next_byte(m);
    if (byte >= 0xfc)
        return (float[]){3.4e38f, -3.4e38f, 1e-44f, 1e19f}[byte - 0xfc];
    return ((float)byte - 64) / 64;
}

/* Room for a tensor, described in the header; NULL when the file would be too large. */
static float *add_tensor(maker *m, const char *name, size_t rows, size_t columns)
{
    char shape[64];
    if (columns && rows > (MOST_FLOATS - m->n) / columns)
        return NULL;
    snprintf(shape, sizeof shape, rows == 1 ? "%zu" : "%zu, %zu", rows == 1 ? columns : rows,
             columns);
    size_t n = rows * columns, size = sizeof(float);
    fprintf(m->header,
            "\"%s\": {\"dtype\": \"F32\", \"shape\": [%s], \"data_offsets\": [%zu, %zu]}, ", name,
            shape, m->n * size, (m->n + n) * size);
    m->n += n;
    return m->data + m->n - n;
}

static void add_values(maker *m, const char *name, size_t rows, size_t columns)
{
    float *x = add_tensor(m, name, rows, columns);
    for (size_t i = 0; x && i < rows * columns; i++)
        x[i] = next_value(m);
}

/* The options of the file as far as they can be set; 0 when there is no model of them. */
static int read_config(nln_config *out, const char *text)
{
    nln_options *options = NULL;
    const char *name;
    json_t *value, *object = json_loads(text, 0, NULL);
    require(nln_options_create(&options, "train", NULL) == NLN_OK);
    json_object_foreach(object, name, value)
    {
        if (json_is_string(value))
            nln_options_set(options, name, json_string_value(value), NULL);
    }
    nln_status status = nln_config_read(out, options, NULL);
    nln_options_free(options);
    json_decref(object);
    return !status;
}

static size_t count_names(const char *text)
{
    json_t *names = json_loads(text, 0, NULL);
    size_t n = json_array_size(names);
    json_decref(names);
    return n;
}

static void add_net(maker *m, const nln_config *c, size_t n_variables)
{
    nln_net *net = NULL;
    nln_net_tensor t;
    size_t n = n_variables * (size_t)c->members;
    char name[NLN_MODEL_NAME_ROOM];
    if (nln_modules_size(c->dimension, c->hidden) > MOST_FLOATS ||
        n > MOST_FLOATS / (size_t)c->dimension)
        return;
    require(nln_net_create(&net, c->dimension, c->hidden, (int32_t)n, (nln_embedding)c->embedding,
                           (real)c->alpha, NULL) == NLN_OK);
    for (int k = 0; k < c->networks; k++)
        for (int i = 0; nln_net_get_tensor(&t, net, i); i++) {
            nln_model_name_tensor(name, k, t.name);
            add_values(m, name, t.rows, t.columns);
        }
    nln_net_free(net);
}

static void add_weights(maker *m, const nln_sizes *sizes)
{
    const nln_method *method = nln_method_get(sizes->config->model);
    nln_weights w = {0};
    if (method == &nln_method_nln) {
        add_net(m, sizes->config, sizes->n_variables);
        return;
    }
    nln_weights_list(&w, method->tensor, sizes);
    for (int i = 0; i < w.n; i++)
        add_values(m, w.shape[i].name, w.shape[i].rows, w.shape[i].columns);
}

/* Short histories of items of the model, mostly. */
static void add_users(maker *m, size_t n_users, size_t n_items)
{
    size_t sum = 0;
    float *length = add_tensor(m, "users.length", 1, n_users);
    for (size_t i = 0; length && i < n_users; i++) {
        length[i] = (float)(next_byte(m) % 5);
        sum += (size_t)length[i];
    }
    float *literal = add_tensor(m, "users.literal", 1, sum);
    for (size_t i = 0; literal && i < sum; i++) {
        uint8_t byte = next_byte(m);
        literal[i] = (float)(1 + byte % (n_items + (byte == 0xff))) * (byte & 1 ? 1 : -1);
    }
}

/* A JSON string of these bytes as they are, whether they are UTF-8 or not. */
static void add_text(FILE *out, const char *key, const char *text)
{
    fprintf(out, ", \"%s\": \"", key);
    for (; *text; text++)
        if (*text == '"' || *text == '\\')
            fprintf(out, "\\%c", *text);
        else if ((unsigned char)*text < ' ')
            fprintf(out, "\\u%04x", (unsigned)*text);
        else
            fputc(*text, out);
    fputc('"', out);
}

static void add_header(maker *m, char *const line[LINES])
{
    nln_config config;
    size_t n_items = count_names(line[1]), n_users = count_names(line[2]);
    int has_users = line[2][0] != '\0';
    char *carry = strchr(line[3], ' ');
    if (carry)
        *carry++ = '\0';
    fputc('{', m->header);
    if (read_config(&config, line[0]))
        add_weights(m, &(nln_sizes){&config, n_items, n_users});
    if (has_users && n_items > 0)
        add_users(m, n_users, n_items);
    fprintf(m->header, "\"__metadata__\": {\"kind\": \"nln\"");
    for (int i = 0; i < LINES; i++)
        if (i != 2 || has_users)
            add_text(m->header, keys[i], line[i]);
    if (carry)
        add_text(m->header, "carry", carry);
    fprintf(m->header, "}}");
}

/* The length of the header, the header and the data as one block that the caller frees. */
static uint8_t *join(size_t *n, const char *header, size_t n_header, const maker *m)
{
    size_t n_data = m->n * sizeof(float);
    uint8_t *file = malloc(8 + n_header + n_data);
    require(file != NULL);
    for (int i = 0; i < 8; i++)
        file[i] = (uint8_t)((uint64_t)n_header >> (8 * i));
    memcpy(file + 8, header, n_header);
    memcpy(file + 8 + n_header, m->data, n_data);
    *n = 8 + n_header + n_data;
    return file;
}

/* Cuts the text, which ends in NUL, into lines; returns what follows the last. */
static char *cut_lines(char *line[LINES], char *text, char *end)
{
    for (int i = 0; i < LINES; i++) {
        char *newline = memchr(text, '\n', (size_t)(end - text));
        line[i] = text;
        text = newline ? newline + 1 : end;
        if (newline)
            *newline = '\0';
    }
    return text;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n_bytes)
{
    static maker m;
    char *text = calloc(n_bytes + 1, 1), *line[LINES], *header = NULL;
    size_t n_header = 0, n_file = 0;
    require(text != NULL);
    memcpy(text, bytes, n_bytes);
    m.from = (const uint8_t *)cut_lines(line, text, text + n_bytes);
    m.n_from = (size_t)((const uint8_t *)text + n_bytes - m.from);
    m.n = m.at = 0;
    m.header = open_memstream(&header, &n_header);
    require(m.header != NULL);
    add_header(&m, line);
    require(!fclose(m.header));
    uint8_t *file = join(&n_file, header, n_header, &m);
    ask_file(file, n_file);
    free(file);
    free(header);
    free(text);
    return 0;
}

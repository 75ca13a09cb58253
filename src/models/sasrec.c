/* SASRec (Kang and McAuley, 2018): blocks of self-attention read the history, and the state of its
 * last item is matched with the vector of every item.  score = state . v_i.
 *
 *     row j = sqrt(dim) v_item + position j (+ disliked, if the item was disliked)
 *     state = norm(the last row after all blocks)
 *
 * The items' vectors are those of the input.  The first item of a history has position 0.  Since a
 * row depends on those before it alone, histories that begin alike are one sequence: the runs of
 * --together are read once, as the paper trains on every place of a sequence at once. */
#include <math.h>
#include <string.h>

#include "base/array.h"
#include "base/memory.h"
#include "math/kernels.h"
#include "models/data_parallel_learner.h"
#include "models/dot_product.h"
#include "net/layer_norm.h"
#include "net/transformer_block.h"

enum {
    ITEM_VECTOR,
    DISLIKED,
    POSITION,
    GAIN,
    OFFSET,
    ATTENTION,
    ATTENTION_BIAS,
    INNER,
    INNER_BIAS,
    OUTER,
    OUTER_BIAS,
    N_TENSORS
};

static const nln_dot_product_items items = {.vector = ITEM_VECTOR, .bias = -1};

/* Blocks lie side by side in each matrix; the norms of a block are two rows, and the last one is
 * that of the state. */
static int tensor(nln_shape *out, const nln_sizes *s, int index)
{
    size_t d = (size_t)s->config->dimension, h = (size_t)s->config->hidden;
    size_t n = (size_t)s->config->layers;
    const nln_shape shapes[N_TENSORS] = {
        [ITEM_VECTOR] = {"items.vector", s->n_variables, d, NLN_START_TABLE, 1, 0},
        [DISLIKED] = {"disliked", 1, d, NLN_START_ZERO, 0, 1},
        [POSITION] = {"positions", (size_t)s->config->history, d, NLN_START_TABLE, 0, 0},
        [GAIN] = {"norms.gain", 2 * n + 1, d, NLN_START_ONE, 0, 1},
        [OFFSET] = {"norms.offset", 2 * n + 1, d, NLN_START_ZERO, 0, 1},
        [ATTENTION] = {"blocks.attention", d, 3 * n * d, NLN_START_FAN_IN, 0, 0},
        [ATTENTION_BIAS] = {"blocks.attention_bias", 1, 3 * n * d, NLN_START_ZERO, 0, 1},
        [INNER] = {"blocks.inner", d, n * h, NLN_START_FAN_IN, 0, 0},
        [INNER_BIAS] = {"blocks.inner_bias", 1, n * h, NLN_START_ZERO, 0, 1},
        [OUTER] = {"blocks.outer", h, n * d, NLN_START_FAN_IN, 0, 0},
        [OUTER_BIAS] = {"blocks.outer_bias", 1, n * d, NLN_START_ZERO, 0, 1},
    };
    if (index >= N_TENSORS)
        return 0;
    *out = shapes[index];
    return 1;
}

/* ---- histories ---------------------------------------------------------------------------- */

/* The histories of some queries as sequences, and the states after them. */
typedef struct reader {
    const nln_model *model;
    int32_t n_sequences;
    int32_t *start;               /* [n_sequences + 1] */
    nln_literal *literal;         /* [rows] */
    int32_t *last;                /* [queries] the row of the last item, or -1 without a history */
    nln_transformer_block *block; /* [layers] */
    real *x, *dx;                 /* [queries, dim] the last rows, before the norm */
    real *state;                  /* [queries, dim] */
    real *scaled, *inverse;       /* of the last norm */
    size_t start_room, literal_room, last_room, x_room, dx_room, state_room, scaled_room,
        inverse_room;
} reader;

static void close_reader(reader *r)
{
    for (int i = 0; r->block && i < r->model->config.layers; i++)
        nln_transformer_block_free(&r->block[i]);
    nln_free(r->block);
    nln_free(r->start);
    nln_free(r->literal);
    nln_free(r->last);
    nln_free(r->x);
    nln_free(r->dx);
    nln_free(r->state);
    nln_free(r->scaled);
    nln_free(r->inverse);
}

static nln_status open_reader(reader *r, const nln_model *model, nln_error *err)
{
    *r = (reader){.model = model};
    r->block = nln_array_zeroed((size_t)model->config.layers, sizeof *r->block);
    return r->block ? NLN_OK : nln_error_memory(err);
}

/* How many of the n literals the last sequence begins with. */
static size_t common_start(const reader *r, const nln_literal *literal, size_t n)
{
    if (!r->n_sequences)
        return 0;
    size_t first = (size_t)r->start[r->n_sequences - 1], same = 0;
    size_t length = (size_t)r->start[r->n_sequences] - first;
    while (same < n && same < length && literal[same].item == r->literal[first + same].item &&
           literal[same].liked == r->literal[first + same].liked)
        same++;
    return same == n || same == length ? same : 0;
}

/* Appends the last items of a history, to the sequence before where they continue it. */
static nln_status append(reader *r, const nln_queries *queries, size_t which, size_t unit,
                         nln_error *err)
{
    const nln_query *q = &queries->list[which];
    size_t most = (size_t)r->model->config.history, n = q->n < most ? q->n : most;
    const nln_literal *literal = queries->literal + q->first + (q->n - n);
    size_t same = common_start(r, literal, n), rows;
    r->last[unit] = -1;
    if (!n)
        return NLN_OK;
    if (!same) {
        if (!NLN_ARRAY_RESERVE(r->start, r->start_room, (size_t)r->n_sequences + 2))
            return nln_error_memory(err);
        if (!r->n_sequences)
            r->start[0] = 0;
        r->start[r->n_sequences + 1] = r->start[r->n_sequences];
        r->n_sequences++;
    }
    rows = (size_t)r->start[r->n_sequences];
    if (rows + n > INT32_MAX)
        return nln_error_set(err, NLN_LIMIT,
                             "a batch of more than 2^31 items is too large: give a smaller "
                             "--batch");
    if (!NLN_ARRAY_RESERVE(r->literal, r->literal_room, rows + n))
        return nln_error_memory(err);
    for (size_t i = same; i < n; i++, rows++)
        r->literal[rows] = literal[i];
    size_t first = (size_t)r->start[r->n_sequences - 1];
    if (rows > (size_t)r->start[r->n_sequences])
        r->start[r->n_sequences] = (int32_t)rows;
    r->last[unit] = (int32_t)(first + n - 1);
    return NLN_OK;
}

/* Reads n queries; in training, b is given and touches the items. */
static nln_status take_in(reader *r, nln_table_learner *b, const nln_queries *queries, size_t first,
                          size_t n, nln_error *err)
{
    static const int32_t none[1] = {0};
    const nln_config *c = &r->model->config;
    size_t size = n * (size_t)c->dimension;
    int ok = NLN_ARRAY_RESERVE(r->last, r->last_room, n) &&
             NLN_ARRAY_RESERVE(r->x, r->x_room, size) &&
             NLN_ARRAY_RESERVE(r->dx, r->dx_room, b ? size : 0) &&
             NLN_ARRAY_RESERVE(r->state, r->state_room, size) &&
             NLN_ARRAY_RESERVE(r->scaled, r->scaled_room, size) &&
             NLN_ARRAY_RESERVE(r->inverse, r->inverse_room, n);
    nln_status status = ok ? NLN_OK : nln_error_memory(err);
    r->n_sequences = 0;
    for (size_t i = 0; !status && i < n; i++)
        status = append(r, queries, first + i, i, err);
    for (int i = 0; !status && i < c->layers; i++)
        status = nln_transformer_block_fit(&r->block[i], c->dimension, c->hidden, r->n_sequences,
                                           r->n_sequences ? r->start : none, b != NULL, err);
    for (int32_t i = 0; b && !status && i < r->block[0].n_rows; i++)
        nln_table_learner_touch(b, ITEM_VECTOR, (int32_t)r->literal[i].item);
    return status;
}

/* ---- forward and back --------------------------------------------------------------------- */

/* Block i of the model's tensors, or of their gradients. */
static nln_block_weights block_of(real *const data[N_TENSORS], const nln_config *c, int i)
{
    size_t d = (size_t)c->dimension, h = (size_t)c->hidden, at = (size_t)i;
    return (nln_block_weights){
        .attention = data[ATTENTION] + 3 * d * at,
        .inner = data[INNER] + h * at,
        .outer = data[OUTER] + d * at,
        .attention_bias = data[ATTENTION_BIAS] + 3 * d * at,
        .inner_bias = data[INNER_BIAS] + h * at,
        .outer_bias = data[OUTER_BIAS] + d * at,
        .gain = {data[GAIN] + 2 * at * d, data[GAIN] + (2 * at + 1) * d},
        .offset = {data[OFFSET] + 2 * at * d, data[OFFSET] + (2 * at + 1) * d},
        .attention_stride = 3 * c->layers * c->dimension,
        .inner_stride = c->layers * c->hidden,
        .outer_stride = c->layers * c->dimension};
}

static nln_attention_dropout dropout_of(const nln_config *c, uint64_t key, int block)
{
    return (nln_attention_dropout){c->dropout, nln_random_mix(key + 1 + (uint64_t)block)};
}

/* The place of each row in its history. */
static int32_t fill_positions(real *out, const reader *r)
{
    const nln_config *c = &r->model->config;
    size_t d = (size_t)c->dimension;
    real root = (real)sqrt(c->dimension);
    int32_t row = 0;
    for (int32_t s = 0; s < r->n_sequences; s++)
        for (int32_t place = 0; row < r->start[s + 1]; row++, place++) {
            nln_literal met = r->literal[row];
            const real *item = nln_table_learner_row(r->model, ITEM_VECTOR, (int64_t)met.item);
            const real *position = nln_table_learner_row(r->model, POSITION, place);
            const real *disliked = r->model->weights.data[DISLIKED];
            for (size_t k = 0; k < d; k++)
                out[(size_t)row * d + k] =
                    root * item[k] + position[k] + (met.liked ? 0 : disliked[k]);
        }
    return row;
}

/* Fills in state, of n queries; without b nothing is dropped. */
static void forward(reader *r, const nln_table_learner *b, size_t n, uint64_t key)
{
    const nln_config *c = &r->model->config;
    real *const *data = r->model->weights.data;
    size_t d = (size_t)c->dimension;
    int32_t rows = fill_positions(r->block[0].x, r);
    if (b)
        nln_table_learner_drop(r->block[0].x, b, (size_t)rows, c->dimension, key);
    for (int i = 0; i < c->layers; i++) {
        nln_block_weights w = block_of(data, c, i);
        nln_attention_dropout none = {0};
        if (i)
            memcpy(r->block[i].x, r->block[i - 1].out, (size_t)rows * d * sizeof(real));
        nln_transformer_block_forward(&r->block[i], &w, b ? dropout_of(c, key, i) : none);
    }
    const real *out = r->block[c->layers - 1].out;
    for (size_t i = 0; i < n; i++)
        if (r->last[i] < 0)
            memset(r->x + i * d, 0, d * sizeof(real));
        else
            memcpy(r->x + i * d, out + (size_t)r->last[i] * d, d * sizeof(real));
    size_t norm = 2 * (size_t)c->layers * d;
    nln_layer_norm_forward(r->state, r->scaled, r->inverse, r->x, data[GAIN] + norm,
                           data[OFFSET] + norm, (int)n, c->dimension);
}

/* Adds to the gradients of all tensors, given that of the states. */
static void backward(reader *r, const real *dstate, nln_table_learner *b, size_t n, uint64_t key)
{
    const nln_config *c = &r->model->config;
    size_t d = (size_t)c->dimension, norm = 2 * (size_t)c->layers * d;
    size_t rows = (size_t)r->block[0].n_rows;
    const nln_kernels *kernels = nln_kernels_get();
    real *gradient[N_TENSORS] = {0};
    for (int t = 0; t < N_TENSORS; t++)
        gradient[t] = b->base.parameter[t].gradient;
    memset(r->dx, 0, n * d * sizeof(real));
    nln_layer_norm_backward(r->dx, gradient[GAIN] + norm, gradient[OFFSET] + norm, dstate,
                            r->scaled, r->inverse, r->model->weights.data[GAIN] + norm, (int)n,
                            c->dimension);
    real *dout = r->block[c->layers - 1].dout;
    memset(dout, 0, rows * d * sizeof(real));
    for (size_t i = 0; i < n; i++)
        if (r->last[i] >= 0)
            kernels->axpy(dout + (size_t)r->last[i] * d, 1, r->dx + i * d, d);
    for (int i = c->layers - 1; i >= 0; i--) {
        nln_block_weights w = block_of(r->model->weights.data, c, i), dw = block_of(gradient, c, i);
        nln_transformer_block_backward(&r->block[i], &dw, &w, dropout_of(c, key, i));
        if (i)
            memcpy(r->block[i - 1].dout, r->block[i].dx, rows * d * sizeof(real));
    }
    real *dx = r->block[0].dx, root = (real)sqrt(c->dimension);
    nln_table_learner_drop(dx, b, rows, c->dimension, key);
    int32_t row = 0;
    for (int32_t s = 0; s < r->n_sequences; s++)
        for (size_t place = 0; row < r->start[s + 1]; row++, place++) {
            nln_literal met = r->literal[row];
            int32_t at = b->touched[ITEM_VECTOR].place[met.item] - 1;
            const real *own = dx + (size_t)row * d;
            kernels->axpy(nln_table_learner_gradient(b, ITEM_VECTOR, at), root, own, d);
            kernels->axpy(gradient[POSITION] + place * d, 1, own, d);
            if (!met.liked)
                kernels->axpy(gradient[DISLIKED], 1, own, d);
        }
}

/* ---- learning ----------------------------------------------------------------------------- */

typedef struct learner {
    nln_table_learner shared;
    nln_dot_product match;
    reader reader;
} learner;

static nln_status plan(nln_learner *base, const nln_request *request, nln_error *err)
{
    learner *l = (learner *)base;
    nln_table_learner_begin(&l->shared, request);
    nln_status status = nln_dot_product_plan(&l->match, &l->shared, request, err);
    if (!status)
        status = take_in(&l->reader, &l->shared, request->queries, 0, (size_t)request->n, err);
    return status ? status : nln_table_learner_end(&l->shared, err);
}

static nln_loss gradient(nln_learner *base, uint64_t key)
{
    learner *l = (learner *)base;
    nln_table_learner *b = &l->shared;
    size_t n = (size_t)b->request->n;
    nln_table_learner_clear(b);
    forward(&l->reader, b, n, key);
    memcpy(l->match.query, l->reader.state, n * (size_t)b->model->config.dimension * sizeof(real));
    memset(l->match.offset, 0, n * sizeof(real));
    nln_loss loss = nln_dot_product_gradient(&l->match, b);
    backward(&l->reader, l->match.dquery, b, n, key);
    return loss;
}

static void close_shard(nln_learner *base)
{
    learner *l = (learner *)base;
    nln_dot_product_free(&l->match);
    close_reader(&l->reader);
}

static nln_status open_shard(nln_learner *base, nln_model *model, const int32_t *frequency,
                             nln_error *err)
{
    learner *l = (learner *)base;
    (void)frequency;
    l->match.items = items;
    return open_reader(&l->reader, model, err);
}

static nln_status learn(nln_learner **out, nln_model *model, nln_thread_pool *team,
                        const int32_t *frequency, nln_error *err)
{
    static const nln_shard_learner shard = {.size = sizeof(learner),
                                            .open = open_shard,
                                            .close = close_shard,
                                            .plan = plan,
                                            .gradient = gradient};
    return nln_data_parallel_learner_create(out, &shard, model, team, frequency, err);
}

/* ---- in use ------------------------------------------------------------------------------- */

static void close_state(void *state)
{
    close_reader(state);
}

static nln_status open_state(void *state, const nln_model *model, nln_error *err)
{
    return open_reader(state, model, err);
}

static nln_status fill(real *query, real *offset, void *state, const nln_model *m,
                       const nln_queries *queries, size_t first, size_t n, nln_error *err)
{
    reader *r = state;
    nln_status status = take_in(r, NULL, queries, first, n, err);
    if (status)
        return status;
    forward(r, NULL, n, 0);
    memcpy(query, r->state, n * (size_t)m->config.dimension * sizeof(real));
    memset(offset, 0, n * sizeof(real));
    return NLN_OK;
}

static nln_status ask(nln_item_scorer **out, const nln_model *model, size_t most, nln_error *err)
{
    static const nln_dot_product_queries queries = {
        .size = sizeof(reader), .open = open_state, .close = close_state, .fill = fill};
    return nln_dot_product_ask(out, model, most, items, &queries, err);
}

const nln_method nln_method_sasrec = {
    .name = "sasrec",
    .has = NLN_HAS_VECTORS | NLN_HAS_HIDDEN | NLN_HAS_WEIGHTS | NLN_HAS_LAYERS,
    .tasks = 1u << NLN_TASK_TOPK,
    .reads_history = 1,
    .tensor = tensor,
    .learn = learn,
    .ask = ask,
};

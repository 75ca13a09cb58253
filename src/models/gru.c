/* GRU4Rec (Hidasi et al., 2016): a GRU reads the history, and the state after it is matched with
 * every item.  score = state . q_i + b_i + mean.
 *
 * A disliked item is another word than a liked one.  Users have no part of their own: without a
 * history there are only the biases. */
#include <string.h>

#include "base/array.h"
#include "base/memory.h"
#include "models/data_parallel_learner.h"
#include "models/dot_product.h"
#include "models/recurrent_encoder.h"

enum { MEAN, ITEM_BIAS, ITEM_VECTOR, WORDS, READER };

static const nln_dot_product_items items = {ITEM_VECTOR, ITEM_BIAS};
static const nln_reading reading = {
    .cell = NLN_CELL_GRU, .n_directions = 1, .table = WORDS, .first = READER};

static int tensor(nln_shape *out, const nln_sizes *s, int index)
{
    size_t d = (size_t)s->config->dimension, h = (size_t)s->config->hidden, n = s->n_variables;
    const nln_shape shapes[] = {
        [MEAN] = {"mean", 1, 1, NLN_START_ZERO, 0, 1},
        [ITEM_BIAS] = {"items.bias", n, 1, NLN_START_ZERO, 1, 0},
        [ITEM_VECTOR] = {"items.vector", n, h, NLN_START_TABLE, 1, 0},
        [WORDS] = {"items.met", 2 * n, d, NLN_START_TABLE, 1, 0}, /* liked, then disliked */
    };
    if (index >= READER)
        return nln_recurrent_encoder_tensor(out, s->config, reading, index - READER);
    *out = shapes[index];
    return 1;
}

/* ---- histories ---------------------------------------------------------------------------- */

typedef struct histories {
    nln_recurrent_encoder reader;
    int32_t *word; /* of one history */
    size_t word_room;
} histories;

static void close_histories(histories *h)
{
    nln_recurrent_encoder_free(&h->reader);
    nln_free(h->word);
}

static nln_status append(histories *h, const nln_queries *queries, const nln_query *c,
                         nln_error *err)
{
    size_t n_items = (size_t)h->reader.words.n_words / 2;
    if (!NLN_ARRAY_RESERVE(h->word, h->word_room, c->n))
        return nln_error_memory(err);
    for (size_t j = 0; j < c->n; j++) {
        nln_literal x = queries->literal[c->first + j];
        h->word[j] = (int32_t)(x.liked ? x.item : n_items + x.item);
    }
    return nln_word_sequences_append(&h->reader.words, h->word, c->n, err);
}

/* Those of n queries, ready to be read. */
static nln_status take_in(histories *h, nln_table_learner *b, const nln_queries *queries,
                          size_t first, size_t n, nln_error *err)
{
    nln_status status = NLN_OK;
    nln_word_sequences_clear(&h->reader.words);
    for (size_t i = 0; !status && i < n; i++)
        status = append(h, queries, &queries->list[first + i], err);
    return status ? status : nln_recurrent_encoder_plan(&h->reader, b, err);
}

static void fill_queries(real *query, real *offset, const histories *h)
{
    size_t n = (size_t)h->reader.words.n;
    memcpy(query, h->reader.last, n * (size_t)h->reader.width * sizeof(real));
    for (size_t i = 0; i < n; i++)
        offset[i] = *h->reader.model->weights.data[MEAN];
}

/* ---- learning ----------------------------------------------------------------------------- */

typedef struct learner {
    nln_table_learner shared;
    nln_dot_product match;
    histories histories;
} learner;

static nln_status plan(nln_learner *base, const nln_request *request, nln_error *err)
{
    learner *l = (learner *)base;
    nln_table_learner_begin(&l->shared, request);
    nln_status status = nln_dot_product_plan(&l->match, &l->shared, request, err);
    if (!status)
        status = take_in(&l->histories, &l->shared, request->queries, 0, (size_t)request->n, err);
    return status ? status : nln_table_learner_end(&l->shared, err);
}

static nln_loss gradient(nln_learner *base, uint64_t key)
{
    learner *l = (learner *)base;
    nln_table_learner *b = &l->shared;
    size_t n = (size_t)b->request->n;
    int width = l->histories.reader.width;
    uint64_t of_states = nln_random_mix(key);
    nln_table_learner_clear(b);
    nln_recurrent_encoder_forward(&l->histories.reader, b, key);
    fill_queries(l->match.query, l->match.offset, &l->histories);
    nln_table_learner_drop(l->match.query, b, n, width, of_states);
    nln_loss loss = nln_dot_product_gradient(&l->match, b);
    nln_table_learner_drop(l->match.dquery, b, n, width, of_states);
    nln_recurrent_encoder_backward(&l->histories.reader, l->match.dquery, b, key);
    for (size_t i = 0; i < n; i++)
        *nln_table_learner_gradient(b, MEAN, 0) += l->match.doffset[i];
    return loss;
}

static void close_shard(nln_learner *base)
{
    learner *l = (learner *)base;
    nln_dot_product_free(&l->match);
    close_histories(&l->histories);
}

static nln_status open_shard(nln_learner *base, nln_model *model, const int32_t *frequency,
                             nln_error *err)
{
    learner *l = (learner *)base;
    (void)frequency;
    l->match.items = items;
    return nln_recurrent_encoder_create(&l->histories.reader, model, reading, 1, err);
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

/* ---- in use ---------------------------------------------------------------------------------- */

static void close_state(void *state)
{
    close_histories(state);
}

static nln_status open_state(void *state, const nln_model *model, nln_error *err)
{
    histories *h = state;
    return nln_recurrent_encoder_create(&h->reader, model, reading, 0, err);
}

static nln_status fill(real *query, real *offset, void *state, const nln_model *m,
                       const nln_queries *queries, size_t first, size_t n, nln_error *err)
{
    histories *h = state;
    (void)m;
    nln_status status = take_in(h, NULL, queries, first, n, err);
    if (status)
        return status;
    nln_recurrent_encoder_forward(&h->reader, NULL, 0);
    fill_queries(query, offset, h);
    return NLN_OK;
}

static nln_status ask(nln_item_scorer **out, const nln_model *model, size_t most, nln_error *err)
{
    static const nln_dot_product_queries queries = {
        .size = sizeof(histories), .open = open_state, .close = close_state, .fill = fill};
    return nln_dot_product_ask(out, model, most, items, &queries, err);
}

const nln_method nln_method_gru = {
    .name = "gru",
    .has = NLN_HAS_VECTORS | NLN_HAS_HIDDEN | NLN_HAS_WEIGHTS,
    .tasks = 1u << NLN_TASK_PREFERENCE | 1u << NLN_TASK_TOPK,
    .reads_history = 1,
    .tensor = tensor,
    .learn = learn,
    .ask = ask,
};

/* Bi-RNN and Bi-LSTM: an expression read as a text, from both ends.
 *
 * score = [state after the last word | state after the first] . out + bias.  These models know
 * nothing of logic but what they learn of the signs. */
#include <string.h>

#include "base/array.h"
#include "base/memory.h"
#include "math/kernels.h"
#include "models/candidate_losses.h"
#include "models/data_parallel_learner.h"
#include "models/expr_tokens.h"
#include "models/recurrent_encoder.h"

enum { WORDS, OUT, OUT_BIAS, READER };

static nln_reading reading_of(nln_cell cell)
{
    return (nln_reading){.cell = cell, .n_directions = 2, .table = WORDS, .first = READER};
}

static int tensor(nln_shape *out, const nln_sizes *s, nln_cell cell, int index)
{
    size_t words = s->n_variables + NLN_N_SIGNS, width = 2 * (size_t)s->config->hidden;
    const nln_shape shapes[] = {
        [WORDS] = {"words.vector", words, (size_t)s->config->dimension, NLN_START_TABLE, 1, 0},
        [OUT] = {"out", width, 1, NLN_START_FAN_IN, 0, 0},
        [OUT_BIAS] = {"out.bias", 1, 1, NLN_START_ZERO, 0, 1},
    };
    if (index >= READER)
        return nln_recurrent_encoder_tensor(out, s->config, reading_of(cell), index - READER);
    *out = shapes[index];
    return 1;
}

static int rnn_tensor(nln_shape *out, const nln_sizes *sizes, int index)
{
    return tensor(out, sizes, NLN_CELL_RNN, index);
}

static int lstm_tensor(nln_shape *out, const nln_sizes *sizes, int index)
{
    return tensor(out, sizes, NLN_CELL_LSTM, index);
}

static nln_cell cell_of(const nln_model *m)
{
    return m->method == &nln_method_birnn ? NLN_CELL_RNN : NLN_CELL_LSTM;
}

static nln_status append(nln_recurrent_encoder *r, nln_tokens *tokens, nln_expr e, nln_error *err)
{
    const int32_t *word;
    size_t n;
    int32_t n_variables = r->words.n_words - NLN_N_SIGNS;
    nln_status status = nln_tokens_read(&word, &n, tokens, e, n_variables, err);
    return status ? status : nln_word_sequences_append(&r->words, word, n, err);
}

static real score_of(const nln_model *m, const real *last, int width)
{
    return nln_kernels_get()->dot(last, m->weights.data[OUT], width) + *m->weights.data[OUT_BIAS];
}

/* ---- learning ----------------------------------------------------------------------------- */

typedef struct learner {
    nln_table_learner shared;
    nln_recurrent_encoder reader;
    nln_tokens tokens;
    nln_candidate_losses scores;
    real *dlast; /* [n, width] */
    size_t dlast_room;
} learner;

static nln_status plan(nln_learner *base, const nln_request *request, nln_error *err)
{
    learner *l = (learner *)base;
    size_t n_last = (size_t)request->n * (size_t)l->reader.width;
    nln_table_learner_begin(&l->shared, request);
    nln_word_sequences_clear(&l->reader.words);
    nln_status status = nln_candidate_losses_fit(&l->scores, request, err);
    for (int32_t i = 0; !status && i < request->n; i++)
        status = append(&l->reader, &l->tokens,
                        nln_exprs_get(request->exprs, (size_t)request->index[i]), err);
    if (!status)
        status = nln_recurrent_encoder_plan(&l->reader, &l->shared, err);
    if (!status && !NLN_ARRAY_RESERVE(l->dlast, l->dlast_room, n_last))
        status = nln_error_memory(err);
    return status ? status : nln_table_learner_end(&l->shared, err);
}

/* scores.own are by now the gradients of the scores. */
static void scores_back(learner *l)
{
    const nln_kernels *k = nln_kernels_get();
    const nln_model *m = l->shared.model;
    size_t width = (size_t)l->reader.width;
    memset(l->dlast, 0, (size_t)l->scores.n * width * sizeof(real));
    for (int32_t i = 0; i < l->scores.n; i++) {
        real by = l->scores.own[i];
        k->axpy(l->dlast + (size_t)i * width, by, m->weights.data[OUT], width);
        k->axpy(nln_table_learner_gradient(&l->shared, OUT, 0), by,
                l->reader.last + (size_t)i * width, width);
        *nln_table_learner_gradient(&l->shared, OUT_BIAS, 0) += by;
    }
}

static nln_loss gradient(nln_learner *base, uint64_t key)
{
    learner *l = (learner *)base;
    const nln_model *m = l->shared.model;
    size_t n = (size_t)l->scores.n;
    int width = l->reader.width;
    uint64_t of_states = nln_random_mix(key);
    nln_table_learner_clear(&l->shared);
    nln_recurrent_encoder_forward(&l->reader, &l->shared, key);
    nln_table_learner_drop(l->reader.last, &l->shared, n, width, of_states);
    for (size_t i = 0; i < n; i++)
        l->scores.own[i] = score_of(m, l->reader.last + i * (size_t)width, width);
    nln_loss loss = nln_candidate_losses_loss(&l->scores, l->shared.request, base);
    scores_back(l);
    nln_table_learner_drop(l->dlast, &l->shared, n, width, of_states);
    nln_recurrent_encoder_backward(&l->reader, l->dlast, &l->shared, key);
    return loss;
}

static void close_shard(nln_learner *base)
{
    learner *l = (learner *)base;
    nln_recurrent_encoder_free(&l->reader);
    nln_tokens_free(&l->tokens);
    nln_candidate_losses_free(&l->scores);
    nln_free(l->dlast);
}

static nln_status open_shard(nln_learner *base, nln_model *model, const int32_t *frequency,
                             nln_error *err)
{
    learner *l = (learner *)base;
    (void)frequency;
    return nln_recurrent_encoder_create(&l->reader, model, reading_of(cell_of(model)), 1, err);
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

/* Expressions at a time. */
enum { BLOCK = 128 };

/* The blocks of a list, divided among one reader for each thread. */
typedef struct dealing {
    double *score;
    const nln_model *model;
    const nln_exprs *list;
    int n_readers;
    struct hand {
        nln_recurrent_encoder reader;
        nln_tokens tokens;
        nln_status status;
        nln_error err;
    } * hand; /* [n_readers] */
} dealing;

static void read_block(double *score, struct hand *h, const nln_exprs *list, size_t first, size_t n)
{
    nln_recurrent_encoder *r = &h->reader;
    nln_word_sequences_clear(&r->words);
    for (size_t i = 0; !h->status && i < n; i++)
        h->status = append(r, &h->tokens, nln_exprs_get(list, first + i), &h->err);
    if (!h->status)
        h->status = nln_recurrent_encoder_plan(r, NULL, &h->err);
    if (h->status)
        return;
    nln_recurrent_encoder_forward(r, NULL, 0);
    for (size_t i = 0; i < n; i++)
        score[i] = (double)score_of(r->model, r->last + i * (size_t)r->width, r->width);
}

/* Reader i has the blocks i, i + n_readers, ... */
static void play_hand(void *context, int i)
{
    const dealing *d = context;
    struct hand *h = &d->hand[i];
    size_t n = d->list->n, stride = (size_t)d->n_readers * BLOCK;
    h->status = nln_recurrent_encoder_create(&h->reader, d->model, reading_of(cell_of(d->model)), 0,
                                             &h->err);
    for (size_t at = (size_t)i * BLOCK; !h->status && at < n; at += stride)
        read_block(d->score + at, h, d->list, at, n - at < BLOCK ? n - at : BLOCK);
    nln_recurrent_encoder_free(&h->reader);
    nln_tokens_free(&h->tokens);
}

static nln_status deal(dealing *d, nln_error *err)
{
    nln_thread_pool *team = NULL;
    nln_status status = nln_thread_pool_create(&team, d->n_readers, err);
    if (!status)
        nln_thread_pool_run(team, d->n_readers, play_hand, d);
    for (int i = 0; !status && i < d->n_readers; i++)
        if ((status = d->hand[i].status) && err)
            *err = d->hand[i].err;
    nln_thread_pool_free(team);
    return status;
}

static nln_status judge(double *score, const nln_model *model, const nln_exprs *list, int orders,
                        int n_threads, nln_error *err)
{
    size_t n_blocks = (list->n + BLOCK - 1) / BLOCK;
    int n_readers = n_blocks < (size_t)n_threads ? (int)n_blocks : n_threads;
    dealing d = {score, model, list, n_readers, NULL};
    (void)orders;
    if (!n_blocks)
        return NLN_OK;
    d.hand = nln_memory_zeroed((size_t)n_readers, sizeof *d.hand);
    nln_status status = d.hand ? deal(&d, err) : nln_error_memory(err);
    nln_free(d.hand);
    return status;
}

const nln_method nln_method_birnn = {
    .name = "birnn",
    .has = NLN_HAS_VECTORS | NLN_HAS_HIDDEN | NLN_HAS_WEIGHTS,
    .tasks = 1u << NLN_TASK_LOGIC,
    .tensor = rnn_tensor,
    .learn = learn,
    .judge = judge,
};

const nln_method nln_method_bilstm = {
    .name = "bilstm",
    .has = NLN_HAS_VECTORS | NLN_HAS_HIDDEN | NLN_HAS_WEIGHTS,
    .tasks = 1u << NLN_TASK_LOGIC,
    .tensor = lstm_tensor,
    .learn = learn,
    .judge = judge,
};

#include "net/shard_sum.h"

enum { PIECES = 8 };

typedef struct summing {
    nln_shard_part *part;
    int n_parts, n_shards;
} summing;

static void sum_piece(void *context, int piece)
{
    const summing *s = context;
    for (int i = 0; i < s->n_parts; i++) {
        const nln_shard_part *p = &s->part[i];
        size_t n = p->rows ? (size_t)p->rows->n : p->width;
        size_t first = n * (size_t)piece / PIECES, last = n * (size_t)(piece + 1) / PIECES;
        if (!p->rows)
            nln_shard_blocks_sum(p->gradient, 0, s->n_shards, first, last);
        for (size_t k = first; p->rows && k < last; k++)
            nln_shard_rows_sum(p->sum + k * p->width, p->rows, (int32_t)k, 0, s->n_shards,
                               p->gradient, p->width);
    }
}

static void add_loss(nln_loss *to, const nln_loss *x)
{
    to->data += x->data;
    to->laws += x->laws;
    to->length += x->length;
    to->l2 += x->l2;
    to->flips += x->flips;
}

void nln_shard_sum(nln_shard_part *part, int n_parts, nln_loss *loss, int n_shards,
                   nln_thread_pool *pool)
{
    nln_thread_pool_run_again(pool, PIECES, sum_piece, &(summing){part, n_parts, n_shards});
    for (int i = 0; i < n_parts; i++)
        if (!part[i].rows)
            part[i].sum = part[i].gradient[0];
    for (int step = 1; step < n_shards; step *= 2)
        for (int i = 0; i + step < n_shards; i += 2 * step)
            add_loss(&loss[i], &loss[i + step]);
}

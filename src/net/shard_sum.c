#include "net/shard_sum.h"

#include "net/shard_exchange.h"

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
            nln_shard_rows_sum(p->sum + k * p->width, p->rows->holder + p->rows->first[k],
                               p->rows->first[k + 1] - p->rows->first[k], p->gradient, p->width);
    }
}

void nln_loss_add(nln_loss *to, const nln_loss *x)
{
    to->data += x->data;
    to->laws += x->laws;
    to->length += x->length;
    to->l2 += x->l2;
    to->flips += x->flips;
}

void nln_shard_sum_losses(nln_loss *loss, int first, int last)
{
    for (int step = 1; step < last - first; step *= 2)
        for (int i = first; i + step < last; i += 2 * step)
            nln_loss_add(&loss[i], &loss[i + step]);
}

void nln_shard_sum(nln_shard_part *part, int n_parts, nln_loss *loss, const nln_shard_assignment *o,
                   nln_shard_exchange *x, nln_thread_pool *pool)
{
    for (int i = 0; i < n_parts; i++)
        if (!part[i].rows)
            part[i].sum = part[i].gradient[0];
    if (o->shared) {
        nln_shard_exchange_sum(x, part, n_parts, loss, o, pool);
        return;
    }
    nln_thread_pool_run_again(pool, PIECES, sum_piece, &(summing){part, n_parts, o->n_shards});
    nln_shard_sum_losses(loss, 0, o->n_shards);
}

#include "net/shard_exchange.h"

#include <string.h>

#include "base/array.h"
#include "base/communicator.h"
#include "base/memory.h"
#include "math/kernels.h"

/* ---- who has which shards ------------------------------------------------------------------ */

/* Ranges begin at multiples of this, so that few nodes of the tree are cut. */
static int granule(int n_shards, int n_ranks)
{
    int g = 1;
    while (8 * g * n_ranks <= n_shards)
        g *= 2;
    return g;
}

void nln_shard_owners_assign(nln_shard_owners *o, const int64_t *cost, int n_shards)
{
    int n_ranks = nln_communicator_size(), me = nln_communicator_rank(), rank = 0;
    int g = granule(n_shards, n_ranks);
    double total = 0, done = 0;
    *o = (nln_shard_owners){.n_shards = n_shards, .shared = n_ranks > 1 && n_shards > 1};
    o->last = n_shards;
    if (!o->shared)
        return;
    for (int i = 0; i < n_shards; i++)
        total += cost ? (double)cost[i] : 1;
    o->last = 0;
    for (int i = 0; i < n_shards; i++) {
        double each = cost ? (double)cost[i] : 1, ahead = 0;
        for (int j = i; j < i + g && j < n_shards; j++)
            ahead += cost ? (double)cost[j] : 1;
        /* the next rank begins where that leaves its range nearest to its share */
        if (i % g == 0)
            while (rank + 1 < n_ranks && done + ahead / 2 > total * (rank + 1) / n_ranks)
                rank++;
        o->rank[i] = rank;
        if (rank == me) {
            if (o->last == 0)
                o->first = i;
            o->last = i + 1;
        }
        done += each;
    }
}

/* ---- packed sums of nodes ------------------------------------------------------------------ */

/* A packed node is this head, and then of each part the sum of its block or of the rows that the
 * node touches, in the order of their places. */
typedef struct head {
    nln_loss loss;
    double stops; /* a rank of the node wants to stop */
} head;

/* The shards first .. last - 1, all there are of an aligned range of `size`. */
typedef struct node {
    int first, last, size;
} node;

typedef struct summing {
    nln_shard_exchange *x;
    nln_shard_part *part;
    int n_parts;
    nln_loss *loss;
    const nln_shard_owners *owners;
    nln_thread_pool *pool;
    /* Of a step in the pool. */
    node node;
    char *out;
    const char *half[2];
} summing;

static int touches(const nln_shard_rows *u, int32_t place, node n)
{
    const nln_row_holder *h = u->holder + u->first[place], *end = u->holder + u->first[place + 1];
    while (h < end && h->shard < n.first)
        h++;
    return h < end && h->shard < n.last;
}

static size_t numbers_of(const nln_shard_part *p, node n)
{
    size_t rows = 0;
    if (!p->rows)
        return p->width;
    for (int32_t k = 0; k < p->rows->n; k++)
        rows += (size_t)touches(p->rows, k, n);
    return rows * p->width;
}

static size_t bytes_of(const summing *s, node n)
{
    size_t numbers = 0;
    for (int i = 0; i < s->n_parts; i++)
        numbers += i && s->part[i].rows && s->part[i].rows == s->part[i - 1].rows
                       ? numbers_of(&s->part[i - 1], n) / s->part[i - 1].width * s->part[i].width
                       : numbers_of(&s->part[i], n);
    return sizeof(head) + numbers * sizeof(real);
}

/* Buffers by level of the tree and side of a node; the job ends if there is no memory. */
static char *buffer_of(summing *s, node n, int side, size_t bytes)
{
    int at = 2 + side;
    for (int size = 1; size < n.size; size *= 2)
        at += 2;
    if (!nln_array_grow(&s->x->buffer[at], &s->x->room[at], bytes, 1))
        nln_cluster_abort(nln_memory_shortage());
    return s->x->buffer[at];
}

/* Sums a node whose shards are all here. */
static void sum_here(void *context, int step)
{
    const summing *s = context;
    real *at = (real *)(void *)(s->out + sizeof(head));
    (void)step;
    for (int i = 0; i < s->n_parts; i++) {
        const nln_shard_part *p = &s->part[i];
        if (!p->rows) {
            nln_shard_blocks_sum(p->gradient, s->node.first, s->node.last, 0, p->width);
            memcpy(at, p->gradient[s->node.first], p->width * sizeof *at);
            at += p->width;
        }
        for (int32_t k = 0; p->rows && k < p->rows->n; k++)
            if (nln_shard_rows_sum(at, p->rows, k, s->node.first, s->node.last, p->gradient,
                                   p->width))
                at += p->width;
    }
}

static node half_of(node n, int side)
{
    int middle = n.first + n.size / 2, end = side ? n.last : middle;
    return (node){side ? middle : n.first, end < n.last ? end : n.last, n.size / 2};
}

/* The sum of the two halves of a node. */
static void add_halves(void *context, int step)
{
    const nln_kernels *kernels = nln_kernels_get();
    const summing *s = context;
    const real *half[2] = {(const real *)(const void *)(s->half[0] + sizeof(head)),
                           (const real *)(const void *)(s->half[1] + sizeof(head))};
    real *at = (real *)(void *)(s->out + sizeof(head));
    (void)step;
    for (int i = 0; i < s->n_parts; i++) {
        const nln_shard_part *p = &s->part[i];
        int32_t n = p->rows ? p->rows->n : 1;
        for (int32_t k = 0; k < n; k++) {
            int has[2] = {1, 1};
            for (int side = 0; p->rows && side < 2; side++)
                has[side] = touches(p->rows, k, half_of(s->node, side));
            if (!has[0] && !has[1])
                continue;
            memcpy(at, half[!has[0]], p->width * sizeof *at);
            if (has[0] && has[1])
                kernels->axpy(at, 1, half[1], p->width);
            for (int side = 0; side < 2; side++)
                half[side] += has[side] ? p->width : 0;
            at += p->width;
        }
    }
}

/* ---- along the tree ------------------------------------------------------------------------ */

/* The ranks that have a part of a node, in their order. */
typedef struct ranks {
    int n, of[NLN_MOST_SHARDS];
} ranks;

static ranks ranks_of(const summing *s, node n)
{
    ranks r = {0};
    for (int i = n.first; i < n.last; i++)
        if (!r.n || r.of[r.n - 1] != s->owners->rank[i])
            r.of[r.n++] = s->owners->rank[i];
    return r;
}

static int has_rank(const ranks *r, int rank)
{
    for (int i = 0; i < r->n; i++)
        if (r->of[i] == rank)
            return 1;
    return 0;
}

/* The messages of this rank at a node. */
typedef struct messages {
    nln_message send[NLN_MOST_SHARDS], receive[2];
    int n_send, n_receive;
} messages;

/* Those of `from`, which know the sum of a half, give it in turn to those of `to` that do not. */
static void add_messages(messages *m, const ranks *from, const ranks *to, char *half, size_t bytes)
{
    int me = nln_communicator_rank(), turn = 0;
    for (int i = 0; i < to->n; i++) {
        if (has_rank(from, to->of[i]))
            continue;
        int giver = from->of[turn++ % from->n];
        if (giver == me)
            m->send[m->n_send++] = (nln_message){to->of[i], half, bytes};
        if (to->of[i] == me)
            m->receive[m->n_receive++] = (nln_message){giver, half, bytes};
    }
}

/* The sum of a node that this rank has a part of, packed. */
static char *sum_node(summing *s, node n, int side)
{
    int me = nln_communicator_rank();
    ranks all = ranks_of(s, n);
    if (all.n == 1) {
        char *out = buffer_of(s, n, side, bytes_of(s, n));
        s->node = n;
        s->out = out;
        nln_thread_pool_run(s->pool, 1, sum_here, s);
        nln_shard_sum_losses(s->loss, n.first, n.last);
        head h = {s->loss[n.first], nln_communicator_count()->wants_stop};
        memcpy(out, &h, sizeof h);
        return out;
    }
    node halves[2] = {half_of(n, 0), half_of(n, 1)};
    if (halves[1].first >= halves[1].last)
        return sum_node(s, halves[0], side);
    ranks of[2] = {ranks_of(s, halves[0]), ranks_of(s, halves[1])};
    char *sum[2];
    size_t bytes[2];
    messages m = {.n_send = 0};
    for (int i = 0; i < 2; i++) {
        bytes[i] = bytes_of(s, halves[i]);
        sum[i] =
            has_rank(&of[i], me) ? sum_node(s, halves[i], i) : buffer_of(s, halves[i], i, bytes[i]);
    }
    for (int i = 0; i < 2; i++)
        add_messages(&m, &of[i], &of[!i], sum[i], bytes[i]);
    nln_communicator_exchange(m.send, m.n_send, m.receive, m.n_receive);
    char *out = buffer_of(s, n, side, bytes_of(s, n));
    s->node = n;
    s->out = out;
    s->half[0] = sum[0];
    s->half[1] = sum[1];
    nln_thread_pool_run(s->pool, 1, add_halves, s);
    head h, other;
    memcpy(&h, sum[0], sizeof h);
    memcpy(&other, sum[1], sizeof other);
    nln_loss_add(&h.loss, &other.loss);
    h.stops += other.stops;
    memcpy(out, &h, sizeof h);
    return out;
}

static void unpack(summing *s, const char *packed)
{
    const real *at = (const real *)(const void *)(packed + sizeof(head));
    head h;
    for (int i = 0; i < s->n_parts; i++) {
        size_t n = s->part[i].width * (s->part[i].rows ? (size_t)s->part[i].rows->n : 1);
        memcpy(s->part[i].sum, at, n * sizeof *at);
        at += n;
    }
    memcpy(&h, packed, sizeof h);
    s->loss[0] = h.loss;
    nln_communicator_count()->stops = h.stops > 0;
}

void nln_shard_exchange_sum(nln_shard_exchange *x, nln_shard_part *part, int n_parts,
                            nln_loss *loss, const nln_shard_owners *o, nln_thread_pool *pool)
{
    summing s = {.x = x, .part = part, .n_parts = n_parts, .loss = loss, .owners = o, .pool = pool};
    node root = {0, o->n_shards, 1};
    int n_ranks = nln_communicator_size(), me = nln_communicator_rank(), turn = 0;
    while (root.size < o->n_shards)
        root.size *= 2;
    ranks holders = ranks_of(&s, root);
    size_t bytes = bytes_of(&s, root);
    char *sum = has_rank(&holders, me) ? sum_node(&s, root, 0) : buffer_of(&s, root, 0, bytes);
    for (int r = 0; r < n_ranks; r++) { /* those that have no shard */
        if (has_rank(&holders, r))
            continue;
        int giver = holders.of[turn++ % holders.n];
        nln_message m = {giver == me ? r : giver, sum, bytes};
        if (giver == me)
            nln_communicator_exchange(&m, 1, NULL, 0);
        else if (r == me)
            nln_communicator_exchange(NULL, 0, &m, 1);
    }
    unpack(&s, sum);
}

void nln_shard_exchange_free(nln_shard_exchange *x)
{
    for (int i = 0; i < NLN_EXCHANGE_BUFFERS; i++)
        nln_free(x->buffer[i]);
    *x = (nln_shard_exchange){0};
}

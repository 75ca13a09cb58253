#include "net/shard_exchange.h"

#include <string.h>

#include "base/array.h"
#include "base/communicator.h"
#include "base/memory.h"

/* ---- nodes, and their sums ------------------------------------------------------------------ */

/* The shards first .. last - 1, all there are of an aligned range of `size`. */
typedef struct node {
    int first, last, size;
} node;

static node half_of(node n, int side)
{
    int middle = n.first + n.size / 2, end = side ? n.last : middle;
    return (node){side ? middle : n.first, end < n.last ? end : n.last, n.size / 2};
}

/* A packed sum begins with this. */
typedef struct head {
    nln_loss loss;
    double stops; /* a rank of the node wants to stop */
} head;

/* The sum of a node: its head, and then of each part the sum of its block, or of the rows that the
 * node touches, in the order of their places. */
typedef struct term {
    node node;
    char *packed;
    size_t bytes;
    const int32_t *place[NLN_MOST_SHARD_PARTS]; /* [n] of each part; NULL of a block */
    int32_t n[NLN_MOST_SHARD_PARTS];            /* rows; 1 of a block */
} term;

enum { SLICES = 8, MOST_TERMS = NLN_MOST_SHARDS };

typedef struct summing {
    nln_shard_exchange *x;
    nln_shard_part *part;
    int n_parts;
    size_t n_buffers; /* in use */
    nln_loss *loss;
    const nln_shard_assignment *owners;
    nln_thread_pool *pool;
    /* The largest nodes that one rank has, in the order of their shards. */
    term *piece;
    int n_pieces;
    size_t *holder[NLN_MOST_SHARD_PARTS]; /* where the holders of a place in a piece begin */
    /* Of a step in the pool: the sum of these ... */
    const term *from;
    int n_from;
    const term *to; /* ... is packed here; NULL: goes to the parts */
} summing;

/* Memory of this sum; the job ends if there is none. */
static void *take(summing *s, size_t bytes)
{
    nln_shard_exchange *x = s->x;
    size_t i = s->n_buffers++;
    if (i >= x->n) {
        if (!NLN_ARRAY_RESERVE(x->buffer, x->room, i + 1))
            nln_cluster_abort(nln_memory_shortage());
        x->buffer[x->n++] = (nln_exchange_buffer){0};
    }
    if (!nln_array_grow(&x->buffer[i].bytes, &x->buffer[i].room, bytes, 1))
        nln_cluster_abort(nln_memory_shortage());
    return x->buffer[i].bytes;
}

/* The numbers of a part in a packed sum. */
static real *numbers_of(const summing *s, const term *t, int part)
{
    real *at = (real *)(void *)(t->packed + sizeof(head));
    for (int i = 0; i < part; i++)
        at += (size_t)t->n[i] * s->part[i].width;
    return at;
}

static void make_room(summing *s, term *t)
{
    t->bytes = sizeof(head);
    for (int i = 0; i < s->n_parts; i++)
        t->bytes += (size_t)t->n[i] * s->part[i].width * sizeof(real);
    t->packed = take(s, t->bytes);
}

/* How many of n ascending places are below one. */
static int32_t below(const int32_t *place, int32_t n, int32_t limit)
{
    int32_t first = 0;
    while (n > 0) {
        int32_t half = n / 2;
        if (place[first + half] < limit) {
            first += half + 1;
            n -= half + 1;
        } else {
            n = half;
        }
    }
    return first;
}

/* Threads share what there is of a part in slices. */
static size_t slice_begin(size_t n, int slice)
{
    return n * (size_t)slice / SLICES;
}

/* ---- the pieces of the ranks ---------------------------------------------------------------- */

static void add_pieces(summing *s, node n)
{
    const int *rank = s->owners->rank;
    if (n.first >= n.last)
        return;
    if (rank[n.first] == rank[n.last - 1]) { /* ranks ascend */
        s->piece[s->n_pieces++] = (term){.node = n};
        return;
    }
    add_pieces(s, half_of(n, 0));
    add_pieces(s, half_of(n, 1));
}

/* The places that each piece touches, and their holders; those of a piece begin where its first
 * shard begins. */
static void list_places(summing *s, int part)
{
    const nln_shard_rows *u = s->part[part].rows;
    size_t n = u->start[s->owners->n_shards];
    int32_t *place = take(s, (n + 1) * sizeof *place);
    size_t *holder = s->holder[part] = take(s, (n + 1) * sizeof *holder);
    int piece_of[NLN_MOST_SHARDS] = {0};
    for (int p = 0; p < s->n_pieces; p++) {
        s->piece[p].place[part] = place + u->start[s->piece[p].node.first];
        s->piece[p].n[part] = 0;
        for (int i = s->piece[p].node.first; i < s->piece[p].node.last; i++)
            piece_of[i] = p;
    }
    for (int32_t k = 0; k < u->n; k++)
        for (size_t h = u->first[k], before = h; h < u->first[k + 1]; before = h++) {
            int p = piece_of[u->holder[h].shard];
            if (h > before && p == piece_of[u->holder[before].shard])
                continue;
            size_t at = u->start[s->piece[p].node.first] + (size_t)s->piece[p].n[part]++;
            place[at] = k;
            holder[at] = h;
        }
}

static void list_pieces(summing *s, node root)
{
    s->piece = take(s, (size_t)s->owners->n_shards * sizeof *s->piece);
    add_pieces(s, root);
    for (int i = 0; i < s->n_parts; i++) {
        int same = i && s->part[i].rows && s->part[i].rows == s->part[i - 1].rows;
        if (s->part[i].rows && !same)
            list_places(s, i);
        for (int p = 0; p < s->n_pieces && (same || !s->part[i].rows); p++) {
            s->piece[p].place[i] = same ? s->piece[p].place[i - 1] : NULL;
            s->piece[p].n[i] = same ? s->piece[p].n[i - 1] : 1;
        }
        if (same)
            s->holder[i] = s->holder[i - 1];
    }
}

/* Packs the rows first .. last - 1 of a piece that this rank has. */
static void sum_rows(const summing *s, const term *t, int part, int32_t first, int32_t last)
{
    const nln_shard_part *p = &s->part[part];
    const nln_shard_rows *u = p->rows;
    const size_t *holder = s->holder[part] + u->start[t->node.first];
    real *out = numbers_of(s, t, part) + (size_t)first * p->width;
    for (int32_t j = first; j < last; j++, out += p->width) {
        size_t begin = holder[j], end = begin, most = u->first[t->place[part][j] + 1];
        while (end < most && u->holder[end].shard < t->node.last)
            end++;
        nln_shard_rows_sum(out, u->holder + begin, end - begin, p->gradient, p->width);
    }
}

static void sum_own_slice(void *context, int slice)
{
    const summing *s = context;
    for (int j = 0; j < s->n_pieces; j++) {
        const term *t = &s->piece[j];
        if (s->owners->rank[t->node.first] != nln_communicator_rank())
            continue;
        for (int i = 0; i < s->n_parts; i++) {
            const nln_shard_part *p = &s->part[i];
            size_t n = p->rows ? (size_t)t->n[i] : p->width;
            size_t first = slice_begin(n, slice), last = slice_begin(n, slice + 1);
            if (p->rows) {
                sum_rows(s, t, i, (int32_t)first, (int32_t)last);
                continue;
            }
            nln_shard_blocks_sum(p->gradient, t->node.first, t->node.last, first, last);
            memcpy(numbers_of(s, t, i) + first, p->gradient[t->node.first] + first,
                   (last - first) * sizeof(real));
        }
    }
}

static void sum_own(summing *s)
{
    for (int j = 0; j < s->n_pieces; j++) {
        term *t = &s->piece[j];
        if (s->owners->rank[t->node.first] != nln_communicator_rank())
            continue;
        make_room(s, t);
        nln_shard_sum_losses(s->loss, t->node.first, t->node.last);
        head h = {s->loss[t->node.first], nln_communicator_count()->wants_stop};
        memcpy(t->packed, &h, sizeof h);
    }
    nln_thread_pool_run_again(s->pool, SLICES, sum_own_slice, s);
}

/* ---- the sum of several terms --------------------------------------------------------------- */

/* Walks over the places of a part: which of the terms touch one, as holders by their first shards.
 */
typedef struct cursors {
    const summing *s;
    int part;
    int32_t at[MOST_TERMS];
    nln_row_holder holder[MOST_TERMS];
} cursors;

static void begin_places(cursors *c, const summing *s, int part, int32_t first)
{
    c->s = s;
    c->part = part;
    for (int j = 0; j < s->n_from; j++)
        c->at[j] = below(s->from[j].place[part], s->from[j].n[part], first);
}

static size_t next_place(cursors *c, int32_t place)
{
    size_t n = 0;
    for (int j = 0; j < c->s->n_from; j++) {
        const term *t = &c->s->from[j];
        const int32_t *list = t->place[c->part];
        if (c->at[j] < t->n[c->part] && list[c->at[j]] == place)
            c->holder[n++] = (nln_row_holder){t->node.first, c->at[j]++};
    }
    return n;
}

static void sum_terms_slice(void *context, int slice)
{
    const summing *s = context;
    real *gradient[NLN_MOST_SHARDS];
    cursors c;
    for (int i = 0; i < s->n_parts; i++) {
        const nln_shard_part *p = &s->part[i];
        size_t n = p->rows ? (size_t)p->rows->n : p->width;
        size_t first = slice_begin(n, slice), last = slice_begin(n, slice + 1);
        real *out = s->to ? numbers_of(s, s->to, i) : p->sum;
        for (int j = 0; j < s->n_from; j++)
            gradient[s->from[j].node.first] = numbers_of(s, &s->from[j], i) + (p->rows ? 0 : first);
        if (!p->rows) {
            for (int j = 0; j < s->n_from; j++)
                c.holder[j] = (nln_row_holder){s->from[j].node.first, 0};
            nln_shard_rows_sum(out + first, c.holder, (size_t)s->n_from, gradient, last - first);
            continue;
        }
        begin_places(&c, s, i, (int32_t)first);
        out += p->width * (size_t)(s->to ? below(s->to->place[i], s->to->n[i], (int32_t)first)
                                         : (int32_t)first);
        for (size_t k = first; k < last; k++) {
            size_t holders = next_place(&c, (int32_t)k);
            if (!holders)
                continue;
            nln_shard_rows_sum(out, c.holder, holders, gradient, p->width);
            out += p->width;
        }
    }
}

/* The head of the sum.  Adding -0 to a number is the one sum that always leaves it as it is. */
static head sum_heads(const term *from, int n_from)
{
    const nln_loss none = {-0.0, -0.0, -0.0, -0.0, -0.0};
    nln_loss loss[NLN_MOST_SHARDS];
    head sum = {.stops = 0};
    int n_shards = from[n_from - 1].node.last;
    for (int i = 0; i < n_shards; i++)
        loss[i] = none;
    for (int j = 0; j < n_from; j++) {
        head h;
        memcpy(&h, from[j].packed, sizeof h);
        loss[from[j].node.first] = h.loss;
        sum.stops += h.stops;
    }
    nln_shard_sum_losses(loss, from[0].node.first, n_shards);
    sum.loss = loss[from[0].node.first];
    return sum;
}

/* The pieces of a node. */
static int pieces_of(term **first, const summing *s, node n)
{
    int begin = 0, end = s->n_pieces;
    while (s->piece[begin].node.first < n.first)
        begin++;
    while (s->piece[end - 1].node.last > n.last)
        end--;
    *first = s->piece + begin;
    return end - begin;
}

/* A term for the sum of a node, with room; the places are those of its pieces. */
static term term_of(summing *s, node n)
{
    term t = {.node = n}, *pieces;
    s->n_from = pieces_of(&pieces, s, n);
    s->from = pieces;
    for (int i = 0; i < s->n_parts; i++) {
        const nln_shard_rows *u = s->part[i].rows;
        cursors c;
        t.n[i] = 1;
        if (!u)
            continue;
        if (i && u == s->part[i - 1].rows) {
            t.n[i] = t.n[i - 1];
            t.place[i] = t.place[i - 1];
            continue;
        }
        int32_t *place = take(s, (size_t)(u->n + 1) * sizeof *place);
        begin_places(&c, s, i, 0);
        t.place[i] = place;
        t.n[i] = 0;
        for (int32_t k = 0; k < u->n; k++)
            if (next_place(&c, k))
                place[t.n[i]++] = k;
    }
    make_room(s, &t);
    return t;
}

/* Makes one term of those of a node. */
static void join_terms(summing *s, term *terms, int *n_terms, node n)
{
    if (*n_terms == 1)
        return;
    term sum = term_of(s, n);
    s->from = terms;
    s->n_from = *n_terms;
    s->to = &sum;
    nln_thread_pool_run_again(s->pool, SLICES, sum_terms_slice, s);
    head h = sum_heads(terms, *n_terms);
    memcpy(sum.packed, &h, sizeof h);
    terms[0] = sum;
    *n_terms = 1;
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

/* Two ranks swap all their pieces of a node at once. */
static int swap_pieces(summing *s, term *out, node n, const ranks *two)
{
    int me = nln_communicator_rank(), other = two->of[two->of[0] == me];
    nln_message send[NLN_MOST_SHARDS], receive[NLN_MOST_SHARDS];
    int n_send = 0, n_receive = 0;
    term *t;
    int count = pieces_of(&t, s, n);
    for (int j = 0; j < count; j++, t++) {
        if (s->owners->rank[t->node.first] == me) {
            send[n_send++] = (nln_message){other, t->packed, t->bytes};
        } else {
            make_room(s, t);
            receive[n_receive++] = (nln_message){other, t->packed, t->bytes};
        }
        out[j] = *t;
    }
    nln_communicator_exchange(send, n_send, receive, n_receive);
    return count;
}

/* Where the two halves of a node are on different ranks, those that know the sum of one give it in
 * turn to those that do not. */
static int swap_halves(summing *s, term *terms[2], int n_terms[2], node n)
{
    int me = nln_communicator_rank(), n_send = 0, n_receive = 0;
    ranks of[2] = {ranks_of(s, half_of(n, 0)), ranks_of(s, half_of(n, 1))};
    nln_message send[NLN_MOST_SHARDS], receive[2];
    for (int side = 0; side < 2; side++)
        for (int i = 0, turn = 0; i < of[!side].n; i++) {
            int to = of[!side].of[i];
            if (has_rank(&of[side], to))
                continue;
            int giver = of[side].of[turn++ % of[side].n];
            if (giver == me) {
                join_terms(s, terms[side], &n_terms[side], half_of(n, side));
                send[n_send++] = (nln_message){to, terms[side]->packed, terms[side]->bytes};
            } else if (to == me) {
                terms[side][0] = term_of(s, half_of(n, side));
                n_terms[side] = 1;
                receive[n_receive++] =
                    (nln_message){giver, terms[side]->packed, terms[side]->bytes};
            }
        }
    nln_communicator_exchange(send, n_send, receive, n_receive);
    memmove(terms[0] + n_terms[0], terms[1], (size_t)n_terms[1] * sizeof **terms);
    return n_terms[0] + n_terms[1];
}

/* Terms that make up a node that this rank has a part of; returns how many.  There is room for the
 * pieces of the node. */
static int collect(summing *s, term *out, node n)
{
    ranks all = ranks_of(s, n);
    term *pieces;
    if (all.n == 1) {
        pieces_of(&pieces, s, n);
        out[0] = *pieces;
        return 1;
    }
    node halves[2] = {half_of(n, 0), half_of(n, 1)};
    if (halves[1].first >= halves[1].last)
        return collect(s, out, halves[0]);
    if (all.n == 2)
        return swap_pieces(s, out, n, &all);
    int n_terms[2] = {0};
    term *terms[2] = {out, NULL};
    for (int side = 0; side < 2; side++) {
        ranks of = ranks_of(s, halves[side]);
        terms[side] = out + (side ? pieces_of(&pieces, s, halves[0]) : 0);
        if (has_rank(&of, nln_communicator_rank()))
            n_terms[side] = collect(s, terms[side], halves[side]);
    }
    return swap_halves(s, terms, n_terms, n);
}

/* Ranks that have no shard get the sum. */
static void give_sum(summing *s, term *terms, int *n_terms, const ranks *holders, node root)
{
    int n_ranks = nln_communicator_size(), me = nln_communicator_rank(), turn = 0;
    for (int r = 0; r < n_ranks; r++) {
        if (has_rank(holders, r))
            continue;
        int giver = holders->of[turn++ % holders->n];
        if (giver == me) {
            join_terms(s, terms, n_terms, root);
            nln_message m = {r, terms->packed, terms->bytes};
            nln_communicator_exchange(&m, 1, NULL, 0);
        } else if (r == me) {
            terms[0] = term_of(s, root);
            *n_terms = 1;
            nln_message m = {giver, terms->packed, terms->bytes};
            nln_communicator_exchange(NULL, 0, &m, 1);
        }
    }
}

void nln_shard_exchange_sum(nln_shard_exchange *x, nln_shard_part *part, int n_parts,
                            nln_loss *loss, const nln_shard_assignment *o, nln_thread_pool *pool)
{
    summing s = {.x = x, .part = part, .n_parts = n_parts, .loss = loss, .owners = o, .pool = pool};
    node root = {0, o->n_shards, 1};
    int n_terms = 0;
    while (root.size < o->n_shards)
        root.size *= 2;
    list_pieces(&s, root);
    term *terms = take(&s, (size_t)s.n_pieces * sizeof *terms);
    ranks holders = ranks_of(&s, root);
    sum_own(&s);
    if (has_rank(&holders, nln_communicator_rank()))
        n_terms = collect(&s, terms, root);
    give_sum(&s, terms, &n_terms, &holders, root);
    s.from = terms;
    s.n_from = n_terms;
    s.to = NULL;
    nln_thread_pool_run_again(pool, SLICES, sum_terms_slice, &s);
    head h = sum_heads(terms, n_terms);
    loss[0] = h.loss;
    nln_communicator_count()->stops = h.stops > 0;
}

void nln_shard_exchange_free(nln_shard_exchange *x)
{
    for (size_t i = 0; i < x->n; i++)
        nln_free(x->buffer[i].bytes);
    nln_free(x->buffer);
    *x = (nln_shard_exchange){0};
}

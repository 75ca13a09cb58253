#include "net/shard_assignment.h"

#include <math.h>

#include "base/communicator.h"

/* Of two cuts that divide the work about as well, the one that cuts fewer nodes of the tree is
 * better, since the sum of every piece travels: a level is worth a tenth of a shard. */
static double aligned(int cut)
{
    int levels = 0;
    while (levels < 3 && cut % (2 << levels) == 0)
        levels++;
    return 0.1 * levels;
}

/* The shard, not before `from`, with which the next rank begins: work[i] is that of the shards
 * before i, and `wanted` what should be done before the cut. */
static int cut_at(const double *work, int from, int n, double wanted)
{
    double mean = work[n] / n, least = INFINITY;
    int best = from;
    for (int i = from; i <= n; i++) {
        double miss = fabs(work[i] - wanted) / mean - aligned(i);
        if (miss < least) {
            least = miss;
            best = i;
        }
    }
    return best;
}

void nln_shard_assignment_assign(nln_shard_assignment *o, const int64_t *cost, int n_shards)
{
    int n_ranks = nln_communicator_size(), me = nln_communicator_rank(), begin = 0;
    double work[NLN_MOST_SHARDS + 1] = {0};
    *o = (nln_shard_assignment){.n_shards = n_shards, .shared = n_ranks > 1 && n_shards > 1};
    o->last = n_shards;
    if (!o->shared)
        return;
    for (int i = 0; i < n_shards; i++)
        work[i + 1] = work[i] + (cost && cost[i] > 0 ? (double)cost[i] : 1);
    for (int rank = 0; rank < n_ranks; rank++) {
        int end = rank + 1 < n_ranks
                      ? cut_at(work, begin, n_shards, work[n_shards] * (rank + 1) / n_ranks)
                      : n_shards;
        for (int i = begin; i < end; i++)
            o->rank[i] = rank;
        if (rank == me) {
            o->first = begin;
            o->last = end;
        }
        begin = end;
    }
}

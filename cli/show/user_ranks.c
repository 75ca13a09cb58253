#include "show/user_ranks.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "allocate.h"
#include "show/output_file.h"
#include "show/tsv_file.h"

enum { CUT = 10 };

static double ndcg_at(double rank)
{
    return rank <= CUT ? 1 / log2(rank + 1) : 0;
}

int cli_user_ranks_write(const nln_placing *placings, size_t n, const nln_ratings *r,
                         const char *path)
{
    cli_file file;
    int code = cli_file_open(&file, path, "--per-user");

    if (code)
        return code;
    fputs("user\titem\tscore\trank_sampled\trank_full\tndcg@10_sampled\thit@10_sampled\t"
          "ndcg@10_full\thit@10_full\n",
          file.stream);
    for (size_t i = 0; i < n; i++) {
        const nln_placing *p = &placings[i];
        fprintf(file.stream, "%s\t%s\t%.6g\t%g\t%.10g\t%.6f\t%d\t%.6f\t%d\n",
                nln_ratings_user(r, p->user), nln_ratings_item(r, p->item), p->score, p->sampled,
                p->full, ndcg_at(p->sampled), p->sampled <= CUT, ndcg_at(p->full), p->full <= CUT);
    }
    return cli_file_finish(&file);
}

/* The mean over both sides of a triple. */
static double hits_at(const nln_link_placing *p, double cut)
{
    return ((p->head_rank <= cut) + (p->tail_rank <= cut)) / 2.0;
}

int cli_user_ranks_write_links(const nln_link_placing *placings, size_t n,
                               const nln_triples *triples, const char *path)
{
    cli_file file;
    int code = cli_file_open(&file, path, "--per-triple");

    if (code)
        return code;
    fputs("triple\trank_tail\trank_head\tmrr\thits@1\thits@3\thits@10\n", file.stream);
    for (size_t i = 0; i < n; i++) {
        const nln_link_placing *p = &placings[i];
        fprintf(file.stream, "%s(%s, %s)\t%.10g\t%.10g\t%.6f\t%.1f\t%.1f\t%.1f\n",
                nln_triples_relation(triples, p->relation), nln_triples_entity(triples, p->head),
                nln_triples_entity(triples, p->tail), p->tail_rank, p->head_rank,
                (1 / p->head_rank + 1 / p->tail_rank) / 2, hits_at(p, 1), hits_at(p, 3),
                hits_at(p, CUT));
    }
    return cli_file_finish(&file);
}

int cli_user_ranks_add(cli_user_ranks *ranks, const char *path, const char *column)
{
    cli_tsv tsv;
    cli_tsv_read(&tsv, path);
    int at = cli_tsv_column(&tsv, column);

    for (size_t i = 0; at >= 0 && i < tsv.n_rows; i++) {
        const char *name = cli_tsv_text(&tsv, i, 0);
        double value = cli_tsv_number(&tsv, i, at);
        if (isnan(value))
            continue;
        ranks->means = cli_memory_grow(ranks->means, ranks->n, &ranks->room, sizeof *ranks->means);
        ranks->means[ranks->n++] = (cli_user_mean){cli_memory_copy(name, strlen(name)), value, 1};
    }
    cli_tsv_free(&tsv);
    return at >= 0;
}

static int by_user(const void *a, const void *b)
{
    return strcmp(((const cli_user_mean *)a)->user, ((const cli_user_mean *)b)->user);
}

void cli_user_ranks_settle(cli_user_ranks *ranks)
{
    size_t n = 0;

    if (ranks->n > 0)
        qsort(ranks->means, ranks->n, sizeof *ranks->means, by_user);
    for (size_t i = 0; i < ranks->n; i++) {
        cli_user_mean *mean = &ranks->means[i];
        if (n == 0 || strcmp(ranks->means[n - 1].user, mean->user) != 0) {
            ranks->means[n++] = *mean;
            continue;
        }
        ranks->means[n - 1].sum += mean->sum;
        ranks->means[n - 1].n += mean->n;
        free(mean->user);
    }
    ranks->n = n;
}

void cli_user_ranks_free(cli_user_ranks *ranks)
{
    for (size_t i = 0; i < ranks->n; i++)
        free(ranks->means[i].user);
    free(ranks->means);
    *ranks = (cli_user_ranks){0};
}

nln_paired cli_user_ranks_compare(const cli_user_ranks *a, const cli_user_ranks *b)
{
    size_t n = 0, most = a->n < b->n ? a->n : b->n;
    double *x = cli_memory_resize(NULL, most, sizeof *x);
    double *y = cli_memory_resize(NULL, most, sizeof *y);

    for (size_t i = 0, j = 0; i < a->n && j < b->n;) {
        int order = strcmp(a->means[i].user, b->means[j].user);
        if (order == 0) {
            x[n] = a->means[i].sum / (double)a->means[i].n;
            y[n++] = b->means[j].sum / (double)b->means[j].n;
        }
        i += order <= 0;
        j += order >= 0;
    }
    nln_paired paired = nln_statistics_paired(x, y, n);
    free(x);
    free(y);
    return paired;
}

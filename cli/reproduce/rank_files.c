#include "reproduce/rank_files.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "allocate.h"
#include "show/tsv_file.h"

int cli_ranks_add(cli_ranks *ranks, const char *path, const char *column)
{
    cli_tsv tsv;
    cli_tsv_read(&tsv, path);
    int user = cli_tsv_column(&tsv, "user"), at = cli_tsv_column(&tsv, column);

    for (size_t i = 0; user >= 0 && at >= 0 && i < tsv.n_rows; i++) {
        const char *name = cli_tsv_text(&tsv, i, user);
        double value = cli_tsv_number(&tsv, i, at);
        if (isnan(value))
            continue;
        ranks->means = cli_memory_grow(ranks->means, ranks->n, &ranks->room, sizeof *ranks->means);
        ranks->means[ranks->n++] = (cli_mean){cli_memory_copy(name, strlen(name)), value, 1};
    }
    cli_tsv_free(&tsv);
    return user >= 0 && at >= 0;
}

static int by_user(const void *a, const void *b)
{
    return strcmp(((const cli_mean *)a)->user, ((const cli_mean *)b)->user);
}

void cli_ranks_settle(cli_ranks *ranks)
{
    size_t n = 0;

    if (ranks->n > 0)
        qsort(ranks->means, ranks->n, sizeof *ranks->means, by_user);
    for (size_t i = 0; i < ranks->n; i++) {
        cli_mean *mean = &ranks->means[i];
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

void cli_ranks_free(cli_ranks *ranks)
{
    for (size_t i = 0; i < ranks->n; i++)
        free(ranks->means[i].user);
    free(ranks->means);
    *ranks = (cli_ranks){0};
}

nln_paired cli_ranks_compare(const cli_ranks *a, const cli_ranks *b)
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

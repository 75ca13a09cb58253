#include "commands/rank_dump.h"

#include <math.h>
#include <stdio.h>

#include "show/files.h"

enum { CUT = 10 };

static double hit_at(double rank)
{
    return rank <= CUT;
}

static double ndcg_at(double rank)
{
    return rank <= CUT ? 1 / log2(rank + 1) : 0;
}

int cli_placings_write(const nln_placing *placings, size_t n, const nln_ratings *r,
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
        fprintf(file.stream, "%s\t%s\t%.6g\t%g\t%.10g\t%.6f\t%g\t%.6f\t%g\n",
                nln_ratings_user(r, p->user), nln_ratings_item(r, p->item), p->score, p->sampled,
                p->full, ndcg_at(p->sampled), hit_at(p->sampled), ndcg_at(p->full),
                hit_at(p->full));
    }
    return cli_file_finish(&file);
}

#include "show/metrics_table.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>

#include "show/struct_fields.h"

enum { USUAL_CUT = 10, MOST_METRICS = 6 };

/* clang-format off */
#define LABELS(member) offsetof(nln_metrics, member), CLI_OF_LABELS, 0
#define RANKS(member, kind, at_cut) offsetof(nln_ranking, member), kind, at_cut

static const cli_metric of_labels[] = {
    {"accuracy", "accuracy", "accuracy", 0, LABELS(accuracy)},
    {"rmse", "RMSE", "rmse", 1, LABELS(rmse)},
    {"cross_entropy", "cross-entropy", "cross-entropy", 1, LABELS(cross_entropy)},
    {"auc", "AUC", "auc", 0, LABELS(auc)},
};
static const cli_metric of_ranks[] = {
    {"ndcg@10", "nDCG@10", "ndcg", 0, RANKS(ndcg, CLI_OF_SAMPLED, 1)},
    {"hit@10", "HR@10", "hit", 0, RANKS(hit, CLI_OF_SAMPLED, 1)},
    {"mrr", "MRR", "mrr", 0, RANKS(mrr, CLI_OF_SAMPLED, 0)},
    {"full_ndcg@10", "full nDCG@10", NULL, 0, RANKS(ndcg, CLI_OF_FULL, 1)},
    {"full_hit@10", "full HR@10", NULL, 0, RANKS(hit, CLI_OF_FULL, 1)},
    {"full_mrr", "full MRR", NULL, 0, RANKS(mrr, CLI_OF_FULL, 0)},
};
#define LINKS(member) offsetof(nln_link_ranking, member), CLI_OF_LINKS, 0
static const cli_metric of_links[] = {
    {"mrr", "MRR", "mrr", 0, LINKS(mrr)},
    {"hits@1", "Hits@1", NULL, 0, LINKS(hits[0])},
    {"hits@3", "Hits@3", NULL, 0, LINKS(hits[1])},
    {"hits@10", "Hits@10", "hits@10", 0, LINKS(hits[2])},
    {"mean_rank", "mean rank", NULL, 1, LINKS(mean_rank)},
};
/* clang-format on */

static const struct {
    const char *name, *unit; /* of the count */
    const cli_metric *metrics;
    int n_metrics, main;
} tasks[] = {
    [CLI_LOGIC] = {"logic", "expressions", of_labels, 3, 0},
    [CLI_PREFERENCE] = {"preference", "interactions", of_labels, 4, 3},
    [CLI_TOPK] = {"topk", "likes ranked", of_ranks, 6, 0},
    [CLI_LINK] = {"link", "rankings", of_links, 5, 0},
};

const char *cli_metrics_split_name(nln_split split)
{
    static const char *const names[] = {"train", "valid", "test"};
    return names[split];
}

cli_task cli_metrics_task(const nln_options *options)
{
    return (cli_task)nln_options_number(options, "task");
}

const char *cli_metrics_task_name(cli_task task)
{
    return tasks[task].name;
}

const cli_metric *cli_metrics_row(cli_task task, int index)
{
    return index < tasks[task].n_metrics ? &tasks[task].metrics[index] : NULL;
}

const cli_metric *cli_metrics_main(cli_task task)
{
    return &tasks[task].metrics[tasks[task].main];
}

double cli_metrics_value(const nln_metrics *metrics, const cli_metric *metric)
{
    const nln_ranking *r = metric->kind == CLI_OF_FULL ? &metrics->full : &metrics->sampled;
    int cut = 0;

    if (metric->kind == CLI_OF_LINKS)
        return metrics->links.n
                   ? *(const double *)(const void *)((const char *)&metrics->links + metric->offset)
                   : NAN;
    if (metric->kind == CLI_OF_LABELS)
        return metrics->n ? *(const double *)(const void *)((const char *)metrics + metric->offset)
                          : NAN;
    while (metric->at_cut && cut < r->n_cuts && r->cut[cut] != USUAL_CUT)
        cut++;
    if (!r->n || (metric->at_cut && cut == r->n_cuts))
        return NAN;
    return ((const double *)(const void *)((const char *)r + metric->offset))[cut];
}

int cli_metrics_known(const nln_metrics *metrics)
{
    return metrics->n > 0 || metrics->sampled.n > 0 || metrics->full.n > 0 || metrics->links.n > 0;
}

/* ---- rankings ------------------------------------------------------------------ */

/* The metrics that a ranking has at each cut. */
static const struct {
    const char *key, *titles[2]; /* of the sampled and of the full ranking */
    size_t offset;
} at_cuts[] = {{"ndcg", {"nDCG@k", "full nDCG@k"}, offsetof(nln_ranking, ndcg)},
               {"hit", {"HR@k", "full HR@k"}, offsetof(nln_ranking, hit)},
               {"recall", {"recall@k", "full recall@k"}, offsetof(nln_ranking, recall)}};
enum { N_AT_CUTS = sizeof at_cuts / sizeof *at_cuts };

static double value_at(const nln_ranking *r, int metric, int cut)
{
    return r->n ? ((const double *)(const void *)((const char *)r + at_cuts[metric].offset))[cut]
                : NAN;
}

static void put_ranking(json_t *object, const nln_ranking *r)
{
    char key[32];

    cli_json_put(object, "n", cli_json_count(r->n));
    cli_json_put(object, "n_users", cli_json_count(r->n_users));
    for (int cut = 0; cut < r->n_cuts; cut++)
        for (int i = 0; i < N_AT_CUTS; i++) {
            snprintf(key, sizeof key, "%s@%d", at_cuts[i].key, r->cut[cut]);
            cli_json_put(object, key, cli_json_number(value_at(r, i, cut)));
        }
    cli_json_put(object, "mrr", cli_json_number(r->n ? r->mrr : NAN));
    cli_json_put(object, "mean_rank", cli_json_number(r->n ? r->mean_rank : NAN));
}

void cli_metrics_print_cuts(const nln_metrics *metrics, cli_shown shown)
{
    const nln_ranking *rankings[] = {&metrics->sampled, &metrics->full};
    int first = shown == CLI_SHOW_FULL, last = shown != CLI_SHOW_SAMPLED;
    cli_column columns[1 + 2 * N_AT_CUTS] = {{"k", 1}};
    size_t n = 1;
    cli_table table;

    for (int r = first; r <= last; r++)
        for (int i = 0; i < N_AT_CUTS; i++)
            columns[n++] = (cli_column){at_cuts[i].titles[r], 1};
    cli_table_open(&table, columns, n);
    for (int cut = 0; cut < rankings[first]->n_cuts; cut++) {
        cli_table_add(&table, "%d", rankings[first]->cut[cut]);
        for (int r = first; r <= last; r++)
            for (int i = 0; i < N_AT_CUTS; i++)
                cli_table_number(&table, 4, value_at(rankings[r], i, cut));
    }
    cli_table_print(&table, stdout);
    cli_table_close(&table);
}

/* The two kinds of questions apart, and the entities that training never saw. */
static void put_sides(json_t *object, const nln_link_ranking *r)
{
    json_t *heads = cli_json_object(), *tails = cli_json_object();

    cli_json_put(heads, "mrr", cli_json_number(r->n ? r->heads : NAN));
    cli_json_put(tails, "mrr", cli_json_number(r->n ? r->tails : NAN));
    cli_json_put(object, "heads", heads);
    cli_json_put(object, "tails", tails);
    cli_json_put(object, "unseen", cli_json_count(r->unseen));
}

/* ---- any metrics --------------------------------------------------------------- */

json_t *cli_metrics_json(const nln_metrics *metrics, cli_task task, cli_shown shown)
{
    json_t *object = cli_json_object(), *full;
    const cli_metric *metric;

    if (task != CLI_TOPK) {
        cli_json_put(object, "n", cli_json_count(task == CLI_LINK ? metrics->links.n : metrics->n));
        for (int i = 0; (metric = cli_metrics_row(task, i)); i++)
            cli_json_put(object, metric->key, cli_json_number(cli_metrics_value(metrics, metric)));
        if (task == CLI_LINK)
            put_sides(object, &metrics->links);
        return object;
    }
    if (shown != CLI_SHOW_FULL)
        put_ranking(object, &metrics->sampled);
    if (shown != CLI_SHOW_SAMPLED) {
        full = cli_json_object();
        put_ranking(full, &metrics->full);
        cli_json_put(object, "full", full);
    }
    return object;
}

void cli_metrics_print(const cli_measured *rows, int n_rows, cli_task task)
{
    cli_column columns[2 + MOST_METRICS] = {{"split", 0}, {tasks[task].unit, 1}};
    const cli_metric *metric;
    cli_table table;

    for (int i = 0; (metric = cli_metrics_row(task, i)); i++)
        columns[2 + i] = (cli_column){metric->title, 1};
    cli_table_open(&table, columns, (size_t)tasks[task].n_metrics + 2);
    for (int row = 0; row < n_rows; row++) {
        const nln_metrics *m = rows[row].metrics;
        cli_table_add(&table, "%s", rows[row].split);
        cli_table_count(&table, task == CLI_TOPK   ? m->sampled.n
                                : task == CLI_LINK ? m->links.n
                                                   : m->n);
        for (int i = 0; (metric = cli_metrics_row(task, i)); i++)
            cli_table_number(&table, 4, cli_metrics_value(m, metric));
    }
    cli_table_print(&table, stdout);
    cli_table_close(&table);
}

#include "show/metrics_table.h"

#include <math.h>
#include <stdio.h>

#include "show/json_output.h"
#include "show/text_table.h"

/* ---- numbers ---------------------------------------------------------------- */

enum { USUAL_CUT = 10 };

static int find_cut(const nln_ranking *r, int k)
{
    for (int i = 0; i < r->n_cuts; i++)
        if (r->cut[i] == k)
            return i;
    return -1;
}

static double ndcg(const nln_ranking *r)
{
    int i = find_cut(r, USUAL_CUT);
    return r->n && i >= 0 ? r->ndcg[i] : NAN;
}

static double hit(const nln_ranking *r)
{
    int i = find_cut(r, USUAL_CUT);
    return r->n && i >= 0 ? r->hit[i] : NAN;
}

static double mrr(const nln_ranking *r)
{
    return r->n ? r->mrr : NAN;
}

static double sampled_ndcg(const nln_metrics *m)
{
    return ndcg(&m->sampled);
}

static double sampled_hit(const nln_metrics *m)
{
    return hit(&m->sampled);
}

static double sampled_mrr(const nln_metrics *m)
{
    return mrr(&m->sampled);
}

static double full_ndcg(const nln_metrics *m)
{
    return ndcg(&m->full);
}

static double full_hit(const nln_metrics *m)
{
    return hit(&m->full);
}

static double full_mrr(const nln_metrics *m)
{
    return mrr(&m->full);
}

static double accuracy(const nln_metrics *m)
{
    return m->n ? m->accuracy : NAN;
}

static double rmse(const nln_metrics *m)
{
    return m->n ? m->rmse : NAN;
}

static double cross_entropy(const nln_metrics *m)
{
    return m->n ? m->cross_entropy : NAN;
}

static double auc(const nln_metrics *m)
{
    return m->n ? m->auc : NAN;
}

/* ---- tasks ------------------------------------------------------------------- */

typedef struct figure {
    const char *title, *key; /* in tables; in files, where JSON has its own for rankings */
    double (*of)(const nln_metrics *metrics);
} figure;

static const figure binary[] = {{"accuracy", "accuracy", accuracy},
                                {"RMSE", "rmse", rmse},
                                {"cross-entropy", "cross_entropy", cross_entropy},
                                {"AUC", "auc", auc}};
static const figure ranked[] = {{"nDCG@10", "ndcg@10", sampled_ndcg},
                                {"HR@10", "hit@10", sampled_hit},
                                {"MRR", "mrr", sampled_mrr},
                                {"full nDCG@10", "full_ndcg@10", full_ndcg},
                                {"full HR@10", "full_hit@10", full_hit},
                                {"full MRR", "full_mrr", full_mrr}};

static const struct {
    const char *unit; /* what is counted */
    const figure *figures;
    int n_figures, most_telling;
} tasks[] = {
    [CLI_LOGIC] = {"expressions", binary, 3, 0},
    [CLI_PREFERENCE] = {"interactions", binary, 4, 3},
    [CLI_TOPK] = {"likes ranked", ranked, 6, 0},
};

enum { MOST_FIGURES = 6 };

const char *cli_metrics_split_name(nln_split split)
{
    static const char *const names[] = {"train", "valid", "test"};
    return names[split];
}

cli_task cli_metrics_task(const nln_options *options)
{
    return (cli_task)nln_options_number(options, "task");
}

double cli_metrics_main(const nln_metrics *metrics, cli_task task)
{
    return tasks[task].figures[tasks[task].most_telling].of(metrics);
}

const char *cli_metrics_main_name(cli_task task)
{
    return tasks[task].figures[tasks[task].most_telling].title;
}

int cli_metrics_count(cli_task task)
{
    return tasks[task].n_figures;
}

double cli_metrics_value(const nln_metrics *metrics, cli_task task, int index)
{
    return tasks[task].figures[index].of(metrics);
}

const char *cli_metrics_key(cli_task task, int index)
{
    return tasks[task].figures[index].key;
}

int cli_metrics_known(const nln_metrics *metrics)
{
    return metrics->n > 0 || metrics->sampled.n > 0 || metrics->full.n > 0;
}

/* ---- JSON --------------------------------------------------------------------- */

static void put_at_cut(json_t *object, const char *name, int cut, double value)
{
    char key[32];
    snprintf(key, sizeof key, "%s@%d", name, cut);
    cli_json_put(object, key, cli_json_number(value));
}

static void put_ranking(json_t *object, const nln_ranking *r)
{
    cli_json_put(object, "n", cli_json_count(r->n));
    cli_json_put(object, "n_users", cli_json_count(r->n_users));
    for (int i = 0; i < r->n_cuts; i++) {
        put_at_cut(object, "ndcg", r->cut[i], r->n ? r->ndcg[i] : NAN);
        put_at_cut(object, "hit", r->cut[i], r->n ? r->hit[i] : NAN);
        put_at_cut(object, "recall", r->cut[i], r->n ? r->recall[i] : NAN);
    }
    cli_json_put(object, "mrr", cli_json_number(mrr(r)));
    cli_json_put(object, "mean_rank", cli_json_number(r->n ? r->mean_rank : NAN));
}

json_t *cli_metrics_json(const nln_metrics *metrics, cli_task task, cli_shown shown)
{
    json_t *object = cli_json_object(), *full;

    if (task != CLI_TOPK) {
        cli_json_put(object, "n", cli_json_count(metrics->n));
        for (int i = 0; i < tasks[task].n_figures; i++)
            cli_json_put(object, binary[i].key, cli_json_number(binary[i].of(metrics)));
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

/* ---- tables ------------------------------------------------------------------- */

void cli_metrics_print(const cli_measured *rows, int n_rows, cli_task task)
{
    cli_column columns[2 + MOST_FIGURES] = {{"split", 0}, {tasks[task].unit, 1}};
    const figure *figures = tasks[task].figures;
    int n = tasks[task].n_figures;
    cli_table table;

    for (int i = 0; i < n; i++)
        columns[2 + i] = (cli_column){figures[i].title, 1};
    cli_table_open(&table, columns, (size_t)n + 2);
    for (int row = 0; row < n_rows; row++) {
        const nln_metrics *m = rows[row].metrics;
        cli_table_add(&table, "%s", rows[row].split);
        cli_table_count(&table, task == CLI_TOPK ? m->sampled.n : m->n);
        for (int i = 0; i < n; i++)
            cli_table_number(&table, 4, figures[i].of(m));
    }
    cli_table_print(&table, stdout);
    cli_table_close(&table);
}

static void add_cut(cli_table *table, const nln_ranking *r, int cut)
{
    cli_table_number(table, 4, r->n ? r->ndcg[cut] : NAN);
    cli_table_number(table, 4, r->n ? r->hit[cut] : NAN);
    cli_table_number(table, 4, r->n ? r->recall[cut] : NAN);
}

void cli_metrics_print_cuts(const nln_metrics *metrics, cli_shown shown)
{
    static const cli_column sampled[] = {{"nDCG@k", 1}, {"HR@k", 1}, {"recall@k", 1}};
    static const cli_column full[] = {{"full nDCG@k", 1}, {"full HR@k", 1}, {"full recall@k", 1}};
    const nln_ranking *first = shown == CLI_SHOW_FULL ? &metrics->full : &metrics->sampled;
    cli_column columns[7] = {{"k", 1}};
    size_t n = 1;
    cli_table table;

    for (int i = 0; shown != CLI_SHOW_FULL && i < 3; i++)
        columns[n++] = sampled[i];
    for (int i = 0; shown != CLI_SHOW_SAMPLED && i < 3; i++)
        columns[n++] = full[i];
    cli_table_open(&table, columns, n);
    for (int cut = 0; cut < first->n_cuts; cut++) {
        cli_table_add(&table, "%d", first->cut[cut]);
        if (shown != CLI_SHOW_FULL)
            add_cut(&table, &metrics->sampled, cut);
        if (shown != CLI_SHOW_SAMPLED)
            add_cut(&table, &metrics->full, cut);
    }
    cli_table_print(&table, stdout);
    cli_table_close(&table);
}

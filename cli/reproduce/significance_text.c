#include "reproduce/significance_text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "allocate.h"
#include "nln_lab.h"

/* Numbers are shown with four decimals; what is equal there is level. */
#define LEVEL 0.00005

static int won(const cli_measure *measure, const nln_paired *paired)
{
    return paired->difference.n >= 2 && paired->p < CLI_SIGNIFICANT &&
           cli_result_table_is_better(measure, paired->difference.mean, 0);
}

int cli_significance_by_seeds(const cli_measure *measure, const cli_comparison *comparison)
{
    return won(measure, &comparison->seeds);
}

int cli_significance_by_users(const cli_measure *measure, const cli_comparison *comparison)
{
    return won(measure, &comparison->users);
}

/* Whether every test that could be made says that the difference is not chance. */
static int is_significant(const cli_comparison *comparison)
{
    int seeds = comparison->seeds.difference.n >= 2, users = comparison->users.difference.n >= 2;
    return (seeds || users) && (!seeds || comparison->seeds.p < CLI_SIGNIFICANT) &&
           (!users || comparison->users.p < CLI_SIGNIFICANT);
}

static int is_tested(const cli_comparison *comparison)
{
    return comparison->seeds.difference.n >= 2 || comparison->users.difference.n >= 2;
}

static const char *place(const cli_measure *measure, const cli_comparison *comparison)
{
    static const char *const words[2][3] = {
        {"behind", "behind, though not significantly,", "significantly behind"},
        {"ahead of", "ahead of, but not significantly,", "significantly ahead of"}};
    double difference = comparison->seeds.difference.mean;
    int surety = is_tested(comparison) + is_significant(comparison);

    if (fabs(difference) < LEVEL)
        return "level with";
    return words[cli_result_table_is_better(measure, difference, 0)][surety];
}

static void put_p(FILE *out, const nln_paired *paired, const char *what, const char *before)
{
    if (paired->difference.n < 2)
        return;
    if (paired->p < 0.0001)
        fprintf(out, "%sp < 0.0001 over %zu %s", before, paired->difference.n, what);
    else
        fprintf(out, "%sp = %.4f over %zu %s", before, paired->p, paired->difference.n, what);
}

static void put_tests(FILE *out, const cli_comparison *comparison)
{
    int seeds = comparison->seeds.difference.n >= 2;

    if (!is_tested(comparison)) {
        fputs("one seed cannot say whether by chance", out);
        return;
    }
    put_p(out, &comparison->seeds, "seeds", "");
    put_p(out, &comparison->users, "users", seeds ? ", " : "");
}

/* The paper's best baseline, where it is better than any of ours: then a lead over ours says
 * less than it seems. */
static void put_stronger(FILE *out, const cli_part *part, int m, double ours, double theirs)
{
    const cli_measure *measure = part->measures[m];
    int best = -1;
    double most = theirs;

    for (int row = 0; row < part->n_methods; row++) {
        const cli_published *p = cli_result_table_cell(part, row, m)->published;
        if (p && part->methods[row]->standing == CLI_BASELINE &&
            cli_result_table_is_better(measure, p->value, most)) {
            best = row;
            most = p->value;
        }
    }
    if (best >= 0)
        fprintf(out,
                " But the paper's %s (%.4f) is better than all baselines here, and NLN is %s it.",
                part->methods[best]->title, most,
                cli_result_table_is_better(measure, ours, most) ? "ahead of" : "not ahead of");
}

/* The best of the baselines that the paper has too, among those measured; -1 if there is none. */
static int best_of_paper(const cli_part *part, int m)
{
    int best = -1;

    for (int row = 0; row < part->n_methods; row++) {
        const cli_cell *cell = cli_result_table_cell(part, row, m);
        if (part->methods[row]->standing == CLI_BASELINE && cell->published && cell->summary.n &&
            (best < 0 ||
             cli_result_table_is_better(part->measures[m], cell->summary.mean,
                                        cli_result_table_cell(part, best, m)->summary.mean)))
            best = row;
    }
    return best;
}

/* The paper claims a significant lead over its own baselines.  Where a stronger one that it has
 * not is the best here, this says whether the claim itself holds. */
static void put_claim(FILE *out, const cli_result_table *sheet, const cli_part *part, int row,
                      int m)
{
    int other = best_of_paper(part, m);

    if (other < 0 || other == part->baseline[m])
        return;
    cli_comparison comparison = cli_result_table_compare(sheet, part, row, other, m);
    fprintf(out, " It is %s the best of the paper's own baselines, %s (%.4f); ",
            place(part->measures[m], &comparison), part->methods[other]->title,
            cli_result_table_cell(part, other, m)->summary.mean);
    put_tests(out, &comparison);
    putc('.', out);
}

/* NLN against the best baseline. */
static void put_lead(FILE *out, const cli_result_table *sheet, const cli_part *part, int m)
{
    const cli_measure *measure = part->measures[m];
    int row = cli_result_table_row(part, "nln"), baseline = part->baseline[m];
    const cli_cell *ours = row < 0 ? NULL : cli_result_table_cell(part, row, m);

    fprintf(out, "%s, %s: ", part->extent->title, measure->title);
    if (!ours || ours->summary.n == 0) {
        fputs("NLN has not been measured.", out);
        return;
    }
    if (baseline < 0) {
        fputs("no baseline has been measured, so there is nothing to compare NLN with.", out);
        return;
    }
    const cli_cell *theirs = cli_result_table_cell(part, baseline, m);
    cli_result_table_title(out, sheet, part, row);
    fprintf(out, " (%.4f) is %s the best baseline, %s (%.4f); ", ours->summary.mean,
            place(measure, &ours->lead), part->methods[baseline]->title, theirs->summary.mean);
    put_tests(out, &ours->lead);
    putc('.', out);
    int ahead = cli_result_table_is_better(measure, ours->lead.seeds.difference.mean, 0);
    int of_paper = cli_result_table_cell(part, baseline, m)->published != NULL;
    if (ours->published && of_paper && !(ahead && is_significant(&ours->lead)))
        fputs(" The paper has a significant lead here.", out);
    put_claim(out, sheet, part, row, m);
    put_stronger(out, part, m, ours->summary.mean, theirs->summary.mean);
}

/* The network with and without the laws, by the same recipe. */
static void put_laws(FILE *out, const cli_result_table *sheet, const cli_part *part, int row,
                     int without)
{
    const cli_measure *measure = part->measures[0];
    cli_comparison comparison = cli_result_table_compare(sheet, part, row, without, 0);

    fprintf(out, "%s, %s: with the laws %s (%.4f) is %s %s (%.4f); ", part->extent->title,
            measure->title, part->methods[row]->title,
            cli_result_table_cell(part, row, 0)->summary.mean, place(measure, &comparison),
            part->methods[without]->title, cli_result_table_cell(part, without, 0)->summary.mean);
    put_tests(out, &comparison);
    putc('.', out);
}

/* That there are no laws to be compared. */
static void put_lawless(FILE *out, const cli_part *part, int row)
{
    fprintf(out,
            "%s: the recipe of %s has the laws switched off here, so its numbers are those of "
            "NLN-Rl.",
            part->extent->title, part->methods[row]->title);
}

/* Baselines that ran as they come; 0 if all were tuned. */
static int put_untuned(FILE *out, const cli_result_table *sheet, const cli_part *part)
{
    int n = 0;

    for (int row = 0; row < part->n_methods; row++) {
        const cli_method *method = part->methods[row];
        if (!method->tuned || cli_plan_is_tuned(sheet->plan, part->source, method))
            continue;
        if (n++ == 0)
            fprintf(out, "%s: not tuned, but run with default options: ", part->extent->title);
        fprintf(out, "%s%s", n > 1 ? ", " : "", method->title);
    }
    if (n)
        putc('.', out);
    return n > 0;
}

static int is_known(const cli_part *part, int row)
{
    return row >= 0 && cli_result_table_cell(part, row, 0)->summary.n > 0;
}

/* Writes sentence `index`; 0 if there is none. */
static int put_sentence(FILE *out, const cli_result_table *sheet, const cli_part *part, int index)
{
    static const char *const pairs[][2] = {{"nln-paper", "nln-paper-without-laws"},
                                           {"nln", "nln-without-laws"}};
    if (index < part->n_measures) {
        put_lead(out, sheet, part, index);
        return 1;
    }
    index -= part->n_measures;
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        int row = cli_result_table_row(part, pairs[i][0]),
            without = cli_result_table_row(part, pairs[i][1]);
        int lawless = is_known(part, row) && cli_result_table_is_lawless(sheet, part, row);
        if (!is_known(part, row) || (!lawless && !is_known(part, without)) || index-- > 0)
            continue;
        if (lawless)
            put_lawless(out, part, row);
        else
            put_laws(out, sheet, part, row, without);
        return 1;
    }
    return index == 0 && put_untuned(out, sheet, part);
}

char *cli_significance_sentence(const cli_result_table *sheet, const cli_part *part, int index)
{
    cli_text sentence;

    cli_text_open(&sentence);
    int there = put_sentence(sentence.stream, sheet, part, index);
    char *text = cli_text_close(&sentence);
    if (there)
        return text;
    free(text);
    return NULL;
}

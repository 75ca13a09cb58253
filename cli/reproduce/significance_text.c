#include "reproduce/significance_text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "allocate.h"
#include "nln_lab.h"

/* Numbers are shown with four decimals; a smaller difference counts as none. */
#define LEVEL 0.00005

int cli_significance_won(const cli_measure *measure, const nln_paired *paired)
{
    return paired->difference.n >= 2 && paired->p < CLI_SIGNIFICANT &&
           cli_result_summary_is_better(measure, paired->difference.mean, 0);
}

/* 0 if nothing could be tested, 2 if every test that was possible is significant, else 1. */
static int certainty(const cli_comparison *c)
{
    int seeds = c->seeds.difference.n >= 2, users = c->users.difference.n >= 2;
    if (!seeds && !users)
        return 0;
    return 1 +
           ((!seeds || c->seeds.p < CLI_SIGNIFICANT) && (!users || c->users.p < CLI_SIGNIFICANT));
}

static const char *place(const cli_measure *measure, const cli_comparison *c)
{
    static const char *const words[2][3] = {
        {"behind", "behind, though not significantly,", "significantly behind"},
        {"ahead of", "ahead of, but not significantly,", "significantly ahead of"}};
    double difference = c->seeds.difference.mean;

    if (fabs(difference) < LEVEL)
        return "level with";
    return words[cli_result_summary_is_better(measure, difference, 0)][certainty(c)];
}

/* The p values, and the end of the sentence. */
static void put_tests(FILE *out, const cli_comparison *c)
{
    const nln_paired *const tests[] = {&c->seeds, &c->users};
    const char *const over[] = {"seeds", c->of};
    const char *before = "";

    for (int i = 0; i < 2; i++) {
        size_t n = tests[i]->difference.n;
        if (n < 2)
            continue;
        if (tests[i]->p < 0.0001)
            fprintf(out, "%sp < 0.0001 over %zu %s", before, n, over[i]);
        else
            fprintf(out, "%sp = %.4f over %zu %s", before, tests[i]->p, n, over[i]);
        before = ", ";
    }
    fputs(certainty(c) ? "." : "one seed cannot say whether by chance.", out);
}

/* Names the paper's best baseline where it is better than all of ours: then a lead over ours means
 * less. */
static void put_stronger(FILE *out, const cli_part *part, int m, double ours, double theirs)
{
    const cli_measure *measure = part->measures[m];
    int best = -1;
    double most = theirs;

    for (int row = 0; row < part->n_methods; row++) {
        const cli_published *p = cli_result_summary_cell(part, row, m)->published;
        if (p && part->methods[row]->standing == CLI_BASELINE &&
            cli_result_summary_is_better(measure, p->value, most)) {
            best = row;
            most = p->value;
        }
    }
    if (best >= 0)
        fprintf(out,
                " But the paper's %s (%.4f) is better than all baselines here, and NLN is %s it.",
                part->methods[best]->title, most,
                cli_result_summary_is_better(measure, ours, most) ? "ahead of" : "not ahead of");
}

/* The paper claims a significant lead over its own baselines.  Where the best baseline here is not
 * one of them, this says whether the claim itself holds. */
static void put_claim(FILE *out, const cli_result_summary *sheet, const cli_part *part, int row,
                      int m)
{
    const cli_measure *measure = part->measures[m];
    const cli_cell *theirs = NULL;
    int other = -1;

    for (int r = 0; r < part->n_methods; r++) {
        const cli_cell *cell = cli_result_summary_cell(part, r, m);
        if (part->methods[r]->standing == CLI_BASELINE && cell->published && cell->summary.n &&
            (!theirs ||
             cli_result_summary_is_better(measure, cell->summary.mean, theirs->summary.mean))) {
            other = r;
            theirs = cell;
        }
    }
    if (!theirs || other == part->baseline[m])
        return;
    cli_comparison c = cli_result_summary_compare(sheet, part, row, other, m);
    fprintf(out, " It is %s the best of the paper's own baselines, %s (%.4f); ", place(measure, &c),
            part->methods[other]->title, theirs->summary.mean);
    put_tests(out, &c);
}

/* NLN against the best baseline. */
static void put_lead(FILE *out, const cli_result_summary *sheet, const cli_part *part, int m)
{
    const cli_measure *measure = part->measures[m];
    int row = cli_result_summary_row(part, "nln"), baseline = part->baseline[m];
    const cli_cell *ours = row < 0 ? NULL : cli_result_summary_cell(part, row, m);

    fprintf(out, "%s, %s: ", part->extent->title, measure->title);
    if (!ours || ours->summary.n == 0) {
        fputs("NLN has not been measured.", out);
        return;
    }
    if (baseline < 0) {
        fputs("no baseline has been measured, so there is nothing to compare NLN with.", out);
        return;
    }
    const cli_cell *theirs = cli_result_summary_cell(part, baseline, m);
    cli_result_summary_title(out, sheet, part, row);
    fprintf(out, " (%.4f) is %s the best baseline, %s (%.4f); ", ours->summary.mean,
            place(measure, &ours->lead), part->methods[baseline]->title, theirs->summary.mean);
    put_tests(out, &ours->lead);
    int ahead = cli_result_summary_is_better(measure, ours->lead.seeds.difference.mean, 0);
    if (ours->published && theirs->published && !(ahead && certainty(&ours->lead) == 2))
        fputs(" The paper has a significant lead here.", out);
    put_claim(out, sheet, part, row, m);
    put_stronger(out, part, m, ours->summary.mean, theirs->summary.mean);
}

/* Two rows of ours that differ in one thing. */
typedef struct variation {
    const char *row, *without, *with;
    int is_law;
} variation;

/* The network with and without that thing, else by the same recipe. */
static void put_variation(FILE *out, const cli_result_summary *sheet, const cli_part *part, int row,
                          int without, const variation *v)
{
    const cli_measure *measure = part->measures[0];

    if (v->is_law && cli_result_summary_is_lawless(sheet, part, row)) {
        fprintf(out,
                "%s: the recipe of %s has the laws switched off here, so its numbers are those of "
                "NLN-Rl.",
                part->extent->title, part->methods[row]->title);
        return;
    }
    cli_comparison c = cli_result_summary_compare(sheet, part, row, without, 0);
    fprintf(out, "%s, %s: with %s %s (%.4f) is %s %s (%.4f); ", part->extent->title, measure->title,
            v->with, part->methods[row]->title, cli_result_summary_cell(part, row, 0)->summary.mean,
            place(measure, &c), part->methods[without]->title,
            cli_result_summary_cell(part, without, 0)->summary.mean);
    put_tests(out, &c);
}

/* Names the baselines that ran with default options; returns 0 if there are none. */
static int put_untuned(FILE *out, const cli_result_summary *sheet, const cli_part *part)
{
    int n = 0;

    for (int row = 0; row < part->n_methods; row++) {
        const cli_method *method = part->methods[row];
        if (!method->tuned || cli_plan_tuned(sheet->plan, part->source, method))
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
    return row >= 0 && cli_result_summary_cell(part, row, 0)->summary.n > 0;
}

/* Writes sentence `index`; 0 if there is none. */
static int put_sentence(FILE *out, const cli_result_summary *sheet, const cli_part *part, int index)
{
    static const variation variations[] = {{"nln-paper", "nln-paper-without-laws", "the laws", 1},
                                           {"nln", "nln-without-laws", "the laws", 1},
                                           {"nln-premises", "nln", "premises", 0},
                                           {"nln-users", "nln", "variables of users", 0},
                                           {"nln-facts", "nln", "facts about items", 0}};
    if (index < part->n_measures) {
        put_lead(out, sheet, part, index);
        return 1;
    }
    index -= part->n_measures;
    for (size_t i = 0; i < sizeof variations / sizeof *variations; i++) {
        const variation *v = &variations[i];
        int row = cli_result_summary_row(part, v->row),
            without = cli_result_summary_row(part, v->without);
        int lawless = v->is_law && row >= 0 && cli_result_summary_is_lawless(sheet, part, row);
        if (!is_known(part, row) || (!lawless && !is_known(part, without)) || index-- > 0)
            continue;
        put_variation(out, sheet, part, row, without, v);
        return 1;
    }
    return index == 0 && put_untuned(out, sheet, part);
}

char *cli_significance_sentence(const cli_result_summary *sheet, const cli_part *part, int index)
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

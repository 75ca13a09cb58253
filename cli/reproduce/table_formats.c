#include "reproduce/table_formats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "allocate.h"
#include "reproduce/comparison.h"
#include "show/json_output.h"
#include "show/text_table.h"

/* ---- cells ---------------------------------------------------------------------------------- */

/* How a kind of paper writes what a cell may need. */
typedef struct markup {
    const char *ending, *bold[2], *italic[2], *plus_minus, *by_seeds, *by_users, *none, *gap;
} markup;

static const markup markups[CLI_N_PAPERS] = {
    [CLI_PAPER_TEXT] = {".txt", {"**", "**"}, {"_", "_"}, " ± ", "†", "‡", "", "missing"},
    [CLI_PAPER_MARKDOWN] = {".md", {"**", "**"}, {"*", "*"}, " ± ", "†", "‡", "", "missing"},
    [CLI_PAPER_LATEX] = {".tex",
                         {"\\textbf{", "}"},
                         {"\\textit{", "}"},
                         " $\\pm$ ",
                         "$^\\dagger$",
                         "$^\\ddagger$",
                         "",
                         "missing"},
    [CLI_PAPER_CSV] = {.ending = ".csv"},
    [CLI_PAPER_HTML] = {".html",
                        {"<b>", "</b>"},
                        {"<i>", "</i>"},
                        " <small>± ",
                        "†",
                        "‡",
                        "",
                        "<span class=gap>missing</span>"},
};

const char *cli_table_format_ending(cli_paper paper)
{
    return markups[paper].ending;
}

static void put_number(FILE *out, const markup *with, double mean, double error)
{
    fprintf(out, "%.4f", mean);
    if (!isnan(error))
        fprintf(out, "%s%.4f%s", with->plus_minus, error,
                with == &markups[CLI_PAPER_HTML] ? "</small>" : "");
}

static void put_cell(FILE *out, const markup *with, const cli_result_table *sheet,
                     const cli_part *part, int row, int m)
{
    const cli_cell *cell = cli_result_table_cell(part, row, m);
    const cli_measure *measure = part->measures[m];
    size_t n = cell->summary.n;

    if (n == 0) {
        fputs(measure->solved && !part->methods[row]->solves ? with->none : with->gap, out);
        return;
    }
    fputs(cell->is_best ? with->bold[0] : "", out);
    fputs(cell->is_baseline ? with->italic[0] : "", out);
    put_number(out, with, cell->summary.mean, cell->summary.error);
    fputs(cell->is_baseline ? with->italic[1] : "", out);
    fputs(cell->is_best ? with->bold[1] : "", out);
    fputs(cli_comparison_text_by_seeds(measure, &cell->lead) ? with->by_seeds : "", out);
    fputs(cli_comparison_text_by_users(measure, &cell->lead) ? with->by_users : "", out);
    if (n < (size_t)sheet->plan->n_seeds)
        fprintf(out, " (%zu of %d)", n, sheet->plan->n_seeds);
}

/* ---- the grid -------------------------------------------------------------------------------- */

enum { MOST_COLUMNS = 1 + 2 * CLI_MOST_MEASURES };

/* A part of a table as columns: a measure, and beside it what was published of it. */
typedef struct grid {
    int n;
    int measure[MOST_COLUMNS]; /* -1 for the names of the rows */
    int published[MOST_COLUMNS];
} grid;

static int has_published(const cli_part *part, int m)
{
    for (int row = 0; row < part->n_methods; row++)
        if (cli_result_table_cell(part, row, m)->published)
            return 1;
    return 0;
}

static grid grid_of(const cli_part *part)
{
    grid g = {.n = 1, .measure = {-1}};

    for (int m = 0; m < part->n_measures; m++) {
        g.measure[g.n++] = m;
        if (!has_published(part, m))
            continue;
        g.measure[g.n] = m;
        g.published[g.n++] = 1;
    }
    return g;
}

static const char *title_of(const cli_part *part, const grid *g, int column)
{
    if (g->measure[column] < 0)
        return "";
    return g->published[column] ? "published" : part->measures[g->measure[column]]->title;
}

static void put_entry(FILE *out, const markup *with, const cli_result_table *sheet,
                      const cli_part *part, const grid *g, int row, int column)
{
    int m = g->measure[column];

    if (m < 0) {
        cli_result_table_title(out, sheet, part, row);
    } else if (!g->published[column]) {
        put_cell(out, with, sheet, part, row, m);
    } else {
        const cli_published *p = cli_result_table_cell(part, row, m)->published;
        if (p)
            put_number(out, with, p->value, p->error);
    }
}

/* Whether a rule stands above the row: where baselines, ours and limits meet. */
static int begins_group(const cli_part *part, int row)
{
    return row > 0 && part->methods[row]->standing != part->methods[row - 1]->standing;
}

/* ---- text ------------------------------------------------------------------------------------ */

static void add_entry(cli_table *table, const cli_result_table *sheet, const cli_part *part,
                      const grid *g, int row, int column)
{
    cli_text entry;

    cli_text_open(&entry);
    put_entry(entry.stream, &markups[CLI_PAPER_TEXT], sheet, part, g, row, column);
    char *text = cli_text_close(&entry);
    cli_table_add(table, "%s", text);
    free(text);
}

static void put_text(FILE *out, const cli_result_table *sheet, const cli_part *part)
{
    cli_column columns[MOST_COLUMNS] = {{NULL, 0}};
    grid g = grid_of(part);
    cli_table table;

    for (int c = 0; c < g.n; c++)
        columns[c] = (cli_column){title_of(part, &g, c), c > 0};
    fprintf(out, "\n%s\n", part->extent->title);
    cli_table_open(&table, columns, (size_t)g.n);
    for (int row = 0; row < part->n_methods; row++) {
        for (int c = 0; begins_group(part, row) && c < g.n; c++)
            cli_table_add(&table, "%s", c ? "" : "--");
        for (int c = 0; c < g.n; c++)
            add_entry(&table, sheet, part, &g, row, c);
    }
    cli_table_print(&table, out);
    cli_table_close(&table);
}

/* ---- Markdown, LaTeX, HTML ----------------------------------------------------------------------
 */

static void put_markdown(FILE *out, const cli_result_table *sheet, const cli_part *part)
{
    grid g = grid_of(part);

    fprintf(out, "\n### %s\n\n|", part->extent->title);
    for (int c = 0; c < g.n; c++)
        fprintf(out, " %s |", title_of(part, &g, c));
    fputs("\n|", out);
    for (int c = 0; c < g.n; c++)
        fputs(c ? "---:|" : "---|", out);
    putc('\n', out);
    for (int row = 0; row < part->n_methods; row++) {
        putc('|', out);
        for (int c = 0; c < g.n; c++) {
            putc(' ', out);
            put_entry(out, &markups[CLI_PAPER_MARKDOWN], sheet, part, &g, row, c);
            fputs(" |", out);
        }
        putc('\n', out);
    }
}

static void put_latex(FILE *out, const cli_result_table *sheet, const cli_part *part)
{
    grid g = grid_of(part);

    fprintf(out,
            "\\par\\medskip\n\\resizebox{\\linewidth}{!}{%%\n"
            "\\begin{tabular}{l*{%d}{r}}\n\\toprule\n",
            g.n - 1);
    fprintf(out, "\\multicolumn{%d}{c}{%s}\\\\\n\\midrule\n", g.n, part->extent->title);
    for (int c = 0; c < g.n; c++)
        fprintf(out, "%s%s", c ? " & " : "", title_of(part, &g, c));
    fputs("\\\\\n\\midrule\n", out);
    for (int row = 0; row < part->n_methods; row++) {
        fputs(begins_group(part, row) ? "\\midrule\n" : "", out);
        for (int c = 0; c < g.n; c++) {
            fputs(c ? " & " : "", out);
            put_entry(out, &markups[CLI_PAPER_LATEX], sheet, part, &g, row, c);
        }
        fputs("\\\\\n", out);
    }
    fputs("\\bottomrule\n\\end{tabular}}\n", out);
}

void cli_table_format_escape(FILE *out, const char *text)
{
    for (; *text; text++) {
        if (*text == '&')
            fputs("&amp;", out);
        else if (*text == '<')
            fputs("&lt;", out);
        else if (*text == '>')
            fputs("&gt;", out);
        else if (*text == '"')
            fputs("&quot;", out);
        else
            putc(*text, out);
    }
}

static void put_html(FILE *out, const cli_result_table *sheet, const cli_part *part)
{
    grid g = grid_of(part);

    fprintf(out, "<h3>%s</h3>\n<div class=wide><table>\n<thead><tr>", part->extent->title);
    for (int c = 0; c < g.n; c++)
        fprintf(out, "<th%s>%s</th>", g.published[c] ? " class=published" : "",
                title_of(part, &g, c));
    fputs("</tr></thead>\n<tbody>\n", out);
    for (int row = 0; row < part->n_methods; row++) {
        fprintf(out, "<tr%s>", begins_group(part, row) ? " class=group" : "");
        for (int c = 0; c < g.n; c++) {
            fputs(c == 0           ? "<th scope=row>"
                  : g.published[c] ? "<td class=published>"
                                   : "<td>",
                  out);
            put_entry(out, &markups[CLI_PAPER_HTML], sheet, part, &g, row, c);
            fputs(c == 0 ? "</th>" : "</td>", out);
        }
        fputs("</tr>\n", out);
    }
    fputs("</tbody></table></div>\n", out);
}

/* ---- CSV and JSON
 * -------------------------------------------------------------------------------- */

static void put_csv_number(FILE *out, double value)
{
    if (isnan(value))
        fputs(",", out);
    else
        fprintf(out, ",%.6g", value);
}

static void put_csv(FILE *out, const cli_result_table *sheet, const cli_part *part)
{
    (void)sheet;
    for (int row = 0; row < part->n_methods; row++)
        for (int m = 0; m < part->n_measures; m++) {
            const cli_cell *cell = cli_result_table_cell(part, row, m);
            fprintf(out, "%s,%s,\"%s\",%s,%zu", part->source->name, part->methods[row]->name,
                    part->methods[row]->title, part->measures[m]->key, cell->summary.n);
            put_csv_number(out, cell->summary.mean);
            put_csv_number(out, cell->summary.error);
            put_csv_number(out, cell->published ? cell->published->value : NAN);
            put_csv_number(out, cell->published ? cell->published->error : NAN);
            fprintf(out, ",%d,%d", cell->is_best, cell->is_baseline);
            put_csv_number(out, cell->lead.seeds.difference.n ? cell->lead.seeds.p : NAN);
            put_csv_number(out, cell->lead.users.difference.n ? cell->lead.users.p : NAN);
            putc('\n', out);
        }
}

static json_t *cell_json(const cli_cell *cell, int n_seeds)
{
    json_t *object = cli_json_object(), *values = cli_json_array();

    for (int i = 0; i < n_seeds; i++)
        cli_json_append(values, cli_json_number(cell->values[i]));
    cli_json_put(object, "mean", cli_json_number(cell->summary.mean));
    cli_json_put(object, "error", cli_json_number(cell->summary.error));
    cli_json_put(object, "values", values);
    if (cell->published)
        cli_json_put(object, "published", cli_json_number(cell->published->value));
    cli_json_put(object, "best", json_boolean(cell->is_best));
    cli_json_put(object, "best_baseline", json_boolean(cell->is_baseline));
    if (cell->lead.seeds.difference.n >= 2)
        cli_json_put(object, "p_seeds", cli_json_number(cell->lead.seeds.p));
    if (cell->lead.users.difference.n >= 2)
        cli_json_put(object, "p_users", cli_json_number(cell->lead.users.p));
    return object;
}

json_t *cli_table_format_json(const cli_result_table *sheet)
{
    json_t *parts = cli_json_object();

    for (int i = 0; i < sheet->n_parts; i++) {
        const cli_part *part = &sheet->parts[i];
        json_t *rows = cli_json_object(), *verdicts = cli_json_array(), *object = cli_json_object();
        char *sentence;
        for (int row = 0; row < part->n_methods; row++) {
            json_t *cells = cli_json_object();
            for (int m = 0; m < part->n_measures; m++)
                cli_json_put(cells, part->measures[m]->key,
                             cell_json(cli_result_table_cell(part, row, m), sheet->plan->n_seeds));
            cli_json_put(rows, part->methods[row]->name, cells);
        }
        for (int s = 0; (sentence = cli_comparison_text_sentence(sheet, part, s));
             s++, free(sentence))
            cli_json_append(verdicts, cli_json_text(sentence));
        cli_json_put(object, "title", cli_json_text(part->extent->title));
        cli_json_put(object, "rows", rows);
        cli_json_put(object, "verdicts", verdicts);
        cli_json_put(parts, part->source->name, object);
    }
    return parts;
}

/* ---- sheets ---------------------------------------------------------------------- */

static const char legend[] =
    "Means ± standard errors over seeds; the best is bold, the best baseline in italics. "
    "NLN-Rl is NLN without the laws. † ahead of the best baseline with p < 0.05 in a paired "
    "t-test over seeds, ‡ over users.";

/* LaTeX numbers tables itself: of "Table 2. Simulated data" what stands after the full stop. */
static const char *after_number(const char *title)
{
    const char *stop = strstr(title, ". ");
    return stop ? stop + 2 : title;
}

static void put_head(FILE *out, const cli_result_table *sheet, cli_paper paper)
{
    const cli_exhibit *e = sheet->exhibit;
    const char *notice = cli_study_notice(sheet->plan->scale), *blank = notice[0] ? " " : "";

    if (paper == CLI_PAPER_TEXT)
        fprintf(out, "%s\n%s%s%s\n%s\n", e->title, notice, blank, e->caption, legend);
    else if (paper == CLI_PAPER_MARKDOWN)
        fprintf(out, "## %s\n\n%s%s%s %s\n", e->title, notice, blank, e->caption, legend);
    else if (paper == CLI_PAPER_LATEX)
        fprintf(out,
                "%% Needs booktabs and graphicx.\n\\begin{table}\n\\centering\n\\small\n"
                "\\caption{%s. %s%s%s Means $\\pm$ standard errors over seeds; the best is bold, "
                "the best baseline in italics; $^\\dagger$ ahead of it with $p<0.05$ over seeds, "
                "$^\\ddagger$ over users.}\n",
                after_number(e->title), notice, blank, e->caption);
    else if (paper == CLI_PAPER_CSV)
        fputs("source,method,title,measure,n,mean,error,published,published_error,best,"
              "best_baseline,p_seeds,p_users\n",
              out);
    else
        fprintf(out, "<p>%s %s</p>\n", e->caption, legend);
}

static void put_verdicts(FILE *out, const cli_result_table *sheet, cli_paper paper)
{
    static const char *const before[CLI_N_PAPERS] = {"- ", "- ", "% ", "", "<li>"};
    static const char *const around[CLI_N_PAPERS][2] = {
        {"\n", ""}, {"\n", ""}, {"\\end{table}\n", ""}, {"", ""}, {"<ul>\n", "</ul>\n"}};
    char *sentence;

    fputs(around[paper][0], out);
    for (int i = 0; paper != CLI_PAPER_CSV && i < sheet->n_parts; i++)
        for (int s = 0; (sentence = cli_comparison_text_sentence(sheet, &sheet->parts[i], s));
             s++) {
            fputs(before[paper], out);
            if (paper == CLI_PAPER_HTML)
                cli_table_format_escape(out, sentence);
            else
                fputs(sentence, out);
            putc('\n', out);
            free(sentence);
        }
    fputs(around[paper][1], out);
}

void cli_table_format_sheet(FILE *out, const cli_result_table *sheet, cli_paper paper)
{
    static void (*const put[CLI_N_PAPERS])(FILE *, const cli_result_table *, const cli_part *) = {
        put_text, put_markdown, put_latex, put_csv, put_html};

    put_head(out, sheet, paper);
    for (int i = 0; i < sheet->n_parts; i++)
        put[paper](out, sheet, &sheet->parts[i]);
    put_verdicts(out, sheet, paper);
}

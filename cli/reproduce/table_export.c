#include "reproduce/table_export.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "allocate.h"
#include "reproduce/significance_text.h"
#include "show/struct_fields.h"

/* ---- cells ----------------------------------------------------------------------------- */

/* How a format writes the cells, columns and rows of a table. */
typedef struct markup {
    const char *ending, *bold[2], *italic[2], *error[2], *by_seeds, *by_users, *gap;
    const char *row[2], *group; /* around a row; before the first row of a group, for row[0] */
    const char *between;        /* cells */
    const char *cells[5][2];    /* around a cell of each kind */
} markup;

enum { TITLE, PUBLISHED_TITLE, NAME, VALUE, PUBLISHED };

/* clang-format off */
static const markup markups[CLI_N_FORMATS] = {
    [CLI_FORMAT_TEXT] = {".txt", {"", " ★"}, {"", " ☆"}, {" ± ", ""}, "†", "‡", "missing",
        {"", ""}, "", "", {{"", ""}}},
    [CLI_FORMAT_MARKDOWN] = {".md", {"**", "**"}, {"*", "*"}, {" ± ", ""}, "†", "‡", "missing",
        {"| ", " |\n"}, "| ", " | ", {{"", ""}, {"", ""}, {"", ""}, {"", ""}, {"", ""}}},
    [CLI_FORMAT_LATEX] = {".tex", {"\\textbf{", "}"}, {"\\textit{", "}"}, {" $\\pm$ ", ""},
        "$^\\dagger$", "$^\\ddagger$", "missing",
        {"", "\\\\\n"}, "\\midrule\n", " & ",
        {{"", ""}, {"", ""}, {"", ""}, {"", ""}, {"", ""}}},
    [CLI_FORMAT_CSV] = {.ending = ".csv"},
    [CLI_FORMAT_HTML] = {".html", {"<b>", "</b>"}, {"<i>", "</i>"}, {" <small>± ", "</small>"},
        "†", "‡", "<span class=gap>missing</span>",
        {"<tr>", "</tr>\n"}, "<tr class=group>", "",
        {{"<th>", "</th>"}, {"<th class=published>", "</th>"}, {"<th scope=row>", "</th>"},
         {"<td>", "</td>"}, {"<td class=published>", "</td>"}}},
};
/* clang-format on */

const char *cli_table_export_ending(cli_format format)
{
    return markups[format].ending;
}

static void put_number(FILE *out, const markup *with, double mean, double error)
{
    fprintf(out, "%.4f", mean);
    if (!isnan(error))
        fprintf(out, "%s%.4f%s", with->error[0], error, with->error[1]);
}

static void put_cell(FILE *out, const markup *with, const cli_result_summary *sheet,
                     const cli_part *part, int row, int m)
{
    const cli_cell *cell = cli_result_summary_cell(part, row, m);
    const cli_measure *measure = part->measures[m];
    size_t n = cell->summary.n;

    if (n == 0) {
        fputs(measure->solved && !part->methods[row]->solves ? "" : with->gap, out);
        return;
    }
    fputs(cell->is_best ? with->bold[0] : "", out);
    fputs(cell->is_baseline ? with->italic[0] : "", out);
    put_number(out, with, cell->summary.mean, cell->summary.error);
    fputs(cell->is_baseline ? with->italic[1] : "", out);
    fputs(cell->is_best ? with->bold[1] : "", out);
    fputs(cli_significance_won(measure, &cell->lead.seeds) ? with->by_seeds : "", out);
    fputs(cli_significance_won(measure, &cell->lead.users) ? with->by_users : "", out);
    if (n < (size_t)sheet->plan->n_seeds)
        fprintf(out, " (%zu of %d)", n, sheet->plan->n_seeds);
}

/* ---- columns ---------------------------------------------------------------------------- */

enum { MOST_COLUMNS = 1 + 2 * CLI_MOST_MEASURES };

/* A part of a table as columns: the names, and each measure with the published values beside it. */
typedef struct grid {
    int n;
    int measure[MOST_COLUMNS]; /* -1 for the names of the rows */
    int published[MOST_COLUMNS];
} grid;

static grid grid_of(const cli_part *part)
{
    grid g = {.n = 1, .measure = {-1}};

    for (int m = 0; m < part->n_measures; m++) {
        int published = 0;
        for (int row = 0; row < part->n_methods; row++)
            published |= cli_result_summary_cell(part, row, m)->published != NULL;
        g.measure[g.n++] = m;
        if (!published)
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

static void put_entry(FILE *out, const markup *with, const cli_result_summary *sheet,
                      const cli_part *part, const grid *g, int row, int column)
{
    int m = g->measure[column];
    const cli_published *p = m < 0 ? NULL : cli_result_summary_cell(part, row, m)->published;

    if (m < 0)
        cli_result_summary_title(out, sheet, part, row);
    else if (!g->published[column])
        put_cell(out, with, sheet, part, row, m);
    else if (p)
        put_number(out, with, p->value, p->error);
}

/* Whether a line is drawn above the row: between baselines, ours and limits. */
static int begins_group(const cli_part *part, int row)
{
    return row > 0 && part->methods[row]->standing != part->methods[row - 1]->standing;
}

/* ---- text, Markdown, LaTeX, HTML ---------------------------------------------------------- */

static void put_text(FILE *out, const cli_result_summary *sheet, const cli_part *part,
                     const grid *g)
{
    cli_column columns[MOST_COLUMNS] = {{NULL, 0}};
    cli_table table;

    for (int c = 0; c < g->n; c++)
        columns[c] = (cli_column){title_of(part, g, c), c > 0};
    fprintf(out, "\n%s\n", part->extent->title);
    cli_table_open(&table, columns, (size_t)g->n);
    for (int row = 0; row < part->n_methods; row++) {
        for (int c = 0; begins_group(part, row) && c < g->n; c++)
            cli_table_add(&table, "%s", c ? "" : "--");
        for (int c = 0; c < g->n; c++) {
            cli_text entry;
            cli_text_open(&entry);
            put_entry(entry.stream, &markups[CLI_FORMAT_TEXT], sheet, part, g, row, c);
            char *text = cli_text_close(&entry);
            cli_table_add(&table, "%s", text);
            free(text);
        }
    }
    cli_table_print(&table, out);
    cli_table_close(&table);
}

/* The rows from `first` on; row -1 has the titles. */
static void put_rows(FILE *out, const markup *with, const cli_result_summary *sheet,
                     const cli_part *part, const grid *g, int first, int end)
{
    for (int row = first; row < end; row++) {
        fputs(begins_group(part, row) ? with->group : with->row[0], out);
        for (int c = 0; c < g->n; c++) {
            int kind = c == 0 ? NAME : g->published[c] ? PUBLISHED : VALUE;
            if (row < 0)
                kind = g->published[c] ? PUBLISHED_TITLE : TITLE;
            fprintf(out, "%s%s", c ? with->between : "", with->cells[kind][0]);
            if (row < 0)
                fputs(title_of(part, g, c), out);
            else
                put_entry(out, with, sheet, part, g, row, c);
            fputs(with->cells[kind][1], out);
        }
        fputs(with->row[1], out);
    }
}

static void put_markdown(FILE *out, const cli_result_summary *sheet, const cli_part *part,
                         const grid *g)
{
    const markup *with = &markups[CLI_FORMAT_MARKDOWN];

    fprintf(out, "\n### %s\n\n", part->extent->title);
    put_rows(out, with, sheet, part, g, -1, 0);
    putc('|', out);
    for (int c = 0; c < g->n; c++)
        fputs(c ? "---:|" : "---|", out);
    putc('\n', out);
    put_rows(out, with, sheet, part, g, 0, part->n_methods);
}

static void put_latex(FILE *out, const cli_result_summary *sheet, const cli_part *part,
                      const grid *g)
{
    const markup *with = &markups[CLI_FORMAT_LATEX];

    fprintf(out,
            "\\par\\medskip\n\\begin{tabular}{>{\\raggedright\\arraybackslash}p{8em}*{%d}{r}}\n"
            "\\toprule\n",
            g->n - 1);
    fprintf(out, "\\multicolumn{%d}{c}{%s}\\\\\n\\midrule\n", g->n, part->extent->title);
    put_rows(out, with, sheet, part, g, -1, 0);
    fputs("\\midrule\n", out);
    put_rows(out, with, sheet, part, g, 0, part->n_methods);
    fputs("\\bottomrule\n\\end{tabular}\n", out);
}

static void put_html(FILE *out, const cli_result_summary *sheet, const cli_part *part,
                     const grid *g)
{
    const markup *with = &markups[CLI_FORMAT_HTML];

    fprintf(out, "<h3>%s</h3>\n<div class=wide><table>\n<thead>", part->extent->title);
    put_rows(out, with, sheet, part, g, -1, 0);
    fputs("</thead>\n<tbody>\n", out);
    put_rows(out, with, sheet, part, g, 0, part->n_methods);
    fputs("</tbody></table></div>\n", out);
}

void cli_table_export_escape(FILE *out, const char *text)
{
    static const char special[] = "&<>\"";
    static const char *const entities[] = {"&amp;", "&lt;", "&gt;", "&quot;"};

    for (; *text; text++) {
        const char *at = strchr(special, *text);
        if (at)
            fputs(entities[at - special], out);
        else
            putc(*text, out);
    }
}

/* ---- CSV and JSON ------------------------------------------------------------------------ */

static void put_csv(FILE *out, const cli_result_summary *sheet, const cli_part *part, const grid *g)
{
    (void)g;
    for (int row = 0; row < part->n_methods; row++)
        for (int m = 0; m < part->n_measures; m++) {
            const cli_cell *cell = cli_result_summary_cell(part, row, m);
            const cli_published *p = cell->published;
            const double numbers[] = {cell->summary.mean,
                                      cell->summary.error,
                                      p ? p->value : NAN,
                                      p ? p->error : NAN,
                                      cell->is_best,
                                      cell->is_baseline,
                                      cell->lead.seeds.difference.n ? cell->lead.seeds.p : NAN,
                                      cell->lead.users.difference.n ? cell->lead.users.p : NAN};
            fprintf(out, "%s,%s,\"%s\",%s,%zu", cli_paper_folder(part->source, sheet->plan->scale),
                    part->methods[row]->name, part->methods[row]->title, part->measures[m]->key,
                    cell->summary.n);
            for (size_t i = 0; i < CLI_COUNT(numbers); i++)
                if (isnan(numbers[i]))
                    putc(',', out);
                else
                    fprintf(out, ",%.6g", numbers[i]);
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

json_t *cli_table_export_json(const cli_result_summary *sheet)
{
    json_t *parts = cli_json_object();

    for (int i = 0; i < sheet->n_parts; i++) {
        const cli_part *part = &sheet->parts[i];
        json_t *rows = cli_json_object(), *verdicts = cli_json_array(), *object = cli_json_object();
        char *sentence;
        for (int row = 0; row < part->n_methods; row++) {
            json_t *cells = cli_json_object();
            for (int m = 0; m < part->n_measures; m++)
                cli_json_put(
                    cells, part->measures[m]->key,
                    cell_json(cli_result_summary_cell(part, row, m), sheet->plan->n_seeds));
            cli_json_put(rows, part->methods[row]->name, cells);
        }
        for (int s = 0; (sentence = cli_significance_sentence(sheet, part, s)); s++, free(sentence))
            cli_json_append(verdicts, cli_json_text(sentence));
        cli_json_put(object, "title", cli_json_text(part->extent->title));
        cli_json_put(object, "rows", rows);
        cli_json_put(object, "verdicts", verdicts);
        cli_json_put(parts, cli_paper_folder(part->source, sheet->plan->scale), object);
    }
    return parts;
}

/* ---- whole tables ----------------------------------------------------------------------- */

#define LEGEND(best)                                                                             \
    "Means ± standard errors over seeds; " best                                                  \
    " NLN-Rl is NLN without the laws. † ahead of the best baseline with p < 0.05 in a paired " \
    "t-test over seeds, ‡ over users or triples."
static const char plain_legend[] = LEGEND("★ is the best, ☆ the best baseline.");
static const char legend[] = LEGEND("the best is bold, the best baseline in italics.");

/* LaTeX numbers tables itself, so "Table 2. " is cut off. */
static const char *after_number(const char *title)
{
    const char *stop = strstr(title, ". ");
    return stop ? stop + 2 : title;
}

static void put_head(FILE *out, const cli_result_summary *sheet, cli_format format)
{
    const cli_exhibit *e = sheet->exhibit;
    const char *notice = cli_paper_notice(sheet->plan->scale), *blank = notice[0] ? " " : "";

    if (format == CLI_FORMAT_TEXT)
        fprintf(out, "%s\n%s%s%s\n%s\n", e->title, notice, blank, e->caption, plain_legend);
    else if (format == CLI_FORMAT_MARKDOWN)
        fprintf(out, "## %s\n\n%s%s%s %s\n", e->title, notice, blank, e->caption, legend);
    else if (format == CLI_FORMAT_LATEX)
        fprintf(out,
                "%% Needs the package array; with booktabs the rules look better.\n"
                "\\providecommand{\\toprule}{\\hline}\\providecommand{\\midrule}{\\hline}"
                "\\providecommand{\\bottomrule}{\\hline}\n\\begin{table*}"
                "\n\\centering\n\\footnotesize\n"
                "\\setlength{\\tabcolsep}{3pt}\n"
                "\\caption{\\label{tab:%s}%s. %s%s%s Means $\\pm$ standard errors over seeds; the "
                "best is bold, "
                "the best baseline in italics; $^\\dagger$ ahead of it with $p<0.05$ over seeds, "
                "$^\\ddagger$ over users.}\n",
                e->name, after_number(e->title), notice, blank, e->caption);
    else if (format == CLI_FORMAT_CSV)
        fputs("source,method,title,measure,n,mean,error,published,published_error,best,"
              "best_baseline,p_seeds,p_users\n",
              out);
    else
        fprintf(out, "<p>%s %s</p>\n", e->caption, legend);
}

static void put_sentences(FILE *out, const cli_result_summary *sheet, cli_format format)
{
    static const char *const before[CLI_N_FORMATS] = {"- ", "- ", "% ", "", "<li>"};
    static const char *const around[CLI_N_FORMATS][2] = {
        {"\n", ""}, {"\n", ""}, {"\\end{table*}\n", ""}, {"", ""}, {"<ul>\n", "</ul>\n"}};
    char *sentence;

    fputs(around[format][0], out);
    for (int i = 0; format != CLI_FORMAT_CSV && i < sheet->n_parts; i++)
        for (int s = 0; (sentence = cli_significance_sentence(sheet, &sheet->parts[i], s)); s++) {
            fputs(before[format], out);
            if (format == CLI_FORMAT_HTML)
                cli_table_export_escape(out, sentence);
            else
                fputs(sentence, out);
            putc('\n', out);
            free(sentence);
        }
    fputs(around[format][1], out);
}

void cli_table_export_write(FILE *out, const cli_result_summary *sheet, cli_format format)
{
    static void (*const put[CLI_N_FORMATS])(FILE *, const cli_result_summary *, const cli_part *,
                                            const grid *) = {put_text, put_markdown, put_latex,
                                                             put_csv, put_html};

    put_head(out, sheet, format);
    for (int i = 0; i < sheet->n_parts; i++) {
        grid g = grid_of(&sheet->parts[i]);
        put[format](out, sheet, &sheet->parts[i], &g);
    }
    put_sentences(out, sheet, format);
}

#include "reproduce/html_report.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "allocate.h"
#include "messages.h"
#include "reproduce/table_export.h"
#include "runs/machine_info.h"
#include "show/json_output.h"
#include "show/output_file.h"

enum { MOST_TOLD = 16 }; /* more sources than the paper has */

static const char style[] =
    ":root{color-scheme:light dark;--ink:#1b1f24;--soft:#57606a;--line:#d0d7de;--paper:#fff;"
    "--card:#f6f8fa;--link:#0072b2;--warn:#b35900}\n"
    "@media(prefers-color-scheme:dark){:root{--ink:#e6edf3;--soft:#9aa4af;--line:#3a424b;"
    "--paper:#14181d;--card:#1c2128;--link:#56b4e9;--warn:#e69f00}}\n"
    "*{box-sizing:border-box}\n"
    "body{margin:0 auto;padding:1.2rem;max-width:62rem;background:var(--paper);color:var(--ink);"
    "font:16px/1.5 system-ui,-apple-system,'Segoe UI',Roboto,'DejaVu Sans',sans-serif}\n"
    "h1{font-size:1.7rem;line-height:1.2;margin:.6rem 0}"
    "h2{font-size:1.3rem;margin:2.4rem 0 .4rem;border-top:1px solid var(--line);"
    "padding-top:1.2rem}h3{font-size:1rem;margin:1.4rem 0 .4rem}\n"
    "a{color:var(--link)}nav{display:flex;flex-wrap:wrap;gap:.3rem 1rem;margin:1rem 0}\n"
    "p,li{max-width:46rem}.soft,figcaption{color:var(--soft);font-size:.9rem}\n"
    ".notice{border-left:4px solid var(--warn);background:var(--card);padding:.6rem 1rem;"
    "margin:1rem 0}.gap{color:var(--warn);font-style:italic}\n"
    ".wide{overflow-x:auto;-webkit-overflow-scrolling:touch;margin:.4rem 0}\n"
    "table{border-collapse:collapse;font-size:.9rem;font-variant-numeric:tabular-nums;"
    "min-width:min(100%,26rem)}"
    "th,td{padding:.3rem .7rem;text-align:right;white-space:nowrap}"
    "thead th{border-bottom:2px solid var(--line);vertical-align:bottom}"
    "th[scope=row],th:first-child,td.text{text-align:left;font-weight:normal}"
    "td.text{white-space:normal;min-width:16rem;word-break:break-word}"
    "tbody tr:nth-child(even){background:var(--card)}"
    "tr.group th,tr.group td{border-top:2px solid var(--line)}"
    ".published{color:var(--soft)}small{font-size:.8em;color:var(--soft)}\n"
    "figure{margin:1rem 0}figure img{display:block;width:100%;height:auto;background:#fff;"
    "border:1px solid var(--line);border-radius:6px}\n"
    "code{font-size:.85em}details{margin:.8rem 0}summary{cursor:pointer}\n"
    "@media(max-width:40rem){figure "
    "img{min-width:36rem}body{padding:.8rem;font-size:15px}th,td{padding:.25rem .45rem}"
    "th:first-child{position:sticky;left:0;background:var(--paper);white-space:normal;"
    "min-width:6.5rem}tbody tr:nth-child(even) th:first-child{background:var(--card)}}\n"
    "@media print{nav,details summary{display:none}}\n";

/* Base64, three bytes as four letters. */
static void put_base64(FILE *out, FILE *in)
{
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    unsigned char b[3];
    size_t n;

    while ((n = fread(b, 1, 3, in)) > 0) {
        unsigned bits =
            (unsigned)b[0] << 16 | (n > 1 ? (unsigned)b[1] << 8 : 0) | (n > 2 ? (unsigned)b[2] : 0);
        putc(letters[bits >> 18 & 63], out);
        putc(letters[bits >> 12 & 63], out);
        putc(n > 1 ? letters[bits >> 6 & 63] : '=', out);
        putc(n > 2 ? letters[bits & 63] : '=', out);
    }
}

/* ---- top ----------------------------------------------------------------------------- */

/* The contents, the missing sources, each once, and the runs that failed. */
static void put_top(FILE *out, const cli_plan *plan, const cli_result *results, int n_results)
{
    const cli_source *told[MOST_TOLD] = {0};
    json_t *date = cli_machine_date();
    int n_told = 0;

    fprintf(out, "<p class=soft>nln %s, %s; seeds 1 to %d.</p>\n<nav>", nln_version(),
            json_string_value(date), plan->n_seeds);
    json_decref(date);
    for (int i = 0; i < n_results; i++)
        if (results[i].there)
            fprintf(out, "<a href=\"#%s\">%s</a>\n", results[i].exhibit->name,
                    results[i].exhibit->title);
    fputs("<a href=\"#runs\">Runs</a>\n<a href=\"#machine\">Machine</a></nav>\n", out);
    if (cli_paper_notice(plan->scale)[0])
        fprintf(out, "<p class=notice>%s</p>\n", cli_paper_notice(plan->scale));
    fputs("<ul class=soft>\n", out);
    for (int i = 0; i < n_results; i++)
        for (int s = 0; s < CLI_MOST_SOURCES; s++) {
            const cli_source *source = cli_paper_source(results[i].exhibit->sources[s]);
            int is_told = !source || cli_plan_has(plan, source) || n_told == MOST_TOLD;
            for (int k = 0; k < n_told; k++)
                is_told |= told[k] == source;
            if (is_told)
                continue;
            told[n_told++] = source;
            fprintf(out, "<li>%s %s.</li>\n", source->at[CLI_SCALE_FULL].title,
                    cli_plan_why_not(plan, source));
        }
    for (size_t i = 0; i < plan->runs->n; i++) {
        const cli_run *run = plan->runs->all[i];
        if (!run->failure)
            continue;
        fprintf(out, "<li>The run %s failed: ", run->name);
        cli_table_export_escape(out, run->failure);
        fputs("</li>\n", out);
    }
    fputs("</ul>\n", out);
}

/* ---- tables and figures -------------------------------------------------------------- */

static void put_links(FILE *out, const char *folder, const char *name, const char *const *endings)
{
    fputs("<p class=soft>Files:", out);
    for (; *endings; endings++)
        fprintf(out, " <a href=\"%s/%s%s\">%s</a>", folder, name, *endings, *endings + 1);
    fputs("</p>\n", out);
}

/* The SVG file as an image inside the page. */
static void put_figure(FILE *out, const char *folder, const cli_exhibit *e)
{
    char *path = cli_memory_print("%s/figures/%s.svg", folder, e->name);
    FILE *in = fopen(path, "rb");

    free(path);
    fputs("<figure>\n<div class=wide>", out);
    if (in) {
        fputs("<img alt=\"", out);
        cli_table_export_escape(out, e->title);
        fputs("\" src=\"data:image/svg+xml;base64,", out);
        put_base64(out, in);
        fputs("\">\n", out);
        fclose(in);
    } else {
        fprintf(
            out,
            "<p class=notice>There is no picture, since gnuplot is not installed; <code>gnuplot "
            "%s.gp</code> in <code>figures</code> draws it.</p>\n",
            e->name);
    }
    fprintf(out, "</div>\n<figcaption>%s</figcaption>\n</figure>\n", e->caption);
}

static void put_result(FILE *out, const char *folder, const cli_result *result)
{
    static const char *const tables[] = {".txt", ".md", ".tex", ".csv", NULL};
    static const char *const figures[] = {".svg", ".png", ".pdf", ".tsv", ".gp", NULL};
    const cli_exhibit *e = result->exhibit;

    if (!result->there)
        return;
    fprintf(out, "<section>\n<h2 id=\"%s\">%s</h2>\n", e->name, e->title);
    if (e->kind == CLI_TABLE) {
        cli_table_export_write(out, &result->sheet, CLI_FORMAT_HTML);
        put_links(out, "tables", e->name, tables);
    } else {
        put_figure(out, folder, e);
        put_links(out, "figures", e->name, result->drawn ? figures : figures + 3);
    }
    fputs("</section>\n", out);
}

/* ---- runs ---------------------------------------------------------------------------- */

/* The name of a run without the number of its seed: runs that share it are a group. */
static size_t group_length(const char *name)
{
    size_t length = strlen(name);
    while (length > 0 && name[length - 1] >= '0' && name[length - 1] <= '9')
        length--;
    return length;
}

static int is_same_group(const cli_run *a, const cli_run *b)
{
    size_t length = group_length(a->name);
    return group_length(b->name) == length && strncmp(a->name, b->name, length) == 0;
}

/* The command line of a run, without the files that it writes. */
static void put_words(FILE *out, const cli_run *run)
{
    static const char *const own[] = {
        "--out=", "--log=", "--per-user=", "--per-triple=", "--seed="};

    fputs("<code>nln", out);
    for (int i = 0; i < run->n_words; i++) {
        int is_own = 0;
        for (size_t k = 0; k < sizeof own / sizeof *own; k++)
            is_own |= strncmp(run->words[i], own[k], strlen(own[k])) == 0;
        if (is_own)
            continue;
        putc(' ', out);
        cli_table_export_escape(out, run->words[i]);
    }
    fputs("</code>", out);
}

static void put_measured(FILE *out, int decimals, double value)
{
    fputs("<td>", out);
    if (!isnan(value))
        fprintf(out, "%.*f", decimals, value);
    fputs("</td>", out);
}

/* A line for the runs that differ only in their seed, if runs->all[first] is the first of them. */
static void put_group(FILE *out, const cli_runs *runs, size_t first)
{
    size_t done = 0, all = 0, with_epochs = 0;
    double seconds = 0, epochs = 0, peak = NAN;

    for (size_t i = 0; i < runs->n; i++) {
        const cli_run *run = runs->all[i];
        if (!is_same_group(runs->all[first], run))
            continue;
        if (i < first)
            return;
        all++;
        if (!run->result)
            continue;
        double epoch = cli_runs_number(run, "best_epoch");
        done++;
        seconds += isnan(run->seconds) ? 0 : run->seconds;
        epochs += isnan(epoch) ? 0 : epoch;
        with_epochs += isnan(epoch) ? 0 : 1;
        peak = isnan(peak) || run->peak_rss > peak ? run->peak_rss : peak;
    }
    if (!done)
        return;
    fprintf(out, "<tr><th scope=row>%.*s</th><td>%zu of %zu</td>",
            (int)group_length(runs->all[first]->name), runs->all[first]->name, done, all);
    put_measured(out, 1, seconds / (double)done);
    put_measured(out, 0, peak / 1e6);
    put_measured(out, 0, with_epochs ? epochs / (double)with_epochs : NAN);
    fputs("<td class=text>", out);
    put_words(out, runs->all[first]);
    fputs("</td></tr>\n", out);
}

static void put_runs(FILE *out, const cli_runs *runs)
{
    double total = 0;
    size_t done = 0;

    for (size_t i = 0; i < runs->n; i++) {
        done += runs->all[i]->result != NULL;
        total += runs->all[i]->result && !isnan(runs->all[i]->seconds) ? runs->all[i]->seconds : 0;
    }
    fprintf(out,
            "<section>\n<h2 id=runs>Runs</h2>\n<p>%zu of %zu runs, %.0f s of computing in all. "
            "Each has a folder in <code>runs</code> with its command, log, result and time.</p>\n"
            "<details><summary>Options, times and memory</summary>\n<div class=wide><table>\n"
            "<thead><tr><th>runs</th><th>seeds</th><th>seconds each</th><th>most MB</th>"
            "<th>best epoch</th><th class=text>command</th></tr></thead>\n<tbody>\n",
            done, runs->n, total);
    for (size_t i = 0; i < runs->n; i++)
        put_group(out, runs, i);
    fputs("</tbody></table></div></details>\n</section>\n", out);
}

/* ---- machine ------------------------------------------------------------------------- */

static void put_fact(FILE *out, const char *name, const char *text)
{
    fprintf(out, "<tr><th scope=row>%s</th><td class=text>", name);
    cli_table_export_escape(out, text);
    fputs("</td></tr>\n", out);
}

static void put_machine(FILE *out)
{
    json_t *machine = cli_machine_json(), *value;
    const char *key;
    char program[32], gnuplot[80] = "";
    /* A constant command. */
    FILE *pipe = popen("gnuplot --version 2>/dev/null", "r"); // NOLINT(cert-env33-c)

    if (pipe && !fgets(gnuplot, sizeof gnuplot, pipe))
        gnuplot[0] = '\0';
    if (pipe)
        pclose(pipe);
    gnuplot[strcspn(gnuplot, "\n")] = '\0';
    fputs("<section>\n<h2 id=machine>Machine and versions</h2>\n<div class=wide><table><tbody>\n",
          out);
    json_object_foreach(machine, key, value)
    {
        char *text = json_dumps(value, JSON_ENCODE_ANY);
        put_fact(out, key, json_is_string(value) ? json_string_value(value) : text ? text : "");
        free(text);
    }
    snprintf(program, sizeof program, "nln %s", nln_version());
    put_fact(out, "program", program);
    put_fact(out, "figures", gnuplot[0] ? gnuplot : "gnuplot is not installed");
    fputs("</tbody></table></div>\n</section>\n", out);
    json_decref(machine);
}

int cli_report_write(const char *folder, const cli_plan *plan, const cli_result *results,
                     int n_results)
{
    static const char title[] = "Neural Logic Networks, repeated";
    cli_file file;
    char *path = cli_memory_print("%s/report.html", folder);
    int code = cli_file_open(&file, path, "--out");

    if (!code) {
        fprintf(file.stream,
                "<!doctype html>\n<html lang=en>\n<meta charset=utf-8>\n"
                "<meta name=viewport content=\"width=device-width,initial-scale=1\">\n"
                "<title>%s</title>\n<style>\n%s</style>\n<body>\n<h1>%s</h1>\n",
                title, style, title);
        put_top(file.stream, plan, results, n_results);
        for (int i = 0; i < n_results; i++)
            put_result(file.stream, folder, &results[i]);
        put_runs(file.stream, plan->runs);
        put_machine(file.stream);
        fputs("</body>\n</html>\n", file.stream);
        code = cli_file_finish(&file);
    }
    free(path);
    return code;
}

#include "reproduce/report.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "allocate.h"
#include "messages.h"
#include "reproduce/html_page.h"
#include "reproduce/table_formats.h"
#include "runs/machine_info.h"
#include "show/files.h"
#include "show/json_output.h"

/* ---- top ------------------------------------------------------------------------------------- */

/* Whether an exhibit before has the source too, which then need not be told again. */
static int is_repeated(const cli_result *results, int index, int place)
{
    const char *name = results[index].exhibit->sources[place];
    for (int i = 0; i <= index; i++)
        for (int s = 0; s < (i < index ? CLI_MOST_SOURCES : place); s++)
            if (results[i].exhibit->sources[s] && strcmp(results[i].exhibit->sources[s], name) == 0)
                return 1;
    return 0;
}

static void put_missing(FILE *out, const cli_plan *plan, const cli_result *results, int n_results)
{
    for (int i = 0; i < n_results; i++)
        for (int s = 0; s < CLI_MOST_SOURCES; s++) {
            const cli_source *source = cli_study_source(results[i].exhibit->sources[s]);
            if (source && !cli_plan_has(plan, source) && !is_repeated(results, i, s))
                fprintf(out, "<li>%s %s.</li>\n", source->at[CLI_SCALE_FULL].title,
                        cli_plan_why_not(plan, source));
        }
}

static void put_failures(FILE *out, const cli_plan *plan)
{
    for (size_t i = 0; i < plan->runs->n; i++) {
        const cli_run *run = plan->runs->all[i];
        if (!run->failure)
            continue;
        fprintf(out, "<li>The run %s failed: ", run->name);
        cli_table_format_escape(out, run->failure);
        fputs("</li>\n", out);
    }
}

static void put_top(FILE *out, const cli_plan *plan, const cli_result *results, int n_results)
{
    json_t *date = cli_machine_date();

    fprintf(out, "<p class=soft>nln %s, %s; seeds 1 to %d.</p>\n<nav>", nln_version(),
            json_string_value(date), plan->n_seeds);
    json_decref(date);
    for (int i = 0; i < n_results; i++)
        if (results[i].there)
            fprintf(out, "<a href=\"#%s\">%s</a>\n", results[i].exhibit->name,
                    results[i].exhibit->title);
    fputs("<a href=\"#runs\">Runs</a>\n<a href=\"#machine\">Machine</a></nav>\n", out);
    if (cli_study_notice(plan->scale)[0])
        fprintf(out, "<p class=notice>%s</p>\n", cli_study_notice(plan->scale));
    fputs("<ul class=soft>\n", out);
    put_missing(out, plan, results, n_results);
    put_failures(out, plan);
    fputs("</ul>\n", out);
}

/* ---- tables and figures ------------------------------------------------------------------------
 */

static void put_links(FILE *out, const char *folder, const char *name, const char *const *endings)
{
    fputs("<p class=soft>Files:", out);
    for (; *endings; endings++)
        fprintf(out, " <a href=\"%s/%s%s\">%s</a>", folder, name, *endings, *endings + 1);
    fputs("</p>\n", out);
}

static void put_figure(FILE *out, const char *folder, const cli_exhibit *e)
{
    char path[PATH_MAX];

    snprintf(path, sizeof path, "%s/figures/%s.svg", folder, e->name);
    fputs("<figure>\n<div class=wide>", out);
    if (!cli_page_picture(out, path, e->title))
        fprintf(
            out,
            "<p class=notice>There is no picture, since gnuplot is not installed; <code>gnuplot "
            "%s.gp</code> in <code>figures</code> draws it.</p>\n",
            e->name);
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
        cli_table_format_sheet(out, &result->sheet, CLI_PAPER_HTML);
        put_links(out, "tables", e->name, tables);
    } else {
        put_figure(out, folder, e);
        put_links(out, "figures", e->name, result->drawn ? figures : figures + 3);
    }
    fputs("</section>\n", out);
}

/* ---- runs
 * ---------------------------------------------------------------------------------------- */

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

static int is_first_of_group(const cli_runs *runs, size_t index)
{
    for (size_t i = 0; i < index; i++)
        if (is_same_group(runs->all[i], runs->all[index]))
            return 0;
    return 1;
}

/* The command line of a run, without the files that it writes. */
static void put_words(FILE *out, const cli_run *run)
{
    static const char *const own[] = {"--out=", "--log=", "--per-user=", "--seed="};

    fputs("<code>nln", out);
    for (int i = 0; i < run->n_words; i++) {
        int is_own = 0;
        for (size_t k = 0; k < sizeof own / sizeof *own; k++)
            is_own |= strncmp(run->words[i], own[k], strlen(own[k])) == 0;
        if (is_own)
            continue;
        putc(' ', out);
        cli_table_format_escape(out, run->words[i]);
    }
    fputs("</code>", out);
}

static double mean_of(double sum, size_t n)
{
    return n ? sum / (double)n : NAN;
}

static void put_measured(FILE *out, int decimals, double value)
{
    fputs("<td>", out);
    if (!isnan(value))
        fprintf(out, "%.*f", decimals, value);
    fputs("</td>", out);
}

static void put_group(FILE *out, const cli_runs *runs, size_t first)
{
    size_t done = 0, all = 0, with_epochs = 0;
    double seconds = 0, epochs = 0, peak = NAN;

    for (size_t i = first; i < runs->n; i++) {
        const cli_run *run = runs->all[i];
        if (!is_same_group(runs->all[first], run))
            continue;
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
    put_measured(out, 1, mean_of(seconds, done));
    put_measured(out, 0, peak / 1e6);
    put_measured(out, 0, mean_of(epochs, with_epochs));
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
        if (is_first_of_group(runs, i))
            put_group(out, runs, i);
    fputs("</tbody></table></div></details>\n</section>\n", out);
}

/* ---- machine
 * -------------------------------------------------------------------------------------- */

static void put_gnuplot(FILE *out)
{
    char version[80] = "";
    /* A constant command. */
    FILE *pipe = popen("gnuplot --version 2>/dev/null", "r"); // NOLINT(cert-env33-c)

    if (pipe && !fgets(version, sizeof version, pipe))
        version[0] = '\0';
    if (pipe)
        pclose(pipe);
    version[strcspn(version, "\n")] = '\0';
    fputs("<tr><th scope=row>figures</th><td class=text>", out);
    cli_table_format_escape(out, version[0] ? version : "gnuplot is not installed");
    fputs("</td></tr>\n", out);
}

static void put_machine(FILE *out)
{
    json_t *machine = cli_machine_json(), *value;
    const char *key;

    fputs("<section>\n<h2 id=machine>Machine and versions</h2>\n<div class=wide><table><tbody>\n",
          out);
    json_object_foreach(machine, key, value)
    {
        char *text = json_dumps(value, JSON_ENCODE_ANY);
        fprintf(out, "<tr><th scope=row>%s</th><td class=text>", key);
        cli_table_format_escape(out, json_is_string(value) ? json_string_value(value)
                                     : text                ? text
                                                           : "");
        fputs("</td></tr>\n", out);
        free(text);
    }
    fprintf(out, "<tr><th scope=row>program</th><td class=text>nln %s</td></tr>\n", nln_version());
    put_gnuplot(out);
    fputs("</tbody></table></div>\n</section>\n", out);
    json_decref(machine);
}

int cli_report_write(const char *folder, const cli_plan *plan, const cli_result *results,
                     int n_results)
{
    cli_file file;
    size_t room = strlen(folder) + sizeof "/report.html";
    char *path = cli_memory_resize(NULL, room, 1);

    snprintf(path, room, "%s/report.html", folder);
    int code = cli_file_open(&file, path, "--out");
    if (!code) {
        cli_page_open(file.stream, "Neural Logic Networks, repeated");
        put_top(file.stream, plan, results, n_results);
        for (int i = 0; i < n_results; i++)
            put_result(file.stream, folder, &results[i]);
        put_runs(file.stream, plan->runs);
        put_machine(file.stream);
        cli_page_close(file.stream);
        code = cli_file_finish(&file);
    }
    free(path);
    return code;
}

/* nln reproduce: computes the missing runs of a table or figure of the paper, and makes tables,
 * figures and the report from all runs that are there. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "allocate.h"
#include "command_line.h"
#include "messages.h"
#include "reproduce/html_report.h"
#include "reproduce/result_figures.h"
#include "reproduce/table_export.h"
#include "runs/machine_info.h"
#include "runs/run_folder.h"
#include "show/json_output.h"
#include "show/output_file.h"
#include "show/terminal.h"

enum { MOST_EXHIBITS = 16 };

typedef struct study {
    const cli_call *call;
    const char *folder;
    const char *what; /* the name of an exhibit, or all */
    cli_plan plan;
    cli_runs runs;
    cli_result results[MOST_EXHIBITS];
    int n_results;
} study;

static int is_asked(const study *s, const cli_exhibit *exhibit)
{
    return strcmp(s->what, "all") == 0 || strcmp(s->what, exhibit->name) == 0;
}

static int has_source(const study *s, const cli_exhibit *exhibit)
{
    for (int i = 0; i < CLI_MOST_SOURCES; i++) {
        const cli_source *source = cli_paper_source(exhibit->sources[i]);
        if (source && cli_plan_has(&s->plan, source))
            return 1;
    }
    return 0;
}

static int check(const study *s)
{
    const cli_exhibit *exhibit = cli_paper_find(s->what);
    char names[512] = "all";

    if (s->plan.electronics[0] && access(s->plan.electronics, R_OK))
        return cli_message_failed("%s: cannot be read; --electronics is a file of ratings",
                                  s->plan.electronics);
    if (exhibit && !has_source(s, exhibit)) {
        const cli_source *source = cli_paper_source(exhibit->sources[0]);
        return cli_message_failed("%s %s", source->at[CLI_SCALE_FULL].title,
                                  cli_plan_why_not(&s->plan, source));
    }
    if (exhibit || strcmp(s->what, "all") == 0)
        return CLI_OK;
    for (int i = 0; (exhibit = cli_paper_exhibit(i)); i++) {
        size_t length = strlen(names);
        snprintf(names + length, sizeof names - length, ", %s", exhibit->name);
    }
    return cli_message_usage("there is no table or figure '%.80s'; choose one of %s", s->what,
                             names);
}

static void open_study(study *s, const cli_call *call)
{
    static const int usual_seeds[CLI_N_SCALES] = {5, 1, 2};
    const char *data = cli_call_text(call, "data"), *known = getenv("NLN_DATA");
    int seeds = (int)nln_options_number(call->options, "seeds");

    *s = (study){.call = call, .folder = cli_call_text(call, "out"), .what = call->operands[0]};
    s->plan.runs = &s->runs;
    s->plan.scale = cli_call_flag(call, "tiny")    ? CLI_SCALE_TINY
                    : cli_call_flag(call, "quick") ? CLI_SCALE_QUICK
                                                   : CLI_SCALE_FULL;
    s->plan.n_seeds = seeds ? seeds : usual_seeds[s->plan.scale];
    s->plan.data = data[0] ? data : known ? known : "";
    s->plan.electronics = cli_call_text(call, "electronics");
}

static int open_runs(study *s, int resume)
{
    char *folder = cli_memory_print("%s/runs", s->folder);
    int code = cli_runs_open(&s->runs, folder, resume);
    free(folder);
    return code;
}

/* Returns whether there are results to make tables of; *code says whether all went well. */
static int compute(int *code, study *s)
{
    const cli_exhibit *exhibit;
    int there = 0;

    if (!cli_call_flag(s->call, "compute")) {
        *code = CLI_OK;
        return !nln_cluster_rank();
    }
    *code = open_runs(s, cli_call_flag(s->call, "resume"));
    if (!*code) {
        for (int i = 0; (exhibit = cli_paper_exhibit(i)); i++)
            if (is_asked(s, exhibit))
                cli_plan_exhibit(&s->plan, exhibit);
        *code = cli_runs_do(&s->runs, (int)nln_options_number(s->call->options, "jobs"),
                            cli_call_flag(s->call, "quiet"));
        there = !s->runs.interrupted && !nln_cluster_rank();
    }
    cli_runs_close(&s->runs);
    return there;
}

static int make_table(study *s, cli_result *result)
{
    cli_file file;
    int code = CLI_OK;

    cli_result_summary_open(&result->sheet, &s->plan, result->exhibit);
    result->there = result->sheet.n_values > 0;
    for (int f = 0; result->there && f < CLI_FORMAT_HTML && !code; f++) {
        char *path = cli_memory_print("%s/tables/%s%s", s->folder, result->exhibit->name,
                                      cli_table_export_ending((cli_format)f));
        code = cli_file_open(&file, path, "--out");
        if (!code) {
            cli_table_export_write(file.stream, &result->sheet, (cli_format)f);
            code = cli_file_finish(&file);
        }
        free(path);
    }
    return code;
}

static int make_folder(const study *s, const char *name)
{
    char *path = cli_memory_print("%s/%s", s->folder, name);
    int code = cli_runfolder_make(path) ? cli_message_failed("%s: this folder cannot be made", path)
                                        : CLI_OK;
    free(path);
    return code;
}

/* Whether an exhibit was asked for, now or before, when its files were made. */
static int is_wanted(const study *s, const cli_exhibit *exhibit)
{
    int is_table = exhibit->kind == CLI_TABLE;
    char *path = cli_memory_print("%s/%s/%s.%s", s->folder, is_table ? "tables" : "figures",
                                  exhibit->name, is_table ? "txt" : "gp");
    int there = access(path, F_OK) == 0;

    free(path);
    return there || is_asked(s, exhibit);
}

/* Makes every table and figure that was asked for and has results. */
static int make(study *s)
{
    const cli_exhibit *exhibit;
    int code = open_runs(s, 1);

    for (int i = 0; (exhibit = cli_paper_exhibit(i)); i++) {
        if (!is_wanted(s, exhibit))
            continue;
        cli_plan_exhibit(&s->plan, exhibit);
        s->results[s->n_results++].exhibit = exhibit;
    }
    if (!code)
        cli_runs_read(&s->runs);
    if (!code)
        code = make_folder(s, "tables");
    if (!code)
        code = make_folder(s, "figures");
    for (int i = 0; i < s->n_results && !code; i++) {
        cli_result *result = &s->results[i];
        char *prefix = cli_memory_print("%s/figures/%s", s->folder, result->exhibit->name);
        code = result->exhibit->kind == CLI_TABLE
                   ? make_table(s, result)
                   : cli_drawing_make(&result->there, &result->drawn, &s->plan, result->exhibit,
                                      prefix);
        free(prefix);
    }
    if (!code)
        code = cli_report_write(s->folder, &s->plan, s->results, s->n_results);
    return code;
}

static void print_json(const study *s, double seconds)
{
    static const char *const scales[CLI_N_SCALES] = {"full", "quick", "tiny"};
    json_t *object = cli_json_result("what", s->what);
    json_t *tables = cli_json_object(), *figures = cli_json_object();

    for (int i = 0; i < s->n_results; i++) {
        const cli_result *result = &s->results[i];
        if (result->there && result->exhibit->kind == CLI_TABLE)
            cli_json_put(tables, result->exhibit->name, cli_table_export_json(&result->sheet));
        else if (result->there)
            cli_json_put(figures, result->exhibit->name, json_boolean(result->drawn));
    }
    char *report = cli_memory_print("%s/report.html", s->folder);
    cli_json_put(object, "scale", cli_json_text(scales[s->plan.scale]));
    cli_json_put(object, "seeds", cli_json_count((size_t)s->plan.n_seeds));
    cli_json_put(object, "seconds", cli_json_number(seconds));
    cli_json_put(object, "report", cli_json_text(report));
    cli_json_put(object, "tables", tables);
    cli_json_put(object, "figures", figures);
    cli_json_put(object, "machine", cli_machine_json());
    cli_json_print(object);
    free(report);
}

static void print_text(const study *s)
{
    for (int i = 0; i < s->n_results; i++) {
        const cli_result *result = &s->results[i];
        if (!result->there || !is_asked(s, result->exhibit))
            continue;
        if (result->exhibit->kind == CLI_TABLE)
            cli_table_export_write(stdout, &result->sheet, CLI_FORMAT_TEXT);
        else
            printf("%s: %s/figures/%s.%s", result->exhibit->name, s->folder, result->exhibit->name,
                   result->drawn ? "svg" : "gp");
        putchar('\n');
    }
    printf("%s/report.html has it all\n", s->folder);
}

int cli_reproduce(const cli_call *call)
{
    study s;
    double start = cli_terminal_clock();

    open_study(&s, call);
    int code = check(&s);
    if (code || !compute(&code, &s))
        return code;
    int made = make(&s);
    if (!made && cli_call_flag(call, "json"))
        print_json(&s, cli_terminal_clock() - start);
    else if (!made)
        print_text(&s);
    for (int i = 0; i < s.n_results; i++)
        cli_result_summary_close(&s.results[i].sheet);
    cli_runs_close(&s.runs);
    return code ? code : made;
}

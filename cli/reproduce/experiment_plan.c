#define _XOPEN_SOURCE 700 /* for realpath */
#include "reproduce/experiment_plan.h"

#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "allocate.h"
#include "nln.h"
#include "reproduce/tuned_options.h"

enum { MOST_NAME = 256 };

__attribute__((format(printf, 2, 3))) static cli_run *find(const cli_runs *runs, const char *format,
                                                           ...)
{
    char name[MOST_NAME];
    va_list args;

    va_start(args, format);
    vsnprintf(name, sizeof name, format, args);
    va_end(args);
    for (size_t i = 0; i < runs->n; i++)
        if (strcmp(runs->all[i]->name, name) == 0)
            return runs->all[i];
    return NULL;
}

/* ---- data ------------------------------------------------------------------------------ */

/* The full path of a file or folder below the folder of data, for the caller to free; NULL if it
 * is not there. */
static char *find_below(const cli_plan *plan, const char *file)
{
    static const char *const endings[] = {"", ".gz", ".zst"};
    char path[PATH_MAX];

    for (size_t i = 0; plan->data[0] && i < sizeof endings / sizeof *endings; i++) {
        int length = snprintf(path, sizeof path, "%s/%s%s", plan->data, file, endings[i]);
        char *found = length < (int)sizeof path ? realpath(path, NULL) : NULL;
        if (found)
            return found;
    }
    return NULL;
}

static char *find_file(const cli_plan *plan, const cli_source *source)
{
    if (source->file)
        return find_below(plan, source->file);
    return plan->electronics[0] ? realpath(plan->electronics, NULL) : NULL;
}

int cli_plan_has(const cli_plan *plan, const cli_source *source)
{
    const cli_extent *at = &source->at[plan->scale];
    if (!at->title || at->make)
        return at->title != NULL;
    char *path = find_file(plan, source);
    free(path);
    return path != NULL;
}

const char *cli_plan_why_not(const cli_plan *plan, const cli_source *source)
{
    if (!source->at[plan->scale].title)
        return "is left out of a quick pass";
    if (!source->file)
        return "is not measured: --electronics gives the file of its ratings";
    return plan->data[0] ? "is not measured: the folder of data does not have it"
                         : "is not measured: --data or NLN_DATA says where the data are";
}

/* Appends the path of the data to the words; data that are generated get a run of their own. */
static void add_data_word(const cli_plan *plan, cli_run *run, const cli_source *source, int seed,
                          const char *option)
{
    const cli_extent *at = &source->at[plan->scale];
    int data_seed = source->fresh ? seed : 1;

    if (!at->make) {
        char *path = find_file(plan, source);
        cli_runs_word(run, "%s%s", option, path ? path : cli_paper_folder(source, plan->scale));
        free(path);
        return;
    }
    cli_runs_word(run, "%s+/data/%s/seed-%d/set", option, cli_paper_folder(source, plan->scale),
                  data_seed);
    if (find(plan->runs, "data/%s/seed-%d", cli_paper_folder(source, plan->scale), data_seed))
        return;
    cli_run *data = cli_runs_add(plan->runs, "data/%s/seed-%d",
                                 cli_paper_folder(source, plan->scale), data_seed);
    cli_runs_words(data, at->make);
    cli_runs_word(data, "--seed=%d", data_seed);
    cli_runs_word(data, "--out=@/set");
}

/* ---- runs -------------------------------------------------------------------------------- */

enum { DATA_STAGE, TRAIN_STAGE, MODEL_STAGE };

const char *cli_plan_tuned(const cli_plan *plan, const cli_source *source, const cli_method *method)
{
    return method->tuned && plan->scale != CLI_SCALE_TINY
               ? cli_tuned_find(source->task, source->tuned, method->tuned)
               : NULL;
}

/* Adds the caps of this scale whose options the method uses. */
static void add_caps(cli_run *run, const cli_source *source, const cli_extent *at,
                     const cli_method *method)
{
    int is_paper = strstr(method->words, "--recipe paper") != NULL, used = 0;
    const char *words = at->caps[method->standing == CLI_BASELINE ? 0 : is_paper ? 2 : 1];
    char model[32] = "nln", name[32], value[32];
    nln_options *options = NULL;

    sscanf(method->words, "--model %31s", model);
    if (nln_options_create(&options, "train", NULL) ||
        nln_options_set(options, "task", source->task, NULL) ||
        nln_options_set(options, "model", model, NULL))
        words = "";
    for (; sscanf(words, " --%31s %31s%n", name, value, &used) == 2; words += used) {
        nln_option_use use;
        nln_options_use(&use, options, name);
        if (use.applies)
            cli_runs_word(run, "--%s=%s", name, value);
    }
    nln_options_free(options);
}

static void add_training(const cli_plan *plan, const cli_source *source, const cli_method *method,
                         int seed)
{
    const cli_extent *at = &source->at[plan->scale];
    const char *tuned = cli_plan_tuned(plan, source, method);
    char *word, list[64] = "";

    if (cli_plan_training(plan, source, method, seed))
        return;
    cli_run *run = cli_runs_add(plan->runs, "%s/%s/seed-%d", cli_paper_folder(source, plan->scale),
                                method->name, seed);
    run->stage = TRAIN_STAGE;
    run->weight = at->weight * method->weight;
    cli_runs_word(run, "train");
    add_data_word(plan, run, source, seed, "");
    cli_runs_word(run, "--task=%s", source->task);
    cli_runs_words(run, source->options);
    while (tuned && (word = cli_tuned_next(&tuned))) {
        cli_runs_word(run, "%s", word);
        free(word);
    }
    cli_runs_words(run, method->words);
    if (method->facts) {
        char *facts = find_below(plan, method->facts);
        cli_runs_word(run, "--facts=%s", facts ? facts : method->facts);
        free(facts);
    }
    add_caps(run, source, at, method);
    cli_runs_word(run, "--seed=%d", seed);
    cli_runs_word(run, "--out=@/model.nln");
    cli_runs_word(run, "--log=@/epochs.tsv");
    if (strcmp(source->task, "topk") == 0)
        cli_runs_word(run, "--per-user=@/users.tsv");
    if (strcmp(source->task, "link") == 0)
        cli_runs_word(run, "--per-triple=@/triples.tsv");
    if (!strstr(method->words, "--curves"))
        return;
    for (int i = 0, epoch; (epoch = cli_paper_snapshot(plan->scale, i)); i++) {
        size_t length = strlen(list);
        snprintf(list + length, sizeof list - length, "%s%d", i ? "," : "", epoch);
    }
    cli_runs_word(run, "--snapshots=%s", list);
}

/* `nln evaluate` of a model, for the variables that it solves; for a limit, with exact reasoning
 * from the same data. */
static void add_evaluation(const cli_plan *plan, const cli_source *source, const cli_method *method,
                           int seed)
{
    const char *model = method->after ? method->after : method->name;

    cli_run *run = cli_runs_add(plan->runs, "%s/%s/evaluate-seed-%d",
                                cli_paper_folder(source, plan->scale), method->name, seed);
    run->stage = MODEL_STAGE;
    run->after =
        find(plan->runs, "%s/%s/seed-%d", cli_paper_folder(source, plan->scale), model, seed);
    run->weight = source->at[plan->scale].weight * 0.1;
    cli_runs_words(run, "evaluate");
    cli_runs_word(run, "+/%s/%s/seed-%d/model.nln", cli_paper_folder(source, plan->scale), model,
                  seed);
    add_data_word(plan, run, source, seed, "");
    if (method->after)
        cli_runs_word(run, "--exact");
}

static void add_lengths(const cli_plan *plan, const cli_source *source, const cli_method *method,
                        int seed)
{
    if (cli_plan_lengths(plan, source, method, seed))
        return;
    cli_run *run = cli_runs_add(plan->runs, "%s/%s/lengths-seed-%d",
                                cli_paper_folder(source, plan->scale), method->name, seed);
    run->stage = MODEL_STAGE;
    run->after = cli_plan_training(plan, source, method, seed);
    run->weight = source->at[plan->scale].weight * 0.2;
    cli_runs_words(run, "evaluate");
    cli_runs_word(run, "+/%s/%s/seed-%d/model.nln", cli_paper_folder(source, plan->scale),
                  method->name, seed);
    add_data_word(plan, run, source, seed, "");
    cli_runs_word(run, "--lengths");
}

static const cli_run *evaluation(const cli_plan *plan, const cli_source *source,
                                 const cli_method *method, int seed)
{
    return find(plan->runs, "%s/%s/evaluate-seed-%d", cli_paper_folder(source, plan->scale),
                method->name, seed);
}

static void add_map(const cli_plan *plan, const cli_source *source, const cli_method *method,
                    int epoch)
{
    char snapshot[32] = "";

    if (cli_plan_map(plan, source, method, epoch))
        return;
    cli_run *run = cli_runs_add(plan->runs, "%s/%s/tsne-%d-seed-1",
                                cli_paper_folder(source, plan->scale), method->name, epoch);
    if (epoch)
        snprintf(snapshot, sizeof snapshot, "-epoch-%d", epoch);
    run->stage = MODEL_STAGE;
    run->after = cli_plan_training(plan, source, method, 1);
    run->weight = 10;
    cli_runs_words(run, "plot tsne");
    cli_runs_word(run, "+/%s/%s/seed-1/model.nln%s", cli_paper_folder(source, plan->scale),
                  method->name, snapshot);
    add_data_word(plan, run, source, 1, "--truth=");
    cli_runs_word(run, "--out=@/map");
    if (plan->scale == CLI_SCALE_TINY)
        cli_runs_words(run, "--perplexity=5 --iterations=50");
}

/* ---- exhibits ------------------------------------------------------------------------------ */

int cli_plan_takes(const cli_plan *plan, const cli_step *step)
{
    return step->method && (plan->scale == CLI_SCALE_FULL || step->quick);
}

/* The runs of one panel of a map or of curves: the training, and the maps of its vectors. */
static void plan_panel(const cli_plan *plan, const cli_exhibit *exhibit, const cli_source *source,
                       int index)
{
    const cli_method *method = cli_paper_method_named(exhibit->steps[index].method);

    add_training(plan, source, method, 1);
    if (exhibit->kind == CLI_MAP)
        add_map(plan, source, method, 0);
    for (int i = 0; exhibit->kind == CLI_MAPS && cli_paper_snapshot(plan->scale, i); i++)
        add_map(plan, source, method, cli_paper_snapshot(plan->scale, i));
}

void cli_plan_exhibit(const cli_plan *plan, const cli_exhibit *exhibit)
{
    const cli_method *method;

    for (int i = 0; i < CLI_MOST_SOURCES; i++) {
        const cli_source *source = cli_paper_source(exhibit->sources[i]);
        if (!source || !cli_plan_has(plan, source))
            continue;
        if (exhibit->kind == CLI_MAP || exhibit->kind == CLI_MAPS || exhibit->kind == CLI_CURVES)
            plan_panel(plan, exhibit, source, i);
        for (int m = 0; exhibit->kind == CLI_TABLE && (method = cli_paper_method(m)); m++)
            for (int seed = 1; seed <= plan->n_seeds; seed++) {
                if (!cli_paper_shows(exhibit, method, source))
                    continue;
                if (!method->after)
                    add_training(plan, source, method, seed);
                if (method->solves && strcmp(source->task, "logic") == 0 &&
                    !evaluation(plan, source, method, seed))
                    add_evaluation(plan, source, method, seed);
            }
        int has_steps = exhibit->kind == CLI_SWEEP || exhibit->kind == CLI_LENGTHS;
        for (int k = 0; has_steps && k < CLI_MOST_STEPS; k++)
            for (int seed = 1; seed <= plan->n_seeds; seed++) {
                if (!cli_plan_takes(plan, &exhibit->steps[k]))
                    continue;
                method = cli_paper_method_named(exhibit->steps[k].method);
                add_training(plan, source, method, seed);
                if (exhibit->kind == CLI_LENGTHS)
                    add_lengths(plan, source, method, seed);
            }
    }
}

/* ---- results ------------------------------------------------------------------------------- */

const cli_run *cli_plan_training(const cli_plan *plan, const cli_source *source,
                                 const cli_method *method, int seed)
{
    return find(plan->runs, "%s/%s/seed-%d", cli_paper_folder(source, plan->scale), method->name,
                seed);
}

const cli_run *cli_plan_lengths(const cli_plan *plan, const cli_source *source,
                                const cli_method *method, int seed)
{
    return find(plan->runs, "%s/%s/lengths-seed-%d", cli_paper_folder(source, plan->scale),
                method->name, seed);
}

const cli_run *cli_plan_map(const cli_plan *plan, const cli_source *source,
                            const cli_method *method, int epoch)
{
    return find(plan->runs, "%s/%s/tsne-%d-seed-1", cli_paper_folder(source, plan->scale),
                method->name, epoch);
}

double cli_plan_value(const cli_plan *plan, const cli_source *source, const cli_method *method,
                      const cli_measure *measure, int seed)
{
    const char *part = method->after ? "posterior" : measure->solved ? "network" : "test";
    const cli_run *run = method->after || measure->solved
                             ? evaluation(plan, source, method, seed)
                             : cli_plan_training(plan, source, method, seed);
    char path[64];

    snprintf(path, sizeof path, "%s.%s", part, measure->key);
    return run && run->result ? cli_runs_number(run, path) : NAN;
}

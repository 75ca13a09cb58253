/* nln train: reads expressions or ratings, trains, writes the model, and says how good it
 * is. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "allocate.h"
#include "command_line.h"
#include "commands/folds.h"
#include "commands/ratings_input.h"
#include "commands/training_output.h"
#include "messages.h"
#include "show/json_output.h"
#include "show/metrics_table.h"
#include "show/output_file.h"
#include "show/progress_bar.h"
#include "show/user_ranks.h"

/* What the model learns from: one of them. */
typedef struct material {
    cli_task task;
    cli_folds folds; /* of expressions, where --folds asks for them */
    nln_data *data;
    cli_ratings ratings;
    nln_triples *triples;
} material;

static int is_of_ratings(cli_task task)
{
    return task == CLI_TOPK || task == CLI_PREFERENCE;
}

static void print_json(const cli_call *call, const material *m, const nln_model *model,
                       const nln_report *report)
{
    json_t *object = cli_json_object(), *options = cli_json_options(nln_model_options(model));
    json_t *seed = json_object_get(options, "seed");

    cli_json_put(object, "version", cli_json_text(nln_version()));
    cli_json_put(object, "model", cli_json_text(cli_call_text(call, "out")));
    cli_json_put(object, "data", cli_json_text(call->operands[0]));
    cli_json_put(object, "seed", seed ? json_incref(seed) : json_null());
    cli_json_put(object, "variables", cli_json_count(nln_model_variables(model)));
    cli_json_put(object, "epochs", cli_json_count((size_t)report->epochs));
    cli_json_put(object, "best_epoch", cli_json_count((size_t)report->best_epoch));
    cli_json_put(object, "seconds", cli_json_number(report->seconds));
    cli_json_put(object, "seconds_per_epoch", cli_json_number(report->seconds_per_epoch));
    cli_json_put(object, "peak_rss_bytes", cli_json_count(report->peak_rss_bytes));
    cli_json_put(object, "train", cli_metrics_json(&report->train, m->task, CLI_SHOW_BOTH));
    cli_json_put(object, "valid", cli_metrics_json(&report->valid, m->task, CLI_SHOW_BOTH));
    cli_json_put(object, "test", cli_metrics_json(&report->test, m->task, CLI_SHOW_BOTH));
    if (m->task == CLI_LINK) {
        cli_json_put(object, "entities", cli_json_count(nln_triples_entities(m->triples)));
        cli_json_put(object, "relations", cli_json_count(nln_triples_relations(m->triples)));
    }
    if (is_of_ratings(m->task)) {
        cli_json_put(object, "users", cli_json_count(nln_ratings_users(m->ratings.ratings)));
        cli_json_put(object, "items", cli_json_count(nln_ratings_items(m->ratings.ratings)));
        cli_json_put(object, "reading", cli_ratings_reading(&m->ratings));
    }
    if (m->folds.n)
        cli_json_put(object, "folds", cli_folds_json(&m->folds));
    cli_json_put(object, "options", options);
    cli_json_print(object);
}

/* Training for a ranking does not rank the training set itself. */
static void print_table(const cli_call *call, cli_task task, const nln_report *report)
{
    const cli_measured rows[] = {
        {"train", &report->train}, {"valid", &report->valid}, {"test", &report->test}};
    int first = (task == CLI_TOPK || task == CLI_LINK) && !cli_metrics_known(&report->train);

    cli_metrics_print(rows + first, 3 - first, task);
    printf("best epoch %d of %d; %.1f s, %.2f s per epoch, %.0f MB; written to %s\n",
           report->best_epoch, report->epochs, report->seconds, report->seconds_per_epoch,
           (double)report->peak_rss_bytes / 1e6, cli_call_text(call, "out"));
}

/* What a split measures: its rows, or for a ranking its likes. */
static size_t measurable(const material *m, nln_split split)
{
    return m->task == CLI_LOGIC  ? nln_data_size(m->data, split)
           : m->task == CLI_LINK ? 2 * nln_triples_size(m->triples, split)
           : m->task == CLI_TOPK ? nln_ratings_likes(m->ratings.ratings, split)
                                 : nln_ratings_size(m->ratings.ratings, split);
}

/* What the table does not show: splits that are empty, of one class, or measured on a sample. */
static void tell_gaps(const material *m, const nln_report *report)
{
    const nln_metrics *all[] = {&report->train, &report->valid, &report->test};

    for (int s = NLN_TRAIN; s <= NLN_TEST; s++) {
        const char *name = cli_metrics_split_name((nln_split)s);
        size_t n = m->task == CLI_TOPK   ? all[s]->full.n
                   : m->task == CLI_LINK ? all[s]->links.n
                                         : all[s]->n;
        size_t of = measurable(m, (nln_split)s);
        if (n == 0 && s != NLN_TRAIN)
            printf("%s is not measured: %s\n", name,
                   of ? "none of it has a history that is long enough" : "it is empty");
        else if (n > 0 && is_of_ratings(m->task) && n < of)
            printf("%s is measured on %zu of its %zu %s\n", name, n, of,
                   m->task == CLI_TOPK ? "likes" : "ratings");
        if (n > 0 && m->task != CLI_TOPK && m->task != CLI_LINK && isnan(all[s]->auc))
            printf("%s has one class only: every label is the same\n", name);
    }
}

/* One file is split by --holdout; --folds without --fold adds trainings and does not change this
 * one.
 */
static int read_data(material *m, const cli_call *call)
{
    nln_error err = {0};
    nln_options *plain = NULL;
    const nln_options *options = cli_call_library(call, "expressions");
    int code = cli_call_refuse(call, "ratings",
                               "is for ratings, which need --task topk or --task preference; "
                               "--holdout and --folds split one file of expressions");

    if (!code && cli_call_has(call, "order"))
        code = cli_message_usage("--order is for triples, which need --task link");
    if (code)
        return code;
    int in_turn = nln_options_number(options, "folds") > 0 && !cli_call_has(call, "fold");
    nln_status status = in_turn ? nln_options_create(&plain, "expressions", &err) : NLN_OK;
    for (int i = 0; !status && in_turn && i < 2; i++) {
        const char *name = i ? "holdout-seed" : "holdout";
        status = nln_options_set(plain, name, nln_options_text(options, name), &err);
    }
    if (!status)
        status = nln_data_read_with(&m->data, call->operands[0], in_turn ? plain : options, &err);
    nln_options_free(plain);
    return status ? cli_message_error(&err) : cli_folds_train(&m->folds, call);
}

static int read_triples(material *m, const cli_call *call)
{
    nln_error err = {0};
    int code = cli_call_refuse(call, "ratings",
                               "is for ratings, which need --task topk or --task preference");

    if (!code &&
        nln_triples_read(&m->triples, call->operands[0], cli_call_library(call, "triples"), &err))
        code = cli_message_error(&err);
    return code;
}

static int read_facts(material *m, const cli_call *call)
{
    nln_error err = {0};
    size_t before = nln_ratings_items(m->ratings.ratings);

    if (nln_ratings_read_facts(m->ratings.ratings, cli_call_text(call, "facts"), &err))
        return cli_message_error(&err);
    size_t more = nln_ratings_items(m->ratings.ratings) - before;
    if (!cli_call_flag(call, "quiet"))
        cli_message_note("%s: %zu facts about items; %zu item%s that nobody rated %s in them",
                         cli_call_text(call, "facts"), nln_ratings_facts(m->ratings.ratings), more,
                         cli_message_plural(more), more == 1 ? "is" : "are");
    return CLI_OK;
}

static int read_material(material *m, const cli_call *call)
{
    if (m->task == CLI_LOGIC)
        return read_data(m, call);
    if (cli_call_has(call, "folds") || cli_call_has(call, "fold"))
        return cli_message_usage("--folds is for expressions, --task logic");
    if (m->task == CLI_LINK)
        return read_triples(m, call);
    int code = cli_call_refuse(call, "triples", "is for triples, which need --task link");
    if (!code)
        code = cli_ratings_read(&m->ratings, call, call->operands[0]);
    if (!code && cli_call_text(call, "facts")[0])
        code = read_facts(m, call);
    return code;
}

/* What is told of a training, and what it leaves behind. */
typedef struct witness {
    const cli_call *call;
    const material *material;
    int told; /* how the ratings were read, once the options have been accepted */
    cli_progress progress;
    cli_training_output epochs;
    int code; /* of the files */
} witness;

static int step(void *context, const nln_progress *now)
{
    witness *w = context;
    if (!w->told && is_of_ratings(w->material->task) && !cli_call_flag(w->call, "quiet")) {
        cli_ratings_tell_reading(&w->material->ratings, w->call->operands[0]);
        cli_ratings_tell_likes(&w->material->ratings, w->call->operands[0]);
    }
    w->told = 1;
    int stop = cli_progress_step(&w->progress, now);
    w->code = cli_training_output_step(&w->epochs, now);
    return stop || w->code;
}

static void say(void *context, const char *message)
{
    witness *w = context;
    cli_progress_say(&w->progress, message);
}

/* The file of --checkpoint, or MODEL.checkpoint; to be freed.  NULL where the model goes into
 * no file, as into /dev/null. */
static char *checkpoint_path(const cli_call *call)
{
    static const char ending[] = ".checkpoint";
    const char *given = cli_call_text(call, "checkpoint"), *out = cli_call_text(call, "out");
    struct stat about;
    if (!given[0] && !stat(out, &about) && !S_ISREG(about.st_mode))
        return NULL;
    size_t size = strlen(given[0] ? given : out) + sizeof ending;
    char *path = cli_memory_resize(NULL, size, 1);
    snprintf(path, size, "%s%s", given[0] ? given : out, given[0] ? "" : ending);
    return path;
}

static nln_watch watch_of(witness *w, const cli_call *call, const char *checkpoint)
{
    int given = cli_call_text(call, "checkpoint")[0] != '\0';
    return (nln_watch){.context = w,
                       .progress = step,
                       .log = say,
                       .checkpoint = checkpoint,
                       .every = given ? (int)nln_options_number(call->options, "every") : 0,
                       .resume = checkpoint && cli_call_flag(call, "resume")};
}

/* What to say of a training that did not come to its end. */
static int stopped(const witness *w, nln_status status, const nln_error *err,
                   const char *checkpoint)
{
    int epoch = w->progress.last.epoch;
    if (w->code) /* said already */
        return w->code;
    if (status != NLN_CANCELLED)
        return cli_message_error(err);
    if (!err->file[0])
        return cli_message_failed("training was interrupted in epoch %d; nothing was written",
                                  epoch);
    return cli_message_failed("training was interrupted in epoch %d; --resume goes on from %s",
                              epoch, checkpoint);
}

/* The time that SOURCE_DATE_EPOCH gives, as reproducible builds have it: a file has no other, so
 * that the same seed gives the same bytes. */
static void stamp(nln_model *model)
{
    const char *text = getenv("SOURCE_DATE_EPOCH");
    char *end = NULL;
    long long when = text ? strtoll(text, &end, 10) : 0;
    if (text && end != text && !*end && when >= 0)
        nln_model_stamp(model, (double)when);
}

/* MODEL.checkpoint is no longer needed once the training that continued from it has its model. */
static int save(nln_model *model, const cli_call *call, const char *checkpoint)
{
    nln_error err = {0};
    if (nln_cluster_rank())
        return CLI_OK;
    stamp(model);
    if (nln_model_save(model, cli_call_text(call, "out"), &err))
        return cli_message_error(&err);
    if (checkpoint && cli_call_flag(call, "resume") && !cli_call_text(call, "checkpoint")[0])
        unlink(checkpoint);
    return CLI_OK;
}

static int train_and_save(nln_model **model, nln_report *report, const cli_call *call,
                          const material *m, const char *checkpoint)
{
    nln_error err = {0};
    witness w = {.call = call, .material = m, .code = CLI_OK};
    nln_watch watch = watch_of(&w, call, checkpoint);
    const nln_options *options = cli_call_library(call, "train");
    int code = cli_training_output_open(&w.epochs, call, m->task);

    if (code)
        return code;
    cli_progress_open(&w.progress, m->task, cli_call_flag(call, "quiet"));
    nln_status status =
        m->task == CLI_LINK ? nln_train_links(model, report, m->triples, options, &watch, &err)
        : m->task == CLI_LOGIC
            ? nln_train(model, report, m->data, options, &watch, &err)
            : nln_train_ratings(model, report, m->ratings.ratings, options, &watch, &err);
    cli_progress_close(&w.progress);
    code = cli_training_output_close(&w.epochs);
    if (status)
        return stopped(&w, status, &err, checkpoint);
    return code ? code : save(*model, call, checkpoint);
}

static int train(nln_model **model, nln_report *report, const cli_call *call, const material *m)
{
    char *checkpoint = checkpoint_path(call);
    int code = train_and_save(model, report, call, m, checkpoint);
    free(checkpoint);
    return code;
}

/* The ranks of the test part, where --per-user asks for them. */
static int write_placings(const cli_call *call, const material *m, const nln_model *model)
{
    const char *path = cli_call_text(call, "per-user");
    nln_placing *placings = NULL;
    nln_metrics metrics;
    nln_error err = {0};

    if (!path[0])
        return CLI_OK;
    if (nln_evaluate_ratings(&metrics, &placings, model, m->ratings.ratings, NLN_TEST, NULL, &err))
        return cli_message_error(&err);
    int code = cli_user_ranks_write(placings, metrics.full.n, m->ratings.ratings, path);
    nln_free(placings);
    return code;
}

static int write_link_placings(const cli_call *call, const material *m, const nln_model *model)
{
    const char *path = cli_call_text(call, "per-triple");
    nln_link_placing *placings = NULL;
    nln_error err = {0};

    if (!path[0])
        return CLI_OK;
    if (nln_place_links(&placings, model, m->triples, NLN_TEST, NULL, &err))
        return cli_message_error(&err);
    int code = cli_user_ranks_write_links(placings, nln_triples_size(m->triples, NLN_TEST),
                                          m->triples, path);
    nln_free(placings);
    return code;
}

/* What can be said before the training, which may take hours. */
static int check(const cli_call *call, cli_task task)
{
    int code = cli_file_try(cli_call_text(call, "out"), "--out");
    if (!code && cli_call_has(call, "per-user")) {
        if (task != CLI_TOPK)
            return cli_message_usage("--per-user is for --task topk, which ranks items");
        code = cli_file_try(cli_call_text(call, "per-user"), "--per-user");
    }
    if (!code && cli_call_has(call, "per-triple")) {
        if (task != CLI_LINK)
            return cli_message_usage("--per-triple is for --task link, which ranks entities");
        code = cli_file_try(cli_call_text(call, "per-triple"), "--per-triple");
    }
    if (!code && cli_call_has(call, "facts") && task != CLI_TOPK)
        return cli_message_usage("--facts is for --task topk, which ranks items");
    if (!code && cli_call_text(call, "checkpoint")[0])
        code = cli_file_try(cli_call_text(call, "checkpoint"), "--checkpoint");
    else if (!code && cli_call_has(call, "every"))
        return cli_message_usage("--every is for --checkpoint FILE, which is missing");
    return code;
}

/* No file may take the place of another. */
static int check_files(const cli_call *call)
{
    const cli_named_path paths[] = {{"--out", cli_call_text(call, "out"), 0},
                                    {"--log", cli_call_text(call, "log"), 0},
                                    {"--per-user", cli_call_text(call, "per-user"), 0},
                                    {"--per-triple", cli_call_text(call, "per-triple"), 0},
                                    {"--checkpoint", cli_call_text(call, "checkpoint"), 0},
                                    {"DATA", call->operands[0], 1},
                                    {"--facts", cli_call_text(call, "facts"), 1},
                                    {"--config", cli_call_text(call, "config"), 1}};
    return cli_file_apart(paths, sizeof paths / sizeof *paths);
}

int cli_train(const cli_call *call)
{
    material m = {.task = cli_metrics_task(call->options)};
    nln_model *model = NULL;
    nln_report report = {0};
    int code = check_files(call);

    if (!code)
        code = check(call, m.task);
    if (!code)
        code = read_material(&m, call);
    if (!code)
        code = train(&model, &report, call, &m);
    if (!code)
        code = write_placings(call, &m, model);
    if (!code)
        code = write_link_placings(call, &m, model);
    if (!code && cli_call_flag(call, "json"))
        print_json(call, &m, model, &report);
    else if (!code)
        print_table(call, m.task, &report);
    if (!code && m.folds.n && !cli_call_flag(call, "json"))
        cli_folds_print(&m.folds);
    if (!code && !cli_call_flag(call, "json"))
        tell_gaps(&m, &report);
    nln_model_free(model);
    nln_data_free(m.data);
    cli_folds_free(&m.folds);
    cli_ratings_free(&m.ratings);
    nln_triples_free(m.triples);
    return code;
}

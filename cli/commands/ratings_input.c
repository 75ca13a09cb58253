#include "commands/ratings_input.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "command_line.h"
#include "messages.h"
#include "nln_serve.h"
#include "show/metrics_table.h"
#include "show/struct_fields.h"

/* The reasons for which lines are left out. */
static const struct {
    const char *words;
    size_t offset; /* of the count */
} reasons[] = {
    {"cannot be read", offsetof(nln_ratings_report, bad)},
    {"with a rating out of range", offsetof(nln_ratings_report, out_of_range)},
    {"about a pair that comes again", offsetof(nln_ratings_report, duplicates)},
};

/* A file without any times is in time order; one that lacks only some of them is odd. */
static void tell(const char *path, const nln_ratings_report *report)
{
    char words[256] = "", first[832] = "", untimed[64] = "";
    size_t length = 0, left_out = report->bad + report->out_of_range + report->duplicates;

    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++) {
        size_t n = *(const size_t *)((const char *)report + reasons[i].offset);
        if (n > 0)
            length += (size_t)snprintf(words + length, sizeof words - length, "%s%zu %s",
                                       length ? ", " : "", n, reasons[i].words);
    }
    if (report->without_time > 0 && report->without_time < report->lines - left_out)
        snprintf(untimed, sizeof untimed, "%zu line%s without a time %s place",
                 report->without_time, cli_message_plural(report->without_time),
                 report->without_time == 1 ? "keeps its" : "keep their");
    if (report->first.line > 0)
        snprintf(first, sizeof first, "; the first is %s:%ld: %s", report->first.file,
                 report->first.line, report->first.message);
    if (left_out > 0)
        cli_message_note("%s: %zu of %zu line%s %s left out: %s%s%s%s", path, left_out,
                         report->lines, cli_message_plural(report->lines),
                         left_out == 1 ? "is" : "are", words, untimed[0] ? "; " : "", untimed,
                         first);
    else if (untimed[0])
        cli_message_note("%s: %s%s", path, untimed, first);
}

const char *cli_ratings_columns(const cli_ratings *ratings)
{
    static const char *const columns[2][2] = {
        {"user, item; no ratings, so every line is a like; no times, so the order of the lines is "
         "taken: where it is not the order of time, what is held out may be older than what is "
         "learned",
         "user, item, time; no ratings, so every line is a like"},
        {"user, item, rating; no times, so the order of the lines is taken: where it is not the "
         "order of time, what is held out may be older than what is learned",
         "user, item, rating, time"}};
    const nln_ratings_report *report = &ratings->report;
    return columns[report->has_rating != 0][report->has_time != 0];
}

void cli_ratings_tell_likes(const cli_ratings *ratings, const char *path)
{
    const nln_ratings_report *report = &ratings->report;
    int labels = report->least >= 0 && report->most <= 1 && report->like_from == 1;
    int stars = report->least >= 0 && report->most <= 5 && report->most > 1;
    if (report->has_rating && !labels)
        cli_message_note("%s: ratings are %.6g to %.6g, and %.6g or more is a like%s", path,
                         report->least, report->most, report->like_from,
                         stars ? "" : " (--like-from sets another line)");
}

void cli_ratings_tell_reading(const cli_ratings *ratings, const char *path)
{
    const nln_ratings_report *report = &ratings->report;
    if (!report->has_rating || !report->has_time || report->unused[0])
        cli_message_note("%s: read as %s: %s%s%s", path, report->format,
                         cli_ratings_columns(ratings), report->unused[0] ? "; not used: " : "",
                         report->unused);
    if (report->looks_like_rating[0])
        cli_message_note("%s: column '%s' looks like ratings; if it is, say --columns rating=%s",
                         path, report->looks_like_rating, report->looks_like_rating);
    if (report->looks_like_time[0])
        cli_message_note("%s: column '%s' looks like times; if it is, say --columns time=%s", path,
                         report->looks_like_time, report->looks_like_time);
    cli_ratings_tell_times(ratings, path);
}

void cli_ratings_tell_times(const cli_ratings *ratings, const char *path)
{
    const nln_ratings_report *report = &ratings->report;
    if (report->mixed_times > 0)
        cli_message_note("%s: %zu time%s in another unit than the others, as seconds and "
                         "milliseconds are: make them one unit, or the order is wrong",
                         path, report->mixed_times, report->mixed_times == 1 ? " is" : "s are");
}

/* The consequences of reading with other options than the model was trained with. */
static const struct {
    const char *name, *meaning;
} remembered[] = {
    {"split", "what is held out here may have been learned"},
    {"split-seed", "what is held out here may have been learned"},
    {"like-from", "other ratings are likes than those it learned from"},
    {"core", "what is held out here may have been learned"},
};

/* A file and a folder are never split in the same way, as far as anyone can tell. */
static void tell_other_split(const char *path, const nln_model *model)
{
    const char *trained = nln_model_abilities(model).split;
    struct stat about;
    int is_folder = !stat(path, &about) && S_ISDIR(about.st_mode);

    if (trained[0] && is_folder != (strcmp(trained, "folder") == 0))
        cli_message_note(
            "the model was trained on %s, and %s is %s: what is held out here may have "
            "been learned",
            is_folder ? "one file" : "a folder of three files", path,
            is_folder ? "a folder" : "one file");
}

static void tell_differences(const nln_options *read, const char *path, const nln_model *model)
{
    nln_options *trained = NULL;

    if (!model || nln_model_reading(&trained, model, NULL))
        return;
    tell_other_split(path, model);
    for (size_t i = 0; i < sizeof remembered / sizeof *remembered; i++) {
        const char *name = remembered[i].name, *now = nln_options_text(read, name);
        const char *then = nln_options_text(trained, name);
        if (nln_options_source(trained, name) != NLN_FROM_DEFAULT && strcmp(now, then) != 0)
            cli_message_note("the model was trained with --%s %s, not %s: %s", name, then, now,
                             remembered[i].meaning);
    }
    nln_options_free(trained);
}

/* Whether items will be ranked: the model's task, or that of the training. */
static int is_topk(const cli_call *call, const nln_model *model)
{
    if (model)
        return cli_metrics_task(nln_model_options(model)) == CLI_TOPK;
    const nln_options *training = cli_call_library(call, "train");
    return training && strcmp(nln_options_text(training, "task"), "topk") == 0;
}

/* The call's options over those of the model, if there is one. */
static int join_options(nln_options **out, const cli_call *call, const nln_model *model)
{
    nln_error err = {0};
    const nln_options *given = cli_call_library(call, "ratings");
    int n_rows = 0;
    const nln_option *rows = nln_options_table(&n_rows, given);

    if (model ? nln_model_reading(out, model, &err) : nln_options_create(out, "ratings", &err))
        return cli_message_error(&err);
    for (int i = 0; i < n_rows; i++) {
        const char *name = rows[i].name, *text = nln_options_text(given, name);
        if (nln_options_source(given, name) == NLN_FROM_DEFAULT ||
            (strcmp(name, "split") == 0 && strcmp(text, "auto") == 0))
            continue;
        if (nln_options_set(*out, name, text, &err))
            return cli_message_misuse(&err);
    }
    if (strcmp(nln_options_text(*out, "split"), "auto") == 0)
        nln_options_set(*out, "split", is_topk(call, model) ? "likes" : "paper", NULL);
    return CLI_OK;
}

/* A folder is split already, so --split and --split-seed are refused; but --split of `nln evaluate`
 * may name a part. */
static int check_split(const cli_call *call, const char *path)
{
    static const char *const parts[] = {"train", "valid", "test"};
    struct stat about;
    int is_part = 0;

    for (int i = 0; i < 3; i++)
        is_part |= strcmp(cli_call_text(call, "split"), parts[i]) == 0;
    if (stat(path, &about) || !S_ISDIR(about.st_mode))
        return CLI_OK;
    for (size_t i = 0; i < call->n_given; i++) {
        const char *name = call->given[i].row->name;
        if ((strcmp(name, "split") == 0 && !is_part) || strcmp(name, "split-seed") == 0)
            return cli_message_usage("--%s splits one file, and %s is a folder, which is split "
                                     "already: leave it out",
                                     name, path);
    }
    return CLI_OK;
}

nln_status cli_ratings_load(nln_ratings **out, nln_ratings_report *report, const char *path,
                            const nln_options *options, nln_error *err)
{
    return nln_serve_is_store(path) ? nln_serve_ratings(out, report, path, options, err)
                                    : nln_ratings_read(out, report, path, options, err);
}

/* Reads the ratings.  The columns of the model's own file are a guess: a file that has none of them
 * is read by itself. */
static nln_status load(cli_ratings *out, const cli_call *call, const char *path, nln_error *err)
{
    nln_status status = cli_ratings_load(&out->ratings, &out->report, path, out->options, err);
    const nln_options *given = cli_call_library(call, "ratings");
    int is_guess = nln_options_text(out->options, "columns")[0] &&
                   nln_options_source(given, "columns") == NLN_FROM_DEFAULT;

    if (status != NLN_FORMAT || !is_guess)
        return status;
    *err = (nln_error){0};
    out->report = (nln_ratings_report){0};
    nln_options_set(out->options, "columns", "", NULL);
    return cli_ratings_load(&out->ratings, &out->report, path, out->options, err);
}

int cli_ratings_read_for(cli_ratings *out, const cli_call *call, const char *path,
                         const nln_model *model)
{
    nln_error err = {0};
    int code = check_split(call, path);

    *out = (cli_ratings){0};
    if (!code)
        code = join_options(&out->options, call, model);
    if (code)
        return code;
    if (load(out, call, path, &err))
        return cli_message_cause(&err);
    if (!cli_call_flag(call, "quiet")) {
        tell_differences(out->options, path, model);
        tell(path, &out->report);
    }
    return CLI_OK;
}

int cli_ratings_read(cli_ratings *out, const cli_call *call, const char *path)
{
    return cli_ratings_read_for(out, call, path, NULL);
}

void cli_ratings_free(cli_ratings *ratings)
{
    nln_options_free(ratings->options);
    nln_ratings_free(ratings->ratings);
    *ratings = (cli_ratings){0};
}

static const cli_field fields[] = {
    CLI_FIELD(nln_ratings_report, format, TEXT, "format", NULL, 0),
    CLI_FIELD(nln_ratings_report, has_rating, FLAG, "has_rating", NULL, 0),
    CLI_FIELD(nln_ratings_report, has_time, FLAG, "has_time", NULL, 0),
    CLI_FIELD(nln_ratings_report, lines, COUNT, "lines", NULL, 0),
    CLI_FIELD(nln_ratings_report, bad, COUNT, "bad", NULL, 0),
    CLI_FIELD(nln_ratings_report, out_of_range, COUNT, "out_of_range", NULL, 0),
    CLI_FIELD(nln_ratings_report, duplicates, COUNT, "duplicates", NULL, 0),
    CLI_FIELD(nln_ratings_report, without_time, COUNT, "without_time", NULL, 0),
    CLI_FIELD(nln_ratings_report, mixed_times, COUNT, "mixed_times", NULL, 0),
    CLI_FIELD(nln_ratings_report, like_from, NUMBER, "like_from", NULL, 0),
    CLI_FIELD(nln_ratings_report, least, NUMBER, "least", NULL, 0),
    CLI_FIELD(nln_ratings_report, most, NUMBER, "most", NULL, 0),
};

json_t *cli_ratings_reading(const cli_ratings *ratings)
{
    const nln_error *at = &ratings->report.first;
    json_t *object = cli_json_object(), *first = json_null();

    if (at->status || at->line) {
        first = cli_json_object();
        cli_json_put(first, "file", cli_json_text(at->file));
        cli_json_put(first, "line", cli_json_count((size_t)at->line));
        cli_json_put(first, "message", cli_json_text(at->message));
    }
    cli_fields_put(object, fields, CLI_COUNT(fields), &ratings->report);
    cli_json_put(object, "first", first);
    cli_json_put(object, "unused", cli_json_text(ratings->report.unused));
    cli_json_put(object, "options", cli_json_options(ratings->options));
    return object;
}

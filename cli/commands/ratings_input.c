#include "commands/ratings_input.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "command_line.h"
#include "messages.h"
#include "show/json_output.h"

/* The counts of a report: key in JSON, words for the message. */
typedef struct count {
    const char *key, *words;
    size_t n;
} count;

enum { BAD, OUT_OF_RANGE, DUPLICATES, WITHOUT_TIME, N_COUNTS };

static void list_counts(count out[N_COUNTS], const nln_ratings_report *report)
{
    out[BAD] = (count){"bad", "cannot be read", report->bad};
    out[OUT_OF_RANGE] = (count){"out_of_range", "with a rating out of range", report->out_of_range};
    out[DUPLICATES] = (count){"duplicates", "about a pair that comes again", report->duplicates};
    out[WITHOUT_TIME] = (count){"without_time", "without a time", report->without_time};
}

static void add_words(char *text, size_t room, size_t *length, const count *c)
{
    if (c->n > 0 && *length < room)
        *length += (size_t)snprintf(text + *length, room - *length, "%s%zu %s", *length ? ", " : "",
                                    c->n, c->words);
}

/* A file that has no times at all is in time order; one that lacks some of them is odd. */
static void tell(const char *path, const nln_ratings_report *report)
{
    count counts[N_COUNTS];
    char words[256] = "", first[832] = "", untimed[64] = "";
    size_t length = 0, left_out = report->bad + report->out_of_range + report->duplicates;

    list_counts(counts, report);
    for (int i = BAD; i <= DUPLICATES; i++)
        add_words(words, sizeof words, &length, &counts[i]);
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
         "taken",
         "user, item, time; no ratings, so every line is a like"},
        {"user, item, rating; no times, so the order of the lines is taken",
         "user, item, rating, time"}};
    const nln_ratings_report *report = &ratings->report;
    return columns[report->has_rating != 0][report->has_time != 0];
}

void cli_ratings_tell_missing(const cli_ratings *ratings, const char *path)
{
    const nln_ratings_report *report = &ratings->report;
    if (!report->has_rating || !report->has_time)
        cli_message_note("%s: read as %s: %s", path, report->format, cli_ratings_columns(ratings));
}

/* What it means to read with other options than a model was trained with. */
static const struct {
    const char *name, *meaning;
} remembered[] = {
    {"split", "what is held out here may have been learnt"},
    {"split-seed", "what is held out here may have been learnt"},
    {"like-from", "other ratings are likes than those it learnt from"},
};

static void tell_differences(const nln_options *read, const nln_model *model)
{
    nln_options *trained = NULL;

    if (!model || nln_model_reading(&trained, model, NULL))
        return;
    for (size_t i = 0; i < sizeof remembered / sizeof *remembered; i++) {
        const char *name = remembered[i].name, *now = nln_options_text(read, name);
        const char *then = nln_options_text(trained, name);
        if (nln_options_source(trained, name) != NLN_FROM_DEFAULT && strcmp(now, then) != 0)
            cli_message_note("the model was trained with --%s %s, not %s: %s", name, then, now,
                             remembered[i].meaning);
    }
    nln_options_free(trained);
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
        if (nln_options_source(given, name) == NLN_FROM_DEFAULT)
            continue;
        if (nln_options_set(*out, name, text, &err))
            return cli_message_misuse(&err);
    }
    return CLI_OK;
}

/* A folder has been split already, so that the command line has nothing to say of it; --split of
 * `nln evaluate` may be a part, though. */
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
            return cli_message_usage("--%s deals one file, and %s is a folder, which is split "
                                     "already: leave it out",
                                     name, path);
    }
    return CLI_OK;
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
    if (nln_ratings_read(&out->ratings, &out->report, path, out->options, &err))
        return cli_message_cause(&err);
    if (!cli_call_flag(call, "quiet")) {
        tell_differences(out->options, model);
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

static json_t *first_place(const nln_error *first)
{
    if (!first->status && !first->line)
        return json_null();
    json_t *object = cli_json_object();
    cli_json_put(object, "file", cli_json_text(first->file));
    cli_json_put(object, "line", cli_json_count((size_t)first->line));
    cli_json_put(object, "message", cli_json_text(first->message));
    return object;
}

json_t *cli_ratings_reading(const cli_ratings *ratings)
{
    const nln_ratings_report *report = &ratings->report;
    json_t *object = cli_json_object();
    count counts[N_COUNTS];

    list_counts(counts, report);
    cli_json_put(object, "format", report->format ? cli_json_text(report->format) : json_null());
    cli_json_put(object, "has_rating", json_boolean(report->has_rating));
    cli_json_put(object, "has_time", json_boolean(report->has_time));
    cli_json_put(object, "lines", cli_json_count(report->lines));
    for (int i = 0; i < N_COUNTS; i++)
        cli_json_put(object, counts[i].key, cli_json_count(counts[i].n));
    cli_json_put(object, "first", first_place(&report->first));
    cli_json_put(object, "options", cli_json_options(ratings->options));
    return object;
}

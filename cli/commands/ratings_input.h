/* Reads ratings for the commands, with a note about the lines that were left out. */
#ifndef CLI_COMMANDS_RATINGS_INPUT_H
#define CLI_COMMANDS_RATINGS_INPUT_H

#include <jansson.h>

#include "command_table.h"

typedef struct cli_ratings {
    nln_ratings *ratings;
    nln_ratings_report report;
    nln_options *options; /* of "ratings", as they were read */
} cli_ratings;

/* Reads a file, a folder or a store of events; as nln_ratings_read. */
nln_status cli_ratings_load(nln_ratings **out, nln_ratings_report *report, const char *path,
                            const nln_options *options, nln_error *err);
/* Reads a file, a folder or a store with the call's options of "ratings".  Unless the call is
 * quiet, one line on standard error names the lines that were left out.  Returns an exit code. */
int cli_ratings_read(cli_ratings *out, const cli_call *call, const char *path);
/* The same for a model: options that the call does not set are those of the model's training, so
 * that the same rows are split in the same way and the same ratings are likes. */
int cli_ratings_read_for(cli_ratings *out, const cli_call *call, const char *path,
                         const nln_model *model);
/* Which columns the file has, and what replaces the missing ones. */
const char *cli_ratings_columns(const cli_ratings *ratings);
/* Notes on standard error: these words, if there are no ratings or no times or columns that are not
 * used; columns that look like ratings or times; times of mixed units. */
void cli_ratings_tell_reading(const cli_ratings *ratings, const char *path);
/* The last of these notes alone. */
void cli_ratings_tell_times(const cli_ratings *ratings, const char *path);
/* A note that says which ratings are likes. */
void cli_ratings_tell_likes(const cli_ratings *ratings, const char *path);
void cli_ratings_free(cli_ratings *ratings);

/* {format, has_rating, has_time, lines, bad, out_of_range, duplicates, without_time,
 * mixed_times, like_from, least, most, unused, first: {file, line, message}, options}; first is
 * null when no line was left out. */
json_t *cli_ratings_reading(const cli_ratings *ratings);

#endif

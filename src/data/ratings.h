/* Interactions of users with items: likes and dislikes, in order.
 *
 * They are sorted by user, then by split (train, valid, test), then by time, then as in the
 * file.  The interactions before an interaction are its history, so a history is a window
 * into the array and never a copy. */
#ifndef NLN_DATA_RATINGS_H
#define NLN_DATA_RATINGS_H

#include "base/input.h"
#include "base/symbols.h"
#include "data/data_name.h"
#include "data/data_provenance.h"
#include "data/item_facts.h"
#include "data/ratings_columns.h"

enum { NLN_MARK_LIKED = 1, NLN_MARK_SPLIT = 1 /* bits to shift */ };

struct nln_ratings {
    nln_symbols *users, *items;
    size_t n;
    int32_t *item;  /* [n] */
    float *rating;  /* [n] as read; 1 where the file has none */
    double *time;   /* [n]; NULL when no file has times */
    uint8_t *mark;  /* [n] liked + (split << NLN_MARK_SPLIT) */
    size_t *start;  /* [users + 1]: user u has interactions start[u] .. start[u + 1] - 1 */
    int has_rating; /* some file has a column of ratings or labels */
    nln_data_provenance origin;
    nln_item_facts *facts;         /* about the items; NULL if none were read */
    char name[NLN_DATA_NAME_ROOM]; /* what it was read from; "": from memory */
};

static inline int nln_ratings_liked(const nln_ratings *r, size_t i)
{
    return r->mark[i] & NLN_MARK_LIKED;
}
static inline nln_split nln_ratings_split(const nln_ratings *r, size_t i)
{
    return (nln_split)(r->mark[i] >> NLN_MARK_SPLIT);
}

/* Rows from `row` on come from consecutive lines of a file, from `line` on, up to the row of the
 * next entry. */
typedef struct nln_row_source {
    size_t row;
    long line;
    nln_split file;
} nln_row_source;

/* Unsorted rows, to which a reader appends.  A user or an item has a name only if a row has it. */
typedef struct nln_ratings_rows {
    nln_symbols *users, *items;
    size_t n, room[5];
    int32_t *user, *item;
    float *rating; /* NAN where the file has no ratings */
    double *time;  /* NAN where the file has no times */
    uint8_t *mark; /* split and liked are filled in by the reader */
    int has_rating, has_time;
    char *path[3]; /* by split: the file; NULL where the rows come from none */
    nln_row_source *sources;
    size_t n_sources, sources_room;
} nln_ratings_rows;

nln_status nln_ratings_rows_create(nln_ratings_rows *rows, nln_error *err);
void nln_ratings_rows_free(nln_ratings_rows *rows);
/* Makes room for `more` rows. */
nln_status nln_ratings_rows_reserve(nln_ratings_rows *rows, size_t more, nln_error *err);
/* Appends a row of these users and items of the tables; on failure nothing is added. */
nln_status nln_ratings_rows_add(nln_ratings_rows *rows, int32_t user, int32_t item, float rating,
                                double time, uint8_t mark, nln_error *err);
/* Notes the file and line of the next row. */
nln_status nln_ratings_rows_locate(nln_ratings_rows *rows, long line, nln_split file,
                                   nln_error *err);
/* Keeps those rows from `first` on that have a rating, or those that have none.  On failure all
 * stay. */
nln_status nln_ratings_rows_keep(nln_ratings_rows *rows, size_t first, int rated, nln_error *err);
/* The file and line of a row; NULL and 0 when they are not known. */
const char *nln_ratings_rows_where(long *line, const nln_ratings_rows *rows, size_t row);

/* How the lines of a file are read; from the options of "ratings". */
typedef struct nln_ratings_rules {
    int format; /* index into the choices of --format; 0: from the content */
    nln_column_choice columns;
    double like_from;   /* NAN: from the scale; 1 for labels in {0, 1}, 4 for one to five stars */
    double least, most; /* ratings outside are out of range; NAN: by the format */
    int strict;         /* a bad line is an error instead of being counted */
    int stars;          /* like_from NAN: ones alone are bad ratings, not labels */
} nln_ratings_rules;

/* Appends every line of `in` to `rows`, marked with `split`; adds to the counts of `report`.
 * A split is read from one file.  In a file that has times, a row without one takes the time of
 * the row before it, or of the first that has one; a rating that is missing in the whole file is
 * a like.  Where the first lines have no ratings but others have, the rarer kind is left out.
 * The likes of all rows are marked again, since an automatic `like_from` depends on all.  A file
 * without a usable line is an error, except an empty one of valid or test. */
nln_status nln_ratings_rows_read(nln_ratings_rows *rows, nln_ratings_report *report, nln_input *in,
                                 nln_split split, const nln_ratings_rules *rules, nln_error *err);

/* The rules that the options of "ratings" set; `options` may be NULL. */
nln_status nln_ratings_rules_read(nln_ratings_rules *out, const nln_options *options,
                                  nln_error *err);
/* Where some of the rows from `first_row` on have ratings and others have none, the rarer kind is
 * left out (in `strict`: an error).  *earlier is the first problem so far. */
nln_status nln_ratings_rows_agree(nln_ratings_rows *rows, nln_ratings_report *report,
                                  nln_error *earlier, size_t first_row,
                                  const nln_ratings_rules *rules, nln_error *err);
/* Fills in the times that are missing from `first_row` on, and marks the likes of all rows. */
nln_status nln_ratings_rows_complete(nln_ratings_rows *rows, nln_ratings_report *report,
                                     size_t first_row, const nln_ratings_rules *rules,
                                     nln_error *err);
/* Turns rows into ratings, takes the core, and splits them, unless the rows are split already.
 * `rows` is empty afterwards. */
nln_status nln_ratings_settle(nln_ratings **out, nln_ratings_report *report, nln_ratings_rows *rows,
                              const nln_ratings_rules *rules, const nln_options *options,
                              int is_split, nln_error *err);

/* Turns rows into ratings: sorted, and of each (user, item) pair only the last kept (or, in
 * `strict`, a second one is an error).  Takes the rows' memory; `rows` is empty afterwards. */
nln_status nln_ratings_from_rows(nln_ratings **out, nln_ratings_report *report,
                                 nln_ratings_rows *rows, int strict, nln_error *err);

/* Leaves out users and items with fewer than `core` interactions until every one has as many;
 * *ratings may become another object.  Call it before the split.  NLN_INVALID if nothing is left.
 */
nln_status nln_ratings_core(nln_ratings **ratings, int core, nln_error *err);

/* Puts the interactions in order again after their marks have changed. */
nln_status nln_ratings_sort(nln_ratings *r, nln_error *err);

/* The interactions of a user by time alone, across splits, those of equal times in their order.
 * `order` has room for all of the user's. */
void nln_ratings_timeline(size_t *order, const nln_ratings *r, size_t user);
/* The most interactions that any user has. */
size_t nln_ratings_longest(const nln_ratings *r);
/* Whether every rating is 0 or 1. */
int nln_ratings_are_labels(const nln_ratings *r);

/* How interactions are split into train, valid and test. */
typedef enum nln_split_method {
    NLN_SPLIT_AUTO,   /* NLN_SPLIT_PAPER: a caller that will rank items asks for likes */
    NLN_SPLIT_NONE,   /* all of them train */
    NLN_SPLIT_PAPER,  /* the user's first five train; of the rest the last is test and the one
                       * before it valid (a single one is test) */
    NLN_SPLIT_NLR,    /* everything up to the fifth like trains; then the last like and every
                       * dislike after it are test; then the same again for valid */
    NLN_SPLIT_RANDOM, /* 80 %, 10 % and 10 %, drawn for each interaction */
    NLN_SPLIT_LIKES   /* as NLR with one like instead of five: every user with two likes has one
                       * in test, and with three another in valid */
} nln_split_method;

/* Marks the splits again and sorts. */
nln_status nln_ratings_split_by(nln_ratings *r, nln_split_method method, uint64_t seed,
                                nln_error *err);

#endif

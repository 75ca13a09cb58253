/* nln.h: Neural Logic Networks.
 *
 * A Neural Logic Network learns one vector for each boolean variable and three
 * small networks: AND, OR and NOT.  An expression is evaluated by applying these
 * networks along its tree; sigmoid(alpha cos(e, T)) is then the probability that
 * the expression with the vector e is true.
 *
 * Example: generate data, train a model, predict an expression.
 *
 *     nln_error err = {0};
 *     nln_options *o = NULL;
 *     nln_data *data = NULL;
 *     nln_model *model = NULL;
 *     double p = 0;
 *
 *     if (nln_options_create(&o, "generate logic", &err) ||
 *         nln_options_set(o, "variables", "100", &err) ||
 *         nln_options_set(o, "expressions", "1000", &err) ||
 *         nln_data_generate(&data, o, &err))
 *         goto failed;
 *     nln_options_free(o);
 *     o = NULL;
 *     if (nln_options_create(&o, "train", &err) ||
 *         nln_options_set(o, "epochs", "10", &err) ||
 *         nln_train(&model, NULL, data, o, NULL, &err) ||
 *         nln_predict(&p, model, "(v1 & !v2) | v3", &err))
 *         goto failed;
 *     printf("%.3f\n", p);
 *
 * Conventions.  Outputs come first.  A function that can fail returns a status;
 * if `err` is not NULL, the function fills it with one sentence and, where
 * there is one, the position in the input.  Handles are opaque.  *_create,
 * *_read, *_load, *_generate and nln_train give the caller a new handle, which the
 * matching *_free releases (freeing NULL is allowed).  A failed call sets its
 * output handle or array to NULL.  Returned strings belong to the handle.  The
 * library never prints and never exits.  Many threads may use the same const
 * model at once.
 *
 * A second header, nln_lab.h, has what experiments need: law audits, exact
 * reasoning, statistics, t-SNE and benchmarks.
 */
#ifndef NLN_H
#define NLN_H

#include <stddef.h>
#include <stdint.h>

/* The version of this header; nln_version() returns that of the loaded library. */
#define NLN_VERSION_MAJOR 0
#define NLN_VERSION_MINOR 1
#define NLN_VERSION_PATCH 0

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define NLN_API __attribute__((visibility("default")))
#else
#define NLN_API
#endif

/* ---- statuses and errors ------------------------------------------------ */

/* name, sentence */
#define NLN_STATUSES(X)                                      \
    X(OK, "success")                                         \
    X(INVALID, "an option or argument has an invalid value") \
    X(SYNTAX, "the input is malformed")                      \
    X(UNKNOWN, "a name is not known")                        \
    X(IO, "a file could not be read or written")             \
    X(FORMAT, "the file is not of the expected kind")        \
    X(LIMIT, "a limit was exceeded")                         \
    X(NUMERIC, "the numbers left the finite range")          \
    X(MEMORY, "out of memory")                               \
    X(CANCELLED, "cancelled by the caller")

typedef enum nln_status {
#define X(name, text) NLN_##name,
    NLN_STATUSES(X)
#undef X
} nln_status;

typedef struct nln_error {
    nln_status status;
    long line;         /* 1-based; 0 if the error has no line */
    long column;       /* 1-based, in characters; 0 if the error has no column */
    char file[256];    /* "" if the error has no file */
    char message[512]; /* one sentence: what is wrong and what to do */
} nln_error;

/* "MAJOR.MINOR.PATCH" of the loaded library. */
NLN_API const char *nln_version(void);
/* The sentence for a status in NLN_STATUSES. */
NLN_API const char *nln_status_text(nln_status status);

/* ---- memory ------------------------------------------------------------- */

/* Frees an array that the library allocated for the caller; NULL is allowed. */
NLN_API void nln_free(void *block);
/* The bytes that the library has allocated in this process and not yet freed.  Thread stacks
 * and the memory of other libraries are not counted. */
NLN_API size_t nln_memory_used(void);
/* An allocation that would exceed `bytes` fails with NLN_MEMORY.  0, the default, means no
 * limit.  The limit holds for the whole process. */
NLN_API void nln_memory_limit(size_t bytes);

/* ---- matrix products ---------------------------------------------------- */

/* The library names OpenBLAS the kernel of the processor, unless OPENBLAS_CORETYPE is set, but one
 * that the process loaded before keeps the kernel it has: products may then be several times
 * slower, and round differently.  Returns the name of the kernel that was missed in this way, or
 * NULL. *in_use is what computes now, such as "OpenBLAS SkylakeX"; `in_use` may be NULL. */
NLN_API const char *nln_blas_missed(const char **in_use);

/* ---- options ------------------------------------------------------------ */

/* Every command of the library has a table of options: "generate logic", "generate ratings",
 * "generate facts", "expressions", "ratings", "triples", "rules", "train", "predict", "ranking",
 * "exact", "sat" and "tsne".  The parser, the checks of ranges, the help text and the header of a
 * model file all come from these tables. */

typedef enum nln_option_type {
    NLN_OPTION_FLAG,   /* "true" or "false" */
    NLN_OPTION_INT,    /* a whole number in [least, most] */
    NLN_OPTION_REAL,   /* a number in [least, most] */
    NLN_OPTION_CHOICE, /* one of the words of `choices`, separated by | */
    NLN_OPTION_TEXT    /* any text */
} nln_option_type;

typedef struct nln_option {
    const char *name;
    nln_option_type type;
    const char *initial; /* the default, as text */
    double least, most;  /* INT and REAL only */
    const char *choices; /* CHOICE only */
    const char *help;    /* one line */
} nln_option;

/* Where a value comes from, weakest first.  A weaker source never overrides a stronger one. */
typedef enum nln_option_source {
    NLN_FROM_DEFAULT,
    NLN_FROM_RECIPE,
    NLN_FROM_DATA, /* a default that follows the data */
    NLN_FROM_FILE,
    NLN_FROM_CALLER
} nln_option_source;

typedef struct nln_options nln_options;

NLN_API nln_status nln_options_create(nln_options **out, const char *command, nln_error *err);
/* Creates options from the caller's own table, which must outlive the handle. */
NLN_API nln_status nln_options_create_from(nln_options **out, const nln_option *table, int n_rows,
                                           nln_error *err);
NLN_API void nln_options_free(nln_options *options);
NLN_API const nln_option *nln_options_table(int *n_rows, const nln_options *options);
NLN_API nln_status nln_options_set(nln_options *options, const char *name, const char *value,
                                   nln_error *err);
/* Reads `name = value` lines; # starts a comment.  A name may occur once.  Values that the caller
 * has set stay.  The option `config` is refused, since a file cannot include another. */
NLN_API nln_status nln_options_read(nln_options *options, const char *path, nln_error *err);
/* The current value, as text and as a number (0 or 1 for a flag, the index for a choice).  An
 * unknown name gives NULL or 0. */
NLN_API const char *nln_options_text(const nln_options *options, const char *name);
NLN_API double nln_options_number(const nln_options *options, const char *name);
NLN_API nln_option_source nln_options_source(const nln_options *options, const char *name);
/* Options of "train" only: gives every option that was not set the value of the task, recipe and
 * method.  Training does this with its own copy; call it to see the values that training would
 * use. */
NLN_API nln_status nln_options_settle(nln_options *options, nln_error *err);

typedef struct nln_option_use {
    const char *group; /* data, model, learning, laws or output; "" in other tables than "train" */
    int is_common;     /* one of the dozen that people use first */
    int applies;       /* it changes something for the task and the method in force */
} nln_option_use;

/* What an option is for.  Training refuses options that the caller has set and that do not
 * apply. */
NLN_API void nln_options_use(nln_option_use *out, const nln_options *options, const char *name);

/* ---- data --------------------------------------------------------------- */

/* An invalid split has size 0, and evaluating it fails with NLN_INVALID. */
typedef enum nln_split { NLN_TRAIN, NLN_VALID, NLN_TEST } nln_split;

typedef struct nln_data nln_data;

/* Reads a folder of labelled expressions: the files that nln_data_write writes, or the data
 * published with the paper; plain, .gz or .zst.  One file is split at random: a tenth of its lines
 * become validation and a tenth test. */
NLN_API nln_status nln_data_read(nln_data **out, const char *path, nln_error *err);
/* The same; options of "expressions" say how one file is split. */
NLN_API nln_status nln_data_read_with(nln_data **out, const char *path, const nln_options *options,
                                      nln_error *err);
/* Data from memory, without a file: an empty set, to which expressions are added. */
NLN_API nln_status nln_data_create(nln_data **out, nln_error *err);
/* Adds n expressions with their labels, 0 or 1, to a split.  On an error err->line is the 1-based
 * index of the expression, and nothing from it on is added. */
NLN_API nln_status nln_data_add(nln_data *data, nln_split split, const char *const *expressions,
                                const int *labels, size_t n, nln_error *err);
/* The same with labels between 0 and 1, the probability that the expression is true, and with a
 * weight of at least 0 for each, by which its loss is multiplied; `weights` may be NULL: all 1. */
NLN_API nln_status nln_data_add_weighted(nln_data *data, nln_split split,
                                         const char *const *expressions, const double *labels,
                                         const double *weights, size_t n, nln_error *err);
/* Generates the simulated data of the paper; options of "generate logic". */
NLN_API nln_status nln_data_generate(nln_data **out, const nln_options *options, nln_error *err);
NLN_API nln_status nln_data_write(const nln_data *data, const char *folder, nln_error *err);
NLN_API void nln_data_free(nln_data *data);
NLN_API size_t nln_data_size(const nln_data *data, nln_split split);
NLN_API size_t nln_data_true(const nln_data *data, nln_split split); /* with label T, or at
                                                                      * least 1/2 */
NLN_API size_t nln_data_variables(const nln_data *data);

/* Clauses of the SAT problem from a DIMACS file (`p cnf VARIABLES CLAUSES`); plain, .gz or .zst. */
typedef struct nln_cnf nln_cnf;
NLN_API nln_status nln_cnf_read(nln_cnf **out, const char *path, nln_error *err);
NLN_API void nln_cnf_free(nln_cnf *cnf);
NLN_API size_t nln_cnf_variables(const nln_cnf *cnf);
NLN_API size_t nln_cnf_clauses(const nln_cnf *cnf);
/* The clauses as expressions that are all true, in the training split; the variables are named 1,
 * 2, ..., and those that occur nowhere are left out. */
NLN_API nln_status nln_cnf_data(nln_data **out, const nln_cnf *cnf, nln_error *err);

/* ---- ratings ------------------------------------------------------------ */

/* Interactions of users with items, divided into three splits. */
typedef struct nln_ratings nln_ratings;

/* The counts of nln_ratings_read.  Unusable lines are skipped and counted; with the option
 * `strict` the first of them is an error. */
typedef struct nln_ratings_report {
    size_t lines;        /* lines read, without headers and empty lines */
    size_t bad;          /* no user, no item, or text where a number belongs: skipped */
    size_t out_of_range; /* a rating outside the range: skipped */
    size_t duplicates;   /* repeated (user, item) pairs: the latest is kept */
    size_t without_time; /* kept, in the order of the file */
    nln_error first;     /* the first line that was skipped or has no time, if any */
    const char *format;  /* the format, as the option `format` names it */
    int has_rating;      /* some lines have ratings or labels; otherwise every line is a like */
    int has_time;        /* some lines have times; otherwise the order of the lines counts */
    size_t mixed_times;  /* times in seconds among milliseconds, or the other way round */
    double like_from;    /* the least rating that is a like; NaN without ratings, as are ... */
    double least, most;  /* ... the least and the greatest rating */
    char unused[256];    /* the columns that were not used, as 'a', 'b' */
    char
        looks_like_rating[48]; /* one of them that looks like the ratings that the file lacks ... */
    char looks_like_time[48];  /* ... or like its times; "" if there is none */
} nln_ratings_report;

/* Reads a ratings file, or a folder of train, valid and test files; plain, .gz or .zst;
 * options of "ratings".  A single file is split as the option `split` says. */
NLN_API nln_status nln_ratings_read(nln_ratings **out, nln_ratings_report *report, const char *path,
                                    const nln_options *options, nln_error *err);
NLN_API void nln_ratings_free(nln_ratings *ratings);

/* Ratings from memory, without a file: create a builder with options of "ratings" (or NULL), add
 * rows, finish.  The ratings are the same as if a file with these rows had been read. */
typedef struct nln_ratings_builder nln_ratings_builder;
NLN_API nln_status nln_ratings_builder_create(nln_ratings_builder **out, const nln_options *options,
                                              nln_error *err);
NLN_API void nln_ratings_builder_free(nln_ratings_builder *builder);
/* Adds n rows.  `ratings` may be NULL: every row is a like; `times` may be NULL: the order of the
 * rows counts.  NAN is a value that is missing.  Unusable rows are skipped and counted, or, with
 * the option `strict`, an error; err->line is the 1-based number of the row. */
NLN_API nln_status nln_ratings_builder_add(nln_ratings_builder *builder, const char *const *users,
                                           const char *const *items, const double *ratings,
                                           const double *times, size_t n, nln_error *err);
/* The same for users and items that are numbers; their names are the decimal digits. */
NLN_API nln_status nln_ratings_builder_add_numbers(nln_ratings_builder *builder,
                                                   const int64_t *users, const int64_t *items,
                                                   const double *ratings, const double *times,
                                                   size_t n, nln_error *err);
/* Makes the ratings and frees the builder, also when it fails; `report` may be NULL. */
NLN_API nln_status nln_ratings_builder_finish(nln_ratings **out, nln_ratings_report *report,
                                              nln_ratings_builder *builder, nln_error *err);
/* Writes train.tsv, valid.tsv and test.tsv (user, item, rating or label, time). */
NLN_API nln_status nln_ratings_write(const nln_ratings *ratings, const char *folder,
                                     nln_error *err);
NLN_API size_t nln_ratings_users(const nln_ratings *ratings);
NLN_API size_t nln_ratings_items(const nln_ratings *ratings);
NLN_API size_t nln_ratings_size(const nln_ratings *ratings, nln_split split);
NLN_API size_t nln_ratings_likes(const nln_ratings *ratings, nln_split split);
NLN_API const char *nln_ratings_user(const nln_ratings *ratings, size_t user);
NLN_API const char *nln_ratings_item(const nln_ratings *ratings, size_t item);
/* Reads facts about items, which a model of task topk learns to weigh: lines of item, relation and
 * what it links the item to, or a table with a line for each item; plain, .gz or .zst.  Items that
 * only facts know are added to the ratings' items.  A second call replaces the facts of the first.
 */
NLN_API nln_status nln_ratings_read_facts(nln_ratings *ratings, const char *path, nln_error *err);
NLN_API size_t nln_ratings_facts(const nln_ratings *ratings);
/* Generates ratings that follow hidden rules and writes them to the file `path`, and the titles
 * of the items to the file `titles` unless it is NULL; options of "generate ratings". */
NLN_API nln_status nln_ratings_generate(const char *path, const char *titles,
                                        const nln_options *options, nln_error *err);

/* ---- knowledge graphs --------------------------------------------------- */

/* Triples (head, relation, tail) in three splits: the facts of a knowledge graph. */
typedef struct nln_triples nln_triples;

/* Reads a folder of train, valid and test files, or one file, of which a part is held out at
 * random; plain, .gz or .zst; options of "triples", or NULL.  A line has a head, a relation and a
 * tail in the order of the option `order`. */
NLN_API nln_status nln_triples_read(nln_triples **out, const char *path, const nln_options *options,
                                    nln_error *err);
NLN_API void nln_triples_free(nln_triples *triples);
NLN_API size_t nln_triples_entities(const nln_triples *triples);
NLN_API size_t nln_triples_relations(const nln_triples *triples);
NLN_API size_t nln_triples_size(const nln_triples *triples, nln_split split);
NLN_API const char *nln_triples_entity(const nln_triples *triples, size_t entity);
NLN_API const char *nln_triples_relation(const nln_triples *triples, size_t relation);

/* Writes triples in which planted rules hold to the file `path`; options of "generate facts", or
 * NULL. */
NLN_API nln_status nln_triples_generate(const char *path, const nln_options *options,
                                        nln_error *err);

/* A rule that holds in a knowledge graph, found by counting. */
typedef struct nln_found_rule {
    char text[512];    /* bornIn(x, y) & cityOf(y, z) -> nationality(x, z) */
    size_t support;    /* pairs for which body and head hold ... */
    size_t bodies;     /* ... and for which the body holds, estimated where it is very often */
    double confidence; /* support / bodies */
    double coverage;   /* support / facts of the head */
    /* The same in numbers, of the triples' relations r or, from their number on, of inverses: */
    int32_t head, body[2]; /* the second is -1 where the body has one atom */
    int32_t constant[2];   /* the entities of the body of a rule about single entities ... */
    int32_t answer;        /* ... and of its head; -1 where there are variables */
} nln_found_rule;

/* The rules of the training split with one and two atoms, the most believed first: *rules becomes
 * an array of *n, which the caller frees with nln_free; options of "rules", or NULL. */
NLN_API nln_status nln_triples_rules(nln_found_rule **rules, size_t *n, const nln_triples *triples,
                                     const nln_options *options, nln_error *err);

/* A rule that holds among what users like: liked(A) -> likes(C), or liked(A) & disliked(B) ->
 * likes(C). */
#define NLN_NO_ITEM ((size_t)-1)
typedef struct nln_rating_rule {
    size_t liked;      /* A ... */
    size_t disliked;   /* ... B, or NLN_NO_ITEM ... */
    size_t likes;      /* ... and C */
    size_t support;    /* users for whom body and head hold ... */
    size_t bodies;     /* ... and for whom the body holds */
    double confidence; /* support / bodies */
    double lift;       /* confidence / the share of all users who like C */
} nln_rating_rule;

/* The rules of the training split, by lift, where rare ones count less: *rules becomes an array of
 * *n, which the caller frees with nln_free; options `support` and `confidence` of "rules", or NULL.
 * Those with two atoms are about the 300 items with the most interactions, and are left out where
 * the second atom does not raise the confidence. */
NLN_API nln_status nln_rating_rules_find(nln_rating_rule **rules, size_t *n,
                                         const nln_ratings *ratings, const nln_options *options,
                                         nln_error *err);

/* Titles of items: u.item, movies.dat, movies.csv, a RecBole .item, or two columns. */
typedef struct nln_titles nln_titles;
NLN_API nln_status nln_titles_read(nln_titles **out, const char *path, nln_error *err);
NLN_API void nln_titles_free(nln_titles *titles);
NLN_API size_t nln_titles_count(const nln_titles *titles);
/* The title in UTF-8; NULL if the item has none. */
NLN_API const char *nln_titles_find(const nln_titles *titles, const char *item);

/* ---- training ----------------------------------------------------------- */

typedef struct nln_model nln_model;

/* How high a model ranks the items that users liked among the items that they did not. */
enum { NLN_MOST_CUTS = 8 };
typedef struct nln_ranking {
    size_t n;       /* liked items that were ranked; 0 if there was no ranking */
    size_t n_users; /* users who liked them */
    int n_cuts;
    int cut[NLN_MOST_CUTS];       /* the values of k */
    double hit[NLN_MOST_CUTS];    /* HR@k: share of the items with rank <= k */
    double ndcg[NLN_MOST_CUTS];   /* 1 / log2(rank + 1) if rank <= k, mean over the items */
    double recall[NLN_MOST_CUTS]; /* share of a user's items with rank <= k, mean over users */
    double mrr;                   /* mean of 1 / rank */
    double mean_rank;
} nln_ranking;

/* How high a model ranks the true answers to r(h, ?) and r(?, t) among all entities, other known
 * answers left out.  In a tie with m others half of them count as better. */
typedef struct nln_link_ranking {
    size_t n;            /* rankings: two for each triple; 0 if there was no ranking */
    double mrr;          /* mean of 1 / rank ... */
    double heads, tails; /* ... over the questions r(?, t), and over r(h, ?) */
    double hits[3];      /* share with a rank of at most 1, 3 and 10 */
    double mean_rank;
    size_t unseen; /* entities of the split that training does not have */
} nln_link_ranking;

/* Of labels between 0 and 1 each expression counts as a true one and a false one with the label as
 * their shares, but for `rmse`, which is the distance to the label itself; weights multiply. */
typedef struct nln_metrics {
    size_t n;                  /* expressions measured; 0 if nothing was measured */
    double accuracy;           /* share with (p > 1/2) == label */
    double rmse;               /* of p against the label as 0 or 1 */
    double cross_entropy;      /* mean, natural logarithm */
    double auc;                /* P(a true one has a higher p than a false one); NaN if one kind
                                * is missing */
    nln_ranking sampled, full; /* task topk: among sampled items, and among all items */
    nln_link_ranking links;    /* task link */
} nln_metrics;

/* The state of a training, reported after every batch.  At the end of an epoch `valid` has been
 * measured and `model` is not NULL. */
typedef struct nln_progress {
    int epoch, n_epochs; /* epoch is 1-based */
    size_t done, total;  /* expressions of this epoch */
    double loss;         /* mean loss per expression in this epoch so far */
    double seconds;      /* since training began */
    int best_epoch;
    nln_metrics valid, best;
    int curves;              /* 1 with the option `curves`: `train` and `test` are measured too */
    nln_metrics train, test; /* at the end of an epoch */
    const nln_model *model;  /* the current model at the end of an epoch; otherwise NULL */
} nln_progress;

/* Callbacks and checkpoints of a long call; every member may be 0. */
typedef struct nln_watch {
    void *context; /* passed to both callbacks */
    /* Returns 0 to continue; any other value stops the call with NLN_CANCELLED. */
    int (*progress)(void *context, const nln_progress *progress);
    /* Receives one sentence for each decision of the library, such as stopping early. */
    void (*log)(void *context, const char *message);
    /* Training only: the file that a stopped training continues from.  It is written atomically. */
    const char *checkpoint;
    int every;  /* write the checkpoint after this many epochs; 0: only when cancelled */
    int resume; /* continue from the checkpoint, with the same result as a training that was never
                 * stopped; start from the beginning if there is no such file */
} nln_watch;

typedef struct nln_report {
    int epochs, best_epoch;
    double seconds, seconds_per_epoch;
    size_t peak_rss_bytes;
    nln_metrics train, valid, test; /* with the weights of the best epoch */
} nln_report;

/* Trains a model; options of "train"; `report` and `watch` may be NULL. */
NLN_API nln_status nln_train(nln_model **out, nln_report *report, const nln_data *data,
                             const nln_options *options, const nln_watch *watch, nln_error *err);

/* Trains a model on ratings, for the tasks `preference` and `topk`.  An interaction becomes the
 * expression !(h1 & !h2 & ...) | target, where h1, h2, ... are the user's earlier items and
 * disliked items are negated.  The variables of the model are the items. */
NLN_API nln_status nln_train_ratings(nln_model **out, nln_report *report,
                                     const nln_ratings *ratings, const nln_options *options,
                                     const nln_watch *watch, nln_error *err);

/* Trains a model of the links of a knowledge graph, for the task `link`.  The variables of the
 * model are the entities. */
NLN_API nln_status nln_train_links(nln_model **out, nln_report *report, const nln_triples *triples,
                                   const nln_options *options, const nln_watch *watch,
                                   nln_error *err);

/* ---- models ------------------------------------------------------------- */

NLN_API nln_status nln_model_load(nln_model **out, const char *path, nln_error *err);
/* Atomic: after a failure the old file is still there. */
NLN_API nln_status nln_model_save(const nln_model *model, const char *path, nln_error *err);
NLN_API void nln_model_free(nln_model *model);
NLN_API const nln_options *nln_model_options(const nln_model *model);

/* How a model came about.  A file tells no time unless nln_model_stamp did, so that the same seed
 * gives the same bytes. */
enum { NLN_MOST_MEASURES = 8 };
typedef struct nln_measure {
    char name[24];      /* as nln train --json has it: "accuracy", "ndcg@10" */
    double valid, test; /* NaN: not measured */
} nln_measure;
typedef struct nln_record {
    char data[128];       /* the name of the data without their folder; "" if they have none */
    uint64_t fingerprint; /* another for other data */
    size_t rows[3];       /* by nln_split: expressions, interactions or triples */
    double newest;        /* of the newest interaction of train and valid; NaN without times */
    int epochs, best_epoch;
    nln_measure measures[NLN_MOST_MEASURES]; /* where the training reported them */
    size_t n_measures;
    double trained; /* seconds since 1970; NaN if it is not known */
} nln_record;
/* NULL if it is not known: a file of an earlier version, or a checkpoint. */
NLN_API const nln_record *nln_model_record(const nln_model *model);
/* Notes when the model was trained, in seconds since 1970. */
NLN_API void nln_model_stamp(nln_model *model, double trained);

/* Options of "ratings" that read other ratings in the same way as those the model was trained on
 * (how a file is split, which ratings are likes).  Options that the model does not know have
 * their defaults.  The caller frees the handle. */
NLN_API nln_status nln_model_reading(nln_options **out, const nln_model *model, nln_error *err);
NLN_API size_t nln_model_variables(const nln_model *model);
NLN_API const char *nln_model_variable(const nln_model *model, size_t index);
/* The entities and predicates of a model that learned from atoms such as likes(ann, tea) or from
 * triples, and the number of arguments of a predicate; a name that does not exist is NULL, and has
 * 0 arguments. */
NLN_API size_t nln_model_entities(const nln_model *model);
NLN_API const char *nln_model_entity(const nln_model *model, size_t index);
NLN_API size_t nln_model_predicates(const nln_model *model);
NLN_API const char *nln_model_predicate(const nln_model *model, size_t index);
NLN_API size_t nln_model_arity(const nln_model *model, size_t predicate);
/* The index of the variable with this name. */
NLN_API nln_status nln_model_find(size_t *index, const nln_model *model, const char *name,
                                  nln_error *err);
/* A fact about items that a model of task topk weighs: relation(head, tail). */
typedef struct nln_item_fact {
    const char *relation, *head, *tail;
} nln_item_fact;
/* The facts by which item `from` of a history speaks for item `to`: one that links them, or two
 * that meet.  Returns how many; 0 where there are none, or the model has no facts. */
NLN_API size_t nln_model_facts_between(nln_item_fact facts[2], const nln_model *model, size_t from,
                                       size_t to);
/* The length of a variable's vector: the vectors of all members of all networks, one after the
 * other.  0 if the model has no vectors. */
NLN_API size_t nln_model_vector_length(const nln_model *model);
/* The vectors of all variables: out is [variables, vector length]. */
NLN_API nln_status nln_model_embedding(float *out, const nln_model *model, nln_error *err);

typedef struct nln_neighbour {
    size_t item;
    double cosine;
} nln_neighbour;
/* The k variables whose vectors have the largest cosine with that of variable `item`, without
 * itself, best first; `out` needs room for k.  Makes the vectors of all variables. */
NLN_API nln_status nln_model_similar(nln_neighbour *out, size_t *n, size_t k,
                                     const nln_model *model, size_t item, nln_error *err);

typedef struct nln_tensor_info {
    const char *name;
    size_t rows, columns; /* a vector has one row */
    double norm, least, most;
} nln_tensor_info;
/* Returns the number of tensors; fills `info` if there is a tensor `index`. */
NLN_API size_t nln_model_tensor(nln_tensor_info *info, const nln_model *model, size_t index);

/* ---- predicting --------------------------------------------------------- */

/* The probability that an expression is true. */
NLN_API nln_status nln_predict(double *p, const nln_model *model, const char *expression,
                               nln_error *err);
/* The same for n expressions; options of "predict", or NULL.  On an error err->line is the 1-based
 * index of the expression. */
NLN_API nln_status nln_predict_many(double *p, const nln_model *model,
                                    const char *const *expressions, size_t n,
                                    const nln_options *options, nln_error *err);
/* The same, but an expression that cannot be read costs only itself: its p is NaN, and `refused`,
 * if it is not NULL, is called with its 0-based index and the reason. */
typedef void nln_refused(void *context, size_t index, const nln_error *reason);
NLN_API nln_status nln_predict_each(double *p, const nln_model *model,
                                    const char *const *expressions, size_t n,
                                    const nln_options *options, nln_refused *refused, void *context,
                                    nln_error *err);
/* The text of the expression that the network computes for another: in the model's normal form,
 * with its quantifiers as ANDs and ORs over the entities; with dual = 1 its negation by the laws of
 * De Morgan, which a model with the option duals computes, too.  The caller frees it with nln_free.
 */
NLN_API nln_status nln_normal_form(char **text, const nln_model *model, const char *expression,
                                   int dual, nln_error *err);
/* As nln_predict_each, and in spread[i] the standard deviation of the probability over all that the
 * mean is taken of: networks, members and random orders (at least 4, unless the options of
 * "predict" name them).  Neural Logic Networks only. */
NLN_API nln_status nln_predict_spread(double *p, double *spread, const nln_model *model,
                                      const char *const *expressions, size_t n,
                                      const nln_options *options, nln_refused *refused,
                                      void *context, nln_error *err);

/* An expression that is worth a label. */
typedef struct nln_query_row {
    size_t index; /* among those that were given */
    double p, spread;
    double value; /* by which it was chosen: see the option `by` */
} nln_query_row;

/* Chooses which of n unlabelled expressions to label next: rows[0 .. *n_rows - 1], best first, at
 * most `top` of the options of "query", or NULL.  Expressions that cannot be read are left out.
 * Neural Logic Networks only. */
NLN_API nln_status nln_query_choose(nln_query_row *rows, size_t *n_rows, const nln_model *model,
                                    const char *const *expressions, size_t n,
                                    const nln_options *options, nln_refused *refused, void *context,
                                    nln_error *err);
/* p[i] is the probability of OR(expression, v_i), for every variable v_i, computed as it stands:
 * not by its dual too, as nln_predict does (option duals).  The expression stays whole, as the left
 * operand.  Each call prepares a scorer (see below), which costs more than the
 * ranking: to rank after many expressions, create one and call nln_scorer_rank. */
NLN_API nln_status nln_rank(double *p, const nln_model *model, const char *expression,
                            nln_error *err);
/* confidence[i] = Sim(v_i, T), the mean over all members of all networks.  The solved value of
 * variable i is T if confidence[i] > 1/2. */
NLN_API nln_status nln_solve(double *confidence, const nln_model *model, nln_error *err);

/* ---- questions with a hole ---------------------------------------------- */

/* An entity that fills the hole of a question such as works_for(ann, ?) or works_for(?, acme). */
typedef struct nln_filling {
    size_t entity;   /* nln_model_entity has its name */
    double score;    /* of a model of links, where only the order matters, as a sum of ... */
    double by_rules; /* ... what rules add, and the rest; of other models in log-odds */
    int known;       /* it is a fact of the training of a model of links */
} nln_filling;

/* The k best entities, best first; of equal scores the lower entity comes first.  `out` needs room
 * for k, and *n is set to k or, where fewer are left, to their number.  Models of links leave out
 * facts of their training unless with_known; a question to any other model with entities may be any
 * expression with one hole.  In a question to a model of links names need no quotes. */
NLN_API nln_status nln_fill(nln_filling *out, size_t *n, size_t k, const nln_model *model,
                            const char *question, int with_known, nln_error *err);

/* Why a model of links gives an answer. */
typedef struct nln_link_reason {
    char text[512];      /* parent(kim, pat) & brother(pat, lee) -> uncle(kim, lee) */
    const char *kind;    /* "rule", "premise" or "fact" */
    double contribution; /* of a rule: what it adds to the score; of a premise, which the network
                          * reads: what the score loses without it; of a fact, which the vector of
                          * the known entity has learned from: from -1 to 1, whether it pulls this
                          * vector to where the answer gains (a cosine, no share of the score) */
    double confidence;   /* of a rule: support / bodies; else NAN */
    size_t support;      /* of a rule: pairs for which body and head hold ... */
    size_t bodies;       /* ... and for which the body holds */
} nln_link_reason;

/* The reasons for one answer of a model of links: *reasons becomes an array of *n, which the caller
 * frees with nln_free; rules first, then premises or facts, the largest contribution first. */
NLN_API nln_status nln_fill_reasons(nln_link_reason **reasons, size_t *n, const nln_model *model,
                                    const char *question, size_t entity, nln_error *err);

/* How true a model of links holds rules of some triples: held[n].  For up to 32 instances of the
 * body among the facts of the model's training, the mean share of the other entities that the model
 * ranks below the one that the rule concludes: 1 if that is always first.  NAN where there is no
 * instance, or a name that the model does not know. */
NLN_API nln_status nln_rules_held(double *held, const nln_found_rule *rules, size_t n,
                                  const nln_triples *triples, const nln_model *model,
                                  nln_error *err);

/* ---- graphs of expressions ---------------------------------------------- */

typedef struct nln_graph_node {
    const char *operation;  /* variable, true, false, not, and, or, implies, iff or xor */
    const char *name;       /* of a variable; else NULL */
    const size_t *operands; /* [n_operands] numbers of nodes, all lower than that of this node */
    size_t n_operands;
    double truth; /* Sim(e, T) of the sub-expression e that ends here */
} nln_graph_node;

/* An expression as the network that computes it.  The last node is the whole expression. */
typedef struct nln_graph {
    nln_graph_node *nodes; /* [n_nodes] every operand before its operator */
    size_t n_nodes;
    size_t *operands; /* of all nodes, end to end */
    char *text;       /* the expression that the nodes spell */
} nln_graph;

/* The graph of an expression as it is written or, with normal_form = 1, in the normal form that the
 * model predicts it in; the truth of its parts is that of the given order.  More than
 * NLN_GRAPH_MOST_NODES nodes are NLN_LIMIT. */
enum { NLN_GRAPH_MOST_NODES = 1024 };
NLN_API nln_status nln_graph_create(nln_graph **out, const nln_model *model, const char *expression,
                                    int normal_form, nln_error *err);
NLN_API void nln_graph_free(nln_graph *graph);

/* ---- evaluating --------------------------------------------------------- */

/* Reads what a model is measured on: if it learned from this very file, the file is split as it was
 * then; all of any other file is the test split.  *is_same may be NULL. */
NLN_API nln_status nln_data_read_for(nln_data **out, int *is_same, const nln_model *model,
                                     const char *path, nln_error *err);
/* Measures a model on a split of labelled expressions; options of "predict", or NULL. */
NLN_API nln_status nln_evaluate(nln_metrics *out, const nln_model *model, const nln_data *data,
                                nln_split split, const nln_options *options, nln_error *err);

/* The rank of one liked item of a split: 1 is the top.  In a tie with m other items, half of them
 * count as better. */
typedef struct nln_placing {
    size_t user, item;    /* of the ratings */
    double score;         /* log-odds */
    double sampled, full; /* rank among the sampled items, and among all */
} nln_placing;

/* Measures a model on a split of ratings; options of "ranking", or NULL.  For task topk, if
 * `placings` is not NULL, *placings becomes an array of out->full.n rows, which the caller frees
 * with nln_free. */
NLN_API nln_status nln_evaluate_ratings(nln_metrics *out, nln_placing **placings,
                                        const nln_model *model, const nln_ratings *ratings,
                                        nln_split split, const nln_options *options,
                                        nln_error *err);

/* Measures a model of links on a split of triples; options of "predict", or NULL.  Answers that any
 * split knows are left out of each ranking. */
NLN_API nln_status nln_evaluate_links(nln_metrics *out, const nln_model *model,
                                      const nln_triples *triples, nln_split split,
                                      const nln_options *options, nln_error *err);

/* The ranks of one triple: of its tail in r(h, ?) and of its head in r(?, t). */
typedef struct nln_link_placing {
    size_t head, relation, tail; /* of the triples */
    double head_rank, tail_rank;
} nln_link_placing;
/* The same ranks one by one: *out becomes an array of a row for each triple of the split, which the
 * caller frees with nln_free. */
NLN_API nln_status nln_place_links(nln_link_placing **out, const nln_model *model,
                                   const nln_triples *triples, nln_split split,
                                   const nln_options *options, nln_error *err);

/* ---- recommending ------------------------------------------------------- */

/* One interaction of a history: an item that the user liked or disliked. */
typedef struct nln_literal {
    size_t item; /* index of a variable of the model */
    int liked;
    int grade; /* for models with the option `grades`: 1, 2, ..., from the worst rating to the best;
                * 0 if unknown */
} nln_literal;

/* The number of users whose histories the model has kept (option `keep-users`). */
NLN_API size_t nln_model_users(const nln_model *model);
/* The name of one of them; NULL if there are fewer. */
NLN_API const char *nln_model_user(const nln_model *model, size_t user);
/* The history of a user whom the model has kept, oldest first: an array of *n literals, which the
 * caller frees with nln_free. */
NLN_API nln_status nln_model_history(nln_literal **history, size_t *n, const nln_model *model,
                                     const char *user, nln_error *err);
/* The history of a user of some ratings, over all splits, without items that the model does not
 * know.  The caller frees it with nln_free. */
NLN_API nln_status nln_ratings_history(nln_literal **history, size_t *n, const nln_model *model,
                                       const nln_ratings *ratings, const char *user,
                                       nln_error *err);

/* The literal of an item with a rating, read as the ratings of the model's training were. */
NLN_API nln_literal nln_model_rated(const nln_model *model, size_t item, double rating);

/* What a model can do, so that no client has to guess it from names. */
typedef struct nln_abilities {
    const char *task;      /* the values of its options task ... */
    const char *method;    /* ... and model */
    int recommends;        /* it was trained on ratings: nln_scorer_recommend and _scores work */
    int knows_users;       /* it learned about each user of its training ... */
    int needs_user;        /* ... and has no answer for anyone else */
    int keeps_histories;   /* it has the histories of its users: nln_model_history */
    int reads_histories;   /* its answers depend on the history: nln_scorer_explain works */
    int reads_grades;      /* ... and on the grades of the literals */
    int reads_expressions; /* nln_predict works ... */
    int ranks_variables;   /* ... and nln_scorer_rank */
    int has_vectors;       /* nln_model_embedding works */
    const char *split;     /* how the ratings of its training were split: a value of the option
                            * `split`, or "folder" for files that were split before; else "" */
} nln_abilities;
NLN_API nln_abilities nln_model_abilities(const nln_model *model);

/* A scorer answers many questions to one model.  Creating it projects every item once, which costs
 * about as much as scoring the catalogue for a few questions; it borrows the model, which must
 * outlive it and stay as it is.  Many threads may ask one scorer at the same time. */
typedef struct nln_scorer nln_scorer;
NLN_API nln_status nln_scorer_create(nln_scorer **out, const nln_model *model, nln_error *err);
NLN_API void nln_scorer_free(nln_scorer *scorer);

/* Who asks, after which history, for which items.  Zero-initialise it and set what matters. */
typedef struct nln_question {
    const char *user;           /* a user of the model's training, or NULL for anyone else */
    const nln_literal *history; /* [n_history] in time order; the model uses the last of them */
    size_t n_history;
    size_t k;              /* the number of items wanted ... */
    size_t offset;         /* ... after this many better ones */
    const size_t *exclude; /* [n_exclude] items that are left out */
    size_t n_exclude;
    const size_t *only; /* [n_only] the items to choose from; NULL: all */
    size_t n_only;
    int with_seen;    /* items of the history are not left out */
    double diversity; /* 0 to 1: how much an item loses by being like one that stands before it in
                       * the list; needs a model with vectors */
} nln_question;

typedef struct nln_recommendation {
    size_t item;
    double score;       /* for task preference in log-odds; for topk only their order matters ... */
    double probability; /* ... and this is NAN; for preference sigmoid(score) */
} nln_recommendation;

/* The items of one question, best first; of equal scores the lower item comes first. */
typedef struct nln_answer {
    nln_recommendation *items; /* the caller's array, with room for k of the question */
    size_t n;                  /* set by the call: k, or fewer where fewer items are left */
} nln_answer;

/* answers[i] of n questions, shared out among `threads` threads (0: all cores); the result does
 * not depend on their number.  err->line is the 1-based index of a question that failed.
 *
 * The lists are those of a full ranking, but a Neural Logic Network scores only the items that an
 * upper bound cannot exclude: usually well below 1 % of them.  Other methods score every item, and
 * so do questions with `only` for the items in it. */
NLN_API nln_status nln_scorer_recommend(nln_answer *answers, const nln_scorer *scorer,
                                        const nln_question *questions, size_t n, int threads,
                                        nln_error *err);
/* score is [n, variables]: of every item after each question's history, whatever else the question
 * says; the higher the better.  For task preference scores are log-odds.  If the model has the
 * option `surprises`, they include the correction by the surprises of the history, which
 * nln_predict does not apply. */
NLN_API nln_status nln_scorer_scores(double *score, const nln_scorer *scorer,
                                     const nln_question *questions, size_t n, int threads,
                                     nln_error *err);

/* The effect of one literal of the history on the score of an item. */
typedef struct nln_reason {
    nln_literal literal;
    double contribution; /* its Shapley value: the contributions of all literals add up */
    double removed;      /* score with it - score without it, all else as it is */
    double negated;      /* score with it - score with its opposite */
} nln_reason;

/* Why an item has its score.  For task topk only differences between items have a meaning: there
 * the numbers below, and the effects of the literals, are of the item's lead over the mean
 * score of 64 items that are spread evenly over the catalogue (of all, if there are fewer). */
typedef struct nln_explanation {
    nln_reason *reasons; /* the caller's array, with room for n_history of the question */
    size_t n;     /* set by the call: reasons[i] is the i-th of the last n literals of the history,
                   * which are those that the model uses */
    double score; /* as nln_scorer_recommend gives it */
    double with_history;    /* the same, or the lead; its difference to ... */
    double without_history; /* ... that after no history is the sum of the contributions */
} nln_explanation;
/* out[i] explains items[i] of n_items after the question's history, all in one pass: further items
 * cost little.  A contribution is the mean change when the literal joins the others in a random
 * order: over all orders where the model uses ten literals or fewer, and over a sample of orders,
 * the same in every call, where there are more.  Their sum is exact in both cases. */
NLN_API nln_status nln_scorer_explain(nln_explanation *out, const nln_scorer *scorer,
                                      const nln_question *question, const size_t *items,
                                      size_t n_items, nln_error *err);
/* As nln_rank, without preparing anything. */
NLN_API nln_status nln_scorer_rank(double *p, const nln_scorer *scorer, const char *expression,
                                   nln_error *err);

/* One question without a scorer of one's own: each call creates one and frees it, which takes
 * longer than the answer. */
NLN_API nln_status nln_recommend_scores(double *score, const nln_model *model, const char *user,
                                        const nln_literal *history, size_t n, nln_error *err);
NLN_API nln_status nln_recommend(nln_recommendation *out, size_t *n, size_t k,
                                 const nln_model *model, const char *user,
                                 const nln_literal *history, size_t n_history, int with_seen,
                                 nln_error *err);
NLN_API nln_status nln_explain(nln_explanation *out, const nln_model *model, const char *user,
                               const nln_literal *history, size_t n_history, size_t item,
                               nln_error *err);

/* ---- several machines ----------------------------------------------------------- */

/* A process that mpirun started joins the other ranks of its job with nln_cluster_join, once,
 * before anything else; all ranks then make the same calls with the same data.  Training and
 * evaluation are shared by the ranks, and every rank gets the result, the same bits as without
 * mpirun.  Other processes stay alone: rank 0 of 1.  All calls are made by the thread that joined.
 */
NLN_API nln_status nln_cluster_join(nln_error *err);
/* Waits until all ranks have come here. */
NLN_API void nln_cluster_leave(void);
NLN_API int nln_cluster_rank(void);
NLN_API int nln_cluster_size(void);
/* The name of this machine; "" in a process that has not joined. */
NLN_API const char *nln_cluster_host(void);
/* The file of the plug-in for MPI that nln_cluster_join opens; NULL if there is none. */
NLN_API const char *nln_cluster_plugin(void);
/* Whether a rank that dies or is cut off is noticed within seconds (NLN_CLUSTER_SILENCE, 10): not
 * if the ranks cannot reach rank 0 by TCP.  It is then noticed when it does not answer
 * (NLN_CLUSTER_TIMEOUT, 600). */
NLN_API int nln_cluster_is_watched(void);
/* Between nln_cluster_alone(1) and nln_cluster_alone(0) this process works by itself, as rank 0 of
 * 1, and so do the processes that it forks. */
NLN_API void nln_cluster_alone(int alone);
/* Ends all processes of the job with exit code 1, after the sentence on standard error, if any.
 * Returns only in a process that has not joined. */
NLN_API void nln_cluster_abort(const char *sentence);
/* Puts the texts of all ranks end to end, on every rank; release *all with nln_free. */
NLN_API nln_status nln_cluster_gather(char **all, size_t *n_all, const char *mine, size_t n,
                                      nln_error *err);

#ifdef __cplusplus
}
#endif
#endif

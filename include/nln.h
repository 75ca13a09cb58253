/* nln.h: Neural Logic Networks.
 *
 * A Neural Logic Network learns a vector for every boolean variable and three
 * small networks AND, OR and NOT.  The graph of the network is the expression
 * itself; sigmoid(alpha cos(e, T)) says how true the expression e is.
 *
 * The whole road, from generated data to an answer:
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
 * Conventions.  Outputs come first.  Whatever can fail returns a status and,
 * when `err` is not NULL, fills it with one sentence and, where there is one,
 * the place in the input.  Handles are opaque; *_create, *_read, *_load and
 * nln_train give the caller a handle that the matching *_free releases (NULL is
 * fine).  A call that failed gives NULL for a handle or an array, whatever was
 * there before.  Strings returned are borrowed from the handle.  The library
 * never prints and never exits.  A const model may be used by many threads at
 * once.
 */
#ifndef NLN_H
#define NLN_H

#include <stddef.h>
#include <stdint.h>

/* The version of this header; nln_version() is that of the library at run time. */
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
    long line;         /* 1-based; 0 when there is no line */
    long column;       /* 1-based, in characters; 0 when there is none */
    char file[256];    /* "" when the error has no file */
    char message[512]; /* one sentence: what is wrong and what to do */
} nln_error;

/* "MAJOR.MINOR.PATCH" of the library that the program runs with. */
NLN_API const char *nln_version(void);
/* The sentence of NLN_STATUSES. */
NLN_API const char *nln_status_text(nln_status status);

/* ---- memory ------------------------------------------------------------- */

/* What the library gives with the words "the caller frees" goes back here; NULL is fine. */
NLN_API void nln_free(void *block);
/* The bytes that the library holds in this process at the moment: all handles and all work
 * under way, but not the stacks of threads nor what other libraries take for themselves. */
NLN_API size_t nln_memory_used(void);
/* Whatever would take it above `bytes` fails with NLN_MEMORY instead; 0, as at the start, is
 * no limit.  For the process, since its memory is one. */
NLN_API void nln_memory_limit(size_t bytes);

/* ---- options ------------------------------------------------------------ */

/* Options are rows of a table, one table for each command of the library
 * ("generate logic", "generate ratings", "ratings", "train", "predict",
 * "ranking", "exact", "tsne").  The same rows make the parser, the ranges, the
 * help text and the model file's header. */

typedef enum nln_option_type {
    NLN_OPTION_FLAG,   /* "true" or "false" */
    NLN_OPTION_INT,    /* a whole number in [least, most] */
    NLN_OPTION_REAL,   /* a number in [least, most] */
    NLN_OPTION_CHOICE, /* one of the words of `choices`, separated by | */
    NLN_OPTION_TEXT    /* anything */
} nln_option_type;

typedef struct nln_option {
    const char *name;
    nln_option_type type;
    const char *initial; /* the default, as text */
    double least, most;  /* INT and REAL only */
    const char *choices; /* CHOICE only */
    const char *help;    /* one line */
} nln_option;

/* Where a value comes from; a weaker source never overrides a stronger one. */
typedef enum nln_option_source {
    NLN_FROM_DEFAULT,
    NLN_FROM_RECIPE,
    NLN_FROM_FILE,
    NLN_FROM_CALLER
} nln_option_source;

typedef struct nln_options nln_options;

NLN_API nln_status nln_options_create(nln_options **out, const char *command, nln_error *err);
/* The same for a table of the caller's own, which must outlive the handle. */
NLN_API nln_status nln_options_create_from(nln_options **out, const nln_option *table, int n_rows,
                                           nln_error *err);
NLN_API void nln_options_free(nln_options *options);
NLN_API const nln_option *nln_options_table(int *n_rows, const nln_options *options);
NLN_API nln_status nln_options_set(nln_options *options, const char *name, const char *value,
                                   nln_error *err);
/* Reads `name = value` lines, one for a name; # starts a comment.  Values set by the caller stay.
 * An option that is called config is refused: a file cannot name another. */
NLN_API nln_status nln_options_read(nln_options *options, const char *path, nln_error *err);
/* The value in force, as text and as a number (flags are 0 or 1, choices their
 * index).  The name must be one of the table's: anything else gives NULL or 0. */
NLN_API const char *nln_options_text(const nln_options *options, const char *name);
NLN_API double nln_options_number(const nln_options *options, const char *name);
NLN_API nln_option_source nln_options_source(const nln_options *options, const char *name);
/* For command "train": options that nobody has set take the values of the recipe, as training does
 * with its own copy.  For showing what would be in force. */
NLN_API nln_status nln_options_settle(nln_options *options, nln_error *err);

/* ---- data --------------------------------------------------------------- */

/* Of what is none of these the size is 0, and measuring it fails with NLN_INVALID. */
typedef enum nln_split { NLN_TRAIN, NLN_VALID, NLN_TEST } nln_split;

typedef struct nln_data nln_data;

/* Reads a folder of labelled expressions, in the layout that nln_data_write
 * writes or in the published dialect; plain, .gz or .zst. */
NLN_API nln_status nln_data_read(nln_data **out, const char *folder, nln_error *err);
/* The simulated task of the paper; options of "generate logic". */
NLN_API nln_status nln_data_generate(nln_data **out, const nln_options *options, nln_error *err);
NLN_API nln_status nln_data_write(const nln_data *data, const char *folder, nln_error *err);
NLN_API void nln_data_free(nln_data *data);
NLN_API size_t nln_data_size(const nln_data *data, nln_split split);
NLN_API size_t nln_data_true(const nln_data *data, nln_split split); /* labelled T */
NLN_API size_t nln_data_variables(const nln_data *data);

/* ---- ratings ------------------------------------------------------------ */

/* Interactions of users with items, in three splits. */
typedef struct nln_ratings nln_ratings;

/* What reading found.  Lines that cannot be used are counted, not fatal, unless the option
 * `strict` says so; `first` tells where the first of them is. */
typedef struct nln_ratings_report {
    size_t lines;        /* read, headers and empty lines not counted */
    size_t bad;          /* without a user, an item, or a number where one belongs: left out */
    size_t out_of_range; /* a rating outside the range: left out */
    size_t duplicates;   /* of a (user, item) pair seen before: the latest is kept */
    size_t without_time; /* kept, in the order of the file */
    nln_error first;     /* the first line that was left out, or that lacks a time, if any */
    const char *format;  /* the name of the format, as in the choices of the option */
    int has_rating;      /* some lines have ratings or labels; otherwise every line is a like */
    int has_time;        /* some lines have times; otherwise the order of the lines counts */
} nln_ratings_report;

/* Reads a ratings file, or a folder of train, valid and test files; plain, .gz or .zst;
 * options of "ratings".  A single file is split as the option `split` says. */
NLN_API nln_status nln_ratings_read(nln_ratings **out, nln_ratings_report *report, const char *path,
                                    const nln_options *options, nln_error *err);
NLN_API void nln_ratings_free(nln_ratings *ratings);
/* Writes train.tsv, valid.tsv and test.tsv (user, item, rating or label, time). */
NLN_API nln_status nln_ratings_write(const nln_ratings *ratings, const char *folder,
                                     nln_error *err);
NLN_API size_t nln_ratings_users(const nln_ratings *ratings);
NLN_API size_t nln_ratings_items(const nln_ratings *ratings);
NLN_API size_t nln_ratings_size(const nln_ratings *ratings, nln_split split);
NLN_API size_t nln_ratings_likes(const nln_ratings *ratings, nln_split split);
NLN_API const char *nln_ratings_user(const nln_ratings *ratings, size_t user);
NLN_API const char *nln_ratings_item(const nln_ratings *ratings, size_t item);
/* Ratings with planted rules, written as a stream to `path`, and the titles of the items
 * to `titles` unless it is NULL; options of "generate ratings". */
NLN_API nln_status nln_ratings_generate(const char *path, const char *titles,
                                        const nln_options *options, nln_error *err);

/* Titles of items: u.item, movies.dat, movies.csv, a RecBole .item, or two columns. */
typedef struct nln_titles nln_titles;
NLN_API nln_status nln_titles_read(nln_titles **out, const char *path, nln_error *err);
NLN_API void nln_titles_free(nln_titles *titles);
NLN_API size_t nln_titles_count(const nln_titles *titles);
/* UTF-8; NULL when the item has no title. */
NLN_API const char *nln_titles_find(const nln_titles *titles, const char *item);

/* ---- training ----------------------------------------------------------- */

typedef struct nln_model nln_model;

/* How high the items that users liked were ranked, among those they did not. */
enum { NLN_MOST_CUTS = 8 };
typedef struct nln_ranking {
    size_t n;       /* liked items that were ranked; 0 means none */
    size_t n_users; /* who liked them */
    int n_cuts;
    int cut[NLN_MOST_CUTS];       /* the k of ... */
    double hit[NLN_MOST_CUTS];    /* HR@k: share of the items with rank <= k */
    double ndcg[NLN_MOST_CUTS];   /* 1 / log2(rank + 1) if rank <= k, mean over the items */
    double recall[NLN_MOST_CUTS]; /* share of a user's items with rank <= k, mean over users */
    double mrr;                   /* mean of 1 / rank */
    double mean_rank;
} nln_ranking;

typedef struct nln_metrics {
    size_t n;                  /* expressions measured; 0 means none */
    double accuracy;           /* share with (p > 1/2) == label */
    double rmse;               /* of p against the label as 0 or 1 */
    double cross_entropy;      /* mean, natural logarithm */
    double auc;                /* probability that a true one has the higher p; NaN without both */
    nln_ranking sampled, full; /* of task topk: among sampled items, and among all */
} nln_metrics;

/* What a running training tells: after every batch, and with `valid` measured and `model` there
 * at the end of every epoch. */
typedef struct nln_progress {
    int epoch, n_epochs; /* epoch is 1-based */
    size_t done, total;  /* expressions of this epoch */
    double loss;         /* objective per expression so far in this epoch */
    double seconds;      /* since training began */
    int best_epoch;
    nln_metrics valid, best;
    int curves;              /* option curves: these are measured too */
    nln_metrics train, test; /* at the end of an epoch */
    const nln_model *model;  /* at the end of an epoch, as it is then; else NULL */
} nln_progress;

/* What the caller of something long wants besides its result; all of it may be left 0. */
typedef struct nln_watch {
    void *context; /* for the functions */
    /* Returns 0 to go on; anything else stops with NLN_CANCELLED. */
    int (*progress)(void *context, const nln_progress *progress);
    /* Told in a sentence of what the library decides on its own, such as stopping early. */
    void (*log)(void *context, const char *message);
    /* Training only: a file to go on from, complete at any moment. */
    const char *checkpoint;
    int every;  /* epochs from one writing of it to the next; 0: only when cancelled */
    int resume; /* goes on from it, to the same bits as if never stopped; or, if it is not there,
                 * begins anew */
} nln_watch;

typedef struct nln_report {
    int epochs, best_epoch;
    double seconds, seconds_per_epoch;
    size_t peak_rss_bytes;
    nln_metrics train, valid, test; /* of the best epoch's weights */
} nln_report;

/* Options of "train"; `report` and `watch` may be NULL. */
NLN_API nln_status nln_train(nln_model **out, nln_report *report, const nln_data *data,
                             const nln_options *options, const nln_watch *watch, nln_error *err);

/* The same from ratings, for the tasks `preference` and `topk`: an interaction becomes
 * !(h1 & !h2 & ...) | target, where h1, h2, ... are what the user met before, the disliked
 * negated.  The variables of the model are the items. */
NLN_API nln_status nln_train_ratings(nln_model **out, nln_report *report,
                                     const nln_ratings *ratings, const nln_options *options,
                                     const nln_watch *watch, nln_error *err);

/* ---- models ------------------------------------------------------------- */

NLN_API nln_status nln_model_load(nln_model **out, const char *path, nln_error *err);
/* Atomic: the file is complete or the old one is still there. */
NLN_API nln_status nln_model_save(const nln_model *model, const char *path, nln_error *err);
NLN_API void nln_model_free(nln_model *model);
NLN_API const nln_options *nln_model_options(const nln_model *model);
/* How the ratings that the model learnt from were read, as options of "ratings" to read others
 * alike: how one file was split, and which ratings were likes.  What is not known, or is a
 * model's of expressions, is at its default.  The caller frees them. */
NLN_API nln_status nln_model_reading(nln_options **out, const nln_model *model, nln_error *err);
NLN_API size_t nln_model_variables(const nln_model *model);
NLN_API const char *nln_model_variable(const nln_model *model, size_t index);

typedef struct nln_tensor_info {
    const char *name;
    size_t rows, columns; /* a vector has one row */
    double norm, least, most;
} nln_tensor_info;
/* Returns the number of tensors; fills `info` when index is below it. */
NLN_API size_t nln_model_tensor(nln_tensor_info *info, const nln_model *model, size_t index);

/* ---- using a model ------------------------------------------------------ */

/* Options of "predict" may be NULL everywhere below. */

/* How true one expression is. */
NLN_API nln_status nln_predict(double *p, const nln_model *model, const char *expression,
                               nln_error *err);
/* The same for n expressions; err->line is the 1-based index of a bad one. */
NLN_API nln_status nln_predict_many(double *p, const nln_model *model,
                                    const char *const *expressions, size_t n,
                                    const nln_options *options, nln_error *err);
NLN_API nln_status nln_evaluate(nln_metrics *out, const nln_model *model, const nln_data *data,
                                nln_split split, const nln_options *options, nln_error *err);
/* p[i] = how true OR(expression, v_i) is, for every variable v_i: a ranking of them all at
 * the price of one small product each.  The expression stays whole, as the left operand. */
NLN_API nln_status nln_rank(double *p, const nln_model *model, const char *expression,
                            nln_error *err);
/* confidence[i] = Sim(v_i, T), the mean over the model's networks and their members: above 1/2 the
 * variable is solved as T. */
NLN_API nln_status nln_solve(double *confidence, const nln_model *model, nln_error *err);
/* The share of variables whose solved value equals that of the file
 * (`name<TAB>value` lines, or a data folder that has one). */
NLN_API nln_status nln_solve_score(double *recovered, size_t *n, const nln_model *model,
                                   const char *truth, nln_error *err);

typedef struct nln_law_score {
    const char *name, *formula;
    int far_apart; /* 1 when the two sides should be unlike, as in NOT w, w */
    size_t n;
    double mean_similarity; /* of Sim(left, right) */
    double mean_cosine;
    double kept; /* share with Sim on the wanted side of 1/2 */
} nln_law_score;
/* The ten laws over the variables of the model and, when `data` is given, every
 * sub-expression of its test set; then associativity, commutativity, distributivity and De
 * Morgan over random triples of the same variables and test expressions; all that in each of the
 * model's networks.  *n_laws is the number of laws; `scores` is filled up to `room`. */
NLN_API nln_status nln_inspect(nln_law_score *scores, size_t room, size_t *n_laws,
                               const nln_model *model, const nln_data *data, nln_error *err);

/* ---- recommending ------------------------------------------------------- */

/* One liked item of a split, and where the model ranked it: 1 is the top, and a tie with
 * m others counts as if half of them came first. */
typedef struct nln_placing {
    size_t user, item;    /* of the ratings */
    double score;         /* log-odds of the expression */
    double sampled, full; /* ranks */
} nln_placing;

/* Measures a model on a split; options of "ranking", or NULL.  For task topk *placings,
 * unless NULL, is an array of metrics.full.n rows that the caller frees with nln_free. */
NLN_API nln_status nln_evaluate_ratings(nln_metrics *out, nln_placing **placings,
                                        const nln_model *model, const nln_ratings *ratings,
                                        nln_split split, const nln_options *options,
                                        nln_error *err);

/* A literal of a history: an item of the model that was liked or disliked. */
typedef struct nln_literal {
    size_t item; /* variable of the model */
    int liked;
    int grade; /* for models with the option grades: 1, 2, ..., from the worst rating to the best;
                * 0 when it is not known */
} nln_literal;

/* The number of a variable of the model, by its name. */
NLN_API nln_status nln_model_find(size_t *index, const nln_model *model, const char *name,
                                  nln_error *err);

/* The histories of the users that the model was trained on, if it has kept them (option
 * keep-users): their number, and the literals of one, in time order; *history is an array
 * of *n that the caller frees with nln_free. */
NLN_API size_t nln_model_users(const nln_model *model);
NLN_API nln_status nln_model_history(nln_literal **history, size_t *n, const nln_model *model,
                                     const char *user, nln_error *err);
/* The same of a user of some ratings, all splits, leaving out items that the model does not
 * know. */
NLN_API nln_status nln_ratings_history(nln_literal **history, size_t *n, const nln_model *model,
                                       const nln_ratings *ratings, const char *user,
                                       nln_error *err);

/* score[i] of every item after a history (the model takes its last literals): the higher the
 * better; an empty history is fine.  `user` is the name of a user that the model was trained
 * with, or NULL: models that learn about users (biasedmf, svdpp, ncf) look at it.  For task
 * preference scores are log-odds, moved by the surprises of the history where the model has the
 * option surprises; nln_predict takes an expression as it is, without them. */
NLN_API nln_status nln_recommend_scores(double *score, const nln_model *model, const char *user,
                                        const nln_literal *history, size_t n, nln_error *err);

typedef struct nln_recommendation {
    size_t item;
    double score;       /* log-odds */
    double probability; /* sigmoid of it */
} nln_recommendation;
/* The k best items, best first, the items of the history left out unless `with_seen`; *n is
 * how many there are. */
NLN_API nln_status nln_recommend(nln_recommendation *out, size_t *n, size_t k,
                                 const nln_model *model, const char *user,
                                 const nln_literal *history, size_t n_history, int with_seen,
                                 nln_error *err);

/* What a literal of the history adds to the score of an item; for task topk, where only
 * differences between items have a meaning, to its lead over the mean score of all items. */
typedef struct nln_reason {
    nln_literal literal;
    double removed; /* score with it - score without it */
    double negated; /* score with it - score with its opposite */
} nln_reason;
/* reasons[i] belongs to literal i of those that the model takes: the last *n of the history,
 * in their order; `reasons` has room for all of it. */
NLN_API nln_status nln_explain(nln_reason *reasons, size_t *n, double *score,
                               const nln_model *model, const char *user, const nln_literal *history,
                               size_t n_history, size_t item, nln_error *err);

/* ---- exact reasoning, for comparison ------------------------------------ */

typedef struct nln_exact_report {
    int consistent;       /* 1 when one assignment explains every training label */
    nln_metrics sat;      /* test set under that assignment; n = 0 if none */
    double sat_recovered; /* share of variables, when the truth is known; else -1 */
    double sat_seconds;
    nln_metrics posterior; /* test set under the posterior by belief propagation: of each variable
                            * alone, so that expressions are predicted as if variables, and, beyond
                            * four that occur twice in one, occurrences, were independent */
    double posterior_recovered;
    double noise; /* rate of flipped labels, chosen on validation */
    double posterior_seconds;
} nln_exact_report;
NLN_API nln_status nln_exact(nln_exact_report *out, const nln_data *data,
                             const nln_options *options, nln_error *err);

/* ---- statistics --------------------------------------------------------- */

typedef struct nln_summary {
    size_t n;
    double mean;      /* NaN when n = 0 */
    double deviation; /* of the sample, divided by n - 1; NaN when n < 2 */
    double error;     /* standard error of the mean, deviation / sqrt(n) */
} nln_summary;
NLN_API nln_summary nln_statistics_summary(const double *x, size_t n);

/* The paired t-test: whether a[i] and b[i], of the same seed or user i, differ in the mean. */
typedef struct nln_paired {
    nln_summary difference; /* of a[i] - b[i] */
    double t, degrees;      /* NaN when n < 2; t is infinite when all differ by the same */
    double p;               /* two-sided: 1 when no pair differs; NaN when n < 2 */
} nln_paired;
NLN_API nln_paired nln_statistics_paired(const double *a, const double *b, size_t n);

/* ---- pictures ------------------------------------------------------------- */

/* The vectors of a model's variables, one of a fixed length for each: the vectors of all
 * members of all networks, one after the other.  0 for a model that has no vectors. */
NLN_API size_t nln_model_vector_length(const nln_model *model);
/* out is [variables, vector length]. */
NLN_API nln_status nln_model_embedding(float *out, const nln_model *model, nln_error *err);
/* value[i] = 1 where variable i is T, 0 where it is F and -1 where the file (as of
 * nln_solve_score) does not say; *n_known may be 0. */
NLN_API nln_status nln_model_truth(int8_t *value, size_t *n_known, const nln_model *model,
                                   const char *truth, nln_error *err);

typedef struct nln_tsne_report {
    int iterations;
    int exact;              /* 1 when all pairs of points pushed each other, 0 for Barnes-Hut */
    double perplexity;      /* the default is lowered for few points */
    double kl;              /* what t-SNE minimises */
    double trustworthiness; /* of five neighbours (Venna and Kaski, 2001); NaN below 11 points */
    double seconds;
} nln_tsne_report;

/* Where t-SNE puts n points of `dim` numbers on a plane: out is [n, 2].  Options of "tsne",
 * report and watch may be NULL; the watch is told of iterations as epochs, and of the
 * divergence as loss. */
NLN_API nln_status nln_tsne(double *out, nln_tsne_report *report, const float *points, size_t n,
                            size_t dim, const nln_options *options, const nln_watch *watch,
                            nln_error *err);

/* The two clusters of n points on a plane, [n, 2], by k-means: cluster[i] is 0 or 1, and cluster
 * 0 the larger.  With values as of nln_model_truth, *accuracy is the share of the known ones that
 * are as most of their cluster (1/2 or more, whatever the clusters); NaN without any. */
NLN_API nln_status nln_two_clusters(int *cluster, double *accuracy, const double *plane, size_t n,
                                    const int8_t *value, uint64_t seed, nln_error *err);

/* ---- speed ---------------------------------------------------------------- */

/* Flops are counted by the book: forward and backward (3 x forward) of each NOT (2(d h + h d)),
 * AND and OR (2(2 d h + h d)) of every tree, and, with the laws on, of 2 NOT, 4 AND and 4 OR for
 * every vector, repetitions counted.  ratio = textbook_flop / (seconds * threads * sgemm_flops).
 * What a bench does not measure is NaN. */
typedef struct nln_bench_report {
    double textbook_flop, executed_flop; /* of one pass */
    double seconds;                      /* of one pass over the expressions: the median */
    double sgemm_flops;                  /* of one cblas_sgemm, 2048 x 64 x 128, one thread */
    double ratio;
    double rows, rows_after_sharing;
    size_t expressions, peak_rss_bytes;
    int threads;
    const char *blas, *kernels;
    /* Shares of the time; what is left is bookkeeping and waiting. */
    double plan, gather, gemm, element_wise, law_terms, adam;
    double single_seconds; /* predict: median of one nln_predict; rank: of one history */
} nln_bench_report;

/* Times `passes` epochs of training after one to warm up; options of "train". */
NLN_API nln_status nln_bench_train(nln_bench_report *out, const nln_data *data,
                                   const nln_options *options, int passes, nln_error *err);
/* Times prediction of the training expressions with a fresh network: in bulk, and one
 * by one through nln_predict. */
NLN_API nln_status nln_bench_predict(nln_bench_report *out, const nln_data *data,
                                     const nln_options *options, int passes, nln_error *err);
/* Times the ranking of all variables after each of up to 1000 training expressions. */
NLN_API nln_status nln_bench_rank(nln_bench_report *out, const nln_data *data,
                                  const nln_options *options, int passes, nln_error *err);

#ifdef __cplusplus
}
#endif
#endif

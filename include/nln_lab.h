/* nln_lab.h: the laboratory of Neural Logic Networks.
 *
 * Functions for experiments: how well a model keeps the laws of logic, how its
 * answers compare with exact reasoning, whether two results differ, how its
 * vectors look on a plane, and how fast the library is.  A program that only
 * trains and uses models needs nln.h alone, and none of this.  Everything here is
 * in the same library and follows the conventions of nln.h.
 *
 * Example: draw the variables of a model on a plane.
 *
 *     size_t n = nln_model_variables(model), dim = nln_model_vector_length(model);
 *     float *vector = calloc(n * dim, sizeof *vector);
 *     double *plane = calloc(2 * n, sizeof *plane);
 *
 *     if (vector && plane && !nln_model_embedding(vector, model, &err) &&
 *         !nln_tsne(plane, NULL, vector, n, dim, NULL, NULL, &err))
 *         for (size_t i = 0; i < n; i++)
 *             printf("%s %g %g\n", nln_model_variable(model, i), plane[2 * i], plane[2 * i + 1]);
 *     free(vector);
 *     free(plane);
 */
#ifndef NLN_LAB_H
#define NLN_LAB_H

#include <nln.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- laws of logic ------------------------------------------------------ */

typedef struct nln_law_score {
    const char *name, *formula;
    int far_apart; /* 1 if the two sides should differ, as in NOT w, w */
    size_t n;
    double mean_similarity; /* of Sim(left, right) */
    double mean_cosine;
    double kept; /* share with Sim on the right side of 1/2 */
} nln_law_score;
/* Measures how well a model keeps the laws.  The ten laws are measured over all variables and, if
 * `data` is not NULL, over every sub-expression of its test set; associativity, commutativity,
 * distributivity and De Morgan's laws over random triples of variables and test expressions.  The
 * scores are means over all networks of the model.  *n_laws is the number of laws; at most `room`
 * of them are written to `scores`. */
NLN_API nln_status nln_inspect(nln_law_score *scores, size_t room, size_t *n_laws,
                               const nln_model *model, const nln_data *data, nln_error *err);

/* A case in which a model keeps a law badly: the variables w, or a, b and c of the formula, of
 * which those that it does not have are SIZE_MAX. */
typedef struct nln_law_case {
    size_t operand[3];
    double similarity; /* of the two sides, in the worst member of the worst network */
} nln_law_case;
/* The cases in which the model keeps each law worst, worst first, of those that nln_inspect
 * measures without data.  cases is [n_laws, k] and n is [n_laws]: law i, in the order of
 * nln_inspect, has n[i] <= k of them. */
NLN_API nln_status nln_inspect_worst(nln_law_case *cases, size_t *n, size_t k, size_t n_laws,
                                     const nln_model *model, nln_error *err);

/* ---- known truth values ------------------------------------------------- */

/* In this section `truth` is a file of `name<TAB>value` lines, or a data folder that has one. */

/* value[i] = 1 if variable i is true, 0 if it is false and -1 if the file does not have it.
 * *n_known, the number of values found, may be 0. */
NLN_API nln_status nln_model_truth(int8_t *value, size_t *n_known, const nln_model *model,
                                   const char *truth, nln_error *err);
/* The share of the *n variables in the file that nln_solve gives their true value. */
NLN_API nln_status nln_solve_score(double *recovered, size_t *n, const nln_model *model,
                                   const char *truth, nln_error *err);

/* How often a model is right about expressions of one kind and size, which may be longer than any
 * of its training. */
typedef struct nln_length_score {
    const char *kind; /* "and", of `size` true literals; "and_one_false"; "or", of false ones;
                       * "or_one_true"; "nested", AND and OR in turn so deep, half of them true;
                       * "clauses", an OR of `size` ANDs of `size` literals, half of them true */
    int size;
    double right; /* share; NaN if the model solves fewer variables rightly than that takes */
} nln_length_score;
/* Measures `count` random expressions of each kind and size, the same ones in every call.  Only
 * variables occur whose true value nln_solve gives.  *n_scores is the number of scores; at most
 * `room` of them are measured.  Options of "predict", or NULL. */
NLN_API nln_status nln_measure_lengths(nln_length_score *scores, size_t room, size_t *n_scores,
                                       const nln_model *model, const char *truth, size_t count,
                                       const nln_options *options, nln_error *err);

/* ---- calibration -------------------------------------------------------- */

/* The predictions with a probability in one part of [0, 1]. */
typedef struct nln_reliability_bin {
    size_t n;
    double mean;       /* probability ... */
    double true_share; /* ... and share of true labels, each with its weight; NaN where n is 0 */
} nln_reliability_bin;
/* How often what a model predicts with a probability is true, in n_bins equal parts of [0, 1].
 * *error is the expected calibration error: the mean distance of probability and share.  Options
 * of "predict", or NULL. */
NLN_API nln_status nln_reliability(nln_reliability_bin *bins, size_t n_bins, double *error,
                                   const nln_model *model, const nln_data *data, nln_split split,
                                   const nln_options *options, nln_error *err);
/* The same for ratings; task preference only, since the scores of topk are no probabilities. */
NLN_API nln_status nln_reliability_ratings(nln_reliability_bin *bins, size_t n_bins, double *error,
                                           const nln_model *model, const nln_ratings *ratings,
                                           nln_split split, nln_error *err);

/* ---- exact reasoning ---------------------------------------------------- */

/* A run of CaDiCaL on clauses. */
typedef struct nln_sat_run {
    int answer;       /* 1 if there is an assignment, 0 if there is none, -1 if it is not known */
    size_t conflicts; /* counted as clauses learned */
    double seconds;
} nln_sat_run;

typedef struct nln_sat_report {
    int answer;       /* of the network, or else of CaDiCaL: as in nln_sat_run */
    size_t satisfied; /* clauses that the best assignment of the network satisfies ... */
    size_t rounded;   /* ... and the most before any variable was flipped */
    int trainings;
    double seconds;     /* of the trainings */
    nln_sat_run plain;  /* CaDiCaL alone ... */
    nln_sat_run phased; /* ... and with the network's assignment as its first phases */
} nln_sat_report;

/* Looks for an assignment value[variables], 0 or 1, of clauses by training, then asks CaDiCaL;
 * options of "sat", or NULL.  Where the network satisfies all clauses or nobody does, the
 * assignment is the network's best, else CaDiCaL's.  `watch` may be NULL; of it only `progress`
 * counts. */
NLN_API nln_status nln_cnf_solve(uint8_t *value, nln_sat_report *report, const nln_cnf *cnf,
                                 const nln_options *options, const nln_watch *watch,
                                 nln_error *err);

/* What a SAT solver and belief propagation reach on the same data, for comparison. */
typedef struct nln_exact_report {
    int consistent;       /* 1 if an assignment satisfies every training label */
    nln_metrics sat;      /* test set under that assignment; n = 0 if there is none */
    double sat_recovered; /* share of variables with their true value; -1 if that is unknown */
    double sat_seconds;
    nln_metrics posterior; /* test set under the marginals of belief propagation.  Variables are
                            * taken as independent; in an expression with more than four repeated
                            * variables, so are the occurrences of one variable */
    double posterior_recovered;
    double noise; /* rate of flipped labels, chosen on the validation set */
    double posterior_seconds;
} nln_exact_report;
/* Options of "exact", or NULL. */
NLN_API nln_status nln_exact(nln_exact_report *out, const nln_data *data,
                             const nln_options *options, nln_error *err);

/* What both say of the variables of a model: posterior[i] is the probability that variable i is
 * true, value[i] its value in the assignment, or -1 where there is none.  A variable that the data
 * do not have has 1/2 and -1. */
NLN_API nln_status nln_exact_variables(double *posterior, int8_t *value, const nln_model *model,
                                       const nln_data *data, const nln_options *options,
                                       nln_error *err);

/* ---- what lists are like ---------------------------------------------------- */

typedef struct nln_list_report {
    size_t k, n_lists;
    double coverage;  /* share of the items that some list has */
    double novelty;   /* bits: the mean of -log2 of the share of users who met a listed item */
    double diversity; /* the mean of 1 - cosine over the pairs of a list; NaN without vectors */
} nln_list_report;

/* The lists of k items for every user with a like in the split, after what the user met before it;
 * `diversity` as in nln_question; `threads` 0: all cores. */
NLN_API nln_status nln_evaluate_lists(nln_list_report *out, const nln_model *model,
                                      const nln_ratings *ratings, nln_split split, size_t k,
                                      double diversity, int threads, nln_error *err);

/* How many interactions of the split the model itself was trained on: those that its own split left
 * in training, whatever file they come from now.  0 where it cannot be known, because the model
 * keeps no users or its split does not follow from the order of time. */
NLN_API nln_status nln_ratings_learned(size_t *n_learned, const nln_model *model,
                                       const nln_ratings *ratings, nln_split split, nln_error *err);

/* ---- statistics --------------------------------------------------------- */

typedef struct nln_summary {
    size_t n;
    double mean;      /* NaN if n = 0 */
    double deviation; /* of the sample, divided by n - 1; NaN if n < 2 */
    double error;     /* standard error of the mean, deviation / sqrt(n) */
} nln_summary;
NLN_API nln_summary nln_statistics_summary(const double *x, size_t n);

/* The paired t-test of a[i] against b[i], which belong to the same seed or user i. */
typedef struct nln_paired {
    nln_summary difference; /* of a[i] - b[i] */
    double t, degrees;      /* NaN if n < 2; t is infinite if all differences are equal */
    double p;               /* two-sided; 1 if no pair differs; NaN if n < 2 */
} nln_paired;
NLN_API nln_paired nln_statistics_paired(const double *a, const double *b, size_t n);

/* ---- t-SNE -------------------------------------------------------------- */

typedef struct nln_tsne_report {
    int iterations;
    int exact;              /* 1 if the repulsion was summed over all pairs, 0 for Barnes-Hut */
    double perplexity;      /* the one used: the default is lowered for few points */
    double kl;              /* the Kullback-Leibler divergence, which t-SNE minimises */
    double trustworthiness; /* of five neighbours (Venna and Kaski, 2001); NaN below 11 points */
    double seconds;
} nln_tsne_report;

/* Maps n points of `dim` numbers to the plane: out is [n, 2].  Options of "tsne", `report` and
 * `watch` may be NULL.  The progress callback receives the iteration as `epoch` and the divergence
 * as `loss`. */
NLN_API nln_status nln_tsne(double *out, nln_tsne_report *report, const float *points, size_t n,
                            size_t dim, const nln_options *options, const nln_watch *watch,
                            nln_error *err);

/* Divides n points of a plane, [n, 2], into two clusters by k-means: cluster[i] is 0 or 1, and
 * cluster 0 is the larger one.  `value`, as from nln_model_truth, may be NULL.  *accuracy is the
 * share of known values that agree with the majority of their cluster, which is never below 1/2;
 * NaN if no value is known. */
NLN_API nln_status nln_two_clusters(int *cluster, double *accuracy, const double *plane, size_t n,
                                    const int8_t *value, uint64_t seed, nln_error *err);

/* ---- benchmarks --------------------------------------------------------- */

/* Textbook flops count forward and backward (3 x forward) of each NOT (2(d h + h d)), AND and OR
 * (2(2 d h + h d)) of every tree and, with the laws, of 2 NOT, 4 AND and 4 OR for every vector,
 * including repeated ones.  A value that a benchmark does not measure is NaN. */
typedef struct nln_bench_report {
    double textbook_flop, executed_flop; /* of one pass */
    double seconds;                      /* of one pass over the expressions: the median */
    double sgemm_flops;                  /* of one cblas_sgemm, 2048 x 64 x 128, one thread */
    double ratio;                        /* textbook_flop / (seconds * threads * sgemm_flops) */
    double rows, rows_after_sharing;
    size_t expressions, peak_rss_bytes;
    int threads;
    const char *blas, *kernels;
    /* Shares of the time; the rest is bookkeeping and waiting. */
    double plan, gather, gemm, element_wise, law_terms, adam;
    double single_seconds; /* predict: median of one nln_predict; rank: of one history */
    /* train on several ranks of a job: what this rank sent to others for a batch, and how long it
     * waited for them, its own sums included; NaN on one. */
    double sent_bytes, waited_seconds;
} nln_bench_report;

/* Times `passes` epochs of training after one to warm up; options of "train". */
NLN_API nln_status nln_bench_train(nln_bench_report *out, const nln_data *data,
                                   const nln_options *options, int passes, nln_error *err);
/* Times the prediction of the training expressions with an untrained network: all at once, and
 * one by one through nln_predict. */
NLN_API nln_status nln_bench_predict(nln_bench_report *out, const nln_data *data,
                                     const nln_options *options, int passes, nln_error *err);
/* Times the ranking of all variables after each of up to 1000 training expressions. */
NLN_API nln_status nln_bench_rank(nln_bench_report *out, const nln_data *data,
                                  const nln_options *options, int passes, nln_error *err);

/* How fast a scorer answers for a random network with the defaults of task topk. */
typedef struct nln_recommend_report {
    size_t items, history, k, histories;
    int threads;
    double answers_per_second; /* all histories in one call, on all threads */
    double top_seconds;        /* one list of k items: the median of up to 100 histories */
    double full_seconds;       /* the scores of all items, also a median */
    double sgemm_seconds;      /* 2 items d d flop at the speed of cblas_sgemm, one thread */
    int same_list;             /* 1 if every list is that of the full ranking */
    double bytes_per_item;     /* the memory of the scorer and one thread, beyond the model */
    const char *blas, *kernels;
} nln_recommend_report;
/* Random histories of `history` interactions each, drawn with the seed as the network is. */
NLN_API nln_status nln_bench_recommend(nln_recommend_report *out, size_t items, size_t history,
                                       size_t k, size_t histories, int threads, uint64_t seed,
                                       nln_error *err);

#ifdef __cplusplus
}
#endif
#endif

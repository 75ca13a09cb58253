/* The options of training, as a table and as numbers.
 *
 * One row is one option: field, type in C, name, type, default, least, most,
 * choices, help.  The table gives nln_config its fields and nln_options its rows. */
#ifndef NLN_MODELS_CONFIG_H
#define NLN_MODELS_CONFIG_H

#include "base/options.h"
#include "data/grade_scale.h"

enum { NLN_MOST_NETWORKS = 8 };

#define NLN_CONFIG(X)                                                                              \
    X(recipe, int, "recipe", CHOICE, "default", 0, 0, "default|paper|fast",                        \
      "a set of values for the options below; single options override it")                         \
    X(model, int, "model", CHOICE, "nln", 0, 0,                                                    \
      "nln|birnn|bilstm|marginals|popularity|biasedmf|svdpp|ncf|ease|gru",                         \
      "the Neural Logic Network, or what it is compared with: docs/baselines.md")                  \
    X(task, int, "task", CHOICE, "logic", 0, 0, "logic|preference|topk",                           \
      "labelled expressions; or ratings: like or dislike, or which items come first; the "         \
      "defaults below are those of logic, docs/recipes.md has the others")                         \
    X(seed, double, "seed", INT, "1", 0, 9007199254740991.0, NULL,                                 \
      "seed of everything random: the same seed gives the same bits")                              \
    X(threads, int, "threads", INT, "0", 0, 1024, NULL,                                            \
      "threads; 0 means all cores; the result does not depend on it")                              \
    X(dimension, int, "dimension", INT, "64", 1, 4096, NULL, "length of the vectors, d")           \
    X(hidden, int, "hidden", INT, "0", 0, 16384, NULL,                                             \
      "width of the hidden layer of AND, OR and NOT; 0 means d")                                   \
    X(embedding, int, "embedding", CHOICE, "arc", 0, 0, "free|line|arc|line+rest|arc+rest",        \
      "a variable is a free vector, a point on a curve that ends in T, or that plus a rest")       \
    X(members, int, "members", INT, "4", 1, 64, NULL,                                              \
      "vectors for each variable, trained side by side; predictions average them")                 \
    X(networks, int, "networks", INT, "1", 1, NLN_MOST_NETWORKS, NULL,                             \
      "whole networks, trained side by side; predictions average them")                            \
    X(alpha, double, "alpha", REAL, "10", 0.01, 1000, NULL, "Sim = sigmoid(alpha cos)")            \
    X(form, int, "normal-form", CHOICE, "dnf", 0, 0, "none|nnf|dnf|cnf",                           \
      "normal form that expressions are brought to")                                               \
    X(clause_limit, int, "clause-limit", INT, "4096", 1, 16777216, NULL,                           \
      "most clauses of a normal form; beyond it the expression is an error")                       \
    X(association, int, "association", CHOICE, "pairs", 0, 0, "pairs|fold|tree",                   \
      "how AND and OR of many operands become pairs, in random order in training")                 \
    X(shuffle, int, "shuffle", FLAG, "true", 0, 1, NULL,                                           \
      "random association and commutation in training; else the given order")                      \
    X(init_scale, double, "init-scale", REAL, "0", 0, 10, NULL,                                    \
      "standard deviation of the initial weights; 0 means fan-in scaling")                         \
    X(init_variables, double, "init-variables", REAL, "0.01", 0, 10, NULL,                         \
      "standard deviation of the initial variable vectors and logits")                             \
    X(init_truth, int, "init-true", CHOICE, "uniform", 0, 0, "normal|uniform",                     \
      "distribution of the fixed vector T")                                                        \
    X(history, int, "history", INT, "10", 1, 1000, NULL,                                           \
      "ratings: most interactions before the target that its expression holds")                    \
    X(least_history, int, "least-history", INT, "0", 0, 1000, NULL,                                \
      "ratings: train on interactions with at least so many before them")                          \
    X(together, int, "together", INT, "1", 1, 1000, NULL,                                          \
      "ratings: so many interactions of a user in a row are trained side by side, with "           \
      "histories that begin alike, so that what they share is computed once")                      \
    X(drop_history, double, "drop-history", REAL, "0", 0, 0.95, NULL,                              \
      "ratings: share of a history's interactions left out in training, drawn anew each time")     \
    X(context, int, "context", CHOICE, "before", 0, 0, "before|all",                               \
      "ratings: a trained history is what the user met before the target, or all else that the "   \
      "user met in training")                                                                      \
    X(loss, int, "loss", CHOICE, "softmax", 0, 0, "pairwise|pairwise-probability|softmax",         \
      "topk: liked against drawn items in pairs, of scores or probabilities, or one of many")      \
    X(negatives, int, "negatives", INT, "100", 0, 100000, NULL,                                    \
      "topk: items drawn against a liked one; for softmax the same for a batch, half of all at "   \
      "most; 0 means all of them, for softmax alone")                                              \
    X(grades, int, "grades", INT, "0", 0, NLN_MOST_GRADES, NULL,                                   \
      "ratings: so many variables say how much an item of a history was liked or disliked, "       \
      "each beside its item: (h1 & g5); 0 means none")                                             \
    X(soften, double, "soften", REAL, "0", 0, 10, NULL,                                            \
      "preference: a rating near the line between dislikes and likes is a label in doubt, true "   \
      "by sigmoid((rating - line) / (soften * range of the ratings)); 0 means that it is 1 or 0")  \
    X(surprises, int, "surprises", INT, "0", 0, 100, NULL,                                         \
      "preference: scores move with how much more, or less, the user liked the last so many "      \
      "items of the history than was foreseen, times a number fitted on validation; 0 means not")  \
    X(keep_users, int, "keep-users", FLAG, "true", 0, 1, NULL,                                     \
      "ratings: keep what users liked and disliked in the model, for nln recommend --user")        \
    X(epochs, int, "epochs", INT, "0", 0, 1000000, NULL,                                           \
      "most epochs; 0 means 24, or more for a small set until there are 768 batches; for "         \
      "preference 8 and for topk 30, or more until there are 5,900 batches, up to 500 epochs")     \
    X(patience, int, "patience", INT, "0", 0, 1000000, NULL,                                       \
      "stop after this many epochs without improvement on validation; 0 means never")              \
    X(stop_at, double, "stop-at", REAL, "0", 0, 1, NULL,                                           \
      "stop when the accuracy on validation reaches this; 0 means never")                          \
    X(select, int, "select", CHOICE, "rmse", 0, 0, "accuracy|rmse|cross-entropy|auc|ndcg|last",    \
      "validation metric that chooses the best epoch; last keeps the last one")                    \
    X(batch, int, "batch", INT, "0", 0, 1048576, NULL,                                             \
      "expressions in a batch; 0 means a 64th of the training set, from 128 to 1024")              \
    X(rate, double, "learning-rate", REAL, "0.001", 0, 10, NULL,                                   \
      "of the modules, and of free vectors")                                                       \
    X(rate_logit, double, "learning-rate-logit", REAL, "0.3", 0, 10, NULL,                         \
      "of the numbers of variables on a curve")                                                    \
    X(beta1, double, "beta1", REAL, "0.9", 0, 0.999999, NULL, "decay of the first moment in Adam") \
    X(beta2, double, "beta2", REAL, "0.999", 0.9, 0.999999, NULL,                                  \
      "decay of the second moment in Adam")                                                        \
    X(epsilon, double, "epsilon", REAL, "1e-8", 0, 1, NULL, "the small number in Adam")            \
    X(beta2_logit, double, "beta2-logit", REAL, "0.99", 0.9, 0.999999, NULL,                       \
      "the same for the numbers of variables on a curve")                                          \
    X(schedule, int, "schedule", CHOICE, "cosine", 0, 0, "constant|cosine",                        \
      "of the learning rates over all epochs")                                                     \
    X(average, double, "average", REAL, "0", 0, 0.99, NULL,                                        \
      "share of the earlier epochs in the weights that are kept: a moving average over epochs")    \
    X(clip, double, "clip", REAL, "10", 0, 1e9, NULL,                                              \
      "gradients are cut to [-clip, clip]; 0 means not at all")                                    \
    X(reduce, int, "reduce", CHOICE, "sum", 0, 0, "sum|mean",                                      \
      "losses are summed over a batch, or averaged")                                               \
    X(law_weight, double, "law-weight", REAL, "0.01", 0, 1e6, NULL,                                \
      "lambda_l, the weight of the laws; 0 switches them off (NLN-Rl)")                            \
    X(laws, unsigned, "laws", TEXT, "all", 0, 0, NULL,                                             \
      "which of the laws: all, or names as `nln inspect` prints them, separated by commas")        \
    X(law_sample, double, "law-sample", REAL, "0.1", 1e-6, 1, NULL,                                \
      "share of the vectors put under the laws, unbiased")                                         \
    X(length_weight, double, "length-weight", REAL, "0", 0, 1e6, NULL,                             \
      "lambda_ell, the weight of the length of vectors")                                           \
    X(length, int, "length", CHOICE, "squared", 0, 0, "plain|squared",                             \
      "what of the length is summed")                                                              \
    X(l2, double, "l2", REAL, "0.01", 0, 1e6, NULL, "lambda_Theta, on the weights of the modules") \
    X(l2_variables, double, "l2-variables", REAL, "0", 0, 1e6, NULL,                               \
      "the same on the free vectors of the variables of a batch")                                  \
    X(l2_logit, double, "l2-logit", REAL, "0.3", 0, 1e6, NULL,                                     \
      "prior of a variable's logit: this times its square, once an epoch")                         \
    X(noise, double, "noise", REAL, "0.02", 0, 0.49, NULL,                                         \
      "share of the training labels taken to be flipped")                                          \
    X(fit_noise, int, "fit-noise", FLAG, "true", 0, 1, NULL,                                       \
      "after each epoch, set that share to what the training labels suggest")                      \
    X(dropout, double, "dropout", REAL, "0", 0, 0.95, NULL,                                        \
      "share of the modules' hidden units dropped in training")                                    \
    X(dropout_variables, double, "dropout-variables", REAL, "0", 0, 0.95, NULL,                    \
      "share of the elements of variable vectors dropped in training")                             \
    X(logit_noise, double, "logit-noise", REAL, "0.3", 0, 10, NULL,                                \
      "standard deviation of noise on the variables' logits in training")                          \
    X(orders, int, "orders", INT, "4", 1, 1024, NULL,                                              \
      "predictions average this many random orders; 1 means the given order")                      \
    X(predict_noise, double, "predict-noise", REAL, "0.3", 0, 10, NULL,                            \
      "noise on the logits while averaging over orders")                                           \
    X(curves, int, "curves", FLAG, "false", 0, 1, NULL,                                            \
      "measure train and test after every epoch too, for a log; nothing is chosen by them")        \
    X(calibrate, int, "calibrate", FLAG, "true", 0, 1, NULL,                                       \
      "at the end, scale the scores by one number fitted on validation")

/* The choices of `task` and `select`. */
enum { NLN_TASK_LOGIC, NLN_TASK_PREFERENCE, NLN_TASK_TOPK };
enum {
    NLN_SELECT_ACCURACY,
    NLN_SELECT_RMSE,
    NLN_SELECT_CROSS_ENTROPY,
    NLN_SELECT_AUC,
    NLN_SELECT_NDCG,
    NLN_SELECT_LAST
};

typedef struct nln_config {
#define X(field, ctype, name, type, initial, least, most, choices, help) ctype field;
    NLN_CONFIG(X)
#undef X
} nln_config;

/* The command whose table it is. */
#define NLN_CONFIG_COMMAND "train"
const nln_option *nln_config_table(int *n_rows);
/* The numbers of options made from that table, with the recipe applied and 0 in
 * `hidden` and `threads` resolved. */
nln_status nln_config_read(nln_config *out, nln_options *options, nln_error *err);

#endif

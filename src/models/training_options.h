/* The options of training, as a table and as numbers.
 *
 * One row is one option:
 *
 *     field, type in C, name, type, least, most, choices,
 *     group, FIRST where the short help shows it, tasks, abilities that the method must have,
 *     needed option, default for logic, for preference, for topk,
 *     help
 *
 * An option changes something if its tasks include the task, the method has its abilities
 * (models/method.h), and the needed option, where the method uses it, is not 0 (`free` is 0;
 * with `!` before it: is 0).  Training refuses all others. */
#ifndef NLN_MODELS_TRAINING_OPTIONS_H
#define NLN_MODELS_TRAINING_OPTIONS_H

#include "base/options.h"
#include "data/rating_grades.h"
#include "models/item_rules.h"

enum { NLN_MOST_NETWORKS = 8 };

/* clang-format off */
#define NLN_CONFIG(X)                                                                              \
    X(task, int, "task", CHOICE, 0, 0, "logic|preference|topk|link",                               \
      "data", FIRST, ANY, 0, NULL, "logic", "preference", "topk",                                  \
      "learn from labelled expressions (logic), from ratings what a user likes (preference) or "   \
      "which items come first (topk), or the links of a graph (link)")                             \
    X(form, int, "normal-form", CHOICE, 0, 0, "none|nnf|dnf|cnf",                                  \
      "data", MORE, LOGIC, 0, NULL, "dnf", "dnf", "dnf",                                           \
      "normal form that expressions are brought to")                                               \
    X(clause_limit, int, "clause-limit", INT, 1, 16777216, NULL,                                   \
      "data", MORE, LOGIC, 0, NULL, "4096", "4096", "4096",                                        \
      "most clauses of a normal form; a larger expression is taken in negation normal form")        \
    X(predicates, int, "predicates", CHOICE, 0, 0, "mlp|product",                                  \
      "model", MORE, LOGIC, NETWORK, NULL, "mlp", "mlp", "mlp",                                    \
      "how a predicate makes a truth of the vectors of its entities: see docs/predicates.md")      \
    X(groundings, int, "groundings", INT, 2, 1000000, NULL,                                        \
      "data", MORE, LOGIC, NETWORK, NULL, "256", "256", "256",                                     \
      "most instances of a quantified expression in an epoch; of more, some are drawn")            \
    X(history, int, "history", INT, 1, 1000, NULL,                                                 \
      "data", FIRST, RATINGS, HISTORY, NULL, "10", "100", "20",                                    \
      "most interactions before the target that its expression holds")                             \
    X(least_history, int, "least-history", INT, 0, 1000, NULL,                                     \
      "data", MORE, RATINGS, STEPS, NULL, "0", "0", "0",                                           \
      "train on interactions with at least this many before them")                                 \
    X(recipe, int, "recipe", CHOICE, 0, 0, "default|paper|fast",                                   \
      "model", FIRST, ANY, NETWORK, NULL, "default", "default", "default",                         \
      "a set of values for the options; single options override it: see docs/recipes.md")          \
    X(model, int, "model", CHOICE, 0, 0,                                                           \
      "nln|birnn|bilstm|marginals|popularity|biasedmf|svdpp|ncf|ease|gru|itemknn|complex|"         \
      "distmult|transe|rules|sasrec",                                                              \
      "model", FIRST, ANY, 0, NULL, "nln", "nln", "nln",                                           \
      "the Neural Logic Network, or a method that it is compared with: see "                       \
      "docs/baselines.md")                                                                         \
    X(dimension, int, "dimension", INT, 1, 4096, NULL,                                             \
      "model", FIRST, ANY, VECTORS, NULL, "64", "64", "64",                                        \
      "length of the vectors, d")                                                                  \
    X(hidden, int, "hidden", INT, 0, 16384, NULL,                                                  \
      "model", MORE, ANY, HIDDEN, NULL, "0", "0", "0",                                             \
      "width of the hidden layer of AND, OR and NOT; 0 means d")                                   \
    X(layers, int, "layers", INT, 1, 16, NULL,                                                     \
      "model", MORE, TOPK, LAYERS, NULL, "2", "2", "2",                                            \
      "blocks of self-attention, one above the other")                                             \
    X(embedding, int, "embedding", CHOICE, 0, 0, "free|line|arc|line+rest|arc+rest",               \
      "model", MORE, ANY, NETWORK, NULL, "arc", "free", "free",                                    \
      "a variable is a free vector, a point on a curve that ends in T, or that plus a rest")       \
    X(members, int, "members", INT, 1, 64, NULL,                                                   \
      "model", MORE, ANY, NETWORK, NULL, "4", "1", "1",                                            \
      "vectors for each variable, trained side by side; predictions average them")                 \
    X(networks, int, "networks", INT, 1, NLN_MOST_NETWORKS, NULL,                                  \
      "model", FIRST, ANY, NETWORKS, NULL, "1", "4", "1",                                           \
      "whole networks, trained side by side; predictions average them")                            \
    X(alpha, double, "alpha", REAL, 0.01, 1000, NULL,                                              \
      "model", MORE, ANY, NETWORK, NULL, "10", "10", "10",                                         \
      "Sim = sigmoid(alpha cos)")                                                                  \
    X(association, int, "association", CHOICE, 0, 0, "pairs|fold",                                 \
      "model", MORE, ANY, NETWORK, NULL, "pairs", "fold", "fold",                                  \
      "how AND and OR of many operands become pairs, in random order in training")                 \
    X(grades, int, "grades", INT, 0, NLN_MOST_GRADES, NULL,                                        \
      "model", MORE, RATINGS, NETWORK, NULL, "0", "5", "0",                                        \
      "this many variables say how much an item of a history was liked or disliked, each "         \
      "beside its item: (h1 & g5); 0 means none")                                                  \
    X(rules, int, "rules", INT, 0, NLN_ITEM_RULES_MOST, NULL,                                       \
      "model", MORE, TOPK, NETWORK, NULL, "0", "0", "500",                                         \
      "for each item this many rules found by counting, `who likes (or dislikes) a likes v`; how " \
      "much they add to the score is chosen on validation; 200 at most for large catalogues, 0 "   \
      "means none")                                    \
    X(surprises, int, "surprises", INT, 0, 100, NULL,                                              \
      "model", MORE, PREFERENCE, HISTORY, NULL, "0", "10", "0",                                    \
      "add to a score how much more or less than predicted the user liked the last items of "      \
      "the history, this many, times a number fitted on validation; 0 means not")                  \
    X(duals, int, "duals", FLAG, 0, 1, NULL,                                                       \
      "model", MORE, LOGIC, NETWORK, NULL, "true", "false", "false",                               \
      "compute an expression also as the negation of its dual, by the laws of De Morgan: half "    \
      "of the time in training, and both ways in predictions, so that p(e) + p(!e) = 1")           \
    X(orders, int, "orders", INT, 1, 1024, NULL,                                                   \
      "model", MORE, ANY, NETWORK, NULL, "1", "1", "1",                                            \
      "predictions average this many random orders; 1 means the given order")                      \
    X(predict_noise, double, "predict-noise", REAL, 0, 10, NULL,                                   \
      "model", MORE, ANY, NETWORK, "embedding", "0", "0", "0",                                     \
      "noise on the logits while averaging over orders")                                           \
    X(seed, double, "seed", INT, 0, 9007199254740991.0, NULL,                                      \
      "learning", FIRST, ANY, 0, NULL, "1", "1", "1",                                              \
      "the same seed gives the same bits")                                                         \
    X(threads, int, "threads", INT, 0, 1024, NULL,                                                 \
      "learning", FIRST, ANY, 0, NULL, "0", "0", "0",                                              \
      "0 means all cores; the result does not depend on it")                                       \
    X(shuffle, int, "shuffle", FLAG, 0, 1, NULL,                                                   \
      "learning", MORE, ANY, NETWORK, NULL, "true", "false", "false",                              \
      "random association and commutation in training; else the given order")                      \
    X(init_scale, double, "init-scale", REAL, 0, 10, NULL,                                         \
      "learning", MORE, ANY, STEPS | WEIGHTS, NULL, "0", "0", "0",                                 \
      "standard deviation of the initial weights; 0 means fan-in scaling")                         \
    X(init_variables, double, "init-variables", REAL, 0, 10, NULL,                                 \
      "learning", MORE, ANY, STEPS, NULL, "0.01", "0.01", "0.01",                                  \
      "standard deviation of the initial variable vectors and logits")                             \
    X(together, int, "together", INT, 1, 1000, NULL,                                               \
      "learning", MORE, RATINGS, STEPS, NULL, "1", "50", "10",                                     \
      "train this many successive interactions of a user side by side: their histories "           \
      "begin with the same items, and the shared part is computed once")                           \
    X(drop_history, double, "drop-history", REAL, 0, 0.95, NULL,                                   \
      "learning", MORE, RATINGS, STEPS | HISTORY, NULL, "0", "0.3", "0.2",                         \
      "share of a history's interactions left out in training, drawn anew each time")              \
    X(user_vectors, double, "user-vectors", REAL, 0, 1, NULL,                                      \
      "model", MORE, RATINGS, NETWORK | STEPS | HISTORY, NULL, "0", "0", "0",                      \
      "share of the histories in training that end with a variable of their user; 0 means that "   \
      "users have none")                                                                           \
    X(context, int, "context", CHOICE, 0, 0, "before|all",                                         \
      "learning", MORE, RATINGS, STEPS | HISTORY, NULL, "before", "before", "before",              \
      "the history in training: the interactions before the target, or all other "                 \
      "interactions of the user")                                                                  \
    X(dislikes, int, "dislikes", CHOICE, 0, 0, "no|yes|auto",                                      \
      "learning", MORE, TOPK, STEPS, NULL, "no", "no", "auto",                                     \
      "learn also that a user went for items that were met and not liked; auto: where rules "      \
      "that count them rank better on validation, and not with --rules 0")                         \
    X(loss, int, "loss", CHOICE, 0, 0, "pairwise|pairwise-probability|softmax|binary",             \
      "learning", MORE, TOPK, STEPS, NULL, "softmax", "softmax", "softmax",                        \
      "compare a liked item with drawn items in pairs, by scores or by probabilities, "            \
      "choose it out of many, or call it true and each drawn item false (binary)")                                                                     \
    X(negatives, int, "negatives", INT, 0, 100000, NULL,                                           \
      "learning", FIRST, TOPK | LINK, STEPS, NULL, "100", "100", "200",                            \
      "items drawn against a liked one; softmax shares them in a batch and takes half of all at most; task link: "         \
      "entities that compete in a batch, its answers among them; 0 means all, for softmax alone")                                               \
    X(soften, double, "soften", REAL, 0, 10, NULL,                                                 \
      "learning", MORE, PREFERENCE, STEPS, NULL, "0", "0.125", "0",                                \
      "the label of a rating is sigmoid((rating - line) / (soften * range of ratings)), "          \
      "where the line lies between dislikes and likes; 0 means 0 or 1")                            \
    X(epochs, int, "epochs", INT, 0, 1000000, NULL,                                                \
      "learning", FIRST, ANY, STEPS, NULL, "0", "0", "0",                                          \
      "most epochs; 0 means 24 for logic, 8 for preference, 30 for topk, 15 for link, and more on a "           \
      "small set; topk then goes on while validation rises, up to twice as long")                                                                                 \
    X(patience, int, "patience", INT, 0, 1000000, NULL,                                            \
      "learning", FIRST, ANY, STEPS, NULL, "0", "0", "0",                                          \
      "stop after this many epochs without improvement on validation; 0 means never")              \
    X(stop_at, double, "stop-at", REAL, 0, 1, NULL,                                                \
      "learning", MORE, LABELS, STEPS, NULL, "0", "0", "0",                                        \
      "stop when the accuracy on validation reaches this; 0 means never")                          \
    X(select, int, "select", CHOICE, 0, 0, "accuracy|rmse|cross-entropy|auc|ndcg|last|mrr",        \
      "learning", MORE, ANY, STEPS, NULL, "rmse", "last", "ndcg",                                  \
      "validation metric that chooses the best epoch; last keeps the last one")                    \
    X(batch, int, "batch", INT, 0, 1048576, NULL,                                                  \
      "learning", FIRST, ANY, STEPS, NULL, "0", "128", "128",                                      \
      "examples in a batch; 0 means a 64th of the training set, from 128 to 1024")                 \
    X(rate, double, "learning-rate", REAL, 0, 10, NULL,                                            \
      "learning", FIRST, ANY, VECTORS, NULL, "0.001", "0.001", "0.001",                            \
      "of the modules, and of vectors")                                                            \
    X(rate_logit, double, "learning-rate-logit", REAL, 0, 10, NULL,                                \
      "learning", MORE, ANY, LOGITS, "embedding", "0.3", "0.3", "0.3",                             \
      "of the logits of variables on a curve")                                                     \
    X(beta2_logit, double, "beta2-logit", REAL, 0.9, 0.999999, NULL,                               \
      "learning", MORE, ANY, LOGITS, "embedding", "0.99", "0.99", "0.99",                          \
      "decay of the second moment in Adam for these logits")                                       \
    X(schedule, int, "schedule", CHOICE, 0, 0, "constant|cosine",                                  \
      "learning", MORE, ANY, STEPS, NULL, "cosine", "cosine", "constant",                          \
      "of the learning rates over all epochs")                                                     \
    X(average, double, "average", REAL, 0, 0.99, NULL,                                             \
      "learning", MORE, ANY, STEPS, NULL, "0", "0", "0.8",                                         \
      "share of earlier epochs in the weights that are kept: a moving average over epochs")        \
    X(clip, double, "clip", REAL, 0, 1e9, NULL,                                                    \
      "learning", MORE, ANY, STEPS, NULL, "10", "10", "10",                                        \
      "gradients are cut to [-clip, clip]; 0 means not at all")                                    \
    X(reduce, int, "reduce", CHOICE, 0, 0, "sum|mean",                                             \
      "learning", MORE, ANY, STEPS, NULL, "sum", "sum", "sum",                                     \
      "losses are summed over a batch, or averaged")                                               \
    X(l2, double, "l2", REAL, 0, 1e6, NULL,                                                        \
      "learning", MORE, ANY, WEIGHTS, NULL, "0.01", "0", "0",                                      \
      "lambda_Theta, on the weights of the modules or layers")                                     \
    X(l2_variables, double, "l2-variables", REAL, 0, 1e6, NULL,                                    \
      "learning", MORE, ANY, VECTORS, "!embedding", "0", "0", "0",                                 \
      "the same on the vectors in a batch")                                                        \
    X(l2_logit, double, "l2-logit", REAL, 0, 1e6, NULL,                                            \
      "learning", MORE, ANY, LOGITS, "embedding", "0.3", "0.3", "0.3",                             \
      "prior of a variable's logit: this times its square, once an epoch; less for a variable "    \
      "that occurs more than 24 times")                                                            \
    X(noise, double, "noise", REAL, 0, 0.49, NULL,                                                 \
      "learning", MORE, LABELS, STEPS, NULL, "0.02", "0", "0",                                     \
      "share of the training labels assumed to be flipped")                                        \
    X(fit_noise, int, "fit-noise", FLAG, 0, 1, NULL,                                               \
      "learning", MORE, LABELS, STEPS, NULL, "true", "false", "false",                             \
      "after each epoch, set that share to what the training labels suggest")                      \
    X(dropout, double, "dropout", REAL, 0, 0.95, NULL,                                             \
      "learning", FIRST, ANY, VECTORS, NULL, "0", "0", "0",                                        \
      "share of hidden units dropped in training")                                                 \
    X(dropout_variables, double, "dropout-variables", REAL, 0, 0.95, NULL,                         \
      "learning", MORE, ANY, NETWORK, NULL, "0", "0.3", "0.3",                                     \
      "share of the elements of variable vectors dropped in training")                             \
    X(logit_noise, double, "logit-noise", REAL, 0, 10, NULL,                                       \
      "learning", MORE, ANY, NETWORK, "embedding", "0.3", "0", "0",                                \
      "standard deviation of noise on the variables' logits in training")                          \
    X(message_sweeps, int, "message-sweeps", INT, 0, 1000, NULL,                                   \
      "learning", MORE, LOGIC, NETWORK, "embedding", "16", "0", "0",                               \
      "at the end, teach the modules to compute with probabilities and find the variables by so "  \
      "many sweeps of messages through them; 0 means not")                                          \
    X(calibrate, int, "calibrate", FLAG, 0, 1, NULL,                                               \
      "learning", MORE, LABELS, 0, NULL, "true", "true", "false",                                  \
      "at the end, scale the scores by one number fitted on validation")                           \
    X(law_weight, double, "law-weight", REAL, 0, 1e6, NULL,                                        \
      "laws", FIRST, ANY, NETWORK, NULL, "0.01", "0.1", "0",                                       \
      "lambda_l, the weight of the laws of logic; 0 switches them off (NLN-Rl)")                   \
    X(laws, unsigned, "laws", TEXT, 0, 0, NULL,                                                    \
      "laws", MORE, ANY, NETWORK, "law-weight", "all", "all", "all",                               \
      "which of the laws, separated by commas: all (the paper's ten), compound (those of two or "  \
      "three vectors: De Morgan, distributivity, ...), or names as `nln inspect` prints them")      \
    X(law_sample, double, "law-sample", REAL, 1e-6, 1, NULL,                                       \
      "laws", MORE, ANY, NETWORK, "law-weight", "0.1", "0.1", "0.1",                               \
      "share of the vectors put under the laws, unbiased")                                         \
    X(length_weight, double, "length-weight", REAL, 0, 1e6, NULL,                                  \
      "laws", MORE, ANY, NETWORK, NULL, "0", "1e-4", "0",                                          \
      "lambda_ell, the weight of the squared length of vectors")                                   \
    X(keep_users, int, "keep-users", FLAG, 0, 1, NULL,                                             \
      "output", MORE, RATINGS, 0, NULL, "true", "true", "true",                                    \
      "keep the users' histories in the model, for nln recommend --user")                          \
    X(premises, int, "premises", INT, 0, 1000, NULL,                                               \
      "model", FIRST, LINK, PREMISES, NULL, "16", "16", "16",                                      \
      "most facts about the known end that a question is learned with; 0 means none")              \
    X(link_rules, int, "link-rules", FLAG, 0, 1, NULL,                                             \
      "model", MORE, LINK, PREMISES, NULL, "true", "true", "true",                                 \
      "rules found by counting add to the scores, with a weight fitted on validation")             \
    X(link_inverses, int, "link-inverses", FLAG, 0, 1, NULL,                                       \
      "model", MORE, LINK, PREMISES, NULL, "true", "true", "true",                                 \
      "the inverse of a relation adds to its scores, with a weight fitted on validation")          \
    X(n3, double, "n3", REAL, 0, 1e6, NULL,                                                        \
      "learning", FIRST, LINK, VECTORS, NULL, "0.01", "0.01", "0.01",                              \
      "weight of the cubed absolute values of both ends and the relation of each triple")          \
    X(relation_weight, double, "relation-weight", REAL, 0, 1e6, NULL,                              \
      "learning", MORE, LINK, VECTORS, NULL, "0", "0", "0",                                        \
      "weight of a second question about each triple: which relation holds between its ends")      \
    X(curves, int, "curves", FLAG, 0, 1, NULL,                                                     \
      "output", MORE, ANY, 0, NULL, "false", "false", "false",                                     \
      "measure train and test after every epoch too, for --log; they choose nothing")
/* clang-format on */

/* The choices of `task` and `select`. */
enum { NLN_TASK_LOGIC, NLN_TASK_PREFERENCE, NLN_TASK_TOPK, NLN_TASK_LINK };
enum { NLN_DISLIKES_NO, NLN_DISLIKES_YES, NLN_DISLIKES_AUTO };
enum {
    NLN_SELECT_ACCURACY,
    NLN_SELECT_RMSE,
    NLN_SELECT_CROSS_ENTROPY,
    NLN_SELECT_AUC,
    NLN_SELECT_NDCG,
    NLN_SELECT_LAST,
    NLN_SELECT_MRR
};

typedef struct nln_config {
#define X(field, ctype, ...) ctype field;
    NLN_CONFIG(X)
#undef X
} nln_config;

/* The command whose table it is. */
#define NLN_CONFIG_COMMAND "train"
const nln_option *nln_config_table(int *n_rows);
/* The numbers of options made from that table.  Options that nobody has set take the value of the
 * task, recipe and method; 0 in `hidden` and `threads` is resolved. */
nln_status nln_config_read(nln_config *out, nln_options *options, nln_error *err);
/* Fails with a sentence if the caller has set an option that changes nothing under these options,
 * which nln_config_read has completed. */
nln_status nln_config_check(const nln_options *options, nln_error *err);

#endif

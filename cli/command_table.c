#include "command_table.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "spelling.h"

static const nln_option generate_rows[] = {
    {"out", NLN_OPTION_TEXT, "", 0, 0, NULL, "the folder to write (needed)"},
};
static const nln_option generate_ratings_rows[] = {
    {"out", NLN_OPTION_TEXT, "", 0, 0, NULL, "the file to write (needed)"},
    {"titles", NLN_OPTION_TEXT, "", 0, 0, NULL, "a file for the titles of the items"},
};
static const nln_option generate_facts_rows[] = {
    {"out", NLN_OPTION_TEXT, "", 0, 0, NULL, "the file to write (needed)"},
};
static const nln_option split_rows[] = {
    {"out", NLN_OPTION_TEXT, "", 0, 0, NULL, "the folder to write (needed)"},
};
static const nln_option train_rows[] = {
    {"out", NLN_OPTION_TEXT, "", 0, 0, NULL, "the model file to write (needed)"},
    {"log", NLN_OPTION_TEXT, "", 0, 0, NULL,
     "a file for a line after each epoch (TSV): time, loss, validation; see --curves"},
    {"per-user", NLN_OPTION_TEXT, "", 0, 0, NULL,
     "topk: a file for the ranks of every liked item of the test part (TSV)"},
    {"per-triple", NLN_OPTION_TEXT, "", 0, 0, NULL,
     "link: a file for the ranks of every triple of the test part (TSV)"},
    {"facts", NLN_OPTION_TEXT, "", 0, 0, NULL,
     "topk: a file of facts about items, which the network weighs: item, relation, other item or "
     "property"},
    {"snapshots", NLN_OPTION_TEXT, "", 0, 0, NULL,
     "epochs after which the model is written too, as MODEL-epoch-N: such as 1,5,20"},
    {"checkpoint", NLN_OPTION_TEXT, "", 0, 0, NULL,
     "a file that the training can go on from; without it MODEL.checkpoint, which is written "
     "only when Ctrl-C or SIGTERM ends the training"},
    {"every", NLN_OPTION_INT, "1", 1, 1000000, NULL, "epochs from one --checkpoint to the next"},
    {"resume", NLN_OPTION_FLAG, "false", 0, 0, NULL,
     "go on from the checkpoint, to the same bits; if it is not there, begin anew"},
};
static const nln_option tune_rows[] = {
    {"out", NLN_OPTION_TEXT, "", 0, 0, NULL, "the folder for the trials (needed)"},
    {"grid", NLN_OPTION_TEXT, "", 0, 0, NULL,
     "what to try: NAME=VALUE,VALUE,... or, with --random, NAME=LEAST..MOST; to repeat"},
    {"random", NLN_OPTION_INT, "0", 0, 10000, NULL,
     "draw this many trials; 0 means every combination of values"},
    {"seeds", NLN_OPTION_INT, "1", 1, 1000, NULL, "train every trial with this many seeds"},
    {"verb", NLN_OPTION_TEXT, "train", 0, 0, NULL,
     "the verb whose options are tried; the arguments are its arguments"},
    {"metric", NLN_OPTION_TEXT, "auto", 0, 0, NULL,
     "what is compared on validation: accuracy, rmse, cross-entropy, auc, ndcg, hit or mrr; auto "
     "means the metric of --select.  Of other verbs than train, a number of their --json"},
    {"least", NLN_OPTION_FLAG, "false", 0, 0, NULL,
     "less of --metric is better, for other verbs than train"},
    {"jobs", NLN_OPTION_INT, "0", 0, 1024, NULL,
     "trainings at a time; 0 means one for each thread"},
    {"resume", NLN_OPTION_FLAG, "false", 0, 0, NULL, "go on with the trials in --out"},
    {"best", NLN_OPTION_TEXT, "", 0, 0, NULL,
     "a file for the options of the best trial, for --config"},
};
static const nln_option compare_rows[] = {
    {"out", NLN_OPTION_TEXT, "", 0, 0, NULL, "the folder for the trainings (needed)"},
    {"rivals", NLN_OPTION_TEXT, "auto", 0, 0, NULL,
     "names of the models to compare the network with, separated by commas; auto means all that "
     "do the task"},
    {"facts", NLN_OPTION_TEXT, "", 0, 0, NULL,
     "topk: a file of facts about items for the network, as in train; the other models know none"},
    {"quick", NLN_OPTION_FLAG, "false", 0, 0, NULL,
     "a first look: the network with --recipe fast, and of the models the quickest to train"},
    {"seeds", NLN_OPTION_INT, "0", 0, 1000, NULL,
     "train each model with this many seeds; 0 means 1 for topk and 3 for other tasks"},
    {"jobs", NLN_OPTION_INT, "1", 0, 1024, NULL,
     "trainings at a time; 0 means one for each thread; times are those of a quiet machine for 1"},
    {"resume", NLN_OPTION_FLAG, "false", 0, 0, NULL, "go on with the trainings in --out"},
};
static const nln_option rules_rows[] = {
    {"top", NLN_OPTION_INT, "50", 1, 100000000, NULL, "rules to show; -k is short for it"},
    {"kind", NLN_OPTION_CHOICE, "auto", 0, 0, "auto|triples|ratings",
     "what DATA holds; auto means by its content"},
    {"titles", NLN_OPTION_TEXT, "", 0, 0, NULL, "ratings: a file of titles to show instead of ids"},
    {"model-file", NLN_OPTION_TEXT, "", 0, 0, NULL,
     "a model, to say how true it holds each rule: the share of entities or items that it ranks "
     "below the conclusion"},
};
static const nln_option evaluate_rows[] = {
    {"part", NLN_OPTION_CHOICE, "test", 0, 0, "train|valid|test", "the part of DATA to measure"},
    {"split", NLN_OPTION_CHOICE, "auto", 0, 0, "auto|none|paper|nlr|random|likes|train|valid|test",
     "how one ratings file is split; auto means as in training; or a part, the same as --part"},
    {"exact", NLN_OPTION_FLAG, "false", 0, 0, NULL, "logic: compare with exact reasoning"},
    {"lengths", NLN_OPTION_FLAG, "false", 0, 0, NULL,
     "logic: also measure expressions up to 40 times as long as usual, made of variables that the "
     "model solves rightly"},
    {"ranking", NLN_OPTION_CHOICE, "both", 0, 0, "both|sampled|full",
     "topk: rank among sampled items, among all, or both"},
    {"per-user", NLN_OPTION_TEXT, "", 0, 0, NULL,
     "topk: a file for the ranks of every liked item (TSV)"},
    {"per-triple", NLN_OPTION_TEXT, "", 0, 0, NULL,
     "link: a file for the ranks of every triple (TSV)"},
    {"lists", NLN_OPTION_INT, "0", 0, 1000000, NULL,
     "topk, preference: also coverage, novelty and diversity of this many best items of every "
     "user"},
};
static const nln_option predict_rows[] = {
    {"spread", NLN_OPTION_FLAG, "false", 0, 0, NULL,
     "also how far the members and orders of the network disagree: their standard deviation"},
    {"normal-form", NLN_OPTION_FLAG, "false", 0, 0, NULL,
     "also the expression as the model computes it"},
    {"strict", NLN_OPTION_FLAG, "false", 0, 0, NULL,
     "stop at the first expression that cannot be read, instead of answering the others"},
};
static const nln_option rank_rows[] = {
    {"top", NLN_OPTION_INT, "10", 1, 100000000, NULL, "answers to list; -k is short for it"},
    {"reasons", NLN_OPTION_INT, "3", 0, 1000, NULL,
     "link: for each answer, up to this many rules and as many facts that support it"},
    {"with-known", NLN_OPTION_FLAG, "false", 0, 0, NULL,
     "link: also list facts that the model was trained on"},
};
static const nln_option solve_rows[] = {
    {"truth", NLN_OPTION_TEXT, "", 0, 0, NULL,
     "model: score against a data folder or name<TAB>value file"},
};
static const nln_option similar_rows[] = {
    {"top", NLN_OPTION_INT, "10", 1, 100000000, NULL, "items to list; -k is short for it"},
    {"titles", NLN_OPTION_TEXT, "", 0, 0, NULL,
     "a file of titles; the item may then be named by one"},
};
static const nln_option inspect_rows[] = {
    {"changed", NLN_OPTION_FLAG, "false", 0, 0, NULL,
     "show only the options that differ from their default"},
};
static const nln_option export_rows[] = {
    {"out", NLN_OPTION_TEXT, "", 0, 0, NULL,
     "the file to write, or - for standard output (needed)"},
    {"format", NLN_OPTION_CHOICE, "auto", 0, 0, "auto|npy|tsv|word2vec",
     "NumPy's array, a table or word2vec's text; auto means by the ending of --out"},
    {"names", NLN_OPTION_TEXT, "", 0, 0, NULL,
     "a file for the names, one on a line; of OUT.npy it is OUT.names.tsv if not given"},
    {"header", NLN_OPTION_FLAG, "false", 0, 0, NULL, "tsv: begin with a line of column names"},
};
/* clang-format off */
#define FIGURE_ROW                                                                                 \
    {"out", NLN_OPTION_TEXT, "", 0, 0, NULL,                                                       \
     "what the names of the files begin with: PREFIX.tsv, .gp, .svg, .png, .pdf (needed)"}
/* clang-format on */
static const nln_option plot_tsne_rows[] = {
    FIGURE_ROW,
    {"truth", NLN_OPTION_TEXT, "", 0, 0, NULL,
     "colour by the values of a data folder or name<TAB>value file, and score two clusters"},
};
static const nln_option plot_expression_rows[] = {
    {"out", NLN_OPTION_TEXT, "", 0, 0, NULL,
     "the file to write: SVG, or .gv for Graphviz (needed)"},
    {"normal-form", NLN_OPTION_FLAG, "false", 0, 0, NULL,
     "as the model predicts it, instead of as it is written"},
};
static const nln_option plot_laws_rows[] = {FIGURE_ROW};
static const nln_option plot_reliability_rows[] = {
    FIGURE_ROW,
    {"part", NLN_OPTION_CHOICE, "test", 0, 0, "train|valid|test", "the part of DATA to measure"},
    {"bins", NLN_OPTION_INT, "10", 1, 1000, NULL, "equal parts of [0, 1] to count in"},
};
static const nln_option plot_curves_rows[] = {
    FIGURE_ROW,
    {"metric", NLN_OPTION_TEXT, "auto", 0, 0, NULL,
     "a metric of the log, such as rmse, or loss; auto means the first that it has"},
};
/* clang-format off */
/* How a history is given, and how items are shown. */
#define HISTORY_ROWS                                                                             \
    {"user", NLN_OPTION_TEXT, "", 0, 0, NULL, "the user whose history is taken"},                \
    {"data", NLN_OPTION_TEXT, "", 0, 0, NULL,                                                    \
     "ratings that have the history of --user; without it the model's own"},                     \
    {"like", NLN_OPTION_TEXT, "", 0, 0, NULL,                                                    \
     "liked items, separated by commas; to repeat, mixed with --dislike, in time order"},          \
    {"dislike", NLN_OPTION_TEXT, "", 0, 0, NULL, "disliked items, in the same way"},                    \
    {"histories", NLN_OPTION_TEXT, "", 0, 0, NULL,                                               \
     "a file of name<TAB>items lines, with a ! before the disliked; - is standard input"},       \
    {"titles", NLN_OPTION_TEXT, "", 0, 0, NULL,                                                  \
     "a file of titles; items may then be named by them"}
/* clang-format on */
static const nln_option recommend_rows[] = {
    HISTORY_ROWS,
    {"top", NLN_OPTION_INT, "10", 1, 100000000, NULL, "items to recommend; -k is short for it"},
    {"with-seen", NLN_OPTION_FLAG, "false", 0, 0, NULL, "also recommend items of the history"},
    {"diversity", NLN_OPTION_REAL, "0", 0, 1, NULL,
     "how much an item loses by being like one before it in the list"},
    {"reasons", NLN_OPTION_INT, "0", 0, 1000, NULL,
     "for each item, up to this many parts of the history that matter for it"},
    {"only", NLN_OPTION_TEXT, "", 0, 0, NULL,
     "choose from these items: ids separated by commas, or a file with one on a line"},
    {"exclude", NLN_OPTION_TEXT, "", 0, 0, NULL,
     "leave these items out: ids or a file, in the same way"},
    {"all", NLN_OPTION_FLAG, "false", 0, 0, NULL,
     "the lists of every user of the training, as a stream"},
    {"as", NLN_OPTION_CHOICE, "tsv", 0, 0, "tsv|csv|jsonl", "the format of --all"},
    {"out", NLN_OPTION_TEXT, "", 0, 0, NULL, "a file for --all; without it standard output"},
    {"threads", NLN_OPTION_INT, "0", 0, 1024, NULL, "threads; 0 means all cores"},
};
static const nln_option explain_rows[] = {
    {"item", NLN_OPTION_TEXT, "", 0, 0, NULL,
     "the item to explain; without it the top recommendation"},
    HISTORY_ROWS,
};
static const nln_option reproduce_rows[] = {
    {"out", NLN_OPTION_TEXT, "nln-results", 0, 0, NULL,
     "the folder for runs, tables, figures and report.html"},
    {"seeds", NLN_OPTION_INT, "0", 0, 1000, NULL, "seeds 1 to N; 0 means 5, or 1 with --quick"},
    {"quick", NLN_OPTION_FLAG, "false", 0, 0, NULL, "minutes: one seed, smaller sizes"},
    {"tiny", NLN_OPTION_FLAG, "false", 0, 0, NULL,
     "seconds: a test of the program, on generated data only"},
    {"resume", NLN_OPTION_FLAG, "false", 0, 0, NULL,
     "go on in a folder that has runs; what is there is not computed again"},
    {"compute", NLN_OPTION_FLAG, "true", 0, 0, NULL,
     "do the runs that are missing; --no-compute makes tables and figures of what is there"},
    {"jobs", NLN_OPTION_INT, "0", 0, 1024, NULL, "runs at a time; 0 means one for each core"},
    {"data", NLN_OPTION_TEXT, "", 0, 0, NULL,
     "the folder that holds ml-100k, nlr-ml100k and others; without it $NLN_DATA"},
    {"electronics", NLN_OPTION_TEXT, "", 0, 0, NULL,
     "the ratings of Amazon Electronics 5-core, for table3"},
};
static const nln_option bench_rows[] = {
    {"variables", NLN_OPTION_INT, "1000", 1, 100000000, NULL, "variables of the generated data"},
    {"expressions", NLN_OPTION_INT, "5000", 10, 100000000, NULL,
     "expressions of the generated data"},
    {"passes", NLN_OPTION_INT, "5", 1, 1000, NULL, "passes timed, after one to warm up"},
};
static const nln_option bench_recommend_rows[] = {
    {"items", NLN_OPTION_INT, "60000", 1, 100000000, NULL, "items of the random network"},
    {"history", NLN_OPTION_INT, "20", 0, 10000, NULL, "interactions of a history"},
    {"top", NLN_OPTION_INT, "10", 1, 1000000, NULL, "items of a list; -k is short for it"},
    {"histories", NLN_OPTION_INT, "100", 1, 10000000, NULL,
     "histories that are answered and compared with the full ranking"},
    {"threads", NLN_OPTION_INT, "1", 0, 1024, NULL, "threads; 0 means all cores"},
    {"seed", NLN_OPTION_INT, "1", 0, 9007199254740991.0, NULL, "seed of network and histories"},
};

#define ROWS(table) table, (int)(sizeof(table) / sizeof *(table))

/* clang-format off */
static const cli_command commands[] = {
    /* name, operands, least and most of them, whether --out is needed,
     * summary, tables of the library, own options, function */
    {"generate logic", "--out DIR", 0, 0, 1,
     "make a set of labelled expressions",
     {"generate logic"}, ROWS(generate_rows), cli_generate_logic},
    {"generate ratings", "--out FILE", 0, 0, 1,
     "make ratings that follow planted rules",
     {"generate ratings"}, ROWS(generate_ratings_rows), cli_generate_ratings},
    {"generate facts", "--out FILE", 0, 0, 1,
     "make triples of a knowledge graph in which planted rules hold",
     {"generate facts"}, ROWS(generate_facts_rows), cli_generate_facts},
    {"split", "DATA --out DIR", 1, 1, 1,
     "deal ratings to train, valid and test files",
     {"ratings"}, ROWS(split_rows), cli_split},
    {"train", "DATA --out MODEL", 1, 1, 1,
     "learn a model from labelled expressions or, with --task, from ratings or triples",
     {"train", "expressions", "ratings", "triples"}, ROWS(train_rows), cli_train},
    {"tune", "DATA --grid NAME=VALUES --out DIR", 0, 2, 1,
     "try many values of some options and compare what comes of them on validation",
     {"train", "ratings", "triples"}, ROWS(tune_rows), cli_tune},
    {"compare", "DATA --out DIR", 1, 1, 1,
     "train the network and simpler models on one split, and say which is better",
     {"train", "ratings"}, ROWS(compare_rows), cli_compare},
    {"rules", "DATA", 1, 1, 0,
     "list the rules that hold in a knowledge graph, or among what users like",
     {"rules", "triples", "ratings"}, ROWS(rules_rows), cli_rules},
    {"evaluate", "MODEL DATA", 2, 2, 0,
     "measure a model on a part of the data",
     {"predict", "exact", "ratings", "ranking", "triples"}, ROWS(evaluate_rows), cli_evaluate},
    {"predict", "MODEL [FILE|-|EXPRESSION...]", 1, CLI_MOST_OPERANDS, 0,
     "say how true expressions are, given here or in a file",
     {"predict"}, ROWS(predict_rows), cli_predict},
    {"query", "MODEL FILE|-", 2, 2, 0,
     "say which unlabelled expressions to label next",
     {"query"}, NULL, 0, cli_query},
    {"rank", "MODEL QUESTION", 2, 2, 0,
     "list the best entities for the hole of works_for(ann, ?), and why",
     {NULL}, ROWS(rank_rows), cli_rank},
    {"solve", "MODEL|FILE.cnf", 1, 1, 0,
     "say which variables are true, or find values that satisfy clauses",
     {"sat"}, ROWS(solve_rows), cli_solve},
    {"recommend", "MODEL", 1, 1, 0,
     "list the best items for a user, or for anyone with a history",
     {"ratings"}, ROWS(recommend_rows), cli_recommend},
    {"explain", "MODEL", 1, 1, 0,
     "say what each like and dislike adds to a recommendation",
     {"ratings"}, ROWS(explain_rows), cli_explain},
    {"similar", "MODEL ITEM", 2, 2, 0,
     "list the items, or variables, that are most similar to one",
     {NULL}, ROWS(similar_rows), cli_similar},
    {"inspect", "MODEL [DATA]", 1, 2, 0,
     "show options, tensors and how well the laws of logic hold",
     {NULL}, ROWS(inspect_rows), cli_inspect},
    {"export", "MODEL --out FILE", 1, 1, 1,
     "write the vectors of the variables for other programs",
     {NULL}, ROWS(export_rows), cli_export},
    {"plot tsne", "MODEL --out PREFIX", 1, 1, 1,
     "draw the vectors of the variables on a plane",
     {"tsne"}, ROWS(plot_tsne_rows), cli_plot_tsne},
    {"plot expression", "MODEL EXPRESSION --out FILE.svg", 2, 2, 1,
     "draw an expression as its network, with the truth of every part",
     {NULL}, ROWS(plot_expression_rows), cli_plot_expression},
    {"plot curves", "LOG --out PREFIX", 1, 1, 1,
     "draw how a training went, from what train --log wrote",
     {NULL}, ROWS(plot_curves_rows), cli_plot_curves},
    {"plot reliability", "MODEL DATA --out PREFIX", 2, 2, 1,
     "draw how often what is predicted with a probability is true",
     {"ratings"}, ROWS(plot_reliability_rows), cli_plot_reliability},
    {"plot laws", "MODEL [DATA] --out PREFIX", 1, 2, 1,
     "draw how well the laws of logic hold",
     {NULL}, ROWS(plot_laws_rows), cli_plot_laws},
    {"reproduce", "TABLE|FIGURE|all", 1, 1, 0,
     "repeat the tables and figures of the paper, with a report",
     {NULL}, ROWS(reproduce_rows), cli_reproduce},
    {"serve", "MODEL", 1, 2, 0,
     "answer over HTTP, take events, go on learning, and show it all on a page",
     {"serve"}, NULL, 0, cli_serve},
    {"bench train", "[DATA]", 0, 1, 0,
     "time epochs of training against this machine's matrix product",
     {"train"}, ROWS(bench_rows), cli_bench_train},
    {"bench predict", "[DATA]", 0, 1, 0,
     "time prediction, in bulk and one by one",
     {"train"}, ROWS(bench_rows), cli_bench_predict},
    {"bench rank", "[DATA]", 0, 1, 0,
     "time the ranking of all variables after an expression",
     {"train"}, ROWS(bench_rows), cli_bench_rank},
    {"bench recommend", "", 0, 0, 0,
     "time lists of the best items against the full ranking",
     {NULL}, ROWS(bench_recommend_rows), cli_bench_recommend},
};
/* clang-format on */

enum { N_COMMANDS = sizeof commands / sizeof *commands };

const cli_command *cli_command_row(int index)
{
    return index >= 0 && index < N_COMMANDS ? &commands[index] : NULL;
}

/* The first one or two words as one, "" when there are fewer. */
static void join(char *out, size_t size, char *const *words, int n_words, int n)
{
    out[0] = '\0';
    if (n == 1 && n_words >= 1)
        snprintf(out, size, "%s", words[0]);
    else if (n == 2 && n_words >= 2)
        snprintf(out, size, "%s %s", words[0], words[1]);
}

const cli_command *cli_command_find(int *used, char *const *words, int n_words)
{
    char name[128];
    for (*used = 2; *used > 0; (*used)--) {
        join(name, sizeof name, words, n_words, *used);
        for (int i = 0; i < N_COMMANDS; i++)
            if (strcmp(commands[i].name, name) == 0)
                return &commands[i];
    }
    return NULL;
}

const char *cli_command_near(char *const *words, int n_words)
{
    const char *near = NULL;
    size_t best = SIZE_MAX;
    char name[128];

    for (int n = 2; n > 0; n--) {
        join(name, sizeof name, words, n_words, n);
        for (int i = 0; name[0] && i < N_COMMANDS; i++)
            if (cli_suggest_nearer(&best, name, commands[i].name))
                near = commands[i].name;
    }
    return near;
}

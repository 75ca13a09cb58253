#include "command.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "suggest.h"

static const nln_option generate_rows[] = {
    {"out", NLN_OPTION_TEXT, "", 0, 0, NULL, "the folder to write (needed)"},
};
static const nln_option train_rows[] = {
    {"out", NLN_OPTION_TEXT, "", 0, 0, NULL, "the model file to write (needed)"},
};
static const nln_option evaluate_rows[] = {
    {"split", NLN_OPTION_CHOICE, "test", 0, 0, "train|valid|test", "the part of DATA to measure"},
    {"exact", NLN_OPTION_FLAG, "false", 0, 0, NULL, "compare with exact reasoning"},
};
static const nln_option solve_rows[] = {
    {"truth", NLN_OPTION_TEXT, "", 0, 0, NULL,
     "score against a data folder or name<TAB>value file"},
};
static const nln_option inspect_rows[] = {
    {"all", NLN_OPTION_FLAG, "false", 0, 0, NULL, "also show the options that have their default"},
};
static const nln_option bench_rows[] = {
    {"variables", NLN_OPTION_INT, "1000", 1, 100000000, NULL, "variables of the generated data"},
    {"expressions", NLN_OPTION_INT, "5000", 10, 100000000, NULL,
     "expressions of the generated data"},
    {"passes", NLN_OPTION_INT, "5", 1, 1000, NULL, "passes timed, after one to warm up"},
};

#define ROWS(table) table, (int)(sizeof(table) / sizeof *(table))

/* clang-format off */
static const cli_command commands[] = {
    /* name, operands, least and most of them, whether --out is needed,
     * summary, tables of the library, own options, function */
    {"generate logic", "--out DIR", 0, 0, 1,
     "make a set of labelled expressions",
     {"generate logic"}, ROWS(generate_rows), cli_generate_logic},
    {"train", "DATA --out MODEL", 1, 1, 1,
     "learn a model from a folder of labelled expressions",
     {"train"}, ROWS(train_rows), cli_train},
    {"evaluate", "MODEL DATA", 2, 2, 0,
     "measure a model on a part of the data",
     {"predict", "exact"}, ROWS(evaluate_rows), cli_evaluate},
    {"predict", "MODEL [FILE|-]", 1, 2, 0,
     "say how true each expression of a file is",
     {"predict"}, NULL, 0, cli_predict},
    {"solve", "MODEL", 1, 1, 0,
     "say which variables are true, and how surely",
     {NULL}, ROWS(solve_rows), cli_solve},
    {"inspect", "MODEL [DATA]", 1, 2, 0,
     "show options, tensors and how well the laws of logic hold",
     {NULL}, ROWS(inspect_rows), cli_inspect},
    {"bench train", "[DATA]", 0, 1, 0,
     "time epochs of training against this machine's matrix product",
     {"train"}, ROWS(bench_rows), cli_bench_train},
    {"bench predict", "[DATA]", 0, 1, 0,
     "time prediction, in bulk and one by one",
     {"train"}, ROWS(bench_rows), cli_bench_predict},
    {"bench rank", "[DATA]", 0, 1, 0,
     "time the ranking of all variables after an expression",
     {"train"}, ROWS(bench_rows), cli_bench_rank},
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

/* The verbs of the program: one row each.  The row makes the parser, the help
 * and the list of verbs, so they cannot part. */
#ifndef CLI_COMMAND_TABLE_H
#define CLI_COMMAND_TABLE_H

#include "nln.h"

enum { CLI_MOST_TABLES = 5, CLI_MOST_OPERANDS = 64 };

typedef struct cli_call cli_call;

typedef struct cli_command {
    const char *name;     /* one or two words */
    const char *operands; /* as the usage line shows them */
    int least_operands, most_operands;
    int needs_out; /* --out must be given */
    const char *summary;
    const char *tables[CLI_MOST_TABLES]; /* of the libraries, or NULL */
    const nln_option *rows;              /* the verb's own */
    int n_rows;
    int (*run)(const cli_call *call); /* returns the exit code */
} cli_command;

/* An option as the command line gives it. */
typedef struct cli_given {
    const nln_option *row;
    const char *value;
} cli_given;

/* A command line that has been read: what a verb works from. */
struct cli_call {
    const cli_command *command;
    nln_options *options;                  /* every option of the verb, in one table */
    nln_options *library[CLI_MOST_TABLES]; /* the same values, by the library's tables */
    nln_option *rows;                      /* [n_rows], the table of `options` */
    int n_rows;
    cli_given *given; /* [n_given], in the order of the command line, repetitions too */
    size_t n_given, given_room;
    const char *operands[CLI_MOST_OPERANDS]; /* NULL where not given */
    int n_operands;
};

/* Row `index` of the table of verbs, or NULL past its end. */
const cli_command *cli_command_row(int index);
/* The verb at the start of words[0..n_words); *used says how many words it took. */
const cli_command *cli_command_find(int *used, char *const *words, int n_words);
/* The name of the verb that the words may have meant, or NULL. */
const char *cli_command_near(char *const *words, int n_words);

int cli_generate_logic(const cli_call *call);
int cli_generate_ratings(const cli_call *call);
int cli_generate_facts(const cli_call *call);
int cli_split(const cli_call *call);
int cli_train(const cli_call *call);
int cli_tune(const cli_call *call);
int cli_compare(const cli_call *call);
int cli_rules(const cli_call *call);
int cli_evaluate(const cli_call *call);
int cli_predict(const cli_call *call);
int cli_query(const cli_call *call);
int cli_rank(const cli_call *call);
int cli_solve(const cli_call *call);
int cli_recommend(const cli_call *call);
int cli_explain(const cli_call *call);
int cli_inspect(const cli_call *call);
int cli_export(const cli_call *call);
int cli_plot_tsne(const cli_call *call);
int cli_plot_curves(const cli_call *call);
int cli_plot_expression(const cli_call *call);
int cli_plot_reliability(const cli_call *call);
int cli_plot_laws(const cli_call *call);
int cli_similar(const cli_call *call);
int cli_reproduce(const cli_call *call);
int cli_serve(const cli_call *call);
int cli_bench_train(const cli_call *call);
int cli_bench_predict(const cli_call *call);
int cli_bench_rank(const cli_call *call);
int cli_bench_recommend(const cli_call *call);

#endif

/* The option tables of the library's commands. */
#include <string.h>

#include "base/options.h"
#include "models/config.h"

static const nln_option generate_logic[] = {
    {"variables", NLN_OPTION_INT, "1000", 1, 100000000, NULL,
     "hidden T/F variables, named v1, v2, ..."},
    {"expressions", NLN_OPTION_INT, "5000", 10, 100000000, NULL,
     "expressions in all: 80 % train, 10 % valid, 10 % test"},
    {"min-clauses", NLN_OPTION_INT, "1", 1, 10000, NULL, "fewest clauses of an expression"},
    {"max-clauses", NLN_OPTION_INT, "5", 1, 10000, NULL, "most clauses of an expression"},
    {"min-literals", NLN_OPTION_INT, "1", 1, 10000, NULL, "fewest literals of a clause"},
    {"max-literals", NLN_OPTION_INT, "5", 1, 10000, NULL, "most literals of a clause"},
    {"noise", NLN_OPTION_REAL, "0", 0, 0.5, NULL,
     "share of the training and validation labels that are flipped"},
    {"seed", NLN_OPTION_INT, "1", 0, 9007199254740991.0, NULL, "seed of the data"},
};

static const nln_option predict[] = {
    {"threads", NLN_OPTION_INT, "0", 0, 1024, NULL, "threads; 0 means all cores"},
    {"orders", NLN_OPTION_INT, "0", 0, 1024, NULL,
     "average over this many random orders; 0 means what the model was trained with"},
};

static const nln_option exact[] = {
    {"sweeps", NLN_OPTION_INT, "30", 1, 100000, NULL, "most sweeps of belief propagation"},
    {"damping", NLN_OPTION_REAL, "0.5", 0, 0.99, NULL, "share of the old message that is kept"},
    {"noise", NLN_OPTION_TEXT, "auto", 0, 0, NULL,
     "rate of flipped labels: a number, or auto to choose it on validation"},
};

static const struct {
    const char *command;
    const nln_option *rows;
    int n_rows;
} tables[] = {
#define TABLE(command, rows)                             \
    {                                                    \
        command, rows, (int)(sizeof rows / sizeof *rows) \
    }
    TABLE("generate logic", generate_logic),
    TABLE("predict", predict),
    TABLE("exact", exact),
};

nln_status nln_options_create(nln_options **out, const char *command, nln_error *err)
{
    int n_rows = 0;
    const nln_option *rows = nln_config_table(&n_rows);
    if (strcmp(command, "train") == 0)
        return nln_options_create_from(out, rows, n_rows, err);
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        if (strcmp(command, tables[i].command) == 0)
            return nln_options_create_from(out, tables[i].rows, tables[i].n_rows, err);
    return nln_error_set(err, NLN_UNKNOWN, "there is no option table named '%s'", command);
}

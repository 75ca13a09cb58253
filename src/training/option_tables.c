/* The option tables of the library's commands. */
#include <string.h>

#include "base/options.h"
#include "models/model.h"

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

static const nln_option generate_ratings[] = {
    {"users", NLN_OPTION_INT, "1000", 1, 100000000, NULL, "users"},
    {"items", NLN_OPTION_INT, "500", 10, 100000000, NULL, "items"},
    {"ratings", NLN_OPTION_INT, "50000", 10, 2000000000, NULL,
     "ratings in all, at least one for each user"},
    {"rules", NLN_OPTION_REAL, "0.5", 0, 1, NULL,
     "share of the choices that follow a planted rule instead of taste and popularity"},
    {"noise", NLN_OPTION_REAL, "0.1", 0, 0.5, NULL, "share of the ratings that are arbitrary"},
    {"seed", NLN_OPTION_INT, "1", 0, 9007199254740991.0, NULL, "seed of the data"},
};

static const nln_option generate_facts[] = {
    {"kind", NLN_OPTION_CHOICE, "family", 0, 0, "family|graph",
     "families, or a graph of people, cities and countries; docs/links.md has the rules planted"},
    {"triples", NLN_OPTION_INT, "10000", 10, 100000000, NULL, "facts in all"},
    {"noise", NLN_OPTION_REAL, "0", 0, 0.5, NULL, "share of the facts with a random tail"},
    {"seed", NLN_OPTION_INT, "1", 0, 9007199254740991.0, NULL, "seed of the data"},
};

static const nln_option ratings[] = {
    {"format", NLN_OPTION_CHOICE, "auto", 0, 0,
     "auto|movielens|dat|csv|inter|rechorus|amazon|plain", "format of the ratings"},
    {"split", NLN_OPTION_CHOICE, "auto", 0, 0, "auto|none|paper|nlr|random|likes",
     "how one file is split; auto means likes for a training of topk, else paper; a folder of "
     "three "
     "files stays as it is"},
    {"split-seed", NLN_OPTION_INT, "1", 0, 9007199254740991.0, NULL, "seed of a random split"},
    {"like-from", NLN_OPTION_TEXT, "auto", 0, 0, NULL,
     "least rating that is a like; auto means 4 of five stars, 1 where all ratings are 0 or 1, and "
     "3/4 of the way up on other scales; stars the same, unless all are 1"},
    {"columns", NLN_OPTION_TEXT, "", 0, 0, NULL, "columns by name or number: user=uid,time=4"},
    {"core", NLN_OPTION_INT, "0", 0, 1000000000, NULL,
     "leave out users and items with fewer interactions"},
    {"rating-range", NLN_OPTION_TEXT, "auto", 0, 0, NULL,
     "LEAST:MOST, ratings outside are left out; auto means 0:5 in MovieLens and Amazon files"},
    {"strict", NLN_OPTION_FLAG, "false", 0, 0, NULL,
     "a line that cannot be used is an error instead of being counted"},
};

/* clang-format off */
#define HOLDOUT_ROWS                                                                               \
    {"holdout", NLN_OPTION_REAL, "0.1", 0, 0.4, NULL,                                              \
     "share of one file of expressions or triples that becomes valid, and the same for test"},     \
    {"holdout-seed", NLN_OPTION_INT, "1", 0, 9007199254740991.0, NULL,                             \
     "seed of what is held out, and of the folds"}
/* clang-format on */

static const nln_option expressions[] = {
    HOLDOUT_ROWS,
    {"folds", NLN_OPTION_INT, "0", 0, 1000, NULL,
     "split one file of expressions into this many folds, at least 3: one is test, the next valid"},
    {"fold", NLN_OPTION_INT, "0", 0, 1000, NULL,
     "the fold that is test, from 1 on; nln train takes each in turn without it"},
};

static const nln_option triples[] = {
    {"order", NLN_OPTION_TEXT, "head,relation,tail", 0, 0, NULL,
     "order of the columns of triples, with - for a column that is left out"},
    HOLDOUT_ROWS,
};

static const nln_option rules[] = {
    {"support", NLN_OPTION_INT, "5", 1, 1000000000, NULL, "least pairs that a rule explains"},
    {"confidence", NLN_OPTION_REAL, "0.1", 0, 1, NULL,
     "least share of the bodies that have the head, five more bodies counted"},
    {"constants", NLN_OPTION_FLAG, "true", 0, 0, NULL, "find rules about single entities, too"},
    {"relation", NLN_OPTION_TEXT, "", 0, 0, NULL, "only rules that conclude this relation"},
};

static const nln_option ranking[] = {
    {"threads", NLN_OPTION_INT, "0", 0, 1024, NULL, "threads; 0 means all cores"},
    {"cuts", NLN_OPTION_TEXT, "1,5,10,20", 0, 0, NULL, "the k of nDCG@k, HR@k and recall@k"},
    {"negatives", NLN_OPTION_INT, "100", 1, 1000000, NULL,
     "items sampled against each liked one in the sampled ranking"},
    {"negatives-seed", NLN_OPTION_INT, "1", 0, 9007199254740991.0, NULL,
     "seed of these items, the same for every model"},
    {"most", NLN_OPTION_INT, "0", 0, 2000000000, NULL,
     "rank at most this many liked items, spread evenly over the users; 0 means all"},
    {"popularity", NLN_OPTION_FLAG, "false", 0, 0, NULL,
     "rank by how many users liked an item in training instead of asking the model"},
    {"with-seen", NLN_OPTION_FLAG, "false", 0, 0, NULL,
     "in the full ranking keep the items that the user has met before"},
};

static const nln_option predict[] = {
    {"threads", NLN_OPTION_INT, "0", 0, 1024, NULL, "threads; 0 means all cores"},
    {"orders", NLN_OPTION_INT, "0", 0, 1024, NULL,
     "average over this many random orders; 0 means what the model was trained with"},
    {"hard", NLN_OPTION_FLAG, "false", 0, 0, NULL,
     "take every variable as it is solved, without its doubt"},
};

static const nln_option query[] = {
    {"top", NLN_OPTION_INT, "10", 1, 100000000, NULL, "expressions to choose; -k is short for it"},
    {"by", NLN_OPTION_CHOICE, "variables", 0, 0, "variables|entropy|disagreement",
     "the bits that the label will tell about each variable, or about all together, or how much of "
     "these is doubt between the members and orders of the model"},
    {"variety", NLN_OPTION_REAL, "1", 0, 100, NULL,
     "how much less a chosen expression leaves to be told about its variables; 0 means nothing"},
    {"orders", NLN_OPTION_INT, "0", 0, 1024, NULL,
     "average over this many random orders; 0 means what the model was trained with, at least 4"},
};

static const nln_option exact[] = {
    {"sweeps", NLN_OPTION_INT, "30", 1, 100000, NULL, "most sweeps of belief propagation"},
    {"damping", NLN_OPTION_REAL, "0.5", 0, 0.99, NULL, "share of the old message that is kept"},
    {"noise", NLN_OPTION_TEXT, "auto", 0, 0, NULL,
     "rate of flipped labels: a number, or auto to choose it on validation"},
};

static const nln_option sat[] = {
    {"trainings", NLN_OPTION_INT, "100", 1, 1000000, NULL,
     "clauses: most trainings, each from other random values; all clauses satisfied ends it"},
    {"epochs", NLN_OPTION_INT, "60", 1, 1000000, NULL, "clauses: epochs of a training"},
    {"learning-rate", NLN_OPTION_REAL, "0.3", 0, 1000, NULL,
     "clauses: of the logits of the variables"},
    {"spread", NLN_OPTION_REAL, "0.1", 0, 100, NULL,
     "clauses: standard deviation of the logits at the beginning of a training"},
    {"cadical", NLN_OPTION_FLAG, "true", 0, 0, NULL,
     "clauses: ask CaDiCaL, too, without and with the learned values as its first phases"},
    {"conflicts", NLN_OPTION_INT, "1000000", 0, 2000000000, NULL,
     "clauses: conflicts after which CaDiCaL gives up; 0 means never"},
    {"seed", NLN_OPTION_INT, "1", 0, 9007199254740991.0, NULL,
     "clauses: seed of the first training; the next has the next"},
};

static const nln_option tsne[] = {
    {"perplexity", NLN_OPTION_REAL, "30", 1, 1e6, NULL,
     "neighbours that each point has, smoothly counted; the default is lowered for few points"},
    {"iterations", NLN_OPTION_INT, "1000", 1, 1000000, NULL, "most steps of the descent"},
    {"exaggeration", NLN_OPTION_REAL, "12", 1, 1e6, NULL,
     "factor on the pull between neighbours in the first quarter, at most 250 steps"},
    {"learning-rate", NLN_OPTION_REAL, "0", 0, 1e9, NULL,
     "length of a step; 0 means points / exaggeration / 4, at least 50"},
    {"theta", NLN_OPTION_REAL, "0.5", 0, 1, NULL,
     "width by distance below which a cell of points counts as one; 0 means never"},
    {"exact-up-to", NLN_OPTION_INT, "2000", 0, 20000, NULL,
     "points up to which all pairs are computed, without cells"},
    {"init", NLN_OPTION_CHOICE, "pca", 0, 0, "pca|random", "where the points start"},
    {"seed", NLN_OPTION_INT, "1", 0, 9007199254740991.0, NULL, "seed of a random start"},
    {"threads", NLN_OPTION_INT, "0", 0, 1024, NULL, "threads; 0 means all cores"},
};

static const struct {
    const char *command;
    const nln_option *rows;
    int n_rows;
} tables[] = {
#define TABLE(command, rows)                                    \
    {                                                           \
        (command), (rows), (int)(sizeof(rows) / sizeof *(rows)) \
    }
    TABLE("generate logic", generate_logic),
    TABLE("generate ratings", generate_ratings),
    TABLE("generate facts", generate_facts),
    TABLE("expressions", expressions),
    TABLE("ratings", ratings),
    TABLE("ranking", ranking),
    TABLE("triples", triples),
    TABLE("rules", rules),
    TABLE("predict", predict),
    TABLE("query", query),
    TABLE("exact", exact),
    TABLE("sat", sat),
    TABLE("tsne", tsne),
};

static nln_status create(nln_options **out, const char *command, const nln_option *rows, int n_rows,
                         nln_error *err)
{
    nln_status status = nln_options_create_from(out, rows, n_rows, err);
    if (!status)
        nln_options_name(*out, command);
    return status;
}

nln_status nln_options_create(nln_options **out, const char *command, nln_error *err)
{
    int n_rows = 0;
    const nln_option *rows = nln_config_table(&n_rows);
    *out = NULL;
    if (strcmp(command, NLN_CONFIG_COMMAND) == 0)
        return create(out, NLN_CONFIG_COMMAND, rows, n_rows, err);
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        if (strcmp(command, tables[i].command) == 0)
            return create(out, tables[i].command, tables[i].rows, tables[i].n_rows, err);
    return nln_error_set(err, NLN_UNKNOWN, "there is no option table named '%s'", command);
}

nln_status nln_model_reading(nln_options **out, const nln_model *model, nln_error *err)
{
    const nln_data_provenance *r = &model->origin;
    int is_folder = strcmp(r->split, NLN_ORIGIN_FOLDER) == 0;
    const struct {
        const char *name, *value;
    } known[] = {
        {"split", is_folder ? "" : r->split},
        {"split-seed", is_folder ? "" : r->split_seed},
        {"like-from", r->like_from},
        {"core", r->core},
        {"columns", r->columns},
    };
    nln_status status = nln_options_create(out, "ratings", err);
    if (status)
        return status;
    for (size_t i = 0; !status && i < sizeof known / sizeof *known; i++)
        if (known[i].value[0])
            status = nln_options_set(*out, known[i].name, known[i].value, err);
    if (status) {
        nln_options_free(*out);
        *out = NULL;
    }
    return status;
}

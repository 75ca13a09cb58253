#include "reproduce/paper_experiments.h"

#include <string.h>

/* clang-format off */

/* ---- data ------------------------------------------------------------ */

#define LOGIC(n, m)  "generate logic --variables " n " --expressions " m
#define TINY_FACTS   "generate facts --triples 600"
#define TINY_RATINGS "generate ratings --users 60 --items 40 --ratings 1500"
#define FREE         {"", "", ""}
#define EACH(words)  {words, words, words}
#define ABSENT       {NULL, NULL, FREE, 0, 0, NULL}

static const cli_source sources[] = {
    {"1k-5k", "logic", NULL, "", "1k-5k", 1, {
        {"1,000 variables, 5,000 expressions", LOGIC("1000", "5000"), FREE, 1, 15, NULL},
        {"1,000 variables, 5,000 expressions", LOGIC("1000", "5000"),
         {"", "", "--epochs 50"}, 1, 15, NULL},
        {"30 variables, 300 expressions", LOGIC("30", "300"), EACH("--epochs 2"), 0, 1, NULL}}},
    {"20k-50k", "logic", NULL, "", "20k-50k", 1, {
        {"20,000 variables, 50,000 expressions", LOGIC("20000", "50000"), FREE, 1, 150, NULL},
        {"4,000 variables, 10,000 expressions", LOGIC("4000", "10000"),
         {"", "", "--epochs 30"}, 0, 30, "4k-10k"},
        {"60 variables, 300 expressions", LOGIC("60", "300"), EACH("--epochs 2"), 0, 1, NULL}}},
    {"ml100k-preference", "preference", "ml-100k/u.data", "--split paper", "ml100k", 0, {
        {"ML-100k, preference", NULL, FREE, 1, 40, NULL},
        {"ML-100k, preference", NULL, {"", "", "--epochs 4"}, 1, 25, NULL},
        {"generated ratings, preference", TINY_RATINGS, EACH("--epochs 2 --dimension 8"), 0, 1, NULL}}},
    {"ml100k-topk", "topk", "nlr-ml100k", "", "ml100k", 0, {
        {"ML-100k, top-k", NULL, FREE, 1, 80, NULL},
        {"ML-100k, top-k", NULL, {"", "", "--epochs 8"}, 1, 30, NULL},
        {"generated ratings, top-k", TINY_RATINGS,
         EACH("--epochs 2 --dimension 8 --split nlr"), 0, 1, NULL}}},
    {"grocery-topk", "topk", "amazon-grocery-5core", "", "grocery", 0, {
        {"Amazon Grocery, top-k", NULL, FREE, 0, 250, NULL}, ABSENT, ABSENT}},
    {"umls-links", "link", "kg/umls", "", "umls", 0, {
        {"UMLS", NULL, FREE, 0, 20, NULL},
        {"UMLS", NULL, EACH("--epochs 20 --dimension 200"), 0, 5, NULL},
        {"a generated family", TINY_FACTS, EACH("--epochs 2 --dimension 8"), 0, 1, NULL}}},
    {"kinship-links", "link", "kg/kinship", "", "kinship", 0, {
        {"Kinship", NULL, FREE, 0, 40, NULL},
        {"Kinship", NULL, EACH("--epochs 20 --dimension 200"), 0, 10, NULL}, ABSENT}},
    {"electronics-preference", "preference", NULL, "--split paper", "electronics", 0, {
        {"Amazon Electronics, preference", NULL, FREE, 1, 2000, NULL},
        {"Amazon Electronics, preference", NULL, EACH("--epochs 1"), 1, 200, NULL}, ABSENT}},
    {"electronics-topk", "topk", NULL, "--split paper", "electronics", 0, {
        {"Amazon Electronics, top-k", NULL, FREE, 1, 4000, NULL},
        {"Amazon Electronics, top-k", NULL, EACH("--epochs 1"), 1, 200, NULL}, ABSENT}},
};

/* ---- by what -------------------------------------------------------------------------- */

#define RATINGS "preference topk"
#define ALL     "logic " RATINGS
#define PAPER   "--recipe paper "

static const cli_method methods[] = {
    /* name, title, standing, tasks, words, tuned, after, solves, weight, facts */
    {"marginals", "product of marginals", CLI_BASELINE, "logic",
     "--model marginals", "marginals", NULL, 1, 0.2, NULL},
    {"birnn", "Bi-RNN", CLI_BASELINE, "logic", "--model birnn", "birnn", NULL, 0, 2, NULL},
    {"bilstm", "Bi-LSTM", CLI_BASELINE, "logic", "--model bilstm", "bilstm", NULL, 0, 4, NULL},
    {"popularity", "popularity", CLI_BASELINE, RATINGS,
     "--model popularity", NULL, NULL, 0, 0.1, NULL},
    {"biasedmf", "BiasedMF", CLI_BASELINE, RATINGS, "--model biasedmf", "biasedmf", NULL, 0, 0.3, NULL},
    {"svdpp", "SVD++", CLI_BASELINE, RATINGS, "--model svdpp", "svdpp", NULL, 0, 0.6, NULL},
    {"svdpp-last", "SVD++, last 5 items", CLI_BASELINE, "topk",
     "--model svdpp --context before --history 5", "svdpp-last", NULL, 0, 0.4, NULL},
    {"svdpp-softened", "SVD++, softened and with surprises", CLI_BASELINE, "preference",
     "--model svdpp --soften 0.125 --surprises 10 --calibrate", "svdpp", NULL, 0, 0.8, NULL},
    {"ncf", "NCF", CLI_BASELINE, RATINGS, "--model ncf", "ncf", NULL, 0, 0.5, NULL},
    {"ease", "EASE", CLI_BASELINE, "topk", "--model ease", "ease", NULL, 0, 0.3, NULL},
    {"gru", "GRU", CLI_BASELINE, "topk", "--model gru", "gru", NULL, 0, 1, NULL},
    {"rules", "rules found by counting", CLI_BASELINE, "link", "--model rules", NULL, NULL, 0, 0.1, NULL},
    {"transe", "TransE", CLI_BASELINE, "link", "--model transe", NULL, NULL, 0, 1, NULL},
    {"distmult", "DistMult", CLI_BASELINE, "link", "--model distmult", NULL, NULL, 0, 1, NULL},
    {"complex", "ComplEx with N3", CLI_BASELINE, "link", "--model complex", NULL, NULL, 0, 1, NULL},
    {"nln-premises", "NLN, 16 premises", CLI_OURS, "link", "--premises 16", NULL, NULL, 0, 2, NULL},
    {"nln-paper-without-laws", "NLN-Rl (paper's recipe)", CLI_OURS, ALL,
     PAPER "--law-weight 0", NULL, NULL, 1, 2, NULL},
    {"nln-paper", "NLN (paper's recipe)", CLI_OURS, ALL, PAPER, NULL, NULL, 1, 4, NULL},
    {"nln-without-laws", "NLN-Rl", CLI_OURS, "logic preference", /* topk has none anyway */
     "--law-weight 0", NULL, NULL, 1, 0.8, NULL},
    {"nln-without-grades", "NLN, likes and dislikes only", CLI_OURS, "preference",
     "--grades 0 --soften 0", NULL, NULL, 0, 0.8, NULL},
    {"nln", "NLN", CLI_OURS, ALL " link", "", NULL, NULL, 1, 1, NULL},
    {"nln-users", "NLN, variables of users", CLI_ASIDE, "topk",
     "--user-vectors 0.5", NULL, NULL, 0, 1.2, NULL},
    {"nln-facts", "NLN, facts about items", CLI_ASIDE, "grocery-topk",
     "", NULL, NULL, 0, 2, "amazon-grocery-5core/item_meta.csv"},
    {"posterior", "exact posterior (belief propagation)", CLI_LIMIT, "logic",
     "", NULL, "nln", 1, 0.1, NULL},
    {"nln-curves", "NLN", CLI_ASIDE, "logic", "--curves", NULL, NULL, 1, 1.5, NULL},
    {"nln-paper-curves", "NLN (paper's recipe)", CLI_ASIDE, "logic",
     PAPER "--patience 0 --epochs 60 --curves", NULL, NULL, 1, 4, NULL},
    {"nln-paper-law-1e-7", "1e-7", CLI_ASIDE, ALL, PAPER "--law-weight 1e-7", NULL, NULL, 1, 4, NULL},
    {"nln-paper-law-1e-6", "1e-6", CLI_ASIDE, ALL, PAPER "--law-weight 1e-6", NULL, NULL, 1, 4, NULL},
    {"nln-paper-law-1e-5", "1e-5", CLI_ASIDE, ALL, PAPER "--law-weight 1e-5", NULL, NULL, 1, 4, NULL},
    {"nln-paper-law-1e-4", "1e-4", CLI_ASIDE, ALL, PAPER "--law-weight 1e-4", NULL, NULL, 1, 4, NULL},
    {"nln-paper-law-1e-3", "1e-3", CLI_ASIDE, ALL, PAPER "--law-weight 1e-3", NULL, NULL, 1, 4, NULL},
    {"nln-paper-law-1e-1", "1e-1", CLI_ASIDE, ALL, PAPER "--law-weight 1e-1", NULL, NULL, 1, 4, NULL},
};

/* ---- what is measured ----------------------------------------------------------------- */

static const cli_measure measures[] = {
    {"accuracy", "accuracy", "logic", NULL, 0, 0},
    {"RMSE", "rmse", "logic", NULL, 1, 0},
    {"variables recovered", "recovered", "logic", NULL, 0, 1},
    {"AUC", "auc", "preference", NULL, 0, 0},
    {"nDCG@10", "ndcg@10", "topk", "ndcg@10_sampled", 0, 0},
    {"HR@10", "hit@10", "topk", "hit@10_sampled", 0, 0},
    {"full nDCG@10", "full.ndcg@10", "topk", "ndcg@10_full", 0, 0},
    {"full HR@10", "full.hit@10", "topk", "hit@10_full", 0, 0},
    {"MRR", "mrr", "link", "mrr", 0, 0},
    {"Hits@1", "hits@1", "link", "hits@1", 0, 0},
    {"Hits@3", "hits@3", "link", "hits@3", 0, 0},
    {"Hits@10", "hits@10", "link", "hits@10", 0, 0},
};

/* ---- what the paper says ---------------------------------------------------------------- */

/* Its numbers of NLN stand beside both recipes; so do those of NLN-Rl. */
#define BOTH(source, key, rl, rl_error, nln, nln_error)             \
    {source, "nln-paper-without-laws", key, rl, rl_error},          \
    {source, "nln-without-laws", key, rl, rl_error},                \
    {source, "nln-paper", key, nln, nln_error},                     \
    {source, "nln", key, nln, nln_error}

static const cli_published published[] = {
    {"1k-5k", "bilstm", "accuracy", .6128, .0029}, {"1k-5k", "bilstm", "rmse", .4952, .0032},
    {"1k-5k", "birnn", "accuracy", .6412, .0014}, {"1k-5k", "birnn", "rmse", .4802, .0033},
    BOTH("1k-5k", "accuracy", .9064, .0136, .9716, .0023),
    BOTH("1k-5k", "rmse", .2746, .0221, .1633, .0080),
    {"20k-50k", "bilstm", "accuracy", .6826, .0039}, {"20k-50k", "bilstm", "rmse", .4529, .0038},
    {"20k-50k", "birnn", "accuracy", .6985, .0023}, {"20k-50k", "birnn", "rmse", .4412, .0005},
    BOTH("20k-50k", "accuracy", .8400, .0011, .8827, .0019),
    BOTH("20k-50k", "rmse", .3678, .0013, .3286, .0022),
    {"ml100k-preference", "biasedmf", "auc", .8017, .0002},
    {"ml100k-preference", "svdpp", "auc", .8170, .0004},
    {"ml100k-preference", "ncf", "auc", .8063, .0006},
    BOTH("ml100k-preference", "auc", .7218, .0001, .8211, .0004),
    {"ml100k-topk", "biasedmf", "ndcg@10", .3700, .0027},
    {"ml100k-topk", "svdpp", "ndcg@10", .3651, .0022},
    {"ml100k-topk", "ncf", "ndcg@10", .3589, .0020},
    BOTH("ml100k-topk", "ndcg@10", .3711, .0069, .3807, .0046),
    {"electronics-preference", "biasedmf", "auc", .6448, .0003},
    {"electronics-preference", "svdpp", "auc", .6667, .0005},
    {"electronics-preference", "ncf", "auc", .6723, .0008},
    BOTH("electronics-preference", "auc", .6490, .0006, .6894, .0018),
    {"electronics-topk", "biasedmf", "ndcg@10", .3449, .0006},
    {"electronics-topk", "svdpp", "ndcg@10", .3902, .0003},
    {"electronics-topk", "ncf", "ndcg@10", .3358, .0011},
    BOTH("electronics-topk", "ndcg@10", .4075, .0036, .4113, .0015),
};

/* ---- tables and figures ------------------------------------------------------------------ */

static const cli_exhibit exhibits[] = {
    {"table2", "Table 2. Simulated data",
     "Test set; each seed has data of its own.", CLI_TABLE,
     {"1k-5k", "20k-50k"}, {NULL}, {{NULL, NULL, 0}}},
    {"table3", "Table 3. Recommendation",
     "Test set. nDCG@10 and HR@10 rank each liked item among 100 sampled ones, as in the paper; "
     "the full ones among all items that the user had not met.", CLI_TABLE,
     {"ml100k-preference", "ml100k-topk", "grocery-topk", "electronics-preference",
      "electronics-topk"}, {NULL}, {{NULL, NULL, 0}}},
    {"table-links", "Table of links. Knowledge graphs",
     "Test set, filtered: each triple is ranked from both ends among all entities, without other "
     "answers that are known; not in the paper.", CLI_TABLE,
     {"umls-links", "kinship-links"}, {NULL}, {{NULL, NULL, 0}}},
    {"table-knowledge", "Table of knowledge. Recommendation with users and facts",
     "Test set, as in table 3: likes(u, v) with a variable for each known user, and facts about "
     "items (complement, substitute, category) as premises; not in the paper.", CLI_TABLE,
     {"ml100k-topk", "grocery-topk"}, {NULL},
     {{NULL, "popularity", 1}, {NULL, "svdpp-last", 1}, {NULL, "ease", 1}, {NULL, "gru", 1},
      {NULL, "nln", 1}, {NULL, "nln-users", 1}, {NULL, "nln-facts", 1}}},
    {"figure-lambda-logic", "Weight of the laws, simulated data",
     "Test set, paper's recipe; with several seeds, bars are standard errors.", CLI_SWEEP,
     {"1k-5k", "1k-5k"}, {"accuracy", "rmse"},
     {{"0", "nln-paper-without-laws", 1}, {"1e-5", "nln-paper-law-1e-5", 1},
      {"1e-4", "nln-paper-law-1e-4", 1}, {"1e-3", "nln-paper-law-1e-3", 1},
      {"1e-2", "nln-paper", 1}, {"1e-1", "nln-paper-law-1e-1", 1}}},
    {"figure-lambda-rec", "Weight of the laws, recommendation",
     "Test set, paper's recipe; with several seeds, bars are standard errors.", CLI_SWEEP,
     {"ml100k-preference", "ml100k-topk"}, {"auc", "ndcg@10"},
     {{"0", "nln-paper-without-laws", 1}, {"1e-7", "nln-paper-law-1e-7", 0},
      {"1e-6", "nln-paper-law-1e-6", 1}, {"1e-5", "nln-paper", 1},
      {"1e-4", "nln-paper-law-1e-4", 0}, {"1e-3", "nln-paper-law-1e-3", 1}}},
    {"figure-tsne", "Vectors of the variables",
     "t-SNE of the vectors that the paper's recipe learned with seed 1, by true value.", CLI_MAP,
     {"1k-5k"}, {NULL}, {{NULL, "nln-paper", 1}}},
    {"figure-curves", "RMSE while training",
     "Seed 1, on all three parts of the data after every epoch.", CLI_CURVES,
     {"1k-5k", "1k-5k"}, {NULL}, {{NULL, "nln-paper-curves", 1}, {NULL, "nln-curves", 1}}},
    {"figure-tsne-epochs", "Vectors of the variables while training",
     "t-SNE of the vectors of the paper's recipe, seed 1, after some epochs, by true value.",
     CLI_MAPS, {"1k-5k"}, {NULL}, {{NULL, "nln-paper-curves", 1}}},
    {"figure-lengths", "Beyond the length of training",
     "Share of 200 expressions of each size that the model is right about, made of variables that "
     "it solves rightly; training has at most five clauses of at most five literals. With several "
     "seeds, bars are standard errors.", CLI_LENGTHS,
     {"1k-5k"}, {NULL}, {{"NLN", "nln", 1}, {"paper's recipe", "nln-paper", 1}}},
};

static const int snapshots[CLI_N_SCALES][8] = {
    {1, 2, 5, 10, 20, 60}, {1, 2, 5, 10, 20, 50}, {1, 2}};

/* clang-format on */

const char *cli_paper_notice(cli_scale scale)
{
    if (scale == CLI_SCALE_QUICK)
        return "This is a quick pass: one seed unless more were asked for, the paper's recipe cut "
               "short, and 4,000 variables with 10,000 expressions in place of 20,000 with 50,000. "
               "The numbers that count come without --quick.";
    if (scale == CLI_SCALE_TINY)
        return "This is a test of the program: the sizes are so small that the numbers mean "
               "nothing.";
    return "";
}

const char *cli_paper_folder(const cli_source *source, cli_scale scale)
{
    return source->at[scale].name ? source->at[scale].name : source->name;
}

/* ---- finding rows ------------------------------------------------------------------------- */

#define COUNT(table)      ((int)(sizeof(table) / sizeof *(table)))
#define ROW(table, index) ((index) >= 0 && (index) < COUNT(table) ? &(table)[index] : NULL)

const cli_exhibit *cli_paper_exhibit(int index)
{
    return ROW(exhibits, index);
}

const cli_exhibit *cli_paper_find(const char *name)
{
    for (int i = 0; i < COUNT(exhibits); i++)
        if (strcmp(exhibits[i].name, name) == 0)
            return &exhibits[i];
    return NULL;
}

const cli_source *cli_paper_source(const char *name)
{
    for (int i = 0; name && i < COUNT(sources); i++)
        if (strcmp(sources[i].name, name) == 0)
            return &sources[i];
    return NULL;
}

const cli_method *cli_paper_method(int index)
{
    return ROW(methods, index);
}

const cli_method *cli_paper_method_named(const char *name)
{
    for (int i = 0; name && i < COUNT(methods); i++)
        if (strcmp(methods[i].name, name) == 0)
            return &methods[i];
    return NULL;
}

const cli_measure *cli_paper_measure(int index)
{
    return ROW(measures, index);
}

const cli_measure *cli_paper_measure_of(const cli_source *source, const char *key)
{
    for (int i = 0; i < COUNT(measures); i++)
        if (strcmp(measures[i].task, source->task) == 0 && strcmp(measures[i].key, key) == 0)
            return &measures[i];
    return NULL;
}

const cli_published *cli_paper_published(const cli_source *source, const cli_method *method,
                                         const cli_measure *measure)
{
    for (int i = 0; i < COUNT(published); i++)
        if (strcmp(published[i].source, source->name) == 0 &&
            strcmp(published[i].method, method->name) == 0 &&
            strcmp(published[i].key, measure->key) == 0)
            return &published[i];
    return NULL;
}

static int has_word(const char *list, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = list; (at = strstr(at, word)); at += length)
        if ((at == list || at[-1] == ' ') && (at[length] == ' ' || !at[length]))
            return 1;
    return 0;
}

int cli_paper_is_for(const cli_method *method, const cli_source *source)
{
    return has_word(method->tasks, source->task) || has_word(method->tasks, source->name);
}

int cli_paper_shows(const cli_exhibit *table, const cli_method *method, const cli_source *source)
{
    int named = 0;
    for (int i = 0; i < CLI_MOST_STEPS; i++)
        named |= table->steps[i].method && strcmp(table->steps[i].method, method->name) == 0;
    return (table->steps[0].method ? named : method->standing != CLI_ASIDE) &&
           cli_paper_is_for(method, source);
}

int cli_paper_snapshot(cli_scale scale, int index)
{
    return index >= 0 && index < 8 ? snapshots[scale][index] : 0;
}

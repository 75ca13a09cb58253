#include "models/training_options.h"

#include <string.h>

#include "base/thread_pool.h"
#include "models/method.h"
#include "net/laws.h"

static const nln_option table[] = {
#define X(field, ctype, name, type, least, most, choices, group, first, tasks, needs, with, logic, \
          preference, topk, help)                                                                  \
    {name, NLN_OPTION_##type, logic, least, most, choices, help},
    NLN_CONFIG(X)
#undef X
};
enum { N_ROWS = sizeof table / sizeof *table };

/* Words of the table: FIRST or MORE, tasks by bit, and abilities. */
enum { MORE, FIRST };
enum {
    LOGIC = 1 << NLN_TASK_LOGIC,
    PREFERENCE = 1 << NLN_TASK_PREFERENCE,
    TOPK = 1 << NLN_TASK_TOPK,
    RATINGS = PREFERENCE | TOPK,
    LABELS = LOGIC | PREFERENCE,
    LINK = 1 << NLN_TASK_LINK,
    ANY = RATINGS | LOGIC | LINK
};
enum {
    STEPS = NLN_HAS_STEPS,
    HISTORY = NLN_HAS_HISTORY,
    NETWORK = NLN_HAS_NETWORK,
    VECTORS = NLN_HAS_VECTORS,
    HIDDEN = NLN_HAS_HIDDEN,
    WEIGHTS = NLN_HAS_WEIGHTS,
    LOGITS = NLN_HAS_LOGITS,
    LAYERS = NLN_HAS_LAYERS,
    PREMISES = NLN_HAS_PREMISES,
    NETWORKS = NLN_HAS_NETWORKS
};

/* The columns that nln_option does not have. */
static const struct {
    const char *group;
    int first;
    unsigned tasks, needs;
    const char *with;
    const char *initial[3]; /* by task */
} columns[] = {
#define X(field, ctype, name, type, least, most, choices, group, first, tasks, needs, with, logic, \
          preference, topk, help)                                                                  \
    {group, first, tasks, needs, with, {logic, preference, topk}},
    NLN_CONFIG(X)
#undef X
};

const nln_option *nln_config_table(int *n_rows)
{
    *n_rows = N_ROWS;
    return table;
}

/* What the recipes of the network, and the other methods, change of the defaults, for logic,
 * preference and topk; NULL keeps the default, and later rows win.  docs/recipes.md and
 * docs/baselines.md say why. */
static const struct {
    const char *of, *name, *value[3];
} changes[] = {
    {"paper", "embedding", {"free", NULL, NULL}},
    {"paper", "members", {"1", NULL, NULL}},
    {"paper", "networks", {NULL, "1", NULL}},
    {"paper", "association", {NULL, "pairs", "pairs"}},
    {"paper", "shuffle", {NULL, "true", "true"}},
    {"paper", "init-scale", {"0.01", "0.01", "0.01"}},
    {"paper", "history", {NULL, "10", "10"}},
    {"paper", "together", {NULL, "1", "1"}},
    {"paper", "drop-history", {NULL, "0", "0"}},
    {"paper", "dislikes", {NULL, NULL, "no"}},
    {"paper", "loss", {NULL, NULL, "pairwise"}},
    {"paper", "negatives", {NULL, NULL, "1"}},
    {"paper", "grades", {NULL, "0", NULL}},
    {"paper", "soften", {NULL, "0", NULL}},
    {"paper", "rules", {NULL, NULL, "0"}},
    {"paper", "surprises", {NULL, "0", NULL}},
    {"paper", "epochs", {"100", "100", "100"}},
    {"paper", "patience", {"20", "20", "20"}},
    {"paper", "select", {"accuracy", "auc", NULL}},
    {"paper", "batch", {"128", NULL, NULL}},
    {"paper", "schedule", {"constant", "constant", NULL}},
    {"paper", "average", {NULL, NULL, "0"}},
    {"paper", "clip", {"0", "0", "0"}},
    {"paper", "law-weight", {NULL, "1e-5", "1e-5"}},
    {"paper", "law-sample", {"1", "1", "1"}},
    {"paper", "length-weight", {"0.0001", "1e-5", "1e-5"}},
    {"paper", "l2", {"1e-6", "1e-6", "1e-6"}},
    {"paper", "l2-variables", {"1e-6", "1e-6", "1e-6"}},
    {"paper", "l2-logit", {"0", "0", "0"}},
    {"paper", "noise", {"0", NULL, NULL}},
    {"paper", "fit-noise", {"false", NULL, NULL}},
    {"paper", "dropout", {"0.2", NULL, NULL}},
    {"paper", "dropout-variables", {NULL, "0.2", "0.2"}},
    {"paper", "logit-noise", {"0", NULL, NULL}},
    {"paper", "duals", {"false", NULL, NULL}},
    {"paper", "message-sweeps", {"0", NULL, NULL}},
    {"paper", "calibrate", {"false", "false", NULL}},
    {"fast", "members", {"1", NULL, NULL}},
    {"fast", "networks", {NULL, "1", NULL}},
    {"fast", "history", {NULL, "10", NULL}},
    {"fast", "together", {NULL, "10", NULL}},
    {"fast", "drop-history", {NULL, "0", NULL}},
    {"fast", "negatives", {NULL, NULL, "100"}},
    {"fast", "grades", {NULL, "0", NULL}},
    {"fast", "soften", {NULL, "0", NULL}},
    {"fast", "surprises", {NULL, "0", NULL}},
    {"fast", "epochs", {"10", "4", "8"}},
    {"fast", "select", {NULL, "auc", NULL}},
    {"fast", "batch", {NULL, "256", "256"}},
    {"fast", "learning-rate", {"0.002", "0.002", "0.002"}},
    {"fast", "learning-rate-logit", {"0.5", NULL, NULL}},
    {"fast", "schedule", {NULL, NULL, "cosine"}},
    {"fast", "average", {NULL, NULL, "0"}},
    {"fast", "message-sweeps", {"0", NULL, NULL}},
    {"fast", "law-weight", {NULL, "0", NULL}},
    {"fast", "law-sample", {"0.05", NULL, NULL}},
    {"fast", "length-weight", {NULL, "0", NULL}},
    {"others", "history", {NULL, "10", "10"}},
    {"others", "together", {NULL, "1", "1"}},
    {"others", "drop-history", {NULL, "0", "0"}},
    {"others", "dislikes", {NULL, NULL, "no"}},
    {"others", "loss", {NULL, NULL, "pairwise"}},
    {"others", "negatives", {NULL, NULL, "1"}},
    {"others", "soften", {NULL, "0", NULL}},
    {"others", "surprises", {NULL, "0", NULL}},
    {"others", "epochs", {"100", "100", "100"}},
    {"others", "patience", {"10", "10", "10"}},
    {"others", "select", {"accuracy", "auc", NULL}},
    {"others", "batch", {"128", NULL, NULL}},
    {"others", "schedule", {"constant", "constant", NULL}},
    {"others", "average", {NULL, NULL, "0"}},
    {"others", "l2", {"1e-5", "1e-5", "1e-5"}},
    {"others", "l2-variables", {"1e-5", "1e-5", "1e-5"}},
    {"others", "duals", {"false", NULL, NULL}},
    {"others", "noise", {"0", NULL, NULL}},
    {"others", "fit-noise", {"false", NULL, NULL}},
    {"others", "dropout", {"0.2", "0.2", "0.2"}},
    {"others", "calibrate", {"false", "false", NULL}},
    {"marginals", "select", {"rmse", NULL, NULL}},
    {"marginals", "epochs", {"60", NULL, NULL}},
    {"marginals", "l2-logit", {"0.003", NULL, NULL}},
    {"marginals", "noise", {"0.02", NULL, NULL}},
    {"marginals", "fit-noise", {"true", NULL, NULL}},
    {"svdpp", "history", {NULL, "1000", "1000"}},
    {"svdpp", "context", {NULL, "all", "all"}},
    {"ease", "history", {NULL, NULL, "1000"}},
    {"ease", "l2", {NULL, NULL, "500"}},
    {"itemknn", "history", {NULL, NULL, "1000"}},
    {"itemknn", "l2", {NULL, NULL, "10"}},
    {"gru", "history", {NULL, NULL, "20"}},
    {"gru", "loss", {NULL, NULL, "softmax"}},
    {"gru", "negatives", {NULL, NULL, "0"}},
    {"gru", "dropout", {NULL, "0.5", "0.5"}},
    {"sasrec", "history", {NULL, NULL, "50"}},
    {"sasrec", "together", {NULL, NULL, "50"}},
    {"sasrec", "loss", {NULL, NULL, "binary"}},
    {"sasrec", "batch", {NULL, NULL, "1024"}},
    {"sasrec", "l2", {NULL, NULL, "0"}},
    {"sasrec", "l2-variables", {NULL, NULL, "0"}},
};

/* Task link begins with the column of topk, and then takes these; NULL is any method.  See
 * docs/predicates.md. */
static const struct {
    const char *of, *name, *value;
} link_changes[] = {
    {NULL, "dimension", "1000"},     {NULL, "select", "mrr"},      {NULL, "batch", "0"},
    {NULL, "learning-rate", "0.01"}, {NULL, "schedule", "cosine"}, {NULL, "average", "0"},
    {NULL, "negatives", "0"},        {NULL, "clip", "0"},          {NULL, "dropout", "0.3"},
    {NULL, "init-variables", "0.1"}, {"nln", "premises", "0"}, /* which ranked validation of UMLS
                                                                  and Kinship better than 16 */
};

/* The recipe rows are for the network, and the rows of methods for the others. */
static int is_changed_by(const char *of, const char *recipe, const char *model)
{
    int is_network = strcmp(model, nln_method_nln.name) == 0;
    return strcmp(of, is_network ? recipe : model) == 0 ||
           (!is_network && strcmp(of, "others") == 0);
}

static int row_of(const char *name)
{
    int i = 0;
    while (i < N_ROWS && strcmp(table[i].name, name) != 0)
        i++;
    return i;
}

/* The option that leaves row i without effect, or NULL if it has one. */
static const char *unused_by(const nln_options *o, int i)
{
    const char *with = columns[i].with;
    const nln_method *method =
        nln_method_for((int)nln_options_number(o, "model"), (int)nln_options_number(o, "task"));
    if (!((columns[i].tasks & method->tasks) >> (int)nln_options_number(o, "task") & 1))
        return "task";
    if (columns[i].needs & ~nln_method_abilities(method))
        return "model";
    if (!with)
        return NULL;
    int negated = with[0] == '!';
    with += negated;
    int is_zero = nln_options_number(o, with) == 0;
    return !unused_by(o, row_of(with)) && is_zero != negated ? with : NULL;
}

nln_status nln_config_check(const nln_options *options, nln_error *err)
{
    for (int i = 0; i < N_ROWS; i++) {
        const char *by = unused_by(options, i);
        if (by && nln_options_source(options, table[i].name) >= NLN_FROM_FILE)
            return nln_error_set(err, NLN_INVALID,
                                 "option --%s does nothing for --%s %s: leave it out",
                                 table[i].name, by, nln_options_text(options, by));
    }
    return NLN_OK;
}

void nln_options_use(nln_option_use *out, const nln_options *options, const char *name)
{
    int i = nln_options_check(options, NLN_CONFIG_COMMAND, NULL) ? N_ROWS : row_of(name);
    *out = (nln_option_use){"", 1, 1};
    if (i < N_ROWS)
        *out = (nln_option_use){columns[i].group, columns[i].first, !unused_by(options, i)};
}

/* The set of laws that a word names; 0 if there is none. */
static unsigned laws_named(const char *word, size_t length)
{
    const struct {
        const char *name;
        unsigned laws;
    } groups[] = {{"all", NLN_ALL_LAWS}, {"compound", NLN_ALL_COMPOUND_LAWS}};
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++)
        if (strlen(groups[i].name) == length && strncmp(groups[i].name, word, length) == 0)
            return groups[i].laws;
    for (int law = 0; law < NLN_N_LAWS + NLN_N_COMPOUND_LAWS; law++) {
        const char *name = law < NLN_N_LAWS ? nln_law_table[law].name
                                            : nln_compound_law_table[law - NLN_N_LAWS].name;
        if (strlen(name) == length && strncmp(name, word, length) == 0)
            return 1u << law;
    }
    return 0;
}

/* The set of the laws named in `text`. */
static nln_status read_laws(unsigned *out, const char *text, nln_error *err)
{
    *out = 0;
    for (const char *at = text;; at++) {
        size_t length = strcspn(at, ",");
        unsigned laws = laws_named(at, length);
        if (!laws)
            return nln_error_set(err, NLN_INVALID,
                                 "option --laws does not know the law '%.*s': give `all`, "
                                 "`compound` or names such as %s,%s",
                                 (int)(length < 80 ? length : 80), at, nln_law_table[0].name,
                                 nln_compound_law_table[NLN_COMPOUND_LAW_de_morgan_and].name);
        *out |= laws;
        at += length;
        if (!*at)
            return NLN_OK;
    }
}

static nln_status complete_link(nln_options *o, const char *model, nln_error *err)
{
    nln_status status = NLN_OK;
    for (size_t i = 0; !status && i < sizeof link_changes / sizeof *link_changes; i++)
        if (!link_changes[i].of || strcmp(link_changes[i].of, model) == 0)
            status = nln_options_assign(o, link_changes[i].name, link_changes[i].value,
                                        NLN_FROM_RECIPE, err);
    return status;
}

/* Values of the task's column, then of the recipe or method.  What an earlier call has left is
 * replaced, since the task may have changed. */
static nln_status complete(nln_options *o, nln_error *err)
{
    int task = (int)nln_options_number(o, "task");
    int column = task == NLN_TASK_LINK ? NLN_TASK_TOPK : task;
    nln_status status = NLN_OK;
    for (int i = 0; !status && i < N_ROWS; i++)
        if (task != NLN_TASK_LOGIC || nln_options_source(o, table[i].name) == NLN_FROM_RECIPE)
            status = nln_options_assign(o, table[i].name, columns[i].initial[column],
                                        NLN_FROM_RECIPE, err);
    const char *recipe = nln_options_text(o, "recipe"), *model = nln_options_text(o, "model");
    if (task == NLN_TASK_LINK)
        return complete_link(o, model, err);
    for (size_t i = 0; !status && i < sizeof changes / sizeof *changes; i++)
        if (changes[i].value[task] && is_changed_by(changes[i].of, recipe, model))
            status = nln_options_assign(o, changes[i].name, changes[i].value[task], NLN_FROM_RECIPE,
                                        err);
    return status;
}

nln_status nln_config_read(nln_config *out, nln_options *options, nln_error *err)
{
    nln_status status = complete(options, err);
    if (status)
        return status;
#define X(field, ctype, name, ...) out->field = (ctype)nln_options_number(options, name);
    NLN_CONFIG(X)
#undef X
    if (!out->hidden)
        out->hidden = out->dimension;
    if (!out->threads)
        out->threads = nln_thread_pool_processors();
    return read_laws(&out->laws, nln_options_text(options, "laws"), err);
}

nln_status nln_options_settle(nln_options *options, nln_error *err)
{
    nln_config config;
    nln_status status = nln_options_check(options, NLN_CONFIG_COMMAND, err);
    return status ? status : nln_config_read(&config, options, err);
}

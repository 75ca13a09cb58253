#include "models/config.h"

#include <string.h>

#include "base/thread_pool.h"
#include "net/laws.h"

static const nln_option table[] = {
#define X(field, ctype, name, type, initial, least, most, choices, help) \
    {name, NLN_OPTION_##type, initial, least, most, choices, help},
    NLN_CONFIG(X)
#undef X
};

const nln_option *nln_config_table(int *n_rows)
{
    *n_rows = (int)(sizeof table / sizeof *table);
    return table;
}

/* What a recipe changes of the defaults, for a model, for a task or for both that read
 * ratings; later rows win.  docs/recipes.md and docs/baselines.md say why. */
static const struct {
    const char *model, *task, *recipe, *name, *value;
} recipes[] = {
    {"nln", "logic", "paper", "embedding", "free"},
    {"nln", "logic", "paper", "members", "1"},
    {"nln", "logic", "paper", "logit-noise", "0"},
    {"nln", "logic", "paper", "predict-noise", "0"},
    {"nln", "logic", "paper", "init-scale", "0.01"},
    {"nln", "logic", "paper", "init-variables", "0.01"},
    {"nln", "logic", "paper", "init-true", "uniform"},
    {"nln", "logic", "paper", "batch", "128"},
    {"nln", "logic", "paper", "epochs", "100"},
    {"nln", "logic", "paper", "patience", "20"},
    {"nln", "logic", "paper", "select", "accuracy"},
    {"nln", "logic", "paper", "learning-rate", "0.001"},
    {"nln", "logic", "paper", "schedule", "constant"},
    {"nln", "logic", "paper", "clip", "0"},
    {"nln", "logic", "paper", "law-weight", "0.01"},
    {"nln", "logic", "paper", "law-sample", "1"},
    {"nln", "logic", "paper", "length-weight", "0.0001"},
    {"nln", "logic", "paper", "length", "squared"},
    {"nln", "logic", "paper", "l2", "1e-6"},
    {"nln", "logic", "paper", "l2-variables", "1e-6"},
    {"nln", "logic", "paper", "l2-logit", "0"},
    {"nln", "logic", "paper", "noise", "0"},
    {"nln", "logic", "paper", "fit-noise", "false"},
    {"nln", "logic", "paper", "dropout", "0.2"},
    {"nln", "logic", "paper", "orders", "1"},
    {"nln", "logic", "paper", "calibrate", "false"},
    {"nln", "logic", "fast", "members", "1"},
    {"nln", "logic", "fast", "orders", "1"},
    {"nln", "logic", "fast", "epochs", "10"},
    {"nln", "logic", "fast", "learning-rate", "0.002"},
    {"nln", "logic", "fast", "learning-rate-logit", "0.5"},
    {"nln", "logic", "fast", "law-sample", "0.05"},
    {"nln", "ratings", "default", "embedding", "free"},
    {"nln", "ratings", "default", "members", "1"},
    {"nln", "ratings", "default", "logit-noise", "0"},
    {"nln", "ratings", "default", "predict-noise", "0"},
    {"nln", "ratings", "default", "orders", "1"},
    {"nln", "ratings", "default", "noise", "0"},
    {"nln", "ratings", "default", "fit-noise", "false"},
    {"nln", "ratings", "default", "batch", "128"},
    {"nln", "ratings", "default", "l2", "0"},
    {"nln", "ratings", "default", "shuffle", "false"},
    {"nln", "ratings", "default", "association", "fold"},
    {"nln", "ratings", "default", "dropout-variables", "0.3"},
    {"nln", "topk", "default", "select", "ndcg"},
    {"nln", "topk", "default", "epochs", "0"},
    {"nln", "topk", "default", "schedule", "constant"},
    {"nln", "topk", "default", "average", "0.8"},
    {"nln", "topk", "default", "history", "20"},
    {"nln", "topk", "default", "together", "10"},
    {"nln", "topk", "default", "drop-history", "0.2"},
    {"nln", "topk", "default", "negatives", "200"},
    {"nln", "topk", "default", "law-weight", "0"},
    {"nln", "topk", "default", "calibrate", "false"},
    {"nln", "preference", "default", "select", "last"},
    {"nln", "preference", "default", "epochs", "0"},
    {"nln", "preference", "default", "networks", "4"},
    {"nln", "preference", "default", "history", "100"},
    {"nln", "preference", "default", "together", "50"},
    {"nln", "preference", "default", "drop-history", "0.3"},
    {"nln", "preference", "default", "grades", "5"},
    {"nln", "preference", "default", "soften", "0.125"},
    {"nln", "preference", "default", "surprises", "10"},
    {"nln", "preference", "default", "law-weight", "0.1"},
    {"nln", "preference", "default", "length-weight", "1e-4"},
    {"nln", "ratings", "fast", "embedding", "free"},
    {"nln", "ratings", "fast", "members", "1"},
    {"nln", "ratings", "fast", "logit-noise", "0"},
    {"nln", "ratings", "fast", "predict-noise", "0"},
    {"nln", "ratings", "fast", "orders", "1"},
    {"nln", "ratings", "fast", "noise", "0"},
    {"nln", "ratings", "fast", "fit-noise", "false"},
    {"nln", "ratings", "fast", "batch", "256"},
    {"nln", "ratings", "fast", "l2", "0"},
    {"nln", "ratings", "fast", "shuffle", "false"},
    {"nln", "ratings", "fast", "association", "fold"},
    {"nln", "ratings", "fast", "together", "10"},
    {"nln", "ratings", "fast", "dropout-variables", "0.3"},
    {"nln", "ratings", "fast", "learning-rate", "0.002"},
    {"nln", "topk", "fast", "select", "ndcg"},
    {"nln", "topk", "fast", "epochs", "8"},
    {"nln", "topk", "fast", "history", "20"},
    {"nln", "topk", "fast", "drop-history", "0.2"},
    {"nln", "topk", "fast", "negatives", "100"},
    {"nln", "topk", "fast", "law-weight", "0"},
    {"nln", "topk", "fast", "calibrate", "false"},
    {"nln", "preference", "fast", "select", "auc"},
    {"nln", "preference", "fast", "epochs", "4"},
    {"nln", "preference", "fast", "law-weight", "0"},
    {"nln", "ratings", "paper", "embedding", "free"},
    {"nln", "ratings", "paper", "members", "1"},
    {"nln", "ratings", "paper", "logit-noise", "0"},
    {"nln", "ratings", "paper", "predict-noise", "0"},
    {"nln", "ratings", "paper", "init-scale", "0.01"},
    {"nln", "ratings", "paper", "init-variables", "0.01"},
    {"nln", "ratings", "paper", "init-true", "uniform"},
    {"nln", "ratings", "paper", "batch", "128"},
    {"nln", "ratings", "paper", "epochs", "100"},
    {"nln", "ratings", "paper", "patience", "20"},
    {"nln", "ratings", "paper", "learning-rate", "0.001"},
    {"nln", "ratings", "paper", "schedule", "constant"},
    {"nln", "ratings", "paper", "clip", "0"},
    {"nln", "ratings", "paper", "law-weight", "1e-5"},
    {"nln", "ratings", "paper", "law-sample", "1"},
    {"nln", "ratings", "paper", "length-weight", "1e-5"},
    {"nln", "ratings", "paper", "length", "squared"},
    {"nln", "ratings", "paper", "l2", "1e-6"},
    {"nln", "ratings", "paper", "l2-variables", "1e-6"},
    {"nln", "ratings", "paper", "l2-logit", "0"},
    {"nln", "ratings", "paper", "noise", "0"},
    {"nln", "ratings", "paper", "fit-noise", "false"},
    {"nln", "ratings", "paper", "dropout-variables", "0.2"},
    {"nln", "ratings", "paper", "orders", "1"},
    {"nln", "ratings", "paper", "calibrate", "false"},
    {"nln", "topk", "paper", "select", "ndcg"},
    {"nln", "topk", "paper", "loss", "pairwise"},
    {"nln", "topk", "paper", "negatives", "1"},
    {"nln", "preference", "paper", "select", "auc"},
    {"others", "any", "default", "members", "1"},
    {"others", "any", "default", "orders", "1"},
    {"others", "any", "default", "law-weight", "0"},
    {"others", "any", "default", "noise", "0"},
    {"others", "any", "default", "fit-noise", "false"},
    {"others", "any", "default", "calibrate", "false"},
    {"others", "any", "default", "schedule", "constant"},
    {"others", "any", "default", "batch", "128"},
    {"others", "any", "default", "epochs", "100"},
    {"others", "any", "default", "patience", "10"},
    {"others", "any", "default", "learning-rate", "0.001"},
    {"others", "any", "default", "dropout", "0.2"},
    {"others", "any", "default", "l2", "1e-5"},
    {"others", "any", "default", "l2-variables", "1e-5"},
    {"others", "logic", "default", "select", "accuracy"},
    {"others", "preference", "default", "select", "auc"},
    {"others", "topk", "default", "select", "ndcg"},
    {"others", "topk", "default", "loss", "pairwise"},
    {"others", "topk", "default", "negatives", "1"},
    {"marginals", "logic", "default", "select", "rmse"},
    {"marginals", "logic", "default", "epochs", "60"},
    {"marginals", "logic", "default", "learning-rate-logit", "0.3"},
    {"marginals", "logic", "default", "l2-logit", "0.003"},
    {"marginals", "logic", "default", "noise", "0.02"},
    {"marginals", "logic", "default", "fit-noise", "true"},
    {"svdpp", "ratings", "default", "history", "1000"},
    {"svdpp", "ratings", "default", "context", "all"},
    {"ease", "topk", "default", "history", "1000"},
    {"ease", "topk", "default", "l2", "500"},
    {"gru", "topk", "default", "history", "20"},
    {"gru", "topk", "default", "loss", "softmax"},
    {"gru", "topk", "default", "negatives", "0"},
    {"gru", "ratings", "default", "dropout", "0.5"},
};

static int is_for(const char *models, const char *model, const char *tasks, const char *task)
{
    int of_model =
        strcmp(models, model) == 0 || (strcmp(models, "others") == 0 && strcmp(model, "nln") != 0);
    return of_model && (strcmp(tasks, task) == 0 || strcmp(tasks, "any") == 0 ||
                        (strcmp(tasks, "ratings") == 0 && strcmp(task, "logic") != 0));
}

/* Only the network has several recipes. */
static nln_status check_recipe(const char *model, const char *recipe, nln_error *err)
{
    if (strcmp(model, "nln") == 0 || strcmp(recipe, "default") == 0)
        return NLN_OK;
    return nln_error_set(err, NLN_INVALID,
                         "a model of kind %s has no recipe %s: leave --recipe out", model, recipe);
}

static int law_named(const char *name, size_t length)
{
    for (int law = 0; law < NLN_N_LAWS; law++)
        if (strlen(nln_law_table[law].name) == length &&
            strncmp(nln_law_table[law].name, name, length) == 0)
            return law;
    return -1;
}

/* The bits of the laws named in `text`. */
static nln_status read_laws(unsigned *out, const char *text, nln_error *err)
{
    *out = (1u << NLN_N_LAWS) - 1;
    if (strcmp(text, "all") == 0)
        return NLN_OK;
    *out = 0;
    for (const char *at = text;; at++) {
        size_t length = strcspn(at, ",");
        int law = law_named(at, length);
        if (law < 0)
            return nln_error_set(err, NLN_INVALID,
                                 "option --laws does not know the law '%.*s': give `all` or names "
                                 "such as %s,%s",
                                 (int)(length < 80 ? length : 80), at, nln_law_table[0].name,
                                 nln_law_table[1].name);
        *out |= 1u << law;
        at += length;
        if (!*at)
            return NLN_OK;
    }
}

nln_status nln_config_read(nln_config *out, nln_options *options, nln_error *err)
{
    const char *recipe = nln_options_text(options, "recipe");
    const char *task = nln_options_text(options, "task");
    const char *model = nln_options_text(options, "model");
    nln_status status = check_recipe(model, recipe, err);
    for (size_t i = 0; !status && i < sizeof recipes / sizeof *recipes; i++) {
        if (strcmp(recipes[i].recipe, recipe) != 0 ||
            !is_for(recipes[i].model, model, recipes[i].task, task))
            continue;
        status =
            nln_options_assign(options, recipes[i].name, recipes[i].value, NLN_FROM_RECIPE, err);
    }
    if (status)
        return status;
#define X(field, ctype, name, type, initial, least, most, choices, help) \
    out->field = (ctype)nln_options_number(options, name);
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

#include "models/config.h"

#include <string.h>

#include "base/team.h"
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

/* What a recipe changes of the defaults, for a task or for both that read ratings.
 * docs/recipes.md says why. */
static const struct {
    const char *task, *recipe, *name, *value;
} recipes[] = {
    {"logic", "paper", "embedding", "free"},
    {"logic", "paper", "members", "1"},
    {"logic", "paper", "logit-noise", "0"},
    {"logic", "paper", "predict-noise", "0"},
    {"logic", "paper", "init-scale", "0.01"},
    {"logic", "paper", "init-variables", "0.01"},
    {"logic", "paper", "init-true", "uniform"},
    {"logic", "paper", "batch", "128"},
    {"logic", "paper", "epochs", "100"},
    {"logic", "paper", "patience", "20"},
    {"logic", "paper", "select", "accuracy"},
    {"logic", "paper", "learning-rate", "0.001"},
    {"logic", "paper", "schedule", "constant"},
    {"logic", "paper", "clip", "0"},
    {"logic", "paper", "law-weight", "0.01"},
    {"logic", "paper", "law-sample", "1"},
    {"logic", "paper", "length-weight", "0.0001"},
    {"logic", "paper", "length", "squared"},
    {"logic", "paper", "l2", "1e-6"},
    {"logic", "paper", "l2-variables", "1e-6"},
    {"logic", "paper", "l2-logit", "0"},
    {"logic", "paper", "noise", "0"},
    {"logic", "paper", "fit-noise", "false"},
    {"logic", "paper", "dropout", "0.2"},
    {"logic", "paper", "orders", "1"},
    {"logic", "paper", "calibrate", "false"},
    {"logic", "fast", "members", "1"},
    {"logic", "fast", "orders", "1"},
    {"logic", "fast", "epochs", "10"},
    {"logic", "fast", "learning-rate", "0.002"},
    {"logic", "fast", "learning-rate-logit", "0.5"},
    {"logic", "fast", "law-sample", "0.05"},
    {"ratings", "default", "embedding", "free"},
    {"ratings", "default", "members", "1"},
    {"ratings", "default", "logit-noise", "0"},
    {"ratings", "default", "predict-noise", "0"},
    {"ratings", "default", "orders", "1"},
    {"ratings", "default", "noise", "0"},
    {"ratings", "default", "fit-noise", "false"},
    {"ratings", "default", "batch", "128"},
    {"ratings", "default", "l2", "0"},
    {"ratings", "default", "shuffle", "false"},
    {"ratings", "default", "association", "fold"},
    {"ratings", "default", "dropout-variables", "0.3"},
    {"topk", "default", "select", "ndcg"},
    {"topk", "default", "epochs", "30"},
    {"topk", "default", "schedule", "constant"},
    {"topk", "default", "average", "0.8"},
    {"topk", "default", "history", "20"},
    {"topk", "default", "together", "10"},
    {"topk", "default", "drop-history", "0.2"},
    {"topk", "default", "negatives", "200"},
    {"topk", "default", "law-weight", "0"},
    {"topk", "default", "calibrate", "false"},
    {"preference", "default", "select", "auc"},
    {"preference", "default", "epochs", "8"},
    {"preference", "default", "history", "100"},
    {"preference", "default", "together", "50"},
    {"preference", "default", "drop-history", "0.3"},
    {"preference", "default", "law-weight", "0.1"},
    {"ratings", "fast", "embedding", "free"},
    {"ratings", "fast", "members", "1"},
    {"ratings", "fast", "logit-noise", "0"},
    {"ratings", "fast", "predict-noise", "0"},
    {"ratings", "fast", "orders", "1"},
    {"ratings", "fast", "noise", "0"},
    {"ratings", "fast", "fit-noise", "false"},
    {"ratings", "fast", "batch", "256"},
    {"ratings", "fast", "l2", "0"},
    {"ratings", "fast", "shuffle", "false"},
    {"ratings", "fast", "association", "fold"},
    {"ratings", "fast", "together", "10"},
    {"ratings", "fast", "dropout-variables", "0.3"},
    {"ratings", "fast", "learning-rate", "0.002"},
    {"topk", "fast", "select", "ndcg"},
    {"topk", "fast", "epochs", "8"},
    {"topk", "fast", "history", "20"},
    {"topk", "fast", "drop-history", "0.2"},
    {"topk", "fast", "negatives", "100"},
    {"topk", "fast", "law-weight", "0"},
    {"topk", "fast", "calibrate", "false"},
    {"preference", "fast", "select", "auc"},
    {"preference", "fast", "epochs", "4"},
    {"preference", "fast", "law-weight", "0"},
    {"ratings", "paper", "embedding", "free"},
    {"ratings", "paper", "members", "1"},
    {"ratings", "paper", "logit-noise", "0"},
    {"ratings", "paper", "predict-noise", "0"},
    {"ratings", "paper", "init-scale", "0.01"},
    {"ratings", "paper", "init-variables", "0.01"},
    {"ratings", "paper", "init-true", "uniform"},
    {"ratings", "paper", "batch", "128"},
    {"ratings", "paper", "epochs", "100"},
    {"ratings", "paper", "patience", "20"},
    {"ratings", "paper", "learning-rate", "0.001"},
    {"ratings", "paper", "schedule", "constant"},
    {"ratings", "paper", "clip", "0"},
    {"ratings", "paper", "law-weight", "1e-5"},
    {"ratings", "paper", "law-sample", "1"},
    {"ratings", "paper", "length-weight", "1e-5"},
    {"ratings", "paper", "length", "squared"},
    {"ratings", "paper", "l2", "1e-6"},
    {"ratings", "paper", "l2-variables", "1e-6"},
    {"ratings", "paper", "l2-logit", "0"},
    {"ratings", "paper", "noise", "0"},
    {"ratings", "paper", "fit-noise", "false"},
    {"ratings", "paper", "dropout-variables", "0.2"},
    {"ratings", "paper", "orders", "1"},
    {"ratings", "paper", "calibrate", "false"},
    {"topk", "paper", "select", "ndcg"},
    {"topk", "paper", "loss", "pairwise"},
    {"topk", "paper", "negatives", "1"},
    {"preference", "paper", "select", "auc"},
};

static int is_for(const char *tasks, const char *task)
{
    return strcmp(tasks, task) == 0 ||
           (strcmp(tasks, "ratings") == 0 && strcmp(task, "logic") != 0);
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
                                 (int)length, at, nln_law_table[0].name, nln_law_table[1].name);
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
    for (size_t i = 0; i < sizeof recipes / sizeof *recipes; i++) {
        if (strcmp(recipes[i].recipe, recipe) != 0 || !is_for(recipes[i].task, task))
            continue;
        nln_status status =
            nln_options_assign(options, recipes[i].name, recipes[i].value, NLN_FROM_RECIPE, err);
        if (status)
            return status;
    }
#define X(field, ctype, name, type, initial, least, most, choices, help) \
    out->field = (ctype)nln_options_number(options, name);
    NLN_CONFIG(X)
#undef X
    if (!out->hidden)
        out->hidden = out->dimension;
    if (!out->threads)
        out->threads = nln_team_processors();
    return read_laws(&out->laws, nln_options_text(options, "laws"), err);
}

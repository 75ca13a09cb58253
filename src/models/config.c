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

/* What a recipe changes of the defaults.  docs/recipes.md says why. */
static const struct {
    const char *recipe, *name, *value;
} recipes[] = {
    {"paper", "embedding", "free"},
    {"paper", "members", "1"},
    {"paper", "logit-noise", "0"},
    {"paper", "predict-noise", "0"},
    {"paper", "init-scale", "0.01"},
    {"paper", "init-variables", "0.01"},
    {"paper", "init-true", "uniform"},
    {"paper", "batch", "128"},
    {"paper", "epochs", "100"},
    {"paper", "patience", "20"},
    {"paper", "select", "accuracy"},
    {"paper", "learning-rate", "0.001"},
    {"paper", "schedule", "constant"},
    {"paper", "clip", "0"},
    {"paper", "law-weight", "0.01"},
    {"paper", "law-sample", "1"},
    {"paper", "length-weight", "0.0001"},
    {"paper", "length", "squared"},
    {"paper", "l2", "1e-6"},
    {"paper", "l2-variables", "1e-6"},
    {"paper", "l2-logit", "0"},
    {"paper", "noise", "0"},
    {"paper", "fit-noise", "false"},
    {"paper", "dropout", "0.2"},
    {"paper", "orders", "1"},
    {"paper", "calibrate", "false"},
    {"fast", "members", "1"},
    {"fast", "orders", "1"},
    {"fast", "epochs", "10"},
    {"fast", "learning-rate", "0.002"},
    {"fast", "learning-rate-logit", "0.5"},
    {"fast", "law-sample", "0.05"},
};

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
    for (size_t i = 0; i < sizeof recipes / sizeof *recipes; i++) {
        if (strcmp(recipes[i].recipe, recipe) != 0)
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

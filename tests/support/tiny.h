/* Small data sets and small models, for the tests of models and of tasks. */
#ifndef NLN_TESTS_TINY_H
#define NLN_TESTS_TINY_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/logic_data.h"
#include "logic/parse.h"
#include "models/model.h"
#include "trees.h"

/* What must not fail for a test to begin. */
static inline void tiny_need(nln_status status, const nln_error *err)
{
    if (status) {
        fprintf(stderr, "%s\n", err->message);
        abort();
    }
}

/* `settings` are name=value words, separated by blanks. */
static inline nln_options *tiny_options(const char *command, const char *settings)
{
    nln_options *o = NULL;
    nln_error err = {0};
    char text[512], *rest = NULL;
    tiny_need(nln_options_create(&o, command, &err), &err);
    snprintf(text, sizeof text, "%s", settings);
    for (char *word = strtok_r(text, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        char *value = strchr(word, '=');
        *value++ = '\0';
        tiny_need(nln_options_set(o, word, value, &err), &err);
    }
    return o;
}

static inline nln_data *tiny_data(const char *settings)
{
    nln_options *o = tiny_options("generate logic", settings);
    nln_data *data = NULL;
    nln_error err = {0};
    tiny_need(nln_data_generate(&data, o, &err), &err);
    nln_options_free(o);
    return data;
}

/* Labelled expressions, one text for each split ("" leaves it empty). */
static inline nln_data *tiny_set(const char *const texts[3])
{
    nln_data *d = calloc(1, sizeof *d);
    d->symbols = nln_symbols_create();
    for (int s = 0; s < 3; s++)
        if (*texts[s]) {
            trees_parse(&d->split[s].exprs, d->symbols, texts[s]);
            nln_labelled_add(&d->split[s], 1, 1, NULL);
        }
    return d;
}

static inline nln_model *tiny_train(nln_report *report, const nln_data *data, const char *settings)
{
    nln_options *o = tiny_options("train", settings);
    nln_model *model = NULL;
    nln_error err = {0};
    tiny_need(nln_train(&model, report, data, o, NULL, &err), &err);
    nln_options_free(o);
    return model;
}

/* A model that is not trained, with variables x0, x1, ... */
static inline nln_model *tiny_model(int n_variables, const char *settings)
{
    nln_options *o = tiny_options("train", settings);
    nln_symbols *names = trees_names(n_variables);
    nln_model *model = NULL;
    nln_error err = {0};
    tiny_need(nln_model_create(&model, names, o, &err), &err);
    nln_symbols_free(names);
    nln_options_free(o);
    return model;
}

static inline void tiny_fill(nln_module *m, const real *in, const real *out)
{
    memcpy(m->in, in, (size_t)m->inputs * 3 * sizeof(real));
    memset(m->bias, 0, 3 * sizeof(real));
    memcpy(m->out, out, 3 * sizeof(real));
}

#define TINY_LOGICIAN "dimension=1 hidden=3 embedding=free "

/* A model that knows logic: vectors are numbers, T is 1 and F is -1, and with
 *
 *     NOT a = -a,   a AND b = min(a, b) = a - relu(a - b),   a OR b = b + relu(a - b)
 *
 * every law holds exactly.  Variable i has the value value[i]. */
static inline void tiny_teach(nln_net *net, const uint8_t *value, int n_variables)
{
    tiny_fill(&net->modules.of[NLN_MODULE_NOT], (const real[]){1, -1, 0}, (const real[]){-1, 1, 0});
    tiny_fill(&net->modules.of[NLN_MODULE_AND], (const real[]){1, -1, 1, 0, 0, -1},
              (const real[]){1, -1, -1});
    tiny_fill(&net->modules.of[NLN_MODULE_OR], (const real[]){0, 0, 1, 1, -1, -1},
              (const real[]){1, -1, 1});
    net->truth[0] = 1;
    for (int i = 0; i < net->n_variables; i++)
        net->vector[i] = value[i % n_variables] ? 1 : -1;
    nln_net_transpose(net);
}

/* The settings begin with TINY_LOGICIAN. */
static inline nln_model *tiny_logician(const uint8_t *value, int n_variables, const char *settings)
{
    nln_model *model = tiny_model(n_variables, settings);
    for (int i = 0; i < model->n_networks; i++)
        tiny_teach(model->net[i], value, n_variables);
    return model;
}

/* One network of a model as a model of its own. */
static inline nln_model *tiny_alone(const nln_model *model, int network)
{
    nln_options *o = NULL;
    nln_model *alone = NULL;
    nln_net_tensor from, to;
    nln_error err = {0};
    tiny_need(nln_options_copy(&o, model->options, &err), &err);
    tiny_need(nln_options_set(o, "networks", "1", &err), &err);
    tiny_need(nln_model_create(&alone, model->symbols, o, &err), &err);
    for (int i = 0; nln_net_get_tensor(&to, alone->net[0], i); i++) {
        nln_net_get_tensor(&from, model->net[network], i);
        memcpy(to.data, from.data, to.rows * to.columns * sizeof(real));
    }
    nln_net_transpose(alone->net[0]);
    alone->grading = model->grading;
    nln_options_free(o);
    return alone;
}

/* The expressions of a split as text; tiny_texts_free releases them. */
static inline char **tiny_texts(size_t *n, const nln_data *data, nln_split split)
{
    const nln_exprs *list = &data->split[split].exprs;
    char **texts = calloc(list->n + 1, sizeof *texts);
    nln_error err = {0};
    *n = list->n;
    for (size_t i = 0; i < list->n; i++)
        tiny_need(nln_print(&texts[i], nln_exprs_get(list, i),
                            &(nln_vocabulary){.variables = data->symbols}, &err),
                  &err);
    return texts;
}

static inline void tiny_texts_free(char **texts, size_t n)
{
    for (size_t i = 0; i < n; i++)
        free(texts[i]);
    free(texts);
}

/* What the model says of the test expressions and, behind them, of the variables;
 * malloced. */
static inline double *tiny_answers(size_t *n, const nln_model *model, const nln_data *data,
                                   const nln_options *options)
{
    size_t n_texts, n_variables = nln_model_variables(model);
    char **texts = tiny_texts(&n_texts, data, NLN_TEST);
    nln_error err = {0};
    *n = n_texts + n_variables;
    double *p = calloc(*n + 1, sizeof *p);
    tiny_need(nln_predict_many(p, model, (const char *const *)texts, n_texts, options, &err), &err);
    tiny_need(nln_solve(p + n_texts, model, &err), &err);
    tiny_texts_free(texts, n_texts);
    return p;
}

#endif

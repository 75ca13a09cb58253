#include "serve/exact_answer.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "exact/belief_propagation.h"
#include "logic/parse.h"
#include "models/model.h"
#include "nln_lab.h"

/* What is kept: [variables] probabilities, then as many values of the assignment as 0, 1 or,
 * without an assignment, NaN. */
static nln_status reason(double **out, const nln_model *model, const char *folder, nln_error *err)
{
    size_t n = nln_model_variables(model);
    nln_data *data = NULL;
    double *both = nln_array_zeroed(2 * n, sizeof *both);
    int8_t *value = nln_array_zeroed(n, sizeof *value);
    nln_status status = both && value ? NLN_OK : nln_error_memory(err);
    if (!status)
        status = nln_data_read(&data, folder, err);
    if (!status)
        status = nln_exact_variables(both, value, model, data, NULL, err);
    for (size_t i = 0; !status && i < n; i++)
        both[n + i] = value[i] < 0 ? NAN : value[i];
    nln_data_free(data);
    nln_free(value);
    *out = status ? NULL : both;
    if (status)
        nln_free(both);
    return status;
}

/* What the thread needs; it holds a reference to the model. */
typedef struct task {
    nln_served *served;
    char folder[];
} task;

static void *compute(void *context)
{
    task *t = context;
    nln_error err = {0};
    double *both = NULL;
    nln_computed *c = &t->served->exact;
    nln_status status = reason(&both, t->served->model, t->folder, &err);
    pthread_mutex_lock(&c->lock);
    if (status)
        snprintf(c->failure, sizeof c->failure, "%s", err.message);
    c->text = (char *)both;
    pthread_mutex_unlock(&c->lock);
    nln_served_release(t->served);
    nln_free(t);
    return NULL;
}

/* Whether the thread runs. */
static int begin(nln_served *served, const char *folder)
{
    size_t n = strlen(folder) + 1;
    task *t = nln_array_zeroed(sizeof *t + n, 1);
    pthread_t thread;
    if (!t)
        return 0;
    t->served = served;
    memcpy(t->folder, folder, n);
    atomic_fetch_add(&served->references, 1);
    if (!pthread_create(&thread, NULL, compute, t))
        return !pthread_detach(thread);
    atomic_fetch_sub(&served->references, 1);
    nln_free(t);
    return 0;
}

/* Begins if nobody has; what is known then, or NULL. */
static const double *take(nln_served *served, const char *folder)
{
    nln_computed *c = &served->exact;
    pthread_mutex_lock(&c->lock);
    if (!c->begun)
        c->begun = begin(served, folder);
    const double *both = (const double *)(const void *)c->text;
    pthread_mutex_unlock(&c->lock);
    return both;
}

/* The probability of the expression for independent variables; NaN without one. */
static double predict(const nln_served *s, const double *marginals, const char *expression)
{
    nln_exprs list = {0};
    double p = NAN;
    const nln_vocabulary names = {.variables = s->model->symbols};
    size_t n = nln_model_variables(s->model);
    if (nln_parse(&list, &names, 0, expression, strlen(expression), NLN_DIALECT_TEXT, NULL) ||
        nln_belief_propagation_predict(&p, &list, marginals, n, NULL))
        p = NAN;
    nln_exprs_free(&list);
    return p;
}

void nln_exact_answer_print(nln_text *t, nln_served *served, const char *folder,
                            const char *expression)
{
    const double *both = take(served, folder);
    size_t n = nln_model_variables(served->model);
    nln_json_out_open(t, "exact", '{');
    if (both) {
        nln_json_out_string(t, "status", "done");
        nln_json_out_number(t, "posterior", predict(served, both, expression));
        if (n && isnan(both[n]))
            nln_json_out_null(t, "assignment");
        else
            nln_json_out_number(t, "assignment", predict(served, both + n, expression));
    } else {
        pthread_mutex_lock(&served->exact.lock);
        int failed = served->exact.failure[0] != '\0';
        nln_json_out_string(t, "status", failed ? "failed" : "computing");
        if (failed)
            nln_json_out_string(t, "why", served->exact.failure);
        pthread_mutex_unlock(&served->exact.lock);
    }
    nln_json_out_close(t, '}');
}

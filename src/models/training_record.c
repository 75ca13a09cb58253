#include "models/training_record.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/jansson_guard.h"
#include "base/number.h"

enum { MOST_VALUES = 200, MOST_NESTED = 8, CUT = 10 };

nln_record nln_training_record_none(void)
{
    return (nln_record){.newest = NAN, .trained = NAN};
}

/* ---- metrics -------------------------------------------------------------- */

static double at_cut(const nln_ranking *r, const double *values)
{
    for (int i = 0; i < r->n_cuts; i++)
        if (r->cut[i] == CUT)
            return values[i];
    return NAN;
}

/* The metrics of all tasks by their names in `nln train --json`; NAN where they were not
 * measured. */
static double value_of(const nln_metrics *m, int row)
{
    const nln_ranking *s = &m->sampled, *f = &m->full;
    const double labels[] = {m->accuracy, m->rmse, m->cross_entropy, m->auc};
    const double ranks[] = {at_cut(s, s->ndcg), at_cut(s, s->hit), s->mrr,
                            at_cut(f, f->ndcg), at_cut(f, f->hit), f->mrr};
    const double links[] = {m->links.mrr, m->links.hits[0], m->links.hits[1], m->links.hits[2]};
    if (row < 4)
        return m->n ? labels[row] : NAN;
    if (row < 10)
        return (row < 7 ? s->n : f->n) ? ranks[row - 4] : NAN;
    return m->links.n ? links[row - 10] : NAN;
}

static const char *const names[] = {
    "accuracy",     "rmse",        "cross_entropy", "auc", "ndcg@10", "hit@10", "mrr",
    "full_ndcg@10", "full_hit@10", "full_mrr",      "mrr", "hits@1",  "hits@3", "hits@10"};
enum { N_NAMES = sizeof names / sizeof *names };

/* As many digits as the file has, so that a record is the same before and after it. */
static double shorten(double x)
{
    char text[NLN_NUMBER_ROOM];
    double out = NAN;
    if (!isfinite(x))
        return NAN;
    nln_number_round(text, x, 9);
    return nln_number_read(&out, text, strlen(text)) ? out : NAN;
}

void nln_training_record_measure(nln_record *record, const nln_metrics *valid,
                                 const nln_metrics *test)
{
    record->n_measures = 0;
    for (int i = 0; i < N_NAMES && record->n_measures < NLN_MOST_MEASURES; i++) {
        double values[] = {shorten(value_of(valid, i)), shorten(value_of(test, i))};
        if (isnan(values[0]) && isnan(values[1]))
            continue;
        nln_measure *m = &record->measures[record->n_measures++];
        snprintf(m->name, sizeof m->name, "%s", names[i]);
        m->valid = values[0];
        m->test = values[1];
    }
}

/* ---- text ----------------------------------------------------------------- */

static int put(json_t *object, const char *key, json_t *value)
{
    return !json_object_set_new(object, key, value);
}

static int put_number(json_t *object, const char *key, double x)
{
    if (isnan(x))
        return 1;
    return put(object, key,
               x == floor(x) && fabs(x) < 1e15 ? json_integer((json_int_t)x) : json_real(x));
}

static json_t *measures_of(const nln_record *r, int test)
{
    json_t *object = json_object();
    int ok = object != NULL;
    for (size_t i = 0; ok && i < r->n_measures; i++)
        ok = put_number(object, r->measures[i].name,
                        test ? r->measures[i].test : r->measures[i].valid);
    if (!ok) {
        json_decref(object);
        return NULL;
    }
    return object;
}

static json_t *rows_of(const nln_record *r)
{
    json_t *rows = json_array();
    int ok = rows != NULL;
    for (int s = 0; ok && s < 3; s++)
        ok = !json_array_append_new(rows, json_integer((json_int_t)r->rows[s]));
    if (ok)
        return rows;
    json_decref(rows);
    return NULL;
}

char *nln_training_record_print(const nln_record *r)
{
    char fingerprint[24];
    json_t *object = json_object();
    snprintf(fingerprint, sizeof fingerprint, "%016" PRIx64, r->fingerprint);
    int ok = object && (!r->data[0] || put(object, "data", json_string(r->data))) &&
             put(object, "fingerprint", json_string(fingerprint)) &&
             put(object, "rows", rows_of(r)) && put_number(object, "newest", r->newest) &&
             put(object, "epochs", json_integer(r->epochs)) &&
             put(object, "best_epoch", json_integer(r->best_epoch)) &&
             put(object, "valid", measures_of(r, 0)) && put(object, "test", measures_of(r, 1)) &&
             put_number(object, "trained", r->trained);
    char *text = ok ? nln_json_write(object, JSON_COMPACT | JSON_REAL_PRECISION(15)) : NULL;
    json_decref(object);
    return text;
}

/* A number that may be missing. */
static int take_number(double *out, const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    *out = json_is_number(value) ? json_number_value(value) : NAN;
    return !value || (json_is_number(value) && isfinite(*out));
}

static int take_whole(int *out, const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    json_int_t n = json_integer_value(value);
    *out = n > 0 && n <= INT32_MAX ? (int)n : 0;
    return !value || (json_is_integer(value) && n >= 0 && n <= INT32_MAX);
}

static int take_rows(nln_record *r, const json_t *object)
{
    const json_t *rows = json_object_get(object, "rows");
    int ok = json_array_size(rows) == 3;
    for (size_t s = 0; ok && s < 3; s++) {
        const json_t *n = json_array_get(rows, s);
        ok = json_is_integer(n) && json_integer_value(n) >= 0;
        r->rows[s] = ok ? (size_t)json_integer_value(n) : 0;
    }
    return ok || !rows;
}

static int take_text(nln_record *r, const json_t *object)
{
    const json_t *data = json_object_get(object, "data");
    const json_t *print = json_object_get(object, "fingerprint");
    const char *text = json_string_value(print);
    char *end = NULL;
    snprintf(r->data, sizeof r->data, "%s",
             data && json_is_string(data) ? json_string_value(data) : "");
    for (char *c = r->data; *c; c++)
        if ((unsigned char)*c < 0x20 || *c == 0x7f)
            return 0;
    r->fingerprint = text ? strtoull(text, &end, 16) : 0;
    return (!data || (json_is_string(data) && json_string_length(data) < sizeof r->data)) &&
           (!print || (text && *text && !*end));
}

static nln_measure *measure_named(nln_record *r, const char *name)
{
    for (size_t i = 0; i < r->n_measures; i++)
        if (strcmp(r->measures[i].name, name) == 0)
            return &r->measures[i];
    if (r->n_measures == NLN_MOST_MEASURES || strlen(name) >= sizeof r->measures[0].name)
        return NULL;
    nln_measure *m = &r->measures[r->n_measures++];
    *m = (nln_measure){.valid = NAN, .test = NAN};
    memcpy(m->name, name, strlen(name) + 1);
    return m;
}

static int take_measures(nln_record *r, json_t *object, int test)
{
    const char *name;
    json_t *value;
    if (object && !json_is_object(object))
        return 0;
    json_object_foreach(object, name, value)
    {
        nln_measure *m = measure_named(r, name);
        if (!m)
            continue;
        if (!json_is_number(value) || !isfinite(json_number_value(value)))
            return 0;
        *(test ? &m->test : &m->valid) = json_number_value(value);
    }
    return 1;
}

nln_status nln_training_record_parse(nln_record *out, const char *text, nln_error *err)
{
    json_error_t why;
    json_t *object = NULL;
    *out = nln_training_record_none();
    nln_status status = nln_json_load(&object, &why, text, strlen(text), MOST_VALUES, MOST_NESTED);
    if (status == NLN_MEMORY)
        return nln_error_memory(err);
    int ok = !status && json_is_object(object) && take_text(out, object) &&
             take_rows(out, object) && take_number(&out->newest, object, "newest") &&
             take_number(&out->trained, object, "trained") &&
             take_whole(&out->epochs, object, "epochs") &&
             take_whole(&out->best_epoch, object, "best_epoch") &&
             take_measures(out, json_object_get(object, "valid"), 0) &&
             take_measures(out, json_object_get(object, "test"), 1);
    json_decref(object);
    return ok ? NLN_OK
              : nln_error_set(err, NLN_FORMAT, "the record of its training makes no sense");
}

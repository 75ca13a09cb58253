/* Labelled expressions as a source of requests: units, labels, counts and measures. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tiny.h"
#include "training/source.h"

typedef struct fixture {
    nln_data *data;
    nln_model *model;
    nln_source *source;
} fixture;

static fixture open_fixture(void)
{
    fixture f = {.data = tiny_set((const char *const[]){"a & b", "!a", "a | b"})};
    nln_options *o = tiny_options("train", "task=logic dimension=6 normal-form=none");
    nln_error err = {0};
    tiny_need(nln_source_of_expressions(&f.source, f.data, &err), &err);
    assert_int_equal(f.source->data, NLN_DATA_EXPRESSIONS);
    assert_int_equal(f.source->n_users, 0);
    tiny_need(nln_model_create_for(&f.model, f.source->names, 0, o, &err), &err);
    tiny_need(f.source->open(f.source, f.model, &err), &err);
    nln_options_free(o);
    return f;
}

static void close_fixture(fixture *f)
{
    f->source->free(f->source);
    nln_model_free(f->model);
    nln_data_free(f->data);
}

static void units_are_the_training_expressions(void **state)
{
    (void)state;
    fixture f = open_fixture();
    static const int32_t units[] = {0};
    nln_request r;
    assert_int_equal(f.source->n, f.data->split[NLN_TRAIN].exprs.n);
    assert_int_equal(f.source->draw(&r, f.source, units, 1, 9, NULL), NLN_OK);
    assert_int_equal(r.loss_kind, NLN_LOSS_LABELS);
    assert_int_equal(r.n, 1);
    assert_ptr_equal(r.exprs, &f.source->exprs[NLN_TRAIN]);
    assert_null(r.queries);
    assert_true(r.truth[r.index[0]] == (real)f.data->split[NLN_TRAIN].labels[0]);
    assert_int_equal(r.key, 9);
    close_fixture(&f);
}

static void every_occurrence_is_counted(void **state)
{
    (void)state;
    fixture f = open_fixture();
    int32_t got[8] = {0}, wanted[8] = {0};
    const nln_exprs *list = &f.data->split[NLN_TRAIN].exprs;
    for (size_t i = 0; i < list->n_nodes; i++)
        if (list->nodes[i].op == NLN_OP_VAR)
            wanted[list->nodes[i].arg]++;
    f.source->count(got, f.source);
    assert_memory_equal(got, wanted, sizeof got);
    close_fixture(&f);
}

static void splits_are_measured_by_their_labels(void **state)
{
    (void)state;
    fixture f = open_fixture();
    for (int split = 0; split < 3; split++) {
        nln_metrics m = {0};
        size_t n = f.data->split[split].exprs.n;
        assert_int_equal(nln_source_size(f.source, (nln_split)split), n);
        assert_int_equal(f.source->measure(&m, f.source, f.model, (nln_split)split, 1, NULL),
                         NLN_OK);
        assert_int_equal(m.n, n);
    }
    close_fixture(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(units_are_the_training_expressions),
        cmocka_unit_test(every_occurrence_is_counted),
        cmocka_unit_test(splits_are_measured_by_their_labels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
